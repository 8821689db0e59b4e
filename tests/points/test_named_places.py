"""Places that reviews name, as people write them, and what stands there in the paper."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.papers.load import PaperRow, build_paper
from reviewscore.points.mentions import equations_by_number, named_sections
from reviewscore.points.places import Surroundings, mentions, with_places
from reviewscore.schema.paper import Paper, TextLine
from reviewscore.schema.place import Place, PlaceKind
from reviewscore.schema.review import Review
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


EQUATIONS = [
    ("The bound (4) is loose.", ["4"]),
    ("It is looser than the one (3) in Theorem 3.1.", ["3"]),
    ("The dependence on the error in (3) and (4) is odd.", ["3", "4"]),
    ("The constant in (1), (3), and (4) is a supremum.", ["1", "3", "4"]),
    ("How does one get C from (1), (3) and (4)?", ["1", "3", "4"]),
    ("Inequality (5) is strict, and problem (2) convex.", ["5", "2"]),
    ("By (7), the sum is finite.", ["7"]),
    ("Starting from (5), a factor is dropped.", ["5"]),
    ("Compare (3) with (4).", ["3", "4"]),
    ("Why does (8) hold?", ["8"]),
    ("The recursion (7)-(9) is not stable.", ["7", "8", "9"]),
    ("Is the minimiser of (13) unique?", ["13"]),
    ("By (A.3), the variance is finite.", ["A.3"]),
    ("The loss (2) and the one in (6) cancel out.", ["2", "6"]),
]


@pytest.mark.parametrize(("text", "numbers"), EQUATIONS, ids=[text for text, _ in EQUATIONS])
def test_a_number_in_brackets_after_a_word_for_it_is_an_equation(
    text: str, numbers: list[str]
) -> None:
    assert [one.first for one in mentions(text) if one.kind == "equation"] == numbers


@pytest.mark.parametrize(
    "text",
    [
        "There are three problems: (1) novelty, (2) clarity, (3) cost.",
        "I have two questions. (1) Why so small? (2) Is it fair?",
        "They compare with (1) linear probes and (2) full tuning.",
        "The gain is made by (1) adding gauges; (2) reading them daily.",
        "Smith and Jones (2020) do the same in (2019).",
        "as in prior work (12 papers), with few runs (3 seeds)",
        "as I mentioned in (2), see (1) above",
        "a batch size of (32) and a rating of (4)",
        "the loss of $f (3)$ and of f(3)",
        "Connected to (1) in the weaknesses, please explain.",
        "the bound (3) of [5]",
        "trained on CIFAR (10)",
    ],
)
def test_counts_years_and_amounts_are_no_equations(text: str) -> None:
    assert mentions(text) == ()


def test_numbers_that_count_the_reviews_own_items_are_no_equations_elsewhere_in_it() -> None:
    review = Review(
        review_id="r",
        paper_id="p",
        fields={"weaknesses": "(1) No seeds.\n(2) No code.\n(3) The gain of (2) over (1) is low."},
    )
    text = "The gain of (2) over (1) is low."
    start = review.fields["weaknesses"].index(text)
    point = make_point(text)
    span = point.span.model_copy(
        update={"field": "weaknesses", "start": start, "end": start + len(text)}
    )
    point = point.model_copy(update={"span": span})

    assert len(with_places(point, Paper(paper_id="p", title="", text="")).places or ()) == 1
    assert with_places(point, Paper(paper_id="p", title="", text=""), review).places == ()


@given(
    st.sampled_from(["the bound", "as shown in", "this follows from", "Inequality", "we minimise"]),
    st.lists(st.integers(1, 99), min_size=1, max_size=4, unique=True),
)
def test_a_list_of_numbers_follows_the_first(lead: str, numbers: list[int]) -> None:
    lead = "minimize" if lead == "we minimise" else lead
    listed = ", ".join(f"({number})" for number in numbers[:-1])
    listed = f"{listed} and ({numbers[-1]})" if listed else f"({numbers[-1]})"

    found = [one.first for one in mentions(f"Here {lead} {listed}.")]

    assert found == [str(number) for number in numbers]


@given(
    st.lists(st.sampled_from(["more gauges", "clay", "a sieve"]), min_size=2, max_size=5),
    st.sampled_from(["The work lacks ", "They win by ", "It consists of "]),
)
def test_a_count_of_items_is_never_an_equation(items: list[str], lead: str) -> None:
    text = lead + ", ".join(f"({n}) {item}" for n, item in enumerate(items, 1))

    assert list(equations_by_number(text, [])) == []


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("As stated in the 4-th footnote, it fails.", ("footnote", "4")),
        ("The second footnote disagrees.", ("footnote", "2")),
        ("The 3rd figure has no axes.", ("figure", "3")),
        ("the first table is small", ("table", "1")),
    ],
)
def test_ordinals_name_places_that_papers_number(text: str, place: tuple[str, str]) -> None:
    assert [(one.kind, one.first) for one in mentions(text)] == [place]


@pytest.mark.parametrize(
    "text",
    [
        "the first section",
        "the second experiment",
        "the second equation",
        "the first two tables",
        "the first figure of [4]",
        "the second table in Appendix",
        "the first figure in each task",
    ],
)
def test_ordinals_of_what_is_not_numbered_are_no_places(text: str) -> None:
    assert mentions(text) == ()


def lines_paper() -> Paper:
    rows = [f"words of row {number} here" for number in range(130, 150)]
    starts = [sum(len(row) + 1 for row in rows[:at]) for at in range(len(rows))]
    lines = tuple(
        TextLine(start=start, number=number)
        for start, number in zip(starts, range(130, 150), strict=True)
    )
    return Paper(paper_id="p", title="t", text="\n".join(rows), lines=lines)


def test_lines_in_brackets_count_where_the_review_names_lines_elsewhere() -> None:
    text = "They say psi as opposed to the symbol (141-142)."
    named = Review(review_id="r", paper_id="p", fields={"text": f"{text}\nLine 135 lacks a verb."})
    silent = Review(review_id="r", paper_id="p", fields={"text": f"{text}\nA verb is missing."})

    (place,) = with_places(make_point(text), lines_paper(), named).places or ()

    assert place.label == "lines 141-142"
    assert place.target is not None
    assert with_places(make_point(text), lines_paper(), silent).places == ()


@pytest.mark.parametrize(
    "text",
    [
        "few runs (3)",
        "a sample size (100)",
        "Smith et al. (2020)",
        "the range (900-100)",
        "sizes (100-900)",
    ],
)
def test_amounts_in_brackets_are_no_lines(text: str) -> None:
    assert mentions(text, Surroundings(lines=True)) == ()


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
def headed() -> Paper:
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
    headed: Paper, text: str, title: str
) -> None:
    assert labels(text, headed) == [f'Section "{title}"']


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
def test_other_uses_of_these_words_are_no_place(headed: Paper, text: str) -> None:
    assert labels(text, headed) == []


def test_a_named_section_holds_its_subsections(headed: Paper) -> None:
    (place,) = with_places(make_point("The experiments section is thin."), headed).places or ()

    assert place.target is not None
    assert "Gauges in the North" in headed.text[place.target.start : place.target.end]
    assert "Conclusion" not in headed.text[place.target.start : place.target.end]


@given(st.text(alphabet="the in abstract section Related Work.:()\"'\n", max_size=80))
def test_names_lie_in_their_text(text: str) -> None:
    for one in named_sections(text):
        assert 0 <= one.start < one.end <= len(text)
        assert not one.sure


SIEVED = """# Counting Silt

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
def sieved() -> Paper:
    return build_paper(PaperRow(paper_id="silt", text=SIEVED))


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
    sieved: Paper, text: str, words: str
) -> None:
    assert held(text, sieved) == [words]


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
def test_other_words_in_quotation_marks_are_no_place(sieved: Paper, text: str) -> None:
    assert held(text, sieved) == []


def test_a_point_within_a_block_quote_may_be_the_papers_words(sieved: Paper) -> None:
    said = "Next we go further and show that it is possible to count"
    review = Review(review_id="r", paper_id="silt", fields={"text": f"> {said}"})
    point = make_point(said)
    moved = point.span.model_copy(update={"start": 2, "end": 2 + len(said), "field": "text"})
    point = point.model_copy(update={"span": moved})

    (place,) = with_places(point, sieved, review).places or ()

    assert (place.span.start, place.span.end) == (2, 2 + len(said))
    assert with_places(point, sieved).places == ()


@given(st.data())
def test_any_words_of_the_text_are_found_again_when_quoted(data: st.DataObject) -> None:
    text = SIEVED[: SIEVED.index("## References")].replace("[48] ", "")
    words = [
        word for line in text.splitlines() if not line.startswith("#") for word in line.split()
    ]
    start = data.draw(st.integers(0, len(words) - 12))
    said = " ".join(words[start : start + 12]).strip(' "')
    paper = Paper(paper_id="p", title="t", text=" ".join(words))

    assert held(f'They write "{said}" there.', paper) != []


WORDS = [
    "reed",
    "silt",
    "bank",
    "gauge",
    "flood",
    "stone",
    "heron",
    "lock",
    "weir",
    "ford",
    "mill",
    "moor",
]


def _line(number: int) -> str:
    """A line of prose with words of its own."""
    first, second = WORDS[number % 12], WORDS[(number // 12) % 12]
    return f"The {first} of the {second} was seen near mark {'i' * (1 + number // 144)} again."


@pytest.fixture(scope="module")
def gathered() -> Paper:
    """A text of a converter that gathered the numbers 21 to 40 in a block."""
    alone = "\n\n".join(map(str, range(21, 41)))
    parts = [f"{_line(number)} {number}" for number in range(1, 21)]
    parts += [_line(number) for number in range(21, 41)]
    after = [f"{_line(number)} {number}" for number in range(41, 80)]
    text = " ".join(parts) + f"\n\n{alone}\n\n" + " ".join(after)
    return build_paper(PaperRow(paper_id="frogs", text=text))


def _lines(said: str, gathered: Paper) -> Place:
    places = with_places(make_point(said), gathered).places or ()
    return next(place for place in places if place.kind is PlaceKind.LINE)


def test_a_line_that_stands_with_its_number_is_no_guess(gathered: Paper) -> None:
    place = _lines("Line 10 is unclear.", gathered)

    assert place.target is not None
    assert not place.target.reckoned
    assert gathered.text[place.target.start : place.target.end].startswith(_line(10)[:20])


def test_a_line_that_was_counted_on_is_about_here(gathered: Paper) -> None:
    place = _lines("Line 30 is unclear.", gathered)

    assert place.target is not None
    assert place.target.reckoned
    assert _line(30) in gathered.text[place.target.start : place.target.end]


def test_words_that_are_quoted_beside_a_line_say_which_is_meant(gathered: Paper) -> None:
    quoted = _line(26).removesuffix(".")

    place = _lines(f'Line 36, "{quoted}", is unclear.', gathered)

    assert place.target is not None
    assert not place.target.reckoned
    assert gathered.text[place.target.start : place.target.end] == quoted


def test_a_quotation_from_elsewhere_moves_no_line(gathered: Paper) -> None:
    quoted = _line(26).removesuffix(".")

    place = _lines(f'Line 36 is unclear. {"Very much so. " * 6}"{quoted}" is fine.', gathered)

    assert place.target is not None
    assert place.target.reckoned
