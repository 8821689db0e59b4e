"""Validations as tables 2, 4 and 5 of arXiv 2411.07228, and all their numbers; areas; ladders.

`stats.tables` turns them into Markdown, CSV and LaTeX.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reviewscore.gem.alterations.alteration import Described
from reviewscore.gem.discrimination import Area, Step
from reviewscore.gem.validation import Outcome, Validation
from reviewscore.stats.effects import SIGNIFICANT, PairedTest
from reviewscore.stats.estimates import Estimate
from reviewscore.stats.tables import Cell, Table

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
        ("(a good metric)", *(one.expectation.value for one in columns))
    ]
    for metric in validation.metrics:
        outcomes = [validation.outcome(metric, one.name) for one in columns]
        rows.append((metric, *map(_difference, outcomes)))
    return Table(
        name="gem-validation",
        title=f"Standardised mean differences after alterations (as table 2 of {_SOURCE})",
        columns=("metric", *(one.name for one in columns)),
        rows=tuple(rows),
        notes=(
            f"{_MEASURE}.",
            f"falls, rises: significantly (p < {SIGNIFICANT}, two-sided paired t-test, or "
            "Wilcoxon's signed-rank test where that is undefined), not corrected for the number of "
            "cells. !: not what a good metric does. ?: it cannot be told.",
            *_counts(validation, {one.name for one in columns}),
        ),
    )


def _difference(outcome: Outcome) -> str:
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
        columns=("metric", *(one.name for one in alterations)),
        rows=tuple(
            (metric, *(_estimate(validation.outcome(metric, one.name)) for one in alterations))
            for metric in validation.metrics
        ),
        notes=(
            f"{_MEASURE}.",
            f"{kind} intervals of {how.percent} from {how.resamples:,} bootstrap samples of "
            "papers, each drawn with its scores before and after (a paired design: narrower than "
            "for independent samples).",
        ),
    )


def _estimate(outcome: Outcome) -> Estimate:
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
        rows=tuple(_numbers(one) for one in validation.outcomes),
        keys=3,
    )


def _numbers(outcome: Outcome) -> tuple[Cell, ...]:
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
                one.metric,
                Estimate(
                    coefficient="area",
                    value=one.value,
                    low=one.low,
                    high=one.high,
                    n=one.n,
                    dropped=one.dropped,
                    reason=one.reason,
                    method=one.method,
                ),
                "–" if one.wins is None else f"{one.wins:.3f}",
            )
            for one in areas
        ),
        notes=(
            "Area: the chance that a score against a paper's own references is above one against "
            "another paper's; 0.5 is blind. Own pair won: the share of papers whose own two "
            "scores are in that order. Ties count half; intervals are by paper.",
        ),
    )


def ladder_table(steps: Mapping[str, Sequence[Step]]) -> Table:
    """Mean falls from step to step of the ladder, by metric, with one-sided p-values."""
    names = [f"{one.upper} to {one.lower}" for one in next(iter(steps.values()), ())]
    return Table(
        name="gem-ladder",
        title="Falls when less and less of a review is kept",
        columns=("metric", *names),
        rows=tuple((metric, *map(_step, found)) for metric, found in steps.items()),
        notes=(
            "Mean fall of the score in units of the metric, with the p-value of the paired t-test "
            "and of Wilcoxon's signed-rank test that the lower step scores less, one-sided, and "
            "the number of papers.",
        ),
    )


def _step(step: Step) -> str:
    fall = "–" if step.fall is None else f"{step.fall:.4g}".replace("-", "−")
    return f"{fall} (t: {_p(step.t)}; W: {_p(step.wilcoxon)}; n={step.n:,})"


def _p(test: PairedTest) -> str:
    if test.p is None:
        return test.reason
    return f"p={test.p:.0e}" if test.p < _NEVER else f"p={test.p:.3f}"


def _counts(validation: Validation, shown: set[str]) -> list[str]:
    """How many papers and pairs each number rests on, and what was left out; equal lines once."""
    shared: dict[str, list[str]] = {}
    for one in validation.outcomes:
        if one.alteration.name not in shown:
            continue
        line = f"{one.effect.n:,} of {validation.papers:,} papers, {one.pairs:,} pairs"
        if one.dropped_pairs:
            line += f"; {sum(one.dropped_pairs.values()):,} pairs left out ("
            line += f"{_listed(one.dropped_pairs)})"
        if one.effect.reason:
            line += f"; no d: {one.effect.reason}"
        if one.unchanged:
            line += f"; {one.unchanged:,} texts unchanged"
        shared.setdefault(line, []).append(f"{one.metric} / {one.alteration.name}")
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
