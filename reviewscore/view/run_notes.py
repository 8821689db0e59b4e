"""What must be known of a run before any number, as its report says it."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from pathlib import Path

from reviewscore.errors import ReviewScoreError
from reviewscore.report.html import banners, read_failures
from reviewscore.report.summary import LEXICAL_NOTE, summarise
from reviewscore.runs.folder import MANIFEST, POINTS
from reviewscore.runs.unvalidated import worth_words
from reviewscore.view.behind import Behind, Made
from reviewscore.view.open_run import OpenRun

_WAIT = 0.3
"""Seconds in which a page waits for them."""
_log = logging.getLogger("reviewscore")


def state_of_files(run: Path) -> tuple[object, ...]:
    """What changes when something of a run's points or manifest does."""
    found = []
    for name in (POINTS, MANIFEST):
        try:
            state = (run / name).stat()
        except OSError:
            continue
        found += [name, state.st_size, state.st_mtime_ns, state.st_ino]
    return tuple(found)


@dataclass(frozen=True)
class RunNotes:
    """The notes of runs; of a large one they are made behind its page."""

    _made: Behind[tuple[str, ...]] = field(default_factory=Behind, repr=False)
    _waited: dict[Path, tuple[object, ...]] = field(default_factory=dict, repr=False)

    def of(self, opened: OpenRun) -> Made[tuple[str, ...]]:
        """The notes of a run, the most important first; until all are known, of its judge alone."""
        state = state_of_files(opened.path)
        # One page waits for them, and no other while they are made: of a large run that is minutes.
        wait = 0.0 if self._waited.get(opened.path) == state else _WAIT
        self._waited[opened.path] = state
        found = self._made.get(opened.path, state, lambda: _notes(opened.path), wait=wait)
        return found if found.value is not None else Made(_of_judge(opened), fresh=False)


def _notes(run: Path) -> tuple[str, ...]:
    try:
        return tuple(banners(summarise(run, accept_changed=True), read_failures(run)))
    except ReviewScoreError as error:
        _log.warning("%s: %s", run, error)
        return ("What must be known of this run before any number could not be read.",)


def _of_judge(opened: OpenRun) -> tuple[str, ...]:
    if opened.lexical:
        return (LEXICAL_NOTE,)
    return tuple(f"{line[:1].upper()}{line[1:]}." for line in worth_words(opened.manifest) if line)
