"""``reviewscore validate --on``: a judge on a labelled set, from files to the page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reviewscore.config import Resolved
    from reviewscore.errors import InputError
    from reviewscore.stats.resampling import Resampling

SETS = ("bamboo", "qasper", "scifact", "peerreview-bench", "labels")
"""Labelled sets that can be read; `validation.labelled_sets` has a reader of each."""
_SHOWN = 3
"""Faults that are said in full."""


def validate_on(
    name: str,
    places: Sequence[Path],
    output: Path,
    resolved: Resolved,
    *,
    mapping: Path | None,
    dry_run: bool,
    how: Resampling,
    retry_errors: bool,
    allow_foreign: bool,
    accept_changed: bool,
    quiet: bool,
) -> int:
    """Judge a labelled set and write its page; nothing is kept of the judge for later runs.

    Args:
        name: One of `SETS`.
        places: Its files.
        output: Folder of the run and its page.
        resolved: The settings.
        mapping: Table of what values of ``correctness`` mean, of peerreview-bench.
        dry_run: Only say what it would cost.
        how: How intervals are made; its seed draws names and order too.
        retry_errors: Try remarks again that failed.
        allow_foreign: Write into a folder that holds other things.
        accept_changed: Go on with records that something else has changed.
        quiet: Say nothing but errors.

    Raises:
        ReviewScoreError: As `audit`; or nothing in the files can be judged.
    """
    from reviewscore.cli.audit import dry_run_of, score
    from reviewscore.cli.closing import exit_code
    from reviewscore.cli.tabling import say_written
    from reviewscore.cli.terminal import print_line, waiting
    from reviewscore.llm.confidentiality import permission_of
    from reviewscore.validation.labelled_figures import labelled_validation
    from reviewscore.validation.labelled_page import labelled_headline, write_labelled
    from reviewscore.validation.labelled_sets import read_set

    with waiting("reading the labelled set", quiet=quiet):
        may = permission_of(resolved.settings)
        given = read_set(name, places, seed=how.seed, mapping=mapping, may=may)
    say_left_out(given.faults)
    if dry_run:
        return dry_run_of(given.collection, resolved)
    settings, outcome = score(
        given.collection, resolved, output, quiet=quiet, retry_errors=retry_errors,
        allow_foreign=allow_foreign, accept_changed=accept_changed,
    )  # fmt: skip
    made = labelled_validation(given, output, settings, manifest=outcome.manifest, how=how)
    written = write_labelled(made, given.kind, output, allow_foreign=True)
    if not quiet:
        print_line(labelled_headline(made, given.kind))
        say_written(written)
    return exit_code(
        outcome, output, f"{outcome.failed} remarks failed; --retry-errors tries them again"
    )


def say_left_out(faults: Sequence[InputError]) -> None:
    """Say why points are left out, the first ones in full."""
    from reviewscore.cli.terminal import say

    for fault in faults[:_SHOWN]:
        say(f"left out: {fault}")
    if len(faults) > _SHOWN:
        say(f"left out: {len(faults) - _SHOWN:,} more")
