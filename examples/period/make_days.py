"""Write three days of an invented review period: what a venue's export held on each of them.

``python examples/period/make_days.py`` writes ``day-1``, ``day-2`` and ``day-3`` beside itself,
each with ``papers.jsonl`` and ``reviews.jsonl``. Papers (``papers``), reviews
and people are invented.
"""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
TIDE, LANTERN, KEEL, MOSAIC = (
    (HERE / "papers" / f"{name}.md").read_text("utf-8")
    for name in ("tide", "lantern", "keel", "mosaic")
)

TIDE_REVISED = TIDE.replace(
    "## 4 Limitations",
    "### 3.3 Larger models\n\nAsked by the reviewers, we trained a model of 350 million parameters "
    "on text: Tide needs 29 % fewer samples than a fixed batch size, over three seeds."
    "\n\n## 4 Limitations",
).replace("more than 80 million", "more than 350 million")


def paper(name: str, text: str, area: str, **more: Any) -> dict[str, Any]:
    """A row of papers.jsonl."""
    title = text.splitlines()[0].removeprefix("# ")
    row = {"paper_id": name, "title": title, "text": text, "area": area}
    return {**row, "year": 2026, **more}


def review(name: str, about: str, reviewer: str, rating: int, **sections: str) -> dict[str, Any]:
    """A row of reviews.jsonl."""
    row: dict[str, Any] = {"review_id": name, "paper_id": about, "reviewer": reviewer}
    return {**row, "sections": sections, "rating": rating, "confidence": 3}


DAY_1 = (
    [
        paper("tide", TIDE, "optimisation"),
        paper("lantern", LANTERN, "retrieval"),
        paper("keel", KEEL, "simulation", consent="local"),
    ],
    [
        review(
            "tide-1", "tide", "rev-amber", 4,
            summary="The paper raises the batch size by a measured noise ratio.",
            strengths="Simple and cheap.",
            weaknesses="- My main concern is that there is no ablation of the noise ratio, so I "
            "cannot tell whether any schedule would do.\n- Results are reported for a single "
            "seed.\n- Models are small by today's standards.",
            questions="- How many trials were used to tune the learning rate of each method?\n"
            "- Would the schedule also help for language models?",
        ),
        review(
            "tide-2", "tide", "rev-birch", 6,
            summary="A batch size schedule from gradient statistics.",
            strengths="Clear writing, honest limitations.",
            weaknesses="- The method needs additional backward passes to measure the variance, "
            "which doubles the cost of training.\n- Batch normalisation may interact with the "
            "split into parts.",
            questions="- How sensitive is the method to the number of parts?",
        ),
        review(
            "lantern-1", "lantern", "rev-cedar", 5,
            summary="Calibrated refusal for retrieval.",
            strengths="A useful problem.",
            weaknesses="- The paper does not compare with a language model that decides whether "
            "it can answer.\n- All collections are in English.",
            questions="- Which features matter?",
        ),
        review(
            "keel-1", "keel", "rev-amber", 6,
            summary="Penalises the growth of errors in rollouts.",
            strengths="Impressive stability.",
            weaknesses="- The penalty weight is tuned for each system, which is impractical.\n"
            "- High wave numbers lose energy, so that small scales are not to be trusted.",
            questions="- How long does training take in comparison?",
        ),
    ],
)  # fmt: skip


def day_2() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """A paper more, two reviews more, one review edited, one answered."""
    papers, reviews = deepcopy(DAY_1)
    papers.append(paper("mosaic", MOSAIC, "federated learning"))
    first = reviews[0]
    first["sections"] = {
        **first["sections"],
        "weaknesses": first["sections"]["weaknesses"].replace(
            "Models are small by today's standards.",
            "The largest model has 80 million parameters, which is small by today's standards.",
        ),
    }
    reviews[1]["author_response"] = (
        "The eight gradients are parts of the batch that is computed anyway, so no further "
        "backward pass is needed (section 2); the step takes 1.6 % longer (section 3.2)."
    )
    reviews += [
        review(
            "lantern-2", "lantern", "rev-dahlia", 3,
            summary="Adds a refusal to retrieval.",
            strengths="Easy to reproduce.",
            weaknesses="- Calibration is never evaluated, although the title promises it.\n"
            "- The questions of one set were written by the authors.",
            questions="- Does the calibration carry over to another collection?",
        ),
        review(
            "mosaic-1", "mosaic", "rev-birch", 5,
            summary="Federated learning with absent clients.",
            strengths="Realistic participation.",
            weaknesses="- Whether a forgotten client is really forgotten is not tested at all.\n"
            "- The memory grows with the number of clients.",
            questions="- Over how many seeds are the results averaged?",
        ),
    ]  # fmt: skip
    return papers, reviews


def day_3() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """A paper revised, a review withdrawn, a point taken back, a decision."""
    papers, reviews = day_2()
    papers[0]["text"] = TIDE_REVISED
    papers[1]["decision"] = "Accept"
    reviews[1]["rating"] = 7
    reviews[1]["sections"] = {
        **reviews[1]["sections"],
        "final_justification": "The response resolved my concern about additional backward "
        "passes. I raise my score.",
    }
    return papers, [row for row in reviews if row["review_id"] != "keel-1"]


def main() -> None:
    """Write the three days."""
    for number, (papers, reviews) in enumerate((DAY_1, day_2(), day_3()), start=1):
        folder = HERE / f"day-{number}"
        folder.mkdir(exist_ok=True)
        for name, rows in (("papers", papers), ("reviews", reviews)):
            lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            (folder / f"{name}.jsonl").write_text(lines, "utf-8")


if __name__ == "__main__":
    main()
