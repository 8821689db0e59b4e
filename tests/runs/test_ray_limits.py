from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.errors import StopError
from reviewscore.llm.client import CallLimits
from reviewscore.runs.ray_limits import RemoteBudget, RemoteLimiter, SharedLimits


class Near:
    """An actor that is a mere object: each method has the ``remote`` that Ray gives it."""

    def __init__(self, near: object) -> None:
        self._near = near

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._near, name)

        class Remote:
            @staticmethod
            def remote(*args: object) -> asyncio.Future[Any]:
                # Who stops waiting for a reply does not end the work, as with Ray.
                return asyncio.shield(asyncio.ensure_future(method(*args)))

        return Remote


def limits(places: int = 2, cap: float | None = None, spent: float = 0.0) -> SharedLimits:
    return SharedLimits(CallLimits(connections=places), cap, spent)


async def soon() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


async def test_workers_share_the_places_of_a_model() -> None:
    shared = limits(places=2)
    under_way, most = 0, 0

    async def call(lane: RemoteLimiter) -> None:
        nonlocal under_way, most
        async with lane.place(0, tokens=5):
            under_way += 1
            most = max(most, under_way)
            await asyncio.sleep(0.001)
            under_way -= 1

    lanes = [RemoteLimiter(Near(shared), worker, "openai/x") for worker in range(3)]
    await asyncio.gather(*(call(lane) for lane in lanes for _ in range(5)))
    await soon()

    assert most == 2
    assert (await shared.state())[0] == 0


async def test_each_model_has_places_of_its_own() -> None:
    shared = limits(places=1)
    one, other = (RemoteLimiter(Near(shared), 0, name) for name in ("openai/x", "openai/y"))

    async with one.place(0), asyncio.timeout(1), other.place(0):
        assert (await shared.state())[0] == 2


async def test_what_a_lost_worker_held_is_free_for_the_others() -> None:
    shared = limits(places=1)
    lost, other = (RemoteLimiter(Near(shared), worker, "openai/x") for worker in (1, 2))
    held = lost.place(0)
    await held.__aenter__()
    waiting = asyncio.ensure_future(shared.take((1, 999), "openai/x", 0, 0))
    await soon()

    await shared.free(1)

    assert await waiting is False  # its other call waits no more
    async with asyncio.timeout(1), other.place(0):
        pass


async def test_a_call_that_is_given_up_leaves_no_place_taken() -> None:
    shared = limits(places=1)
    lane = RemoteLimiter(Near(shared), 0, "openai/x")

    async def call() -> None:
        async with lane.place(0):
            raise AssertionError("it never has a place")

    async with lane.place(0):
        waiting = asyncio.ensure_future(call())
        await soon()
        waiting.cancel()
        await asyncio.wait((waiting,))
    await soon()

    assert (await shared.state())[0] == 0
    async with asyncio.timeout(1), lane.place(0):
        pass


async def test_a_complaint_of_the_server_slows_all_workers() -> None:
    shared = limits(places=4)
    lane = RemoteLimiter(Near(shared), 0, "openai/x")
    async with lane.place(0):
        lane.throttled(asked=0.0, wait=None)
        await soon()

    assert await shared.told() == ["the provider limits the rate: 2 calls at once"]
    assert await shared.told() == []


async def test_a_reply_is_counted_where_the_place_is_held() -> None:
    shared = limits(places=4)
    lane = RemoteLimiter(Near(shared), 0, "openai/x")
    async with lane.place(0):
        lane.throttled(asked=0.0, wait=None)
        await soon()
        for _ in range(100):
            lane.answered("x", asked=0.0, seconds=1.0)
        await soon()

    assert shared._lane("openai/x").width == 4.0  # type: ignore[attr-defined]  # it has grown back
    lane.answered("x", asked=0.0, seconds=1.0)  # without a place: nothing to count
    lane.throttled(asked=0.0, wait=None)


async def test_workers_share_the_cap() -> None:
    shared = limits(cap=10.0, spent=4.0)
    one, other = RemoteBudget(Near(shared), 1), RemoteBudget(Near(shared), 2)
    await one.reserve(3.0)
    await other.reserve(3.0)
    waiting = asyncio.ensure_future(one.reserve(1.0))
    await soon()
    assert not waiting.done()

    other.settle(3.0, 0.5)
    async with asyncio.timeout(1):
        await waiting
    one.settle(3.0, 3.0)
    one.settle(1.0, 1.0)
    await soon()

    assert (await shared.state())[1:] == (8.5, 0.0)
    with pytest.raises(StopError, match="the cap of"):
        await other.reserve(2.0)


async def test_dollars_that_a_lost_worker_had_set_aside_count_as_spent() -> None:
    shared = limits(cap=10.0)
    lost = RemoteBudget(Near(shared), 1)
    await lost.reserve(3.0)
    await lost.reserve(None)

    await shared.free(1)

    assert (await shared.state())[1:] == (3.0, 0.0)


async def test_a_reserve_that_nobody_waits_for_any_more_is_given_back() -> None:
    shared = limits(cap=10.0)
    budget = RemoteBudget(Near(shared), 1)
    await budget.reserve(8.0)
    waiting = asyncio.ensure_future(budget.reserve(5.0))
    await soon()
    waiting.cancel()
    await asyncio.wait((waiting,))
    budget.settle(8.0, 1.0)
    await soon()

    assert (await shared.state())[1:] == (1.0, 0.0)


async def test_a_lost_worker_that_waits_for_dollars_takes_none() -> None:
    shared = limits(cap=10.0)
    lost, other = RemoteBudget(Near(shared), 1), RemoteBudget(Near(shared), 2)
    await other.reserve(8.0)
    reserving = asyncio.ensure_future(shared.reserve((1, 999), 5.0))
    await soon()

    await shared.free(1)
    assert await reserving is False
    other.settle(8.0, 1.0)
    await soon()

    async with asyncio.timeout(1):
        await other.reserve(6.0)
        await lost.reserve(3.0)


async def test_a_worker_that_was_taken_to_be_lost_waits_for_its_turn_all_the_same() -> None:
    shared = limits(places=1, cap=10.0)
    slow, other = (RemoteLimiter(Near(shared), worker, "openai/x") for worker in (1, 2))
    budget, cap = RemoteBudget(Near(shared), 1), RemoteBudget(Near(shared), 2)
    await cap.reserve(8.0)
    gone_on = []

    async def call() -> None:
        async with slow.place(0):
            gone_on.append("placed")
            await budget.reserve(5.0)
            gone_on.append("paid")

    async with other.place(0):
        waiting = asyncio.ensure_future(call())
        await soon()
        await shared.free(1)
        await soon()
        assert gone_on == []
    await soon()
    await shared.free(1)
    await soon()
    assert gone_on == ["placed"]
    cap.settle(8.0, 1.0)
    async with asyncio.timeout(1):
        await waiting

    assert gone_on == ["placed", "paid"]


async def test_waiting_calls_never_fill_the_actor_that_frees_places() -> None:
    shared = limits(places=2)
    lane = RemoteLimiter(Near(shared), 0, "openai/x")
    most = done = 0

    async def call(urgency: int) -> None:
        nonlocal most, done
        async with lane.place(urgency):
            most = max(most, len(shared._waiting))  # type: ignore[attr-defined]
            await asyncio.sleep(0)
            done += 1

    async with asyncio.timeout(5):
        await asyncio.gather(*(call(one % 3) for one in range(300)))

    assert done == 300
    assert most <= 32


@given(st.lists(st.tuples(st.integers(0, 2), st.floats(0, 5), st.floats(0, 1)), max_size=30))
def test_however_workers_spend_the_cap_is_never_passed(
    calls: list[tuple[int, float, float]],
) -> None:
    async def spend() -> None:
        shared = limits(cap=20.0)
        budgets = [RemoteBudget(Near(shared), worker) for worker in range(3)]

        async def call(worker: int, worst: float, share: float) -> None:
            try:
                await budgets[worker].reserve(worst)
            except StopError:
                return
            spent, reserved = (await shared.state())[1:]
            assert spent + reserved <= 20.0 + 1e-9
            budgets[worker].settle(worst, worst * share)

        await asyncio.gather(*(call(*one) for one in calls))
        await soon()
        assert (await shared.state())[2] == pytest.approx(0.0)

    asyncio.run(spend())
