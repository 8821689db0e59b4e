"""Vectors of papers by an encoder: from a file, or by one of Hugging Face that the user names.

A file (``paper_id``, ``embedding``) may come from any encoder, such as SPECTER2, not installed
here; openreview-expertise writes such files too. Of an encoder that is, a
paper is its title, the tokenizer's separator and its abstract, as SPECTER's authors feed it
(arXiv 2004.07180, sec. 3.1); its vector is that of the first token, or the mean over tokens, as
sentence encoders take it. Adapters are not loaded: SPECTER2's have to be merged into the weights.
"""

from __future__ import annotations

import json
import math
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from reviewscore.errors import InputError, SettingsError
from reviewscore.files import write_whole
from reviewscore.hf.models import Ids, Loaded, TokenReader, padded
from reviewscore.similarity.corpus import Publication, lines
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
    value_groups: list[Floats] = []
    for line in lines(file):
        row = line.validated(_EmbeddingRow)
        fault = None
        if row.paper_id in rows:
            fault = f"'{row.paper_id}' is there twice"
        elif value_groups and len(row.embedding) != len(value_groups[0]):
            fault = f"has {len(row.embedding)} numbers, others have {len(value_groups[0])}"
        elif not all(map(math.isfinite, row.embedding)):
            fault = "holds what is no number"
        if fault:
            raise line.error(fault, "embedding", cure="encode the paper again")
        if row.paper_id in papers:
            rows[row.paper_id] = len(value_groups)
            value_groups.append(np.array(row.embedding))
    if not value_groups:
        raise InputError(
            "holds no embedding of a paper that is known", file=file,
            cure="encode the papers of the submissions and profiles",
        )  # fmt: skip
    return Embeddings(rows, np.stack(value_groups), file)


Taken = Literal["first", "mean"]
_AT_ONCE = 16
"""Papers in one batch."""
_LONGEST = 512
"""Tokens of a paper at most: what encoders are trained on."""


@dataclass(frozen=True)
class Encoded:
    """Vectors of papers.

    Attributes:
        vectors: By paper; papers without any text have none.
        cut: Papers that were longer than the encoder reads.
        empty: Papers without any text.
    """

    vectors: dict[str, list[float]]
    cut: tuple[str, ...]
    empty: tuple[str, ...]


def encode(papers: Sequence[Publication], loaded: Loaded, taken: Taken = "first") -> Encoded:
    """The vectors of papers.

    Args:
        papers: What is encoded, by title and abstract.
        loaded: The encoder (`hf.load` with ``ENCODER``).
        taken: Whose vector is the paper's: the first token's, or the mean of all.

    Raises:
        SettingsError: The encoder reads too few tokens for any text.
    """
    reader = TokenReader(loaded.tokenizer)
    limits = (_LONGEST, loaded.limit, loaded.tokenizer.model_max_length)
    room = (
        min(limit for limit in limits if limit is not None) - len(reader.lead) - len(reader.trail)
    )
    if room < 1:
        raise SettingsError(f"{loaded.name} reads too few tokens for any text")
    rows: dict[str, Ids] = {}
    cut, empty = [], []
    for publication in papers:
        ids = _tokens(publication, reader, loaded.tokenizer)
        if not ids:
            empty.append(publication.paper_id)
            continue
        if len(ids) > room:
            cut.append(publication.paper_id)
        rows[publication.paper_id] = (*reader.lead, *ids[:room], *reader.trail)
    vectors = dict(_vectors(rows, loaded, taken))
    return Encoded({paper: vectors[paper] for paper in rows}, tuple(cut), tuple(empty))


def _tokens(publication: Publication, reader: TokenReader, tokenizer: Any) -> Ids:
    """Title, separator, abstract; markers in either are text."""
    title, abstract = reader.foreign(publication.title), reader.foreign(publication.abstract)
    if not title or not abstract:
        return (*title, *abstract)
    if tokenizer.sep_token_id is None:
        return reader.foreign(f"{publication.title} {publication.abstract}")
    return (*title, int(tokenizer.sep_token_id), *abstract)


def _vectors(
    rows: dict[str, Ids], loaded: Loaded, taken: Taken
) -> Iterator[tuple[str, list[float]]]:
    import torch

    # Papers of one length are read together, so that little is filled up.
    order = sorted(rows, key=lambda paper: len(rows[paper]))
    filler = loaded.tokenizer.pad_token_id or 0
    for start in range(0, len(order), _AT_ONCE):
        some = order[start : start + _AT_ONCE]
        read = padded([rows[paper] for paper in some], loaded.device, filler=filler)
        mask = padded([(1,) * len(rows[paper]) for paper in some], loaded.device)
        with torch.inference_mode():
            states = loaded.model(input_ids=read, attention_mask=mask).last_hidden_state.float()
            if taken == "first":
                value = states[:, 0]
            else:
                weights = mask[:, :, None].to(states.dtype)
                value = (states * weights).sum(dim=1) / weights.sum(dim=1)
        yield from zip(some, value.cpu().tolist(), strict=True)


def write_embeddings(path: Path, encoded: Encoded) -> Path:
    """Write vectors, one paper a line, as `embeddings.read_embeddings` reads them."""
    lines = (
        json.dumps({"paper_id": paper, "embedding": vector})
        for paper, vector in encoded.vectors.items()
    )
    write_whole(path, "".join(f"{line}\n" for line in lines), named=True)
    return path
