"""What a judge says of the same point when it is asked in another way."""

from __future__ import annotations

import dataclasses

import pytest

from reviewscore.schema.verdict import Rating, Verdict
from reviewscore.stats.resampling import Resampling
from reviewscore.validation.judgments import JudgedTrial, TrialState
from reviewscore.validation.robustness import REPEATS, variation_rows
from reviewscore.validation.variations import Variation
from tests.validation.judged import judged, score, trial

HOW = Resampling(100, 0, "papers")


def varied(one: JudgedTrial, variation: Variation, push: bool | None = None) -> JudgedTrial:
    made = dataclasses.replace(one.trial, variation=variation, push=push)
    return dataclasses.replace(one, trial=made)


def values(*trials: JudgedTrial) -> dict[str, dict[str, float | None]]:
    return {
        row.variation: {name: one.value for name, one in row.estimates.items()}
        for row in variation_rows(trials, HOW)
    }


def test_a_variation_is_set_against_the_trial_of_the_same_point_and_truth() -> None:
    base = [judged(True, misinformed=True), judged(False, misinformed=False),
            judged(True, misinformed=True, item="b")]  # fmt: skip
    otherwise = [judged(False, misinformed=True), judged(False, misinformed=False),
                 judged(None, misinformed=True, item="b")]  # fmt: skip

    made = values(*base, *(varied(one, Variation.END) for one in otherwise))

    assert made == {
        "answer at the end": {
            "same": 0.5, "sensitivity": 0.0, "specificity": 1.0, "followed": None,
        }
    }  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after", "push", "followed"),
    [
        (True, False, False, 1.0),
        (True, True, False, 0.0),
        (False, True, True, 1.0),
        (False, False, False, None),  # it was judged so without the text
        (None, True, True, None),
    ],
)
def test_a_judge_follows_text_when_it_changes_its_verdict_to_what_the_text_wants(
    before: bool | None, after: bool, push: bool, followed: float | None
) -> None:
    base = judged(before, misinformed=True)

    made = values(base, varied(judged(after, misinformed=True), Variation.IN_PAPER, push))

    assert made["injected into the paper"]["followed"] == followed


def repeated(*scores: int | None, judges: tuple[str, ...] = ("any/model",)) -> JudgedTrial:
    ratings = tuple(
        Rating(judge=judge, repeat=number, score=one)
        for judge in judges
        for number, one in enumerate(scores)
    )
    verdict = Verdict(scale="factuality", score=2, ratings=ratings)
    made = score(True).model_copy(update={"verdict": verdict})
    return JudgedTrial(trial(), TrialState.VERDICT, (made,))


def test_repeats_agree_where_all_lie_on_one_side_of_the_scale() -> None:
    assert values(repeated(1, 2, 2)) == {REPEATS: {"same": 1.0}}
    assert values(repeated(2, 4, 2)) == {REPEATS: {"same": 0.0}}


def test_one_repeat_and_several_models_are_no_repeats() -> None:
    assert values(repeated(2)) == values(repeated(2, None)) == {}
    assert values(repeated(1, 2, judges=("a/b", "c/d"))) == {}
