"""Boxes for limitations: what the reviewer misses there, and what the authors are said to say."""

from __future__ import annotations

import pytest

from reviewscore.points.limitations import is_told_back
from reviewscore.points.split import split_review
from reviewscore.schema.review import Review


def texts(**fields: str) -> list[str]:
    review = Review(review_id="r", paper_id="p", fields=fields)
    return [point.text for point in split_review(review)]


@pytest.mark.parametrize(
    "box",
    [
        "yes",
        "N/A",
        "See weaknesses.",
        "Yes, the authors discuss the limitations in Section 6.",
        "The limitations are adequately addressed.",
        "Limitations have been mentioned in the appendix.",
        "There is a paragraph on limitations in the conclusion.",
        "As mentioned by the authors, the counter needs dry nights.",
        "I do not see any negative societal impact of counting frogs.",
        "I shared my concerns in the weaknesses section.",
    ],
)
def test_a_box_that_confirms_or_points_elsewhere_gives_no_point(box: str) -> None:
    assert texts(limitations=box) == []


@pytest.mark.parametrize(
    ("box", "points"),
    [
        ("The limitations are not discussed.", ["The limitations are not discussed."]),
        (
            "Yes. The authors should state for which ponds the counter fails.",
            ["The authors should state for which ponds the counter fails."],
        ),
        (
            "The authors mention rain, but they do not say what wind does to the counts.",
            ["The authors mention rain, but they do not say what wind does to the counts."],
        ),
        (
            "- The counter needs a quiet pond.\n- The authors discuss the cost.\n- Why only frogs?",
            ["The counter needs a quiet pond.", "Why only frogs?"],
        ),
    ],
)
def test_criticism_and_requests_about_limits_are_points(box: str, points: list[str]) -> None:
    assert texts(limitations=box) == points


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("The authors acknowledge that the ponds are few.", True),
        ("The authors acknowledge that the ponds are few, but not why.", False),
        ("The authors do not acknowledge that the ponds are few.", False),
        ("The authors should acknowledge that the ponds are few.", False),
        ("Do the authors acknowledge that the ponds are few?", False),
        ("The main limitations include the few ponds.", False),
        ("The impact of wind needs to be measured.", False),
    ],
)
def test_only_plain_words_on_what_the_authors_say_are_told_back(sentence: str, told: bool) -> None:
    assert is_told_back(sentence) is told


def test_limitations_beside_strengths_are_the_weaknesses() -> None:
    box = "### Strengths\n- Hard problem.\n\n### Limitations\n- Two ponds.\n- A coarse map."

    assert texts(strengths_and_weaknesses=box) == ["Two ponds.", "A coarse map."]
