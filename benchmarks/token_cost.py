"""Billed tokens of a paper with 16 points in 4 reviews, against the published way without a cache.

The points, rounds and premises are those of the paper's means: 3 questions, 3 claims, 10
arguments, three rounds each (3.09; ReviewScore, table 5), four premises each (4.14; sec. 3.3). Four
points get a second look, a quarter as in estimates (`runs.estimate.SECOND_LOOKS`), and four
arguments of ten give two reasons, as by the embedded rules 310 of 770 in reviews of NeurIPS 2025 do
or state a step. The whole pipeline runs; only the provider is simulated
(`benchmarks.prefix_cache`). Lengths of replies are the guesses of a dry run; thoughts of reasoning
models are not counted. Splitting the reviews is not counted either: the same for all.
"""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.measure import head, row
from benchmarks.prefix_cache import Layout, Meter, SimulatedJobs, SimulatedProvider
from reviewscore.config import Settings
from reviewscore.errors import capture_errors
from reviewscore.judges.by_review import CLOSING, OPENING, ReviewPoints
from reviewscore.judges.judge import Judges
from reviewscore.judges.model_judges import judges_of
from reviewscore.llm.batch_jobs import BatchProvider, Patience
from reviewscore.llm.client import CallLimits, Client
from reviewscore.llm.ledger.database import BatchJobStore, Ledger
from reviewscore.llm.limiter import PrefixCacheWarmup
from reviewscore.llm.provider import Provider
from reviewscore.papers.load import PaperRow, build_paper
from reviewscore.runs.estimate import BASE_TOKENS, LOOK_TOKENS, MEAN_PREMISES, REPLY_TOKENS
from reviewscore.runs.scoring import review_judges, score_by_settings
from reviewscore.schema.call import Request
from reviewscore.schema.paper import Paper
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.review import Review, ReviewPoint, Role
from reviewscore.schema.span import Span

PAPER_TOKENS, POINT_TOKENS = 12_000, 150
REVIEWS, POINTS = 4, 16
SHAKY, INFERENCES = 4, 4
"""Points that get a second look; arguments that give two reasons."""
BATCH = 0.5


@dataclass(frozen=True)
class Way:
    """How the calls are made."""

    layout: Layout = "ours"
    settings: dict[str, object] = field(default_factory=dict)
    batch: bool = False
    warm: bool = True
    write: float = 1.25


def reviews() -> list[ReviewPoints]:
    """Four reviews of four points each; a point has 150 tokens."""
    made = []
    for place in range(REVIEWS):
        texts = [_text(number) for number in range(place, POINTS, REVIEWS)]
        box = "\n\n".join(texts)
        review_id = f"r{place}"
        points = []
        for text in texts:
            start = box.index(text)
            span = Span(field="weaknesses", start=start, end=start + len(text))
            points.append(
                ReviewPoint(
                    review_id=review_id,
                    paper_id="p",
                    section="weaknesses",
                    role=Role.WEAKNESSES,
                    text=text,
                    span=span,
                )
            )
        review = Review(review_id=review_id, paper_id="p", fields={"weaknesses": box})
        made.append(ReviewPoints(review, tuple(points)))
    return made


def _text(number: int) -> str:
    kind = "Question" if number < 3 else "Claim" if number < 6 else "Argument"
    return f"{kind} {number}. " + "The gain of the method is not explained well. " * 13


def answer(request: Request) -> str:
    """A sensible reply to every question."""
    item = request.messages[0].content
    asked = re.findall(r"\b(Question|Claim|Argument) (\d+)\.", item)
    kind, number = asked[0][0].lower(), int(asked[0][1])
    reasons = ["is not explained", "of the method"]
    replies: dict[str, object] = {
        "ArgumentReply": {"reasoning": "r", "is_argument": kind == "argument"},
        "QuestionReply": {"reasoning": "r", "kind": kind},
        "PointTypeReply": {"reasoning": "r", "kind": kind},
        "AnswerabilityReply": {
            "reasoning": "r",
            "unanswerability": 4,
            "quotes": [],
            "answer": None,
        },
        "FactualityReply": {"reasoning": "r", "factuality": 4, "quotes": []},
        "BaseReviewReply": {"points": [_base(*point) for point in _marked(item)]},
        "RemarkReply": _remark(kind, number),
        "ReviewRemarksReply": {
            "points": [
                {"point": mark, **_remark(of_kind, own)} for mark, of_kind, own in _marked(item)
            ]
        },
        "ExtractReply": {
            "conclusion": "The gain",
            "reasons": reasons if number >= POINTS - INFERENCES else reasons[:1],
        },
        "FaithfulnessReply": {"reasoning": "r", "faithful": "R3" in item},
        "ReconstructionReply": _reconstruction(item),
        "PremiseReply": _premise(),
        "PremisesReply": {"verdicts": [{"premise": f"P{n}", **_premise()} for n in range(1, 5)]},
    }
    return json.dumps(replies[request.schema_name])


def _marked(item: str) -> list[tuple[int, str, int]]:
    """Mark, kind and number of each point of reviews."""
    pattern = rf"{OPENING}(\d+){CLOSING}(Question|Claim|Argument) (\d+)\."
    return [(int(mark), kind.lower(), int(own)) for mark, kind, own in re.findall(pattern, item)]


def _base(mark: int, kind: str, _: int) -> dict[str, object]:
    more = {"reasoning": "r", "score": 4, "quotes": [], "answer": None}
    return {"point": mark, "type": kind, **more}


def _remark(kind: str, number: int) -> dict[str, object]:
    shaky = number % 3 == 0 and number < 3 * SHAKY
    nearest = [
        {"section": "", "sentence": sentence(place), "source": "text"}
        for place in range(40 * number, 40 * number + 2)
    ]
    presupposition = {
        "statement": "The paper does not explain its gain.",
        "nearest": nearest,
        "supplies": "mostly" if shaky else "no",
        "true": 2 if shaky else 4,
        "central": True,
        "foreign": False,
        "acknowledged": False,
    }
    return {
        "kind": "question" if kind == "question" else "criticism",
        "type": kind,
        "parts": [
            {"words": "", "presuppositions": [presupposition], "standing": 2 if shaky else 4}
        ],
        "reason": "r",
        "probability": 0.8 if shaky else 0.1,
    }


def sentence(number: int) -> str:
    """A sentence of the paper; its name has letters, since numbers in a row are line numbers."""
    name = f"{number:03d}".translate(str.maketrans("0123456789", "abcdefghij"))
    return f"Run {name} was tried on four tables and compared with six others."


def reply_tokens(request: Request) -> float:
    """Tokens of the reply to a request, as a dry run guesses them."""
    points = len(_marked(request.messages[0].content))
    by_record: dict[str, float] = {
        "ReconstructionReply": 3 * REPLY_TOKENS,
        "PremisesReply": MEAN_PREMISES * REPLY_TOKENS,
        "BaseReviewReply": points * BASE_TOKENS,
        "ReviewRemarksReply": points * LOOK_TOKENS,
        "RemarkReply": LOOK_TOKENS,
    }
    return by_record.get(request.schema_name, REPLY_TOKENS)


def _premise() -> dict[str, object]:
    return {
        "reasoning": "r",
        "source": "given_paper",
        "factuality": 4,
        "settled_by_general_knowledge": False,
        "untrivialness": 2,
        "quotes": [],
    }


def _reconstruction(item: str) -> dict[str, object]:
    """Invalid at first, then unfaithful, then good; four premises."""
    attempt = 3 if "attempt 3" in item else 2 if "attempt 2" in item else 1
    names = [f"R{attempt}", "S", "T"]
    sentence = " the gain of the method is not explained well by any of its parts"
    formulas = [*names, f"({names[0]} & S & T) -> C"] if attempt > 1 else [*names, "S"]
    return {
        "keys": [{"symbol": one, "meaning": f"{one}{sentence}"} for one in [*names, "C"]],
        "premises": [
            {"text": f"{one}{sentence}", "formula": one, "explicit": True} for one in formulas
        ],
        "intermediate_conclusions": [],
        "conclusion": "C" + sentence,
        "conclusion_formula": "C",
        "proof": "by the premises",
    }


@dataclass(frozen=True)
class Bill:
    """What a way comes to.

    Attributes:
        sent: Tokens of input.
        input: The same as billed, in tokens of plain input.
        output: Tokens of replies as billed; guesses.
        calls: Calls made.
    """

    sent: float
    input: float
    output: float
    calls: int

    @property
    def words(self) -> str:
        """Input, output and calls."""
        return f"{self.input / 1e3:.0f}k input, {self.output / 1e3:.1f}k output, {self.calls} calls"


def billed(way: Way) -> Bill:
    """What the sixteen points cost when the calls are made in a way."""
    return asyncio.run(_run(way))


async def _run(way: Way) -> Bill:
    meter = Meter(layout=way.layout, kept=3600.0 if way.batch else 300.0, write=way.write)
    output = 0.0

    def answered(request: Request) -> str:
        nonlocal output
        output += reply_tokens(request)
        return answer(request)

    text = " ".join(map(sentence, range(800)))[: 4 * PAPER_TOKENS]
    paper = build_paper(PaperRow(paper_id="p", title="A Method", text=text))
    ledger = Ledger(Path(tempfile.mkdtemp(prefix="ledger-")), run="bench")
    provider: Provider = SimulatedProvider(meter, answered)
    if way.batch:
        book = BatchJobStore(ledger, "simulated")
        quick = Patience(first=0.001, most=0.01)
        provider = BatchProvider(SimulatedJobs(meter, answered), book, patience=quick, quiet=0.3)
    client = Client(
        lambda _: provider,
        ledger,
        limits=CallLimits(connections=16),
        warmup=PrefixCacheWarmup(kept=1e9 if way.warm else -1.0) if way.warm else _NoWarmth(),
    )
    settings = Settings.model_validate({"model": "x/y", **way.settings})
    judges = judges_of(settings, client)
    per = settings.asked_per
    groups = [reviews()] if per == "paper" else [[review] for review in reviews()]
    scored = await asyncio.gather(*(_scored(group, paper, judges, settings) for group in groups))
    await client.close()
    ledger.close()
    assert sum(map(len, scored)) == POINTS
    price = BATCH if way.batch else 1.0
    return Bill(meter.sent, price * meter.billed, price * output, meter.calls)


async def _scored(
    group: list[ReviewPoints], paper: Paper, judges: Judges, settings: Settings
) -> list[PointScore]:
    """Score reviews as a run does, which asks about all their points first where that is set."""
    if settings.asked_per != "point":
        await review_judges(judges).by_review(group, paper)
    records = await asyncio.gather(
        *(
            capture_errors(
                score_by_settings(point, paper, judges, settings, response=None, calibration=None)
            )
            for review in group
            for point in review.points
        )
    )
    scores = [record for record in records if isinstance(record, PointScore)]
    assert len(scores) == len(records), records
    assert all(score.error is None for score in scores), [score.error for score in scores]
    return scores


class _NoWarmth(PrefixCacheWarmup):
    """Nobody waits for anybody."""

    def _warm(self, state: object) -> bool:
        return True


def main() -> None:
    """Print what each way costs, and what each mistake would."""
    published = billed(Way(layout="item before the paper"))
    head(
        "Tokens billed of a paper of 12,000 tokens with 16 points (input in tokens of plain input)"
    )
    base = f"published, uncached {published.words}"

    def line(name: str, way: Way, goal: str = "") -> None:
        bill = billed(way)
        row(name, bill.words, base, bill.input / published.sent, goal)

    line("`--protocol paper`", Way(), "<= 0.27")
    line("… with `--batch`", Way(batch=True), "<= 0.14")
    line("… with `--batch`, writing for an hour at 2.0", Way(batch=True, write=2.0))
    economy: dict[str, object] = {"protocol": "economy", "points": "rules"}
    proof: dict[str, object] = {"protocol": "presupposition+proof"}

    def both(name: str, settings: dict[str, object], goal: str = "", in_jobs: str = "") -> None:
        line(name, Way(settings=settings), goal)
        line("… with `--batch`", Way(settings=settings, batch=True), in_jobs)

    both("`--protocol economy`", economy, "<= 0.20", "<= 0.10")
    both("`--protocol economy --per review`", {**economy, "per": "review"})
    both(
        "`--protocol economy --per review --score base`",
        {**economy, "per": "review", "score": "base"},
    )
    for per, goal, in_jobs in (
        *(("point", "", ""), ("review", "<= 0.03", "")),
        ("paper", "<= 0.03", "<= 0.015"),
    ):
        asked: dict[str, object] = {"protocol": "presupposition", "per": per}
        name = f"`--protocol presupposition --per {per}`"
        both(name, asked, goal, in_jobs)
        both(f"{name}, no second look", {**asked, "second_look": "off"}, goal, in_jobs)
    both("`--protocol presupposition+proof`", proof)
    both("`--protocol presupposition+proof --score base`", {**proof, "score": "base"})
    line("mistake: cold fan-out of the first calls", Way(warm=False))
    line("mistake: another enforced schema for each stage", Way(settings={"structured": "schema"}))
    line("mistake: one marker, after the item", Way(layout="marker after the item"))
    line("mistake: item before the paper", Way(layout="item before the paper"))


if __name__ == "__main__":
    main()
