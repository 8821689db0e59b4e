"""Pages of the documents as a reader follows them: their fences, commands and links."""

from __future__ import annotations

import io
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

from reviewscore.cli.main import main

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
GAP = "..."
"""Stands for any number of lines or, at the end of a line, for the rest of it."""

_FENCE = re.compile(r"^```([\w{}:-]*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SECONDS = re.compile(r"\b\d+\.\d s\b")


class Step(NamedTuple):
    """A command of a page and the lines that the page shows of what it prints."""

    command: str
    shown: list[str]


class Program(NamedTuple):
    """A Python fence and the text fence below it."""

    code: str
    printed: str


def fences(text: str) -> list[tuple[str, str]]:
    """Language and text of every fence."""
    return _FENCE.findall(text)


def steps(text: str) -> list[Step | Program]:
    """Everything on a page that can be run, in order."""
    found: list[Step | Program] = []
    blocks = [*fences(text), ("", "")]
    for (language, body), (below, printed) in pairwise(blocks):
        if language == "console":
            found += _session(body)
        elif language == "python" and below == "text":
            found.append(Program(body, printed))
    return found


def _session(body: str) -> Iterator[Step]:
    step = None
    for line in body.splitlines():
        if line.startswith("$ "):
            if step is not None:
                yield step
            step = Step(line[2:], [])
        else:
            assert step is not None, f"no command before: {line}"
            step.shown.append(line)
    if step is not None:
        yield step


def run(command: str, capture: io.StringIO) -> int:
    """Run a command of a page in this process, or in a shell if it is not ours."""
    text, pipe, ours = command.rpartition(" | ")
    if not ours.startswith("reviewscore "):
        done = subprocess.run(
            command, shell=True, capture_output=True, text=True, check=False, encoding="utf-8"
        )
        capture.write(done.stdout + done.stderr)
        return done.returncode
    before = sys.stdin
    sys.stdin = io.StringIO(" ".join(shlex.split(text)[1:]) + "\n" if pipe else "")
    try:
        with redirect_stdout(capture), redirect_stderr(capture):
            main(shlex.split(ours)[1:])
    except SystemExit as ended:
        return int(ended.code or 0)
    finally:
        sys.stdin = before
    return 0


def missing(shown: list[str], printed: str) -> str | None:
    """The first line shown that was not printed in its place; None if all were."""
    lines = [_SECONDS.sub("_ s", line.rstrip()) for line in printed.splitlines()]
    place, free = 0, False
    for line in (_SECONDS.sub("_ s", one.rstrip()) for one in shown):
        if line == GAP:
            free = True
            continue
        begins, anything = (line[: -len(GAP)], True) if line.endswith(GAP) else (line, False)
        rest = range(place, len(lines) if free else min(place + 1, len(lines)))
        found = next(
            (n for n in rest if lines[n] == line or (anything and lines[n].startswith(begins))),
            None,
        )
        if found is None:
            return line
        place, free = found + 1, False
    return None if free or place == len(lines) else f"(more was printed) {lines[place]}"


def stage(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with the shipped data, as a checkout has it, to work in."""
    for name in ("examples", "annotations"):
        (folder / name).symlink_to(ROOT / name)
    monkeypatch.chdir(folder)
