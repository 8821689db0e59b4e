"""Alterations that a model makes: deletion and completion, abstract-only, rephrasing, summaries."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import count

from reviewscore.errors import ModelError, error_message, gather_results
from reviewscore.gem.alterations.alteration import (
    EMPTY,
    AlterationCase,
    AlterationKind,
    Altered,
    Described,
    Expectation,
    by_section,
    every_other,
    joined,
    judgments,
    parts,
)
from reviewscore.gem.alterations.rules import Summaries, elongated
from reviewscore.judges.asker import Asker, Reply
from reviewscore.runs.generation import OpenAsker, with_asker
from reviewscore.schema.answer import Sentence, Several, Text
from reviewscore.sources.system_reviews import TextForm

STEMS = (
    "The reviewer appreciates",
    "The reviewer criticizes",
    "The reviewer questions",
    "The reviewer suggests",
)
"""How judgments begin (arXiv 2411.07228, app. C.1)."""


@dataclass(frozen=True, slots=True)
class ModelAlteration(Described):
    """An alteration that a model makes.

    Attributes:
        make: Asks and puts the candidate together; raises ModelError without a usable reply.
    """

    make: Callable[[Asker, AlterationCase], Awaitable[Altered]]

    def altered(self, cases: Sequence[AlterationCase], open_asker: OpenAsker) -> list[Altered]:
        """The altered candidates, in order; one that fails has its reason.

        Raises:
            StopError: Nothing more can be asked; what was answered is on record.
        """

        async def ask(asker: Asker) -> list[Altered | ModelError]:
            return await gather_results([self._one(asker, case) for case in cases])

        return [
            Altered(None, error_message(error)) if isinstance(error, ModelError) else error
            for error in with_asker(open_asker, ask)
        ]

    async def _one(self, asker: Asker, case: AlterationCase) -> Altered:
        if not case.candidate.strip():
            return Altered(None, EMPTY)
        return await self.make(asker, case)


class CompletionReply(Reply):
    """A sentence for each gap."""

    sentences: Several[Sentence]


class AbstractReviewReply(Reply):
    """A review by the abstract alone, and its judgments."""

    summary_of_the_paper: Text
    strengths: Several[Text]
    weaknesses: Several[Text]
    questions: Several[Text]
    clarity_quality_novelty_and_reproducibility: Text
    summary_of_the_review: Text
    judgments: Several[Sentence]


class RephraseReply(Reply):
    """The passages in other words."""

    passages: Several[Text]


class OneLineReply(Reply):
    """Strengths and weaknesses in a line each."""

    strengths: Text
    weaknesses: Text


def _as_many(wanted: int) -> Callable[[Sequence[str]], None]:
    def check(texts: Sequence[str]) -> None:
        if len(texts) != wanted:
            raise ValueError(f"{wanted} texts were asked for, {len(texts)} came")
        if not all(text.strip() for text in texts):
            raise ValueError("one of the texts is empty")

    return check


async def deleted_and_completed(asker: Asker, case: AlterationCase) -> Altered:
    """Every other sentence or judgment in words that add nothing, from the second.

    What is kept is kept letter by letter: the model gives the new sentences alone.
    """
    gaps = count(1)
    with_gaps = every_other(case, lambda _: f"[gap {next(gaps)}]")
    wanted = next(gaps) - 1
    if not wanted:
        return Altered(case.candidate)
    check = _as_many(wanted)
    judged = await asker.ask(
        "gem_completion",
        CompletionReply,
        check=lambda reply: check(reply.sentences),
        review=with_gaps,
        gaps=wanted,
    )
    filled = iter(judged.reply.sentences)
    return Altered(every_other(case, lambda _: " ".join(next(filled).split())))


async def by_abstract_alone(asker: Asker, case: AlterationCase) -> Altered:
    """A review that a model writes having read the synopsis alone."""
    if not (case.synopsis or "").strip():
        return Altered(None, "the paper has no synopsis")
    judged = await asker.ask(
        "gem_abstract_review",
        AbstractReviewReply,
        check=_has_judgments,
        abstract=case.synopsis,
    )
    reply = judged.reply
    if case.form is TextForm.JUDGMENTS:
        return Altered(joined([" ".join(line.split()) for line in reply.judgments], case.candidate))
    lists = "\n\n".join(
        f"{name}:\n" + "\n".join(f"{number}. {text}" for number, text in enumerate(texts, 1))
        for name, texts in (
            ("Strengths", reply.strengths),
            ("Weaknesses", reply.weaknesses),
            ("Questions", reply.questions),
        )
        if texts
    )
    return Altered(
        f"Summary Of The Paper:\n\n{reply.summary_of_the_paper}\n\n"
        f"Strength And Weaknesses:\n\n{lists}\n\n"
        "Clarity, Quality, Novelty And Reproducibility:\n\n"
        f"{reply.clarity_quality_novelty_and_reproducibility}\n\n"
        f"Summary Of The Review:\n\n{reply.summary_of_the_review}\n"
    )


def _has_judgments(reply: AbstractReviewReply) -> None:
    wrong = [line for line in reply.judgments if not line.strip().startswith(STEMS)]
    if wrong or not reply.judgments:
        raise ValueError(f"judgments: each begins with one of {', '.join(STEMS)}")


async def rephrased(asker: Asker, case: AlterationCase) -> Altered:
    """The same in fluent language, section by section or judgment by judgment."""
    sections = parts(case.candidate)
    if case.form is TextForm.JUDGMENTS:
        texts = judgments(case.candidate)
    else:
        texts = [part.body.strip() for part in sections if part.body.strip()]
    if not texts:
        return Altered(None, "there is nothing to rephrase")
    check = _as_many(len(texts))
    judged = await asker.ask(
        "gem_rephrase", RephraseReply, check=lambda reply: check(reply.passages), texts=texts
    )
    if case.form is TextForm.JUDGMENTS:
        return Altered(
            joined([" ".join(text.split()) for text in judged.reply.passages], case.candidate)
        )
    passages = iter(judged.reply.passages)
    return Altered(
        by_section(
            case.candidate,
            lambda part: f"\n{next(passages).strip()}\n\n" if part.body.strip() else part.body,
        )
    )


async def elongated_with_summaries(asker: Asker, case: AlterationCase) -> Altered:
    """Meaningless elongation whose words on strengths and weaknesses sum up the review."""
    if case.form is TextForm.JUDGMENTS:
        return Altered(None, "judgments have no section that summaries could open")
    judged = await asker.ask("gem_one_line", OneLineReply, review=case.candidate)
    reply = judged.reply
    strengths, weaknesses = (
        text.strip().rstrip(".") for text in (reply.strengths, reply.weaknesses)
    )
    return elongated(case, summaries=Summaries(strengths, weaknesses))


_FALLS, _DOES_NOT_RISE = Expectation.FALLS, Expectation.DOES_NOT_RISE
MODEL_ALTERATIONS = (
    ModelAlteration(
        "deletion & completion", AlterationKind.DEGRADATION, _FALLS, deleted_and_completed
    ),
    ModelAlteration("abstract-only review", AlterationKind.DEGRADATION, _FALLS, by_abstract_alone),
    ModelAlteration("rephrase", AlterationKind.MANIPULATION, _DOES_NOT_RISE, rephrased),
    ModelAlteration(
        "elongation with summaries",
        AlterationKind.MANIPULATION,
        _DOES_NOT_RISE,
        elongated_with_summaries,
    ),
)
"""All alterations that a model makes, in the order of a table."""
