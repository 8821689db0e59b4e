"""Anthropic's models through its SDK, with markers at the ends of what it is to cache."""

from __future__ import annotations

import json
import os
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from reviewscore.llm.bodies import open_http
from reviewscore.llm.failures import STRANGE, broken, complaint, refused, strange
from reviewscore.llm.parameters import OUTPUT, Refusals, Refused
from reviewscore.llm.provider import Traits, model_name
from reviewscore.llm.usage import Names, usage_of
from reviewscore.papers.hygiene import without_surrogates
from reviewscore.schema.call import Completion, Parameters, Request

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    from anthropic.types import Message

ANTHROPIC = "https://api.anthropic.com"
_USAGE = Names(
    read="input_tokens",
    output="output_tokens",
    cached="cache_read_input_tokens",
    written="cache_creation_input_tokens",
    apart=True,
)
_TRUNCATED = ("max_tokens", "model_context_window_exceeded")


class AnthropicProvider:
    """Messages; what a model refuses is learned from its first refusal and left out.

    Args:
        timeout: Seconds to wait for one reply.
        refusals: What is known in the run of models that refuse something.
    """

    traits = Traits()

    def __init__(self, *, timeout: float, refusals: Refusals | None = None) -> None:
        self.place = address()
        self._client = open_client(self.place, timeout=timeout)
        self._refused = Refused((), place=self.place, refusals=refusals)

    async def complete(self, request: Request) -> Completion:
        """Ask once; asks again at once only to leave out what the model refuses."""
        import anthropic

        model = request.model
        while True:
            try:
                async with self._refused.turn(model, partial(parameters, request)) as sent:
                    answer: Message = await self._client.messages.create(
                        **body(request, sent), extra_body=beside(sent)
                    )
                    return completion_of(answer, sent)
            except anthropic.APIStatusError as error:
                told, status = complaint(error), error.status_code
                if not self._refused.learn(model, told, sent, status=status):
                    raise refused(error) from error
            except anthropic.APIConnectionError as error:  # time-outs are connection errors too
                raise broken(self.place, error) from error
            except (anthropic.AnthropicError, *STRANGE) as error:
                raise strange(self.place, error) from error

    def halt(self) -> None:
        """Nothing takes hours."""

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


def address() -> str:
    """Where requests go: ANTHROPIC_BASE_URL, or Anthropic itself."""
    return os.environ.get("ANTHROPIC_BASE_URL") or ANTHROPIC


def open_client(place: str, *, timeout: float, results: bool = False) -> AsyncAnthropic:
    """The SDK's client without retries or redirects, on its quickest transport.

    Args:
        place: The server's address.
        timeout: Seconds to wait for one reply.
        results: Whether it fetches files of many replies, which it streams.
    """
    import anthropic

    return anthropic.AsyncAnthropic(
        base_url=place,
        timeout=timeout,
        max_retries=0,
        http_client=open_http(
            anthropic.DefaultAioHttpClient, place, timeout=timeout, results=results
        ),
    )


def parameters(
    request: Request, refused_names: frozenset[str], *, one_hour: bool = False
) -> Parameters:
    """What is sent beside the messages, less what the model is known to refuse.

    Args:
        request: What is asked.
        refused_names: What the model is known to refuse.
        one_hour: Ask for a cache that lasts an hour; it costs more to write.
    """
    sent: Parameters = {"max_tokens": request.max_tokens}
    if request.temperature is not None:
        sent["temperature"] = min(request.temperature, 1.0)
    if request.effort is not None:
        sent["effort"] = request.effort
    if request.structured == "schema" and "json_schema" not in refused_names:
        sent[OUTPUT] = "json_schema"
    if request.prefix:
        sent["cache_ttl"] = "1h" if one_hour else "5m"
    return {name: value for name, value in sent.items() if name not in refused_names}


def body(request: Request, sent: Parameters) -> dict[str, Any]:
    """The body of a message.

    The paper and the task each end with a marker; the item, which nobody asks again about, and
    calls without a paper have none.
    """
    blocks: list[dict[str, Any]] = [{"type": "text", "text": part} for part in request.opening()]
    if "cache_ttl" in sent:
        ttl = {"ttl": "1h"} if sent["cache_ttl"] == "1h" else {}
        for block in blocks[:-1]:
            block["cache_control"] = {"type": "ephemeral", **ttl}
    turns = [{"role": one.role, "content": one.content} for one in request.messages[1:]]
    found: dict[str, Any] = {
        "model": model_name(request.model),
        "max_tokens": request.max_tokens,
        "system": request.system,
        "messages": [{"role": "user", "content": blocks}, *turns],
    }
    config: dict[str, Any] = {}
    if OUTPUT in sent:
        schema = json.loads(request.reply_schema)
        config["format"] = {"type": "json_schema", "schema": schema}
    if "effort" in sent:
        config["effort"] = sent["effort"]
    if config:
        found[OUTPUT] = config
    return found


def beside(sent: Parameters) -> dict[str, Any]:
    """What newer SDKs have no name for, since newer models refuse it."""
    return {"temperature": sent["temperature"]} if "temperature" in sent else {}


def completion_of(answer: Message, sent: Parameters) -> Completion:
    """A message, as our completion; thinking is not part of the reply."""
    finish: Literal["stop", "length", "filter", "refusal"] = "stop"
    if answer.stop_reason in _TRUNCATED:
        finish = "length"
    elif answer.stop_reason == "refusal":
        finish = "refusal"
    text = "".join(block.text for block in answer.content if block.type == "text")
    return Completion(
        text=str(without_surrogates(text)),
        model=answer.model,
        reply_id=answer.id,
        finish=finish,
        usage=usage_of(answer.usage, _USAGE),
        parameters=sent,
    )
