"""Scores one question of one review against the paper, without a model.

Run it from anywhere: ``python examples/score_one_point.py``.
"""

from __future__ import annotations

from pathlib import Path

import reviewscore as rs

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Scores the first question of the first review and prints what the paper says to it."""
    points = rs.split(rs.load_collection(HERE).reviews[0])
    question = next(point for point in points if point.text.endswith("?"))
    result = rs.score(question, HERE / "paper.txt", model="lexical")
    print(f"point:    {result.text}")
    print(f"type:     {result.type}")
    print(f"finding:  {result.finding}")
    for passage in result.passages:
        print(f"passage:  {passage.section}: {passage.quote}")


if __name__ == "__main__":
    main()
