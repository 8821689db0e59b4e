"""Who works on which paper of a venue, and what each may therefore see.

Every reader of rights asks `Assignments.may_see`; a page that it denies does not exist for that
person. A conflict of interest wins over every role, also over a program chair's.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import cache
from math import isnan
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, field_validator

from reviewscore.errors import InputError
from reviewscore.report.roles import Reader
from reviewscore.schema.paper import base_paper_id
from reviewscore.sources.data_folder import digest_name
from reviewscore.sources.records import RecordRow, as_model, table_rows

_PERSON = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,79}")
"""Identifiers of people: no names of profiles, no addresses, nothing that looks like another."""
_YES_OR_NO = {"": False, "false": False, "no": False, "0": False, "true": True, "yes": True,
              "1": True}  # fmt: skip


class VenueRole(StrEnum):
    """What somebody is to a paper or to the venue."""

    PROGRAM_CHAIR = "program-chair"  # of all papers
    SENIOR_CHAIR = "senior-chair"
    AREA_CHAIR = "area-chair"
    REVIEWER = "reviewer"  # of single reviews
    AUTHOR = "author"
    CONFLICT = "conflict"  # of interest, with a paper

    @property
    def reader(self) -> Reader:
        """Whose pages somebody of this role gets."""
        single = {VenueRole.REVIEWER: Reader.REVIEWER, VenueRole.AUTHOR: Reader.AUTHOR}
        return single.get(self, Reader.META_REVIEWER)


class Assignment(BaseModel):
    """A row of the table: a person, their role, and what it is of.

    Columns of other names are refused: a ``conflict`` that is spelled otherwise would be a right.

    Attributes:
        person: A pseudonym.
        role: What they are.
        paper: The paper, whatever its version; of reviewers it may be left out.
        review: The review, of reviewers.
        conflict: Whether the row says that they must not see the paper.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", coerce_numbers_to_str=True)

    person: str
    role: VenueRole
    paper: str | None = None
    review: str | None = None
    conflict: bool = Field(default=False)

    @field_validator("person", "paper", "review", mode="before")
    @classmethod
    def _stripped(cls, value: object) -> object:
        """An identifier without the blanks of a hand-made table; None of an empty cell."""
        if isinstance(value, float):  # a column of numbers with gaps
            value = None if isnan(value) else int(value) if value.is_integer() else value
        return (value.strip() or None) if isinstance(value, str) else value

    @field_validator("role", mode="before")
    @classmethod
    def _role(cls, value: object) -> object:
        known = _role_of(str(value))
        if known is None:
            raise ValueError(f"unknown role '{value}'; use {', '.join(VenueRole)}")
        return known

    @field_validator("conflict", mode="before")
    @classmethod
    def _yes_or_no(cls, value: object) -> object:
        known = _YES_OR_NO.get("" if value is None else str(value).strip().lower())
        if known is None:
            raise ValueError(f"'{value}' is neither true nor false")
        return known

    @property
    def forbids(self) -> bool:
        """Whether it is a conflict."""
        return self.conflict or self.role is VenueRole.CONFLICT

    @property
    def gap(self) -> str | None:
        """The column that its role needs and that is empty."""
        if not self.forbids and self.role is VenueRole.REVIEWER:
            return None if self.review else "review"
        needed = self.forbids or self.role is not VenueRole.PROGRAM_CHAIR
        return "paper" if needed and not self.paper else None


class Assignments:
    """A venue's assignments.

    Args:
        rows: The rows of the table.
    """

    def __init__(self, rows: Iterable[Assignment]) -> None:
        self._rights: dict[str, list[Assignment]] = defaultdict(list)
        self._barred: dict[str, set[str]] = defaultdict(set)
        self._written: dict[str, set[str]] = defaultdict(set)
        self._conflicts: dict[str, str] = {}
        for row in dict.fromkeys(rows):
            paper = row.paper or ""
            if row.forbids:
                self._barred[row.person].add(_folded(paper))
                self._conflicts.setdefault(_folded(paper), paper)
            else:
                self._rights[row.person].append(row)
                if row.role is VenueRole.AUTHOR:
                    self._written[row.person].add(_folded(paper))

    def people(self, role: VenueRole) -> tuple[str, ...]:
        """Everybody who has a role, sorted; also those with conflicts in all that it is of."""
        return tuple(
            sorted(name for name, rows in self._rights.items() if role in {r.role for r in rows})
        )

    def conflicts_beside(self, papers: Iterable[str]) -> tuple[str, ...]:
        """Papers of conflicts that are none of these, as the table spells them."""
        known = {_folded(paper) for paper in papers}
        return tuple(name for folded, name in self._conflicts.items() if folded not in known)

    def pages_of(self, person: str, role: VenueRole | None = None) -> tuple[Assignment, ...]:
        """What a person may see, in the order of the table.

        A program chair's row without a paper is of all papers less those that `may_see` denies.

        Args:
            person: Who.
            role: In this role alone; in all if not given.
        """
        rows = self._rights.get(person, ())
        return tuple(
            row
            for row in rows
            if role in (None, row.role)
            and not (row.paper and self._in_conflict(row.role, person, row.paper))
        )

    def may_see(
        self,
        person: str,
        *,
        paper_id: str,
        review_id: str | None = None,
        role: VenueRole | None = None,
    ) -> bool:
        """Whether a person may see what is said of a paper, or of one review of it.

        Who has a conflict with a paper sees nothing of it, and its authors see of it only what
        authors do, whatever else they are. What an author sees of it at all, the venue says.

        Args:
            person: Who; nobody who is not in the table may see anything.
            paper_id: The paper, or a version of it.
            review_id: The review; None for a page of the whole paper, which reviewers do not see.
            role: In this role alone; in any if not given.
        """
        paper = base_paper_id(paper_id)
        for row in self._rights.get(person, ()):
            if role not in (None, row.role) or self._in_conflict(row.role, person, paper):
                continue
            same_paper = row.paper is None or base_paper_id(row.paper) == paper
            own = row.role is not VenueRole.REVIEWER or (
                review_id is not None and row.review == review_id
            )
            if same_paper and own:
                return True
        return False

    def _in_conflict(self, role: VenueRole, person: str, paper: str) -> bool:
        folded = _folded(paper)
        authored = role is not VenueRole.AUTHOR and folded in self._written.get(person, ())
        return authored or folded in self._barred.get(person, ())


@cache
def _folded(paper: str) -> str:
    """A paper of a conflict, however it is spelled: a slip in it would be a right."""
    plain = unicodedata.normalize("NFKC", paper).casefold()
    seen = "".join(char for char in plain if unicodedata.category(char) != "Cf")
    return base_paper_id(" ".join(seen.split()))


def folder_of(person: str) -> str:
    """The name of a person's folder: their pseudonym and a sum, for systems that know no case."""
    return digest_name(person)


def read_assignments(file: Path) -> Assignments:
    """Read a table of assignments: CSV, a spreadsheet, JSONL, JSON or Parquet.

    Columns are ``person``, ``role`` (see `VenueRole`), ``paper``, ``review`` and ``conflict``.

    Raises:
        InputError: A row cannot be used; no table is used in part, as a conflict that is left out
            would be a right. Names file, line, field and cure.
    """
    rows = list(_rows(file))
    if not rows:
        raise InputError("holds no assignments", file=file, cure="add a row for each person")
    return Assignments(rows)


def _rows(file: Path) -> Iterator[Assignment]:
    met: dict[str, tuple[str, int]] = {}
    for line, cells in table_rows(file):
        record = {name: cell for name, cell in cells.items() if cell not in ("", None)}
        if not record:
            continue
        for name in record.keys() - Assignment.model_fields.keys():
            cure = f"the columns are {', '.join(Assignment.model_fields)}; take others out"
            raise InputError("is no column of assignments", file=file, line=line, field=name,
                             cure=cure)  # fmt: skip
        assignment = as_model(RecordRow(line, 0, record), Assignment, file)
        fault = _fault(assignment, line, met)
        if fault is not None:
            field, problem, cure = fault
            raise InputError(problem, file=file, line=line, field=field, cure=cure)
        yield assignment


@cache
def _role_of(name: str) -> VenueRole | None:
    """The role of a name, however it is spaced; None if there is none."""
    plain = re.sub(r"[\s_]+", "-", name.strip().lower())
    return next((role for role in VenueRole if role.value == plain), None)


def _fault(
    row: Assignment, line: int, met: dict[str, tuple[str, int]]
) -> tuple[str, str, str] | None:
    """Field, problem and cure of a row that cannot be used."""
    if not _PERSON.fullmatch(row.person):
        cure = "give each person a pseudonym, and keep who is who to yourself"
        return "person", "is not made of the letters a to z, digits, and . _ - within", cure
    known, first = met.setdefault(row.person.lower(), (row.person, line))
    if known != row.person:
        cure = "write one person's pseudonym in one way"
        return "person", f"'{row.person}' is '{known}' on line {first} in another case", cure
    if row.gap is not None:
        what = "conflict" if row.forbids else row.role.value
        return row.gap, f"is empty for '{row.person}'", f"name the {row.gap} of each {what}"
    return None
