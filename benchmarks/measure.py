"""Run a command in a process of its own and measure it from outside."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared" / "data"


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


def run(*command: str, env: dict[str, str] | None = None) -> Measured:
    """Run Python with arguments; raises if it fails."""
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *command],
        cwd=ROOT,
        env={**os.environ, **(env or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed ({process.returncode}):\n{output}")
    return Measured(
        seconds=time.perf_counter() - began,
        cpu_seconds=usage.ru_utime + usage.ru_stime,
        peak_mb=usage.ru_maxrss * 1024 / 1e6,
        output=output,
    )


def row(name: str, value: str, baseline: str, ratio: float, goal: str) -> None:
    """Print one result as a row of a Markdown table."""
    print(f"| {name} | {value} | {baseline} | {ratio:.2f} | {goal} |", flush=True)


def head(title: str) -> None:
    """Print the head of a table."""
    print(f"\n### {title}\n\n| what | measured | baseline | ratio | goal |\n|---|---|---|---|---|")
