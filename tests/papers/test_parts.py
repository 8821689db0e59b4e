"""Judges see the parts of a paper that were asked for, at their own places."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.papers.load import PaperRow, build_paper
from reviewscore.papers.paper_warnings import badly_read, quality
from reviewscore.papers.parts import Parts, cut_from, hiding_all_but, parts_read, seen_of, shown
from reviewscore.papers.quotes import find_quote
from reviewscore.schema.paper import Paper, Scope, UnreadSpan
from tests.conftest import PAPER


def read_from(source: str) -> Paper:
    text = PAPER + "\nA Details\nThe frogs were green and numbered by hand.\n"
    paper = build_paper(PaperRow(paper_id="frogs", text=text), source=source)
    return paper.model_copy(update={"pages": (0, 400, len(PAPER) + 2)})


@pytest.mark.parametrize(
    ("source", "parts", "references", "appendix"),
    [
        ("pdf", "auto", False, True),
        ("tei", "auto", False, True),
        ("jsonl", "auto", True, True),
        ("text", "main", False, False),
        ("pdf", "main", False, False),
        ("pdf", "all", True, True),
    ],
)
def test_references_and_appendix_are_cut_where_asked(
    source: str, parts: Parts, references: bool, appendix: bool
) -> None:
    paper = read_from(source)

    seen = shown(paper, parts)

    assert ("Listening to ponds" in seen.read_text) == references
    assert ("numbered by hand" in seen.read_text) == appendix
    assert "heavy rain" in seen.read_text
    assert (seen.text, seen.sections, seen.pages) == (paper.text, paper.sections, paper.pages)


def test_what_is_cut_is_counted_by_part() -> None:
    paper = read_from("pdf")
    appendix = len(paper.text) - paper.text.index("A Details")

    cut = shown(paper, "main").unread

    assert cut is not None
    assert list(cut.parts) == ["references", "appendix"]
    assert cut.parts["appendix"] == appendix
    assert cut.characters == len(paper.text)
    assert sum(cut.parts.values()) + len(shown(paper, "main").read_text) == len(paper.text)
    assert shown(paper, "all").unread is None
    assert parts_read(shown(paper, "auto")) == (["main text", "appendix"], [])
    assert parts_read(shown(paper, "main")) == (["main text"], ["appendix"])


def test_offsets_of_what_is_seen_are_those_of_the_paper() -> None:
    paper = read_from("pdf")

    quote = find_quote(shown(paper, "main"), "Our counter fails in heavy rain")
    behind = find_quote(shown(paper, "auto"), "The frogs were green and numbered by hand")

    assert quote == find_quote(paper, "Our counter fails in heavy rain")
    assert quote.page == 2
    assert behind == find_quote(paper, "The frogs were green and numbered by hand")
    assert behind.section == "appendix"  # its heading is not recognised


def test_what_judges_did_not_see_is_no_quote_of_theirs() -> None:
    seen = shown(read_from("pdf"), "auto")
    across = "tested it in one country only. A Details The frogs were green"

    assert not find_quote(seen, "A. Frogman. Listening to ponds").verified
    assert not find_quote(seen, across).verified


@pytest.mark.parametrize(
    ("parts", "scope"), [("all", Scope.WHOLE), ("auto", Scope.WHOLE), ("main", Scope.MAIN)]
)
def test_a_paper_is_seen_whole_if_main_text_and_appendix_are(parts: Parts, scope: Scope) -> None:
    seen = seen_of(shown(read_from("pdf"), parts))

    assert seen.kind is scope
    assert (seen.share == 1) == (scope is Scope.WHOLE)  # references are not missed


def test_a_paper_of_which_some_stretches_alone_are_shown_is_seen_in_excerpts() -> None:
    paper = read_from("text")
    seen = seen_of(hiding_all_but(paper, [(0, 100)]))

    assert (seen.kind, seen.share) == (Scope.EXCERPTS, round(100 / len(paper.text), 4))


@given(st.data())
def test_every_span_that_is_read_is_found_in_the_whole_text(data: st.DataObject) -> None:
    text = "abcdefghijklmnopqrstuvwxyz"
    edges = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=8)))
    spans = tuple(
        UnreadSpan(start=start, end=end, part="references")
        for start, end in zip(edges[::2], edges[1::2], strict=False)
    )
    paper = Paper(paper_id="p", title="", text=text, unread_spans=spans)
    read = paper.read_text
    start = data.draw(st.integers(0, len(read)))
    end = data.draw(st.integers(start, len(read)))

    place = paper.span_in_text(start, end) if start < end else None

    assert read == "".join(letter for n, letter in enumerate(text) if paper.is_read(n))
    if place is not None:
        assert text[place[0] : place[1]] == read[start:end]
    elif start < end:
        assert read[start:end] not in text


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
