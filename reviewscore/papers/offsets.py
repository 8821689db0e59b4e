"""Text rewritten in passes that still knows where each of its characters came from."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Layer:
    """The pieces of one rewriting pass, in order.

    Attributes:
        out_starts: Offset of each piece in the rewritten text, and the length of that text.
        in_starts: Offset of each piece in the text before the pass.
        in_ends: Offset just after each piece in the text before the pass.
    """

    out_starts: list[int]
    in_starts: list[int]
    in_ends: list[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The span before the pass that became the non-empty span after it."""
        pieces = len(self.in_starts)
        first = bisect_right(self.out_starts, start, hi=pieces) - 1
        last = bisect_right(self.out_starts, end - 1, hi=pieces) - 1
        low = self.in_starts[first] + start - self.out_starts[first]
        high = self.in_starts[last] + end - self.out_starts[last]
        if end == self.out_starts[last + 1]:  # the whole piece, however long it was before
            high = self.in_ends[last]
        return min(low, self.in_ends[first] - 1), min(high, self.in_ends[last])

    def place(self, offset: int) -> int:
        """The first offset after the pass whose character came from `offset` or later."""
        piece = bisect_right(self.in_ends, offset)
        if piece == len(self.in_starts):
            return self.out_starts[-1]
        length = self.out_starts[piece + 1] - self.out_starts[piece]
        return self.out_starts[piece] + min(max(0, offset - self.in_starts[piece]), length)


@dataclass(frozen=True, slots=True)
class MappedText:
    """A rewritten text and the way back to the original.

    Attributes:
        text: The rewritten text.
        layers: The passes that led to it, first pass first.
    """

    text: str
    layers: tuple[Layer, ...] = ()

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """Offsets in the original of the span ``[start, end)`` of the rewritten text.

        Args:
            start: Offset of the first character, ``0 <= start < end``.
            end: Offset just after the last character, ``end <= len(self.text)``.

        Raises:
            ValueError: If the span is empty or reaches outside the text.
        """
        if not 0 <= start < end <= len(self.text):
            raise ValueError(f"no span {start}..{end} in a text of {len(self.text)} characters")
        for layer in reversed(self.layers):
            start, end = layer.span(start, end)
        return start, end

    def place_of(self, offset: int) -> int:
        """The first offset in the rewritten text whose character came from `offset` or later.

        Args:
            offset: Offset in the original, from 0; at or beyond its end, the end is given.
        """
        for layer in self.layers:
            offset = layer.place(offset)
        return min(offset, len(self.text))

    def rewrite(
        self, pattern: re.Pattern[str], replacement: Callable[[re.Match[str]], str]
    ) -> MappedText:
        """The text with every match replaced, one pass more on the way back.

        Linear in the length of the text; the parts between matches stay as they are.
        """
        return self.replaced(
            (match.start(), match.end(), replacement(match))
            for match in pattern.finditer(self.text)
        )

    def replaced(self, edits: Iterable[tuple[int, int, str]]) -> MappedText:
        """The text with spans exchanged, one pass more on the way back.

        Args:
            edits: Start, end and new text of each span, in order and apart from each other.
        """
        pieces: list[str] = []
        layer = Layer([], [], [])
        position = length = 0

        def add(piece: str, start: int, end: int) -> None:
            nonlocal length
            if piece:
                layer.out_starts.append(length)
                layer.in_starts.append(start)
                layer.in_ends.append(end)
                pieces.append(piece)
                length += len(piece)

        for start, end, new in edits:
            add(self.text[position:start], position, start)
            add(new, start, end)
            position = end
        if position == 0 and not pieces:
            return self
        add(self.text[position:], position, len(self.text))
        layer.out_starts.append(length)
        return MappedText("".join(pieces), (*self.layers, layer))

    def translate(self, table: dict[int, str]) -> MappedText:
        """The text with single characters exchanged for single characters."""
        return MappedText(self.text.translate(table), self.layers)
