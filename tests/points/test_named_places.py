"""Places of the paper that a reviewer names."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.papers.load import PaperRow, build_paper
from reviewscore.points.places import mentions, with_places
from reviewscore.schema.paper import Paper
from tests.conftest import make_point

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
    ("in Table1 marked", ["table 1"]),
    ("Fig.3(a) and line120", ["figure 3a", "line 120"]),
    ("Figure $1$ and $2$?", ["figure 1", "figure 2"]),
    ("Lines: 120, 130", ["line 120", "line 130"]),
    ("line #120, ll. 125ff.", ["line 120", "line 125"]),
    ("ten lines of text (229-239).", ["line 229-239"]),
    ("Table 3B", ["table 3b"]),
    ("Sec. IV-B", ["section IV-B"]),
    ("p. 8, l. 280", ["line 280"]),
    ("the results of Table 3 are lower than those in [4]", ["table 3"]),
    ("Table 2 shows results of [1]", ["table 2"]),
    ("In Algorithm 2, a type is off. In line 2, P is a set; then line 9 adds.", ["algorithm 2"]),
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
        "Tab.2 R@50 of paper [1]",
        "Fig. 2 of ref. [7]",
        "Table 1 and Figure 5 in [3]",
        "the baselines from [1] (see their Figures 3 and 4 in Appendix A)",
        "Line 13 in the supplement",
        "In the supplementary material, line 13",
        "page 2 of the supplement",
        "the baselines from [1] (see their Figures 1 and 2)",
        "Section 3.1 in (Smith et al., 2020)",
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


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("see lines 1-100000 there", [("1", "100000")]),
        ("see lines 1-10000000000000 there", []),
        ("see lines 30-10 there", [("30", "10")]),
        ("see Tables 5-3 there", [("5", "5"), ("3", "3")]),
        ("line 100000 of the log", []),
    ],
)
def test_no_range_is_cut_to_its_first_place(text: str, places: list[tuple[str, str]]) -> None:
    assert [(one.first, one.last) for one in mentions(text)] == places


def test_a_range_beyond_the_paper_is_named_and_no_place(silt: Paper) -> None:
    point = make_point("Lines 1-100000 are unclear.")

    (place,) = with_places(point, silt).places or ()

    assert (place.label, place.target) == ("lines 1-100000", None)


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


@pytest.fixture(scope="module")
def silt() -> Paper:
    text = "# Silt\n\n## 1 Rivers\n\nWe drop every third reading.\n\nTable 2: Grains a litre.\n"
    return build_paper(PaperRow(paper_id="silt", text=text))


def test_a_point_has_the_places_of_its_paper_where_its_review_names_them(silt: Paper) -> None:
    review = "Good. Table 2 and Fig. 7 differ."
    point = make_point("Table 2 and Fig. 7 differ.")
    point = point.model_copy(update={"span": point.span.model_copy(update={"start": 6, "end": 32})})

    table, figure = with_places(point, silt).places or ()

    assert (table.label, figure.label) == ("Table 2", "Figure 7")
    assert [review[one.span.start : one.span.end] for one in (table, figure)] == [
        "Table 2",
        "Fig. 7",
    ]
    assert table.target is not None
    assert silt.text[table.target.start : table.target.end] == "Table 2: Grains a litre."
    assert figure.target is None


def test_quoted_words_are_a_place_only_where_the_paper_has_them_word_for_word(silt: Paper) -> None:
    said = make_point('They write "We drop every third reading", or "nobody drops a reading here".')

    (quote,) = with_places(said, silt).places or ()

    assert quote.label == '"We drop every third reading"'
    assert quote.target is not None


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("l. 212-15", "lines 212-215"),
        ("L120", "line 120"),
        ("Tab. 3 (b)", "Table 3b"),
        ("§4.2", "Section 4.2"),
        ("pp. 4-5", "pages 4-5"),
        ("l. 12 on p. 4", "line 12 on page 4"),
        ("footnote 3", "footnote 3"),
        ("Eq (7)", "Equation 7"),
    ],
)
def test_labels_have_one_spelling(silt: Paper, text: str, label: str) -> None:
    assert [one.label for one in with_places(make_point(text), silt).places or ()] == [label]


@given(st.text(max_size=200))
def test_the_places_of_any_point_lie_in_it_and_are_read_once(text: str) -> None:
    paper = Paper(paper_id="p", title="t", text=text)
    point = with_places(make_point(text), paper)

    assert point.places is not None
    assert all(one.span.end <= len(text) for one in point.places)
    assert with_places(point, paper) is point


@pytest.mark.shared
def test_most_places_that_people_name_are_in_the_version_that_they_read(shared: Path) -> None:
    from benchmarks.places import counts, papers

    folder = shared / "neurips"
    if not folder.is_dir():
        pytest.skip(f"the submissions are not here ({folder})")

    found = counts(papers(folder, 15), folder)

    assert found.naming > 0.2 * found.points
    for kind, share in (("line", 0.9), ("table", 0.95), ("figure", 0.8), ("section", 0.95)):
        assert found.resolved[kind] >= share * found.named[kind] > 0
