"""Cues of single sentences: what adds a concern, asks anew, mends words or points elsewhere."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.points import stance, turns

Cue = Callable[[str], bool]


@pytest.mark.parametrize(
    ("cue", "sentence", "holds"),
    [
        (turns.adds_on, "Also, no seeds are given.", True),
        (turns.adds_on, "It is also unclear how the gate is trained.", True),
        (turns.adds_on, "More importantly, the router sees the label.", True),
        (turns.adds_on, "Could you also report the variance?", True),
        (turns.adds_on, "Similarly to earlier work, the gate is linear.", False),
        (turns.adds_on, "The gate is also linear.", False),
        (turns.adds_on, "To see the gain, it would be also good to use trees.", True),
        (turns.adds_on, "To see the gain, the gate also needs trees.", False),
        (turns.joins_on, "And no code is given.", True),
        (turns.joins_on, "And it is slow.", False),
        (turns.joins_on, "Android phones were used.", False),
        (turns.names_concern, "Another weakness is the data.", True),
        (turns.names_concern, "My second main concern is the data.", True),
        (turns.names_concern, "The second expert is idle.", False),
        (turns.names_concern, "Idle experts are another problem.", True),
        (turns.names_concern, "This is another problem of idle experts.", False),
        (turns.takes_up, "Regarding the proofs, Lemma 2 is missing.", True),
        (turns.takes_up, "On the other hand, the gate is linear.", False),
        (turns.counts_on, "Secondly, no seeds are given.", True),
        (turns.counts_first, "Secondly, no seeds are given.", False),
        (turns.counts_first, "First, no seeds are given.", True),
        (turns.is_numbered, "(2) No seeds are given.", True),
        (turns.is_title, "Marginal gain.", True),
        (turns.is_title, "No seeds are given.", False),
        (turns.leans_back, "For eg: the gate.", True),
        (turns.leans_back, "Doing so would make the gate faster.", True),
        (turns.leans_back, "The gate is slow.", False),
        (turns.points_back, "Why is that gate used?", True),
        (turns.stands_alone, "Which optimiser was used to train the gate?", True),
        (turns.stands_alone, "Why so?", False),
        (turns.asks_anew, "In Table 2, which optimiser was used to train?", True),
        (turns.asks_anew, "Was the gate trained with the same optimiser?", False),
        (turns.asks_anew, "Have they looked at the experts that are idle?", True),
        (stance.is_repair, "Line 3: 'teh' -> 'the'.", True),
        (stance.is_repair, "Line 3: 'teh' -> the", True),
        (stance.is_repair, "p. 4: in a case => in the case", True),
        (stance.is_repair, 'The word "the the" on page 2.', True),
        (stance.is_repair, "There is a typo in Eq. 3.", True),
        (stance.is_repair, "'Idle experts' => explain what is meant in full sentences.", False),
        (stance.is_repair, "The paper does not spell out the loss.", False),
        (stance.is_repair, "Is there a typo in Eq. 3?", False),
        (stance.is_pointer, "The questions are listed in the weaknesses above.", True),
        (stance.is_pointer, "The details are not given in the section below.", False),
        (stance.is_pointer, "Are the questions listed above?", False),
        (stance.is_announcement, "I have some questions about the router:", True),
        (stance.is_announcement, "I have some questions about how the router was trained.", False),
        (stance.tells_limits, "Limitations have been addressed.", True),
        (stance.tells_limits, "Discussed in Sec 6.", True),
        (stance.tells_limits, "The authors should discuss the limitations.", False),
        (stance.tells_limits, "The limitation of the router is severe.", False),
        (stance.is_grade, "Novelty: moderate", True),
        (stance.is_grade, "The novelty is moderate.", False),
        (stance.is_verdict, "Thus I lean towards rejection.", True),
        (stance.is_verdict, "The gate is below the threshold for speech.", True),
        (stance.is_verdict, "The gate is slow.", False),
        (stance.turns_or_denies, "The gain is good, though small.", True),
        (stance.turns_or_denies, "But the gain is good.", False),
        (stance.has_criticism, "Section 4 should say which trees are used.", True),
        (stance.has_criticism, "The experts are never named.", True),
        (stance.has_criticism, "There is no way to tell the experts apart.", True),
        (stance.has_criticism, "A suggestion for the router is to use trees.", True),
        (stance.has_criticism, "Few baselines are used.", True),
        (stance.has_criticism, "A few experiments use trees.", False),
        (stance.has_criticism, "The gain is mediocre.", True),
        (stance.has_criticism, "The router is way too slow.", True),
        (stance.has_criticism, "Another issue is the number of experts.", True),
        (stance.has_criticism, "The gate is trained with trees.", False),
        (stance.has_criticism, "The Router SHOULD say WHICH tree it takes.", True),
        (stance.is_summary, "This paper proposes a router.", True),
        (stance.is_summary, "This paper only proposes a router.", False),
    ],
)
def test_a_cue_tells_what_a_sentence_does(cue: Cue, sentence: str, holds: bool) -> None:
    assert cue(sentence) is holds


@pytest.mark.parametrize(
    ("lead", "holds"), [("Typos:", True), ("Some minor typos", True), ("Weaknesses", False)]
)
def test_a_remark_under_a_heading_for_typos_is_a_repair(lead: str, holds: bool) -> None:
    assert stance.is_repair("Eq. 3: x_i is x_j.", lead) is holds
    assert stance.is_repair("The gate is not defined.", lead) is False


def test_topics_of_a_sentence_are_the_qualities_that_it_names() -> None:
    assert turns.topics_of("The writing is hard to follow.") != turns.topics_of("No code is given.")
    assert turns.topics_of("The gate is slow.") == frozenset()


@pytest.mark.parametrize(
    ("before", "question", "apart"),
    [
        ("Which machine was used?", "Does the router help if every expert is a tree?", True),
        ("How is the router trained?", "Does the router help if every expert is a tree?", False),
        ("Which machine was used?", "Does it help if every expert is a tree?", False),
        ("What is meant by idle?", "the experts that the router never picks at all?", False),
    ],
)
def test_a_question_of_yes_or_no_is_apart_if_it_shares_no_word(
    before: str, question: str, apart: bool
) -> None:
    assert turns.asks_apart(question, before) is apart


@pytest.mark.parametrize(
    ("question", "holds"),
    [
        ("How many seeds were used?", True),
        ("How many experts were used?", False),
        ("Were other seeds used?", False),
        ("How are they used in Table 2?", False),
        ("Why two?", False),
    ],
)
def test_a_question_of_which_nothing_was_said_asks_something_else(
    question: str, holds: bool
) -> None:
    said = set(turns.content("Please name the experts."))

    assert turns.asks_else(question, said) is holds


def test_a_wish_is_a_request() -> None:
    assert turns.requests("The variance should be reported.")
    assert not turns.requests("The variance is not reported.")


@given(st.text(max_size=300))
def test_every_cue_answers_for_any_text(text: str) -> None:
    cues: list[Cue] = [
        turns.adds_on,
        turns.asks_anew,
        turns.joins_on,
        turns.names_concern,
        stance.is_announcement,
        stance.is_pointer,
        stance.is_repair,
        stance.tells_limits,
    ]

    assert {type(cue(text)) for cue in cues} == {bool}
