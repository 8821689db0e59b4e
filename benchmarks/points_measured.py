"""Points, types, kinds and focus of real reviews, against two readers who labelled them beforehand.

`annotations/points-dev` holds the labels (its SOURCE.md: readers A and B are models), without the
texts, which are not part of this repository:

    python -m benchmarks.points_measured [--half kept] [--by papers] [--data FOLDER]

The half ``open`` is for development; ``kept`` is measured at the end of a piece of work alone, and
only where it is asked for by name.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.measure import ROOT, SHARED, head, row, skip
from reviewscore.agreement.point_agreement import (
    Drawn,
    MarkedPoint,
    Marking,
    against_programs,
    between_readers,
    program,
    readers,
)
from reviewscore.agreement.segmentation import Cut, Piece
from reviewscore.focus.facets import DEFAULT, FacetKind, FacetPoint, Polarity
from reviewscore.focus.human_labels import coded_labels
from reviewscore.focus.lexical import annotate
from reviewscore.judges.lexical.remarks import type_of
from reviewscore.points.split import split_review
from reviewscore.schema.marks import sum_of_words
from reviewscore.schema.review import Review
from reviewscore.sources.point_labels import place_of_sum, read_point_labels, reviews_named
from reviewscore.sources.system_reviews import read_reviews
from reviewscore.stats.estimates import BootstrapPlan, Estimate
from reviewscore.stats.metrics import nominal_kappa
from reviewscore.stats.resampling import Clusters, Resampling
from reviewscore.stats.tables import Kind, Table, estimate_of, shown

LABELS = ROOT / "annotations" / "points-dev"
HALVES = ("open", "kept")
READERS = ("A", "B")
FILES = {
    "iclr2023_reviews": "iclr2023_reviews/iclr2023_reviews_dev.parquet",
    "neurips/submissions": "neurips/submissions_reviews.parquet",
    "neurips/reviews_2023": "neurips/reviews_2023.parquet",
    "neurips/reviews_2024": "neurips/reviews_2024.parquet",
    "neurips/reviews_2025": "neurips/reviews_2025.parquet",
}
"""Where the reviews of each source lie in the data."""
VENUES = {"ICLR": "iclr", "NeurIPS": "neurips"}
"""What the names of a venue's sources begin with."""
HOW = Resampling(resamples=2000, scheme="papers")


class Aim(NamedTuple):
    """What a figure should reach.

    Attributes:
        least: Whether it should be at least that, or at most.
        bound: The figure; of a kappa 90 % of the readers' own, where that is lower than it.
    """

    least: bool
    bound: float


SHARES = {
    **{Cut.WHOLE.value: Aim(True, 0.85), Cut.MERGED.value: Aim(False, 0.07)},
    **{Cut.CLIPPED.value: Aim(False, 0.03), Cut.CUT.value: None},
    **{Cut.MISSED.value: Aim(False, 0.04), "no points": Aim(False, 0.05)},
}
KAPPAS = {"type kappa": Aim(True, 0.70), "kind kappa": Aim(True, 0.80)}
FACETS = {FacetKind.TARGET: Aim(True, 0.65), FacetKind.ASPECT: Aim(True, 0.70)}
ANNOTATOR, BOTH = "annotator", "both"
OF_READERS = ("share matched", "share of the other's")


@dataclass(frozen=True)
class Group:
    """A source, or a venue with several.

    Attributes:
        name: What tables call it.
        sources: Its sources.
    """

    name: str
    sources: tuple[str, ...]


def groups(sources: Iterable[str]) -> list[Group]:
    """Each source, and each venue that has several."""
    known = sorted(set(sources))
    own = {
        venue: tuple(name for name in known if name.startswith(begin))
        for venue, begin in VENUES.items()
    }
    venues = [Group(venue, names) for venue, names in own.items() if len(names) > 1]
    return [*(Group(name, (name,)) for name in known), *venues]


def reviews_of(wanted: set[str], sources: Iterable[str], data: Path) -> dict[str, Review]:
    """The reviews that are wanted, of the sources whose files are there; others are said."""
    reviews: dict[str, Review] = {}
    for source in sorted(set(sources)):
        file = data / FILES[source]
        if not file.is_file():
            skip(f"no data at {file}")
            continue
        reviews |= {review.review_id: review for review in read_reviews(file, wanted)}
    return reviews


def splitter(reviews: Mapping[str, Review]) -> Marking:
    """The pieces of the embedded splitter, with the types and kinds of the embedded judge."""
    made = (
        MarkedPoint(
            Piece.of(review.review_id, review.fields, [point.span]),
            review.paper_id,
            type_of(point.text, point.role),
            point.kind,
        )
        for review in reviews.values()
        for point in split_review(review)
    )
    return program("splitter", made, frozenset(reviews))


@dataclass(frozen=True)
class PointFigures:
    """Figures of one group: estimates by column, of each reader and of both together.

    Attributes:
        cuts: By reader: what became of its points.
        judged: By reader: agreement on points held whole.
        readers: The readers with each other.
    """

    cuts: Mapping[str, Mapping[str, Estimate]]
    judged: Mapping[str, Mapping[str, Estimate]]
    readers: Mapping[str, Estimate]


def by_row(table: Table) -> dict[str, dict[str, Estimate]]:
    """Estimates by column, for each first name of a row."""
    return {
        str(cells[0]): {
            column: estimate
            for column, cell in zip(table.columns, cells, strict=True)
            if (estimate := estimate_of(cell)) is not None
        }
        for cells in table.rows
    }


def within(marking: Marking, reviews: frozenset[str]) -> Marking:
    """The same with some reviews alone."""
    return replace(
        marking, points=tuple(marking.of_reviews(reviews)), reviews=marking.reviews & reviews
    )


def point_figures(half: Path, data: Path, drawn: Drawn) -> dict[str, PointFigures]:
    """All figures of points, by group; without sources whose data are not there."""
    files = {
        reader: [half / f"{name}-{reader}.jsonl" for name in ("submissions", "reviews")]
        for reader in READERS
    }
    every = [file for some in files.values() for file in some]
    sources = sources_of(every)
    reviews = reviews_of(reviews_named(every), sources.values(), data)
    if not reviews:
        return {}
    sets = [read_point_labels(files[reader], reviews, name=reader) for reader in READERS]
    for labels in sets:
        for fault in labels.faults:
            print(f"left out: {fault}")
    markings = [
        replace(marking, name=reader)
        for reader, marking in zip(READERS, readers(sets, reviews), strict=True)
    ]
    own = splitter(reviews)
    figures = {}
    for group in groups(sources[name] for name in reviews):
        some = frozenset(name for name in reviews if sources[name] in group.sources)
        here = [within(marking, some) for marking in markings]
        cuts, judged = against_programs(here, [within(own, some)], HOW, drawn)
        both = by_row(between_readers(here, HOW, drawn))
        figures[group.name] = PointFigures(by_row(cuts), by_row(judged), both[READERS[0]])
    return figures


def sources_of(files: Iterable[Path]) -> dict[str, str]:
    """Source of each review that lines of label files speak of."""
    lines = (json.loads(line) for file in files for line in file.read_text("utf-8").splitlines())
    return {line["review_id"]: line["source"] for line in lines}


class FocusLabel(NamedTuple):
    """What a reader said a strength or weakness is about."""

    source: str
    point: FacetPoint
    target: str
    aspect: str


def focus_labels(file: Path, reviews: Mapping[str, Review]) -> list[FocusLabel]:
    """Labels of points that are found in their reviews; others are said."""
    labels = []
    for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
        given = json.loads(line)
        review, span = reviews.get(given["review_id"]), given["span"]
        if review is None:
            continue
        text = review.fields.get(span["field"], "")
        start, end = span["start"], span["end"]
        if sum_of_words(text[start:end]) != span["sha256"]:
            place = place_of_sum(text, span["sha256"], end - start, start)
            if place is None:
                print(f"left out: {file.name}:{number}: the words are not in the review any more")
                continue
            start, end = place
        point = FacetPoint(
            f"{review.review_id}:{span['field']}:{start}", review.paper_id, review.review_id,
            "people", Polarity(given["polarity"]), text[start:end],
        )  # fmt: skip
        labels.append(FocusLabel(given["source"], point, given["target"], given["aspect"]))
    return labels


def focus_figures(
    half: Path, data: Path, drawn: Drawn
) -> dict[str, dict[tuple[str, FacetKind], Estimate]]:
    """Kappas of target and aspect by group: of the annotator with each reader, and of both."""
    files = {reader: half / f"focus-{reader}.jsonl" for reader in READERS}
    sources = sources_of(files.values())
    reviews = reviews_of(set(sources), sources.values(), data)
    labels = {reader: focus_labels(file, reviews) for reader, file in files.items()}
    figures = {}
    for group in groups(sources[name] for name in reviews):
        some = {
            reader: {one.point.point_id: one for one in all_of if one.source in group.sources}
            for reader, all_of in labels.items()
        }
        names = sorted(set.intersection(*(set(by_id) for by_id in some.values())))
        if names:
            figures[group.name] = facet_kappas(
                {reader: [by_id[name] for name in names] for reader, by_id in some.items()}, drawn
            )
    return figures


def facet_kappas(
    labels: Mapping[str, Sequence[FocusLabel]], drawn: Drawn
) -> dict[tuple[str, FacetKind], Estimate]:
    """Kappas of the annotator with each reader (by the reader), and of the readers (``both``).

    What the annotator cannot tell is an answer of its own: to say nothing gains nothing.

    Args:
        labels: What each reader said of the same points.
        drawn: What intervals draw.
    """
    first, second = READERS
    points = [one.point for one in labels[first]]
    unit = "paper_id" if drawn == "papers" else "review_id"
    plan = BootstrapPlan(Clusters.by([getattr(point, unit) for point in points]), HOW)
    said = {**labels, ANNOTATOR: list(annotate(points))}
    pairs = {first: (ANNOTATOR, first), second: (ANNOTATOR, second), BOTH: READERS}
    asked = {}
    for kind in FacetKind:
        known = len(DEFAULT.of(kind))
        columns = {
            name: np.nan_to_num(
                coded_labels([getattr(one, kind) for one in of_points], DEFAULT, kind), nan=known
            )
            for name, of_points in said.items()
        }
        for name, (left, right) in pairs.items():
            asked[name, kind] = plan.ask(nominal_kappa(columns[left], columns[right], known + 1))
    plan.run()
    return {key: slot.answer for key, slot in asked.items()}


def show(
    name: str, estimate: Estimate | None, aim: Aim | None, ceiling: Estimate | None, kind: Kind
) -> None:
    """A row: the figure with interval and n, the readers' agreement, and whether the aim is met."""
    if estimate is None or estimate.value is None:
        print(f"| {name} | not given | | | |")
        return
    beside = (
        "" if ceiling is None or ceiling.value is None else f"two readers {shown(ceiling, kind)}"
    )
    ratio, bound = None, None if aim is None else aim.bound
    if ceiling is not None and ceiling.value and kind == "coefficient":
        ratio = max(0.0, estimate.value) / ceiling.value
        if bound is not None and ceiling.value < bound:
            bound = 0.9 * ceiling.value
    value = f"{shown(estimate, kind)}, n = {estimate.n:,}"
    if aim is None or bound is None:
        row(name, value, beside, ratio, "-", better="higher")
        return
    met = estimate.value >= bound if aim.least else estimate.value <= bound
    words = f"{100 * bound:.0f} %" if kind == "share" else f"{bound:.2f}"
    goal = f"{'at least' if aim.least else 'at most'} {words}"
    row(name, value, beside, ratio, goal, better="higher" if aim.least else "lower", met=met)


def show_points(figures: Mapping[str, PointFigures], about: str) -> None:
    """The readers with each other, and the splitter and types with each of them."""
    head(f"Two readers with each other ({about})")
    for group, of_group in figures.items():
        for column, estimate in of_group.readers.items():
            kind: Kind = "share" if column in OF_READERS else "coefficient"
            show(f"{group}: readers' {column}", estimate, None, None, kind)
    head(f"The embedded splitter and types against each reader ({about})")
    for group, of_group in figures.items():
        for reader in READERS:
            cuts, judged = of_group.cuts[reader], of_group.judged[reader]
            for column, aim in SHARES.items():
                show(f"{group}, {reader}: {column}", cuts.get(column), aim, None, "share")
            for column, aim in KAPPAS.items():
                ceiling = of_group.readers.get(column)
                name = f"{group}, {reader}: {column}"
                show(name, judged.get(column), aim, ceiling, "coefficient")


def main() -> None:
    """Print all figures of a half."""
    parser = argparse.ArgumentParser(description="Points, types, kinds and focus against readers.")
    parser.add_argument("--half", choices=HALVES, default=HALVES[0])
    parser.add_argument("--by", choices=("reviews", "papers"), default="reviews")
    parser.add_argument("--data", type=Path, default=SHARED)
    parser.add_argument("--labels", type=Path, default=LABELS)
    options = parser.parse_args()
    half = options.labels / options.half
    if not half.is_dir():
        skip(f"no labels at {half}")
        return
    if not options.data.is_dir():
        skip(f"no data at {options.data}")
        return
    about = f"{options.half} half, 95 % intervals by {options.by[:-1]}"
    show_points(point_figures(half, options.data, options.by), about)
    head(f"The embedded annotator of facets against each reader ({about})")
    for group, kappas in focus_figures(half, options.data, options.by).items():
        for reader in READERS:
            for facet, aim in FACETS.items():
                name, both = f"{group}, {reader}: {facet} kappa", kappas[BOTH, facet]
                show(name, kappas[reader, facet], aim, both, "coefficient")


if __name__ == "__main__":
    main()
