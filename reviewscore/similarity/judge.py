"""A model's judgement, 0 to 100, of how well a reviewer's papers prepare for a submission."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reviewscore.judges.asker import Judged, Reply
from reviewscore.runs.generation import Asks
from reviewscore.schema.answer import Text, Whole
from reviewscore.similarity.affinity import NO_PAPER, NO_WORDS
from reviewscore.similarity.corpus import Corpus, Publication
from reviewscore.similarity.recent import most_recent

PROMPT = "similarity_judge"
LOWEST, HIGHEST = 0, 100
NO_PROFILE, NO_SUBMISSION = "has no profile", "is no submission"


class ExpertiseReply(Reply):
    """How well a reviewer is prepared: 0..100; None where the texts do not tell."""

    reasoning: Text
    score: Whole | None


@dataclass(frozen=True)
class Question:
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
) -> tuple[list[Question], dict[str, str]]:
    """What is asked about pairs, and why nothing can be asked about some reviewers and papers.

    Titles and abstracts are shown; papers without either are not.

    Args:
        corpus: Where they are.
        pairs: Version, reviewer and submission, in any order.
        recent: How many of a reviewer's papers are shown, the most recent.
        seed: Of ties of years.
    """
    found: list[Question] = []
    unread: dict[str, str] = {}
    shown: dict[tuple[str, str], str] = {}
    submissions = set(corpus.submissions)
    for version, reviewer, paper in pairs:
        who = version, reviewer
        if who not in shown:
            shown[who] = "\n\n".join(_profile(corpus, version, reviewer, recent, seed))
        if not shown[who]:
            papers = corpus.profiles[version].get(reviewer)
            unread[reviewer] = NO_WORDS if papers else NO_PAPER if papers == () else NO_PROFILE
            continue
        one = corpus.papers.get(paper)
        if one is None or paper not in submissions:
            unread[paper] = NO_SUBMISSION
        elif not (one.title or one.abstract):
            unread[paper] = NO_WORDS
        else:
            found.append(
                Question(version, reviewer, paper, one.title, one.abstract or "-", shown[who])
            )
    return found, unread


def _profile(corpus: Corpus, version: str, reviewer: str, recent: int, seed: int) -> Iterator[str]:
    own = corpus.profiles[version].get(reviewer, ())
    told = [one for one in own if corpus.papers[one].title or corpus.papers[one].abstract]
    some = most_recent(told, corpus.papers, recent, reviewer=reviewer, seed=seed)
    for number, paper in enumerate(some, 1):
        yield f"{number}. {_said(corpus.papers[paper])}"


def _said(one: Publication) -> str:
    year = "" if one.year is None else f" ({one.year})"
    return f"{one.title or 'without a title'}{year}\n{one.abstract}".strip()


async def judge(asker: Asks, one: Question) -> Judged[ExpertiseReply]:
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
        title=one.title or "-",
        submission=one.submission,
        profile=one.profile,
    )
