"""A failed check put into words for the next attempt; the words are in ``prompts/feedback``."""

from __future__ import annotations

from reviewscore import prompts
from reviewscore.schema.argument import Faithfulness
from reviewscore.schema.proof import Proof


def feedback(proof: Proof | None, faithfulness: Faithfulness | None) -> str:
    """What was wrong with an attempt, and what to do about it.

    Args:
        proof: What the prover found; None if it was not asked.
        faithfulness: What the judge of faithfulness said; None if it was not asked.

    Returns:
        Instructions for the next attempt; empty if nothing was wrong.

    Raises:
        PromptError: The prompt file is missing or broken.
    """
    failed = proof is not None and not proof.shows
    unfaithful = faithfulness is not None and faithfulness.faithful is False
    if not failed and not unfaithful:
        return ""
    return prompts.render(
        "feedback",
        proof=proof if failed else None,
        rationale=faithfulness.rationale if faithfulness is not None and unfaithful else "",
        unfaithful=unfaithful,
    ).text
