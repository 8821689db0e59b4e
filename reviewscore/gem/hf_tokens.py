"""Texts as tokens, part by part: what is foreign can become no control token."""

from __future__ import annotations

from typing import Any

from reviewscore.gem import layout
from reviewscore.gem.evaluation import Question
from reviewscore.gem.layout import Layout, Part, Turns, without_markers

Ids = tuple[int, ...]
_MOST_KEPT = 4096
"""Parts whose tokens are remembered."""


class Reader:
    """A tokenizer that reads markers in fixed text, and none in foreign text.

    A tokenizer may know markers that it does not count as special (``<think>``) and that it would
    read anywhere: where one is met in a foreign text, a space breaks it up.

    Args:
        tokenizer: Of Transformers.

    Attributes:
        control: Tokens that mean something to the model beyond text.
        lead: What the tokenizer puts before every text.
        trail: What it puts behind every text.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        added = tokenizer.get_added_vocab()
        self._markers = {number: text for text, number in added.items() if text.strip()}
        self._markers |= dict(
            zip(tokenizer.all_special_ids, tokenizer.all_special_tokens, strict=True)
        )
        self.control = frozenset(self._markers)
        self.lead, self.trail = self._around()
        self._kept: dict[Part, Ids] = {}

    def of(self, part: Part) -> Ids:
        """The tokens of a part alone, without those that the tokenizer puts around texts."""
        if part not in self._kept:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            self._kept[part] = self._foreign(part.text) if part.foreign else self._ids(part.text)
        return self._kept[part]

    def foreign(self, text: str) -> Ids:
        """The tokens of a foreign text; none for one of blanks."""
        return self.of(Part(text, foreign=True)) if text.strip() else ()

    def _foreign(self, text: str) -> Ids:
        ids = self._ids(text, split_special_tokens=True)
        while met := [self._markers[one] for one in ids if one in self._markers]:
            changed = without_markers(text, met)
            if changed == text:  # the tokenizer's word for what it does not know
                break
            text = changed
            ids = self._ids(text, split_special_tokens=True)
        return ids

    def _ids(self, text: str, **options: bool) -> Ids:
        if not text:
            return ()
        # Long texts are refused by our own rule; the tokenizer's warning would say the same.
        read = self._tokenizer(text, add_special_tokens=False, verbose=False, **options)
        return tuple(read["input_ids"])

    def _around(self) -> tuple[Ids, Ids]:
        bare, whole = self._ids("a"), tuple(self._tokenizer("a")["input_ids"])
        for start in range(len(whole) - len(bare) + 1):
            end = start + len(bare)
            if whole[start:end] == bare:
                return whole[:start], whole[end:]
        return (), ()


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
