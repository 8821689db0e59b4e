"""Scores one question of one review against the paper, without a model.

Run it from anywhere: ``python examples/score_one_point.py``.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from reviewscore import LexicalJudges, load_paper, read_collection, score_point, split_review

HERE = Path(__file__).resolve().parent


async def main() -> None:
    """Scores the first question of the first review and prints what the paper says to it."""
    paper = load_paper(HERE / "paper.txt", year=2024)
    review = read_collection(HERE).reviews[0]
    question = next(point for point in split_review(review) if point.text.endswith("?"))
    result = await score_point(question, paper, LexicalJudges())
    print(f"point:    {result.text}")
    print(f"type:     {result.type}")
    print(f"finding:  {result.finding}")
    for passage in result.passages:
        print(f"passage:  {passage.section}: {passage.quote}")


if __name__ == "__main__":
    asyncio.run(main())
