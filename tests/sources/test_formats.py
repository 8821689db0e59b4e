"""Papers and reviews in every format of records, and PDFs with their reviews beside them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from reviewscore import audit
from reviewscore.bounds import Bounds, put_in_force
from reviewscore.errors import InputError, TooLargeError
from reviewscore.papers.load import PaperRow
from reviewscore.runs.input_data import data_again
from reviewscore.sources.collection import Collection, read_collection, single
from reviewscore.sources.inspection import Inspection, inspect_file
from reviewscore.sources.records import ENDINGS, read_records
from reviewscore.sources.system_reviews import read_materials
from tests.conftest import ROOT
from tests.sources.test_source_bounds import row, spreadsheet

PAPERS = [
    {"paper_id": "p1", "title": "Lamps", "text": "ABSTRACT\n\nWe light lamps.\n", "year": 2024},
    {"paper_id": "p2", "title": "Moths", "text": "Moths come, and stay.", "year": None},
]
REVIEWS = [
    {"review_id": "r1", "paper_id": "p1", "sections": {"weaknesses": "Too dark.", "summary": "Ok"}},
    {"review_id": "r2", "paper_id": "p2", "sections": {"questions": "Why?"}, "confidence": "4"},
]


def write_records(file: Path, records: list[dict[str, Any]]) -> Path:
    """A file of records in the format of its ending."""
    cells = [
        {
            key: "" if value is None else json.dumps(value) if isinstance(value, dict) else value
            for key, value in one.items()
        }
        for one in records
    ]
    names = list(dict.fromkeys(name for one in records for name in one))
    if file.suffix == ".jsonl":
        file.write_text("\n".join(map(json.dumps, records)))
    elif file.suffix == ".json":
        file.write_text(json.dumps(records, indent=1))
    elif file.suffix == ".parquet":
        filled = [{name: one.get(name) for name in names} for one in records]
        parquet.write_table(pa.Table.from_pylist(filled), file)
    elif file.suffix == ".xlsx":
        table = [dict(zip(names, names, strict=True)), *cells]
        spreadsheet(
            file,
            "".join(
                row(
                    at, **{chr(65 + n): _escaped(one.get(name, "")) for n, name in enumerate(names)}
                )
                for at, one in enumerate(table, 1)
            ),
        )
    else:
        with file.open("w", newline="") as out:
            writer = csv.DictWriter(out, names, delimiter="\t" if file.suffix == ".tsv" else ",")
            writer.writeheader()
            writer.writerows(cells)
    return file


def _escaped(value: object) -> str:
    return str(value).replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


def seen(found: Collection) -> object:
    papers = [found.paper(name) for name in found.papers]
    return (
        [(one.paper_id, one.title, one.text.strip(), one.year) for one in papers],
        [(one.review_id, one.paper_id, one.fields, one.confidence) for one in found.reviews],
        found.warnings,
        found.skipped,
    )


@pytest.mark.parametrize("ending", [".json", ".csv", ".tsv", ".xlsx", ".parquet"])
def test_every_format_says_the_same(tmp_path: Path, ending: str) -> None:
    for name in ("lines", "other"):
        (tmp_path / name).mkdir()
    for name, records in (("papers", PAPERS), ("reviews", REVIEWS)):
        write_records(tmp_path / "lines" / f"{name}.jsonl", records)
        write_records(tmp_path / "other" / f"{name}{ending}", records)

    lines, other = (read_collection(tmp_path / name) for name in ("lines", "other"))

    assert seen(other) == seen(lines)
    assert other.paper("p1").source == ending[1:]
    assert ending in ENDINGS
    systems = [
        [(one.review_id, one.raw) for one in read_materials(tmp_path / name).all()]
        for name in ("lines", "other")
    ]
    assert systems[0] == systems[1]
    inspected = list(inspect_file(tmp_path / "other" / f"papers{ending}"))
    assert [type(one) for one in inspected] == [Inspection, Inspection]


@pytest.mark.parametrize(
    ("name", "text", "line", "field", "says"),
    [
        ("papers.csv", 'paper_id,text,year\np1,"two\nlines",2024\np2,x,soon\n', 4, "year", "int"),
        ("papers.csv", "paper_id,text\np1,x\n,y\n", 3, "paper_id", "missing"),
        ("papers.csv", "paper_id,text\np1,x,y\n", 2, None, "more cells"),
        ("papers.json", '[{"paper_id": "p1", "text": "x"}, 3]', 2, None, "int, not"),
        ("papers.json", '[{"paper_id": "p1"},\n {"paper_id": }]', 2, None, "not JSON"),
        ("papers.json", '[{"paper_id": "p1"},\n {"paper_id"', 2, None, "cut off"),
    ],
)
def test_a_fault_names_file_line_field_and_cure(
    tmp_path: Path, name: str, text: str, line: int, field: str | None, says: str
) -> None:
    (tmp_path / name).write_text(text)
    write_records(tmp_path / "reviews.jsonl", REVIEWS)

    with pytest.raises(InputError, match=says) as caught:
        read_collection(tmp_path)

    error = caught.value
    assert (error.file, error.line, error.field) == (tmp_path / name, line, field)
    assert error.cure


def test_json_may_hold_a_record_a_list_or_lines(tmp_path: Path) -> None:
    texts = [json.dumps(PAPERS[0]), json.dumps(PAPERS[:1]), "\n".join(map(json.dumps, PAPERS)), ""]
    read = []
    for text in texts:
        (tmp_path / "a.json").write_text(text)
        read.append([found for _, found in read_records(tmp_path / "a.json", PaperRow)])

    assert [len(some) for some in read] == [1, 1, 2, 0]
    assert read[0] == read[1] == read[2][:1]


def test_a_box_may_have_a_column_of_its_own(tmp_path: Path) -> None:
    write_records(tmp_path / "papers.jsonl", PAPERS)
    (tmp_path / "reviews.csv").write_text(
        "Review ID,Paper ID,sections.Weaknesses,sections.summary\nr1,p1,Too dark.,\n"
    )

    (review,) = read_collection(tmp_path).reviews

    assert review.fields == {"weaknesses": "Too dark."}


def test_a_table_beside_lines_is_taken_for_an_export(tmp_path: Path) -> None:
    write_records(tmp_path / "papers.jsonl", PAPERS)
    write_records(tmp_path / "reviews.jsonl", REVIEWS)
    write_records(tmp_path / "reviews.csv", REVIEWS[:1])

    assert len(read_collection(tmp_path).reviews) == 2


def test_a_record_of_any_format_has_the_bound_of_a_text(tmp_path: Path) -> None:
    put_in_force(Bounds(max_text_mb=0.01))
    long = [{**PAPERS[0], "text": "We light lamps. " * 1000}, PAPERS[1]]
    write_records(tmp_path / "papers.json", long)
    write_records(tmp_path / "reviews.jsonl", REVIEWS)

    found = read_collection(tmp_path)

    assert found.paper("p2").text
    with pytest.raises(TooLargeError, match="max_text_mb"):
        found.paper("p1")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two PDFs with reviews beside them, in folders and under names of all kinds."""
    folder = tmp_path / "submissions"
    text = "- There is no ablation.\n"
    for name in ("a.pdf", "a-long.pdf", "b.pdf"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).symlink_to(ROOT / "examples" / "paper.pdf")
    for name in ("b-R1.txt", "b_R2.md", "b.R2.response.txt", "b/R3.txt", "reviews/b.R4.txt",
                 "reviews/b/R5.txt", "stray.txt", "b-R6.odt"):  # fmt: skip
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_pdfs_have_the_reviews_that_are_named_after_them(folder: Path) -> None:
    (folder / "b.R2.response.txt").unlink()
    (folder / "b_R2.response.txt").write_text("We added one.")
    (folder / "a-long.pdf").unlink()

    found = read_collection(folder)

    assert list(found.papers) == ["a", "b"]
    assert [(one.review_id, one.paper_id) for one in found.reviews] == [
        ("b-R1", "b"), ("b_R2", "b"), ("b.R4", "b"), ("b/R3", "b"), ("b/R5", "b"),
    ]  # fmt: skip
    assert found.reviews[1].author_response == "We added one."
    assert found.paper("a").text == found.paper("b").text
    assert found.paper("a").source == "pdf"
    handle = found.papers["b"]
    assert handle.in_file
    assert handle.raw is not None
    assert handle.raw().packed().paper().text == found.paper("b").text
    assert [word in one for word, one in zip(("R6.odt", "stray", "no reviews"), found.warnings,
                                             strict=True)] == [True] * 3  # fmt: skip
    assert found.unread == []


def test_what_is_wrong_with_one_review_of_a_folder_does_not_stop_the_others(folder: Path) -> None:
    (folder / "b-R1.txt").write_text("")
    (folder / "b-R2.json").write_text('{"text":')

    found = read_collection(folder)

    assert {fault.file.name for fault in found.unread if isinstance(fault.file, Path)} == {
        "a-long.pdf", "b-R1.txt", "b-R2.json", "b.R2.response.txt",
    }  # fmt: skip
    assert "b_R2" in [one.review_id for one in found.reviews]


def test_the_papers_own_text_is_no_review_of_it(folder: Path) -> None:
    (folder / "b.txt").write_text(read_collection(folder).paper("b").text)

    faults = [one for one in read_collection(folder).unread if "text of the paper" in str(one)]

    assert [one.file for one in faults] == [folder / "a-long.pdf", folder / "b.txt"]


def test_a_folder_of_pdfs_without_reviews_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").symlink_to(ROOT / "examples" / "paper.pdf")

    with pytest.raises(InputError, match="no reviews") as caught:
        read_collection(tmp_path)

    assert caught.value.cure


def test_the_papers_and_reviews_of_a_run_of_such_a_folder_are_found_again(folder: Path) -> None:
    run = folder.parent / "run"
    (folder / "a-long.pdf").unlink()
    audit(folder, run, model="lexical")

    for named in (None, folder):
        again = data_again(run, named).collection
        assert again is not None
        assert [one.review_id for one in again.reviews][:2] == ["b-R1", "b_R2"]
    (folder / "b-R1.txt").write_text("Changed.")
    assert data_again(run).collection is None
    with pytest.raises(InputError, match="changed"):
        data_again(run, folder)


@pytest.mark.parametrize("ending", [".csv", ".xlsx", ".parquet"])
def test_a_pair_may_be_of_records_of_any_format(tmp_path: Path, ending: str) -> None:
    paper = write_records(tmp_path / f"papers{ending}", PAPERS[:1])
    reviews = write_records(
        tmp_path / f"some{ending}", [*REVIEWS[:1], {**REVIEWS[1], "paper_id": "p1"}]
    )

    found = single(paper, reviews, year=2020)

    assert [one.review_id for one in found.reviews] == ["r1", "r2"]
    assert found.paper("p1").year == 2020
