"""Plots of similarity as SVG and PNG: methods, losses by length, nearest reviewers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, groupby
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from reviewscore.similarity.affinity import Affinity
from reviewscore.similarity.pairs import PaperPair
from reviewscore.similarity.tables import (
    BETTER,
    LEFT_OUT,
    NEAREST,
    NEAREST_SHOWN,
    SWEEP,
    TOP,
    WORSE,
    higher_is_better,
)
from reviewscore.stats.estimates import Estimate
from reviewscore.stats.plots import COLOURS, colour_of, dots, new_figure, save_all, short_name
from reviewscore.stats.statistic import Floats
from reviewscore.stats.tables import Table, estimate_of
from reviewscore.stats.writing import file_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BLUE, _ORANGE, _GREEN, _GREY = COLOURS[0], COLOURS[1], COLOURS[2], COLOURS[5]
_COLOUR_OF_FINDING = {BETTER: _GREEN, WORSE: _ORANGE}
_MOST = 40
"""Methods in a plot; tables have all of them."""
_MOST_LINES = 8
"""Methods in a plot by cut-off, as many as there are colours."""
_WIDTH = 0.8
"""Of the methods' values beside each other, in papers."""
_LABEL = 34
_KEY = (
    "Right: difference to the baseline; green better, orange worse, grey not told apart. "
    "Hollow: chosen on other participants."
)


def draw_methods(
    tables: Sequence[Table],
    folder: Path,
    *,
    losses: Mapping[str, Sequence[float]] | None = None,
    lengths: Sequence[int] = (),
) -> list[Path]:
    """Draw each table of methods, and the losses of a sweep.

    Args:
        tables: What `similarity.tables.tables` makes; others are passed over.
        folder: Where to; plots of an earlier run that are not made again are taken away.
        losses: By name of the recipe, the loss at each length.
        lengths: How many recent papers are in a profile.

    Returns:
        The files written.
    """
    figures = chain(_methods(tables), _sweep(losses or {}, lengths))
    return save_all(figures, folder, earlier=_earlier(folder))


def draw_nearest(
    affinity: Affinity, nearest: Mapping[str, Sequence[PaperPair]], folder: Path
) -> list[Path]:
    """Draw how near all reviewers are to some submissions, and the nearest of them.

    Args:
        affinity: What was compared.
        nearest: Of the first submissions, reviewers nearest first.
        folder: Where to; as of `draw_methods`.

    Returns:
        The files written.
    """
    return save_all(_nearest(affinity, nearest), folder, earlier=_earlier(folder))


def _earlier(folder: Path) -> list[str]:
    return [path.stem for path in folder.glob("similarity-*.svg")]


def _methods(tables: Sequence[Table]) -> Iterator[tuple[str, Figure]]:
    known = [table for table in tables if table.columns[:3] == ("measure", "method", "basis")]
    at_top = [table for table in known if table.name.startswith(TOP)]
    for table in known:
        if table not in at_top:
            yield file_name(table.name), _forest(table)
    if at_top:
        yield TOP, _by_cutoff(at_top)


def _by_cutoff(tables: Sequence[Table]) -> Figure:
    """A panel for each measure at the top k: each method's values with intervals, by k."""
    pair_groups: dict[str, dict[str, list[tuple[int, Estimate]]]] = {}
    for row in chain.from_iterable(table.rows for table in tables):
        measure, _, cutoff = str(row[0]).partition("@")
        if (estimate := estimate_of(row[3])) is not None and estimate.value is not None:
            pair_groups.setdefault(measure, {}).setdefault(str(row[1]), []).append(
                (int(cutoff), estimate)
            )
    figure, axes = new_figure(1, max(1, len(pair_groups)), 2.8, 3.4)
    more = 0
    for axis, (measure, methods) in zip(axes, pair_groups.items(), strict=False):
        shown = dict(list(methods.items())[:_MOST_LINES])
        for place, (name, values) in enumerate(shown.items()):
            _line(axis, values, colour_of(place), short_name(name, _LABEL),
                  shift=_WIDTH * (place + 0.5) / len(shown) - _WIDTH / 2)  # fmt: skip
        best = "higher" if higher_is_better(measure) else "lower"
        axis.set_title(f"{measure} ({best} is better)", fontsize=8)
        axis.set_xticks(sorted({k for values in shown.values() for k, _ in values}))
        axis.set_xlabel("papers at the top")
        more = len(methods) - len(shown)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=7, frameon=False)
    cut = f" (the first {_MOST_LINES} methods; tables have {more} more)" if more else ""
    figure.suptitle(f"Measures at the top, with intervals{cut}", fontsize=9)
    return figure


def _line(
    axis: Axes, values: Sequence[tuple[int, Estimate]], colour: str, label: str, *, shift: float
) -> None:
    """A method's values, moved aside so that intervals do not cover each other."""
    places = [cutoff + shift for cutoff, _ in values]
    heights = np.asarray([result.value for _, result in values], dtype=np.float64)
    axis.plot(places, heights, "o-", ms=3, lw=0.8, color=colour, label=label)
    for place, (_, estimate) in zip(places, values, strict=True):
        if estimate.low is not None and estimate.high is not None:
            axis.plot([place, place], [estimate.low, estimate.high], color=colour, lw=1.0)


def _forest(table: Table) -> Figure:
    """A row of panels for each measure: values, and differences to the baseline."""
    groups = [(name, list(rows)) for name, rows in groupby(table.rows, lambda row: str(row[0]))]
    most = min(_MOST, max(len(rows) for _, rows in groups))
    figure, axes = new_figure(len(groups), 2, 4.4, 0.75 + 0.24 * most)
    for (measure, rows), left, right in zip(groups, axes[::2], axes[1::2], strict=True):
        shown = rows[:_MOST]
        hollow = [row[2] == LEFT_OUT for row in shown]
        dots(left, [estimate_of(row[3]) for row in shown], [_BLUE] * len(shown), hollow=hollow)
        colours = [_COLOUR_OF_FINDING.get(str(row[5]), _GREY) for row in shown]
        dots(right, [estimate_of(row[4]) for row in shown], colours, hollow=hollow)
        right.axvline(0, color=_GREY, lw=0.6)
        names = [short_name(str(row[1]), _LABEL) for row in shown]
        left.set_yticks(range(len(names)), names, fontsize=7)
        right.set_yticks([])
        best = "higher" if higher_is_better(measure) else "lower"
        more = f", the first {_MOST} of {len(rows)}" if len(rows) > _MOST else ""
        left.set_title(f"{measure} ({best} is better{more})", fontsize=8)
        right.set_title(table.columns[4], fontsize=8)
    figure.suptitle(table.title, fontsize=9)
    figure.supxlabel(_KEY, fontsize=7)
    return figure


def _sweep(
    losses: Mapping[str, Sequence[float]], lengths: Sequence[int]
) -> Iterator[tuple[str, Figure]]:
    """A line for each recipe."""
    if not losses:
        return
    from matplotlib.ticker import MaxNLocator

    figure, (axis,) = new_figure(1, 1, 5.4, 3.4)
    for place, (name, values) in enumerate(losses.items()):
        axis.plot(lengths, values, marker=".", color=colour_of(place), label=name)
    axis.xaxis.set_major_locator(MaxNLocator(integer=True))  # there is no half a paper
    axis.set_xlabel("papers in a profile, most recent first")
    axis.set_ylabel("loss (lower is better)")
    axis.legend(fontsize=7, frameon=False)
    yield SWEEP, figure


def _nearest(
    affinity: Affinity, nearest: Mapping[str, Sequence[PaperPair]]
) -> Iterator[tuple[str, Figure]]:
    drawn = {name: some[:NEAREST_SHOWN] for name, some in nearest.items() if some}
    if not drawn:
        return
    figure, (axis,) = new_figure(1, 1, 6.6, 1.2 + 0.3 * len(drawn))
    scores = _scores(affinity, list(drawn))
    for place, (name, some) in enumerate(drawn.items()):
        _submission(axis, place, scores[name], some)
    axis.set_yticks(range(len(drawn)), [short_name(text) for text in drawn], fontsize=7)
    axis.invert_yaxis()
    axis.margins(x=0.12)  # room for the names
    axis.set_xlabel(f"similarity ({affinity.recipe.name}), on the method's own scale")
    count = len(affinity.reviewers) - len(affinity.unread.reviewers)
    figure.suptitle(f"The nearest reviewers of {len(drawn)} submissions", fontsize=9)
    key = (
        f"Line: all {count:,} reviewers; thick: the middle half of them; dots: the nearest.\n"
        "The nearest is named; a dot is hollow where the submission is the reviewer's own."
    )
    figure.supxlabel(key, fontsize=7)
    yield NEAREST, figure


def _submission(axis: Axes, place: int, scores: Floats, some: Sequence[PaperPair]) -> None:
    low, first, third, high = np.quantile(scores, [0.0, 0.25, 0.75, 1.0])
    axis.plot([low, high], [place, place], color=_GREY, lw=0.8)
    axis.plot([first, third], [place, place], color=_GREY, lw=4, alpha=0.5, solid_capstyle="butt")
    for pair in some:
        face = "white" if pair.conflict else _BLUE
        axis.plot(pair.similarity, place, "o", ms=4, color=_BLUE, mfc=face)
    axis.annotate(
        short_name(some[0].reviewer, 18), (some[0].similarity, place), xytext=(5, 0),
        textcoords="offset points", va="center", fontsize=6,
    )  # fmt: skip


def _scores(affinity: Affinity, submissions: Sequence[str]) -> dict[str, Floats]:
    """Known similarities of submissions with all reviewers; what follows them is not computed."""
    left, value_groups = set(submissions), dict[str, Floats]()
    for block in affinity.blocks():
        for place, row in enumerate(block.scores, block.first):
            if (name := affinity.submissions[place]) in left:
                left.discard(name)
                value_groups[name] = row[~np.isnan(row)]
        if not left:
            break
    return value_groups
