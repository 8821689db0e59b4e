"""``python -m benchmarks``: all figures in one table, each beside its baseline.

Each benchmark runs in a process of its own: one that fails, or whose data are not there, is said
so in the table and does not end the rest.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.figures import Figure
from benchmarks.measure import RECORDS, ROOT
from benchmarks.register import ALL, Benchmark
from benchmarks.results import Ran, Results, as_markdown, commit_now, machine_now, versions_now

Begun = tuple[tuple[float, float, float], str]
"""Load and commit when the first one began."""
_ERROR = re.compile(r"[\w.]+(?:Error|Exit|Exception|Interrupt)\b")
_LONGEST = 3600.0
"""Seconds after which a benchmark is ended."""


def main() -> int:
    """Run them and write the results; returns 1 if one of them failed."""
    options = _options()
    begun, times = (os.getloadavg(), commit_now()), 1 if options.quick else options.times
    chosen = [one for one in ALL if one.name in options.only] if options.only else ALL
    ran = []
    for number, one in enumerate(chosen, 1):
        print(f"\n## {one.name} ({number} of {len(chosen)})", flush=True)
        ran.append(outcome(one, quick=options.quick, times=times))
        if ran[-1].state != "done":
            print(f"\n**{ran[-1].state}**: {ran[-1].why}", flush=True)
        page = written(ran, options.output, begun=begun, quick=options.quick, times=times)
    print(f"\nresults: {options.output}\ntable:   {page}")
    return int(any(one.state == "failed" for one in ran))


def written(ran: Sequence[Ran], output: Path, *, begun: Begun, quick: bool, times: int) -> Path:
    """Write what there is so far, and the table beside it; returns the table's file."""
    results = Results(
        date=datetime.now(UTC).isoformat(timespec="minutes"),
        commit=begun[1],
        quick=quick,
        times=times,
        machine=machine_now(begun[0]),
        versions=versions_now(),
        benchmarks=tuple(ran),
    )
    page = output.with_suffix(".md")
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(results.model_dump_json(indent=1) + "\n", "utf-8")
    page.write_text(as_markdown(results), "utf-8")
    return page


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    names = [one.name for one in ALL]
    add = parser.add_argument
    told = f"run only these: {', '.join(names)}"
    add("--only", nargs="+", choices=names, metavar="NAME", default=[], help=told)
    told = "cut sizes, to see that all run; the figures mean nothing"
    add("--quick", action="store_true", help=told)
    add("--times", type=int, default=1, metavar="N", help="run each N times, take median ratios")
    told = "the results file; the table is written beside it"
    add("-o", "--output", type=Path, default=ROOT / "runs" / "benchmarks.json", help=told)
    options = parser.parse_args()
    if options.output.suffix != ".json":
        parser.error(f"{options.output}: name a file that ends with .json")
    if options.times < 1:
        parser.error("--times is at least 1")
    return options


def outcome(one: Benchmark, *, quick: bool, times: int) -> Ran:
    """Run a benchmark, so many times."""
    began, runs, why = time.perf_counter(), list[list[Figure]](), ""
    for _ in range(times):
        figures, skipped, failure = run_once(one, quick=quick)
        why = failure or skipped
        if failure:
            break
        runs.append(figures)
    seconds = round(time.perf_counter() - began, 1)
    found = typical(runs) if runs else ()
    state = "failed" if len(runs) < times else "done" if found else "not run"
    return Ran(name=one.name, state=state, why=why, seconds=seconds, figures=found)


def run_once(one: Benchmark, *, quick: bool) -> tuple[list[Figure], str, str]:
    """Run a benchmark in a process of its own.

    Returns:
        Its figures, why it or a part of it was not run, and why it failed.
    """
    with tempfile.TemporaryDirectory() as folder:
        records = Path(folder) / "records.jsonl"
        env = {**os.environ, RECORDS: str(records), "REVIEWSCORE_CACHE_DIR": f"{folder}/cache"}
        env |= {"REVIEWSCORE_BENCH_QUICK": "1"} if quick else {}
        process = subprocess.Popen(
            [sys.executable, "-m", f"benchmarks.{one.name}", *one.words],
            cwd=ROOT, env=env, stderr=subprocess.PIPE, text=True, errors="replace",
        )  # fmt: skip
        try:
            _, said = process.communicate(timeout=_LONGEST)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            said = f"ended after {_LONGEST:.0f} s"
        lines = records.read_text("utf-8").splitlines() if records.is_file() else []
    told = [json.loads(line) for line in lines]
    figures = [Figure.model_validate(line) for line in told if "skipped" not in line]
    skipped = "; ".join(line["skipped"] for line in told if "skipped" in line)
    if process.returncode:
        return figures, skipped, _reason(said) or f"exit code {process.returncode}"
    names = [figure.name for figure in figures]
    twice = sorted({name for name in names if names.count(name) > 1})
    return figures, skipped, f"two figures are named {twice[0]!r}" if twice else ""


def _reason(said: str) -> str:
    """The error of a traceback, else the last line."""
    lines = said.strip().splitlines()
    errors = [line for line in lines if _ERROR.match(line)]
    return [*lines[-1:], *errors][-1] if lines else ""


def typical(runs: Sequence[Sequence[Figure]]) -> tuple[Figure, ...]:
    """Of each figure the run with the median ratio, and the range of its ratios."""
    if len(runs) == 1:
        return tuple(runs[0])
    found = []
    for name in dict.fromkeys(one.name for run in runs for one in run):
        same = [one for run in runs for one in run if one.name == name]
        ratios = [one.ratio for one in same if one.ratio is not None]
        if len(ratios) < len(same):
            found.append(next((one for one in same if one.met is False), same[0]))
            continue
        middle = statistics.median_low(ratios)
        best = next(one for one in same if one.ratio == middle)
        found.append(best.model_copy(update={"low": min(ratios), "high": max(ratios)}))
    return tuple(found)


if __name__ == "__main__":
    sys.exit(main())
