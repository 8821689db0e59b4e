"""How the time of a piece of work grows with its size; part of ``make thorough`` alone."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import TypeVar

import pytest

from tests.conftest import THOROUGH

T = TypeVar("T")

timed = pytest.mark.skipif(not THOROUGH, reason="a busy machine fails it: part of make thorough")
TIMES = 4
LINEAR = 9.0
"""Four times the text takes four times as long if the cost is linear, sixteen times if squared."""


def growth(work: Callable[[T], object], made: Callable[[int], T], size: int) -> float:
    """How many times longer the work takes at ``TIMES`` the size, of the best of three runs."""

    def seconds(material: T) -> float:
        runs = []
        for _ in range(3):
            began = time.thread_time()
            work(material)
            runs.append(time.thread_time() - began)
        return min(runs)

    gc.disable()  # what other tests hold is no part of it
    try:
        return seconds(made(TIMES * size)) / max(seconds(made(size)), 0.002)
    finally:
        gc.enable()
