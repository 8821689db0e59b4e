"""Which judges of a run nobody has validated, which somebody has, and how that is said.

What a model is worth as a judge of papers like these can be known from labels (`agree`) and from
planted points (`validate`). The latest validation of each judge lies in the user's data folder; a
run notes it in its manifest, so that its pages say the same on any machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from pydantic import ValidationError

from reviewscore.config import EMBEDDED, Settings
from reviewscore.errors import RunFolderError
from reviewscore.files import read_whole, unwritable, write_whole
from reviewscore.llm.provider import provider_class
from reviewscore.schema.validation import ValidationRecord

_FOLDER = "validations"
_NAME = 16
"""Signs of the sum that names a judge's file."""


def judge_of(settings: Settings) -> str:
    """The name of a judge: its model, of a panel all of them."""
    return " + ".join((settings.model, *settings.panel))


def validation_file(settings: Settings) -> Path:
    """Where the latest validation of a judge lies."""
    name = sha256(judge_of(settings).encode("utf-8", "surrogatepass")).hexdigest()[:_NAME]
    return settings.ledger_folder / _FOLDER / f"{name}.json"


def latest_validation(settings: Settings) -> ValidationRecord | None:
    """The latest validation of a run's judge; None if there is none, or it cannot be read."""
    try:
        content = read_whole(validation_file(settings))
        record = None if content is None else ValidationRecord.model_validate_json(content)
    except (OSError, RunFolderError, ValidationError):
        return None
    return record if record is not None and record.judge == judge_of(settings) else None


def keep_validation(record: ValidationRecord, settings: Settings) -> bool:
    """Keep a judge's validation for later runs; whether it is kept.

    What replies in a folder are worth says nothing of those in another one: it is not kept.

    Raises:
        RunFolderError: It cannot be written.
        StopError: The disk is full.
    """
    if any(provider_class(model).traits.records for model in _asked(settings)):
        return False
    file = validation_file(settings)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(file.parent, error) from error
    write_whole(file, record.model_dump_json(indent=1) + "\n")
    return True


def unvalidated(settings: Settings) -> tuple[str, ...]:
    """The models of a run of which no validation is at hand; none for the embedded judge.

    Args:
        settings: Name the models.
    """
    if latest_validation(settings) is not None:
        return ()
    return tuple(model for model in _asked(settings) if not provider_class(model).traits.records)


def _asked(settings: Settings) -> tuple[str, ...]:
    return () if settings.embedded else settings.models


def unvalidated_words(models: Sequence[str]) -> str:
    """That nobody knows what the verdicts of models are worth; empty without models."""
    if not models:
        return ""
    return (
        f"no validation of {', '.join(models)} on these papers is at hand: nobody knows whether "
        "such verdicts are better than chance (reviewscore validate measures it)"
    )


def validation_words(record: ValidationRecord | None, judge: str, made_with: str) -> str:
    """What the latest validation says of a run's judge; of the embedded one also if there is none.

    Args:
        record: The validation; None if there is none.
        judge: The run's judge.
        made_with: Sum of the run's settings and prompts, inputs apart.
    """
    if record is None:
        missing = "no validation of lexical on these papers is at hand (reviewscore validate)"
        return missing if judge == EMBEDDED else ""
    other = "" if record.made_with == made_with else ", with other settings"
    text = record.sentence.removesuffix(".")
    return (
        f"validated on {record.at[:10]} with {record.items:,} planted points of {record.papers:,} "
        f"papers{other}: {text[:1].lower()}{text[1:]}"
    )
