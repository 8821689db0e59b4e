"""Headings are found, and what only looks like one is not."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.papers.sections import find_sections
from reviewscore.schema.paper import Section, Zone

PROSE = "We say a few words here so that the section has some running text in it, as it should.\n"


def labels(text: str) -> list[str]:
    return [section.label for section in find_sections(text) if section.heading_end > section.start]


def zones(text: str) -> dict[str, Zone]:
    return {section.label: section.zone for section in find_sections(text)}


def paper(*headings: str) -> str:
    return "\n\n".join(f"{heading}\n\n{PROSE}" for heading in headings)


CONFERENCE = paper(
    "# SOME TITLE\n## OF TWO LINES",
    "ABSTRACT",
    "1 INTRODUCTION",
    "2 RELATED WORK",
    "2.1 OLDER LAMPS",
    "3 METHOD",
    "3.1 SOCKET-AWARE BULBS",
    "4 CONCLUSION",
    "ACKNOWLEDGMENTS",
    "REFERENCES",
    "A APPENDIX",
    "A.1 PROOF OF LEMMA 3",
)


def test_conference_headings_are_found_in_order() -> None:
    assert labels(CONFERENCE) == [
        "ABSTRACT",
        "1 INTRODUCTION",
        "2 RELATED WORK",
        "2.1 OLDER LAMPS",
        "3 METHOD",
        "3.1 SOCKET-AWARE BULBS",
        "4 CONCLUSION",
        "ACKNOWLEDGMENTS",
        "REFERENCES",
        "A APPENDIX",
        "A.1 PROOF OF LEMMA 3",
    ]


def test_zones_follow_title_and_place() -> None:
    found = zones(CONFERENCE)
    assert found["ABSTRACT"] is Zone.ABSTRACT
    assert found["2.1 OLDER LAMPS"] is Zone.RELATED_WORK
    assert found["3 METHOD"] is Zone.BODY
    assert found["ACKNOWLEDGMENTS"] is Zone.BACK
    assert found["REFERENCES"] is Zone.REFERENCES
    assert found["A.1 PROOF OF LEMMA 3"] is Zone.APPENDIX


def test_markdown_headings_are_found_with_their_levels() -> None:
    text = paper("# Lamps", "## Abstract", "## Setup", "### Bulbs", "## Findings", "## References")
    found = [(section.title, section.level) for section in find_sections(text)[1:]]
    assert found == [
        ("Abstract", 1),
        ("Setup", 1),
        ("Bulbs", 2),
        ("Findings", 1),
        ("References", 1),
    ]


def test_numbered_title_case_headings_are_found() -> None:
    text = paper(
        "Abstract", "1 Introduction", "2. Lamp Model", "2.1. Training details", "3 Results"
    )
    assert labels(text) == [
        "Abstract",
        "1 Introduction",
        "2 Lamp Model",
        "2.1 Training details",
        "3 Results",
    ]


def test_bold_headings_on_their_own_line_are_found() -> None:
    assert labels(paper("**1 Introduction**", "**2 Setup**", "**2.1 Lamps**")) == [
        "1 Introduction",
        "2 Setup",
        "2.1 Lamps",
    ]


@pytest.mark.parametrize(
    "noise",
    [
        "1. We show that lamps are warm and that the warmth lasts for a long time.",
        "2 3.5 7.1 9.9",
        "|3 LAMPS|4 BULBS|",
        "17",
        "3 for each lamp do",
        "# Lamps 10 45 120",
        "A. Miller and B. Smith. Lamps in winter. In Proceedings of Lamps, 2019.",
        "2 = x + y",
        "Method",
    ],
)
def test_noise_is_not_a_heading(noise: str) -> None:
    text = paper("1 INTRODUCTION", "2 METHOD", f"3 RESULTS\n\n{PROSE}\n\n{noise}", "4 CONCLUSION")
    assert labels(text) == ["1 INTRODUCTION", "2 METHOD", "3 RESULTS", "4 CONCLUSION"]


def test_a_heading_of_two_lines_in_capitals_is_one_heading() -> None:
    text = paper(
        "1 INTRODUCTION",
        "2 LAMPS THAT BURN LONGER THAN OTHER LAMPS IN\nTHE COLD WINTER",
        "3 END NOTES",
    )
    assert labels(text)[1] == "2 LAMPS THAT BURN LONGER THAN OTHER LAMPS IN THE COLD WINTER"


def test_a_number_may_stand_on_the_line_before_its_heading() -> None:
    text = paper("1\nINTRODUCTION", "2\nLAMPS AND SHADES", "2.1\nOLD LAMPS", "9\nREFERENCES")
    assert labels(text) == [
        "1 INTRODUCTION",
        "2 LAMPS AND SHADES",
        "2.1 OLD LAMPS",
        "REFERENCES",
    ]


def test_a_text_without_headings_is_one_section() -> None:
    assert [section.zone for section in find_sections(PROSE)] == [Zone.BODY]
    assert find_sections("") == ()


def tiles(text: str, sections: tuple[Section, ...]) -> bool:
    position = 0
    for section in sections:
        if section.start != position or not section.start <= section.heading_end <= section.end:
            return False
        position = section.end
    return position == len(text)


LINES = ["1 INTRODUCTION", "2 Lamps", "2.1 MORE LAMPS", "ABSTRACT", "REFERENCES", "# a", "17"]
LINES += [
    "## Big Lamps",
    "",
    "\n",
    PROSE,
    "A LAMP",
    "A.1 LAMPS",
    "Abstract. We",
    "-----",
    "**3 X**",
]


@given(st.lists(st.sampled_from(LINES) | st.text(max_size=12)))
def test_sections_tile_any_text(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert tiles(text, find_sections(text))


def test_a_title_that_begins_with_a_letter_is_no_appendix() -> None:
    body = "We train a small router for tokens. " * 20

    sections = find_sections(f"A Router for Two Experts\n\n{body}")

    assert Zone.APPENDIX not in {one.zone for one in sections}


def test_blank_lines_after_a_heading_are_read_once() -> None:
    start = process_time()

    found = find_sections("Ponds\n\nWe count toads.\n\nReferences" + "\n" * 100_000 + "[1] Lee\n")

    assert [section.zone for section in found][-1] is Zone.REFERENCES
    assert process_time() - start < 5
