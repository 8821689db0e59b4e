"""Papers and reviews from a folder, from files, or a single pair of them."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import NoReturn

from reviewscore.bounds import in_force
from reviewscore.errors import InputError, TooLargeError
from reviewscore.files import InputFile, hash_text
from reviewscore.papers.load import PaperRow, load_paper, read_content
from reviewscore.papers.paper_warnings import left_out
from reviewscore.schema.confidentiality import Permission, consent_warnings
from reviewscore.schema.paper import Paper
from reviewscore.schema.record import storable
from reviewscore.schema.review import Review
from reviewscore.sources.docx import read_docx
from reviewscore.sources.lazy_papers import PaperHandle, RawPaper, handle_of, read_handles
from reviewscore.sources.records import (
    ENDINGS,
    FaultLog,
    RecordFile,
    RecordRow,
    also_on,
    as_model,
    find_table,
)
from reviewscore.sources.reviews import (
    NOT_BOXES,
    ReviewRow,
    build_review,
    documents_by_paper,
    holds_paper,
    is_paper_folder,
    is_response,
    responses,
    review_files,
    review_names,
    reviews_by_paper,
    unknown_boxes,
    with_boxes,
)
from reviewscore.sources.spooled import SpooledList

_CURE = (
    "give a folder with papers.jsonl and reviews.jsonl (or .parquet, .csv, .xlsx, .json), a folder "
    "of PDFs with reviews beside them, or --paper and --review"
)
_SHOWN = 3
"""Names of a folder's files that are shown."""


@dataclass(frozen=True)
class Collection:
    """Papers and their reviews.

    Attributes:
        papers: Handles by identifier, in the order of the file.
        reviews: All reviews, in the order of the file; those of a folder wait on disk.
        warnings: What was ignored or changed, in words.
        skipped: Faults of lines that were left out.
        files: The files read, for hashing.
        pair: The paper's file and all files of reviews, where single files were given.
        year: Year that was given for the paper of a pair.
        unread: Faults of single files of reviews that were given and cannot be used.
        records: Sums of papers and reviews that were given as records and lie in no file.
        folder: The folder of PDFs and reviews beside them, where such was given.
    """

    papers: Mapping[str, PaperHandle]
    reviews: Sequence[Review]
    warnings: list[str] = field(default_factory=list)
    skipped: list[InputError] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)
    pair: tuple[Path, ...] | None = None
    year: int | None = None
    unread: list[InputError] = field(default_factory=list)
    records: list[InputFile] = field(default_factory=list)
    folder: Path | None = None

    def __repr__(self) -> str:
        return f"Collection({len(self.papers):,} papers, {len(self.reviews):,} reviews)"

    def paper(self, paper_id: str) -> Paper:
        """Read a paper, with its sections; nothing is kept.

        Raises:
            InputError: If there is no such paper, or its text cannot be used.
        """
        if paper_id not in self.papers:
            raise InputError(f"there is no paper '{paper_id}'", cure="check papers.jsonl")
        return self.papers[paper_id].load()

    def review(self, review_id: str) -> Review:
        """Read a review; nothing of its text is kept.

        Raises:
            KeyError: There is none of that name.
        """
        return self.reviews[self._numbers[review_id]]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {review.review_id: number for number, review in enumerate(self.reviews)}

    def permitted(self, may: Permission) -> Collection:
        """The papers that models may read; reviews stay as they are."""
        kept = {name: one for name, one in self.papers.items() if not may.refusal(one.consent)}
        left = consent_warnings("paper", len(self.papers) - len(kept))
        return replace(self, papers=kept, warnings=[*self.warnings, *left])

    def paper_unchecked(self, paper_id: str) -> Paper:
        """As `paper`, without a look at what is doubtful about it."""
        handle = self.papers.get(paper_id)
        if handle is None or handle.raw is None:
            return self.paper(paper_id)
        return handle.raw().paper(doubts=False)


def read_collection(path: Path, *, skip_bad_lines: bool = False) -> Collection:
    """Papers and reviews of a folder.

    Every line is checked, but of papers only their place in the file is kept.

    Args:
        path: A folder with files of records `papers` and `reviews` (see `records.ENDINGS`), or one
            of the two, the other being beside it; or a folder of PDFs with reviews beside them.
        skip_bad_lines: Go on without lines that cannot be used, and list them in ``skipped``.

    Raises:
        InputError: If a file is missing, or (unless skipped) at the first bad line; it names
            file, line, field, problem and cure.
    """
    path = Path(path)
    if is_paper_folder(path):
        return _read_paper_folder(path)
    papers_file, reviews_file = tables_of(path)
    collection = read_papers(papers_file, skip_bad_lines=skip_bad_lines)
    log = FaultLog(skip_bad_lines, collection.warnings, collection.skipped)
    reviews = _reviews(reviews_file, collection.papers, log)
    log.warn_of_boxes()
    if not reviews and not log.skipped:
        raise InputError("holds no reviews", file=reviews_file, cure="add one record per line")
    files = [papers_file, reviews_file, *collection.files[1:]]
    return Collection(collection.papers, reviews, log.warnings, log.skipped, files)


def read_papers(path: Path, *, skip_bad_lines: bool = False) -> Collection:
    """Papers without their reviews.

    Args:
        path: A folder with a file of records `papers`, or such a file.
        skip_bad_lines: As in `read_collection`.

    Raises:
        InputError: As in `read_collection`.
    """
    file = Path(path) if Path(path).is_file() else named_table(Path(path), "papers")
    log, files = FaultLog(skip_bad_lines), [file]
    papers = read_handles(file, log, files)
    log.warn_of_fields(file, NOT_BOXES)
    if not papers and not log.skipped:
        raise InputError("holds no papers", file=file, cure="add one record per line")
    return Collection(papers, [], log.warnings, log.skipped, files)


def tables_of(path: Path) -> tuple[Path, Path]:
    """The files of papers and of reviews of a folder, or of one of the two.

    Raises:
        InputError: One is missing.
    """
    if path.is_file():
        for name, other in (("papers", "reviews"), ("reviews", "papers")):
            if path.suffix.lower() in ENDINGS and path.stem.startswith(name):
                beside = named_table(path.parent, other + path.stem.removeprefix(name))
                return (path, beside) if name == "papers" else (beside, path)
        raise _single_file(path)
    if not path.is_dir():
        raise InputError("there is no such folder", file=path, cure=_CURE)
    return named_table(path, "papers"), named_table(path, "reviews")


def named_table(folder: Path, name: str) -> Path:
    """The file of papers or reviews in a folder.

    Raises:
        InputError: There is none, or there are several.
    """
    if (file := find_table(folder, name)) is not None:
        return file
    held = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    more = f" and {len(held) - _SHOWN:,} more" if len(held) > _SHOWN else ""
    there = f"; it holds {', '.join(held[:_SHOWN])}{more}" if held else " and is empty"
    raise InputError(f"has no {name}.jsonl or {name}.parquet{there}", file=folder, cure=_CURE)


def _single_file(path: Path) -> InputError:
    """That a file of its own is no folder of papers and reviews, and what to type."""
    if path.suffix.lower() in ENDINGS:
        return InputError("is neither papers nor reviews", file=path, cure=_CURE)
    name = shlex.quote(str(path))
    return InputError(
        "is neither papers nor reviews but a single file",
        file=path,
        cure=f"type reviewscore audit --paper {name} --review FILE if it is a paper, or "
        f"--paper FILE --review {name} if it is a review",
    )


def _reviews(file: Path, papers: Mapping[str, PaperHandle], log: FaultLog) -> SpooledList[Review]:
    reviews = SpooledList[Review]()
    lines: dict[str, int] = {}
    counts: Counter[str] = Counter()
    most = in_force().max_reviews_per_paper
    for row in map(with_boxes, RecordFile.of(file).rows()):
        log.note_fields(row, ReviewRow, file)
        try:
            record = as_model(row, ReviewRow, file)
            _check_review(record, papers, lines, file, row.line)
            counts[record.paper_id] += 1
            if counts[record.paper_id] > most:
                lines[record.review_id] = row.line
                continue
            review, notes = _placed(record, file, row.line)
        except InputError as error:
            log.fault(error)
        else:
            lines[review.review_id] = row.line
            reviews.append(review)
            log.note_boxes(unknown_boxes(review))
            log.warnings.extend(notes)
    log.warn_of_fields(file, NOT_BOXES, of_reviews=True)
    if max(counts.values(), default=0) > most:
        reviews.keep(lambda review: counts[review.paper_id] <= most)
    for paper_id, count in counts.items():
        if count > most:
            log.fault(too_many_reviews(paper_id, count, file))
    return reviews


def too_many_reviews(paper_id: str, count: int, file: Path) -> TooLargeError:
    """A paper with more reviews than are read, none of which is."""
    most = in_force().max_reviews_per_paper
    return TooLargeError(
        f"paper '{paper_id}' has {count:,} reviews, more than the {most:,} that "
        "max_reviews_per_paper allows; none of them is read",
        file=file,
        field="paper_id",
        cure="if they are all of one paper, raise max_reviews_per_paper in [bounds] of the "
        "settings, or set REVIEWSCORE_MAX_REVIEWS_PER_PAPER",
    )


def _placed(record: ReviewRow, file: Path, line: int) -> tuple[Review, tuple[str, ...]]:
    try:
        return build_review(record)
    except InputError as error:
        raise type(error)(
            error.problem, file=file, line=line, field=error.field, cure=error.cure
        ) from error


def _check_review(
    review: ReviewRow,
    papers: Mapping[str, PaperHandle],
    lines: Mapping[str, int],
    file: Path,
    line: int,
) -> None:
    if review.review_id in lines:
        cure = "give every review its own identifier"
        first = lines[review.review_id]
        raise also_on(review.review_id, first, file=file, line=line, field="review_id", cure=cure)
    if review.paper_id not in papers:
        raise InputError(
            f"there is no usable paper '{review.paper_id}'",
            file=file,
            line=line,
            field="paper_id",
            cure="add the paper, or take the review out",
        )


def single(
    paper_path: Path,
    review_path: Path | Sequence[Path],
    *,
    year: int | None = None,
    names: Mapping[Path, str] | None = None,
) -> Collection:
    """One paper and its reviews, each from files of its own.

    Of several files of reviews, those that cannot be used are listed in ``unread``.

    Args:
        paper_path: ``.txt``, ``.md``, ``.pdf``, ``.json``, or ``.jsonl`` with one paper.
        review_path: ``.txt``, ``.md`` or ``.pdf`` (the whole text is the field ``text``),
            ``.json`` or ``.jsonl``, a folder of such files, or several of all these; identifiers
            may be missing, and one paper's identifier in all of a file's records is taken to mean
            this paper. ``R2.response.txt`` is the authors' response to the review in ``R2.txt``.
        year: Year of the submission, if the paper does not say.
        names: What reviews without an identifier are called, by their files; None to name them
            after these.

    Raises:
        InputError: If the paper or no review can be used; it names the file, the problem and a
            cure.
    """
    given = [review_path] if isinstance(review_path, str | Path) else review_path
    paper_path, log = Path(paper_path), FaultLog()
    unread: list[InputError] = []
    files = review_files(map(Path, given), paper_path, log.warnings, unread)
    paper = _only_paper(paper_path, year)
    known = {paper.paper_id: of_file(paper, paper_path)}
    reviews = _ReviewsInFiles(log, unread)
    reviews.read(known, {**review_names(files), **(names or {})}, files, paper.text)
    if not reviews.found:
        raise _nothing_usable(unread)
    log.warn_of_boxes()
    if len(reviews.found) > in_force().max_reviews_per_paper:
        raise too_many_reviews(paper.paper_id, len(reviews.found), reviews.files[0])
    return Collection(
        known,
        list(reviews.found.values()),
        log.warnings,
        files=[paper_path, *reviews.files],
        pair=(paper_path, *files),
        year=year,
        unread=unread,
    )


def _only_paper(path: Path, year: int | None) -> Paper:
    """The paper of a file of its own, or the only record of a table."""
    if path.suffix.lower() not in ENDINGS or path.suffix.lower() in (".json", ".jsonl"):
        return load_paper(path, year=year)
    handles = read_papers(path).papers
    if len(handles) != 1:
        cure = "name a folder with papers and reviews"
        raise InputError("holds more than one record", file=path, cure=cure)
    (handle,) = handles.values()
    paper = handle.load()
    return paper if year is None else paper.model_copy(update={"year": year})


@dataclass
class _ReviewsInFiles:
    """Reviews that are read from files of their own.

    Attributes:
        log: Takes warnings.
        unread: Takes faults of single files.
        others: All papers that lie together: no file's records are of one and named after another.
        found: The reviews by identifier.
        files: The files that they, and responses to them, are of.
    """

    log: FaultLog
    unread: list[InputError]
    others: frozenset[str] = frozenset()
    found: dict[str, Review] = field(default_factory=dict)
    files: list[Path] = field(default_factory=list)
    _file_of: dict[str, Path] = field(default_factory=dict)

    def read(
        self,
        papers: Mapping[str, PaperHandle],
        names: Mapping[Path, str],
        files: Sequence[Path],
        text: str | None,
    ) -> None:
        """Read the reviews of one paper.

        Args:
            papers: The paper, alone.
            names: What the review in each file is called where it has no identifier.
            files: The files, those of responses among them.
            text: The paper's, which no review is; None if it need not be looked at.
        """
        answers = responses(files, self.unread)
        for file, name in names.items():
            if is_response(file):
                continue
            response = answers.get(file)
            try:
                reviews = _reviews_of_file(
                    file, name, papers, self.log, response, self.unread, self.others
                )
                self._check(reviews, file, text)
            except InputError as error:
                self.unread.append(error)
                continue
            self.found |= {review.review_id: review for review in reviews}
            self._file_of |= dict.fromkeys((review.review_id for review in reviews), file)
            self.files += [path for path in (file, response) if path is not None]
            if text is not None and any(_length(review) > len(text) for review in reviews):
                self.log.warnings.append(f"{file}: is longer than the paper; were they swapped?")

    def _check(self, reviews: Sequence[Review], file: Path, text: str | None) -> None:
        whole = "\n".join(reviews[0].fields.values()) if len(reviews) == 1 else ""
        if text is not None and holds_paper(whole, text):
            raise InputError(
                "holds the text of the paper, not a review", file=file, cure="leave it out"
            )
        for review in reviews:
            if review.review_id in self.found:
                raise InputError(
                    f"'{review.review_id}' is also in {self._file_of[review.review_id]}",
                    file=file,
                    field="review_id",
                    cure="give every review its own identifier",
                )


def _length(review: Review) -> int:
    return sum(map(len, review.fields.values()))


def _read_paper_folder(folder: Path) -> Collection:
    """The PDFs of a folder, each with the reviews that are named after it."""
    log, unread = FaultLog(), list[InputError]()
    grouped = reviews_by_paper(folder, log.warnings)
    documents = documents_by_paper(folder, log.warnings)
    others = frozenset(storable(file.stem) for file in grouped)
    reviews = _ReviewsInFiles(log, unread, others)
    handles: dict[str, PaperHandle] = {}
    most = in_force().max_reviews_per_paper
    for file, files in grouped.items():
        row = PaperRow(paper_id=storable(file.stem), file=file.name, documents=documents.get(file))
        handle = handle_of(row, partial(RawPaper, row, "pdf", folder))
        handles[row.paper_id] = handle
        if len(files) > most:
            unread.append(too_many_reviews(row.paper_id, len(files), folder))
            continue
        names = {
            review: name if name.startswith(file.stem) else f"{file.stem}/{name}"
            for review, name in review_names(files).items()
        }
        try:  # a file that is called as the paper, or another PDF, may be its text
            alike = any(file.stem == path.stem or path.suffix.lower() == ".pdf" for path in files)
            text = handle.load().text if alike else None
        except InputError:  # its reviews fail for this reason when they are judged
            text = None
        reviews.read({row.paper_id: handle}, names, files, text)
    if not reviews.found and not unread:
        raise _no_reviews(folder, list(grouped))
    if not reviews.found:
        raise _nothing_usable(unread)
    log.warn_of_boxes()
    return Collection(
        handles,
        list(reviews.found.values()),
        log.warnings,
        files=[
            *grouped,
            *(folder / row.file for group in documents.values() for row in group if row.file),
            *reviews.files,
        ],
        folder=folder,
        unread=unread,
    )


def _no_reviews(folder: Path, papers: Sequence[Path]) -> InputError:
    """That a folder holds papers alone, and what to type."""
    count = "1 PDF" if len(papers) == 1 else f"{len(papers):,} PDFs"
    return InputError(
        f"holds {count} and no reviews",
        file=folder,
        cure=f"put each review beside its paper, named after it, as in {papers[0].stem}-R1.txt; or "
        f"type reviewscore audit --paper {shlex.quote(str(papers[0]))} --review FILE",
    )


def load_review(path: Path, *, paper_id: str = "paper") -> Review:
    """The review in a file of its own.

    Args:
        path: As for `single`, but no folder.
        paper_id: The paper that it is of.

    Raises:
        InputError: The file cannot be used, or holds several reviews.
    """
    path = Path(path)
    if path.is_dir():
        raise InputError("is a folder", file=path, cure="name one review's file")
    handle = PaperHandle(paper_id, None, 1, partial(_absent, paper_id))
    name = review_names([path])[path]
    log = FaultLog()
    reviews = _reviews_of_file(path, name, {paper_id: handle}, log, None, [])
    if len(reviews) > 1:
        raise InputError(
            f"holds {len(reviews):,} reviews",
            file=path,
            cure="give the folder of papers.jsonl and reviews.jsonl as data, and one's identifier",
        )
    return reviews[0]


def _absent(paper_id: str) -> NoReturn:
    raise InputError(f"paper '{paper_id}' is not given")


def of_records(papers: Sequence[Paper], reviews: Sequence[Review]) -> Collection:
    """Papers and reviews that are at hand as records.

    Args:
        papers: The papers.
        reviews: Their reviews.

    Raises:
        InputError: An identifier is there twice, a review is of another paper, or there is none.
    """
    known: dict[str, PaperHandle] = {}
    for paper in papers:
        if paper.paper_id in known:
            raise InputError(f"two papers are '{paper.paper_id}'", field="paper_id")
        known[paper.paper_id] = of_file(paper)
    names: set[str] = set()
    for review in reviews:
        if review.review_id in names:
            raise InputError(f"two reviews are '{review.review_id}'", field="review_id")
        names.add(review.review_id)
        if review.paper_id not in known:
            raise InputError(
                f"review '{review.review_id}' is of paper '{review.paper_id}', which is not given",
                field="paper_id",
                cure="give that paper, or set the review's paper_id",
            )
    if not reviews:
        raise InputError("there is no review", cure="give one")
    sums = [hash_text(f"paper {paper.paper_id}", paper.model_dump_json()) for paper in papers]
    sums.append(hash_text("reviews", "\n".join(review.model_dump_json() for review in reviews)))
    return Collection(known, list(reviews), records=sums)


def of_file(paper: Paper, path: Path | None = None) -> PaperHandle:
    """The handle of a paper that is at hand.

    Args:
        paper: The paper.
        path: Its file, which is its PDF or lies beside that; None if it is of no file.
    """
    pdf = None if path is None else path.with_suffix(".pdf")
    pdf = pdf if pdf is not None and pdf.is_file() else None
    load = partial(_same, paper)
    return PaperHandle(paper.paper_id, paper.title, 1, load, pdf_file=pdf, consent=paper.consent)


def _same(paper: Paper) -> Paper:
    return paper


def _nothing_usable(unread: Sequence[InputError]) -> InputError:
    if len(unread) == 1:
        return unread[0]
    faults = "; ".join(map(str, unread)) or "no file of reviews is named"
    return InputError(f"there is no review that can be used: {faults}")


def _reviews_of_file(
    file: Path,
    name: str,
    papers: Mapping[str, PaperHandle],
    log: FaultLog,
    response: Path | None,
    unread: list[InputError],
    others: frozenset[str] = frozenset(),
) -> list[Review]:
    """All reviews of a file; `name` is the identifier of one that has none.

    A response that cannot be used is `unread`; the review is read without it.
    """
    (paper_id,) = papers
    reviews: list[Review] = []
    lines: dict[str, int] = {}
    warnings: list[str] = []
    rows = _review_rows(file, name, paper_id, warnings, others)
    if response is not None:
        try:
            rows = [_with_response(rows, file, response, warnings)]
        except InputError as error:
            unread.append(error)
    for row in map(with_boxes, rows):
        log.note_fields(row, ReviewRow, file)
        record = as_model(row, ReviewRow, file)
        _check_review(record, papers, lines, file, row.line)
        review, notes = _placed(record, file, row.line)
        lines[review.review_id] = row.line
        reviews.append(review)
        log.note_boxes(unknown_boxes(review))
        warnings += notes
    if not reviews:
        raise InputError("is empty", file=file, cure="write the review into it")
    log.warnings += warnings
    log.warn_of_fields(file, NOT_BOXES, of_reviews=True)
    return reviews


def _with_response(
    rows: Sequence[RecordRow], file: Path, response: Path, warnings: list[str]
) -> RecordRow:
    """The one record of a review file with the authors' response that lies beside it.

    Raises:
        InputError: The response cannot be used, or it is not known to which review it belongs.
    """
    if response.suffix.lower() in ENDINGS:
        raise InputError(
            "is a record, and an authors' response beside a review is a text",
            file=response,
            cure=f"save its text as {response.stem}.txt",
        )
    if len(rows) != 1 or (rows[0].record or {}).get("author_response"):
        problem = f"does not go with {file.name}, which holds " + (
            f"{len(rows)} reviews" if len(rows) != 1 else "a response of its own"
        )
        cure = "write it as author_response into the review's record"
        raise InputError(problem, file=response, cure=cure)
    (row,) = rows
    text = _text(response, "response", warnings)
    return replace(row, record=row.record and {**row.record, "author_response": text})


def _review_rows(
    path: Path, stem: str, paper_id: str, warnings: list[str], others: frozenset[str]
) -> list[RecordRow]:
    """The records of a review file, identifiers filled in where they are missing."""
    if path.suffix.lower() in ENDINGS:
        rows = list(RecordFile.of(path).rows())
    else:
        words: dict[str, object] = {"text": _text(path, "review", warnings)}
        rows = [RecordRow(1, 0, words)]
    named = {str(row.record.get("paper_id")) for row in rows if row.record is not None}
    override = {"paper_id": paper_id} if len(named) == 1 else {}
    if len(named) == 1 and (wrong := named & others - {paper_id}):
        raise InputError(
            f"names the paper '{min(wrong)}', and lies with '{paper_id}'",
            file=path,
            field="paper_id",
            cure="put it to the paper that it names",
        )
    filled: list[RecordRow] = []
    for row in rows:
        if row.record is None:
            filled.append(row)
            continue
        name = f"{stem}-{row.line}" if len(rows) > 1 else stem
        record: dict[str, object] = {
            "review_id": name,
            "paper_id": paper_id,
            **row.record,
            **override,
        }
        filled.append(replace(row, record=record))
    return filled


def _text(path: Path, of: str, warnings: list[str]) -> str:
    """The words of a review or response in a file of its own."""
    read = read_docx if path.suffix.lower() == ".docx" else partial(read_content, of=of)
    content = read(path)
    if unseen := left_out(content.unseen):
        warnings.append(f"{path}: {unseen}")
    return content.text
