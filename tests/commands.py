"""Commands as a user gives them, with what they print and how they end."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest

from reviewscore.cli.main import main


class Ended(NamedTuple):
    """How a command ended."""

    exit_code: int
    stdout: str
    stderr: str


Invoke = Callable[..., Ended]


def invoker(verb: str, capsys: pytest.CaptureFixture[str]) -> Invoke:
    """Runs one verb."""

    def invoke(*words: object) -> Ended:
        with pytest.raises(SystemExit) as ended:
            main([verb, *map(str, words)])
        told = capsys.readouterr()
        return Ended(int(ended.value.code or 0), told.out, told.err)

    return invoke
