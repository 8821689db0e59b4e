"""How often a passage marked "the authors state this too" stands beside a point so labelled.

    python -m benchmarks.acknowledged [--data FOLDER]

Two readers (models; `annotations/points-dev/SOURCE.md`) quoted passages for points of real reviews
and said of each point whether the authors state it themselves. The rule was made on this half, so
that the figures are in-sample; a passage of such a point need not be the one that states it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks import places
from benchmarks.measure import SHARED, head, row, skip
from benchmarks.points_measured import LABELS, READERS, reviews_of
from reviewscore.judges.lexical.concessions import acknowledges
from reviewscore.judges.lexical.forms import clauses_of, main_clause
from reviewscore.schema.paper import Paper
from reviewscore.schema.point_label import PointLabel
from reviewscore.schema.review import Review
from reviewscore.sources.point_labels import read_point_labels, reviews_named

SOURCE = "neurips/submissions"
FILES = {reader: LABELS / "open" / f"submissions-{reader}.jsonl" for reader in READERS}
_PRECISION = 0.8


@dataclass(frozen=True)
class MarkedCounts:
    """What became of labelled passages.

    Attributes:
        right: Marked, of a point that the authors are said to state too.
        wrong: Marked, of another point.
        missed: Not marked, of such a point.
    """

    right: int
    wrong: int
    missed: int

    @classmethod
    def of(cls, pairs: Iterator[tuple[bool, bool]]) -> MarkedCounts:
        """Counts of pairs: whether a passage is marked, and whether its point is so labelled."""
        every = list(pairs)
        return cls(*(every.count(pair) for pair in ((True, True), (True, False), (False, True))))


def passages(
    labels: tuple[PointLabel, ...], reviews: Mapping[str, Review], papers: Mapping[str, Paper]
) -> Iterator[tuple[bool, bool]]:
    """Of each labelled passage, whether it is marked and whether its point is labelled so."""
    for label in labels:
        fields = reviews[label.review_id].fields
        words = "\n\n".join(fields[span.field][span.start : span.end] for span in label.spans)
        clause = main_clause(clauses_of(words))
        for passage in label.passages if clause is not None else ():
            text = papers[label.paper_id].text[passage.start : passage.end]
            yield acknowledges(text, clause), label.acknowledged is True


def main() -> None:
    """Print precision and recall, for each reader and both."""
    parser = argparse.ArgumentParser(description="Passages that confirm a criticism.")
    parser.add_argument("--data", type=Path, default=SHARED, help="folder of the texts")
    options = parser.parse_args()
    if not (options.data / "neurips" / "submissions_papers.parquet").is_file():
        skip(f"no data at {options.data / 'neurips'}")
        return
    reviews = reviews_of(reviews_named(FILES.values()), [SOURCE], options.data)
    papers = places.papers(options.data / "neurips")
    head("Passages of the open half (in-sample): marked as stated by the authors too")
    every: list[tuple[bool, bool]] = []
    for reader, file in FILES.items():
        found = read_point_labels([file], reviews, papers.__getitem__, name=reader)
        for fault in found.faults:
            print(f"left out: {fault}")
        pairs = list(passages(found.labels, reviews, papers))
        every += pairs
        _print(f"reader {reader}", MarkedCounts.of(iter(pairs)))
    _print("both", MarkedCounts.of(iter(every)))


def _print(name: str, counts: MarkedCounts) -> None:
    marked, stated = counts.right + counts.wrong, counts.right + counts.missed
    rows = (("precision", marked, f">= {_PRECISION}"), ("recall", stated, "-"))
    for figure, total, goal in rows:
        share = counts.right / total if total else 0.0
        met = share >= _PRECISION if figure == "precision" else None
        value = f"{counts.right} of {total} ({share:.0%})"
        row(f"{name}: {figure}", value, "", None, goal, better="higher", met=met)


if __name__ == "__main__":
    main()
