"""Each coefficient against well-known libraries, on ratings drawn at random."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import cohen_kappa_score, precision_recall_fscore_support
from statsmodels.stats.inter_rater import cohens_kappa

from reviewscore.stats import metrics
from reviewscore.stats.statistic import SCALE, Floats, MissingReason, Statistic
from tests.stats.ratings import LEVELS, NAN, WEIGHTS, drawn, matrices

IRRCAC = Path(__file__).parents[1] / "data" / "agreement" / "irrcac.json"
FROZEN = json.loads(IRRCAC.read_text("utf-8"))
SEEDS = range(6)
MISSING = (0.0, 0.15)
FLAGS = st.lists(
    st.tuples(st.sampled_from([0.0, 1.0, NAN]), st.sampled_from([0.0, 1.0, NAN])),
    min_size=1,
    max_size=15,
)


def same(value: float) -> object:
    return pytest.approx(value, abs=1e-10, nan_ok=True)


def paired(seed: int, missing: float, *, units: int = 60) -> tuple[Floats, Floats]:
    """Two columns, and the same without the units that lack one."""
    ratings = drawn(seed, units, 2, missing=missing)
    return ratings[:, 0], ratings[:, 1]


def known(human: Floats, judge: Floats) -> tuple[Floats, Floats]:
    both = ~np.isnan(human) & ~np.isnan(judge)
    return human[both], judge[both]


@given(FLAGS)
@settings(max_examples=100, deadline=None)
def test_precision_recall_and_f1_are_those_of_scikit_learn(
    flags: list[tuple[float, float]],
) -> None:
    human, judge = np.array(flags).T
    x, y = known(human, judge)
    assume(len(x))

    expected = precision_recall_fscore_support(
        x.astype(int), y.astype(int), average="binary", zero_division=np.nan
    )[:3]

    for one, coefficient in zip(
        expected, (metrics.precision, metrics.recall, metrics.f1), strict=True
    ):
        statistic = coefficient(human, judge)
        assert same(one) == statistic.point()[0]
        assert statistic.library is not None
        assert same(one) == statistic.library()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("missing", MISSING)
@pytest.mark.parametrize("weights", ["identity", "linear", "quadratic"])
def test_kappa_is_that_of_scikit_learn(seed: int, missing: float, weights: metrics.Weights) -> None:
    human, judge = paired(seed, missing)
    x, y = known(human, judge)

    kappa = metrics.weighted_kappa(human, judge, weights=weights)

    named = None if weights == "identity" else weights
    expected = cohen_kappa_score(
        x.astype(int), y.astype(int), labels=[1, 2, 3, 4, 5], weights=named
    )
    assert same(expected) == kappa.point()[0]
    assert kappa.library is not None
    assert same(expected) == kappa.library()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("weights", WEIGHTS)
def test_kappa_is_that_of_statsmodels(seed: int, weights: metrics.Weights) -> None:
    human, judge = paired(seed, 0.15)
    table = np.zeros((5, 5))
    for row, place in zip(*known(human, judge), strict=True):
        table[int(row) - 1, int(place) - 1] += 1

    expected = cohens_kappa(
        table, weights=1.0 - metrics.agreement_weights(weights, 5), return_results=False
    )

    assert same(expected) == metrics.weighted_kappa(human, judge, weights=weights).point()[0]


@given(matrices(raters=2, missing=False), st.sampled_from(["linear", "quadratic"]))
@settings(max_examples=80, deadline=None)
def test_kappa_of_few_units_is_that_of_scikit_learn(
    ratings: Floats, weights: metrics.Weights
) -> None:
    human, judge = ratings.T
    kappa = metrics.weighted_kappa(human, judge, weights=weights)
    assume(kappa.point()[1] is MissingReason.NONE)

    expected = cohen_kappa_score(
        human.astype(int), judge.astype(int), labels=[1, 2, 3, 4, 5], weights=weights
    )

    assert same(expected) == kappa.point()[0]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("missing", MISSING)
def test_pearson_and_spearman_are_those_of_scipy(seed: int, missing: float) -> None:
    human, judge = paired(seed, missing)
    judge = judge + np.random.default_rng(seed).normal(size=len(judge))
    x, y = known(human, judge)

    assert same(stats.pearsonr(x, y).statistic) == metrics.pearson(human, judge).point()[0]
    assert same(stats.spearmanr(x, y).statistic) == metrics.spearman(human, judge).point()[0]


@given(matrices(raters=2, units=20))
@settings(max_examples=80, deadline=None)
def test_pearson_and_spearman_are_those_of_pandas(ratings: Floats) -> None:
    human, judge = ratings.T
    found = metrics.pearson(human, judge).point()[0], metrics.spearman(human, judge).point()[0]
    x, y = known(human, judge)
    assume(len(x) > 1 and np.ptp(x) > 0 and np.ptp(y) > 0)

    frame = pd.DataFrame({"human": human, "judge": judge})

    for expected, value in zip(
        [frame.corr(method=one).loc["human", "judge"] for one in ("pearson", "spearman")],
        found,
        strict=True,
    ):
        assert same(expected) == value


@given(matrices(), st.sampled_from(LEVELS))
@settings(max_examples=150, deadline=None)
def test_alpha_is_that_of_krippendorff(ratings: Floats, level: metrics.Level) -> None:
    alpha = metrics.krippendorff_alpha(ratings, level=level)
    assume(alpha.point()[1] is MissingReason.NONE)

    expected = krippendorff.alpha(
        reliability_data=ratings.T, value_domain=list(SCALE), level_of_measurement=level
    )

    assert same(expected) == alpha.point()[0]
    assert alpha.library is not None
    assert same(expected) == alpha.library()


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_is_that_of_krippendorff_on_a_scale_with_a_zero(level: metrics.Level) -> None:
    ratings = drawn(3, 40, 3, missing=0.2) - 1.0

    alpha = metrics.krippendorff_alpha(ratings, categories=(0.0, 1.0, 2.0, 3.0, 4.0), level=level)

    expected = krippendorff.alpha(reliability_data=ratings.T, level_of_measurement=level)
    assert same(expected) == alpha.point()[0]
    assert alpha.library is not None
    assert same(expected) == alpha.library()


def test_alpha_is_that_of_krippendorff_on_categories_that_are_not_evenly_spaced() -> None:
    categories = (0.0, 1.0, 5.0, 10.0)
    ratings = np.random.default_rng(8).choice(categories, size=(30, 3))

    alpha = metrics.krippendorff_alpha(ratings, categories=categories, level="interval")

    expected = krippendorff.alpha(reliability_data=ratings.T, level_of_measurement="interval")
    assert same(expected) == alpha.point()[0]


def test_the_library_says_nothing_where_krippendorff_is_not_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    alpha = metrics.krippendorff_alpha(drawn(1, 20, 2))
    monkeypatch.setitem(sys.modules, "krippendorff", None)

    assert alpha.library is not None
    assert np.isnan(alpha.library())


def frozen(case: dict[str, Any]) -> tuple[Floats, tuple[float, ...]]:
    ratings = [[NAN if one is None else one for one in row] for row in case["ratings"]]
    return np.array(ratings), tuple(float(one) for one in case["categories"])


@pytest.mark.parametrize("case", FROZEN["cases"], ids=lambda case: case["name"])
@pytest.mark.parametrize("weights", WEIGHTS)
def test_gwets_coefficient_is_that_of_irrcac(
    case: dict[str, Any], weights: metrics.Weights
) -> None:
    ratings, categories = frozen(case)

    found = metrics.gwet_ac(ratings, categories=categories, weights=weights)

    assert same(case["values"][weights]["gwet"]) == found.point()[0]


@pytest.mark.parametrize("case", FROZEN["cases"], ids=lambda case: case["name"])
@pytest.mark.parametrize(("weights", "level"), [("identity", "nominal"), ("quadratic", "interval")])
def test_alpha_is_that_of_irrcac(
    case: dict[str, Any], weights: metrics.Weights, level: metrics.Level
) -> None:
    ratings, categories = frozen(case)

    found = metrics.krippendorff_alpha(ratings, categories=categories, level=level)

    assert same(case["values"][weights]["krippendorff"]) == found.point()[0]


@pytest.mark.parametrize("weights", WEIGHTS)
def test_kappa_of_two_raters_is_congers_of_irrcac(weights: metrics.Weights) -> None:
    case = next(one for one in FROZEN["cases"] if "conger" in one["values"][weights])
    ratings, categories = frozen(case)

    kappa = metrics.weighted_kappa(*ratings.T, categories=categories, weights=weights)

    assert same(case["values"][weights]["conger"]) == kappa.point()[0]


def test_a_library_is_named_only_where_there_is_one() -> None:
    human, judge = paired(0, 0.0)
    none = np.full(3, NAN)

    without: list[Statistic] = [
        metrics.pearson(human, judge),
        metrics.spearman(human, judge),
        metrics.gwet_ac(np.stack([human, judge], axis=1)),
        metrics.weighted_kappa(human, judge, weights="ordinal"),
        metrics.weighted_kappa(human, np.full_like(judge, 2.0)),
        metrics.weighted_kappa(none, none),
        metrics.precision(none, none),
        metrics.krippendorff_alpha(np.full((3, 2), 4.0)),
    ]

    assert [None] * len(without) == [one.library for one in without]


@pytest.mark.parametrize("name", metrics.METRICS)
def test_a_metric_found_by_name_is_that_of_its_library(name: str) -> None:
    scores = drawn(4, 80, 2, missing=0.1).T
    flags = np.where(np.isnan(scores), NAN, (scores <= 2).astype(np.float64))
    of_flags = name in ("precision", "recall", "f1", "kappa-of-flags")

    statistic = metrics.METRICS[name](*(flags if of_flags else scores))

    value, reason = statistic.point()
    assert reason is MissingReason.NONE
    assert -1.0 <= value <= 1.0
    if statistic.library is not None:
        assert same(statistic.library()) == value


def test_scores_between_categories_are_rounded_half_up_before_they_are_compared() -> None:
    human, judge = np.array([1.0, 2.5, 4.4, 5.0]), np.array([1.2, 3.0, 4.0, 4.6])

    found = {
        name: metrics.METRICS[name](human, judge).point()[0] for name in ("kappa", "ac2", "alpha")
    }

    assert found == {"kappa": 1.0, "ac2": 1.0, "alpha": 1.0}
