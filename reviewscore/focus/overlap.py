"""Whether a system and a reference raise the same facets on the same paper.

Two questions (Shin et al. 2025, arXiv 2502.17086, sec. 5.1 and app. A.4): how well the sets of
(target, aspect) pairs of a paper agree (Table 3), and in how many papers each facet is raised by
both (Tables 7 to 12). All reviews of a side count as one set.

How strengths and weaknesses are joined follows from the paper's numbers, as it does not say. In
Tables 7 and 10 each of the 264 values is the mean of the two in the tables that follow. In Table 3
the overall F1 lies between the two others, nearer to that of weaknesses, and equals it for MARG,
which has no strengths: the mean over all sets, a set being the strengths or the weaknesses of one
paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from reviewscore.focus.distribution import CodedPoints, unshared
from reviewscore.focus.facets import FacetKind, Polarity
from reviewscore.stats.estimates import BootstrapPlan, PendingEstimate
from reviewscore.stats.statistic import Floats, MissingReason, Statistic, Values, ratio, values

Bools = NDArray[np.bool_]


class OverlapScore(StrEnum):
    """Which share of the agreement."""

    F1 = "F1"
    PRECISION = "precision"  # of what the system raises
    RECALL = "recall"  # of what the reference raises


@dataclass(frozen=True)
class Sets:
    """The sets of pairs of one polarity, paper by paper.

    Attributes:
        system: Shape (papers,); size of the system's set.
        reference: Shape (papers,); size of the reference's.
        common: Shape (papers,); pairs in both.
        counts: Shape (papers,); whether the paper counts.
        dropped: Papers that do not count, by reason.
        one_empty: Papers that count and where only one side has a set: all scores are 0.
    """

    system: Floats
    reference: Floats
    common: Floats
    counts: Bools
    dropped: dict[str, int]
    one_empty: int

    def scores(self, score: OverlapScore) -> Floats:
        """Shape (papers,), 0..1; 0 where the paper does not count."""
        both = self.system + self.reference
        over, under = {
            OverlapScore.F1: (2 * self.common, both),
            OverlapScore.PRECISION: (self.common, self.system),
            OverlapScore.RECALL: (self.common, self.reference),
        }[score]
        # An empty set beside one that is not: nothing was found, so precision is 0 as well.
        return np.where(self.counts & (under > 0), np.nan_to_num(ratio(over, under)), 0.0)


def pair_sets(coded: CodedPoints, system: str, reference: str, polarity: Polarity) -> Sets:
    """The sets of (target, aspect) pairs of a system and of a reference.

    A paper counts if both reviewed it and one has a pair. It does not if a side's only points have
    unknown facets: that set is not empty, it is not known. Neither does any paper if one side
    never has a point of this polarity.

    Raises:
        InputError: There are no reviews of one of them.
    """
    mine, theirs = (coded.reviewed(name) > 0 for name in (system, reference))
    mine_set, their_set = (coded.pairs(name, polarity) for name in (system, reference))
    left, right = coded.set_sizes(mine_set), coded.set_sizes(their_set)
    common = coded.set_sizes(np.intersect1d(mine_set, their_set, assume_unique=True))
    veiled = np.zeros(len(coded.papers), dtype=np.bool_)
    for name, sizes in ((system, left), (reference, right)):
        veiled |= (sizes == 0) & (coded.unpaired(name, polarity) > 0)
    shared = mine & theirs
    used = [bool(coded.points(name, polarity)[shared].any()) for name in (system, reference)]
    neither = (left + right == 0) & ~veiled
    counts = shared & ~veiled & ~neither & all(used)
    dropped = unshared(mine, theirs)
    if all(used):
        dropped[f"papers with no {polarity} on either side"] = int((shared & neither).sum())
        dropped["papers where a side has only unknown facets"] = int((shared & veiled).sum())
    else:
        dropped[f"papers, as one side never has a {polarity}"] = int(shared.sum())
    one_empty = int((counts & ((left == 0) | (right == 0))).sum())
    return Sets(left, right, common, counts, dropped, one_empty)


def set_score(score: OverlapScore, sets: Sequence[Sets]) -> Statistic:
    """The mean score over sets, each a paper's strengths or its weaknesses.

    F1, precision and recall are of each set first (macro), so F1 is not that of the two means.

    Args:
        score: Which.
        sets: Of one polarity, or of both for the overall score.
    """
    total: Floats = np.sum([facet_sets.scores(score) for facet_sets in sets], axis=0)
    number: Floats = np.sum([facet_sets.counts for facet_sets in sets], axis=0, dtype=np.float64)
    counts: Bools = number > 0

    def from_sums(sums: Floats) -> Values:
        return values(ratio(sums[:, 0], sums[:, 1]), (sums[:, 1] == 0, MissingReason.NO_SETS, None))

    return Statistic(str(score), np.stack([total, number], axis=1), from_sums, counts)


def ask_sets(plan: BootstrapPlan, score: OverlapScore, sets: Sequence[Sets]) -> PendingEstimate:
    """A slot for a mean score over sets.

    Of an overall score, a paper is among the dropped ones only if neither of its sets counts.
    """
    if len(sets) == 1:
        return plan.ask(set_score(score, sets), sets[0].dropped)
    statistic = set_score(score, sets)
    return plan.ask(statistic, {"papers without a set to compare": int((~statistic.counts).sum())})


@dataclass(frozen=True)
class Presence:
    """Whether a facet is raised, paper by paper.

    Attributes:
        facets: Names, in order.
        system: By polarity, shape (papers, facets); 1 if a point of the system has the facet.
        reference: The same of the reference.
        shared: Shape (papers,); whether both reviewed the paper. Others are 0 in both.
        dropped: Papers that do not count, by reason.
    """

    facets: tuple[str, ...]
    system: dict[Polarity, Floats]
    reference: dict[Polarity, Floats]
    shared: Bools
    dropped: dict[str, int]


def presence(coded: CodedPoints, system: str, reference: str, kind: FacetKind) -> Presence:
    """Which facets each side raises on which paper; points with unknown ones raise none.

    Raises:
        InputError: There are no reviews of one of them.
    """
    mine, theirs = (coded.reviewed(name) > 0 for name in (system, reference))
    shared = mine & theirs
    raised = [
        {
            polarity: ((coded.counts(name, polarity, kind) > 0) & shared[:, None]).astype(float)
            for polarity in Polarity
        }
        for name in (system, reference)
    ]
    names = coded.facets.names(kind)
    return Presence(names, raised[0], raised[1], shared, unshared(mine, theirs))


def facet_score(
    score: OverlapScore, raised: Presence, facet: str, polarity: Polarity | None = None
) -> Statistic:
    """In how many papers both raise a facet, as F1, precision or recall.

    Precision is undefined if the system never raises the facet, recall if the reference never
    does, F1 if neither does; where only one does, F1 is 0. The paper prints 0 throughout. Which of
    strengths and weaknesses has a value is settled by all papers: a resample in which one of these
    has none has no value, as the mean would be of something else.

    Args:
        score: Which.
        raised: Who raises what.
        facet: Name of the facet.
        polarity: In strengths (Tables 8 and 11) or in weaknesses (9 and 12). None is the mean of
            the two (7 and 10), or the one that is defined.

    Raises:
        ValueError: It is no facet of the set.
    """
    place = raised.facets.index(facet)
    wanted = tuple(Polarity) if polarity is None else (polarity,)
    sides = [
        (raised.system[polarity][:, place], raised.reference[polarity][:, place])
        for polarity in wanted
    ]
    each = [np.stack([mine * theirs, mine, theirs], axis=1) for mine, theirs in sides]
    defined = [
        by_key for by_key in each if not np.isnan(_agreement(score, by_key.sum(axis=0)[None]))[0]
    ]
    parts = defined or each

    def from_sums(sums: Floats) -> Values:
        value_groups = [_agreement(score, some) for some in np.split(sums, len(parts), axis=1)]
        mean: Floats = np.mean(value_groups, axis=0)
        return values(mean, (np.isnan(mean), _WHY[score], None))

    return Statistic(str(score), np.concatenate(parts, axis=1), from_sums, raised.shared)


def ask_facets(
    plan: BootstrapPlan, score: OverlapScore, raised: Presence, polarity: Polarity | None = None
) -> tuple[PendingEstimate, ...]:
    """A slot for each facet, in order."""
    return tuple(
        plan.ask(facet_score(score, raised, name, polarity), raised.dropped)
        for name in raised.facets
    )


_WHY = {
    OverlapScore.F1: MissingReason.NEITHER_RAISES,
    OverlapScore.PRECISION: MissingReason.NOT_RAISED,
    OverlapScore.RECALL: MissingReason.NOT_EXPECTED,
}


def _agreement(score: OverlapScore, sums: Floats) -> Floats:
    """Shape (samples,), of sums of shape (samples, 3): papers of both, system, reference."""
    both, system, reference = sums.T
    if score is OverlapScore.F1:
        return ratio(2 * both, system + reference)
    return ratio(both, system if score is OverlapScore.PRECISION else reference)
