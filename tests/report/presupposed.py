"""Invented points of every outcome that looks at presuppositions can have."""

from __future__ import annotations

from statistics import median_low

from reviewscore.judges.presuppositions import passages_of, verdict_of
from reviewscore.schema.paper import Evidence, Missing, Scope, Seen
from reviewscore.schema.point_score import PointScore, Status
from reviewscore.schema.presupposition import (
    NOT_VISIBLE,
    Look,
    Presupposition,
    RemarkPart,
    Supplies,
)
from reviewscore.schema.review import PointKind, PointType, Review
from reviewscore.schema.verdict import Verdict
from tests.report.synthetic import MODEL, PAPER, point, quote

SEEDS = quote("We repeat every run with five seeds")
TUNED = quote("Baselines were tuned with the same budget")
RATE = quote("The learning rate is 0.003")
HARBOURS = quote("on twelve harbours")
ABSENT = Evidence(quote="We tuned nothing at all.", verified=False)
REMARKS = (
    "Every experiment seems to have been run only once.",
    "It is not said how the baselines were tuned, and more of them would be welcome.",
    "Twelve harbours are few.",
    "There are neither error bars nor a study of the learning rate.",
    "The proof of Theorem 4 has a gap.",
    "The formula of the loss is not given.",
    "Are the readings synchronised?",
    "Nothing is said of storms.",
)
REVIEW = Review(
    review_id="tides-r2", paper_id="tides", reviewer="two", fields={"weaknesses": " ".join(REMARKS)}
)


def granted(statement: str, **more: object) -> Presupposition:
    return Presupposition.model_validate(
        {"statement": statement, "true": 4, "central": True} | more
    )


def look(
    *parts: RemarkPart,
    number: int = 1,
    probability: float = 0.9,
    kind: PointKind = PointKind.CRITICISM,
) -> Look:
    return Look(
        judge=MODEL,
        number=number,
        kind=kind,
        type=PointType.CLAIM,
        parts=parts,
        probability=probability,
        rationale=f"What look {number} says.",
    )


def part(standing: int, *known: Presupposition, text: str = "") -> RemarkPart:
    return RemarkPart(text=text, presuppositions=known, standing=standing)


ONCE = granted(
    "The paper reports a single run of each experiment.",
    true=1,
    supplies=Supplies.FULLY,
    nearest=(SEEDS,),
)


def judged(number: int, *looks: Look, scope: Scope = Scope.WHOLE) -> PointScore:
    """A point as looks leave it."""
    verdict = verdict_of(looks, scope=scope)
    standing = median_low([known.standing for known in looks if known.standing is not None])
    return point(
        number,
        REMARKS[number - 1],
        review=REVIEW,
        status=Status.UNKNOWN if verdict.misinformed is None else Status.SCORED,
        kind=verdict.kind,
        type=verdict.type,
        reason=verdict.reason,
        base=standing,
        misinformed=verdict.misinformed,
        supplied=verdict.supplied,
        standing=standing,
        probability=verdict.probability,
        acknowledged=verdict.acknowledged,
        looks=verdict.looks,
        seen=Seen(kind=scope, share=1 if scope is Scope.WHOLE else 0.3, missing=Missing()),
        protocol="presupposition",
        verdict=Verdict(
            scale="standing",
            score=standing,
            rationale="So it was judged.",
            evidence=passages_of(looks),
        ),
        evidence=passages_of(looks),
    )


def presupposed_points() -> list[PointScore]:
    """Misinformed, supplied, stated too, bundled, foreign, invisible, contested, fair."""
    tuned = granted("The paper does not say how baselines were tuned.", supplies=Supplies.MOSTLY,
                    true=2, nearest=(TUNED, ABSENT))  # fmt: skip
    few = granted("The paper uses twelve harbours.", true=5, nearest=(HARBOURS,), acknowledged=True)
    bars = granted("The paper reports no spread of its results.", supplies=Supplies.PARTLY,
                   nearest=(SEEDS,))  # fmt: skip
    rate = granted("The paper does not say which learning rate was used.", true=1,
                   supplies=Supplies.FULLY, nearest=(RATE,))  # fmt: skip
    storms = granted("The paper does not speak of storms.", supplies=Supplies.NO)
    return [
        judged(1, look(part(1, ONCE)), look(part(2, ONCE), number=2)),
        judged(2, look(part(4, tuned, granted("There are few baselines.", central=False)),
                       probability=0.2)),
        judged(3, look(part(5, few), probability=0.1)),
        judged(4, look(part(4, bars, text="neither error bars"), part(1, rate, text="a study"))),
        judged(5, look(part(1, granted("The paper has a Theorem 4.", true=1, foreign=True)))),
        judged(6, look(part(3, granted("The loss is not given.", true=NOT_VISIBLE)))),
        judged(7, look(part(2, ONCE)), look(part(4, bars), number=2)),
        judged(8, look(part(5, storms))),
    ]  # fmt: skip


PAPERS = {"tides": PAPER}.__getitem__
REVIEWS = {REVIEW.review_id: REVIEW}.__getitem__
