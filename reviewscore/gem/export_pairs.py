"""Pairs of prompt and judgments to fine-tune an evaluation model on.

As in GEM (arXiv 2411.07228, app. E.1): three reviews are drawn of each paper; for GEM, and again
for GEM-S, each is to be foretold from each of the other two and from nothing, nine pairs in all.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from pathlib import Path
from typing import Literal

from reviewscore.errors import InputError
from reviewscore.files import JsonLines, drafted
from reviewscore.gem.evaluation import Question
from reviewscore.gem.layout import plain_layout, reference_of, turns
from reviewscore.papers.hygiene import broken_up
from reviewscore.sources.system_reviews import PEOPLE, Materials, SystemReview

Metric = Literal["GEM", "GEM-S"]
METRICS: tuple[Metric, ...] = ("GEM", "GEM-S")
DRAWN = 3
"""Reviews of each paper."""
TOO_FEW = "papers with fewer than three people's reviews whose judgments differ"
NO_ABSTRACT = "papers without an abstract, left out for GEM-S"


@dataclass(frozen=True, slots=True)
class PromptPair:
    """What an evaluation model is to learn: a reference, given a prompt.

    Attributes:
        metric: GEM, or GEM-S, which knows the abstract.
        paper_id: The paper.
        candidate_id: The review in the prompt; None for a marginal.
        reference_id: The review to be foretold.
        question: Both with the synopsis.
    """

    metric: Metric
    paper_id: str
    candidate_id: str | None
    reference_id: str
    question: Question


@dataclass
class ExportedPairs:
    """What was written.

    Attributes:
        path: The file.
        papers: Papers that gave pairs.
        pairs: Pairs by metric.
        left_out: Papers that gave none, or fewer, by reason.
    """

    path: Path
    papers: int = 0
    pairs: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)


def prompt_pairs(
    materials: Materials,
    *,
    seed: int = 0,
    metrics: Sequence[Metric] = METRICS,
    left_out: Counter[str] | None = None,
) -> Iterator[PromptPair]:
    """All pairs, paper by paper.

    Which three reviews of a paper are drawn depends on the seed and the paper alone.

    Args:
        materials: People's reviews with their judgments, and abstracts for GEM-S.
        seed: Of the draw.
        metrics: For which pairs are made.
        left_out: Counts papers that give none, or none for GEM-S.
    """
    dropped = left_out if left_out is not None else Counter()
    for paper_id, group in materials.papers.items():
        # Equal judgments would teach a model to copy; one of them stands for all.
        people = {
            review.judgments: review
            for review in group
            if review.system == PEOPLE and review.judgments.strip()
        }
        if len(people) < DRAWN:
            dropped[TOO_FEW] += 1
            continue
        drawn = _drawn(list(people.values()), f"{seed}:{paper_id}")
        row = materials.synopses.get(paper_id)
        abstract = (row.abstract or "").strip() if row is not None else ""
        if "GEM" in metrics:
            yield from _nine("GEM", drawn, None)
        if "GEM-S" in metrics and not abstract:
            dropped[NO_ABSTRACT] += 1
        elif "GEM-S" in metrics:
            yield from _nine("GEM-S", drawn, abstract)


def _drawn(people: Sequence[SystemReview], seed: str) -> list[SystemReview]:
    """Three reviews in the order of the file."""
    chosen = random.Random(seed).sample(range(len(people)), DRAWN)
    return [people[place] for place in sorted(chosen)]


def _nine(
    metric: Metric, drawn: Sequence[SystemReview], synopsis: str | None
) -> Iterator[PromptPair]:
    """Six ordered pairs, then three marginals."""
    ordered: list[tuple[SystemReview | None, SystemReview]] = [*permutations(drawn, 2)]
    ordered += [(None, review) for review in drawn]
    for candidate, reference in ordered:
        given = None if candidate is None else candidate.judgments
        yield PromptPair(
            metric,
            reference.paper_id,
            None if candidate is None else candidate.review_id,
            reference.review_id,
            Question(reference.judgments, given, synopsis),
        )


def export_pairs(
    materials: Materials,
    out: Path,
    *,
    seed: int = 0,
    metrics: Sequence[Metric] = METRICS,
    chat: bool = False,
) -> ExportedPairs:
    """Write all pairs as JSONL, one a line; an old file is replaced.

    Args:
        materials: As in `prompt_pairs`.
        out: The file.
        seed: Of the draw.
        metrics: For which pairs are made.
        chat: Write ``messages`` (system, user, assistant) instead of ``input`` and ``output``.

    Raises:
        InputError: No paper gives a pair.
        RunFolderError: The file cannot be written.
    """
    exported_pairs = ExportedPairs(out)
    pairs = prompt_pairs(materials, seed=seed, metrics=metrics, left_out=exported_pairs.left_out)
    with drafted(out, named=True) as draft:
        out.parent.mkdir(parents=True, exist_ok=True)
        lines = JsonLines(draft)
        try:
            _write(lines, pairs, exported_pairs, chat=chat)
        finally:
            lines.close()
        if not exported_pairs.pairs:
            reasons = "; ".join(f"{count} {why}" for why, count in exported_pairs.left_out.items())
            raise InputError(
                f"no paper gives a pair ({reasons})",
                file=materials.files[0] if materials.files else None,
                cure="give three people's reviews with judgments a paper, and abstracts for GEM-S",
            )
    return exported_pairs


def _write(
    lines: JsonLines, pairs: Iterable[PromptPair], exported_pairs: ExportedPairs, *, chat: bool
) -> None:
    last = None
    for pair in pairs:
        lines.append(json.dumps(_fields(pair, chat=chat), ensure_ascii=False))
        exported_pairs.pairs[pair.metric] += 1
        exported_pairs.papers += pair.paper_id != last
        last = pair.paper_id


def _fields(pair: PromptPair, *, chat: bool) -> dict[str, object]:
    named: dict[str, object] = {
        "metric": pair.metric,
        "paper_id": pair.paper_id,
        "candidate_id": pair.candidate_id,
        "reference_id": pair.reference_id,
    }
    reference = broken_up(reference_of(pair.question))
    if chat:
        answer = {"role": "assistant", "content": reference}
        return {**named, "messages": [*turns(pair.question), answer]}
    prompt = (
        broken_up(part.text) if part.foreign else part.text
        for part in plain_layout().context(pair.question)
    )
    return {**named, "input": "".join(prompt), "output": reference}
