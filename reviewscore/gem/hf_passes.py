"""Forward passes of a causal language model: beginnings read once, continuations in batches.

The memory of what was read (keys and values) is copied, never shared, so that a beginning can be
continued in many ways. Continuations of one context stand in a batch on top of a copy of its
memory, padded at their ends: what stands behind a token never changes it, so that no mask is
needed. Logits are as wide as the vocabulary; so many tokens go at once that they fit, and the rest
follows on the grown memory.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from typing import Any

from reviewscore.gem.hf_tokens import Ids

BUDGET = 2048
"""Tokens that one pass reads at most, over all rows of its batch."""


class OutOfMemoryError(Exception):
    """A pass did not fit into memory; never leaves the evaluation model."""


class PassError(Exception):
    """A pass failed; never leaves the evaluation model."""


class Memory:
    """What a model remembers of the tokens it has read.

    Attributes:
        ids: The tokens.
        cache: Keys and values of one row; None if nothing was read.
    """

    def __init__(self, ids: Ids = (), cache: Any = None) -> None:
        self.ids, self.cache = ids, cache


class Passes:
    """Reads tokens with one model.

    Args:
        model: A causal language model of Transformers, in evaluation mode.
        device: Where it computes.
        budget: Tokens that one pass reads at most.
    """

    def __init__(self, model: Any, device: Any, *, budget: int = BUDGET) -> None:
        self._model, self._device, self._budget = model, device, max(1, budget)

    def read(self, ids: Ids, memory: Memory) -> Memory:
        """The memory of all of some tokens, of which another memory holds the beginning.

        Args:
            ids: Tokens; those of `memory` are a beginning of them.
            memory: What was read of them; stays as it is.

        Raises:
            OutOfMemoryError, PassError: The pass failed.
        """
        if len(ids) == len(memory.ids):
            return memory
        with _failures_named():
            cache = copy.deepcopy(memory.cache)
            for start in range(len(memory.ids), len(ids), self._budget):
                rows = self._rows([ids[start : start + self._budget]])
                cache = self._forward(rows, cache, logits=False).past_key_values
        return Memory(ids, cache)

    def continuations(self, context: Ids, memory: Memory, rows: Sequence[Ids]) -> list[float]:
        """Log-probability of each continuation of a context, in nats; NaN where it is no number.

        Args:
            context: All tokens before the continuations, at least one.
            memory: What was read of it, which is all but its last token.
            rows: The continuations, each with at least one token.

        Raises:
            OutOfMemoryError, PassError: The pass failed.
        """
        with _failures_named():
            return self._continuations(context, memory, rows)

    def _continuations(self, context: Ids, memory: Memory, rows: Sequence[Ids]) -> list[float]:
        import torch

        cache = copy.deepcopy(memory.cache)
        if cache is not None and len(rows) > 1:
            cache.batch_repeat_interleave(len(rows))
        # The context's last token is read with the rows: its logits give their first tokens.
        read = self._rows([(context[-1], *row[:-1]) for row in rows])
        wanted = self._rows(list(rows))
        lengths = torch.tensor([len(row) for row in rows], device=self._device)
        total = torch.zeros(len(rows), dtype=torch.float64, device=self._device)
        step = max(1, self._budget // len(rows))
        for start in range(0, read.shape[1], step):
            done = self._forward(read[:, start : start + step], cache, logits=True)
            cache = done.past_key_values
            found = _log_probabilities(done.logits, wanted[:, start : start + step])
            places = torch.arange(start, start + found.shape[1], device=self._device)
            # A padded place may hold NaN, which no factor of zero would remove.
            total += torch.where(places < lengths[:, None], found.double(), 0.0).sum(dim=1)
        return [one if math.isfinite(one) else math.nan for one in total.tolist()]

    def _forward(self, rows: Any, cache: Any, *, logits: bool) -> Any:
        import torch

        model = self._model if logits else self._model.base_model
        with torch.inference_mode():
            return model(input_ids=rows, past_key_values=cache, use_cache=True)

    def _rows(self, rows: Sequence[Ids]) -> Any:
        """Token ids. Shape (rows, longest row); padded with 0, which is never looked at."""
        import torch

        longest = max(map(len, rows))
        padded = [[*row, *[0] * (longest - len(row))] for row in rows]
        return torch.tensor(padded, dtype=torch.long, device=self._device)


def _log_probabilities(logits: Any, wanted: Any) -> Any:
    """Log-probabilities of tokens, float32. Shape (rows, tokens).

    Args:
        logits: Shape (rows, tokens, vocabulary).
        wanted: The tokens' ids. Shape (rows, tokens).
    """
    exact = logits.float()
    picked = exact.gather(-1, wanted[..., None])[..., 0]
    return picked - exact.logsumexp(dim=-1)


class _failures_named:  # noqa: N801 - reads as a clause
    """Name the failures of PyTorch: out of memory, or another one."""

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        import torch

        if isinstance(error, torch.OutOfMemoryError | MemoryError) or (
            isinstance(error, RuntimeError) and "not enough memory" in str(error)
        ):
            if torch.cuda.is_available():
                torch.cuda.empty_cache()
            raise OutOfMemoryError(str(error)) from error
        if isinstance(error, RuntimeError | IndexError):
            raise PassError(str(error)) from error
