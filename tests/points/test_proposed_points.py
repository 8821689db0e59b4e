"""What a model says of the points it proposes: kind, type, repeats and lead-ins, all checked."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from reviewscore.points.split import accept_proposed, proposal_sections, split_review
from reviewscore.schema.review import (
    Neighbours,
    Occurrence,
    PointKind,
    PointType,
    ProposedPoint,
    Review,
    ReviewPoint,
    Role,
)
from reviewscore.schema.span import Span

REVIEW = Review(
    review_id="r",
    paper_id="p",
    fields={
        "summary": "A frog counter. Sadly it is slow. It counts frogs.",
        "strengths": "Clear prose, though one pond is few.",
        "weaknesses": (
            "The tests are thin in these ways:\n- Only one  pond was used. Was it deep?\n"
            "- It is slow.\n\nThe pond is not described. Its depth matters."
        ),
        "limitations": "Yes. Snow is not discussed.",
        "final_justification": "Rain is ignored.",
    },
)


def accepted(*points: ProposedPoint) -> tuple[ReviewPoint, ...]:
    return accept_proposed(REVIEW, points)[0]


def test_kind_and_type_of_a_proposal_stay_with_its_point() -> None:
    (point,) = accepted(
        ProposedPoint(text="Was it deep?", kind=PointKind.QUESTION, type=PointType.QUESTION)
    )

    assert (point.kind, point.type) == (PointKind.QUESTION, PointType.QUESTION)


def test_texts_alone_have_the_kind_that_rules_tell_and_no_type() -> None:
    points, _ = accept_proposed(REVIEW, ["Was it deep?"])

    assert [(point.kind, point.type) for point in points] == [(PointKind.QUESTION, None)]
    assert {point.type for point in split_review(REVIEW)} == {None}


def test_a_repeat_that_is_verbatim_is_an_occurrence_with_its_place() -> None:
    (point,) = accepted(
        ProposedPoint(text="It is slow.", also=("Sadly it is  slow.", "It is sluggish."))
    )

    assert point.section == "weaknesses"
    assert point.occurrences == (
        Occurrence(
            section="summary",
            text="Sadly it is slow.",
            span=Span(field="summary", start=16, end=33),
        ),
    )


def test_a_repeat_inside_a_point_or_another_repeat_is_left_out() -> None:
    points = accepted(
        ProposedPoint(text="The pond is not described.", also=("Was it deep?",)),
        ProposedPoint(text="Only one pond was used. Was it deep?", also=("one pond is few",)),
        ProposedPoint(text="It is slow.", also=("pond is few", "Sadly it is slow.")),
    )

    assert [[again.text for again in point.occurrences] for point in points] == [
        ["one pond is few"],
        ["Sadly it is slow."],
        [],
    ]


def test_a_lead_in_is_the_reviews_own_words_or_nothing() -> None:
    first, second, third = accepted(
        ProposedPoint(text="Only one pond was used.", lead_in="The tests are  thin in these ways:"),
        ProposedPoint(text="It is slow.", lead_in="The tests are bad:"),
        ProposedPoint(text="Its depth matters.", lead_in="The pond is not described."),
    )

    assert first.context == "The tests are thin in these ways:"
    assert second.context == ""
    assert third.context == "The pond is not described."


def test_criticism_in_a_summary_among_strengths_and_limitations_may_be_proposed() -> None:
    texts = ["Sadly it is slow.", "one pond is few", "Snow is not discussed.", "Rain is ignored."]

    points, rejected = accept_proposed(REVIEW, texts)

    assert [(point.text, point.role) for point in points] == [
        ("Sadly it is slow.", Role.SUMMARY),
        ("one pond is few", Role.STRENGTHS),
        ("Snow is not discussed.", Role.LIMITATIONS),
    ]
    assert rejected == ("Rain is ignored.",)
    assert accept_proposed(REVIEW, texts, include_limitations=False)[1] == tuple(texts[2:])
    assert [section.name for section in proposal_sections(REVIEW)] == [*REVIEW.fields][:4]


def test_neighbours_are_the_sentences_around_a_point() -> None:
    by_text = {point.text: point.neighbours for point in accept_proposed(
        REVIEW, ["Was it deep?", "It is slow.", "Its depth matters."])[0]}  # fmt: skip

    assert by_text == {
        "Was it deep?": Neighbours(before="Only one  pond was used.", after="It is slow."),
        "It is slow.": Neighbours(before="Was it deep?", after="The pond is not described."),
        "Its depth matters.": Neighbours(before="The pond is not described.", after=""),
    }


def test_a_point_with_all_that_is_known_of_it_survives_being_written() -> None:
    (point,) = accepted(
        ProposedPoint(
            text="It is slow.",
            kind=PointKind.CRITICISM,
            type=PointType.CLAIM,
            also=("Sadly it is slow.",),
            lead_in="The tests are thin in these ways:",
        )
    )

    assert ReviewPoint.model_validate_json(point.model_dump_json()) == point


WORDS = st.lists(
    st.sampled_from(["Slow.", "One pond.", " ", "\n- ", "\n\n", "Why?", "e", "\u200b", "😀"]),
    max_size=14,
).map("".join)


@settings(max_examples=100, deadline=None)
@given(WORDS, WORDS, st.lists(st.tuples(WORDS, WORDS, WORDS), max_size=4))
def test_points_and_their_repeats_are_verbatim_and_apart(
    first: str, second: str, proposals: list[tuple[str, str, str]]
) -> None:
    fields = {"weaknesses": first, "questions": second}
    review = Review(review_id="r", paper_id="p", fields=fields)
    points, _ = accept_proposed(
        review,
        [ProposedPoint(text=text, also=(also,), lead_in=lead) for text, also, lead in proposals],
    )

    places = [(point.span, point.text) for point in points]
    places += [(again.span, again.text) for point in points for again in point.occurrences]
    spans = sorted((span.field, span.start, span.end) for span, _ in places)
    assert all(fields[span.field][span.start : span.end] == text for span, text in places)
    assert all(a[0] != b[0] or a[2] <= b[1] for a, b in itertools.pairwise(spans))
    assert all(point.context in fields[point.span.field] for point in points)
    for point in points:
        assert point.neighbours is not None
        assert point.neighbours.before in fields[point.span.field][: point.span.start]
        assert point.neighbours.after in fields[point.span.field][point.span.end :]


def test_a_concern_that_returns_in_another_section_is_one_point_by_the_rules_too() -> None:
    fields = {
        "weaknesses": "- No turtle baseline was trained on the muddy estuary.\n- Slow.",
        "questions": "Why was no turtle baseline trained on the muddy estuary?\n\nWhich seeds?",
    }
    review = Review(review_id="r", paper_id="p", fields=fields)

    points = split_review(review)

    assert [(point.number, point.text) for point in points] == [
        (1, "No turtle baseline was trained on the muddy estuary."),
        (2, "Slow."),
        (3, "Which seeds?"),
    ]
    assert [again.text for again in points[0].occurrences] == [
        "Why was no turtle baseline trained on the muddy estuary?"
    ]
    assert points[1].occurrences == ()
