"""Invented runs by presuppositions and labels of standing, kind and presuppositions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from reviewscore.schema.point_score import PointScore
from reviewscore.schema.review import PointKind, PointType
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


def run_by_presuppositions(folder: Path, scored: Sequence[PointScore]) -> Path:
    """Its run folder."""
    made = manifest("openai/imagined")
    decisive = {**made.decisive, "protocol": "presupposition"}
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
