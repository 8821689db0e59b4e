"""The lines in which providers hand out the results of batch jobs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from reviewscore.llm.failures import STRANGE

_KEY = re.compile(rb'"custom_id"\s*:\s*"([0-9a-f]+)"')


def read_lines(content: bytes) -> Iterator[tuple[str, dict[str, Any]]]:
    """The key of each result and the line that holds it, which is empty if it cannot be read.

    Lines end with a line feed only: replies may hold other separators of lines as they are.
    """
    for line in content.split(b"\n"):
        try:
            held = json.loads(line)
            key = str(held["custom_id"])
        except STRANGE:
            named = _KEY.search(line)
            if named is None:
                continue
            key, held = named[1].decode(), {}
        yield key, held
