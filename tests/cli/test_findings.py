"""An audit by the embedded judge, from the command to every file that comes of it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from reviewscore.cli.main import main
from tests.commands import invoker
from tests.conftest import ROOT

EXAMPLES = ROOT / "examples"


def cli(*words: object) -> int:
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    return int(ended.value.code or 0)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    assert cli("audit", EXAMPLES, "-o", tmp_path / "run") == 0
    return tmp_path / "run"


def test_no_file_of_an_embedded_audit_calls_a_finding_a_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    said = invoker("audit", capsys)(EXAMPLES, "-o", run).stdout
    pages = tmp_path / "pages"
    pages.mkdir()
    for reader in ("meta-reviewer", "author"):
        for ending in ("html", "md"):
            page = pages / f"{reader}.{ending}"
            assert cli("report", run, "--for", reader, "-o", page) == 0
    assert cli("report", run, "--for", "reviewer") == 0
    assert cli("report", run, "-o", pages / "report.md") == 0
    assert cli("report", run, "-o", pages / "report.json") == 0

    notes = [path for path in (run / "for-reviewer").glob("*.*") if path.stem != "index"]
    files = [*pages.iterdir(), *notes, run / "report.html", run / "summary.json"]
    for name, text in [("terminal", said), *((one.name, one.read_text("utf-8")) for one in files)]:
        assert "misinformed" not in text, name
        assert "proof" not in text, name
        assert "limiting" not in text, name  # the template wrote "If .., then limiting .."
        if not name.endswith(".json"):
            assert "evidence finder" in text, name


def test_records_and_exports_of_an_embedded_audit_hold_findings_and_no_score(
    run: Path, tmp_path: Path
) -> None:
    import pandas as pd

    assert cli("export", run, "-o", tmp_path / "x.csv") == 0
    assert cli("export", run, "-o", tmp_path / "x.parquet") == 0

    records = [json.loads(line) for line in (run / "points.jsonl").read_text().splitlines()]
    assert {record["schema"] for record in records} == {"reviewscore.point/2"}
    assert {record["status"] for record in records} == {"unscored"}
    scores = ("base", "advanced", "misinformed", "verdict", "argument")
    assert {record[name] for record in records for name in scores} == {None}
    assert all(one["verified"] for record in records for one in record["passages"])
    assert {"addressed", "passages", "cannot_judge"} == {record["finding"] for record in records}
    with (tmp_path / "x.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["finding"] for row in rows] == [record["finding"] for record in records]
    assert {row[name] for row in rows for name in ("base", "advanced", "misinformed")} == {""}
    table = pd.read_parquet(tmp_path / "x.parquet")
    assert table[["base", "advanced", "misinformed", "argument"]].isna().all(axis=None)


def test_counts_of_an_embedded_audit_are_of_findings_in_manifest_and_summary(run: Path) -> None:
    counts = json.loads((run / "manifest.json").read_text())["counts"]
    summary = json.loads((run / "summary.json").read_text())

    assert counts["scored"] == counts["unknown"] == counts["error"] == 0
    assert counts["unscored"] == counts["points"] == sum(counts["findings"].values())
    by_type = summary["findings"].values()
    for finding, count in counts["findings"].items():
        assert count == sum(findings[finding] for findings in by_type)
    assert summary["judged"] is None
