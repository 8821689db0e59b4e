from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from reviewscore.papers.load import PaperRow, build_paper
from reviewscore.retrieval.index import PaperIndex, bm25_of
from reviewscore.retrieval.ranking import features, ranked_passages, shown_passages

TEXT = """Abstract
We weigh clouds from the ground with a very small radar.

1 Introduction
Clouds are heavy, and nobody has weighed many of them before.

2 Method
The radar sends a pulse every second towards the cloud.
Droplets scatter the pulse back to a dish of two metres.
The weight follows from the strength of the echo.

3 Experiments
We weighed ninety clouds over the harbour in autumn.
Table 1: Weight of the clouds in tonnes, by hour of the day.
A balloon that flew through nine of them agrees within a tenth.

4 Limitations
Rain hides the echo, so wet days are left out.

References
W. Vapour. Weighing fog with a pulse radar. 2001.
"""
INDEX = PaperIndex(build_paper(PaperRow(paper_id="clouds", title="Weighing Clouds", text=TEXT)))


class Vocabulary:
    """Encodes texts by the few words that it knows, synonyms alike."""

    name = "vocabulary"
    words = ({"balloon", "aircraft"}, {"rain", "drizzle"}, {"dish", "antenna"}, {"pulse"})

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        rows = [
            [0.1, *(float(any(word in text.lower() for word in group)) for group in self.words)]
            for text in texts
        ]
        vectors = np.array(rows, np.float32)
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


def quoted(numbers: Sequence[int]) -> list[str]:
    return [INDEX.passages[number].text for number in numbers]


def test_the_passage_that_shares_telling_words_comes_first() -> None:
    ranked = quoted(ranked_passages(INDEX, "How many clouds over the harbour were weighed?"))

    assert "ninety clouds over the harbour" in ranked[0]


def test_references_headings_and_front_matter_are_never_shown() -> None:
    ranked = quoted(ranked_passages(INDEX, "Weighing fog with a pulse radar, Vapour 2001"))

    assert ranked
    assert not any("Vapour" in text or text in {"2 Method", "Abstract"} for text in ranked)


def test_what_shares_no_telling_word_comes_last_or_is_left_out() -> None:
    text = "The dish is too small."
    ranked = ranked_passages(INDEX, text)
    sharing = ranked_passages(INDEX, text, sharing=True)

    assert sorted(ranked) == np.flatnonzero(shown_passages(INDEX)).tolist()
    assert ranked[: len(sharing)] == sharing
    assert ["dish" in line or "small" in line for line in quoted(sharing)] == [True] * len(sharing)


@pytest.mark.parametrize("text", ["", "...", "Octopus tentacles!"])
def test_a_remark_without_a_word_of_the_paper_ranks_nothing(text: str) -> None:
    assert ranked_passages(INDEX, text) == []
    assert features(INDEX, text) == {}


def test_an_encoder_finds_what_is_said_in_other_words() -> None:
    encoder = Vocabulary()
    text = "Did an aircraft confirm the numbers?"

    assert "balloon" in quoted(ranked_passages(INDEX, text, encoder=encoder))[0]


def test_the_passages_of_a_paper_are_encoded_once() -> None:
    encoder = Vocabulary()
    encoder.name = "counted"
    ranked_passages(INDEX, "Is there drizzle?", encoder=encoder)
    first = len(encoder.asked)
    ranked_passages(INDEX, "Is there an antenna?", encoder=encoder)

    assert first > len(INDEX.passages)
    assert len(encoder.asked) - first == 2  # the remark and its one sentence


def test_other_weights_give_another_order() -> None:
    text = "The pulse and the balloon"
    plain = ranked_passages(INDEX, text, weights={"words": 1.0})
    upside_down = ranked_passages(INDEX, text, weights={"words": -1.0}, sharing=True)

    assert plain[0] == upside_down[-1]


def test_a_row_without_a_value_and_a_second_header_are_never_shown() -> None:
    table = (
        "Table 1: Clouds by hour.\n\n| Cloud | Weight in tonnes | Remark on it |\n|---|---|---|\n"
        "| | Mean weight of a cloud | Remark of a reader |\n| Anvil cloud over our harbour | | |\n"
        "| Cumulus cloud over the sea | 500 tonnes | a fair one |\n"
    )
    index = PaperIndex(build_paper(PaperRow(paper_id="table", text=f"1 Results\n{table}")))

    ranked = [index.passages[n].text for n in ranked_passages(index, "cloud weight anvil cumulus")]

    assert any("Cumulus" in text for text in ranked)
    assert not any("Anvil" in text or "Mean weight" in text for text in ranked)


def test_a_paper_without_passages_has_nothing_to_rank() -> None:
    empty = PaperIndex(build_paper(PaperRow(paper_id="short", text="Clouds.")))

    assert ranked_passages(empty, "Clouds?") == []


def test_bm25_of_no_bags_is_empty() -> None:
    assert bm25_of([]).scores(["cloud"]).shape == (0,)
    assert bm25_of([["cloud"], []]).scores(["cloud", "fog"]).tolist()[1] == 0.0


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=120))
def test_any_remark_ranks_each_passage_at_most_once_and_always_alike(text: str) -> None:
    ranked = ranked_passages(INDEX, text)

    assert len(set(ranked)) == len(ranked)
    assert shown_passages(INDEX)[ranked].all()
    assert ranked == ranked_passages(INDEX, text)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.sampled_from(["cloud", "radar", "pulse", "echo", "rain", "dish", "the", "of"]),
        min_size=1,
    )
)
def test_every_view_has_a_finite_value_for_each_passage(words: list[str]) -> None:
    views = features(INDEX, " ".join(words), encoder=Vocabulary())

    for values in views.values():
        assert values.shape == (len(INDEX.passages),)
        assert np.isfinite(values).all()
