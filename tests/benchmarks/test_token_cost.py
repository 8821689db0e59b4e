"""What the protocols are billed, on a simulated provider."""

from __future__ import annotations

import pytest

from benchmarks.token_cost import SHAKY, Way, billed
from tests.conftest import ROOT


@pytest.mark.parametrize(("per", "first"), [("point", 16), ("review", 4), ("paper", 1)])
def test_second_looks_are_asked_beside_one_call_a_point_a_review_or_a_paper(
    per: str, first: int
) -> None:
    asked: dict[str, object] = {"protocol": "presupposition", "per": per}
    looks, none = billed(Way(settings=asked)), billed(Way(settings={**asked, "second_look": "off"}))

    assert (none.calls, looks.calls) == (first, first + SHAKY)
    assert none.input < looks.input < none.sent + 2 * (looks.sent - none.sent)
    assert none.output < looks.output


def test_what_is_written_beside_the_figures_names_the_second_looks_that_are_asked() -> None:
    words = (ROOT / "benchmarks" / "README.md").read_text("utf-8")

    assert SHAKY == 4
    assert "Second looks are asked of four points" in words


def test_jobs_are_billed_at_half_for_replies_too() -> None:
    asked: dict[str, object] = {"protocol": "presupposition", "per": "paper"}
    single, jobs = billed(Way(settings=asked)), billed(Way(settings=asked, batch=True))

    assert jobs.calls == single.calls
    assert jobs.output == pytest.approx(single.output / 2)
    assert jobs.input < 0.6 * single.input
