"""No pattern that reads reviews takes time that grows with the square of a text."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import time
from collections.abc import Iterator

import pytest

import reviewscore
from tests.growth import timed

_ROOMS = ("points", "text", "judges.lexical")
_TOKENS = (
    *("a", " ", "(", "“", '"', "`", "[", "*", "$", "\n", ".", "1", "A"),
    *("a ", "- ", "1.", "(1) ", "because ", "as it ", "Table 1 ", "not ", "et al. ", "the "),
)
_SIZE, _TIMES = 150, 4
_NOTICED = 0.003
"""Seconds; what is quicker at the larger size cannot be told from noise."""
_LINEAR = 2.2 * _TIMES


def _patterns() -> Iterator[tuple[str, str, re.Pattern[str]]]:
    """Each pattern of the rooms by its module and name, and how its module calls it."""
    for room in _ROOMS:
        package = importlib.import_module(f"reviewscore.{room}")
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            loaded = importlib.import_module(module.name)
            source = inspect.getsource(loaded)
            for name, value in vars(loaded).items():
                if isinstance(value, re.Pattern):
                    calls = set(re.findall(rf"\b{name}\.(\w+)\(", source))
                    anchored = calls and calls <= {"match", "fullmatch"}
                    yield f"{module.name}.{name}", "match" if anchored else "search", value


def _seconds(pattern: re.Pattern[str], call: str, text: str) -> float:
    best = float("inf")
    for _ in range(3):
        begun = time.process_time()
        getattr(pattern, call)(text)
        best = min(best, time.process_time() - begun)
        if best < _NOTICED:
            break
    return best


_KNOWN = {
    "judges.lexical.argument._REASON_AFTER": "white space of sentences is collapsed",
    "judges.lexical.argument._CONCLUSION_AFTER": "white space of sentences is collapsed",
    "points.stance._RATED": "longer texts are not tried",
    "points.split._LOOSE_END": "reads 40 characters",
    "points.mentions._BEFORE": "reads 60 characters",
    "points.places._OTHERS": "reads few characters after a place",
    "points.places._SUPPLEMENT_AFTER": "reads few characters after a place",
    "points.places._NOT_LINES": "reads few characters after a place",
    "points.places._IN_ALGORITHM": "reads few characters after a place",
}
"""Patterns that no long text of such a kind reaches, and why."""


@timed
@pytest.mark.parametrize(
    ("name", "call", "pattern"), [pytest.param(*each, id=each[0]) for each in _patterns()]
)
def test_time_of_a_pattern_grows_with_the_text_and_not_with_its_square(
    name: str, call: str, pattern: re.Pattern[str]
) -> None:
    slow = []
    for token in _TOKENS if name.removeprefix("reviewscore.") not in _KNOWN else ():
        text = token * (_TIMES * _SIZE // len(token))
        large = _seconds(pattern, call, text)
        if large < _NOTICED:
            continue
        growth = large / _seconds(pattern, call, text[: len(text) // _TIMES])
        if growth > _LINEAR:
            slow.append((token, round(growth, 1)))

    assert slow == []


def test_patterns_of_all_rooms_are_tried() -> None:
    rooms = {name.removeprefix(f"{reviewscore.__name__}.") for name, _, _ in _patterns()}

    assert all(any(name.startswith(f"{room}.") for name in rooms) for room in _ROOMS)
