from __future__ import annotations

from pathlib import Path

import fsspec
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.errors import RunFolderError, SettingsError
from reviewscore.runs import shards as module
from reviewscore.runs.folder import ErrorRecord
from reviewscore.runs.shards import Shard, Shards
from reviewscore.schema.point_score import PointScore
from tests.runs.conftest import unscored


def shard(paper_id: str = "p", *scores: PointScore) -> Shard:
    return Shard(decisive_sha256="d", paper_id=paper_id, scores=scores)


@pytest.fixture(params=["folder", "memory"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(tmp_path / "shards") if request.param == "folder" else f"memory://{tmp_path.name}"


def test_what_was_written_is_read(place: str) -> None:
    one = Shard(
        decisive_sha256="d",
        paper_id="p",
        reviews=("r1", "r2"),
        scores=(unscored("r1#1"), unscored("r1#2", text="∀x: =1+1")),
        errors=(ErrorRecord(what="review", review_id="r2", kind="InputError", message="bad"),),
        without_points=1,
        points=3,
        rejected=1,
        warnings=("paper 'p': odd",),
        doubtful=("p",),
    )
    Shards(place).write(one)
    assert Shards(place).read("p") == one


def test_a_shard_is_replaced(place: str) -> None:
    Shards(place).write(shard("p", unscored("r#1")))
    Shards(place).write(shard("p", unscored("r#1"), unscored("r#2")))
    assert len((Shards(place).read("p") or shard()).scores) == 2


@given(names=st.lists(st.text(min_size=1), max_size=6, unique=True))
def test_papers_of_any_name_are_found_again(names: list[str]) -> None:
    shards = Shards("memory://names")
    if shards._files.exists(shards._root):
        shards._files.rm(shards._root, recursive=True)
    for name in names[::2]:
        shards.write(shard(name.encode("utf-8", "replace").decode()))
    there = shards.there([one.encode("utf-8", "replace").decode() for one in names])
    assert sorted(there) == sorted(one.encode("utf-8", "replace").decode() for one in names[::2])


def test_nothing_is_there_before_anything_is_written(place: str) -> None:
    assert Shards(place).there(["p"]) == []
    assert Shards(place).read("p") is None


def test_a_shard_has_the_columns_of_an_export(tmp_path: Path) -> None:
    Shards(str(tmp_path)).write(shard("p", unscored("r#1")))
    (file,) = tmp_path.glob("*.parquet")
    table = pq.read_table(file)
    assert {"point_id", "misinformed", "evidence", "record"} <= set(table.column_names)
    assert table.to_pylist()[0]["text"] == "x"


def test_another_file_in_its_place_is_told(tmp_path: Path) -> None:
    Shards(str(tmp_path)).write(shard("p"))
    (file,) = tmp_path.glob("*.parquet")
    whole = file.read_bytes()
    # Where the footer begins: spoilt words about a column would not matter.
    middle = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    for spoilt in (b"PAR1", b"", whole[:middle] + b"spoilt" + whole[middle + 6 :]):
        file.write_bytes(spoilt)
        with pytest.raises(RunFolderError, match="is no shard"):
            Shards(str(tmp_path)).read("p")


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(RunFolderError, match="file"):
        Shards(str(tmp_path / "file")).write(shard())
    with pytest.raises(RunFolderError, match="file"):
        Shards(str(tmp_path / "file" / "inside")).read("p")


def test_an_error_that_only_its_store_knows_is_told_with_the_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class NoCredentialsError(Exception):
        pass

    def refuse(*_: object, **__: object) -> None:
        raise NoCredentialsError("unable to locate credentials")

    shards = Shards("memory://refused")
    for name in ("ls", "cat_file", "pipe_file"):
        monkeypatch.setattr(fsspec.implementations.memory.MemoryFileSystem, name, refuse)
    with pytest.raises(RunFolderError, match="refused: unable to locate credentials"):
        shards.there(["p"])
    with pytest.raises(RunFolderError, match="credentials"):
        shards.read("p")
    with pytest.raises(RunFolderError, match="credentials"):
        shards.write(shard())


@pytest.mark.parametrize("kind", ["nonsense", "ftp"])
def test_the_password_of_a_store_is_never_shown(kind: str) -> None:
    with pytest.raises((SettingsError, RunFolderError)) as failure:
        Shards(f"{kind}://me:secret@127.0.0.1:1/run")
    assert "secret" not in str(failure.value)
    assert "127.0.0.1:1/run" in str(failure.value)


@pytest.mark.parametrize("place", ["nonsense://bucket/run"])
def test_an_address_of_an_unknown_kind_is_refused(place: str) -> None:
    with pytest.raises(SettingsError, match="--store nonsense"):
        Shards(place)


def test_a_half_written_shard_is_never_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shards = Shards(str(tmp_path))
    monkeypatch.setattr(
        fsspec.implementations.local.LocalFileSystem,
        "mv",
        lambda *_, **__: (_ for _ in ()).throw(OSError("killed")),
    )
    with pytest.raises(RunFolderError, match="killed"):
        shards.write(shard("p"))
    assert shards.there(["p"]) == []
    assert module.SHARDS == "shards"
