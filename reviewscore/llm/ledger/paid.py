"""What the calls of a run came to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Paid:
    """What the calls of a run came to, whichever session made them.

    Attributes:
        usd: Dollars of the calls whose price was known.
        unpriced: Calls without a known price.
        doubtful: Dollars at most of calls that were sent and may have been billed although no
            reply was seen (broken connections, killed sessions, calls given up midway), or
            whose server counted no tokens.
        models: Models as the providers named them.
    """

    calls: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    written_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0
    unpriced: int = 0
    batched: int = 0
    doubtful: float = 0.0
    models: tuple[str, ...] = ()

    @property
    def total(self) -> float:
        """Dollars, doubtful ones at their worst."""
        return self.usd + self.doubtful
