"""Splitting reviews into points: what is a point, where it ends, and what is left out."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewscore.points.sections import open_sections
from reviewscore.points.split import accept_proposed, split_review
from reviewscore.schema.point_id import content_id
from reviewscore.schema.review import Review, Role
from reviewscore.sources.section_roles import field_role

SHARED = Path(__file__).parents[3] / "shared" / "data"


def review(**fields: str) -> Review:
    return Review(review_id="r", paper_id="p", fields=fields)


def texts(given_review: Review) -> list[str]:
    return [point.text for point in split_review(given_review)]


ASKED_WHETHER = "Does the router see the label at test time? If so, why is it not reported?"
ARGUED = (
    "The gain cannot hold at test time. The router sees the label during training, e.g. in "
    "Eq. 3 and Fig. 2. For example, the accuracy of 93.4 in Table 1 needs that label."
)


@pytest.mark.parametrize(
    ("name", "box", "points"),
    [
        (
            "weaknesses",  # each bullet is a point
            "- The router is never ablated.\n* No seeds are given.\n• Table 2 lacks units.",
            ["The router is never ablated.", "No seeds are given.", "Table 2 lacks units."],
        ),
        (
            "weaknesses",
            "- No seeds are given.\r\n- No code.\r\n",
            ["No seeds are given.", "No code."],
        ),
        (
            "questions",  # praise that is denied is criticism
            "comments:\n"
            "1. The detour is not helpful (it is not even a useful analogy). It is long.",
            ["The detour is not helpful (it is not even a useful analogy). It is long."],
        ),
        ("questions", "comments:\n1. The idea is not only useful but also novel.", []),
        (
            "questions",  # a mark that stands apart ends the sentence before it
            "comments:\n1. Could the authors start with (R - S)^2. ? Equation (7) is a rule then.",
            ["Could the authors start with (R - S)^2. ? Equation (7) is a rule then."],
        ),
        (
            "weaknesses",  # questions in a row, able to stand alone
            "How was the load-balancing weight chosen? Which random seed was used for Table 2?",
            [
                "How was the load-balancing weight chosen?",
                "Which random seed was used for Table 2?",
            ],
        ),
        ("weaknesses", ASKED_WHETHER, [ASKED_WHETHER]),
        ("weaknesses", ARGUED, [ARGUED]),
        (
            "weaknesses",  # politeness and decisions
            "The router is never ablated. I look forward to the rebuttal.\n\n"
            "Overall I recommend accept.\n\nThank you for the interesting paper.",
            ["The router is never ablated."],
        ),
        (
            "strengths_and_weaknesses",  # praise without headings
            "The paper is well written and easy to follow. The idea is novel. "
            "However, the router is never compared with a simple baseline.",
            ["However, the router is never compared with a simple baseline."],
        ),
        (
            "weaknesses",  # references
            "- The work of [1] is missing.\n\n"
            "[1] A. Author. Routing experts. arXiv preprint, 2021.",
            ["The work of [1] is missing."],
        ),
        (
            "text",  # headings underlined
            "Strengths\n-----\n- Hard problems matter.\n\nWeaknesses\n-----\n- No seeds are given.",
            ["No seeds are given."],
        ),
        (
            "weaknesses",  # a count of concerns on one line
            "(1) The gain is marginal. (2) The router is never compared. (3) No code is provided.",
            ["The gain is marginal.", "The router is never compared.", "No code is provided."],
        ),
        (
            "text",  # words after the rebuttal
            "Weaknesses:\n- No code is given.\n\nUpdate after rebuttal:\nIt is still unclear.",
            ["No code is given."],
        ),
    ],
)
def test_a_box_is_split_where_its_points_end(name: str, box: str, points: list[str]) -> None:
    assert texts(review(**{name: box})) == points


@pytest.mark.parametrize(
    ("box", "count"),
    [
        (
            "The router is never ablated, so its part in the gain is unknown. "
            "Another concern is that Table 2 reports a single seed.",
            2,
        ),
        (
            "- The comparison is unfair.\n    - The baseline is not tuned.\n- No code is given.",
            2,  # reasons below a weakness stay with it
        ),
        ("Minor:\n- Page 3: 'teh' should read 'the'.\n- Line 40: missing comma.", 1),
        ("- The paper has typos. The introduction is too long.", 2),  # words, then the matter
        ("Typos:\n- l. 3: x_i is x_j.\n- l. 9: 'a' -> 'an'.\nIs Lemma 2 needed?", 2),
        ("- No seeds are given. Furthermore, the router is never compared with a baseline.", 2),
        ("- No seeds are given. Further the chosen data sets are easy.", 2),
        ("- The method is slow. And the technical novelty is limited.", 2),
        ("- Marginal gain. Moreover, the gain is limited to one data set.", 1),  # a title first
        ("- The gain is limited. It also vanishes with more experts.", 1),
        ("- No seeds are given. Another issue is the choice of the router.", 2),
        ("- The claim is unclear. First, no gate is defined. It is only drawn.", 1),
        ("- No code is given.\n\n  The proof of Lemma 2 is missing.", 2),
        ("1. How were the experts chosen? Were the experts tuned on the test set?", 1),
        ("1. How were the experts chosen? Have you tried the router on speech data?", 2),
        (
            "1. How is the gate trained? Its loss has two terms. "
            "Which optimiser was used to train the router?",
            2,
        ),
        ("- The variance should be reported. How many experts are idle?", 2),
        ("- The variance should be reported. How large is this variance?", 1),
        ("The proof is hard to follow. Overall, I lean to reject. Why two layers?", 1),
        (
            "- The design is not justified, as a router can be trained in two ways. "
            "(1) Gradients pass the gate. (2) Rewards train the gate.",
            1,  # cases counted within an argument
        ),
    ],
)
def test_a_new_concern_is_a_new_point_and_a_reason_is_none(box: str, count: int) -> None:
    assert len(texts(review(weaknesses=box))) == count


@pytest.mark.parametrize(
    ("name", "box"),
    [
        ("weaknesses", "I have some concerns about the experiments (see below)."),
        ("questions", "My questions are listed in the weaknesses section above."),
        ("questions", "All questions, see Weaknesses."),
        ("weaknesses", "Overall, the router is too weak a contribution. I recommend rejection."),
        ("limitations", "The limitations are discussed in Section 6."),
        ("limitations", "Yes, the authors adequately discuss the limitations of the router."),
        ("limitations", "There is no negative societal impact."),
        ("clarity,_quality,_novelty_and_reproducibility", "Reproducibility: not sure."),
        (
            "clarity,_quality,_novelty_and_reproducibility",
            "Besides some typos, the paper is easy to follow.",
        ),
    ],
)
def test_pointers_announcements_grades_and_verdicts_are_no_points(name: str, box: str) -> None:
    assert split_review(review(**{name: box}), include_limitations=True) == ()


@pytest.mark.parametrize(
    ("name", "box", "points"),
    [
        (
            "limitations",
            "The limitations are not discussed.",
            ["The limitations are not discussed."],
        ),
        (
            "limitations",
            "The limitations are discussed, but only in the appendix.",
            ["The limitations are discussed, but only in the appendix."],
        ),
        ("weaknesses", "The novelty is limited.", ["The novelty is limited."]),
        (
            "weaknesses",
            "This paper only applies a known router.",
            ["This paper only applies a known router."],
        ),
        (
            "strength_and_weaknesses",  # neutral sentences before a criticism, and denied praise
            "The router picks two experts. This choice is never ablated. "
            "The gain is good, though it holds for one seed.",
            [
                "The router picks two experts. This choice is never ablated. "
                "The gain is good, though it holds for one seed."
            ],
        ),
    ],
)
def test_a_contrast_or_a_denial_is_no_praise(name: str, box: str, points: list[str]) -> None:
    found = split_review(review(**{name: box}), include_limitations=True)

    assert [point.text for point in found] == points


@pytest.mark.parametrize(
    "marks",
    [
        ("1. ", "2. "),
        ("(1) ", "(2) "),
        ("1) ", "2) "),
        ("a) ", "b) "),
        ("W1: ", "W2: "),
        ("Q1. ", "Q2. "),
        ("Weakness 1 - ", "Weakness 2 - "),
        ("**Q1** ", "**Q2** "),
        ("[W1] ", "[W2] "),
        ("**W1:** ", "**W2:** "),
        ("#1 ", "#2 "),
    ],
)
def test_numbers_and_labels_are_left_off(marks: tuple[str, str]) -> None:
    box = f"{marks[0]}The router is never ablated.\n{marks[1]}Table 2 lacks units."

    assert texts(review(weaknesses=box)) == ["The router is never ablated.", "Table 2 lacks units."]


def test_points_are_numbered_from_one_in_reading_order() -> None:
    points = split_review(review(weaknesses="- No seeds.\n- No code.", questions="Why two layers?"))

    assert [point.number for point in points] == [1, 2, 3]
    assert [point.role for point in points] == [Role.WEAKNESSES, Role.WEAKNESSES, Role.QUESTIONS]


def test_lead_in_of_a_list_becomes_context() -> None:
    points = split_review(
        review(weaknesses="I have the following concerns:\n- No seeds are given.\n- No code.")
    )

    assert [point.text for point in points] == ["No seeds are given.", "No code."]
    assert {point.context for point in points} == {"I have the following concerns:"}


def test_nested_bullets_under_a_title_are_points_with_the_title_as_context() -> None:
    points = split_review(
        review(weaknesses="- Experiments:\n    - Only one data set.\n    - No error bars.")
    )

    assert [(p.text, p.context) for p in points] == [
        ("Only one data set.", "Experiments:"),
        ("No error bars.", "Experiments:"),
    ]


@pytest.mark.parametrize(
    "box",
    ["-", "N/A", "None", "None.", "See above", "See above.", "n/a", "", " \r\n", "No questions."],
)
def test_empty_boxes_give_no_points(box: str) -> None:
    assert split_review(review(weaknesses=box, questions=box)) == ()


def test_summary_strengths_scores_and_later_words_give_no_points() -> None:
    closed = "The evaluation is not convincing and lacks a baseline."

    assert (
        split_review(
            review(summary=closed, strengths=closed, rating="3", final_justification=closed)
        )
        == ()
    )


@pytest.mark.parametrize(
    "given_review",
    [
        review(strengths="The paper is well written. I like the idea."),
        review(
            text="Strengths:\n\nThe paper is well written. I like the idea.\n\nWeaknesses:\n\nNo."
        ),
        review(
            strength_and_weaknesses="**Strengths**\n\nThe paper is well written. I like the idea."
        ),
    ],
)
def test_strengths_that_are_praise_in_prose_are_points_when_asked(given_review: Review) -> None:
    found = split_review(given_review, include_strengths=True)

    assert [one.text for one in found if one.role is Role.STRENGTHS] == [
        "The paper is well written. I like the idea."
    ]
    assert not split_review(given_review)


def test_limitations_give_points_unless_left_out_and_strengths_when_asked() -> None:
    given_review = review(strengths="- Simple idea.", limitations="- Only one language.")

    both = split_review(given_review, include_limitations=True, include_strengths=True)

    assert split_review(given_review, include_limitations=False) == ()
    assert [point.role for point in both] == [Role.STRENGTHS, Role.LIMITATIONS]


@pytest.mark.parametrize(
    ("good", "bad"),
    [("Strengths:", "Weaknesses:"), ("Pros", "Cons"), ("**Strengths**", "**Weaknesses**")],
)
def test_subheadings_part_praise_from_criticism(good: str, bad: str) -> None:
    box = f"{good}\n- The idea is simple.\n\n{bad}\n- The router is never ablated."
    (point,) = split_review(review(strength_and_weaknesses=box))

    assert (point.text, point.role) == ("The router is never ablated.", Role.WEAKNESSES)
    assert bad.strip(":*") == point.section


def test_boxes_that_confirm_give_no_points() -> None:
    found = texts(
        review(
            claims_and_evidence="The claims are well supported by extensive experiments.",
            theoretical_claims="I did not check the proofs.",
            essential_references_not_discussed="None.",
            experimental_designs_or_analyses="The comparison in Table 1 is unfair.",
        )
    )

    assert found == ["The comparison in Table 1 is unfair."]


WHOLE = """Summary Of The Paper:

The paper trains a router. It is limited to two experts.

Strength And Weaknesses:

Strengths:
1. The idea is simple.

Weaknesses:
1. The router is never ablated.
2. Table 2 reports one seed.

Clarity, Quality, Novelty And Reproducibility:

Clarity: The paper is well written. The code is not provided.

Summary Of The Review:

The evaluation is not convincing.
"""


def test_headings_of_a_whole_review_are_recognised() -> None:
    points = split_review(review(text=WHOLE))

    assert [(point.section, point.text) for point in points] == [
        ("Weaknesses", "The router is never ablated."),
        ("Weaknesses", "Table 2 reports one seed."),
        ("Clarity, Quality, Novelty And Reproducibility", "The code is not provided."),
    ]


def test_open_sections_name_what_a_model_may_read() -> None:
    sections = open_sections(review(text=WHOLE))

    assert "Weaknesses" in [section.name for section in sections]
    assert all("It is limited to two" not in WHOLE[s.start : s.end] for s in sections)


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("clarity,_quality,_novelty_and_reproducibility", Role.MIXED),
        ("summary_of_the_review", Role.MIXED),
        ("reasons_to_reject", Role.WEAKNESSES),
        ("comments,_suggestions_and_typos", Role.REQUESTS),
        ("requested_changes", Role.REQUESTS),
        ("questions_for_authors", Role.QUESTIONS),
        ("limitations_and_societal_impact", Role.LIMITATIONS),
        ("final_justification", Role.LATE),
        ("recommendation", Role.SUMMARY),
        ("code_of_conduct", Role.IGNORE),
        ("a_box_nobody_knows", Role.MIXED),
    ],
)
def test_box_names_have_the_roles_of_their_forms(name: str, role: Role) -> None:
    assert role is field_role(name)


def test_proposals_are_accepted_verbatim_and_numbered_by_position() -> None:
    given_review = review(rating="A router.", weaknesses="No seeds  are\ngiven. No code is given.")

    points, rejected = accept_proposed(
        given_review,
        ["No code is given.", "No seeds are given.", "A router.", "No data.", "seeds are", " "],
    )

    assert [(point.number, point.point_id, point.text) for point in points] == [
        (1, content_id("r", "No seeds are given."), "No seeds  are\ngiven."),
        (2, content_id("r", "No code is given."), "No code is given."),
    ]
    assert rejected == ("A router.", "No data.", "seeds are", " ")


def test_the_same_proposal_twice_is_rejected_once() -> None:
    points, rejected = accept_proposed(review(weaknesses="No seeds."), ["No seeds.", " No  seeds."])

    assert (len(points), rejected) == (1, (" No  seeds.",))


PIECES = st.lists(
    st.one_of(
        st.text(max_size=30),
        st.sampled_from(
            [
                "\n",
                "\r\n",
                "- ",
                "1. ",
                "W1: ",
                "Weaknesses:\n",
                "Strengths:\n",
                "Why? ",
                "(",
                "$",
                "However, it is unclear. ",
                "It is well written. ",
                "the following concerns:\n",
                "😀",
            ]
        ),
    ),
    max_size=25,
).map("".join)


@settings(max_examples=150, deadline=None)
@given(PIECES, PIECES, st.sampled_from(["text", "weaknesses", "questions", "odd"]))
def test_spans_are_verbatim_ordered_and_apart(first: str, second: str, name: str) -> None:
    given_review = review(**{name: first, "requested_changes": second})
    points = split_review(given_review, include_limitations=True, include_strengths=True)

    order = list(given_review.fields)
    places = [(order.index(p.span.field), p.span.start, p.span.end) for p in points]
    assert [given_review.fields[p.span.field][p.span.start : p.span.end] for p in points] == [
        p.text for p in points
    ]
    assert places == sorted(places)
    assert all(a[0] < b[0] or a[2] <= b[1] for a, b in itertools.pairwise(places))
    assert all(p.text.strip() == p.text and p.text for p in points)
    assert all(p.context in given_review.fields[p.span.field] for p in points)
    assert points == split_review(given_review, include_limitations=True, include_strengths=True)


@settings(max_examples=100, deadline=None)
@given(PIECES, st.lists(st.text(max_size=12), max_size=6))
def test_accepted_proposals_are_verbatim_and_apart(text: str, proposals: list[str]) -> None:
    given_review = review(text=text)
    wanted = [*proposals, text[2:9], text[5:14]]
    points, rejected = accept_proposed(given_review, wanted)

    assert len(points) + len(rejected) == len(wanted)
    assert all(text[p.span.start : p.span.end] == p.text for p in points)
    assert all(a.span.end <= b.span.start for a, b in itertools.pairwise(points))


@pytest.mark.parametrize(
    "unit",
    [
        "(",
        "$",
        "a",
        "\n",
        "- ",
        "1. x\n",
        "Why? ",
        "**",
        "It is unclear. ",
        "The idea is [novel\n",
        "- a:\n  - b\n",
        "e.g. ",
        "\x00",
        "word ",
        "W1",
        "- the\n\n",
        "http://",
    ],
)
def test_a_review_of_200_000_strange_characters_is_split(unit: str) -> None:
    text = (unit * (200_000 // len(unit) + 1))[:200_000]

    points = split_review(review(weaknesses=text))

    assert all(text[point.span.start : point.span.end] == point.text for point in points)


@pytest.mark.shared
def test_every_line_of_model_written_reviews_is_a_point() -> None:
    path = SHARED / "iclr2022" / "sample12" / "reviews.jsonl"
    if not path.exists():
        pytest.skip(f"development data not found: {path}")
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        given_review = Review(
            review_id=record["review_id"], paper_id=record["paper_id"], fields=record["sections"]
        )
        covered = {name: [False] * len(box) for name, box in given_review.fields.items()}
        points = split_review(given_review)
        repeats = (again.span for point in points for again in point.occurrences)
        for span in itertools.chain((point.span for point in points), repeats):
            covered[span.field][span.start : span.end] = [True] * (span.end - span.start)
        for name in ("weaknesses", "questions"):
            box = given_review.fields.get(name, "")
            lost = "".join(c for c, kept in zip(box, covered[name], strict=True) if not kept)
            assert lost.replace("-", "").strip() == ""
