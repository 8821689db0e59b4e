"""Each coefficient against examples that others published, with the figure they print."""

from __future__ import annotations

import numpy as np
import pytest

from reviewscore.stats import metrics
from reviewscore.stats.statistic import Floats
from tests.stats.ratings import by_rater, column, crossed, dealt, scale

# Krippendorff 2011, Computing Krippendorff's Alpha-Reliability, section C: four observers, twelve
# units, five values, missing ratings. The same ratings are Gwet 2014, Handbook of Inter-Rater
# Reliability, 4th ed., p. 120, and cac.raw4raters of his R package irrCAC.
FOUR_OBSERVERS = by_rater(
    (1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None),
    (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3),
    (None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None),
    (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None),
)
# Krippendorff 2011, section A: two observers, ten units, binary data.
TWO_OBSERVERS_BINARY = by_rater((0, 1, 0, 0, 0, 0, 0, 0, 1, 0), (1, 1, 1, 0, 0, 1, 0, 0, 0, 0))
# Krippendorff 2011, section B: two observers, twelve units, values a to e.
TWO_OBSERVERS_NOMINAL = by_rater(
    (1, 1, 2, 2, 4, 3, 3, 3, 5, 4, 4, 1), (2, 1, 2, 2, 2, 3, 3, 3, 5, 4, 4, 4)
)
# Wikipedia, "Krippendorff's alpha", A computational example: three coders, fifteen units.
THREE_CODERS = by_rater(
    (None, None, None, None, None, 3, 4, 1, 2, 1, 1, 3, 3, None, 3),
    (1, None, 2, 1, 3, 3, 4, 3, *(None,) * 7),
    (None, None, 2, 1, 3, 4, 4, None, 2, 1, 1, 3, 3, None, 4),
)
# Gwet 2014, and cont3x3abstractors of irrCAC: two abstractors on a hundred pregnancies.
ABSTRACTORS = ((13, 0, 0), (0, 20, 7), (0, 4, 56))
# Fleiss 1971, Psychol. Bull. 76, 378-382, table 1, of which distrib.6raters of irrCAC holds the
# first fifteen patients: how many of six psychiatrists chose each of five diagnoses.
PSYCHIATRISTS = (
    (0, 0, 0, 6, 0),
    (0, 3, 0, 0, 3),
    (0, 1, 4, 0, 1),
    (0, 0, 0, 0, 6),
    (0, 3, 0, 3, 0),
    (2, 0, 4, 0, 0),
    (0, 0, 4, 0, 2),
    (2, 0, 3, 1, 0),
    (2, 0, 0, 4, 0),
    (0, 0, 0, 0, 6),
    (1, 0, 0, 5, 0),
    (1, 1, 0, 4, 0),
    (0, 3, 3, 0, 0),
    (1, 0, 0, 5, 0),
    (0, 2, 0, 3, 1),
)
# Cohen 1968, Psychol. Bull. 70, 213-220, table 1, as counts of 200.
COHEN = ((88, 14, 18), (10, 40, 10), (2, 6, 12))
# Fleiss, Cohen and Everitt 1969, Psychol. Bull. 72, 323-327, table 1, as counts of 200.
FLEISS_COHEN_EVERITT = ((106, 10, 4), (22, 28, 10), (2, 12, 6))
# SAS/STAT User's Guide, PROC FREQ, Getting Started, "Agreement Study": two dermatologists.
DERMATOLOGISTS = ((10, 4, 1, 0), (5, 10, 12, 2), (2, 4, 12, 5), (0, 2, 6, 13))
# Hout, Duncan and Sobel 1987, Sociol. Methodol. 17, 145-184, as SexualFun of the R package vcd.
COUPLES = ((7, 7, 2, 3), (2, 8, 3, 7), (1, 5, 4, 9), (2, 8, 9, 14))
# Kundel and Polansky 2003, Radiology 228, 303-308, table A1, as Mammograms of vcdExtra.
MAMMOGRAMS = ((34, 10, 2, 0), (6, 8, 8, 2), (2, 5, 4, 12), (0, 1, 2, 14))
# Boyd et al. 1982, in Altman 1991, p. 403, and the Stata Base Reference Manual, [R] kappa.
RADIOLOGISTS = ((21, 12, 0, 0), (4, 17, 1, 0), (3, 9, 15, 2), (0, 0, 0, 1))
# Cont4x4diagnosis of irrCAC (Gwet 2014): two clinicians on 223 patients.
CLINICIANS = ((40, 4, 4, 17), (6, 25, 2, 13), (4, 1, 21, 12), (15, 5, 9, 45))

# Anscombe 1973, Am. Stat. 27, 17-21: four data sets made to have one correlation, 0.82.
ANSCOMBE_X = (10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5)
ANSCOMBE = (
    (ANSCOMBE_X, (8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68)),
    (ANSCOMBE_X, (9.14, 8.14, 8.74, 8.77, 9.26, 8.10, 6.13, 3.10, 9.13, 7.26, 4.74)),
    (ANSCOMBE_X, (7.46, 6.77, 12.74, 7.11, 7.81, 8.84, 6.08, 5.39, 8.15, 6.42, 5.73)),
    (
        (8, 8, 8, 8, 8, 8, 8, 19, 8, 8, 8),
        (6.58, 5.76, 7.71, 8.84, 8.47, 7.04, 5.25, 12.50, 5.56, 7.91, 6.89),
    ),
)


def near(figure: str) -> object:
    """The printed figure, give or take half of its last digit."""
    digits = len(figure.partition(".")[2])
    return pytest.approx(float(figure), abs=0.5 * 10**-digits + 1e-12)


def counted(hit: int, false: int, missed: int, neither: int) -> tuple[Floats, Floats]:
    """Flags of people and of a judge with these counts."""
    times = (hit, false, missed, neither)
    return np.repeat([1.0, 0.0, 1.0, 0.0], times), np.repeat([1.0, 1.0, 0.0, 0.0], times)


@pytest.mark.parametrize(
    ("flags", "figures"),
    [
        # Scikit-learn User Guide, section "Binary classification": y_pred = [0, 1, 0, 0],
        # y_true = [0, 1, 0, 1] gives precision 1.0, recall 0.5 and F1 0.66..., printed cut off.
        ((column(0, 1, 0, 1), column(0, 1, 0, 0)), ("1.0", "0.5", "0.67")),
        # Wikipedia, "Sensitivity and specificity", worked example: 2030 people, a test for bowel
        # cancer; positive predictive value 10 %, sensitivity 66.7 %, F1 0.174.
        (counted(20, 180, 10, 1820), ("0.10", "0.667", "0.174")),
    ],
)
def test_precision_recall_and_f1_are_those_published(
    flags: tuple[Floats, Floats], figures: tuple[str, str, str]
) -> None:
    found = [
        coefficient(*flags).point()[0]
        for coefficient in (metrics.precision, metrics.recall, metrics.f1)
    ]

    assert [near(one) for one in figures] == found


@pytest.mark.parametrize(
    ("counts", "figure"),
    # Manning, Raghavan and Schuetze 2008, Introduction to Information Retrieval, table 13.8: two
    # classes and both pooled; macroaveraged precision is (0.5 + 0.9) / 2, microaveraged 0.83.
    [((10, 10, 10, 970), "0.5"), ((90, 10, 10, 890), "0.9"), ((100, 20, 20, 1860), "0.83")],
)
def test_precision_is_that_of_the_textbook(counts: tuple[int, int, int, int], figure: str) -> None:
    assert near(figure) == metrics.precision(*counted(*counts)).point()[0]


@pytest.mark.parametrize(
    ("table", "weights", "figure"),
    [
        (COHEN, "identity", "0.492"),  # Cohen 1968
        (FLEISS_COHEN_EVERITT, "identity", "0.429"),  # Fleiss, Cohen and Everitt 1969
        (RADIOLOGISTS, "identity", "0.4728"),  # Stata
        (COUPLES, "identity", "0.1293"),  # vcd
        (MAMMOGRAMS, "identity", "0.3713"),  # vcdExtra
        (ABSTRACTORS, "identity", "0.7964094"),  # irrCAC, vignette "overview"
        (DERMATOLOGISTS, "linear", "0.5082"),  # SAS, whose default weights (Cicchetti-Allison)
        (COUPLES, "linear", "0.2374"),  # vcd, weights "Equal-Spacing"
        (MAMMOGRAMS, "linear", "0.5964"),  # vcdExtra
        (ABSTRACTORS, "quadratic", "0.8921569"),  # irrCAC, vignette "weighting"
        (CLINICIANS, "quadratic", "0.383"),  # irrCAC for Python, its own tests
        (RADIOLOGISTS, "quadratic", "0.6714"),  # Stata, wgt(w2)
        (ABSTRACTORS, "ordinal", "0.872"),  # irrCAC for Python, its own tests
        (CLINICIANS, "ordinal", "0.390"),  # irrCAC for Python, its own tests
    ],
)
def test_kappa_is_that_published(
    table: tuple[tuple[int, ...], ...], weights: metrics.Weights, figure: str
) -> None:
    kappa = metrics.weighted_kappa(*crossed(table), categories=scale(len(table)), weights=weights)

    assert near(figure) == kappa.point()[0]


@pytest.mark.parametrize(
    ("weights", "second"),
    # IrrCAC, vignette "weighting": weights of three categories, first row.
    [("identity", 0.0), ("linear", 0.5), ("quadratic", 0.75), ("ordinal", 0.6666667)],
)
def test_weights_of_three_categories_are_those_published(
    weights: metrics.Weights, second: float
) -> None:
    expected = [[1, second, 0], [second, 1, second], [0, second, 1]]

    assert pytest.approx(np.array(expected), abs=1e-7) == metrics.agreement_weights(weights, 3)


@pytest.mark.parametrize(
    ("coefficient", "x", "y", "figure"),
    [
        *((metrics.pearson, *pair, "0.82") for pair in ANSCOMBE),
        # Zar 1999, Biostatistical Analysis, 4th ed., example 19.1: wings and tails of twelve birds.
        (metrics.pearson, (10.4, 10.8, 11.1, 10.2, 10.3, 10.2, 10.7, 10.5, 10.8, 11.2, 10.6, 11.4),
         (7.4, 7.6, 7.9, 7.2, 7.4, 7.1, 7.4, 7.2, 7.8, 7.7, 7.8, 8.3), "0.870"),
        # Hollander and Wolfe 1973, Nonparametric Statistical Methods, p. 187 f., which is the
        # example of cor.test in R: tuna by Hunter's L and by a panel.
        (metrics.pearson, (44.4, 45.9, 41.9, 53.3, 44.7, 44.1, 50.7, 45.2, 60.1),
         (2.6, 3.1, 2.5, 5.0, 3.6, 4.0, 5.2, 2.8, 3.8), "0.5711816"),
        # Siegel and Castellan 1988, Nonparametric Statistics, 2nd ed., sec. 9.3: authoritarianism
        # and social status strivings of twelve students.
        (metrics.spearman, (2, 6, 5, 1, 10, 9, 8, 3, 4, 12, 7, 11),
         (3, 4, 2, 1, 8, 11, 10, 6, 7, 12, 5, 9), ".82"),
        # Wikipedia, "Spearman's rank correlation coefficient", Example: intelligence and hours of
        # television, -29/165.
        (metrics.spearman, (106, 86, 100, 101, 99, 103, 97, 113, 112, 110),
         (7, 0, 27, 50, 28, 29, 20, 12, 6, 17), "-0.17576"),
    ],
)  # fmt: skip
def test_correlations_are_those_published(
    coefficient: metrics.OfPair, x: tuple[float, ...], y: tuple[float, ...], figure: str
) -> None:
    assert near(figure) == coefficient(column(*x), column(*y)).point()[0]


@pytest.mark.parametrize(
    ("ratings", "q", "weights", "figure"),
    [
        (FOUR_OBSERVERS, 5, "identity", "0.77544"),  # irrCAC, vignette "overview"
        (dealt(PSYCHIATRISTS), 5, "identity", "0.4448007"),  # the same
        (np.stack(crossed(ABSTRACTORS), axis=1), 3, "identity", "0.8493305"),  # the same
        (FOUR_OBSERVERS, 5, "quadratic", "0.91400"),  # irrCAC, vignette "weighting"
        (np.stack(crossed(ABSTRACTORS), axis=1), 3, "quadratic", "0.9402369"),  # the same
        (FOUR_OBSERVERS, 5, "linear", "0.859"),  # irrCAC for Python, its own tests
        (FOUR_OBSERVERS, 5, "ordinal", "0.899"),  # the same
    ],
)
def test_gwets_coefficient_is_that_published(
    ratings: Floats, q: int, weights: metrics.Weights, figure: str
) -> None:
    found = metrics.gwet_ac(ratings, categories=scale(q), weights=weights)

    assert near(figure) == found.point()[0]


@pytest.mark.parametrize(
    ("ratings", "categories", "level", "figure"),
    [
        (FOUR_OBSERVERS, scale(5), "nominal", ".743"),  # Krippendorff 2011, section C
        (FOUR_OBSERVERS, scale(5), "ordinal", ".815"),  # section E
        (FOUR_OBSERVERS, scale(5), "interval", ".849"),
        (FOUR_OBSERVERS, scale(5), "ratio", ".797"),
        # Section A: the difference of the only two values cancels out, whatever the level.
        (TWO_OBSERVERS_BINARY, (0.0, 1.0), "nominal", ".095"),
        (TWO_OBSERVERS_BINARY, (0.0, 1.0), "ordinal", ".095"),
        (TWO_OBSERVERS_BINARY, (0.0, 1.0), "interval", ".095"),
        (TWO_OBSERVERS_BINARY, (0.0, 1.0), "ratio", ".095"),
        (TWO_OBSERVERS_NOMINAL, scale(5), "nominal", ".692"),  # section B
        (THREE_CODERS, scale(4), "nominal", "0.691"),  # Wikipedia
        (THREE_CODERS, scale(4), "interval", "0.811"),
        (dealt(PSYCHIATRISTS), scale(5), "nominal", "0.4204384"),  # irrCAC, vignette "overview"
    ],
)
def test_alpha_is_that_published(
    ratings: Floats, categories: tuple[float, ...], level: metrics.Level, figure: str
) -> None:
    alpha = metrics.krippendorff_alpha(ratings, categories=categories, level=level)

    assert near(figure) == alpha.point()[0]
