"""Confusion matrices as heat maps."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from reviewscore.focus.facets import Kind
from reviewscore.focus.human_tables import CONFUSION, Ratings, confusion, confusion_name
from reviewscore.stats.plots import new_figure, save_all
from reviewscore.stats.writing import file_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DARK = 0.55
"""Share of a row from which a cell is so dark that its number is white."""


def draw_confusions(ratings: Ratings, folder: Path) -> list[Path]:
    """Draw the confusion matrix of each kind and pair of raters.

    Returns:
        The files written; none for a pair that has no point in common.
    """
    earlier = [one.stem for one in folder.glob(f"{CONFUSION}-*.svg")]
    return save_all(_figures(ratings), folder, earlier=earlier)


def _figures(ratings: Ratings) -> Iterator[tuple[str, Figure]]:
    taken: set[str] = set()
    for kind in Kind:
        for human, other in ratings.pairs:
            first, second = (ratings.labels[one][kind] for one in (human, other))
            counts = confusion(first, second, len(ratings.facets.of(kind)))
            if counts.any():
                name = file_name(confusion_name(kind, human, other), taken)
                taken.add(name.lower())
                yield name, _heat(counts, ratings.facets.names(kind), kind, human, other)


def _heat(
    counts: np.ndarray[tuple[int, ...], np.dtype[np.int64]],
    names: tuple[str, ...],
    kind: Kind,
    human: str,
    other: str,
) -> Figure:
    """Counts as numbers, shares of their row as colours."""
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    side = 1.8 + 0.44 * len(names)
    figure, (axis,) = new_figure(1, 1, side + 0.7, side)
    image = axis.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    for row, line in enumerate(counts):
        for column, count in enumerate(line):
            if count:
                colour = "white" if shares[row, column] > _DARK else "black"
                axis.text(column, row, f"{count:,}", ha="center", va="center", color=colour)
    axis.set_xticks(range(len(names)), names, rotation=35, ha="right")
    axis.set_yticks(range(len(names)), names)
    axis.set_xlabel(other)
    axis.set_ylabel(human)
    axis.set_title(f"{kind}s, points", fontsize=9)
    bar = figure.colorbar(image, ax=axis, shrink=0.7)
    bar.set_label("share of the row")
    return figure
