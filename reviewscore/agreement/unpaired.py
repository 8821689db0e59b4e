"""Two years or venues: differences of rates, and what a shift of the types accounts for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reviewscore.agreement.comparison import Line, Section
from reviewscore.agreement.drift import (
    Sample,
    by_composition,
    moved_over,
    of_two,
    rate_difference,
)
from reviewscore.agreement.measure import Estimate, Resampling
from reviewscore.agreement.outcomes import FINDINGS, TYPES, Measure, measures
from reviewscore.agreement.pairing import Columns
from reviewscore.agreement.rates import rates
from reviewscore.agreement.statistic import Floats, Reason

_KINDS = len(TYPES) - 1


def by_paper(columns: Columns) -> Floats:
    """Points by paper, type and outcome, shape (papers, types, outcomes)."""
    papers, paper_of = np.unique(columns.papers, return_inverse=True)
    kinds, outcomes = len(TYPES), len(FINDINGS)
    place = (paper_of.reshape(-1) * kinds + columns.types) * outcomes + columns.outcomes
    counts = np.bincount(place, minlength=len(papers) * kinds * outcomes)
    return counts.reshape(len(papers), kinds, outcomes).astype(np.float64)


def unpaired_sections(
    first: Columns, second: Columns, how: Resampling, *, lexical: bool
) -> tuple[Section, ...]:
    """Differences of rates of two sets of papers.

    Args:
        first: Points of the first run.
        second: Of the second.
        how: How intervals are made; each run's papers are drawn on their own.
        lexical: Whether both runs are of the embedded judge.
    """
    tables = by_paper(first), by_paper(second)
    asked = measures(lexical)
    first_measure, *others = asked
    groups = [("all points", slice(None))]
    groups += [(f"{name}s", slice(code, code + 1)) for code, name in enumerate(TYPES[:-1])]
    lines = [
        _line(group, [table[:, kinds].sum(axis=1) for table in tables], first_measure, how)
        for group, kinds in groups
    ]
    rest = [_line(one.title, [table.sum(axis=1) for table in tables], one, how) for one in others]
    return (
        _section("rates", f"{first_measure.title}: two sets of papers", lines, asked[:1]),
        _composition(tables, first_measure, how),
        _mix(tables, first_measure, how),
        _section("others", "What else came of the points", rest, others),
    )


def _line(group: str, cells: list[Floats], measure: Measure, how: Resampling) -> Line:
    own = [rates([cell], [measure], how)[0][measure.name] for cell in cells]
    difference = _difference(cells, own, measure, how)
    return Line(
        group=group, estimates={"first": own[0], "second": own[1], "difference": difference}
    )


def _section(name: str, title: str, lines: Sequence[Line], asked: Sequence[Measure]) -> Section:
    return Section(
        name=name,
        title=title,
        columns={"first": "First run", "second": "Second run", "difference": "Difference"},
        kinds={"first": "share", "second": "share", "difference": "difference"},
        lines=tuple(lines),
        notes=(
            *(f"{one.title}: {one.meaning}." for one in asked),
            "The difference is the second run's share less the first one's.",
        ),
    )


def _difference(
    cells: list[Floats], own: list[Estimate], measure: Measure, how: Resampling
) -> Estimate:
    sums = [
        np.stack([cell[:, measure.hit], cell[:, measure.of].sum(axis=1)], axis=1) for cell in cells
    ]
    samples = Sample.of(sums[0], how), Sample.of(sums[1], how, second=True)
    n = own[0].n + own[1].n
    found = of_two("difference", *samples, rate_difference(0, 1), how, n=n)
    if any(one.value in (0.0, 1.0) for one in own):
        return moved_over(found, own[0], own[1])
    return found


def _composition(tables: tuple[Floats, Floats], measure: Measure, how: Resampling) -> Section:
    """The difference as what rates within types, and what the mix of types accounts for."""
    samples, n = [], 0
    for place, table in enumerate(tables):
        typed = table[:, :_KINDS]
        base = typed[:, :, measure.of].sum(axis=2)
        each = np.concatenate([typed[:, :, measure.hit], base], axis=1)
        n += round(float(base.sum()))
        samples.append(Sample.of(each, how, second=place == 1))
    split = by_composition(_KINDS)
    whole = _pooled
    lines = [
        Line(group=group, estimates={"difference": of_two(
            name, samples[0], samples[1], quantity, how, n=n, why=Reason.TYPE_MISSING)})
        for group, name, quantity in (
            ("whole difference", "whole", whole),
            ("within types (standardised)", "within", split.within),
            ("shift of the mix of types", "mix", split.mix),
        )
    ]  # fmt: skip
    return Section(
        name="composition",
        title=f"{measure.title}: drift within types, or other types?",
        columns={"difference": "Difference"},
        kinds={"difference": "difference"},
        lines=tuple(lines),
        notes=(
            "The whole difference is the sum of the two others (Kitagawa 1955, J. Am. Stat. Assoc. "
            "50, 1168-1194). Within types: the differences of each type's rate, weighted by the "
            "mean of both runs' shares of that type, so that a shift from questions to claims does "
            "not count. Mix: what that shift accounts for. Types are as each run's judge calls "
            "them: with two judges, a shift may be theirs.",
        ),
    )


def _mix(tables: tuple[Floats, Floats], measure: Measure, how: Resampling) -> Section:
    """The share of each type among the points that the rate is of."""
    lines = []
    for code, name in enumerate(TYPES[:-1]):
        of_type = Measure("mix", f"{name}s", f"points that are {name}s", 0, (0, 1))
        cells = []
        for table in tables:
            known = table[:, :_KINDS][:, :, measure.of].sum(axis=2)
            rest = known.sum(axis=1) - known[:, code]
            cells.append(np.stack([known[:, code], rest], axis=1))
        lines.append(_line(f"{name}s", cells, of_type, how))
    note = Measure("mix", "Mix", f"share of each type among points counted for '{measure.title}'",
                   0, (0, 1))  # fmt: skip
    return _section("mix", "The mix of types", lines, (note,))


def _pooled(first: Floats, second: Floats) -> Floats:
    """The difference of the rates over all types."""
    sums = [
        np.stack([one[:, :_KINDS].sum(axis=1), one[:, _KINDS:].sum(axis=1)], axis=1)
        for one in (first, second)
    ]
    return rate_difference(0, 1)(sums[0], sums[1])
