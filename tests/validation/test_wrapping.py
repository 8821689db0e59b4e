"""Paragraphs that were wrapped at a width are filled anew after a cut."""

from textwrap import fill

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.papers.offsets import MappedText
from reviewscore.validation.wrapping import wrapped_anew

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
    assert made.split("\n\n")[1:] == PARAGRAPHS[1:]


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


@pytest.mark.parametrize("begins", ["| a | b |", "- an item", "# Heading", "2. second", "(b) this"])
def test_what_is_no_running_text_is_not_drawn_into_a_line(begins: str) -> None:
    text = f"{WRAPPED}\n\nA short line.\n{begins}\n{PARAGRAPHS[0]}"

    assert f"A short line.\n{begins}\n" in filled(text, text.index("A short line."))


def test_a_word_that_a_line_end_divides_stays_divided() -> None:
    text = f"{WRAPPED}\n\nA short\nline, and a di-\nvided word. {PARAGRAPHS[0]}"

    assert "A short line, and a di-\nvided word." in filled(text, text.index("A short"))


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
