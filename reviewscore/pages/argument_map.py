"""An argument as a drawing (SVG) and as Argdown text.

The conclusion stands on top, its premises below. A premise has its score as number and colour, a
solid frame if the reviewer wrote it and a dashed one if it is presumed, a bold one if the proof
needs it. Trees of a dozen boxes need no layout engine.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from reviewscore.schema.argument import Argument, Premise
from reviewscore.schema.scale import PREMISE_FACTUALITY

WIDTH = 720
_GAP, _PAD, _LINE = 16, 10, 15
_ROW = 3
"""Premises side by side."""
_CHARACTER = 6.1
"""Width of an average character of the text, px."""
_MOST_LINES = 7
_RISE = 44
"""Height of the lines between conclusion and premises."""


@dataclass(frozen=True)
class _Box:
    x: float
    y: float
    width: float
    height: float
    lines: tuple[str, ...]


def svg(argument: Argument) -> Markup:
    """The map of an argument; all text in it is escaped."""
    top = _box(argument.conclusion, 0.0, 0.0, WIDTH, heading=1)
    parts = [_conclusion(top)]
    y = top.height + _RISE
    links = []
    for start in range(0, len(argument.premises), _ROW):
        row = argument.premises[start : start + _ROW]
        width = (WIDTH - _GAP * (len(row) - 1)) / len(row)
        boxes = [
            _box(premise.text, number * (width + _GAP), y, width, heading=2)
            for number, premise in enumerate(row)
        ]
        height = max(box.height for box in boxes)
        for premise, box in zip(row, boxes, strict=True):
            parts.append(_premise(premise, box, height))
            links.append(_link(box, top, first_row=start == 0))
        y += height + _GAP
    drawing = Markup("").join([*links, *parts])
    return Markup(
        '<svg class="map" viewBox="-2 -2 {width} {height}" role="img" aria-label="{label}">'
        "{drawing}</svg>"
    ).format(width=WIDTH + 4, height=round(y + 4), label=_spoken(argument), drawing=drawing)


def _box(text: str, x: float, y: float, width: float, *, heading: int) -> _Box:
    room = max(8, int((width - 2 * _PAD) / _CHARACTER))
    lines = textwrap.wrap(" ".join(text.split()), room) or [""]
    if len(lines) > _MOST_LINES:
        lines = [*lines[: _MOST_LINES - 1], lines[_MOST_LINES - 1][: room - 2].rstrip() + " …"]
    return _Box(x, y, width, 2 * _PAD + _LINE * (len(lines) + heading), tuple(lines))


def _conclusion(box: _Box) -> Markup:
    return Markup("<g>{frame}{head}{text}</g>").format(
        frame=_frame(box, box.height, "conclusion"),
        head=_text(box, 0, ["Conclusion"], "head"),
        text=_text(box, 1, box.lines, "words"),
    )


def _premise(premise: Premise, box: _Box, height: float) -> Markup:
    score = None if premise.verdict is None else premise.verdict.factuality
    kind = "explicit" if premise.explicit else "implicit"
    needed = " needed" if premise.needed else ""
    tone = f"s{score}" if score is not None else "unknown"
    role = f"{premise.premise_id} · {'written' if premise.explicit else 'presumed'}"
    role += " · needed" if premise.needed else ""
    said = "not known" if score is None else f"{PREMISE_FACTUALITY[score]} {score}/5"
    return Markup("<g>{frame}{head}{score}{text}</g>").format(
        frame=_frame(box, height, f"premise {kind}{needed} {tone}"),
        head=_text(box, 0, [role], "head"),
        score=_text(box, 1, [said], "score"),
        text=_text(box, 2, box.lines, "words"),
    )


def _frame(box: _Box, height: float, classes: str) -> Markup:
    return Markup(
        '<rect class="{classes}" x="{x}" y="{y}" width="{w}" height="{h}" rx="5"/>'
    ).format(classes=classes, x=_n(box.x), y=_n(box.y), w=_n(box.width), h=_n(height))


def _text(box: _Box, skip: int, lines: Sequence[str], kind: str) -> Markup:
    x = _n(box.x + _PAD)
    spans = Markup("").join(
        Markup('<tspan x="{x}" y="{y}">{line}</tspan>').format(
            x=x, y=_n(box.y + _PAD + _LINE * (skip + number + 0.8)), line=line
        )
        for number, line in enumerate(lines)
    )
    return Markup('<text class="{kind}">{spans}</text>').format(kind=kind, spans=spans)


def _link(box: _Box, top: _Box, *, first_row: bool) -> Markup:
    """A line from a premise up to the conclusion; of later rows past the others."""
    x = box.x + box.width / 2
    end = x if first_row else (box.x - _GAP / 2 if box.x > 0 else 1.0)
    points = f"{_n(x)},{_n(box.y)} {_n(end)},{_n(box.y - _GAP / 2)} {_n(end)},{_n(top.height)}"
    return Markup('<polyline class="link" points="{points}"/>').format(points=points)


def _n(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")


def _spoken(argument: Argument) -> str:
    """The map in words, for those who do not see it."""
    parts = []
    for premise in argument.premises:
        score = None if premise.verdict is None else premise.verdict.factuality
        said = "factuality not known" if score is None else f"factuality {score} of 5"
        kind = "written" if premise.explicit else "presumed"
        parts.append(f"{premise.premise_id}, {kind}, {said}: {premise.text}")
    return f"Map of the argument. Conclusion: {argument.conclusion} Premises: {' '.join(parts)}"


def argdown(argument: Argument, title: str) -> str:
    """The argument as Argdown (argdown.org), a reconstruction with premises and conclusion."""
    lines = [f"<{_plain(title)}>", ""]
    for number, premise in enumerate(argument.premises, start=1):
        verdict = premise.verdict
        tags = ["explicit" if premise.explicit else "implicit"]
        data = ""
        if verdict is not None and verdict.factuality is not None:
            data = f" {{factuality: {verdict.factuality}}}"
        hashes = " ".join(f"#{tag}" for tag in tags)
        lines.append(f"({number}) {_plain(premise.text)} {hashes}{data}")
    return "\n".join(
        [*lines, "----", f"({len(argument.premises) + 1}) {_plain(argument.conclusion)}"]
    )


def _plain(text: str) -> str:
    """Foreign text on one line, without the marks that mean something in Argdown."""
    return " ".join(text.translate(str.maketrans("[]<>{}#@", "()‹›()♯＠")).split())
