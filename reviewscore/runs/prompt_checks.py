"""Before a run: whether servers of one's own will read its longest prompt whole.

The longest prompt is held against what the server says it reads, and tried: a random word at its
very beginning is asked back, once for each model of a run. Counts of tokens decide. A model that
only fails to give the word back may be a weak one: that is said, and the run goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from reviewscore import prompts
from reviewscore.addresses import is_near
from reviewscore.config import Settings
from reviewscore.errors import ModelError, PromptCutError, ProviderError, SettingsError
from reviewscore.judges.asker import paper_prefix
from reviewscore.judges.excerpts import EXCERPT_CONTEXT, excerpt_room, reply_room
from reviewscore.llm.connect import RunContext, connect, price_of
from reviewscore.llm.context import ABOUT, CERTAIN, ReadingCheck, probe_request, recalls
from reviewscore.llm.context_window import (
    TOKENIZER_MARGIN,
    ContextWindow,
    estimated_tokens,
    refused_length,
)
from reviewscore.llm.ledger.store import CallsInMemory
from reviewscore.llm.provider import Provider
from reviewscore.printable import counted
from reviewscore.runs import manifest
from reviewscore.runs.context import in_words, longer_than, longest_on_excerpts
from reviewscore.runs.estimate import estimate, own_server
from reviewscore.schema.call import Message, Request
from reviewscore.schema.paper import Paper
from reviewscore.sources.collection import Collection
from reviewscore.sources.shown_papers import paper_as_shown

_ROUND = 64
"""Contexts that a message names are multiples of it."""


@dataclass
class _Prompts:
    """The prompts of a run: how long they are about each paper, and what is about the longest.

    Attributes:
        sizes: Estimated tokens of the longest prompt about each paper; on excerpts, which all have
            the same room, about the longest alone.
        paper: The paper with the longest prompt, as judges see it.
    """

    settings: Settings
    sizes: Mapping[str, int]
    paper: Paper

    @classmethod
    def of(cls, collection: Collection, settings: Settings, sizes: Mapping[str, int]) -> _Prompts:
        """The prompts of an audit, by the estimate of their sizes."""
        longest = max(sizes, key=lambda paper: sizes[paper])
        if settings.context == "excerpts":
            paper, size = longest_on_excerpts(collection, settings, longest)
            return cls(settings, {longest: size}, paper)
        parts, paper_as = settings.paper_parts, settings.paper_as
        paper = paper_as_shown(collection, longest, parts, paper_as, draw=False)
        return cls(settings, sizes, paper)

    def about(self, model: str) -> Request:
        """A request about that paper, which asks nothing yet."""
        with prompts.use_directory(self.settings.prompts_dir):
            return Request(
                model=model,
                system=prompts.render("role").text,
                prefix=paper_prefix(self.paper),
                messages=(Message(role="user", content="?"),),
                schema_name="Word",
                reply_schema="{}",
                temperature=self.settings.temperature,
            )


async def check_prompts(
    collection: Collection,
    settings: Settings,
    *,
    known: Mapping[str, manifest.PromptCheck],
    sizes: Mapping[str, int] | None,
    say: Callable[[str], None],
) -> dict[str, manifest.PromptCheck]:
    """Check the longest prompt of a run with each of its models on a server of one's own.

    Args:
        collection: Papers and reviews.
        settings: Name the models.
        known: What earlier sessions of the run have found; a model is tried once.
        sizes: Estimated tokens of the longest prompt about each paper, if that was estimated
            already (`estimate.CostEstimate.prompts`).
        say: Told what the user should know.

    Returns:
        What is known now, by model; nothing for models of other providers.

    Raises:
        SettingsError: A prompt is too long for a model, or was cut.
        StopError: A server has no such model.
    """
    models = [] if settings.embedded or settings.batch else [*settings.models]
    models = [model for model in models if own_server(model, settings)]
    if not models:
        return {}
    if sizes is None:
        sizes = (await estimate(collection, settings)).prompts
    if not sizes:
        return {}
    asked = _Prompts.of(collection, settings, sizes)
    client = await connect(settings, CallsInMemory(), RunContext(say=say))
    checks = {}
    try:
        for model in models:
            check = await _check(client.provider_of(model), model, asked, known.get(model), say)
            if check is not None:
                checks[model] = check
    finally:
        await client.close()
    return checks


async def _check(
    provider: Provider,
    model: str,
    asked: _Prompts,
    before: manifest.PromptCheck | None,
    say: Callable[[str], None],
) -> manifest.PromptCheck | None:
    """One model; None if its server cannot be reached, which its calls will tell of."""
    try:
        window = await provider.window(model)
        request = asked.about(model)
        scale = await _scale(provider, request)
    except ProviderError:
        return None
    if window.slots is not None and asked.settings.max_connections > window.slots:
        say(
            f"{provider.place} works on {counted(window.slots, 'call')} at once; with "
            f"--max-connections {window.slots} no call waits there, where its time runs"
        )
    sizes = {paper: round(size * scale) for paper, size in asked.sizes.items()}
    longest, reply = sizes[asked.paper.paper_id], reply_room(asked.settings, (model,))
    if asked.settings.context == "excerpts":
        _refuse_excerpts(asked.settings, model, window, longest=longest, scale=scale)
    else:
        _refuse_longer(model, window, sizes, reply)
    check = manifest.PromptCheck(longest_prompt=longest, window=window.tokens, source=window.source)
    known = before is not None and before.read is not None
    if before is not None and known and longest <= before.longest_prompt * ABOUT:
        return before.model_copy(update=check.model_dump(include={"window", "source"}))
    price = price_of(asked.settings, model)
    paid = price is not None and price.input > 0
    if longest <= CERTAIN or paid or not is_near(provider.place):
        return check
    size = asked.sizes[asked.paper.paper_id]  # the filler is counted by estimate too
    return await _probed(provider, request, reply, check, say, size=size)


async def _scale(provider: Provider, request: Request) -> float:
    """The server's own tokens to estimated ones; 1 where it has no tokenizer to ask."""
    own = await provider.count_tokens(request.model, request.prefix)
    return own / estimated_tokens(request.prefix) if own else 1.0


def _refuse_longer(model: str, window: ContextWindow, sizes: Mapping[str, int], reply: int) -> None:
    """Refuse papers whose prompts do not fit.

    Raises:
        SettingsError: There are such.
    """
    if window.tokens is None:
        return
    longer = longer_than(window.tokens - reply, sizes)
    if not longer:
        return
    most = max(longer.values())
    raise SettingsError(
        f"{model} reads {window.tokens:,} tokens at once ({window.source}), {reply:,} of them kept "
        f"for the reply; prompts about {len(longer):,} of {counted(len(sizes), 'paper')} are "
        f"longer: {in_words(longer)}. Nothing was asked, since no paper is judged by a part of it. "
        f"To make room: {window.cure_for(most + reply)}; or show judges less of papers "
        "(--paper-parts main), or the passages nearest to each point (--context excerpts); or "
        "choose papers that fit (--paper ID)"
    )


def _refuse_excerpts(
    settings: Settings, model: str, window: ContextWindow, *, longest: int, scale: float
) -> None:
    """Refuse excerpts that are longer than the server reads, with the context that would do.

    Raises:
        SettingsError: They are.
    """
    reply = reply_room(settings, (model,))
    if window.tokens is None or longest + reply <= window.tokens:
        return
    room = (window.tokens - reply) * min(TOKENIZER_MARGIN / scale, 1)
    fits = (reply + int(room)) // _ROUND * _ROUND
    try:
        excerpt_room(settings.model_copy(update={"context_tokens": max(fits, 1)}))
        helps = fits < (settings.context_tokens or EXCERPT_CONTEXT)
    except SettingsError:  # so short a context shows nothing of a paper
        helps = False
    cure = f"give --context-tokens {fits}" if helps else window.cure_for(longest + reply)
    raise SettingsError(
        f"{model} reads {window.tokens:,} tokens at once ({window.source}); the longest prompt "
        f"with excerpts has about {longest:,}, and {reply:,} are kept for the reply. Nothing was "
        f"asked. To make room: {cure}"
    )


def _refused(model: str, window: ContextWindow, longest: int, reply: int) -> SettingsError:
    """The refusal of a run whose longest prompt its server has refused as too long."""
    reads = (
        "its context" if window.tokens is None else f"the {window.tokens:,} tokens that it reads"
    )
    return SettingsError(
        f"{model} refused a prompt as long as the longest (about {longest:,} tokens): longer than "
        f"{reads}; {reply:,} more are kept for the reply. Nothing was asked, since no paper is "
        f"judged by a part of it. To make room: {window.cure_for(longest + reply)}; or show judges "
        "the passages nearest to each point (--context excerpts --context-tokens N)"
    )


async def _probed(
    provider: Provider,
    like: Request,
    reply: int,
    check: manifest.PromptCheck,
    say: Callable[[str], None],
    *,
    size: int,
) -> manifest.PromptCheck:
    """Try a prompt as long as the longest, which has `size` estimated tokens.

    Raises:
        SettingsError: It was cut; or nobody knows, since neither a count nor the word came back.
    """
    model = like.model
    say(
        f"trying a prompt as long as the longest (about {check.longest_prompt:,} tokens) at {model}"
    )
    request, word = probe_request(like, tokens=size)
    try:
        completion = await provider.complete(request)
        read = completion.usage.input_tokens
        if read:
            await ReadingCheck().check(provider, request, completion, reply=reply)
    except PromptCutError as error:
        raise SettingsError(f"{model} was tried with the longest prompt: {error}") from error
    except ModelError as error:
        if (window := refused_length(str(error))) is not None:
            raise _refused(model, window, check.longest_prompt, reply) from error
        say(f"{model} did not answer a prompt that long: {error}")
        return check
    recalled = recalls(completion, word)
    if not recalled and not read:
        raise SettingsError(
            f"{provider.place} does not say how many tokens it reads, and {model} did not give "
            f"back the word at the beginning of a prompt as long as the longest of this run: "
            "nobody can know whether it reads papers whole; take another server or model"
        )
    if not recalled:
        say(
            f"{model} did not give back the word at the beginning of its longest prompt, although "
            f"its server counts {read:,} tokens, which is all of it: the model may be too weak for "
            "papers, or the count is not true; look at its verdicts before you trust them"
        )
    elif not read:
        say(
            f"{provider.place} does not say how many tokens it reads; {model} gave back the word "
            "at the beginning of its longest prompt, which speaks against a cut there alone"
        )
    return check.model_copy(update={"read": read, "recalled": recalled})
