"""Judged trials that are made up: what a judge said of invented planted points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reviewscore.schema.paper import Evidence
from reviewscore.schema.planted_point import PlantedPoint
from reviewscore.schema.point_score import PointScore, Status
from reviewscore.schema.review import PointKind, PointType, Role
from reviewscore.schema.span import Span
from reviewscore.schema.validation import ValidationRecord
from reviewscore.schema.verdict import Finding
from reviewscore.stats.resampling import Resampling
from reviewscore.validation.families import Families
from reviewscore.validation.figures import (
    PlantedValidation,
    by_stratum,
    headings,
    result,
    sections_of,
    stratum_of,
)
from reviewscore.validation.judgments import JudgedTrial, TrialState
from reviewscore.validation.page import sentence
from reviewscore.validation.reliability import reliability_of
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


def validation(
    rows: Sequence[JudgedTrial], *, judge: str = "any/model", items: str = "1" * 64, **changes: Any
) -> PlantedValidation:
    """All numbers of a validation of made-up judgments."""
    how = Resampling(200, 0, "papers")
    trials = [
        made.model_copy(update={"version": f"{made.item} {made.misinformed}"})
        for made in map(result, rows)
    ]
    sections = sections_of(rows, embedded=False, how=how)
    titles, kinds, meanings = headings(embedded=False)
    _, main, *_ = by_stratum(rows, lambda one: stratum_of(one.trial.point))
    head = sections[0].groups[0]
    record = ValidationRecord(
        judge=judge, at="2026-01-02T03:04:05+00:00", made_with="0" * 64, items_sha256=items,
        items=head.items, papers=head.papers, shares={},
        sentence=sentence(sections, embedded=False),
    )  # fmt: skip
    known: dict[str, Any] = {
        "record": record, "embedded": False, "protocol": "paper", "complete": True,
        "sections": sections, "titles": titles, "kinds": kinds, "meanings": meanings,
        "states": {}, "scores": {}, "reliability": reliability_of(main, how), "several": 0,
        "refuted": 0, "left_out": (), "families": Families(writer=(), verifier=(), judge=()),
        "resamples": 200, "seed": 0, "level": 0.95, "trials": tuple(trials),
    }  # fmt: skip
    return PlantedValidation(**{**known, **changes})
