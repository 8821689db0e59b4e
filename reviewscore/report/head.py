"""What stands above and below the points of a report: banners, failures, the command again."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from reviewscore.config import EMBEDDED
from reviewscore.errors import RunFolderError
from reviewscore.files import read_lines
from reviewscore.printable import without_folders
from reviewscore.report.lines import share_words, unread_words, version_lines
from reviewscore.report.summary import LEXICAL_NOTE, Summary
from reviewscore.runs.folder import ERRORS, ErrorRecord, changed_words
from reviewscore.runs.manifest import Manifest, Setting

_SHOWN = 20
_NAMED = 5


@dataclass(frozen=True)
class Failures:
    """What failed in a run.

    Attributes:
        total: How many failures there are.
        kinds: Failures by what failed and why, the commonest first.
        first: The first few, to read.
    """

    total: int
    kinds: tuple[tuple[str, int], ...]
    first: tuple[ErrorRecord, ...]


def read_failures(run: Path) -> Failures:
    """Count the failures of a run.

    Raises:
        RunFolderError: A line is no failure record; names file and line.
    """
    kinds: Counter[str] = Counter()
    first: list[ErrorRecord] = []
    for number, (_, raw) in enumerate(read_lines(run / ERRORS), start=1):
        try:
            record = ErrorRecord.model_validate_json(raw)
        except ValidationError as error:
            raise RunFolderError(f"{run / ERRORS}:{number}: not a record of a failure") from error
        kinds[f"{record.what}: {record.kind}"] += 1
        if len(first) < _SHOWN:
            first.append(record)
    return Failures(kinds.total(), tuple(kinds.most_common()), tuple(first))


def banners(summary: Summary, failures: Failures) -> list[str]:
    """What a reader must know before any number."""
    notes = []
    if summary.changed:
        notes.append(doubted_words(summary.changed))
    if summary.judge == EMBEDDED:
        notes.append(f"{LEXICAL_NOTE} For scores, run again with --model provider/name.")
    if summary.selection:
        picks = ", ".join(f"{name} = {value}" for name, value in summary.selection.items())
        notes.append(f"Only a selection was judged ({picks}): its shares stand for nothing else.")
    if summary.judged is not None and summary.judged.calibrated is not None:
        after = share_words(summary.judged.calibrated)
        notes.append(
            f"A calibration by human labels was asked for. Of the points it covers, {after} are "
            "misinformed after it; scores below are the judge's own, the calibrated one beside."
        )
    if summary.unread is not None:
        words = unread_words(summary.unread)
        notes.append(f"{words[:1].upper()}{words[1:]}.")
    if summary.doubtful:
        notes.append(doubtful_words(summary))
    notes += [f"{line[:1].upper()}{line[1:]}." for line in version_lines(summary)]
    if not summary.complete:
        notes.append("The run is not complete; run the same command again to finish it.")
    if failures.total:
        notes.append(
            f"Failures: {failures.total:,}. What failed is listed below and in no share; "
            "--retry-errors tries it again."
        )
    return notes


def doubted_words(changed: Sequence[str]) -> str:
    """Which records were changed after the run, and what that means for a page."""
    return f"{changed_words(changed)}: what stands here may be nobody's verdict."


def doubtful_words(summary: Summary) -> str:
    """Which papers are doubtful, and why that matters."""
    names = summary.doubtful
    shown = ", ".join(names[:_NAMED]) + (", ..." if len(names) > _NAMED else "")
    return (
        f"Papers to look at first: {len(names):,} of {summary.papers:,} ({shown}) "
        f"{'was' if len(names) == 1 else 'were'} badly "
        "read, or hold text that people cannot see or that addresses a model. Judges may be "
        "wrong on them; what was found stands under Doubts."
    )


def repeat_command(manifest: Manifest) -> str:
    """The command that repeats a run; data and folder stand as DATA and RUN, files by their names.

    Settings that did not come from a flag are given as the environment variables that set them.
    """
    variables, flags = [], []
    for name, setting in manifest.settings.items():
        if setting.origin == "default" or setting.value in (None, [], ""):
            continue
        if setting.origin == "flag":
            flags += _flag(name, setting)
        else:
            variables.append(f"REVIEWSCORE_{name.upper()}={shlex.quote(_text(setting))}")
    source = "DATA"
    if manifest.pair is not None:
        source = "--paper PAPER --review REVIEW"
        flags = [flag for flag in flags if not flag.startswith("--paper ")]
        flags += [f"--year {manifest.year}"] if manifest.year is not None else []
    return " ".join([*variables, f"reviewscore audit {source} -o RUN", *flags])


def _flag(name: str, setting: Setting) -> list[str]:
    flag = f"--{name.replace('_', '-')}"
    if isinstance(setting.value, bool):
        return [flag if setting.value else f"--no-{flag[2:]}"]
    if isinstance(setting.value, list):
        return [f"{flag} {shlex.quote(without_folders(value))}" for value in setting.value]
    return [f"{flag} {shlex.quote(_text(setting))}"]


def _text(setting: Setting) -> str:
    value = setting.value
    return without_folders(",".join(value) if isinstance(value, list) else str(value))
