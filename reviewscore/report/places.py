"""The places of the paper that a point names, as pages show them."""

from __future__ import annotations

from dataclasses import dataclass

from reviewscore.report.excerpts import quote_in_paper
from reviewscore.schema.paper import Paper
from reviewscore.schema.place import Target
from reviewscore.schema.point_score import PointScore

NOT_AT_HAND = "not in the text at hand"
"""Said of a place that the text lacks: the reviewer may have read another form of the paper."""
RECKONED = " (about here: its number was not seen with its line)"
_LONGEST = 600
"""Characters of a place that a page repeats; the paper pane shows all of it."""
_LABEL = 90


@dataclass(frozen=True)
class ShownPlace:
    """A place that a point names.

    Attributes:
        label: The place, such as ``Table 3b``; long quotations are cut.
        target: Where it is; None if the text at hand lacks it.
        text: What stands there, cut where it is long; None if that is not at hand.
    """

    label: str
    target: Target | None
    text: str | None = None

    @property
    def words(self) -> str:
        """The label with its page, or that it is not at hand."""
        if self.target is None:
            return f"{self.label} ({NOT_AT_HAND})"
        page = "" if self.target.page is None else f", p. {self.target.page}"
        return f"{self.label}{page}{RECKONED if self.target.reckoned else ''}"


def shown_places(score: PointScore, paper: Paper | None = None) -> tuple[ShownPlace, ...]:
    """Each place that a point names, once, with what stands there.

    Args:
        score: The point.
        paper: Its paper, if it is at hand. Where it has other text than the one that was judged,
            nothing of it is shown.
    """
    shown: dict[str, ShownPlace] = {}
    same = paper is not None and all(
        quote_in_paper(quote, paper) is not None for quote in (*score.evidence, *score.passages)
    )
    for place in score.places or ():
        label = place.label if len(place.label) <= _LABEL else place.label[:_LABEL].rstrip() + " …"
        where, text = place.target, None
        if paper is not None and same and where is not None and where.end <= len(paper.text):
            text = paper.text[where.start : where.end]
            text = text if len(text) <= _LONGEST else text[:_LONGEST].rsplit(None, 1)[0] + " …"
        shown.setdefault(label, ShownPlace(label, where, text))
    return tuple(shown.values())
