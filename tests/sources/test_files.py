"""Collections are read line by line, and every bad line says what is wrong with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from reviewscore.errors import InputError
from reviewscore.sources.collection import read_collection, single
from reviewscore.sources.records import RecordFile
from reviewscore.sources.system_reviews import read_materials

PAPER = {"paper_id": "p1", "title": "Lamps", "text": "ABSTRACT\n\nWe light lamps.\n"}
REVIEW = {"review_id": "r1", "paper_id": "p1", "sections": {"weaknesses": "- Too dark."}}
SHARED = Path(__file__).parents[2].parent / "shared" / "data"


def write(folder: Path, papers: list[object], reviews: list[object]) -> Path:
    for name, records in (("papers", papers), ("reviews", reviews)):
        lines = [one if isinstance(one, str) else json.dumps(one) for one in records]
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    return folder


def test_a_folder_is_read(tmp_path: Path) -> None:
    found = read_collection(write(tmp_path, [PAPER], [REVIEW]))
    assert list(found.papers) == ["p1"]
    assert found.paper("p1").text == PAPER["text"]
    assert found.reviews[0].fields == {"weaknesses": "- Too dark."}
    assert [file.name for file in found.files] == ["papers.jsonl", "reviews.jsonl"]
    assert (found.warnings, found.skipped) == ([], [])
    assert list(read_collection(tmp_path / "papers.jsonl").papers) == ["p1"]


def test_parquet_is_read_like_jsonl_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spool = tmp_path / "spool"
    spool.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(spool))
    papers = [{**PAPER, "paper_id": f"p{n}", "year": None if n else 2030} for n in range(70)]
    parquet.write_table(pa.Table.from_pylist(papers), tmp_path / "papers.parquet")
    reviews = [
        {"review_id": "r1", "paper_id": "p69", "sections": {"a": "One.", "b": None}, "rating": 3.0},
        {"review_id": "r2", "paper_id": "p0", "sections": {"a": None, "b": "Two."}, "rating": None},
    ]
    parquet.write_table(pa.Table.from_pylist(reviews), tmp_path / "reviews.parquet")
    found = read_collection(tmp_path)
    assert [review.fields for review in found.reviews] == [{"a": "One."}, {"b": "Two."}]
    assert found.paper("p69").source == "parquet"
    assert found.paper("p0").year == 2030
    del found
    assert list(spool.iterdir()) == []


@pytest.mark.parametrize("name", ["papers", "reviews"])
def test_a_table_in_two_formats_is_refused_by_name(tmp_path: Path, name: str) -> None:
    write(tmp_path, [PAPER], [REVIEW])
    parquet.write_table(pa.Table.from_pylist([{"paper_id": "p2"}]), tmp_path / f"{name}.parquet")

    for place in (tmp_path, tmp_path / ("papers.jsonl" if name == "reviews" else "reviews.jsonl")):
        with pytest.raises(
            InputError, match=rf"{name}\.jsonl and {name}\.parquet.*; take"
        ) as raised:
            read_collection(place)
        assert raised.value.file == tmp_path
    if name == "reviews":
        with pytest.raises(InputError, match=r"reviews\.parquet"):
            read_materials(tmp_path)


@pytest.mark.parametrize("kind", ["binary", "large_binary"])
def test_texts_that_parquet_holds_as_bytes_are_read_as_utf8(tmp_path: Path, kind: str) -> None:
    review = {"review_id": "r", "paper_id": "p", "text": "Grün is missing."}
    write_bytes(tmp_path / "papers.parquet", [{"paper_id": "p", "text": "We light lamps."}], kind)
    write_bytes(tmp_path / "reviews.parquet", [review, {**review, "review_id": "s"}], kind)
    nested = pa.Table.from_pylist([{"review_id": "r", "sections": {"weaknesses": "Grün".encode()}}])
    parquet.write_table(nested, tmp_path / "boxes.parquet")

    found = read_collection(tmp_path)

    assert [one.review_id for one in found.reviews] == ["r", "s"]
    assert found.reviews[0].fields == {"text": review["text"]}
    assert found.paper("p").text.startswith("We light lamps.")
    (row,) = RecordFile.of(tmp_path / "boxes.parquet").rows()
    assert row.record == {"review_id": "r", "sections": {"weaknesses": "Grün"}}


@pytest.mark.parametrize("kind", ["binary", "string"])
def test_bytes_that_are_no_text_are_refused_by_file_row_and_column(
    tmp_path: Path, kind: str
) -> None:
    reviews = [
        {"review_id": name, "paper_id": "p", "text": "There is no ablation."} for name in "rs"
    ]
    reviews += [{"review_id": "t", "paper_id": "p", "text": b"Gr\xfcn is missing."}]
    write_bytes(
        tmp_path / "papers.parquet", [{"paper_id": "p", "text": "We light lamps."}], "binary"
    )
    write_bytes(tmp_path / "reviews.parquet", reviews, kind)

    with pytest.raises(InputError, match="UTF-8") as raised:
        read_collection(tmp_path)
    found = read_collection(tmp_path, skip_bad_lines=True)

    assert raised.value.file == tmp_path / "reviews.parquet"
    assert (raised.value.line, raised.value.field) == (3, "text")
    assert [one.review_id for one in found.reviews] == ["r", "s"]
    assert [one.line for one in found.skipped] == [3]


def write_bytes(file: Path, records: list[dict[str, Any]], kind: str) -> None:
    """A Parquet file whose columns hold their texts as bytes, or bytes as texts."""
    columns = {
        name: pa.array(
            [one[name] if isinstance(one[name], bytes) else one[name].encode() for one in records],
            "large_binary" if kind == "large_binary" else "binary",
        )
        for name in records[0]
    }
    if kind == "string":  # as a careless writer declares it
        columns = {name: pa.Array.from_buffers(pa.string(), len(column), column.buffers())
                   for name, column in columns.items()}  # fmt: skip
    parquet.write_table(pa.table(columns), file)


def test_sections_may_be_json_text_or_a_list(tmp_path: Path) -> None:
    reviews = [
        {**REVIEW, "sections": json.dumps({"a": ["One.", "Two."]}), "rating": "6: weak"},
        {**REVIEW, "review_id": "r2", "sections": [{"name": "a", "text": "One."}], "rating": None},
        {"review_id": 3, "paper_id": "p1", "text": "All in one.", "sections": None},
    ]
    found = read_collection(write(tmp_path, [PAPER], reviews)).reviews
    assert found[0].fields == {"a": "- One.\n- Two."}
    assert found[1].fields == {"a": "One."}
    assert (found[2].review_id, found[2].fields) == ("3", {"text": "All in one."})


def test_unknown_fields_are_named_once_per_file(tmp_path: Path) -> None:
    papers = [{**PAPER, "colour": 1}, {**PAPER, "paper_id": "p2", "shade": 2}]
    (warning,) = read_collection(write(tmp_path, papers, [REVIEW])).warnings
    assert warning.endswith("papers.jsonl: unknown fields are ignored: colour, shade")


LONG = "The pond is never ablated, so that nobody can tell where the gain in Table 3 comes from."


def test_boxes_of_a_form_that_is_not_known_are_said_once_and_read(tmp_path: Path) -> None:
    reviews = [
        {
            "review_id": f"r{n}",
            "paper_id": "p1",
            "sections": {"Gutachten": LONG, "weaknesses": LONG},
        }
        for n in range(3)
    ]
    found = read_collection(write(tmp_path, [PAPER], reviews))

    (warning,) = found.warnings
    assert "form that is not known are read as free text" in warning
    assert "'Gutachten' (3)" in warning
    assert "weaknesses" not in warning
    assert {box for one in found.reviews for box in one.fields} == {"Gutachten", "weaknesses"}


def test_texts_beside_no_sections_are_read_as_boxes(tmp_path: Path) -> None:
    review = {"review_id": "r", "paper_id": "p1", "my_remarks": LONG, "cons": "No code.",
              "abstract": LONG, "grade": "B"}  # fmt: skip
    found = read_collection(write(tmp_path, [PAPER], [review]))

    assert found.reviews[0].fields == {"my_remarks": LONG, "cons": "No code."}
    ignored, boxes = found.warnings
    assert "unknown fields are ignored: abstract, grade" in ignored
    assert "'my_remarks' (1)" in boxes


def test_a_text_beside_sections_is_named_with_how_to_have_it_read(tmp_path: Path) -> None:
    review = {**REVIEW, "to_the_chairs": LONG, "shade": "red"}
    (warning,) = read_collection(write(tmp_path, [PAPER], [review, review | {"review_id": "r9"}])
                                 ).warnings  # fmt: skip

    assert "unknown fields are ignored: shade, to_the_chairs" in warning
    assert "'to_the_chairs' (2) hold long texts" in warning
    assert "`sections`" in warning


BAD_PAPERS = [
    ({"title": "x", "text": "y"}, "papers.jsonl:2: field 'paper_id': is missing"),
    ({**PAPER, "paper_id": "p2", "text": ["x"]}, "field 'text': input should be a valid string"),
    ({**PAPER, "paper_id": "p2", "year": "soon"}, "field 'year'"),
    (PAPER, "'p1' is also on line 1"),
    ({"paper_id": "p2", "text": "  "}, "field 'text': paper 'p2' has no text"),
    ({"paper_id": "p2", "pdf": "none.pdf"}, "field 'pdf': there is no file"),
    ('{"paper_id": "p2", "te', "papers.jsonl:2: is cut off"),
    ("{'paper_id': 3}", "papers.jsonl:2: is not JSON"),
    ("[1, 2]", "papers.jsonl:2: is list, not a JSON object"),
]
BAD_REVIEWS = [
    ({**REVIEW, "review_id": "r2", "paper_id": "p9"}, "there is no usable paper 'p9'"),
    (REVIEW, "'r1' is also on line 1"),
    ({**REVIEW, "review_id": "r2", "sections": {"a": " "}}, "review 'r2' is empty"),
    ({**REVIEW, "review_id": "r2", "sections": "{oops"}, "field 'sections'"),
    ({**REVIEW, "review_id": "r2", "sections": 4}, "field 'sections'"),
    ({"review_id": "r2", "text": "x"}, "field 'paper_id': is missing"),
]


@pytest.mark.parametrize(
    ("papers", "reviews", "problem"),
    [([PAPER, bad], [REVIEW], problem) for bad, problem in BAD_PAPERS]
    + [([PAPER], [REVIEW, bad], problem) for bad, problem in BAD_REVIEWS],
)
def test_a_bad_line_is_an_error_or_skipped_and_listed(
    tmp_path: Path, papers: list[object], reviews: list[object], problem: str
) -> None:
    folder = write(tmp_path, papers, reviews)
    with pytest.raises(InputError) as caught:
        read_collection(folder)
    assert problem in str(caught.value)
    assert caught.value.line == 2
    assert caught.value.cure
    found = read_collection(folder, skip_bad_lines=True)
    assert (len(found.papers), len(found.reviews), len(found.skipped)) == (1, 1, 1)


def test_lines_that_are_not_utf8_are_bad(tmp_path: Path) -> None:
    folder = write(tmp_path, [PAPER], [REVIEW])
    with (folder / "papers.jsonl").open("ab") as file:
        file.write(b'{"paper_id": "caf\xe9"}\n')
    with pytest.raises(InputError, match="is not UTF-8"):
        read_collection(folder)


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("reviews.jsonl", (json.dumps(REVIEW) + "\n").encode("utf-16"), "is text in UTF-16"),
        ("reviews.csv", "review_id,paper_id,text\nr1,p1,Why?\n".encode("utf-16"), "UTF-16.*iconv"),
        ("reviews.jsonl", b"PK\x03\x04" + bytes(90), "unpack it"),
    ],
)
def test_tables_that_are_no_text_are_called_what_they_are(
    tmp_path: Path, name: str, data: bytes, said: str
) -> None:
    folder = write(tmp_path, [PAPER], [REVIEW])
    (folder / "reviews.jsonl").unlink()
    (folder / name).write_bytes(data)
    with pytest.raises(InputError, match=said):
        read_collection(folder)


def test_lone_surrogates_become_replacement_characters(tmp_path: Path) -> None:
    papers = ['{"paper_id": "p1", "text": "A lamp \\ud83d burns."}']
    reviews = ['{"review_id": "r1", "paper_id": "p1", "text": "Why \\udc00?"}']
    found = read_collection(write(tmp_path, papers, reviews))
    assert found.paper("p1").text == "A lamp \ufffd burns."
    assert found.reviews[0].fields == {"text": "Why \ufffd?"}


def test_missing_places_are_named_with_a_cure(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such folder"):
        read_collection(tmp_path / "none")
    with pytest.raises(
        InputError, match=r"has no papers\.jsonl or papers\.parquet and is empty; give a"
    ):
        read_collection(tmp_path)
    (tmp_path / "papers.jsonl").write_text(json.dumps(PAPER))
    with pytest.raises(InputError, match=r"has no reviews\.jsonl"):
        read_collection(tmp_path)
    (tmp_path / "reviews.jsonl").write_text("")
    with pytest.raises(InputError, match="holds no reviews"):
        read_collection(tmp_path)
    (tmp_path / "notes.txt").write_text("x")
    with pytest.raises(InputError, match="neither papers nor reviews"):
        read_collection(tmp_path / "notes.txt")


def test_a_file_that_changed_is_not_read(tmp_path: Path) -> None:
    found = read_collection(write(tmp_path, [PAPER], [REVIEW]))
    write(tmp_path, [{**PAPER, "paper_id": "zz"}], [REVIEW])
    with pytest.raises(InputError, match="has changed"):
        found.paper("p1")
    with pytest.raises(InputError, match="there is no paper 'p9'"):
        found.paper("p9")


def test_one_paper_and_one_review_make_a_collection(tmp_path: Path) -> None:
    paper, review = tmp_path / "lamps.txt", tmp_path / "mine.md"
    paper.write_text("LAMPS\n\nABSTRACT\n\nWe light lamps.\n")
    review.write_text("Weaknesses:\r\n- Too dark.\n")
    found = single(paper, review, year=2031)
    assert found.paper("lamps").year == 2031
    assert found.reviews[0].fields == {"text": "Weaknesses:\n- Too dark.\n"}
    assert (found.reviews[0].review_id, found.reviews[0].paper_id) == ("mine", "lamps")
    structured = tmp_path / "one.json"
    structured.write_text(json.dumps(REVIEW, indent=1))
    assert single(paper, structured).reviews[0].fields == REVIEW["sections"]
    review.write_text(" ")
    with pytest.raises(InputError, match="is empty"):
        single(paper, review)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("folder", "papers", "reviews"), [("sample12", 12, 36), ("batch100", 100, 300)]
)
def test_the_real_collections_are_read(folder: str, papers: int, reviews: int) -> None:
    path = SHARED / "iclr2022" / folder
    if not path.is_dir():
        pytest.skip(f"the development data is not there: {path}")
    found = read_collection(path)
    assert (len(found.papers), len(found.reviews)) == (papers, reviews)
    assert not found.warnings
    paper = found.paper(next(iter(found.papers)))
    assert len(paper.sections) > 5
