"""Fetch again and again, killed at one file operation after the other, each time gone on with.

Run as a program: its arguments are the words of ``fetch`` without a folder, and the folder in which
a folder is made for each kill. Prints one line of JSON: how many kills there were.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from itertools import count
from pathlib import Path

import openreview.api  # noqa: F401 - once, before the forks
import requests  # noqa: F401

import reviewscore.cli.fetch
import reviewscore.sources.openreview.fetch  # noqa: F401
from reviewscore.cli.main import main
from reviewscore.sources.openreview import server

STEP = 3
"""Operations between two kills; 1 kills at every one, in three times the seconds."""
EVENTS = ("open", "os.rename", "os.mkdir", "os.truncate", "os.remove")


def forked(words: list[str], out: Path, kill_at: int | None) -> int:
    """Fetch in a process of its own, that may kill itself; what it ended with."""
    process = os.fork()
    if process:
        return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    seen = count(1)

    def hook(event: str, args: tuple[object, ...]) -> None:
        inside = event in EVENTS and str(args[0]).startswith(str(out))
        if inside and next(seen) == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)
    try:
        main(["fetch", *words, "-o", str(out)])
    except SystemExit as ended:
        os._exit(ended.code if isinstance(ended.code, int) else 0)
    os._exit(0)


def kill_everywhere(words: list[str], folder: Path) -> int:
    """How often it was killed before it came to its end untouched."""
    for kills, at in enumerate(count(1, STEP)):
        out = folder / f"{at:03}"
        ended = forked(words, out, at)
        if ended >= 0:
            return kills
        assert ended == -signal.SIGKILL
        ended = forked(words, out, None)
        assert ended == 0, f"killed at {at}: {ended}"
    raise AssertionError


if __name__ == "__main__":
    server.Server.__init__.__defaults__ = (0.0, *(server.Server.__init__.__defaults__ or ())[1:])
    sys.stdout.write(json.dumps(kill_everywhere(sys.argv[2:], Path(sys.argv[1]))))
