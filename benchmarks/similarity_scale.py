"""Time and memory of affinities at the size of a large conference, and how they grow.

Papers are made of halves of abstracts of the gold standard. Each size runs in a process of its
own: words, weights, pooling, centring and the ten nearest reviewers of each submission. The
baseline compares each submission with each reviewer in a double loop over sparse rows; it is timed
on a few pairs. Ratios are of processor
time, so that other work on the machine does not count.
"""

from __future__ import annotations

import resource
import sys
import time

import numpy as np

from benchmarks.measure import QUICK, SHARED, head, row, run, skip
from reviewscore.similarity.affinity import Library, recipe
from reviewscore.similarity.corpus import ONLY, Corpus, Publication, read_corpus
from reviewscore.similarity.pairs import pairs
from reviewscore.similarity.vectors import Pool

SIZES = (200, 1_000) if QUICK else (1_000, 3_000, 10_000)
PAPERS = 15
NAIVE = 2_000
"""Pairs of a submission and a reviewer on which the baseline is timed."""


def synthetic(size: int) -> Corpus:
    """So many submissions and reviewers with fifteen papers each."""
    known = list(read_corpus(SHARED / "goldstandard").papers.values())
    rng = np.random.default_rng(0)
    total = size * (PAPERS + 1)
    left, right = rng.integers(len(known), size=(2, total))
    papers = {}
    for at, (one, other) in enumerate(zip(left, right, strict=True)):
        first, second = known[one], known[other]
        words = (first.abstract.split(), second.abstract.split())
        abstract = " ".join(words[0][: len(words[0]) // 2] + words[1][len(words[1]) // 2 :])
        papers[str(at)] = Publication(str(at), first.title, abstract)
    profiles = {
        f"r{who}": tuple(map(str, range(size + who * PAPERS, size + (who + 1) * PAPERS)))
        for who in range(size)
    }
    return Corpus(papers, tuple(map(str, range(size))), {ONLY: profiles})


def peak_mb() -> float:
    """Largest memory of this process in MB (10^6 bytes)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def inside(pool: str, size: int) -> None:
    """Score one set; prints its seconds and the largest memory."""
    library = Library(synthetic(size))
    began, began_cpu = time.perf_counter(), time.process_time()
    found = library.affinity(recipe("tfidf").varied(pool=Pool(pool)), ONLY)
    read = time.process_time() - began_cpu
    count = sum(1 for _ in pairs(found, set(), top=10))
    assert count == 10 * size
    print(read, time.process_time() - began_cpu, time.perf_counter() - began, peak_mb())


def naive(size: int) -> None:
    """Pairs a second of a double loop; prints seconds for a whole set of that size."""
    found = Library(synthetic(size)).affinity(recipe("tfidf").varied(pool=Pool.TOP3), ONLY)
    side = found.sides[0]
    began = time.process_time()
    for at in range(NAIVE):
        row = side.submissions[[at % size]]
        values = [(side.documents[[one]] @ row.T).sum() for one in found.members[at % size]]
        sum(value / rank for rank, value in enumerate(sorted(values)[:-4:-1], 1))
    print((time.process_time() - began) / NAIVE * size * size)


def main() -> None:
    """Print the table."""
    if not (SHARED / "goldstandard").is_dir():
        skip(f"no gold standard at {SHARED}")
        return
    head("Affinity, submissions x reviewers x 15 papers, ten nearest reviewers of each submission")
    for pool in (Pool.MEAN, Pool.TOP3):
        for size in SIZES:
            told = run("-m", "benchmarks.similarity_scale", "--inside", pool, str(size))
            read, cpu, wall, peak = map(float, told.output.split())
            loop = float(run("-m", "benchmarks.similarity_scale", "--naive", "1000").output)
            loop *= (size / 1000) ** 2
            row(
                f"{size:,} x {size:,}, {pool}",
                f"{wall:.1f} s, {peak:,.0f} MB (processor {cpu:.1f} s, of it words {read:.1f} s)",
                f"double loop {loop:,.0f} s",
                cpu / loop,
                "<= 60 s, <= 2,000 MB" if size == SIZES[-1] else "-",
            )


if __name__ == "__main__":
    if "--inside" in sys.argv:
        inside(sys.argv[2], int(sys.argv[3]))
    elif "--naive" in sys.argv:
        naive(int(sys.argv[2]))
    else:
        main()
