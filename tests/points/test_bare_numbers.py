"""Equations, lines and footnotes whose number stands without its word, or before it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.points.mentions import equations_by_number
from reviewscore.points.places import Surroundings, mentions, with_places
from reviewscore.schema.paper import Paper, TextLine
from reviewscore.schema.review import Review
from tests.conftest import make_point

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
