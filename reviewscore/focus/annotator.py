"""Have a model label the points of many reviews, into a folder. Entry point: `label_points`.

Points of one review that praise, or that criticise, are labelled in one question. One line a review
is written as it is labelled, so that a session can be stopped, killed and gone on with; every reply
is in the ledger, so that none is paid twice.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path

from reviewscore.config import Settings
from reviewscore.errors import ModelError, StopError, capture_errors, error_message
from reviewscore.files import InputFile
from reviewscore.focus.facets import UNKNOWN, FacetKind, FacetPoint, FacetSet, Labelled, Polarity
from reviewscore.judges.asker import Reply
from reviewscore.llm.structured import ASK_AGAIN
from reviewscore.papers.hygiene import tidy
from reviewscore.runs.estimate import CostEstimate, estimate_calls
from reviewscore.runs.generation import (
    Asks,
    GeneratedRow,
    GenerationManifest,
    GenerationSession,
    Rows,
    Work,
    failed,
    fill,
    generation_folder,
)
from reviewscore.runs.session import Outcome, Say
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


async def annotate(asker: Asks, points: Sequence[FacetPoint], facets: FacetSet) -> Annotated:
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
        capture_errors(_ask(asker, [points[at] for at in group], facets, kind))
        for group in groups
        for kind in FacetKind
    ]
    found = await asyncio.gather(*work)
    for error in found:
        if isinstance(error, StopError):
            raise error
    answers = iter(found)
    labelled: dict[int, Labelled] = {}
    for group in groups:
        target, aspect = next(answers), next(answers)
        texts = [points[at] for at in group]
        labelled.update(zip(group, _labelled(texts, target, aspect), strict=True))
    return Annotated(
        [labelled[at] for at in range(len(points))],
        [answer.provenance for answer in found if isinstance(answer, _Answer)],
        [model_error for model_error in found if isinstance(model_error, ModelError)],
    )


def question_groups(points: Sequence[FacetPoint]) -> list[list[int]]:
    """Places of the points that are asked about together: of one review and one polarity."""
    together: dict[tuple[str, Polarity], list[int]] = {}
    for at, point in enumerate(points):
        together.setdefault((point.review_id, point.polarity), []).append(at)
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


async def _ask(
    asker: Asks, points: Sequence[FacetPoint], facets: FacetSet, kind: FacetKind
) -> _Answer:
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
        wrong = [label for label in reply.labels if label.strip().casefold() not in known]
        if wrong and not (last and len(wrong) < len(points)):
            raise ValueError(f"'{wrong[0]}' is no label; use one of {', '.join(known.values())}")

    judged = await asker.ask(
        prompt_of(kind, points[0].polarity),
        FacetReply,
        check=check,
        facets=[facet.model_dump() for facet in facets.of(kind)],
        points=numbered(points),
    )
    given = judged.reply.labels
    labels = [known.get(text.strip().casefold(), UNKNOWN) for text in given]
    reasons = [
        f"'{tidy(said[:_LONGEST]).text}' is no {kind}" if label == UNKNOWN else ""
        for said, label in zip(given, labels, strict=True)
    ]
    return _Answer(labels, reasons, judged.provenance)


def numbered(points: Sequence[FacetPoint]) -> str:
    """Points as a question shows them, one a line."""
    return "\n".join(
        f"{number}. {' '.join(point.text.split())}" for number, point in enumerate(points, 1)
    )


def prompt_of(kind: FacetKind, polarity: Polarity) -> str:
    """Name of the prompt for a kind of facet and of point."""
    return f"focus_{kind.value}_{polarity.value}"


def _labelled(
    points: Sequence[FacetPoint],
    target: _Answer | ModelError | StopError,
    aspect: _Answer | ModelError | StopError,
) -> list[Labelled]:
    """Points with both labels; a question that failed leaves its label unknown."""
    labels, reasons = [], []
    for answer in (target, aspect):
        if isinstance(answer, _Answer):
            labels.append(answer.labels)
            reasons.append(answer.reasons)
        else:
            labels.append([UNKNOWN] * len(points))
            reasons.append(
                [error_message(answer) if isinstance(answer, ModelError) else ""] * len(points)
            )
    return [
        Labelled(point, first, second, "; ".join(filter(None, why)))
        for point, first, second, why in zip(
            points, *labels, zip(*reasons, strict=True), strict=True
        )
    ]


ACCOUNT, LABELS = "annotate.json", "labels.jsonl"
PROMPTS = tuple(prompt_of(kind, polarity) for kind in FacetKind for polarity in Polarity)
REPLY_TOKENS = 60
"""Guessed tokens of a reply: a dozen labels; times `ROOM_TO_THINK` for reasoning models."""


class LabelledReview(GeneratedRow):
    """The labels of one review's points; a line of ``labels.jsonl``.

    It is a failed one if any question was: what the other questions gave is kept, and the labels
    that are missing are unknown.

    Attributes:
        points_sha256: Of the points' words and polarities: other points are labelled anew.
        targets: One a point, in order.
        aspects: Likewise.
        reasons: Likewise, why a label is unknown; empty where none is.
        questions: Model, prompt and call of each question that was answered.
    """

    paper_id: str
    review_id: str
    system: str
    points_sha256: str
    targets: tuple[str, ...] = ()
    aspects: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    questions: tuple[Provenance, ...] = ()

    @property
    def key(self) -> str:
        """The review's identifier."""
        return self.review_id


@dataclass(frozen=True)
class Labels:
    """What a session came to.

    Attributes:
        points: All points in the order in which they were given; None if the session ended before
            all were labelled, and another one has to go on.
        outcome: How it ended.
    """

    points: list[Labelled] | None
    outcome: Outcome[GenerationManifest]


def label_points(
    points: Sequence[FacetPoint],
    facets: FacetSet,
    out: Path,
    settings: Settings,
    *,
    inputs: Sequence[InputFile] = (),
    retry_errors: bool = False,
    say: Say = lambda _: None,
    step: Callable[[], None] = lambda: None,
) -> Labels:
    """Label points by a model, review by review, into a folder.

    What is there already is not asked again, except for reviews whose points have changed; what is
    no longer in the input is taken out.

    Args:
        points: Points of any number of reviews.
        facets: The labels.
        out: The folder; it must be new, or of an earlier session.
        settings: Name the model and the limits.
        inputs: The files that the points come from, for the account.
        retry_errors: Ask again for what failed.
        say: Told what the user should know.
        step: Called after each review.

    Raises:
        SettingsError: No model is named, or it cannot be asked.
        RunFolderError: The folder cannot be used.
    """
    more = {"model": settings.model, "facets": facets.name, "facets sha256": facets.sha256}
    with generation_folder(out, ACCOUNT, PROMPTS, settings, inputs=inputs, more=more) as folder:
        rows = Rows(out / LABELS, LabelledReview, retry_errors=retry_errors)
        reviews = _by_review(points)
        work = Work(reviews, "reviews", _current, partial(_label_review, facets), _row)
        outcome = fill(folder, rows, work, settings, say=say, step=step, renew=retry_errors)
        return Labels(_all_labelled(rows, reviews, points), outcome)


def expected_to_label(
    points: Sequence[FacetPoint], facets: FacetSet, settings: Settings
) -> CostEstimate:
    """What `label_points` would ask and cost; arguments as there."""
    definitions = {
        kind: sum(len(facet.name) + len(facet.definition) for facet in facets.of(kind))
        for kind in FacetKind
    }
    asked = [
        (settings.model, prompt_of(kind, some[0].polarity), definitions[kind] + len(numbered(some)))
        for group in question_groups(points)
        for some in [[points[at] for at in group]]
        for kind in FacetKind
    ]
    return estimate_calls(asked, settings, dict.fromkeys(PROMPTS, REPLY_TOKENS))


def _by_review(points: Sequence[FacetPoint]) -> dict[str, list[FacetPoint]]:
    point_groups: dict[str, list[FacetPoint]] = {}
    for point in points:
        point_groups.setdefault(point.review_id, []).append(point)
    return point_groups


def _current(row: LabelledReview, points: Sequence[FacetPoint]) -> bool:
    return row.points_sha256 == _sum(points)


async def _label_review(
    facets: FacetSet, session: GenerationSession, points: Sequence[FacetPoint]
) -> LabelledReview:
    annotated = await annotate(session.asker(session.settings.model), points, facets)
    fields = failed(annotated.errors[0]) if annotated.errors else {"state": "made"}
    if annotated.errors:
        session.say(f"{points[0].review_id}: {fields['reason']}")
    return _row(
        points,
        {
            **fields,
            "targets": tuple(point.target for point in annotated.points),
            "aspects": tuple(point.aspect for point in annotated.points),
            "reasons": tuple(point.reason for point in annotated.points),
            "questions": tuple(annotated.provenance),
        },
    )


def _all_labelled(
    rows: Rows[LabelledReview],
    reviews: Mapping[str, Sequence[FacetPoint]],
    points: Sequence[FacetPoint],
) -> list[Labelled] | None:
    """All points with their labels; None if a review has no line yet."""
    if any(name not in rows.done for name in reviews):
        return None
    rest = {name: _read(rows.done[name], some) for name, some in reviews.items()}
    return [next(rest[point.review_id]) for point in points]


def _read(row: LabelledReview, points: Sequence[FacetPoint]) -> Iterator[Labelled]:
    """The points of a review with the labels of its line; all unknown if it has none."""
    if not row.targets:
        return (Labelled(point, reason=row.reason) for point in points)
    labels = zip(points, row.targets, row.aspects, row.reasons, strict=True)
    return (Labelled(*label) for label in labels)


def _row(points: Sequence[FacetPoint], fields: Mapping[str, object]) -> LabelledReview:
    first = points[0]
    return LabelledReview.model_validate(
        {
            "paper_id": first.paper_id,
            "review_id": first.review_id,
            "system": first.system,
            "points_sha256": _sum(points),
            **fields,
        }
    )


def _sum(points: Sequence[FacetPoint]) -> str:
    """SHA-256 of all that a question shows of points."""
    words = json.dumps([(point.polarity.value, point.text) for point in points])
    return hashlib.sha256(words.encode()).hexdigest()
