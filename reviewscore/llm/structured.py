"""A reply turned into a validated record, asking again when it does not fit."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from reviewscore.errors import (
    BadReplyError,
    FilteredError,
    ModelError,
    RefusalError,
    TruncatedError,
)
from reviewscore.llm.client import Client
from reviewscore.llm.json_objects import objects
from reviewscore.schema.call import Completion, Message, Request

T = TypeVar("T", bound=BaseModel)

ASK_AGAIN = 2
"""How often a reply that does not fit is asked for again."""
LONGEST_REPLY = 1_000_000
"""Characters of a reply that is read at all."""
LONGEST_OBJECT = 100_000
"""Characters of the JSON object in a reply."""
LONG_REPLY = 50_000
"""Characters from which a reply is read in a thread of its own, so that nothing else waits."""
MOST_PROBLEMS = 10
"""Problems of one reply that the model is told of."""
SHOWN_AGAIN = 20_000
"""Characters of an unusable reply that the model is shown again."""
LONGER = 4
"""Factor by which the reply limit may grow when a reply is cut off."""

_BOUNDS = ("maxLength", "maxItems")
"""Words of a JSON schema."""


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
    Bounds of texts and lists are checked here alone: providers that enforce schemas refuse them.
    """
    schema = output.model_json_schema()
    for record in (schema, *schema.get("$defs", {}).values()):
        for field in record.get("properties", {}).values():
            field.pop("title", None)
    return json.dumps(_unbounded(schema), ensure_ascii=False, separators=(",", ":"))


def _unbounded(schema: Any) -> Any:
    if isinstance(schema, dict):
        kept = {name: part for name, part in schema.items() if name not in _BOUNDS}
        return {name: _unbounded(part) for name, part in kept.items()}
    return [_unbounded(part) for part in schema] if isinstance(schema, list) else schema


def parse_reply(text: str, output: type[T]) -> T:
    """Read a record from a reply, which may be wrapped in a code fence or other words.

    The first JSON object is the answer. The reply cannot be used if an object in it is broken or
    holds a key twice (`json_objects.objects`), if something before it looks like the answer and is
    no JSON, or if further objects fit the record and say something else: a reply may quote a
    verdict that somebody wrote into the paper, and nobody can say which of two is the model's own.
    What a model thinks aloud, between the marks ``<think>`` and ``</think>``, is no part of its
    reply; thoughts without an end make it unusable. An object inside of another one is no answer.

    Raises:
        ValueError: No JSON object in it, none that fits, or several; says what is wrong.
    """
    if len(text) > LONGEST_REPLY:
        raise ValueError(f"the answer has {len(text):,} characters; a few thousand are enough")
    first, answer = "", None
    for given in objects(text, output.model_fields):
        if answer is None:
            first, answer = given, _read(given, output)
        elif given != first and _differs(given, answer):
            raise ValueError(
                "the answer holds several JSON objects that fit and differ; give one alone"
            )
    if answer is None:
        raise ValueError("the answer holds no JSON object")
    return answer


def _read(given: str, output: type[T]) -> T:
    if len(given) > LONGEST_OBJECT:
        raise ValueError(
            f"the JSON object has {len(given):,} characters; at most {LONGEST_OBJECT:,}"
        )
    try:
        return output.model_validate_json(given, extra="ignore")
    except ValidationError as error:
        raise ValueError(_in_words(error)) from error


def _differs(given: str, answer: BaseModel) -> bool:
    """Whether an object is another record of the answer's kind."""
    try:
        return _read(given, type(answer)) != answer
    except ValueError:
        return False


def _in_words(error: ValidationError) -> str:
    lines = []
    for problem in error.errors(include_url=False, include_input=False)[:MOST_PROBLEMS]:
        place = ".".join(str(part) for part in problem["loc"]) or "the object"
        lines.append(f"{place}: {problem['msg']}")
    if error.error_count() > MOST_PROBLEMS:
        lines.append(f"and {error.error_count() - MOST_PROBLEMS} more problems")
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
                return await self._usable(completion), completion, key
            except (ValueError, ModelError) as error:
                if not renew and self.client.may_renew(key):
                    renew = True
                elif isinstance(error, ModelError):
                    raise
                else:
                    return error, completion, key

    async def _usable(self, completion: Completion) -> T:
        _refuse_unfinished(completion, self.request)
        if len(completion.text) > LONG_REPLY:
            value = await asyncio.to_thread(parse_reply, completion.text, self.output)
        else:
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
