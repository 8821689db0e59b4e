"""Every candidate's score as a file of records."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from reviewscore.files import write_whole
from reviewscore.gem.score import Scores

VERB, SCORES = "gem", "scores.jsonl"


def write_scores(scores: Sequence[Scores], out: Path) -> Path:
    """Write every candidate's score, one record a line, into a folder that is there."""
    path = out / SCORES
    write_whole(path, (f"{line}\n".encode() for line in score_lines(scores)))
    return path


def score_lines(scores: Sequence[Scores]) -> Iterator[str]:
    """Every candidate's score as JSON: what each reference says, and why where there is none."""
    for score in scores:
        for one in score.candidates:
            record = {
                "variant": one.variant,
                "paper_id": one.paper_id,
                "review_id": one.review_id,
                "system": one.system,
                "nats": one.nats,
                "references": [
                    {
                        "review_id": review_id,
                        "nats": told.nats,
                        "tokens": told.tokens,
                        **({"reason": told.reason} if told.reason else {}),
                    }
                    for review_id, told in one.references
                ],
            }
            yield json.dumps(record, ensure_ascii=False)
