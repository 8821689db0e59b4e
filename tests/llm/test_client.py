"""Calls: shared, recorded, limited, retried, stopped."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest

from reviewscore.errors import ProviderError, StoppedError
from reviewscore.llm.client import CallLimits, Client
from reviewscore.llm.ledger.store import CallsInMemory
from reviewscore.llm.limiter import ConcurrencyLimiter
from reviewscore.llm.providers.scripted import ScriptedProvider
from reviewscore.schema.call import Completion, Request
from tests.sessions import plain_request

request = partial(plain_request, system="be brief", prefix="the paper")


def client(provider: ScriptedProvider, *, connections: int = 4) -> Client:
    limits = CallLimits(connections=connections, max_retries=2)
    return Client(lambda _: provider, CallsInMemory(), limits=limits)


async def test_equal_calls_are_paid_once_one_after_the_other() -> None:
    provider = ScriptedProvider(["one"])
    asker = client(provider)

    first = await asker.complete(request(), stage="s")
    second = await asker.complete(request(), stage="s")

    assert first == second
    assert len(provider.requests) == 1
    assert (asker.traffic.calls, asker.traffic.reused) == (1, 1)


async def test_equal_calls_at_the_same_time_are_paid_once() -> None:
    async def slow(_: Request) -> str:
        await asyncio.sleep(0.01)
        return "one"

    provider = ScriptedProvider(slow)
    asker = client(provider)

    replies = await asyncio.gather(*(asker.complete(request(), stage="s") for _ in range(5)))

    assert len({reply[0].text for reply in replies}) == 1
    assert len(provider.requests) == 1


async def test_a_failed_shared_call_fails_for_all_who_wait() -> None:
    provider = ScriptedProvider(lambda _: ProviderError("no", retryable=False))
    asker = client(provider)

    outcomes = await asyncio.gather(
        *(asker.complete(request(), stage="s") for _ in range(3)), return_exceptions=True
    )

    assert all(isinstance(outcome, ProviderError) for outcome in outcomes)


async def test_who_shares_a_call_goes_on_when_the_first_asker_is_cancelled() -> None:
    begun = asyncio.Event()

    async def slow(_: Request) -> str:
        begun.set()
        await asyncio.sleep(0.05)
        return "one"

    provider = ScriptedProvider(slow)
    asker = client(provider)
    first = asyncio.create_task(asker.complete(request(), stage="s"))
    await begun.wait()
    others = [asyncio.create_task(asker.complete(request(), stage="s")) for _ in range(3)]
    await asyncio.sleep(0)
    first.cancel()
    replies = await asyncio.gather(*others)

    assert [reply.text for reply, _ in replies] == ["one"] * 3
    assert first.cancelled()
    assert len(provider.requests) == 2


async def test_no_more_calls_than_allowed_are_under_way() -> None:
    now, most = 0, 0

    async def busy(_: Request) -> str:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.005)
        now -= 1
        return "x"

    asker = client(ScriptedProvider(busy), connections=3)

    await asyncio.gather(*(asker.complete(request(str(n)), stage="s") for n in range(12)))

    assert most == 3


async def test_after_stop_no_new_call_is_made_and_those_under_way_finish() -> None:
    begun = asyncio.Event()

    async def slow(_: Request) -> str:
        begun.set()
        await asyncio.sleep(0.01)
        return "late"

    asker = client(ScriptedProvider(slow))
    under_way = asyncio.create_task(asker.complete(request("a"), stage="s"))
    await begun.wait()
    asker.stop()

    with pytest.raises(StoppedError):
        await asker.complete(request("b"), stage="s")
    assert (await under_way)[0].text == "late"


@pytest.mark.parametrize("field", ["system", "prefix", "schema_name", "reply_schema", "model"])
def test_everything_that_can_change_a_reply_changes_the_key(field: str) -> None:
    other = request().model_copy(update={field: "different"})

    assert request().key(place="a") != other.key(place="a")


def test_the_server_is_part_of_the_key() -> None:
    assert request().key(place="a") != request().key(place="b")


def test_the_paper_stands_before_everything_that_changes() -> None:
    turns = request("task").conversation()

    assert [turn.role for turn in turns] == ["system", "user"]
    assert turns[1].content == "the paper\n\ntask"


async def test_a_scripted_completion_is_passed_through() -> None:
    whole = Completion(text="t", model="m", finish="length")

    assert (await client(ScriptedProvider([whole])).complete(request(), stage="s"))[0] == whole


async def test_where_calls_wait_the_urgent_go_first_and_equals_in_order() -> None:
    order: list[str] = []
    limit = ConcurrencyLimiter(1)

    async def hold(name: str, urgency: int) -> None:
        async with limit.place(urgency):
            order.append(name)
            await asyncio.sleep(0)

    await asyncio.gather(hold("first", 0), hold("leaf", 0), hold("chain", 3), hold("other leaf", 0))

    assert order == ["first", "chain", "leaf", "other leaf"]


async def test_a_place_given_to_someone_who_left_is_passed_on() -> None:
    limit = ConcurrencyLimiter(1)
    held = asyncio.Event()
    done: list[str] = []

    async def hold(name: str) -> None:
        async with limit.place(0):
            held.set()
            await asyncio.sleep(0.01)
            done.append(name)

    first = asyncio.create_task(hold("first"))
    await held.wait()
    leaving, staying = asyncio.create_task(hold("leaving")), asyncio.create_task(hold("staying"))
    await asyncio.sleep(0)
    leaving.cancel()
    await asyncio.gather(first, leaving, staying, return_exceptions=True)

    assert done == ["first", "staying"]
