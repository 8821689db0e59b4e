"""What the protocol of presuppositions is worth beside the published questions, by model readers.

Readers (capable models, no people) answered the real prompts, each alone, without labels or other
readers' answers in sight (`benchmarks.readers_asked`). Here their judgments are held against the
labels of the readers who had labelled whole reviews (`annotations/points-dev`), and against planted
truth (`annotations/planted`):

    python -m benchmarks.presuppositions [--half open] [--judged FOLDER]

Agreement with model readers is no accuracy against people. The labels were made by reading whole
reviews, which favours judges that do so too.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import SHARED, head, row
from benchmarks.points_measured import HALVES, LABELS, READERS, reviews_of, sources_of
from benchmarks.readers_asked import CUT_BY, VERSIONS, planted_versions
from reviewscore.agreement.segmentation import Piece, matches
from reviewscore.schema.point_label import PointLabel
from reviewscore.schema.scale import FIVE_POINTS
from reviewscore.sources.point_labels import read_point_labels, reviews_named
from reviewscore.stats.estimates import BootstrapPlan, Estimate
from reviewscore.stats.metrics import METRICS, roc_area
from reviewscore.stats.resampling import Clusters, Resampling
from reviewscore.stats.shares import plan_of_papers, share
from reviewscore.stats.statistic import Floats
from reviewscore.stats.tables import Cell, Table, markdown

JUDGED = Path(__file__).parent / "presuppositions_data"
"""What readers judged, without texts."""
HOW = Resampling(resamples=2000, scheme="papers")
REAL, REAL_ECONOMY = "real", "real-economy"
POINT, POINT_ECONOMY = "points", "points-economy"
ASKED = ("1", "2")
"""The readers of each task."""
Place = tuple[str, str, int]
"""A review, a field and an offset."""
Judgment = dict[str, Any]
Lines = Mapping[Place, Judgment]
Tasks = Mapping[str, Sequence[Lines]]
Of = Callable[[Judgment], float]


@dataclass(frozen=True)
class Truth:
    """What the two readers of labels agree on, of one point; None where they differ.

    Attributes:
        paper_id: Its paper.
        answered: Whether the paper speaks to it: a score of 1 or 2.
        falls: Whether a fair reviewer would drop it: a standing of 1 or 2.
    """

    paper_id: str
    answered: bool | None
    falls: bool | None


def truths(halves: Iterable[str]) -> tuple[dict[Place, Truth], dict[str, int]]:
    """What is known of each point as it was cut, and how many are left out for which reason."""
    known: dict[Place, Truth] = {}
    left = {"not labelled by the second reader": 0, "not visible": 0}
    for half in halves:
        files = {reader: LABELS / half / f"submissions-{reader}.jsonl" for reader in READERS}
        reviews = reviews_of(
            reviews_named(files.values()), sources_of(files.values()).values(), SHARED
        )
        labels = {
            reader: [
                label
                for label in read_point_labels([file], reviews, name=reader).labels
                if label.is_point
            ]
            for reader, file in files.items()
        }
        first = labels[CUT_BY]
        second = labels[next(reader for reader in READERS if reader != CUT_BY)]
        pieces = [
            [
                Piece.of(label.review_id, reviews[label.review_id].fields, label.spans)
                for label in of
            ]
            for of in (first, second)
        ]
        pairs = dict(matches(*pieces))
        for number, label in enumerate(first):
            if number not in pairs:
                left["not labelled by the second reader"] += 1
                continue
            other = second[pairs[number]]
            if label.not_visible or other.not_visible:
                left["not visible"] += 1
                continue
            known[label.review_id, label.spans[0].field, label.spans[0].start] = Truth(
                label.paper_id, *_agreed(label, other)
            )
    return known, left


def _agreed(*labels: PointLabel) -> Iterable[bool | None]:
    for name in ("score", "standing"):
        said = {
            None if value is None else FIVE_POINTS.misinformed(value)
            for value in (getattr(label, name) for label in labels)
        }
        yield said.pop() if len(said) == 1 else None


def judged(folder: Path, name: str) -> dict[Place, Judgment]:
    """What a reader judged, by place of the point; empty if that is not there."""
    file = folder / f"{name}.jsonl"
    if not file.is_file():
        return {}
    lines = map(json.loads, file.read_text("utf-8").splitlines())
    return {
        (line["review_id"], line["field"], line["start"]): line
        for line in lines
        if line["status"] != "error"
    }


def _flag(value: bool | None) -> float:
    """A flag that is not known is none: nothing is shown for it."""
    return float(bool(value))


def _known(name: str, line: Judgment) -> float:
    """A flag; NaN if it is not known."""
    return float("nan") if line[name] is None else float(line[name])


def _low(value: int | None) -> float:
    return float(value is not None and FIVE_POINTS.misinformed(value))


def _doubt(value: float | None) -> float:
    """The lower a score, the more doubtful; without one a point stands in the middle."""
    return -float(FIVE_POINTS.middle if value is None else value)


FLAGS: dict[str, dict[str, Of]] = {
    "presupposition": {
        "supplied": lambda line: _flag(line["supplied"]),
        "supplied, first look": lambda line: _flag(line["look 1"]["supplied"]),
        "standing <= 2": lambda line: _low(line["base"]),
        "standing <= 2, first look": lambda line: _low(line["look 1"]["standing"]),
        "misinformed": lambda line: _flag(line["misinformed"]),
        "misinformed, first look": lambda line: _flag(line["look 1"]["misinformed"]),
    },
    "economy": {"score <= 2": lambda line: _low(line["base"])},
}
"""Flags of each protocol, by name."""
KNOWN: dict[str, dict[str, Of]] = {
    "presupposition": {
        f"{name}, without unknown": partial(_known, name) for name in ("supplied", "misinformed")
    },
    "economy": {},
}
"""The same without points of which it is not known."""
RANKS: dict[str, dict[str, Of]] = {
    "presupposition": {
        "probability": lambda line: line["probability"],
        "standing": lambda line: _doubt(line["base"]),
        "truth": lambda line: _doubt(line["look 1"]["truth"]),
    },
    "economy": {"score": lambda line: _doubt(line["base"])},
}
"""What ranks points, the most doubtful first."""
LEVELS: dict[str, Callable[[Truth], bool | None]] = {
    "score <= 2": lambda truth: truth.answered,
    "standing <= 2": lambda truth: truth.falls,
}
"""What labels say, by name."""
MEASURES = {
    "F1": (METRICS["f1"], {name: {**flags, **KNOWN[name]} for name, flags in FLAGS.items()}),
    "area": (roc_area, RANKS),
}
AIMS = (
    ("standing <= 2", "F1", (REAL, "misinformed"), (REAL_ECONOMY, "score <= 2")),
    ("standing <= 2", "F1", (REAL, "standing <= 2"), (REAL_ECONOMY, "score <= 2")),
    ("standing <= 2", "area", (REAL, "probability"), (REAL_ECONOMY, "score")),
    ("score <= 2", "F1", (REAL, "supplied"), (REAL_ECONOMY, "score <= 2")),
    ("score <= 2", "area", (REAL, "truth"), (REAL_ECONOMY, "score")),
    ("standing <= 2", "F1", (REAL, "standing <= 2"), (POINT_ECONOMY, "score <= 2")),
    ("standing <= 2", "area", (REAL, "probability"), (POINT_ECONOMY, "score")),
    ("standing <= 2", "F1", (REAL, "misinformed"), (POINT, "misinformed")),
    ("standing <= 2", "F1", (REAL, "standing <= 2"), (POINT, "standing <= 2")),
    ("standing <= 2", "area", (REAL, "probability"), (POINT, "probability")),
    ("score <= 2", "F1", (REAL, "supplied"), (POINT, "supplied")),
    ("score <= 2", "area", (REAL, "truth"), (POINT, "truth")),
)
"""Label, measure, and two columns that are compared on the points that both have."""
CONTROLS = (
    ("real-1", "real-2"),
    ("real-1", "shuffled-1"),
    ("real-2", "shuffled-1"),
    ("real-1", "halves-1"),
    ("real-2", "halves-1"),
    ("real-1", "points-1"),
    ("real-2", "points-2"),
    ("nearest-passages-1", "foreign-passages-1"),
    ("people-1", "people-2"),
    ("people-1", "people-pages-1"),
    ("people-2", "people-pages-2"),
    ("people-pages-1", "people-pages-2"),
)
"""Judgments of the same points that are compared: other readers, another order, other passages."""


def protocol_of(task: str) -> str:
    """The protocol of a task."""
    return "economy" if "economy" in task else "presupposition"


def against_labels(known: Mapping[Place, Truth], tasks: Tasks) -> Table:
    """F1 of each flag and area of each rank, by label, task and reader."""
    rows: list[tuple[Cell, ...]] = []
    for level, label in LEVELS.items():
        for (task, readers), (measure, (of_pair, columns)) in product(
            tasks.items(), MEASURES.items()
        ):
            for name, of in columns[protocol_of(task)].items():
                cells: list[Cell] = []
                for lines in readers:
                    places = _with_label(known, label, lines)
                    if not places:
                        continue
                    meant, said = _columns(known, label, lines, of, places)
                    plan = _plan(known, places)
                    slot = plan.ask(of_pair(meant, said))
                    plan.run()
                    flagged = "" if measure == "area" else _counted(said, meant)
                    cells += [flagged, slot.answer]
                rows.append((level, task, measure, name, *cells))
    names = [f"{what} {reader}" for reader in ASKED for what in ("flagged, labelled,", "reader")]
    return _table("against labels", ("label", "task", "measure", "of", *names), rows, keys=4)


def _counted(said: Floats, meant: Floats) -> str:
    there = ~np.isnan(said)
    return f"{said[there].sum():.0f} of {meant[there].sum():.0f}"


def compared(known: Mapping[Place, Truth], tasks: Tasks) -> Table:
    """Differences of two tasks on the points that both have, by pairs of readers and pooled."""
    rows: list[tuple[Cell, ...]] = []
    for level, measure, (task, name), (other, minus) in AIMS:
        of_pair, columns = MEASURES[measure]
        label = LEVELS[level]
        sides: list[tuple[list[str], Floats, Floats, Floats]] = []
        for lines, others in zip(tasks[task], tasks[other], strict=True):
            places = [place for place in _with_label(known, label, lines) if place in others]
            if places:
                meant, said = _columns(
                    known, label, lines, columns[protocol_of(task)][name], places
                )
                of = columns[protocol_of(other)][minus]
                _, against = _columns(known, label, others, of, places)
                sides.append(([known[place].paper_id for place in places], meant, said, against))
        cells: list[Cell] = []
        for some in [*([side] for side in sides), sides] if sides else ():
            papers = [paper for side in some for paper in side[0]]
            meant, said, against = (np.concatenate([side[at] for side in some]) for at in (1, 2, 3))
            plan = BootstrapPlan(Clusters.by(papers), HOW)
            # Named otherwise: areas of scores with other levels cannot be swapped at random.
            subtracted = replace(of_pair(meant, against), name=f"other {measure}")
            slot = plan.ask(of_pair(meant, said), minus=subtracted)
            plan.run()
            cells.append(slot.answer)
        rows.append((level, measure, f"{task}, {name}", f"{other}, {minus}", *cells))
    names = [*(f"reader {reader}" for reader in ASKED), "both"]
    return _table("differences", ("label", "measure", "of", "minus", *names), rows, keys=4)


def between_readers(tasks: Tasks) -> Table:
    """Kappa of flags, and positive agreement, of the two readers of a task."""
    rows: list[tuple[Cell, ...]] = []
    for task, (first, second) in tasks.items():
        places = [place for place in first if place in second]
        of_task = {**FLAGS[protocol_of(task)], **KNOWN[protocol_of(task)]}
        for name, of in of_task.items() if places else ():
            left, right = (
                np.array([of(lines[place]) for place in places]) for lines in (first, second)
            )
            plan = BootstrapPlan(Clusters.by([first[place]["paper_id"] for place in places]), HOW)
            kappa, positive = (plan.ask(METRICS[m](left, right)) for m in ("kappa-of-flags", "f1"))
            plan.run()
            counted = int((~np.isnan(left + right)).sum())
            flags = f"{np.nansum(left):.0f}, {np.nansum(right):.0f} of {counted}"
            rows.append((task, name, flags, kappa.answer, positive.answer))
    columns = ("task", "flag", "flags", "kappa", "positive agreement")
    return _table("two readers", columns, rows, keys=2)


def halo(known: Mapping[Place, Truth], tasks: Tasks) -> Table:
    """How many of a review's other points are flagged, given that one is."""
    rows: list[tuple[Cell, ...]] = []
    for level, label in LEVELS.items():
        flags = {place: _flag(label(truth)) for place, truth in known.items()}
        papers = {place: truth.paper_id for place, truth in known.items()}
        rows.append(("labels", level, _others(flags, papers)))
    for task, readers in tasks.items():
        for reader, lines in enumerate(readers, 1):
            for name, of in FLAGS[protocol_of(task)].items() if lines else ():
                flags = {place: of(line) for place, line in lines.items()}
                papers = {place: line["paper_id"] for place, line in lines.items()}
                rows.append((f"{task}, reader {reader}", name, _others(flags, papers)))
    return _table("halo", ("by", "flag", "others of the review"), rows, keys=2)


def _others(flags: Mapping[Place, float], papers: Mapping[Place, str]) -> Estimate:
    names = sorted(set(papers.values()))
    hits, base = np.zeros(len(names)), np.zeros(len(names))
    by_review: dict[str, list[Place]] = {}
    for place in flags:
        by_review.setdefault(place[0], []).append(place)
    for places in by_review.values():
        flagged = sum(flags[place] for place in places)
        paper = names.index(papers[places[0]])
        hits[paper] += flagged * (flagged - 1)
        base[paper] += flagged * (len(places) - 1)
    plan = plan_of_papers(len(names), HOW)
    slot = plan.ask(share("others", hits, base))
    plan.run()
    return slot.answer


def asked_otherwise(folder: Path) -> Table:
    """The same points asked in two ways: how many flags change, and how far probabilities move."""
    rows: list[tuple[Cell, ...]] = []
    for first, second in CONTROLS:
        left, right = ({line["point_id"]: line for line in judged(folder, name).values()}
                       for name in (first, second))  # fmt: skip
        names = [name for name in right if name in left]
        if not names:
            continue
        moved = [abs(left[name]["probability"] - right[name]["probability"]) for name in names]
        cells: list[Cell] = [len(names), f"{np.mean(moved):.3f}"]
        for flag in ("supplied", "standing <= 2", "misinformed"):
            of = FLAGS["presupposition"][flag]
            one, two = ([of(side[name]) for name in names] for side in (left, right))
            changed = sum(a != b for a, b in zip(one, two, strict=True))
            cells.append(f"{sum(one):.0f}, {sum(two):.0f}; {changed} changed")
        rows.append((first, second, *cells))
    columns = ("of", "against", "points", "mean change of probability", "supplied",
               "standing <= 2", "misinformed")  # fmt: skip
    return _table("asked otherwise", columns, rows, keys=2)


def statements(folder: Path) -> Table:
    """Statements of which half were altered, and questions, as single points."""
    rows: list[tuple[Cell, ...]] = []
    for protocol, flags in FLAGS.items():
        end = "" if protocol == "presupposition" else f"-{protocol}"
        lines = list(judged(folder, f"statements{end}-{ASKED[0]}").values())
        for name, wrong in (("bamboo", "False"), ("qasper", "True")):
            own = [line for line in lines if line["review_id"].startswith("bamboo-") is (
                name == "bamboo")]  # fmt: skip
            meant = [line["review_id"].endswith(f":{wrong}") for line in own]
            for flag, of in flags.items() if own else ():
                said = [of(line) for line in own]
                hits = sum(one for one, yes in zip(said, meant, strict=True) if yes)
                alarms = sum(one for one, yes in zip(said, meant, strict=True) if not yes)
                bad = sum(meant)
                rows.append(
                    (name, protocol, flag, f"{hits:.0f} of {bad}",
                     f"{alarms:.0f} of {len(own) - bad}")
                )  # fmt: skip
    columns = ("set", "protocol", "flag", "of those that are wrong", "of the others")
    return _table("statements and questions", columns, rows, keys=3)


def kinds(tasks: Tasks, halves: Iterable[str]) -> Table:
    """Shares of kinds, and of points that the authors state too."""
    rows: list[tuple[Cell, ...]] = []
    for source in ("submissions", "reviews"):
        lines = [
            json.loads(line)
            for half in halves
            for line in (LABELS / half / f"{source}-{CUT_BY}.jsonl").read_text("utf-8").splitlines()
        ]
        venues = {"ICLR 2023": [line for line in lines if line["source"].startswith("iclr")]}
        venues["NeurIPS"] = [line for line in lines if not line["source"].startswith("iclr")]
        for venue, own in venues.items():
            if own:
                rows.append((f"labels, {venue}, {source}", *_kinds(own)))
    for reader, lines in enumerate(tasks[REAL], 1):
        if lines:
            rows.append((f"{REAL}, reader {reader}", *_kinds(list(lines.values()))))
    return _table("kinds", ("by", "points", "none", "request", "acknowledged"), rows, keys=1)


def _kinds(lines: Sequence[Judgment]) -> list[Cell]:
    cells: list[Cell] = [len(lines)]
    for kind in ("none", "request"):
        cells.append(f"{sum(line['kind'] == kind for line in lines) / len(lines):.3f}")
    known = [line["acknowledged"] for line in lines if line.get("acknowledged") is not None]
    cells.append(f"{sum(known) / len(known):.3f} of {len(known)}" if known else "")
    if "look 1" in lines[0]:
        cells.append(sum("look 2" in line for line in lines))
    return cells


def planted_truth(folder: Path) -> Table:
    """Sensitivity, specificity and area on planted remarks, both versions together."""
    meant = {
        (version, remark): (made.paper.paper_id, misinformed)
        for version in VERSIONS
        for made in planted_versions(version)
        for remark, misinformed in made.misinformed.items()
    }
    rows: list[tuple[Cell, ...]] = []
    for protocol, flags in FLAGS.items():
        end = "" if protocol == "presupposition" else f"-{protocol}"
        lines = {
            (version, line["point_id"]): line
            for version in VERSIONS
            for line in judged(folder, f"planted-{version}{end}-{ASKED[0]}").values()
        }
        names = [name for name in lines if name in meant]
        if not names:
            continue
        clusters = Clusters.by([meant[name][0] for name in names])
        truth = np.array([float(meant[name][1]) for name in names])

        def by_paper(column: Floats, clusters: Clusters = clusters) -> Floats:
            return np.bincount(clusters.of, column, minlength=len(clusters))

        for flag, of in flags.items():
            said = np.array([of(lines[name]) for name in names])
            plan = plan_of_papers(len(clusters), HOW)
            asked = (
                plan.ask(share("share", by_paper(said * truth), by_paper(truth))),
                plan.ask(share("share", by_paper((1 - said) * (1 - truth)), by_paper(1 - truth))),
            )
            plan.run()
            rows.append((protocol, flag, *(slot.answer for slot in asked)))
        for rank, of in RANKS[protocol].items():
            units = BootstrapPlan(clusters, HOW)
            area = units.ask(roc_area(truth, np.array([of(lines[name]) for name in names])))
            units.run()
            rows.append((protocol, f"area by {rank}", area.answer, None))
    columns = ("protocol", "flag", "sensitivity, or area", "specificity")
    return _table("planted remarks", columns, rows, keys=2)


def _with_label(
    known: Mapping[Place, Truth], label: Callable[[Truth], bool | None], lines: Lines
) -> list[Place]:
    return [place for place in lines if place in known and label(known[place]) is not None]


def _columns(
    known: Mapping[Place, Truth],
    label: Callable[[Truth], bool | None],
    lines: Lines,
    of: Of,
    places: Sequence[Place],
) -> tuple[Floats, Floats]:
    meant = np.array([_flag(label(known[place])) for place in places])
    return meant, np.array([of(lines[place]) for place in places])


def _plan(known: Mapping[Place, Truth], places: Sequence[Place]) -> BootstrapPlan:
    return BootstrapPlan(Clusters.by([known[place].paper_id for place in places]), HOW)


def _table(
    name: str, columns: tuple[str, ...], rows: Sequence[tuple[Cell, ...]], *, keys: int
) -> Table:
    full = [(*cells, *[None] * (len(columns) - len(cells))) for cells in rows]
    return Table(name.replace(" ", "-"), name, columns, tuple(full), keys=keys)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=(*HALVES, "both"), default="open")
    parser.add_argument("--judged", type=Path, default=JUDGED)
    arguments = parser.parse_args()
    halves = HALVES if arguments.half == "both" else (arguments.half,)
    known, left = truths(halves)
    head(f"points labelled by two readers, {arguments.half}")
    row("points", str(len(known)), "", None, "")
    for reason, count in left.items():
        row(f"left out: {reason}", str(count), "", None, "")
    tasks: Tasks = {
        task: [
            {
                place: line
                for place, line in judged(arguments.judged, f"{task}-{reader}").items()
                if arguments.half == "both" or place in known
            }
            for reader in ASKED
        ]
        for task in (REAL, REAL_ECONOMY, POINT, POINT_ECONOMY)
    }
    for table in (
        against_labels(known, tasks),
        compared(known, tasks),
        between_readers(tasks),
        halo(known, tasks),
        asked_otherwise(arguments.judged),
        statements(arguments.judged),
        kinds(tasks, halves),
        planted_truth(arguments.judged),
    ):
        print(markdown(table))


if __name__ == "__main__":
    main()
