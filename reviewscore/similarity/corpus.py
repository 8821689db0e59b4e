"""Submissions, and the papers in reviewers' profiles: as values, and read from a folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from reviewscore.errors import InputError
from reviewscore.papers.hygiene import tidy
from reviewscore.papers.load import Identifier, Number, Word, input_error
from reviewscore.similarity.tabular import Line, beside, lines
from reviewscore.sources.system_reviews import Numbered

if TYPE_CHECKING:
    from scipy.sparse import csr_array

ONLY = "1"
"""Name of the version of profiles, where there is one version."""
PAPERS, PROFILES, SUBMISSIONS, COUNTS = "papers", "profiles", "submissions", "fulltext_counts"
_CURE = (
    "give a folder with papers and profiles (.jsonl, .parquet or .csv), or with archives and "
    "submissions as openreview-expertise has them"
)


@dataclass(frozen=True, slots=True)
class Publication:
    """A paper as far as it is known.

    Attributes:
        paper_id: Its identifier.
        title: Its title; may be empty.
        abstract: Its abstract; may be empty.
        text: Its full text; empty if it is not at hand or there are `Counts` of its words.
        year: When it appeared; None if unknown.
    """

    paper_id: str
    title: str = ""
    abstract: str = ""
    text: str = ""
    year: int | None = None


@dataclass(frozen=True)
class Counts:
    """How often words occur in full texts.

    Attributes:
        rows: The row of each paper that has a text.
        words: Words of the columns, in lower case.
        table: Shape (papers, words).
    """

    rows: Mapping[str, int]
    words: tuple[str, ...]
    table: csr_array


@dataclass(frozen=True)
class Unread:
    """What cannot be compared, and why; a reviewer and a paper may have the same identifier.

    Attributes:
        submissions: Why, by submission.
        reviewers: Why, by reviewer.
    """

    submissions: dict[str, str] = field(default_factory=dict)
    reviewers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Corpus:
    """Submissions, reviewers' profiles and their papers.

    Attributes:
        papers: All papers by identifier.
        submissions: Identifiers of the submissions.
        profiles: By version of the data, by reviewer: identifiers of papers in order.
        counts: Words of full texts, if they are given so.
        files: The files read.
        warnings: What was left out or is missing, in words.
    """

    papers: Mapping[str, Publication]
    submissions: tuple[str, ...]
    profiles: Mapping[str, Mapping[str, tuple[str, ...]]]
    counts: Counts | None = None
    files: tuple[Path, ...] = ()
    warnings: tuple[str, ...] = field(default=())

    def conflicts(self, version: str) -> set[tuple[str, str]]:
        """Pairs of a reviewer and a submission that is in the reviewer's own profile.

        A paper is the same if its identifier is, or its title but for case and signs.
        """
        by_title: dict[str, list[str]] = {}
        for one in self.submissions:
            if key := title_key(self.papers[one].title):
                by_title.setdefault(key, []).append(one)
        wanted, found = set(self.submissions), set()
        for reviewer, papers in self.profiles[version].items():
            for paper in papers:
                same = by_title.get(title_key(self.papers[paper].title), [])
                found |= {(reviewer, one) for one in same}
                if paper in wanted:
                    found.add((reviewer, paper))
        return found


def title_key(title: str) -> str:
    """A title but for case and signs, so that spellings of one title are equal."""
    return "".join(letter for letter in title.casefold() if letter.isalnum())


class _PaperRow(BaseModel):
    """One record of ``papers``; unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    paper_id: Annotated[Numbered, Field(validation_alias=AliasChoices("paper_id", "id"))]
    title: Word = None
    abstract: Word = None
    text: Word = None
    year: Number = None
    is_submission: Annotated[bool, BeforeValidator(lambda value: value or False)] = False


class _ProfileRow(BaseModel):
    """One record of ``profiles``: a paper of a reviewer."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    reviewer_id: Annotated[
        Numbered, Field(validation_alias=AliasChoices("reviewer_id", "reviewer"))
    ]
    paper_id: Numbered
    version: Annotated[
        Identifier, BeforeValidator(lambda value: ONLY if value is None else value)
    ] = ONLY


def publication(row: Mapping[str, object], where: Line) -> tuple[Publication, bool]:
    """A paper of a record, and whether it is a submission.

    Raises:
        InputError: A field is missing or of the wrong kind.
    """
    try:
        one = _PaperRow.model_validate(row)
    except ValidationError as error:
        raise input_error(error, file=where.file, line=where.number) from error
    texts = (tidy(text or "").text.strip() for text in (one.title, one.abstract, one.text))
    title, abstract, text = texts
    return Publication(one.paper_id, title, abstract, text, one.year), one.is_submission


def read_corpus(folder: Path, *, profiles: Path | None = None, submitted: bool = True) -> Corpus:
    """Read a folder of submissions and profiles, in our layout or openreview-expertise's.

    Ours: ``papers`` (paper_id, title, abstract, text, year, is_submission), possibly
    ``submissions`` with the same fields, ``profiles`` (reviewer_id, paper_id, version) and
    ``fulltext_counts`` (paper_id, word, count); each as .jsonl, .parquet or .csv.

    Args:
        folder: The folder.
        profiles: Another file of profiles, in our layout.
        submitted: Whether there must be submissions.

    Raises:
        InputError: A file is missing, or a line cannot be used; the message names it.
    """
    from reviewscore.similarity.openreview import is_openreview, read_openreview

    folder = Path(folder)
    if not folder.is_dir():
        raise InputError("there is no such folder", file=folder, cure=_CURE)
    if profiles is None and is_openreview(folder):
        return read_openreview(folder, submitted=submitted)
    reading = Reading()
    for name, all_of in ((SUBMISSIONS, True), (PAPERS, False)):
        if (file := beside(folder, name)) is not None:
            reading.read_papers(file, all_of)
    if not reading.papers:
        raise InputError("has no papers", file=folder, cure=_CURE)
    file = profiles or beside(folder, PROFILES)
    if file is None:
        raise InputError("has no profiles", file=folder, cure=_CURE)
    found = reading.read_profiles(file)
    counts_file = beside(folder, COUNTS)
    counts = None
    if counts_file is not None:
        from reviewscore.similarity.counts import read_counts

        counts = read_counts(counts_file, reading.papers)
        reading.files.append(counts_file)
    return reading.corpus(folder, found, counts, submitted=submitted)


class Reading:
    """What accumulates while files are read."""

    def __init__(self) -> None:
        self.papers: dict[str, Publication] = {}
        self.submissions: list[str] = []
        self.files: list[Path] = []
        self._places: dict[str, Line] = {}

    def read_papers(self, file: Path, submitted: bool) -> None:
        """Read a file of papers, all of them submissions or those that say so."""
        self.files.append(file)
        for line in lines(file):
            one, named = publication(line.record, line)
            if one.paper_id in self._places:
                raise InputError(
                    f"'{one.paper_id}' is also at {self._places[one.paper_id]}",
                    file=file, line=line.number, field="paper_id", cure="keep one of the two",
                )  # fmt: skip
            self._places[one.paper_id] = line
            self.papers[one.paper_id] = one
            if submitted or named:
                self.submissions.append(one.paper_id)

    def read_profiles(self, file: Path) -> dict[str, dict[str, tuple[str, ...]]]:
        """Profiles by version and reviewer."""
        self.files.append(file)
        found: dict[str, dict[str, dict[str, Line]]] = {}
        for line in lines(file):
            try:
                row = _ProfileRow.model_validate(line.record)
            except ValidationError as error:
                raise input_error(error, file=file, line=line.number) from error
            if row.paper_id not in self.papers:
                raise InputError(
                    f"'{row.paper_id}' is no paper of papers",
                    file=file, line=line.number, field="paper_id", cure="add the paper",
                )  # fmt: skip
            papers = found.setdefault(row.version, {}).setdefault(row.reviewer_id, {})
            if row.paper_id in papers:
                raise InputError(
                    f"'{row.paper_id}' of reviewer '{row.reviewer_id}' is also at line "
                    f"{papers[row.paper_id].number}",
                    file=file, line=line.number, field="paper_id", cure="keep one of the two",
                )  # fmt: skip
            papers[row.paper_id] = line
        return {
            version: {reviewer: tuple(papers) for reviewer, papers in people.items()}
            for version, people in found.items()
        }

    def corpus(
        self,
        place: Path,
        profiles: Mapping[str, Mapping[str, tuple[str, ...]]],
        counts: Counts | None = None,
        *,
        submitted: bool = True,
    ) -> Corpus:
        """All that was read.

        Args:
            place: The folder.
            profiles: By version and reviewer.
            counts: Words of full texts.
            submitted: Whether there must be submissions.

        Raises:
            InputError: There are no submissions or no profiles.
        """
        if submitted and not self.submissions:
            raise InputError("has no submissions", file=place, field="is_submission", cure=_CURE)
        if not any(profiles.values()):
            raise InputError("has no profiles", file=place, cure=_CURE)
        said = list(gaps(self.papers, profiles))
        return Corpus(
            self.papers, tuple(self.submissions), profiles, counts, tuple(self.files), tuple(said)
        )


def gaps(
    papers: Mapping[str, Publication], profiles: Mapping[str, Mapping[str, tuple[str, ...]]]
) -> Iterator[str]:
    """What is missing, in words."""
    bare = sum(not one.abstract for one in papers.values())
    if bare:
        yield f"{bare:,} of {len(papers):,} papers have no abstract: their titles alone are read"
    empty = sorted(
        {who for people in profiles.values() for who, some in people.items() if not some}
    )
    if empty:
        shown = ", ".join(empty[:5]) + (", ..." if len(empty) > 5 else "")  # noqa: PLR2004
        yield f"reviewers without papers have no similarity: {len(empty):,} ({shown})"
