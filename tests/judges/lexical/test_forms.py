"""Forms of review sentences and types of review points."""

from __future__ import annotations

import pytest

from reviewscore.judges.lexical.forms import (
    QuestionForm,
    clauses_of,
    form_of,
    is_interrogative,
    main_clause,
    sentences_of,
)
from reviewscore.judges.lexical.remarks import type_of
from reviewscore.schema.review import PointType


@pytest.mark.parametrize(
    ("sentence", "form"),
    [
        ("There is no ablation study.", QuestionForm.CATEGORICAL_DENIAL),
        ("The authors do not report the learning rate.", QuestionForm.CATEGORICAL_DENIAL),
        ("Error bars are missing.", QuestionForm.CATEGORICAL_DENIAL),
        ("The paper does not sufficiently discuss rain.", QuestionForm.HEDGED_DENIAL),
        ("Limited discussion of rain.", QuestionForm.HEDGED_DENIAL),
        ("Lack of comparison to other frog counters.", QuestionForm.HEDGED_DENIAL),
        ("Which optimizer is used?", QuestionForm.FACTUAL_QUESTION),
        ("How sensitive is the counter to the window length?", QuestionForm.FACTUAL_QUESTION),
        ("Can the authors clarify how the windows are chosen?", QuestionForm.FACTUAL_QUESTION),
        ("Can you provide an ablation study?", QuestionForm.FACTUAL_QUESTION),
        ("Can the authors clarify the role of the windows?", QuestionForm.REQUEST),
        ("Why was a convolutional network chosen?", QuestionForm.REQUEST),
        ("Can the authors add more ponds?", QuestionForm.DEGREE),
        ("How might the counter be extended to toads?", QuestionForm.HYPOTHETICAL),
        ("The counter may fail for toads.", QuestionForm.HYPOTHETICAL),
        ("The authors should compare with toad counters.", QuestionForm.SUGGESTION),
        ("The paper would benefit from a larger study.", QuestionForm.SUGGESTION),
        ("The writing is hard to follow.", QuestionForm.QUALITY),
        ("The novelty is limited.", QuestionForm.QUALITY),
        ("The title is a bit too playful for my taste.", QuestionForm.QUALITY),
        ("The gains are modest.", QuestionForm.DEGREE),
        ("The counter uses two microphones.", QuestionForm.ASSERTION),
    ],
)
def test_a_sentence_has_the_form_a_reader_gives_it(sentence: str, form: QuestionForm) -> None:
    assert form == form_of(sentence)


@pytest.mark.parametrize(
    "text",
    [
        "How many frogs were recorded?",
        "I wonder whether rain matters.",
        "Please clarify what a call is.",
        "The setup is odd. Is the pond heated?",
        "Could authors comment on this.",
        "- What is the window length?",
    ],
)
def test_what_asks_is_a_question(text: str) -> None:
    assert type_of(text) is PointType.QUESTION


@pytest.mark.parametrize(
    "text",
    [
        "The heading 'Why do frogs call?' is not answered by the section.",
        "The work “Do Frogs Dream?” is not cited.",
        "Do Loud Frogs Always Live Longer? A Study of Ponds is missing from the references.",
        "The baseline is weak.",
    ],
)
def test_a_question_mark_in_a_quote_or_title_asks_nothing(text: str) -> None:
    assert type_of(text) is not PointType.QUESTION


@pytest.mark.parametrize(
    "text",
    [
        "The counts are unreliable because only two biologists checked them.",
        "The recordings are short, which makes the counts unreliable.",
        "Since the ponds lie close together, the counts are not independent.",
        "The counts are unreliable. Two biologists checked four nights only.",
    ],
)
def test_a_weakness_with_a_reason_is_an_argument(text: str) -> None:
    assert type_of(text) is PointType.ARGUMENT


@pytest.mark.parametrize(
    "text",
    ["No discussion of limitations such as the weather.", "The counter is slow.", "Weak."],
)
def test_a_weakness_without_a_reason_is_a_claim(text: str) -> None:
    assert type_of(text) is PointType.CLAIM


@pytest.mark.parametrize(
    "first",
    ["See Fig. 3 for it.", "See eq. 3.", "See Def. 3.", "Smith et. al. 2019 agree.", "We vary k."],
)
def test_sentences_of_a_point_are_those_of_texts_without_marks(first: str) -> None:
    assert (first, "They are small.") == sentences_of(f"1) *{first}* They are small.")


def test_the_question_of_a_point_is_looked_up_before_its_statements() -> None:
    clause = main_clause(clauses_of("There is no map. Which ponds were used?"))

    assert clause is not None
    assert clause.text == "Which ponds were used?"


def test_a_text_without_letters_has_no_main_clause() -> None:
    assert main_clause(clauses_of("...")) is None


def test_marks_for_missing_numbers_ask_nothing() -> None:
    assert not is_interrogative("Equation (?) is wrong.")
