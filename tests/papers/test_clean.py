"""The reading text is clean, and every character knows where it came from."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reviewscore.papers.clean import clean


def test_lines_are_joined_and_hyphens_at_line_ends_removed() -> None:
    assert clean("We light win-\nter lamps\nat dusk.\n\nThen we rest.").text == (
        "We light winter lamps at dusk.\n\nThen we rest."
    )


def test_page_breaks_inside_a_sentence_vanish() -> None:
    text = "the lamp was\n\n17\n\n-----\n\nPublished as a conference paper at LAMP 2030\nput out."
    assert clean(text).text == "the lamp was put out."


def test_a_table_of_numbers_is_kept() -> None:
    assert clean("101\n205\n309").text == "101 205 309"


def test_emphasis_and_typography_are_levelled_but_names_with_underscores_kept() -> None:
    assert (
        clean("**Big** _lamps_ use max_len “ﬁve” – six").text
        == 'Big lamps use max_len "five" - six'
    )


@given(st.text(alphabet="ab -_*\n1“ﬁ.|", max_size=80))
def test_every_character_comes_from_its_place(text: str) -> None:
    cleaned = clean(text)
    offsets = [cleaned.original_span(at, at + 1)[0] for at in range(len(cleaned.text))]
    assert offsets == sorted(offsets)
    for character, offset in zip(cleaned.text, offsets, strict=True):
        if character in "ab1.|":
            assert text[offset] == character
