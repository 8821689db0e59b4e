"""The venue folder: opened, moved into place after kills, and asked for what was when."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from reviewscore.errors import RunFolderError
from reviewscore.files import write_whole
from reviewscore.period.venue import (
    WITHDRAWN,
    RemovedRow,
    SyncRecord,
    VenueFolder,
    VenueRecord,
    is_venue,
    jsonl,
    removed_ids,
    run_of,
    staged,
)
from reviewscore.schema.paper import base_paper_id, version_id, version_number
from tests.commands import invoker
from tests.report.venues import venue_points, venue_run

RECORD = VenueRecord(source="s", kind="folder", made="2027-03-01T00:00:00+00:00", syncs=2)


@pytest.fixture
def venue(tmp_path: Path) -> Path:
    write_whole(tmp_path / "venue.json", RECORD.model_dump_json())
    for number, at in enumerate(("2027-03-01T12:00:00+00:00", "2027-03-03T12:00:00+00:00"), 1):
        (tmp_path / "syncs" / f"{number:04d}").mkdir(parents=True)
        record = SyncRecord(number=number, at=at, papers={"new": 1})
        (tmp_path / "syncs" / f"{number:04d}" / "sync.json").write_text(record.model_dump_json())
    return tmp_path


@pytest.mark.parametrize(
    ("when", "number"),
    [
        (date(2027, 3, 1), 1),
        ("2027-03-02", 1),
        ("2027-03-03", 2),
        ("2027-03-03T11:59:00", 1),
        ("2027-03-03T12:30:00+01:00", 1),
        (datetime(2028, 1, 1, tzinfo=UTC), 2),
    ],
)
def test_the_sync_as_of_a_time_is_the_last_one_before_it(
    venue: Path, when: date | datetime | str, number: int
) -> None:
    assert VenueFolder(venue).sync_at(when).number == number


def test_a_time_before_the_first_sync_and_what_is_no_date_are_refused(venue: Path) -> None:
    folder = VenueFolder(venue)

    with pytest.raises(RunFolderError, match=r"as of 2027-02-01: the first sync was at 2027-03-01"):
        folder.sync_at("2027-02-01")
    with pytest.raises(RunFolderError, match=r"'3 May' is no date; write it as"):
        folder.sync_at("3 May")


def test_a_folder_that_is_none_or_was_damaged_is_said_to_be(tmp_path: Path, venue: Path) -> None:
    with pytest.raises(RunFolderError, match=r"is no venue folder.*reviewscore sync"):
        VenueFolder(tmp_path / "else")
    (venue / "venue.json").write_text('{"schema":"reviewscore.venue_folder/1"}')
    with pytest.raises(RunFolderError, match=r"venue.json: not the record of a venue"):
        _ = VenueFolder(venue).record


def test_a_venue_that_was_not_audited_has_no_run(venue: Path, tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match="was not audited yet; type reviewscore audit"):
        run_of(venue)
    (venue / "run").mkdir()
    (venue / "run" / "manifest.json").write_text("{}")

    assert run_of(venue) == venue / "run"
    assert run_of(tmp_path / "plain") == tmp_path / "plain"


def test_what_is_staged_is_put_into_place_together_or_not_at_all(venue: Path) -> None:
    (venue / "index.jsonl").write_text("old")
    with pytest.raises(ZeroDivisionError), staged(venue) as out:
        (out / "index.jsonl").write_text("half")
        _ = 1 / 0
    assert (venue / "index.jsonl").read_text() == "old"

    with staged(venue) as out:
        assert not (out / "index.jsonl").exists()  # what was not ready is gone
        (out / "data").mkdir()
        (out / "data" / "new.jsonl").write_text("new")
        (out / "index.jsonl").write_text("new")
    assert (venue / "index.jsonl").read_text() == "new"
    assert (venue / "data" / "new.jsonl").read_text() == "new"
    assert not (venue / ".next").exists()


def test_whoever_opens_the_folder_finishes_a_move_that_was_killed(venue: Path) -> None:
    following = venue / ".next"
    following.mkdir()
    (following / "READY").touch()
    (following / "venue.json").write_text(RECORD.model_copy(update={"judged": 2}).model_dump_json())

    assert VenueFolder(venue).record.judged == 2
    assert not following.exists()


def test_a_first_step_that_was_killed_while_it_was_moved_is_a_venue(tmp_path: Path) -> None:
    following = tmp_path / ".next"
    following.mkdir()
    (following / "READY").touch()
    (following / "venue.json").write_text(RECORD.model_dump_json())

    assert is_venue(tmp_path)
    assert VenueFolder(tmp_path).record == RECORD


def test_one_process_writes_at_a_time_and_readers_leave_its_step_alone(venue: Path) -> None:
    folder = VenueFolder(venue)
    with folder.open_for_writing():
        (venue / ".next").mkdir()
        (venue / ".next" / "READY").touch()
        with pytest.raises(RunFolderError, match="another process is writing to this venue"):
            folder.open_for_writing().__enter__()
        VenueFolder(venue)
        assert (venue / ".next" / "READY").exists()


def test_a_removed_paper_is_removed_in_all_its_versions(venue: Path) -> None:
    gone = [
        RemovedRow(what="paper", id="p1@v2", at="x"),
        RemovedRow(what="review", id="r1", at="x"),
    ]
    (venue / WITHDRAWN).write_text(jsonl(gone))

    assert removed_ids(venue) == {"paper": {"p1"}, "review": {"r1"}}


@pytest.mark.parametrize(
    ("name", "base", "number"),
    [("p1", "p1", 1), ("p1@v2", "p1", 2), ("p1@v12", "p1", 12), ("p@v0", "p@v0", 1),
     ("a@v1.2", "a@v1.2", 1), ("@v2x", "@v2x", 1)],
)  # fmt: skip
def test_a_version_names_its_paper(name: str, base: str, number: int) -> None:
    assert (base_paper_id(name), version_number(name)) == (base, number)
    assert version_id(base, number) == name


def test_a_report_on_a_venue_is_no_venue_folder(tmp_path: Path) -> None:
    (tmp_path / "venue.json").write_text('{\n "schema": "reviewscore.venue/1",\n "judge": "x"}')

    assert not is_venue(tmp_path)
    assert run_of(tmp_path) == tmp_path


def test_rates_of_a_venue_folder_are_those_of_its_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "moving"
    folder.mkdir()
    write_whole(folder / "venue.json", RECORD.model_dump_json())
    venue_run(folder / "run", venue_points(6))

    ended = invoker("venue", capsys)(folder, "-o", tmp_path / "rates", "--resamples", 100)
    assert ended.exit_code == 0
    assert (tmp_path / "rates" / "venue.json").is_file()
