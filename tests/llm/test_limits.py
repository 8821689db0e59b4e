"""Lanes, caches of prefixes, prices and the spending cap."""

from __future__ import annotations

import asyncio
import time
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.errors import SettingsError, StopError
from reviewscore.llm.budget import Budget
from reviewscore.llm.limiter import ConcurrencyLimiter, PrefixCacheWarmup
from reviewscore.llm.prices import Price, cost_of, price_list, worst_case
from reviewscore.schema.call import Completion, Usage
from tests.sessions import plain_request


async def test_a_429_halves_the_places_once_for_calls_that_were_under_way_together() -> None:
    told: list[str] = []
    lane = ConcurrencyLimiter(64, say=told.append)
    asked = time.monotonic()

    for _ in range(10):
        lane.throttled(asked=asked, wait=None)

    assert lane.width == 32
    assert told == ["the provider limits the rate: 32 calls at once"]


async def test_places_grow_back_by_one_for_each_round_of_replies() -> None:
    lane = ConcurrencyLimiter(64)
    lane.throttled(asked=time.monotonic(), wait=None)

    for _ in range(33):
        lane.answered("s", asked=time.monotonic(), seconds=1.0)

    assert 33.0 <= lane.width < 33.5


async def test_places_never_grow_beyond_what_was_asked_for() -> None:
    lane = ConcurrencyLimiter(4)
    for _ in range(100):
        lane.answered("s", asked=time.monotonic(), seconds=1.0)

    assert lane.width == 4.0


async def test_a_wait_that_the_server_asks_for_holds_for_all_calls() -> None:
    lane = ConcurrencyLimiter(4)
    lane.throttled(asked=time.monotonic(), wait=0.15)

    before = time.monotonic()
    async with lane.place(0):
        waited = time.monotonic() - before

    assert waited >= 0.14


async def test_replies_that_become_much_slower_shrink_the_places_of_that_stage_only() -> None:
    lane = ConcurrencyLimiter(64)
    for _ in range(64):
        lane.answered("quick", asked=time.monotonic(), seconds=1.0)
        lane.answered("long", asked=time.monotonic(), seconds=20.0)
    steady = lane.width
    for _ in range(40):
        lane.answered("quick", asked=time.monotonic(), seconds=9.0)

    assert steady == 64.0
    assert 8.0 <= lane.width < 64.0


async def test_a_slow_reply_never_adds_places() -> None:
    lane = ConcurrencyLimiter(32)
    for seconds in (0.1, 10.0):
        for _ in range(32):
            lane.answered("s", asked=time.monotonic(), seconds=seconds)
    for _ in range(6):
        lane.throttled(asked=time.monotonic(), wait=None)
    throttled = lane.width
    lane.answered("s", asked=time.monotonic(), seconds=10.0)

    assert throttled == lane.width == 1.0


async def test_requests_a_minute_are_kept_to() -> None:
    lane = ConcurrencyLimiter(100, requests=3)
    went: list[int] = []

    async def one(number: int) -> None:
        async with lane.place(0):
            went.append(number)

    tasks = [asyncio.create_task(one(number)) for number in range(6)]
    await asyncio.sleep(0.1)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)

    assert len(went) == 3


async def test_a_call_larger_than_the_minutes_tokens_still_goes() -> None:
    lane = ConcurrencyLimiter(1, tokens=100)

    async with lane.place(0, tokens=5000):
        pass


async def test_a_place_given_to_a_call_that_was_cancelled_is_passed_on() -> None:
    lane = ConcurrencyLimiter(1)
    got = asyncio.Event()

    async def hold() -> None:
        async with lane.place(0):
            got.set()

    async with lane.place(0):
        waiting = asyncio.create_task(hold())
        other = asyncio.create_task(hold())
        await asyncio.sleep(0)
        waiting.cancel()
    await asyncio.wait_for(got.wait(), 1)
    await asyncio.gather(waiting, other, return_exceptions=True)


async def test_the_first_call_with_a_prefix_goes_alone_and_the_others_follow() -> None:
    warmth, order = PrefixCacheWarmup(), []

    async def call(number: int) -> None:
        async with warmth.turn("paper") as warm:
            order.append((number, warm, "in"))
            await asyncio.sleep(0.01)
            order.append((number, warm, "out"))

    await asyncio.gather(*(call(number) for number in range(4)))

    assert order[:2] == [(0, False, "in"), (0, False, "out")]
    assert [one[2] for one in order[2:5]] == ["in"] * 3
    assert all(warm for _, warm, _ in order[2:])


async def test_after_a_first_call_that_failed_the_next_one_goes_first() -> None:
    warmth, seen = PrefixCacheWarmup(), []

    async def call(*, fails: bool) -> None:
        async with warmth.turn("paper") as warm:
            seen.append(warm)
            await asyncio.sleep(0)
            if fails:
                raise ValueError

    await asyncio.gather(call(fails=True), call(fails=False), return_exceptions=True)

    assert seen == [False, False]


async def test_a_prefix_that_was_not_used_for_long_is_cold_again() -> None:
    warmth = PrefixCacheWarmup(kept=0.01)
    async with warmth.turn("paper"):
        pass
    await asyncio.sleep(0.02)

    async with warmth.turn("paper") as warm:
        assert not warm


async def test_calls_without_a_prefix_never_wait() -> None:
    warmth = PrefixCacheWarmup()

    async with warmth.turn("") as first, warmth.turn("") as second:
        assert not first
        assert not second


request = partial(plain_request, model="openai/gpt-5", max_tokens=100)


PRICE = Price(input=1.0, cached=0.1, written=1.25, written_long=2.0, output=10.0, batch=0.5)


@pytest.mark.parametrize(
    ("batch", "long", "dollars"),
    [
        (False, False, 170 + 50 + 125 + 100),
        (False, True, 170 + 50 + 200 + 100),
        (True, False, 222.5),
    ],
)
def test_each_kind_of_token_has_its_price(batch: bool, long: bool, dollars: float) -> None:
    usage = Usage(
        input_tokens=170_000_000 + 500_000_000 + 100_000_000,
        cached_tokens=500_000_000,
        written_tokens=100_000_000,
        output_tokens=10_000_000,
    )

    assert PRICE.usd(usage, batch=batch, long=long) == pytest.approx(dollars)


def test_the_shipped_list_knows_dated_snapshots_and_names_its_source() -> None:
    prices = price_list()

    assert prices.of("openai/gpt-4o-2024-08-06") == prices.of("openai/gpt-4o")
    assert prices.of("anthropic/claude-sonnet-4-5-20250929") == prices.of(
        "anthropic/claude-sonnet-4-5"
    )
    assert prices.of("litellm/openai/gpt-4o") == prices.of("openai/gpt-4o")
    assert prices.of("openai/nobody-knows") is None
    assert "20" in prices.source


def test_a_server_of_ones_own_has_only_the_prices_of_ones_own_list(tmp_path: Path) -> None:
    own = tmp_path / "prices.toml"
    own.write_text(
        'source = "mine"\ndate = "today"\n[models]\nx = {input = 1, cached = 1, output = 2}\n'
    )

    assert price_list().of("openai/gpt-5", base_url="http://here") is None
    assert price_list().of("anthropic/claude-sonnet-5", base_url="http://here") is not None
    found = price_list(own).of("openai/x", base_url="http://here")
    assert found is not None
    assert found.output == 2


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[models]", "source"),
        ("nonsense", "prices"),
        ('source="a"\ndate="b"\n[models]\nx={input=-1,cached=1,output=1}', "input"),
        ('source="a"\ndate="b"\n[models]\nx={input=1,cached=1,output=1,outputs=2}', "outputs"),
    ],
)
def test_a_broken_price_list_is_refused_in_words(tmp_path: Path, text: str, problem: str) -> None:
    own = tmp_path / "prices.toml"
    own.write_text(text)

    with pytest.raises(SettingsError, match=problem):
        price_list(own)


def test_an_unknown_price_is_not_guessed() -> None:
    reply = Completion(text="x", model="m", usage=Usage(input_tokens=10))

    assert cost_of(reply, None) is None
    assert worst_case(request(), None) is None


@given(st.text(max_size=300), st.integers(1, 1000))
def test_no_call_costs_more_than_its_worst_case(text: str, reply: int) -> None:
    asked = request(text, max_tokens=1000)
    most_tokens = sum(len(one.content.encode("utf-8", "replace")) for one in asked.conversation())
    usage = Usage(input_tokens=most_tokens, written_tokens=most_tokens, output_tokens=reply)
    worst = worst_case(asked, PRICE)

    assert worst is not None
    assert PRICE.usd(usage, long=True) <= worst


async def test_the_cap_stops_before_it_is_passed() -> None:
    budget = Budget(1.0, spent=0.7)

    with pytest.raises(StopError, match=r"\$1.00 could be passed.*--max-usd"):
        await budget.reserve(0.4)
    await budget.reserve(0.3)

    assert budget.reserved == 0.3


async def test_near_the_cap_calls_wait_until_others_have_settled_for_less() -> None:
    budget = Budget(1.0)
    await budget.reserve(0.8)
    waiting = asyncio.create_task(budget.reserve(0.8))
    await asyncio.sleep(0)

    assert not waiting.done()
    budget.settle(0.8, 0.1)
    await asyncio.wait_for(waiting, 1)
    assert budget.spent == pytest.approx(0.1)


async def test_without_a_cap_nothing_waits_and_all_is_counted() -> None:
    budget = Budget()
    for _ in range(3):
        await budget.reserve(None)
        budget.settle(None, 2.0)

    assert (budget.spent, budget.reserved) == (6.0, 0.0)


async def test_a_cost_below_nothing_lowers_no_sum() -> None:
    budget = Budget(1.0, spent=0.5)
    await budget.reserve(0.1)
    budget.settle(0.1, -100.0)

    assert budget.spent == 0.5


@given(st.lists(st.tuples(st.floats(0, 2), st.floats(0, 1)), max_size=30), st.floats(0.1, 5))
def test_spending_never_passes_the_cap_whatever_the_calls_cost(
    calls: list[tuple[float, float]], cap: float
) -> None:
    async def run() -> float:
        budget = Budget(cap)

        async def one(worst: float, share: float) -> None:
            await budget.reserve(worst)
            await asyncio.sleep(0)
            budget.settle(worst, worst * share)

        await asyncio.gather(*(one(*call) for call in calls), return_exceptions=True)
        return budget.spent

    assert asyncio.run(run()) <= cap + 1e-9
