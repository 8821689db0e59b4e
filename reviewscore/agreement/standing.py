"""Tables on what is said of points beside their score: standing, kind, and what they presuppose."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from reviewscore.agreement.human_labels import HumanLabels, majority, median_low, misinformed
from reviewscore.agreement.judge_scores import JudgeScores
from reviewscore.agreement.tables import BINARY, FIVE_POINT, NO_PAIR, LabelsAndScores
from reviewscore.schema.review import PointKind
from reviewscore.stats.estimates import PendingEstimate, only
from reviewscore.stats.metrics import METRICS, OfPair, nominal_kappa, roc_area
from reviewscore.stats.statistic import Floats
from reviewscore.stats.tables import Cell, Table

OF_LEVELS = (*BINARY, "kappa-of-flags")
"""Metrics of the levels of runs by presuppositions, by name."""
LEVELS_NOTE = (
    "Supplied: the paper speaks to the point, no flag; misinformed: it would not stand either. The "
    "levels are never added up: supplied answers to a score of 1 or 2 (by the labels of "
    "presuppositions: a passage contradicts a central one), misinformed to a standing of 1 or 2; "
    "both are held against each. A passage that a reader names counts wherever it stands; of runs "
    "only what reviewers could see does. Area: of the run's probability, under the ROC curve."
)
_PAIR = 2


def standing_tables(compared: LabelsAndScores) -> list[Table]:
    """All of them; none that would be empty. Their cells are filled when the plans have run."""
    made = (standing_and_kind(compared), levels(compared))
    return [table for table in made if table is not None]


def standing_and_kind(compared: LabelsAndScores) -> Table | None:
    """Agreement on standing and on kinds; None if nobody labelled either."""
    people = compared.people
    standing, kind = median_low(people.standing), people.kind
    if np.isnan(people.standing).all() and np.isnan(people.kinds).all():
        return None
    rows: list[tuple[Cell, ...]] = []
    for judge in compared.judges:
        own = judge.base if judge.run.by_presuppositions else np.full(len(standing), np.nan)
        rows.append(_row(compared, judge.name, (standing, own), (kind, judge.kind), judge))
    for column, name in enumerate(people.annotators if len(people.annotators) >= _PAIR else ()):
        others = people.without(column)
        rows.append(
            _row(
                compared,
                f"annotator {name}{' (model)' * (name in people.models)}",
                (median_low(others.standing), people.standing[:, column]),
                (majority(others.kinds, len(PointKind)), people.kinds[:, column]),
            )
        )
    return Table(
        "standing-and-kind",
        f"Agreement with {people.readers} on standing and on kind",
        ("", *(f"standing {METRICS[name].title}" for name in FIVE_POINT), "kind Kappa"),
        tuple(rows),
        notes=(
            "Standing 1 to 5, as the five-point scores; Kappa of the kind (criticism, request, "
            "question, none) is Cohen's, unweighted. A judge has a standing if it judged by "
            "presuppositions. Rows of annotators: one alone against the median, or the majority, "
            "of the others.",
        ),
    )


def _row(
    compared: LabelsAndScores,
    name: str,
    standing: tuple[Floats, Floats],
    kinds: tuple[Floats, Floats],
    judge: JudgeScores | None = None,
) -> tuple[Cell, ...]:
    among = compared.people.kind != list(PointKind).index(PointKind.NONE)
    cells: list[Cell] = [name]
    cells += [_asked(compared, METRICS[metric], standing, judge, among) for metric in FIVE_POINT]
    everything = np.ones(len(among), dtype=bool)
    of_kinds = partial(nominal_kappa, categories=len(PointKind))
    return (*cells, _asked(compared, of_kinds, kinds, judge, everything))


def _asked(
    compared: LabelsAndScores,
    of: OfPair,
    pair: tuple[Floats, Floats],
    judge: JudgeScores | None,
    among: NDArray[np.bool_],
) -> PendingEstimate | None:
    """A slot for a coefficient of some points; None where one side says nothing at all."""
    if any(np.isnan(side).all() for side in pair):
        return None
    rows = among.astype(np.float64)
    statistic = of(only(pair[0], rows), only(pair[1], rows))
    if judge is not None:
        return compared.points.ask(statistic, compared.dropped(judge, *pair, among))
    gone = int((among & (np.isnan(pair[0]) | np.isnan(pair[1]))).sum())
    return compared.points.ask(statistic, {NO_PAIR: gone})


def levels(compared: LabelsAndScores) -> Table | None:
    """The two levels of runs by presuppositions against the labels; None without such runs.

    The levels are never added up: each is held against each level of the labels.
    """
    people = compared.people
    if not people.on_standing:
        return None
    typed = np.asarray([kind is not None for kind in people.types], dtype=bool)
    of_flags = [METRICS[name] for name in OF_LEVELS]
    rows: list[tuple[Cell, ...]] = []
    for judge in compared.judges:
        for words, labels in _levels_of(people).items():
            area = _asked(compared, roc_area, (labels, judge.probability), judge, typed)
            for flag, own in (("supplied", judge.supplied), ("misinformed", judge.flags)):
                cells = (_asked(compared, of, (labels, own), judge, typed) for of in of_flags)
                rows.append((judge.name, words, flag, *cells, area))
    return Table(
        "levels",
        f"The two levels of runs by presuppositions against {people.readers}",
        ("judge", "labels", "run", *(metric.title for metric in of_flags), "area"),
        tuple(rows),
        keys=3,
        notes=(LEVELS_NOTE,),
    )


def _levels_of(people: HumanLabels) -> dict[str, Floats]:
    """Which points are at each level by the labels, where there are any, shape (points,)."""
    made = {
        "score 1 or 2": misinformed(median_low(people.whole)),
        "presuppositions supplied": median_low(people.stated),
        "standing 1 or 2": misinformed(median_low(people.standing)),
    }
    return {words: labels for words, labels in made.items() if not np.isnan(labels).all()}
