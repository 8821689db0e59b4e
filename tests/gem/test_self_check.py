"""Whether a model gives one number for one question."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import pytest

from reviewscore.errors import SettingsError
from reviewscore.gem.evaluation import (
    REFUSE_ABOVE,
    WARN_ABOVE,
    LogProbability,
    Question,
    check_steadiness,
)


class Model:
    """Answers -10 nats for 10 tokens, a little less each time it is asked."""

    name = "fake"

    def __init__(self, drift: float = 0.0, answer: LogProbability | None = None) -> None:
        self._drift, self._answer, self._rounds = drift, answer, count()
        self.asked: list[list[Question]] = []

    def answers(self, questions: Sequence[Question]) -> list[LogProbability]:
        self.asked.append(list(questions))
        nats = -10 - self._drift * next(self._rounds)
        return [self._answer or LogProbability(nats, 10)] * len(questions)


def test_a_steady_model_passes_without_a_word() -> None:
    found = check_steadiness(Model())

    assert (found.difference, found.warning) == (0.0, "")


def test_the_second_round_comes_in_another_order() -> None:
    model = Model()

    check_steadiness(model)

    assert model.asked[0] == model.asked[1][::-1]
    assert len(set(model.asked[0])) == len(model.asked[0])


@pytest.mark.parametrize("a_token", [2 * WARN_ABOVE, 0.9 * REFUSE_ABOVE])
def test_small_differences_are_told(a_token: float) -> None:
    found = check_steadiness(Model(drift=10 * a_token))

    assert found.difference == pytest.approx(a_token)
    assert "small differences" in found.warning


def test_large_differences_are_refused() -> None:
    with pytest.raises(SettingsError, match="fake: two sums of one question differ"):
        check_steadiness(Model(drift=11 * REFUSE_ABOVE))


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (LogProbability(None, 3, "it sleeps"), "it sleeps"),
        (LogProbability(None), "no reason was given"),
        (LogProbability(1.0, 3), "no log-probability"),
        (LogProbability(-1.0, 0), "no log-probability"),
    ],
)
def test_what_is_no_log_probability_is_refused(answer: LogProbability, told: str) -> None:
    with pytest.raises(SettingsError, match=told):
        check_steadiness(Model(answer=answer))
