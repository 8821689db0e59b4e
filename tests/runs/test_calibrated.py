"""A calibration learnt from human labels, applied to a run when asked for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reviewscore.agreement.study import write_calibration
from reviewscore.config import resolve
from reviewscore.errors import RunFolderError, SettingsError
from reviewscore.report.html import write_report
from reviewscore.report.lines import summary_lines
from reviewscore.report.summary import summarise
from reviewscore.runs.audit import audit
from reviewscore.runs.folder import read_manifest, read_points
from reviewscore.schema.calibration import Calibration, Curve, TypeCalibration
from reviewscore.schema.point_score import PointScore
from reviewscore.sources.collection import read_collection
from tests.conftest import ROOT

MODEL = f"exchange:{ROOT / 'examples' / 'exchange'}"


def learnt(judge: str = MODEL) -> Calibration:
    """Claims are misinformed only at 1."""
    return Calibration(
        reviewscore_version="0.1.0",
        judge=judge,
        learnt_from="somewhere",
        types={
            "claim": TypeCalibration(
                probability=Curve(x=(1.0, 2.0, 3.0), y=(0.8, 0.3, 0.0)),
                threshold=0.5,
                score=Curve(x=(1.0, 5.0), y=(2.0, 5.0)),
                n=40,
                papers=8,
                misinformed=9,
            )
        },
    )


def run(out: Path, **flags: object) -> dict[str, PointScore]:
    audit(
        read_collection(ROOT / "examples"), out, resolve({"model": MODEL, "cache": False, **flags})
    )
    return {one.short_name: one for one in read_points(out)}


def test_calibrated_scores_stand_beside_the_judges_own(tmp_path: Path) -> None:
    write_calibration(tmp_path / "c.json", learnt())

    plain = run(tmp_path / "plain")
    scores = run(tmp_path / "run", calibration=tmp_path / "c.json")

    for name, score in scores.items():
        without = score.model_copy(update={"calibrated": None})
        assert plain[name] == without
        assert (score.calibrated is not None) == (score.type is not None and score.type == "claim")
    two = scores["crossread-R2#5"]
    assert (two.base, two.misinformed) == (2, True)
    assert two.calibrated is not None
    assert (two.calibrated.misinformed, two.calibrated.probability) == (False, 0.3)


def test_the_summary_and_the_page_tell_of_the_calibration(tmp_path: Path) -> None:
    write_calibration(tmp_path / "c.json", learnt())
    run(tmp_path / "run", calibration=tmp_path / "c.json")

    lines = "\n".join(summary_lines(summarise(tmp_path / "run")))
    page = write_report(tmp_path / "run", None, None)[0].read_text()

    assert re.search(r"after calibration: 1 of 7 \(14\.3%", lines)
    assert "A calibration by human labels was asked for" in page
    assert "people would call such a point misinformed with probability 0.30" in page


def test_a_folder_holds_one_calibration(tmp_path: Path) -> None:
    write_calibration(tmp_path / "c.json", learnt())
    run(tmp_path / "run")

    assert "calibration" not in read_manifest(tmp_path / "run").decisive
    with pytest.raises(RunFolderError, match="was made otherwise: calibration"):
        run(tmp_path / "run", calibration=tmp_path / "c.json")


def test_another_judges_calibration_stops_the_run_before_it_begins(tmp_path: Path) -> None:
    write_calibration(tmp_path / "c.json", learnt("openai/other"))

    with pytest.raises(SettingsError, match="was learnt of openai/other"):
        run(tmp_path / "run", calibration=tmp_path / "c.json")
    with pytest.raises(SettingsError, match="gives no scores that could be calibrated"):
        resolve({"calibration": tmp_path / "c.json"})
    assert not (tmp_path / "run").exists()
