from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given

from reviewscore.errors import InputError
from reviewscore.focus.distribution import (
    FOUR,
    Review,
    coded,
    distribution,
    distributions,
    points_per_paper,
    points_per_review,
    shares,
)
from reviewscore.focus.facets import Kind, Labelled, Polarity
from reviewscore.stats.estimates import BootstrapPlan
from reviewscore.stats.resampling import Clusters
from reviewscore.stats.statistic import Reason
from tests.focus.invented import QUICK, SMALL, point, strengths, studies, weaknesses

WEAK_TARGETS = (Polarity.WEAKNESS, Kind.TARGET)


def test_shares_are_points_over_points_summed_over_papers() -> None:
    points = weaknesses("people", "p1", "method/novelty", "method/validity", "theory/validity")
    points += weaknesses("people", "p2", "experiment/validity")
    study = coded(points, SMALL)

    found = distribution(study, "people", *WEAK_TARGETS)

    assert found.facets == ("method", "theory", "experiment")
    assert found.totals.tolist() == [2, 1, 1]
    assert found.shares.tolist() == [0.5, 0.25, 0.25]
    assert distribution(study, "people", Polarity.WEAKNESS, Kind.ASPECT).shares.tolist() == [
        0.25,
        0.75,
    ]


def test_a_facet_that_nobody_raises_has_share_nought_and_its_place() -> None:
    study = coded(weaknesses("people", "p1", "experiment/validity"), SMALL)

    assert distribution(study, "people", *WEAK_TARGETS).shares.tolist() == [0.0, 0.0, 1.0]


def test_unknown_labels_are_counted_and_in_no_share() -> None:
    points = weaknesses("people", "p1", "method/unknown", "unknown/validity", "theory/validity")
    points += weaknesses("people", "p2", "unknown/unknown")
    study = coded(points, SMALL)

    targets = distribution(study, "people", *WEAK_TARGETS)

    assert (targets.points, targets.unknown) == (2, 2)
    assert targets.shares.tolist() == [0.5, 0.5, 0.0]
    assert targets.dropped["papers with no known target"] == 1
    assert distribution(study, "people", Polarity.WEAKNESS, Kind.ASPECT).unknown == 2


def test_a_system_without_strengths_has_no_distribution_of_them_and_says_why() -> None:
    study = coded(weaknesses("critic", "p1", "method/novelty"), SMALL)
    found = distribution(study, "critic", Polarity.STRENGTH, Kind.TARGET)
    plan = BootstrapPlan(Clusters.by(study.papers), QUICK)

    slots = found.ask(plan)
    plan.run()

    assert Reason.NO_POINTS is found.reason
    assert np.isnan(found.shares).all()
    assert [slot.answer.value for slot in slots] == [None] * 3
    assert {"no point with a known facet"} == {slot.answer.reason for slot in slots}
    assert slots[0].answer.dropped == {"papers with no strength of it": 1}


def test_intervals_draw_whole_papers() -> None:
    points = [one for at in range(30) for one in weaknesses("people", f"p{at}", "method/novelty")]
    points += [one for at in range(20) for one in weaknesses("people", f"p{at}", "theory/novelty")]
    study = coded(points, SMALL)
    plan = BootstrapPlan(Clusters.by(study.papers), QUICK)

    method, theory, experiment = distribution(study, "people", *WEAK_TARGETS).ask(plan)
    plan.run()

    assert pytest.approx(method.answer.value) == 0.6
    assert method.answer.n == 30
    assert method.answer.low is not None
    assert method.answer.high is not None
    # The ends: every paper drawn has both points, or hardly one.
    assert 0.5 < method.answer.low < 0.6 < method.answer.high < 0.7
    assert theory.answer.high == pytest.approx(1 - method.answer.low, abs=0.02)
    assert (experiment.answer.low, experiment.answer.high) == (0.0, 0.0)


def test_of_one_paper_the_interval_is_the_value() -> None:
    study = coded(weaknesses("people", "p1", "method/novelty", "theory/novelty"), SMALL)
    plan = BootstrapPlan(Clusters.by(study.papers), QUICK)

    slot = distribution(study, "people", *WEAK_TARGETS).ask(plan)[0]
    plan.run()

    assert (slot.answer.value, slot.answer.low, slot.answer.high) == (0.5, 0.5, 0.5)


def test_smoothing_adds_to_each_facet_and_leaves_an_empty_distribution_undefined() -> None:
    assert pytest.approx(shares(np.array([2.0, 0, 1]), 0.5)) == [2.5 / 4.5, 0.5 / 4.5, 1.5 / 4.5]
    assert np.isnan(shares(np.zeros(3), 0.5)).all()


def test_no_points_make_an_empty_study() -> None:
    study = coded([], SMALL)

    assert () == study.papers == study.systems
    with pytest.raises(InputError, match=r"no reviews of system 'people'.*there are: none"):
        distributions(study, "people")


def test_a_label_of_another_set_is_refused() -> None:
    with pytest.raises(InputError, match=r"'soul' of point '.*' is no target of 'small'"):
        coded(weaknesses("people", "p1", "soul/novelty"), SMALL)


def test_points_per_review_and_per_paper_differ_where_a_paper_has_two_reviews() -> None:
    points = weaknesses("people", "p1", "method/novelty", "unknown/unknown")
    points += [point("people", "p1", "theory/validity", review="r2")]
    points += strengths("people", "p2", "method/novelty")
    study = coded(points, SMALL)

    assert pytest.approx(points_per_review(study, "people").point()[0]) == 4 / 3
    assert points_per_paper(study, "people").point()[0] == 4 / 2
    assert points_per_paper(study, "people", Polarity.WEAKNESS).point()[0] == 3 / 2


def test_a_review_without_points_counts_if_it_is_named() -> None:
    points = weaknesses("people", "p1", "method/novelty", "theory/validity")
    empty = Review("people", "p2", "r9")
    study = coded(points, SMALL, reviews=[empty])

    assert points_per_review(study, "people").point()[0] == 1.0
    assert {
        name: number
        for name, number in distribution(study, "people", *WEAK_TARGETS).dropped.items()
        if number
    } == {"papers with no weakness of it": 1}


@given(studies())
def test_shares_sum_to_one_or_are_undefined(points: Sequence[Labelled]) -> None:
    study = coded(points, SMALL)
    for system in study.systems:
        found = distributions(study, system)

        assert tuple((one.polarity, one.kind) for one in found) == FOUR
        for one in found:
            assert one.points + one.unknown == study.points(system, one.polarity).sum()
            if one.points:
                assert pytest.approx(one.shares.sum()) == 1.0
                assert [one.share(name).point()[0] for name in one.facets] == pytest.approx(
                    one.shares
                )


@given(studies())
def test_the_order_of_points_changes_no_count(points: Sequence[Labelled]) -> None:
    there, back = coded(points, SMALL), coded(list(reversed(points)), SMALL)

    for system in there.systems:
        for one, other in zip(
            distributions(there, system), distributions(back, system), strict=True
        ):
            assert (one.counts == other.counts).all()


def test_a_hundred_thousand_points_are_counted_without_a_warning() -> None:
    points = [
        one
        for at in range(2000)
        for one in weaknesses("people", f"p{at}", *("method/novelty", "theory/validity") * 25)
    ]

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = distribution(coded(points, SMALL), "people", *WEAK_TARGETS)

    assert found.totals.tolist() == [50_000, 50_000, 0]
