"""Invented labels and runs of one set of points, with known errors of judges and people."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from reviewscore.agreement.study import Study, compare, study
from reviewscore.agreement.tables import LabelsAndScores
from reviewscore.arguments.aggregate import advanced
from reviewscore.runs.manifest import Setting
from reviewscore.schema.argument import Argument, ArgumentState, Premise, Round
from reviewscore.schema.paper import Evidence
from reviewscore.schema.point_score import Advanced, PointScore, Status
from reviewscore.schema.proof import Proof, Validity
from reviewscore.schema.review import PointType, Role
from reviewscore.schema.span import Span
from reviewscore.schema.verdict import KnowledgeSource, PremiseVerdict, Rating, Verdict
from reviewscore.sources.annotations import read_annotations
from reviewscore.stats.resampling import Resampling
from tests.report.synthetic import manifest, write_run

KINDS = (PointType.QUESTION, PointType.CLAIM, PointType.ARGUMENT)


@dataclass(frozen=True)
class Said:
    """What a judge or a person says of one point: its score, and those of two premises."""

    whole: int
    premises: tuple[int, int] = (4, 4)
    weights: tuple[int, int] = (2, 1)


def truth(papers: int, per_paper: int, seed: int = 1) -> list[tuple[str, PointType, Said]]:
    """Points of papers, a third of each type, about a quarter of them misinformed."""
    rng = np.random.default_rng(seed)
    out = []
    for paper in range(papers):
        for number in range(1, per_paper + 1):
            kind = KINDS[number % 3]
            whole = int(rng.choice([1, 2, 3, 4, 5], p=[0.12, 0.13, 0.15, 0.25, 0.35]))
            out.append((f"paper{paper}-r1#{number}", kind, Said(whole, (whole, 4))))
    return out


def noisy(said: Said, rng: np.random.Generator, wrong: float) -> Said:
    """The same with each score moved now and then."""

    def moved(score: int) -> int:
        if rng.random() >= wrong:
            return score
        return int(np.clip(score + rng.choice([-2, -1, 1, 2]), 1, 5))

    return Said(moved(said.whole), (moved(said.premises[0]), moved(said.premises[1])), said.weights)


def point(name: str, kind: PointType, said: Said, **changes: object) -> PointScore:
    """A point as a model's run has it."""
    review = name.partition("#")[0]
    premises = [
        Premise(
            premise_id=f"P{n}",
            text=f"Premise {n} of {name}.",
            formula="p",
            explicit=True,
            verdict=PremiseVerdict(
                source=KnowledgeSource.GIVEN_PAPER,
                factuality=score,
                untrivialness=weight,
                rationale="Section 2 says so.",
            ),
        )
        for n, (score, weight) in enumerate(zip(said.premises, said.weights, strict=True), start=1)
    ]
    argument = kind is PointType.ARGUMENT
    found = advanced(premises) if argument else Advanced(score=float(said.whole))
    values: dict[str, object] = {
        "point_id": name,
        "review_id": review,
        "paper_id": review.partition("-")[0],
        "section": "weaknesses",
        "role": Role.WEAKNESSES,
        "text": f"Point {name}.",
        "span": Span(field="weaknesses", start=int(name.partition("#")[2]) * 100, end=9999),
        "type": kind,
        "status": Status.SCORED,
        "base": said.whole,
        "advanced": found,
        "misinformed": not found.conjunction if argument else said.whole <= 2,
        "verdict": Verdict(scale="factuality", score=said.whole, rationale="Because of 3.1."),
        "evidence": (Evidence(quote="a", start=0, end=1, verified=True),),
        "argument": _argument(tuple(premises)) if argument else None,
        "judge": "openai/imagined",
        "reviewscore_version": "0.1.0",
    }
    return PointScore.model_validate(values | changes)


def _argument(premises: tuple[Premise, ...]) -> Argument:
    proof = Proof(validity=Validity.VALID, needed=tuple(one.premise_id for one in premises))
    rounds = [
        Round(
            number=n,
            premises=premises,
            conclusion="C",
            conclusion_formula="c",
            state=state,
            finding=proof if n > 1 else Proof(validity=Validity.INVALID),
            faithful=n > 1 or None,
        )
        for n, state in ((1, ArgumentState.INVALID), (2, ArgumentState.ACCEPTED))
    ]
    return Argument(
        verbatim_conclusion="C",
        verbatim_reasons=("R",),
        premises=premises,
        conclusion="C",
        conclusion_formula="c",
        state=ArgumentState.ACCEPTED,
        validity=Validity.VALID,
        faithful=True,
        rounds=tuple(rounds),
    )


def rated(score: PointScore, *scores: int) -> PointScore:
    """The point with what the members of a panel said of it."""
    assert score.verdict is not None
    ratings = tuple(Rating(judge=f"j{n}", score=one) for n, one in enumerate(scores))
    return score.model_copy(
        update={"verdict": score.verdict.model_copy(update={"ratings": ratings})}
    )


def run_of(folder: Path, points: Sequence[PointScore], judge: str, **settings: object) -> Path:
    """A finished run folder."""
    made = manifest(judge)
    more = {name: Setting(value=value, origin="flag") for name, value in settings.items()}  # type: ignore[arg-type]
    return write_run(
        folder, points, made=made.model_copy(update={"settings": {**made.settings, **more}})
    )


def judged(
    folder: Path,
    points: Sequence[tuple[str, PointType, Said]],
    *,
    judge: str = "openai/imagined",
    wrong: float = 0.3,
    seed: int = 2,
    **settings: object,
) -> Path:
    """A run whose scores are the truth with errors."""
    rng = np.random.default_rng(seed)
    scored = [point(name, kind, noisy(said, rng, wrong)) for name, kind, said in points]
    return run_of(folder, scored, judge, **settings)


def labels_of(
    points: Sequence[tuple[str, PointType, Said]],
    *,
    annotators: int = 3,
    wrong: float = 0.2,
    seed: int = 3,
) -> list[dict[str, object]]:
    """Labels of annotators who see the truth with errors."""
    rng = np.random.default_rng(seed)
    out: list[dict[str, object]] = []

    def add(unit: str, who: str, field: str, value: object) -> None:
        out.append(
            {
                "unit_id": unit,
                "annotator": who,
                "annotator_kind": "human",
                "field": field,
                "value": value,
            }
        )

    for name, kind, said in points:
        for number in range(1, annotators + 1):
            who, seen = f"A{number}", noisy(said, rng, wrong)
            add(name, who, "type", kind.value)
            question = kind is PointType.QUESTION
            add(name, who, "unanswerability" if question else "factuality", seen.whole)
            if kind is PointType.ARGUMENT:
                add(name, who, "faithfulness", 5)
                for n, (score, weight) in enumerate(
                    zip(seen.premises, seen.weights, strict=True), start=1
                ):
                    add(f"{name}/P{n}", who, "source", "given_paper")
                    add(f"{name}/P{n}", who, "factuality", score)
                    add(f"{name}/P{n}", who, "untrivialness", weight)
    return out


def write_labels(folder: Path, labels: Sequence[dict[str, object]], **more: object) -> Path:
    """A set of labels; `more` are other files of it by name, as lists of records."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {"labels": labels, **more}
    for name, records in files.items():
        assert isinstance(records, list | tuple)
        text = "".join(json.dumps(one) + "\n" for one in records)
        (folder / f"{name}.jsonl").write_text(text, "utf-8")
    return folder


def compared_of(
    folder: Path,
    runs: Sequence[Path],
    labels: Sequence[dict[str, object]],
    *,
    resamples: int = 200,
    **more: object,
) -> LabelsAndScores:
    """Runs beside labels that are written into a folder; `more` are other files of the set."""
    path = write_labels(folder / "labels", labels, **more)
    return compare(runs, read_annotations(path), Resampling(resamples=resamples))


def study_of(
    folder: Path,
    runs: Sequence[Path],
    labels: Sequence[dict[str, object]],
    *,
    resamples: int = 200,
    with_calibration: bool = False,
    **more: object,
) -> Study:
    """The study of runs and labels, as `compared_of`."""
    compared = compared_of(folder, runs, labels, resamples=resamples, **more)
    return study(compared, with_calibration=with_calibration)
