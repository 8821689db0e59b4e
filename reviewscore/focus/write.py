"""Every point with its facets as a file of records."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from reviewscore.focus.labelled import Labelled
from reviewscore.store.jsonl import write_whole

VERB, POINTS = "focus", "points.jsonl"


def write_points(labelled: Sequence[Labelled], out: Path) -> Path:
    """Write all points, one record a line, into a folder that is there."""
    lines = []
    for one in labelled:
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
        lines.append(json.dumps(record, ensure_ascii=False))
    path = out / POINTS
    write_whole(path, "".join(f"{line}\n" for line in lines))
    return path
