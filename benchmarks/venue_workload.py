"""What the papers of a venue ask of a model: their points and the calls on each.

Reviews and points are those of real papers (batch100: 100 papers of ICLR 2022, three reviews
each); further papers repeat them in a random order. Lengths of papers are drawn (`Lengths`), or
theirs too. Rounds and premises are drawn so that
their means are those of `reviewscore.runs.estimate`, whose tokens and stages are used too.
"""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import NormalDist

from reviewscore.config import Settings
from reviewscore.judges.asker import URGENCY
from reviewscore.judges.lexical.judges import LexicalJudges
from reviewscore.llm.prices import tokens_in
from reviewscore.papers.parts import shown
from reviewscore.points.split import split_review
from reviewscore.runs import estimate as told
from reviewscore.schema.review import PointType
from reviewscore.sources.collection import Collection

_NINE_TENTHS = NormalDist().inv_cdf(0.9)
WITH_PAPER = ("claim_factuality", "question_answerability", "reconstruct_argument",
              "premise_factuality", "premises_factuality")  # fmt: skip
_LENGTHS = {"reconstruct_argument": 3, "faithfulness": 3, "premise_factuality": 2,
            "premises_factuality": 4}  # fmt: skip
"""How many times a point's length a call carries, as in `reviewscore.runs.estimate`."""
_REPLIES = {"reconstruct_argument": 3.0, "premises_factuality": told.MEAN_PREMISES}


@dataclass(frozen=True)
class Lengths:
    """Lengths of papers by a log-normal distribution.

    Attributes:
        median: Tokens that half of the papers pass.
        tenth: Tokens that a tenth of them passes.
        most: Tokens that are shown of a paper at the most; None for all.
    """

    median: int
    tenth: int
    most: int | None = None

    def drawn(self, chance: random.Random) -> int:
        """The tokens of a paper."""
        sigma = math.log(self.tenth / self.median) / _NINE_TENTHS
        tokens = round(chance.lognormvariate(math.log(self.median), sigma))
        return tokens if self.most is None else min(tokens, self.most)


@dataclass(frozen=True, slots=True)
class Point:
    """A point and, for an argument, how it goes.

    Attributes:
        tokens: Of its text.
        rounds: For each round whether faithfulness is asked for; empty if it is no argument.
        premises: How many are judged at the end.
    """

    kind: PointType
    tokens: int
    rounds: tuple[bool, ...] = ()
    premises: int = 0


@dataclass(frozen=True, slots=True)
class PaperShape:
    """A paper with its reviews.

    Attributes:
        tokens: Of what judges see of it.
        reviews: Tokens of each review and its points.
    """

    tokens: int
    reviews: tuple[tuple[int, tuple[Point, ...]], ...]


@dataclass(frozen=True, slots=True)
class Stage:
    """A kind of call.

    Attributes:
        urgency: Where calls wait for a place, the higher goes first.
        constant: Tokens of its instructions.
        lengths: How many times the point's tokens it carries.
        output: Tokens of its reply.
    """

    name: str
    urgency: int
    constant: int
    lengths: int
    output: float
    paper: bool


def stage(name: str) -> Stage:
    """A kind of call with the tokens that `reviewscore.runs.estimate` counts for it."""
    return Stage(
        name=name,
        urgency=URGENCY.get(name, 0),
        constant=tokens_in(told._instructions(name)),
        lengths=_LENGTHS.get(name, 1),
        output=told.REPLY_TOKENS * _REPLIES.get(name, 1.0),
        paper=name in WITH_PAPER,
    )


Step = tuple[Stage, int]
"""Calls of a kind that are made at once."""


@dataclass(frozen=True)
class Protocol:
    """The calls on a review and on a point, in their order.

    Attributes:
        economy: Whether `--protocol economy`.
    """

    economy: bool = False

    def __post_init__(self) -> None:
        names = ("split_points", "is_argument", "is_question", "point_type", "claim_factuality",
                 "question_answerability", "extract_argument", "reconstruct_argument",
                 "faithfulness", "premise_factuality", "premises_factuality")  # fmt: skip
        object.__setattr__(self, "_stages", {name: stage(name) for name in names})

    def of(self, name: str) -> Stage:
        """A stage by its name."""
        found: Stage = self._stages[name]  # type: ignore[attr-defined]
        return found

    def chains(self, point: Point, *, split: bool) -> tuple[list[Step], list[list[Step]]]:
        """The calls that tell a point's type, and the chains of calls that follow at once.

        Args:
            point: The point.
            split: Whether a model split the review; in economy it told the type then.
        """
        first = [(self.of("point_type" if self.economy else "is_argument"), 1)]
        if self.economy and split:
            first = []
        if point.kind is not PointType.ARGUMENT:
            if not self.economy:
                first.append((self.of("is_question"), 1))
            claim = point.kind is PointType.CLAIM
            last = "claim_factuality" if claim else "question_answerability"
            return [*first, (self.of(last), 1)], []
        rebuilt = [(self.of("extract_argument"), 1)]
        for judged in point.rounds:
            rebuilt.append((self.of("reconstruct_argument"), 1))
            if judged:
                rebuilt.append((self.of("faithfulness"), 1))
        if point.premises and (not self.economy or point.premises == 1):
            rebuilt.append((self.of("premise_factuality"), point.premises))
        elif point.premises:
            rebuilt.append((self.of("premises_factuality"), 1))
        return first, [[(self.of("claim_factuality"), 1)], rebuilt]


def real_shapes(collection: Collection) -> list[PaperShape]:
    """The shapes of real papers; types by the embedded rules, as in an estimate."""
    judges, settings = LexicalJudges(), Settings()
    reviews: dict[str, list[tuple[int, tuple[Point, ...]]]] = {}

    async def read() -> None:
        for review in collection.reviews:
            points = [
                Point((await judges.point_type(one)).type, tokens_in(len(one.text)))
                for one in split_review(review)
            ]
            size = tokens_in(sum(map(len, review.fields.values())))
            reviews.setdefault(review.paper_id, []).append((size, tuple(points)))

    asyncio.run(read())
    return [
        PaperShape(
            tokens_in(len(shown(collection.paper(name), settings.paper_parts).text)), tuple(some)
        )
        for name, some in reviews.items()
    ]


def venue(
    shapes: Sequence[PaperShape],
    papers: int,
    *,
    rounds: int,
    seed: int = 1,
    argued: float | None = None,
    lengths: Lengths | None = None,
) -> Iterator[PaperShape]:
    """So many papers, one at a time; arguments have rounds and premises drawn for them.

    Args:
        shapes: Real papers.
        papers: How many.
        rounds: Most rounds of an argument.
        seed: Of the random order and draws.
        argued: Share of points that are arguments; as the embedded rules say if not given.
        lengths: Of the papers; those of the real ones if not given.
    """
    chance, length = random.Random(seed), random.Random(f"lengths {seed}")
    stop = _stopping()
    extra = told.MEAN_PREMISES - int(told.MEAN_PREMISES)

    def drawn(point: Point) -> Point:
        kind = point.kind
        if argued is not None:
            kind = PointType.CLAIM if kind is PointType.ARGUMENT else kind
            kind = PointType.ARGUMENT if chance.random() < argued else kind
        if kind is not PointType.ARGUMENT:
            return replace(point, kind=kind)
        count = 1
        while count < rounds and chance.random() > stop:
            count += 1
        premises = int(told.MEAN_PREMISES) + (chance.random() < extra)
        return replace(point, kind=kind, rounds=(True,) * count, premises=premises)

    order: list[PaperShape] = []
    for _ in range(papers):
        if not order:
            order = list(shapes)
            chance.shuffle(order)
        paper = order.pop()
        reviews = tuple((size, tuple(map(drawn, points))) for size, points in paper.reviews)
        tokens = paper.tokens if lengths is None else lengths.drawn(length)
        yield PaperShape(tokens, reviews)


def _stopping(most: int = 10) -> float:
    """Chance that a round is the last, so that the mean of at most ten is that of the paper."""
    low, high = 0.01, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        mean = (1 - (1 - middle) ** most) / middle
        low, high = (middle, high) if mean > told.MEAN_ROUNDS else (low, middle)
    return low


def ran_shapes(run: Path, tokens: dict[str, int], sizes: dict[str, int]) -> list[PaperShape]:
    """The shapes of what a finished run did ask: types, rounds and premises from its records.

    Args:
        run: The run folder.
        tokens: Of each paper.
        sizes: Tokens of each review.
    """
    from reviewscore.schema.point_score import PointScore

    found: dict[str, dict[str, list[Point]]] = {}
    for line in (run / "points.jsonl").read_text("utf-8").splitlines():
        one = PointScore.model_validate_json(line)
        flags: tuple[bool, ...] = ()
        argument, premises = one.argument, 0
        if argument is not None:
            flags = tuple(each.faithful is not None for each in argument.rounds)
            premises = sum(each.verdict is not None for each in argument.premises)
        assert one.type is not None
        point = Point(one.type, tokens_in(len(one.text)), flags, premises)
        found.setdefault(one.paper_id, {}).setdefault(one.review_id, []).append(point)
    return [
        PaperShape(
            tokens[paper], tuple((sizes[name], tuple(points)) for name, points in some.items())
        )
        for paper, some in found.items()
    ]
