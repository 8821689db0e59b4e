"""OpenAI through its SDK, and every server that speaks its chat-completions protocol."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Literal

from reviewscore.errors import ProviderError, StopError
from reviewscore.llm.provider import model_name
from reviewscore.papers.hygiene import without_surrogates
from reviewscore.schema.call import Completion, Request, Usage

if TYPE_CHECKING:
    from openai import APIStatusError
    from openai.types.chat import ChatCompletion

Sent = dict[str, str | int | float | bool | None]

OPENAI = "https://api.openai.com/v1"
_LIMIT_NAMES = ("max_completion_tokens", "max_tokens")
_REFUSALS = (
    *("unsupported", "not supported", "does not support", "doesn't support", "unknown", "invalid"),
    *("unrecognized", "unexpected", "not permitted", "not allowed", "not available", "extra"),
)
"""Words of a 400 that refuses a parameter rather than its value."""
_OUT_OF_RANGE = ("too large", "too small", "at most", "at least", "maximum", "minimum", "between")
_NO_ACCESS = (401, 403)
_RETRY = (408, 409, 425, 429)


class OpenAIProvider:
    """Chat completions of the OpenAI protocol.

    What a model refuses (temperature, JSON schema, the name of the reply limit) is learned from
    its first 400 answer and left out from then on; what was really sent is in the completion.

    Args:
        base_url: A compatible server's address; None is OpenAI itself.
        timeout: Seconds to wait for one reply.
    """

    def __init__(self, *, base_url: str | None, timeout: float) -> None:
        from openai import AsyncOpenAI

        self.place = base_url or OPENAI
        key = os.environ.get("OPENAI_API_KEY")
        # Own servers often need no key, but the SDK insists on one.
        self._client = AsyncOpenAI(
            api_key=key or "none", base_url=self.place, timeout=timeout, max_retries=0
        )
        self._refused: dict[str, set[str]] = {}

    async def complete(self, request: Request) -> Completion:
        """Ask once; asks again at once only to leave out what the model refuses."""
        import openai

        refused = self._refused.setdefault(request.model, set())
        while True:
            sent = _parameters(request, refused)
            try:
                answer = await self._send(request, sent)
            except openai.BadRequestError as error:
                unwanted = _unwanted(error.message, sent)
                if unwanted is None:
                    raise _provider_error(error) from error
                refused.add(unwanted)
                continue
            except openai.APIStatusError as error:
                raise _provider_error(error) from error
            except openai.APIConnectionError as error:  # time-outs are connection errors too
                raise ProviderError(f"{self.place}: {error}", retryable=True) from error
            except (openai.OpenAIError, json.JSONDecodeError) as error:
                raise ProviderError(f"{self.place}: {error}", retryable=False) from error
            return _completion(answer, sent)

    async def _send(self, request: Request, sent: Sent) -> ChatCompletion:
        fields: dict[str, object] = {
            name: value for name, value in sent.items() if name != "response_format"
        }
        if sent.get("response_format") == "json_schema":
            fields["response_format"] = {
                "type": "json_schema",
                "json_schema": {
                    "name": request.schema_name,
                    "strict": True,
                    "schema": json.loads(request.reply_schema),
                },
            }
        answer: ChatCompletion = await self._client.chat.completions.create(  # type: ignore[call-overload]
            model=model_name(request.model),
            messages=[message.model_dump() for message in request.conversation()],
            **fields,
        )
        return answer

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


def _parameters(request: Request, refused: set[str]) -> Sent:
    limit = next((name for name in _LIMIT_NAMES if name not in refused), None)
    sent: Sent = {}
    if request.temperature is not None and "temperature" not in refused:
        sent["temperature"] = request.temperature
    if limit is not None:
        sent[limit] = request.max_tokens
    if "response_format" not in refused:
        sent["response_format"] = "json_schema"
    return sent


def _unwanted(message: str, sent: Sent) -> str | None:
    """The sent parameter that a 400 complains of, if it is one that can be left out."""
    lowered = message.lower()
    if not any(word in lowered for word in _REFUSALS) or any(
        word in lowered for word in _OUT_OF_RANGE
    ):
        return None  # a value out of range is not mended by leaving the parameter out
    names = sorted(sent, key=len, reverse=True)  # `max_completion_tokens` before `max_tokens`
    for name in names:
        # "use 'max_tokens' instead" names two: the one complained of comes first.
        others = [lowered.find(other) for other in _LIMIT_NAMES if other in lowered]
        if name in lowered and (name not in _LIMIT_NAMES or lowered.find(name) == min(others)):
            return name
    if "response_format" in sent and ("json_schema" in lowered or "guided" in lowered):
        return "response_format"
    return None


def _provider_error(error: APIStatusError) -> ProviderError | StopError:
    status = error.status_code
    if status in _NO_ACCESS:
        return StopError(f"the provider refused access ({status}: {error.message}); check the key")
    if getattr(error, "code", None) == "insufficient_quota":
        return StopError(f"the account has no credit left ({error.message}); run again later")
    header = error.response.headers.get("retry-after")
    try:
        wait = float(header) if header else None
    except ValueError:  # an HTTP date: the ordinary back-off will do
        wait = None
    return ProviderError(
        str(without_surrogates(f"status {status}: {error.message}")),
        retryable=status in _RETRY or status >= 500,  # noqa: PLR2004 - HTTP's server errors
        retry_after=wait,
        status=status,
    )


def _completion(answer: ChatCompletion, sent: Sent) -> Completion:
    if not answer.choices:
        raise ProviderError("the answer holds no choices", retryable=True)
    choice = answer.choices[0]
    finish: Literal["stop", "length", "filter", "refusal"] = "stop"
    text = choice.message.content or ""
    if choice.message.refusal:
        finish, text = "refusal", choice.message.refusal
    elif choice.finish_reason == "length":
        finish = "length"
    elif choice.finish_reason == "content_filter":
        finish = "filter"
    usage = Usage()
    if answer.usage is not None:
        details = answer.usage.prompt_tokens_details
        usage = Usage(
            input_tokens=answer.usage.prompt_tokens,
            cached_tokens=(details.cached_tokens or 0) if details else 0,
            output_tokens=answer.usage.completion_tokens,
            raw=answer.usage.model_dump_json(exclude_none=True),
        )
    return Completion(
        text=str(without_surrogates(text)),
        model=answer.model,
        reply_id=answer.id,
        finish=finish,
        usage=usage,
        parameters=sent,
    )
