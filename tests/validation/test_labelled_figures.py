"""Figures of a judge on a labelled set, by hand."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from reviewscore.stats.resampling import Resampling
from reviewscore.validation.judgments import TrialState
from reviewscore.validation.labelled import JudgedRemark, LabelledTrial
from reviewscore.validation.labelled_figures import LabelledGroup, baselines_of, group_of
from tests.validation.judged import finding, quote, score

HOW = Resampling(200, 0, "papers")


def remark(flagged: bool | None, *, misinformed: bool, paper: int) -> JudgedRemark:
    state = TrialState.UNKNOWN if flagged is None else TrialState.VERDICT
    trial = LabelledTrial("r", "a", f"p{paper}", misinformed, "")
    return JudgedRemark(trial, state, (score(flagged),))


def remarks(*rows: tuple[bool, bool | None], papers: int = 4) -> list[JudgedRemark]:
    """Remarks of (truth, verdict), on papers in turn."""
    return [remark(flagged, misinformed=truth, paper=number % papers)
            for number, (truth, flagged) in enumerate(rows)]  # fmt: skip


ROWS = [(True, True)] * 6 + [(True, False)] * 2 + [(False, True)] * 4 + [(False, False)] * 12
ROWS += [(True, None), (False, None)]


def figures(judged: Iterable[JudgedRemark], *, embedded: bool = False) -> LabelledGroup:
    return group_of("", list(judged), embedded=embedded, how=HOW)


def test_shares_are_of_remarks_with_a_verdict() -> None:
    group = figures(remarks(*ROWS))

    values = {name: (one.value, one.n) for name, one in group.estimates.items()}
    assert values["sensitivity"] == (6 / 8, 8)
    assert values["specificity"] == (12 / 16, 16)
    assert values["precision"] == (6 / 10, 10)
    assert values["f1"] == pytest.approx((12 / 18, 24))
    assert values["difference"] == pytest.approx((0.5, 24))
    assert values["area"] == (0.75, 24)
    assert values["verdicts"] == (24 / 26, 26)
    assert (group.misinformed, group.fair, group.papers) == (9, 17, 4)
    for one in group.estimates.values():
        assert one.low is not None
        assert one.high is not None
        assert one.value is not None
        assert one.low <= one.value <= one.high


def test_flag_all_and_a_coin_are_expected_values_of_the_same_remarks() -> None:
    everything, coin = baselines_of(remarks(*ROWS))

    all_values = {name: one.value for name, one in everything.estimates.items()}
    assert all_values == pytest.approx(
        {"sensitivity": 1, "specificity": 0, "difference": 0, "area": 0.5, "precision": 8 / 24,
         "f1": 2 * 8 / (24 + 8)}
    )  # fmt: skip
    flagged = figures(remarks(*[(truth, True) for truth, known in ROWS if known is not None]))
    for name in ("sensitivity", "specificity", "precision", "f1"):
        assert flagged.estimates[name].value == pytest.approx(all_values[name])
    coin_values = {name: one.value for name, one in coin.estimates.items()}
    assert coin_values["f1"] == pytest.approx(8 / (12 + 8))
    assert coin_values["sensitivity"] == coin_values["specificity"] == 0.5
    assert all(one.low is None for one in coin.estimates.values())


def test_there_is_no_baseline_where_all_remarks_have_one_truth() -> None:
    assert baselines_of(remarks((True, True), (True, False))) == ()
    assert baselines_of([]) == ()


def test_one_paper_gives_no_interval() -> None:
    group = figures(remarks(*ROWS, papers=1))

    ends = {one.low for one in group.estimates.values()}
    assert ends == {None}
    assert "one paper" in group.estimates["difference"].reason


def test_a_judge_that_is_always_right_has_no_made_up_interval() -> None:
    group = figures(remarks(*[(True, True), (False, False)] * 6, papers=4))

    assert group.estimates["f1"].value == group.estimates["difference"].value == 1
    assert group.estimates["f1"].low is group.estimates["difference"].low is None
    assert group.estimates["sensitivity"].method == "wilson"


def test_without_a_verdict_there_is_no_figure_and_a_reason() -> None:
    group = figures(remarks((True, None), (False, None)))

    assert {one.value for name, one in group.estimates.items() if name != "verdicts"} == {None}
    assert group.estimates["f1"].reason
    assert group.estimates["verdicts"].value == 0
    assert figures([]).papers == 0


def test_precision_of_a_judge_that_flags_nothing_says_so() -> None:
    group = figures(remarks((True, False), (False, False), (True, False)))

    assert group.estimates["precision"].value is None
    assert group.estimates["precision"].reason == "the judge called no unit misinformed"
    assert group.estimates["f1"].value == 0


def test_of_the_finder_only_shares_addressed_are_measured() -> None:
    judged = [
        JudgedRemark(LabelledTrial("r", "a", f"p{number}", truth, ""), TrialState.FINDING,
                     (finding(quote(), addressed=addressed),))
        for number, (truth, addressed) in enumerate([(True, True), (True, False), (False, False)])
    ]  # fmt: skip

    group = figures(judged, embedded=True)

    assert [*group.estimates] == ["addressed_misinformed", "addressed_fair", "difference",
                                  "verdicts"]  # fmt: skip
    assert group.estimates["addressed_misinformed"].value == 0.5
    assert group.estimates["addressed_fair"].value == 0
