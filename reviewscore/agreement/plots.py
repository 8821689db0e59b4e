"""Plots of a study as SVG and PNG: distributions, confusion, forests, coverage, disagreements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from reviewscore.agreement.disagree import Disagreement, DisagreementKind
from reviewscore.agreement.tables import KINDS, LabelsAndScores
from reviewscore.stats.metrics import rounded
from reviewscore.stats.plots import (
    COLOURS,
    bars_side_by_side,
    colour_of,
    dots,
    heat_map,
    new_figure,
    short_name,
    stacked_bars,
)
from reviewscore.stats.statistic import SCALE, Floats
from reviewscore.stats.tables import Table, estimate_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_BLUE, _ORANGE, _GREY = "#2b6cb0", "#c05621", "#718096"
_MOST_ROWS = 60


def figures(
    compared: LabelsAndScores, tables: Sequence[Table], found: dict[str, list[Disagreement]]
) -> Iterator[tuple[str, Figure]]:
    """All plots of a study with their names."""
    by_name = {table.name: table for table in tables}
    scored = any(not np.isnan(judge.advanced).all() for judge in compared.judges)
    if scored:
        yield "distributions", _distributions(compared)
        yield "confusion", _confusion(compared)
    for name in ("agreement", "shares"):
        yield f"forest-{name}", _forest(by_name[name])
    if scored:
        yield "coverage", _coverage(by_name["coverage"])
    if any(found.values()):
        yield "disagreements", _disagreements(found, by_people=compared.people.by_people)
        yield "differences", _differences(found, compared.people.readers)


def _distributions(compared: LabelsAndScores) -> Figure:
    """Scores of people and judges side by side, by type."""
    figure, axes = new_figure(1, len(KINDS), 3.0, 2.8)
    human = compared.people.advanced
    for axis, (name, kinds) in zip(axes, KINDS, strict=True):
        among = compared.of(kinds)
        series = [(compared.people.readers, human, _GREY)]
        series += [
            (short_name(judge.name), judge.advanced, colour_of(number))
            for number, judge in enumerate(compared.judges)
        ]
        bars = []
        for label, scores, colour in series:
            known = rounded(scores[among & ~np.isnan(scores)])
            heights = [float((known == score).mean()) if len(known) else 0.0 for score in SCALE]
            bars.append((f"{label} (n={len(known)})", heights, colour))
        bars_side_by_side(axis, np.asarray(SCALE), bars)
        axis.set_title(name)
        axis.set_xticks(SCALE)
        axis.set_xlabel(
            "standing (1, 2: would not stand)"
            if compared.people.on_standing
            else "score (1, 2: misinformed)"
        )
        axis.set_ylim(0, 1)
        axis.legend(fontsize=6, frameon=False)
    axes[0].set_ylabel("share of points")
    return figure


def _confusion(compared: LabelsAndScores) -> Figure:
    """Counts of people's score by the judge's, over all points."""
    judges = compared.judges
    columns = min(4, len(judges))
    rows = -(-len(judges) // columns)
    figure, axes = new_figure(rows, columns, 3.0, 3.0)
    human = compared.people.advanced
    for axis in axes[len(judges) :]:
        axis.set_visible(False)
    for axis, judge in zip(axes, judges, strict=False):
        both = rounded(np.stack([human, judge.advanced])[:, ~np.isnan(human + judge.advanced)])
        counts = np.histogram2d(both[0], both[1], bins=np.arange(0.5, 6))[0]
        most = counts.max()
        words = [[f"{count:.0f}" for count in row] for row in counts]
        heat_map(axis, counts, words, counts > most / 2, cmap="Blues", origin="lower",
                 vmin=0, vmax=max(1.0, most))  # fmt: skip
        axis.set_xticks(range(5), list("12345"))
        axis.set_yticks(range(5), list("12345"))
        axis.set_xlabel("judge")
        axis.set_ylabel(compared.people.readers)
        axis.set_title(f"{short_name(judge.name)} (n={counts.sum():.0f})", fontsize=8)
        axis.spines[:].set_visible(False)
    return figure


def _forest(table: Table) -> Figure:
    """Each estimate of a table with its interval."""
    rows = [
        (f"{' · '.join(map(short_name, names))} · {heading} (n={one.n})", one)
        for names, heading, one in table.estimates()
        if one.value is not None
    ]
    cut = f" (the first {_MOST_ROWS} of {len(rows)} estimates)" if len(rows) > _MOST_ROWS else ""
    rows = rows[:_MOST_ROWS]
    figure, (axis,) = new_figure(1, 1, 7.0, 0.6 + 0.22 * max(3, len(rows)))
    scale = 100.0 if table.kind == "percent" else 1.0
    colours = [_BLUE if one.p is None else _ORANGE for _, one in rows]
    dots(axis, [one for _, one in rows], colours, scale=scale)
    axis.axvline(0, color=_GREY, lw=0.6)
    axis.set_yticks(range(len(rows)), [label for label, _ in rows], fontsize=7)
    figure.suptitle(f"{table.title}{cut}", fontsize=9)
    axis.set_xlabel("percent" if table.kind == "percent" else "coefficient with its interval")
    return figure


def _coverage(table: Table) -> Figure:
    """F1 and kappa against the share of points that the judge keeps."""
    figure, axes = new_figure(1, 2, 3.6, 3.0)
    names = list(dict.fromkeys(str(row[0]) for row in table.rows))
    for axis, column, title in ((axes[0], 3, "F1"), (axes[1], 4, "Kappa")):
        for number, name in enumerate(names):
            points = _line(table, name, column)
            colour = colour_of(number)
            axis.plot(points[0], points[1], "o-", ms=4, color=colour, label=short_name(name))
            axis.fill_between(*points[[0, 2, 3]], alpha=0.15, color=colour, lw=0)
        axis.set_xlabel("points the judge keeps, %")
        axis.set_title(title)
        axis.set_xlim(102, axis.get_xlim()[0] - 5)
    axes[0].legend(fontsize=7, frameon=False)
    return figure


def _line(table: Table, name: str, column: int) -> Floats:
    """Share kept in percent, value, low and high of one judge at each step; shape (4, steps)."""
    steps = []
    for row in table.rows:
        share, one = estimate_of(row[2]), estimate_of(row[column])
        if row[0] == name and share is not None and one is not None:
            steps.append([share.value and 100 * share.value, one.value, one.low, one.high])
    # A missing value leaves a gap in the line.
    return np.asarray(steps, dtype=np.float64).reshape(-1, 4).T


def _disagreements(found: dict[str, list[Disagreement]], *, by_people: bool) -> Figure:
    """Disagreements of each judge by the likeliest kind and by type of point."""
    figure, axes = new_figure(1, len(KINDS) - 1, 3.4, 0.9 + 0.5 * len(found))
    other = DisagreementKind.MINORITY_READER if by_people else DisagreementKind.MINORITY
    shown = [kind for kind in DisagreementKind if kind is not other]
    for axis, (title, kinds) in zip(axes, KINDS[:-1], strict=True):
        mine = [[one for one in some if one.type in kinds] for some in reversed(found.values())]
        counts = [Counter(one.kinds[0] for one in some) for some in mine]
        parts = []
        for colour, kind in zip(COLOURS, shown, strict=False):
            shares = [100 * some[kind] / (some.total() or 1) for some in counts]
            parts.append((kind.value, np.asarray(shares), colour))
        stacked_bars(axis, range(len(found)), parts)
        for place, some in enumerate(mine):
            axis.text(101, place, f"n={len(some)}", va="center", fontsize=7)
        axis.set_yticks(
            range(len(found)), [short_name(name) for name in reversed(found)], fontsize=7
        )
        axis.set_xlim(0, 115)
        axis.set_title(title)
        axis.set_xlabel("% of disagreements")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, fontsize=7, frameon=False)
    return figure


def _differences(found: dict[str, list[Disagreement]], readers: str) -> Figure:
    """How far, and which way, the judges' scores lie from those of the labels."""
    figure, (axis,) = new_figure(1, 1, 5.0, 2.8)
    edges = np.arange(-4.5, 5.0, 1.0)
    bars = [
        (short_name(name), np.histogram([one.difference for one in some], bins=edges)[0].tolist(),
         colour_of(number))
        for number, (name, some) in enumerate(found.items())
    ]  # fmt: skip
    bars_side_by_side(axis, np.arange(-4.0, 5.0), bars)
    axis.set_xticks(range(-4, 5))
    theirs = "people's" if readers == "people" else f"that of {readers}"
    axis.set_xlabel(f"judge's score less {theirs} (left: the judge is stricter)")
    axis.set_ylabel("points that differ")
    axis.legend(fontsize=7, frameon=False)
    return figure
