"""An expert's strengths and weaknesses of each paper, by a model. Entry point: `make_references`.

A meta-review names what mattered and lacks the detail; reviews have the detail and much else. So
its points are extracted, augmented with what the reviews say about them, and cleaned of whatever
only readers of the reviews would follow (Shin et al. 2025, arXiv 2502.17086, sec. 3.2, app. A.1.1).
Each check refuses what a reader of the points could not rely on.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias

from reviewscore.config import Settings
from reviewscore.errors import InputError
from reviewscore.files import hash_file
from reviewscore.judges.asker import Reply
from reviewscore.papers.hygiene import tidy
from reviewscore.papers.quotes import stands_in
from reviewscore.runs.estimate import CostEstimate, estimate_calls
from reviewscore.runs.generation import (
    GeneratedRow,
    GenerationManifest,
    GenerationSession,
    Rows,
    Work,
    fill,
    generation_folder,
)
from reviewscore.runs.session import Outcome, Say
from reviewscore.schema.answer import Sentence, Several
from reviewscore.schema.confidentiality import Consent, strictest
from reviewscore.schema.record import Record
from reviewscore.schema.verdict import Provenance
from reviewscore.sources.system_reviews import PEOPLE, REVIEWS, Materials

Side: TypeAlias = Literal["strength", "weakness"]

MOST = 40
"""Most points of a meta-review."""
LONGEST = 2000
"""Most characters of a point."""
QUOTED_WORDS = 3
"""Fewest words of a passage that shows that a review says something."""

_MARK = re.compile(r"\A(?:[-*•]|\d{1,2}[.)])\s+")
_SCORED = r"(?:rais|increas|lower|decreas|keep|chang|updat|maintain)\w*"
_MENTIONS = re.compile(
    r"\breviewers?\b|\breferees?\b|\bmeta-? ?review|\barea[- ]chairs?\b|\bprogram(?:me)? chairs?\b|"
    r"\bthe AC\b|\bR[1-9](?:['’]s|,? (?:and|&) R[1-9]| (?:says|notes|points|asks|finds|raises))\b|"
    r"\b(?:the|all|both|most|some|several|other|individual) reviews "
    r"(?:agree|say|state|note|mention|point|find|raise|ask|praise|criti)|"
    r"\brebuttals?\b|\bauthors?['’]? (?:responses?|repl(?:y|ies))\b|\bdiscussion (?:period|phase)|"
    r"\b(?:strong|weak|borderline|clear) (?:accept|reject)\b|"
    r"\b(?:accept|reject)(?:ing|ance|ion)? (?:of )?(?:the|this) (?:paper|work|submission)\b|"
    rf"\b{_SCORED} (?:my|their|his|her|your) (?:\w+ )?(?:scores?|ratings?)\b",
    re.IGNORECASE,
)
"""What a point that stands alone does not speak of. "R2" alone may be a measure of fit."""


class NamedPoint(Reply):
    """A point that a meta-review names, and where."""

    polarity: Side
    text: Sentence
    quote: Sentence


class NamedPointsReply(Reply):
    """All points of a meta-review, in order."""

    points: Several[NamedPoint]
    names_none: bool


class AugmentedPoint(Reply):
    """A point with the reviews' detail, and the passages that give it."""

    polarity: Side
    text: Sentence
    quotes: Several[Sentence]


class AugmentedPointsReply(Reply):
    """The points again, in the order in which they were given."""

    points: Several[AugmentedPoint]


class CleanPoint(Reply):
    """A point that stands alone."""

    polarity: Side
    text: Sentence


class CleanPointsReply(Reply):
    """The points again, in the order in which they were given."""

    points: Several[CleanPoint]


def plain(text: str) -> str:
    """A point on one line, without a list's marker."""
    return _MARK.sub("", " ".join(tidy(text).text.split()))


def numbered(points: Sequence[tuple[Side, str]]) -> str:
    """Points as a later prompt shows them, one a line."""
    return "\n".join(f"{n}. ({side}) {text}" for n, (side, text) in enumerate(points, start=1))


def check_named(reply: NamedPointsReply, meta_review: str) -> None:
    """Refuse points that the meta-review does not name.

    Raises:
        ValueError: The list is empty without a word or too long, a point is there twice or is no
            text, or its quote is not in the meta-review.
    """
    if bool(reply.points) == reply.names_none:
        raise ValueError("the list must be empty where names_none is true, and only there")
    if len(reply.points) > MOST:
        raise ValueError(f"{len(reply.points)} points; at most {MOST}")
    seen: dict[str, int] = {}
    for number, point in enumerate(reply.points, start=1):
        text = _worded(number, point.text)
        first = seen.setdefault(text.casefold(), number)
        if first != number:
            raise ValueError(f"point {number} is the same as point {first}; give it once")
        if not stands_in(meta_review, point.quote):
            raise ValueError(
                f"point {number}: its quote is not in the meta-review; copy the passage exactly, "
                "and leave the point out if there is none"
            )


def check_augmented(
    reply: AugmentedPointsReply, given: Sequence[tuple[Side, str]], reviews: Sequence[str]
) -> None:
    """Refuse points that are not those given, or with detail that no review is shown to give.

    Raises:
        ValueError: Number, order or polarity differ, a point is no text, a quote is in no review,
            or a point without a quote was changed.
    """
    _same_points(reply.points, given)
    for number, (point, (_, text)) in enumerate(zip(reply.points, given, strict=True), start=1):
        said = _worded(number, point.text)
        for quote in point.quotes:
            if len(re.findall(r"\w+", quote)) < QUOTED_WORDS:
                raise ValueError(f"point {number}: quote at least {QUOTED_WORDS} words")
            if not any(stands_in(review, quote) for review in reviews):
                raise ValueError(
                    f"point {number}: this quote is in no review: '{quote}'; copy passages "
                    "exactly, and leave out detail that no review gives"
                )
        if not point.quotes and said.casefold() != text.casefold():
            raise ValueError(
                f"point {number} was changed without a quote; quote the reviews, or repeat its "
                "text unchanged"
            )


def check_clean(reply: CleanPointsReply, given: Sequence[tuple[Side, str]]) -> None:
    """Refuse points that are not those given, or that do not stand alone.

    Raises:
        ValueError: Number, order or polarity differ, a point is no text, or it still speaks of
            reviewers, ratings, the discussion or a response.
    """
    _same_points(reply.points, given)
    for number, point in enumerate(reply.points, start=1):
        match = _MENTIONS.search(_worded(number, point.text))
        if match is not None:
            raise ValueError(
                f"point {number} still speaks of '{match[0]}'; say the same of the paper alone"
            )


def _same_points(
    found: Sequence[AugmentedPoint] | Sequence[CleanPoint], given: Sequence[tuple[Side, str]]
) -> None:
    if len(found) != len(given):
        raise ValueError(f"{len(given)} points were given, {len(found)} came back")
    sides = [one.polarity for one in found]
    for number, (now, (side, _)) in enumerate(zip(sides, given, strict=True), start=1):
        if now != side:
            raise ValueError(f"point {number} was a {side} and came back as a {now}")


def _worded(number: int, text: str) -> str:
    """A point's text on one line, if it is one."""
    line = plain(text)
    if not re.search(r"\w", line):
        raise ValueError(f"point {number}: there are no words in `text`")
    if len(line) > LONGEST:
        raise ValueError(f"point {number}: {len(line)} characters; at most {LONGEST}")
    return line


EXPERTS = "experts"
"""System of the references."""
ACCOUNT = "references.json"
EXTRACT, AUGMENT, CLEAN = "focus_extract", "focus_augment", "focus_clean"
REPLIES = {EXTRACT: 700, AUGMENT: 1500, CLEAN: 900}
"""Guessed tokens of a reply; times `ROOM_TO_THINK` for reasoning models."""
NO_META_REVIEW = "without a meta-review"
NO_REVIEWS = "without people's reviews"
_CHARACTERS = 4 * REPLIES[AUGMENT]
"""Guessed length of the points that the last prompt holds."""
_HEADINGS: dict[Side, str] = {"strength": "strengths", "weakness": "weaknesses"}


class ReferencePoint(Record):
    """A point of a reference, and how it came about.

    Attributes:
        polarity: Praise or criticism.
        text: The point, one line.
        named: As the meta-review names it.
        augmented: With the reviews' detail, before it was cleaned.
        quotes: The reviews' passages that the detail is from; each was found in a review.
    """

    polarity: Side
    text: str
    named: str
    augmented: str
    quotes: tuple[str, ...]


class Reference(GeneratedRow):
    """What experts say of a paper; a line of ``reviews.jsonl``.

    Attributes:
        system: `EXPERTS`.
        sections: Strengths and weaknesses, a bulleted point each; None if there is none.
        points: The same points, so that no reader need split them; strengths first.
        source_sha256: Of the meta-review and the reviews that they were made of.
        steps: Provenance of the questions in order; `provenance` is that of the last.
    """

    paper_id: str
    review_id: str
    system: str = EXPERTS
    sections: dict[str, str] | None = None
    points: tuple[ReferencePoint, ...] = ()
    source_sha256: str
    steps: tuple[Provenance, ...] = ()

    @property
    def key(self) -> str:
        """The paper's identifier."""
        return self.paper_id


@dataclass(frozen=True)
class ReferenceSource:
    """What a reference is made of.

    Attributes:
        paper_id: The paper.
        meta_review: Whole.
        reviews: People's reviews, whole, in the order of the file.
        consent: Who may judge all of them.
    """

    paper_id: str
    meta_review: str
    reviews: tuple[str, ...]
    consent: Consent | None = None

    @property
    def sha256(self) -> str:
        """Of all its texts."""
        texts = json.dumps([self.meta_review, *self.reviews])
        return hashlib.sha256(texts.encode()).hexdigest()


@dataclass(frozen=True)
class Sources:
    """The papers that have both, and how many have not.

    Attributes:
        papers: In the order of the reviews.
        left_out: Papers by reason.
        files: The files read.
    """

    papers: tuple[ReferenceSource, ...]
    left_out: Counter[str] = field(default_factory=Counter)
    files: tuple[Path, ...] = ()

    def states(self) -> Counter[str]:
        """How many papers were left out, by reason."""
        return self.left_out

    def failures(self) -> Counter[str]:
        """None: what was left out was never tried."""
        return Counter()


def sources_of(
    materials: Materials, meta_reviews: Mapping[str, str], *, files: Sequence[Path] = ()
) -> Sources:
    """The papers with a meta-review and reviews by people.

    Args:
        materials: The reviews; of a review without its text the judgments are taken.
        meta_reviews: By paper.
        files: Where meta-reviews are from, beside the files of the reviews.

    Raises:
        InputError: No paper has both.
    """
    sources: list[ReferenceSource] = []
    left_out: Counter[str] = Counter()
    for paper_id in dict.fromkeys((*materials.papers, *meta_reviews)):
        group = materials.papers.get(paper_id, [])
        texts = [review.raw if review.raw.strip() else review.judgments for review in group
                 if review.system == PEOPLE]  # fmt: skip
        reviews = tuple(text for text in texts if text.strip())
        if not meta_reviews.get(paper_id, "").strip():
            left_out[NO_META_REVIEW] += 1
        elif not reviews:
            left_out[NO_REVIEWS] += 1
        else:
            consent = strictest(*(review.consent for review in group))
            sources.append(ReferenceSource(paper_id, meta_reviews[paper_id], reviews, consent))
    if not sources:
        reasons = ", ".join(f"{count:,} {why}" for why, count in left_out.items())
        raise InputError(
            f"no paper has a meta-review and people's reviews ({reasons})",
            file=materials.files[0] if materials.files else None,
            cure="give `meta_review` in papers or synopses, or a file with --metareviews",
        )
    return Sources(tuple(sources), left_out, tuple(dict.fromkeys((*materials.files, *files))))


def expected_references(sources: Sources, settings: Settings) -> CostEstimate:
    """What `make_references` would ask and cost."""
    asked = []
    for paper in sources.papers:
        meta, reviews = len(paper.meta_review), sum(map(len, paper.reviews))
        sizes = {EXTRACT: meta, AUGMENT: meta + reviews, CLEAN: _CHARACTERS}
        asked += [(settings.model, name, size) for name, size in sizes.items()]
    return estimate_calls(asked, settings, REPLIES)


def make_references(
    sources: Sources,
    out: Path,
    settings: Settings,
    *,
    retry_errors: bool = False,
    say: Say = lambda _: None,
) -> Outcome[GenerationManifest]:
    """Make a reference of each paper, into a folder that `written.read_materials` reads.

    Texts are never cut: what is too long for the model fails, with its reason. What is there
    already is not asked again, except for papers whose texts have changed; what is no longer in
    the input is taken out. An answered question is on record, so that a paper which failed later
    on is gone on with where it failed.

    Args:
        sources: The papers.
        out: The folder; it must be new, or of an earlier session.
        settings: Name the model and the limits.
        retry_errors: Ask again for what failed.
        say: Told what the user should know.

    Raises:
        SettingsError: No model is named, or it cannot be asked.
        RunFolderError: The folder cannot be used.
    """
    used, inputs, more = tuple(REPLIES), map(hash_file, sources.files), {"model": settings.model}
    with generation_folder(out, ACCOUNT, used, settings, inputs=inputs, more=more) as folder:
        rows = Rows(out / f"{REVIEWS}.jsonl", Reference, retry_errors=retry_errors)
        papers = {source.paper_id: source for source in sources.papers}
        work = Work(papers, "references", _current, _reference, _row)
        left_out = {"papers": sources}
        return fill(folder, rows, work, settings, say=say, renew=retry_errors, left_out=left_out)


def _current(row: Reference, source: ReferenceSource) -> bool:
    return row.source_sha256 == source.sha256


async def _reference(session: GenerationSession, source: ReferenceSource) -> Reference:
    """The chain for one paper."""
    asker = session.asker(session.settings.model)
    named = await asker.ask(
        EXTRACT,
        NamedPointsReply,
        check=partial(check_named, meta_review=source.meta_review),
        meta_review=source.meta_review,
    )
    if not named.reply.points:
        told = named.provenance
        return _row(source, {"state": "none", "provenance": told, "steps": (told,)})
    # Strengths first, as the sections have them; the order within each is the meta-review's.
    sides = sorted(named.reply.points, key=lambda point: point.polarity)
    first = [(side.polarity, plain(side.text)) for side in sides]
    augmented = await asker.ask(
        AUGMENT,
        AugmentedPointsReply,
        check=partial(check_augmented, given=first, reviews=source.reviews),
        points=numbered(first),
        reviews=source.reviews,
    )
    second = [(point.polarity, plain(point.text)) for point in augmented.reply.points]
    clean = await asker.ask(
        CLEAN,
        CleanPointsReply,
        check=partial(check_clean, given=second),
        points=numbered(second),
    )
    points = tuple(
        ReferencePoint(
            polarity=last.polarity,
            text=plain(last.text),
            named=name[1],
            augmented=more[1],
            quotes=tuple(point.quotes),
        )
        for last, name, more, point in zip(
            clean.reply.points, first, second, augmented.reply.points, strict=True
        )
    )
    steps = (named.provenance, augmented.provenance, clean.provenance)
    fields = {"state": "made", "provenance": steps[-1], "steps": steps, "points": points}
    return _row(source, fields)


def _row(source: ReferenceSource, fields: Mapping[str, object]) -> Reference:
    """A line of the file, its sections made of its points."""
    row = Reference.model_validate(
        {
            "paper_id": source.paper_id,
            "review_id": f"{source.paper_id}/{EXPERTS}",
            "source_sha256": source.sha256,
            "consent": source.consent,
            **fields,
        }
    )
    return row.model_copy(update={"sections": sections_of(row.points)})


def sections_of(points: Sequence[ReferencePoint]) -> dict[str, str] | None:
    """Points as bulleted lists under headings; a heading without a point is left out."""
    lists = {
        heading: "\n".join(f"- {point.text}" for point in points if point.polarity == side)
        for side, heading in _HEADINGS.items()
    }
    return {heading: text for heading, text in lists.items() if text} or None
