"""The codebook's order of decisions, and the rubric's words."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.annotate import rules
from reviewscore.annotate.rubric import RELEVANCE, SCALES, SUPPLIES, TRUE
from reviewscore.annotate.rules import (
    Codebook,
    Key,
    Mark,
    Value,
    stated_of,
    stated_text,
    wants_reason,
)
from reviewscore.schema.annotation import LabelField
from reviewscore.schema.marks import MarkedPassage
from reviewscore.schema.presupposition import LabelledPresupposition, Supplies
from tests.annotate.invented import ARGUMENT, CLAIM, FACTUALITY, QUESTION, TYPE, make_material

POINTS = make_material().points
NOTHING: frozenset[Mark] = frozenset()
SHOWN = frozenset({Mark.SHOWN})
SECOND = Codebook.SECOND
PASSAGE = MarkedPassage(start=0, end=4, sha256="0" * 64)
BOOKS = Path(__file__).resolve().parents[2] / "annotations"
course = partial(rules.course, codebook=Codebook.FIRST)
refusal = partial(rules.refusal, codebook=Codebook.FIRST)
outdated = partial(rules.outdated, codebook=Codebook.FIRST)


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


def fields_of(labels: dict[Key, Value], point: str = ARGUMENT) -> list[LabelField]:
    """What codebook 2 asks for now."""
    return [step.field for step in rules.course(POINTS[point], labels, NOTHING, SECOND).steps]


def test_codebook_2_asks_for_kind_then_score_and_standing_together() -> None:
    labels: dict[Key, Value] = {(ARGUMENT, TYPE): "argument"}
    kind, standing = (ARGUMENT, LabelField.KIND), (ARGUMENT, LabelField.STANDING)

    assert fields_of({}) == [TYPE]
    assert fields_of(labels) == [TYPE, LabelField.KIND]
    labels[kind] = "criticism"
    assert fields_of(labels) == [
        TYPE, LabelField.KIND, FACTUALITY, LabelField.STANDING, LabelField.PRESUPPOSITIONS,
    ]  # fmt: skip
    labels[ARGUMENT, FACTUALITY] = 2
    assert not rules.course(POINTS[ARGUMENT], labels, NOTHING, SECOND).may_show
    labels[standing] = 2
    at = rules.course(POINTS[ARGUMENT], labels, NOTHING, SECOND)
    assert at.may_show
    assert at.current is None  # presuppositions are optional
    shown = rules.course(POINTS[ARGUMENT], labels, SHOWN, SECOND)
    assert all(step.fixed for step in shown.steps[:5])
    why = rules.refusal(POINTS[ARGUMENT], labels, SHOWN, standing, 5, SECOND)
    assert "stays" in why


def test_what_is_no_point_is_finished_and_loses_its_scores() -> None:
    labels: dict[Key, Value] = {
        (CLAIM, TYPE): "claim", (CLAIM, LabelField.KIND): "none", (CLAIM, FACTUALITY): 4,
    }  # fmt: skip

    assert rules.course(POINTS[CLAIM], labels, NOTHING, SECOND).done
    assert rules.outdated(POINTS[CLAIM], labels, NOTHING, SECOND) == [(CLAIM, FACTUALITY)]


def test_the_first_codebook_asks_for_neither_kind_nor_standing() -> None:
    labels: dict[Key, Value] = {(CLAIM, TYPE): "claim", (CLAIM, FACTUALITY): 4}

    assert course(POINTS[CLAIM], labels, NOTHING).done
    key = CLAIM, LabelField.STANDING
    assert "another decision" in refusal(POINTS[CLAIM], labels, NOTHING, key, 3)


STATED = LabelledPresupposition(statement="There is no theory.", true=1, central=True)


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (stated_text([STATED]), ""),
        (stated_text([]), ""),
        (stated_text([STATED] * 5), "at most 4 presuppositions"),
        (stated_text([STATED.model_copy(update={"passages": (PASSAGE,) * 5})]), "at most 4 pass"),
        ("[{}]", "no presuppositions"),
        ("nonsense", "no presuppositions"),
        (3, "no presuppositions"),
    ],
)
def test_presuppositions_are_refused_unless_they_are_some(value: Value, why: str) -> None:
    labels: dict[Key, Value] = {(CLAIM, TYPE): "claim", (CLAIM, LabelField.KIND): "criticism"}
    key = CLAIM, LabelField.PRESUPPOSITIONS

    found = rules.refusal(POINTS[CLAIM], labels, NOTHING, key, value, SECOND)

    assert (why in found) if why else found == ""


@given(
    st.lists(
        st.builds(
            LabelledPresupposition,
            statement=st.text(min_size=1, max_size=40),
            true=st.one_of(st.integers(1, 5), st.just("not_visible")),
            supplies=st.one_of(st.none(), st.sampled_from(Supplies)),
            central=st.booleans(),
        ),
        max_size=4,
    )
)
def test_presuppositions_come_back_from_the_store_as_they_were(
    stated: list[LabelledPresupposition],
) -> None:
    assert stated_of(stated_text(stated)) == tuple(stated)


@pytest.mark.parametrize("codebook", list(Codebook))
def test_the_rubric_says_what_the_codebook_says(codebook: Codebook) -> None:
    def plain(text: str) -> str:
        return re.sub(r"[\s|:`(),.]+", " ", text).lower().replace("“", '"').replace("”", '"')

    files = ["codebook.md", "codebook-2.md"]  # the second replaces what it mentions
    text = "".join((BOOKS / name).read_text("utf-8") for name in files)
    if codebook is Codebook.FIRST:
        text = (BOOKS / files[0]).read_text("utf-8")
    book = plain(text)
    for field, scale in SCALES[codebook].items():
        if codebook is Codebook.FIRST and field in (LabelField.KIND, LabelField.STANDING):
            continue
        for one in scale.choices:
            for words in plain(one.meaning).split(" the question is unclear")[:1]:
                assert words.strip() in book, one
            assert plain(one.example).strip() in book, one
    for one in (*RELEVANCE, *(TRUE + SUPPLIES if codebook is Codebook.SECOND else ())):
        assert plain(one.meaning).strip() in book, one
