"""The file of a calibration: written by `agree --calibrate`, read by `audit --calibration`."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from reviewscore.bounds import in_force, read_bounded
from reviewscore.errors import InputError, SettingsError
from reviewscore.schema.calibration import Calibration
from reviewscore.store.jsonl import write_whole


def write_calibration(path: Path, calibration: Calibration) -> None:
    """Write a calibration as JSON.

    Raises:
        RunFolderError: The file cannot be written.
    """
    write_whole(path, calibration.model_dump_json(indent=2) + "\n")


def read_calibration(path: Path, *, judge: str) -> Calibration:
    """Read a calibration that was learnt of a judge.

    Raises:
        InputError: The file cannot be read, or holds no calibration.
        SettingsError: It was learnt of another judge, whose errors are others.
    """
    try:
        found = Calibration.model_validate_json(read_bounded(path, in_force().text))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise InputError(
            f"is no calibration ({first['msg']})",
            file=path,
            field=".".join(str(part) for part in first["loc"]) or None,
            cure="agree --calibrate writes one",
        ) from error
    if found.judge != judge:
        raise SettingsError(
            f"{path} was learnt of {found.judge}, but the judge is {judge}; "
            "a calibration holds for the judge it was learnt of"
        )
    return found
