"""What Ray costs: an audit on two workers beside the same audit on one process.

``python -m benchmarks.ray_overhead``. Beside it, two halves of the papers are audited on two
processes at once. With a model, both have as many calls under way.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

from benchmarks.measure import QUICK, ROOT, SHARED, head, row, skip

CONNECTIONS = 64
LATENCY = 1.0
PAPERS = 4 if QUICK else 100


def main() -> None:
    """Measure both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=SHARED / "iclr2022" / "batch100")
    data = parser.parse_args(sys.argv[1:] if __name__ == "__main__" else []).data
    if not data.is_dir():
        skip(f"no data at {data}")
        return
    if find_spec("ray") is None:
        skip("Ray is not installed (pip install '.[ray]')")
        return
    head("Audit on Ray, two workers on this machine")
    with tempfile.TemporaryDirectory() as folder:
        _embedded(data, Path(folder))
        _with_model(data, Path(folder))


def _embedded(data: Path, folder: Path) -> None:
    data = _split(data, folder / "all", 1, most=PAPERS)[0]
    halves = _split(data, folder, 2)
    one = _split(data, folder / "one", 1, most=1)[0]
    alone = _seconds(_audit(data, folder / "alone"))
    began = time.perf_counter()
    for process in [_audit(half, folder / f"run-{half.name}") for half in halves]:
        _ended(process)
    by_hand = time.perf_counter() - began
    words = ("--engine", "ray", "--workers", "2")
    ray = _seconds(_audit(data, folder / "ray", *words))
    _ended(_audit(one, folder / "ray-one", *words))
    start, session = _session(folder / "ray-one"), _session(folder / "ray")
    same = _points(folder / "ray") == _points(folder / "alone")
    count = len(_points(folder / "ray"))
    row(
        "embedded judge, whole command",
        f"{ray:.1f} s for {count:,} points",
        f"one process: {alone:.1f} s",
        ray / alone,
        "<= 1.15",
    )
    row(
        "… scoring, without the start of Ray",
        f"{session - start:.1f} s (start and one paper: {start:.1f} s)",
        f"half of one process: {_session(folder / 'alone') / 2:.1f} s",
        2 * (session - start) / _session(folder / "alone"),
        "<= 1.15",
    )
    row(
        "… whole command, two halves by hand",
        f"{ray:.1f} s",
        f"two processes side by side: {by_hand:.1f} s",
        ray / by_hand,
        "-",
    )
    row("… the same records", "yes" if same else "no", "one process", None, "yes", met=same)


def _with_model(data: Path, folder: Path) -> None:
    data = _split(data, folder / "model", 1, most=PAPERS)[0]
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.loopback", "--latency", str(LATENCY)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        address = server.stdout.readline().split()[-1]
        words = ("--model", "openai/loop", "--base-url", address, "--no-cache")
        words = (*words, "--max-connections", str(CONNECTIONS))
        _ended(_audit(data, folder / "m-alone", *words))
        _ended(_audit(data, folder / "m-ray", *words, "--engine", "ray", "--workers", "2"))
    finally:
        server.kill()
        server.wait()
    alone, ray = _session(folder / "m-alone"), _session(folder / "m-ray")
    calls = json.loads((folder / "m-ray" / "manifest.json").read_text())["spending"]["calls"]
    row(
        f"calls of {LATENCY:.0f} s, {CONNECTIONS} at once, session",
        f"{ray:.1f} s for {calls:,} calls",
        f"one process: {alone:.1f} s",
        ray / alone,
        "<= 1.15",
    )
    same = _points(folder / "m-alone") == _points(folder / "m-ray")
    row("… the same records", "yes" if same else "no", "one process", None, "yes", met=same)


def _split(data: Path, folder: Path, parts: int, most: int | None = None) -> list[Path]:
    """The papers of a folder in so many parts."""
    import pandas as pd

    papers = pd.read_parquet(data / "papers.parquet").head(most or None)
    reviews = pd.read_parquet(data / "reviews.parquet")
    made = []
    for part in range(parts):
        here = folder / f"part{part}"
        here.mkdir(parents=True)
        mine = papers.iloc[part::parts]
        mine.to_parquet(here / "papers.parquet")
        reviews[reviews.paper_id.isin(mine.paper_id)].to_parquet(here / "reviews.parquet")
        made.append(here)
    return made


def _audit(data: Path, out: Path, *words: str) -> subprocess.Popen[bytes]:
    line = ["-m", "reviewscore", "audit", str(data), "-o", str(out), "-q", *words]
    return subprocess.Popen([sys.executable, *line], cwd=ROOT, stderr=subprocess.DEVNULL)


def _ended(process: subprocess.Popen[bytes]) -> None:
    if process.wait():
        raise SystemExit(f"{process.args!r} failed: {process.returncode}")


def _seconds(process: subprocess.Popen[bytes]) -> float:
    began = time.perf_counter()
    _ended(process)
    return time.perf_counter() - began


def _session(out: Path) -> float:
    times: list[tuple[str, float]] = json.loads((out / "manifest.json").read_text())["times"]
    return times[-1][1]


def _points(out: Path) -> list[str]:
    return sorted((out / "points.jsonl").read_text("utf-8").splitlines())


if __name__ == "__main__":
    main()
