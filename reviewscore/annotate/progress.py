"""How far the labelling is, what annotators agree on so far, and where they disagree."""

from __future__ import annotations

import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from reviewscore.annotate.label_store import Decision, Given, LabelEntry
from reviewscore.annotate.material import LabelPoint
from reviewscore.annotate.rules import Codebook, Key, Mark, Value, course, wants_reason
from reviewscore.annotate.workspace import Standing, Workspace
from reviewscore.schema.annotation import VALUES, AnnotatorKind, LabelField, Unit
from reviewscore.schema.review import PointKind, PointType
from reviewscore.schema.scale import FIVE_POINTS
from reviewscore.stats.metrics import Level, krippendorff_alpha


@dataclass(frozen=True)
class LabelState:
    """All labels and marks at one moment.

    Attributes:
        labels: By annotator and point.
        marks: By annotator and point.
    """

    labels: Mapping[tuple[str, str], Mapping[Key, LabelEntry]]
    marks: Mapping[tuple[str, str], frozenset[Mark]]

    def values(self, annotator: str, point_id: str) -> dict[Key, Value]:
        """One annotator's labels of one point."""
        entries = self.labels.get((annotator, point_id), {})
        return {key: entry.value for key, entry in entries.items()}


def state_of(workspace: Workspace, annotator: str | None = None) -> LabelState:
    """What there is now, of one annotator if named."""
    labels: dict[tuple[str, str], dict[Key, LabelEntry]] = defaultdict(dict)
    for answer in workspace.store.given(annotator):
        labels[answer.annotator, answer.point_id][answer.unit_id, answer.field] = answer.entry
    marks: dict[tuple[str, str], set[Mark]] = defaultdict(set)
    for who, point, mark in workspace.store.marked():
        marks[who, point].add(mark)
    return LabelState(labels, {key: frozenset(value) for key, value in marks.items()})


def standings(workspace: Workspace, annotator: str, state: LabelState) -> list[Standing]:
    """An annotator's points, in order, at one moment."""
    keys = [(point, (annotator, point.point_id)) for point in workspace.points_of(annotator)]
    return [
        _standing(
            point,
            state.labels.get(key, {}),
            state.marks.get(key, frozenset()),
            workspace.codebook,
        )
        for point, key in keys
    ]


def standings_now(workspace: Workspace, annotator: str) -> list[Standing]:
    """The same as it is now; only points at which something happened are looked at again."""
    last = workspace.store.versions(annotator)
    rows = []
    for point in workspace.points_of(annotator):
        key, version = (annotator, point.point_id), last.get(point.point_id, 0)
        known = workspace.known.get(key)
        if known is None or known[0] != version:
            page = workspace.store.page(*key)
            known = page.version, _standing(point, page.labels, page.marks, workspace.codebook)
            workspace.known[key] = known
        rows.append(known[1])
    return rows


def _standing(
    point: LabelPoint,
    entries: Mapping[Key, LabelEntry],
    marks: frozenset[Mark],
    codebook: Codebook,
) -> Standing:
    at = course(point, {key: entry.value for key, entry in entries.items()}, marks, codebook)
    words = "begun" if entries else "open"
    if Mark.SKIPPED in marks:
        words = "skipped"
    elif at.done:
        words = "done"
    lacking = sum(wants_reason(key[1], entry.value, entry.reason) for key, entry in entries.items())
    return Standing(point.point_id, point.paper_id, words, lacking)


@dataclass(frozen=True)
class LabelProgress:
    """One annotator, for the coordinator.

    Attributes:
        kind: Whether it is a person or a model; None if that was never said.
        done: Points that are finished, skipped ones included.
        seconds: Median time of a finished point; None if there is none.
        relevance: Mean relevance of the papers; None if not asked yet.
        saw_scores: Labels given after the model's scores had been shown.
    """

    annotator: str
    kind: AnnotatorKind | None
    papers: int
    points: int
    done: int
    skipped: int
    labels: int
    reasons_missing: int
    seconds: float | None
    publications: int | None
    relevance: float | None
    saw_scores: int


def progress(workspace: Workspace, state: LabelState) -> list[LabelProgress]:
    """All annotators, in order."""
    store = workspace.store
    relevance, kinds = store.relevance(), store.kinds()
    rows = []
    for name, publications in store.annotators().items():
        mine = standings(workspace, name, state)
        near = [value for (who, _), value in relevance.items() if who == name]
        finished = [standing for standing in mine if standing.state == "done"]
        entries = [e for (who, _), entries in state.labels.items() if who == name
                   for e in entries.values()]  # fmt: skip
        times = [
            sum(e.seconds for e in state.labels.get((name, standing.point_id), {}).values())
            for standing in finished
        ]
        rows.append(
            LabelProgress(
                annotator=name,
                kind=kinds[name],
                papers=len({standing.paper_id for standing in mine}),
                points=len(mine),
                done=sum(standing.state in ("done", "skipped") for standing in mine),
                skipped=sum(standing.state == "skipped" for standing in mine),
                labels=len(entries),
                reasons_missing=sum(standing.reasons_missing for standing in mine),
                seconds=statistics.median(times) if any(times) else None,
                publications=publications,
                relevance=statistics.fmean(near) if near else None,
                saw_scores=sum(e.saw_scores for e in entries),
            )
        )
    return rows


@dataclass(frozen=True)
class Alpha:
    """Krippendorff's alpha of one kind of label.

    Attributes:
        what: Which labels.
        level: Level of measurement.
        value: At most 1, 0 is chance; None if it is not defined.
        units: Units with two labels or more.
        labels: Labels of these kinds.
        why: Why there is no value.
    """

    what: str
    level: str
    value: float | None
    units: int
    labels: int
    why: str


def alphas(given: Sequence[Given]) -> list[Alpha]:
    """The agreement between annotators so far, on each kind of label.

    Whole points count under the type that each annotator gave them, so a point that one calls a
    claim and another an argument counts in neither row, but in the row of all weaknesses.
    """
    kinds = {(g.annotator, g.point_id): g.entry.value for g in given if g.field is LabelField.TYPE}

    def whole(field: LabelField, *wanted: PointType) -> list[Given]:
        return [
            g
            for g in given
            if g.field is field and g.unit_id == g.point_id
            and kinds.get((g.annotator, g.point_id)) in wanted
        ]  # fmt: skip

    def premises(field: LabelField) -> list[Given]:
        return [g for g in given if g.field is field and g.unit_id != g.point_id]

    fact, weakness = LabelField.FACTUALITY, (PointType.CLAIM, PointType.ARGUMENT)
    types = [g for g in given if g.field is LabelField.TYPE]
    faithful = [g for g in given if g.field is LabelField.FAITHFULNESS]
    rows = [
        _alpha("type", types, "nominal"),
        _alpha("questions: unanswerability",
               whole(LabelField.UNANSWERABILITY, PointType.QUESTION)),
        _alpha("claims: factuality", whole(fact, PointType.CLAIM)),
        _alpha("arguments: factuality of the whole", whole(fact, PointType.ARGUMENT)),
        _alpha("all weaknesses: factuality", whole(fact, *weakness)),
        _alpha("arguments: faithfulness", faithful),
        _alpha("premises: knowledge source", premises(LabelField.SOURCE), "nominal"),
        _alpha("premises: factuality", premises(fact)),
        _alpha("premises: untrivialness", premises(LabelField.UNTRIVIALNESS)),
    ]  # fmt: skip
    kinds_of = [g for g in given if g.field is LabelField.KIND]
    if kinds_of:  # sets by codebook 1 have none
        standing = [g for g in given if g.field is LabelField.STANDING]
        rows[1:1] = [_alpha("kind", kinds_of, "nominal"), _alpha("standing", standing)]
    return rows


def _alpha(what: str, given: Iterable[Given], level: Level = "ordinal") -> Alpha:
    labels = list(given)
    if not labels:
        return Alpha(what, level, None, 0, 0, "no label yet")
    scale = VALUES[labels[0].field]
    code = {value: float(n) if level == "nominal" else float(value)
            for n, value in enumerate(scale)}  # fmt: skip
    rows = {name: n for n, name in enumerate(dict.fromkeys(g.unit_id for g in labels))}
    columns = {name: n for n, name in enumerate(dict.fromkeys(g.annotator for g in labels))}
    ratings = np.full((len(rows), len(columns)), np.nan)
    for label in labels:
        ratings[rows[label.unit_id], columns[label.annotator]] = code[label.entry.value]
    statistic = krippendorff_alpha(ratings, categories=tuple(code.values()), level=level)
    value, reason = statistic.point()
    known = None if math.isnan(value) else value
    return Alpha(
        what, level, known, statistic.n, len(labels), reason.words if known is None else ""
    )


_FAR = 2
SCALED = tuple(field for field in LabelField if field in VALUES)
"""What annotators can be found to disagree on: each has a scale."""
_NAMED = (LabelField.TYPE, LabelField.SOURCE, LabelField.KIND)
_FLAGGED = {
    LabelField.UNANSWERABILITY: "misinformed or not",
    LabelField.FACTUALITY: "misinformed or not",
    LabelField.STANDING: "would stand or not",
}
"""Scales whose lower half is a flag, and what is open between two halves."""


@dataclass(frozen=True)
class LabelDisagreement:
    """A unit that annotators labelled differently.

    Attributes:
        point: The point that the unit is or belongs to.
        unit: What was labelled.
        labels: Each annotator's label.
        weight: How much it matters: 3 types across question and weakness, or a point to one and
            none to another, 2 misinformed to one and not to another, 1 far apart or another name.
        stake: That in words; empty where it matters least.
        middle: The label that counts unless something is settled; None for a tie.
        decision: What was settled.
    """

    point: LabelPoint
    unit: Unit
    field: LabelField
    labels: tuple[tuple[str, LabelEntry], ...]
    weight: int
    stake: str
    middle: Value | None
    decision: Decision | None


def finished_papers(workspace: Workspace, state: LabelState) -> set[str]:
    """Papers of which every annotator has labelled every point."""
    open_ones = set()
    for name in workspace.store.annotators():
        for standing in standings(workspace, name, state):
            if standing.state not in ("done", "skipped"):
                open_ones.add(standing.paper_id)
    return set(workspace.material.papers) - open_ones


def disagreements(workspace: Workspace, state: LabelState) -> list[LabelDisagreement]:
    """What to talk about, the weightiest first.

    Only of papers whose labels are all in: nobody's label may be moved by talk (codebook).
    """
    ready = finished_papers(workspace, state)
    decisions = workspace.store.decisions()
    names = list(workspace.store.annotators())
    label_disagreements = []
    for point in workspace.material.points.values():
        if point.paper_id not in ready:
            continue
        pages = [(name, state.labels.get((name, point.point_id), {})) for name in names]
        for unit in point.units:
            for field in SCALED:
                key = (unit.unit_id, field)
                labels = tuple((name, page[key]) for name, page in pages if key in page)
                weight, stake = _weight(field, [entry.value for _, entry in labels])
                if weight or key in decisions:
                    middle = middle_of(field, [entry.value for _, entry in labels])
                    label_disagreements.append(
                        LabelDisagreement(
                            point, unit, field, labels, weight, stake, middle, decisions.get(key)
                        )
                    )
    return sorted(
        label_disagreements,
        key=lambda disagreement: (disagreement.decision is not None, -disagreement.weight),
    )


def _weight(field: LabelField, values: list[Value]) -> tuple[int, str]:
    """How much a disagreement matters, and what is open."""
    if len(set(values)) <= 1:
        return 0, ""
    if field is LabelField.TYPE and PointType.QUESTION in values:
        return 3, "question or weakness"
    if field is LabelField.KIND and PointKind.NONE in values:
        return 3, "a point or none"
    if field in _NAMED:
        return 1, ""
    numbers = [int(value) for value in values]
    if field in _FLAGGED and min(numbers) <= FIVE_POINTS.misinformed_up_to < max(numbers):
        return 2, _FLAGGED[field]
    return (1, "") if max(numbers) - min(numbers) >= _FAR else (0, "")


def middle_of(field: LabelField, values: list[Value]) -> Value | None:
    """The lower median, or of names the majority; None for a tie or no label."""
    if not values:
        return None
    if field in _NAMED:
        first = Counter(values).most_common(2)
        tie = len(first) > 1 and first[0][1] == first[1][1]
        return None if tie else first[0][0]
    return statistics.median_low([int(value) for value in values])
