"""The simulation of drafts that come at random."""

from __future__ import annotations

import pytest

from benchmarks.drafts_load import simulated
from reviewscore.period.drafts import DraftLimits

LIMITS = DraftLimits(at_once=2, waiting=2, seconds=100.0)


def test_a_draft_that_is_alone_takes_its_own_time() -> None:
    load = simulated([3.0], 0.01, LIMITS, drafts=50)

    assert load.waits == pytest.approx([3.0] * 50)


def test_two_at_once_take_as_long_as_one_after_another() -> None:
    load = simulated([10.0], 6e6, LIMITS, drafts=2)

    assert load.waits == pytest.approx([20.0, 20.0], abs=0.01)


@pytest.mark.parametrize(("seconds", "rate"), [(1.0, 600.0), (90.0, 6.0), (0.5, 30.0)])
def test_every_draft_is_answered_refused_or_late(seconds: float, rate: float) -> None:
    load = simulated([seconds], rate, LIMITS, drafts=500)

    assert load.sent == 500
    assert all(wait <= LIMITS.seconds for wait in load.waits)


def test_more_than_a_server_can_do_is_refused_and_what_is_too_slow_is_late() -> None:
    assert simulated([1.0], 600.0, LIMITS, drafts=500).refused > 400
    assert simulated([150.0], 0.01, LIMITS, drafts=20).late == 20
