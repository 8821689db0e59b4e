"""What preparing and generating would cost is told without a key or a call."""

from __future__ import annotations

from pathlib import Path

import pytest

from reviewscore.config import Settings
from reviewscore.gem.generate import expected_to_generate
from reviewscore.gem.prepare import expected_to_prepare
from reviewscore.sources.collection import read_papers
from reviewscore.sources.system_reviews import read_materials
from tests.gem.conftest import REVIEWS, write_lines


def test_every_review_and_every_paper_is_a_call(data: Path) -> None:
    found = expected_to_prepare(
        read_materials(data), read_papers(data), Settings(model="openai/gpt-4.1")
    )

    assert found.calls == {"gem_judgments": 3, "gem_assw": 2}
    assert found.usd is not None
    assert 0.01 < found.usd < 0.1
    assert found.prices is not None


def test_what_came_with_the_reviews_or_is_not_wanted_costs_nothing(data: Path) -> None:
    given = [{**one, "judgments": "The reviewer criticizes it"} for one in REVIEWS]
    write_lines(data / "reviews.jsonl", [dict(one) for one in given])
    materials, papers = read_materials(data), read_papers(data)
    settings = Settings(model="openai/gpt-4.1")

    assert not expected_to_prepare(materials, None, settings).calls
    assert not expected_to_prepare(materials, papers, settings, assw=False).calls
    again = expected_to_prepare(materials, papers, settings, anew=True)
    assert sum(again.calls.values()) == 5


@pytest.mark.parametrize(
    ("models", "calls", "known"),
    [
        (("openai/gpt-4.1", "openai/gpt-4.1"), 2, True),
        (("openai/gpt-4.1", "openai/unheard-of"), 4, False),
        (("exchange:folder",), 2, True),
    ],
)
def test_candidates_are_asked_for_every_paper(
    data: Path, models: tuple[str, ...], calls: int, known: bool
) -> None:
    found = expected_to_generate(read_papers(data), models, Settings())

    assert found.calls == {"gem_review": calls}
    assert (found.usd is not None) == known
