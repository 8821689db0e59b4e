"""Measure a command in a process of its own from outside; print results and keep them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

from benchmarks.figures import Judged, figure, shown_ratio

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared" / "data"
RECORDS = "REVIEWSCORE_BENCH_RECORDS"
"""Names a file to which results are added, one JSON object a line."""
QUICK = bool(os.environ.get("REVIEWSCORE_BENCH_QUICK"))
"""Whether sizes are cut, to see that a benchmark runs: such figures mean nothing."""


@dataclass(frozen=True)
class Measured:
    """What a process took.

    Attributes:
        seconds: Wall clock.
        cpu_seconds: User and system time, children included.
        peak_mb: Largest resident set in MB (10^6 bytes).
    """

    seconds: float
    cpu_seconds: float
    peak_mb: float
    output: str


_LAUNCHER = """
import os, sys
report, python, *command = sys.argv[1:]
child = os.posix_spawn(python, [python, *command], os.environ)
_, status, usage = os.wait4(child, 0)
with open(report, "w") as file:
    file.write(f"{usage.ru_utime + usage.ru_stime} {usage.ru_maxrss}")
sys.exit(os.waitstatus_to_exitcode(status))
"""
"""A process begins with the peak memory of the one that starts it, so a small one must do that."""


def run(*command: str, env: dict[str, str] | None = None) -> Measured:
    """Run Python with arguments; raises if it fails."""
    began = time.perf_counter()
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as report:
        ended = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _LAUNCHER, report.name, sys.executable, *command],
            cwd=ROOT,
            env={**os.environ, **(env or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if ended.returncode:
            raise SystemExit(f"{' '.join(command)} failed ({ended.returncode}):\n{ended.stdout}")
        cpu_seconds, peak_kib = report.read().split()
    return Measured(
        seconds=time.perf_counter() - began,
        cpu_seconds=float(cpu_seconds),
        peak_mb=int(peak_kib) * 1024 / 1e6,
        output=ended.stdout,
    )


def row(
    name: str, value: str, baseline: str, ratio: float | None, goal: str, **judged: Unpack[Judged]
) -> None:
    """Print one result as a row of a Markdown table, and keep it.

    Args:
        name: What was measured; one that begins with ``…`` goes on from the row before.
        value: The result with its unit.
        baseline: What it is compared with, and what that took.
        ratio: Result / baseline; None if there is no baseline by nature.
        goal: What is aimed at.
        judged: Which end is a gain, and whether the goal is met, if the cells do not say it.
    """
    print(f"| {name} | {value} | {baseline} | {shown_ratio(ratio)} | {goal} |", flush=True)
    keep(name, value, baseline, ratio, goal, **judged)


def keep(
    name: str, value: str, baseline: str, ratio: float | None, goal: str, **judged: Unpack[Judged]
) -> None:
    """Keep a result that is printed otherwise; the arguments are those of `row`."""
    whole = f"{_last.name} {name}" if name.startswith("…") else name
    if not name.startswith("…"):
        _last.name = name
    found = figure(whole, value, baseline, ratio, goal, **judged)
    _write(found.model_copy(update={"title": _last.title}).model_dump_json())


def skip(why: str) -> None:
    """Say that a benchmark, or a part of it, cannot run here."""
    print(f"\nskipped: {why}")
    _write(json.dumps({"skipped": why}))


def head(title: str) -> None:
    """Print the head of a table."""
    _last.title = title
    print(f"\n### {title}\n\n| what | measured | baseline | ratio | goal |\n|---|---|---|---|---|")


class _Last:
    """What the latest row and head said."""

    name = title = ""


_last = _Last()


def _write(line: str) -> None:
    """Add a line to the file that whoever runs all benchmarks reads."""
    place = os.environ.get(RECORDS)
    if place:
        with Path(place).open("a", encoding="utf-8") as file:
            file.write(line + "\n")
