"""The focus of several systems on the same papers, against a reference; its digest for a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from reviewscore.files import write_whole
from reviewscore.focus.blind_spots import FacetDifference, all_gaps, differences, spots
from reviewscore.focus.distribution import FOUR, CodedPoints, ReviewKey, coded, distribution
from reviewscore.focus.facets import FacetPoint, FacetSet, Labelled, Polarity
from reviewscore.focus.points import form_of, points_of
from reviewscore.focus.tables import difference_table, spots_table, tables, text_table
from reviewscore.runs.folder import DIGEST
from reviewscore.schema.focus import FacetShares, FocusDigest, FocusSpot
from reviewscore.sources.system_reviews import Materials, TextForm
from reviewscore.stats.resampling import Resampling
from reviewscore.stats.tables import Table
from reviewscore.stats.writing import Setup
from reviewscore.text.similarity import TextMetric

_REASONS = 5
"""Reasons for missing labels that are told; models word theirs in many ways."""


@dataclass(frozen=True)
class Profile:
    """What reviews look at.

    Attributes:
        coded: All points, as columns.
        tables: The overview first, then one pair of tables for each system.
        differences: From the reference, by system; empty if it has no reviews.
        notes: What a reader must know.
    """

    coded: CodedPoints
    tables: list[Table]
    differences: dict[str, tuple[FacetDifference, ...]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class SystemPoints:
    """The strengths and weaknesses of all reviews, found anew whenever they are gone through.

    Attributes:
        materials: The reviews.
        form: Which text they are taken from.
    """

    materials: Materials
    form: TextForm

    @classmethod
    def of(cls, materials: Materials, form: TextForm | None = None) -> SystemPoints:
        """Those of some reviews; from the text that all of them have if none is named."""
        return cls(materials, form or form_of(materials))

    def __iter__(self) -> Iterator[FacetPoint]:
        for review in self.materials.all():
            yield from points_of(review, self.form)


def profile_systems(
    materials: Materials,
    labelled: Iterable[Labelled],
    facets: FacetSet,
    how: Resampling,
    *,
    reference: str,
    form: TextForm = TextForm.RAW,
    metrics: Sequence[TextMetric] = (),
) -> Profile:
    """Count, compare and test.

    Args:
        materials: All reviews, also those without a point.
        labelled: Their points with facets; gone through once.
        facets: The facets.
        how: How intervals are made; papers are drawn.
        reference: The system that others are compared with; without reviews by it there are no
            comparisons.
        form: Which texts the points are from.
        metrics: How the likeness of these texts is measured; none leaves that table out.
    """
    reviews = (
        ReviewKey(review.system, review.paper_id, review.review_id) for review in materials.all()
    )
    tally = _Tally()
    points = coded(tally.counted(labelled), facets, reviews=reviews)
    made = tables(points, reference, how)
    texts = text_table(materials, form, reference, metrics, how)
    made[1:1] = [] if texts is None else [texts]  # beside the focus similarity of the same table
    differing = {
        system: differences(points, system, reference, how)
        for system in points.systems
        if system != reference and reference in points.systems
    }
    for system, some in differing.items():
        made.append(difference_table(some, system, reference))
        made.append(spots_table(spots(some), system, reference))
    return Profile(points, made, differing, tally.notes())


class _Tally:
    """How many points there are, and how many could not be labelled."""

    def __init__(self) -> None:
        self._kinds: Counter[Polarity] = Counter()
        self._failed: Counter[str] = Counter()

    def counted(self, labelled: Iterable[Labelled]) -> Iterator[Labelled]:
        """The same points, counted as they pass."""
        for labelled_point in labelled:
            self._kinds[labelled_point.point.polarity] += 1
            if labelled_point.reason:
                self._failed[labelled_point.reason] += 1
            yield labelled_point

    def notes(self) -> list[str]:
        """The counts in words."""
        kinds, failed = self._kinds, self._failed
        lines = [
            f"{kinds[Polarity.STRENGTH]:,} strengths and {kinds[Polarity.WEAKNESS]:,} weaknesses"
        ]
        shown = failed.most_common(_REASONS)
        lines += [f"{count:,} points without all labels: {why}" for why, count in shown]
        if more := len(failed) - len(shown):
            rest = failed.total() - sum(count for _, count in shown)
            lines.append(f"{rest:,} points without all labels for {more:,} other reasons")
        return lines


def write_digest(run: Path, profile: Profile, setup: Setup, reference: str) -> Path:
    """Write the digest into the folder of a run.

    Args:
        run: The run folder.
        profile: The focus of its reviews.
        setup: How it was made.
        reference: The system that others were compared with.
    """
    path = run / DIGEST
    level = setup.settings["level"]
    assert isinstance(level, float)
    digest = FocusDigest(
        annotator=setup.model,
        notes=tuple(setup.notes),
        reference=reference if profile.differences else None,
        level=level,
        inputs=tuple(setup.inputs.values()),
        shares=tuple(_shares(profile.coded)),
        spots=tuple(_spots(profile.differences)),
        gaps={review.review_id: gaps for review, gaps in all_gaps(profile.coded)},
    )
    write_whole(path, digest.model_dump_json(indent=1) + "\n")
    return path


def _shares(coded: CodedPoints) -> Iterator[FacetShares]:
    for polarity, kind in FOUR:
        names = coded.facets.names(kind)
        for system in coded.systems:
            one = distribution(coded, system, polarity, kind)
            shares = dict(zip(names, map(float, one.shares), strict=True)) if one.points else {}
            yield FacetShares(
                system=system, polarity=polarity, kind=kind, points=one.points, shares=shares
            )


def _spots(differing: Mapping[str, Sequence[FacetDifference]]) -> Iterator[FocusSpot]:
    for system, facet_differences in differing.items():
        for spot in spots(facet_differences):
            estimate = spot.estimate
            assert estimate.value is not None
            assert spot.q is not None
            yield FocusSpot(
                system=system, polarity=spot.polarity, kind=spot.kind, facet=spot.facet,
                difference=estimate.value, low=estimate.low, high=estimate.high, q=spot.q,
            )  # fmt: skip
