"""Whether a venue lets papers and reviews leave the machine."""

from __future__ import annotations

from typing import Literal

from reviewscore.schema.record import Record


class ConfidentialityRule(Record):
    """What a venue allows.

    Attributes:
        rule: ``local``: no paper and no review leaves this machine; ``provider``: models'
            providers may have them.
        origin: Where that was said: a settings file, a variable, or the user's answer.
    """

    rule: Literal["local", "provider"]
    origin: str
