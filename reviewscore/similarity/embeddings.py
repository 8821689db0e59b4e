"""Vectors of papers that some encoder has made, such as SPECTER2, read from a file.

Any encoder can be compared so without being installed here; openreview-expertise writes such files
(``paper_id``, ``embedding``) too.
"""

from __future__ import annotations

import math
from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from reviewscore.errors import InputError
from reviewscore.papers.load import input_error
from reviewscore.similarity.tabular import lines
from reviewscore.sources.system_reviews import Numbered
from reviewscore.stats.statistic import Floats

NO_VECTOR = "has no embedding"


class _EmbeddingRow(BaseModel):
    """The vector of one paper; unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    paper_id: Annotated[Numbered, Field(validation_alias=AliasChoices("paper_id", "id"))]
    embedding: Annotated[
        tuple[float, ...], Field(min_length=1, validation_alias=AliasChoices("embedding", "vector"))
    ]


@dataclass(frozen=True)
class Embeddings:
    """Vectors of papers.

    Attributes:
        rows: The row of each paper.
        table: Shape (papers, dimensions).
        file: Where they were read.
    """

    rows: dict[str, int]
    table: Floats
    file: Path


def read_embeddings(file: Path, papers: Container[str]) -> Embeddings:
    """Read vectors; those of papers that are not known are left out.

    Args:
        file: Records of paper_id and embedding, a list of numbers (.jsonl, .parquet).
        papers: The papers that are known.

    Raises:
        InputError: A line cannot be used, a paper is there twice, or vectors differ in length.
    """
    rows: dict[str, int] = {}
    found: list[Floats] = []
    for line in lines(file):
        try:
            row = _EmbeddingRow.model_validate(line.record)
        except ValidationError as error:
            raise input_error(error, file=file, line=line.number) from error
        fault = None
        if row.paper_id in rows:
            fault = f"'{row.paper_id}' is there twice"
        elif found and len(row.embedding) != len(found[0]):
            fault = f"has {len(row.embedding)} numbers, others have {len(found[0])}"
        elif not all(map(math.isfinite, row.embedding)):
            fault = "holds what is no number"
        if fault:
            raise InputError(
                fault, file=file, line=line.number, field="embedding", cure="encode the paper again"
            )
        if row.paper_id in papers:
            rows[row.paper_id] = len(found)
            found.append(np.array(row.embedding))
    if not found:
        raise InputError(
            "holds no embedding of a paper that is known", file=file,
            cure="encode the papers of the submissions and profiles",
        )  # fmt: skip
    return Embeddings(rows, np.stack(found), file)
