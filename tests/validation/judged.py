"""Judged trials that are made up: what a judge said of invented planted points."""

from __future__ import annotations

from typing import Any

from reviewscore.schema.paper import Evidence
from reviewscore.schema.planted_point import PlantedPoint
from reviewscore.schema.point_score import PointScore, Status
from reviewscore.schema.review import PointKind, PointType, Role
from reviewscore.schema.span import Span
from reviewscore.schema.verdict import Finding
from reviewscore.validation.judgments import JudgedTrial, TrialState
from reviewscore.validation.trials import PlantedTrial
from tests.validation.invented import given, point

PASSAGE = given()["passages"][0]


def quote(shift: int = 0) -> Evidence:
    """A verified passage, moved away from the answer."""
    start, end = PASSAGE["start"] + shift, PASSAGE["end"] + shift
    return Evidence(quote="some words", start=start, end=end, verified=True)


def score(misinformed: bool | None = None, **changes: Any) -> PointScore:
    """A point's score by a model."""
    status = Status.UNKNOWN if misinformed is None else Status.SCORED
    base = {None: None, True: 2, False: 4}[misinformed]
    known = {
        "point_id": "r.1", "review_id": "r", "paper_id": "p", "number": 1, "section": "weaknesses",
        "role": Role.WEAKNESSES, "text": "Why?", "span": Span(field="weaknesses", start=0, end=4),
        "type": PointType.CLAIM, "status": status, "base": base, "misinformed": misinformed,
        "judge": "any/model", "reviewscore_version": "1",
    }  # fmt: skip
    return PointScore(**{**known, **changes})


def finding(*passages: Evidence, addressed: bool = False) -> PointScore:
    """A point's finding by the embedded judge."""
    kind = Finding.ADDRESSED if addressed else Finding.PASSAGES
    kind = kind if passages else Finding.CANNOT_JUDGE
    return score(status=Status.UNSCORED, finding=kind, passages=passages, judge="lexical")


def no_point() -> PointScore:
    return score(kind=PointKind.NONE)


def trial(
    *, misinformed: bool = True, characters: int = 1000, of: PlantedPoint | None = None,
    **changes: Any,
) -> PlantedTrial:  # fmt: skip
    meant = of or point(**changes)
    span = Span(field="weaknesses", start=0, end=len(meant.remark))
    answers = tuple((known.start, known.end) for known in meant.passages)
    return PlantedTrial("r", span, meant, misinformed, answers if misinformed else (), characters)


def judged(
    flagged: bool | None, *, misinformed: bool, paper: str = "tides", item: str = "a",
    **changes: Any,
) -> JudgedTrial:  # fmt: skip
    """A trial with a verdict, or of which the judge knew nothing."""
    state = TrialState.UNKNOWN if flagged is None else TrialState.VERDICT
    made = trial(misinformed=misinformed, id=item, paper_id=paper, **changes)
    return JudgedTrial(made, state, (score(flagged),))
