"""llama.cpp's own server (``llama-server``) on this machine or one of one's own."""

from __future__ import annotations

from typing import Any

from reviewscore.addresses import several
from reviewscore.errors import SettingsError
from reviewscore.llm.context_window import ContextWindow, llamacpp_window
from reviewscore.llm.provider import (
    JobApi,
    Provider,
    ProviderOptions,
    Traits,
    check_address,
    check_key,
    provider,
)
from reviewscore.llm.providers.openai import OpenAIProvider, chat_body, parameters, several_servers
from reviewscore.schema.call import Parameters, Request

ADDRESS = "http://127.0.0.1:8080"
_THINKS = "chat_template_kwargs"


@provider("llamacpp")
class LlamaCppProvider(OpenAIProvider):
    """Chat completions of llama.cpp: schemas held by its grammar, prompts kept in its slots.

    A model thinks only where an effort is set. Its key, where it was started with one, is in
    LLAMA_API_KEY.
    """

    traits = Traits(counts=True, free=True, constrains=True)
    variables = ("LLAMA_API_KEY",)
    models = ()
    jobs = False
    key = "LLAMA_API_KEY"

    @classmethod
    def check(cls, model: str, *, base_url: str | None) -> None:
        """Addresses hold no key."""
        check_key(cls.key, needed=False)
        for address in several(base_url):
            check_address(address, "the address of the server")

    @classmethod
    def open(cls, model: str, options: ProviderOptions) -> Provider:
        """One for all models of a server, or of several."""
        addresses = several(options.base_url) or (ADDRESS,)
        return several_servers(
            cls(
                base_url=f"{address.rstrip('/').removesuffix('/v1')}/v1",
                timeout=options.timeout,
                refusals=options.refusals,
            )
            for address in addresses
        )

    @classmethod
    def open_jobs(cls, options: ProviderOptions) -> JobApi:
        """It has none."""
        raise SettingsError("llama.cpp takes no batch jobs")

    async def _window(self, name: str) -> ContextWindow:
        return await llamacpp_window(self._get) or ContextWindow()

    def _parameters(self, request: Request, refused_names: frozenset[str]) -> Parameters:
        sent = parameters(request, refused_names, limits=self._limits)
        for name in ("prompt_cache_key", "reasoning_effort"):
            sent.pop(name, None)
        own: Parameters = {
            "cache_prompt": True,
            _THINKS: "enable_thinking" if request.effort else "no thinking",
        }
        return sent | {name: value for name, value in own.items() if name not in refused_names}

    def _body(self, request: Request, sent: Parameters) -> dict[str, Any]:
        body = chat_body(request, sent)
        if _THINKS in body:
            body[_THINKS] = {"enable_thinking": request.effort is not None}
        return body
