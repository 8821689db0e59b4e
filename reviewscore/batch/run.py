"""Score a whole collection into a run folder: streamed, resumable, stoppable."""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from reviewscore import prompts
from reviewscore.batch.account import Outcome, new_manifest, spent
from reviewscore.batch.finished import finished_run
from reviewscore.batch.interrupt import interruptible
from reviewscore.batch.papers import PAPERS_AHEAD, Papers
from reviewscore.batch.progress import Progress, Quiet
from reviewscore.batch.selection import chosen_reviews
from reviewscore.config import Resolved, Settings
from reviewscore.errors import ReviewScoreError, StopError, StoppedError
from reviewscore.judges.bench import open_judges
from reviewscore.judges.judge import Judges
from reviewscore.llm.client import Client
from reviewscore.llm.connect import Surroundings, check, open_ledger
from reviewscore.llm.ledger.memory import CallsInMemory
from reviewscore.llm.sending import Book
from reviewscore.logic.pool import shared
from reviewscore.papers.hygiene import without_surrogates
from reviewscore.pipeline import point_score, review_points, score_with_response
from reviewscore.points import split_review
from reviewscore.schema.calibration import Calibration, calibrated
from reviewscore.schema.paper import Paper
from reviewscore.schema.point_score import Status
from reviewscore.schema.review import Review, ReviewPoint
from reviewscore.schema.verdict import Provenance
from reviewscore.sources.files import Collection
from reviewscore.store.calibration import read_calibration
from reviewscore.store.manifest import Counts, Manifest
from reviewscore.store.run_dir import ErrorRecord, RunDir

log = logging.getLogger(__name__)

REVIEWS_AHEAD = 2
"""Reviews under way per connection: enough points to keep every connection busy."""
REVIEWS_IN_A_WAVE = 300
"""Reviews under way where replies come in waves: more would need more memory than a wave saves."""


@dataclass
class _Session:
    """What one session of a run works with."""

    collection: Collection
    settings: Settings
    judges: Judges
    run: RunDir
    client: Client | None
    progress: Progress
    calibration: Calibration | None = None
    stopping: bool = False
    stopped: str | None = None
    interrupted: bool = False
    failed_reviews: int = 0
    without_points: int = 0
    papers: set[str] = field(default_factory=set)
    reviews: int = 0
    points: int = 0
    rejected: int = 0

    def __post_init__(self) -> None:
        self.shelf = Papers(self.collection, self.settings.paper_parts, self.progress.say)

    def stop(self, reason: str | None) -> None:
        """Begin nothing new; calls under way finish."""
        self.stopping = True
        self.stopped = self.stopped or reason
        if self.client is not None:
            self.client.stop()


def audit(
    collection: Collection,
    out: Path,
    resolved: Resolved,
    *,
    data: Path | None = None,
    progress: Progress | None = None,
    allow_foreign: bool = False,
    retry_errors: bool = False,
) -> Outcome:
    """Score a collection into a run folder; what is there already is not done again.

    Args:
        collection: Papers and reviews.
        out: The run folder.
        resolved: Settings with their origins.
        data: Folder the collection was read from; noted in the manifest.
        progress: Told what happens.
        allow_foreign: Write into a non-empty folder that is no run folder.
        retry_errors: Try failed points again.

    Raises:
        SettingsError: The model is unknown or its key is missing.
        RunFolderError: The folder cannot be used.
        InputError: A chosen paper or point does not exist.
    """
    progress = progress or Quiet()
    settings = resolved.settings
    check(settings)
    _learnt(settings)  # a wrong file is said before anything is asked
    with prompts.use_directory(settings.prompts_dir):
        manifest = new_manifest(collection, resolved, data=data)
        done = finished_run(collection, out, manifest, settings, retry_errors=retry_errors)
        if done is not None:  # nothing is asked again, and the run's account stays as it is
            return Outcome(manifest=done, failed=done.counts.error, before=done.counts.points)
        with RunDir(out, manifest, allow_foreign=allow_foreign, retry_errors=retry_errors) as run:
            return asyncio.run(_session(collection, settings, run, progress, renew=retry_errors))


async def _session(
    collection: Collection,
    settings: Settings,
    run: RunDir,
    progress: Progress,
    *,
    renew: bool,
) -> Outcome:
    started, clock, before = datetime.now(UTC), time.perf_counter(), len(run.done)
    around = Surroundings(idle=lambda: not shared().busy, say=progress.say, renew=renew)
    with ExitStack() as stack:
        book: Book = CallsInMemory()  # the embedded judge makes no calls
        if not settings.embedded:
            book = await open_ledger(settings, run.path, run=run.manifest.run_id, say=progress.say)
            stack.callback(book.close)
        async with open_judges(settings, book, around) as opened:
            judges, client = opened
            session = _Session(
                collection, settings, judges, run, client, progress, _learnt(settings)
            )
            for line in collection.skipped:
                run.add_error(ErrorRecord(what="line", kind="InputError", message=str(line)))
            with interruptible(session, progress.say):
                await _score_all(session)
        seconds = round(time.perf_counter() - clock, 3)
        manifest = _closing(session, started, seconds)
    run.update(manifest)
    return Outcome(
        manifest=manifest,
        interrupted=session.interrupted,
        stopped=session.stopped,
        failed=manifest.counts.error + session.failed_reviews,
        new=len(run.done) - before,
        before=before,
        seconds=seconds,
    )


def _learnt(settings: Settings) -> Calibration | None:
    """The calibration that was asked for."""
    if settings.calibration is None:
        return None
    judge = " + ".join((settings.model, *settings.panel))
    return read_calibration(settings.calibration, judge=judge)


async def _score_all(session: _Session) -> None:
    reviews = chosen_reviews(session.collection, session.settings)
    session.reviews = len(reviews)
    session.papers = {review.paper_id for review in reviews}
    limitations = session.settings.limitations
    by_rules = sum(len(split_review(one, include_limitations=limitations)) for one in reviews)
    session.progress.expect(by_rules)
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
    except* ReviewScoreError as errors:  # the run folder itself failed: nothing can go on
        raise errors.exceptions[0] from errors
    if session.stopping:
        return
    _note_missing(session)
    if session.points != by_rules and not session.failed_reviews:
        session.progress.say(
            f"the rules, by which points are counted beforehand, split the reviews into "
            f"{by_rules:,} points; the model's own split, which counts, into {session.points:,}"
        )


def _ahead(session: _Session) -> int:
    """Reviews under way at once: many where replies come in waves."""
    if session.client is None:
        return 1
    paced = session.client.provider_of(session.settings.model).traits.paced
    return session.settings.max_connections * REVIEWS_AHEAD if paced else REVIEWS_IN_A_WAVE


def _note_missing(session: _Session) -> None:
    """Write down points that were asked for and that no review holds."""
    for name in sorted(set(session.settings.point) - session.run.done.keys()):
        session.failed_reviews += 1
        message = f"no review holds the point {name}; check --point"
        session.run.add_error(
            ErrorRecord(what="point", point_id=name, kind="InputError", message=message)
        )
        session.progress.say(message)


async def _score_review(session: _Session, review: Review) -> None:
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
        session.failed_reviews += 1
        _note(session, review, error)
        return
    session.points += len(points)
    session.without_points += not points
    session.rejected += len(rejected)
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


def _in_words(error: Exception) -> str:
    """The kind and message of an error, as text that can be stored."""
    return str(without_surrogates(f"{type(error).__name__}: {error}"))


def _note(session: _Session, review: Review, error: Exception) -> None:
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
    session: _Session,
    point: ReviewPoint,
    paper: Paper,
    review: Review,
    origin: tuple[Provenance, ...],
) -> None:
    """Score one point and write it down, whatever comes of it."""
    await asyncio.sleep(0)  # lets signals in between points of a judge that never waits
    if session.stopping:
        return
    settings = session.settings
    try:
        score = await score_with_response(
            point,
            paper,
            session.judges,
            score=settings.score,
            rounds=settings.rounds,
            response=review.author_response if settings.author_response else None,
        )
        update: dict[str, object] = {"provenance": (*origin, *score.provenance)}
        if session.calibration is not None:
            update["calibrated"] = calibrated(score, session.calibration)
        score = score.model_copy(update=update)
    except StopError as error:
        _stop(session, error)
        return
    except Exception as error:  # the outer loop: one bad point never ends a batch
        if not isinstance(error, ReviewScoreError):
            log.exception("point %s", point.point_id)
        score = point_score(point, session.judges, status=Status.ERROR, error=_in_words(error))
    try:
        session.run.add(score)
    except StopError as error:
        _stop(session, error)
        return
    session.progress.finished(score, session.client.traffic if session.client else None)


def _stop(session: _Session, error: StopError) -> None:
    session.stop(None if isinstance(error, StoppedError) else str(error))


def _closing(session: _Session, started: datetime, seconds: float) -> Manifest:
    """The manifest at the end of a session."""
    old, states = session.run.manifest, list(session.run.done.values())
    update: dict[str, object] = {}
    if session.client is not None:
        paid = session.client.paid()
        reused = old.spending.reused + session.client.traffic.reused
        update["spending"] = spent(paid, session.settings, reused=reused)
        update["models_answered"] = paid.models
    doubts = list(session.shelf.warnings)
    if session.rejected:
        doubts.append(f"{session.rejected} proposed points were not verbatim in their review")
    update["warnings"] = tuple(dict.fromkeys((*old.warnings, *doubts)))
    update["doubtful"] = tuple(dict.fromkeys((*old.doubtful, *session.shelf.doubtful)))
    update["times"] = (*old.times, (started.isoformat(timespec="seconds"), seconds))
    # A later session with a selection adds nothing to a whole run, and takes nothing from it.
    update["complete"] = old.complete or not session.stopping
    update["counts"] = Counts(
        papers=max(old.counts.papers, len(session.papers)),
        reviews=max(old.counts.reviews, session.reviews),
        reviews_without_points=max(old.counts.reviews_without_points, session.without_points),
        points=len(states),
        scored=states.count(Status.SCORED),
        unknown=states.count(Status.UNKNOWN),
        error=states.count(Status.ERROR),
        bad_lines=len(session.collection.skipped),
    )
    return old.model_copy(update=update)
