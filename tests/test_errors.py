from __future__ import annotations

import inspect
import pickle

import pytest

from reviewscore import errors
from reviewscore.errors import (
    BadReplyError,
    FormulaError,
    InputError,
    ProviderError,
    ReviewScoreError,
)

MADE: dict[type[ReviewScoreError], ReviewScoreError] = {
    InputError: InputError("is odd", file="a.jsonl", line=3, field="text", cure="mend it"),
    FormulaError: FormulaError("unexpected-token", "no", line=2, column=5),
    ProviderError: ProviderError("slow", retryable=True, retry_after=2.0, status=429),
    BadReplyError: BadReplyError("does not fit", reply="{}"),
}
KINDS = [
    one
    for _, one in inspect.getmembers(errors, inspect.isclass)
    if issubclass(one, ReviewScoreError)
]


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_comes_through_to_another_process_as_it_is(kind: type[ReviewScoreError]) -> None:
    error = MADE.get(kind) or kind("it failed")
    again = pickle.loads(pickle.dumps(error))

    assert type(again) is kind
    assert str(again) == str(error)
    assert vars(again) == vars(error)
