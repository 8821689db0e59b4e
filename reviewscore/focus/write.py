"""Every point with its facets as a file of records."""

from __future__ import annotations

import json
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Iterator
from pathlib import Path

from reviewscore.files import drafted
from reviewscore.focus.labelled import Labelled

VERB, POINTS = "focus", "points.jsonl"
_IN_MEMORY = 1_000_000
"""Bytes of lines that are held in memory; more lie in a temporary file without a name."""


class PointLines:
    """Writes points down as they pass, so that none is held for the file that they end in."""

    def __init__(self) -> None:
        self._lines = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - closed below
        weakref.finalize(self, self._lines.close)

    def noted(self, labelled: Iterable[Labelled]) -> Iterator[Labelled]:
        """The same points, written down."""
        for one in labelled:
            self._lines.write(_line(one).encode("utf-8") + b"\n")
            yield one

    def write(self, out: Path) -> Path:
        """Write all of them, one record a line, into a folder that is there."""
        path = out / POINTS
        self._lines.seek(0)
        with drafted(path) as draft, draft.open("wb") as file:
            shutil.copyfileobj(self._lines, file)
        return path


def _line(one: Labelled) -> str:
    point = one.point
    record = {
        "point_id": point.point_id,
        "paper_id": point.paper_id,
        "review_id": point.review_id,
        "system": point.system,
        "polarity": point.polarity,
        "text": point.text,
        "target": one.target,
        "aspect": one.aspect,
        **({"reason": one.reason} if one.reason else {}),
    }
    return json.dumps(record, ensure_ascii=False)
