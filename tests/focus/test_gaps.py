"""What a review leaves out, beside the other reviews of its paper."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings

from reviewscore.errors import InputError
from reviewscore.focus.blind_spots import Missed, all_gaps, gaps
from reviewscore.focus.distribution import Review, coded
from reviewscore.focus.facets import Kind, Labelled, Polarity
from tests.focus.invented import SMALL, point, strengths, studies, weaknesses


def test_a_review_misses_what_the_others_raise_most_often_first() -> None:
    points = [point("people", "p1", "method/validity", review="mine")]
    points += [point("people", "p1", "experiment/novelty", review=name) for name in ("a", "b", "b")]
    points += [point("people", "p1", "theory/validity", review="b")]
    points += [point("people", "p2", "theory/novelty", review="a")]

    seen = gaps(coded(points, SMALL), Review("people", "p1", "mine"))

    assert (seen.others, seen.unknown) == (2, 0)
    assert seen.missed == (
        Missed(Polarity.WEAKNESS, Kind.TARGET, "experiment", 2),
        Missed(Polarity.WEAKNESS, Kind.ASPECT, "novelty", 2),
        Missed(Polarity.WEAKNESS, Kind.TARGET, "theory", 1),
    )


def test_praise_of_a_facet_is_no_criticism_of_it() -> None:
    points = strengths("model", "p1", "method/novelty") + weaknesses(
        "people", "p1", "method/novelty"
    )

    seen = gaps(coded(points, SMALL), Review("model", "p1", "r1"))

    assert {one.polarity for one in seen.missed} == {Polarity.WEAKNESS}
    assert len(seen.missed) == 2


def test_unknown_labels_of_a_review_are_told_and_those_of_others_raise_nothing() -> None:
    points = weaknesses("model", "p1", "method/unknown") + weaknesses(
        "people", "p1", "method/unknown"
    )

    seen = gaps(coded(points, SMALL), Review("model", "p1", "r1"))

    assert (seen.unknown, seen.missed) == (1, ())


def test_the_other_reviews_can_be_those_of_some_systems() -> None:
    points = weaknesses("model", "p1", "method/novelty") + weaknesses(
        "other", "p1", "theory/novelty"
    )
    points += weaknesses("people", "p1", "experiment/novelty")

    seen = gaps(coded(points, SMALL), Review("model", "p1", "r1"), among=["people"])

    assert [one.facet for one in seen.missed] == ["experiment"]
    assert seen.others == 1


def test_the_only_review_of_a_paper_misses_nothing_known() -> None:
    study = coded(weaknesses("model", "p1", "method/novelty"), SMALL)

    seen = gaps(study, Review("model", "p1", "r1"))

    assert (seen.others, seen.missed) == (0, ())


def test_a_review_that_is_not_there_is_refused() -> None:
    study = coded(weaknesses("model", "p1", "method/novelty"), SMALL)

    with pytest.raises(InputError, match="no review 'r2' of paper 'p1' by 'model'"):
        gaps(study, Review("model", "p1", "r2"))


@settings(max_examples=40)
@given(studies())
def test_what_is_missed_is_raised_by_others_and_not_by_the_review(
    points: Sequence[Labelled],
) -> None:
    study = coded(points, SMALL)

    for found in all_gaps(study):
        assert found == gaps(study, found.review)
        for one in found.missed:
            raised = {
                (each.point.system, each.point.review_id)
                for each in points
                if each.point.paper_id == found.review.paper_id
                and each.point.polarity is one.polarity
                and one.facet == (each.target if one.kind is Kind.TARGET else each.aspect)
            }
            assert (found.review.system, found.review.review_id) not in raised
            assert len(raised) == one.others
            assert 1 <= one.others <= found.others
