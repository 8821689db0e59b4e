"""Reviews by people and models on the same papers; synopses and meta-reviews of these."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field

from reviewscore.bounds import in_force
from reviewscore.errors import InputError
from reviewscore.json_text import load_json
from reviewscore.papers.hygiene import tidy
from reviewscore.papers.load import DeclaredConsent, Identifier, Word
from reviewscore.schema.confidentiality import Consent, Permission, consent_warnings, strictest
from reviewscore.schema.review import Review
from reviewscore.sources.collection import Collection, too_many_reviews
from reviewscore.sources.data_folder import METAREVIEWS
from reviewscore.sources.lazy_papers import PaperHandle
from reviewscore.sources.records import (
    ENDINGS,
    FaultLog,
    RecordFile,
    also_on,
    as_model,
    find_table,
    read_records,
)
from reviewscore.sources.reviews import (
    Boxes,
    ReviewRow,
    build_review,
    check_review_size,
    with_boxes,
)
from reviewscore.sources.spooled import GroupedList, SpooledList

PEOPLE = "people"
"""System of reviews whose record names none; they are the references."""
REVIEWS, SYNOPSES = "reviews", "synopses"
_CURE = "give a folder with reviews.jsonl (or .parquet), or such a file"


class TextForm(StrEnum):
    """Which text of a review is read."""

    RAW = "raw"  # as the reviewer wrote it, under the headings of the form
    JUDGMENTS = "judgments"  # one judgment a line: "The reviewer criticizes ..."


def _lines(value: object) -> object:
    return "\n".join(map(str, value)) if isinstance(value, list) else value


def _name(value: object) -> object:
    """A name; numbers come as 1.0 from a table with empty cells, which come as NaN or null."""
    if isinstance(value, float):
        if value != value:  # noqa: PLR0124 - NaN
            return None
        value = int(value) if value.is_integer() else value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


Numbered = Annotated[Identifier, BeforeValidator(_name)]
"""An identifier that may be a number."""


def _listed(value: object) -> object:
    """A list, as it is or as JSON text; empty cells come as NaN or null."""
    if value is None or (isinstance(value, float) and value != value):  # noqa: PLR0124 - NaN
        return ()
    if not isinstance(value, str):
        return value
    try:
        return load_json(value) if value.strip() else ()
    except ValueError as error:
        raise ValueError(f"is not JSON that can be used: {error}") from None


class RemarkRow(BaseModel):
    """A strength or weakness that a record gives as such; unknown fields are ignored.

    Attributes:
        polarity: Which of the two.
        text: Its words.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    polarity: Literal["strength", "weakness"]
    text: Annotated[str, Field(min_length=1)]


class WrittenRow(BaseModel):
    """One record of a file of reviews; unknown fields are ignored.

    Attributes:
        paper_id: The paper it reviews.
        review_id: Identifier; made from paper and reviewer if missing.
        reviewer: A pseudonym or number.
        system: Who wrote it: ``people``, or the name of a model.
        text: The review as written; ``review`` does too.
        sections: Text boxes of the form by name; ``fields`` does too.
        judgments: Its judgments, one a line; ``review_summary`` does too.
        points: Its strengths and weaknesses, if they are listed; they are then taken whole.
        consent: Who may judge it: ``provider``, ``local`` or ``none``.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    paper_id: Numbered
    review_id: Annotated[Identifier | None, BeforeValidator(_name)] = None
    reviewer: Annotated[str | None, BeforeValidator(_name)] = None
    system: Annotated[Identifier, BeforeValidator(lambda value: _name(value) or PEOPLE)] = PEOPLE
    text: Word = Field(default=None, validation_alias=AliasChoices("text", "review"))
    sections: Boxes = Field(default=None, validation_alias=AliasChoices("sections", "fields"))
    judgments: Annotated[Word, BeforeValidator(_lines)] = Field(
        default=None, validation_alias=AliasChoices("judgments", "review_summary")
    )
    points: Annotated[tuple[RemarkRow, ...], BeforeValidator(_listed)] = ()
    consent: DeclaredConsent = None


class SynopsisRow(BaseModel):
    """What is known of a paper; a record of ``papers`` fits too.

    Attributes:
        paper_id: The paper.
        abstract: Its abstract, for GEM-S.
        assw: Strengths and weaknesses that the authors themselves state, for GEM-S (ASSW).
        text: Its whole text.
        meta_review: The chair's words on it, for ``focus references``.
        consent: Who may judge it and its reviews.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    paper_id: Numbered
    abstract: Word = None
    assw: Annotated[Word, BeforeValidator(_lines)] = None
    text: Word = None
    meta_review: Word = Field(
        default=None, validation_alias=AliasChoices("meta_review", "metareview")
    )
    consent: DeclaredConsent = None


class Remark(NamedTuple):
    """One strength or weakness of a review, whole.

    Attributes:
        polarity: Which of the two.
        text: Never empty.
    """

    polarity: Literal["strength", "weakness"]
    text: str


@dataclass(frozen=True, slots=True)
class SystemReview:
    """One review, by a person or a model.

    Attributes:
        paper_id: Its paper.
        review_id: Unique among all reviews.
        reviewer: Pseudonym or number; None if the record has none.
        system: Who wrote it: `PEOPLE`, or the name of a model.
        raw: The review as written; empty if it is not at hand.
        judgments: Its judgments, one a line (arXiv 2411.07228, app. C.1); empty if there are none.
        points: Its strengths and weaknesses, where the record lists them, so that `raw` need not be
            searched for them; empty if it does not.
        consent: Who may judge it; None where nobody said.
    """

    paper_id: str
    review_id: str
    reviewer: str | None
    system: str
    raw: str
    judgments: str
    points: tuple[Remark, ...] = ()
    consent: Consent | None = None


@dataclass(frozen=True)
class Materials:
    """All reviews of some papers.

    Attributes:
        papers: Reviews by paper, both in the order of the file; those of files wait on disk.
        synopses: What is known of papers, by paper.
        files: The files read.
        warnings: What was left out or changed, in words.
        skipped: Faults of lines that were left out.
    """

    papers: Mapping[str, Sequence[SystemReview]]
    synopses: dict[str, SynopsisRow]
    files: list[Path] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    skipped: list[InputError] = field(default_factory=list)

    def systems(self) -> list[str]:
        """Names of the systems, people first."""
        names = dict.fromkeys(review.system for group in self.papers.values() for review in group)
        return sorted(names, key=lambda name: (name != PEOPLE, name))

    def permitted(
        self, may: Permission, papers: Mapping[str, PaperHandle] | None = None
    ) -> Materials:
        """What models may read, each review with the consent that counts for it.

        Args:
            may: What they may read.
            papers: Papers that lie elsewhere, whose consent counts too.
        """
        said = {name: handle.consent for name, handle in (papers or {}).items()}
        for name, row in self.synopses.items():
            said[name] = strictest(said.get(name), row.consent)
        own = any(review.consent for review in self.all())
        if not (own or may.default or any(said.values())):
            return self
        reviews, left = SpooledList[SystemReview](), 0
        grouped = GroupedList(reviews)
        for review in self.all():
            rule = strictest(review.consent, said.get(review.paper_id), may.default)
            if may.refusal(rule) is None:
                grouped.add(review.paper_id, [reviews.append(replace(review, consent=rule))])
            else:
                left += 1
        synopses = {name: row for name, row in self.synopses.items() if not may.refusal(said[name])}
        warnings = [*self.warnings, *consent_warnings("review", left)]
        return replace(self, papers=grouped, synopses=synopses, warnings=warnings)

    def all(self) -> Iterator[SystemReview]:
        """All reviews, paper by paper."""
        for group in self.papers.values():
            yield from group


def read_materials(
    path: Path, *, others: Iterable[tuple[str, Path]] = (), skip_bad_lines: bool = False
) -> Materials:
    """Read reviews, and beside them what is known of their papers.

    Args:
        path: A file of reviews (``.jsonl`` or ``.parquet``), or a folder with ``reviews`` and
            possibly ``synopses`` or ``papers``.
        others: Names of systems and files of their reviews.
        skip_bad_lines: Go on without lines that cannot be used, and list them.

    Raises:
        InputError: A file is missing, or (unless skipped) a line cannot be used.
    """
    file = _reviews_file(Path(path))
    log = FaultLog(skip_bad_lines)
    reading = _Reading(log)
    reading.read(file, None)
    for name, other in others:
        reading.read(_reviews_file(Path(other)), name)
    if not reading.papers and not log.skipped:
        raise InputError("holds no reviews", file=file, cure="add one record per line")
    beside = {name: find_table(file.parent, name) for name in (SYNOPSES, "papers")}
    for known in filter(None, beside.values()):
        reading.read_synopses(known)
    return Materials(reading.papers, reading.synopses, reading.files, log.warnings, log.skipped)


def materials_of(collection: Collection) -> Materials:
    """The reviews of a collection, all of people: its records name no systems."""
    kept = SpooledList[SystemReview]()
    grouped_list = GroupedList(kept)
    for system_review in collection.reviews:
        paper = collection.papers.get(system_review.paper_id)
        review = SystemReview(
            system_review.paper_id,
            system_review.review_id,
            system_review.reviewer,
            PEOPLE,
            _headed(system_review.fields),
            judgments="",
            consent=strictest(system_review.consent, None if paper is None else paper.consent),
        )
        grouped_list.add(system_review.paper_id, [kept.append(review)])
    return Materials(grouped_list, {}, list(collection.files))


def _headed(boxes: Mapping[str, str]) -> str:
    """The boxes of a review as one text, each under its name."""
    if list(boxes) == ["text"]:
        return boxes["text"]
    return "\n\n".join(f"{box}:\n\n{words}" for box, words in boxes.items())


def _reviews_file(path: Path) -> Path:
    if path.is_dir():
        table = find_table(path, REVIEWS)
        if table is None:
            raise InputError("has no reviews.jsonl or reviews.parquet", file=path, cure=_CURE)
        return table
    if not path.is_file():
        raise InputError("there is no such file or folder", file=path, cure=_CURE)
    if path.suffix.lower() not in ENDINGS:
        raise InputError("is no file of records", file=path, cure=_CURE)
    return path


class _Reading:
    """What accumulates while files are read."""

    def __init__(self, log: FaultLog) -> None:
        self._log = log
        self._places: dict[str, tuple[int, int]] = {}
        self._kept = SpooledList[SystemReview]()
        self.papers = GroupedList(self._kept)
        self.synopses: dict[str, SynopsisRow] = {}
        self.files: list[Path] = []

    def read(self, file: Path, system: str | None) -> None:
        """Read the reviews of one file."""
        self.files.append(file)
        empty = 0
        counts: Counter[str] = Counter()
        taken: dict[str, array[int]] = {}
        most = in_force().max_reviews_per_paper
        for row, record in read_records(file, WrittenRow):
            try:
                if isinstance(record, InputError):
                    raise record
                review = self._written(record, file, row.line, system)
            except InputError as error:
                self._log.fault(error)
                continue
            counts[review.paper_id] += 1
            if counts[review.paper_id] > most:
                taken[review.paper_id] = array("i")  # none of them is read
                continue
            if not (review.raw.strip() or review.judgments.strip() or review.points):
                empty += 1
                continue
            taken.setdefault(review.paper_id, array("i")).append(self._kept.append(review))
        for paper_id, reviews in taken.items():
            if counts[paper_id] > most:
                self._log.fault(too_many_reviews(paper_id, counts[paper_id], file))
            else:
                self.papers.add(paper_id, reviews)
        if empty:
            self._log.warnings.append(f"{file}: {empty} reviews without any text are left out")

    def read_synopses(self, file: Path) -> None:
        """Read what is known of papers; what an earlier line says of a paper stays."""
        self.files.append(file)
        for _, record in read_records(file, SynopsisRow):
            if isinstance(record, InputError):
                self._log.fault(record)
                continue
            given = record.model_dump(exclude_none=True)
            if (old := self.synopses.get(record.paper_id)) is not None:
                strict = strictest(old.consent, record.consent)
                given |= {name: text for name, text in old if text and text.strip()}
                given["consent"] = strict
            self.synopses[record.paper_id] = SynopsisRow.model_validate(given)

    def _written(self, row: WrittenRow, file: Path, line: int, system: str | None) -> SystemReview:
        texts = {**(row.sections or {}), "text": row.text or "", "judgments": row.judgments or ""}
        check_review_size(row.review_id or row.paper_id, texts)
        name = system or row.system
        review_id = _review_id(row, name, line)
        if review_id in self._places:
            before, at = self._places[review_id]
            raise InputError(
                f"'{review_id}' is also at {self.files[before].name} line {at}",
                file=file,
                line=line,
                field="review_id",
                cure="give every review its own `review_id`, or every reviewer a number",
            )
        self._places[review_id] = (len(self.files) - 1, line)
        boxes = row.sections or {}
        text = _headed(boxes) or row.text or ""
        return SystemReview(
            paper_id=row.paper_id,
            review_id=review_id,
            reviewer=row.reviewer,
            system=name,
            raw=tidy(text).text,
            judgments=tidy(row.judgments or "").text,
            points=tuple(
                Remark(point.polarity, text)
                for point in row.points
                if (text := tidy(point.text).text.strip())
            ),
            consent=row.consent,
        )


def _review_id(row: WrittenRow, system: str, line: int) -> str:
    """A review's identifier, made from paper and reviewer where the record has none."""
    return row.review_id or f"{row.paper_id}/{system}/{row.reviewer or f'line {line}'}"


def read_reviews(path: Path, wanted: Container[str] | None = None) -> Iterator[Review]:
    """Reviews with their boxes, whether or not their papers are at hand.

    Identifiers that are missing are made as `read_materials` makes them; records that cannot be
    used are passed over, and so are reviews without a text.

    Args:
        path: A file of reviews, or a folder with ``reviews``.
        wanted: Identifiers of those to read; None for all.

    Raises:
        InputError: The file is missing or cannot be read.
    """
    file = _reviews_file(Path(path))
    for row in RecordFile.of(file).rows():
        try:
            record = as_model(row, WrittenRow, file)
            if not record.text and not record.sections:
                record = as_model(with_boxes(row), WrittenRow, file)
            name = _review_id(record, record.system, row.line)
            if wanted is not None and name not in wanted:
                continue
            given = {"review_id": name, "paper_id": record.paper_id, "reviewer": record.reviewer,
                     "sections": record.sections, "text": record.text,
                     "consent": record.consent}  # fmt: skip
            review, _ = build_review(ReviewRow.model_validate(given))
        except InputError:
            continue
        yield review


class MetaReviewRow(BaseModel):
    """One record of a file of meta-reviews; unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    paper_id: Numbered
    meta_review: Word = Field(
        default=None, validation_alias=AliasChoices("meta_review", "metareview", "text")
    )


def meta_reviews_of(materials: Materials) -> dict[str, str]:
    """Meta-reviews that came with synopses or papers, by paper; empty ones are left out."""
    texts = {name: row.meta_review or "" for name, row in materials.synopses.items()}
    return {name: tidy(text).text for name, text in texts.items() if text.strip()}


def beside(data: Path) -> Path | None:
    """The file of meta-reviews that `fetch` wrote beside reviews; None if there is none."""
    folder = data if data.is_dir() else data.parent
    file = folder / METAREVIEWS
    return file if file.is_file() else None


def read_meta_reviews(file: Path, *, skip_bad_lines: bool = False) -> dict[str, str]:
    """Meta-reviews by paper; empty ones are left out.

    Args:
        file: ``.jsonl`` or ``.parquet`` with ``paper_id`` and ``meta_review``.
        skip_bad_lines: Go on without lines that cannot be used.

    Raises:
        InputError: The file is missing, a line cannot be used, or a paper is there twice.
    """
    file = Path(file)
    if not file.is_file() or file.suffix.lower() not in ENDINGS:
        raise InputError(
            "is no file of records",
            file=file,
            cure="give a file with paper_id and meta_review",
        )
    values: dict[str, str] = {}
    lines: dict[str, int] = {}
    for row, record in read_records(file, MetaReviewRow):
        fault = record if isinstance(record, InputError) else None
        if not isinstance(record, InputError) and record.paper_id in lines:
            name, cure = record.paper_id, "give one meta-review a paper"
            fault = also_on(
                name, lines[name], file=file, line=row.line, field="paper_id", cure=cure
            )
        if fault is not None and not skip_bad_lines:
            raise fault
        if fault is not None or isinstance(record, InputError):
            continue
        lines[record.paper_id] = row.line
        if text := tidy(record.meta_review or "").text.strip():
            values[record.paper_id] = text
    return values
