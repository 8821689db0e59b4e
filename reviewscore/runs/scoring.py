"""Scoring reviews, one after the other or many at once; failures become records."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Protocol

from reviewscore.config import Settings
from reviewscore.errors import ModelError, ReviewScoreError, StopError
from reviewscore.judges.by_review import ReviewPoints
from reviewscore.judges.excerpts import judged_on
from reviewscore.judges.judge import Judges, ReviewJudges
from reviewscore.papers.hygiene import without_surrogates
from reviewscore.pipeline import (
    make_record,
    review_points,
    score_presuppositions,
    score_with_response,
)
from reviewscore.points.places import with_places
from reviewscore.points.responses import align_response
from reviewscore.runs.folder import ErrorRecord
from reviewscore.runs.kept_points import contested, with_kept
from reviewscore.runs.session import Progress, Say, Session
from reviewscore.schema.author_answer import AuthorAnswer
from reviewscore.schema.calibration import Calibration, calibrated
from reviewscore.schema.paper import Paper, Unread
from reviewscore.schema.point_id import short_name
from reviewscore.schema.point_score import PointScore, Status
from reviewscore.schema.review import PointKind, Review, ReviewPoint
from reviewscore.schema.verdict import Provenance
from reviewscore.sources.collection import Collection
from reviewscore.sources.lazy_papers import PaperHandle
from reviewscore.sources.shown_papers import paper_as_shown

log = logging.getLogger(__name__)

PAPERS_HELD = 64
"""Papers kept in memory; reviews of one paper follow each other."""
PAPERS_AHEAD = 4
"""Papers read from files before they are needed, so that judging need not wait for reading."""


class Sink(Protocol):
    """Where scores go (`folder.RunDir`).

    Attributes:
        done: How scoring ended for the points that are there.
    """

    done: dict[str, Status]

    def add(self, score: PointScore) -> None:
        """Take a point's score."""
        ...

    def add_error(self, error: ErrorRecord) -> None:
        """Take a failure."""
        ...


@dataclass
class ScoresInMemory:
    """A `Sink` that holds all until somebody takes it."""

    done: dict[str, Status] = field(default_factory=dict)
    scores: list[PointScore] = field(default_factory=list)
    errors: list[ErrorRecord] = field(default_factory=list)

    def add(self, score: PointScore) -> None:
        """Take a point's score."""
        self.scores.append(score)
        self.done[score.point_id] = score.status

    def add_error(self, error: ErrorRecord) -> None:
        """Take a failure."""
        self.errors.append(error)


@dataclass
class Tally:
    """What a session met, as far as scores do not tell it.

    Attributes:
        failed_reviews: Reviews that could not be scored.
        without_points: Reviews in which no point was found.
        points: Points found, scored before or not.
        rejected: Proposed points that were not verbatim in their review.
        warnings: What is doubtful about papers, in words.
        doubtful: The papers it is about.
        unread: How much of a paper judges do not see, by its identifier.
    """

    failed_reviews: int = 0
    without_points: int = 0
    points: int = 0
    rejected: int = 0
    warnings: tuple[str, ...] = ()
    doubtful: tuple[str, ...] = ()
    unread: dict[str, Unread] = field(default_factory=dict)

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            failed_reviews=self.failed_reviews + other.failed_reviews,
            without_points=self.without_points + other.without_points,
            points=self.points + other.points,
            rejected=self.rejected + other.rejected,
            warnings=(*self.warnings, *other.warnings),
            doubtful=(*self.doubtful, *other.doubtful),
            unread={**self.unread, **other.unread},
        )


@dataclass(eq=False, kw_only=True)
class ScoringSession(Session):
    """One session of an audit, wherever the judges are.

    Attributes:
        run: Where scores go.
        progress: Told what happens.
        calibration: Correction of scores, if one was asked for.
        tally: What it met.
    """

    collection: Collection
    run: Sink
    progress: Progress
    calibration: Calibration | None = None
    tally: Tally = field(default_factory=Tally)
    say: Say = field(init=False)

    def __post_init__(self) -> None:
        self.say = self.progress.say

    def met(self) -> Tally:
        """All that it met."""
        return self.tally

    def finished(self, score: PointScore) -> None:
        """Write a point's score down and tell of it."""
        self.run.add(score)
        self.progress.finished(score, None if self.settings.embedded else self.traffic)

    def fail(self, review: Review, message: str) -> None:
        """Write down that a review failed, and tell of it.

        Args:
            review: The review.
            message: The kind of error, a colon and what happened.
        """
        self.tally.failed_reviews += 1
        kind = message.partition(":")[0]
        self.run.add_error(
            ErrorRecord(what="review", review_id=review.review_id, kind=kind, message=message)
        )
        self.say(f"review {review.review_id}: {message}")


@dataclass(frozen=True, kw_only=True)
class _Opened:
    """A review that was split.

    Attributes:
        todo: Those of its points that are to be scored.
        origin: Where its points came from.
        answers: What of the authors' response answers each point; None without one.
    """

    review: Review
    paper: Paper
    points: tuple[ReviewPoint, ...]
    todo: list[ReviewPoint]
    origin: tuple[Provenance, ...]
    answers: Mapping[str, tuple[AuthorAnswer, ...]] | None

    @property
    def asked(self) -> ReviewPoints:
        """The review with what may be a point in it."""
        points = (point for point in self.points if point.kind is not PointKind.NONE)
        return ReviewPoints(self.review, tuple(points))


@dataclass(eq=False, kw_only=True)
class LocalScoring(ScoringSession):
    """Scores reviews in this process.

    Attributes:
        judges: Who judges.
        by_rule: Points of reviews that were split already, by review; taken out as they are used.
        kept: Scores that stand of reviews that were edited, by review.
        contest: Takes such a score that a judge who reads its review again contests, and what it
            is from then on.
    """

    judges: Judges
    by_rule: dict[str, tuple[ReviewPoint, ...]] = field(default_factory=dict)
    kept: Mapping[str, Sequence[PointScore]] = field(default_factory=dict)
    contest: Callable[[PointScore, PointScore], None] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._papers = Papers(self.collection, self.settings, self.say)

    @property
    def reading(self) -> bool:
        """Whether papers are being read, whose reviews bring calls."""
        return self._papers.reading

    def met(self) -> Tally:
        """All that it met, what is doubtful about papers too."""
        papers = self._papers
        return self.tally + Tally(
            warnings=papers.warnings, doubtful=papers.doubtful, unread=papers.unread
        )

    async def score(self, reviews: Sequence[Review]) -> None:
        """Score reviews, those of one paper following each other, until done or stopped.

        Raises:
            RunFolderError: The sink failed: nothing can go on.
        """
        order = list(dict.fromkeys(review.paper_id for review in reviews))
        places = {paper_id: place for place, paper_id in enumerate(order)}

        async def score_next(group: Sequence[Review]) -> None:
            place = places[group[0].paper_id]
            self._papers.ahead(order[place : place + PAPERS_AHEAD])
            await self._score_together(group)

        if self.settings.asked_per == "paper":
            groups = [list(group) for _, group in groupby(reviews, key=lambda r: r.paper_id)]
        else:
            groups = [[review] for review in reviews]
        await self.each(partial(score_next, group) for group in groups)

    async def _score_together(self, reviews: Sequence[Review]) -> None:
        """Score the points of reviews of one paper that are not done; failures become records."""
        split = [review for review in await asyncio.gather(*map(self._opened, reviews)) if review]
        opened = [review for review in split if review.todo]
        if self.stopping or not opened:
            return
        together = self.settings.asked_per != "point"
        # Of all points, done or not: so a run that is taken up again finds the reply on record.
        asked = [review.asked for review in split if review.asked.points]
        if together and not await self._asked_together(asked, opened[0].paper):
            return
        if together and self.kept and not await self._compared(opened):
            return
        scoring = [self._score_point(review, point) for review in opened for point in review.todo]
        if self.client is None:  # nothing to wait for: in order, so that every run is the same
            for coroutine in scoring:
                await coroutine
            return
        await asyncio.gather(*scoring)
        for review in asked if together else ():
            review_judges(self.judges).forget(review.points)

    async def _asked_together(self, reviews: Sequence[ReviewPoints], paper: Paper) -> bool:
        """Ask about all points of reviews before they are scored one by one; whether that was done.

        If it was not, a stop came, or the reviews failed, which is written down.
        """
        many, most = sum(len(review.points) for review in reviews), self.settings.points_per_call
        names = ", ".join(review.review.review_id for review in reviews)
        if many > most:
            calls = -(-many // most)
            self.say(f"review {names}: {many} points are asked about in {calls} calls")
        try:
            await review_judges(self.judges).by_review(reviews, paper)
        except StopError as error:
            self.stop_for(error)
        except Exception as error:  # the outer loop: one bad review never ends a batch
            if not isinstance(error, ReviewScoreError):
                log.exception("review %s", names)
            for review in reviews:
                self.fail(review.review, _in_words(error))
        else:
            return True
        return False

    async def _compared(self, opened: Sequence[_Opened]) -> bool:
        """Compare what is said of points now with the scores that stand; False for a stop."""
        for each in opened:
            points = {point.point_id: point for point in each.points}
            for old in self.kept.get(each.review.review_id, ()):
                point = points.get(old.point_id)
                if point is None or point in each.todo:
                    continue
                try:
                    judges = review_judges(self.judges)
                    new = await contested(old, point, each.paper, judges, self.settings)
                    if new is not None and self.contest is not None:
                        self.contest(old, new)
                except ModelError as error:  # what was said before stands
                    self.say(f"{old.short_name} could not be compared: {_in_words(error)}")
                except StopError as error:
                    self.stop_for(error)
                    return False
        return True

    async def _opened(self, review: Review) -> _Opened | None:
        """A review with its points; None if it failed, which is written down, or a stop came."""
        settings = self.settings
        try:
            paper = await self._papers.paper(review.paper_id)
            points, origin, rejected = await review_points(
                review,
                self.judges,
                limitations=settings.limitations,
                rules_only=settings.points == "rules",
                by_rule=self.by_rule.pop(review.review_id, None),
            )
            if settings.points != "rules":
                points = with_kept(points, self.kept.get(review.review_id, ()), review)
            answers = align_response(review, points).answers if review.author_response else None
            if settings.asked_per != "point":
                points = tuple(with_places(point, paper, review) for point in points)
        except StopError as error:
            self.stop_for(error)
            return None
        except Exception as error:  # the outer loop: one bad review never ends a batch
            if not isinstance(error, ReviewScoreError):
                log.exception("review %s", review.review_id)
            self.fail(review, _in_words(error))
            return None
        self.tally.points += len(points)
        self.tally.without_points += not points
        self.tally.rejected += len(rejected)
        return _Opened(
            review=review,
            paper=paper,
            points=points,
            todo=[
                point
                for point in points
                if point.point_id not in self.run.done and is_chosen(point, settings)
            ],
            origin=origin,
            answers=answers,
        )

    async def _score_point(self, opened: _Opened, point: ReviewPoint) -> None:
        """Score one point and write it down, whatever comes of it."""
        await asyncio.sleep(0)  # lets signals in between points of a judge that never waits
        if self.stopping:
            return
        try:
            # Here, so that what fails keeps its places too.
            point = with_places(point, opened.paper, opened.review)
            score = await score_by_settings(
                point,
                opened.paper,
                self.judges,
                self.settings,
                response=opened.review.author_response,
                calibration=self.calibration,
            )
            score = score.model_copy(update={"provenance": (*opened.origin, *score.provenance)})
        except StopError as error:
            self.stop_for(error)
            return
        except Exception as error:  # the outer loop: one bad point never ends a batch
            if not isinstance(error, ReviewScoreError):
                log.exception("point %s", point.point_id)
            score = make_record(point, self.judges, status=Status.ERROR, error=_in_words(error))
        answers = opened.answers
        if answers is not None:
            score = score.model_copy(update={"author_answers": answers.get(point.point_id, ())})
        try:
            self.finished(score)
        except StopError as error:
            self.stop_for(error)


async def score_by_settings(
    point: ReviewPoint,
    paper: Paper,
    judges: Judges,
    settings: Settings,
    *,
    response: str | None,
    calibration: Calibration | None,
) -> PointScore:
    """Score a point as the settings ask.

    Args:
        point: The point.
        paper: The paper, as judges see it.
        judges: Who judges.
        settings: Which score, how many rounds, and whether judges see the response.
        response: The authors' response; None if there is none.
        calibration: What corrects scores; None if that was not asked for.

    Raises:
        ModelError, StopError: As `pipeline.score_point`.
    """
    response = response if settings.author_response else None
    if settings.context == "excerpts" and judges.gives_scores:
        point = with_places(point, paper)  # of the whole paper
        paper, _ = judged_on(point, paper, settings, response=response)
    if settings.presupposes:
        return await score_presuppositions(
            point,
            paper,
            review_judges(judges),
            proof=settings.proves_beside,
            score=settings.score,
            rounds=settings.rounds,
        )
    score = await score_with_response(
        point,
        paper,
        judges,
        score=settings.score,
        rounds=settings.rounds,
        response=response,
    )
    if calibration is None:
        return score
    return score.model_copy(update={"calibrated": calibrated(score, calibration)})


def review_judges(judges: Judges) -> ReviewJudges:
    """Judges as those that can be asked about whole reviews; settings let no others come here."""
    assert isinstance(judges, ReviewJudges)
    return judges


def _in_words(error: Exception) -> str:
    """The kind and message of an error, as text that can be stored."""
    return str(without_surrogates(f"{type(error).__name__}: {error}"))


class Papers:
    """Reads papers, each once while it is held, and remembers what is doubtful about them.

    Args:
        collection: Where they come from.
        settings: Say which parts of papers judges see, and as what.
        say: Told what is doubtful about a paper when it is first read.

    Attributes:
        unread: How much of a paper judges do not see, by its identifier.
    """

    def __init__(
        self, collection: Collection, settings: Settings, say: Callable[[str], None]
    ) -> None:
        self._collection, self._settings, self._say = collection, settings, say
        self._held: OrderedDict[str, asyncio.Future[Paper]] = OrderedDict()
        self._doubts: dict[str, tuple[str, ...]] = {}
        self.unread: dict[str, Unread] = {}

    @property
    def doubtful(self) -> tuple[str, ...]:
        """Identifiers of papers with warnings, in the order of reading."""
        return tuple(name for name, warnings in self._doubts.items() if warnings)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is doubtful, paper by paper."""
        return tuple(_line(name, text) for name, all_ in self._doubts.items() for text in all_)

    @property
    def reading(self) -> bool:
        """Whether papers are being read."""
        return any(not held.done() for held in self._held.values())

    async def paper(self, paper_id: str) -> Paper:
        """A paper as judges see it.

        Raises:
            InputError: If there is no such paper, or its text cannot be used.
        """
        held = self._held.get(paper_id)
        if held is None:
            held = self._hold(paper_id)
        self._held.move_to_end(paper_id)
        paper = await asyncio.shield(held)
        if paper_id not in self._doubts:
            self._doubts[paper_id] = paper.warnings
            if paper.unread is not None:
                self.unread[paper_id] = paper.unread
            for warning in paper.warnings:
                self._say(_line(paper_id, warning))
        return paper

    def ahead(self, paper_ids: Iterable[str]) -> None:
        """Begin to read papers that will be needed next, if that takes a while."""
        for paper_id in paper_ids:
            handle = self._collection.papers.get(paper_id)
            if handle is not None and self._takes_time(handle) and paper_id not in self._held:
                self._hold(paper_id)

    def _hold(self, paper_id: str) -> asyncio.Future[Paper]:
        handle = self._collection.papers.get(paper_id)
        reading: asyncio.Future[Paper]
        if handle is not None and self._takes_time(handle):
            reading = asyncio.ensure_future(asyncio.to_thread(self._read, paper_id))
            # A paper read ahead that nobody asks for any more may have failed unseen.
            reading.add_done_callback(lambda done: done.cancelled() or done.exception())
        else:
            reading = asyncio.get_running_loop().create_future()
            reading.set_result(self._read(paper_id))
        self._held[paper_id] = reading
        while len(self._held) > PAPERS_HELD:
            self._held.popitem(last=False)
        return reading

    def _takes_time(self, handle: PaperHandle) -> bool:
        return handle.in_file or self._settings.paper_as != "text"

    def _read(self, paper_id: str) -> Paper:
        parts, paper_as = self._settings.paper_parts, self._settings.paper_as
        return paper_as_shown(self._collection, paper_id, parts, paper_as)


def _line(paper_id: str, warning: str) -> str:
    return f"paper '{paper_id}': {warning}"


def is_chosen(point: ReviewPoint, settings: Settings) -> bool:
    """Whether a point is to be scored: its identifier or its short name was given, or none was."""
    names = settings.point
    return (
        not names
        or point.point_id in names
        or (point.number is not None and short_name(point.review_id, point.number) in names)
    )
