"""Line numbers that converters left apart from the others, and the sentences around them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.papers.line_map import (
    Mended,
    without_line_numbers,
)
from tests.papers.test_line_numbers import joined, printed_lines


def numbered(lines: list[str], first: int = 1) -> list[str]:
    return [f"{line} {number}" for number, line in enumerate(lines, first)]


def block(first: int, last: int) -> str:
    return "\n\n".join(map(str, range(first, last + 1)))


def place(mended: Mended, number: int) -> str:
    """The text from where the line with a number is said to begin."""
    line = next(line for line in mended.lines if line.number == number)
    return mended.mapped.text[line.start :].lstrip()


def offset(mended: Mended, number: int) -> int:
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


def test_lines_of_a_block_out_of_order_lie_between_their_neighbours() -> None:
    lines = printed_lines(90)
    text = "\n\n".join(
        [
            " ".join(numbered(lines[:30])),
            joined(lines[30:50]),
            " ".join(numbered(lines[50:70], 51)),
            block(31, 50),  # after the numbers that follow it
            " ".join(numbered(lines[70:], 71)),
        ]
    )

    mended = without_line_numbers(text)

    for number in range(31, 51):
        assert abs(offset(mended, number) - mended.mapped.text.index(lines[number - 1])) <= 100
    starts = [offset(mended, number) for number in range(1, 91)]
    assert starts == sorted(starts)


def test_floats_captions_and_footnotes_have_no_lines() -> None:
    lines = printed_lines(60)
    caption = "Figure 3: " + "a very long caption about the willows and their banks " * 9
    code = "```\n" + "while the river rises read the gauge and wait for the next hour\n" * 9 + "```"
    footnote = "2 https://banks.example " + "and more about the gauges of the older banks " * 5
    float_ = "\n\n".join([code, caption, "<!-- image -->", footnote])
    text = "\n\n".join(
        [
            " ".join(numbered(lines[:30])),
            block(31, 40),
            float_,
            joined(lines[30:40]),
            " ".join(numbered(lines[40:], 41)),
        ]
    )

    mended = without_line_numbers(text)

    for number in range(31, 41):
        assert abs(offset(mended, number) - mended.mapped.text.index(lines[number - 1])) <= 100


def test_numbers_at_the_end_of_their_paragraph_are_those_of_its_lines() -> None:
    lines = printed_lines(60)
    gathered = f"{joined(lines[30:35])} 31 32 33 34 35"
    text = "\n\n".join(
        [" ".join(numbered(lines[:30])), gathered, " ".join(numbered(lines[35:], 36))]
    )

    mended = without_line_numbers(text)

    for number in range(31, 36):
        assert abs(offset(mended, number) - mended.mapped.text.index(lines[number - 1])) <= 20


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


def test_lines_before_the_first_number_are_counted_from_the_abstract() -> None:
    lines = printed_lines(60)
    text = "\n\n".join(
        [
            block(11, 30),
            "## Silt",
            "Anonymous Author(s) of the river " * 9,
            "## Abstract",
            joined(lines[:10]),
            joined(lines[10:30]),
            " ".join(numbered(lines[30:], 31)),
        ]
    )

    mended = without_line_numbers(text)

    for number in range(11, 31):
        assert abs(offset(mended, number) - mended.mapped.text.index(lines[number - 1])) <= 120


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
