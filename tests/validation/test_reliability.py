"""How often planted remarks are misinformed, by what a judge says of them."""

from __future__ import annotations

import pytest

from reviewscore.pages.figures import html, markdown
from reviewscore.stats.resampling import Resampling
from reviewscore.stats.shares import ONE_PAPER
from reviewscore.validation.judgments import JudgedTrial, TrialState
from reviewscore.validation.page import tidy, validation_page
from reviewscore.validation.reliability import probability_of, reliability_of
from tests.validation.judged import judged, score, trial, validation

HOW = Resampling(200, 0, "papers")


def said(probability: float, *, misinformed: bool, paper: str = "tides") -> JudgedTrial:
    """A trial of which a judge says how likely it is misinformed."""
    made = trial(misinformed=misinformed, id=f"{probability}", paper_id=paper)
    point = score(probability > 0.5, probability=probability, protocol="presupposition")
    return JudgedTrial(made, TrialState.VERDICT, (point,))


ROWS = [
    said(0.1, misinformed=False, paper="p0"),
    said(0.1, misinformed=False, paper="p1"),
    said(0.2, misinformed=True, paper="p0"),
    said(0.9, misinformed=True, paper="p1"),
    said(1.0, misinformed=False, paper="p2"),
]


def test_bins_hold_the_share_that_is_misinformed_beside_the_mean_probability() -> None:
    by_probability, _ = reliability_of(ROWS, HOW)

    assert [(one.label, one.said, one.share.value, one.share.n) for one in by_probability.bins] == [
        ("0 to 0.2", pytest.approx(0.1), 0.0, 2),
        ("0.2 to 0.4", pytest.approx(0.2), 1.0, 1),
        ("0.8 to 1", pytest.approx(0.95), 0.5, 2),
    ]
    assert by_probability.error is not None
    assert by_probability.error.value == pytest.approx((2 * 0.1 + 0.8 + 2 * 0.45) / 5)
    assert by_probability.error.n == 5


def test_scores_have_shares_and_no_calibration_error() -> None:
    rows = [
        judged(True, misinformed=True, paper="a"),
        judged(True, misinformed=False, paper="b"),
        judged(False, misinformed=False, paper="b"),
        judged(None, misinformed=True),
    ]

    (by_score,) = reliability_of(rows, HOW)

    assert by_score.of == "score"
    assert by_score.error is None
    assert [(one.label, one.said, one.share.value) for one in by_score.bins] == [
        ("score 4", None, 0.0), ("score 2", None, 0.5)
    ]  # fmt: skip


def test_one_paper_gives_no_interval_of_the_calibration_error() -> None:
    by_probability, _ = reliability_of([ROWS[0], ROWS[2]], HOW)

    assert by_probability.error is not None
    assert (by_probability.error.low, by_probability.error.reason) == (None, ONE_PAPER)


def test_the_highest_probability_of_a_remark_counts_and_none_without_a_verdict() -> None:
    points = tuple(score(False, probability=value) for value in (0.1, 0.4))

    assert probability_of(JudgedTrial(trial(), TrialState.VERDICT, points)) == 0.4
    assert probability_of(JudgedTrial(trial(), TrialState.UNKNOWN, points)) is None
    assert probability_of(JudgedTrial(trial(), TrialState.VERDICT, (score(True),))) is None
    assert reliability_of([], HOW) == ()


def test_the_page_begins_with_pictures_and_the_numbers_follow() -> None:
    made = validation(ROWS)

    page = html(validation_page(made))
    assert page.index('class="picture"') < page.index("<h2>")
    assert page.count('class="picture"') == 2
    assert 'class="nought" x="9.7"' in page  # the mean probability of the lowest bin
    assert "Calibration error: 0.380" in markdown(validation_page(made))
    lines = tidy(made).splitlines()
    assert any(line.startswith("by probability,0.8 to 1,misinformed,share,0.5,") for line in lines)
    assert any(line.startswith("by probability,all,calibration error,") for line in lines)
