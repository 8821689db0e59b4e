"""How texts become words."""

from __future__ import annotations

import pytest
import snowballstemmer
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.similarity.porter import porter_stem
from reviewscore.similarity.wording import PLAIN, TPMS

PORTER = snowballstemmer.stemmer("porter")
# Porter 1980, the examples of each step; the last line has where NLTK departs.
_LISTED = """
caresses caress ponies poni caress caress cats cat feed feed agreed agre plastered plaster bled bled
motoring motor sing sing conflated conflat troubled troubl sized size hopping hop tanned tan
falling fall hissing hiss fizzed fizz failing fail filing file sky sky relational relat
conditional condit rational ration valenci valenc digitizer digit conformabli conform radicalli
radic differentli differ vileli vile analogousli analog vietnamization vietnam predication predic
operator oper feudalism feudal decisiveness decis hopefulness hope callousness callous formaliti
formal sensitiviti sensit sensibiliti sensibl triplicate triplic formative form formalize formal
electriciti electr electrical electr hopeful hope goodness good revival reviv allowance allow
inference infer airliner airlin gyroscopic gyroscop adjustable adjust defensible defens irritant
irrit replacement replac adjustment adjust dependent depend adoption adopt homologou homolog
communism commun activate activ angulariti angular homologous homolog effective effect bowdlerize
bowdler probate probat rate rate cease ceas controll control roll roll
ties tie dies die happy happi enjoy enjoy dying die news news possibly possibl is is
"""
EXAMPLES = _LISTED.split()


@pytest.mark.parametrize(
    ("word", "stem"), list(zip(EXAMPLES[::2], EXAMPLES[1::2], strict=True)), ids=EXAMPLES[::2]
)
def test_stems_are_those_of_the_published_examples(word: str, stem: str) -> None:
    assert stem == porter_stem(word)


@given(
    st.text("bcdfgklmnprstv", min_size=3, max_size=6),
    st.sampled_from("aeio"),
    st.sampled_from(["ness", "ment", "ing", "ed", "ation", "ize", "ful", "s", "ical", ""]),
)
def test_stems_are_those_of_porter_where_nltk_does_not_depart(
    head: str, vowel: str, ending: str
) -> None:
    word = f"{head}{vowel}n{ending}"

    assert PORTER.stemWord(word) == porter_stem(word)


@given(st.text("abcdefghijklmnopqrstuvwxyz", max_size=14))
def test_any_word_has_a_stem_that_is_not_longer_by_more_than_a_letter(word: str) -> None:
    assert len(porter_stem(word)) <= len(word) + 1


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
