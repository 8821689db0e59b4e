"""What a judge sees of a paper that its model does not read whole, and what its verdict is worth.

Excerpts can show that the paper says something. That it does not say something they cannot show:
nothing is called absent on them, and no flag stands without a passage.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from reviewscore.config import Settings
from reviewscore.errors import SettingsError
from reviewscore.judges.asker import ROOM_TO_THINK, paper_prefix
from reviewscore.judges.lexical.forms import denies
from reviewscore.llm.context_window import TOKENIZER_MARGIN, estimated_tokens
from reviewscore.llm.parameters import reasons
from reviewscore.retrieval.excerpts import excerpts_for
from reviewscore.schema.paper import Evidence, Paper
from reviewscore.schema.review import ReviewPoint
from reviewscore.schema.scale import FIVE_POINTS
from reviewscore.schema.verdict import KnowledgeSource, PremiseVerdict, Verdict

EXCERPT_CONTEXT = 16_384
"""Tokens that models are taken to read at once where excerpts are asked for and nothing is said."""
_AROUND = 4_000
"""Tokens kept for what stands around a whole paper: task, form, the point and its places."""
_TASK, _TASK_OF_ARGUMENT = 1_250, 2_450
"""Tokens of role, task, form and named places in the longest prompt, of one question and of a
reconstruction, with the point twice taken off: 1,245 and 2,419 were the most for 98 points of three
papers."""
_TASK_OF_LOOK = 3_600
"""The same of a second look at presuppositions: 3,352 were the most for 42 points of three papers,
with the finder's passages alone; those of the first look may come to them."""
_TIMES = 2
"""How often a point may stand in a prompt, with its context and what was made of it."""
_FEWEST = 800
"""Tokens about the paper, the frame of some 250 among them, below which too little is shown."""
_FEWEST_CHARACTERS = 1_000


def reply_room(settings: Settings, models: Iterable[str] | None = None) -> int:
    """Tokens that are kept for a reply of models, all that are asked if none are named.

    What a model thinks before it replies is counted.
    """
    thinks = settings.effort is not None or any(map(reasons, models or settings.models))
    return settings.longest_reply * (ROOM_TO_THINK if thinks else 1)


def paper_room(settings: Settings) -> int | None:
    """Tokens that are left for a whole paper in a prompt; None if the limit is not known.

    Raises:
        SettingsError: None are left.
    """
    limit = settings.context_tokens
    if limit is None:
        return None
    reply = reply_room(settings)
    room = limit - reply - _AROUND
    if room < _FEWEST:
        raise _too_few(limit, reply, _AROUND, reply + _AROUND + _FEWEST)
    return room


def excerpt_room(settings: Settings, beside: int = 0) -> int:
    """Estimated tokens that a prompt may have for the paper, where longer ones are excerpted.

    A tokenizer may make more of a text than is estimated: the prompt fits all the same.

    Args:
        settings: Say how much models read at once, and how long replies may be.
        beside: Tokens beside paper and task: of the point, and of the authors' response.

    Raises:
        SettingsError: Too few are left, whatever the point.
    """
    limit, reply = settings.context_tokens or EXCERPT_CONTEXT, reply_room(settings)
    task = _task(settings)
    room = int((limit - reply) / TOKENIZER_MARGIN) - task
    if room < _FEWEST:
        least = int((task + _FEWEST) * TOKENIZER_MARGIN) + 1
        raise _too_few(limit, reply, int(task * TOKENIZER_MARGIN), least + reply)
    return max(room - beside, _FEWEST)


def _task(settings: Settings) -> int:
    if settings.presupposes:
        return _TASK_OF_LOOK
    return _TASK if settings.score == "base" else _TASK_OF_ARGUMENT


def _too_few(limit: int, reply: int, task: int, least: int) -> SettingsError:
    return SettingsError(
        f"of {limit:,} tokens (context_tokens) {reply:,} are kept for the reply and {task:,} for "
        f"the task, which leaves {max(limit - reply - task, 0):,} for the paper; give "
        f"--context-tokens {least} or more, or a lower max_tokens"
    )


def judged_on(
    point: ReviewPoint, paper: Paper, settings: Settings, *, response: str | None
) -> tuple[Paper, int]:
    """What a judge sees of a paper for one point, and the estimated tokens of a prompt with it.

    A paper that fits is shown whole.

    Args:
        point: The point, with its places in the whole paper.
        paper: The paper, as judges see it where it fits.
        settings: Say how much fits.
        response: What judges see of the authors' response.

    Raises:
        SettingsError: As `excerpt_room`.
    """
    beside = _TIMES * estimated_tokens(f"{point.text} {point.context}")
    beside += estimated_tokens(response or "")
    room = excerpt_room(settings, beside)
    size, excerpts = _tokens(paper_prefix(paper)), paper
    characters = 4 * room
    while size > room and characters > _FEWEST_CHARACTERS:
        excerpts = excerpts_for(point, paper, characters)
        size = estimated_tokens(paper_prefix(excerpts))
        characters = int(characters * min(0.97 * room / size, 0.97))
    return excerpts, size + beside + _task(settings)


@lru_cache(maxsize=8)  # papers under way: each is counted for the first of its points alone
def _tokens(text: str) -> int:
    return estimated_tokens(text)


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
