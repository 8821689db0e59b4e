"""OpenAI through its SDK, and every server that speaks its protocol (vLLM, Ollama, OpenRouter)."""

from __future__ import annotations

import json
import os
from functools import partial
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from reviewscore.errors import ProviderError
from reviewscore.llm.bodies import open_http
from reviewscore.llm.failures import (
    STRANGE,
    broken,
    complaint,
    refused,
    refused_inside,
    strange,
    without_secrets,
)
from reviewscore.llm.parameters import Refusals, Refused, form_of, reasons
from reviewscore.llm.provider import Traits, model_name
from reviewscore.llm.usage import Names, usage_of
from reviewscore.papers.hygiene import without_surrogates
from reviewscore.schema.call import Completion, Parameters, Request, prefix_key

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai.types.chat import ChatCompletion
    from openai.types.responses import Response

OPENAI = "https://api.openai.com/v1"
CHAT_USAGE = Names(
    read="prompt_tokens",
    output="completion_tokens",
    cached="prompt_tokens_details.cached_tokens",
    written="prompt_tokens_details.cache_write_tokens",
)
"""What was read from and written to the cache counts as input, here and with us."""
_RESPONSES_USAGE = Names(
    read="input_tokens",
    output="output_tokens",
    cached="input_tokens_details.cached_tokens",
    written="input_tokens_details.cache_write_tokens",
)
LIMIT_NAMES = ("max_completion_tokens", "max_tokens")
_OTHER_DOOR = ("v1/responses", "responses api")
"""Words of an error that sends us to the other endpoint."""

Finish = Literal["stop", "length", "filter", "refusal"]
_FINISH: dict[object, Finish] = {
    **dict.fromkeys(("length", "model_length", "max_tokens"), "length"),
    "content_filter": "filter",
}
_BROKEN_OFF = ("error", "abort")
"""How gateways end a reply that is only a part of one."""


class OpenAIProvider:
    """Chat completions, and the responses endpoint for models that have no other.

    What a model refuses (temperature, a form of structured output, the name of the reply limit)
    is learned from its first refusal, whatever the status, and left out from then on; what was
    really sent is in the completion.

    Args:
        base_url: A compatible server's address; None is OpenAI itself.
        timeout: Seconds to wait for one reply.
        refusals: What is known in the run of models that refuse something.
    """

    traits = Traits()

    def __init__(
        self, *, base_url: str | None, timeout: float, refusals: Refusals | None = None
    ) -> None:
        self.place = base_url or OPENAI
        self._client = open_client(self.place, timeout=timeout)
        self._limits = limit_names(self.place)
        self._refused = Refused(self._limits, place=self.place, refusals=refusals)
        self._responses: set[str] = set()

    async def complete(self, request: Request) -> Completion:
        """Ask once; asks again at once only to leave out what the model refuses."""
        import openai

        model = request.model
        while True:
            try:
                make = partial(parameters, request, limits=self._limits)
                async with self._refused.turn(model, make) as sent:
                    responds = model in self._responses  # others may learn it in the meantime
                    ask = self._respond if responds else self._chat
                    return await ask(request, sent)
            except openai.APIStatusError as error:
                told, status = complaint(error), error.status_code
                if wants_responses(status, told) and not responds:
                    self._responses.add(model)
                elif not self._refused.learn(model, told, sent, status=status):
                    raise refused(error) from error
            except ProviderError as error:  # told in an answer that claims to be well
                if not self._refused.learn(model, str(error), sent, status=error.status or 0):
                    raise
            except openai.APIConnectionError as error:  # time-outs are connection errors too
                raise broken(self.place, error) from error
            except (openai.OpenAIError, *STRANGE) as error:
                raise strange(self.place, error) from error

    async def _chat(self, request: Request, sent: Parameters) -> Completion:
        from openai.types.chat import ChatCompletion

        # `create` would walk through every message to look for files and dates: half of its time.
        body = chat_body(request, sent)
        answer = await self._client.post("/chat/completions", cast_to=ChatCompletion, body=body)
        return completion_of(answer, sent, model=model_name(request.model))

    async def _respond(self, request: Request, sent: Parameters) -> Completion:
        from openai.types.responses import Response

        body = responses_body(request, sent)
        answer = await self._client.post("/responses", cast_to=Response, body=body)
        return completion_of_response(answer, sent, model=model_name(request.model))

    def halt(self) -> None:
        """Nothing takes hours."""

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


def open_client(place: str, *, timeout: float, results: bool = False) -> AsyncOpenAI:
    """The SDK's client without retries of its own, on its quickest transport.

    Args:
        place: The server's address.
        timeout: Seconds to wait for one reply.
        results: Whether it fetches files of many replies, which it streams.
    """
    import openai

    key = os.environ.get("OPENAI_API_KEY")
    # Own servers often need no key, but the SDK insists on one. The aiohttp transport takes a
    # fraction of the CPU of the default one where many calls are under way. Redirects are not
    # followed: papers and reviews go to the configured host and nowhere else.
    return openai.AsyncOpenAI(
        api_key=key or "none",
        base_url=place,
        timeout=timeout,
        max_retries=0,
        http_client=open_http(openai.DefaultAioHttpClient, place, timeout=timeout, results=results),
    )


def limit_names(place: str) -> tuple[str, ...]:
    """Names of the reply limit, the likeliest first: small servers may ignore OpenAI's newer one.

    Args:
        place: The server's address.
    """
    own = f".{urlsplit(place).hostname}".endswith(f".{urlsplit(OPENAI).hostname}")
    return LIMIT_NAMES if own else LIMIT_NAMES[::-1]


def parameters(
    request: Request, refused_names: frozenset[str], *, limits: tuple[str, ...] = LIMIT_NAMES
) -> Parameters:
    """What is sent beside the messages, less what the model is known to refuse.

    Args:
        request: What is asked.
        refused_names: What the model is known to refuse.
        limits: Names of the reply limit, of which the first that is not refused is sent.
    """
    limit = next((name for name in limits if name not in refused_names), None)
    thinks = reasons(model_name(request.model))
    sent: Parameters = {}
    if request.temperature is not None and not thinks:
        sent["temperature"] = request.temperature
    if request.effort is not None:
        sent["reasoning_effort"] = request.effort
    if limit is not None:
        sent[limit] = request.max_tokens
    if request.prefix:
        sent["prompt_cache_key"] = prefix_key(request.prefix)[:32]
    sent = {name: value for name, value in sent.items() if name not in refused_names}
    form = form_of(request.structured, refused_names)
    if form is not None:
        sent["response_format"] = form
    return sent


def chat_body(request: Request, sent: Parameters) -> dict[str, Any]:
    """The body of a chat completion."""
    body: dict[str, Any] = {name: one for name, one in sent.items() if name != "response_format"}
    body["model"] = model_name(request.model)
    body["messages"] = [message.model_dump() for message in request.conversation()]
    match sent.get("response_format"):
        case "json_schema":
            schema = json.loads(request.reply_schema)
            named = {"name": request.schema_name, "strict": True, "schema": schema}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        case "json_object+schema":
            schema = json.loads(request.reply_schema)
            body["response_format"] = {"type": "json_object", "schema": schema}
        case "json_object":
            body["response_format"] = {"type": "json_object"}
    return body


def responses_body(request: Request, sent: Parameters) -> dict[str, Any]:
    """The body of a response; nothing is stored at the provider."""
    system, *turns = request.conversation()
    body: dict[str, Any] = {
        "model": model_name(request.model),
        "instructions": system.content,
        "input": [message.model_dump() for message in turns],
        "store": False,
    }
    for name, value in sent.items():
        if name in LIMIT_NAMES:
            body["max_output_tokens"] = value
        elif name == "reasoning_effort":
            body["reasoning"] = {"effort": value}
        elif name != "response_format":
            body[name] = value
    form = sent.get("response_format")
    if form == "json_schema":
        body["text"] = {
            "format": {
                "type": "json_schema",
                "name": request.schema_name,
                "strict": True,
                "schema": json.loads(request.reply_schema),
            }
        }
    elif form == "json_object+schema":
        schema = json.loads(request.reply_schema)
        body["text"] = {"format": {"type": "json_object", "schema": schema}}
    elif form == "json_object":
        body["text"] = {"format": {"type": "json_object"}}
    return body


def wants_responses(status: int, message: str) -> bool:
    """Whether an error says that a model is to be had at the responses endpoint only."""
    return status in (400, 404) and any(words in message.lower() for words in _OTHER_DOOR)


def completion_of(answer: ChatCompletion, sent: Parameters, *, model: str = "") -> Completion:
    """A chat completion, as ours.

    Args:
        answer: The chat completion.
        sent: What was sent beside the messages.
        model: The model's name, for servers that do not give it.

    Raises:
        ProviderError, StopError: There is no reply in it.
    """
    if not answer.choices:
        if (error := getattr(answer, "error", None)) is not None:
            raise refused_inside(error)
        raise ProviderError("the answer holds no choices", retryable=True, in_doubt=True)
    choice = answer.choices[0]
    finish, text = finish_of(choice), choice.message.content or ""
    if choice.message.refusal:
        finish, text = "refusal", choice.message.refusal
    return Completion(
        text=str(without_surrogates(text)),
        model=answer.model or model,
        reply_id=answer.id,
        finish=finish,
        usage=usage_of(answer.usage, CHAT_USAGE),
        parameters=sent,
    )


def finish_of(choice: Any) -> Finish:
    """How the reply of a choice ended; servers have many names for a reply that is whole.

    Raises:
        ProviderError: It broke off.
    """
    if choice.finish_reason in _BROKEN_OFF:
        problem = without_secrets(str(getattr(choice, "error", None) or choice.finish_reason))
        raise ProviderError(f"the reply broke off ({problem})", retryable=True, in_doubt=True)
    return _FINISH.get(choice.finish_reason, "stop")


def completion_of_response(answer: Response, sent: Parameters, *, model: str = "") -> Completion:
    """A response, as our completion.

    Args:
        answer: The response.
        sent: What was sent beside the messages.
        model: The model's name, for servers that do not give it.

    Raises:
        ProviderError: The response says that it failed.
    """
    finish: Finish = "stop"
    text = answer.output_text
    parts = [part for item in answer.output if item.type == "message" for part in item.content]
    refusals = [part.refusal for part in parts if part.type == "refusal"]
    incomplete = answer.incomplete_details.reason if answer.incomplete_details else None
    if refusals:
        finish, text = "refusal", refusals[0]
    elif incomplete is not None:
        finish = "filter" if incomplete == "content_filter" else "length"
    elif answer.error is not None:
        raise ProviderError(f"the response failed: {answer.error.message}", retryable=True,
                            in_doubt=True)  # fmt: skip
    return Completion(
        text=str(without_surrogates(text)),
        model=answer.model or model,
        reply_id=answer.id,
        finish=finish,
        usage=usage_of(answer.usage, _RESPONSES_USAGE),
        parameters={**sent, "endpoint": "responses"},
    )
