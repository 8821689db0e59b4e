"""What a run would cost: how it is added up, and how near it comes to what a run sends."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from pathlib import Path

import pytest

from reviewscore.config import Settings, resolve
from reviewscore.llm.ledger.upkeep import exported
from reviewscore.llm.prices import price_list
from reviewscore.runs.audit import audit
from reviewscore.runs.estimate import (
    CallEstimate,
    CostEstimate,
    estimate,
    estimate_calls,
    estimated_tokens,
)
from reviewscore.sources.collection import read_collection
from tests.conftest import ROOT
from tests.loopback import Loopback

EXAMPLES = ROOT / "examples"
PROMPT = "gem_judgments"


def of_examples(*, compare: bool = False, **settings: object) -> CostEstimate:
    chosen = Settings.model_validate({"model": "openai/gpt-5.6-luna", **settings})
    return asyncio.run(estimate(read_collection(EXAMPLES), chosen, compare=compare))


def command(found: CostEstimate) -> CallEstimate:
    assert found.command is not None
    return found.command


def test_with_nothing_cached_all_input_is_paid_as_if_written_anew() -> None:
    way = command(of_examples())
    price = price_list().of("openai/gpt-5.6-luna")

    assert price is not None
    assert price.written is not None
    assert way.usd is not None
    assert way.usd_uncached is not None
    dearer = (way.usd_uncached - way.usd) * 1e6
    assert dearer == pytest.approx(way.cached_tokens * (price.written - price.cached), rel=1e-3)


def test_hours_are_those_of_the_limit_that_binds() -> None:
    free = command(of_examples()).hours
    slow = command(of_examples(requests_per_minute=1, tokens_per_minute=10_000_000))
    few = command(of_examples(tokens_per_minute=1000)).hours

    assert (free.requests, free.tokens) == (None, None)
    assert free.least == free.connections
    assert slow.hours.least == slow.hours.requests
    assert slow.hours.requests == pytest.approx(sum(slow.calls.values()) / 60)
    assert few.least == few.tokens
    assert few.tokens is not None
    room = Settings().max_tokens * 4  # the run reserves the limit of each reply, thoughts included
    reserved = sum(
        count * (way.questions[name] + room)
        for way in [command(of_examples())]
        for name, count in way.calls.items()
    )
    assert few.tokens == pytest.approx(reserved / 1000 / 60)


@pytest.mark.parametrize("more", [{"batch": True}, {"model": "exchange:folder"}])
def test_hours_of_batch_jobs_and_of_people_are_not_known(more: dict[str, object]) -> None:
    assert command(of_examples(**more)).hours.least is None


def test_each_model_of_a_panel_is_estimated_alone_and_by_each_protocol() -> None:
    found = of_examples(compare=True, panel=("anthropic/claude-sonnet-5", "openai/unheard-of"))
    ways = {(way.models, way.protocol): way for way in found.ways}
    members = ("openai/gpt-5.6-luna", "anthropic/claude-sonnet-5", "openai/unheard-of")

    assert set(ways) == {
        (models, protocol)
        for models in (members, *((one,) for one in members))
        for protocol in ("paper", "economy", "presupposition", "presupposition+proof")
    }
    assert found.command is ways[members, "paper"]
    for models in (members, *((one,) for one in members)):
        calls = [
            sum(ways[models, protocol].calls.values())
            for protocol in ("presupposition", "presupposition+proof", "economy", "paper")
        ]
        assert calls == sorted(set(calls))
    alone = command(of_examples(model="anthropic/claude-sonnet-5"))
    assert ways[("anthropic/claude-sonnet-5",), "paper"] == alone


def test_ways_that_settings_refuse_are_not_estimated(tmp_path: Path) -> None:
    found = of_examples(compare=True, calibration=tmp_path / "calibration.json")

    assert [way.protocol for way in found.ways] == ["paper", "economy"]


def test_a_sum_with_an_unknown_price_is_not_known() -> None:
    found = of_examples(panel=("openai/unheard-of",))

    assert (command(found).usd, command(found).usd_uncached) == (None, None)


def test_a_call_longer_than_most_is_estimated_at_its_own_price() -> None:
    settings = Settings(model="anthropic/claude-haiku-5-5")
    usual, long = (
        command(estimate_calls([(settings.model, PROMPT, size)], settings, {PROMPT: 100}))
        for size in (300_000, 600_000)
    )

    assert usual.usd is not None
    assert long.usd is not None
    assert long.usd > 8 * usual.usd


def test_rows_of_several_models_are_added_up_together_and_alone() -> None:
    models = ("openai/gpt-5-nano", "openai/gpt-4.1-mini")
    asked = [(model, PROMPT, 4000) for model in models]

    found = estimate_calls(asked, Settings(model=models[0]), {PROMPT: 100})

    together, *alone = found.ways
    assert together is found.command
    assert [way.models for way in alone] == [(one,) for one in models]
    assert together.usd == pytest.approx(sum(way.usd or 0 for way in alone))
    assert together.usd == together.usd_uncached


def test_a_paper_that_is_asked_about_once_is_written_to_the_cache_and_never_read() -> None:
    settings = Settings(model="anthropic/claude-sonnet-5")
    asked = [(settings.model, PROMPT, 400_000)]
    without = command(estimate_calls(asked, settings, {PROMPT: 0}))
    way = command(estimate_calls(asked, settings, {PROMPT: 0}, papers={PROMPT}))

    assert without.usd is not None
    assert way.usd == pytest.approx(1.25 * without.usd)
    assert way.usd_uncached == way.usd


def test_words_and_symbols_of_a_paper_make_tokens() -> None:
    assert estimated_tokens("The loss is low. " * 100) == round(100 * (4 * 1.22 + 0.93))
    assert estimated_tokens("x_1 = 12345 + y ") > len("x_1 = 12345 + y ") / 4
    assert estimated_tokens("方法很好" * 100) >= 300


@pytest.mark.parametrize(
    "flags",
    [
        {"protocol": "paper"},
        {"protocol": "economy"},
        {"protocol": "economy", "per": "review", "points": "rules"},
        {"protocol": "presupposition", "points": "rules"},
        {"protocol": "presupposition", "points": "rules", "per": "paper"},
        {"protocol": "presupposition", "points": "rules", "per": "point"},
    ],
    ids=lambda flags: "-".join(flags.values()),
)
def test_input_of_a_call_is_estimated_within_a_tenth_of_what_a_run_sends(
    flags: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    server = Loopback().start()
    try:
        chosen = resolve({"model": "openai/loop", "base_url": server.url, "cache": False, **flags})
        collection = read_collection(EXAMPLES)
        audit(collection, tmp_path / "run", chosen, data=EXAMPLES)
    finally:
        server.stop()
    way = command(asyncio.run(estimate(collection, chosen.settings)))
    sent: dict[str, list[int]] = defaultdict(list)
    for call in exported(tmp_path / "run"):
        sent[call.stage].append(call.completion.usage.input_tokens)

    assert set(sent) == set(way.questions)
    real = sum(map(sum, sent.values()))
    made = sum(way.questions[stage] * len(sizes) for stage, sizes in sent.items())
    assert made == pytest.approx(real, rel=0.1)
