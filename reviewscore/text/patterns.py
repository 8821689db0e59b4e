"""Word patterns that are kept in tables: TOML files beside the modules that read them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path


def word_pattern(text: str) -> re.Pattern[str]:
    """A pattern that ignores case and begins at the start of a word; its lines are joined."""
    joined = "".join(line.lstrip() for line in text.splitlines())
    return re.compile(rf"\b(?:{joined})", re.IGNORECASE)


def load_patterns(path: Path) -> dict[str, re.Pattern[str]]:
    """The patterns of a table by name."""
    table = tomllib.loads(path.read_text("utf-8"))
    return {name: word_pattern(text) for name, text in table.items()}
