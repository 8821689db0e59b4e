"""Two runs compared in a process of its own: the app answers meanwhile and stays small."""

from __future__ import annotations

import sys
from pathlib import Path

from reviewscore.errors import ReviewScoreError
from reviewscore.processes.child import start_child
from reviewscore.schema.record import Record
from reviewscore.venue.compare import Comparison, compare_runs


class ComparedApart(Record):
    """What `compare` says of two runs, or why it says nothing."""

    found: Comparison | None = None
    refused: str = ""


def compared_apart(first: Path, second: Path) -> ComparedApart:
    """Compare two run folders, and wait for it."""
    with start_child(__name__, str(first.resolve()), str(second.resolve())) as child:
        answer, _ = child.communicate()
    if child.returncode or not answer:
        words = "the comparison ended without an answer; `reviewscore compare` says why"
        return ComparedApart(refused=words)
    return ComparedApart.model_validate_json(answer)


def main() -> None:
    """Compare the two run folders that are named, and write the answer as JSON."""
    first, second = map(Path, sys.argv[1:])
    try:
        answer = ComparedApart(found=compare_runs(first, second, accept_changed=True).found)
    except ReviewScoreError as error:
        answer = ComparedApart(refused=str(error))
    sys.stdout.write(answer.model_dump_json(by_alias=True))
