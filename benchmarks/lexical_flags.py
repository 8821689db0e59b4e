"""What the lexical judge says of every real review point: counts, flags and a sample to read.

    python -m benchmarks.lexical_flags [--flags FLAGS.jsonl] [--possibly SAMPLE.jsonl]

The files hold text of papers and reviews: write them outside the repository. `--flags` writes all
flags on real points, and as many flags on made-up points (marked ``generated``) as are needed for
60 together; `--possibly` writes 60 points at random with the quotes they possibly are addressed by.
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
        "quotes": [{"section": e.section, "quote": e.quote} for e in found.evidence],
    }


def sound(paper: Paper, found: Found) -> bool:
    """Whether every quote is the paper's text at its offsets, under the section it names."""
    for evidence in found.evidence:
        if evidence.start is None or evidence.end is None:
            return False
        section = paper.section_at(evidence.start)
        label = section.label if section else None
        if paper.text[evidence.start : evidence.end] != evidence.quote or label != evidence.section:
            return False
    return True


def made_up_flags(collection: dict[str, Paper], wanted: int) -> list[dict[str, object]]:
    """Flags on made-up points, at most one per paper and question, drawn with a fixed seed."""
    found = [
        case(paper, text, outcome, generated=True)
        for paper in collection.values()
        for text in MADE_UP
        if (outcome := find(text, paper)).finding is Finding.FLAGGED
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
    parser.add_argument("--flags", type=Path, help="file for the flags")
    parser.add_argument("--possibly", type=Path, help="file for a sample of possibly addressed")
    options = parser.parse_args()
    collection = papers()
    outcomes = [(p, find(p.text, collection[p.paper_id])) for p in points()]
    counts = Counter((found.form.value, found.finding.value) for _, found in outcomes)
    for (form, finding), count in sorted(counts.items()):
        print(f"{form:20} {finding:20} {count}")
    quoted = [(p, found) for p, found in outcomes if found.evidence]
    right = sum(sound(collection[p.paper_id], found) for p, found in quoted)
    print(f"quotes at their offsets under their sections: {right} of {len(quoted)} points")
    lines = {
        wanted: [
            case(collection[p.paper_id], p.text, found, generated=False)
            for p, found in outcomes
            if found.finding is wanted
        ]
        for wanted in (Finding.FLAGGED, Finding.POSSIBLY_ADDRESSED)
    }
    flags = lines[Finding.FLAGGED]
    print(
        f"flags on real points: {len(flags)} of {len(outcomes)} ({len(flags) / len(outcomes):.2%})"
    )
    for flag in flags:
        print(f"  {flag['paper_id']} {flag['point']}")
    if options.flags:
        write(options.flags, flags + made_up_flags(collection, max(0, WANTED - len(flags))))
    if options.possibly:
        possible = lines[Finding.POSSIBLY_ADDRESSED]
        write(options.possibly, random.Random(SEED).sample(possible, min(WANTED, len(possible))))


if __name__ == "__main__":
    main()
