"""Any venue's spreadsheet becomes data, by saying which column holds what."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reviewscore.sources.files import read_collection
from tests.commands import Invoke, invoker
from tests.fetching.server import pdf

BODY = "We train a router that sends each token to one of two experts. " * 30


@pytest.fixture
def fetch(capsys: pytest.CaptureFixture[str]) -> Invoke:
    return invoker("fetch", capsys)


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "17.pdf").write_bytes(pdf())
    (folder / "18.txt").write_text(BODY)
    return folder


def test_a_venues_csv_is_read_by_a_map_of_its_columns(
    fetch: Invoke, papers: Path, tmp_path: Path
) -> None:
    table = tmp_path / "export.csv"
    table.write_text(
        "Paper ID;Reviewer;Score;Comments;Cons\n"
        '17;R1;3;"Fine, but\nthin.";No baseline.\n'
        "18;R2;2;;The router sees the label.\n"
    )

    ended = fetch(
        "--from-table", table, "--papers", papers, "-o", tmp_path / "data",
        "--columns", "paper_id=Paper ID", "--columns", "review=Comments",
        "--columns", "weaknesses=Cons", "--columns", "rating=Score",
    )  # fmt: skip

    assert ended.exit_code == 0, ended.stderr
    assert "2 papers, 2 reviews" in ended.stdout
    found = read_collection(tmp_path / "data")
    assert [one.reviewer for one in found.reviews] == ["R1", "R2"]
    assert found.reviews[0].fields == {"review": "Fine, but\nthin.", "weaknesses": "No baseline."}
    assert found.reviews[1].fields == {"weaknesses": "The router sees the label."}
    assert found.reviews[0].rating == "3"
    assert found.papers["17"].load().text.startswith("Routing with Two Experts")
    assert found.papers["18"].load().text.startswith("We train a router")
    account = json.loads((tmp_path / "data" / "fetch.json").read_text())
    assert account["columns"]["weaknesses"] == "cons"


def test_columns_with_our_own_names_need_no_map(fetch: Invoke, tmp_path: Path) -> None:
    table = tmp_path / "reviews.jsonl"
    rows = [
        {"paper_id": "p", "title": "Router", "text": BODY, "review": f"Point {n} is wrong.", "x": 1}
        for n in range(2)
    ]
    table.write_text("".join(f"{json.dumps(one)}\n" for one in rows))

    ended = fetch("--from-table", table, "-o", tmp_path / "data")

    assert ended.exit_code == 0, ended.stderr
    found = read_collection(tmp_path / "data")
    assert [one.review_id for one in found.reviews] == ["p/1", "p/2"]
    assert found.papers["p"].title == "Router"


def test_rows_that_cannot_be_used_are_left_out_with_their_line(
    fetch: Invoke, papers: Path, tmp_path: Path
) -> None:
    table = tmp_path / "t.csv"
    table.write_text("paper_id,review\n17,Good.\n,Lost.\n99,No such paper.\n18,\n")

    ended = fetch("--from-table", table, "--papers", papers, "-o", tmp_path / "data")

    assert ended.exit_code == 3
    assert "t.csv:3: field 'paper_id': names no paper" in ended.stderr
    assert "t.csv:4: field 'text': there is no text of paper '99'" in ended.stderr
    assert "t.csv:5: field 'review': holds no review" in ended.stderr
    assert "1 paper, 1 review" in ended.stdout


def test_a_paper_outside_of_the_folder_is_not_taken(
    fetch: Invoke, papers: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret.txt").write_text(BODY)
    table = tmp_path / "t.csv"
    table.write_text("paper_id,review,pdf\n1,Good.,../secret.txt\n")

    ended = fetch("--from-table", table, "--papers", papers, "-o", tmp_path / "data")

    assert ended.exit_code == 3
    assert "there is no text of paper '1'" in ended.stderr


@pytest.mark.parametrize(
    ("text", "words", "says"),
    [
        ("a,b\n1,2\n", [], "no column holds `paper_id`"),
        ("paper_id,b\n1,2\n", [], "no column holds `review`; say which one"),
        ("paper_id,b\n1,2\n", ["--columns", "review=Kommentar"], "has no column 'Kommentar'"),
        ("paper_id,review\n", [], "holds no rows"),
        ("paper_id,b\n1,2\n", ["--columns", "review"], "--columns"),
    ],
)
def test_a_table_that_lacks_something_is_refused_with_a_cure(
    fetch: Invoke, tmp_path: Path, text: str, words: list[str], says: str
) -> None:
    table = tmp_path / "t.csv"
    table.write_text(text)

    ended = fetch("--from-table", table, "-o", tmp_path / "data", *words)

    assert ended.exit_code == 2
    assert says in ended.stderr
    assert not (tmp_path / "data").exists()


def test_what_is_no_table_and_what_is_two_sources_is_refused(fetch: Invoke, tmp_path: Path) -> None:
    (tmp_path / "x.docx").write_text("")

    no_table = fetch("--from-table", tmp_path / "x.docx", "-o", tmp_path / "data")
    two = fetch("--from-table", "a.csv", "--from-corpus", "b", "-o", tmp_path / "data")
    loose = fetch("Sub18", "--columns", "review=x", "-o", tmp_path / "data")
    nothing = fetch("-o", tmp_path / "data")

    assert "is no table" in no_table.stderr
    assert "name one source" in two.stderr
    assert "go with --from-table" in loose.stderr
    assert "name one venue" in nothing.stderr
    assert {no_table.exit_code, two.exit_code, loose.exit_code, nothing.exit_code} == {2}
