"""Ranking of flags: what raises a flag, what lowers it, and what it never depends on."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import settings as budget
from hypothesis import strategies as st

from reviewscore.period.ranking import (
    LEAST_CLOSE,
    LEAST_WEIGHT,
    MOST_WEIGHT,
    OF_SCORE,
    closeness,
    closeness_of_papers,
    probability,
    rank_flags,
    rule_weight,
)
from reviewscore.schema.calibration import Calibrated
from reviewscore.schema.point_score import PointScore, Status
from reviewscore.schema.review import Neighbours, PointKind, Role
from reviewscore.schema.verdict import Finding
from reviewscore.sources.openreview.forms import ScoreScale
from reviewscore.sources.strata import ReviewFacts
from tests.report.synthetic import model_points
from tests.report.venues import venue_points, verdict

TEN = ScoreScale.between(1, 10)
RATINGS = st.lists(st.integers(1, 10).map(float), min_size=1, max_size=6)
WORDS = ("The proof has a gap.", "My main concern is speed.", "Minor: a typo in line 3.",
         "**Baselines.** They are old.", "I would raise my score if it were tested.")  # fmt: skip


def flag(name: str = "p1/r1#1", **found: object) -> PointScore:
    made = verdict(name, None, misinformed=True)
    return made.model_copy(update={"role": Role.STRENGTHS, "section": "remarks"} | found)


def facts(paper: str, rating: str, scale: str = "1 to 10") -> ReviewFacts:
    return ReviewFacts(paper, None, {"rating": rating}, {"rating": scale} if scale else {})


def test_only_points_that_are_called_misinformed_are_flags() -> None:
    points = [
        flag("p1/r1#1"),
        verdict("p1/r1#2", None, misinformed=False),
        verdict("p1/r1#3", None, misinformed=None),
        flag("p1/r1#4", kind=PointKind.NONE),
    ]

    assert [one.point.point_id for one in rank_flags(points)] == ["p1/r1#1"]
    assert len(rank_flags(points, every=True)) == 3


def test_a_finding_of_the_embedded_judge_is_never_ranked() -> None:
    found = flag(status=Status.UNSCORED, finding=Finding.CANNOT_JUDGE, misinformed=None, base=None)

    assert rank_flags([found], every=True) == []


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ({"probability": 0.4, "standing": 1}, 0.4),
        ({"calibrated": Calibrated(probability=0.7)}, 0.7),
        ({"calibrated": Calibrated(), "base": 1}, OF_SCORE[1]),
        ({"standing": 2, "base": 1}, OF_SCORE[2]),
        ({"base": None}, 0.5),
    ],
)
def test_a_probability_is_the_judges_then_calibrated_then_of_the_score(
    found: dict[str, object], expected: float
) -> None:
    assert probability(flag().model_copy(update=found)) == expected


def test_the_guess_from_a_score_falls_with_the_score() -> None:
    assert sorted(OF_SCORE.values(), reverse=True) == [OF_SCORE[score] for score in range(1, 6)]


@pytest.mark.parametrize(
    ("text", "weight"),
    [
        ("The proof has a gap.", 1.0),
        ("My main concern is that the proof has a gap.", 2.0),
        ("The most serious technical issue is the proof.", 2.0),
        ("This is not a main concern of mine.", 1.0),
        ("I reject because the proof has a gap.", 2.0),
        ("With a proof I would be willing to raise my score.", 2.0),
        ("There is a typo in line 4.", 0.5),
        ("This is not a minor matter.", 1.0),
        ("**Proof.** It has a gap.", 1.25),
        ("My main concern is a typo.", 1.0),
    ],
)
def test_the_words_of_a_point_say_its_weight(text: str, weight: float) -> None:
    assert rule_weight(flag(text=text)) == weight


def test_a_heading_and_the_sentence_beside_a_point_weigh_too() -> None:
    assert rule_weight(flag(section="Minor comments")) == 0.5
    near = Neighbours(before="If this is shown I will increase my rating.")
    assert rule_weight(flag(neighbours=near)) == 2.0


def test_the_first_weakness_of_a_review_weighs_more_than_the_others() -> None:
    points = [flag(f"p1/r1#{number}", number=number, role=Role.WEAKNESSES) for number in (1, 2, 3)]

    ranked = rank_flags(reversed(points))

    assert [one.weight for one in ranked] == [1.25, 1.0, 1.0]
    assert ranked[0].point.number == 1


def test_a_first_weakness_that_is_no_flag_makes_no_other_point_the_first() -> None:
    first = flag("p1/r1#1", number=1, role=Role.WEAKNESSES, misinformed=False)
    second = flag("p1/r1#2", number=2, role=Role.WEAKNESSES)

    assert [one.weight for one in rank_flags([first, second])] == [1.0]


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join), st.booleans())
@budget(max_examples=60, deadline=None)
def test_a_weight_stays_within_its_bounds(text: str, first: bool) -> None:
    assert LEAST_WEIGHT <= rule_weight(flag(text=text), first=first) <= MOST_WEIGHT


def test_a_weight_that_a_reader_gave_stands_before_the_rules() -> None:
    points = [flag("p1/r1#1", text=WORDS[1]), flag("p1/r1#2"), flag("p1/r1#3")]

    ranked = rank_flags(points, weights={"p1/r1#1": 0.5, "p1/r1#3": 9.0})

    assert [(one.point.point_id, one.weight) for one in ranked] == [
        ("p1/r1#3", MOST_WEIGHT), ("p1/r1#2", 1.0), ("p1/r1#1", 0.5),
    ]  # fmt: skip


@given(RATINGS)
@budget(max_examples=60, deadline=None)
def test_a_decision_is_the_less_open_the_farther_its_mean_is_from_the_middle(
    ratings: list[float],
) -> None:
    nearer = [5.5 + (rating - 5.5) / 2 for rating in ratings]
    mean = sum(ratings) / len(ratings)
    alike = [mean] * len(ratings)
    farther = [5.5 + (mean - 5.5) * 2] * len(ratings)

    assert LEAST_CLOSE <= closeness(ratings, TEN) <= 1
    assert closeness(nearer, TEN) >= closeness(alike, TEN) - 1e-9 or mean == 5.5
    assert closeness(alike, TEN) >= closeness(farther, TEN)
    assert closeness(ratings, TEN) >= closeness(alike, TEN) - 1e-9  # spread opens a decision


def test_ratings_at_the_border_or_none_leave_a_decision_open() -> None:
    assert closeness([], TEN) == 1
    assert closeness([5, 6], TEN) == 1
    assert closeness([1, 1], TEN) == LEAST_CLOSE
    assert closeness([10], TEN) == LEAST_CLOSE


def test_ratings_are_read_on_their_own_scale_and_over_all_versions_of_a_paper() -> None:
    reviews = {
        "a": facts("p1", "6: strong accept", "1 to 6"),
        "b": facts("p1@v2", "6", "1 to 6"),
        "c": facts("p2", "6: weak accept", "1 to 10"),
        "d": facts("p3", "no rating yet"),
        "e": facts("p4", "1", ""),
        "f": facts("p5", "3", ""),
        "g": facts("p6", "2", ""),
    }

    close = closeness_of_papers(reviews)

    assert close == {
        "p1": LEAST_CLOSE, "p2": pytest.approx(1 - 0.75 / 9), "p4": LEAST_CLOSE,
        "p5": LEAST_CLOSE, "p6": 1.0,
    }  # fmt: skip


def test_a_flag_on_a_paper_that_may_go_either_way_comes_first() -> None:
    reviews = {"p1/r1": facts("p1", "1"), "p2/r1": facts("p2", "5")}

    ranked = rank_flags(
        [flag("p1/r1#1"), flag("p2/r1#1"), flag("p3@v2/r1#1")], closeness_of_papers(reviews)
    )

    assert [one.point.paper_id for one in ranked] == ["p3@v2", "p2", "p1"]


@given(st.floats(0, 1), st.floats(0, 1), st.sampled_from(WORDS), st.sampled_from(["1", "5", "10"]))
@budget(max_examples=60, deadline=None)
def test_of_two_flags_alike_the_likelier_is_never_ranked_lower(
    one: float, other: float, text: str, rating: str
) -> None:
    points = [flag("p1/r1#1", text=text, probability=one),
              flag("p1/r1#2", text=text, probability=other)]  # fmt: skip

    ranked = rank_flags(points, closeness_of_papers({"p1/r1": facts("p1", rating)}))

    assert ranked[0].probability == max(one, other)
    assert ranked[0].worth >= ranked[1].worth


@given(st.integers(0, 1000))
@budget(max_examples=20, deadline=None)
def test_the_order_in_which_points_come_changes_no_rank(seed: int) -> None:
    points = venue_points(6, rate=0.6)
    shuffled = [*points]
    Random(seed).shuffle(shuffled)

    assert rank_flags(shuffled) == rank_flags(points)


def test_a_flag_without_a_verified_quote_comes_after_all_that_have_one() -> None:
    quoted, *_ = model_points()
    bare = flag("p1/r1#1", text="My main concern is the proof.", probability=1.0)

    ranked = rank_flags([bare, quoted])

    assert [one.point for one in ranked] == [quoted, bare]
    assert ranked[0].worth < ranked[1].worth


def test_by_standing_the_lower_comes_first_and_then_the_likelier() -> None:
    points = [
        flag("p1/r1#1", standing=2, probability=0.9, text=WORDS[1]),
        flag("p1/r1#2", standing=1, probability=0.5),
        flag("p1/r1#3", standing=1, probability=0.7),
    ]

    ranked = rank_flags(points, order="standing")

    assert [one.point.point_id[-1] for one in ranked] == ["3", "2", "1"]
    assert rank_flags(points)[0].point.point_id[-1] == "1"
