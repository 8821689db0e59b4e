"""Judge what changed in a venue: the run of its audit is brought up to date before it goes on.

Of a review whose words changed, points that still stand keep their verdicts; scores of the others
are kept with the sync that took them away. Nothing is asked here: what is missing then, the audit
asks for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection as Names
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from reviewscore import prompts
from reviewscore.config import Plain, Resolved, Settings
from reviewscore.errors import RunFolderError, SettingsError
from reviewscore.files import write_whole
from reviewscore.period import log
from reviewscore.period.history import (
    History,
    RetiredScore,
    ReviewWording,
    Splitting,
    Standing,
    anchored,
    stretches,
    with_inputs,
    write_run,
)
from reviewscore.period.later import EDITS, EditedPoint, LaterOf, later_of, linked, with_points
from reviewscore.period.taken_back import TakenBack
from reviewscore.period.venue import (
    RETIRED,
    RUN,
    SYNCS,
    TAKEN_BACK,
    VENUE,
    ChangeKind,
    VenueFolder,
    jsonl,
    lines_of,
    removed_ids,
    runs_in,
    staged,
)
from reviewscore.period.verify import DIFFERED, watched
from reviewscore.points.responses import align_response
from reviewscore.runs.audit import inputs_of, new_manifest
from reviewscore.runs.folder import (
    ERRORS,
    MANIFEST,
    POINTS,
    LockedFolder,
    changed_records,
    manifest_of,
    read_lines_of_points,
    read_manifest,
    read_points,
)
from reviewscore.runs.kept_points import KeptPoints, overlap, place_in
from reviewscore.runs.manifest import differences
from reviewscore.schema.point_score import PointScore, Status
from reviewscore.sources.collection import Collection, read_collection

_TOUCHING = (
    ChangeKind.NEW,
    ChangeKind.EDITED,
    ChangeKind.WITHDRAWN,
    ChangeKind.RETURNED,
    ChangeKind.ANSWERED,
    ChangeKind.REMARKED,
)
"""Changes of reviews by which points, their places or the responses to them may differ."""


@dataclass
class _Rebase:
    """The scores of reviews that changed, as they are to stand in a run from now on.

    Attributes:
        history: Of these reviews.
        judged: Number of the sync that the run knows.
        scores: Scores as they stand now, by point; those of before that are not in it go.
        retired: Scores that go, by the sync that took them away.
    """

    history: History
    judged: int
    scores: dict[str, PointScore]
    retired: dict[int, list[RetiredScore]]

    def of_review(self, review_id: str, before: Sequence[PointScore]) -> None:
        """Find out what becomes of the scores of a review."""
        wordings = self.history.wordings(review_id, before)
        now = wordings[-1] if wordings and wordings[-1].until is None else None
        kept: list[PointScore] = []
        for score in before:
            held = stretches(score.point_id, wordings)
            at = [one for one in held if one[0] <= self.judged < (one[1] or self.judged + 1)]
            since, until = (at or held[-1:] or [(max(self.judged, 1), None)])[0]
            if until is None and now is not None and score.point_id in now.points:
                kept.append(score)
                continue
            until = until or self.history.venue.record.syncs
            gone = RetiredScore(point_id=score.point_id, since=since, until=until, score=score)
            self.retired[until].append(gone)
            self.history.retired[review_id].append(gone)
        if now is None:
            return
        kept += self._returned(review_id, now.points, {score.point_id for score in kept})
        stand = [anchored(score, now.points[score.point_id]) for score in kept]
        self.scores |= {score.point_id: score for score in self._answered(review_id, now, stand)}

    def _returned(self, review_id: str, points: Standing, kept: set[str]) -> list[PointScore]:
        """Scores of points that their review holds again."""
        latest = {each.point_id: each.score for each in self.history.retired[review_id]}
        taken = [points[name].span for name in kept]
        return [
            score
            for name, score in latest.items()
            if name in points
            and name not in kept
            and score.status is not Status.ERROR
            and score.paper_id == points[name].paper_id
            and not any(overlap(points[name].span, span) for span in taken)
        ]

    def _answered(
        self, review_id: str, now: ReviewWording, scores: Iterable[PointScore]
    ) -> Iterator[PointScore]:
        """Scores with what of the authors' response answers them."""
        review = self.history.collection.review(review_id)
        answers = None
        if review.author_response:
            answers = align_response(review, tuple(now.points.values())).answers
        for score in scores:
            found = None if answers is None else tuple(answers.get(score.point_id, ()))
            yield score.model_copy(update={"author_answers": found})


def _rebased(
    venue: VenueFolder, run: Path, collection: Collection, folder: Path, *, accept_changed: bool
) -> None:
    """Write what a run is to hold of the venue as it is now into a folder that is put into place.

    Raises:
        RunFolderError: The run cannot be read, or its records were changed.
    """
    old, judged = read_manifest(run, accept_changed=accept_changed), venue.record.judged
    names = {review.review_id for review in collection.reviews}
    touched = {
        change.id
        for change in venue.changes(judged)
        if change.what == "review" and change.change in _TOUCHING
    }
    before: dict[str, list[PointScore]] = {name: [] for name in touched}
    for score in read_points(run):
        if score.review_id in touched or score.review_id not in names:
            before.setdefault(score.review_id, []).append(score)
    history = History(venue, run, old, collection, before.keys())
    rebase = _Rebase(history, judged, {}, defaultdict(list))
    removed = removed_ids(venue.path)["review"]
    for review_id, scores in before.items():
        if review_id not in removed:
            rebase.of_review(review_id, scores)
    for sync, gone in rebase.retired.items():
        history.write(sync, gone, folder)
    known = {score.point_id for scores in before.values() for score in scores}
    changed = tuple(name for name in changed_records(run, old) if name != ERRORS)
    papers = collection.papers
    update = {
        "doubtful": tuple(name for name in old.doubtful if name in papers),
        "unread": {name: one for name, one in old.unread.items() if name in papers},
        "complete": False,
        "growing": True,  # a session is to go on with it
        "changed": changed,
    }
    manifest = with_inputs(old, collection).model_copy(update=update)
    target = folder / run.relative_to(venue.path)
    write_run(target, manifest, _with_others(run, known, rebase.scores))


def _with_others(
    run: Path, gone: Names[str], others: Mapping[str, PointScore]
) -> Iterator[tuple[PointScore, bytes | None]]:
    """The scores of a run with others in the places of some; further ones come last.

    Args:
        run: The run folder.
        gone: Points whose scores go, unless there are others.
        others: Scores by point.
    """
    left = dict(others)
    for line, old in read_lines_of_points(run):
        new = left.pop(old.point_id, None if old.point_id in gone else old)
        if new is not None:
            yield new, line if new == old else None
    yield from ((new, None) for new in left.values())


class VenueAudit:
    """An audit of a venue that is under way; the venue is locked.

    Args:
        venue: The venue.
        resolved: Settings with their origins.
        differed: Files that something else had changed before.
        accept_changed: Go on with records that something else has changed.

    Attributes:
        collection: Its papers and reviews as they are now.
        out: The run folder.
    """

    def __init__(
        self,
        venue: VenueFolder,
        resolved: Resolved,
        differed: Sequence[str] = (),
        *,
        accept_changed: bool,
    ) -> None:
        self._differed: Sequence[str] = differed
        self.venue, self.out, self._settings = venue, venue.run, resolved.settings
        skip = resolved.settings.skip_bad_lines
        self.collection = read_collection(venue.data, skip_bad_lines=skip)
        self._go_on(resolved, accept_changed=accept_changed)

    def _go_on(self, resolved: Resolved, *, accept_changed: bool) -> None:
        """Bring the run, and that of a judge beside it, up to date.

        Raises:
            RunFolderError: The run was made with other settings, or its records were changed.
        """
        venue, record = self.venue, self.venue.record
        runs = [run for run in runs_in(self.out) if not self._is_up_to_date(run)]
        with ExitStack() as stack:
            for run in runs:
                stack.enter_context(LockedFolder(run, what="this run"))
            if self.out in runs:
                self._check_settings(resolved, accept_changed=accept_changed)
            if not runs and record.judged == record.syncs:
                return
            folder = stack.enter_context(staged(venue.path))
            for run in runs:
                _rebased(venue, run, self.collection, folder, accept_changed=accept_changed)
            record = record.model_copy(update={"judged": record.syncs})
            write_whole(folder / VENUE, record.model_dump_json(indent=1) + "\n")
        self._note("begun")

    def _note(self, event: str) -> None:
        """Write into the log what the audit has written, or may have."""
        path = self.venue.path
        files = [run / name for run in runs_in(self.out) for name in (MANIFEST, POINTS)]
        files += [path / name for name in (VENUE, EDITS, TAKEN_BACK)]
        files += sorted((path / SYNCS).glob(f"*/*{RETIRED}"))
        details: dict[str, Plain] = {DIFFERED: [*self._differed]} if self._differed else {}
        self._differed = ()  # said once
        log.append(path, event, details=details, files=[file for file in files if file.is_file()])

    def _is_up_to_date(self, run: Path) -> bool:
        old, record = manifest_of(run), self.venue.record
        now = inputs_of(self.collection, old.settings["paper_as"].value)
        return record.judged == record.syncs and old.inputs == now

    def _check_settings(self, resolved: Resolved, *, accept_changed: bool) -> None:
        with prompts.use_directory(self._settings.prompts_dir):
            new = new_manifest(self.collection, resolved, out=self.out)
        old = read_manifest(self.out, accept_changed=accept_changed)
        if found := differences(old.decisive, new.decisive, inputs=False):
            raise RunFolderError(
                f"{self.out} was made otherwise: {found[0].words}; use the same settings, or judge "
                "into another folder with -o"
            )

    def kept_in(self, run: Path, settings: Settings) -> KeptPoints:
        """The scores that stand in reviews that were edited.

        None are told of where a review is split by rules and its points are asked about alone:
        there they do not meet the new ones.

        Args:
            run: The run folder, or that of a judge beside the main one.
            settings: What it goes on with.

        Raises:
            SettingsError: Several processes cannot compare them.
        """
        manifest = manifest_of(run) if (run / MANIFEST).is_file() else None
        if manifest is None:
            return KeptPoints()
        if settings.asked_per == "point" and Splitting.of(manifest).by_rules:
            return KeptPoints()
        scores = _scores_of(run, self._edited)
        if settings.engine == "ray" and scores:
            raise SettingsError(
                "points that stand in edited reviews are compared in one process; leave out "
                "--engine ray"
            )
        history = History(self.venue, run, manifest, self.collection, scores.keys())
        return KeptPoints(scores, history.retire)

    @cached_property
    def _edited(self) -> set[str]:
        """Reviews whose rows were replaced."""
        return {row.id for row in self.venue.past() if row.what == "review"}

    def settle(self) -> None:
        """Note what came of a session: links of reworded points, what was taken back, the log.

        Links wait until a session has reached its end, so that they are the same however often it
        was interrupted.
        """
        with staged(self.venue.path) as folder:
            edits = [*lines_of(self.venue.path / EDITS, EditedPoint)]
            remarks = [*lines_of(self.venue.path / TAKEN_BACK, TakenBack)]
            for run in runs_in(self.out):
                manifest = manifest_of(run)
                if not manifest.complete or manifest.selection:
                    continue
                scores = _scores_of(run, self._edited | {remark.review_id for remark in remarks})
                history = History(self.venue, run, manifest, self.collection, scores.keys())
                edits = linked(history, scores, edits)
                remarks = with_points(remarks, scores, self.collection.review)
                numbered = {} if history.splitting.by_rules else self._in_reading_order(scores)
                if numbered:
                    target = folder / run.relative_to(self.venue.path)
                    write_run(target, manifest, _with_others(run, (), numbered))
            for name, records in ((EDITS, edits), (TAKEN_BACK, remarks)):
                write_whole(folder / name, jsonl(records))
        self._note("audited")

    @cached_property
    def later(self) -> LaterOf:
        """What gives everything that came later than a point."""
        return later_of(self.venue)

    def _in_reading_order(
        self, scores: Mapping[str, Sequence[PointScore]]
    ) -> dict[str, PointScore]:
        """Scores that need another number, as a model split their review in several sessions."""
        numbered = {}
        for review_id, held in scores.items():
            review = self.collection.review(review_id)
            ordered = sorted(held, key=lambda score: place_in(review, score.span))
            for number, score in enumerate(ordered, start=1):
                if score.number != number:
                    numbered[score.point_id] = score.model_copy(update={"number": number})
        return numbered


def _scores_of(run: Path, reviews: Names[str]) -> dict[str, list[PointScore]]:
    """The scores that a run holds of some reviews, by review."""
    found: dict[str, list[PointScore]] = defaultdict(list)
    for score in read_points(run):
        if score.review_id in reviews:
            found[score.review_id].append(score)
    return found


@contextmanager
def venue_audit(
    path: Path, resolved: Resolved, *, accept_changed: bool = False
) -> Iterator[VenueAudit]:
    """An audit of a venue folder, whose run is up to date with it; the venue is locked meanwhile.

    Args:
        path: The venue folder.
        resolved: Settings with their origins.
        accept_changed: Go on with records that something else has changed.

    Raises:
        RunFolderError: The run was made with other settings, its records were changed, or another
            process writes to it.
    """
    with (
        VenueFolder(path).open_for_writing() as venue,
        watched(path, RUN, VENUE, EDITS, TAKEN_BACK, SYNCS) as differed,
    ):
        if differed and not accept_changed:
            names = ", ".join(str(path / name) for name in differed)
            raise RunFolderError(
                f"{names}: changed by something else than reviewscore since the log named it; put "
                "back what was there, or go on with it with --accept-changed"
            )
        yield VenueAudit(venue, resolved, differed, accept_changed=accept_changed)
