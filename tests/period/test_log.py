"""The log: what is written stays bound to what was before, whoever is killed or writes at once."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewscore.errors import InputError, RunFolderError
from reviewscore.period.log import FIRST, LOG, REPAIRED, append, head, read
from reviewscore.period.verify import verify

ALIKE = multiprocessing.get_context("forkserver")


def written(folder: Path, count: int = 4) -> bytes:
    for number in range(count):
        append(folder, "synced", who="p7", details={"number": number, "share": 0.5, "é": None})
    return (folder / LOG).read_bytes()


def test_each_entry_holds_the_hash_of_the_one_before(tmp_path: Path) -> None:
    lines = [json.loads(line) for line in written(tmp_path).splitlines()]

    assert [line["before"] for line in lines] == [FIRST, *(line["hash"] for line in lines[:-1])]
    for line in lines:
        own = line.pop("hash")
        plain = json.dumps(line, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        assert own == hashlib.sha256(plain.encode()).hexdigest()
    assert head(tmp_path).number == 4
    assert verify(tmp_path).holds


def test_files_are_noted_by_their_name_in_the_venue_and_must_be_there(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    file = tmp_path / "data" / "papers.jsonl"
    file.write_text("{}\n")

    entry = append(tmp_path, "synced", files=[file])

    assert entry.files == {"data/papers.jsonl": hashlib.sha256(b"{}\n").hexdigest()}
    with pytest.raises(InputError, match=r"reviews\.jsonl: cannot be read"):
        append(tmp_path, "synced", files=[tmp_path / "data" / "reviews.jsonl"])
    with pytest.raises(InputError, match="is not in the venue folder"):
        append(tmp_path / "data", "synced", files=[tmp_path / LOG])
    assert [one.number for one in read(tmp_path)] == [1]


@pytest.mark.parametrize("torn", [b'{"at":"20', b"x" * 9_000, b"\xff\xfe"])
def test_what_a_kill_left_is_noted_and_the_chain_goes_on(tmp_path: Path, torn: bytes) -> None:
    whole = written(tmp_path, 2)
    with (tmp_path / LOG).open("ab") as file:
        file.write(torn)
    assert verify(tmp_path).torn == len(torn)
    assert verify(tmp_path).holds

    append(tmp_path, "audited")

    assert (tmp_path / LOG).read_bytes().startswith(whole)
    assert [one.event for one in read(tmp_path)] == ["synced", "synced", REPAIRED, "audited"]
    noted = list(read(tmp_path))[2].details
    assert noted["bytes"] == len(torn)
    assert noted["sha256"] == hashlib.sha256(torn).hexdigest()
    assert verify(tmp_path).holds


def test_a_kill_within_the_very_first_entry_is_noted_too(tmp_path: Path) -> None:
    (tmp_path / LOG).write_bytes(b'{"at"')

    append(tmp_path, "synced")

    assert [one.event for one in read(tmp_path)] == [REPAIRED, "synced"]
    assert verify(tmp_path).holds


def test_entries_larger_than_what_is_read_at_once_are_followed(tmp_path: Path) -> None:
    append(tmp_path, "delivered", details={"people": [f"person {n}" for n in range(20_000)]})
    append(tmp_path, "seen")

    assert head(tmp_path).number == 2
    assert verify(tmp_path).holds


def test_nothing_is_put_behind_an_entry_that_cannot_be_read(tmp_path: Path) -> None:
    written(tmp_path, 1)
    with (tmp_path / LOG).open("ab") as file:
        file.write(b"nothing\n")

    with pytest.raises(RunFolderError, match="the last line: no entry of the log"):
        append(tmp_path, "audited")


def many(folder: Path) -> None:
    for number in range(20):
        append(folder, "seen", details={"number": number})


def test_processes_that_write_at_once_wait_for_each_other(tmp_path: Path) -> None:
    writers = [ALIKE.Process(target=many, args=(tmp_path,)) for _ in range(2)]
    for one in writers:
        one.start()
    for one in writers:
        one.join(60)

    assert [one.exitcode for one in writers] == [0, 0]
    assert [one.number for one in read(tmp_path)] == list(range(1, 41))
    assert verify(tmp_path).holds


@pytest.fixture(scope="module")
def chain() -> tuple[Path, bytes]:
    folder = Path(tempfile.mkdtemp())
    return folder, written(folder)


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_any_changed_byte_is_found(chain: tuple[Path, bytes], data: st.DataObject) -> None:
    folder, whole = chain
    place = data.draw(st.integers(0, len(whole) - 2))  # without the last end of line
    byte = data.draw(st.integers(0, 255).filter(lambda value: value != whole[place]))
    (folder / LOG).write_bytes(whole[:place] + bytes([byte]) + whole[place + 1 :])

    found = verify(folder)

    line = whole.count(b"\n", 0, place) + 1
    assert not found.holds
    assert any(f"{LOG}:{at}" in found.checks[0].faults[0] for at in (line, line + 1))
