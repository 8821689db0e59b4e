"""Write three days of an invented review period: what a venue's export held on each of them.

``python examples/period/make_days.py`` writes ``day-1``, ``day-2`` and ``day-3`` beside itself,
each with ``papers.jsonl`` and ``reviews.jsonl``. Papers, reviews and people are invented.
"""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent

TIDE = """# Tide Tables for Gradient Noise

## Abstract

We schedule the batch size of stochastic training by the measured ratio of gradient noise to signal. The schedule, Tide, reaches the accuracy of fixed large batches with 38 % fewer samples on four tabular and two image tasks.

## 1 Introduction

Small batches explore, large batches settle. Practitioners raise the batch size by hand at epochs that they remember from earlier projects. We ask whether the noise itself can say when.

## 2 Method

Every 50 steps Tide splits the current batch into eight parts, computes a gradient for each, and takes the variance between parts over the squared norm of their mean. When the ratio, averaged over ten measurements, exceeds 2, the batch size is doubled. The measurement costs no further backward pass, because the eight gradients are those that the batch needs anyway; their sum is the gradient of the step. Memory grows by the size of the model once, for the running variance.

## 3 Experiments

We train on four tabular tasks (Harbour, Quarry, Orchard, Ledger) and on two sets of small images. All results are means over seven seeds; Table 1 gives standard deviations. Learning rates were tuned for each method on the validation split, with twelve trials each.

Table 1: Samples until 95 % of the final accuracy, in thousands. Fixed small batches: 410 (22). Fixed large batches: 520 (31). Hand-made schedule: 395 (40). Tide: 322 (18).

### 3.1 Ablation

Replacing the ratio by the loss plateau raises the samples needed from 322 to 401 thousand. Doubling at fixed epochs instead needs 388 thousand. The number of parts matters little: with four, eight and sixteen parts we need 331, 322 and 320 thousand.

### 3.2 Overhead

On one accelerator, Tide adds 1.6 % to the time of a step, and 4 % of memory.

## 4 Limitations

We have not tried models with more than 80 million parameters. With batch normalisation the parts see other statistics than the whole batch; Harbour and Quarry use it, and we saw no harm there, but we cannot exclude it elsewhere.

## 5 Conclusion

Noise tells when to raise the batch size, at almost no cost.
"""

LANTERN = """# Lantern: Retrieval That Says When It Does Not Know

## Abstract

Retrieval systems return something for every query. Lantern adds a calibrated refusal: a query is answered only if the probability that the best passage holds the answer exceeds a threshold chosen by the user. On three question sets Lantern refuses 71 % of unanswerable questions and 9 % of answerable ones.

## 1 Introduction

A passage that nearly answers is worse than none. We calibrate the score of the best passage on questions of which we know whether the collection answers them.

## 2 Method

For each question we take the scores of the ten best passages, their mean and spread, and the share of question words that the best passage holds. A logistic regression with these thirteen features gives the probability that the question can be answered. It is fitted on 2,000 questions, half of them made unanswerable by removing their passage from the collection.

## 3 Experiments

The three sets are Parish (letters of an archive), Manual (repair manuals) and Court (rulings, translated). We compare with the raw score of the best passage, with the gap between the first and the second, and with a prompt that asks a language model of 7 billion parameters whether it can answer.

Table 1: Refused unanswerable questions at 9 % refused answerable ones. Raw score: 44 %. Gap: 39 %. Language model: 63 %. Lantern: 71 %.

The expected calibration error on held-out questions is 0.03 on Parish, 0.04 on Manual and 0.06 on Court. Fitting on Parish and testing on Court raises it to 0.11.

### 3.1 What the features give

Without the spread of scores, Lantern refuses 66 %; without word overlap 68 %; with the raw score alone 44 %.

## 4 Limitations

All collections are in English or translated into it. Questions were written by the authors for Manual, by readers of the archive for Parish. We do not study conversations.
"""

KEEL = """# Keel: Stable Rollouts for Learned Simulators

## Abstract

Learned simulators drift when they are fed their own predictions. Keel trains on short rollouts with a penalty on the growth of errors, and keeps a shallow-water simulator stable for 10,000 steps.

## 1 Introduction

A simulator that is exact for one step may explode after a hundred. We penalise growth instead of size.

## 2 Method

In training we unroll the network for five steps from a true state and from a perturbed copy of it. The penalty is the logarithm of the ratio of the two distances after and before the rollout, where it is positive. Gradients flow through all five steps. The weight of the penalty, 0.1, was chosen on a validation set of ten trajectories and is the same in all experiments.

## 3 Experiments

Shallow water on a 128 by 128 grid, and Kolmogorov flow at Reynolds number 1,000. Baselines: one-step training, noise injection, and unrolled training without the penalty. Each was trained three times.

Table 1: Steps until the error exceeds that of the climatological mean. One step: 140. Noise injection: 910. Unrolled: 1,300. Keel: more than 10,000 in all three runs.

The spectrum of kinetic energy after 5,000 steps lies within 8 % of the reference at all wave numbers below 40; at higher ones Keel loses up to 60 % of the energy.

Training takes 2.4 times as long as one-step training, and as long as unrolled training.

## 4 Limitations

Both systems are two-dimensional with periodic boundaries. Small scales are too smooth, as the spectrum shows.
"""

MOSAIC = """# Mosaic: Federated Learning with Clients That Come and Go

## Abstract

Clients of federated learning join and leave. Mosaic weighs each update by how long its client has been away, and forgets clients that left on request, at the cost of one vector a client.

## 1 Introduction

Participation is neither random nor full. We model absence explicitly.

## 2 Method

The server keeps, for each client, the sum of its weighted updates. An update of a client that was away for d rounds is multiplied by 0.9 to the power of d. When a client asks to be forgotten, its sum is subtracted from the model and ten rounds of training follow.

## 3 Experiments

We simulate 500 clients on digit and on sensor data; participation follows logs of a bicycle-sharing app. Mosaic reaches 91.2 % (0.3) on digits against 89.8 % (0.4) of averaging; all figures are means over five seeds. After forgetting, a membership attack succeeds for 51 % of the forgotten clients, against 68 % before, and 50 % by chance.

## 4 Limitations

A sum a client takes memory that grows with the number of clients; with 500 clients and our model it is 1.1 GB. We have no proof that forgetting is complete.
"""

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
            weaknesses="- The main concern: there is no ablation of the noise ratio, so I cannot "
            "tell whether any schedule would do.\n- Results are reported for a single seed.\n"
            "- Models are small by today's standards.",
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
