"""The prediction prompt as tokens."""

from __future__ import annotations

from typing import Any

from reviewscore.gem import layout
from reviewscore.gem.evaluation import Question
from reviewscore.gem.layout import Layout, Turns
from reviewscore.hf import Ids, Reader


class Tokens(Reader):
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
        self.layout: Layout = layout.chat(self._template) if templated else layout.plain()
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
        return self.foreign(layout.reference_of(question))

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
