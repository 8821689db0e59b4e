"""JSON objects are found in any text, in steps that grow no faster than the text."""

from __future__ import annotations

import json
import re
import sys
import time
from types import FrameType

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from reviewscore.llm.structured import MOST_OBJECTS, check_whole, objects

MEGABYTE = 1_000_000
BEGINS = re.compile(r"""\{\s*"[^"]*"\s*:""")

words = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=60)
whole = words.filter(lambda text: "\0" not in text)


def unlike(
    keys: st.SearchStrategy[str], values: st.SearchStrategy[object], least: int = 0
) -> st.SearchStrategy[dict[str, object]]:
    """Objects without two keys that differ in case only."""
    pairs = st.lists(
        st.tuples(keys, values),
        min_size=least,
        max_size=4,
        unique_by=lambda pair: pair[0].casefold(),
    )
    return pairs.map(dict)


values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | whole,
    lambda inner: st.lists(inner, max_size=4) | unlike(whole, inner),
    max_leaves=12,
)
records = unlike(whole, values, 1)
prose = st.text(alphabet='{}[]":,\\ abc\n', max_size=40) | words


def decoded(text: str) -> int:
    """How often a decoder is set to work on a text."""
    calls = 0

    def count(frame: FrameType, event: str, _: object) -> None:
        nonlocal calls
        calls += event == "call" and frame.f_code.co_name == "raw_decode"

    sys.setprofile(count)
    try:
        list(objects(text))
    except ValueError:
        pass
    finally:
        sys.setprofile(None)
    return calls


@given(records, prose, prose, st.sampled_from(["", "```json\n", "~~~\n"]), st.booleans())
def test_an_object_is_found_in_any_words(
    record: dict[str, object], before: str, after: str, fence: str, ascii_only: bool
) -> None:
    text = json.dumps(record, ensure_ascii=ascii_only)
    written = before + fence + text + fence[:3] + after
    begin = BEGINS.search(written)
    assume(begin is not None and begin.start() == len(before + fence))  # it is the first to begin
    assume(BEGINS.search(fence[:3] + after) is None)

    assert [record] == [json.loads(found) for found in objects(written)]


@given(st.text(alphabet='{}[]":,\\ 1ae\n', max_size=3_000), st.integers(1, 200))
def test_the_decoder_is_called_a_bounded_number_of_times(text: str, times: int) -> None:
    assert decoded(text * times) <= MOST_OBJECTS


@pytest.mark.parametrize(
    "text",
    [
        "{", '{"', '{"a":', '{"a":[', '{"a" ', '{"\\"', "{ ", '{"a":1,', '{"a":1}', '"', "\\",
        '{"a":{"b":1}', "{}", '{"a":NaN}',
    ],
)  # fmt: skip
def test_a_megabyte_of_anything_is_read_at_once(text: str) -> None:
    started = time.process_time()
    assert decoded(text * (MEGABYTE // len(text))) <= MOST_OBJECTS
    assert time.process_time() - started < 3.0  # 0.1 s; with squares it was minutes


@pytest.mark.parametrize(
    "inner",
    ["1,", "[],", "{},", '{"":1},', '"\\\\",'],
)
def test_a_megabyte_of_json_is_one_object(inner: str) -> None:
    text = '{"a":[' + inner * (MEGABYTE // len(inner)) + "1]}"

    started = time.process_time()
    assert [text] == list(objects(text))
    assert time.process_time() - started < 3.0


def test_many_keys_of_which_the_last_is_there_twice_are_refused_at_once() -> None:
    pairs = ",".join(f'"{number}":1' for number in range(90_000))

    started = time.process_time()
    with pytest.raises(ValueError, match="'89999' is there more than once"):
        list(objects(f'{{{pairs},"89999":2}}'))
    assert time.process_time() - started < 3.0


@pytest.mark.parametrize("text", ['{"A": 1, "a": 2}', '{"STRASSE": 1, "stra\u00dfe": 2}'])
def test_keys_that_differ_in_case_only_are_one_key_twice(text: str) -> None:
    with pytest.raises(ValueError, match="more than once, in whatever case"):
        list(objects(text))


@pytest.mark.parametrize(
    "text",
    [
        "<think>", "<think></think>", "{'a': ", "{/*", "{ \u00a0", '{a "', "{a:", "'a':",
        "{\u201ca\u201d", "{'" + "a" * 79,
    ],
)  # fmt: skip
def test_a_megabyte_before_an_object_is_read_at_once(text: str) -> None:
    started = time.process_time()
    try:
        list(objects(text * (MEGABYTE // len(text)) + '{"a": 1}', {"a", "b"}))
    except ValueError as error:
        assert "JSON" in str(error)
    assert time.process_time() - started < 3.0


def test_what_stands_in_a_broken_object_is_not_found() -> None:
    with pytest.raises(ValueError, match="broken"):
        list(objects('{"why": "it says "{"score": 1}"", "score": 5}'))


@pytest.mark.parametrize("text", ['{"a": 1}', ' [1, {"a": "b"}] ', "1"])
def test_a_whole_text_is_one_value(text: str) -> None:
    check_whole(text)


@pytest.mark.parametrize("text", ["", "{", "1 2", '{"a": 1, "a": 1}', "[NaN]", "[" * 5_000])
def test_a_text_that_is_not_one_value_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="JSON"):
        check_whole(text)
