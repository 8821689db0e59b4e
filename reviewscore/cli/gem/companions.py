"""Metrics beside GEM and models that write altered reviews, as flags name them."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from contextlib import ExitStack

from reviewscore.asking.questions import OpenAsker
from reviewscore.cli.gem.evaluator import Choice
from reviewscore.cli.options import settings_from
from reviewscore.cli.terminal import say
from reviewscore.errors import SettingsError
from reviewscore.gem.validation import AlteredSet, Subject
from reviewscore.likeness.pair import Metric

_PLAIN = ("bleu", "rouge-l", "compression")
_MODELLED = ("bertscore", "bartscore", "examiner")


class Companions:
    """Opens what a validation needs beside the evaluation model.

    Args:
        stack: Closes what was opened.
        choice: Device of models on this machine.
        max_usd: Spending cap of paid models.
    """

    def __init__(self, stack: ExitStack, choice: Choice, max_usd: float | None) -> None:
        self._stack, self._choice, self._max_usd = stack, choice, max_usd

    def baseline(self, named: str) -> Metric:
        """A metric by ``NAME`` or ``NAME=MODEL``.

        Raises:
            SettingsError: There is none, or its model is missing or cannot be used.
        """
        name, _, model = named.partition("=")
        if name in _PLAIN and not model:
            return _plain(name)
        if name in _MODELLED and model:
            return self._modelled(name, model)
        if name in _MODELLED:
            raise SettingsError(f"--baseline {name} needs a model: {name}=MODEL")
        raise SettingsError(
            f"unknown baseline '{named}'; there are {', '.join((*_PLAIN, *_MODELLED))}"
        )

    def altered(self, writer: str, subjects: Sequence[Subject]) -> list[AlteredSet]:
        """All alterations that a model makes.

        Raises:
            SettingsError: The model cannot be used.
            StopError: Nothing more can be asked; what was answered is on record.
        """
        from reviewscore.gem.alterations.with_model import MODEL_ALTERATIONS
        from reviewscore.gem.validation import model_altered_set

        opened = self._asker(writer)
        say(f"{len(MODEL_ALTERATIONS)} alterations by {writer}")
        return [model_altered_set(one, subjects, opened) for one in MODEL_ALTERATIONS]

    def _modelled(self, name: str, model: str) -> Metric:
        if name == "examiner":
            from reviewscore.gem.baselines.examiner import Examiner

            return Examiner(self._asker(model))
        from reviewscore.hf import ENCODER, SEQ2SEQ, Loading, load

        loading = Loading(self._choice.device, download=self._choice.download)
        if name == "bertscore":
            from reviewscore.likeness.bertscore import BertScore

            return BertScore(load(model, ENCODER, loading))
        from reviewscore.gem.baselines.bartscore import BartScore
        from reviewscore.gem.hf_seq2seq import SequenceModel

        return BartScore(SequenceModel(load(model, SEQ2SEQ, loading)))

    def _asker(self, model: str) -> OpenAsker:
        """Puts questions through the ledger that all runs share."""
        from reviewscore.asking.questions import open_asker
        from reviewscore.llm.connect import RunContext, check
        from reviewscore.llm.ledger.database import Ledger

        settings = settings_from({"model": model, "max_usd": self._max_usd}).settings
        check(settings)
        book = Ledger(settings.ledger_place, run=f"gem-{uuid.uuid4().hex}")
        self._stack.callback(book.close)
        return lambda: open_asker(settings, book, RunContext(say=say))


def _plain(name: str) -> Metric:
    from reviewscore.gem.baselines.compression import Compression
    from reviewscore.likeness.overlap import Bleu, RougeL

    if name == "bleu":
        return Bleu()
    return RougeL() if name == "rouge-l" else Compression()
