"""Plots of GRE-bench as SVG and PNG: scores of systems against their size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import log
from pathlib import Path
from typing import TYPE_CHECKING

from reviewscore.gem.ranking import Placed, Ranking
from reviewscore.sources.system_reviews import PEOPLE
from reviewscore.stats.plots import colour_of, new_figure, save_all, short_name
from reviewscore.stats.resampling import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BY_SIZE = "gem-by-size"
_GREY = "#718096"
_SHORT = 24
_STEP = 0.12
"""Distance of systems without a size, as a share of the width that sizes take."""
_WIDE = 100.0
"""From this ratio of sizes on, ticks stand at powers of ten alone."""
_APART, _SIGN, _LINE = 0.015, 0.0095, 0.03
"""Of a label: its distance to the point, a sign's width and a line's height, as shares of axes."""


def draw_by_size(
    rankings: Sequence[Ranking], sizes: Mapping[str, float], folder: Path
) -> list[Path]:
    """Draw systems' means against their size, a panel for each variant.

    Error bars are the rankings' intervals; people are a grey line with their interval as a band
    (arXiv 2411.07228, fig. 5). Systems whose size is not known stand in a strip at the right.

    Args:
        rankings: One for each variant.
        sizes: Billions of parameters by system.
        folder: Where to.

    Returns:
        The files written; SVG and PNG. Nothing is drawn where no system has a score.
    """
    drawn = [one for one in rankings if any(place.system != PEOPLE for place in one.places)]
    return save_all(_figures(drawn, sizes), folder)


def _figures(
    rankings: Sequence[Ranking], sizes: Mapping[str, float]
) -> Iterator[tuple[str, Figure]]:
    if not rankings:
        return
    figure, axes = new_figure(1, len(rankings), 4.6, 3.8)
    systems = sorted({one.system for ranking in rankings for one in ranking.places} - {PEOPLE})
    makers = sorted({_maker(one) for one in systems})
    colours = {maker: colour_of(n) for n, maker in enumerate(makers)}
    for axis, ranking in zip(axes, rankings, strict=True):
        _panel(axis, ranking, sizes, colours)
    axes[0].set_ylabel("nats, mean over papers")
    handles, labels = [], []
    for axis in axes:  # a maker may be missing in one panel
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True):
            if label not in labels:
                handles.append(handle)
                labels.append(label)
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=7, frameon=False)
    yield BY_SIZE, figure


def _panel(
    axis: Axes, ranking: Ranking, sizes: Mapping[str, float], colours: Mapping[str, str]
) -> None:
    people = next((one for one in ranking.places if one.system == PEOPLE), None)
    others = [one for one in ranking.places if one.system != PEOPLE]
    known = [sizes[one.system] for one in others if one.system in sizes]
    unknown = sorted(one.system for one in others if one.system not in sizes)
    left, right = min(known, default=1.0) / 2, max(known, default=1.0) * 2
    step = (right / left) ** _STEP
    places = {**sizes, **{name: right * step**n for n, name in enumerate(unknown, start=1)}}
    end = right * step ** (len(unknown) + 1) if unknown else right
    axis.set_xscale("log")
    axis.set_title(f"{ranking.variant} ({percent(ranking.level)} intervals)", fontsize=9)
    axis.set_xlabel("billions of parameters")
    _ticks(axis, known)
    if unknown:
        axis.axvline(right, color=_GREY, lw=0.6, ls=":")
        axis.text(
            (right * end) ** 0.5, 0.0, "size not known", transform=axis.get_xaxis_transform(),
            ha="center", va="bottom", fontsize=6, color=_GREY,
        )  # fmt: skip
    for one in others:
        _point(axis, one, places[one.system], colours[_maker(one.system)])
    if people is not None and people.mean.value is not None:
        _band(axis, people)
    axis.set_xlim(left, end * step)  # room for the last label
    _labels(axis, [(places[one.system], one) for one in others])


def _ticks(axis: Axes, known: Sequence[float]) -> None:
    """Round sizes within the range; the axis ends where sizes are not known."""
    from matplotlib.ticker import NullLocator

    low, high = min(known, default=1.0) / 2, max(known, default=1.0) * 2
    decades = range(-3, 7)
    wide = high / low > _WIDE
    marks = [n * 10.0**one for one in decades for n in ((1,) if wide else (1, 2, 5))]
    inside = [mark for mark in marks if known and low <= mark <= high]
    axis.set_xticks(inside, [f"{mark:g}" for mark in inside])
    axis.xaxis.set_minor_locator(NullLocator())


def _point(axis: Axes, one: Placed, at: float, colour: str) -> None:
    value, low, high = one.mean.value, one.mean.low, one.mean.high
    assert value is not None, "only systems with a score have a place"
    if low is not None and high is not None:
        axis.plot([at, at], [low, high], color=colour, lw=1.0)
    maker = _maker(one.system)
    _, labels = axis.get_legend_handles_labels()
    axis.plot(at, value, "o", ms=4, color=colour, label=None if maker in labels else maker)


def _labels(axis: Axes, placed: Sequence[tuple[float, Placed]]) -> None:
    """Names beside their points, each moved up until it covers no other."""
    low, high = axis.get_ylim()
    left, right = axis.get_xlim()
    taken: list[tuple[float, float, float]] = []
    for at, one in sorted(placed, key=lambda pair: (pair[1].mean.value or 0.0, pair[0])):
        name = short_name(one.system, _SHORT)
        x = log(at / left) / log(right / left) + _APART
        y = ((one.mean.value or 0.0) - low) / (high - low)
        end = x + _SIGN * len(name)
        for from_, to, height in sorted(taken, key=lambda box: box[2]):
            if from_ < end and x < to and abs(height - y) < _LINE:
                y = height + _LINE
        taken.append((x, end, y))
        axis.text(x, y, name, transform=axis.transAxes, fontsize=5, va="center")


def _band(axis: Axes, people: Placed) -> None:
    value, low, high = people.mean.value, people.mean.low, people.mean.high
    assert value is not None
    axis.axhline(value, color=_GREY, lw=1.0, zorder=0, label=PEOPLE)
    if low is not None and high is not None:
        axis.axhspan(low, high, color=_GREY, alpha=0.2, lw=0, zorder=0)


def _maker(system: str) -> str:
    """Who made a model, from ``maker/name``; the whole name where it has no slash."""
    return system.partition("/")[0]
