"""Suggestions for a reviewer on a draft, before it is submitted; nothing of it is kept.

A draft and its paper lie in memory, and a PDF for the while in a folder that only its owner reads.
Calls of models are recorded nowhere. What is said is the reviewer's page of a report.
"""

from __future__ import annotations

import asyncio
import logging
import shutil
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Annotated

from pydantic import Field, StringConstraints, ValidationError, field_validator
from starlette.exceptions import HTTPException

from reviewscore import prompts
from reviewscore.config import EMBEDDED, Settings
from reviewscore.errors import (
    ConfidentialityError,
    InputError,
    ModelError,
    ReviewScoreError,
    SettingsError,
    TooLargeError,
)
from reviewscore.files import TEMPORARY
from reviewscore.judges.model_judges import open_judges
from reviewscore.llm.confidentiality import check_consent, permission_of, settled
from reviewscore.llm.connect import RunContext
from reviewscore.llm.ledger.store import CallsInMemory, owner_alive, process_name
from reviewscore.llm.provider import provider_class
from reviewscore.papers.load import PaperRow, build_paper
from reviewscore.printable import counted
from reviewscore.report.roles import Reader, Sheet, sheet
from reviewscore.runs.manifest import PromptCheck
from reviewscore.runs.prompt_checks import check_prompts
from reviewscore.runs.scoring import LocalScoring, ScoresInMemory
from reviewscore.runs.session import Interruption, Quiet, Say, done_in_thread, stoppable
from reviewscore.schema.paper import Paper
from reviewscore.schema.point_score import PointScore, Status
from reviewscore.schema.record import Record
from reviewscore.schema.review import PointKind, PointType, Review
from reviewscore.sources.collection import Collection, of_file
from reviewscore.sources.reviews import ReviewRow, build_review

_PAPER, _DRAFT = "paper", "draft"
_PREFIX = f"{TEMPORARY}drafts-"
SCHEMAS = "/v1/schema"
"""Where a server says what it takes and gives."""
_LONGEST, _BOXES = 100_000, 200
Text = Annotated[str, StringConstraints(max_length=_LONGEST)]
"""A draft, of some thirty pages at the most."""
PaperText = Annotated[str, StringConstraints(max_length=2_000_000)]


class DraftPaper(Record):
    """The paper that a draft is of.

    Attributes:
        text: Its whole text.
        title: Its title; without it, the first heading or line of the text.
    """

    text: PaperText
    title: Text | None = None


class DraftRequest(Record):
    """What is sent to ``/v1/draft`` as JSON.

    Attributes:
        review: The draft as one text, or its text boxes by name, which are no longer together.
        paper: The paper.
    """

    review: Text | Annotated[dict[Text, Text], Field(max_length=_BOXES)]
    paper: DraftPaper

    @field_validator("review")
    @classmethod
    def _as_long_as_one_text(cls, review: str | dict[str, str]) -> str | dict[str, str]:
        boxes = {} if isinstance(review, str) else review
        if sum(len(name) + len(text) for name, text in boxes.items()) > _LONGEST:
            raise ValueError(f"all boxes together should have at most {_LONGEST} characters")
        return review


class DraftPassage(Record):
    """A passage of the paper, word for word.

    Attributes:
        quote: The paper's own words.
        section: The place it stands at, in words.
        page: 1-based page of the PDF; None where pages are not known.
    """

    quote: str
    section: str | None
    page: int | None


class DraftPoint(Record):
    """A point of the draft that passages of the paper may bear on; it has no score.

    Attributes:
        text: The reviewer's own words.
        type: What it is: a question, a claim or an argument; None if that is not known.
        kind: What it does: it criticises, requests or asks; None if that is not known.
        said: What is said about it, as paragraphs.
        passages: What the paper says, the most telling first.
        note: A closing question to the reviewer; empty for none.
    """

    text: str
    type: PointType | None
    kind: PointKind | None
    said: tuple[str, ...]
    passages: tuple[DraftPassage, ...]
    note: str


class DraftAnswer(Record):
    """What ``/v1/draft`` answers: the words of the page.

    Attributes:
        points: Points with passages to look at; the others are left as they are.
        judge: Who looked: ``lexical``, or the model's name.
        notes: What the reviewer must know of all of it.
    """

    points: tuple[DraftPoint, ...]
    judge: str
    notes: tuple[str, ...]


class DraftFault(Record):
    """Why ``/v1/draft`` gives no answer.

    Attributes:
        message: What is wrong.
        cure: What can be done.
    """

    message: str
    cure: str


class DraftError(ReviewScoreError):
    """A draft that is not looked at.

    Args:
        status: HTTP status that says so.
        message: What is wrong.
        cure: What can be done.
        again: Seconds after which it may be tried again, if that helps.
    """

    def __init__(self, status: int, message: str, cure: str, again: int | None = None) -> None:
        self.status, self.fault, self.again = status, DraftFault(message=message, cure=cure), again
        super().__init__(f"{message}; {cure}")

    @property
    def headers(self) -> dict[str, str]:
        """What an answer's headers say of it."""
        again = {} if self.again is None else {"Retry-After": str(self.again)}
        return again | (
            {"WWW-Authenticate": "Bearer"} if self.status == HTTPStatus.UNAUTHORIZED else {}
        )

    @classmethod
    def of(cls, error: Exception) -> DraftError:
        """What a sender is told of an error; of a failure of ours nothing but that there was one.

        Names of files, addresses and what a program says of a text stay here.
        """
        cure, again = f"GET {SCHEMAS} says what is taken", None
        match error:
            case DraftError():
                return error
            case HTTPException():
                status, words = error.status_code, error.detail
            case ValidationError():
                first = error.errors(include_url=False, include_input=False)[0]
                place = ".".join(map(str, first["loc"][:2]))[:80] or "the text"
                status, words = 422, f"{place}: {first['msg']}"
            case InputError():
                status, words = 413 if isinstance(error, TooLargeError) else 422, error.problem
                cure = error.cure or "correct it and send it again"
            case TimeoutError():
                status, words, again = 504, "it took too long", 60
                cure = "try again later, or send less"
            case ReviewScoreError():
                status, words, again = 502, "the judge gave no answer that can be used", 60
                cure = "try again later; if it stays so, tell those who run this server"
            case _:
                status, words = 500, "something went wrong here"
                cure = "tell those who run this server"
        return cls(status, words, cure, again)


def check_private(settings: Settings, *, confirmed: bool) -> Settings:
    """The settings, if drafts may be shown to their models, which keep nothing here.

    Args:
        settings: Name the models.
        confirmed: Whether it was said that drafts may leave this machine.

    Raises:
        ConfidentialityError: They would leave it, and that was not said, or the venue forbids it.
            Or the venue's consent does not reach to these models.
        SettingsError: A model takes prompts into files, or a setting needs a record of calls.
    """
    others = [model for model in settings.models if model != EMBEDDED]
    if any(provider_class(model).traits.records for model in others) or settings.batch:
        raise SettingsError(
            "people and batch jobs answer later, from prompts that are kept; drafts are looked at "
            "at once, and nothing is kept: name another --model"
        )
    check_consent(permission_of(settings), "a draft")
    try:
        settled(settings.with_confidentiality("local", "drafts"))
    except ConfidentialityError:
        settings = settled(settings)
        if not confirmed:
            raise ConfidentialityError(
                f"drafts and papers would leave this machine for {', '.join(others)}; if the venue "
                "and its reviewers know that, start with --allow-provider"
            ) from None
    return settings


@contextmanager
def private_folder() -> Iterator[Path]:
    """A folder that only its owner reads, for the while; those of killed servers are removed."""
    for left in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*-*-*-*"):
        host, number, started, _ = left.name.removeprefix(_PREFIX).rsplit("-", 3)
        if number.isdecimal() and not owner_alive(f"{host}/{number}/{started}"):
            shutil.rmtree(left, ignore_errors=True)  # it follows no link
    folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{process_name().replace('/', '-')}-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class _Silence:
    """How many blocks want silence, and whether the log went on to others before the first."""

    lock, blocks, before = threading.Lock(), 0, True
    handler = logging.NullHandler()


@contextmanager
def nothing_logged() -> Iterator[None]:
    """Within the block this package logs nothing: what it says of a failure may quote a text.

    Several blocks may overlap; the log speaks again after the last one.
    """
    log = logging.getLogger("reviewscore")
    with _Silence.lock:
        _Silence.blocks += 1
        if _Silence.blocks == 1:
            _Silence.before, log.propagate = log.propagate, False
            log.addHandler(_Silence.handler)
    try:
        yield
    finally:
        with _Silence.lock:
            _Silence.blocks -= 1
            if not _Silence.blocks:
                log.removeHandler(_Silence.handler)
                log.propagate = _Silence.before


@dataclass(frozen=True)
class DraftLimits:
    """How much is looked at.

    Attributes:
        per_day: Drafts a person and day (UTC).
        at_once: Drafts at once.
        waiting: Drafts that wait for their turn.
        seconds: Most for one draft, its wait included.
        megabytes: Most of what is sent at once.
    """

    per_day: int = 20
    at_once: int = 2
    waiting: int = 8
    seconds: float = 600.0
    megabytes: float = 30.0


@dataclass(eq=False)
class Drafts:
    """Looks at drafts, each person's one at a time.

    Attributes:
        settings: Name the judge, as `check_private` gives them.
        folder: Where PDFs lie for the while, as `private_folder` gives it.
        limits: How much is looked at.
        say: Told of failures, without a word of a text.
        now: The time.
    """

    settings: Settings
    folder: Path
    limits: DraftLimits = DraftLimits()
    say: Say = lambda _: None
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    _used: Counter[tuple[str, date]] = field(default_factory=Counter)
    _busy: set[str] = field(default_factory=set)
    _checks: dict[str, PromptCheck] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._slots = asyncio.Semaphore(self.limits.at_once)

    async def suggest(
        self, person: str, review: str | Mapping[str, str], paper: DraftPaper | bytes
    ) -> tuple[Sheet, DraftAnswer]:
        """What the paper may say to a draft, as a page and as a record.

        It ends when it is cancelled, once the step under way is done.

        Args:
            person: Who asks.
            review: The draft, as one text or in boxes.
            paper: The paper, or its PDF.

        Raises:
            DraftError: It is not looked at, or could not be.
        """
        work = partial(self._work, review, paper)
        with self._admitted(person):
            try:
                async with asyncio.timeout(self.limits.seconds), self._slots:
                    return await done_in_thread(work)
            except Exception as error:  # the outer loop: one bad draft never ends the server
                known = DraftError.of(error)
                if known.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                    self.say(f"a draft failed: {type(error).__name__}")
                raise known from None  # what the error says may quote a text

    @contextmanager
    def _admitted(self, person: str) -> Iterator[None]:
        now, limits = self.now(), self.limits
        tomorrow = datetime.combine(now.date() + timedelta(days=1), time(), UTC)
        if person in self._busy:
            cure = "wait until it is answered"
            raise DraftError(429, "another draft of yours is being looked at", cure, 10)
        if self._used[person, now.date()] >= limits.per_day:
            words = f"you have sent {counted(limits.per_day, 'draft')} today, the most of a day"
            rest = int((tomorrow - now).total_seconds()) + 1
            raise DraftError(429, words, "try again tomorrow (UTC)", rest)
        if len(self._busy) >= limits.at_once + limits.waiting:
            raise DraftError(503, "too many drafts wait already", "try again in a minute", 60)
        self._used = Counter({key: n for key, n in self._used.items() if key[1] == now.date()})
        self._used[person, now.date()] += 1
        self._busy.add(person)
        try:
            yield
        finally:
            self._busy.discard(person)

    def _work(
        self, review: str | Mapping[str, str], paper: DraftPaper | bytes, stop: Interruption
    ) -> tuple[Sheet, DraftAnswer]:
        boxes = {"text": review} if isinstance(review, str) else dict(review)
        draft, _ = build_review(ReviewRow(review_id=_DRAFT, paper_id=_PAPER, sections=boxes))
        with tempfile.TemporaryDirectory(dir=self.folder) as name:
            given, pdf = dict(paper) if isinstance(paper, DraftPaper) else {}, None
            if isinstance(paper, bytes):
                given, pdf = {"file": "paper.pdf"}, Path(name, "paper.pdf")
                pdf.write_bytes(paper)
            row = PaperRow(paper_id=_PAPER, **given)
            read = build_paper(row, source="text", folder=Path(name), doubts=False)
            return asyncio.run(stoppable(self._looked_at(draft, read, pdf), stop))

    async def _looked_at(
        self, review: Review, paper: Paper, pdf: Path | None
    ) -> tuple[Sheet, DraftAnswer]:
        settings, sink, quiet = self.settings, ScoresInMemory(), Quiet()
        papers = Collection({paper.paper_id: of_file(paper, pdf)}, [review])
        with prompts.use_directory(settings.prompts_dir):
            known = self._checks
            known |= await check_prompts(papers, settings, known=known, sizes=None, say=quiet.say)
            reply = settings.longest_reply
            longest = {model: check.longest_prompt + reply for model, check in known.items()}
            around = RunContext(longest=longest)
            async with open_judges(settings, CallsInMemory(), around) as (judges, client):
                scoring = LocalScoring(
                    collection=papers, settings=settings, run=sink, progress=quiet,
                    judges=judges, client=client,
                )  # fmt: skip
                await scoring.score([review])
        if sink.errors or scoring.stopped:
            raise ModelError("the review failed as a whole")
        points = sorted(sink.scores, key=lambda point: point.number or 0)
        unread = scoring.met().unread.get(paper.paper_id)
        page = sheet(Reader.REVIEWER, _PAPER, paper.title, points, unread=unread, paper=paper)
        failed = sum(point.status is Status.ERROR for point in points)
        if failed:
            note = f"{counted(failed, 'point')} could not be looked at; send the draft again."
            page = replace(page, banners=(*page.banners, note))
        return page, answer_of(page, points, settings.model)


def answer_of(page: Sheet, points: Sequence[PointScore], judge: str) -> DraftAnswer:
    """A reviewer's page as a record, in the same words.

    Args:
        page: The page.
        points: The points that it is made of.
        judge: Who looked.
    """
    by_name = {point.short_name: point for point in points}
    found = tuple(
        DraftPoint(
            text=entry.said,
            type=by_name[entry.point].type,
            kind=by_name[entry.point].kind,
            said=entry.own or (part.lead,),
            passages=tuple(
                DraftPassage(quote=quote.text, section=quote.section, page=quote.page)
                for quote in (*entry.quotes, *entry.further)
            ),
            note=entry.closing,
        )
        for part in page.parts
        if part.to_read
        for entry in part.entries
    )
    return DraftAnswer(points=found, judge=judge, notes=(page.lead, *page.banners, page.foot))
