"""``lexical-cache`` as an evaluation model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from reviewscore.gem.evaluation import Answer, Question
from reviewscore.gem.lexical.background import Background
from reviewscore.gem.lexical.caches import Cache
from reviewscore.gem.lexical.kin import Kin
from reviewscore.gem.lexical.mixture import components, log_probability
from reviewscore.gem.lexical.reference import Reference
from reviewscore.gem.lexical.spelling import Spelling
from reviewscore.gem.lexical.state import State, load
from reviewscore.gem.lexical.vocabulary import Coded, Vocabulary
from reviewscore.gem.lexical.words import lines_of

NAME = "lexical-cache"
_MOST_KEPT = 4096
"""Texts whose coded form is kept while questions are answered, about 100 kB each."""
_KEPT = 256
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

    def __init__(self, state: State) -> None:
        self.state = state
        self.vocabulary = vocabulary = Vocabulary(state.words, Spelling(state.spelling))
        self.background = background = Background(state.counts, state.content)
        self.kin = kin = Kin(state.stems, state.content)

        # None of these holds the model itself: it goes, with all it has kept, when it is let go.
        @lru_cache(_MOST_KEPT)
        def code(text: str) -> Coded:
            return vocabulary.code(lines_of(text))

        @lru_cache(_MOST_KEPT)
        def read(text: str) -> Cache:
            return Cache(code(text), state.persistence, state.content, vocabulary, kin)

        @lru_cache(_MOST_KEPT)
        def refer(text: str) -> Reference:
            return Reference(code(text), background, vocabulary)

        self._code, self._read, self._refer = code, read, refer

    @classmethod
    def load(cls, path: Path) -> LexicalCache:
        """Read a primed model.

        Raises:
            InputError: The file is not one.
        """
        return cls(load(path))

    def answers(self, questions: Sequence[Question]) -> list[Answer]:
        """Log-probability of each reference in nats; a text without words is refused."""
        found = [self._answer(one) for one in questions]
        if self._code.cache_info().currsize > _KEPT:
            self._let_go()
        return found

    def _answer(self, question: Question) -> Answer:
        if self.vocabulary.unseen > _MOST_UNSEEN:
            self._forget()
        reference = self._refer(question.reference)
        if not len(reference):
            return Answer(None, 0, "the reference has no words")
        candidate = None if question.candidate is None else self._read(question.candidate)
        synopsis = None if question.synopsis is None else self._read(question.synopsis)
        values, regime = components(reference, candidate, synopsis)
        return Answer(log_probability(values, regime, self.state.shares), len(reference))

    def _forget(self) -> None:
        self._let_go()
        self.vocabulary.forget()

    def _let_go(self) -> None:
        for kept in (self._code, self._read, self._refer):
            kept.cache_clear()
