"""The weights of the embedded annotator of focus: fitted, cross-validated and measured.

``python -m benchmarks.focus_weights`` fits the two models to all labels and writes
``reviewscore/focus/lexical_weights.json``; the same labels give the same file. Labels lie in
``annotations/`` without their texts, which are filled in from the data (`SHARED`).
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.measure import ROOT, SHARED, head, skip
from reviewscore.focus.facets import DEFAULT, FacetKind, Polarity
from reviewscore.focus.human_labels import coded_labels, find_points, read_human_labels
from reviewscore.focus.lexical import VERSION, WEIGHTS, facets_of, features, target_feature
from reviewscore.schema.marks import sum_of_words
from reviewscore.sources.collection import read_collection
from reviewscore.sources.system_reviews import materials_of, read_materials
from reviewscore.stats.estimates import BootstrapPlan
from reviewscore.stats.metrics import nominal_kappa
from reviewscore.stats.resampling import Clusters, Resampling
from reviewscore.text.linear import LinearModel, fitted_model, weights_json

LABELS = ROOT / "annotations"
PEOPLE = SHARED / "iclr2023_reviews" / "iclr2023_reviews_dev.parquet"
FOLDS, INNER_FOLDS = 5, 3
STRENGTH = 1.0
"""Inverse of the penalty (``C`` of scikit-learn)."""
FEWEST_PAPERS = 4
"""Papers in whose points a feature must be: what fewer have is their subject."""
_TRAINING, _OPEN, _OLDER = "focus-train", "points-dev", "focus-dev"
LabelSets = Mapping[FacetKind, Sequence[str]]


@dataclass(frozen=True)
class LabelledPoint:
    """A point with the labels of one reader.

    Attributes:
        label_set: Folder of ``annotations/`` that it is of.
        source: Data that its review is of.
        paper_id: Its paper.
        polarity: Praise or criticism.
        text: Its words.
        labels: By kind of facet.
    """

    label_set: str
    source: str
    paper_id: str
    polarity: Polarity
    text: str
    labels: Mapping[FacetKind, str]


def labelled_points(reader: str = "A") -> list[LabelledPoint]:
    """All points whose labels are open.

    Args:
        reader: Whose labels of the open half of ``points-dev``: A or B.

    Raises:
        ValueError: A span has other words than those that were labelled.
    """
    reviews = _reviews()
    spans = [
        (_OPEN, LABELS / _OPEN / "open" / f"focus-{reader}.jsonl"),
        (_TRAINING, LABELS / _TRAINING / "labels.jsonl"),
    ]
    return [*chain.from_iterable(_spans(*one, reviews) for one in spans), *_older()]


def _reviews() -> dict[str, Mapping[str, str]]:
    """Sections of reviews by their identifier."""
    people = pd.read_parquet(PEOPLE)
    reviews: dict[str, Mapping[str, str]] = {
        f"{row.paper_id}/people/{row.reviewer}": {"text": row.review} for row in people.itertuples()
    }
    for row in pd.read_parquet(SHARED / "neurips" / "reviews_2025.parquet").itertuples():
        reviews[row.review_id] = json.loads(row.sections)
    return reviews


def _spans(
    label_set: str, file: Path, reviews: Mapping[str, Mapping[str, str]]
) -> Iterator[LabelledPoint]:
    for line in file.read_text("utf-8").splitlines():
        record = json.loads(line)
        span = record["span"]
        text = reviews[record["review_id"]][span["field"]][span["start"] : span["end"]]
        if sum_of_words(text) != span["sha256"]:
            raise ValueError(f"{file.name}: other words in {record['review_id']}, {span}")
        yield LabelledPoint(
            label_set,
            record["source"],
            record["paper_id"],
            Polarity(record["polarity"]),
            text,
            {kind: record[kind] for kind in FacetKind},
        )


def _older() -> Iterator[LabelledPoint]:
    """The points of ``focus-dev`` with the labels of their first annotator."""
    human = read_human_labels(LABELS / _OLDER, DEFAULT)
    models = materials_of(read_collection(SHARED / "iclr2022" / "batch100"))
    for name, point in find_points(human.units, [read_materials(PEOPLE), models]).items():
        labels = {kind: human.labels["A1"][kind][name] for kind in FacetKind}
        source = "iclr2022/batch100" if ":" in point.review_id else "judgments"
        yield LabelledPoint(_OLDER, source, point.paper_id, point.polarity, point.text, labels)


def fold(paper_id: str, folds: int, salt: str = "fold") -> int:
    """The fold of a paper, 0 .. folds - 1: by its name alone."""
    return int(hashlib.sha256(f"{salt}:{paper_id}".encode()).hexdigest(), 16) % folds


def fitted(
    values: Sequence[Mapping[str, float]], papers: Sequence[str], labels: Sequence[str]
) -> LinearModel:
    """Logistic regression over those features that points of several papers have."""
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression

    seen: dict[str, set[str]] = defaultdict(set)
    for row, paper in zip(values, papers, strict=True):
        for name in row:
            seen[name].add(paper)
    vectors = DictVectorizer()
    rows = [{k: v for k, v in row.items() if len(seen[k]) >= FEWEST_PAPERS} for row in values]
    matrix = vectors.fit_transform(rows)
    model = LogisticRegression(C=STRENGTH, max_iter=300).fit(matrix, labels)
    return fitted_model(
        model.classes_, model.coef_, model.intercept_, list(vectors.get_feature_names_out())
    )


def fit(points: Sequence[LabelledPoint]) -> dict[str, LinearModel]:
    """Both models. That of the aspect learns from targets of models that had not seen the paper."""
    values = [features(point.text, point.polarity) for point in points]
    papers = [point.paper_id for point in points]
    targets = [point.labels[FacetKind.TARGET] for point in points]
    inner = np.array([fold(paper, INNER_FOLDS, "inner") for paper in papers])
    chosen = [""] * len(points)
    for number in range(INNER_FOLDS):
        model = fitted(*_taken((values, papers, targets), np.flatnonzero(inner != number)))
        for at in np.flatnonzero(inner == number):
            chosen[at] = model.choose(values[at])
    more = [{**row, target_feature(name): 1.0} for row, name in zip(values, chosen, strict=True)]
    return {
        FacetKind.TARGET: fitted(values, papers, targets),
        FacetKind.ASPECT: fitted(
            more, papers, [point.labels[FacetKind.ASPECT] for point in points]
        ),
    }


def _taken(columns: Sequence[Sequence], rows: NDArray[np.intp]) -> list[list]:
    return [[column[at] for at in rows] for column in columns]


def chosen_labels(models: Mapping[str, LinearModel], point: LabelledPoint) -> dict[FacetKind, str]:
    """Labels of a point by some models, as `facets_of` chooses them."""
    values = features(point.text, point.polarity)
    target = models[FacetKind.TARGET].choose(values)
    values[target_feature(target)] = 1.0
    return {FacetKind.TARGET: target, FacetKind.ASPECT: models[FacetKind.ASPECT].choose(values)}


def cross_validated(points: Sequence[LabelledPoint]) -> list[dict[FacetKind, str]]:
    """Labels of each point by models that were fitted without its paper."""
    folds = np.array([fold(point.paper_id, FOLDS) for point in points])
    labels: list[dict[FacetKind, str]] = [{} for _ in points]
    for number in range(FOLDS):
        models = fit([points[at] for at in np.flatnonzero(folds != number)])
        for at in np.flatnonzero(folds == number):
            labels[at] = chosen_labels(models, points[at])
    return labels


def in_sample(points: Sequence[LabelledPoint]) -> list[dict[FacetKind, str]]:
    """Labels of each point by the weights that are shipped, which were fitted to these points."""
    found = [facets_of(point.text, point.polarity) for point in points]
    return [{FacetKind.TARGET: target, FacetKind.ASPECT: aspect} for target, aspect in found]


def kappa_text(
    points: Sequence[LabelledPoint], labels: Sequence[Mapping[FacetKind, str]], kind: FacetKind
) -> str:
    """Kappa of readers' and other labels, with an interval by papers."""
    mine, others = (
        coded_labels([row[kind] for row in side], DEFAULT, kind)
        for side in ([point.labels for point in points], labels)
    )
    plan = BootstrapPlan(Clusters.by([point.paper_id for point in points]), Resampling())
    slot = plan.ask(nominal_kappa(mine, others, len(DEFAULT.of(kind))))
    plan.run()
    estimate = slot.estimate
    return f"{estimate.value:.2f} [{estimate.low:.2f}, {estimate.high:.2f}]"


def subsets(points: Sequence[LabelledPoint]) -> dict[str, list[int]]:
    """Places of points by the set, and within the open half by source and polarity."""
    places: dict[str, list[int]] = defaultdict(list)
    for at, point in enumerate(points):
        places[point.label_set].append(at)
        if point.label_set == _OPEN:
            places[f"{_OPEN}, {point.source}"].append(at)
            places[f"{_OPEN}, {point.polarity} points"].append(at)
    return dict(sorted(places.items()))


def table(points: Sequence[LabelledPoint]) -> Iterator[str]:
    """Lines of the table of kappas, cross-validated and in-sample."""
    yield "| points | n | target, cross-validated | aspect | target, in-sample | aspect |"
    yield "|---|---|---|---|---|---|"
    sides = (cross_validated(points), in_sample(points))
    for name, places in subsets(points).items():
        some = [points[at] for at in places]
        cells = [
            kappa_text(some, [labels[at] for at in places], kind)
            for labels in sides
            for kind in FacetKind
        ]
        yield f"| {name} | {len(some)} | {' | '.join(cells)} |"


def card(points: Sequence[LabelledPoint]) -> dict[str, object]:
    """What the weights are: data, features, fit, and how well they hold on papers left out."""
    opened = [at for at, point in enumerate(points) if point.label_set == _OPEN]
    labels = cross_validated(points)
    some, theirs = [points[at] for at in opened], [labels[at] for at in opened]
    return {
        "version": VERSION,
        "what": "target and aspect of a strength or weakness; the row of a feature has a weight "
        "for each class",
        "labels": dict(sorted(Counter(point.label_set for point in points).items())),
        "labelled by": "model readers (annotator_kind: model); focus-dev by its annotator A1",
        "features": "see reviewscore.focus.lexical.features; in points of at least "
        f"{FEWEST_PAPERS} papers",
        "fit": f"logistic regression, C = {STRENGTH}; the aspect's targets come from "
        f"{INNER_FOLDS} folds by paper",
        f"kappa on the open half of points-dev, {FOLDS} folds by paper": {
            kind.value: kappa_text(some, theirs, kind) for kind in FacetKind
        },
        "not for": "other fields and languages than English reviews of machine learning",
    }


def main() -> None:
    """Fit the weights and write their file."""
    if not SHARED.is_dir():
        skip(f"no data at {SHARED}")
        return
    points = labelled_points()
    WEIGHTS.write_text(weights_json(card(points), fit(points)), "utf-8")
    head(f"Weights fitted to {len(points):,} points: {WEIGHTS.name}")
    for line in table(points):
        print(line)


if __name__ == "__main__":
    main()
