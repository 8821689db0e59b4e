"""What calls cost: list prices from a dated file, which users can replace."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from reviewscore.bounds import in_force
from reviewscore.errors import InputError, SettingsError
from reviewscore.llm.page_tokens import most_tokens_of_pages
from reviewscore.llm.provider import model_name
from reviewscore.schema.call import Completion, Request, Usage
from reviewscore.toml_files import read_toml

SHIPPED = Path(__file__).with_name("prices.toml")
CHARACTERS_PER_TOKEN = 4
"""Rule of thumb for English text; exact counts come from the provider after the fact."""
TOKENS_PER_MESSAGE = 16
"""At most, for what providers put around a message."""
_MILLION = 1_000_000
_DATED = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{8})$")


class LongPrompt(BaseModel):
    """What a call costs whose input is longer than most.

    Attributes:
        over: Tokens of input that a call at the usual price has at most.
        input: Factor on the price of all of a longer call's input, cached and written too.
        output: Factor on the price of its output.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    over: int = Field(gt=0)
    input: float = Field(ge=1, allow_inf_nan=False)
    output: float = Field(ge=1, allow_inf_nan=False)


class Price(BaseModel):
    """US dollars per million tokens.

    Attributes:
        input: Input that is neither read from nor written to a cache.
        cached: Input read from the provider's cache.
        written: Input written to the cache; None where writing costs no more than reading in.
        written_long: The same for a cache that lasts an hour; None if there is no such thing.
        output: Reply tokens, reasoning included.
        batch: Factor on all of these in batch jobs; None if there are no batch jobs.
        long_prompt: What longer calls cost; None if all calls cost the same.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: float = Field(ge=0, allow_inf_nan=False)
    cached: float = Field(ge=0, allow_inf_nan=False)
    written: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    written_long: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    output: float = Field(ge=0, allow_inf_nan=False)
    batch: float | None = Field(default=None, gt=0, le=1)
    long_prompt: LongPrompt | None = None

    def of_call(self, input_tokens: float) -> Price:
        """The prices of a call with so many tokens of input."""
        long = self.long_prompt
        if long is None or input_tokens <= long.over:
            return self
        return Price(
            input=self.input * long.input,
            cached=self.cached * long.input,
            written=None if self.written is None else self.written * long.input,
            written_long=None if self.written_long is None else self.written_long * long.input,
            output=self.output * long.output,
            batch=self.batch,
        )

    def usd(self, usage: Usage, *, batch: bool = False, long: bool = False) -> float:
        """Dollars of so many tokens, of one call or of many that are priced alike (`of_call`).

        Args:
            usage: Tokens, in our convention (input includes cached and written).
            batch: Whether they came from a batch job.
            long: Whether the cache was written for an hour.
        """
        fresh = usage.input_tokens - usage.cached_tokens - usage.written_tokens
        writing = (self.written_long if long else None) or self.written or self.input
        total = (
            max(fresh, 0) * self.input
            + usage.cached_tokens * self.cached
            + usage.written_tokens * writing
            + usage.output_tokens * self.output
        )
        return total * ((self.batch or 1.0) if batch else 1.0) / _MILLION


@dataclass(frozen=True)
class PriceList:
    """Prices by model name, and where they are from.

    Attributes:
        own: Whether the user gave the list: it then holds for servers of any address.
    """

    source: str
    models: dict[str, Price]
    own: bool = False

    def of(self, model: str, *, base_url: str | None = None) -> Price | None:
        """Price of ``provider/name``, its dated snapshots included; None if it is not known.

        A server of one's own (`base_url`, for ``openai/``) has prices of its own, which only the
        user's own list can know.
        """
        if base_url is not None and model.startswith("openai/") and not self.own:
            return None
        name = model_name(model)
        known = (name, name.rpartition("/")[2], _DATED.sub("", name))
        return next((self.models[text] for text in known if text in self.models), None)


@lru_cache(maxsize=4)
def price_list(path: Path | None = None) -> PriceList:
    """The price list shipped with the package, or the user's own.

    Raises:
        SettingsError: The file cannot be read, or a price in it is impossible.
    """
    place = path or SHIPPED
    try:
        loaded: Any = read_toml(place, in_force().text)
        models = {name: Price.model_validate(value) for name, value in loaded["models"].items()}
        source = f"{loaded['source']}, {loaded['date']}"
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        problem = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
        raise SettingsError(f"prices {place}: {problem}") from error
    except KeyError as error:
        raise SettingsError(f"prices {place}: {error} is missing") from error
    except (InputError, AttributeError, TypeError) as error:
        raise SettingsError(f"prices {place}: {error}") from error
    return PriceList(source=source, models=models, own=path is not None)


def cost_of(completion: Completion, price: Price | None) -> float | None:
    """Dollars of a reply; None if the price is not known, or what was used."""
    usage = completion.usage
    unread = not usage.input_tokens and price is not None and price.input
    unwritten = completion.text and not usage.output_tokens and price is not None and price.output
    if price is None or unread or unwritten:
        return None  # a server that counts no tokens is not one that asks for no money
    long = completion.parameters.get("cache_ttl") == "1h"
    price = price.of_call(usage.input_tokens)
    return price.usd(usage, batch=completion.batch, long=long)


def worst_case(request: Request, price: Price | None, *, batch: bool = False) -> float | None:
    """Dollars that a call can cost at most; None if the price is not known.

    No tokenizer makes more tokens of a text than it has bytes, and the schema may count as input.

    Args:
        request: What is asked.
        price: The model's price.
        batch: Whether it goes as part of a batch job.
    """
    if price is None:
        return None
    texts = (message.content for message in request.conversation())
    size = len(request.reply_schema) + sum(len(text.encode("utf-8", "replace")) for text in texts)
    size += TOKENS_PER_MESSAGE * (len(request.messages) + 1)
    size += most_tokens_of_pages(request.model, [page.size for page in request.pages])
    price = price.of_call(size)
    dearest = max(price.input, price.written or 0.0, price.written_long or 0.0)
    total = size * dearest + request.max_tokens * price.output
    return total * ((price.batch or 1.0) if batch else 1.0) / _MILLION


def tokens_in(text_length: int) -> int:
    """Estimated tokens of a text of so many characters."""
    return -(-text_length // CHARACTERS_PER_TOKEN)
