"""What is to be removed from a venue folder, by its identifiers, and what in files is of it."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from reviewscore.schema.paper import base_paper_id
from reviewscore.schema.point_id import owner_of, review_of

_PAPER = ("paper_id", "paper", "forum")
_REVIEW = ("review_id", "review", "replyto")
_POINT = ("point_id", "unit_id", "point", "edited_from")
_OF_NOTES = {"forum", "invitation", "invitations"}
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
            if self.owns(value):
                return None
            kept = ((key, held, self.without(held)) for key, held in value.items())
            return {key: now for key, held, now in kept if held is None or now is not None}
        if isinstance(value, list):
            kept_items = ((held, self.without(held)) for held in value)
            return [now for held, now in kept_items if held is None or now is not None]
        return value

    @cached_property
    def pattern(self) -> re.Pattern[bytes]:
        """Where one of the identifiers stands in bytes, as a word of its own."""
        names = {
            form.encode("utf-8", "surrogatepass")
            for name in (*self.papers, *self.reviews)
            for form in (name, json.dumps(name)[1:-1], json.dumps(name, ensure_ascii=False)[1:-1])
        }
        either = b"|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
        return re.compile(rb"(?<![\w-])(?:%s)(?![\w-])" % either)

    def lines(self, lines: Iterable[bytes]) -> Iterator[bytes | None]:
        """Lines of JSON without the records that are of them; None for each that is one itself."""
        for line in lines:
            if self.pattern.search(line) is None:
                yield line
                continue
            try:
                held = json.loads(line)
            except ValueError:  # a line that nobody can read is nobody's
                yield line
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


def _line_of(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"


def strings_in(value: object) -> Iterator[str]:
    """All texts in a value of JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for held in value.values() if isinstance(value, dict) else value:
            yield from strings_in(held)
