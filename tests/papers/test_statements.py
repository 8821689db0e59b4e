"""Where theorems, definitions and algorithms end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.papers.load import PaperRow, build_paper
from reviewscore.papers.places import (
    MOST_OF_A_STATEMENT,
    MOST_OF_AN_ALGORITHM,
    algorithm_end,
    statement_end,
    target,
)
from reviewscore.schema.paper import Paper
from reviewscore.schema.place import PlaceKind

TEXT = """# Mud

## 1 Bounds

Theorem 3.2. For any depth we have with high probability:

<!-- formula-not-decoded -->

where m is mud.

This theorem says that mud stays mud, whatever people do.

Definition 5 (Wet Mud) . Mud is wet if the following conditions are satisfied:

- (5.a) It is soft.
- (5.b) It is cold.

Among the kinds of mud, one is dry.

Lemma6. Mud sinks.

Theorem 7. Let mud be deep. Then

m = v r

Proof. By sinking.

Assumption 8. The mud is flat.

Mud is often flat.

## Algorithm 2 Mud counting

Input: mud, a spade

1:

2:

take

m

3: count all grains and end for

Here we explain the steps, which take long in any river.

## 2 More
"""


@pytest.fixture(scope="module")
def mud() -> Paper:
    return build_paper(PaperRow(paper_id="mud", text=TEXT))


@pytest.mark.parametrize(
    ("kind", "label", "begins", "ends"),
    [
        (PlaceKind.THEOREM, "3.2", "Theorem 3.2.", "where m is mud."),
        (PlaceKind.DEFINITION, "5", "Definition 5", "It is cold."),
        (PlaceKind.DEFINITION, "5.b", "Definition 5", "It is cold."),
        (PlaceKind.LEMMA, "6", "Lemma6.", "sinks."),
        (PlaceKind.THEOREM, "7", "Theorem 7.", "m = v r"),
        (PlaceKind.ASSUMPTION, "8", "Assumption 8.", "is flat."),
        (PlaceKind.ALGORITHM, "2", "## Algorithm 2", "end for"),
    ],
)
def test_a_statement_has_what_it_announces_and_no_prose_after_it(
    mud: Paper, kind: PlaceKind, label: str, begins: str, ends: str
) -> None:
    place = target(mud, kind, label)

    assert place is not None
    words = mud.text[place.start : place.end]
    assert words.startswith(begins)
    assert words.endswith(ends)


def test_a_column_that_names_an_equation_is_not_the_equation() -> None:
    text = "# Mud\n\n| depth | bound (4) |\n|---|---|\n| 1 | 2 |\n\n| m = v | (5) |\n"
    paper = build_paper(PaperRow(paper_id="mud", text=text))

    assert target(paper, PlaceKind.EQUATION, "4") is None
    assert target(paper, PlaceKind.EQUATION, "5") is not None


PARAGRAPH = st.sampled_from(
    [
        "we have:",
        "<!-- formula-not-decoded -->",
        "- (a) mud",
        "where it sinks",
        "Mud is mud, as all people know.",
        "## 2 More",
        "Proof. Clear.",
        "1: take mud",
        "x",
        "words " * 200,
    ]
)


@given(st.lists(PARAGRAPH, max_size=12))
def test_ends_are_bounded_and_stop_at_headings_and_proofs(paragraphs: list[str]) -> None:
    text = "\n\n".join(["Theorem 1. It holds that", *paragraphs])
    first = len("Theorem 1. It holds that")

    for end, most in (
        (statement_end(text, 0, first), MOST_OF_A_STATEMENT),
        (algorithm_end(text, 0, first), MOST_OF_AN_ALGORITHM),
    ):
        assert first <= end <= min(len(text), most)
        assert "## 2" not in text[:end]
        assert "Proof" not in text[:end]
