"""Prepare reviews and papers for GEM by a model. Entry point: `prepare`.

Reviews are reduced to judgments, so that style and topic tell nothing: one a line, each with one
of four beginnings (arXiv 2411.07228, sec. 3.2 and app. C.1). Of papers, what they state about
themselves is collected (GEM-S (ASSW), sec. 5).
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Literal

from reviewscore.config import Plain, Settings
from reviewscore.files import hash_file
from reviewscore.judges.asker import Reply
from reviewscore.papers.load import READING_VERSION
from reviewscore.runs.estimate import CostEstimate, estimate_calls
from reviewscore.runs.generation import (
    GeneratedRow,
    GenerationFolder,
    GenerationManifest,
    GenerationSession,
    Rows,
    generation_folder,
    write_rows,
)
from reviewscore.runs.manifest import INPUT, METHOD
from reviewscore.runs.session import Outcome, Say
from reviewscore.schema.answer import Sentence, Several
from reviewscore.schema.confidentiality import Consent, strictest
from reviewscore.schema.paper import Paper
from reviewscore.sources.collection import Collection
from reviewscore.sources.system_reviews import (
    REVIEWS,
    SYNOPSES,
    Materials,
    SynopsisRow,
    SystemReview,
)

STANCES = ("appreciates", "criticizes", "questions", "suggests")
"""A judgment begins with "The reviewer" and one of these."""
LONGEST_LINE = 240
"""Most characters of a judgment after its beginning."""
LONGEST_POINT = 400
"""Most characters of a point that a paper states about itself."""
MOST = 60
"""Most judgments of a review, and most points of each of a paper's two lists."""

_VERDICT = re.compile(
    r"\b(?:rebuttal|authors?['’]? responses?|(?:strong|weak|borderline|clear) (?:accept|reject)|"
    r"(?:accept|reject)(?:ing|ance|ion)? (?:of )?(?:the|this) (?:paper|work|submission)|"
    r"(?:rais|increas|lower|decreas|keep|chang)\w* (?:\w+ )?(?:score|rating))\b",
    re.IGNORECASE,
)
"""What tells the outcome of a review and not what is good or bad about the paper."""


class Judgment(Reply):
    """One judgment: how the reviewer stands to something, and to what."""

    stance: Literal["appreciates", "criticizes", "questions", "suggests"]
    rest: Sentence


class JudgmentsReply(Reply):
    """The judgments of one review, in order."""

    judgments: Several[Judgment]
    no_judgment: bool


class StatedReply(Reply):
    """What a paper states about itself."""

    strengths: Several[Sentence]
    weaknesses: Several[Sentence]


def check_judgments(reply: JudgmentsReply) -> None:
    """Refuse judgments that cannot be scored.

    Raises:
        ValueError: The list is empty without a word or too long, or a judgment is not one plain
            line, holds another one, or speaks of the verdict.
    """
    if bool(reply.judgments) == reply.no_judgment:
        raise ValueError("the list must be empty where no_judgment is true, and only there")
    if len(reply.judgments) > MOST:
        raise ValueError(f"{len(reply.judgments)} judgments; at most {MOST}")
    for number, judgment in enumerate(reply.judgments, start=1):
        problem = _problem(judgment)
        if problem:
            raise ValueError(f"judgment {number}: {problem}")


def _problem(judgment: Judgment) -> str:
    """What is wrong with a judgment; empty if nothing is."""
    rest = judgment.rest.strip()
    again = rf"\bthe reviewer (?:also )?(?:{'|'.join(STANCES)})\b"
    problems = (
        (not re.search(r"\w", rest), "there are no words in `rest`"),
        (len(rest) > LONGEST_LINE, f"`rest` has {len(rest)} characters; at most {LONGEST_LINE}"),
        (len(rest.splitlines()) > 1, "`rest` has several lines; one judgment an entry"),
        (
            re.match(rf"(?:the reviewer|{judgment.stance})\b", rest, re.IGNORECASE),
            "`rest` repeats the beginning; give what comes after the stance",
        ),
        (
            re.search(again, rest, re.IGNORECASE),
            "`rest` holds a second judgment; make two entries",
        ),
        (
            _VERDICT.search(rest),
            "it speaks of the rating or the authors' response; leave this entry out",
        ),
    )
    return next((words for found, words in problems if found), "")


def judgment_lines(reply: JudgmentsReply) -> str:
    """A checked reply as lines with their beginnings; empty if there is no judgment."""
    return "\n".join(
        f"The reviewer {judgment.stance} {' '.join(judgment.rest.split()).rstrip('.')}"
        for judgment in reply.judgments
    )


def check_stated(reply: StatedReply) -> None:
    """Refuse points that cannot be read as one line each.

    Raises:
        ValueError: A list is too long, or a point is empty, too long, or of several lines.
    """
    for name, points in (("strengths", reply.strengths), ("weaknesses", reply.weaknesses)):
        if len(points) > MOST:
            raise ValueError(f"{name}: {len(points)} points; at most {MOST}")
        for number, point in enumerate(points, start=1):
            if not re.search(r"\w", point) or len(point.strip().splitlines()) > 1:
                raise ValueError(f"{name} {number}: must be one line of words")
            if len(point) > LONGEST_POINT:
                raise ValueError(f"{name} {number}: over {LONGEST_POINT} characters")


def stated_lines(reply: StatedReply) -> str:
    """A checked reply as two lists under headings; empty if both lists are."""
    lists = (
        ("Strengths that the authors state:", reply.strengths),
        ("Weaknesses that the authors state:", reply.weaknesses),
    )
    blocks = (
        "\n".join([heading, *(f"- {' '.join(point.split())}" for point in points)])
        for heading, points in lists
        if points
    )
    return "\n\n".join(blocks)


ACCOUNT = "prepare.json"
JUDGMENTS, ASSW = "gem_judgments", "gem_assw"
MIXED = (
    "some judgments came with the reviews and others are of this model: texts that were prepared "
    "in different ways should not be compared (--anew prepares all of them)"
)


class PreparedReview(GeneratedRow):
    """A review with its judgments; a line of ``reviews.jsonl``.

    Attributes:
        text: The review as written.
        judgments: One a line; None where there are none, for which `state` says why.
    """

    paper_id: str
    review_id: str
    reviewer: str | None
    system: str
    text: str
    judgments: str | None

    @property
    def key(self) -> str:
        """The review's identifier."""
        return self.review_id


class Synopsis(GeneratedRow):
    """What is known of a paper; a line of ``synopses.jsonl``. `state` is about `assw`.

    Attributes:
        abstract: None if the paper has none.
        assw: Strengths and weaknesses that the authors state; None if there are none.
    """

    paper_id: str
    abstract: str | None
    assw: str | None

    @property
    def key(self) -> str:
        """The paper's identifier."""
        return self.paper_id


def prepare(
    materials: Materials,
    papers: Collection | None,
    out: Path,
    settings: Settings,
    *,
    assw: bool = True,
    anew: bool = False,
    retry_errors: bool = False,
    say: Say = lambda _: None,
) -> Outcome[GenerationManifest]:
    """Reduce reviews to judgments and collect what papers state, into a folder.

    The folder can be read by `written.read_materials`. What is there already is not asked again,
    except for reviews whose text has changed; what is no longer in the input is taken out.

    Args:
        materials: The reviews.
        papers: Their papers, for abstracts and `assw`; None if they are not at hand.
        out: The folder; it must be new, or of an earlier session.
        settings: Name the model and the limits.
        assw: Ask what each paper states about itself.
        anew: Ask also where judgments or `assw` came with the input.
        retry_errors: Ask again for what failed.
        say: Told what the user should know.

    Raises:
        SettingsError: No model is named, or it cannot be asked.
        RunFolderError: The folder cannot be used.
    """
    files = [] if papers is None else papers.files
    inputs = {f"{INPUT}{n} {path.name}": hash_file(path).sha256 for n, path in enumerate(files, 1)}
    more: dict[str, Plain] = {"model": settings.model, "anew": anew, **inputs}
    if papers is not None:
        more[f"{METHOD}reading"] = READING_VERSION
    used = (JUDGMENTS, ASSW, "paper") if assw else (JUDGMENTS,)
    given = map(hash_file, (*materials.files, *files))
    with generation_folder(out, ACCOUNT, used, settings, inputs=given, more=more) as folder:
        work = _Work(folder, materials, papers, assw=assw, anew=anew, retry_errors=retry_errors)
        return asyncio.run(work.session(settings, say))


def expected_to_prepare(
    materials: Materials,
    papers: Collection | None,
    settings: Settings,
    *,
    assw: bool = True,
    anew: bool = False,
) -> CostEstimate:
    """What `prepare` would ask; arguments as there."""
    asked = [
        (settings.model, JUDGMENTS, len(review.raw))
        for review in materials.all()
        if review.raw.strip() and (anew or not review.judgments)
    ]
    if assw and papers is not None:
        for paper_id in materials.papers:
            row = materials.synopses.get(paper_id)
            given = row is not None and bool((row.assw or "").strip()) and not anew
            if paper_id in papers.papers and not given:
                asked.append((settings.model, ASSW, len(papers.paper(paper_id).text)))
    return estimate_calls(asked, settings, {JUDGMENTS: 300, ASSW: 600}, papers={ASSW})


class _Work:
    """The two files, and what is still to be written into them."""

    def __init__(
        self,
        folder: GenerationFolder,
        materials: Materials,
        papers: Collection | None,
        *,
        assw: bool,
        anew: bool,
        retry_errors: bool,
    ) -> None:
        self._folder, self._materials, self._papers = folder, materials, papers
        self._assw, self._anew, self._retry = assw, anew, retry_errors
        self._abstracts: dict[str, str | None] = {}
        path = folder.path
        self._reviews = Rows(path / f"{REVIEWS}.jsonl", PreparedReview, retry_errors=retry_errors)
        self._synopses = Rows(path / f"{SYNOPSES}.jsonl", Synopsis, retry_errors=retry_errors)

    async def session(self, settings: Settings, say: Say) -> Outcome[GenerationManifest]:
        """Write what is missing."""
        self._forget_changed()
        return await write_rows(
            self._folder,
            settings,
            {"judgments": self._reviews, "assw": self._synopses},
            self._tasks,
            finish=self._finish,
            say=say,
            renew=self._retry,
        )

    def _forget_changed(self) -> None:
        for review in self._materials.all():
            old = self._reviews.done.get(review.review_id)
            if old is not None and old.text != review.raw:
                self._reviews.forget(review.review_id)
        for name, row in list(self._synopses.done.items()):
            if row.state == "not-asked" and self._assw:
                self._synopses.forget(name)

    def _tasks(self, session: GenerationSession) -> Iterator[Callable[[], Awaitable[None]]]:
        """Papers and their reviews in turn, so that both go on at once."""
        for paper_id, group in self._materials.papers.items():
            if paper_id not in self._synopses.done:
                yield partial(
                    session.write,
                    self._synopses,
                    partial(self._synopsis, session, paper_id),
                    partial(self._without_assw, paper_id),
                )
            for review in group:
                if review.review_id not in self._reviews.done:
                    yield partial(
                        session.write,
                        self._reviews,
                        partial(self._prepared, session, review),
                        partial(_review_row, review, judgments=None),
                    )

    async def _prepared(self, session: GenerationSession, review: SystemReview) -> PreparedReview:
        if review.judgments and not self._anew:
            return _review_row(review, {"state": "given"}, judgments=review.judgments)
        if not review.raw.strip():
            return _review_row(review, {"state": "no-text"}, judgments=None)
        judged = await session.asker(session.settings.model).ask(
            JUDGMENTS, JudgmentsReply, check=check_judgments, review=review.raw
        )
        lines = judgment_lines(judged.reply) or None
        state = "none" if lines is None else "made"
        fields: dict[str, object] = {"state": state, "provenance": judged.provenance}
        return _review_row(review, fields, judgments=lines)

    async def _synopsis(self, session: GenerationSession, paper_id: str) -> Synopsis:
        known = self._materials.synopses.get(paper_id)
        self._abstracts[paper_id] = _abstract(known)
        paper = self._paper(paper_id)
        abstract = _abstract(known) or (paper.abstract if paper is not None else None)
        self._abstracts[paper_id] = abstract
        consent = self._consent(paper_id)
        row = partial(Synopsis, paper_id=paper_id, abstract=abstract, consent=consent)
        if known is not None and (known.assw or "").strip() and not self._anew:
            return row(state="given", assw=known.assw)
        if not self._assw:
            return row(state="not-asked", assw=None)
        if paper is None:
            return row(state="no-text", assw=None)
        judged = await session.asker(session.settings.model).ask(
            ASSW, StatedReply, paper=paper, check=check_stated
        )
        lines = stated_lines(judged.reply) or None
        return row(
            state="none" if lines is None else "made", assw=lines, provenance=judged.provenance
        )

    def _without_assw(self, paper_id: str, fields: Mapping[str, object]) -> Synopsis:
        """The abstract stays where the model failed."""
        abstract, consent = self._abstracts.get(paper_id), self._consent(paper_id)
        return Synopsis.model_validate(
            {"paper_id": paper_id, "abstract": abstract, "assw": None, "consent": consent, **fields}
        )

    def _consent(self, paper_id: str) -> Consent | None:
        papers = {} if self._papers is None else self._papers.papers
        known = (self._materials.synopses.get(paper_id), papers.get(paper_id))
        return strictest(*(one.consent for one in known if one is not None))

    def _paper(self, paper_id: str) -> Paper | None:
        if self._papers is None or paper_id not in self._papers.papers:
            return None
        return self._papers.paper(paper_id).as_reviewed

    def _finish(self) -> None:
        self._reviews.finish(review.review_id for review in self._materials.all())
        self._synopses.finish(self._materials.papers)
        states = self._reviews.states()
        if states["given"] and states["made"]:
            manifest = self._folder.manifest
            self._folder.update(manifest.model_copy(update={"warnings": (MIXED,)}))


def _abstract(row: SynopsisRow | None) -> str | None:
    return ((row.abstract or "").strip() or None) if row is not None else None


def _review_row(
    review: SystemReview, fields: Mapping[str, object], *, judgments: str | None
) -> PreparedReview:
    return PreparedReview.model_validate(
        {
            "paper_id": review.paper_id,
            "review_id": review.review_id,
            "reviewer": review.reviewer,
            "system": review.system,
            "text": review.raw,
            "judgments": judgments,
            "consent": review.consent,
            **fields,
        }
    )
