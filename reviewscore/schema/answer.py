"""Fields of what models answer: whole numbers that are no booleans, texts and lists with bounds.

The bounds are far beyond what an answer needs; they keep the records of an answer gone wild small.
They are not in the schemas that models are shown (`llm.structured.reply_schema`).
"""

from __future__ import annotations

import re
from typing import Annotated, Literal, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field

T = TypeVar("T")

LONGEST_TEXT = 20_000
"""Characters of a field that may hold paragraphs."""
LONGEST_SENTENCE = 4_000
"""Characters of a field that holds a sentence or a quote."""
LONGEST_FORMULA = 1_500
"""Characters of a formula or a key; the longest of 1,000 published ones has half of it."""
MOST = 200
"""Entries of a list."""
MOST_STEPS = 40
"""Reasons, premises or conclusions of one argument."""
MOST_KEYS = 100
"""Predicates, propositions and constants of one argument."""

_WHOLE = re.compile(r"0|[1-9][0-9]{0,3}")
"""An integral string: the digits of ASCII, without sign, blanks, decimals or leading zeros."""


def whole(value: object) -> object:
    """A whole number: as a number (``4``, ``4.0``) or as an integral string (``"4"``).

    A string is integral if it is ``0`` or digits of ASCII that begin with another one than 0:
    ``" 4 "``, ``"+4"``, ``"04"``, ``"4.0"`` and digits of other scripts are not. What is no whole
    number stays as it is, for the field to refuse.

    Raises:
        ValueError: It is true or false, which Python counts as 1 and 0.
    """
    if isinstance(value, bool):
        raise ValueError("a whole number is needed, not true or false")
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        return int(value)
    return value


Whole = Annotated[int, BeforeValidator(whole)]
"""A whole number."""


def share(value: float) -> float:
    """A number of 0 to 1.

    Raises:
        ValueError: It lies beyond.
    """
    if not 0 <= value <= 1:
        raise ValueError("a number from 0 to 1 is needed")
    return value


FivePoints = Annotated[Literal[1, 2, 3, 4, 5], BeforeValidator(whole)]
"""A score of 1 to 5."""
Probability = Annotated[float, AfterValidator(share)]
"""A probability of 0 to 1; its bounds are no part of schemas, which not all providers enforce."""
Untrivialness = Annotated[Literal[0, 1, 2], BeforeValidator(whole)]
"""0 definitely trivial, 1 probably trivial, 2 definitely not trivial."""
Grade = Annotated[Literal[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], BeforeValidator(whole)]
"""A grade of 0 to 10."""
Text = Annotated[str, Field(max_length=LONGEST_TEXT)]
"""Words that may be several paragraphs."""
Sentence = Annotated[str, Field(max_length=LONGEST_SENTENCE)]
"""A sentence or a quote."""
Formula = Annotated[str, Field(max_length=LONGEST_FORMULA)]
"""A formula, or what stands in one and what it means."""
Several = Annotated[list[T], Field(max_length=MOST)]
"""A list."""
Steps = Annotated[list[T], Field(max_length=MOST_STEPS)]
"""Reasons, premises or conclusions of one argument."""
Keys = Annotated[list[T], Field(max_length=MOST_KEYS)]
"""The vocabulary of one argument."""
