"""The table of planted remarks, and what it says of a set with a leak."""

from __future__ import annotations

import pytest

from benchmarks.planted import Checked, counts, doubt_shown, show_checks
from reviewscore.schema.paper import Paper
from reviewscore.schema.planted_point import PlantedPoint
from reviewscore.validation.leaks import leaks
from tests.validation.invented import paper, passage, point

WHOLE: Paper = paper()
SEEDS = passage("The seeds are 3, 5 and 8.")
del SEEDS["place"]
DOUBTED: PlantedPoint = point(
    id="tides.1",
    stratum="hard",
    remark="Which seeds were used?",
    confirmed={"misinformed": "yes", "fair": "doubt", "remaining": [SEEDS]},
)


def test_items_are_counted_by_half() -> None:
    rows = {row[:2]: row[2:] for row in counts({"open": [point(), DOUBTED], "kept": []}).rows}

    assert rows["papers", ""] == (1, 0)
    assert rows["confirmed", "a doubt"] == (1, 0)
    assert rows["form", "question"] == (2, 0)
    assert rows["passages", "main"] == (2, 0)


def test_a_doubted_line_that_the_writer_is_shown_is_counted() -> None:
    assert doubt_shown(WHOLE, DOUBTED) is True
    assert doubt_shown(WHOLE, point()) is None


def test_a_leak_of_an_item_without_a_doubt_misses_the_goal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    leaky = point(passages=[passage("Gates help harbours.")])

    show_checks([Checked(one, leaks(WHOLE, one), None) for one in (point(), leaky)], "open")

    said = capsys.readouterr().out
    assert "| open: uncut | 1 item, 1 with both truths confirmed |" in said
    assert "| open: nothing to look at | 1 item |" in said
