"""Focus distributions against counts by hand; divergences against scipy and loops."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon
from scipy.stats import entropy

from reviewscore.errors import InputError
from reviewscore.focus.distribution import (
    FOUR,
    FacetMeasure,
    PairedCounts,
    ReviewKey,
    ask,
    coded,
    comparison,
    distribution,
    divergence,
    jensen_shannon,
    kullback_leibler,
    mean_divergence,
    points_per,
    shares,
)
from reviewscore.focus.facets import FacetKind, Labelled, Polarity
from reviewscore.stats.estimates import BootstrapPlan
from reviewscore.stats.resampling import Clusters
from reviewscore.stats.statistic import MissingReason
from tests.focus.invented import QUICK, SMALL, point, strengths, studies, weaknesses

WEAK_TARGETS = (Polarity.WEAKNESS, FacetKind.TARGET)


def test_shares_are_points_over_points_summed_over_papers() -> None:
    points = weaknesses("people", "p1", "method/novelty", "method/validity", "theory/validity")
    points += weaknesses("people", "p2", "experiment/validity")
    study = coded(points, SMALL)

    found = distribution(study, "people", *WEAK_TARGETS)

    assert found.facets == ("method", "theory", "experiment")
    assert found.totals.tolist() == [2, 1, 1]
    assert found.shares.tolist() == [0.5, 0.25, 0.25]
    assert distribution(study, "people", Polarity.WEAKNESS, FacetKind.ASPECT).shares.tolist() == [
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
    assert distribution(study, "people", Polarity.WEAKNESS, FacetKind.ASPECT).unknown == 2


def test_a_system_without_strengths_has_no_distribution_of_them_and_says_why() -> None:
    study = coded(weaknesses("critic", "p1", "method/novelty"), SMALL)
    found = distribution(study, "critic", Polarity.STRENGTH, FacetKind.TARGET)
    plan = BootstrapPlan(Clusters.by(study.papers), QUICK)

    slots = found.ask(plan)
    plan.run()

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
        distribution(study, "people", *WEAK_TARGETS)


def test_a_label_of_another_set_is_refused() -> None:
    with pytest.raises(InputError, match=r"'soul' of point '.*' is no target of 'small'"):
        coded(weaknesses("people", "p1", "soul/novelty"), SMALL)


def test_points_per_review_and_per_paper_differ_where_a_paper_has_two_reviews() -> None:
    points = weaknesses("people", "p1", "method/novelty", "unknown/unknown")
    points += [point("people", "p1", "theory/validity", review="r2")]
    points += strengths("people", "p2", "method/novelty")
    study = coded(points, SMALL)

    assert pytest.approx(points_per("review", study, "people").point()[0]) == 4 / 3
    assert points_per("paper", study, "people").point()[0] == 4 / 2
    assert points_per("paper", study, "people", Polarity.WEAKNESS).point()[0] == 3 / 2


def test_a_review_without_points_counts_if_it_is_named() -> None:
    points = weaknesses("people", "p1", "method/novelty", "theory/validity")
    empty = ReviewKey("people", "p2", "r9")
    study = coded(points, SMALL, reviews=[empty])

    assert points_per("review", study, "people").point()[0] == 1.0
    assert {
        name: number
        for name, number in distribution(study, "people", *WEAK_TARGETS).dropped.items()
        if number
    } == {"papers with no weakness of it": 1}


@given(studies())
def test_shares_sum_to_one_or_are_undefined(points: Sequence[Labelled]) -> None:
    study = coded(points, SMALL)
    for system in study.systems:
        for which in FOUR:
            one = distribution(study, system, *which)
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
        for which in FOUR:
            one, other = (distribution(order, system, *which) for order in (there, back))
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


TARGETS = (Polarity.WEAKNESS, FacetKind.TARGET)
LN2 = np.log(2.0)


def pair_of(points: Sequence[Labelled]) -> tuple[float, float, float]:
    pair = comparison(coded(points, SMALL), "model", "people")
    first, second, third = (divergence(pair, one, *TARGETS).point()[0] for one in FacetMeasure)
    return first, second, third


def test_worked_example_with_half_a_point_added_to_each_facet() -> None:
    points = weaknesses("people", "p1", *["method/novelty"] * 3, "theory/novelty")
    points += weaknesses("model", "p1", "method/novelty", *["experiment/novelty"] * 2)
    # Half a point on each of three: people 3.5, 1.5, 0.5 of 5.5; the model 1.5, 0.5, 2.5 of 4.5.
    # 0.6364 ln 1.9091 + 0.2727 ln 2.4545 + 0.0909 ln 0.1636 = 0.4115 + 0.2449 - 0.1646.
    p, q = np.array([3.5, 1.5, 0.5]) / 5.5, np.array([1.5, 0.5, 2.5]) / 4.5

    forward, backward, _ = pair_of(points)

    assert pytest.approx(forward, abs=1e-4) == 0.4918
    assert entropy(p, q) == pytest.approx(forward)
    assert entropy(q, p) == pytest.approx(backward)


def test_jensen_shannon_is_of_unsmoothed_shares_and_the_square_of_scipys_distance() -> None:
    points = weaknesses("people", "p1", *["method/novelty"] * 3, "theory/novelty")
    points += weaknesses("model", "p1", "method/novelty", "experiment/novelty")

    _, _, found = pair_of(points)

    assert jensenshannon([0.75, 0.25, 0], [0.5, 0, 0.5]) ** 2 == pytest.approx(found)


def test_systems_without_a_common_facet_are_ln_2_apart() -> None:
    points = weaknesses("people", "p1", "method/novelty")
    points += weaknesses("model", "p1", "theory/novelty")

    assert pytest.approx(pair_of(points)[2]) == LN2


def test_without_smoothing_an_overlooked_facet_is_infinite_and_said_so() -> None:
    points = weaknesses("people", "p1", "method/novelty", "theory/novelty")
    points += weaknesses("model", "p1", "method/novelty")
    pair = comparison(coded(points, SMALL), "model", "people")

    value, reason = divergence(
        pair, FacetMeasure.REFERENCE_TO_SYSTEM, *TARGETS, smoothing=0
    ).point()
    back, none = divergence(pair, FacetMeasure.SYSTEM_TO_REFERENCE, *TARGETS, smoothing=0).point()

    assert np.isnan(value)
    assert MissingReason.INFINITE is reason
    assert (pytest.approx(back), none) == (LN2, MissingReason.NONE)


def test_a_side_without_points_leaves_the_divergence_undefined() -> None:
    points = weaknesses("people", "p1", "method/novelty") + strengths(
        "model", "p1", "method/novelty"
    )
    pair = comparison(coded(points, SMALL), "model", "people")

    for measure in FacetMeasure:
        value, reason = divergence(pair, measure, *TARGETS).point()
        assert np.isnan(value)
        assert MissingReason.NO_POINTS is reason
        mean, why = mean_divergence(pair, measure).point()
        assert np.isnan(mean)
        assert MissingReason.NO_POINTS is why


def test_the_mean_is_plain_over_four_distributions() -> None:
    points = weaknesses("people", "p1", "method/novelty", "theory/novelty", "theory/validity")
    points += weaknesses("model", "p1", "method/novelty", "experiment/validity")
    points += strengths("people", "p1", "method/validity") + strengths(
        "model", "p1", "theory/novelty"
    )
    pair = comparison(coded(points, SMALL), "model", "people")

    for measure in FacetMeasure:
        each = [divergence(pair, measure, *which).point()[0] for which in pair.counts]
        assert len(each) == 4
        assert np.mean(each) == pytest.approx(mean_divergence(pair, measure).point()[0])


def test_the_mean_of_a_system_that_only_criticises_is_that_of_its_weaknesses() -> None:
    points = weaknesses("people", "p1", "method/novelty") + strengths(
        "people", "p1", "theory/novelty"
    )
    points += weaknesses("model", "p1", "theory/novelty")
    pair = comparison(coded(points, SMALL), "model", "people")

    each = [
        divergence(pair, FacetMeasure.JENSEN_SHANNON, Polarity.WEAKNESS, kind).point()[0]
        for kind in FacetKind
    ]

    assert np.mean(each) == mean_divergence(pair, FacetMeasure.JENSEN_SHANNON).point()[0]


def test_only_papers_that_both_reviewed_count() -> None:
    shared = weaknesses("people", "p1", "method/novelty", "theory/validity")
    shared += weaknesses("model", "p1", "method/novelty")
    alone = weaknesses("people", "p2", "experiment/novelty") + weaknesses(
        "other", "p3", "theory/novelty"
    )
    pair = comparison(coded(shared + alone, SMALL), "model", "people")

    assert pair_of(shared) == pair_of(shared + alone)
    assert pair.dropped == {
        "papers without a review of the system": 1,
        "papers without a review of the reference": 0,
        "papers without a review of either": 1,
    }


def test_resamples_draw_both_sides_of_a_paper_together() -> None:
    # On each paper both say the same, so that on any papers drawn they are alike.
    labels = ("method/novelty", "theory/validity", "experiment/validity")
    points = [
        one
        for at in range(12)
        for who in ("people", "model")
        for one in weaknesses(who, f"p{at}", labels[at % 3])
    ]
    study = coded(points, SMALL)
    plan = BootstrapPlan(Clusters.by(study.papers), QUICK)

    slots = ask(plan, comparison(study, "model", "people"), FacetMeasure.REFERENCE_TO_SYSTEM)
    plan.run()

    assert len(slots) == 5
    assert (slots[0].answer.value, slots[0].answer.low, slots[0].answer.high) == (0.0, 0.0, 0.0)


def test_an_unknown_system_is_refused() -> None:
    with pytest.raises(InputError, match="no reviews of system 'people'; there are: model"):
        comparison(coded(weaknesses("model", "p1", "method/novelty"), SMALL), "model", "people")


distribution_pairs = st.tuples(
    *[st.lists(st.integers(0, 50), min_size=5, max_size=5).filter(any)] * 2
).map(lambda both: tuple(np.array(one) / np.sum(one) for one in both))


@given(distribution_pairs)
def test_jensen_shannon_is_symmetric_and_between_0_and_ln_2(
    both: tuple[np.ndarray, np.ndarray],
) -> None:
    p, q = both

    assert jensen_shannon(p, q) == pytest.approx(float(jensen_shannon(q, p)))
    assert 0.0 <= jensen_shannon(p, q) <= LN2
    assert jensenshannon(p, q) ** 2 == pytest.approx(float(jensen_shannon(p, q)), abs=1e-12)


@given(distribution_pairs)
def test_kullback_leibler_is_not_below_0_and_0_for_equals(
    both: tuple[np.ndarray, np.ndarray],
) -> None:
    p, q = both

    assert kullback_leibler(p, q) >= 0.0
    assert kullback_leibler(p, p) == 0.0
    assert float(entropy(p, q)) == pytest.approx(float(kullback_leibler(p, q)), abs=1e-12)


@given(studies())
def test_exchanging_system_and_reference_exchanges_the_directions(
    points: Sequence[Labelled],
) -> None:
    swap = {"people": "model", "model": "people"}
    other = [
        replace(one, point=replace(one.point, system=swap[one.point.system])) for one in points
    ]

    forward, backward, js = pair_of(points)

    assert (backward, forward, js) == pytest.approx(pair_of(other), nan_ok=True)


@given(studies())
def test_names_of_papers_change_no_divergence(points: Sequence[Labelled]) -> None:
    renamed = [
        replace(one, point=replace(one.point, paper_id=f"x{9 - int(one.point.paper_id[1:])}"))
        for one in points
    ]

    assert pair_of(points) == pytest.approx(pair_of(renamed), nan_ok=True)


def test_intervals_hold_the_true_divergence_though_samples_are_biased() -> None:
    rng = np.random.default_rng(3)
    p, q = np.array([0.5, 0.3, 0.2]), np.array([0.35, 0.4, 0.25])
    true, held = float(jensen_shannon(p, q)), 0

    for seed in range(60):
        sides = [np.array([rng.multinomial(3, one) for _ in range(60)]) for one in (p, q)]
        counts = np.concatenate(sides, axis=1).astype(float)
        pair = PairedCounts(np.ones(60, dtype=bool), {TARGETS: counts}, {})
        plan = BootstrapPlan(Clusters.by([str(at) for at in range(60)]), replace(QUICK, seed=seed))
        slot = plan.ask(divergence(pair, FacetMeasure.JENSEN_SHANNON, *TARGETS))
        plan.run()
        assert slot.answer.method == "basic"
        assert slot.answer.low is not None
        assert slot.answer.high is not None
        held += slot.answer.low <= true <= slot.answer.high

    assert held >= 52
