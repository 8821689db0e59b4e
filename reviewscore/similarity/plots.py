"""Loss by the length of profiles as SVG and PNG (arXiv 2303.16750, Figure 2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from reviewscore.stats.plots import colour_of, new_figure, save_all

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SWEEP = "similarity-sweep"


def draw_sweep(
    losses: Mapping[str, Sequence[float]], lengths: Sequence[int], folder: Path
) -> list[Path]:
    """Draw one line for each recipe.

    Args:
        losses: By name of the recipe, the loss at each length.
        lengths: How many recent papers are in a profile.
        folder: Where to.

    Returns:
        The files written.
    """
    return save_all(_figures(losses, lengths), folder)


def _figures(
    losses: Mapping[str, Sequence[float]], lengths: Sequence[int]
) -> Iterator[tuple[str, Figure]]:
    from matplotlib.ticker import MaxNLocator

    figure, (axis,) = new_figure(1, 1, 5.4, 3.4)
    for place, (name, values) in enumerate(losses.items()):
        axis.plot(lengths, values, marker=".", color=colour_of(place), label=name)
    axis.xaxis.set_major_locator(MaxNLocator(integer=True))  # there is no half a paper
    axis.set_xlabel("papers in a profile, most recent first")
    axis.set_ylabel("loss (lower is better)")
    axis.legend(fontsize=7, frameon=False)
    yield SWEEP, figure
