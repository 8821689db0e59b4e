"""How alike the words of a system's reviews and of the reference's are, paper by paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations, product

import numpy as np

from reviewscore.agreement.measure import Bench, Resampling, mean
from reviewscore.agreement.resample import Clusters
from reviewscore.agreement.statistic import Floats
from reviewscore.agreement.table import Cell, Table
from reviewscore.likeness.pair import Metric, Pair
from reviewscore.sources.written import Form, Materials, Written

TEXTS = "focus-text-similarity"
_PAPER = "arXiv 2502.17086"


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
    pairs = {name: _of_system(materials, form, name, reference) for name in (*systems, reference)}
    pairs = {name: some for name, some in pairs.items() if some}
    if not metrics or not pairs:
        return None
    bench = Bench(Clusters.by(list(materials.papers)), how)
    rows: list[tuple[Cell, ...]] = []
    for name, some in pairs.items():
        slots = [bench.ask(mean(one.name, _by_paper(materials, one, some))) for one in metrics]
        words = f"{name}, one with another" if name == reference else name
        rows.append((words, *slots, len(some)))
    bench.run()
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


def _of_system(materials: Materials, form: Form, system: str, reference: str) -> list[Pair]:
    """Its reviews beside the reference's; the reference's own beside each other."""
    return [
        Pair(paper, candidate, other)
        for paper, group in materials.papers.items()
        for candidate, other in _beside(group, form, system, reference)
    ]


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


def _by_paper(materials: Materials, metric: Metric, pairs: Sequence[Pair]) -> Floats:
    """Shape (papers,); the mean over a paper's pairs, NaN where it has none with a score."""
    place = {paper: at for at, paper in enumerate(materials.papers)}
    scores = np.array([np.nan if one is None else one for one in metric.scores(pairs)])
    known = ~np.isnan(scores)
    papers = np.array([place[one.paper_id] for one in pairs])[known]
    total = np.bincount(papers, weights=scores[known], minlength=len(place))
    number = np.bincount(papers, minlength=len(place))
    return np.where(number > 0, total / np.maximum(number, 1), np.nan)
