"""What a run would ask and cost, without asking anything and without a key.

Points are split and typed by the embedded rules. How often a reconstruction goes round and how
many premises an argument has are the paper's means (ReviewScore, table 5: 3.09 rounds; sec. 3.3:
1,748 premises of 422 arguments). Tokens are characters divided by four; reply lengths are a
stated guess. Of a call about a paper, the paper and the task are taken to be in the provider's
cache unless it is the paper's first call. What is already in a folder or in the ledger is not
taken off, so that this is the most that is likely.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from reviewscore import prompts
from reviewscore.config import Settings
from reviewscore.errors import InputError
from reviewscore.judges.asker import JUDGE_OF, ROOM_TO_THINK
from reviewscore.judges.lexical.judges import LexicalJudges
from reviewscore.llm.parameters import reasons
from reviewscore.llm.prices import price_list, tokens_in
from reviewscore.llm.provider import EXCHANGE
from reviewscore.papers.parts import shown
from reviewscore.points.split import split_review
from reviewscore.runs.scoring import chosen_reviews, is_chosen
from reviewscore.schema.call import Usage
from reviewscore.schema.paper import Unread, UnreadTotal
from reviewscore.schema.review import PointType
from reviewscore.sources.collection import Collection

MEAN_ROUNDS = 3.09
MEAN_PREMISES = 1748 / 422
REPLY_TOKENS = 250
"""Guess for one reply with its reasons; a reconstruction counts three times as much."""
SPREAD = 0.35
"""The estimate's stated range, up and down."""
_ANSWERED = ("question_answerability", "claim_factuality", "premise_factuality",
             "premises_factuality")  # fmt: skip
_SCORED = ("question_answerability", "claim_factuality", "premise_factuality",
           "premises_factuality", "faithfulness")  # fmt: skip
"""Prompts that every judge of a panel answers."""


@dataclass
class _Tokens:
    """Tokens of the calls to one model."""

    input: float = 0.0
    cached: float = 0.0
    written: float = 0.0
    output: float = 0.0


def _cost(asked: Mapping[str, _Tokens], settings: Settings) -> tuple[float | None, str | None]:
    """Dollars at list prices and where prices are from; None if one is not known.

    Args:
        asked: By model.
        settings: Name the prices.
    """
    prices, total = price_list(settings.prices), 0.0
    for model, tokens in asked.items():
        if model.startswith(EXCHANGE):  # whoever answers there is not paid by us
            continue
        price = prices.of(model, base_url=settings.base_url)
        if price is None:
            return None, None
        usage = Usage(**{f"{name}_tokens": round(count) for name, count in vars(tokens).items()})
        total += price.usd(usage, batch=settings.batch)
    return total, prices.source


@dataclass
class CostEstimate:
    """Points, calls, tokens and dollars of a run.

    Attributes:
        points: Points by type, as the embedded rules see them.
        calls: Calls by stage.
        cached_tokens: Input tokens that the provider is likely to have in its cache.
        usd: Dollars at list prices, with that cache; None if a price is not known.
        prices: Where prices are from.
        unread: How much of the papers judges would not see; None if they would see everything.
    """

    papers: int = 0
    reviews: int = 0
    points: Counter[str] = field(default_factory=Counter)
    calls: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    input_tokens: float = 0.0
    cached_tokens: float = 0.0
    output_tokens: float = 0.0
    usd: float | None = None
    prices: str | None = None
    unread: UnreadTotal | None = None


def _shown_length(
    collection: Collection, paper_id: str, settings: Settings, unread: dict[str, Unread]
) -> int | None:
    """Characters of a paper that judges see; None if it cannot be read.

    Args:
        collection: Has the paper.
        paper_id: The paper.
        settings: Say which parts are shown.
        unread: Takes what is not shown.
    """
    try:
        paper = shown(collection.text_of(paper_id), settings.paper_parts)
    except InputError:  # its reviews fail for that reason, before anything is asked
        return None
    if paper.unread is not None:
        unread[paper_id] = paper.unread
    return len(paper.read_text)


async def estimate(collection: Collection, settings: Settings) -> CostEstimate:
    """Estimate a run; reads and splits everything, asks nothing, needs no key."""
    judges, found, papers = LexicalJudges(), CostEstimate(), set()
    asked = _Calls(settings, found)
    unread: dict[str, Unread] = {}

    @lru_cache(maxsize=1)
    def length(paper_id: str) -> int | None:
        return _shown_length(collection, paper_id, settings, unread)

    for review in chosen_reviews(collection, settings):
        if not settings.embedded and length(review.paper_id) is None:
            continue
        found.reviews += 1
        papers.add(review.paper_id)
        points = split_review(review, include_limitations=settings.limitations)
        size = sum(map(len, review.fields.values()))
        if settings.points == "auto" and not settings.embedded:
            asked.add("split_points", 1, size, replies=size / 4 / REPLY_TOKENS)
        for point in points:
            if not is_chosen(point, settings):
                continue
            kind = (await judges.point_type(point)).type
            found.points[kind] += 1
            if not settings.embedded:
                asked.paper = (review.paper_id, length(review.paper_id) or 0)
                asked.response = (
                    len(review.author_response or "") if settings.author_response else 0
                )
                _add_point(asked, kind, settings, point=len(point.text))
    found.papers = len(papers)
    found.unread = UnreadTotal.over(unread.values())
    if not settings.embedded:
        asked.close()
    return found


def _add_point(asked: _Calls, kind: PointType, settings: Settings, *, point: int) -> None:
    economy = settings.protocol == "economy"
    asked.add("point_type" if economy else "is_argument", 1, point)
    if kind is not PointType.ARGUMENT:
        if not economy:
            asked.add("is_question", 1, point)
        asked.add(kind.judge, 1, point, paper=True)
        return
    if settings.score != "advanced":
        asked.add("claim_factuality", 1, point, paper=True)
    if settings.score != "base":
        rounds = min(MEAN_ROUNDS, settings.rounds)
        asked.add("extract_argument", 1, point)
        asked.add("reconstruct_argument", rounds, 3 * point, paper=True, replies=3)
        asked.add("faithfulness", rounds, 3 * point)
        if economy:
            asked.add("premises_factuality", 1, 4 * point, paper=True, replies=MEAN_PREMISES)
        else:
            asked.add("premise_factuality", MEAN_PREMISES, 2 * point, paper=True)


class _Calls:
    """Adds up calls by stage and tokens by model."""

    def __init__(self, settings: Settings, found: CostEstimate) -> None:
        self.paper = ("", 0)
        self.response = 0
        self._settings, self._found = settings, found
        self._asked: dict[str, _Tokens] = {}
        self._warm: set[tuple[str, str]] = set()

    def add(
        self, stage: str, calls: float, characters: int, *, paper: bool = False, replies: float = 1
    ) -> None:
        """Add calls of a stage, each with so many characters beside paper and task.

        Where judges see the authors' response, they score without it too.
        """
        settings = self._settings
        if self.response and stage in _ANSWERED:
            length, self.response = self.response, 0
            self.add(stage, calls, characters + length, paper=paper, replies=replies)
            self.response = length
        judge = JUDGE_OF.get(stage, stage)
        members = dict.fromkeys((settings.model, *settings.panel))
        everybody = stage in _SCORED
        for model in members if everybody else [settings.model]:
            chosen = settings.judges.get(judge, model)
            times = calls * (settings.repeats if everybody else 1)
            self._found.calls[stage] += times
            self._count(chosen, stage, times, characters, paper=paper, replies=replies)

    def _count(
        self, model: str, stage: str, calls: float, characters: int, *, paper: bool, replies: float
    ) -> None:
        asked = self._asked.setdefault(model, _Tokens())
        constant = tokens_in(_instructions(stage) + (self.paper[1] if paper else 0))
        asked.input += calls * (constant + tokens_in(characters))
        thinking = ROOM_TO_THINK if reasons(model) or self._settings.effort else 1
        asked.output += calls * replies * REPLY_TOKENS * thinking
        if paper:
            first = (model, self.paper[0]) not in self._warm
            self._warm.add((model, self.paper[0]))
            asked.written += constant if first else 0
            asked.cached += constant * (calls - first)

    def close(self) -> None:
        """Add up tokens, and dollars where every price is known."""
        found = self._found
        found.input_tokens = sum(tokens.input for tokens in self._asked.values())
        found.cached_tokens = sum(tokens.cached for tokens in self._asked.values())
        found.output_tokens = sum(tokens.output for tokens in self._asked.values())
        found.usd, found.prices = _cost(self._asked, self._settings)


@lru_cache(maxsize=32)
def _instructions(stage: str) -> int:
    """Characters of the constant parts of a prompt."""
    parts = ["role", "reply_format", stage]
    parts += ["formulas"] if stage == "reconstruct_argument" else []
    return sum(len(prompts.latest(part).body) for part in parts)


@dataclass(frozen=True)
class CallEstimate:
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


def estimate_calls(
    asked: Iterable[tuple[str, str, int]], settings: Settings, replies: Mapping[str, int]
) -> CallEstimate:
    """Add up calls.

    Args:
        asked: Model, prompt, and characters of what is read, of each call.
        settings: How models are asked.
        replies: Guessed tokens of a reply by prompt; times `ROOM_TO_THINK` for reasoning models.
    """
    calls: Counter[str] = Counter()
    read: dict[str, _Tokens] = defaultdict(_Tokens)
    with prompts.use_directory(settings.prompts_dir):
        constant = {
            name: sum(len(prompts.latest(part).body) for part in ("role", "reply_format", name))
            for name in replies
        }
    for model, name, size in asked:
        calls[name] += 1
        thinks = reasons(model) or settings.effort is not None
        read[model].input += tokens_in(constant[name] + size)
        read[model].output += replies[name] * (ROOM_TO_THINK if thinks else 1)
    return CallEstimate(
        calls,
        round(sum(tokens.input for tokens in read.values())),
        round(sum(tokens.output for tokens in read.values())),
        *_cost(read, settings),
    )
