"""Memory of a run with 1,000 papers in the queue whose calls go as batch jobs; ledger look-ups."""

from __future__ import annotations

import asyncio
import json
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from benchmarks.ledger_speed import call
from benchmarks.measure import QUICK, ROOT, SHARED, head, row, run, skip
from reviewscore.llm.ledger.database import Ledger
from reviewscore.llm.ledger.store import FILE
from reviewscore.schema.call import Call

PAPERS, CALLS, LOOKS = (100, 20_000, 200) if QUICK else (1000, 1_000_000, 2000)


def copies(folder: Path, papers: int) -> Path:
    """So many papers with three reviews each, made of batch100."""
    import pandas as pd

    source = SHARED / "iclr2022" / "batch100"
    table = pd.read_parquet(source / "papers.parquet")
    reviews = pd.read_parquet(source / "reviews.parquet")
    all_papers, all_reviews = [], []
    for number in range(papers // len(table)):
        mark = f"-{number}"
        all_papers.append(
            table.assign(paper_id=table.paper_id + mark, text=table.text + f"\nCopy {number}.")
        )
        all_reviews.append(
            reviews.assign(paper_id=reviews.paper_id + mark, review_id=reviews.review_id + mark)
        )
    folder.mkdir()
    pd.concat(all_papers).to_parquet(folder / "papers.parquet", row_group_size=50)
    pd.concat(all_reviews).to_parquet(folder / "reviews.parquet")
    return folder


def queue(work: Path) -> None:
    """A whole run in batch jobs, only the BASE score, to keep the measurement short."""
    data = copies(work / "data", PAPERS)
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.loopback", "--brief"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        result = run(
            "-m", "reviewscore", "audit", str(data), "-o", str(work / "run"), "--quiet",
            "--model", "openai/loopback", "--base-url", url, "--batch", "--score", "base",
            "--no-cache", env={"REVIEWSCORE_POINTS": "rules"},
        )  # fmt: skip
    finally:
        server.kill()
        server.wait()
    spent = json.loads((work / "run" / "manifest.json").read_text())["spending"]
    baseline = run("-c", "import reviewscore.cli.audit, openai, pandas, pyarrow.parquet")
    row(
        f"{PAPERS} papers in batch jobs",
        f"{result.peak_mb:.0f} MB, {result.seconds:.0f} s, {spent['calls']:,} calls",
        f"imports only {baseline.peak_mb:.0f} MB",
        result.peak_mb / baseline.peak_mb,
        "<= 500 MB",
    )


def call_of(number: int) -> Call:
    """A call of ordinary size."""
    task = "Judge this point of a review. " * 20
    return call(number, prefix=f"paper {number % 1000}", task=task)


async def fill(folder: Path) -> float:
    """Record many calls through the ledger itself, then copy them until there are a million."""
    ledger, first = Ledger(folder, run="bench"), CALLS // 20
    began = time.perf_counter()
    for start in range(0, first, 1000):
        await asyncio.gather(*(ledger.add(call_of(start + number)) for number in range(1000)))
    seconds = time.perf_counter() - began
    ledger.close()
    with closing(sqlite3.connect(folder / FILE)) as db:
        columns = "place, model, stage, run, prefix, request, reply, answered, input, cached, " \
            "written, output, usd, batch, attempts, started, seconds"  # fmt: skip
        for number in range(1, 20):
            db.execute(
                f"INSERT INTO calls (key, {columns}) SELECT "
                f"printf('%016x', {number}) || substr(key, 17), {columns} FROM calls "
                f"WHERE id <= {first}"
            )
        db.commit()
    return first / seconds


def ledger(work: Path) -> None:
    """Look-ups among a million calls, beside reading the same rows with sqlite3 alone."""
    rate = asyncio.run(fill(work / "ledger"))
    rng, book = random.Random(0), Ledger(work / "ledger", run="other")
    keys = [
        f"{rng.randrange(20):016x}" + f"{rng.randrange(CALLS // 20):064x}"[16:]
        for _ in range(LOOKS)
    ]

    async def timed(key: str) -> float:
        began = time.perf_counter()
        assert await book.find(key) is not None
        return time.perf_counter() - began

    async def one_by_one() -> list[float]:
        return [await timed(key) for key in keys]

    times, bare = asyncio.run(one_by_one()), []
    with closing(sqlite3.connect(work / "ledger" / FILE)) as db:
        (count,) = db.execute("SELECT count(*) FROM calls").fetchone()
        for key in keys:
            began = time.perf_counter()
            db.execute("SELECT reply FROM calls WHERE key = ?", (key,)).fetchone()
            bare.append(time.perf_counter() - began)
    book.close()
    middle, late = statistics.median(times), sorted(times)[int(0.99 * LOOKS)]
    row(
        f"look-up among {count:,} calls",
        f"median {middle * 1e3:.3f} ms, 99 % {late * 1e3:.3f} ms",
        f"sqlite3 alone {statistics.median(bare) * 1e3:.3f} ms",
        middle / statistics.median(bare),
        "< 1 ms",
    )
    row("calls recorded, 1,000 at once", f"{rate:.0f}/s", "1,000/s", rate / 1000, ">= 1")


def main() -> None:
    """Measure memory and the ledger."""
    head("A long queue, and a large ledger")
    with tempfile.TemporaryDirectory() as work:
        if SHARED.is_dir():
            queue(Path(work))
        else:
            skip(f"the long queue: no data at {SHARED}")
        ledger(Path(work))


if __name__ == "__main__":
    main()
