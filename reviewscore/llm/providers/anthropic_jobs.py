"""Anthropic's Message Batches through its SDK."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from reviewscore.errors import ModelError, ProviderError
from reviewscore.llm.failures import STRANGE, broken, refused, strange, without_secrets
from reviewscore.llm.job import JobState, Result
from reviewscore.llm.parameters import Refused
from reviewscore.llm.providers.anthropic import (
    address,
    beside,
    body,
    completion_of,
    open_client,
    parameters,
)
from reviewscore.papers.hygiene import without_surrogates
from reviewscore.schema.call import Parameters, Request

if TYPE_CHECKING:
    from anthropic.types.messages import MessageBatch, MessageBatchIndividualResponse

Found = TypeVar("Found")

_SLACK = 600.0
"""Seconds by which the provider's clock may be behind ours."""
_PAGES = 20
_BUSY = ("api_error", "overloaded_error", "rate_limit_error", "timeout_error")


class AnthropicJobs:
    """Message batches; they end within a day. Caches are asked to last an hour.

    Args:
        timeout: Seconds to wait for one answer of the server.
    """

    most_requests = 100_000
    most_bytes = 8_000_000  # Anthropic takes 256 MB; less keeps our own memory small
    one_model = False

    def __init__(self, *, timeout: float) -> None:
        self.place = address()
        self._client = open_client(self.place, timeout=timeout)
        self._refused = Refused(())
        self._sent: dict[str, tuple[str, Parameters]] = {}

    def line(self, key: str, request: Request) -> bytes:
        """One request of a batch as JSON."""
        sent = parameters(request, self._refused.of(request.model), one_hour=True)
        self._sent[key] = (request.model, sent)
        line = {"custom_id": key, "params": {**body(request, sent), **beside(sent)}}
        return json.dumps(without_surrogates(line), ensure_ascii=False).encode()

    async def submit(self, lines: Sequence[bytes], *, label: str) -> str:
        """Begin a batch; there is no place for our label in it."""
        requests = [json.loads(line) for line in lines]
        batch = await self._guarded(lambda: self._client.messages.batches.create(requests=requests))
        return batch.id

    async def find(self, label: str, *, keys: frozenset[str], since: float) -> str | None:
        """The id of the batch that holds the keys, among those made since.

        Batches carry no name of ours. One that has ended is known by the keys of its results; one
        under way only if no other has its number of requests.
        """
        page = await self._guarded(lambda: self._client.messages.batches.list(limit=100))
        running: list[str] = []
        for _ in range(_PAGES):
            for batch in page.data:
                if batch.created_at.timestamp() < since - _SLACK:
                    return _only(running)
                if _size(batch) < len(keys):
                    continue
                if batch.processing_status != "ended":
                    running.append(batch.id)
                elif await self._holds(batch.id, keys):
                    return batch.id
            if not page.has_next_page():
                break
            page = await self._guarded(page.get_next_page)
        return _only(running)

    async def _holds(self, job_id: str, keys: frozenset[str]) -> bool:
        results = await self._guarded(lambda: self._client.messages.batches.results(job_id))
        async for one in results:
            if one.custom_id in keys:
                return True
        return False

    async def state(self, job_id: str) -> JobState:
        """How far a batch is."""
        batch = await self._guarded(lambda: self._client.messages.batches.retrieve(job_id))
        done = _size(batch) - batch.request_counts.processing
        status = batch.processing_status
        return JobState("ended" if status == "ended" else "running", done, _size(batch))

    async def results(self, job_id: str) -> AsyncIterator[Result]:
        """Replies and failures of an ended batch."""
        results = await self._guarded(lambda: self._client.messages.batches.results(job_id))
        async for one in results:
            yield self._result(one)

    def _result(self, line: MessageBatchIndividualResponse) -> Result:
        key, result = line.custom_id, line.result
        model, sent = self._sent.pop(key, ("", {}))
        match result.type:
            case "succeeded":
                found = completion_of(result.message, sent)
                ttl: Parameters = {**found.parameters, "cache_ttl": "1h"}
                return key, found.model_copy(update={"batch": True, "parameters": ttl})
            case "expired":
                return key, ProviderError("the batch expired", retryable=True, status=408)
            case "canceled":
                return key, ProviderError(
                    "the batch was cancelled at the provider", retryable=False
                )
            case _:
                return key, self._refusal(result.error.error, model, sent)

    def _refusal(self, problem: Any, model: str, sent: Parameters) -> ModelError:
        """A single request was refused; what is learned from it makes it worth another try."""
        message = without_secrets(f"{problem.type}: {problem.message}")
        if problem.type in _BUSY:
            return ProviderError(message, retryable=True, status=500)
        learned = self._refused.learn(model, problem.message, sent)
        return ProviderError(message, retryable=learned, status=400)

    async def _guarded(self, ask: Callable[[], Awaitable[Found]]) -> Found:
        """One call to the server, its errors as ours."""
        import anthropic

        try:
            return await ask()
        except anthropic.APIStatusError as error:
            raise refused(error) from error
        except anthropic.APIConnectionError as error:
            raise broken(self.place, error) from error
        except (anthropic.AnthropicError, *STRANGE) as error:
            raise strange(self.place, error) from error

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


def _size(batch: MessageBatch) -> int:
    counts = batch.request_counts
    ended = counts.succeeded + counts.errored + counts.canceled + counts.expired
    return counts.processing + ended


def _only(candidates: list[str]) -> str | None:
    return candidates[0] if len(candidates) == 1 else None
