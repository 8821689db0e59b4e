"""The points of two runs, those that both have, and the tables of what differs between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from reviewscore.runs.folder import read_points
from reviewscore.runs.parts import RunPart
from reviewscore.schema.paper import base_paper_id
from reviewscore.schema.point_id import place_of, same_words
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.record import Record
from reviewscore.stats.estimates import Estimate, PendingEstimate
from reviewscore.stats.metrics import gwet_ac, krippendorff_alpha, nominal_kappa, weighted_kappa
from reviewscore.stats.resampling import Resampling
from reviewscore.stats.shares import (
    Cut,
    Quantity,
    TwoSamples,
    between_papers,
    by_composition,
    combined,
    paired_difference,
    plan_of_papers,
    share,
)
from reviewscore.stats.statistic import Floats, Ints, MissingReason, Statistic
from reviewscore.venue.outcomes import (
    INFERENCE,
    MARKS,
    MEASURES,
    MISINFORMED,
    NOT_MISINFORMED,
    STATED,
    SUPPLIED,
    TYPES,
    UNTYPED,
    VERDICTS,
    OutcomeMeasure,
    marks,
)

Kind = Literal["share", "difference", "coefficient"]
Mask = NDArray[np.bool_]
_QUESTION, _CLAIM, _ARGUMENT = range(3)
_KINDS = len(TYPES) - 1
_SCORES = ("none", "1", "2", "3", "4", "5")
_ONE_TYPE = "a run has points of a type in one paper only, so that there is no interval"
_COLUMNS: dict[str, tuple[str, Kind]] = {
    "first": ("First run", "share"),
    "second": ("Second run", "share"),
    "difference": ("Difference", "difference"),
    "exact": ("Same in both", "share"),
    "kappa": ("Weighted kappa", "coefficient"),
    "ac2": ("Gwet AC2", "coefficient"),
    "alpha": ("Krippendorff alpha", "coefficient"),
}
"""Heading and kind of a column by its name."""
_HEADINGS = {
    True: {"exact": "Same score"},
    False: {"exact": "Same verdict", "kappa": "Kappa of misinformed"},
}
"""Other headings of a table of agreement, by whether both runs have one scale."""
_KNOWN = (MISINFORMED, NOT_MISINFORMED)
Sums = NDArray[np.uint64]


@dataclass(frozen=True)
class PointColumns:
    """The points of a run, as columns of shape (points,).

    Attributes:
        names: Sum of each point's identifier.
        words: Sum of its words, white space normalised.
        reviews: Sum of its review's identifier.
        papers: Sum of its paper's identifier.
        types: Codes of `outcomes.TYPES`.
        outcomes: Codes of `outcomes.outcome`.
        marks: Codes of `outcomes.marks` as a sum of powers of two.
        base: BASE score 1..5; 0 is unknown.
        ordinals: Its place in its review, from 1; 0 is unknown.
        by_place: Whether that place is its identifier, as it was once.
    """

    names: Sums
    words: Sums
    reviews: Sums
    papers: Sums
    types: Ints
    outcomes: Ints
    marks: Ints
    base: Ints
    ordinals: Ints
    by_place: Mask

    def __len__(self) -> int:
        """Number of points."""
        return len(self.names)

    def at(self, rows: NDArray[Any]) -> PointColumns:
        """Some of the points."""
        return PointColumns(
            self.names[rows], self.words[rows], self.reviews[rows], self.papers[rows],
            self.types[rows], self.outcomes[rows], self.marks[rows], self.base[rows],
            self.ordinals[rows], self.by_place[rows],
        )  # fmt: skip

    def has(self, *codes: int) -> Mask:
        """Shape (points,); whether a point has any of these marks."""
        return np.asarray(self.marks & sum(1 << code for code in codes) != 0, dtype=np.bool_)

    @property
    def content(self) -> Sums:
        """Shape (points,); sums of review, words and how often these came before in the review."""
        order = np.lexsort((self.ordinals, self.words, self.reviews))
        reviews, words = self.reviews[order], self.words[order]
        place = np.arange(len(order))
        repeat = (reviews[1:] == reviews[:-1]) & (words[1:] == words[:-1])
        first = np.maximum.accumulate(np.where(np.r_[True, ~repeat][: len(order)], place, 0))
        sums = np.empty(len(order), dtype=np.uint64)
        odd = np.uint64(0x9E3779B97F4A7C15)  # an odd factor keeps sums apart, modulo 2 to the 64
        sums[order] = (reviews * odd + words) * odd + (place - first).astype(np.uint64)
        return sums


def columns_of(part: RunPart) -> PointColumns:
    """The points of a run, about 50 bytes of each.

    Raises:
        RunFolderError: A record cannot be read.
    """
    rows = np.fromiter(
        (_row(score) for score in read_points(part.path) if score.is_point),
        dtype=[("name", "u8"), ("words", "u8"), ("review", "u8"), ("paper", "u8"), ("type", "i1"),
               ("outcome", "i1"), ("marks", "i2"), ("base", "i1"), ("ordinal", "i8"),
               ("by_place", "?")],
    )  # fmt: skip
    return PointColumns(
        rows["name"].copy(), rows["words"].copy(), rows["review"].copy(), rows["paper"].copy(),
        rows["type"].astype(np.int64), rows["outcome"].astype(np.int64),
        rows["marks"].astype(np.int64), rows["base"].astype(np.int64),
        rows["ordinal"].astype(np.int64), rows["by_place"].copy(),
    )  # fmt: skip


def _row(score: PointScore) -> tuple[int | bool, ...]:
    kind = TYPES.index(score.type.value if score.type else UNTYPED)
    base = base_paper_id(score.paper_id)  # of whatever version: papers are drawn whole
    names = (score.point_id, same_words(score.text), score.review_id, base)
    name, words, review, paper = map(_sum, names)
    by_place = place_of(score.point_id) is not None
    verdict, *others = marks(score)
    bits = sum(1 << code for code in (verdict, *others))
    scored = verdict, bits, score.base or 0
    return name, words, review, paper, kind, *scored, score.ordinal, by_place


def _sum(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "big")


@dataclass(frozen=True)
class Pairs:
    """Points that two runs share, side by side.

    Attributes:
        first: The points in the first run.
        second: The same points in the second, in the same order.
        paper_of: Shape (points,); number of each point's paper.
        papers: How many papers they are of.
        only_first: Points that only the first run has.
        only_second: Points that only the second has.
        reworded: Points with one identifier and other words: not paired.
    """

    first: PointColumns
    second: PointColumns
    paper_of: Ints
    papers: int
    only_first: int
    only_second: int
    reworded: int

    def __len__(self) -> int:
        """Number of pairs."""
        return len(self.first)

    @property
    def overlap(self) -> float:
        """Pairs among the points of the smaller run, 0..1; 0 if it has none."""
        shared = len(self) + self.reworded
        smaller = min(self.only_first, self.only_second) + shared
        return len(self) / smaller if smaller else 0.0

    def by_paper(self, statistic: Statistic, rows: Ints) -> Statistic:
        """A coefficient of some of the points with papers as its units; it still counts points."""
        weights = [
            np.bincount(self.paper_of[rows], column, minlength=self.papers)
            for column in statistic.contributions.T
        ]
        return replace(statistic, contributions=np.stack(weights, axis=1), settle=between_papers)

    def per_paper(self, of_points: NDArray[Any]) -> Floats:
        """The sum over each paper's points, shape (papers,)."""
        weights = of_points.astype(np.float64)
        return np.bincount(self.paper_of, weights, minlength=self.papers).astype(np.float64)


def pair(first: PointColumns, second: PointColumns) -> Pairs:
    """Pair points by identifier where their words are the same.

    Of a run whose identifiers are places and another that has them of content, points are paired
    by review and words, of repeats the first with the first.
    """
    if first.by_place.any() == second.by_place.any():
        names = first.names, second.names
    else:
        names = first.content, second.content
    shared, left, right = np.intersect1d(*names, return_indices=True)
    same = first.words[left] == second.words[right]
    ours, theirs = first.at(left[same]), second.at(right[same])
    _, paper_of = np.unique(ours.papers, return_inverse=True)
    papers = int(paper_of.max()) + 1 if len(paper_of) else 0
    return Pairs(
        first=ours,
        second=theirs,
        paper_of=paper_of.reshape(-1).astype(np.int64),
        papers=papers,
        only_first=len(first) - len(shared),
        only_second=len(second) - len(shared),
        reworded=int((~same).sum()),
    )


def furthest(pairs: Pairs, most: int, *, one_scale: bool = True) -> Ints:
    """Places of the pairs that differ most, the largest difference first.

    Scores of one scale differ by 1 to 4; then come points on which only the verdict differs.

    Args:
        pairs: The pairs.
        most: How many at most.
        one_scale: Whether BASE scores of both runs mean the same; else only verdicts count.
    """
    ours, theirs = pairs.first, pairs.second
    other = ours.outcomes != theirs.outcomes
    known = (ours.base > 0) & (theirs.base > 0) & ((ours.types == 0) == (theirs.types == 0))
    known &= one_scale
    apart: Floats = np.where(known, abs(ours.base - theirs.base), 0) + 0.5 * other
    order = np.lexsort((pairs.first.names, -apart))
    return order[apart[order] > 0][:most]


def read_again(
    part: RunPart,
    points: PointColumns,
    places: Sequence[int],
    make: Callable[[PointScore], dict[str, str]],
) -> dict[int, dict[str, str]]:
    """What a run has on some of its points, by place; the run is read once more."""
    wanted = {int(points.names[place]): int(place) for place in places}
    if not wanted:
        return {}
    scores = ((wanted.get(_sum(score.point_id)), score) for score in read_points(part.path))
    return {place: make(score) for place, score in scores if place is not None}


class EstimateRow(Record):
    """One row of estimates.

    Attributes:
        group: What points it is of.
        estimates: Estimates by column; a column that makes no sense here is not in it.
    """

    group: str
    estimates: dict[str, Estimate]


class DriftSection(Record):
    """One table of estimates.

    Attributes:
        name: Such as ``rates``.
        title: Its heading.
        columns: Headings by name of the column.
        kinds: What the column's values are, by name.
        lines: Its rows.
        notes: How it is defined.
    """

    name: str
    title: str
    columns: dict[str, str]
    kinds: dict[str, Kind]
    lines: tuple[EstimateRow, ...]
    notes: tuple[str, ...] = ()


class Cross(Record):
    """How often each pair of values comes, the first run's in rows.

    Attributes:
        name: Such as ``scores``.
        title: Its heading.
        values: Names of rows and columns.
        counts: Points.
    """

    name: str
    title: str
    values: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]


def _section(
    name: str, title: str, lines: Sequence[EstimateRow], notes: Iterable[str], **headings: str
) -> DriftSection:
    """A table of lines whose columns are those of the first; `headings` are other than usual."""
    columns = {estimate: _COLUMNS[estimate] for estimate in lines[0].estimates}
    return DriftSection(
        name=name,
        title=title,
        columns={text: heading for text, (heading, _) in columns.items()} | headings,
        kinds={text: kind for text, (_, kind) in columns.items()},
        lines=tuple(lines),
        notes=tuple(notes),
    )


def _meanings(measures: Iterable[OutcomeMeasure]) -> list[str]:
    return [f"{measure.title}: {measure.meaning}." for measure in measures]


@dataclass(frozen=True)
class BaseScores:
    """What BASE scores of two runs mean.

    Attributes:
        first: In the first run: ``standing``, or ``published``.
        second: In the second.
    """

    first: Literal["published", "standing"] = "published"
    second: Literal["published", "standing"] = "published"

    @property
    def one_scale(self) -> bool:
        """Whether they can be held against each other."""
        return self.first == self.second

    @property
    def words(self) -> str:
        """What they mean, in a sentence."""
        means = {
            "published": "unanswerability of questions, factuality of claims and arguments",
            "standing": "standing, whether a fair reviewer would still make the remark",
        }
        if self.one_scale:
            return f"BASE is in both runs: {means[self.first]}."
        return (
            f"BASE is in the first run: {means[self.first]}; in the second: {means[self.second]}. "
            "These are different scales, so that no coefficient of their agreement is given."
        )


def paired_sections(
    pairs: Pairs,
    how: Resampling,
    measures: Sequence[OutcomeMeasure] = MEASURES,
    base: BaseScores | None = None,
) -> tuple[DriftSection, ...]:
    """Rates and agreement on the points that two runs share.

    Args:
        pairs: The points of both.
        how: How intervals are made; papers are drawn whole.
        measures: What is measured of both.
        base: What their BASE scores mean; None for what the ReviewScore paper says.
    """
    plan = plan_of_papers(pairs.papers, how)
    base = base or BaseScores()
    first, *others = measures
    groups = _groups(pairs)
    everything, *typed = groups
    typed.append(("claims and arguments", _weaknesses(pairs)))

    def ask(group: str, statistics: Iterable[Statistic]) -> tuple[str, list[PendingEstimate]]:
        return group, [plan.ask(statistic) for statistic in statistics]

    rates = [ask(group, _rates(pairs, first, mask)) for group, mask in groups]
    rest = [ask(other.title, _rates(pairs, other, everything[1])) for other in others]
    if base.one_scale:
        agreed = [ask(group, _coefficients(pairs, mask)) for group, mask in typed]
    else:
        agreed = [ask(group, _same_verdicts(pairs, mask)) for group, mask in groups]
    plan.run()
    rates_lines, rest_lines, agreed_lines = (
        [
            EstimateRow(group=group, estimates={slot.statistic.name: slot.answer for slot in slots})
            for group, slots in rows
        ]
        for rows in (rates, rest, agreed)
    )
    note = (
        "Of points where both runs know it; the difference is the second run's share less the "
        "first one's. Rows of a type hold points that both runs call so."
    )
    return (
        _section("rates", f"{first.title}: the same points, paired", rates_lines,
                 [*_meanings([first]), note]),
        _section("others", "What else came of the same points", rest_lines,
                 [*_meanings(others), note]),
        _section(
            "agreement",
            "Agreement of the two runs",
            agreed_lines,
            [*_on_agreement(base),
             "Agreement of two judges is no accuracy: both may be mistaken alike."],
            **_HEADINGS[base.one_scale],
        ),
    )  # fmt: skip


def _on_agreement(base: BaseScores) -> list[str]:
    if not base.one_scale:
        return [
            base.words,
            "Verdicts are misinformed, not misinformed, unknown and error; kappa (Cohen's) is of "
            "points that both know to be misinformed or not.",
        ]
    coefficients = (
        "BASE scores 1 to 5 where both runs have one: kappa and AC2 with quadratic "
        "weights, alpha ordinal, always over the whole scale."
    )
    if base.first == "standing":
        return [coefficients, base.words]
    return [
        f"{coefficients} Questions (unanswerability) "
        "and claims and arguments (factuality) are two scales and never mixed."
    ]


def _same_verdicts(pairs: Pairs, mask: Mask) -> list[Statistic]:
    """How often verdicts are the same, and kappa of who is misinformed where both know it."""
    same = mask & (pairs.first.outcomes == pairs.second.outcomes)
    known = mask & pairs.first.has(*_KNOWN) & pairs.second.has(*_KNOWN)
    rows = np.flatnonzero(known)
    ours, theirs = (
        run.has(MISINFORMED)[rows].astype(np.float64) for run in (pairs.first, pairs.second)
    )
    return [
        share("exact", pairs.per_paper(same), pairs.per_paper(mask)),
        pairs.by_paper(nominal_kappa(ours, theirs, 2), rows),
    ]


def _groups(pairs: Pairs) -> list[tuple[str, Mask]]:
    ours, theirs = pairs.first.types, pairs.second.types
    groups = [("all points", np.ones(len(pairs), dtype=np.bool_))]
    return groups + [
        (f"{name}s", (ours == code) & (theirs == code)) for code, name in enumerate(TYPES[:-1])
    ]


def _weaknesses(pairs: Pairs) -> Mask:
    """Claims and arguments, to both runs: they have one scale."""
    ours, theirs = (np.isin(run.types, (_CLAIM, _ARGUMENT)) for run in (pairs.first, pairs.second))
    return np.asarray(ours & theirs, dtype=np.bool_)


def _rates(pairs: Pairs, measure: OutcomeMeasure, mask: Mask) -> list[Statistic]:
    """A measure of both runs, its difference, and how often they agree on it."""
    rows = mask & pairs.first.has(*measure.of) & pairs.second.has(*measure.of)
    base = pairs.per_paper(rows)
    ours, theirs = (run.has(measure.hit) for run in (pairs.first, pairs.second))
    first, second = (pairs.per_paper(rows & hits) for hits in (ours, theirs))
    same = pairs.per_paper(rows & (ours == theirs))
    return [
        share("first", first, base),
        share("second", second, base),
        paired_difference("difference", first, second, base),
        share("exact", same, base),
    ]


def _coefficients(pairs: Pairs, mask: Mask) -> list[Statistic]:
    """How often BASE scores of one scale are the same, and how far they agree; by papers."""
    ours, theirs = pairs.first.base, pairs.second.base
    known = (ours > 0) & (theirs > 0) & mask
    rows = np.flatnonzero(known)
    ratings = np.stack([ours[rows], theirs[rows]], axis=1).astype(np.float64)
    same = share("exact", pairs.per_paper(known & (ours == theirs)), pairs.per_paper(known))
    coefficients = (weighted_kappa(*ratings.T), gwet_ac(ratings), krippendorff_alpha(ratings))
    return [same, *(pairs.by_paper(coefficient, rows) for coefficient in coefficients)]


CLASSES = (
    *("misinformed", "misinformed by the inference alone"),
    *("the paper speaks to it (no flag)", "the authors state it too"),
    *("not misinformed", "unknown", "error"),
)
"""Verdicts as a cross table tells them apart: each point has one of these."""


def crosses(pairs: Pairs, base: BaseScores | None = None) -> tuple[Cross, ...]:
    """Cross tables of types, verdicts and scores.

    Args:
        pairs: The points of both runs.
        base: As of `paired_sections`.
    """
    ours, theirs = pairs.first, pairs.second
    base = base or BaseScores()
    question = (ours.types == _QUESTION) & (theirs.types == _QUESTION)
    weak = _weaknesses(pairs)
    tables = [
        _cross("types", "Types", TYPES, ours.types, theirs.types),
        _cross("outcomes", "Verdicts", VERDICTS, ours.outcomes, theirs.outcomes),
    ]
    finer = (INFERENCE, SUPPLIED, STATED)
    if any(run.has(*finer).any() for run in (ours, theirs)):
        sides = (_classes(run) for run in (ours, theirs))
        tables.append(_cross("classes", "Verdicts with levels, never added up", CLASSES, *sides))
    for name, title, mask, published in (
        ("scores-questions", "BASE scores of questions", question, "unanswerability"),
        ("scores-weaknesses", "BASE scores of claims and arguments", weak, "factuality"),
    ):
        scales = [published if side == "published" else side for side in (base.first, base.second)]
        heading = title if base.one_scale else f"{title}: {scales[0]} (rows) beside {scales[1]}"
        tables.append(_cross(name, heading, _SCORES, ours.base[mask], theirs.base[mask]))
    return tuple(tables)


def _classes(run: PointColumns) -> Ints:
    """Shape (points,); codes of `CLASSES`. A misinformed point is that, whatever else it is."""
    flagged = run.outcomes == MISINFORMED
    plain = np.where(flagged, 0, run.outcomes + CLASSES.index("not misinformed") - 1)
    not_flagged = run.outcomes == NOT_MISINFORMED
    return np.select(
        [
            flagged & run.has(INFERENCE),
            not_flagged & run.has(SUPPLIED),
            not_flagged & run.has(STATED),
        ],
        [1, 2, 3],
        plain,
    )


def _cross(name: str, title: str, values: tuple[str, ...], rows: Ints, columns: Ints) -> Cross:
    kinds = len(values)
    counts = np.bincount(rows * kinds + columns, minlength=kinds**2).reshape(kinds, kinds)
    return Cross(name=name, title=title, values=values, counts=tuple(map(tuple, counts.tolist())))


def by_paper(columns: PointColumns) -> Floats:
    """Points by paper, type and mark, shape (papers, types, marks)."""
    papers, paper_of = np.unique(columns.papers, return_inverse=True)
    kinds = len(TYPES)
    place = paper_of.reshape(-1) * kinds + columns.types
    counts = [
        np.bincount(place[columns.has(code)], minlength=len(papers) * kinds)
        for code in range(MARKS)
    ]
    return np.stack(counts, axis=1).reshape(len(papers), kinds, MARKS).astype(np.float64)


def unpaired_sections(
    first: PointColumns,
    second: PointColumns,
    how: Resampling,
    measures: Sequence[OutcomeMeasure] = MEASURES,
) -> tuple[DriftSection, ...]:
    """Differences of rates of two years or venues, and what a shift of the types accounts for.

    Args:
        first: Points of the first run.
        second: Of the second.
        how: How intervals are made; each run's papers are drawn on their own.
        measures: What is measured of both.
    """
    old, new = (by_paper(run).reshape(-1, len(TYPES) * MARKS) for run in (first, second))
    runs = TwoSamples.of(old, new, how)
    main, *others = measures
    every, types = slice(None), TYPES[:-1]
    groups = [("all points", every)]
    groups += [(f"{name}s", slice(code, code + 1)) for code, name in enumerate(types)]
    rates = [_line(runs, group, _points(main, kinds)) for group, kinds in groups]
    mix = [_line(runs, f"{name}s", _of_type(main, code)) for code, name in enumerate(types)]
    rest = [_line(runs, other.title, _points(other, every)) for other in others]
    note = "The difference is the second run's share less the first one's."
    return (
        _section("rates", f"{main.title}: two sets of papers", rates, [*_meanings([main]), note]),
        _composition(runs, main, rates),
        _section("mix", "The mix of types", mix,
                 [f"Mix: share of each type among points counted for '{main.title}'.", note]),
        _section("others", "What else came of the points", rest, [*_meanings(others), note]),
    )  # fmt: skip


def _line(runs: TwoSamples, group: str, cut: Cut) -> EstimateRow:
    return EstimateRow(group=group, estimates=runs.shares(cut))


def _cube(sums: Floats) -> Floats:
    """Sums by type and mark, shape (samples, types, marks)."""
    return sums.reshape(len(sums), len(TYPES), MARKS)


def _points(measure: OutcomeMeasure, kinds: slice) -> Cut:
    """What a measure is of, over some types."""

    def cut(sums: Floats) -> Floats:
        some = _cube(sums)[:, kinds].sum(axis=1)
        return np.stack([some[:, measure.hit], some[:, measure.of].sum(axis=1)], axis=1)

    return cut


def _of_type(measure: OutcomeMeasure, code: int) -> Cut:
    """Points of a type among those that the measure is of."""

    def cut(sums: Floats) -> Floats:
        known = _cube(sums)[:, :_KINDS][:, :, measure.of].sum(axis=2)
        return np.stack([known[:, code], known.sum(axis=1)], axis=1)

    return cut


def _composition(
    runs: TwoSamples, measure: OutcomeMeasure, rates: Sequence[EstimateRow]
) -> DriftSection:
    """The difference as what rates within types, and what the mix of types accounts for.

    Args:
        runs: Both runs.
        measure: What is measured.
        rates: Its difference over all points, and then of each type.
    """

    def typed(sums: Floats) -> Floats:
        cube = _cube(sums)[:, :_KINDS]
        return np.concatenate([cube[:, :, measure.hit], cube[:, :, measure.of].sum(axis=2)], axis=1)

    def of_types(quantity: Quantity) -> Quantity:
        return lambda first, second: quantity(typed(first), typed(second))

    bases = [typed(run.total)[0, _KINDS:] for run in (runs.first, runs.second)]
    n = round(float(sum(base.sum() for base in bases)))
    whole, *each = (line.estimates["difference"] for line in rates)
    within, mix = (
        runs.estimate(name, of_types(quantity), n=n, why=MissingReason.TYPE_MISSING)
        for name, quantity in by_composition(_KINDS).items()
    )
    pairs = zip(_weights(bases), each, strict=True)
    parts = [(weight, difference) for weight, difference in pairs if weight]
    if any(difference.method == "mover" or difference.low is None for _, difference in parts):
        within = combined(within, parts)  # resamples of a type do not vary
        if within.low is None and within.value is not None:
            within = within.model_copy(update={"reason": _ONE_TYPE})
    rows = {
        "whole difference": whole,
        "within types (standardised)": within,
        "shift of the mix of types": mix,
    }
    return _section(
        "composition",
        f"{measure.title}: drift within types, or other types?",
        [EstimateRow(group=group, estimates={"difference": made}) for group, made in rows.items()],
        (
            "The whole difference is the sum of the two others (Kitagawa 1955, J. Am. Stat. Assoc. "
            "50, 1168-1194). Within types: the differences of each type's rate, weighted by the "
            "mean of both runs' shares of that type, so that a shift from questions to claims does "
            "not count. Mix: what that shift accounts for. Types are as each run's judge calls "
            "them: with two judges, a shift may be theirs.",
        ),
    )


def _weights(bases: Sequence[Floats]) -> list[float]:
    """The mean of both runs' shares of each type; 0 throughout if a run has no points."""
    if not all(base.sum() for base in bases):
        return [0.0] * _KINDS
    return [float(weight) for weight in sum(base / base.sum() for base in bases) / 2]
