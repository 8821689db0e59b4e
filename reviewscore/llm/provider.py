"""What a provider must offer, and how ``openai/gpt-x`` finds one."""

from __future__ import annotations

import difflib
import os
from typing import Protocol

from reviewscore.errors import SettingsError
from reviewscore.schema.call import Completion, Request

PROVIDERS = ("openai",)


class Provider(Protocol):
    """Sends one request. Providers translate; they never retry, cache, count or parse.

    Attributes:
        place: Where requests go (an address or name); part of the key of a call.
    """

    place: str

    async def complete(self, request: Request) -> Completion:
        """Ask once.

        Raises:
            ProviderError: The provider failed; says whether trying again may help.
            StopError: Nothing more can be asked (no access, no money left).
        """
        ...

    async def close(self) -> None:
        """Release connections."""
        ...


def model_name(model: str) -> str:
    """The provider's own name of a model: what follows the first ``/``."""
    return model.partition("/")[2]


def check_model(model: str, *, base_url: str | None) -> None:
    """Refuse a model that cannot be asked, before anything is made or paid for.

    Raises:
        SettingsError: No provider will take the name, or the provider's key is missing.
    """
    provider, slash, name = model.partition("/")
    if provider in PROVIDERS and slash and name:
        if not base_url and not os.environ.get("OPENAI_API_KEY"):
            raise SettingsError(
                "OPENAI_API_KEY is not set; set it, or name a compatible server with --base-url"
            )
        return
    close = difflib.get_close_matches(provider, [*PROVIDERS, "lexical"], n=1)
    hint = f"; did you mean '{close[0]}'?" if close and close[0] != provider else ""
    ways = ", ".join(f"{known}/NAME" for known in PROVIDERS)
    raise SettingsError(f"unknown model '{model}'{hint} Use lexical or {ways}.")


def open_provider(model: str, *, base_url: str | None, timeout: float) -> Provider:
    """The provider of a model.

    Args:
        model: ``provider/name``.
        base_url: Address of a compatible server; None for the provider's own.
        timeout: Seconds to wait for one reply.

    Raises:
        SettingsError: No such provider, or its key is missing.
    """
    check_model(model, base_url=base_url)
    from reviewscore.llm.providers.openai import OpenAIProvider

    return OpenAIProvider(base_url=base_url, timeout=timeout)
