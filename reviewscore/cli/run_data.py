"""The papers and reviews that a run was made of."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from reviewscore.cli.terminal import say

if TYPE_CHECKING:
    from reviewscore.sources.collection import Collection


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
    for note in again.notes:
        say(f"warning: {note}")
    return again.collection
