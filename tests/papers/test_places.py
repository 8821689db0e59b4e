"""Named places of a paper, and where theorems, definitions and algorithms end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.papers.load import PaperRow, build_paper
from reviewscore.papers.places import (
    MOST_OF_A_STATEMENT,
    MOST_OF_AN_ALGORITHM,
    algorithm_end,
    statement_end,
    target,
    whole_range,
)
from reviewscore.schema.paper import Paper, TextLine
from reviewscore.schema.place import PlaceKind, Target

TEXT = """# Silt in Slow Rivers

## Abstract

We count grains of silt.

## 1 Introduction

Rivers carry silt. Table 2 is discussed below, and so is Lemma 1.

### 1.1 Grains

Grains differ in size. The mass is as follows.

m = r v (3)

As the balance in Eq. (3)
shows, it is kept.

Table 2: Grains a litre at each gauge.

| gauge | grains |
|---|---|
| north | 12 |

Figure 4. Grains by depth.

**Lemma 1.** No grain is lost.

Algorithm 1: Counting grains

## 2 Results

All is well.

## A Proofs

Here they are.
"""


@pytest.fixture(scope="module")
def paper() -> Paper:
    return build_paper(PaperRow(paper_id="silt", text=TEXT))


def words(paper: Paper, kind: PlaceKind, label: str, last: str | None = None) -> str | None:
    place = target(paper, kind, label, last)
    return None if place is None else paper.text[place.start : place.end]


@pytest.mark.parametrize(
    ("kind", "label", "begins", "ends"),
    [
        (PlaceKind.TABLE, "2", "Table 2: Grains", "| north | 12 |"),
        (PlaceKind.TABLE, "2b", "Table 2: Grains", "| north | 12 |"),
        (PlaceKind.FIGURE, "4", "Figure 4.", "by depth."),
        (PlaceKind.LEMMA, "1", "**Lemma 1.**", "is lost."),
        (PlaceKind.ALGORITHM, "1", "Algorithm 1", "Counting grains"),
        (PlaceKind.EQUATION, "3", "m = r v", "(3)"),
        (PlaceKind.SECTION, "1.1", "### 1.1", "Counting grains"),
        (PlaceKind.SECTION, "1", "## 1 Intro", "Counting grains"),
        (PlaceKind.APPENDIX, "A", "## A Proofs", "they are."),
        (PlaceKind.QUOTE, "Grains differ in size", "Grains differ", "in size"),
    ],
)
def test_a_place_is_the_papers_own_text(
    paper: Paper, kind: PlaceKind, label: str, begins: str, ends: str
) -> None:
    found = words(paper, kind, label)

    assert found is not None
    assert found.startswith(begins)
    assert found.endswith(ends)


@pytest.mark.parametrize(
    ("kind", "label"),
    [
        (PlaceKind.TABLE, "7"),
        (PlaceKind.FIGURE, "1"),
        (PlaceKind.EQUATION, "9"),
        (PlaceKind.SECTION, "8"),
        (PlaceKind.PAGE, "3"),
        (PlaceKind.LINE, "12"),
        (PlaceKind.THEOREM, "1"),
        (PlaceKind.QUOTE, "words that nobody has written here"),
    ],
)
def test_a_place_that_the_text_lacks_has_no_target(
    paper: Paper, kind: PlaceKind, label: str
) -> None:
    assert target(paper, kind, label) is None


def numbered(numbers: list[int | None], pages: list[int] | None = None) -> Paper:
    rows = [f"line of words {n} here" for n in range(len(numbers))]
    starts = [sum(len(row) + 1 for row in rows[:at]) for at in range(len(rows))]
    lines = tuple(
        TextLine(
            start=start,
            number=number,
            page=None if pages is None else pages[at],
            box=(10.0, 700.0 - 10 * at, 300.0, 709.0 - 10 * at),
        )
        for at, (start, number) in enumerate(zip(starts, numbers, strict=True))
    )
    return Paper(paper_id="p", title="t", text="\n".join(rows), lines=lines)


def test_lines_are_found_by_their_numbers_with_the_box_around_them() -> None:
    paper = numbered([7, 8, 9, 10])
    place = target(paper, PlaceKind.LINE, "8", "9")

    assert place is not None
    assert paper.text[place.start : place.end] == "line of words 1 here\nline of words 2 here"
    assert place.box == (10.0, 680.0, 300.0, 699.0)


def test_a_shortened_range_is_the_whole_one() -> None:
    paper = numbered([212, 213, 214, 215])

    assert words(paper, PlaceKind.LINE, "212", "14") == words(paper, PlaceKind.LINE, "212", "214")


def test_lines_between_two_numbers_are_counted() -> None:
    paper = numbered([5, None, None, None, None, 10])

    assert words(paper, PlaceKind.LINE, "7") == "line of words 2 here"
    assert words(paper, PlaceKind.LINE, "11") is None


def test_a_page_tells_lines_with_the_same_number_apart() -> None:
    paper = numbered([1, 2, 1, 2], pages=[1, 1, 2, 2])
    place = target(paper, PlaceKind.LINE, "2", page=2)

    assert place is not None
    assert paper.text[place.start : place.end] == "line of words 3 here"


def test_a_line_is_only_on_the_page_that_is_named_with_it() -> None:
    paper = numbered([198, 199, 200, 201, None, 203], pages=[1, 1, 2, 2, 2, 3])

    def there(first: str, last: str, page: int) -> Target | None:
        return target(paper, PlaceKind.LINE, first, last, page=page)

    assert there("200", "200", 1) is None
    assert there("198", "198", 2) is None
    assert there("200", "200", 9) is None
    overleaf = there("199", "200", 1)
    assert overleaf is not None
    assert paper.text[overleaf.start : overleaf.end].split("\n")[-1] == "line of words 2 here"
    between = there("202", "202", 2)
    assert between is None or between.page == 2
    anew = numbered([1, 2, 1, 2, 3], pages=[1, 1, 2, 2, 2])
    assert target(anew, PlaceKind.LINE, "2", "3", page=1) is None
    unpaged = numbered([198, 199, 200])
    assert target(unpaged, PlaceKind.LINE, "199", page=7) is not None


def test_a_range_that_is_written_backwards_is_a_place_where_both_ends_are() -> None:
    paper = numbered([10, 11, 12, 13])

    assert words(paper, PlaceKind.LINE, "12", "11") == words(paper, PlaceKind.LINE, "11", "12")
    assert words(paper, PlaceKind.LINE, "12", "11") is not None
    assert words(paper, PlaceKind.LINE, "30", "11") is None
    assert words(paper, PlaceKind.LINE, "10", "100000") is None
    assert whole_range(212, 15) == (212, 215)
    assert whole_range(30, 10) == (10, 30)


def test_pages_that_are_written_backwards_are_a_place_where_both_are() -> None:
    paper = Paper(paper_id="p", title="t", text="one\ntwo\nthree", pages=(0, 4, 8))

    assert words(paper, PlaceKind.PAGE, "3", "2") == "two\nthree"
    assert words(paper, PlaceKind.PAGE, "9", "2") is None


CONVERTED = """# Mud

## 1 Setting

Table 4 demonstrates that mud is wet. As Figure 2: no caption says.

| Table 5: Mud by month | Table 5: Mud by month |
|---|---|
| May | 3 |

depth mud silt Figure 3: Mud by depth.

We now bound the loss. Theorem 2. Mud stays mud.

## Algorithm 1 Mud counting

- 1: take mud
- 2: count

# 4.3 Lost /u1D heading

Words below it.

Table 6 Mud by year

| 1990 | 4 |
"""


@pytest.mark.parametrize(
    ("kind", "label", "begins", "ends"),
    [
        (PlaceKind.TABLE, "5", "| Table 5: Mud", "| May | 3 |"),
        (PlaceKind.FIGURE, "3", "Figure 3: Mud", "by depth."),
        (PlaceKind.THEOREM, "2", "Theorem 2.", "stays mud."),
        (PlaceKind.ALGORITHM, "1", "## Algorithm 1", "- 2: count"),
        (PlaceKind.TABLE, "6", "Table 6 Mud", "| 1990 | 4 |"),
    ],
)
def test_captions_are_known_where_converters_leave_them(
    kind: PlaceKind, label: str, begins: str, ends: str
) -> None:
    found = words(build_paper(PaperRow(paper_id="mud", text=CONVERTED)), kind, label)

    assert found is not None
    assert found.startswith(begins)
    assert found.endswith(ends)


@pytest.mark.parametrize(("kind", "label"), [(PlaceKind.TABLE, "4"), (PlaceKind.FIGURE, "2")])
def test_a_sentence_about_a_place_is_not_the_place(kind: PlaceKind, label: str) -> None:
    assert target(build_paper(PaperRow(paper_id="mud", text=CONVERTED)), kind, label) is None


def test_a_number_that_a_converter_lost_is_among_the_lines_around() -> None:
    paper = numbered([40, 41, 42, 44, 45, 46])
    found = words(paper, PlaceKind.LINE, "43")

    assert found is not None
    assert "line of words 2 here\nline of words 3 here" in found


STATEMENTS = """# Mud

## 1 Bounds

Theorem 3.2. For any depth we have with high probability:

<!-- formula-not-decoded -->

where m is mud.

This theorem says that mud stays mud, whatever people do.

Definition 5 (Wet Mud) . Mud is wet if the following conditions are satisfied:

- (5.a) It is soft.
- (5.b) It is cold.

Among the kinds of mud, one is dry.

Lemma6. Mud sinks.

Theorem 7. Let mud be deep. Then

m = v r

Proof. By sinking.

Assumption 8. The mud is flat.

Mud is often flat.

## Algorithm 2 Mud counting

Input: mud, a spade

1:

2:

take

m

3: count all grains and end for

Here we explain the steps, which take long in any river.

## 2 More
"""


@pytest.fixture(scope="module")
def mud() -> Paper:
    return build_paper(PaperRow(paper_id="mud", text=STATEMENTS))


@pytest.mark.parametrize(
    ("kind", "label", "begins", "ends"),
    [
        (PlaceKind.THEOREM, "3.2", "Theorem 3.2.", "where m is mud."),
        (PlaceKind.DEFINITION, "5", "Definition 5", "It is cold."),
        (PlaceKind.DEFINITION, "5.b", "Definition 5", "It is cold."),
        (PlaceKind.LEMMA, "6", "Lemma6.", "sinks."),
        (PlaceKind.THEOREM, "7", "Theorem 7.", "m = v r"),
        (PlaceKind.ASSUMPTION, "8", "Assumption 8.", "is flat."),
        (PlaceKind.ALGORITHM, "2", "## Algorithm 2", "end for"),
    ],
)
def test_a_statement_has_what_it_announces_and_no_prose_after_it(
    mud: Paper, kind: PlaceKind, label: str, begins: str, ends: str
) -> None:
    place = target(mud, kind, label)

    assert place is not None
    words = mud.text[place.start : place.end]
    assert words.startswith(begins)
    assert words.endswith(ends)


def test_a_column_that_names_an_equation_is_not_the_equation() -> None:
    text = "# Mud\n\n| depth | bound (4) |\n|---|---|\n| 1 | 2 |\n\n| m = v | (5) |\n"
    paper = build_paper(PaperRow(paper_id="mud", text=text))

    assert target(paper, PlaceKind.EQUATION, "4") is None
    assert target(paper, PlaceKind.EQUATION, "5") is not None


PARAGRAPH = st.sampled_from(
    [
        "we have:",
        "<!-- formula-not-decoded -->",
        "- (a) mud",
        "where it sinks",
        "Mud is mud, as all people know.",
        "## 2 More",
        "Proof. Clear.",
        "1: take mud",
        "x",
        "words " * 200,
    ]
)


@given(st.lists(PARAGRAPH, max_size=12))
def test_ends_are_bounded_and_stop_at_headings_and_proofs(paragraphs: list[str]) -> None:
    text = "\n\n".join(["Theorem 1. It holds that", *paragraphs])
    first = len("Theorem 1. It holds that")

    for end, most in (
        (statement_end(text, 0, first), MOST_OF_A_STATEMENT),
        (algorithm_end(text, 0, first), MOST_OF_AN_ALGORITHM),
    ):
        assert first <= end <= min(len(text), most)
        assert "## 2" not in text[:end]
        assert "Proof" not in text[:end]
