"""What was measured of the embedded judge's passages, as pages show it: a sentence and a curve."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from markupsafe import Markup

from reviewscore.judges.lexical.measured import (
    CurvePoint,
    Finder,
    Measured,
    PointGroup,
    Recall,
    measured,
)
from reviewscore.schema.review import PointKind
from reviewscore.stats.plots import COLOURS

_GROUPS = {
    PointGroup.QUESTION: "questions",
    PointGroup.CRITICISM: "criticisms",
    PointGroup.REQUEST: "requests",
    PointGroup.ALL: "all kinds together",
}
_NUMBERS = {1: "one", 2: "two", 3: "three", 5: "five", 10: "ten"}
KINDS = (PointKind.QUESTION, PointKind.CRITICISM, PointKind.REQUEST)
"""Kinds of points that are looked up."""


def recall_sentence(judge_version: str | None, kinds: Iterable[PointKind | None] = KINDS) -> str:
    """How often the first passages hold the answer; empty where that was not measured.

    Args:
        judge_version: Version of the embedded judge that gave the passages.
        kinds: Kinds of the points that they stand beside.
    """
    figures = measured()
    finder = figures.finder_of(judge_version)
    if finder is None:
        return ""
    recalls = dict(filter(None, (figures.recall(finder, kind) for kind in kinds)))
    shown = {recall.shown for recall in recalls.values()}
    if len(shown) != 1:
        return ""
    groups = [group for group in _GROUPS if group in recalls]
    shares = [_share(recalls[group], group, alone=len(groups) == 1) for group in groups]
    joined = " and ".join(filter(None, (", ".join(shares[:-1]), shares[-1])))
    most = shown.pop()
    return (
        "Where a paper did answer such a point, the answer was among the first "
        f"{_NUMBERS.get(most, most)} passages in {joined}; most fair points have no answer in the "
        "paper."
    )


def _share(recall: Recall, group: PointGroup, *, alone: bool) -> str:
    of = "" if alone and group is PointGroup.ALL else f" of {_GROUPS[group]}"
    return f"{_interval(recall)}{of} (n = {recall.n})"


def _interval(recall: Recall) -> str:
    return f"{100 * recall.share:.0f} % [{100 * recall.low:.0f}, {100 * recall.high:.0f}]"


@dataclass(frozen=True)
class FinderFigures:
    """How good the finder is, for a section of its own.

    Attributes:
        sentence: The one that stands beside passages.
        data: What was measured.
        rows: Kind of points, share with interval, n; all texts.
        shown: Passages of a point to which the rows apply.
        curve: The curve; None if it was not measured.
    """

    sentence: str
    data: str
    rows: tuple[tuple[str, str, str], ...]
    shown: int
    curve: Markup | None


def finder_figures(judge_version: str | None) -> FinderFigures | None:
    """What was measured of a version of the embedded judge; None if nothing was."""
    figures = measured()
    finder = figures.finder_of(judge_version)
    sentence = recall_sentence(judge_version)
    return None if finder is None or not sentence else _figures(figures, finder, sentence)


def _figures(figures: Measured, finder: Finder, sentence: str) -> FinderFigures:
    recalls = dict(filter(None, (figures.recall(finder, kind) for kind in (*KINDS, None))))
    rows = tuple(
        (_GROUPS[group], _interval(recalls[group]), str(recalls[group].n))
        for group in _GROUPS
        if group in recalls
    )
    shown = next(iter(recalls.values())).shown
    points = figures.curve.get(finder, ())
    return FinderFigures(sentence, figures.data, rows, shown, svg(points) if points else None)


_WIDTH, _HEIGHT = 460, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 12, 10, 40
_LINE, _CHANCE = COLOURS[0], COLOURS[5]
_TEXT = Markup('<text x="{x}" y="{y}" text-anchor="{anchor}" fill="currentColor">{words}</text>')
_GRID = Markup(
    '<line x1="{x1}" y1="{y}" x2="{x2}" y2="{y}" stroke="currentColor" stroke-opacity=".2"/>'
)
_POLYLINE = Markup(
    '<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"{dashes}/>'
)
_BAND = Markup('<polygon points="{points}" fill="{colour}" fill-opacity=".2"/>')
_DASHES = Markup(' stroke-dasharray="5 4"')


def svg(points: tuple[CurvePoint, ...]) -> Markup:
    """The share of answered points against characters shown, with its band, and chance below.

    Args:
        points: The curve, fewest characters first; at least one.
    """
    most = points[-1].characters
    width, height = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM

    def at(characters: int, share: float) -> str:
        return f"{_LEFT + width * characters / most:.1f},{_TOP + height * (1 - share):.1f}"

    def line(value: Callable[[CurvePoint], float]) -> str:
        return " ".join(at(point.characters, value(point)) for point in points)

    back = " ".join(at(point.characters, point.low) for point in reversed(points))
    parts = [
        _BAND.format(points=f"{line(lambda point: point.high)} {back}", colour=_LINE),
        _POLYLINE.format(points=line(lambda point: point.share), colour=_LINE, dashes=""),
        _POLYLINE.format(points=line(lambda point: point.chance), colour=_CHANCE, dashes=_DASHES),
        *_axes(most, width, height),
    ]
    words = ", ".join(
        f"{point.characters:,} characters: {100 * point.share:.0f} % (chance "
        f"{100 * point.chance:.0f} %)"
        for point in points
    )
    return Markup(
        '<svg class="curve" viewBox="0 0 {width} {height}" role="img" aria-label="{label}" '
        'font-size="11">{parts}</svg>'
    ).format(
        width=_WIDTH,
        height=_HEIGHT,
        label=f"Share of answered points whose answer is shown: {words}",
        parts=Markup("").join(parts),
    )


def _axes(most: int, width: int, height: int) -> list[Markup]:
    """Lines and numbers of both axes, and what the lines are."""
    parts = []
    for percent in (0, 25, 50, 75, 100):
        y = round(_TOP + height * (1 - percent / 100), 1)
        parts.append(_GRID.format(x1=_LEFT, x2=_WIDTH - _RIGHT, y=y))
        parts.append(_TEXT.format(x=_LEFT - 5, y=y + 4, anchor="end", words=f"{percent} %"))
    for part in (0, 0.25, 0.5, 0.75, 1):
        x, anchor = _LEFT + width * part, "end" if part == 1 else "middle"
        words = f"{most * part:,.0f}"
        parts.append(_TEXT.format(x=f"{x:.1f}", y=_TOP + height + 15, anchor=anchor, words=words))
    legend = "characters shown; solid: this finder with its 95 % interval, dashed: chance"
    parts.append(_TEXT.format(x=_LEFT, y=_HEIGHT - 6, anchor="start", words=legend))
    return parts
