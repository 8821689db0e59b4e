"""What servers say of the probability of a prompt's tokens, read without trust."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

_MINUS_INFINITY = -9999.0
"""What vLLM writes for minus infinity, which JSON does not have."""
_ROUNDING = 1e-3
"""Nats above 0 that a server's rounding may give to a certain token."""
_BROKEN = "\ufffd"
"""Stands for the bytes of a token that is a part of a character only."""


class Scored(BaseModel):
    """What each token of a continuation has, or why there is no number.

    Attributes:
        tokens: Tokens of the continuation.
        logprobs: Natural logarithm of each one's probability; empty if there is a problem.
        problem: Why there is no number; empty if there is one.
    """

    model_config = ConfigDict(frozen=True)

    tokens: int
    logprobs: tuple[float, ...] = ()
    problem: str = ""


def of_prompt(choice: Mapping[str, Any], ids: Sequence[int], span: int) -> Scored | None:
    """The end of a prompt of token ids, from vLLM's ``prompt_logprobs``.

    Args:
        choice: A choice of the answer.
        ids: The whole prompt.
        span: How many of its last tokens are scored.

    Returns:
        What the tokens have; None if the server gives nothing of the kind.
    """
    found = choice.get("prompt_logprobs")
    if not found:
        return None
    if len(found) != len(ids):
        return _wrong_number(len(found), len(ids), span)
    values = []
    for number, place in zip(ids[-span:], found[-span:], strict=True):
        own = None if place is None else place.get(str(number))
        if place is not None and own is None:
            return Scored(tokens=span, problem="the server scored another text than was sent")
        values.append(None if own is None else own.get("logprob"))
    return _scored(values)


def echoed(choice: Mapping[str, Any], count: int, span: int) -> Scored | None:
    """The end of a prompt of token ids, from an answer that repeats the prompt.

    Args:
        choice: A choice of the answer.
        count: Tokens of the whole prompt.
        span: How many of its last tokens are scored.

    Returns:
        What the tokens have; None if the server gives nothing of the kind.
    """
    values = (choice.get("logprobs") or {}).get("token_logprobs")
    if not values:
        return None
    if len(values) not in (count, count + 1):  # one token may have been generated behind them
        return _wrong_number(len(values), count, span)
    return _scored(values[count - span : count])


def cut(choice: Mapping[str, Any], context: str, reference: str) -> Scored | None:
    """The end of a prompt of text, from an answer that repeats the prompt.

    Servers count the text of a first token of their own or leave it out, so the place where the
    continuation begins is looked for in both ways, and the tokens found have to spell it.

    Args:
        choice: A choice of the answer.
        context: The text before the continuation.
        reference: The continuation.

    Returns:
        What the tokens have; None if the server gives nothing of the kind.
    """
    found = choice.get("logprobs") or {}
    values, offsets = found.get("token_logprobs"), found.get("text_offset")
    words = found.get("tokens")
    if not values or not offsets or not words:
        return None
    if not len(values) == len(offsets) == len(words):
        return Scored(tokens=0, problem="the server gives as many places as it does not tokens")
    own = len(words[0]) if not context.startswith(words[0]) else 0
    for border in {len(context) + own, len(context)}:
        span = [n for n, place in enumerate(offsets) if border <= place < border + len(reference)]
        spelled = "".join(words[n] for n in span)
        exact = span and offsets[span[0]] == border
        if exact and (spelled == reference or _BROKEN in spelled):
            return _scored([values[n] for n in span])
    told = "a token of the server reaches across the beginning of the reference"
    return Scored(tokens=0, problem=told)


def _scored(values: Sequence[float | None]) -> Scored:
    for number, value in enumerate(values, 1):
        if value is None or not math.isfinite(value) or value <= _MINUS_INFINITY:
            told = f"token {number} of {len(values)} has no finite log-probability ({value})"
            return Scored(tokens=len(values), problem=told)
        if value > _ROUNDING:
            told = f"token {number} of {len(values)} has a log-probability above 0 ({value:g})"
            return Scored(tokens=len(values), problem=told)
    kept = tuple(min(float(value), 0.0) for value in values if value is not None)
    return Scored(tokens=len(values), logprobs=kept)


def _wrong_number(found: int, sent: int, span: int) -> Scored:
    told = f"the server gives log-probabilities of {found} tokens where {sent} were sent"
    return Scored(tokens=span, problem=told)
