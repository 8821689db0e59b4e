"""The most recent papers of a reviewer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from zlib import crc32

import numpy as np

from reviewscore.similarity.corpus import Publication


def most_recent(
    papers: Sequence[str],
    known: Mapping[str, Publication],
    count: int,
    *,
    reviewer: str,
    seed: int = 0,
) -> tuple[str, ...]:
    """The most recent papers by year, ties at random (arXiv 2303.16750, sec. 6.1).

    Papers without a year come last. The draw of a reviewer does not depend on other reviewers.

    Args:
        papers: Identifiers.
        known: All papers.
        count: How many to keep; all if there are fewer.
        reviewer: Whose they are.
        seed: Of the ties.
    """
    rng = np.random.default_rng([seed, crc32(reviewer.encode())])
    chance = rng.random(len(papers))
    years = [-np.inf if (year := known[paper].year) is None else year for paper in papers]
    order = sorted(range(len(papers)), key=lambda at: (-years[at], chance[at]))
    return tuple(papers[at] for at in order[:count])
