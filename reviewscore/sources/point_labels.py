"""Points as readers marked and judged them, one object a line, found in their reviews and papers.

A stretch is given verbatim, as people write it into a sheet, or by its place with the SHA-256 of
its words, as a set that may not hold the words keeps it. Both are looked up in the texts as they
are read: places may have moved since.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from reviewscore.errors import InputError
from reviewscore.files import hash_text
from reviewscore.papers.load import Identifier
from reviewscore.papers.quotes import levelled_span
from reviewscore.schema.annotation import AnnotatorKind
from reviewscore.schema.marks import MarkedPassage, MarkedSpan, sum_of_words
from reviewscore.schema.paper import Paper
from reviewscore.schema.point_id import same_words
from reviewscore.schema.point_label import PassagePlace, PointLabel
from reviewscore.schema.presupposition import LabelledPresupposition, Supplies
from reviewscore.schema.review import PointKind, PointType, Review
from reviewscore.schema.scale import Score
from reviewscore.sources.annotations import (
    KIND_CURE,
    LABELS,
    fault_words,
    is_pseudonym,
    people_alone,
)
from reviewscore.sources.records import RecordFile, RecordRow

POINTS = "points.jsonl"
"""The file of a set that holds points as readers marked them."""
_SLACK = 40
"""Characters by which white space may have made a marked stretch longer than it is now."""
_MOST_MARKS = 1000
"""Marks of one point; more are no marks of a reader."""

PaperOf = Callable[[str], Paper | None]
"""A paper by its identifier; None where it is not at hand."""


def _nothing(value: object) -> object:
    """Empty cells come as NaN or empty texts."""
    empty = value != value or (isinstance(value, str) and not value.strip())  # noqa: PLR0124 - NaN
    return None if empty else value


def _listed(value: object) -> object:
    """A list, as it is, as JSON text, or one text alone."""
    value = _nothing(value)
    if isinstance(value, str):
        if value.lstrip()[:2] in ('["', "[{", "[]"):
            return json.loads(value)
        return [value]
    return [] if value is None else value


def _quoted(value: object) -> object:
    return {"quote": value} if isinstance(value, str) else value


def _number(value: object) -> object:
    """True is no score."""
    if isinstance(value, bool):
        raise ValueError("a truth value is no number of a scale")
    return _nothing(value)


class _Mark(BaseModel):
    """A stretch of a review or paper: its words, or its place and their sum."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    field: str | None = None
    start: Annotated[int | None, Field(ge=0)] = None
    end: Annotated[int | None, Field(ge=0)] = None
    sha256: str | None = None
    quote: str | None = None


_Marks = Annotated[
    tuple[Annotated[_Mark, BeforeValidator(_quoted)], ...],
    BeforeValidator(_listed),
    Field(max_length=_MOST_MARKS),
]
_Any = TypeVar("_Any")
_Maybe = Annotated[_Any | None, BeforeValidator(_nothing)]
_Scored = Annotated[Score | None, BeforeValidator(_number)]


class _StatedRow(BaseModel):
    """One presupposition of a point, its passages as they are written."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    statement: Annotated[str, Field(min_length=1)]
    true: Annotated[Score | Literal["not_visible"], BeforeValidator(_number)]
    supplies: _Maybe[Supplies] = None
    central: bool
    passages: _Marks = ()


class _PointRow(BaseModel):
    """One object of a sheet or set; unknown fields are ignored with a warning."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    source: _Maybe[str] = None
    paper_id: _Maybe[Identifier] = None
    review_id: Identifier
    section: _Maybe[str] = None
    spans: Annotated[_Marks, Field(min_length=1)]
    type: PointType
    kind: PointKind
    score: _Scored = None
    standing: _Scored = None
    supplies: _Maybe[Supplies] = None
    passages: _Marks = ()
    presuppositions: Annotated[tuple[_StatedRow, ...], BeforeValidator(_listed)] = ()
    where: _Maybe[PassagePlace] = None
    acknowledged: _Maybe[bool] = None
    not_visible: _Maybe[bool] = None
    also: _Marks = ()
    reason: _Maybe[str] = None
    paper_text_sha256: _Maybe[str] = None
    annotator: str
    annotator_kind: AnnotatorKind
    codebook: _Maybe[str] = None


_KNOWN = {*_PointRow.model_fields, "schema"}


@dataclass(frozen=True)
class PointLabels:
    """Points as readers marked and judged them.

    Attributes:
        name: Of the set.
        labels: All that can be used, in the order of the files.
        faults: Lines that were left out, and parts of lines, each with file, line, field and cure.
        elsewhere: Lines whose review is not among those that were given; left out too.
        warnings: What is strange but was kept.
        notes: What must be said beside figures that rest on it.
    """

    name: str
    labels: tuple[PointLabel, ...]
    faults: tuple[InputError, ...] = ()
    elsewhere: tuple[InputError, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def of_people(self) -> PointLabels:
        """The labels that people gave, alone; what models gave is counted in the notes.

        Raises:
            InputError: No person labelled anything.
        """
        human, left_out = people_alone(self.name, self.labels)
        return replace(self, labels=human, notes=(*self.notes, *filter(None, [left_out])))


def points_file(path: Path) -> Path | None:
    """The file of marked points that a path names: of a set, or by its records; None if none."""
    file = path / POINTS if path.is_dir() else path
    if not file.is_file() or (path / LABELS).is_file():
        return None
    marked = any("spans" in (row.record or {}) for row in RecordFile.of(file).rows())
    return file if marked else None


def reviews_named(files: Iterable[Path]) -> set[str]:
    """Identifiers of the reviews that lines of sheets or sets speak of."""
    rows = (row for file in files for row in RecordFile.of(file).rows())
    return {
        str(row.record["review_id"]) for row in rows if row.record and "review_id" in row.record
    }


def read_point_labels(
    files: Iterable[Path],
    reviews: Mapping[str, Review],
    paper_of: PaperOf | None = None,
    *,
    name: str = "labels",
) -> PointLabels:
    """Read sheets or sets of marked points and find each stretch in the texts that are at hand.

    Args:
        files: One object a point a line; JSONL, or whatever else records are read from.
        reviews: The reviews as they are read, by identifier.
        paper_of: The papers; None if they are not at hand: then passages stay where the file
            places them, and quoted ones are left out.
        name: Of the set.

    Raises:
        InputError: A file cannot be read.
    """
    reading = _Reading(reviews, paper_of)
    for file in files:
        for row in RecordFile.of(file).rows():
            reading.add(row, file)
    return PointLabels(
        name,
        tuple(reading.labels),
        tuple(reading.faults),
        tuple(reading.elsewhere),
        tuple(reading.in_words()),
    )


@dataclass
class _Reading:
    """What has been read so far."""

    reviews: Mapping[str, Review]
    paper_of: PaperOf | None
    labels: list[PointLabel] = field(default_factory=list)
    faults: list[InputError] = field(default_factory=list)
    elsewhere: list[InputError] = field(default_factory=list)
    strange: dict[str, int] = field(default_factory=dict)
    unplaced: int = 0
    moved: int = 0
    _seen: dict[object, str] = field(default_factory=dict)
    _kinds: dict[str, tuple[AnnotatorKind, str]] = field(default_factory=dict)

    def add(self, row: RecordRow, file: Path) -> None:
        """Read a line; what is wrong with it is noted and ends nothing."""
        try:
            record = _checked(row, file)
            fault = partial(_fault, file, row.line)
            review = self.reviews.get(record.review_id)
            if review is None:
                problem = f"the review '{record.review_id}' is not among those given"
                cure = "name the file that holds it with --reviews, or correct the identifier"
                self.elsewhere.append(fault("review_id", problem, cure))
                return
            if record.paper_id not in (None, review.paper_id):
                raise fault(
                    "paper_id",
                    f"'{record.paper_id}' is not the paper of review '{review.review_id}', which "
                    f"is '{review.paper_id}'",
                    "correct one of the two",
                )
            self._check_annotator(record, f"{file.name}:{row.line}", fault)
            label = self._label(record, review, fault)
            self._check_repeat(label, f"{file.name}:{row.line}", fault)
        except InputError as error:
            self.faults.append(error)
            return
        self.labels.append(label)
        for name in (row.record or {}).keys() - _KNOWN:
            self.strange[str(name)] = self.strange.get(str(name), 0) + 1

    def in_words(self) -> Iterator[str]:
        """Warnings."""
        for name, count in sorted(self.strange.items()):
            yield f"the field '{name}' is not known and was ignored ({count:,} lines)"
        if self.unplaced:
            yield (
                "quoted passages that are left out, as their papers are not at hand: "
                f"{self.unplaced:,}; name the papers"
            )
        if self.moved:
            yield f"words that were not where the file says and were found again: {self.moved:,}"
        books = {label.codebook for label in self.labels}
        if len(books) > 1:
            names = ", ".join(sorted("none" if book is None else f"'{book}'" for book in books))
            yield f"labels follow different codebooks: {names}"

    def _label(self, row: _PointRow, review: Review, fault: _Faulty) -> PointLabel:
        spans = [self._span(mark, row.section, review) for mark in row.spans]
        lost = next((mark for mark, span in zip(row.spans, spans, strict=True) if not span), None)
        if lost is not None:
            raise fault("spans", *_not_there(lost, f"review '{review.review_id}'"))
        also = [self._span(mark, row.section, review) for mark in row.also]
        for mark, span in zip(row.also, also, strict=True):
            if span is None:
                problem, cure = _not_there(mark, f"review '{review.review_id}'")
                self.faults.append(fault("also", f"{problem}; the point is kept without it", cure))
        paper = self.paper_of(review.paper_id) if self.paper_of is not None else None
        given = row.model_dump(exclude={"section", "spans", "passages", "also", "paper_id",
                                        "presuppositions"})  # fmt: skip
        marked = bool(row.passages or any(stated.passages for stated in row.presuppositions))
        return PointLabel(
            **given,
            paper_id=review.paper_id,
            spans=tuple(filter(None, spans)),
            also=tuple(filter(None, also)),
            passages=tuple(self._passages(row.passages, paper, fault)),
            presuppositions=tuple(
                LabelledPresupposition(
                    **stated.model_dump(exclude={"passages"}),
                    passages=tuple(
                        self._passages(stated.passages, paper, fault, within="presuppositions")
                    ),
                )
                for stated in row.presuppositions
            ),
        ).model_copy(
            update={} if paper is None or not marked else {
                "paper_text_sha256": hash_text("paper", paper.text).sha256
            }
        )  # fmt: skip

    def _span(self, mark: _Mark, section: str | None, review: Review) -> MarkedSpan | None:
        """Where a mark stands in a review: in the box it names, else in any other."""
        first = [name for name in (mark.field, section) if name in review.fields]
        for name in dict.fromkeys([*filter(None, first), *review.fields]):
            at = _place(mark, review.fields[name], exact=name == mark.field)
            if at is not None:
                self.moved += mark.start is not None and (name, *at) != (
                    mark.field, mark.start, mark.end,
                )  # fmt: skip
                return MarkedSpan.at(review.fields, name, *at)
        return None

    def _passages(
        self,
        marks: Iterable[_Mark],
        paper: Paper | None,
        fault: _Faulty,
        *,
        within: str = "passages",
    ) -> Iterator[MarkedPassage]:
        for mark in marks:
            if paper is None:
                if mark.start is None or mark.end is None or mark.sha256 is None:
                    self.unplaced += 1
                else:
                    yield MarkedPassage(start=mark.start, end=mark.end, sha256=mark.sha256)
                continue
            at = _place(mark, paper.text, exact=True)
            if at is None:
                problem, cure = _not_there(mark, f"paper '{paper.paper_id}'")
                problem += "; the point is kept without it"
                self.faults.append(fault(within, problem, cure))
                continue
            self.moved += mark.start is not None and at != (mark.start, mark.end)
            yield MarkedPassage(start=at[0], end=at[1], sha256=sum_of_words(paper.text[slice(*at)]))

    def _check_annotator(self, row: _PointRow, place: str, fault: _Faulty) -> None:
        if not is_pseudonym(row.annotator):
            cure = "use a pseudonym with a number, such as A1; no names and no addresses"
            raise fault("annotator", f"'{row.annotator}' is no pseudonym", cure)
        kind, first = self._kinds.setdefault(row.annotator, (row.annotator_kind, place))
        if kind is not row.annotator_kind:
            problem = (
                f"'{row.annotator}' is {row.annotator_kind.value}, but {kind.value} in {first}"
            )
            cure = "a pseudonym is a person's or a model's: give the other another"
            raise fault("annotator_kind", problem, cure)

    def _check_repeat(self, label: PointLabel, place: str, fault: _Faulty) -> None:
        key = label.annotator, label.review_id, label.spans
        first = self._seen.setdefault(key, place)
        if first != place:
            problem = f"'{label.annotator}' marked the same words in {first} already"
            raise fault("spans", problem, "keep one of the two, or quote more of its words")


_Faulty = Callable[[str, str, str], InputError]
"""A fault of a line from the name of its field, the problem and the cure."""


def _fault(file: Path, line: int, name: str, problem: str, cure: str) -> InputError:
    return InputError(problem, file=file, line=line, field=name, cure=cure)


def _checked(row: RecordRow, file: Path) -> _PointRow:
    try:
        return _PointRow.model_validate(row.value)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        name = str(problem["loc"][0]) if problem["loc"] else None
        raise InputError(
            fault_words(problem["msg"].removeprefix("Value error, "), problem["input"]),
            file=file,
            line=row.line,
            field=name,
            cure=KIND_CURE
            if name == "annotator_kind"
            else "annotations/README.md tells the format",
        ) from error


def _not_there(mark: _Mark, where: str) -> tuple[str, str]:
    """Problem and cure of a mark that was not found."""
    if mark.quote is None and mark.sha256 is None:
        place = "" if mark.start is None else f" {mark.start}..{mark.end}"
        return f"the place{place} has no words and no sum of them", "add sha256, or quote the words"
    words = "the words at a place" if mark.quote is None else f"{same_words(mark.quote)[:60]!r}"
    cure = "quote it verbatim" if mark.quote else "the text has changed there: quote the words"
    return f"{words} cannot be found in {where}", cure


def _place(mark: _Mark, text: str, *, exact: bool) -> tuple[int, int] | None:
    """Where a mark's words stand in a text; of several occurrences the nearest to its place.

    Args:
        mark: The mark.
        text: The text.
        exact: Whether the mark's offsets count in this text.
    """
    near = mark.start if exact and mark.start is not None else 0
    if mark.sha256 is not None and mark.start is not None and mark.end is not None:
        if exact and sum_of_words(text[mark.start : mark.end]) == mark.sha256:
            return mark.start, mark.end
        if mark.quote is None:
            return place_of_sum(text, mark.sha256, mark.end - mark.start, near)
    return None if mark.quote is None else place_of_words(text, mark.quote, near)


def place_of_words(text: str, quote: str, near: int = 0) -> tuple[int, int] | None:
    """Where verbatim words stand in a text, white space apart, then typography too.

    Args:
        text: The text.
        quote: The words.
        near: Of several occurrences the nearest to this offset is taken; whole words first.
    """
    words = [re.escape(word) for word in quote.split()]
    if not words:
        return None
    pattern = r"\s+".join(words)
    for wanted in (rf"(?<!\w){pattern}(?!\w)", pattern):
        places = [match.span() for match in re.finditer(wanted, text)]
        if places:
            return min(places, key=lambda place: abs(place[0] - near))
    return levelled_span(text, quote)


def place_of_sum(text: str, sha256: str, length: int, near: int = 0) -> tuple[int, int] | None:
    """Where words stand of which only the sum is known, and how long they were.

    Stretches of that length are tried, then shorter ones of the text without its spare white
    space: at most `_SLACK` characters shorter. They begin and end where words or marks do.

    Args:
        text: The text.
        sha256: `sum_of_words` of the words.
        length: Characters they had, with the white space of that time.
        near: Stretches near to this offset are tried first.
    """
    edges = _edges(text)
    for start in sorted(edges, key=lambda edge: abs(edge - near)):
        if start + length in edges and sum_of_words(text[start : start + length]) == sha256:
            return start, start + length
    offsets = [at for at, letter in enumerate(text) if _kept(text, at, letter)]
    plain = "".join(" " if text[at].isspace() else text[at] for at in offsets)
    ends = _edges(plain)
    for start in sorted(ends, key=lambda edge: abs(edge - near)):
        for size in range(length, max(0, length - _SLACK - 1), -1):
            end = start + size
            if end in ends and sum_of_words(plain[start:end]) == sha256:
                return offsets[start], offsets[end - 1] + 1
    return None


def _kept(text: str, at: int, letter: str) -> bool:
    return not letter.isspace() or (at > 0 and not text[at - 1].isspace())


def _edges(text: str) -> set[int]:
    """Offsets at which a word or mark begins or ends."""
    inner = (
        at for at in range(1, len(text)) if not (text[at - 1].isalnum() and text[at].isalnum())
    )
    return {0, *inner, len(text)}


def with_quotes(
    labels: Iterable[PointLabel], reviews: Mapping[str, Review], paper_of: PaperOf | None
) -> Iterator[PointLabel]:
    """The labels with their words beside the places, where a licence allows to pass them on."""

    def quoted(mark: Any, text: str) -> Any:
        return mark.model_copy(update={"quote": text[mark.start : mark.end]})

    for label in labels:
        fields = reviews[label.review_id].fields
        paper = None if paper_of is None else paper_of(label.paper_id)
        spans = {
            name: tuple(quoted(span, fields[span.field]) for span in getattr(label, name))
            for name in ("spans", "also")
        }
        stated, passages = label.presuppositions, label.passages
        if paper is not None:
            passages = tuple(quoted(passage, paper.text) for passage in passages)
            stated = tuple(
                presupposition.model_copy(
                    update={
                        "passages": tuple(
                            quoted(passage, paper.text) for passage in presupposition.passages
                        )
                    }
                )
                for presupposition in stated
            )
        yield label.model_copy(update={**spans, "passages": passages, "presuppositions": stated})
