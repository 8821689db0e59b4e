"""A reply turned into a validated record, asking again when it does not fit."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from reviewscore.errors import (
    BadReplyError,
    FilteredError,
    ModelError,
    RefusalError,
    TruncatedError,
)
from reviewscore.json_text import UnusableJsonError, keys_once
from reviewscore.llm.client import Client
from reviewscore.schema.call import Completion, Message, Request

MOST_OBJECTS = 100
"""Objects in a text that are looked at; with more of them nobody can say which one is meant."""
_BEGINS = re.compile(
    r'(?P<thought><think>)|\{[ \t\n\r]*+"(?:[^"\\]++|\\.)*+"[ \t\n\r]*+:', re.DOTALL
)
"""What begins an object with something in it: ``{``, a key and ``:``. Each character is looked at
once or twice, since a string ends at the quotation mark that the next brace would begin with. Or
what begins thoughts."""
_ENDS_THOUGHT = "</think>"
_MARKS = "\"'`\u2018\u2019\u201c\u201d"
_VALUE_FOLLOWS = rf"[{_MARKS}*]{{0,3}}\s*+[:\uff1a]"
_NUL = re.compile(r"(?<!\\)(?:\\\\)*+\\u0000")


def objects(text: str, names: Collection[str] = ()) -> Iterator[str]:
    """The complete objects of a text, in order; those inside of others are parts of them.

    Braces that no key follows are words (formulas, sets, templates). An object that begins and is
    broken makes the whole text unusable: what stands in it, such as a quoted object, is not what
    the writer wanted to say. What stands between ``<think>`` and ``</think>``, outside of objects,
    is not looked at.

    Args:
        text: The text.
        names: Keys that the object looked for has. If they are given, braces before the first
            object that hold keys and values in another way than JSON's (single quotation marks,
            comments, strange spaces) are an object that is broken too.

    Raises:
        ValueError: An object is broken, holds a key twice, a number that is none (``NaN``) or the
            character NUL, is nested too deeply, or there are too many of them; thoughts have no
            end.
    """
    at, count, before = 0, 0, list[str]()
    while (begin := _BEGINS.search(text, at)) is not None:
        if not count:
            before.append(text[at : begin.start()])
        if begin["thought"]:
            end = text.find(_ENDS_THOUGHT, begin.end())
            if end < 0:
                raise ValueError(
                    "<think> has no </think>; give one JSON object after your thoughts"
                )
            at = end + len(_ENDS_THOUGHT)
            continue
        if not count and names:
            _check_words("".join(before), names)
        count += 1
        if count > MOST_OBJECTS:
            raise ValueError(f"there are more than {MOST_OBJECTS} JSON objects; give one alone")
        at = _end(text, begin.start())
        yield text[begin.start() : at]


def _check_words(words: str, names: Collection[str]) -> None:
    """Refuse words before an object in which another one begins, however badly it is written.

    It does if keys stand in braces, or if the braces do not end before the object does and hold
    more than it.
    """
    named = "|".join(map(re.escape, sorted(names)))
    marks = re.compile(
        rf"[{{}}]|[{_MARKS}][^{{}}{_MARKS}\n]{{1,80}}+{_VALUE_FOLLOWS}|\b(?:{named}){_VALUE_FOLLOWS}",
        re.IGNORECASE,
    )
    depth, opened = 0, 0
    for mark in marks.finditer(words):
        if mark[0] == "{":
            opened = opened if depth else mark.end()
            depth += 1
        elif mark[0] == "}":
            depth = max(0, depth - 1)
        elif depth:
            raise ValueError("the JSON is broken: the first object is not written as JSON has it")
    if depth and words[opened:].strip("{} \t\n\r"):
        raise ValueError("the JSON is broken: an object stands in braces that are none")


def check_whole(text: str) -> None:
    """Refuse a text that is not one JSON value, read as strictly as `objects` are.

    Raises:
        ValueError: It is none.
    """
    start = len(text) - len(text.lstrip(" \t\n\r"))
    if text[_end(text, start) :].strip(" \t\n\r"):
        raise ValueError("the JSON is broken: something follows it")


def _end(text: str, start: int) -> int:
    """Where the value that begins here ends."""
    try:
        _, end = _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        raise ValueError(f"the JSON is broken: {error}") from error
    except RecursionError as error:
        raise ValueError("the JSON is nested too deeply") from error
    except _UnusableError:
        raise
    except ValueError as error:  # Python makes no number of thousands of digits
        raise ValueError("the JSON cannot be used: a number has thousands of digits") from error
    if _NUL.search(text, start, end) is not None:
        raise _UnusableError("it holds the character \\u0000")
    return end


class _UnusableError(ValueError):
    """JSON that others read, but that does not say one thing."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"the JSON cannot be used: {problem}")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, whose keys may each be there once, whatever their case."""
    try:
        keys_once([(key.casefold(), value) for key, value in pairs])
    except UnusableJsonError as error:
        raise _UnusableError(
            f"the key {error.field!r} is there more than once, in whatever case"
        ) from error
    return dict(pairs)


def _no_number(name: str) -> NoReturn:
    raise _UnusableError(f"{name} is no JSON number")


_DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_number)


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
        error, completion, key = await question.answer()
        if not isinstance(error, ValueError):
            return Answer(value=error, completion=completion, key=key, request=question.request)
        if tries < ASK_AGAIN:
            turns = (
                Message(role="assistant", content=completion.text[:SHOWN_AGAIN] or "(empty)"),
                Message(role="user", content=again(str(error))),
            )
            messages = (*question.request.messages, *turns)
            asked, question.request = (
                question.request,
                question.request.model_copy(update={"messages": messages}),
            )
            await client.asks_again(asked, question.request, str(error))
    raise BadReplyError(
        f"{stage}: no usable reply in {ASK_AGAIN + 1} tries; last problem: {error}",
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
            traffic = self.client.traffic
            traffic.replies += 1
            if completion.finish == "length" and self.request.max_tokens < self.longest:
                traffic.unusable += 1
                longer = {"max_tokens": self.request.max_tokens * 2}
                self.request, renew = self.request.model_copy(update=longer), False
                continue
            try:
                return await self._usable(completion), completion, key
            except (ValueError, ModelError) as error:
                traffic.unusable += 1
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
