"""Time of the lexical judge per paper and per point, and whether two runs agree.

python -m benchmarks.lexical_speed
"""

from __future__ import annotations

import argparse
import hashlib
import time
from collections import defaultdict

from benchmarks.lexical_batch import BATCH, papers, points
from benchmarks.measure import QUICK, head, row, skip
from reviewscore.judges.lexical.finder import find
from reviewscore.retrieval.index import PaperIndex, index_of


def percentile(times: list[float], share: float) -> float:
    """The nearest-rank percentile of some times, in milliseconds."""
    return 1000 * sorted(times)[min(len(times) - 1, int(share * len(times)))]


def one_run() -> tuple[list[float], list[float], str]:
    """Seconds per paper, seconds per point, and a digest of every outcome."""
    by_paper = defaultdict(list)
    for point in points():
        by_paper[point.paper_id].append(point)
    building: list[float] = []
    finding: list[float] = []
    digest = hashlib.sha256()
    for paper_id, paper in list(papers().items())[: 5 if QUICK else None]:
        start = time.perf_counter()
        PaperIndex(paper)
        building.append(time.perf_counter() - start)
        index_of(paper)
        for point in by_paper[paper_id]:
            start = time.perf_counter()
            found = find(point.text, paper)
            finding.append(time.perf_counter() - start)
            digest.update(f"{point.point_id} {found}\n".encode())
    return building, finding, digest.hexdigest()


def main() -> None:
    """Print the medians and 95th percentiles of two runs, and their digests."""
    parser = argparse.ArgumentParser(description="Time of the lexical judge.")
    parser.parse_args()
    if not BATCH.is_dir():
        skip(f"no data at {BATCH}")
        return
    digests = set()
    for run in (1, 2):
        building, finding, digest = one_run()
        digests.add(digest)
        print(
            f"run {run}: paper {percentile(building, 0.5):.0f} ms (median), "
            f"{percentile(building, 0.95):.0f} ms (95 %), n = {len(building)}; "
            f"point {percentile(finding, 0.5):.2f} ms (median), "
            f"{percentile(finding, 0.95):.2f} ms (95 %), n = {len(finding)}; {digest[:16]}"
        )
    head("The embedded judge, paper by paper")
    text = [one.text for one in papers().values()]
    start = time.perf_counter()
    for one in text:
        one.lower().split()
    words = 1000 * (time.perf_counter() - start) / len(text)
    base = f"splitting the paper into words {words:.2f} ms"
    paper, point = percentile(building, 0.5), percentile(finding, 0.5)
    row("index of a paper, median", f"{paper:.0f} ms", base, paper / words, "-")
    row("one point, median", f"{point:.2f} ms", base, point / words, "-")
    same = len(digests) == 1
    row("two runs", "identical" if same else "DIFFERENT", "-", None, "identical", met=same)


if __name__ == "__main__":
    main()
