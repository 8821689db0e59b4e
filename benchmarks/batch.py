"""The embedded judge over 25, 50 and 100 papers: time and memory, and how they grow."""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.measure import QUICK, SHARED, Measured, head, row, run, skip

READ_ONLY = (
    "import sys; import reviewscore as rs\n"
    "c = rs.load_collection(sys.argv[1])\n"
    "print(sum(len(rs.split(r)) for r in c.reviews))\n"
    "print(sum(len(c.paper(p).text) for p in c.papers))"
)
"""Baseline: reading every paper with its sections and splitting every review, judging nothing."""


def subset(papers: int, folder: Path) -> Path:
    """The first papers of batch100 with their reviews, as a folder of its own."""
    import pandas as pd

    source = SHARED / "iclr2022" / "batch100"
    table = pd.read_parquet(source / "papers.parquet").head(papers)
    reviews = pd.read_parquet(source / "reviews.parquet")
    folder.mkdir()
    table.to_parquet(folder / "papers.parquet")
    reviews[reviews["paper_id"].isin(table["paper_id"])].to_parquet(folder / "reviews.parquet")
    return folder


def audited(data: Path, out: Path) -> Measured:
    """Audit a folder with the embedded judge."""
    return run("-m", "reviewscore", "audit", str(data), "-o", str(out), "--quiet")


def main() -> None:
    """Measure throughput; needs the development data."""
    if not SHARED.is_dir():
        skip(f"no data at {SHARED}")
        return
    head("Batch with the embedded judge (2 cores)")
    with tempfile.TemporaryDirectory() as work:
        first: float | None = None
        sizes = (2, 4) if QUICK else (25, 50, 100)
        for papers in sizes:
            data = subset(papers, Path(work) / f"data{papers}")
            baseline = run("-c", READ_ONLY, str(data))
            result = audited(data, Path(work) / f"run{papers}")
            row(
                f"{papers} papers, {papers * 3} reviews",
                f"{result.seconds:.1f} s, {result.peak_mb:.0f} MB",
                f"read and split only {baseline.seconds:.1f} s, {baseline.peak_mb:.0f} MB",
                result.seconds / baseline.seconds,
                "<= 60 s, <= 1,000 MB" if papers == 100 else "-",
            )
            per_paper = result.seconds / papers
            first = first or per_paper
            row(
                "… a paper",
                f"{per_paper:.3f} s",
                f"a paper of {sizes[0]}: {first:.3f} s",
                per_paper / first,
                "about 1 (linear)",
            )
        again = audited(data, Path(work) / f"run{papers}")
        row(
            "same command again (all done)",
            f"{again.seconds:.1f} s",
            f"first run {result.seconds:.1f} s",
            again.seconds / result.seconds,
            "< 1",
        )


if __name__ == "__main__":
    main()
