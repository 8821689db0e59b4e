"""Planted remarks written by a model, checked by code, confirmed by other models.

A paper is asked about in two rounds: `plant` gives remarks with passages, cuts and decoys by their
words, and `plant_again` sees what the checks say of each and what lies nearest to it in the cut
paper. What a check is certain of is dropped then. Confirmers read each version by itself. All calls
go through the ledger, so that the same command goes on where it ended and pays nothing twice.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from reviewscore.config import EMBEDDED, Plain, Settings
from reviewscore.errors import InputError, RunFolderError, SettingsError
from reviewscore.files import hash_text, write_whole
from reviewscore.papers.load import READING_VERSION
from reviewscore.papers.sentences import SentenceKind, sentences
from reviewscore.printable import counted
from reviewscore.runs.estimate import CostEstimate, estimate_calls
from reviewscore.runs.folder import MANIFEST
from reviewscore.runs.generation import (
    GeneratedRow,
    GenerationManifest,
    GenerationSession,
    Rows,
    Work,
    fill,
    generation_folder,
    read_rows,
)
from reviewscore.runs.manifest import METHOD
from reviewscore.runs.session import Outcome, Say
from reviewscore.schema.annotation import AnnotatorKind
from reviewscore.schema.marks import sum_of_words
from reviewscore.schema.paper import Paper
from reviewscore.schema.planted_point import (
    DroppedRemark,
    DropReason,
    PlantedForm,
    PlantedPassage,
    PlantedPoint,
    Stratum,
    TextEdit,
)
from reviewscore.schema.point_id import same_words
from reviewscore.schema.point_label import PassagePlace
from reviewscore.schema.record import Record, storable
from reviewscore.schema.validation import WrittenItems
from reviewscore.sources.lazy_papers import PaperHandle
from reviewscore.validation.confirming import CONFIRM, VERIFIERS, confirmed, versions_of
from reviewscore.validation.drafts import (
    SOURCE,
    WRITER,
    Fault,
    PlantAgainReply,
    PlantedDraft,
    PlantReply,
    RemarkDraft,
    foreign_point,
    plant,
)
from reviewscore.validation.families import known_family
from reviewscore.validation.leaks import nearest
from reviewscore.validation.planted import PlantedPoints
from reviewscore.validation.versions import as_judged

FOLDER = "items"
"""Folder of written items in the folder of a validation."""
PLANTED, DROPPED = "planted.jsonl", "dropped.jsonl"
ACCOUNT, WRITTEN = "write.json", "written.jsonl"
"""The manifest of the writing, and its rows, a paper a line."""
PLANT, AGAIN = "plant", "plant_again"
PLANTING_VERSION = 2
"""Raise it when the same replies would make other planted points."""
ROOM_FOR_ITEM = 1_200
"""Tokens of a reply that are allowed for each remark."""
_REPLIES = {PLANT: 550, AGAIN: 350}
"""Guessed tokens of a reply for each remark."""
_CONFIRM_TOKENS = 150
_NEAREST = 500
"""Most characters of a near passage that the writer is shown."""
_SHOWN_AGAIN = 5_000
"""Guess: characters of what the second round is shown of a remark."""


@dataclass(frozen=True)
class WritePlan:
    """Who writes planted remarks, who confirms them, and how many.

    Attributes:
        writer: The model that writes, as ``provider/name`` or ``exchange:FOLDER``.
        confirmers: Models that confirm both truths of each, at most two.
        per_paper: Remarks about each paper; one of them is about another paper, if there are
            several.
    """

    writer: str
    confirmers: tuple[str, ...] = ()
    per_paper: int = 8

    def settings(self, settings: Settings) -> Settings:
        """How writer and confirmers are asked, from how judges are.

        Raises:
            SettingsError: One of them is no model, or confirmers are too many or the same.
        """
        for flag, model in (
            ("--writer", self.writer),
            *(("--confirmer", c) for c in self.confirmers),
        ):
            if model == EMBEDDED:
                raise SettingsError(f"{flag} needs a model that writes; {EMBEDDED} is none")
        if len(self.confirmers) > len(VERIFIERS):
            raise SettingsError("--confirmer: at most two models confirm")
        if len(set(self.confirmers)) < len(self.confirmers):
            raise SettingsError("--confirmer: name two different models, best of two families")
        others = tuple(model for model in self.confirmers if model != self.writer)
        return settings.model_copy(update={"model": self.writer, "panel": others, "judges": {}})


class PlantedPaperRow(GeneratedRow):
    """What came of one paper; a line of ``written.jsonl``.

    Attributes:
        paper_id: The paper.
        paper_text_sha256: Sum of its text, by which a changed paper is known.
        written: Remarks that the writer gave.
        points: Those that are planted.
        dropped: The others.
        mended: Of the planted ones, those that the second round has changed.
        doubts: What somebody must look at, by the id of the point.
        decoys_left_out: Neutral cuts that could not be made, each with its reason.
    """

    paper_id: str
    paper_text_sha256: str
    written: int = 0
    points: tuple[PlantedPoint, ...] = ()
    dropped: tuple[DroppedRemark, ...] = ()
    mended: tuple[str, ...] = ()
    doubts: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    decoys_left_out: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The paper's identifier."""
        return self.paper_id

    @property
    def unconfirmed(self) -> int:
        """Remarks that were dropped as a confirmer gave no usable reply: the row failed in part."""
        return sum(remark.reason is DropReason.UNCONFIRMED for remark in self.dropped)

    @property
    def failed(self) -> bool:
        """Whether the row failed, as a whole or in part."""
        return self.state == "failed" or self.unconfirmed > 0

    def about(self, handle: PaperHandle) -> bool:
        """Whether it was made for the text that a paper has now."""
        return self.paper_text_sha256 == _sum_of(handle)


class WriteOutcome(Record):
    """What a session of writing came to.

    Attributes:
        items: Counts, costs and who took part, as the page of a validation shows them.
        failures: Papers about which no usable reply came, with the reason of each.
        unconfirmed: Papers of which remarks were lost as a confirmer gave no usable reply, with
            their number.
        spent: Dollars, those of doubtful calls included; None if they are not known.
        stopped: The limit that ended the session before it was done; None if it came to its end.
        interrupted: Whether Ctrl-C ended it.
    """

    items: WrittenItems
    failures: dict[str, str]
    unconfirmed: dict[str, int]
    spent: float | None
    stopped: str | None
    interrupted: bool


def items_file(out: Path) -> Path:
    """Where the planted points of a validation's own writer lie."""
    return out / FOLDER / PLANTED


def write_items(
    papers: Mapping[str, PaperHandle],
    plan: WritePlan,
    out: Path,
    settings: Settings,
    *,
    retry_errors: bool = False,
    say: Say = lambda _: None,
    step: Callable[[], None] = lambda: None,
) -> WriteOutcome:
    """Write planted remarks about papers into the folder of a validation, or go on with it.

    Args:
        papers: The papers, by identifier.
        plan: Who writes and confirms.
        out: The folder of the validation; everything goes into its folder ``items``.
        settings: How models are asked, and the limits.
        retry_errors: Ask again about papers that failed; of one that failed in part, what a
            confirmer has not answered.
        say: Told what the user should know.
        step: Called for each paper that is done, now or before.

    Raises:
        SettingsError: A model cannot be asked.
        RunFolderError: The folder was made otherwise, or cannot be written.
        InputError: No remark is planted in the end.
    """
    asked = plan.settings(settings)
    more: dict[str, Plain] = {
        "writer": plan.writer,
        "confirmers": list(plan.confirmers),
        "items_per_paper": plan.per_paper,
        f"{METHOD}planting": PLANTING_VERSION,
        f"{METHOD}reading": READING_VERSION,
    }
    place = out / FOLDER
    used = (PLANT, AGAIN, CONFIRM, "paper")
    with generation_folder(place, ACCOUNT, used, asked, more=more) as folder:
        rows = Rows(place / WRITTEN, PlantedPaperRow, retry_errors=retry_errors)
        for row in [row for row in rows.done.values() if retry_errors and row.failed]:
            rows.forget(row.key)
        outcome = fill(
            folder,
            rows,
            _work(papers, plan),
            asked,
            say=say,
            renew=retry_errors,
            step=step,
        )
        kept = [rows.done[name] for name in papers if name in rows.done]
        made = _outcome(plan, kept, outcome)
        if outcome.manifest.complete:
            _write_sets(place, kept)
    if outcome.manifest.complete and not made.items.kept:
        raise _nothing_kept(made, place)
    return made


def expected_to_write(
    papers: Mapping[str, PaperHandle], plan: WritePlan, settings: Settings
) -> CostEstimate:
    """What `write_items` would ask about papers that are not done, with every remark confirmed.

    Args:
        papers: The papers.
        plan: Who writes and confirms.
        settings: How models are asked.

    Raises:
        InputError: A paper cannot be read.
        SettingsError: A model cannot be asked.
    """
    own, asked = plan.per_paper, list[tuple[str, str, int]]()
    for handle in papers.values():
        length = len(handle.load().text)
        asked.append((plan.writer, PLANT, length))
        asked.append((plan.writer, AGAIN, length + own * _SHOWN_AGAIN))
        asked += [(model, CONFIRM, length) for model in plan.confirmers for _ in range(2 * own)]
    replies = {name: own * tokens for name, tokens in _REPLIES.items()}
    return estimate_calls(
        asked,
        plan.settings(settings),
        replies | {CONFIRM: _CONFIRM_TOKENS},
        papers={PLANT, AGAIN, CONFIRM},
        longest=dict.fromkeys((PLANT, AGAIN), ROOM_FOR_ITEM * own),
    )


def left_to_write(
    papers: Mapping[str, PaperHandle], out: Path, *, retry_errors: bool = False
) -> dict[str, PaperHandle]:
    """The papers whose text the folder of a validation has no row of; nothing is asked or written.

    Args:
        papers: The papers.
        out: The folder of the validation.
        retry_errors: Whether papers that failed, as a whole or in part, are left too.

    Raises:
        RunFolderError: A row cannot be read.
    """
    rows = {row.key: row for row in read_rows(out / FOLDER / WRITTEN, PlantedPaperRow)}
    done = {
        name
        for name, row in rows.items()
        if name in papers and row.about(papers[name]) and not (retry_errors and row.failed)
    }
    return {name: handle for name, handle in papers.items() if name not in done}


def check_judged(papers: Mapping[str, PaperHandle], out: Path) -> None:
    """Refuse papers other than those whose remarks the folder of a validation holds judged.

    A run goes on with the same remarks alone, so that others would be written in vain.

    Raises:
        RunFolderError: There are judgments, and a paper is new, is gone, or has another text.
    """
    if not (out / MANIFEST).is_file():
        return
    gone = {row.key for row in read_rows(out / FOLDER / WRITTEN, PlantedPaperRow)} - papers.keys()
    other = [*left_to_write(papers, out), *sorted(gone)]
    if other:
        raise RunFolderError(
            f"{out} holds judgments of other remarks: paper '{other[0]}' is new, changed or gone "
            f"({counted(len(other), 'paper')} in all); give the papers as they were, or another "
            "folder"
        )


_STAND_INS = (
    (PlantedForm.DENIAL, "Nothing whatever seems to be known here about matter number {}."),
    (PlantedForm.QUESTION, "How exactly would the authors explain matter number {}?"),
    (PlantedForm.ARGUMENT, "Since matter number {} stays dark, readers can hardly trust results."),
)
"""Remarks of the usual length and forms, for estimates before there are any."""


def stand_ins(papers: Mapping[str, PaperHandle], per_paper: int) -> PlantedPoints:
    """Points that stand in for those to be written, to estimate what judging them costs.

    Args:
        papers: The papers.
        per_paper: How many about each.

    Raises:
        InputError: A paper cannot be read.
    """
    points = []
    for handle in papers.values():
        paper = handle.load()
        units = [unit for unit in sentences(paper) if unit.kind is SentenceKind.SENTENCE]
        for number in range(min(per_paper, len(units))):
            unit = units[number * len(units) // per_paper]
            form, remark = _STAND_INS[number % len(_STAND_INS)]
            start, end = unit.start, unit.end
            words = sum_of_words(paper.text[start:end])
            place = PassagePlace.MAIN
            points.append(
                PlantedPoint(
                    id=f"{paper.paper_id}.{number:08x}",
                    source=SOURCE,
                    paper_id=paper.paper_id,
                    paper_text_sha256=hash_text("paper", paper.text).sha256,
                    remark=remark.format(number + 1),
                    form=form,
                    stratum=Stratum.HARD,
                    fact="not written yet",
                    passages=(PlantedPassage(start=start, end=end, sha256=words, place=place),),
                    cuts=(TextEdit(start=start, end=end),),
                    writer=WRITER,
                    writer_kind=AnnotatorKind.MODEL,
                )
            )
    return PlantedPoints(tuple(points))


@dataclass(frozen=True)
class _Task:
    """A paper to write about, and another one for a remark that is fair about this one."""

    handle: PaperHandle
    other: PaperHandle | None


def _work(papers: Mapping[str, PaperHandle], plan: WritePlan) -> Work[_Task, PlantedPaperRow]:
    handles = list(papers.values())
    several = len(handles) > 1 and plan.per_paper > 1
    tasks = {
        handle.paper_id: _Task(handle, handles[(at + 1) % len(handles)] if several else None)
        for at, handle in enumerate(handles)
    }

    async def make(session: GenerationSession, task: _Task) -> PlantedPaperRow:
        return await _PaperWriter(session, plan, task).row()

    def instead(task: _Task, fields: dict[str, object]) -> PlantedPaperRow:
        sha256 = _sum_of(task.handle)
        return PlantedPaperRow.model_validate(
            {"paper_id": task.handle.paper_id, "paper_text_sha256": sha256, **fields}
        )

    def current(row: PlantedPaperRow, task: _Task) -> bool:
        return row.about(task.handle)

    return Work(tasks, "papers", current, make, instead)


def _sum_of(handle: PaperHandle) -> str:
    """The sum of a paper's text; empty of one that cannot be read."""
    try:
        return hash_text("paper", handle.load().text).sha256
    except InputError:
        return ""


class _PaperWriter:
    """Asks about one paper."""

    def __init__(self, session: GenerationSession, plan: WritePlan, task: _Task) -> None:
        self._session, self._plan, self._task = session, plan, task
        self._writer = session.asker(plan.writer)
        self._dropped: list[DroppedRemark] = []

    async def row(self) -> PlantedPaperRow:
        """What comes of the paper.

        Raises:
            ModelError: The writer gives no usable reply.
            StopError: Nothing more can be asked.
            InputError: The paper cannot be read.
        """
        paper = await self._session.compute(lambda: as_judged(self._task.handle.load()))
        other = self._task.other
        own = self._plan.per_paper - (other is not None)
        judged = await self._writer.ask(
            PLANT,
            PlantReply,
            paper=paper,
            check=_has_items,
            max_tokens=ROOM_FOR_ITEM * self._plan.per_paper,
            count=own,
            fair=other is not None,
        )
        drafts = judged.reply.items[:own]
        first = await self._session.compute(lambda: plant(paper, drafts))
        made, mended = await self._mended(paper, first)
        points = [one.point for one in made if one.point is not None]
        for one in made:
            if one.point is None:
                self._drop(paper, one.draft.form, one.draft.remark, one.faults[0])
        fair = judged.reply.fair
        foreign = None
        if fair is not None and other is not None:
            foreign = await self._session.compute(lambda: as_judged(other.load()))
            try:
                points.append(foreign_point(fair, paper, foreign))
            except ValueError as error:
                fault = Fault(DropReason.WORDS, str(error))
                self._drop(paper, PlantedForm.ANOTHER_PAPER, fair.remark, fault)
        kept = await self._confirmed(points, paper, foreign)
        names = {point.id for point in kept}
        return PlantedPaperRow(
            state="made",
            provenance=judged.provenance,
            paper_id=paper.paper_id,
            paper_text_sha256=hash_text("paper", paper.text).sha256,
            written=len(drafts) + (fair is not None and other is not None),
            points=tuple(kept),
            dropped=tuple(self._dropped),
            mended=tuple(point.id for point in kept if point.remark in mended),
            doubts={
                one.point.id: tuple(map(storable, one.doubts))
                for one in made
                if one.point is not None and one.doubts and one.point.id in names
            },
            decoys_left_out=tuple(storable(words) for one in made for words in one.decoys_left_out),
        )

    async def _mended(
        self, paper: Paper, first: Sequence[PlantedDraft]
    ) -> tuple[tuple[PlantedDraft, ...], set[str]]:
        """The drafts after the second round, and the remarks that it has changed."""
        remarks = await self._session.compute(lambda: list(_shown_again(paper, first)))
        count = len(first)
        judged = await self._writer.ask(
            AGAIN,
            PlantAgainReply,
            paper=paper,
            check=lambda reply: _check_numbers(reply, count),
            max_tokens=ROOM_FOR_ITEM * self._plan.per_paper,
            remarks=remarks,
            numbers=", ".join(str(number) for number in range(1, count + 1)),
        )
        decided = {item.number: item for item in judged.reply.items}
        drafts: list[RemarkDraft] = []
        mended: set[str] = set()
        for number, one in enumerate(first, start=1):
            item = decided.get(number)
            if item is not None and item.decision == "give_up":
                problem = one.faults[0].problem if one.faults else "no check found it wrong"
                given_up = Fault(DropReason.GIVEN_UP, problem)
                self._drop(paper, one.draft.form, one.draft.remark, given_up)
            elif item is not None and item.item is not None and item.decision == "mend":
                drafts.append(item.item)
                mended.add(same_words(item.item.remark))
            else:
                drafts.append(one.draft)
        return await self._session.compute(lambda: plant(paper, drafts)), mended

    async def _confirmed(
        self, points: Sequence[PlantedPoint], paper: Paper, foreign: Paper | None
    ) -> list[PlantedPoint]:
        """The points whose truths nobody denies, with what confirmers say of them."""
        confirmers = self._plan.confirmers
        family = known_family(self._plan.writer)
        signed = [point.model_copy(update={"writer_family": family}) for point in points]
        if not confirmers:
            return signed

        async def one(point: PlantedPoint) -> PlantedPoint | Fault:
            about = point.form is PlantedForm.ANOTHER_PAPER
            whole, fair = (foreign, paper) if about and foreign is not None else (paper, None)
            try:
                versions = await self._session.compute(lambda: versions_of(point, whole, fair))
            except InputError as error:
                return Fault(DropReason.UNREADABLE, error.problem)
            return await confirmed(self._session, confirmers, point, versions)

        kept = []
        # Branches that wait for a folder of replies all put their prompts there before one stops.
        ended = await asyncio.gather(*map(one, signed), return_exceptions=True)
        for point, said in zip(signed, ended, strict=True):
            if isinstance(said, BaseException):
                raise said
            if isinstance(said, Fault):
                self._drop(paper, point.form, point.remark, said)
            else:
                kept.append(said)
        return kept

    def _drop(self, paper: Paper, form: str, remark: str, fault: Fault) -> None:
        self._dropped.append(
            DroppedRemark(
                paper_id=paper.paper_id,
                form=PlantedForm(form),
                remark=storable(remark),
                reason=fault.reason,
                problem=storable(fault.problem),
            )
        )


def _has_items(reply: PlantReply) -> None:
    """Refuse a reply without remarks.

    Raises:
        ValueError: There is none.
    """
    if not reply.items:
        raise ValueError("items: write at least one")


def _check_numbers(reply: PlantAgainReply, count: int) -> None:
    """Refuse decisions that belong to no remark, or to one twice.

    Raises:
        ValueError: There is one.
    """
    numbers = [item.number for item in reply.items]
    wrong = [number for number in numbers if not 1 <= number <= count]
    if wrong or len(set(numbers)) < len(numbers):
        raise ValueError(f"items: each number from 1 to {count} once")
    for item in reply.items:
        if item.decision == "mend" and item.item is None:
            raise ValueError(f"number {item.number}: `mend` needs the whole entry in `item`")


def _shown_again(paper: Paper, first: Sequence[PlantedDraft]) -> Iterator[dict[str, object]]:
    """What the second round is shown of each remark."""
    for one in first:
        near = () if one.point is None or not one.point.cuts else nearest(paper, one.point)
        yield {
            "draft": one.draft.model_dump_json(indent=1),
            "faults": [f"{fault.reason}: {fault.problem}" for fault in one.faults],
            "doubts": [*one.doubts, *(f"decoy left out: {why}" for why in one.decoys_left_out)],
            "nearest": [passage.text[:_NEAREST] for passage in near],
        }


def _write_sets(place: Path, rows: Sequence[PlantedPaperRow]) -> None:
    """Write what is planted and what was dropped, a line each, in the order of the papers."""
    points = [point for row in rows for point in row.points]
    dropped = [remark for row in rows for remark in row.dropped]
    for name, records in ((PLANTED, points), (DROPPED, dropped)):
        lines = (record.model_dump_json(by_alias=True) for record in records)
        write_whole(place / name, "".join(f"{line}\n" for line in lines))


def _outcome(
    plan: WritePlan, rows: Sequence[PlantedPaperRow], outcome: Outcome[GenerationManifest]
) -> WriteOutcome:
    spending = outcome.manifest.spending
    failed = {row.paper_id: row for row in rows if row.state == "failed"}
    return WriteOutcome(
        items=WrittenItems(
            writer=plan.writer,
            confirmers=plan.confirmers,
            papers=len(rows),
            failed=dict(sorted(Counter(row.failure for row in failed.values()).items())),
            written=sum(row.written for row in rows),
            kept=sum(len(row.points) for row in rows),
            mended=sum(len(row.mended) for row in rows),
            doubtful=sum(len(row.doubts) for row in rows),
            decoys_left_out=sum(len(row.decoys_left_out) for row in rows),
            dropped=dict(Counter(drop.reason.value for row in rows for drop in row.dropped)),
            usd=spending.usd,
            calls=spending.calls,
            reused=spending.reused,
        ),
        failures={name: row.reason for name, row in failed.items()},
        unconfirmed={row.paper_id: row.unconfirmed for row in rows if row.unconfirmed},
        spent=None if spending.usd is None else spending.usd + spending.doubtful_usd,
        stopped=outcome.stopped,
        interrupted=outcome.interrupted,
    )


def _nothing_kept(made: WriteOutcome, place: Path) -> InputError:
    """Why nothing can be judged."""
    reasons = {**made.items.dropped, **made.items.failed}
    words = ", ".join(f"{count:,} {reason}" for reason, count in reasons.items())
    return InputError(
        f"no remark is planted: {words or 'none was written'}",
        file=place / DROPPED,
        cure="--retry-errors asks again about papers that failed; else name another --writer, more "
        "papers or more --items-per-paper, and another folder",
    )
