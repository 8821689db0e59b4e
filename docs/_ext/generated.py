"""Put what the code says of itself where a page has ``<!-- generated: KIND NAME -->``."""

from __future__ import annotations

import re

import code_tables as tables
from sphinx.application import Sphinx

MARK = re.compile(r"^<!-- generated: (\w+) ?(\S*) -->$", re.MULTILINE)
KINDS = {
    "record": lambda name: tables.records(name, level=2),
    "records": lambda name: tables.records(name, level=3),
    "row": tables.one_record,
    "columns": lambda _: tables.columns(),
    "settings": lambda _: tables.settings(),
    "prompts": lambda _: tables.prompts(),
    "verbs": lambda _: tables.verbs(),
}


def _filled(_: Sphinx, page: str, source: list[str]) -> None:
    def fill(found: re.Match[str]) -> str:
        if found[1] not in KINDS:
            raise ValueError(f"{page}: nothing of the kind '{found[1]}' can be generated")
        return KINDS[found[1]](found[2])

    source[0] = MARK.sub(fill, source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Fill the marks when a page is read."""
    app.connect("source-read", _filled)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
