"""Reviews of planted points, each about two versions of its paper: with the answer and without.

The points of a paper are the bullets of reviews, in an order that is drawn; a review is about one
of the two versions of its paper (`versions`), so that no judge meets both together. Names are drawn
by a seed too and say nothing of paper, point or version; the order is that of the names.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from reviewscore.errors import InputError
from reviewscore.papers.load import load_paper
from reviewscore.schema.paper import Paper
from reviewscore.schema.planted_point import PlantedForm, PlantedPoint
from reviewscore.schema.review import Review
from reviewscore.schema.span import Span
from reviewscore.sources.collection import (
    Collection,
    of_file,
    of_records,
    read_collection,
    read_papers,
)
from reviewscore.sources.lazy_papers import PaperHandle
from reviewscore.sources.records import ENDINGS
from reviewscore.sources.reviews import is_paper_folder
from reviewscore.validation.leaks import leaks
from reviewscore.validation.planted import PlantedPoints
from reviewscore.validation.variations import (
    INJECTIONS,
    POSITIONS,
    AskedRemark,
    Variation,
    VariedReview,
    can_move,
    elsewhere,
    injected,
    reworded,
)
from reviewscore.validation.versions import JointVersion, Lots, as_judged, joint_versions

ITEMS = "planted.jsonl"
"""Planted points beside the papers of a folder."""
INVENTED = "examples/validate"
"""Source of the points that ship to try it; what they say of a judge is not kept."""
MOST_REMARKS = 8
"""Remarks of a review; a paper with more of them has several reviews."""


@dataclass(frozen=True)
class PlantedTrial:
    """A planted point in one version of a paper, and what is true of it there.

    Attributes:
        review_id: The review that holds its remark.
        span: Where the remark stands in it.
        point: The planted point.
        misinformed: Whether it is misinformed there; else it is fair.
        answers: Where its answers stand in the text of that version; none if it is fair there.
        characters: Length of the whole paper that the point is about.
        variation: What is otherwise than in the trial that figures rest on; None of that one.
        push: What text that addresses the model wants it to be judged: misinformed, or not.
    """

    review_id: str
    span: Span
    point: PlantedPoint
    misinformed: bool
    answers: tuple[tuple[int, int], ...]
    characters: int
    variation: Variation | None = None
    push: bool | None = None


@dataclass(frozen=True)
class PlantedTrials:
    """What is judged, and what each judgment should be.

    Attributes:
        trials: All trials, in the order of their reviews and places in them.
        collection: Their papers and reviews.
        left_out: Why points are in no figure, each with its cure.
        refuted: Points of which the verifier denies a truth; they are in no figure either.
    """

    trials: tuple[PlantedTrial, ...]
    collection: Collection
    left_out: tuple[InputError, ...]
    refuted: int


def planted_trials(
    points: PlantedPoints,
    papers: Mapping[str, PaperHandle],
    *,
    seed: int,
    also: Container[Variation] = (),
) -> PlantedTrials:
    """Two trials of each planted point; of one that is about a paper not given, a single one.

    Args:
        points: The planted points of a file, with the faults of its lines.
        papers: The papers by identifier.
        seed: Of names and of their order.
        also: Variations that are asked beside these trials.

    Raises:
        InputError: No point can be judged.
    """
    made = _Trials(papers, Lots(seed), also)
    left_out = list(points.faults)
    for point in points.points:
        try:
            if not point.refuted:
                made.take(point)
        except InputError as error:
            left_out.append(error)
    for paper_id in sorted(made.whole):
        try:
            made.judge(paper_id)
        except InputError as error:
            left_out.append(error)
    if not made.trials:
        if left_out:
            raise left_out[0]
        raise InputError(
            "no planted point can be judged: the verifier denies a truth of each",
            cure="give others",
        )
    reviews = [made.reviews[name] for name in sorted(made.reviews)]
    versions = [made.versions[name] for name in sorted(made.versions)]
    return PlantedTrials(
        trials=tuple(trial for review in reviews for trial in made.trials[review.review_id]),
        collection=of_records(versions, reviews),
        left_out=tuple(left_out),
        refuted=sum(point.refuted for point in points.points),
    )


def items_of(places: Sequence[Path]) -> Path:
    """The file of planted points that lies beside the papers of a folder.

    Args:
        places: As of `papers_of`.

    Raises:
        InputError: There is none, or there are several.
    """
    files = [file for place in places if (file := place / ITEMS).is_file()]
    if len(files) != 1:
        several = f"several places hold {ITEMS}" if files else "no planted points are given"
        cure = "name the file with --items, or a model that writes them with --writer"
        raise InputError(several, cure=cure)
    return files[0]


def papers_of(places: Sequence[Path]) -> dict[str, PaperHandle]:
    """The papers of several places by identifier; none is read yet.

    Args:
        places: Folders with papers as `audit` reads them, files of records, or single papers.

    Raises:
        InputError: A place cannot be read, or two have a paper of one identifier.
    """
    papers: dict[str, PaperHandle] = {}
    for place in places:
        for paper_id, handle in _papers_in(place).items():
            if paper_id in papers:
                raise InputError(f"'{paper_id}' is also in a place named before", file=place)
            papers[paper_id] = handle
    return papers


def _papers_in(place: Path) -> Mapping[str, PaperHandle]:
    if is_paper_folder(place):
        return read_collection(place).papers
    if place.is_dir() or place.suffix.lower() in ENDINGS:
        return read_papers(place).papers
    paper = load_paper(place)
    return {paper.paper_id: of_file(paper)}


class _Trials:
    """Collects versions, reviews and trials."""

    def __init__(
        self, papers: Mapping[str, PaperHandle], lots: Lots, also: Container[Variation]
    ) -> None:
        self._papers, self._lots, self._also = papers, lots, also
        self._own: dict[str, list[PlantedPoint]] = defaultdict(list)
        self._foreign: dict[str, list[tuple[PlantedPoint, bool]]] = defaultdict(list)
        self.whole: dict[str, Paper] = {}
        self.versions: dict[str, Paper] = {}
        self.reviews: dict[str, Review] = {}
        self.trials: dict[str, list[PlantedTrial]] = {}

    def take(self, point: PlantedPoint) -> None:
        """Take a point that can be judged.

        Raises:
            InputError: Its paper is not given or another one, or a check stops at it.
        """
        paper = self._paper(point.paper_id)
        certain = next(iter(leaks(paper, point, certain=True)), None)
        if certain is not None:
            raise InputError(f"'{point.id}': {certain.problem}", cure="mend the point")
        if point.fair_about is None:
            self._own[point.paper_id].append(point)
            return
        self._foreign[point.paper_id].append((point, True))
        if point.fair_about in self._papers:
            self._paper(point.fair_about)
            self._foreign[point.fair_about].append((point, False))

    def judge(self, paper_id: str) -> None:
        """Make versions, reviews and trials of all points about a paper.

        Raises:
            InputError: A text changes when it is read again.
        """
        paper = self.whole[paper_id]
        versions = joint_versions(paper.text, self._own[paper_id], self._lots)
        read = [
            self._read(paper, version.text, "version", *sorted(version.lacking))
            for version in versions
        ]
        made = [
            (self._remarks(paper_id, number, versions), version)
            for number, version in enumerate(read)
        ]
        first_push = self._lots.number(2, "push", paper_id)
        for number, (remarks, version) in enumerate(made):
            if not remarks:
                continue
            self._review(paper, version, remarks)
            push = bool((first_push + number) % 2)
            for varied in self._varied(paper, version, remarks, push=push):
                # A paper of its own, so that no prompt holds two ways of asking the same.
                name = (varied.variation.value, version.paper_id)
                about = self._read(paper, varied.text, *name)
                self._review(paper, about, varied.remarks, varied)

    def _remarks(
        self, paper_id: str, number: int, versions: Sequence[JointVersion]
    ) -> list[AskedRemark]:
        """The remarks about a version; one about another paper goes to one version alone."""
        version = versions[number]
        own = [(point, point.id not in version.lacking) for point in self._own[paper_id]]
        own += [
            (point, misinformed)
            for point, misinformed in self._foreign[paper_id]
            if self._lots.number(len(versions), "foreign", paper_id, point.id) == number
        ]
        return [
            AskedRemark(
                point, point.remark, misinformed, version.answers(point) if misinformed else ()
            )
            for point, misinformed in own
        ]

    def _varied(
        self, paper: Paper, version: Paper, remarks: Sequence[AskedRemark], *, push: bool
    ) -> Iterator[VariedReview]:
        """The remarks about a version, asked in other ways."""
        for where in INJECTIONS:
            if where in self._also:
                yield injected(version, remarks, where, push=push)
        if Variation.PARAPHRASE in self._also and (said := reworded(version, remarks)):
            yield said
        can = [one.point.id for one in remarks if not one.misinformed and can_move(one.point)]
        for to in POSITIONS:
            names = sorted(can, key=lambda name: self._lots.name("moved", to.value, name))
            half = names[: -(-len(names) // 2)]
            own = [one for one in remarks if one.point.fair_about is None]
            moved = elsewhere(paper.text, version, own, half, to) if to in self._also else None
            if moved is not None:
                yield moved

    def _review(
        self,
        paper: Paper,
        version: Paper,
        remarks: Sequence[AskedRemark],
        varied: VariedReview | None = None,
    ) -> None:
        """Reviews that hold remarks about a version."""
        self.versions[version.paper_id] = version
        variation = None if varied is None else varied.variation
        drawn = sorted(
            remarks, key=lambda remark: self._lots.name("order", version.paper_id, remark.point.id)
        )
        for number in range(parts := -(-len(drawn) // MOST_REMARKS)):
            name = self._lots.name("review", version.paper_id, variation or "", str(number))
            some, form = drawn[number::parts], _Bullets()
            spans = [form.add(remark) for remark in some]
            self.reviews[name] = Review(
                review_id=name,
                paper_id=version.paper_id,
                fields=form.fields,
                author_response=None if varied is None else varied.response,
            )
            self.trials[name] = [
                PlantedTrial(
                    review_id=name,
                    span=span,
                    point=remark.point,
                    misinformed=remark.misinformed,
                    answers=remark.answers,
                    characters=len(paper.text),
                    variation=variation,
                    push=None if varied is None else varied.push,
                )
                for span, remark in zip(spans, some, strict=True)
                if remark.counts
            ]

    def _paper(self, paper_id: str) -> Paper:
        if paper_id not in self._papers:
            raise InputError(
                f"there is no paper '{paper_id}'", field="paper_id", cure="name its file too"
            )
        if paper_id not in self.whole:
            self.whole[paper_id] = self._papers[paper_id].load()
        return self.whole[paper_id]

    def _read(self, paper: Paper, text: str, *name: str) -> Paper:
        """A text as a paper; one from which nothing is cut is read anew too, as the others."""
        return as_judged(paper, text, name=self._lots.name("paper", paper.paper_id, *name))


@dataclass
class _Bullets:
    """The text boxes of a review, a bullet for each remark."""

    fields: dict[str, str] = field(default_factory=dict)

    def add(self, said: AskedRemark) -> Span:
        """Add a remark, and say where it stands."""
        box = "questions" if said.point.form is PlantedForm.QUESTION else "weaknesses"
        before = self.fields.get(box)
        text = "- " if before is None else f"{before}\n- "
        remark = " ".join(said.text.split())
        self.fields[box] = text + remark
        return Span(field=box, start=len(text), end=len(text) + len(remark))
