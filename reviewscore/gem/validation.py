"""Does a metric notice what it should? Scores before and after alterations, on the same papers.

Algorithm 1 of arXiv 2411.07228, sec. 4.2, with the paper as the unit: the scores against several
references of a candidate are averaged first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from reviewscore.errors import InputError
from reviewscore.gem.alterations.alteration import (
    Alteration,
    Altered,
    Case,
    Described,
    Expectation,
)
from reviewscore.gem.alterations.with_model import ModelAlteration
from reviewscore.gem.scored import Scored, scored
from reviewscore.likeness.pair import Metric, Pair
from reviewscore.runs.generation import OpenAsker
from reviewscore.stats.effects import UNMOVED, Effect, Paired, effects
from reviewscore.stats.resampling import Resampling
from reviewscore.stats.statistic import Floats

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

    case: Case
    references: tuple[str, ...]
    paper: str | None = None
    synopses: tuple[str | None, ...] = ()

    @property
    def cases(self) -> list[Case]:
        """The case as each reference sees it."""
        if not self.synopses:
            return [self.case] * len(self.references)
        return [replace(self.case, synopsis=one) for one in self.synopses]

    def pairs(self, candidates: Sequence[str | None] | None = None) -> list[Pair | None]:
        """A candidate for each reference, the paper's own if none is given; None has no pair."""
        texts = candidates or [self.case.candidate] * len(self.references)
        return [
            None
            if text is None
            else Pair(case.paper_id, text, reference, case.synopsis, self.paper)
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
        tuple(tuple(alteration.altered(case, seed=seed) for case in one.cases) for one in subjects),
    )


def model_altered_set(
    alteration: ModelAlteration, subjects: Sequence[Subject], open_asker: OpenAsker
) -> AlteredSet:
    """The subjects' candidates after an alteration that a model makes; each is asked for once.

    Raises:
        StopError: Nothing more can be asked; what was answered is on record.
    """
    once = list(dict.fromkeys(case for one in subjects for case in one.cases))
    made = dict(zip(once, alteration.altered(once, open_asker), strict=True))
    return AlteredSet(
        alteration, tuple(tuple(made[case] for case in one.cases) for one in subjects)
    )


@dataclass(frozen=True)
class Outcome:
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
    outcomes: tuple[Outcome, ...]
    papers: int
    resampling: Resampling

    def outcome(self, metric: str, alteration: str) -> Outcome:
        """The outcome of a metric under an alteration, by their names."""
        return next(
            one
            for one in self.outcomes
            if one.metric == metric and one.alteration.name == alteration
        )


def validate(
    metrics: Sequence[Metric],
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
    papers = [one.case.paper_id for one in subjects]
    _check_once("paper", papers)
    _check_once("metric", [one.name for one in metrics])
    _check_once("alteration", [one.alteration.name for one in sets])
    how = resampling or Resampling(scheme="papers")
    tables: list[_Tally] = []
    for metric in metrics:
        known = _all_scores(metric, subjects, sets)
        tables += [_Tally(metric.name, one.alteration).fill(subjects, one, known) for one in sets]
    found = effects([one.paired for one in tables], papers, resampling=how)
    return Validation(
        tuple(one.name for one in metrics),
        tuple(one.alteration for one in sets),
        tuple(one.outcome(effect) for one, effect in zip(tables, found, strict=True)),
        len(papers),
        how,
    )


def _check_once(what: str, names: Sequence[str]) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError(f"{what} '{twice[0]}' comes twice", cure=f"give each {what} once")


def _all_scores(
    metric: Metric, subjects: Sequence[Subject], sets: Sequence[AlteredSet]
) -> dict[Pair, Scored]:
    pairs = [pair for one in subjects for pair in one.pairs()]
    for altered in sets:
        for subject, candidates in zip(subjects, altered.candidates, strict=True):
            pairs += subject.pairs([one.text for one in candidates])
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
        self, subjects: Sequence[Subject], altered: AlteredSet, known: Mapping[Pair, Scored]
    ) -> _Tally:
        for subject, candidates in zip(subjects, altered.candidates, strict=True):
            reason = self._add(subject, candidates, known)
            if reason:
                self._dropped[reason] += 1
                self._before.append(float("nan"))
                self._after.append(float("nan"))
        return self

    def _add(
        self, subject: Subject, candidates: Sequence[Altered], known: Mapping[Pair, Scored]
    ) -> str:
        """Add a paper, or say why it does not count."""
        if not subject.references:
            return NO_REFERENCE
        both: list[tuple[float, float]] = []
        reasons = []
        after_pairs = subject.pairs([one.text for one in candidates])
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
        self._unchanged += all(one.text == subject.case.candidate for one in candidates)
        before_mean, after_mean = np.asarray(both, dtype=np.float64).mean(axis=0)
        self._before.append(float(before_mean))
        self._after.append(float(after_mean))
        return ""

    @property
    def paired(self) -> Paired:
        return Paired(_array(self._before), _array(self._after))

    def outcome(self, effect: Effect) -> Outcome:
        return Outcome(
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
