"""Would a small linear model cut reviews better than the rules do? Measured, not shipped.

Two logistic regressions over what `points_sentences` sees of a sentence, the outcome of the rules
included, say how likely it is part of a point, and how likely it begins another point than the
sentence before it in its entry or paragraph; the likeliest course is taken (Viterbi). It would
take the place of the rules inside entries and paragraphs if more points were whole, with an
interval, in papers that it was not trained on. So far they are not.

Labels are those of `annotations/points-dev`: two readers of the open half, and one reader of
further reviews (`train`), which nobody who wrote a rule had read with their labels. Folds are
papers. Each of the two sets is measured with the other always in training.

python -m benchmarks.points_model
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias
from unittest.mock import patch

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from benchmarks.measure import QUICK, SHARED, keep, skip
from benchmarks.points_measured import LABELS, reviews_of
from benchmarks.points_sentences import Sentence, features, sentences_of
from reviewscore.agreement.segmentation import Cut, Piece, segmentation
from reviewscore.points import split
from reviewscore.points.blocks import Block
from reviewscore.points.concerns import Concern
from reviewscore.points.languages import LanguageStretch, ReviewLanguages
from reviewscore.points.sections import OpenSection, open_sections
from reviewscore.schema.review import Review, Role
from reviewscore.schema.span import Span
from reviewscore.stats.shares import PAPERS
from reviewscore.stats.statistic import Floats

FOLDS = 2 if QUICK else 10
STRENGTH = 0.01
"""Inverse strength of the penalty (L2) of both regressions."""
SHIFTS = (0.3, 0.9)
"""Added to the log odds of being part of a point, and of beginning another: missed points and
merged ones weigh more than the likelihood says."""
FEWEST_PAPERS = 3
"""Papers that a feature must occur in."""

_rules = split._english_concerns
_Decide: TypeAlias = Callable[[str, OpenSection, LanguageStretch], Iterator[tuple[Concern, Block]]]


class Label(IntEnum):
    """What a sentence is."""

    OUT = 0  # no part of a point
    BEGINS = 1
    GOES_ON = 2


class Point(NamedTuple):
    """Where a reader's point stands, and the places that repeat it."""

    spans: tuple[Span, ...]
    repeats: tuple[Span, ...]


class Part(NamedTuple):
    """The sentences of an English stretch of a section, with the features of each."""

    section: OpenSection
    sentences: list[Sentence]
    features: list[tuple[str, ...]]


def part_of(text: str, section: OpenSection, stretch: LanguageStretch) -> Part:
    """The sentences of a stretch as the rules and the model see them."""
    grouped = itertools.groupby(_rules(text, section, stretch), key=lambda pair: pair[1])
    concerns = {block: [concern for concern, _ in pairs] for block, pairs in grouped}
    blocks = split.blocks_of(text, stretch.start, stretch.end)
    sentences = list(sentences_of(text, ((block, concerns.get(block, [])) for block in blocks)))
    return Part(section, sentences, list(features(text, section, sentences)))


@dataclass(frozen=True)
class Labelled:
    """A review with its readers' points.

    Attributes:
        review: The review.
        source: The data that it is of.
        points: The points of each reader.
    """

    review: Review
    source: str
    points: tuple[tuple[Point, ...], ...]

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The English stretches of its sections that may hold points."""
        languages = ReviewLanguages(self.review)
        return tuple(
            part_of(self.review.fields[section.field], section, stretch)
            for section in open_sections(self.review)
            for stretch in languages.stretches(section.field, section.start, section.end)
            if stretch.language is None
        )


def _spans(records: Iterable[Mapping[str, Any]]) -> tuple[Span, ...]:
    return tuple(Span(field=r["field"], start=r["start"], end=r["end"]) for r in records)


def labelled(folder: str) -> list[Labelled]:
    """The labelled reviews of a folder of `annotations/points-dev`: ``open`` or ``train``."""
    points: dict[str, dict[str, list[Point]]] = defaultdict(lambda: defaultdict(list))
    source: dict[str, str] = {}
    for path in sorted((LABELS / folder).glob("*-[AB].jsonl")):
        if path.name.startswith("focus"):
            continue
        for line in path.read_text("utf-8").splitlines():
            record = json.loads(line)
            source[record["review_id"]] = record["source"]
            if record["kind"] != "none":
                point = Point(_spans(record["spans"]), _spans(record.get("also") or ()))
                points[record["review_id"]][path.stem].append(point)
    return [
        Labelled(
            review, origin, tuple(tuple(points[name][reader]) for reader in sorted(points[name]))
        )
        for origin in sorted(set(source.values()))
        for name, review in reviews_of(
            {name for name in source if source[name] == origin}, [origin], SHARED
        ).items()
    ]


def labels_of(review: Review, part: Part, points: Sequence[Point]) -> list[Label]:
    """What each sentence is by a reader's points.

    A sentence is of the point that holds most of its letters and digits, if half of them are of
    some point. A place that repeats a point is a point here: whether it is kept is decided later.
    """
    text = review.fields[part.section.field]
    places = [point.spans for point in points]
    places += [(span,) for point in points for span in point.repeats]
    owner: dict[int, int] = {}
    for number, spans in enumerate(places):
        for span in spans:
            if span.field == part.section.field:
                owner |= {at: number for at in range(span.start, span.end) if at not in owner}
    labels: list[Label] = []
    before: int | None = None
    for sentence in part.sentences:
        signs = [at for at in range(sentence.start, sentence.end) if text[at].isalnum()]
        owners = Counter(owner[at] for at in signs if at in owner)
        own = owners.most_common(1)[0][0] if owners and 2 * owners.total() >= len(signs) else None
        new = own != before or sentence.position == 0
        labels.append(Label.OUT if own is None else Label.BEGINS if new else Label.GOES_ON)
        before = own
    return labels


_AFTER_OUT, _AFTER_PART = "was out", "was part"
"""Features of whether the sentence before in the same block is part of a point."""


class _Regression:
    """A logistic regression over features that are there or not."""

    def __init__(
        self, rows: Sequence[Sequence[str]], wanted: Sequence[bool], weights: Sequence[float],
        names: Sequence[str], shift: float,
    ) -> None:  # fmt: skip
        self._columns = {name: at for at, name in enumerate(names)}
        self._shift = shift
        self._fitted = LogisticRegression(C=STRENGTH, solver="liblinear", max_iter=400)
        self._fitted.fit(self._matrix(rows), wanted, sample_weight=weights)

    def _matrix(self, rows: Sequence[Sequence[str]]) -> csr_matrix:
        places = [
            sorted({self._columns[name] for name in row if name in self._columns}) for row in rows
        ]
        ends = np.cumsum([0, *map(len, places)])
        indices = np.fromiter(itertools.chain.from_iterable(places), dtype=np.int64)
        return csr_matrix(
            (np.ones(len(indices)), indices, ends), shape=(len(rows), len(self._columns))
        )

    def log_odds(self, rows: Sequence[Sequence[str]]) -> list[float]:
        """The log odds of each row."""
        odds: list[float] = self._fitted.decision_function(self._matrix(rows)).tolist()
        return [value + self._shift for value in odds]


class Model:
    """Both regressions, trained on labelled reviews.

    Args:
        read: The reviews; each reader of a review counts for a share of it.
    """

    def __init__(self, read: Sequence[Labelled]) -> None:
        papers: dict[str, set[str]] = defaultdict(set)
        rows: list[tuple[tuple[str, ...], Label, bool, float]] = []
        for review in read:
            for part in review.parts:
                for name in set(itertools.chain.from_iterable(part.features)):
                    papers[name].add(review.review.paper_id)
            for points in review.points:
                for part in review.parts:
                    labels = labels_of(review.review, part, points)
                    for at, sentence in enumerate(part.sentences):
                        after = sentence.position > 0 and labels[at - 1] is not Label.OUT
                        rows.append((part.features[at], labels[at], after, 1 / len(review.points)))
        names = sorted(name for name, where in papers.items() if len(where) >= FEWEST_PAPERS)
        self._part = _Regression(
            [(*seen, _AFTER_PART if after else _AFTER_OUT) for seen, _, after, _ in rows],
            [label is not Label.OUT for _, label, _, _ in rows],
            [weight for *_, weight in rows],
            [*names, _AFTER_OUT, _AFTER_PART],
            SHIFTS[0],
        )
        rows = [row for row in rows if row[2] and row[1] is not Label.OUT]
        self._begins = _Regression(
            [seen for seen, *_ in rows],
            [label is Label.BEGINS for _, label, _, _ in rows],
            [weight for *_, weight in rows],
            names,
            SHIFTS[1],
        )

    def labels(self, part: Part) -> list[Label]:
        """What each sentence of a stretch is."""
        if not part.sentences:
            return []
        odds = zip(
            self._part.log_odds([(*seen, _AFTER_OUT) for seen in part.features]),
            self._part.log_odds([(*seen, _AFTER_PART) for seen in part.features]),
            self._begins.log_odds(part.features),
            strict=True,
        )
        pairs = zip(part.sentences, odds, strict=True)
        blocks = itertools.groupby(pairs, key=lambda pair: pair[0].block.start)
        return [label for _, block in blocks for label in likeliest([odds for _, odds in block])]

    def concerns(
        self, text: str, section: OpenSection, stretch: LanguageStretch
    ) -> Iterator[tuple[Concern, Block]]:
        """The concerns of a stretch: the rules', where it holds strengths."""
        part = part_of(text, section, stretch)
        roles = {sentence.block.role for sentence in part.sentences if section.sifted}
        if Role.STRENGTHS in {section.role, *roles}:
            yield from _rules(text, section, stretch)
            return
        current: tuple[Concern, Block] | None = None
        for sentence, label in zip(part.sentences, self.labels(part), strict=True):
            if label is Label.GOES_ON and current is not None:
                current = current[0]._replace(end=sentence.end), current[1]
                continue
            if current is not None:
                yield current
            begun = Concern(sentence.start, sentence.end, sentence.block.context)
            current = None if label is Label.OUT else (begun, sentence.block)
        if current is not None:
            yield current


def _log_share(odds: float) -> float:
    """Logarithm of a probability, from its log odds."""
    return -math.log1p(math.exp(-odds)) if odds > 0 else odds - math.log1p(math.exp(odds))


def likeliest(odds: Sequence[tuple[float, float, float]]) -> list[Label]:
    """The likeliest labels of the sentences of a block.

    Args:
        odds: For each sentence the log odds that it is part of a point, after one that is none
            and after one that is, and that it begins a point, where both are part of some.
    """
    best = {Label.OUT: 0.0}
    steps: list[dict[Label, Label]] = []
    for after_out, after_part, begins in odds:
        reached: dict[Label, float] = {}
        step: dict[Label, Label] = {}
        for before, score in best.items():
            inside = before is not Label.OUT
            part = after_part if inside else after_out
            ways = {Label.OUT: -part, Label.BEGINS: part, Label.GOES_ON: part}
            for label, way in ways.items():
                if label is Label.GOES_ON and not inside:
                    continue
                share = score + _log_share(way)
                if inside and label is not Label.OUT:
                    share += _log_share(begins if label is Label.BEGINS else -begins)
                if share > reached.get(label, -math.inf):
                    reached[label], step[label] = share, before
        best = reached
        steps.append(step)
    labels: list[Label] = []
    label = max(best, key=lambda label: best[label])
    for step in reversed(steps):
        labels.append(label)
        label = step[label]
    return labels[::-1]


COLUMNS = ("points", *(cut.value for cut in Cut), "no points", "pieces")


def counts(read: Labelled, decide: _Decide) -> Floats:
    """What became of all readers' points in the splitter's pieces; columns as in `COLUMNS`."""
    with patch.object(split, "_english_concerns", decide):
        points = split.split_review(read.review)
    name, fields = read.review.review_id, read.review.fields
    pieces = [Piece.of(name, fields, [point.span]) for point in points]
    total = np.zeros(len(COLUMNS))
    for reader in read.points:
        met = segmentation([Piece.of(name, fields, point.spans) for point in reader], pieces)
        cuts = Counter(met.cuts)
        of_cuts = (cuts[cut] for cut in Cut)
        total += [len(reader), *of_cuts, len(met.no_points), len(pieces)]
    return total


def _fold(paper_id: str) -> int:
    return int(hashlib.sha256(f"points-model:{paper_id}".encode()).hexdigest(), 16) % FOLDS


def cross_validated(measured: Sequence[Labelled], always: Sequence[Labelled]) -> Floats:
    """What became of the points of each review by rule and by models that never saw its paper.

    Args:
        measured: The reviews.
        always: Reviews that are always in training, unless their paper is held out.

    Returns:
        Shape (2, reviews, columns): by rule, by model.
    """
    outcome = np.zeros((2, len(measured), len(COLUMNS)))
    for fold in range(FOLDS):
        held = [at for at, read in enumerate(measured) if _fold(read.review.paper_id) == fold]
        out = {measured[at].review.paper_id for at in held}
        model = Model([r for r in (*measured, *always) if r.review.paper_id not in out])
        for at in held:
            outcome[0, at] = counts(measured[at], _rules)
            outcome[1, at] = counts(measured[at], model.concerns)
    return outcome


def compare(title: str, measured: Sequence[Labelled], outcome: Floats) -> None:
    """Print shares by rule and by model, and their differences with intervals by paper."""
    print(f"\n### {title}\n\n| source | share | by rule | by model | difference | n |")
    print("|---|---|---|---|---|---|")
    for source in ("all", *sorted({read.source for read in measured})):
        chosen = [at for at, read in enumerate(measured) if source in ("all", read.source)]
        papers = [measured[at].review.paper_id for at in chosen]
        sums = np.stack(
            [outcome[:, [at for at, name in zip(chosen, papers, strict=True) if name == paper]]
             .sum(axis=1) for paper in sorted(set(papers))], axis=1
        )  # fmt: skip
        for column, share in enumerate(COLUMNS[1:-1], start=1):
            base = COLUMNS.index("pieces" if share == "no points" else "points")
            rule, model, low, high = _difference(sums[:, :, column], sums[:, :, base])
            print(
                f"| {source} | {share} | {100 * rule:.1f} % | {100 * model:.1f} % | "
                f"{100 * (model - rule):+.1f} [{100 * low:+.1f}, {100 * high:+.1f}] | "
                f"{int(sums[0, :, base].sum())} |"
            )
            if source == "all":
                better = "higher" if share == Cut.WHOLE.value else "lower"
                told = (f"{100 * model:.1f} %", f"by rule {100 * rule:.1f} %")
                keep(f"{title}, {share}", *told, model / max(rule, 1e-9), "-", better=better)


def _difference(hits: Floats, base: Floats) -> tuple[float, float, float, float]:
    """Shares by rule and by model, and the interval of their difference: papers are drawn.

    Args:
        hits: Shape (2, papers).
        base: Shape (2, papers); of pieces it differs between the two.
    """
    rule, model = (hits.sum(axis=1) / np.maximum(base.sum(axis=1), 1)).tolist()
    papers = hits.shape[1]
    drawn = np.random.default_rng(PAPERS.seed).integers(papers, size=(PAPERS.resamples, papers))
    shares = hits[:, drawn].sum(axis=2) / np.maximum(base[:, drawn].sum(axis=2), 1)
    low, high = np.quantile(shares[1] - shares[0], (0.025, 0.975)).tolist()
    return rule, model, low, high


def main() -> None:
    """Print both comparisons."""
    argparse.ArgumentParser(
        description="A linear model of sentences beside the rules."
    ).parse_args()
    if not SHARED.is_dir():
        skip(f"no data at {SHARED}")
        return
    half, further = labelled("open"), labelled("train")
    compare("Open half, two readers", half, cross_validated(half, further))
    compare("Further reviews, one reader", further, cross_validated(further, half))


if __name__ == "__main__":
    main()
