"""Places of the paper that a reviewer names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.points.places import mentions

NAMED = [
    ("Sections 4.1 , 4.2 provide much", ["section 4.1", "section 4.2"]),
    ("In Fig. 1, 0 is the origin", ["figure 1"]),
    ("ll. 30-32, 45 and 50", ["line 30-32", "line 45", "line 50"]),
    ("lines 18-19: a word is missing", ["line 18-19"]),
    ("L120-L125 say", ["line 120-125"]),
    ("(l.316-319)", ["line 316-319"]),
    ("the notation in l167", ["line 167"]),
    ("lines 212 to 215", ["line 212-215"]),
    ("Line number 40", ["line 40"]),
    ("Eq (7)", ["equation 7"]),
    ("equations (14) and (15)", ["equation 14", "equation 15"]),
    ("Eqs. (7)-(9)", ["equation 7", "equation 8", "equation 9"]),
    ("Tab. 3b", ["table 3b"]),
    ("Tables 3/4", ["table 3", "table 4"]),
    ("Table A.1 and Table IV.", ["table A.1", "table IV"]),
    ("Fig 2(a)", ["figure 2a"]),
    ("Figs. 2-4", ["figure 2", "figure 3", "figure 4"]),
    ("Figures~3)", ["figure 3"]),
    ("Sec. 4.2 and 4.3", ["section 4.2", "section 4.3"]),
    ("(§3.1)", ["section 3.1"]),
    ("Appendix D.7", ["appendix D.7"]),
    ("Theorem 4 and/or 5", ["theorem 4", "theorem 5"]),
    ("Lemmas 2, 5, 8 are", ["lemma 2", "lemma 5", "lemma 8"]),
    ("Definition 4.c", ["definition 4.c"]),
    ("Algorithm 2, line 5", ["algorithm 2"]),
    ("line 5 of Algorithm 2", ["algorithm 2"]),
    ("footnote 3", ["footnote 3"]),
    ("on page 4", ["page 4"]),
]


@pytest.mark.parametrize(("text", "places"), NAMED, ids=[text for text, _ in NAMED])
def test_places_are_read_as_people_write_them(text: str, places: list[str]) -> None:
    found = mentions(text)

    assert [
        f"{one.kind} {one.first}" + (f"-{one.last}" if one.last != one.first else "")
        for one in found
    ] == places
    assert all(text[one.start : one.end].strip() == text[one.start : one.end] for one in found)


@pytest.mark.parametrize(
    "text",
    [
        "Table 2 of [5]",
        "Figure 3 in Smith et al. (2020)",
        "Section 3 of the original paper",
        "Table 4 of the arXiv version",
        "see Section 5 of the DDPM paper",
        "Assumption 1(v) from [3]",
        "L2 norm and L1 loss",
        "10 lines of code",
        "an algorithm I would like",
        "without a results section I cannot judge it",
        "In Proceedings of ICML, pp. 72-79, 2021",
        "the k-means algorithm [36]",
        "P. (2024). Retrieval.",
        "two tables",
    ],
)
def test_places_of_others_and_other_words_are_none(text: str) -> None:
    assert mentions(text) == ()


def test_a_page_beside_a_line_belongs_to_it() -> None:
    lines = [one for text in ("p. 4, l. 12", "line 12 on page 4") for one in mentions(text)]

    assert [one.page for one in lines if one.kind == "line"] == [4, 4]


def test_words_in_quotation_marks_may_be_the_papers() -> None:
    (quote,) = mentions('They write "we drop every third gauge reading", which is odd.')

    assert quote.kind == "quote"
    assert quote.first == "we drop every third gauge reading"


@given(st.text(max_size=300))
def test_any_text_is_read_and_spans_lie_in_it_in_order(text: str) -> None:
    found = mentions(text)

    assert all(0 <= one.start < one.end <= len(text) for one in found)
    assert [one.start for one in found] == sorted(one.start for one in found)
