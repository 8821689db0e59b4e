"""Prepare reviews and papers for GEM by a model. Front door: `prepare`.

Reviews are reduced to judgments, so that style and topic tell nothing (arXiv 2411.07228,
sec. 3.2); of papers, what they state about themselves is collected (GEM-S (ASSW), sec. 5).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

from reviewscore import prompts
from reviewscore.config import Plain, Settings
from reviewscore.files import hash_file
from reviewscore.gem.judgments import (
    JudgmentsReply,
    StatedReply,
    check_judgments,
    check_stated,
    judgment_lines,
    stated_lines,
)
from reviewscore.papers.load import READING_VERSION
from reviewscore.runs.generation import (
    GenerationFolder,
    GenerationManifest,
    GenerationSession,
    Row,
    Rows,
    check_models,
    new_manifest,
    write_rows,
)
from reviewscore.runs.manifest import (
    INPUT,
    METHOD,
)
from reviewscore.runs.session import Outcome, Say
from reviewscore.schema.paper import Paper
from reviewscore.sources.files import Collection
from reviewscore.sources.written import REVIEWS, SYNOPSES, Materials, SynopsisRow, Written

ACCOUNT = "prepare.json"
JUDGMENTS, ASSW = "gem_judgments", "gem_assw"
MIXED = (
    "some judgments came with the reviews and others are of this model: texts that were prepared "
    "in different ways should not be compared (--anew prepares all of them)"
)


class PreparedReview(Row):
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


class Synopsis(Row):
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
    check_models(settings)
    files = [] if papers is None else papers.files
    inputs = {f"{INPUT}{n} {one.name}": hash_file(one).sha256 for n, one in enumerate(files, 1)}
    more: dict[str, Plain] = {"model": settings.model, "anew": anew, **inputs}
    if papers is not None:
        more[f"{METHOD}reading"] = READING_VERSION
    with prompts.use_directory(settings.prompts_dir):
        manifest = new_manifest(
            (JUDGMENTS, ASSW, "paper") if assw else (JUDGMENTS,),
            settings,
            inputs=tuple(hash_file(one) for one in (*materials.files, *files)),
            more=more,
        )
        with GenerationFolder(out, ACCOUNT, manifest) as folder:
            work = _Work(folder, materials, papers, assw=assw, anew=anew, retry_errors=retry_errors)
            return asyncio.run(work.session(settings, say))


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

    async def _prepared(self, session: GenerationSession, review: Written) -> PreparedReview:
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
        row = partial(Synopsis, paper_id=paper_id, abstract=abstract)
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
        abstract = self._abstracts.get(paper_id)
        return Synopsis.model_validate(
            {"paper_id": paper_id, "abstract": abstract, "assw": None, **fields}
        )

    def _paper(self, paper_id: str) -> Paper | None:
        if self._papers is None or paper_id not in self._papers.papers:
            return None
        return self._papers.paper(paper_id)

    def _finish(self) -> None:
        self._reviews.finish(one.review_id for one in self._materials.all())
        self._synopses.finish(self._materials.papers)
        states = self._reviews.states()
        if states["given"] and states["made"]:
            manifest = self._folder.manifest
            self._folder.update(manifest.model_copy(update={"warnings": (MIXED,)}))


def _abstract(row: SynopsisRow | None) -> str | None:
    return ((row.abstract or "").strip() or None) if row is not None else None


def _review_row(
    review: Written, fields: Mapping[str, object], *, judgments: str | None
) -> PreparedReview:
    return PreparedReview.model_validate(
        {
            "paper_id": review.paper_id,
            "review_id": review.review_id,
            "reviewer": review.reviewer,
            "system": review.system,
            "text": review.raw,
            "judgments": judgments,
            **fields,
        }
    )
