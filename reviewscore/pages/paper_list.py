"""The papers of a run as a list by title, and its first flags: what a page begins with."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from reviewscore.pages.figures import BarPart, stacked

_TITLE_SHOWN = 60


@dataclass(frozen=True, slots=True)
class PaperLine:
    """A paper in the list of papers.

    Attributes:
        paper_id: Its id.
        title: Its title; empty if none is known.
        link: Where it is shown: a URL, quoted.
        reviews: Its reviews.
        points: Their points.
        flags: Points that are judged misinformed, or, of the embedded judge, points that the paper
            speaks to.
        possible: Points with closest passages (of the embedded judge).
        failed: Points that could not be judged.
        unseen: Flags that nobody has looked at; None where that is not known.
    """

    paper_id: str
    title: str
    link: str
    reviews: int
    points: int
    flags: int
    possible: int = 0
    failed: int = 0
    unseen: int | None = None

    @property
    def order(self) -> tuple[object, ...]:
        """Sorts what needs a person first: unseen flags, else flags; then by title and id."""
        waiting = self.flags if self.unseen is None else self.unseen
        return (
            -waiting,
            -self.flags,
            not self.title,
            natural_order(self.title.casefold()),
            natural_order(self.paper_id),
        )

    @property
    def bar(self) -> tuple[BarPart, ...]:
        """The paper's points as a bar: flags, those with closest passages, failures, the rest."""
        shares = (
            ("flag", self.flags, f"{self.flags} of {self.points} points"),
            ("near", self.possible, f"{self.possible} with closest passages"),
            ("lost", self.failed, f"{self.failed} failed"),
        )
        total = max(1, self.points)
        return stacked((colour, count / total, words) for colour, count, words in shares if count)


@dataclass(frozen=True, slots=True)
class FlagLine:
    """A flag in the list of first flags.

    Attributes:
        link: Where the point is shown: a URL, quoted.
        words: The point's own words.
        tone: The colour of its verdict, see `Headline.tone`.
        verdict: The verdict in short.
        about: What else is said of it, such as its paper's title.
    """

    link: str
    words: str
    tone: str
    verdict: str
    about: str


def in_order(lines: Iterable[PaperLine]) -> list[PaperLine]:
    """Papers, those that need a person first."""
    return sorted(lines, key=lambda line: line.order)


def titled(title: str, paper_id: str) -> str:
    """What a paper is called in a line: its title, cut short, or that none is known; and its id."""
    if len(title) > _TITLE_SHOWN:
        title = title[:_TITLE_SHOWN].rsplit(None, 1)[0] + " …"
    return f"{title or 'untitled'} ({paper_id})"


def natural_order(name: str) -> list[tuple[int, str]]:
    """A sort key that puts ``P10`` after ``P9``."""
    parts = re.split(r"(\d{1,18})", name)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]
