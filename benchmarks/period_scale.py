"""A whole venue: what a sync that finds 500 changes takes, and the pages of one person.

``python -m benchmarks.period_scale [--papers 20000] [--reviews 76000]``. The venue is made by
repetition of real submissions and reviews; its run, of which only the pages are asked for, by
repetition of a small run.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from benchmarks.measure import QUICK, ROOT, head, row, run, skip
from benchmarks.period import SOURCE, Row, command, read_days
from reviewscore.runs.folder import MANIFEST, POINTS, digests_of, manifest_of

CHANGES = {"edited": 300, "new": 100, "withdrawn": 50, "answered": 50}


def rows_of(papers: int, reviews: int) -> tuple[list[Row], Iterator[Row], list[Row]]:
    """The real papers, and reviews by repetition; reviews of copies are those of the original."""
    source = read_days(1, None)
    by_paper: dict[str, list[Row]] = {}
    for review in source.reviews:
        by_paper.setdefault(review["paper_id"], []).append(review)
    kept = [paper for paper in source.papers if paper["paper_id"] in by_paper]

    def made() -> Iterator[Row]:
        for number in range(reviews):
            copy, turn = number % papers, number // papers
            paper = kept[copy % len(kept)]
            of_paper = by_paper[paper["paper_id"]]
            text = of_paper[turn % len(of_paper)]["sections"]
            yield {"review_id": f"r{number}", "paper_id": f"p{copy}", "sections": text}

    return kept, made(), source.reviews


def write_venue(folder: Path, papers: int, reviews: int) -> None:
    """Write the source of the first day."""
    folder.mkdir()
    kept, made, _ = rows_of(papers, reviews)
    with (folder / "papers.jsonl").open("w", encoding="utf-8") as file:
        for number, paper in enumerate(islice(cycle(kept), papers)):
            file.write(json.dumps({**paper, "paper_id": f"p{number}"}) + "\n")
    with (folder / "reviews.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(review) + "\n" for review in made)


def change(folder: Path) -> None:
    """Edit, add, withdraw and answer reviews: 500 changes."""
    file = folder / "reviews.jsonl"
    lines = file.read_text("utf-8").splitlines(keepends=True)
    rng = random.Random(500)
    few = 10 if QUICK else 1
    chosen = rng.sample(range(len(lines)), sum(CHANGES.values()) // few)
    kinds = [kind for kind, n in CHANGES.items() for _ in range(n // few)]
    added = []
    for number, kind in zip(chosen, kinds, strict=True):
        review: dict[str, Any] = json.loads(lines[number])
        if kind == "withdrawn":
            lines[number] = ""
            continue
        if kind == "new":
            added.append(json.dumps({**review, "review_id": f"late-{number}"}) + "\n")
            continue
        if kind == "answered":
            review["author_response"] = "We answer."
        else:
            name = next(iter(review["sections"]))
            review["sections"][name] += "\nThe last table has no deviations."
        lines[number] = json.dumps(review) + "\n"
    file.write_text("".join(lines + added), "utf-8")


def write_run(venue: Path, small: Path, papers: int, points: int) -> None:
    """Make the run of a venue out of the points of a small run."""
    venue.joinpath("run").mkdir(exist_ok=True)
    lines = (small / POINTS).read_text("utf-8").splitlines()
    scores = [json.loads(line) for line in lines]
    with (venue / "run" / POINTS).open("w", encoding="utf-8") as file:
        for number, score in enumerate(islice(cycle(scores), points)):
            review = number // 7
            name = f"r{review}"
            digits = score["point_id"].rsplit(".", 1)[1]
            own = {"review_id": name, "paper_id": f"p{review % papers}"}
            file.write(json.dumps({**score, **own, "point_id": f"{name}.{digits}"}) + "\n")
    manifest = manifest_of(small)
    counts = manifest.counts.model_copy(update={"points": points})
    digests = digests_of(venue / "run")
    whole = manifest.model_copy(update={"digests": digests, "counts": counts, "inputs": ()})
    (venue / "run" / MANIFEST).write_text(whole.model_dump_json(indent=2) + "\n", "utf-8")


def assignments(file: Path, papers: int) -> None:
    """Twelve papers a chair."""
    lines = ["person,role,paper,review"]
    lines += [f"chair-{number // 12},area-chair,p{number}," for number in range(papers)]
    file.write_text("\n".join(lines) + "\n", "utf-8")


def main() -> None:
    """Make the venue, change it, and measure."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--papers", type=int, default=200 if QUICK else 20_000)
    options.add_argument("--reviews", type=int, default=760 if QUICK else 76_000)
    chosen = options.parse_args()
    head("A venue in step with its source")
    if not SOURCE.is_dir():
        skip("no submissions with reviews beside the checkout")
        return
    with tempfile.TemporaryDirectory(prefix="reviewscore-bench-") as name:
        folder = Path(name)
        source, venue = folder / "source", folder / "venue"
        write_venue(source, chosen.papers, chosen.reviews)
        sync = ("-m", "reviewscore", "sync", str(source), "-o", str(venue), "-q", "--yes")
        first = run(*sync)
        again = run(*sync)
        change(source)
        changed = run(*sync)
        ratio = changed.seconds / first.seconds
        before = f"the first sync: {first.seconds:.0f} s"
        row("a sync that finds 500 changes", f"{changed.seconds:.1f} s", before, ratio, "<= 60 s")
        row("… peak", f"{changed.peak_mb:.0f} MB", "", None, "<= 500 MB")
        row("… processor", f"{changed.cpu_seconds:.0f} s", "", None, "")
        ratio = again.seconds / first.seconds
        row("a sync that finds none", f"{again.seconds:.1f} s", before, ratio, "<= 60 s")
        _pages(folder, venue, chosen.papers, 7 * chosen.reviews)


def _pages(folder: Path, venue: Path, papers: int, points: int) -> None:
    """The pages of one person."""
    small = folder / "small"
    command("audit", str(ROOT / "examples"), "-o", str(small), "-q", port=None)
    write_run(venue, small, papers, points)
    table = folder / "assignments.csv"
    assignments(table, papers)
    deliver = ("-m", "reviewscore", "report", str(venue), "--for", "area-chair")
    for number in (1, papers // 24):
        out = str(folder / f"pages-{number}")
        person = ("--out-of", str(table), "--person", f"chair-{number}", "-o", out)
        took = run(*deliver, *person)
        words = f"pages of chair {number} of {papers // 12:,}"
        row(words, f"{took.seconds:.2f} s", f"{points:,} points", None, "<= 2 s")


if __name__ == "__main__":
    main()
