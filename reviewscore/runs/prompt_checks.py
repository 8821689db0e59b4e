"""Before a run: whether servers of one's own will read its longest prompt whole.

The longest prompt is held against what the server says it reads, and tried: a random word at its
very beginning is asked back, once for each model of a run. Counts of tokens decide. A model that
only fails to give the word back may be a weak one: that is said, and the run goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from reviewscore import prompts
from reviewscore.addresses import is_loopback, is_near
from reviewscore.config import Settings
from reviewscore.errors import ModelError, PromptCutError, ProviderError, SettingsError
from reviewscore.judges.asker import ROOM_TO_THINK
from reviewscore.llm.connect import RunContext, connect, price_of
from reviewscore.llm.context import CERTAIN, ReadingCheck, probe_request, recalls
from reviewscore.llm.context_window import ContextWindow, estimated_tokens
from reviewscore.llm.ledger.store import CallsInMemory
from reviewscore.llm.local_servers import answering_words
from reviewscore.llm.parameters import reasons
from reviewscore.llm.provider import Provider
from reviewscore.papers.parts import shown
from reviewscore.printable import counted
from reviewscore.runs import manifest
from reviewscore.runs.estimate import estimate, own_server
from reviewscore.schema.call import Message, Request
from reviewscore.sources.collection import Collection

_ABOUT = 1.1
"""A prompt that is longer by this factor at most is not tried again."""
_NAMED = 5
"""Papers that a message names."""


@dataclass
class _Prompts:
    """The prompts of a run: how long they are about each paper, and what is about the longest.

    Attributes:
        sizes: Estimated tokens of the longest prompt about each paper.
        reply: Tokens of a reply at its limit.
    """

    collection: Collection
    settings: Settings
    sizes: Mapping[str, int]
    reply: int

    @property
    def paper_id(self) -> str:
        """The paper with the longest prompt."""
        return max(self.sizes, key=lambda paper: self.sizes[paper])

    def about(self, model: str) -> Request:
        """A request about that paper, which asks nothing yet."""
        paper = shown(self.collection.paper(self.paper_id), self.settings.paper_parts)
        with prompts.use_directory(self.settings.prompts_dir):
            return Request(
                model=model,
                system=prompts.render("role").text,
                prefix=prompts.render("paper", title=paper.title, text=paper.read_text).text,
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
    client = await connect(settings, CallsInMemory(), RunContext(say=say))
    checks = {}
    try:
        for model in models:
            thinks = settings.effort is not None or reasons(model)
            reply = settings.longest_reply * (ROOM_TO_THINK if thinks else 1)
            asked = _Prompts(collection, settings, sizes, reply)
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
    except ProviderError as error:
        if here := answering_words() if is_loopback(provider.place) else "":
            say(f"{error}; {here}")
        return None
    if window.slots is not None and asked.settings.max_connections > window.slots:
        say(
            f"{provider.place} works on {counted(window.slots, 'call')} at once; with "
            f"--max-connections {window.slots} no call waits there, where its time runs"
        )
    sizes = {paper: round(size * scale) for paper, size in asked.sizes.items()}
    longest = sizes[asked.paper_id]
    _refuse_longer(model, window, sizes, asked.reply)
    check = manifest.PromptCheck(longest_prompt=longest, window=window.tokens, source=window.source)
    known = before is not None and before.read is not None
    if before is not None and known and longest <= before.longest_prompt * _ABOUT:
        return before.model_copy(update=check.model_dump(include={"window", "source"}))
    price = price_of(asked.settings, model)
    paid = price is not None and price.input > 0
    if longest <= CERTAIN or paid or not is_near(provider.place):
        return check
    return await _probed(provider, request, asked.reply, check, say)


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
    longer = sorted(
        (paper for paper, size in sizes.items() if size + reply > window.tokens),
        key=lambda paper: -sizes[paper],
    )
    if not longer:
        return
    most = sizes[longer[0]]
    named = ", ".join(f"{paper} (about {sizes[paper]:,})" for paper in longer[:_NAMED])
    more = ", .." if len(longer) > _NAMED else ""
    raise SettingsError(
        f"{model} reads {window.tokens:,} tokens at once ({window.source}), {reply:,} of them kept "
        f"for the reply; prompts about {len(longer):,} of {counted(len(sizes), 'paper')} are "
        f"longer: {named}{more}. Nothing was asked, since no paper is judged by a part of it. "
        f"To make room: {window.cure_for(most + reply)}; or show judges less of papers "
        "(--paper-parts main); or choose papers that fit (--paper ID)"
    )


async def _probed(
    provider: Provider,
    like: Request,
    reply: int,
    check: manifest.PromptCheck,
    say: Callable[[str], None],
) -> manifest.PromptCheck:
    """Try a prompt as long as the longest.

    Raises:
        SettingsError: It was cut; or nobody knows, since neither a count nor the word came back.
    """
    model = like.model
    say(
        f"trying a prompt as long as the longest (about {check.longest_prompt:,} tokens) at {model}"
    )
    request, word = probe_request(like, tokens=check.longest_prompt)
    try:
        completion = await provider.complete(request)
        read = completion.usage.input_tokens
        if read:
            await ReadingCheck().check(provider, request, completion, reply=reply)
    except PromptCutError as error:
        raise SettingsError(f"{model} was tried with the longest prompt: {error}") from error
    except ModelError as error:  # its calls are checked one by one
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
