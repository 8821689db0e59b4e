"""Whether a run folder holds all that is asked for, so that there is nothing to do."""

from __future__ import annotations

from pathlib import Path

from reviewscore import prompts
from reviewscore.batch.account import new_manifest
from reviewscore.batch.selection import chosen_reviews
from reviewscore.config import Resolved, Settings
from reviewscore.schema.point_score import Status
from reviewscore.sources.collection import Collection
from reviewscore.store.decisive import first_difference
from reviewscore.store.manifest import Manifest
from reviewscore.store.run_dir import MANIFEST, failed_reviews, read_manifest, read_points


def finished(
    collection: Collection,
    out: Path,
    resolved: Resolved,
    *,
    retry_errors: bool = False,
    accept_changed: bool = False,
) -> bool:
    """Whether a run of this input with these settings is done; nothing is asked or written.

    Args:
        collection: Papers and reviews.
        out: The run folder.
        resolved: Settings with their origins.
        retry_errors: Whether failed points are to be tried again.
        accept_changed: Go on with records that something else has changed.

    Raises:
        InputError: A chosen paper or point does not exist.
        RunFolderError: The folder holds something that cannot be read, or records that were
            changed.
    """
    with prompts.use_directory(resolved.settings.prompts_dir):
        manifest = new_manifest(collection, resolved, out=out)
    done = finished_run(
        collection,
        out,
        manifest,
        resolved.settings,
        retry_errors=retry_errors,
        accept_changed=accept_changed,
    )
    return done is not None


def finished_run(
    collection: Collection,
    out: Path,
    new: Manifest,
    settings: Settings,
    *,
    retry_errors: bool,
    accept_changed: bool,
) -> Manifest | None:
    """The account of a run that is done already; None if something is left to do."""
    if not (out / MANIFEST).is_file():
        return None
    old = read_manifest(out, accept_changed=accept_changed)
    same = first_difference(old.decisive, new.decisive) is None
    same = same and old.selection in ({}, new.selection)
    if not (same and old.complete) or failed_reviews(out):
        return None
    chosen_reviews(collection, settings)  # a name that does not exist is wrong use, done or not
    done = {score.point_id: score.status for score in read_points(out)}
    again = retry_errors and Status.ERROR in done.values()
    if again or len(done) != old.counts.points or set(settings.point) - done.keys():
        return None
    return old
