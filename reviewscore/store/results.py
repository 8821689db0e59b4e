"""A folder of results that a verb writes anew each time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from reviewscore.errors import RunFolderError


def results_folder(
    out: Path,
    *,
    verb: str,
    marker: str,
    inside: Sequence[str] = (),
    allow_foreign: bool | None = False,
) -> None:
    """Make a folder of results, or take one that the same verb wrote.

    Args:
        out: The folder.
        verb: Who writes, for the message.
        marker: A file that all folders of this verb have.
        inside: Folders to make in it.
        allow_foreign: Write beside other things too; None if the verb never does.

    Raises:
        RunFolderError: The folder holds other things, or cannot be written.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
        others = sorted(
            one.name for one in out.iterdir() if not _left_by_a_kill(one, marker, inside)
        )
        if others and marker not in others and not allow_foreign:
            cure = "choose another folder" + (", or say --yes" if allow_foreign is False else "")
            raise RunFolderError(f"{out} holds {others[0]!r} and is no folder of `{verb}`; {cure}")
        for name in inside:
            if (out / name).is_symlink():
                raise RunFolderError(f"{out / name} is a link; take it away")
            (out / name).mkdir(exist_ok=True)
    except FileExistsError as error:
        raise RunFolderError(f"{out} is a file; name a folder with -o") from error
    except OSError as error:
        raise RunFolderError(f"{out}: {error.strerror}") from error


def _left_by_a_kill(found: Path, marker: str, inside: Sequence[str]) -> bool:
    """Whether this verb made it and was killed before the marker was there."""
    if found.name in (f".{marker}.new", ".lock"):
        return True
    return found.name in inside and found.is_dir() and not any(found.iterdir())
