"""Where a coefficient has no value, or one by definition alone, and why."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from reviewscore.stats.metrics import (
    Level,
    Weights,
    agreement_weights,
    calibration_error,
    f1,
    gwet_ac,
    krippendorff_alpha,
    pearson,
    precision,
    recall,
    roc_area,
    spearman,
    tally,
    weighted_kappa,
)
from reviewscore.stats.statistic import (
    SCALE,
    Floats,
    MissingReason,
    Statistic,
    aligned,
    codes,
    ratio,
    values,
)
from tests.stats.ratings import LEVELS, NAN, WEIGHTS, by_rater, column, drawn

Pair = Callable[[Floats, Floats], Statistic]
PAIRS: tuple[Pair, ...] = (precision, recall, f1, weighted_kappa, pearson, spearman)
CORRELATIONS: tuple[Pair, ...] = (pearson, spearman)


def nan(reason: MissingReason) -> object:
    """No value, for this reason."""
    return (pytest.approx(NAN, nan_ok=True), reason)


@pytest.mark.parametrize("coefficient", PAIRS)
@pytest.mark.parametrize("sides", [((), ()), ((1, None, None), (None, 1, None))])
def test_no_unit_with_both_ratings_gives_no_value(
    coefficient: Pair, sides: tuple[tuple[float | None, ...], tuple[float | None, ...]]
) -> None:
    statistic = coefficient(*(column(*one) for one in sides))

    assert nan(MissingReason.NO_UNITS) == statistic.point()
    assert statistic.n == 0


@pytest.mark.parametrize("coefficient", PAIRS)
def test_units_that_lack_a_rating_do_not_count(coefficient: Pair) -> None:
    human, judge = column(1, 0, 1, None, 0, None), column(1, 1, 0, 1, None, None)
    if coefficient is weighted_kappa:
        human, judge = human + 1.0, judge + 1.0

    with_missing, without = coefficient(human, judge), coefficient(human[:3], judge[:3])

    assert without.point() == with_missing.point()
    assert with_missing.n == 3
    assert with_missing.counts.tolist() == [True, True, True, False, False, False]
    assert not with_missing.contributions[3:].any()


@pytest.mark.parametrize(
    ("coefficient", "human", "judge", "expected"),
    [
        (precision, (0, 1, 0), (0, 0, 0), nan(MissingReason.NONE_PREDICTED)),
        (precision, (0, 0, 0), (0, 1, 0), (0.0, MissingReason.NONE)),
        (recall, (0, 0, 0), (0, 1, 0), nan(MissingReason.NONE_POSITIVE)),
        (recall, (0, 1, 0), (0, 0, 0), (0.0, MissingReason.NONE)),
        (f1, (0, 0, 0), (0, 0, 0), nan(MissingReason.NO_POSITIVES)),
        (f1, (0, 0, 0), (0, 1, 0), (0.0, MissingReason.NONE_POSITIVE)),
        (f1, (0, 1, 0), (0, 0, 0), (0.0, MissingReason.NONE_PREDICTED)),
        (f1, (1, 0, 0), (0, 1, 0), (0.0, MissingReason.NONE)),
    ],
)
def test_metrics_of_flags_where_a_side_flags_nothing(
    coefficient: Pair, human: tuple[int, ...], judge: tuple[int, ...], expected: object
) -> None:
    assert expected == coefficient(column(*human), column(*judge)).point()


@pytest.mark.parametrize("weights", WEIGHTS)
def test_kappa_is_undefined_where_both_gave_one_and_the_same_value(weights: Weights) -> None:
    kappa = weighted_kappa(column(4, 4, 4), column(4, 4, 4), weights=weights)

    assert nan(MissingReason.ALL_CONSTANT) == kappa.point()


@pytest.mark.parametrize("weights", WEIGHTS)
def test_kappa_is_zero_where_one_rater_is_constant(weights: Weights) -> None:
    sides, zero = (column(1, 3, 5), column(4, 4, 4)), (0.0, MissingReason.ONE_CONSTANT)

    assert zero == weighted_kappa(*sides, weights=weights).point()
    assert zero == weighted_kappa(*sides[::-1], weights=weights).point()


@pytest.mark.parametrize(
    ("human", "judge", "expected"),
    [
        ((1, 1), (5, 5), (0.0, MissingReason.ONE_CONSTANT)),
        ((2,), (4,), (0.0, MissingReason.ONE_UNIT)),
        ((2,), (2,), nan(MissingReason.ALL_CONSTANT)),
    ],
)
def test_kappa_of_a_value_for_each_rater_is_zero_or_undefined(
    human: tuple[int, ...], judge: tuple[int, ...], expected: object
) -> None:
    assert expected == weighted_kappa(column(*human), column(*judge)).point()


def test_a_category_missing_in_the_sample_still_counts_for_kappa() -> None:
    # By hand: 1 - (9 / 4) / (108 / 16) on the five, 1 - (1 / 4) / (24 / 16) on the three.
    human, judge = column(1, 2, 5, 5), column(1, 5, 5, 5)

    whole = weighted_kappa(human, judge).point()[0]

    cut = weighted_kappa(
        np.searchsorted([1, 2, 5], human) + 1.0,
        np.searchsorted([1, 2, 5], judge) + 1.0,
        categories=(1.0, 2.0, 3.0),
    ).point()[0]
    assert pytest.approx(2 / 3) == whole
    assert pytest.approx(5 / 6) == cut


@pytest.mark.parametrize("coefficient", CORRELATIONS)
def test_correlations_of_one_unit_are_undefined(coefficient: Pair) -> None:
    assert nan(MissingReason.ONE_UNIT) == coefficient(column(2, None), column(4, 1)).point()


@pytest.mark.parametrize("coefficient", CORRELATIONS)
@pytest.mark.parametrize("constant", [3.0, 3.7, 1.1, 0.1])
def test_correlations_are_undefined_where_one_side_is_constant(
    coefficient: Pair, constant: float
) -> None:
    varied, flat = column(*range(1, 12)), np.full(11, constant)

    assert nan(MissingReason.ONE_CONSTANT) == coefficient(varied, flat).point()
    assert nan(MissingReason.ONE_CONSTANT) == coefficient(flat, varied).point()
    assert nan(MissingReason.ONE_CONSTANT) == coefficient(flat, flat).point()


@pytest.mark.parametrize("coefficient", CORRELATIONS)
def test_correlations_take_scores_that_are_no_category(coefficient: Pair) -> None:
    assert coefficient(column(1.5, 2.25, 3.5), column(1.5, 2.25, 3.5)).point() == (
        1.0,
        MissingReason.NONE,
    )


@pytest.mark.parametrize(
    ("scores", "area"),
    [([1, 2, 3, 4], 1.0), ([4, 3, 2, 1], 0.0), ([3, 3, 3, 3], 0.5), ([1, 3, 2, 3], 0.625)],
)
def test_the_roc_area_counts_ties_half(scores: list[float], area: float) -> None:
    value, reason = roc_area(np.array([0.0, 0, 1, 1]), np.array(scores, float)).point()

    assert (value, reason) == (area, MissingReason.NONE)


def test_the_roc_area_is_that_of_the_library() -> None:
    from sklearn.metrics import roc_auc_score

    generator = np.random.default_rng(0)
    y, scores = generator.integers(0, 2, 60).astype(float), generator.integers(1, 6, 60)

    assert roc_area(y, scores.astype(float)).point()[0] == pytest.approx(roc_auc_score(y, scores))


def test_the_roc_area_leaves_out_what_is_missing_and_needs_both_sides() -> None:
    some = roc_area(np.array([0.0, 1, NAN, 1]), np.array([1.0, 2, 0, NAN]))

    assert (some.n, some.point()[0]) == (2, 1.0)
    assert roc_area(np.ones(3), np.arange(3.0)).point()[1] is MissingReason.ONE_CONSTANT
    assert roc_area(np.array([NAN]), np.ones(1)).point()[1] is MissingReason.NO_UNITS


def test_pearson_is_undefined_where_taking_others_out_leaves_a_constant() -> None:
    # Sums of 1.1, 2.3, ... taken off again leave some 1e-15, which is no variance.
    judge = column(1.1, 2.3, 4.7, 3.9, 1.3, 2.2, 4.6, 3.0, 3.0, 3.0)
    pearsons = pearson(column(1, 2, 5, 4, 1, 2, 4, 1, 3, 5), judge)

    left = pearsons.contributions.sum(axis=0) - pearsons.contributions[6::-1].sum(axis=0)

    assert left[2] != 0.0
    assert pearsons.from_sums(left[None, :]).reason[0] == MissingReason.ONE_CONSTANT


@pytest.mark.parametrize("weights", WEIGHTS)
def test_gwets_coefficient_is_one_where_every_rating_is_the_same(weights: Weights) -> None:
    ratings = by_rater((2, 2, None), (2, 2, 2))

    assert gwet_ac(ratings, weights=weights).point() == (1.0, MissingReason.ALL_CONSTANT)


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_is_undefined_where_every_pairable_rating_is_the_same(level: Level) -> None:
    ratings = by_rater((2, 2, None), (2, 2, 5))

    assert nan(MissingReason.ALL_CONSTANT) == krippendorff_alpha(ratings, level=level).point()


def test_without_a_unit_of_two_ratings_several_raters_have_no_value() -> None:
    ratings = by_rater((1, None, 3), (None, 2, None))

    for weights in WEIGHTS:
        assert nan(MissingReason.NO_PAIR) == gwet_ac(ratings, weights=weights).point()
    for level in LEVELS:
        assert nan(MissingReason.NO_PAIR) == krippendorff_alpha(ratings, level=level).point()


def test_raters_who_gave_nothing_leave_no_value() -> None:
    nothing = np.full((3, 2), NAN)

    assert nan(MissingReason.NO_UNITS) == gwet_ac(nothing).point()
    assert nan(MissingReason.NO_PAIR) == krippendorff_alpha(nothing).point()
    assert nan(MissingReason.NO_UNITS) == gwet_ac(np.zeros((0, 2))).point()
    assert nan(MissingReason.NO_PAIR) == krippendorff_alpha(np.zeros((0, 2))).point()


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_of_one_unit_with_two_values_is_zero(level: Level) -> None:
    assert krippendorff_alpha(by_rater([2], [4]), level=level).point() == (0.0, MissingReason.NONE)


def test_gwets_coefficient_of_one_unit_has_a_value() -> None:
    # Prevalences 1/2 and 1/2: chance agreement is (1/2) / (q - 1) = 1/8 with identity weights.
    value, reason = gwet_ac(by_rater([2], [4]), weights="identity").point()

    assert (pytest.approx(-(1 / 8) / (7 / 8)), MissingReason.NONE) == (value, reason)


def test_single_ratings_count_for_prevalence_alone() -> None:
    with_single = by_rater((1, 2, 3, 5), (1, 2, 4, None))
    without = with_single[:3]

    assert gwet_ac(with_single).n == gwet_ac(without).n == 3
    assert gwet_ac(with_single).point() != gwet_ac(without).point()
    assert krippendorff_alpha(with_single).point() == krippendorff_alpha(without).point()


def test_a_category_missing_in_the_sample_changes_gwets_coefficient_and_not_alpha() -> None:
    ratings = by_rater((1, 2, 5, 5), (1, 5, 5, 5))
    used = (1.0, 2.0, 5.0)

    assert gwet_ac(ratings).point() != gwet_ac(ratings, categories=used).point()
    for level in LEVELS:
        whole = krippendorff_alpha(ratings, level=level).point()
        assert (pytest.approx(whole[0], abs=1e-12), MissingReason.NONE) == krippendorff_alpha(
            ratings, categories=used, level=level
        ).point()


@pytest.mark.parametrize("strange", [3.5, 0.0, 6.0, float("inf"), -float("inf")])
def test_a_rating_that_is_no_category_is_refused(strange: float) -> None:
    ratings = by_rater((1, 2, strange), (1, 2, 3))

    for compute in (
        lambda: weighted_kappa(*ratings.T),
        lambda: gwet_ac(ratings),
        lambda: krippendorff_alpha(ratings),
        lambda: tally(ratings),
    ):
        with pytest.raises(ValueError, match=rf"{strange:g} is none of the categories \(1\.0, 2"):
            compute()


def test_a_half_integer_is_a_category_of_a_scale_that_has_it() -> None:
    halves = tuple(one / 2 for one in range(2, 11))

    assert weighted_kappa(column(3.5, 1, 4), column(3.5, 1, 4), categories=halves).point() == (
        1.0,
        MissingReason.NONE,
    )


def test_codes_are_places_on_the_scale() -> None:
    assert codes(column(1, 5, None, 3), SCALE).tolist() == [0, 4, -1, 2]


def test_a_tally_counts_the_raters_of_each_category() -> None:
    counts = tally(by_rater((1, None, 3), (1, None, 5), (2, None, None)))

    assert counts.tolist() == [[2, 1, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 1, 0, 1]]


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("q", [0, 1])
def test_a_scale_of_fewer_than_two_categories_is_refused(weights: Weights, q: int) -> None:
    with pytest.raises(ValueError, match=f"{q} categories; a scale has at least two"):
        agreement_weights(weights, q)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("q", [2, 3, 5, 7])
def test_weights_are_symmetric_between_zero_and_one(weights: Weights, q: int) -> None:
    matrix = agreement_weights(weights, q)

    assert (q, q) == matrix.shape
    assert matrix.tolist() == matrix.T.tolist()
    assert [1.0] * q == np.diag(matrix).tolist()
    assert matrix.min() >= 0.0
    assert matrix[0, -1] == 0.0


def test_the_first_reason_that_holds_decides() -> None:
    yes, no = np.array([True, True, False]), np.array([False, True, False])

    found = values(
        column(0.1, 0.2, 0.3),
        (no, MissingReason.NO_UNITS, None),
        (yes, MissingReason.ONE_CONSTANT, 0.0),
    )

    assert pytest.approx([0.0, NAN, 0.3], nan_ok=True) == found.value.tolist()
    assert found.reason.tolist() == [
        MissingReason.ONE_CONSTANT,
        MissingReason.NO_UNITS,
        MissingReason.NONE,
    ]


def test_a_quotient_by_zero_is_nan_and_no_warning() -> None:
    assert (
        pytest.approx([0.5, NAN, NAN], nan_ok=True)
        == ratio(column(1, 1, 0), column(2, 0, 0)).tolist()
    )


def test_every_reason_has_words_and_none_has_no_words() -> None:
    assert MissingReason.NONE.words == ""
    assert len({one.words for one in MissingReason}) == len(MissingReason)


def test_only_coefficients_of_one_kind_and_the_same_units_can_be_mixed() -> None:
    human, judge = drawn(1, 10, 2).T

    for other in (spearman(human[:5], judge[:5]), pearson(human, judge)):
        with pytest.raises(ValueError, match="one kind over the same units"):
            aligned(spearman(human, judge), other)


def test_aligned_ranks_have_the_values_they_had() -> None:
    human, left, right = drawn(2, 30, 3, missing=0.1).T
    pair = spearman(human, left), spearman(human, right)

    mixed = aligned(*pair)

    assert mixed[0].contributions.shape == mixed[1].contributions.shape
    for before, after in zip(pair, mixed, strict=True):
        assert pytest.approx(before.point()[0], abs=1e-12) == after.point()[0]
        assert before.counts.tolist() == after.counts.tolist()


def test_the_calibration_error_weighs_bins_by_their_units_and_leaves_out_what_is_missing() -> None:
    truth = np.array([0.0, 1, 1, 1, NAN, 1])
    given = np.array([0.1, 0.3, 0.5, 0.9, 0.9, NAN])

    # An edge belongs to the bin above: |0.4 - 1/2| of two units, |1.4 - 2| of two units.
    error = calibration_error(truth, given, (0.5,))

    assert error.point()[0] == pytest.approx((abs(0.4 - 1) + abs(1.4 - 2)) / 4)
    assert error.n == 4
    assert calibration_error(np.array([NAN]), np.ones(1), (0.5,)).point()[1] is (
        MissingReason.NO_UNITS
    )
