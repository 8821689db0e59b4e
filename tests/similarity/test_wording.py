"""How texts become words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.similarity.bags import PLAIN, TPMS, porter_stem


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("relational", "relat"),
        ("ties", "tie"),
        ("happy", "happi"),
        ("enjoy", "enjoy"),
        ("is", "is"),
    ],
)
def test_stems_are_porters_in_the_dialect_of_nltk(word: str, stem: str) -> None:
    assert porter_stem(word) == stem


def test_tpms_reads_latin_letters_without_accents_and_without_listed_words() -> None:
    assert TPMS.words("Naïve Bayes-nets: the 2nd computer, a æther!") == [
        "naiv", "bay", "net", "nd", "aether",
    ]  # fmt: skip


def test_tpms_keeps_fifty_and_sees_no_other_script() -> None:
    assert TPMS.words("fifty лягушки K青蛙") == ["fifti"]


def test_the_plain_reading_takes_letters_of_any_script() -> None:
    assert PLAIN.words("Лягушки, frogs and λ-calculus 42") == ["лягушки", "frog", "calculus"]


def test_scripts_without_spaces_are_read_in_pairs_of_letters() -> None:
    assert PLAIN.words("池塘青蛙 x蛙") == ["池塘", "塘青", "青蛙", "蛙"]


def test_counted_words_get_the_stems_of_read_ones() -> None:
    for wording in (PLAIN, TPMS):
        assert [wording.counted("networks")] == wording.words("networks")
    assert PLAIN.counted("the") is None
    assert TPMS.counted("the") == "the"


@given(st.text())
def test_no_text_breaks_either_reading(text: str) -> None:
    for wording in (PLAIN, TPMS):
        assert all(wording.words(text))
