"""Pages of tables: estimates in words and as bars."""

from __future__ import annotations

import re

import pytest

from reviewscore.pages.figures import BarPart, FigurePage, IntervalBar, IntervalPlot, html, stacked
from reviewscore.stats.estimates import Estimate
from reviewscore.stats.tables import Kind, Table


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


def test_pictures_draw_shares_from_nought_to_all_and_differences_to_both_sides() -> None:
    def picture(kind: Kind, value: float) -> IntervalPlot:
        one = Estimate(coefficient="", value=value, low=value - 0.1, high=value + 0.1, n=9)
        return IntervalPlot(
            Table("t", "T", ("", "x"), (("all of them", None), ("a", one)), kind=kind)
        )

    share, difference = picture("share", 0.5), picture("difference", -0.3)

    assert (share.scale, share.ends) == ((0.0, 1.0), ("0 %", "50 %", "100 %"))
    assert difference.scale == pytest.approx((-0.4, 0.4))
    assert difference.ends == ("−40", "0", "+40")
    (name, none), (_, (drawn,)) = difference.rows
    assert (name, none) == ("all of them", (None,))
    assert drawn is not None
    assert drawn.bar == IntervalBar(
        pytest.approx(0.0), pytest.approx(25.0), pytest.approx(12.5), 50.0
    )


def test_a_mark_of_a_picture_stands_where_a_value_is_expected() -> None:
    one = Estimate(coefficient="", value=0.5, low=0.4, high=0.6, n=9)
    picture = IntervalPlot(Table("t", "T", ("", "x"), (("a", one),), kind="share"), marks=(0.25,))

    ((_, (drawn,)),) = picture.rows

    assert drawn is not None
    assert drawn.bar is not None
    assert drawn.bar.zero == 25.0
    page = html(FigurePage("T", "", "", (), (), (), (picture,)))
    assert page.index("f2") < page.index('class="nought"')
