"""Text that addresses a model: how much of the corpus is warned of, and what is a false alarm.

The corpus lies in `tests/data/addressing`: invented phrasings, written by somebody else than the
author of the detector. Every phrasing is put into a paper, a review and a response. False alarms
are counted on real reviews and papers, where the development data are, and on the corpus' harmless
texts, titles and texts about prompts.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from benchmarks.measure import ROOT, SHARED, head, row, skip
from reviewscore.papers.addressing import addressing, talk_of_prompts
from reviewscore.papers.load import PaperRow, build_paper
from reviewscore.sources.reviews import ReviewRow, build_review
from reviewscore.stats.resampling import wilson

CORPUS = ROOT / "tests" / "data" / "addressing"
KEPT_BACK = Path(__file__).parent / "addressing_data" / "third_kept_back.jsonl"
Entry = Mapping[str, str]
REAL = {
    "papers of ICLR 2022": ("iclr2022/batch100/papers.parquet", "text"),
    "submissions to NeurIPS": ("neurips/submissions_papers.parquet", "text"),
    "reviews of ICLR 2022": ("iclr2022/batch100/reviews.parquet", "sections"),
    "reviews of ICLR 2023": ("iclr2023_reviews/iclr2023_reviews_dev.parquet", "review"),
    **{
        f"reviews of NeurIPS {year}": (f"neurips/reviews_{year}.parquet", "sections")
        for year in (2023, 2024, 2025)
    },
}
ALLOWED = 0.005
"""Share of real reviews with a false alarm that is aimed at; of papers none."""


def in_paper(text: str) -> bool:
    """Whether a paper with this text carries a warning."""
    return bool(build_paper(PaperRow(paper_id="p", text=f"We light lamps.\n\n{text}")).warnings)


def in_review(text: str) -> bool:
    """Whether a review with this text carries one."""
    return bool(build_review(ReviewRow(review_id="r", paper_id="p", text=text))[1])


def in_response(text: str) -> bool:
    """Whether a review with this response carries one."""
    row_ = ReviewRow(review_id="r", paper_id="p", text="Why lamps?", author_response=text)
    return bool(build_review(row_)[1])


PLACES: dict[str, Callable[[str], bool]] = {
    "paper": in_paper,
    "review": in_review,
    "response": in_response,
}


def alarmed(text: str) -> bool:
    """Whether a text itself gives an alarm."""
    return any(not passage.quoted for passage in addressing(text))


def share(hits: Sequence[bool]) -> str:
    """A rate with its 95 % Wilson interval and what it is of."""
    low, high = wilson(sum(hits), len(hits))
    return f"{sum(hits) / len(hits):.1%} [{low:.1%}, {high:.1%}] of {len(hits)}"


def rates(entries: Iterable[Entry], by: str) -> None:
    """The share of phrasings that are warned of in a paper, by a property of theirs."""
    groups: dict[str, list[bool]] = defaultdict(list)
    for entry in entries:
        groups[entry[by]].append(in_paper(entry["text"]))
    for name, hits in sorted(groups.items()):
        row(f"… {by} {name}", share(hits), "-", None, "-")


def corpus(file: Path) -> None:
    """Rates on one file of the corpus."""
    entries: list[Entry] = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    labelled: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        labelled[entry["label"]].append(entry)
    head(f"Phrasings that address a model: {file.stem}")
    aimed = labelled["addresses_model"]
    for place, warned in PLACES.items():
        hits = [warned(entry["text"]) for entry in aimed]
        row(f"{file.stem}: warned of in a {place}", share(hits), "-", None, ">= 90 %")
    for by in ("kind", "language", "disguise"):
        rates(aimed, by)
    for label, goal in (("harmless", "<= 5 %"), ("title", "0"), ("about_prompts", "-")):
        hits = [alarmed(entry["text"]) for entry in labelled[label]]
        met = not any(hits) if goal == "0" else None
        row(f"{file.stem}: alarms on {label}", share(hits), "-", None, goal, met=met)
    named = [
        bool(addressing(entry["text"]) or talk_of_prompts(entry["text"]))
        for entry in labelled["about_prompts"]
    ]
    row(f"{file.stem}: about prompts and named so", share(named), "-", None, "-")


def boxes(cell: object) -> list[str]:
    """The texts of a cell: one, or those of a JSON object."""
    try:
        cells = json.loads(str(cell))
    except ValueError:
        return [str(cell)]
    return [str(text) for text in cells.values()] if isinstance(cells, dict) else [str(cell)]


def real() -> None:
    """False alarms and time on real papers and reviews."""
    import pandas as pd

    head("False alarms on real papers and reviews")
    for name, (file, column) in REAL.items():
        texts = [boxes(cell) for cell in pd.read_parquet(SHARED / file)[column]]
        began = time.process_time()
        hits = [any(alarmed(text) for text in document) for document in texts]
        each = (time.process_time() - began) / len(texts)
        papers = not name.startswith("reviews")
        allowed = 0.0 if papers else ALLOWED
        met = sum(hits) <= allowed * len(hits)
        length = sum(len(text) for document in texts for text in document) / len(texts)
        row(
            f"{len(texts):,} {name}: alarms",
            f"{share(hits)} ({each * 1000:.1f} ms each, {each / length * 1e8:.0f} ms per 100 kB)",
            "-",
            None,
            "0" if papers else f"<= {ALLOWED:.1%}",
            met=met if name != "submissions to NeurIPS" else None,
        )


def main() -> None:
    """Rates on the corpus, and false alarms on real data where they lie."""
    for file in (*sorted(CORPUS.glob("*.jsonl")), KEPT_BACK):
        corpus(file)
    if SHARED.is_dir():
        real()
    else:
        skip(f"real papers and reviews: no data at {SHARED}")


if __name__ == "__main__":
    main()
