"""A reply turned into a validated record, asking again when it does not fit."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from reviewscore.errors import BadReplyError, FilteredError, RefusalError, TruncatedError
from reviewscore.llm.client import Client
from reviewscore.schema.call import Completion, Message, Request

T = TypeVar("T", bound=BaseModel)

ASK_AGAIN = 2
"""How often a reply that does not fit is asked for again."""
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
    """JSON schema of a reply, as compact JSON text; equal for equal records."""
    return json.dumps(output.model_json_schema(), ensure_ascii=False, separators=(",", ":"))


def parse_reply(text: str, output: type[T]) -> T:
    """Read a record from a reply, which may be wrapped in a code fence or other words.

    Raises:
        ValueError: No JSON object in it, or none that fits; says what does not fit.
    """
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
    longest = request.max_tokens * LONGER
    for tries in range(ASK_AGAIN + 1):
        completion, key = await client.complete(request, stage=stage, urgency=urgency)
        while completion.finish == "length" and request.max_tokens < longest:
            request = request.model_copy(update={"max_tokens": request.max_tokens * 2})
            completion, key = await client.complete(request, stage=stage, urgency=urgency)
        _refuse_unfinished(completion, request)
        try:
            value = parse_reply(completion.text, output)
            if check is not None:
                check(value)
        except ValueError as error:
            problem = str(error)
            if tries == ASK_AGAIN:
                break
            turns = (
                Message(role="assistant", content=completion.text or "(empty)"),
                Message(role="user", content=again(problem)),
            )
            request = request.model_copy(update={"messages": (*request.messages, *turns)})
            continue
        return Answer(value=value, completion=completion, key=key, request=request)
    raise BadReplyError(
        f"{stage}: no usable reply in {ASK_AGAIN + 1} tries; last problem: {problem}",
        reply=completion.text,
    )


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
