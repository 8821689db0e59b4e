"""A planted review remark: misinformed about a paper as it is, fair once the answer is cut out."""

from __future__ import annotations

from enum import StrEnum
from itertools import pairwise
from typing import Literal

from pydantic import Field, field_validator, model_validator

from reviewscore.schema.annotation import AnnotatorKind
from reviewscore.schema.marks import MarkedPassage
from reviewscore.schema.point_label import PassagePlace
from reviewscore.schema.record import Record


class PlantedForm(StrEnum):
    """How a planted remark goes wrong."""

    DENIAL = "denial"  # "The paper does not report .."
    REQUEST = "request"  # "Please add .."
    QUESTION = "question"
    HEDGED = "hedged"  # "I am not sure that .."
    ARGUMENT = "argument"  # a weakness with a reason that is false
    MISREADING = "misreading"  # states something of the paper that is wrong
    ANOTHER_PAPER = "another_paper"  # fair about another paper, beside the point in this one


class Stratum(StrEnum):
    """Whether the right answer is beyond doubt; figures of the two are kept apart."""

    PLAIN = "plain"
    HARD = "hard"  # hedged, deep in the appendix, supplied in half, or doubted by the verifier


class Confirmation(StrEnum):
    """What a verifier who did not write an item says of one of its truths."""

    YES = "yes"
    DOUBT = "doubt"
    NO = "no"


class CopiedSpan(Record):
    """Words of the paper that an edit repeats: ``paper.text[start:end]``.

    Attributes:
        start: Offset of the first character.
        end: Offset just after the last one.
    """

    start: int = Field(ge=0)
    end: int = Field(ge=0)


class TextEdit(Record):
    """A stretch of a paper's text that is taken out, and what stands there instead.

    Attributes:
        start: Offset of the first character that goes.
        end: Offset just after the last one; ``start`` where words are only put in.
        insert: Words that close the seam, of the writer's own, on one line.
        copied: Words of the paper that close it; no words of a paper are kept beside it.
    """

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    insert: str = Field(default="", pattern=r"\A[^\n\r]*\z", exclude_if=lambda value: not value)
    copied: CopiedSpan | None = Field(
        default=None, alias="copy", exclude_if=lambda value: value is None
    )

    @model_validator(mode="after")
    def _changes_something(self) -> TextEdit:
        if self.end < self.start:
            raise ValueError("it ends before it starts")
        if self.insert and self.copied:
            raise ValueError("it has words of its own and a copy: make two edits of it")
        if self.start == self.end and not self.insert and not self.copied:
            raise ValueError("it takes nothing out and puts nothing in")
        return self


class PlantedPassage(MarkedPassage):
    """A passage of a paper that answers a planted remark.

    Attributes:
        place: Where in the paper it stands.
        added: Whether the verifier named it and not the writer.
    """

    place: PassagePlace
    added: bool = Field(default=False, exclude_if=lambda value: not value)


class Confirmed(Record):
    """What a verifier says of the two truths of an item.

    Attributes:
        misinformed: Whether the remark is wrong about the whole paper (of one that is about
            another paper: whether it speaks of what is not in this one).
        fair: Whether it is fair, and no trace is seen, once the cuts are made (of one that is
            about another paper: whether it is fair about that one).
        remaining: Lines of the paper that still answer or hint after the cuts.
    """

    misinformed: Confirmation
    fair: Confirmation
    remaining: tuple[MarkedPassage, ...] = Field(default=(), exclude_if=lambda value: not value)

    @property
    def beyond_doubt(self) -> bool:
        """Whether both truths were confirmed."""
        return self.misinformed is self.fair is Confirmation.YES


class FurtherConfirmed(Confirmed):
    """What a second verifier says of them, without having seen what the first one says.

    Attributes:
        verifier: Pseudonym of who says it, with a number in it; never a name.
        verifier_kind: ``human`` or ``model``.
        verifier_family: Family of the model that says it; None if not known.
    """

    verifier: str
    verifier_kind: AnnotatorKind
    verifier_family: str | None = Field(default=None, exclude_if=lambda value: value is None)


class PlantedPoint(Record):
    """A planted remark about a paper; a line of a file of planted points.

    All offsets are of the text of the paper as it is read, before any cut.

    Attributes:
        id: Identifier, made of the remark; it tells neither form nor order.
        source: Data set that the paper is of.
        paper_id: The paper.
        paper_text_sha256: SHA-256 of the paper's text as it is read, in UTF-8.
        remark: The remark, in a reviewer's voice.
        paraphrases: The remark in other words.
        form: How it goes wrong.
        stratum: ``plain`` only if the writer says so and all who verified it confirm both truths.
        fact: What the paper says of the matter, in the writer's words.
        passages: All that answers it in the paper; may be empty for one about another paper.
        cuts: What is taken out of the paper so that nothing answers it, in order and apart.
        decoys: Neutral deletions elsewhere, in order and apart, also from the cuts.
        fair_about: The other paper that the remark is fair about, for form ``another_paper``.
        confirmed: What the verifier says; None if nobody verified it.
        also_confirmed: What a second verifier says; None if there was none.
        writer: Pseudonym of who wrote it, with a number in it; never a name.
        writer_kind: ``human`` or ``model``.
        verifier: Pseudonym of who verified it; None if nobody did.
        verifier_kind: ``human`` or ``model``; None if nobody did.
        writer_family: Family of the model that wrote it, such as ``Llama``; None if not known.
        verifier_family: Family of the model that verified it; None if not known.
    """

    schema_id: Literal["reviewscore.planted_point/1"] = Field(
        default="reviewscore.planted_point/1", alias="schema"
    )
    id: str = Field(min_length=1)
    source: str
    paper_id: str = Field(min_length=1)
    paper_text_sha256: str = Field(pattern=r"\A[0-9a-f]{64}\z")
    remark: str = Field(min_length=1)
    paraphrases: tuple[str, ...] = Field(default=(), exclude_if=lambda value: not value)
    form: PlantedForm
    stratum: Stratum
    fact: str = Field(min_length=1)
    passages: tuple[PlantedPassage, ...] = ()
    cuts: tuple[TextEdit, ...] = ()
    decoys: tuple[TextEdit, ...] = ()
    fair_about: str | None = Field(default=None, exclude_if=lambda value: value is None)
    confirmed: Confirmed | None = None
    also_confirmed: FurtherConfirmed | None = Field(
        default=None, exclude_if=lambda value: value is None
    )
    writer: str
    writer_kind: AnnotatorKind
    verifier: str | None = None
    verifier_kind: AnnotatorKind | None = None
    writer_family: str | None = Field(default=None, exclude_if=lambda value: value is None)
    verifier_family: str | None = Field(default=None, exclude_if=lambda value: value is None)

    @field_validator("cuts", "decoys")
    @classmethod
    def _in_order(cls, edits: tuple[TextEdit, ...]) -> tuple[TextEdit, ...]:
        if any(left.end > right.start for left, right in pairwise(edits)):
            raise ValueError("edits overlap, or are not in the order of the paper")
        return edits

    @model_validator(mode="after")
    def _holds_together(self) -> PlantedPoint:
        if any(left.end > right.start for left, right in pairwise(self.edits)):
            raise ValueError("a decoy and a cut overlap")
        foreign = self.form is PlantedForm.ANOTHER_PAPER
        if foreign != (self.fair_about is not None):
            raise ValueError("fair_about goes with the form another_paper, and only with it")
        if foreign == bool(self.cuts):
            raise ValueError("cuts go with every form but another_paper, and with none of it")
        if not (foreign or self.passages):
            raise ValueError("no passage answers it")
        verified = self.confirmed is not None
        if not (verified == (self.verifier is not None) == (self.verifier_kind is not None)):
            raise ValueError("confirmed, verifier and verifier_kind go together")
        if self.also_confirmed is not None and not verified:
            raise ValueError("also_confirmed goes with confirmed")
        beyond_doubt = verified and all(said.beyond_doubt for said in self.confirmations)
        if self.stratum is Stratum.PLAIN and not beyond_doubt:
            raise ValueError("an item that is not confirmed beyond doubt is in the stratum hard")
        return self

    @property
    def edits(self) -> tuple[TextEdit, ...]:
        """Cuts and decoys in the order of the paper."""
        return tuple(sorted((*self.cuts, *self.decoys), key=lambda edit: edit.start))

    @property
    def confirmations(self) -> tuple[Confirmed, ...]:
        """What each of those who verified it says."""
        return tuple(said for said in (self.confirmed, self.also_confirmed) if said is not None)

    @property
    def refuted(self) -> bool:
        """Whether a verifier says that one of its truths is none; no figure counts it."""
        return any(Confirmation.NO in (said.misinformed, said.fair) for said in self.confirmations)


class DropReason(StrEnum):
    """Why a remark that was written is in no set."""

    NOT_VERBATIM = "quote not in the paper"
    SEVERAL_PLACES = "quote in several places"
    SHARED_WORDS = "words of the answer in the remark"
    UNCUT = "answer that no cut touches"
    EDITS = "cuts that cannot be made"
    OTHER_REMARK = "cuts that meet another remark's"
    WORDS = "unusable words"
    REPEATED = "remark given twice"
    UNREADABLE = "text that changes when it is read again"
    GIVEN_UP = "given up by the writer"
    NOT_ANSWERED = "denied: the paper does not answer it"
    STILL_ANSWERED = "denied: still answered after the cut"
    UNCONFIRMED = "no usable reply of a confirmer"


class DroppedRemark(Record):
    """A remark that a writer gave and that is in no set; a line of ``dropped.jsonl``.

    Attributes:
        paper_id: The paper that it was written about.
        form: How it was to go wrong.
        remark: Its words.
        reason: Why it was dropped.
        problem: That in detail; it may quote the paper.
    """

    schema_id: Literal["reviewscore.dropped_remark/1"] = Field(
        default="reviewscore.dropped_remark/1", alias="schema"
    )
    paper_id: str
    form: PlantedForm
    remark: str
    reason: DropReason
    problem: str
