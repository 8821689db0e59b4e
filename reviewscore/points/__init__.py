"""Review points: a review split into self-contained weaknesses and questions (`split_review`)."""

from reviewscore.points.sections import OpenSection, open_sections
from reviewscore.points.split import accept_proposed, proposal_sections, split_review

__all__ = [
    "POINTS_VERSION",
    "OpenSection",
    "accept_proposed",
    "open_sections",
    "proposal_sections",
    "split_review",
]

POINTS_VERSION = 4
"""Raise it when the rules would split a review otherwise, or take other proposals of a model."""
