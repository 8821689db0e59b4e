"""A quote counts only when the paper holds it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewscore.papers.quotes import evidence_at, find_quote, normal_form
from reviewscore.papers.sections import find_sections
from reviewscore.schema.paper import Paper

TEXT = (
    "# A SMALL STUDY OF LAMPS\n\nABSTRACT\n\nWe measure lamps.\n\n1 INTRODUCTION\n\n"
    "Lamps with **warm ﬁlaments** are said to be “cosy”. We compare forty lamps over two win-\n"
    "ters, and report the median warmth. The re-use of old shades was not part of the study.\n\n"
    "2 METHOD\n\nEach lamp burned for 12.5 hours a day, and the room was kept at a constant\n\n\n"
    "-----\n\n17\n\ntemperature by a heater that _never_ switched off during the winter.\n"
)


def paper(text: str = TEXT) -> Paper:
    return Paper(paper_id="p", title="t", text=text, sections=find_sections(text))


@pytest.mark.parametrize(
    ("claimed", "found"),
    [
        ("We compare forty lamps", "We compare forty lamps"),
        ("forty lamps over two winters", "forty lamps over two win-\nters"),
        ('said to be "cosy". We compare', "said to be “cosy”. We compare"),
        ("Lamps with warm filaments are", "Lamps with **warm ﬁlaments** are"),
        ("“the median warmth. The reuse of old ...”", "the median warmth. The re-use of old"),
        ("...each of them: no", None),
        ("report the median warmth!", None),
        ("a heater that never switched off", "a heater that _never_ switched off"),
        ("report the median warmth;", "report the median warmth"),
    ],
)
def test_a_quote_is_stored_in_the_papers_own_characters(claimed: str, found: str | None) -> None:
    evidence = find_quote(paper(), claimed)
    assert evidence.verified is (found is not None)
    assert evidence.quote == (found or claimed)
    if found is not None:
        assert TEXT[evidence.start : evidence.end] == found


def test_a_quote_may_run_over_a_page_break_with_a_page_number() -> None:
    evidence = find_quote(paper(), "kept at a constant temperature by a heater")
    assert evidence.verified
    assert evidence.section == "2 METHOD"


@pytest.mark.parametrize(
    "claimed", ["", "lamps", "We measure", "... \" '", "a b c", "forty lamps."]
)
def test_a_short_quote_is_never_verified(claimed: str) -> None:
    assert not find_quote(paper(), claimed).verified


@pytest.mark.parametrize(
    ("text", "claimed", "found"),
    [
        (
            "我们有三个池塘。\n每个结果是十次\n运行的平均值，学习率为0.1。",
            "每个结果是十次运行的平均值,学习率为0.1。",
            "每个结果是十次\n运行的平均值，学习率为0.1。",
        ),
        (
            "提案手法は三つの池で評価した。シードは１０個。",
            "三つの池で評価した",
            "三つの池で評価した",
        ),
        ("ผลลัพธ์แต่ละค่าเป็นค่าเฉลี่ย", "เป็นค่าเฉลี่ย", "เป็นค่าเฉลี่ย"),
        (
            "Jedes Mittel ist u\u0308ber zehn Läufe.",
            "Mittel ist über zehn",
            "Mittel ist u\u0308ber zehn",
        ),
        (
            "각 결과는 열 번 실행의 평균이다.",
            "결과는 열 번 실행의 평균",
            None,
        ),  # ends inside a word
        ("我们有三个池塘。", "三个池塘", None),  # too short to prove anything
    ],
)
def test_scripts_without_spaces_and_other_accents_are_quoted_too(
    text: str, claimed: str, found: str | None
) -> None:
    evidence = find_quote(paper(text), claimed)

    assert (evidence.quote if evidence.verified else None) == found


def test_case_counts() -> None:
    assert not find_quote(paper(), "we compare forty lamps").verified


def test_numbers_are_not_run_together() -> None:
    assert not find_quote(paper(), "Each lamp burned for 12. 5 hours a day").verified
    assert not find_quote(paper("We saw that 1 2 lamps burned"), "that 12 lamps burned").verified


def test_a_minus_sign_is_not_a_hyphen() -> None:
    assert not find_quote(paper("the gain was -0.5 points in all"), "gain was 0.5 points").verified


def test_a_quote_does_not_end_inside_a_word() -> None:
    assert not find_quote(paper(), "We compare forty lam").verified
    assert find_quote(paper(), "We compare forty lam...").verified


def test_evidence_at_refuses_an_empty_span() -> None:
    assert evidence_at(paper(), 0, 5).quote == TEXT[:5]
    with pytest.raises(ValueError, match="no span"):
        evidence_at(paper(), 5, 5)


WORDS = list(re.finditer(r"\w+(?:[-'.]\w+)*", TEXT))


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_any_passage_on_word_borders_is_found_however_it_is_set(data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(WORDS) - 5))
    last = data.draw(st.integers(first + 3, min(first + 25, len(WORDS) - 1)))
    passage = TEXT[WORDS[first].start() : WORDS[last].end()]
    space = data.draw(st.sampled_from([" ", "\n", "  ", "\n  ", "\t"]))
    claimed = re.sub(r"\s+", space, passage.replace("**", "").replace("_", ""))
    claimed = claimed.replace("ﬁ", "fi")
    evidence = find_quote(paper(), claimed)
    if len(claimed) >= 12 and len(re.findall(r"\w+", claimed)) >= 3 and claimed[-1] != "-":
        assert evidence.verified
        assert normal_form(evidence.quote) == normal_form(claimed)
