"""How plots are made and saved: one style, and the same plot is the same file."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from reviewscore.stats.estimates import Estimate
from reviewscore.stats.statistic import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

COLOURS = ("#2b6cb0", "#c05621", "#2f855a", "#6b46c1", "#b7791f", "#718096", "#97266d", "#2c7a7b")
"""Of series, in order."""
_ENDINGS = ("svg", "png")
_NO_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
"""What no XML may hold; names of systems may."""


def save_all(
    figures: Iterable[tuple[str, Figure]], folder: Path, *, earlier: Iterable[str] = ()
) -> list[Path]:
    """Save figures as SVG and PNG; they are drawn while they are saved, so in the same style.

    Args:
        figures: Names and figures, made one by one.
        folder: Where to.
        earlier: Names of figures that an earlier run may have left there; those that are not made
            again are taken away.

    Returns:
        The files written.
    """
    import matplotlib as mpl

    folder.mkdir(exist_ok=True)
    written: list[Path] = []
    with warnings.catch_warnings(), mpl.rc_context():
        mpl.rcdefaults()  # a `matplotlibrc` in the current folder, which may be data, has no say
        mpl.rcParams.update(
            {
                "svg.hashsalt": "reviewscore",  # the same plot is the same file
                "svg.fonttype": "none",
                "text.parse_math": False,  # a dollar sign in a name is no formula
                "font.size": 9,
                "axes.spines.top": False,
                "axes.spines.right": False,
                "figure.constrained_layout.use": True,
            }
        )
        # Letters that the font of the PNG lacks are boxes there, and themselves in the SVG.
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        for name, figure in figures:
            for ending in _ENDINGS:
                path = folder / f"{name}.{ending}"
                stamp = {"Date": None} if ending == "svg" else {}
                figure.savefig(path, dpi=150, metadata=stamp)
                if ending == "svg":
                    path.write_text(_NO_XML.sub(" ", path.read_text("utf-8")), "utf-8")
                written.append(path)
    for path in {folder / f"{name}.{ending}" for name in earlier for ending in _ENDINGS}:
        if path not in written:
            path.unlink(missing_ok=True)
    return written


def new_figure(rows: int, columns: int, width: float, height: float) -> tuple[Figure, list[Axes]]:
    """A figure and its axes, row by row; `width` and `height` of each in inches."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width * columns, height * rows))
    FigureCanvasAgg(figure)
    axes = figure.subplots(rows, columns, squeeze=False)
    return figure, list(axes.flat)


def heat_map(
    axis: Axes,
    values: Floats,
    words: Sequence[Sequence[str]],
    dark: NDArray[np.bool_],
    *,
    fontsize: float | None = None,
    **image: Any,
) -> AxesImage:
    """Draw a matrix as colours with words in its cells.

    Args:
        axis: Where to.
        values: Shape (rows, columns); what is coloured.
        words: Shape (rows, columns); what is written, empty for nothing.
        dark: Shape (rows, columns); which cells are so dark that their words are white.
        fontsize: Of the words.
        image: How `Axes.imshow` colours values.
    """
    drawn = axis.imshow(values, **image)
    for row, line in enumerate(words):
        for column, word in enumerate(line):
            if word:
                colour = "white" if dark[row, column] else "black"
                axis.text(
                    column, row, word, ha="center", va="center", color=colour, fontsize=fontsize
                )
    return drawn


def bars_side_by_side(
    axis: Axes, places: Floats, series: Sequence[tuple[str, Sequence[float], str]]
) -> None:
    """Draw groups of bars around places that are 1 apart; `series` are label, heights, colour."""
    width = 0.8 / len(series)
    for number, (label, heights, colour) in enumerate(series):
        left = places - 0.4 + width * (number + 0.5)
        axis.bar(left, heights, width, label=label, color=colour)


def stacked_bars(
    axis: Axes,
    rows: Sequence[int] | NDArray[Any],
    parts: Iterable[tuple[str, Floats, str]],
    **bar: Any,
) -> None:
    """Draw a bar of parts for each row; `parts` are label, lengths by row, colour."""
    left = np.zeros(len(rows))
    for label, lengths, colour in parts:
        axis.barh(rows, lengths, left=left, color=colour, label=label, **bar)
        left = left + lengths


def dots(
    axis: Axes,
    estimates: Sequence[Estimate | None],
    colours: Sequence[str],
    *,
    hollow: Sequence[bool] = (),
    scale: float = 1.0,
) -> None:
    """Draw estimates with their intervals, the first on top; None and no value leave a gap.

    Args:
        axis: Where to; its rows are 0, 1, .. from the top.
        estimates: What is drawn.
        colours: Of each.
        hollow: Whether the dot of each is hollow; none is if not given.
        scale: What values are multiplied with, 100 for percent.
    """
    for row, (estimate, colour) in enumerate(zip(estimates, colours, strict=True)):
        if estimate is None or estimate.value is None:
            continue
        if estimate.low is not None and estimate.high is not None:
            axis.plot(
                [scale * estimate.low, scale * estimate.high], [row, row], color=colour, lw=1.5
            )
        face = "white" if hollow and hollow[row] else colour
        axis.plot(scale * estimate.value, row, "o", color=colour, mfc=face, ms=4)
    axis.set_ylim(len(estimates) - 0.5, -0.5)


def colour_of(number: int) -> str:
    """The colour of a series; they come again after eight."""
    return COLOURS[number % len(COLOURS)]


def short_name(name: str, most: int = 28) -> str:
    """A model's name without its provider, the middle left out where it is long."""
    name = name.partition("/")[2] or name
    half = most // 2
    return name if len(name) <= most else f"{name[:half]}…{name[-half:]}"
