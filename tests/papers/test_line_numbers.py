"""Line numbers in texts that converters made."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.papers import line_numbers
from reviewscore.papers.line_map import without_line_numbers
from reviewscore.papers.load import PaperRow, build_paper

PROSE = (
    "the river carries silt from every field that farmers plough in spring and leaves it where "
    "slow water turns around the willows so that new islands grow each year while older banks "
    "fall and the map that a pilot drew is wrong before its ink has dried on the paper "
)
WORDS = PROSE.split()


def printed_lines(count: int, *, first: int = 0) -> list[str]:
    """Lines of running text, about ninety letters each; a sentence ends in every third."""
    lines = []
    for number in range(first, first + count):
        words = [WORDS[(number * 7 + at) % len(WORDS)] for at in range(17)]
        line = " ".join(words)
        lines.append(f"{line}." if number % 3 == 2 else line)
    return lines


def joined(lines: list[str]) -> str:
    return " ".join(lines)


def test_numbers_at_the_ends_of_lines_go_and_sentences_run_on() -> None:
    lines = printed_lines(60)
    text = " ".join(f"{line} {number}" for number, line in enumerate(lines, 1))

    mended = without_line_numbers(text)

    assert mended.mapped.text == joined(lines)
    assert [line.number for line in mended.lines] == list(range(1, 61))
    for line, printed in zip(mended.lines, lines, strict=True):
        assert mended.mapped.text[line.start :].lstrip().startswith(printed)


def test_lone_numbers_between_two_halves_of_a_sentence_go() -> None:
    lines = printed_lines(60)
    halves = [joined(lines[:20]), joined(lines[20:40]), joined(lines[40:])]
    blocks = ["\n\n".join(map(str, range(start, start + 20))) for start in (100, 120, 140)]
    text = "\n\n".join(part for pair in zip(blocks, halves, strict=True) for part in pair)

    mended = without_line_numbers(text)

    assert not re.search(r"\d", mended.mapped.text)
    assert halves[0] + " " + halves[1] in mended.mapped.text
    assert mended.removed == 60
    assert not any(line.exact for line in mended.lines)


def test_lines_that_became_list_items_are_a_paragraph_again() -> None:
    lines = printed_lines(40)
    text = "\n".join(f"- {line} {number}" for number, line in enumerate(lines, 31))

    mended = without_line_numbers(text)

    assert mended.mapped.text == joined(lines)
    assert mended.joined == 40


def test_a_real_list_stays_a_list() -> None:
    lines = printed_lines(60)
    numbered = [f"{line} {number}" for number, line in enumerate(lines, 1)]
    items = ["- Pumps fail in frost.", "- Sluices leak.", "- Gauges drift."]
    text = " ".join(numbered[:30]) + ".\n\n" + "\n".join(items) + "\n\n" + " ".join(numbered[30:])

    assert "\n".join(items) in without_line_numbers(text).mapped.text


def test_a_number_between_the_halves_of_a_word_joins_them() -> None:
    lines = printed_lines(60)
    numbered = [f"{line} {number}" for number, line in enumerate(lines, 1)]
    numbered[9] = "the hydrolo10 gists measured a long time at the water-wheel and then the water11"
    numbered[10] = "wheel broke although hydrologists had warned of the frost for most of a year 12"
    numbered.insert(10, "")
    del numbered[12]

    text = without_line_numbers(" ".join(numbered).replace("  ", " ")).mapped.text

    assert "hydrologists measured" in text
    assert "the water-wheel broke" in text


def test_numbers_of_the_authors_stay() -> None:
    lines = printed_lines(90)
    kept = {
        10: "in 2019",
        20: "with 24 pumps",
        30: "seed 33 of 40",
        40: "depth 7 and 8",
        50: "12 kV",
    }
    for place, words in kept.items():
        lines[place] = f"{words} {lines[place]}"
    table = "| gauge | 1 | 2 | 3 |\n|---|---|---|---|\n| north | 14 | 15 | 16 |"
    numbered = [f"{line} {number}" for number, line in enumerate(lines, 1)]
    text = " ".join(numbered[:45]) + f"\n\n{table}\n\n" + " ".join(numbered[45:])

    result = without_line_numbers(text).mapped.text

    assert table in result
    assert all(words in result for words in kept.values())


def test_numbers_of_every_fifth_line_go() -> None:
    lines = printed_lines(150)
    text = " ".join(
        f"{line} {number}" if number % 5 == 0 else line for number, line in enumerate(lines, 1)
    )

    mended = without_line_numbers(text)

    assert mended.mapped.text == joined(lines)
    assert [line.number for line in mended.lines] == list(range(5, 151, 5))


def test_numbers_that_begin_again_on_each_page_go() -> None:
    lines = printed_lines(120)
    text = " ".join(f"{line} {number % 40:03d}" for number, line in enumerate(lines))

    assert without_line_numbers(text).mapped.text == joined(lines)


def test_a_text_without_line_numbers_stays_as_it_is() -> None:
    axis = "\n\n".join(map(str, range(0, 30)))
    rows = "\n".join(f"{number} pumps at {number * 3} gauges" for number in range(1, 9))
    text = "\n\n".join([*printed_lines(120), axis, rows])

    mended = without_line_numbers(text)

    assert mended.mapped.text == text
    assert mended.lines == ()
    assert mended.notes == ()


def test_a_paper_says_what_was_taken_out_and_keeps_the_map() -> None:
    lines = printed_lines(60)
    text = "# Silt\n\n" + " ".join(f"{line} {number}" for number, line in enumerate(lines, 1))

    paper = build_paper(PaperRow(paper_id="p", text=text))

    assert paper.text == "# Silt\n\n" + joined(lines)
    assert any("60 line numbers (1 to 60)" in note for note in paper.notes)
    twelfth = next(line for line in paper.lines if line.number == 12)
    assert paper.text[twelfth.start :].lstrip().startswith(lines[11])


@given(
    st.integers(1, 900),
    st.lists(st.sampled_from(["after", "alone", "before"]), min_size=4, max_size=8),
)
def test_whatever_the_mixture_the_words_stay_and_the_numbers_go(
    first: int, ways: list[str]
) -> None:
    """Each paragraph of fifteen lines carries its numbers in one way."""
    lines = printed_lines(15 * len(ways), first=first)
    parts, number = [], first
    for at, way in enumerate(ways):
        paragraph = lines[15 * at : 15 * at + 15]
        numbers = range(number, number + 15)
        number += 15
        if way == "alone":
            parts += [*map(str, numbers), joined(paragraph)]
        elif way == "after":
            parts.append(
                " ".join(f"{line} {n}" for n, line in zip(numbers, paragraph, strict=True))
            )
        else:
            parts.append(
                "\n".join(f"{n} {line}" for n, line in zip(numbers, paragraph, strict=True))
            )

    result = without_line_numbers("\n\n".join(parts)).mapped.text

    assert result.split() == joined(lines).split()


def counting(text: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """How often the cost of one number after another is asked for, over a text."""
    asked = 0
    cost = line_numbers._cost

    def counted(*arguments: Any) -> float:
        nonlocal asked
        asked += 1
        return cost(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(line_numbers, "_cost", counted)
        without_line_numbers(text)
    return asked


@pytest.mark.parametrize("period", [13, 54, 1000])
def test_numbers_that_begin_anew_are_looked_at_in_linear_time(
    monkeypatch: pytest.MonkeyPatch, period: int
) -> None:
    short, long = (
        "".join(f"{at % period} word and text\n" for at in range(lines)) for lines in (4000, 8000)
    )

    few, many = counting(short, monkeypatch), counting(long, monkeypatch)

    assert many <= 2.5 * few
    assert many <= 20 * 8000


def test_numbers_that_begin_anew_on_every_page_all_go() -> None:
    line = "the rivers carry silt to the sea and the sea keeps all of it for some time"
    text = "".join(f"{at % 54} {line}\n" for at in range(54 * 16))

    mended = without_line_numbers(text)

    assert mended.removed == 54 * 16
    assert len(mended.lines) == 54 * 16


HARD = {
    "blanks": " " * 100_000 + "x",
    "lines": "".join(f"{at % 1000} word text here\n" for at in range(30_000)),
    "row": " ".join(str(at % 9999) for at in range(30_000)),
    "bar": "|" + "1" * 60 + "x\n\n|" + " " * 30_000 + "x",
}


@pytest.mark.parametrize("name", HARD)
def test_no_text_keeps_a_reader_busy(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.txt").write_text(HARD[name])
    code = "import sys; from reviewscore.cli.main import main; main(sys.argv[1:])"

    ended = subprocess.run(
        [sys.executable, "-c", code, "inspect", str(tmp_path / "a.txt"), "--json"],
        capture_output=True, timeout=20, check=False,
    )  # fmt: skip

    assert json.loads(ended.stdout)["characters"] > 0
