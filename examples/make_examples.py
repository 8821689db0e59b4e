"""Writes the files of this folder that follow from others.

``paper.pdf`` and ``papers.jsonl`` follow from ``paper.txt``, ``reviews.jsonl`` from the reviews.
Run it after changing one of them: ``python examples/make_examples.py``.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from typeset import write_pdf

HERE = Path(__file__).resolve().parent
PAPER_ID = "crossread"
SCORES = ("rating", "confidence")
NAMES = {"summary_of_the_paper": "summary"}
"""Headings of older review forms, and the names that newer forms give the same box."""
_HEADING = re.compile(r"^(?:## (?P<marked>.+)|(?P<plain>[A-Z][a-z]+):)[ \t]*(?P<rest>.*)$", re.M)


def paper_record(text: str) -> dict[str, object]:
    """The line of ``papers.jsonl``."""
    title, _, rest = text.partition("\n")
    abstract = re.search(r"\nAbstract\n\n(.+?)\n\n1 Introduction\n", rest, re.S)
    if abstract is None:
        raise ValueError("paper.txt has no abstract")
    return {
        "paper_id": PAPER_ID,
        "title": title,
        "abstract": abstract[1],
        "venue": "Invented Conference 2024",
        "year": 2024,
        "authors_withheld": True,
        "text": text,
    }


def sections_of(review: str, *, marked: bool) -> dict[str, str]:
    """The boxes of a review by the names of their headings.

    Args:
        review: The review as one text.
        marked: Whether headings are Markdown (``## Rating``) or end in a colon (``Rating:``).
    """
    names = ("Summary", "Strengths", "Weaknesses", "Questions", "Limitations", "Rating",
             "Confidence")  # fmt: skip
    heads = [
        found
        for found in _HEADING.finditer(review)
        if (found["marked"] if marked else found["plain"] in names)
    ]
    sections: dict[str, str] = {}
    for number, head in enumerate(heads):
        end = heads[number + 1].start() if number + 1 < len(heads) else len(review)
        name = re.sub(r"[^a-z]+", "_", (head["marked"] or head["plain"]).lower())
        text = f"{head['rest'] if head['plain'] else ''}\n{review[head.end() : end]}"
        sections[NAMES.get(name, name)] = text.strip()
    return sections


def review_record(path: Path) -> dict[str, object]:
    """A line of ``reviews.jsonl``."""
    sections = sections_of(path.read_text("utf-8"), marked=path.suffix == ".md")
    record: dict[str, object] = {
        "review_id": f"{PAPER_ID}-{path.stem}",
        "paper_id": PAPER_ID,
        "reviewer": path.stem,
        **{name: int(sections.pop(name)) for name in SCORES},
        "sections": sections,
    }
    response = path.with_name(f"{path.stem}.response.txt")
    if response.exists():
        record["author_response"] = response.read_text("utf-8").strip()
    return record


def review_files() -> list[Path]:
    """The reviews, without the authors' responses."""
    files = (HERE / "reviews").iterdir()
    return sorted(file for file in files if re.fullmatch(r"R\d\.(?:txt|md)", file.name))


def as_lines(records: list[dict[str, object]]) -> str:
    """Records as JSON lines."""
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def write_all(folder: Path) -> None:
    """Writes ``paper.pdf``, ``papers.jsonl`` and ``reviews.jsonl`` into a folder."""
    text = (HERE / "paper.txt").read_text("utf-8")
    reviews = [review_record(path) for path in review_files()]
    write_pdf(text, folder / "paper.pdf")
    (folder / "papers.jsonl").write_text(as_lines([paper_record(text)]), "utf-8", newline="\n")
    (folder / "reviews.jsonl").write_text(as_lines(reviews), "utf-8", newline="\n")


if __name__ == "__main__":
    write_all(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
