"""What the lexical judge says of every real review point: counts, answers and a sample to read.

    python -m benchmarks.lexical_flags [--addressed FILE.jsonl] [--passages SAMPLE.jsonl]

The files hold text of papers and reviews: write them outside the repository. `--addressed` writes
all real points that are addressed, and as many made-up ones (marked ``generated``) as are needed
for 60 together; `--passages` writes 60 points at random with their closest passages.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from pathlib import Path

from benchmarks.lexical_batch import papers, points
from reviewscore.judges.lexical.finder import Found, find
from reviewscore.schema.paper import Paper
from reviewscore.schema.verdict import Finding

SEED = 20260102
WANTED = 60
MADE_UP = (
    "What are the limitations of the proposed method?",
    "The paper does not discuss the limitations of the method.",
    "There is no ablation study.",
    "What is the computational complexity of the method?",
    "The paper does not report running times.",
    "Which optimizer and learning rate are used?",
    "What hyperparameters were used for training?",
    "Which datasets are used in the experiments?",
    "Which evaluation metrics were used?",
    "Is the code available?",
    "How many random seeds were used?",
    "No error bars are reported.",
    "There are no theoretical guarantees.",
    "There are no experiments.",
    "The negative societal impacts are not discussed.",
    "There is no user study.",
    "How sensitive is the method to its hyperparameters?",
    "Which baselines does the paper compare with?",
    "No comparison with baselines is provided.",
)


def case(paper: Paper, text: str, found: Found, *, generated: bool) -> dict[str, object]:
    """One outcome as a line to read."""
    return {
        "paper_id": paper.paper_id,
        "title": paper.title,
        "point": text,
        "generated": generated,
        "form": found.form.value,
        "finding": found.finding.value,
        "rationale": found.rationale,
        "quotes": [{"section": e.section, "quote": e.quote} for e in found.passages],
    }


def sound(paper: Paper, found: Found) -> bool:
    """Whether every quote is the paper's text at its offsets, under the section it names."""
    for evidence in found.passages:
        if evidence.start is None or evidence.end is None:
            return False
        section = paper.section_at(evidence.start)
        label = section.label if section else ""
        if paper.text[evidence.start : evidence.end] != evidence.quote:
            return False
        if not (evidence.section or "").startswith(label):  # a row says of which table it is
            return False
    return True


def made_up_answers(collection: dict[str, Paper], wanted: int) -> list[dict[str, object]]:
    """Made-up points that are addressed, at most one a paper and question; fixed seed."""
    found = [
        case(paper, text, outcome, generated=True)
        for paper in collection.values()
        for text in MADE_UP
        if (outcome := find(text, paper)).finding is Finding.ADDRESSED
    ]
    by_text: dict[str, list[dict[str, object]]] = {}
    chance = random.Random(SEED)
    chance.shuffle(found)
    for one in found:
        by_text.setdefault(str(one["point"]), []).append(one)
    turns = [
        one for rank in range(len(found)) for v in by_text.values() for one in v[rank : rank + 1]
    ]
    return turns[:wanted]


def write(file: Path, lines: list[dict[str, object]]) -> None:
    """Write lines of JSON."""
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def main() -> None:
    """Print the outcomes by form and write what was asked for."""
    parser = argparse.ArgumentParser(description="Outcomes of the lexical judge on real points.")
    parser.add_argument("--addressed", type=Path, help="file for the points that are addressed")
    parser.add_argument("--passages", type=Path, help="file for a sample of closest passages")
    options = parser.parse_args()
    collection = papers()
    outcomes = [(p, find(p.text, collection[p.paper_id])) for p in points()]
    counts = Counter((found.form.value, found.finding.value) for _, found in outcomes)
    for (form, finding), count in sorted(counts.items()):
        print(f"{form:20} {finding:20} {count}")
    quoted = [(p, found) for p, found in outcomes if found.passages]
    right = sum(sound(collection[p.paper_id], found) for p, found in quoted)
    print(f"quotes at their offsets under their sections: {right} of {len(quoted)} points")
    lines = {
        wanted: [
            case(collection[p.paper_id], p.text, found, generated=False)
            for p, found in outcomes
            if found.finding is wanted
        ]
        for wanted in (Finding.ADDRESSED, Finding.PASSAGES)
    }
    answers = lines[Finding.ADDRESSED]
    print(
        f"addressed real points: {len(answers)} of {len(outcomes)} "
        f"({len(answers) / len(outcomes):.2%})"
    )
    for answer in answers:
        print(f"  {answer['paper_id']} {answer['point']}")
    if options.addressed:
        write(
            options.addressed, answers + made_up_answers(collection, max(0, WANTED - len(answers)))
        )
    if options.passages:
        possible = lines[Finding.PASSAGES]
        write(options.passages, random.Random(SEED).sample(possible, min(WANTED, len(possible))))


if __name__ == "__main__":
    main()
