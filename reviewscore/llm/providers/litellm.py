"""Every other model through LiteLLM, which is imported only here and kept off the network."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from reviewscore.addresses import without_credentials
from reviewscore.errors import SettingsError
from reviewscore.llm.http import open_http, past_proxies, sdk_errors
from reviewscore.llm.parameters import Negotiation, Refusals, form_of
from reviewscore.llm.provider import Provider, ProviderOptions, model_name, provider
from reviewscore.llm.providers.openai import CHAT_USAGE, chat_body, completion_of
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


@provider("litellm")
class LiteLLMProvider(Provider):
    """Completions of any provider that LiteLLM knows: ``litellm/gemini/gemini-3-pro``, ...

    Args:
        model: ``litellm/`` and LiteLLM's own name.
        timeout: Seconds to wait for one reply.
        refusals: What is known in the run of models that refuse something.
    """

    form = "{}/PROVIDER/NAME"

    def __init__(self, model: str, *, timeout: float, refusals: Refusals | None = None) -> None:
        self.place = _place(model)
        past_proxies(_addresses(model))
        self._litellm = quiet_litellm()
        self._session = self._litellm.aclient_session = _session(self.place, timeout)
        self._timeout = timeout
        self._negotiation = Negotiation((), place=self.place, refusals=refusals)

    @classmethod
    def check(cls, model: str, *, base_url: str | None) -> None:
        """LiteLLM has to be installed."""
        if find_spec("litellm") is None:
            raise SettingsError(
                f"{model} needs a package: pip install '.[litellm]' in a checkout of reviewscore"
            )

    @classmethod
    def open(cls, model: str, options: ProviderOptions) -> Provider:
        """One for each model."""
        return cls(model, timeout=options.timeout, refusals=options.refusals)

    async def complete(self, request: Request) -> Completion:
        """Ask once; asks again at once only to leave out what the model refuses."""
        import openai

        async def send(sent: Parameters) -> Completion:
            body = chat_body(request, sent)
            options = {"timeout": self._timeout, "num_retries": 0, "max_retries": 0}
            with sdk_errors(self.place, openai):
                answer = await self._litellm.acompletion(**body, **options)
                return completion_of(answer, sent, model=model_name(request.model), names=_USAGE)

        return await self._negotiation.ask(request.model, partial(_parameters, request), send)

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


def _addresses(model: str) -> list[str]:
    """Where LiteLLM sends requests, as far as its variables say."""
    provider = model_name(model).partition("/")[0].upper()
    names = (f"{provider}_API_BASE", f"{provider}_BASE_URL")
    return [os.environ[name] for name in names if os.environ.get(name)]


def _place(model: str) -> str:
    """The addresses without keys: servers share no replies."""
    shown = (str(without_credentials(address)) for address in _addresses(model))
    return " ".join(["litellm", *shown])


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
