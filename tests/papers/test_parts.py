"""Judges see the parts of a paper that were asked for, at their own places."""

from __future__ import annotations

import pytest

from reviewscore.papers.parts import Parts, cut_from, shown
from reviewscore.papers.quality import badly_read, quality
from reviewscore.papers.quotes import find_quote
from reviewscore.papers.rows import PaperRow, build_paper
from reviewscore.schema.paper import Paper
from tests.conftest import PAPER


def read_from(source: str) -> Paper:
    text = PAPER + "\nA Details\nThe frogs were green and numbered by hand.\n"
    paper = build_paper(PaperRow(paper_id="frogs", text=text), source=source)
    return paper.model_copy(update={"pages": (0, 400, len(PAPER) + 2)})


@pytest.mark.parametrize(
    ("source", "parts", "whole"),
    [
        ("pdf", "auto", False),
        ("tei", "auto", False),
        ("jsonl", "auto", True),
        ("text", "main", False),
        ("pdf", "all", True),
    ],
)
def test_references_and_appendix_are_cut_where_asked(
    source: str, parts: Parts, whole: bool
) -> None:
    paper = read_from(source)

    seen = shown(paper, parts)

    assert (seen.text == paper.text) == whole
    assert ("Listening to ponds" in seen.text) == whole
    assert ("numbered by hand" in seen.text) == whole
    assert "heavy rain" in seen.text
    assert paper.text.startswith(seen.text)
    assert seen.sections[-1].end == len(seen.text)
    assert len(seen.pages) == (3 if whole else 2)


def test_offsets_of_what_is_seen_are_those_of_the_paper() -> None:
    paper = read_from("pdf")

    quote = find_quote(shown(paper, "main"), "Our counter fails in heavy rain")

    assert quote == find_quote(paper, "Our counter fails in heavy rain")
    assert quote.page == 2


def test_a_paper_without_such_parts_stays_whole(paper: Paper) -> None:
    text = "References\n\nA. Frogman. Listening to ponds. 2019.\n"
    only = build_paper(PaperRow(paper_id="p", text=text))

    assert cut_from(only) is None
    assert shown(only, "main") == only


def test_a_broken_text_is_told_from_a_whole_one() -> None:
    words = PAPER * 6
    without_vowels = "".join(c for c in words if c not in "aeiou")

    assert badly_read(words) == ""
    assert "of its words have no vowel" in badly_read(without_vowels)
    assert "characters have no letter" in badly_read(words.replace("e", "\ufffd"))
    assert "characters have no letter" in badly_read(words.replace("Abstract", "(cid:12)" * 20))
    assert "words are broken" in badly_read(words.replace(" w", " w ").replace(" c", " c "))
    assert quality("").words == 0
    assert badly_read("") == ""
