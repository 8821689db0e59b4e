"""What a run was made with and what came of it: ``manifest.json``."""

from __future__ import annotations

import hashlib
import os
import uuid
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from reviewscore.bounds import open_regular
from reviewscore.config import Plain
from reviewscore.errors import InputError
from reviewscore.printable import without_folders
from reviewscore.schema.paper import Unread
from reviewscore.schema.record import Record, storable


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
        unscored: Points with a finding of the embedded judge, which gives no score.
        error: Points that failed.
        findings: The unscored points by their finding; empty for models.
        bad_lines: Lines of the input that were left out.
    """

    papers: int = 0
    reviews: int = 0
    reviews_without_points: int = 0
    points: int = 0
    scored: int = 0
    unknown: int = 0
    unscored: int = 0
    error: int = 0
    findings: dict[str, int] = Field(default_factory=dict)
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


class Digest(Record):
    """What a file of records was when the run's account was written.

    Attributes:
        sha256: SHA-256 of its bytes.
    """

    sha256: str
    size: int = Field(description="bytes")


def only_version(fields: dict[str, Any]) -> tuple[str, ...]:
    """The versions of an account of a run that lists none: it was written by one."""
    return (fields["reviewscore_version"],)


class Manifest(Record):
    """The run's own account of itself.

    Attributes:
        run_id: Name of the run in the ledger.
        reviewscore_version: Version of reviewscore that wrote it last.
        reviewscore_versions: All versions that sessions of the run were made with, in order.
        judge: ``lexical``, or the model asked for; of a panel all of them.
        judge_version: Version of the embedded judge; None for models.
        settings: Every setting with its origin.
        decisive: Whatever can change a score (settings, prompts and methods that are used, inputs):
            a folder holds one set of these, as it was when the run began, and resuming with another
            is refused (`store.decisive`).
        decisive_sha256: SHA-256 of `decisive`.
        selection: Settings that left points out on purpose; empty for a whole run.
        prompts: SHA-256 of each prompt that the run can use, by its id.
        versions: Versions of Python and of the packages that matter.
        inputs: The files that were read.
        data: Folder of the input, absolute, so that a report can be written anew; of data that
            were fetched their address. Earlier versions wrote it as it was typed.
        data_beside: The same from the run's folder on, where they lie near each other; of an
            address that of the copy.
        pair: The paper's file and those of its reviews, where single files were given instead.
        pair_beside: The same from the run's folder on.
        year: Year of the paper, where it was given.
        models_answered: Models that the provider says answered.
        refused: What servers refused, by model and server: parameters and forms of replies that
            were left out from then on; a later session begins with it.
        counts: What the folder holds.
        spending: What was asked and what it cost.
        warnings: What was said while reading the input.
        doubtful: Papers that were badly read, or hold hidden text or text for a model; what it is
            stands in ``warnings``.
        unread: How much of a paper judges did not see, by its identifier; papers of which they saw
            everything are not in it.
        times: Start of each session, UTC, ISO 8601, and its seconds.
        complete: Whether the last session reached the end.
        digests: The files of records as the last session left them, by name; none in runs of
            earlier versions. A session that is under way, or was killed, notes them as it met them
            (`growing`): they hold that and more.
        growing: Whether records may have been added since.
        changed: Files of records that were changed by something else before a later session.
    """

    schema_id: Literal["reviewscore.manifest/1"] = Field(
        default="reviewscore.manifest/1", alias="schema"
    )
    run_id: str = Field(default_factory=lambda: uuid.uuid4().hex)
    reviewscore_version: str
    reviewscore_versions: tuple[str, ...] = Field(default_factory=only_version)
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
    data_beside: str | None = None
    pair: list[str] | None = None
    pair_beside: list[str] | None = None
    year: int | None = None
    models_answered: tuple[str, ...] = ()
    refused: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    counts: Counts = Counts()
    spending: Spending = Spending()
    warnings: tuple[str, ...] = ()
    doubtful: tuple[str, ...] = ()
    unread: dict[str, Unread] = Field(default_factory=dict)
    times: tuple[tuple[str, float], ...] = ()
    complete: bool = False
    digests: dict[str, Digest] = Field(default_factory=dict)
    growing: bool = False
    changed: tuple[str, ...] = ()

    @property
    def inputs_sha256(self) -> frozenset[str]:
        """SHA-256 of the files that were read."""
        return frozenset(file.sha256 for file in self.inputs)

    def for_others(self, text: str) -> str:
        """A message of this run without the folders of the machine that it was made on."""
        near = [Path(name).parent for name in self.pair or ()]
        near += [] if self.data is None else [Path(self.data)]
        known = {
            one for folder in near if folder.is_absolute() for one in (folder, *folder.parents)
        }
        return without_folders(text, [str(one) for one in known if one.parent.name or one in near])


def beside(run: Path, path: Path) -> str | None:
    """A path from a run's folder on; None where the two share but the root of all files."""
    here, there = run.resolve(), path.resolve()
    try:
        shared = Path(os.path.commonpath((here, there)))
    except ValueError:  # on two drives
        return None
    if shared == Path(shared.anchor):
        return None
    return storable(Path(os.path.relpath(there, here)).as_posix())


def hash_text(name: str, text: str) -> InputFile:
    """Name, SHA-256 and size of what was given as a record and lies in no file."""
    raw = text.encode("utf-8", "surrogatepass")
    digest = hashlib.sha256(raw).hexdigest()
    return InputFile(name=storable(name), sha256=digest, size=len(raw))


def hash_file(path: Path) -> InputFile:
    """Name, SHA-256 and size of a file.

    Raises:
        InputError: It is no ordinary file, or cannot be read.
    """
    try:
        with open_regular(path) as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            size = file.tell()
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror}", file=path, cure="check the path"
        ) from error
    return InputFile(name=storable(path.name), sha256=digest, size=size)
