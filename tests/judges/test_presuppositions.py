"""The rule from looks at presuppositions to two levels, case by case and as properties."""

from __future__ import annotations

from itertools import product
from statistics import median_low

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.judges.presuppositions import (
    carries,
    needs_second_look,
    passages_of,
    states_too,
    verdict_of,
    with_rule,
)
from reviewscore.schema.paper import Doubt, DoubtKind, Evidence, Scope
from reviewscore.schema.presupposition import (
    NOT_VISIBLE,
    Look,
    Presupposition,
    PresuppositionVerdict,
    RemarkPart,
    Supplies,
)
from reviewscore.schema.review import PointKind, PointType
from reviewscore.schema.verdict import UnknownReason

SAID = Evidence(quote="We remove a layer.", start=0, end=18, verified=True)
LATER = SAID.model_copy(update={"doubt": Doubt(kind=DoubtKind.REVISION, sign="a revision")})
MADE_UP = Evidence(quote="We add a layer.", verified=False)
READ_OFF = Evidence(quote="Table 2 has three seeds.", verified=False, source="table")
CAPTION = SAID.model_copy(update={"source": "figure"})
FLAG, CLEAR = (True, None), (False, None)
CONTESTED, UNPROVED = (None, UnknownReason.CONTESTED), (None, UnknownReason.UNPROVED)
INVISIBLE, EXCERPTS = (None, UnknownReason.NOT_VISIBLE), (None, UnknownReason.EXCERPTS)
AFTER = (None, UnknownReason.AFTER_REVIEW)


def granted(**changes: object) -> Presupposition:
    """A central presupposition that holds, with a passage near it."""
    values = {"statement": "There is no ablation.", "nearest": (SAID,), "true": 5, "central": True}
    return Presupposition.model_validate({**values, **changes})


def look(
    *presuppositions: Presupposition,
    standing: int = 1,
    kind: PointKind = PointKind.CRITICISM,
    probability: float = 0.9,
    more: tuple[RemarkPart, ...] = (),
) -> Look:
    parts = (RemarkPart(presuppositions=presuppositions, standing=standing), *more)
    return Look(
        judge="a/b",
        kind=kind,
        type=PointType.CLAIM,
        parts=() if kind is PointKind.NONE else parts,
        probability=probability,
    )


def outcome(*looks: Look, scope: Scope = Scope.WHOLE) -> tuple[bool | None, UnknownReason | None]:
    verdict = verdict_of(looks, scope=scope)
    return verdict.misinformed, verdict.reason


FALSE = granted(true=1)
FOREIGN = granted(foreign=True, nearest=())
HIDDEN = granted(true=NOT_VISIBLE)


@pytest.mark.parametrize(
    ("presuppositions", "standing", "supplied", "expected"),
    [
        ((FALSE,), 1, True, FLAG),
        ((granted(true=2),), 2, True, FLAG),
        ((granted(supplies=Supplies.FULLY),), 2, True, FLAG),
        ((granted(supplies=Supplies.MOSTLY),), 2, True, FLAG),
        ((FALSE,), 3, True, CLEAR),  # the paper speaks to it, and it would still stand
        ((granted(supplies=Supplies.FULLY),), 5, True, CLEAR),
        ((granted(),), 5, False, CLEAR),
        ((granted(supplies=Supplies.PARTLY),), 4, False, CLEAR),
        ((granted(supplies=Supplies.TOPIC_ONLY),), 2, False, UNPROVED),
        ((granted(true=3),), 1, False, UNPROVED),
        ((granted(true=1, central=False),), 1, False, UNPROVED),  # one reason among others
        ((granted(true=1, nearest=()),), 1, None, UNPROVED),
        ((granted(true=1, nearest=(MADE_UP,)),), 1, None, UNPROVED),
        ((granted(true=1, nearest=(READ_OFF,)),), 1, None, UNPROVED),
        ((granted(true=1, nearest=(READ_OFF, SAID)),), 1, True, FLAG),
        ((granted(true=1, nearest=(CAPTION,)),), 1, None, UNPROVED),
        ((granted(true=1, nearest=(CAPTION, SAID)),), 1, True, FLAG),
        ((granted(true=1, nearest=(LATER,)),), 1, None, AFTER),
        ((granted(true=1, nearest=(LATER, SAID)),), 1, True, FLAG),
        ((granted(true=1, nearest=(MADE_UP,)),), 4, None, CLEAR),
        ((FOREIGN,), 1, False, FLAG),
        ((FOREIGN,), 3, False, CLEAR),
        ((granted(foreign=True, central=False),), 1, False, UNPROVED),
        ((HIDDEN,), 1, None, INVISIBLE),
        ((HIDDEN,), 5, None, INVISIBLE),
        ((HIDDEN, FALSE), 1, True, INVISIBLE),
        ((granted(true=NOT_VISIBLE, central=False), FALSE), 1, True, FLAG),
        ((granted(true=NOT_VISIBLE, central=False),), 5, False, CLEAR),
        ((granted(), FALSE), 1, True, FLAG),
        ((), 5, False, CLEAR),
        ((), 1, False, UNPROVED),
    ],
)
def test_the_rule_of_one_look(
    presuppositions: tuple[Presupposition, ...],
    standing: int,
    supplied: bool | None,
    expected: tuple[bool | None, UnknownReason | None],
) -> None:
    verdict = verdict_of([look(*presuppositions, standing=standing)], scope=Scope.WHOLE)

    assert (verdict.supplied, verdict.misinformed, verdict.reason) == (supplied, *expected)
    assert verdict.standing == standing


def test_every_case_of_one_presupposition_is_as_the_contract_says() -> None:
    truths = [*range(1, 6), NOT_VISIBLE]
    passages = [(), (SAID,), (LATER,), (READ_OFF,)]
    cases = product(
        truths,
        [None, *Supplies],
        passages,
        [True, False],
        [True, False],
        range(1, 6),
        [Scope.WHOLE, Scope.MAIN],
    )
    for true, supplies, nearest, central, foreign, standing, scope in cases:
        stated = granted(
            true=true, supplies=supplies, nearest=nearest, central=central, foreign=foreign
        )
        verdict = verdict_of([look(stated, standing=standing)], scope=scope)

        spoken = (
            central and nearest == (SAID,) and (true in (1, 2) or supplies in ("fully", "mostly"))
        )
        unseen = central and (true == NOT_VISIBLE or (foreign and scope is Scope.MAIN))
        flagged = (spoken or (central and foreign)) and standing <= 2
        assert (verdict.supplied is True) == spoken
        assert (verdict.misinformed is True) == (flagged and not unseen)
        assert (verdict.misinformed is False) == (standing > 2 and not unseen)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (look(FALSE), look(FALSE, standing=2), FLAG),
        (look(FALSE), look(FALSE, standing=4), CONTESTED),
        (look(FALSE), look(granted(), standing=1), CONTESTED),  # the second has no proof
        (look(FALSE), look(HIDDEN), CONTESTED),
        (look(granted(), standing=2), look(FALSE), CONTESTED),
        (look(granted(), standing=2), look(granted(), standing=4), UNPROVED),
        (look(granted(), standing=3), look(granted(), standing=4), CLEAR),
        (look(HIDDEN, standing=3), look(granted(), standing=4), INVISIBLE),
        (look(granted(true=1, nearest=(LATER,))), look(granted(), standing=4), AFTER),
        (look(FALSE), look(kind=PointKind.NONE), CONTESTED),
        (look(granted(), standing=4), look(kind=PointKind.NONE), CLEAR),
        (look(FALSE), look(FALSE, standing=2, kind=PointKind.NONE), CONTESTED),
    ],
)
def test_two_looks_flag_only_what_both_flag(
    first: Look, second: Look, expected: tuple[bool | None, UnknownReason | None]
) -> None:
    assert outcome(first, second) == expected


def test_foreign_counts_only_where_the_whole_paper_was_seen() -> None:
    assert outcome(look(FOREIGN), scope=Scope.WHOLE) == FLAG
    assert outcome(look(FOREIGN), scope=Scope.MAIN) == EXCERPTS
    assert outcome(look(FOREIGN, standing=4), scope=Scope.MAIN) == EXCERPTS
    assert outcome(look(FALSE), scope=Scope.MAIN) == FLAG


def test_of_a_bundled_remark_the_main_part_decides_and_every_part_has_its_own_verdict() -> None:
    false = RemarkPart(text="no seeds", presuppositions=(FALSE,), standing=1)

    fair = verdict_of([look(granted(), standing=5, more=(false,))], scope=Scope.WHOLE)
    wrong = verdict_of(
        [look(FALSE, more=(RemarkPart(presuppositions=(granted(),), standing=5),))],
        scope=Scope.WHOLE,
    )

    assert (fair.misinformed, [part.misinformed for part in fair.parts]) == (False, [False, True])
    assert (wrong.misinformed, [part.misinformed for part in wrong.parts]) == (True, [True, False])
    assert fair.standing == 5


@pytest.mark.parametrize(("standings", "middle"), [((1, 4), 1), ((4, 1, 2), 2), ((5, 3, 3, 4), 3)])
def test_the_standing_is_the_lower_median_of_all_looks_and_its_parts_are_of_such_a_look(
    standings: tuple[int, ...], middle: int
) -> None:
    looks = [look(granted(statement=f"S{number}"), standing=number) for number in standings]

    verdict = verdict_of(looks, scope=Scope.WHOLE)

    assert verdict.standing == middle
    assert verdict.parts[0].presuppositions[0].statement == f"S{middle}"
    assert verdict.parts[0].misinformed is (None if middle <= 2 else False)


def test_the_probability_is_the_median_and_kind_that_of_the_first_look() -> None:
    looks = [
        look(granted(), standing=4, kind=PointKind.REQUEST, probability=0.2),
        look(granted(), standing=4, kind=PointKind.QUESTION, probability=0.6),
    ]

    verdict = verdict_of(looks, scope=Scope.WHOLE)

    assert (verdict.probability, verdict.kind) == (pytest.approx(0.4), PointKind.REQUEST)


def test_what_is_no_point_has_no_verdict_at_all() -> None:
    verdict = verdict_of([look(kind=PointKind.NONE)], scope=Scope.WHOLE)

    assert (verdict.kind, verdict.reason) == (PointKind.NONE, UnknownReason.NO_POINT)
    assert (verdict.supplied, verdict.misinformed, verdict.standing, verdict.probability) == (
        *(None, None, None, None),
    )


NONE = look(kind=PointKind.NONE)
OTHER = {"judge": "c/d"}


@pytest.mark.parametrize(
    ("looks", "expected"),
    [
        ([look(FALSE), NONE.model_copy(update=OTHER), NONE], CONTESTED),
        ([NONE, NONE.model_copy(update=OTHER), look(FALSE)], CONTESTED),
        ([NONE, look(FALSE).model_copy(update=OTHER), look(FALSE), NONE], CONTESTED),
        ([NONE, NONE.model_copy(update=OTHER)], (None, UnknownReason.NO_POINT)),
        # Two judges of three take it for none; that the third looked twice gives it no more weight.
        (
            [
                look(granted(), standing=4),
                look(granted(), standing=4).model_copy(update={"number": 2}),
                NONE.model_copy(update=OTHER),
                NONE.model_copy(update={**OTHER, "repeat": 1}),
            ],
            (None, UnknownReason.NO_POINT),
        ),
        ([NONE, look(granted(), standing=4).model_copy(update=OTHER)], CLEAR),
    ],
)
def test_a_flagged_point_is_never_called_none_and_judges_vote_once_each(
    looks: list[Look], expected: tuple[bool | None, UnknownReason | None]
) -> None:
    assert outcome(*looks) == outcome(*looks[::-1]) == expected


@pytest.mark.parametrize(
    "stated",
    [
        granted(acknowledged=True, nearest=()),
        granted(acknowledged=True, nearest=(MADE_UP, READ_OFF, LATER)),
        granted(acknowledged=True, true=3),
        granted(acknowledged=True, true=NOT_VISIBLE),
        granted(acknowledged=True, supplies=Supplies.MOSTLY),
        granted(),
    ],
)
def test_nothing_is_called_stated_by_the_authors_without_a_passage_that_says_so(
    stated: Presupposition,
) -> None:
    assert not states_too(stated)
    assert not verdict_of([look(stated, standing=4)], scope=Scope.WHOLE).acknowledged
    assert states_too(granted(acknowledged=True, true=4))


def test_what_the_authors_state_too_is_acknowledged_and_never_beside_a_flag() -> None:
    stated = granted(acknowledged=True)

    assert verdict_of([look(stated, standing=4)], scope=Scope.WHOLE).acknowledged
    assert not verdict_of([look(stated, FALSE)], scope=Scope.WHOLE).acknowledged
    assert not verdict_of(
        [look(stated, standing=4), look(granted(), standing=4)], scope=Scope.WHOLE
    ).acknowledged
    assert not verdict_of(
        [look(granted(acknowledged=True, true=1), standing=4)], scope=Scope.WHOLE
    ).acknowledged


@pytest.mark.parametrize(
    ("standing", "probability", "wanted"),
    [
        (1, 0.0, True),
        (2, 1.0, True),
        (3, 0.3, True),
        (5, 0.7, True),
        (4, 0.2, False),
        (4, 0.8, False),
    ],
)
def test_a_second_look_is_for_what_would_not_stand_and_for_what_nobody_is_sure_of(
    standing: int, probability: float, wanted: bool
) -> None:
    first = look(granted(), standing=standing, probability=probability)

    assert needs_second_look(first, (0.3, 0.7)) is wanted
    assert not needs_second_look(first, None)
    assert not needs_second_look(look(kind=PointKind.NONE, probability=0.5), (0.3, 0.7))


def test_passages_that_refute_come_first_and_unverified_ones_never() -> None:
    other = Evidence(quote="Rain fell.", start=30, end=40, verified=True)
    seen = look(granted(nearest=(SAID, MADE_UP)), granted(true=1, nearest=(other, READ_OFF)))

    assert passages_of([seen, seen]) == (other, SAID)


def test_a_passage_carries_only_if_it_is_verified_and_reviewers_could_see_it() -> None:
    assert [carries(passage) for passage in (SAID, LATER, MADE_UP, READ_OFF, CAPTION)] == [
        *(True, False, False, False, False),
    ]


presuppositions = st.builds(
    Presupposition,
    statement=st.just("S"),
    nearest=st.lists(st.sampled_from([SAID, LATER, MADE_UP, READ_OFF, CAPTION]), max_size=2).map(
        tuple
    ),
    supplies=st.none() | st.sampled_from(Supplies),
    true=st.integers(1, 5) | st.just(NOT_VISIBLE),
    central=st.booleans(),
    foreign=st.booleans(),
    acknowledged=st.booleans(),
)
parts = st.builds(
    RemarkPart,
    presuppositions=st.lists(presuppositions, max_size=3).map(tuple),
    standing=st.integers(1, 5),
)
judged = st.builds(
    Look,
    judge=st.sampled_from(["a/b", "c/d"]),
    kind=st.sampled_from([PointKind.CRITICISM, PointKind.REQUEST, PointKind.QUESTION]),
    type=st.sampled_from(PointType),
    parts=st.lists(parts, min_size=1, max_size=2).map(tuple),
    probability=st.floats(0, 1),
)
scopes = st.sampled_from(Scope)
several = st.lists(judged, min_size=1, max_size=4)
of_any_kind = st.lists(judged | st.just(NONE), min_size=1, max_size=4)


def refuted(verdict: PresuppositionVerdict) -> bool:
    """Whether every look has a verified passage against a central presupposition of its main."""
    return all(
        any(
            stated.central and stated.contradicted and any(map(carries, stated.nearest))
            for stated in seen.parts[0].presuppositions
        )
        for seen in verdict.looks
    )


@given(several, judged, scopes)
def test_one_more_look_makes_no_flag_of_what_was_none(
    looks: list[Look], more: Look, scope: Scope
) -> None:
    before, after = verdict_of(looks, scope=scope), verdict_of([*looks, more], scope=scope)

    assert after.misinformed is not True or before.misinformed is True


@given(several, scopes)
def test_a_flag_has_a_standing_of_one_or_two_and_a_verdict_has_no_reason(
    looks: list[Look], scope: Scope
) -> None:
    verdict = verdict_of(looks, scope=scope)

    assert (verdict.misinformed is None) == (verdict.reason is not None)
    assert verdict.standing == median_low([seen.parts[0].standing for seen in looks])
    if verdict.misinformed:
        assert max(seen.parts[0].standing for seen in looks) <= 2
    if verdict.misinformed is False:
        assert verdict.standing is not None
        assert verdict.standing > 2


@given(several)
def test_on_excerpts_nothing_is_said_not_to_be_in_the_paper(looks: list[Look]) -> None:
    verdict = verdict_of(looks, scope=Scope.EXCERPTS)

    assert verdict.supplied is not False
    if verdict.misinformed is not None:
        assert 3 not in [seen.parts[0].standing for seen in verdict.looks]


@pytest.mark.parametrize(
    ("presupposition", "standing", "expected"),
    [
        (FALSE, 1, FLAG),
        (FALSE, 4, CLEAR),
        (FALSE, 3, EXCERPTS),
        (granted(true=1, nearest=()), 1, EXCERPTS),
        (granted(), 4, CLEAR),
        (granted(nearest=()), 4, EXCERPTS),
        (granted(nearest=(MADE_UP,)), 4, EXCERPTS),
        (granted(supplies=Supplies.NO), 5, EXCERPTS),  # absent from excerpts is not absent
        (granted(supplies=Supplies.FULLY), 2, FLAG),
        (HIDDEN, 4, EXCERPTS),
        (granted(foreign=True), 5, EXCERPTS),
    ],
)
def test_on_excerpts_a_verdict_needs_a_passage_and_no_lack(
    presupposition: Presupposition,
    standing: int,
    expected: tuple[bool | None, UnknownReason | None],
) -> None:
    assert outcome(look(presupposition, standing=standing), scope=Scope.EXCERPTS) == expected


@given(several, st.sampled_from([Scope.MAIN, Scope.EXCERPTS]))
def test_without_the_whole_paper_a_flag_rests_on_a_verified_passage(
    looks: list[Look], scope: Scope
) -> None:
    verdict = verdict_of(looks, scope=scope)

    assert not verdict.misinformed or refuted(verdict)
    assert not verdict.misinformed or verdict.supplied is True


@given(of_any_kind, scopes)
def test_what_is_called_no_point_no_look_flags_or_all_call_it_so(
    looks: list[Look], scope: Scope
) -> None:
    verdict = verdict_of(looks, scope=scope)
    flags = [verdict_of([seen], scope=scope).misinformed for seen in looks]

    if verdict.reason is UnknownReason.NO_POINT:
        assert True not in flags
        assert NONE in looks
    elif True in flags and not all(flags):
        assert verdict.reason is UnknownReason.CONTESTED


@given(of_any_kind, scopes)
def test_the_order_of_looks_changes_neither_flag_nor_level(looks: list[Look], scope: Scope) -> None:
    one, other = verdict_of(looks, scope=scope), verdict_of(looks[::-1], scope=scope)

    assert (one.misinformed, one.supplied, one.standing) == (
        *(other.misinformed, other.supplied, other.standing),
    )


@given(several, scopes)
def test_without_verified_passages_nothing_is_supplied(looks: list[Look], scope: Scope) -> None:
    bare = [
        seen.model_copy(
            update={
                "parts": tuple(
                    part.model_copy(
                        update={
                            "presuppositions": tuple(
                                stated.model_copy(update={"nearest": (MADE_UP, READ_OFF)})
                                for stated in part.presuppositions
                            )
                        }
                    )
                    for part in seen.parts
                )
            }
        )
        for seen in looks
    ]

    assert verdict_of(bare, scope=scope).supplied is not True


@given(judged, scopes)
def test_the_parts_of_a_look_keep_all_that_was_said(seen: Look, scope: Scope) -> None:
    ruled = with_rule(seen, scope=scope)

    unruled = {"supplied": None, "misinformed": None}
    assert [part.model_copy(update=unruled) for part in ruled.parts] == list(seen.parts)
    assert Look.model_validate_json(ruled.model_dump_json()) == ruled
