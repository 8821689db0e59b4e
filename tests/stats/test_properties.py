"""What holds for any ratings at all."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewscore.stats.metrics import (
    Level,
    Weights,
    f1,
    gwet_ac,
    krippendorff_alpha,
    pearson,
    precision,
    recall,
    spearman,
    weighted_kappa,
)
from reviewscore.stats.statistic import SCALE, Floats, Statistic
from tests.stats.ratings import LEVELS, WEIGHTS, matrices

ANY = matrices()
TWO = matrices(raters=2)
ORDERS = st.permutations(range(5))


def same(statistic: Statistic) -> object:
    """This coefficient's value, and its reason."""
    value, reason = statistic.point()
    return (pytest.approx(value, abs=1e-9, nan_ok=True), reason)


def renamed(ratings: Floats, order: list[int]) -> Floats:
    names = np.array([*(one + 1.0 for one in order), np.nan])
    places = np.where(np.isnan(ratings), 5, np.nan_to_num(ratings, nan=1.0) - 1)
    return np.asarray(names[places.astype(int)], dtype=np.float64)


def flags(ratings: Floats) -> Floats:
    return np.where(np.isnan(ratings), np.nan, (ratings >= 3.0).astype(np.float64))


def several(ratings: Floats) -> Iterator[Statistic]:
    """Every coefficient of some ratings."""
    human, judge = ratings[:, 0], ratings[:, 1]
    for binary in (precision, recall, f1):
        yield binary(flags(human), flags(judge))
    for correlation in (pearson, spearman):
        yield correlation(human, judge)
    for weights in WEIGHTS:
        yield weighted_kappa(human, judge, weights=weights)
        yield gwet_ac(ratings, weights=weights)
    for level in LEVELS:
        yield krippendorff_alpha(ratings, level=level)


COEFFICIENTS = range(sum(1 for _ in several(np.ones((1, 2)))))


@given(ANY, st.data(), st.sampled_from(LEVELS), st.sampled_from(WEIGHTS))
@settings(max_examples=100)
def test_the_order_of_raters_does_not_matter(
    ratings: Floats, data: st.DataObject, level: Level, weights: Weights
) -> None:
    moved = ratings[:, data.draw(st.permutations(range(ratings.shape[1])))]

    assert (
        same(krippendorff_alpha(ratings, level=level))
        == krippendorff_alpha(moved, level=level).point()
    )
    assert same(gwet_ac(ratings, weights=weights)) == gwet_ac(moved, weights=weights).point()


@given(ANY, st.data())
@settings(max_examples=60)
def test_the_order_of_units_does_not_matter(ratings: Floats, data: st.DataObject) -> None:
    moved = ratings[data.draw(st.permutations(range(len(ratings))))]

    for before, after in zip(several(ratings), several(moved), strict=True):
        assert same(before) == after.point()


@given(ANY, ORDERS)
@settings(max_examples=100)
def test_the_names_of_nominal_categories_do_not_matter(ratings: Floats, order: list[int]) -> None:
    other = renamed(ratings, order)

    for compute in (
        lambda given: krippendorff_alpha(given, level="nominal"),
        lambda given: gwet_ac(given, weights="identity"),
        lambda given: weighted_kappa(given[:, 0], given[:, 1], weights="identity"),
    ):
        assert same(compute(ratings)) == compute(other).point()


@given(ANY, st.sampled_from(WEIGHTS))
@settings(max_examples=60)
def test_a_scale_read_from_the_other_end_gives_the_same(ratings: Floats, weights: Weights) -> None:
    other = 6.0 - ratings

    assert same(gwet_ac(ratings, weights=weights)) == gwet_ac(other, weights=weights).point()
    for level in ("nominal", "ordinal", "interval"):
        assert (
            same(krippendorff_alpha(ratings, level=level))
            == krippendorff_alpha(other, level=level).point()
        )


@given(ANY)
@settings(max_examples=60)
def test_ordinal_alpha_looks_at_the_order_of_categories_alone(ratings: Floats) -> None:
    stretched = np.array([0.0, 1.0, 10.0, 11.0, 50.0, np.nan])
    places = np.where(np.isnan(ratings), 5, np.nan_to_num(ratings, nan=1.0) - 1).astype(int)

    alpha = krippendorff_alpha(stretched[places], categories=tuple(stretched[:5]), level="ordinal")

    assert same(krippendorff_alpha(ratings, level="ordinal")) == alpha.point()


@given(TWO, st.sampled_from(WEIGHTS))
@settings(max_examples=100)
def test_kappa_and_correlations_are_symmetric_and_precision_is_the_others_recall(
    ratings: Floats, weights: Weights
) -> None:
    human, judge = ratings[:, 0], ratings[:, 1]

    for compute in (
        lambda x, y: weighted_kappa(x, y, weights=weights),
        pearson,
        spearman,
        lambda x, y: f1(flags(x), flags(y)),
    ):
        assert same(compute(human, judge))[0] == compute(judge, human).point()[0]
    human, judge = flags(human), flags(judge)
    assert same(precision(human, judge))[0] == recall(judge, human).point()[0]


@given(st.lists(st.sampled_from(SCALE), min_size=2, max_size=12), st.integers(2, 4))
@settings(max_examples=80)
def test_perfect_agreement_is_one(column: list[float], raters: int) -> None:
    ratings = np.repeat(np.array(column)[:, None], raters, axis=1)

    found = [one.point()[0] for one in several(ratings)]

    # Gwet's coefficients are one even where all ratings are the same; others are then undefined.
    known = [one for one in found if not np.isnan(one)]
    assert pytest.approx([1.0] * len(known), abs=1e-9) == known
    assert len(known) == len(found) or len(set(column)) == 1 or len(set(flags(ratings).flat)) == 1


@given(ANY)
@settings(max_examples=100)
def test_no_coefficient_is_above_one_and_correlations_not_below_minus_one(ratings: Floats) -> None:
    for statistic in several(ratings):
        value = statistic.point()[0]
        assert np.isnan(value) or value <= 1.0 + 1e-9
        if statistic.name in {"precision", "recall", "f1"}:
            assert np.isnan(value) or value >= 0.0
        if statistic.name in {"pearson", "spearman"}:
            assert np.isnan(value) or value >= -1.0


@given(ANY)
@settings(max_examples=60)
def test_weights_of_one_give_the_coefficient_itself(ratings: Floats) -> None:
    for statistic in several(ratings):
        found = statistic.from_sums(np.ones((2, len(ratings))) @ statistic.contributions)

        value, reason = same(statistic)
        assert [value, value] == found.value.tolist()
        assert [reason, reason] == found.reason.tolist()


@pytest.mark.parametrize("place", COEFFICIENTS)
@given(ANY, st.data())
def test_whole_weights_repeat_units(place: int, ratings: Floats, data: st.DataObject) -> None:
    n = len(ratings)
    times = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    statistic = list(several(ratings))[place]

    found = statistic.from_sums(times[None, :].astype(np.float64) @ statistic.contributions)

    repeated = list(several(np.repeat(ratings, times, axis=0)))[place]
    assert same(repeated) == (found.value[0], found.reason[0])


@given(TWO, st.floats(0.1, 3.0), st.floats(-2.0, 2.0))
@settings(max_examples=60)
def test_pearson_does_not_see_the_unit_of_measurement_and_spearman_sees_ranks_alone(
    ratings: Floats, factor: float, shift: float
) -> None:
    human, judge = ratings.T

    assert same(pearson(human, judge)) == pearson(human, judge * factor + shift).point()
    assert same(spearman(human, judge)) == spearman(human, np.exp(judge)).point()


def test_every_coefficient_has_the_name_that_tables_use() -> None:
    expected = {
        *("precision", "recall", "f1", "pearson", "spearman"),
        *("kappa", "ac1", "ac2", "alpha"),
    }

    assert expected == {one.name for one in several(np.ones((2, 2)))}
