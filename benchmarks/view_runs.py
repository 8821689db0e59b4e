"""Runs of any size for the benchmark of the app, written by template lines; all is invented."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from reviewscore.runs.folder import ERRORS, MANIFEST, POINTS, digests_of
from reviewscore.runs.manifest import Counts, Manifest, Spending
from reviewscore.schema.paper import Evidence
from reviewscore.schema.point_score import PointScore, Status
from reviewscore.schema.review import PointType, Role
from reviewscore.schema.span import Span
from reviewscore.schema.verdict import Provenance, Verdict

JUDGE = "openai/simulated"
PER_REVIEW = 8
_FUNCTION = [
    "the", "of", "and", "a", "in", "to", "is", "that", "for", "we", "with", "as", "are", "on",
    "this", "by", "not", "from", "which", "have",
]  # fmt: skip
_PLAIN = [
    "method", "model", "results", "paper", "data", "baseline", "training", "ablation", "table",
    "figure", "learning",
]  # fmt: skip
_SENTENCES = 6_000
_PAPER, _REVIEW, _POINT, _TEXT, _QUOTE = "@paper", "@review", "@point", "@text", "@quote"


class Words:
    """Sentences of plain words, and of 20,000 invented ones of which most are rare."""

    def __init__(self, seed: int = 7) -> None:
        self._random = random.Random(seed)
        sounds = [
            "ba", "ke", "li", "mo", "nu", "ra", "se", "ti", "vo", "zu", "pha", "cro",
            "tel", "din", "gar",
        ]  # fmt: skip
        rare = ["".join(self._random.choices(sounds, k=4)) for _ in range(20_000)]
        weights = [1 / (rank + 20) for rank in range(len(rare))]
        draw = self._random.choices
        self.sentences = [
            " ".join(
                word
                for words in zip(draw(_FUNCTION, k=8), draw(_PLAIN, k=8), draw(rare, weights, k=8),
                                 strict=True)
                for word in words
            )
            for _ in range(_SENTENCES)
        ]  # fmt: skip
        self.some_rare = rare[3_000]
        self.sentence = partial(self._random.choice, self.sentences)


def _lines() -> list[str]:
    """A line for each kind of point, as often as it is drawn; one in ten is a flag."""
    quote = Evidence(quote=_QUOTE, start=10, end=100, section="1 Method", verified=True)
    origin = Provenance(stage="claim_factuality", judge=JUDGE, model_answered="simulated-1",
                        prompt_id="claim_factuality/v3", prompt_sha256="ab" * 32)  # fmt: skip

    def line(kind: PointType, base: int | None, **more: Any) -> str:
        asks = kind is PointType.QUESTION
        verdict = Verdict(scale="unanswerability" if asks else "factuality", score=base,
                          rationale=_TEXT, evidence=(quote,), provenance=(origin,))  # fmt: skip
        known: dict[str, Any] = {
            "status": Status.UNKNOWN if base is None else Status.SCORED,
            "base": base,
            "misinformed": None if base is None else base < 3,
            "verdict": verdict,
            "evidence": (quote,),
        }
        return PointScore(
            point_id=_POINT, review_id=_REVIEW, paper_id=_PAPER, number=1, section="weaknesses",
            role=Role.WEAKNESSES, text=_TEXT, span=Span(field="weaknesses", start=0, end=40),
            type=kind, judge=JUDGE, reviewscore_version="0.1.0", **known | more,
        ).model_dump_json()  # fmt: skip

    failed = {"status": Status.ERROR, "verdict": None, "evidence": (), "error": "RefusalError: no"}
    return [
        line(PointType.CLAIM, 2),
        line(PointType.QUESTION, 1),
        *(line(PointType.CLAIM, 4) for _ in range(8)),
        *(line(PointType.QUESTION, 5) for _ in range(5)),
        *(line(PointType.ARGUMENT, 3) for _ in range(3)),
        line(PointType.ARGUMENT, None),
        line(PointType.CLAIM, None, **failed),
    ]


def points_of(papers: int, reviews: int, words: Words) -> Iterator[str]:
    """Lines of points, paper by paper."""
    kinds, rng = _lines(), random.Random(11)
    for paper in range(papers):
        for review in range(paper, reviews, papers):
            for number in range(1, PER_REVIEW + 1):
                line = rng.choice(kinds)
                line = line.replace('"number":1', f'"number":{number}').replace(_PAPER, f"p{paper}")
                line = line.replace(_REVIEW, f"r{review}").replace(
                    _POINT, f"r{review}.{number:08x}"
                )
                yield line.replace(_TEXT, words.sentence()).replace(_QUOTE, words.sentence()) + "\n"


def write_run(folder: Path, papers: int, reviews: int, words: Words) -> Path:
    """Write papers, reviews and the run of them."""
    data, run = folder / "data", folder / "run"
    for place in (data, run):
        place.mkdir(parents=True, exist_ok=True)
    with (data / "papers.jsonl").open("w", encoding="utf-8") as file:
        for n in range(papers):
            body = "\n".join(words.sentence() for _ in range(20))
            paper = {
                "paper_id": f"p{n}",
                "title": words.sentence()[:70],
                "text": f"1 Method\n{body}",
            }
            file.write(json.dumps(paper) + "\n")
    with (data / "reviews.jsonl").open("w", encoding="utf-8") as file:
        for n in range(reviews):
            sections = {"weaknesses": words.sentence()}
            review = {"review_id": f"r{n}", "paper_id": f"p{n % papers}", "sections": sections}
            file.write(json.dumps(review) + "\n")
    with (run / POINTS).open("w", encoding="utf-8") as file:
        file.writelines(points_of(papers, reviews, words))
    (run / ERRORS).touch()
    counts = Counts(papers=papers, reviews=reviews, points=PER_REVIEW * reviews)
    made = Manifest(
        reviewscore_version="0.1.0", judge=JUDGE, judge_version=None, settings={}, decisive={},
        decisive_sha256="cd" * 32, versions={}, inputs=(), data=str(data), counts=counts,
        complete=True, digests=digests_of(run), prompts={}, spending=Spending(), times=(),
    )  # fmt: skip
    (run / MANIFEST).write_text(made.model_dump_json() + "\n", "utf-8")
    return run
