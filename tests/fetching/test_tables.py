"""Any venue's spreadsheet becomes data, by saying which column holds what."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reviewscore.sources.collection import read_collection
from tests.commands import Invoke
from tests.fetching.server import pdf

BODY = "We train a router that sends each token to one of two experts. " * 30


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

    assert ended.exit_code == 2
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


def converted(fetch: Invoke, table: Path, text: str, *words: object) -> tuple[int, str, Path]:
    table.write_text(text, "utf-8")
    out = table.parent / "data"
    ended = fetch("--from-table", table, "-o", out, *words)
    return ended.exit_code, ended.stderr, out


def test_a_cell_may_hold_a_whole_paper(fetch: Invoke, tmp_path: Path) -> None:
    whole = "We train a router. " * 20_000

    code, stderr, out = converted(
        fetch, tmp_path / "t.csv", f'\ufeffpaper_id,text,review\np,"{whole}",Thin.\n'
    )

    assert code == 0, stderr
    assert len(read_collection(out).papers["p"].load().text) > 300_000


def test_a_row_with_more_cells_than_headings_is_no_review_cut_short(
    fetch: Invoke, papers: Path, tmp_path: Path
) -> None:
    text = "paper_id,review\n17,Fine, but thin.\n18,Good.\n"

    code, stderr, out = converted(fetch, tmp_path / "t.csv", text, "--papers", papers)

    assert code == 3
    assert "t.csv:2: has more cells than there are headings ('but thin.')" in stderr
    assert [one.paper_id for one in read_collection(out).reviews] == ["18"]


def test_columns_of_one_name_are_told_apart(fetch: Invoke, papers: Path, tmp_path: Path) -> None:
    text = "paper_id,Comments,Comments\n17,Thin.,No baseline.\n"

    code, _, out = converted(
        fetch, tmp_path / "t.csv", text, "--papers", papers, "--columns", "strengths=Comments",
        "--columns", "weaknesses=Comments_2",
    )  # fmt: skip

    assert code == 0
    assert read_collection(out).reviews[0].fields == {
        "strengths": "Thin.",
        "weaknesses": "No baseline.",
    }


def test_a_review_that_is_there_twice_is_left_out_and_the_rest_can_be_read(
    fetch: Invoke, papers: Path, tmp_path: Path
) -> None:
    text = "paper_id,review_id,review\n17,a,Good.\n18,a,Thin.\n18,b,Bad.\n"

    code, stderr, out = converted(fetch, tmp_path / "t.csv", text, "--papers", papers)

    assert code == 3
    assert "t.csv:3: field 'review_id': 'a' is also on line 2" in stderr
    assert [one.review_id for one in read_collection(out).reviews] == ["a", "b"]


def test_numbers_that_passed_through_a_table_are_the_names_of_their_papers(
    fetch: Invoke, papers: Path, tmp_path: Path
) -> None:
    text = "paper_id,review\n17.0,Good.\n"

    code, stderr, out = converted(fetch, tmp_path / "t.csv", text, "--papers", papers)

    assert code == 0, stderr
    assert list(read_collection(out).papers) == ["17"]


def test_papers_whose_names_differ_in_odd_characters_keep_their_own_pdf(
    fetch: Invoke, papers: Path, tmp_path: Path
) -> None:
    (papers / "other.pdf").write_bytes(pdf() + b"\n% another")
    text = "paper_id,review,pdf\na/b,Good.,17.pdf\na b,Thin.,other.pdf\nCON,Bad.,17.pdf\n"

    code, stderr, out = converted(fetch, tmp_path / "t.csv", text, "--papers", papers)

    assert code == 0, stderr
    rows = [json.loads(one) for one in (out / "papers.jsonl").read_text().splitlines()]
    assert len({one["pdf"] for one in rows}) == 3
    assert (out / rows[1]["pdf"]).read_bytes().endswith(b"another")
    assert not (out / "pdfs" / "CON.pdf").exists()


@pytest.mark.parametrize("name", ["x" * 3000, "a\\u0000b", "../../etc/passwd"])
def test_a_name_that_no_file_can_have_is_a_paper_without_text(
    fetch: Invoke, tmp_path: Path, name: str
) -> None:
    line = f'{{"paper_id": "{name}", "review": "Good."}}\n'

    code, stderr, _ = converted(fetch, tmp_path / "t.jsonl", line, "--papers", tmp_path)

    assert code == 2
    assert "there is no text of paper" in stderr


def test_empty_cells_of_data_frames_are_empty(fetch: Invoke, tmp_path: Path) -> None:
    line = f'{{"paper_id": 17.0, "review": %s, "title": NaN, "text": "{BODY}", "decision": 1}}\n'

    code, stderr, out = converted(
        fetch, tmp_path / "t.jsonl", line % "NaN" + line % '"Thin."', "--papers", tmp_path
    )

    assert code == 3
    assert "t.jsonl:1: field 'review': holds no review" in stderr
    assert read_collection(out).papers["17"].title != "nan"


def test_a_papers_record_is_read_as_such(fetch: Invoke, papers: Path, tmp_path: Path) -> None:
    (papers / "19.json").write_text(json.dumps({"title": "Router", "text": BODY}))

    code, _, out = converted(
        fetch, tmp_path / "t.csv", "paper_id,review\n19,Thin.\n", "--papers", papers
    )

    assert code == 0
    assert read_collection(out).papers["19"].load().text.startswith("We train a router")


def test_a_table_without_a_usable_row_leaves_what_is_there(
    fetch: Invoke, papers: Path, tmp_path: Path
) -> None:
    table = tmp_path / "t.csv"
    table.write_text("paper_id,review\n17,Good.\n")
    fetch("--from-table", table, "--papers", papers, "-o", tmp_path / "data")
    before = {one.name: one.read_bytes() for one in (tmp_path / "data").glob("*.json*")}

    again = fetch("--from-table", table, "-o", tmp_path / "data")

    assert again.exit_code == 2
    assert "there is no text of paper '17'" in again.stderr
    assert {one.name: one.read_bytes() for one in (tmp_path / "data").glob("*.json*")} == before


def test_columns_with_names_of_boxes_are_boxes_and_the_rest_is_told(
    fetch: Invoke, papers: Path, tmp_path: Path
) -> None:
    table = tmp_path / "t.csv"
    table.write_text("paper_id,Strengths,Weaknesses,Overall (1-10)\n17,Nice.,No baseline.,3\n")

    ended = fetch("--from-table", table, "--papers", papers, "-o", tmp_path / "data")

    assert ended.exit_code == 0, ended.stderr
    (review,) = read_collection(tmp_path / "data").reviews
    assert set(review.fields) == {"strengths", "weaknesses"}
    assert "columns that are not used: overall_(1-10)" in ended.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--columns", "reveiw=b"], "did you mean 'review'?"),
        (["--columns", "Comments"], "write OURS=THEIRS"),
    ],
)
def test_a_misspelt_map_is_told(fetch: Invoke, tmp_path: Path, words: list[str], says: str) -> None:
    table = tmp_path / "t.csv"
    table.write_text("paper_id,b\n1,Good.\n")

    ended = fetch("--from-table", table, "-o", tmp_path / "data", *words)

    assert ended.exit_code == 2
    assert says in ended.stderr


def test_addresses_of_reviewers_are_not_kept(fetch: Invoke, papers: Path, tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    rows = "17,Good.,J.Doe@uni.example\n18,Fine.,j.doe@uni.example\n"
    table.write_text(f"paper_id,review,reviewer\n{rows}")

    fetch("--from-table", table, "--papers", papers, "-o", tmp_path / "data")

    first, second = read_collection(tmp_path / "data").reviews
    assert first.reviewer == second.reviewer
    assert "@" not in (tmp_path / "data" / "reviews.jsonl").read_text()
