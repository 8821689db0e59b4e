"""The focus of several systems on the same papers, against a reference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from reviewscore.agreement.measure import Resampling
from reviewscore.agreement.table import Table
from reviewscore.focus.blind_spots import Difference, differences, spots
from reviewscore.focus.coded import Coded, Review, coded
from reviewscore.focus.facets import FacetSet, Polarity
from reviewscore.focus.labelled import Labelled, Point
from reviewscore.focus.points import form_of, points_of
from reviewscore.focus.tables import difference_table, spots_table, tables
from reviewscore.focus.text_table import text_table
from reviewscore.likeness.pair import Metric
from reviewscore.sources.written import Form, Materials

_REASONS = 5
"""Reasons for missing labels that are told; models word theirs in many ways."""


@dataclass(frozen=True)
class Profile:
    """What reviews look at.

    Attributes:
        coded: All points, as columns.
        labelled: The points with their facets.
        tables: The overview first, then one pair of tables for each system.
        differences: From the reference, by system; empty if it has no reviews.
        notes: What a reader must know.
    """

    coded: Coded
    labelled: list[Labelled]
    tables: list[Table]
    differences: dict[str, tuple[Difference, ...]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def all_points(materials: Materials, form: Form | None = None) -> tuple[list[Point], Form]:
    """The strengths and weaknesses of all reviews, and which text they were taken from."""
    used = form or form_of(materials)
    return [point for review in materials.all() for point in points_of(review, used)], used


def profile_systems(
    materials: Materials,
    labelled: Sequence[Labelled],
    facets: FacetSet,
    how: Resampling,
    *,
    reference: str,
    form: Form = Form.RAW,
    metrics: Sequence[Metric] = (),
) -> Profile:
    """Count, compare and test.

    Args:
        materials: All reviews, also those without a point.
        labelled: Their points with facets.
        facets: The facets.
        how: How intervals are made; papers are drawn.
        reference: The system that others are compared with; without reviews by it there are no
            comparisons.
        form: Which texts the points are from.
        metrics: How the likeness of these texts is measured; none leaves that table out.
    """
    reviews = [Review(one.system, one.paper_id, one.review_id) for one in materials.all()]
    found = coded(labelled, facets, reviews=reviews)
    made = tables(found, reference, how)
    texts = text_table(materials, form, reference, metrics, how)
    made[1:1] = [] if texts is None else [texts]  # beside the focus similarity of the same table
    differing = {
        system: differences(found, system, reference, how)
        for system in found.systems
        if system != reference and reference in found.systems
    }
    for system, some in differing.items():
        made.append(difference_table(some, system, reference))
        made.append(spots_table(spots(some), system, reference))
    return Profile(found, list(labelled), made, differing, _told(labelled))


def _told(labelled: Sequence[Labelled]) -> list[str]:
    """How many points there are, and how many could not be labelled."""
    kinds = Counter(one.point.polarity for one in labelled)
    lines = [f"{kinds[Polarity.STRENGTH]:,} strengths and {kinds[Polarity.WEAKNESS]:,} weaknesses"]
    failed = Counter(one.reason for one in labelled if one.reason)
    told = failed.most_common(_REASONS)
    lines += [f"{count:,} points without all labels: {why}" for why, count in told]
    if more := len(failed) - len(told):
        rest = failed.total() - sum(count for _, count in told)
        lines.append(f"{rest:,} points without all labels for {more:,} other reasons")
    return lines
