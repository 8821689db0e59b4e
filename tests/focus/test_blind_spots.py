"""What a system overlooks that a reference sees, and what a review leaves out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.stats import false_discovery_control

from reviewscore.focus.blind_spots import (
    FacetDifference,
    all_gaps,
    contributions,
    differences,
    false_discovery,
    spots,
)
from reviewscore.focus.distribution import ReviewKey, coded, share
from reviewscore.focus.facets import FacetKind, Labelled, Polarity
from reviewscore.focus.tables import difference_table
from reviewscore.schema.focus import FocusGap, ReviewGaps
from reviewscore.stats.resampling import Clusters, swapped
from tests.focus.invented import QUICK, SMALL, on_both_sides, point, strengths, studies, weaknesses


def found(points: Sequence[Labelled]) -> dict[tuple[str, str], FacetDifference]:
    every = differences(coded(points, SMALL), "model", "people", QUICK)
    return {(one.polarity, one.facet): one for one in every}


def biased(papers: int = 20) -> list[Labelled]:
    """The model never asks for novelty; people do on every paper."""
    points: list[Labelled] = []
    for at in range(papers):
        points += weaknesses("people", f"p{at}", "method/novelty", "experiment/validity")
        points += weaknesses("model", f"p{at}", "method/validity", "experiment/validity")
    return points


def test_a_difference_is_system_minus_reference_on_shared_papers() -> None:
    points = weaknesses("people", "p1", "method/novelty", "theory/validity")
    points += weaknesses("model", "p1", *["method/novelty"] * 3, "experiment/validity")
    points += weaknesses("people", "p2", *["theory/validity"] * 9)

    one = found(points)["weakness", "method"]

    assert (one.system, one.reference) == (0.75, 0.5)
    assert (one.estimate.value, one.estimate.n) == (0.25, 1)
    assert one.estimate.dropped == {"papers without a review of the system": 1}


def test_an_overlooked_facet_is_found_and_the_one_in_its_place() -> None:
    every = differences(coded(biased(), SMALL), "model", "people", QUICK)

    seen = spots(every)

    assert [one.facet for one in seen] == ["novelty", "validity"]
    novelty = seen[0]
    assert (novelty.kind, novelty.polarity) == (FacetKind.ASPECT, Polarity.WEAKNESS)
    assert novelty.estimate.value == -0.5
    assert novelty.estimate.p == pytest.approx(1 / 201)  # the smallest that 200 permutations give


def test_spots_are_ranked_by_the_size_of_the_difference() -> None:
    points = weaknesses("people", "p1", *["method/validity"] * 3, "theory/validity")
    points += weaknesses("model", "p1", *["experiment/validity"] * 4)

    seen = spots(differences(coded(points, SMALL), "model", "people", QUICK), rate=1.0)

    assert [one.facet for one in seen] == ["experiment", "method", "theory"]


def test_equal_systems_have_no_blind_spots() -> None:
    points = [
        one
        for at in range(10)
        for who in ("people", "model")
        for one in weaknesses(who, f"p{at}", "method/novelty", "theory/validity")
    ]

    every = differences(coded(points, SMALL), "model", "people", QUICK)
    seen = spots(every, rate=1.0)

    assert seen == []
    assert {one.estimate.p for one in every if one.q is not None} == {1.0}


def test_a_facet_that_neither_raises_is_not_tested_nor_in_the_family() -> None:
    one = found(biased())["weakness", "theory"]

    assert (one.estimate.value, one.estimate.p, one.q) == (0.0, None, None)


def test_a_side_without_strengths_has_no_difference_and_says_why() -> None:
    points = weaknesses("model", "p1", "method/novelty")
    points += weaknesses("people", "p1", "method/novelty") + strengths(
        "people", "p1", "theory/novelty"
    )

    one = found(points)["strength", "theory"]

    assert (one.system, one.reference, one.estimate.value) == (None, 1.0, None)
    assert one.estimate.reason == "no point with a known facet"
    assert (one.estimate.p, one.q) == (None, None)


def test_without_a_shared_paper_all_papers_of_each_count() -> None:
    points: list[Labelled] = []
    for at in range(20):
        points += weaknesses("people", f"p{at}", "method/novelty", "experiment/validity")
        points += weaknesses("model", f"q{at}", "method/validity", "experiment/validity")

    every = differences(coded(points, SMALL), "model", "people", QUICK)

    assert not any(one.paired for one in every)
    seen = {(one.polarity, one.facet): one for one in every}["weakness", "novelty"]
    assert (seen.system, seen.reference, seen.estimate.n) == (0.0, 0.5, 40)
    assert seen.estimate.high is not None
    assert seen.estimate.high < 0
    assert seen.q is not None
    assert seen.q < 0.05
    assert "all papers of each count" in difference_table(every, "model", "people").notes[0]


def test_of_one_paper_no_difference_is_significant() -> None:
    every = found(biased(papers=1)).values()

    assert {one.q for one in every if one.q is not None} == {1.0}


def test_with_as_many_points_on_both_sides_the_test_swaps_the_counts() -> None:
    rng = np.random.default_rng(2)
    sides = [rng.multinomial(6, one, size=15).astype(float) for one in ([0.5, 0.5], [0.3, 0.7])]
    clusters = Clusters.by([f"{at:02d}" for at in range(15)])
    pair = contributions(*sides, 0)
    assert pair is not None

    linear = swapped([pair], clusters)
    counts = swapped([(share(sides[0], 0), share(sides[1], 0))], clusters)

    assert linear == pytest.approx(counts, abs=1e-12)


def test_contributions_sum_to_the_difference_of_shares() -> None:
    rng = np.random.default_rng(2)
    sides = rng.poisson(2, (2, 9, 4)).astype(float)
    pair = contributions(sides[0], sides[1], 1)
    assert pair is not None

    seen = pair[0].point()[0] - pair[1].point()[0]

    assert seen == pytest.approx(share(sides[0], 1).point()[0] - share(sides[1], 1).point()[0])


def test_five_points_beside_thirty_are_called_different_no_oftener_than_they_should() -> None:
    # Both raise the facet with chance 0.3. Swapped counts reject in 15 % of such studies.
    rng = np.random.default_rng(5)
    clusters = Clusters.by([f"{at:02d}" for at in range(40)])
    often = 0

    for seed in range(300):
        sides = [rng.multinomial(n, [0.3, 0.7], size=40).astype(float) for n in (5, 30)]
        pair = contributions(*sides, 0)
        assert pair is not None
        chance = np.abs(swapped([pair], clusters, permutations=200, seed=seed)[0])
        often += (chance >= abs(pair[0].point()[0] - pair[1].point()[0])).mean() < 0.05

    assert 0.02 < often / 300 < 0.09


def test_adjusted_p_values_are_those_of_scipy_and_leave_out_what_was_not_tested() -> None:
    # Benjamini and Hochberg: 0.01 * 3, 0.02 * 3 / 2 and 0.5.
    assert false_discovery([0.02, None, 0.01, 0.5]) == [
        pytest.approx(0.03), None, pytest.approx(0.03), pytest.approx(0.5),
    ]  # fmt: skip
    assert false_discovery([None]) == [None]
    p_values = np.linspace(0.001, 0.9, 12)
    assert false_discovery(list(p_values)) == pytest.approx(list(false_discovery_control(p_values)))


@settings(max_examples=25)
@given(studies())
def test_exchanging_sides_turns_the_signs(points: Sequence[Labelled]) -> None:
    study = coded(points, SMALL)

    there = differences(study, "model", "people", QUICK)
    back = differences(study, "people", "model", QUICK)

    for one, other in zip(there, back, strict=True):
        if one.estimate.value is not None:
            assert one.estimate.value == pytest.approx(-(other.estimate.value or 0.0))
            assert one.estimate.p == other.estimate.p


@settings(max_examples=25)
@given(studies())
def test_names_of_papers_change_no_difference(points: Sequence[Labelled]) -> None:
    renamed = [
        replace(one, point=replace(one.point, paper_id=f"x{9 - int(one.point.paper_id[1:])}"))
        for one in points
    ]

    one, other = found(points), found(renamed)

    assert [each.estimate.value for each in one.values()] == [
        each.estimate.value for each in other.values()
    ]


def gaps(points: Sequence[Labelled], review: ReviewKey) -> ReviewGaps:
    return dict(all_gaps(coded(points, SMALL)))[review]


def test_a_review_misses_what_the_others_raise_most_often_first() -> None:
    points = [point("people", "p1", "method/validity", review="mine")]
    points += [point("people", "p1", "experiment/novelty", review=name) for name in ("a", "b", "b")]
    points += [point("people", "p1", "theory/validity", review="b")]
    points += [point("people", "p2", "theory/novelty", review="a")]

    seen = gaps(points, ReviewKey("people", "p1", "mine"))

    assert (seen.others, seen.unknown) == (2, 0)
    assert seen.missed == (
        FocusGap(polarity="weakness", kind="target", facet="experiment", others=2),
        FocusGap(polarity="weakness", kind="aspect", facet="novelty", others=2),
        FocusGap(polarity="weakness", kind="target", facet="theory", others=1),
    )


def test_praise_of_a_facet_is_no_criticism_of_it() -> None:
    points = strengths("model", "p1", "method/novelty") + weaknesses(
        "people", "p1", "method/novelty"
    )

    seen = gaps(points, ReviewKey("model", "p1", "r1"))

    assert {one.polarity for one in seen.missed} == {Polarity.WEAKNESS}
    assert len(seen.missed) == 2


def test_unknown_labels_of_a_review_are_told_and_those_of_others_raise_nothing() -> None:
    points = on_both_sides(weaknesses, "p1", "method/unknown")

    seen = gaps(points, ReviewKey("model", "p1", "r1"))

    assert (seen.unknown, seen.missed) == (1, ())


def test_the_only_review_of_a_paper_misses_nothing_known() -> None:
    points = weaknesses("model", "p1", "method/novelty")

    seen = gaps(points, ReviewKey("model", "p1", "r1"))

    assert (seen.others, seen.missed) == (0, ())


@settings(max_examples=40)
@given(studies())
def test_what_is_missed_is_raised_by_others_and_not_by_the_review(
    points: Sequence[Labelled],
) -> None:
    study = coded(points, SMALL)

    for review, found in all_gaps(study):
        for one in found.missed:
            raised = {
                (each.point.system, each.point.review_id)
                for each in points
                if each.point.paper_id == review.paper_id
                and each.point.polarity == one.polarity
                and one.facet == (each.target if one.kind == FacetKind.TARGET else each.aspect)
            }
            assert (review.system, review.review_id) not in raised
            assert len(raised) == one.others
            assert 1 <= one.others <= found.others
