"""What preparing or generating would ask and cost, without asking anything and without a key.

Tokens are characters divided by four; lengths of replies are a stated guess. What is already in a
folder or in the ledger is not taken off, so that this is the most that is likely.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reviewscore import prompts
from reviewscore.config import Settings
from reviewscore.gem.generate import REVIEW
from reviewscore.gem.prepare import ASSW, JUDGMENTS
from reviewscore.judges.asker import ROOM_TO_THINK
from reviewscore.llm.parameters import reasons
from reviewscore.llm.prices import price_list, tokens_in
from reviewscore.llm.provider import EXCHANGE
from reviewscore.schema.call import Usage
from reviewscore.sources.files import Collection
from reviewscore.sources.written import Materials

REPLIES = {JUDGMENTS: 300, ASSW: 600, REVIEW: 1500}
"""Guessed tokens of a reply; times `ROOM_TO_THINK` for reasoning models."""


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


def expected_to_prepare(
    materials: Materials,
    papers: Collection | None,
    settings: Settings,
    *,
    assw: bool = True,
    anew: bool = False,
) -> Expected:
    """What `prepare.prepare` would ask; arguments as there."""
    asked = [
        (settings.model, JUDGMENTS, len(one.raw))
        for one in materials.all()
        if one.raw.strip() and (anew or not one.judgments)
    ]
    if assw and papers is not None:
        for paper_id in materials.papers:
            row = materials.synopses.get(paper_id)
            given = row is not None and bool((row.assw or "").strip()) and not anew
            if paper_id in papers.papers and not given:
                asked.append((settings.model, ASSW, len(papers.paper(paper_id).text)))
    return _expected(asked, settings)


def expected_to_generate(papers: Collection, models: Sequence[str], settings: Settings) -> Expected:
    """What `generate.generate` would ask; arguments as there."""
    names = tuple(dict.fromkeys(models))
    sizes = (len(papers.paper(paper_id).text) for paper_id in papers.papers)
    asked = [(name, REVIEW, size) for size in sizes for name in names]
    return _expected(asked, settings)


def _expected(asked: Iterable[tuple[str, str, int]], settings: Settings) -> Expected:
    """Add up calls: model, prompt, and characters of what is read."""
    calls: Counter[str] = Counter()
    read: Counter[str] = Counter()
    written: Counter[str] = Counter()
    with prompts.use_directory(settings.prompts_dir):
        constant = {
            name: sum(len(prompts.latest(one).body) for one in ("role", "reply_format", name))
            for name in REPLIES
        }
    for model, name, size in asked:
        calls[name] += 1
        thinks = reasons(model) or settings.effort is not None
        read[model] += tokens_in(constant[name] + size)
        written[model] += REPLIES[name] * (ROOM_TO_THINK if thinks else 1)
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
