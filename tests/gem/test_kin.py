"""Words of one stem."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.gem.lexical.caches import Kin, stems_of
from reviewscore.gem.lexical.words import MARKS

WORDS = ["model", "modeling", "models", "graph", "graphs", "of", "zebra"]
CONTENT = np.array([False] * len(MARKS) + [True, True, True, True, True, False, True])


def number(word: str) -> int:
    return WORDS.index(word) + len(MARKS)


def kin() -> Kin:
    return Kin(stems_of(WORDS), CONTENT)


def test_words_of_a_stem_have_one_number_and_marks_have_none_of_them() -> None:
    stems = stems_of(WORDS)
    assert stems[number("model")] == stems[number("models")]
    assert stems[number("graph")] == stems[number("graphs")] != stems[number("zebra")]
    assert not set(stems[: len(MARKS)]) & set(stems[len(MARKS) :])


def test_kin_share_a_part_of_what_the_word_claims() -> None:
    words, mass = kin().joined(np.array([number("graph")]), np.array([[1.0, 2.0]]))

    assert words.tolist() == [number("graph"), number("graphs")]
    np.testing.assert_allclose(mass, [[1.0, 2.0], [0.15, 0.3]])


def test_kin_that_were_read_themselves_claim_for_themselves_alone() -> None:
    read = np.array([number("model"), number("models")])
    words, mass = kin().joined(read, np.array([[1.0], [3.0]]))

    assert words.tolist() == [number(one) for one in WORDS[:3]]
    np.testing.assert_allclose(mass[:, 0], [1.0, (1.0 + 3.0) * 0.15 / 2, 3.0])


def test_words_without_kin_and_unseen_ones_stay_as_they_are() -> None:
    read = np.array([number("zebra"), 5_000])
    words, mass = kin().joined(read, np.array([[1.0], [2.0]]))

    assert words.tolist() == read.tolist()
    assert mass.tolist() == [[1.0], [2.0]]


@given(st.sets(st.sampled_from([number(one) for one in WORDS if one != "of"])))
def test_claims_grow_by_the_share_of_kin_at_most(read: set[int]) -> None:
    words = np.array(sorted(read), dtype=np.int64)
    mass = np.ones((len(words), 1))
    found, claimed = kin().joined(words, mass)

    assert set(words) <= set(found)
    assert (np.diff(found) > 0).all()
    assert mass.sum() <= claimed.sum() <= 1.15 * mass.sum() + 1e-12
