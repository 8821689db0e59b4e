"""Submissions with line numbers: what of two invented papers in twelve layouts is read.

`numbered_papers_data/open` holds the layouts that the rules were built on, `kept_back` beside it
those that were opened once, after the rules were done. Each PDF has its truth beside it.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from rapidfuzz import fuzz

from benchmarks.measure import head, row
from reviewscore.papers.load import load_paper
from reviewscore.schema.paper import Paper
from reviewscore.stats.resampling import wilson

DATA = Path(__file__).parent / "numbered_papers_data"
_ALIKE = 60
"""Likeness (0..100) from which on a line's first words are those of the truth; mathematics and
indices in them are written otherwise."""


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


def _line_is_there(paper: Paper, line: dict[str, Any]) -> bool:
    """Whether the printed number leads to its line: to the words beside it, on its page."""
    words = line["words"]
    reach = (120, 200) if line.get("ruler") else (0, len(words))
    likeness = fuzz.partial_ratio if line.get("ruler") else fuzz.ratio
    return any(
        likeness(words, paper.text[max(0, one.start - reach[0]) : one.start + reach[1]]) >= _ALIKE
        for one in paper.lines
        if one.number == line["number"] and one.page == line["page"]
    )


def counts(pdf: Path) -> dict[str, tuple[int, int]]:
    """What is read right, and of how many, of one PDF."""
    truth = json.loads(pdf.with_suffix(".json").read_text("utf-8"))
    paper = load_paper(pdf)
    text = _letters(paper.text)
    titles = {_letters(section.title) for section in paper.sections}
    kept = [one for one in truth["kept_numbers"] if not one.get("loose")]
    found = {
        "sentences": [_letters(one) in text for one in truth["sentences"]],
        "headings": [_letters(one) in titles for one in truth["headings"]],
        "numbers of the authors": [
            _letters(one["before"] + one["number"] + one["after"]) in text for one in kept
        ],
        "printed line numbers": [_line_is_there(paper, one) for one in truth.get("lines", [])],
        "titles": [_letters(paper.title) == _letters(truth["title"])],
    }
    return {name: (sum(each), len(each)) for name, each in found.items()}


GOALS = {"sentences": 0.99, "headings": 0.97, "numbers of the authors": 1.0,
         "printed line numbers": 1.0}  # fmt: skip


def main() -> None:
    """Print a table for each half of the layouts."""
    for half, title in (("open", "layouts built on"), ("kept_back", "layouts kept back")):
        head(f"Submissions with line numbers: {title}")
        total: dict[str, list[int]] = {}
        for pdf in sorted((DATA / half).glob("*.pdf")):
            for name, (right, of) in counts(pdf).items():
                both = total.setdefault(name, [0, 0])
                both[0], both[1] = both[0] + right, both[1] + of
        for name, (right, of) in total.items():
            low, high = wilson(right, of)
            goal = GOALS.get(name)
            row(
                name,
                f"{right} of {of}: {right / of:.4f} [{low:.4f}, {high:.4f}]",
                "none by nature",
                None,
                f">= {goal}" if goal else "-",
                met=None if goal is None else right / of >= goal,
            )


if __name__ == "__main__":
    main()
