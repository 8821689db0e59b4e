"""What verbs read, with the flags that name it, and what is said of it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from reviewscore.cli.terminal import say, warn
from reviewscore.errors import SettingsError

if TYPE_CHECKING:
    from reviewscore.sources.collection import Collection
    from reviewscore.sources.system_reviews import Materials

_SHOWN = 3
"""Faults of lines that are told in full."""


def named_files(texts: Iterable[str]) -> list[tuple[str, Path]]:
    """Names of systems and files of their reviews.

    Raises:
        SettingsError: A text is not NAME=FILE, a name comes twice, or it is that of people, whose
            reviews are the references.
    """
    from reviewscore.sources.system_reviews import PEOPLE

    paths: dict[str, Path] = {}
    for text in texts:
        name, _, file = (part.strip() for part in text.partition("="))
        if not name or not file:
            raise SettingsError(f"--system: write NAME=FILE, not '{text}'")
        if name == PEOPLE:
            raise SettingsError(
                f"--system: '{PEOPLE}' are the reviewers in DATA; name it otherwise"
            )
        if name in paths:
            raise SettingsError(f"--system: '{name}' is there twice; put its reviews into one file")
        paths[name] = Path(file)
    return list(paths.items())


def collection_of(run: Path, data: Path | None, *, accept_changed: bool) -> Collection | None:
    """What a run was made of, as `data_again` has it; says what is amiss with it.

    Args:
        run: The run's folder.
        data: Where the user says that it is.
        accept_changed: Go on with records that something else has changed.

    Raises:
        InputError: The named folder cannot be read, or holds other files.
        RunFolderError: The run cannot be read.
    """
    from reviewscore.runs.input_data import data_again

    again = data_again(run, data, accept_changed=accept_changed)
    warn(again.notes)
    return again.collection


def tell(read: Materials | Collection) -> None:
    """Tell the user what was left out or changed as files were read."""
    warn(read.warnings)
    if read.skipped:
        say(f"warning: {len(read.skipped):,} lines left out")
        for fault in read.skipped[:_SHOWN]:
            say(f"  {fault}")
