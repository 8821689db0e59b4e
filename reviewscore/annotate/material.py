"""What there is to label: the points of a run or of a folder of reviews, with their texts."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from reviewscore.errors import InputError, ReviewScoreError
from reviewscore.points.split import split_review
from reviewscore.runs.folder import MANIFEST, read_points
from reviewscore.runs.input_data import data_again
from reviewscore.schema.annotation import Unit, UnitKind
from reviewscore.schema.paper import Paper
from reviewscore.schema.point_id import short_name
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.review import Occurrence, Review, ReviewPoint
from reviewscore.sources.collection import Collection, read_collection


@dataclass(frozen=True)
class LabelPoint:
    """One review point to label.

    Attributes:
        unit: The point as a unit.
        section: Where it stands in the reviewer's form.
        number: Its place among the points of its review, from 1; 0 if it is not known.
        context: Words just before it that it needs to be understood.
        occurrences: Other places of its review that repeat it.
        premises: The premises of its reconstruction as units; empty if it has none.
        conclusion: The conclusion of its reconstruction.
        score: What the model said; never shown unless asked for. None if no model was asked.
    """

    unit: Unit
    section: str
    number: int = 0
    context: str = ""
    occurrences: tuple[Occurrence, ...] = ()
    premises: tuple[Unit, ...] = ()
    conclusion: str = ""
    score: PointScore | None = None

    @property
    def short_name(self) -> str:
        """What people call it, where its place in the review is known; else its identifier."""
        return short_name(self.unit.review_id, self.number) if self.number else self.point_id

    @property
    def point_id(self) -> str:
        """Identifier of the point."""
        return self.unit.unit_id

    @property
    def paper_id(self) -> str:
        """The paper it is about."""
        return self.unit.paper_id

    @property
    def units(self) -> tuple[Unit, ...]:
        """The point and its premises."""
        return (self.unit, *self.premises)


@dataclass(frozen=True)
class Material:
    """All points to label, in the order they are labelled, and the texts they are about.

    Attributes:
        name: Name of the run or folder.
        points: By identifier.
        reviews: By identifier; empty if the texts are not at hand.
        collection: Where papers are loaded from; None if they are not at hand.
    """

    name: str
    points: Mapping[str, LabelPoint]
    reviews: Mapping[str, Review] = field(default_factory=dict)
    collection: Collection | None = None

    @property
    def papers(self) -> dict[str, tuple[LabelPoint, ...]]:
        """The points of each paper, in order."""
        point_groups: dict[str, list[LabelPoint]] = {}
        for point in self.points.values():
            point_groups.setdefault(point.paper_id, []).append(point)
        return {name: tuple(points) for name, points in point_groups.items()}

    def title(self, paper_id: str) -> str:
        """Title of a paper, or its identifier."""
        handle = None if self.collection is None else self.collection.papers.get(paper_id)
        return (handle.title if handle is not None else None) or paper_id

    def paper(self, paper_id: str) -> Paper | None:
        """The paper's text, if it is at hand."""
        return None if self.collection is None else _paper(_Key(self.collection), paper_id)


class _Key:
    """A collection as a key of the cache: the same object is the same collection."""

    def __init__(self, collection: Collection) -> None:
        self.collection = collection

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and other.collection is self.collection

    def __hash__(self) -> int:
        return id(self.collection)


@lru_cache(maxsize=64)
def _paper(key: _Key, paper_id: str) -> Paper | None:
    handle = key.collection.papers.get(paper_id)
    try:
        return None if handle is None else handle.load()
    except ReviewScoreError:
        return None


def read_material(
    source: Path, data: Path | None = None, *, accept_changed: bool = False
) -> Material:
    """The points of a run, or those that a folder of papers and reviews is split into.

    Args:
        source: A run folder, or a folder of papers and reviews that no model has judged.
        data: Folder of papers and reviews of a run, if it has moved.
        accept_changed: Go on with a run's records that something else has changed.

    Raises:
        InputError: There is no point to label.
        RunFolderError: The run cannot be read, or its records were changed.
    """
    if (source / MANIFEST).is_file() or not source.is_dir():
        material = _of_run(source, data, accept_changed=accept_changed)
    else:
        collection = read_collection(source, skip_bad_lines=True)
        material = Material(
            source.resolve().name, _split(collection.reviews), _by_id(collection), collection
        )
    if not material.points:
        raise InputError("there is no point to label", file=source, cure="audit reviews first")
    return material


def _of_run(run: Path, data: Path | None, *, accept_changed: bool) -> Material:
    collection = data_again(run, data, accept_changed=accept_changed).collection
    points = {score.point_id: _judged(score) for score in read_points(run) if score.is_point}
    order = {} if collection is None else {name: n for n, name in enumerate(collection.papers)}
    ordered = sorted(points.values(), key=lambda point: _reading_order(point, order))
    reviews = {} if collection is None else _by_id(collection)
    return Material(
        run.resolve().name, {point.point_id: point for point in ordered}, reviews, collection
    )


def _reading_order(point: LabelPoint, papers: Mapping[str, int]) -> tuple[int, str, str, int, str]:
    """Papers as the collection has them, their reviews, and points as they were written."""
    unit = point.unit
    place = papers.get(unit.paper_id, len(papers))
    return place, unit.paper_id, unit.review_id, point.number, point.point_id


def _judged(score: PointScore) -> LabelPoint:
    argument = score.argument
    return LabelPoint(
        unit=_unit(score),
        section=score.section,
        number=score.ordinal,
        context=score.context,
        occurrences=score.occurrences,
        premises=tuple(
            Unit(
                unit_id=f"{score.point_id}/{premise.premise_id}",
                kind=UnitKind.PREMISE,
                paper_id=score.paper_id,
                review_id=score.review_id,
                point_id=score.point_id,
                text=premise.text,
            )
            for premise in (() if argument is None else argument.premises)
        ),
        conclusion="" if argument is None else argument.conclusion,
        score=score,
    )


def _split(reviews: Sequence[Review]) -> dict[str, LabelPoint]:
    points = (point for review in reviews for point in split_review(review))
    return {
        point.point_id: LabelPoint(
            _unit(point), point.section, point.number or 0, point.context, point.occurrences
        )
        for point in points
    }


def _unit(point: PointScore | ReviewPoint) -> Unit:
    return Unit(
        unit_id=point.point_id,
        kind=UnitKind.POINT,
        paper_id=point.paper_id,
        review_id=point.review_id,
        span=point.span,
        text=point.text,
    )


def _by_id(collection: Collection) -> dict[str, Review]:
    return {review.review_id: review for review in collection.reviews}


def text_sha256(unit: Unit) -> str:
    """SHA-256 of a unit's words."""
    return hashlib.sha256((unit.text or "").encode("utf-8", "surrogatepass")).hexdigest()
