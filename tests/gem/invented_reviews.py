"""Invented judgments: words of a topic come back within a paper, phrases everywhere."""

from __future__ import annotations

import random

TOPICS = (
    "graph node edge molecule",
    "speech audio phoneme accent",
    "robot gripper torque policy",
    "language token prompt translation",
    "diffusion noise image sampler",
    "fairness bias group threshold",
    "privacy budget client federation",
    "proof bound convexity gradient",
)
_FRAMES = (
    "The reviewer appreciates the {0} idea.",
    "The reviewer appreciates the clear writing of the {0} part.",
    "The reviewer criticizes the missing comparison with other {0} work.",
    "The reviewer criticizes the small {0} experiments.",
    "The reviewer questions the choice of the {0} baseline.",
    "The reviewer suggests an ablation of the {0} module.",
    "The reviewer suggests to report the cost of {0} training.",
)


def review(topic: str, rng: random.Random, *, lines: int = 6) -> str:
    """A review that takes words of its paper's topic."""
    words = topic.split()
    return "\n".join(frame.format(rng.choice(words)) for frame in rng.sample(_FRAMES, lines))


def papers(many: int, *, reviews: int = 3, seed: int = 0) -> list[list[str]]:
    """Reviews of papers, each of which has one word of its own beside its topic."""
    rng = random.Random(seed)
    found = []
    for number in range(many):
        topic = f"{rng.choice(TOPICS)} method{number % (many // 2 + 1)}"
        found.append([review(topic, rng) for _ in range(reviews)])
    return found
