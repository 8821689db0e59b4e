"""JSON of others: what does not say one thing is refused, by name and with its place."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.errors import InputError
from reviewscore.json_text import MOST_DIGITS, UnusableJsonError, load_json
from reviewscore.papers.load import load_paper
from reviewscore.sources.collection import read_collection
from reviewscore.sources.formal import read_arguments

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=9,
)


@given(JSON)
def test_what_says_one_thing_is_read_as_the_library_reads_it(value: object) -> None:
    assert load_json(json.dumps(value)) == value


@given(st.dictionaries(st.text(max_size=9), JSON, min_size=1), st.data())
def test_a_key_that_is_there_twice_is_refused_however_it_is_written(
    held: dict[str, object], data: st.DataObject
) -> None:
    key = data.draw(st.sampled_from(sorted(held)))
    again = "".join(f"\\u{ord(one):04x}" if ord(one) < 0x10000 else one for one in key)
    text = json.dumps(held)[:-1] + f', "{again}": 1}}'
    outside = f'[{{"a": {text}}}]'
    for one in (text, outside):
        with pytest.raises(UnusableJsonError) as refused:
            load_json(one)
        assert refused.value.field == key


FOLDERS = {
    "papers.jsonl": ('{"paper_id": "p", "text": "One.", "text": "Other."}', "text"),
    "reviews.jsonl": (
        '{"review_id": "r2", "paper_id": "p", "sections": {"weak": "One.", "weak": "Other."}}',
        "weak",
    ),
}


def folder(path: Path, name: str, line: str) -> Path:
    path.joinpath("papers.jsonl").write_text('{"paper_id": "p", "text": "It is so."}\n')
    path.joinpath("reviews.jsonl").write_text(
        '{"review_id": "r", "paper_id": "p", "text": "Short."}\n'
    )
    with path.joinpath(name).open("a") as file:
        file.write(line + "\n")
    return path


@pytest.mark.parametrize("name", FOLDERS)
def test_a_field_that_is_given_twice_is_named_with_its_file_and_line(
    name: str, tmp_path: Path
) -> None:
    line, field = FOLDERS[name]
    with pytest.raises(InputError, match="give it once") as refused:
        read_collection(folder(tmp_path, name, line))

    wrong = refused.value
    assert (wrong.file, wrong.line, wrong.field) == (tmp_path / name, 2, field)


@pytest.mark.parametrize(("name", "field"), [("papers.jsonl", "year"), ("reviews.jsonl", "rating")])
def test_a_number_of_thousands_of_digits_is_named_with_its_place(
    name: str, field: str, tmp_path: Path
) -> None:
    line = f'{{"paper_id": "q", "{field}": {"9" * 5000}}}'
    with pytest.raises(InputError) as refused:
        read_collection(folder(tmp_path, name, line))

    wrong = refused.value
    assert (wrong.file, wrong.line, wrong.field) == (tmp_path / name, 2, field)
    assert "5,000 digits" in wrong.problem
    assert wrong.cure is not None
    assert not re.search(r"int|str|sys", str(wrong.problem))
    assert load_json("9" * MOST_DIGITS) == int("9" * MOST_DIGITS)


@pytest.mark.parametrize(
    "text",
    [
        '{"text": "One.", "text": "Other."}',
        '{"text": "One.", "year": ' + "9" * 5000 + "}",
        '{"text": "One.", "x": ' + "[" * 100_000 + "]" * 100_000 + "}",
    ],
    ids=["twice", "long", "deep"],
)
def test_a_single_record_and_an_argument_are_read_as_strictly(text: str, tmp_path: Path) -> None:
    file = tmp_path / "paper.json"
    file.write_text(text)
    with pytest.raises(InputError, match=re.escape(str(file))):
        load_paper(file)
    with file.open() as stream:
        (wrong,) = read_arguments(stream, "arguments")

    assert isinstance(wrong, InputError)
    assert wrong.file == "arguments"
