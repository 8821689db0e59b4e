"""What a writer model gives for planted remarks, and the planted points that code makes of it.

The writer quotes; places, sums and truth are the code's. A quote is looked up letter by letter
(white space, hyphens and typography aside) and must stand in one place alone. What a check is
certain of, or what cannot be made, is a fault of the draft; all of it can be said to the writer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal, TypeVar

from pydantic import Field, ValidationError

from reviewscore.errors import InputError
from reviewscore.files import hash_text
from reviewscore.judges.asker import Reply
from reviewscore.papers.paper_warnings import addressed
from reviewscore.papers.quotes import find_quote, levelled_span
from reviewscore.schema.annotation import AnnotatorKind
from reviewscore.schema.answer import Sentence, Several, Whole
from reviewscore.schema.marks import sum_of_words
from reviewscore.schema.paper import Paper, Zone
from reviewscore.schema.planted_point import (
    DropReason,
    PlantedForm,
    PlantedPassage,
    PlantedPoint,
    Stratum,
    TextEdit,
)
from reviewscore.schema.point_id import content_id, same_words
from reviewscore.schema.point_label import PassagePlace
from reviewscore.validation.leaks import LeakKind, leaks, short
from reviewscore.validation.planted import cut
from reviewscore.validation.versions import as_judged, meet

DraftT = TypeVar("DraftT")
PlacedT = TypeVar("PlacedT")

LONGEST_REMARK = 1_500
LONGEST_CLOSING = 200
"""Characters of a remark, and of words that close a cut."""
MOST_DECOYS = 4
WRITER = "W1"
SOURCE = "given"
"""What stands as data set of papers that the user has given."""
_QUOTED = 80


class AnswerDraft(Reply):
    """A passage that answers a remark, in the paper's words."""

    words: Sentence
    place: Literal["main", "caption", "table", "footnote", "appendix", "checklist"]


class CutDraft(Reply):
    """A stretch of the paper that is to go: `words` within `within`, and what closes the gap."""

    words: Sentence
    within: Sentence
    instead: Annotated[str, Field(max_length=LONGEST_CLOSING)]


class RemarkDraft(Reply):
    """A remark that is wrong about the paper, and how it is made fair."""

    form: Literal["denial", "request", "question", "hedged", "argument", "misreading"]
    remark: Annotated[str, Field(max_length=LONGEST_REMARK)]
    paraphrase: Annotated[str, Field(max_length=LONGEST_REMARK)]
    fact: Sentence
    passages: Several[AnswerDraft]
    cuts: Several[CutDraft]
    decoys: Several[Sentence]


class FairRemarkDraft(Reply):
    """A remark that is fair about this paper and would be beside the point elsewhere."""

    remark: Annotated[str, Field(max_length=LONGEST_REMARK)]
    paraphrase: Annotated[str, Field(max_length=LONGEST_REMARK)]
    fact: Sentence


class PlantReply(Reply):
    """The first round: remarks about one paper."""

    items: Several[RemarkDraft]
    fair: FairRemarkDraft | None


class MendedDraft(Reply):
    """What becomes of one remark of the first round."""

    number: Whole
    decision: Literal["keep", "mend", "give_up"]
    item: RemarkDraft | None


class PlantAgainReply(Reply):
    """The second round: the remarks of the first one, mended."""

    items: Several[MendedDraft]


_LEAKS = {
    LeakKind.PASSAGE: DropReason.NOT_VERBATIM,
    LeakKind.SHARED_WORDS: DropReason.SHARED_WORDS,
    LeakKind.UNCUT: DropReason.UNCUT,
}


@dataclass(frozen=True)
class Fault:
    """What is wrong with a draft for sure.

    Attributes:
        reason: Its kind.
        problem: What it is, in words; it may quote the paper and the draft.
    """

    reason: DropReason
    problem: str


@dataclass(frozen=True)
class PlantedDraft:
    """A draft and what code makes of it.

    Attributes:
        draft: As the writer gave it.
        point: The planted point; None where there are faults.
        faults: What is wrong for sure.
        doubts: What somebody must look at.
        decoys_left_out: Neutral cuts that cannot be made, each with its reason.
    """

    draft: RemarkDraft
    point: PlantedPoint | None
    faults: tuple[Fault, ...] = ()
    doubts: tuple[str, ...] = ()
    decoys_left_out: tuple[str, ...] = ()


class _DraftError(Exception):
    """A draft cannot be used."""

    def __init__(self, reason: DropReason, problem: str) -> None:
        super().__init__(problem)
        self.fault = Fault(reason, problem)


def plant(paper: Paper, drafts: Sequence[RemarkDraft]) -> tuple[PlantedDraft, ...]:
    """Planted points of the drafts about a paper, or what is wrong with each.

    Cuts of two remarks never meet, and neither cuts nor decoys take an answer of another one:
    several are cut at once. Of remarks that do, the first one stays.

    Args:
        paper: The whole paper, as judges see it.
        drafts: As the writer gave them.
    """
    made: list[PlantedDraft] = []
    kept: list[PlantedPoint] = []
    for draft in drafts:
        made.append(_planted(paper, draft, kept))
        kept += [point for point in (made[-1].point,) if point is not None]
    decoys: list[TextEdit] = []
    return tuple(
        one if one.point is None else _with_decoys(paper, one, one.point, kept, decoys)
        for one in made
    )


def foreign_point(draft: FairRemarkDraft, fair_about: Paper, paper: Paper) -> PlantedPoint:
    """A remark that is fair about one paper, planted about another one.

    Raises:
        ValueError: Its words cannot be used.
    """
    try:
        remark, *paraphrases = _remarks(draft)
    except _DraftError as error:
        raise ValueError(error.fault.problem) from error
    return PlantedPoint.model_validate(
        _fields(paper, remark, paraphrases, draft.fact)
        | {"form": PlantedForm.ANOTHER_PAPER, "fair_about": fair_about.paper_id}
    )


def _planted(paper: Paper, draft: RemarkDraft, others: Sequence[PlantedPoint]) -> PlantedDraft:
    """One draft, beside the points that were made before it."""
    faults: list[Fault] = []
    remarks: tuple[str, ...] = ()
    try:
        remarks = _remarks(draft)
        if any(same_words(other.remark) == remarks[0] for other in others):
            raise _DraftError(DropReason.REPEATED, "the remark is there already")
    except _DraftError as error:
        faults.append(error.fault)
    passages = list(_placed(faults, _passage, paper, draft.passages))
    cuts = list(_placed(faults, _edit, paper, draft.cuts))
    if faults:
        return PlantedDraft(draft, None, tuple(faults))
    try:
        made = _in_order(cuts)
        _check_apart(paper, passages, made, others)
    except _DraftError as error:
        return PlantedDraft(draft, None, (error.fault,))
    fields = _fields(paper, remarks[0], remarks[1:], draft.fact) | {
        "form": PlantedForm(draft.form),
        "passages": tuple(dict.fromkeys(passages)),
        "cuts": made,
    }
    try:
        point = PlantedPoint.model_validate(fields)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]["msg"].removeprefix("Value error, ")
        return PlantedDraft(draft, None, (Fault(DropReason.EDITS, problem),))
    certain = tuple(_certain(paper, point))
    if certain:
        return PlantedDraft(draft, None, certain)
    reworded = tuple(words for words in remarks[1:] if not _shares(paper, point, words))
    return PlantedDraft(draft, point.model_copy(update={"paraphrases": reworded}))


def _placed(
    faults: list[Fault],
    locate: Callable[[Paper, DraftT], PlacedT],
    paper: Paper,
    parts: Sequence[DraftT],
) -> Iterator[PlacedT]:
    """The parts of a draft that have a place; what is wrong with others goes to the faults."""
    for part in parts:
        try:
            yield locate(paper, part)
        except _DraftError as error:
            faults.append(error.fault)


def _certain(paper: Paper, point: PlantedPoint) -> Iterator[Fault]:
    """What the checks are certain of."""
    for leak in leaks(paper, point, certain=True):
        yield Fault(_LEAKS[leak.kind], leak.problem)
    try:
        as_judged(paper, cut(paper.text, point))
    except InputError as error:
        yield Fault(DropReason.UNREADABLE, error.problem)


def _shares(paper: Paper, point: PlantedPoint, words: str) -> bool:
    """Whether a point's remark in these words has a passage's words."""
    found = leaks(paper, point.model_copy(update={"remark": words}), certain=True)
    return any(leak.kind is LeakKind.SHARED_WORDS for leak in found)


def _with_decoys(
    paper: Paper,
    made: PlantedDraft,
    point: PlantedPoint,
    kept: Sequence[PlantedPoint],
    decoys: list[TextEdit],
) -> PlantedDraft:
    """A point with its neutral cuts, and what somebody must look at in the text that is left.

    Args:
        paper: The paper.
        made: The point's draft.
        point: The point, without decoys.
        kept: All points about the paper.
        decoys: Those of points before it; its own are added.
    """
    lost: list[str] = []
    own: list[TextEdit] = []
    for words in made.draft.decoys:
        try:
            start, end = _span(paper, words)
        except _DraftError as error:
            lost.append(error.fault.problem)
            continue
        decoy = TextEdit(start=start, end=end)
        if len(own) == MOST_DECOYS:
            lost.append(f"{short(words, _QUOTED)!r} is one too many")
        elif any(meet(decoy, passage) for other in kept for passage in other.passages):
            lost.append(f"{short(words, _QUOTED)!r} holds an answer")
        elif any(meet(decoy, edit) for other in kept for edit in other.cuts):
            lost.append(f"{short(words, _QUOTED)!r} meets a cut")
        elif any(meet(decoy, edit) for edit in (*decoys, *own)):
            lost.append(f"{short(words, _QUOTED)!r} meets another decoy")
        else:
            own.append(decoy)
    decoys += own
    in_order = tuple(sorted(own, key=lambda edit: edit.start))
    point = point.model_copy(update={"decoys": in_order})
    doubts = (f"{leak.kind}: {leak.problem}" for leak in leaks(paper, point))
    return replace(made, point=point, doubts=tuple(doubts), decoys_left_out=tuple(lost))


def _fields(paper: Paper, remark: str, paraphrases: Sequence[str], fact: str) -> dict[str, object]:
    """What all planted points have."""
    return {
        "id": content_id(paper.paper_id, remark),
        "source": SOURCE,
        "paper_id": paper.paper_id,
        "paper_text_sha256": hash_text("paper", paper.text).sha256,
        "remark": remark,
        "paraphrases": tuple(paraphrases),
        "stratum": Stratum.HARD,
        "fact": same_words(fact) or "not said",
        "writer": WRITER,
        "writer_kind": AnnotatorKind.MODEL,
    }


def _remarks(draft: RemarkDraft | FairRemarkDraft) -> tuple[str, ...]:
    """The remark and, if there is one, its paraphrase, each a paragraph of its own.

    Raises:
        _DraftError: There is no remark, or one speaks to a model.
    """
    remark, paraphrase = same_words(draft.remark), same_words(draft.paraphrase)
    if not re.search(r"\w", remark):
        raise _DraftError(DropReason.WORDS, "the remark has no words")
    for words in (remark, paraphrase):
        if addressed(words):
            raise _DraftError(DropReason.WORDS, f"{short(words, _QUOTED)!r} speaks to a model")
    return (remark, paraphrase) if paraphrase and paraphrase != remark else (remark,)


def _passage(paper: Paper, answer: AnswerDraft) -> PlantedPassage:
    start, end = _span(paper, answer.words)
    section = paper.section_at(start)
    place = PassagePlace(answer.place)
    if section is not None and place is PassagePlace.MAIN:
        zones = {Zone.APPENDIX: PassagePlace.APPENDIX, Zone.CHECKLIST: PassagePlace.CHECKLIST}
        place = zones.get(section.zone, place)
    words = sum_of_words(paper.text[start:end])
    return PlantedPassage(start=start, end=end, sha256=words, place=place)


def _edit(paper: Paper, draft: CutDraft) -> TextEdit:
    start, end = _span(paper, draft.words, draft.within)
    closing = re.sub(r"\s+", " ", draft.instead)
    if addressed(closing):
        raise _DraftError(DropReason.WORDS, f"{short(closing, _QUOTED)!r} speaks to a model")
    return TextEdit(start=start, end=end, insert=closing if closing.strip() else "")


def _span(paper: Paper, words: str, within: str = "") -> tuple[int, int]:
    """Where a quote stands.

    Args:
        paper: The paper.
        words: The quote; short ones need what they stand in.
        within: A longer quote that holds it, if the writer gave one.

    Raises:
        _DraftError: It stands nowhere, or in several places.
    """
    low, high = (0, len(paper.text)) if not within.strip() else _span(paper, within)
    places = list(_places(paper.text, words, low, high))
    if not places:
        quote = find_quote(paper, words)
        if quote.start is None or quote.end is None or not low <= quote.start < quote.end <= high:
            raise _DraftError(
                DropReason.NOT_VERBATIM, f"{short(words, _QUOTED)!r} is not in the paper"
            )
        places = [(quote.start, quote.end)]
        again = levelled_span(paper.text[quote.end :], words)
        places += [] if again is None else [(quote.end + again[0], quote.end + again[1])]
    if len(places) > 1:
        raise _DraftError(
            DropReason.SEVERAL_PLACES,
            f"{short(words, _QUOTED)!r} stands in several places; quote more of what is around it",
        )
    start, end = places[0]
    if paper.is_venue_text(start, end):
        raise _DraftError(
            DropReason.NOT_VERBATIM,
            f"{short(words, _QUOTED)!r} is the venue's text and not the authors'",
        )
    return start, end


def _places(text: str, words: str, low: int, high: int) -> Iterator[tuple[int, int]]:
    """Where words stand in a stretch of a text, white space levelled; none within a word."""
    parts = words.split()
    if not parts:
        return
    before = r"(?<!\w)" if parts[0][0].isalnum() else ""
    after = r"(?!\w)" if parts[-1][-1].isalnum() else ""
    pattern = re.compile(before + r"\s+".join(map(re.escape, parts)) + after)
    yield from (match.span() for match in pattern.finditer(text, low, high))


def _in_order(cuts: Sequence[TextEdit]) -> tuple[TextEdit, ...]:
    """Cuts in the order of the paper; those that overlap and put nothing in are one.

    Raises:
        _DraftError: There is none, or some overlap that put in words.
    """
    made: list[TextEdit] = []
    for edit in sorted(cuts, key=lambda edit: (edit.start, edit.end)):
        last = made[-1] if made else None
        if last is None or last.end <= edit.start:
            made.append(edit)
        elif not (last.insert or edit.insert):
            made[-1] = TextEdit(start=last.start, end=max(last.end, edit.end))
        elif last != edit:
            raise _DraftError(DropReason.EDITS, "two of its cuts overlap, and one puts in words")
    if not made:
        raise _DraftError(DropReason.EDITS, "no cut is named")
    return tuple(made)


def _check_apart(
    paper: Paper,
    passages: Sequence[PlantedPassage],
    cuts: Sequence[TextEdit],
    others: Sequence[PlantedPoint],
) -> None:
    """Refuse cuts that meet cuts or answers of another remark, or leave nothing of the paper.

    Raises:
        _DraftError: They do.
    """
    for other in others:
        theirs: tuple[TextEdit | PlantedPassage, ...] = (*other.cuts, *other.passages)
        own: tuple[TextEdit | PlantedPassage, ...] = (*cuts, *passages)
        if any(meet(edit, part) for edit in cuts for part in theirs) or any(
            meet(edit, part) for edit in other.cuts for part in own
        ):
            problem = (
                f"its cuts or answers meet those of the remark {short(other.remark, _QUOTED)!r}"
            )
            raise _DraftError(DropReason.OTHER_REMARK, problem)
    if sum(edit.end - edit.start for edit in cuts) > len(paper.text) // 4:
        raise _DraftError(DropReason.EDITS, "its cuts take more than a quarter of the paper")
