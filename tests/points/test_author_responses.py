"""What of the authors' response answers which point: by quotes, by numbers, by words, or not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reviewscore.points.responses import Alignment, align_response
from reviewscore.points.split import split_review
from reviewscore.schema.author_answer import (
    AlignmentCertainty,
    AlignmentMethod,
    AnswerStance,
    AuthorAnswer,
)
from reviewscore.schema.review import Review

WEAKNESSES = (
    "1. The gain over persistence may be chance, since a single seed was used.\n"
    "2. No comparison with Kalman filters is made.\n"
    "3. All twelve harbours lie in Norway, so nothing is known of warm seas."
)
QUESTIONS = "- Which learning rate was used?\n- How long does training take on a graphics card?"
SEED, KALMAN, NORWAY, RATE, CARD = (f"r#{number}" for number in range(1, 6))


def aligned(
    response: str | None, weaknesses: str = WEAKNESSES, questions: str = QUESTIONS
) -> Alignment:
    fields = {"weaknesses": weaknesses, "questions": questions}
    review = Review(review_id="r", paper_id="p", fields=fields, author_response=response)
    points = split_review(review)
    alignment = align_response(review, points)
    numbered = {point.point_id: f"r#{point.number}" for point in points}
    named = {numbered[name]: answers for name, answers in alignment.answers.items()}
    return replace(alignment, answers=named)


def answers(response: str, **fields: str) -> dict[str, tuple[AuthorAnswer, ...]]:
    return aligned(response, **fields).answers


def rest(response: str, **fields: str) -> list[str]:
    return [response[span.start : span.end] for span in aligned(response, **fields).unaligned]


@pytest.mark.parametrize(
    ("head", "point"),
    [
        ("W1: ", SEED),
        ("**W3.** ", NORWAY),
        ("[W2] ", KALMAN),
        ("Weakness 3: ", NORWAY),
        ("Response to W2: ", KALMAN),
        ("Re: weakness 1. ", SEED),
        ("### W2\n\n", KALMAN),
        ("Q2) ", CARD),
        ("Question 1 - ", RATE),
        ("Regarding the first question, ", RATE),
        ("The second question: ", CARD),
    ],
)
def test_a_paragraph_that_names_a_label_or_number_answers_that_point(head: str, point: str) -> None:
    words = {SEED: "seed", KALMAN: "filters", NORWAY: "seas", RATE: "rate", CARD: "training"}

    found = answers(f"We are glad of the review.\n\n{head}more is said on the {words[point]}.\n")

    assert list(found) == [point]
    assert found[point][0].method is AlignmentMethod.NUMBER


def test_two_labels_in_one_head_name_two_points() -> None:
    found = answers("W1 and W2: Both the seed and the Kalman filters are in Table 4.")

    assert list(found) == [SEED, KALMAN]


def test_labels_of_the_reviewers_own_are_surer_than_counted_entries() -> None:
    own = answers("W1: It was five.", weaknesses="W1: One seed was used.\nW2: It is long.")
    counted = answers("W1: It was five seeds.", weaknesses="- One seed was used.\n- It is long.")

    assert own[SEED][0].certainty is AlignmentCertainty.SURE
    assert counted[SEED][0].certainty is AlignmentCertainty.LIKELY


def test_a_counted_entry_that_shares_no_word_with_the_answer_is_not_taken() -> None:
    response = "Q1: The bibliography is sorted by year."

    assert answers(response) == {}
    assert rest(response) == [response]


def test_a_bare_number_that_two_lists_have_is_settled_by_words_or_not_at_all() -> None:
    lists = {"weaknesses": "1. One seed was used.", "questions": "1. Which learning rate was it?"}

    assert list(answers("1. The learning rate was 0.003, see Table 2.", **lists)) == ["r#2"]
    assert answers("1. We thank you and will mend this.", **lists) == {}


def test_a_heading_says_which_list_the_numbers_are_of() -> None:
    lists = {"weaknesses": "1. One seed was used.", "questions": "1. Which rate was it?"}

    found = answers("**Questions**\n\n1. It was 0.003 rather than 0.03.", **lists)

    assert list(found) == ["r#2"]


@pytest.mark.parametrize(
    "quoted",
    [
        "> No comparison with Kalman filters is made.",
        '"No comparison with Kalman filters is made."',
        "**Comment: no comparison with Kalman filters is made**",
        "“.. comparison with Kalman filters is made”:",
    ],
)
def test_what_follows_repeated_words_answers_their_point(quoted: str) -> None:
    response = f"{quoted}\n\nTable 7 holds it.\n\nIts second row is the one.\n\n> Which learning "
    response += "rate was used?\n\nIt was 0.003."

    found = answers(response)

    (answer,) = found[KALMAN]
    assert answer.text == "Table 7 holds it.\n\nIts second row is the one."
    assert (answer.method, answer.certainty) == (AlignmentMethod.QUOTE, AlignmentCertainty.SURE)
    assert [one.text for one in found[RATE]] == ["It was 0.003."]
    assert rest(response) == []


def test_repeated_words_count_before_a_number_of_the_authors_own() -> None:
    found = answers(
        "Q1: All twelve harbours lie in Norway, so nothing is known of warm seas.\n\nSo."
    )

    assert list(found) == [NORWAY]


def test_shared_words_align_what_names_nothing_and_say_so() -> None:
    found = answers("Training takes three hours on a graphics card of the usual kind.")

    (answer,) = found[CARD]
    assert answer.method is AlignmentMethod.RETRIEVAL
    assert "graphic" in answer.basis


@pytest.mark.parametrize(
    "paragraph",
    [
        "We thank the reviewer for the careful reading of our paper.",
        "We also sorted the bibliography by year.",
        "The seed and the filters and the harbours are all of interest.",
        "Dear reviewer,",
        "We hope that this settles everything.",
    ],
)
def test_nothing_is_forced(paragraph: str) -> None:
    assert answers(paragraph) == {}
    assert rest(paragraph) == [paragraph]


def test_a_last_paragraph_on_something_else_is_not_drawn_to_the_point_before() -> None:
    last = "We also sorted the bibliography by year."

    assert rest(f"W1: The gain is no chance.\n\nQ2: Training takes an hour.\n\n{last}") == [last]


def test_sentences_of_a_dense_paragraph_are_aligned_singly_and_the_others_listed() -> None:
    response = (
        "Five was the seed. The gain over persistence is no chance with any seed. Gulls are nice. "
        "Training takes an hour on a graphics card. A comparison with Kalman filters is shown."
    )

    found = answers(response)

    assert [one.text for one in found[CARD]] == ["Training takes an hour on a graphics card."]
    assert {one.certainty for made in found.values() for one in made} == {
        AlignmentCertainty.POSSIBLE
    }
    assert "Gulls are nice." in rest(response)


def test_a_number_that_a_list_uses_twice_is_settled_by_words() -> None:
    twice = "1. One seed was used.\n\n2. No filter is shown.\n\n1. Axis labels lack their units."

    found = answers("W1: The units are added, and the axis has labels.", weaknesses=twice)

    assert list(found) == ["r#3"]


def test_parts_of_an_answer_are_no_numbers_of_points() -> None:
    response = "W1: There are two reasons.\n\n(a) The gain is large.\n\n(b) The spread is small."

    found = answers(response)

    assert list(found) == [SEED]
    assert found[SEED][0].text == response


def test_a_list_of_references_answers_nothing_and_hides_nothing() -> None:
    response = (
        "W1: The gain stands.\n\nReferences:\n1. A. Gull. Tides by hand. 2019.\n"
        "2. B. Tern. No comparison with Kalman filters is made. 2020.\n\n"
        "W2: The filters are compared.\n\nQ1: The learning rate was small."
    )

    found = answers(response)

    assert list(found) == [SEED, KALMAN, RATE]
    assert "Gull" not in "".join(one.text for made in found.values() for one in made)


@pytest.mark.parametrize(
    ("words", "stance"),
    [
        ("We respectfully disagree.", AnswerStance.CONTESTS),
        ("We do not agree with this.", AnswerStance.CONTESTS),
        ("This is not correct: five seeds were used.", AnswerStance.CONTESTS),
        ("There seems to be a misunderstanding.", AnswerStance.CONTESTS),
        ("The paper already reports five seeds.", AnswerStance.CONTESTS),
        ("Contrary to the reviewer's claim, five seeds were used.", AnswerStance.CONTESTS),
        ("We have added a table to the appendix.", AnswerStance.CHANGED),
        ("A table has been added.", AnswerStance.CHANGED),
        ("We respectfully disagree, but we revised the text.", AnswerStance.CONTESTS),
        ("The paper already had it, and we clarified the text.", AnswerStance.CHANGED),
        ("We will add a table to the appendix.", AnswerStance.ANSWERS),
        ("If wanted, we have added it to the appendix.", AnswerStance.ANSWERS),
        ("We agree that this is not correct.", AnswerStance.ANSWERS),
        ("We do not disagree.", AnswerStance.ANSWERS),
        ("Is this not correct?", AnswerStance.ANSWERS),
        ("To avoid misunderstandings, five seeds were used.", AnswerStance.ANSWERS),
        ("Five seeds were used.", AnswerStance.ANSWERS),
    ],
)
def test_what_authors_say_of_a_point_is_read_off_plain_cues(
    words: str, stance: AnswerStance
) -> None:
    (answer,) = answers(f"W1: Thank you. {words} That is all.")[SEED]

    assert answer.stance is stance


def test_words_of_the_reviewer_are_no_cue_of_the_authors() -> None:
    weakness = "1. The claim is not correct, since we disagree with all that it rests on."

    (answer,) = answers(
        "W1: The claim is not correct, since we disagree with all that it rests on. It stands.",
        weaknesses=weakness,
    )[SEED]

    assert answer.stance is AnswerStance.ANSWERS
    assert answer.cue == "It stands."


def test_a_short_sentence_with_a_cue_is_shown_with_the_next() -> None:
    (answer,) = answers("W1: We disagree. Five seeds were used in Table 2. More follows.")[SEED]

    assert answer.cue == "We disagree. Five seeds were used in Table 2."


def test_a_review_without_a_response_or_points_has_nothing_aligned() -> None:
    review = Review(review_id="r", paper_id="p", fields={}, author_response="W1: So it is.")

    assert aligned(None) == Alignment({}, ())
    assert [*align_response(review, ()).unaligned] == [(0, 13)]


_PIECES = st.sampled_from(
    ["W1: ", "Q2. ", "> ", "- ", "(a) ", "1. ", "\n", "\n\n", "No comparison with Kalman filters",
     " is made. ", "We disagree. ", "References:", "|a|b|", "Thank you", "**", "\u202e", "\x00",
     "W1-W3 & 9 ", "Training takes a graphics card. "]
)  # fmt: skip


@example(
    "Training takes a graphics card. Q2. Training takes a graphics card. No comparison with "
    "Kalman filters"
)
@given(st.lists(_PIECES | st.text(max_size=8), max_size=24).map("".join))
def test_answers_are_stretches_of_any_response_and_never_overlap_what_is_left(
    response: str,
) -> None:
    found = aligned(response)

    every = [answer for made in found.answers.values() for answer in made]
    for answer in every:
        assert response[answer.start : answer.end] == answer.text
        assert answer.cue in answer.text
    for span in found.unaligned:
        assert not any(one.start < span.end and span.start < one.end for one in every)
