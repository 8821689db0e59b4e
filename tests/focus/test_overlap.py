from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from sklearn.metrics import precision_recall_fscore_support

from reviewscore.focus.distribution import ReviewKey, coded
from reviewscore.focus.facets import Facet, FacetKind, FacetSet, Labelled, Polarity
from reviewscore.focus.overlap import (
    OverlapScore,
    Sets,
    ask_facets,
    ask_sets,
    facet_score,
    pair_sets,
    presence,
    set_score,
)
from reviewscore.stats.estimates import BootstrapPlan
from reviewscore.stats.resampling import Clusters
from reviewscore.stats.statistic import MissingReason
from tests.focus.invented import QUICK, SMALL, on_both_sides, point, strengths, studies, weaknesses


def sets_of(points: Sequence[Labelled], polarity: Polarity = Polarity.WEAKNESS) -> Sets:
    return pair_sets(coded(points, SMALL), "model", "people", polarity)


def value(score: OverlapScore, *sets: Sets) -> float:
    return set_score(score, sets).point()[0]


def test_worked_example_of_two_papers() -> None:
    # p1: the model has 3 pairs, people 2, 1 in common: P 1/3, R 1/2, F1 2/5. p2: all alike.
    points = weaknesses("model", "p1", "method/novelty", "theory/novelty", "experiment/novelty")
    points += weaknesses("people", "p1", "method/novelty", "method/validity")
    points += weaknesses("model", "p2", "theory/validity", "theory/validity")
    points += weaknesses("people", "p2", "theory/validity")

    found = sets_of(points)

    assert value(OverlapScore.PRECISION, found) == pytest.approx((1 / 3 + 1) / 2)
    assert value(OverlapScore.RECALL, found) == pytest.approx((1 / 2 + 1) / 2)
    assert value(OverlapScore.F1, found) == pytest.approx((2 / 5 + 1) / 2)


def test_reviews_of_one_side_are_one_set() -> None:
    points = weaknesses("model", "p1", "method/novelty", "theory/validity")
    points += [point("people", "p1", "method/novelty", review="r1")]
    points += [point("people", "p1", "theory/validity", review="r2")]

    assert value(OverlapScore.F1, sets_of(points)) == 1.0


def test_one_empty_set_scores_nought_and_is_counted() -> None:
    points = on_both_sides(weaknesses, "p1", "method/novelty")
    points += weaknesses("model", "p2", "method/novelty") + strengths(
        "people", "p2", "method/novelty"
    )

    found = sets_of(points)

    assert found.one_empty == 1
    assert [value(score, found) for score in OverlapScore] == [0.5, 0.5, 0.5]


def test_two_empty_sets_are_left_out_and_counted() -> None:
    points = on_both_sides(weaknesses, "p1", "method/novelty")
    points += on_both_sides(strengths, "p2", "method/novelty")

    found = sets_of(points)

    assert value(OverlapScore.F1, found) == 1.0
    assert found.dropped["papers with no weakness on either side"] == 1


def test_a_set_of_only_unknown_facets_is_not_taken_for_empty() -> None:
    points = on_both_sides(weaknesses, "p1", "method/novelty")
    points += weaknesses("model", "p2", "method/novelty") + weaknesses(
        "people", "p2", "method/unknown"
    )

    found = sets_of(points)

    assert value(OverlapScore.F1, found) == 1.0
    assert found.dropped["papers where a side has only unknown facets"] == 1


def test_a_paper_without_a_review_on_one_side_is_left_out_but_an_empty_review_is_not() -> None:
    points = on_both_sides(weaknesses, "p1", "method/novelty")
    points += weaknesses("people", "p2", "method/novelty")

    missing = sets_of(points)
    named = coded(points, SMALL, reviews=[ReviewKey("model", "p2", "r1")])
    empty = pair_sets(named, "model", "people", Polarity.WEAKNESS)

    assert (value(OverlapScore.F1, missing), value(OverlapScore.F1, empty)) == (1.0, 0.5)
    assert missing.dropped["papers without a review of the system"] == 1


def test_overall_is_the_mean_over_sets_of_strengths_and_of_weaknesses() -> None:
    # Weaknesses: F1 1 and 0. Strengths, of p1 alone: 1.
    points = on_both_sides(weaknesses, "p1", "method/novelty")
    points += weaknesses("model", "p2", "method/novelty") + weaknesses(
        "people", "p2", "theory/novelty"
    )
    points += on_both_sides(strengths, "p1", "theory/novelty")

    both = [sets_of(points, polarity) for polarity in Polarity]

    assert value(OverlapScore.F1, *both) == pytest.approx(2 / 3)
    assert set_score(OverlapScore.F1, both).n == 2


def test_of_a_system_without_strengths_overall_is_that_of_weaknesses() -> None:
    points = on_both_sides(weaknesses, "p1", "method/novelty")
    points += strengths("people", "p1", "method/novelty")
    study = coded(points, SMALL)
    strong, weak = (pair_sets(study, "model", "people", one) for one in Polarity)
    plan = BootstrapPlan(Clusters.by(study.papers), QUICK)

    alone, overall = (
        ask_sets(plan, OverlapScore.F1, [strong]),
        ask_sets(plan, OverlapScore.F1, [strong, weak]),
    )
    plan.run()

    assert (alone.answer.value, alone.answer.reason) == (None, MissingReason.NO_SETS.words)
    assert alone.answer.dropped == {"papers, as one side never has a strength": 1}
    assert (overall.answer.value, overall.answer.n) == (1.0, 1)


def test_facets_of_papers_agree_with_scikit_learn() -> None:
    rng = np.random.default_rng(1)
    targets = SMALL.names(FacetKind.TARGET)
    seen = rng.random((2, 40, 3)) < 0.5
    points = [
        one
        for side, system in enumerate(("model", "people"))
        for paper in range(40)
        for facet in range(3)
        if seen[side, paper, facet]
        for one in weaknesses(system, f"p{paper}", f"{targets[facet]}/novelty")
    ]
    reviews = [
        ReviewKey(system, f"p{at}", "r1") for system in ("model", "people") for at in range(40)
    ]
    raised = presence(coded(points, SMALL, reviews=reviews), "model", "people", FacetKind.TARGET)

    for at, name in enumerate(targets):
        precision, recall, f1, _ = precision_recall_fscore_support(
            seen[1, :, at], seen[0, :, at], average="binary"
        )
        found = [
            facet_score(one, raised, name, Polarity.WEAKNESS).point()[0] for one in OverlapScore
        ]
        assert found == pytest.approx([f1, precision, recall])


def test_both_is_the_mean_of_strengths_and_weaknesses_as_in_the_papers_tables() -> None:
    points = on_both_sides(weaknesses, "p1", "method/novelty")
    points += strengths("model", "p1", "method/novelty") + strengths(
        "people", "p1", "theory/novelty"
    )
    raised = presence(coded(points, SMALL), "model", "people", FacetKind.TARGET)

    assert facet_score(OverlapScore.F1, raised, "method", Polarity.STRENGTH).point()[0] == 0.0
    assert facet_score(OverlapScore.F1, raised, "method", Polarity.WEAKNESS).point()[0] == 1.0
    assert facet_score(OverlapScore.F1, raised, "method").point()[0] == 0.5
    # People never praise the method: its recall is that in weaknesses.
    assert facet_score(OverlapScore.RECALL, raised, "method").point()[0] == 1.0


def test_the_interval_of_both_is_of_the_mean_of_the_two_in_every_resample() -> None:
    points = []
    for at in range(12):
        paper = f"p{at}"
        points += strengths("model", paper, "method/novelty")
        points += strengths("people", paper, "method/novelty")
    # The model finds fault with the method once, people never: F1 is 1 and 0, never 1 alone.
    points += weaknesses("model", "p1", "method/novelty")
    study = coded(points, SMALL)
    raised = presence(study, "model", "people", FacetKind.TARGET)
    plan = BootstrapPlan(Clusters.by(study.papers), QUICK)

    slot = ask_facets(plan, OverlapScore.F1, raised)[0]
    plan.run()

    assert (slot.answer.value, slot.answer.high) == (0.5, 0.5)
    assert 0.2 < slot.answer.undefined < 0.5, "resamples without that paper"


def test_what_cannot_be_divided_has_no_value_and_a_reason() -> None:
    points = weaknesses("model", "p1", "method/novelty") + weaknesses(
        "people", "p1", "theory/novelty"
    )
    study = coded(points, SMALL)
    raised = presence(study, "model", "people", FacetKind.TARGET)
    plan = BootstrapPlan(Clusters.by(study.papers), QUICK)

    rows = {score: ask_facets(plan, score, raised, Polarity.WEAKNESS) for score in OverlapScore}
    plan.run()
    found = {
        score: [(slot.answer.value, slot.answer.reason) for slot in slots]
        for score, slots in rows.items()
    }

    assert found[OverlapScore.F1] == [
        (0.0, ""),
        (0.0, ""),
        (None, MissingReason.NEITHER_RAISES.words),
    ]
    assert found[OverlapScore.PRECISION] == [
        (0.0, ""), (None, MissingReason.NOT_RAISED.words), (None, MissingReason.NOT_RAISED.words),
    ]  # fmt: skip
    assert found[OverlapScore.RECALL] == [
        (None, MissingReason.NOT_EXPECTED.words), (0.0, ""),
        (None, MissingReason.NOT_EXPECTED.words),
    ]  # fmt: skip


@given(studies())
def test_f1_of_sets_lies_between_precision_and_recall(points: Sequence[Labelled]) -> None:
    for polarity in Polarity:
        found = sets_of(points, polarity)
        f1, precision, recall = (found.scores(score) for score in OverlapScore)

        assert (np.minimum(precision, recall) <= f1 + 1e-12).all()
        assert (f1 <= (precision + recall) / 2 + 1e-12).all()


@given(studies())
def test_every_paper_counts_or_is_dropped_with_a_reason(points: Sequence[Labelled]) -> None:
    for polarity in Polarity:
        found = sets_of(points, polarity)

        assert found.counts.sum() + sum(found.dropped.values()) == len(found.counts)


@given(studies())
def test_swapping_sides_swaps_precision_and_recall(points: Sequence[Labelled]) -> None:
    study = coded(points, SMALL)
    for polarity in Polarity:
        there = pair_sets(study, "model", "people", polarity)
        back = pair_sets(study, "people", "model", polarity)

        assert there.scores(OverlapScore.F1) == pytest.approx(back.scores(OverlapScore.F1))
        assert there.scores(OverlapScore.PRECISION) == pytest.approx(
            back.scores(OverlapScore.RECALL)
        )


@given(studies())
def test_a_facet_that_nobody_uses_changes_no_score(points: Sequence[Labelled]) -> None:
    new = Facet(name="new", definition="Of no point.")
    larger = FacetSet("larger", (new, *SMALL.targets), (*SMALL.aspects, new))
    small, large = (coded(points, one) for one in (SMALL, larger))

    for polarity in Polarity:
        one, other = (pair_sets(study, "model", "people", polarity) for study in (small, large))
        for score in OverlapScore:
            assert (one.scores(score) == other.scores(score)).all()
    for kind in FacetKind:
        one_raised, other_raised = (
            presence(study, "model", "people", kind) for study in (small, large)
        )
        for name in SMALL.names(kind):
            for score in OverlapScore:
                assert facet_score(score, one_raised, name).point() == pytest.approx(
                    facet_score(score, other_raised, name).point(), nan_ok=True
                )


@given(studies())
def test_names_of_papers_change_no_score(points: Sequence[Labelled]) -> None:
    renamed = [
        replace(one, point=replace(one.point, paper_id=f"x{9 - int(one.point.paper_id[1:])}"))
        for one in points
    ]

    for score in OverlapScore:
        assert value(score, sets_of(points)) == pytest.approx(
            value(score, sets_of(renamed)), nan_ok=True
        )
