"""A pool whose workers are mere objects, lost when a test says so."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from ray.exceptions import ActorDiedError, OutOfMemoryError, RayTaskError

from reviewscore.errors import SettingsError, StopError
from reviewscore.llm.client import CallLimits
from reviewscore.runs import ray_pool as module
from reviewscore.runs.ray_limits import SharedLimits
from reviewscore.runs.ray_pool import FailedError, LostError, WorkerHandle, WorkerPool
from tests.runs.test_ray_limits import Near

pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own


class Hand:
    """A worker that fails as it is told."""

    def __init__(self) -> None:
        self.begins: Callable[[], tuple[str, str | None]] = lambda: (module.__version__, None)
        self.done: list[object] = []

    async def begin(self) -> tuple[str, str | None]:
        return self.begins()

    async def do(
        self, function: Callable[..., Awaitable[object]], args: tuple[object, ...]
    ) -> tuple[object, None]:
        self.done.append(function)
        return await function(self, *args), None

    async def end(self) -> None:
        pass


def pool_of(
    *hands: Hand, said: list[str] | None = None, limits: SharedLimits | None = None
) -> WorkerPool:
    handles = [WorkerHandle(number, Near(hand)) for number, hand in enumerate(hands)]
    shared = limits or SharedLimits(CallLimits(), None, 0.0)
    return WorkerPool(handles, (said if said is not None else []).append, Near(shared))


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LOOK_AGAIN", 0.001)


async def fine(_: Hand) -> str:
    return "fine"


async def dies(_: Hand) -> None:
    raise ActorDiedError


async def test_what_a_lost_worker_held_is_free_although_it_never_comes_back() -> None:
    limits, hand = SharedLimits(CallLimits(connections=1), None, 0.0), Hand()
    pool = pool_of(hand, Hand(), limits=limits)
    await pool.begin()
    await limits.take((0, 1), "openai/x", 0, 0)

    def gone() -> tuple[str, str | None]:
        raise ActorDiedError

    hand.begins = gone
    with pytest.raises(LostError):
        await pool.do(dies)

    async with asyncio.timeout(1):
        assert await limits.take((1, 1), "openai/x", 0, 0)
    await pool.end()


@pytest.mark.parametrize("error", [ActorDiedError(), OutOfMemoryError("killed")])
async def test_however_a_worker_is_lost_its_work_can_be_given_out_again(error: Exception) -> None:
    async def lost(_: Hand) -> None:
        raise error

    pool = pool_of(Hand())
    await pool.begin()
    with pytest.raises(LostError):
        await pool.do(lost)

    async with asyncio.timeout(1):
        assert await pool.do(fine) == "fine"
    assert pool.lost == 1


async def test_an_error_that_is_none_of_ours_is_told_in_words() -> None:
    async def fails(_: Hand) -> None:
        raise RayTaskError("do", "Traceback", KeyError("x"))

    pool = pool_of(Hand())
    await pool.begin()
    with pytest.raises(FailedError, match="KeyError: 'x'"):
        await pool.do(fails)
    assert pool.lost == 0


async def test_work_that_is_to_be_alone_waits_until_a_worker_has_nothing_else() -> None:
    go, pool = asyncio.Event(), pool_of(Hand())

    async def long(_: Hand) -> None:
        await go.wait()

    await pool.begin()
    first = asyncio.ensure_future(pool.do(long))
    await asyncio.sleep(0)
    second = asyncio.ensure_future(pool.do(fine, alone=True))
    await asyncio.sleep(0.01)
    assert not second.done()
    go.set()
    async with asyncio.timeout(1):
        await asyncio.gather(first, second)


async def test_a_worker_that_comes_back_learns_what_all_were_told() -> None:
    hand = Hand()
    pool = pool_of(hand)
    await pool.begin()
    with pytest.raises(LostError):
        await pool.do(dies)
    await pool.everywhere(fine)
    assert fine not in hand.done

    async with asyncio.timeout(1):
        await pool.do(fine)
    assert hand.done.count(fine) == 2


async def test_why_a_worker_does_not_come_back_is_said_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said: list[str] = []
    hand = Hand()
    pool = pool_of(hand, said=said)
    await pool.begin()
    hand.begins = lambda: (module.__version__, "no key")
    monkeypatch.setattr(module, "_PATIENCE", 0.05)
    with pytest.raises(LostError):
        await pool.do(dies)
    with pytest.raises(StopError, match="all workers are lost"):
        await pool.do(fine)
    await pool.end()

    assert said.count("a worker that was lost cannot begin again: no key") == 1


async def test_a_machine_without_the_package_is_told_in_words() -> None:
    def fails() -> tuple[str, str | None]:
        missing = ModuleNotFoundError("No module named 'reviewscore'")
        raise ActorDiedError(RayTaskError("__init__", f"Traceback\n{missing!r}", missing))

    hand = Hand()
    hand.begins = fails
    with pytest.raises(SettingsError, match=r"cannot begin: ModuleNotFound.*on all machines"):
        await pool_of(hand).begin()


async def test_a_cluster_without_room_is_said_while_workers_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_SLOW", 0.01)
    said: list[str] = []
    pool = pool_of(hand := Hand(), said=said)
    room = asyncio.Event()

    async def later() -> tuple[str, str | None]:
        await room.wait()
        return module.__version__, None

    monkeypatch.setattr(hand, "begin", later)
    beginning = asyncio.ensure_future(pool.begin())
    await asyncio.sleep(0.05)
    room.set()
    await beginning
    assert said == [
        "waiting for 1 of 1 workers to begin; if the cluster has no room for them, name fewer "
        "--workers"
    ]
