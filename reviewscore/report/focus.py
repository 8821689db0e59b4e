"""What the reviews of a run look at, as its report shows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from reviewscore.pages.figures import BarPart, stacked
from reviewscore.printable import counted
from reviewscore.runs.folder import DIGEST, read_digest
from reviewscore.runs.manifest import Manifest
from reviewscore.schema.focus import FacetShares, FocusDigest, FocusGap, FocusSpot, ReviewGaps

COLOURS = 8
"""Facets that have a colour of their own; more of them begin anew."""
ELSEWHERE = (
    "What the reviews look at was computed of other files than this run was made of; "
    "`reviewscore focus RUN` computes it again."
)


@dataclass(frozen=True)
class FocusPanel:
    """The bars of all systems for one kind of facet and of point."""

    title: str
    facets: tuple[tuple[str, int], ...]
    bars: tuple[tuple[str, int, tuple[BarPart, ...]], ...]


@dataclass(frozen=True)
class Focus:
    """What a report shows of the focus of its reviews.

    Attributes:
        digest: What was computed of the files of the run; None if nothing was.
        panels: Its bars.
        spots: Facets that differ: system, facet, difference and interval in words.
        missed: What reviews leave out that most others raise, in words, by review.
        elsewhere: Why there is nothing, where something was computed of other files.
    """

    digest: FocusDigest | None = None
    panels: tuple[FocusPanel, ...] = ()
    spots: tuple[tuple[str, str, str, str], ...] = ()
    missed: Mapping[str, Sequence[str]] = field(default_factory=dict)
    elsewhere: str = ""

    @classmethod
    def of(cls, run: Path, manifest: Manifest) -> Focus:
        """What was computed for a run.

        Args:
            run: The run folder.
            manifest: Its own account of itself.

        Raises:
            RunFolderError: The file is no digest.
        """
        digest = read_digest(run / DIGEST, FocusDigest, f"reviewscore focus {run}")
        if digest is None:
            return cls()
        if set(digest.inputs) != manifest.inputs_sha256:
            return cls(elsewhere=ELSEWHERE)
        missed = {name: often_missed(gaps) for name, gaps in digest.gaps.items()}
        spots = tuple((spot.system, *spot_words(spot)) for spot in digest.spots)
        return cls(digest, tuple(_panels(digest)), spots, missed)


def _panels(digest: FocusDigest) -> Iterator[FocusPanel]:
    """Four panels of bars."""
    for (kind, polarity), group in groupby(
        digest.shares, lambda shares: (shares.kind, shares.polarity)
    ):
        rows = list(group)
        names = list(dict.fromkeys(name for row in rows for name in row.shares))
        colour = {name: at % COLOURS + 1 for at, name in enumerate(names)}
        yield FocusPanel(
            f"{kind}s of {_points(polarity)}",
            tuple(colour.items()),
            tuple((row.system, row.points, _shares(row, colour)) for row in rows),
        )


def _shares(row: FacetShares, colour: dict[str, int]) -> tuple[BarPart, ...]:
    return stacked(
        (f"k{colour[name]}", share, f"{name} {100 * share:.1f} %")
        for name, share in row.shares.items()
    )


def spot_words(spot: FocusSpot) -> tuple[str, str, str]:
    """Which facet, how it differs in percentage points, and its interval."""
    verb = "overlooks" if spot.difference < 0 else "favours"
    ends = (
        "–"
        if spot.low is None or spot.high is None
        else f"{_signed(spot.low)} to {_signed(spot.high)}"
    )
    name = f"{verb} {spot.facet} in {_points(spot.polarity)}"
    return name, _signed(spot.difference), ends


def gap_words(gaps: ReviewGaps) -> list[str]:
    """What a review leaves out, in words; most often raised first."""
    if not gaps.others:
        return ["no other review of the paper to compare with"]
    lines = [_gap(gap, gaps.others) for gap in gaps.missed]
    if gaps.unknown:
        lines.append(f"{counted(gaps.unknown, 'label')} of its own points unknown")
    return lines or ["nothing that another review raises"]


def often_missed(gaps: ReviewGaps) -> list[str]:
    """What at least half of the other reviews raise, and two of them, in words."""
    return [
        _gap(gap, gaps.others)
        for gap in gaps.missed
        if gap.others > 1 and 2 * gap.others >= gaps.others
    ]


def _gap(gap: FocusGap, others: int) -> str:
    return (
        f"{gap.facet} ({gap.kind}) in {_points(gap.polarity)}: "
        f"raised by {gap.others} of {counted(others, 'other review')}"
    )


def _points(polarity: str) -> str:
    return "weaknesses" if polarity == "weakness" else "strengths"


def _signed(share: float) -> str:
    return f"{100 * share:+.1f}".replace("-", "−")
