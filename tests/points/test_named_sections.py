"""Sections that a review names by their title."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.papers.rows import PaperRow, build_paper
from reviewscore.points.mentions import named_sections
from reviewscore.points.places import with_places
from reviewscore.schema.paper import Paper
from tests.conftest import make_point

HEADINGS = (
    "# Silt",
    "## Abstract",
    "## 1 Introduction",
    "## 2 Related Work",
    "## 3 Methodology",
    "## 4 Numerical Experiments",
    "### 4.1 Gauges in the North",
    "### 4.2 Details",
    "## 5 Conclusion and Outlook",
    "## A Details",
)


@pytest.fixture(scope="module")
def silt() -> Paper:
    text = "\n\n".join(f"{heading}\n\nSome words stand below it." for heading in HEADINGS)
    return build_paper(PaperRow(paper_id="silt", text=text))


def labels(text: str, paper: Paper) -> list[str]:
    return [one.label for one in with_places(make_point(text), paper).places or ()]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("The Related Work section omits clay.", "Related Work"),
        ("The criticism in Related Work is vague.", "Related Work"),
        ("Clay is also discussed in the related works.", "Related Work"),
        ("It is over-stated in the abstract.", "Abstract"),
        ("In the abstract, the authors say so.", "Abstract"),
        ('Abstract: "Our bounds uses"', "Abstract"),
        ("The introduction is too long.", "Introduction"),
        ("Why is it cited (Introduction)?", "Introduction"),
        ("In general the introduction has too many verbs.", "Introduction"),
        ("This step is not explained in the methods section.", "Methodology"),
        ("The experimental section lacks seeds.", "Numerical Experiments"),
        ("They say so in the conclusion.", "Conclusion and Outlook"),
        ("The section 'Gauges in the North' is confusing.", "Gauges in the North"),
    ],
)
def test_a_section_is_found_by_the_name_that_people_give_it(
    silt: Paper, text: str, title: str
) -> None:
    assert labels(text, silt) == [f'Section "{title}"']


@pytest.mark.parametrize(
    "text",
    [
        "With the introduction of sieves the cost grows.",
        "The introduction and explanation of terms is hard.",
        "The abstract nature of the claims is a problem.",
        "I came to the conclusion that silt is fine.",
        "In the conclusion that they draw, silt is fine.",
        "More experiments are needed.",
        "It builds on ideas explored in related works (e.g., clay).",
        "It has been shown in the related work [1].",
        "All of this is in the appendix.",
        "Please add a related work section.",
        "There is no introduction section.",
        "See the questions section.",
        "The details section is short.",
        "Where is the introduction section in the supplement?",
    ],
)
def test_other_uses_of_these_words_are_no_place(silt: Paper, text: str) -> None:
    assert labels(text, silt) == []


def test_a_named_section_holds_its_subsections(silt: Paper) -> None:
    (place,) = with_places(make_point("The experiments section is thin."), silt).places or ()

    assert place.target is not None
    assert "Gauges in the North" in silt.text[place.target.start : place.target.end]
    assert "Conclusion" not in silt.text[place.target.start : place.target.end]


@given(st.text(alphabet="the in abstract section Related Work.:()\"'\n", max_size=80))
def test_names_lie_in_their_text(text: str) -> None:
    for one in named_sections(text):
        assert 0 <= one.start < one.end <= len(text)
        assert not one.sure
