"""How much of a corpus of phrasings is warned of in papers, reviews and responses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from reviewscore.papers.addressing import addressing, talk_of_prompts
from reviewscore.papers.load import PaperRow, build_paper
from reviewscore.sources.rows import ReviewRow, build_review

FOLDER = Path(__file__).parent.parent / "data" / "addressing"
FILES = sorted(FOLDER.glob("*.jsonl"))
BEFORE = "We light lamps at night and measure how long they burn.\n\n"
AFTER = "\n\nThe lamps burned for nine hours on average."

Warned = Callable[[str], bool]


def in_a_paper(text: str) -> bool:
    return bool(build_paper(PaperRow(paper_id="p", text=f"{BEFORE}{text}{AFTER}")).warnings)


def in_a_review(text: str) -> bool:
    row = ReviewRow(review_id="r", paper_id="p", text=f"{BEFORE}{text}{AFTER}")
    return bool(build_review(row)[1])


def in_a_response(text: str) -> bool:
    response = f"{BEFORE}{text}{AFTER}"
    row = ReviewRow(review_id="r", paper_id="p", text="Why lamps?", author_response=response)
    return bool(build_review(row)[1])


def texts(file: Path, label: str) -> list[str]:
    records = map(json.loads, file.read_text("utf-8").splitlines())
    return [record["text"] for record in records if record["label"] == label]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
@pytest.mark.parametrize("warned", [in_a_paper, in_a_review, in_a_response])
def test_nine_in_ten_phrasings_are_warned_of_wherever_they_stand(
    file: Path, warned: Warned
) -> None:
    aimed = texts(file, "addresses_model")

    missed = [text for text in aimed if not warned(text)]

    assert len(missed) <= 0.1 * len(aimed), missed


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_few_harmless_texts_and_no_titles_are_warned_of(file: Path) -> None:
    alarms = {
        label: [
            text
            for text in texts(file, label)
            if any(not passage.quoted for passage in addressing(text))
        ]
        for label in ("harmless", "title", "about_prompts")
    }

    assert len(alarms["harmless"]) <= 0.05 * len(texts(file, "harmless")), alarms["harmless"]
    assert alarms["title"] == []
    assert len(alarms["about_prompts"]) <= 0.1 * len(texts(file, "about_prompts"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_half_of_the_texts_about_prompts_are_named_as_such_by_themselves(file: Path) -> None:
    about = texts(file, "about_prompts")

    named = [text for text in about if talk_of_prompts(text) or addressing(text)]

    assert len(named) >= 0.5 * len(about)
