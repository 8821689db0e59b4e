"""How near reviewers' own papers are to the papers they review, as a run's report shows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from reviewscore.printable import counted
from reviewscore.runs.folder import SIMILARITY, read_digest
from reviewscore.runs.manifest import Manifest
from reviewscore.schema.similarity import ReviewSimilarity, SimilarityDigest

HONEST = (
    "Similarity is of words: how near a reviewer's own papers are to the paper under review. It "
    "tells nothing about the review's worth, and no score of this run depends on it."
)
ELSEWHERE = (
    "How near reviewers' papers are was computed for other files than this run was made of; "
    "`reviewscore similarity RUN --profiles DIR` computes it again."
)


_FIFTH = 20
"""Percent in a bin."""


@dataclass(frozen=True)
class Beside:
    """What stands beside one review.

    Attributes:
        headline: The similarity in one line, or why there is none.
        lines: The nearest own papers.
        own: Whether the paper itself is in the reviewer's profile.
    """

    headline: str
    lines: tuple[str, ...] = ()
    own: bool = False


@dataclass(frozen=True)
class PercentileBin:
    """Reviews whose reviewers have a percentile in a range.

    Attributes:
        label: The range, its upper end included.
        count: Reviews.
        width: Of its bar: the share of reviews whose percentile is known, in percent.
    """

    label: str
    count: int
    width: float

    @property
    def words(self) -> str:
        """How many reviews there are."""
        return counted(self.count, "review")


@dataclass(frozen=True)
class Nearness:
    """What a report shows of the similarity of its reviewers.

    Attributes:
        digest: What was computed of the files of the run; None if nothing was.
        lines: It in short.
        bins: Reviews by the percentile of their reviewer among all, the nearest first; empty where
            none is known.
        beside: What stands beside each review.
        elsewhere: Why there is nothing, where something was computed of other files.
    """

    digest: SimilarityDigest | None = None
    lines: tuple[str, ...] = ()
    bins: tuple[PercentileBin, ...] = ()
    beside: Mapping[str, Beside] = field(default_factory=dict)
    elsewhere: str = ""

    @classmethod
    def of(cls, run: Path, manifest: Manifest) -> Nearness:
        """What was computed for a run.

        Args:
            run: The run folder.
            manifest: Its own account of itself.

        Raises:
            RunFolderError: The file is no digest.
        """
        found = read_digest(
            run / SIMILARITY, SimilarityDigest, f"reviewscore similarity {run} --profiles DIR"
        )
        if found is None:
            return cls()
        if set(found.inputs) != manifest.inputs_sha256:
            return cls(elsewhere=ELSEWHERE)
        beside = {name: beside_words(one, found) for name, one in found.reviews.items()}
        return cls(found, tuple(similarity_lines(found)), percentile_bins(found), beside)


def percentile_bins(found: SimilarityDigest) -> tuple[PercentileBin, ...]:
    """How many reviews have a reviewer in each fifth of all, for the paper of each."""
    among = [one.among_reviewers for one in found.reviews.values()]
    known = [percent for percent in among if percent is not None]
    if not known:
        return ()
    edges = range(100 - _FIFTH, -1, -_FIFTH)
    counts = {low: sum(low < percent <= low + _FIFTH for percent in known) for low in edges}
    return tuple(
        PercentileBin(f"{low} to {low + _FIFTH}", count, round(100 * count / len(known), 2))
        for low, count in counts.items()
    )


def similarity_lines(found: SimilarityDigest, *, shown: int | None = None) -> Iterator[str]:
    """The similarities of a run in short: of how many reviews, and who has none.

    Args:
        found: The similarities.
        shown: How many reviewers without one are named; all for None.
    """
    known = [one for one in found.reviews.values() if one.value is not None]
    yield (
        f"known for {len(known):,} of {counted(len(found.reviews), 'review')} (method "
        f"{found.method}; {counted(found.reviewers, 'reviewer')} with papers)"
    )
    among = [one.among_reviewers for one in known if one.among_reviewers is not None]
    if among:
        yield (
            f"median percentile of the reviews' reviewers among all {found.reviewers:,}, for the "
            f"paper of each: {median(among):.0f}"
        )
    own = sum(one.own for one in known)
    if own:
        yield f"papers under review that are in the reviewer's own profile: {own:,}"
    without: dict[str, dict[str, None]] = {}
    for name, one in found.reviews.items():
        if one.value is None:
            without.setdefault(one.why, {})[one.reviewer or f"review {name}"] = None
    for why, names in without.items():
        more = len(names) - len(list(names)[:shown])
        told = [*list(names)[:shown], *([f"{more:,} more"] if more else [])]
        yield f"without a similarity ({why}): {', '.join(told)}"


def beside_words(one: ReviewSimilarity, found: SimilarityDigest) -> Beside:
    """The similarity of one review's reviewer, in words."""
    who = one.reviewer or "the reviewer"
    if one.value is None:
        return Beside(f"Similarity of {who}'s papers to this one: unknown ({one.why})")
    scale = "; 0 is the mean of all reviewers" if found.centred else ""
    parts = [f"Similarity of {who}'s papers to this one: {one.value:.3f} ({found.method}{scale})"]
    if one.among_reviewers is not None:
        parts.append(
            f"percentile {one.among_reviewers:.0f} among {found.reviewers:,} reviewers for this "
            "paper"
        )
    if one.among_papers is not None:
        parts.append(
            f"percentile {one.among_papers:.0f} among {found.papers:,} papers for this reviewer"
        )
    lines = tuple(f"{paper.title} ({paper.similarity:.2f})" for paper in one.nearest)
    return Beside("; ".join(parts), lines, one.own)
