"""A score and an argument as notebooks show them: parts of a page, with their style."""

from __future__ import annotations

from reviewscore.pages.environment import own_environment, render
from reviewscore.pages.finder import recall_sentence
from reviewscore.pages.point_card import card_of
from reviewscore.schema.argument import Argument
from reviewscore.schema.point_score import PointScore


def point_html(score: PointScore) -> str:
    """A point with its verdict, passages and argument; all text in it is escaped."""
    recall = recall_sentence(score.judge_version, [score.kind]) if score.passages else ""
    return _rendered(card=card_of(score, None, None), recall=recall)


def argument_html(argument: Argument) -> str:
    """An argument with its map, premises and rounds; all text in it is escaped."""
    return _rendered(argument=argument)


def _rendered(**shown: object) -> str:
    empty = {"card": None, "argument": None, "unchanged": str}
    return render(own_environment().get_template("notebook.html"), **(empty | shown))
