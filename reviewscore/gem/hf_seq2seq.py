"""Sequence-to-sequence models of Hugging Face (BART, T5) as evaluation models.

Such a model is trained to say one text after another, so there is no prompt: the candidate goes
into the encoder, the reference is forced on the decoder, and a synopsis is not read.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from reviewscore.gem.evaluation import Answer, Question
from reviewscore.gem.hf_asking import Asked, Memory, answered
from reviewscore.gem.hf_passes import BUDGET, failures_named, log_probabilities
from reviewscore.hf import SEQ2SEQ, Ids, Loaded, Loading, Reader, load, padded
from reviewscore.papers.hygiene import without_surrogates


def open_model(name: str, loading: Loading | None = None) -> SequenceModel:
    """An evaluation model by name.

    Args:
        name: ``hf/NAME``, a name at the hub, or a local folder written as a path.
        loading: Device, precision, and whether the model may be downloaded.

    Raises:
        SettingsError: The extra ``hf`` is not installed, or the model cannot be loaded.
    """
    return SequenceModel(load(name, SEQ2SEQ, loading))


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
        self._reader = Reader(loaded.tokenizer)
        self._passes = _EncoderPasses(loaded.model, loaded.device, budget)

    def answers(self, questions: Sequence[Question]) -> list[Answer]:
        """One answer for each question, in order."""
        return answered(self._passes, [self._asked(question) for question in questions])

    def _asked(self, question: Question) -> Asked | Answer:
        source, target = self._ids(question.candidate or ""), self._ids(question.reference)
        if not target:
            return Answer(None, 0, "the reference is empty")
        if not source:
            told = "a sequence-to-sequence model needs a candidate"
            return Answer(None, len(target), told)
        longest = max(len(source), len(target))
        if self._limit is not None and longest > self._limit:
            told = f"a text has {longest} tokens, the model reads {self._limit}"
            return Answer(None, len(target), told)
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
