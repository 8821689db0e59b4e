"""Shares of right judgments, by hand-counted examples, and what is said of them."""

from __future__ import annotations

from itertools import product

import pytest

from reviewscore.stats.resampling import Resampling
from reviewscore.stats.shares import ONE_PAPER
from reviewscore.validation.figures import ANOTHER_PAPER, PlantedSection, sections_of
from reviewscore.validation.judgments import JudgedTrial, TrialState
from reviewscore.validation.page import sentence
from tests.validation.invented import passage
from tests.validation.judged import finding, judged, quote, score, trial

HOW = Resampling(200, 0, "papers")
DOUBTED = {"stratum": "hard", "confirmed": {"misinformed": "yes", "fair": "doubt"}}


def pair(
    hit: bool | None, alarm: bool | None, paper: str = "tides", item: str = "a", **changes: object
) -> list[JudgedTrial]:
    return [
        judged(hit, misinformed=True, paper=paper, item=item, **changes),
        judged(alarm, misinformed=False, paper=paper, item=item, **changes),
    ]


def many(hits: int, alarms: int, items: int = 10) -> list[JudgedTrial]:
    """Pairs on five papers."""
    return [
        one
        for n in range(items)
        for one in pair(n < hits, n >= items - alarms, paper=f"p{n % 5}", item=str(n))
    ]


def figures(rows: list[JudgedTrial], *, embedded: bool = False) -> tuple[PlantedSection, ...]:
    return sections_of(rows, embedded=embedded, how=HOW)


def test_shares_are_of_trials_with_a_verdict_and_the_others_are_counted_apart() -> None:
    rows = [*pair(True, False), *pair(False, True, "moons", "b"), *pair(None, False, "moons", "c")]

    (plain,) = figures(rows)[0].groups

    values = {name: (one.value, one.n) for name, one in plain.estimates.items()}
    assert (plain.items, plain.papers) == (3, 2)
    assert values["sensitivity"] == (pytest.approx(1 / 2), 2)
    assert values["specificity"] == (pytest.approx(2 / 3), 3)
    assert values["verdicts"] == (pytest.approx(5 / 6), 6)
    assert values["difference"] == (0.0, 2)  # of the two points known in both versions
    # Pairs of a misinformed and a fair remark: 2 < 4, 2 < 4, 2 = 2, 4 > 2, 4 = 4, 4 = 4.
    assert values["area"] == (pytest.approx((2 + 0.5 + 0 + 1) / 6), 5)


def test_hard_points_and_those_about_another_paper_stand_apart() -> None:
    foreign = {"form": "another_paper", "fair_about": "moons", "cuts": [], "passages": []}
    rows = [*pair(True, False), *pair(False, False, item="b", **DOUBTED),
            *pair(True, True, item="c", **foreign, decoys=[])]  # fmt: skip

    strata, form, place, _ = figures(rows)

    assert [(one.group, one.items) for one in strata.groups] == [
        ("plain", 1), ("hard", 1), (ANOTHER_PAPER, 1)
    ]  # fmt: skip
    assert [one.group for one in form.groups] == ["question", "another_paper"]
    assert [(one.group, one.items) for one in place.groups] == [("main", 1)]


def test_hard_points_alone_are_parted_and_said_to_be_hard() -> None:
    sections = figures(pair(True, False, **DOUBTED))

    assert sections[1].title == "By form, hard points"
    assert [one.items for one in sections[1].groups] == [1]
    assert "hard planted misinformed remarks" in sentence(sections, embedded=False)


def test_the_place_that_is_read_first_and_the_length_part_points() -> None:
    both = [passage("Nothing is left to prove.", "appendix"),
            passage("Five seeds were run for each harbour.")]  # fmt: skip
    rows = [
        JudgedTrial(trial(id="a", passages=both), TrialState.VERDICT, (score(True),)),
        JudgedTrial(
            trial(id="b", passages=both[:1], characters=100_000), TrialState.VERDICT, (score(True),)
        ),
    ]

    _, _, place, length = figures(rows)

    assert [one.group for one in place.groups] == ["main", "appendix"]
    assert [one.group for one in length.groups] == ["up to 40,000 characters", "longer"]


def test_one_paper_gives_no_interval() -> None:
    (plain,) = figures([*pair(True, False), *pair(True, True, item="b")])[0].groups

    for name in ("sensitivity", "specificity", "area"):
        assert plain.estimates[name].low is None
        assert plain.estimates[name].reason == ONE_PAPER


def test_quote_precision_is_of_passages_and_not_of_flags() -> None:
    flags = [(quote(), quote(9_000), quote(9_500)), (quote(),), ()]
    rows = [
        JudgedTrial(trial(id=str(n)), TrialState.VERDICT, (score(True, evidence=evidence),))
        for n, evidence in enumerate(flags)
    ]

    (plain,) = figures(rows)[0].groups

    assert plain.estimates["quote_precision"].value == pytest.approx(2 / 4)
    assert plain.estimates["quote_precision"].n == 4


def test_the_finder_is_measured_by_its_passages_and_by_what_it_calls_addressed() -> None:
    def row(item: str, misinformed: bool, *passages: int, addressed: bool = False) -> JudgedTrial:
        point = finding(*map(quote, passages), addressed=addressed)
        made = trial(id=item, misinformed=misinformed, paper_id=item)
        return JudgedTrial(made, TrialState.FINDING, (point,))

    rows = [
        row("a", True, 0, addressed=True), row("a", False, 9_000, addressed=True),
        row("b", True, 9_000, 8_000, 0), row("b", False), row("c", True), row("c", False, 0),
    ]  # fmt: skip
    sections = figures(rows, embedded=True)

    values = {name: one.value for name, one in sections[0].groups[0].estimates.items()}
    assert values == {
        "first_1": pytest.approx(1 / 3), "first_3": pytest.approx(2 / 3),
        "first_5": pytest.approx(2 / 3), "addressed_whole": pytest.approx(1 / 3),
        "addressed_cut": pytest.approx(1 / 3), "difference": 0.0,
    }  # fmt: skip
    assert "shows the answer to 66.7 %" in sentence(sections, embedded=True)


def test_the_sentence_gives_both_shares_and_no_advice_on_a_judge_that_tells_them_apart() -> None:
    words = sentence(figures(many(8, 1)), embedded=False)

    assert "finds 80.0 %" in words
    assert "flags 10.0 %" in words
    assert "do not act" not in words


def test_a_judge_that_is_always_right_is_not_warned_of() -> None:
    words = sentence(figures(many(10, 0)), embedded=False)

    assert words.startswith("This judge finds 100.0 % [")
    assert "do not act" not in words


@pytest.mark.parametrize(("hits", "alarms"), [(5, 5), (0, 0), (10, 10), (2, 7)])
def test_a_judge_that_does_not_tell_the_two_apart_is_not_to_be_used(hits: int, alarms: int) -> None:
    assert "do not act on its flags" in sentence(figures(many(hits, alarms)), embedded=False)


def test_places_whose_answers_are_mostly_missed_are_named() -> None:
    deep = [passage("Nothing is left to prove.", "appendix")]
    rows = [
        one
        for n, (paper, place) in enumerate(product("klmnopqrstuvwxyz", ("main", "appendix")))
        for one in pair(place == "main", False, paper, str(n),
                        **({"passages": deep} if place == "appendix" else {}))
    ]  # fmt: skip

    words = sentence(figures(rows), embedded=False)

    assert "answers in the appendix alone are mostly missed." in words
    assert "main text" not in words


def test_places_are_not_named_whose_interval_reaches_the_half() -> None:
    deep = [passage("Nothing is left to prove.", "appendix")]
    rows = [
        one
        for n, paper in enumerate("tuvwx")
        for one in pair(paper in "tu", False, paper, str(n), passages=deep)
    ]

    assert "mostly missed" not in sentence(figures(rows), embedded=False)


def test_the_sentence_says_how_often_there_is_no_verdict() -> None:
    rows = [one for n in range(6) for one in pair(True, False, "abcdef"[n], str(n))]
    rows += [one for n in range(6) for one in pair(None, None, "abcdef"[n], f"unknown {n}")]

    assert "where it gives a verdict; on 50.0 %" in sentence(figures(rows), embedded=False)


def test_of_few_papers_it_is_not_said_that_a_judge_cannot_tell() -> None:
    rows = [one for n in range(6) for one in pair(True, False, "ab"[n % 2], str(n))]

    words = sentence(figures(rows), embedded=False)

    assert "cannot be said of 2 papers" in words
    assert "do not act" not in words


def test_nothing_is_said_of_a_judge_without_a_verdict() -> None:
    assert "nothing can be said" in sentence(figures(pair(None, None)), embedded=False)
    assert sentence(figures([]), embedded=False) == "Nothing was judged."
