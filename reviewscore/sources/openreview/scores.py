"""Ratings and confidences as numbers on their scales; what stood there is kept."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NUMBER = re.compile(r"\s*([+-]?\d{1,4}(?:\.\d{1,4})?)(?![\w.])")


@dataclass(frozen=True)
class Scale:
    """The values that a form allows.

    Attributes:
        values: All of them, lowest first. Scales with gaps are ordinal: their values are never
            averaged over forms.
    """

    values: tuple[float, ...]

    @classmethod
    def between(cls, low: float, high: float, step: float = 1.0) -> Scale:
        """All values from low to high."""
        return cls(tuple(low + step * at for at in range(round((high - low) / step) + 1)))

    @property
    def low(self) -> float:
        """The lowest value."""
        return self.values[0]

    @property
    def high(self) -> float:
        """The highest value."""
        return self.values[-1]


@dataclass(frozen=True)
class Score:
    """A score.

    Attributes:
        value: The number; None if the text names none, as "Not applicable".
        raw: What stood there, as text.
        scale: What the form allows; None if the form is not known.
    """

    value: float | None
    raw: str
    scale: Scale | None

    @property
    def allowed(self) -> bool:
        """Whether the form allows the value; so it is where either is not known."""
        return self.value is None or self.scale is None or self.value in self.scale.values


def read_score(value: object, scale: Scale | None) -> Score | None:
    """A score from ``8``, ``2.5``, ``"8: accept"``, ``"3 good"`` or ``"3.5 = ..."``.

    A leading number that ends at a word's end; never the first digit alone, as of "10: ...".

    Returns:
        The score; None if nothing stands there.
    """
    if value is None or isinstance(value, bool) or value == "":
        return None
    if isinstance(value, int | float):
        return Score(float(value), str(value), scale)
    if not isinstance(value, str):
        return Score(None, str(value), scale)
    found = _NUMBER.match(value)
    return Score(None if found is None else float(found[1]), value, scale)
