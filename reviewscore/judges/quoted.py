"""Quotes in a model's reply, checked against the paper."""

from __future__ import annotations

from collections.abc import Sequence

from reviewscore.judges.asker import Reply
from reviewscore.papers.quotes import find_quote
from reviewscore.schema.answer import Sentence
from reviewscore.schema.paper import Evidence, Paper


class Quote(Reply):
    """A sentence the model says it copied from the paper."""

    section: Sentence
    sentence: Sentence


def evidence_from(quotes: Sequence[Quote], paper: Paper) -> tuple[Evidence, ...]:
    """Look every quote up; one that is not in the paper stays unverified."""
    return tuple(find_quote(paper, quote.sentence) for quote in quotes if quote.sentence.strip())
