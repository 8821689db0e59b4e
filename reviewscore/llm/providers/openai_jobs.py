"""OpenAI's Batch API through its SDK (and servers that speak it)."""

from __future__ import annotations

import json
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

from reviewscore.errors import ModelError, ProviderError
from reviewscore.llm.failures import STRANGE, broken, refused, strange, without_secrets
from reviewscore.llm.job import JobState, Line, Result, Search, Sent
from reviewscore.llm.parameters import Refusals, Refused
from reviewscore.llm.providers.job_lines import keep, read_lines
from reviewscore.llm.providers.openai import (
    OPENAI,
    chat_body,
    completion_of,
    completion_of_response,
    limit_names,
    open_client,
    parameters,
    responses_body,
    wants_responses,
)
from reviewscore.papers.hygiene import without_surrogates
from reviewscore.schema.call import Completion, Request

if TYPE_CHECKING:
    from openai.types import Batch

Found = TypeVar("Found")

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
        self.place = base_url or OPENAI
        self._client = open_client(self.place, timeout=timeout)
        self._files = open_client(self.place, timeout=timeout, results=True)
        self._limits = limit_names(self.place)
        self._refused = Refused(self._limits, place=self.place, refusals=refusals)
        self._responses: set[str] = set()

    def line(self, key: str, request: Request) -> Line:
        """One request of a job."""
        known = self._refused.of(request.model)
        sent = parameters(request, known, limits=self._limits)
        other = request.model in self._responses
        body = responses_body(request, sent) if other else chat_body(request, sent)
        url = RESPONSES if other else CHAT
        line = {"custom_id": key, "method": "POST", "url": url, "body": body}
        text = json.dumps(without_surrogates(line), ensure_ascii=False).encode()
        return Line(text, Sent(request.model, sent, url))

    async def submit(self, lines: Sequence[bytes], *, label: str) -> str:
        """Upload the requests and begin the job; its metadata holds our label."""
        endpoint: Any = json.loads(lines[0])["url"]
        with tempfile.TemporaryFile() as file:
            file.writelines(line + b"\n" for line in lines)
            file.seek(0)
            name = (f"{label}.jsonl", file, "application/jsonl")
            upload = await self._guarded(
                lambda: self._client.files.create(file=name, purpose="batch")
            )
        batch = await self._guarded(
            lambda: self._client.batches.create(
                input_file_id=upload.id,
                endpoint=endpoint,
                completion_window="24h",
                metadata={_LABEL: label},
            )
        )
        return batch.id

    async def find(
        self, label: str, *, keys: frozenset[str], since: float, known: frozenset[str]
    ) -> Search:
        """Look for the job whose metadata holds the label."""
        page = await self._guarded(lambda: self._client.batches.list(limit=100))
        while True:
            for batch in page.data:
                if (batch.metadata or {}).get(_LABEL) == label:
                    return Search(batch.id)
            if not page.has_next_page():
                return Search()
            page = await self._guarded(page.get_next_page)

    async def state(self, job_id: str) -> JobState:
        """How far a job is."""
        batch = await self._guarded(lambda: self._client.batches.retrieve(job_id))
        counts = batch.request_counts
        done = 0 if counts is None else counts.completed + counts.failed
        total = 0 if counts is None else counts.total
        if batch.status == "failed":
            return JobState("failed", done, total, problem=_problem(batch))
        if batch.status in _ENDED:
            return JobState("ended", done, total)
        return JobState("running", done, total)

    async def results(self, job_id: str, sent: Mapping[str, Sent]) -> AsyncIterator[Result]:
        """Replies and failures, from the job's two files."""
        batch = await self._guarded(lambda: self._client.batches.retrieve(job_id))
        for file_id in (batch.output_file_id, batch.error_file_id):
            if file_id is None:
                continue
            with tempfile.TemporaryFile() as file:
                await self._fetched(file_id, file)
                for key, line in read_lines(file):
                    if key in sent:
                        yield (
                            key,
                            self._outcome(line, sent[key], batch.status)
                            if isinstance(line, dict)
                            else line,
                        )

    async def _fetched(self, file_id: str, file: BinaryIO) -> None:
        async def fetch() -> None:
            async with self._files.files.with_streaming_response.content(file_id) as content:
                await keep(content.iter_bytes(), file)

        await self._guarded(fetch)

    def _outcome(self, line: dict[str, Any], sent: Sent, status: str) -> Completion | ModelError:
        try:
            answer, error = line["response"], line.get("error")
            if error is not None and answer is None:
                return _not_run(error, status)
            if answer["status_code"] < _BAD_REQUEST:
                return _completion(answer["body"], sent)
            return self._refusal(int(answer["status_code"]), answer.get("body") or {}, sent)
        except ProviderError as problem:
            return problem
        except STRANGE as problem:
            told = without_secrets(f"the batch job holds a strange reply ({problem!r})")
            return ProviderError(told, retryable=False)

    def _refusal(self, status: int, body: dict[str, Any], sent: Sent) -> ModelError:
        """A single request was refused; what is learned from it makes it worth another try."""
        problem = body.get("error") or {}
        message = str(problem.get("message", body) if isinstance(problem, dict) else problem)
        learned = False
        if wants_responses(status, message) and sent.door == CHAT:
            self._responses.add(sent.model)
            learned = True
        else:
            learned = self._refused.learn(sent.model, message, sent.parameters, status=status)
        again = learned or status == _TOO_OFTEN or status >= _SERVER_ERROR
        told = without_secrets(f"status {status}: {message}")
        if status == _TOO_OFTEN:  # the next job finds the server in another hour: no storm of ours
            status = _SERVER_ERROR
        return ProviderError(told, retryable=again, status=status)

    async def _guarded(self, ask: Callable[[], Awaitable[Found]]) -> Found:
        """One call to the server, its errors as ours."""
        import openai

        try:
            return await ask()
        except openai.APIStatusError as error:
            raise refused(error) from error
        except openai.APIConnectionError as error:
            raise broken(self.place, error) from error
        except (openai.OpenAIError, *STRANGE) as error:
            raise strange(self.place, error) from error

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()
        await self._files.close()


def _completion(body: dict[str, Any], sent: Sent) -> Completion:
    """A reply, read as leniently as those to single calls."""
    from openai.types.chat import ChatCompletion
    from openai.types.responses import Response

    if sent.door == RESPONSES:
        return completion_of_response(Response.construct(**body), sent.parameters)
    return completion_of(ChatCompletion.construct(**body), sent.parameters)


def _problem(batch: Batch) -> str:
    problems = (batch.errors.data or []) if batch.errors is not None else []
    told = "; ".join(one.message or one.code or "?" for one in problems)
    return without_secrets(told) or "no reason given"


def _not_run(error: dict[str, Any], status: str) -> ProviderError:
    code, message = str(error.get("code", "")), without_secrets(str(error.get("message", "")))
    if code == "batch_cancelled" or status == "cancelled":
        return ProviderError(
            f"the batch job was cancelled at the provider ({message})", retryable=False
        )
    return ProviderError(f"{code}: {message}", retryable=True, status=_SERVER_ERROR)
