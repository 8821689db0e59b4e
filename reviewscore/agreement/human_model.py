"""Tables of human-model agreement: by judge and type, BASE against ADVANCED, shares, responses.

They follow tables 1 to 4 and 10 to 13 of the ReviewScore paper (arXiv 2509.21679).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reviewscore.agreement.human_labels import HumanLabels, misinformed
from reviewscore.agreement.judge_scores import NO_VERDICT, JudgeScores
from reviewscore.schema.review import PointType
from reviewscore.stats.estimates import BootstrapPlan, PendingEstimate, mean, only
from reviewscore.stats.metrics import METRICS, rounded
from reviewscore.stats.statistic import Floats
from reviewscore.stats.tables import Cell, Table

NO_LABEL = "no human label"
NOT_BOTH = "without all that is compared"
NO_PAIR = "not labelled by this annotator and another"
KINDS: tuple[tuple[str, tuple[PointType, ...]], ...] = (
    ("claims", (PointType.CLAIM,)),
    ("arguments", (PointType.ARGUMENT,)),
    ("questions", (PointType.QUESTION,)),
    ("review points", (PointType.CLAIM, PointType.ARGUMENT, PointType.QUESTION)),
)
"""Rows and columns by type of point, as in the paper."""
BINARY = ("precision", "recall", "f1")
"""Metrics of who is called misinformed, by name."""
FIVE_POINT = ("pearson", "spearman", "ac2", "kappa", "alpha")
"""Metrics of five-point scores, by name."""


@dataclass(frozen=True)
class Compared:
    """People and judges over the same units, and where to ask for coefficients.

    Attributes:
        people: The human labels.
        judges: The runs.
        points: BootstrapPlan of the review points.
        premises: BootstrapPlan of the premises.
    """

    people: HumanLabels
    judges: tuple[JudgeScores, ...]
    points: BootstrapPlan
    premises: BootstrapPlan

    def of(self, kinds: Sequence[PointType]) -> NDArray[np.bool_]:
        """Which points are of one of these types, by the human label."""
        return np.asarray([one in kinds for one in self.people.types], dtype=bool)

    def dropped(
        self,
        judge: JudgeScores,
        human: Floats,
        score: Floats,
        among: NDArray[np.bool_] | None = None,
    ) -> Counter[str]:
        """Why some points, or without `among` any premises, do not count."""
        why: Counter[str] = Counter()
        units = self.people.premises if among is None else self.people.points
        gone = np.isnan(human) | np.isnan(score)
        for row in np.flatnonzero(gone if among is None else among & gone):
            unit = units[row].unit_id
            why[NO_LABEL if np.isnan(human[row]) else judge.missing.get(unit, NO_VERDICT)] += 1
        return why

    def ask(
        self,
        metric: str,
        judge: JudgeScores,
        human: Floats,
        score: Floats,
        among: NDArray[np.bool_],
    ) -> Cell:
        """A slot for a coefficient of people and a judge on some points."""
        rows = among.astype(np.float64)
        statistic = METRICS[metric](only(human, rows), only(score, rows))
        return self.points.ask(statistic, self.dropped(judge, human, score, among))

    def difference(
        self,
        metric: str,
        one: tuple[Floats, Floats],
        other: tuple[Floats, Floats],
        among: NDArray[np.bool_],
    ) -> PendingEstimate:
        """A slot for the first pair's coefficient less the second's, on units that have both."""
        all_known = among & ~np.isnan(np.stack([*one, *other])).any(axis=0)
        rows = all_known.astype(np.float64)
        left, right = (METRICS[metric](only(h, rows), only(m, rows)) for h, m in (one, other))
        lacking = {NOT_BOTH: int((among & ~all_known).sum())}
        return self.points.ask(left, lacking, minus=right)


def overview(compared: Compared) -> Table:
    """F1 and kappa of each judge for each type of point (table 1)."""
    columns = ["judge", *(f"{kind} {name}" for kind, _ in KINDS for name in ("F1", "Kappa"))]
    rows: list[tuple[Cell, ...]] = []
    score, flags = compared.people.advanced
    for judge in compared.judges:
        cells: list[Cell] = [judge.name]
        for _, kinds in KINDS:
            among = compared.of(kinds)
            cells.append(compared.ask("f1", judge, flags, judge.flags, among))
            cells.append(compared.ask("kappa", judge, score, judge.advanced, among))
        rows.append(tuple(cells))
    rows += _people_rows(compared)
    return Table(
        "agreement",
        "Agreement with people, ADVANCED ReviewScore (as table 1)",
        tuple(columns),
        tuple(rows),
        notes=("F1 of the class misinformed; Kappa with quadratic weights over 1 to 5.",
               "Rows of annotators: one person against the median of the others, on the same "
               "scale, to show what can be expected at best."),
    )  # fmt: skip


def _people_rows(compared: Compared) -> list[tuple[Cell, ...]]:
    people = compared.people
    if len(people.annotators) < 2:  # noqa: PLR2004 - nobody to compare with
        return []
    rows = []
    for column, name in enumerate(people.annotators):
        score, flags = people.without(column).advanced
        own_score, own_flags = (one[:, column] for one in people.each)
        cells: list[Cell] = [f"annotator {name}"]
        for _, kinds in KINDS:
            rows_of = compared.of(kinds).astype(np.float64)
            for metric, h, m in (("f1", flags, own_flags), ("kappa", score, own_score)):
                gone = int((np.isnan(h) | np.isnan(m))[rows_of == 1].sum())
                statistic = METRICS[metric](only(h, rows_of), only(m, rows_of))
                cells.append(compared.points.ask(statistic, {NO_PAIR: gone}))
        rows.append(tuple(cells))
    return rows


def by_type(compared: Compared) -> list[Table]:
    """All coefficients of each judge, one table for each type of point (tables 10 to 13)."""
    tables = []
    score, flags = compared.people.advanced
    for (kind, kinds), number in zip(KINDS, (10, 11, 12, 13), strict=True):
        among = compared.of(kinds)
        rows: list[tuple[Cell, ...]] = [
            (
                judge.name,
                *(compared.ask(name, judge, flags, judge.flags, among) for name in BINARY),
                *(compared.ask(name, judge, score, judge.advanced, among) for name in FIVE_POINT),
            )
            for judge in compared.judges
        ]
        tables.append(
            Table(
                f"agreement-{kind.replace(' ', '-')}",
                f"Agreement with people on {kind} (as table {number})",
                ("judge", *(METRICS[name].title for name in (*BINARY, *FIVE_POINT))),
                tuple(rows),
                notes=(
                    "Pearson and Spearman of scores as they are; AC2 (quadratic weights), Kappa "
                    "(quadratic weights) and Alpha (ordinal) of scores rounded half up.",
                ),
            )
        )
    return tables


def scores_compared(compared: Compared) -> Table:
    """BASE, premises and ADVANCED scores of arguments (table 2)."""
    people = compared.people
    among = compared.of((PointType.ARGUMENT,))
    score, flags = people.advanced
    rows: list[tuple[Cell, ...]] = []
    for judge in compared.judges:
        base = (people.base, judge.base)
        base_flag = (misinformed(people.base), judge.base_flags)
        both = (flags, judge.flags)
        cut = (misinformed(rounded(score)), misinformed(rounded(judge.advanced)))
        premise = (people.premise, judge.premise)

        def at(
            metric: str,
            pair: tuple[Floats, Floats],
            judge: JudgeScores = judge,
        ) -> Cell:
            return compared.ask(metric, judge, *pair, among)

        def below(
            metric: str,
            h: Floats,
            m: Floats,
            *,
            judge: JudgeScores = judge,
        ) -> PendingEstimate:
            return compared.premises.ask(METRICS[metric](h, m), compared.dropped(judge, h, m))

        rows.append(
            (judge.name, "F1", at("f1", base_flag), below("f1", *map(misinformed, premise)),
             at("f1", both), at("f1", cut), compared.difference("f1", both, base_flag, among))
        )  # fmt: skip
        rows.append(
            (judge.name, "Kappa", at("kappa", base), below("kappa", *premise),
             at("kappa-of-flags", both), at("kappa", (score, judge.advanced)),
             compared.difference("kappa", (score, judge.advanced), base, among))
        )  # fmt: skip
    return Table(
        "base-and-advanced",
        "BASE against ADVANCED ReviewScore of arguments (as table 2)",
        ("judge", "metric", "base", "premises", "conjunction", "weighted", "advanced less base"),
        tuple(rows),
        keys=2,
        notes=(
            "Premises: factuality of each premise without aggregation. Conjunction: misinformed "
            "if any premise is. Weighted: mean factuality weighted by untrivialness.",
            "Advanced less base, on the same arguments: of F1 by conjunction, of Kappa by the "
            "weighted mean; p by swapping the two scores.",
        ),
    )


def shares(compared: Compared) -> Table:
    """Share of misinformed points by judge and by people (table 3)."""
    _, flags = compared.people.advanced
    rows: list[tuple[Cell, ...]] = []
    for judge in compared.judges:
        for kind, kinds in KINDS:
            among = compared.of(kinds)
            both = (among & ~np.isnan(flags) & ~np.isnan(judge.flags)).astype(np.float64)
            theirs, ours = mean("share", only(judge.flags, both)), mean("share", only(flags, both))
            dropped = compared.dropped(judge, flags, judge.flags, among)
            rows.append(
                (judge.name, kind, compared.points.ask(theirs, dropped),
                 compared.points.ask(ours, dropped),
                 compared.points.ask(theirs, dropped, minus=ours))
            )  # fmt: skip
    return Table(
        "shares",
        "Share of misinformed points in percent (as table 3)",
        ("judge", "points", "share by judge", "share by people", "difference"),
        tuple(rows),
        keys=2,
        kind="percent",
        notes=("On points that have both; p by swapping judge and people.",),
    )


def judges_compared(compared: Compared) -> Table | None:
    """Each judge less the first one, on the points that both judged; None for one judge."""
    if len(compared.judges) < 2:  # noqa: PLR2004 - nobody to compare with
        return None
    first, *others = compared.judges
    score, flags = compared.people.advanced
    among = compared.of(KINDS[-1][1])
    rows: list[tuple[Cell, ...]] = []
    for other in others:
        cells: list[Cell] = [other.name]
        cells.append(compared.difference("f1", (flags, other.flags), (flags, first.flags), among))
        for metric in ("kappa", "ac2"):
            pairs = (score, other.advanced), (score, first.advanced)
            cells.append(compared.difference(metric, *pairs, among))
        rows.append(tuple(cells))
    return Table(
        "judges-compared",
        f"Difference of each judge to {first.name}, review points",
        ("judge", "F1", "Kappa", "AC2"),
        tuple(rows),
        notes=("On the points that both judged; p by swapping the two judges.",),
    )


def responses(compared: Compared) -> Table | None:
    """Agreement without and with the authors' response (table 4); None if no judge has both."""
    rows: list[tuple[Cell, ...]] = []
    for without, with_one in _response_pairs(compared.judges):
        rows += _response_rows(compared, without, with_one)
    if not rows:
        return None
    return Table(
        "authors-response",
        "Effect of the authors' response on agreement with people (as table 4)",
        ("judge", "score", "F1 without", "F1 with", "F1 gain",
         "Kappa without", "Kappa with", "Kappa gain"),
        tuple(rows),
        keys=2,
        notes=("Gains on the same points; p by swapping the two runs.",),
    )  # fmt: skip


def _response_pairs(judges: Sequence[JudgeScores]) -> list[tuple[JudgeScores, JudgeScores]]:
    """Runs of one judge, or of one panel, without and with the authors' response."""
    without: dict[tuple[str, ...], JudgeScores] = {}
    for one in judges:
        if not one.run.with_response:
            without.setdefault(one.run.models, one)
    return [
        (without[one.run.models], one)
        for one in judges
        if one.run.with_response and one.run.models in without
    ]


def _response_rows(
    compared: Compared, without: JudgeScores, with_one: JudgeScores
) -> list[tuple[Cell, ...]]:
    people = compared.people
    score, flags = people.advanced
    weaknesses = (PointType.CLAIM, PointType.ARGUMENT)
    base_flags = misinformed(people.base)
    wanted = [
        ("WScore", weaknesses, (people.base, base_flags), "base"),
        ("ArgScore", (PointType.ARGUMENT,), (score, flags), "advanced"),
        ("QScore", (PointType.QUESTION,), (score, flags), "advanced"),
        ("ClaimScore", (PointType.CLAIM,), (score, flags), "advanced"),
        ("ReviewScore", KINDS[-1][1], (score, flags), "advanced"),
    ]
    rows = []
    for name, kinds, (five, binary), which in wanted:
        among = compared.of(kinds)
        cells: list[Cell] = [" + ".join(without.run.models), name]
        for metric, human, attribute in (
            ("f1", binary, "base_flags" if which == "base" else "flags"),
            ("kappa", five, which),
        ):
            pairs = [(human, getattr(one, attribute)) for one in (without, with_one)]
            for judge, pair in zip((without, with_one), pairs, strict=True):
                cells.append(compared.ask(metric, judge, *pair, among))
            cells.append(compared.difference(metric, pairs[1], pairs[0], among))
        rows.append(tuple(cells))
    rows.insert(1, _premise_response(compared, without, with_one))
    return rows


def _premise_response(
    compared: Compared, without: JudgeScores, with_one: JudgeScores
) -> tuple[Cell, ...]:
    scores = np.stack([compared.people.premise, without.premise, with_one.premise])
    scores[:, np.isnan(scores).any(axis=0)] = np.nan
    cells: list[Cell] = [" + ".join(without.run.models), "ArgScore without aggregation"]
    for metric, seen in (("f1", misinformed(scores)), ("kappa", scores)):
        of = METRICS[metric]
        left, right = of(seen[0], seen[1]), of(seen[0], seen[2])
        cells += [compared.premises.ask(left), compared.premises.ask(right)]
        cells.append(compared.premises.ask(right, minus=left))
    return tuple(cells)
