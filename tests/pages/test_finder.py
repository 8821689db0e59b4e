"""What was measured of the finder, in a sentence and as a curve."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reviewscore.judges.lexical.measured import CurvePoint
from reviewscore.pages.finder import finder_figures, recall_sentence, svg
from reviewscore.schema.review import PointKind
from tests.finder_figures import use_figures


@pytest.mark.parametrize(
    ("version", "kinds", "shares"),
    [
        ("6", [PointKind.QUESTION], "50 % [38, 62] of questions (n = 32)"),
        ("6", [PointKind.REQUEST], "44 % [31, 56] (n = 64)"),
        ("6", [None], "44 % [31, 56] (n = 64)"),
        ("6", [PointKind.REQUEST, PointKind.QUESTION],
         "50 % [38, 62] of questions (n = 32) and 44 % [31, 56] of all kinds together (n = 64)"),
        ("6 with tiny-encoder", [PointKind.QUESTION], "75 % [62, 88] (n = 64)"),
    ],
)  # fmt: skip
def test_the_sentence_holds_the_figures_of_its_points(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    version: str,
    kinds: list[PointKind | None],
    shares: str,
) -> None:
    use_figures(tmp_path, monkeypatch)

    assert recall_sentence(version, kinds) == (
        "Where a paper did answer such a point, the answer was among the first three passages in "
        f"{shares}; most fair points have no answer in the paper."
    )


@pytest.mark.parametrize(("version", "kinds"), [("5", [None]), (None, [None]), ("6", [])])
def test_without_a_figure_there_is_no_sentence(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    version: str | None,
    kinds: list[PointKind | None],
) -> None:
    use_figures(tmp_path, monkeypatch)

    assert recall_sentence(version, kinds) == ""


def test_a_finder_without_a_curve_has_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_figures(tmp_path, monkeypatch)

    without, with_encoder = finder_figures("6"), finder_figures("6 with tiny-encoder")

    assert without is not None
    assert without.curve is not None
    assert with_encoder is not None
    assert with_encoder.curve is None
    assert with_encoder.rows == (("all kinds together", "75 % [62, 88]", "64"),)
    assert finder_figures("5") is None


def test_the_curve_is_drawn_to_scale_and_said_in_words() -> None:
    points = tuple(
        CurvePoint(characters=n, share=share, low=share - 0.1, high=share + 0.1, chance=share / 4)
        for n, share in ((1000, 0.25), (2000, 0.5), (4000, 0.75))
    )

    drawn = str(svg(points))

    share, chance = re.findall(r'<polyline points="([^"]+)"', drawn)
    places = [tuple(map(float, pair.split(","))) for pair in share.split()]
    assert places[0][0] < places[1][0] < places[2][0]
    assert places[2][0] - places[1][0] == pytest.approx(2 * (places[1][0] - places[0][0]), abs=0.2)
    assert places[0][1] - places[1][1] == pytest.approx(places[1][1] - places[2][1], abs=0.2)
    assert all(
        float(low.split(",")[1]) > high[1] for low, high in zip(chance.split(), places, strict=True)
    )
    assert "2,000 characters: 50 % (chance 12 %)" in drawn
    assert "style=" not in drawn  # the page's policy forbids it
