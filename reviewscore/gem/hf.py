"""Causal language models of Hugging Face as evaluation models, on this machine.

What questions share is read once: the prompt up to the candidate for all candidates on a paper,
the whole context for all references that follow it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby

from reviewscore.gem.evaluation import Answer, Question
from reviewscore.gem.hf_loading import CAUSAL, Loaded, Loading, load
from reviewscore.gem.hf_passes import BUDGET, Memory, OutOfMemoryError, PassError, Passes
from reviewscore.gem.hf_tokens import Ids, Tokens

_MOST_TOLD = 200
"""Characters shown of a failure."""


class _Asked:
    """A question as tokens, which may be asked at several places."""

    __slots__ = ("context", "places", "reference", "stem")

    def __init__(self, stem: Ids, context: Ids, reference: Ids) -> None:
        self.stem, self.context, self.reference = stem, context, reference
        self.places: list[int] = []


def open_model(name: str, loading: Loading | None = None) -> HuggingFaceModel:
    """An evaluation model by name.

    Args:
        name: ``hf/NAME``, a name at the hub, or a local folder.
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
    float64. Equal questions are computed once, and questions are put into one order of their own
    before they are batched, so that their order changes nothing.

    Args:
        loaded: The model (`hf_loading.load`), which others may use too.
        chat: Put the prompt into the model's chat template, if it has one.
        budget: Tokens that one pass reads at most; the lower, the less memory is used.

    Raises:
        SettingsError: The model's chat template cannot be used.
    """

    def __init__(self, loaded: Loaded, *, chat: bool = True, budget: int = BUDGET) -> None:
        self.name, self._limit = loaded.name, loaded.limit
        self.tokens = Tokens(loaded.tokenizer, chat=chat)
        self._passes = Passes(loaded.model, loaded.device, budget=budget)
        self._budget = budget

    def answers(self, questions: Sequence[Question]) -> list[Answer]:
        """One answer for each question, in order."""
        answers: list[Answer] = [Answer(None)] * len(questions)
        asked: dict[tuple[Ids, Ids], _Asked] = {}
        for place, question in enumerate(questions):
            stem, context = self.tokens.stem_and_context(question)
            reference = self.tokens.reference(question)
            if (refusal := self._refusal(context, reference)) is not None:
                answers[place] = refusal
                continue
            one = asked.setdefault((context, reference), _Asked(stem, context, reference))
            one.places.append(place)
        for one, answer in self._answered(list(asked.values())):
            for place in one.places:
                answers[place] = answer
        return answers

    def _refusal(self, context: Ids, reference: Ids) -> Answer | None:
        if not reference:
            return Answer(None, 0, "the reference is empty")
        whole, count = len(context) + len(reference), len(reference)
        if self._limit is not None and whole > self._limit:
            told = f"prompt and reference have {whole} tokens, the model reads {self._limit}"
            return Answer(None, count, told)
        return None

    def _answered(self, asked: list[_Asked]) -> Iterator[tuple[_Asked, Answer]]:
        """Each question with its answer, those that share a beginning one after the other."""
        asked.sort(key=lambda one: (one.stem, one.context, len(one.reference), one.reference))
        for stem, of_stem in groupby(asked, key=lambda one: one.stem):
            shared: Memory | None = None
            for context, of_context in groupby(of_stem, key=lambda one: one.context):
                group = list(of_context)
                try:
                    shared = shared or self._passes.read(stem[:-1], Memory())
                    memory = self._passes.read(context[:-1], shared)
                except (OutOfMemoryError, PassError) as error:
                    yield from ((one, _failed(one, error)) for one in group)
                    continue
                for batch in self._batches(group):
                    yield from self._scored(context, memory, batch)

    def _batches(self, group: list[_Asked]) -> Iterator[list[_Asked]]:
        """Questions with one context, shortest reference first, as many as one pass reads."""
        batch: list[_Asked] = []
        for one in group:
            if batch and len(one.reference) * (len(batch) + 1) > self._budget:
                yield batch
                batch = []
            batch.append(one)
        if batch:
            yield batch

    def _scored(
        self, context: Ids, memory: Memory, batch: list[_Asked]
    ) -> Iterator[tuple[_Asked, Answer]]:
        """A batch with its answers; one that fails is halved, so that it spoils no other."""
        try:
            sums = self._passes.continuations(context, memory, [one.reference for one in batch])
        except (OutOfMemoryError, PassError) as error:
            if len(batch) == 1:
                yield batch[0], _failed(batch[0], error)
                return
            middle = len(batch) // 2
            yield from self._scored(context, memory, batch[:middle])
            yield from self._scored(context, memory, batch[middle:])
            return
        for one, nats in zip(batch, sums, strict=True):
            count = len(one.reference)
            if math.isnan(nats):
                told = "the model gave no finite log-probability"
                yield one, Answer(None, count, told)
            else:
                # Rounding may leave a certain token a hair above a probability of 1.
                yield one, Answer(min(nats, 0.0), count)


def _failed(one: _Asked, error: Exception) -> Answer:
    """The answer to a question whose pass failed."""
    lead = "out of memory" if isinstance(error, OutOfMemoryError) else "the model failed"
    return Answer(None, len(one.reference), f"{lead}: {str(error)[:_MOST_TOLD]}")
