"""Where annotators disagree, and what was settled about it."""

from __future__ import annotations

import statistics
from collections import Counter
from dataclasses import dataclass

from reviewscore.annotate.material import LabelPoint
from reviewscore.annotate.notebook import Decision, LabelEntry
from reviewscore.annotate.progress import LabelState, standings
from reviewscore.annotate.rules import Value
from reviewscore.annotate.workspace import Workspace
from reviewscore.schema.annotation import LabelField, Unit
from reviewscore.schema.review import PointType
from reviewscore.schema.scale import FIVE_POINTS

_FAR = 2
_NAMED = (LabelField.TYPE, LabelField.SOURCE)
_MISINFORMED = (LabelField.UNANSWERABILITY, LabelField.FACTUALITY)


@dataclass(frozen=True)
class LabelDisagreement:
    """A unit that annotators labelled differently.

    Attributes:
        point: The point that the unit is or belongs to.
        unit: What was labelled.
        labels: Each annotator's label.
        weight: How much it matters: 3 types across question and weakness, 2 misinformed to one
            and not to another, 1 far apart or another name.
        middle: The label that counts unless something is settled; None for a tie.
        decision: What was settled.
    """

    point: LabelPoint
    unit: Unit
    field: LabelField
    labels: tuple[tuple[str, LabelEntry], ...]
    weight: int
    middle: Value | None
    decision: Decision | None


def finished_papers(workspace: Workspace, state: LabelState) -> set[str]:
    """Papers of which every annotator has labelled every point."""
    open_ones = set()
    for name in workspace.notebook.annotators():
        for one in standings(workspace, name, state):
            if one.state not in ("done", "skipped"):
                open_ones.add(one.paper_id)
    return set(workspace.material.papers) - open_ones


def disagreements(workspace: Workspace, state: LabelState) -> list[LabelDisagreement]:
    """What to talk about, the weightiest first.

    Only of papers whose labels are all in: nobody's label may be moved by talk (codebook).
    """
    ready = finished_papers(workspace, state)
    decisions = workspace.notebook.decisions()
    names = list(workspace.notebook.annotators())
    found = []
    for point in workspace.material.points.values():
        if point.paper_id not in ready:
            continue
        pages = [(name, state.labels.get((name, point.point_id), {})) for name in names]
        for unit in point.units:
            for field in LabelField:
                key = (unit.unit_id, field)
                labels = tuple((name, page[key]) for name, page in pages if key in page)
                weight = _weight(field, [entry.value for _, entry in labels])
                if weight or key in decisions:
                    middle = middle_of(field, [entry.value for _, entry in labels])
                    found.append(
                        LabelDisagreement(
                            point, unit, field, labels, weight, middle, decisions.get(key)
                        )
                    )
    return sorted(found, key=lambda one: (one.decision is not None, -one.weight))


def _weight(field: LabelField, values: list[Value]) -> int:
    if len(set(values)) <= 1:
        return 0
    if field is LabelField.TYPE:
        return 3 if PointType.QUESTION in values else 1
    if field in _NAMED:
        return 1
    numbers = [int(value) for value in values]
    if field in _MISINFORMED and min(numbers) <= FIVE_POINTS.misinformed_up_to < max(numbers):
        return 2
    return 1 if max(numbers) - min(numbers) >= _FAR else 0


def middle_of(field: LabelField, values: list[Value]) -> Value | None:
    """The lower median, or of names the majority; None for a tie or no label."""
    if not values:
        return None
    if field in _NAMED:
        first = Counter(values).most_common(2)
        tie = len(first) > 1 and first[0][1] == first[1][1]
        return None if tie else first[0][0]
    return statistics.median_low([int(value) for value in values])
