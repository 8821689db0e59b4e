"""Writes ``papers.jsonl`` and ``planted.jsonl`` of this folder from what they follow from.

The papers are ``valve.md`` and ``inkline.md``; ``items.toml`` holds the planted remarks by quotes
from them, and ``confirmed.json``, where it is there, what a verifier said of the two truths of each
by its identifier: ``{"valve.0123abcd": {"misinformed": "yes", "fair": "yes"}}``. Run it after
changing one of them: ``python examples/validate/make_set.py [FOLDER]``.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

from reviewscore.schema.annotation import AnnotatorKind
from reviewscore.schema.marks import sum_of_words
from reviewscore.schema.planted_point import (
    Confirmed,
    PlantedForm,
    PlantedPassage,
    PlantedPoint,
    Stratum,
    TextEdit,
)
from reviewscore.schema.point_label import PassagePlace
from reviewscore.sources.collection import read_papers

HERE = Path(__file__).resolve().parent
PAPERS = ("valve", "inkline")
SOURCE = "examples/validate"
_TO = " .. "


def paper_record(paper_id: str) -> dict[str, object]:
    """The line of ``papers.jsonl`` of a paper."""
    text = (HERE / f"{paper_id}.md").read_text("utf-8")
    abstract = re.search(r"\n## Abstract\n\n(.+?)\n\n## 1 ", text, re.S)
    if abstract is None:
        raise ValueError(f"{paper_id}.md has no abstract")
    return {
        "paper_id": paper_id,
        "title": text.partition("\n")[0].removeprefix("# "),
        "abstract": abstract[1],
        "venue": "Invented Conference 2026",
        "year": 2026,
        "authors_withheld": True,
        "text": text,
    }


def place_of(quote: str, text: str) -> tuple[int, int]:
    """Where a quote stands in a text: all of it, or from its first words to its last ones.

    Raises:
        ValueError: It stands nowhere, or in several places.
    """
    first, _, last = quote.partition(_TO)
    if text.count(first) != 1:
        raise ValueError(f"{first!r} stands {text.count(first)} times in the paper")
    start = text.index(first)
    end = text.find(last, start + len(first)) + len(last) if last else start + len(first)
    if end < start + len(first) or "\n\n" in text[start:end]:
        raise ValueError(f"{last!r} does not follow {first!r} in its paragraph")
    return start, end


def edits(quotes: list[str], text: str) -> tuple[TextEdit, ...]:
    """Quotes as stretches to be taken out, in the order of the paper."""
    places = sorted(place_of(quote, text) for quote in quotes)
    return tuple(TextEdit(start=start, end=end) for start, end in places)


def planted_point(
    item: dict[str, Any], text: str, confirmed: dict[str, dict[str, str]]
) -> PlantedPoint:
    """An item with offsets and sums.

    Args:
        item: As ``items.toml`` holds it.
        text: The text of its paper as it is read.
        confirmed: What a verifier says of items, by identifier.
    """
    passages = [
        (PassagePlace(place), *place_of(quote, text)) for place, quote in item.get("passages", [])
    ]
    quotes = item.get("cuts", [quote for _, quote in item.get("passages", [])])
    name = f"{item['paper']}.{hashlib.sha256(item['remark'].encode()).hexdigest()[:8]}"
    said = Confirmed.model_validate_json(json.dumps(confirmed[name])) if name in confirmed else None
    form = PlantedForm(item["form"])
    deep = bool(passages) and {place for place, *_ in passages} == {PassagePlace.APPENDIX}
    sure = said is not None and said.beyond_doubt and form is not PlantedForm.HEDGED and not deep
    return PlantedPoint(
        id=name,
        source=SOURCE,
        paper_id=item["paper"],
        paper_text_sha256=hashlib.sha256(text.encode()).hexdigest(),
        remark=item["remark"],
        paraphrases=tuple(item["paraphrases"]),
        form=form,
        stratum=Stratum.PLAIN if sure else Stratum.HARD,
        fact=item["fact"],
        passages=tuple(
            PlantedPassage(start=start, end=end, sha256=sum_of_words(text[start:end]), place=place)
            for place, start, end in sorted(passages, key=lambda passage: passage[1])
        ),
        cuts=edits(quotes, text),
        decoys=edits(item.get("decoys", []), text),
        fair_about=item.get("fair_about"),
        confirmed=said,
        writer="W1",
        writer_kind=AnnotatorKind.MODEL,
        verifier="V1" if said else None,
        verifier_kind=AnnotatorKind.MODEL if said else None,
    )


def items() -> list[dict[str, Any]]:
    """The items of ``items.toml``."""
    read: list[dict[str, Any]] = tomllib.loads((HERE / "items.toml").read_text("utf-8"))["item"]
    return read


def write_all(folder: Path) -> None:
    """Writes ``papers.jsonl`` and ``planted.jsonl`` into a folder."""
    lines = [json.dumps(paper_record(name), ensure_ascii=False) for name in PAPERS]
    (folder / "papers.jsonl").write_text("\n".join(lines) + "\n", "utf-8", newline="\n")
    texts = {name: one.load().text for name, one in read_papers(folder).papers.items()}
    file = HERE / "confirmed.json"
    confirmed = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    points = [planted_point(item, texts[item["paper"]], confirmed) for item in items()]
    # The identifier is drawn from the remark, so that the order tells nothing of form or place.
    points.sort(key=lambda point: (PAPERS.index(point.paper_id), point.id))
    lines = [point.model_dump_json(by_alias=True) for point in points]
    (folder / "planted.jsonl").write_text("\n".join(lines) + "\n", "utf-8", newline="\n")


if __name__ == "__main__":
    write_all(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
