"""Text from outside made storable: once, when it is read, so that offsets stay true."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from reviewscore.bounds import Bound, in_force, read_bounded
from reviewscore.papers.file_kinds import check_text, not_utf8
from reviewscore.papers.hidden import UNSEEN, Hidden, is_flag, shapeless, unseen_characters
from reviewscore.papers.offsets import MappedText

_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
_LEVELLED = re.compile(rf"\A\ufeff|(?P<end>\r\n?|\f)|(?P<unseen>{UNSEEN.pattern})")
_MARKER = re.compile(r"<(?=[|｜])|<(?=[^\s<>]{1,64}>)|\[(?=/?[A-Z_]{2,32}\])")
"""Where a control marker of any common chat format begins."""


@dataclass(frozen=True, slots=True)
class TidyText:
    """Text that can be written as UTF-8 and printed.

    Attributes:
        text: The text.
        surrogates: How many halves of characters were replaced by U+FFFD.
        controls: How many NULs and other control characters were replaced by a space.
        mapped: The text with the way back to what was read.
        hidden: Runs of characters without a shape that were left out; see `hidden.shapeless`.
    """

    text: str
    surrogates: int
    controls: int
    mapped: MappedText
    hidden: tuple[Hidden, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What was changed, in words."""
        notes = []
        if self.surrogates:
            notes.append(f"{self.surrogates} broken characters replaced by U+FFFD")
        if self.controls:
            notes.append(f"{self.controls} control characters replaced by spaces")
        notes += [
            f"{hidden_text.trick} left out at {hidden_text.place}: {hidden_text.text}"
            for hidden_text in self.hidden
        ]
        if unseen := unseen_characters(self.text):
            notes.append(unseen)
        return tuple(notes)


def tidy(raw: str) -> TidyText:
    """Levels line ends, drops what nobody sees, and replaces what cannot be stored or shown.

    A byte order mark and runs of characters without a shape (see `hidden.shapeless`) go.
    """
    # A form feed ends a page; as a line end it parts what stood on two pages.
    hidden = tuple(shapeless(raw))
    mapped = MappedText(raw).rewrite(_LEVELLED, _levelled)
    text, surrogates = _SURROGATE.subn("\ufffd", mapped.text)
    text, controls = _CONTROL.subn(" ", text)
    return TidyText(text, surrogates, controls, MappedText(text, mapped.layers), hidden)


def one_line(text: str) -> str:
    """Words on one line, as they can be stored."""
    return " ".join(tidy(text).text.split())


def _levelled(match: re.Match[str]) -> str:
    if match.lastgroup == "unseen" and not is_flag(match.group()):
        return ""
    return match.group() if match.lastgroup == "unseen" else "\n" if match["end"] else ""


def without_surrogates(value: object) -> object:
    """A decoded JSON value with halves of characters replaced by U+FFFD, in all its strings."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {without_surrogates(key): without_surrogates(item) for key, item in value.items()}
    return value


def broken_up(text: str) -> str:
    """A foreign text whose control markers are text to any tokenizer.

    For tokenizers out of our reach, on a server, that read markers wherever they stand. The rule:
    a space goes after each ``<`` that begins ``<|..`` or a tag without blanks (``</s>``,
    ``<start_of_turn>``), and after each ``[`` that begins a word in capitals in brackets
    (``[INST]``, ``[/INST]``). Other text stays as it is, and so does text that was broken up.
    """
    return _MARKER.sub(lambda match: f"{match[0]} ", text)


def read_text(path: Path, *, bound: Bound | None = None) -> str:
    """The text of a UTF-8 file.

    Args:
        path: The file.
        bound: How large it may be; that of a text if not given.

    Raises:
        InputError: If the file cannot be read, is too large, or is not UTF-8; says what it is.
    """
    data = read_bounded(path, bound or in_force().text)
    check_text(path, data)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise not_utf8(path, data, error) from error
