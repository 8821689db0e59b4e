"""Prices and token estimates."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from reviewscore.llm.provider import model_name

CHARACTERS_PER_TOKEN = 4
"""Rule of thumb for English text; exact counts come from the provider after the fact."""
_MILLION = 1_000_000
_DATED = re.compile(r"-\d{4}-\d{2}-\d{2}$")


@dataclass(frozen=True)
class Price:
    """US dollars per million tokens."""

    input: float
    cached: float
    output: float


@dataclass(frozen=True)
class PriceList:
    """Prices by model name, and where they are from."""

    source: str
    models: dict[str, Price]


@lru_cache(maxsize=1)
def price_list() -> PriceList:
    """The price list shipped with the package."""
    loaded = tomllib.loads(Path(__file__).with_name("prices.toml").read_text("utf-8"))
    models = {name: Price(**fields) for name, fields in loaded["models"].items()}
    return PriceList(source=f"{loaded['source']}, {loaded['date']}", models=models)


def price_of(model: str) -> Price | None:
    """Price of ``provider/name``, its dated snapshots included; None if it is not known."""
    return price_list().models.get(_DATED.sub("", model_name(model)))


def cost_usd(
    model: str, *, input_tokens: int, cached_tokens: int, output_tokens: int
) -> float | None:
    """Dollars at list prices; None if the price is not known.

    Args:
        model: ``provider/name``.
        input_tokens: All input tokens, those read from the provider's cache included.
        cached_tokens: Input tokens read from the provider's cache.
        output_tokens: Reply tokens, reasoning included.
    """
    price = price_of(model)
    if price is None:
        return None
    fresh = input_tokens - cached_tokens
    total = fresh * price.input + cached_tokens * price.cached + output_tokens * price.output
    return total / _MILLION


def tokens_in(text_length: int) -> int:
    """Estimated tokens of a text of so many characters."""
    return -(-text_length // CHARACTERS_PER_TOKEN)
