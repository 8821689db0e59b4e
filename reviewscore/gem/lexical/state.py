"""What a primed model is, and its file."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reviewscore.errors import InputError, RunFolderError
from reviewscore.gem.lexical.background import Counts, Often
from reviewscore.gem.lexical.persistence import Persistence
from reviewscore.gem.lexical.spelling import SHAPE
from reviewscore.gem.lexical.vocabulary import MARKS, Floats, Ints

VERSION = 4
SUFFIX = ".npz"
_CURE = "prime it again with `reviewscore gem prime`"


@dataclass(frozen=True)
class State:
    """A primed model.

    Attributes:
        words: The vocabulary without the marks, sorted.
        spelling: Counts of letters of unseen words.
        content: Shape (vocabulary,); which words have content.
        stems: Shape (vocabulary,); words with equal numbers have one stem.
        counts: Of the background.
        persistence: How likely words come back.
        shares: Of the mixture's components in each regime.
        form: Which form of reviews it was learned from.
        papers: Keys of the papers it was learned from, which it must not score.
        reviews: Their reviews.
    """

    words: list[str]
    spelling: Floats
    content: NDArray[np.bool_]
    stems: Ints
    counts: Counts
    persistence: Persistence
    shares: Floats
    form: str
    papers: frozenset[int]
    reviews: int


def paper_key(paper_id: str) -> int:
    """A number for a paper's identifier."""
    return int.from_bytes(blake2b(paper_id.encode(), digest_size=8).digest())


def save(state: State, path: Path) -> None:
    """Write a model as npz; nothing in it is code.

    Raises:
        RunFolderError: The file cannot be written, or its name says that it is something else.
    """
    if path.suffix.lower() != SUFFIX:
        raise RunFolderError(f"{path}: name it {path.name}{SUFFIX}")
    counts, persistence = state.counts, state.persistence
    about = {
        "version": VERSION,
        "form": state.form,
        "reviews": state.reviews,
        "length": persistence.length,
    }
    used = np.flatnonzero(state.spelling)
    arrays = {
        "about": _text(json.dumps(about)),
        "papers": np.array(sorted(state.papers), dtype=np.uint64),
        "words": _text("".join(f"{word}\n" for word in state.words)),
        "spelling_at": used.astype(np.uint32),
        "spelling": state.spelling.reshape(-1)[used].astype(np.uint32),
        "content": np.packbits(state.content),
        "stems": state.stems.astype(np.uint32),
        "excess": persistence.excess.astype(np.float32),
        "stances": persistence.stances,
        "shares": state.shares,
        "discounts": counts.discounts,
        "triples": np.diff(counts.triples, prepend=0),
        "pairs": np.diff(counts.pairs, prepend=0),
        **{
            name: getattr(counts, name).astype(np.uint32)
            for name in ("triple_counts", "triple_totals", "pair_counts", "pair_totals", "singles")
        },
    }
    part = path.with_name(f".{path.name}.{uuid.uuid4().hex}")  # others may write the same file
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with part.open("wb") as file:
                np.savez_compressed(file, **arrays)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise RunFolderError(f"{path}: {error.strerror}") from error


def load(path: Path) -> State:
    """Read a model.

    Raises:
        InputError: The file is not a model of this version.
    """
    try:
        with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        about = json.loads(_untext(arrays["about"]))
        if about.get("version") != VERSION:
            raise InputError("is a model of another version", file=path, cure=_CURE)
        return _state(arrays, about)
    except InputError:
        raise
    except FileNotFoundError as error:
        raise InputError("there is no such file", file=path, cure=_CURE) from error
    except Exception as error:  # zip, numpy and json each have errors of their own
        raise InputError(f"is not a primed model: {error}", file=path, cure=_CURE) from error


def _state(arrays: dict[str, NDArray[np.generic]], about: dict[str, Any]) -> State:
    words = _untext(arrays["words"]).split("\n")[:-1]
    size = len(words) + len(MARKS)
    letters = np.zeros(SHAPE)
    letters.reshape(-1)[_ints(arrays["spelling_at"])] = arrays["spelling"]
    return State(
        words=words,
        spelling=letters,
        content=np.unpackbits(np.asarray(arrays["content"], dtype=np.uint8))[:size].astype(
            np.bool_
        ),
        stems=_ints(arrays["stems"]),
        counts=Counts(
            triples=_ints(arrays["triples"]).cumsum(),
            pairs=_ints(arrays["pairs"]).cumsum(),
            triple_counts=_often(arrays["triple_counts"]),
            triple_totals=_ints(arrays["triple_totals"]),
            pair_counts=_often(arrays["pair_counts"]),
            pair_totals=_ints(arrays["pair_totals"]),
            singles=_ints(arrays["singles"]),
            discounts=_floats(arrays["discounts"]),
        ),
        persistence=Persistence(
            _floats(arrays["excess"]), _floats(arrays["stances"]), float(about["length"])
        ),
        shares=_floats(arrays["shares"]),
        form=str(about["form"]),
        papers=frozenset(np.asarray(arrays["papers"], dtype=np.uint64).tolist()),
        reviews=int(about["reviews"]),
    )


def _ints(array: NDArray[np.generic]) -> Ints:
    return np.asarray(array, dtype=np.int64)


def _often(array: NDArray[np.generic]) -> Often:
    return np.asarray(array, dtype=np.int32)


def _floats(array: NDArray[np.generic]) -> Floats:
    return np.asarray(array, dtype=np.float64)


def _text(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode(errors="surrogatepass"), dtype=np.uint8)


def _untext(array: NDArray[np.generic]) -> str:
    return np.asarray(array, dtype=np.uint8).tobytes().decode(errors="surrogatepass")
