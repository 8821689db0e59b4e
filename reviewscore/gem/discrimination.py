"""Does a metric tell a paper's own reviews from another paper's, and more from less?

The area under the ROC curve of matched against mismatched references, and the ladder of smaller
and smaller parts of a review. The unit is the paper.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from pydantic import Field

from reviewscore.errors import InputError
from reviewscore.gem.derangement import derangement
from reviewscore.gem.scored import Scored, scored
from reviewscore.gem.validation import NO_REFERENCE, Subject, Validation
from reviewscore.schema.record import Record
from reviewscore.stats.effects import Paired, PairedTest, t_test, wilcoxon_test
from reviewscore.stats.resampling import Clusters, Method, Resampling, bootstrap_weights, interval
from reviewscore.stats.statistic import Floats
from reviewscore.text.similarity import Metric, Pair

TOO_FEW = "fewer than two papers have a matched and a mismatched score"


class Area(Record):
    """Area under the ROC curve of matched against mismatched scores, by paper.

    Attributes:
        metric: Name of the metric.
        value: Chance that a matched score is above a mismatched one, ties counting half, 0..1;
            0.5 is blind. None if undefined.
        low: Lower end of its interval, by papers; None if there is none.
        high: Upper end.
        n: Papers with both scores.
        wins: Share of these papers whose matched score is above their own mismatched one, ties
            counting half, 0..1; None if there are none.
        dropped: Papers without one of the scores, by reason.
        reason: Why there is no area; empty if there is one.
        method: How the interval was made.
    """

    metric: str
    value: float | None
    low: float | None = None
    high: float | None = None
    n: int
    wins: float | None = None
    dropped: dict[str, int] = Field(default_factory=dict)
    reason: str = ""
    method: Method = "bca"


class Step(Record):
    """From one step of the ladder to the next lower one.

    Attributes:
        upper: Name of the alteration that keeps more.
        lower: Name of the one that keeps less.
        fall: Mean of upper minus lower, in the metric's units; None if no paper has both.
        t: Paired t-test, one-sided, that the lower one scores less.
        wilcoxon: Wilcoxon signed-rank test of the same.
        n: Papers with both scores.
    """

    upper: str
    lower: str
    fall: float | None
    t: PairedTest
    wilcoxon: PairedTest
    n: int


def mismatched(subjects: Sequence[Subject], *, seed: int = 0) -> list[Subject]:
    """The subjects with the candidate of another paper each, by a seeded derangement.

    References, synopsis and paper stay together, so that GEM-S asks what the wrong candidate adds
    to the right synopsis.

    Raises:
        InputError: There are fewer than two papers, or a paper comes twice.
    """
    places = derangement([one.case.paper_id for one in subjects], seed=seed)
    return [
        replace(one, case=replace(one.case, candidate=subjects[place].case.candidate))
        for one, place in zip(subjects, places, strict=True)
    ]


def areas(
    metrics: Sequence[Metric],
    subjects: Sequence[Subject],
    *,
    seed: int = 0,
    rounds: int = 1,
    resampling: Resampling | None = None,
) -> list[Area]:
    """For each metric, the area of matched against mismatched references.

    The scores against a paper's references are averaged first. With several rounds the area is
    the mean over as many derangements: which other papers were drawn then matters less.

    Args:
        metrics: What is tried.
        subjects: One for each paper.
        seed: Of the first derangement; the next ones count up from it.
        rounds: Number of derangements, 1 or more.
        resampling: How intervals are made; papers are drawn whatever its scheme.

    Raises:
        InputError: There are fewer than two papers or no rounds, or a paper comes twice.
    """
    if rounds < 1:
        raise InputError("there are no rounds", cure="give one or more")
    how = resampling or Resampling(scheme="papers")
    sides = [subjects, *(mismatched(subjects, seed=seed + turn) for turn in range(rounds))]
    once = list(dict.fromkeys(pair for side in sides for one in side for pair in _pairs(one)))
    found = []
    for metric in metrics:
        known = dict(zip(once, scored(metric, once), strict=True))
        means = [_means(side, known) for side in sides]
        scores = np.stack([values for values, _ in means], axis=1)
        reasons = zip(*(why for _, why in means), strict=True)
        missing = (next(filter(None, one), "") for one in reasons)
        dropped = Counter(filter(None, missing))
        both = scores[~np.isnan(scores).any(axis=1)]
        found.append(area(metric.name, both[:, 0], both[:, 1:], dropped, resampling=how))
    return found


def _pairs(subject: Subject) -> list[Pair]:
    return [pair for pair in subject.pairs() if pair is not None]


def _means(subjects: Sequence[Subject], known: Mapping[Pair, Scored]) -> tuple[Floats, list[str]]:
    """Each paper's mean score, NaN where there is none, and why there is none."""
    means, reasons = [], []
    for subject in subjects:
        scores = [known[pair] for pair in _pairs(subject)]
        values = [one.value for one in scores if one.value is not None]
        means.append(float(np.mean(values)) if values else float("nan"))
        reasons.append("" if values else scores[0].reason if scores else NO_REFERENCE)
    return np.asarray(means, dtype=np.float64), reasons


def area(
    metric: str,
    matched: Floats,
    wrong: Floats,
    dropped: Mapping[str, int] | None = None,
    *,
    resampling: Resampling | None = None,
) -> Area:
    """The area under the ROC curve with its interval.

    Each matched score is held against the mismatched scores of all papers (Hanley and McNeil
    1982, Radiology 143, 29-36). Resamples draw papers with both their scores.

    Args:
        metric: Name of the metric.
        matched: Shape (papers,); scores against the paper's own references, no NaN.
        wrong: Shape (papers,) or (papers, rounds); scores of other papers' candidates against the
            same references.
        dropped: Papers that do not count, by reason.
        resampling: How the interval is made.
    """
    how = resampling or Resampling(scheme="papers")
    n, left_out_by = len(matched), dict(dropped or {})
    if n < 2:  # noqa: PLR2004 - two papers
        return Area(metric=metric, value=None, n=n, dropped=left_out_by, reason=TOO_FEW)
    beats = _beats(matched, wrong.reshape(n, -1))
    value = float(beats.mean())
    clusters = Clusters.by([f"{place:09d}" for place in range(n)])
    drawn = np.concatenate(
        [
            ((weights @ beats) * weights).sum(axis=1) / n**2
            for weights in bootstrap_weights(
                clusters, how.resamples, seed=how.seed, scheme="papers"
            )
        ]
    )
    own = np.diag(beats)
    rest = beats.sum() - beats.sum(axis=0) - beats.sum(axis=1) + own
    ends = interval(value, drawn, rest / (n - 1) ** 2, method=how.method, level=how.level)
    return Area(
        metric=metric,
        value=value,
        low=ends.low,
        high=ends.high,
        n=n,
        wins=float(own.mean()),
        dropped=left_out_by,
        method=ends.method,
    )


def _beats(matched: Floats, wrong: Floats) -> Floats:
    """How one paper's matched score does against another's wrong ones; shape (papers, papers)."""
    above: Floats = np.zeros((len(matched), len(matched)))
    for column in wrong.T:
        above = above + (matched[:, None] > column) + (matched[:, None] == column) / 2
    return above / float(wrong.shape[1])


def ladder(scores: Mapping[str, Floats], *, steps: Sequence[str] | None = None) -> list[Step]:
    """Whether each step of the ladder scores less than the one above.

    Args:
        scores: Each step's scores, shape (papers,), NaN where missing; the whole review first.
        steps: The steps' names in order; as in `scores` if not given.

    Raises:
        InputError: There are fewer than two steps.
    """
    names = list(scores if steps is None else steps)
    if len(names) < 2:  # noqa: PLR2004 - from one step to another
        raise InputError("a ladder has two or more steps")
    return [
        _step(upper, lower, Paired(scores[upper], scores[lower]))
        for upper, lower in itertools.pairwise(names)
    ]


def _step(upper: str, lower: str, paired: Paired) -> Step:
    more, less = paired.known()
    return Step(
        upper=upper,
        lower=lower,
        fall=float((more - less).mean()) if len(more) else None,
        t=t_test(more, less, alternative="less"),
        wilcoxon=wilcoxon_test(more, less, alternative="less"),
        n=len(more),
    )


def ladder_of(validation: Validation, metric: str, steps: Sequence[str]) -> list[Step]:
    """The ladder from the outcomes of a validation.

    Args:
        validation: Holds the steps as alterations.
        metric: Name of the metric.
        steps: Names of the alterations, the whole review first.
    """
    return ladder({name: validation.outcome(metric, name).after for name in steps})
