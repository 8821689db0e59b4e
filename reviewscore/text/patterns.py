"""Word patterns that are kept in tables: TOML files beside the modules that read them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path


def word_pattern(text: str, *, flags: re.RegexFlag = re.IGNORECASE) -> re.Pattern[str]:
    """A pattern that begins at the start of a word and ignores case; its lines are joined."""
    joined = "".join(line.lstrip() for line in text.splitlines())
    return re.compile(rf"\b(?:{joined})", flags)


def load_patterns(path: Path, *, lower: bool = False) -> dict[str, re.Pattern[str]]:
    """The patterns of a table by name.

    Args:
        path: The table; its words are in lower case.
        lower: Whether they are only used on text in lower case, which is three times as fast as
            to ignore case.
    """
    table = tomllib.loads(path.read_text("utf-8"))
    return {
        name: word_pattern(text, flags=re.NOFLAG if lower else re.IGNORECASE)
        for name, text in table.items()
    }
