"""Agreement when a judge may abstain: the more it leaves to people, the better the rest should be.

Selective prediction (El-Yaniv and Wiener 2010, J. Mach. Learn. Res. 11, 1605-1641), with the
signs of doubt that a run holds: value-laden claims, scores of 3, and the spread of a panel.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reviewscore.agreement.disagree import value_laden
from reviewscore.agreement.human_model import Compared
from reviewscore.agreement.judge_scores import JudgeScores
from reviewscore.schema.review import PointType
from reviewscore.stats.estimates import PendingEstimate, mean, only
from reviewscore.stats.metrics import METRICS, f1
from reviewscore.stats.statistic import Floats
from reviewscore.stats.tables import Cell, Table

_UNDECIDED = 3
_WIDE = (2, 1)
"""Spreads of a panel above which it abstains, step by step."""


def coverage(compared: Compared) -> Table:
    """Share of points kept and agreement on them, as each judge abstains more and more.

    The steps are cumulative and fixed beforehand, so that none is chosen by its result.
    """
    rows: list[tuple[Cell, ...]] = []
    human, flags = compared.people.advanced
    for judge in compared.judges:
        both = ~np.isnan(flags) & ~np.isnan(judge.flags)
        for name, kept in steps(judge):
            among = (both & kept).astype(np.float64)
            slots: list[PendingEstimate] = [
                compared.points.ask(mean("share", np.where(both, among, np.nan))),
                compared.points.ask(f1(only(flags, among), only(judge.flags, among))),
                compared.points.ask(
                    METRICS["kappa"](only(human, among), only(judge.advanced, among))
                ),
            ]
            rows.append((judge.name, name, *slots))
    return Table(
        "coverage",
        "Agreement when the judge may abstain",
        ("judge", "abstains on", "share kept", "F1", "Kappa"),
        tuple(rows),
        keys=2,
        notes=("Each step abstains on what the steps above it do, and more.",),
    )


def steps(judge: JudgeScores) -> list[tuple[str, NDArray[np.bool_]]]:
    """The points kept at each step; steps that change nothing are left out."""
    kept = np.ones(len(judge.scores), dtype=bool)
    laden = _laden(judge)
    undecided = np.floor(judge.advanced + 0.5) == _UNDECIDED
    rules: list[tuple[str, NDArray[np.bool_]]] = [
        ("value-laden claims", laden),
        ("scores of 3", undecided),
        *((f"a panel's spread above {most - 1}", _spread(judge.spread, most)) for most in _WIDE),
    ]
    out = [("nothing", kept)]
    for name, doubtful in rules:
        after = kept & ~doubtful
        if (after != kept).any():
            kept = after
            out.append((name, kept))
    return out


def _spread(spread: Floats, least: int) -> NDArray[np.bool_]:
    return np.nan_to_num(spread, nan=0.0) >= least


def _laden(judge: JudgeScores) -> NDArray[np.bool_]:
    """Claims, by the judge's own type, since at work there is no other."""
    return np.asarray(
        [
            one is not None and one.type is PointType.CLAIM and value_laden(one.text)
            for one in judge.scores
        ],
        dtype=bool,
    )
