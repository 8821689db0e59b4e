"""The larger invented set: large enough to calibrate and to compare two judges."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from reviewscore.schema.calibration import Calibration
from reviewscore.sources.annotations import read_annotations
from tests.commands import Invoke, invoker

SET = Path(__file__).parents[2] / "annotations" / "example" / "twelve-papers"
JUDGES = ("strict", "lenient")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


@pytest.fixture
def audited(runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> list[Path]:
    """The runs of both judges, by the replies that are shipped."""
    for name in JUDGES:
        if not (runs / name).exists():
            replies = shutil.copytree(SET / name, tmp_path / name)
            audit = invoker("audit", capsys)
            made = audit(SET, "-o", runs / name, "--model", f"exchange:{replies}", "--no-cache")
            # Where a prompt has changed: run annotations/example/make_twelve_papers.py again.
            assert made.exit_code == 0, made.stderr
    return [runs / name for name in JUDGES]


def test_the_set_has_no_fault_and_readers_of_both_kinds() -> None:
    found = read_annotations(SET)

    assert (found.faults, found.warnings) == ((), ())
    assert {(one.annotator, one.annotator_kind.value) for one in found.labels} == {
        ("A1", "human"), ("A2", "human"), ("A3", "human"), ("M1", "model"),
    }  # fmt: skip


def test_calibration_is_learnt_and_measured_with_intervals(
    audited: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    agree: Invoke = invoker("agree", capsys)
    out = tmp_path / "out"

    done = agree(*audited, "--human", SET, "--calibrate", "-o", out, "--resamples", 100)

    assert done.exit_code == 0, done.stderr
    files = sorted(out.glob("calibration-*.json"))
    found = [Calibration.model_validate_json(one.read_text("utf-8")) for one in files]
    assert len(found) == len(JUDGES)
    for one in found:
        assert set(one.types) == {"claim", "question"}
        gains = {gain.metric: gain for gain in one.gains}
        assert all(gains[name].low is not None for name in ("F1", "Kappa", "share"))


def test_two_judges_are_compared_point_by_point(
    audited: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    compare: Invoke = invoker("compare", capsys)

    done = compare(*audited, "--resamples", 100, "--json")

    found = json.loads(done.stdout)
    assert (found["paired"], found["shared"]) == (True, 96)
    settings = {one["name"]: (one["before"], one["now"]) for one in found["made_otherwise"]}
    assert all(
        str(value).endswith(name) for value, name in zip(settings["model"], JUDGES, strict=True)
    )
    text = compare(*audited, "--resamples", 100).stdout
    assert all(f"/{name} " in text for name in JUDGES)  # a name is not cut before it differs
