"""What people said: labels as arrays over units and annotators, their medians, their scores.

Annotators may be models too, capable readers that are no people: `HumanLabels.readers` says who
they are, and whatever is shown of them calls them so.

The label of several annotators is their median, the lower one of the two in the middle when their
number is even, so that it is a category of the scale (ReviewScore, arXiv 2509.21679, sec. 3.3).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from reviewscore.arguments.aggregate import conjunction, weighted
from reviewscore.schema.annotation import (
    Annotator,
    AnnotatorKind,
    Label,
    LabelField,
    Unit,
    UnitKind,
    readers_in_words,
)
from reviewscore.schema.presupposition import supplied_by
from reviewscore.schema.review import PointKind, PointType
from reviewscore.schema.scale import FIVE_POINTS, UNTRIVIALNESS
from reviewscore.schema.verdict import KnowledgeSource
from reviewscore.stats.metrics import rounded
from reviewscore.stats.statistic import Floats, Ints

FAITHFUL_FROM = 4
"""An argument has an ADVANCED label if its reconstruction has this faithfulness (sec. 3.3)."""
_SCALES = (LabelField.UNANSWERABILITY, LabelField.FACTUALITY)
_NONE = list(PointKind).index(PointKind.NONE)


class ScoreColumns(Protocol):
    """Columns that labels of people and scores of a judge both have; NaN is unknown."""

    @property
    def base(self) -> Floats:
        """Shape (points,); the BASE score 1..5."""

    @property
    def advanced(self) -> Floats:
        """Shape (points,); the ADVANCED score 1..5, weighted for arguments, not rounded."""

    @property
    def flags(self) -> Floats:
        """Shape (points,); 1 misinformed, 0 not; of arguments by the conjunction of premises."""

    @property
    def premise(self) -> Floats:
        """Shape (premises,); factuality 1..5."""

    @property
    def base_flags(self) -> Floats:
        """Shape (points,); whether the BASE score says misinformed."""
        return misinformed(self.base)

    @property
    def weighted_flags(self) -> Floats:
        """Shape (points,); whether the ADVANCED score says misinformed."""
        return misinformed(rounded(self.advanced))

    @property
    def premise_flags(self) -> Floats:
        """Shape (premises,); whether the premise is false."""
        return misinformed(self.premise)


@dataclass(frozen=True)
class HumanLabels(ScoreColumns):
    """Labels of people or other readers, a row for each unit and a column for each annotator.

    Attributes:
        name: Name of the set.
        annotators: Their pseudonyms, in order.
        models: Those of them who are no people.
        cards: What is known of them.
        points: The labelled review points.
        premises: The premises of arguments that were labelled. One that nobody labelled stays, so
            that its argument is known to be labelled in part.
        types: Type of each point: the majority of the labels; None if there is no label or a tie,
            if people used the scale of another type, or if it is no point to most of them.
        voted: The same whichever scale people used.
        whole: Shape (points, annotators); unanswerability or factuality 1..5 of the whole point,
            NaN missing.
        faithful: Shape (points, annotators); faithfulness 1..5 of the reconstruction.
        factuality: Shape (premises, annotators); 1..5.
        weight: Shape (premises, annotators); untrivialness 0..2.
        point_of: Shape (premises,); row of the point that each premise belongs to, -1 for none.
        reasons: Justifications by unit, annotator and field.
        kinds: Shape (points, annotators); what the point does, as its place in `PointKind`.
        standing: Shape (points, annotators); standing 1..5.
        stated: Shape (points, annotators); whether the paper speaks to the point by the
            presuppositions that were stated (`presupposition.supplied_by`), 1 or 0.
        strangers: Labelled units that are not among those that can be compared.
        on_standing: Whether BASE and ADVANCED columns are standing and not the scores of the
            whole: so it is beside judges that score standing.
    """

    name: str
    annotators: tuple[str, ...]
    models: frozenset[str]
    cards: Mapping[str, Annotator]
    points: tuple[Unit, ...]
    premises: tuple[Unit, ...]
    types: tuple[PointType | None, ...]
    voted: tuple[PointType | None, ...]
    whole: Floats
    faithful: Floats
    factuality: Floats
    weight: Floats
    point_of: Ints
    reasons: Mapping[tuple[str, str, LabelField], str]
    kinds: Floats
    standing: Floats
    stated: Floats
    strangers: tuple[str, ...] = ()
    on_standing: bool = False

    @property
    def by_people(self) -> bool:
        """Whether all labels are people's."""
        return not self.models

    @property
    def readers(self) -> str:
        """Who labelled, as they are called wherever figures rest on them."""
        if self.by_people:
            return "people"
        return "model readers" if len(self.models) == len(self.annotators) else "readers"

    @property
    def counted(self) -> str:
        """How many of which kind labelled."""
        return readers_in_words(len(self.annotators) - len(self.models), len(self.models))

    def as_standing(self) -> HumanLabels:
        """The same labels with standing for a score, which premises have no part in."""
        cut = {name: getattr(self, name)[:0] for name in ("factuality", "weight", "point_of")}
        return replace(self, types=self.voted, premises=(), on_standing=True, **cut)

    @cached_property
    def base(self) -> Floats:
        """The median of `whole`, or of `standing`."""
        return median_low(self.standing if self.on_standing else self.whole)

    @cached_property
    def kind(self) -> Floats:
        """Shape (points,); what most say that the point does; NaN if nobody does, or for a tie."""
        return majority(self.kinds, len(PointKind))

    @cached_property
    def no_points(self) -> int:
        """How many points are none to most annotators."""
        return int((self.kind == _NONE).sum())

    @cached_property
    def premise(self) -> Floats:
        """The median factuality."""
        return median_low(self.factuality)

    @cached_property
    def advanced(self) -> Floats:
        """ADVANCED ReviewScore of the median labels."""
        return self._of_medians[0]

    @cached_property
    def flags(self) -> Floats:
        """Whether misinformed, by the median labels."""
        return self._of_medians[1]

    def flags_by_facts(self, links: Floats) -> Floats:
        """`flags` where only facts decide, and links of reasons to a conclusion do not.

        Args:
            links: Shape (premises,); 1 for a link, 0 for a fact, NaN where that is not known.

        Returns:
            Shape (points,); NaN is unknown, as of an argument with a premise of unknown kind, and
            of one whose reconstruction was passed over.
        """
        flags, faithful = self.flags.copy(), median_low(self.faithful)
        for row, kind in enumerate(self.types):
            own = list(self.premises_of[row])
            if kind is not PointType.ARGUMENT:
                continue
            flags[row] = np.nan
            if faithful[row] < FAITHFUL_FROM or np.isnan(links[own]).any():
                continue
            facts = [_known(self.premise[number]) for number in own if not links[number]]
            holds = conjunction(facts)
            flags[row] = np.nan if holds is None else not holds
        return flags

    @cached_property
    def premises_labelled(self) -> NDArray[np.bool_]:
        """Shape (premises,); whether anybody labelled anything of the premise."""
        known = ~np.isnan(self.factuality) | ~np.isnan(self.weight)
        return np.asarray(known.any(axis=1), dtype=bool)

    @cached_property
    def _of_medians(self) -> tuple[Floats, Floats]:
        if self.on_standing:
            return self.base, misinformed(self.base)
        faithful = median_low(self.faithful)
        return self._advanced(self.base, faithful, self.premise, median_low(self.weight))

    @cached_property
    def each(self) -> tuple[Floats, Floats]:
        """`advanced` and `flags` of each annotator's own labels, shapes (points, annotators).

        Where a reconstruction was passed over as unfaithful there is no score.
        """
        if self.on_standing:
            return self.standing, misinformed(self.standing)
        columns = [
            self._advanced(
                self.whole[:, a], self.faithful[:, a], self.factuality[:, a], self.weight[:, a]
            )
            for a in range(len(self.annotators))
        ]
        empty = np.empty((len(self.points), 0))
        if not columns:
            return empty, empty
        scores, flags = zip(*columns, strict=True)
        return np.stack(scores, axis=1), np.stack(flags, axis=1)

    def without(self, column: int) -> HumanLabels:
        """The same labels without one annotator's."""
        cut = {
            name: np.delete(getattr(self, name), column, axis=1)
            for name in ("whole", "faithful", "factuality", "weight", "kinds", "standing", "stated")
        }
        names = (*self.annotators[:column], *self.annotators[column + 1 :])
        return replace(self, annotators=names, models=self.models & {*names}, **cut)

    def _advanced(
        self, whole: Floats, faithful: Floats, factuality: Floats, weight: Floats
    ) -> tuple[Floats, Floats]:
        score, flag = whole.copy(), misinformed(whole)
        for row, kind in enumerate(self.types):
            if kind is not PointType.ARGUMENT:
                continue
            score[row] = flag[row] = np.nan
            own = self.premises_of[row]
            if faithful[row] < FAITHFUL_FROM or not own:
                continue
            facts = [_known(factuality[number]) for number in own]
            holds = conjunction(facts)
            average = weighted(facts, [_known(weight[number]) for number in own]).score
            score[row] = np.nan if average is None else average
            flag[row] = np.nan if holds is None else not holds
        return score, flag

    @cached_property
    def premises_of(self) -> tuple[tuple[int, ...], ...]:
        """Rows of the premises of each point."""
        rows: list[list[int]] = [[] for _ in self.points]
        for premise, point in enumerate(self.point_of):
            if point >= 0:
                rows[point].append(premise)
        return tuple(tuple(row) for row in rows)

    @cached_property
    def groups(self) -> dict[str, tuple[int, ...]]:
        """Columns of the annotators of each group, where groups are known."""
        number_groups: dict[str, list[int]] = {}
        for column, name in enumerate(self.annotators):
            card = self.cards.get(name)
            if card is not None and card.group is not None:
                number_groups.setdefault(card.group, []).append(column)
        return {name: tuple(number_groups[name]) for name in sorted(number_groups)}


def misinformed(scores: Floats) -> Floats:
    """1 where a score is 1 or 2, 0 where it is 3 to 5, NaN where it is unknown."""
    return np.where(
        np.isnan(scores), np.nan, (scores <= FIVE_POINTS.misinformed_up_to).astype(np.float64)
    )


def note_on_models(models: Iterable[str]) -> str:
    """What must stand beside figures that rest on labels by models."""
    return (
        f"{', '.join(sorted(models))}: no person but a model that reads; figures that "
        "rest on such labels are no agreement with people, and errors that models share do "
        "not show in them."
    )


def median_low(ratings: Floats) -> Floats:
    """The median over raters, of an even number the lower one.

    Args:
        ratings: Shape (units, raters), NaN missing.

    Returns:
        Shape (units,); NaN where nobody rated.
    """
    if not ratings.shape[1]:
        return np.full(len(ratings), np.nan)
    known = (~np.isnan(ratings)).sum(axis=1)
    # NaN sorts last, so that the known ratings stand in front.
    ordered = np.sort(ratings, axis=1)
    middle = np.maximum(known - 1, 0) // 2
    return np.asarray(ordered[np.arange(len(ratings)), middle], dtype=np.float64)


def majority(ratings: Floats, categories: int) -> Floats:
    """The category that most raters chose.

    Args:
        ratings: Shape (units, raters); 0 .. categories - 1, NaN missing.
        categories: How many there are.

    Returns:
        Shape (units,); NaN where nobody rated, or where two categories come first.
    """
    votes = np.stack([(ratings == category).sum(axis=1) for category in range(categories)], axis=1)
    most = votes.max(axis=1, keepdims=True)
    clear = ((votes == most).sum(axis=1) == 1) & (most[:, 0] > 0)
    return np.where(clear, votes.argmax(axis=1), np.nan)


def gather(
    name: str,
    labels: Sequence[Label],
    units: Mapping[str, Unit],
    annotators: Mapping[str, Annotator],
    types: Mapping[str, PointType],
) -> HumanLabels:
    """Labels as arrays.

    Args:
        name: Name of the set.
        labels: The labels; those of units that are not given are left out.
        units: What can be compared, by identifier.
        annotators: What is known of the annotators.
        types: Type that a judge gave to points, for those whose type nobody labelled.
    """
    kept = [label for label in labels if label.unit_id in units]
    labelled = {label.unit_id for label in kept}
    every = [u for u in units.values() if u.kind is UnitKind.PREMISE]
    have_premises = {u.point_id for u in every if u.unit_id in labelled}
    rebuilt = have_premises | {u.unit_id for u in kept if u.field is LabelField.FAITHFULNESS}
    premises = tuple(u for u in every if u.unit_id in labelled or u.point_id in rebuilt)
    points = tuple(
        u
        for u in units.values()
        if u.kind is UnitKind.POINT and (u.unit_id in labelled or u.unit_id in have_premises)
    )
    columns = tuple(sorted({label.annotator for label in kept}))
    point_rows, premise_rows = (
        {unit.unit_id: row for row, unit in enumerate(some)} for some in (points, premises)
    )
    point = partial(_filled, kept, point_rows, columns)
    premise = partial(_filled, kept, premise_rows, columns)
    # Where only the source was labelled, a premise weighs unless it is the field's knowledge.
    others = [label for label in kept if label.value != KnowledgeSource.ANNOTATOR_KNOWLEDGE]
    sourced = ~np.isnan(_filled(others, premise_rows, columns, LabelField.SOURCE, value=_yes))
    kinds = _filled(kept, point_rows, columns, LabelField.KIND, value=_kind_code)
    no_points = majority(kinds, len(PointKind)) == _NONE
    weight = premise(LabelField.UNTRIVIALNESS)
    weight[np.isnan(weight) & sourced] = UNTRIVIALNESS.high
    return HumanLabels(
        name=name,
        annotators=columns,
        models=frozenset(
            label.annotator for label in kept if label.annotator_kind is AnnotatorKind.MODEL
        ),
        cards=annotators,
        points=points,
        premises=premises,
        types=_types(points, kept, types, no_points),
        voted=_types(points, kept, types, no_points, any_scale=True),
        kinds=kinds,
        standing=point(LabelField.STANDING),
        stated=_filled(kept, point_rows, columns, LabelField.PRESUPPOSITIONS, value=_stated),
        whole=point(*_SCALES),
        faithful=point(LabelField.FAITHFULNESS),
        factuality=premise(LabelField.FACTUALITY),
        weight=weight,
        point_of=np.asarray(
            [point_rows.get(unit.point_id or "", -1) for unit in premises], dtype=np.int64
        ),
        reasons={
            (label.unit_id, label.annotator, label.field): label.justification
            for label in kept
            if label.justification
        },
        strangers=tuple(sorted({label.unit_id for label in labels if label.unit_id not in units})),
    )


def _filled(
    labels: Sequence[Label],
    rows: Mapping[str, int],
    annotators: Sequence[str],
    *fields: LabelField,
    value: Callable[[Label], float] = lambda label: label.number,
) -> Floats:
    """Labels of some fields as numbers, shape (units, annotators)."""
    columns = {name: number for number, name in enumerate(annotators)}
    out = np.full((len(rows), len(columns)), np.nan)
    for label in labels:
        if label.field in fields and label.unit_id in rows:
            cell = rows[label.unit_id], columns[label.annotator]
            out[cell] = value(label)
    return out


def _yes(_: Label) -> float:
    return 1.0


def _kind_code(label: Label) -> float:
    return float(list(PointKind).index(PointKind(str(label.value))))


def _stated(label: Label) -> float:
    supplied = supplied_by(label.presuppositions)
    return np.nan if supplied is None else float(supplied)


def _types(
    points: Sequence[Unit],
    labels: Sequence[Label],
    judged: Mapping[str, PointType],
    no_points: NDArray[np.bool_],
    *,
    any_scale: bool = False,
) -> tuple[PointType | None, ...]:
    votes: dict[str, Counter[str]] = {u.unit_id: Counter() for u in points}
    scales: dict[str, LabelField] = {}
    for label in labels:
        if label.field is LabelField.TYPE and label.unit_id in votes:
            votes[label.unit_id][str(label.value)] += 1
        if label.field in _SCALES and label.unit_id in votes and not any_scale:
            scales[label.unit_id] = label.field
    return tuple(
        None if none else _majority(votes[u.unit_id], scales.get(u.unit_id), judged.get(u.unit_id))
        for u, none in zip(points, no_points, strict=True)
    )


def _majority(
    votes: Counter[str], scale: LabelField | None, judged: PointType | None
) -> PointType | None:
    """The commonest type, or else the judge's; a tie, or another type's scale, leaves it open."""
    first = votes.most_common(2)
    if len(first) > 1 and first[0][1] == first[1][1]:
        return None
    question = scale is LabelField.UNANSWERABILITY
    kind = PointType(first[0][0]) if first else PointType.QUESTION if question else judged
    return kind if scale is None or question == (kind is PointType.QUESTION) else None


def _known(value: np.float64 | float) -> int | None:
    return None if np.isnan(value) else int(value)
