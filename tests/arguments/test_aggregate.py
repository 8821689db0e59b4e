"""Premise scores to one argument score: definitions, edge cases, properties."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.arguments.aggregate import (
    Weighted,
    advanced,
    conjunction,
    conjunction_of_facts,
    failure,
    is_link,
    round_half_up,
    weighted,
)
from reviewscore.errors import InputError
from reviewscore.schema.argument import Failure, Premise
from reviewscore.schema.point_score import Advanced
from reviewscore.schema.verdict import PremiseVerdict

PAIRS = st.lists(st.tuples(st.integers(1, 5), st.integers(0, 2)), min_size=1, max_size=8)


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([3, 4, 5], True),
        ([3, 2, 5], False),
        ([5, None], None),
        ([2, None], False),
        ([None], None),
        ([], None),
    ],
)
def test_an_argument_is_true_iff_every_premise_is(
    scores: list[int | None], expected: bool | None
) -> None:
    assert expected is conjunction(scores)


@pytest.mark.parametrize(
    ("factualities", "weights", "expected"),
    [
        ([1, 5], [2, 1], Weighted(7 / 3)),
        ([1, 5], [2, 0], Weighted(1.0)),
        ([1, 4], [0, 0], Weighted(2.5, all_trivial=True)),
        ([1, None], [2, 0], Weighted(None)),
        ([1, 5], [2, None], Weighted(None)),
        ([1, None], [0, 0], Weighted(None)),
        ([], [], Weighted(None)),
    ],
)
def test_the_weighted_average_is_unknown_where_anything_is(
    factualities: list[int | None], weights: list[int | None], expected: Weighted
) -> None:
    assert expected == weighted(factualities, weights)


def test_each_premise_needs_a_weight() -> None:
    with pytest.raises(InputError, match="2 factualities but 1 weights"):
        weighted([1, 2], [1])


def premise(factuality: int | None, untrivialness: int | None, *, judged: bool = True) -> Premise:
    verdict = PremiseVerdict(factuality=factuality, untrivialness=untrivialness)
    return Premise(
        premise_id="P1", text="t", formula="A", explicit=True, verdict=verdict if judged else None
    )


def test_the_advanced_score_holds_both_aggregations() -> None:
    scored = advanced([premise(4, 2), premise(2, 1)])

    assert scored == Advanced(score=10 / 3, conjunction=False)


def test_the_advanced_score_of_premises_that_were_not_judged_is_unknown() -> None:
    assert advanced([premise(4, 2), premise(4, 2, judged=False)]) == Advanced()
    assert advanced([]) == Advanced()


def test_a_known_false_premise_decides_the_conjunction_alone() -> None:
    assert advanced([premise(1, 2), premise(None, 2)]) == Advanced(conjunction=False)


def test_all_trivial_premises_are_marked() -> None:
    assert advanced([premise(4, 0)]) == Advanced(score=4.0, conjunction=True, all_trivial=True)


@pytest.mark.parametrize(
    ("score", "expected"),
    [(1.0, 1), (2.4, 2), (2.5, 3), (3.5, 4), (4.5, 5), (2.4999999999999996, 2)],
)
def test_halves_are_rounded_up(score: float, expected: int) -> None:
    assert expected == round_half_up(score)


def average(pairs: list[tuple[int, int]]) -> float:
    score = weighted([f for f, _ in pairs], [u for _, u in pairs]).score
    assert score is not None
    return score


@given(PAIRS)
def test_the_average_lies_between_the_lowest_and_the_highest_score(
    pairs: list[tuple[int, int]],
) -> None:
    scores = [factuality for factuality, _ in pairs]

    assert min(scores) <= average(pairs) <= max(scores)


@given(PAIRS, st.data())
def test_a_higher_factuality_never_lowers_the_scores(
    pairs: list[tuple[int, int]], data: st.DataObject
) -> None:
    index = data.draw(st.integers(0, len(pairs) - 1))
    raised = [(min(5, f + 1) if number == index else f, u) for number, (f, u) in enumerate(pairs)]

    assert average(raised) >= average(pairs)
    assert conjunction([f for f, _ in raised]) >= conjunction([f for f, _ in pairs])  # type: ignore[operator]


@given(PAIRS, st.randoms(use_true_random=False))
def test_the_order_of_premises_does_not_matter(
    pairs: list[tuple[int, int]],
    chance: object,
) -> None:
    shuffled = pairs.copy()
    chance.shuffle(shuffled)  # type: ignore[attr-defined]

    assert average(shuffled) == average(pairs)
    assert conjunction([f for f, _ in shuffled]) == conjunction([f for f, _ in pairs])


@given(st.integers(1, 5), st.lists(st.integers(0, 2), min_size=1))
def test_premises_that_agree_give_their_own_score(score: int, weights: list[int]) -> None:
    assert score == average([(score, weight) for weight in weights])
    assert score == round_half_up(score)


def fact(factuality: int | None, formula: str = "SmallData", *, explicit: bool = True) -> Premise:
    verdict = PremiseVerdict(factuality=factuality)
    return Premise(premise_id="P1", text="A.", formula=formula, explicit=explicit, verdict=verdict)


def link(factuality: int | None) -> Premise:
    return fact(factuality, "SmallData -> NoUse", explicit=False)


@pytest.mark.parametrize(
    ("formula", "explicit", "expected"),
    [
        ("A -> B", False, True),
        ("A <-> B", False, True),
        ("forall x forall y (Larger(x, y) -> Slower(x, y))", False, True),
        ("(A -> B) & forall x (P(x) -> Q(x))", False, True),
        ("A -> B", True, False),  # the reviewer wrote it
        ("A", False, False),
        ("-A | B", False, False),
        ("(A -> B) & C", False, False),
        ("exists x (P(x) -> Q(x))", False, False),
        ("A -> (", False, False),
        ("", False, False),
    ],
)
def test_a_link_is_an_implicit_conditional(formula: str, explicit: bool, expected: bool) -> None:
    assert is_link(fact(1, formula, explicit=explicit)) is expected


@pytest.mark.parametrize(
    ("premises", "expected", "by_facts"),
    [
        ([fact(4), link(4)], None, False),
        ([fact(2), link(4)], Failure.FACT, True),
        ([fact(2), link(None)], Failure.FACT, True),
        ([fact(2), fact(None), link(5)], Failure.FACT, True),
        ([fact(1, explicit=False), link(5)], Failure.FACT, True),
        ([fact(2, "A -> B"), link(4)], Failure.FACT, True),
        ([fact(3), link(2)], Failure.LINK, False),
        ([fact(5), link(4), link(1)], Failure.LINK, False),
        ([fact(1), link(1)], Failure.MIXED, True),
        ([fact(1), fact(None), link(1)], Failure.MIXED, True),
        ([fact(5), fact(None), link(1)], None, None),
        ([link(1)], None, None),
        ([fact(5), link(None)], None, False),
        ([fact(None)], None, None),
        ([], None, None),
    ],
)
def test_a_conjunction_fails_by_facts_by_links_or_by_both(
    premises: list[Premise], expected: Failure | None, by_facts: bool | None
) -> None:
    holds = conjunction_of_facts(premises)

    assert expected is failure(premises)
    assert by_facts is (None if holds is None else not holds)


@given(st.lists(st.tuples(st.sampled_from([None, 1, 2, 3, 4, 5]), st.booleans()), max_size=6))
def test_what_fails_by_facts_is_misinformed_as_published(
    given_premises: list[tuple[int | None, bool]],
) -> None:
    premises = [link(score) if linked else fact(score) for score, linked in given_premises]

    why = failure(premises)

    published = conjunction([one.verdict.factuality for one in premises if one.verdict])
    assert why is None or published is False
    assert (conjunction_of_facts(premises) is False) == (why in (Failure.FACT, Failure.MIXED))
