"""A reply turned into a validated record, asking again when it does not fit."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from reviewscore.errors import (
    BadReplyError,
    FilteredError,
    ModelError,
    RefusalError,
    TruncatedError,
)
from reviewscore.llm.client import Client
from reviewscore.schema.call import Completion, Message, Request

T = TypeVar("T", bound=BaseModel)

ASK_AGAIN = 2
"""How often a reply that does not fit is asked for again."""
LONGEST_REPLY = 1_000_000
"""Characters of a reply that is read at all."""
SHOWN_AGAIN = 20_000
"""Characters of an unusable reply that the model is shown again."""
LONGER = 4
"""Factor by which the reply limit may grow when a reply is cut off."""


@dataclass(frozen=True)
class Answer(Generic[T]):
    """A validated reply and the call it came from."""

    value: T
    completion: Completion
    key: str
    request: Request


@lru_cache(maxsize=64)
def reply_schema(output: type[BaseModel]) -> str:
    """JSON schema of a reply, as compact JSON text; equal for equal records.

    Titles of fields repeat their names and are left out; the title of the whole names the record.
    """
    schema = output.model_json_schema()
    for one in (schema, *schema.get("$defs", {}).values()):
        for field in one.get("properties", {}).values():
            field.pop("title", None)
    return json.dumps(schema, ensure_ascii=False, separators=(",", ":"))


def parse_reply(text: str, output: type[T]) -> T:
    """Read a record from a reply, which may be wrapped in a code fence or other words.

    Raises:
        ValueError: No JSON object in it, or none that fits; says what does not fit.
    """
    if len(text) > LONGEST_REPLY:
        raise ValueError(f"the answer has {len(text):,} characters; a few thousand are enough")
    decoder = json.JSONDecoder()
    start, problem = text.find("{"), "the answer holds no JSON object"
    while start >= 0:
        try:
            found, _ = decoder.raw_decode(text, start)
        except (json.JSONDecodeError, RecursionError) as error:
            problem = f"the JSON is broken: {error}"
            start = text.find("{", start + 1)
            continue
        try:
            return output.model_validate_json(json.dumps(found), extra="ignore")
        except ValidationError as error:
            raise ValueError(_in_words(error)) from error
    raise ValueError(problem)


def _in_words(error: ValidationError) -> str:
    lines = []
    for one in error.errors(include_url=False, include_input=False):
        place = ".".join(str(part) for part in one["loc"]) or "the object"
        lines.append(f"{place}: {one['msg']}")
    return "; ".join(lines)


async def ask(
    client: Client,
    request: Request,
    output: type[T],
    *,
    stage: str,
    again: Callable[[str], str],
    check: Callable[[T], None] | None = None,
    urgency: int = 0,
) -> Answer[T]:
    """Ask until the reply fits, at most twice more.

    Args:
        client: Makes the calls.
        request: The first request.
        output: Record the reply must fit.
        stage: Name of the question, for the record of calls.
        again: Words for the next try, from the validation error.
        check: Raises ValueError for a record that fits the schema and still cannot be used.
        urgency: Where calls wait for a connection, the higher goes first.

    Raises:
        BadReplyError: No reply fitted.
        RefusalError, TruncatedError, FilteredError: There is no whole reply.
    """
    question = _Question(
        client, request, output, stage, check, urgency, request.max_tokens * LONGER
    )
    for tries in range(ASK_AGAIN + 1):
        found, completion, key = await question.answer()
        if not isinstance(found, ValueError):
            return Answer(value=found, completion=completion, key=key, request=question.request)
        if tries < ASK_AGAIN:
            turns = (
                Message(role="assistant", content=completion.text[:SHOWN_AGAIN] or "(empty)"),
                Message(role="user", content=again(str(found))),
            )
            messages = (*question.request.messages, *turns)
            asked, question.request = (
                question.request,
                question.request.model_copy(update={"messages": messages}),
            )
            await client.asks_again(asked, question.request, str(found))
    raise BadReplyError(
        f"{stage}: no usable reply in {ASK_AGAIN + 1} tries; last problem: {found}",
        reply=completion.text,
    )


@dataclass
class _Question(Generic[T]):
    """One question, whose request grows with every try."""

    client: Client
    request: Request
    output: type[T]
    stage: str
    check: Callable[[T], None] | None
    urgency: int
    longest: int

    async def answer(self) -> tuple[T | ValueError, Completion, str]:
        """The reply's record or what is wrong with it, after asking for longer ones if need be.

        A recorded reply that is unusable is asked for anew where the client may.
        """
        renew = False
        while True:
            completion, key = await self.client.complete(
                self.request, stage=self.stage, urgency=self.urgency, renew=renew
            )
            if completion.finish == "length" and self.request.max_tokens < self.longest:
                longer = {"max_tokens": self.request.max_tokens * 2}
                self.request, renew = self.request.model_copy(update=longer), False
                continue
            try:
                return self._usable(completion), completion, key
            except (ValueError, ModelError) as error:
                if not renew and self.client.may_renew(key):
                    renew = True
                elif isinstance(error, ModelError):
                    raise
                else:
                    return error, completion, key

    def _usable(self, completion: Completion) -> T:
        _refuse_unfinished(completion, self.request)
        value = parse_reply(completion.text, self.output)
        if self.check is not None:
            self.check(value)
        return value


def _refuse_unfinished(completion: Completion, request: Request) -> None:
    match completion.finish:
        case "length":
            raise TruncatedError(f"the reply is longer than {request.max_tokens} tokens")
        case "filter":
            raise FilteredError("the provider's content filter withheld the reply")
        case "refusal":
            raise RefusalError(f"the model declined: {completion.text[:300]}")
        case "stop":
            return
