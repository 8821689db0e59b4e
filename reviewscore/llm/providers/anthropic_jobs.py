"""Anthropic's Message Batches through its SDK."""

from __future__ import annotations

import json
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

from reviewscore.errors import ModelError, ProviderError
from reviewscore.llm.failures import STRANGE, broken, refused, strange, without_secrets
from reviewscore.llm.job import JobState, Line, Result, Search, Sent
from reviewscore.llm.parameters import Refusals, Refused
from reviewscore.llm.providers.anthropic import (
    address,
    beside,
    body,
    completion_of,
    open_client,
    parameters,
)
from reviewscore.llm.providers.job_lines import keep, read_lines
from reviewscore.papers.hygiene import without_surrogates
from reviewscore.schema.call import Completion, Request

if TYPE_CHECKING:
    from anthropic.types.messages import MessageBatch

Found = TypeVar("Found")

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
        self.place = address()
        self._client = open_client(self.place, timeout=timeout)
        self._files = open_client(self.place, timeout=timeout, results=True)
        self._refused = Refused((), place=self.place, refusals=refusals)

    def line(self, key: str, request: Request) -> Line:
        """One request of a batch."""
        sent = parameters(request, self._refused.of(request.model), one_hour=True)
        line = {"custom_id": key, "params": {**body(request, sent), **beside(sent)}}
        text = json.dumps(without_surrogates(line), ensure_ascii=False).encode()
        return Line(text, Sent(request.model, sent))

    async def submit(self, lines: Sequence[bytes], *, label: str) -> str:
        """Begin a batch; there is no place for our label in it."""
        requests = [json.loads(line) for line in lines]
        batch = await self._guarded(lambda: self._client.messages.batches.create(requests=requests))
        return batch.id

    async def find(
        self, label: str, *, keys: frozenset[str], since: float, known: frozenset[str]
    ) -> Search:
        """Look for the batch that holds the keys, among those made at that time.

        Batches carry no name of ours: one is known by the keys of its results, which are there
        when it has ended.
        """
        page = await self._guarded(lambda: self._client.messages.batches.list(limit=100))
        sure = True
        while True:
            for batch in page.data:
                made = batch.created_at.timestamp()
                if made < since - _SLACK:
                    return Search(sure=sure)
                if made > since + _LATEST or batch.id in known or _size(batch) != len(keys):
                    continue
                if batch.processing_status != "ended":
                    sure = False
                elif batch.archived_at is None and await self._holds(batch.id, keys):
                    return Search(batch.id)
            if not page.has_next_page():
                return Search(sure=sure)
            page = await self._guarded(page.get_next_page)

    async def _holds(self, job_id: str, keys: frozenset[str]) -> bool:
        with tempfile.TemporaryFile() as file:
            await self._fetched(job_id, file)
            return any(key in keys for key, _ in read_lines(file))

    async def _fetched(self, job_id: str, file: BinaryIO) -> None:
        """Keep all results as they came: the SDK's reader stops at a line it cannot read."""

        async def fetch() -> None:
            path = f"/v1/messages/batches/{job_id}/results"
            answer: Any = await self._files.get(path, cast_to=bytes, options={"headers": _AS_IT_IS})
            try:
                await keep(answer.iter_bytes(), file)
            finally:
                await answer.close()

        await self._guarded(fetch)

    async def state(self, job_id: str) -> JobState:
        """How far a batch is."""
        batch = await self._guarded(lambda: self._client.messages.batches.retrieve(job_id))
        done = _size(batch) - batch.request_counts.processing
        status = batch.processing_status
        return JobState("ended" if status == "ended" else "running", done, _size(batch))

    async def results(self, job_id: str, sent: Mapping[str, Sent]) -> AsyncIterator[Result]:
        """Replies and failures of an ended batch."""
        with tempfile.TemporaryFile() as file:
            await self._fetched(job_id, file)
            for key, line in read_lines(file):
                if key in sent:
                    yield key, self._outcome(line, sent[key]) if isinstance(line, dict) else line

    def _outcome(self, line: dict[str, Any], sent: Sent) -> Completion | ModelError:
        from anthropic.types import Message

        try:
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
        except ProviderError as problem:
            return problem
        except STRANGE as problem:
            told = without_secrets(f"the batch holds a strange reply ({problem!r})")
            return ProviderError(told, retryable=False)

    def _refusal(self, problem: dict[str, str], sent: Sent) -> ModelError:
        """A single request was refused; what is learned from it makes it worth another try."""
        kind, told = problem["type"], problem["message"]
        message = without_secrets(f"{kind}: {told}")
        if kind in _BUSY:
            return ProviderError(message, retryable=True, status=500)
        learned = self._refused.learn(sent.model, told, sent.parameters, status=400)
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
        await self._files.close()


def _size(batch: MessageBatch) -> int:
    counts = batch.request_counts
    ended = counts.succeeded + counts.errored + counts.canceled + counts.expired
    return counts.processing + ended
