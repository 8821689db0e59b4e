"""Labels are durable, versioned, undoable; a full disk and other windows are told."""

from __future__ import annotations

import sqlite3
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from reviewscore.annotate.label_session import OutdatedError, RefusedError, value_of
from reviewscore.annotate.label_store import LABELS_FILE, LabelEntry
from reviewscore.annotate.workspace import Workspace
from reviewscore.errors import InputError, RunFolderError, SettingsError
from reviewscore.schema.annotation import LabelField
from tests.annotate.invented import (
    ARGUMENT,
    CLAIM,
    FACTUALITY,
    TYPE,
    finish,
    give,
    make_material,
    make_point,
    make_workspace,
    show,
    today,
)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return make_workspace(tmp_path / "set")


def test_labels_are_there_after_a_restart(workspace: Workspace, tmp_path: Path) -> None:
    give(workspace, "A1", CLAIM, TYPE, "claim", seconds=7)
    token = workspace.token("A1")
    workspace.store.close()

    again = make_workspace(tmp_path / "set", annotators=())

    entry = again.store.page("A1", CLAIM).labels[CLAIM, TYPE]
    assert (entry.value, entry.seconds) == ("claim", 7.0)
    assert again.token("A1") == token


def test_labels_survive_a_process_that_is_killed_at_once(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys\nfrom pathlib import Path\n"
        "from tests.annotate.invented import *\n"
        "w = make_workspace(Path(sys.argv[1]))\n"
        "give(w, 'A1', CLAIM, TYPE, 'claim')\nprint('saved', flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    root = Path(__file__).resolve().parents[2]

    ended = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "set")],
        cwd=root, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert ended.stdout == "saved\n", ended.stderr
    assert ended.returncode == -9
    again = make_workspace(tmp_path / "set")
    assert again.store.page("A1", CLAIM).values == {(CLAIM, TYPE): "claim"}


def test_two_windows_are_told_and_nothing_is_lost(workspace: Workspace) -> None:
    first = workspace.session("A1", workspace.material.points[CLAIM])
    first.save((CLAIM, TYPE), LabelEntry("claim"), version=0)

    with pytest.raises(OutdatedError) as told:
        first.save((CLAIM, TYPE), LabelEntry("question"), version=0)

    assert told.value.page.values == {(CLAIM, TYPE): "claim"}
    assert workspace.store.page("A1", CLAIM).values == {(CLAIM, TYPE): "claim"}


def test_the_same_label_sent_twice_is_saved_once(workspace: Workspace) -> None:
    session = workspace.session("A1", workspace.material.points[CLAIM])
    session.save((CLAIM, TYPE), LabelEntry("claim"), version=0, seconds=5)
    session.save((CLAIM, TYPE), LabelEntry("claim"), version=0, seconds=5)

    assert workspace.store.page("A1", CLAIM).labels[CLAIM, TYPE].seconds == 5.0


def test_two_annotators_on_one_point_do_not_meet(workspace: Workspace) -> None:
    give(workspace, "A1", CLAIM, TYPE, "claim")
    give(workspace, "A2", CLAIM, TYPE, "question")

    assert workspace.store.page("A1", CLAIM).values == {(CLAIM, TYPE): "claim"}
    assert workspace.store.page("A2", CLAIM).values == {(CLAIM, TYPE): "question"}


def test_many_threads_lose_no_label(workspace: Workspace) -> None:
    def label_all(who: str) -> None:
        for point in workspace.material.points:
            give(workspace, who, point, TYPE, "claim")

    threads = [threading.Thread(target=label_all, args=(f"A{n}",)) for n in (1, 2, 3)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()

    assert len(workspace.store.given()) == 3 * len(workspace.material.points)


def undo(workspace: Workspace, point: str = CLAIM, who: str = "A1") -> str:
    version = workspace.store.page(who, point).version
    return workspace.session(who, workspace.material.points[point]).undo(version=version)


def test_undo_brings_back_the_label_before_and_what_it_set_aside(workspace: Workspace) -> None:
    give(workspace, "A1", CLAIM, TYPE, "claim")
    give(workspace, "A1", CLAIM, FACTUALITY, 2, reason="Table 1.")
    give(workspace, "A1", CLAIM, TYPE, "question")
    assert workspace.store.page("A1", CLAIM).values == {(CLAIM, TYPE): "question"}

    assert undo(workspace) == "label type"

    page = workspace.store.page("A1", CLAIM)
    assert page.values == {(CLAIM, TYPE): "claim", (CLAIM, FACTUALITY): 2}
    assert page.labels[CLAIM, FACTUALITY].reason == "Table 1."
    undo(workspace)
    undo(workspace)
    assert workspace.store.page("A1", CLAIM).values == {}
    with pytest.raises(RefusedError, match="nothing to undo"):
        undo(workspace)


def test_what_was_seen_cannot_be_undone(workspace: Workspace) -> None:
    give(workspace, "A1", ARGUMENT, TYPE, "argument")
    give(workspace, "A1", ARGUMENT, FACTUALITY, 4)
    show(workspace, "A1")

    with pytest.raises(RefusedError, match="has been seen"):
        undo(workspace, ARGUMENT)


def test_labels_after_a_look_at_the_scores_say_so(workspace: Workspace) -> None:
    give(workspace, "A1", CLAIM, TYPE, "claim")
    version = workspace.store.page("A1", CLAIM).version
    workspace.session("A1", workspace.material.points[CLAIM]).peek(version=version)
    give(workspace, "A1", CLAIM, FACTUALITY, 4)

    labels = workspace.store.page("A1", CLAIM).labels

    assert not labels[CLAIM, TYPE].saw_scores
    assert labels[CLAIM, FACTUALITY].saw_scores


def test_a_skip_can_be_undone(workspace: Workspace) -> None:
    workspace.session("A1", workspace.material.points[CLAIM]).skip(version=0)
    with pytest.raises(RefusedError, match="skipped"):
        give(workspace, "A1", CLAIM, TYPE, "claim")
    undo(workspace)
    give(workspace, "A1", CLAIM, TYPE, "claim")

    assert workspace.store.page("A1", CLAIM).values == {(CLAIM, TYPE): "claim"}


def test_a_full_disk_loses_nothing_and_goes_on_when_there_is_room(workspace: Workspace) -> None:
    give(workspace, "A1", CLAIM, TYPE, "claim")
    base = workspace.store._base
    pages = base.execute("PRAGMA page_count").fetchone()[0]
    base.execute(f"PRAGMA max_page_count = {pages}")

    with pytest.raises(sqlite3.OperationalError, match="full"):
        give(workspace, "A1", CLAIM, FACTUALITY, 4, reason="x" * 9_999)

    assert workspace.store.page("A1", CLAIM).values == {(CLAIM, TYPE): "claim"}
    base.execute("PRAGMA max_page_count = 100000")
    give(workspace, "A1", CLAIM, FACTUALITY, 4, reason="x" * 9_999)
    assert workspace.store.page("A1", CLAIM).values[CLAIM, FACTUALITY] == 4


def test_strange_times_and_long_reasons_are_not_believed(workspace: Workspace) -> None:
    give(workspace, "A1", CLAIM, TYPE, "claim", seconds=1e12)

    assert workspace.store.page("A1", CLAIM).labels[CLAIM, TYPE].seconds == 3600.0
    with pytest.raises(RefusedError, match="characters"):
        give(workspace, "A1", CLAIM, FACTUALITY, 4, reason="x" * 10_001)


@pytest.mark.parametrize(
    ("text", "value"), [("3", 3), ("33", "33"), ("-1", "-1"), ("٣", "٣"), ("9" * 9999, "9" * 9999)]
)
def test_only_a_plain_digit_is_a_number(text: str, value: int | str) -> None:
    assert value_of(FACTUALITY, text) == value
    assert value_of(LabelField.TYPE, "claim") == "claim"


def test_only_one_workspace_is_open_on_a_set(workspace: Workspace, tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match="another workspace"):
        make_workspace(tmp_path / "set")


@pytest.mark.parametrize(
    "name",
    ["Ada Lovelace", "a@b.org", "<script>1</script>", "A1/../..", "1\u202eA", "A" * 99 + "1", "A"],
)
def test_names_that_are_no_pseudonyms_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="pseudonym"):
        make_workspace(tmp_path / "set", annotators=("A1", name))


def test_nobody_and_the_same_twice_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="nobody"):
        make_workspace(tmp_path / "set", annotators=())
    with pytest.raises(SettingsError, match="twice"):
        make_workspace(tmp_path / "set", annotators=("A1", "A1"))


@pytest.mark.parametrize("space", [" ", "\n "])
def test_a_set_begun_on_places_goes_on_with_a_run_of_today(
    workspace: Workspace, tmp_path: Path, space: str
) -> None:
    finish(workspace, "A1")
    give(workspace, "A1", f"{ARGUMENT}/P1", FACTUALITY, 1)
    workspace.store.decide((f"{ARGUMENT}/P1", FACTUALITY), 2, "By Section 3.")
    before, units = workspace.store.given(), workspace.store.units()
    workspace.store.close()
    material = today(workspace.material, space=space)
    names = dict(zip(workspace.material.points, material.points, strict=True))

    again = make_workspace(tmp_path / "set", material)

    assert again.gone == 0
    assert [one.unit_id for one in again.store.units()] == [
        unit.unit_id for point in material.points.values() for unit in point.units
    ]
    assert len(again.store.units()) == len(units)
    assert {(one.point_id, one.unit_id, one.field, one.entry) for one in again.store.given()} == {
        (
            names[one.point_id],
            one.unit_id.replace(one.point_id, names[one.point_id]),
            one.field,
            one.entry,
        )
        for one in before
    }
    assert list(again.store.decisions()) == [(f"{names[ARGUMENT]}/P1", FACTUALITY)]
    assert undo(again, names[ARGUMENT]) == "label factuality"  # what was done is known by new ids
    values = again.store.page("A1", names[ARGUMENT]).values
    assert values[f"{names[ARGUMENT]}/P1", FACTUALITY] == 4


def test_an_edited_remark_leaves_the_labels_of_the_others_and_its_own_are_kept(
    workspace: Workspace, tmp_path: Path
) -> None:
    workspace.store.close()
    first = today(make_material())
    begun = make_workspace(tmp_path / "other", first)
    for name in first.points:
        give(begun, "A1", name, TYPE, "claim")
    begun.store.close()

    edited = today(make_material(make_point(CLAIM, "The evaluation is quite weak.")))
    again = make_workspace(tmp_path / "other", edited)

    new = set(edited.points) - set(first.points)
    assert len(new) == again.gone == 1
    assert {one.point_id for one in again.store.given()} == set(first.points)
    session = [again.store.page("A1", name).values for name in new]
    assert session == [{}]  # the new words are labelled anew


def test_points_with_other_words_are_refused(workspace: Workspace, tmp_path: Path) -> None:
    workspace.store.close()
    changed = make_material(make_point(CLAIM, "Other words."))

    with pytest.raises(InputError, match="other words"):
        make_workspace(tmp_path / "set", changed)


def test_labels_of_another_origin_are_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "labels.jsonl").write_text("{}\n", "utf-8")

    with pytest.raises(InputError, match="no workspace made"):
        make_workspace(tmp_path)


def test_the_file_is_for_its_owner_alone(workspace: Workspace) -> None:
    mode = (workspace.folder / LABELS_FILE).stat().st_mode

    assert stat.S_IMODE(mode) == 0o600
