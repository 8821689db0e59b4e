"""Validation of metrics on given reviews: papers, candidates, references, and all tables.

The tables follow tables 2, 4 and 5 of arXiv 2411.07228.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from reviewscore.errors import InputError
from reviewscore.gem.alterations.alteration import (
    AlterationCase,
    AlterationKind,
    Described,
    with_others,
)
from reviewscore.gem.alterations.rules import ALTERATIONS, LADDER
from reviewscore.gem.backgrounds import Evaluators
from reviewscore.gem.estimator import Gem, Scored
from reviewscore.gem.evaluation import EvaluationModel
from reviewscore.gem.score import Cases, Variant, summary_section
from reviewscore.gem.validation import (
    AlterationOutcome,
    AlteredSet,
    Area,
    LadderStep,
    Subject,
    Validation,
    altered_set,
    areas,
    ladder,
    validate,
)
from reviewscore.sources.system_reviews import PEOPLE, Materials, TextForm
from reviewscore.stats.effects import SIGNIFICANT, PairedTest
from reviewscore.stats.estimates import Estimate
from reviewscore.stats.resampling import Resampling
from reviewscore.stats.tables import Cell, Table
from reviewscore.text.similarity import TextMetric, TextPair

_SOURCE = "arXiv 2411.07228"
_MEASURE = (
    "d is the standardised mean difference, (mean after - mean before) / sqrt((sd before ** 2 + "
    "sd after ** 2) / 2). The unit is the paper: scores against several references are averaged "
    "first"
)
_NEVER = 0.0005
"""p-values below are shown with their order of magnitude."""


def differences(validation: Validation, alterations: Sequence[Described] | None = None) -> Table:
    """Metrics by alterations, with significant falls and rises in words, as table 2 of the source.

    Its first row says what a good metric does. Its notes say how many papers each number rests on,
    and what was left out and why.

    Args:
        validation: What was found.
        alterations: Which columns, in order; all if not given.
    """
    columns = validation.alterations if alterations is None else alterations
    rows: list[tuple[Cell, ...]] = [
        ("(a good metric)", *(column.expectation.value for column in columns))
    ]
    for metric in validation.metrics:
        outcomes = [validation.outcome(metric, column.name) for column in columns]
        rows.append((metric, *map(_difference, outcomes)))
    return Table(
        name="gem-validation",
        title=f"Standardised mean differences after alterations (as table 2 of {_SOURCE})",
        columns=("metric", *(column.name for column in columns)),
        rows=tuple(rows),
        notes=(
            f"{_MEASURE}.",
            f"falls, rises: significantly (p < {SIGNIFICANT}, two-sided paired t-test, or "
            "Wilcoxon's signed-rank test where that is undefined), not corrected for the number of "
            "cells. !: not what a good metric does. ?: it cannot be told.",
            *_counts(validation, {column.name for column in columns}),
        ),
    )


def _difference(outcome: AlterationOutcome) -> str:
    effect = outcome.effect
    words = ["–" if effect.d is None else _signed(effect.d), effect.direction]
    words.append({True: "", False: "!", None: "?"}[outcome.met])
    return " ".join(word for word in words if word)


def intervals(
    validation: Validation, alterations: Sequence[Described], *, name: str, title: str
) -> Table:
    """Metrics by alterations, each d with its interval, as tables 4 and 5 of the source.

    Args:
        validation: What was found.
        alterations: Which columns, in order.
        name: Name of the files.
        title: Line above the table.
    """
    how = validation.resampling
    kind = "BCa" if how.method == "bca" else "Percentile"
    return Table(
        name=name,
        title=title,
        columns=("metric", *(alteration.name for alteration in alterations)),
        rows=tuple(
            (
                metric,
                *(
                    _estimate(validation.outcome(metric, alteration.name))
                    for alteration in alterations
                ),
            )
            for metric in validation.metrics
        ),
        notes=(
            f"{_MEASURE}.",
            f"{kind} intervals of {how.percent} from {how.resamples:,} bootstrap samples of "
            "papers, each drawn with its scores before and after (a paired design: narrower than "
            "for independent samples).",
        ),
    )


def _estimate(outcome: AlterationOutcome) -> Estimate:
    effect = outcome.effect
    return Estimate(
        coefficient="d",
        value=effect.d,
        low=effect.low,
        high=effect.high,
        n=effect.n,
        dropped=dict(outcome.dropped),
        reason=effect.reason,
        undefined=effect.undefined,
        method=effect.method,
    )


_NUMBERS = (
    "d", "low", "high", "interval", "mean before", "mean after", "sd before", "sd after",
    "papers", "pairs", "t", "p (t)", "W", "p (Wilcoxon)", "papers moved", "direction", "expected",
    "as expected", "unchanged texts", "papers left out", "pairs left out", "why no d", "why no t",
    "why no W",
)  # fmt: skip


def numbers(validation: Validation) -> Table:
    """All numbers, unrounded, one row for each metric and alteration."""
    return Table(
        name="gem-validation-numbers",
        title="What alterations do to metrics, all numbers",
        columns=("metric", "alteration", "kind", *_NUMBERS),
        rows=tuple(_numbers(outcome) for outcome in validation.outcomes),
        keys=3,
    )


def _numbers(outcome: AlterationOutcome) -> tuple[Cell, ...]:
    effect, done = outcome.effect, outcome.alteration
    return (
        outcome.metric, done.name, done.kind.value, _exact(effect.d), _exact(effect.low),
        _exact(effect.high), effect.method, _exact(effect.before), _exact(effect.after),
        _exact(effect.before_sd), _exact(effect.after_sd), effect.n, outcome.pairs,
        _exact(effect.t.statistic), _exact(effect.t.p), _exact(effect.wilcoxon.statistic),
        _exact(effect.wilcoxon.p), effect.wilcoxon.n, effect.direction, done.expectation.value,
        {True: "yes", False: "no", None: "cannot be told"}[outcome.met], outcome.unchanged,
        _listed(outcome.dropped), _listed(outcome.dropped_pairs), effect.reason, effect.t.reason,
        effect.wilcoxon.reason,
    )  # fmt: skip


def area_table(areas: Sequence[Area]) -> Table:
    """Areas under the ROC curve of matched against mismatched references."""
    return Table(
        name="gem-discrimination",
        title="Matched against mismatched references",
        columns=("metric", "area under the ROC curve", "own pair won"),
        rows=tuple(
            (
                area.metric,
                area.estimate,
                "–" if area.wins is None else f"{area.wins:.3f}",
            )
            for area in areas
        ),
        notes=(
            "Area: the chance that a score against a paper's own references is above one against "
            "another paper's; 0.5 is blind. Own pair won: the share of papers whose own two "
            "scores are in that order. Ties count half; intervals are by paper.",
        ),
    )


def ladder_table(steps: Mapping[str, Sequence[LadderStep]]) -> Table:
    """Mean falls from step to step of the ladder, by metric, with one-sided p-values."""
    names = [f"{step.upper} to {step.lower}" for step in next(iter(steps.values()), ())]
    return Table(
        name="gem-ladder",
        title="Falls when less and less of a review is kept",
        columns=("metric", *names),
        rows=tuple((metric, *map(_step, ladder_steps)) for metric, ladder_steps in steps.items()),
        notes=(
            "Mean fall of the score in units of the metric, with the p-value of the paired t-test "
            "and of Wilcoxon's signed-rank test that the lower step scores less, one-sided, and "
            "the number of papers.",
        ),
    )


def _step(step: LadderStep) -> str:
    fall = "–" if step.fall is None else f"{step.fall:.4g}".replace("-", "−")
    return f"{fall} (t: {_p(step.t)}; W: {_p(step.wilcoxon)}; n={step.n:,})"


def _p(test: PairedTest) -> str:
    if test.p is None:
        return test.reason
    return f"p={test.p:.0e}" if test.p < _NEVER else f"p={test.p:.3f}"


def _counts(validation: Validation, shown: set[str]) -> list[str]:
    """How many papers and pairs each number rests on, and what was left out; equal lines once."""
    shared: dict[str, list[str]] = {}
    for outcome in validation.outcomes:
        if outcome.alteration.name not in shown:
            continue
        line = f"{outcome.effect.n:,} of {validation.papers:,} papers, {outcome.pairs:,} pairs"
        if outcome.dropped_pairs:
            line += f"; {sum(outcome.dropped_pairs.values()):,} pairs left out ("
            line += f"{_listed(outcome.dropped_pairs)})"
        if outcome.effect.reason:
            line += f"; no d: {outcome.effect.reason}"
        if outcome.unchanged:
            line += f"; {outcome.unchanged:,} texts unchanged"
        shared.setdefault(line, []).append(f"{outcome.metric} / {outcome.alteration.name}")
    if len(shared) < 2:  # noqa: PLR2004 - all numbers rest on the same
        return [f"{line}." for line in shared]
    most = max(shared, key=lambda line: len(shared[line]))
    return [
        f"{line}: {'all others' if line == most else ', '.join(names)}."
        for line, names in sorted(shared.items(), key=lambda entry: entry[0] == most)
    ]


def _listed(counts: Mapping[str, int]) -> str:
    return "; ".join(f"{count:,} {why}" for why, count in counts.items())


def _signed(value: float) -> str:
    return f"{value:.3f}".replace("-", "−")


def _exact(value: float | None) -> str:
    return "" if value is None else repr(value)


ROUNDS = 10
"""Derangements over which the area of matched against mismatched is averaged."""


class GemOfPapers:
    """GEM or GEM-S with the evaluation model of each pair's paper, as a metric.

    Args:
        evaluators: Finds the model.
        form: Text that is scored.
        synopsis: Condition on the pairs' synopses.
        name: As in tables.
    """

    def __init__(
        self, evaluators: Evaluators, form: TextForm, *, synopsis: bool, name: str
    ) -> None:
        self.name = name
        self._evaluators, self._form, self._synopsis = evaluators, form, synopsis
        self._models: dict[int, EvaluationModel] = {}

    def scored(self, pairs: Sequence[TextPair]) -> list[Scored]:
        """Nats of each pair, in order, or why there is no number."""
        out = [Scored(None, "the paper is in the background")] * len(pairs)
        groups: dict[int, list[int]] = {}
        for place, pair in enumerate(pairs):
            group = self._evaluators.group(pair.paper_id)
            if group is not None:
                groups.setdefault(group, []).append(place)
        for group, places in groups.items():
            if group not in self._models:
                self._models[group] = self._evaluators.model(self._form, group)
            gem = Gem(self._models[group], synopsis=self._synopsis)
            scores = gem.scored([pairs[place] for place in places])
            for place, score in zip(places, scores, strict=True):
                out[place] = score
        return out

    def scores(self, pairs: Sequence[TextPair]) -> list[float | None]:
        """Nats of each pair, in order; None where there is no number."""
        return [score.value for score in self.scored(pairs)]


@dataclass(frozen=True)
class Trial:
    """What a validation found.

    Attributes:
        validation: What alterations do to metrics.
        tables: All tables, the overview first.
        steps: The ladder's steps, by metric.
        notes: What a reader must know.
    """

    validation: Validation
    tables: list[Table]
    steps: Mapping[str, list[LadderStep]]
    notes: list[str] = field(default_factory=list)


def subjects_of(
    materials: Materials,
    variant: Variant,
    evaluators: Evaluators,
    *,
    candidate: str | None = None,
    limit: int | None = None,
    seed: int = 0,
) -> list[Subject]:
    """One candidate of each paper by a person, with its references and synopses.

    Only papers of one group are taken, and none that a model has learned from: another paper's
    review is put in a candidate's place, and the model may have seen neither.

    Args:
        materials: The reviews.
        variant: Which text is read, and what is known of a paper.
        evaluators: Finds the evaluation models.
        candidate: The reviewer whose reviews are candidates; each paper's first if not given.
        limit: Most papers, the first ones; all if not given.
        seed: Of the other paper that each is paired with.

    Raises:
        InputError: There are fewer than two papers with a candidate and a reference.
    """
    first: dict[str, Subject] = {}
    for one in chain.from_iterable(Cases(materials, variant, candidate=candidate)):
        if limit is not None and len(first) >= limit:
            break
        paper_id = one.candidate.paper_id
        seen = evaluators.group(paper_id) != 0  # by the model, or scored by another one
        if one.candidate.system != PEOPLE or paper_id in first or seen:
            continue
        synopses = tuple(pair.synopsis for pair in one.pairs)
        known = synopses[0] or summary_section(one.candidate.raw)
        case = AlterationCase(paper_id, one.pairs[0].candidate, variant.form, known)
        references = tuple(pair.reference for pair in one.pairs)
        row = materials.synopses.get(paper_id)
        text = row.text if row is not None else None
        first[paper_id] = Subject(case, references, text, synopses if any(synopses) else ())
    chosen = list(first.values())
    if len(chosen) < 2:  # noqa: PLR2004 - a paper and another one
        raise InputError(
            f"{len(chosen)} papers have a candidate and a reference; two are the least",
            cure="give more papers, or another --candidate",
        )
    altered = with_others([subject.case for subject in chosen], seed=seed)
    return [replace(subject, case=case) for subject, case in zip(chosen, altered, strict=True)]


def trial(
    metrics: Sequence[TextMetric],
    subjects: Sequence[Subject],
    *,
    more: Sequence[AlteredSet] = (),
    resampling: Resampling,
    seed: int = 0,
    say: Callable[[str], None] = lambda _: None,
) -> Trial:
    """Put metrics to every test.

    Args:
        metrics: What is validated.
        subjects: One for each paper.
        more: Candidates altered by a model.
        resampling: How intervals are made.
        seed: Of alterations and derangements.
        say: Told what goes on.
    """
    own = [altered_set(alteration, subjects, seed=seed) for alteration in (*ALTERATIONS, *LADDER)]
    say(f"{len(own) + len(more)} alterations of {len(subjects):,} candidates")
    validation = validate(metrics, subjects, [*own, *more], resampling=resampling)
    say(f"matched against mismatched, {ROUNDS} derangements")
    told = areas(metrics, subjects, seed=seed, rounds=ROUNDS, resampling=resampling)
    steps = {
        metric.name: ladder(
            {each.name: validation.outcome(metric.name, each.name).after for each in LADDER}
        )
        for metric in metrics
    }
    shown = [altered.alteration for altered in more] + list(ALTERATIONS)
    tables = [
        differences(validation, shown),
        *_by_kind(validation, shown),
        area_table(told),
        ladder_table(steps),
        numbers(validation),
    ]
    return Trial(validation, tables, steps, list(_unchanged(subjects, [*own, *more])))


def _unchanged(subjects: Sequence[Subject], sets: Sequence[AlteredSet]) -> Iterator[str]:
    """Which alterations leave how many candidates as they are, whether or not they are scored."""
    for altered in sets:
        count = sum(
            bool(candidates)
            and all(altered.text == subject.case.candidate for altered in candidates)
            for subject, candidates in zip(subjects, altered.candidates, strict=True)
        )
        if count and altered.alteration is not LADDER[0]:
            name = altered.alteration.name
            yield f"{name}: leaves {count:,} of {len(subjects):,} candidates as they are"


def _by_kind(validation: Validation, shown: Sequence[Described]) -> list[Table]:
    """One table with intervals for each kind of alteration."""
    titles = {
        AlterationKind.DEGRADATION: "Degradations, d with intervals"
        " (as table 4 of arXiv 2411.07228)",
        AlterationKind.MANIPULATION: "Manipulations, d with intervals"
        " (as table 5 of arXiv 2411.07228)",
        AlterationKind.ATTACK: "Attacks, d with intervals",
    }
    tables = []
    for kind, title in titles.items():
        columns = [description for description in shown if description.kind is kind]
        if columns:
            tables.append(intervals(validation, columns, name=f"gem-{kind.value}s", title=title))
    return tables
