"""Papers and reviews from a folder, from files, or a single pair of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from reviewscore.bounds import in_force
from reviewscore.errors import InputError, TooLargeError
from reviewscore.files import (
    InputFile,
    hash_text,
)
from reviewscore.papers.content import read_content
from reviewscore.papers.hygiene import read_text
from reviewscore.papers.load import load_paper
from reviewscore.papers.rows import PaperRow, input_error
from reviewscore.papers.suspicions import left_out
from reviewscore.schema.paper import Paper
from reviewscore.schema.review import Review
from reviewscore.sources.raw import RawPaper, raw_paper
from reviewscore.sources.records import Row, Shelf, decode, only_table
from reviewscore.sources.review_files import (
    holds_paper,
    is_response,
    responses,
    review_files,
    review_names,
)
from reviewscore.sources.rows import ReviewRow, build_review
from reviewscore.sources.shelved import Shelved

_ENDINGS = (".jsonl", ".parquet")
_CURE = "give a folder with papers.jsonl and reviews.jsonl (or .parquet), or --paper and --review"
_NOT_WARNED = frozenset(
    {"human_ratings", "form", "roles", "scores", "extra", "version", "modified", "license"}
    | {"pdf_version", "points", "meta_review", "general_response", "changed", "area"}
)
"""Fields that are known to be there and not ours."""

_RowT = TypeVar("_RowT", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class PaperHandle:
    """A paper that has been checked but not read into memory.

    Attributes:
        paper_id: Identifier, unique in its collection.
        title: Title as given; None if it is read from the text.
        line: 1-based line or row in its file.
        load: Reads the paper.
        raw: Reads its record, as it is given to another machine; None for a single pair.
        in_file: Whether its text lies in a file of its own, such as a PDF.
    """

    paper_id: str
    title: str | None
    line: int
    load: Callable[[], Paper] = field(repr=False)
    in_file: bool = False
    raw: Callable[[], RawPaper] | None = field(default=None, repr=False)


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

    def text_of(self, paper_id: str) -> Paper:
        """As `paper`, without a look at what is doubtful about it."""
        handle = self.papers.get(paper_id)
        if handle is None or handle.raw is None:
            return self.paper(paper_id)
        return handle.raw().paper(doubts=False)


def read_collection(path: Path, *, skip_bad_lines: bool = False) -> Collection:
    """Papers and reviews of a folder.

    Every line is checked, but of papers only their place in the file is kept.

    Args:
        path: A folder with ``papers`` and ``reviews`` as ``.jsonl`` or ``.parquet``, or one of
            the two files, the other being beside it.
        skip_bad_lines: Go on without lines that cannot be used, and list them in ``skipped``.

    Raises:
        InputError: If a file is missing, or (unless skipped) at the first bad line; it names
            file, line, field, problem and cure.
    """
    papers_file, reviews_file = tables_of(Path(path))
    reading = _Reading(skip_bad_lines)
    papers = _papers(papers_file, reading)
    if not papers and not reading.skipped:
        raise InputError("holds no papers", file=papers_file, cure="add one record per line")
    reviews = _reviews(reviews_file, papers, reading)
    if not reviews and not reading.skipped:
        raise InputError("holds no reviews", file=reviews_file, cure="add one record per line")
    files = [papers_file, reviews_file, *reading.sources]
    return Collection(papers, reviews, reading.warnings, reading.skipped, files)


def read_papers(path: Path, *, skip_bad_lines: bool = False) -> Collection:
    """Papers without their reviews.

    Args:
        path: A folder with ``papers`` as ``.jsonl`` or ``.parquet``, or such a file.
        skip_bad_lines: As in `read_collection`.

    Raises:
        InputError: As in `read_collection`.
    """
    file = Path(path) if Path(path).is_file() else named_table(Path(path), "papers")
    reading = _Reading(skip_bad_lines)
    papers = _papers(file, reading)
    if not papers and not reading.skipped:
        raise InputError("holds no papers", file=file, cure="add one record per line")
    return Collection(papers, [], reading.warnings, reading.skipped, [file, *reading.sources])


def tables_of(path: Path) -> tuple[Path, Path]:
    """The files of papers and of reviews of a folder, or of one of the two.

    Raises:
        InputError: One is missing.
    """
    if path.is_file():
        for name, other in (("papers", "reviews"), ("reviews", "papers")):
            if path.suffix.lower() in _ENDINGS and path.stem.startswith(name):
                beside = named_table(path.parent, other + path.stem.removeprefix(name))
                return (path, beside) if name == "papers" else (beside, path)
        raise InputError("is neither papers nor reviews", file=path, cure=_CURE)
    if not path.is_dir():
        raise InputError("there is no such folder", file=path, cure=_CURE)
    return named_table(path, "papers"), named_table(path, "reviews")


def named_table(folder: Path, name: str) -> Path:
    """The file of papers or reviews in a folder.

    Raises:
        InputError: There is none, or there are several.
    """
    if (file := only_table(folder, name, _ENDINGS)) is not None:
        return file
    raise InputError(f"has no {name}.jsonl or {name}.parquet", file=folder, cure=_CURE)


class _Reading:
    """What accumulates while files are read."""

    def __init__(self, skip_bad_lines: bool) -> None:
        self.skip_bad_lines = skip_bad_lines
        self.warnings: list[str] = []
        self.skipped: list[InputError] = []
        self.sources: list[Path] = []

    def fault(self, error: InputError) -> None:
        """Leave a line out, or stop; what passes a bound never costs the others anything."""
        if not self.skip_bad_lines and not isinstance(error, TooLargeError):
            raise error
        self.skipped.append(error)

    def row(self, row: Row, kind: type[_RowT], file: Path, unknown: set[str]) -> _RowT:
        """A checked record.

        Raises:
            InputError: If the line is not a usable record.
        """
        if row.error is not None or row.record is None:
            raise row.error or InputError("is empty", file=file, line=row.line)
        unknown.update(str(name) for name in row.record if name not in _known(kind))
        try:
            return kind.model_validate(row.record)
        except ValidationError as error:
            raise input_error(error, file=file, line=row.line) from error

    def warn_of_unknown(self, unknown: set[str], file: Path) -> None:
        names = sorted(unknown - _NOT_WARNED)
        if names:
            self.warnings.append(f"{file}: unknown fields are ignored: {', '.join(names)}")


def _known(kind: type[BaseModel]) -> set[str]:
    return set(kind.model_fields) | {"fields"}


def _papers(file: Path, reading: _Reading) -> dict[str, PaperHandle]:
    shelf = Shelf.of(file)
    handles: dict[str, PaperHandle] = {}
    unknown: set[str] = set()
    for row in shelf.rows():
        if isinstance(row.error, TooLargeError) and row.paper_id and row.paper_id not in handles:
            handles[row.paper_id] = _unusable(row.paper_id, row)
            continue
        try:
            paper = reading.row(row, PaperRow, file, unknown)
            _check_paper(paper, handles, file, row.line)
        except InputError as error:
            reading.fault(error)
        else:
            if paper.source_file:
                reading.sources.append(file.parent / paper.source_file)
            raw = raw_paper(shelf, row, paper.paper_id)
            handles[paper.paper_id] = PaperHandle(
                paper.paper_id,
                paper.title,
                row.line,
                partial(_load, raw),
                in_file=paper.source_file is not None,
                raw=raw,
            )
    reading.warn_of_unknown(unknown, file)
    return handles


def _unusable(paper_id: str, row: Row) -> PaperHandle:
    """A paper that cannot be read: its reviews fail for this reason, each by itself."""

    def fail() -> NoReturn:
        assert row.error is not None
        raise row.error

    return PaperHandle(paper_id, None, row.line, fail, raw=fail)


def _load(raw: Callable[[], RawPaper]) -> Paper:
    return raw().paper()


def _check_paper(
    paper: PaperRow, handles: Mapping[str, PaperHandle], file: Path, line: int
) -> None:
    if paper.paper_id in handles:
        raise InputError(
            f"'{paper.paper_id}' is also on line {handles[paper.paper_id].line}",
            file=file,
            line=line,
            field="paper_id",
            cure="give every paper its own identifier",
        )
    if not paper.has_text and not paper.source_file:
        raise InputError(
            f"paper '{paper.paper_id}' has no text",
            file=file,
            line=line,
            field="text",
            cure="give `text`, `sections`, `file` or `pdf`",
        )
    if paper.source_file:
        _check_file(paper.source_file, "file" if paper.file else "pdf", file, line)


def _check_file(name: str, field: str, file: Path, line: int) -> None:
    """A file must be there and inside the folder: its text may be sent to a model."""
    path = file.parent / name
    try:
        inside = path.resolve().is_relative_to(file.parent.resolve())
        there = path.is_file()
    except (OSError, RuntimeError) as error:  # too long a name; links in a circle
        raise InputError(
            f"'{name}' cannot be read: {error}", file=file, line=line, field=field
        ) from error
    if not inside:
        raise InputError(
            f"'{name}' is outside of the folder",
            file=file,
            line=line,
            field=field,
            cure="put it into the folder",
        )
    if not there:
        raise InputError(
            f"there is no file '{name}'",
            file=file,
            line=line,
            field=field,
            cure="give a path relative to the folder",
        )


def _reviews(file: Path, papers: Mapping[str, PaperHandle], reading: _Reading) -> Shelved[Review]:
    reviews = Shelved[Review]()
    lines: dict[str, int] = {}
    counts: Counter[str] = Counter()
    unknown: set[str] = set()
    most = in_force().max_reviews_per_paper
    for row in Shelf.of(file).rows():
        try:
            record = reading.row(row, ReviewRow, file, unknown)
            _check_review(record, papers, lines, file, row.line)
            counts[record.paper_id] += 1
            if counts[record.paper_id] > most:
                lines[record.review_id] = row.line
                continue
            review, notes = _placed(record, file, row.line)
        except InputError as error:
            reading.fault(error)
        else:
            lines[review.review_id] = row.line
            reviews.append(review)
            reading.warnings.extend(notes)
    reading.warn_of_unknown(unknown, file)
    if max(counts.values(), default=0) > most:
        reviews.keep(lambda one: counts[one.paper_id] <= most)
    for paper_id, count in counts.items():
        if count > most:
            reading.fault(too_many_reviews(paper_id, count, file))
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
        raise InputError(
            f"'{review.review_id}' is also on line {lines[review.review_id]}",
            file=file,
            line=line,
            field="review_id",
            cure="give every review its own identifier",
        )
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
    paper_path, reading = Path(paper_path), _Reading(skip_bad_lines=False)
    unread: list[InputError] = []
    files = review_files(map(Path, given), paper_path, reading.warnings, unread)
    paper = load_paper(paper_path, year=year)
    known = {paper.paper_id: PaperHandle(paper.paper_id, paper.title, 1, lambda: paper)}
    reviews: dict[str, tuple[Review, Path]] = {}
    answers = responses(files, unread)
    for file, name in {**review_names(files), **(names or {})}.items():
        if is_response(file):
            continue
        try:
            found = _reviews_of_file(file, name, known, reading, answers.get(file), unread)
            if len(found) == 1 and holds_paper("\n".join(found[0].fields.values()), paper.text):
                raise InputError(
                    "holds the text of the paper, not a review", file=file, cure="leave it out"
                )
            for review in found:
                if review.review_id in reviews:
                    raise InputError(
                        f"'{review.review_id}' is also in {reviews[review.review_id][1]}",
                        file=file,
                        field="review_id",
                        cure="give every review its own identifier",
                    )
        except InputError as error:
            unread.append(error)
            continue
        reviews |= {review.review_id: (review, file) for review in found}
        if any(sum(map(len, review.fields.values())) > len(paper.text) for review in found):
            reading.warnings.append(f"{file}: is longer than the paper; were they swapped?")
    if not reviews:
        raise _nothing_usable(unread)
    used = dict.fromkeys(
        one for _, file in reviews.values() for one in (file, answers.get(file)) if one is not None
    )
    if len(reviews) > in_force().max_reviews_per_paper:
        raise too_many_reviews(paper.paper_id, len(reviews), next(iter(used)))
    return Collection(
        known,
        [review for review, _ in reviews.values()],
        reading.warnings,
        files=[paper_path, *used],
        pair=(paper_path, *files),
        year=year,
        unread=unread,
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
    reading = _Reading(skip_bad_lines=False)
    found = _reviews_of_file(path, name, {paper_id: handle}, reading, None, [])
    if len(found) > 1:
        raise InputError(
            f"holds {len(found):,} reviews",
            file=path,
            cure="give the folder of papers.jsonl and reviews.jsonl as data, and one's identifier",
        )
    return found[0]


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
        known[paper.paper_id] = PaperHandle(paper.paper_id, paper.title, 1, partial(_same, paper))
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
    sums = [hash_text(f"paper {one.paper_id}", one.model_dump_json()) for one in papers]
    sums.append(hash_text("reviews", "\n".join(one.model_dump_json() for one in reviews)))
    return Collection(known, list(reviews), records=sums)


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
    reading: _Reading,
    response: Path | None,
    unread: list[InputError],
) -> list[Review]:
    """All reviews of a file; `name` is the identifier of one that has none.

    A response that cannot be used is `unread`; the review is read without it.
    """
    (paper_id,) = papers
    reviews: list[Review] = []
    lines: dict[str, int] = {}
    unknown: set[str] = set()
    warnings: list[str] = []
    rows = _review_rows(file, name, paper_id, warnings)
    if response is not None:
        try:
            rows = [_with_response(rows, file, response, warnings)]
        except InputError as error:
            unread.append(error)
    for row in rows:
        record = reading.row(row, ReviewRow, file, unknown)
        _check_review(record, papers, lines, file, row.line)
        review, notes = _placed(record, file, row.line)
        lines[review.review_id] = row.line
        reviews.append(review)
        warnings += notes
    if not reviews:
        raise InputError("is empty", file=file, cure="write the review into it")
    reading.warnings += warnings
    reading.warn_of_unknown(unknown, file)
    return reviews


def _with_response(rows: Sequence[Row], file: Path, response: Path, warnings: list[str]) -> Row:
    """The one record of a review file with the authors' response that lies beside it.

    Raises:
        InputError: The response cannot be used, or it is not known to which review it belongs.
    """
    if response.suffix.lower() in (".json", ".jsonl"):
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
    content = read_content(response, of="response")
    if unseen := left_out(content.unseen):
        warnings.append(f"{response}: {unseen}")
    return replace(row, record=row.record and {**row.record, "author_response": content.text})


def _review_rows(path: Path, stem: str, paper_id: str, warnings: list[str]) -> list[Row]:
    """The records of a review file, identifiers filled in where they are missing."""
    suffix = path.suffix.lower()
    if suffix == ".jsonl":
        rows = list(Shelf.of(path).rows())
    elif suffix == ".json":
        text = read_text(path)
        rows = [Row(1, 0, decode(text.encode(), path, 1))] if text.strip() else []
    else:
        content = read_content(path, of="review")
        rows = [Row(1, 0, {"text": content.text})]
        if unseen := left_out(content.unseen):
            warnings.append(f"{path}: {unseen}")
    several = len(rows) > 1
    named = {str(row.record.get("paper_id")) for row in rows if row.record is not None}
    override = {"paper_id": paper_id} if len(named) == 1 else {}
    filled: list[Row] = []
    for row in rows:
        name = f"{stem}-{row.line}" if several else stem
        record = row.record
        if record is not None:
            record = {"review_id": name, "paper_id": paper_id, **record, **override}
        filled.append(Row(row.line, row.offset, record, row.error))
    return filled
