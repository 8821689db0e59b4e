"""What a judge said of the labelled units: a run's scores as arrays beside the human ones."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from reviewscore.agreement.human_labels import ScoreColumns
from reviewscore.arguments.aggregate import is_link, misinformed_by_facts
from reviewscore.judges.lexical.forms import QuestionForm, clauses_of, main_clause
from reviewscore.runs.folder import changed_records, changed_words, read_manifest, read_points
from reviewscore.runs.manifest import Manifest
from reviewscore.runs.parts import by_presuppositions
from reviewscore.schema.annotation import Unit, UnitKind
from reviewscore.schema.argument import Premise
from reviewscore.schema.point_id import content_id, is_content, same_words
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.review import PointKind, PointType
from reviewscore.schema.span import Span
from reviewscore.schema.verdict import spread
from reviewscore.stats.statistic import Floats

NOT_IN_RUN = "not in the run"
OTHER_WORDS = "other words in the run"
OTHER_KIND = "question to one, weakness to the other"
FAILED = "failed in the run"
NO_VERDICT = "no verdict of the judge"
NO_PREMISES = "reconstruction without this premise"
_KINDS = list(PointKind)
_VALUE = frozenset({QuestionForm.QUALITY, QuestionForm.DEGREE})


@dataclass(frozen=True)
class JudgedRun:
    """The points of one run that people may have labelled.

    Attributes:
        path: The run folder.
        manifest: Its own account of itself.
        points: Its points by identifier.
    """

    path: Path
    manifest: Manifest
    points: Mapping[str, PointScore]

    @cached_property
    def spans(self) -> Mapping[tuple[str, Span], PointScore]:
        """Its points by review and span."""
        return {(point.review_id, point.span): point for point in self.points.values()}

    @cached_property
    def reviews(self) -> Mapping[str, tuple[PointScore, ...]]:
        """Its points by review."""
        points: dict[str, list[PointScore]] = {}
        for point in self.points.values():
            points.setdefault(point.review_id, []).append(point)
        return {name: tuple(group) for name, group in points.items()}

    @property
    def in_reading_order(self) -> list[PointScore]:
        """Its points as reviews have them; papers and reviews as they were begun."""
        begun: dict[str, int] = {}
        for point in self.points.values():
            for name in (f"paper {point.paper_id}", f"review {point.review_id}"):
                begun.setdefault(name, len(begun))
        return sorted(
            self.points.values(),
            key=lambda score: (
                begun[f"paper {score.paper_id}"], begun[f"review {score.review_id}"], score.ordinal,
            ),
        )  # fmt: skip

    @property
    def models(self) -> tuple[str, ...]:
        """The judge, and the further models of a panel."""
        panel = self.manifest.settings.get("panel")
        others = panel.value if panel is not None and isinstance(panel.value, list) else []
        return (self.manifest.judge, *map(str, others))

    @property
    def changed(self) -> tuple[str, ...]:
        """Files of its records that something else has changed since, and that were accepted."""
        return changed_records(self.path, self.manifest)

    @property
    def by_presuppositions(self) -> bool:
        """Whether judges said what points take for granted, so that its scores are standing."""
        return by_presuppositions(self.manifest)

    @property
    def with_response(self) -> bool:
        """Whether judges saw the authors' response."""
        setting = self.manifest.settings.get("author_response")
        return bool(setting.value) if setting is not None else False


def read_run(
    path: Path, wanted: Iterable[Unit] | None, *, accept_changed: bool = False
) -> JudgedRun:
    """The points of a run's reviews that are wanted; all if `wanted` is None.

    Args:
        path: The run folder.
        wanted: Labelled units; points of other reviews are read past and not kept.
        accept_changed: Go on with records that something else has changed.

    Raises:
        RunFolderError: The folder is no run folder, or a record in it cannot be read.
    """
    manifest = read_manifest(path, accept_changed=accept_changed)
    units = None if wanted is None else tuple(wanted)
    reviews = {unit.review_id for unit in units or ()}
    ids = {unit.point_id or unit.unit_id for unit in units or ()}
    points = {
        point.point_id: point
        for point in read_points(path)
        if units is None or point.review_id in reviews or point.point_id in ids
    }
    return JudgedRun(path, manifest, points)


def units_of(runs: Sequence[JudgedRun], labelled: Iterable[str] | None = None) -> dict[str, Unit]:
    """Units as the first run that has them knows them: all, or those that labels name."""
    wanted = None if labelled is None else set(labelled)
    units: dict[str, Unit] = {}
    for run in runs:
        for point in run.in_reading_order:
            for unit in point_units(point):
                if wanted is None or unit.unit_id in wanted or unit.point_id in wanted:
                    units.setdefault(unit.unit_id, unit)
    return units


def point_units(point: PointScore) -> list[Unit]:
    """A point and the premises of its reconstruction as units to label."""
    own = Unit(
        unit_id=point.point_id,
        kind=UnitKind.POINT,
        paper_id=point.paper_id,
        review_id=point.review_id,
        span=point.span,
        text=point.text,
    )
    of_premise = {"kind": UnitKind.PREMISE, "point_id": point.point_id, "span": None}
    premises = () if point.argument is None else point.argument.premises
    return [own] + [
        own.model_copy(
            update={
                "unit_id": f"{point.point_id}/{premise.premise_id}",
                "text": premise.text,
                **of_premise,
            }
        )
        for premise in premises
    ]


@dataclass(frozen=True)
class JudgeScores(ScoreColumns):
    """A run's scores, a row for each labelled unit.

    Attributes:
        name: The judge, with the run's folder where two runs have the same judge.
        run: Where the scores come from.
        scores: The run's record of each point; None with a reason in `missing`.
        premises: The run's premise of each labelled premise, or None.
        missing: Why there is no record, by unit identifier.
    """

    name: str
    run: JudgedRun
    scores: tuple[PointScore | None, ...]
    premises: tuple[Premise | None, ...]
    missing: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def base(self) -> Floats:
        """BASE ReviewScore."""
        return self._column(lambda score: score.base)

    @cached_property
    def advanced(self) -> Floats:
        """ADVANCED ReviewScore; of a run by presuppositions standing, as BASE is."""
        if self.run.by_presuppositions:
            return self.base
        return self._column(lambda score: score.advanced.score if score.advanced else None)

    @cached_property
    def flags(self) -> Floats:
        """Whether misinformed."""
        return self._column(lambda score: score.misinformed)

    @cached_property
    def flags_by_facts(self) -> Floats:
        """Whether misinformed if links decide nothing (`aggregate.misinformed_by_facts`)."""
        return self._column(misinformed_by_facts)

    @cached_property
    def links(self) -> Floats:
        """Shape (premises,); 1 for a premise that is a link in this run, 0 for a fact."""
        return floats(None if premise is None else is_link(premise) for premise in self.premises)

    @cached_property
    def supplied(self) -> Floats:
        """Shape (points,); whether the paper speaks to the point, of runs by presuppositions."""
        return self._column(lambda score: score.supplied)

    @cached_property
    def probability(self) -> Floats:
        """Shape (points,); that an expert would call it wrong, of runs by presuppositions."""
        return self._column(lambda score: score.probability)

    @cached_property
    def kind(self) -> Floats:
        """Shape (points,); what the point does, as its place in `PointKind`."""
        return self._column(lambda score: None if score.kind is None else _KINDS.index(score.kind))

    @cached_property
    def premise(self) -> Floats:
        """Factuality of premises."""
        verdicts = [premise.verdict if premise else None for premise in self.premises]
        return floats(verdict.factuality if verdict else None for verdict in verdicts)

    @cached_property
    def min_score(self) -> Floats:
        """Shape (points,); of arguments the lowest factuality of a premise, else the BASE score.

        Cut at 2, it is the conjunction.
        """
        return self._column(lambda score: score.min_score)

    @cached_property
    def spread(self) -> Floats:
        """Shape (points,); highest less lowest score of a panel, of premises the widest."""
        return self._column(_spread)

    @cached_property
    def laden(self) -> NDArray[np.bool_]:
        """Shape (points,); claims, by the judge's own type, that are value-laden."""
        return np.asarray(
            [
                score is not None and score.type is PointType.CLAIM and value_laden(score.text)
                for score in self.scores
            ],
            dtype=bool,
        )

    def _column(self, value: Callable[[PointScore], float | None]) -> Floats:
        return floats(None if score is None else value(score) for score in self.scores)


def align(
    name: str,
    run: JudgedRun,
    points: Sequence[Unit],
    premises: Sequence[Unit],
    types: Sequence[PointType | None],
) -> JudgeScores:
    """A run's records in the order of the labelled units.

    A point is found by its identifier if its words are those that were labelled, else by its
    place in the review, else by its words, where a review has them once. A premise must have the
    labelled words: another reconstruction of the same point has other premises. Standing is one
    scale for all types; else a point must be a question, or a weakness, to both.
    """
    if run.by_presuppositions:
        types = [None] * len(points)
    records = [_point(run, unit, kind) for unit, kind in zip(points, types, strict=True)]
    owners = {unit.unit_id: score for unit, (score, _) in zip(points, records, strict=True)}
    own = tuple(_premise(owners.get(unit.point_id or ""), unit) for unit in premises)
    missing = {unit.unit_id: why for unit, (_, why) in zip(points, records, strict=True) if why}
    for unit, premise in zip(premises, own, strict=True):
        if premise is None:
            missing[unit.unit_id] = NO_PREMISES
    return JudgeScores(name, run, tuple(score for score, _ in records), own, missing)


def types_of(runs: Sequence[JudgedRun], units: Iterable[Unit]) -> dict[str, PointType]:
    """Type of each labelled point by the first run that has it and knows one."""
    types: dict[str, PointType] = {}
    for unit in units:
        for run in runs:
            score, _ = _record(run, unit)
            if score is not None and score.type is not None:
                types.setdefault(unit.unit_id, score.type)
    return types


def _record(run: JudgedRun, unit: Unit) -> tuple[PointScore | None, str]:
    """A run's record of the words that were labelled, or why there is none."""
    score = run.points.get(unit.unit_id)
    why = NOT_IN_RUN if score is None else ""
    if score is not None and not _same(unit, score.text):
        score, why = None, OTHER_WORDS
    if score is None and unit.span is not None:
        moved = run.spans.get((unit.review_id, unit.span))
        if moved is not None and _same(unit, moved.text):
            score, why = moved, ""
    if score is None and (unit.text is not None or unit.sha256 is not None):
        group = run.reviews.get(unit.review_id, ())
        alike = [score for score in group if _same(unit, score.text)]
        # Of identifiers made of content the same words have another only if they are a repeat.
        if len(alike) == 1 and not (is_content(unit.unit_id) and is_content(alike[0].point_id)):
            score, why = alike[0], ""
    return score, why


def _point(run: JudgedRun, unit: Unit, kind: PointType | None) -> tuple[PointScore | None, str]:
    score, why = _record(run, unit)
    if score is None:
        return None, why
    if score.error and score.base is None and score.advanced is None:
        return None, FAILED
    if kind is not None and score.type is not None and kind.scale is not score.type.scale:
        return None, OTHER_KIND
    return score, ""


def _premise(owner: PointScore | None, unit: Unit) -> Premise | None:
    if owner is None or owner.argument is None:
        return None
    name = unit.unit_id.rpartition("/")[2]
    for premise in owner.argument.premises:
        if premise.premise_id == name and _same(unit, premise.text):
            return premise
    return None


def _same(unit: Unit, text: str) -> bool:
    """Whether the words are those that were labelled, as far as the set says."""
    if unit.text is not None:
        return same_words(unit.text) == same_words(text)
    if unit.sha256 is not None:
        digest = hashlib.sha256(text.encode()).hexdigest()
        # The sum minds white space; an identifier made of content does not.
        return unit.sha256 == digest or unit.unit_id.startswith(content_id(unit.review_id, text))
    return True


def _spread(score: PointScore) -> int | None:
    argument = score.deciding_argument
    premises = () if argument is None else argument.premises
    verdicts = [score.verdict, *(premise.verdict for premise in premises)]
    spreads = [spread(verdict.ratings) for verdict in verdicts if verdict is not None]
    return max((width for width in spreads if width is not None), default=None)


def floats(scores: Iterable[float | None]) -> Floats:
    """Numbers with NaN for None."""
    return np.asarray(
        [np.nan if score is None else float(score) for score in scores], dtype=np.float64
    )


def names(runs: Sequence[JudgedRun]) -> list[str]:
    """A name for each run: its judge, told apart by response and folder where needed.

    No two are alike: names are keys of what is written.
    """
    plain = [
        " + ".join(run.models) + (" with authors' response" if run.with_response else "")
        for run in runs
    ]
    often = Counter(plain)
    marks = (
        [run.path.resolve().name for run in runs],
        [str(run.path) for run in runs],
        [f"{run.path}, {number}" for number, run in enumerate(runs, start=1)],
    )
    marked = (
        [
            name if often[name] == 1 else f"{name} ({where})"
            for name, where in zip(plain, mark, strict=True)
        ]
        for mark in marks
    )
    return next(names for names in marked if len(set(names)) == len(names))


def notes_on_run(name: str, run: JudgedRun) -> list[str]:
    """What limits figures that rest on a run."""
    notes = []
    if run.by_presuppositions:
        notes.append(
            f"{name}: judged by presuppositions; its score is standing, and is held against labels "
            "of standing, never against unanswerability or factuality."
        )
    if run.changed:
        notes.append(
            f"{name}: {changed_words(run.changed)}; what is counted of it may be nobody's verdict."
        )
    if not run.manifest.complete or run.manifest.selection:
        notes.append(f"{name}: the run is not complete, or a selection.")
    return notes


def value_laden(text: str) -> bool:
    """Whether a point is about worth, novelty, writing or degree, which no passage settles."""
    clause = main_clause(clauses_of(text))
    return clause is not None and clause.form in _VALUE
