"""Works that the reviews of a run name, and reviews that repeat a canary, as files of the run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from reviewscore.errors import InputError
from reviewscore.files import opened, read_lines, write_whole
from reviewscore.papers.canaries import Canaries
from reviewscore.papers.references import in_references, references_of
from reviewscore.points.cited_works import cited_works
from reviewscore.runs.folder import CANARIES, REFERENCES, parsed_lines
from reviewscore.schema.cited_work import CitedWork, ListedWork, Listing, WorkRecord
from reviewscore.schema.record import Record
from reviewscore.schema.review import Review
from reviewscore.schema.span import Span
from reviewscore.sources.collection import Collection

LookUp = Callable[[CitedWork], Awaitable[Listing]]
_ASKED_AT_ONCE = 100
"""Works that are looked up before what came of them is written down."""
_ELSEWHERE = (Listing.NOT_FOUND, Listing.AMBIGUOUS, Listing.NO_LIST, Listing.UNKNOWN)


class RepeatedCanary(Record):
    """A review that repeats a canary: a line of ``canaries.jsonl``, for the program chairs alone.

    Attributes:
        review_id: The review.
        paper_id: The paper reviewed.
        line: Line of the canary in the venue's file.
        words: The words that repeat it, verbatim.
        span: Where they stand.
    """

    review_id: str
    paper_id: str
    line: int
    words: str
    span: Span


def works_of(run: Path) -> Iterator[WorkRecord]:
    """The works that the reviews of a run name; none if nobody looked.

    Raises:
        RunFolderError: A line is no such record; names file and line.
    """
    for _, record in parsed_lines(run / REFERENCES, WorkRecord.model_validate_json):
        yield record


async def write_references(
    run: Path,
    collection: Collection,
    reviews: Sequence[Review],
    look_up: LookUp | None = None,
    *,
    private: frozenset[str] = frozenset(),
) -> None:
    """Write which works reviews name and whether their papers list them.

    Lines of other reviews of the collection stay as they are.

    Args:
        run: The run folder.
        collection: Its papers.
        reviews: The reviews that are read.
        look_up: Says of a work that a paper does not surely list whether it is known elsewhere.
            It is not asked again about works of which the run's file says so.
        private: Reviews of which nothing may leave this machine: their works are not looked up.

    Raises:
        RunFolderError, StopError: The file cannot be read or written.
    """
    asked = {_key(one.work): one.outside for one in works_of(run) if one.outside is not None}
    asked = {key: state for key, state in asked.items() if state is not Listing.UNKNOWN}
    chosen = {review.review_id for review in reviews}
    others = {review.review_id for review in collection.reviews} - chosen
    kept = [one for one in works_of(run) if one.review_id in others]
    by_paper: dict[str, list[Review]] = {}
    for review in reviews:
        by_paper.setdefault(review.paper_id, []).append(review)
    _write(run, chain(kept, _found(collection, by_paper)), asked)
    if look_up is None:
        return
    lacking: dict[str, CitedWork] = {}
    for one in works_of(run):
        if one.review_id in private:
            continue
        if one.outside is None and one.in_paper.listing in _ELSEWHERE:
            lacking.setdefault(_key(one.work), one.work)
    works = list(lacking.items())
    for start in range(0, len(works), _ASKED_AT_ONCE):
        for key, work in works[start : start + _ASKED_AT_ONCE]:
            asked[key] = await look_up(work)
        _write(run, works_of(run), asked)


def _found(
    collection: Collection, by_paper: Mapping[str, Sequence[Review]]
) -> Iterator[WorkRecord]:
    for paper_id, reviews in by_paper.items():
        try:
            paper = collection.paper_unchecked(paper_id)
        except InputError:
            paper = None  # its points say why
        references = () if paper is None else references_of(paper)
        title = "" if paper is None else paper.title
        for review in reviews:
            for work in cited_works(review, references=references, title=title):
                listed = ListedWork(listing=Listing.UNKNOWN)
                if paper is not None:
                    listed = in_references(work, references, paper)
                yield WorkRecord(
                    review_id=review.review_id, paper_id=paper_id, work=work, in_paper=listed
                )


def _write(run: Path, records: Iterable[WorkRecord], asked: Mapping[str, Listing]) -> None:
    """Write records with what was found outside, as far as that is known and wanted.

    There is no file where no review names a work.
    """
    lines = (
        record.model_copy(update={"outside": asked.get(_key(record.work), record.outside)})
        if record.in_paper.listing in _ELSEWHERE
        else record
        for record in records
    )
    raw = (f"{line.model_dump_json()}\n".encode() for line in lines)
    first = next(raw, b"")
    if first or (run / REFERENCES).exists():
        write_whole(run / REFERENCES, chain((first,), raw))


def _key(work: CitedWork) -> str:
    """What tells works apart that are looked up."""
    return work.model_copy(update={"mentions": (), "words": "", "number": None}).model_dump_json()


class WorksByReview:
    """Works by the review that names them; each is read when it is asked for.

    Args:
        run: The run folder.
    """

    def __init__(self, run: Path) -> None:
        self._file = run / REFERENCES
        self._places: dict[str, list[int]] = {}
        for (offset, _), record in zip(read_lines(self._file), works_of(run), strict=False):
            self._places.setdefault(record.review_id, []).append(offset)

    def __call__(self, review_id: str) -> tuple[WorkRecord, ...]:
        """The works that a review names."""
        places = self._places.get(review_id)
        if not places:
            return ()
        with opened(self._file) as file:
            records = []
            for place in places:
                file.seek(place)
                records.append(WorkRecord.model_validate_json(file.readline()))
        return tuple(records)


def write_canaries(run: Path, reviews: Sequence[Review], canaries: Canaries) -> int:
    """Write which reviews repeat a canary, to a file that its owner alone can read.

    Returns:
        How many reviews do.

    Raises:
        RunFolderError, StopError: It cannot be written.
    """
    found: dict[tuple[str, int], RepeatedCanary] = {}
    for review in reviews:
        for name, text in review.fields.items():
            for line, start, end in canaries.repeated(text):
                span = Span(field=name, start=start, end=end)
                record = RepeatedCanary(
                    review_id=review.review_id, paper_id=review.paper_id, line=line,
                    words=text[start:end], span=span,
                )  # fmt: skip
                found.setdefault((review.review_id, line), record)
    lines = (f"{record.model_dump_json()}\n".encode() for record in found.values())
    write_whole(run / CANARIES, lines, private=True)
    return len({review_id for review_id, _ in found})
