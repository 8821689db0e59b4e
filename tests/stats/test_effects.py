"""The standardised mean difference and its tests: by hand, by properties, at the edges."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from reviewscore.errors import InputError
from reviewscore.gem.validation import TOO_FEW, area, ladder
from reviewscore.stats.effects import (
    ALL_ALIKE,
    CONSTANT,
    NO_PAPER,
    ONE_PAPER,
    UNMOVED,
    Effect,
    Paired,
    effects,
    standardised_difference,
    t_test,
    wilcoxon_test,
)
from reviewscore.stats.resampling import Clusters, Resampling, bootstrap_weights
from reviewscore.stats.statistic import Floats

NAN = float("nan")
NUMBERS = st.lists(
    st.tuples(st.integers(-50, 50), st.integers(-50, 50)), min_size=2, max_size=20
).map(lambda pairs: (floats(*(a for a, _ in pairs)), floats(*(b for _, b in pairs))))


def floats(*numbers: float) -> Floats:
    return np.asarray(numbers, dtype=np.float64)


def effect(before: Floats, after: Floats, **more: int) -> Effect:
    papers = [f"p{number}" for number in range(len(before))]
    how = Resampling(resamples=more.get("resamples", 200), scheme="papers")
    return effects([Paired(before, after)], papers, resampling=how)[0]


def test_d_is_the_difference_of_means_by_the_pooled_deviation() -> None:
    # By hand: means 2 and 4, variances 1 and 7, so 2 / sqrt((1 + 7) / 2) = 1.
    found = effect(floats(1, 2, 3), floats(2, 3, 7))

    assert found.d == pytest.approx(1.0)
    assert (found.before, found.after, found.n) == (2.0, 4.0, 3)
    assert found.before_sd == pytest.approx(1.0)
    assert found.after_sd == pytest.approx(sqrt(7))


def test_the_t_test_is_paired() -> None:
    # By hand: differences 1, 1, 4 have mean 2 and standard error 1; with two degrees of freedom
    # the two-sided p of t is 1 - t / sqrt(t ** 2 + 2).
    found = t_test(floats(1, 2, 3), floats(2, 3, 7))

    assert found.statistic == pytest.approx(2.0)
    assert found.p == pytest.approx(1 - 2 / sqrt(6))


def test_six_rises_of_six_are_two_in_sixty_four_by_wilcoxon() -> None:
    before = floats(0, 0, 0, 0, 0, 0)

    assert wilcoxon_test(before, floats(1, 2, 3, 4, 5, 6)).p == pytest.approx(2 / 2**6)
    assert wilcoxon_test(before, -floats(1, 2, 3, 4, 5, 6), alternative="less").p == pytest.approx(
        1 / 2**6
    )


def test_papers_without_a_change_do_not_count_for_wilcoxon() -> None:
    found = wilcoxon_test(floats(0, 0, 0, 5), floats(1, 2, 3, 5))

    assert found.n == 3
    assert found.p == pytest.approx(2 / 2**3)


def test_papers_without_one_of_the_scores_do_not_count() -> None:
    found = effect(floats(1, 2, 3, NAN, 9), floats(2, 3, 7, 1, NAN))

    assert found.n == 3
    assert found.d == pytest.approx(1.0)


@given(NUMBERS, st.integers(-1000, 1000), st.integers(1, 1000))
def test_d_does_not_see_shifts_and_positive_scales(
    numbers: tuple[Floats, Floats], shift: int, scale: int
) -> None:
    before, after = numbers
    d = standardised_difference(Paired(before, after)).point()[0]
    moved = Paired(before * scale + shift, after * scale + shift)

    assert standardised_difference(moved).point()[0] == pytest.approx(d, abs=1e-9, nan_ok=True)


@given(NUMBERS)
def test_d_changes_its_sign_when_before_and_after_are_swapped(
    numbers: tuple[Floats, Floats],
) -> None:
    there, back = (
        standardised_difference(Paired(*sides)).point()[0] for sides in (numbers, numbers[::-1])
    )

    assert there == pytest.approx(-back, abs=1e-9, nan_ok=True)


@given(NUMBERS)
def test_d_is_as_by_its_formula(numbers: tuple[Floats, Floats]) -> None:
    before, after = numbers
    pooled = sqrt((before.var(ddof=1) + after.var(ddof=1)) / 2)
    assume(pooled > 0)

    found = standardised_difference(Paired(before, after)).point()[0]

    assert found == pytest.approx((after.mean() - before.mean()) / pooled, abs=1e-9)


@given(NUMBERS)
def test_a_resample_gives_d_of_the_papers_drawn(numbers: tuple[Floats, Floats]) -> None:
    before, after = numbers
    statistic = standardised_difference(Paired(before, after))
    clusters = Clusters.by([f"{number:03d}" for number in range(len(before))])
    weights = next(bootstrap_weights(clusters, 5, scheme="papers"))

    replicates = statistic.from_sums(weights @ statistic.contributions).value

    for row, replicate in zip(weights.astype(int), replicates, strict=True):
        drawn = Paired(np.repeat(before, row), np.repeat(after, row))
        d = standardised_difference(drawn).point()[0]
        assert replicate == pytest.approx(d, abs=1e-6, nan_ok=True)


def test_the_interval_of_paired_scores_is_narrower_than_of_unrelated_ones() -> None:
    rng = np.random.default_rng(0)
    before = rng.normal(size=200)
    fall = before - 0.3 + rng.normal(scale=0.2, size=200)

    paired, unrelated = effect(before, fall), effect(before, rng.permutation(fall))

    assert paired.d == pytest.approx(unrelated.d)
    assert None not in (paired.high, paired.low, unrelated.high, unrelated.low)
    assert paired.high - paired.low < (unrelated.high - unrelated.low) / 3  # type: ignore[operator]
    assert paired.direction == "falls"


def test_the_interval_holds_the_true_value_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(150):
        before = rng.normal(size=60)
        found = effect(before, before - 0.5 + rng.normal(scale=0.5, size=60), resamples=400)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= -0.5 / sqrt((1 + 1.25) / 2) <= found.high

    assert 0.89 <= held / 150 <= 0.99


@pytest.mark.parametrize(
    ("before", "after", "reason", "t", "wilcoxon"),
    [
        (floats(), floats(), NO_PAPER, NO_PAPER, NO_PAPER),
        (floats(NAN), floats(1), NO_PAPER, NO_PAPER, NO_PAPER),
        (floats(1), floats(2), ONE_PAPER, ONE_PAPER, ONE_PAPER),
        (floats(1, 1, 1), floats(1, 1, 1), CONSTANT, UNMOVED, UNMOVED),
        (floats(1, 1, 1), floats(2, 2, 2), CONSTANT, ALL_ALIKE, ""),
        (floats(1, 2, 3), floats(1, 2, 3), "", UNMOVED, UNMOVED),
        (floats(1, 2, 3), floats(2, 3, 4), "", ALL_ALIKE, ""),
        (floats(0.1, 0.2, 0.3), floats(0.1, 0.2, 0.1 + 0.2), "", UNMOVED, UNMOVED),
    ],
)
def test_what_is_undefined_says_why(
    before: Floats, after: Floats, reason: str, t: str, wilcoxon: str
) -> None:
    found = effect(before, after)

    assert (found.reason, found.t.reason, found.wilcoxon.reason) == (reason, t, wilcoxon)
    assert (found.d is None, found.t.p is None, found.wilcoxon.p is None) == (
        bool(reason),
        bool(t),
        bool(wilcoxon),
    )


@settings(deadline=None)  # the first one loads a library
@given(NUMBERS)
def test_no_number_is_nan(numbers: tuple[Floats, Floats]) -> None:
    found = effect(*numbers, resamples=20)

    for number in (found.d, found.low, found.high, found.t.p, found.wilcoxon.p, found.p):
        assert number is None or np.isfinite(number)
    assert bool(found.reason) == (found.d is None)
    assert bool(found.t.reason) == (found.t.p is None)


def test_scores_that_did_not_move_have_a_d_of_nought_and_no_direction() -> None:
    found = effect(floats(1, 2, 3), floats(1, 2, 3))

    assert (found.d, found.low, found.high, found.direction) == (0.0, 0.0, 0.0, "")


def test_the_area_counts_the_pairs_in_the_right_order() -> None:
    # By hand: 3 beats 2 and 0, 1 beats 0 and not 2.
    found = area("m", floats(3, 1), floats(2, 0))

    assert found.estimate.value == pytest.approx(3 / 4)
    assert found.wins == pytest.approx(1.0)


def test_several_rounds_are_averaged() -> None:
    # By hand: 3/4 as above in the first round, and nothing beaten in the second.
    found = area("m", floats(3, 1), np.column_stack([floats(2, 0), floats(9, 9)]))

    assert found.estimate.value == pytest.approx(3 / 8)
    assert found.wins == pytest.approx(1 / 2)


def test_ties_count_half() -> None:
    assert area("m", floats(1, 1, 1), floats(1, 1, 1)).estimate.value == pytest.approx(0.5)


def test_an_area_of_one_paper_is_undefined() -> None:
    found = area("m", floats(1), floats(0), {"why": 3}).estimate

    assert (found.value, found.reason, found.dropped) == (None, TOO_FEW, {"why": 3})


def test_the_resampled_area_is_the_area_of_the_papers_drawn() -> None:
    rng = np.random.default_rng(2)
    matched, wrong = rng.normal(0.5, 1, 40), rng.normal(0, 1, 40)
    drawn = rng.integers(40, size=(2000, 40))
    once = Resampling(resamples=1)
    replicates = [area("m", matched[rows], wrong[rows], resampling=once).estimate.value
                  for rows in drawn]  # fmt: skip
    how = Resampling(resamples=4000, method="percentile")

    found = area("m", matched, wrong, resampling=how).estimate

    low, high = np.quantile(np.asarray(replicates, dtype=np.float64), (0.025, 0.975))
    assert found.low == pytest.approx(low, abs=0.02)
    assert found.high == pytest.approx(high, abs=0.02)


@given(NUMBERS)
def test_the_area_of_swapped_sides_is_the_rest(numbers: tuple[Floats, Floats]) -> None:
    how = Resampling(resamples=5)
    there, back = (area("m", *sides, resampling=how).estimate for sides in (numbers, numbers[::-1]))

    assert there.value is not None
    assert back.value is not None
    assert there.value + back.value == pytest.approx(1.0)


def test_the_ladder_tests_each_step_for_a_fall() -> None:
    rng = np.random.default_rng(0)
    whole = rng.normal(size=50)
    scores = {
        "100": whole,
        "60": whole - 1 + rng.normal(scale=0.1, size=50),
        "20": whole - 1 + rng.normal(scale=0.1, size=50),
    }

    first, second = ladder(scores)

    assert first.fall == pytest.approx(1, abs=0.1)
    assert first.t.p is not None
    assert first.t.p < 1e-6
    assert second.t.p is not None
    assert second.t.p > 0.01
    rising = ladder({name: scores[name] for name in ("60", "100")})[0]
    assert rising.t.p is not None
    assert rising.t.p > 0.99


def test_a_ladder_of_one_step_is_refused() -> None:
    with pytest.raises(InputError, match="two or more"):
        ladder({"100": floats(1, 2)})
