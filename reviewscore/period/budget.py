"""A budget of alarms: how many flags a person is shown openly on a day, and which.

The rest stays on the page to be unfolded; nothing is lost, and nothing is pushed twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from reviewscore.files import JsonLines
from reviewscore.period.ranking import closeness_of_papers, rank_flags
from reviewscore.period.venue import VenueFolder, is_venue, lines_of
from reviewscore.report.role_pages import ShownFlags
from reviewscore.runs.folder import manifest_of
from reviewscore.runs.input_data import folder_again
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.record import Record
from reviewscore.sources.collection import named_table
from reviewscore.sources.strata import ReviewFacts, read_review_facts

PUSHED = "pushed.jsonl"
"""What was pushed to whom, beside the run's records or in the venue's folder."""
Pushed = Callable[[str, Iterable[PointScore]], ShownFlags]
"""A person and all points of that person's pages to the flags to show openly."""


def _day(text: str) -> str:
    return date.fromisoformat(text).isoformat()


class PushedFlag(Record):
    """One line of ``pushed.jsonl``.

    Attributes:
        person: Whom it was pushed to, as the assignments name them.
        point_id: The flag.
        day: On which day, as ``2026-05-03``.
    """

    schema_id: Literal["reviewscore.pushed/1"] = Field(
        default="reviewscore.pushed/1", alias="schema"
    )
    person: str
    point_id: str
    day: Annotated[str, AfterValidator(_day)]


def pusher(
    folder: Path, budget: int, day: date | None = None, *, data: Path | None = None
) -> Pushed:
    """What chooses the flags that a person is shown openly on a day, and remembers them.

    Of the flags that this person was not pushed before, those of the highest rank
    (`ranking.rank_flags`) are added until the day's budget is full. Asked again on that day it
    gives the same ones, and others only where the budget was not full and new flags came. What it
    gives is remembered before it is given: a delivery that was killed is made again with its own
    day, and shows what it would have shown.

    Args:
        folder: The venue's folder or the run's, where `PUSHED` is kept.
        budget: Flags a person and day, at most; 0 pushes nothing.
        day: The day; today (UTC) if None.
        data: Folder of papers and reviews, whose ratings tell how open a decision is; where the
            run was made of if None. Without ratings every decision counts as open.

    Raises:
        RunFolderError: What was pushed before cannot be read, with file and line.
        InputError: The reviews cannot be read.
    """
    today = (day or datetime.now(UTC).date()).isoformat()
    close = closeness_of_papers(ratings_of(folder, data))
    before: dict[str, dict[str, str]] = {}
    for entry in read_pushed(folder):
        before.setdefault(entry.person, {}).setdefault(entry.point_id, entry.day)

    def pushed(person: str, points: Iterable[PointScore]) -> ShownFlags:
        known = before.setdefault(person, {})
        ranked = [flag.point.point_id for flag in rank_flags(points, close)]
        room = budget - sum(then == today for then in known.values())
        new = [point_id for point_id in ranked if point_id not in known][: max(0, room)]
        _remember(folder, [PushedFlag(person=person, point_id=name, day=today) for name in new])
        known |= dict.fromkeys(new, today)
        days = {point_id: known[point_id] for point_id in ranked if point_id in known}
        openly = frozenset(point_id for point_id, then in days.items() if then == today)
        return ShownFlags(today, openly, frozenset(days) - openly)

    return pushed


def read_pushed(folder: Path) -> Iterator[PushedFlag]:
    """All that was ever pushed, in order; nothing if nothing was.

    Raises:
        RunFolderError: A line is no such record; names file and line.
    """
    return lines_of(folder / PUSHED, PushedFlag)


def pushed_in(folder: Path) -> list[Path]:
    """The file of what was pushed, for the log of a venue; none if nothing ever was."""
    return [file for file in (folder / PUSHED,) if file.is_file()]


def _remember(folder: Path, entries: Sequence[PushedFlag]) -> None:
    if not entries:
        return
    lines = JsonLines(folder / PUSHED)
    try:
        for entry in entries:
            lines.append(entry.model_dump_json())
    finally:
        lines.close()


def ratings_of(folder: Path, data: Path | None = None) -> dict[str, ReviewFacts]:
    """Ratings of a venue's reviews by review id; empty if they are not at hand.

    Args:
        folder: The venue's folder, or that of a run.
        data: Where the reviews are; None for the venue's, or where they lay.

    Raises:
        InputError: The reviews cannot be read.
        RunFolderError: It is no run.
    """
    if data is None and is_venue(folder):
        data = VenueFolder(folder).data
    place = data or folder_again(folder, manifest_of(folder))
    if place is None or not place.is_dir():
        return {}
    return read_review_facts([named_table(place, "reviews")])
