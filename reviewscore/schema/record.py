"""The base class of all stored values: frozen, strict, versioned."""

from __future__ import annotations

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


def storable(name: str) -> str:
    r"""A file's name, or a text with names in it, as text: bytes that are none as ``\udcff``."""
    return name.encode("utf-8", "backslashreplace").decode()
