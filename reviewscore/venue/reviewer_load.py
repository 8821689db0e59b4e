"""How many reviews each reviewer wrote, where pseudonyms can tell."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

BUCKETS = ("1", "2", "3", "4", "5 or more")
"""Reviews by one reviewer in the venue."""
_ANONYMOUS = re.compile(
    r"(?:anon(?:ymous)?|official)?[ _-]?(?:reviewer|referee|rev|r)[ _#-]*(?:\d{1,2}|[a-z])"
    r"|(?:official_)?reviewer_[a-z0-9]{4}|\d{1,2}|[a-z]|\(anonymous\)",
    re.IGNORECASE,
)
"""Names handed out anew for each paper: Reviewer 2, AnonReviewer3, Reviewer_a1B2, R1."""
_MOST = 0.5
_FEW_REVIEWS, _FEW_PAPERS = 10, 5


@dataclass(frozen=True)
class Written:
    """A review's author, as the data names them.

    Attributes:
        paper_id: Paper that it is of.
        reviewer: Pseudonym; None if the data has none.
    """

    paper_id: str
    reviewer: str | None


@dataclass(frozen=True)
class Reviewers:
    """Who wrote which review, as far as that can be told.

    Attributes:
        of: Number of the reviewer of each review; empty if they cannot be told apart.
        load: How many reviews each of them wrote, by number.
        reason: Why they cannot be told apart; empty if they can.
        unnamed: Reviews without a pseudonym.
    """

    of: Mapping[str, int]
    load: Mapping[int, int]
    reason: str = ""
    unnamed: int = 0

    def bucket(self, review_id: str) -> str | None:
        """The bucket of a review's author; None if it is not known."""
        number = self.of.get(review_id)
        return None if number is None else BUCKETS[min(self.load[number], len(BUCKETS)) - 1]


def tell_reviewers(written: Mapping[str, Written], *, trusted: bool = False) -> Reviewers:
    """Tell reviewers apart by their pseudonyms, or say why these cannot.

    Args:
        written: All reviews of the venue by their id, those without points too.
        trusted: The pseudonyms were given for this purpose; only missing ones matter.
    """
    named = {key: one for key, one in written.items() if one.reviewer}
    unnamed = len(written) - len(named)
    reason = "no review names its reviewer by a pseudonym" if not named else ""
    if named and not trusted:
        reason = _per_paper(named)
    if reason:
        return Reviewers({}, {}, reason, unnamed)
    numbers: dict[str, int] = {}
    of = {
        key: numbers.setdefault(str(one.reviewer), len(numbers))
        for key, one in sorted(named.items())
    }
    return Reviewers(of, Counter(of.values()), unnamed=unnamed)


def _per_paper(named: Mapping[str, Written]) -> str:
    """Why pseudonyms hold for one paper only; empty if they may be the venue's."""
    names = [str(one.reviewer) for one in named.values()]
    alike = sum(_ANONYMOUS.fullmatch(name.strip()) is not None for name in names)
    if alike > _MOST * len(names):
        return (
            "reviewers have names that hold for one paper only, such as 'Reviewer 2' or "
            "'Reviewer_a1B2', so that two reviews by one person cannot be told"
        )
    papers: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for one in named.values():
        papers[one.paper_id][str(one.reviewer)] += 1
    often = Counter(names)
    if len(names) >= _FEW_REVIEWS and max(often.values()) == 1:
        return (
            "no reviewer has two reviews, as if names were made anew for each, so that two reviews "
            "by one person cannot be told"
        )
    # Reviewers of a venue are on few of its papers; labels such as "first" are on most.
    used = sum(len(found) for found in papers.values()) / (len(papers) * len(often))
    if len(papers) >= _FEW_PAPERS and used > _MOST:
        return (
            f"there are only {len(often)} names for {len(papers):,} papers, as if reviewers were "
            "numbered in each paper, so that two reviews by one person cannot be told"
        )
    return ""
