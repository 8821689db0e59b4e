"""Have a model label the points of many reviews, into a folder. Front door: `label_points`.

One line a review is written as it is labelled, so that a session can be stopped, killed and gone
on with; every reply is in the ledger, so that none is paid twice.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from reviewscore import prompts
from reviewscore.config import Settings
from reviewscore.files import InputFile
from reviewscore.focus.annotator import annotate, numbered, prompt_of, question_groups
from reviewscore.focus.facets import FacetSet, Kind, Polarity
from reviewscore.focus.labelled import Labelled, Point
from reviewscore.runs.estimate import CallEstimate, estimate_calls
from reviewscore.runs.generation import (
    GenerationFolder,
    GenerationManifest,
    GenerationSession,
    Row,
    Rows,
    Work,
    check_models,
    failed,
    fill,
    new_manifest,
)
from reviewscore.runs.session import Outcome, Say
from reviewscore.schema.verdict import Provenance

ACCOUNT, LABELS = "annotate.json", "labels.jsonl"
PROMPTS = tuple(prompt_of(kind, polarity) for kind in Kind for polarity in Polarity)
REPLY_TOKENS = 60
"""Guessed tokens of a reply: a dozen labels; times `ROOM_TO_THINK` for reasoning models."""


class LabelledReview(Row):
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
    points: Sequence[Point],
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
    check_models(settings)
    with prompts.use_directory(settings.prompts_dir):
        more = {"model": settings.model, "facets": facets.name, "facets sha256": facets.sha256}
        manifest = new_manifest(PROMPTS, settings, inputs=tuple(inputs), more=more)
        with GenerationFolder(out, ACCOUNT, manifest) as folder:
            rows = Rows(out / LABELS, LabelledReview, retry_errors=retry_errors)
            reviews = _by_review(points)
            work = Work(reviews, "reviews", _current, partial(_labelled, facets), _row)
            outcome = asyncio.run(
                fill(folder, rows, work, settings, say=say, step=step, renew=retry_errors)
            )
            return Labels(_all_labelled(rows, reviews, points), outcome)


def expected_to_label(
    points: Sequence[Point], facets: FacetSet, settings: Settings
) -> CallEstimate:
    """What `label_points` would ask and cost; arguments as there."""
    definitions = {
        kind: sum(len(one.name) + len(one.definition) for one in facets.of(kind)) for kind in Kind
    }
    asked = [
        (settings.model, prompt_of(kind, some[0].polarity), definitions[kind] + len(numbered(some)))
        for group in question_groups(points)
        for some in [[points[at] for at in group]]
        for kind in Kind
    ]
    return estimate_calls(asked, settings, dict.fromkeys(PROMPTS, REPLY_TOKENS))


def _by_review(points: Sequence[Point]) -> dict[str, list[Point]]:
    found: dict[str, list[Point]] = {}
    for one in points:
        found.setdefault(one.review_id, []).append(one)
    return found


def _current(row: LabelledReview, points: Sequence[Point]) -> bool:
    return row.points_sha256 == _sum(points)


async def _labelled(
    facets: FacetSet, session: GenerationSession, points: Sequence[Point]
) -> LabelledReview:
    found = await annotate(session.asker(session.settings.model), points, facets)
    fields = failed(found.errors[0]) if found.errors else {"state": "made"}
    if found.errors:
        session.say(f"{points[0].review_id}: {fields['reason']}")
    return _row(
        points,
        {
            **fields,
            "targets": tuple(one.target for one in found.points),
            "aspects": tuple(one.aspect for one in found.points),
            "reasons": tuple(one.reason for one in found.points),
            "questions": tuple(found.provenance),
        },
    )


def _all_labelled(
    rows: Rows[LabelledReview], reviews: Mapping[str, Sequence[Point]], points: Sequence[Point]
) -> list[Labelled] | None:
    """All points with their labels; None if a review has no line yet."""
    if any(name not in rows.done for name in reviews):
        return None
    rest = {name: _read(rows.done[name], some) for name, some in reviews.items()}
    return [next(rest[one.review_id]) for one in points]


def _read(row: LabelledReview, points: Sequence[Point]) -> Iterator[Labelled]:
    """The points of a review with the labels of its line; all unknown if it has none."""
    if not row.targets:
        return (Labelled(one, reason=row.reason) for one in points)
    labels = zip(points, row.targets, row.aspects, row.reasons, strict=True)
    return (Labelled(*one) for one in labels)


def _row(points: Sequence[Point], fields: Mapping[str, object]) -> LabelledReview:
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


def _sum(points: Sequence[Point]) -> str:
    """SHA-256 of all that a question shows of points."""
    words = json.dumps([(one.polarity.value, one.text) for one in points])
    return hashlib.sha256(words.encode()).hexdigest()
