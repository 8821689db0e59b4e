"""Arguments in formulas, one a line: a broken line takes no other with it."""

from __future__ import annotations

import io
import json

from reviewscore.errors import InputError
from reviewscore.sources.formal import FormalArgument, read_arguments

ARGUMENT = json.dumps({"premises": ["A"], "conclusion": "A"})


def read(text: str) -> list[FormalArgument | InputError]:
    return list(read_arguments(io.StringIO(text), "arguments.jsonl"))


def test_a_broken_first_line_takes_no_other_with_it() -> None:
    first, *others = read('{"premises": [\n' + f"{ARGUMENT}\n\n{ARGUMENT}\n" + "{]\n")

    assert isinstance(first, InputError)
    assert [type(one) for one in others] == [FormalArgument, FormalArgument, InputError]
    assert "arguments.jsonl:5" in str(others[-1])


def test_numbers_go_on_after_a_list() -> None:
    names = [
        one.argument_id
        for one in read(f"[{ARGUMENT}, {ARGUMENT}]\n{ARGUMENT}\n")
        if isinstance(one, FormalArgument)
    ]

    assert names == ["1", "2", "3"]


def test_a_first_line_that_cannot_be_used_takes_no_other_with_it() -> None:
    first, other = read('{"premises": ["A"], "premises": ["B"]}\n' + f"\n{ARGUMENT}\n")

    assert isinstance(first, InputError)
    assert "arguments.jsonl:1" in str(first)
    assert isinstance(other, FormalArgument)
    assert other.argument_id == "2"
