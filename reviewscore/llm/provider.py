"""What a provider must offer, and how ``openai/gpt-x`` finds one."""

from __future__ import annotations

import difflib
import os
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from reviewscore.addresses import several, without_credentials
from reviewscore.errors import SettingsError
from reviewscore.llm.parameters import Refusals
from reviewscore.schema.call import Completion, Request

if TYPE_CHECKING:
    from reviewscore.llm.job import JobApi

EXCHANGE = "exchange:"
"""Start of a model's name that is a folder of prompts and replies."""
KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
"""Environment variable of each provider's key."""
PROVIDERS = ("openai", "anthropic", "litellm")

_MAKERS = (("gpt", "openai"), ("o1", "openai"), ("o3", "openai"), ("o4", "openai"),
           ("claude", "anthropic"))  # fmt: skip
"""Beginnings of models' names, and the provider they are written with."""
_WAYS = "lexical, openai/NAME, anthropic/NAME, litellm/PROVIDER/NAME or exchange:FOLDER"


@dataclass(frozen=True)
class Traits:
    """How a provider is to be used.

    Attributes:
        paced: Calls take time at a server: so many at once, slower when it complains.
        warms: The provider caches a shared prefix, so the first call with it goes alone.
        records: The provider is itself the record of its replies: they are not looked up in the
            ledger, and cost nothing to get again.
    """

    paced: bool = True
    warms: bool = True
    records: bool = False


class Provider(Protocol):
    """Sends one request. Providers translate; they never retry, cache, count or parse.

    Attributes:
        place: Where requests go (an address or name); part of the key of a call.
        traits: How it is to be used.
    """

    place: str
    traits: Traits

    async def complete(self, request: Request) -> Completion:
        """Ask once.

        Raises:
            ProviderError: The provider failed; says whether trying again may help.
            StopError: Nothing more can be asked (no access, no money left).
        """
        ...

    def halt(self) -> None:
        """Stop waiting for replies that may take hours; they can be collected later."""
        ...

    async def close(self) -> None:
        """Release connections."""
        ...


def provider_name(model: str) -> str:
    """What a model's name says of its provider: ``openai``, ``exchange``, ..."""
    return "exchange" if model.startswith(EXCHANGE) else model.partition("/")[0]


def model_name(model: str) -> str:
    """The provider's own name of a model: what follows the first ``/``."""
    return model.partition("/")[2]


def check_model(model: str, *, base_url: str | None) -> None:
    """Refuse a model that cannot be asked, before anything is made or paid for.

    Raises:
        SettingsError: No provider will take the name, or its key is missing or cannot be sent, or
            its address holds credentials.
    """
    provider, slash, name = model.partition("/")
    if model.startswith(EXCHANGE):
        if not model.removeprefix(EXCHANGE):
            raise SettingsError("exchange: needs a folder; write exchange:FOLDER")
        return
    if provider not in PROVIDERS or not slash or not name:
        meant = _meant(model)
        lead = f"did you mean '{meant}'? Use" if meant else "use"
        raise SettingsError(f"unknown model '{model}'; {lead} {_WAYS}")
    key = KEYS.get(provider)
    if key is not None and not os.environ.get(key) and not (base_url and provider == "openai"):
        server = ", or name a compatible server with --base-url" if provider == "openai" else ""
        raise SettingsError(f"{key} is not set; set it{server}")
    _check_key(key)
    for address in several(base_url) if provider == "openai" else ():
        _check_address(address, "the address of the server")
    if provider == "anthropic":
        _check_address(os.environ.get("ANTHROPIC_BASE_URL"), "ANTHROPIC_BASE_URL")
    if provider == "litellm" and find_spec("litellm") is None:
        raise SettingsError(
            f"{model} needs a package: pip install '.[litellm]' in a checkout of reviewscore"
        )


def _meant(model: str) -> str | None:
    """The model that an unknown name is likely to stand for."""
    provider, slash, name = model.partition("/")
    maker = next((one for start, one in _MAKERS if model.startswith(start)), None)
    if maker and not slash:
        return f"{maker}/{model}"
    close = difflib.get_close_matches(provider, [*PROVIDERS, "lexical"], n=1)
    if not close or close[0] == model:
        return None
    return close[0] if close[0] == "lexical" else f"{close[0]}/{name or 'NAME'}"


def _check_key(name: str | None) -> None:
    key = os.environ.get(name or "", "")
    if not all("!" <= sign <= "~" for sign in key):
        raise SettingsError(
            f"{name} holds a space, a line break or a sign that no key has; copy it again"
        )


def _check_address(address: str | None, name: str) -> None:
    try:
        _ = urlsplit(address or "").port
    except ValueError as error:
        raise SettingsError(f"{name} is no address ({error}); write http://HOST:PORT/v1") from error
    if address is not None and without_credentials(address) != address:
        raise SettingsError(
            f"{name} holds a name or password, which is not sent; put the key into its own variable"
        )


def open_provider(
    model: str, *, base_url: str | None, timeout: float, refusals: Refusals | None = None
) -> Provider:
    """The provider of a model.

    Args:
        model: ``provider/name`` or ``exchange:FOLDER``.
        base_url: Address of a server that speaks OpenAI's protocol, for ``openai/``, or several
            with commas between; None for the provider's own. Other providers take theirs from
            their SDK's own variables.
        timeout: Seconds to wait for one reply.
        refusals: What is known in the run of models that refuse something.

    Raises:
        SettingsError: No such provider, or its key is missing.
    """
    check_model(model, base_url=base_url)
    match provider_name(model):
        case "anthropic":
            from reviewscore.llm.providers.anthropic import AnthropicProvider

            return AnthropicProvider(timeout=timeout, refusals=refusals)
        case "litellm":
            from reviewscore.llm.providers.litellm import LiteLLMProvider

            return LiteLLMProvider(model, timeout=timeout, refusals=refusals)
        case _:
            from reviewscore.llm.providers.openai import OpenAIProvider

            found = tuple(
                OpenAIProvider(base_url=one, timeout=timeout, refusals=refusals)
                for one in several(base_url) or (None,)
            )
            if len(found) == 1:
                return found[0]
            from reviewscore.llm.providers.servers import ServersProvider

            return ServersProvider(found)


def open_jobs(
    model: str, *, base_url: str | None, timeout: float, refusals: Refusals | None = None
) -> JobApi:
    """The batch jobs of a model's provider; see `open_provider`.

    Raises:
        SettingsError: There are none, or the provider's key is missing.
    """
    check_model(model, base_url=base_url)
    if len(several(base_url)) > 1:
        raise SettingsError("batch jobs go to one server; give one --base-url")
    match provider_name(model):
        case "anthropic":
            from reviewscore.llm.providers.anthropic_jobs import AnthropicJobs

            return AnthropicJobs(timeout=timeout, refusals=refusals)
        case "openai":
            from reviewscore.llm.providers.openai_jobs import OpenAIJobs

            return OpenAIJobs(base_url=base_url, timeout=timeout, refusals=refusals)
        case _:
            raise SettingsError(f"{model}: batch jobs are there for openai/ and anthropic/ only")
