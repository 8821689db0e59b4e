"""Anthropic's models and Message Batches through its SDK."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

from reviewscore.errors import ModelError, ProviderError
from reviewscore.llm.http import (
    Names,
    keep,
    open_http,
    read_lines,
    results_of,
    sdk_errors,
    usage_of,
    without_secrets,
)
from reviewscore.llm.parameters import OUTPUT, Negotiation, Refusals
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
    from anthropic import AsyncAnthropic
    from anthropic.types import Message
    from anthropic.types.messages import MessageBatch


ANTHROPIC = "https://api.anthropic.com"
_USAGE = Names(
    read="input_tokens",
    output="output_tokens",
    cached="cache_read_input_tokens",
    written="cache_creation_input_tokens",
    apart=True,
)
_TRUNCATED = ("max_tokens", "model_context_window_exceeded")


@provider("anthropic")
class AnthropicProvider(Provider):
    """Messages; what a model refuses is learned from its first refusal and left out.

    Args:
        timeout: Seconds to wait for one reply.
        refusals: What is known in the run of models that refuse something.
    """

    variables = ("ANTHROPIC_*",)
    models = ("claude",)
    jobs = True

    def __init__(self, *, timeout: float, refusals: Refusals | None = None) -> None:
        self.place = address()
        self._client = open_client(self.place, timeout=timeout)
        self._negotiation = Negotiation((), place=self.place, refusals=refusals)

    @classmethod
    def check(cls, model: str, *, base_url: str | None) -> None:
        """There has to be a key, and an address without one."""
        check_key("ANTHROPIC_API_KEY")
        check_address(os.environ.get("ANTHROPIC_BASE_URL"), "ANTHROPIC_BASE_URL")

    @classmethod
    def open(cls, model: str, options: ProviderOptions) -> Provider:
        """One for all models."""
        return cls(timeout=options.timeout, refusals=options.refusals)

    @classmethod
    def open_jobs(cls, options: ProviderOptions) -> JobApi:
        """Message batches."""
        return AnthropicJobs(timeout=options.timeout, refusals=options.refusals)

    async def complete(self, request: Request) -> Completion:
        """Ask once; asks again at once only to leave out what the model refuses."""
        import anthropic

        async def send(sent: Parameters) -> Completion:
            with sdk_errors(self.place, anthropic):
                answer: Message = await self._client.messages.create(
                    **body(request, sent), extra_body=beside(sent)
                )
                return completion_of(answer, sent)

        return await self._negotiation.ask(request.model, partial(parameters, request), send)

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

    The paper, with its pages, and the task each end with a marker; the item, which nobody asks
    again about, and calls without a paper have none.
    """
    blocks: list[dict[str, Any]] = [{"type": "text", "text": part} for part in request.opening()]
    ends = blocks[:-1]
    if request.pages:
        images = [_image(page) for page in request.pages]
        blocks[1:1] = images
        ends[0] = images[-1]
    if "cache_ttl" in sent:
        ttl = {"ttl": "1h"} if sent["cache_ttl"] == "1h" else {}
        for block in ends:
            block["cache_control"] = {"type": "ephemeral", **ttl}
    turns = [{"role": message.role, "content": message.content} for message in request.messages[1:]]
    record: dict[str, Any] = {
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
        record[OUTPUT] = config
    return record


def _image(page: PageImage) -> dict[str, Any]:
    source = {"type": "base64", "media_type": "image/png", "data": page.base64}
    return {"type": "image", "source": source}


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


_SLACK = 600.0
"""Seconds by which the provider's clock may be behind ours."""
_LATEST = 3600.0
"""Seconds after which a batch that was handed over has surely been made, or never will be."""
_AS_IT_IS = {"Accept": "application/binary", "X-Stainless-Raw-Response": "stream"}
"""Headers with which the SDK hands out the body of an answer as a stream."""
_BUSY = ("api_error", "overloaded_error", "rate_limit_error", "timeout_error")


class AnthropicJobs:
    """Message batches; they end within a day. Caches are asked to last an hour.

    Args:
        timeout: Seconds to wait for one answer of the server.
        refusals: What is known in the run of models that refuse something.
    """

    most_requests = 100_000
    most_bytes = 8_000_000  # Anthropic takes 256 MB; less keeps our own memory small
    one_model = False

    def __init__(self, *, timeout: float, refusals: Refusals | None = None) -> None:
        import anthropic

        self.place = address()
        self._errors = partial(sdk_errors, self.place, anthropic)
        self._client = open_client(self.place, timeout=timeout)
        self._files = open_client(self.place, timeout=timeout, results=True)
        self._negotiation = Negotiation((), place=self.place, refusals=refusals)

    def line(self, key: str, request: Request) -> JobLine:
        """One request of a batch."""
        sent = parameters(request, self._negotiation.refused_by(request.model), one_hour=True)
        line = {"custom_id": key, "params": {**body(request, sent), **beside(sent)}}
        text = json.dumps(without_surrogates(line), ensure_ascii=False).encode()
        return JobLine(text, SentRequest(request.model, sent))

    async def submit(self, lines: Sequence[bytes], *, label: str) -> str:
        """Begin a batch; there is no place for our label in it."""
        requests = [json.loads(line) for line in lines]
        with self._errors():
            batch = await self._client.messages.batches.create(requests=requests)
        return batch.id

    async def find(
        self, label: str, *, keys: frozenset[str], since: float, known: frozenset[str]
    ) -> JobSearch:
        """Look for the batch that holds the keys, among those made at that time.

        Batches carry no name of ours: one is known by the keys of its results, which are there
        when it has ended.
        """
        with self._errors():
            page = await self._client.messages.batches.list(limit=100)
        sure = True
        while True:
            for batch in page.data:
                made = batch.created_at.timestamp()
                if made < since - _SLACK:
                    return JobSearch(sure=sure)
                if made > since + _LATEST or batch.id in known or _size(batch) != len(keys):
                    continue
                if batch.processing_status != "ended":
                    sure = False
                elif batch.archived_at is None and await self._holds(batch.id, keys):
                    return JobSearch(batch.id)
            if not page.has_next_page():
                return JobSearch(sure=sure)
            with self._errors():
                page = await page.get_next_page()

    async def _holds(self, job_id: str, keys: frozenset[str]) -> bool:
        with tempfile.TemporaryFile() as file:
            await self._fetched(job_id, file)
            return any(key in keys for key, _ in read_lines(file))

    async def _fetched(self, job_id: str, file: BinaryIO) -> None:
        """Keep all results as they came: the SDK's reader stops at a line it cannot read."""
        path = f"/v1/messages/batches/{job_id}/results"
        with self._errors():
            answer: Any = await self._files.get(path, cast_to=bytes, options={"headers": _AS_IT_IS})
            try:
                await keep(answer.iter_bytes(), file)
            finally:
                await answer.close()

    async def state(self, job_id: str) -> JobState:
        """How far a batch is."""
        with self._errors():
            batch = await self._client.messages.batches.retrieve(job_id)
        done = _size(batch) - batch.request_counts.processing
        status = batch.processing_status
        return JobState("ended" if status == "ended" else "running", done, _size(batch))

    async def results(self, job_id: str, sent: Mapping[str, SentRequest]) -> AsyncIterator[Result]:
        """Replies and failures of an ended batch."""
        with tempfile.TemporaryFile() as file:
            await self._fetched(job_id, file)
            for result in results_of(file, sent, self._outcome, what="the batch"):
                yield result

    def _outcome(self, line: dict[str, Any], sent: SentRequest) -> Completion | ModelError:
        from anthropic.types import Message

        result = line["result"]
        match result["type"]:
            case "succeeded":
                message = Message.construct(**result["message"])
                return completion_of(message, sent.parameters)
            case "expired":
                return ProviderError("the batch expired", retryable=True, status=408)
            case "canceled":
                return ProviderError("the batch was cancelled at the provider", retryable=False)
            case _:
                return self._refusal(result["error"]["error"], sent)

    def _refusal(self, problem: dict[str, str], sent: SentRequest) -> ModelError:
        """A single request was refused; what is learned from it makes it worth another try."""
        kind, text = problem["type"], problem["message"]
        message = without_secrets(f"{kind}: {text}")
        if kind in _BUSY:
            return ProviderError(message, retryable=True, status=500)
        error = ProviderError(f"status 400: {text}", retryable=False, status=400)
        learned = self._negotiation.learn(sent.model, error, sent.parameters)
        return ProviderError(message, retryable=learned, status=400)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()
        await self._files.close()


def _size(batch: MessageBatch) -> int:
    counts = batch.request_counts
    ended = counts.succeeded + counts.errored + counts.canceled + counts.expired
    return counts.processing + ended
