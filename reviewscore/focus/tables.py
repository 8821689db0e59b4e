"""Focus as tables: shares, divergence from a reference, likeness of texts, differences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations, product

import numpy as np

from reviewscore.focus.blind_spots import RATE, FacetDifference
from reviewscore.focus.distribution import (
    FOUR,
    SMOOTHING,
    CodedPoints,
    FacetMeasure,
    ask,
    comparison,
    distribution,
    mean_divergence,
    points_per,
)
from reviewscore.focus.facets import FacetKind, Polarity
from reviewscore.focus.overlap import OverlapScore, Sets, ask_facets, ask_sets, pair_sets, presence
from reviewscore.sources.system_reviews import Materials, SystemReview, TextForm
from reviewscore.stats.estimates import BootstrapPlan, mean
from reviewscore.stats.resampling import FEW_PAPERS, Clusters, Resampling
from reviewscore.stats.statistic import Floats
from reviewscore.stats.tables import Cell, Table, chance
from reviewscore.text.similarity import TextMetric, TextPair

SIMILARITY, DIVERGENCES, PAIRS = "focus-similarity", "focus-divergences", "focus-pairs"
POINTS = "focus-points"

_PAPER = "arXiv 2502.17086"
_PLURAL = {Polarity.STRENGTH: "strengths", Polarity.WEAKNESS: "weaknesses"}
_TABLE = {
    (FacetKind.TARGET, None): 7,
    (FacetKind.TARGET, Polarity.STRENGTH): 8,
    (FacetKind.TARGET, Polarity.WEAKNESS): 9,
    (FacetKind.ASPECT, None): 10,
    (FacetKind.ASPECT, Polarity.STRENGTH): 11,
    (FacetKind.ASPECT, Polarity.WEAKNESS): 12,
}
_SETS = (
    "F1, precision and recall compare the sets of (target, aspect) pairs of each paper, all "
    "reviews of a side together, and are means over sets; higher is better. Overall counts the "
    "strengths and the weaknesses of a paper as two sets. A set that is empty on one side scores "
    "0; if both are empty, or only unknown facets are there, the paper is left out. "
    "Facets that name nothing in particular count like others."
)
_DIVERGENCE = (
    "Divergences are in nats, lower is nearer, of points summed over the papers that both "
    "reviewed, and the mean is the plain one over the four distributions (two, if one side "
    f"has no strengths or no weaknesses). Kullback-Leibler adds {SMOOTHING:g} points to "
    f"each facet on both sides; Jensen-Shannon adds none and is at most ln 2. {_PAPER} states "
    "neither direction nor smoothing. Few points alone make a divergence larger; intervals "
    "(basic bootstrap, not below 0) are free of that and may lie below the value."
)
_RAISED = (
    "The unit is a paper: does a point of the system, and one of the reference, have the facet? "
    "Precision is of the papers in which the system raises it, recall of those in which the "
    "reference does; higher is better. Where nothing can be divided there is no value; the paper "
    "prints 0."
)


@dataclass(frozen=True)
class _Study:
    """What all tables share."""

    coded: CodedPoints
    plan: BootstrapPlan
    reference: str

    @property
    def others(self) -> tuple[str, ...]:
        """The systems that are compared with the reference."""
        return tuple(name for name in self.coded.systems if name != self.reference)

    @property
    def level(self) -> str:
        return f"{self.plan.resampling.percent} intervals"


def tables(coded: CodedPoints, reference: str, how: Resampling) -> list[Table]:
    """All tables of a study but the differences of single systems, see `difference_table`.

    The unit is the paper: whole papers are drawn, with the reviews of all systems.

    Args:
        coded: The points of all systems.
        reference: The system that the others are compared with; without reviews of it there are
            no comparisons.
        how: How intervals are made; papers are drawn whatever it says.

    Returns:
        The tables; none if there is no review.
    """
    if not coded.papers:
        return []
    study = _Study(coded, BootstrapPlan(Clusters.by(coded.papers), how), reference)
    found = []
    if reference in coded.systems and study.others:
        found += [_similarity(study), _divergences(study), _pairs(study)]
        found += [_facets(study, kind, polarity) for kind, polarity in _TABLE]
    found += [_distribution(study, polarity, kind) for polarity, kind in FOUR]
    found.append(_points(study))
    study.plan.run()
    papers = len(coded.papers)
    if papers < FEW_PAPERS:
        few = (
            f"Only {papers} {'paper' if papers == 1 else 'papers'}: intervals say little of papers "
            "that are not in the sample."
        )
        found[0] = replace(found[0], notes=(*found[0].notes, few))
    return found


_PAIRED = "Only papers that both reviewed count, paired by paper."
_UNPAIRED = (
    "No paper was reviewed by both: all papers of each count, and the papers differ as the "
    "reviewers do."
)


def difference_table(found: Sequence[FacetDifference], system: str, reference: str) -> Table:
    """Where one system's focus differs from the reference's, facet by facet.

    Args:
        found: From `blind_spots.differences`.
        system: Whose.
        reference: Against whose.
    """
    rows: list[tuple[Cell, ...]] = []
    for one in found:
        shares = ("–" if share is None else f"{100 * share:.1f}"
                  for share in (one.system, one.reference))  # fmt: skip
        rows.append(
            (
                _PLURAL[one.polarity], one.kind, one.facet, *shares, one.slot,
                None if one.q is None else chance(one.q).replace("p", "q", 1),
            )
        )  # fmt: skip
    return Table(
        f"focus-differences-{system}",
        f"Focus of {system} against {reference}: shares in percent, difference in percentage "
        "points with intervals and permutation p",
        ("points", "kind", "facet", system, reference, "difference", "q"),
        tuple(rows),
        keys=3,
        kind="percent",
        notes=(
            "Below 0 the system overlooks the facet, above 0 it favours it. "
            f"{_PAIRED if all(one.paired for one in found) else _UNPAIRED} q is p adjusted for all "
            "facets of this table (Benjamini and Hochberg); a facet that neither raises is not "
            "tested.",
        ),
    )


def spots_table(found: Sequence[FacetDifference], system: str, reference: str) -> Table:
    """The facets that a system overlooks or favours, largest difference first.

    Args:
        found: From `blind_spots.spots`.
        system: Whose.
        reference: Against whose.
    """
    rows: list[tuple[Cell, ...]] = [
        (word, _PLURAL[one.polarity], one.kind, one.facet, one.slot)
        for word, sign in (("overlooked", -1), ("favoured", 1))
        for one in found
        if sign * (one.estimate.value or 0) > 0
    ]
    return Table(
        f"focus-blind-spots-{system}",
        f"What {system} overlooks and favours against {reference}, in percentage points",
        ("finding", "points", "kind", "facet", "difference"),
        tuple(rows),
        keys=4,
        kind="percent",
        notes=(
            f"Facets with q up to {RATE:g}; at most that share of them are by chance alone.",
            *(() if rows else ("There is none.",)),
        ),
    )


def _similarity(study: _Study) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name in study.others:
        pair = comparison(study.coded, name, study.reference)
        kl = mean_divergence(pair, FacetMeasure.REFERENCE_TO_SYSTEM)
        by_polarity = _sets(study, name)
        slots = [ask_sets(study.plan, OverlapScore.F1, one) for one in by_polarity]
        rows.append((name, study.plan.ask(kl, pair.dropped), *slots))
    return Table(
        SIMILARITY,
        f"Focus against {study.reference}, with {study.level} ({_PAPER}, Table 3)",
        ("system", "KL divergence", "overall F1", "strength F1", "weakness F1"),
        tuple(rows),
        notes=(f"KL is KL(reference || system). {_DIVERGENCE}", _SETS),
    )


def _divergences(study: _Study) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for measure in FacetMeasure:
        for name in study.others:
            pair = comparison(study.coded, name, study.reference)
            slots = ask(study.plan, pair, measure)
            rows.append((str(measure), name, *slots))
    return Table(
        DIVERGENCES,
        f"Divergence of focus from {study.reference} in nats, with {study.level}",
        ("divergence", "system", "mean", *(_which(*which) for which in FOUR)),
        tuple(rows),
        keys=2,
        notes=(_DIVERGENCE,),
    )


def _sets(study: _Study, name: str) -> tuple[tuple[Sets, ...], ...]:
    strengths, weaknesses = (
        pair_sets(study.coded, name, study.reference, polarity) for polarity in Polarity
    )
    return (strengths, weaknesses), (strengths,), (weaknesses,)


def _pairs(study: _Study) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name in study.others:
        for word, sets in zip(("overall", *_PLURAL.values()), _sets(study, name), strict=True):
            slots = [ask_sets(study.plan, score, sets) for score in OverlapScore]
            rows.append((name, word, *slots, sum(one.one_empty for one in sets)))
    return Table(
        PAIRS,
        f"Agreement with {study.reference} on (target, aspect) pairs, with {study.level}",
        ("system", "points", *map(str, OverlapScore), "sets empty on one side"),
        tuple(rows),
        keys=2,
        notes=(_SETS,),
    )


def _facets(study: _Study, kind: FacetKind, polarity: Polarity | None) -> Table:
    rows: list[tuple[Cell, ...]] = []
    raised = {name: presence(study.coded, name, study.reference, kind) for name in study.others}
    for score in OverlapScore:
        for name in study.others:
            slots = ask_facets(study.plan, score, raised[name], polarity)
            rows.append((str(score), name, *slots))
    word = "both" if polarity is None else _PLURAL[polarity]
    notes = [_RAISED]
    if polarity is None:
        notes.append(
            "Each value is the mean of that of strengths and that of weaknesses, or the one of "
            "them that there is."
        )
    return Table(
        f"focus-{kind}-{word}",
        f"Agreement with {study.reference} on each {kind}, "
        f"{'strengths and weaknesses' if polarity is None else word}, with {study.level} "
        f"({_PAPER}, Table {_TABLE[kind, polarity]})",
        ("score", "system", *study.coded.facets.names(kind)),
        tuple(rows),
        keys=2,
        notes=tuple(notes),
    )


def _distribution(study: _Study, polarity: Polarity, kind: FacetKind) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name in study.coded.systems:
        one = distribution(study.coded, name, polarity, kind)
        rows.append((name, *one.ask(study.plan), one.points, one.unknown))
    return Table(
        f"focus-distribution-{kind}-{_PLURAL[polarity]}",
        f"Focus: {_which(polarity, kind)}, in percent of points, with {study.level} "
        f"({_PAPER}, Figure 4)",
        ("system", *study.coded.facets.names(kind), "points", "unknown"),
        tuple(rows),
        kind="percent",
        notes=(
            "Points are summed over papers, unsmoothed; those whose facet is unknown are counted "
            "in the last column and in no share.",
        ),
    )


def _points(study: _Study) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name in study.coded.systems:
        for per in ("review", "paper"):
            each = (points_per(per, study.coded, name, polarity) for polarity in (None, *Polarity))
            rows.append((name, per, *map(study.plan.ask, each)))
    return Table(
        POINTS,
        f"Points per review and per paper, mean with {study.level} ({_PAPER}, Figure 3)",
        ("system", "per", "points", *_PLURAL.values()),
        tuple(rows),
        keys=2,
        notes=("Points whose facets are unknown count as well.",),
    )


def _which(polarity: Polarity, kind: FacetKind) -> str:
    return f"{kind}s of {_PLURAL[polarity]}"


TEXTS = "focus-text-similarity"
_AT_ONCE = 256
"""Pairs of texts that are scored together."""


def text_table(
    materials: Materials,
    form: TextForm,
    reference: str,
    metrics: Sequence[TextMetric],
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
    materials: Materials, form: TextForm, reference: str, metrics: Sequence[TextMetric]
) -> dict[str, _Scores]:
    """Scores by system; of texts only those of a few papers are held at once."""
    found: dict[str, _Scores] = {}
    waiting: list[tuple[str, int, TextPair]] = []

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
                waiting.append((name, paper, TextPair(paper_id, candidate, other)))
        if len(waiting) >= _AT_ONCE:
            score()
    score()
    return found


def _beside(
    group: Sequence[SystemReview], form: TextForm, system: str, reference: str
) -> Iterator[tuple[str, str]]:
    mine, theirs = (
        [text for one in group if one.system == name and (text := _text(one, form).strip())]
        for name in (system, reference)
    )
    yield from permutations(theirs, 2) if system == reference else product(mine, theirs)


def _text(review: SystemReview, form: TextForm) -> str:
    return review.judgments if form is TextForm.JUDGMENTS else review.raw
