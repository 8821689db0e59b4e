"""Targets and aspects that people gave to points, and how far an annotator agrees with them.

A set is a folder with ``units.jsonl`` and ``labels.jsonl``, or with a filled sheet for each
annotator (``A1.csv``), or one such sheet. Units are known by the SHA-256 of their words, so that
words that are not ours to pass on need not be in the set, and points may be numbered otherwise.

Agreement is kappa without weights (Cohen 1960, Educ. Psychol. Meas. 20, 37-46): facets have no
order, as in Shin et al. 2025 (arXiv 2502.17086, Table 2), and confusion matrices (app. A.2.4).
"""

from __future__ import annotations

import csv
import hashlib
import io
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Annotated, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from reviewscore.errors import InputError
from reviewscore.focus.facets import UNKNOWN, FacetKind, FacetPoint, FacetSet, Polarity
from reviewscore.focus.points import form_of, points_of
from reviewscore.papers.load import Identifier, input_error
from reviewscore.schema.point_id import review_of
from reviewscore.sources.annotations import is_pseudonym
from reviewscore.sources.records import read_csv, read_records
from reviewscore.sources.system_reviews import Materials, TextForm
from reviewscore.stats.estimates import BootstrapPlan, mean
from reviewscore.stats.metrics import f1, nominal_kappa, precision, recall
from reviewscore.stats.resampling import Clusters, Resampling
from reviewscore.stats.statistic import Floats, Ints, MissingReason, Statistic, Values
from reviewscore.stats.tables import Cell, Table, guarded

LABELS, UNITS, SHEETS = "labels.jsonl", "units.jsonl", "*.csv"
_HEAD = ("unit_id", "polarity", "text", "target", "aspect", "sha256")


def _pseudonym(name: str) -> str:
    if not is_pseudonym(name):
        raise ValueError(f"'{name}' is no pseudonym with a number in it, such as A1")
    return name


class LabelledText(BaseModel):
    """A point that people labelled; unknown fields are ignored.

    Attributes:
        unit_id: Unique in the set.
        polarity: Strength or weakness.
        sha256: Of its words in UTF-8.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    unit_id: Identifier
    polarity: Polarity
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]

    @property
    def words(self) -> tuple[str, Polarity]:
        """What a point must have to be this unit."""
        return self.sha256, self.polarity


class HumanLabel(BaseModel):
    """One label by one annotator; unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    unit_id: Identifier
    annotator: Annotated[str, AfterValidator(_pseudonym)]
    field: FacetKind
    value: str


_Read = TypeVar("_Read", LabelledText, HumanLabel)


@dataclass
class HumanFacets:
    """A set of labels.

    Attributes:
        units: By identifier, in order.
        labels: By annotator, kind and unit: a facet, or `UNKNOWN`.
        files: The files read.
    """

    units: dict[str, LabelledText] = field(default_factory=dict)
    labels: dict[str, dict[FacetKind, dict[str, str]]] = field(default_factory=dict)
    files: list[Path] = field(default_factory=list)

    @property
    def annotators(self) -> list[str]:
        """Their pseudonyms, sorted."""
        return sorted(self.labels)


def read_human_labels(path: Path, facets: FacetSet) -> HumanFacets:
    """Read a set of labels.

    Args:
        path: A folder of one of the two forms, or a sheet.
        facets: What labels may be; upper and lower case are the same.

    Raises:
        InputError: A file is missing, or a line cannot be used.
    """
    human_facets = HumanFacets()
    if path.is_dir() and (path / LABELS).is_file():
        for line, unit in _lines(path / UNITS, LabelledText):
            _add_unit(human_facets, unit, path / UNITS, line)
        for line, label in _lines(path / LABELS, HumanLabel):
            _add_label(human_facets, label, facets, path / LABELS, line)
        human_facets.files += [path / UNITS, path / LABELS]
    else:
        for sheet in sorted(path.glob(SHEETS)) if path.is_dir() else [path]:
            _read_sheet(human_facets, sheet, facets)
            human_facets.files.append(sheet)
    if not human_facets.labels:
        raise InputError(
            "holds no labels",
            file=path,
            cure=f"give a folder with {UNITS} and {LABELS}, or a sheet of `focus sample` filled in",
        )
    return human_facets


def _lines(file: Path, kind: type[_Read]) -> Iterator[tuple[int, _Read]]:
    for row, record in read_records(file, kind):
        if isinstance(record, InputError):
            raise record
        yield row.line, record


def _read_sheet(human_facets: HumanFacets, sheet: Path, facets: FacetSet) -> None:
    if not is_pseudonym(sheet.stem):
        raise InputError(
            f"'{sheet.stem}' is no pseudonym of an annotator",
            file=sheet,
            cure="name the sheet after who filled it in, such as A1.csv",
        )
    for line, cells in read_csv(sheet):
        if not any(cells.values()):
            continue
        try:
            unit = LabelledText.model_validate(cells)
        except ValidationError as error:
            raise input_error(error, file=sheet, line=line) from error
        _add_unit(human_facets, unit, sheet, line, again=True)
        for kind in FacetKind:
            if value := cells.get(kind.value):
                label = HumanLabel(
                    unit_id=unit.unit_id, annotator=sheet.stem, field=kind, value=value
                )
                _add_label(human_facets, label, facets, sheet, line)


def _add_unit(
    facets: HumanFacets, unit: LabelledText, file: Path, line: int, *, again: bool = False
) -> None:
    old = facets.units.setdefault(unit.unit_id, unit)
    if old is not unit and not (again and old == unit):
        raise InputError(
            f"'{unit.unit_id}' is there twice",
            file=file,
            line=line,
            field="unit_id",
            cure="give each unit once, and other words another name",
        )


def _add_label(
    human_facets: HumanFacets, label: HumanLabel, facets: FacetSet, file: Path, line: int
) -> None:
    known = {name.casefold(): name for name in (*facets.names(label.field), UNKNOWN)}
    value = known.get(label.value.strip().casefold())
    if value is None:
        raise InputError(
            f"'{label.value}' is no {label.field} of the facets '{facets.name}'",
            file=file,
            line=line,
            field=label.field,
            cure=f"use one of {', '.join(facets.names(label.field))}; --facets for another set",
        )
    if label.unit_id not in human_facets.units:
        raise InputError(
            f"'{label.unit_id}' is no unit of this set",
            file=file,
            line=line,
            field="unit_id",
            cure=f"list it in {UNITS}, or take the label out",
        )
    given = human_facets.labels.setdefault(label.annotator, {kind: {} for kind in FacetKind})[
        label.field
    ]
    if label.unit_id in given:
        raise InputError(
            f"'{label.unit_id}' has a {label.field} by '{label.annotator}' already",
            file=file,
            line=line,
            field="unit_id",
            cure="keep one label for each unit, annotator and field",
        )
    given[label.unit_id] = value


def words_sum(point: FacetPoint) -> str:
    """SHA-256 of a point's words in UTF-8."""
    return hashlib.sha256(point.text.encode()).hexdigest()


def find_points(
    units: Mapping[str, LabelledText], data: Sequence[Materials]
) -> dict[str, FacetPoint]:
    """The points of some reviews that are units of a set, by the unit's identifier.

    Of several points with the same words the one with the unit's identifier, or of the review that
    it names, is taken, else the first. Judgments are looked at before reviews as written if all
    reviews have them; the other form only if units are still missing.

    Args:
        units: What is looked for.
        data: Where.
    """
    wanted: dict[tuple[str, Polarity], set[str]] = {}
    for name, unit in units.items():
        wanted.setdefault(unit.words, set()).add(name)
    points: dict[tuple[str, Polarity], FacetPoint] = {}
    exact: dict[str, FacetPoint] = {}
    for turn in (0, 1):
        for materials in data:
            first = form_of(materials)
            form = next(form for form in TextForm if (form is first) == (turn == 0))
            for point in (p for review in materials.all() for p in points_of(review, form)):
                key = words_sum(point), point.polarity
                if key in wanted:
                    points.setdefault(key, point)
                    for name in wanted[key]:
                        # The same words in one review are one point, wherever they stand.
                        if name == point.point_id or review_of(name) == point.review_id:
                            exact.setdefault(name, point)
        if len(points) == len(wanted):
            break
    return {
        name: replace(exact.get(name) or points[unit.words], point_id=name)
        for name, unit in units.items()
        if unit.words in points
    }


def draw_points(points: Sequence[FacetPoint], number: int, seed: int) -> list[FacetPoint]:
    """Points to be labelled: half of them strengths, as far as there are, in random order.

    Points with the same words are one. The same seed draws the same ones.
    """
    generator = random.Random(seed)
    distinct = {(point.text, point.polarity): point for point in reversed(points)}
    sides = [
        [point for point in distinct.values() if point.polarity is which] for which in Polarity
    ]
    half = max(number // 2, number - len(sides[1]))
    some = generator.sample(sides[0], min(half, len(sides[0])))
    some += generator.sample(sides[1], min(number - len(some), len(sides[1])))
    generator.shuffle(some)
    return some


def empty_sheet(points: Sequence[FacetPoint]) -> str:
    """A sheet as CSV for one annotator to fill in.

    Units are numbered, so that nothing tells whose review a point is of.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_HEAD)
    for number, point in enumerate(points, 1):
        words = guarded(point.text)
        writer.writerow([number, point.polarity.value, words, "", "", words_sum(point)])
    return out.getvalue()


AGREEMENT, CONFUSION = "focus-agreement", "focus-confusion"

_PAPER = "arXiv 2502.17086"
_SUBSETS = ((None, "all"), (Polarity.STRENGTH, "strengths"), (Polarity.WEAKNESS, "weaknesses"))


@dataclass(frozen=True)
class FacetRatings:
    """Labels of points by several raters.

    Attributes:
        facets: What labels are.
        points: The points.
        humans: Names of those who are people.
        annotator: Name of the one that is measured.
        labels: By rater and kind, shape (points,); place among the facets, NaN where there is no
            label or an unknown one.
    """

    facets: FacetSet
    points: Sequence[FacetPoint]
    humans: tuple[str, ...]
    annotator: str
    labels: Mapping[str, Mapping[FacetKind, Floats]]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Each human with the annotator, then humans with each other."""
        beside = [(human, self.annotator) for human in self.humans]
        return beside + list(combinations(self.humans, 2))

    def of(self, polarity: Polarity | None) -> NDArray[np.bool_]:
        """Shape (points,); whether the point is of a polarity."""
        return np.array(
            [polarity in (None, point.polarity) for point in self.points], dtype=np.bool_
        )


def coded_labels(names: Sequence[str | None], facets: FacetSet, kind: FacetKind) -> Floats:
    """Labels as places among the facets; NaN for None and `UNKNOWN`.

    Raises:
        KeyError: A name is neither.
    """
    place: dict[str | None, float] = {name: float(at) for at, name in enumerate(facets.names(kind))}
    return np.array([{**place, None: np.nan, UNKNOWN: np.nan}[name] for name in names])


def same(first: Floats, second: Floats) -> Statistic:
    """Share of the units to which both gave the same label; args as `nominal_kappa`."""
    both = ~np.isnan(first) & ~np.isnan(second)
    return mean("agreement", np.where(both, (first == second).astype(np.float64), np.nan))


def facet_scores(human: Floats, annotator: Floats, place: int) -> tuple[Statistic, ...]:
    """Precision, recall and F1 of one facet, what the human says being true.

    Args:
        human: Shape (units,); places of facets, NaN missing.
        annotator: Likewise.
        place: The facet.
    """
    sides = [
        np.where(np.isnan(values), np.nan, (values == place).astype(np.float64))
        for values in (human, annotator)
    ]
    return tuple(_of_facets(score(*sides)) for score in (precision, recall, f1))


_WHY = {
    MissingReason.NONE_PREDICTED: MissingReason.NOT_GIVEN,
    MissingReason.NONE_POSITIVE: MissingReason.NOT_MEANT,
    MissingReason.NO_POSITIVES: MissingReason.NEITHER_GIVES,
}


def _of_facets(statistic: Statistic) -> Statistic:
    """The same with reasons that speak of facets."""

    def from_sums(sums: Floats) -> Values:
        values = statistic.from_sums(sums)
        code = values.reason.copy()
        for old, new in _WHY.items():
            code[values.reason == old] = new
        return Values(values.value, code)

    return replace(statistic, from_sums=from_sums)


def confusion(first: Floats, second: Floats, categories: int) -> Ints:
    """Shape (categories, categories); points by the first's label (row) and the second's."""
    both = ~np.isnan(first) & ~np.isnan(second)
    cell = first[both].astype(np.int64) * categories + second[both].astype(np.int64)
    counts = np.bincount(cell, minlength=categories**2).astype(np.int64)
    return counts.reshape(categories, categories)


def agreement_tables(ratings: FacetRatings, how: Resampling) -> list[Table]:
    """All tables: kappa and agreement, facet by facet, confusion matrices.

    Args:
        ratings: The labels.
        how: How intervals are made.
    """
    plan = BootstrapPlan(Clusters.by([point.paper_id for point in ratings.points]), how)
    tables = [_kappas(ratings, plan)]
    tables += [_by_facet(ratings, plan, kind) for kind in FacetKind]
    tables += [_confusion(ratings, kind, *pair) for kind in FacetKind for pair in ratings.pairs]
    plan.run()
    return tables


def _kappas(ratings: FacetRatings, plan: BootstrapPlan) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for kind in FacetKind:
        q = len(ratings.facets.of(kind))
        for pair in ratings.pairs:
            for polarity, word in _SUBSETS:
                mine = ratings.of(polarity)
                first, second = (
                    np.where(mine, ratings.labels[text][kind], np.nan) for text in pair
                )
                dropped = {
                    f"points without a label by {name}": int((mine & np.isnan(side)).sum())
                    for name, side in zip(pair, (first, second), strict=True)
                }
                kappa = plan.ask(nominal_kappa(first, second, q), dropped)
                agreed = plan.ask(same(first, second))
                rows.append((kind, *pair, word, kappa.statistic.n, kappa, agreed))
    return Table(
        AGREEMENT,
        f"Agreement on facets, with {plan.resampling.percent} intervals ({_PAPER}, Table 2)",
        ("label", "human", "other", "points", "n", "kappa", "agreement"),
        tuple(rows),
        keys=4,
        notes=(
            "Kappa is Cohen's, without weights: 1 is full agreement, 0 what chance would give. "
            "Agreement is the share of points with the same label. Points that one of the two did "
            "not label, or whose label is unknown, do not count.",
        ),
    )


def _by_facet(ratings: FacetRatings, plan: BootstrapPlan, kind: FacetKind) -> Table:
    rows: list[tuple[Cell, ...]] = []
    theirs = ratings.labels[ratings.annotator][kind]
    for human in ratings.humans:
        mine = ratings.labels[human][kind]
        both = ~np.isnan(mine) & ~np.isnan(theirs)
        for place, facet in enumerate(ratings.facets.names(kind)):
            counts = (int((side[both] == place).sum()) for side in (mine, theirs))
            slots = (plan.ask(facet_score) for facet_score in facet_scores(mine, theirs, place))
            rows.append((human, facet, *counts, *slots))
    return Table(
        f"focus-agreement-{kind}",
        f"{ratings.annotator} on each {kind}, what people say being true, with "
        f"{plan.resampling.percent} intervals",
        ("human", kind, "by the human", "by the annotator", "precision", "recall", "F1"),
        tuple(rows),
        keys=2,
    )


def confusion_name(kind: FacetKind, human: str, other: str) -> str:
    """Name of a confusion matrix's table and plot."""
    return f"{CONFUSION}-{kind}-{human}-{other}"


def _confusion(ratings: FacetRatings, kind: FacetKind, human: str, other: str) -> Table:
    names = ratings.facets.names(kind)
    counts = confusion(ratings.labels[human][kind], ratings.labels[other][kind], len(names))
    rows: list[tuple[Cell, ...]] = [
        (name, *map(int, line), int(line.sum())) for name, line in zip(names, counts, strict=True)
    ]
    rows.append(("all", *map(int, counts.sum(axis=0)), int(counts.sum())))
    return Table(
        confusion_name(kind, human, other),
        f"{kind.title()}s of points: {human} in rows, {other} in columns ({_PAPER}, app. A.2.4)",
        (f"{human} \\ {other}", *names, "all"),
        tuple(rows),
    )
