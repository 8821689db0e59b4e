"""Foreign text made safe to print: what a terminal would obey is shown as its escape."""

from __future__ import annotations

import re
from collections.abc import Iterable

_OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, line feed and tab apart
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # direction of writing
    "\u2028\u2029\ud800-\udfff]"  # further line ends; halves of characters
)


def printable(text: str, *, lines: bool = False) -> str:
    r"""Text that shows control and direction characters as ``\u001b`` and obeys none of them.

    The escapes are those of JSON, so that a JSON record stays a record and keeps its values.

    Args:
        text: The text.
        lines: Whether line feeds end lines; else they are shown as ``\n``, so that no name or
            message can look like a line of its own.
    """
    safe = _OBEYED.sub(lambda match: f"\\u{ord(match.group()):04x}", text)
    return safe if lines else safe.replace("\n", "\\n")


_FOLDERS = re.compile(
    r"(?<![\w.:/\\~-])"  # not within an address, a word or a relative path
    r"(?:/|~/|[A-Za-z]:[\\/])(?:[^\s/\\:;,'\"<>|()]+[\\/])+(?=[^\s/\\])"
)


def without_folders(text: str, known: Iterable[str] = ()) -> str:
    """A text for others, in which files are called by their names: folders are this machine's own.

    Args:
        text: The text.
        known: Absolute folders that it may name, whatever characters are in them.
    """
    for folder in sorted(known, key=len, reverse=True):
        for separator in "/\\":
            text = text.replace(folder.rstrip("/\\") + separator, "")
    return _FOLDERS.sub("", text)
