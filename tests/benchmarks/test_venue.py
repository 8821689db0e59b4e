"""The simulation of a venue: order of calls, limits, and what it adds up."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.own_machine import CONTEXT, excerpts, server
from benchmarks.venue_assumptions import LENGTHS
from benchmarks.venue_engine import Outcome, Plan, simulated
from benchmarks.venue_workload import Lengths, PaperShape, Point, Protocol, venue
from reviewscore.runs.estimate import MEAN_PREMISES, MEAN_ROUNDS
from reviewscore.schema.review import PointType

CLAIM = Point(PointType.CLAIM, 100)
ARGUMENT = Point(PointType.ARGUMENT, 100, rounds=(False, True, True), premises=4)
PLAN = Plan(latency=lambda chance, stage: 1.0, connections=100, split=False)


def told(*points: Point, papers: int = 1, **changes: object) -> Outcome:
    plan = replace(PLAN, **changes)  # type: ignore[arg-type]
    return simulated(iter([PaperShape(1000, ((50, points),))] * papers), plan)


def test_the_calls_on_a_claim_follow_each_other() -> None:
    found = told(CLAIM)

    assert (found.calls, found.seconds) == (3, 3.0)


def test_economy_asks_for_the_type_and_for_all_premises_in_one_call_each() -> None:
    found = told(ARGUMENT, protocol=Protocol(economy=True))

    assert found.stages["point_type"] == 1
    assert found.stages["premises_factuality"] == 1


def test_economy_asks_for_no_type_where_a_model_split_the_review() -> None:
    found = told(ARGUMENT, CLAIM, protocol=Protocol(economy=True), split=True)

    assert found.stages["point_type"] == 0
    assert (found.stages["split_points"], found.stages["claim_factuality"]) == (1, 2)
    assert found.stages["reconstruct_argument"] == 3


def test_rounds_follow_each_other_and_premises_are_judged_at_once() -> None:
    found = told(ARGUMENT)

    # Type and extraction; three drafts, two of them judged; premises together.
    assert found.seconds == 1 + 1 + 3 + 2 + 1
    assert found.calls == 1 + 1 + 1 + 3 + 2 + 4


def test_the_first_call_with_a_paper_goes_alone_and_pays_for_it() -> None:
    found = told(CLAIM, CLAIM, CLAIM)

    assert found.seconds == 1 + 1 + 1 + 1  # two types' calls, the one ahead, the two that follow
    assert found.cached == 2 * found.written


def test_reserved_reply_tokens_count_in_the_limit_and_not_in_the_bill() -> None:
    plain, reserved = told(CLAIM), told(CLAIM, reserved=4096)

    assert reserved.output == plain.output
    assert reserved.weighed == pytest.approx(plain.weighed - plain.output + 3 * 4096)


def test_a_prefix_grows_cold() -> None:
    assert told(CLAIM, CLAIM, kept=-1.0).cached == 0


def test_with_one_place_calls_go_one_by_one() -> None:
    found = told(CLAIM, ARGUMENT, connections=1)

    assert found.seconds == found.calls
    assert found.binds(replace(PLAN, connections=1)) == "connections"


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"requests": 6.0}, "requests a minute"),
        ({"tokens": 6000.0}, "tokens a minute"),
        ({"call_cpu": 20.0}, "workers' processors"),
        ({}, "chains of calls"),
    ],
)
def test_the_limit_that_binds_is_named(changes: dict[str, float], name: str) -> None:
    plan = replace(PLAN, **changes)  # type: ignore[arg-type]
    found = simulated(iter([PaperShape(1000, ((50, (CLAIM,) * 4),))] * 20), plan)

    assert found.binds(plan) == name


POINTS = st.lists(
    st.builds(lambda flags, premises: Point(PointType.ARGUMENT, 80, tuple(flags), premises),
              st.lists(st.booleans(), min_size=1, max_size=4), st.integers(0, 3))
    | st.sampled_from([CLAIM, Point(PointType.QUESTION, 30)]),
    max_size=5,
)  # fmt: skip
PAPERS = st.lists(
    st.lists(POINTS, max_size=3).map(
        lambda some: PaperShape(500, tuple((40, tuple(one)) for one in some))
    ),
    max_size=5,
)


@settings(deadline=None, max_examples=60)
@given(PAPERS, st.integers(1, 9), st.integers(1, 4), st.integers(1, 3))
def test_every_call_is_made_once_and_no_limit_is_passed(
    papers: list[PaperShape], connections: int, open_reviews: int, workers: int
) -> None:
    plan = replace(
        PLAN, connections=connections, open_reviews=open_reviews, workers=workers, split=True,
        call_cpu=0.01, paper_cpu=0.1, point_cpu=0.001,
    )  # fmt: skip
    points = [point for paper in papers for _, some in paper.reviews for point in some]
    chains = [plan.protocol.chains(point, split=True) for point in points]
    calls = sum(count for first, then in chains for some in (first, *then) for _, count in some)

    found = simulated(iter(papers), plan)

    assert found.calls == calls + sum(len(paper.reviews) for paper in papers)
    assert found.points == len(points)
    assert found.calls == sum(found.stages.values())
    assert found.seconds >= max(found.bounds(plan).values()) - 1e-6
    assert found == simulated(iter(papers), plan)


def test_papers_are_read_when_their_turn_comes() -> None:
    taken: list[int] = []

    def papers() -> Iterator[PaperShape]:
        for number in range(50):
            taken.append(number)
            yield PaperShape(1000, ((50, (CLAIM,)),))

    seen: list[int] = []

    def latency(chance: object, stage: object) -> float:
        seen.append(len(taken))
        return 1.0

    simulated(papers(), replace(PLAN, latency=latency, open_reviews=5))

    assert max(seen[:15]) <= 6
    assert len(taken) == 50


def test_lengths_have_their_median_and_their_last_tenth_and_change_nothing_else() -> None:
    shape = PaperShape(1000, ((50, (ARGUMENT,)),))
    lengths = LENGTHS["submissions"]
    assert lengths is not None

    drawn = list(venue([shape], 20_000, rounds=3, lengths=lengths))
    tokens = sorted(paper.tokens for paper in drawn)

    assert tokens[10_000] == pytest.approx(lengths.median, rel=0.02)
    assert tokens[18_000] == pytest.approx(lengths.tenth, rel=0.02)
    plain = list(venue([shape], 50, rounds=3))
    assert {paper.tokens for paper in plain} == {1000}
    assert [paper.reviews for paper in plain] == [paper.reviews for paper in drawn[:50]]


def test_a_server_of_ones_own_takes_the_time_of_what_it_reads_and_writes() -> None:
    shape = PaperShape(1000, ((50, (CLAIM, CLAIM)),))

    def outcome(*, kept: bool) -> Outcome:
        plan = server(100.0, 10.0, kept=kept, protocol=Protocol())
        return simulated(venue([shape], 50, rounds=3), plan)

    kept, anew = outcome(kept=True), outcome(kept=False)

    assert anew.cached == 0
    assert kept.cached > 0
    burst = 60  # seconds' worth of a limit that the simulated client may use at once
    assert anew.seconds == pytest.approx(anew.input / 100 + anew.output / 10, abs=2 * burst)
    new = kept.input - kept.cached
    assert kept.seconds == pytest.approx(new / 100 + kept.output / 10, abs=2 * burst)


def test_excerpts_show_of_long_papers_what_the_context_holds() -> None:
    lengths = excerpts(Lengths(median=20_600, tenth=37_000))
    assert lengths.most is not None

    drawn = {paper.tokens for paper in venue([PaperShape(1, ())], 200, rounds=1, lengths=lengths)}

    assert max(drawn) == lengths.most < CONTEXT


def test_rounds_and_premises_have_the_means_of_the_estimate() -> None:
    shape = PaperShape(1000, ((50, (ARGUMENT,) * 20),))

    drawn = [point for paper in venue([shape], 500, rounds=10) for point in paper.reviews[0][1]]
    rounds = sum(len(point.rounds) for point in drawn) / len(drawn)
    premises = sum(point.premises for point in drawn) / len(drawn)

    assert math.isclose(rounds, MEAN_ROUNDS, rel_tol=0.02)
    assert math.isclose(premises, MEAN_PREMISES, rel_tol=0.02)
    few = [point for paper in venue([shape], 50, rounds=3) for point in paper.reviews[0][1]]
    assert max(len(point.rounds) for point in few) == 3
