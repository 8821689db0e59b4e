"""Points that a reader could not rely on are refused, with words that help to correct them."""

from __future__ import annotations

import pytest

from reviewscore.focus.references import (
    LONGEST,
    MOST,
    AugmentedPoint,
    AugmentedPointsReply,
    CleanPoint,
    CleanPointsReply,
    NamedPoint,
    NamedPointsReply,
    Side,
    check_augmented,
    check_clean,
    check_named,
    plain,
)

META = "The writing is clear. The ponds — only four — are too few."
REVIEWS = ("I saw four ponds only.", "The figures are neat.")
GIVEN: list[tuple[Side, str]] = [("strength", "It is clear."), ("weakness", "Few ponds.")]


def named(
    *texts: str, quote: str = "the ponds - only four", none: bool = False
) -> NamedPointsReply:
    points = [NamedPoint(polarity="weakness", text=one, quote=quote) for one in texts]
    return NamedPointsReply(points=points, names_none=none)


def augmented(*points: tuple[Side, str, list[str]]) -> AugmentedPointsReply:
    made = [AugmentedPoint(polarity=side, text=text, quotes=q) for side, text, q in points]
    return AugmentedPointsReply(points=made)


def clean(*points: tuple[Side, str]) -> CleanPointsReply:
    return CleanPointsReply(points=[CleanPoint(polarity=side, text=text) for side, text in points])


def test_a_named_point_may_quote_in_other_typography() -> None:
    check_named(named("Few ponds."), META)
    check_named(named(none=True), META)


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        (named(), "must be empty"),
        (named("Few ponds.", none=True), "must be empty"),
        (named(*(f"Point {n}." for n in range(MOST + 1))), "at most 40"),
        (named("Few ponds.", "- few ponds."), "the same as point 1"),
        (named(" ... "), "no words"),
        (named("x" * (LONGEST + 1)), "characters"),
        (named("Few ponds.", quote="the lakes are dry"), "not in the meta-review"),
        (named("Few ponds.", quote=" . "), "not in the meta-review"),
    ],
)
def test_points_that_the_meta_review_does_not_name_are_refused(
    bad: NamedPointsReply, problem: str
) -> None:
    with pytest.raises(ValueError, match=problem):
        check_named(bad, META)


def test_a_quote_may_bring_the_marker_of_its_list() -> None:
    reply = augmented(("strength", "Clear: neat figures.", ["- the figures are neat"]))

    check_augmented(
        reply, GIVEN[:1], ["It is short.\n\n- The figures are neat.\n- So is the rest."]
    )


def test_detail_with_a_quote_and_points_left_alone_pass() -> None:
    reply = augmented(
        ("strength", "it is  clear.", []),
        ("weakness", "Few ponds: four.", ["I saw four ponds only"]),
    )

    check_augmented(reply, GIVEN, REVIEWS)


@pytest.mark.parametrize(
    ("points", "problem"),
    [
        ([("strength", "It is clear.", [])], "2 points were given, 1 came back"),
        ([("weakness", "Few ponds.", []), ("strength", "It is clear.", [])], "point 1 was a stren"),
        ([("strength", "It is neat.", []), ("weakness", "Few ponds.", [])], "without a quote"),
        (
            [("strength", "It is clear.", []), ("weakness", "No lakes.", ["there are no lakes"])],
            "in no review: 'there are no lakes'",
        ),
        ([("strength", "Neat.", ["neat"]), ("weakness", "Few ponds.", [])], "at least 3 words"),
        ([("strength", "", []), ("weakness", "Few ponds.", [])], "no words"),
    ],
)
def test_detail_that_no_review_gives_is_refused(
    points: list[tuple[Side, str, list[str]]], problem: str
) -> None:
    with pytest.raises(ValueError, match=problem):
        check_augmented(augmented(*points), GIVEN, REVIEWS)


@pytest.mark.parametrize(
    "text",
    [
        "Reviewer 2 finds few ponds.",
        "The meta-review says few ponds.",
        "R1 and R3 want ponds.",
        "The rebuttal added ponds.",
        "After the authors' response ponds are many.",
        "The ponds led them to raise their score.",
        "Few ponds, a weak reject.",
        "Most reviews mention ponds.",
        "The AC agrees.",
    ],
)
def test_a_point_that_speaks_of_its_reviewers_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="point 2 still speaks of"):
        check_clean(clean(("strength", "It is clear."), ("weakness", text)), GIVEN)


@pytest.mark.parametrize(
    "text",
    [
        "The R2 of the fit is low.",
        "The score function and the ratings of films are not explained.",
        "The literature review is short, and rejection sampling is slow.",
        "It increases the score on four benchmarks by an AC motor.",
    ],
)
def test_words_of_the_field_do_not_speak_of_reviewers(text: str) -> None:
    check_clean(clean(("strength", "It is clear."), ("weakness", text)), GIVEN)


def test_a_clean_list_has_the_same_points() -> None:
    with pytest.raises(ValueError, match="2 points were given, 3 came back"):
        check_clean(clean(*GIVEN, ("weakness", "More.")), GIVEN)
    with pytest.raises(ValueError, match="point 2 was a weakness"):
        check_clean(clean(GIVEN[0], GIVEN[0]), GIVEN)


def test_a_point_is_one_line_without_its_marker() -> None:
    assert plain(" - Few\n ponds. ") == "Few ponds."
    assert plain("3) Few ponds.") == "Few ponds."
    assert plain("3 ponds are few.") == "3 ponds are few."
