"""Log-probabilities of a given continuation from servers that speak OpenAI's completions (vLLM).

A request's parts are its system text and its messages: those of ``system`` are fixed text, those
of ``user`` foreign text, and the last, of ``assistant``, is the continuation whose tokens are
scored. The reply's text is `ScoredTokens` as JSON. The server makes the tokens where it
can (``/tokenize``): each part alone, so that the scored span is as long as the continuation's own
tokens. Where it cannot, the text is sent, and the span is cut where the server says that the
continuation begins.

Facts of vLLM that this rests on: a prompt may be token ids; ``prompt_logprobs`` gives for each
prompt token a map from ids to log-probabilities in which its own id is always found, null for the
first token, and -9999 for minus infinity; at least one token is generated, for which there must be
room; requests for them read nothing from the server's cache of prefixes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from reviewscore.errors import ProviderError, StopError
from reviewscore.llm.http import BAD_REQUEST, STRANGE, sdk_errors, strange, usage_of
from reviewscore.llm.parameters import Negotiation
from reviewscore.llm.provider import Provider, Traits, model_name
from reviewscore.llm.providers.openai import CHAT_USAGE, open_client
from reviewscore.schema.call import Completion, Parameters, Request

_MINUS_INFINITY = -9999.0
"""What vLLM writes for minus infinity, which JSON does not have."""
_ROUNDING = 1e-3
"""Nats above 0 that a server's rounding may give to a certain token."""
_BROKEN = "\ufffd"
"""Stands for the bytes of a token that is a part of a character only."""


class ScoredTokens(BaseModel):
    """What each token of a continuation has, or why there is no number.

    Attributes:
        tokens: Tokens of the continuation.
        logprobs: Natural logarithm of each one's probability; empty if there is a problem.
        problem: Why there is no number; empty if there is one.
    """

    model_config = ConfigDict(frozen=True)

    tokens: int
    logprobs: tuple[float, ...] = ()
    problem: str = ""


def of_prompt(choice: Mapping[str, Any], ids: Sequence[int], span: int) -> ScoredTokens | None:
    """The end of a prompt of token ids, from vLLM's ``prompt_logprobs``.

    Args:
        choice: A choice of the answer.
        ids: The whole prompt.
        span: How many of its last tokens are scored.

    Returns:
        What the tokens have; None if the server gives nothing of the kind.
    """
    value = choice.get("prompt_logprobs")
    if not value:
        return None
    if len(value) != len(ids):
        return _wrong_number(len(value), len(ids), span)
    values = []
    for number, place in zip(ids[-span:], value[-span:], strict=True):
        own = None if place is None else place.get(str(number))
        if place is not None and own is None:
            return ScoredTokens(tokens=span, problem="the server scored another text than was sent")
        values.append(None if own is None else own.get("logprob"))
    return _scored(values)


def echoed(choice: Mapping[str, Any], count: int, span: int) -> ScoredTokens | None:
    """The end of a prompt of token ids, from an answer that repeats the prompt.

    Args:
        choice: A choice of the answer.
        count: Tokens of the whole prompt.
        span: How many of its last tokens are scored.

    Returns:
        What the tokens have; None if the server gives nothing of the kind.
    """
    values = (choice.get("logprobs") or {}).get("token_logprobs")
    if not values:
        return None
    if len(values) not in (count, count + 1):  # one token may have been generated behind them
        return _wrong_number(len(values), count, span)
    return _scored(values[count - span : count])


def cut(choice: Mapping[str, Any], context: str, reference: str) -> ScoredTokens | None:
    """The end of a prompt of text, from an answer that repeats the prompt.

    Servers count the text of a first token of their own or leave it out, so the place where the
    continuation begins is looked for in both ways, and the tokens found have to spell it.

    Args:
        choice: A choice of the answer.
        context: The text before the continuation.
        reference: The continuation.

    Returns:
        What the tokens have; None if the server gives nothing of the kind.
    """
    found = choice.get("logprobs") or {}
    values, offsets = found.get("token_logprobs"), found.get("text_offset")
    words = found.get("tokens")
    if not values or not offsets or not words:
        return None
    if not len(values) == len(offsets) == len(words):
        return ScoredTokens(
            tokens=0, problem="the server gives as many places as it does not tokens"
        )
    own = len(words[0]) if not context.startswith(words[0]) else 0
    for border in {len(context) + own, len(context)}:
        span = [n for n, place in enumerate(offsets) if border <= place < border + len(reference)]
        spelled = "".join(words[n] for n in span)
        exact = span and offsets[span[0]] == border
        if exact and (spelled == reference or _BROKEN in spelled):
            return _scored([values[n] for n in span])
    text = "a token of the server reaches across the beginning of the reference"
    return ScoredTokens(tokens=0, problem=text)


def _scored(values: Sequence[float | None]) -> ScoredTokens:
    for number, value in enumerate(values, 1):
        if value is None or not math.isfinite(value) or value <= _MINUS_INFINITY:
            text = f"token {number} of {len(values)} has no finite log-probability ({value})"
            return ScoredTokens(tokens=len(values), problem=text)
        if value > _ROUNDING:
            text = f"token {number} of {len(values)} has a log-probability above 0 ({value:g})"
            return ScoredTokens(tokens=len(values), problem=text)
    kept = tuple(min(float(value), 0.0) for value in values if value is not None)
    return ScoredTokens(tokens=len(values), logprobs=kept)


def _wrong_number(number: int, sent: int, span: int) -> ScoredTokens:
    text = f"the server gives log-probabilities of {number} tokens where {sent} were sent"
    return ScoredTokens(tokens=span, problem=text)


Door = Literal["tokens", "text"]
_NO_SUCH_DOOR = (400, 404, 405, 422, 501)
_MOST_KEPT = 8192
"""Texts whose tokens are remembered."""


class CompletionsProvider(Provider):
    """Scores continuations; what servers generate behind them is not looked at.

    Args:
        base_url: The server's address, with ``/v1`` where it has it.
        timeout: Seconds to wait for one reply.

    Attributes:
        begins: Whether the tokenizer's own first token is put before a prompt; a chat template
            brings its own.
    """

    traits = Traits(warms=False)

    def __init__(self, *, base_url: str, timeout: float) -> None:
        self.place = base_url
        self.begins = True
        self._root = base_url.rstrip("/").removesuffix("/v1")
        self._client = open_client(base_url, timeout=timeout)
        self._negotiation = Negotiation(())
        self._door: Door | None = None
        self._echoes, self._fewest = False, 0
        self._limit: int | None = None
        self._kept: dict[tuple[str, bool], list[int]] = {}

    async def door(self, model: str) -> Door:
        """Whether the server makes tokens of texts for us.

        Raises:
            ProviderError, StopError: It cannot be asked.
        """
        if self._door is None:
            try:
                known = await self._tokens(model, "a b", whole=False)
            except ProviderError as error:
                if not _closed(error):
                    raise
                known = []
            self._door = "tokens" if known else "text"
        return self._door

    async def template(self, model: str, turns: Sequence[Mapping[str, str]]) -> str | None:
        """A conversation in the server's chat template, up to where the reply begins.

        Args:
            model: ``server/NAME``.
            turns: Roles and contents.

        Returns:
            The text, markers included; None if the server has no template, does not show it, or
            has a tokenizer that does not read back what it shows.
        """
        name = model_name(model)
        body = {"model": name, "messages": list(turns), "add_generation_prompt": True}
        try:
            read = await self._post(f"{self._root}/tokenize", {**body, "add_special_tokens": False})
            ids = read["tokens"]
            text = await self._post(f"{self._root}/detokenize", {"model": name, "tokens": ids})
            shown = str(text["prompt"])
            same = await self._tokens(model, shown, whole=False) == ids
        except ProviderError as error:
            if not _closed(error):
                raise
            return None
        except STRANGE:
            return None
        return shown if same else None

    async def complete(self, request: Request) -> Completion:
        """Score one continuation; asks again at once only to leave out what the server refuses."""
        if await self.door(request.model) == "tokens":
            return await self._by_tokens(request)
        return await self._by_text(request)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _by_tokens(self, request: Request) -> Completion:
        ids = list(await self._tokens(request.model, request.system, whole=self.begins))
        span = 0
        for message in request.messages:
            part = await self._tokens(request.model, message.content, whole=False)
            ids += part
            span = len(part)
        if self._limit is not None and len(ids) >= self._limit:
            text = f"prompt and reference have {len(ids)} tokens, the server reads {self._limit}"
            raise ProviderError(f"{text} with the one it adds", retryable=False)
        while True:
            echoes = self._echoes  # others may learn it in the meantime
            wanted: Parameters = {"max_tokens": 1, "temperature": 0.0}
            wanted |= {"echo": True, "logprobs": 1} if echoes else {"prompt_logprobs": 1}
            answer, sent = await self._asked(request, ids, wanted)
            choice = answer["choices"][0]
            tokens = echoed(choice, len(ids), span) if echoes else of_prompt(choice, ids, span)
            if tokens is not None:
                return _completion(request, answer, sent, tokens)
            if echoes:
                raise self._gives_none()
            self._echoes = True

    async def _by_text(self, request: Request) -> Completion:
        *parts, reference = (message.content for message in request.messages)
        context = "".join((request.system, *parts))
        wanted: Parameters = {"max_tokens": 0, "temperature": 0.0, "echo": True, "logprobs": 1}
        answer, sent = await self._asked(request, context + reference, wanted)
        tokens = cut(answer["choices"][0], context, reference)
        if tokens is None:
            raise self._gives_none()
        return _completion(request, answer, sent, tokens)

    async def _asked(
        self, request: Request, prompt: object, wanted: Parameters
    ) -> tuple[Any, Parameters]:
        """An answer that has a choice, and what was sent for it, less what the server refuses."""
        while True:
            known = self._negotiation.refused_by(request.model)
            sent = {name: value for name, value in wanted.items() if name not in known}
            sent["max_tokens"] = max(int(wanted["max_tokens"] or 0), self._fewest)
            body = {"model": model_name(request.model), "prompt": prompt, **sent}
            try:
                answer = await self._post("/completions", body)
                answer["choices"][0].get("index")
            except ProviderError as error:
                if error.status not in BAD_REQUEST or not self._learns(request.model, error, sent):
                    raise
            except STRANGE as error:
                raise strange(self.place, error) from error
            else:
                return answer, sent

    def _learns(self, model: str, error: ProviderError, sent: Parameters) -> bool:
        """Take note of what a refusal complains of; whether asking again makes sense."""
        if not sent["max_tokens"] and "max_tokens" in str(error):
            self._fewest = 1  # what is generated is cut off again
            return True
        others = {name: value for name, value in sent.items() if name != "max_tokens"}
        return self._negotiation.learn(model, error, others)

    async def _tokens(self, model: str, text: str, *, whole: bool) -> list[int]:
        """The server's tokens of a text, with its first token if it is that of a whole prompt."""
        if not text:
            return []
        if (text, whole) not in self._kept:
            body = {"model": model_name(model), "prompt": text, "add_special_tokens": whole}
            read = await self._post(f"{self._root}/tokenize", body)
            try:
                ids, limit = [int(value) for value in read["tokens"]], read.get("max_model_len")
            except STRANGE as error:
                raise strange(self.place, error) from error
            self._limit = int(limit) if limit else self._limit
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            self._kept[text, whole] = ids
            return ids
        return self._kept[text, whole]

    async def _post(self, path: str, body: Mapping[str, object]) -> Any:
        """A server's answer as JSON.

        Raises:
            ProviderError, StopError: There is none.
        """
        import openai

        with sdk_errors(self.place, openai):
            return await self._client.post(path, cast_to=object, body=dict(body))

    def _gives_none(self) -> StopError:
        return StopError(
            f"{self.place} gives no log-probabilities of a prompt: it has to serve /completions "
            "with prompt_logprobs, or with echo and logprobs (vLLM does; llama.cpp's server, "
            "Ollama and chat endpoints do not)"
        )


def _closed(error: ProviderError) -> bool:
    """Whether a failure says that the server has no such endpoint, or one of another kind."""
    unread = error.status is None and error.in_doubt
    return error.status in _NO_SUCH_DOOR or unread


def _completion(
    request: Request, answer: Any, sent: Parameters, scored: ScoredTokens
) -> Completion:
    """The scores as a reply, with the tokens that the server counted."""
    return Completion(
        text=scored.model_dump_json(),
        model=str(answer.get("model") or model_name(request.model)),
        reply_id=answer.get("id"),
        usage=usage_of(answer.get("usage"), CHAT_USAGE),
        parameters=sent,
    )
