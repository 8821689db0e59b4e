"""Tables: methods beside ratings with paired intervals, and what was scored.

A difference that may be 0 is never called better.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from reviewscore.similarity.affinity import Affinity
from reviewscore.similarity.comparison import MethodComparison
from reviewscore.similarity.goldstandard import (
    CUTOFFS,
    EASY,
    HARD,
    LOSS,
    MRR,
    NDCG,
    PRECISION,
    WKTD,
    WKTD_PRINTED,
    chosen_elsewhere,
    measures,
)
from reviewscore.similarity.pairs import PaperPair
from reviewscore.stats.estimates import BootstrapPlan, Estimate, PendingEstimate
from reviewscore.stats.resampling import Clusters, Resampling
from reviewscore.stats.statistic import Statistic
from reviewscore.stats.tables import Cell, Table

PAPER = "arXiv 2303.16750"
SWEEP, NEAREST, TOP = "similarity-sweep", "similarity-nearest", "similarity-top"
IN_SAMPLE, LEFT_OUT = "in-sample", "leave-participants-out"
CHOSEN = "lowest loss for the others"
_HIGHER_IS_BETTER = (EASY, HARD, MRR, NDCG, PRECISION)
_TOP = (WKTD, WKTD_PRINTED, MRR, NDCG, PRECISION)
BETTER, WORSE, _OPEN = "better", "worse", "not told apart"


@dataclass(frozen=True)
class Honesty:
    """What a reader must know of how the methods came about.

    Attributes:
        tried: How many variants were measured on these participants in all.
        said: Further words of it.
    """

    tried: int
    said: tuple[str, ...] = ()


_Row: TypeAlias = tuple[str, str, str, PendingEstimate, PendingEstimate | None]
"""Measure, method, basis, value, difference to the baseline."""


@dataclass(frozen=True)
class _Rated:
    """A method with its measures."""

    name: str
    basis: str
    measures: dict[str, Statistic]


def tables(
    compared: MethodComparison, baseline: str, how: Resampling, honesty: Honesty, *,
    cutoffs: Sequence[int] = CUTOFFS,
) -> list[Table]:  # fmt: skip
    """Loss, triplets and measures at the top k of all methods, with differences to one of them.

    Args:
        compared: Ratings and methods.
        baseline: The method that others are compared with.
        how: How intervals are made; participants are drawn, the same for all methods.
        honesty: What is said below each table.
        cutoffs: The k of measures at the top k.
    """
    rated = _rated(compared, cutoffs)
    base = next(rating for rating in rated if rating.name == baseline)
    plan = BootstrapPlan(Clusters.by(compared.ratings.participants), replace(how, scheme="papers"))
    planned: list[tuple[str, str, tuple[str, ...]]] = [
        ("similarity-loss", f"Loss ({PAPER}, Table 3)", (LOSS,)),
        ("similarity-triplets", f"Share of triplets in the right order ({PAPER}, Table 5)",
         (EASY, HARD)),
    ]  # fmt: skip
    planned += [
        (f"{TOP}-{k}", f"Measures at the top {k} ({PAPER}, app. C)",
         tuple(f"{name}@{k}" for name in _TOP))
        for k in cutoffs
    ]  # fmt: skip

    def asked(rating: _Rated, measure: str) -> _Row:
        value = rating.measures[measure]
        minus = None if rating is base else plan.ask(value, minus=base.measures[measure])
        return measure, rating.name, rating.basis, plan.ask(value), minus

    each = [
        [asked(rating, measure) for measure in names for rating in rated] for _, _, names in planned
    ]
    plan.run()
    notes = _notes(compared, baseline, honesty)
    return [
        Table(
            name,
            title,
            ("measure", "method", "basis", "value", f"difference to {baseline}", "finding"),
            tuple((*row, _finding(row, how.level)) for row in rows),
            keys=2,
            notes=(*_MEANING.get(name, _AT_TOP), *notes),
        )
        for (name, title, _), rows in zip(planned, each, strict=True)
    ]


_MEANING = {
    "similarity-loss": (
        "Loss: 0 best, 0.5 chance, 1 worst; pairs of papers in the wrong order, weighted by how "
        "far apart their ratings are, ties half.",
    ),
    "similarity-triplets": (
        "Easy: expertise of 4 or more in one paper and of 2 or less in the other. Hard: 4 or more "
        "in both. Ties of similarities count as wrong. Higher is better.",
    ),
}
_AT_TOP = (
    "WKTD (lower is better) is the loss of pairs that touch the method's first papers, as the "
    "published figures are; 'printed' is that of pairs that touch the participant's, as the paper "
    "defines it. MRR, NDCG, precision: higher is better.",
)


def _rated(compared: MethodComparison, cutoffs: Sequence[int]) -> list[_Rated]:
    ratings, similarity = compared.ratings, compared.similarity
    found = [
        _Rated(name, IN_SAMPLE, one)
        for name, one in zip(compared.names, measures(ratings, similarity, cutoffs), strict=True)
    ]
    if len(found) > 1 and len(ratings.participants) > 1:
        elsewhere, _ = chosen_elsewhere(ratings, similarity)
        statistics = measures(ratings, elsewhere[np.newaxis], cutoffs)[0]
        found.append(_Rated(CHOSEN, LEFT_OUT, statistics))
    return found


def _finding(row: _Row, level: float) -> str:
    measure, _, _, _, difference = row
    if difference is None:
        return "baseline"
    return finding_of(difference.answer, higher_is_better=higher_is_better(measure), level=level)


def higher_is_better(measure: str) -> bool:
    """Whether a higher value of a measure is the better one; of losses the lower is."""
    return measure.startswith(_HIGHER_IS_BETTER)


def finding_of(difference: Estimate, *, higher_is_better: bool, level: float = 0.95) -> str:
    """What a difference shows: nothing if its interval contains 0, or chance may do as much."""
    low, high = difference.low, difference.high
    if low is None or high is None or low <= 0.0 <= high:
        return _OPEN
    if difference.p is not None and difference.p >= 1.0 - level:
        return _OPEN
    return BETTER if (low > 0.0) is higher_is_better else WORSE


def _notes(compared: MethodComparison, baseline: str, honesty: Honesty) -> tuple[str, ...]:
    people, pairs = len(compared.ratings.participants), len(compared.ratings.pairs)
    several = max(compared.versions)
    said = [
        f"{pairs:,} ratings by {people:,} participants; values are means over "
        f"{several} {'versions' if several > 1 else 'version'} of the profiles. Participants are "
        f"drawn with replacement, the same for all methods; a difference is paired, and one whose "
        "interval contains 0, or whose permutation p is not below 1 - level, is called neither "
        "better nor worse.",
        f"Variants tried on these participants: {honesty.tried:,}. Rows in-sample tell nothing of "
        "the choice among them.",
    ]
    if len(compared.names) > 1:
        said.append(
            "Leave-participants-out: for each participant, the one of these "
            f"{len(compared.names)} methods with the lowest loss for all other participants."
        )
    return (*said, *honesty.said, *compared.notes[-1:])  # all of them are on the page once


SHOWN = 20
"""Submissions that are shown; the files have all."""
NEAREST_SHOWN = 3
_LISTED = 50
_METHODS = (
    "Similarities say which reviewers' papers are nearer to a submission than others', on a scale "
    "of the method's own. They judge texts, not people: on people's own ratings the best methods "
    "put one pair of papers in five in the wrong order."
)


def overview(
    scored: Sequence[tuple[str, Affinity]],
    nearest: Mapping[str, Sequence[PaperPair]],
    conflicts: Sequence[int],
) -> list[Table]:
    """Tables of a set of scores.

    Args:
        scored: Versions of the profiles, and what was compared.
        nearest: Of some submissions of the first version, reviewers nearest first.
        conflicts: Of each version, pairs of a reviewer and a submission of their own.
    """
    rows: list[tuple[Cell, ...]] = []
    for (version, affinity), own in zip(scored, conflicts, strict=True):
        rows.append(
            (affinity.recipe.name, version, len(affinity.submissions), len(affinity.reviewers),
             sum(map(len, affinity.papers)), len(affinity.unread.submissions),
             len(affinity.unread.reviewers), own)
        )  # fmt: skip
    found = [
        Table(
            "similarity-scored",
            "What was compared",
            ("method", "version", "submissions", "reviewers", "papers of profiles",
             "submissions without a score", "reviewers without a score", "own papers"),
            tuple(rows),
            keys=2,
            notes=("Own papers: submissions that stand in a reviewer's own profile.",),
        )
    ]  # fmt: skip
    why = dict.fromkeys(
        (kind, name, reason)
        for _, one in scored
        for kind, some in (("submission", one.unread.submissions),
                           ("reviewer", one.unread.reviewers))
        for name, reason in some.items()
    )  # fmt: skip
    if why:
        more = f" The first {_LISTED} of {len(why):,}." if len(why) > _LISTED else ""
        found.append(
            Table(
                "similarity-unread",
                "Without a score",
                ("kind", "name", "why"),
                tuple(list(why)[:_LISTED]),
                keys=2,
                notes=(f"No score is not a score of 0.{more}",),
            )
        )
    found.append(_nearest(scored[0][1], nearest))
    return found


def _nearest(affinity: Affinity, nearest: Mapping[str, Sequence[PaperPair]]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for submission, some in nearest.items():
        for pair in some[:NEAREST_SHOWN]:
            papers = affinity.nearest(submission, pair.reviewer, 2)
            rows.append(
                (submission, pair.reviewer, f"{pair.similarity:.4f}", f"{pair.percentile:.0f}",
                 "yes" if pair.conflict else "no", ", ".join(paper for paper, _ in papers))
            )  # fmt: skip
    return Table(
        NEAREST,
        f"The nearest reviewers of {len(nearest):,} of {len(affinity.submissions):,} submissions",
        ("submission", "reviewer", "similarity", "percentile", "own paper", "nearest papers"),
        tuple(rows),
        keys=2,
        notes=(_METHODS,),
    )
