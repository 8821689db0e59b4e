"""Causal language models of Hugging Face as evaluation models, on this machine.

What questions share is read once: the prompt up to the candidate for all candidates on a paper,
the whole context for all references that follow it.
"""

from __future__ import annotations

from collections.abc import Sequence

from reviewscore.gem.evaluation import Answer, Question
from reviewscore.gem.hf_asking import Asked, answered
from reviewscore.gem.hf_passes import BUDGET, Passes
from reviewscore.gem.hf_tokens import Tokens
from reviewscore.hf import CAUSAL, Loaded, Loading, load

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

    def answers(self, questions: Sequence[Question]) -> list[Answer]:
        """One answer for each question, in order."""
        return answered(self._passes, [self._asked(question) for question in questions])

    def _asked(self, question: Question) -> Asked | Answer:
        """The question as tokens, or why it is refused."""
        stem, context = self.tokens.stem_and_context(question)
        reference = self.tokens.reference(question)
        if not reference:
            return Answer(None, 0, "the reference is empty")
        whole, count = len(context) + len(reference), len(reference)
        if self._limit is not None and whole > self._limit:
            told = f"prompt and reference have {whole} tokens, the model reads {self._limit}"
            return Answer(None, count, told)
        return Asked(stem, context, reference)
