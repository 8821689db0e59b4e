"""A paper as one would read it aloud."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.papers.clean import WrittenWords, clean


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


TEXT = (
    "The pump and the hydrologist agree that a river-based gauge beats a riverbased one, and a "
    "river-based map too. Flood-level, flood-stage and flood-mark were read at high resolution; "
    "the SILT-MAP of many SILT-MAP readers is no SILTMAP. Resolution and water levels are known."
)


@pytest.mark.parametrize(
    ("left", "right", "between"),
    [
        ("hydro", "logist", ""),  # the text has the word
        ("river", "based", "-"),  # and the compound more often than the word
        ("High", "resolution", "-"),  # two words of the text, whatever their case
        ("flood", "season", "-"),  # written with a hyphen whatever follows
        ("SILT", "MAP", "-"),
        ("Ornen", "Ulbek", "-"),  # a capital begins a name
        ("RESAM", "PLING", ""),
        ("Thirty", "eighth", "-"),
        ("sedi", "mentation", ""),
    ],
)
def test_the_text_decides_about_a_hyphen_that_cannot_be_seen(
    left: str, right: str, between: str
) -> None:
    assert WrittenWords(TEXT).between(left, right) == between


def test_halves_of_other_broken_words_are_no_words() -> None:
    text = "The gauge at the weir: meas12 urement of water, meas13 urement of silt."

    assert WrittenWords(text).between("meas", "urement") == "-"
    assert WrittenWords(text, ["meas", "urement"] * 2).between("meas", "urement") == ""


def test_placeholders_of_formulas_are_no_compounds() -> None:
    text = "A formula. <!-- formula-not-decoded --> <!-- formula-lost-here --> <!-- formula-one -->"

    assert WrittenWords(text).between("formula", "tions") == ""


def test_a_hyphen_that_is_seen_stays_where_the_text_writes_it_and_never_the_word() -> None:
    words = WrittenWords("A river-wide gauge, a water-wheel, a waterwheel.")

    assert words.writes_hyphen("river", "wide")
    assert not words.writes_hyphen("water", "wheel")


@given(st.text(), st.from_regex(r"[A-Za-z]{1,9}", fullmatch=True))
def test_between_any_halves_stands_a_hyphen_or_nothing(text: str, half: str) -> None:
    assert WrittenWords(text).between(half, half) in ("", "-")
