"""Figures look the same whatever lies in the current folder."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import pytest

from reviewscore.stats.plots import new_figure, save_all


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
