"""Audits the three reviews of this folder without a model and prints the summary.

The run folder is a temporary one. Run it from anywhere: ``python examples/audit_folder.py``.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from reviewscore import audit, read_collection
from reviewscore.config import EMBEDDED, resolve
from reviewscore.report.lines import summary_lines
from reviewscore.report.summary import write_summary

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Audits this folder and prints the numbers of the run."""
    collection = read_collection(HERE)
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        audit(collection, run, resolve({"model": EMBEDDED}))
        for line in summary_lines(write_summary(run)):
            print(line)


if __name__ == "__main__":
    main()
