"""What a verdict is worth whose judge saw excerpts of the paper, and not the paper.

Excerpts can show that the paper says something. That it does not say something they cannot show:
nothing is called absent on them, and no flag stands without a passage.
Also: how much of a paper is shown.
"""

from __future__ import annotations

from collections.abc import Iterable

from reviewscore.config import Settings
from reviewscore.errors import SettingsError
from reviewscore.judges.asker import ROOM_TO_THINK
from reviewscore.judges.lexical.forms import denies
from reviewscore.llm.parameters import reasons
from reviewscore.schema.paper import Evidence, Paper
from reviewscore.schema.scale import FIVE_POINTS
from reviewscore.schema.verdict import KnowledgeSource, PremiseVerdict, Verdict

EXCERPT_CONTEXT = 16_384
"""Tokens that models are taken to read at once where excerpts are asked for and nothing is said."""
_AROUND = 4_000
"""Tokens kept for what stands around the paper: the task, its form, the point and its places."""
_CHARACTERS = 3
"""Characters a token at the least, in papers of 2020 to 2025 with their formulas and tables."""
_FEWEST = 500
"""Tokens of a paper below which excerpts show too little to judge by."""


def paper_room(settings: Settings) -> int | None:
    """Tokens that are left for the paper in a prompt; None if the limit is not known.

    Raises:
        SettingsError: Too few are left.
    """
    limit = settings.context_tokens
    if limit is None:
        if settings.context == "whole":
            return None
        limit = EXCERPT_CONTEXT
    thinks = settings.effort is not None or any(map(reasons, settings.models))
    reply = settings.max_tokens * (ROOM_TO_THINK if thinks else 1)
    room = limit - reply - _AROUND
    if room < _FEWEST:
        raise SettingsError(
            f"of {limit:,} tokens (context_tokens) {reply:,} are kept for the reply and "
            f"{_AROUND:,} for the task, which leaves {max(room, 0):,} for the paper; give "
            f"--context-tokens {reply + _AROUND + _FEWEST} or more, or a lower max_tokens"
        )
    return room


def excerpt_characters(settings: Settings) -> int:
    """Most characters of a paper that are shown as excerpts.

    Raises:
        SettingsError: As `paper_room`.
    """
    return (paper_room(settings) or 0) * _CHARACTERS


def on_excerpts(verdict: Verdict, paper: Paper, text: str) -> Verdict:
    """The verdict on a whole point; without its score where excerpts cannot show it.

    Args:
        verdict: As the judge gave it.
        paper: What the judge saw; if that is no excerpts, nothing changes.
        text: The point.
    """
    if paper.excerpt_share is None or verdict.score is None:
        return verdict
    absence = verdict.scale == "unanswerability" or denies(text)
    if _shown(verdict.score, verdict.evidence, absence=absence):
        return verdict
    return verdict.model_copy(update={"score": None, "on_excerpts": verdict.score})


def premise_on_excerpts(verdict: PremiseVerdict, paper: Paper, text: str) -> PremiseVerdict:
    """The same for a premise; those that this paper does not settle are as they are.

    Args:
        verdict: As the judge gave it.
        paper: What the judge saw.
        text: The premise.
    """
    score = verdict.factuality
    of_paper = verdict.source in (KnowledgeSource.GIVEN_PAPER, None)
    if paper.excerpt_share is None or score is None or not of_paper:
        return verdict
    if _shown(score, verdict.evidence, absence=denies(text)):
        return verdict
    return verdict.model_copy(update={"factuality": None, "on_excerpts": score})


def _shown(score: int, evidence: Iterable[Evidence], *, absence: bool) -> bool:
    """Whether passages can show what a score says.

    Args:
        score: Factuality or unanswerability, 1..5.
        evidence: What it quotes.
        absence: Whether a high score says that the paper lacks something.
    """
    if score == FIVE_POINTS.middle or not any(quote.verified for quote in evidence):
        return False
    return FIVE_POINTS.misinformed(score) or not absence
