"""Scoring reviews, one after the other or many at once; failures become records."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from reviewscore.batch.papers import PAPERS_AHEAD, Papers
from reviewscore.batch.progress import Progress
from reviewscore.config import Settings
from reviewscore.errors import ReviewScoreError, StopError, StoppedError
from reviewscore.judges.judge import Judges
from reviewscore.llm.client import Client
from reviewscore.papers.hygiene import without_surrogates
from reviewscore.pipeline import make_record, review_points, score_with_response
from reviewscore.points.places import with_places
from reviewscore.schema.calibration import Calibration, calibrated
from reviewscore.schema.paper import Paper, Unread
from reviewscore.schema.point_score import PointScore, Status
from reviewscore.schema.review import Review, ReviewPoint
from reviewscore.schema.verdict import Provenance
from reviewscore.sources.collection import Collection
from reviewscore.store.run_dir import ErrorRecord

log = logging.getLogger(__name__)

REVIEWS_AHEAD = 2
"""Reviews under way per connection: enough points to keep every connection busy."""
REVIEWS_IN_A_WAVE = 300
"""Reviews under way where replies come in waves: more would need more memory than a wave saves."""


class Sink(Protocol):
    """Where scores go (`store.run_dir.RunDir`).

    Attributes:
        done: How scoring ended for the points that are there.
    """

    done: dict[str, Status]

    def add(self, score: PointScore) -> None:
        """Take a point's score."""
        ...

    def add_error(self, error: ErrorRecord) -> None:
        """Take a failure."""
        ...


@dataclass
class Tally:
    """What a session met, as far as scores do not tell it.

    Attributes:
        failed_reviews: Reviews that could not be scored.
        without_points: Reviews in which no point was found.
        points: Points found, scored before or not.
        rejected: Proposed points that were not verbatim in their review.
        warnings: What is doubtful about papers, in words.
        doubtful: The papers it is about.
        unread: How much of a paper judges do not see, by its identifier.
    """

    failed_reviews: int = 0
    without_points: int = 0
    points: int = 0
    rejected: int = 0
    warnings: tuple[str, ...] = ()
    doubtful: tuple[str, ...] = ()
    unread: dict[str, Unread] = field(default_factory=dict)

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            failed_reviews=self.failed_reviews + other.failed_reviews,
            without_points=self.without_points + other.without_points,
            points=self.points + other.points,
            rejected=self.rejected + other.rejected,
            warnings=(*self.warnings, *other.warnings),
            doubtful=(*self.doubtful, *other.doubtful),
            unread={**self.unread, **other.unread},
        )


@dataclass(eq=False)
class Session:
    """What one session works with.

    Attributes:
        interrupted: Whether Ctrl-C ended it.
        stopped: The limit that ended it, in words.
        tally: What it met.
    """

    collection: Collection
    settings: Settings
    judges: Judges
    run: Sink
    client: Client | None
    progress: Progress
    calibration: Calibration | None = None
    stopping: bool = False
    stopped: str | None = None
    interrupted: bool = False
    tally: Tally = field(default_factory=Tally)

    def __post_init__(self) -> None:
        self.shelf = Papers(self.collection, self.settings.paper_parts, self.progress.say)

    def stop(self, reason: str | None) -> None:
        """Begin nothing new; calls under way finish."""
        self.stopping = True
        self.stopped = self.stopped or reason
        if self.client is not None:
            self.client.stop()

    def met(self) -> Tally:
        """All that it met, what is doubtful about papers too."""
        shelf = self.shelf
        return self.tally + Tally(
            warnings=shelf.warnings, doubtful=shelf.doubtful, unread=shelf.unread
        )


async def score_reviews(session: Session, reviews: Sequence[Review]) -> None:
    """Score reviews, those of one paper following each other, until done or stopped.

    Raises:
        RunFolderError: The sink failed: nothing can go on.
    """
    slots = asyncio.Semaphore(_ahead(session))
    order = list(dict.fromkeys(review.paper_id for review in reviews))
    places = {paper_id: place for place, paper_id in enumerate(order)}
    try:
        async with asyncio.TaskGroup() as tasks:
            for review in reviews:
                await slots.acquire()
                if session.stopping:
                    return
                place = places[review.paper_id]
                session.shelf.ahead(order[place : place + PAPERS_AHEAD])
                task = tasks.create_task(_score_review(session, review))
                task.add_done_callback(lambda _: slots.release())
    except* ReviewScoreError as errors:
        raise errors.exceptions[0] from errors


def _ahead(session: Session) -> int:
    """Reviews under way at once: many where replies come in waves."""
    if session.client is None:
        return 1
    paced = session.client.provider_of(session.settings.model).traits.paced
    return session.settings.max_connections * REVIEWS_AHEAD if paced else REVIEWS_IN_A_WAVE


async def _score_review(session: Session, review: Review) -> None:
    """Score the points of a review that are not done; failures become records."""
    try:
        paper = await session.shelf.paper(review.paper_id)
        points, origin, rejected = await review_points(
            review,
            session.judges,
            limitations=session.settings.limitations,
            rules_only=session.settings.points == "rules",
        )
    except StopError as error:
        _stop(session, error)
        return
    except Exception as error:  # the outer loop: one bad review never ends a batch
        if not isinstance(error, ReviewScoreError):
            log.exception("review %s", review.review_id)
        session.tally.failed_reviews += 1
        _note(session, review, error)
        return
    session.tally.points += len(points)
    session.tally.without_points += not points
    session.tally.rejected += len(rejected)
    wanted = session.settings.point
    todo = [
        point
        for point in points
        if point.point_id not in session.run.done and (not wanted or point.point_id in wanted)
    ]
    if session.client is None:  # nothing to wait for: in order, so that every run is the same
        for point in todo:
            await _record(session, point, paper, review, origin)
        return
    await asyncio.gather(*(_record(session, point, paper, review, origin) for point in todo))


async def score_by_settings(
    point: ReviewPoint,
    paper: Paper,
    judges: Judges,
    settings: Settings,
    *,
    response: str | None,
    calibration: Calibration | None,
) -> PointScore:
    """Score a point as the settings ask.

    Args:
        point: The point.
        paper: The paper, as judges see it.
        judges: Who judges.
        settings: Which score, how many rounds, and whether judges see the response.
        response: The authors' response; None if there is none.
        calibration: What corrects scores; None if that was not asked for.

    Raises:
        ModelError, StopError: As `pipeline.score_point`.
    """
    score = await score_with_response(
        point,
        paper,
        judges,
        score=settings.score,
        rounds=settings.rounds,
        response=response if settings.author_response else None,
    )
    if calibration is None:
        return score
    return score.model_copy(update={"calibrated": calibrated(score, calibration)})


def _in_words(error: Exception) -> str:
    """The kind and message of an error, as text that can be stored."""
    return str(without_surrogates(f"{type(error).__name__}: {error}"))


def _note(session: Session, review: Review, error: Exception) -> None:
    message = _in_words(error)
    session.run.add_error(
        ErrorRecord(
            what="review",
            review_id=review.review_id,
            kind=type(error).__name__,
            message=message,
        )
    )
    session.progress.say(f"review {review.review_id}: {message}")


async def _record(
    session: Session,
    point: ReviewPoint,
    paper: Paper,
    review: Review,
    origin: tuple[Provenance, ...],
) -> None:
    """Score one point and write it down, whatever comes of it."""
    await asyncio.sleep(0)  # lets signals in between points of a judge that never waits
    if session.stopping:
        return
    try:
        point = with_places(point, paper, review)  # here, so that what fails keeps them too
        score = await score_by_settings(
            point,
            paper,
            session.judges,
            session.settings,
            response=review.author_response,
            calibration=session.calibration,
        )
        score = score.model_copy(update={"provenance": (*origin, *score.provenance)})
    except StopError as error:
        _stop(session, error)
        return
    except Exception as error:  # the outer loop: one bad point never ends a batch
        if not isinstance(error, ReviewScoreError):
            log.exception("point %s", point.point_id)
        score = make_record(point, session.judges, status=Status.ERROR, error=_in_words(error))
    try:
        session.run.add(score)
    except StopError as error:
        _stop(session, error)
        return
    session.progress.finished(score, session.client.traffic if session.client else None)


def _stop(session: Session, error: StopError) -> None:
    session.stop(None if isinstance(error, StoppedError) else str(error))
