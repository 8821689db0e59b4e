"""Whether the two truths of a planted remark hold: other models read each version by itself.

A confirmer is given a paper and a remark and is not told which version it reads, nor that there
are several. What it says is made into `Confirmation` by rules here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from reviewscore.errors import ModelError, error_message, gather_results
from reviewscore.judges.asker import Judged, Reply
from reviewscore.papers.quotes import find_quote
from reviewscore.runs.generation import GenerationSession
from reviewscore.schema.annotation import AnnotatorKind
from reviewscore.schema.answer import Sentence, Several, Text
from reviewscore.schema.marks import MarkedPassage, sum_of_words
from reviewscore.schema.paper import Paper, Zone
from reviewscore.schema.planted_point import (
    Confirmation,
    Confirmed,
    DropReason,
    FurtherConfirmed,
    PlantedForm,
    PlantedPoint,
    Stratum,
)
from reviewscore.schema.point_label import PassagePlace
from reviewscore.validation.drafts import Fault
from reviewscore.validation.families import known_family
from reviewscore.validation.planted import cut_mapped
from reviewscore.validation.versions import as_judged

CONFIRM = "confirm"
VERIFIERS = ("V1", "V2")
"""Pseudonyms of the confirmers, in their order."""
_DEEP = (PassagePlace.APPENDIX, PassagePlace.CHECKLIST)
_DEEP_ZONES = (Zone.APPENDIX, Zone.CHECKLIST)
_BESIDE_THE_POINT = {
    "foreign": Confirmation.YES,
    "yes": Confirmation.YES,
    "partly": Confirmation.DOUBT,
    "no": Confirmation.NO,
}
"""Whether a remark that is fair about another paper is misinformed about this one."""


class ConfirmReply(Reply):
    """Whether a paper answers a remark."""

    reasoning: Text
    answered: Literal["yes", "partly", "no", "foreign"]
    passages: Several[Sentence]


@dataclass(frozen=True)
class Versions:
    """The two papers of a planted point.

    Attributes:
        misinformed: In which the remark is wrong.
        fair: In which it is fair: the same without the answer, or another paper.
    """

    misinformed: Paper
    fair: Paper


def versions_of(point: PlantedPoint, paper: Paper, fair_about: Paper | None) -> Versions:
    """The two papers of a point.

    Args:
        point: The point.
        paper: The paper that it is about.
        fair_about: The other paper, for the form ``another_paper``.

    Raises:
        InputError: The cut text changes when it is read again.
    """
    if fair_about is not None:
        return Versions(paper, fair_about)
    return Versions(paper, as_judged(paper, cut_mapped(paper.text, point).text))


async def confirmed(
    session: GenerationSession,
    confirmers: Sequence[str],
    point: PlantedPoint,
    versions: Versions,
) -> PlantedPoint | Fault:
    """A point with what each confirmer says, or why it is dropped.

    Args:
        session: Puts the questions.
        confirmers: Models, one or two.
        point: The point, without a confirmation.
        versions: Its two papers.

    Raises:
        StopError: Nothing more can be asked.
    """
    papers = (versions.misinformed, versions.fair)
    replies = await gather_results(
        session.asker(model).ask(CONFIRM, ConfirmReply, paper=paper, remark=point.remark)
        for model in confirmers
        for paper in papers
    )
    said: list[Confirmed] = []
    for place in range(len(confirmers)):
        pair = replies[2 * place : 2 * place + 2]
        failed = next((error for error in pair if isinstance(error, ModelError)), None)
        if failed is not None:
            return Fault(DropReason.UNCONFIRMED, error_message(failed))
        whole, fair = (judged.reply for judged in pair if isinstance(judged, Judged))
        said.append(decided(point, versions, whole, fair))
        fault = _denied(said[-1], whole, fair)
        if fault is not None:
            return fault
    return with_confirmations(point, versions.misinformed, said, confirmers)


def decided(
    point: PlantedPoint, versions: Versions, whole: ConfirmReply, fair: ConfirmReply
) -> Confirmed:
    """What two replies of one confirmer come to.

    Args:
        point: The remark.
        versions: The two papers.
        whole: About the one in which it is wrong.
        fair: About the one in which it is fair.
    """
    if point.form is PlantedForm.ANOTHER_PAPER:
        beside = _BESIDE_THE_POINT[whole.answered]
        return Confirmed(misinformed=beside, fair=_fair(fair, versions.fair))
    shown = any(find_quote(versions.misinformed, words).verified for words in whole.passages)
    misinformed = Confirmation.DOUBT
    if whole.answered == "no":
        misinformed = Confirmation.NO
    elif whole.answered == "yes" and shown:
        misinformed = Confirmation.YES
    is_fair = _fair(fair, versions.fair)
    left = () if is_fair is Confirmation.YES else _remaining(point, versions, fair)
    return Confirmed(misinformed=misinformed, fair=is_fair, remaining=left)


def _fair(reply: ConfirmReply, paper: Paper) -> Confirmation:
    """Whether a remark is fair about a paper; that it is answered counts only with a passage."""
    if reply.answered == "no":
        return Confirmation.YES
    shown = any(find_quote(paper, words).verified for words in reply.passages)
    denied = reply.answered == "foreign" or (reply.answered == "yes" and shown)
    return Confirmation.NO if denied else Confirmation.DOUBT


def _remaining(
    point: PlantedPoint, versions: Versions, reply: ConfirmReply
) -> tuple[MarkedPassage, ...]:
    """What still answers after the cut, at its place in the whole paper."""
    mapped = cut_mapped(versions.misinformed.text, point)
    passages = []
    for words in reply.passages:
        quote = find_quote(versions.fair, words)
        if quote.start is not None and quote.end is not None:
            start, end = mapped.original_span(quote.start, quote.end)
            text = versions.misinformed.text[start:end]
            passages.append(MarkedPassage(start=start, end=end, sha256=sum_of_words(text)))
    return tuple(dict.fromkeys(passages))


def _denied(said: Confirmed, whole: ConfirmReply, fair: ConfirmReply) -> Fault | None:
    """Why a point is dropped of which a truth is denied; None if none is."""
    if said.misinformed is Confirmation.NO:
        return Fault(DropReason.NOT_ANSWERED, whole.reasoning)
    if said.fair is Confirmation.NO:
        return Fault(DropReason.STILL_ANSWERED, fair.reasoning)
    return None


def with_confirmations(
    point: PlantedPoint, paper: Paper, said: Sequence[Confirmed], confirmers: Sequence[str]
) -> PlantedPoint:
    """A point with what its confirmers say, in the stratum that follows.

    Args:
        point: The point.
        paper: The paper that it is about.
        said: What each confirmer says.
        confirmers: The confirmers, in the same order.
    """
    names = [
        {
            "verifier": pseudonym,
            "verifier_kind": AnnotatorKind.MODEL,
            "verifier_family": known_family(model),
        }
        for pseudonym, model in zip(VERIFIERS, confirmers, strict=False)
    ]
    also = None
    if said[1:]:
        values = {name: getattr(said[1], name) for name in Confirmed.model_fields}
        also = FurtherConfirmed.model_validate(values | names[1])
    sure = all(each.beyond_doubt for each in said)
    plain = sure and point.form is not PlantedForm.HEDGED and not _deep(point, paper)
    return point.model_copy(
        update={
            **names[0],
            "confirmed": said[0],
            "also_confirmed": also,
            "stratum": Stratum.PLAIN if plain else Stratum.HARD,
        }
    )


def _deep(point: PlantedPoint, paper: Paper) -> bool:
    """Whether the answer stands in an appendix or a checklist alone."""
    zones = [paper.section_at(passage.start) for passage in point.passages]
    deep = [
        passage.place in _DEEP or (section is not None and section.zone in _DEEP_ZONES)
        for passage, section in zip(point.passages, zones, strict=True)
    ]
    return bool(deep) and all(deep)
