"""What the hidden characters of a PDF page say, and whether it may be a message.

Everything hidden is left out of a paper's text. Papers hide words without meaning to: figures are
cut, pictures have a layer of their own words behind them, labels lie below shapes. Such stretches
raise no alarm unless they address a model: each row is harmless if the page shows the same words,
or shows words of the same widths at its place; what is left within a figure must be a sentence.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from pypdfium2 import PdfPage

from reviewscore.papers.hidden import LEAST_WORDS, WORD, Hidden, Trick
from reviewscore.papers.pdf_visibility import (
    LEAST,
    LEAST_CONTRAST,
    Closeup,
    Glyphs,
    Picture,
    contrast,
    faint_glyphs,
    luminance,
    runs,
)
from reviewscore.papers.sentences import FUNCTION_WORDS
from reviewscore.schema.paper import Box, around

SHOWN_AGAIN = "the page shows the same words"
PICTURED = "a picture shows words of the same widths at its place"
LABELS = "labels within or beside a figure, no sentence"

_ROW_GAP = 1.5
"""Type sizes between two words of a row, at most."""
_SAME_ROW = 0.4
"""Share of the lower character's height that two characters of a row have in common."""
_SHOWN_LETTERS = 6
"""Letters of a row that a page repeats, at least; shorter ones stand in any text."""
_CUT_BY_LAYOUT = {Trick.CLIPPED, Trick.COVERED, Trick.OFF_PAGE}
"""How figures hide their labels without meaning to."""
_PICTURED = {Trick.COVERED, Trick.RENDER_MODE, Trick.TRANSPARENT, Trick.BACKGROUND, Trick.FAINT}
"""How words are hidden that a picture shows."""


@dataclass(frozen=True)
class HiddenRow:
    """Words of a hidden stretch that stand beside each other.

    Attributes:
        words: The words.
        places: First place and end among the page's glyphs of each.
    """

    words: tuple[str, ...]
    places: tuple[tuple[int, int], ...]

    @property
    def text(self) -> str:
        """The words as one text, mathematical letters as plain ones."""
        return unicodedata.normalize("NFKC", " ".join(self.words))


@dataclass(frozen=True)
class HiddenPage:
    """A page with what is hidden on it.

    Attributes:
        page: The page.
        number: Its number, from 1.
        glyphs: Its characters.
        tricks: How each is hidden, or None.
        characters: Gives every character of the page, by its place.
        picture: The page drawn; None if it was not.
    """

    page: PdfPage
    number: int
    glyphs: Glyphs
    tricks: Sequence[Trick | None]
    characters: Callable[[], Sequence[str]]
    picture: Picture | None

    @cached_property
    def text_of(self) -> Sequence[str]:
        """Every character of the page, by its place."""
        return self.characters()

    def hidden(self) -> tuple[tuple[Hidden, ...], frozenset[int]]:
        """The hidden stretches of the page, and the places of the characters they take up."""
        stretches: list[Hidden] = []
        doomed: set[int] = set()
        for start, end, trick in sorted((*self._hidden_runs(), *self._faint_sentences())):
            index = self.glyphs.index
            place = range(int(index[start]), int(index[end - 1]) + 1)
            text = " ".join("".join(self.text_of[at] for at in place).split())
            if sum(letter.isalnum() for letter in text) < LEAST:
                continue
            doomed.update(place)
            harmless = self._harmless(start, end, trick)
            if harmless and _addresses_model(text):
                harmless = ""
            box = _rounded(around(self.glyphs.box[start:end].tolist()))
            stretches.append(
                Hidden(text=text, trick=trick, page=self.number, box=box, harmless=harmless)
            )
        return tuple(_pieces_joined(stretches)), frozenset(doomed)

    def _hidden_runs(self) -> Iterator[tuple[int, int, Trick]]:
        marked = np.array([trick is not None for trick in self.tricks], dtype=np.bool_)
        for start, end in runs(marked):
            own = [trick for trick in self.tricks[start:end] if trick is not None]
            yield start, end, max(own, key=own.count)

    def _faint_sentences(self) -> Iterator[tuple[int, int, Trick]]:
        """Sentences in a colour that labels may have, though no sentence does."""
        if self.picture is None:
            return
        seen = np.array([trick is None for trick in self.tricks], dtype=np.bool_)
        for start, end in runs(faint_glyphs(self.picture) & seen):
            if end - start >= LEAST and is_prose(self.rows(start, end)):
                yield start, end, Trick.FAINT

    def rows(self, start: int, end: int) -> list[HiddenRow]:
        """The rows of a run of glyphs, in the order of the file."""
        cuts = [start]
        for at in range(start + 1, end):
            between = self.text_of[self.glyphs.index[at - 1] + 1 : self.glyphs.index[at]]
            if self._parted(at) or any(mark.isspace() for mark in between):
                cuts.append(at)
        words: list[list[tuple[int, int]]] = []
        for first, last in pairwise([*cuts, end]):
            if words and not self._parted(first):
                words[-1].append((first, last))
            else:
                words.append([(first, last)])
        return [
            HiddenRow(tuple(self._word(first, last) for first, last in row), tuple(row))
            for row in words
        ]

    def _word(self, first: int, last: int) -> str:
        return "".join(map(chr, self.glyphs.code[first:last].tolist()))

    def _parted(self, at: int) -> bool:
        """Whether a glyph begins another row than the one before it."""
        before, own = self.glyphs.box[at - 1], self.glyphs.box[at]
        owner = self.glyphs.owner[at]
        along = 0 if owner < 0 or self.glyphs.styles[owner].level else 1
        across = 1 - along
        shared = min(before[across + 2], own[across + 2]) - max(before[across], own[across])
        lower = min(before[across + 2] - before[across], own[across + 2] - own[across])
        size = float(self.glyphs.styles[owner].size) if owner >= 0 else lower
        middles = (own[across] + own[across + 2] - before[across] - before[across + 2]) / 2
        beside = shared > _SAME_ROW * lower or abs(middles) < _SAME_ROW * size
        gap = max(own[along] - before[along + 2], before[along] - own[along + 2])
        return not beside or gap > _ROW_GAP * size

    def _harmless(self, start: int, end: int, trick: Trick) -> str:
        """Why a run of hidden glyphs is no message; empty if nothing says so."""
        rows = self.rows(start, end)
        again = [row for row in rows if self._shown_again(row)]
        rest = [row for row in rows if row not in again]
        if again and _count_words(rest) < LEAST_WORDS:
            return SHOWN_AGAIN
        if trick in _PICTURED and self.picture is not None:
            pictured = self._pictured(rest, self.picture)
            rest = [row for row in rest if row not in pictured]
            if pictured and _count_words(rest) < LEAST_WORDS:
                return PICTURED
        owners = set(self.glyphs.owner[start:end].tolist())
        in_figure = all(at >= 0 and self.glyphs.styles[at].in_figure for at in owners)
        if (in_figure or trick in _CUT_BY_LAYOUT) and not is_prose(rest):
            return LABELS
        return ""

    def _shown_again(self, row: HiddenRow) -> bool:
        """Whether the page shows two words and more of a row elsewhere, or again at its place."""
        letters = _letters(row.text)
        return len(row.words) > 1 and len(letters) >= _SHOWN_LETTERS and letters in self._visible

    @cached_property
    def _visible(self) -> str:
        """Letters and digits of the page that people can see."""
        seen = np.array([trick is None for trick in self.tricks], dtype=np.bool_)
        if self.picture is not None:
            seen &= ~faint_glyphs(self.picture)
        return _letters("".join(map(chr, self.glyphs.code[seen].tolist())))

    def _pictured(self, rows: Sequence[HiddenRow], picture: Picture) -> list[HiddenRow]:
        """The rows at whose places a picture shows words of the same widths."""
        places = [at for row in rows for first, last in row.places for at in range(first, last)]
        if not places or picture.outside[places].any():
            return []
        closeup = Closeup.of(self.page, picture, np.array(places))
        ground = closeup.draw(self.page)
        shown = []
        for row in rows:
            boxes = [around(self.glyphs.box[first:last].tolist()) for first, last in row.places]
            pixels = closeup.in_pixels(self.page, np.array(boxes), ground)
            if likeness(ground, pixels) >= _LIKE:
                shown.append(row)
        return shown


_LIKE = 0.5
"""Correlation (-1..1) from which on a picture shows words where they are hidden."""
_LETTER_GAP = 0.14
"""Share of a row's height up to which a gap is one between letters."""
_BESIDE = 0.8
"""Heights of a row that are looked at before and after it."""
_MOST_INK = 0.6
"""Share of the words' boxes that letters fill, at most."""


def likeness(ground: npt.NDArray[np.uint8], words: npt.NDArray[np.int64]) -> float:
    """How well the ink of a picture keeps to the places of words and leaves their gaps free.

    Args:
        ground: Shape (rows, columns, 3), the picture.
        words: Shape (n, 4), left, top, right, bottom pixel of the words of a row.

    Returns:
        Correlation over the columns, -1..1; 0 where there is no ink, or nothing but ink.
    """
    left, top = words[:, :2].min(axis=0).tolist()
    right, bottom = words[:, 2:].max(axis=0).tolist()
    height = bottom - top
    first = max(0, left - round(_BESIDE * height))
    strip = ground[top:bottom, first : right + round(_BESIDE * height)]
    if not strip.size or height < 1:
        return 0.0
    light = luminance(strip)
    paper = strip.reshape(-1, 3)[np.argsort(light, axis=None)[light.size // 2]]
    ink: npt.NDArray[np.bool_] = (
        contrast(strip, np.broadcast_to(paper, strip.shape)) >= LEAST_CONTRAST
    )
    within = np.zeros(strip.shape[1], dtype=np.bool_)
    for start, _, end, _ in (words - [first, 0, first, 0]).tolist():
        within[start:end] = True
    columns = _closed(np.asarray(ink.any(axis=0)), round(_LETTER_GAP * height))
    if columns.all() or not columns.any() or within.all():
        return 0.0
    if ink[:, within].mean() > _MOST_INK:
        return 0.0
    return float(np.corrcoef(columns, within)[0, 1])


def _closed(columns: npt.NDArray[np.bool_], gap: int) -> npt.NDArray[np.bool_]:
    """The columns, gaps of some width and less between them filled."""
    filled = columns.copy()
    for first, end in runs(~columns):
        if first > 0 and end < len(columns) and end - first <= gap:
            filled[first:end] = True
    return filled


_SENTENCE_WORDS = 7
"""Words in a row that make a sentence, whatever they are."""
_SHORT_SENTENCE, _SMALL_WORDS = 5, 2
"""Words in a row that do if some of them are small words of English."""
_SCATTERED, _SMALL_SHARE = 12, 0.25
"""Words over several rows that do if a share of them are small words."""


def is_prose(rows: Sequence[HiddenRow]) -> bool:
    """Whether there is a sentence in some rows of words; labels of figures are none."""
    total = small = 0
    for row in rows:
        words = len(WORD.findall(row.text))
        own = len(FUNCTION_WORDS.findall(row.text))
        if words >= _SENTENCE_WORDS or (words >= _SHORT_SENTENCE and own >= _SMALL_WORDS):
            return True
        total, small = total + words, small + own
    return total >= _SCATTERED and small >= _SMALL_SHARE * total


def _count_words(rows: Sequence[HiddenRow]) -> int:
    return sum(len(WORD.findall(row.text)) for row in rows)


def _letters(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "".join(letter for letter in plain if letter.isalnum())


def _rounded(box: Box) -> Box:
    left, bottom, right, top = (round(edge, 1) for edge in box)
    return left, bottom, right, top


def _addresses_model(text: str) -> bool:
    # Loaded where something is hidden: most papers hide nothing.
    from reviewscore.papers.addressing import addressing

    return any(not passage.quoted for passage in addressing(text))


def _pieces_joined(stretches: Sequence[Hidden]) -> Iterator[Hidden]:
    """The stretches; those too short for a message as one if together they address a model."""
    pieces = [stretch for stretch in stretches if stretch.stray]
    text = " ".join(piece.text for piece in pieces)
    if len(pieces) == 1 or not _addresses_model(text):
        yield from stretches
        return
    yield from (stretch for stretch in stretches if not stretch.stray)
    boxes = [piece.box for piece in pieces if piece.box is not None]
    yield pieces[0].model_copy(update={"text": text, "box": around(boxes), "harmless": ""})
