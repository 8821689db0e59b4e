"""Invented reviews, a scripted model, and a tiny evaluation model for the tests of this folder."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from math import log

from reviewscore.gem.alterations.alteration import AlterationCase, with_others
from reviewscore.gem.evaluation import LogProbability, Question
from reviewscore.gem.validation import Subject
from reviewscore.judges.asker import Asker, SamplingParams
from reviewscore.llm.client import Client
from reviewscore.llm.ledger.store import CallsInMemory
from reviewscore.llm.providers.scripted import ScriptedProvider
from reviewscore.runs.generation import OpenAsker
from reviewscore.sources.system_reviews import TextForm

RAW = """Summary Of The Paper:

The paper counts frogs. It uses microphones. It compares with people.

Strength And Weaknesses:

Strengths:
- The idea is good. The data are public.
- Nice figures.

Clarity, Quality, Novelty And Reproducibility:

The text is clear.

Summary Of The Review:

I lean to accept. The ablation is weak. More ponds are needed.
"""
JUDGMENTS = """The reviewer appreciates the good idea.

The reviewer criticizes the lack of baselines, although the data are public.

The reviewer questions whether rain matters.

The reviewer suggests adding more ponds.

Nice figures."""

_TOPICS = (
    "frogs ponds microphones", "galaxies dust spectra", "proteins folding energy",
    "traffic lights queues", "translation morphology corpora", "robots grasping friction",
    "wheat rust satellites", "auctions bidders regret", "tumours slides stains",
    "rivers floods gauges", "melodies chords rhythm", "glaciers radar thickness",
)  # fmt: skip
_OPENINGS = ("appreciates the", "criticizes the", "questions the", "suggests more")
_THINGS = ("study of", "choice of", "data on", "theory of", "model of", "figure on")


def case(candidate: str, form: TextForm = TextForm.RAW, **more: str | None) -> AlterationCase:
    return AlterationCase("frogs", candidate, form, **more)


def subjects(references: int = 2) -> list[Subject]:
    """Twelve papers; the reviewers of one paper speak of the same things, in other words."""
    rng = random.Random(3)
    cases, others = [], []
    for number, topic in enumerate(_TOPICS):
        words = topic.split()
        cases.append(
            AlterationCase(
                f"p{number:02d}",
                _review(words, rng),
                TextForm.JUDGMENTS,
                f"On {' and '.join(words)}.",
            )
        )
        others.append(tuple(_review(words, rng) for _ in range(references)))
    return [
        Subject(one, refs, f"A paper on {one.paper_id}.")
        for one, refs in zip(with_others(cases), others, strict=True)
    ]


def _review(words: list[str], rng: random.Random) -> str:
    return "\n\n".join(
        f"The reviewer {rng.choice(_OPENINGS)} {rng.choice(_THINGS)} {word}." for word in words * 2
    )


class Unigrams:
    """Each word of the reference is drawn from what was read before, or from a flat rest."""

    name = "unigrams"

    def answers(self, questions: Sequence[Question]) -> list[LogProbability]:
        return [self._answer(one) for one in questions]

    def _answer(self, question: Question) -> LogProbability:
        read = Counter(f"{question.candidate or ''} {question.synopsis or ''}".lower().split())
        total = sum(read.values())
        words = question.reference.lower().split()
        nats = sum(log((read[word] + 1) / (total + 1000)) for word in words)
        return LogProbability(nats, len(words))


def asks(provider: ScriptedProvider) -> OpenAsker:
    """Opens askers whose model is a script."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[Asker]:
        client = Client(lambda _: provider, CallsInMemory())
        yield Asker(client, model="scripted/x", sampling=SamplingParams(max_tokens=500))
        await client.close()

    return opened
