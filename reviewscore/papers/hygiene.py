"""Text from outside made storable: once, when it is read, so that offsets stay true."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from reviewscore.errors import InputError

_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
_MARKER = re.compile(r"<(?=[|｜])|<(?=[^\s<>]{1,64}>)|\[(?=/?[A-Z_]{2,32}\])")
"""Where a control marker of any common chat format begins."""


@dataclass(frozen=True, slots=True)
class TidyText:
    """Text that can be written as UTF-8 and printed.

    Attributes:
        text: The text.
        surrogates: How many halves of characters were replaced by U+FFFD.
        controls: How many NULs and other control characters were replaced by a space.
    """

    text: str
    surrogates: int = 0
    controls: int = 0

    @property
    def notes(self) -> tuple[str, ...]:
        """What was changed, in words."""
        notes = []
        if self.surrogates:
            notes.append(f"{self.surrogates} broken characters replaced by U+FFFD")
        if self.controls:
            notes.append(f"{self.controls} control characters replaced by spaces")
        return tuple(notes)


def tidy(raw: str) -> TidyText:
    """Drops a byte order mark, levels line ends, and replaces what cannot be stored or shown."""
    text = raw.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    # A form feed ends a page; as a line end it parts what stood on two pages.
    text = text.replace("\f", "\n")
    text, surrogates = _SURROGATE.subn("\ufffd", text)
    text, controls = _CONTROL.subn(" ", text)
    return TidyText(text, surrogates, controls)


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
    return _MARKER.sub(lambda found: f"{found[0]} ", text)


def read_text(path: Path) -> str:
    """The text of a UTF-8 file.

    Raises:
        InputError: If the file cannot be read or is not UTF-8.
    """
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror}", file=path, cure="check the path"
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"is not UTF-8 text (byte {error.start})", file=path, cure="save it as UTF-8"
        ) from error
