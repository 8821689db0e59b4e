"""What servers say that a call used, read without trust: counts that cannot be are no counts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reviewscore.llm.failures import STRANGE
from reviewscore.schema.call import Usage

MOST_TOKENS = 100_000_000
"""Tokens of one call, far beyond what any model reads or writes."""
_LONGEST = 10_000
"""Characters of a server's usage object that is kept."""


@dataclass(frozen=True)
class Names:
    """Where a protocol has its counts; dots lead into objects.

    Attributes:
        read: Input.
        output: The reply.
        cached: Input read from the cache.
        written: Input written to the cache.
        apart: Whether `read` leaves out what `cached` and `written` count.
    """

    read: str
    output: str
    cached: str = ""
    written: str = ""
    apart: bool = False


def usage_of(reported: Any, names: Names) -> Usage:
    """The counts in a usage object; all unknown (0) if one is negative, absurd or contradictory.

    Args:
        reported: The object as it was read, of pydantic or of JSON; None if there is none.
        names: Where its counts are.
    """
    if reported is None:
        return Usage()
    raw = _as_json(reported)
    try:
        found = json.loads(raw)
        total, output = _count(found, names.read), _count(found, names.output)
        cached, written = (_count(found, one, 0) for one in (names.cached, names.written))
        if names.apart:
            total += cached + written
        if cached + written > total:
            raise ValueError("more input was cached than there was")
    except STRANGE:
        return Usage(raw=raw[:_LONGEST])
    return Usage(
        input_tokens=total,
        cached_tokens=cached,
        written_tokens=written,
        output_tokens=output,
        raw=raw[:_LONGEST],
    )


def _as_json(reported: Any) -> str:
    if hasattr(reported, "model_dump_json"):
        return str(reported.model_dump_json(exclude_none=True, warnings=False))
    return json.dumps(reported)


def _count(found: object, name: str, default: int | None = None) -> int:
    """A count of tokens.

    Raises:
        ValueError: It is none, or none that can be.
    """
    for part in name.split(".") if name else ():
        if found is not None and not isinstance(found, Mapping):
            raise ValueError("there is no object where one should be")
        found = (found or {}).get(part)
    if (found is None or not name) and default is not None:
        return default
    whole = isinstance(found, int) and not isinstance(found, bool)
    if not (whole or (isinstance(found, float) and found.is_integer())):
        raise ValueError("a count is no whole number")
    if not 0 <= found <= MOST_TOKENS:  # type: ignore[operator]
        raise ValueError("a count cannot be")
    return int(found)  # type: ignore[call-overload,no-any-return]
