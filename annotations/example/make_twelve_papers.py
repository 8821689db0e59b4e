"""Writes ``twelve-papers/``: invented papers, reviews, labels and the replies of two judges.

A paper says each of eight things in full, in passing or not at all, by chance; its review doubts
four of them and asks for the other four. What is true follows from that, and every reader of the
set sees it with errors of its own, drawn with a seed. Run it again when a prompt has changed:
``python annotations/example/make_twelve_papers.py``.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from reviewscore.agreement.judge_scores import point_units, read_run
from reviewscore.schema.annotation import Unit

OUT = Path(__file__).resolve().parent / "twelve-papers"
SEED = 22
FULL, PASSING, ABSENT = "full", "passing", "absent"
STATES, CHANCES = (FULL, PASSING, ABSENT), (0.3, 0.2, 0.5)
TRUTH = {FULL: 1, PASSING: 3, ABSENT: 5}
"""Unanswerability of a question about such a thing, and factuality of the claim that it lacks."""


class Reader(NamedTuple):
    """How far a reader's score lies from the truth: one lower, one higher, or anything."""

    lower: float
    higher: float
    anything: float


PEOPLE = {"A1": Reader(0.10, 0.10, 0.03), "A2": Reader(0.15, 0.10, 0.05),
          "A3": Reader(0.05, 0.20, 0.05)}  # fmt: skip
MODELS = {"M1": Reader(0.20, 0.10, 0.05)}
JUDGES = {"strict": Reader(0.45, 0.05, 0.10), "lenient": Reader(0.05, 0.35, 0.20)}


class Matter(NamedTuple):
    """Something that a paper may say.

    Attributes:
        full: The sentence that says it.
        passing: The sentence that only touches it.
        claim: The reviewer's claim that the paper lacks it.
        question: The reviewer's question for it.
    """

    full: str
    passing: str
    claim: str
    question: str


MATTERS = (
    Matter("The learning rate is {small} for all datasets.",
           "The learning rate was chosen on held-out rows.",
           "The learning rate is not reported.", "Which learning rate was used?"),
    Matter("All numbers are means over {count} random seeds.",
           "We repeated the main experiment with other seeds.",
           "The number of random seeds is not reported.", "How many random seeds were used?"),
    Matter("Each run took {hours} hours on a single graphics card.",
           "Training was affordable on our cluster.",
           "The training cost is not reported.", "How long does training take?"),
    Matter("Leaving out one part at a time, we lose most, {points} points, without the gate.",
           "Without the gate the method was worse in a first trial.",
           "There is no ablation study.", "Which part of the method brings most of the gain?"),
    Matter("A paired test over folds gives p = 0.00{count} for the gain on every dataset.",
           "Most gains are larger than the spread over folds.",
           "There is no test of significance.", "Are the gains significant?"),
    Matter("Varying the window from 2 to {count}0 changes accuracy by less than a point.",
           "Other windows behaved similarly.",
           "The sensitivity to the window size is not analysed.",
           "How sensitive are the results to the window size?"),
    Matter("We see three limits: short records, rare events, and sensors that drift.",
           "Not every kind of record suits the method.",
           "The limitations are not discussed.", "On which records does the method fail?"),
    Matter("Records were labelled by {count} trained readers, and ties were settled by a fourth.",
           "The labels come from experienced readers.",
           "It is not described how the records were labelled.", "Who labelled the records?"),
)  # fmt: skip
TOPICS = (
    ("Harbour", "tide gauges"), ("Lantern", "street lights"), ("Orchard", "fruit scales"),
    ("Quarry", "blast sensors"), ("Meadow", "grazing collars"), ("Bellows", "organ pipes"),
    ("Ferry", "ticket gates"), ("Kiln", "oven probes"), ("Glacier", "ice radars"),
    ("Loom", "weaving machines"), ("Apiary", "hive scales"), ("Signal", "railway relays"),
)  # fmt: skip


class Point(NamedTuple):
    """A point of a review, what is true of it, and the sentence that it is about."""

    paper_id: str
    text: str
    type: str
    truth: int
    sentence: str


Scores: TypeAlias = dict[Point, int]
"""What a judge says of each point, 1 to 5."""


def paper(name: str, source: str, rng: np.random.Generator) -> tuple[dict[str, object], list[str]]:
    """A paper, and of each matter the sentence that stands in it (empty if none does)."""
    numbers = {
        "small": f"0.00{rng.integers(1, 9)}",
        "count": int(rng.integers(3, 9)),
        "hours": int(rng.integers(2, 40)),
        "points": f"{rng.integers(1, 4)}.{rng.integers(0, 9)}",
    }
    states = rng.choice(STATES, size=len(MATTERS), p=CHANCES)
    sentences = [
        {FULL: one.full, PASSING: one.passing, ABSENT: ""}[state].format(**numbers)
        for one, state in zip(MATTERS, states, strict=True)
    ]
    abstract = (
        f"We present {name}, a method that finds unusual events in records of {source}. It reads "
        "a window of each record, keeps what a gate lets through, and compares it with the past."
    )
    said = [one for one in sentences if one]
    title = f"{name}: Unusual Events in Records of {source.title()}"
    text = "\n\n".join([
        f"{name}: Unusual Events in Records of {source.title()}",
        "Abstract", abstract, "1 Introduction",
        f"Records of {source} are long, and few people have the time to read them. {name} points "
        "to the minutes that are worth a look.",
        "2 Method",
        f"{name} has three parts: a window, a gate and a memory. The window moves over the record; "
        "the gate drops what is usual at that time of day; the memory holds the last month.",
        "3 Experiments",
        " ".join([f"We compare {name} with two older detectors on three sets of {source}.",
                  *said[::2]]),
        "4 Discussion",
        " ".join([*said[1::2], f"{name} is a help for readers and replaces none."]),
    ])  # fmt: skip
    record: dict[str, object] = {
        "paper_id": name.lower(),
        "title": title,
        "abstract": abstract,
        "venue": "Invented Workshop 2024",
        "year": 2024,
        "authors_withheld": True,
        "text": text,
    }
    return record, sentences


def review(
    name: str, sentences: list[str], rng: np.random.Generator
) -> tuple[dict[str, object], list[Point]]:
    """A review of it: four claims and four questions."""
    order = rng.permutation(len(MATTERS))
    points = []
    for place, at in enumerate(order):
        one, sentence = MATTERS[at], sentences[at]
        claim = place < len(MATTERS) // 2
        truth = {"": ABSENT, one.passing: PASSING}.get(sentence, FULL)
        words, kind = (one.claim, "claim") if claim else (one.question, "question")
        points.append(Point(name.lower(), words, kind, TRUTH[truth], sentence))
    boxes = {
        kind: "\n".join(f"- {one.text}" for one in points if one.type == kind)
        for kind in ("claim", "question")
    }
    sections = {
        "summary": f"The paper presents {name}, a detector of unusual events.",
        "weaknesses": boxes["claim"],
        "questions": boxes["question"],
    }
    record: dict[str, object] = {
        "review_id": f"{name.lower()}-R1",
        "paper_id": name.lower(),
        "reviewer": "R1",
        "sections": sections,
    }
    return record, points


def seen(truth: int, reader: Reader, rng: np.random.Generator) -> int:
    """The truth as a reader scores it, 1 to 5."""
    drawn = rng.random()
    if drawn < reader.lower:
        return max(1, truth - 1)
    if drawn < reader.lower + reader.higher:
        return min(5, truth + 1)
    if drawn < sum(reader):
        return int(rng.integers(1, 6))
    return truth


def reply(asked: dict[str, Any], reviews: dict[str, list[Point]], scores: Scores) -> object:
    """A judge's reply to a prompt."""
    record = asked["record"]
    shown = "".join(message["content"] for message in asked["messages"])
    if record == "ReviewPointsReply":
        return {"points": [_proposed(one) for one in next(_of_paper(shown, reviews))]}
    if record == "QuestionReply":
        asks = any(one.question in shown for one in MATTERS)
        return {"reasoning": "By its form.", "kind": "question" if asks else "claim"}
    if record == "ArgumentReply":
        return {"reasoning": "It gives no reason.", "is_argument": False}
    point = next(one for some in _of_paper(shown, reviews) for one in some if one.text in shown)
    score = scores[point]
    sure = bool(point.sentence) and score <= 2  # noqa: PLR2004 - 1 and 2 are misinformed
    quotes = [{"section": "Experiments", "sentence": point.sentence}] if sure else []
    words = "The paper says it." if sure else "The paper does not settle it."
    if record == "FactualityReply":
        return {"reasoning": words, "factuality": score, "quotes": quotes}
    if record == "AnswerabilityReply":
        answer = point.sentence if sure else None
        return {"reasoning": words, "unanswerability": score, "quotes": quotes, "answer": answer}
    raise ValueError(f"no reply is invented for {record}")


def _proposed(point: Point) -> dict[str, object]:
    """A point as a split of its review gives it."""
    asks = any(one.question == point.text for one in MATTERS)
    kind, of_type = ("question", "question") if asks else ("criticism", "claim")
    return {"text": point.text, "kind": kind, "type": of_type, "also": [], "lead_in": ""}


def _of_paper(shown: str, reviews: dict[str, list[Point]]) -> Iterator[list[Point]]:
    """The points of the paper that a prompt speaks of."""
    return (points for paper_id, points in reviews.items() if paper_id.title() in shown)


def judge(name: str, reviews: dict[str, list[Point]], run: Path) -> None:
    """Audit the reviews with a judge's invented replies, which are written as they are asked."""
    folder, rng = OUT / name, np.random.default_rng([SEED, *name.encode()])
    scores = {one: seen(one.truth, JUDGES[name], rng) for some in reviews.values() for one in some}
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    command = [sys.executable, "-m", "reviewscore", "audit", str(OUT), "-o", str(run), "--model",
               f"exchange:{folder}", "--no-cache"]  # fmt: skip
    while (ended := subprocess.run(command, check=False, capture_output=True)).returncode:
        waiting = folder / "open.jsonl"
        if not waiting.exists():
            raise SystemExit(ended.stderr.decode())
        with (folder / "replies.jsonl").open("a", encoding="utf-8") as file:
            for asked in map(json.loads, waiting.read_text("utf-8").splitlines()):
                answer = {"prompt": asked["prompt"], "reply": reply(asked, reviews, scores),
                          "by": f"the invented {name} judge"}  # fmt: skip
                file.write(json.dumps(answer) + "\n")
    (folder / "prompts.jsonl").unlink()


def labels(units: list[Unit], truths: dict[tuple[str, str], Point]) -> Iterator[dict[str, object]]:
    """What all readers say of all units."""
    readers = [(name, "human", one) for name, one in PEOPLE.items()]
    readers += [(name, "model", one) for name, one in MODELS.items()]
    for name, kind, reader in readers:
        rng = np.random.default_rng([SEED, *name.encode()])
        for unit in units:
            point = truths[unit.paper_id, unit.text or ""]
            scale = "unanswerability" if point.type == "question" else "factuality"
            score = seen(point.truth, reader, rng)
            for field, value in (("type", point.type), (scale, score)):
                yield {"unit_id": unit.unit_id, "annotator": name, "annotator_kind": kind,
                       "field": field, "value": value, "codebook": "codebook 1"}  # fmt: skip


def write(name: str, records: Iterable[dict[str, object]]) -> None:
    """Records as JSONL."""
    text = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records)
    (OUT / name).write_text(text, "utf-8")


def main() -> None:
    """Write the folder anew."""
    OUT.mkdir(exist_ok=True)
    rng = np.random.default_rng(SEED)
    papers, reviews = [], []
    points: dict[str, list[Point]] = {}
    for name, source in TOPICS:
        record, sentences = paper(name, source, rng)
        papers.append(record)
        record, points[name.lower()] = review(name, sentences, rng)
        reviews.append(record)
    write("papers.jsonl", papers)
    write("reviews.jsonl", reviews)
    with tempfile.TemporaryDirectory() as made:
        for name in JUDGES:
            judge(name, points, Path(made) / name)
        judged = read_run(Path(made) / "strict", None).points.values()
    units = [unit for one in judged for unit in point_units(one)]
    truths = {(one.paper_id, one.text): one for some in points.values() for one in some}
    write("units.jsonl", (one.model_dump(mode="json", exclude_none=True, by_alias=True)
                          for one in units))  # fmt: skip
    write("labels.jsonl", labels(units, truths))


if __name__ == "__main__":
    main()
