"""Focus in short, for the report of a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from reviewscore.files import write_whole
from reviewscore.focus.blind_spots import Difference, spots
from reviewscore.focus.coded import Coded
from reviewscore.focus.distribution import FOUR, distribution
from reviewscore.focus.gaps import Gaps, all_gaps
from reviewscore.focus.profile import Profile
from reviewscore.runs.folder import DIGEST
from reviewscore.schema.focus import FacetShares, FocusDigest, FocusGap, FocusSpot, ReviewGaps
from reviewscore.stats.writing import Setup


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
    found = digest(
        profile,
        reference,
        level=level,
        annotator=setup.model,
        notes=setup.notes,
        inputs=list(setup.inputs.values()),
    )
    write_whole(path, found.model_dump_json(indent=1) + "\n")
    return path


def digest(
    profile: Profile,
    reference: str,
    *,
    level: float,
    annotator: str,
    notes: Sequence[str],
    inputs: Sequence[str],
) -> FocusDigest:
    """Shares of all systems, what differs from the reference, and what each review leaves out.

    Args:
        profile: The focus of all systems.
        reference: The system that others were compared with.
        level: Of intervals, 0..1.
        annotator: Who labelled the points.
        notes: What a reader must know.
        inputs: SHA-256 of the files that were read.
    """
    return FocusDigest(
        annotator=annotator,
        notes=tuple(notes),
        reference=reference if profile.differences else None,
        level=level,
        inputs=tuple(inputs),
        shares=tuple(_shares(profile.coded)),
        spots=tuple(_spots(profile.differences)),
        gaps=_gaps(profile.coded),
    )


def _shares(coded: Coded) -> Iterator[FacetShares]:
    for polarity, kind in FOUR:
        names = coded.facets.names(kind)
        for system in coded.systems:
            one = distribution(coded, system, polarity, kind)
            shares = dict(zip(names, map(float, one.shares), strict=True)) if one.points else {}
            yield FacetShares(
                system=system, polarity=polarity, kind=kind, points=one.points, shares=shares
            )


def _spots(differing: Mapping[str, Sequence[Difference]]) -> Iterator[FocusSpot]:
    for system, some in differing.items():
        found = spots(some)
        both = sorted(
            (*found.overlooked, *found.favoured), key=lambda one: -abs(one.estimate.value or 0)
        )
        for one in both:
            assert one.estimate.value is not None
            assert one.q is not None
            yield FocusSpot(
                system=system,
                polarity=one.polarity,
                kind=one.kind,
                facet=one.facet,
                difference=one.estimate.value,
                low=one.estimate.low,
                high=one.estimate.high,
                q=one.q,
            )


def _gaps(coded: Coded) -> dict[str, ReviewGaps]:
    return {one.review.review_id: review_gaps(one) for one in all_gaps(coded)}


def review_gaps(found: Gaps) -> ReviewGaps:
    """What one review leaves out, as a record."""
    return ReviewGaps(
        others=found.others,
        unknown=found.unknown,
        missed=tuple(
            FocusGap(polarity=one.polarity, kind=one.kind, facet=one.facet, others=one.others)
            for one in found.missed
        ),
    )
