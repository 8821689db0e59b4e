"""What became of readers' points in a program's pieces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.agreement.segmentation import Cut, Piece, matches, segmentation
from reviewscore.schema.span import Span


def piece(start: int, end: int, review: str = "R1", field: str = "text") -> Piece:
    """Letters from one offset to another."""
    return Piece(review, frozenset((field, at) for at in range(start, end)))


def test_only_letters_and_digits_of_the_spans_count() -> None:
    fields = {"weaknesses": "(1) No ablation.", "questions": "Why?"}
    spans = [
        Span(field="weaknesses", start=0, end=6),
        Span(field="questions", start=0, end=40),
    ]

    found = Piece.of("R1", fields, spans)

    assert found.places == {
        ("weaknesses", 1), ("weaknesses", 4), ("weaknesses", 5),
        ("questions", 0), ("questions", 1), ("questions", 2),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("pieces", "became"),
    [
        ([piece(0, 100)], Cut.WHOLE),
        ([piece(0, 75)], Cut.WHOLE),
        ([piece(0, 74)], Cut.CLIPPED),
        ([piece(0, 26)], Cut.CLIPPED),
        ([piece(80, 130)], Cut.MISSED),
        ([piece(0, 50), piece(50, 100)], Cut.CUT),
        ([], Cut.MISSED),
        ([piece(0, 100, review="R2")], Cut.MISSED),
        ([piece(0, 100, field="questions")], Cut.MISSED),
        ([piece(0, 19)], Cut.MISSED),
    ],
)
def test_a_point_alone_is_whole_clipped_cut_or_missed(pieces: list[Piece], became: Cut) -> None:
    assert segmentation([piece(0, 100)], pieces).cuts == (became,)


def test_points_that_one_piece_holds_are_merged() -> None:
    found = segmentation([piece(0, 100), piece(100, 200)], [piece(0, 200)])

    assert found.cuts == (Cut.MERGED, Cut.MERGED)
    assert found.pieces == (None, None)
    assert found.no_points == ()


def test_a_piece_with_a_little_of_the_next_point_merges_nothing() -> None:
    found = segmentation([piece(0, 100), piece(100, 200)], [piece(0, 120), piece(120, 200)])

    assert found.cuts == (Cut.WHOLE, Cut.WHOLE)
    assert found.pieces == (0, 1)


def test_a_point_inside_another_is_not_merged_with_it() -> None:
    found = segmentation([piece(0, 100), piece(0, 60)], [piece(0, 100)])

    assert found.cuts[0] is Cut.WHOLE
    assert found.cuts[1] is Cut.WHOLE


def test_a_piece_without_a_point_is_none() -> None:
    pieces = [piece(0, 100), piece(200, 300), piece(90, 200)]

    assert segmentation([piece(0, 100)], pieces).no_points == (1, 2)


def test_points_without_letters_are_missed() -> None:
    assert segmentation([Piece("R1", frozenset())], [piece(0, 9)]).cuts == (Cut.MISSED,)


def test_points_match_one_to_one_the_closest_first() -> None:
    first = [piece(0, 100), piece(0, 80)]
    second = [piece(0, 82), piece(300, 400)]

    assert matches(first, second) == [(1, 0)]
    assert matches(second, first) == [(0, 1)]


def test_points_match_from_half_of_their_union_on() -> None:
    assert matches([piece(0, 100)], [piece(0, 50)]) == [(0, 0)]
    assert matches([piece(0, 100)], [piece(0, 49)]) == []
    assert matches([piece(0, 100)], [piece(0, 100, review="R2")]) == []
    assert matches([Piece("R1", frozenset())], [Piece("R1", frozenset())]) == []


PIECES = st.lists(
    st.builds(
        lambda start, size, review: piece(start, start + size, review),
        st.integers(0, 60),
        st.integers(1, 40),
        st.sampled_from(["R1", "R2"]),
    ),
    max_size=8,
)


@given(PIECES, PIECES)
def test_matches_are_the_same_from_both_sides_and_use_each_once(
    first: list[Piece], second: list[Piece]
) -> None:
    pairs = matches(first, second)

    assert len({left for left, _ in pairs}) == len({right for _, right in pairs}) == len(pairs)
    assert all(first[a].review_id == second[b].review_id for a, b in pairs)
    assert len(matches(second, first)) == len(pairs)


@given(PIECES)
def test_a_reader_agrees_with_itself(points: list[Piece]) -> None:
    distinct = list(dict.fromkeys(points))

    assert len(matches(distinct, distinct)) == len(distinct)


@given(PIECES, PIECES)
def test_every_point_gets_one_verdict_and_whole_points_their_piece(
    points: list[Piece], pieces: list[Piece]
) -> None:
    found = segmentation(points, pieces)

    assert len(found.cuts) == len(found.pieces) == len(points)
    for point, became, held in zip(points, found.cuts, found.pieces, strict=True):
        assert (held is not None) == (became is Cut.WHOLE)
        if held is not None:
            assert len(point.places & pieces[held].places) >= 0.75 * len(point.places)
            assert held not in found.no_points
    for number in found.no_points:
        for point in points:
            if point.review_id == pieces[number].review_id:
                assert len(point.places & pieces[number].places) < 0.5 * len(pieces[number].places)


@given(PIECES)
def test_nothing_is_lost_where_the_program_cuts_as_the_reader(points: list[Piece]) -> None:
    distinct = list(dict.fromkeys(points))

    found = segmentation(distinct, distinct)

    assert found.no_points == ()
    assert not {Cut.MISSED, Cut.CLIPPED} & set(found.cuts)
