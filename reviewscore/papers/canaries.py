"""A venue's canaries: lines that it hid in its papers to see whether reviews repeat them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from reviewscore.errors import InputError
from reviewscore.papers.hidden import LEAST_WORDS, WORD
from reviewscore.papers.hygiene import read_text

_WORD = re.compile(r"[^\W_]+")
_DISTINCTIVE = 8
"""Words in a row that are a canary's own; a shorter canary has to be repeated whole."""
_KEY = 12
"""Letters by which a canary is looked for, and that it has at least."""


@dataclass(frozen=True)
class Canary:
    """A line of a venue's file.

    Attributes:
        line: Its number there, counted from 1.
        text: What the venue hid.
        phrase: What a model would write that obeys it; empty if that was not said.
    """

    line: int
    text: str
    phrase: str = ""


@dataclass(frozen=True)
class Canaries:
    """All canaries of a venue; none without a file."""

    lines: tuple[Canary, ...] = ()

    @cached_property
    def _keys(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for canary in self.lines:
            letters = _letters(canary.text)[0]
            found.setdefault(letters[:_KEY], []).append(letters)
        return found

    @cached_property
    def _all_letters(self) -> str:
        return "\n".join(_letters(canary.text)[0] for canary in self.lines)

    @cached_property
    def _runs(self) -> dict[int, dict[tuple[str, ...], int]]:
        """Runs of words that a review repeats a canary by, by their length, each with its line."""
        runs: dict[int, dict[tuple[str, ...], int]] = {}
        for canary in self.lines:
            for text in filter(None, (canary.text, canary.phrase)):
                words = _WORD.findall(text.casefold())
                size = min(len(words), _DISTINCTIVE)
                for start in range(len(words) - size + 1):
                    run = tuple(words[start : start + size])
                    runs.setdefault(size, {}).setdefault(run, canary.line)
        return runs

    def explains(self, text: str) -> bool:
        """Whether a text is a canary or a piece of one, with hardly a word of anybody else's."""
        letters, places = _letters(text)
        if not self.lines or not letters:
            return False
        if len(letters) >= _KEY and letters in self._all_letters:
            return True
        rest = list(text)
        for start in range(len(letters)):
            for canary in self._keys.get(letters[start : start + _KEY], ()):
                if letters.startswith(canary, start):
                    first, last = places[start], places[start + len(canary) - 1]
                    rest[first : last + 1] = " " * (last + 1 - first)
        left = "".join(rest)
        return left != text and len(WORD.findall(left)) < LEAST_WORDS

    def places(self, text: str) -> Iterator[tuple[int, int]]:
        """Start and end of the stretches of a text that are canaries, ascending and apart."""
        if not self.lines:
            return
        letters, places = _letters(text)
        found: list[tuple[int, int]] = []
        for canary in sorted({_letters(one.text)[0] for one in self.lines}):
            start = letters.find(canary)
            while start >= 0:
                found.append((start, start + len(canary)))
                start = letters.find(canary, start + len(canary))
        apart: list[tuple[int, int]] = []
        for span in sorted(found):
            if apart and span[0] <= apart[-1][1]:
                apart[-1] = apart[-1][0], max(span[1], apart[-1][1])
            else:
                apart.append(span)
        for start, end in apart:
            yield places[start], places[end - 1] + 1

    def repeated(self, text: str) -> Iterator[tuple[int, int, int]]:
        """Line of a canary, and start and end of the words of a text that repeat it."""
        words = [(match[0], *match.span()) for match in _WORD.finditer(text.casefold())]
        if len(text.casefold()) != len(text):  # letters that have two small forms
            words = [(match[0].casefold(), *match.span()) for match in _WORD.finditer(text)]
        for size, runs in self._runs.items():
            for start in range(len(words) - size + 1):
                line = runs.get(tuple(word[0] for word in words[start : start + size]))
                if line is not None:
                    yield line, words[start][1], words[start + size - 1][2]


def _letters(text: str) -> tuple[str, Sequence[int]]:
    """The letters and digits of a text in lower case, and where each stands in it."""
    pairs = [
        (letter, place)
        for place, sign in enumerate(text)
        for letter in sign.casefold()
        if letter.isalnum()
    ]
    return "".join(letter for letter, _ in pairs), [place for _, place in pairs]


def read_canaries(path: Path | None) -> Canaries:
    """Canaries of a file: a line each, ``TEXT`` or ``TEXT => PHRASE``; ``#`` begins a comment.

    Raises:
        InputError: The file cannot be read, or a line is too short to be told from other text.
    """
    canaries = []
    for number, line in enumerate(read_text(path).splitlines() if path else (), start=1):
        text, _, phrase = (part.strip() for part in line.partition("=>"))
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if min(len(_letters(part)[0]) for part in (text, phrase or text)) < _KEY:
            raise InputError(
                f"is too short to be a canary: it needs {_KEY} letters, and so does its phrase",
                file=path,
                line=number,
                cure="give the whole sentence that was hidden",
            )
        canaries.append(Canary(number, text, phrase))
    return Canaries(tuple(canaries))


class _Process:
    """The canaries that this process knows."""

    canaries = Canaries()


def canaries_in_force() -> Canaries:
    """The canaries that are no alarm in this process."""
    return _Process.canaries


def put_canaries_in_force(canaries: Canaries) -> None:
    """Take canaries for the venue's own from now on."""
    _Process.canaries = canaries
