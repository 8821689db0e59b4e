"""Tables of the data: reconstructions, counts, annotators and how far they agree with each other.

They follow tables 5, 6, 8 and 9 of the ReviewScore paper (arXiv 2509.21679, appendices C to E).
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from reviewscore.agreement.human_labels import HumanLabels, median_low
from reviewscore.agreement.human_model import KINDS, Compared
from reviewscore.agreement.judge_scores import JudgeScores
from reviewscore.schema.argument import Round
from reviewscore.schema.proof import Validity
from reviewscore.stats.estimates import BootstrapPlan, mean, only
from reviewscore.stats.metrics import Level, krippendorff_alpha, rounded
from reviewscore.stats.statistic import Floats, Statistic
from reviewscore.stats.tables import Cell, Table

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
    return float(one.state.passed)


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
