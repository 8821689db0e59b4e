"""The base class of all stored values: frozen, strict, versioned."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """A value that is written to disk or read from a reply.

    Records are frozen, refuse unknown fields and do not coerce types. Read them with
    ``model_validate_json`` and write them with ``model_dump_json``; a record that is a line of
    its own in a file carries the field ``schema`` (name and version).
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
    )

    def __repr_args__(self) -> Iterator[tuple[str | None, object]]:
        """What a record prints: its fields in short, without those that say nothing."""
        for name, value in self.__dict__.items():
            field = type(self).model_fields.get(name)
            if field is not None and value != field.get_default(call_default_factory=True):
                yield name, shortened(value)

    def __str__(self) -> str:
        return repr(self)


_SHOWN = 40
"""Characters of a text that are printed with its record."""


class Word(str):
    """A text that prints without quotation marks."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def shortened(value: object) -> object:
    """A value as it is printed with its record: of texts the beginning, of containers the size."""
    if isinstance(value, Enum):
        return Word(value.value)
    if isinstance(value, str):
        words = " ".join(value[: 4 * _SHOWN].split())
        if len(words) <= _SHOWN and len(value) <= 4 * _SHOWN:
            return words
        return f"{words[:_SHOWN].rsplit(' ', 1)[0]} .."
    if isinstance(value, Record):
        return Word(type(value).__name__)
    return Word(f"<{len(value)}>") if isinstance(value, tuple | list | dict) else value


def storable(name: str) -> str:
    r"""A file's name, or a text with names in it, as text: bytes that are none as ``\udcff``."""
    return name.encode("utf-8", "backslashreplace").decode()
