"""Meta-reviews from a file of their own, or beside the reviews."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from reviewscore.errors import InputError
from reviewscore.sources.system_reviews import (
    Remark,
    meta_reviews_of,
    read_materials,
    read_meta_reviews,
)

GOOD = '{"paper_id": "p", "meta_review": "Clear."}\n'


def test_texts_are_read_by_paper_and_empty_ones_left_out(tmp_path: Path) -> None:
    file = tmp_path / "m.jsonl"
    file.write_text(GOOD + '{"paper_id": 7, "metareview": "Few\\r\\nponds."}\n{"paper_id": "q"}\n')

    assert read_meta_reviews(file) == {"p": "Clear.", "7": "Few\nponds."}


def test_a_table_is_read_too(tmp_path: Path) -> None:
    file = tmp_path / "m.parquet"
    pq.write_table(pa.table({"paper_id": ["p", "q"], "meta_review": ["Clear.", None]}), file)

    assert read_meta_reviews(file) == {"p": "Clear."}


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('{"paper_id": "p", "meta_review": "Unclear."}', r"m\.jsonl:2: .*'p' is also on line 1"),
        ('{"meta_review": "Unclear."}', "paper_id.*is missing"),
        ('{"paper_id": "q", "meta_review": 3}', "meta_review"),
        ("[]", "not a JSON object"),
    ],
)
def test_a_line_that_cannot_be_used_is_named_or_skipped(
    tmp_path: Path, line: str, problem: str
) -> None:
    file = tmp_path / "m.jsonl"
    file.write_text(f"{GOOD}{line}\n")

    with pytest.raises(InputError, match=problem):
        read_meta_reviews(file)
    assert read_meta_reviews(file, skip_bad_lines=True) == {"p": "Clear."}


@pytest.mark.parametrize("name", ["gone.jsonl", "m.odt"])
def test_another_kind_of_file_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "m.odt").write_text("paper_id,meta_review\n")

    with pytest.raises(InputError, match="no file of records"):
        read_meta_reviews(tmp_path / name)


def test_papers_bring_theirs_with_them(tmp_path: Path) -> None:
    (tmp_path / "reviews.jsonl").write_text('{"paper_id": "p", "text": "Good."}\n')
    (tmp_path / "papers.jsonl").write_text(GOOD + '{"paper_id": "q", "meta_review": " "}\n')

    assert meta_reviews_of(read_materials(tmp_path)) == {"p": "Clear."}


def test_points_that_a_record_lists_are_read_whole(tmp_path: Path) -> None:
    few, none = (
        {"polarity": "weakness", "text": " Few? Why? "},
        {"polarity": "strength", "text": " "},
    )
    points = json.dumps([{**few, "more": 1}, none])
    file = tmp_path / "reviews.jsonl"
    file.write_text(f'{{"paper_id": "p", "points": {points}}}\n')
    table = pa.table({"paper_id": ["p", "q"], "points": [points, None], "text": ["", "Good."]})
    pq.write_table(table, tmp_path / "r.parquet")

    listed = next(read_materials(file).all())
    rows = list(read_materials(tmp_path / "r.parquet").all())

    assert listed.points == (Remark("weakness", "Few? Why?"),)
    assert [one.points for one in rows] == [listed.points, ()]


@pytest.mark.parametrize("points", ['["Few."]', '[{"polarity": "doubt", "text": "x"}]', '"[x"'])
def test_points_of_another_form_are_refused(tmp_path: Path, points: str) -> None:
    file = tmp_path / "reviews.jsonl"
    file.write_text(f'{{"paper_id": "p", "text": "Good.", "points": {points}}}\n')

    with pytest.raises(InputError, match="points"):
        read_materials(file)
