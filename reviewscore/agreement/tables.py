"""The tables of a study: agreement by judge and type, BASE against ADVANCED, shares, the data."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reviewscore.agreement.human_labels import HumanLabels, median_low, misinformed
from reviewscore.agreement.judge_scores import NO_VERDICT, JudgeScores, value_laden
from reviewscore.schema.argument import ArgumentState, Round
from reviewscore.schema.proof import Validity
from reviewscore.schema.review import PointType
from reviewscore.stats.estimates import BootstrapPlan, PendingEstimate, mean, only
from reviewscore.stats.metrics import METRICS, Level, f1, krippendorff_alpha, rounded
from reviewscore.stats.statistic import Floats, Statistic
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


_PASSED = (ArgumentState.ACCEPTED, ArgumentState.VALID_UNJUDGED)
_ALL = "all"


def reconstructions(compared: Compared) -> Table:
    """How well arguments were reconstructed, in the first round and by the loop (table 5)."""
    rows: list[tuple[Cell, ...]] = []
    for judge in compared.judges:
        for name, which in (("first round", 0), ("loop", -1)):
            rounds = [_round(judge, row, which) for row in range(len(judge.scores))]
            cells: list[Cell] = [judge.name, name]
            for what, of in (("validity", _valid), ("pass", _passed)):
                scores = _floats([None if one is None else of(one) for one in rounds])
                cells.append(compared.points.ask(mean(what, scores)))
            rated = _faithfulness(compared.people, judge, last=which == -1)
            cells.append(compared.points.ask(mean("faithfulness", rated)))
            numbers = [None if one is None else float(one.number) for one in rounds]
            looped = _floats(numbers if which == -1 else [None] * len(rounds))
            cells.append(compared.points.ask(mean("rounds", looped)) if which == -1 else None)
            cells.append(_deviation(looped))
            rows.append(tuple(cells))
    return Table(
        "reconstruction",
        "Reconstruction of the labelled arguments (as table 5)",
        ("judge", "attempt", "validity", "pass rate", "faithfulness 1-5", "rounds", "sd of rounds"),
        tuple(rows),
        keys=2,
        notes=(
            "Validity by Z3, premises consistent; passed: valid and judged faithful. Faithfulness: "
            "the median of people, of reconstructions that are the labelled ones.",
        ),
    )


def _round(judge: JudgeScores, row: int, which: int) -> Round | None:
    score = judge.scores[row]
    if score is None or score.argument is None or not score.argument.rounds:
        return None
    return score.argument.rounds[which]


def _valid(one: Round) -> float:
    return float(one.finding.validity is Validity.VALID)


def _passed(one: Round) -> float:
    return float(one.state in _PASSED)


def _faithfulness(people: HumanLabels, judge: JudgeScores, *, last: bool) -> Floats:
    """People's faithfulness of the attempts that they saw: the last ones of this very run."""
    rated = median_low(people.faithful)
    for row, score in enumerate(judge.scores):
        argument = None if score is None else score.argument
        own = people.premises_of[row]
        # Without a listed premise nothing shows that it is the labelled reconstruction.
        seen = argument is not None and bool(own) and all(judge.premises[one] for one in own)
        if not seen or argument is None or (not last and len(argument.rounds) > 1):
            rated[row] = np.nan
    return rated


def _deviation(numbers: Floats) -> str:
    known = numbers[~np.isnan(numbers)].tolist()
    return f"{statistics.stdev(known):.2f}" if len(known) > 1 else ""


def counts(compared: Compared) -> Table:
    """What was labelled, by part of the set, and how much of it is misinformed (table 6)."""
    people = compared.people
    names = [one.subset for one in people.points]
    parts = sorted({name for name in names if name})
    masks = {name: np.asarray([one == name for one in names]) for name in parts}
    masks[_ALL if _ALL not in masks else "all parts"] = np.ones(len(names), dtype=bool)
    rows: list[tuple[Cell, ...]] = [
        ("papers", *(len(_distinct(people, mask, "paper_id")) for mask in masks.values())),
        ("reviews", *(len(_distinct(people, mask, "review_id")) for mask in masks.values())),
        ("annotators", *(_annotators(people, mask) for mask in masks.values())),
    ]
    for name, kinds in reversed(KINDS):
        of = compared.of(kinds)
        rows.append((name, *(int((of & mask).sum()) for mask in masks.values())))
    of_premise = people.point_of[people.premises_labelled & (people.point_of >= 0)]
    rows.append(("premises", *(int(mask[of_premise].sum()) for mask in masks.values())))
    _, flags = people.advanced
    for name, kinds in reversed(KINDS):
        cells: list[Cell] = [f"{name} misinformed"]
        for mask in masks.values():
            among = (compared.of(kinds) & mask).astype(np.float64)
            cells.append(compared.points.ask(mean("share", only(flags, among))))
        rows.append(tuple(cells))
    return Table(
        "data",
        "What people labelled (as table 6)",
        ("", *masks),
        tuple(rows),
        kind="percent",
        notes=(
            "Misinformed: in percent, by the median label, of arguments by the conjunction of "
            "premises.",
        ),
    )


def _distinct(people: HumanLabels, mask: NDArray[np.bool_], name: str) -> set[str]:
    return {getattr(one, name) for one, there in zip(people.points, mask, strict=True) if there}


def _annotators(people: HumanLabels, mask: NDArray[np.bool_]) -> int:
    premises = mask[np.maximum(people.point_of, 0)] & (people.point_of >= 0)
    labels = np.concatenate(
        [people.whole[mask], people.faithful[mask], people.factuality[premises]]
    )
    return int((~np.isnan(labels)).any(axis=0).sum())


def annotators(people: HumanLabels) -> Table | None:
    """Publications of the annotators and how near the papers are to them (table 8).

    None if nothing is known of them.
    """
    if not people.cards:
        return None
    rows: list[tuple[Cell, ...]] = []
    for group, columns in _groups(people).items():
        names = [people.annotators[column] for column in columns]
        cards = [people.cards[name] for name in names if name in people.cards]
        for card in cards:
            rows.append(
                (group, card.annotator, card.publications, _average([card.relevance.values()]))
            )
        known = [one.publications for one in cards if one.publications is not None]
        rows.append(
            (group, "mean", f"{statistics.fmean(known):.2f}" if known else "",
             _average([one.relevance.values() for one in cards]))
        )  # fmt: skip
    if len(people.groups) > 1:
        cards = list(people.cards.values())
        known = [one.publications for one in cards if one.publications is not None]
        mean_count = f"{statistics.fmean(known):.2f}" if known else ""
        rows.append(
            ("all", "mean", mean_count, _average([one.relevance.values() for one in cards]))
        )
    return Table(
        "annotators",
        "Experience of the annotators (as table 8)",
        ("group", "annotator", "publications", "relevance of the papers 1-5"),
        tuple(rows),
        keys=2,
        notes=("Relevance: mean over the papers; of a group, mean over its annotators.",),
    )


def _groups(people: HumanLabels) -> dict[str, tuple[int, ...]]:
    return people.groups or {_ALL: tuple(range(len(people.annotators)))}


def _average(ratings: Sequence[Iterable[int]]) -> str:
    known = [list(one) for one in ratings]
    means = [statistics.fmean(one) for one in known if one]
    return f"{statistics.fmean(means):.2f}" if means else ""


def between_people(compared: Compared, level: Level = "ordinal") -> Table:
    """Krippendorff's alpha between annotators, by group and type (table 9)."""
    people = compared.people
    groups = dict(people.groups)
    everyone = tuple(range(len(people.annotators)))
    rows: list[tuple[Cell, ...]] = []
    values: list[list[float]] = [[] for _ in range(len(KINDS) + 1)]
    for name, columns in groups.items():
        made = _alphas(compared, columns, level)
        for column, (_, statistic) in enumerate(made):
            value = statistic.point()[0]
            values[column] += [] if np.isnan(value) else [value]
        rows.append((f"group {name}", *(plan.ask(statistic) for plan, statistic in made)))
    if len(groups) > 1:
        medians = (f"{statistics.median(one):.3f}" if one else "–" for one in values)
        rows.append(("median of groups", *medians))
    if list(groups.values()) != [everyone]:
        made = _alphas(compared, everyone, level)
        rows.append(("all", *(plan.ask(statistic) for plan, statistic in made)))
    return Table(
        "between-annotators",
        f"Agreement of the annotators with each other, Krippendorff's alpha, {level} (as table 9)",
        ("annotators", *(name for name, _ in KINDS), "premises"),
        tuple(rows),
        notes=(
            "Arguments: each annotator's own weighted mean of premises, rounded half up, where "
            "the reconstruction was not passed over.",
        ),
    )


def _alphas(
    compared: Compared, columns: Sequence[int], level: Level
) -> list[tuple[BootstrapPlan, Statistic]]:
    people = compared.people
    scores = rounded(people.each[0])[:, list(columns)]
    made: list[tuple[BootstrapPlan, Statistic]] = []
    for _, kinds in KINDS:
        rows = compared.of(kinds)[:, None]
        own = np.where(rows, scores, np.nan)
        made.append((compared.points, krippendorff_alpha(own, level=level)))
    premises = krippendorff_alpha(people.factuality[:, list(columns)], level=level)
    return [*made, (compared.premises, premises)]


def _floats(numbers: Sequence[float | None]) -> Floats:
    return np.asarray([np.nan if one is None else one for one in numbers], dtype=np.float64)


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
