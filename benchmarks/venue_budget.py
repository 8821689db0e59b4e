"""Flags a chair and day, with a budget and without: a simulated venue of 76,000 reviews.

    python -m benchmarks.venue_budget [--write docs/method/venue_simulation.md]

Everything about the flags is invented and drawn with a seed: how likely each is right, what the
judge believes, weights, ratings, days. So the tables show how budget and stop rule work, and how
much a ranking can do if the judge's probabilities are as good as assumed; they measure no judge.
``--write`` puts the section into the page of `benchmarks.venue_simulation`, which has it too.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import QUICK, head, row
from benchmarks.venue_page import table_lines
from reviewscore.period.ranking import closeness
from reviewscore.period.stop_rule import FlagSample, Said, StopDecision, precision_of, stop_decision
from reviewscore.sources.openreview.forms import ScoreScale
from reviewscore.stats.resampling import Resampling

HEADING = "## Flags a chair and day"
PAPERS, REVIEWS, CHAIRS, DAYS = (500, 1_900, 40, 14) if QUICK else (20_000, 76_000, 1_600, 14)
POINTS, RATE = 7.1, 0.17
"""Points a review, and the share of them that is flagged."""
RIGHT, FIRMNESS = 0.55, 4.0
"""Mean and firmness (the sum of the parameters) of a Beta of how likely a flag is right."""
NOISE = 1.0
"""Standard deviation of the judge's belief about it, in log odds."""
WEIGHTS = {0.5: 0.2, 1.0: 0.5, 1.25: 0.2, 2.0: 0.1}
"""Weights of points, and how often they are drawn."""
BUDGETS: tuple[int | None, ...] = (None, 5, 3, 2, 1)
WANTED, SAMPLES, REPEATS = 0.6, (20, 50, 100), 20 if QUICK else 200
JUDGES = (0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8)
SCALE, SEED = ScoreScale.between(1, 10), 34
HOW = Resampling(resamples=200, scheme="papers")
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Flags:
    """All flags of a venue.

    Attributes:
        right: Shape (flags,); whether people would call it right.
        worth: Likewise; what it is ranked by.
        stake: Weight x closeness: what hangs on it.
        paper: Its paper.
        chair: Who sees it.
        day: When it comes up, from 0.
    """

    right: NDArray[np.bool_]
    worth: Floats
    stake: Floats
    paper: NDArray[np.int64]
    chair: NDArray[np.int64]
    day: NDArray[np.int64]


def drawn(mean: float = RIGHT, seed: int = SEED) -> Flags:
    """The flags of a venue.

    Args:
        mean: How many of all flags are right, as a share.
        seed: Of the draw.
    """
    chance = np.random.default_rng(seed)
    of_paper = chance.poisson(POINTS * RATE * REVIEWS / PAPERS, PAPERS)
    paper = np.repeat(np.arange(PAPERS), of_paper)
    likely = np.clip(chance.beta(FIRMNESS * mean, FIRMNESS * (1 - mean), len(paper)), 0.01, 0.99)
    believed = 1 / (
        1 + np.exp(-np.log(likely / (1 - likely)) - chance.normal(0, NOISE, len(paper)))
    )
    merit = chance.normal(5.0, 1.5, PAPERS)
    ratings = np.clip(np.rint(merit[:, None] + chance.normal(0, 1.3, (PAPERS, 4))), 1, 10)
    close = np.array([closeness(list(own), SCALE) for own in ratings])[paper]
    weight = chance.choice(list(WEIGHTS), len(paper), p=list(WEIGHTS.values()))
    chairs = chance.permutation(PAPERS) % CHAIRS
    return Flags(
        right=chance.random(len(paper)) < likely,
        worth=believed * weight * close,
        stake=weight * close,
        paper=paper,
        chair=chairs[paper],
        day=chance.integers(0, DAYS, len(paper)),
    )


@dataclass(frozen=True)
class Shown:
    """What is shown openly over the whole period.

    Attributes:
        flags: Numbers of the flags.
        most: The most that a chair is shown on a day.
    """

    flags: NDArray[np.int64]
    most: int


def shown(flags: Flags, budget: int | None) -> Shown:
    """What chairs are shown day by day: of what has come up and was not shown, what ranks first."""
    picked: list[NDArray[np.int64]] = []
    most = 0
    for chair in range(CHAIRS):
        own = np.flatnonzero(flags.chair == chair)
        own = own[np.argsort(-flags.worth[own], kind="stable")]
        left = np.ones(len(own), dtype=bool)
        for day in range(DAYS):
            today = np.flatnonzero(left & (flags.day[own] <= day))[:budget]
            left[today] = False
            picked.append(own[today])
            most = max(most, len(today))
    return Shown(np.concatenate(picked), most)


def budgets(flags: Flags) -> list[list[str]]:
    """A row for each budget."""
    rows = []
    at_stake = flags.stake[flags.right].sum()
    for budget in BUDGETS:
        found = shown(flags, budget)
        right = flags.right[found.flags]
        reached = flags.stake[found.flags][right].sum() / at_stake
        rows.append([
            "none" if budget is None else str(budget),
            f"{len(found.flags) / CHAIRS / DAYS:.1f}", str(found.most),
            f"{len(found.flags) / CHAIRS:.1f}", f"{len(found.flags):,}",
            f"{len(found.flags) / len(flags.right):.0%}", f"{right.mean():.3f}",
            f"{WANTED:.2f}, {'reached' if right.mean() >= WANTED else 'missed'}", f"{reached:.0%}",
        ])  # fmt: skip
    return rows


def stopped(flags: Flags, size: int, seed: int) -> dict[StopDecision, float]:
    """How often the stop rule ends how, over samples of flags that one person judges."""
    chance = np.random.default_rng(seed)
    ended = dict.fromkeys(StopDecision, 0)
    for _ in range(REPEATS):
        picked = chance.choice(len(flags.right), size, replace=False)
        sample = FlagSample(seed=0, wanted=size, of=len(flags.right),
                            flags={str(one): str(flags.paper[one]) for one in picked})  # fmt: skip
        said = {str(one): {"a": Said.RIGHT if flags.right[one] else Said.WRONG} for one in picked}
        ended[stop_decision(precision_of(sample, said, how=HOW), WANTED)] += 1
    return {decision: count / REPEATS for decision, count in ended.items()}


def judges() -> list[list[str]]:
    """A row for each judge, from one that is mostly wrong to one that is mostly right."""
    rows = []
    for mean in JUDGES:
        flags = drawn(mean)
        reached = flags.right[shown(flags, 2).flags].mean()
        shares = [stopped(flags, size, SEED)[StopDecision.STOP] for size in SAMPLES]
        rows.append([f"{flags.right.mean():.3f}", f"{reached:.3f}",
                     *(f"{share:.0%}" for share in shares)])  # fmt: skip
    return rows


def section() -> list[str]:
    """The section of the page, as lines."""
    flags = drawn()
    return [
        HEADING,
        "",
        f"Made by `python -m benchmarks.venue_budget`, seed {SEED}; all is invented: {REVIEWS:,} "
        f"reviews of {PAPERS:,} papers, {POINTS} points a review of which {RATE:.0%} are flagged "
        f"({len(flags.right):,} flags), {CHAIRS:,} area chairs, {DAYS} days on which they come up "
        f"evenly. A flag is right with a probability drawn from a Beta of mean {RIGHT} and "
        f"firmness {FIRMNESS:g}; the judge believes it with an error of {NOISE:g} in log odds; "
        "weights and ratings are drawn too. A flag is shown once. `At stake`: weight x closeness "
        "of the decision, summed over flags that are right; that is what the ranking is for.",
        "",
        *table_lines(
            ["budget a chair and day", "shown a chair and day", "most on a day",
             "shown a chair in all", "flags shown", "of all flags", "precision reached",
             "precision wanted", "of what is at stake"], budgets(flags)),
        f"The stop rule with `--stop-below {WANTED}`: in how many of {REPEATS} samples delivery "
        "stops, by how many flags one person judged. It samples all flags, not those that rank "
        "first, so that a judge may be stopped whose first flags would do.",
        "",
        *table_lines(
            ["precision of all flags", "… of those shown with a budget of 2",
             *(f"stops, {size} judged" for size in SAMPLES)], judges()),
    ]  # fmt: skip


def put_into(page: str, lines: Sequence[str]) -> str:
    """A page with the section in place of the one that it has, else before its measured costs."""
    body = "\n".join(lines).rstrip() + "\n\n"
    start = page.find(HEADING + "\n")
    if start < 0:
        start = end = page.index("## Measured costs\n")
    else:
        following = page.find("\n## ", start + 1)
        end = len(page) if following < 0 else following + 1
    return (page[:start] + body + page[end:]).rstrip() + "\n"


def main() -> None:
    """Simulate, print, and write the section if a page is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the section into it")
    options = parser.parse_args(sys.argv[1:] if __name__ == "__main__" else [])
    lines = section()
    print("\n".join(lines))
    if options.write is not None:
        page = put_into(options.write.read_text("utf-8"), lines)
        options.write.write_text(page, "utf-8")
    flags = drawn()
    every, few = (flags.right[shown(flags, budget).flags].mean() for budget in (None, 2))
    head("A budget of two flags a chair and day (simulated)")
    row("precision of what is shown", f"{few:.3f}", f"without a budget {every:.3f}", few / every,
        "> 1", better="higher")  # fmt: skip


if __name__ == "__main__":
    main()
