"""A paper is loaded from whatever file it comes in, its text storable."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from reviewscore.errors import InputError
from reviewscore.papers.load import PaperRow, build_paper, load_paper, read_title

TEXT = "# LAMPS IN WIN## TER\n## AND SUMMER\n\nABSTRACT\n\nWe light lamps.\n\n"
TEXT += "1 INTRODUCTION\n\nWhy lamps?\n"


def test_markdown_and_text_are_loaded(tmp_path: Path) -> None:
    path = tmp_path / "lamps.md"
    path.write_bytes(b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode())
    paper = load_paper(path, year=2031)
    assert paper.text == TEXT
    assert paper.title == "LAMPS IN WINTER AND SUMMER"
    assert paper.abstract == "We light lamps."
    assert (paper.paper_id, paper.year, paper.source, paper.notes) == (
        "lamps",
        2031,
        "markdown",
        (),
    )


def test_a_record_is_loaded_from_json(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    path.write_text(
        json.dumps({"paper_id": 7, "title": "Lamps", "text": TEXT, "year": 2030}) + "\n"
    )
    paper = load_paper(path)
    assert (paper.paper_id, paper.title, paper.year) == ("7", "Lamps", 2030)


def test_text_is_made_storable_and_the_notes_say_so() -> None:
    row = PaperRow.model_construct(paper_id="p", text="\ufeffA lamp\x00 \ud800 burns.\r\nAll day.")
    paper = build_paper(row)
    assert paper.text == "A lamp  \ufffd burns.\nAll day."
    assert "1 broken characters replaced by U+FFFD" in paper.notes
    assert "1 control characters replaced by spaces" in paper.notes
    paper.model_dump_json().encode("utf-8")


def test_given_sections_are_assembled_or_located() -> None:
    sections = {"Abstract": "We light lamps.", "1 Setup": "A lamp and a room."}
    assembled = build_paper(PaperRow.model_validate({"paper_id": "p", "sections": sections}))
    assert [section.label for section in assembled.sections] == ["Abstract", "1 Setup"]
    located = build_paper(
        PaperRow.model_validate(
            {
                "paper_id": "p",
                "text": "Lamps\n\n" + assembled.text,
                "sections": json.dumps(sections),
            }
        )
    )
    assert [section.label for section in located.sections] == ["front", "Abstract", "1 Setup"]


def test_given_sections_that_are_not_there_are_noted() -> None:
    row = PaperRow.model_validate(
        {"paper_id": "p", "text": TEXT, "sections": [{"heading": "Shades", "text": "None."}]}
    )
    paper = build_paper(row)
    assert "the given sections are not in the text; headings were searched" in paper.notes
    assert paper.sections[-1].label == "1 INTRODUCTION"


def test_a_title_set_on_two_lines_is_joined() -> None:
    text = "Under review at LAMPS\n\nLAMPS THAT BURN\n\nIN THE WINTER\n\nANONYMOUS AUTHORS\n"
    assert read_title(text) == "LAMPS THAT BURN IN THE WINTER"


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("a.txt", b"  \n", "is empty"),
        ("a.txt", b"caf\xe9 lamps", "is not UTF-8"),
        ("a.json", b"", "is empty"),
        ("a.json", b"[1]", "is not one JSON object"),
        ("a.json", b'{"text": ', "is not JSON"),
        ("a.json", b'{"title": "x"}', "has no text"),
        ("a.json", b'{"text": 5}', "field 'text': input should be a valid string"),
        ("a.jsonl", b'{"text": "a"}\n{"text": "b"}\n', "more than one record"),
    ],
)
def test_a_bad_file_is_refused(tmp_path: Path, name: str, content: bytes, problem: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=problem) as caught:
        load_paper(path)
    assert caught.value.cure


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none.txt", tmp_path / "none.json", tmp_path):
        with pytest.raises(InputError):
            load_paper(path)


def test_what_is_no_ordinary_file_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "paper.pdf"
    os.mkfifo(pipe)

    with pytest.raises(InputError, match="is not an ordinary file; save it to a file first"):
        load_paper(pipe)
