"""Which label comes next, and which may be given at all: the codebook's order of decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from pydantic import TypeAdapter, ValidationError

from reviewscore.annotate.material import LabelPoint
from reviewscore.schema.annotation import VALUES, LabelField
from reviewscore.schema.presupposition import LabelledPresupposition
from reviewscore.schema.review import PointKind, PointType

FAITHFUL_FROM = 4
"""Premises are labelled only of reconstructions with at least this faithfulness (sec. 3.3)."""
REASON_UP_TO = 2
"""The codebook asks for a reason for every 1 and 2 of these scales."""
REASONED = (LabelField.UNANSWERABILITY, LabelField.FACTUALITY)

MOST_STATED = 4
"""Presuppositions of a point, and passages of each."""

Value: TypeAlias = int | str
"""A value of a scale; of presuppositions their JSON text (`stated_text`)."""
Key: TypeAlias = tuple[str, LabelField]
"""Unit and field of a label."""


_STATED = TypeAdapter(tuple[LabelledPresupposition, ...])


def stated_of(value: Value | None) -> tuple[LabelledPresupposition, ...]:
    """The presuppositions that a label's value holds; none where there is no label.

    Raises:
        ValidationError: The text holds something else.
    """
    return () if value is None else _STATED.validate_json(str(value))


def stated_text(presuppositions: Sequence[LabelledPresupposition]) -> str:
    """Presuppositions as a label's value."""
    return _STATED.dump_json(tuple(presuppositions), exclude_none=True).decode()


class Codebook(StrEnum):
    """What is asked of a point, and by which words."""

    FIRST = "codebook 1"  # type, score, reconstruction and its premises
    SECOND = "codebook 2"  # kind, standing and presuppositions too


class Mark(StrEnum):
    """What an annotator did with a point besides labelling it."""

    SHOWN = "shown"  # the reconstruction was shown: what was said of the whole is fixed
    PEEKED = "peeked"  # the model's scores were shown
    SKIPPED = "skipped"  # the text is no point


@dataclass(frozen=True)
class LabelStep:
    """One label to give.

    Attributes:
        unit_id: The point or premise.
        field: What is labelled.
        fixed: Whether it can no longer be changed.
        optional: Whether a point is finished without it.
    """

    unit_id: str
    field: LabelField
    fixed: bool = False
    optional: bool = False

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


def course(
    point: LabelPoint, labels: Mapping[Key, Value], marks: frozenset[Mark], codebook: Codebook
) -> Course:
    """The steps of one annotator at one point.

    Args:
        point: The point.
        labels: The annotator's labels of it and its premises.
        marks: What else the annotator did with it.
        codebook: What the set follows.
    """
    name = point.point_id
    shown = Mark.SHOWN in marks
    steps = _whole_steps(name, labels, codebook, shown=shown)
    rebuilt = labels.get((name, LabelField.TYPE)) == PointType.ARGUMENT and bool(point.premises)
    scored = any(step.field is LabelField.FACTUALITY for step in steps)
    given = all(step.optional or step.key in labels for step in steps)
    may_show = rebuilt and scored and given and not shown
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
    missing = [step for step in steps if step.key not in labels and not step.optional]
    skipped = Mark.SKIPPED in marks
    return Course(
        steps=tuple(steps),
        may_show=may_show,
        shown=rebuilt and shown,
        passed_over=passed_over,
        done=skipped or not (missing or may_show),
        current=missing[0] if missing and not skipped else None,
    )


def _whole_steps(
    name: str, labels: Mapping[Key, Value], codebook: Codebook, *, shown: bool
) -> list[LabelStep]:
    """The steps of a point as a whole, fixed once its reconstruction was shown."""
    steps = [LabelStep(name, LabelField.TYPE, fixed=shown)]
    type_ = labels.get((name, LabelField.TYPE))
    if type_ is None:
        return steps
    if codebook is Codebook.SECOND:
        steps.append(LabelStep(name, LabelField.KIND, fixed=shown))
        if labels.get((name, LabelField.KIND)) in (None, PointKind.NONE):
            return steps
    question = type_ == PointType.QUESTION
    score = LabelField.UNANSWERABILITY if question else LabelField.FACTUALITY
    steps.append(LabelStep(name, score, fixed=shown))
    if codebook is Codebook.SECOND:
        steps.append(LabelStep(name, LabelField.STANDING, fixed=shown))
        steps.append(LabelStep(name, LabelField.PRESUPPOSITIONS, fixed=shown, optional=True))
    return steps


def refusal(
    point: LabelPoint,
    labels: Mapping[Key, Value],
    marks: frozenset[Mark],
    key: Key,
    value: Value,
    codebook: Codebook,
) -> str:
    """Why a label may not be given now; empty if it may."""
    if key[1] is LabelField.PRESUPPOSITIONS:
        if why := _stated_refusal(value):
            return why
    elif value not in VALUES[key[1]]:
        return f"{value!r} is not on the scale of {key[1].value}"
    if Mark.SKIPPED in marks:
        return "this point was skipped; undo that first"
    steps = course(point, labels, marks, codebook).steps
    step = next((step for step in steps if step.key == key), None)
    if step is None:
        return "this label is not asked for now: another decision comes first"
    if step.fixed and labels.get(key) != value:
        return "this was decided before the reconstruction was shown, and stays"
    return ""


def _stated_refusal(value: Value) -> str:
    try:
        stated = stated_of(value)
    except ValidationError:
        return "these are no presuppositions"
    if len(stated) > MOST_STATED:
        return f"a point has at most {MOST_STATED} presuppositions: name those it rests on most"
    if any(len(known.passages) > MOST_STATED for known in stated):
        return f"a presupposition has at most {MOST_STATED} passages"
    return ""


def outdated(
    point: LabelPoint, labels: Mapping[Key, Value], marks: frozenset[Mark], codebook: Codebook
) -> list[Key]:
    """Labels that an earlier decision has made pointless: of another type, or of premises."""
    asked = {step.key for step in course(point, labels, marks, codebook).steps}
    return [key for key in labels if key not in asked]


def wants_reason(field: LabelField, value: Value | None, reason: str | None) -> bool:
    """Whether the codebook asks for a reason that is not there."""
    low = field in REASONED and isinstance(value, int) and value <= REASON_UP_TO
    return low and not (reason or "").strip()
