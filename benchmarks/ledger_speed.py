"""The ledger: look-ups and recorded calls a second, SQLite beside PostgreSQL.

``python -m benchmarks.ledger_speed WHAT KIND PLACE SECONDS`` is one process at it; without
arguments all are measured, several at once on one ledger as in a run on several computers.
"""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.measure import ROOT, head, row
from reviewscore.llm.ledger.database import Ledger
from reviewscore.llm.ledger.store import Location
from reviewscore.schema.call import Call, Completion, Message, Request, Usage

CALLS, AT_ONCE, SECONDS = 10_000, 64, 3.0
PROCESSES = (1, 4)
LOOK_UPS = 1000
"""Goal: look-ups a second in PostgreSQL, by all processes together."""


def call(number: int, who: str = "", *, prefix: str = "A paper. " * 5000, task: str = "") -> Call:
    """A call as an audit records it; a paper that many begin with is stored once."""
    request = Request(
        model="x",
        system="You judge reviews of papers.",
        prefix=prefix,
        task=task,
        messages=(Message(role="user", content=f"Point {who}{number}. " * 20),),
        schema_name="R",
        reply_schema="{}",
    )
    return Call(
        key=f"{who}{number:064x}",
        place="bench",
        stage="claim_factuality",
        request=request,
        completion=Completion(
            text="a reply of some length " * 20, model="x", usage=Usage(input_tokens=3000)
        ),
        attempts=1,
        started="2026-01-01T00:00:00.000+00:00",
        seconds=1.0,
        usd=0.01,
    )


async def fill(place: Location) -> None:
    """Put calls into an empty ledger."""
    ledger = Ledger(place, run="bench")
    for start in range(0, CALLS, 500):
        await asyncio.gather(*(ledger.add(call(start + number)) for number in range(500)))
    ledger.close()


def wait_for_the_others() -> None:
    """All processes begin when the last one has loaded its modules."""
    print("ready", flush=True)
    sys.stdin.readline()


async def look_up(place: Location, seconds: float) -> float:
    """Look-ups a second of one process, as many at once as an audit makes."""
    ledger, rng, count = Ledger(place, run="other"), random.Random(), 0
    await ledger.find("")
    wait_for_the_others()
    end = time.perf_counter() + seconds

    async def looker() -> None:
        nonlocal count
        while time.perf_counter() < end:
            assert await ledger.find(f"{rng.randrange(CALLS):064x}") is not None
            count += 1

    await asyncio.gather(*(looker() for _ in range(AT_ONCE)))
    ledger.close()
    return count / seconds


async def record(place: Location, seconds: float) -> float:
    """Calls a second that one process claims and records, as many at once as an audit makes."""
    who, count = f"{random.getrandbits(64):x}-", 0
    ledger = Ledger(place, run=who)
    wait_for_the_others()
    end = time.perf_counter() + seconds

    async def sender() -> None:
        nonlocal count
        while time.perf_counter() < end:
            one, count = call(count, who), count + 1
            assert await ledger.claim(one.key, 0.01, seconds=60)
            await ledger.add(one)

    await asyncio.gather(*(sender() for _ in range(AT_ONCE)))
    ledger.close()
    return count / seconds


def together(what: str, place: Location, processes: int) -> float:
    """The sum over processes that work at the same time."""
    kind = "database" if isinstance(place, str) else "folder"
    line = [sys.executable, "-m", "benchmarks.ledger_speed", what, kind, str(place), str(SECONDS)]
    pipe = subprocess.PIPE
    begun = [
        subprocess.Popen(line, cwd=ROOT, stdin=pipe, stdout=pipe, text=True)
        for _ in range(processes)
    ]
    for one in begun:
        assert one.stdout is not None
        assert one.stdout.readline() == "ready\n"
    for one in begun:
        assert one.stdin is not None
        one.stdin.write("\n")
        one.stdin.flush()
    rates = [float(one.communicate()[0]) for one in begun]
    assert not any(one.returncode for one in begun)
    return sum(rates)


def main() -> None:
    """Measure both, at the same sizes."""
    from tests.postgres import programs, running

    head(f"The ledger: SQLite and PostgreSQL, {CALLS:,} calls in it")
    if programs() is None:
        print("| skipped, PostgreSQL is not installed | | | | |")
        return
    with tempfile.TemporaryDirectory() as work:
        places: dict[str, Location] = {"SQLite": Path(work), "PostgreSQL": running().database()}
        for place in places.values():
            asyncio.run(fill(place))
        for what, name in (("look_up", "look-ups"), ("record", "calls claimed and recorded")):
            for processes in PROCESSES:
                rate = {kind: together(what, place, processes) for kind, place in places.items()}
                row(
                    f"{name}, {processes} at work, in PostgreSQL",
                    f"{rate['PostgreSQL']:,.0f}/s",
                    f"SQLite {rate['SQLite']:,.0f}/s",
                    rate["PostgreSQL"] / rate["SQLite"],
                    f">= {LOOK_UPS:,}/s" if what == "look_up" else "",
                )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        chosen: Location = sys.argv[3] if sys.argv[2] == "database" else Path(sys.argv[3])
        measured = look_up if sys.argv[1] == "look_up" else record
        print(asyncio.run(measured(chosen, float(sys.argv[4]))))
    else:
        main()
