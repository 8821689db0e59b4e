"""What a run was made with and what came of it, and whether two runs were made alike.

The decisive values of a run are plain: its settings, the sum of each prompt that it uses and of
each input, and the versions of the methods that are this package's own code. The version of the
package is none of them: what did not change between two versions gives the same records.
"""

from __future__ import annotations

import hashlib
import os
import re
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import Field

from reviewscore import __version__
from reviewscore.config import EMBEDDED, PRESUPPOSING, Plain, Settings
from reviewscore.files import InputFile
from reviewscore.printable import counted, without_folders
from reviewscore.schema.confidentiality import ConfidentialityRule
from reviewscore.schema.paper import Unread
from reviewscore.schema.point_score import Status
from reviewscore.schema.record import Record, storable
from reviewscore.schema.validation import ValidationRecord


class Setting(Record):
    """A setting's value and where it came from.

    Attributes:
        value: The value.
        origin: ``default``, a file, a variable or ``flag``.
    """

    value: Plain
    origin: str


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

    def of_points(self, status: Counter[Status], findings: Counter[str]) -> Counts:
        """These counts, with those of points by how scoring ended and by finding."""
        ended = {each.value: status[each] for each in Status}
        each = dict(sorted(findings.items()))
        return self.model_copy(update={"points": status.total(), "findings": each, **ended})


class ConsentCounts(Record):
    """What a run has not judged, for want of consent.

    Attributes:
        local_papers: Papers with reviews that may be judged on this machine alone, while the run's
            judge is elsewhere.
        local_reviews: These reviews.
        none_papers: Papers with reviews that nobody may judge.
        none_reviews: These reviews.
        kept_points: Points of all these reviews that were judged before and stay in the records.
        local_judge: The model that judges what is for this machine only, in a run of its own.
    """

    local_papers: int = 0
    local_reviews: int = 0
    none_papers: int = 0
    none_reviews: int = 0
    kept_points: int = 0
    local_judge: str | None = None

    @classmethod
    def total(cls, parts: Iterable[ConsentCounts | None]) -> ConsentCounts | None:
        """The sums over parts of a venue; None where nothing was left out."""
        every = [part for part in parts if part is not None]
        judges = {part.local_judge for part in every}
        total = {
            name: sum(getattr(part, name) for part in every)
            for name in cls.model_fields.keys() - {"local_judge"}
        }
        judge = judges.pop() if len(judges) == 1 else None
        return cls(**total, local_judge=judge) if every else None

    @property
    def words(self) -> list[str]:
        """What was not judged, in lines."""
        judge, lines = self.local_judge, list[str]()
        if self.local_reviews:
            lines.append(
                f"{counted(self.local_papers, 'paper')} with "
                f"{counted(self.local_reviews, 'review')} may be judged on this machine only, and "
                f"not by this model; {judge or '--local-judge MODEL'} judges them apart"
            )
        if self.none_reviews:
            lines.append(
                f"{counted(self.none_papers, 'paper')} with "
                f"{counted(self.none_reviews, 'review')} may be judged by nobody (consent: none)"
            )
        if self.kept_points:
            lines.append(
                f"{counted(self.kept_points, 'point')} of such reviews were judged before that was "
                "known, and stay in the records"
            )
        return lines


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
        replies: Replies that were read for a record, those of recorded calls too; 0 in runs of
            earlier versions, which did not count them.
        unusable: Of these, replies that held no record that could be used.
    """

    calls: int = 0
    reused: int = 0
    replies: int = 0
    unusable: int = 0
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


class PromptCheck(Record):
    """What is known of whether a model's server reads the prompts of a run whole.

    Attributes:
        longest_prompt: Tokens of the longest prompt, by the server's own tokenizer where it has
            one, else estimated.
        window: Most tokens of a prompt and its reply together, as the server says; None if it does
            not.
        source: Where it says so.
        read: Tokens that it says it read of a prompt that long; 0 if it did not say, None if it was
            not tried.
        recalled: Whether the model gave back the word at the beginning of that prompt.
    """

    longest_prompt: int
    window: int | None = None
    source: str = ""
    read: int | None = None
    recalled: bool | None = None


class PagesShown(Record):
    """What judges were shown of papers as images.

    Attributes:
        dpi: Pixels an inch.
        pages: How many pages of each paper, by its identifier.
        text_alone: Papers of which no pages can be shown, which were judged by their text.
    """

    dpi: int
    pages: dict[str, int]
    text_alone: tuple[str, ...] = ()

    def after(self, earlier: PagesShown | None) -> PagesShown:
        """The same with the papers of earlier sessions."""
        if earlier is None:
            return self
        alone = (name for name in earlier.text_alone if name not in self.pages)
        return PagesShown(
            dpi=self.dpi,
            pages={**earlier.pages, **self.pages},
            text_alone=tuple(dict.fromkeys((*alone, *self.text_alone))),
        )


class RunManifest(Record):
    """What a run was made with and what came of it, whatever it makes.

    Attributes:
        run_id: Name of the run in the ledger.
        reviewscore_version: Version of reviewscore that wrote it last.
        reviewscore_versions: All versions that sessions of the run were made with, in order.
        decisive: Whatever can change a record (models, settings, prompts and methods that are
            used, inputs): a folder holds one set of these, and going on with another is refused.
        prompts: SHA-256 of each prompt that the run can use, by its id.
        inputs: The files that were read.
        models_answered: Models that the provider says answered.
        refused: What servers refused, by model and server: parameters and forms of replies that
            were left out from then on; a later session begins with it.
        spending: What was asked and what it cost, in all sessions.
        confidentiality: The venue's rule and where it was said, where texts left this machine or a
            rule was set; later sessions of the run keep to it.
        prompt_checks: Whether servers of one's own read the longest prompt, by model.
        warnings: What must be known to use the records.
        times: Start of each session, UTC, ISO 8601, and its seconds.
        complete: Whether the last session reached the end.
    """

    run_id: str = Field(default_factory=lambda: uuid.uuid4().hex)
    reviewscore_version: str = __version__
    reviewscore_versions: tuple[str, ...] = Field(
        default_factory=lambda fields: (fields["reviewscore_version"],)
    )
    decisive: dict[str, Plain]
    prompts: dict[str, str]
    inputs: tuple[InputFile, ...] = ()
    models_answered: tuple[str, ...] = ()
    refused: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    spending: Spending = Spending()
    confidentiality: ConfidentialityRule | None = Field(
        default=None, exclude_if=lambda value: value is None
    )
    prompt_checks: dict[str, PromptCheck] = Field(
        default_factory=dict, exclude_if=lambda value: not value
    )
    warnings: tuple[str, ...] = ()
    times: tuple[tuple[str, float], ...] = ()
    complete: bool = False

    def longest_prompts(self, reply: int) -> dict[str, int]:
        """Tokens of the longest prompt with so many for its reply, by model, where known."""
        return {model: check.longest_prompt + reply for model, check in self.prompt_checks.items()}

    def taken_over(self, old: RunManifest) -> dict[str, object]:
        """What a further session of a run takes over from those before it."""
        names = ("run_id", "times", "spending", "models_answered", "refused")
        versions = (*old.reviewscore_versions, *self.reviewscore_versions)
        return {
            **{name: getattr(old, name) for name in names},
            "reviewscore_versions": tuple(dict.fromkeys(versions)),
        }


ManifestT = TypeVar("ManifestT", bound=RunManifest)


class Manifest(RunManifest):
    """The manifest of an audit; `decisive` is as it was when the run began.

    Attributes:
        judge: ``lexical``, or the model asked for; of a panel all of them.
        judge_version: Version of the embedded judge; None for models.
        settings: Every setting with its origin.
        decisive_sha256: SHA-256 of `decisive`.
        selection: Settings that left points out on purpose; empty for a whole run.
        versions: Versions of Python and of the packages that matter.
        data: Folder of the input, absolute, so that a report can be written anew; of data that
            were fetched their address. Earlier versions wrote it as it was typed.
        data_beside: The same from the run's folder on, where they lie near each other; of an
            address that of the copy.
        pair: The paper's file and those of its reviews, where single files were given instead.
        pair_beside: The same from the run's folder on.
        year: Year of the paper, where it was given.
        counts: What the folder holds.
        doubtful: Papers that were badly read, or hold hidden text or text for a model; what it is
            stands in ``warnings``.
        unread: How much of a paper judges did not see, by its identifier; papers of which they saw
            everything are not in it.
        digests: The files of records as the last session left them, by name; none in runs of
            earlier versions. A session that is under way, or was killed, notes them as it met them
            (`growing`): they hold that and more.
        growing: Whether records may have been added since.
        pages: What judges saw of papers as images, where they did.
        unvalidated: Models of which nobody knows what they are worth as judges of these papers.
        validation: The latest validation of its judge on planted points; None if none was at hand.
        changed: Files of records that were changed by something else before a later session.
        consent: What was not judged, for want of consent; None where nothing was left out.
    """

    schema_id: Literal["reviewscore.manifest/1"] = Field(
        default="reviewscore.manifest/1", alias="schema"
    )
    reviewscore_version: str
    judge: str
    judge_version: str | None
    settings: dict[str, Setting]
    decisive_sha256: str
    selection: dict[str, Plain] = Field(default_factory=dict)
    versions: dict[str, str]
    inputs: tuple[InputFile, ...]
    data: str | None = None
    data_beside: str | None = None
    pair: list[str] | None = None
    pair_beside: list[str] | None = None
    year: int | None = None
    counts: Counts = Counts()
    doubtful: tuple[str, ...] = ()
    unread: dict[str, Unread] = Field(default_factory=dict)
    digests: dict[str, Digest] = Field(default_factory=dict)
    growing: bool = False
    pages: PagesShown | None = Field(default=None, exclude_if=lambda value: value is None)
    unvalidated: tuple[str, ...] = Field(default=(), exclude_if=lambda value: not value)
    validation: ValidationRecord | None = Field(
        default=None, exclude_if=lambda value: value is None
    )
    changed: tuple[str, ...] = ()
    consent: ConsentCounts | None = Field(default=None, exclude_if=lambda value: value is None)

    @property
    def inputs_sha256(self) -> frozenset[str]:
        """SHA-256 of the files that were read."""
        return frozenset(file.sha256 for file in self.inputs)

    def for_others(self, text: str) -> str:
        """A message of this run without the folders of the machine that it was made on."""
        near = [Path(name).parent for name in self.pair or ()]
        near += [] if self.data is None else [Path(self.data)]
        known = {
            path for folder in near if folder.is_absolute() for path in (folder, *folder.parents)
        }
        return without_folders(
            text, [str(path) for path in known if path.parent.name or path in near]
        )


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


INPUT = "input "
"""Begins the name of a decisive value that is the sum of an input file."""
PROMPT = "prompt "
"""Begins the name of a decisive value that is the sum of a prompt."""
METHOD = "method "
"""Begins the name of a decisive value that is the version of a method of the package's own."""
POINT_IDS = f"{METHOD}point_ids"
"""How points are named, which decides records and no verdict."""
FRAME = ("role", "reply_format", "answer_now", "ask_again")
"""Prompts that every question to a model is put with."""

_ALL_PROMPTS = "reviewscore_version"
"""Decisive once, together with every prompt of the package, used or not."""
_PROMPT_ID = re.compile(rf"{PROMPT}(?P<name>.+)/v(?P<version>\d+)")


class SettingDifference(Record):
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
        if self.name.startswith(PROMPT):
            if self.now is None:
                return f"the {self.name} is no longer used"
            return f"the {self.name} {'was not used' if self.before is None else 'has changed'}"
        if self.name == POINT_IDS:
            ways = ("by their places in the review", "by their words")
            before, now = ways if self.before == 1 else ways[::-1]
            return f"its points have ids {before}, as of another version, and not {now}"
        if self.name == "judge_version" and " with " in f"{self.before}{self.now}":
            before, now = (f"lexical {version}" for version in (self.before, self.now))
            return f"its judge was {before} and is now {now} (doctor tells of sentence encoders)"
        return f"{self.name} was {self.before!r} and is now {self.now!r}"


_OF_THE_LOOP = (
    *("extract_argument", "reconstruct_argument", "formulas", "streamline"),
    *("faithfulness", "feedback"),
)
"""Prompts of the loop that rebuilds an argument."""


def prompt_names(decisive: Mapping[str, Plain]) -> tuple[str, ...]:
    """The prompts that an audit can put to a model, by its settings.

    Args:
        decisive: Settings as `Settings.decisive` gives them.
    """
    if decisive["model"] == EMBEDDED:
        return ()
    economy, together = decisive["protocol"] == "economy", decisive.get("per") is not None
    names = [*FRAME, "paper", "text_lacks"]
    if decisive.get("context") == "excerpts":
        names.append("excerpts")
    if decisive.get("paper_as") is not None:
        names.append("paper_pages")
    if decisive["points"] != "rules":
        names.append("split_points")
    if decisive["protocol"] in PRESUPPOSING:
        names.append("presupposition_terms")
        names.append("presuppositions_review" if together else "presuppositions_point")
        names += ["presuppositions_second_look"] if decisive["second_look"] != "off" else []
        if decisive["protocol"] == "presupposition+proof":
            names += [*_OF_THE_LOOP]
            names += ["premise_factuality"] if decisive["score"] != "base" else []
        return tuple(names)
    names += ["question_answerability", "claim_factuality"]
    if together:
        names.append("base_review")
    else:
        names += ["point_type"] if economy else ["is_argument", "is_question"]
    if decisive["score"] != "base":
        names += [*_OF_THE_LOOP, "premise_factuality"]
        names += ["premises_factuality"] if economy else []
    return tuple(names)


def differences(
    old: Mapping[str, Plain], new: Mapping[str, Plain], *, inputs: bool = True
) -> tuple[SettingDifference, ...]:
    """All decisive values that differ, by name; one that is absent has its default.

    Args:
        old: Decisive values of one run.
        new: Those of another.
        inputs: Whether what was judged counts too, or only how.
    """
    before, now = in_use(old), in_use(new)
    both = _Defaults(before), _Defaults(now)
    values = (
        (name, before.get(name, both[0].of(name)), now.get(name, both[1].of(name)))
        for name in sorted(before.keys() | now.keys())
        if inputs or not of_input(name)
    )
    return tuple(
        SettingDifference(name=name, before=one, now=other)
        for name, one, other in values
        if one != other
    )


def first_difference(old: Mapping[str, Plain], new: Mapping[str, Plain]) -> str | None:
    """The first decisive value that differs, in words; None if all are equal.

    Settings come before inputs, of which they may decide which are read.
    """
    found = sorted(differences(old, new), key=lambda difference: of_input(difference.name))
    return found[0].words if found else None


def sum_of(decisive: Mapping[str, Plain], *, inputs: bool = True) -> str:
    """SHA-256 of what is decisive; the same for runs that do not differ.

    Args:
        decisive: Decisive values of a run.
        inputs: As in `differences`.
    """
    used = in_use(decisive)
    defaults = _Defaults(used)
    kept = sorted(
        (name, value)
        for name, value in used.items()
        if value != defaults.of(name) and (inputs or not of_input(name))
    )
    return hashlib.sha256(repr(kept).encode()).hexdigest()


def in_use(decisive: Mapping[str, Plain]) -> Mapping[str, Plain]:
    """Decisive values without the prompts that the run did not use, where all were written down.

    Until only what is used was decisive, a manifest held the sums of all prompts, and the version
    of the package.
    """
    if _ALL_PROMPTS not in decisive:
        return decisive
    names = prompt_names({**_Defaults(decisive).settings, **decisive})
    latest: dict[str, int] = {}
    for name, version in _prompts(decisive):
        latest[name] = max(version, latest.get(name, 0))
    kept = {f"{PROMPT}{name}/v{latest[name]}" for name in names if name in latest}
    return {
        name: value
        for name, value in decisive.items()
        if name in kept or not (name == _ALL_PROMPTS or name.startswith(PROMPT))
    }


def of_input(name: str) -> bool:
    """Whether a decisive value says what was judged, and not how."""
    return name.startswith(INPUT) or name == "year"


def of_the_same_prompts(
    plains: Mapping[str, Plain], other: Mapping[str, Plain]
) -> tuple[dict[str, Plain], dict[str, Plain]]:
    """Decisive values of two runs without prompts of which only one has any version."""
    shared = {name for name, _ in _prompts(plains)} & {name for name, _ in _prompts(other)}

    def kept(name: str) -> bool:
        match = _PROMPT_ID.fullmatch(name)
        return match is None or match["name"] in shared

    first, second = ({name: side[name] for name in side if kept(name)} for side in (plains, other))
    return first, second


def _prompts(decisive: Mapping[str, Plain]) -> Iterator[tuple[str, int]]:
    for name in decisive:
        if (match := _PROMPT_ID.fullmatch(name)) is not None:
            yield match["name"], int(match["version"])


class _Defaults:
    """What values that a run did not write down had: it was made before there were any."""

    def __init__(self, decisive: Mapping[str, Plain]) -> None:
        model = decisive.get("model")
        known = Settings(model=model) if isinstance(model, str) else Settings(model="any/model")
        self.settings = known.decisive()

    def of(self, name: str) -> Plain:
        """The value that an absent one stands for; methods are counted from 1."""
        if name.startswith(METHOD):
            return 1
        return None if name == "model" else self.settings.get(name)
