"""``lexical-cache`` as an evaluation model: the mixture, the primed model and its file.

Which share each distribution has in the mixture is learned by expectation maximisation. The
components are the background; words, pairs and triples of the reference's own history, of the
candidate, and of the synopsis. Where a component has nothing to say its share goes to the others:
every set of components that can speak (a *regime*) has shares of its own, so that the mixture sums
to one in each.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reviewscore.errors import InputError, RunFolderError
from reviewscore.gem.evaluation import LogProbability, Question
from reviewscore.gem.lexical.background import BackgroundModel, Often, WordCounts
from reviewscore.gem.lexical.caches import Cache, Kin, Persistence, ReferenceText
from reviewscore.gem.lexical.words import (
    MARKS,
    SHAPE,
    CodedWords,
    Floats,
    Ints,
    Vocabulary,
    WordSpelling,
    lines_of,
)
from reviewscore.sources.spooled import SpooledList

COMPONENTS = (
    "background",
    *(
        f"{whose} {size}"
        for whose in ("own", "candidate", "synopsis")
        for size in ("words", "pairs", "triples")
    ),
)
REGIMES = 1 << (len(COMPONENTS) - 1)
_EACH = 3
_SHARE_PRIOR = 200.0
"""How many words the mean over regimes counts for in each of them."""
_STEPS = 60
_SETTLED = 1e-5
"""Change of the shares from which on they count as found."""


def components(
    reference: ReferenceText, candidate: Cache | None, synopsis: Cache | None
) -> tuple[Floats, Ints]:
    """Probabilities of a reference's words under each component.

    Returns:
        Shape (components, n), and the regime of each word, shape (n,).
    """
    values = np.zeros((len(COMPONENTS), len(reference)))
    values[0] = reference.background
    regime = np.zeros(len(reference), dtype=np.int64)
    sources = (
        (reference.own, reference.own_known),
        candidate.components(reference) if candidate else None,
        synopsis.components(reference) if synopsis else None,
    )
    for number, source in enumerate(sources):
        if source is None:
            continue
        for size, (value, known) in enumerate(zip(*source, strict=True)):
            place = number * _EACH + size
            values[1 + place] = value
            regime += np.multiply(known, 1 << place)
    return values, regime


def log_probability(values: Floats, regime: Ints, shares: Floats) -> float:
    """Natural logarithm of a text's probability.

    Args:
        values: Shape (components, n).
        regime: Shape (n,).
        shares: Shape (regimes, components), rows sum to 1.
    """
    return float(np.log(np.einsum("nk,kn->n", shares[regime], values)).sum())


def learn_shares(samples: Iterable[tuple[Floats, Ints]]) -> Floats:
    """Shares of the components in every regime.

    Args:
        samples: What `components` gave for texts that the background has not seen.

    Returns:
        Shape (regimes, components), rows sum to 1; 0 for components that cannot speak.
    """
    waiting = SpooledList[Floats]()
    regimes = []
    for part, known in samples:
        waiting.append(part)
        regimes.append(known)
    regime = np.concatenate(regimes)
    order = np.argsort(regime, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    regime = regime[order]
    values = np.empty((len(COMPONENTS), len(order)))
    at = 0
    for part in waiting:  # each to its regime: they are held once
        values[:, place[at : at + part.shape[1]]] = part
        at += part.shape[1]
    seen, starts = np.unique(regime, return_index=True)
    ends = [*starts[1:], len(regime)]
    speak = _can_speak()
    weight = np.zeros(len(COMPONENTS))
    mass = np.zeros(len(COMPONENTS))
    for number, begin, end in zip(seen.tolist(), starts, ends, strict=True):
        shares = _fit(values[:, begin:end], speak[number] / speak[number].sum(), 1.0)
        mass += shares * (end - begin)
        weight += speak[number] * (end - begin)
    mean = mass / np.maximum(weight, 1.0)
    table = speak * mean
    table[:, 0] += 1.0 - table.sum(axis=1)
    table[:, 0] = np.maximum(table[:, 0], 0.05)  # many may speak at once: none takes it all
    table /= table.sum(axis=1, keepdims=True)
    for number, begin, end in zip(seen.tolist(), starts, ends, strict=True):
        table[number] = _fit(values[:, begin:end], table[number], _SHARE_PRIOR)
    return table


def _can_speak() -> Floats:
    """Shape (regimes, components): 1 for the components of each regime."""
    numbers = np.arange(REGIMES)[:, None]
    bits: NDArray[np.int64] = (numbers >> np.arange(len(COMPONENTS) - 1)) & 1
    return np.concatenate([np.ones((REGIMES, 1)), bits], axis=1)


def _fit(values: Floats, start: Floats, prior: float) -> Floats:
    """Shares by expectation maximisation, drawn to where they start."""
    shares = start
    used = start > 0
    inside = values[used]
    joint = np.empty_like(inside)
    pseudo = start[used] * prior
    now = shares[used]
    for _ in range(_STEPS):
        np.multiply(now[:, None], inside, out=joint)
        joint /= np.maximum(joint.sum(axis=0), 1e-300)
        claims = joint.sum(axis=1) + pseudo
        before, now = now, claims / claims.sum()
        if np.abs(now - before).max() < _SETTLED:
            break
    out = np.zeros(len(start))
    out[used] = now
    return out


VERSION = 4
SUFFIX = ".npz"
_CURE = "prime it again with `reviewscore gem prime`"


@dataclass(frozen=True)
class ModelState:
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
    counts: WordCounts
    persistence: Persistence
    shares: Floats
    form: str
    papers: frozenset[int]
    reviews: int


def paper_key(paper_id: str) -> int:
    """A number for a paper's identifier."""
    return int.from_bytes(blake2b(paper_id.encode(), digest_size=8).digest())


def save(state: ModelState, path: Path) -> None:
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


def load(path: Path) -> ModelState:
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


def _state(arrays: dict[str, NDArray[np.generic]], about: dict[str, Any]) -> ModelState:
    words = _untext(arrays["words"]).split("\n")[:-1]
    size = len(words) + len(MARKS)
    letters = np.zeros(SHAPE)
    letters.reshape(-1)[_ints(arrays["spelling_at"])] = arrays["spelling"]
    return ModelState(
        words=words,
        spelling=letters,
        content=np.unpackbits(np.asarray(arrays["content"], dtype=np.uint8))[:size].astype(
            np.bool_
        ),
        stems=_ints(arrays["stems"]),
        counts=WordCounts(
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


NAME = "lexical-cache"
_MOST_KEPT = 4096
"""Texts whose coded form is kept while questions are answered, about 100 kB each."""
_KEPT = 1024
"""Texts whose coded form is kept for the next questions."""
_MOST_UNSEEN = 1_000_000
"""Different unseen words after which the model starts afresh."""


class LexicalCache:
    """Scores words by a mixture of a background and of caches of what was read.

    Exact: the probabilities of all next words sum to one. The order of a candidate's lines does
    not matter, nor do lines that it repeats.

    Args:
        state: What was learned of a background.
    """

    name = NAME

    def __init__(self, state: ModelState) -> None:
        self.state = state
        self.vocabulary = vocabulary = Vocabulary(state.words, WordSpelling(state.spelling))
        self.background = background = BackgroundModel(state.counts, state.content)
        self.kin = kin = Kin(state.stems, state.content)

        # None of these holds the model itself: it goes, with all it has kept, when it is let go.
        @lru_cache(_MOST_KEPT)
        def code(text: str) -> CodedWords:
            return vocabulary.code(lines_of(text))

        @lru_cache(_MOST_KEPT)
        def read(text: str) -> Cache:
            return Cache(code(text), state.persistence, state.content, vocabulary, kin)

        @lru_cache(_MOST_KEPT)
        def refer(text: str) -> ReferenceText:
            return ReferenceText(code(text), background, vocabulary)

        self._code, self._read, self._refer = code, read, refer

    @classmethod
    def load(cls, path: Path) -> LexicalCache:
        """Read a primed model.

        Raises:
            InputError: The file is not one.
        """
        return cls(load(path))

    def answers(self, questions: Sequence[Question]) -> list[LogProbability]:
        """Log-probability of each reference in nats; a text without words is refused."""
        probabilities = [self._answer(question) for question in questions]
        if self._code.cache_info().currsize > _KEPT:
            self._let_go()
        return probabilities

    def _answer(self, question: Question) -> LogProbability:
        if self.vocabulary.unseen > _MOST_UNSEEN:
            self._forget()
        reference = self._refer(question.reference)
        if not len(reference):
            return LogProbability(None, 0, "the reference has no words")
        candidate = None if question.candidate is None else self._read(question.candidate)
        synopsis = None if question.synopsis is None else self._read(question.synopsis)
        values, regime = components(reference, candidate, synopsis)
        return LogProbability(log_probability(values, regime, self.state.shares), len(reference))

    def _forget(self) -> None:
        self._let_go()
        self.vocabulary.forget()

    def _let_go(self) -> None:
        for kept in (self._code, self._read, self._refer):
            kept.cache_clear()
