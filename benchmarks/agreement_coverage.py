"""How often 95 % intervals of agreement hold the true value (`-m benchmarks.agreement_coverage`).

Simulated papers of 15 points each differ in how hard they are and in how often the judge errs on
them. The true value is that of 20,000 such papers.
"""

from __future__ import annotations

from typing import get_args

import numpy as np

from benchmarks.measure import QUICK, head, keep
from reviewscore.agreement.human_labels import misinformed
from reviewscore.stats.metrics import f1, krippendorff_alpha, weighted_kappa
from reviewscore.stats.resampling import Clusters, Scheme, bootstrap, interval, jackknife
from reviewscore.stats.statistic import Floats, Statistic

SAMPLES, RESAMPLES, POINTS = (6, 100, 15) if QUICK else (300, 600, 15)


def scores(rng: np.random.Generator, papers: int) -> tuple[Floats, Floats]:
    """Scores of people and of a judge on points of papers."""
    shift = rng.normal(0, 0.5, papers).repeat(POINTS)
    wrong = np.clip(rng.beta(2, 3, papers), 0.05, 0.95).repeat(POINTS)
    n = papers * POINTS
    human = np.clip(np.round(3.6 + shift + rng.normal(0, 1.2, n)), 1, 5)
    moved = np.clip(human + rng.choice([-2, -1, 1], n), 1, 5)
    return human, np.where(rng.random(n) < wrong, moved, human)


def coefficients(human: Floats, judge: Floats) -> list[Statistic]:
    """Kappa, F1 and alpha."""
    pair = np.stack([human, judge], axis=1)
    flags = misinformed(human), misinformed(judge)
    return [weighted_kappa(human, judge), f1(*flags), krippendorff_alpha(pair)]


def main() -> None:
    """Coverage of each way to resample, for few and more papers."""
    true = [one.point()[0] for one in coefficients(*scores(np.random.default_rng(0), 20_000))]
    head("Coverage of 95 % intervals")
    print(f"\n### Coverage of 95 % BCa intervals, {SAMPLES} simulated samples\n")
    print("| papers | drawn | kappa | F1 | alpha | width of kappa's |\n|---|---|---|---|---|---|")
    for papers in (10, 20, 40):
        clusters = Clusters.by([str(n) for n in np.arange(papers).repeat(POINTS)])
        for scheme in get_args(Scheme):
            held, width = np.zeros(3), 0.0
            for seed in range(SAMPLES):
                asked = coefficients(*scores(np.random.default_rng(1000 + seed), papers))
                drawn = bootstrap(asked, clusters, resamples=RESAMPLES, seed=seed, scheme=scheme)
                left_out = jackknife(asked, clusters)
                ends = [
                    interval(one.point()[0], *pair)
                    for one, *pair in zip(asked, drawn, left_out, strict=True)
                ]
                held += [e.low <= t <= e.high for e, t in zip(ends, true, strict=True)]
                width += ends[0].high - ends[0].low
            cells = " | ".join(f"{share:.0%}" for share in held / SAMPLES)
            print(f"| {papers} | {scheme} | {cells} | {width / SAMPLES:.2f} |", flush=True)
            for name, share in zip(("kappa", "F1", "alpha"), held / SAMPLES, strict=True):
                keep(
                    f"{papers} papers, {scheme} drawn: 95 % intervals of {name} hold the truth",
                    f"{share:.1%}",
                    "nominal 95 %",
                    float(share) / 0.95,
                    "",
                    better="higher",
                )


if __name__ == "__main__":
    main()
