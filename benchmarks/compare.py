"""``python -m benchmarks.compare OLD NEW``: did anything get worse?

Ratios against the baselines are compared, not times, so that files of different machines can be.
Exit code 1: a ratio got worse by more than the limit, a goal of a figure without a baseline is no
longer met, or a benchmark or figure of OLD is not in NEW. Exit code 2: a file cannot be used.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.figures import Figure
from benchmarks.results import Ran, Results, UnusableError, read_results

LOSS = 0.2
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Change:
    """One line of the comparison.

    Attributes:
        benchmark: Its module.
        name: What was measured.
        old: Ratio before, in words where there is none.
        new: Ratio now.
        change: In words.
        bad: Whether it counts as a loss.
    """

    benchmark: str
    name: str
    old: str
    new: str
    change: str
    bad: bool


def loss(old: Figure, new: Figure) -> float:
    """By which share a ratio got worse; below 0 if it got better."""
    assert old.ratio is not None
    assert new.ratio is not None
    if old.ratio == new.ratio:
        return 0.0
    if old.ratio == 0:
        return math.inf if old.better == "lower" else -math.inf
    share = (new.ratio - old.ratio) / old.ratio
    return share if old.better == "lower" else -share


def changes(old: Results, new: Results, *, most: float = LOSS) -> Iterator[Change]:
    """What changed, benchmark by benchmark; what is new in NEW comes last."""
    now = {one.name: one for one in new.benchmarks}
    before = {one.name: one for one in old.benchmarks}
    for name, was in before.items():
        if was.state != "not run":
            yield from _of_benchmark(was, now.get(name), most)
    for name, is_now in now.items():
        known = {one.name for one in before[name].figures} if name in before else set()
        for one in is_now.figures:
            if one.name not in known:
                yield Change(name, one.name, "-", _shown(one), "new", bad=False)


def _of_benchmark(was: Ran, now: Ran | None, most: float) -> Iterator[Change]:
    if now is None or now.state != "done":
        said = "missing" if now is None else f"{now.state}: {now.why}"
        if was.state == "done" or now is None:
            yield Change(was.name, "(all)", was.state, said, "lost", bad=True)
            return
    found = {} if now is None else {one.name: one for one in now.figures}
    for one in was.figures:
        if one.name not in found:
            yield Change(was.name, one.name, _shown(one), "missing", "lost", bad=True)
        else:
            yield _of_figure(was.name, one, found[one.name], most)


def _of_figure(benchmark: str, old: Figure, new: Figure, most: float) -> Change:
    shown = (benchmark, old.name, _shown(old), _shown(new))
    if old.ratio is None or new.ratio is None:
        if (old.ratio is None) != (new.ratio is None) or old.baseline != new.baseline:
            return Change(*shown, "another baseline", bad=True)
        fell = old.met is True and new.met is False
        return Change(*shown, "goal no longer met" if fell else "", bad=fell)
    if old.better != new.better:
        return Change(*shown, "the other end of the ratio is better now", bad=True)
    worse = loss(old, new)
    change = f"{abs(worse):.0%} {'worse' if worse > 0 else 'better'}" if worse else "same"
    return Change(*shown, change, bad=worse > most + _ROUNDING)


def _shown(one: Figure) -> str:
    return one.text if one.ratio is None else f"{one.ratio:.4g}"


def doubts(old: Results, new: Results) -> Iterator[str]:
    """Why the comparison may mislead."""
    if old.machine.same_as != new.machine.same_as:
        yield "the machines or their Python differ: ratios can be compared, times cannot"
    for name, one in (("OLD", old), ("NEW", new)):
        if not one.machine.quiet:
            load, cores = one.machine.load_start[0], one.machine.cores
            yield f"{name} began on a busy machine (load {load:.1f} on {cores} cores): run it again"
        if one.commit.endswith("+"):
            yield f"{name} was measured with changes that are not committed"
    if max(old.times, new.times) == 1:
        yield "each benchmark ran once; --times 3 tells noise from a loss"


def main(words: list[str] | None = None) -> int:
    """Print the comparison; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compare", description=__doc__)
    parser.add_argument("old", type=Path, metavar="OLD")
    parser.add_argument("new", type=Path, metavar="NEW")
    parser.add_argument("--loss", type=float, default=LOSS, help="most loss of a ratio, as a share")
    parser.add_argument("--all", action="store_true", help="show what did not get worse too")
    options = parser.parse_args(words)
    try:
        if not 0 <= options.loss < math.inf:
            raise UnusableError(f"--loss {options.loss}: give a share such as 0.2")
        old, new = read_results(options.old), read_results(options.new)
        if old.quick != new.quick:
            raise UnusableError(
                f"{options.old if old.quick else options.new}: quick: sizes were cut there and not "
                "in the other file; make both alike"
            )
    except UnusableError as error:
        print(error, file=sys.stderr)
        return 2
    found = list(changes(old, new, most=options.loss))
    bad = [one for one in found if one.bad]
    print("| benchmark | what | old | new | change |\n|---|---|---|---|---|")
    for one in found if options.all or not bad else bad:
        mark = "**" if one.bad else ""
        print(
            f"| {one.benchmark} | {one.name} | {one.old} | {one.new} | {mark}{one.change}{mark} |"
        )
    print()
    for sentence in doubts(old, new):
        print(f"note: {sentence}")
    print(f"{len(bad)} of {len(found)} lost (more than {options.loss:.0%} worse, or not there)")
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())
