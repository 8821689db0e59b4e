"""Let candidate models write reviews, to be scored against people's. Entry point: `generate`.

The task of GRE-bench: a summary, reasons for and against the paper with their evidence, and
questions (arXiv 2411.07228, sec. 5 and app. C.3).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from reviewscore.config import Plain, Settings
from reviewscore.errors import SettingsError
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
from reviewscore.schema.answer import Sentence, Several, Text
from reviewscore.sources.collection import Collection
from reviewscore.sources.system_reviews import REVIEWS

ACCOUNT = "generate.json"
REVIEW = "gem_review"
AT_LEAST = 4
"""Fewest reasons on each side (app. C.3)."""


class Reason(Reply):
    """A reason for or against a paper, and what in the paper bears it out."""

    reason: Text
    evidence: Several[Sentence]


class ReviewReply(Reply):
    """A whole review."""

    summary: Text
    strengths: Several[Reason]
    weaknesses: Several[Reason]
    questions: Several[Text]


class GeneratedReview(GeneratedRow):
    """A model's review; a line of ``reviews.jsonl``.

    Attributes:
        system: The model that was asked.
        sections: Summary, strengths, weaknesses and questions; None if it failed.
    """

    paper_id: str
    review_id: str
    system: str
    sections: dict[str, str] | None

    @property
    def key(self) -> str:
        """The review's identifier: the paper's, a slash, the model's."""
        return self.review_id


def generate(
    papers: Collection,
    models: Sequence[str],
    out: Path,
    settings: Settings,
    *,
    retry_errors: bool = False,
    say: Say = lambda _: None,
) -> Outcome[GenerationManifest]:
    """Let every model review every paper, into a folder that `written.read_materials` reads.

    What is there already is not asked again; a later session may name further models.

    Args:
        papers: The papers; their reviews are not looked at.
        models: The candidates, as ``provider/name``; each is a system of its own.
        out: The folder; it must be new, or of an earlier session.
        settings: How models are asked, and the limits; its own model is not asked.
        retry_errors: Ask again for what failed.
        say: Told what the user should know.

    Raises:
        SettingsError: No model is named, or one cannot be asked.
        RunFolderError: The folder cannot be used.
    """
    names = tuple(dict.fromkeys(models))
    if not names:
        raise SettingsError("no model is named; name one or more with --model")
    settings = settings.model_copy(update={"model": names[0], "panel": names[1:], "judges": {}})
    files = [hash_file(file) for file in papers.files]
    more: dict[str, Plain] = {
        f"{METHOD}reading": READING_VERSION,
        **{f"{INPUT}{n} {file.name}": file.sha256 for n, file in enumerate(files, 1)},
    }
    used = (REVIEW, "paper")
    with generation_folder(out, ACCOUNT, used, settings, inputs=files, more=more) as folder:
        return asyncio.run(_session(folder, papers, settings, retry_errors=retry_errors, say=say))


def expected_to_generate(
    papers: Collection, models: Sequence[str], settings: Settings
) -> CostEstimate:
    """What `generate` would ask; arguments as there."""
    names = tuple(dict.fromkeys(models))
    sizes = (len(papers.paper(paper_id).text) for paper_id in papers.papers)
    asked = [(name, REVIEW, size) for size in sizes for name in names]
    return estimate_calls(asked, settings, {REVIEW: 1500}, papers={REVIEW})


async def _session(
    folder: GenerationFolder,
    papers: Collection,
    settings: Settings,
    *,
    retry_errors: bool,
    say: Say,
) -> Outcome[GenerationManifest]:
    rows = Rows(folder.path / f"{REVIEWS}.jsonl", GeneratedReview, retry_errors=retry_errors)

    def finish() -> None:
        systems = sorted({row.system for row in rows.done.values()})
        rows.finish(_name(paper, model) for paper in papers.papers for model in systems)

    return await write_rows(
        folder,
        settings,
        {"reviews": rows},
        lambda session: _tasks(session, rows, papers),
        finish=finish,
        say=say,
        renew=retry_errors,
    )


def _tasks(
    session: GenerationSession, rows: Rows[GeneratedReview], papers: Collection
) -> Iterator[Callable[[], Awaitable[None]]]:
    for paper_id in papers.papers:
        for model in session.settings.models:
            if _name(paper_id, model) not in rows.done:
                yield partial(
                    session.write,
                    rows,
                    partial(_review, session, papers, paper_id, model),
                    partial(_row, paper_id, model, sections=None),
                )


async def _review(
    session: GenerationSession, papers: Collection, paper_id: str, model: str
) -> GeneratedReview:
    judged = await session.asker(model).ask(
        REVIEW, ReviewReply, paper=papers.paper(paper_id).as_reviewed, check=check_review
    )
    fields: dict[str, object] = {"state": "made", "provenance": judged.provenance}
    fields["consent"] = papers.papers[paper_id].consent
    return _row(paper_id, model, fields, sections=sections_of(judged.reply))


def check_review(reply: ReviewReply) -> None:
    """Refuse a review that lacks what was asked for.

    Raises:
        ValueError: It has no summary, or too few reasons on one side.
    """
    if not reply.summary.strip():
        raise ValueError("summary: there are no words in it")
    for name, reasons in (("strengths", reply.strengths), ("weaknesses", reply.weaknesses)):
        told = [new_reason for new_reason in reasons if new_reason.reason.strip()]
        if len(told) < AT_LEAST:
            raise ValueError(f"{name}: {len(told)} reasons; give at least {AT_LEAST}")


def sections_of(reply: ReviewReply) -> dict[str, str]:
    """A review as text under four headings; a heading without text is left out."""
    sections = {
        "summary": reply.summary.strip(),
        "strengths": _reasons(reply.strengths),
        "weaknesses": _reasons(reply.weaknesses),
        "questions": "\n".join(
            f"- {question.strip()}" for question in reply.questions if question.strip()
        ),
    }
    return {name: text for name, text in sections.items() if text}


def _reasons(reasons: Sequence[Reason]) -> str:
    lines: list[str] = []
    for number, new_reason in enumerate((one for one in reasons if one.reason.strip()), start=1):
        lines.append(f"{number}. {new_reason.reason.strip()}")
        lines += [f"   - {words.strip()}" for words in new_reason.evidence if words.strip()]
    return "\n".join(lines)


def _name(paper_id: str, model: str) -> str:
    return f"{paper_id}/{model}"


def _row(
    paper_id: str, model: str, fields: Mapping[str, object], *, sections: dict[str, str] | None
) -> GeneratedReview:
    return GeneratedReview.model_validate(
        {
            "paper_id": paper_id,
            "review_id": _name(paper_id, model),
            "system": model,
            "sections": sections,
            **fields,
        }
    )
