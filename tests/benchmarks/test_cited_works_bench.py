"""The benchmark of cited works, on invented reviews."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.cited_works import counted, main, read_works
from reviewscore.errors import InputError
from reviewscore.sources.collection import read_collection
from tests.runs.conftest import frogs

READ = """review_id,work,in_paper,entry
r1,Frogman (2019),yes,Listening to ponds
r1,Counting Newts in Caves,no,
r1,the deep paper,yes,Depths
r2,Frogman (2019),no,
"""


@pytest.fixture
def read(tmp_path: Path) -> tuple[Path, Path]:
    weaknesses = 'As Frogman (2019) says. You omit "Counting Newts in Caves" (Olm, 2020).'
    data = frogs(
        tmp_path / "data",
        [{"sections": {"weaknesses": weaknesses}}, {"sections": {"weaknesses": weaknesses}}],
    )
    file = tmp_path / "read.csv"
    file.write_text(READ)
    return file, data


def test_works_are_counted_as_found_and_right(read: tuple[Path, Path]) -> None:
    file, data = read

    (one,) = counted(read_works(file), read_collection(data))

    assert (one.read, one.found, one.right) == (4, 3, 2)


def test_both_shares_are_printed(
    read: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    main([str(path) for path in read])

    said = capsys.readouterr().out
    assert "found: 75.0%" in said
    assert "matched right: 66.7%" in said
    assert "not found: r1: the deep paper" in said


def test_a_line_that_says_neither_yes_nor_no_is_named(tmp_path: Path) -> None:
    file = tmp_path / "read.csv"
    file.write_text("review_id,work,in_paper,entry\nr1,x,perhaps,\n")

    with pytest.raises(InputError, match=r"read\.csv:2: needs"):
        read_works(file)
