"""The page on a venue: dollars, storage, and an origin for whatever is assumed."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.results import Machine
from benchmarks.venue_assumptions import MODELS, STATED, Way, online, ways
from benchmarks.venue_costs import UnitCosts
from benchmarks.venue_engine import Outcome, simulated
from benchmarks.venue_page import money, page, venue_of
from benchmarks.venue_workload import PaperShape, Point, venue
from reviewscore.llm.prices import price_list
from reviewscore.schema.review import PointType

COSTS = UnitCosts(
    paper_cpu=0.05, call_cpu=0.005, point_cpu=1e-5, start=1.0, ledger_call=2500,
    ledger_paper=27_000, records=dict.fromkeys(PointType, 3000.0), shard=0.7, report=1900,
    packed=0.3, reply=500, look_ups=50_000, measured_calls=1000,
)  # fmt: skip
SHAPE = PaperShape(17_000, ((500, (Point(PointType.CLAIM, 60), Point(PointType.ARGUMENT, 60))),))


def outcome(way: Way, papers: int = 20) -> Outcome:
    return simulated(venue([SHAPE], papers, rounds=10), way.plan)


def test_dollars_are_list_prices_with_the_cache_and_half_in_batch_jobs() -> None:
    found = Outcome(input=3e6, cached=1e6, written=0, output=1e6)
    plain = Way("paper", online(COSTS))

    assert money(plain, found, "gpt-4.1-mini") == 2 * 0.4 + 0.1 + 1.6
    assert money(replace(plain, batch=True), found, "gpt-4.1-mini") == (2 * 0.4 + 0.1 + 1.6) / 2


def test_reasoning_is_paid_as_output() -> None:
    found, way = Outcome(output=1e6), Way("paper", online(COSTS))

    assert money(way, found, "gpt-5.6-luna") == 4 * price_list().models["gpt-5.6-luna"].output


def test_storage_grows_with_calls_papers_and_points() -> None:
    way = ways(COSTS)[0]
    few, many = (venue_of(way, outcome(way, papers), COSTS) for papers in (20, 40))

    for name in ("ledger", "records", "shards", "report"):
        assert 1.9 < getattr(many, name) / getattr(few, name) < 2.1


def test_the_page_has_every_way_and_an_origin_for_each_assumption() -> None:
    machine = Machine(
        cpu="a", cores=2, memory_gb=8, system="s", python="3.11", load_start=(9, 9, 9),
        load_end=(0, 0, 0),
    )  # fmt: skip
    venues = [venue_of(way, outcome(way), COSTS) for way in ways(COSTS)]
    plan = online(COSTS)

    text = page(
        venues, COSTS, [("as above", outcome(Way("paper", plan)), plan)],
        tests=[("a run", "1 s", "1 s", "1.00")], checks=(1.0, 1.0, 20_000, 4_000),
        machine=machine, about="today",
    )  # fmt: skip

    assert "The machine did other work" in text
    assert all(name in text for name in (*MODELS, *(way.name for way in ways(COSTS))))
    assert all(origin for _, _, origin in STATED)
    assert "reviews under way" in text or "chains of calls" in text
