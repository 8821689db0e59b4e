"""What reviews of a venue were, where the points of its run stood, and what became of scores."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection as Names
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reviewscore.config import EMBEDDED
from reviewscore.files import write_whole
from reviewscore.period.venue import RETIRED, PastRow, VenueFolder, jsonl, lines_of
from reviewscore.points.split import accept_proposed, split_review
from reviewscore.runs.audit import input_sums, inputs_of
from reviewscore.runs.consent import LOCAL
from reviewscore.runs.folder import MANIFEST, POINTS, digests_of
from reviewscore.runs.kept_points import place_in
from reviewscore.runs.manifest import INPUT, Counts, Manifest, sum_of
from reviewscore.schema.point_score import PointScore, Status
from reviewscore.schema.presupposition import Look
from reviewscore.schema.record import Record
from reviewscore.schema.review import ProposedPoint, Review, ReviewPoint
from reviewscore.schema.span import Span
from reviewscore.sources.collection import Collection
from reviewscore.sources.records import RecordRow, as_model
from reviewscore.sources.reviews import ReviewRow, build_review, with_boxes

Standing = Mapping[str, ReviewPoint]
"""Points that stand in a wording, by identifier."""


@dataclass(frozen=True)
class ReviewWording:
    """A review as it was in some syncs.

    Attributes:
        since: Number of the first of them.
        until: Number of the sync that replaced it; None as it is now.
        points: The points of a run that stand in it.
    """

    since: int
    until: int | None
    points: Standing


@dataclass(frozen=True)
class Splitting:
    """How a run splits reviews, by which its points are found again in other wordings.

    Attributes:
        limitations: Whether sections for limitations give points.
        by_rules: Whether no model proposes points.
    """

    limitations: bool
    by_rules: bool

    @classmethod
    def of(cls, manifest: Manifest) -> Splitting:
        """How the run of a manifest does."""
        values = {name: setting.value for name, setting in manifest.settings.items()}
        by_rules = values.get("points") == "rules" or manifest.judge == EMBEDDED
        return cls(limitations=values.get("limitations") is not False, by_rules=by_rules)

    def standing(self, review: Review, scores: Iterable[PointScore]) -> Standing:
        """Which points stand in a review, as points of it.

        By rules, those of its split; where a model splits, those of `scores` whose words are there
        with whatever white space.
        """
        if self.by_rules:
            points = split_review(review, include_limitations=self.limitations)
            return {point.point_id: point for point in points}
        found: dict[str, ReviewPoint] = {}
        for score in scores:  # each by itself: those of different wordings may overlap
            also = tuple(again.text for again in score.occurrences)
            words = ProposedPoint(text=score.text, also=also, lead_in=score.context)
            points, _ = accept_proposed(review, [words], include_limitations=self.limitations)
            found |= {point.point_id: point for point in points if point.point_id == score.point_id}
        ordered = sorted(found.values(), key=lambda point: place_in(review, point.span))
        return {
            point.point_id: point.model_copy(update={"number": number})
            for number, point in enumerate(ordered, start=1)
        }

    def wordings(
        self,
        past: Sequence[PastRow],
        current: tuple[Review, int] | None,
        scores: Iterable[PointScore],
    ) -> list[ReviewWording]:
        """The wordings that a review had, in their order.

        Args:
            past: Its rows of before.
            current: It as it is, and the sync that put it so; None if it is gone.
            scores: Scores of its points, of whatever wording.
        """
        found = [
            ReviewWording(row.since, row.until, self.standing(review_of_row(row.row), scores))
            for row in sorted(past, key=lambda row: row.since)
        ]
        if current is not None:
            found.append(ReviewWording(current[1], None, self.standing(current[0], scores)))
        return found


def review_of_row(row: Mapping[str, Any]) -> Review:
    """A review from its row in the data."""
    record = with_boxes(RecordRow(1, 0, dict(row)))
    return build_review(as_model(record, ReviewRow, Path("past.jsonl")))[0]


def stretches(point_id: str, wordings: Iterable[ReviewWording]) -> list[tuple[int, int | None]]:
    """When a point stood in its review without a break: the first sync, and the one after the last.

    The latter is None where it stands there now.

    Args:
        point_id: The point.
        wordings: Those of its review, in their order.
    """
    found: list[tuple[int, int | None]] = []
    for wording in wordings:
        if point_id not in wording.points:
            continue
        goes_on = bool(found) and found[-1][1] == wording.since
        since = found.pop()[0] if goes_on else wording.since
        found.append((since, wording.until))
    return found


def anchored(score: PointScore, point: ReviewPoint) -> PointScore:
    """A score whose point stands elsewhere in its review now; what was found out of it stays.

    Args:
        score: The score.
        point: Its point as it stands now: the same words, perhaps with other white space.
    """
    taken = ("text", "span", "number", "section", "role", "context", "neighbours", "occurrences")
    update: dict[str, object] = {name: getattr(point, name) for name in taken}
    if score.places is not None:
        places = (
            place.model_copy(update={"span": _moved(place.span, score, point)})
            for place in score.places
        )
        update["places"] = tuple(places)
    if score.looks:
        update["looks"] = tuple(_look(look, score, point) for look in score.looks)
    return score.model_copy(update=update)


def _look(look: Look, score: PointScore, point: ReviewPoint) -> Look:
    parts = (
        part
        if part.span is None
        else part.model_copy(update={"span": _moved(part.span, score, point)})
        for part in look.parts
    )
    return look.model_copy(update={"parts": tuple(parts)})


def _moved(span: Span, score: PointScore, point: ReviewPoint) -> Span:
    """A span within a point, where the point stands now."""
    start, end = span.start - score.span.start, span.end - score.span.start
    if score.text != point.text:  # letters stay in their order, white space does not count
        old, new = _letters(score.text), _letters(point.text)
        first, last = bisect_left(old, start), bisect_left(old, end) - 1
        if not 0 <= first <= last < len(new):
            return point.span
        start, end = new[first], new[last] + 1
    base = point.span.start
    return Span(field=point.span.field, start=base + start, end=base + end)


def _letters(text: str) -> list[int]:
    return [at for at, char in enumerate(text) if not char.isspace()]


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


def with_inputs(manifest: Manifest, collection: Collection) -> Manifest:
    """A run's manifest as if it had been made of another collection."""
    inputs = inputs_of(collection, manifest.settings["paper_as"].value)
    decisive = {k: value for k, value in manifest.decisive.items() if not k.startswith(INPUT)}
    decisive |= input_sums(inputs)
    papers = len({review.paper_id for review in collection.reviews})
    counts = Counts(papers=papers, reviews=len(collection.reviews))
    update = {"inputs": inputs, "decisive": decisive, "decisive_sha256": sum_of(decisive)}
    return manifest.model_copy(update={**update, "counts": counts})


def write_run(
    target: Path, manifest: Manifest, scores: Iterable[tuple[PointScore, bytes | None]]
) -> None:
    """Write the points of a run and its manifest, in which they are counted.

    Args:
        target: Where they are written.
        manifest: The manifest.
        scores: The scores, each with its line where it has one.
    """
    target.mkdir(parents=True, exist_ok=True)
    status, findings = Counter[Status](), Counter[str]()

    def lines() -> Iterator[bytes]:
        for score, line in scores:
            status[score.status] += 1
            findings.update([score.finding.value] if score.finding else [])
            yield line or jsonl([score]).encode()

    write_whole(target / POINTS, lines())
    counts = manifest.counts.of_points(status, findings)
    digests = {**manifest.digests, **digests_of(target)}
    whole = manifest.model_copy(update={"counts": counts, "digests": digests})
    write_whole(target / MANIFEST, whole.model_dump_json(indent=2) + "\n")
