"""How fast `lexical-cache` scores pairs, against rebuilding the model for each pair.

On one core. Cold: texts that the model has not met. Warm: the same texts again. The baseline
counts the whole background anew for each pair, as a script without a primed model does; it is
timed on a few pairs.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.gem_validation import FILE, split
from benchmarks.measure import QUICK, head, row, run, skip
from reviewscore.gem.estimator import Gem
from reviewscore.gem.lexical.model import LexicalCache, save
from reviewscore.gem.lexical.prime import Known, prime
from reviewscore.text.similarity import TextPair

NAIVE = 1 if QUICK else 2
"""Pairs on which the baseline is timed."""


def texts() -> tuple[list[TextPair], list[Known]]:
    """Pairs of candidate 1 with references 2 and 3, and the background of other papers."""
    scored, background = split()
    pairs = [
        TextPair(str(name), group[0], reference)
        for name, group in scored.groupby("paper_id")["review_summary"].apply(list).items()
        for reference in group[1:]
    ]
    known = [Known(group) for group in background.groupby("paper_id")["review_summary"].apply(list)]
    return pairs, known


def inside(file: str) -> None:
    """Load a model and score, in a process of its own; prints what it took."""
    pairs, _ = texts()
    began = time.process_time()
    model = LexicalCache.load(Path(file))
    loaded = time.process_time() - began
    gem = Gem(model)
    rates = []
    for _ in range(2):
        began = time.process_time()
        gem.scores(pairs)
        rates.append(len(pairs) / (time.process_time() - began))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    print(f"{loaded} {rates[0]} {rates[1]} {peak}")


def main() -> None:
    """Print the table."""
    if not FILE.is_file():
        skip(f"no reviews at {FILE}")
        return
    pairs, known = texts()
    began = time.process_time()
    state = prime(known)
    primed = time.process_time() - began
    began = time.process_time()
    for pair in pairs[:NAIVE]:
        Gem(LexicalCache(prime(known))).scores([pair])
    naive = NAIVE / (time.process_time() - began)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.npz"
        save(state, file)
        size = file.stat().st_size / 1e6
        told = run(
            "-m", "benchmarks.gem_speed", "--inside", str(file), env={"OMP_NUM_THREADS": "1"}
        )
    loaded, cold, warm, peak = map(float, told.output.split())
    head(f"GEM by lexical-cache, {len(pairs)} pairs, one core")
    base = f"counting the background anew {naive:.2f} pairs/s"
    row("scored cold", f"{cold:,.0f} pairs/s", base, cold / naive, ">= 1,000 pairs/s")
    row("scored warm", f"{warm:,.0f} pairs/s", base, warm / naive, ">= 3,000 pairs/s")
    row(
        "loading the model", f"{loaded:.3f} s", f"priming {primed:.1f} s", loaded / primed, "<= 1 s"
    )
    row("state on disk", f"{size:.2f} MB", "3 MB", size / 3, "<= 3 MB")
    row("peak memory", f"{peak:.0f} MB", "-", None, "-")


if __name__ == "__main__":
    inside(sys.argv[2]) if "--inside" in sys.argv else main()
