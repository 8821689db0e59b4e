"""Which flags to read first: probability x weight in the review x closeness of the decision.

Nothing here changes a verdict: it decides the order of flags, and so which of them a budget shows
openly (`period.budget`). Each of the three parts can be read alone, and stands with the flag.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from statistics import fmean, pstdev
from typing import Literal

from reviewscore.schema.paper import base_paper_id
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.review import PointKind, Role
from reviewscore.schema.scale import FIVE_POINTS
from reviewscore.sources.openreview.forms import ScoreScale, read_score
from reviewscore.sources.strata import ReviewFacts

LEAST_WEIGHT, MOST_WEIGHT = 0.25, 2.0
"""Bounds of a point's weight in its review; 1 where nothing is known of it."""
LEAST_CLOSE = 0.25
"""Closeness of a decision that is as far from open as the scale allows; 1 is wide open."""
OF_SCORE = {1: 0.75, 2: 0.5, 3: 0.25, 4: 0.1, 5: 0.05}
"""Probability that a point is misinformed where its record holds a score alone: a guess that falls
with the score. It orders points; it is no measured share."""
NOT_KNOWN = 0.5
"""Probability where a record holds no score either."""


@dataclass(frozen=True)
class WeightRule:
    """What the words of a point, or the way it stands there, say of its weight.

    Attributes:
        name: What it is.
        factor: By which the weight is multiplied.
        applies: Whether it does, of a point and whether it is the first of the weaknesses.
    """

    name: str
    factor: float
    applies: Callable[[PointScore, bool], bool]


_CONCERN = r"(?:concern|weakness|issue|problem|objection|limitation|flaw|drawback|reservation)s?"
_SCORE = r"(?:score|rating|recommendation|evaluation|assessment|opinion|mind)"
_NOT = r"(?<!not )(?<!no )(?<!n't )(?<!not a )(?<!not an )"
_LEANS = re.compile(
    rf"{_NOT}\b(?:main|major|biggest|primary|key|central|critical|fundamental|fatal"
    rf"|most (?:serious|important|significant)) (?:\w+ )?{_CONCERN}\b"
    r"|\b(?:deal[- ]?breaker|reasons? (?:for|to) reject\w*|reject(?:ing|ed)? because)\b",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    rf"\b(?:would|will|could|may|might|willing to|happy to|open to|consider) (?:\w+ )?"
    rf"(?:rais\w+|increas\w+|chang\w+|improv\w+|updat\w+|reconsider\w*|adjust\w*) "
    rf"(?:my|the) (?:\w+ )?{_SCORE}\b",
    re.IGNORECASE,
)
_MINOR = re.compile(
    rf"{_NOT}\b(?:minor|nit(?:s|picks?|picking)?|typos?|cosmetic|grammar|formatting"
    r"|small (?:comment|remark|suggestion)s?)\b",
    re.IGNORECASE,
)
_BOLD = re.compile(r"\s*(?:\*\*|__)\w")
RULES = (
    WeightRule("the rating leans on it", 2.0, lambda point, _: bool(_LEANS.search(_own(point)))),
    WeightRule("an answer would change the score", 2.0,
               lambda point, _: bool(_CHANGES.search(_around(point)))),
    WeightRule("minor by the reviewer's words", 0.5,
               lambda point, _: bool(_MINOR.search(_own(point)))),
    WeightRule("first of the weaknesses", 1.25, lambda _, first: first),
    WeightRule("set in bold", 1.25, lambda point, _: bool(_BOLD.match(point.text))),
    WeightRule("asks, and criticises nothing", 0.8,
               lambda point, _: point.kind in (PointKind.QUESTION, PointKind.REQUEST)),
)  # fmt: skip
"""All rules of `rule_weight`. The factors are a table to argue about, fitted to nothing."""

Order = Literal["worth", "standing"]
"""``worth`` ranks by the product of the three; ``standing`` by standing, then probability."""


@dataclass(frozen=True)
class RankedFlag:
    """A point with what decides its rank.

    Attributes:
        point: The point.
        probability: That it is misinformed, 0..1.
        weight: What it weighs in its review, 0.25..2.
        closeness: How open the decision on its paper is, 0.25..1.
    """

    point: PointScore
    probability: float
    weight: float
    closeness: float

    @property
    def worth(self) -> float:
        """Probability x weight x closeness."""
        return self.probability * self.weight * self.closeness


def rank_flags(
    points: Iterable[PointScore],
    close: Mapping[str, float] | None = None,
    *,
    weights: Mapping[str, float] | None = None,
    order: Order = "worth",
    every: bool = False,
) -> list[RankedFlag]:
    """The flags among points, the one to read first first.

    Args:
        points: All points of the reviews, flags and others: which is first in its review is told
            by all of them. Of those that are no flag nothing is kept.
        close: How open decisions are by paper (`closeness_of_papers`); 1 of others.
        weights: What a model or a person that read the review says that points weigh, by point
            id; the rules say it of the others.
        order: ``standing`` is for the protocol of presuppositions, whose rank it is.
        every: Rank all points that a judge scored, flags or not.

    Returns:
        Points that are called misinformed, ranked the same whatever the order they came in. Flags
        that no verified quote stands behind come last: nobody should rely on them.
    """
    kept: list[PointScore] = []
    first: dict[str, tuple[int, str]] = {}
    for point in points:
        if not point.is_point or point.finding is not None:
            continue
        if point.role in (Role.WEAKNESSES, Role.MIXED):
            place = (point.ordinal, point.point_id)
            first[point.review_id] = min(place, first.get(point.review_id, place))
        if point.misinformed or every:
            kept.append(point)
    leading = {point_id for _, point_id in first.values()}
    given, open_ = weights or {}, close or {}

    def weight(point: PointScore) -> float:
        known = given.get(point.point_id)
        return rule_weight(point, first=point.point_id in leading) if known is None else _in(known)

    ranked = (
        RankedFlag(
            point, probability(point), weight(point), open_.get(base_paper_id(point.paper_id), 1.0)
        )
        for point in kept
    )
    key = _by_standing if order == "standing" else _by_worth
    return sorted(ranked, key=lambda flag: (not every and flag.point.unquoted, key(flag)))


_Key = tuple[float | str, ...]


def _by_worth(flag: RankedFlag) -> _Key:
    return (-flag.worth, *_by_standing(flag))


def _by_standing(flag: RankedFlag) -> _Key:
    point = flag.point
    standing = point.standing or point.min_score or FIVE_POINTS.middle
    place = (point.paper_id, point.review_id, point.ordinal, point.point_id)
    return (standing, -flag.probability, *place)


def probability(point: PointScore) -> float:
    """The probability that a point is misinformed, 0..1.

    The judge's own where its protocol asks for one, else the one that calibration made of human
    labels, else `OF_SCORE` of its lowest score; `NOT_KNOWN` without any.
    """
    if point.probability is not None:
        return point.probability
    if point.calibrated is not None and point.calibrated.probability is not None:
        return point.calibrated.probability
    score = point.standing or point.min_score
    return NOT_KNOWN if score is None else OF_SCORE[score]


def rule_weight(point: PointScore, *, first: bool = False) -> float:
    """What a point weighs in its review by the rules, 0.25..2; 1 where none applies.

    Args:
        point: The point.
        first: Whether it is the first of its review's weaknesses.
    """
    factors = (rule.factor for rule in RULES if rule.applies(point, first))
    return _in(prod(factors))


def _in(weight: float) -> float:
    """A weight within its bounds."""
    return min(MOST_WEIGHT, max(LEAST_WEIGHT, weight))


def _own(point: PointScore) -> str:
    return "\n".join((point.section, point.context, point.text))


def _around(point: PointScore) -> str:
    """Its words and the sentences around: that an answer counts is often a sentence of its own."""
    near = point.neighbours
    return _own(point) if near is None else "\n".join((_own(point), near.before, near.after))


def closeness(ratings: Sequence[float], scale: ScoreScale) -> float:
    """How open the decision on a paper is, by its ratings.

    1 where their mean is no farther from the middle of the scale than they are spread (their
    standard deviation), falling evenly to `LEAST_CLOSE` at the ends of the scale. The middle
    stands for the border between acceptance and rejection, which no form tells.

    Args:
        ratings: Of one paper; none is as open as can be.
        scale: What the form allows.
    """
    half = (scale.high - scale.low) / 2
    if not ratings or half <= 0:
        return 1.0
    away = abs(fmean(ratings) - (scale.low + half)) - pstdev(ratings)
    return 1.0 - (1.0 - LEAST_CLOSE) * min(1.0, max(0.0, away / half))


def closeness_of_papers(reviews: Mapping[str, ReviewFacts]) -> dict[str, float]:
    """`closeness` by paper id, of papers whose reviews have ratings.

    Reviews of forms that name no scale share one, from the least to the greatest rating among
    them. A paper rated on two scales is as open as on the one where it is more so. Reviews of all
    versions of a paper count together.

    Args:
        reviews: Ratings by review id (`sources.strata.read_review_facts`); all reviews of the
            venue, since the scale of a form that does not tell is the range of what they gave.
    """
    ratings: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for facts in reviews.values():
        score = read_score(facts.scores.get("rating"), None)
        if score is not None and score.value is not None:
            paper_id = base_paper_id(facts.paper_id)
            ratings[facts.scales.get("rating", "")][paper_id].append(score.value)
    close: dict[str, float] = {}
    for words, papers in ratings.items():
        values = tuple(sorted({value for given in papers.values() for value in given}))
        low, _, high = words.partition(" to ")
        scale = ScoreScale((float(low), float(high)) if high else values)
        for paper, given in papers.items():
            close[paper] = max(close.get(paper, 0.0), closeness(given, scale))
    return close
