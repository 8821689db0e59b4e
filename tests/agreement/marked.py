"""Invented reviews and the points that invented readers marked in them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from reviewscore.schema.review import Review

CONCERNS = (
    "There is no ablation of the gate.",
    "The gain may be chance, as a single seed was run.",
    "Which learning rate was used for the harbours?",
    "Please add the storm of last March.",
)
SENTENCES = {
    CONCERNS[0]: ("claim", "criticism", 4),
    CONCERNS[1]: ("argument", "criticism", 2),
    CONCERNS[2]: ("question", "question", 1),
    CONCERNS[3]: ("claim", "request", 5),
}


def reviews(papers: int = 6) -> dict[str, Review]:
    """Two reviews of each paper, with two concerns in each."""
    made = {}
    for paper in range(papers):
        for number in (1, 2):
            name = f"tides{paper}-r{number}"
            fields = {
                "weaknesses": f"Of paper {paper}: {CONCERNS[number - 1]}\n\nThanks!",
                "questions": CONCERNS[number + 1],
            }
            made[name] = Review(review_id=name, paper_id=f"tides{paper}", fields=fields)
    return made


def marks(known: Mapping[str, Review], annotator: str = "A1", **more: object) -> list[dict]:
    """One object for each concern, as a reader writes it into a sheet."""
    made: list[dict] = []
    for review in known.values():
        for field, text in review.fields.items():
            for concern, (kind_of_point, kind, score) in SENTENCES.items():
                if concern in text:
                    made.append({
                        "review_id": review.review_id, "section": field, "spans": [concern],
                        "type": kind_of_point, "kind": kind, "score": score, "standing": score,
                        "supplies": None, "passages": [], "where": None, "acknowledged": False,
                        "not_visible": False, "also": [], "annotator": annotator,
                        "annotator_kind": "model", "reason": "Invented.",
                    } | more)  # fmt: skip
    return made


def write(path: Path, lines: list[dict]) -> Path:
    """Lines as JSONL."""
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    return path


def write_reviews(folder: Path, known: Mapping[str, Review]) -> Path:
    """A folder of papers and their reviews."""
    folder.mkdir(exist_ok=True)
    papers = {review.paper_id for review in known.values()}
    text = "We use a gate.\n\nThe rate was 0.003 for all harbours. Five seeds were run."
    write(
        folder / "papers.jsonl",
        [{"paper_id": name, "title": f"Tides {name}", "text": text} for name in sorted(papers)],
    )
    write(
        folder / "reviews.jsonl",
        [
            {"review_id": one.review_id, "paper_id": one.paper_id, "sections": dict(one.fields)}
            for one in known.values()
        ],
    )
    return folder
