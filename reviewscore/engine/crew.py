"""Worker processes on one or many machines, by Ray core. Front door: `open_crew`.

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
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, chdir, contextmanager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar, cast

from reviewscore import __version__
from reviewscore.config import Settings
from reviewscore.engine.cluster import starting
from reviewscore.engine.limits import SharedLimits
from reviewscore.engine.worker import Blueprint, Shared, Worker
from reviewscore.errors import SettingsError, StopError
from reviewscore.llm.provider import EXCHANGE

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


def whole_paths(settings: Settings) -> Settings:
    """The settings with paths that mean the same wherever a worker runs."""
    paths = {
        name: value.resolve()
        for name in ("cache_dir", "prompts_dir", "prices")
        if isinstance(value := getattr(settings, name), Path)
    }
    return settings.model_copy(update=paths)


class LostError(Exception):
    """A worker was lost with the work it had; never leaves the engine's users."""


class FailedError(Exception):
    """A function failed on a worker with an error that is none of ours; says which, in words."""


@dataclass
class _Seat:
    """A worker as the driver sees it."""

    number: int
    actor: Any
    ready: bool = False
    load: int = 0


@dataclass
class Crew:
    """Workers that do what they are given.

    Attributes:
        lost: How often a worker was lost.
    """

    _seats: list[_Seat]
    _say: Callable[[str], None]
    _keeper: Any
    lost: int = 0
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    _reviving: set[asyncio.Task[None]] = field(default_factory=set)
    _for_all: list[tuple[Callable[..., Awaitable[Any]], tuple[Any, ...]]] = field(
        default_factory=list
    )

    @property
    def size(self) -> int:
        """How many workers there are."""
        return len(self._seats)

    async def do(self, function: Callable[..., Awaitable[T]], *args: Any, alone: bool = False) -> T:
        """Have the worker with the least work call a function.

        Args:
            function: Called with what the worker works with, then ``args``.
            args: Pickled.
            alone: Wait for a worker that has nothing else to do.

        Raises:
            LostError: The worker was lost; a new one takes its place.
            FailedError: The function failed with an error that is none of ours.
            StopError: No worker is left, and none comes back.
            ReviewScoreError: As the function does.
        """
        from ray.exceptions import RayError, RayTaskError

        seat = await self._least_busy(alone=alone)
        seat.load += 1
        try:
            done, problem = await seat.actor.do.remote(function, args)
        except RayTaskError as error:
            cause = error.cause
            raise FailedError(f"{type(cause).__name__}: {cause}") from error
        except RayError as error:  # it died, its machine did, or what it replied is lost
            self._revive(seat)
            raise LostError(str(error).partition("\n")[0]) from error
        finally:
            seat.load -= 1
            async with self._changed:
                self._changed.notify_all()
        if problem is not None:
            raise problem
        return cast("T", done)

    async def everywhere(self, function: Callable[..., Awaitable[Any]], *args: Any) -> None:
        """Have all workers call a function; one that is lost does so when it is back."""
        self._for_all.append((function, args))
        ready = [seat for seat in self._seats if seat.ready]
        await asyncio.gather(*(self._have(seat, function, args) for seat in ready))

    async def _have(
        self, seat: _Seat, function: Callable[..., Awaitable[Any]], args: tuple[Any, ...]
    ) -> None:
        from ray.exceptions import RayError

        with suppress(RayError):  # whoever gives it work next will notice
            await seat.actor.do.remote(function, args)

    async def begin(self) -> None:
        """Open the workers.

        Raises:
            SettingsError: One cannot work, or has another version of the package.
        """
        from ray.exceptions import RayError

        beginning = [asyncio.ensure_future(_begun(seat.actor)) for seat in self._seats]
        try:
            _, waiting = await asyncio.wait(beginning, timeout=_SLOW)
            if waiting:
                self._say(
                    f"waiting for {len(waiting)} of {self.size} workers to begin; if the cluster "
                    "has no room for them, name fewer --workers"
                )
            begun = await asyncio.gather(*beginning)
        except RayError as error:
            told = str(error).strip().rpartition("\n")[2]
            raise SettingsError(
                f"a worker cannot begin: {told}; is reviewscore installed on all machines?"
            ) from error
        finally:
            for one in beginning:
                one.cancel()
        for seat, (there, problem) in zip(self._seats, begun, strict=True):
            if there != __version__:
                raise SettingsError(
                    f"a worker has reviewscore {there} and this is {__version__}; install the "
                    "same version on all machines"
                )
            if problem is not None:
                raise SettingsError(f"a worker cannot begin: {problem}")
            seat.ready = True

    async def end(self) -> None:
        """Let the workers close what they hold."""
        from ray.exceptions import RayError

        for task in self._reviving:
            task.cancel()
        for seat in self._seats:
            if seat.ready:
                with suppress(RayError):
                    await seat.actor.end.remote()

    async def _least_busy(self, *, alone: bool) -> _Seat:
        while True:
            async with self._changed:
                try:
                    async with asyncio.timeout(_PATIENCE):
                        await self._changed.wait_for(lambda: any(one.ready for one in self._seats))
                except TimeoutError as error:
                    raise StopError(
                        "all workers are lost and none came back; what is finished is kept: run "
                        "the same command again to go on"
                    ) from error
                seat = min((one for one in self._seats if one.ready), key=lambda one: one.load)
                if not (alone and seat.load):
                    return seat
                await self._changed.wait()

    def _revive(self, seat: _Seat) -> None:
        if not seat.ready:
            return  # others have noticed its loss before
        seat.ready, self.lost = False, self.lost + 1
        self._say("a worker was lost; what it had under way is done again")
        task = asyncio.ensure_future(self._wait_for(seat))
        self._reviving.add(task)
        task.add_done_callback(self._reviving.discard)

    async def _wait_for(self, seat: _Seat) -> None:
        from ray.exceptions import RayError

        told = None
        with suppress(RayError):  # what it held is free, even if it never comes back
            await self._keeper.free.remote(seat.number)
        while True:
            await asyncio.sleep(_LOOK_AGAIN)
            try:  # Ray starts it anew as soon as a machine has room
                there, problem = await _begun(seat.actor)
            except RayError as error:
                log.debug("a worker is not back: %s", error)
                continue
            if there != __version__:
                problem = f"its machine has reviewscore {there}"
            if problem is None:
                break
            if problem != told:
                told = problem
                self._say(f"a worker that was lost cannot begin again: {problem}")
        for function, args in self._for_all:
            await self._have(seat, function, args)
        async with self._changed:
            seat.ready = True
            self._changed.notify_all()


async def _begun(actor: Any) -> tuple[str, str | None]:
    """Have a worker begin; see `worker.Worker.begin`."""
    begun: tuple[str, str | None] = await actor.begin.remote()
    return begun


@asynccontextmanager
async def open_crew(
    blueprint: Blueprint,
    shared: Shared,
    *,
    workers: int | None = None,
    say: Callable[[str], None] = lambda _: None,
    several_machines: str | None = None,
    on_gpus: bool = False,
    variables: Sequence[str] = (),
) -> AsyncIterator[Crew]:
    """Workers on the Ray cluster of ``RAY_ADDRESS``, or on one started here for the while.

    Args:
        blueprint: Opens what a worker works with.
        shared: What they share.
        workers: How many; as many as the cluster has processors if not given.
        say: Told what workers say.
        several_machines: Why the work cannot be spread over several machines; None if it can.
        on_gpus: Whether each worker has a GPU to itself, where the cluster has any.
        variables: Names of variables that workers need, such as keys of models, on a cluster
            that is started here; see `cluster.variables_for`.

    Raises:
        SettingsError: Ray is not installed or not reached, or a worker cannot begin.
    """
    with _connected(workers, variables) as ray:
        machines = sum(bool(node["Alive"]) for node in ray.nodes())
        if several_machines is not None and machines > 1:
            raise SettingsError(f"the Ray cluster has {machines} machines: {several_machines}")
        there = ray.cluster_resources()
        gpus = int(there.get("GPU", 0)) if on_gpus else 0
        count = workers or gpus or max(1, int(there.get("CPU", 1)))
        name = f"reviewscore-{uuid.uuid4().hex}"
        keeper = _beside_driver(ray, name).remote(shared.limits, shared.cap, shared.spent)
        # Lost work is given out again by whoever gave it, not by Ray: it may be what killed it.
        kind = ray.remote(
            num_cpus=1,
            num_gpus=1 if gpus else 0,
            max_restarts=-1,
            max_concurrency=_AT_ONCE,
        )(Worker)
        seats = [_Seat(one, kind.remote(one, name, blueprint)) for one in range(count)]
        crew = Crew(seats, say, keeper)
        listening = asyncio.ensure_future(_listen(keeper, say))
        try:
            await crew.begin()
            yield crew
        finally:
            listening.cancel()
            await crew.end()
            await _tell(keeper, say)


def _beside_driver(ray: Any, name: str) -> Any:
    """The keeper of the limits, on the driver's machine: it is lost only with the driver."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    kind = ray.remote(num_cpus=0, max_concurrency=_AT_ONCE, scheduling_strategy=here)(SharedLimits)
    return kind.options(name=name)


async def _listen(keeper: Any, say: Callable[[str], None]) -> None:
    while True:
        await asyncio.sleep(_LOOK_AGAIN)
        await _tell(keeper, say)


async def _tell(keeper: Any, say: Callable[[str], None]) -> None:
    from ray.exceptions import RayActorError

    with suppress(RayActorError):
        for sentence in await keeper.told.remote():
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
        empty = stack.enter_context(TemporaryDirectory(prefix="reviewscore-"))
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
