"""Which judges of a run nobody has validated, which somebody has, and how that is said.

What a model is worth as a judge of papers like these can be known from labels (`agree`) and from
planted points (`validate`). The latest validation of each judge lies in the user's data folder; a
run notes it in its manifest, so that its pages say it on any machine, and those made where a later
one lies say that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path

from pydantic import ValidationError

from reviewscore.config import EMBEDDED, Settings
from reviewscore.errors import RunFolderError
from reviewscore.files import read_whole, unwritable, write_whole
from reviewscore.llm.provider import EXCHANGE, provider_class
from reviewscore.runs.manifest import Manifest, sum_of
from reviewscore.schema.validation import ValidationRecord

_FOLDER = "validations"
_NAME = 16
"""Signs of the sum that names a judge's file."""
_OF_REPLIES = (
    "no validation of replies in a folder is at hand: what they are worth depends on who wrote "
    "them (reviewscore validate measures it)"
)


def judge_of(settings: Settings) -> str:
    """The name of a judge: its model, of a panel all of them."""
    return _joined((settings.model, *settings.panel))


def _joined(models: Iterable[str]) -> str:
    return " + ".join(models)


def validation_file(settings: Settings) -> Path:
    """Where the latest validation of a judge lies."""
    return _file(settings.ledger_folder, judge_of(settings))


def _file(folder: Path, judge: str) -> Path:
    name = sha256(judge.encode("utf-8", "surrogatepass")).hexdigest()[:_NAME]
    return folder / _FOLDER / f"{name}.json"


def latest_validation(settings: Settings) -> ValidationRecord | None:
    """The latest validation of a run's judge; None if there is none, or it cannot be read."""
    return _kept(settings.ledger_folder, judge_of(settings))


def _kept(folder: Path, judge: str) -> ValidationRecord | None:
    try:
        content = read_whole(_file(folder, judge))
        record = None if content is None else ValidationRecord.model_validate_json(content)
    except (OSError, RunFolderError, ValidationError):
        return None
    return record if record is not None and record.judge == judge else None


def latest_of(records: Iterable[ValidationRecord | None]) -> ValidationRecord | None:
    """The latest of some validations; None if there is none."""
    known = [record for record in records if record is not None]
    return max(known, key=lambda record: record.at, default=None)


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
        f"no validation of {', '.join(models)} is at hand: nobody knows whether "
        "such verdicts are better than chance (reviewscore validate measures it)"
    )


def worth_words(manifest: Manifest) -> tuple[str, str]:
    """What is known of the worth of a run's judge: that it was not validated, and what was.

    Args:
        manifest: The run's manifest.

    Returns:
        That nobody validated its models, and what the latest validation says, or that there is none
        of the embedded judge or of replies in a folder; either may be empty.
    """
    models = (manifest.judge, *_panel(manifest))
    record = latest_of((manifest.validation, _here(manifest, _joined(models))))
    if record is not None:
        return "", _said(record, sum_of(manifest.decisive, inputs=False))
    if manifest.judge == EMBEDDED:
        return "", "no validation of lexical is at hand (reviewscore validate)"
    replies = any(model.startswith(EXCHANGE) for model in models)
    asked = [model for model in models if not model.startswith(EXCHANGE)]
    return unvalidated_words(
        list(dict.fromkeys((*asked, *manifest.unvalidated)))
    ), _OF_REPLIES if replies else ""


def _here(manifest: Manifest, judge: str) -> ValidationRecord | None:
    """The latest validation of a judge where a run's ledger lies, if it says where."""
    cache = manifest.settings.get("cache_dir")
    if cache is None:
        return None
    place = Path(str(cache.value)) if cache.value else None
    return _kept(Settings(cache_dir=place).ledger_folder, judge)


def _panel(manifest: Manifest) -> list[str]:
    panel = manifest.decisive.get("panel")
    return list(map(str, panel)) if isinstance(panel, list | tuple) else []


def _said(record: ValidationRecord, made_with: str) -> str:
    """What a validation says.

    Args:
        record: The validation.
        made_with: Sum of the run's settings and prompts, inputs apart.
    """
    other = "" if record.made_with == made_with else ", with other settings"
    text = record.sentence.removesuffix(".")
    return (
        f"validated on {record.at[:10]} with {record.items:,} planted points of {record.papers:,} "
        f"papers{other}: {text[:1].lower()}{text[1:]}"
    )
