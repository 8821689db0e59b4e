"""Reviews from any venue's table: CSV, Excel or JSONL, its columns named by a map."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from hashlib import sha256
from pathlib import Path
from typing import Any

from reviewscore.bounds import check_size, in_force
from reviewscore.errors import InputError
from reviewscore.schema.review import Role
from reviewscore.sources.data_folder import PAPERS, REVIEWS, DataFolder, copied
from reviewscore.sources.records import OVERFLOW, SPREADSHEETS, RecordFile, read_grid
from reviewscore.sources.section_roles import known_role, plain_name

_OF_REVIEW = (
    "review_id", "reviewer", "rating", "confidence", "author_response", "date",
)  # fmt: skip
_OF_PAPER = ("title", "abstract", "text", "pdf", "venue", "year", "decision")
_WORDS = ("title", "abstract", "text", "venue", "decision")
_BOX = "review"
"""Name of the whole review where it is in one column."""
_WHOLE = re.compile(r"\d+\.0")
_SHEETS = (".csv", ".tsv", *SPREADSHEETS)
_LINES = (".jsonl", ".parquet")
_PAPER_FILES = (".pdf", ".txt", ".md", ".json")


@dataclass(frozen=True)
class Columns:
    """Which column of a table holds what.

    Attributes:
        of: Column by what it holds: ``paper_id``, ``review``, fields of papers and reviews, and
            any other name, which is a box of the form (``weaknesses``, ``questions``).
    """

    of: Mapping[str, str]

    @classmethod
    def read(cls, table: Path, names: list[str], given: Mapping[str, str]) -> Columns:
        """What the user says of the columns; the rest by our own names and those of boxes.

        Raises:
            InputError: A column that was named is not there, or none holds papers' ids or text.
        """
        there = {_plain(name): name for name in names}
        found = {}
        for ours, theirs in given.items():
            _check_name(ours, table)
            if _plain(theirs) not in there:
                raise InputError(
                    f"has no column '{theirs}'", file=table, cure=f"there are: {', '.join(names)}"
                )
            found[ours] = there[_plain(theirs)]
        taken = set(found.values())
        for ours in ("paper_id", _BOX, *_OF_REVIEW, *_OF_PAPER):
            if ours not in found and (name := there.get(ours)) and name not in taken:
                found[ours] = name
        taken = set(found.values())
        for plain, name in there.items():
            if name not in taken and known_role(name) not in (None, Role.SCORES, Role.IGNORE):
                found[plain] = name
        columns = cls(found)
        if "paper_id" not in found or not columns.boxes:
            lacks = "paper_id" if "paper_id" not in found else _BOX
            raise InputError(
                f"no column holds `{lacks}`",
                file=table,
                cure=f"say which one: --columns {lacks}=NAME, of {', '.join(names)}",
            )
        return columns

    @property
    def boxes(self) -> tuple[str, ...]:
        """What holds the reviewer's words."""
        known = {"paper_id", *_OF_REVIEW, *_OF_PAPER}
        return tuple(name for name in self.of if name not in known)

    def value(self, row: Mapping[str, object], name: str) -> object:
        """A cell; None if there is no such column, or nothing in it."""
        found = row.get(self.of[name]) if name in self.of else None
        empty = found is None or found != found or not str(found).strip()  # noqa: PLR0124 - NaN
        return None if empty else found


def _check_name(ours: str, table: Path) -> None:
    """A name of ours that is misspelt would be taken for a box of the form.

    Raises:
        InputError: It is none of ours, and like one.
    """
    known = ("paper_id", _BOX, *_OF_REVIEW, *_OF_PAPER)
    close = get_close_matches(ours, known, n=1, cutoff=0.8)
    if ours not in known and close and known_role(ours) is None:
        raise InputError(
            f"--columns: '{ours}' is not known", file=table, cure=f"did you mean '{close[0]}'?"
        )


@dataclass
class Converted:
    """What came of a table.

    Attributes:
        papers: Papers written.
        reviews: Reviews written.
        faults: Rows that were left out, and why.
        unused: Columns that hold nothing that is known.
    """

    papers: int = 0
    reviews: int = 0
    faults: list[InputError] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)


def convert_table(
    table: Path,
    given: Mapping[str, str],
    out: Path,
    *,
    papers: Path | None = None,
) -> Converted:
    """Write a table's reviews as data that other verbs read.

    A paper's text is in the table too (columns ``text`` or ``pdf``), or in a folder of files named
    by the papers' ids.

    Args:
        table: CSV, TSV, Excel, OpenDocument, JSONL or Parquet.
        given: Columns by what they hold, see `Columns`.
        out: The folder.
        papers: Folder of the papers' files; PDFs and texts in it are copied.

    Raises:
        InputError: The table cannot be read, or a column is missing.
        RunFolderError: The folder holds other things, or cannot be written.
    """
    rows = list(_rows(table))
    if not rows:
        raise InputError("holds no rows", file=table, cure="write one review a row")
    names = [one for one in dict.fromkeys(name for _, row in rows for name in row) if one]
    columns = Columns.read(table, names, given)
    told = Converted(unused=[one for one in names if one not in columns.of.values()])
    known: set[str] = set()
    ids: dict[str, int] = {}
    with DataFolder(out) as folder:
        for line, row in rows:
            try:
                review = _checked(columns, row, ids, (table, line))
                paper = str(review["paper_id"])
                if paper not in known:
                    folder.add(PAPERS, _paper(columns, row, paper, papers, out, (table, line)))
                    known.add(paper)
            except InputError as error:
                told.faults.append(error)
            else:
                ids[str(review["review_id"])] = line
                folder.add(REVIEWS, review)
        folder.check(told.faults, table)
        folder.account({"source": "table", "file": table.name, "columns": dict(columns.of)})
        told.papers, told.reviews = folder.written[PAPERS], folder.written[REVIEWS]
    return told


def _rows(table: Path) -> Iterator[tuple[int, dict[str, object]]]:
    ending = table.suffix.lower()
    if ending in _LINES:
        check_size(table, in_force().table)
        for one in RecordFile.of(table).rows():
            if one.error is not None or one.record is None:
                raise one.error or InputError("is empty", file=table, line=one.line)
            yield one.line, one.record
    elif ending in _SHEETS:
        for line, cells in read_grid(table):
            yield line, dict(cells)
    else:
        raise InputError("is no table", file=table, cure=f"give {', '.join((*_SHEETS, *_LINES))}")


def _checked(
    columns: Columns, row: Mapping[str, object], ids: Mapping[str, int], place: tuple[Path, int]
) -> dict[str, Any]:
    """The record of a review.

    Raises:
        InputError: The row cannot be used.
    """
    table, line = place
    if row.get(OVERFLOW):
        raise InputError(
            f"has more cells than there are headings ('{str(row[OVERFLOW])[:40]}')",
            file=table,
            line=line,
            cure="put texts that hold the delimiter into quotes",
        )
    paper = _bare(_text(columns.value(row, "paper_id")))
    if not paper:
        raise InputError("names no paper", file=table, line=line, field="paper_id")
    usual = f"{paper}/{line}"
    while usual in ids:  # tabs of one file number their rows alike
        usual += "+"
    review = _review(columns, row, paper, usual)
    if review is None:
        raise InputError("holds no review", file=table, line=line, field=_BOX)
    if (name := str(review["review_id"])) in ids:
        raise InputError(
            f"'{name}' is also on line {ids[name]}",
            file=table,
            line=line,
            field="review_id",
            cure="give every review its own",
        )
    return review


def _review(
    columns: Columns, row: Mapping[str, object], paper: str, usual: str
) -> dict[str, Any] | None:
    boxes = {name: _text(columns.value(row, name)) for name in columns.boxes}
    filled = {name: text for name, text in boxes.items() if text}
    if not filled:
        return None
    record: dict[str, Any] = {name: columns.value(row, name) for name in _OF_REVIEW}
    record |= {"paper_id": paper, "review_id": _text(record["review_id"]) or usual}
    record |= {name: _text(record[name]) for name in ("reviewer", "date", "author_response")}
    record["reviewer"] = _pseudonym(record["reviewer"])
    whole = list(filled) == [_BOX]
    return {**record, **({"text": filled[_BOX]} if whole else {"sections": filled})}


def _paper(
    columns: Columns,
    row: Mapping[str, object],
    paper: str,
    papers: Path | None,
    out: Path,
    place: tuple[Path, int],
) -> dict[str, Any]:
    """The record of a paper, its file copied into the folder.

    Raises:
        InputError: There is neither a text nor a file.
    """
    found: dict[str, Any] = {name: columns.value(row, name) for name in _OF_PAPER}
    found |= {name: _text(found[name]) for name in _WORDS}
    found["paper_id"] = paper
    if found["text"]:
        return {**found, "pdf": None}
    folder = papers or place[0].parent
    names = [found["pdf"]] if found["pdf"] else [f"{paper}{ending}" for ending in _PAPER_FILES]
    for name in names:
        file = folder / str(name)
        try:
            inside = file.resolve().is_relative_to(folder.resolve()) and file.is_file()
        except (OSError, ValueError):  # a name that no file can have
            inside = False
        if inside:
            return {**found, **_copied(file, paper, out)}
    raise InputError(
        f"there is no text of paper '{paper}'",
        file=place[0],
        line=place[1],
        field="text",
        cure=f"give a column text or pdf, or {names[0]} in the folder --papers",
    )


def _copied(file: Path, paper: str, out: Path) -> dict[str, Any]:
    from reviewscore.papers.load import load_paper

    if file.suffix.lower() != ".pdf":
        return {"text": load_paper(file).text, "pdf": None}
    return {"pdf": copied(file, out, paper).as_posix()}


def _pseudonym(name: str) -> str:
    """A reviewer's name as it is kept: of an e-mail address its sum, which is always the same."""
    if "@" not in name:
        return name
    return f"R-{sha256(name.strip().lower().encode('utf-8', 'replace')).hexdigest()[:8]}"


def _plain(name: str) -> str:
    return plain_name(name).replace(" ", "_")


def _bare(name: str) -> str:
    """An identifier; a whole number that passed through a table of numbers is one again."""
    return name.removesuffix(".0") if _WHOLE.fullmatch(name) else name


def _text(value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return "" if value is None else str(value).strip()
