"""Which label comes next, and which may be given at all: the codebook's order of decisions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from reviewscore.annotate.material import LabelPoint
from reviewscore.schema.annotation import VALUES, LabelField
from reviewscore.schema.review import PointType

FAITHFUL_FROM = 4
"""Premises are labelled only of reconstructions with at least this faithfulness (sec. 3.3)."""
REASON_UP_TO = 2
"""The codebook asks for a reason for every 1 and 2 of these scales."""
REASONED = (LabelField.UNANSWERABILITY, LabelField.FACTUALITY)

Value: TypeAlias = int | str
Key: TypeAlias = tuple[str, LabelField]
"""Unit and field of a label."""


class Mark(StrEnum):
    """What an annotator did with a point besides labelling it."""

    SHOWN = "shown"  # the reconstruction was shown: type and whole factuality are fixed
    PEEKED = "peeked"  # the model's scores were shown
    SKIPPED = "skipped"  # the text is no point


@dataclass(frozen=True)
class LabelStep:
    """One label to give.

    Attributes:
        unit_id: The point or premise.
        field: What is labelled.
        fixed: Whether it can no longer be changed.
    """

    unit_id: str
    field: LabelField
    fixed: bool = False

    @property
    def key(self) -> Key:
        """Unit and field."""
        return self.unit_id, self.field


@dataclass(frozen=True)
class Course:
    """Where an annotator stands with a point.

    Attributes:
        steps: The labels that can be given now, in order.
        may_show: Whether the reconstruction may be shown now.
        shown: Whether it is shown.
        passed_over: Whether its premises are not labelled because it is not faithful enough.
        done: Whether nothing is left to do.
        current: The first label that is missing.
    """

    steps: tuple[LabelStep, ...]
    may_show: bool
    shown: bool
    passed_over: bool
    done: bool
    current: LabelStep | None


def course(point: LabelPoint, labels: Mapping[Key, Value], marks: frozenset[Mark]) -> Course:
    """The steps of one annotator at one point.

    Args:
        point: The point.
        labels: The annotator's labels of it and its premises.
        marks: What else the annotator did with it.
    """
    name = point.point_id
    shown = Mark.SHOWN in marks
    steps = [LabelStep(name, LabelField.TYPE, fixed=shown)]
    kind = labels.get((name, LabelField.TYPE))
    if kind == PointType.QUESTION:
        steps.append(LabelStep(name, LabelField.UNANSWERABILITY))
    elif kind is not None:
        steps.append(LabelStep(name, LabelField.FACTUALITY, fixed=shown))
    rebuilt = kind == PointType.ARGUMENT and bool(point.premises)
    may_show = rebuilt and not shown and (name, LabelField.FACTUALITY) in labels
    passed_over = False
    if rebuilt and shown:
        steps.append(LabelStep(name, LabelField.FAITHFULNESS))
        faithful = labels.get((name, LabelField.FAITHFULNESS))
        passed_over = faithful is not None and int(faithful) < FAITHFUL_FROM
        if faithful is not None and not passed_over:
            for premise in point.premises:
                steps += [
                    LabelStep(premise.unit_id, number)
                    for number in (
                        LabelField.SOURCE,
                        LabelField.FACTUALITY,
                        LabelField.UNTRIVIALNESS,
                    )
                ]
    missing = [step for step in steps if step.key not in labels]
    skipped = Mark.SKIPPED in marks
    return Course(
        steps=tuple(steps),
        may_show=may_show,
        shown=rebuilt and shown,
        passed_over=passed_over,
        done=skipped or not (missing or may_show),
        current=missing[0] if missing and not skipped else None,
    )


def refusal(
    point: LabelPoint, labels: Mapping[Key, Value], marks: frozenset[Mark], key: Key, value: Value
) -> str:
    """Why a label may not be given now; empty if it may."""
    if value not in VALUES[key[1]]:
        return f"{value!r} is not on the scale of {key[1].value}"
    if Mark.SKIPPED in marks:
        return "this point was skipped; undo that first"
    step = next((step for step in course(point, labels, marks).steps if step.key == key), None)
    if step is None:
        return "this label is not asked for now: another decision comes first"
    if step.fixed and labels.get(key) != value:
        return "this was decided before the reconstruction was shown, and stays"
    return ""


def outdated(point: LabelPoint, labels: Mapping[Key, Value], marks: frozenset[Mark]) -> list[Key]:
    """Labels that an earlier decision has made pointless: of another type, or of premises."""
    asked = {step.key for step in course(point, labels, marks).steps}
    return [key for key in labels if key not in asked]


def wants_reason(field: LabelField, value: Value | None, reason: str | None) -> bool:
    """Whether the codebook asks for a reason that is not there."""
    low = field in REASONED and isinstance(value, int) and value <= REASON_UP_TO
    return low and not (reason or "").strip()
