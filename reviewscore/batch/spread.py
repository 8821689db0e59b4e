"""A run on many worker processes: papers go out, shards come back, scores go into the run folder.

The unit is the paper. A worker writes what became of it as one shard (`store.shards`), and the
driver takes the scores from there into ``points.jsonl``. Whatever is lost, the same command goes
on: shards that are there are taken over, other papers are judged again, their calls being in the
ledger. A paper whose worker is lost again and again is judged by itself, and then given up.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from reviewscore.batch.far import Orders, PaperTask, Told, halt, open_bench, score_paper
from reviewscore.batch.progress import Progress
from reviewscore.batch.session import REVIEWS_AHEAD, Tally
from reviewscore.config import Settings
from reviewscore.engine.cluster import variables_for
from reviewscore.engine.crew import (
    NEEDS_LEDGER,
    Crew,
    FailedError,
    LostError,
    check_engine,
    open_crew,
    whole_paths,
)
from reviewscore.engine.worker import Shared
from reviewscore.errors import (
    InputError,
    ReviewScoreError,
    RunFolderError,
    SettingsError,
    StopError,
)
from reviewscore.llm.client import Traffic
from reviewscore.llm.connect import limits_of
from reviewscore.llm.ledger.store import FILE, Paid
from reviewscore.llm.parameters import merged
from reviewscore.schema.calibration import Calibration
from reviewscore.schema.point_score import PointScore, Status
from reviewscore.schema.review import Review
from reviewscore.sources.files import Collection
from reviewscore.store.run_dir import ErrorRecord, RunDir
from reviewscore.store.shards import SHARDS, Shard, Shards

ALONE = 2
"""How often a paper whose worker was lost is judged again, with no other paper on its worker."""
_READING = 16
"""Shards read at once."""
_EMBEDDED_AT_ONCE = 2
"""Papers a worker has at once where it does not wait for models: one, and the next."""


def check_spread(settings: Settings, collection: Collection) -> None:
    """Refuse what cannot be spread over workers.

    Raises:
        SettingsError: It cannot; says why.
    """
    if collection.pair is not None or collection.records:
        raise SettingsError("--engine ray is for folders of many papers; leave it away for one")
    check_engine(settings)


@dataclass(eq=False)
class Spread:
    """One session of a run on workers.

    Attributes:
        spent: What the run has paid before.
        tally: What the session met.
        stopping: Whether nothing new is begun.
        stopped: The limit that ended it, in words.
        interrupted: Whether Ctrl-C ended it.
    """

    collection: Collection
    settings: Settings
    run: RunDir
    progress: Progress
    spent: Paid
    calibration: Calibration | None
    renew: bool
    tally: Tally = field(default_factory=Tally)
    stopping: bool = False
    stopped: str | None = None
    interrupted: bool = False
    _traffic: dict[str, Traffic] = field(default_factory=dict)
    _before: dict[str, list[str]] = field(default_factory=dict)
    _crew: Crew | None = None
    _halting: asyncio.Task[None] | None = None

    def __post_init__(self) -> None:
        out = self.run.path.resolve()
        store = self.settings.store or str(out / SHARDS)
        if "://" not in store:
            store = str(Path(store).resolve())
        self._shards = Shards(store)
        self._orders = Orders(
            whole_paths(self.settings),
            out,
            store,
            self.run.manifest.run_id,
            self.run.manifest.decisive_sha256,
            self.calibration,
            self.renew,
            self.run.manifest.refused,
        )

    @property
    def traffic(self) -> Traffic:
        """Calls of all workers in this session."""
        each = self._traffic.values()
        return Traffic(
            calls=sum(one.calls for one in each),
            reused=sum(one.reused for one in each),
            input_tokens=sum(one.input_tokens for one in each),
            cached_tokens=sum(one.cached_tokens for one in each),
            usd=sum(one.usd for one in each),
            refused=merged([self.run.manifest.refused, *(one.refused for one in each)]),
        )

    def stop(self, reason: str | None) -> None:
        """Begin nothing new; calls under way finish."""
        self.stopping = True
        self.stopped = self.stopped or reason
        if self._crew is not None and self._halting is None:
            self._halting = asyncio.ensure_future(self._crew.everywhere(halt))

    async def score(self, reviews: Sequence[Review]) -> None:
        """Score reviews, until done or stopped.

        Raises:
            SettingsError: Workers cannot begin.
            RunFolderError: The run folder or the store failed.
        """
        papers: dict[str, tuple[Review, ...]] = {}
        for review in reviews:
            papers[review.paper_id] = (*papers.get(review.paper_id, ()), review)
        self._note_done()
        found = await self._take_over(papers)
        self._note_done()
        left = {one: group for one, group in papers.items() if one not in found}
        if not left or self.stopping:
            return
        alone = _why_not_apart(self.settings, self.run.path)
        shared = Shared(limits_of(self.settings), self.settings.max_usd, self.spent.total)
        async with open_crew(
            partial(open_bench, self._orders),
            shared,
            workers=self.settings.workers,
            say=self.progress.say,
            several_machines=alone,
            variables=variables_for(self.settings),
        ) as crew:
            self._crew = crew
            try:
                await self._all(crew, left)
            finally:
                if self._halting is not None:
                    await self._halting
                self._crew = None

    def _note_done(self) -> None:
        self._before = {}
        for name in self.run.done:
            self._before.setdefault(name.rpartition("#")[0], []).append(name)

    async def _all(self, crew: Crew, papers: dict[str, tuple[Review, ...]]) -> None:
        mean = sum(map(len, papers.values())) / len(papers)
        lost = await self._round(crew, papers, crew.size * _at_once(self.settings, crew, mean))
        for _ in range(ALONE):
            left = {one: papers[one] for one in lost}
            lost = await self._round(crew, left, crew.size, alone=True)
        for paper_id in lost:
            for review in papers[paper_id]:
                self._fail(review, "LostError: the process that judged its paper died each time")

    async def _round(
        self,
        crew: Crew,
        papers: dict[str, tuple[Review, ...]],
        at_once: int,
        *,
        alone: bool = False,
    ) -> list[str]:
        """Score papers, so many at once, each perhaps alone on its worker.

        Returns:
            Those whose worker was lost.
        """
        slots, lost = asyncio.Semaphore(at_once), list[str]()

        async def one(paper_id: str) -> None:
            try:
                if not await self._score(crew, paper_id, papers[paper_id], alone=alone):
                    lost.append(paper_id)
            finally:
                slots.release()

        try:
            async with asyncio.TaskGroup() as tasks:
                for paper_id in papers:
                    await slots.acquire()
                    if self.stopping:
                        slots.release()
                        break
                    tasks.create_task(one(paper_id))
        except* ReviewScoreError as errors:
            raise errors.exceptions[0] from errors
        return [] if self.stopping else lost

    async def _score(
        self, crew: Crew, paper_id: str, reviews: tuple[Review, ...], *, alone: bool
    ) -> bool:
        """Have a paper scored and take over what comes of it.

        Returns:
            Whether no worker was lost over it.
        """
        try:
            task = await asyncio.to_thread(self._task, paper_id, reviews)
        except InputError as error:
            for review in reviews:
                self._fail(review, f"InputError: {error}")
            return True
        try:
            told: Told = await crew.do(score_paper, task, alone=alone)
        except LostError:
            return False
        except FailedError as error:  # one bad paper never ends a batch
            for review in reviews:
                self._fail(review, str(error))
            return True
        except StopError as error:
            self.stop(str(error))
            return True
        self._traffic[told.worker] = told.traffic
        if not told.finished:
            self.stop(told.stopped)
            return True
        shard = await asyncio.to_thread(self._shards.read, paper_id)
        if shard is None:
            raise RunFolderError(
                f"{self._shards.place} has no shard of paper '{paper_id}', which a worker has "
                "written; name a --store that all machines reach"
            )
        self._add(shard.scores)
        self._count(shard, {review.review_id for review in reviews})
        return True

    def _task(self, paper_id: str, reviews: tuple[Review, ...]) -> PaperTask:
        handle = self.collection.papers[paper_id]
        assert handle.raw is not None
        done = {
            name: self.run.done[name]
            for review in reviews
            for name in self._before.get(review.review_id, ())
        }
        return PaperTask(paper_id, handle.title, handle.raw().packed(), reviews, done)

    async def _take_over(self, papers: dict[str, tuple[Review, ...]]) -> set[str]:
        """Take over the shards that are there.

        Returns:
            Papers for which nothing is left to do.
        """
        slots, found = asyncio.Semaphore(_READING), set[str]()

        async def one(paper_id: str) -> None:
            async with slots:
                shard = await asyncio.to_thread(self._shards.read, paper_id)
            if shard is None:
                return
            if shard.decisive_sha256 != self._orders.decisive_sha256:
                raise RunFolderError(
                    f"{self._shards.place} holds shards of a run that was made otherwise; "
                    "name another --store, or use the same settings and input"
                )
            wanted = {review.review_id for review in papers[paper_id]}
            self._add(
                score
                for score in shard.scores
                if score.review_id in wanted and not (self.renew and score.status is Status.ERROR)
            )
            if self._settled(shard, wanted):
                self._count(shard, wanted)
                found.add(paper_id)

        there = await asyncio.to_thread(self._shards.there, list(papers))
        try:
            async with asyncio.TaskGroup() as tasks:
                for paper_id in there:
                    tasks.create_task(one(paper_id))
        except* ReviewScoreError as errors:
            raise errors.exceptions[0] from errors
        return found

    def _settled(self, shard: Shard, wanted: set[str]) -> bool:
        """Whether a shard has all that is asked for of its paper, and nothing to try again."""
        if self.settings.point:
            names = {one for one in self.settings.point if one.rpartition("#")[0] in wanted}
            whole = names <= {one.point_id for one in shard.scores}
        else:
            names = {one.point_id for one in shard.scores}
            names.update(*(self._before.get(one, ()) for one in shard.reviews))
            whole = (shard.whole or len(names) >= shard.points) and wanted <= set(shard.reviews)
        failed = any(one.status is Status.ERROR for one in shard.scores)
        return whole and not shard.errors and not (self.renew and failed)

    def _add(self, scores: Iterable[PointScore]) -> None:
        """Put scores into the run folder that are not there yet."""
        for score in scores:
            if score.point_id not in self.run.done:
                self.run.add(score)
                self.progress.finished(score, None if self.settings.embedded else self.traffic)

    def _count(self, shard: Shard, wanted: set[str]) -> None:
        """Count what became of a paper, as far as it is about these reviews."""
        errors = [one for one in shard.errors if one.review_id in wanted]
        for error in errors:
            self.run.add_error(error)
            self.progress.say(f"review {error.review_id}: {error.message}")
        for warning in shard.warnings:
            self.progress.say(warning)
        self.tally += Tally(
            failed_reviews=len(errors),
            without_points=shard.without_points,
            points=shard.points - sum(one.review_id not in wanted for one in shard.scores),
            rejected=shard.rejected,
            warnings=shard.warnings,
            doubtful=shard.doubtful,
            unread=shard.unread,
        )

    def _fail(self, review: Review, message: str) -> None:
        self.tally += Tally(failed_reviews=1)
        kind = message.partition(":")[0]
        self.run.add_error(
            ErrorRecord(what="review", review_id=review.review_id, kind=kind, message=message)
        )
        self.progress.say(f"review {review.review_id}: {message}")


def _at_once(settings: Settings, crew: Crew, reviews: float) -> int:
    """Papers a worker has at once, so that connections are kept busy.

    Args:
        settings: Say how many connections all workers have together.
        crew: The workers.
        reviews: Mean number of a paper's reviews.
    """
    if settings.embedded:
        return _EMBEDDED_AT_ONCE
    wanted = settings.max_connections * REVIEWS_AHEAD / (crew.size * reviews)
    return max(_EMBEDDED_AT_ONCE, math.ceil(wanted))


def _why_not_apart(settings: Settings, out: Path) -> str | None:
    """Why a run cannot be spread over several machines; None if it can."""
    if settings.store is None:
        return "name a --store that all of them reach"
    if (out / FILE).is_file():
        return "this run began with a ledger in its folder; begin another one with --ledger"
    if not settings.embedded and settings.ledger is None:
        return NEEDS_LEDGER
    return None
