"""Audits the three reviews of this folder without a model and prints what it found.

The run folder is a temporary one. Run it from anywhere: ``python examples/audit_folder.py``.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import reviewscore as rs

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Audits this folder and prints the points that the paper speaks to."""
    with tempfile.TemporaryDirectory() as folder:
        run = rs.audit(HERE, Path(folder) / "run", model="lexical")
        print(f"{len(run.points)} points of {len(run.reviews)} reviews, judge {run.summary.judge}")
        table = run.to_frame()
        found = table[table["finding"] == "addressed"]
        for point in found.itertuples():
            print(f"{point.review_id}, point {point.number}: {point.first_passage}")


if __name__ == "__main__":
    main()
