"""Where a run's points, papers and reviews lie in their files, so that one paper's are read alone.

A run of half a million points is not read for a page of twelve papers: their places are kept in the
run folder, and hold for as long as the files stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from functools import cached_property
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, Field, ValidationError

from reviewscore.errors import InputError, RunFolderError
from reviewscore.files import read_whole, write_whole
from reviewscore.runs.folder import (
    POINTS,
    changed_records,
    manifest_of,
    parsed_lines,
    points_by_offset,
    read_manifest,
)
from reviewscore.runs.input_data import check_files, data_again, folder_again
from reviewscore.runs.manifest import Manifest
from reviewscore.schema.paper import Paper
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.record import Record, storable
from reviewscore.schema.review import Review
from reviewscore.sources.collection import Collection, tables_of
from reviewscore.sources.lazy_papers import RawPaper, raw_paper
from reviewscore.sources.records import RecordFile, RecordRow, as_model
from reviewscore.sources.reviews import ReviewRow, build_review, is_paper_folder, with_boxes

OFFSETS = "paper_offsets.json"
"""Kept in the run folder; it holds ids and numbers, and may be taken away at any time."""
_JSONL = ".jsonl"


class PaperOffsets(Record):
    """The places of a run's points, and of the records of its papers and reviews.

    Attributes:
        data: The folder of papers and reviews; None if it was not found, or holds no JSONL.
        states: Size, time of the last change (nanoseconds) and number of each file that was read.
        points: Offsets of the points, by paper and review.
        papers: Line and offset of each paper's record.
        reviews: Line and offset of each review's record.
        none_papers: Papers whose consent is ``none``.
        none_reviews: Reviews whose own consent is ``none``.
    """

    schema_id: Literal["reviewscore.paper-offsets/2"] = Field(
        default="reviewscore.paper-offsets/2", alias="schema"
    )
    data: str | None = None
    states: dict[str, tuple[int, int, int]]
    points: dict[str, dict[str, list[int]]]
    papers: dict[str, tuple[int, int]] = Field(default_factory=dict)
    reviews: dict[str, tuple[int, int]] = Field(default_factory=dict)
    none_papers: frozenset[str] = Field(default=frozenset(), strict=False)
    none_reviews: frozenset[str] = Field(default=frozenset(), strict=False)

    def holds(self, data: Path | None) -> bool:
        """Whether all files are as they were, and papers lie where they are asked for."""
        same = data is None or storable(str(data.resolve())) == self.data
        return (
            same
            and self._knows_its_tables()
            and all(_state(Path(name)) == state for name, state in self.states.items())
        )

    def _knows_its_tables(self) -> bool:
        """Whether the state of each table was noted: else a stranger's note could name any."""
        try:
            tables = () if self.data is None else tables_of(Path(self.data))
        except InputError:
            return False
        return all(str(file.resolve()) in self.states for file in tables)


class _PointPlace(BaseModel):
    """What a line of points belongs to."""

    paper_id: str
    review_id: str


class RunByPaper:
    """A run, read paper by paper.

    Args:
        run: The run folder.
        data: Folder of its papers and reviews; where they lay if not given.
        checked: Whether that folder must hold the very files that the run was made of.
        accept_changed: Go on with records that something else has changed.

    Attributes:
        path: The run folder.
        manifest: What the run was made with.
        changed: Names of its files of records that something else has changed.

    Raises:
        RunFolderError: The run cannot be read, or its records were changed.
        InputError: The named folder cannot be read, or holds other files.
    """

    def __init__(
        self,
        run: Path,
        data: Path | None = None,
        *,
        checked: bool = True,
        accept_changed: bool = False,
    ) -> None:
        self.path, self._data, self._accept = run, data, accept_changed
        kept = _kept(run)
        self.manifest = manifest_of(run)
        self.changed = self.manifest.changed
        if kept is not None and not self.changed and kept.holds(data):
            self._places = kept
            return
        self.manifest = read_manifest(run, accept_changed=accept_changed)
        self.changed = changed_records(run, self.manifest)
        self._places = _places(run, self.manifest, data, checked=checked)
        if not (self.changed or self.manifest.growing):
            with suppress(RunFolderError):  # a run that may be read alone is read whole again
                write_whole(run / OFFSETS, self._places.model_dump_json() + "\n")

    @property
    def reviews_by_paper(self) -> dict[str, tuple[str, ...]]:
        """The reviews of each paper that have points, in the order of the run."""
        return {name: tuple(reviews) for name, reviews in self._places.points.items()}

    def in_data(self, review_id: str) -> bool:
        """Whether the data hold a review now, as far as they are at hand and lie in JSONL."""
        return self._places.data is None or review_id in self._places.reviews

    def is_refused(self, review_id: str, paper_id: str) -> bool:
        """Whether a review or its paper says now that nobody may judge it (`none`)."""
        return review_id in self._places.none_reviews or paper_id in self._places.none_papers

    def points(self, paper_id: str, review_id: str | None = None) -> list[PointScore]:
        """The points of a paper or of one of its reviews, reviews one after another.

        Raises:
            RunFolderError: They are not where they were.
        """
        reviews = self._places.points.get(paper_id, {})
        wanted = sorted(reviews) if review_id is None else [review_id]
        scores = []
        with points_by_offset(self.path) as read:
            for name in wanted:
                found = [_read(read, offset, self.path) for offset in reviews.get(name, ())]
                scores += sorted(found, key=lambda score: score.ordinal)
        if any(score.paper_id != paper_id or score.review_id not in wanted for score in scores):
            raise _stale(self.path)
        return scores

    def title(self, paper_id: str) -> str | None:
        """A paper's title as it was given; None if it is not at hand."""
        if self._collection is not None:
            handle = self._collection.papers.get(paper_id)
            return None if handle is None else handle.title
        return self._raw(paper_id).row.title if paper_id in self._places.papers else None

    def paper(self, paper_id: str) -> Paper:
        """A paper.

        Raises:
            KeyError: It is not at hand.
            InputError: It cannot be read.
        """
        if self._collection is not None:
            return self._collection.paper_unchecked(paper_id)
        return self._raw(paper_id).paper(doubts=False)

    def pdf(self, paper_id: str) -> AbstractContextManager[Path | None]:
        """A paper's PDF as a file, for a while; None if it has none in the folder of its data.

        Raises:
            KeyError: The paper is not at hand.
            InputError: Its PDF cannot be looked up, or is outside of that folder.
        """
        if self._collection is not None:
            return self._collection.papers[paper_id].pdf()
        return self._raw(paper_id).pdf()

    def review(self, review_id: str) -> Review:
        """A review.

        Raises:
            KeyError: It is not at hand.
            InputError: It cannot be read.
        """
        if self._collection is not None:
            return self._collection.review(review_id)
        line, offset = self._places.reviews[review_id]
        _, records = self._tables
        row = with_boxes(RecordRow(line, offset, records.fetch(offset, line)))
        review, _ = build_review(as_model(row, ReviewRow, records.file))
        if review.review_id != review_id:
            raise _stale(self.path)
        return review

    def _raw(self, paper_id: str) -> RawPaper:
        line, offset = self._places.papers[paper_id]
        return raw_paper(self._tables[0], RecordRow(line, offset, None), paper_id)()

    @cached_property
    def _tables(self) -> tuple[RecordFile, RecordFile]:
        papers, reviews = tables_of(Path(self._places.data or ""))
        return RecordFile.of(papers), RecordFile.of(reviews)

    @cached_property
    def _collection(self) -> Collection | None:
        """Papers and reviews that lie in no JSONL."""
        if self._places.data is not None:
            return None
        return data_again(self.path, self._data, accept_changed=self._accept).collection


def _read(read: Callable[[int], PointScore], offset: int, run: Path) -> PointScore:
    try:
        return read(offset)
    except ValidationError as error:
        raise _stale(run) from error


def _stale(run: Path) -> RunFolderError:
    return RunFolderError(f"{run / OFFSETS} does not fit the run; take it away and try again")


def _kept(run: Path) -> PaperOffsets | None:
    """What was kept; None if there is nothing that can be used."""
    try:
        return PaperOffsets.model_validate_json(read_whole(run / OFFSETS) or b"")
    except ValidationError:
        return None


def _state(file: Path) -> tuple[int, int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns, found.st_ino


def _places(run: Path, manifest: Manifest, data: Path | None, *, checked: bool) -> PaperOffsets:
    points: dict[str, dict[str, list[int]]] = {}
    offset = 0
    states = {str((run / POINTS).resolve()): _state(run / POINTS)}
    for raw, place in parsed_lines(run / POINTS, _PointPlace.model_validate_json):
        points.setdefault(place.paper_id, {}).setdefault(place.review_id, []).append(offset)
        offset += len(raw)
    folder = folder_again(run, manifest) if data is None else data
    found: list[dict[str, tuple[int, int]]] = []
    none: list[frozenset[str]] = []
    tables = () if folder is None or is_paper_folder(folder) else tables_of(folder)
    if checked and data is not None:
        check_files(tables, manifest.inputs_sha256, data)
    if any(file.suffix.lower() != _JSONL for file in tables):
        tables = ()
    for file, name in zip(tables, ("paper_id", "review_id"), strict=False):
        states[str(file.resolve())] = _state(file)
        rows = [
            (str(row.record[name]), (row.line, row.offset), row.record.get("consent"))
            for row in RecordFile.of(file).rows()
            if row.record is not None and name in row.record
        ]
        found.append({row_id: place for row_id, place, _ in rows})
        none.append(frozenset(row_id for row_id, _, consent in rows if consent == "none"))
    papers, reviews = found or ({}, {})
    none_papers, none_reviews = none or (frozenset[str](), frozenset[str]())
    known = {name: state for name, state in states.items() if state is not None}
    where = storable(str(folder.resolve())) if folder is not None and tables else None
    return PaperOffsets(
        data=where,
        states=known,
        points=points,
        papers=papers,
        reviews=reviews,
        none_papers=none_papers,
        none_reviews=none_reviews,
    )
