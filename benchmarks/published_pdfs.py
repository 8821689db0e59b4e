"""Published papers as PDF: alarms of hidden text where nothing is hidden, and titles.

The papers are those that the rules were built on, so both figures are in-sample.
"""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.measure import SHARED, head, row, skip
from reviewscore.papers.load import load_paper
from reviewscore.papers.pdf import read_pdf

FOLDERS = ("pdf_dev", "iclr2020_human", "pdf_submissions")


def alarms(papers: list[Path]) -> None:
    """Papers with hidden text that is no stray mark and no label of a figure."""
    found = {path: read_pdf(path).hidden for path in papers}
    alarmed = [path for path, hidden in found.items() if not all(one.stray for one in hidden)]
    for path in alarmed:
        for one in found[path]:
            if not one.stray:
                print(f"<!-- {path.name}, {one.place}, {one.trick}: {one.text[:100]!r} -->")
    strays = sum(map(len, found.values()))
    row(
        "papers with an alarm of hidden text",
        f"{len(alarmed)} of {len(papers)}",
        f"{strays} stretches left out without an alarm",
        None,
        "0",
        met=not alarmed,
    )


def titles(folder: Path) -> None:
    """Titles that are read as they are, case aside, and doubts about them."""
    wanted: dict[str, str] = json.loads((folder / "titles.json").read_text("utf-8"))
    read = {name: load_paper(folder / f"{name}.pdf") for name in wanted}
    right = [name for name in wanted if read[name].title.casefold() == wanted[name].casefold()]
    for name in wanted.keys() - set(right):
        print(f"<!-- {name}: {read[name].title!r} for {wanted[name]!r} -->")
    row(
        "titles right", f"{len(right)} of {len(wanted)}", "-", None, "all",
        met=len(right) == len(wanted),
    )  # fmt: skip
    doubted = [name for name in right if read[name].title_doubt]
    row("right titles that are said to be not sure", str(len(doubted)), "-", None, "-")
    unsure = [name for name in wanted if name not in right and not read[name].title_doubt]
    row(
        "wrong titles without a doubt", str(len(unsure)), "-", None, "0", met=not unsure
    )  # fmt: skip


def main() -> None:
    """Run both where the development data are."""
    head("Published papers as PDF")
    if not SHARED.is_dir():
        skip(f"published papers: no data at {SHARED}")
        return
    alarms(sorted(path for name in FOLDERS for path in (SHARED / name).glob("*.pdf")))
    titles(SHARED / "pdf_dev")


if __name__ == "__main__":
    main()
