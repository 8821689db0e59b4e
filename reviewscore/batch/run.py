"""Score a whole collection into a run folder: streamed, resumable, stoppable."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from reviewscore import prompts
from reviewscore.batch.account import Outcome, new_manifest, spent
from reviewscore.batch.finished import finished_run
from reviewscore.batch.interrupt import Interruption, interruptible
from reviewscore.batch.progress import Progress, Quiet
from reviewscore.batch.selection import chosen_reviews
from reviewscore.batch.session import Session, Tally, score_reviews
from reviewscore.batch.spread import Spread, check_spread
from reviewscore.bounds import put_in_force
from reviewscore.config import Resolved, Settings
from reviewscore.judges.bench import open_judges
from reviewscore.llm.client import Traffic
from reviewscore.llm.connect import RunContext, check, open_ledger
from reviewscore.llm.ledger.store import CallsInMemory, CallStore, Paid
from reviewscore.logic.pool import shared
from reviewscore.points import split_review
from reviewscore.schema.calibration import Calibration
from reviewscore.schema.point_score import Status
from reviewscore.sources.files import Collection
from reviewscore.store.calibration import read_calibration
from reviewscore.store.manifest import Counts, Manifest
from reviewscore.store.run_dir import ErrorRecord, RunDir, read_points


def audit(  # noqa: PLR0913 - each says another thing of one run
    collection: Collection,
    out: Path,
    resolved: Resolved,
    *,
    data: Path | None = None,
    progress: Progress | None = None,
    allow_foreign: bool = False,
    retry_errors: bool = False,
    accept_changed: bool = False,
    interruption: Interruption | None = None,
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
        accept_changed: Go on in a folder whose records something else has changed; it is noted.
        interruption: Brings Ctrl-C, where this does not run in the main thread.

    Raises:
        SettingsError: The model is unknown or its key is missing, or the engine cannot be used.
        RunFolderError: The folder cannot be used, or its records were changed.
        InputError: A chosen paper or point does not exist.
    """
    progress = progress or Quiet()
    settings = resolved.settings
    put_in_force(settings.bounds)
    check(settings)
    if settings.engine == "ray":
        check_spread(settings, collection)
    learnt(settings)  # a wrong file is said before anything is asked
    with prompts.use_directory(settings.prompts_dir):
        manifest = new_manifest(collection, resolved, out=out, data=data)
        done = finished_run(
            collection,
            out,
            manifest,
            settings,
            retry_errors=retry_errors,
            accept_changed=accept_changed,
        )
        if done is not None:  # nothing is asked again, and the run's account stays as it is
            return Outcome(
                manifest=done,
                failed=done.counts.error + len(collection.unread),
                before=done.counts.points,
            )
        with RunDir(
            out,
            manifest,
            allow_foreign=allow_foreign,
            retry_errors=retry_errors,
            accept_changed=accept_changed,
        ) as run:
            work = _Work(
                collection, settings, run, progress, renew=retry_errors, interruption=interruption
            )
            return asyncio.run(work.session())


def learnt(settings: Settings) -> Calibration | None:
    """The calibration that was asked for."""
    if settings.calibration is None:
        return None
    judge = " + ".join((settings.model, *settings.panel))
    return read_calibration(settings.calibration, judge=judge)


@dataclass(frozen=True)
class _Done:
    """How a session ended, wherever it ran."""

    stopping: bool
    stopped: str | None
    interrupted: bool
    tally: Tally
    traffic: Traffic

    @classmethod
    def of(cls, session: Session | Spread, tally: Tally, traffic: Traffic) -> _Done:
        """As a session says when it is over."""
        return cls(session.stopping, session.stopped, session.interrupted, tally, traffic)


class _Work:
    """One session of a run, on this process or on many."""

    def __init__(
        self,
        collection: Collection,
        settings: Settings,
        run: RunDir,
        progress: Progress,
        *,
        renew: bool,
        interruption: Interruption | None = None,
    ) -> None:
        self._collection, self._settings, self._run = collection, settings, run
        self._progress, self._renew, self._interruption = progress, renew, interruption
        self._reviews = chosen_reviews(collection, settings)
        self._by_rules = sum(
            len(split_review(one, include_limitations=settings.limitations))
            for one in self._reviews
        )

    async def session(self) -> Outcome:
        """Do what is missing, and write the run's account of it."""
        started, clock, before = datetime.now(UTC), time.perf_counter(), len(self._run.done)
        with ExitStack() as stack:
            book: CallStore = CallsInMemory()  # the embedded judge makes no calls
            if not self._settings.embedded:
                book = await open_ledger(
                    self._settings,
                    self._run.path,
                    run=self._run.manifest.run_id,
                    say=self._progress.say,
                )
                stack.callback(book.close)
            self._progress.expect(self._by_rules)
            for fault in self._collection.skipped:
                self._run.add_error(ErrorRecord.of_input("line", fault))
            for fault in self._collection.unread:
                self._run.add_error(ErrorRecord.of_input("file", fault))
            done = await (
                self._on_ray(book) if self._settings.engine == "ray" else self._here(book)
            )
            if not done.stopping:
                self._tell_of(done.tally)
            paid = None if self._settings.embedded else await book.paid()
        seconds = round(time.perf_counter() - clock, 3)
        manifest = self._run.update(self._closing(done, paid, started, seconds))
        return Outcome(
            manifest=manifest,
            interrupted=done.interrupted,
            stopped=done.stopped,
            failed=manifest.counts.error + done.tally.failed_reviews + len(self._collection.unread),
            new=len(self._run.done) - before,
            before=before,
            seconds=seconds,
        )

    async def _here(self, book: CallStore) -> _Done:
        settings, say = self._settings, self._progress.say
        around = RunContext(
            idle=lambda: not shared().busy,
            say=say,
            renew=self._renew,
            refused=self._run.manifest.refused,
        )
        async with open_judges(settings, book, around) as (judges, client):
            session = Session(
                self._collection,
                settings,
                judges,
                self._run,
                client,
                self._progress,
                learnt(settings),
            )
            with interruptible(session, say, self._interruption):
                await score_reviews(session, self._reviews)
            return _Done.of(session, session.met(), client.traffic if client else Traffic())

    async def _on_ray(self, book: CallStore) -> _Done:
        spread = Spread(
            self._collection,
            self._settings,
            self._run,
            self._progress,
            spent=await book.paid(),
            calibration=learnt(self._settings),
            renew=self._renew,
        )
        with interruptible(spread, self._progress.say, self._interruption):
            await spread.score(self._reviews)
        return _Done.of(spread, spread.tally, spread.traffic)

    def _tell_of(self, tally: Tally) -> None:
        """Write down and say what was asked for or counted on and did not come."""
        for name in sorted(set(self._settings.point) - self._run.done.keys()):
            tally.failed_reviews += 1
            message = f"no review holds the point {name}; check --point"
            self._run.add_error(
                ErrorRecord(what="point", point_id=name, kind="InputError", message=message)
            )
            self._progress.say(message)
        if tally.points != self._by_rules and not tally.failed_reviews:
            self._progress.say(
                f"the rules, by which points are counted beforehand, split the reviews into "
                f"{self._by_rules:,} points; the model's own split, which counts, into "
                f"{tally.points:,}"
            )

    def _closing(
        self, done: _Done, paid: Paid | None, started: datetime, seconds: float
    ) -> Manifest:
        """The manifest at the end of a session."""
        old, states, tally = self._run.manifest, list(self._run.done.values()), done.tally
        update: dict[str, object] = {}
        if paid is not None:
            reused = old.spending.reused + done.traffic.reused
            update["spending"] = spent(paid, self._settings, reused=reused)
            update["models_answered"] = paid.models
            update["refused"] = done.traffic.refused
        doubts = list(tally.warnings)
        if tally.rejected:
            doubts.append(f"{tally.rejected} proposed points were not verbatim in their review")
        update["warnings"] = tuple(dict.fromkeys((*old.warnings, *doubts)))
        update["doubtful"] = tuple(dict.fromkeys((*old.doubtful, *tally.doubtful)))
        update["unread"] = {**old.unread, **tally.unread}
        update["times"] = (*old.times, (started.isoformat(timespec="seconds"), seconds))
        # A later session with a selection adds nothing to a whole run, and takes nothing from it.
        update["complete"] = old.complete or not done.stopping
        papers = len({review.paper_id for review in self._reviews})
        update["counts"] = Counts(
            papers=max(old.counts.papers, papers),
            reviews=max(old.counts.reviews, len(self._reviews)),
            reviews_without_points=max(old.counts.reviews_without_points, tally.without_points),
            points=len(states),
            scored=states.count(Status.SCORED),
            unknown=states.count(Status.UNKNOWN),
            unscored=states.count(Status.UNSCORED),
            error=states.count(Status.ERROR),
            findings=self._findings() if self._settings.embedded else {},
            bad_lines=len(self._collection.skipped),
        )
        return old.model_copy(update=update)

    def _findings(self) -> dict[str, int]:
        """Points of the folder by what the embedded judge says of them."""
        points = read_points(self._run.path)
        counts = Counter(point.finding.value for point in points if point.finding is not None)
        return dict(sorted(counts.items()))
