"""A table of assignments from exported notes and groups."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from reviewscore.errors import InputError
from reviewscore.period.assignments import VenueRole, read_assignments
from reviewscore.sources.openreview.groups import assignments_in
from tests.commands import Invoke
from tests.fetching.server import load

VENUE = "ICLR.cc/2025/Conference"


def group(name: str, *members: str) -> dict[str, Any]:
    return {"id": f"{VENUE}/{name}", "members": list(members), "domain": VENUE}


def export(tmp_path: Path) -> Path:
    folder = tmp_path / "export"
    folder.mkdir()
    thread = load("v2_iclr2025_thread")
    (folder / "notes.json").write_text(json.dumps({"notes": [thread["submission"]]}), "utf-8")
    groups = [
        group("Submission801/Area_Chairs", f"{VENUE}/Submission801/Area_Chair_aB3d"),
        group("Submission801/Area_Chair_aB3d", "~Grace_Hopper1"),
        group("Submission801/Senior_Area_Chairs", f"{VENUE}/Submission801/Senior_Area_Chair_x9"),
        group("Submission801/Reviewers", "~Ada_King2", "ada@example.org"),
        group("Submission9/Area_Chairs", f"{VENUE}/Submission9/Area_Chair_zz"),
        group("Submission801/../../Area_Chair_up"),
    ]
    (folder / "groups.json").write_text(json.dumps({"groups": groups[:3]}), "utf-8")
    (folder / "more.jsonl").write_text("".join(json.dumps(one) + "\n" for one in groups[3:]))
    return folder


def test_an_export_of_notes_and_groups_gives_a_table_of_pseudonyms(
    fetch: Invoke, tmp_path: Path
) -> None:
    ended = fetch("--from-export", export(tmp_path), "--assignments", "-o", tmp_path / "a.csv")

    assert ended.exit_code == 0, ended.stderr
    text = (tmp_path / "a.csv").read_text("utf-8")
    assert not {"Grace", "Ada", "example.org", "~"} & set(text.replace("_", " ").split())
    assert "~" not in text
    found = read_assignments(tmp_path / "a.csv")
    assert found.people(VenueRole.AREA_CHAIR) == ("p801.Area_Chair_aB3d",)
    assert found.people(VenueRole.SENIOR_CHAIR) == ("p801.Senior_Area_Chair_x9",)
    assert found.may_see("p801.Reviewer_Zz9Q", paper_id="Sub25", review_id="Rev25a")
    assert found.may_see("p801.Authors", paper_id="Sub25", role=VenueRole.AUTHOR)
    assert "1 group of papers that are not in the export" in ended.stderr
    assert "groups hold no conflicts" in ended.stderr


def test_an_export_without_submissions_assigns_nobody(tmp_path: Path) -> None:
    (tmp_path / "groups.json").write_text(json.dumps([group("Submission1/Area_Chair_a")]), "utf-8")

    with pytest.raises(InputError, match="holds no submission"):
        assignments_in(tmp_path)


def test_assignments_without_an_export_are_refused(fetch: Invoke, tmp_path: Path) -> None:
    ended = fetch(VENUE, "--assignments", "-o", tmp_path / "a.csv")

    assert ended.exit_code == 2
    assert "--assignments goes with --from-export" in ended.stderr
