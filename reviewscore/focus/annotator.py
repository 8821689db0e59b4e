"""Facets by a model: points of a review that praise, or that criticise, in one question each."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from reviewscore.errors import ModelError, StopError
from reviewscore.focus.facets import UNKNOWN, FacetSet, Kind, Polarity
from reviewscore.focus.labelled import Labelled, Point
from reviewscore.judges.asker import Asker, Reply
from reviewscore.judges.settled import reason, settled
from reviewscore.schema.verdict import Provenance

MOST = 20
"""Points in one question."""


class FacetReply(Reply):
    """One label for each point, in order."""

    labels: list[str]


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


async def annotate(asker: Asker, points: Sequence[Point], facets: FacetSet) -> Annotated:
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
        [one[1] for one in found if not isinstance(one, ModelError | StopError)],
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


async def _ask(
    asker: Asker, points: Sequence[Point], facets: FacetSet, kind: Kind
) -> tuple[list[str], Provenance]:
    """Labels of one kind for points of one polarity."""
    known = {name.casefold(): name for name in facets.names(kind)}

    def check(reply: FacetReply) -> None:
        if len(reply.labels) != len(points):
            raise ValueError(f"{len(points)} labels were asked for, {len(reply.labels)} came")
        wrong = [one for one in reply.labels if one.strip().casefold() not in known]
        if wrong:
            raise ValueError(f"'{wrong[0]}' is no label; use one of {', '.join(known.values())}")

    judged = await asker.ask(
        prompt_of(kind, points[0].polarity),
        FacetReply,
        check=check,
        facets=[one.model_dump() for one in facets.of(kind)],
        points=numbered(points),
    )
    return [known[one.strip().casefold()] for one in judged.reply.labels], judged.provenance


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
    target: tuple[list[str], Provenance] | ModelError | StopError,
    aspect: tuple[list[str], Provenance] | ModelError | StopError,
) -> list[Labelled]:
    """Points with both labels; a question that failed leaves its label unknown."""
    failed = [reason(one) for one in (target, aspect) if isinstance(one, ModelError)]
    names = [
        [UNKNOWN] * len(points) if isinstance(one, ModelError | StopError) else one[0]
        for one in (target, aspect)
    ]
    return [
        Labelled(point, first, second, "; ".join(failed))
        for point, first, second in zip(points, *names, strict=True)
    ]
