"""Words of the paper in a review: whole, in part, a few of them, and without quotation marks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.papers.load import PaperRow, build_paper
from reviewscore.points.places import with_places
from reviewscore.schema.paper import Paper
from reviewscore.schema.review import Review
from tests.conftest import make_point

TEXT = """# Counting Silt

## Abstract

We count silt. Our bounds uses a simple yet strong idea.

## 1 Introduction

Rivers carry silt, and silt grains carry rivers of the the past; nobody counts them by hand
anymore. We call these grains sleepy prompts of the flood. It is unclear [48] about Why they sink.

## 2 Related Work

Others count sand. Gimini counts gravel. The idea, an idea, any idea: sand and sand.

## 3 Balance

For the balance in the polynomial form of x y, the mass has an explicit expression in terms of flows
and rates. Next we go further and show that it is possible to count without a sieve.

## References

[1] B. Clay. Deep sieves for people who count grains by hand. 2020.
"""


@pytest.fixture(scope="module")
def silt() -> Paper:
    return build_paper(PaperRow(paper_id="silt", text=TEXT))


def held(text: str, paper: Paper, review: Review | None = None) -> list[str]:
    """What stands in the paper at each place of a point that is not a section."""
    places = with_places(make_point(text), paper, review).places or ()
    targets = [place.target for place in places if place.kind == "quote"]
    return [" ".join(paper.text[one.start : one.end].split()) for one in targets if one is not None]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('"Nobody counts them by hand anymore," they say.', "nobody counts them by hand anymore"),
        (
            "They say ``silt grains carry rivers of the the past'' here.",
            "silt grains carry rivers of the the past",
        ),
        (
            "> Next we go further and show that it is possible\n\nIs it?",
            "Next we go further and show that it is possible",
        ),
        (
            "(Lines 7-9) Next we go further and show that it is possible",
            "Next we go further and show that it is possible",
        ),
        (
            '"For the balance in the polynomial form of Eq. 4, the mass has an explicit expression '
            'in terms of flows and rates" is wrong.',
            "the mass has an explicit expression in terms of flows and rates",
        ),
        (
            "“Next we … show that it is possible to count without a sieve”",
            "show that it is possible to count without a sieve",
        ),
        ('"it is unclear about why they sink" is odd', "It is unclear [48] about Why they sink"),
        ('"the the" on line 7', "the the"),
        ('Line 19: "Gimini"', "Gimini"),
        ('Abstract: "Our bounds uses"', "Our bounds uses"),
        ('What are "sleepy prompts"?', "sleepy prompts"),
        ('The phrase "simple yet strong" is vague.', "simple yet strong"),
        ("The meaning of ‘sleepy prompts’ is not clear.", "sleepy prompts"),
    ],
)
def test_words_of_the_paper_are_found_as_people_quote_them(
    silt: Paper, text: str, words: str
) -> None:
    assert held(text, silt) == [words]


@pytest.mark.parametrize(
    "text",
    [
        'I would call this "sleepy prompts" research.',
        'the so-called "count" operation',
        'Typo: "the the" should be "our bounds uses"'.replace('"the the"', "it"),
        'the term "idea" is vague',
        '"Deep sieves for people who count grains by hand" did it first.',
        '"Nobody counts grains of sand in a sieve by hand" may be said.',
        "Line 7: this is what I would like to see in it",
    ],
)
def test_other_words_in_quotation_marks_are_no_place(silt: Paper, text: str) -> None:
    assert held(text, silt) == []


def test_a_point_within_a_block_quote_may_be_the_papers_words(silt: Paper) -> None:
    said = "Next we go further and show that it is possible to count"
    review = Review(review_id="r", paper_id="silt", fields={"text": f"> {said}"})
    point = make_point(said)
    moved = point.span.model_copy(update={"start": 2, "end": 2 + len(said), "field": "text"})
    point = point.model_copy(update={"span": moved})

    (place,) = with_places(point, silt, review).places or ()

    assert (place.span.start, place.span.end) == (2, 2 + len(said))
    assert with_places(point, silt).places == ()


@given(st.data())
def test_any_words_of_the_text_are_found_again_when_quoted(data: st.DataObject) -> None:
    text = TEXT[: TEXT.index("## References")].replace("[48] ", "")
    words = [
        word for line in text.splitlines() if not line.startswith("#") for word in line.split()
    ]
    start = data.draw(st.integers(0, len(words) - 12))
    said = " ".join(words[start : start + 12]).strip(' "')
    paper = Paper(paper_id="p", title="t", text=" ".join(words))

    assert held(f'They write "{said}" there.', paper) != []
