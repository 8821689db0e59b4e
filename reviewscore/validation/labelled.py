"""Labelled sets: remarks whose truth somebody said, each as a review of its own that is judged.

Papers are laid out in a temporary file and read again one by one, so that a set of a thousand
papers is never held in memory.
"""

from __future__ import annotations

import json
import os
import tempfile
import weakref
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from reviewscore.errors import InputError
from reviewscore.files import TEMPORARY, hash_text
from reviewscore.papers.load import PaperRow
from reviewscore.schema.confidentiality import Permission
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.review import Review
from reviewscore.sources.collection import Collection
from reviewscore.sources.lazy_papers import handle_of, raw_paper
from reviewscore.sources.records import RecordFile, RecordRow
from reviewscore.validation.judgments import RemarkOutcome, RunOutcomes, TrialState
from reviewscore.validation.versions import Lots


@dataclass(frozen=True)
class SetKind:
    """A kind of labelled set, and the words of its page.

    Attributes:
        name: As ``--on`` takes it.
        title: What it is called.
        misinformed: What its misinformed remarks are.
        fair: What its fair ones are.
        seen: What judges see of a paper.
        labels: Who says what is true.
        licence: Under which licence it is passed on, as far as that could be looked up.
        bounds: What its figures do not say.
        public: Whether a model may have been trained on it.
    """

    name: str
    title: str
    misinformed: str
    fair: str
    seen: str
    labels: str
    licence: str
    bounds: str
    public: bool = True


@dataclass(frozen=True)
class LabelledTrial:
    """A remark as a review of its own, and what is true of it.

    Attributes:
        review_id: The review that holds it.
        name: Its name in the set.
        paper_id: Its paper's name in the set.
        misinformed: Whether the labels call it misinformed; else it is fair.
        part: Which part of the set it is of.
    """

    review_id: str
    name: str
    paper_id: str
    misinformed: bool
    part: str


@dataclass(frozen=True)
class LabelledTrials:
    """What is judged, and what each judgment should be.

    Attributes:
        kind: The set.
        trials: All trials, in the order of their reviews.
        collection: Their papers and reviews.
        excluded: Remarks that are in no figure, by the reason.
        faults: What could not be used, each with file, line, field and cure.
        inputs: The files that were read.
        notes: What must be said of the labels.
    """

    kind: SetKind
    trials: tuple[LabelledTrial, ...]
    collection: Collection
    excluded: dict[str, int]
    faults: tuple[InputError, ...]
    inputs: tuple[Path, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class JudgedRemark(RemarkOutcome):
    """A remark and what came of it.

    Attributes:
        trial: The remark.
        state: What came of it.
        points: The points that it was split into, in its order.
    """

    trial: LabelledTrial
    state: TrialState
    points: tuple[PointScore, ...]


def judged_remarks(
    trials: Sequence[LabelledTrial], run: Path, *, complete: bool
) -> tuple[JudgedRemark, ...]:
    """What a run made of labelled remarks, in their order.

    Args:
        trials: The remarks.
        run: The run folder.
        complete: Whether the run's last session came to its end.

    Raises:
        RunFolderError: A record cannot be read.
    """
    outcomes = RunOutcomes.of(run, complete=complete)
    return tuple(
        JudgedRemark(
            trial, *outcomes.of_points(trial.review_id, outcomes.points.get(trial.review_id, []))
        )
        for trial in trials
    )


@dataclass
class SetReading:
    """What has been read of a labelled set.

    Attributes:
        kind: The set.
        seed: Of the names of papers and reviews, which tell a judge nothing.
        may: What the judge may read.
        inputs: The files.
        excluded: Remarks that are left out, by the reason.
        faults: What could not be used.
        notes: What must be said of the labels.
    """

    kind: SetKind
    seed: int
    may: Permission = field(default_factory=Permission)
    inputs: list[Path] = field(default_factory=list)
    excluded: Counter[str] = field(default_factory=Counter)
    faults: list[InputError] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._papers = _PaperFile(self.seed)
        self._reviews: dict[str, Review] = {}
        self._trials: dict[str, LabelledTrial] = {}

    def has_paper(self, paper: str) -> bool:
        """Whether a paper was given."""
        return paper in self._papers

    def add_paper(self, paper: str, title: str | None, text: str) -> None:
        """Keep a paper; the same one may come again.

        Args:
            paper: Its name in the set.
            title: Its title.
            text: Its text.

        Raises:
            InputError: It has no text, or another one than before.
        """
        self._papers.add(paper, title, text)

    def add(
        self,
        name: str,
        paper: str,
        text: str,
        *,
        misinformed: bool,
        question: bool = False,
        part: str = "",
    ) -> None:
        """Keep a remark with its truth.

        Args:
            name: Its name in the set.
            paper: Its paper's name in the set.
            text: Its words.
            misinformed: Whether the labels call it misinformed.
            question: Whether it asks; else it states something.
            part: Which part of the set it is of.

        Raises:
            InputError: Its name was there before, its paper is not given, or it has no words.
        """
        if not text.strip():
            raise InputError(f"'{name}' has no words")
        if paper not in self._papers:
            raise InputError(f"there is no paper '{paper}'", cure="name its file too")
        review_id = Lots(self.seed).name("review", name)
        if review_id in self._trials:
            raise InputError(f"'{name}' was there before", cure="keep one of the two")
        box = "questions" if question else "weaknesses"
        self._reviews[review_id] = Review(
            review_id=review_id, paper_id=self._papers.name(paper), fields={box: text}
        )
        self._trials[review_id] = LabelledTrial(review_id, name, paper, misinformed, part)

    @contextmanager
    def noting(self, file: Path, line: int | None = None) -> Iterator[None]:
        """Notes what is wrong with a record, with its place, so that the others are still read."""
        try:
            yield
        except InputError as error:
            if error.file is None:
                error = InputError(
                    error.problem, file=file, line=line, field=error.field, cure=error.cure
                )
            self.faults.append(error)

    def trials(self) -> LabelledTrials:
        """All that can be judged, in drawn order.

        Raises:
            InputError: There is nothing.
        """
        if not self._trials:
            if self.faults:
                raise self.faults[0]
            left = "; ".join(f"{why}: {count:,}" for why, count in self.excluded.items())
            raise InputError(
                f"the files hold no labelled remark that can be judged{left and f' ({left})'}",
                file=self.inputs[0] if len(self.inputs) == 1 else None,
                cure="docs/reference/formats/labelled.md tells the formats of --on",
            )
        names = sorted(self._trials)
        reviews = [self._reviews[name] for name in names]
        used = {review.paper_id for review in reviews}
        return LabelledTrials(
            kind=self.kind,
            trials=tuple(self._trials[name] for name in names),
            collection=self._papers.collection(used, reviews),
            excluded=dict(sorted(self.excluded.items())),
            faults=tuple(self.faults),
            inputs=tuple(self.inputs),
            notes=tuple(self.notes),
        )


class _PaperFile:
    """Papers in a temporary file that goes with the last that can read it."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        handle, name = tempfile.mkstemp(prefix=TEMPORARY, suffix=".jsonl")
        os.close(handle)
        self._records, self._size = RecordFile(Path(name), Path(name)), 0
        weakref.finalize(self._records, Path(name).unlink, missing_ok=True)
        self._numbers: dict[str, int] = {}
        self._offsets = array("q")
        self._sums: list[str] = []

    def __contains__(self, paper: str) -> bool:
        return paper in self._numbers

    def name(self, paper: str) -> str:
        """The name under which a paper is judged."""
        return Lots(self._seed).name("paper", paper)

    def add(self, paper: str, title: str | None, text: str) -> None:
        """Write a paper, or see that it is the one that is there already."""
        if not text.strip():
            raise InputError(f"paper '{paper}' has no text", cure="give its text")
        sha256 = hash_text("paper", text).sha256
        if (number := self._numbers.get(paper)) is not None:
            if self._sums[number] != sha256:
                raise InputError(
                    f"paper '{paper}' has another text than before", cure="give it once"
                )
            return
        self._numbers[paper] = len(self._sums)
        self._offsets.append(self._size)
        self._sums.append(sha256)
        row = {"paper_id": self.name(paper), "title": title or None, "text": text}
        line = json.dumps(row, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
        with self._records.lines.open("ab") as out:
            self._size += out.write(line)

    def collection(self, used: set[str], reviews: Sequence[Review]) -> Collection:
        """The papers that reviews are of, as handles, with the reviews."""
        papers, sums = {}, []
        for paper, number in sorted(self._numbers.items(), key=lambda pair: self.name(pair[0])):
            if (name := self.name(paper)) in used:
                row = RecordRow(number + 1, self._offsets[number], None)
                raw = raw_paper(self._records, row, name)
                papers[name] = handle_of(PaperRow(paper_id=name), raw, row.line)
                sums.append(hash_text(f"paper {name}", self._sums[number]))
        words = "\n".join(review.model_dump_json() for review in reviews)
        return Collection(papers, list(reviews), records=[*sums, hash_text("reviews", words)])
