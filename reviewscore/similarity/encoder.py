"""Vectors of papers by an encoder of Hugging Face that the user names, such as SPECTER2's base.

A paper is its title, the tokenizer's separator and its abstract, as SPECTER's authors feed it
(arXiv 2004.07180, sec. 3.1); its vector is that of the first token, or the mean over tokens, as
sentence encoders take it. Adapters are not loaded: SPECTER2's have to be merged into the weights.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from reviewscore.errors import SettingsError
from reviewscore.hf import Ids, Loaded, Reader, padded
from reviewscore.similarity.corpus import Publication
from reviewscore.store.jsonl import write_whole

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
    reader = Reader(loaded.tokenizer)
    limits = (_LONGEST, loaded.limit, loaded.tokenizer.model_max_length)
    room = min(one for one in limits if one is not None) - len(reader.lead) - len(reader.trail)
    if room < 1:
        raise SettingsError(f"{loaded.name} reads too few tokens for any text")
    rows: dict[str, Ids] = {}
    cut, empty = [], []
    for one in papers:
        ids = _tokens(one, reader, loaded.tokenizer)
        if not ids:
            empty.append(one.paper_id)
            continue
        if len(ids) > room:
            cut.append(one.paper_id)
        rows[one.paper_id] = (*reader.lead, *ids[:room], *reader.trail)
    vectors = dict(_vectors(rows, loaded, taken))
    return Encoded({paper: vectors[paper] for paper in rows}, tuple(cut), tuple(empty))


def _tokens(one: Publication, reader: Reader, tokenizer: Any) -> Ids:
    """Title, separator, abstract; markers in either are text."""
    title, abstract = reader.foreign(one.title), reader.foreign(one.abstract)
    if not title or not abstract:
        return (*title, *abstract)
    if tokenizer.sep_token_id is None:
        return reader.foreign(f"{one.title} {one.abstract}")
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
                found = states[:, 0]
            else:
                weights = mask[:, :, None].to(states.dtype)
                found = (states * weights).sum(dim=1) / weights.sum(dim=1)
        yield from zip(some, found.cpu().tolist(), strict=True)


def write_embeddings(path: Path, found: Encoded) -> Path:
    """Write vectors, one paper a line, as `embeddings.read_embeddings` reads them."""
    lines = (
        json.dumps({"paper_id": paper, "embedding": vector})
        for paper, vector in found.vectors.items()
    )
    write_whole(path, "".join(f"{line}\n" for line in lines), named=True)
    return path
