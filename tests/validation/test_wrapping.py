"""Paragraphs wrapped at a width are filled anew after a cut, and rows of padded tables padded."""

from textwrap import fill

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.papers.offsets import MappedText
from reviewscore.validation.wrapping import padded_anew, wrapped_anew

WORDS = "the counts of each orchard were taken in spring and again after the last harvest of pears"
PARAGRAPHS = [fill(f"Part {number}. {WORDS}. " * 6, 90) for number in range(1, 7)]
WRAPPED = "\n\n".join(PARAGRAPHS)


def filled(text: str, *places: int) -> str:
    return MappedText(text).replaced(wrapped_anew(text, places)).text


def test_a_short_line_in_the_middle_of_a_paragraph_is_filled_from_there_on() -> None:
    lines = WRAPPED.split("\n")
    lines[1] = lines[1][:30]
    text = "\n".join(lines)

    made = filled(text, text.index(lines[1]) + 29)

    lengths = [len(line) for line in made.split("\n\n")[0].split("\n")]
    assert all(length > 70 for length in lengths[:-1])
    assert made.split() == text.split()
    assert [part.split() for part in made.split("\n\n")] == [
        part.split() for part in text.split("\n\n")
    ]


def test_lines_do_not_tell_where_something_was_taken_out() -> None:
    sentence = f"Part 3. {WORDS}. "
    lines = PARAGRAPHS[2].split("\n")
    rest = "\n".join([f"{lines[0]} {lines[1]}".replace(sentence, ""), *lines[2:]])
    cut = WRAPPED.replace(PARAGRAPHS[2], rest)
    without = fill(PARAGRAPHS[2].replace("\n", " ").replace(sentence, "", 1), 90)
    never_there = WRAPPED.replace(PARAGRAPHS[2], without)

    assert cut.split() == never_there.split()
    assert filled(cut, cut.index(rest)) == filled(never_there)


@pytest.mark.parametrize(
    "text",
    [
        "\n\n".join(["A line is a whole paragraph here, however long it may be. " * 9] * 30),
        "Only a few words.\nAnd a few more.",
        "",
    ],
)
def test_texts_that_are_not_wrapped_stay_as_they_are(text: str) -> None:
    assert filled(text, *range(0, len(text), 40)) == text


def test_rows_without_lines_between_stay_rows() -> None:
    rows = "Gate 70.1 99.8\nLatch 71\nValve 68.2 51.9\nours 71.3 49.2"
    text = f"{WRAPPED}\n\n{rows}\n\n{PARAGRAPHS[0]}"

    assert rows in filled(text, text.index("Latch 71") + 8)


@pytest.mark.parametrize("begins", ["| a | b |", "- an item", "# Heading", "2. second", "(b) this"])
def test_what_is_no_running_text_is_not_drawn_into_a_line(begins: str) -> None:
    text = f"{WRAPPED}\n\nA short line.\n{begins}\n{PARAGRAPHS[0]}"

    assert f"A short line.\n{begins}\n" in filled(text, text.index("A short line."))


def test_a_word_that_a_line_end_divides_stays_divided() -> None:
    text = f"{WRAPPED}\n\nA short\nline, and a di-\nvided word. {PARAGRAPHS[0]}"

    assert "A short line, and a di-\nvided word." in filled(text, text.index("A short"))


def test_a_number_below_a_full_line_begins_no_list() -> None:
    text = f"{WRAPPED}\n\nA short\n{'so ' * 29}so\n(4) {WORDS}. {WORDS}."

    assert "\n(4)" not in filled(text, text.index("A short"))


def test_emphasis_that_ends_with_a_divided_word_stays_at_its_line_end() -> None:
    text = f"{WRAPPED}\n\n**A short\nline, and a di-**\nvided word. {PARAGRAPHS[0]}"

    assert "**A short line, and a di-**\nvided word." in filled(text, text.index("A short"))


def test_no_line_ends_behind_an_opening_bracket() -> None:
    text = f"{WRAPPED}\n\nA short\n{'[ Pressure] ' * 40}{WORDS}"

    lines = filled(text, text.index("A short")).split("\n")

    assert sum(line.endswith("Pressure]") for line in lines) > 3
    assert not any(line.endswith("[") for line in lines)


def test_lines_that_a_converter_joined_at_a_hyphen_stay_as_many() -> None:
    lines = fill(WORDS * 9, 90).split("\n")
    joined = f"{lines[1]} {lines[2]}"
    text = f"{WRAPPED}\n\n" + "\n".join(["A short", lines[0], joined, *lines[3:]])

    made = filled(text, text.index("A short")).rpartition("\n\n")[2]

    assert sum(len(line) > 120 for line in made.split("\n")) == 1
    assert all(len(line) > 70 for line in made.split("\n")[:-1])


TABLE = """| Gate  |   Error | Kind      |
|-------|---------|-----------|
| Lunex |     7.1 | wooden    |
| ours  |     5.5 | iron      |
"""


@pytest.mark.parametrize(
    ("row", "made"),
    [
        ("| ours  |     5.5 |      |", "| ours  |     5.5 |      |"),
        ("| ours  |   5 | iron      |", "| ours  |       5 | iron      |"),
        ("| ours  |   15.25 | an iron      |", "| ours  |   15.25 | an iron   |"),
        ("| Brest |         5.5 | iron |", "| Brest |     5.5 | iron      |"),
        ("| the gate of ours |     5.5 | iron |", "| the gate of ours |     5.5 | iron      |"),
        ("| ours  | iron  |", "| ours  | iron  |"),
    ],
)
def test_a_row_that_a_cut_left_narrower_or_wider_is_padded_again(row: str, made: str) -> None:
    text = TABLE.replace("| ours  |     5.5 | iron      |", row)

    for table, cell in ((text, made), (text.replace("|-------|---------|-----------|\n", ""), row)):
        places = [table.index(row) + 3, table.index(row) + 12]
        after = MappedText(table).replaced(padded_anew(table, places)).text
        assert after == table.replace(row, cell)


@given(places=st.lists(st.integers(0, len(WRAPPED)), max_size=5), cuts=st.data())
def test_nothing_but_single_blanks_and_line_ends_is_exchanged(
    places: list[int], cuts: st.DataObject
) -> None:
    start = cuts.draw(st.integers(0, len(WRAPPED) - 1))
    text = WRAPPED[:start] + WRAPPED[cuts.draw(st.integers(start, len(WRAPPED))) :]

    made = filled(text, *sorted(place for place in places if place <= len(text)))

    assert len(made) == len(text)
    assert made.translate({10: " "}) == text.translate({10: " "})
    assert made.count("\n\n") == text.count("\n\n")
