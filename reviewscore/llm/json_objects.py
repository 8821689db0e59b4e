"""JSON objects in a text, read strictly and in time that grows linearly with the text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NoReturn

from reviewscore.json_text import UnusableJsonError, keys_once

MOST_OBJECTS = 100
"""Objects in a text that are looked at; with more of them nobody can say which one is meant."""
_BEGINS = re.compile(r'\{[ \t\n\r]*+"(?:[^"\\]++|\\.)*+"[ \t\n\r]*+:', re.DOTALL)
"""What begins an object with something in it: ``{``, a key and ``:``. Each character is looked at
once or twice, since a string ends at the quotation mark that the next brace would begin with."""
_NUL = re.compile(r"(?<!\\)(?:\\\\)*+\\u0000")


def objects(text: str) -> Iterator[str]:
    """The complete objects of a text, in order; those inside of others are parts of them.

    Braces that no key follows are words (formulas, sets, templates). An object that begins and is
    broken makes the whole text unusable: what stands in it, such as a quoted object, is not what
    the writer wanted to say.

    Raises:
        ValueError: An object is broken, holds a key twice, a number that is none (``NaN``) or the
            character NUL, is nested too deeply, or there are too many of them.
    """
    at, count = 0, 0
    while (begin := _BEGINS.search(text, at)) is not None:
        count += 1
        if count > MOST_OBJECTS:
            raise ValueError(f"there are more than {MOST_OBJECTS} JSON objects; give one alone")
        at = _end(text, begin.start())
        yield text[begin.start() : at]


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
    """An object, whose keys may each be there once."""
    try:
        return keys_once(pairs)
    except UnusableJsonError as error:
        raise _UnusableError(f"the key {error.field!r} is there more than once") from error


def _no_number(name: str) -> NoReturn:
    raise _UnusableError(f"{name} is no JSON number")


_DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_number)
