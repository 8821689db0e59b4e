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
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from reviewscore.errors import SettingsError
from reviewscore.gem.hf_asking import Memory, OutOfMemoryError, PassError
from reviewscore.hf import Ids, padded

if TYPE_CHECKING:
    import torch

BUDGET = 2048
"""Tokens that one pass reads at most, over all rows of its batch."""
_SAME, _SAME_IN_HALF = 1e-3, 0.3
"""Nats a token that two ways to read a text may differ by, in full and in half precision, which
comes near a third of it; a model that forgets what it has read is beyond it."""


class Passes:
    """Reads tokens with one causal model; a `hf_asking.Reading`.

    What is kept of a context is the memory of all but its last token, which is read with the
    continuations: its logits give their first tokens.

    Args:
        model: Of Transformers, in evaluation mode.
        device: Where it computes.
        budget: Tokens that one pass reads at most.
    """

    def __init__(self, model: Any, device: torch.device, *, budget: int = BUDGET) -> None:
        self._model, self._device, self.budget = model, device, max(1, budget)

    def read(self, context: Ids, memory: Memory) -> Memory:
        """What is kept of a context, of which another memory holds a beginning."""
        ids = context[:-1]
        if len(ids) == len(memory.ids):
            return memory
        with failures_named():
            cache = copy.deepcopy(memory.kept)
            for start in range(len(memory.ids), len(ids), self.budget):
                rows = padded([ids[start : start + self.budget]], self._device)
                cache = self._forward(rows, cache, logits=False).past_key_values
        return Memory(ids, cache)

    def continuations(self, context: Ids, memory: Memory, rows: Sequence[Ids]) -> list[float]:
        """Log-probability of each continuation of a context, in nats; NaN where it is no number."""
        with failures_named():
            return self._continuations(context, memory, rows)

    def check(self, name: str, ids: Ids) -> None:
        """See that the model says the same of a text read at once and in two parts.

        Args:
            name: The model's name.
            ids: Any short text, of at least four tokens.

        Raises:
            SettingsError: It does not, or keeps nothing that could be continued (models without
                keys and values; some with a recurrent state).
        """
        middle = len(ids) // 2
        first, second = ids[:middle], ids[middle:]
        try:
            (whole,) = self.continuations(ids[:1], Memory(), [ids[1:]])
            (start,) = self.continuations(ids[:1], Memory(), [first[1:]])
            (rest,) = self.continuations(first, self.read(first, Memory()), [second])
        except (PassError, AttributeError, TypeError) as error:
            raise SettingsError(f"{name} cannot go on from what it has read: {error}") from error
        import torch

        full = self._model.dtype in (torch.float32, torch.float64)
        if not abs(whole - start - rest) <= (_SAME if full else _SAME_IN_HALF) * len(ids):
            raise SettingsError(
                f"{name} says {whole:.4g} nats of a text read at once and {start + rest:.4g} of it "
                "read in two parts, so that it cannot be used"
            )

    def _continuations(self, context: Ids, memory: Memory, rows: Sequence[Ids]) -> list[float]:
        import torch

        cache = copy.deepcopy(memory.kept)
        if cache is not None and len(rows) > 1:
            cache.batch_repeat_interleave(len(rows))
        read = padded([(context[-1], *row[:-1]) for row in rows], self._device)
        wanted = padded(rows, self._device)
        lengths = torch.tensor([len(row) for row in rows], device=self._device)
        total = torch.zeros(len(rows), dtype=torch.float64, device=self._device)
        step = max(1, self.budget // len(rows))
        for start in range(0, read.shape[1], step):
            done = self._forward(read[:, start : start + step], cache, logits=True)
            cache = done.past_key_values
            found = log_probabilities(done.logits, wanted[:, start : start + step])
            places = torch.arange(start, start + found.shape[1], device=self._device)
            # A padded place may hold NaN, which no factor of zero would remove.
            total += torch.where(places < lengths[:, None], found.double(), 0.0).sum(dim=1)
        return [one if math.isfinite(one) else math.nan for one in total.tolist()]

    def _forward(self, rows: torch.Tensor, cache: Any, *, logits: bool) -> Any:
        import torch

        model = self._model if logits else self._model.base_model
        with torch.inference_mode():
            return model(input_ids=rows, past_key_values=cache, use_cache=True)


def log_probabilities(logits: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    """Log-probabilities of tokens, float32. Shape (rows, tokens).

    Args:
        logits: Shape (rows, tokens, vocabulary).
        wanted: The tokens' ids. Shape (rows, tokens).
    """
    exact = logits.float()
    picked = exact.gather(-1, wanted[..., None])[..., 0]
    return picked - exact.logsumexp(dim=-1)


@contextmanager
def failures_named() -> Iterator[None]:
    """Name the failures of PyTorch: out of memory, or another one.

    Raises:
        OutOfMemoryError, PassError: What was done inside failed.
    """
    import torch

    try:
        yield
    except (torch.OutOfMemoryError, MemoryError) as error:
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        raise OutOfMemoryError(str(error)) from error
    except (RuntimeError, IndexError) as error:
        if "not enough memory" in str(error):  # how CPUs say it
            raise OutOfMemoryError(str(error)) from error
        raise PassError(str(error)) from error
