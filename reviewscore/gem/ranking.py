"""GRE-bench: systems ranked by how informative their reviews are (arXiv 2411.07228, sec. 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import nan
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from reviewscore.errors import InputError
from reviewscore.files import read_lines
from reviewscore.gem.score import Scores
from reviewscore.gem.tables import without_spread
from reviewscore.gem.write import SCORES
from reviewscore.papers.rows import input_error
from reviewscore.stats.estimates import BootstrapPlan, Estimate, PendingEstimate, mean
from reviewscore.stats.resampling import Clusters, Resampling
from reviewscore.stats.statistic import Floats
from reviewscore.stats.tables import Cell, Table

LEVEL = 0.9
"""Of intervals, as in the paper's figure 5."""
RANKING = "gem-ranking"
TIES = (
    "'=' beside a place: the interval of the difference to a neighbour, paired by paper, includes "
    "0. Neighbours alone are compared, and no correction is made for the number of comparisons."
)


class ScoreRow(BaseModel):
    """What is read of a line of ``scores.jsonl``.

    Attributes:
        variant: How it was made: GEM, GEM-S (abstract), ...
        nats: The review's mean over its references; None if it has none.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    variant: str
    system: str
    paper_id: str
    nats: float | None


@dataclass(frozen=True)
class PaperScores:
    """Scores by one variant: of each system, by paper, in nats.

    Attributes:
        dropped: Of each system, how many reviews have no score, by reason.
    """

    variant: str
    systems: Mapping[str, Mapping[str, float]]
    dropped: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    @classmethod
    def of(cls, scores: Scores) -> PaperScores:
        """From the scores of single reviews; a system's reviews of a paper are averaged."""
        dropped = {
            name: {f"reviews {why}": count for why, count in reasons.items()}
            for name, reasons in scores.dropped.items()
        }
        return cls(
            scores.variant.name, {one: scores.by_paper(one) for one in scores.systems()}, dropped
        )

    def means(self) -> dict[str, float]:
        """Mean over papers of every system that has a score."""
        return {
            name: sum(known.values()) / len(known) for name, known in self.systems.items() if known
        }


def read_scores(path: Path) -> list[PaperScores]:
    """Read the scores that `reviewscore gem` wrote; a system's reviews of a paper are averaged.

    Args:
        path: The folder, or its ``scores.jsonl``.

    Raises:
        InputError: There is no such file, or a line is no score; names file and line.
    """
    path = path / SCORES if path.is_dir() else path
    if not path.is_file():
        raise InputError("there is no such file", file=path, cure="name a folder that `gem` wrote")
    found: dict[str, dict[str, dict[str, list[float]]]] = {}
    for number, (_, raw) in enumerate(read_lines(path), start=1):
        try:
            one = ScoreRow.model_validate_json(raw)
        except ValidationError as error:
            raise input_error(error, file=path, line=number) from error
        papers = found.setdefault(one.variant, {}).setdefault(one.system, {})
        if one.nats is not None:
            papers.setdefault(one.paper_id, []).append(one.nats)
    return [
        PaperScores(
            variant,
            {
                name: {paper: sum(nats) / len(nats) for paper, nats in papers.items()}
                for name, papers in systems.items()
            },
        )
        for variant, systems in found.items()
    ]


@dataclass(frozen=True)
class Placed:
    """A system's place.

    Attributes:
        place: 1 is the best.
        tied: Whether a neighbour's place could as well be its own.
        mean: Mean over papers in nats, with its interval and n papers.
        ahead: Difference to the next system, on the papers of both; None for the last.
    """

    place: int
    system: str
    tied: bool
    mean: Estimate
    ahead: Estimate | None


@dataclass(frozen=True)
class Ranking:
    """All systems by one variant, the best first.

    Attributes:
        unplaced: Systems without any score.
        level: Of the intervals.
        table: The ranking as a table.
    """

    variant: str
    places: tuple[Placed, ...]
    unplaced: tuple[str, ...]
    level: float
    table: Table


def rank(
    scores: PaperScores, how: Resampling | None = None, *, notes: Sequence[str] = ()
) -> Ranking:
    """Rank systems by their mean over papers; people are one of the systems.

    Args:
        scores: Of one variant.
        how: How intervals are made; by default at 90 %. The papers are the units, and drawn.
        notes: To be printed under the table.
    """
    how = how or Resampling(level=LEVEL)
    means = scores.means()
    order = sorted(means, key=lambda name: (-means[name], name))
    unplaced = tuple(name for name in scores.systems if name not in means)
    papers = sorted({paper for known in scores.systems.values() for paper in known})
    slots, gaps = _asked(scores, order, papers, how)
    ties = [_includes_zero(gap.answer) for gap in gaps]
    places: list[Placed] = []
    rows: list[tuple[Cell, ...]] = []
    for at, name in enumerate(order):
        tied = any(ties[max(0, at - 1) : at + 1])
        gap = gaps[at] if at < len(gaps) else None
        places.append(
            Placed(at + 1, name, tied, slots[at].answer, gap.answer if gap is not None else None)
        )
        rows.append((f"{at + 1}{'=' if tied else ''}", name, slots[at], gap))
    rows += [("–", name, "no score", None) for name in unplaced]
    uneven = len({frozenset(scores.systems[name]) for name in order}) > 1
    more = ("the systems have scores on different papers: means may not be comparable",)
    table = Table(
        f"{RANKING}-{_slug(scores.variant)}",
        f"Ranking by {scores.variant}: nats, mean over papers with {how.percent} intervals "
        "(GRE-bench, arXiv 2411.07228, sec. 5)",
        ("place", "system", "mean", "ahead of the next by"),
        tuple(rows),
        keys=2,
        notes=(TIES, *(more if uneven else ()), *notes),
    )
    return Ranking(scores.variant, tuple(places), unplaced, how.level, table)


def _asked(
    scores: PaperScores, order: Sequence[str], papers: Sequence[str], how: Resampling
) -> tuple[list[PendingEstimate], list[PendingEstimate]]:
    """Means of all systems, and differences of neighbours."""
    if not papers:
        return [], []
    plan = BootstrapPlan(Clusters.by(papers), how)
    columns = [_column(scores.systems[name], papers) for name in order]
    slots = [
        plan.ask(mean("mean", column), scores.dropped.get(name))
        for name, column in zip(order, columns, strict=True)
    ]
    gaps = []
    for upper, lower in pairwise(columns):
        both = ~np.isnan(upper) & ~np.isnan(lower)
        first, second = (np.where(both, one, nan) for one in (upper, lower))
        gaps.append(plan.ask(mean("mean", first), minus=mean("mean", second)))
    plan.run()
    without_spread([*slots, *gaps])
    return slots, gaps


def _column(known: Mapping[str, float], papers: Sequence[str]) -> Floats:
    """Shape (papers,); NaN where there is no score."""
    return np.array([known.get(paper, nan) for paper in papers])


def _includes_zero(gap: Estimate) -> bool:
    """Whether two neighbours cannot be told apart; without an interval they cannot."""
    return gap.low is None or gap.high is None or gap.low <= 0 <= gap.high


def _slug(name: str) -> str:
    return "-".join("".join(sign if sign.isalnum() else " " for sign in name.lower()).split())
