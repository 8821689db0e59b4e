"""Calls to models: messages, requests, replies and token usage, the same for every provider."""

from __future__ import annotations

import hashlib
import json
from typing import Literal

from pydantic import Field

from reviewscore.schema.record import Record


class Message(Record):
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


class Request(Record):
    """Everything that can change a reply.

    Attributes:
        model: ``provider/name``.
        system: Constant instructions.
        prefix: Text that opens the first user message and is byte-identical for many requests
            (the paper), so that providers can cache it; empty if there is none.
        messages: The conversation; the first is the user's.
        schema_name: Name of the reply's record.
        reply_schema: JSON schema of the reply, as JSON text.
        temperature: Sampling temperature; None leaves it out.
        max_tokens: Reply limit in tokens.
    """

    model: str
    system: str
    prefix: str = ""
    messages: tuple[Message, ...]
    schema_name: str
    reply_schema: str
    temperature: float | None = 0.0
    max_tokens: int = Field(default=4096, gt=0)

    def conversation(self) -> tuple[Message, ...]:
        """System message, then the turns, with the prefix put in front of the first."""
        first, *rest = self.messages
        if self.prefix:
            first = Message(role=first.role, content=f"{self.prefix}\n\n{first.content}")
        return (Message(role="system", content=self.system), first, *rest)

    def key(self, *, place: str) -> str:
        """SHA-256 over the request and the server it goes to: equal keys, equal calls."""
        fields = self.model_dump(mode="json")
        text = json.dumps({"place": place, **fields}, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Usage(Record):
    """Tokens of one call; ``input_tokens`` includes those read from a cache.

    Attributes:
        raw: The provider's own usage object as JSON text; conventions differ, so it is kept.
    """

    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    raw: str = ""


class Completion(Record):
    """One reply.

    Attributes:
        finish: ``stop``, or why the reply is not whole: ``length``, ``filter``, ``refusal``.
        parameters: What was really sent beside the messages.
    """

    text: str
    model: str
    reply_id: str | None = None
    finish: Literal["stop", "length", "filter", "refusal"] = "stop"
    usage: Usage = Usage()
    parameters: dict[str, str | int | float | bool | None] = Field(default_factory=dict)


class Call(Record):
    """One paid call, as it is recorded.

    Attributes:
        key: SHA-256 of everything that can change the reply.
        stage: What was asked.
        request: The request; its prefix (the paper) is replaced by `prefix_sha256`.
        attempts: How often it was sent before it succeeded.
        started: UTC time, ISO 8601.
        seconds: From sending (first attempt) to the reply.
    """

    key: str
    stage: str
    request: Request
    prefix_sha256: str
    completion: Completion
    attempts: int
    started: str
    seconds: float
