"""The embedded judge that needs no model: `LexicalJudges`, rules and look-ups."""

from reviewscore.judges.lexical.judges import LexicalJudges

__all__ = ["LexicalJudges"]
