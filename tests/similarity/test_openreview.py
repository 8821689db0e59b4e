"""The folder of openreview-expertise."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from reviewscore.errors import InputError
from reviewscore.similarity.affinity import NO_PAPER, Library, recipe
from reviewscore.similarity.corpus import ONLY, read_corpus
from tests.similarity.invented import TEXTS, write_jsonl


def note(name: str, *, wrapped: bool = False, **more: object) -> dict[str, object]:
    title, abstract = TEXTS[name]
    content: dict[str, object] = {"title": title, "abstract": abstract, **more}
    if wrapped:
        content = {field: {"value": value} for field, value in content.items()}
    return {"id": name, "content": content}


def venue(folder: Path, submissions: str = "json", *, wrapped: bool = False) -> Path:
    (folder / "archives").mkdir(parents=True)
    write_jsonl(folder / "archives" / "~Ann_A1.jsonl",
                [note(one, wrapped=wrapped) for one in ("toads", "newts")])  # fmt: skip
    write_jsonl(folder / "archives" / "~Bob_B1.jsonl",
                [note(one, wrapped=wrapped) for one in ("bread", "newts")])  # fmt: skip
    some = [note(one, wrapped=wrapped) for one in ("frogs", "cakes")]
    if submissions == "json":
        whole = {one["id"]: {"content": one["content"]} for one in some}
        (folder / "submissions.json").write_text(json.dumps(whole))
    elif submissions == "list":
        (folder / "submissions.json").write_text(json.dumps(some))
    elif submissions == "jsonl":
        write_jsonl(folder / "submissions.jsonl", some)
    else:
        (folder / "submissions").mkdir()
        for one in some:
            write_jsonl(folder / "submissions" / f"{one['id']}.jsonl", [one])
    return folder


@pytest.mark.parametrize("wrapped", [False, True], ids=["API 1", "API 2"])
@pytest.mark.parametrize("submissions", ["json", "list", "jsonl", "folder"])
def test_every_layout_of_submissions_is_read(
    tmp_path: Path, submissions: str, wrapped: bool
) -> None:
    found = read_corpus(venue(tmp_path / "v", submissions, wrapped=wrapped))

    assert sorted(found.submissions) == ["cakes", "frogs"]
    assert found.profiles[ONLY] == {"~Ann_A1": ("toads", "newts"), "~Bob_B1": ("bread", "newts")}
    assert found.papers["toads"].abstract == TEXTS["toads"][1]
    assert len(found.files) == (4 if submissions == "folder" else 3)


def test_an_empty_archive_is_a_reviewer_without_papers(tmp_path: Path) -> None:
    folder = venue(tmp_path / "v")
    (folder / "archives" / "~New_N1.jsonl").touch()

    found = read_corpus(folder)

    assert found.warnings == ("reviewers without papers have no similarity: 1 (~New_N1)",)
    assert Library(found).affinity(recipe("tfidf"), ONLY).unread.reviewers == {"~New_N1": NO_PAPER}


def test_full_texts_as_counts_and_as_text_are_read(tmp_path: Path) -> None:
    folder = venue(tmp_path / "v")
    write_jsonl(
        folder / "archives" / "~Bob_B1.jsonl",
        [note("bread", text={"yeast": 2}), note("newts", text="Newts swim.")],
    )

    found = read_corpus(folder)

    assert found.counts is not None
    assert found.counts.rows == {"bread": 0}
    assert found.papers["bread"].text == ""


def test_a_year_comes_from_the_content_or_from_a_date_in_milliseconds(tmp_path: Path) -> None:
    folder = venue(tmp_path / "v")
    write_jsonl(
        folder / "archives" / "~Bob_B1.jsonl",
        [note("bread", year=2011), {**note("lakes"), "cdate": 1_500_000_000_000}, note("rivers")],
    )

    found = read_corpus(folder)

    assert [found.papers[one].year for one in ("bread", "lakes", "rivers")] == [2011, 2017, None]


def broken(folder: Path, records: Sequence[dict[str, object]]) -> str:
    write_jsonl(folder / "archives" / "~Bob_B1.jsonl", records)
    with pytest.raises(InputError) as caught:
        read_corpus(folder)
    assert caught.value.cure
    return str(caught.value).partition("archives/")[2]


@pytest.mark.parametrize(
    ("record", "says"),
    [
        ({"id": "x"}, "~Bob_B1.jsonl:2: field 'content': is missing"),
        ({"content": {"title": "x"}}, "~Bob_B1.jsonl:2: field 'id': is missing"),
        ({"id": "x", "content": {"title": ["x"]}}, "~Bob_B1.jsonl:2: field 'title': "),
        ({"id": "x", "content": {"text": {"a": -1}}}, "~Bob_B1.jsonl:2: field 'content.text'"),
        (note("bread"), "~Bob_B1.jsonl:2: field 'id': paper 'bread' is there twice"),
    ],
)
def test_records_that_cannot_be_used_are_told_with_place_and_cure(
    tmp_path: Path, record: dict[str, object], says: str
) -> None:
    assert broken(venue(tmp_path / "v"), [note("bread"), record]).startswith(says)


def test_a_submission_that_is_there_twice_is_told(tmp_path: Path) -> None:
    folder = venue(tmp_path / "v", "jsonl")
    write_jsonl(folder / "submissions.jsonl", [note("frogs"), note("frogs")])

    with pytest.raises(InputError, match=r"submissions\.jsonl:2: .*'frogs' is there twice"):
        read_corpus(folder)


@pytest.mark.parametrize("text", ["{", "3", "[3]"])
def test_submissions_that_are_no_papers_are_told(tmp_path: Path, text: str) -> None:
    folder = venue(tmp_path / "v")
    (folder / "submissions.json").write_text(text)

    with pytest.raises(InputError, match=r"submissions\.json"):
        read_corpus(folder)


def test_archives_without_submissions_are_told(tmp_path: Path) -> None:
    folder = venue(tmp_path / "v")
    (folder / "submissions.json").unlink()

    with pytest.raises(InputError, match="has archives but no submissions"):
        read_corpus(folder)


def test_a_folder_of_archives_without_files_is_told(tmp_path: Path) -> None:
    folder = venue(tmp_path / "v")
    for one in (folder / "archives").iterdir():
        one.unlink()

    with pytest.raises(InputError, match=r"archives: holds no \.jsonl files"):
        read_corpus(folder)
