"""Does a metric notice what it should, and tell a paper's own reviews from another paper's?

Scores before and after alterations on the same papers (algorithm 1 of arXiv 2411.07228, sec. 4.2),
the area under the ROC curve of matched against mismatched references, and the ladder of smaller
and smaller parts of a review. The unit is the paper: the scores against several references of a
candidate are averaged first.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from reviewscore.errors import InputError
from reviewscore.gem.alterations.alteration import (
    Alteration,
    AlterationCase,
    Altered,
    Described,
    Expectation,
    derangement,
)
from reviewscore.gem.alterations.with_model import ModelAlteration
from reviewscore.gem.estimator import Scored, scored
from reviewscore.runs.generation import OpenAsker
from reviewscore.schema.record import Record
from reviewscore.stats.effects import (
    UNMOVED,
    Effect,
    Paired,
    PairedTest,
    effects,
    t_test,
    wilcoxon_test,
)
from reviewscore.stats.estimates import Estimate, estimate
from reviewscore.stats.resampling import Clusters, Resampling, bootstrap_weights
from reviewscore.stats.statistic import Floats
from reviewscore.text.similarity import TextMetric, TextPair

NO_REFERENCE = "the paper has no reference"


@dataclass(frozen=True, slots=True)
class Subject:
    """One paper with the candidate to alter.

    Attributes:
        case: The candidate, its synopsis and what alterations need.
        references: Other reviewers' texts on the paper.
        paper: The paper's text, for judges that read it.
        synopses: One for each reference, where a reference has a synopsis of its own (a stand-in
            must not be by the reference's reviewer); empty if the case's is for all.
    """

    case: AlterationCase
    references: tuple[str, ...]
    paper: str | None = None
    synopses: tuple[str | None, ...] = ()

    @property
    def cases(self) -> list[AlterationCase]:
        """The case as each reference sees it."""
        if not self.synopses:
            return [self.case] * len(self.references)
        return [replace(self.case, synopsis=synopse) for synopse in self.synopses]

    def pairs(self, candidates: Sequence[str | None] | None = None) -> list[TextPair | None]:
        """A candidate for each reference, the paper's own if none is given; None has no pair."""
        texts = candidates or [self.case.candidate] * len(self.references)
        return [
            None
            if text is None
            else TextPair(case.paper_id, text, reference, case.synopsis, self.paper)
            for text, reference, case in zip(texts, self.references, self.cases, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class AlteredSet:
    """All subjects' candidates after one alteration.

    Attributes:
        alteration: What was done.
        candidates: For each subject, in order, one candidate for each reference.
    """

    alteration: Described
    candidates: tuple[tuple[Altered, ...], ...]


def altered_set(
    alteration: Alteration, subjects: Sequence[Subject], *, seed: int = 0
) -> AlteredSet:
    """The subjects' candidates after an alteration that needs no model."""
    return AlteredSet(
        alteration,
        tuple(
            tuple(alteration.altered(case, seed=seed) for case in subject.cases)
            for subject in subjects
        ),
    )


def model_altered_set(
    alteration: ModelAlteration, subjects: Sequence[Subject], open_asker: OpenAsker
) -> AlteredSet:
    """The subjects' candidates after an alteration that a model makes; each is asked for once.

    Raises:
        StopError: Nothing more can be asked; what was answered is on record.
    """
    once = list(dict.fromkeys(case for subject in subjects for case in subject.cases))
    made = dict(zip(once, alteration.altered(once, open_asker), strict=True))
    return AlteredSet(
        alteration, tuple(tuple(made[case] for case in subject.cases) for subject in subjects)
    )


@dataclass(frozen=True)
class AlterationOutcome:
    """What one alteration does to one metric.

    Attributes:
        metric: Name of the metric.
        alteration: What was done.
        effect: By how much the scores move.
        dropped: Papers that do not count, by reason.
        pairs: Pairs of candidate and reference that count.
        dropped_pairs: Pairs that do not count, by reason.
        unchanged: Papers that count whose candidate the alteration left as it was.
        scores: The papers' scores, in the order of the subjects.
    """

    metric: str
    alteration: Described
    effect: Effect
    dropped: Mapping[str, int] = field(default_factory=dict)
    pairs: int = 0
    dropped_pairs: Mapping[str, int] = field(default_factory=dict)
    unchanged: int = 0
    scores: Paired = field(default_factory=lambda: Paired(_array([]), _array([])))

    @property
    def after(self) -> Floats:
        """Shape (papers,); the scores after the alteration, NaN where a paper does not count."""
        return self.scores.after

    @property
    def met(self) -> bool | None:
        """Whether the scores do what those of a good metric do; None if it cannot be told."""
        if self.effect.p is None and self.effect.t.reason != UNMOVED:
            return None
        if self.alteration.expectation is Expectation.FALLS:
            return self.effect.direction == "falls"
        return self.effect.direction != "rises"


@dataclass(frozen=True)
class Validation:
    """What all alterations do to all metrics.

    Attributes:
        metrics: Names, in order.
        alterations: In order.
        outcomes: By metric, then by alteration.
        papers: Papers that were given.
        resampling: How intervals were made.
    """

    metrics: tuple[str, ...]
    alterations: tuple[Described, ...]
    outcomes: tuple[AlterationOutcome, ...]
    papers: int
    resampling: Resampling

    def outcome(self, metric: str, alteration: str) -> AlterationOutcome:
        """The outcome of a metric under an alteration, by their names."""
        return next(
            outcome
            for outcome in self.outcomes
            if outcome.metric == metric and outcome.alteration.name == alteration
        )


def validate(
    metrics: Sequence[TextMetric],
    subjects: Sequence[Subject],
    sets: Sequence[AlteredSet],
    *,
    resampling: Resampling | None = None,
) -> Validation:
    """Score candidates as they are and as altered, and compare.

    A reference counts for a paper only if the candidate has a score against it both before and
    after, so that the two means are over the same references. Every pair is scored once.

    Args:
        metrics: What is validated.
        subjects: One for each paper.
        sets: The altered candidates.
        resampling: How intervals are made; papers are drawn whatever its scheme.

    Raises:
        InputError: A paper, a metric or an alteration comes twice.
    """
    papers = [subject.case.paper_id for subject in subjects]
    _check_once("paper", papers)
    _check_once("metric", [metric.name for metric in metrics])
    _check_once("alteration", [altered.alteration.name for altered in sets])
    how = resampling or Resampling(scheme="papers")
    tables: list[_Tally] = []
    for metric in metrics:
        known = _all_scores(metric, subjects, sets)
        tables += [
            _Tally(metric.name, altered.alteration).fill(subjects, altered, known)
            for altered in sets
        ]
    found = effects([table.paired for table in tables], papers, resampling=how)
    return Validation(
        tuple(metric.name for metric in metrics),
        tuple(altered.alteration for altered in sets),
        tuple(tally.outcome(effect) for tally, effect in zip(tables, found, strict=True)),
        len(papers),
        how,
    )


def _check_once(what: str, names: Sequence[str]) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError(f"{what} '{twice[0]}' comes twice", cure=f"give each {what} once")


def _all_scores(
    metric: TextMetric, subjects: Sequence[Subject], sets: Sequence[AlteredSet]
) -> dict[TextPair, Scored]:
    pairs = [pair for subject in subjects for pair in subject.pairs()]
    for altered in sets:
        for subject, candidates in zip(subjects, altered.candidates, strict=True):
            pairs += subject.pairs([candidate.text for candidate in candidates])
    once = list(dict.fromkeys(pair for pair in pairs if pair is not None))
    return dict(zip(once, scored(metric, once), strict=True))


class _Tally:
    """Scores of one metric under one alteration, with what was left out."""

    def __init__(self, metric: str, alteration: Described) -> None:
        self._metric, self._alteration = metric, alteration
        self._before: list[float] = []
        self._after: list[float] = []
        self._dropped, self._dropped_pairs = Counter[str](), Counter[str]()
        self._pairs = self._unchanged = 0

    def fill(
        self, subjects: Sequence[Subject], altered: AlteredSet, known: Mapping[TextPair, Scored]
    ) -> _Tally:
        for subject, candidates in zip(subjects, altered.candidates, strict=True):
            reason = self._add(subject, candidates, known)
            if reason:
                self._dropped[reason] += 1
                self._before.append(float("nan"))
                self._after.append(float("nan"))
        return self

    def _add(
        self, subject: Subject, candidates: Sequence[Altered], known: Mapping[TextPair, Scored]
    ) -> str:
        """Add a paper, or say why it does not count."""
        if not subject.references:
            return NO_REFERENCE
        both: list[tuple[float, float]] = []
        reasons = []
        after_pairs = subject.pairs([candidate.text for candidate in candidates])
        for old, new, candidate in zip(subject.pairs(), after_pairs, candidates, strict=True):
            if old is None or new is None:
                reasons.append(candidate.reason)
                continue
            before, after = known[old], known[new]
            if before.value is None or after.value is None:
                reasons.append(before.reason or after.reason)
            else:
                both.append((before.value, after.value))
        self._dropped_pairs.update(reasons)
        if not both:
            return reasons[0]
        self._pairs += len(both)
        self._unchanged += all(altered.text == subject.case.candidate for altered in candidates)
        before_mean, after_mean = np.asarray(both, dtype=np.float64).mean(axis=0)
        self._before.append(float(before_mean))
        self._after.append(float(after_mean))
        return ""

    @property
    def paired(self) -> Paired:
        return Paired(_array(self._before), _array(self._after))

    def outcome(self, effect: Effect) -> AlterationOutcome:
        return AlterationOutcome(
            self._metric,
            self._alteration,
            effect,
            dict(self._dropped),
            self._pairs,
            dict(self._dropped_pairs),
            self._unchanged,
            self.paired,
        )


def _array(scores: Sequence[float]) -> Floats:
    return np.asarray(scores, dtype=np.float64)


TOO_FEW = "fewer than two papers have a matched and a mismatched score"


@dataclass(frozen=True, slots=True)
class Area:
    """Area under the ROC curve of matched against mismatched scores, by paper.

    Attributes:
        metric: Name of the metric.
        estimate: Chance that a matched score is above a mismatched one, ties counting half, 0..1;
            0.5 is blind. Its n are the papers with both scores.
        wins: Share of these papers whose matched score is above their own mismatched one, ties
            counting half, 0..1; None if there are none.
    """

    metric: str
    estimate: Estimate
    wins: float | None = None


class LadderStep(Record):
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
    places = derangement([subject.case.paper_id for subject in subjects], seed=seed)
    return [
        replace(subject, case=replace(subject.case, candidate=subjects[place].case.candidate))
        for subject, place in zip(subjects, places, strict=True)
    ]


def areas(
    metrics: Sequence[TextMetric],
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
    once = list(
        dict.fromkeys(pair for side in sides for subject in side for pair in _pairs(subject))
    )
    found = []
    for metric in metrics:
        known = dict(zip(once, scored(metric, once), strict=True))
        means = [_means(side, known) for side in sides]
        scores = np.stack([values for values, _ in means], axis=1)
        reasons = zip(*(why for _, why in means), strict=True)
        missing = (next(filter(None, reason), "") for reason in reasons)
        dropped = Counter(filter(None, missing))
        both = scores[~np.isnan(scores).any(axis=1)]
        found.append(area(metric.name, both[:, 0], both[:, 1:], dropped, resampling=how))
    return found


def _pairs(subject: Subject) -> list[TextPair]:
    return [pair for pair in subject.pairs() if pair is not None]


def _means(
    subjects: Sequence[Subject], known: Mapping[TextPair, Scored]
) -> tuple[Floats, list[str]]:
    """Each paper's mean score, NaN where there is none, and why there is none."""
    means, reasons = [], []
    for subject in subjects:
        scores = [known[pair] for pair in _pairs(subject)]
        values = [score.value for score in scores if score.value is not None]
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
        undefined = Estimate(
            coefficient="area", value=None, n=n, dropped=left_out_by, reason=TOO_FEW
        )
        return Area(metric, undefined)
    beats = _beats(matched, wrong.reshape(n, -1))
    clusters = Clusters.by([f"{place:09d}" for place in range(n)])
    weights = bootstrap_weights(clusters, how.resamples, seed=how.seed, scheme="papers")
    drawn = np.concatenate([((each @ beats) * each).sum(axis=1) / n**2 for each in weights])
    own = np.diag(beats)
    rest = beats.sum() - beats.sum(axis=0) - beats.sum(axis=1) + own
    value = estimate("area", float(beats.mean()), drawn, rest / (n - 1) ** 2, how, n=n)
    return Area(metric, value.model_copy(update={"dropped": left_out_by}), float(own.mean()))


def _beats(matched: Floats, wrong: Floats) -> Floats:
    """How one paper's matched score does against another's wrong ones; shape (papers, papers)."""
    above: Floats = np.zeros((len(matched), len(matched)))
    for column in wrong.T:
        above = above + (matched[:, None] > column) + (matched[:, None] == column) / 2
    return above / float(wrong.shape[1])


def ladder(scores: Mapping[str, Floats]) -> list[LadderStep]:
    """Whether each step of the ladder scores less than the one above.

    Args:
        scores: Each step's scores, shape (papers,), NaN where missing; the whole review first.

    Raises:
        InputError: There are fewer than two steps.
    """
    if len(scores) < 2:  # noqa: PLR2004 - from one step to another
        raise InputError("a ladder has two or more steps")
    return [
        _step(upper, lower, Paired(scores[upper], scores[lower]))
        for upper, lower in itertools.pairwise(scores)
    ]


def _step(upper: str, lower: str, paired: Paired) -> LadderStep:
    more, less = paired.known()
    return LadderStep(
        upper=upper,
        lower=lower,
        fall=float((more - less).mean()) if len(more) else None,
        t=t_test(more, less, alternative="less"),
        wilcoxon=wilcoxon_test(more, less, alternative="less"),
        n=len(more),
    )
