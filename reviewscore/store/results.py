"""A folder of results that a verb writes anew each time."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from reviewscore.errors import RunFolderError


def results_folder(
    out: Path,
    *,
    verb: str,
    marker: str,
    inside: Iterable[str] = (),
    allow_foreign: bool = False,
) -> None:
    """Make a folder of results, or take one that the same verb wrote.

    Args:
        out: The folder.
        verb: Who writes, for the message.
        marker: A file that all folders of this verb have.
        inside: Folders to make in it.
        allow_foreign: Write beside other things too.

    Raises:
        RunFolderError: The folder holds other things, or cannot be written.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
        others = sorted(one.name for one in out.iterdir())
        if others and marker not in others and not allow_foreign:
            raise RunFolderError(
                f"{out} holds {others[0]!r} and is no folder of `{verb}`; "
                "choose another folder, or say --yes"
            )
        for name in inside:
            (out / name).mkdir(exist_ok=True)
    except FileExistsError as error:
        raise RunFolderError(f"{out} is a file; name a folder with -o") from error
    except OSError as error:
        raise RunFolderError(f"{out}: {error.strerror}") from error
