"""Two years or venues: differences of rates, and what a shift of the types accounts for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from reviewscore.stats.estimates import Estimate, PendingEstimate, estimate
from reviewscore.stats.resampling import Resampling
from reviewscore.stats.statistic import Floats, Reason, ratio
from reviewscore.stats.two_samples import Of, PaperSample, combined, moved_over, of_two
from reviewscore.venue.comparison import Line, Section
from reviewscore.venue.outcomes import MEASURES, TYPES, VERDICTS, Measure
from reviewscore.venue.pairing import Columns
from reviewscore.venue.rates import settled, share

_KINDS = len(TYPES) - 1
_ONE_TYPE = "a run has points of a type in one paper only, so that there is no interval"


def by_paper(columns: Columns) -> Floats:
    """Points by paper, type and outcome, shape (papers, types, outcomes)."""
    papers, paper_of = np.unique(columns.papers, return_inverse=True)
    kinds, outcomes = len(TYPES), len(VERDICTS)
    place = (paper_of.reshape(-1) * kinds + columns.types) * outcomes + columns.outcomes
    counts = np.bincount(place, minlength=len(papers) * kinds * outcomes)
    return counts.reshape(len(papers), kinds, outcomes).astype(np.float64)


def unpaired_sections(first: Columns, second: Columns, how: Resampling) -> tuple[Section, ...]:
    """Differences of rates of two sets of papers.

    Args:
        first: Points of the first run.
        second: Of the second.
        how: How intervals are made; each run's papers are drawn on their own.
    """
    tables = by_paper(first), by_paper(second)
    runs = _Runs.of(tables, how)
    main, *others = MEASURES
    groups = [("all points", slice(None))]
    groups += [(f"{name}s", slice(code, code + 1)) for code, name in enumerate(TYPES[:-1])]
    lines = [runs.rate(group, main, kinds) for group, kinds in groups]
    return (
        _section("rates", f"{main.title}: two sets of papers", lines, (main,)),
        _composition(runs, main, lines),
        _mix(runs, main),
        _section(
            "others",
            "What else came of the points",
            [runs.rate(one.title, one, slice(None)) for one in others],
            others,
        ),
    )


@dataclass(frozen=True)
class _Runs:
    """Two sets of papers whose resamples are drawn once for all that is asked.

    Attributes:
        tables: Of each run, shape (papers, types, outcomes).
        samples: Its sums in the resamples, shape (resamples, types x outcomes).
    """

    tables: tuple[Floats, Floats]
    samples: tuple[PaperSample, PaperSample]
    how: Resampling

    @classmethod
    def of(cls, tables: tuple[Floats, Floats], how: Resampling) -> _Runs:
        first, second = (table.reshape(len(table), -1) for table in tables)
        return cls(
            tables, (PaperSample.of(first, how), PaperSample.of(second, how, second=True)), how
        )

    def rate(self, group: str, measure: Measure, kinds: slice) -> Line:
        """A rate in both runs, and its difference."""

        def cut(sums: Floats) -> Floats:
            some = _cube(sums)[:, kinds].sum(axis=1)
            return np.stack([some[:, measure.hit], some[:, measure.of].sum(axis=1)], axis=1)

        return self.share(group, cut)

    def share(self, group: str, cut: Callable[[Floats], Floats]) -> Line:
        """A share in both runs, and its difference.

        Args:
            group: Name of the row.
            cut: Sums of shape (samples, types x outcomes) to hits and bases, (samples, 2).
        """
        own = [_share(cut(sample.each), cut(sample.drawn), self.how) for sample in self.samples]
        quantity = _of_cut(cut)
        found = self.two("difference", quantity, n=own[0].n + own[1].n)
        if any(one.low is None or one.method == "wilson" for one in own):
            found = moved_over(found, own[0], own[1])
        return Line(group=group, estimates={"first": own[0], "second": own[1], "difference": found})

    def two(self, name: str, quantity: Of, *, n: int, why: Reason = Reason.NO_VERDICT) -> Estimate:
        """A quantity of both runs' sums."""
        first, second = self.samples
        return of_two(name, first, second, quantity, self.how, n=n, why=why)


def _cube(sums: Floats) -> Floats:
    """Sums by type and outcome, shape (samples, types, outcomes)."""
    return sums.reshape(len(sums), len(TYPES), len(VERDICTS))


def _of_cut(cut: Callable[[Floats], Floats]) -> Of:
    rate = rate_difference(0, 1)
    return lambda first, second: rate(cut(first), cut(second))


def _share(each: Floats, drawn: Floats, how: Resampling) -> Estimate:
    """A share of one run, by the resamples that were drawn for it."""
    asked = share("share", each[:, 0], each[:, 1])
    value, reason = asked.point()
    left_out = asked.from_sums(each.sum(axis=0) - each).value
    made = estimate("share", value, asked.from_sums(drawn).value, left_out, how,
                    n=asked.n, reason=reason.words)  # fmt: skip
    return settled(PendingEstimate(asked, estimate=made), how)


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


def _composition(runs: _Runs, measure: Measure, rates: Sequence[Line]) -> Section:
    """The difference as what rates within types, and what the mix of types accounts for.

    Args:
        runs: Both runs.
        measure: What is measured.
        rates: Its difference over all points, and then of each type.
    """

    def typed(sums: Floats) -> Floats:
        cube = _cube(sums)[:, :_KINDS]
        return np.concatenate([cube[:, :, measure.hit], cube[:, :, measure.of].sum(axis=2)], axis=1)

    def of(quantity: Of) -> Of:
        return lambda first, second: quantity(typed(first), typed(second))

    split = by_composition(_KINDS)
    bases = [typed(one.total)[0, _KINDS:] for one in runs.samples]
    n = round(float(sum(base.sum() for base in bases)))
    within, mix = (
        runs.two(name, of(quantity), n=n, why=Reason.TYPE_MISSING)
        for name, quantity in (("within", split.within), ("mix", split.mix))
    )
    each = [line.estimates["difference"] for line in rates[1:]]
    there = [(weight, one) for weight, one in zip(_weights(bases), each, strict=True) if weight]
    if any(one.method == "mover" or one.low is None for _, one in there):
        within = combined(within, there)  # resamples of a type do not vary
        if within.low is None and within.value is not None:
            within = within.model_copy(update={"reason": _ONE_TYPE})
    lines = tuple(
        Line(group=group, estimates={"difference": one})
        for group, one in (
            ("whole difference", rates[0].estimates["difference"]),
            ("within types (standardised)", within),
            ("shift of the mix of types", mix),
        )
    )
    return Section(
        name="composition",
        title=f"{measure.title}: drift within types, or other types?",
        columns={"difference": "Difference"},
        kinds={"difference": "difference"},
        lines=lines,
        notes=(
            "The whole difference is the sum of the two others (Kitagawa 1955, J. Am. Stat. Assoc. "
            "50, 1168-1194). Within types: the differences of each type's rate, weighted by the "
            "mean of both runs' shares of that type, so that a shift from questions to claims does "
            "not count. Mix: what that shift accounts for. Types are as each run's judge calls "
            "them: with two judges, a shift may be theirs.",
        ),
    )


def _mix(runs: _Runs, measure: Measure) -> Section:
    """The share of each type among the points that the rate is of."""

    def of_type(code: int) -> Callable[[Floats], Floats]:
        def cut(sums: Floats) -> Floats:
            known = _cube(sums)[:, :_KINDS][:, :, measure.of].sum(axis=2)
            return np.stack([known[:, code], known.sum(axis=1)], axis=1)

        return cut

    lines = [runs.share(f"{name}s", of_type(code)) for code, name in enumerate(TYPES[:-1])]
    note = Measure("mix", "Mix", f"share of each type among points counted for '{measure.title}'",
                   0, (0, 1))  # fmt: skip
    return _section("mix", "The mix of types", lines, (note,))


def _weights(bases: Sequence[Floats]) -> list[float]:
    """The mean of both runs' shares of each type; 0 throughout if a run has no points."""
    if not all(base.sum() for base in bases):
        return [0.0] * _KINDS
    return [float(one) for one in sum(base / base.sum() for base in bases) / 2]


def rate_difference(hit: int, base: int) -> Of:
    """The difference of the shares ``sums[hit] / sums[base]``."""

    def quantity(first: Floats, second: Floats) -> Floats:
        return ratio(second[:, hit], second[:, base]) - ratio(first[:, hit], first[:, base])

    return quantity


@dataclass(frozen=True)
class Split:
    """A difference of rates in two parts that add up to it.

    Kitagawa 1955, J. Am. Stat. Assoc. 50, 1168-1194.

    Attributes:
        within: What rates within the types differ by, types weighted by the mean of both runs'
            shares: the difference standardised by composition.
        mix: What the shares of the types differ by, each with the mean of both runs' rates.
    """

    within: Of
    mix: Of


def by_composition(kinds: int) -> Split:
    """The two parts of a difference of rates.

    Sums are ``kinds`` hits and then ``kinds`` bases, one of each type. A type that neither run has
    adds nothing; with one that a single run has, both parts are undefined.

    Args:
        kinds: How many types there are.
    """

    def read(sums: Floats) -> tuple[Floats, Floats]:
        base = sums[:, kinds:]
        return ratio(sums[:, :kinds], base), ratio(base, base.sum(axis=1, keepdims=True))

    def part(first: Floats, second: Floats, *, within: bool) -> Floats:
        (old_rate, old_share), (new_rate, new_share) = read(first), read(second)
        if within:
            each = (old_share + new_share) / 2 * (new_rate - old_rate)
        else:
            each = (old_rate + new_rate) / 2 * (new_share - old_share)
        neither = (first[:, kinds:] == 0) & (second[:, kinds:] == 0)
        total: Floats = np.where(neither, 0.0, each).sum(axis=1)
        return total

    return Split(
        within=lambda first, second: part(first, second, within=True),
        mix=lambda first, second: part(first, second, within=False),
    )
