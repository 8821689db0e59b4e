from __future__ import annotations

from pathlib import Path

import fsspec
import pytest

from reviewscore.errors import InputError
from reviewscore.sources.collection import read_collection
from reviewscore.sources.remote import at_hand
from tests.conftest import ROOT


def test_a_folder_at_an_address_is_read_as_one_that_is_here(
    store: fsspec.AbstractFileSystem, tmp_path: Path
) -> None:
    for file in (ROOT / "examples").glob("*.jsonl"):
        store.pipe_file(f"/venue/{file.name}", file.read_bytes())
    store.pipe_file("/venue/pdf/paper.pdf", (ROOT / "examples" / "paper.pdf").read_bytes())

    here = at_hand("memory://venue", tmp_path)

    assert len(read_collection(here).reviews) == len(read_collection(ROOT / "examples").reviews)
    assert (here / "pdf" / "paper.pdf").is_file()


def test_only_what_has_changed_is_copied_again(
    store: fsspec.AbstractFileSystem, tmp_path: Path
) -> None:
    store.pipe_file("/venue/a.txt", b"one")
    store.pipe_file("/venue/b.txt", b"one")
    here = at_hand("memory://venue", tmp_path)
    (here / "b.txt").write_text("left alone")

    store.pipe_file("/venue/a.txt", b"another")
    at_hand("memory://venue/", tmp_path)

    assert (here / "a.txt").read_text() == "another"
    assert (here / "b.txt").read_text() == "left alone"


def test_a_single_file_is_copied(store: fsspec.AbstractFileSystem, tmp_path: Path) -> None:
    store.pipe_file("/venue/papers.parquet", b"x")
    assert at_hand("memory://venue/papers.parquet", tmp_path).read_bytes() == b"x"


def test_a_path_is_left_as_it_is(tmp_path: Path) -> None:
    assert at_hand("data/iclr24", tmp_path) == Path("data/iclr24")


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(
    ("address", "told"), [("memory://nowhere", "no such folder"), ("nonsense://x", "nonsense")]
)
def test_an_address_that_cannot_be_read_is_told(address: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=told):
        at_hand(address, tmp_path)
