"""What a validation on planted points says of a judge, as runs and pages keep it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from reviewscore.schema.record import Record


class MeasuredShare(Record):
    """A share with its interval.

    Attributes:
        value: 0..1; None if it is not known.
        low: Lower end of the interval; None if there is none.
        high: Upper end.
        n: Judgments that it rests on.
    """

    value: float | None = Field(default=None, ge=0, le=1)
    low: float | None = Field(default=None, ge=0, le=1)
    high: float | None = Field(default=None, ge=0, le=1)
    n: int = Field(ge=0)


class ValidationRecord(Record):
    """The latest validation of a judge, in short.

    Attributes:
        judge: ``lexical``, or the model; of a panel all of them with ``+`` between.
        at: When its figures were made: a time as `datetime.isoformat` writes it.
        made_with: Sum of the settings and prompts that it was judged with, inputs apart.
        items_sha256: Sum of the file of planted points.
        items: Planted points in the figures of the stratum that is named first.
        papers: Papers that they are about.
        shares: Figures by name: of a model ``sensitivity`` and ``specificity``.
        sentence: What they say, in one sentence.
    """

    schema_id: Literal["reviewscore.validation/1"] = Field(
        default="reviewscore.validation/1", alias="schema"
    )
    judge: str = Field(min_length=1)
    at: str = Field(min_length=10)
    made_with: str
    items_sha256: str
    items: int = Field(ge=0)
    papers: int = Field(ge=0)
    shares: dict[str, MeasuredShare]
    sentence: str = Field(min_length=1)


class WrittenItems(Record):
    """How planted points were written by models, and what became of them.

    Attributes:
        writer: The model that wrote them.
        confirmers: The models that confirmed both truths; none if nobody did.
        papers: Papers that were given to the writer.
        failed: Papers about which no usable reply came, by the kind of failure.
        written: Remarks that the writer gave.
        kept: Remarks that are planted.
        mended: Of these, remarks that the second round has changed.
        doubtful: Of these, remarks of which a check finds something to look at.
        decoys_left_out: Neutral cuts that could not be made.
        dropped: Remarks that were dropped, by reason.
        usd: Dollars that writer and confirmers cost; None if a price is not known.
        calls: Calls to them that were answered.
        reused: Of these, calls answered from the ledger.
    """

    writer: str
    confirmers: tuple[str, ...] = ()
    papers: int = 0
    failed: dict[str, int] = Field(default_factory=dict)
    written: int = 0
    kept: int = 0
    mended: int = 0
    doubtful: int = 0
    decoys_left_out: int = 0
    dropped: dict[str, int] = Field(default_factory=dict)
    usd: float | None = None
    calls: int = 0
    reused: int = 0
