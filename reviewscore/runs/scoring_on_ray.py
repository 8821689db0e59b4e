"""Scoring reviews on worker processes: papers go out, shards come back and are taken over."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from reviewscore import prompts
from reviewscore.config import Settings
from reviewscore.errors import InputError, RunFolderError, SettingsError, StopError
from reviewscore.judges.judge import Judges
from reviewscore.judges.model_judges import open_judges
from reviewscore.llm.client import Client, Traffic
from reviewscore.llm.connect import RunContext
from reviewscore.llm.ledger import store
from reviewscore.llm.ledger.store import FILE
from reviewscore.runs.folder import RunDir
from reviewscore.runs.ray_pool import (
    NEEDS_LEDGER,
    FailedError,
    LostError,
    WorkerOrders,
    WorkerPool,
    absolute_paths,
    check_engine,
    open_pool,
)
from reviewscore.runs.scoring import LocalScoring, ScoresInMemory, ScoringSession, Tally
from reviewscore.runs.session import AHEAD, Quiet
from reviewscore.runs.shards import SHARDS, Shard, Shards
from reviewscore.schema.calibration import Calibration
from reviewscore.schema.point_id import review_of
from reviewscore.schema.point_score import PointScore, Status
from reviewscore.schema.review import Review
from reviewscore.sources.collection import Collection
from reviewscore.sources.lazy_papers import PaperHandle, RawPaper


@dataclass(frozen=True)
class ScoringOrders(WorkerOrders):
    """What every worker of an audit is told; paths in it are absolute.

    Attributes:
        store: Where shards go.
        decisive_sha256: Of the settings, for the shards.
        calibration: Correction of scores, if one was asked for.
        longest: Tokens of the longest prompt with its reply, by model, where known.
        judge_version: Of the embedded judge, which has to be the same on every machine.
    """

    store: str
    decisive_sha256: str
    calibration: Calibration | None
    longest: Mapping[str, int] = field(default_factory=dict)
    judge_version: str | None = None


@dataclass(frozen=True)
class PaperTask:
    """A paper to score.

    Attributes:
        paper_id: Its identifier.
        title: Its title as given.
        raw: Its record.
        reviews: Its reviews that were asked for.
        done: Its points that are scored already.
    """

    paper_id: str
    title: str | None
    raw: RawPaper
    reviews: tuple[Review, ...]
    done: Mapping[str, Status]


@dataclass(frozen=True)
class PaperReply:
    """What a worker says when it is through with a paper.

    Attributes:
        finished: Whether the paper's shard is written; False if the run is being stopped.
        stopped: The limit that ended it, in words.
        worker: Names the process.
        traffic: Calls of that process so far.
    """

    finished: bool
    stopped: str | None
    worker: str
    traffic: Traffic


@dataclass
class ScoringContext:
    """What a worker works with.

    Attributes:
        sessions: Of the papers under way.
        stopping: Whether nothing new is to be begun.
    """

    orders: ScoringOrders
    judges: Judges
    client: Client | None
    shards: Shards
    sessions: list[LocalScoring] = field(default_factory=list)
    stopping: bool = False

    def stop(self, reason: str | None) -> None:
        """Begin nothing new; calls under way finish and are recorded."""
        self.stopping = True
        for session in self.sessions:
            session.stop(reason)


@asynccontextmanager
async def open_context(orders: ScoringOrders, around: RunContext) -> AsyncIterator[ScoringContext]:
    """What a worker works with: judges, ledger, store.

    Raises:
        SettingsError, RunFolderError: Something cannot be used on this machine.
    """
    shards = Shards(orders.store)
    async with (
        orders.open_calls(replace(around, longest=orders.longest)) as (calls, known),
        open_judges(orders.settings, calls, known) as (judges, client),
    ):
        if judges.version != orders.judge_version:
            raise SettingsError(
                f"the embedded judge is version {judges.version} on this machine, and "
                f"{orders.judge_version} where the run was begun; give all machines the same "
                "sentence encoder, or --encoder none"
            )
        yield ScoringContext(orders, judges, client, shards)


async def score_paper(context: ScoringContext, task: PaperTask) -> PaperReply:
    """Score a paper's reviews and write its shard.

    Raises:
        RunFolderError: The shard cannot be written.
    """
    orders, scores = context.orders, ScoresInMemory(dict(task.done))
    with prompts.use_directory(orders.settings.prompts_dir):  # holds for this task alone
        session = LocalScoring(
            collection=_collection(task),
            settings=orders.settings,
            judges=context.judges,
            run=scores,
            client=context.client,
            progress=Quiet(),
            calibration=orders.calibration,
            stopping=context.stopping,
        )
        context.sessions.append(session)
        try:
            await session.score(task.reviews)
        finally:
            context.sessions.remove(session)
    if not session.stopping:
        await asyncio.to_thread(_write_shard, context, task, session.met(), scores)
    return PaperReply(
        finished=not session.stopping,
        stopped=session.stopped,
        worker=store.process_name(),
        traffic=Traffic() if context.client is None else context.client.traffic,
    )


def _write_shard(
    context: ScoringContext, task: PaperTask, met: Tally, gathered: ScoresInMemory
) -> None:
    """Write down what became of a paper, in this session and in those before it."""
    names = {review.review_id: None for review in task.reviews}
    decisive = context.orders.decisive_sha256
    old = context.shards.read(task.paper_id) or Shard(
        decisive_sha256=decisive, paper_id=task.paper_id
    )
    # What is there of reviews that were not asked for this time stays as it is.
    other = [score for score in old.scores if score.review_id not in names]
    kept = [
        score for score in old.scores if score.review_id in names and score.point_id in task.done
    ]
    here = len(kept) + len(gathered.scores)  # others may have been scored without a shard
    shard = Shard(
        decisive_sha256=decisive,
        paper_id=task.paper_id,
        reviews=tuple(dict.fromkeys((*old.reviews, *names))),
        whole=here >= met.points and (old.whole or names.keys() >= set(old.reviews)),
        scores=(*other, *kept, *gathered.scores),
        errors=(
            *(error for error in old.errors if error.review_id not in names),
            *(error for error in gathered.errors if error.what == "review"),
        ),
        without_points=met.without_points,
        points=len(other) + met.points,
        rejected=met.rejected,
        warnings=met.warnings,
        doubtful=met.doubtful,
        unread=met.unread,
    )
    context.shards.write(shard)


def _collection(task: PaperTask) -> Collection:
    handle = PaperHandle(
        task.paper_id,
        task.title,
        1,
        task.raw.paper,
        in_file=task.raw.content is not None,
        raw=lambda: task.raw,
    )
    return Collection({task.paper_id: handle}, list(task.reviews))


ALONE = 2
"""How often a paper whose worker was lost is judged again, with no other paper on its worker."""
_READING = 16
"""Shards read at once."""
_EMBEDDED_AT_ONCE = 2
"""Papers a worker has at once where it does not wait for models: one, and the next."""


def check_ray(settings: Settings, collection: Collection) -> None:
    """Refuse what cannot be spread over workers.

    Raises:
        SettingsError: It cannot; says why.
    """
    if collection.pair is not None or collection.records:
        raise SettingsError("--engine ray is for folders of many papers; leave it away for one")
    check_engine(settings)


@dataclass(eq=False, kw_only=True)
class RayScoring(ScoringSession):
    """Scores reviews on workers.

    The unit is the paper. A worker writes what became of it as one shard (`shards`), and the
    driver takes the scores from there into ``points.jsonl``. Whatever is lost, the same command
    goes on: shards that are there are taken over, other papers are judged again, their calls being
    in the ledger. A paper whose worker is lost again and again is judged by itself, and then given
    up.

    Attributes:
        run: The run folder.
        spent: Dollars that the run has spent before.
        renew: Whether unusable recorded replies may be asked for anew, once.
    """

    run: RunDir
    spent: float
    renew: bool

    def __post_init__(self) -> None:
        super().__post_init__()
        out, manifest = self.run.path.resolve(), self.run.manifest
        store = self.settings.store or str(out / SHARDS)
        if "://" not in store:
            store = str(Path(store).resolve())
        self._shards = Shards(store)
        self._orders = ScoringOrders(
            settings=absolute_paths(self.settings),
            out=out,
            run_id=manifest.run_id,
            renew=self.renew,
            refused=manifest.refused,
            store=store,
            decisive_sha256=manifest.decisive_sha256,
            calibration=self.calibration,
            longest=manifest.longest_prompts(self.settings.longest_reply),
            judge_version=manifest.judge_version,
        )
        self._before: dict[str, list[str]] = {}

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
        complete = await self._take_over(papers)
        self._note_done()
        left = {name: group for name, group in papers.items() if name not in complete}
        if not left or self.stopping:
            return
        async with open_pool(
            partial(open_context, self._orders),
            self.settings,
            spent=self.spent,
            say=self.say,
            several_machines=_why_one_machine(self.settings, self.run.path),
        ) as self.pool:
            try:
                await self._all(self.pool, left)
            finally:
                await self.halted()

    def _note_done(self) -> None:
        self._before = {}
        for name in self.run.done:
            self._before.setdefault(review_of(name) or name, []).append(name)

    async def _all(self, pool: WorkerPool, papers: dict[str, tuple[Review, ...]]) -> None:
        mean = sum(map(len, papers.values())) / len(papers)
        lost = await self._round(pool, papers, pool.size * _at_once(self.settings, pool, mean))
        for _ in range(ALONE):
            left = {paper_id: papers[paper_id] for paper_id in lost}
            lost = await self._round(pool, left, pool.size, alone=True)
        for paper_id in lost:
            for review in papers[paper_id]:
                self.fail(review, "LostError: the process that judged its paper died each time")

    async def _round(
        self,
        pool: WorkerPool,
        papers: dict[str, tuple[Review, ...]],
        at_once: int,
        *,
        alone: bool = False,
    ) -> list[str]:
        """Score papers, so many at once, each perhaps alone on its worker.

        Returns:
            Those whose worker was lost.
        """
        lost: list[str] = []

        async def score(paper_id: str) -> None:
            try:
                await self._score(pool, paper_id, papers[paper_id], alone=alone)
            except LostError:
                lost.append(paper_id)

        await self.each((partial(score, paper_id) for paper_id in papers), at_once)
        return [] if self.stopping else lost

    async def _score(
        self, pool: WorkerPool, paper_id: str, reviews: tuple[Review, ...], *, alone: bool
    ) -> None:
        """Have a paper scored and take over what comes of it.

        Raises:
            LostError: The worker was lost over it.
            RunFolderError: The store has no shard of it, or failed.
        """
        try:
            task = await asyncio.to_thread(self._task, paper_id, reviews)
            reply = await pool.do(score_paper, task, alone=alone)
        except StopError as error:
            self.stop(str(error))
            return
        except (InputError, FailedError) as error:  # one bad paper never ends a batch
            kind = "InputError: " if isinstance(error, InputError) else ""
            for review in reviews:
                self.fail(review, f"{kind}{error}")
            return
        self.worker_traffic[reply.worker] = reply.traffic
        if not reply.finished:
            self.stop(reply.stopped)
            return
        shard = await asyncio.to_thread(self._shards.read, paper_id)
        if shard is None:
            raise RunFolderError(
                f"{self._shards.place} has no shard of paper '{paper_id}', which a worker has "
                "written; name a --store that all machines reach"
            )
        self._add(shard.scores)
        self._count(shard, {review.review_id for review in reviews})

    def _task(self, paper_id: str, reviews: tuple[Review, ...]) -> PaperTask:
        handle = self.collection.papers[paper_id]
        assert handle.raw is not None
        done = {
            name: self.run.done[name]
            for review in reviews
            for name in self._before.get(review.review_id, ())
        }
        raw = handle.raw().packed(pdf=self.settings.paper_as != "text")
        return PaperTask(paper_id, handle.title, raw, reviews, done)

    async def _take_over(self, papers: dict[str, tuple[Review, ...]]) -> set[str]:
        """Take over the shards that are there.

        Returns:
            Papers for which nothing is left to do.
        """
        complete: set[str] = set()

        async def take(paper_id: str) -> None:
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
                complete.add(paper_id)

        there = await asyncio.to_thread(self._shards.there, list(papers))
        await self.each((partial(take, paper_id) for paper_id in there), _READING)
        return complete

    def _settled(self, shard: Shard, wanted: set[str]) -> bool:
        """Whether a shard has all that is asked for of its paper, and nothing to try again."""
        if self.settings.point:
            names = {text for text in self.settings.point if review_of(text) in wanted}
            whole = names <= {
                name for score in shard.scores for name in (score.point_id, score.short_name)
            }
        else:
            names = {score.point_id for score in shard.scores}
            names.update(*(self._before.get(review, ()) for review in shard.reviews))
            whole = (shard.whole or len(names) >= shard.points) and wanted <= set(shard.reviews)
        failed = any(score.status is Status.ERROR for score in shard.scores)
        return whole and not shard.errors and not (self.renew and failed)

    def _add(self, scores: Iterable[PointScore]) -> None:
        """Put scores into the run folder that are not there yet."""
        for score in scores:
            if score.point_id not in self.run.done:
                self.finished(score)

    def _count(self, shard: Shard, wanted: set[str]) -> None:
        """Count what became of a paper, as far as it is about these reviews."""
        errors = [error for error in shard.errors if error.review_id in wanted]
        for error in errors:
            self.run.add_error(error)
            self.say(f"review {error.review_id}: {error.message}")
        for warning in shard.warnings:
            self.say(warning)
        self.tally += Tally(
            failed_reviews=len(errors),
            without_points=shard.without_points,
            points=shard.points - sum(score.review_id not in wanted for score in shard.scores),
            rejected=shard.rejected,
            warnings=shard.warnings,
            doubtful=shard.doubtful,
            unread=shard.unread,
        )


def _at_once(settings: Settings, pool: WorkerPool, reviews: float) -> int:
    """Papers a worker has at once, so that connections are kept busy.

    Args:
        settings: Say how many connections all workers have together.
        pool: The workers.
        reviews: Mean number of a paper's reviews.
    """
    if settings.embedded:
        return _EMBEDDED_AT_ONCE
    wanted = settings.max_connections * AHEAD / (pool.size * reviews)
    return max(_EMBEDDED_AT_ONCE, math.ceil(wanted))


def _why_one_machine(settings: Settings, out: Path) -> str | None:
    """Why a run cannot be spread over several machines; None if it can."""
    if settings.store is None:
        return "name a --store that all of them reach"
    if (out / FILE).is_file():
        return "this run began with a ledger in its folder; begin another one with --ledger"
    if not settings.embedded and settings.ledger is None:
        return NEEDS_LEDGER
    return None
