"""The app beside a command that writes a run: `audit --view`."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from reviewscore.cli.main import INTERRUPTED
from reviewscore.cli.terminal import say
from reviewscore.processes.child import own_command
from reviewscore.runs.folder import MANIFEST

_LOOK = 0.2
"""Seconds between two looks whether there is a run yet."""
_PATIENCE = 15.0
"""Seconds that the app has to end."""


def with_app(run: Path, work: Callable[[], int]) -> int:
    """Do work that writes a run, with the app open on it as soon as there is something to see.

    The app stays when the work has ended, until Ctrl-C; after work that Ctrl-C ended it goes too.

    Args:
        run: The run folder.
        work: Writes it.

    Returns:
        What the work returned.
    """
    app = _App(run)
    app.opener.start()
    try:
        code = work()
        app.settle()
        if code != INTERRUPTED and app.process is not None:
            say("the app stays open; Ctrl-C ends it")
            with suppress(KeyboardInterrupt):
                app.process.wait()
        return code
    finally:
        app.close()


@dataclass
class _App:
    """The app in a process of its own, which Ctrl-C at this terminal does not reach."""

    run: Path
    end: threading.Event = field(default_factory=threading.Event)
    process: subprocess.Popen[bytes] | None = None

    def __post_init__(self) -> None:
        self.opener = threading.Thread(target=self._open, daemon=True)

    def settle(self) -> None:
        """Open it now or never: the work has ended."""
        self.end.set()
        self.opener.join()

    def _open(self) -> None:
        while not (self.run / MANIFEST).is_file():
            if self.end.wait(_LOOK):
                break
        if not (self.run / MANIFEST).is_file():
            return
        command = own_command("view", "--port=0", str(self.run.resolve()))
        quiet = [] if sys.stderr.isatty() else ["--no-browser"]
        self.process = subprocess.Popen(
            [*command, *quiet], stdin=subprocess.DEVNULL, stdout=2, start_new_session=True
        )  # its address is no result of this command

    def close(self) -> None:
        """End it."""
        self.settle()
        if self.process is None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
