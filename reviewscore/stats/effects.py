"""How much an alteration moves the scores of papers: standardised mean difference and tests.

The unit is the paper. Every paper is scored before and after, so the design is paired: resamples
draw papers with both their scores. The intervals of arXiv 2411.07228, tables 4 and 5, are as
narrow as only a paired analysis makes them; the paper does not say how they were made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from reviewscore.schema.record import Record
from reviewscore.stats.estimates import estimate
from reviewscore.stats.resampling import Clusters, Method, Resampling, bootstrap, jackknife
from reviewscore.stats.statistic import Floats, Statistic, Values, values

Alternative: TypeAlias = Literal["two-sided", "less", "greater"]

SIGNIFICANT = 0.05
"""p-value below which a change is called significant (arXiv 2411.07228, table 2)."""
_ROUNDING = 1e-12
"""Differences of scores below this share of the largest score are rounding."""
_STILL = 1e-14
"""Variance, in units of the largest deviation, below which scores do not vary."""
_FEWEST = 2
_MOST_WITH_TIES = 9

NO_PAPER = "no paper has a score before and after"
ONE_PAPER = "only one paper has a score before and after"
CONSTANT = "all scores are the same before, and all are the same after"
UNMOVED = "no score changed"
ALL_ALIKE = "every score changed by the same amount"


class PairedTest(Record):
    """A test of paired scores.

    Attributes:
        p: The p-value; None if undefined, with a `reason`.
        statistic: The test's statistic.
        n: Papers that it rests on.
        reason: Why there is no p-value; empty if there is one.
    """

    p: float | None
    statistic: float | None = None
    n: int
    reason: str = ""


class Effect(Record):
    """What an alteration does to one metric.

    Attributes:
        d: Standardised mean difference (Cohen's d), after minus before; None if undefined.
        low: Lower end of its interval; None if there is none.
        high: Upper end.
        before: Mean score before, in the metric's units.
        after: Mean score after.
        before_sd: Standard deviation before, with n - 1.
        after_sd: Standard deviation after.
        n: Papers with both scores.
        t: Paired t-test, two-sided.
        wilcoxon: Wilcoxon signed-rank test, two-sided; papers without a change left out.
        reason: Why there is no d; empty if there is one.
        undefined: Share of resamples in which d had no value.
        method: How the interval was made.
    """

    d: float | None
    low: float | None = None
    high: float | None = None
    before: float | None
    after: float | None
    before_sd: float | None = None
    after_sd: float | None = None
    n: int
    t: PairedTest
    wilcoxon: PairedTest
    reason: str = ""
    undefined: float = 0.0
    method: Method = "bca"

    @property
    def p(self) -> float | None:
        """The p-value that decides: of the t-test, or of Wilcoxon's where that is undefined."""
        return self.wilcoxon.p if self.t.p is None else self.t.p

    @property
    def direction(self) -> Literal["falls", "rises", ""]:
        """Which way the scores go significantly; empty if neither."""
        if self.p is None or self.p >= SIGNIFICANT or self.before is None or self.after is None:
            return ""
        return "falls" if self.after < self.before else "rises"


@dataclass(frozen=True)
class Paired:
    """Scores of the same papers before and after.

    Attributes:
        before: Shape (papers,); NaN is missing.
        after: Shape (papers,); NaN is missing.
    """

    before: Floats
    after: Floats

    def known(self) -> tuple[Floats, Floats]:
        """The scores of the papers that have both."""
        both = ~np.isnan(self.before) & ~np.isnan(self.after)
        return self.before[both], self.after[both]


def standardised_difference(paired: Paired) -> Statistic:
    """D = (mean after - mean before) / sqrt((sd before ** 2 + sd after ** 2) / 2).

    Cohen 1988, Statistical Power Analysis, as in arXiv 2411.07228, sec. 4.2, with n - 1 in the
    standard deviations. Undefined for fewer than two papers, and where neither side varies.
    """
    both = ~np.isnan(paired.before) & ~np.isnan(paired.after)
    known = np.concatenate(paired.known())
    # Moved and shrunk, which d does not see, so that sums of squares lose no digits.
    middle = known.mean() if len(known) else 0.0
    scale = np.abs(known - middle).max() if len(known) else 0.0
    sides = [
        np.where(both, (side - middle) / (scale or 1.0), 0.0)
        for side in (paired.before, paired.after)
    ]
    columns = [both.astype(np.float64), sides[0], sides[0] ** 2, sides[1], sides[1] ** 2]

    def from_sums(sums: Floats) -> Values:
        n, x, xx, y, yy = sums.T
        safe = np.maximum(n, _FEWEST)
        pooled = ((xx - x**2 / safe) + (yy - y**2 / safe)) / (safe - 1) / 2
        defined = (n >= _FEWEST) & (pooled > _STILL)
        spread = np.sqrt(np.where(defined, pooled, 1.0))
        return values(np.where(defined, (y - x) / safe / spread, np.nan))

    return Statistic("d", np.stack(columns, axis=1), from_sums, both)


def effects(
    paired: Sequence[Paired], papers: Sequence[str], *, resampling: Resampling | None = None
) -> list[Effect]:
    """What each alteration does, all on the same resamples of papers.

    Args:
        paired: Scores before and after, each for all papers.
        papers: The papers, each once.
        resampling: How intervals are made; papers are drawn whatever its scheme.
    """
    how = resampling or Resampling(scheme="papers")
    if not papers or not paired:
        return [_effect(effect, float("nan"), np.empty(0), np.empty(0), how) for effect in paired]
    statistics = [standardised_difference(effect) for effect in paired]
    clusters = Clusters.by(papers)
    drawn = bootstrap(statistics, clusters, resamples=how.resamples, seed=how.seed, scheme="papers")
    left_out = jackknife(statistics, clusters)
    return [
        _effect(effect, statistic.point()[0], drawn[row], left_out[row], how)
        for row, (effect, statistic) in enumerate(zip(paired, statistics, strict=True))
    ]


def _effect(paired: Paired, d: float, drawn: Floats, left_out: Floats, how: Resampling) -> Effect:
    before, after = paired.known()
    n = len(before)
    made = estimate("d", d, drawn, left_out, how, n=n)
    enough = n >= _FEWEST
    return Effect(
        d=made.value,
        low=made.low,
        high=made.high,
        before=float(before.mean()) if n else None,
        after=float(after.mean()) if n else None,
        before_sd=float(before.std(ddof=1)) if enough else None,
        after_sd=float(after.std(ddof=1)) if enough else None,
        n=n,
        t=t_test(before, after),
        wilcoxon=wilcoxon_test(before, after),
        reason="" if made.value is not None else _too_few(n) or CONSTANT,
        undefined=made.undefined if enough else 0.0,
        method=made.method,
    )


def t_test(before: Floats, after: Floats, *, alternative: Alternative = "two-sided") -> PairedTest:
    """Paired t-test of after against before.

    Args:
        before: Shape (papers,); no NaN.
        after: Shape (papers,); no NaN.
        alternative: What after is thought to be; ``less`` tests for a fall.
    """
    differences, n = _differences(before, after), len(before)
    if few := _too_few(n):
        return PairedTest(p=None, n=n, reason=few)
    if not differences.any():
        return PairedTest(p=None, n=n, reason=UNMOVED)
    if np.ptp(differences) <= _ROUNDING * np.abs(differences).max():
        return PairedTest(p=None, n=n, reason=ALL_ALIKE)
    from scipy.stats import ttest_1samp

    value = ttest_1samp(differences, 0.0, alternative=alternative)
    return PairedTest(p=float(value.pvalue), statistic=float(value.statistic), n=n)


def wilcoxon_test(
    before: Floats, after: Floats, *, alternative: Alternative = "two-sided"
) -> PairedTest:
    """Wilcoxon signed-rank test of after against before; papers without a change are left out.

    Exact for up to 50 papers without ties and up to 9 with ties, else by the normal approximation.

    Args:
        before: Shape (papers,); no NaN.
        after: Shape (papers,); no NaN.
        alternative: What after is thought to be; ``less`` tests for a fall.
    """
    differences = _differences(before, after)
    moved = differences[differences != 0]
    if few := _too_few(len(before)):
        return PairedTest(p=None, n=len(moved), reason=few)
    if not len(moved):
        return PairedTest(p=None, n=0, reason=UNMOVED)
    from scipy.stats import wilcoxon

    tied = len(np.unique(np.abs(moved))) < len(moved)
    # With ties SciPy would go through all signs of up to 13 papers, which takes half a second.
    method = "asymptotic" if tied and len(moved) > _MOST_WITH_TIES else "auto"
    value = wilcoxon(moved, alternative=alternative, method=method)
    return PairedTest(p=float(value.pvalue), statistic=float(value.statistic), n=len(moved))


def _differences(before: Floats, after: Floats) -> Floats:
    """After minus before, with what is rounding set to 0."""
    differences = after - before
    largest = max(np.abs(before).max(initial=0.0), np.abs(after).max(initial=0.0))
    return np.where(np.abs(differences) <= _ROUNDING * largest, 0.0, differences)


def _too_few(n: int) -> str:
    return NO_PAPER if n == 0 else ONE_PAPER if n < _FEWEST else ""
