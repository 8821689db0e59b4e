"""The codebook's order of decisions, and the rubric's words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reviewscore.annotate.rubric import RELEVANCE, SCALES
from reviewscore.annotate.rules import Mark, course, outdated, refusal, wants_reason
from reviewscore.schema.annotation import LabelField
from tests.annotate.invented import ARGUMENT, CLAIM, FACTUALITY, QUESTION, TYPE, make_material

POINTS = make_material().points
NOTHING: frozenset[Mark] = frozenset()
SHOWN = frozenset({Mark.SHOWN})
CODEBOOK = Path(__file__).resolve().parents[2] / "annotations" / "codebook.md"


def test_the_type_comes_first() -> None:
    at = course(POINTS[ARGUMENT], {}, NOTHING)

    assert [(one.unit_id, one.field) for one in at.steps] == [(ARGUMENT, TYPE)]
    assert not at.done


def test_a_question_is_finished_with_its_unanswerability() -> None:
    kind = {(QUESTION, TYPE): "question"}

    assert course(POINTS[QUESTION], kind, NOTHING).current is not None
    assert course(
        POINTS[QUESTION], kind | {(QUESTION, LabelField.UNANSWERABILITY): 1}, NOTHING
    ).done


def test_the_whole_argument_is_labelled_before_the_reconstruction_is_shown() -> None:
    labels = {(ARGUMENT, TYPE): "argument"}

    assert not course(POINTS[ARGUMENT], labels, NOTHING).may_show
    at = course(POINTS[ARGUMENT], labels | {(ARGUMENT, FACTUALITY): 2}, NOTHING)
    assert at.may_show
    assert not at.shown
    assert not at.done
    key = (ARGUMENT, LabelField.FAITHFULNESS)
    assert "another decision comes first" in refusal(POINTS[ARGUMENT], labels, NOTHING, key, 5)


def test_what_was_decided_before_the_reconstruction_stays() -> None:
    labels = {(ARGUMENT, TYPE): "argument", (ARGUMENT, FACTUALITY): 2}

    assert "stays" in refusal(POINTS[ARGUMENT], labels, SHOWN, (ARGUMENT, FACTUALITY), 4)
    assert "stays" in refusal(POINTS[ARGUMENT], labels, SHOWN, (ARGUMENT, TYPE), "claim")
    assert refusal(POINTS[ARGUMENT], labels, SHOWN, (ARGUMENT, FACTUALITY), 2) == ""


@pytest.mark.parametrize(("faithful", "asked"), [(1, 0), (3, 0), (4, 6), (5, 6)])
def test_premises_are_labelled_only_of_faithful_reconstructions(faithful: int, asked: int) -> None:
    labels = {
        (ARGUMENT, TYPE): "argument",
        (ARGUMENT, FACTUALITY): 2,
        (ARGUMENT, LabelField.FAITHFULNESS): faithful,
    }

    at = course(POINTS[ARGUMENT], labels, SHOWN)

    assert sum("/" in one.unit_id for one in at.steps) == asked
    assert at.passed_over is (asked == 0)
    assert at.done is (asked == 0)


def test_an_argument_without_a_reconstruction_ends_with_its_factuality() -> None:
    assert course(POINTS[CLAIM], {(CLAIM, TYPE): "argument", (CLAIM, FACTUALITY): 5}, NOTHING).done


def test_another_type_makes_labels_of_the_old_one_pointless() -> None:
    labels = {(QUESTION, TYPE): "claim", (QUESTION, LabelField.UNANSWERABILITY): 1}

    assert outdated(POINTS[QUESTION], labels, NOTHING) == [(QUESTION, LabelField.UNANSWERABILITY)]


def test_a_skipped_point_is_finished_and_takes_no_label() -> None:
    skipped = frozenset({Mark.SKIPPED})

    assert course(POINTS[CLAIM], {}, skipped).done
    assert "skipped" in refusal(POINTS[CLAIM], {}, skipped, (CLAIM, TYPE), "claim")


@pytest.mark.parametrize("value", [0, 6, "3", "question", True])
def test_values_off_the_scale_are_refused(value: int | str) -> None:
    labels = {(CLAIM, TYPE): "claim"}

    if value is True:
        value = "true"
    assert "scale" in refusal(POINTS[CLAIM], labels, NOTHING, (CLAIM, FACTUALITY), value)


def test_ones_and_twos_want_a_reason() -> None:
    assert wants_reason(FACTUALITY, 2, " ")
    assert not wants_reason(FACTUALITY, 2, "Section 4.")
    assert not wants_reason(FACTUALITY, 3, None)
    assert not wants_reason(LabelField.UNTRIVIALNESS, 1, None)


def test_the_rubric_says_what_the_codebook_says() -> None:
    def plain(text: str) -> str:
        return re.sub(r"[\s|:`]+", " ", text).lower().replace("“", '"').replace("”", '"')

    book = plain(CODEBOOK.read_text("utf-8"))
    for scale in SCALES.values():
        for one in scale.choices:
            for words in plain(one.meaning).split(" the question is unclear")[:1]:
                assert words in book, one
            assert plain(one.example) in book, one
    for one in RELEVANCE:
        assert plain(one.meaning) in book
