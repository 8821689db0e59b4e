"""Calls to a server on loopback with 1 s latency, at most 64 at once, beside the ideal."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.batch import subset
from benchmarks.measure import QUICK, ROOT, SHARED, head, row, run, skip

CONNECTIONS = 64
LATENCY = 1.0
PAPERS = 2 if QUICK else 50


def main() -> None:
    """Measure how near a run comes to calls x latency / connections."""
    if not SHARED.is_dir():
        skip(f"no data at {SHARED}")
        return
    head(f"Model calls, {LATENCY:.0f} s each, at most {CONNECTIONS} at once")
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.loopback", "--latency", str(LATENCY)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        with tempfile.TemporaryDirectory() as work:
            data, out = subset(PAPERS, Path(work) / "data"), Path(work) / "run"
            result = run(
                "-m", "reviewscore", "audit", str(data), "-o", str(out), "--quiet",
                "--model", "openai/loopback", "--base-url", url,
                "--max-connections", str(CONNECTIONS),
            )  # fmt: skip
            manifest = json.loads((out / "manifest.json").read_text())
    finally:
        server.kill()
        server.wait()
    calls, asking = manifest["spending"]["calls"], manifest["times"][-1][1]
    ideal = calls * LATENCY / CONNECTIONS
    row(
        "asking only",
        f"{asking:.1f} s for {calls:,} calls",
        f"ideal {ideal:.1f} s",
        asking / ideal,
        "<= 1.10",
    )
    row(
        "… whole command, report included",
        f"{result.seconds:.1f} s, {result.cpu_seconds:.1f} s CPU",
        f"ideal {ideal:.1f} s",
        result.seconds / ideal,
        "<= 1.10",
    )


if __name__ == "__main__":
    main()
