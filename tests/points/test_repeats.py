"""Points that say again what another section of the review says."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from reviewscore.points.repeats import repeated_points
from reviewscore.points.split import split_review
from reviewscore.schema.review import Review
from tests.growth import LINEAR, growth, timed

ABSENT = "The baseline SwiftGate is missing from the comparison on speech data."
ASKED = "Why is the baseline SwiftGate missing from the comparison on speech data?"


def repeats(**fields: str) -> dict[str, str]:
    """Texts of the repeats, each with the text of the point that it repeats."""
    return {
        place.text: point.text
        for point in split_review(Review(review_id="r", paper_id="p", fields=fields))
        for place in point.occurrences
    }


OTHER = "- The proof of Lemma 2 uses a norm that is never defined.\n- The figures are too small."


def test_a_concern_that_returns_under_another_heading_repeats_the_first_place() -> None:
    assert repeats(weaknesses=f"- {ABSENT}\n{OTHER}", questions=f"- {ASKED}") == {ASKED: ABSENT}


def test_a_much_longer_later_place_is_the_place_of_the_concern() -> None:
    longer = ASKED + " " + "Speech data has more speakers than the SwiftGate paper knew of. " * 3

    found = repeats(weaknesses=f"- {ABSENT}\n{OTHER}", questions=f"- {longer.strip()}")

    assert found == {ABSENT: longer.strip()}


def test_points_of_one_section_repeat_nothing() -> None:
    assert repeats(weaknesses=f"- {ABSENT}\n- {ASKED}\n{OTHER}") == {}


def test_points_that_share_only_words_of_any_review_are_apart() -> None:
    assert (
        repeats(
            weaknesses=f"- The results of the method are unclear.\n{OTHER}",
            questions="- Could the authors show the results of the method on graphs?",
        )
        == {}
    )


def test_a_point_that_says_it_was_said_needs_fewer_words() -> None:
    again = (
        "As mentioned in the weaknesses, could you say how SwiftGate was left out of the tables "
        "and whether speech was seen by the gate while it was warmed up?"
    )
    plain = again.replace("As mentioned in the weaknesses, could", "Could")

    assert repeats(weaknesses=f"- {ABSENT}\n{OTHER}", questions=f"- {plain}") == {}
    assert repeats(weaknesses=f"- {ABSENT}\n{OTHER}", questions=f"- {again}") == {again: ABSENT}


WORDS = st.lists(st.sampled_from(["SwiftGate", "speech", "norm", "proof", "seed", "gate"]))


@settings(max_examples=60, deadline=None)
@given(st.lists(WORDS.map(" ".join), max_size=6), st.lists(WORDS.map(" ".join), max_size=6))
def test_a_repeat_repeats_a_point_that_is_none(first: list[str], second: list[str]) -> None:
    fields = {"weaknesses": "\n".join(f"- {text}." for text in first)}
    fields["questions"] = "\n".join(f"- {text}?" for text in second)
    points = split_review(Review(review_id="r", paper_id="p", fields=fields))

    found = repeated_points(points)

    assert set(found) | set(found.values()) <= {point.point_id for point in points}
    assert not set(found) & set(found.values())
    assert found == repeated_points(points)


@timed
def test_repeats_in_a_long_review_cost_as_much_each_as_in_a_short_one() -> None:
    def made(length: int) -> str:
        return "\n".join(
            f"- There is no ablation of part {n} of gate {n % 7}." for n in range(length)
        )

    def work(text: str) -> None:
        fields = {"weaknesses": text, "questions": text}
        repeated_points(split_review(Review(review_id="r", paper_id="p", fields=fields)))

    assert growth(work, made, 700) < LINEAR
