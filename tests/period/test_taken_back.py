"""What a reviewer takes back in later text is seen; what only sounds like it is not."""

from __future__ import annotations

import pytest

from reviewscore.period.taken_back import taken_back, takes_back


@pytest.mark.parametrize(
    "sentence",
    [
        "The rebuttal resolved my second concern.",
        "My concern about the baseline has been addressed.",
        "I withdraw this point.",
        "I hereby retract my comment on Theorem 2.",
        "The authors have clarified my question on the learning rate.",
        "W2 is now fully resolved.",
        "Although Q3 has been answered, the experiments remain weak.",
        "The additional experiments address my concerns.",
        "This fully resolves my concern.",
        "This is no longer a concern.",
        "I stand corrected on the proof.",
        "I misread Table 3.",
        "Thanks for the reply, which resolved my question on Table 2.",
        "The response cleared up my doubts about the data split.",
    ],
)
def test_what_is_taken_back_is_seen(sentence: str) -> None:
    assert takes_back(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "My concern has not been resolved.",
        "My concern hasn't been addressed.",
        "The rebuttal did not address my main concern.",
        "None of my questions were answered.",
        "The authors claim that this concern has been addressed.",
        "If this concern is addressed I will raise my score.",
        "My concerns were only partially addressed.",
        "I would raise my score once the questions are answered.",
        "The issue has been addressed in prior work.",
        "This concern needs to be addressed.",
        "It is unclear whether W2 has been resolved.",
        "Has my question been answered?",
        "My concerns remain unresolved.",
        "I cannot withdraw this point.",
        "I do not withdraw my comment.",
        "I keep my score.",
        "The paper addresses an important question.",
        "This work addresses the question of fairness.",
    ],
)
def test_what_is_denied_wished_or_claimed_by_others_is_not(sentence: str) -> None:
    assert not takes_back(sentence)


def test_only_later_text_counts_and_its_place_is_told() -> None:
    words = "The proof is wrong. W1 has been resolved."
    fields = {"weaknesses": words, "final_justification": f"Thanks. {words}"}

    ((text, span),) = taken_back(fields)

    assert text == "W1 has been resolved."
    assert fields[span.field][span.start : span.end] == text
    assert span.field == "final_justification"


def test_text_below_a_heading_of_the_discussion_is_later_text() -> None:
    text = "My concern is resolved by Lemma 1.\n\n**After rebuttal:**\nI withdraw W2."

    assert [words for words, _ in taken_back({"review": text})] == ["I withdraw W2."]


def test_of_an_edited_review_only_sentences_that_are_new_count() -> None:
    before = {"weaknesses": "I misread nothing. My question has been answered by Table 2."}
    after = {"weaknesses": f"{before['weaknesses']} UPDATE: I withdraw this point."}

    assert [text for text, _ in taken_back(after, before)] == ["UPDATE: I withdraw this point."]
    assert [*taken_back(before, before)] == []
