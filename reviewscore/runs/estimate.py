"""What a run would ask and cost, without asking anything and without a key.

Points are split and typed by the embedded rules. How often a reconstruction goes round and how
many premises an argument has are the paper's means (ReviewScore, table 5: 3.09 rounds; sec. 3.3:
1,748 premises of 422 arguments). Tokens are characters divided by four, of papers counted by
words and symbols (`estimated_tokens`); lengths of replies are guesses, which every estimate names.
Dollars have two ends: as simulated, where the paper and the task are in the provider's cache for
every call about a paper but its first; and with nothing found in a cache. What is already in a
folder or in the ledger is not taken off. `docs/guide/models.md` says how far estimates were off.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple, assert_never, get_args

from pydantic import ValidationError

from reviewscore import prompts
from reviewscore.arguments.reconstruct import infers, verbatim
from reviewscore.config import POINT_TOKENS, Settings
from reviewscore.errors import InputError
from reviewscore.judges.asker import JUDGE_OF, ROOM_TO_THINK, paper_prefix
from reviewscore.judges.excerpts import excerpt_room
from reviewscore.judges.lexical.judges import LexicalJudges
from reviewscore.llm.connect import price_of
from reviewscore.llm.context_window import estimated_tokens
from reviewscore.llm.page_tokens import Size, tokens_of_pages
from reviewscore.llm.parameters import reasons
from reviewscore.llm.prices import Price, price_list, tokens_in
from reviewscore.llm.provider import provider_class
from reviewscore.points.split import split_review
from reviewscore.runs.consent import chosen_reviews
from reviewscore.runs.scoring import is_chosen
from reviewscore.schema.call import Usage
from reviewscore.schema.paper import Paper, Unread, UnreadTotal
from reviewscore.schema.review import PointKind, PointType, ReviewPoint
from reviewscore.sources.collection import Collection
from reviewscore.sources.shown_papers import paper_as_shown

MEAN_ROUNDS = 3.09
MEAN_PREMISES = 1748 / 422
REPLY_TOKENS = 250
"""Guess for one reply with its reasons; a reconstruction counts three times as much."""
LOOK_TOKENS, BASE_TOKENS = 350, 120
"""Guesses for what a reply says of one point: of its presuppositions, and of type and score."""
SECOND_LOOKS = 0.24
"""Share of points that get a second look: 281 of 1,170 (`benchmarks.presuppositions`)."""
SECOND_LOOK_PASSAGES = 1500
"""Guess: characters of the passages that a second look is shown."""
FIRST_TOKEN, TOKENS_PER_SECOND = 0.6, 80.0
"""Guess: seconds to a reply's first token, tokens a second after it."""
_ANSWERED = ("question_answerability", "claim_factuality", "premise_factuality",
             "premises_factuality")  # fmt: skip
_SCORED = ("question_answerability", "claim_factuality", "premise_factuality",
           "premises_factuality", "faithfulness", "presuppositions_review",
           "presuppositions_point", "presuppositions_second_look", "base_review")  # fmt: skip
"""Prompts that every judge of a panel answers."""
_MINUTES = 60.0


@dataclass(frozen=True)
class Hours:
    """Hours that each limit alone asks for; None where there is no such limit.

    Of several models, whose calls go side by side, those of the one that takes longest.

    Attributes:
        requests: By the requests a minute.
        tokens: By the tokens a minute, counted as runs count them: with the reply limit.
        connections: By the calls at once, at the guessed speed of replies; None for servers of
            one's own, whose speed is nobody's guess.
        speed: By the speed of one's own server, with what is in its cache not read again.
        speed_uncached: The same with everything read anew.
    """

    requests: float | None = None
    tokens: float | None = None
    connections: float | None = None
    speed: float | None = None
    speed_uncached: float | None = None

    @property
    def least(self) -> float | None:
        """Hours that all the limits together ask for at least; None if they are not known."""
        limits = (self.requests, self.tokens, self.connections, self.speed)
        return max(filter(None, limits), default=None)


@dataclass(frozen=True)
class CallEstimate:
    """Calls, tokens, dollars and hours of one way to ask.

    Attributes:
        models: Who is asked.
        protocol: Of an audit; None elsewhere.
        calls: By prompt.
        questions: Mean tokens of input of a call by prompt.
        replies: Guessed tokens of a reply by prompt, without a reasoning model's thoughts.
        thinks: Whether a model reasons before it replies.
        cached_tokens: Input tokens that the provider is simulated to have in its cache.
        output_tokens: Of all replies, thoughts included.
        usd: Dollars at list prices, with that cache; None if a price is not known.
        usd_uncached: The same with nothing found in a cache.
        hours: At the limits given; all None for batch jobs and folders of replies.
        longest_prompt: Tokens of input of the longest call.
        context: Tokens that a model's context needs for it: that prompt, and a reply at its limit.
    """

    models: tuple[str, ...]
    protocol: str | None
    calls: Mapping[str, float]
    questions: Mapping[str, float]
    replies: Mapping[str, float]
    thinks: bool
    input_tokens: float
    cached_tokens: float
    output_tokens: float
    usd: float | None
    usd_uncached: float | None
    hours: Hours
    longest_prompt: int = 0
    context: int = 0


@dataclass
class CostEstimate:
    """What a command would ask.

    Attributes:
        papers: Papers, reviews and points of an audit; nothing elsewhere.
        points: By type, as the embedded rules see them.
        unread: How much of the papers judges would not see; None if they would see everything.
        command: The command as it was typed; None if it asks nobody.
        ways: That and what it is compared with: each model alone, each protocol.
        prices: Where prices are from.
        prompts: Tokens of the longest prompt about each paper of an audit, by its identifier.
        pages: Pages that judges would be shown as images, each once.
        page_tokens: Tokens that these are estimated to come to, by model.
        text_alone: Papers whose pages cannot be shown, which are judged by their text.
    """

    papers: int = 0
    reviews: int = 0
    points: Counter[str] = field(default_factory=Counter)
    unread: UnreadTotal | None = None
    command: CallEstimate | None = None
    ways: tuple[CallEstimate, ...] = ()
    prices: str = ""
    prompts: dict[str, int] = field(default_factory=dict)
    pages: int = 0
    page_tokens: dict[str, int] = field(default_factory=dict)
    text_alone: int = 0

    def add_pages(self, sizes: Sequence[Size], settings: Settings) -> None:
        """Count the pages of a paper.

        Args:
            sizes: Of their images in pixels.
            settings: Say who is shown them, if anybody is.
        """
        if settings.paper_as == "text":
            return
        self.pages += len(sizes)
        self.text_alone += not sizes
        for model in settings.models_with_paper:
            known = self.page_tokens.get(model, 0)
            self.page_tokens[model] = known + tokens_of_pages(model, sizes)

    @property
    def calls(self) -> Mapping[str, float]:
        """Calls of the command, by prompt."""
        return {} if self.command is None else self.command.calls

    @property
    def usd(self) -> float | None:
        """Dollars of the command, with the provider's cache; None if a price is not known."""
        return None if self.command is None else self.command.usd


@dataclass
class _Tokens:
    """Tokens of calls that are priced alike."""

    input: float = 0.0
    cached: float = 0.0
    written: float = 0.0
    output: float = 0.0

    def usd(self, price: Price, *, batch: bool, cached: bool) -> float:
        """Dollars; what is not found in the cache is written to it anew."""
        read = self.cached if cached else 0.0
        usage = Usage(
            input_tokens=round(self.input),
            cached_tokens=round(read),
            written_tokens=round(self.written + self.cached - read),
            output_tokens=round(self.output),
        )
        return price.usd(usage, batch=batch)


def own_server(model: str, settings: Settings) -> bool:
    """Whether a model runs on a server of the user's own, whose prices are not listed."""
    kind = provider_class(model)
    return kind.traits.free or (kind.addressed and settings.base_url is not None)


class _Demand:
    """What is asked of one model."""

    def __init__(self, model: str, settings: Settings) -> None:
        self.price, self._settings = price_of(settings, model), settings
        self.thinks = settings.effort is not None or reasons(model)
        self.waits = provider_class(model).traits.paced and not settings.batch
        self.own = own_server(model, settings)
        self.tokens: dict[Price | None, _Tokens] = defaultdict(_Tokens)
        self.room = 0
        self.calls = self._reserved = self._seconds = 0.0

    def add(
        self,
        calls: float,
        size: int,
        reply: float,
        *,
        cached: float = 0,
        written: float = 0,
        longest: int = 0,
    ) -> None:
        """Add calls that are alike.

        Args:
            calls: How many.
            size: Tokens of input of each.
            reply: Tokens of the reply to each, without thoughts.
            cached: Input tokens of all of them that are found in the provider's cache.
            written: Input tokens of all of them that are written to it.
            longest: Reply limit of each, where that is more than the settings'.
        """
        room = ROOM_TO_THINK if self.thinks else 1
        tokens = self.tokens[None if self.price is None else self.price.of_call(size)]
        tokens.input += calls * size
        tokens.cached += cached
        tokens.written += written
        tokens.output += calls * reply * room
        self.calls += calls
        limit = max(self._settings.max_tokens, longest) * room
        self.room = max(self.room, limit)
        self._reserved += calls * (size + limit)
        self._seconds += calls * (FIRST_TOKEN + reply * room / TOKENS_PER_SECOND)

    def usd(self, *, cached: bool) -> float | None:
        """Dollars at list prices; None if they are not known."""
        total = 0.0
        for price, tokens in self.tokens.items():
            if price is None:
                return None
            total += tokens.usd(price, batch=self._settings.batch, cached=cached)
        return total

    def hours(self) -> Hours:
        """Hours at the limits of the settings."""
        limits = self._settings
        if not self.waits:
            return Hours()
        requests, tokens = limits.requests_per_minute, limits.tokens_per_minute
        return Hours(
            None if requests is None else self.calls / requests / _MINUTES,
            None if tokens is None else self._reserved / tokens / _MINUTES,
            None if self.own else self._seconds / limits.max_connections / _MINUTES**2,
            self._own_hours(cached=True),
            self._own_hours(cached=False),
        )

    def _own_hours(self, *, cached: bool) -> float | None:
        """Hours of a server of one's own at the speed given; None if there is none."""
        speed, each = self._settings.read_and_write, self.tokens.values()
        if not self.own or speed is None or not all(speed):
            return None
        read = sum(token.input - (token.cached if cached else 0) for token in each)
        seconds = read / speed[0] + sum(token.output for token in each) / speed[1]
        return seconds / _MINUTES**2


class _Calls:
    """Adds up the calls of one way to ask."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.calls: dict[str, float] = defaultdict(float)
        self._questions: dict[str, float] = defaultdict(float)
        self._replies: dict[str, float] = defaultdict(float)
        self._demands: dict[str, _Demand] = {}
        self._longest = 0

    def count(
        self,
        model: str,
        prompt: str,
        size: int,
        reply: float,
        *,
        calls: float = 1,
        cached: float = 0,
        written: float = 0,
        longest: int = 0,
    ) -> None:
        """Add calls to one model; arguments as in `_Demand.add`."""
        if model not in self._demands:
            self._demands[model] = _Demand(model, self.settings)
        self._demands[model].add(
            calls, size, reply, cached=cached, written=written, longest=longest
        )
        self.calls[prompt] += calls
        self._longest = max(self._longest, size)
        self._questions[prompt] += calls * size
        self._replies[prompt] += calls * reply

    def estimate(self, models: Sequence[str], protocol: str | None = None) -> CallEstimate:
        """What it comes to."""
        demands = self._demands.values()
        tokens = [token for demand in demands for token in demand.tokens.values()]
        hours = [demand.hours() for demand in demands]
        return CallEstimate(
            models=tuple(models),
            protocol=protocol,
            calls=dict(self.calls),
            questions={name: self._questions[name] / many for name, many in self.calls.items()},
            replies={name: self._replies[name] / many for name, many in self.calls.items()},
            thinks=any(demand.thinks for demand in demands),
            input_tokens=sum(token.input for token in tokens),
            cached_tokens=sum(token.cached for token in tokens),
            output_tokens=sum(token.output for token in tokens),
            usd=_sum(demand.usd(cached=True) for demand in demands),
            usd_uncached=_sum(demand.usd(cached=False) for demand in demands),
            longest_prompt=self._longest,
            context=self._longest + max((demand.room for demand in demands), default=0),
            hours=Hours(
                **{
                    name: max(filter(None, (getattr(hour, name) for hour in hours)), default=None)
                    for name in Hours.__dataclass_fields__
                }
            ),
        )


def _sum(amounts: Iterable[float | None]) -> float | None:
    """The sum; None if one of them is not known."""
    total = 0.0
    for amount in amounts:
        if amount is None:
            return None
        total += amount
    return total


class _ShownPaper(NamedTuple):
    """What a prompt holds of a paper.

    Attributes:
        tokens: Estimated tokens of its text, as far as that is shown.
        pages: Sizes of the images of its pages in pixels; none where they are not shown.
    """

    tokens: int
    pages: tuple[Size, ...] = ()


def shown_tokens(paper: Paper, models: Iterable[str]) -> int:
    """Estimated tokens of what judges see of a paper, at the model that counts most for pages."""
    known = _counted(paper)
    return known.tokens + max(tokens_of_pages(model, known.pages) for model in models)


def _counted(paper: Paper) -> _ShownPaper:
    if paper.shown_pages is None:
        return _ShownPaper(estimated_tokens(paper.read_text))
    sizes = tuple(image.size for image in paper.shown_pages.images)
    return _ShownPaper(estimated_tokens(paper_prefix(paper)), sizes)


def _shown(
    collection: Collection, paper_id: str, settings: Settings, unread: dict[str, Unread]
) -> _ShownPaper | None:
    """What judges are shown of a paper; None if it cannot be read, or its pages not be shown.

    Args:
        collection: Has the paper.
        paper_id: The paper.
        settings: Say what is shown.
        unread: Takes what is not shown.
    """
    parts, paper_as = settings.paper_parts, settings.paper_as
    try:
        paper = paper_as_shown(collection, paper_id, parts, paper_as, doubts=False, draw=False)
    except InputError:  # its reviews fail for that reason, before anything is asked
        return None
    if paper.unread is not None:
        unread[paper_id] = paper.unread
    known = _counted(paper)
    if settings.context == "whole":
        return known
    return _ShownPaper(min(known.tokens, excerpt_room(settings)))


async def estimate(
    collection: Collection, settings: Settings, *, compare: bool = False
) -> CostEstimate:
    """Estimate an audit; reads and splits everything, asks nothing, needs no key.

    Args:
        collection: Papers and reviews.
        settings: Of the audit.
        compare: Estimate each model alone and each protocol too.

    Raises:
        SettingsError: A model is unknown.
    """
    judges, cost_estimate, papers = LexicalJudges(), CostEstimate(), set()
    asked = [_AuditCalls(way) for way in _ways(settings, compare=compare)]
    proves = any(calls.settings.proves_beside for calls in asked)
    unread: dict[str, Unread] = {}

    @lru_cache(maxsize=1)
    def paper(paper_id: str) -> _ShownPaper | None:
        return _shown(collection, paper_id, settings, unread)

    for review in chosen_reviews(collection, settings):
        shown = _ShownPaper(0) if settings.embedded else paper(review.paper_id)
        if shown is None:
            continue
        cost_estimate.reviews += 1
        if review.paper_id not in papers:
            cost_estimate.add_pages(shown.pages, settings)
        papers.add(review.paper_id)
        points = split_review(review, include_limitations=settings.limitations)
        size = sum(map(len, review.fields.values()))
        for calls in asked:
            calls.open_review(review.paper_id, shown, size)
            calls.response = len(review.author_response or "") if settings.author_response else 0
        for point in points:
            if point.kind is PointKind.NONE or not is_chosen(point, settings):
                continue
            kind = (await judges.point_type(point)).type
            cost_estimate.points[kind] += 1
            inference = proves and kind is PointType.ARGUMENT and await _inferring(point, judges)
            for calls in asked:
                calls.add_point(kind, len(point.text), inference=inference)
    cost_estimate.papers = len(papers)
    cost_estimate.unread = UnreadTotal.over(unread.values())
    cost_estimate.prices = price_list(settings.prices).source
    cost_estimate.ways = tuple(calls.close() for calls in asked)
    own = [n for n, calls in enumerate(asked) if calls.settings == settings]
    if own:
        cost_estimate.command = cost_estimate.ways[own[0]]
        cost_estimate.prompts = asked[own[0]].prompts
    return cost_estimate


async def _inferring(point: ReviewPoint, judges: LexicalJudges) -> bool:
    """Whether an argument would be rebuilt beside its presuppositions, by the embedded judge."""
    return infers(verbatim(await judges.extract_argument(point), point), point.text)


def _ways(settings: Settings, *, compare: bool) -> list[Settings]:
    """The settings as they are, and beside them each model alone and each protocol.

    Ways that the settings refuse, such as authors' responses by presuppositions, are left out.
    """
    if settings.embedded:
        return []
    if not compare:
        return [settings]
    all_settings: list[Settings] = []
    members = dict.fromkeys((settings.model, *settings.panel))
    alone = [_changed(settings, model=member, panel=()) for member in members]
    for crew in [settings, *filter(None, alone)] if settings.panel else [settings]:
        for protocol in get_args(Settings.model_fields["protocol"].annotation):
            own = protocol == crew.protocol
            way = crew if own else _changed(crew, protocol=protocol, per=None)
            if way is not None and way not in all_settings:
                all_settings.append(way)
    return all_settings


def _changed(settings: Settings, **changes: object) -> Settings | None:
    """Settings with some values changed; None if they are refused together."""
    try:
        return Settings.model_validate({**dict(settings), **changes})
    except ValidationError:
        return None


class _AuditCalls(_Calls):
    """Adds up the calls of an audit, review by review."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.response = 0
        self.prompts: dict[str, int] = {}
        self._paper, self._shown = "", _ShownPaper(0)
        self._warm: dict[tuple[str, str], float] = defaultdict(float)
        self._points = self._size = 0

    def open_review(self, paper_id: str, shown: _ShownPaper, size: int) -> None:
        """Go on to a review.

        Args:
            paper_id: Its paper.
            shown: What judges see of it.
            size: Characters of the review.
        """
        per = self.settings.asked_per
        if per == "review" or (per == "paper" and paper_id != self._paper):
            self._ask_together()
        self._paper, self._shown = paper_id, shown
        self._size += size
        if self.settings.points == "auto":
            self.add("split_points", 1, size, reply=tokens_in(size))

    def close(self) -> CallEstimate:
        """What it comes to, after the last review."""
        self._ask_together()
        return self.estimate(self.settings.models, self.settings.protocol)

    def _ask_together(self) -> None:
        """Add the calls about all points of the reviews that were opened since the last time."""
        if self.settings.asked_per != "point" and self._points:
            calls = -(-self._points // self.settings.points_per_call)
            looks = self.settings.presupposes
            stage = "presuppositions_review" if looks else "base_review"
            reply = self._points * (LOOK_TOKENS if looks else BASE_TOKENS) / calls
            most = -(-self._points // calls) * POINT_TOKENS[self.settings.protocol]
            self.add(stage, calls, self._size, paper=True, reply=reply, longest=most)
        self._points = self._size = 0

    def add_point(self, kind: PointType, point: int, *, inference: bool = False) -> None:
        """Add the calls of a point.

        Args:
            kind: Its type.
            point: Its characters.
            inference: Whether it is an argument that is rebuilt beside presuppositions.
        """
        self._points += 1
        match self.settings.protocol:
            case "paper" | "economy":
                self._add_scored(kind, point)
            case "presupposition":
                self._add_looks(point)
            case "presupposition+proof":
                self._add_looks(point)
                if kind is PointType.ARGUMENT:
                    self.add("extract_argument", 1, point)
                if inference:
                    self._add_loop(point, premises=self.settings.score != "base")
            case _:
                assert_never(self.settings.protocol)

    def _add_looks(self, point: int) -> None:
        """Add the calls that ask for a point's presuppositions alone."""
        if self.settings.asked_per == "point":
            self.add("presuppositions_point", 1, point, paper=True, reply=LOOK_TOKENS)
        if self.settings.second_look_between is not None:
            size = point + SECOND_LOOK_PASSAGES
            stage = "presuppositions_second_look"
            self.add(stage, SECOND_LOOKS, size, paper=True, reply=LOOK_TOKENS)

    def _add_scored(self, kind: PointType, point: int) -> None:
        """Add the calls that ask for a point's scores alone."""
        settings, economy = self.settings, self.settings.protocol == "economy"
        if settings.asked_per == "point":
            if not settings.types_from_split:
                self.add("point_type" if economy else "is_argument", 1, point)
            if kind is not PointType.ARGUMENT and not economy:
                self.add("is_question", 1, point)
            if kind is not PointType.ARGUMENT or settings.score != "advanced":
                self.add(kind.judge, 1, point, paper=True)
        if kind is PointType.ARGUMENT and settings.score != "base":
            self.add("extract_argument", 1, point)
            self._add_loop(point, premises=True)

    def _add_loop(self, point: int, *, premises: bool) -> None:
        """Add the calls that rebuild an argument and, if that is asked for, judge its premises."""
        rounds = min(MEAN_ROUNDS, self.settings.rounds)
        self.add("reconstruct_argument", rounds, 3 * point, paper=True, reply=3 * REPLY_TOKENS)
        self.add("faithfulness", rounds, 3 * point)
        if not premises:
            return
        if self.settings.protocol == "economy":
            reply = MEAN_PREMISES * REPLY_TOKENS
            self.add("premises_factuality", 1, 4 * point, paper=True, reply=reply)
        else:
            self.add("premise_factuality", MEAN_PREMISES, 2 * point, paper=True)

    def add(
        self,
        stage: str,
        calls: float,
        characters: int,
        *,
        paper: bool = False,
        reply: float = REPLY_TOKENS,
        longest: int = 0,
    ) -> None:
        """Add calls of a stage, each with so many characters beside paper and task.

        Where judges see the authors' response, they score without it too.
        """
        settings = self.settings
        if self.response and stage in _ANSWERED:
            length, self.response = self.response, 0
            self.add(stage, calls, characters + length, paper=paper, reply=reply)
            self.response = length
        judge = JUDGE_OF.get(stage, stage)
        members = dict.fromkeys((settings.model, *settings.panel))
        everybody = stage in _SCORED
        for model in members if everybody else [settings.model]:
            chosen = settings.judges.get(judge, model)
            times = calls * (settings.repeats if everybody else 1)
            self._ask(chosen, stage, times, characters, paper=paper, reply=reply, longest=longest)

    def _ask(
        self,
        model: str,
        stage: str,
        calls: float,
        characters: int,
        *,
        paper: bool,
        reply: float,
        longest: int,
    ) -> None:
        constant = tokens_in(_instructions(stage))
        if paper:
            constant += self._shown.tokens + tokens_of_pages(model, self._shown.pages)
        size = constant + tokens_in(characters)
        if paper:
            self.prompts[self._paper] = max(self.prompts.get(self._paper, 0), size)
        if not paper or self.settings.context == "excerpts":  # others for each point: never cached
            self.count(model, stage, size, reply, calls=calls)
            return
        first = min(calls, 1 - self._warm[model, self._paper])
        self._warm[model, self._paper] += first
        cached, written = constant * (calls - first), constant * first
        self.count(
            model,
            stage,
            size,
            reply,
            calls=calls,
            cached=cached,
            written=written,
            longest=longest,
        )


@lru_cache(maxsize=32)
def _instructions(stage: str) -> int:
    """Characters of the constant parts of a prompt."""
    parts = ["role", "reply_format", stage]
    parts += ["formulas"] if stage == "reconstruct_argument" else []
    parts += ["presupposition_terms"] if stage.startswith("presuppositions_") else []
    return sum(len(prompts.latest(part).body) for part in parts)


def estimate_calls(
    asked: Iterable[tuple[str, str, int]],
    settings: Settings,
    replies: Mapping[str, int],
    *,
    papers: Container[str] = (),
    longest: Mapping[str, int] | None = None,
) -> CostEstimate:
    """Estimate a verb that asks models about rows; each model is estimated alone too.

    Args:
        asked: Model, prompt, and characters of what is read, of each call.
        settings: How models are asked.
        replies: Guessed tokens of a reply by prompt; times `ROOM_TO_THINK` for reasoning models.
        papers: Prompts with a paper, which is written to the provider's cache and, as each paper
            is asked about once, never found there.
        longest: Reply limits by prompt, where they are more than the settings'.

    Raises:
        SettingsError: A model is unknown.
    """
    together, alone = _Calls(settings), dict[str, _Calls]()
    with prompts.use_directory(settings.prompts_dir):
        constant = {
            name: sum(len(prompts.latest(part).body) for part in ("role", "reply_format", name))
            for name in replies
        }
    for model, name, length in asked:
        size = tokens_in(constant[name] + length)
        written = size if name in papers else 0
        for calls in (together, alone.setdefault(model, _Calls(settings))):
            room = (longest or {}).get(name, 0)
            calls.count(model, name, size, replies[name], written=written, longest=room)
    command = together.estimate(tuple(alone))
    ways = [command]
    if len(alone) > 1:
        ways += [calls.estimate((model,)) for model, calls in alone.items()]
    return CostEstimate(
        command=command, ways=tuple(ways), prices=price_list(settings.prices).source
    )
