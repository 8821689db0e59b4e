"""What `agree` and `annotate import` share: points as readers marked them, and their texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from reviewscore.cli.inputs import collection_of
from reviewscore.cli.tabling import say_written
from reviewscore.cli.terminal import print_line, print_text, say, warn
from reviewscore.errors import InputError, SettingsError

if TYPE_CHECKING:
    from reviewscore.agreement.point_agreement import Cutter, Drawn, PointStudy
    from reviewscore.schema.review import Review
    from reviewscore.sources.point_labels import PaperOf, PointLabels
    from reviewscore.stats.resampling import Resampling

_PAPERS = 64
"""Papers kept at hand, so that a paper is not read once for each of its points."""


def reviews_at(places: Iterable[Path], wanted: set[str]) -> dict[str, Review]:
    """The reviews of files and folders by identifier; of one that comes twice the first.

    Raises:
        InputError: A file is missing or cannot be read.
    """
    from reviewscore.sources.system_reviews import read_reviews

    reviews: dict[str, Review] = {}
    for review in chain.from_iterable(read_reviews(place, wanted) for place in places):
        reviews.setdefault(review.review_id, review)
    return reviews


def papers_at(places: Sequence[Path]) -> PaperOf | None:
    """The papers of files and folders; None if none is named.

    Raises:
        InputError: A file is missing or cannot be read.
    """
    from reviewscore.schema.paper import Paper
    from reviewscore.sources.collection import read_papers

    if not places:
        return None
    collections = [read_papers(place, skip_bad_lines=True) for place in places]

    @lru_cache(maxsize=_PAPERS)
    def paper(paper_id: str) -> Paper | None:
        for collection in collections:
            if paper_id in collection.papers:
                try:
                    return collection.paper_unchecked(paper_id)
                except InputError:
                    continue
        return None

    return paper


def faults_in_words(faults: Iterable[InputError]) -> Iterator[str]:
    """Each fault on a line; those of reviews that are not at hand once for each review."""
    shown: set[str] = set()
    for fault in faults:
        key = f"{fault.file} {fault.problem}" if fault.field == "review_id" else str(fault)
        if key not in shown:
            shown.add(key)
            yield str(fault)


@dataclass(frozen=True)
class PointSets:
    """Sets of marked points that were named, with what is needed to read them.

    Attributes:
        files: Their files.
        runs: Runs to measure with them.
        reviews: Files and folders of their reviews.
        data: Data of the runs, if they have moved.
        accept_changed: Go on with records that something else has changed.
    """

    files: Sequence[Path]
    runs: Sequence[Path]
    reviews: Sequence[Path]
    data: Path | None
    accept_changed: bool

    def measure(
        self, how: Resampling, drawn: Drawn, *, people_alone: bool, skip_bad_lines: bool
    ) -> PointStudy:
        """Measure the readers with each other and with the runs.

        Raises:
            InputError: A line cannot be used, or nothing can be compared.
            SettingsError: No reviews are named.
        """
        from reviewscore.agreement.point_agreement import point_study
        from reviewscore.sources.annotations import first_fault

        reviews, audited = self._reviews()
        sets = self.read(reviews)
        for labels in sets:
            warn([f"{labels.name}: {warning}" for warning in labels.warnings])
        faults = [fault for labels in sets for fault in labels.faults]
        if faults and not skip_bad_lines:
            raise first_fault(faults)
        if faults:
            say(f"warning: {len(faults):,} lines or parts of lines left out; --check lists them")
        if people_alone:
            sets = [labels.of_people() for labels in sets]
        return point_study(sets, self._cutters(reviews, audited), reviews, how, drawn)

    def check(self) -> int:
        """Print every fault; 2 if there is one."""
        reviews, _ = self._reviews()
        wrong = 0
        for labels in self.read(reviews):
            faults = [*labels.faults, *labels.elsewhere]
            for line in faults_in_words(faults):
                print_line(line)
            for warning in labels.warnings:
                print_line(f"warning: {labels.name}: {warning}")
            print_line(
                f"{labels.name}: {points_in_words(labels)} can be used; {len(faults):,} faults, "
                f"{len(labels.warnings):,} warnings"
            )
            wrong += len(faults)
        return 2 if wrong else 0

    def read(self, reviews: Mapping[str, Review]) -> list[PointLabels]:
        """The sets, each named after its folder or file."""
        from reviewscore.sources.point_labels import POINTS, read_point_labels

        return [
            read_point_labels(
                [file], reviews, name=file.parent.name if file.name == POINTS else file.stem
            )
            for file in self.files
        ]

    def _reviews(self) -> tuple[dict[str, Review], dict[Path, frozenset[str]]]:
        """The reviews of the points, and those that each run read as far as that is known."""
        from reviewscore.sources.point_labels import reviews_named

        wanted = reviews_named(self.files)
        reviews = reviews_at(self.reviews, wanted)
        audited: dict[Path, frozenset[str]] = {}
        for run in self.runs:
            collection = collection_of(run, self.data, accept_changed=self.accept_changed)
            if collection is None:
                continue
            own = {review.review_id: review for review in collection.reviews
                   if review.review_id in wanted}  # fmt: skip
            audited[run] = frozenset(own)
            reviews = own | reviews
        if not reviews:
            named = "the reviews that are named hold none of those that were labelled"
            raise SettingsError(
                f"{named}; name others with --reviews"
                if self.reviews or audited
                else "points are compared in their reviews; name these with --reviews"
            )
        return reviews, audited

    def _cutters(
        self, reviews: Mapping[str, Review], audited: Mapping[Path, frozenset[str]]
    ) -> list[Cutter]:
        from reviewscore.agreement.judge_scores import names, read_run
        from reviewscore.agreement.point_agreement import cutter_of_run
        from reviewscore.schema.annotation import Unit

        wanted = [
            Unit(unit_id=name, paper_id=review.paper_id, review_id=name)
            for name, review in reviews.items()
        ]
        runs = [read_run(run, wanted, accept_changed=self.accept_changed) for run in self.runs]
        return [
            cutter_of_run(name, run, reviews, audited.get(run.path))
            for name, run in zip(names(runs), runs, strict=True)
        ]


def publish(study: PointStudy, output: Path | None, *, as_json: bool, yes: bool) -> None:
    """Write a study into the folder, if one is named, and print it."""
    from reviewscore.agreement.point_agreement import numbers, page, write_point_study

    if output is not None:
        say_written(write_point_study(study, output, allow_foreign=yes))
    print_text(numbers(study) if as_json else page(study), markdown=not as_json)


def points_in_words(labels: PointLabels) -> str:
    """How many points by whom."""
    from reviewscore.schema.annotation import AnnotatorKind, readers_in_words

    kinds = {label.annotator: label.annotator_kind for label in labels.labels}
    models = sum(kind is AnnotatorKind.MODEL for kind in kinds.values())
    reviews = len({label.review_id for label in labels.labels})
    who = readers_in_words(len(kinds) - models, models)
    return (
        f"{len(labels.labels):,} points of {reviews:,} review{'' if reviews == 1 else 's'} by {who}"
    )
