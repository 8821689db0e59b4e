"""Lines that were counted on from others, and what is quoted beside them."""

from __future__ import annotations

import pytest

from reviewscore.papers.load import PaperRow, build_paper
from reviewscore.points.places import with_places
from reviewscore.schema.paper import Paper
from reviewscore.schema.place import Place, PlaceKind
from tests.conftest import make_point

WORDS = [
    "reed",
    "silt",
    "bank",
    "gauge",
    "flood",
    "stone",
    "heron",
    "lock",
    "weir",
    "ford",
    "mill",
    "moor",
]


def _line(number: int) -> str:
    """A line of prose with words of its own."""
    first, second = WORDS[number % 12], WORDS[(number // 12) % 12]
    return f"The {first} of the {second} was seen near mark {'i' * (1 + number // 144)} again."


@pytest.fixture(scope="module")
def paper() -> Paper:
    """A text of a converter that gathered the numbers 21 to 40 in a block."""
    alone = "\n\n".join(map(str, range(21, 41)))
    parts = [f"{_line(number)} {number}" for number in range(1, 21)]
    parts += [_line(number) for number in range(21, 41)]
    after = [f"{_line(number)} {number}" for number in range(41, 80)]
    text = " ".join(parts) + f"\n\n{alone}\n\n" + " ".join(after)
    return build_paper(PaperRow(paper_id="frogs", text=text))


def _lines(said: str, paper: Paper) -> Place:
    places = with_places(make_point(said), paper).places or ()
    return next(place for place in places if place.kind is PlaceKind.LINE)


def test_a_line_that_stands_with_its_number_is_no_guess(paper: Paper) -> None:
    place = _lines("Line 10 is unclear.", paper)

    assert place.target is not None
    assert not place.target.reckoned
    assert paper.text[place.target.start : place.target.end].startswith(_line(10)[:20])


def test_a_line_that_was_counted_on_is_about_here(paper: Paper) -> None:
    place = _lines("Line 30 is unclear.", paper)

    assert place.target is not None
    assert place.target.reckoned
    assert _line(30) in paper.text[place.target.start : place.target.end]


def test_words_that_are_quoted_beside_a_line_say_which_is_meant(paper: Paper) -> None:
    quoted = _line(26).removesuffix(".")

    place = _lines(f'Line 36, "{quoted}", is unclear.', paper)

    assert place.target is not None
    assert not place.target.reckoned
    assert paper.text[place.target.start : place.target.end] == quoted


def test_a_quotation_from_elsewhere_moves_no_line(paper: Paper) -> None:
    quoted = _line(26).removesuffix(".")

    place = _lines(f'Line 36 is unclear. {"Very much so. " * 6}"{quoted}" is fine.', paper)

    assert place.target is not None
    assert place.target.reckoned
