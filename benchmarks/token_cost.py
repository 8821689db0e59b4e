"""Billed input of a paper with 16 points, against the published procedure without any caching.

The points, rounds and premises are those of the paper's means: 3 questions, 3 claims, 10
arguments, three rounds each (3.09; ReviewScore, table 5), four premises each (4.14; sec. 3.3). The
whole pipeline runs; only the provider is simulated (`benchmarks.prefix_cache`).
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import head, row
from benchmarks.prefix_cache import Layout, Meter, SimulatedJobs, SimulatedProvider
from reviewscore.judges.asker import Asker, SamplingParams
from reviewscore.judges.model_judges import ModelJudges
from reviewscore.llm.batch_jobs import BatchProvider, Patience
from reviewscore.llm.client import CallLimits, Client
from reviewscore.llm.ledger.database import BatchJobStore, Ledger
from reviewscore.llm.limiter import PrefixCacheWarmup
from reviewscore.llm.provider import Provider
from reviewscore.papers.load import PaperRow, build_paper
from reviewscore.pipeline import score_point
from reviewscore.schema.call import Request, Structured
from reviewscore.schema.review import ReviewPoint, Role
from reviewscore.schema.span import Span

PAPER_TOKENS, POINT_TOKENS = 12_000, 150
BATCH = 0.5


@dataclass(frozen=True)
class Way:
    """How the calls are made."""

    layout: Layout = "ours"
    economy: bool = False
    batch: bool = False
    warm: bool = True
    structured: Structured | None = None
    write: float = 1.25


def points() -> list[ReviewPoint]:
    """Sixteen points of 150 tokens."""
    made = []
    for number in range(16):
        kind = "Question" if number < 3 else "Claim" if number < 6 else "Argument"
        text = f"{kind} {number}. " + "The gain of the method is not explained well. " * 13
        span = Span(field="weaknesses", start=0, end=len(text))
        made.append(
            ReviewPoint(
                review_id="r",
                paper_id="p",
                section="weaknesses",
                role=Role.WEAKNESSES,
                text=text,
                span=span,
            )
        )
    return made


def answer(request: Request) -> str:
    """A sensible reply to every question."""
    item = request.messages[0].content
    kind = next(one for one in ("Question", "Claim", "Argument") if one in item)
    replies: dict[str, object] = {
        "ArgumentReply": {"reasoning": "r", "is_argument": kind == "Argument"},
        "QuestionReply": {"reasoning": "r", "kind": kind.lower()},
        "PointTypeReply": {"reasoning": "r", "kind": kind.lower()},
        "AnswerabilityReply": {
            "reasoning": "r",
            "unanswerability": 4,
            "quotes": [],
            "answer": None,
        },
        "FactualityReply": {"reasoning": "r", "factuality": 4, "quotes": []},
        "ExtractReply": {"conclusion": "The gain", "reasons": ["is not explained"]},
        "FaithfulnessReply": {"reasoning": "r", "faithful": "R3" in item},
        "ReconstructionReply": _reconstruction(item),
        "PremiseReply": _premise(),
        "PremisesReply": {"verdicts": [{"premise": f"P{n}", **_premise()} for n in range(1, 5)]},
    }
    return json.dumps(replies[request.schema_name])


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


def billed(way: Way) -> Meter:
    """What the sixteen points cost when the calls are made in a way."""
    return asyncio.run(_run(way))


async def _run(way: Way) -> Meter:
    meter = Meter(layout=way.layout, kept=3600.0 if way.batch else 300.0, write=way.write)
    text = "The method was tried on four tables and compared with six others. " * 730
    paper = build_paper(PaperRow(paper_id="p", title="A Method", text=text[: 4 * PAPER_TOKENS]))
    ledger = Ledger(Path(tempfile.mkdtemp(prefix="ledger-")), run="bench")
    provider: Provider = SimulatedProvider(meter, answer)
    if way.batch:
        book = BatchJobStore(ledger, "simulated")
        quick = Patience(first=0.001, most=0.01)
        provider = BatchProvider(SimulatedJobs(meter, answer), book, patience=quick, quiet=0.3)
    client = Client(
        lambda _: provider,
        ledger,
        limits=CallLimits(connections=16),
        warmup=PrefixCacheWarmup(kept=1e9 if way.warm else -1.0) if way.warm else _NoWarmth(),
    )
    sampling = SamplingParams(structured=way.structured or "auto")
    judges = ModelJudges(Asker(client, model="x/y", sampling=sampling), economy=way.economy)
    found = await asyncio.gather(*(score_point(one, paper, judges) for one in points()))
    assert all(one.error is None for one in found), [one.error for one in found]
    await client.close()
    ledger.close()
    return meter


class _NoWarmth(PrefixCacheWarmup):
    """Nobody waits for anybody."""

    def _warm(self, state: object) -> bool:
        return True


def main() -> None:
    """Print what each way costs, and what each mistake would."""
    published = billed(Way(layout="item before the paper"))
    head("Billed input of a paper of 12,000 tokens with 16 points (in tokens of plain input)")
    base = f"published, uncached {published.sent / 1e3:.0f}k in {published.calls} calls"

    def line(name: str, way: Way, goal: str = "") -> None:
        meter = billed(way)
        tokens = meter.billed * (BATCH if way.batch else 1.0)
        told = f"{tokens / 1e3:.0f}k in {meter.calls} calls"
        row(name, told, base, tokens / published.sent, goal)

    line("`--protocol paper`", Way(), "<= 0.27")
    line("… with `--batch`", Way(batch=True), "<= 0.14")
    line("… with `--batch`, writing for an hour at 2.0", Way(batch=True, write=2.0))
    line("`--protocol economy`", Way(economy=True), "<= 0.20")
    line("… with `--batch`", Way(economy=True, batch=True), "<= 0.10")
    line("mistake: cold fan-out of the first calls", Way(warm=False))
    line("mistake: another enforced schema for each stage", Way(structured="schema"))
    line("mistake: one marker, after the item", Way(layout="marker after the item"))
    line("mistake: item before the paper", Way(layout="item before the paper"))


if __name__ == "__main__":
    main()
