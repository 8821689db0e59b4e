"""Sentences are whole, stay in their section, and junk is marked."""

from __future__ import annotations

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
