"""Whether papers and reviews may leave the machine: a venue's rule, and the consent of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from reviewscore.printable import counted
from reviewscore.schema.record import Record

Consent = Literal["provider", "local", "none"]
"""Who may judge a text: models of a provider too, those on this machine alone, or nobody."""
_STRICTNESS = (None, "provider", "local", "none")


class ConfidentialityRule(Record):
    """What a venue allows.

    Attributes:
        rule: ``local``: no paper and no review leaves this machine; ``provider``: models'
            providers may have them.
        origin: Where that was said: a settings file, a variable, or the user's answer.
    """

    rule: Literal["local", "provider"]
    origin: str


def strictest(*rules: Consent | None) -> Consent | None:
    """The strictest of several consents; None where nobody said anything."""
    return max(rules, key=_STRICTNESS.index, default=None)


@dataclass(frozen=True)
class Permission:
    """Which texts the models of a command may read.

    Attributes:
        leaves: Whether what they read leaves this machine.
        default: The venue's consent, where texts do not say more.
    """

    leaves: bool = False
    default: Consent | None = None

    def refusal(self, *declared: Consent | None) -> Consent | None:
        """The consent that keeps a text from these models; None if they may read it.

        Args:
            declared: What was said of the text: its own consent, that of its paper.
        """
        rule = strictest(*declared, self.default)
        return rule if rule == "none" or (rule == "local" and self.leaves) else None


def consent_warnings(noun: str, count: int) -> list[str]:
    """That so many texts are left out for want of consent, as warnings; none if none is."""
    words = f"{counted(count, noun)} left out, which these models may not read (consent)"
    return [words] if count else []
