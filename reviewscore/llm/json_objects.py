"""JSON objects in a text, read strictly and in time that grows linearly with the text."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from typing import Any, NoReturn

from reviewscore.json_text import UnusableJsonError, keys_once

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
