"""Pages of tables: estimates in words and as bars."""

from __future__ import annotations

import re

import pytest

from reviewscore.pages.figures import BarPart, FigurePage, html, stacked
from reviewscore.stats.estimates import Estimate
from reviewscore.stats.tables import Table


def test_bars_of_shares_have_one_scale_on_a_page() -> None:
    low, high = (
        Estimate(coefficient="", value=at, low=at - 0.1, high=at + 0.1, n=9) for at in (0.2, 0.8)
    )
    rows = (("a", low, high),)
    table = Table("t", "T", ("", "x", "y"), rows, kind="share")
    shown = FigurePage("T", "", "", (), (table,), ())

    bars = [float(width) for width in re.findall(r'class="f2" x="[^"]+" y="2" width="([^"]+)"',
                                                  html(shown))]  # fmt: skip

    assert bars[0] == pytest.approx(bars[1], abs=0.02)


def test_boxes_of_a_stacked_bar_stand_side_by_side() -> None:
    assert stacked([("f1", 0.25, "a"), ("f2", 0.75, "b")]) == (
        BarPart("f1", 0.0, 25.0, "a"),
        BarPart("f2", 25.0, 75.0, "b"),
    )
    assert stacked([]) == ()
