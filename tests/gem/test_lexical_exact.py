"""The mixture is a probability: whatever was read, the next words sum to one."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewscore.gem.lexical.caches import Cache, ReferenceText
from reviewscore.gem.lexical.model import COMPONENTS, REGIMES, LexicalCache, ModelState, components
from reviewscore.gem.lexical.prime import Known, prime
from reviewscore.gem.lexical.words import (
    END,
    LETTERS,
    MARKS,
    STANCES,
    CodedWords,
    WordSpelling,
    lines_of,
)
from reviewscore.text.stems import FUNCTION_WORDS
from tests.gem.invented_reviews import papers


@cache
def primed() -> ModelState:
    return prime([Known(reviews) for reviews in papers(24)])


def any_shares(seed: int) -> np.ndarray:
    """Shares that use whatever may speak, in all regimes."""
    rng = np.random.default_rng(seed)
    bits = (np.arange(REGIMES)[:, None] >> np.arange(len(COMPONENTS) - 1)) & 1
    speak = np.concatenate([np.ones((REGIMES, 1)), bits], axis=1)
    table = speak * rng.uniform(0.05, 1.0, size=speak.shape)
    return table / table.sum(axis=1, keepdims=True)


def followed_by(coded: CodedWords, place: int, word: int) -> CodedWords:
    """The text up to a place, with a word there."""
    return CodedWords(
        coded.before[: place + 1],
        coded.last[: place + 1],
        np.append(coded.word[:place], word),
        coded.stance[: place + 1],
    )


def next_word(
    model: LexicalCache, coded: CodedWords, place: int, word: int, caches: tuple[Cache | None, ...]
) -> tuple[float, int]:
    """Probability of a word in a place, and the regime it was found in."""
    reference = ReferenceText(followed_by(coded, place, word), model.background, model.vocabulary)
    values, regime = components(reference, *caches)
    return float(model.state.shares[regime[-1]] @ values[:, -1]), int(regime[-1])


def total(
    model: LexicalCache,
    coded: CodedWords,
    place: int,
    caches: tuple[Cache | None, ...],
    read: set[int],
) -> tuple[float, int]:
    """Sum over the vocabulary and over all unseen words, of which `read` are known by name."""
    vocabulary = model.vocabulary
    known = [END, *range(len(MARKS), vocabulary.size)]
    found = [next_word(model, coded, place, word, caches) for word in known]
    strange = vocabulary.code(lines_of("zzyzx qwvk"))
    fresh = int(strange.word[0])
    letters = vocabulary.letters(np.array([fresh, *sorted(read)]))
    # Unseen words that nobody read have the same factor on the probability of their letters.
    factor = next_word(model, coded, place, fresh, caches)[0] / letters[0]
    named = [
        next_word(model, coded, place, word, caches)[0] - factor * share
        for word, share in zip(sorted(read), letters[1:], strict=True)
    ]
    assert len({regime for _, regime in found}) == 1, "a regime may not depend on the next word"
    return sum(one for one, _ in found) + factor + sum(named), found[0][1]


WORDS = (
    "graph",
    "node",
    "robot",
    "the",
    "reviewer",
    "appreciates",
    "small",
    "unheard",
    "xylo",
    "of",
)
LINES = st.lists(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join), min_size=1, max_size=4
).map("\n".join)


@settings(max_examples=25, deadline=None)
@given(
    reference=LINES,
    candidate=st.none() | LINES,
    synopsis=st.none() | LINES,
    seed=st.integers(0, 100),
    data=st.data(),
)
def test_the_next_words_sum_to_one_in_every_regime(
    reference: str, candidate: str | None, synopsis: str | None, seed: int, data: st.DataObject
) -> None:
    model = LexicalCache(replace(primed(), shares=any_shares(seed)))
    coded = model.vocabulary.code(lines_of(reference))
    place = data.draw(st.integers(0, len(coded) - 1))
    texts = [
        model.vocabulary.code(lines_of(text)) if text else None for text in (candidate, synopsis)
    ]
    persistence, content = model.state.persistence, model.state.content
    caches = tuple(
        None if text is None else Cache(text, persistence, content, model.vocabulary, model.kin)
        for text in texts
    )
    numbers = {
        int(one)
        for text in (coded, *texts)
        if text is not None
        for one in text.word
        if one >= model.vocabulary.size
    }
    assert total(model, coded, place, caches, numbers)[0] == pytest.approx(1.0, abs=1e-9)


def test_verbs_that_show_a_stance_sum_to_one_with_all_other_next_words() -> None:
    """None of them may be told by the stance that it alone will show."""
    state = primed()
    verbs = ("appreciates", "criticizes", "questions", "suggests")
    content = state.content.copy()
    content[[state.words.index(verb) + len(MARKS) for verb in verbs]] = True
    stances = np.full((len(STANCES), len(STANCES)), 0.2) + 4 * np.eye(len(STANCES))
    persistence = replace(state.persistence, stances=stances, excess=np.where(content, 0.3, 0.0))
    model = LexicalCache(
        replace(state, content=content, persistence=persistence, shares=any_shares(1))
    )
    read = model.vocabulary.code(lines_of("The reviewer suggests the robot.\nThe questions."))
    cache_ = Cache(read, persistence, content, model.vocabulary, model.kin)

    def next_word_of(text: str) -> float:
        coded = model.vocabulary.code(lines_of(text))
        return next_word(model, coded, 2, int(coded.word[2]), (cache_, None))[0]

    strange = model.vocabulary.code(lines_of("zzyzx")).word[:1]
    known = sum(next_word_of(f"The reviewer {word}") for word in ["", *model.vocabulary.words])
    unseen = next_word_of("The reviewer zzyzx") / model.vocabulary.letters(strange)[0]
    assert known + unseen == pytest.approx(1.0, abs=1e-9)


def test_regimes_of_real_texts_with_learned_shares_sum_to_one() -> None:
    model = LexicalCache(primed())
    persistence, content = model.state.persistence, model.state.content
    reviews = papers(6, seed=5)
    seen: set[int] = set()
    for group in reviews[:3]:
        coded = [model.vocabulary.code(lines_of(text)) for text in group]
        caches = [Cache(one, persistence, content, model.vocabulary, model.kin) for one in coded]
        numbers = {int(w) for one in coded for w in one.word if w >= model.vocabulary.size}
        for given_ in ((None, None), (caches[1], None), (None, caches[2]), (caches[1], caches[2])):
            for place in range(0, len(coded[0]), 7):
                value, regime = total(model, coded[0], place, given_, numbers)
                seen.add(regime)
                assert value == pytest.approx(1.0, abs=1e-9)
    assert len(seen) >= 12, "the texts do not reach enough regimes"


@settings(max_examples=30, deadline=None)
@given(reference=LINES, candidate=LINES)
def test_a_words_probability_depends_on_nothing_that_comes_after_it(
    reference: str, candidate: str
) -> None:
    """So the logarithms of the words add up to that of the text: the chain rule."""
    model = LexicalCache(replace(primed(), shares=any_shares(3)))
    coded = model.vocabulary.code(lines_of(reference))
    cache_ = Cache(
        model.vocabulary.code(lines_of(candidate)),
        model.state.persistence,
        model.state.content,
        model.vocabulary,
        model.kin,
    )
    whole, regimes = components(
        ReferenceText(coded, model.background, model.vocabulary), cache_, None
    )
    for place in range(len(coded)):
        part = followed_by(coded, place, int(coded.word[place]))
        values, regime = components(
            ReferenceText(part, model.background, model.vocabulary), cache_, None
        )
        assert regime[-1] == regimes[place]
        np.testing.assert_allclose(values[:, -1], whole[:, place], rtol=1e-12, atol=0)


def test_shares_of_every_regime_sum_to_one_and_silent_components_have_none() -> None:
    shares = primed().shares
    bits = (np.arange(REGIMES)[:, None] >> np.arange(len(COMPONENTS) - 1)) & 1
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, atol=1e-12)
    assert (shares[:, 1:][bits == 0] == 0).all()
    assert (shares >= 0).all()


def test_the_background_alone_sums_to_one_after_any_two_words() -> None:
    model = LexicalCache(primed())
    size = model.vocabulary.size
    rng = random.Random(0)
    words = np.arange(size)
    for _ in range(50):
        before, last = (np.full(size, rng.randrange(size)) for _ in range(2))
        probability, gate = model.background.probability(before, last, words)
        assert probability.sum() == pytest.approx(1.0, abs=1e-12)
        assert gate[0] == pytest.approx(probability[model.state.content].sum(), abs=1e-12)


def test_the_letters_of_a_word_and_its_end_are_steps_that_each_sum_to_one() -> None:
    spelling = WordSpelling.of(["node", "nodes", "edge", "a-b", "naïve"])
    steps = np.exp(np.array(spelling._logs))
    np.testing.assert_allclose(steps.sum(axis=-1), 1.0, atol=1e-12)
    others = 0x110000 - len(LETTERS)
    seven, accent = spelling.log_probability("7"), spelling.log_probability("é")
    assert accent < seven, "a character outside of the letters shares its step with all others"
    short = [spelling.log_probability(one) for one in ("", *LETTERS)]
    total_short = np.exp(short).sum() + others * np.exp(accent)
    assert 0 < total_short < 1, "longer words have the rest"


def test_unseen_words_share_what_words_of_the_vocabulary_do_not_take() -> None:
    vocabulary = LexicalCache(primed()).vocabulary
    taken = vocabulary.spelling.share_of(vocabulary.words)
    strange = vocabulary.code(lines_of("zzyzx"))
    expected = np.exp(vocabulary.spelling.log_probability("zzyzx")) / (1 - taken)
    assert vocabulary.letters(strange.word[:1])[0] == pytest.approx(expected, rel=1e-12)


def test_stop_words_are_those_of_scikit_learn() -> None:
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    assert FUNCTION_WORDS == ENGLISH_STOP_WORDS
