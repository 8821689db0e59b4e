"""How long a server asks to wait, from the headers of its refusal."""

from __future__ import annotations

from collections.abc import Mapping
from email.utils import parsedate_to_datetime

_YEAR = 365 * 86_400.0


def seconds_to_wait(headers: Mapping[str, str]) -> float | None:
    """Seconds that ``Retry-After`` asks for; None if it is not there or makes no sense.

    A year and more makes no sense.

    A date is taken relative to the server's own clock, so that a wrong clock here does no harm.
    """
    text = headers.get("retry-after")
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        try:
            then, now = parsedate_to_datetime(text), parsedate_to_datetime(headers.get("date", ""))
            seconds = (then - now).total_seconds()
        except (ValueError, TypeError):
            return None
    return max(0.0, seconds) if seconds < _YEAR else None
