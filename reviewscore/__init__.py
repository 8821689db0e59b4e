"""Audit reviews of scientific papers: find misinformed review points, with proof.

The public names are loaded when they are first used, so that importing the package is quick.
"""

from __future__ import annotations

import logging
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reviewscore.batch import audit
    from reviewscore.config import Settings
    from reviewscore.errors import ReviewScoreError
    from reviewscore.judges.bench import ModelJudges
    from reviewscore.judges.judge import Judges
    from reviewscore.judges.lexical import LexicalJudges
    from reviewscore.papers.load import load_paper
    from reviewscore.pipeline import score_point
    from reviewscore.points import split_review
    from reviewscore.sources.files import read_collection

__version__ = "0.1.0"

_HOMES = {
    "Judges": "reviewscore.judges.judge",
    "LexicalJudges": "reviewscore.judges.lexical",
    "ModelJudges": "reviewscore.judges.bench",
    "ReviewScoreError": "reviewscore.errors",
    "Settings": "reviewscore.config",
    "audit": "reviewscore.batch",
    "load_paper": "reviewscore.papers.load",
    "read_collection": "reviewscore.sources.files",
    "score_point": "reviewscore.pipeline",
    "split_review": "reviewscore.points",
}

__all__ = [
    "Judges",
    "LexicalJudges",
    "ModelJudges",
    "ReviewScoreError",
    "Settings",
    "__version__",
    "audit",
    "load_paper",
    "read_collection",
    "score_point",
    "split_review",
]

logging.getLogger(__name__).addHandler(logging.NullHandler())


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'reviewscore' has no attribute '{name}'")
