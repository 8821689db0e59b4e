"""Excerpts hold the passages nearest to a point, in reading order, within their budget."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.papers.load import PaperRow, build_paper
from reviewscore.papers.quotes import find_quote
from reviewscore.points.places import with_places
from reviewscore.retrieval.excerpts import excerpts_for, passages_within, placed_excerpts
from reviewscore.schema.paper import Paper, TextLine
from reviewscore.schema.review import ReviewPoint
from tests.conftest import make_point

_TOPICS = ("herons", "beetles", "lichens", "otters", "newts", "swallows", "mosses", "pikes")
SECTIONS = "\n\n".join(
    f"{number} On {topic}\n" + f"Our survey counted {topic} at every lake in the valley. " * 8
    for number, topic in enumerate(_TOPICS, start=1)
)
ANSWER = "Every counter ran for thirty seeds, and we report the spread between them."
TEXT = (
    "Abstract\nWe count animals of a valley by ear and by eye.\n\n"
    f"{SECTIONS}\n\n9 Protocol\n{ANSWER} The lakes lie between two passes.\n\n"
    "References\nA. Author. Thirty seeds of counters. 2020.\n"
)
POINT = make_point("The authors never say how many random seeds their counters were run with.")


@pytest.fixture
def valley() -> Paper:
    return build_paper(PaperRow(paper_id="valley", title="Counting a Valley", text=TEXT))


def test_the_passage_that_a_point_asks_for_is_among_the_excerpts(valley: Paper) -> None:
    excerpts = excerpts_for(POINT, valley, 1200)

    assert ANSWER in excerpts.read_text
    assert "by ear and by eye" in excerpts.read_text
    assert excerpts.title == "Counting a Valley"
    assert excerpts.excerpt_share is not None
    assert 0 < excerpts.excerpt_share < 0.5


def test_a_paper_that_fits_is_shown_as_it_is(valley: Paper) -> None:
    assert excerpts_for(POINT, valley, len(valley.text)) is valley
    assert valley.excerpt_share is None


def test_a_quote_that_is_not_shown_is_no_evidence(valley: Paper) -> None:
    hidden = "Our survey counted mosses at every lake in the valley."
    excerpts = excerpts_for(POINT, valley, 1200)

    assert find_quote(valley, hidden).verified
    assert hidden not in excerpts.read_text
    assert not find_quote(excerpts, hidden).verified
    assert find_quote(excerpts, ANSWER).start == valley.text.index(ANSWER)


def test_a_place_that_the_point_names_is_shown(valley: Paper) -> None:
    point = with_places(make_point("In Section 6 nothing is said of noise."), valley)

    shown = excerpts_for(point, valley, 2000).read_text

    assert "counted swallows" in shown


def test_each_excerpt_has_its_section_page_and_lines(valley: Paper) -> None:
    middle = valley.text.index("9 Protocol")
    lines = tuple(
        TextLine(start=start, number=number)
        for number, start in enumerate(range(0, len(valley.text), 60), start=1)
    )
    printed = Paper(**{**dict(valley), "pages": (0, middle), "lines": lines})

    excerpts = placed_excerpts(excerpts_for(POINT, printed, 1200))
    last = next(excerpt for excerpt in excerpts if ANSWER in excerpt.text)

    assert "Protocol, p. 2, lines " in last.place
    assert [valley.text.index(excerpt.text) for excerpt in excerpts] == sorted(
        valley.text.index(excerpt.text) for excerpt in excerpts
    )


def test_references_are_no_passage(valley: Paper) -> None:
    found = passages_within(valley, POINT.text, 10_000)

    assert all("A. Author" not in valley.text[span.start : span.end] for span in found)


@given(
    words=st.lists(st.sampled_from([*_TOPICS, "seeds", "lake", "zzz"]), min_size=1, max_size=6),
    budget=st.integers(1000, 4000),
)
def test_excerpts_keep_to_their_budget_and_to_the_text(words: list[str], budget: int) -> None:
    paper = build_paper(PaperRow(paper_id="valley", title="Counting a Valley", text=TEXT))
    point: ReviewPoint = make_point(" ".join(words))

    excerpts = excerpts_for(point, paper, budget)

    assert excerpts.text == paper.text
    assert len(excerpts.read_text) <= budget
    assert all(a[1] <= b[0] for a, b in pairwise(excerpts.read_spans))
