"""Two runs side by side: the points of both, where they differ first, and `compare`'s figures.

Neither run is held in memory: the pairs are a table that SQLite makes of both runs' indexes.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self
from urllib.parse import urlencode

from reviewscore.pages.figures import FigurePage
from reviewscore.pages.point_card import anchor_of
from reviewscore.schema.point_id import place_of
from reviewscore.venue.compare_page import comparison_page
from reviewscore.view.behind import Behind, Made
from reviewscore.view.compare_worker import compared_apart
from reviewscore.view.open_run import OpenRun
from reviewscore.view.run_index import PER_PAGE, match_of
from reviewscore.view.run_list import TYPES, one_of, page_number, search_of
from reviewscore.view.run_notes import state_of_files

DIFFER = "differ"
CHANGES = (DIFFER, "first", "second", "both", "all")
"""What is listed: verdicts that differ, flags of one run alone, flags of both, or all points."""
_WAIT_PAIRS, _WAIT_FIGURES = 1.5, 0.7
_CONDITIONS = {
    DIFFER: "change IN ('first', 'second', 'verdict')",
    "first": "change = 'first'",
    "second": "change = 'second'",
    "both": "change = 'both'",
    "all": "1",
}
_SCORE = "CASE WHEN {0}.tone GLOB 's[1-5]' THEN CAST(substr({0}.tone, 2) AS INTEGER) END"
_RECORDS = " JOIN one.points a ON a.offset = x.offset JOIN other.points b ON b.offset = y.offset"
_MAKE = f"""
CREATE TABLE pairs AS SELECT a.offset AS first, b.offset AS second,
  CASE WHEN a.flag AND b.flag THEN 'both' WHEN a.flag THEN 'first' WHEN b.flag THEN 'second'
    WHEN a.verdict <> b.verdict THEN 'verdict' ELSE 'same' END AS change,
  10 * (a.flag <> b.flag) + (a.verdict <> b.verdict)
    + coalesce(abs({_SCORE.format("x")} - {_SCORE.format("y")}), 0) AS apart,
  a.type AS type
FROM {{}}{_RECORDS};
CREATE INDEX pairs_by_change ON pairs (change);
CREATE INDEX pairs_by_apart ON pairs (apart DESC, first);
"""
_BY_NAME = "one.details x JOIN other.details y ON y.point_id = x.point_id AND y.text = x.text"
_REPEATS = "row_number() OVER (PARTITION BY review, text ORDER BY ordinal, offset) AS repeat"
_BY_WORDS = (
    f"(SELECT *, {_REPEATS} FROM one.details) x JOIN (SELECT *, {_REPEATS} FROM other.details) y "
    "ON y.review = x.review AND y.text = x.text AND y.repeat = x.repeat"
)
_ROWS = (
    "SELECT x.point_id, p.paper_id, p.title, x.tone, x.short, y.point_id, q.paper_id, q.title, "
    "y.tone, y.short, x.text, pairs.type "
    "FROM pairs JOIN one.details x ON x.offset = first JOIN other.details y ON y.offset = second"
    f"{_RECORDS} JOIN one.papers p ON p.id = a.paper JOIN other.papers q ON q.id = b.paper"
)


@dataclass(frozen=True)
class PairFilter:
    """Which pairs of points are listed.

    Attributes:
        change: One of `CHANGES`.
        words: Words of the point or of either run's evidence.
        type: Type of the point in the first run.
        page: From 1.
    """

    change: str = DIFFER
    words: str = ""
    type: str = ""
    page: int = 1

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Self:
        """The filter that an address asks for."""
        change = one_of(query, "change", CHANGES) or DIFFER
        return cls(change, search_of(query), one_of(query, "type", TYPES), page_number(query))

    def query(self, **changes: object) -> str:
        """It as a part of an address, quoted; with some values changed, from its first page."""
        values = {**vars(self), "page": 1, **changes}
        plain = vars(PairFilter())
        return urlencode({name: value for name, value in values.items() if value != plain[name]})


@dataclass(frozen=True)
class PairSide:
    """What one of the two runs says of a point: its identifier, paper and verdict."""

    point_id: str
    paper_id: str
    title: str
    tone: str
    short: str

    @property
    def anchor(self) -> str:
        """The point's name in links."""
        return anchor_of(self.point_id)


@dataclass(frozen=True)
class PairLine:
    """A point that both runs have."""

    first: PairSide
    second: PairSide
    text: str
    type: str


@dataclass(frozen=True)
class Figures:
    """What `compare` says of two runs, or why it says nothing."""

    page: FigurePage | None
    refused: str = ""


@dataclass(frozen=True)
class SharedPoints:
    """The points that two runs share.

    Attributes:
        first: A run.
        second: Another.
        file: Where the pairs are kept.
    """

    first: OpenRun
    second: OpenRun
    file: Path

    def counts(self, wanted: PairFilter) -> dict[str, int]:
        """How many pairs there are of each of `CHANGES`, with the filter's words and type."""
        condition, values = _condition(wanted)
        sums = ", ".join(f"coalesce(sum({_CONDITIONS[change]}), 0)" for change in CHANGES)
        with closing(_attached(self.file, self.first, self.second)) as base:
            found = base.execute(f"SELECT {sums} FROM pairs WHERE {condition}", values).fetchone()
        return dict(zip(CHANGES, map(int, found), strict=True))

    def lines(self, wanted: PairFilter) -> list[PairLine]:
        """A page of the pairs, those that differ most first."""
        condition, values = _condition(wanted)
        span = (PER_PAGE, (wanted.page - 1) * PER_PAGE)
        with closing(_attached(self.file, self.first, self.second)) as base:
            rows = base.execute(
                f"{_ROWS} WHERE {condition} AND {_CONDITIONS[wanted.change]} "
                "ORDER BY apart DESC, pairs.first LIMIT ? OFFSET ?",
                (*values, *span),
            ).fetchall()
        return [PairLine(PairSide(*row[:5]), PairSide(*row[5:10]), *row[10:]) for row in rows]


def _condition(wanted: PairFilter) -> tuple[str, list[object]]:
    parts, values = ["1"], list[object]()
    if wanted.type:
        parts.append("pairs.type = ?")
        values.append(wanted.type)
    if match := match_of(wanted.words):
        found = "pairs.{} IN (SELECT rowid FROM {}.searched WHERE searched MATCH ?)"
        parts.append(f"({found.format('first', 'one')} OR {found.format('second', 'other')})")
        values += [match, match]
    return " AND ".join(parts), values


def _attached(file: Path, first: OpenRun, second: OpenRun) -> sqlite3.Connection:
    """A file of pairs beside the indexes of both runs, of which nothing is changed."""
    base = sqlite3.connect(file, isolation_level=None, uri=True)
    try:
        base.execute("PRAGMA trusted_schema = OFF")
        for name, run in (("one", first), ("other", second)):
            base.execute(f"ATTACH ? AS {name}", (f"{run.index.file.resolve().as_uri()}?mode=ro",))
    except BaseException:
        base.close()
        raise
    return base


@dataclass(frozen=True)
class SideBySide:
    """Shared points of runs that somebody compared, made anew when one of the runs has changed."""

    _pairs: Behind[SharedPoints] = field(default_factory=lambda: Behind(_dropped), repr=False)
    _figures: Behind[Figures] = field(default_factory=Behind, repr=False)

    def pairs(self, first: OpenRun, second: OpenRun, folder: Path) -> Made[SharedPoints]:
        """The points that two runs share; the table is kept in a private folder."""
        read = tuple(run.index.totals().points for run in (first, second))
        state = (*_state(first, second), read)
        name = hashlib.sha256(repr((first.key, second.key, state)).encode()).hexdigest()[:16]
        made = SharedPoints(first, second, folder / f"pairs-{name}.sqlite")
        found = self._pairs.get(
            (first.key, second.key), state, lambda: _written(made), wait=_WAIT_PAIRS
        )
        # A run that was closed since is asked by whoever has it open now.
        value = found.value and replace(found.value, first=first, second=second)
        return Made(value, found.fresh)

    def figures(self, first: OpenRun, second: OpenRun) -> Made[Figures]:
        """What `compare` says of two runs."""
        return self._figures.get(
            (first.key, second.key), _state(first, second),
            lambda: _figures(first, second), wait=_WAIT_FIGURES,
        )  # fmt: skip


def _state(first: OpenRun, second: OpenRun) -> tuple[object, ...]:
    return state_of_files(first.path), state_of_files(second.path)


def _written(pairs: SharedPoints) -> SharedPoints:
    """The pairs, by identifier where the words are the same; as `compare` pairs them.

    With a run of before, whose identifiers are places, by review and the words' beginning.
    """
    pairs.file.unlink(missing_ok=True)
    with closing(_attached(pairs.file, pairs.first, pairs.second)) as base:
        base.create_function("by_place", 1, lambda name: place_of(name) is not None)
        by_place = "SELECT EXISTS (SELECT 1 FROM {}.details WHERE by_place(point_id))"
        one, other = (base.execute(by_place.format(run)).fetchone() for run in ("one", "other"))
        base.execute("PRAGMA main.synchronous = OFF")
        base.execute("PRAGMA main.journal_mode = OFF")
        base.executescript(_MAKE.format(_BY_NAME if one == other else _BY_WORDS))
    return pairs


def _dropped(pairs: SharedPoints) -> None:
    with suppress(OSError):
        pairs.file.unlink(missing_ok=True)


def _figures(first: OpenRun, second: OpenRun) -> Figures:
    answer = compared_apart(first.path, second.path)
    if answer.found is None:
        return Figures(None, _named(answer.refused, (first, second)))
    page = comparison_page(answer.found)
    return Figures(replace(page, lead=_named(page.lead, (first, second))))


def _named(words: str, runs: Sequence[OpenRun]) -> str:
    """Words about runs that call these by their names and not by their paths."""
    for run in sorted(runs, key=lambda run: -len(str(run.path))):
        words = words.replace(str(run.path), run.shelved.name)
    return words
