"""People's own labels as a labelled set: sets of units, and points as readers marked them.

A point is misinformed if its score (unanswerability of a question, factuality of the rest) is 1 or
2. Where somebody is a person, only people's labels count. Points on which readers differ are left
out and counted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from reviewscore.agreement.segmentation import Piece, matches
from reviewscore.errors import InputError
from reviewscore.files import hash_text
from reviewscore.schema.annotation import (
    AnnotatorKind,
    Label,
    LabelField,
    Unit,
    UnitKind,
    readers_in_words,
)
from reviewscore.schema.point_label import PointLabel
from reviewscore.schema.review import PointKind, PointType, Review
from reviewscore.schema.scale import FIVE_POINTS
from reviewscore.sources.annotations import LABELS, read_annotations
from reviewscore.sources.lazy_papers import PaperHandle
from reviewscore.sources.point_labels import points_file, read_point_labels, reviews_named
from reviewscore.sources.records import ENDINGS, RecordFile, find_table
from reviewscore.sources.reviews import is_paper_folder
from reviewscore.sources.system_reviews import read_reviews
from reviewscore.validation.labelled import SetKind, SetReading
from reviewscore.validation.public_sets import DIFFER, NOT_LABELLED
from reviewscore.validation.trials import papers_of

LABELS_OF_YOUR_OWN = SetKind(
    name="labels",
    title="labels of your own",
    misinformed="points that readers call misinformed",
    fair="points that they do not",
    seen="the papers as they were given",
    labels="readers; all of a point's agree",
    licence="your own",
    bounds="Labels of a few papers hold for papers and readers like these.",
    public=False,
)
_SCALES = (LabelField.UNANSWERABILITY, LabelField.FACTUALITY)
_NO_CONSENT = "not for this judge to read (consent)"
_NO_POINT, _UNSEEN = "no point to a reader", "not visible in the text of the paper"


@dataclass(frozen=True)
class _Places:
    """What was named: labels of units, files of marked points, reviews and papers."""

    units: tuple[Path, ...]
    points: tuple[Path, ...]
    reviews: tuple[Path, ...]
    papers: tuple[Path, ...]


def read_labels(reading: SetReading, places: Sequence[Path]) -> None:
    """Labels of points, with their reviews and papers, from folders and files in any order.

    Args:
        reading: What is read.
        places: Folders of sets (``labels.jsonl`` or ``points.jsonl``, with or without reviews and
            papers beside them), files of such, and folders or files of reviews and papers.

    Raises:
        InputError: A place cannot be read, or holds nothing of these.
    """
    named = _sorted(places)
    if not named.units and not named.points:
        raise InputError(
            "there are no labels", file=places[0], cure="name a set's folder, or a file of labels"
        )
    reading.inputs += [*(_labels_in(place) for place in named.units), *named.points]
    papers = papers_of(named.papers)
    for place in named.units:
        _read_units(reading, place, named.reviews, papers)
    if named.points:
        _read_points(reading, named, papers)


def _labels_in(place: Path) -> Path:
    return place / LABELS if place.is_dir() else place


def _sorted(places: Sequence[Path]) -> _Places:
    units: list[Path] = []
    points: list[Path] = []
    reviews: list[Path] = []
    papers: list[Path] = []
    for place in places:
        before = len(units) + len(points) + len(reviews) + len(papers)
        if place.is_dir() and (place / LABELS).is_file():
            units.append(place)
        elif (file := points_file(place)) is not None:
            points.append(file)
        if place.is_dir():
            if is_paper_folder(place) or find_table(place, "papers") is not None:
                papers.append(place)
            if find_table(place, "reviews") is not None:
                reviews.append(place)
        elif place not in points and place.suffix.lower() in ENDINGS:
            first = next((row.record for row in RecordFile.of(place).rows() if row.record), {})
            kind = units if "unit_id" in first else reviews if "review_id" in first else papers
            kind.append(place)
        elif place not in points:
            papers.append(place)
        if len(units) + len(points) + len(reviews) + len(papers) == before:
            cure = "name folders or files of labels, reviews and papers"
            raise InputError("holds no labels, reviews or papers", file=place, cure=cure)
    once = [tuple(dict.fromkeys(files)) for files in (units, points, reviews, papers)]
    return _Places(*once)


def _reviews(places: Sequence[Path], wanted: set[str]) -> dict[str, Review]:
    reviews: dict[str, Review] = {}
    for place in places:
        for review in read_reviews(place, wanted):
            reviews.setdefault(review.review_id, review)
    return reviews


def _may_judge(
    reading: SetReading, papers: Mapping[str, PaperHandle], paper_id: str, review: Review | None
) -> bool:
    """Whether the judge may read a point's review and paper; else the point is counted."""
    consents = [one.consent for one in (papers.get(paper_id), review) if one is not None]
    if reading.may.refusal(*consents) is None:
        return True
    reading.excluded[_NO_CONSENT] += 1
    return False


def _add_paper(reading: SetReading, papers: Mapping[str, PaperHandle], paper_id: str) -> None:
    """Keep a paper that a point is about, if that was not done before."""
    if reading.has_paper(paper_id) or paper_id not in papers:
        return
    paper = papers[paper_id].load()
    reading.add_paper(paper_id, paper.title, paper.text)


def _note_readers(reading: SetReading, kinds: Mapping[str, AnnotatorKind], left_out: int) -> None:
    models = sum(kind is AnnotatorKind.MODEL for kind in kinds.values())
    who = readers_in_words(len(kinds) - models, models)
    note = f"Labels by {who}."
    if left_out:
        note += f" Labels by models, left out as people labelled too: {left_out:,}."
    elif models:
        note += " What model readers overlook alike does not show in their labels."
    reading.notes.append(note)


def _read_units(
    reading: SetReading,
    place: Path,
    review_places: Sequence[Path],
    papers: Mapping[str, PaperHandle],
) -> None:
    """A set of units: the labels of each point, and its words."""
    labels = read_annotations(place)
    reading.faults += labels.faults
    by_people = any(label.annotator_kind is AnnotatorKind.HUMAN for label in labels.labels)
    kept = [label for label in labels.labels
            if label.annotator_kind is AnnotatorKind.HUMAN or not by_people]  # fmt: skip
    _note_readers(reading, {label.annotator: label.annotator_kind for label in kept},
                  len(labels.labels) - len(kept))  # fmt: skip
    if labels.units is None:
        cure = "write units.jsonl (annotations/README.md)"
        raise InputError("does not say what was labelled", file=place, cure=cure)
    units = {name: unit for name, unit in labels.units.items() if unit.kind is UnitKind.POINT}
    reviews = _reviews(review_places, {unit.review_id for unit in units.values()})
    said: dict[str, list[Label]] = defaultdict(list)
    for label in kept:
        said[label.unit_id].append(label)
    for name, unit in units.items():
        truth = _truth_of_unit(said[name])
        if isinstance(truth, str):
            reading.excluded[truth] += 1
            continue
        if not _may_judge(reading, papers, unit.paper_id, reviews.get(unit.review_id)):
            continue
        with reading.noting(_labels_in(place)):
            _add_paper(reading, papers, unit.paper_id)
            question = any(label.field is LabelField.UNANSWERABILITY for label in said[name])
            reading.add(name, unit.paper_id, _words_of_unit(unit, reviews), misinformed=truth,
                        question=question, part=_part(said[name], question))  # fmt: skip


def _truth_of_unit(labels: Sequence[Label]) -> bool | str:
    """Whether all readers call a point misinformed, or none; else why it is left out."""
    if any(label.value == PointKind.NONE.value for label in labels
           if label.field is LabelField.KIND):  # fmt: skip
        return _NO_POINT
    scored = [label for label in labels if label.field in _SCALES]
    flags = {FIVE_POINTS.misinformed(int(label.number)) for label in scored}
    if not flags:
        return NOT_LABELLED
    one_scale = len({label.field for label in scored}) == 1
    return flags.pop() if len(flags) == 1 and one_scale else DIFFER


def _part(labels: Sequence[Label], question: bool) -> str:
    types = {str(label.value) for label in labels if label.field is LabelField.TYPE}
    if len(types) == 1:
        return types.pop()
    return PointType.QUESTION.value if question else ""


def _words_of_unit(unit: Unit, reviews: Mapping[str, Review]) -> str:
    """The words of a unit, its own or those of its review.

    Raises:
        InputError: They are not at hand, or others than were labelled.
    """
    if unit.text is not None:
        return unit.text
    review, span = reviews.get(unit.review_id), unit.span
    if review is None or span is None or span.field not in review.fields:
        raise InputError(
            f"the words of '{unit.unit_id}' are not at hand", cure="name the file of its review"
        )
    text = review.fields[span.field][span.start : span.end]
    if unit.sha256 not in (None, hash_text("unit", text).sha256):
        cure = "give the review as it was labelled"
        raise InputError(f"the words of '{unit.unit_id}' have changed", cure=cure)
    return text


def _read_points(reading: SetReading, named: _Places, papers: Mapping[str, PaperHandle]) -> None:
    """Points as readers marked them; those that overlap are the same point."""
    reviews = _reviews(named.reviews, reviews_named(named.points))
    labels = read_point_labels(named.points, reviews)
    reading.faults += [*labels.faults, *labels.elsewhere]
    by_people = any(label.annotator_kind is AnnotatorKind.HUMAN for label in labels.labels)
    kept = labels.of_people().labels if by_people else labels.labels
    _note_readers(reading, {label.annotator: label.annotator_kind for label in kept},
                  len(labels.labels) - len(kept))  # fmt: skip
    for same in _same_points(kept, reviews):
        truth = _truth_of_point(same)
        if isinstance(truth, str):
            reading.excluded[truth] += 1
            continue
        first = same[0]
        if not _may_judge(reading, papers, first.paper_id, reviews.get(first.review_id)):
            continue
        fields = reviews[first.review_id].fields
        words = " ".join(fields[span.field][span.start : span.end] for span in first.spans)
        start = first.spans[0]
        with reading.noting(named.points[0]):
            _add_paper(reading, papers, first.paper_id)
            reading.add(
                f"{first.review_id} {start.field}:{start.start}-{start.end}", first.paper_id, words,
                misinformed=truth, question=first.type is PointType.QUESTION,
                part=first.type.value,
            )  # fmt: skip


def _same_points(
    labels: Sequence[PointLabel], reviews: Mapping[str, Review]
) -> list[list[PointLabel]]:
    """Labels of the same point side by side, each reader's matched with those before."""
    by_reader: dict[str, list[PointLabel]] = defaultdict(list)
    for label in labels:
        by_reader[label.annotator].append(label)
    points: list[list[PointLabel]] = []
    for own in by_reader.values():
        pieces = [_piece(same[0], reviews) for same in points]
        pairs = {right: left for left, right in
                 matches(pieces, [_piece(label, reviews) for label in own])}  # fmt: skip
        for number, label in enumerate(own):
            if number in pairs:
                points[pairs[number]].append(label)
            else:
                points.append([label])
    return points


def _piece(label: PointLabel, reviews: Mapping[str, Review]) -> Piece:
    return Piece.of(label.review_id, reviews[label.review_id].fields, label.spans)


def _truth_of_point(labels: Sequence[PointLabel]) -> bool | str:
    if not all(label.is_point for label in labels):
        return _NO_POINT
    if any(label.not_visible for label in labels):
        return _UNSEEN
    flags = {label.misinformed for label in labels} - {None}
    if not flags:
        return NOT_LABELLED
    return bool(flags.pop()) if len(flags) == 1 else DIFFER
