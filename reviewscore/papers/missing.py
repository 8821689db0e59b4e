"""Whether a place that somebody names is one that the text at hand lacks."""

from __future__ import annotations

from reviewscore.papers.converted import FORMULA
from reviewscore.papers.places import target
from reviewscore.schema.paper import Paper
from reviewscore.schema.place import PlaceKind


def rests_on_missing(paper: Paper, kind: PlaceKind, label: str = "") -> str:
    """Why nothing can be said of a named formula or figure; empty if something can.

    A formula is missing whose number is not in the text, or stands beside a placeholder; figures
    are missing as a whole, their captions are not what they show.

    Args:
        paper: The paper.
        kind: What kind of place is named.
        label: Its label, such as ``7``; without one, any place of this kind.
    """
    if kind is PlaceKind.EQUATION and paper.missing.formulas:
        place = target(paper, kind, label) if label else None
        if place is not None and not FORMULA.search(paper.text[place.start : place.end]):
            return ""
        return f"Equation {label}".strip() + " is among what the text of the paper lacks."
    if kind is PlaceKind.FIGURE and paper.missing.figures:
        return f"Figure {label}".strip() + " is among what the text of the paper lacks."
    return ""
