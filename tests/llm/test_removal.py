"""Taking a run's calls out of the ledger: bytes and all, and nobody else's."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from reviewscore.errors import RunFolderError
from reviewscore.llm.ledger.database import Ledger
from reviewscore.llm.ledger.store import FILE, Location
from reviewscore.llm.ledger.tables import METADATA
from reviewscore.llm.ledger.upkeep import _REMOVALS, RunShare, exported, remove_runs, share_of
from tests.ledgers import PAPER, SECRET, asked, bytes_in, paid_call, record, traces


def test_calls_of_a_run_go_and_those_that_others_use_stay(place: Location) -> None:
    shared, own = paid_call("shared"), paid_call("own")
    record(place, "first", shared, own, paid_call("elsewhere", prefix="a second paper"))
    record(place, "second", shared)

    assert (
        share_of(place, ["first"]).__dict__ | {"size": 0}
        == RunShare(
            calls=2, papers=1, shared_calls=1, shared_papers=1, other_runs=("second",)
        ).__dict__
    )
    assert remove_runs(place, ["first"]) == []

    assert [one.key for one in exported(place)] == [shared.key]
    assert [one.request.prefix for one in exported(place, run="second")] == [PAPER]
    assert asked(place, "SELECT count(*) FROM prefixes") == [(1,)]
    assert share_of(place, ["first"]) == RunShare()
    assert remove_runs(place, ["first"]) == []  # as after a kill


def test_the_last_run_takes_shared_calls_along(place: Location) -> None:
    record(place, "first", paid_call())
    record(place, "second", paid_call())

    remove_runs(place, ["first"])
    assert share_of(place, ["second"]).calls == 1
    remove_runs(place, ["second"])

    assert list(exported(place)) == []
    assert asked(place, "SELECT count(*) FROM prefixes") == [(0,)]


def test_no_eight_words_of_a_removed_text_are_left_in_the_files_of_the_ledger(
    tmp_path: Path,
) -> None:
    # Without compression each word could be read in the file: as a text that does not shrink.
    record(tmp_path, "other", paid_call("another text", prefix="another paper"))
    record(tmp_path, "run", paid_call())
    with closing(sqlite3.connect(tmp_path / FILE)) as db, db:
        db.execute("UPDATE calls SET reply = ? WHERE run = 'run'", (SECRET.encode(),))
    assert traces(bytes_in(tmp_path), SECRET)
    assert traces(bytes_in(tmp_path), PAPER)

    assert remove_runs(tmp_path, ["run"]) == []

    assert traces(bytes_in(tmp_path), SECRET) == []
    assert traces(bytes_in(tmp_path), PAPER) == []
    assert [one.request.prefix for one in exported(tmp_path)] == ["another paper"]


def test_the_copy_kept_of_an_older_ledger_is_purged_too(tmp_path: Path) -> None:
    record(tmp_path, "run", paid_call())
    shutil.copy(tmp_path / FILE, tmp_path / f"{FILE}.v2")
    with closing(sqlite3.connect(tmp_path / f"{FILE}.v2")) as db:
        db.execute("PRAGMA user_version = 2")

    remove_runs(tmp_path, ["run"])

    assert traces(bytes_in(tmp_path), PAPER) == []
    with closing(sqlite3.connect(tmp_path / f"{FILE}.v2")) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (2,)


def test_a_ledger_that_somebody_reads_is_said_to_hold_deleted_texts_still(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reviewscore.llm.ledger.sqlite.LET_GO_SECONDS", 0.05)
    record(tmp_path, "run", paid_call())
    with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM calls").fetchone()

        (left,) = remove_runs(tmp_path, ["run"])

        reader.execute("COMMIT")
    assert "another process has it open" in left
    assert remove_runs(tmp_path, ["run"]) == []
    assert traces(bytes_in(tmp_path), PAPER) == []


async def test_a_run_for_which_a_model_is_being_asked_is_refused(place: Location) -> None:
    ledger = Ledger(place, run="run")
    await ledger.claim("key", 0.1, seconds=60)
    try:
        for act in (share_of, remove_runs):
            with pytest.raises(RunFolderError, match="is asking a model for this run"):
                act(place, ["run"])
    finally:
        await ledger.drop("key")
        ledger.close()


def test_every_table_of_the_ledger_that_names_runs_is_purged() -> None:
    named = {table.name for table in METADATA.sorted_tables if "run" in table.c}

    assert named <= {removal.table.name for removal in _REMOVALS}
