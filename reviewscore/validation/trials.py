"""Versions of papers in which planted points are judged: as they are, and with the answer cut out.

Every point is a review of its own with nothing else in it. The whole paper is one version, and
each cut makes another, so that no judge meets two versions together. Names are drawn by a seed and
say nothing of paper, point or version; the order is that of the names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from reviewscore.errors import InputError
from reviewscore.papers.load import PaperRow, build_paper, load_paper
from reviewscore.schema.paper import Paper
from reviewscore.schema.planted_point import PlantedForm, PlantedPoint
from reviewscore.schema.review import Review
from reviewscore.sources.collection import Collection, of_records, read_collection, read_papers
from reviewscore.sources.lazy_papers import PaperHandle
from reviewscore.sources.records import ENDINGS
from reviewscore.sources.reviews import is_paper_folder
from reviewscore.validation.leaks import leaks
from reviewscore.validation.planted import PlantedPoints, cut

_NAME_BYTES = 6


@dataclass(frozen=True)
class PlantedTrial:
    """A planted point in one version of a paper, and what is true of it there.

    Attributes:
        review_id: The review that holds its remark.
        point: The planted point.
        misinformed: Whether it is misinformed there; else it is fair.
        characters: Length of the whole paper that the point is about.
    """

    review_id: str
    point: PlantedPoint
    misinformed: bool
    characters: int


@dataclass(frozen=True)
class PlantedTrials:
    """What is judged, and what each judgment should be.

    Attributes:
        trials: All trials, in the order of their reviews.
        collection: Their papers and reviews.
        left_out: Why points are in no figure, each with its cure.
        refuted: Points of which the verifier denies a truth; they are in no figure either.
    """

    trials: tuple[PlantedTrial, ...]
    collection: Collection
    left_out: tuple[InputError, ...]
    refuted: int


def planted_trials(
    points: PlantedPoints, papers: Mapping[str, PaperHandle], *, seed: int
) -> PlantedTrials:
    """Two trials of each planted point; of one that is about a paper not given, a single one.

    Args:
        points: The planted points of a file, with the faults of its lines.
        papers: The papers by identifier.
        seed: Of names and of their order.

    Raises:
        InputError: No point can be judged.
    """
    made = _Versions(papers, seed)
    left_out = list(points.faults)
    for point in points.points:
        try:
            if not point.refuted:
                made.add(point)
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
        trials=tuple(made.trials[review.review_id] for review in reviews),
        collection=of_records(versions, reviews),
        left_out=tuple(left_out),
        refuted=sum(point.refuted for point in points.points),
    )


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
    return {paper.paper_id: PaperHandle(paper.paper_id, paper.title, 1, lambda: paper)}


class _Versions:
    """Collects versions, reviews and trials."""

    def __init__(self, papers: Mapping[str, PaperHandle], seed: int) -> None:
        self._papers, self._seed = papers, seed
        self._whole: dict[str, Paper] = {}
        self.versions: dict[str, Paper] = {}
        self.reviews: dict[str, Review] = {}
        self.trials: dict[str, PlantedTrial] = {}

    def add(self, point: PlantedPoint) -> None:
        """Add a point's trials; all of them or none.

        Raises:
            InputError: Its paper is not given or another one, or a check stops at it.
        """
        paper = self._paper(point.paper_id)
        certain = next((leak for leak in leaks(paper, point) if leak.kind.certain), None)
        if certain is not None:
            raise InputError(f"'{point.id}': {certain.problem}", cure="mend the point")
        texts = [(True, paper, paper.text), *self._fair(point, paper)]
        versions = [
            (misinformed, self._version(about, text, point)) for misinformed, about, text in texts
        ]
        for misinformed, version in versions:
            name = self._name("review", point.id, str(misinformed))
            field = "questions" if point.form is PlantedForm.QUESTION else "weaknesses"
            self.versions[version.paper_id] = version
            self.reviews[name] = Review(
                review_id=name, paper_id=version.paper_id, fields={field: point.remark}
            )
            self.trials[name] = PlantedTrial(name, point, misinformed, len(paper.text))

    def _fair(self, point: PlantedPoint, paper: Paper) -> Iterator[tuple[bool, Paper, str]]:
        """The version in which a point is fair, if there is one."""
        if point.fair_about is None:
            yield False, paper, cut(paper.text, point)
        elif point.fair_about in self._papers:
            other = self._paper(point.fair_about)
            yield False, other, other.text

    def _paper(self, paper_id: str) -> Paper:
        if paper_id not in self._papers:
            raise InputError(
                f"there is no paper '{paper_id}'", field="paper_id", cure="name its file too"
            )
        if paper_id not in self._whole:
            self._whole[paper_id] = self._papers[paper_id].load()
        return self._whole[paper_id]

    def _version(self, paper: Paper, text: str, point: PlantedPoint) -> Paper:
        """A text as a paper; the whole one is read anew too, so that both are read alike."""
        own = "" if text == paper.text else point.id
        name = self._name("paper", paper.paper_id, own)
        row = PaperRow(paper_id=name, title=paper.title, text=text, year=paper.year)
        version = self.versions.get(name) or build_paper(row, doubts=False)
        if version.text != text:
            raise InputError(
                f"'{point.id}': the text of paper '{paper.paper_id}' changes when it is read again",
                cure="make the point from the text as `inspect` reads it",
            )
        return version

    def _name(self, *of: str) -> str:
        """A name that is drawn by the seed and says nothing of what it stands for."""
        drawn = "\0".join((str(self._seed), *of)).encode("utf-8", "surrogatepass")
        return blake2b(drawn, digest_size=_NAME_BYTES).hexdigest()
