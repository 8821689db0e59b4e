"""Facets by a model: points of a review that praise, or that criticise, in one question each."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from reviewscore.errors import ModelError, StopError
from reviewscore.focus.facets import UNKNOWN, FacetSet, Kind, Polarity
from reviewscore.focus.labelled import Labelled, Point
from reviewscore.judges.asker import Reply
from reviewscore.judges.settled import reason, settled
from reviewscore.llm.structured import ASK_AGAIN
from reviewscore.papers.hygiene import tidy
from reviewscore.runs.generation import Asks
from reviewscore.schema.answer import Sentence, Several
from reviewscore.schema.verdict import Provenance

MOST = 20
"""Points in one question."""
_LONGEST = 40
"""Characters of a label that is none, as it is told."""


class FacetReply(Reply):
    """One label for each point, in order."""

    labels: Several[Sentence]


@dataclass(frozen=True, slots=True)
class Annotated:
    """Points with their facets, and where these came from.

    Attributes:
        points: In order.
        provenance: Of each question that was answered.
        errors: Of each question that was not.
    """

    points: list[Labelled]
    provenance: list[Provenance]
    errors: list[ModelError]


async def annotate(asker: Asks, points: Sequence[Point], facets: FacetSet) -> Annotated:
    """Label points; one that gets no usable label is unknown, with the reason.

    Args:
        asker: The model.
        points: In any order.
        facets: The labels.

    Raises:
        StopError: Nothing more can be asked; what was answered is on record.
    """
    groups = question_groups(points)
    work = [
        settled(_ask(asker, [points[at] for at in group], facets, kind))
        for group in groups
        for kind in Kind
    ]
    found = await asyncio.gather(*work)
    for one in found:
        if isinstance(one, StopError):
            raise one
    answers = iter(found)
    labelled: dict[int, Labelled] = {}
    for group in groups:
        target, aspect = next(answers), next(answers)
        texts = [points[at] for at in group]
        labelled.update(zip(group, _labelled(texts, target, aspect), strict=True))
    return Annotated(
        [labelled[at] for at in range(len(points))],
        [one.provenance for one in found if isinstance(one, _Answer)],
        [one for one in found if isinstance(one, ModelError)],
    )


def question_groups(points: Sequence[Point]) -> list[list[int]]:
    """Places of the points that are asked about together: of one review and one polarity."""
    together: dict[tuple[str, Polarity], list[int]] = {}
    for at, one in enumerate(points):
        together.setdefault((one.review_id, one.polarity), []).append(at)
    return [
        group[at : at + MOST] for group in together.values() for at in range(0, len(group), MOST)
    ]


@dataclass(frozen=True, slots=True)
class _Answer:
    """Labels of one kind for some points.

    Attributes:
        labels: In order; `UNKNOWN` where the model gave none of the facets.
        reasons: In order; why a label is unknown, empty where none is.
        provenance: Of the question.
    """

    labels: list[str]
    reasons: list[str]
    provenance: Provenance


async def _ask(asker: Asks, points: Sequence[Point], facets: FacetSet, kind: Kind) -> _Answer:
    """Labels of one kind for points of one polarity.

    A label that is none is asked for again; if it is none the last time too, it is unknown, and
    the others of the reply hold.
    """
    known = {name.casefold(): name for name in facets.names(kind)}
    tries = count()

    def check(reply: FacetReply) -> None:
        last = next(tries) >= ASK_AGAIN
        if len(reply.labels) != len(points):
            raise ValueError(f"{len(points)} labels were asked for, {len(reply.labels)} came")
        wrong = [one for one in reply.labels if one.strip().casefold() not in known]
        if wrong and not (last and len(wrong) < len(points)):
            raise ValueError(f"'{wrong[0]}' is no label; use one of {', '.join(known.values())}")

    judged = await asker.ask(
        prompt_of(kind, points[0].polarity),
        FacetReply,
        check=check,
        facets=[one.model_dump() for one in facets.of(kind)],
        points=numbered(points),
    )
    given = judged.reply.labels
    labels = [known.get(one.strip().casefold(), UNKNOWN) for one in given]
    reasons = [
        f"'{tidy(said[:_LONGEST]).text}' is no {kind}" if label == UNKNOWN else ""
        for said, label in zip(given, labels, strict=True)
    ]
    return _Answer(labels, reasons, judged.provenance)


def numbered(points: Sequence[Point]) -> str:
    """Points as a question shows them, one a line."""
    return "\n".join(
        f"{number}. {' '.join(one.text.split())}" for number, one in enumerate(points, 1)
    )


def prompt_of(kind: Kind, polarity: Polarity) -> str:
    """Name of the prompt for a kind of facet and of point."""
    return f"focus_{kind.value}_{polarity.value}"


def _labelled(
    points: Sequence[Point],
    target: _Answer | ModelError | StopError,
    aspect: _Answer | ModelError | StopError,
) -> list[Labelled]:
    """Points with both labels; a question that failed leaves its label unknown."""
    labels, reasons = [], []
    for one in (target, aspect):
        if isinstance(one, _Answer):
            labels.append(one.labels)
            reasons.append(one.reasons)
        else:
            labels.append([UNKNOWN] * len(points))
            reasons.append([reason(one) if isinstance(one, ModelError) else ""] * len(points))
    return [
        Labelled(point, first, second, "; ".join(filter(None, why)))
        for point, first, second, why in zip(
            points, *labels, zip(*reasons, strict=True), strict=True
        )
    ]
