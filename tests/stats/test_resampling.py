"""Bootstrap, jackknife, permutation and intervals."""

from __future__ import annotations

import tracemalloc
from functools import partial

import numpy as np
import pytest
from scipy import stats

from reviewscore.stats import resampling as resample
from reviewscore.stats.estimates import mean
from reviewscore.stats.metrics import (
    f1,
    gwet_ac,
    krippendorff_alpha,
    pearson,
    precision,
    spearman,
    weighted_kappa,
)
from reviewscore.stats.resampling import (
    Clusters,
    Scheme,
    Sums,
    bootstrap,
    bootstrap_weights,
    interval,
    jackknife,
    swapped,
)
from reviewscore.stats.statistic import Floats
from tests.stats.ratings import NAN, column, drawn

SCHEMES: tuple[Scheme, ...] = ("papers+units", "papers", "units")
average = partial(mean, "mean")
PAPERS = ("b", "a", "b", "c", "a", "b", "b")


def alone(units: int) -> Clusters:
    """Each unit in a paper of its own."""
    return Clusters.by([f"{one:05d}" for one in range(units)])


def weights(clusters: Clusters, resamples: int, scheme: Scheme, seed: int = 0) -> Floats:
    pieces = bootstrap_weights(clusters, resamples, seed=seed, scheme=scheme)
    return np.concatenate(list(pieces))


def test_papers_are_numbered_by_name() -> None:
    clusters = Clusters.by(PAPERS)

    assert clusters.of.tolist() == [1, 0, 1, 2, 0, 1, 1]
    assert clusters.sizes.tolist() == [2, 4, 1]
    assert len(clusters) == 3
    assert len(Clusters.by([])) == 0


def test_as_many_units_are_drawn_as_there_are() -> None:
    found = weights(Clusters.by(PAPERS), 200, "units")

    assert found.shape == (200, 7)
    assert set(found.sum(axis=1)) == {7.0}


def test_papers_are_drawn_whole() -> None:
    clusters = Clusters.by(PAPERS)

    found = weights(clusters, 200, "papers")

    by_paper = np.stack([found[:, clusters.of == one].max(axis=1) for one in range(3)], axis=1)
    assert found.tolist() == by_paper[:, clusters.of].tolist()
    assert set(by_paper.sum(axis=1)) == {3.0}


def test_each_drawn_paper_gives_as_many_units_as_it_has() -> None:
    clusters = Clusters.by(PAPERS)

    found = weights(clusters, 500, "papers+units")

    by_paper = np.stack([found[:, clusters.of == one].sum(axis=1) for one in range(3)], axis=1)
    times = by_paper / clusters.sizes
    assert times.tolist() == np.round(times).tolist()
    assert set(times.sum(axis=1)) == {3.0}
    # Paper a has two units, which must sometimes be drawn unevenly.
    assert (found[:, 1] != found[:, 4]).any()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_row_sums_are_the_number_of_units_where_papers_are_equally_long(scheme: Scheme) -> None:
    clusters = Clusters.by([f"paper {one // 4}" for one in range(20)])

    assert set(weights(clusters, 100, scheme).sum(axis=1)) == {20.0}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_same_seed_gives_the_same_samples_and_another_does_not(scheme: Scheme) -> None:
    clusters = Clusters.by(PAPERS)
    first = weights(clusters, 50, scheme, seed=4)

    assert first.tolist() == weights(clusters, 50, scheme, seed=4).tolist()
    assert first.tolist() != weights(clusters, 50, scheme, seed=5).tolist()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_units_are_drawn_once_on_average(scheme: Scheme) -> None:
    clusters = Clusters.by(PAPERS)

    found = weights(clusters, 20_000, scheme)

    # The variance of one unit's weight is at most 1 + 1 here, so the error of a mean 0.01.
    assert pytest.approx(np.ones(7), abs=0.05) == found.mean(axis=0)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_samples_in_chunks_are_distributed_as_those_in_one_piece(scheme: Scheme) -> None:
    papers = 1500
    clusters = Clusters.by([f"{one // 2:05d}" for one in range(2 * papers)])

    chunks = list(bootstrap_weights(clusters, 1500, seed=1, scheme=scheme))

    assert len(chunks) > 1
    assert sum(len(one) for one in chunks) == 1500
    # A paper is drawn Binomial(papers, 1 / papers) times, a unit likewise: variance 1 - 1 / n;
    # both steps together add the variance of drawing 2 K units out of 2, that is K / 2.
    expected = {"papers": 1 - 1 / papers, "units": 1 - 1 / (2 * papers), "papers+units": 1.5}
    whole = np.concatenate(chunks)
    assert {float(2 * papers)} == set(whole.sum(axis=1))
    assert pytest.approx(1.0, abs=0.01) == whole.mean()
    assert pytest.approx(expected[scheme], abs=0.02) == whole.var()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_samples_do_not_depend_on_how_many_are_held_at_once(
    scheme: Scheme, monkeypatch: pytest.MonkeyPatch
) -> None:
    clusters = Clusters.by([f"{one // 3:03d}" for one in range(301)])
    whole = weights(clusters, 101, scheme)

    monkeypatch.setattr(resample, "_BLOCK", 7 * 301)

    if scheme != "papers+units":  # of these the parts are put together again
        assert len(list(bootstrap_weights(clusters, 101, seed=0, scheme=scheme))) > 1
    assert np.array_equal(weights(clusters, 101, scheme), whole)


def test_units_within_papers_are_drawn_in_less_room_than_all_their_weights() -> None:
    clusters = Clusters.by([f"{one:05d}" for one in range(2000)])
    tracemalloc.start()
    for one in bootstrap_weights(clusters, 1000, seed=0):
        assert one.shape == (1000, 2000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < 3 * 1000 * 2000 * 8


def test_the_bootstrap_of_a_mean_has_the_textbook_standard_error() -> None:
    scores = np.random.default_rng(1).normal(3.0, 1.0, size=80)

    replicates = bootstrap([average(scores)], alone(80), resamples=8000, scheme="units")[0]

    # Efron and Tibshirani 1993, eq. 5.12: sqrt(sum (x - mean)^2 / n^2). The standard error of a
    # standard deviation of 8000 replicates is 1 / sqrt(16000), 0.8 %.
    assert pytest.approx(scores.std() / np.sqrt(80), rel=0.03) == replicates.std()
    assert pytest.approx(scores.mean(), abs=0.01) == replicates.mean()


def test_papers_in_which_units_are_alike_widen_the_bootstrap_of_a_mean() -> None:
    rng = np.random.default_rng(2)
    papers = rng.normal(size=40)
    scores = np.repeat(papers, 5)
    clusters = Clusters.by([f"{one // 5:02d}" for one in range(200)])

    spread = {
        scheme: bootstrap([average(scores)], clusters, resamples=4000, scheme=scheme)[0].std()
        for scheme in SCHEMES
    }

    assert pytest.approx(papers.std() / np.sqrt(40), rel=0.05) == spread["papers"]
    assert pytest.approx(papers.std() / np.sqrt(40), rel=0.05) == spread["papers+units"]
    assert pytest.approx(papers.std() / np.sqrt(200), rel=0.05) == spread["units"]


def test_drawing_units_too_adds_their_variance_to_that_of_papers() -> None:
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(30, 6))
    clusters = Clusters.by([f"{one // 6:02d}" for one in range(180)])

    drawn_spread = bootstrap([average(scores.ravel())], clusters, resamples=6000)[0].var()

    between, within = scores.mean(axis=1).var() / 30, scores.var(axis=1).mean() / 180
    assert pytest.approx(between + within, rel=0.08) == drawn_spread


def test_papers_of_one_unit_are_as_units() -> None:
    statistic = pearson(*drawn(5, 40, 2).T)

    found = [
        bootstrap([statistic], alone(40), resamples=4000, scheme=scheme)[0].std()
        for scheme in SCHEMES
    ]

    assert pytest.approx([found[0]] * 3, rel=0.08) == found


def test_replicates_are_the_coefficients_of_the_repeated_units() -> None:
    ratings = drawn(6, 25, 2)
    clusters = Clusters.by([f"{one // 5}" for one in range(25)])
    coefficients = (
        lambda two: pearson(*two.T),
        lambda two: spearman(*two.T),
        lambda two: weighted_kappa(*two.T),
        gwet_ac,
        krippendorff_alpha,
    )

    found = bootstrap([one(ratings) for one in coefficients], clusters, resamples=20, seed=9)

    repeats = weights(clusters, 20, "papers+units", seed=9).astype(int)
    for row, coefficient in zip(found, coefficients, strict=True):
        expected = [coefficient(np.repeat(ratings, one, axis=0)).point()[0] for one in repeats]
        assert pytest.approx(expected, abs=1e-10, nan_ok=True) == row.tolist()


def test_two_judges_are_compared_on_the_same_samples() -> None:
    human, judge = drawn(7, 30, 2).T
    clusters = Clusters.by([f"{one // 3}" for one in range(30)])

    together = bootstrap([pearson(human, judge), spearman(human, judge)], clusters, resamples=50)
    by_itself = bootstrap([spearman(human, judge)], clusters, resamples=50)

    assert by_itself[0].tolist() == pytest.approx(together[1].tolist(), abs=1e-12)


def test_coefficients_with_the_same_sums_share_them() -> None:
    human, judge = column(1, 0, 1, 1), column(1, 1, 0, 1)

    sums = Sums([precision(human, judge), f1(human, judge), weighted_kappa(human + 1, judge + 1)])

    assert sums.matrix.shape == (4, 4 + 25)
    found = sums.values(sums.matrix.sum(axis=0, keepdims=True))
    assert pytest.approx([2 / 3, 2 / 3]) == found[:2, 0].tolist()


def test_papers_add_up_to_the_whole() -> None:
    sums = Sums([pearson(*drawn(8, 7, 2).T)])

    by_paper = sums.by_paper(Clusters.by(PAPERS))

    assert by_paper.shape == (3, 6)
    assert by_paper[0].tolist() == (sums.matrix[1] + sums.matrix[4]).tolist()
    assert pytest.approx(sums.matrix.sum(axis=0)) == by_paper.sum(axis=0)


def test_the_jackknife_leaves_out_one_paper_at_a_time() -> None:
    ratings = drawn(9, 7, 2)
    clusters = Clusters.by(PAPERS)

    found = jackknife([pearson(*ratings.T), krippendorff_alpha(ratings)], clusters)

    assert found.shape == (2, 3)
    kept = [ratings[clusters.of != one] for one in range(3)]
    assert pytest.approx([pearson(*one.T).point()[0] for one in kept]) == found[0].tolist()
    assert pytest.approx([krippendorff_alpha(one).point()[0] for one in kept]) == found[1].tolist()


def test_the_jackknife_of_a_single_paper_leaves_out_one_unit_at_a_time() -> None:
    scores = column(1, 2, 4, 9)

    found = jackknife([average(scores)], Clusters.by(["a"] * 4))

    assert found.shape == (1, 4)
    assert pytest.approx([5, 14 / 3, 4, 7 / 3]) == found[0].tolist()


def test_the_jackknife_of_a_mean_has_the_textbook_standard_error() -> None:
    scores = np.random.default_rng(4).normal(size=30)

    found = jackknife([average(scores)], alone(30))[0]

    # Efron and Tibshirani 1993, eq. 11.5, which for a mean is s / sqrt(n).
    error = np.sqrt(29 / 30 * ((found - found.mean()) ** 2).sum())
    assert pytest.approx(scores.std(ddof=1) / np.sqrt(30)) == error


def scipys(scores: Floats, method: str) -> tuple[float, float]:
    found = stats.bootstrap(
        (scores,), np.mean, n_resamples=20_000, method=method, rng=np.random.default_rng(0)
    ).confidence_interval
    return float(found.low), float(found.high)


@pytest.mark.parametrize(("method", "name"), [("bca", "BCa"), ("percentile", "percentile")])
def test_an_interval_of_a_skewed_mean_is_that_of_scipy(method: str, name: str) -> None:
    scores = np.random.default_rng(5).lognormal(sigma=1.2, size=40)
    statistic, clusters = average(scores), alone(40)
    replicates = bootstrap([statistic], clusters, resamples=20_000, scheme="units")[0]
    left_out = jackknife([statistic], clusters)[0]

    found = interval(
        statistic.point()[0],
        replicates,
        left_out,
        method="bca" if method == "bca" else "percentile",
    )

    low, high = scipys(scores, name)
    # An end is a quantile of 20 000 replicates: its error is about 0.02 standard errors below
    # and 0.04 above, where few replicates are.
    error = replicates.std()
    assert found.method == method
    assert pytest.approx(low, abs=0.06 * error) == found.low
    assert pytest.approx(high, abs=0.15 * error) == found.high
    assert found.undefined == 0.0


def test_bca_of_the_same_replicates_is_that_of_scipy() -> None:
    rng = np.random.default_rng(6)
    human, judge = rng.normal(size=(2, 25)) + np.linspace(0.0, 2.0, 25)
    statistic, clusters = pearson(human, judge), alone(25)
    replicates = bootstrap([statistic], clusters, resamples=999, scheme="units")[0]
    before = stats.bootstrap(
        (human, judge),
        lambda x, y: stats.pearsonr(x, y).statistic,
        paired=True,
        vectorized=False,
        n_resamples=0,
        method="BCa",
        bootstrap_result=_Replicates(replicates),
    ).confidence_interval

    found = interval(statistic.point()[0], replicates, jackknife([statistic], clusters)[0])

    assert pytest.approx((before.low, before.high), abs=1e-9) == (found.low, found.high)


class _Replicates:
    """What scipy reads of an earlier bootstrap."""

    def __init__(self, replicates: Floats) -> None:
        self.bootstrap_distribution = replicates


def test_bca_of_a_symmetric_case_is_the_percentile_interval() -> None:
    replicates, left_out = np.linspace(-1.0, 1.0, 1001), column(-0.1, 0.0, 0.1)

    bca = interval(0.0, replicates, left_out)
    plain = interval(0.0, replicates, left_out, method="percentile")

    assert (bca.method, plain.method) == ("bca", "percentile")
    assert pytest.approx((-0.95, 0.95)) == (plain.low, plain.high)
    assert pytest.approx((-0.95, 0.95)) == (bca.low, bca.high)


def test_replicates_off_by_rounding_count_as_equal_to_the_value() -> None:
    # A library's estimate can differ from our replicates in the last bit.
    replicates, left_out = np.round(np.linspace(-1.0, 1.0, 11), 1), column(-0.1, 0.0, 0.1)

    found = [interval(value, replicates, left_out) for value in (0.0, 1e-15, -1e-15)]

    assert found[0] == found[1] == found[2]


def test_the_level_sets_how_much_an_interval_holds() -> None:
    found = interval(0.0, np.linspace(-1, 1, 1001), column(), method="percentile", level=0.5)

    assert pytest.approx((-0.5, 0.5)) == (found.low, found.high)


@pytest.mark.parametrize(
    ("value", "left_out"),
    [
        (2.0, column(0.1, 0.2, 0.4)),  # all replicates below
        (-2.0, column(0.1, 0.2, 0.4)),  # all above
        (0.0, column(0.3, 0.3, 0.3)),  # the jackknife does not vary
        (0.0, column(0.3, 0.3, 0.1 + 0.2)),  # or by rounding alone
        (0.0, column(0.3)),  # one paper, nothing to compare
        (0.0, column(0.3, None)),
        (0.0, column()),
    ],
)
def test_bca_becomes_the_percentile_interval_where_it_is_not_defined(
    value: float, left_out: Floats
) -> None:
    replicates = np.linspace(-1.0, 1.0, 101)

    found = interval(value, replicates, left_out)

    assert found.method == "percentile"
    assert pytest.approx((-0.95, 0.95)) == (found.low, found.high)


def test_bca_becomes_the_percentile_interval_where_skewness_sends_an_end_to_infinity() -> None:
    # The acceleration is at most 1/6, so it takes an end six standard errors out.
    replicates, left_out = np.linspace(-1.0, 1.0, 101), column(*[0.0] * 99, -1.0)

    found = interval(0.98, replicates, left_out, level=1 - 1e-6)

    assert found.method == "percentile"
    assert pytest.approx((-1.0, 1.0), abs=1e-5) == (found.low, found.high)


@pytest.mark.parametrize(
    ("value", "replicates", "undefined"),
    [(NAN, column(0.1, 0.2), 0.0), (0.1, column(None, None), 1.0), (0.1, column(), 1.0)],
)
def test_there_is_no_interval_without_a_value_or_replicates(
    value: float, replicates: Floats, undefined: float
) -> None:
    found = interval(value, replicates, column(0.1, 0.2))

    assert np.isnan([found.low, found.high]).all()
    assert found.undefined == undefined


def test_undefined_replicates_are_left_out_and_reported() -> None:
    found = interval(
        0.5, column(None, 0.5, 0.4, None, 0.6, None, None, 0.5), column(0.4, 0.6, None, 0.5)
    )

    assert found.undefined == 0.5
    assert 0.4 <= found.low < 0.5 < found.high <= 0.6


def test_samples_without_a_flag_leave_precision_undefined() -> None:
    # One unit of four is flagged: it is missing from (3/4)^4 = 31.6 % of the samples.
    statistic = precision(column(1, 0, 1, 0), column(1, 0, 0, 0))

    replicates = bootstrap([statistic], alone(4), resamples=4000, scheme="units")[0]

    found = interval(1.0, replicates, jackknife([statistic], alone(4))[0])
    assert pytest.approx(0.316, abs=0.03) == found.undefined
    assert np.isnan(replicates).mean() == pytest.approx(found.undefined)


@pytest.mark.parametrize("seed", [11, 12])
def test_bootstrap_intervals_hold_the_true_mean_about_as_often_as_they_say(seed: int) -> None:
    rng = np.random.default_rng(seed)
    inside = 0
    for _ in range(150):
        scores = np.repeat(rng.normal(size=30), 3) + rng.normal(size=90)
        statistic = average(scores)
        clusters = Clusters.by([f"{one // 3:02d}" for one in range(90)])
        replicates = bootstrap([statistic], clusters, resamples=300, scheme="papers")[0]
        found = interval(statistic.point()[0], replicates, jackknife([statistic], clusters)[0])
        inside += found.low <= 0.0 <= found.high

    # 95 % give or take 3 standard errors of 1.8 %, and some for so few papers.
    assert 0.88 <= inside / 150 <= 1.0


def p_value(seen: float, moved: Floats) -> float:
    return float((1 + (np.abs(moved) >= abs(seen) - 1e-12).sum()) / (1 + len(moved)))


def judged(rng: np.random.Generator, truth: Floats, noise: float) -> Floats:
    scores = truth + rng.normal(scale=noise, size=len(truth))
    return np.asarray(np.clip(np.round(scores), 1, 5), dtype=np.float64)


def compared(
    rng: np.random.Generator, noise: tuple[float, float], *, papers: int, units: int
) -> float:
    """The p-value of the difference of two judges' kappas."""
    n = papers * units
    truth = rng.integers(1, 6, size=n).astype(np.float64)
    left, right = (weighted_kappa(truth, judged(rng, truth, one)) for one in noise)
    clusters = Clusters.by([f"{one // units:03d}" for one in range(n)])
    moved = swapped([(left, right)], clusters, permutations=199, seed=int(rng.integers(1 << 30)))
    return p_value(left.point()[0] - right.point()[0], moved[0])


@pytest.mark.parametrize(("papers", "units"), [(15, 4), (1, 40)])
def test_p_values_of_two_judges_who_are_alike_are_uniform(papers: int, units: int) -> None:
    rng = np.random.default_rng(13)

    found = [compared(rng, (1.0, 1.0), papers=papers, units=units) for _ in range(400)]

    assert stats.kstest(found, "uniform").pvalue > 0.01
    assert np.mean(np.array(found) <= 0.05) == pytest.approx(0.05, abs=0.035)


@pytest.mark.parametrize(("papers", "units"), [(15, 4), (1, 40)])
def test_the_p_value_of_two_judges_who_differ_much_is_the_smallest(papers: int, units: int) -> None:
    rng = np.random.default_rng(14)

    found = [compared(rng, (0.3, 3.0), papers=papers, units=units) for _ in range(10)]

    assert max(found) <= 0.01


def test_swapping_papers_gives_what_computing_anew_gives() -> None:
    ratings = drawn(15, 24, 3, missing=0.1)
    human, left, right = ratings.T
    clusters = Clusters.by([f"{one // 4}" for one in range(24)])
    coefficients = (pearson, spearman, weighted_kappa)

    found = swapped(
        [(one(human, left), one(human, right)) for one in coefficients],
        clusters,
        permutations=30,
        seed=3,
    )

    assert found.shape == (3, 30)
    swap = np.random.default_rng(3).random((30, 6)) < 0.5
    for row, coefficient in zip(found, coefficients, strict=True):
        for difference, papers in zip(row, swap, strict=True):
            moved = papers[clusters.of]
            first = coefficient(human, np.where(moved, right, left)).point()[0]
            second = coefficient(human, np.where(moved, left, right)).point()[0]
            assert pytest.approx(first - second, abs=1e-10) == difference


def test_swapping_ranks_gives_what_computing_anew_gives_though_no_two_scores_are_equal() -> None:
    rng = np.random.default_rng(16)
    human = rng.integers(1, 6, size=12).astype(np.float64)
    left, right = rng.normal(size=(2, 12))

    found = swapped([(spearman(human, left), spearman(human, right))], alone(12), permutations=10)

    swap = np.random.default_rng(0).random((10, 12)) < 0.5
    for difference, moved in zip(found[0], swap, strict=True):
        first = spearman(human, np.where(moved, right, left)).point()[0]
        second = spearman(human, np.where(moved, left, right)).point()[0]
        assert pytest.approx(first - second, abs=1e-10) == difference


def test_a_swap_that_leaves_a_side_constant_has_no_difference() -> None:
    human = column(1, 2, 3, 4)
    left, right = column(1.1, 2.7, 3.0, 3.0), column(3.0, 3.0, 1.3, 4.9)
    clusters = Clusters.by(["a", "a", "b", "b"])

    found = swapped([(pearson(human, left), pearson(human, right))], clusters, permutations=40)[0]

    one_swapped = np.logical_xor(*(np.random.default_rng(0).random((40, 2)) < 0.5).T)
    assert np.isnan(found).tolist() == one_swapped.tolist()


def test_a_judge_does_not_differ_from_himself() -> None:
    human, judge = drawn(17, 20, 2).T
    same = partial(krippendorff_alpha, np.stack([human, judge], axis=1))

    found = swapped([(same(), same())], alone(20), permutations=20)

    assert found.tolist() == [[0.0] * 20]


def test_coefficients_of_two_kinds_are_not_swapped() -> None:
    human, judge = drawn(18, 10, 2).T

    with pytest.raises(ValueError, match="one kind over the same units"):
        swapped([(pearson(human, judge), weighted_kappa(human, judge))], alone(10))


def test_the_basic_interval_reflects_the_percentiles_at_the_value() -> None:
    replicates = np.linspace(2.0, 4.0, 101)

    found = interval(1.0, replicates, np.array([]), method="basic", level=0.9)

    # Percentiles 2.1 and 3.9 of replicates that lie above the value.
    assert (found.low, found.high) == pytest.approx((2 * 1.0 - 3.9, 2 * 1.0 - 2.1))
    assert found.method == "basic"
