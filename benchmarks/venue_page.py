"""The page on the audit of a venue: tables, costs, assumptions and sensitivity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.results import Machine
from benchmarks.venue_assumptions import GPU_USD, GPUS, MODELS, STATED, Way
from benchmarks.venue_costs import UnitCosts, missing_reply
from benchmarks.venue_engine import Outcome, Plan
from reviewscore.judges.asker import ROOM_TO_THINK
from reviewscore.llm.parameters import reasons
from reviewscore.llm.prices import price_list
from reviewscore.schema.call import Usage
from reviewscore.schema.review import PointType

_ROUNDS_MEASURED = 4
"""Rounds of an argument on the loopback server."""


@dataclass(frozen=True)
class Venue:
    """An audit in one way, with its storage in GB (10^9 bytes)."""

    way: Way
    found: Outcome
    ledger: float
    records: float
    shards: float
    report: float


def venue_of(way: Way, found: Outcome, costs: UnitCosts) -> Venue:
    """Add what is stored."""
    missing = missing_reply(costs, found.output, found.calls)
    ledger = found.calls * (costs.ledger_call + missing * costs.packed)
    ledger += found.papers * costs.ledger_paper
    # A record tells the kinds apart; how many there are of each, the calls say.
    plain = (costs.records[PointType.QUESTION] + costs.records[PointType.CLAIM]) / 2
    arguments = found.arguments
    records = (found.points - arguments) * plain + arguments * costs.records[PointType.ARGUMENT]
    records += missing * found.calls
    return Venue(
        way=way,
        found=found,
        ledger=ledger / 1e9,
        records=records / 1e9,
        shards=records * costs.shard / 1e9,
        report=(found.points * costs.report + missing * found.calls) / 1e9,
    )


def money(way: Way, found: Outcome, model: str) -> float:
    """Dollars at list prices."""
    thinking = ROOM_TO_THINK if reasons(model) else 1
    usage = Usage(
        input_tokens=round(found.input),
        cached_tokens=round(found.cached),
        written_tokens=round(found.written),
        output_tokens=round(found.output * thinking),
    )
    return price_list().models[model].usd(usage, batch=way.batch, long=way.batch)


def table_lines(names: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A Markdown table and an empty line."""
    lines = [f"| {' | '.join(names)} |", "|" + "---|" * len(names)]
    return [*lines, *(f"| {' | '.join(one)} |" for one in rows), ""]


def _time(seconds: float) -> str:
    hours = seconds / 3600
    return (
        f"{hours:,.1f} h"
        if 0.1 <= hours < 100
        else f"{seconds / 60:,.1f} min"
        if hours < 0.1
        else f"{hours:,.0f} h ({hours / 24:,.0f} days)"
    )


def _millions(count: float) -> str:
    return f"{count / 1e6:,.3g}" if count < 1e9 else f"{count / 1e6:,.0f}"


def _usd(amount: float) -> str:
    return f"${amount:,.0f}"


def _asked(venues: Sequence[Venue]) -> list[str]:
    rows = []
    for one in venues:
        found = one.found
        prices = [_usd(money(one.way, found, model)) for model in MODELS]
        if one.way.gpus:
            prices = [
                f"GPUs {_usd(found.seconds / 3600 * GPUS * GPU_USD)}",
                *["-"] * (len(MODELS) - 1),
            ]
        rows.append([
            f"{found.papers:,}", one.way.name, f"{found.reviews:,}", f"{found.points:,}",
            f"{found.calls:,}", _millions(found.input), _millions(found.cached),
            _millions(found.output), *prices, _time(found.seconds), found.binds(one.way.plan),
        ])  # fmt: skip
    names = ["papers", "protocol", "reviews", "points", "calls", "input, M tokens",
             "… of it cached", "output", *MODELS, "time", "what binds"]  # fmt: skip
    return table_lines(names, rows)


def _bounds(venues: Sequence[Venue]) -> list[str]:
    rows = []
    for one in venues:
        alone = one.found.bounds(one.way.plan)
        cells = [_time(seconds) if seconds else "-" for seconds in alone.values()]
        rows.append([f"{one.found.papers:,}", one.way.name, *cells, _time(one.found.seconds)])
    names = ("connections", "requests a minute", "tokens a minute, or GPUs", "workers' processors")
    return table_lines(["papers", "protocol", *names, "all together"], rows)


def _stored(venues: Sequence[Venue]) -> list[str]:
    rows = [
        [f"{one.found.papers:,}", one.way.name, f"{one.ledger:.2f}", f"{one.shards:.2f}",
         f"{one.records:.2f}", f"{one.report:.2f}"]
        for one in venues if not one.way.batch and not one.way.gpus
    ]  # fmt: skip
    names = ["papers", "protocol", "ledger, GB", "shards, GB", "points.jsonl, GB", "reports, GB"]
    return table_lines(names, rows)


def _costs(costs: UnitCosts) -> list[str]:
    records = ", ".join(f"{kind} {size:,.0f}" for kind, size in costs.records.items())
    rows = [
        ["a paper: reading, sections, hidden text", f"{costs.paper_cpu * 1e3:.1f} ms of a core"],
        ["a call: client, pipeline, proofs, ledger", f"{costs.call_cpu * 1e3:.2f} ms of a core"],
        ["a point's record", f"{costs.point_cpu * 1e3:.3f} ms of a core"],
        ["a session before its first call", f"{costs.start:.1f} s"],
        ["a call in the ledger (SQLite)", f"{costs.ledger_call:,.0f} bytes"],
        ["a paper in the ledger", f"{costs.ledger_paper:,.0f} bytes"],
        ["a line of points.jsonl", f"{records} bytes"],
        ["a shard", f"{costs.shard:.2f} of its lines"],
        ["reports", f"{costs.report:,.0f} bytes a point"],
        ["text in the ledger", f"{costs.packed:.2f} of its length"],
        ["look-ups in the ledger", f"{costs.look_ups:,.0f}/s"],
    ]
    return table_lines(["what", f"measured here, {costs.measured_calls:,} calls"], rows)


def _changed(cases: Sequence[tuple[str, Outcome, Plan]]) -> list[str]:
    base = cases[0][1]
    rows = [
        [name, _time(one.seconds), f"{one.seconds / base.seconds:.2f}",
         f"{one.calls / base.calls:.2f}",
         f"{money(Way(name, plan), one, MODELS[0]) / money(Way(name, plan), base, MODELS[0]):.2f}",
         one.binds(plan)]
        for name, one, plan in cases
    ]  # fmt: skip
    names = ["what changes", "time", "time, times", "calls, times", "dollars, times", "what binds"]
    return table_lines(names, rows)


def page(
    venues: Sequence[Venue],
    costs: UnitCosts,
    cases: Sequence[tuple[str, Outcome, Plan]],
    *,
    tests: Sequence[Sequence[str]],
    checks: tuple[float, float, int, int],
    alarms: Sequence[str] = (),
    machine: Machine,
    about: str,
) -> str:
    """The whole page in Markdown."""
    calls, slope, checked, whole = checks
    busy = [] if machine.quiet else ["", "**The machine did other work: costs are too high.**"]
    lines = [
        "# The audit of a venue: time, money, storage",
        "",
        "Made by `python -m benchmarks.venue_simulation --write FILE`; not edited by hand. "
        f"{about}, {machine.cpu}, {machine.cores} cores, Python {machine.python}.",
        *busy,
        "",
        "Calls are simulated one by one: rounds of an argument follow each other, premises are "
        "judged at once, the first call with a paper goes alone, urgent calls go first, reviews "
        f"are opened in order. Venues of more than {whole:,} papers follow the slope from "
        f"{whole // 2:,} to {whole:,} papers; at {checked:,} papers that gives {slope:.3f} of the "
        f"time of the whole simulation. A paper has {calls:.3f} of the calls that "
        "`audit --dry-run` counts.",
        "",
        "## Calls, dollars and hours",
        "",
        f"Prices: {price_list().source}. Input and output in millions of tokens.",
        "",
        *_asked(venues),
        "## What each limit alone would ask for",
        "",
        *_bounds(venues),
        "## Storage",
        "",
        *_stored(venues),
        "## Against real runs",
        "",
        "On the loopback server, on papers that no cost was measured on; the simulation is given "
        "the types, rounds and premises that came up.",
        "",
        *table_lines(["run", "predicted", "measured", "ratio (goal: 0.85 to 1.15)"], tests),
        f"## What doubles when something halves ({cases[0][1].papers:,} papers, `paper`)",
        "",
        *_changed(cases),
        *alarms,
        "## Measured costs",
        "",
        *_costs(costs),
        "## Assumptions",
        "",
        *table_lines(["what", "taken as", "from"], [*_from_data(costs), *map(list, STATED)]),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _from_data(costs: UnitCosts) -> list[list[str]]:
    return [
        ["reviews, points, types", "those of 100 papers of ICLR 2022 with three reviews each, "
         "written by models, repeated; types by the embedded rules",
         "real data (`iclr2022/batch100`)"],
        ["rounds, premises, tokens of instructions and replies", "means of 3.09 rounds (geometric, "
         "at most ten) and 4.14 premises; 250 tokens a reply, thrice that for a reconstruction",
         "`reviewscore/runs/estimate.py` (ReviewScore, table 5 and sec. 3.3); replies: its guess"],
        ["stored replies", f"longer than the measured {costs.reply:.0f} bytes, by what 250 tokens "
         "of four characters come to; compressed in the ledger, whole in records and reports",
         "measured here, and the estimate's reply length"],
        ["a paper in the ledger", "as large as those measured, which are shorter than submissions",
         "measured here: a lower bound"],
        ["an argument's record", f"as measured, with {_ROUNDS_MEASURED} rounds",
         "measured here: an upper bound"],
        ["time of proofs", "part of a call's time on its worker's core, though provers are "
         "processes of their own", "measured here: an upper bound"],
    ]  # fmt: skip
