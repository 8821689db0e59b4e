"""Where blocks of a review end: lines, paragraphs, counts, literature, quotations, headings."""

from __future__ import annotations

import pytest

from reviewscore.points.sections import sections_of
from reviewscore.points.split import split_review
from reviewscore.schema.review import Review, Role
from reviewscore.sources.section_roles import heading_kind


def review(**fields: str) -> Review:
    return Review(review_id="r", paper_id="p", fields=fields)


def texts(**fields: str) -> list[str]:
    return [point.text for point in split_review(review(**fields))]


SOURCED = (
    "The counter is close to published ones, e.g.:\n"
    "    - Pond B, Reed C. Counting by ear. In: Ponds 2019.\n"
    "    - Lake D, Reed C. Counting by eye. Waters. 2020;3:1-9."
)
QUOTED = (
    "Next, a claim is wrong.\n\n"
    '> "the counter hears each frog of the pond exactly once"\n\n'
    "That is not so where two frogs call together."
)
TITLED = "**Novelty.**\nThe counter was not compared with the older one."


@pytest.mark.parametrize(
    ("box", "points"),
    [
        (  # a line of an entry
            "1. The map lacks a scale.\nThe term pond is never defined.\n2. No code is given.",
            ["The map lacks a scale.", "The term pond is never defined.", "No code is given."],
        ),
        (  # lines without full stops
            "The choice of the ponds is not explained (line 8)\n"
            "Counts come from a single night, which is unusual",
            [
                "The choice of the ponds is not explained (line 8)",
                "Counts come from a single night, which is unusual",
            ],
        ),
        (  # a paragraph of an entry, the list going on after it
            "1. Only two ponds are studied.\n\n"
            "In addition, rain is ignored in the counts.\n\n"
            "2. No code is given.",
            [
                "Only two ponds are studied.",
                "In addition, rain is ignored in the counts.",
                "No code is given.",
            ],
        ),
        (  # a paragraph that leans on the entry before it
            "1. Only two ponds are studied.\n\nThis makes the counts unreliable.\n\n2. No code.",
            ["Only two ponds are studied.\n\nThis makes the counts unreliable.", "No code."],
        ),
        (  # a question, and why it is asked
            "1. How were the ponds chosen?\nThe text lacks any word on it.",
            ["How were the ponds chosen?\nThe text lacks any word on it."],
        ),
        (  # critical sub-entries
            "1. The comparison is incomplete.\n(a) Lakes are missing.\n(b) Rivers are missing.",
            ["The comparison is incomplete.", "Lakes are missing.", "Rivers are missing."],
        ),
        (  # one sub-entry
            "- The evaluation is narrow.\n    - Why are there no lakes?",
            ["The evaluation is narrow.\n    - Why are there no lakes?"],
        ),
        (  # a count within a line, without full stops
            "1) The design is borrowed. (1) the choice is not justified (2) no theoretical proof",
            ["The design is borrowed.", "the choice is not justified", "no theoretical proof"],
        ),
        (  # a count of parts of one remark
            "The counter hears (1) frogs and (2) toads alike, so it is not specific.",
            ["The counter hears (1) frogs and (2) toads alike, so it is not specific."],
        ),
        (SOURCED, [SOURCED]),
        (  # literature that nothing announces
            "- No lake is studied.\n\nPond, Bea, and Carl Reed. 'Counting by ear.' Ponds 2019.",
            ["No lake is studied."],
        ),
        (QUOTED, [QUOTED]),
        (TITLED, [TITLED]),
        (  # lines that name a place of the paper
            "The counter needs more words.\np.9 the map lacks a scale.\npage 10: no pond is named.",
            [
                "The counter needs more words.",
                "p.9 the map lacks a scale.",
                "page 10: no pond is named.",
            ],
        ),
        (  # a place that the sentence before goes on with
            "The map lacks a scale, as\np. 9 tells.",
            ["The map lacks a scale, as\np. 9 tells."],
        ),
        (  # a paragraph that sums up and decides
            "- No lake is studied.\n\nWhile this paper is fun, the counts are limited. With that "
            "said, it falls below the threshold of the venue.",
            ["No lake is studied."],
        ),
        (  # lower case after a blank line
            "The map lacks a scale\n\nno code is given",
            ["The map lacks a scale", "no code is given"],
        ),
        (  # a lead-in that criticises by itself
            "My main concern is the small number of ponds.\n- Lakes are missing.\n- Rivers too.",
            ["My main concern is the small number of ponds.", "Lakes are missing.", "Rivers too."],
        ),
    ],
)
def test_blocks_end_where_a_concern_ends(box: str, points: list[str]) -> None:
    assert texts(weaknesses=box) == points


@pytest.mark.parametrize(
    ("heading", "role"),
    [
        ("Weaknesess", Role.WEAKNESSES),
        ("Weeknesses", Role.WEAKNESSES),
        ("Strenghts", Role.STRENGTHS),
        ("Stregths", Role.STRENGTHS),
        ("Limitaitons", Role.LIMITATIONS),
        ("Weakness(es)/Suggestion(s)", Role.WEAKNESSES),
        ("Weaknesses (see the details below)", Role.WEAKNESSES),
        ("Open questions (for the rebuttal)", Role.QUESTIONS),
        ("Potential reasons for rejection", Role.WEAKNESSES),
        ("Reasons for accepting", Role.STRENGTHS),
    ],
)
def test_misspelt_headings_and_those_with_a_remark_are_read(heading: str, role: Role) -> None:
    kind = heading_kind(heading)

    assert kind is not None
    assert kind[0] is role


@pytest.mark.parametrize("turn", ["- A weak point of the counter is", "- However, my worry is"])
def test_an_entry_after_strengths_may_turn_to_a_weakness(turn: str) -> None:
    box = f"Strengths:\n- The map is clear.\n{turn} that no lake is studied."

    assert len(texts(strengths_and_weaknesses=box)) == 1


@pytest.mark.parametrize("words", ["Strengthen", "Weakened ponds", "Queens", "The two ponds"])
def test_words_that_are_nearly_a_heading_are_none(words: str) -> None:
    assert heading_kind(words) is None


@pytest.mark.parametrize(
    "line",
    [
        "- references: it is helpful that the list is long.",
        "The ponds are few (minor) but well chosen.",
    ],
)
def test_remarks_that_begin_like_a_heading_are_none(line: str) -> None:
    given = review(strengths_and_weaknesses=f"Weaknesses:\n- No code.\n{line}")

    assert [section.name for section in sections_of(given)][1:] == ["Weaknesses"]


@pytest.mark.parametrize(
    "turn", ["The paper has the following weaknesses:", "Other comments:", "W1. No map is given.\n"]
)
def test_praise_ends_where_a_line_announces_the_other_side(turn: str) -> None:
    box = f"Strengths:\n- Hard problem.\n\n{turn}\nThe counter is never compared with an older one."

    assert "The counter is never compared with an older one." in texts(review=box)[-1]


CLOSED = (
    "Weaknesses:\n- The counter is never compared with the older counters of the same ponds.\n\n"
    "Summary Of The Review:\n"
)


@pytest.mark.parametrize(
    "closing",
    [
        "The counter is not compared with older counters.",  # said before
        "The novelty is limited.",  # a verdict
        "I lean to reject.",
    ],
)
def test_a_closing_summary_that_repeats_or_judges_gives_no_point(closing: str) -> None:
    assert len(texts(review=CLOSED + closing)) == 1


@pytest.mark.parametrize(
    "closing",
    [
        "Why does equation (2) divide by the rainfall?",
        "Microphones at the northern shore freeze in icy winters, which is not mentioned.",
    ],
)
def test_a_closing_summary_gives_the_points_that_it_says_anew(closing: str) -> None:
    assert texts(review=CLOSED + closing)[1:] == [closing]


@pytest.mark.parametrize(
    ("text", "point"),
    [
        ("- S3 stems from a stack that lacks paging.", "S3 stems from a stack that lacks paging."),
        ("- S3 The stack lacks paging.", "The stack lacks paging."),
        ("- S3: the stack lacks paging.", "the stack lacks paging."),
        ("- W1 the stack lacks paging.", "the stack lacks paging."),
    ],
)
def test_a_name_that_begins_a_sentence_is_no_label(text: str, point: str) -> None:
    review = Review(review_id="r", paper_id="p", fields={"weaknesses": text})

    assert [one.text for one in split_review(review)] == [point]
