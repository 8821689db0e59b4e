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
    "all_verbs": lambda _: tables.all_verbs(),
    "finder": lambda _: tables.finder(),
}


def _filled(_: Sphinx, page: str, source: list[str]) -> None:
    def fill(found: re.Match[str]) -> str:
        if found[1] not in KINDS:
            raise ValueError(f"{page}: nothing of the kind '{found[1]}' can be generated")
        return KINDS[found[1]](found[2])

    source[0] = MARK.sub(fill, source[0])


def _described(_: Sphinx, context: object, lines: list[str]) -> None:
    """Examples in the help of a verb are shown as they are typed."""
    found: list[str] = []
    literal = False
    for line in lines:
        if line.startswith("| "):
            if not literal:
                found += ["", "::", ""]
            found.append(f"    {line[2:]}")
        else:
            found += ["", line] if literal else [line]
        literal = line.startswith("| ")
    lines[:] = found


def setup(app: Sphinx) -> dict[str, bool]:
    """Fill the marks when a page is read."""
    app.connect("source-read", _filled)
    app.connect("sphinx-click-process-description", _described)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
