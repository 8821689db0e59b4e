"""What reviews of a venue were, and the scores of points that they no longer hold."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection as Names
from collections.abc import Iterator, Sequence
from pathlib import Path

from reviewscore.files import write_whole
from reviewscore.period.venue import PastRow, VenueFolder, jsonl, lines_of
from reviewscore.period.wordings import Splitting, ReviewWording, stretches
from reviewscore.runs.manifest import Manifest
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.record import Record
from reviewscore.sources.collection import Collection

RETIRED = "retired.jsonl"
LOCAL = "local"
"""Folder in the run of a venue, of what models on this machine judge beside the main judge."""


class RetiredScore(Record):
    """The score of a point that its review no longer holds, or that is no longer its score.

    Attributes:
        point_id: The point.
        since: Number of the first sync in which it held.
        until: Number of the sync from which on it does not.
        score: The score.
    """

    point_id: str
    since: int
    until: int
    score: PointScore


def retired_by(
    venue: VenueFolder, since: int = 0, *, names: Sequence[str] = (RETIRED, f"{LOCAL}-{RETIRED}")
) -> Iterator[RetiredScore]:
    """The scores that the syncs after a number retired, in their order.

    Args:
        venue: The venue.
        since: The number.
        names: Files of these scores: of the main run, and of that beside it.
    """
    for number in range(since + 1, venue.record.syncs + 1):
        for name in names:
            yield from lines_of(venue.sync_folder(number) / name, RetiredScore)


class History:
    """What reviews of a venue were, and the scores of a run that are no longer theirs.

    Args:
        venue: The venue.
        run: Its run folder, or that of a judge beside the main one.
        manifest: Of the run.
        collection: What the venue's data hold now.
        wanted: The reviews.
    """

    def __init__(
        self,
        venue: VenueFolder,
        run: Path,
        manifest: Manifest,
        collection: Collection,
        wanted: Names[str],
    ) -> None:
        self.venue, self.splitting = venue, Splitting.of(manifest)
        self.collection = collection
        self._file = RETIRED if run == venue.run else f"{LOCAL}-{RETIRED}"
        self._past: dict[str, list[PastRow]] = defaultdict(list)
        for row in venue.past():
            if row.what == "review" and row.id in wanted:
                self._past[row.id].append(row)
        self._since = {
            row.id: row.since for row in venue.index() if row.what == "review" and row.id in wanted
        }
        self.retired: dict[str, list[RetiredScore]] = defaultdict(list)
        for each in retired_by(venue, names=[self._file]):
            if each.score.review_id in wanted:
                self.retired[each.score.review_id].append(each)

    def file(self, sync: int) -> Path:
        """Where the scores are that a sync retired, from the venue's folder on."""
        return self.venue.sync_folder(sync).relative_to(self.venue.path) / self._file

    def wordings(self, review_id: str, scores: Sequence[PointScore]) -> list[ReviewWording]:
        """The wordings that a review had, with the points of these scores and of retired ones."""
        since = self._since.get(review_id)
        current = None if since is None else (self.collection.review(review_id), since)
        known = [*scores, *(each.score for each in self.retired[review_id])]
        return self.splitting.wordings(self._past[review_id], current, known)

    def last_stretch(
        self, review_id: str, point_id: str, scores: Sequence[PointScore]
    ) -> tuple[int, int | None]:
        """When a point last stood in its review without a break, as `stretches` has it."""
        held = stretches(point_id, self.wordings(review_id, scores))
        return held[-1] if held else (self.venue.record.syncs, None)

    def write(self, sync: int, gone: Sequence[RetiredScore], folder: Path) -> None:
        """Write the scores that a sync retired, those of before and further ones, below a folder.

        A point is there once for each sync.
        """
        before = [*lines_of(self.venue.path / self.file(sync), RetiredScore)]
        names = {each.point_id for each in before}
        target = folder / self.file(sync)
        target.parent.mkdir(parents=True, exist_ok=True)
        write_whole(target, jsonl([*before, *(e for e in gone if e.point_id not in names)]))

    def retire(self, score: PointScore) -> None:
        """Keep a score that is about to be replaced, although its review still holds its point."""
        since, _ = self.last_stretch(score.review_id, score.point_id, [score])
        until = self.venue.record.syncs
        gone = RetiredScore(point_id=score.point_id, since=since, until=until, score=score)
        self.write(until, [gone], self.venue.path)
