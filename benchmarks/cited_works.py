"""Works that people's reviews name against a list read by hand: found, and matched right.

``python -m benchmarks.cited_works READ.csv DATA`` wants a folder of papers and reviews and a file
with a line for each work: ``review_id``, ``work`` (words of the review, a title or a name by which
it is known), ``in_paper`` (``yes`` or ``no``), and ``entry`` (for ``yes``, words of the entry in
the paper's list). A work counts as found if a naming, its title, name or identifier holds the words
or lies in them. It is matched right if the entry found holds the words of the one that was read, or
if none is found where none was read.
"""

from __future__ import annotations

import csv
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from reviewscore.errors import InputError
from reviewscore.papers.references import folded, in_references, references_of
from reviewscore.points.cited_works import cited_works
from reviewscore.schema.cited_work import CitedWork, ListedWork, Listing
from reviewscore.schema.paper import Paper
from reviewscore.schema.review import Review
from reviewscore.sources.collection import Collection, read_collection
from reviewscore.stats.estimates import Estimate
from reviewscore.stats.resampling import Resampling
from reviewscore.stats.shares import plan_of_papers, share

FIELDS = ("review_id", "work", "in_paper", "entry")


@dataclass(frozen=True)
class ReadWork:
    """A work that somebody who read a review noted.

    Attributes:
        review_id: The review.
        work: Words by which the review names it.
        in_paper: Whether the paper lists it.
        entry: Words of the entry.
    """

    review_id: str
    work: str
    in_paper: bool
    entry: str


@dataclass(frozen=True)
class Counted:
    """What came of one paper's works: read by hand, found, matched right among those."""

    read: int
    found: int
    right: int


def read_works(path: Path) -> list[ReadWork]:
    """The works of a file that was written by hand.

    Raises:
        InputError: A column is missing, or a line says neither yes nor no.
    """
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    works = []
    for line, row in enumerate(rows, start=2):
        if any(row.get(name) is None for name in FIELDS) or row["in_paper"] not in ("yes", "no"):
            raise InputError(
                f"needs {', '.join(FIELDS)}, in_paper yes or no",
                file=path, line=line, cure="mend the line",
            )  # fmt: skip
        works.append(
            ReadWork(row["review_id"], row["work"], row["in_paper"] == "yes", row["entry"])
        )
    return works


def same(read: ReadWork, work: CitedWork, review: Review) -> bool:
    """Whether a work that was found is the one that was read."""
    wanted = folded(read.work)
    said = [review.fields[at.field][at.start : at.end] for at in work.mentions]
    held = map(folded, (*said, work.title, work.name, work.arxiv, work.doi, work.url))
    if any(words and f" {wanted} " in f" {words} " for words in held):
        return True
    within = [words for words in map(folded, said) if " " in words or words.isdigit()]
    within += [folded(words) for words in (work.title, work.arxiv, work.doi, work.url) if words]
    return any(f" {words} " in f" {wanted} " for words in within)


def right(read: ReadWork, listed: ListedWork, paper: Paper) -> bool:
    """Whether what is said of the paper's list is what was read."""
    if not read.in_paper:
        return listed.listing not in (Listing.FOUND, Listing.AMBIGUOUS)
    if listed.listing is not Listing.FOUND:
        return False
    entry = listed.entries[0]
    return folded(read.entry) in folded(paper.text[entry.start : entry.end])


def counted(works: list[ReadWork], collection: Collection) -> list[Counted]:
    """The counts of each paper of which works were read, in the order of the works."""
    by_paper: dict[str, dict[str, list[ReadWork]]] = {}
    for read in works:
        review = collection.review(read.review_id)
        by_paper.setdefault(review.paper_id, {}).setdefault(review.review_id, []).append(read)
    counts = []
    for paper_id, reviews in by_paper.items():
        paper = collection.paper_unchecked(paper_id)
        entries = references_of(paper)
        total = hits = fitting = 0
        for review_id, reads in reviews.items():
            review = collection.review(review_id)
            known = cited_works(review, references=entries, title=paper.title)
            for read in reads:
                work = next((one for one in known if same(read, one, review)), None)
                total, hits = total + 1, hits + (work is not None)
                if work is None:
                    print(f"not found: {review_id}: {read.work}")
                elif right(read, listed := in_references(work, entries, paper), paper):
                    fitting += 1
                else:
                    print(f"not right: {review_id}: {read.work} ({listed.listing})")
        counts.append(Counted(total, hits, fitting))
    return counts


def shares(counts: list[Counted], how: Resampling | None = None) -> tuple[Estimate, Estimate]:
    """The share of read works that are found, and of found ones that are matched right."""
    sums = np.array([(one.read, one.found, one.right) for one in counts], dtype=float)
    plan = plan_of_papers(len(counts), how or Resampling())
    found = plan.ask(share("found", sums[:, 1], sums[:, 0]))
    matched = plan.ask(share("matched right", sums[:, 2], sums[:, 1]))
    plan.run()
    return found.answer, matched.answer


def main(arguments: list[str] | None = None) -> None:
    """Print both shares with their intervals, and the time."""
    read, data = (Path(name) for name in (arguments or sys.argv[1:])[:2])
    collection = read_collection(data)
    began = time.process_time()
    counts = counted(read_works(read), collection)
    seconds = time.process_time() - began
    for name, made in zip(("found", "matched right"), shares(counts), strict=True):
        ends = "" if made.low is None else f" [{made.low:.1%}, {made.high:.1%}]"
        print(f"{name}: {made.value:.1%}{ends}, n = {made.n}")
    print(f"{len(counts)} papers, {seconds:.1f} s of processor time")


if __name__ == "__main__":
    main()
