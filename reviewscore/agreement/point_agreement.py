"""Readers who cut and judged whole reviews: their agreement with each other, and with runs.

Readers mark where a point begins and ends, so that first it must be known which of their points
are the same (`segmentation`); what they say is compared on those alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import combinations, product
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np

from reviewscore.agreement.human_labels import note_on_models
from reviewscore.agreement.judge_scores import JudgedRun, floats, notes_on_run
from reviewscore.agreement.segmentation import Cut, Piece, Segmentation, matches, segmentation
from reviewscore.agreement.standing import LEVELS_NOTE, OF_LEVELS
from reviewscore.arguments.aggregate import misinformed_by_facts
from reviewscore.errors import InputError
from reviewscore.schema.annotation import AnnotatorKind, readers_in_words
from reviewscore.schema.paper import base_paper_id
from reviewscore.schema.point_id import same_words
from reviewscore.schema.point_label import PointLabel
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.presupposition import supplied_by
from reviewscore.schema.review import PointKind, PointType, Review
from reviewscore.schema.scale import FIVE_POINTS
from reviewscore.sources.point_labels import PointLabels
from reviewscore.stats.estimates import BootstrapPlan, Estimate, PendingEstimate
from reviewscore.stats.metrics import METRICS, f1, nominal_kappa, roc_area, weighted_kappa
from reviewscore.stats.resampling import FEW_PAPERS, Clusters, Resampling
from reviewscore.stats.shares import ONE_PAPER, PAPERS, plan_of_papers, share
from reviewscore.stats.statistic import Floats, Statistic
from reviewscore.stats.tables import Cell, Kind, Table, markdown
from reviewscore.stats.writing import as_json, points, sections, write_report

Drawn: TypeAlias = Literal["papers", "reviews"]
"""What intervals draw with replacement, each with all its points."""
STEM = "agreement"
_NO_FIGURE = "–"
_FEWEST = 2
"""Papers, or reviews, from which on there can be an interval."""


@dataclass(frozen=True)
class MarkedPoint:
    """A point of a review, whoever cut it.

    Attributes:
        piece: Where it stands.
        paper_id: The paper of its review.
        type: Its type; None if unknown, as all that follows.
        kind: What it does.
        score: 1..5; unanswerability of a question, else factuality.
        misinformed: Whether it is; to a reader whether the score is 1 or 2. None of runs by
            presuppositions, whose flag is `flag`.
        standing: 1..5.
        would_not_stand: Whether the standing is 1 or 2.
        flag: Of runs by presuppositions whether it is misinformed by their rule, for which the
            standing must be so.
        supplied: Whether the paper speaks to it by what it takes for granted.
        probability: That an expert would call it wrong, of runs by presuppositions.
        by_facts: Of a run, `misinformed` if the facts of an argument alone decide.
    """

    piece: Piece
    paper_id: str
    type: PointType | None = None
    kind: PointKind | None = None
    score: int | None = None
    misinformed: bool | None = None
    standing: int | None = None
    would_not_stand: bool | None = None
    supplied: bool | None = None
    probability: float | None = None
    flag: bool | None = None
    by_facts: bool | None = None


@dataclass(frozen=True)
class Marking:
    """The points that a reader, or a program, marked in reviews.

    Attributes:
        name: What tables call the reader or program.
        points: The points.
        reviews: The reviews that were read.
        annotators: The annotators that a reader is, with their kinds; empty of a program.
        not_points: Pieces that are listed as no point.
        notes: What limits figures that rest on it.
    """

    name: str
    points: tuple[MarkedPoint, ...]
    reviews: frozenset[str]
    annotators: Mapping[str, AnnotatorKind] = field(default_factory=dict)
    not_points: int = 0
    notes: tuple[str, ...] = ()

    def of_reviews(self, reviews: frozenset[str]) -> list[MarkedPoint]:
        """The points of some reviews."""
        return [point for point in self.points if point.piece.review_id in reviews]


def readers(sets: Sequence[PointLabels], reviews: Mapping[str, Review]) -> list[Marking]:
    """The readers of sets of labels.

    Annotators of one set who share no review, since they divided them, are one reader; those who
    labelled the same reviews are one each.

    Args:
        sets: The sets.
        reviews: The reviews of their points.
    """
    made: list[Marking] = []
    for labels in sets:
        groups: dict[str, list[PointLabel]] = {}
        for label in labels.labels:
            groups.setdefault(label.annotator, []).append(label)
        marked = Counter(
            review for group in groups.values() for review in {label.review_id for label in group}
        )
        if len(groups) > 1 and max(marked.values()) == 1:
            groups = {labels.name: list(labels.labels)}
        made += [_reader(name, group, reviews) for name, group in groups.items()]
    often = Counter(reader.name for reader in made)
    numbers: Counter[str] = Counter()
    for at, reader in enumerate(made):
        if often[reader.name] > 1:
            numbers[reader.name] += 1
            made[at] = replace(reader, name=f"{reader.name} ({numbers[reader.name]})")
    return made


def _reader(name: str, labels: Sequence[PointLabel], reviews: Mapping[str, Review]) -> Marking:
    return Marking(
        name,
        tuple(
            MarkedPoint(
                Piece.of(label.review_id, reviews[label.review_id].fields, label.spans),
                label.paper_id,
                label.type,
                label.kind,
                label.score,
                label.misinformed,
                label.standing,
                label.would_not_stand,
                supplied_by(label.presuppositions),
            )
            for label in labels
            if label.is_point
        ),
        frozenset(label.review_id for label in labels),
        {label.annotator: label.annotator_kind for label in labels},
        sum(not label.is_point for label in labels),
    )


def marking_of_run(
    name: str,
    run: JudgedRun,
    reviews: Mapping[str, Review],
    audited: frozenset[str] | None = None,
) -> Marking:
    """The points of a run in those reviews that are at hand.

    Args:
        name: What tables call it.
        run: The run.
        reviews: The reviews.
        audited: Reviews that its data hold: those that a whole run read, points or none.

    Raises:
        InputError: A review has other words than those that the run was made of.
    """
    made = []
    for point in run.points.values():
        review = reviews.get(point.review_id)
        if review is None:
            continue
        span = point.span
        words = review.fields.get(span.field, "")[span.start : span.end]
        if same_words(words) != same_words(point.text):
            raise InputError(
                f"review '{review.review_id}' is not what {run.path} was made of: point "
                f"'{point.point_id}' has other words there",
                cure="name the data of the run with --data",
            )
        made.append(_judged(point, Piece.of(review.review_id, review.fields, [span])))
    cut = frozenset(run.reviews)
    if audited is not None and run.manifest.complete and not run.manifest.selection:
        cut |= audited
    marking = program(name, made, cut & frozenset(reviews))
    return replace(marking, notes=tuple(notes_on_run(name, run)))


def _judged(point: PointScore, piece: Piece) -> MarkedPoint:
    """A run's point; scores of runs by presuppositions are standing and nothing else."""
    same = MarkedPoint(piece, point.paper_id, point.type, point.kind)
    if point.protocol is None:
        return replace(
            same,
            score=point.base,
            misinformed=point.misinformed,
            by_facts=misinformed_by_facts(point),
        )
    return replace(
        same,
        standing=point.standing,
        would_not_stand=(
            None if point.standing is None else FIVE_POINTS.misinformed(point.standing)
        ),
        supplied=point.supplied,
        probability=point.probability,
        flag=point.misinformed,
    )


def program(name: str, points: Iterable[MarkedPoint], reviews: frozenset[str]) -> Marking:
    """A program and the pieces that it takes for points; of kind ``none`` they are not judged."""
    made = list(points)
    kept = tuple(point for point in made if point.kind is not PointKind.NONE)
    return Marking(name, kept, reviews, not_points=len(made) - len(kept))


@dataclass(frozen=True)
class AlignedPoints:
    """Points that two marked in the same reviews, and which of them are the same.

    Attributes:
        reviews: The reviews that both read.
        first: Points of the first.
        second: Points of the second.
        pairs: Indices of the points that are the same.
        segmentation: Of a reader and a program, what became of the reader's points.
    """

    reviews: frozenset[str]
    first: Sequence[MarkedPoint]
    second: Sequence[MarkedPoint]
    pairs: Sequence[tuple[int, int]]
    segmentation: Segmentation | None = None

    @classmethod
    def of_readers(cls, first: Marking, second: Marking) -> AlignedPoints:
        """Two readers, their points matched one to one."""
        reviews = first.reviews & second.reviews
        sides = first.of_reviews(reviews), second.of_reviews(reviews)
        same = matches(*([point.piece for point in side] for side in sides))
        return cls(reviews, *sides, same)

    @classmethod
    def of_program(cls, reader: Marking, program: Marking) -> AlignedPoints:
        """A reader's points and a program's pieces, the same where a piece holds a point whole."""
        reviews = reader.reviews & program.reviews
        sides = reader.of_reviews(reviews), program.of_reviews(reviews)
        cuts = segmentation(*([point.piece for point in side] for side in sides))
        same = [(at, held) for at, held in enumerate(cuts.pieces) if held is not None]
        return cls(reviews, *sides, same, cuts)


def _without_interval(statistic: Statistic, made: Estimate, level: float) -> Estimate:
    """The estimate of points of one paper: nothing varies from paper to paper."""
    return made.model_copy(update={"low": None, "high": None, "reason": ONE_PAPER})


class _AgreementPlans:
    """Where estimates of one comparison are asked for: shares of points, and coefficients.

    Args:
        aligned: The two sides.
        how: How intervals are made.
        drawn: What they draw.
    """

    def __init__(self, aligned: AlignedPoints, how: Resampling, drawn: Drawn) -> None:
        self.aligned, self._drawn = aligned, drawn
        both = [*aligned.first, *aligned.second]
        self._place = {name: at for at, name in enumerate(sorted({*map(self._unit, both)}))}
        self._shares = plan_of_papers(len(self._place), how)
        same = [self._unit(aligned.first[left]) for left, _ in aligned.pairs]
        self._same = BootstrapPlan(Clusters.by(same), replace(how, scheme="papers"))

    def _unit(self, point: MarkedPoint) -> str:
        paper = base_paper_id(point.paper_id)
        return paper if self._drawn == "papers" else point.piece.review_id

    def share(
        self, name: str, of: Sequence[MarkedPoint], hits: Iterable[bool | None]
    ) -> PendingEstimate | str:
        """The share of points that are hits, of those of which it is known."""
        base, over = np.zeros(len(self._place)), np.zeros(len(self._place))
        for point, hit in zip(of, hits, strict=True):
            if hit is not None:
                base[self._place[self._unit(point)]] += 1
                over[self._place[self._unit(point)]] += hit
        return self._shares.ask(share(name, over, base)) if base.any() else _NO_FIGURE

    def same(self, of: Statistic) -> PendingEstimate | str:
        """A coefficient over the points that both have."""
        if not of.n:
            return _NO_FIGURE
        few = len(np.unique(self._same.clusters.of[of.counts])) < _FEWEST
        return self._same.ask(replace(of, settle=_without_interval) if few else of)

    def sides(
        self, attribute: str, codes: type[StrEnum] | None = None, *, other: str | None = None
    ) -> tuple[Floats, Floats]:
        """What both say of the same points, NaN unknown; words as their places in `codes`.

        Args:
            attribute: What the first says, and the second too unless `other` is named.
            codes: The words, where it is one.
            other: What the second says.
        """
        place = {} if codes is None else {code: float(at) for at, code in enumerate(codes)}

        def column(points: Iterable[MarkedPoint], name: str) -> Floats:
            values = (getattr(point, name) for point in points)
            return floats(value if codes is None else place.get(value) for value in values)

        first, second, pairs = self.aligned.first, self.aligned.second, self.aligned.pairs
        return (
            column((first[at] for at, _ in pairs), attribute),
            column((second[at] for _, at in pairs), other or attribute),
        )

    def judgements(self) -> list[Cell]:
        """Agreement on what was said of the same points."""
        kinds = (("type", PointType), ("kind", PointKind))
        nominal = [nominal_kappa(*self.sides(name, codes), len(codes)) for name, codes in kinds]
        flags = self.sides("misinformed")
        five_points = [self.sides("score"), self.sides("standing")]
        return [
            *map(self.same, nominal),
            self.same(nominal_kappa(*flags, 2)),
            self.same(f1(*flags)),
            *(self.same(weighted_kappa(*sides)) for sides in five_points),
            *(self.same(METRICS["ac2"](*sides)) for sides in five_points),
            *(self.same(nominal_kappa(*self.sides(name), 2)) for name in _OTHER_FLAGS),
        ]

    def by_facts(self) -> list[Cell]:
        """Agreement of a run with a reader where the facts of its arguments alone decide."""
        flags = self.sides("misinformed")[0], self.sides("by_facts")[1]
        return [self.same(nominal_kappa(*flags, 2)), self.same(f1(*flags))]

    def level(self, labels: str, flag: str) -> list[Cell]:
        """Agreement of one level of a run by presuppositions with one level of the labels."""
        sides, ranked = (self.sides(labels, other=name) for name in (flag, "probability"))
        flags = (self.same(METRICS[name](*sides)) for name in OF_LEVELS)
        return [*flags, self.same(roc_area(*ranked))]

    def run(self) -> None:
        """Compute all that was asked for."""
        self._shares.run()
        self._same.run()


_PLAIN: tuple[Kind, ...] = ("coefficient",)
_SHARE: tuple[Kind, ...] = ("share",)
_JUDGED = (
    "type kappa", "kind kappa", "misinformed kappa", "positive agreement",
    "score weighted kappa", "standing weighted kappa", "score AC2", "standing AC2",
    "standing 1 or 2 kappa", "supplied kappa",
)  # fmt: skip
_OTHER_FLAGS = ("would_not_stand", "supplied")
_LABEL_LEVELS = {
    "misinformed": "score 1 or 2",
    "supplied": "presuppositions supplied",
    "would_not_stand": "standing 1 or 2",
}
_RUN_LEVELS = {"supplied": "supplied", "flag": "misinformed"}
_JUDGED_NOTE = (
    "Kappa is Cohen's, that of score and standing (1 to 5) with quadratic weights. Misinformed is "
    "a score of 1 or 2; positive agreement is twice the points that both call so over the sum of "
    "those that each does. Supplied: a passage contradicts a central presupposition, to readers "
    "wherever it stands, to a run only where reviewers could see it. A run by presuppositions "
    "scores standing, and nothing of it is held against a score; what it flags is among the "
    "levels. A dash: one side says nothing of it."
)
_BY_FACTS = ("misinformed kappa, facts alone", "positive agreement, facts alone")
_BY_FACTS_NOTE = (
    "Facts alone: as if an argument were misinformed only by a premise that is no mere link, that "
    "is an implicit conditional, of its reasons to its conclusion. As published, and in all other "
    "columns, links count too."
)
_WHOLE_NOTE = (
    "Of a reader's points, by letters and digits: missed, less than a fifth stands in any piece; "
    "merged, a piece holds at least half of it and most of another point; whole, one piece holds "
    "at least three quarters; clipped, one piece, less; cut, several pieces. No points: pieces "
    "that hold no point by half of their letters or a quarter of its."
)


def between_readers(
    markings: Sequence[Marking], how: Resampling = PAPERS, drawn: Drawn = "papers"
) -> Table:
    """Agreement of readers with each other, a row for each two who read the same reviews."""
    rows: list[tuple[Cell, ...]] = []
    for first, second in combinations(markings, 2):
        aligned = AlignedPoints.of_readers(first, second)
        if not aligned.reviews:
            continue
        plans = _AgreementPlans(aligned, how, drawn)
        columns = [{*column} for column in zip(*aligned.pairs, strict=True)] or [set(), set()]
        matched = [
            plans.share("matched", side, (at in column for at in range(len(side))))
            for side, column in zip((aligned.first, aligned.second), columns, strict=True)
        ]
        rows.append(
            (
                *(first.name, second.name, len(aligned.reviews)),
                *(len(aligned.first), len(aligned.second), len(aligned.pairs)),
                *matched,
                *plans.judgements(),
            )
        )
        plans.run()
    return Table(
        "agreement-of-readers",
        f"Agreement of readers with each other, with {how.percent} intervals by {drawn[:-1]}",
        ("reader", "other", "reviews", "points", "points of the other", "matched",
         "share matched", "share of the other's", *_JUDGED),
        tuple(rows),
        keys=2,
        kind=(*_PLAIN * 6, *_SHARE * 2, *_PLAIN * len(_JUDGED)),
        notes=(
            "Points match one to one where their letters and digits overlap by half or more "
            "(Jaccard), in reviews that both marked; what was said is compared on these.",
            _JUDGED_NOTE,
        ),
    )  # fmt: skip


def against_programs(
    markings: Sequence[Marking],
    programs: Sequence[Marking],
    how: Resampling = PAPERS,
    drawn: Drawn = "papers",
) -> tuple[Table, Table]:
    """What became of readers' points in programs' pieces, and agreement on those held whole."""
    cuts: list[tuple[Cell, ...]] = []
    judged: list[tuple[Cell, ...]] = []
    for reader in markings:
        for program in programs:
            aligned = AlignedPoints.of_program(reader, program)
            if not aligned.reviews:
                continue
            cut, said = _program_rows(aligned, how, drawn)
            cuts.append((reader.name, program.name, *cut))
            judged.append((reader.name, program.name, *said))
    ends = f"with {how.percent} intervals by {drawn[:-1]}"
    return (
        Table(
            "points-in-pieces",
            f"What became of readers' points in the pieces of a run, {ends}",
            ("reader", "run", "reviews", "points", *Cut, "pieces", "no points"),
            tuple(cuts),
            keys=2,
            kind=(*_PLAIN * 4, *_SHARE * len(Cut), *_PLAIN, *_SHARE),
            notes=(_WHOLE_NOTE,),
        ),
        Table(
            "agreement-on-points",
            f"Agreement of runs with readers on points that a piece holds whole, {ends}",
            ("reader", "run", "points", *_JUDGED, *_BY_FACTS),
            tuple(judged),
            keys=2,
            notes=(_JUDGED_NOTE, _BY_FACTS_NOTE),
        ),
    )


def levels_on_points(
    markings: Sequence[Marking],
    programs: Sequence[Marking],
    how: Resampling = PAPERS,
    drawn: Drawn = "papers",
) -> Table:
    """The two levels of runs by presuppositions against readers', on points held whole."""
    rows: list[tuple[Cell, ...]] = []
    for reader, run in product(markings, programs):
        aligned = AlignedPoints.of_program(reader, run)
        if not any(point.probability is not None for point in run.points) or not aligned.pairs:
            continue
        plans = _AgreementPlans(aligned, how, drawn)
        for labels, words in _LABEL_LEVELS.items():
            if np.isnan(plans.sides(labels)[0]).all():
                continue
            for flag, name in _RUN_LEVELS.items():
                rows.append((reader.name, run.name, words, name, *plans.level(labels, flag)))
        plans.run()
    return Table(
        "levels-on-points",
        "The two levels of runs by presuppositions against readers on points that a piece holds "
        f"whole, with {how.percent} intervals by {drawn[:-1]}",
        ("reader", "run", "labels", "level", *(METRICS[name].title for name in OF_LEVELS), "area"),
        tuple(rows),
        keys=4,
        notes=(LEVELS_NOTE,),
    )


def _program_rows(
    aligned: AlignedPoints, how: Resampling, drawn: Drawn
) -> tuple[list[Cell], list[Cell]]:
    assert aligned.segmentation is not None
    plans = _AgreementPlans(aligned, how, drawn)
    none = {*aligned.segmentation.no_points}
    cut: list[Cell] = [len(aligned.reviews), len(aligned.first)]
    for kind in Cut:
        hits = (kind is became for became in aligned.segmentation.cuts)
        cut.append(plans.share(kind.value, aligned.first, hits))
    pieces = len(aligned.second)
    lost = plans.share("no points", aligned.second, (at in none for at in range(pieces)))
    judged: list[Cell] = [len(aligned.pairs), *plans.judgements(), *plans.by_facts()]
    plans.run()
    return [*cut, pieces, lost], judged


def reader_table(
    markings: Sequence[Marking], how: Resampling = PAPERS, drawn: Drawn = "papers"
) -> Table:
    """What each reader marked, and how many points are misinformed to it."""
    rows: list[tuple[Cell, ...]] = []
    for reader in markings:
        alone = AlignedPoints(reader.reviews, reader.points, (), ())
        plans = _AgreementPlans(alone, how, drawn)
        flags = (point.misinformed for point in reader.points)
        low = (point.would_not_stand for point in reader.points)
        types = Counter(point.type for point in reader.points)
        rows.append(
            (
                *(reader.name, _kinds_in_words(reader), len(reader.reviews), len(reader.points)),
                *(types[kind] for kind in PointType),
                plans.share("misinformed", reader.points, flags),
                plans.share("standing 1 or 2", reader.points, low),
            )
        )
        plans.run()
    return Table(
        "readers",
        f"What each reader marked, with {how.percent} intervals by {drawn[:-1]}",
        ("reader", "who", "reviews", "points", *(f"{kind.value}s" for kind in PointType),
         "misinformed", "standing 1 or 2"),
        tuple(rows),
        kind=(*_PLAIN * 7, *_SHARE * 2),
    )  # fmt: skip


def _kinds_in_words(reader: Marking) -> str:
    kinds = Counter(reader.annotators.values())
    return readers_in_words(kinds[AnnotatorKind.HUMAN], kinds[AnnotatorKind.MODEL])


@dataclass(frozen=True)
class PointStudy:
    """What came out.

    Attributes:
        readers: Who cut and judged.
        programs: The runs.
        tables: All tables, in the order of the report.
        notes: What must be said beside them.
    """

    readers: tuple[Marking, ...]
    programs: tuple[Marking, ...]
    tables: tuple[Table, ...]
    notes: tuple[str, ...]

    @property
    def kinds(self) -> dict[str, str]:
        """The annotators and what they are, ``human`` or ``model``."""
        return {
            name: kind.value
            for reader in self.readers
            for name, kind in sorted(reader.annotators.items())
        }


def point_study(
    sets: Sequence[PointLabels],
    programs: Sequence[Marking],
    reviews: Mapping[str, Review],
    how: Resampling,
    drawn: Drawn = "papers",
) -> PointStudy:
    """Measure readers of whole reviews with each other and with runs.

    Args:
        sets: Their labels.
        programs: Runs, as `marking_of_run` makes them.
        reviews: The reviews of their points.
        how: How intervals are made; whole papers or reviews are drawn whatever its scheme.
        drawn: Which of the two.

    Raises:
        InputError: Nothing can be compared.
    """
    markings = readers(sets, reviews)
    between = between_readers(markings, how, drawn)
    tables = [reader_table(markings, how, drawn), *([between] if between.rows else [])]
    if programs:
        in_pieces = against_programs(markings, programs, how, drawn)
        made = (*in_pieces, levels_on_points(markings, programs, how, drawn))
        tables += [table for table in made if table.rows]
    if len(tables) == 1:
        raise InputError(
            "there is nothing to compare: no review was marked by two readers"
            f"{' or is in a run' if programs else ''}",
            cure="name the labels of another reader of the same reviews, or a run of them",
        )
    notes = _notes(sets, markings, how, drawn)
    notes += [note for program in programs for note in program.notes]
    return PointStudy(tuple(markings), tuple(programs), tuple(tables), tuple(notes))


def _notes(
    sets: Sequence[PointLabels], markings: Sequence[Marking], how: Resampling, drawn: Drawn
) -> list[str]:
    """How the tables came about, and what limits them."""
    names = {name for reader in markings for name in reader.annotators.items()}
    models = sorted(name for name, kind in names if kind is AnnotatorKind.MODEL)
    marked = {point.paper_id for reader in markings for point in reader.points}
    number = len(marked) if drawn == "papers" else len(set().union(*(r.reviews for r in markings)))
    notes = [
        *(
            f"{reader.name}: {_kinds_in_words(reader)} ({', '.join(sorted(reader.annotators))})."
            for reader in markings
        ),
        f"In brackets: {how.percent} {'BCa' if how.method == 'bca' else 'percentile'} intervals of "
        f"{how.resamples:,} bootstrap samples of whole {drawn}; seed {how.seed}.",
        *([note_on_models(models)] if models else []),
    ]
    if not_points := sum(reader.not_points for reader in markings):
        notes.append(f"Listed by readers as no point, and in no figure: {not_points:,}.")
    for labels in sets:
        notes += labels.notes
        if labels.elsewhere:
            notes.append(
                f"{labels.name}: {len(labels.elsewhere):,} points of reviews that are not at hand "
                "are left out."
            )
    if number < FEW_PAPERS:
        few = drawn[:-1] if number == 1 else drawn
        notes.append(f"Only {number:,} {few}: the intervals say little of others.")
    return notes


def page(study: PointStudy) -> str:
    """All tables and notes as one Markdown page."""
    return sections("Agreement on points", points(study.notes), *map(markdown, study.tables))


def numbers(study: PointStudy) -> str:
    """All estimates and notes as JSON."""
    made = {
        "annotators": study.kinds,
        "runs": [program.name for program in study.programs],
        "notes": study.notes,
    }
    return as_json("reviewscore.point_agreement/1", made, study.tables)


def write_point_study(study: PointStudy, out: Path, *, allow_foreign: bool = False) -> list[Path]:
    """Write everything into a folder.

    Returns:
        The files written, the page to read first.

    Raises:
        RunFolderError: The folder holds other things, or cannot be written.
    """
    return write_report(
        study.tables,
        out,
        verb="agree",
        stem=STEM,
        numbers=numbers(study),
        page=lambda _: page(study),
        allow_foreign=allow_foreign,
    )
