"""Arguments taken apart by rule and put together by a template."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewscore.judges.lexical.argument import conclusion_and_reasons, templated_draft
from reviewscore.logic.validity import prove
from reviewscore.schema.argument import Draft, Extraction
from reviewscore.schema.proof import Validity


@pytest.mark.parametrize(
    ("text", "conclusion", "reasons"),
    [
        (
            "The counts are unreliable because only two biologists checked them.",
            "The counts are unreliable",
            ("only two biologists checked them",),
        ),
        (
            "Since the ponds lie close together, the counts are not independent.",
            "the counts are not independent",
            ("the ponds lie close together",),
        ),
        (
            "The recordings are very short, therefore rare frogs are missed.",
            "rare frogs are missed",
            ("The recordings are very short",),
        ),
        (
            "The study covers four ponds, which limits what it can show.",
            "which limits what it can show",
            ("The study covers four ponds",),
        ),
        (
            "The counts are unreliable. Two biologists checked them. Both were tired that night.",
            "The counts are unreliable",
            ("Two biologists checked them", "Both were tired that night"),
        ),
        (
            "Two biologists checked the counts. Both were tired. Thus the counts are unreliable.",
            "the counts are unreliable",
            ("Two biologists checked the counts", "Both were tired"),
        ),
        (
            "The counter ignores weather such as rain.",
            "The counter ignores weather such as rain",
            (),
        ),
        (
            "The novelty of 2019 has passed since 2020.",
            "The novelty of 2019 has passed since 2020",
            (),
        ),
        ("", "", ()),
    ],
)
def test_conclusion_and_reasons_are_parted_at_their_markers(
    text: str, conclusion: str, reasons: tuple[str, ...]
) -> None:
    assert (conclusion, reasons) == conclusion_and_reasons(text)


def proof_of(draft: Draft) -> tuple[Validity, bool]:
    """Validity and circularity of a draft."""
    formulas = {premise.premise_id: premise.formula for premise in draft.premises}
    proof = prove(formulas, draft.conclusion_formula, keys=draft.keys)
    return proof.validity, proof.circular


@pytest.mark.parametrize("count", [1, 2, 6])
def test_a_templated_argument_with_reasons_is_valid_and_not_circular(count: int) -> None:
    reasons = tuple(f"reason number {number} holds" for number in range(count))

    draft = templated_draft(Extraction(conclusion="It fails", reasons=reasons))

    assert proof_of(draft) == (Validity.VALID, False)
    assert [premise.explicit for premise in draft.premises] == [True] * count + [False]


def test_a_weakness_without_reasons_makes_a_circular_argument() -> None:
    draft = templated_draft(Extraction(conclusion="It fails", reasons=()))

    assert proof_of(draft)[1]


_SAMPLE = "the counts are wrong because so rain falls, which makes it. Thus frogs - hide? As the"
_WORDS = _SAMPLE.split()


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(_WORDS), max_size=25).map(" ".join))
def test_every_piece_of_an_argument_is_verbatim(text: str) -> None:
    conclusion, reasons = conclusion_and_reasons(text)

    for piece in (conclusion, *reasons):
        assert piece in text
