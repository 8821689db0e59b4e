"""Sentences are whole, stay in their section, and junk is marked."""

from __future__ import annotations

from reviewscore.papers.load import PaperRow, build_paper
from reviewscore.papers.sections import find_sections
from reviewscore.papers.sentences import SentenceKind, sentences
from reviewscore.schema.paper import Paper

TEXT = (
    "1 INTRODUCTION\n\nMiller et al. (2020) light lamps, e.g. those of Fig. 3, as in Eq. (2). We\n"
    "do not light them at all in this work.\n\nFigure 3: The lamps of the study.\n\n"
    "|Lamp|Warmth|\n|---|---|\n\nLamp 12.5 13.1 14.2 15.9\n\nepoch\n\nx = y + z ≥ 0\n\n"
    "2 METHOD\n\nWe burn every lamp for a day and then we look at it.\n"
)
PAPER = Paper(paper_id="p", title="t", text=TEXT, sections=find_sections(TEXT))


def of(kind: SentenceKind) -> list[str]:
    return [unit.text for unit in sentences(PAPER) if unit.kind is kind]


def test_abbreviations_do_not_end_a_sentence() -> None:
    assert of(SentenceKind.SENTENCE) == [
        "Miller et al. (2020) light lamps, e.g. those of Fig. 3, as in Eq. (2).",
        "We do not light them at all in this work.",
        "We burn every lamp for a day and then we look at it.",
    ]


def test_captions_tables_and_noise_are_told_apart() -> None:
    assert of(SentenceKind.CAPTION) == ["Figure 3: The lamps of the study."]
    assert "Lamp 12.5 13.1 14.2 15.9" in of(SentenceKind.TABLE)
    assert {"epoch", "x = y + z ≥ 0"} <= set(of(SentenceKind.NOISE))
    assert of(SentenceKind.HEADING) == ["1 INTRODUCTION", "2 METHOD"]


def test_offsets_point_at_the_papers_own_text() -> None:
    for unit in sentences(PAPER):
        assert " ".join(TEXT[unit.start : unit.end].split()) == unit.text
        assert unit.section is not None
        assert unit.section.start <= unit.start < unit.end <= unit.section.end


def test_a_decimal_that_is_spaced_out_ends_no_sentence() -> None:
    paper = build_paper(
        PaperRow(
            paper_id="p",
            text="It rises to 76 . 5% on both coasts, by a margin of 3 . 3 points. Then it falls.",
        )
    )

    assert [one.text for one in sentences(paper)] == [
        "It rises to 76 . 5% on both coasts, by a margin of 3 . 3 points.",
        "Then it falls.",
    ]


def test_a_row_of_a_table_and_the_paragraph_below_it_are_two_units() -> None:
    row = "| A lamp with a very long name that fills the line | 0.5 | 0.8 | 0.95 |"
    paper = build_paper(
        PaperRow(paper_id="p", text=f"{row}\n\nnearly matching the lamps of the other harbour.")
    )

    assert [one.text for one in sentences(paper)] == [
        row,
        "nearly matching the lamps of the other harbour.",
    ]
