"""How alike the words of a system's reviews and of the reference's are, paper by paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations, product

import numpy as np

from reviewscore.sources.system_reviews import Form, Materials, Written
from reviewscore.stats.estimates import BootstrapPlan, mean
from reviewscore.stats.resampling import Clusters, Resampling
from reviewscore.stats.statistic import Floats
from reviewscore.stats.tables import Cell, Table
from reviewscore.text.similarity import Metric, Pair

TEXTS = "focus-text-similarity"
_PAPER = "arXiv 2502.17086"
_AT_ONCE = 256
"""Pairs of texts that are scored together."""


def text_table(
    materials: Materials,
    form: Form,
    reference: str,
    metrics: Sequence[Metric],
    how: Resampling,
) -> Table | None:
    """The text columns of Table 3 of Shin et al. 2025 (arXiv 2502.17086), for all systems.

    Each review of a system is the candidate beside each review of the reference on the paper; a
    paper's score is the mean of its pairs, a system's the mean of its papers. The reference's own
    row compares its reviews of a paper with each other, where there are several: what a system
    could hope for.

    Args:
        materials: All reviews.
        form: Which text is compared.
        reference: The system that others are compared with.
        metrics: The columns.
        how: How intervals are made; papers are drawn whatever it says.

    Returns:
        The table; None if no paper was reviewed by the reference and somebody else, or twice.
    """
    systems = [name for name in materials.systems() if name != reference]
    scores = _scored(materials, form, reference, metrics) if metrics else {}
    scores = {name: scores[name] for name in (*systems, reference) if name in scores}
    if not scores:
        return None
    plan = BootstrapPlan(Clusters.by(list(materials.papers)), how)
    rows: list[tuple[Cell, ...]] = []
    for name, some in scores.items():
        slots = [
            plan.ask(mean(metric.name, means))
            for metric, means in zip(metrics, some.by_paper(), strict=True)
        ]
        words = f"{name}, one with another" if name == reference else name
        rows.append((words, *slots, some.pairs))
    plan.run()
    return Table(
        TEXTS,
        f"Likeness of texts to {reference}, with {how.percent} intervals ({_PAPER}, Table 3)",
        ("system", *(one.name for one in metrics), "pairs of reviews"),
        tuple(rows),
        notes=(
            f"Texts of the form {form}; 0 to 1, higher is more alike. Each review of the system "
            "beside each of the reference on the same paper, the mean of a paper's pairs, then of "
            "papers. BLEU is of orders 1 to 4, sentence by sentence smoothed (sacrebleu), ROUGE-L "
            "of unstemmed words.",
        ),
    )


class _Scores:
    """Scores of a system's pairs, added up by paper."""

    def __init__(self, metrics: int, papers: int) -> None:
        self.pairs = 0
        self._total = np.zeros((metrics, papers))
        self._number = np.zeros((metrics, papers), dtype=np.int32)

    def add(self, metric: int, paper: int, score: float | None) -> None:
        """Count a pair's score; one without a score counts for nothing."""
        if score is not None and not np.isnan(score):
            self._total[metric, paper] += score
            self._number[metric, paper] += 1

    def by_paper(self) -> Floats:
        """Shape (metrics, papers); a paper's mean, NaN where it has no pair with a score."""
        means: Floats = np.where(
            self._number > 0, self._total / np.maximum(self._number, 1), np.nan
        )
        return means


def _scored(
    materials: Materials, form: Form, reference: str, metrics: Sequence[Metric]
) -> dict[str, _Scores]:
    """Scores by system; of texts only those of a few papers are held at once."""
    found: dict[str, _Scores] = {}
    waiting: list[tuple[str, int, Pair]] = []

    def score() -> None:
        pairs = [pair for _, _, pair in waiting]
        for metric, one in enumerate(metrics):
            for (name, paper, _), value in zip(waiting, one.scores(pairs), strict=True):
                found[name].add(metric, paper, value)
        waiting.clear()

    for paper, (paper_id, group) in enumerate(materials.papers.items()):
        reviews = list(group)
        for name in dict.fromkeys(one.system for one in reviews):
            for candidate, other in _beside(reviews, form, name, reference):
                some = found.setdefault(name, _Scores(len(metrics), len(materials.papers)))
                some.pairs += 1
                waiting.append((name, paper, Pair(paper_id, candidate, other)))
        if len(waiting) >= _AT_ONCE:
            score()
    score()
    return found


def _beside(
    group: Sequence[Written], form: Form, system: str, reference: str
) -> Iterator[tuple[str, str]]:
    mine, theirs = (
        [text for one in group if one.system == name and (text := _text(one, form).strip())]
        for name in (system, reference)
    )
    yield from permutations(theirs, 2) if system == reference else product(mine, theirs)


def _text(review: Written, form: Form) -> str:
    return review.judgments if form is Form.JUDGMENTS else review.raw
