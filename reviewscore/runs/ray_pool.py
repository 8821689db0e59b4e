"""Worker processes on one or many machines, by Ray core. Entry point: `open_pool`.

Ray core and not Ray Data, because the unit of work is a paper that takes minutes, nearly all of
them spent waiting for models, within a process that holds a client, a ledger and limits: an actor.
Ray Data streams blocks through functions, begins a failed block from its start, and forgets what
was finished when the driver is lost; here each paper is finished, written and resumed by itself.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import sys
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    ExitStack,
    asynccontextmanager,
    chdir,
    contextmanager,
    suppress,
)
from dataclasses import dataclass, field, replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar, cast

from reviewscore import __version__
from reviewscore.bounds import put_in_force
from reviewscore.config import Settings
from reviewscore.errors import ReviewScoreError, SettingsError, StopError
from reviewscore.files import TEMPORARY
from reviewscore.llm.confidentiality import settled
from reviewscore.llm.connect import RunContext, limits_of, open_ledger
from reviewscore.llm.ledger.store import CallsInMemory, CallStore
from reviewscore.llm.provider import EXCHANGE
from reviewscore.papers.canaries import put_canaries_in_force, read_canaries
from reviewscore.retrieval.encoder import located
from reviewscore.runs.ray_cluster import starting, variables_for
from reviewscore.runs.ray_limits import RemoteBudget, RemoteLimiter, SharedLimits

log = logging.getLogger(__name__)

T = TypeVar("T")

NEEDS_LEDGER = "give --ledger postgresql://.., so that no call is paid twice"
"""Why models are not asked from several machines that have no ledger in common."""
_AT_ONCE = 10_000
"""Calls that an actor takes at once: limits are kept elsewhere."""
_PATIENCE = 300.0
"""Seconds without any worker after which a run stops."""
_SLOW = 30.0
"""Seconds after which the user is told that workers have not begun yet."""
_LOOK_AGAIN = 1.0
"""Seconds between looks whether a lost worker is back, and for sentences of workers."""


def check_engine(settings: Settings) -> None:
    """Refuse models that cannot be asked from several processes.

    Raises:
        SettingsError: One cannot; says why.
    """
    if settings.engine == "local":
        return
    if settings.batch or any(model.startswith(EXCHANGE) for model in settings.models):
        raise SettingsError(
            "--engine ray is for models that reply at once; batch jobs and exchange folders need "
            "no second process"
        )


def absolute_paths(settings: Settings) -> Settings:
    """The settings with paths that mean the same wherever a worker runs, where nobody is asked."""
    settings = settled(settings)
    paths = {
        name: value.resolve()
        for name in ("cache_dir", "prompts_dir", "prices")
        if isinstance(value := getattr(settings, name), Path)
    }
    encoder = located(settings.encoder, settings.ledger_folder)
    return settings.model_copy(update=paths | {"encoder": encoder})


WorkerSetup = Callable[[RunContext], AbstractAsyncContextManager[Any]]
"""Opens what a worker works with, such as judges and their client; pickled."""


@dataclass(frozen=True)
class WorkerOrders:
    """What every worker of a run that asks models is told; paths in it are absolute.

    Attributes:
        settings: How to ask.
        out: The folder of the run.
        run_id: Name of the run in the ledger.
        renew: Whether unusable recorded replies may be asked for anew, once.
        refused: What earlier sessions of the run have found models to refuse.
    """

    settings: Settings
    out: Path
    run_id: str
    renew: bool
    refused: Mapping[str, tuple[str, ...]]

    @asynccontextmanager
    async def open_calls(self, around: RunContext) -> AsyncIterator[tuple[CallStore, RunContext]]:
        """The record of calls, and what a client needs to know of this worker and the run.

        Raises:
            RunFolderError: The ledger cannot be used on this machine.
        """
        put_in_force(self.settings.bounds)
        put_canaries_in_force(read_canaries(self.settings.canaries))
        around = replace(around, renew=self.renew, refused=self.refused)
        if self.settings.embedded:
            yield CallsInMemory(), around
            return
        ledger = await open_ledger(self.settings, self.out, run=self.run_id)
        try:
            yield ledger, around
        finally:
            ledger.close()


class LostError(Exception):
    """A worker was lost with the work it had; whoever gave it the work decides what follows."""


class FailedError(Exception):
    """A function failed on a worker with an error that is none of ours; says which, in words."""


@dataclass
class WorkerHandle:
    """A worker as the driver sees it."""

    number: int
    actor: Any
    ready: bool = False
    load: int = 0


@dataclass
class WorkerPool:
    """Workers that do what they are given.

    Attributes:
        lost: How often a worker was lost.
    """

    _workers: list[WorkerHandle]
    _say: Callable[[str], None]
    _limits: Any
    lost: int = 0
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    _reviving: set[asyncio.Task[None]] = field(default_factory=set)
    _told_to_all: list[Callable[..., Awaitable[Any]]] = field(default_factory=list)

    @property
    def size(self) -> int:
        """How many workers there are."""
        return len(self._workers)

    async def do(
        self,
        function: Callable[..., Awaitable[T]],
        *args: Any,
        alone: bool = False,
        tries: int = 1,
    ) -> T:
        """Have the worker with the least work call a function.

        Args:
            function: Called with what the worker works with, then ``args``.
            args: Pickled.
            alone: Wait for a worker that has nothing else to do.
            tries: How often it is called if the worker is lost.

        Raises:
            LostError: The worker was lost each time; a new one takes its place.
            FailedError: The function failed with an error that is none of ours.
            StopError: No worker is left, and none comes back.
            ReviewScoreError: As the function does.
        """
        for _ in range(tries - 1):
            with suppress(LostError):
                return await self._do(function, args, alone=alone)
        return await self._do(function, args, alone=alone)

    async def _do(
        self, function: Callable[..., Awaitable[T]], args: tuple[Any, ...], *, alone: bool
    ) -> T:
        from ray.exceptions import RayError, RayTaskError

        worker = await self._least_busy(alone=alone)
        worker.load += 1
        try:
            done, problem = await worker.actor.do.remote(function, args)
        except RayTaskError as error:
            cause = error.cause
            raise FailedError(f"{type(cause).__name__}: {cause}") from error
        except RayError as error:  # it died, its machine did, or what it replied is lost
            self._revive(worker)
            raise LostError(str(error).partition("\n")[0]) from error
        finally:
            worker.load -= 1
            async with self._changed:
                self._changed.notify_all()
        if problem is not None:
            raise problem
        return cast("T", done)

    async def everywhere(self, function: Callable[..., Awaitable[Any]]) -> None:
        """Have all workers call a function; one that is lost does so when it is back."""
        self._told_to_all.append(function)
        ready = [worker for worker in self._workers if worker.ready]
        await asyncio.gather(*(_call(worker, function) for worker in ready))

    async def begin(self) -> None:
        """Open the workers.

        Raises:
            SettingsError: One cannot work, or has another version of the package.
        """
        from ray.exceptions import RayError

        beginning = [asyncio.ensure_future(_begun(worker.actor)) for worker in self._workers]
        try:
            _, waiting = await asyncio.wait(beginning, timeout=_SLOW)
            if waiting:
                self._say(
                    f"waiting for {len(waiting)} of {self.size} workers to begin; if the cluster "
                    "has no room for them, name fewer --workers"
                )
            begun = await asyncio.gather(*beginning)
        except RayError as error:
            text = str(error).strip().rpartition("\n")[2]
            raise SettingsError(
                f"a worker cannot begin: {text}; is reviewscore installed on all machines?"
            ) from error
        finally:
            for task in beginning:
                task.cancel()
        for worker, (there, problem) in zip(self._workers, begun, strict=True):
            if there != __version__:
                raise SettingsError(
                    f"a worker has reviewscore {there} and this is {__version__}; install the "
                    "same version on all machines"
                )
            if problem is not None:
                raise SettingsError(f"a worker cannot begin: {problem}")
            worker.ready = True

    async def end(self) -> None:
        """Let the workers close what they hold."""
        from ray.exceptions import RayError

        for task in self._reviving:
            task.cancel()
        for worker in self._workers:
            if worker.ready:
                with suppress(RayError):
                    await worker.actor.end.remote()

    async def _least_busy(self, *, alone: bool) -> WorkerHandle:
        while True:
            async with self._changed:
                try:
                    async with asyncio.timeout(_PATIENCE):
                        await self._changed.wait_for(
                            lambda: any(worker.ready for worker in self._workers)
                        )
                except TimeoutError as error:
                    raise StopError(
                        "all workers are lost and none came back; what is finished is kept: run "
                        "the same command again to go on"
                    ) from error
                worker = min(
                    (worker for worker in self._workers if worker.ready),
                    key=lambda handle: handle.load,
                )
                if not (alone and worker.load):
                    return worker
                await self._changed.wait()

    def _revive(self, worker: WorkerHandle) -> None:
        if not worker.ready:
            return  # others have noticed its loss before
        worker.ready, self.lost = False, self.lost + 1
        self._say("a worker was lost; what it had under way is done again")
        task = asyncio.ensure_future(self._wait_for(worker))
        self._reviving.add(task)
        task.add_done_callback(self._reviving.discard)

    async def _wait_for(self, worker: WorkerHandle) -> None:
        from ray.exceptions import RayError

        text = None
        with suppress(RayError):  # what it held is free, even if it never comes back
            await self._limits.free.remote(worker.number)
        while True:
            await asyncio.sleep(_LOOK_AGAIN)
            try:  # Ray starts it anew as soon as a machine has room
                there, problem = await _begun(worker.actor)
            except RayError as error:
                log.debug("a worker is not back: %s", error)
                continue
            if there != __version__:
                problem = f"its machine has reviewscore {there}"
            if problem is None:
                break
            if problem != text:
                text = problem
                self._say(f"a worker that was lost cannot begin again: {problem}")
        for function in self._told_to_all:
            await _call(worker, function)
        async with self._changed:
            worker.ready = True
            self._changed.notify_all()


async def _begun(actor: Any) -> tuple[str, str | None]:
    """Have a worker begin; see `Worker.begin`."""
    begun: tuple[str, str | None] = await actor.begin.remote()
    return begun


async def _call(worker: WorkerHandle, function: Callable[..., Awaitable[Any]]) -> None:
    from ray.exceptions import RayError

    with suppress(RayError):  # whoever gives it work next will notice
        await worker.actor.do.remote(function, ())


@asynccontextmanager
async def open_pool(
    setup: WorkerSetup,
    settings: Settings,
    *,
    spent: float = 0.0,
    say: Callable[[str], None] = lambda _: None,
    several_machines: str | None = None,
    on_gpus: bool = False,
    variables: Sequence[str] | None = None,
) -> AsyncIterator[WorkerPool]:
    """Workers on the Ray cluster of ``RAY_ADDRESS``, or on one started here for the while.

    Args:
        setup: Opens what a worker works with.
        settings: How many workers, as many as the cluster has processors if they do not say; and
            the limits that all of them share.
        spent: Dollars that the run has spent before.
        say: Told what workers say.
        several_machines: Why the work cannot be spread over several machines; None if it can.
        on_gpus: Whether each worker has a GPU to itself, where the cluster has any.
        variables: Names of variables that workers need, on a cluster that is started here; those
            of the settings' models, ledger and store if not given.

    Raises:
        SettingsError: Ray is not installed or not reached, or a worker cannot begin.
    """
    wanted = variables_for(settings) if variables is None else variables
    with _connected(settings.workers, wanted) as ray:
        machines = sum(bool(node["Alive"]) for node in ray.nodes())
        if several_machines is not None and machines > 1:
            raise SettingsError(f"the Ray cluster has {machines} machines: {several_machines}")
        there = ray.cluster_resources()
        gpus = int(there.get("GPU", 0)) if on_gpus else 0
        count = settings.workers or gpus or max(1, int(there.get("CPU", 1)))
        name = f"reviewscore-{uuid.uuid4().hex}"
        actor = _beside_driver(ray, name)
        limits = actor.remote(limits_of(settings), settings.max_usd, spent)
        # Lost work is given out again by whoever gave it, not by Ray: it may be what killed it.
        kind = ray.remote(
            num_cpus=1,
            num_gpus=1 if gpus else 0,
            max_restarts=-1,
            max_concurrency=_AT_ONCE,
        )(Worker)
        handles = [
            WorkerHandle(number, kind.remote(number, name, setup)) for number in range(count)
        ]
        pool = WorkerPool(handles, say, limits)
        listening = asyncio.ensure_future(_listen(limits, say))
        try:
            await pool.begin()
            yield pool
        finally:
            listening.cancel()
            await pool.end()
            await _tell(limits, say)


def _beside_driver(ray: Any, name: str) -> Any:
    """The actor with the limits, on the driver's machine: it is lost only with the driver."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    kind = ray.remote(num_cpus=0, max_concurrency=_AT_ONCE, scheduling_strategy=here)(SharedLimits)
    return kind.options(name=name)


async def _listen(limits: Any, say: Callable[[str], None]) -> None:
    while True:
        await asyncio.sleep(_LOOK_AGAIN)
        await _tell(limits, say)


async def _tell(limits: Any, say: Callable[[str], None]) -> None:
    from ray.exceptions import RayActorError

    with suppress(RayActorError):
        for sentence in await limits.told.remote():
            say(sentence)


@contextmanager
def _connected(workers: int | None, variables: Sequence[str]) -> Iterator[Any]:
    """Ray, connected to a cluster within the block."""
    for name, value in (
        ("RAY_USAGE_STATS_ENABLED", "0"),  # nothing about a user's runs is sent to anybody
        ("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0"),  # else it warns that it will change this
        ("RAY_DEDUP_LOGS_SKIP_REGEX", "."),  # else it writes on stdout, which is for results
    ):
        os.environ.setdefault(name, value)
    if find_spec("ray") is None:
        raise SettingsError(
            "--engine ray needs a package: pip install '.[ray]' in a checkout of reviewscore"
        )
    with ExitStack() as stack:
        address, local = os.environ.get("RAY_ADDRESS"), None
        if not address:
            _agree_on_token()
            local = stack.enter_context(starting(workers, variables))
        import ray
        from ray.exceptions import RayError

        # Ray has workers search the current folder first for modules: this one is empty.
        empty = stack.enter_context(TemporaryDirectory(prefix=TEMPORARY))
        try:
            address = local.address() if local else address
            with chdir(empty):
                ray.init(
                    address=address,
                    logging_level=logging.CRITICAL,  # what is lost is told in our words
                    log_to_driver=False,
                )
        except (RayError, ConnectionError, ValueError, RuntimeError, OSError) as error:
            reason = str(error).partition("\n")[0]
            raise SettingsError(
                f"Ray cannot be used: {reason}; check RAY_ADDRESS, and RAY_AUTH_TOKEN if it "
                "needs one"
            ) from error
        stack.callback(ray.shutdown)
        yield ray


def _agree_on_token() -> None:
    """Let a cluster that is started here, and this process, have a token that nobody else has.

    Left to itself Ray keeps one in the home folder, which this process may not know yet.
    """
    if "RAY_AUTH_MODE" in os.environ:
        return
    os.environ["RAY_AUTH_MODE"] = "token"
    os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    if "ray" in sys.modules:  # it has read the variables already, and has no other door for this
        with suppress(ImportError):
            import_module("ray._raylet").Config.initialize("")


class Worker:
    """What runs in a worker process; made by Ray, and made anew where it is lost.

    Args:
        number: Tells workers apart.
        limits: Name of the actor with the limits.
        setup: Opens what it works with.
    """

    def __init__(self, number: int, limits: str, setup: WorkerSetup) -> None:
        import ray

        self._number, self._setup = number, setup
        self._shared = ray.get_actor(limits)
        self._open = AsyncExitStack()
        self._context: Any = None
        self._opening = asyncio.Lock()

    async def begin(self) -> tuple[str, str | None]:
        """Open what it works with, once.

        Returns:
            Version of the package here, and why it cannot work; None if it can.
        """
        async with self._opening:
            if self._context is not None:
                return __version__, None
            await self._shared.free.remote(self._number)
            around = RunContext(
                say=self._shared.say.remote,
                budget=RemoteBudget(self._shared, self._number),
                limiter=lambda model: RemoteLimiter(self._shared, self._number, model),
            )
            try:
                self._context = await self._open.enter_async_context(self._setup(around))
            except ReviewScoreError as error:
                return __version__, str(error)
        return __version__, None

    async def do(
        self, function: Callable[..., Awaitable[T]], args: tuple[Any, ...]
    ) -> tuple[T | None, ReviewScoreError | None]:
        """Call a function with what this worker works with, and arguments.

        Returns:
            What it returns, or an error of ours that it raises: Ray would wrap that.
        """
        try:
            return await function(self._context, *args), None
        except ReviewScoreError as error:
            return None, error

    async def end(self) -> None:
        """Close what it works with."""
        async with self._opening:
            self._context = None
            await self._open.aclose()
