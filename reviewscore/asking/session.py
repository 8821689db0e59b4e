"""One session of a run that asks models for many texts: streamed, resumable, stoppable."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial

from reviewscore.asking.account import Account, Folder, Outcome
from reviewscore.asking.far import Asks, FarAsker, Orders, halt, open_bench
from reviewscore.asking.rows import Counted, Rows, RowT, failed
from reviewscore.batch.account import spent
from reviewscore.batch.interrupt import interruptible
from reviewscore.config import Settings
from reviewscore.engine.cluster import variables_for
from reviewscore.engine.crew import NEEDS_LEDGER, Crew, check_engine, open_crew, whole_paths
from reviewscore.engine.worker import Shared
from reviewscore.errors import ReviewScoreError, SettingsError, StopError, StoppedError
from reviewscore.judges.asker import Asker, Manner
from reviewscore.llm.client import Client, Traffic
from reviewscore.llm.connect import RunContext, check, connect, limits_of, open_ledger
from reviewscore.llm.parameters import merged

log = logging.getLogger(__name__)

AHEAD = 2
"""Texts under way per connection."""
IN_A_WAVE = 300
"""Texts under way where replies come in waves."""

Say = Callable[[str], None]


@dataclass
class Session:
    """What one session works with.

    Attributes:
        interrupted: Whether Ctrl-C ended it.
        stopped: The limit that ended it, in words.
        new: Texts written.
        crew: Workers that put the questions; None if this process does.
    """

    client: Client
    settings: Settings
    say: Say
    interrupted: bool = False
    stopped: str | None = None
    stopping: bool = False
    new: int = 0
    crew: Crew | None = None
    _askers: dict[str, Asks] = field(default_factory=dict)
    _traffic: dict[str, Traffic] = field(default_factory=dict)
    _halting: asyncio.Task[None] | None = None

    def stop(self, reason: str | None) -> None:
        """Begin nothing new; calls under way finish."""
        self.stopping = True
        self.stopped = self.stopped or reason
        self.client.stop()
        if self.crew is not None and self._halting is None:
            self._halting = asyncio.ensure_future(self.crew.everywhere(halt))

    @property
    def reused(self) -> int:
        """Calls of this session that were answered from the ledger."""
        far = sum(one.reused for one in self._traffic.values())
        return self.client.traffic.reused + far

    @property
    def refused(self) -> dict[str, tuple[str, ...]]:
        """What servers were found to refuse, in this session and those before it."""
        return merged([one.refused for one in (self.client.traffic, *self._traffic.values())])

    def asker(self, model: str) -> Asks:
        """Puts questions to a model."""
        if model not in self._askers:
            self._askers[model] = (
                Asker(self.client, model=model, manner=Manner.of(self.settings))
                if self.crew is None
                else FarAsker(self.crew, model, self._traffic)
            )
        return self._askers[model]

    async def halted(self) -> None:
        """Wait until the workers have been told to stop, if they are."""
        if self._halting is not None:
            await self._halting

    async def write(
        self,
        rows: Rows[RowT],
        make: Callable[[], Awaitable[RowT]],
        instead: Callable[[dict[str, object]], RowT],
    ) -> None:
        """Make one row and write it down, whatever comes of it.

        Args:
            rows: The file.
            make: Asks for the row.
            instead: The row of a failure, from its fields.
        """
        try:
            row = await make()
        except StopError as error:
            self.stop(None if isinstance(error, StoppedError) else str(error))
            return
        except Exception as error:  # the outer loop: one bad text never ends a batch
            if not isinstance(error, ReviewScoreError):
                log.exception("a text failed")
            row = instead(failed(error))
            self.say(f"{row.key}: {row.reason}")
        try:
            rows.add(row)
        except StopError as error:
            self.stop(str(error))
            return
        self.new += 1

    async def each(self, tasks: Iterable[Callable[[], Awaitable[None]]]) -> None:
        """Do all tasks, as many at once as the settings allow.

        Raises:
            ReviewScoreError: The folder itself failed.
        """
        paced = self.client.provider_of(self.settings.model).traits.paced
        slots = asyncio.Semaphore(self.settings.max_connections * AHEAD if paced else IN_A_WAVE)

        async def one(task: Callable[[], Awaitable[None]]) -> None:
            try:
                await task()
            finally:
                slots.release()

        try:
            async with asyncio.TaskGroup() as group:
                for task in tasks:
                    await slots.acquire()
                    if self.stopping:
                        return
                    group.create_task(one(task))
        except* ReviewScoreError as errors:
            raise errors.exceptions[0] from errors


def check_models(settings: Settings) -> None:
    """Refuse, before anything is made or paid for, what cannot be asked or paid.

    Raises:
        SettingsError: No model is named, one is unknown, or its key or price is missing.
    """
    if settings.embedded:
        raise SettingsError("this needs a model that writes; name one with --model")
    check(settings)
    check_engine(settings)


@asynccontextmanager
async def open_session(
    folder: Folder, settings: Settings, say: Say, *, renew: bool
) -> AsyncIterator[Session]:
    """A session of a folder, its ledger and its client; Ctrl-C stops it.

    Args:
        folder: The folder.
        settings: Name models and limits.
        say: Told what the user should know.
        renew: Whether unusable recorded replies may be asked for anew, once.
    """
    ledger = await open_ledger(settings, folder.path, run=folder.account.run_id, say=say)
    try:
        around = RunContext(say=say, renew=renew, refused=folder.account.refused)
        client = await connect(settings, ledger, around)
        session = Session(client, settings, say)
        try:
            async with _workers(folder, session, renew=renew) as session.crew:
                with interruptible(session, say):
                    yield session
                await session.halted()
        finally:
            await client.close()
    finally:
        ledger.close()


@asynccontextmanager
async def _workers(folder: Folder, session: Session, *, renew: bool) -> AsyncIterator[Crew | None]:
    """Workers that put the questions, if the settings ask for them."""
    settings = session.settings
    if settings.engine == "local":
        yield None
        return
    account = folder.account
    orders = Orders(
        whole_paths(settings), folder.path.resolve(), account.run_id, renew, account.refused
    )
    paid = await session.client.paid()
    shared = Shared(limits_of(settings), settings.max_usd, paid.total)
    async with open_crew(
        partial(open_bench, orders),
        shared,
        workers=settings.workers,
        say=session.say,
        several_machines=None if settings.ledger else NEEDS_LEDGER,
        variables=variables_for(settings),
    ) as crew:
        yield crew


class Clock:
    """When a session began, and how long it has lasted."""

    def __init__(self) -> None:
        self._started, self._since = datetime.now(UTC), time.perf_counter()

    def read(self) -> tuple[str, float]:
        """UTC time of the beginning, ISO 8601, and seconds since then."""
        seconds = round(time.perf_counter() - self._since, 3)
        return self._started.isoformat(timespec="seconds"), seconds


async def close_account(
    folder: Folder, session: Session, clock: Clock, *, written: Mapping[str, Counted], before: int
) -> Outcome:
    """Write the account at the end of a session.

    Args:
        folder: The folder.
        session: What happened.
        clock: When.
        written: Files of rows, by what was asked.
        before: Rows that were there before the session.
    """
    old, paid, told = folder.account, await session.client.paid(), clock.read()
    counts = {
        f"{name} {state}": count
        for name, rows in written.items()
        for state, count in sorted(rows.states().items())
    }
    failures = {name: dict(sorted(rows.failures().items())) for name, rows in written.items()}
    reused = old.spending.reused + session.reused
    update: dict[str, object] = {
        "counts": counts,
        "failures": failures,
        "models_answered": paid.models,
        "refused": session.refused,
        "spending": spent(paid, session.settings, reused=reused),
        "times": (*old.times, told),
        "complete": not session.stopping,
    }
    account: Account = old.model_copy(update=update)
    folder.update(account)
    return Outcome(
        account=account,
        interrupted=session.interrupted,
        stopped=session.stopped,
        failed=sum(sum(one.values()) for one in failures.values()),
        new=session.new,
        before=before,
        seconds=told[1],
    )
