"""What the audit of a venue takes: time, money and storage for 1,000 to 100,000 papers.

``python -m benchmarks.venue_simulation [--write FILE] [--whole PAPERS]``. What a paper, a call and
a point cost is measured here first, on this machine; the calls are then simulated one by one with
their order, their places and their limits. The simulation is put to the test against real runs on
the loopback server. `benchmarks.venue_assumptions` holds what is taken as given.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import starmap
from pathlib import Path

from benchmarks.measure import QUICK, SHARED, head, row, skip
from benchmarks.results import commit_now, machine_now
from benchmarks.venue_assumptions import ARGUMENTS, LENGTHS, MODELS, Way, online, ways
from benchmarks.venue_budget import section
from benchmarks.venue_costs import FEW, MANY, UnitCosts, audited, part, unit_costs
from benchmarks.venue_engine import Latency, Outcome, Plan, simulated
from benchmarks.venue_page import page, venue_of
from benchmarks.venue_workload import Lengths, PaperShape, ran_shapes, real_shapes, venue
from reviewscore.config import Settings
from reviewscore.llm.prices import tokens_in
from reviewscore.runs.estimate import estimate
from reviewscore.runs.session import AHEAD
from reviewscore.sources.collection import Collection, read_collection

SOURCE = SHARED / "iclr2022" / "batch100"
SIZES = (1_000, 20_000, 100_000)
WHOLE = 500 if QUICK else 4_000
"""Venues of up to so many papers are simulated whole; larger ones by the slope between two."""
TESTS = ((16, 2, 1.0),) if QUICK else ((64, 36, 1.0), (16, 10, 1.0))
"""Connections, papers and latency of the runs that are predicted."""
ROUNDS = 10
COUNTS = ("papers", "reviews", "points", "arguments", "calls")
MEASURES = (
    "input",
    "cached",
    "written",
    "output",
    "weighed",
    "seconds",
    "waiting",
    "opened",
    "cpu",
)


@dataclass(frozen=True)
class Test:
    """A real run beside its prediction."""

    connections: int
    latency: float
    calls: int
    counted: int
    measured: float
    predicted: float


def constant(seconds: float) -> Latency:
    """Replies that all take as long."""
    return lambda chance, stage: seconds


def tested(folder: Path, costs: UnitCosts) -> list[Test]:
    """Predict real runs, on papers that no cost was measured on."""
    found, first = [], FEW + MANY
    for connections, papers, latency in TESTS:
        data = part(SOURCE, folder / f"test-{connections}", first, papers)
        first += papers
        ran = audited(data, folder / f"run-{connections}", latency=latency, connections=connections)
        collection = read_collection(data)
        tokens = {one: tokens_in(len(collection.paper(one).text)) for one in collection.papers}
        sizes = {
            one.review_id: tokens_in(sum(map(len, one.fields.values())))
            for one in collection.reviews
        }
        plan = Plan(
            latency=constant(latency),
            connections=connections,
            call_cpu=costs.call_cpu,
            paper_cpu=costs.paper_cpu,
            point_cpu=costs.point_cpu,
            open_reviews=connections * AHEAD,
        )
        told = simulated(iter(ran_shapes(ran.out, tokens, sizes)), plan)
        predicted = costs.start + told.seconds
        found.append(Test(connections, latency, ran.calls, told.calls, ran.session, predicted))
    return found


def counted_ratio(collection: Collection, shapes: Sequence[PaperShape]) -> float:
    """Calls of the simulated papers / calls that `audit --dry-run` says."""
    told = asyncio.run(estimate(collection, Settings(model=f"openai/{MODELS[0]}")))
    papers = 10 * len(shapes)
    plan = Plan(latency=lambda chance, stage: 0.0, connections=10_000, open_reviews=100)
    found = simulated(venue(shapes, papers, rounds=ROUNDS), plan)
    return found.calls / papers / (sum(told.calls.values()) / len(shapes))


class Sizes:
    """Venues of any size, in any way; each simulation is made once.

    Args:
        shapes: Real papers.
        whole: Most papers that are simulated whole.
        lengths: Of the papers; those of the real ones if not given.
    """

    def __init__(
        self, shapes: Sequence[PaperShape], whole: int, lengths: Lengths | None = None
    ) -> None:
        self._shapes, self._whole, self._lengths = shapes, whole, lengths
        self._known: dict[tuple[str, int], Outcome] = {}

    def of(self, way: Way, papers: int) -> Outcome:
        """A venue, simulated; beyond the most by the slope from half of that."""
        key = (way.name, papers)
        if key not in self._known:
            small = papers <= self._whole
            self._known[key] = self._simulated(way, papers) if small else self._beyond(way, papers)
        return self._known[key]

    def _simulated(self, way: Way, papers: int) -> Outcome:
        drawn = venue(self._shapes, papers, rounds=ROUNDS, lengths=self._lengths)
        return simulated(drawn, way.plan)

    def _beyond(self, way: Way, papers: int) -> Outcome:
        half = self._whole // 2
        low, high = self.of(way, half), self.of(way, self._whole)
        share = (papers - self._whole) / (self._whole - half)

        def value(name: str) -> float:
            one, two = getattr(low, name), getattr(high, name)
            return float(two + share * (two - one))

        return Outcome(
            **{name: value(name) for name in MEASURES},  # type: ignore[arg-type]
            **{name: round(value(name)) for name in COUNTS},  # type: ignore[arg-type]
        )


def sensitivity(
    shapes: Sequence[PaperShape], costs: UnitCosts, lengths: Lengths | None
) -> list[tuple[str, Outcome, Plan]]:
    """The smallest venue, with one thing changed at a time."""
    plan, papers = online(costs), min(SIZES[0], WHOLE)
    cases = [
        ("as above", plan, 10, False),
        ("replies take twice as long", online(costs, slower=2.0), 10, False),
        ("half the tokens a minute", replace(plan, tokens=plan.tokens / 2), 10, False),
        ("half the calls a minute", replace(plan, requests=plan.requests / 2), 10, False),
        ("half the connections", replace(plan, connections=plan.connections / 2,
                                         open_reviews=plan.open_reviews // 2), 10, False),
        ("half the workers", replace(plan, workers=plan.workers // 2), 10, False),
        ("only new input and replies count",
         replace(plan, weights=(1, 0, 1), reserved=0.0), 10, False),
        ("… and replies take twice as long",
         replace(online(costs, slower=2.0), weights=(1, 0, 1), reserved=0.0), 10, False),
        ("replies count with their own tokens", replace(plan, reserved=0.0), 10, False),
        ("three rounds at most", plan, 3, False),
        ("ten arguments in sixteen points", plan, 10, True),
        ("… with three rounds at most", plan, 3, True),
    ]  # fmt: skip

    def told(name: str, plan: Plan, rounds: int, many: bool) -> tuple[str, Outcome, Plan]:
        argued = ARGUMENTS if many else None
        papers_of = venue(shapes, papers, rounds=rounds, argued=argued, lengths=lengths)
        return name, simulated(papers_of, plan), plan

    sample = venue(shapes, papers, rounds=ROUNDS)
    changed = ("papers as long as the ICLR papers at hand", simulated(sample, plan), plan)
    return [*starmap(told, cases), changed]


def main() -> None:
    """Measure, test, simulate, print, and write the page if a file is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the page there too")
    told = "simulate venues of up to so many papers call by call"
    parser.add_argument("--whole", type=int, default=WHOLE, metavar="PAPERS", help=told)
    told = "lengths of papers (venue_assumptions)"
    parser.add_argument("--lengths", choices=LENGTHS, default="submissions", help=told)
    options = parser.parse_args(sys.argv[1:] if __name__ == "__main__" else [])
    if not SOURCE.is_dir():
        skip(f"no data at {SOURCE}")
        return
    machine = machine_now(os.getloadavg())
    with tempfile.TemporaryDirectory() as folder:
        costs = unit_costs(Path(folder))
        tests = tested(Path(folder), costs)
    collection = read_collection(SOURCE)
    shapes = real_shapes(collection)
    ratio = counted_ratio(collection, shapes)
    began, lengths = time.perf_counter(), LENGTHS[options.lengths]
    checked = min(5 * options.whole, SIZES[1])
    check = simulated(venue(shapes, checked, rounds=ROUNDS, lengths=lengths), online(costs))
    rate = check.calls / (time.perf_counter() - began)
    sizes = Sizes(shapes, options.whole, lengths)
    slope = sizes.of(Way("paper", online(costs)), checked).seconds / check.seconds
    _rows(tests, ratio, slope, rate, check)
    venues = [
        venue_of(way, sizes.of(way, papers), costs) for papers in SIZES for way in ways(costs)
    ]
    text = page(
        venues, costs, sensitivity(shapes, costs, lengths), tests=[_said(one) for one in tests],
        checks=(ratio, slope, checked, options.whole), alarms=section(),
        machine=machine, about=f"{datetime.now(UTC).date()}, commit `{commit_now()}`",
    )  # fmt: skip
    print(text)
    if options.write is not None:
        options.write.parent.mkdir(parents=True, exist_ok=True)
        options.write.write_text(text, "utf-8")


def _said(one: Test) -> tuple[str, str, str, str]:
    return (
        f"{one.calls:,} calls of {one.latency:g} s, {one.connections} at once",
        f"{one.predicted:.1f} s ({one.counted:,} calls)",
        f"{one.measured:.1f} s",
        f"{one.predicted / one.measured:.2f}",
    )


def _rows(tests: Sequence[Test], ratio: float, slope: float, rate: float, check: Outcome) -> None:
    """The figures that the results file keeps; each as the factor by which it is off."""
    head("Simulation of a venue, against what is known otherwise (factor by which it is off)")
    for one in tests:
        off = max(one.predicted / one.measured, one.measured / one.predicted)
        name = f"time of a real run, {one.connections} at once"
        base = f"measured {one.measured:.1f} s"
        row(name, f"{one.predicted:.1f} s predicted", base, off, "<= 1.15")
    row(
        "calls of a paper",
        f"{ratio:.3f} of it",
        "audit --dry-run",
        max(ratio, 1 / ratio),
        "<= 1.05",
    )
    base = f"the whole {check.seconds:.0f} s"
    told = f"{slope * check.seconds:.0f} s"
    row(
        "time of a large venue from the slope of small ones",
        told,
        base,
        max(slope, 1 / slope),
        "<= 1.05",
    )
    row("simulated calls", f"{rate:,.0f}/s", "-", None, "-")


if __name__ == "__main__":
    main()
