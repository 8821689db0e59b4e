"""What comes of comparing two runs, as written to ``compare.json``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from reviewscore import __version__
from reviewscore.runs.manifest import Difference
from reviewscore.schema.record import Record
from reviewscore.stats.estimates import Estimate

Kind = Literal["share", "difference", "coefficient"]


class Side(Record):
    """One of the two runs.

    Attributes:
        name: Name of its folder.
        run_id: Name of the run in the ledger.
        judge: The model asked for.
        reviewscore_version: Version of the program that made it; several with commas between.
        settings: Sum of what is decisive but its inputs.
        complete: Whether its last session reached the end.
        points: Its points.
        reviews: Its reviews.
        papers: Its papers.
        rates: Its own rates, over all its points.
    """

    name: str
    run_id: str
    judge: str
    reviewscore_version: str
    settings: str
    complete: bool
    points: int
    reviews: int
    papers: int
    rates: dict[str, Estimate] = Field(default_factory=dict)


class Line(Record):
    """One row of estimates.

    Attributes:
        group: What points it is of.
        estimates: Estimates by column; a column that makes no sense here is not in it.
    """

    group: str
    estimates: dict[str, Estimate]


class Section(Record):
    """One table of estimates.

    Attributes:
        name: Such as ``rates``.
        title: Its heading.
        columns: Headings by name of the column.
        kinds: What the column's values are, by name.
        lines: Its rows.
        notes: How it is defined.
    """

    name: str
    title: str
    columns: dict[str, str]
    kinds: dict[str, Kind]
    lines: tuple[Line, ...]
    notes: tuple[str, ...] = ()


class Cross(Record):
    """How often each pair of values comes, the first run's in rows.

    Attributes:
        name: Such as ``scores``.
        title: Its heading.
        values: Names of rows and columns.
        counts: Points.
    """

    name: str
    title: str
    values: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]


class Comparison(Record):
    """Two runs side by side. A difference is the second run's value less the first one's.

    Attributes:
        reviewscore_version: Version of the program that compared them.
        paired: Whether the same points are compared, or two sets of papers.
        why: Why so.
        first: The first run.
        second: The second run.
        made_otherwise: Decisive values that differ, inputs apart: each may explain the drift.
        inputs_differ: Whether their input files differ.
        shared: Points that both have, with the same words.
        reworded: Points with one identifier and other words.
        only_first: Points of the first run alone.
        only_second: Points of the second run alone.
        sections: Tables of estimates.
        crosses: Cross tables; none of unpaired runs.
        resamples: Samples of papers drawn for intervals.
        seed: Of these draws.
        level: Of the intervals, 0 to 1.
        notes: What must be known to read any of it.
    """

    schema_id: Literal["reviewscore.compare/1"] = Field(
        default="reviewscore.compare/1", alias="schema"
    )
    reviewscore_version: str = __version__
    paired: bool
    why: str
    first: Side
    second: Side
    made_otherwise: tuple[Difference, ...]
    inputs_differ: bool
    shared: int
    reworded: int
    only_first: int
    only_second: int
    sections: tuple[Section, ...]
    crosses: tuple[Cross, ...] = ()
    resamples: int
    seed: int
    level: float
    notes: tuple[str, ...] = ()
