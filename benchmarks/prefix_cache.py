"""A simulated provider that caches prefixes and bills them, as the real ones describe it.

Explicit markers, as Anthropic's: what stands before a marker is read from the cache if an earlier
request wrote the same text and has been answered since (cold fan-out finds nothing), at 0.1 of
the input price; else it is written at 1.25. What follows the last marker is billed in full. Texts
under 1,024 tokens are not cached, entries live five minutes (an hour in batch jobs) after their
last use, and an enforced schema is part of the prefix. A token is four characters.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from reviewscore.llm.provider import JobLine, JobSearch, JobState, Result, SentRequest, Traits
from reviewscore.schema.call import Completion, Request, Usage

READ, WRITE, SHORTEST = 0.1, 1.25, 1024
Layout = Literal["ours", "marker after the item", "item before the paper"]
Answer = Callable[[Request], str]


def tokens(text: str) -> float:
    """Tokens of a text."""
    return len(text) / 4


@dataclass
class Meter:
    """The provider's cache and its bill.

    Attributes:
        layout: Where the markers stand.
        kept: Seconds of simulated time that an entry lives after its last use.
        write: Price of writing, in input prices.
        now: Simulated time in seconds.
        sent: Tokens sent.
        billed: Tokens billed, in the price of plain input.
        calls: Calls made.
    """

    layout: Layout = "ours"
    kept: float = 300.0
    write: float = WRITE
    now: float = 0.0
    sent: float = 0.0
    billed: float = 0.0
    calls: int = 0
    _entries: dict[str, float] = field(default_factory=dict)

    def bill(self, request: Request) -> tuple[Usage, list[str]]:
        """Bill one request; returns its usage and the entries it writes once it is answered."""
        system, first, *later = (one.content for one in request.conversation())
        schema = request.reply_schema if request.structured == "schema" else ""
        total = tokens(schema + system + first + "".join(later))
        parts = self._parts(request, schema)
        read = written = behind = 0.0
        entries = []
        text = ""
        for part in parts:
            text += part
            size = tokens(text)
            name = hashlib.sha256(text.encode()).hexdigest()
            if size < SHORTEST:
                continue
            if self._entries.get(name, -1.0) >= self.now:
                read, written = size, 0.0
                self._entries[name] = self.now + self.kept
            else:
                written = size - read
                entries.append(name)
            behind = size
        plain = total - max(read + written, behind)
        self.sent += total
        self.calls += 1
        self.billed += plain + READ * read + self.write * written
        usage = Usage(
            input_tokens=round(total), cached_tokens=round(read), written_tokens=round(written)
        )
        return usage, entries

    def _parts(self, request: Request, schema: str) -> list[str]:
        """Stretches of the prompt that end with a marker."""
        if not request.prefix or self.layout == "item before the paper":
            return []
        if self.layout == "marker after the item":
            return [schema + "".join(one.content for one in request.conversation())]
        return [schema + request.system + request.prefix, request.task]

    def answered(self, entries: list[str]) -> None:
        """A request was answered: what it wrote can be read from now on."""
        for name in entries:
            self._entries[name] = self.now + self.kept


class SimulatedProvider:
    """Single calls; a place in time is a hundredth of a second."""

    place = "simulated"
    traits = Traits()

    def __init__(self, meter: Meter, answer: Answer) -> None:
        self._meter, self._answer = meter, answer

    async def complete(self, request: Request) -> Completion:
        """Bill and answer."""
        usage, entries = self._meter.bill(request)
        await asyncio.sleep(0.002)
        self._meter.now += 0.5
        self._meter.answered(entries)
        return Completion(text=self._answer(request), model="simulated", usage=usage)

    def halt(self) -> None:
        """Nothing takes hours."""

    async def close(self) -> None:
        """Nothing to close."""


class SimulatedJobs:
    """Batch jobs: all requests of a job begin at the same instant and take ten minutes."""

    place = "simulated"
    most_requests, most_bytes, one_model = 50_000, 10**9, False

    def __init__(self, meter: Meter, answer: Answer) -> None:
        self._meter, self._answer = meter, answer
        self._jobs: dict[str, list[str]] = {}
        self._requests: dict[str, Request] = {}

    def line(self, key: str, request: Request) -> JobLine:
        """Only the key travels; the request is remembered."""
        self._requests[key] = request
        return JobLine(json.dumps(key).encode(), SentRequest(request.model))

    async def submit(self, lines: Sequence[bytes], *, label: str) -> str:
        """Begin a job."""
        self._jobs[label] = [json.loads(line) for line in lines]
        return label

    async def find(
        self, label: str, *, keys: frozenset[str], since: float, known: frozenset[str]
    ) -> JobSearch:
        """Jobs are known at once."""
        return JobSearch(label if label in self._jobs else None)

    async def state(self, job_id: str) -> JobState:
        """Ended when it is looked at."""
        count = len(self._jobs[job_id])
        return JobState("ended", count, count)

    async def results(self, job_id: str, sent: Mapping[str, SentRequest]) -> AsyncIterator[Result]:
        """Bill all requests, then let what they wrote be read."""
        billed = [(key, *self._meter.bill(self._requests[key])) for key in self._jobs[job_id]]
        self._meter.now += 600.0
        for key, usage, entries in billed:
            self._meter.answered(entries)
            text = self._answer(self._requests[key])
            yield key, Completion(text=text, model="simulated", usage=usage, job=job_id)

    async def close(self) -> None:
        """Nothing to close."""
