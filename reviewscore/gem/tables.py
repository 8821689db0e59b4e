"""Scores of systems as tables: means over papers with intervals, and differences to people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from reviewscore.gem.score import Scores
from reviewscore.sources.system_reviews import PEOPLE
from reviewscore.stats.estimates import BootstrapPlan, PendingEstimate, mean
from reviewscore.stats.resampling import Clusters, Resampling
from reviewscore.stats.statistic import Floats
from reviewscore.stats.tables import Cell, Table

MEANS, DIFFERENCES = "gem-means", "gem-differences"
ONE_PAPER = "one paper alone has no interval"
HONEST = (
    "lexical-cache measures lexical and topical informativeness: which words of a review come back "
    "in others of the same paper. Its nats cannot be compared with those of neural models or of "
    "another background. Read the means of systems, not the scores of single reviews."
)


def tables(scores: Sequence[Scores], how: Resampling, *, notes: Sequence[str] = ()) -> list[Table]:
    """Means of all systems, and if there are several, how they differ from people's.

    The unit is the paper: a system's reviews of one paper are averaged first, and whole papers are
    drawn.

    Args:
        scores: One for each variant.
        how: How intervals are made; papers are drawn whatever it says.
        notes: To be printed under the tables.
    """
    papers = sorted(set[str]().union(*(score.papers() for score in scores)))
    if not papers:
        return []
    plan = BootstrapPlan(Clusters.by(papers), how)
    systems = list(dict.fromkeys(name for score in scores for name in score.dropped))
    values = {
        (score.variant.name, name): _column(score, name, papers)
        for score in scores
        for name in systems
    }
    columns = ("system", *(score.variant.name for score in scores))
    rows: list[tuple[Cell, ...]] = []
    for name in systems:
        rows.append((name, *(_mean(plan, score, name, values) for score in scores)))
    level = how.percent
    found = [
        Table(
            MEANS,
            f"Informativeness in nats, mean over papers with {level} intervals "
            "(GRE-bench, arXiv 2411.07228, Table 6)",
            columns,
            tuple(rows),
            notes=tuple(notes),
        )
    ]
    if len(systems) > 1 and PEOPLE in systems:
        found.append(_differences(plan, scores, systems, values, level))
    plan.run()
    for table in found:
        for row in table.rows:
            without_spread(cell for cell in row if isinstance(cell, PendingEstimate))
    return found


def without_spread(slots: Iterable[PendingEstimate]) -> None:
    """Take intervals from means of one paper: every resample is that paper again."""
    for slot in slots:
        if slot.answer.n == 1:
            nothing = {"low": None, "high": None, "p": None, "reason": ONE_PAPER}
            slot.estimate = slot.answer.model_copy(update=nothing)


def _column(score: Scores, system: str, papers: Sequence[str]) -> Floats:
    """Shape (papers,); NaN where a system has no score."""
    known = score.by_paper(system)
    return np.array([known.get(paper, np.nan) for paper in papers])


def _mean(
    plan: BootstrapPlan, score: Scores, name: str, values: dict[tuple[str, str], Floats]
) -> PendingEstimate:
    column = values[score.variant.name, name]
    return plan.ask(mean(score.variant.name, column), _dropped(score.dropped[name]))


def _dropped(reasons: Counter[str]) -> dict[str, int]:
    return {f"reviews {reason}": count for reason, count in reasons.items()}


def _differences(
    plan: BootstrapPlan,
    scores: Sequence[Scores],
    systems: Sequence[str],
    values: dict[tuple[str, str], Floats],
    level: str,
) -> Table:
    """Each system minus people, on the papers that both have scores for."""
    rows: list[tuple[Cell, ...]] = []
    for name in systems:
        if name == PEOPLE:
            continue
        cells: list[Cell] = [name]
        for score in scores:
            variant = score.variant.name
            theirs, people = values[variant, name], values[variant, PEOPLE]
            both = ~np.isnan(theirs) & ~np.isnan(people)
            cells.append(
                plan.ask(
                    mean(variant, np.where(both, theirs, np.nan)),
                    minus=mean(variant, np.where(both, people, np.nan)),
                )
            )
        rows.append(tuple(cells))
    return Table(
        DIFFERENCES,
        f"Difference to people in nats, paired by paper, with {level} intervals and permutation p",
        ("system", *(score.variant.name for score in scores)),
        tuple(rows),
    )
