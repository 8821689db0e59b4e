"""Removing a run: what is its own goes, bytes and all; what is not stays and is named."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

from reviewscore.errors import RunFolderError
from reviewscore.llm.ledger.store import FILE
from reviewscore.llm.ledger.upkeep import exported
from reviewscore.llm.providers.exchange import OPEN, PROMPTS, REPLIES
from reviewscore.runs.folder import LOCK, MANIFEST, manifest_of
from reviewscore.runs.purge import holdings_of, purge
from tests.commands import invoker
from tests.conftest import ROOT, make_point
from tests.ledgers import SECRET, paid_call, record

Made = Callable[..., Path]


@pytest.fixture
def made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Made:
    """A run that a model judged, so far as its manifest says."""

    def make(name: str = "run", model: str = "openai/x") -> Path:
        run = tmp_path / name
        audited = invoker("audit", capsys)(ROOT / "examples", "-o", run, "--limit", "1", "-q")
        assert audited.exit_code == 0, audited.stderr
        manifest = manifest_of(run).model_copy(update={"judge": model, "run_id": f"id-{name}"})
        (run / MANIFEST).write_text(manifest.model_dump_json())
        return run

    return make


def test_a_purge_says_what_goes_and_what_stays_and_asks_first(
    made: Made, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, kept = made(), tmp_path / "ledger"
    record(kept, "id-run", paid_call("shared"), paid_call())
    record(kept, "other", paid_call("shared"))
    (run / "notes.txt").write_text("mine")
    purged = invoker("purge", capsys)

    dry, unsure, done = purged(run, "--dry-run"), purged(run), purged(run, "--yes")

    assert (dry.exit_code, unsure.exit_code, done.exit_code) == (0, 2, 0)
    assert "say --yes" in unsure.stderr
    for words in (
        "1 call (", "0 texts of papers", "1 call and 1 text of papers that 1 other run used too",
        "notes.txt: not written by reviewscore", "kept there by its own rules",
        str(ROOT / "examples"),
    ):  # fmt: skip
        assert words in dry.stdout
    assert f"removed: {run / MANIFEST}" in done.stdout
    assert [one.name for one in run.iterdir()] == ["notes.txt"]
    assert [one.request.messages[0].content for one in exported(kept)] == ["shared"]


def test_links_are_neither_followed_nor_removed_with_what_they_lead_to(
    made: Made, tmp_path: Path
) -> None:
    run, outside = made(), tmp_path / "outside"
    outside.mkdir()
    (outside / "focus.md").write_text("another's")
    (run / "focus").symlink_to(outside)
    (run / "report-1.html").symlink_to(outside / "focus.md")

    held = holdings_of(run, tmp_path / "ledger", kept_in=tmp_path / "ledger")
    done = purge(held)

    assert not done.failed
    assert {one.what for one in held.foreign} == {str(run / "focus"), str(run / "report-1.html")}
    assert (outside / "focus.md").read_text() == "another's"
    assert sorted(one.name for one in run.iterdir()) == ["focus", "report-1.html"]


def test_files_that_only_look_like_a_run_s_stay(made: Made, tmp_path: Path) -> None:
    run = made()
    mine = [run / "report-2.html", run / "focus" / "mine.md", run / "shards" / "a.parquet"]
    for file in mine:
        file.parent.mkdir(exist_ok=True)
        file.write_text("mine")

    purge(holdings_of(run, tmp_path, kept_in=tmp_path))

    assert all(file.read_text() == "mine" for file in mine)
    assert not (run / MANIFEST).exists()


def test_a_run_that_is_being_written_is_refused(made: Made, tmp_path: Path) -> None:
    run = made()
    with FileLock(run / LOCK), pytest.raises(RunFolderError, match="is writing to this run"):
        purge(holdings_of(run, tmp_path, kept_in=tmp_path))

    assert (run / MANIFEST).is_file()


@pytest.mark.parametrize("gone", [1, 4, 5])
def test_a_purge_that_was_killed_is_finished_by_the_next(
    made: Made, tmp_path: Path, gone: int
) -> None:
    run = made()
    for file in holdings_of(run, tmp_path, kept_in=tmp_path).files[:gone]:
        file.unlink()

    assert not purge(holdings_of(run, tmp_path, kept_in=tmp_path)).failed
    assert not run.exists()


@pytest.mark.skipif(os.name == "nt", reason="folders cannot be closed to their owner")
def test_what_cannot_be_removed_is_named_and_the_manifest_waits_for_the_next_purge(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = made()
    held = holdings_of(run, tmp_path, kept_in=tmp_path)
    unlink = Path.unlink

    def refused(path: Path, missing_ok: bool = False) -> None:
        if path.name == "report.html":
            raise PermissionError(1, "Operation not permitted", str(path))
        unlink(path, missing_ok=missing_ok)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", refused)
        done = purge(held)

    assert [(one.what, one.why) for one in done.failed] == [
        (str(run / "report.html"), "Operation not permitted")
    ]
    assert (run / MANIFEST).is_file()
    assert not purge(holdings_of(run, tmp_path, kept_in=tmp_path)).failed
    assert not run.exists()


def test_prompts_leave_an_exchange_folder_only_when_that_is_said(
    made: Made, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mail = tmp_path / "mail"
    mail.mkdir()
    run = made(model=f"exchange:{mail}")
    record(tmp_path / "ledger", "id-run", paid_call(model=f"exchange:{mail}"))
    mine, other = paid_call().request.prompt_key(), "f" * 64
    for name in (PROMPTS, REPLIES, OPEN):
        lines = [json.dumps({"prompt": key, "text": SECRET}) for key in (mine, other)]
        (mail / name).write_text("\n".join(lines) + "\n")
    copy = shutil.copytree(run, tmp_path / "copy")

    said = invoker("purge", capsys)(copy, "--dry-run")
    done = invoker("purge", capsys)(run, "--yes", "--exchange")

    assert "3 lines of prompts and replies; --exchange takes them" in said.stdout
    assert done.exit_code == 0, done.stdout
    for name in (PROMPTS, REPLIES, OPEN):
        kept = [json.loads(line)["prompt"] for line in (mail / name).read_text().splitlines()]
        assert kept == [other]


def test_a_run_with_a_ledger_of_its_own_takes_it_along(made: Made, tmp_path: Path) -> None:
    run = made()
    record(run, "id-run", paid_call())

    held = holdings_of(run, tmp_path, kept_in=tmp_path)

    assert held.share is not None
    assert held.share.calls == 1
    assert not purge(held).failed
    assert not run.exists()


def test_the_copy_of_fetched_data_goes_and_what_else_lies_there_stays(
    made: Made, tmp_path: Path
) -> None:
    from reviewscore.sources.remote import at_hand

    source, kept = tmp_path / "source", tmp_path / "ledger"
    source.mkdir()
    (source / "papers.jsonl").write_text(SECRET)
    copy = at_hand(f"file://{source}", kept)
    (copy / "mine.txt").write_text("mine")
    run = made()
    manifest = manifest_of(run).model_copy(update={"data": f"file://{source}"})
    (run / MANIFEST).write_text(manifest.model_dump_json())

    held = holdings_of(run, kept, kept_in=kept)
    purge(held)

    assert held.copies == (copy,)
    assert [one.name for one in copy.iterdir()] == ["mine.txt"]
    assert (source / "papers.jsonl").is_file()


@pytest.mark.parametrize("name", ["nothing", "file", "empty"])
def test_what_is_no_run_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("x")

    ended = invoker("purge", capsys)(tmp_path / name, "--yes")

    assert ended.exit_code == 2
    assert "is no run folder" in ended.stderr
    assert (tmp_path / "empty").is_dir()


def test_the_doctor_says_what_is_kept_since_when_and_how_it_is_removed(
    made: Made, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made("runs/one")
    record(tmp_path / "ledger", "id", paid_call())
    gem = tmp_path / "ledger" / "gem"
    gem.mkdir()
    (gem / "background.npz").write_text("words")

    said = invoker("doctor", capsys)().stdout

    assert f"{tmp_path / 'ledger' / FILE} (" in said
    assert "since 2026-01-02)" in said
    for words in ("reviewscore cache clear", f"rm -r {gem}", "1 run folder", "purge RUN"):
        assert words in said


def test_points_are_not_needed_to_purge(made: Made, tmp_path: Path) -> None:
    run = made()
    (run / "points.jsonl").write_text(f"{make_point('changed').model_dump_json()}\n")

    assert not purge(holdings_of(run, tmp_path, kept_in=tmp_path)).failed
