"""What a run tells whoever watches it."""

from __future__ import annotations

from typing import Protocol

from reviewscore.llm.client import Traffic
from reviewscore.schema.point_score import PointScore


class Progress(Protocol):
    """Told what happens while a run goes on."""

    def expect(self, points: int) -> None:
        """How many points there will be, by the splitting rules."""
        ...

    def finished(self, score: PointScore, traffic: Traffic | None) -> None:
        """A point is done and on disk."""
        ...

    def say(self, sentence: str) -> None:
        """Something the user should know."""
        ...


class Quiet:
    """Progress that says nothing."""

    def expect(self, points: int) -> None:
        """Say nothing."""

    def finished(self, score: PointScore, traffic: Traffic | None) -> None:
        """Say nothing."""

    def say(self, sentence: str) -> None:
        """Say nothing."""
