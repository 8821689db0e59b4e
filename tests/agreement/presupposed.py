"""Invented runs by presuppositions and labels of standing, kind and presuppositions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from reviewscore.schema.point_score import PointScore
from reviewscore.schema.presupposition import Look
from reviewscore.schema.review import PointKind, PointType
from reviewscore.schema.verdict import Rating
from tests.agreement.invented import Said, point
from tests.report.synthetic import manifest, write_run

KINDS = {
    PointType.QUESTION: "question",
    PointType.CLAIM: "request",
    PointType.ARGUMENT: "criticism",
}
Truth = Sequence[tuple[str, PointType, Said]]


def stated(true: int | str, *, central: bool = True, passage: bool = True) -> dict[str, object]:
    """A presupposition as a line of a set has it."""
    places = [{"start": 0, "end": 4, "sha256": "0" * 64}] if passage else []
    words = "There is no ablation."
    return {"statement": words, "true": true, "central": central, "passages": places}


def by_presuppositions(name: str, kind: PointType, standing: int, *, supplied: bool) -> PointScore:
    """A point as a run by presuppositions has it; flagged if it is supplied and would not stand."""
    made = point(
        name,
        kind,
        Said(standing),
        advanced=None,
        argument=None,
        misinformed=supplied and standing <= 2,
        supplied=supplied,
        standing=standing,
        probability=(5 - standing) / 4,
        acknowledged=False,
        protocol="presupposition",
    )
    return made.model_copy(update={"kind": PointKind(KINDS[kind])})


def with_proof(scored: PointScore, judge: str = "openai/imagined") -> PointScore:
    """The point with an argument beside its look, as ``presupposition+proof`` has it.

    All ratings of its premises differ; no verdict rests on them.
    """
    assert scored.type is not None
    assert scored.kind is not None
    beside = point(scored.point_id, PointType.ARGUMENT, Said(3, (1, 5))).argument
    assert beside is not None
    ratings = (Rating(judge=judge, score=1), Rating(judge="openai/other", score=5))
    premises = tuple(
        premise.model_copy(
            update={"verdict": premise.verdict.model_copy(update={"ratings": ratings})}
        )
        for premise in beside.premises
        if premise.verdict is not None
    )
    look = Look(judge=judge, kind=scored.kind, type=scored.type, probability=0.5,
                rationale="The text names it.")  # fmt: skip
    argument = beside.model_copy(update={"premises": premises})
    return scored.model_copy(update={"argument": argument, "looks": (look,)})


def run_by_presuppositions(
    folder: Path, scored: Sequence[PointScore], protocol: str = "presupposition"
) -> Path:
    """Its run folder."""
    made = manifest("openai/imagined")
    decisive = {**made.decisive, "protocol": protocol}
    return write_run(folder, scored, made=made.model_copy(update={"decisive": decisive}))


def labels_of_standing(
    points: Truth, *, scores: bool = True, annotators: Sequence[str] = ("A1", "A2")
) -> list[dict[str, object]]:
    """Labels of annotators of one mind: the truth is the standing, the score one more."""
    lines: list[dict[str, object]] = []
    for name, kind, said in points:
        for who in annotators:
            same = {"unit_id": name, "annotator": who, "annotator_kind": "human"}
            given: dict[str, object] = {
                "type": kind.value, "kind": KINDS[kind], "standing": said.whole,
                "presuppositions": [stated(1 if said.whole <= 2 else 5)],
            }  # fmt: skip
            question = kind is PointType.QUESTION
            if scores:
                field = "unanswerability" if question else "factuality"
                given[field] = min(5, said.whole + 1)
            lines += [{**same, "field": field, "value": value} for field, value in given.items()]
    return lines
