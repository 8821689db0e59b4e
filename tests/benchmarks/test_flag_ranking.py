"""The measure of a ranking: the first three of a paper, against the average of all orders."""

from __future__ import annotations

import pytest

from benchmarks.flag_ranking import Sample, best_possible, measured
from reviewscore.period.ranking import RankedFlag
from tests.report.venues import verdict


def paper(name: str, *points: tuple[float, bool]) -> Sample:
    return [
        (RankedFlag(verdict(f"{name}/r0#{n}", None, misinformed=True), likely, 1.0, 1.0), meant)
        for n, (likely, meant) in enumerate(points, 1)
    ]


def test_the_first_three_by_probability_are_held_against_the_average_order() -> None:
    papers = [
        paper("p1", (0.9, True), (0.8, True), (0.7, False), (0.1, False), (0.2, False)),
        paper("p2", (0.1, True), (0.9, False), (0.8, False), (0.7, False)),
        paper("p3", (0.5, True)),
    ]

    first, chance, gain = measured(papers, "probability")

    assert first.value == pytest.approx((2 + 0 + 1) / 7)
    assert chance.value == pytest.approx((3 * 2 / 5 + 3 / 4 + 1) / 7)
    assert gain.value == pytest.approx(first.value - chance.value)
    assert first.n == 7
    assert best_possible(papers) == pytest.approx((2 + 1 + 1) / 7)
