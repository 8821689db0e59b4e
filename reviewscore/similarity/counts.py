"""Words of full texts that come as counts."""

from __future__ import annotations

from collections.abc import Container, Mapping
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from reviewscore.errors import InputError
from reviewscore.papers.load import input_error
from reviewscore.similarity.corpus import Counts
from reviewscore.similarity.tabular import lines

_COLUMNS = ("paper_id", "word", "count")


class _CountRow(BaseModel):
    """One word of one paper."""

    model_config = ConfigDict(frozen=True, extra="ignore", coerce_numbers_to_str=True)

    paper_id: str
    word: str
    count: int = Field(ge=0)


def counts_of(known: Mapping[str, Mapping[str, int]]) -> Counts:
    """Counts from those of each paper."""
    places: dict[str, int] = {}
    rows, columns, often = [], [], []
    for row, words in enumerate(known.values()):
        for word, count in words.items():
            rows.append(row)
            columns.append(places.setdefault(word.lower(), len(places)))
            often.append(count)
    return _counts(list(known), list(places), (rows, columns, often))


def read_counts(file: Path, papers: Container[str]) -> Counts:
    """Read counts of words; those of papers that are not known are left out.

    Args:
        file: Records of paper_id, word, count.
        papers: The papers that are known.

    Raises:
        InputError: A line cannot be used.
    """
    if file.suffix.lower() == ".parquet":
        return _parquet(file, papers)
    known: dict[str, dict[str, int]] = {}
    for line in lines(file):
        try:
            row = _CountRow.model_validate(line.record)
        except ValidationError as error:
            raise input_error(error, file=file, line=line.number) from error
        if row.paper_id in papers:
            words = known.setdefault(row.paper_id, {})
            words[row.word.lower()] = words.get(row.word.lower(), 0) + row.count
    return counts_of(known)


def _parquet(file: Path, papers: Container[str]) -> Counts:
    """All columns at once: full texts have a thousand words each."""
    import pyarrow
    from pyarrow import compute, parquet

    try:
        table = parquet.read_table(file, columns=list(_COLUMNS))
        paper, word = (
            table[name].combine_chunks().cast(pyarrow.string()).dictionary_encode()
            for name in _COLUMNS[:2]
        )
        often = table["count"].combine_chunks().cast(pyarrow.int64())
        null = paper.null_count or word.null_count or often.null_count
        if null or (len(often) and compute.min(often).as_py() < 0):
            raise InputError(
                "has rows without paper, word or a count of 0 or more", file=file,
                field="count", cure="take them out",
            )  # fmt: skip
    except (pyarrow.ArrowException, KeyError, OSError) as error:
        raise InputError(
            f"is no table of {', '.join(_COLUMNS)}: {error}", file=file, cure="write it again"
        ) from error
    names = paper.dictionary.to_pylist()
    rows = paper.indices.to_numpy()
    wanted = np.array([name in papers for name in names])
    kept = wanted[rows] if len(rows) else np.zeros(0, dtype=bool)
    place = np.cumsum(wanted) - 1
    lower: dict[str, int] = {}
    column = np.array(
        [lower.setdefault(one.lower(), len(lower)) for one in word.dictionary.to_pylist()],
        dtype=np.int64,
    )
    cells = (
        place[rows[kept]], column[word.indices.to_numpy()[kept]], often.to_numpy()[kept],
    )  # fmt: skip
    return _counts([name for name in names if name in papers], list(lower), cells)


def _counts(papers: list[str], words: list[str], cells: tuple[object, object, object]) -> Counts:
    from scipy.sparse import csr_array

    rows, columns, often = (np.asarray(one) for one in cells)
    table = csr_array(
        (often.astype(np.float64), (rows.astype(np.int64), columns.astype(np.int64))),
        shape=(len(papers), len(words)),
    )
    table.sum_duplicates()
    return Counts({paper: row for row, paper in enumerate(papers)}, tuple(words), table)
