"""Calls to models: messages, requests, replies and token usage, the same for every provider."""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from typing import Literal

from pydantic import Field

from reviewscore.schema.page_image import PageImage
from reviewscore.schema.record import Record

Structured = Literal["schema", "object", "text"]
"""How a reply's form is asked for: a JSON schema that the provider enforces, any JSON object that
the provider enforces, or words alone."""

Parameters = dict[str, str | int | float | bool | None]


class Message(Record):
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


class Request(Record):
    """Everything that can change a reply.

    What is sent is `system`, then one user turn made of `prefix`, `pages`, `task` and the first
    message, then the other messages. The order goes from what changes least to what changes most,
    so that providers can cache what stands in front.

    Attributes:
        model: ``provider/name``.
        system: Constant instructions.
        prefix: The paper: byte-identical for all requests about it; empty if there is none.
        pages: Its pages as images, which belong to the prefix; empty where text alone is shown.
        task: Instructions of the stage: byte-identical for all its items.
        messages: The conversation; the first is the user's and holds the item.
        schema_name: Name of the reply's record.
        reply_schema: JSON schema of the reply, as JSON text.
        structured: How the form of the reply is asked for.
        temperature: Sampling temperature; None leaves it out.
        effort: How hard a reasoning model is to think; None leaves it out.
        max_tokens: Reply limit in tokens, reasoning included.
        repeat: Number of the repetition, from 0: equal requests that are to be answered again.
    """

    model: str
    system: str
    prefix: str = ""
    pages: tuple[PageImage, ...] = Field(default=(), exclude_if=lambda pages: not pages)
    task: str = ""
    messages: tuple[Message, ...]
    schema_name: str
    reply_schema: str
    structured: Structured = "schema"
    temperature: float | None = 0.0
    effort: str | None = None
    max_tokens: int = Field(default=4096, gt=0)
    repeat: int = Field(default=0, ge=0)

    def opening(self) -> tuple[str, ...]:
        """The parts of the first user turn, those that change least first; none is empty."""
        return tuple(part for part in (self.prefix, self.task, self.messages[0].content) if part)

    def conversation(self) -> tuple[Message, ...]:
        """System message, the first user turn in one piece, then the other turns."""
        first = Message(role="user", content="\n\n".join(self.opening()))
        return (Message(role="system", content=self.system), first, *self.messages[1:])

    @property
    def shared_key(self) -> str:
        """SHA-256 of the prefix with its pages, by which calls are routed to the same cache."""
        if not self.pages:
            return prefix_key(self.prefix)
        return prefix_key(" ".join((prefix_key(self.prefix), *self._sums)))

    @property
    def _sums(self) -> list[str]:
        return [page.sha256 for page in self.pages]

    def key(self, *, place: str) -> str:
        """SHA-256 over the request and the server it goes to: equal keys, equal calls."""
        fields = self.model_dump(mode="json", exclude={"prefix"})
        return _sha256({"place": place, "prefix": prefix_key(self.prefix), **fields})

    def prompt_key(self) -> str:
        """SHA-256 over what a reader gets to see, whoever the reader is."""
        said = {
            "system": self.system,
            "prefix": prefix_key(self.prefix),
            "task": self.task,
            "messages": [message.model_dump() for message in self.messages],
            **({"pages": self._sums} if self.pages else {}),
        }
        return _sha256({**said, "schema": self.reply_schema, "repeat": self.repeat})


def _sha256(fields: dict[str, object]) -> str:
    text = json.dumps(fields, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@lru_cache(maxsize=512)
def prefix_key(text: str) -> str:
    """SHA-256 of a prefix, by which it is stored once and routed to the same cache."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Usage(Record):
    """Tokens of one call, in one convention for all providers.

    Attributes:
        input_tokens: All input, that which was read from or written to a cache included.
        cached_tokens: Input read from the provider's cache.
        written_tokens: Input written to the provider's cache, where it says so.
        output_tokens: The reply, reasoning included.
        raw: The provider's own usage object as JSON text; conventions differ, so it is kept.
    """

    input_tokens: int = Field(default=0, ge=0)
    cached_tokens: int = Field(default=0, ge=0)
    written_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)
    raw: str = ""


class Completion(Record):
    """One reply.

    Attributes:
        finish: ``stop``, or why the reply is not whole: ``length``, ``filter``, ``refusal``.
        parameters: What was really sent beside the messages.
        job: The provider's id of the batch job that it came from, if any.
    """

    text: str
    model: str
    reply_id: str | None = None
    finish: Literal["stop", "length", "filter", "refusal"] = "stop"
    usage: Usage = Usage()
    parameters: Parameters = Field(default_factory=dict)
    job: str | None = None

    @property
    def batch(self) -> bool:
        """Whether it came from a batch job, which is billed at a lower price."""
        return self.job is not None


class Call(Record):
    """One paid call, as it is recorded.

    Attributes:
        key: SHA-256 of everything that can change the reply.
        place: The server it went to.
        stage: What was asked.
        request: The request.
        attempts: How often it was sent before it succeeded.
        started: UTC time, ISO 8601.
        seconds: From sending (first attempt) to the reply.
        usd: Dollars at the list price of the day; None if the price was not known.
    """

    key: str
    place: str
    stage: str
    request: Request
    completion: Completion
    attempts: int
    started: str
    seconds: float
    usd: float | None = None
