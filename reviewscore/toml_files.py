"""TOML files, read so that no small file costs much: bounded before it is parsed.

The parser of the standard library takes memory that grows with the square of a dotted key's length
(40 kB gave 1.6 GB), and ends in a RecursionError where values nest deeply.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from reviewscore.bounds import Bound, read_bounded, read_regular
from reviewscore.errors import InputError

_MOST_PARTS = 16
"""Names that one key or the name of one table may have, with dots between."""
_MOST_DEPTH = 32
"""Values that may lie in one another."""
_TOKEN = re.compile(
    r'"""(?:[^"\\]++|\\.|"(?!""))*+"{3,5}'
    r"|'''(?:[^']++|'(?!''))*+'{3,5}"
    r"|(?P<comment>#[^\n]*+)"
    r'|(?P<name>"(?:[^"\\\n]++|\\.)*+"|\'[^\'\n]*+\'|[A-Za-z0-9_+-]++)'
    r"|(?P<dot>\.)|(?P<open>[\[{])|(?P<close>[\]}])|(?P<space>[ \t]++)|.",
    re.DOTALL,
)
"""The pieces of a TOML text as far as it is valid; where it is not, parsing ends anyway."""


def read_toml(path: Path, bound: Bound, *, regular: bool = False) -> dict[str, object]:
    """The tables of a TOML file.

    Args:
        path: The file.
        bound: How large it may be.
        regular: Whether it must be an ordinary file, since nobody named it.

    Raises:
        InputError: It cannot be read, is too large, or is no TOML; names the line.
    """
    raw = read_regular(path, bound) if regular else read_bounded(path, bound)
    try:
        return parse_toml(raw.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not TOML that can be read: {error}", file=path) from error


def parse_toml(text: str) -> dict[str, object]:
    """The tables of a TOML text.

    Raises:
        ValueError: It is no TOML, or has keys of too many parts or values that nest too deeply.
    """
    text = text.replace("\r\n", "\n")
    _check(text)
    return tomllib.loads(text)


def _check(text: str) -> None:
    """Refuse what the parser cannot be given.

    Raises:
        ValueError: Names the line.
    """
    parts, depth, named = 0, 0, False
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        if kind == "name":
            parts, named = (parts if not named and parts else 0) + 1, True
        elif kind == "dot":
            named = False
        elif kind != "space":
            parts, named = 0, False
            depth += (kind == "open") - (kind == "close")
        if parts > _MOST_PARTS:
            raise ValueError(
                f"line {_line(text, token)}: a key has more than {_MOST_PARTS} parts with dots "
                "between"
            )
        if depth > _MOST_DEPTH:
            raise ValueError(
                f"line {_line(text, token)}: values nest more than {_MOST_DEPTH} times"
            )


def _line(text: str, token: re.Match[str]) -> int:
    return text.count("\n", 0, token.start()) + 1
