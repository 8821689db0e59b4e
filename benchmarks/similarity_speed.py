"""How long all measures with all resamples take, against a double loop over pairs and resamples.

The five released methods, eight versions of the data, 1,000 bootstrap samples, on one core. The
baseline is the loss alone, as its definition reads, for a few resamples of one method.
"""

from __future__ import annotations

import sys
import time
from itertools import combinations

from benchmarks.measure import SHARED, head, row, run, skip
from reviewscore.similarity.comparison import MethodComparison, compare, read_predictions
from reviewscore.similarity.goldstandard import measures, read_ratings
from reviewscore.stats.estimates import BootstrapPlan
from reviewscore.stats.resampling import Clusters, Resampling, bootstrap

RESAMPLES = 1_000
NAIVE = 20
"""Resamples of one version of one method for which the baseline is timed."""
REPEATS = 15


def loaded() -> MethodComparison:
    """Ratings and released predictions."""
    folder = SHARED / "goldstandard"
    return compare(
        read_ratings(folder / "evaluations.csv"), read_predictions(folder / "predictions.parquet")
    )


def replicates(found: MethodComparison) -> None:
    """All measures and their bootstrap replicates."""
    every = [one for named in measures(found.ratings, found.similarity) for one in named.values()]
    clusters = Clusters.by(found.ratings.participants)
    bootstrap(every, clusters, resamples=RESAMPLES, scheme="papers")


def estimates(found: MethodComparison, *, paired: bool) -> None:
    """All measures with intervals, and if wanted differences to the first method, with p."""
    how = Resampling(RESAMPLES, scheme="papers", method="percentile")
    plan = BootstrapPlan(Clusters.by(found.ratings.participants), how)
    first, *others = measures(found.ratings, found.similarity)
    for name, one in first.items():
        plan.ask(one)
        for other in others:
            plan.ask(other[name])
            if paired:
                plan.ask(other[name], minus=one)
    plan.run()


def naive(found: MethodComparison) -> None:
    """The loss of one method and version in a double loop, for a few resamples."""
    expertise, similarity = found.ratings.expertise, found.similarity[0, 0]
    for _ in range(NAIVE):
        lost = total = 0.0
        for who, papers in enumerate(found.ratings.papers):
            for left, right in combinations(range(len(papers)), 2):
                apart = expertise[who, left] - expertise[who, right]
                product = apart * (similarity[who, left] - similarity[who, right])
                total += abs(apart)
                lost += abs(apart) * (1.0 if product < 0 else 0.5 if product == 0 else 0.0)


def best(task: object) -> float:
    """Seconds of the quickest of some runs."""
    assert callable(task)
    seconds = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        task()
        seconds.append(time.perf_counter() - began)
    return min(seconds)


def inside() -> None:
    """Measure, in a process with one thread for arrays."""
    found = loaded()
    whole = len(found.names) * found.similarity.shape[1] * RESAMPLES
    print(
        best(lambda: replicates(found)),
        best(lambda: estimates(found, paired=False)),
        best(lambda: estimates(found, paired=True)),
        _loop(found, whole),
    )


def _loop(found: MethodComparison, whole: int) -> float:
    began = time.perf_counter()
    naive(found)
    return (time.perf_counter() - began) / NAIVE * whole


def main() -> None:
    """Print the table."""
    if not (SHARED / "goldstandard").is_dir():
        skip(f"no gold standard at {SHARED}")
        return
    told = run("-m", "benchmarks.similarity_speed", "--inside", env={"OMP_NUM_THREADS": "1"})
    core, single, paired, loop = map(float, told.output.split())
    head("Measures of similarity: 5 methods, 8 versions, 23 measures, 1,000 resamples, one core")
    base = f"double loop, loss alone: {loop:.0f} s"
    row("all measures and replicates", f"{1e3 * core:.0f} ms", base, core / loop, "<= 50 ms")
    row("the same with 115 intervals", f"{1e3 * single:.0f} ms", base, single / loop, "<= 50 ms")
    row("and 92 paired differences, permuted", f"{1e3 * paired:.0f} ms", base, paired / loop, "-")


if __name__ == "__main__":
    inside() if "--inside" in sys.argv else main()
