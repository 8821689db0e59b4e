"""Every other model through LiteLLM, which is imported only here and kept off the network."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any

from reviewscore.addresses import without_credentials
from reviewscore.errors import ProviderError
from reviewscore.llm.bodies import open_http
from reviewscore.llm.failures import (
    STRANGE,
    broken,
    complaint,
    ended_by_us,
    no_http,
    refused,
    strange,
)
from reviewscore.llm.parameters import Refusals, Refused, form_of
from reviewscore.llm.provider import Traits, model_name
from reviewscore.llm.providers.openai import CHAT_USAGE, finish_of
from reviewscore.llm.usage import usage_of
from reviewscore.papers.hygiene import without_surrogates
from reviewscore.schema.call import Completion, Parameters, Request

_USAGE = replace(CHAT_USAGE, written="cache_creation_input_tokens")
"""LiteLLM brings every provider's usage to OpenAI's form."""


def quiet_litellm() -> Any:
    """Import LiteLLM without its look-ups, telemetry and advertisements."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # before the import, which fetches else
    os.environ["LITELLM_MODE"] = "PRODUCTION"  # else it reads a .env without a word
    import litellm

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    litellm.drop_params = False  # what is left out is our decision, and recorded
    return litellm


class LiteLLMProvider:
    """Completions of any provider that LiteLLM knows: ``litellm/gemini/gemini-3-pro``, ...

    Args:
        model: ``litellm/`` and LiteLLM's own name.
        timeout: Seconds to wait for one reply.
        refusals: What is known in the run of models that refuse something.
    """

    traits = Traits()

    def __init__(self, model: str, *, timeout: float, refusals: Refusals | None = None) -> None:
        self.place = _place(model)
        self._litellm = quiet_litellm()
        self._session = self._litellm.aclient_session = _session(self.place, timeout)
        self._timeout = timeout
        self._refused = Refused((), place=self.place, refusals=refusals)

    async def complete(self, request: Request) -> Completion:
        """Ask once; asks again at once only to leave out what the model refuses."""
        import aiohttp
        import openai

        model = request.model
        while True:
            try:
                async with self._refused.turn(model, partial(_parameters, request)) as sent:
                    answer = await self._litellm.acompletion(**self._body(request, sent))
                    return _completion(answer, sent, model)
            except openai.APIStatusError as error:  # LiteLLM's errors are of OpenAI's kinds
                if (ended := ended_by_us(error)) is not None:
                    raise ended from error
                told, status = complaint(error), error.status_code
                if not self._refused.learn(model, told, sent, status=status):
                    raise refused(error) from error
            except openai.APIConnectionError as error:
                raise broken(self.place, error) from error
            except aiohttp.ClientError as error:  # of a client of LiteLLM's own
                raise no_http(self.place, error) from error
            except (openai.OpenAIError, *STRANGE) as error:
                raise strange(self.place, error) from error

    def _body(self, request: Request, sent: Parameters) -> dict[str, Any]:
        body: dict[str, Any] = {
            name: value for name, value in sent.items() if name != "response_format"
        }
        if sent.get("response_format") == "json_schema":
            schema = {
                "name": request.schema_name,
                "strict": True,
                "schema": json.loads(request.reply_schema),
            }
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif sent.get("response_format") == "json_object":
            body["response_format"] = {"type": "json_object"}
        return {
            **body,
            "model": model_name(request.model),
            "messages": [message.model_dump() for message in request.conversation()],
            "timeout": self._timeout,
            "num_retries": 0,
            "max_retries": 0,
        }

    def halt(self) -> None:
        """Nothing takes hours."""

    async def close(self) -> None:
        """Close the connections that LiteLLM keeps."""
        await self._litellm.close_litellm_async_clients()
        self._litellm.in_memory_llm_clients_cache.flush_cache()  # they hold our session
        if self._litellm.aclient_session is self._session:
            self._litellm.aclient_session = None
        await self._session.aclose()


def _session(place: str, timeout: float) -> Any:
    """The client through which LiteLLM asks all servers that speak OpenAI's protocol.

    It has no such hook for the others, whose answers are held before they can be counted.
    """
    httpx = import_module("httpx")  # it comes with LiteLLM
    return open_http(httpx.AsyncClient, place, timeout=timeout, follow_redirects=True)


def _place(model: str) -> str:
    """Where LiteLLM sends requests, as far as its variables say: servers share no replies."""
    provider = model_name(model).partition("/")[0].upper()
    names = (f"{provider}_API_BASE", f"{provider}_BASE_URL")
    addresses = (os.environ[name] for name in names if os.environ.get(name))
    return " ".join(["litellm", *(str(without_credentials(one)) for one in addresses)])


def _parameters(request: Request, refused_names: frozenset[str]) -> Parameters:
    sent: Parameters = {"max_tokens": request.max_tokens}
    if request.temperature is not None:
        sent["temperature"] = request.temperature
    if request.effort is not None:
        sent["reasoning_effort"] = request.effort
    sent = {name: value for name, value in sent.items() if name not in refused_names}
    form = form_of(request.structured, refused_names, both=False)
    if form is not None:
        sent["response_format"] = form
    return sent


def _completion(answer: Any, sent: Parameters, model: str) -> Completion:
    if not answer.choices:
        raise ProviderError("the answer holds no choices", retryable=True, in_doubt=True)
    choice = answer.choices[0]
    finish, text = finish_of(choice), choice.message.content or ""
    refusal = getattr(choice.message, "refusal", None)
    if refusal:
        finish, text = "refusal", refusal
    return Completion(
        text=str(without_surrogates(text)),
        model=answer.model or model_name(model),
        reply_id=answer.id,
        finish=finish,
        usage=usage_of(getattr(answer, "usage", None), _USAGE),
        parameters=sent,
    )
