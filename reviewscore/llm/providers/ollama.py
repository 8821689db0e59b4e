"""Ollama by its own API, on this machine or one of one's own.

Its door for OpenAI's protocol takes no context length and cuts longer prompts in silence. Here
every call asks for as much context as its prompt needs, up to what the model reads, and asks not to
be cut (``truncate`` and ``shift``, which servers before 0.12 do not know). A context that is asked
for anew makes the server load the model again: it only ever grows, in steps.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, ClassVar

from reviewscore.addresses import is_loopback, several
from reviewscore.errors import PromptCutError, ProviderError, SettingsError, StopError
from reviewscore.llm.context_window import (
    OLLAMA,
    TOKENIZER_MARGIN,
    ContextWindow,
    estimated_tokens,
    fewest_tokens,
    field,
    request_text,
    whole_number,
)
from reviewscore.llm.http import STRANGE, Names, sdk_errors, strange, usage_of
from reviewscore.llm.page_tokens import tokens_of_pages
from reviewscore.llm.provider import (
    Provider,
    ProviderOptions,
    Traits,
    check_address,
    check_key,
    model_name,
    provider,
)
from reviewscore.llm.providers.openai import open_client, several_servers
from reviewscore.papers.hygiene import without_surrogates
from reviewscore.schema.call import Completion, Parameters, Request

ADDRESS = "http://127.0.0.1:11434"
_KEY = "OLLAMA_API_KEY"
_USAGE = Names(read="prompt_eval_count", output="eval_count")
_KEPT = "30m"
"""How long the model stays loaded after a call."""
_STEP = 4096
"""Tokens by which a context grows."""
_UNLIMITED = 1 << 20
"""Tokens up to which a context may grow where the server does not say what the model reads."""
_CLOUD = ("-cloud", ":cloud")
"""Ends of names of models that Ollama asks elsewhere."""
_TOO_LONG = "context length"
_NO_MEMORY = "more system memory"
_NOT_THERE = 404
_EFFORTS = ("low", "medium", "high")


def own_address() -> str:
    """The server that OLLAMA_HOST names, if it is on this machine; else Ollama's usual address.

    Raises:
        SettingsError: It names another machine, to which nothing goes without being asked for.
    """
    host = os.environ.get("OLLAMA_HOST", "").strip().rstrip("/")
    if not host:
        return ADDRESS
    address = host if "://" in host else f"http://{host}"
    scheme, _, rest = address.partition("://")
    name, colon, port = rest.rpartition(":")
    if not (colon and port.isdecimal()):
        name, port = rest, "11434"
    name = "127.0.0.1" if name in ("", "0.0.0.0", "[::]") else name
    address = f"{scheme}://{name}:{port}"
    if not is_loopback(address):
        raise SettingsError(
            f"OLLAMA_HOST names another machine ({name}); to send papers and reviews there give "
            f"--base-url {address}"
        )
    return address


@provider("ollama")
class OllamaProvider(Provider):
    """Chats of Ollama's own API: ``ollama/NAME``, with the tag where the model has one.

    A model thinks only where an effort is set.

    Args:
        base_url: The server's address.
        timeout: Seconds to wait for one reply.
        longest: As in `ProviderOptions`.
    """

    traits = Traits(counts=True, free=True, constrains=True)
    variables: ClassVar[tuple[str, ...]] = ("OLLAMA_HOST", _KEY)
    addressed = True

    def __init__(self, *, base_url: str, timeout: float, longest: int = 0) -> None:
        self.place = base_url.rstrip("/").removesuffix("/v1").removesuffix("/api")
        self._client = open_client(self.place, timeout=timeout, key=_KEY)
        self._windows: dict[str, ContextWindow] = {}
        self._images: dict[str, bool | None] = {}
        self._context = _in_steps(longest)

    @classmethod
    def check(cls, model: str, *, base_url: str | None) -> None:
        """The model has to run where the server is; addresses hold no key."""
        if model.endswith(_CLOUD):
            raise SettingsError(
                f"{model} does not run here: Ollama sends it to ollama.com; take a model that runs "
                "on your machine"
            )
        check_key(_KEY, needed=False)
        for address in several(base_url) or (own_address(),):
            check_address(address, "the address of the server")

    @classmethod
    def open(cls, model: str, options: ProviderOptions) -> Provider:
        """One for each model, or several."""
        return several_servers(
            cls(base_url=address, timeout=options.timeout, longest=options.longest)
            for address in several(options.base_url) or (own_address(),)
        )

    async def window(self, model: str) -> ContextWindow:
        """What the model reads by ``/api/show``; the server gives it as much as is asked for.

        Raises:
            StopError: The server has no such model, or asks it elsewhere.
            ProviderError: The server cannot be asked.
        """
        if model not in self._windows:
            self._windows[model] = await self._window(model_name(model))
        return self._windows[model]

    async def _window(self, name: str) -> ContextWindow:
        try:
            shown = await self._post("/api/show", {"model": name})
        except ProviderError as error:
            if error.status == _NOT_THERE:
                raise StopError(
                    f"Ollama at {self.place} has no model {name}: ollama pull {name} fetches it, "
                    "reviewscore doctor lists those that are there"
                ) from error
            raise
        if field(shown, "remote_host"):
            raise StopError(
                f"ollama/{name} does not run at {self.place}: Ollama sends it elsewhere "
                f"({field(shown, 'remote_host')}); take a model that runs on your machine"
            )
        known, can = field(shown, "model_info"), field(shown, "capabilities")
        self._images[name] = "vision" in can if isinstance(can, list) else None
        lengths = [
            whole_number(value)
            for key, value in (known.items() if isinstance(known, Mapping) else ())
            if str(key).endswith(".context_length")
        ]
        tokens = next((length for length in lengths if length is not None), None)
        return ContextWindow(tokens, "/api/show of Ollama", OLLAMA)

    async def takes_images(self, model: str) -> bool | None:
        """Whether the model can see, by its ``capabilities`` in ``/api/show``.

        Raises:
            StopError, ProviderError: As `window`.
        """
        await self.window(model)
        return self._images.get(model_name(model))

    async def complete(self, request: Request) -> Completion:
        """Ask once; ask again at once only with a longer context, where the first was too short.

        Raises:
            PromptCutError: The model reads no prompt as long as this.
        """
        window = await self.window(request.model)
        limit = window.tokens or _UNLIMITED
        text = request_text(request)
        if fewest_tokens(text) + request.max_tokens > limit:
            raise self._too_long(request, window)
        needed = estimated_tokens(text) * TOKENIZER_MARGIN + request.max_tokens
        needed += tokens_of_pages(request.model, [page.size for page in request.pages])
        self._context = min(max(self._context, _in_steps(needed)), limit)
        while True:
            context = self._context
            try:
                completion = await self._chat(request, context)
            except ProviderError as error:
                if _TOO_LONG not in str(error).lower():
                    raise
            else:
                usage = completion.usage
                if usage.input_tokens + usage.output_tokens < context:
                    return completion  # else the prompt was cut, or moved out while it replied
            if context >= limit:
                raise self._too_long(request, window)
            self._context = min(max(self._context, _in_steps(context * 1.5)), limit)

    def _too_long(self, request: Request, window: ContextWindow) -> PromptCutError:
        size = estimated_tokens(request_text(request))
        return PromptCutError(
            f"a prompt of about {size:,} tokens and a reply of {request.max_tokens:,} do not go "
            f"into the {window.tokens or _UNLIMITED:,} that {request.model} reads; {window.cure}"
        )

    async def _chat(self, request: Request, context: int) -> Completion:
        sent: Parameters = {"num_ctx": context, "num_predict": request.max_tokens}
        if request.temperature is not None:
            sent["temperature"] = request.temperature
        body: dict[str, Any] = {
            "model": model_name(request.model),
            "messages": _messages(request),
            "options": dict(sent),
            "stream": False,
            "truncate": False,
            "shift": False,
            "keep_alive": _KEPT,
            "think": _think(request),
        }
        if request.structured == "schema":
            body["format"], sent["format"] = json.loads(request.reply_schema), "schema"
        elif request.structured == "object":
            body["format"] = sent["format"] = "json"
        sent["think"] = body["think"]
        try:
            answer = await self._post("/api/chat", body)
        except ProviderError as error:
            if _NO_MEMORY in str(error).lower():
                raise StopError(
                    f"{self.place}: {error}; take a smaller model, show judges less of papers "
                    "(--paper-parts main), or start Ollama with OLLAMA_FLASH_ATTENTION=1 and "
                    "OLLAMA_KV_CACHE_TYPE=q8_0"
                ) from error
            raise
        try:
            return _completion(answer, sent)
        except STRANGE as error:
            raise strange(self.place, error) from error

    async def _post(self, path: str, body: Mapping[str, object]) -> Any:
        import openai

        with sdk_errors(self.place, openai):
            return await self._client.post(path, cast_to=object, body=body)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


def _messages(request: Request) -> list[dict[str, Any]]:
    turns: list[dict[str, Any]] = [message.model_dump() for message in request.conversation()]
    if request.pages:
        turns[1]["images"] = [page.base64 for page in request.pages]
    return turns


def _in_steps(tokens: float) -> int:
    return int(-(-tokens // _STEP)) * _STEP


def _think(request: Request) -> bool | str:
    """Off without an effort; models that know degrees of it (gpt-oss) get the degree."""
    if request.effort in _EFFORTS and model_name(request.model).startswith("gpt-oss"):
        return str(request.effort)
    return request.effort is not None


def _completion(answer: Any, sent: Parameters) -> Completion:
    if not answer.get("done"):
        raise ProviderError("the answer is not whole", retryable=True, in_doubt=True)
    counts = {name: answer[name] for name in (_USAGE.read, _USAGE.output) if name in answer}
    return Completion(
        text=str(without_surrogates(str(answer["message"].get("content") or ""))),
        model=str(answer.get("model") or ""),
        finish="length" if answer.get("done_reason") == "length" else "stop",
        usage=usage_of(counts, _USAGE),
        parameters=sent,
    )
