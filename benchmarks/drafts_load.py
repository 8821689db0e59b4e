"""How many drafts a minute one machine looks at: with the embedded judge, and with a model.

``python -m benchmarks.drafts_load [--speed READ/WRITE ..]``. The embedded judge is measured here,
on real reviews and papers (a minute). Of a model the tokens of each draft are those of ``audit
--dry-run``, and its server reads and writes so many a second, all calls together; nothing is
measured at a server. Then drafts come at random (Poisson) to `reviewscore drafts` with its limits.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import random
import statistics
import sys
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks.measure import QUICK, SHARED, skip
from benchmarks.own_machine import SPEEDS
from reviewscore.config import Settings
from reviewscore.period.drafts import DraftLimits, DraftPaper, Drafts, private_folder
from reviewscore.runs.estimate import estimate
from reviewscore.schema.paper import Paper
from reviewscore.schema.review import Review
from reviewscore.sources.collection import Collection, of_file, read_collection

SOURCE = SHARED / "iclr2022" / "batch100"
DRAFTS = 8 if QUICK else 60
COMING = 2_000 if QUICK else 20_000
"""Drafts of a simulation."""
LOADS = (0.5, 0.8)
"""Shares of the most that a server could do at which answers are timed."""
PROTOCOLS = ("presupposition", "economy", "paper")
LIMITS = DraftLimits()
_TINY = 1e-5
"""Seconds; clocks of long simulations have no finer ones."""


@dataclass
class Load:
    """What came of drafts that came at random.

    Attributes:
        waits: Seconds from sending to the answer, of those that were answered in time.
        refused: Those that found the queue full.
        late: Those that passed the limit of time.
    """

    waits: list[float] = field(default_factory=list)
    refused: int = 0
    late: int = 0

    @property
    def sent(self) -> int:
        """All of them."""
        return len(self.waits) + self.refused + self.late


def simulated(
    seconds: Sequence[float], per_minute: float, limits: DraftLimits, *, drafts: int, seed: int = 1
) -> Load:
    """Drafts that share one machine: so many at once, each slower by as many as there are.

    Args:
        seconds: Of drafts that have the machine for themselves, to draw from.
        per_minute: Drafts that come.
        limits: Of the server.
        drafts: How many come.
        seed: Of the draws.
    """
    chance, load, now = random.Random(seed), Load(), 0.0
    working: list[list[float]] = []  # when it came, and the work that is left
    waiting: deque[list[float]] = deque()
    coming = chance.expovariate(per_minute / 60)
    left = drafts
    while left or working:
        ends = [one[1] * len(working) for one in working]
        ends += [one[0] + limits.seconds - now for one in (*working, *waiting)]
        until = now + min(ends, default=math.inf)
        arrives = left > 0 and coming <= until
        until = coming if arrives else until
        for one in working:
            one[1] -= (until - now) / len(working)
        now = until
        for one in [*working, *waiting]:
            late = now - one[0] >= limits.seconds - _TINY
            if late or (one in working and one[1] <= _TINY):
                (working if one in working else waiting).remove(one)
                load.late += late
                load.waits += [] if late else [now - one[0]]
        if arrives:
            left, coming = left - 1, now + chance.expovariate(per_minute / 60)
            if len(working) + len(waiting) >= limits.at_once + limits.waiting:
                load.refused += 1
            else:
                waiting.append([now, chance.choice(seconds)])
        while waiting and len(working) < limits.at_once:
            working.append(waiting.popleft())
    return load


def pairs(count: int) -> list[tuple[Review, Paper]]:
    """Real reviews with their papers, one a paper."""
    collection = read_collection(SOURCE)
    found: dict[str, tuple[Review, Paper]] = {}
    for review in collection.reviews:
        if len(found) < count and review.paper_id not in found:
            found[review.paper_id] = review, collection.paper(review.paper_id)
    return list(found.values())


async def embedded(drafts: Sequence[tuple[Review, Paper]]) -> tuple[list[float], float]:
    """Seconds of each draft alone, and drafts a minute with two at once; the judge is lexical."""
    with private_folder() as folder:
        server = Drafts(Settings(), folder, DraftLimits(per_day=10**6))

        async def look(number: int) -> None:
            review, paper = drafts[number]
            given = DraftPaper(text=paper.text, title=paper.title)
            await server.suggest(str(number), review.fields, given)

        await look(0)  # loads what is loaded once
        alone = []
        for number in range(len(drafts)):
            began = time.perf_counter()
            await look(number)
            alone.append(time.perf_counter() - began)
        began, numbers = time.perf_counter(), iter(range(len(drafts)))

        async def one_after_another() -> None:
            for number in numbers:
                await look(number)

        await asyncio.gather(*(one_after_another() for _ in range(LIMITS.at_once)))
        return alone, 60 * len(drafts) / (time.perf_counter() - began)


async def tokens(
    drafts: Sequence[tuple[Review, Paper]], protocol: str
) -> list[tuple[float, float, float]]:
    """Tokens of each draft: read, found in the server's cache, and written."""
    settings = Settings.model_validate({"model": "ollama/x", "protocol": protocol})
    found = []
    for review, paper in drafts:
        estimated = await estimate(Collection({paper.paper_id: of_file(paper)}, [review]), settings)
        asked = estimated.command
        assert asked is not None
        found.append((asked.input_tokens, asked.cached_tokens, asked.output_tokens))
    return found


def short(value: float) -> str:
    """A number of two digits, or without its fraction."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def row(name: str, alone: Sequence[float], per_minute: float) -> str:
    """A line of the table.

    Args:
        name: The judge.
        alone: Seconds of each draft alone.
        per_minute: The most drafts a minute.
    """
    share = per_minute * statistics.mean(alone) / 60  # of more than one processor that is used
    work = [one / share for one in alone]
    cells = [f"{short(statistics.median(alone))} s", short(per_minute)]
    for part in LOADS:
        rate = part * per_minute
        load = simulated(work, rate, LIMITS, drafts=COMING)
        ranked = sorted(load.waits)
        half, most = (ranked[int(at * (len(ranked) - 1))] if ranked else 0 for at in (0.5, 0.95))
        waits = f"{short(half)} / {short(most)} s" if ranked else "none"
        cells.append(f"{waits}; {load.refused / load.sent:.1%}; {load.late / load.sent:.1%}")
    return f"| {name} | {' | '.join(cells)} |"


def main() -> None:
    """Measure, simulate and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    told = "tokens that the server reads and writes a second; may be given several times"
    parser.add_argument("--speed", action="append", metavar="READ/WRITE", help=told)
    options = parser.parse_args(sys.argv[1:] if __name__ == "__main__" else [])
    if not SOURCE.is_dir():
        skip(f"no data at {SOURCE}")
        return
    speeds = [tuple(map(float, text.split("/"))) for text in options.speed or ()] or SPEEDS
    drafts = pairs(DRAFTS)
    names = [
        f"at {part:.0%} of that: answer, half and 95 % within; refused; late" for part in LOADS
    ]
    print(f"| judge | a draft alone (median) | drafts a minute at most | {' | '.join(names)} |")
    print("|" + "---|" * (3 + len(LOADS)))
    alone, per_minute = asyncio.run(embedded(drafts))
    print(row("`lexical`, measured", alone, per_minute), flush=True)
    for protocol in PROTOCOLS:
        asked = asyncio.run(tokens(drafts, protocol))
        for read, write in speeds:
            alone = [(new - kept) / read + out / write for new, kept, out in asked]
            name = f"`{protocol}`, {read:,.0f} / {write:,.0f} tokens a second"
            print(row(name, alone, 60 / statistics.mean(alone)), flush=True)
        mean = [statistics.mean(column) for column in zip(*asked, strict=True)]
        words = "{:,.0f} tokens read, {:,.0f} of them again from the cache, {:,.0f} written"
        print(f"<!-- {protocol}: {words.format(*mean)} a draft -->", flush=True)


if __name__ == "__main__":
    main()
