"""What was measured of the embedded judge is read as it stands, and nothing is made up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from reviewscore.errors import InputError
from reviewscore.judges.lexical.measured import Finder, PointGroup, measured, read_measured
from reviewscore.schema.review import PointKind
from tests.finder_figures import FIGURES


def changed(tmp_path: Path, **values: Any) -> Path:
    file = tmp_path / "figures.json"
    file.write_text(json.dumps(FIGURES | values))
    return file


def test_what_ships_can_be_read_and_holds_no_figure_that_was_not_measured() -> None:
    shipped = measured()

    assert shipped.absent == (not shipped.kinds)
    assert shipped.absent == (shipped.finder_of(shipped.version) is None)


def test_the_finder_is_that_of_the_judge_version(tmp_path: Path) -> None:
    figures = read_measured(changed(tmp_path))

    assert figures.finder_of("6") is Finder.WITHOUT
    assert figures.finder_of("6 with tiny-encoder") is Finder.WITH
    for other in ("5", "60", "5 with tiny-encoder", None):
        assert figures.finder_of(other) is None


def test_a_kind_of_few_points_has_the_figure_of_all(tmp_path: Path) -> None:
    figures = read_measured(changed(tmp_path))

    def group(kind: PointKind | None, finder: Finder = Finder.WITHOUT) -> PointGroup | None:
        found = figures.recall(finder, kind)
        return None if found is None else found[0]

    assert group(PointKind.QUESTION) is PointGroup.QUESTION
    assert group(PointKind.REQUEST) is PointGroup.ALL
    assert group(None) is PointGroup.ALL
    assert group(PointKind.NONE) is PointGroup.ALL
    assert group(PointKind.QUESTION, Finder.WITH) is PointGroup.ALL


RECALL = {"shown": 3, "share": 0.4, "low": 0.3, "high": 0.5, "n": 64}


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"absent": True}, "there are no figures"),
        ({"kinds": {}}, "the kind 'all'"),
        ({"data": ""}, "'data'"),
        ({"kinds": {"all": {"without": RECALL | {"low": 0.45}}}}, "kinds.all.without"),
        ({"kinds": {"all": {"without": RECALL | {"share": 41}}}}, "kinds.all.without.share"),
        ({"kinds": {"all": {"without": RECALL | {"n": 0}}}}, "kinds.all.without.n"),
        ({"kinds": {"remark": {"without": RECALL}}}, "kinds.remark"),
        ({"curve": {"without": list(reversed(FIGURES["curve"]["without"]))}}, "go up"),
        ({"more": 1}, "more"),
    ],
)
def test_a_file_that_cannot_be_true_is_refused_by_field(
    tmp_path: Path, values: dict[str, Any], words: str
) -> None:
    with pytest.raises(InputError, match=r"figures\.json.*benchmarks\.finder --write") as caught:
        read_measured(changed(tmp_path, **values))

    assert words in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.json"):
        read_measured(tmp_path / "none.json")
