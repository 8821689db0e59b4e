"""The shipped list of prices, and calls that are longer than most."""

from __future__ import annotations

import json
import re
from importlib.metadata import PackageNotFoundError, distribution

import pytest

from reviewscore.llm.prices import LongPrompt, Price, cost_of, price_list, worst_case
from reviewscore.schema.call import Completion, Usage
from tests.sessions import plain_request

LONG = Price(
    input=1.0, cached=0.1, written=2.0, output=10.0,
    long_prompt=LongPrompt(over=1000, input=5, output=2),
)  # fmt: skip
OTHER_TRADES = re.compile(r"audio|search-(preview|api)|computer-use|deep-research|container|^ft:")


@pytest.mark.parametrize(("tokens", "dollars"), [(1000, 2000e-6), (1001, (5005 + 2000) * 1e-6)])
def test_a_call_with_more_input_than_most_costs_so_many_times_as_much(
    tokens: int, dollars: float
) -> None:
    reply = Completion(text="x", model="m", usage=Usage(input_tokens=tokens, output_tokens=100))

    assert cost_of(reply, LONG) == pytest.approx(dollars)


def test_a_long_call_never_costs_more_than_its_worst_case() -> None:
    asked = plain_request("x" * 1500, max_tokens=100)
    reply = Completion(text="x", model="m", usage=Usage(input_tokens=1500, output_tokens=100))

    most, spent = worst_case(asked, LONG), cost_of(reply, LONG)

    assert most is not None
    assert spent is not None
    assert most >= spent > 1500 * 1.0 / 1e6 * 4


@pytest.mark.parametrize("model", ["openai/gpt-6-sol", "openai/gpt-5.5-pro", "openai/gpt-6.1-sol"])
def test_newer_models_and_pro_models_have_a_price(model: str) -> None:
    price = price_list().of(model)

    assert price is not None
    assert 0 < price.cached <= price.input < price.output


def test_no_shipped_price_is_nothing() -> None:
    for name, price in price_list().models.items():
        assert min(price.input, price.cached, price.output) > 0, name


def test_every_current_model_of_the_table_that_the_list_names_is_listed_at_its_price() -> None:
    prices = price_list()
    try:
        installed = distribution("litellm")
    except PackageNotFoundError:
        pytest.skip("litellm is not installed: its table of prices is not here")
    if f"litellm {installed.version}," not in prices.source:
        pytest.skip(f"the list is from {prices.source}, and litellm {installed.version} is here")
    place = installed.locate_file("litellm/model_prices_and_context_window_backup.json")
    with open(str(place), encoding="utf-8") as file:  # noqa: PTH123  # a path of another kind
        table = json.load(file)
    date, seen = prices.source.rpartition(" ")[2], 0

    for name, row in table.items():
        ours = row.get("litellm_provider") in ("openai", "anthropic")
        if not ours or row.get("mode") not in ("chat", "responses") or "/" in name:
            continue
        if OTHER_TRADES.search(name) or row.get("deprecation_date", "9") <= date:
            continue
        price = prices.of(f"{row['litellm_provider']}/{name}")
        assert price is not None, name
        assert price.input == pytest.approx(row["input_cost_per_token"] * 1e6), name
        assert price.output == pytest.approx(row["output_cost_per_token"] * 1e6), name
        cached = row.get("cache_read_input_token_cost") or row["input_cost_per_token"]
        assert price.cached == pytest.approx(cached * 1e6), name
        seen += 1
    assert seen > 50
