"""Files are held up to a bound; what passes it is its own failure, and the others go on."""

from __future__ import annotations

import json
import os
import tracemalloc
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import fsspec
import pytest

from reviewscore.bounds import Bounds, put_in_force
from reviewscore.config import Settings
from reviewscore.errors import InputError, TooLargeError
from reviewscore.files import hash_file
from reviewscore.focus.facets import read_facets
from reviewscore.gem.ranking import read_columns
from reviewscore.llm.prices import price_list
from reviewscore.papers.load import load_paper
from reviewscore.papers.pdf import read_pdf
from reviewscore.runs.audit import read_calibration
from reviewscore.runs.estimate import estimate
from reviewscore.sources.annotations import read_annotations
from reviewscore.sources.collection import read_collection, single
from reviewscore.sources.inspection import inspect_file
from reviewscore.sources.openreview.fetch import records_in
from reviewscore.sources.records import read_csv, read_grid, table_rows
from reviewscore.sources.remote import at_hand
from reviewscore.sources.system_reviews import read_materials, read_meta_reviews
from tests.conftest import ROOT
from tests.sources.test_files import PAPER, REVIEW, write

SMALL = Bounds(
    max_page_mb=0.03,
    max_text_mb=0.01,
    max_review_mb=0.001,
    max_pdf_mb=0.02,
    max_table_mb=0.02,
    max_reviews_per_paper=5,
)
LONG = "We light many lamps. " * 1000


@pytest.fixture(autouse=True)
def _small() -> None:
    put_in_force(SMALL)


def papers(*texts: str) -> list[object]:
    return [{**PAPER, "paper_id": f"p{n}", "text": text} for n, text in enumerate(texts)]


def reviews(*papers_of: str) -> list[object]:
    return [{**REVIEW, "review_id": f"r{n}", "paper_id": one} for n, one in enumerate(papers_of)]


def test_a_paper_of_a_line_that_is_too_long_fails_alone(tmp_path: Path) -> None:
    found = read_collection(write(tmp_path, papers("Short.", LONG), reviews("p0", "p1")))

    assert found.paper("p0").text == "Short."
    with pytest.raises(TooLargeError) as caught:
        found.paper("p1")
    error = caught.value
    assert (error.file, error.line, error.field) == (tmp_path / "papers.jsonl", 2, "text")
    assert "larger than the 0.01 MB that max_text_mb allows: it has 21,0" in str(error)
    assert "REVIEWSCORE_MAX_TEXT_MB" in str(error)
    with pytest.raises(TooLargeError):
        found.paper_unchecked("p1")
    assert len(found.reviews) == 2


def test_a_line_that_is_too_long_is_not_held(tmp_path: Path) -> None:
    write(tmp_path, papers("Short."), reviews("p0"))
    with (tmp_path / "papers.jsonl").open("ab") as file:
        file.write(b'{"paper_id": "p9", "text": "')
        for _ in range(40):
            file.write(b"a" * 1_000_000)
        file.write(b'"}\n')
    tracemalloc.start()

    found = read_collection(tmp_path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert list(found.papers) == ["p0", "p9"]
    assert peak < 3_000_000


def test_a_line_without_a_readable_id_is_left_out_and_told(tmp_path: Path) -> None:
    line = json.dumps({"text": LONG, "paper_id": "p1"})

    found = read_collection(write(tmp_path, [PAPER, line], [REVIEW]))

    assert [fault.line for fault in found.skipped] == [2]


def test_what_a_bound_does_not_meet_is_read_as_before(tmp_path: Path) -> None:
    put_in_force(Bounds())

    found = read_collection(write(tmp_path, papers(LONG), reviews("p0")))

    assert len(found.paper("p0").text) > 20_000


@pytest.mark.parametrize("field", ["sections", "text", "author_response"])
def test_a_review_that_is_too_large_is_left_out_and_the_others_go_on(
    tmp_path: Path, field: str
) -> None:
    text = "Too dark. " * 110
    large = {"review_id": "large", "paper_id": "p1", "text": "Dark.", field: text}
    if field == "sections":
        large[field] = {"summary": "Good.", "weaknesses": text}

    found = read_collection(write(tmp_path, [PAPER], [REVIEW, large]))

    assert [one.review_id for one in found.reviews] == ["r1"]
    (fault,) = found.skipped
    assert "review 'large' is larger than the 0.001 MB that max_review_mb allows" in str(fault)
    assert fault.line == 2
    assert fault.field == ("weaknesses" if field == "sections" else field)


def test_the_size_of_a_review_counts_in_bytes(tmp_path: Path) -> None:
    signs = {"review_id": "signs", "paper_id": "p1", "text": "\U0001f438" * 251}

    found = read_collection(write(tmp_path, [PAPER], [signs, REVIEW]))

    assert "it has 1,004 bytes" in str(found.skipped[0])


def test_a_paper_with_too_many_reviews_fails_and_the_others_go_on(tmp_path: Path) -> None:
    given = reviews(*["p0"] * 3, *["p1"] * 6, *["p0"] * 2)

    found = read_collection(write(tmp_path, papers("Short.", "Small."), given))

    assert [one.paper_id for one in found.reviews] == ["p0"] * 5
    (fault,) = found.skipped
    assert isinstance(fault, TooLargeError)
    assert "paper 'p1' has 6 reviews, more than the 5 that max_reviews_per_paper allows" in str(
        fault
    )


def test_reviews_of_systems_have_the_same_bounds(tmp_path: Path) -> None:
    given = [*reviews(*["p0"] * 2, *["p1"] * 6), {**REVIEW, "review_id": "x", "text": LONG[:2000],
             "paper_id": "p2", "sections": None}]  # fmt: skip
    write(tmp_path, [PAPER], given)

    found = read_materials(tmp_path)

    assert {name: len(some) for name, some in found.papers.items()} == {"p0": 2}
    assert sorted("max_review" in str(one) for one in found.skipped) == [True, True]


def test_a_single_paper_with_too_many_reviews_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, [PAPER], reviews(*["p1"] * 6))

    with pytest.raises(TooLargeError, match="has 6 reviews"):
        single(tmp_path / "papers.jsonl", tmp_path / "reviews.jsonl")


TEI = '<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body><p>{}</p></body></text></TEI>'


@pytest.mark.parametrize(
    ("name", "text"), [("a.txt", LONG), ("a.md", LONG), ("a.tei.xml", TEI.format(LONG)),
                       ("a.json", json.dumps({"text": LONG}))],
)  # fmt: skip
def test_a_papers_file_that_is_too_large_is_named(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)

    with pytest.raises(TooLargeError, match="max_text_mb") as caught:
        load_paper(tmp_path / name)

    assert caught.value.file == tmp_path / name


def test_a_review_file_that_is_too_large_is_named(tmp_path: Path) -> None:
    (tmp_path / "paper.txt").write_text("1 Introduction\n\nWe light lamps.\n" * 50)
    (tmp_path / "review.txt").write_text("Too dark. " * 200)

    with pytest.raises(TooLargeError, match="max_review_mb"):
        single(tmp_path / "paper.txt", tmp_path / "review.txt")


def test_a_pdf_that_is_too_large_is_refused_before_a_process_reads_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = tmp_path / "paper.pdf"
    large.write_bytes(b"%PDF-1.4\n" + b"a" * 30_000)
    monkeypatch.setattr("reviewscore.processes.pool.Child", None)

    with pytest.raises(TooLargeError, match=r"0\.02 MB that max_pdf_mb allows: it has 30,009"):
        read_pdf(large)


def test_the_text_of_a_pdf_is_bounded_as_that_of_a_text_file() -> None:
    put_in_force(Bounds(max_text_mb=0.0005))

    with pytest.raises(TooLargeError, match=r"its text is larger than the 0\.0005 MB"):
        read_pdf(ROOT / "examples" / "paper.pdf")


def test_a_pdf_that_is_too_large_fails_its_own_reviews(tmp_path: Path) -> None:
    (tmp_path / "large.pdf").write_bytes(b"%PDF-1.4\n" + b"a" * 30_000)
    given: list[object] = [{"paper_id": "p0", "pdf": "large.pdf"}, PAPER]

    found = read_collection(write(tmp_path, given, reviews("p0", "p1")))

    with pytest.raises(TooLargeError, match="max_pdf_mb"):
        found.paper("p0")
    with pytest.raises(TooLargeError, match="max_pdf_mb"):
        handle = found.papers["p0"]
        assert handle.raw is not None
        handle.raw().packed()


async def test_an_estimate_leaves_out_what_will_fail(tmp_path: Path) -> None:
    given = reviews("p0", "p1")
    found = read_collection(write(tmp_path, papers("Short.", LONG), given))

    made = await estimate(found, Settings(model="openai/x", base_url="http://127.0.0.1:9"))

    assert (made.papers, made.reviews) == (1, 1)


def raised(found: object) -> object:
    if isinstance(found, Exception):
        raise found
    return found


READERS: dict[str, tuple[str, str, Callable[[Path], object]]] = {
    "csv": ("a.csv", "a,b\n" + "1,2\n" * 9000, lambda path: list(read_csv(path))),
    "columns": ("b.csv", "system,x\n" + "a,1\n" * 9000, read_columns),
    "export": ("a.json", json.dumps({"notes": [LONG, LONG]}), lambda path: list(records_in(path))),
    "exported lines": (
        "b.jsonl", json.dumps({"notes": [LONG, LONG]}),
        lambda path: raised(next(iter(records_in(path)))),
    ),
    "facets": ("a.toml", f"# {LONG}", read_facets),
    "prices": ("p.toml", f"# {LONG}", price_list),
    "calibration": ("c.json", json.dumps(LONG), lambda path: read_calibration(path, judge="x")),
    "meta-reviews": (
        "m.jsonl", json.dumps({"paper_id": "p", "meta_review": LONG}), read_meta_reviews,
    ),
    "areas": ("t.jsonl", json.dumps({"area": LONG}), lambda path: list(table_rows(path, ["area"]))),
}  # fmt: skip


@pytest.mark.parametrize("what", READERS)
def test_other_files_are_bounded_too(tmp_path: Path, what: str) -> None:
    name, text, read = READERS[what]
    (tmp_path / name).write_text(text)

    with pytest.raises(Exception, match=r"max_(text|table|page)_mb allows: it has") as caught:
        read(tmp_path / name)

    assert type(caught.value).__module__ == "reviewscore.errors"


def test_labels_and_inspections_name_the_line(tmp_path: Path) -> None:
    (tmp_path / "labels.jsonl").write_text(json.dumps({"unit": "u", "justification": LONG}) + "\n")

    (fault,) = read_annotations(tmp_path / "labels.jsonl").faults
    (seen,) = inspect_file(tmp_path / "labels.jsonl")

    assert (fault.line, fault.field) == (1, "justification")
    assert isinstance(seen, InputError)


def parquet(file: Path, *texts: str, row_group_size: int | None = None) -> None:
    import pyarrow as pa
    from pyarrow import parquet as pq

    table = pa.Table.from_pylist(papers(*texts))
    pq.write_table(table, file, compression="zstd", row_group_size=row_group_size)


def test_a_cell_that_is_too_large_is_a_failure_of_its_row(tmp_path: Path) -> None:
    write(tmp_path, [PAPER], reviews("p0", "p1"))
    (tmp_path / "papers.jsonl").unlink()
    texts = [" ".join(str(n * n) for n in range(2500)), *("Short." for _ in range(3))]
    parquet(tmp_path / "papers.parquet", texts[1], texts[0], *texts[2:])

    found = read_collection(tmp_path)

    assert found.paper("p0").text == "Short."
    with pytest.raises(TooLargeError) as caught:
        found.paper("p1")
    assert (caught.value.line, caught.value.field) == (2, "text")


def test_a_parquet_file_that_grows_is_refused_before_it_is_read(tmp_path: Path) -> None:
    import pyarrow as pa

    write(tmp_path, [], reviews("p0"))
    (tmp_path / "papers.jsonl").unlink()
    parquet(tmp_path / "papers.parquet", *(["a" * 3_000_000, *["b"] * 2000]))
    before = pa.total_allocated_bytes()

    with pytest.raises(TooLargeError, match="max_text_mb") as caught:
        read_collection(tmp_path)

    assert caught.value.field == "text"
    assert pa.total_allocated_bytes() - before < 1_000_000


def test_a_spreadsheet_that_grows_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.xlsx", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("xl/worksheets/sheet1.xml", b"a" * 1_000_000)
    assert (tmp_path / "a.xlsx").stat().st_size < 5000

    with pytest.raises(TooLargeError, match=r"it has 1\.0 MB"):
        list(read_grid(tmp_path / "a.xlsx"))


def spreadsheet(path: Path, cells: str) -> Path:
    """A spreadsheet of one tab with these rows."""
    head = '<?xml version="1.0" encoding="UTF-8"?>'
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    packages = "http://schemas.openxmlformats.org/package/2006/"
    kinds = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in {
            "[Content_Types].xml": f'<Types xmlns="{packages}content-types"><Override '
            f'PartName="/xl/workbook.xml" ContentType="{kinds}.sheet.main+xml"/></Types>',
            "_rels/.rels": f'<Relationships xmlns="{packages}relationships"><Relationship Id="r" '
            f'Type="{relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
            "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{relations}"><sheets>'
            '<sheet name="one" sheetId="1" r:id="r"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{packages}relationships">'
            f'<Relationship Id="r" Type="{relations}/worksheet" Target="worksheets/sheet1.xml"/>'
            "</Relationships>",
            "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{cells}'
            "</sheetData></worksheet>",
        }.items():
            packed.writestr(name, head + text)
    return path


def row(number: int, **cells: object) -> str:
    inner = "".join(
        f'<c r="{at}{number}" t="str"><v>{value}</v></c>' for at, value in cells.items()
    )
    return f'<row r="{number}">{inner}</row>'


@pytest.mark.parametrize("far", ["XFD1048576", "A1048576 ALL1048576", "XFD3 A1048000"])
def test_a_cell_far_away_from_all_others_costs_its_file_alone(tmp_path: Path, far: str) -> None:
    table = row(1, A="paper_id", B="area") + row(2, A="p1", B="theory")
    bomb = table
    for place in far.split():
        column, number = place.rstrip("0123456789"), int(place.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
        bomb += row(number, **{column: "far"})
    spreadsheet(tmp_path / "bomb.xlsx", bomb)
    spreadsheet(tmp_path / "good.xlsx", table)

    with pytest.raises(InputError, match=r"bomb\.xlsx.*(cannot be read|MB)"):
        list(read_grid(tmp_path / "bomb.xlsx"))
    assert list(read_grid(tmp_path / "good.xlsx")) == [(2, {"paper_id": "p1", "area": "theory"})]


def test_cells_that_hold_too_much_together_are_refused_by_name(tmp_path: Path) -> None:
    put_in_force(Bounds(max_table_mb=0.02))
    spreadsheet(tmp_path / "wide.xlsx", row(1, A="a") + row(2000, XFD="z"))

    with pytest.raises(TooLargeError, match=r"wide\.xlsx: its cells .* max_table_mb"):
        list(read_grid(tmp_path / "wide.xlsx"))


def test_a_remote_paper_that_is_too_large_is_not_copied_and_fails_alone(
    store: fsspec.AbstractFileSystem, tmp_path: Path
) -> None:
    given = [json.dumps(one) for one in ({"paper_id": "p0", "pdf": "large.pdf"}, PAPER)]
    store.pipe_file("/venue/papers.jsonl", "\n".join(given).encode())
    store.pipe_file("/venue/reviews.jsonl", json.dumps(REVIEW).encode())
    store.pipe_file("/venue/large.pdf", b"%PDF-1.4\n" + b"a" * 30_000)

    here = at_hand("memory://venue", tmp_path)

    found = read_collection(here)
    with pytest.raises(TooLargeError, match="it has 30,009 bytes"):
        found.paper("p0")
    assert found.paper("p1").text
    assert (here / "large.pdf").stat().st_blocks == 0
    put_in_force(Bounds())
    at_hand("memory://venue", tmp_path)
    assert (here / "large.pdf").read_bytes().startswith(b"%PDF")


def test_remote_papers_that_are_too_large_are_an_error(
    store: fsspec.AbstractFileSystem, tmp_path: Path
) -> None:
    store.pipe_file("/venue/papers.jsonl", b"a" * 30_000)

    with pytest.raises(TooLargeError, match="max_table_mb"):
        at_hand("memory://venue", tmp_path)


def test_the_examples_are_far_from_every_bound() -> None:
    put_in_force(Bounds())

    assert read_collection(ROOT / "examples").skipped == []


@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "nothing"])
def test_the_sum_of_an_input_is_that_of_an_ordinary_file(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "papers.jsonl"
    if kind == "pipe":
        os.mkfifo(file)
    elif kind == "device":
        file.symlink_to("/dev/zero")
    elif kind == "folder":
        file.mkdir()

    with pytest.raises(InputError, match=r"papers\.jsonl"):
        hash_file(file)


def test_the_sum_of_an_input_has_its_size(tmp_path: Path) -> None:
    file = tmp_path / "papers.jsonl"
    file.write_bytes(b"{}\n" * 100_000)

    found = hash_file(file)

    assert (found.size, found.sha256) == (300_000, sha256(file.read_bytes()).hexdigest())
