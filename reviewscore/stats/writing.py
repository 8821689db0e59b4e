"""Tables as files: a page, every table as CSV and LaTeX, and all numbers as JSON."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path

from reviewscore import __version__
from reviewscore.config import Plain
from reviewscore.errors import RunFolderError
from reviewscore.stats.estimates import PendingEstimate
from reviewscore.stats.tables import (
    Table,
    as_csv,
    counted,
    escaped,
    latex,
    markdown,
    records,
    unsteady,
)
from reviewscore.store.jsonl import read_whole, write_whole
from reviewscore.store.manifest import hash_file
from reviewscore.store.results import results_folder


@dataclass(frozen=True)
class Setup:
    """How tables were made.

    Attributes:
        verb: The command, which names the files.
        title: Heading of the page.
        role: What the model was used as.
        model: Its name.
        settings: Whatever can change a number, with values.
        inputs: SHA-256 of each file read, by name.
        notes: What a reader must know.
    """

    verb: str
    title: str
    role: str
    model: str
    settings: Mapping[str, Plain]
    inputs: Mapping[str, str]
    notes: Sequence[str]


def hashes(files: Iterable[Path]) -> dict[str, str]:
    """SHA-256 of files by name; by path where two files have one name."""
    once = list(dict.fromkeys(files))
    often = Counter(one.name for one in once)
    return {one.name if often[one.name] == 1 else str(one): hash_file(one).sha256 for one in once}


def page_name(verb: str) -> str:
    """File name of the page to read first."""
    return f"{verb}.md"


def numbers_name(verb: str) -> str:
    """File name of all numbers; every folder of the verb has it."""
    return f"{verb}.json"


def check_folder(out: Path, verb: str, *, allow_foreign: bool = False) -> None:
    """Refuse a folder of other things before anything is computed for it.

    Raises:
        RunFolderError: As `write_tables`.
    """
    if out.exists():
        results_folder(out, verb=verb, marker=numbers_name(verb), allow_foreign=allow_foreign)


def write_tables(
    found: Sequence[Table], setup: Setup, out: Path, *, allow_foreign: bool = False
) -> list[Path]:
    """Write tables into a folder, and take away those of an earlier run that are not made again.

    Returns:
        The files written, the page to read first.

    Raises:
        RunFolderError: The folder holds other things, or cannot be written.
    """
    marker = numbers_name(setup.verb)
    results_folder(
        out, verb=setup.verb, marker=marker, inside=("tables",), allow_foreign=allow_foreign
    )
    texts = {page_name(setup.verb): page(found, setup), marker: numbers(found, setup)}
    for name, table in zip(_file_names(table.name for table in found), found, strict=True):
        texts[f"tables/{name}.csv"] = as_csv(table)
        texts[f"tables/{name}.tex"] = latex(table)
    for name in _earlier(out / marker) - texts.keys():
        (out / name).unlink(missing_ok=True)
    for name, text in texts.items():
        write_whole(out / name, text)
    return [out / name for name in texts]


def _earlier(marker: Path) -> set[str]:
    """Files of the tables that an earlier run made, as its numbers name them."""
    try:
        names = json.loads(read_whole(marker) or b"")["tables"]
    except (RunFolderError, ValueError, KeyError, TypeError):
        return set()
    if not isinstance(names, dict):
        return set()
    return {f"tables/{name}.{end}" for name in _file_names(names) for end in ("csv", "tex")}


def _file_names(names: Iterable[str]) -> Iterator[str]:
    """A file name for each table, no two alike."""
    taken: set[str] = set()
    for name in names:
        found = file_name(name, taken)
        taken.add(found.lower())
        yield found


def file_name(name: str, taken: Container[str] = ()) -> str:
    """A table's name as a file name: names of systems are in it, which may be anything.

    Args:
        name: Of the table.
        taken: File names that are in use; a number is added to one of these.
    """
    plain = re.sub(r"[^A-Za-z0-9.-]+", "-", name).strip("-.")[:120] or "table"
    numbered = (f"{plain}-{number}" for number in count(2))
    return next(one for one in chain([plain], numbered) if one.lower() not in taken)


def page(found: Sequence[Table], setup: Setup) -> str:
    """All tables and notes as one Markdown page."""
    notes = [f"{setup.role}: {setup.model}", *setup.notes]
    parts = [f"# {setup.title}\n", _points(notes)]
    for table in found:
        parts.append(markdown(table))
        if lines := [*counted(table), *_left_out(table), *unsteady(table)]:
            parts.append(_points(lines))
    return "\n".join(parts)


def _points(lines: Sequence[str]) -> str:
    return "\n".join(f"- {escaped(line)}" for line in lines) + "\n"


def _left_out(table: Table) -> Iterator[str]:
    """What did not count and why; n are papers, and what is left out may be reviews."""
    for row in table.rows:
        name = ", ".join(str(cell) for cell in row[: table.keys])
        for heading, cell in zip(table.columns, row, strict=True):
            if isinstance(cell, PendingEstimate) and cell.answer.dropped:
                parts = (f"{count:,} {why}" for why, count in cell.answer.dropped.items())
                yield f"{name}, {heading}: left out: {', '.join(parts)}"


def numbers(found: Sequence[Table], setup: Setup) -> str:
    """All estimates, and how they were made, as JSON."""
    return json.dumps(
        {
            "schema": f"reviewscore.{setup.verb}/1",
            "reviewscore_version": __version__,
            "model": setup.model,
            "settings": dict(setup.settings),
            "inputs": dict(setup.inputs),
            "notes": list(setup.notes),
            "tables": {table.name: records(table) for table in found},
        },
        indent=1,
        ensure_ascii=False,
    )
