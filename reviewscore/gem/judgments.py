"""What models answer when they reduce a review to judgments, and papers to what they state.

The form of judgments is that of GEM (arXiv 2411.07228, app. C.1): one a line, each with one of
four beginnings, so that style tells nothing.
"""

from __future__ import annotations

import re
from typing import Literal

from reviewscore.judges.asker import Reply
from reviewscore.schema.answer import Sentence, Several

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
    for number, one in enumerate(reply.judgments, start=1):
        problem = _problem(one)
        if problem:
            raise ValueError(f"judgment {number}: {problem}")


def _problem(one: Judgment) -> str:
    """What is wrong with a judgment; empty if nothing is."""
    rest = one.rest.strip()
    again = rf"\bthe reviewer (?:also )?(?:{'|'.join(STANCES)})\b"
    problems = (
        (not re.search(r"\w", rest), "there are no words in `rest`"),
        (len(rest) > LONGEST_LINE, f"`rest` has {len(rest)} characters; at most {LONGEST_LINE}"),
        (len(rest.splitlines()) > 1, "`rest` has several lines; one judgment an entry"),
        (
            re.match(rf"(?:the reviewer|{one.stance})\b", rest, re.IGNORECASE),
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
        f"The reviewer {one.stance} {' '.join(one.rest.split()).rstrip('.')}"
        for one in reply.judgments
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
