"""One paper's reviews, scored in a worker process by the same code as in a run on one process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from reviewscore import prompts
from reviewscore.batch.progress import Quiet
from reviewscore.batch.session import Session, score_reviews
from reviewscore.bounds import put_in_force
from reviewscore.config import Settings
from reviewscore.judges.bench import open_judges
from reviewscore.judges.judge import Judges
from reviewscore.llm.client import Client, Traffic
from reviewscore.llm.connect import RunContext, open_ledger
from reviewscore.llm.ledger import store
from reviewscore.llm.ledger.store import CallsInMemory
from reviewscore.schema.calibration import Calibration
from reviewscore.schema.point_score import PointScore, Status
from reviewscore.schema.review import Review
from reviewscore.sources.files import Collection, PaperHandle
from reviewscore.sources.raw import RawPaper
from reviewscore.store.run_dir import ErrorRecord
from reviewscore.store.shards import Shard, Shards


@dataclass(frozen=True)
class Orders:
    """What every worker of a run is told; paths in it are whole.

    Attributes:
        settings: How to judge.
        out: The run folder.
        store: Where shards go.
        run_id: Name of the run in the ledger.
        decisive_sha256: Of the settings, for the shards.
        calibration: Correction of scores, if one was asked for.
        renew: Whether unusable recorded replies may be asked for anew, once.
        refused: What earlier sessions of the run have found models to refuse.
    """

    settings: Settings
    out: Path
    store: str
    run_id: str
    decisive_sha256: str
    calibration: Calibration | None
    renew: bool
    refused: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


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
class Told:
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
class Bench:
    """What a worker works with.

    Attributes:
        sessions: Of the papers under way.
        stopping: Whether nothing new is to be begun.
    """

    orders: Orders
    judges: Judges
    client: Client | None
    shards: Shards
    sessions: list[Session] = field(default_factory=list)
    stopping: bool = False


@dataclass
class _Gathered:
    """Scores of one paper, held until all are there; implements `batch.session.Sink`."""

    done: dict[str, Status]
    scores: list[PointScore] = field(default_factory=list)
    errors: list[ErrorRecord] = field(default_factory=list)

    def add(self, score: PointScore) -> None:
        """Take a point's score."""
        self.scores.append(score)
        self.done[score.point_id] = score.status

    def add_error(self, error: ErrorRecord) -> None:
        """Take a failure."""
        self.errors.append(error)


@asynccontextmanager
async def open_bench(orders: Orders, around: RunContext) -> AsyncIterator[Bench]:
    """What a worker works with: judges, ledger, store.

    Raises:
        SettingsError, RunFolderError: Something cannot be used on this machine.
    """
    settings = orders.settings
    put_in_force(settings.bounds)
    around = replace(around, renew=orders.renew, refused=orders.refused)
    shards = Shards(orders.store)
    if settings.embedded:
        async with open_judges(settings, CallsInMemory(), around) as (judges, client):
            yield Bench(orders, judges, client, shards)
        return
    book = await open_ledger(settings, orders.out, run=orders.run_id)
    try:
        async with open_judges(settings, book, around) as (judges, client):
            yield Bench(orders, judges, client, shards)
    finally:
        book.close()


async def score_paper(bench: Bench, task: PaperTask) -> Told:
    """Score a paper's reviews and write its shard.

    Raises:
        RunFolderError: The shard cannot be written.
    """
    orders, gathered = bench.orders, _Gathered(dict(task.done))
    with prompts.use_directory(orders.settings.prompts_dir):  # holds for this task alone
        session = Session(
            _collection(task),
            orders.settings,
            bench.judges,
            gathered,
            bench.client,
            Quiet(),
            orders.calibration,
            stopping=bench.stopping,
        )
        bench.sessions.append(session)
        try:
            await score_reviews(session, task.reviews)
        finally:
            bench.sessions.remove(session)
    finished = not session.stopping
    if finished:
        await asyncio.to_thread(_write, bench, task, session, gathered)
    return Told(
        finished,
        session.stopped,
        worker=store.process_name(),
        traffic=Traffic() if bench.client is None else bench.client.traffic,
    )


def _write(bench: Bench, task: PaperTask, session: Session, gathered: _Gathered) -> None:
    bench.shards.write(_shard(bench, task, session, gathered))


def _shard(bench: Bench, task: PaperTask, session: Session, gathered: _Gathered) -> Shard:
    """What became of a paper, in this session and in those before it."""
    met, names = session.met(), {review.review_id: None for review in task.reviews}
    old = bench.shards.read(task.paper_id) or Shard(
        decisive_sha256=bench.orders.decisive_sha256, paper_id=task.paper_id
    )
    # What is there of reviews that were not asked for this time stays as it is.
    other = [one for one in old.scores if one.review_id not in names]
    kept = [one for one in old.scores if one.review_id in names and one.point_id in task.done]
    here = len(kept) + len(gathered.scores)  # others may have been scored without a shard
    return Shard(
        decisive_sha256=bench.orders.decisive_sha256,
        paper_id=task.paper_id,
        reviews=tuple(dict.fromkeys((*old.reviews, *names))),
        whole=here >= met.points and (old.whole or names.keys() >= set(old.reviews)),
        scores=(*other, *kept, *gathered.scores),
        errors=(
            *(one for one in old.errors if one.review_id not in names),
            *(one for one in gathered.errors if one.what == "review"),
        ),
        without_points=met.without_points,
        points=len(other) + met.points,
        rejected=met.rejected,
        warnings=met.warnings,
        doubtful=met.doubtful,
        unread=met.unread,
    )


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


async def halt(bench: Bench) -> None:
    """Begin nothing new; calls under way finish and are recorded."""
    bench.stopping = True
    for session in bench.sessions:
        session.stop(None)
