"""What a provider's batch jobs must offer: many requests handed over at once, at half the price."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from reviewscore.errors import ModelError
from reviewscore.schema.call import Completion, Parameters, Request


@dataclass(frozen=True)
class Sent:
    """How a request was sent; its reply may come in another session, which has to know.

    Attributes:
        model: The model, as the request names it.
        parameters: What was sent beside the messages.
        door: The endpoint, where a provider has several.
    """

    model: str
    parameters: Parameters = field(default_factory=dict)
    door: str = ""


@dataclass(frozen=True)
class Line:
    """One request of a job.

    Attributes:
        text: JSON in UTF-8, with the key as custom id.
        sent: How it is sent.
    """

    text: bytes
    sent: Sent


@dataclass(frozen=True)
class JobState:
    """How far a job is.

    Attributes:
        status: ``running``; ``ended`` (results can be fetched, some may be failures, also after
            the job expired or was cancelled midway); ``failed`` (the whole job was refused).
        done: Requests that are finished, well or not.
        total: Requests in the job.
        problem: Why the job failed, in the provider's words.
    """

    status: Literal["running", "ended", "failed"]
    done: int = 0
    total: int = 0
    problem: str = ""


@dataclass(frozen=True)
class Search:
    """What a search for a job came to.

    Attributes:
        job: The job's id; None if it was not found.
        sure: Whether it was surely never made if it was not found. If not, a later search
            may know.
    """

    job: str | None = None
    sure: bool = True


Result = tuple[str, Completion | ModelError]
"""The key of a request, and its reply or why there is none."""


class JobApi(Protocol):
    """One provider's batch jobs.

    Attributes:
        place: Where jobs go; equal to the place of the provider's single calls.
        most_requests: Most requests in one job.
        most_bytes: Most bytes of the lines of one job.
        one_model: Whether a job holds requests to one model only.
    """

    place: str
    most_requests: int
    most_bytes: int
    one_model: bool

    def line(self, key: str, request: Request) -> Line:
        """One request of a job."""
        ...

    async def submit(self, lines: Sequence[bytes], *, label: str) -> str:
        """Hand a job over and return its id.

        Args:
            lines: What `line` made.
            label: Our own name of the job, by which `find` finds it where the provider can.

        Raises:
            ProviderError, StopError: As single calls do.
        """
        ...

    async def find(
        self, label: str, *, keys: frozenset[str], since: float, known: frozenset[str]
    ) -> Search:
        """Look for a job that may have been handed over although its id was never recorded.

        Args:
            label: Our own name of the job.
            keys: Keys of all its requests.
            since: Unix time at which it was handed over, if it was.
            known: Ids of jobs that it is not.
        """
        ...

    async def state(self, job_id: str) -> JobState:
        """How far a job is."""
        ...

    def results(self, job_id: str, sent: Mapping[str, Sent]) -> AsyncIterator[Result]:
        """Replies of an ended job; a request without any result is left out.

        A failure that may go well another time (expiry, a server error, a parameter that the
        model refuses and that will now be left out) is a `ProviderError` with `retryable` set.
        A request that was cancelled at the provider is one without it.

        Args:
            job_id: The job.
            sent: Keys of the requests whose results are wanted, and how they were sent.
        """
        ...

    async def close(self) -> None:
        """Release connections."""
        ...
