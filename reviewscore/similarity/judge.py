"""Have a model judge, 0 to 100, how well reviewers' papers prepare for submissions.

One line a pair is written as it is judged, so that a session can be stopped, killed and gone on
with; every reply is in the ledger, so that none is paid twice.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from reviewscore.config import Plain, Settings
from reviewscore.files import InputFile
from reviewscore.judges.asker import Judged, Reply
from reviewscore.runs.estimate import CostEstimate, estimate_calls
from reviewscore.runs.generation import (
    Asks,
    GeneratedRow,
    GenerationManifest,
    GenerationSession,
    Rows,
    Work,
    fill,
    generation_folder,
    read_rows,
)
from reviewscore.runs.session import Outcome, Say
from reviewscore.schema.answer import Text, Whole
from reviewscore.similarity.affinity import NO_PAPER, NO_WORDS
from reviewscore.similarity.corpus import Corpus, Publication, UnreadPaper, most_recent
from reviewscore.similarity.pairs import HEADING, csv_lines
from reviewscore.stats.tables import guarded

PROMPT = "similarity_judge"
LOWEST, HIGHEST = 0, 100
NO_PROFILE, NO_SUBMISSION = "has no profile", "is no submission"


class ExpertiseReply(Reply):
    """How well a reviewer is prepared: 0..100; None where the texts do not tell."""

    reasoning: Text
    score: Whole | None


@dataclass(frozen=True)
class PairQuestion:
    """One reviewer and one submission.

    Attributes:
        version: Of the profiles.
        reviewer: Identifier.
        paper: Identifier of the submission.
        title: Its title.
        submission: Its abstract.
        profile: The reviewer's papers, as the question shows them.
    """

    version: str
    reviewer: str
    paper: str
    title: str
    submission: str
    profile: str

    @property
    def key(self) -> str:
        """What tells it from other questions."""
        return json.dumps([self.version, self.reviewer, self.paper], ensure_ascii=False)

    @property
    def sha256(self) -> str:
        """Of all that is shown."""
        shown = json.dumps([self.title, self.submission, self.profile])
        return hashlib.sha256(shown.encode("utf-8", "replace")).hexdigest()


def questions(
    corpus: Corpus,
    pairs: Sequence[tuple[str, str, str]],
    *,
    recent: int,
    seed: int = 0,
) -> tuple[list[PairQuestion], UnreadPaper]:
    """What is asked about pairs, and why nothing can be asked about some reviewers and papers.

    Titles and abstracts are shown; papers without either are not.

    Args:
        corpus: Where they are.
        pairs: Version, reviewer and submission, in any order.
        recent: How many of a reviewer's papers are shown, the most recent.
        seed: Of ties of years.
    """
    pair_questions: list[PairQuestion] = []
    unread = UnreadPaper()
    shown: dict[tuple[str, str], str] = {}
    submissions = set(corpus.submissions)
    for version, reviewer, paper in pairs:
        who = version, reviewer
        if who not in shown:
            shown[who] = "\n\n".join(_profile(corpus, version, reviewer, recent, seed))
        if not shown[who]:
            papers = corpus.profiles[version].get(reviewer)
            unread.reviewers[reviewer] = (
                NO_WORDS if papers else NO_PAPER if papers == () else NO_PROFILE
            )
            continue
        publication = corpus.papers.get(paper)
        if publication is None or paper not in submissions:
            unread.submissions[paper] = NO_SUBMISSION
        elif not (publication.title or publication.abstract):
            unread.submissions[paper] = NO_WORDS
        else:
            pair_questions.append(
                PairQuestion(
                    version,
                    reviewer,
                    paper,
                    publication.title,
                    publication.abstract or "-",
                    shown[who],
                )
            )
    return pair_questions, unread


def _profile(corpus: Corpus, version: str, reviewer: str, recent: int, seed: int) -> Iterator[str]:
    own = corpus.profiles[version].get(reviewer, ())
    texts = [text for text in own if corpus.papers[text].title or corpus.papers[text].abstract]
    some = most_recent(texts, corpus.papers, recent, reviewer=reviewer, seed=seed)
    for number, paper in enumerate(some, 1):
        yield f"{number}. {_said(corpus.papers[paper])}"


def _said(publication: Publication) -> str:
    year = "" if publication.year is None else f" ({publication.year})"
    return f"{publication.title or 'without a title'}{year}\n{publication.abstract}".strip()


async def judge(asker: Asks, question: PairQuestion) -> Judged[ExpertiseReply]:
    """Ask about one pair.

    Raises:
        ModelError: There is no usable reply.
        StopError: Nothing more can be asked; what was answered is on record.
    """

    def check(reply: ExpertiseReply) -> None:
        if reply.score is not None and not LOWEST <= reply.score <= HIGHEST:
            raise ValueError(f"score {reply.score} is outside of {LOWEST} to {HIGHEST}")

    return await asker.ask(
        PROMPT,
        ExpertiseReply,
        check=check,
        title=question.title or "-",
        submission=question.submission,
        profile=question.profile,
    )


ACCOUNT, SCORES, PREDICTIONS = "judge.json", "scores.jsonl", "predictions.csv"
REPLY_TOKENS = 90
"""Guessed tokens of a reply; times `ROOM_TO_THINK` for reasoning models."""


class JudgedPair(GeneratedRow):
    """One judgement; a line of ``scores.jsonl``.

    It is ``made`` with a score, and ``none`` where the model cannot tell.

    Attributes:
        version: Of the profiles.
        reviewer_id: Identifier.
        paper_id: Identifier of the submission.
        question_sha256: Of all that was shown: other texts are judged anew.
        score: 0..100; None if it is not known.
        reasoning: The model's reasons.
    """

    version: str
    reviewer_id: str
    paper_id: str
    question_sha256: str
    score: int | None = None
    reasoning: str = ""

    @property
    def key(self) -> str:
        """Version, reviewer and submission."""
        return PairQuestion(self.version, self.reviewer_id, self.paper_id, "", "", "").key


def judge_pairs(
    questions: Sequence[PairQuestion],
    out: Path,
    settings: Settings,
    *,
    more: Mapping[str, int],
    inputs: Sequence[InputFile] = (),
    retry_errors: bool = False,
    say: Say = lambda _: None,
    step: Callable[[], None] = lambda: None,
) -> Outcome[GenerationManifest]:
    """Judge pairs by a model into a folder, and write ``predictions.csv`` of those with a score.

    What is there already is not asked again, except where texts have changed; what is no longer
    asked about is taken out.

    Args:
        questions: The pairs, none twice.
        out: The folder; it must be new, or of an earlier session.
        settings: Name the model and the limits.
        more: Further settings that can change a score.
        inputs: The files that papers and profiles come from, for the account.
        retry_errors: Ask again for what failed.
        say: Told what the user should know.
        step: Called after each pair.

    Raises:
        SettingsError: No model is named, or it cannot be asked.
        RunFolderError: The folder cannot be used.
    """
    decisive: dict[str, Plain] = {"model": settings.model, **more}
    with generation_folder(
        out, ACCOUNT, (PROMPT,), settings, inputs=inputs, more=decisive
    ) as folder:
        rows = Rows(out / SCORES, JudgedPair, retry_errors=retry_errors)
        work = Work(
            {question.key: question for question in questions}, "pairs", _current, _judged, _row
        )
        outcome = fill(folder, rows, work, settings, say=say, step=step, renew=retry_errors)
        _write_predictions(out, settings.model)
        return outcome


def expected_to_judge(questions: Sequence[PairQuestion], settings: Settings) -> CostEstimate:
    """What `judge_pairs` would ask and cost at most; arguments as there."""
    asked = (
        (
            settings.model,
            PROMPT,
            sum(map(len, (question.title, question.submission, question.profile))),
        )
        for question in questions
    )
    return estimate_calls(asked, settings, {PROMPT: REPLY_TOKENS})


def _current(row: JudgedPair, question: PairQuestion) -> bool:
    return row.question_sha256 == question.sha256


async def _judged(session: GenerationSession, question: PairQuestion) -> JudgedPair:
    judgment = await judge(session.asker(session.settings.model), question)
    fields = {
        "state": "none" if judgment.reply.score is None else "made",
        "score": judgment.reply.score,
        "reasoning": judgment.reply.reasoning,
        "provenance": judgment.provenance,
    }
    return _row(question, fields)


def _row(question: PairQuestion, fields: Mapping[str, object]) -> JudgedPair:
    about = {
        "version": question.version,
        "reviewer_id": question.reviewer,
        "paper_id": question.paper,
        "question_sha256": question.sha256,
    }
    return JudgedPair.model_validate({**about, **fields})


def _write_predictions(folder: Path, name: str) -> None:
    """The scores as `similarity evaluate` reads them, 0..1; a pair without one is left out."""
    with csv_lines(folder / PREDICTIONS) as file:
        file.writerow(HEADING[:5])
        for row in read_rows(folder / SCORES, JudgedPair):
            if row.score is not None:
                share = (row.score - LOWEST) / (HIGHEST - LOWEST)
                cells = (f"model {name}", row.version, row.reviewer_id, row.paper_id)
                file.writerow((*map(guarded, cells), repr(share)))
