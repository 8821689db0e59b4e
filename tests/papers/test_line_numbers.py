"""Line numbers in texts that converters made, and the sentences around them."""

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
from reviewscore.papers.line_map import UnnumberedText, without_line_numbers
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


def numbered(lines: list[str], first: int = 1) -> list[str]:
    return [f"{line} {number}" for number, line in enumerate(lines, first)]


def test_numbers_at_the_ends_of_lines_go_and_sentences_run_on() -> None:
    lines = printed_lines(60)
    text = joined(numbered(lines))

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
    text = numbered(lines)
    items = ["- Pumps fail in frost.", "- Sluices leak.", "- Gauges drift."]
    whole = " ".join(text[:30]) + ".\n\n" + "\n".join(items) + "\n\n" + " ".join(text[30:])

    assert "\n".join(items) in without_line_numbers(whole).mapped.text


def test_a_number_between_the_halves_of_a_word_joins_them() -> None:
    lines = printed_lines(60)
    text = numbered(lines)
    text[9] = "the hydrolo10 gists measured a long time at the water-wheel and then the water11"
    text[10] = "wheel broke although hydrologists had warned of the frost for most of a year 12"
    text.insert(10, "")
    del text[12]

    result = without_line_numbers(" ".join(text).replace("  ", " ")).mapped.text

    assert "hydrologists measured" in result
    assert "the water-wheel broke" in result


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
    text = numbered(lines)
    whole = " ".join(text[:45]) + f"\n\n{table}\n\n" + " ".join(text[45:])

    result = without_line_numbers(whole).mapped.text

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
    text = "# Silt\n\n" + joined(numbered(lines))

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


def block(first: int, last: int) -> str:
    return "\n\n".join(map(str, range(first, last + 1)))


def place(mended: UnnumberedText, number: int) -> str:
    """The text from where the line with a number is said to begin."""
    line = next(line for line in mended.lines if line.number == number)
    return mended.mapped.text[line.start :].lstrip()


def offset(mended: UnnumberedText, number: int) -> int:
    return next(line.start for line in mended.lines if line.number == number)


def test_a_sentence_runs_on_where_a_number_ends_its_paragraph() -> None:
    lines = printed_lines(60)
    text = numbered(lines)
    text = [*text[:10], *text[11:]]
    halves = "the pilot who drew the map of these banks was wrong about every one 11\n\nof them."

    mended = without_line_numbers(" ".join([*text[:10], halves, *text[10:]]))

    assert "wrong about every one of them." in mended.mapped.text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Figure 2: The old banks of the river, and the maps of three pilots", "fall slowly"),
        ("the pilots agree that the oldest of these maps is equivalent to", "because it rains"),
        ("where the water is slow we have", "for every gauge of the river, as before"),
        ("m x r n x r m x r n x r m x r n x r m x r n x r", "in conjunction with the gauges"),
        ("## The banks of the river, and the maps of three of its pilots", "fall slowly"),
        ("the banks fall and the map that a pilot drew is wrong at once.", "iPilot sees it"),
    ],
)
def test_other_paragraphs_stay_apart(before: str, after: str) -> None:
    lines = numbered(printed_lines(60))
    cut = f"{before} 31\n\n{after}"
    text = f"{' '.join(lines[:30])}\n\n{cut} {' '.join(lines[31:])}"

    assert f"{before}\n\n{after}" in without_line_numbers(text).mapped.text


def test_a_caption_of_whole_sentences_that_is_cut_runs_on() -> None:
    lines = numbered(printed_lines(60))
    caption = "Figure 2: Banks of the river. The map that the pilot drew shows where"
    text = f"{' '.join(lines[:30])}\n\n{caption} 31\n\nslow water turns. {' '.join(lines[31:])}"

    assert f"{caption} slow water turns." in without_line_numbers(text).mapped.text


@pytest.mark.parametrize(
    ("cut", "whole"),
    [
        ("a gauge that is willow11\n- based", "a gauge that is willow-based"),
        ("the hydrolo11\n- gists", "the hydrologists"),
        ("the hydrolo11\n- 12\n\ngists", "the hydrologists"),
        ("the hydrolo11\n\n12\n\ngists", "the hydrologists"),
        ("the Ornen11 Ulbek", "the Ornen-Ulbek"),
        ("the model Silt11 1.5B", "the model Silt-1.5B"),
        ("the hydrolo11\n\n12\n\nFigure 2", "the hydrolo\n\nFigure 2"),
    ],
)
def test_numbers_in_the_middle_of_words_go(cut: str, whole: str) -> None:
    lines = printed_lines(60)
    text = numbered(lines)
    known = "Hydrologists prefer willow-based gauges. "
    halves = f"{lines[10][:60]} {cut} measured it for a whole summer beside the old mill"

    mended = without_line_numbers(known + " ".join([*text[:10], halves, *text[12:]]))

    assert whole in mended.mapped.text


@pytest.mark.parametrize("length", [1, 2, 5, 9])
def test_a_short_run_that_the_block_of_its_page_lacks_goes(length: int) -> None:
    lines = printed_lines(120)
    apart = lines[60 : 60 + length]
    loose = block(41, 60) + "\n\n" + block(61 + length, 80)
    rest = joined(lines[40:60] + lines[60 + length : 80])
    run = " ".join(numbered(apart, 61))
    head, tail = " ".join(numbered(lines[:40])), " ".join(numbered(lines[80:], 81))

    mended = without_line_numbers(f"{head}\n\n{loose}\n\n{rest}\n\n{run}\n\n{tail}")

    assert mended.removed == 120
    assert (
        mended.mapped.text.split()
        == joined(lines[:60] + lines[60 + length : 80] + apart + lines[80:]).split()
    )


def test_numbers_of_the_authors_stay_although_the_sequence_lacks_them() -> None:
    lines = printed_lines(120)
    kept = ["a batch of 64 gauges", "62 of 63 pilots", "Silt65 of 2019", "as in Table 66"]
    lines[20:24] = [f"{words} {line}" for words, line in zip(kept, lines[20:24], strict=True)]
    lines[25] = "the depth of the river is less than"
    text = numbered(lines[:60]) + numbered(lines[66:], 67)
    text[25] = "the depth of the river is less than 26\n\nas in Table 66\n\n" + lines[26]

    result = without_line_numbers(" ".join(text)).mapped.text

    assert all(words in result for words in kept)


LINES = printed_lines(90)
CAPTION = "Figure 3: " + "a very long caption about the willows and their banks " * 9
CODE = "```\n" + "while the river rises read the gauge and wait for the next hour\n" * 9 + "```"
FOOTNOTE = "2 https://banks.example " + "and more about the gauges of the older banks " * 5


def parts(*spans: tuple[int, int]) -> list[str]:
    """Paragraphs of lines with their numbers, from the first to the last of each span."""
    return [joined(numbered(LINES[first - 1 : last], first)) for first, last in spans]


@pytest.mark.parametrize(
    ("text", "apart", "most"),
    [
        ([*parts((1, 30)), joined(LINES[30:50]), *parts((51, 70)), block(31, 50), *parts((71, 90))],
         (31, 50), 100),
        ([*parts((1, 30)), block(31, 40), CODE, CAPTION, "<!-- image -->", FOOTNOTE,
          joined(LINES[30:40]), *parts((41, 60))], (31, 40), 100),
        ([*parts((1, 30)), f"{joined(LINES[30:35])} 31 32 33 34 35", *parts((36, 60))],
         (31, 35), 20),
        ([block(11, 30), "## Silt", "Anonymous Author(s) of the river " * 9, "## Abstract",
          joined(LINES[:10]), joined(LINES[10:30]), *parts((31, 60))], (11, 30), 120),
    ],
    ids=["block after its followers", "floats", "end of the paragraph", "from the abstract"],
)  # fmt: skip
def test_lines_whose_numbers_stand_apart_are_near(
    text: list[str], apart: tuple[int, int], most: int
) -> None:
    mended = without_line_numbers("\n\n".join(text))

    for number in range(apart[0], apart[1] + 1):
        assert abs(offset(mended, number) - mended.mapped.text.index(LINES[number - 1])) <= most
    starts = [line.start for line in sorted(mended.lines, key=lambda line: line.number or 0)]
    assert starts == sorted(starts)


def test_a_number_before_a_block_is_of_the_first_line_of_the_paragraph_before_them() -> None:
    lines = printed_lines(60)
    text = "\n\n".join(
        [
            " ".join(numbered(lines[:30])),
            f"{joined(lines[30:40])} 31",
            block(32, 40),
            " ".join(numbered(lines[40:], 41)),
        ]
    )

    assert place(without_line_numbers(text), 31).startswith(lines[30][:40])


def test_a_number_that_is_lost_is_counted_on() -> None:
    lines = printed_lines(60)
    text = numbered(lines)
    text[29:32] = lines[29:32]

    mended = without_line_numbers(" ".join(text))

    lost = [line for line in mended.lines if line.number in (30, 31, 32)]
    assert len(lost) == 3
    assert not any(line.exact for line in lost)
    for line in lost:
        assert line.number is not None
        assert abs(line.start - mended.mapped.text.index(lines[line.number - 1])) <= 20


@given(st.integers(20, 60), st.integers(3, 20), st.integers(0, 3))
def test_wherever_a_block_stands_its_lines_are_near(first: int, count: int, where: int) -> None:
    lines = printed_lines(100)
    parts = [
        " ".join(numbered(lines[: first - 1])),
        joined(lines[first - 1 : first - 1 + count]),
        " ".join(numbered(lines[first - 1 + count :], first + count)),
    ]
    parts.insert(where, block(first, first + count - 1))

    mended = without_line_numbers("\n\n".join(parts))

    assert mended.removed == 100
    assert mended.mapped.text.split() == joined(lines).split()
    for number in range(first, first + count):
        assert abs(offset(mended, number) - len(joined(lines[: number - 1]))) <= 200
