"""Plots of GRE-bench as SVG and PNG: scores of systems against their size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from reviewscore.agreement.drawing import COLOURS, new_figure, save_all
from reviewscore.gem.materials import PEOPLE
from reviewscore.gem.ranking import Placed, Ranking

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BY_SIZE = "gem-by-size"
_GREY = "#718096"
_SHORT = 24
_STEP = 0.16
"""Distance of systems without a size, as a share of the width of their strip."""


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
    colours = {maker: COLOURS[n % len(COLOURS)] for n, maker in enumerate(makers)}
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
    known = [one for one in others if one.system in sizes]
    unknown = [one for one in others if one.system not in sizes]
    axis.set_xscale("log")
    axis.set_title(f"{ranking.variant} ({ranking.level:.0%} intervals)", fontsize=9)
    axis.set_xlabel("billions of parameters")
    biggest = max((sizes[one.system] for one in known), default=1.0)
    smallest = min((sizes[one.system] for one in known), default=1.0)
    right = biggest * 2
    for one in known:
        _point(axis, one, sizes[one.system], colours)
    if unknown:
        right = _strip(axis, unknown, right, colours)
    axis.set_xlim(smallest / 2, right)
    if people is not None and people.mean.value is not None:
        _band(axis, people)


def _strip(axis: Axes, unknown: Sequence[Placed], left: float, colours: Mapping[str, str]) -> float:
    """Systems without a size side by side; returns the right end of the strip."""
    axis.axvline(left, color=_GREY, lw=0.6, ls=":")
    place = left
    for one in sorted(unknown, key=lambda placed: placed.system):
        place *= 10**_STEP
        _point(axis, one, place, colours)
    right = place * 10**_STEP * 2
    middle = (left * right) ** 0.5
    axis.text(
        middle, 0.01, "size not known", transform=axis.get_xaxis_transform(), ha="center",
        va="bottom", fontsize=6, color=_GREY,
    )  # fmt: skip
    return right


def _point(axis: Axes, one: Placed, at: float, colours: Mapping[str, str]) -> None:
    value, low, high = one.mean.value, one.mean.low, one.mean.high
    assert value is not None, "only systems with a score have a place"
    maker = _maker(one.system)
    if low is not None and high is not None:
        axis.plot([at, at], [low, high], color=colours[maker], lw=1.0)
    _, labels = axis.get_legend_handles_labels()
    axis.plot(at, value, "o", ms=4, color=colours[maker], label=None if maker in labels else maker)
    axis.annotate(
        _short(one.system), (at, value), xytext=(3, 2), textcoords="offset points", fontsize=5
    )


def _band(axis: Axes, people: Placed) -> None:
    value, low, high = people.mean.value, people.mean.low, people.mean.high
    assert value is not None
    axis.axhline(value, color=_GREY, lw=1.0, zorder=0, label=PEOPLE)
    if low is not None and high is not None:
        axis.axhspan(low, high, color=_GREY, alpha=0.2, lw=0, zorder=0)


def _maker(system: str) -> str:
    """Who made a model, from ``maker/name``; the whole name where it has no slash."""
    return system.partition("/")[0]


def _short(system: str) -> str:
    name = system.partition("/")[2] or system
    half = _SHORT // 2
    return name if len(name) <= _SHORT else f"{name[:half]}…{name[-half:]}"
