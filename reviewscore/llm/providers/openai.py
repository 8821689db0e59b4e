"""OpenAI and its Batch API through its SDK, and every server that speaks its protocol."""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import os
import tempfile
import time
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal
from urllib.parse import urlsplit

from reviewscore.addresses import is_near, several
from reviewscore.errors import ModelError, ProviderError
from reviewscore.llm.context_window import ContextWindow, asked, field, openai_window
from reviewscore.llm.http import (
    Names,
    keep,
    open_http,
    refused_inside,
    results_of,
    sdk_errors,
    usage_of,
    without_secrets,
)
from reviewscore.llm.parameters import Negotiation, Refusals, form_of, reasons
from reviewscore.llm.provider import (
    JobApi,
    JobLine,
    JobSearch,
    JobState,
    Provider,
    ProviderOptions,
    Result,
    SentRequest,
    check_address,
    check_key,
    model_name,
    provider,
)
from reviewscore.papers.hygiene import without_surrogates
from reviewscore.schema.call import Completion, Parameters, Request
from reviewscore.schema.page_image import PageImage

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai.types import Batch
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


@provider("openai")
class OpenAIProvider(Provider):
    """Chat completions, and the responses endpoint for models that have no other.

    What a model refuses (temperature, a form of structured output, the name of the reply limit)
    is learned from its first refusal, whatever the status, and left out from then on; what was
    really sent is in the completion.

    Args:
        base_url: A compatible server's address; None is OpenAI itself.
        timeout: Seconds to wait for one reply.
        refusals: What is known in the run of models that refuse something.
    """

    variables: ClassVar[tuple[str, ...]] = ("OPENAI_*",)
    models: ClassVar[tuple[str, ...]] = ("gpt", "o1", "o3", "o4")
    jobs = True
    addressed = True
    key = "OPENAI_API_KEY"

    def __init__(
        self, *, base_url: str | None, timeout: float, refusals: Refusals | None = None
    ) -> None:
        self.place = base_url or OPENAI
        self._client = open_client(self.place, timeout=timeout, key=self.key)
        self._limits = limit_names(self.place)
        self._negotiation = Negotiation(self._limits, place=self.place, refusals=refusals)
        self._responses: set[str] = set()
        self._windows: dict[str, ContextWindow] = {}
        if urlsplit(self.place).hostname != urlsplit(OPENAI).hostname:
            self.traits = replace(self.traits, counts=True)
        negotiates = refusals is not None and refusals.negotiates
        self._constrains = is_near(self.place) and negotiates

    @classmethod
    def check(cls, model: str, *, base_url: str | None) -> None:
        """There has to be a key, or a compatible server; addresses hold no key."""
        cure = "set it, or name a compatible server with --base-url"
        check_key("OPENAI_API_KEY", needed=not base_url, cure=cure)
        for address in several(base_url):
            check_address(address, "the address of the server")

    @classmethod
    def open(cls, model: str, options: ProviderOptions) -> Provider:
        """One for all models of a server, or of several."""
        return several_servers(
            cls(base_url=address, timeout=options.timeout, refusals=options.refusals)
            for address in several(options.base_url) or (None,)
        )

    @classmethod
    def open_jobs(cls, options: ProviderOptions) -> JobApi:
        """OpenAI's Batch API."""
        return OpenAIJobs(
            base_url=options.base_url, timeout=options.timeout, refusals=options.refusals
        )

    async def complete(self, request: Request) -> Completion:
        """Ask once; asks again at once only to leave out what the model refuses."""

        async def send(sent: Parameters) -> Completion:
            if request.model not in self._responses:
                try:
                    return await self._chat(request, sent)
                except ProviderError as error:
                    if not wants_responses(error):
                        raise
                self._responses.add(request.model)
            return await self._respond(request, sent)

        return await self._negotiation.ask(request.model, partial(self._parameters, request), send)

    async def window(self, model: str) -> ContextWindow:
        """What a server of one's own says; other servers' limits are not asked for."""
        if not self.traits.counts or not is_near(self.place):
            return ContextWindow()
        if model not in self._windows:
            self._windows[model] = await self._window(model_name(model))
        return self._windows[model]

    async def takes_images(self, model: str) -> bool | None:
        """Whether a llama.cpp server has the model's projector; other servers do not say."""
        if not self.traits.counts or not is_near(self.place):
            return None
        vision = field(await asked(self._get, "/props"), "modalities", "vision")
        return vision if isinstance(vision, bool) else None

    async def count_tokens(self, model: str, text: str) -> int | None:
        """Tokens by the server's ``/tokenize``, where it is known to have one."""
        known = self._windows.get(model)
        if known is None or known.tokenizer is None:
            return None
        body = {"model": model_name(model), known.tokenizer: text, "add_special_tokens": False}
        try:
            answer = await self._post(f"{self._root}/tokenize", body)
        except ProviderError:
            return None
        tokens = field(answer, "tokens")
        return len(tokens) if isinstance(tokens, list) else None

    @property
    def _root(self) -> str:
        return self.place.rstrip("/").removesuffix("/v1")

    async def _window(self, name: str) -> ContextWindow:
        return await openai_window(self._get, name)

    async def _get(self, path: str) -> Any:
        """A path from the server's root on, as JSON."""
        import openai

        with sdk_errors(self.place, openai):
            return await self._client.get(f"{self._root}{path}", cast_to=object)

    async def _post(self, address: str, body: Mapping[str, object]) -> Any:
        import openai

        with sdk_errors(self.place, openai):
            return await self._client.post(address, cast_to=object, body=body)

    def _parameters(self, request: Request, refused_names: frozenset[str]) -> Parameters:
        # Servers of one's own hold replies to a schema without making it a part of the prompt.
        if self._constrains and request.structured == "object":
            request = request.model_copy(update={"structured": "schema"})
        return parameters(request, refused_names, limits=self._limits)

    def _body(self, request: Request, sent: Parameters) -> dict[str, Any]:
        return chat_body(request, sent)

    async def _chat(self, request: Request, sent: Parameters) -> Completion:
        import openai
        from openai.types.chat import ChatCompletion

        # `create` would walk through every message to look for files and dates: half of its time.
        body = self._body(request, sent)
        with sdk_errors(self.place, openai):
            answer = await self._client.post("/chat/completions", cast_to=ChatCompletion, body=body)
            return completion_of(answer, sent, model=model_name(request.model))

    async def _respond(self, request: Request, sent: Parameters) -> Completion:
        import openai
        from openai.types.responses import Response

        body = responses_body(request, sent)
        with sdk_errors(self.place, openai):
            answer = await self._client.post("/responses", cast_to=Response, body=body)
            return completion_of_response(answer, sent, model=model_name(request.model))

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


def open_client(
    place: str, *, timeout: float, results: bool = False, key: str = "OPENAI_API_KEY"
) -> AsyncOpenAI:
    """The SDK's client without retries of its own, on its quickest transport.

    Args:
        place: The server's address.
        timeout: Seconds to wait for one reply.
        results: Whether it fetches files of many replies, which it streams.
        key: Environment variable that holds the server's key, if it wants one.
    """
    import openai

    # Own servers often need no key, but the SDK insists on one. The aiohttp transport takes a
    # fraction of the CPU of the default one where many calls are under way. Redirects are not
    # followed: papers and reviews go to the configured host and nowhere else.
    return openai.AsyncOpenAI(
        api_key=os.environ.get(key) or "none",
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
        sent["prompt_cache_key"] = request.shared_key[:32]
    sent = {name: value for name, value in sent.items() if name not in refused_names}
    form = form_of(request.structured, refused_names)
    if form is not None:
        sent["response_format"] = form
    return sent


def chat_body(request: Request, sent: Parameters) -> dict[str, Any]:
    """The body of a chat completion."""
    body: dict[str, Any] = {name: one for name, one in sent.items() if name != "response_format"}
    body["model"] = model_name(request.model)
    body["messages"] = turns = [message.model_dump() for message in request.conversation()]
    if request.pages:
        turns[1]["content"] = [
            _text("text", request.prefix),
            *(_chat_image(page) for page in request.pages),
            _text("text", _after_pages(request)),
        ]
    if "response_format" in sent:
        form = body["response_format"] = _reply_form(request, str(sent["response_format"]))
        if form["type"] == "json_schema":
            body["response_format"] = {"type": form.pop("type"), "json_schema": form}
    return body


def _text(kind: str, text: str) -> dict[str, Any]:
    return {"type": kind, "text": text}


def _chat_image(page: PageImage) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": page.data_uri, "detail": "high"}}


def _after_pages(request: Request) -> str:
    """What follows the pages in the first user turn."""
    return "\n\n".join(request.opening()[1:])


def _reply_form(request: Request, form: str) -> dict[str, Any]:
    """How the form of a reply is asked for, one of `parameters.FORMS`."""
    if form == "json_object":
        return {"type": "json_object"}
    schema = json.loads(request.reply_schema)
    if form == "json_object+schema":
        return {"type": "json_object", "schema": schema}
    return {"type": "json_schema", "name": request.schema_name, "strict": True, "schema": schema}


def responses_body(request: Request, sent: Parameters) -> dict[str, Any]:
    """The body of a response; nothing is stored at the provider."""
    system, *turns = request.conversation()
    body: dict[str, Any] = {
        "model": model_name(request.model),
        "instructions": system.content,
        "input": [message.model_dump() for message in turns],
        "store": False,
    }
    if request.pages:
        body["input"][0]["content"] = [
            _text("input_text", request.prefix),
            *(
                {"type": "input_image", "image_url": page.data_uri, "detail": "high"}
                for page in request.pages
            ),
            _text("input_text", _after_pages(request)),
        ]
    for name, value in sent.items():
        if name in LIMIT_NAMES:
            body["max_output_tokens"] = value
        elif name == "reasoning_effort":
            body["reasoning"] = {"effort": value}
        elif name != "response_format":
            body[name] = value
    if "response_format" in sent:
        body["text"] = {"format": _reply_form(request, str(sent["response_format"]))}
    return body


def wants_responses(error: ProviderError) -> bool:
    """Whether an error says that a model is to be had at the responses endpoint only."""
    text = str(error).lower()
    return error.status in (400, 404) and any(words in text for words in _OTHER_DOOR)


def completion_of(
    answer: ChatCompletion, sent: Parameters, *, model: str = "", names: Names = CHAT_USAGE
) -> Completion:
    """A chat completion, as ours.

    Args:
        answer: The chat completion.
        sent: What was sent beside the messages.
        model: The model's name, for servers that do not give it.
        names: Where its counts of tokens are.

    Raises:
        ProviderError, StopError: There is no reply in it.
    """
    if not answer.choices:
        if (error := getattr(answer, "error", None)) is not None:
            raise refused_inside(error)
        raise ProviderError("the answer holds no choices", retryable=True, in_doubt=True)
    choice = answer.choices[0]
    finish, text = _finish_of(choice), choice.message.content or ""
    if refusal := getattr(choice.message, "refusal", None):
        finish, text = "refusal", refusal
    return Completion(
        text=str(without_surrogates(text)),
        model=answer.model or model,
        reply_id=answer.id,
        finish=finish,
        usage=usage_of(getattr(answer, "usage", None), names),
        parameters=sent,
    )


def _finish_of(choice: Any) -> Finish:
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


CHAT, RESPONSES = "/v1/chat/completions", "/v1/responses"
_LABEL = "reviewscore"
_ENDED = ("completed", "expired", "cancelled")
_SERVER_ERROR = 500
_BAD_REQUEST = 400
_TOO_OFTEN = 429


class OpenAIJobs:
    """Jobs of one model each, uploaded as a file of requests; they end within a day.

    Args:
        base_url: A compatible server's address; None is OpenAI itself.
        timeout: Seconds to wait for one answer of the server.
        refusals: What is known in the run of models that refuse something.
    """

    most_requests = 50_000
    most_bytes = 8_000_000  # OpenAI takes 200 MB; less keeps our own memory small
    one_model = True

    def __init__(
        self, *, base_url: str | None, timeout: float, refusals: Refusals | None = None
    ) -> None:
        import openai

        self.place = base_url or OPENAI
        self._errors = partial(sdk_errors, self.place, openai)
        self._client = open_client(self.place, timeout=timeout)
        self._files = open_client(self.place, timeout=timeout, results=True)
        self._limits = limit_names(self.place)
        self._negotiation = Negotiation(self._limits, place=self.place, refusals=refusals)
        self._responses: set[str] = set()

    def line(self, key: str, request: Request) -> JobLine:
        """One request of a job."""
        known = self._negotiation.refused_by(request.model)
        sent = parameters(request, known, limits=self._limits)
        other = request.model in self._responses
        body = responses_body(request, sent) if other else chat_body(request, sent)
        url = RESPONSES if other else CHAT
        line = {"custom_id": key, "method": "POST", "url": url, "body": body}
        text = json.dumps(without_surrogates(line), ensure_ascii=False).encode()
        return JobLine(text, SentRequest(request.model, sent, url))

    async def submit(self, lines: Sequence[bytes], *, label: str) -> str:
        """Upload the requests and begin the job; its metadata holds our label."""
        endpoint: Any = json.loads(lines[0])["url"]
        with tempfile.TemporaryFile() as file:
            file.writelines(line + b"\n" for line in lines)
            file.seek(0)
            name = (f"{label}.jsonl", file, "application/jsonl")
            with self._errors():
                upload = await self._client.files.create(file=name, purpose="batch")
        with self._errors():
            batch = await self._client.batches.create(
                input_file_id=upload.id,
                endpoint=endpoint,
                completion_window="24h",
                metadata={_LABEL: label},
            )
        return batch.id

    async def find(
        self, label: str, *, keys: frozenset[str], since: float, known: frozenset[str]
    ) -> JobSearch:
        """Look for the job whose metadata holds the label."""
        with self._errors():
            page = await self._client.batches.list(limit=100)
        while True:
            for batch in page.data:
                if (batch.metadata or {}).get(_LABEL) == label:
                    return JobSearch(batch.id)
            if not page.has_next_page():
                return JobSearch()
            with self._errors():
                page = await page.get_next_page()

    async def state(self, job_id: str) -> JobState:
        """How far a job is."""
        with self._errors():
            batch = await self._client.batches.retrieve(job_id)
        counts = batch.request_counts
        done = 0 if counts is None else counts.completed + counts.failed
        total = 0 if counts is None else counts.total
        if batch.status == "failed":
            return JobState("failed", done, total, problem=_problem(batch))
        if batch.status in _ENDED:
            return JobState("ended", done, total)
        return JobState("running", done, total)

    async def results(self, job_id: str, sent: Mapping[str, SentRequest]) -> AsyncIterator[Result]:
        """Replies and failures, from the job's two files."""
        with self._errors():
            batch = await self._client.batches.retrieve(job_id)
        for file_id in (batch.output_file_id, batch.error_file_id):
            if file_id is None:
                continue
            with tempfile.TemporaryFile() as file:
                with self._errors():
                    streamed = self._files.files.with_streaming_response.content(file_id)
                    async with streamed as content:
                        await keep(content.iter_bytes(), file)
                read = partial(self._outcome, status=batch.status)
                for result in results_of(file, sent, read, what="the batch job"):
                    yield result

    def _outcome(
        self, line: dict[str, Any], sent: SentRequest, status: str
    ) -> Completion | ModelError:
        answer, error = line["response"], line.get("error")
        if error is not None and answer is None:
            return _not_run(error, status)
        if answer["status_code"] < _BAD_REQUEST:
            return _completion_of_line(answer["body"], sent)
        return self._refusal(int(answer["status_code"]), answer.get("body") or {}, sent)

    def _refusal(self, status: int, body: dict[str, Any], sent: SentRequest) -> ModelError:
        """A single request was refused; what is learned from it makes it worth another try."""
        problem = body.get("error") or {}
        message = str(problem.get("message", body) if isinstance(problem, dict) else problem)
        error = ProviderError(
            without_secrets(f"status {status}: {message}"), retryable=False, status=status
        )
        if wants_responses(error) and sent.door == CHAT:
            self._responses.add(sent.model)
            learned = True
        else:
            learned = self._negotiation.learn(sent.model, error, sent.parameters)
        error.retryable = learned or status == _TOO_OFTEN or status >= _SERVER_ERROR
        if status == _TOO_OFTEN:  # the next job finds the server in another hour: no storm of ours
            error.status = _SERVER_ERROR
        return error

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()
        await self._files.close()


def _completion_of_line(body: dict[str, Any], sent: SentRequest) -> Completion:
    """A reply, read as leniently as those to single calls."""
    from openai.types.chat import ChatCompletion
    from openai.types.responses import Response

    if sent.door == RESPONSES:
        return completion_of_response(Response.construct(**body), sent.parameters)
    return completion_of(ChatCompletion.construct(**body), sent.parameters)


def _problem(batch: Batch) -> str:
    problems = (batch.errors.data or []) if batch.errors is not None else []
    text = "; ".join(problem.message or problem.code or "?" for problem in problems)
    return without_secrets(text) or "no reason given"


def _not_run(error: dict[str, Any], status: str) -> ProviderError:
    code, message = str(error.get("code", "")), without_secrets(str(error.get("message", "")))
    if code == "batch_cancelled" or status == "cancelled":
        return ProviderError(
            f"the batch job was cancelled at the provider ({message})", retryable=False
        )
    return ProviderError(f"{code}: {message}", retryable=True, status=_SERVER_ERROR)


_DOWN = 30.0
"""Seconds for which a server that could not be reached is passed over."""
_CROWDED = 1.25
"""A server that has so many times its share of the calls under way gets no more."""


@dataclass(eq=False)
class _Server:
    provider: Provider
    under_way: int = 0
    down_until: float = 0.0


class ServersProvider(Provider):
    """Gives each call to one of several servers of one's own that serve the same model.

    Calls with the same paper go to the same server, which has it in its cache, unless that one is
    crowded or down (rendezvous hashing with bounded loads).

    Args:
        providers: One for each server. The first one's place stands for all in records, so that
            machines can join or leave a run.
    """

    def __init__(self, providers: tuple[Provider, ...]) -> None:
        self._servers = [_Server(one) for one in providers]
        self.place, self.traits = providers[0].place, providers[0].traits

    async def takes_images(self, model: str) -> bool | None:
        """Whether all servers are known to, or one of them not to."""
        known = [await server.provider.takes_images(model) for server in self._servers]
        return False if False in known else None if None in known else True

    async def window(self, model: str) -> ContextWindow:
        """That of the server that reads least."""
        windows = [await server.provider.window(model) for server in self._servers]
        return min(windows, key=lambda window: window.tokens or math.inf)

    async def count_tokens(self, model: str, text: str) -> int | None:
        """By the first server's tokenizer."""
        return await self._servers[0].provider.count_tokens(model, text)

    async def complete(self, request: Request) -> Completion:
        """Ask one of the servers once.

        Raises:
            ProviderError: As its provider does; a server that was not reached is passed over when
                the call is tried again.
        """
        server = self._choose(request)
        server.under_way += 1
        try:
            return await server.provider.complete(request)
        except ProviderError as error:
            if error.status is None:
                server.down_until = time.monotonic() + _DOWN
            raise
        finally:
            server.under_way -= 1

    def halt(self) -> None:
        """Stop waiting for replies that may take hours."""
        for server in self._servers:
            server.provider.halt()

    async def close(self) -> None:
        """Release connections."""
        await asyncio.gather(*(server.provider.close() for server in self._servers))

    def _choose(self, request: Request) -> _Server:
        now = time.monotonic()
        up = [server for server in self._servers if server.down_until <= now] or self._servers
        most = _CROWDED * (sum(server.under_way for server in up) + 1) / len(up)
        text = request.shared_key if request.prefix else request.prompt_key()
        order = sorted(up, key=lambda server: _rank(text, server.provider.place))
        return next(
            (server for server in order if server.under_way + 1 <= max(1.0, most)), order[0]
        )


def several_servers(providers: Iterable[Provider]) -> Provider:
    """One provider of servers that serve the same model."""
    each = tuple(providers)
    return each[0] if len(each) == 1 else ServersProvider(each)


def _rank(text: str, place: str) -> bytes:
    return hashlib.sha256(f"{text} {place}".encode()).digest()
