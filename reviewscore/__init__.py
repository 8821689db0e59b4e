"""Audit reviews of scientific papers: find misinformed review points, with proof.

::

    import reviewscore as rs

    run = rs.audit("examples", "runs/x", model="lexical")
    run.to_frame()

The public names are loaded when they are first used, so that importing the package is quick.
"""

from __future__ import annotations

import logging
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reviewscore.api import Run, audit, audit_async, load_run, score, score_async, split
    from reviewscore.config import Settings as Settings
    from reviewscore.errors import ReviewScoreError
    from reviewscore.judges.judge import Judges
    from reviewscore.judges.lexical.judges import LexicalJudges
    from reviewscore.judges.model_judges import ModelJudges
    from reviewscore.papers.load import load_paper
    from reviewscore.pipeline import score_point as score_point
    from reviewscore.points.split import split_review as split_review
    from reviewscore.schema.argument import Argument
    from reviewscore.schema.paper import Evidence, Paper
    from reviewscore.schema.point_score import PointScore
    from reviewscore.schema.review import Review, ReviewPoint
    from reviewscore.sources.collection import Collection, load_review
    from reviewscore.sources.collection import read_collection as load_collection
    from reviewscore.sources.collection import read_collection as read_collection

__version__ = "0.1.0"

_PLACES = {
    "Argument": "reviewscore.schema.argument",
    "Collection": "reviewscore.sources.collection",
    "Evidence": "reviewscore.schema.paper",
    "Judges": "reviewscore.judges.judge",
    "LexicalJudges": "reviewscore.judges.lexical",
    "ModelJudges": "reviewscore.judges.model_judges",
    "Paper": "reviewscore.schema.paper",
    "PointScore": "reviewscore.schema.point_score",
    "Review": "reviewscore.schema.review",
    "ReviewPoint": "reviewscore.schema.review",
    "ReviewScoreError": "reviewscore.errors",
    "Run": "reviewscore.api",
    "audit": "reviewscore.api",
    "audit_async": "reviewscore.api",
    "load_collection": "reviewscore.sources.collection:read_collection",
    "load_paper": "reviewscore.papers.load",
    "load_review": "reviewscore.sources.collection",
    "load_run": "reviewscore.api",
    "score": "reviewscore.api",
    "score_async": "reviewscore.api",
    "split": "reviewscore.api",
}
"""Where each public name is, with the name that it has there if that is another."""

_DEPRECATED = {
    "Settings": ("reviewscore.config", "keyword arguments of audit and score"),
    "read_collection": ("reviewscore.sources.collection", "load_collection"),
    "score_point": ("reviewscore.pipeline", "score"),
    "split_review": ("reviewscore.points", "split"),
}
"""Public names of before, where they are, and what to use instead; gone in the next version."""

__all__ = [
    "Argument",
    "Collection",
    "Evidence",
    "Judges",
    "LexicalJudges",
    "ModelJudges",
    "Paper",
    "PointScore",
    "Review",
    "ReviewPoint",
    "ReviewScoreError",
    "Run",
    "__version__",
    "audit",
    "audit_async",
    "load_collection",
    "load_paper",
    "load_review",
    "load_run",
    "score",
    "score_async",
    "split",
]

logging.getLogger(__name__).addHandler(logging.NullHandler())


def __getattr__(name: str) -> object:
    if name in _PLACES:
        module, _, other = _PLACES[name].partition(":")
        return getattr(import_module(module), other or name)
    if name in _DEPRECATED:
        import warnings

        module, instead = _DEPRECATED[name]
        warnings.warn(
            f"reviewscore.{name} is deprecated and will go: use {instead}",
            DeprecationWarning,
            stacklevel=2,
        )
        return getattr(import_module(module), name)
    raise AttributeError(f"module 'reviewscore' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
