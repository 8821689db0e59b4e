"""Which part of a run's list is looked at, as an address holds it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self
from urllib.parse import urlencode

from reviewscore.view.run_index import NEED, ORDERS, PER_PAGE, Filter

PAPERS, FLAGS, POINTS = "papers", "flags", "points"
VERDICTS = ("flag", "yes", "no", "unknown", "failed", "addressed", "passages", "cannot judge")
TYPES = ("question", "claim", "argument", "untyped")
_LONGEST_WORDS = 500
_LONGEST_NUMBER = 8


def one_of(query: Mapping[str, str], name: str, values: Sequence[str]) -> str:
    """A value of an address; empty where it is none of those that are known."""
    given = query.get(name, "")
    return given if given in values else ""


def search_of(query: Mapping[str, str]) -> str:
    """The words that an address searches for."""
    return query.get("words", "")[:_LONGEST_WORDS]


def page_number(query: Mapping[str, str]) -> int:
    """The page that an address asks for, from 1."""
    given = query.get("page", "1")
    plain = given.isascii() and given.isdecimal() and len(given) < _LONGEST_NUMBER
    return max(1, int(given)) if plain else 1


@dataclass(frozen=True)
class RunList:
    """A list of papers or points of a run.

    Attributes:
        wanted: Which points.
        by_point: Whether points are listed, or papers that have such points.
        order: One of `ORDERS`.
        page: From 1.
    """

    wanted: Filter = field(default_factory=Filter)
    by_point: bool = False
    order: str = NEED
    page: int = 1

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Self:
        """The list that an address asks for; what is no value of a filter asks for all."""
        wanted = Filter(
            search_of(query),
            one_of(query, "verdict", VERDICTS),
            one_of(query, "type", TYPES),
            one_of(query, "seen", ("yes", "no")),
        )
        order = one_of(query, "sort", ORDERS) or NEED
        return cls(wanted, query.get("list") == "points", order, page_number(query))

    @property
    def tab(self) -> str:
        """``papers``, ``flags`` or ``points``."""
        if not self.by_point:
            return PAPERS
        return FLAGS if self.wanted.verdict == "flag" else POINTS

    def tabbed(self, tab: str) -> RunList:
        """The same filter in another tab, from its first page."""
        verdict = "" if self.wanted.verdict == "flag" else self.wanted.verdict
        wanted = replace(self.wanted, verdict="flag" if tab == FLAGS else verdict)
        return RunList(wanted, tab != PAPERS, self.order)

    @property
    def first(self) -> int:
        """The number of the first line of its page, from 1."""
        return (self.page - 1) * PER_PAGE + 1

    def at(self, page: int) -> RunList:
        """Another page of it."""
        return replace(self, page=page)

    @property
    def query(self) -> str:
        """It as a part of an address, quoted."""
        values = {
            **vars(self.wanted),
            "list": "points" if self.by_point else "",
            "sort": "" if self.order == NEED else self.order,
            "page": "" if self.page == 1 else str(self.page),
        }
        return urlencode({name: value for name, value in values.items() if value})

    def plain(self, tab: str) -> RunList:
        """All of a tab: nothing is left out."""
        return RunList(by_point=self.by_point, order=self.order).tabbed(tab)
