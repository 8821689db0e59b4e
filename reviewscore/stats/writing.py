"""Tables as files: a page with its plots, every table as CSV and LaTeX, all numbers as JSON."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import TypeAlias

from reviewscore import __version__
from reviewscore.config import Plain
from reviewscore.errors import RunFolderError
from reviewscore.files import hash_file, read_whole, results_folder, write_whole
from reviewscore.stats.tables import Table, as_csv, escaped, latex, markdown, records


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


Draw: TypeAlias = Callable[[Path], list[Path]]
"""Draws plots into a folder; returns the files, SVG and PNG of each."""


def write_tables(
    found: Sequence[Table],
    setup: Setup,
    out: Path,
    *,
    draw: Draw | None = None,
    allow_foreign: bool = False,
) -> list[Path]:
    """Write tables and plots into a folder.

    Returns:
        The files written, the page to read first.

    Raises:
        RunFolderError: The folder holds other things, or cannot be written.
    """
    return write_report(
        found,
        out,
        verb=setup.verb,
        numbers=numbers(found, setup),
        page=lambda plots: page(found, setup, plots),
        draw=draw,
        allow_foreign=allow_foreign,
    )


def write_report(
    found: Sequence[Table],
    out: Path,
    *,
    verb: str,
    numbers: str,
    page: Callable[[str], str],
    stem: str | None = None,
    draw: Draw | None = None,
    allow_foreign: bool = False,
) -> list[Path]:
    """Write a page, all numbers, tables and plots; take away tables of an earlier report.

    Args:
        found: The tables.
        out: The folder.
        verb: The command.
        numbers: All numbers as JSON.
        page: Makes the page; given the Markdown that shows the plots.
        stem: Names the page and the numbers; the verb if not given.
        draw: Draws the plots.
        allow_foreign: Write beside other things too.

    Returns:
        The files written, the page to read first.

    Raises:
        RunFolderError: The folder holds other things, or cannot be written.
    """
    marker = numbers_name(stem or verb)
    texts = {marker: numbers}
    for name, table in zip(_file_names(table.name for table in found), found, strict=True):
        texts[f"tables/{name}.csv"] = as_csv(table)
        texts[f"tables/{name}.tex"] = latex(table)
    stale = _earlier(out / marker) - texts.keys()
    written = write_files(
        texts, out, verb=verb, stem=stem, stale=stale, allow_foreign=allow_foreign
    )
    plots = draw(out) if draw is not None else []
    first = out / f"{stem or verb}.md"
    write_whole(first, page(_shown(plots, out)))
    return [first, *written, *plots]


def write_files(
    texts: Mapping[str, str],
    out: Path,
    *,
    verb: str,
    stem: str | None = None,
    stale: Collection[str] = (),
    allow_foreign: bool = False,
) -> list[Path]:
    """Write a verb's files into its folder, once that is seen to be nobody else's.

    Args:
        texts: The files by their names, which may lie in a folder of the folder.
        out: The folder.
        verb: The command.
        stem: Names the numbers by which the folder is known again; the verb if not given.
        stale: Files of an earlier run of the verb, to be taken away.
        allow_foreign: Write beside other things too.

    Returns:
        The files, in the order of `texts`.

    Raises:
        RunFolderError: The folder holds other things, or cannot be written.
        StopError: The disk is full.
    """
    inside = sorted({str(Path(name).parent) for name in (*texts, *stale) if "/" in name})
    marker = numbers_name(stem or verb)
    results_folder(out, verb=verb, marker=marker, inside=inside, allow_foreign=allow_foreign)
    for name in stale:
        (out / name).unlink(missing_ok=True)
    for name, text in texts.items():
        write_whole(out / name, text)
    return [out / name for name in texts]


def _shown(plots: Sequence[Path], out: Path) -> str:
    """The plots in Markdown; empty if there are none."""
    drawn = [path for path in plots if path.suffix == ".svg"]
    lines = [f"![{escaped(one.stem)}]({one.relative_to(out).as_posix()})" for one in drawn]
    return "\n\n".join(["## Plots", *lines]) + "\n" if lines else ""


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


def page(found: Sequence[Table], setup: Setup, plots: str = "") -> str:
    """All tables, notes and plots as one Markdown page."""
    notes = points([f"{setup.role}: {setup.model}", *setup.notes])
    return sections(setup.title, notes, *map(markdown, found), plots)


def sections(title: str, *parts: str) -> str:
    """A Markdown page of parts that end with a line end; empty ones are left out."""
    return "\n".join([f"# {escaped(title)}\n", *filter(None, parts)])


def points(lines: Iterable[str]) -> str:
    """Lines as a Markdown list."""
    return "".join(f"- {escaped(line)}\n" for line in lines)


def numbers(found: Sequence[Table], setup: Setup) -> str:
    """All estimates, and how they were made, as JSON."""
    made = {
        "model": setup.model,
        "settings": dict(setup.settings),
        "inputs": dict(setup.inputs),
        "notes": list(setup.notes),
    }
    return as_json(f"reviewscore.{setup.verb}/1", made, found)


def as_json(
    schema: str,
    made: Mapping[str, object],
    found: Sequence[Table],
    more: Mapping[str, object] | None = None,
) -> str:
    """Tables as JSON, after how they were `made` and before `more` that belongs to them."""
    tables = {table.name: records(table) for table in found}
    head = {"schema": schema, "reviewscore_version": __version__}
    return json.dumps(
        {**head, **made, "tables": tables, **(more or {})}, indent=1, ensure_ascii=False
    )
