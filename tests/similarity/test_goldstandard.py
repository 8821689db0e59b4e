"""Measures against plain loops over the definitions, and how they react to ties and order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewscore.similarity.comparison import MethodComparison
from reviewscore.similarity.goldstandard import (
    EASY,
    HARD,
    LOSS,
    Ratings,
    chosen_elsewhere,
    measures,
    ratings_of,
)
from reviewscore.similarity.tables import CHOSEN, Honesty, tables
from reviewscore.stats.resampling import Resampling

Rated = Sequence[tuple[float, float]]
"""Of one participant: expertise and similarity of each paper."""


def ratings(people: Sequence[Rated]) -> Ratings:
    return ratings_of(
        [
            (f"person {who}", [(f"paper {at}", pair[0]) for at, pair in enumerate(some)])
            for who, some in enumerate(people)
        ]
    )


def similarity(people: Sequence[Rated]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    out = np.full((1, 1, len(people), max(map(len, people))), np.nan)
    for who, some in enumerate(people):
        out[0, 0, who, : len(some)] = [pair[1] for pair in some]
    return out


def measured(people: Sequence[Rated], name: str, k: int = 3) -> float | None:
    value, _ = measures(ratings(people), similarity(people), (k,))[0][name].point()
    return None if math.isnan(value) else value


def top(some: Rated, by: int, k: int) -> list[int]:
    return sorted(range(len(some)), key=lambda at: -some[at][by])[:k]


def plain_loss(people: Sequence[Rated], touching: tuple[int, int] | None = None) -> float | None:
    lost = total = 0.0
    for some in people:
        first = None if touching is None else set(top(some, *touching))
        for left, right in combinations(range(len(some)), 2):
            if first is not None and not {left, right} & first:
                continue
            apart = some[left][0] - some[right][0]
            product = apart * (some[left][1] - some[right][1])
            total += abs(apart)
            lost += abs(apart) * (1.0 if product < 0 else 0.5 if product == 0 else 0.0)
    return lost / total if total else None


def plain_top(people: Sequence[Rated], k: int) -> dict[str, float]:
    found: dict[str, list[float]] = {"MRR": [], "NDCG": [], "precision": []}
    for some in people:
        wanted, order = top(some, 0, k), top(some, 1, len(some))
        found["MRR"].append(sum(1 / (order.index(one) + 1) for one in wanted) / min(k, len(some)))
        gained, ideal = (
            sum(some[one][0] / math.log2(rank + 2) for rank, one in enumerate(which[:k]))
            for which in (order, wanted)
        )
        found["NDCG"].append(gained / ideal)
        found["precision"].append(len(set(wanted) & set(order[:k])) / k)
    return {name: sum(values) / len(values) for name, values in found.items()}


PEOPLE = st.lists(
    st.lists(
        st.tuples(st.sampled_from([1, 1.25, 2, 3, 4, 4.25, 5]), st.integers(0, 4).map(float)),
        min_size=1,
        max_size=7,
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=150)
@given(people=PEOPLE, k=st.integers(1, 8))
def test_measures_are_what_plain_loops_over_their_definitions_give(
    people: list[list[tuple[float, float]]], k: int
) -> None:
    assert measured(people, LOSS) == pytest.approx(plain_loss(people), nan_ok=True)
    assert measured(people, f"WKTD@{k}", k) == pytest.approx(plain_loss(people, (1, k)))
    assert measured(people, f"WKTD printed@{k}", k) == pytest.approx(plain_loss(people, (0, k)))
    for name, value in plain_top(people, k).items():
        assert measured(people, f"{name}@{k}", k) == pytest.approx(value)


@settings(max_examples=60)
@given(people=PEOPLE)
def test_loss_of_the_opposite_is_one_minus_the_loss(
    people: list[list[tuple[float, float]]],
) -> None:
    turned = [[(rating, -value) for rating, value in some] for some in people]
    loss, opposite = measured(people, LOSS), measured(turned, LOSS)

    assert (loss is None) == (opposite is None)
    assert loss is None or opposite == pytest.approx(1 - loss)


@settings(max_examples=60)
@given(people=PEOPLE)
def test_only_the_order_of_similarities_counts(people: list[list[tuple[float, float]]]) -> None:
    bent = [[(rating, math.exp(value) - 7) for rating, value in some] for some in people]

    assert measured(bent, LOSS) == measured(people, LOSS)
    assert measured(bent, "NDCG@3") == measured(people, "NDCG@3")


def test_ties_cost_half_and_are_wrong_in_triplets() -> None:
    people = [[(5, 1.0), (1, 1.0), (4, 1.0)]]

    assert measured(people, LOSS) == 0.5
    assert measured(people, EASY) == 0
    assert measured(people, HARD) == 0


def test_triplets_are_easy_or_hard_by_the_ratings() -> None:
    people = [[(5, 3.0), (4, 4.0), (2, 1.0), (3, 9.0)]]

    assert measured(people, EASY) == 1  # 5 over 2, 4 over 2
    assert measured(people, HARD) == 0  # 5 over 4


def test_a_participant_who_rates_all_alike_leaves_no_loss() -> None:
    assert measured([[(3, 1.0), (3, 2.0)]], LOSS) is None


def test_a_missing_similarity_is_refused() -> None:
    people = [[(5, 1.0), (1, float("nan"))]]

    with pytest.raises(ValueError, match="is missing"):
        measured(people, LOSS)


def test_values_are_means_over_versions() -> None:
    people = [[(5, 1.0), (1, 0.0)], [(2, 1.0), (4, 0.0)]]
    good, bad = similarity(people), -similarity(people)
    both = np.concatenate([good, bad], axis=1)

    one, other, mean = (
        measures(ratings(people), some)[0]["WKTD@1"].point()[0] for some in (good, bad, both)
    )

    assert mean == pytest.approx((one + other) / 2)


def compared(people: Sequence[Rated], *others: float) -> MethodComparison:
    """The similarities, and others that are multiples of them."""
    known = similarity(people)
    stack = np.concatenate([known, *(known * one for one in others)])
    names = tuple(f"method {at}" for at in range(len(stack)))
    return MethodComparison(ratings(people), names, stack, (1,) * len(stack), ())


CLEAR = [[(5, 3.0), (3, 2.0), (1, 1.0)] for _ in range(12)]


def test_the_method_of_a_participant_is_chosen_on_all_others() -> None:
    people = [*CLEAR, [(1, 3.0), (5, 1.0)]]
    found = compared(people, -1.0)

    elsewhere, choice = chosen_elsewhere(found.ratings, found.similarity)

    assert choice.tolist() == [0] * 13
    assert elsewhere.shape == (1, 13, 3)
    assert np.array_equal(np.nan_to_num(elsewhere), np.nan_to_num(found.similarity[0]))


def test_a_difference_whose_interval_contains_zero_is_not_called_better() -> None:
    people = [[(5, 3.0), (1, 1.0)], [(1, 3.0), (5, 1.0)]] * 6
    found = compared(people, -1.0)

    loss, *_ = tables(found, "method 0", Resampling(200, method="percentile"), Honesty(2))

    words = {row[1]: row[-1] for row in loss.rows}
    assert words == {"method 0": "baseline", "method 1": "not told apart", CHOSEN: words[CHOSEN]}


def test_a_clear_difference_is_told_by_the_direction_of_the_measure() -> None:
    found = compared(CLEAR, -1.0)

    every = tables(found, "method 1", Resampling(200, method="percentile"), Honesty(2))

    for table in every:
        for row in table.rows:
            if row[1] == "method 0" and row[0] not in ("hard triplets", "MRR@7", "NDCG@7"):
                assert row[-1] in ("better", "not told apart"), row
    assert every[0].rows[0][-1] == "better"
    assert next(row[-1] for row in every[1].rows if row[0] == EASY) == "better"


def test_every_table_tells_its_basis_its_intervals_and_the_variants_tried() -> None:
    for table in tables(compared(CLEAR, 2.0), "method 0", Resampling(100), Honesty(17)):
        notes = " ".join(table.notes)
        assert {row[2] for row in table.rows} == {"in-sample", "leave-participants-out"}
        assert "Variants tried on these participants: 17" in notes
        assert "interval contains 0" in notes


def test_equal_methods_differ_by_nothing() -> None:
    loss, *_ = tables(compared(CLEAR, 2.0), "method 0", Resampling(100), Honesty(2))
    difference = loss.rows[1][4]

    assert not isinstance(difference, str | int)
    assert difference is not None
    assert difference.answer.value == 0
    assert loss.rows[1][-1] == "not told apart"
