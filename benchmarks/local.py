"""How well a small model on this machine tells misinformed points from fair ones, by excerpts.

Real points: of the open half of `annotations/points-dev`, those that both readers call
misinformed, and as many that both call fair, of the same papers as far as there are. Planted ones:
of `annotations/planted`, those whose truths were confirmed, about the paper as it is
(misinformed) and about the paper without the answer (fair). Each is judged by the pipeline of
`audit` (``--score base --protocol economy --context excerpts``), one after the other, its type
taken as a model that splits a review gives it. The texts are not part of this repository:

    python -m benchmarks.local --model qwen-coder-1.5b --servers .venv-local -o FOLDER

What was judged stands in FOLDER, a line a point, without texts; the same command again goes on.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import places
from benchmarks.llama_servers import KINDS, MODELS, LlamaServer, fetched, serving
from benchmarks.measure import SHARED, head, row, skip
from benchmarks.planted import FILES, PLANTED
from benchmarks.points_measured import LABELS, READERS, reviews_of, sources_of
from reviewscore.agreement.segmentation import Piece, matches
from reviewscore.config import Settings
from reviewscore.judges.model_judges import open_judges
from reviewscore.llm.ledger.database import Ledger
from reviewscore.papers.load import PaperRow, build_paper
from reviewscore.papers.parts import shown as shown_parts
from reviewscore.runs.scoring import score_by_settings
from reviewscore.schema.paper import Paper
from reviewscore.schema.planted_point import PlantedForm, PlantedPoint
from reviewscore.schema.point_label import PointLabel
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.review import PointType, Review, ReviewPoint, Role
from reviewscore.schema.span import Span
from reviewscore.sources.collection import read_papers
from reviewscore.sources.point_labels import read_point_labels, reviews_named
from reviewscore.stats.estimates import BootstrapPlan, Estimate
from reviewscore.stats.metrics import roc_area
from reviewscore.stats.resampling import Clusters, Resampling
from reviewscore.stats.shares import plan_of_papers, share
from reviewscore.stats.statistic import Floats
from reviewscore.stats.tables import shown
from reviewscore.validation.planted import cut, read_planted

REAL, PLANTED_POINTS = 30, 40
"""Real points of each kind; planted points, each in two versions of its paper."""
REPLY_TOKENS, CONTEXT = 512, 4_224
"""Tokens of a reply, and of prompt and reply together: some 1,500 are left for excerpts."""
SERVED = 8_192
"""Tokens that the server is started with: a reply that is cut off is asked for with more room."""
HOW = Resampling(resamples=2000, scheme="papers")
MIDDLE = 3.0
"""Where a point without a score stands among the others."""


@dataclass(frozen=True)
class Case:
    """A point that is judged, and what is known of it.

    Attributes:
        name: Its identifier.
        point: The point.
        paper: Its paper as judges see it.
        misinformed: Whether it is; False if it is fair.
    """

    name: str
    point: ReviewPoint
    paper: Paper
    misinformed: bool


@dataclass(frozen=True)
class Judgment:
    """What came of a case; a line of the file of results.

    Attributes:
        name: Of the case.
        paper_id: Its paper.
        misinformed: Whether it is.
        given: Score 1..5 that the judge gave, whether excerpts can show it or not; None if none.
        score: The score that counts; None if none.
        status: Of the record.
        type: The point's type, as the first reader took it.
        seconds: Until it was judged.
        replies: Replies that were read.
        unusable: Those of them that held no record.
        read: Tokens of prompts.
        written: Tokens of replies.
    """

    name: str
    paper_id: str
    misinformed: bool
    given: int | None
    score: int | None
    status: str
    type: str | None
    seconds: float
    replies: int
    unusable: int
    read: int
    written: int


def agreed_points(labels: Sequence[Sequence[PointLabel]], reviews: dict[str, Review]) -> Any:
    """Points that both readers marked and agree on: the first reader's labels, by misinformed."""
    pieces = [
        [Piece.of(label.review_id, reviews[label.review_id].fields, label.spans) for label in of]
        for of in labels
    ]
    agreed: dict[bool, list[PointLabel]] = {True: [], False: []}
    for left, right in matches(*pieces):
        first, second = labels[0][left].misinformed, labels[1][right].misinformed
        if first is not None and first is second:
            agreed[first].append(labels[0][left])
    return agreed


def drawn_by(name: str) -> str:
    """An order of points that nobody has chosen."""
    return hashlib.sha256(f"benchmarks.local:{name}".encode()).hexdigest()


def drawn(labels: dict[bool, list[PointLabel]], most: int) -> list[PointLabel]:
    """So many misinformed points, and as many fair ones of the same papers where there are.

    The order is that of the SHA-256 of their words, which nobody has chosen.
    """

    def order(label: PointLabel) -> str:
        return drawn_by(f"{label.review_id}:{label.spans[0].sha256}")

    misinformed = sorted(labels[True], key=order)[:most]
    left = sorted(labels[False], key=order)
    fair: list[PointLabel] = []
    for label in misinformed:
        same = next((one for one in left if one.paper_id == label.paper_id), left[0])
        left.remove(same)
        fair.append(same)
    # One of each kind in turn, so that a run that was stopped is balanced too.
    return [label for pair in zip(misinformed, fair, strict=True) for label in pair]


def point_of(label: PointLabel, review: Review) -> ReviewPoint:
    """A labelled point as a model that splits a review gives it, with its type."""
    first, *others = label.spans
    return ReviewPoint(
        review_id=label.review_id,
        paper_id=label.paper_id,
        section=first.field,
        role=Role.QUESTIONS if "question" in first.field else Role.WEAKNESSES,
        text=review.fields[first.field][first.start : first.end],
        span=Span(field=first.field, start=first.start, end=first.end),
        kind=label.kind,
        type=label.type,
        context=" ".join(review.fields[span.field][span.start : span.end] for span in others),
    )


def real_cases(most: int) -> list[Case]:
    """The real points; none where the data are not at hand."""
    files = {reader: LABELS / "open" / f"submissions-{reader}.jsonl" for reader in READERS}
    reviews = reviews_of(reviews_named(files.values()), sources_of(files.values()).values(), SHARED)
    if not reviews:
        return []
    sets = [read_point_labels([file], reviews, name=reader) for reader, file in files.items()]
    labels = [[label for label in one.labels if label.is_point] for one in sets]
    papers = {name: shown_parts(paper, "auto") for name, paper in places.papers().items()}
    return [
        Case(
            f"{label.review_id}:{label.spans[0].field}:{label.spans[0].start}",
            point_of(label, reviews[label.review_id]),
            papers[label.paper_id],
            bool(label.misinformed),
        )
        for label in drawn(agreed_points(labels, reviews), most)
    ]


def planted_cases(most: int, file: Path = PLANTED / "open.jsonl") -> list[Case]:
    """Planted points in both versions of their papers, of those whose truths were confirmed.

    Remarks about another paper have one version alone and are left out. Points without the data
    of their paper are said.
    """
    papers = {
        source: read_papers(SHARED / name).papers
        for source, name in FILES.items()
        if (SHARED / name).is_file()
    }
    cases: list[Case] = []
    for point in sorted(read_planted(file).points, key=lambda point: drawn_by(point.id)):
        sure = point.confirmed is not None and point.confirmed.beyond_doubt
        if not sure or point.form is PlantedForm.ANOTHER_PAPER or len(cases) >= 2 * most:
            continue
        handle = papers.get(point.source, {}).get(point.paper_id)
        if handle is None:
            print(f"left out: {point.id}: its paper is not in the data")
            continue
        paper = handle.load()
        without = build_paper(
            PaperRow(paper_id=paper.paper_id, title=paper.title, text=cut(paper.text, point))
        )
        for version, about, misinformed in (("whole", paper, True), ("cut", without, False)):
            shown_paper = shown_parts(about, "auto")
            cases.append(
                Case(f"{point.id}:{version}", planted_point(point), shown_paper, misinformed)
            )
    return cases


def planted_point(point: PlantedPoint) -> ReviewPoint:
    """A planted remark as a point of a review that holds nothing else."""
    question = point.form is PlantedForm.QUESTION
    argument = point.form is PlantedForm.ARGUMENT
    section = "questions" if question else "weaknesses"
    return ReviewPoint(
        review_id=f"{point.paper_id}-planted",
        paper_id=point.paper_id,
        section=section,
        role=Role.QUESTIONS if question else Role.WEAKNESSES,
        text=point.remark,
        span=Span(field=section, start=0, end=len(point.remark)),
        type=PointType.QUESTION
        if question
        else PointType.ARGUMENT
        if argument
        else PointType.CLAIM,
    )


def settings_for(server: LlamaServer, ledger: Path) -> Settings:
    """How points are judged: one question a point, its type taken as the split gave it."""
    model, address = server.flags[1], server.flags[3]
    return Settings(
        model=model,
        base_url=address,
        protocol="economy",
        score="base",
        context="excerpts",
        context_tokens=CONTEXT,
        max_tokens=REPLY_TOKENS,
        max_connections=1,
        timeout=3600.0,
        cache_dir=ledger,
    )


async def judge(cases: Iterable[Case], settings: Settings, out: Path) -> None:
    """Judge cases one after the other, and write down what comes of each."""
    ledger = await asyncio.to_thread(Ledger, settings.ledger_place, run="benchmarks.local")
    try:
        async with open_judges(settings, ledger) as (judges, client):
            assert client is not None
            for case in cases:
                before, calls = replace(client.traffic), await ledger.paid()
                began = time.perf_counter()
                record = await score_by_settings(
                    case.point, case.paper, judges, settings, response=None, calibration=None
                )
                seconds, after = time.perf_counter() - began, await ledger.paid()
                judgment = Judgment(
                    case.name, case.paper.paper_id, case.misinformed, *scores_of(record),
                    record.status.value, None if record.type is None else record.type.value,
                    round(seconds, 2), client.traffic.replies - before.replies,
                    client.traffic.unusable - before.unusable,
                    after.input_tokens - calls.input_tokens,
                    after.output_tokens - calls.output_tokens,
                )  # fmt: skip
                with out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(judgment)) + "\n")
                print(judgment, flush=True)
    finally:
        ledger.close()


def scores_of(record: PointScore) -> tuple[int | None, int | None]:
    """The score that the judge gave, and the one that counts."""
    verdict = record.verdict
    if verdict is None:
        return None, record.base
    return (verdict.score if verdict.score is not None else verdict.on_excerpts), record.base


def judgments_in(path: Path) -> list[Judgment]:
    """What is judged already."""
    if not path.is_file():
        return []
    return [Judgment(**json.loads(line)) for line in path.read_text("utf-8").splitlines()]


def figures(judgments: Sequence[Judgment]) -> dict[str, Estimate]:
    """Area, sensitivity and specificity, with intervals by paper.

    The area goes by the score, the lowest first; without a score a point stands in the middle.
    For sensitivity and specificity a point is flagged whose score counts and is 1 or 2, so that a
    point without one is not flagged.
    """
    meant = np.array([float(one.misinformed) for one in judgments])
    given, counted = (
        np.array([MIDDLE if score is None else float(score) for score in column])
        for column in zip(*((one.given, one.score) for one in judgments), strict=True)
    )
    clusters = Clusters.by([one.paper_id for one in judgments])
    units, papers = BootstrapPlan(clusters, HOW), plan_of_papers(len(clusters), HOW)

    def by_paper(column: Floats) -> Floats:
        return np.bincount(clusters.of, column, minlength=len(clusters))

    slots = {
        "area by the score given": units.ask(roc_area(meant, -given)),
        "area by the score that counts": units.ask(roc_area(meant, -counted)),
    }
    for name, scores in (("given", given), ("counts", counted)):
        flagged = (scores < MIDDLE).astype(float)
        hits, clear = by_paper(flagged * meant), by_paper((1 - flagged) * (1 - meant))
        wrong, fair = by_paper(meant), by_paper(1 - meant)
        slots[f"sensitivity, {name}"] = papers.ask(share("share", hits, wrong))
        slots[f"specificity, {name}"] = papers.ask(share("share", clear, fair))
    units.run()
    papers.run()
    return {name: slot.answer for name, slot in slots.items()}


def report(judgments: Sequence[Judgment], title: str) -> None:
    """Print the figures."""
    head(title)
    papers = len({one.paper_id for one in judgments})
    bad = sum(one.misinformed for one in judgments)
    row(
        "points",
        f"{bad} misinformed, {len(judgments) - bad} fair, of {papers} papers",
        "",
        None,
        "",
    )
    for name, estimate in figures(judgments).items():
        row(name, shown(estimate), "0.50" if name.startswith("area") else "", None, "")
    replies, unusable = (sum(getattr(one, name) for one in judgments)
                         for name in ("replies", "unusable"))  # fmt: skip
    row("replies that could not be used", f"{unusable} of {replies}", "", None, "")
    none = sum(one.given is None for one in judgments)
    lost = sum(one.score is None for one in judgments) - none
    row("points without a score", f"{none}; {lost} whose score does not count", "", None, "")
    fresh = [one for one in judgments if one.read]
    for name, unit in (("seconds", "s"), ("read", "tokens"), ("written", "tokens")):
        values = [getattr(one, name) for one in fresh]
        row(f"{name} a point, median", f"{np.median(values):,.0f} {unit}", "", None, "")


def main() -> None:
    """Judge what is not judged yet, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", choices=sorted(MODELS), default="qwen-coder-1.5b")
    parser.add_argument("--servers", type=Path, default=Path(".venv-local"))
    parser.add_argument("--kind", choices=KINDS, default=KINDS[0])
    parser.add_argument("--real", type=int, default=REAL, help="real points of each kind")
    parser.add_argument("--planted", type=int, default=PLANTED_POINTS, help="planted points")
    parser.add_argument("--file", type=Path, default=PLANTED / "open.jsonl", help="planted points")
    parser.add_argument("-o", "--output", type=Path, default=Path("runs/local"))
    arguments = parser.parse_args()
    place, out = arguments.servers.resolve(), arguments.output.resolve()
    out.mkdir(parents=True, exist_ok=True)
    sets = {
        "real": real_cases(arguments.real) if arguments.real else [],
        "planted": planted_cases(arguments.planted, arguments.file) if arguments.planted else [],
    }
    if not any(sets.values()):
        skip("this needs the papers of the points")
        return
    fetched(arguments.model, place / "models")
    with serving(
        arguments.kind, place, arguments.model, context=SERVED, log=out / "server.log"
    ) as server:
        settings = settings_for(server, out / "ledger")
        for name, cases in sets.items():
            file = out / f"{name}.jsonl"
            done = {judgment.name for judgment in judgments_in(file)}
            left = [case for case in cases if case.name not in done]
            asyncio.run(judge(left, settings, file))
    for name, cases in sets.items():
        names = {case.name for case in cases}
        judged = [one for one in judgments_in(out / f"{name}.jsonl") if one.name in names]
        if judged:
            report(judged, f"{name} points judged by {arguments.model}, by excerpts")


if __name__ == "__main__":
    main()
