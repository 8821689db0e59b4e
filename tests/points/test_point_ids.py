"""Identifiers of points: made of words, so that they outlive changes elsewhere in the review."""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.points.split import accept_proposed, split_review
from reviewscore.schema.point_id import (
    content_id,
    content_ids,
    is_content,
    owner_of,
    place_of,
    review_of,
)
from reviewscore.schema.review import Review, ReviewPoint

NOUNS = st.sampled_from(["ablation", "baseline", "variance", "data set", "proof", "user study"])
REMARKS = st.builds("There is no {} of the {}.".format, NOUNS, NOUNS)
LISTS = st.lists(REMARKS, min_size=1, max_size=6, unique=True)
STYLES = ["- {remark}", "{number}. {remark}", "({number}) {remark}\n"]


def ids(remarks: list[str], style: str = STYLES[0]) -> list[str]:
    """Identifiers of the points of a review that lists these remarks."""
    lines = (style.format(number=n, remark=one) for n, one in enumerate(remarks, start=1))
    review = Review(review_id="r", paper_id="p", fields={"weaknesses": "\n".join(lines)})
    return [point.point_id for point in split_review(review)]


@pytest.mark.parametrize("style", STYLES)
@given(remarks=LISTS, place=st.integers(0, 5))
def test_inserting_editing_or_deleting_a_remark_leaves_the_ids_of_all_others(
    style: str, remarks: list[str], place: int
) -> None:
    place %= len(remarks)
    before, left, right = ids(remarks, style), remarks[:place], remarks[place:]
    rest = [*before[:place], *before[place + 1 :]]

    inserted = ids([*left, "No code is given.", *right], style)
    edited = ids([*left, "No code is given.", *right[1:]], style)

    assert len(before) == len(remarks)
    assert [*inserted[:place], *inserted[place + 1 :]] == before
    assert [*edited[:place], *edited[place + 1 :]] == rest
    assert inserted[place] == edited[place] == content_id("r", "No code is given.")
    assert ids([*left, *right[1:]], style) == rest


@given(texts=st.lists(st.sampled_from(["No seeds.", "No code.", "Why?", "", "\ud800"]), max_size=9))
def test_ids_are_unique_in_a_review_and_repeats_are_counted(texts: list[str]) -> None:
    names = list(content_ids("r", texts))

    assert len(set(names)) == len(texts)
    met: Counter[str] = Counter()
    for text, name in zip(texts, names, strict=True):
        met[text] += 1
        assert name == content_id("r", text) + (f"-{met[text]}" if met[text] > 1 else "")
        assert (review_of(name), place_of(name), is_content(name)) == ("r", None, True)


def test_two_equal_remarks_of_a_review_get_two_ids() -> None:
    first, other, second = ids(["There is no proof.", "There is no code.", "There is no proof."])

    assert re.fullmatch(r"r\.[0-9a-f]{8}", first)
    assert second == f"{first}-2"
    assert other not in (first, second)


@given(
    words=st.lists(st.text("abc.", min_size=1), min_size=1), space=st.text(" \t\n\r", min_size=1)
)
def test_white_space_does_not_change_an_id(words: list[str], space: str) -> None:
    assert content_id("r", f"{space}{space.join(words)}") == content_id("r", " ".join(words))


def test_the_model_and_the_rules_give_the_same_words_the_same_id() -> None:
    review = Review(
        review_id="r", paper_id="p", fields={"weaknesses": "- No seeds  are\n  given.\n- No code."}
    )

    proposed, _ = accept_proposed(review, ["No code.", "No seeds are given."])

    by_rule = split_review(review)
    assert [one.point_id for one in proposed] == [one.point_id for one in by_rule]
    assert [one.number for one in proposed] == [1, 2]


def test_a_point_keeps_its_own_id_and_without_one_is_named_by_its_words() -> None:
    own = split_review(Review(review_id="r", paper_id="p", fields={"weaknesses": "No seeds."}))[0]
    record = json.loads(own.model_dump_json())

    named = ReviewPoint.model_validate_json(json.dumps({**record, "point_id": "mine"}))
    del record["point_id"]

    assert named.point_id == "mine"
    assert ReviewPoint.model_validate_json(json.dumps(record)) == own


@pytest.mark.parametrize(
    ("name", "review", "place"),
    [
        ("R1#3", "R1", 3),
        ("a/b.c#12", "a/b.c", 12),
        ("R.0123abcd.89abcdef", "R.0123abcd", None),
        ("R#2.89abcdef-2", "R#2", None),
        ("R1", None, None),
        ("R1.0123", None, None),
        ("R1.0123ABCD", None, None),
        ("R1.0123abcd-0", None, None),
    ],
)
def test_the_review_and_place_that_an_id_speaks_of(
    name: str, review: str | None, place: int | None
) -> None:
    assert (review_of(name), place_of(name)) == (review, place)
    assert owner_of(f"{name}/P1") == (None if review is None else name)
    assert owner_of(name) is None
