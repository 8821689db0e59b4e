"""What other verbs computed for a run, as its report reads it."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from reviewscore.errors import RunFolderError
from reviewscore.files import read_whole
from reviewscore.schema.record import Record

RecordT = TypeVar("RecordT", bound=Record)


def read_digest(path: Path, kind: type[RecordT], command: str) -> RecordT | None:
    """A digest in a run folder; None if nothing was computed.

    Args:
        path: Its file.
        kind: Its record.
        command: What computes it anew.

    Raises:
        RunFolderError: The file is no digest.
    """
    raw = read_whole(path)
    if raw is None:
        return None
    try:
        return kind.model_validate_json(raw)
    except ValidationError as error:
        raise RunFolderError(
            f"{path}: not a digest of this version of reviewscore; run `{command}`"
        ) from error
