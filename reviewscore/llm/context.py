"""Whether a prompt was read as it was sent: a prompt that was cut is never judged.

Servers of one's own cut prompts that are too long without a word, at their beginning, in the
middle or at their end, and answer as if nothing had happened. What they say they have read is
held against what was sent: a bound that no tokenizer goes below (`fewest_tokens`), or the server's
own tokenizer where it has one. A count may also be low because the server has read
the beginning before and counts the rest alone; then the same prompt with a random word in front,
of which nothing can be in a cache, is sent once, and its count decides. Where a server says
nothing, a random word at the beginning of a prompt as long as this one is asked back.
"""

from __future__ import annotations

import asyncio
import math
import secrets
from collections.abc import Callable
from functools import lru_cache

from reviewscore.errors import PromptCutError, ProviderError, StopError
from reviewscore.llm.context_window import (
    ContextWindow,
    estimated_tokens,
    fewest_tokens,
    request_text,
)
from reviewscore.llm.provider import Provider
from reviewscore.schema.call import Completion, Message, Request, prefix_key

CERTAIN = 1000
"""Tokens that every server reads: shorter prompts are not looked at."""
_WORTH_COUNTING = 8000
"""Characters from which a text is counted by the server's own tokenizer, where it has one."""
ABOUT = 1.1
"""A prompt that is longer by this factor at most is not tried again."""
_BORDERS = 16
"""Tokens that may be missing where texts that were counted alone are joined."""
_MOST_KEPT = 256
_SYLLABLES = ("ba", "do", "ki", "lu", "me", "na", "po", "ri", "su", "ta", "ve", "zo")
_FILLER = "This line only makes the prompt as long as others will be.\n"
_QUESTION = (
    "At the very beginning of this conversation stands a code word, before the paper. Answer with "
    "this code word alone."
)


class ReadingCheck:
    """Holds what servers say they have read against what was sent.

    Args:
        say: Told once of a server that does not say what it has read.
    """

    def __init__(self, say: Callable[[str], None] = lambda _: None) -> None:
        self._say, self._silent, self._counting = say, set[str](), set[str]()
        self._given_back: dict[tuple[str, str], int] = {}
        self._lost: dict[tuple[str, str], int] = {}
        self._asking = asyncio.Lock()
        self._counted: dict[tuple[str, str, str], int] = {}
        self._read: dict[tuple[str, str, str], int] = {}

    async def fewest(self, provider: Provider, request: Request) -> int:
        """Tokens that a request has at the very least."""
        own = await self._own_count(provider, request.model, request.prefix)
        if own is None:
            return least_of(request)
        return max(own - _BORDERS, 0) + fewest_tokens(_without_paper(request))

    async def check(
        self,
        provider: Provider,
        request: Request,
        completion: Completion,
        *,
        reply: int | None = None,
    ) -> None:
        """Refuse a reply to a prompt that was not read as it was sent.

        A server that does not say how much it has read is told of, once, and has to give back the
        word at the beginning of a prompt as long as the longest that it was sent.

        Args:
            provider: Whose server it is.
            request: What was asked.
            completion: The reply.
            reply: Tokens of the longest reply that has to find room; the request's if not given.

        Raises:
            PromptCutError: Less was read than was sent, or nobody knows.
            ProviderError, StopError: The server was asked once more and did not answer.
        """
        if not provider.traits.counts:
            return
        if least_of(request) <= CERTAIN:
            return
        window = await _window(provider, request.model)
        least = await self.fewest(provider, request)
        text = request.shared_key if request.prefix else prefix_key(request_text(request))
        about = (provider.place, request.model, text)
        read = completion.usage.input_tokens
        if read:
            self._counting.add(provider.place)
        filled = read + completion.usage.output_tokens >= (window.tokens or math.inf)
        if filled and completion.finish != "length":
            raise cut(provider, request, window, read, least, reply or request.max_tokens)
        if read >= least or self._read.get(about, 0) >= least:
            return
        if provider.place in self._silent:
            await self._ask_back(provider, request)
            return
        again = (await provider.complete(marked(request)[0])).usage.input_tokens
        if again >= least:  # the rest was in the server's cache
            self._read[about] = least
        elif again or provider.place in self._counting:  # of none: not even the new word was read
            raise cut(provider, request, window, again, least, reply or request.max_tokens)
        else:
            self._silent.add(provider.place)
            self._say(
                f"{provider.place} does not say how many tokens it reads: whether prompts are cut "
                "is not known from its replies, and a word at the beginning of a long prompt is "
                "asked back"
            )
            await self._ask_back(provider, request)

    async def _ask_back(self, provider: Provider, request: Request) -> None:
        """Ask for the word at the beginning of a prompt as long as this; longer ones anew.

        Raises:
            PromptCutError: It did not come back.
            ProviderError, StopError: The server did not answer.
        """
        about, size = (provider.place, request.model), estimated_tokens(request_text(request))
        async with self._asking:  # the prompts that go at once need one answer
            if size <= self._given_back.get(about, 0) * ABOUT:
                return
            if size < self._lost.get(about, size + 1):
                asked, word = probe_request(request, tokens=size)
                if recalls(await provider.complete(asked), word):
                    self._given_back[about] = size
                    return
                self._lost[about] = size
        raise PromptCutError(
            f"{provider.place} does not say how many tokens it reads, and {request.model} did not "
            f"give back the word at the beginning of a prompt of about {size:,} tokens: nobody can "
            "know whether it reads them, and nothing is judged by it; take another server or model"
        )

    async def _own_count(self, provider: Provider, model: str, text: str) -> int | None:
        """Tokens of a text by the server's own tokenizer, each text once."""
        if len(text) < _WORTH_COUNTING:
            return None
        key = (provider.place, model, prefix_key(text))
        if key not in self._counted:
            counted = await provider.count_tokens(model, text)
            if counted is None:
                return None
            if len(self._counted) >= _MOST_KEPT:
                self._counted.clear()
            self._counted[key] = counted
        return self._counted[key]


def was_cut(provider: Provider, request: Request, completion: Completion) -> bool:
    """Whether a recorded reply may be that to a prompt that was cut: it is not used again."""
    read = completion.usage.input_tokens
    if not provider.traits.counts or not read:
        return False
    least = least_of(request)
    return read < least and least > CERTAIN


@lru_cache(maxsize=_MOST_KEPT)
def _of_paper(prefix: str) -> int:
    return fewest_tokens(prefix)


def _without_paper(request: Request) -> str:
    return request_text(request.model_copy(update={"prefix": ""}))


def least_of(request: Request) -> int:
    """Tokens that a request has at the very least, whichever tokenizer counts them."""
    return _of_paper(request.prefix) + fewest_tokens(_without_paper(request))


async def _window(provider: Provider, model: str) -> ContextWindow:
    """What a server says it reads; nothing where it cannot be asked."""
    try:
        return await provider.window(model)
    except (ProviderError, StopError):
        return ContextWindow()


def cut(
    provider: Provider, request: Request, window: ContextWindow, read: int, least: int, reply: int
) -> PromptCutError:
    """The failure of a prompt of which too little was read, with what to do."""
    needed = estimated_tokens(request_text(request)) + reply
    sent = (
        f"of a prompt that has {least:,} at the least: it was cut"
        if read < least
        else f"and was full with them ({window.source}): the prompt may have been cut"
    )
    return PromptCutError(
        f"{provider.place} read {read:,} tokens {sent}, and nothing is judged by it; "
        f"{window.cure_for(needed)}"
    )


def marked(request: Request) -> tuple[Request, str]:
    """A request with a random word in front of everything, answered in a word; and the word."""
    word = "".join(secrets.choice(_SYLLABLES) for _ in range(4)) + str(secrets.randbelow(90) + 10)
    system = f"The code word is {word}.\n\n{request.system}"
    update = {"system": system, "max_tokens": 16, "structured": "text", "effort": None}
    return request.model_copy(update=update), word


def probe_request(like: Request, *, tokens: int) -> tuple[Request, str]:
    """A prompt that asks for the word at its beginning, and the word.

    Args:
        like: A request about the longest paper.
        tokens: How many it is to have, about.
    """
    request, word = marked(like)
    question = (Message(role="user", content=_QUESTION),)
    request = request.model_copy(update={"task": "", "messages": question, "max_tokens": 256})
    missing = max(tokens - estimated_tokens(request_text(request)), 0)
    update = {"task": _FILLER * (missing // estimated_tokens(_FILLER))}
    return request.model_copy(update=update), word


def recalls(completion: Completion, word: str) -> bool:
    """Whether a reply gives a word back."""
    return word in completion.text.lower()
