"""What a run would ask and cost, without asking anything.

Points are split and typed by the embedded rules. How often a reconstruction goes round and how
many premises an argument has are the paper's means (ReviewScore, table 5: 3.09 rounds; sec. 3.3:
1,748 premises of 422 arguments). Tokens are characters divided by four; reply lengths are a
stated guess.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from reviewscore.batch.selection import chosen_reviews
from reviewscore.config import Settings
from reviewscore.judges.lexical import LexicalJudges
from reviewscore.llm.budget import cost_usd, price_list, tokens_in
from reviewscore.points import split_review
from reviewscore.prompts import load
from reviewscore.schema.review import PointType
from reviewscore.sources.files import Collection

MEAN_ROUNDS = 3.09
MEAN_PREMISES = 1748 / 422
REPLY_TOKENS = 250
"""Guess for one reply with reasoning; a reconstruction counts three times as much."""
SPREAD = 0.35
"""The estimate's stated range, up and down."""


@dataclass
class Estimate:
    """Points, calls, tokens and dollars of a run.

    Attributes:
        points: Points by type, as the embedded rules see them.
        calls: Calls by stage.
        usd: Dollars without any caching by the provider; None if the price is not known.
        prices: Where prices are from.
    """

    papers: int = 0
    reviews: int = 0
    points: dict[str, int] = field(default_factory=dict)
    calls: dict[str, float] = field(default_factory=dict)
    input_tokens: float = 0.0
    output_tokens: float = 0.0
    usd: float | None = None
    prices: str | None = None


async def estimate(collection: Collection, settings: Settings) -> Estimate:
    """Estimate a run; reads and splits everything, asks nothing, needs no key."""
    judges, found, papers = LexicalJudges(), Estimate(), set()
    length = lru_cache(maxsize=1)(lambda paper_id: len(collection.paper(paper_id).text))
    for review in chosen_reviews(collection, settings):
        found.reviews += 1
        papers.add(review.paper_id)
        points = split_review(review, include_limitations=settings.limitations)
        size = sum(map(len, review.fields.values()))
        if settings.points == "auto" and not settings.embedded:
            _add(found, "split_points", 1, size, replies=size / 4 / REPLY_TOKENS)
        for point in points:
            if settings.point and point.point_id not in settings.point:
                continue
            kind = (await judges.point_type(point)).type
            found.points[kind] = found.points.get(kind, 0) + 1
            if not settings.embedded:
                paper = length(review.paper_id)
                _add_point(found, kind, settings, paper=paper, point=len(point.text))
    found.papers = len(papers)
    if settings.base_url is None and not settings.embedded:
        found.usd = cost_usd(
            settings.model,
            input_tokens=round(found.input_tokens),
            cached_tokens=0,
            output_tokens=round(found.output_tokens),
        )
        found.prices = None if found.usd is None else price_list().source
    return found


def _add_point(
    found: Estimate, kind: PointType, settings: Settings, *, paper: int, point: int
) -> None:
    _add(found, "is_argument", 1, point)
    if kind is not PointType.ARGUMENT:
        _add(found, "is_question", 1, point)
        stage = "claim_factuality" if kind is PointType.CLAIM else "question_answerability"
        _add(found, stage, 1, paper + point)
        return
    if settings.score != "advanced":
        _add(found, "claim_factuality", 1, paper + point)
    if settings.score != "base":
        rounds = min(MEAN_ROUNDS, settings.rounds)
        _add(found, "extract_argument", 1, point)
        _add(found, "reconstruct_argument", rounds, paper + 3 * point, replies=3)
        _add(found, "streamline", rounds, 3 * point)
        _add(found, "faithfulness", rounds, 3 * point)
        _add(found, "premise_factuality", MEAN_PREMISES, paper + 2 * point)


def _add(
    found: Estimate, stage: str, calls: float, characters: int, *, replies: float = 1.0
) -> None:
    found.calls[stage] = found.calls.get(stage, 0.0) + calls
    found.input_tokens += calls * tokens_in(characters + _instructions(stage))
    found.output_tokens += calls * replies * REPLY_TOKENS


@lru_cache(maxsize=32)
def _instructions(stage: str) -> int:
    """Characters of the constant parts of a prompt."""
    parts = ("role", "reply_format", stage)
    formulas = len(load("formulas", 1).body) if stage == "reconstruct_argument" else 0
    return formulas + sum(len(load(part, 1).body) for part in parts)
