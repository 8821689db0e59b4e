"""Plots of focus: what is in them, and names that would break them."""

from __future__ import annotations

import warnings
import xml.etree.ElementTree as ET
from pathlib import Path

from reviewscore.focus import plots
from reviewscore.focus.blind_spots import differences
from reviewscore.focus.distribution import CodedPoints, coded
from tests.focus.invented import QUICK, SMALL, strengths, weaknesses


def drawn(study: CodedPoints, folder: Path) -> dict[str, str]:
    """The words of each SVG."""
    differing = {
        name: differences(study, name, "people", QUICK)
        for name in study.systems
        if name != "people"
    }
    files = plots.draw(study, differing, "people", folder)
    svg = [path for path in files if path.suffix == ".svg"]
    return {path.stem: " ".join(ET.parse(path).getroot().itertext()) for path in svg}


def test_the_heat_map_has_the_differences_of_the_tables(tmp_path: Path) -> None:
    points = weaknesses("people", "p1", "method/novelty", "theory/validity")
    points += weaknesses("model", "p1", *["method/novelty"] * 3, "experiment/validity")
    # A paper that the model did not review, so that it does not count.
    points += weaknesses("people", "p2", *["theory/validity"] * 9)

    words = drawn(coded(points, SMALL), tmp_path)["focus-differences"]

    assert "+25" in words
    assert "−50" in words


def test_names_of_any_letters_give_plots_that_can_be_read(tmp_path: Path) -> None:
    points = weaknesses("people", "p1", "method/novelty")
    for name in ("\x1b[31mred\x00", "名前", "$\\frac{a}{b}$", "<b>&", "a\nb", "\uffff"):
        points += strengths(name, "p1", "method/novelty")

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        words = drawn(coded(points, SMALL), tmp_path)["focus-shares"]

    assert "<b>&" in words
    assert "名前" in words


def test_of_many_systems_those_with_most_points_are_drawn(tmp_path: Path) -> None:
    points = [one for at in range(60) for one in weaknesses(f"m{at}", "p1", "method/novelty")]
    points += weaknesses("m59", "p1", "method/validity")
    points += weaknesses("people", "p1", "method/novelty")

    words = drawn(coded(points, SMALL), tmp_path)["focus-shares"]

    assert "40 of 61 systems: those with most points" in words
    for name in ("people", "m0", "m59"):
        assert name in words
    assert "m58" not in words
