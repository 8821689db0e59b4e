"""The papers and reviews that a run was made of."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from reviewscore.cli.terminal import say

if TYPE_CHECKING:
    from reviewscore.sources.files import Collection
    from reviewscore.store.manifest import Manifest


def collection_of(manifest: Manifest, data: Path | None) -> Collection | None:
    """What a run was made of: named now, or noted then and still there; None if it is not.

    Args:
        manifest: The run's account of itself.
        data: Where the user says that it is.

    Raises:
        InputError: The named folder cannot be read.
    """
    from reviewscore.sources.files import read_collection, single_again
    from reviewscore.store.manifest import hash_file

    again = single_again(manifest) if data is None else None
    if again is not None:
        for fault in again.unread:
            say(f"warning: {fault}")
        return again
    if data is None and manifest.data is not None and Path(manifest.data).is_dir():
        data = Path(manifest.data)
    if data is None:
        say(
            "warning: papers and reviews are not where they were, so points and quotes stand "
            "without their surroundings; name the folder with --data",
        )
        return None
    collection = read_collection(data, skip_bad_lines=True)
    if {hash_file(path).sha256 for path in collection.files} != {
        one.sha256 for one in manifest.inputs
    }:
        say(f"warning: {data} is not what this run was made of, or has changed")
    return collection
