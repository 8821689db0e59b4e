"""Run folders survive kills, full disks and second thoughts."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.bounds import Bounds, put_in_force
from reviewscore.errors import RunFolderError
from reviewscore.files import JsonLines, read_lines, write_whole
from reviewscore.notices import shown
from reviewscore.runs import folder
from reviewscore.runs.folder import RunDir, read_manifest, read_points
from reviewscore.runs.manifest import Manifest, first_difference
from reviewscore.runs.merge import merge
from reviewscore.schema.point_score import PointScore, Status
from tests.runs.conftest import small_disk, unscored


def manifest(**decisive: str | int) -> Manifest:
    return Manifest(
        reviewscore_version="0",
        judge="lexical",
        judge_version="1",
        settings={},
        decisive={"rounds": 10, **decisive},
        decisive_sha256="0",
        prompts={},
        versions={},
        inputs=(),
    )


def score(number: int, *, status: Status = Status.UNKNOWN) -> PointScore:
    error = "ProviderError: busy" if status is Status.ERROR else None
    return unscored(f"r#{number}", status=status, error=error)


@pytest.mark.parametrize("half", [b'{"a": 2', b"b" * 200_000])
def test_a_half_written_line_is_cut_off_when_the_file_is_opened(
    tmp_path: Path, half: bytes
) -> None:
    file = tmp_path / "x.jsonl"
    file.write_bytes(b'{"a": 1}\n' + half)

    lines = JsonLines(file)
    lines.append('{"a": 3}')
    lines.close()

    assert file.read_bytes() == b'{"a": 1}\n{"a": 3}\n'


@given(st.binary(max_size=300))
def test_whatever_is_left_in_a_file_only_whole_lines_are_kept(
    tmp_path_factory: pytest.TempPathFactory, left: bytes
) -> None:
    file = tmp_path_factory.mktemp("lines") / "x"
    file.write_bytes(left)

    JsonLines(file).close()

    assert file.read_bytes() == left[: left.rfind(b"\n") + 1]


FULL_DISK = """
import sys
from pathlib import Path
from reviewscore.errors import StopError
from reviewscore.files import JsonLines
lines = JsonLines(Path(sys.argv[1]))
for number in range(100):
    try:
        lines.append('{"n": "' + str(number) * 500 + '"}')
    except StopError as error:
        print(error)
        break
"""


def test_a_full_disk_leaves_whole_lines_and_says_how_to_go_on(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"

    told = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(file)],
        preexec_fn=small_disk(5000),
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    assert "run the same command again" in told
    assert file.read_bytes().endswith(b"}\n")
    assert 0 < file.stat().st_size <= 5000


def test_a_file_is_replaced_in_one_step(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    write_whole(file, "old")

    write_whole(file, "new")

    assert file.read_text() == "new"
    assert [entry.name for entry in tmp_path.iterdir()] == ["x.json"]


def test_a_pipe_that_was_named_is_written_to_and_a_link_followed(tmp_path: Path) -> None:
    pipe, link, target = tmp_path / "pipe", tmp_path / "link", tmp_path / "target"
    os.mkfifo(pipe)
    target.write_text("old")
    link.symlink_to(target)
    reader = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    try:
        write_whole(pipe, "new", named=True)
        assert os.read(reader, 10) == b"new"
    finally:
        os.close(reader)
    write_whole(link, "new", named=True)

    assert pipe.is_fifo()
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert len(list(tmp_path.iterdir())) == 3


PLANTS: dict[str, Callable[[Path, Path], object]] = {
    "link": lambda file, outside: file.symlink_to(outside),
    "dangling link": lambda file, outside: file.symlink_to(outside.with_name("new")),
    "device": lambda file, _: file.symlink_to("/dev/null"),
    "pipe": lambda file, _: os.mkfifo(file),
}
WRITERS: dict[str, Callable[[Path], object]] = {
    "whole": lambda file: write_whole(file, "ours"),
    "lines": JsonLines,
}


@pytest.mark.parametrize("plant", PLANTS)
@pytest.mark.parametrize("write", WRITERS)
def test_nothing_is_written_through_what_lies_in_a_folder(
    tmp_path: Path, write: str, plant: str
) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "folder"
    outside.write_text("mine")
    folder.mkdir()
    PLANTS[plant](folder / "x.jsonl", outside)

    with pytest.raises(RunFolderError, match=r"folder/x\.jsonl"):
        WRITERS[write](folder / "x.jsonl")

    assert outside.read_text() == "mine"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["folder", "outside"]
    assert [one.name for one in folder.iterdir()] == ["x.jsonl"]


def test_a_link_to_a_file_beside_it_is_the_folders_own(tmp_path: Path) -> None:
    (tmp_path / "x.json").symlink_to("y.json")
    write_whole(tmp_path / "x.json", "ours")

    assert (tmp_path / "y.json").read_text() == "ours"


@pytest.mark.parametrize("name", ["", "folder", "a\0b", "loop", "x" * 256, "file/below"])
def test_a_file_that_cannot_be_written_is_an_error_of_ours(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "file").touch()

    with pytest.raises(RunFolderError):
        write_whole(tmp_path / name, "new")

    write_whole(tmp_path / ("\u00e9" * 120), "new")  # as long as a name may be
    assert not list(tmp_path.glob(".*"))


def test_what_is_written_is_read_back_and_not_done_again(tmp_path: Path) -> None:
    with RunDir(tmp_path / "run", manifest()) as run:
        run.add(score(1))

    with RunDir(tmp_path / "run", manifest()) as run:
        assert run.done == {"r#1": Status.UNKNOWN}
    assert list(read_points(tmp_path / "run")) == [score(1)]


def test_other_settings_are_refused_with_the_first_difference(tmp_path: Path) -> None:
    with RunDir(tmp_path / "run", manifest(score="base")) as run:
        run.add(score(1))

    with pytest.raises(RunFolderError, match="rounds was 10 and is now 5"):
        RunDir(tmp_path / "run", manifest(score="base", rounds=5))


def test_a_folder_that_holds_nothing_yet_takes_other_settings(tmp_path: Path) -> None:
    with RunDir(tmp_path / "run", manifest(score="base")):
        pass

    with RunDir(tmp_path / "run", manifest(score="base", rounds=5)) as run:
        assert run.manifest.decisive["rounds"] == 5


def test_a_changed_input_file_is_named() -> None:
    old, new = {"input 1 a.txt": "x"}, {"input 1 a.txt": "y"}

    assert first_difference(old, new) == "the input file a.txt is another one, or has changed"


def test_a_selection_does_not_relabel_a_whole_run(tmp_path: Path) -> None:
    with RunDir(tmp_path / "run", manifest(score="base")) as run:
        run.add(score(1))
        run.update(run.manifest.model_copy(update={"complete": True}))

    selected = manifest(score="base").model_copy(update={"selection": {"limit": 1}})
    with RunDir(tmp_path / "run", selected) as run:
        assert run.manifest.selection == {}
        assert run.manifest.complete


def test_equal_settings_have_no_difference() -> None:
    assert first_difference({"a": 1}, {"a": 1}) is None
    assert first_difference({}, {"a": 1}) == "a was None and is now 1"


def test_a_strangers_folder_is_refused_unless_allowed(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("precious")

    with pytest.raises(RunFolderError, match="thesis"):
        RunDir(tmp_path, manifest())
    with RunDir(tmp_path, manifest(), allow_foreign=True):
        pass

    assert (tmp_path / "thesis.tex").read_text() == "precious"


def test_a_file_is_no_run_folder(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("")

    with pytest.raises(RunFolderError, match="is a file"):
        RunDir(tmp_path / "run", manifest())


def test_two_processes_cannot_write_to_one_run(tmp_path: Path) -> None:
    with RunDir(tmp_path / "run", manifest()), pytest.raises(RunFolderError, match="another"):
        RunDir(tmp_path / "run", manifest())


def test_failed_points_are_kept_until_asked_to_try_again(tmp_path: Path) -> None:
    with RunDir(tmp_path / "run", manifest()) as run:
        run.add(score(1))
        run.add(score(2, status=Status.ERROR))
    errors = (tmp_path / "run" / "errors.jsonl").read_text()

    with RunDir(tmp_path / "run", manifest()) as run:
        assert run.done["r#2"] is Status.ERROR
    with RunDir(tmp_path / "run", manifest(), retry_errors=True) as run:
        assert list(run.done) == ["r#1"]

    assert "busy" in errors
    assert (tmp_path / "run" / "errors.jsonl").read_text() == ""


def test_errors_are_told_once_however_often_a_run_is_resumed(tmp_path: Path) -> None:
    with RunDir(tmp_path / "run", manifest()) as run:
        run.add(score(1, status=Status.ERROR))
    for _ in range(2):
        with RunDir(tmp_path / "run", manifest()):
            pass

    assert len((tmp_path / "run" / "errors.jsonl").read_text().splitlines()) == 1


def test_a_folder_without_a_manifest_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match="no run folder"):
        read_manifest(tmp_path)


def test_an_edited_record_is_named_by_line_and_field(tmp_path: Path) -> None:
    bad = score(2).model_dump_json().replace('"unknown"', '"wrong"')
    (tmp_path / "points.jsonl").write_text(f"{score(1).model_dump_json()}\n{bad}\n")

    with pytest.raises(RunFolderError, match=r"points\.jsonl:2: field 'status'"):
        list(read_points(tmp_path))


def test_lines_of_a_missing_file_are_none(tmp_path: Path) -> None:
    assert list(read_lines(tmp_path / "none")) == []


def planted(path: Path, name: str, kind: str) -> Path:
    """A run folder in which a file is not what it seems."""
    with RunDir(path, manifest()) as run:
        run.add(score(1))
        run.update(run.manifest)
    file = path / name
    file.unlink()
    if kind == "pipe":
        os.mkfifo(file)
    elif kind == "device":
        file.symlink_to("/dev/zero")
    else:
        with file.open("wb") as endless:
            endless.truncate(30_000_000)
    return path


@pytest.mark.parametrize("kind", ["pipe", "device", "endless"])
@pytest.mark.parametrize("name", ["manifest.json", "points.jsonl", "errors.jsonl"])
def test_whatever_lies_in_a_run_folder_is_read_in_bounds(
    tmp_path: Path, name: str, kind: str
) -> None:
    path = planted(tmp_path / "run", name, kind)
    put_in_force(Bounds(max_text_mb=1))
    tracemalloc.start()
    try:
        with pytest.raises(RunFolderError, match=name):
            read_manifest(path)
            list(read_points(path))
            list(read_lines(path / "errors.jsonl"))
        if (name, kind) != ("errors.jsonl", "endless"):  # that one is written anew
            with pytest.raises(RunFolderError, match=name):
                RunDir(path, manifest())
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert most < 5_000_000


@pytest.mark.parametrize("name", ["manifest.json", "points.jsonl", "errors.jsonl"])
def test_a_run_folder_has_nothing_written_outside_of_it(tmp_path: Path, name: str) -> None:
    path, outside = planted(tmp_path / "run", name, "pipe"), tmp_path / "outside"
    outside.write_text("mine\n")
    (path / name).unlink()
    (path / name).symlink_to(outside)

    with pytest.raises(RunFolderError, match=f"{name} is a link"):
        RunDir(path, manifest())
    assert outside.read_text() == "mine\n"


def notices(path: Path) -> list[str]:
    """What is said when a run folder is read."""
    said: list[str] = []
    with shown(said.append):
        read_manifest(path, accept_changed=True)
    return said


def session(
    path: Path, *numbers: int, end: bool = True, retry: bool = False, accept: bool = False
) -> None:
    """A session that writes these points, and ends or is killed."""
    with RunDir(path, manifest(), retry_errors=retry, accept_changed=accept) as run:
        for number in numbers:
            run.add(score(number, status=Status.ERROR if number > 8 else Status.UNKNOWN))
        if end:
            run.update(run.manifest.model_copy(update={"complete": True}))


def test_sessions_that_end_or_are_killed_change_nothing_behind_the_runs_back(
    tmp_path: Path,
) -> None:
    for step in (
        {"numbers": (1, 9)},
        {"numbers": (2,), "end": False},
        {"numbers": (3,)},
        {"numbers": (9,), "retry": True, "end": False},
        {"numbers": (4,), "retry": True},
    ):
        numbers = step.pop("numbers")
        session(tmp_path, *numbers, **step)  # type: ignore[misc, arg-type]
        assert read_manifest(tmp_path).growing != step.get("end", True)
        assert notices(tmp_path) == []
    assert len(list(read_points(tmp_path))) == 4


@pytest.mark.parametrize("end", [True, False])
def test_records_that_were_changed_by_hand_are_named_for_good(tmp_path: Path, end: bool) -> None:
    session(tmp_path, 1, 2)
    session(tmp_path, 3, end=end)
    points = tmp_path / "points.jsonl"
    whole = points.read_bytes()
    points.write_bytes(whole.replace(b'"base":null', b'"base":1', 1))

    assert points.read_bytes() != whole
    (said,) = notices(tmp_path)
    assert str(points) in said
    assert "changed after the run" in said
    for _ in range(2):
        with pytest.raises(RunFolderError, match=re.escape(f"{points} ") + ".*--accept-changed"):
            session(tmp_path, 4)
        session(tmp_path, 4, accept=True)  # a later session does not wash it away
    assert len(notices(tmp_path)) == 1
    assert read_manifest(tmp_path, accept_changed=True).changed == ("points.jsonl",)


@pytest.mark.parametrize(
    "change",
    [
        lambda file: file.write_bytes(file.read_bytes() + file.read_bytes()),
        lambda file: file.write_bytes(b""),
        lambda file: file.unlink(),
    ],
    ids=["longer", "shorter", "gone"],
)
def test_lines_that_came_or_went_are_a_change(
    tmp_path: Path, change: Callable[[Path], object]
) -> None:
    session(tmp_path, 1, 2)
    change(tmp_path / "points.jsonl")

    assert len(notices(tmp_path)) == 1
    with pytest.raises(RunFolderError, match=r"points\.jsonl was changed after"):
        read_manifest(tmp_path)


def test_a_session_that_begins_while_its_run_is_read_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session(tmp_path, 9)
    stale = [read_manifest(tmp_path)]
    session(tmp_path, 1, retry=True, end=False)
    assert stale[0].digests != read_manifest(tmp_path).digests
    now = folder.manifest_of
    monkeypatch.setattr(folder, "manifest_of", lambda path: stale.pop() if stale else now(path))

    assert read_manifest(tmp_path).growing


def test_a_run_of_an_earlier_version_has_no_digests_and_is_read_as_before(tmp_path: Path) -> None:
    session(tmp_path, 1)
    old = json.loads((tmp_path / "manifest.json").read_bytes())
    for name in ("digests", "growing", "changed"):
        del old[name]
    write_whole(tmp_path / "manifest.json", json.dumps(old))

    assert notices(tmp_path) == []
    session(tmp_path, 2)
    assert notices(tmp_path) == []
    assert read_manifest(tmp_path).digests.keys() == {"points.jsonl", "errors.jsonl"}


def test_a_merged_run_says_which_parts_were_changed(tmp_path: Path) -> None:
    for name, number in (("a", 1), ("b", 2)):
        session(tmp_path / name, number)
    points = tmp_path / "b" / "points.jsonl"
    points.write_bytes(points.read_bytes().replace(b'"text":"x"', b'"text":"y"'))
    said: list[str] = []
    with shown(said.append):
        merge([tmp_path / "a", tmp_path / "b"], tmp_path / "c", accept_changed=True)

    assert len(said) == 1
    with pytest.raises(RunFolderError, match=r"c/points\.jsonl holds records that were changed"):
        read_manifest(tmp_path / "c")
    assert len(notices(tmp_path / "c")) == 1
