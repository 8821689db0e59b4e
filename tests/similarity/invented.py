"""Small invented corpora and ratings."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from reviewscore.similarity.corpus import ONLY, Corpus, Publication

TEXTS = {
    "frogs": ("Counting frogs", "Microphones record frogs that call in ponds at night"),
    "toads": ("Toads at night", "Toads call in ponds; microphones record toads and frogs"),
    "newts": ("Newts in ponds", "Cameras watch newts in ponds at night"),
    "bread": ("Baking bread", "Sourdough bread rises slowly in warm ovens"),
    "cakes": ("Baking cakes", "Cakes rise in ovens; flour and butter are weighed"),
    "rivers": ("Rivers and floods", "Rainfall fills rivers and floods follow"),
    "lakes": ("Lakes", "Rainfall fills lakes; ponds dry out"),
}
"""Titles and abstracts by paper."""


def corpus(
    profiles: Mapping[str, Sequence[str]] | None = None,
    submissions: Sequence[str] = ("frogs", "cakes", "floods"),
    **more: Publication,
) -> Corpus:
    """Three submissions and three reviewers, one a field."""
    papers = {name: Publication(name, *texts) for name, texts in TEXTS.items()}
    papers["floods"] = Publication("floods", "Floods", "Rivers flood after rainfall", year=2021)
    papers |= more
    own = profiles or {
        "ann": ("toads", "newts"),
        "bob": ("bread",),
        "cyd": ("rivers", "lakes"),
    }
    return Corpus(
        papers, tuple(submissions), {ONLY: {who: tuple(some) for who, some in own.items()}}
    )


def write_jsonl(path: Path, records: Sequence[Mapping[str, object]]) -> Path:
    """Write records, one a line."""
    path.write_text("".join(json.dumps(one) + "\n" for one in records), "utf-8")
    return path


def write_corpus(folder: Path, **changed: Mapping[str, object]) -> Path:
    """The corpus as files, with fields of some papers changed; None takes one away."""
    folder.mkdir(exist_ok=True)
    found = corpus()
    records = []
    for name, one in found.papers.items():
        record = {
            "paper_id": name, "title": one.title, "abstract": one.abstract,
            "is_submission": name in found.submissions,
        } | changed.get(name, {})  # fmt: skip
        records.append({field: value for field, value in record.items() if value is not None})
    write_jsonl(folder / "papers.jsonl", records)
    write_jsonl(
        folder / "profiles.jsonl",
        [{"reviewer_id": who, "paper_id": one}
         for who, some in found.profiles[ONLY].items() for one in some],
    )  # fmt: skip
    return folder


RATINGS = """reviewer_id,paper_id,expertise
ann,frogs,5
ann,cakes,1
ann,floods,2.5
bob,cakes,4.5
bob,frogs,1.25
cyd,floods,4
cyd,frogs,3
cyd,cakes,1
"""


def write_ratings(folder: Path) -> Path:
    """Ratings of the corpus, beside it."""
    path = folder / "evaluations.csv"
    path.write_text(RATINGS, "utf-8")
    return path
