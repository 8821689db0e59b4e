"""Questions as tokens, put in an order in which what they share is read once, and answered.

Equal questions are computed once. The order is the questions' own, whatever order they came in, so
that it changes nothing. A pass that fails is tried again in halves, so that it spoils no other.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Protocol

from reviewscore.gem.evaluation import Answer
from reviewscore.hf import Ids

_MOST_TOLD = 200
"""Characters shown of a failure."""


class OutOfMemoryError(Exception):
    """A pass did not fit into memory; never leaves the evaluation model."""


class PassError(Exception):
    """A pass failed; never leaves the evaluation model."""


class Memory:
    """What a model keeps of the tokens it has read.

    Attributes:
        ids: The tokens.
        kept: What the model keeps, of one row; None if nothing was read.
    """

    def __init__(self, ids: Ids = (), kept: Any = None) -> None:
        self.ids, self.kept = ids, kept


class Reading(Protocol):
    """Reads contexts and scores what follows them.

    Attributes:
        budget: Tokens that one pass reads at most, over all rows of its batch.
    """

    budget: int

    def read(self, context: Ids, memory: Memory) -> Memory:
        """What is kept of a context, of which another memory holds a beginning and stays as it is.

        Raises:
            OutOfMemoryError, PassError: The pass failed.
        """

    def continuations(self, context: Ids, memory: Memory, rows: Sequence[Ids]) -> list[float]:
        """Log-probability of each continuation of a context, in nats; NaN where it is no number.

        Args:
            context: All tokens before the continuations.
            memory: What was kept of it.
            rows: The continuations, each with at least one token.

        Raises:
            OutOfMemoryError, PassError: The pass failed.
        """


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as tokens.

    Attributes:
        stem: A beginning of the context that other contexts share.
        context: All that is read before the reference.
        reference: What is scored.
    """

    stem: Ids
    context: Ids
    reference: Ids


def answered(reading: Reading, asked: Sequence[Asked | Answer]) -> list[Answer]:
    """One answer for each question, in order; those that are answered already stay so."""
    distinct = {one for one in asked if isinstance(one, Asked)}
    known = dict(_in_order(reading, distinct))
    return [one if isinstance(one, Answer) else known[one] for one in asked]


def _in_order(reading: Reading, asked: set[Asked]) -> Iterator[tuple[Asked, Answer]]:
    ordered = sorted(asked, key=lambda one: (one.stem, one.context, len(one.reference),
                                             one.reference))  # fmt: skip
    for stem, of_stem in groupby(ordered, key=lambda one: one.stem):
        shared: Memory | None = None
        for context, of_context in groupby(of_stem, key=lambda one: one.context):
            group = list(of_context)
            try:
                shared = shared or reading.read(stem, Memory())
                memory = reading.read(context, shared)
            except (OutOfMemoryError, PassError) as error:
                yield from ((one, _failed(one, error)) for one in group)
                continue
            for batch in _batches(group, reading.budget):
                yield from _scored(reading, memory, batch)


def _batches(group: list[Asked], budget: int) -> Iterator[list[Asked]]:
    """Questions with one context, shortest reference first, as many as one pass reads."""
    batch: list[Asked] = []
    for one in group:
        if batch and len(one.reference) * (len(batch) + 1) > budget:
            yield batch
            batch = []
        batch.append(one)
    if batch:
        yield batch


def _scored(reading: Reading, memory: Memory, batch: list[Asked]) -> Iterator[tuple[Asked, Answer]]:
    try:
        rows = [one.reference for one in batch]
        sums = reading.continuations(batch[0].context, memory, rows)
    except (OutOfMemoryError, PassError) as error:
        if len(batch) == 1:
            yield batch[0], _failed(batch[0], error)
            return
        middle = len(batch) // 2
        yield from _scored(reading, memory, batch[:middle])
        yield from _scored(reading, memory, batch[middle:])
        return
    for one, nats in zip(batch, sums, strict=True):
        yield one, _answer(nats, len(one.reference))


def _answer(nats: float, tokens: int) -> Answer:
    if math.isnan(nats):
        return Answer(None, tokens, "the model gave no finite log-probability")
    # Rounding may leave a certain token a hair above a probability of 1.
    return Answer(min(nats, 0.0), tokens)


def _failed(one: Asked, error: Exception) -> Answer:
    lead = "out of memory" if isinstance(error, OutOfMemoryError) else "the model failed"
    return Answer(None, len(one.reference), f"{lead}: {str(error)[:_MOST_TOLD]}")
