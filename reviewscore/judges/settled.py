"""What came of a question, so that one without a usable reply does not discard its siblings."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TypeVar

from reviewscore.errors import ModelError, StopError

Found = TypeVar("Found")


async def settled(work: Awaitable[Found]) -> Found | ModelError | StopError:
    """The result of a branch, or the error that ended it: what others pay for is recorded."""
    try:
        return await work
    except (ModelError, StopError) as error:
        return error


def reason(error: ModelError) -> str:
    """Kind and message of an error, as it is recorded."""
    return f"{type(error).__name__}: {error}"
