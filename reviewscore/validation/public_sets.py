"""BAMBOO, QASPER, SciFact and PeerReview Bench, read from files that the user has.

Which record is what goes by its fields, so that files may be named in any order. One that cannot
be used is named and left out; truths that are not clear are left out and counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field

from reviewscore.bounds import in_force
from reviewscore.errors import InputError
from reviewscore.files import hash_text
from reviewscore.json_text import UnusableJsonError, load_json
from reviewscore.papers.hygiene import read_text
from reviewscore.papers.load import Identifier, Word
from reviewscore.sources.records import RecordFile, RecordRow, as_model, parquet_rows
from reviewscore.toml_files import read_toml
from reviewscore.validation.labelled import SetKind, SetReading

BAMBOO = SetKind(
    name="bamboo",
    title="BAMBOO (SenHallu, AbsHallu)",
    misinformed="altered statements",
    fair="true statements",
    seen="the beginning of a paper, as the set has it",
    labels="statements of the paper itself; the false ones were altered by a model",
    licence="MIT, as the set's repository says; of the papers' texts it says nothing",
    bounds="Statements of authors, some of them altered: they are clearer than remarks of "
    "reviewers, and none says that something is missing.",
)
QASPER = SetKind(
    name="qasper",
    title="QASPER",
    misinformed="questions that the paper answers",
    fair="questions that it does not answer",
    seen="the text of the paper; figures are missing",
    labels="people who looked for answers in the paper; all of a question's agree",
    licence="CC BY 4.0",
    bounds="Readers asked after title and abstract alone, and blame the paper for nothing: no "
    "reviewer asks so.",
)
SCIFACT = SetKind(
    name="scifact",
    title="SciFact",
    misinformed="claims that the abstract contradicts",
    fair="claims that it supports",
    seen="the abstract alone, never the paper",
    labels="people, by sentences of the abstract",
    licence="claims CC BY 4.0, abstracts ODC-By 1.0",
    bounds="Claims were made of citations, and judged by abstracts: no review of a whole paper "
    "is like this.",
)
PEERREVIEW_BENCH = SetKind(
    name="peerreview-bench",
    title="PeerReview Bench (expert_annotation)",
    misinformed="criticisms that experts call incorrect",
    fair="criticisms that they call correct",
    seen="the text of the paper; figures and supplements are missing",
    labels="experts of the field; all of an item's agree",
    licence="CC BY 4.0",
    bounds="Experts call a criticism incorrect also for what they know and the paper does not say.",
)
NOT_LABELLED, DIFFER = "without a label", "labels differ"
_MOST_SHOWN = 5


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", strict=False)


def _truth(value: object) -> object:
    if not isinstance(value, bool):
        raise ValueError("true or false is needed")
    return value


_Truth = Annotated[bool, BeforeValidator(_truth)]


class _Statement(_Record):
    title: Word = None
    content: str = Field(validation_alias=AliasChoices("content", "text"))
    hypothesis: str = Field(validation_alias=AliasChoices("hypothesis", "statement"))
    answer: _Truth = Field(validation_alias=AliasChoices("answer", "true"))


def read_bamboo(reading: SetReading, files: Sequence[Path]) -> None:
    """A statement about a paper a line, with whether it is true.

    Raises:
        InputError: A file cannot be read.
    """
    often = Counter(file.stem for file in files)
    for file in files:
        part = file.stem if often[file.stem] == 1 else str(file)
        for row in _rows(reading, file):
            with reading.noting(file, row.line):
                one = as_model(row, _Statement, file)
                paper = f"{one.title or ''}\n{hash_text('paper', one.content).sha256}"
                reading.add_paper(paper, one.title, one.content)
                name, misinformed = f"{part}:{row.line}", not one.answer
                reading.add(name, paper, one.hypothesis, misinformed=misinformed, part=part)


class _AnswerBody(_Record):
    unanswerable: _Truth


class _Answer(_Record):
    answer: _AnswerBody


class _Question(_Record):
    question: str
    question_id: Identifier
    answers: tuple[_Answer, ...] = ()


class _Section(_Record):
    section_name: Word = None
    paragraphs: tuple[str, ...] = ()


class _Caption(_Record):
    caption: Word = None


class _QasperPaper(_Record):
    title: Word = None
    abstract: Word = None
    full_text: tuple[_Section, ...]
    figures_and_tables: tuple[_Caption, ...] = ()
    qas: tuple[_Question, ...]

    def text(self) -> str:
        """The paper with its headings; of ``A ::: B`` the last one, a level deeper for each."""
        parts = [f"# {self.title}"] if self.title else []
        parts += ["## Abstract", self.abstract] if self.abstract else []
        for section in self.full_text:
            names = [name.strip() for name in (section.section_name or "").split(":::")]
            parts += [f"{'#' * (1 + len(names))} {names[-1]}"] if names[-1] else []
            parts += [paragraph for paragraph in section.paragraphs if paragraph.strip()]
        captions = [one.caption for one in self.figures_and_tables if one.caption]
        return "\n\n".join([*parts, *(["## Figures and tables", *captions] if captions else [])])


class _PlainPaper(_Record):
    paper_id: Identifier
    title: Word = None
    text: str


class _PlainQuestion(_Record):
    paper_id: Identifier
    question_id: Identifier
    question: str
    unanswerable_votes: tuple[_Truth, ...]


def read_qasper(reading: SetReading, files: Sequence[Path]) -> None:
    """Questions about papers: the published JSON, or one object a line of papers and questions.

    Raises:
        InputError: A file cannot be read.
    """
    questions: list[tuple[Path, RecordRow]] = []
    for file in files:
        if file.suffix.lower() == ".json":
            _published_qasper(reading, file)
            continue
        for row in _rows(reading, file):
            if "question" in (row.record or {}):
                questions.append((file, row))
                continue
            with reading.noting(file, row.line):
                paper = as_model(row, _PlainPaper, file)
                reading.add_paper(paper.paper_id, paper.title, paper.text)
    for file, row in questions:
        with reading.noting(file, row.line):
            one = as_model(row, _PlainQuestion, file)
            name = f"{one.paper_id} {one.question_id}"
            _add_question(reading, name, one.paper_id, one.question, one.unanswerable_votes)


def _published_qasper(reading: SetReading, file: Path) -> None:
    reading.inputs.append(file)
    try:
        papers = load_json(read_text(file, bound=in_force().table))
    except UnusableJsonError as error:
        raise error.of_input(file, 1) from error
    except ValueError as error:
        raise InputError(f"is not JSON ({error})", file=file, cure="fetch it again") from error
    if not isinstance(papers, dict):
        cure = "give qasper-train-v0.3.json or the like: an object of papers by identifier"
        raise InputError("holds no object of papers by identifier", file=file, cure=cure)
    for number, (paper_id, value) in enumerate(papers.items(), start=1):
        record = value if isinstance(value, dict) else {}
        with reading.noting(file, number):
            paper = as_model(RecordRow(number, 0, record), _QasperPaper, file)
            reading.add_paper(paper_id, paper.title, paper.text())
            for one in paper.qas:
                votes = [answer.answer.unanswerable for answer in one.answers]
                name = f"{paper_id} {one.question_id}"
                _add_question(reading, name, paper_id, one.question, votes)


def _add_question(
    reading: SetReading, name: str, paper: str, question: str, votes: Sequence[bool]
) -> None:
    if len(set(votes)) != 1:
        reading.excluded[DIFFER if votes else NOT_LABELLED] += 1
        return
    reading.add(name, paper, question, misinformed=not votes[0], question=True)


class _Rationale(_Record):
    label: Literal["SUPPORT", "CONTRADICT"]


class _Claim(_Record):
    id: Identifier
    claim: str
    evidence: dict[str, tuple[_Rationale, ...]] = Field(default_factory=dict)


class _Abstract(_Record):
    doc_id: Identifier
    title: Word = None
    abstract: tuple[str, ...]


def read_scifact(reading: SetReading, files: Sequence[Path]) -> None:
    """Claims and abstracts, one object a line each; a claim is judged by each of its abstracts.

    Raises:
        InputError: A file cannot be read.
    """
    claims: list[tuple[Path, int, _Claim]] = []
    abstracts: list[Path] = []
    for file in files:
        for row in _rows(reading, file):
            if "claim" not in (row.record or {"claim": ""}):
                abstracts.append(file)
                break
            with reading.noting(file, row.line):
                claims.append((file, row.line, as_model(row, _Claim, file)))
    wanted = {paper for _, _, claim in claims for paper in claim.evidence}
    for file in abstracts:
        for row in RecordFile.of(file).rows():
            with reading.noting(file, row.line):
                one = as_model(row, _Abstract, file)
                if one.doc_id in wanted:
                    reading.add_paper(one.doc_id, one.title, " ".join(one.abstract))
    for file, line, claim in claims:
        with reading.noting(file, line):
            _add_claim(reading, claim)


def _add_claim(reading: SetReading, claim: _Claim) -> None:
    if not claim.evidence:
        reading.excluded["claims without evidence"] += 1
    for paper, rationales in claim.evidence.items():
        labels = {rationale.label for rationale in rationales}
        if len(labels) != 1:
            reading.excluded[DIFFER if labels else NOT_LABELLED] += 1
            continue
        name, misinformed = f"{claim.id} {paper}", labels == {"CONTRADICT"}
        reading.add(name, paper, claim.claim, misinformed=misinformed)


class _ReviewItem(_Record):
    paper_id: Identifier
    paper_title: Word = None
    paper_content: str
    reviewer_id: Identifier
    reviewer_type: Word = None
    review_item_number: Identifier
    review_item: str
    correctness: Word


@dataclass
class _RatedItem:
    """A criticism with what each annotator said of it."""

    row: tuple[Path, int]
    paper: str
    text: str
    part: str
    labels: list[str] = field(default_factory=list)


def read_peerreview_bench(reading: SetReading, files: Sequence[Path], mapping: Path | None) -> None:
    """Criticisms with annotators' labels, a row for each annotator; Parquet or other records.

    Args:
        reading: What is read.
        files: The files of the part ``expert_annotation``.
        mapping: Table of what values of ``correctness`` mean; None for the one that is shipped.

    Raises:
        InputError: A file or the table cannot be read, or a value is not in the table.
    """
    meanings = read_mapping(mapping)
    items: dict[str, _RatedItem] = {}
    for file in files:
        for row in _rows(reading, file, columns=tuple(_ReviewItem.model_fields)):
            with reading.noting(file, row.line):
                one = as_model(row, _ReviewItem, file)
                reading.add_paper(one.paper_id, one.paper_title, one.paper_content)
                name = f"{one.paper_id} {one.reviewer_id} {one.review_item_number}"
                place, part = (file, row.line), one.reviewer_type or ""
                item = items.setdefault(
                    name, _RatedItem(place, one.paper_id, one.review_item, part)
                )
                if item.text != one.review_item:
                    raise InputError(f"'{name}' has other words than before", field="review_item")
                item.labels.append(same_value(one.correctness or ""))
    _check_values(items.values(), meanings, files)
    for name, item in items.items():
        means = {meanings[label] for label in item.labels if label}
        if len(means) != 1 or means == {"left out"}:
            why = "left out by the table of values" if means == {"left out"} else DIFFER
            reading.excluded[why if means else NOT_LABELLED] += 1
            continue
        with reading.noting(*item.row):
            reading.add(name, item.paper, item.text, misinformed=means == {"misinformed"},
                        part=item.part)  # fmt: skip
    named = ", ".join(f"“{value}” {meaning}" for value, meaning in meanings.items())
    reading.notes.append(f"Values of correctness: {named}.")


def same_value(value: str) -> str:
    """A value as values are compared: without case and spare white space."""
    return " ".join(value.split()).casefold()


def read_mapping(file: Path | None) -> dict[str, str]:
    """What values of ``correctness`` mean, by the value as `same_value` has it.

    Args:
        file: TOML with the table ``[correctness]``; None for the one that is shipped.

    Raises:
        InputError: It cannot be read, or a meaning is none.
    """
    path = file or Path(__file__).with_name("correctness.toml")
    table = read_toml(path, in_force().text).get("correctness")
    if not isinstance(table, dict) or not table:
        raise InputError("has no table [correctness]", file=path, cure='write "VALUE" = "fair"')
    meanings: dict[str, str] = {}
    for value, meaning in table.items():
        if meanings.setdefault(same_value(value), meaning) != meaning:
            cure = "keep one of the two: white space and capitals make no other value"
            raise InputError("stands there twice, as two truths", file=path, field=value, cure=cure)
        if meaning not in ("misinformed", "fair", "left out"):
            cure = "write misinformed, fair or left out"
            raise InputError(f"{meaning!r} is no truth", file=path, field=value, cure=cure)
    return meanings


def _check_values(
    items: Iterable[_RatedItem], meanings: Mapping[str, str], files: Sequence[Path]
) -> None:
    """Refuse values of which nobody says what they mean."""
    unknown = Counter(
        label for item in items for label in item.labels if label and label not in meanings
    )
    if unknown:
        named = ", ".join(
            f"'{value[:40]}' ({count:,})" for value, count in unknown.most_common(_MOST_SHOWN)
        )
        raise InputError(
            f"values that the table of correctness does not have: {named}",
            file=files[0] if len(files) == 1 else None,
            field="correctness",
            cure="give a table with them, as TOML, with --mapping",
        )


def _rows(
    reading: SetReading, file: Path, columns: tuple[str, ...] | None = None
) -> Iterator[RecordRow]:
    """Records of a file, one at a time."""
    reading.inputs.append(file)
    if file.suffix.lower() == ".parquet":
        for line, record in parquet_rows(file, columns=columns):
            error = record if isinstance(record, InputError) else None
            yield RecordRow(line, 0, None if isinstance(record, InputError) else record, error)
        return
    yield from RecordFile.of(file).rows()
