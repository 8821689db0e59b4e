"""Figures look the same whatever lies in the current folder."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest

from reviewscore.stats.plots import (
    bars_side_by_side,
    heat_map,
    new_figure,
    save_all,
    short_name,
    stacked_bars,
)


def drawn(folder: Path) -> bytes:
    folder.mkdir()
    figures = (("one", new_figure(1, 1, 3.0, 2.0)[0]) for _ in range(1))
    (svg, _) = save_all(figures, folder)
    return svg.read_bytes()


def test_a_style_file_in_the_current_folder_has_no_say(tmp_path: Path) -> None:
    plain = drawn(tmp_path / "plain")
    trap = tmp_path / "matplotlibrc"
    trap.write_text("axes.facecolor: red\nfont.size: 40\ntext.usetex: True\n")

    assert Path(mpl.matplotlib_fname()).resolve() == trap  # matplotlib would read it
    with mpl.rc_context(fname=trap):
        styled = drawn(tmp_path / "styled")
        assert mpl.rcParams["font.size"] == pytest.approx(40)  # the caller's own style is kept

    assert styled == plain


def test_words_of_a_heat_map_stand_in_their_cells_and_are_white_on_dark() -> None:
    _, (axis,) = new_figure(1, 1, 2.0, 2.0)
    values = np.array([[0.0, 9.0], [1.0, 2.0]])

    heat_map(axis, values, [["", "9"], ["1", "2"]], values > 4)

    drawn = [(one.get_position(), one.get_text(), one.get_color()) for one in axis.texts]
    assert drawn == [((1, 0), "9", "white"), ((0, 1), "1", "black"), ((1, 1), "2", "black")]


def test_bars_of_a_group_stand_side_by_side_and_parts_of_a_bar_end_to_end() -> None:
    _, (beside, along) = new_figure(1, 2, 2.0, 2.0)

    bars_side_by_side(beside, np.array([1.0]), [("a", [3.0], "red"), ("b", [4.0], "blue")])
    stacked_bars(along, range(1), [("a", np.array([3.0]), "red"), ("b", np.array([4.0]), "blue")])

    first, second = beside.patches
    assert first.get_x() + first.get_width() == pytest.approx(second.get_x())
    assert [one.get_x() for one in along.patches] == [0.0, 3.0]


@pytest.mark.parametrize(
    ("name", "short"), [("openai/gpt-5", "gpt-5"), ("plain", "plain"), ("x" * 9, "xxx…xxx")]
)
def test_a_models_name_is_short_and_without_its_provider(name: str, short: str) -> None:
    assert short_name(name, 7) == short
