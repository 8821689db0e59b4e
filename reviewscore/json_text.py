"""JSON that others wrote, read so that it says one thing: no key twice, no number without end."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

from reviewscore.errors import InputError

MOST_DIGITS = 4300
"""Digits of an integer; Python makes no number of more, as that takes time that grows faster."""
_LONG = re.compile(rf"\d{{{MOST_DIGITS},}}")
_FIELD = re.compile(r'"((?:[^"\\]|\\.){1,80})"\s*:')
_SHOWN = 40


class UnusableJsonError(ValueError):
    """JSON that others read, but that cannot be used.

    Args:
        problem: What is wrong, as a sentence without its place.
        field: Name of the field.
        cure: What the user can do.
    """

    def __init__(self, problem: str, *, field: str | None = None, cure: str | None = None) -> None:
        self.problem, self.field, self.cure = problem, field, cure
        super().__init__(f"field '{field}': {problem}" if field else problem)

    def of_input(self, file: Path | str, line: int | None = None) -> InputError:
        """The same of a file of the input."""
        return InputError(
            self.problem, file=file, line=line, field=self.field, cure=self.cure or "correct it"
        )


def load_json(text: str) -> object:
    """The value that a text holds.

    Raises:
        json.JSONDecodeError: It is no JSON.
        UnusableJsonError: An object has a key twice, of which most readers drop one; an integer
            has thousands of digits; or values nest too deeply.
    """
    try:
        return _DECODER.decode(text)
    except (json.JSONDecodeError, UnusableJsonError):
        raise
    except RecursionError as error:
        raise UnusableJsonError("is nested too deeply") from error
    except ValueError as error:
        raise _too_long(text) from error


def keys_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object, whose keys may each be there once.

    Raises:
        UnusableJsonError: One is there again.
    """
    held = dict(pairs)
    if len(held) != len(pairs):
        key, times = Counter(key for key, _ in pairs).most_common(1)[0]
        raise UnusableJsonError(
            f"is there {times} times in one object", field=key[:_SHOWN], cure="give it once"
        )
    return held


_DECODER = json.JSONDecoder(object_pairs_hook=keys_once)


def _too_long(text: str) -> UnusableJsonError:
    """What is wrong with a number that Python makes no integer of."""
    number = _LONG.search(text)
    before = text[: number.start()] if number else ""
    field = None
    for named in _FIELD.finditer(before):
        field = named[1]
    digits = f"{len(number[0]):,}" if number else f"more than {MOST_DIGITS:,}"
    return UnusableJsonError(
        f"is a number of {digits} digits; {MOST_DIGITS:,} are the most",
        field=field and field[:_SHOWN],
        cure="write a text in quotation marks, or a shorter number",
    )
