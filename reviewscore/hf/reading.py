"""Texts as tokens, part by part: what is foreign can become no control token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

Ids = tuple[int, ...]
_MOST_KEPT = 4096
"""Parts whose tokens are remembered."""


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a prompt.

    Attributes:
        text: Its text.
        foreign: Whether it comes from outside, so that markers in it are text and nothing more.
    """

    text: str
    foreign: bool


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


def without_markers(text: str, markers: Sequence[str]) -> str:
    """A text in which none of the given markers is left: a space parts the first sign from it.

    Args:
        text: The text.
        markers: A tokenizer's own markers; those of blanks alone, or of one sign, are no markers.
    """
    for marker in markers:
        if len(marker.strip()) > 1:
            text = text.replace(marker, f"{marker[0]} {marker[1:]}")
    return text


def padded(rows: Sequence[Ids], device: torch.device, *, filler: int = 0) -> torch.Tensor:
    """Token ids. Shape (rows, longest row); the rest of a row is filled."""
    import torch

    longest = max(map(len, rows))
    filled = [[*row, *[filler] * (longest - len(row))] for row in rows]
    return torch.tensor(filled, dtype=torch.long, device=device)
