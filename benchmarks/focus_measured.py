"""Do models look less at novelty in weaknesses than people do? How far can the labels be trusted?

The main result of Shin et al. 2025 (arXiv 2502.17086), asked again of other reviews: people's
reviews of ICLR 2023 (their judgments that appreciate or criticise) and those of three models on
100 papers of ICLR 2022 (as written), all labelled by the embedded annotator. No paper was reviewed
by both sides, so papers of each side are drawn by themselves. Kappa with readers is cross-validated
by paper, and in-sample, of all labels that are open.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from benchmarks.focus_weights import labelled_points, table
from benchmarks.measure import SHARED, head, keep, skip
from reviewscore.focus.blind_spots import FacetDifference, differences
from reviewscore.focus.distribution import ReviewKey, coded
from reviewscore.focus.facets import DEFAULT, FacetPoint, Polarity
from reviewscore.focus.lexical import annotate
from reviewscore.focus.points import points_of
from reviewscore.sources.collection import read_collection
from reviewscore.sources.system_reviews import (
    PEOPLE,
    SystemReview,
    TextForm,
    materials_of,
    read_materials,
)
from reviewscore.stats.resampling import Resampling

MODELS = "all three models"
FACETS = ("novelty", "prior research", "validity", "clarity")


def reviews() -> list[tuple[SystemReview, TextForm]]:
    """People's and models' reviews, with the form in which each is read."""
    people = read_materials(SHARED / "iclr2023_reviews" / "iclr2023_reviews_dev.parquet")
    models = materials_of(read_collection(SHARED / "iclr2022" / "batch100"))
    return [(one, TextForm.JUDGMENTS) for one in people.all()] + [
        (replace(one, system=one.reviewer or ""), TextForm.RAW) for one in models.all()
    ]


def main() -> None:
    """Print shares, differences and intervals, of all models together and of each."""
    if not SHARED.is_dir():
        skip(f"no data at {SHARED}")
        return
    read = reviews()
    head("Shares of weaknesses")
    together = [
        (one if one.system == PEOPLE else replace(one, system=MODELS), form) for one, form in read
    ]
    print("Shares of weaknesses in percent; differences in percentage points\n")
    print("| system | facet | system | people | difference | q |\n|---|---|---|---|---|---|")
    for some in (together, read):
        for line in rows(some):
            print(line)
    head("Kappa of the embedded annotator with readers, 95 % intervals by paper")
    for line in table(labelled_points()):
        print(line)


def rows(read: Sequence[tuple[SystemReview, TextForm]]) -> Iterator[str]:
    """Lines of the table for each system but people."""
    points: list[FacetPoint] = [point for one, form in read for point in points_of(one, form)]
    named = [ReviewKey(one.system, one.paper_id, one.review_id) for one, _ in read]
    found = coded(list(annotate(points)), DEFAULT, reviews=named)
    for system in found.systems:
        if system != PEOPLE:
            for one in differences(found, system, PEOPLE, Resampling(scheme="papers")):
                if one.polarity is Polarity.WEAKNESS and one.facet in FACETS:
                    yield _row(system, one)


def _row(system: str, one: FacetDifference) -> str:
    told = one.estimate
    numbers = (one.system, one.reference, told.value, told.low, told.high, one.q)
    # No end of a difference to people is better, so there is no ratio to gain or lose.
    told_by = f"{100 * (one.system or 0):.1f} %, people {100 * (one.reference or 0):.1f} %"
    keep(f"{system}: {one.facet}", told_by, "-", None, "-")
    mine, theirs, value, low, high, q = (float("nan") if x is None else x for x in numbers)
    return (
        f"| {system} | {one.facet} | {100 * mine:.1f} | {100 * theirs:.1f} | "
        f"{100 * value:+.1f} [{100 * low:+.1f}, {100 * high:+.1f}] | {q:.3f} |"
    )


if __name__ == "__main__":
    main()
