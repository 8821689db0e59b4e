"""The lines in which providers hand out the results of batch jobs."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator
from typing import Any, BinaryIO

from reviewscore.bounds import bounded_lines, in_force
from reviewscore.errors import ProviderError
from reviewscore.llm.failures import STRANGE

_KEY = re.compile(rb'"custom_id"\s*:\s*"([0-9a-f]+)"')


async def keep(pieces: AsyncIterator[bytes], file: BinaryIO) -> None:
    """Write results into a file as they come, from its beginning to its end.

    Results are read from there: they are too many for the memory, and a connection that waits
    while replies are recorded may be closed.
    """
    async for piece in pieces:
        file.write(piece)
    file.seek(0)


def read_lines(file: BinaryIO) -> Iterator[tuple[str, dict[str, Any] | ProviderError]]:
    """The key of each result and the line that holds it, which is empty if it cannot be read.

    Lines end with a line feed only: replies may hold other separators of lines as they are. A
    line that is too large to be held is a failure of its own reply.
    """
    limit = in_force().reply
    for line in bounded_lines(file, limit):
        try:
            held = json.loads(line.data)
            key = str(held["custom_id"])
        except STRANGE:
            named = _KEY.search(line.data)
            if named is None:
                continue
            key, held = named[1].decode(), {}
        if line.cut:
            told = f"the reply {limit.problem(line.size, whole=True)}; {limit.cure}"
            yield key, ProviderError(told, retryable=False, in_doubt=True)
        else:
            yield key, held
