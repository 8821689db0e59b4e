"""Each alteration does what it says, on any text."""

from __future__ import annotations

import itertools
import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewscore.errors import InputError, ProviderError, StopError
from reviewscore.gem.alterations import rules, wording
from reviewscore.gem.alterations.alteration import (
    FORM_HEADINGS,
    AlterationCase,
    Altered,
    Expectation,
    derangement,
    each_sentence,
    judgments,
    parts,
    sentences_of,
    with_others,
)
from reviewscore.gem.alterations.rules import Summaries, elongated, topic_words
from reviewscore.gem.alterations.with_model import MODEL_ALTERATIONS
from reviewscore.gem.alterations.wording import flipped_judgment, flipped_text, lowered, reworded
from reviewscore.llm.providers.scripted import ScriptedProvider
from reviewscore.schema.call import Request
from reviewscore.sources.system_reviews import TextForm
from tests.gem.invented import JUDGMENTS, RAW, asks, case

EVERY = (*rules.ALTERATIONS, *rules.LADDER)
BY_NAME = {each.name: each for each in EVERY}
FORMS = (TextForm.RAW, TextForm.JUDGMENTS)


def done(name: str, one: AlterationCase, seed: int = 0) -> str:
    altered = BY_NAME[name].altered(one, seed=seed)
    assert altered.text is not None, altered.reason
    return altered.text


def by_model(name: str, one: AlterationCase, *replies: object) -> tuple[Altered, ScriptedProvider]:
    alteration = next(each for each in MODEL_ALTERATIONS if each.name == name)
    provider = ScriptedProvider([json.dumps(reply) for reply in replies])
    return alteration.altered([one], asks(provider))[0], provider


def test_a_raw_review_falls_into_the_sections_of_its_form() -> None:
    assert [part.heading.strip() for part in parts(RAW)] == [f"{one}:" for one in FORM_HEADINGS]


def test_headings_written_inside_a_section_stay_in_its_body() -> None:
    text = RAW.replace("Nice figures.", "Nice figures.\n\nMinor comments:\nTypos.")

    assert len(parts(text)) == 4


def test_a_review_in_another_form_falls_into_the_boxes_it_names() -> None:
    text = "## Summary\nA.\n\n## Questions for authors\nB?\n"

    assert [part.name for part in parts(text)] == ["summary", "questions for authors"]


@given(st.text())
def test_no_character_is_lost_between_the_sections(text: str) -> None:
    assert "".join(part.heading + part.body for part in parts(text)) == text


@settings(deadline=None)
@given(st.text())
def test_sentences_that_stay_leave_the_text_as_it_is(text: str) -> None:
    assert each_sentence(text, lambda sentence: sentence) == text


def test_every_other_sentence_of_each_section_is_deleted_from_the_second() -> None:
    text = done("sentence deletion", case(RAW))

    assert [" ".join(part.body.split()) for part in parts(text)] == [
        "The paper counts frogs. It compares with people.",
        "Strengths: The data are public.",
        "The text is clear.",
        "I lean to accept. More ponds are needed.",
    ]


def test_every_other_judgment_is_deleted_from_the_second() -> None:
    text = done("sentence deletion", case(JUDGMENTS, TextForm.JUDGMENTS))

    assert judgments(text) == judgments(JUDGMENTS)[::2]


def test_judgments_stay_parted_as_they_were() -> None:
    airy = done("sentence deletion", case(JUDGMENTS, TextForm.JUDGMENTS))
    dense = done("sentence deletion", case(JUDGMENTS.replace("\n\n", "\n"), TextForm.JUDGMENTS))

    assert "\n\n" in airy
    assert "\n\n" not in dense


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("one", EVERY, ids=lambda one: one.name)
def test_one_line_is_altered_without_an_empty_text(form: TextForm, one: object) -> None:
    single = case("Good.", form, synopsis="On frogs and ponds.", other="Bad.")

    altered = one.altered(single)  # type: ignore[attr-defined]

    assert altered.text
    assert altered.text.strip()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("one", EVERY, ids=lambda one: one.name)
def test_an_empty_candidate_is_not_altered(form: TextForm, one: object) -> None:
    altered = one.altered(case(" \n", form, synopsis="s", other="o"))  # type: ignore[attr-defined]

    assert altered == Altered(None, "the candidate is empty")


@pytest.mark.parametrize("form", FORMS)
@settings(deadline=None)  # the first one loads what cuts sentences
@given(text=st.text(min_size=1), seed=st.integers(0, 3))
def test_any_text_can_be_altered_and_the_same_way_twice(
    form: TextForm, text: str, seed: int
) -> None:
    one = case(text, form, synopsis=text, other=text)

    for alteration in EVERY:
        altered = alteration.altered(one, seed=seed)
        assert (altered.text is None) == bool(altered.reason)
        assert altered == alteration.altered(one, seed=seed)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("unit", ["This is good. Why? ", "x", "The reviewer criticizes it.\n"])
def test_a_review_of_a_megabyte_is_altered(form: TextForm, unit: str) -> None:
    huge = case(unit * (1_000_000 // len(unit)), form, synopsis="On frogs.", other="Bad.")

    for name in ("sentence deletion", "near-duplicates", "stuffed words", "stance flip"):
        assert done(name, huge)


def test_what_is_missing_is_said() -> None:
    alone = case(RAW)

    assert BY_NAME["shuffled paper"].altered(alone).reason
    assert BY_NAME["synopsis as review"].altered(alone).reason
    assert not BY_NAME["stuffed words"].altered(alone).reason  # its own words serve
    assert BY_NAME["stuffed words"].altered(case("Of it.")).reason


def test_names_are_unique() -> None:
    every = (*EVERY, *MODEL_ALTERATIONS)

    assert len({each.name for each in every}) == len(every)


@given(st.integers(2, 60), st.integers())
def test_a_derangement_has_no_fixed_point_and_uses_each_paper_once(count: int, seed: int) -> None:
    places = derangement([str(number) for number in range(count)], seed=seed)

    assert sorted(places) == list(range(count))
    assert all(place != own for own, place in enumerate(places))


@pytest.mark.parametrize(("papers", "problem"), [(["a"], "one paper"), (["a", "a"], "twice")])
def test_papers_that_cannot_be_deranged_are_refused(papers: list[str], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        derangement(papers)


def test_every_case_gets_the_review_of_another_paper() -> None:
    cases = [AlterationCase(str(number), f"review {number}", TextForm.RAW) for number in range(9)]

    others = [one.other for one in with_others(cases, seed=5)]

    assert sorted(filter(None, others)) == sorted(one.candidate for one in cases)
    assert all(one.candidate != other for one, other in zip(cases, others, strict=True))


@given(
    st.lists(st.text("abc", min_size=1), min_size=1, max_size=30, unique=True), st.integers(0, 5)
)
def test_each_step_of_the_ladder_is_part_of_the_one_above(lines: list[str], seed: int) -> None:
    one = case("\n".join(lines), TextForm.JUDGMENTS)

    steps = [judgments(step.altered(one, seed=seed).text or "") for step in rules.LADDER]

    assert steps[0] == lines
    for upper, lower in itertools.pairwise(steps):
        assert [line for line in upper if line in lower] == lower
    assert len(steps[-1]) == max(1, -(-len(lines) // 5))


def test_the_ladder_keeps_sentences_of_a_raw_review_under_its_headings() -> None:
    text = done("keep 40 %", case(RAW))

    assert [part.heading for part in parts(text)] == [part.heading for part in parts(RAW)]
    kept = [one for part in parts(text) for line in part.body.splitlines()
            for one in sentences_of(line)]  # fmt: skip
    assert len(kept) == 5  # of eleven, rounded up


def test_papers_draw_their_own_numbers_whatever_other_papers_there_are() -> None:
    step = BY_NAME["keep 40 %"]
    text = "\n".join(f"line {number}" for number in range(20))

    first, second = (
        step.altered(AlterationCase(paper, text, TextForm.JUDGMENTS)).text for paper in "ab"
    )

    assert first != second


def test_each_section_is_introduced_once_by_words_that_say_nothing() -> None:
    text = done("meaningless elongation", case(RAW))

    assert all(text.count(words.partition("{")[0]) == 1 for words in wording.INTRODUCTIONS.values())
    assert "{" not in text
    assert "{" not in elongated(case(RAW), summaries=Summaries("a", "b")).text  # type: ignore[operator]
    for line in RAW.splitlines():
        assert line in text


def test_a_review_without_headings_is_introduced_once() -> None:
    text = done("meaningless elongation", case("Just a line."))

    assert text == f"{wording.ANY_INTRODUCTION} Just a line."


@given(st.lists(st.text("ab c.", min_size=1).filter(str.strip)).filter("".join))
def test_duplication_leaves_the_set_of_distinct_lines_as_it_is(lines: list[str]) -> None:
    one = case("\n".join(lines), TextForm.JUDGMENTS)

    altered = BY_NAME["duplicated lines"].altered(one)

    before = judgments(one.candidate)
    assert sorted(judgments(altered.text or "")) == sorted(before * 2)


def test_sentences_of_a_raw_review_are_duplicated_where_they_stand() -> None:
    assert "The text is clear. The text is clear." in done("duplicated lines", case(RAW))


@given(st.text(min_size=1).filter(lambda text: any(map(str.isalnum, text))), st.integers(0, 9))
def test_a_near_duplicate_is_never_letter_by_letter_the_same(text: str, seed: int) -> None:
    assert reworded(text, random.Random(seed)) != text


@pytest.mark.parametrize(
    ("sentence", "other"),
    [
        ("The reviewer criticizes frogs.", "The reviewer objects to frogs."),
        ("Very nice.", "Quite nice."),
        ("The idea is nice, although rain matters.", "Although rain matters, the idea is nice."),
        ("No rule here.", "In addition, no rule here."),
        ("RGB frogs.", "In addition, RGB frogs."),
    ],
)
def test_a_sentence_is_reworded_by_the_rule_that_fits(sentence: str, other: str) -> None:
    assert reworded(sentence, random.Random(0)) == other


def test_names_and_i_keep_their_capitals() -> None:
    assert [lowered(one) for one in ("I see", "RGB is", "The end", "")] == [
        "I see",
        "RGB is",
        "the end",
        "",
    ]


def test_topic_words_are_the_most_frequent_content_words() -> None:
    text = "The frogs of the ponds. Frogs and ponds, frogs and rain. The paper shows the method."

    assert topic_words(text, most=2) == ["frogs", "ponds"]


def test_topic_words_stand_in_a_line_of_their_own() -> None:
    text = done("stuffed words", case(JUDGMENTS, TextForm.JUDGMENTS, synopsis="Frogs in ponds."))

    assert judgments(text)[-1] == "The reviewer appreciates frogs, ponds."
    assert judgments(text)[:-1] == judgments(JUDGMENTS)


def test_praise_stands_at_the_end() -> None:
    raw, lines = (
        done("praise filler", case(RAW)),
        done("praise filler", case("A.", TextForm.JUDGMENTS)),
    )

    assert raw.startswith(RAW.rstrip())
    assert lines.splitlines() == ["A.", *wording.PRAISE]


def test_generic_reviews_are_the_same_for_every_paper() -> None:
    for form in FORMS:
        assert done("generic lines", case(RAW, form)) == done(
            "generic lines", case("B.\n\nC.", form)
        )

    assert len(parts(done("generic lines", case(RAW)))) == 4


def test_the_synopsis_becomes_the_review() -> None:
    lines = done(
        "synopsis as review", case("A.", TextForm.JUDGMENTS, synopsis="On frogs. In ponds.")
    )
    raw = done("synopsis as review", case(RAW, synopsis="On frogs."))

    assert lines.splitlines() == ["On frogs.", "In ponds."]
    assert raw == "Summary Of The Paper:\n\nOn frogs.\n"


@pytest.mark.parametrize(
    ("line", "other"),
    [
        ("The reviewer appreciates the data.", "The reviewer criticizes the data."),
        ("The reviewer criticizes the data.", "The reviewer appreciates the data."),
        ("The reviewer questions whether it holds.", "The reviewer appreciates that it holds."),
        ("The reviewer questions the proof.", "The reviewer appreciates the proof."),
        ("The reviewer suggests more data.", "The reviewer opposes more data."),
        ("Strong paper.", "Weak paper."),
    ],
)
def test_a_judgment_is_turned_round(line: str, other: str) -> None:
    assert flipped_judgment(line) == other


@given(st.lists(st.sampled_from(["good", "WEAK", "Clear", "not", "well-known", "unclear", "more"])))
def test_raw_text_turned_round_twice_is_as_it_was(words: list[str]) -> None:
    text = " ".join(words)

    assert flipped_text(flipped_text(text)) == text


def test_headings_are_not_turned_round() -> None:
    text = done("stance flip", case(RAW))

    assert [part.heading for part in parts(text)] == [part.heading for part in parts(RAW)]
    assert "The idea is bad." in text
    assert "I lean to reject." in text


def test_gaps_are_filled_in_order_and_the_rest_stays_letter_by_letter() -> None:
    gaps = 4
    altered, provider = by_model(
        "deletion & completion",
        case(RAW),
        {"sentences": ["too few"]},
        {"sentences": [f"New {number}." for number in range(1, gaps + 1)]},
    )

    assert altered.text is not None
    assert "The paper counts frogs. New 1. It compares with people." in altered.text
    assert "I lean to accept. New 4. More ponds are needed." in altered.text
    assert "[gap 1]" in provider.requests[0].messages[0].content
    assert "It uses microphones." not in provider.requests[0].messages[0].content


def test_a_review_without_a_second_sentence_has_no_gap_and_asks_nothing() -> None:
    altered, provider = by_model("deletion & completion", case("One judgment.", TextForm.JUDGMENTS))

    assert altered.text == "One judgment."
    assert provider.requests == []


ABSTRACT_REVIEW = {
    "summary_of_the_paper": "Frogs.",
    "strengths": ["Timely."],
    "weaknesses": ["Small.", "Wet."],
    "questions": [],
    "clarity_quality_novelty_and_reproducibility": "Clear.",
    "summary_of_the_review": "Accept.",
    "judgments": ["The reviewer appreciates frogs."],
}


def test_a_review_by_the_abstract_alone_takes_the_form_of_the_candidate() -> None:
    one = case(RAW, synopsis="We count frogs.")

    raw, provider = by_model("abstract-only review", one, ABSTRACT_REVIEW)
    lines, _ = by_model(
        "abstract-only review", case(JUDGMENTS, TextForm.JUDGMENTS, synopsis="s"), ABSTRACT_REVIEW
    )

    assert raw.text is not None
    assert [part.heading.strip() for part in parts(raw.text)] == [f"{x}:" for x in FORM_HEADINGS]
    assert "Weaknesses:\n1. Small.\n2. Wet." in raw.text
    assert lines.text == "The reviewer appreciates frogs."
    assert "It uses microphones" not in provider.requests[0].messages[0].content
    assert by_model("abstract-only review", case(RAW))[0].reason == "the paper has no synopsis"


def test_judgments_with_another_beginning_are_asked_for_again() -> None:
    wrong = {**ABSTRACT_REVIEW, "judgments": ["I like frogs."]}

    _, provider = by_model("abstract-only review", case(RAW, synopsis="s"), wrong, ABSTRACT_REVIEW)

    assert len(provider.requests) == 2


def test_rephrased_passages_take_the_places_of_the_old_ones() -> None:
    raw, _ = by_model("rephrase", case(RAW), {"passages": ["One.", "Two.", "Three.", "Four."]})
    lines, _ = by_model(
        "rephrase", case("A.\nB.", TextForm.JUDGMENTS), {"passages": ["C.\nD.", "E."]}
    )

    assert raw.text is not None
    assert [part.body.strip() for part in parts(raw.text)] == ["One.", "Two.", "Three.", "Four."]
    assert lines.text == "C. D.\nE."


def test_summaries_are_worked_into_the_introduction_of_strengths_and_weaknesses() -> None:
    reply = {"strengths": "figures and data.", "weaknesses": "rain"}

    altered, _ = by_model("elongation with summaries", case(RAW), reply)

    assert altered.text is not None
    assert "what speaks for it is figures and data, and" in altered.text
    assert by_model("elongation with summaries", case(JUDGMENTS, TextForm.JUDGMENTS))[0].reason


def test_a_candidate_that_the_model_fails_on_has_a_reason_and_spoils_no_other() -> None:
    def script(request: Request) -> str | Exception:
        if "wet" in request.messages[0].content:
            return ProviderError("down", retryable=False)
        return json.dumps({"passages": ["Fine."]})

    rephrase = next(one for one in MODEL_ALTERATIONS if one.name == "rephrase")
    cases = [case(text, TextForm.JUDGMENTS) for text in ("It is wet.", "It is dry.", "")]

    altered = rephrase.altered(cases, asks(ScriptedProvider(script)))

    assert altered[0] == Altered(None, "ProviderError: down")
    assert altered[1] == Altered("Fine.")
    assert altered[2].reason == "the candidate is empty"


def test_a_stated_limit_ends_the_alterations() -> None:
    rephrase = next(one for one in MODEL_ALTERATIONS if one.name == "rephrase")
    provider = ScriptedProvider([StopError("the cap is reached")])

    with pytest.raises(StopError, match="cap"):
        rephrase.altered([case("A.", TextForm.JUDGMENTS)], asks(provider))


def test_what_takes_information_away_should_make_the_score_fall() -> None:
    falls = {one.name for one in EVERY if one.expectation is Expectation.FALLS}

    assert {"sentence deletion", "shuffled paper", "generic lines", "keep 20 %"} <= falls
    assert not {"meaningless elongation", "duplicated lines", "keep 100 %"} & falls
