"""Planted remarks: how many of which kind there are, and what the checks say of them.

`annotations/planted` holds them (its SOURCE.md: writer and verifier are models), without the
papers, which are not part of this repository:

    python -m benchmarks.planted [--half kept] [--list] [--data FOLDER]

The half ``open`` is for development; ``kept`` is for measurements alone: of it the checks are
counted only where it is asked for by name, and nothing is listed.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import ROOT, SHARED, head, row, skip
from reviewscore.errors import InputError
from reviewscore.printable import counted
from reviewscore.schema.paper import Paper
from reviewscore.schema.planted_point import PlantedPoint
from reviewscore.sources.collection import read_papers
from reviewscore.stats.tables import Table, markdown
from reviewscore.validation.leaks import Leak, LeakKind, leaks, nearest
from reviewscore.validation.planted import cut_mapped, read_planted

PLANTED = ROOT / "annotations" / "planted"
HALVES = ("open", "kept")
FILES = {
    "iclr2022/batch100": "iclr2022/batch100/papers.parquet",
    "neurips/submissions": "neurips/submissions_papers.parquet",
}
"""Where the papers of each source lie in the data."""
NEAREST = 5
"""Passages of a cut paper that a writer is shown."""


def _truths(point: PlantedPoint) -> str:
    if point.confirmed is None:
        return "not verified"
    if point.confirmed.beyond_doubt:
        return "both truths"
    return "refuted" if point.refuted else "a doubt"


COUNTED: dict[str, Callable[[PlantedPoint], str]] = {
    "form": lambda point: point.form.value,
    "stratum": lambda point: point.stratum.value,
    "confirmed": _truths,
    "source": lambda point: point.source,
}


def counts(halves: dict[str, Sequence[PlantedPoint]]) -> Table:
    """How many items of which kind each half has, and passages of which place."""
    rows: list[tuple[str | int, ...]] = [
        ("papers", "", *(len({point.paper_id for point in points}) for points in halves.values()))
    ]
    columns = {
        name: [Counter(map(of, points)) for points in halves.values()]
        for name, of in COUNTED.items()
    }
    columns["passages"] = [
        Counter(passage.place.value for point in points for passage in point.passages)
        for points in halves.values()
    ]
    for name, by_half in columns.items():
        for value in sorted(set().union(*by_half)):
            rows.append((name, value, *(of_half[value] for of_half in by_half)))
    return Table("counts", "Planted remarks", ("what", "", *halves), tuple(rows))


@dataclass(frozen=True)
class Checked:
    """What the checks say of an item.

    Attributes:
        point: The item.
        leaks: What they say.
        doubted: Whether the verifier names lines that remain; None if none is named.
    """

    point: PlantedPoint
    leaks: tuple[Leak, ...]
    doubted: bool | None

    @property
    def sure(self) -> bool:
        """Whether both truths were confirmed."""
        return self.point.confirmed is not None and self.point.confirmed.beyond_doubt


def checked(points: Sequence[PlantedPoint], data: Path) -> Iterator[Checked]:
    """What the checks say of each item whose paper is there; others are said."""
    papers = {
        source: read_papers(data / file).papers
        for source, file in FILES.items()
        if (data / file).is_file()
    }
    for point in points:
        handle = papers.get(point.source, {}).get(point.paper_id)
        if handle is None:
            print(f"left out: {point.id}: its paper is not in the data")
            continue
        paper = handle.load()
        try:
            yield Checked(point, leaks(paper, point), doubt_shown(paper, point))
        except InputError as error:
            print(f"left out: {point.id}: {error}")


def doubt_shown(paper: Paper, point: PlantedPoint) -> bool | None:
    """Whether a line that the verifier doubts is among the nearest; None if there is no such line.

    Raises:
        InputError: The paper's text is not the one that the item was made for.
    """
    remaining = () if point.confirmed is None else point.confirmed.remaining
    if not (remaining and point.cuts):
        return None
    mapped = cut_mapped(paper.text, point)
    lines = [(mapped.place_of(line.start), mapped.place_of(line.end)) for line in remaining]
    shown = nearest(paper, point, NEAREST)
    return any(one.start < end and start < one.end for one in shown for start, end in lines)


def show_checks(results: Sequence[Checked], about: str) -> None:
    """Items that each check stops at, and how often the writer is shown what is doubted."""
    head(f"Checks of planted remarks ({about}, {counted(len(results), 'item')})")
    for kind in LeakKind:
        stopped = [one for one in results if any(leak.kind is kind for leak in one.leaks)]
        sure = sum(one.sure for one in stopped)
        value = f"{counted(len(stopped), 'item')}, {sure} with both truths confirmed"
        goal, met = ("0 with both truths confirmed", sure == 0) if kind.certain else ("-", None)
        row(f"{about}: {kind.value}", value, "", None, goal, better="lower", met=met)
    clean = sum(not one.leaks for one in results)
    row(f"{about}: nothing to look at", counted(clean, "item"), "", None, "-", better="higher")
    doubts = [one.doubted for one in results if one.doubted is not None]
    value = f"{sum(doubts)} of {counted(len(doubts), 'item')}"
    name = f"{about}: doubted lines among the nearest {NEAREST}"
    row(name, value, "", None, "-", better="higher")


def main() -> None:
    """Print counts of both halves, and the checks of one."""
    parser = argparse.ArgumentParser(description="Planted remarks: counts and checks.")
    parser.add_argument("--half", choices=HALVES, default=HALVES[0])
    parser.add_argument("--list", action="store_true", help="what each check says of each item")
    parser.add_argument("--data", type=Path, default=SHARED)
    parser.add_argument("--planted", type=Path, default=PLANTED)
    options = parser.parse_args()
    halves = {}
    for half in HALVES:
        read = read_planted(options.planted / f"{half}.jsonl")
        for fault in read.faults:
            print(f"left out: {fault}")
        halves[half] = read.points
    print(markdown(counts(halves)))
    if not options.data.is_dir():
        skip(f"no data at {options.data}")
        return
    results = list(checked(halves[options.half], options.data))
    show_checks(results, options.half)
    if options.list and options.half == HALVES[0]:
        for one in results:
            for leak in one.leaks:
                print(f"{one.point.id} {one.point.form}: {leak.kind}: {leak.problem}")


if __name__ == "__main__":
    main()
