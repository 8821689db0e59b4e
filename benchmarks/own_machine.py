"""How long a model on a machine of one's own takes: 100 papers, and a venue of 76,000 reviews.

``python -m benchmarks.own_machine [--speed READ/WRITE ..]``. The calls are those of the simulation
of a venue (`benchmarks.venue_simulation`), by one server that reads and writes so many tokens a
second, all calls together; nothing is measured at a server. Papers are kept in its cache from call
to call, or read anew for each.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from dataclasses import replace

from benchmarks.measure import QUICK, SHARED, skip
from benchmarks.venue_assumptions import LENGTHS, Way, latency
from benchmarks.venue_engine import Outcome, Plan
from benchmarks.venue_simulation import Sizes
from benchmarks.venue_workload import Lengths, PaperShape, Protocol, real_shapes
from reviewscore.config import Settings
from reviewscore.judges.excerpts import excerpt_room
from reviewscore.sources.collection import read_collection

SOURCE = SHARED / "iclr2022" / "batch100"
SPEEDS = ((110.0, 10.0), (1_200.0, 60.0), (8_000.0, 1_500.0))
"""Tokens read and written a second; assumptions, of the order of a model of 1.5 billion parameters
on two cores, of 8 billion on one GPU of a desktop, and of 30 billion on a GPU of 80 GB."""
SMALL, LARGE = 100, 76_000
"""Papers, and reviews."""
CALLS = 8
"""Calls at once."""
WHOLE = 200 if QUICK else 2_000
"""Venues of up to so many papers are simulated whole."""
CONTEXT = 8_192
"""Tokens that a small model reads at once."""


def server(read: float, write: float, *, kept: bool, protocol: Protocol) -> Plan:
    """An audit by one server, whose tokens a second are all that limits it.

    Args:
        read: Tokens of prompts a second.
        write: Tokens of replies a second.
        kept: Whether a paper is found in the server's cache by all calls but the first.
        protocol: The calls.
    """
    return Plan(
        latency=latency(0.0),
        connections=CALLS,
        tokens=60.0,
        weights=(1 / read, 0.0 if kept else 1 / read, 1 / write),
        capacity="the server",
        open_reviews=CALLS,
        kept=math.inf if kept else -1.0,
        protocol=protocol,
    )


def excerpts(lengths: Lengths) -> Lengths:
    """What is shown of papers that a context of `CONTEXT` tokens does not hold."""
    settings = Settings(
        model="ollama/x", context="excerpts", context_tokens=CONTEXT, max_tokens=CONTEXT // 4
    )
    return replace(lengths, most=excerpt_room(settings))


def outcomes(
    shapes: Sequence[PaperShape], lengths: Lengths, speed: tuple[float, float]
) -> list[tuple[str, list[Outcome]]]:
    """Each way to ask, with both sizes; papers kept and read anew."""
    cases = [
        (f"{name}, papers {'kept' if kept else 'read anew'}", lengths, kept, Protocol(economy))
        for economy, name in ((False, "paper"), (True, "economy"))
        for kept in (True, False)
    ]
    name = f"paper, excerpts in {CONTEXT:,} tokens"
    cases.append((name, excerpts(lengths), False, Protocol()))
    reviews = sum(len(shape.reviews) for shape in shapes) / len(shapes)
    found = []
    for name, drawn, kept, protocol in cases:
        way = Way(name, server(*speed, kept=kept, protocol=protocol))
        sizes = Sizes(shapes, WHOLE, drawn)
        found.append((name, [sizes.of(way, SMALL), sizes.of(way, round(LARGE / reviews))]))
    return found


def hours(seconds: float) -> str:
    """A time in hours, and in days from four of them on."""
    value = seconds / 3600
    days = f" ({value / 24:,.0f} days)" if value >= 96 else ""
    return f"{value:,.0f} h{days}" if value >= 10 else f"{value:.1f} h"


def table(shapes: Sequence[PaperShape], speeds: Sequence[tuple[float, float]]) -> str:
    """The table in Markdown."""
    lengths = LENGTHS["submissions"]
    assert lengths is not None
    names = [f"{read:,.0f} / {write:,.0f}" for read, write in speeds]
    head = [f"{size} at {name}" for name in names for size in ("100 papers", "76,000 reviews")]
    tokens = ["M tokens in, of 100 papers", "M tokens out"]
    by_speed = [outcomes(shapes, lengths, speed) for speed in speeds]
    lines = [f"| protocol | {' | '.join([*tokens, *head])} |", "|" + "---|" * (3 + len(head))]
    for number, (name, (small, _)) in enumerate(by_speed[0]):
        cells = [f"{small.input / 1e6:.1f}", f"{small.output / 1e6:.2f}"]
        cells += [hours(one.seconds) for found in by_speed for one in found[number][1]]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _speed(text: str) -> tuple[float, float]:
    read, _, write = text.partition("/")
    return float(read), float(write)


def main() -> None:
    """Simulate and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    told = "tokens that the server reads and writes a second; may be given several times"
    parser.add_argument("--speed", type=_speed, action="append", metavar="READ/WRITE", help=told)
    options = parser.parse_args(sys.argv[1:] if __name__ == "__main__" else [])
    if not SOURCE.is_dir():
        skip(f"no data at {SOURCE}")
        return
    print(table(real_shapes(read_collection(SOURCE)), options.speed or SPEEDS))


if __name__ == "__main__":
    main()
