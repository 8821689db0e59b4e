"""How fast intervals of agreement are, against loops over the libraries.

The baseline calls the library once for each resample; it is timed on a few and multiplied.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable

import numpy as np

from benchmarks.measure import QUICK, head, row, run
from reviewscore.stats import metrics
from reviewscore.stats.resampling import Clusters, bootstrap, bootstrap_weights
from reviewscore.stats.statistic import Floats, Statistic

RESAMPLES = 1000
SAMPLED = 20
"""Resamples on which a library is timed."""


def ratings(units: int, raters: int, seed: int = 1) -> Floats:
    """Scores of raters who see the same truth with errors."""
    rng = np.random.default_rng(seed)
    truth = rng.choice([1.0, 2.0, 3.0, 4.0, 5.0], p=[0.05, 0.13, 0.12, 0.3, 0.4], size=units)
    seen = np.repeat(truth[:, None], raters, axis=1)
    wrong = rng.random(seen.shape) < 0.4
    seen[wrong] = rng.integers(1, 6, size=int(wrong.sum()))
    return seen


def everything() -> tuple[list[Statistic], Clusters]:
    """657 units of 45 papers: people against 8 models and 3 annotators, all coefficients."""
    scores = ratings(657, 12)
    human, others = scores[:, 0], scores[:, 1:]
    others[:, 8:][np.random.default_rng(2).random((657, 3)) < 0.1] = np.nan
    asked: list[Statistic] = []
    for one in others.T:
        pair = np.stack([human, one], axis=1)
        flags = (np.where(np.isnan(x), np.nan, (x <= 2).astype(float)) for x in (human, one))
        h, m = flags
        asked += [metrics.precision(h, m), metrics.recall(h, m), metrics.f1(h, m)]
        asked += [
            metrics.weighted_kappa(human, one),
            metrics.pearson(human, one),
            metrics.spearman(human, one),
        ]
        asked += [
            metrics.gwet_ac(pair),
            metrics.gwet_ac(pair, weights="identity"),
            metrics.krippendorff_alpha(pair),
        ]
    people = others[:, 8:]
    for weights in ("identity", "linear", "quadratic", "ordinal"):
        asked.append(metrics.gwet_ac(people, weights=weights))
    for level in ("nominal", "ordinal", "interval", "ratio"):
        asked.append(metrics.krippendorff_alpha(people, level=level))
    papers = np.random.default_rng(3).integers(45, size=657)
    return asked, Clusters.by([str(one) for one in papers])


def timed(work: Callable[[], object], times: int = 5) -> float:
    """Median seconds of a call."""
    seconds = []
    for _ in range(times):
        begun = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - begun)
    return float(np.median(seconds))


def library_loop(one: Callable[[Floats], object], units: Floats, clusters: Clusters) -> float:
    """Seconds of `RESAMPLES` library calls on resampled units, from a few of them."""
    weights = next(bootstrap_weights(clusters, SAMPLED))
    begun = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for draw in weights:
            one(np.repeat(units, draw.astype(int), axis=0))
    return (time.perf_counter() - begun) * RESAMPLES / SAMPLED


def against_libraries() -> None:
    """One coefficient at a time, 8 judges, against scikit-learn, statsmodels and krippendorff."""
    import krippendorff
    from sklearn.metrics import cohen_kappa_score
    from statsmodels.stats.inter_rater import cohens_kappa

    scores = ratings(657, 9)
    clusters = Clusters.by([str(n % 45) for n in range(657)])
    human, judges = scores[:, 0], scores[:, 1:].T
    scale = [1, 2, 3, 4, 5]
    weights = (np.arange(5)[:, None] - np.arange(5)[None, :]) ** 2

    def of_statsmodels(units: Floats) -> object:
        pair = units.astype(int) - 1
        table = np.bincount(pair[:, 0] * 5 + pair[:, 1], minlength=25).reshape(5, 5)
        return cohens_kappa(table, weights=weights).kappa

    cases = (
        ("kappa, scikit-learn", metrics.weighted_kappa,
         lambda u: cohen_kappa_score(*u.astype(int).T, labels=scale, weights="quadratic")),
        ("kappa, statsmodels", metrics.weighted_kappa, of_statsmodels),
        ("alpha, krippendorff", lambda h, m: metrics.krippendorff_alpha(np.stack([h, m], axis=1)),
         lambda u: krippendorff.alpha(u.T, value_domain=scale, level_of_measurement="ordinal")),
    )  # fmt: skip
    for name, make, library in cases:
        ours = timed(lambda make=make: bootstrap([make(human, m) for m in judges], clusters))
        theirs = sum(library_loop(library, np.stack([human, m], axis=1), clusters) for m in judges)
        row(
            f"8 judges: {name} looped",
            f"{ours:.3f} s",
            f"library {theirs:.1f} s",
            ours / theirs,
            f"{theirs / ours:.0f} times as fast",
        )


def large() -> None:
    """100,000 units with 10 raters, in this process: print seconds."""
    units = 5_000 if QUICK else 100_000
    scores = ratings(units, 10)
    clusters = Clusters.by([str(n // 20) for n in range(units)])
    begun = time.perf_counter()
    asked = [
        metrics.gwet_ac(scores),
        metrics.gwet_ac(scores, weights="identity"),
        metrics.krippendorff_alpha(scores),
    ]
    asked.append(metrics.krippendorff_alpha(scores, level="interval"))
    asked.append(metrics.weighted_kappa(scores[:, 0], scores[:, 1]))
    values = bootstrap(asked, clusters, resamples=RESAMPLES)
    print(json.dumps({"seconds": time.perf_counter() - begun, "width": float(np.ptp(values[0]))}))


def main() -> None:
    """All of it as rows of a table."""
    head("Agreement: 1,000 clustered resamples")
    asked, clusters = everything()
    seconds = timed(lambda: bootstrap(asked, clusters))
    row(
        f"657 units, 8 models, 3 annotators, {len(asked)} coefficients",
        f"{seconds:.3f} s",
        "0.2 s",
        seconds / 0.2,
        "<= 1",
    )
    against_libraries()
    measured = run("-m", "benchmarks.agreement_speed", "large")
    took = json.loads(measured.output.splitlines()[-1])["seconds"]
    bare = run("-c", "import reviewscore.stats.metrics, reviewscore.stats.resampling")
    row(
        "100,000 units, 10 raters, 5 coefficients",
        f"{took:.1f} s, {measured.peak_mb:.0f} MB",
        f"imports only {bare.peak_mb:.0f} MB",
        measured.peak_mb / bare.peak_mb,
        "<= 10 s, <= 1,000 MB",
    )


if __name__ == "__main__":
    large() if sys.argv[1:] == ["large"] else main()
