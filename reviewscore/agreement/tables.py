"""The tables of a study: agreement by judge and type, BASE against ADVANCED, shares, the data."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from reviewscore.agreement.human_labels import HumanLabels, median_low, misinformed
from reviewscore.agreement.judge_scores import NO_VERDICT, JudgeScores, floats
from reviewscore.schema.annotation import Annotator
from reviewscore.schema.argument import ArgumentState, Round
from reviewscore.schema.proof import Validity
from reviewscore.schema.review import PointKind, PointType
from reviewscore.stats.estimates import BootstrapPlan, PendingEstimate, mean, only
from reviewscore.stats.metrics import METRICS, Level, krippendorff_alpha, rounded
from reviewscore.stats.statistic import Floats
from reviewscore.stats.tables import Cell, Table

NO_LABEL, NO_READER = "no human label", "no label"
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
_MAIN = ("f1", "kappa")
_ALL = "all"
_PASSED = (ArgumentState.ACCEPTED, ArgumentState.VALID_UNJUDGED)
_OF_ROUND: tuple[Callable[[Round], float], ...] = (
    lambda attempt: attempt.finding.validity is Validity.VALID,
    lambda attempt: attempt.state in _PASSED,
    lambda attempt: attempt.number,
)
_UNDECIDED = 3
_BY_STANDING = "Misinformed by the labels: a median standing of 1 or 2."
_WIDE = (2, 1)
"""Spreads of a panel above which it abstains, step by step."""
Which: TypeAlias = Literal["base", "advanced", "premise"]
_COLUMNS: dict[Which, tuple[str, str]] = {
    "base": ("base", "base_flags"),
    "advanced": ("advanced", "flags"),
    "premise": ("premise", "premise_flags"),
}
"""The columns of `Scores` with five-point scores, and with flags."""
_SCORES: tuple[Which, Which] = ("advanced", "base")


@dataclass(frozen=True)
class LabelsAndScores:
    """People and judges over the same units, and where to ask for coefficients.

    Attributes:
        people: The human labels.
        judges: The runs.
        points: BootstrapPlan of the review points.
        premises: BootstrapPlan of the premises.
        notes: What must be said of the labels.
    """

    people: HumanLabels
    judges: tuple[JudgeScores, ...]
    points: BootstrapPlan
    premises: BootstrapPlan
    notes: tuple[str, ...] = ()

    def of(self, kinds: Sequence[PointType]) -> NDArray[np.bool_]:
        """Which points are of one of these types, by the human label."""
        return np.asarray([kind in kinds for kind in self.people.types], dtype=bool)

    def dropped(
        self,
        judge: JudgeScores,
        human: Floats,
        score: Floats,
        among: NDArray[np.bool_] | None = None,
    ) -> Counter[str]:
        """Why some points, or without `among` any premises, do not count."""
        why: Counter[str] = Counter()
        unlabelled = NO_LABEL if self.people.by_people else NO_READER
        units = self.people.premises if among is None else self.people.points
        gone = np.isnan(human) | np.isnan(score)
        for row in np.flatnonzero(gone if among is None else among & gone):
            unit = units[row].unit_id
            why[unlabelled if np.isnan(human[row]) else judge.missing.get(unit, NO_VERDICT)] += 1
        return why

    @cached_property
    def links(self) -> Floats:
        """Shape (premises,); 1 for a link, 0 for a fact, by the first run that has the premise."""
        known = np.full(len(self.people.premises), np.nan)
        for judge in self.judges:
            known = np.where(np.isnan(known), judge.links, known)
        return known

    def pair(self, judge: JudgeScores, column: str) -> tuple[Floats, Floats]:
        """A column of `Scores` by people and by a judge."""
        return getattr(self.people, column), getattr(judge, column)

    def ask(
        self,
        metric: str,
        judge: JudgeScores,
        kinds: Sequence[PointType],
        which: Which = "advanced",
        *,
        column: str | None = None,
    ) -> PendingEstimate:
        """A slot for a coefficient of people and a judge, on points of some types.

        Args:
            metric: Its name.
            judge: The judge.
            kinds: Types of points; premises are not told apart by them.
            which: Which scores; their flags, for a metric of flags.
            column: A column of `Scores` in place of these.
        """
        human, score = self.pair(judge, column or _column(metric, which))
        of = METRICS[metric]
        if which == "premise":
            return self.premises.ask(of(human, score), self.dropped(judge, human, score))
        among = self.of(kinds)
        rows = among.astype(np.float64)
        statistic = of(only(human, rows), only(score, rows))
        return self.points.ask(statistic, self.dropped(judge, human, score, among))

    def difference(
        self,
        metric: str,
        pair: tuple[Floats, Floats],
        less: tuple[Floats, Floats],
        kinds: Sequence[PointType],
    ) -> PendingEstimate:
        """A slot for the coefficient of a pair less that of another, on units that have both."""
        among = self.of(kinds)
        all_known = among & ~np.isnan(np.stack([*pair, *less])).any(axis=0)
        rows = all_known.astype(np.float64)
        left, right = (METRICS[metric](only(h, rows), only(m, rows)) for h, m in (pair, less))
        lacking = {NOT_BOTH: int((among & ~all_known).sum())}
        return self.points.ask(left, lacking, minus=right)


def _column(metric: str, which: Which) -> str:
    return _COLUMNS[which][metric in BINARY]


def study_tables(compared: LabelsAndScores, level: Level) -> list[Table]:
    """All tables in the order of the report; their cells are filled when the plans have run."""
    standing = compared.people.on_standing  # which premises and reconstructions have no part in
    tables = [
        overview(compared),
        *by_type(compared),
        None if standing else scores_compared(compared),
        None if standing else fact_and_inference(compared),
        shares(compared),
        judges_compared(compared),
        None if standing else responses(compared),
        None if standing else reconstructions(compared),
        counts(compared),
        annotators(compared.people),
        between_people(compared, level),
        coverage(compared),
    ]
    return [table for table in tables if table is not None]


def overview(compared: LabelsAndScores) -> Table:
    """F1 and kappa of each judge for each type of point (table 1)."""
    columns = ["judge", *(f"{kind} {name}" for kind, _ in KINDS for name in ("F1", "Kappa"))]
    rows: list[tuple[Cell, ...]] = [
        (
            judge.name,
            *(compared.ask(metric, judge, kinds) for _, kinds in KINDS for metric in _MAIN),
        )
        for judge in compared.judges
    ]
    return Table(
        "agreement",
        f"Agreement with {compared.people.readers} on standing"
        if compared.people.on_standing
        else f"Agreement with {compared.people.readers}, ADVANCED ReviewScore (as table 1)",
        tuple(columns),
        (*rows, *_people_rows(compared)),
        notes=("F1 of the class misinformed; Kappa with quadratic weights over 1 to 5.",
               "Rows of annotators: one alone against the median of the others, on the same "
               "scale, to show what can be expected at best."),
    )  # fmt: skip


def _people_rows(compared: LabelsAndScores) -> list[tuple[Cell, ...]]:
    people = compared.people
    if len(people.annotators) < 2:  # noqa: PLR2004 - nobody to compare with
        return []
    rows = []
    for column, name in enumerate(people.annotators):
        others = people.without(column)
        own_scores, own_flags = (own[:, column] for own in people.each)
        cells: list[Cell] = [f"annotator {name}{' (model)' * (name in people.models)}"]
        for _, kinds in KINDS:
            among = compared.of(kinds).astype(np.float64)
            pairs = (others.flags, own_flags), (others.advanced, own_scores)
            for metric, (human, own) in zip(_MAIN, pairs, strict=True):
                gone = int((np.isnan(human) | np.isnan(own))[among == 1].sum())
                statistic = METRICS[metric](only(human, among), only(own, among))
                cells.append(compared.points.ask(statistic, {NO_PAIR: gone}))
        rows.append(tuple(cells))
    return rows


def by_type(compared: LabelsAndScores) -> list[Table]:
    """All coefficients of each judge, one table for each type of point (tables 10 to 13)."""
    metrics = (*BINARY, *FIVE_POINT)
    return [
        Table(
            f"agreement-{kind.replace(' ', '-')}",
            f"Agreement with {compared.people.readers} on the standing of {kind}"
            if compared.people.on_standing
            else f"Agreement with {compared.people.readers} on {kind} (as table {number})",
            ("judge", *(METRICS[name].title for name in metrics)),
            tuple(
                (judge.name, *(compared.ask(name, judge, kinds) for name in metrics))
                for judge in compared.judges
            ),
            notes=(
                "Pearson and Spearman of scores as they are; AC2 (quadratic weights), Kappa "
                "(quadratic weights) and Alpha (ordinal) of scores rounded half up.",
            ),
        )
        for number, (kind, kinds) in enumerate(KINDS, start=10)
    ]


def scores_compared(compared: LabelsAndScores) -> Table:
    """BASE, premises and ADVANCED scores of arguments (table 2)."""
    kinds = (PointType.ARGUMENT,)
    rows: list[tuple[Cell, ...]] = []
    for judge in compared.judges:
        for metric, of_flags, weighted in (
            ("f1", "f1", "weighted_flags"),
            ("kappa", "kappa-of-flags", "advanced"),
        ):
            advanced, base = (compared.pair(judge, _column(metric, which)) for which in _SCORES)
            rows.append(
                (judge.name, METRICS[metric].title,
                 compared.ask(metric, judge, kinds, "base"),
                 compared.ask(metric, judge, kinds, "premise"),
                 compared.ask(of_flags, judge, kinds, column="flags"),
                 compared.ask(metric, judge, kinds, column=weighted),
                 compared.difference(metric, advanced, base, kinds))
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


def fact_and_inference(compared: LabelsAndScores) -> Table | None:
    """Agreement on arguments as published, and where facts alone decide; None without premises."""
    if np.isnan(compared.links).all():
        return None
    by_facts, readers = compared.people.flags_by_facts(compared.links), compared.people.readers
    of_arguments = compared.of((PointType.ARGUMENT,))
    rows: list[tuple[Cell, ...]] = []
    for judge in compared.judges:
        for name, human, score in (
            ("as published", compared.people.flags, judge.flags),
            ("facts alone", by_facts, judge.flags_by_facts),
        ):
            cells: list[Cell] = [judge.name, name]
            for among in (of_arguments, compared.of(KINDS[-1][1])):
                both = (among & ~np.isnan(human) & ~np.isnan(score)).astype(np.float64)
                pair, lacking = (
                    (only(human, both), only(score, both)),
                    compared.dropped(judge, human, score, among),
                )
                cells.append(compared.points.ask(METRICS["f1"](*pair), lacking))
                if among is of_arguments:
                    flags = METRICS["kappa-of-flags"](*pair)
                    cells.append(compared.points.ask(flags, lacking))
                    cells += [
                        compared.points.ask(mean("share", side), lacking) for side in pair[::-1]
                    ]
            rows.append(tuple(cells))
    return Table(
        "fact-and-inference",
        "Misinformed by any premise, as published, and by facts alone",
        ("judge", "reading", "F1", "Kappa", "share by judge", f"share by {readers}",
         "review points F1"),
        tuple(rows),
        keys=2,
        kind=("coefficient", "coefficient", "coefficient", "coefficient", "percent", "percent",
              "coefficient"),
        notes=(
            "As published, any premise that is judged false makes an argument misinformed, and so "
            "it is in all other tables. By facts alone, an implicit conditional premise, which "
            "only links reasons to the conclusion, does not; its formula says so, of people's "
            "labels that of the run which they labelled.",
            "F1, Kappa and shares (in percent) of arguments, then F1 of all review points.",
        ),
    )  # fmt: skip


def shares(compared: LabelsAndScores) -> Table:
    """Share of misinformed points by judge and by people (table 3)."""
    rows: list[tuple[Cell, ...]] = []
    ask, readers = compared.points.ask, compared.people.readers
    for judge in compared.judges:
        human, score = compared.pair(judge, "flags")
        for name, kinds in KINDS:
            among = compared.of(kinds)
            both = (among & ~np.isnan(human) & ~np.isnan(score)).astype(np.float64)
            theirs, ours = (mean("share", only(flags, both)) for flags in (score, human))
            dropped = compared.dropped(judge, human, score, among)
            rows.append(
                (judge.name, name, ask(theirs, dropped), ask(ours, dropped),
                 ask(theirs, dropped, minus=ours))
            )  # fmt: skip
    return Table(
        "shares",
        "Share of misinformed points in percent (as table 3)",
        ("judge", "points", "share by judge", f"share by {readers}", "difference"),
        tuple(rows),
        keys=2,
        kind="percent",
        notes=(
            f"On points that have both; p by swapping judge and {readers}.",
            *([_BY_STANDING] if compared.people.on_standing else []),
        ),
    )


def judges_compared(compared: LabelsAndScores) -> Table | None:
    """Each judge less the first one, on the points that both judged; None for one judge."""
    first, *others = compared.judges
    if not others:
        return None
    rows: list[tuple[Cell, ...]] = []
    for other in others:
        cells: list[Cell] = [other.name]
        for metric in ("f1", "kappa", "ac2"):
            column = _column(metric, "advanced")
            pairs = compared.pair(other, column), compared.pair(first, column)
            cells.append(compared.difference(metric, *pairs, KINDS[-1][1]))
        rows.append(tuple(cells))
    return Table(
        "judges-compared",
        f"Difference of each judge to {first.name}, review points",
        ("judge", "F1", "Kappa", "AC2"),
        tuple(rows),
        notes=("On the points that both judged; p by swapping the two judges.",),
    )


def responses(compared: LabelsAndScores) -> Table | None:
    """Agreement without and with the authors' response (table 4); None if no judge has both."""
    without: dict[tuple[str, ...], JudgeScores] = {}
    for judge in compared.judges:
        if not judge.run.with_response:
            without.setdefault(judge.run.models, judge)
    rows: list[tuple[Cell, ...]] = []
    for judge in compared.judges:
        if judge.run.with_response and judge.run.models in without:
            rows += _response_rows(compared, without[judge.run.models], judge)
    if not rows:
        return None
    return Table(
        "authors-response",
        f"Effect of the authors' response on agreement with {compared.people.readers} (as table 4)",
        ("judge", "score", "F1 without", "F1 with", "F1 gain",
         "Kappa without", "Kappa with", "Kappa gain"),
        tuple(rows),
        keys=2,
        notes=("Gains on the same points; p by swapping the two runs.",),
    )  # fmt: skip


def _response_rows(
    compared: LabelsAndScores, without: JudgeScores, with_response: JudgeScores
) -> list[tuple[Cell, ...]]:
    """Rows of one judge, or of one panel."""
    wanted: tuple[tuple[str, tuple[PointType, ...], Which], ...] = (
        ("WScore", (PointType.CLAIM, PointType.ARGUMENT), "base"),
        ("ArgScore", (PointType.ARGUMENT,), "advanced"),
        ("QScore", (PointType.QUESTION,), "advanced"),
        ("ClaimScore", (PointType.CLAIM,), "advanced"),
        ("ReviewScore", KINDS[-1][1], "advanced"),
    )
    judge = " + ".join(without.run.models)
    rows: list[tuple[Cell, ...]] = []
    for name, kinds, which in wanted:
        cells: list[Cell] = [judge, name]
        for metric in _MAIN:
            before, after = (
                compared.pair(run, _column(metric, which)) for run in (without, with_response)
            )
            cells += [compared.ask(metric, run, kinds, which) for run in (without, with_response)]
            cells.append(compared.difference(metric, after, before, kinds))
        rows.append(tuple(cells))
    ask = compared.premises.ask
    cells = [judge, "ArgScore without aggregation"]
    scores = np.stack([compared.people.premise, without.premise, with_response.premise])
    scores[:, np.isnan(scores).any(axis=0)] = np.nan
    for metric, (human, *both) in zip(_MAIN, (misinformed(scores), scores), strict=True):
        old, new = (METRICS[metric](human, score) for score in both)
        cells += [ask(old), ask(new), ask(new, minus=old)]
    rows.insert(1, tuple(cells))
    return rows


def reconstructions(compared: LabelsAndScores) -> Table:
    """How well arguments were reconstructed, in the first round and by the loop (table 5)."""
    rows: list[tuple[Cell, ...]] = []
    for judge in compared.judges:
        for name, which in (("first round", 0), ("loop", -1)):
            last = which == -1
            arguments = [None if score is None else score.argument for score in judge.scores]
            rounds = [
                argument.rounds[which] if argument and argument.rounds else None
                for argument in arguments
            ]
            valid, passed, numbers = (
                floats(None if attempt is None else of(attempt) for attempt in rounds)
                for of in _OF_ROUND
            )
            rated = _faithfulness(compared.people, judge, last=last)
            asked = {"validity": valid, "pass": passed, "faithfulness": rated, "rounds": numbers}
            cells: list[Cell] = [
                compared.points.ask(mean(what, scores)) if last or what != "rounds" else None
                for what, scores in asked.items()
            ]
            known = numbers[~np.isnan(numbers)].tolist() if last else []
            deviation = f"{statistics.stdev(known):.2f}" if len(known) > 1 else ""
            rows.append((judge.name, name, *cells, deviation))
    return Table(
        "reconstruction",
        "Reconstruction of the labelled arguments (as table 5)",
        ("judge", "attempt", "validity", "pass rate", "faithfulness 1-5", "rounds", "sd of rounds"),
        tuple(rows),
        keys=2,
        notes=(
            "Validity by Z3, premises consistent; passed: valid and judged faithful. Faithfulness: "
            f"the median of {compared.people.readers}, of reconstructions that are the labelled "
            "ones.",
        ),
    )


def _faithfulness(people: HumanLabels, judge: JudgeScores, *, last: bool) -> Floats:
    """People's faithfulness of the attempts that they saw: the last ones of this very run."""
    rated = median_low(people.faithful)
    for row, score in enumerate(judge.scores):
        argument = None if score is None else score.argument
        own = people.premises_of[row]
        # Without a listed premise nothing shows that it is the labelled reconstruction.
        seen = argument is not None and bool(own) and all(judge.premises[number] for number in own)
        if not seen or argument is None or (not last and len(argument.rounds) > 1):
            rated[row] = np.nan
    return rated


def counts(compared: LabelsAndScores) -> Table:
    """What was labelled, by part of the set, and how much of it is misinformed (table 6)."""
    people = compared.people
    names = [unit.subset for unit in people.points]
    parts = sorted({name for name in names if name})
    by_part = {part: np.asarray([name == part for name in names]) for part in parts}
    by_part[_ALL if _ALL not in by_part else "all parts"] = np.ones(len(names), dtype=bool)
    masks = by_part.values()
    kinds_of = {name: compared.of(kinds) for name, kinds in reversed(KINDS)}
    of_premise = people.point_of[people.premises_labelled & (people.point_of >= 0)]
    rows: list[tuple[Cell, ...]] = [
        ("papers", *(len(_distinct(people, mask, "paper_id")) for mask in masks)),
        ("reviews", *(len(_distinct(people, mask, "review_id")) for mask in masks)),
        ("annotators", *(_annotators(people, mask) for mask in masks)),
    ]
    for name, of in kinds_of.items():
        rows.append((name, *(int((of & mask).sum()) for mask in masks)))
    rows.append(("premises", *(int(mask[of_premise].sum()) for mask in masks)))
    for name, of in kinds_of.items():
        among = [only(people.flags, (of & mask).astype(np.float64)) for mask in masks]
        shares = (compared.points.ask(mean("share", flags)) for flags in among)
        rows.append((f"{name} misinformed", *shares))
    return Table(
        "data",
        f"What {people.readers} labelled (as table 6)",
        ("", *by_part),
        tuple(rows),
        kind="percent",
        notes=(
            _BY_STANDING
            if people.on_standing
            else "Misinformed: in percent, by the median label, of arguments by the conjunction of "
            "premises.",
        ),
    )


def _distinct(people: HumanLabels, mask: NDArray[np.bool_], name: str) -> set[str]:
    return {getattr(unit, name) for unit, there in zip(people.points, mask, strict=True) if there}


def _annotators(people: HumanLabels, mask: NDArray[np.bool_]) -> int:
    premises = mask[np.maximum(people.point_of, 0)] & (people.point_of >= 0)
    labels = np.concatenate(
        [
            people.whole[mask],
            people.standing[mask],
            people.kinds[mask],
            people.faithful[mask],
            people.factuality[premises],
        ]
    )
    return int((~np.isnan(labels)).any(axis=0).sum())


def annotators(people: HumanLabels) -> Table | None:
    """Publications of the annotators and how near the papers are to them (table 8).

    None if nothing is known of them.
    """
    if not people.cards:
        return None
    rows: list[tuple[Cell, ...]] = []
    groups = people.groups or {_ALL: tuple(range(len(people.annotators)))}
    for group, columns in groups.items():
        names = [people.annotators[column] for column in columns]
        cards = [people.cards[name] for name in names if name in people.cards]
        rows += [
            (group, card.annotator, card.publications, _average([card.relevance.values()]))
            for card in cards
        ]
        rows.append(_means(group, cards))
    if len(people.groups) > 1:
        rows.append(_means(_ALL, list(people.cards.values())))
    return Table(
        "annotators",
        "Experience of the annotators (as table 8)",
        ("group", "annotator", "publications", "relevance of the papers 1-5"),
        tuple(rows),
        keys=2,
        notes=("Relevance: mean over the papers; of a group, mean over its annotators.",),
    )


def _means(group: str, cards: Sequence[Annotator]) -> tuple[Cell, ...]:
    publications = [card.publications for card in cards if card.publications is not None]
    relevance = _average([card.relevance.values() for card in cards])
    return group, "mean", _average([publications]), relevance


def _average(ratings: Sequence[Iterable[int]]) -> str:
    """The mean of means; empty if there is none."""
    means = [statistics.fmean(known) for known in map(list, ratings) if known]
    return f"{statistics.fmean(means):.2f}" if means else ""


def between_people(compared: LabelsAndScores, level: Level = "ordinal") -> Table:
    """Krippendorff's alpha between annotators, by group and type (table 9)."""
    people = compared.people
    everyone = tuple(range(len(people.annotators)))
    rows: list[tuple[Cell, ...]] = []
    columns_of = [*(name for name, _ in KINDS), "premises", *_beside(people)]
    by_column: list[list[float]] = [[] for _ in columns_of]
    for name, columns in people.groups.items():
        slots = _alphas(compared, columns, level)
        for values, slot in zip(by_column, slots, strict=True):
            value = slot.statistic.point()[0]
            if not np.isnan(value):
                values.append(value)
        rows.append((f"group {name}", *slots))
    if len(people.groups) > 1:
        medians = (f"{statistics.median(values):.3f}" if values else "–" for values in by_column)
        rows.append(("median of groups", *medians))
    if list(people.groups.values()) != [everyone]:
        rows.append(("all", *_alphas(compared, everyone, level)))
    return Table(
        "between-annotators",
        f"Agreement of the annotators with each other, Krippendorff's alpha, {level} (as table 9)",
        ("annotators", *columns_of),
        tuple(rows),
        notes=(
            "Types of points: their standing."
            if people.on_standing
            else "Arguments: each annotator's own weighted mean of premises, rounded half up, "
            "where the reconstruction was not passed over.",
        ),
    )


def _beside(people: HumanLabels) -> dict[str, Floats]:
    """What annotators may have said of points beside their score, shape (points, annotators)."""
    said = {"standing": people.standing, "kind (nominal)": people.kinds}
    return {name: labels for name, labels in said.items() if not np.isnan(labels).all()}


def _alphas(
    compared: LabelsAndScores, columns: Sequence[int], level: Level
) -> list[PendingEstimate]:
    """Slots for alpha of each type of point, and of premises."""
    people = compared.people
    scores = rounded(people.each[0])[:, list(columns)]
    of_points = (np.where(compared.of(kinds)[:, None], scores, np.nan) for _, kinds in KINDS)
    of_premises = krippendorff_alpha(people.factuality[:, list(columns)], level=level)
    codes = tuple(float(code) for code in range(len(PointKind)))
    beside = (
        krippendorff_alpha(own[:, list(columns)], categories=codes, level="nominal")
        if own is people.kinds
        else krippendorff_alpha(own[:, list(columns)], level=level)
        for own in _beside(people).values()
    )
    return [
        *(compared.points.ask(krippendorff_alpha(own, level=level)) for own in of_points),
        compared.premises.ask(of_premises),
        *map(compared.points.ask, beside),
    ]


def coverage(compared: LabelsAndScores) -> Table:
    """Agreement as each judge abstains more and more, and the share of points that it keeps.

    The more a judge leaves to people, the better the rest should be: selective prediction (El-Yaniv
    and Wiener 2010, J. Mach. Learn. Res. 11, 1605-1641), with the signs of doubt that a run holds.
    The steps are cumulative and fixed beforehand, so that none is chosen by its result.
    """
    rows: list[tuple[Cell, ...]] = []
    ask = compared.points.ask
    for judge in compared.judges:
        human, score = compared.pair(judge, "flags")
        both = ~np.isnan(human) & ~np.isnan(score)
        for name, kept in steps(judge):
            among = (both & kept).astype(np.float64)
            cells: list[Cell] = [ask(mean("share", np.where(both, among, np.nan)))]
            for metric in _MAIN:
                h, m = compared.pair(judge, _column(metric, "advanced"))
                cells.append(ask(METRICS[metric](only(h, among), only(m, among))))
            rows.append((judge.name, name, *cells))
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
    spread = np.nan_to_num(judge.spread, nan=0.0)
    doubts: list[tuple[str, NDArray[np.bool_]]] = [
        ("value-laden claims", judge.laden),
        ("scores of 3", rounded(judge.advanced) == _UNDECIDED),
        *((f"a panel's spread above {most - 1}", spread >= most) for most in _WIDE),
    ]
    kept = np.ones(len(judge.scores), dtype=bool)
    out = [("nothing", kept)]
    for name, doubtful in doubts:
        after = kept & ~doubtful
        if (after != kept).any():
            kept = after
            out.append((name, kept))
    return out
