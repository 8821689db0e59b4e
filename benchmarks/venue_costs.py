"""What a paper, a call and a point cost here: measured on small runs against the loopback server.

Costs of a call are those of a longer run less those of a shorter one, so that what a program
costs that does nothing falls out.
"""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import QUICK, ROOT, SHARED, run
from reviewscore.llm.ledger.database import Ledger
from reviewscore.llm.ledger.store import FILE
from reviewscore.llm.ledger.tables import pack, unpack
from reviewscore.papers.parts import shown
from reviewscore.runs.shards import Shard, Shards
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.review import PointType
from reviewscore.sources.collection import Collection, read_collection

FEW, MANY = (1, 3) if QUICK else (4, 16)
"""Papers of the shorter and the longer run."""
_CHARACTERS = 4
_LOOKS = 2000


@dataclass(frozen=True)
class UnitCosts:
    """Measured costs; bytes on disk, seconds of one core.

    Attributes:
        start: Seconds that a session takes before its first call.
        records: Bytes of a line of points.jsonl by the point's type.
        shard: Bytes of a shard a byte of its records.
        packed: Bytes of compressed text a byte of text.
        reply: Bytes of the measured replies that a call has at the mean.
    """

    paper_cpu: float
    call_cpu: float
    point_cpu: float
    start: float
    ledger_call: float
    ledger_paper: float
    records: dict[PointType, float]
    shard: float
    report: float
    packed: float
    reply: float
    look_ups: float
    measured_calls: int


@dataclass(frozen=True)
class Ran:
    """A finished run."""

    out: Path
    session: float
    cpu: float
    calls: int


def part(source: Path, folder: Path, first: int, papers: int) -> Path:
    """Some papers of a collection with their reviews, as a folder of its own."""
    import pandas as pd

    table = pd.read_parquet(source / "papers.parquet").iloc[first : first + papers]
    reviews = pd.read_parquet(source / "reviews.parquet")
    folder.mkdir(parents=True)
    table.to_parquet(folder / "papers.parquet")
    reviews[reviews.paper_id.isin(table.paper_id)].to_parquet(folder / "reviews.parquet")
    return folder


def audited(data: Path, out: Path, *, latency: float, connections: int) -> Ran:
    """Audit a folder by a model on the loopback server, with a ledger of its own."""
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.loopback", "--brief", "--latency", str(latency)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        done = run(
            "-m", "reviewscore", "audit", str(data), "-o", str(out), "--quiet",
            "--model", "openai/loopback", "--base-url", url,
            "--max-connections", str(connections),
            env={"REVIEWSCORE_CACHE_DIR": str(_cache(out))},
        )  # fmt: skip
    finally:
        server.kill()
        server.wait()
    manifest = json.loads((out / "manifest.json").read_text("utf-8"))
    return Ran(out, manifest["times"][-1][1], done.cpu_seconds, manifest["spending"]["calls"])


def _cache(out: Path) -> Path:
    return out.with_name(f"{out.name}-cache")


def unit_costs(folder: Path) -> UnitCosts:
    """Measure all of them; takes about half a minute."""
    source = SHARED / "iclr2022" / "batch100"
    little = audited(part(source, folder / "few", 0, FEW), folder / "run-few",
                     latency=0.02, connections=16)  # fmt: skip
    data = part(source, folder / "many", FEW, MANY)
    much = audited(data, folder / "run-many", latency=0.02, connections=16)
    collection = read_collection(data)
    loads, reports = _load_seconds(collection), [_report(one.out) for one in (little, much)]
    scores = _scores(much.out)
    points = len(scores) - len(_scores(little.out))
    began = time.process_time()
    lines = [one.model_dump_json() for one in scores]
    record = (time.process_time() - began) / len(scores)
    extra = (MANY - FEW) * loads + points * record + reports[1][0] - reports[0][0]
    call_cpu = (much.cpu - little.cpu - extra) / (much.calls - little.calls)
    by_type = {
        kind: _mean([len(line) + 1 for line, one in zip(lines, scores, strict=True)
                     if one.type is kind] or [len(line) + 1 for line in lines])
        for kind in PointType
    }  # fmt: skip
    ledger_call, ledger_paper, reply = _ledger(much)
    text = "\n".join(text for one in collection.reviews for text in one.fields.values())
    return UnitCosts(
        paper_cpu=loads,
        call_cpu=max(call_cpu, 1e-4),
        point_cpu=record,
        start=max(0.0, little.session - little.calls * max(call_cpu, 1e-4)),
        ledger_call=ledger_call,
        ledger_paper=ledger_paper,
        records=by_type,
        shard=_shard_bytes(scores, folder / "shards") / sum(map(len, lines)),
        report=(reports[1][1] - reports[0][1]) / points,
        packed=len(pack(text)) / len(text.encode()),
        reply=reply,
        look_ups=_look_ups(much),
        measured_calls=little.calls + much.calls,
    )


def missing_reply(costs: UnitCosts, output_tokens: float, calls: int) -> float:
    """Bytes by which real replies are longer at the mean than those that were measured."""
    return max(0.0, output_tokens / calls * _CHARACTERS - costs.reply)


def _mean(some: list[int]) -> float:
    return sum(some) / len(some)


def _load_seconds(collection: Collection) -> float:
    began = time.process_time()
    for name in collection.papers:
        shown(collection.paper(name), "auto")
    return (time.process_time() - began) / len(collection.papers)


def _scores(out: Path) -> list[PointScore]:
    lines = (out / "points.jsonl").read_text("utf-8").splitlines()
    return [PointScore.model_validate_json(line) for line in lines]


def _report(out: Path) -> tuple[float, int]:
    """Seconds of a core to write the reports again, and their bytes."""
    done = run("-m", "reviewscore", "report", str(out))
    others = {"points.jsonl", "manifest.json", "errors.jsonl"}
    files = [one for one in out.rglob("*") if one.is_file() and one.name not in others]
    return done.cpu_seconds, sum(one.stat().st_size for one in files)


def _ledger(ran: Ran) -> tuple[float, float, float]:
    """Bytes of the ledger a call and of a paper's prefix; bytes of a reply."""
    place = _cache(ran.out) / FILE
    with closing(sqlite3.connect(place)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (calls,) = db.execute("SELECT count(*) FROM calls").fetchone()
        count, held = db.execute("SELECT count(*), sum(length(text)) FROM prefixes").fetchone()
        replies = [len(unpack(one)) for (one,) in db.execute("SELECT reply FROM calls")]
    pages = os.path.getsize(place)  # noqa: PTH202
    return (pages - held) / calls, held / count, _mean(replies)


def _shard_bytes(scores: list[PointScore], folder: Path) -> int:
    shards = Shards(str(folder))
    for paper in dict.fromkeys(one.paper_id for one in scores):
        some = tuple(one for one in scores if one.paper_id == paper)
        shards.write(Shard(decisive_sha256="0" * 64, paper_id=paper, scores=some))
    return sum(one.stat().st_size for one in folder.iterdir())


def _look_ups(ran: Ran) -> float:
    with closing(sqlite3.connect(_cache(ran.out) / FILE)) as db:
        keys = [key for (key,) in db.execute("SELECT key FROM calls LIMIT ?", (_LOOKS,))]

    async def looked() -> float:
        book = Ledger(_cache(ran.out), run="other")
        began = time.perf_counter()
        found = await asyncio.gather(*map(book.find, keys))
        seconds = time.perf_counter() - began
        book.close()
        assert None not in found
        return seconds

    return len(keys) / asyncio.run(looked())
