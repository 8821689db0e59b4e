"""Submissions and the papers in reviewers' profiles: as values, and read from a folder."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar
from zlib import crc32

import numpy as np
from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from reviewscore.errors import InputError
from reviewscore.papers.hygiene import tidy
from reviewscore.papers.load import DeclaredConsent, Identifier, Number, Word, input_error
from reviewscore.schema.confidentiality import Consent, Permission, consent_warnings
from reviewscore.sources.records import RecordFile, csv_cells, heading, only_table
from reviewscore.sources.system_reviews import Numbered
from reviewscore.stats.tables import unguarded

if TYPE_CHECKING:
    from scipy.sparse import csr_array


RowT = TypeVar("RowT", bound=BaseModel)

ENDINGS = (".jsonl", ".parquet", ".csv", ".tsv")
_KNOWN_ENDINGS = f"give a file that ends in {', '.join(ENDINGS)}"


@dataclass(frozen=True, slots=True)
class CorpusLine:
    """One record of a file.

    Attributes:
        file: The file.
        number: 1-based line, or row of a Parquet file.
        record: Values by column; of CSV, headings in lower case, and an empty cell is None.
    """

    file: Path
    number: int
    record: dict[str, object]

    def __str__(self) -> str:
        return f"{self.file.name} line {self.number}"

    def validated(self, kind: type[RowT], record: Mapping[str, object] | None = None) -> RowT:
        """The record as a row of a kind, or another record that was made of it.

        Raises:
            InputError: A field is missing or of the wrong kind.
        """
        try:
            return kind.model_validate(self.record if record is None else record)
        except ValidationError as error:
            raise input_error(error, file=self.file, line=self.number) from error

    def error(self, problem: str, field: str | None = None, *, cure: str | None) -> InputError:
        """An error that names this line."""
        return InputError(problem, file=self.file, line=self.number, field=field, cure=cure)


def beside(folder: Path, name: str) -> Path | None:
    """The file of a name in a folder, whatever its ending.

    Raises:
        InputError: There are several.
    """
    return only_table(folder, name, ENDINGS)


def lines(file: Path) -> Iterator[CorpusLine]:
    """Every record of a file.

    Raises:
        InputError: The file or a line of it cannot be read.
    """
    if not file.is_file():
        raise InputError("there is no such file", file=file, cure=_KNOWN_ENDINGS)
    ending = file.suffix.lower()
    if ending in (".csv", ".tsv"):
        yield from _named(file)
    elif ending in (".jsonl", ".parquet"):
        for row in RecordFile.of(file).rows():
            if row.error is not None or row.record is None:
                raise row.error or InputError("is empty", file=file, line=row.line)
            yield CorpusLine(file, row.line, row.record)
    else:
        raise InputError("is of no known kind", file=file, cure=_KNOWN_ENDINGS)


def _named(file: Path) -> Iterator[CorpusLine]:
    """Lines below a heading."""
    names: list[str] | None = None
    for number, row in cells(file):
        if names is None:
            names = [heading(cell) for cell in row]
            continue
        if len(row) > len(names):
            raise InputError(
                f"has {len(row)} cells under {len(names)} headings",
                file=file, line=number, cure="quote cells that hold the separator",
            )  # fmt: skip
        filled = [*row, *[""] * (len(names) - len(row))]
        yield CorpusLine(file, number, {name: unguarded(cell.strip()) or None
                                  for name, cell in zip(names, filled, strict=True)})  # fmt: skip


def cells(file: Path) -> Iterator[tuple[int, list[str]]]:
    """Numbers of lines and their cells, of a CSV file; lines without words are left out.

    Raises:
        InputError: The file cannot be read.
    """
    for number, row in csv_cells(file):
        if any(cell.strip() for cell in row):
            yield number, row


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
        text: Its full text; empty if it is not at hand or there are `TermCounts` of its words.
        year: When it appeared; None if unknown.
        consent: Who may judge it; None where its record does not say.
    """

    paper_id: str
    title: str = ""
    abstract: str = ""
    text: str = ""
    year: int | None = None
    consent: Consent | None = None


@dataclass(frozen=True)
class TermCounts:
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
class UnreadPaper:
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
    counts: TermCounts | None = None
    files: tuple[Path, ...] = ()
    warnings: tuple[str, ...] = field(default=())

    def permitted(self, may: Permission) -> Corpus:
        """What models may read of it: the others are in no profile and no submission."""
        kept = {name: one for name, one in self.papers.items() if not may.refusal(one.consent)}
        return replace(
            self,
            papers=kept,
            submissions=tuple(filter(kept.__contains__, self.submissions)),
            profiles={
                version: {who: tuple(filter(kept.__contains__, own)) for who, own in all_of.items()}
                for version, all_of in self.profiles.items()
            },
            warnings=(*self.warnings, *consent_warnings("paper", len(self.papers) - len(kept))),
        )

    def conflicts(self, version: str) -> set[tuple[str, str]]:
        """Pairs of a reviewer and a submission that is in the reviewer's own profile.

        A paper is the same if its identifier is, or its title but for case and signs.
        """
        by_title: dict[str, list[str]] = {}
        for submission in self.submissions:
            if key := title_key(self.papers[submission].title):
                by_title.setdefault(key, []).append(submission)
        wanted, pairs = set(self.submissions), set()
        for reviewer, papers in self.profiles[version].items():
            for paper in papers:
                same = by_title.get(title_key(self.papers[paper].title), [])
                pairs |= {(reviewer, text) for text in same}
                if paper in wanted:
                    pairs.add((reviewer, paper))
        return pairs


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
    consent: DeclaredConsent = None
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


def publication(row: Mapping[str, object], where: CorpusLine) -> tuple[Publication, bool]:
    """A paper of a record, and whether it is a submission.

    Raises:
        InputError: A field is missing or of the wrong kind.
    """
    paper_row = where.validated(_PaperRow, row)
    texts = (
        tidy(text or "").text.strip()
        for text in (paper_row.title, paper_row.abstract, paper_row.text)
    )
    title, abstract, text = texts
    return Publication(
        paper_row.paper_id, title, abstract, text, paper_row.year, paper_row.consent
    ), paper_row.is_submission


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
    nested_texts = reading.read_profiles(file)
    counts_file = beside(folder, COUNTS)
    counts = None
    if counts_file is not None:
        pass

        counts = read_counts(counts_file, reading.papers)
        reading.files.append(counts_file)
    return reading.corpus(folder, nested_texts, counts, submitted=submitted)


class Reading:
    """What accumulates while files are read."""

    def __init__(self) -> None:
        self.papers: dict[str, Publication] = {}
        self.submissions: list[str] = []
        self.files: list[Path] = []
        self._places: dict[str, CorpusLine] = {}

    def read_papers(self, file: Path, submitted: bool) -> None:
        """Read a file of papers, all of them submissions or those that say so."""
        self.files.append(file)
        for line in lines(file):
            one, named = publication(line.record, line)
            if one.paper_id in self._places:
                raise line.error(
                    f"'{one.paper_id}' is also at {self._places[one.paper_id]}",
                    "paper_id",
                    cure="keep one of the two",
                )
            self._places[one.paper_id] = line
            self.papers[one.paper_id] = one
            if submitted or named:
                self.submissions.append(one.paper_id)

    def read_profiles(self, file: Path) -> dict[str, dict[str, tuple[str, ...]]]:
        """Profiles by version and reviewer."""
        self.files.append(file)
        line_groups: dict[str, dict[str, dict[str, CorpusLine]]] = {}
        for line in lines(file):
            row = line.validated(_ProfileRow)
            if row.paper_id not in self.papers:
                raise line.error(
                    f"'{row.paper_id}' is no paper of papers", "paper_id", cure="add the paper"
                )
            papers = line_groups.setdefault(row.version, {}).setdefault(row.reviewer_id, {})
            if row.paper_id in papers:
                raise line.error(
                    f"'{row.paper_id}' of reviewer '{row.reviewer_id}' is also at line "
                    f"{papers[row.paper_id].number}",
                    "paper_id",
                    cure="keep one of the two",
                )
            papers[row.paper_id] = line
        return {
            version: {reviewer: tuple(papers) for reviewer, papers in people.items()}
            for version, people in line_groups.items()
        }

    def corpus(
        self,
        place: Path,
        profiles: Mapping[str, Mapping[str, tuple[str, ...]]],
        counts: TermCounts | None = None,
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
    bare = sum(not paper.abstract for paper in papers.values())
    if bare:
        yield f"{bare:,} of {len(papers):,} papers have no abstract: their titles alone are read"
    empty = sorted(
        {who for people in profiles.values() for who, some in people.items() if not some}
    )
    if empty:
        shown = ", ".join(empty[:5]) + (", ..." if len(empty) > 5 else "")  # noqa: PLR2004
        yield f"reviewers without papers have no similarity: {len(empty):,} ({shown})"


_COLUMNS = ("paper_id", "word", "count")


class _CountRow(BaseModel):
    """One word of one paper."""

    model_config = ConfigDict(frozen=True, extra="ignore", coerce_numbers_to_str=True)

    paper_id: str
    word: str
    count: int = Field(ge=0)


def counts_of(known: Mapping[str, Mapping[str, int]]) -> TermCounts:
    """Counts from those of each paper."""
    places: dict[str, int] = {}
    rows, columns, often = [], [], []
    for row, words in enumerate(known.values()):
        for word, count in words.items():
            rows.append(row)
            columns.append(places.setdefault(word.lower(), len(places)))
            often.append(count)
    return _counts(list(known), list(places), (rows, columns, often))


def read_counts(file: Path, papers: Container[str]) -> TermCounts:
    """Read counts of words; those of papers that are not known are left out.

    Args:
        file: Records of paper_id, word, count.
        papers: The papers that are known.

    Raises:
        InputError: A line cannot be used.
    """
    if file.suffix.lower() == ".parquet":
        return _parquet(file, papers)
    known: dict[str, dict[str, int]] = {}
    for line in lines(file):
        row = line.validated(_CountRow)
        if row.paper_id in papers:
            words = known.setdefault(row.paper_id, {})
            words[row.word.lower()] = words.get(row.word.lower(), 0) + row.count
    return counts_of(known)


def _parquet(file: Path, papers: Container[str]) -> TermCounts:
    """All columns at once: full texts have a thousand words each."""
    import pyarrow
    from pyarrow import compute, parquet

    try:
        table = parquet.read_table(file, columns=list(_COLUMNS))
        paper, word = (
            table[name].combine_chunks().cast(pyarrow.string()).dictionary_encode()
            for name in _COLUMNS[:2]
        )
        often = table["count"].combine_chunks().cast(pyarrow.int64())
        null = paper.null_count or word.null_count or often.null_count
        if null or (len(often) and compute.min(often).as_py() < 0):
            raise InputError(
                "has rows without paper, word or a count of 0 or more", file=file,
                field="count", cure="take them out",
            )  # fmt: skip
    except (pyarrow.ArrowException, KeyError, OSError) as error:
        raise InputError(
            f"is no table of {', '.join(_COLUMNS)}: {error}", file=file, cure="write it again"
        ) from error
    names = paper.dictionary.to_pylist()
    rows = paper.indices.to_numpy()
    wanted = np.array([name in papers for name in names])
    kept = wanted[rows] if len(rows) else np.zeros(0, dtype=bool)
    place = np.cumsum(wanted) - 1
    lower: dict[str, int] = {}
    column = np.array(
        [lower.setdefault(value.lower(), len(lower)) for value in word.dictionary.to_pylist()],
        dtype=np.int64,
    )
    cells = (
        place[rows[kept]], column[word.indices.to_numpy()[kept]], often.to_numpy()[kept],
    )  # fmt: skip
    return _counts([name for name in names if name in papers], list(lower), cells)


def _counts(
    papers: list[str], words: list[str], cells: tuple[object, object, object]
) -> TermCounts:
    from scipy.sparse import csr_array

    rows, columns, often = (np.asarray(cell) for cell in cells)
    table = csr_array(
        (often.astype(np.float64), (rows.astype(np.int64), columns.astype(np.int64))),
        shape=(len(papers), len(words)),
    )
    table.sum_duplicates()
    return TermCounts({paper: row for row, paper in enumerate(papers)}, tuple(words), table)


def most_recent(
    papers: Sequence[str],
    known: Mapping[str, Publication],
    count: int,
    *,
    reviewer: str,
    seed: int = 0,
) -> tuple[str, ...]:
    """The most recent papers by year, ties at random (arXiv 2303.16750, sec. 6.1).

    Papers without a year come last. The draw of a reviewer does not depend on other reviewers.

    Args:
        papers: Identifiers.
        known: All papers.
        count: How many to keep; all if there are fewer.
        reviewer: Whose they are.
        seed: Of the ties.
    """
    rng = np.random.default_rng([seed, crc32(reviewer.encode())])
    chance = rng.random(len(papers))
    years = [-np.inf if (year := known[paper].year) is None else year for paper in papers]
    order = sorted(range(len(papers)), key=lambda at: (-years[at], chance[at]))
    return tuple(papers[at] for at in order[:count])
