"""Two judges on the same points: differences of rates, agreement, cross tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from reviewscore.stats.estimates import BootstrapPlan, Estimate, PendingEstimate
from reviewscore.stats.metrics import gwet_ac, krippendorff_alpha, weighted_kappa
from reviewscore.stats.resampling import Resampling
from reviewscore.stats.statistic import SCALE, Ints, Statistic
from reviewscore.venue.comparison import Cross, Kind, Line, Section
from reviewscore.venue.outcomes import MEASURES, TYPES, VERDICTS, Measure
from reviewscore.venue.pairing import Pairs, cross
from reviewscore.venue.rates import (
    paired_difference,
    plan_of_papers,
    settled,
    settled_difference,
    share,
)

_SCORES = ("none", "1", "2", "3", "4", "5")
_QUESTION, _CLAIM, _ARGUMENT = range(3)
Mask = np.ndarray[tuple[int], np.dtype[np.bool_]]
Settle = Callable[[PendingEstimate, Resampling], Estimate]


class _Asked:
    """Rows of one table whose estimates come when the plan has run."""

    def __init__(self, plan: BootstrapPlan) -> None:
        self.plan = plan
        self.rows: list[tuple[str, dict[str, tuple[PendingEstimate, Settle | None]]]] = []

    def row(self, group: str) -> dict[str, tuple[PendingEstimate, Settle | None]]:
        self.rows.append((group, {}))
        return self.rows[-1][1]

    def lines(self) -> tuple[Line, ...]:
        how = self.plan.resampling
        return tuple(
            Line(
                group=group,
                estimates={
                    name: slot.answer if settle is None else settle(slot, how)
                    for name, (slot, settle) in slots.items()
                },
            )
            for group, slots in self.rows
        )


def paired_sections(pairs: Pairs, how: Resampling) -> tuple[Section, ...]:
    """Rates and agreement on the points that two runs share.

    Args:
        pairs: The points of both.
        how: How intervals are made; papers are drawn whole.
    """
    plan = plan_of_papers(pairs.papers, how)
    first, *others = MEASURES
    rates, rest = _Asked(plan), _Asked(plan)
    for group, mask in _groups(pairs):
        _rate(pairs, first, mask, rates.row(group), plan)
    for one in others:
        _rate(pairs, one, np.ones(len(pairs), dtype=np.bool_), rest.row(one.title), plan)
    agreed = _scores(pairs, _Asked(plan))
    plan.run()
    return (
        _section("rates", f"{first.title}: the same points, paired", rates, (first,)),
        _section("others", "What else came of the same points", rest, others),
        _agreement(agreed),
    )


def _section(name: str, title: str, found: _Asked, asked: Sequence[Measure]) -> Section:
    return Section(
        name=name,
        title=title,
        columns={
            "first": "First run",
            "second": "Second run",
            "difference": "Difference",
            "exact": "Same in both",
        },
        kinds={"first": "share", "second": "share", "difference": "difference", "exact": "share"},
        lines=found.lines(),
        notes=(
            *(f"{one.title}: {one.meaning}." for one in asked),
            "Of points where both runs know it; the difference is the second run's share less the "
            "first one's. Rows of a type hold points that both runs call so.",
        ),
    )


def _groups(pairs: Pairs) -> list[tuple[str, Mask]]:
    ours, theirs = pairs.first.types, pairs.second.types
    groups = [("all points", np.ones(len(pairs), dtype=np.bool_))]
    return groups + [
        (f"{name}s", (ours == code) & (theirs == code)) for code, name in enumerate(TYPES[:-1])
    ]


def _rate(
    pairs: Pairs,
    measure: Measure,
    mask: Mask,
    slots: dict[str, tuple[PendingEstimate, Settle | None]],
    plan: BootstrapPlan,
) -> None:
    """Ask for a measure of both runs, its difference, and how often they say the same."""
    ours, theirs = pairs.first.outcomes, pairs.second.outcomes
    rows = mask & np.isin(ours, measure.of) & np.isin(theirs, measure.of)
    base = pairs.per_paper(rows)
    first, second = (pairs.per_paper(rows & (one == measure.hit)) for one in (ours, theirs))
    same = pairs.per_paper(rows & ((ours == measure.hit) == (theirs == measure.hit)))
    slots["first"] = plan.ask(share("first", first, base)), settled
    slots["second"] = plan.ask(share("second", second, base)), settled
    difference = paired_difference("difference", first, second, base)
    slots["difference"] = plan.ask(difference), settled_difference
    slots["exact"] = plan.ask(share("exact", same, base)), settled


def _scores(pairs: Pairs, found: _Asked) -> _Asked:
    """Agreement of BASE scores, scale by scale."""
    ours, theirs = pairs.first, pairs.second
    known = (ours.base > 0) & (theirs.base > 0)
    weak = np.isin(ours.types, (_CLAIM, _ARGUMENT)) & np.isin(theirs.types, (_CLAIM, _ARGUMENT))
    for group, mask in [*_groups(pairs)[1:], ("claims and arguments", weak)]:
        rows = np.flatnonzero(known & mask)
        columns = [one.base[rows].astype(np.float64) for one in (ours, theirs)]
        ratings = np.stack(columns, axis=1)
        asked = (
            weighted_kappa(columns[0], columns[1], categories=SCALE),
            gwet_ac(ratings, categories=SCALE),
            krippendorff_alpha(ratings, categories=SCALE),
        )
        _ask_all(found.row(group), found.plan, pairs, rows, (ours.base == theirs.base)[rows], asked)
    return found


def _ask_all(
    slots: dict[str, tuple[PendingEstimate, Settle | None]],
    plan: BootstrapPlan,
    pairs: Pairs,
    rows: Ints,
    same: Mask,
    asked: Sequence[Statistic],
) -> None:
    """Ask for how often some pairs are the same, and for coefficients; by papers."""
    one = np.zeros(len(pairs), dtype=np.bool_)
    one[rows] = True
    base = pairs.per_paper(one)
    one[rows] = same
    slots["exact"] = plan.ask(share("exact", pairs.per_paper(one), base)), settled
    for statistic in asked:
        slots[statistic.name] = plan.ask(pairs.by_paper(statistic, rows)), None


def _agreement(found: _Asked) -> Section:
    coefficients = {"kappa": "Weighted kappa", "ac2": "Gwet AC2", "alpha": "Krippendorff alpha"}
    kinds: dict[str, Kind] = {"exact": "share", **dict.fromkeys(coefficients, "coefficient")}
    note = (
        "BASE scores 1 to 5 where both runs have one: kappa and AC2 with quadratic weights, "
        "alpha ordinal, always over the whole scale. Questions (unanswerability) and claims and "
        "arguments (factuality) are two scales and never mixed."
    )
    return Section(
        name="agreement",
        title="Agreement of the two runs",
        columns={"exact": "Same score", **coefficients},
        kinds=kinds,
        lines=found.lines(),
        notes=(note, "Agreement of two judges is no accuracy: both may be mistaken alike."),
    )


def crosses(pairs: Pairs) -> tuple[Cross, ...]:
    """Cross tables of types, verdicts and scores."""
    ours, theirs = pairs.first, pairs.second
    question = (ours.types == _QUESTION) & (theirs.types == _QUESTION)
    weak = np.isin(ours.types, (_CLAIM, _ARGUMENT)) & np.isin(theirs.types, (_CLAIM, _ARGUMENT))
    return (
        _cross("types", "Types", TYPES, ours.types, theirs.types),
        _cross("outcomes", "Verdicts", VERDICTS, ours.outcomes, theirs.outcomes),
        _cross("scores-questions", "BASE scores of questions", _SCORES, ours.base[question],
               theirs.base[question]),
        _cross("scores-weaknesses", "BASE scores of claims and arguments", _SCORES,
               ours.base[weak], theirs.base[weak]),
    )  # fmt: skip


def _cross(name: str, title: str, values: tuple[str, ...], rows: Ints, columns: Ints) -> Cross:
    counts = cross(rows, columns, len(values))
    return Cross(name=name, title=title, values=values, counts=counts)
