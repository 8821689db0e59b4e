"""Arguments in formulas from JSON or JSONL: keys, premises and a conclusion."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TextIO

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from reviewscore.errors import InputError
from reviewscore.json_text import UnusableJsonError, load_json


class FormalArgument(BaseModel):
    """One argument in formulas. Fields beyond these are ignored.

    Attributes:
        argument_id: Its name in the output; read from ``id``. Its number in the file if missing.
        keys: What the names mean, as ``Name(x)`` to a sentence; may be empty.
        premises: Formulas by id; a list gets the ids ``P1``, ``P2``, ...
        conclusion: A formula.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    argument_id: str
    keys: dict[str, str] = {}
    premises: dict[str, str]
    conclusion: str

    @field_validator("premises", mode="before")
    @classmethod
    def _numbered(cls, given: object) -> object:
        if isinstance(given, list):
            return {f"P{number}": value for number, value in enumerate(given, start=1)}
        if not isinstance(given, dict):
            raise ValueError("should be a list of formulas, or an object of formulas by id")
        return given


def read_arguments(stream: TextIO, name: str) -> Iterator[FormalArgument | InputError]:
    """The arguments of a stream: one JSON object, a JSON list, or one object a line.

    Args:
        stream: Read line by line where there is one object a line.
        name: How errors name the stream.

    Yields:
        An argument, or what is wrong with it.
    """
    number = 0
    for line_number, line in enumerate(stream, start=1):
        if not line.strip():
            continue
        number += 1
        try:
            several = load_json(line) if number == 1 and line.lstrip()[0] in "{[" else None
        except UnusableJsonError:
            several = None
        except json.JSONDecodeError:
            yield from _one_value(line, stream.read(), line_number, name)
            return
        if isinstance(several, list):
            for number, argument in enumerate(several, start=1):
                yield _read(argument, number, name, line_number)
        else:
            yield _at_line(line, number, name, line_number)


def _one_value(
    line: str, rest: str, line_number: int, name: str
) -> Iterator[FormalArgument | InputError]:
    """One JSON value over several lines; a broken first line of many takes none with it."""
    try:
        value = load_json(line + rest)
    except UnusableJsonError as error:
        yield error.of_input(name)
        return
    except json.JSONDecodeError as error:
        lines = rest.splitlines()
        if not any(map(_is_argument, lines)):
            yield InputError(f"not JSON: {error.msg}", file=name, line=error.lineno)
            return
        yield InputError("not JSON", file=name, line=line_number)
        for number, later in enumerate(lines, start=line_number + 1):
            if later.strip():
                yield _at_line(later, number, name, number)
        return
    several = value if isinstance(value, list) else [value]
    for index, item in enumerate(several, start=1):
        yield _read(item, index, name, None)


def _is_argument(line: str) -> bool:
    """Whether a line is an argument by itself."""
    try:
        return isinstance(load_json(line), dict)
    except ValueError:
        return False


def _at_line(line: str, number: int, name: str, line_number: int) -> FormalArgument | InputError:
    """The argument that a line holds, or what is wrong with the line."""
    try:
        return _read(load_json(line), number, name, line_number)
    except UnusableJsonError as error:
        return error.of_input(name, line_number)
    except json.JSONDecodeError as error:
        return InputError(f"not JSON: {error}", file=name, line=line_number)


def _read(record: object, number: int, name: str, line: int | None) -> FormalArgument | InputError:
    cure = 'write {"keys": {..}, "premises": {"P1": ".."}, "conclusion": ".."}'
    if not isinstance(record, dict):
        return InputError(f"item {number} is not an object", file=name, line=line, cure=cure)
    given = {key: value for key, value in record.items() if key != "argument_id"}
    given["argument_id"] = str(record.get("id", record.get("argument_id", number)))
    try:
        return FormalArgument.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        problem = first["msg"].removeprefix("Value error, ")
        return InputError(problem, file=name, line=line, field=field, cure=cure)
