"""Language models of Hugging Face as evaluation models, on this machine.

A causal model reads what questions share once: the prompt up to the candidate for all candidates
on a paper, the whole context for all references that follow it. Equal questions are computed once,
in the questions' own order. A pass that fails is tried again in halves, so that it spoils no other.

The memory of what was read (keys and values) is copied, never shared, so that a beginning can be
continued in many ways. Continuations of one context stand in a batch on top of a copy of its
memory, padded at their ends: what stands behind a token never changes it, so that no mask is
needed. Logits are as wide as the vocabulary; so many tokens go at once that they fit, and the rest
follows on the grown memory.

Sequence-to-sequence models (BART, T5) are trained to say one text after another, so there is no
prompt: the candidate goes into the encoder, the reference is forced on the decoder, and a synopsis
is not read.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, Protocol

from reviewscore.errors import SettingsError
from reviewscore.gem.evaluation import LogProbability, Question
from reviewscore.gem.layout import Layout, Turns, chat_layout, plain_layout, reference_of
from reviewscore.hf.models import CAUSAL, Ids, Loaded, Loading, TokenReader, load, padded
from reviewscore.papers.hygiene import without_surrogates

if TYPE_CHECKING:
    import torch


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


class ContextReader(Protocol):
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


def answered(
    reading: ContextReader, asked: Sequence[Asked | LogProbability]
) -> list[LogProbability]:
    """One answer for each question, in order; those that are answered already stay so."""
    distinct = {one for one in asked if isinstance(one, Asked)}
    known = dict(_in_order(reading, distinct))
    return [one if isinstance(one, LogProbability) else known[one] for one in asked]


def _in_order(reading: ContextReader, asked: set[Asked]) -> Iterator[tuple[Asked, LogProbability]]:
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


def _scored(
    reading: ContextReader, memory: Memory, batch: list[Asked]
) -> Iterator[tuple[Asked, LogProbability]]:
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


def _answer(nats: float, tokens: int) -> LogProbability:
    if math.isnan(nats):
        return LogProbability(None, tokens, "the model gave no finite log-probability")
    # Rounding may leave a certain token a hair above a probability of 1.
    return LogProbability(min(nats, 0.0), tokens)


def _failed(one: Asked, error: Exception) -> LogProbability:
    lead = "out of memory" if isinstance(error, OutOfMemoryError) else "the model failed"
    return LogProbability(None, len(one.reference), f"{lead}: {str(error)[:_MOST_TOLD]}")


BUDGET = 2048
"""Tokens that one pass reads at most, over all rows of its batch."""
_SAME, _SAME_IN_HALF = 1e-3, 0.3
"""Nats a token that two ways to read a text may differ by, in full and in half precision, which
comes near a third of it; a model that forgets what it has read is beyond it."""


class Passes:
    """Reads tokens with one causal model; a `hf_asking.ContextReader`.

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


class Tokens(TokenReader):
    """Turns the parts of the prediction prompt into tokens, each part alone.

    Tokens are never merged across the border of two parts, and the scored span is the reference's
    own tokens, whatever stands before it.

    Args:
        tokenizer: Of Transformers.
        chat: Use the tokenizer's chat template, if it has one.

    Raises:
        SettingsError: The chat template cannot be used.
    """

    def __init__(self, tokenizer: Any, *, chat: bool = True) -> None:
        super().__init__(tokenizer)
        templated = chat and getattr(tokenizer, "chat_template", None) is not None
        self.layout: Layout = chat_layout(self._template) if templated else plain_layout()
        self._first: Ids = () if templated else self.lead  # templates bring their own

    def stem_and_context(self, question: Question) -> tuple[Ids, Ids]:
        """The tokens that do not depend on the candidate, and all that stand before the reference.

        The first is a beginning of the second.
        """
        parts = [self.of(part) for part in self.layout.context(question)]
        stem = self._first + sum(parts[:3], ())
        return stem, stem + sum(parts[3:], ())

    def reference(self, question: Question) -> Ids:
        """The tokens that are scored; none for a text of blanks."""
        return self.foreign(reference_of(question))

    def _template(self, turns: Turns) -> str:
        from jinja2 import TemplateError

        try:
            return str(
                self._tokenizer.apply_chat_template(
                    turns, tokenize=False, add_generation_prompt=True
                )
            )
        except TemplateError as error:  # templates refuse roles by raising
            raise ValueError(str(error)) from error


_SAMPLE = 32
"""Tokens of the prompt on which a model is tried."""


def open_model(name: str, loading: Loading | None = None) -> HuggingFaceModel:
    """An evaluation model by name.

    Args:
        name: ``hf/NAME``, a name at the hub, or a local folder written as a path.
        loading: Device, precision, and whether the model may be downloaded.

    Raises:
        SettingsError: The extra ``hf`` is not installed, or the model cannot be loaded.
    """
    return HuggingFaceModel(load(name, CAUSAL, loading))


class HuggingFaceModel:
    """Log-probabilities of forced continuations by a causal language model.

    A question is refused, with a reason, where the whole of prompt, synopsis, candidate and
    reference has more tokens than the model's ``max_position_embeddings``: nothing is ever cut.
    A reference of blanks is refused too. Log-probabilities are computed in float32 and summed in
    float64. The order of questions changes nothing; what is asked together changes the last
    digits alone.

    Args:
        loaded: The model (`loading.load`), which others may use too.
        chat: Put the prompt into the model's chat template, if it has one.
        budget: Tokens that one pass reads at most; the lower, the less memory is used.

    Raises:
        SettingsError: The model's chat template cannot be used, or it cannot go on from what it
            has read.
    """

    def __init__(self, loaded: Loaded, *, chat: bool = True, budget: int = BUDGET) -> None:
        self.name, self._limit = loaded.name, loaded.limit
        self.tokens = Tokens(loaded.tokenizer, chat=chat)
        self._passes = Passes(loaded.model, loaded.device, budget=budget)
        self._passes.check(self.name, self.tokens.stem_and_context(Question(""))[0][:_SAMPLE])

    def answers(self, questions: Sequence[Question]) -> list[LogProbability]:
        """One answer for each question, in order."""
        return answered(self._passes, [self._asked(question) for question in questions])

    def _asked(self, question: Question) -> Asked | LogProbability:
        """The question as tokens, or why it is refused."""
        stem, context = self.tokens.stem_and_context(question)
        reference = self.tokens.reference(question)
        if not reference:
            return LogProbability(None, 0, "the reference is empty")
        whole, count = len(context) + len(reference), len(reference)
        if self._limit is not None and whole > self._limit:
            told = f"prompt and reference have {whole} tokens, the model reads {self._limit}"
            return LogProbability(None, count, told)
        return Asked(stem, context, reference)


class SequenceModel:
    """Log-probabilities of one text after another, as BARTScore takes them.

    The tokens that the tokenizer puts around a text are read and scored with it, as by BARTScore.
    There is no answer without a candidate, and none where candidate or reference has more tokens
    than the model reads: nothing is ever cut.

    Args:
        loaded: The model (`loading.load`).
        budget: Tokens that one pass reads at most; the lower, the less memory is used.
    """

    def __init__(self, loaded: Loaded, *, budget: int = BUDGET) -> None:
        self.name, self._limit = loaded.name, loaded.limit
        self._reader = TokenReader(loaded.tokenizer)
        self._passes = _EncoderPasses(loaded.model, loaded.device, budget)

    def answers(self, questions: Sequence[Question]) -> list[LogProbability]:
        """One answer for each question, in order."""
        return answered(self._passes, [self._asked(question) for question in questions])

    def _asked(self, question: Question) -> Asked | LogProbability:
        source, target = self._ids(question.candidate or ""), self._ids(question.reference)
        if not target:
            return LogProbability(None, 0, "the reference is empty")
        if not source:
            told = "a sequence-to-sequence model needs a candidate"
            return LogProbability(None, len(target), told)
        longest = max(len(source), len(target))
        if self._limit is not None and longest > self._limit:
            told = f"a text has {longest} tokens, the model reads {self._limit}"
            return LogProbability(None, len(target), told)
        return Asked((), source, target)

    def _ids(self, text: str) -> Ids:
        ids = self._reader.foreign(str(without_surrogates(text)))
        return (*self._reader.lead, *ids, *self._reader.trail) if ids else ()


class _EncoderPasses:
    """Reads sources with the encoder and scores targets with the decoder."""

    def __init__(self, model: Any, device: Any, budget: int) -> None:
        self._model, self._device, self.budget = model, device, budget

    def read(self, context: Ids, memory: Memory) -> Memory:
        """What the encoder makes of a source."""
        if len(context) == len(memory.ids):
            return memory
        import torch

        with failures_named(), torch.inference_mode():
            return Memory(context, self._model.get_encoder()(padded([context], self._device))[0])

    def continuations(self, context: Ids, memory: Memory, rows: Sequence[Ids]) -> list[float]:
        """Log-probability of each target after a source, in nats; NaN where it is no number."""
        import torch

        with failures_named(), torch.inference_mode():
            wanted = padded(rows, self._device)
            fed = self._model.prepare_decoder_input_ids_from_labels(labels=wanted)
            read = memory.kept.expand(len(rows), -1, -1)
            logits = self._model(encoder_outputs=(read,), decoder_input_ids=fed).logits
            found = log_probabilities(logits, wanted).double()
            sums = [float(found[n, : len(row)].sum()) for n, row in enumerate(rows)]
        return [one if math.isfinite(one) else math.nan for one in sums]
