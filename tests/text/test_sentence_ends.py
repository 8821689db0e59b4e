"""Where a sentence ends: behind single letters, shortened words and numbers."""

from __future__ import annotations

from collections.abc import Callable
from string import ascii_lowercase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.text.sentences import sentence_spans, sentences

_Splitter = Callable[[str], list[str]]


def _of_a_review(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text, 0, len(text))]


def _of_a_paper(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


both = pytest.mark.parametrize("split", [_of_a_review, _of_a_paper])


@both
@pytest.mark.parametrize(
    "first",
    [
        "The call depends on k and a.",
        "The ponds differ in n = m.",
        "The frogs call at a rate of k/n.",
        "They call for 5 s.",
        "The **ponds differ in k.**",
        "They name the rate “p.”",
        "The ponds are drawn in Appendix A.",
        "The calls are i.i.d.",
        "It counts frogs, toads, newts, etc.",
        "The ponds are unknown to me.",
        "This counter is the state of the art.",
        "It beats the state-of-the-art.",
        "The answer may well be no.",
        "See Def. 3, Eqs. 3 and 4.",
    ],
)
@pytest.mark.parametrize("second", ["As the ponds are cold, it is slow.", "The rest is clear."])
def test_a_sentence_ends_behind_a_letter_and_words_that_look_shortened(
    split: _Splitter, first: str, second: str
) -> None:
    assert [first, second] == split(f"{first} {second}")


@both
@pytest.mark.parametrize("second", ["Ponds vary too.", "“Ponds” vary too.", "(Ponds vary too.)"])
def test_behind_a_small_letter_any_capital_begins_a_sentence(split: _Splitter, second: str) -> None:
    assert ["We vary k.", second] == split(f"We vary k. {second}")


@both
@pytest.mark.parametrize(
    "sentence",
    [
        "The count, see e. Fig. 3, is low.",
        "It is loud, e.g. Lake frogs, and i.e. Toads.",
        "It is loud, e. g. Lake frogs.",
        "It was shown by J. Smith and A. B. Jones.",
        "It was shown by Q. He and T. Do.",
        "It grows w.r.t. Theorem 3 in Sec. 3.",
        "See Fig. A and Eqs. 3 and 4 and App. C for it.",
        "It rests on Def. 3 and cf. Lemma 4, resp. Lemma 5.",
        "Frogs v. Toads were counted in report no. R-2.",
        "See p. A3 for the ponds.",
    ],
)
def test_initials_shortened_words_and_names_of_things_end_no_sentence(
    split: _Splitter, sentence: str
) -> None:
    assert [sentence, "They are small."] == split(f"{sentence} They are small.")


_SHORT = ["e.g.", "i.e.", "al.", "Fig.", "Figs.", "Eq.", "Eqs.", "eq.", "Def.", "Sec.", "App."]
_SHORT += ["resp.", "w.r.t.", "cf.", "vs.", "approx.", "etc."]


@both
@given(
    short=st.sampled_from(_SHORT),
    word=st.text(ascii_lowercase, min_size=1, max_size=8),
)
def test_no_sentence_ends_before_a_small_letter(split: _Splitter, short: str, word: str) -> None:
    sentence = f"The counts of frogs {short} {word} are low"

    assert [sentence] == split(sentence)


@both
@given(
    letters=st.lists(st.sampled_from([*ascii_lowercase]), min_size=1, max_size=20),
    opener=st.sampled_from(["The", "This", "However, the", "We see that the", "If all"]),
)
def test_each_small_letter_before_a_capital_ends_a_sentence(
    split: _Splitter, letters: list[str], opener: str
) -> None:
    parts = [f"{opener} frogs call at the rate {letter}." for letter in letters]

    assert parts == split(" ".join(parts))


@both
@given(
    st.lists(
        st.sampled_from(
            ["k. ", "Fig. ", "3. ", "The ", "a frog ", "J. ", "no. ", "(see ", ") ", "$x$ ", "\n"]
        ),
        max_size=30,
    ).map("".join)
)
def test_sentences_hold_all_words_in_order(split: _Splitter, text: str) -> None:
    assert "".join(text.split()) == "".join("".join(split(text)).split())


def test_marks_of_entries_stay_with_their_entries() -> None:
    assert _of_a_review("a. The ponds. b. The frogs.") == ["a. The ponds. b. The frogs."]
    assert _of_a_review("1. The ponds. 2. The frogs.") == ["1. The ponds.", "2. The frogs."]


def test_a_number_behind_a_place_ends_a_sentence_of_a_review() -> None:
    parts = [
        "It is in Sec. 1.",
        "See Def. 2.",
        "In it frogs call.",
        "It is in Section 3.3.",
        "Toads do not.",
    ]

    assert parts == _of_a_review(" ".join(parts))


def test_letters_end_no_sentence_in_formulas_brackets_and_other_languages() -> None:
    for text in ("The frogs (at rate k. The others too) call.", "The rate $k. A$ is low."):
        assert [text] == _of_a_review(text)
    german = "Die Frösche, s. Kapitel 3, rufen."

    assert [german] == [german[a:b] for a, b in sentences(german, 0, len(german), language="de")]
