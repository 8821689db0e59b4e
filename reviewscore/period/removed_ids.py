"""What is to be removed from a venue folder, by its identifiers, and what in files is of it."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from reviewscore.files import write_whole
from reviewscore.schema.paper import base_paper_id
from reviewscore.schema.point_id import owner_of, review_of
from reviewscore.sources.data_folder import file_name

_PAPER = ("paper_id", "paper", "forum")
_REVIEW = ("review_id", "review", "replyto")
_POINT = ("point_id", "unit_id", "point", "edited_from")
_OF_NOTES = {"forum", "invitation", "invitations", "content"}
_ABOUT = ("row", "score", "note")
"""Fields whose record is what the one around it is about."""
KEYS = (*_PAPER, *_REVIEW, *_POINT)
"""Fields that say of what paper, review or point a record is; in notes of OpenReview, and
beside ``what``, ``id`` does too."""


@dataclass
class RemovedIds:
    """Papers and reviews that are to be removed.

    Attributes:
        papers: Papers without their versions; all versions are meant.
        reviews: Reviews, those of the papers among them.
    """

    papers: set[str] = field(default_factory=set)
    reviews: set[str] = field(default_factory=set)

    def owns(self, record: Mapping[str, Any]) -> bool:
        """Whether a record is of one of them, by the fields that say so."""
        what = record.get("what", "note" if record.keys() & _OF_NOTES else None)
        return (
            any(self.of_paper(record.get(name)) for name in _PAPER)
            or any(self.of_review(record.get(name)) for name in _REVIEW)
            or any(self.of_point(record.get(name)) for name in _POINT)
            or (what in ("paper", "note") and self.of_paper(record.get("id")))
            or (what in ("review", "note") and self.of_review(record.get("id")))
        )

    def of_paper(self, name: object) -> bool:
        """Whether an identifier is that of a paper, whatever its version."""
        return isinstance(name, str) and base_paper_id(name) in self.papers

    def of_review(self, name: object) -> bool:
        """Whether an identifier is that of a review."""
        return isinstance(name, str) and name in self.reviews

    def of_point(self, name: object) -> bool:
        """Whether an identifier is that of a point or a premise of a review."""
        return isinstance(name, str) and review_of(owner_of(name) or name) in self.reviews

    def without(self, value: object) -> object:
        """A value of JSON without the records in it that are of them; None if it is one itself."""
        if isinstance(value, dict):
            kept = {key: self.without(held) for key, held in value.items()}
            gone = {
                key
                for key, now in kept.items()
                if self.of_point(key) or (now is None and value[key] is not None)
            }
            if self.owns(value) or gone.intersection(_ABOUT):
                return None
            return {key: now for key, now in kept.items() if key not in gone}
        if isinstance(value, list):
            kept_items = ((held, self.without(held)) for held in value)
            return [now for held, now in kept_items if held is None or now is not None]
        return value

    @cached_property
    def _names(self) -> list[bytes]:
        """The identifiers as they are written, in JSON too, the longest first."""
        names = {
            form.encode("utf-8", "surrogatepass")
            for name in (*self.papers, *self.reviews)
            for form in (name, json.dumps(name)[1:-1], json.dumps(name, ensure_ascii=False)[1:-1])
        }
        return sorted(names, key=len, reverse=True)

    @cached_property
    def _pattern(self) -> re.Pattern[bytes]:
        either = b"|".join(map(re.escape, self._names))
        return re.compile(rb"(?<![\w-])(?:%s)(?![\w-])" % either)

    def named_in(self, raw: bytes) -> bool:
        """Whether one of the identifiers stands in bytes, as a word of its own."""
        known = any(name in raw for name in self._names)  # much faster than the pattern
        return known and self._pattern.search(raw) is not None

    def lines(self, lines: Iterable[bytes]) -> Iterator[bytes | None]:
        """Lines of JSON without the records that are of them; None for each that is one itself."""
        for line in lines:
            if not self.named_in(line):
                yield line
                continue
            try:
                held = json.loads(line)
            except ValueError:  # what a kill left half-written goes, any other stays
                yield line if line.endswith(b"\n") else None
                continue
            kept = self.without(held)
            yield line if kept == held else None if kept is None else _line_of(kept)

    def rows(self, raw: bytes) -> tuple[bytes, int]:
        """A CSV file without the rows that are of them, and how many those are."""
        text = raw.decode("utf-8-sig", "surrogateescape")
        rows = csv.DictReader(io.StringIO(text, newline=""))
        made = io.StringIO(newline="")
        names = rows.fieldnames or ()
        writer = csv.writer(made, lineterminator="\r\n" if "\r\n" in text else "\n")
        writer.writerow(names)
        removed = 0
        for row in rows:
            if self.owns(row):
                removed += 1
            else:
                writer.writerow([*(row.get(name) or "" for name in names), *(row.get(None) or ())])
        kept = made.getvalue().encode("utf-8", "surrogateescape")
        return (kept, removed) if removed else (raw, 0)

    def named_files(self, folder: Path) -> Iterator[Path]:
        """Files that are called by one of them, or lie in a folder that is."""
        names = {file_name(name) for name in (*self.papers, *self.reviews)}
        for file in sorted(folder.rglob("*")):
            parts = file.relative_to(folder).parts
            stems = {base_paper_id(stem) for part in parts for stem in (part, Path(part).stem)}
            if file.is_file() and file.suffix != ".jsonl" and stems & names:
                yield file

    def changes(self, file: Path) -> int:
        """How many lines of a file are of them, as a whole or in part."""
        made = self.lines(lines_in(file))
        return sum(now != before for before, now in zip(lines_in(file), made, strict=True))

    def kept_lines(self, file: Path) -> Iterator[bytes]:
        """The lines of a file without what is of them."""
        return (line for line in self.lines(lines_in(file)) if line is not None)


def take_out(folder: Path, ids: RemovedIds) -> None:
    """Take what was removed out of a folder of raw data, such as a fetched one.

    Args:
        folder: The folder; it need not be there.
        ids: What was removed.

    Raises:
        RunFolderError, StopError: It cannot be written.
    """
    for file in sorted(folder.rglob("*.jsonl")) if ids.papers or ids.reviews else ():
        if ids.changes(file):
            write_whole(file, ids.kept_lines(file))
    for file in ids.named_files(folder):
        file.unlink()


def lines_in(file: Path) -> Iterator[bytes]:
    """The lines of a file, the last perhaps half-written; none if there is no such file."""
    if file.is_file():
        with file.open("rb") as lines:
            yield from lines


def _line_of(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"


def strings_in(value: object) -> Iterator[str]:
    """All texts in a value of JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for held in value.values() if isinstance(value, dict) else value:
            yield from strings_in(held)
