"""What images of pages are estimated to cost, by the rules that providers publish."""

from __future__ import annotations

import pytest

from reviewscore.llm.page_tokens import most_tokens_of_pages, page_tokens, tokens_of_pages
from reviewscore.llm.prices import Price, worst_case
from tests.llm.pages_of_tests import shown
from tests.sessions import plain_request

LETTER, A4 = (935, 1210), (910, 1287)


@pytest.mark.parametrize(
    ("model", "letter", "a4"),
    [
        ("anthropic/claude-sonnet-5", 34 * 44, 33 * 46),
        ("litellm/anthropic/claude-sonnet-5", 34 * 44, 33 * 46),
        ("openai/gpt-4o", 85 + 4 * 170, 85 + 6 * 170),
        ("openai/gpt-4o-mini", 2833 + 4 * 5667, 2833 + 6 * 5667),
        ("openai/gpt-5", 70 + 4 * 140, 70 + 6 * 140),
        ("openai/gpt-5-2025-08-07", 70 + 4 * 140, 70 + 6 * 140),
        ("openai/gpt-4.1-mini", 1847, 1927),
        ("openai/gpt-6-sol", 1368, 1427),
        ("litellm/gemini/gemini-3-pro", 1120, 1120),
        ("litellm/gemini/gemini-2.5-pro", 4 * 258, 4 * 258),
        ("ollama/qwen3-vl:8b", 34 * 44, 33 * 46),
    ],
)
def test_a_page_comes_to_what_its_provider_says(model: str, letter: int, a4: int) -> None:
    assert page_tokens(model, LETTER) == letter
    assert page_tokens(model, A4) == a4
    assert tokens_of_pages(model, [LETTER, A4]) == letter + a4
    assert most_tokens_of_pages(model, [LETTER]) >= 2 * letter


def test_the_most_that_a_call_can_cost_counts_its_pages() -> None:
    price = Price(input=1_000_000.0, cached=0.0, output=0.0)
    asked = plain_request(model="openai/gpt-4o", prefix="A paper.")

    with_pages = worst_case(asked.model_copy(update={"pages": shown(2)}), price)

    alone = worst_case(asked, price)
    assert alone is not None
    assert with_pages == pytest.approx(alone + 2 * 4784)
