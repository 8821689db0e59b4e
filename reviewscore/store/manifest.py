"""What a run was made with and what came of it: ``manifest.json``."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import Field

from reviewscore.config import Plain
from reviewscore.schema.record import Record, storable

INPUT = "input "
"""Begins the name of a decisive value that is the sum of an input file."""


class Setting(Record):
    """A setting's value and where it came from.

    Attributes:
        value: The value.
        origin: ``default``, a file, a variable or ``flag``.
    """

    value: Plain
    origin: str


class InputFile(Record):
    """A file that was read.

    Attributes:
        name: Its name.
        sha256: SHA-256 of its bytes.
    """

    name: str
    sha256: str
    size: int = Field(description="bytes")


class Counts(Record):
    """How many of what the run folder holds.

    Attributes:
        papers: Papers of the run.
        reviews: Reviews of the run.
        reviews_without_points: Those in which no point was found.
        points: Points that are recorded.
        scored: Points with a score.
        unknown: Points with an honest absence of one.
        error: Points that failed.
        bad_lines: Lines of the input that were left out.
    """

    papers: int = 0
    reviews: int = 0
    reviews_without_points: int = 0
    points: int = 0
    scored: int = 0
    unknown: int = 0
    error: int = 0
    bad_lines: int = 0


class Spending(Record):
    """Calls and tokens of all sessions of a run.

    Attributes:
        calls: Calls that were answered, reused ones too.
        reused: Calls answered from the ledger.
        input_tokens: Tokens of input, those from a provider's cache too.
        cached_tokens: Input read from the provider's cache.
        written_tokens: Input written to it, where the provider says so.
        batched: Calls that went as batch jobs.
        output_tokens: Tokens of replies, reasoning included.
        usd: Dollars at list prices; None if the price of a call is not known.
        doubtful_usd: Dollars at most of calls that may have been billed although no reply came.
        prices: Where the prices are from, and their date.
    """

    calls: int = 0
    reused: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    written_tokens: int = 0
    batched: int = 0
    output_tokens: int = 0
    usd: float | None = None
    doubtful_usd: float = 0.0
    prices: str | None = None


class Manifest(Record):
    """The run's own account of itself.

    Attributes:
        run_id: Name of the run in the ledger.
        reviewscore_version: Version of reviewscore that wrote it.
        judge: ``lexical``, or the model asked for; of a panel all of them.
        judge_version: Version of the embedded judge; None for models.
        settings: Every setting with its origin.
        decisive: Whatever can change a score (settings, prompts, inputs, versions): a folder holds
            one set of these, and resuming with another is refused.
        decisive_sha256: SHA-256 of `decisive`.
        selection: Settings that left points out on purpose; empty for a whole run.
        prompts: SHA-256 of each prompt that may be used, by its id.
        versions: Versions of Python and of the packages that matter.
        inputs: The files that were read.
        data: Folder of the input as it was named, so that a report can be written anew.
        pair: The paper's file and those of its reviews, where single files were given instead.
        year: Year of the paper, where it was given.
        models_answered: Models that the provider says answered.
        counts: What the folder holds.
        spending: What was asked and what it cost.
        warnings: What was said while reading the input.
        doubtful: Papers that were badly read, or hold hidden text or text for a model; what it is
            stands in ``warnings``.
        times: Start of each session, UTC, ISO 8601, and its seconds.
        complete: Whether the last session reached the end.
    """

    schema_id: Literal["reviewscore.manifest/1"] = Field(
        default="reviewscore.manifest/1", alias="schema"
    )
    run_id: str = Field(default_factory=lambda: uuid.uuid4().hex)
    reviewscore_version: str
    judge: str
    judge_version: str | None
    settings: dict[str, Setting]
    decisive: dict[str, Plain]
    decisive_sha256: str
    selection: dict[str, Plain] = Field(default_factory=dict)
    prompts: dict[str, str]
    versions: dict[str, str]
    inputs: tuple[InputFile, ...]
    data: str | None = None
    pair: list[str] | None = None
    year: int | None = None
    models_answered: tuple[str, ...] = ()
    counts: Counts = Counts()
    spending: Spending = Spending()
    warnings: tuple[str, ...] = ()
    doubtful: tuple[str, ...] = ()
    times: tuple[tuple[str, float], ...] = ()
    complete: bool = False


def hash_file(path: Path) -> InputFile:
    """Name, SHA-256 and size of a file."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return InputFile(name=storable(path.name), sha256=digest, size=path.stat().st_size)


class Difference(Record):
    """A decisive value that two runs do not share.

    Attributes:
        name: Of the value: a setting, ``prompt ID`` or ``input N FILE``.
        before: Value in the first run; None if it has none.
        now: Value in the second.
    """

    name: str
    before: Plain = None
    now: Plain = None

    @property
    def words(self) -> str:
        """The difference in words."""
        if self.name.startswith(INPUT):
            name = self.name.split(" ", 2)[2]
            return f"the input file {name} is another one, or has changed"
        return f"{self.name} was {self.before!r} and is now {self.now!r}"


def differences(
    old: Mapping[str, Plain], new: Mapping[str, Plain], *, inputs: bool = True
) -> tuple[Difference, ...]:
    """All decisive values that differ, by name.

    Args:
        old: Decisive values of one run.
        new: Those of another.
        inputs: Whether what was judged counts too, or only how.
    """
    return tuple(
        Difference(name=name, before=old.get(name), now=new.get(name))
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name) and (inputs or not of_input(name))
    )


def of_input(name: str) -> bool:
    """Whether a decisive value says what was judged, and not how."""
    return name.startswith(INPUT) or name == "year"


def first_difference(old: dict[str, Plain], new: dict[str, Plain]) -> str | None:
    """The first decisive value that differs, in words; None if all are equal."""
    found = differences(old, new)
    return found[0].words if found else None
