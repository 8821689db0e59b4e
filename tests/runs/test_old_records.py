"""Run folders of before: what the embedded judge wrote as a score is read without it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from reviewscore.report.html import write_report
from reviewscore.report.role_pages import write_for
from reviewscore.report.roles import Reader
from reviewscore.report.summary import summarise
from reviewscore.runs.export import export
from reviewscore.runs.folder import read_points
from reviewscore.schema.point_score import PointScore, Status, read_point
from reviewscore.schema.verdict import Finding
from tests.report.synthetic import manifest, model_points, old_lexical_record, write_run
from tests.runs.conftest import read_csv

RATE = "The learning rate is 0.003"
TEMPLATE = "Theory is bounds."


def old_run(folder: Path, records: Sequence[dict[str, object]]) -> Path:
    run = write_run(folder, [], made=manifest("lexical", judge_version="1"))
    lines = "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in records)
    (run / "points.jsonl").write_text(lines, "utf-8")
    return run


def old_records() -> list[dict[str, object]]:
    failed = {"error": "InputError: x", "verdict": None, "evidence": [], "argument": None}
    return [
        old_lexical_record(1, "flagged", RATE),
        old_lexical_record(2, "possibly_addressed", RATE),
        old_lexical_record(3, "nothing_found"),
        old_lexical_record(4, "cannot_judge"),
        old_lexical_record(5, "possibly_addressed", RATE) | failed | {"status": "error"},
    ]


def test_findings_of_before_are_read_as_what_they_are_called_today(tmp_path: Path) -> None:
    points = list(read_points(old_run(tmp_path / "run", old_records())))

    assert [point.finding for point in points] == [
        Finding.ADDRESSED, Finding.PASSAGES, Finding.CANNOT_JUDGE, Finding.CANNOT_JUDGE, None,
    ]  # fmt: skip
    assert [point.status for point in points] == [Status.UNSCORED] * 4 + [Status.ERROR]
    assert [len(point.passages) for point in points] == [1, 1, 0, 0, 0]
    assert {point.misinformed for point in points} == {None}
    assert {point.base for point in points} == {None}
    assert all(point.argument is None and point.evidence == () for point in points)
    assert "earlier version" in points[2].rationale
    assert points[3].rationale == "Old words."


def test_no_page_and_no_export_of_an_old_run_has_a_score_or_a_template(tmp_path: Path) -> None:
    run = old_run(tmp_path / "run", old_records())

    pages = [*write_report(run, None, None)]
    for reader in Reader:
        pages += write_for(run, reader)
    export(run, tmp_path / "x.csv")
    export(run, tmp_path / "x.jsonl")

    for page in pages:
        text = page.read_text("utf-8")
        assert "misinformed" not in text
        assert "proof" not in text
        assert TEMPLATE not in text
    assert TEMPLATE not in (tmp_path / "x.jsonl").read_text()
    assert "reviewscore.point/1" not in (tmp_path / "x.jsonl").read_text()
    rows = read_csv(tmp_path / "x.csv")
    assert {row[name] for row in rows for name in ("base", "advanced", "misinformed")} == {""}
    assert summarise(run).findings == {
        "question": {"addressed": 0, "passages": 0, "cannot_judge": 0},
        "claim": {"addressed": 0, "passages": 0, "cannot_judge": 0},
        "argument": {"addressed": 1, "passages": 1, "cannot_judge": 2},
    }


def test_records_of_models_are_read_with_their_scores(tmp_path: Path) -> None:
    gone = {"finding", "passages", "rationale"}
    for point in model_points():
        old = point.model_dump(mode="json", by_alias=True, exclude=gone)
        line = json.dumps(old | {"schema": "reviewscore.point/1"})

        assert read_point(line) == point


@given(
    finding=st.sampled_from(["flagged", "possibly_addressed", "nothing_found", "new", ""]),
    quotes=st.lists(st.sampled_from([RATE, "We repeat every run with five seeds"]), max_size=3),
    status=st.sampled_from(["scored", "unknown"]),
    text=st.text(max_size=20),
)
def test_no_old_record_of_the_embedded_judge_keeps_a_score(
    finding: str, quotes: list[str], status: str, text: str
) -> None:
    record = old_lexical_record(1, finding, *quotes, text=f'{text} "judge":"openai/x"')

    point = read_point(json.dumps(record | {"status": status}))

    assert (point.base, point.advanced, point.misinformed, point.argument) == (None,) * 4
    assert bool(point.passages) == (point.finding is not Finding.CANNOT_JUDGE)
    assert PointScore.model_validate_json(point.model_dump_json()) == point


@pytest.mark.parametrize(
    "change",
    [
        {"base": 2},
        {"misinformed": True},
        {"finding": "cannot_judge"},
        {"status": "scored"},
        {"passages": []},
        {"finding": None},
    ],
)
def test_a_record_that_mixes_a_finding_with_a_score_is_refused(change: dict[str, object]) -> None:
    point = read_point(json.dumps(old_lexical_record(1, "flagged", RATE)))

    with pytest.raises(ValidationError):
        read_point(json.dumps(json.loads(point.model_dump_json()) | change))
