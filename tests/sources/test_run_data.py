"""A run finds the papers and reviews that it was made of, and takes no others for them."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import fsspec
import pytest

from reviewscore.config import resolve
from reviewscore.errors import InputError
from reviewscore.printable import without_folders
from reviewscore.report.html import write_report
from reviewscore.runs.audit import audit
from reviewscore.runs.folder import read_manifest
from reviewscore.runs.input_data import data_again
from reviewscore.runs.manifest import Manifest
from reviewscore.runs.merge import merge
from reviewscore.sources.collection import read_collection, single
from reviewscore.sources.remote import at_hand
from tests.conftest import PAPER

REVIEW = "There is no ablation study of the microphones."


def folder_of_data(folder: Path, text: str = REVIEW) -> Path:
    folder.mkdir(parents=True)
    paper = {"paper_id": "frogs", "title": "Frogs", "text": PAPER, "shelf": 3}
    review = {"paper_id": "frogs", "review_id": "r1", "sections": {"weaknesses": text}}
    for name, record in (("papers", paper), ("reviews", review)):
        (folder / f"{name}.jsonl").write_text(json.dumps(record) + "\n")
    return folder


def made(data: Path, run: Path) -> Manifest:
    return audit(read_collection(data), run, resolve({}), data=data).manifest


def rewritten(run: Path, **fields: object) -> None:
    file = run / "manifest.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | fields))


def files_of(run: Path, data: Path | None = None) -> list[Path] | None:
    found = data_again(run, data).collection
    return None if found is None else found.files


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with data and a run that was made from within the data's folder."""
    data = folder_of_data(tmp_path / "home" / "data")
    here = Path.cwd()
    os.chdir(data)
    try:
        made(Path(), Path("../runs/a"))
    finally:
        os.chdir(here)
    return tmp_path / "home"


def test_a_run_made_of_the_folder_at_hand_finds_it_from_anywhere(home: Path) -> None:
    manifest = read_manifest(home / "runs" / "a")

    assert (manifest.data, manifest.data_beside) == (str(home / "data"), "../../data")
    assert files_of(home / "runs" / "a") == [
        home / "data" / "papers.jsonl",
        home / "data" / "reviews.jsonl",
    ]


def test_data_that_moved_with_their_run_are_found(home: Path, tmp_path: Path) -> None:
    home.rename(tmp_path / "elsewhere")

    found = files_of(tmp_path / "elsewhere" / "runs" / "a")

    assert found is not None
    assert found[0] == tmp_path / "elsewhere" / "data" / "papers.jsonl"


def test_data_of_another_run_in_the_same_place_are_passed_over_for_the_noted_ones(
    home: Path, tmp_path: Path
) -> None:
    other = tmp_path / "copy"
    shutil.copytree(home / "runs", other / "runs")
    folder_of_data(other / "data", text="Other words about the ponds.")

    again = data_again(other / "runs" / "a")

    assert again.collection is not None
    assert again.collection.files[0] == home / "data" / "papers.jsonl"


def test_data_that_moved_alone_are_asked_for_and_taken_when_named(
    home: Path, tmp_path: Path
) -> None:
    moved = (home / "data").rename(tmp_path / "moved")

    lost = data_again(home / "runs" / "a")
    found = data_again(home / "runs" / "a", moved)

    assert lost.collection is None
    assert str(home / "data") in lost.notes[-1]
    assert "--data" in lost.notes[-1]
    assert found.collection is not None


def test_a_folder_with_other_files_is_refused_by_name(home: Path, tmp_path: Path) -> None:
    other = folder_of_data(tmp_path / "other", text="Other words about the ponds.")

    with pytest.raises(InputError, match=r"other.*'reviews\.jsonl' is not what"):
        data_again(home / "runs" / "a", other)


def test_data_that_changed_are_not_taken_for_those_that_were_audited(home: Path) -> None:
    with (home / "data" / "papers.jsonl").open("a") as file:
        file.write('{"paper_id": "toads", "text": "Words."}\n')

    again = data_again(home / "runs" / "a")

    assert again.collection is None
    assert "'papers.jsonl' is not what" in again.notes[0]


@pytest.mark.parametrize("typed", ["../../data", "data", "../data"])
def test_a_path_as_it_was_typed_is_read_from_the_run_and_the_folders_above(
    home: Path, typed: str
) -> None:
    rewritten(home / "runs" / "a", data=typed, data_beside=None)

    assert files_of(home / "runs" / "a") is not None


def test_single_files_are_found_and_their_reviews_keep_their_names(tmp_path: Path) -> None:
    for name in ("ann", "bob"):
        (tmp_path / "in" / name).mkdir(parents=True)
        (tmp_path / "in" / name / "review.txt").write_text(f"{REVIEW} {name}")
    (tmp_path / "in" / "paper.txt").write_text(PAPER)
    given = [tmp_path / "in" / name / "review.txt" for name in ("ann", "bob")]
    pair = single(tmp_path / "in" / "paper.txt", given)
    audit(pair, tmp_path / "out" / "run", resolve({}))
    names = [review.review_id for review in pair.reviews]

    moved = (tmp_path / "in").rename(tmp_path / "there")
    (moved / "ann").rename(moved / "first")
    assert files_of(tmp_path / "out" / "run") is None
    (moved / "first").rename(moved / "ann")
    found = data_again(tmp_path / "out" / "run", moved).collection

    assert found is not None
    assert [review.review_id for review in found.reviews] == names == ["ann/review", "bob/review"]
    (moved / "paper.txt").write_text("Another paper altogether.")
    with pytest.raises(InputError, match=r"'paper\.txt' is not what"):
        data_again(tmp_path / "out" / "run", moved)


def test_data_at_an_address_keep_it_and_are_read_from_their_copy(tmp_path: Path) -> None:
    store = fsspec.filesystem("memory")
    store.store.clear()
    for file in folder_of_data(tmp_path / "data").iterdir():
        store.pipe_file(f"/venue/{file.name}", file.read_bytes())
    here = at_hand("memory://venue", tmp_path / "kept")

    manifest = made(here, tmp_path / "run")

    assert manifest.data == "memory://venue"
    assert files_of(tmp_path / "run") == [here / "papers.jsonl", here / "reviews.jsonl"]
    shutil.rmtree(tmp_path / "kept")
    assert "memory://venue" in data_again(tmp_path / "run").notes[-1]


def test_a_merged_run_finds_the_data_of_its_parts(home: Path, tmp_path: Path) -> None:
    data = home / "data"
    for name in ("b", "c"):
        made(data, home / "runs" / name)
    merge([home / "runs" / "b", home / "runs" / "c"], home / "whole")
    home.rename(tmp_path / "elsewhere")

    assert files_of(tmp_path / "elsewhere" / "whole") is not None


def test_a_report_names_files_and_no_folder_of_this_machine(tmp_path: Path) -> None:
    data = folder_of_data(tmp_path / "ada's home" / "data")
    with (data / "papers.jsonl").open("a") as file:
        file.write('{"paper_id": "toads", "pdf": "toads.pdf"}\n')
    with (data / "reviews.jsonl").open("a") as file:
        file.write('{"paper_id": "toads", "review_id": "r2", "text": "No proof."}\n')
    (data / "toads.pdf").write_bytes(b"%PDF-1.4 broken")
    made(data, tmp_path / "run")

    (page,) = write_report(tmp_path / "run", None, None)

    text = page.read_text("utf-8")
    assert "papers.jsonl: unknown fields are ignored: shelf" in text
    assert "toads.pdf: is damaged" in text
    assert not any(name in text for name in (str(tmp_path), tmp_path.name, "home"))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("/srv/ada/x/papers.jsonl:3: bad", "papers.jsonl:3: bad"),
        ("'C:\\Users\\Ada\\b.pdf' is damaged", "'b.pdf' is damaged"),
        ("see ~/data/a.txt", "see a.txt"),
        ("/srv/ada lovelace/my data/b.pdf", "b.pdf"),
        ("http://localhost:8000/v1/chat", "http://localhost:8000/v1/chat"),
        ("data/a.txt and/or b/c/d", "data/a.txt and/or b/c/d"),
        ("up to 1/2 or 3 / 4", "up to 1/2 or 3 / 4"),
    ],
)
def test_folders_leave_a_message_and_nothing_else_does(text: str, shown: str) -> None:
    assert without_folders(text, ["/srv/ada lovelace/my data", "/srv/ada lovelace"]) == shown
