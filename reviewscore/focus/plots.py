"""Plots of focus as SVG and PNG: shares, differences, confusion of labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from reviewscore.focus.blind_spots import FacetDifference
from reviewscore.focus.distribution import FOUR, CodedPoints, distribution
from reviewscore.focus.facets import FacetKind, Polarity
from reviewscore.focus.human_labels import CONFUSION, FacetRatings, confusion, confusion_name
from reviewscore.stats.plots import colour_of, heat_map, new_figure, save_all, stacked_bars
from reviewscore.stats.statistic import Ints
from reviewscore.stats.writing import file_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BARS, HEAT = "focus-shares", "focus-differences"
_LONGEST = 28
_MOST = 40
"""Systems in a plot; tables have all of them."""
_TOLD_FROM = 0.06
"""Share from which a bar's part is wide enough for its number."""
_DARK = 0.55
"""Share of a row from which a cell is so dark that its number is white."""
_PLURAL = {Polarity.STRENGTH: "strengths", Polarity.WEAKNESS: "weaknesses"}


def draw(
    coded: CodedPoints,
    differing: Mapping[str, Sequence[FacetDifference]],
    reference: str,
    folder: Path,
) -> list[Path]:
    """Draw the shares of all systems, and how they differ from the reference's.

    Of more than 40 systems those with most points are drawn, and the reference.

    Args:
        coded: The points of all systems.
        differing: Differences from the reference by system; without any there is no heat map.
        reference: The system that others are compared with.
        folder: Where to.

    Returns:
        The files written; none where no review has a point.
    """
    return save_all(_figures(coded, differing, reference), folder, earlier=(BARS, HEAT))


def _figures(
    coded: CodedPoints, differing: Mapping[str, Sequence[FacetDifference]], reference: str
) -> Iterator[tuple[str, Figure]]:
    if not len(coded.review):
        return
    drawn = _drawn(coded, reference)
    figures = {BARS: _bars(coded, drawn)}
    others = {name: differing[name] for name in drawn if name in differing}
    if others:
        figures[HEAT] = _heat(others, reference)
    for figure in figures.values():
        if len(drawn) < len(coded.systems):
            text = f"{len(drawn)} of {len(coded.systems):,} systems: those with most points"
            figure.suptitle(text, fontsize=9)
    yield from figures.items()


def _drawn(coded: CodedPoints, reference: str) -> list[str]:
    """The systems that are drawn, in their order."""
    points = np.bincount(coded.system_of[coded.review], minlength=len(coded.systems))
    often = sorted(
        range(len(points)), key=lambda at: (coded.systems[at] != reference, -points[at], at)
    )
    return [coded.systems[at] for at in sorted(often[:_MOST])]


def _bars(coded: CodedPoints, systems: Sequence[str]) -> Figure:
    """Four panels of stacked bars, as figure 4 of arXiv 2502.17086."""
    height = 1.2 + 0.32 * len(systems)
    figure, axes = new_figure(2, 2, 6.2, height)
    for axis, (polarity, kind) in zip(axes, FOUR, strict=True):
        _panel(axis, coded, systems, polarity, kind)
    return figure


def _panel(
    axis: Axes, coded: CodedPoints, systems: Sequence[str], polarity: Polarity, kind: FacetKind
) -> None:
    rows = np.arange(len(systems))[::-1]
    shares = np.stack([distribution(coded, system, polarity, kind).shares for system in systems])
    known = np.nan_to_num(shares)
    names = coded.facets.names(kind)
    parts = [(facet, known[:, at], colour_of(at)) for at, facet in enumerate(names)]
    stacked_bars(axis, rows, parts, height=0.74)
    for row, line in zip(rows, known, strict=True):
        for share, end in zip(line, line.cumsum(), strict=True):
            if share >= _TOLD_FROM:
                axis.text(
                    end - share / 2, row, f"{100 * share:.0f}",
                    ha="center", va="center", color="white", fontsize=7,
                )  # fmt: skip
    for row, line in zip(rows, shares, strict=True):
        if np.isnan(line).all():
            axis.text(0.01, row, "no points", va="center", fontsize=7)
    axis.set_yticks(rows, [_short(system) for system in systems])
    axis.set_xlim(0, 1)
    axis.xaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")
    axis.set_title(f"{kind.value}s of {_PLURAL[polarity]}", fontsize=9)
    axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=4, fontsize=7, frameon=False)


def _heat(differing: Mapping[str, Sequence[FacetDifference]], reference: str) -> Figure:
    """System minus reference in percentage points as in the tables, facets by systems."""
    others = list(differing)
    labels = [
        f"{difference.facet} ({_PLURAL[difference.polarity]})"
        for difference in differing[others[0]]
    ]
    value_groups = [
        [difference.estimate.value for difference in some] for some in differing.values()
    ]
    values = 100 * np.array(value_groups, dtype=np.float64).T
    most = max(float(np.nanmax(np.abs(values))), 1.0) if not np.isnan(values).all() else 1.0
    figure, (axis,) = new_figure(1, 1, 3.4 + 1.1 * len(others), 1.4 + 0.24 * len(labels))
    words = [["" if np.isnan(value) else _signed(value) for value in line] for line in values]
    image = heat_map(axis, values, words, np.abs(values) > 0.6 * most, fontsize=7,
                     cmap="RdBu_r", vmin=-most, vmax=most, aspect="auto")  # fmt: skip
    axis.set_xticks(range(len(others)), [_short(text) for text in others], rotation=20, ha="right")
    axis.set_yticks(range(len(labels)), labels)
    axis.set_title(f"percentage points above {_short(reference)}", fontsize=9)
    figure.colorbar(image, ax=axis, shrink=0.6)
    return figure


def draw_confusions(ratings: FacetRatings, folder: Path) -> list[Path]:
    """Draw the confusion matrix of each kind and pair of raters.

    Returns:
        The files written; none for a pair that has no point in common.
    """
    earlier = [path.stem for path in folder.glob(f"{CONFUSION}-*.svg")]
    return save_all(_confusions(ratings), folder, earlier=earlier)


def _confusions(ratings: FacetRatings) -> Iterator[tuple[str, Figure]]:
    taken: set[str] = set()
    for kind in FacetKind:
        for human, other in ratings.pairs:
            first, second = (ratings.labels[text][kind] for text in (human, other))
            counts = confusion(first, second, len(ratings.facets.of(kind)))
            if counts.any():
                name = file_name(confusion_name(kind, human, other), taken)
                taken.add(name.lower())
                yield name, _confusion(counts, ratings.facets.names(kind), kind, human, other)


def _confusion(
    counts: Ints,
    names: tuple[str, ...],
    kind: FacetKind,
    human: str,
    other: str,
) -> Figure:
    """Counts as numbers, shares of their row as colours."""
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    side = 1.8 + 0.44 * len(names)
    figure, (axis,) = new_figure(1, 1, side + 0.7, side)
    words = [[f"{count:,}" if count else "" for count in line] for line in counts]
    image = heat_map(axis, shares, words, shares > _DARK, cmap="Blues", vmin=0, vmax=1,
                     aspect="auto")  # fmt: skip
    axis.set_xticks(range(len(names)), names, rotation=35, ha="right")
    axis.set_yticks(range(len(names)), names)
    axis.set_xlabel(other)
    axis.set_ylabel(human)
    axis.set_title(f"{kind}s, points", fontsize=9)
    bar = figure.colorbar(image, ax=axis, shrink=0.7)
    bar.set_label("share of the row")
    return figure


def _signed(value: float) -> str:
    whole = round(value)
    return f"{whole:+d}".replace("-", "−") if whole else "0"


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
