"""What a run would ask and cost, without asking anything and without a key.

Tokens are characters divided by four; lengths of replies are a stated guess. What is already in a
folder or in the ledger is not taken off, so that this is the most that is likely.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from reviewscore import prompts
from reviewscore.config import Settings
from reviewscore.judges.asker import ROOM_TO_THINK
from reviewscore.llm.parameters import reasons
from reviewscore.llm.prices import price_list, tokens_in
from reviewscore.llm.provider import EXCHANGE
from reviewscore.schema.call import Usage


@dataclass(frozen=True)
class Expected:
    """Calls, tokens and dollars of a run.

    Attributes:
        calls: By prompt.
        usd: Dollars at list prices; None if a price is not known.
        prices: Where prices are from; None if one is not known.
    """

    calls: Counter[str]
    input_tokens: int
    output_tokens: int
    usd: float | None
    prices: str | None


def expected(
    asked: Iterable[tuple[str, str, int]], settings: Settings, replies: Mapping[str, int]
) -> Expected:
    """Add up calls.

    Args:
        asked: Model, prompt, and characters of what is read, of each call.
        settings: How models are asked.
        replies: Guessed tokens of a reply by prompt; times `ROOM_TO_THINK` for reasoning models.
    """
    calls: Counter[str] = Counter()
    read: Counter[str] = Counter()
    written: Counter[str] = Counter()
    with prompts.use_directory(settings.prompts_dir):
        constant = {
            name: sum(len(prompts.latest(one).body) for one in ("role", "reply_format", name))
            for name in replies
        }
    for model, name, size in asked:
        calls[name] += 1
        thinks = reasons(model) or settings.effort is not None
        read[model] += tokens_in(constant[name] + size)
        written[model] += replies[name] * (ROOM_TO_THINK if thinks else 1)
    prices = price_list(settings.prices)
    total: float | None = 0.0
    for model in read:
        if model.startswith(EXCHANGE):  # whoever answers there is not paid by us
            continue
        price = prices.of(model, base_url=settings.base_url)
        usage = Usage(input_tokens=read[model], output_tokens=written[model])
        if price is None or total is None:
            total = None
        else:
            total += price.usd(usage, batch=settings.batch)
    return Expected(
        calls,
        read.total(),
        written.total(),
        total,
        None if total is None else prices.source,
    )
