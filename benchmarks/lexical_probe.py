"""Does the lexical judge tell what a paper holds from what it does not?

Each paper is asked about titles of its own sections and as many titles of other papers' sections:
"The paper does not discuss <title>." Titles that say nothing of a paper ("Introduction",
"Experiments") and foreign titles that the paper has itself are left out. The strength of the
evidence must rank own titles first (area under the ROC curve), and few foreign titles may be
flagged.

    python -m benchmarks.lexical_probe [--list]
"""

from __future__ import annotations

import argparse
import random
from dataclasses import dataclass

from benchmarks.lexical_batch import papers
from reviewscore.judges.lexical.content import WantedContent, wanted_content
from reviewscore.judges.lexical.finder import find
from reviewscore.judges.lexical.forms import OPINIONS
from reviewscore.judges.lexical.lexicon import aspects_in
from reviewscore.retrieval.index import PaperIndex, index_of
from reviewscore.schema.paper import Paper, Zone
from reviewscore.schema.verdict import Finding

SEED = 20260101
PER_PAPER = 4
_SILENT = (Zone.FRONT, Zone.ABSTRACT, Zone.RELATED_WORK, Zone.REFERENCES, Zone.BACK)


@dataclass(frozen=True)
class Probe:
    """One title asked of one paper, and what came of it."""

    paper_id: str
    title: str
    own: bool
    flagged: bool
    strength: float


def titles(paper: Paper) -> list[str]:
    """Titles of a paper's sections that say something of it: two content words, no mere aspect."""
    found = []
    for section in paper.sections:
        title = section.title
        named = len(wanted_content(f"{title}.").parts)
        if section.zone not in _SILENT and named > 1 and not aspects_in(title):
            found.append(title)
    return found


def probes() -> list[Probe]:
    """Own and foreign titles of every paper, drawn with a fixed seed."""
    collection = papers()
    chance = random.Random(SEED)
    by_paper = {paper_id: titles(paper) for paper_id, paper in collection.items()}
    found: list[Probe] = []
    for paper_id, paper in collection.items():
        own = chance.sample(by_paper[paper_id], min(PER_PAPER, len(by_paper[paper_id])))
        has = {section.title.lower() for section in paper.sections}
        others = [
            title
            for other, listed in by_paper.items()
            if other != paper_id
            for title in listed
            if title.lower() not in has
        ]
        for title, is_own in [(t, True) for t in own] + [
            (t, False) for t in chance.sample(others, len(own))
        ]:
            asked = f"The paper does not discuss {title.lower()}."
            outcome = find(asked, paper)
            flagged = outcome.finding is Finding.ADDRESSED
            looked_up = outcome.form not in OPINIONS
            strength = (
                evidence_strength(wanted_content(asked), index_of(paper)) if looked_up else 0.0
            )
            found.append(Probe(paper_id, title, is_own, flagged, strength + flagged))
    return found


def evidence_strength(wanted: WantedContent, index: PaperIndex) -> float:
    """Share of the wanted words in the best heading plus that in the best passage, 0..2."""
    weights = {word: index.weight(word) for word in wanted.query}
    total = sum(weights.values())
    if not total:
        return 0.0

    def held(found: frozenset[str]) -> float:
        return sum(weight for word, weight in weights.items() if word in found) / total

    heading = max(
        (held(heading.stems) for heading in index.headings if not heading.of_others), default=0.0
    )
    passage = max(
        (held(index.passages[number].stems) for _, number in index.ranked(wanted.query)[:20]),
        default=0.0,
    )
    return round(heading + passage, 6)


def area(own: list[float], foreign: list[float]) -> float:
    """Area under the ROC curve: the share of pairs ranked right, ties counting half."""
    won = sum((a > b) + 0.5 * (a == b) for a in own for b in foreign)
    return won / (len(own) * len(foreign))


def main() -> None:
    """Print the area, the flags on own and foreign titles, and the cases on request."""
    parser = argparse.ArgumentParser(description="Own and foreign section titles.")
    parser.add_argument("--list", action="store_true", help="print every probe")
    listing = parser.parse_args().list
    found = probes()
    own = [probe for probe in found if probe.own]
    foreign = [probe for probe in found if not probe.own]
    ranked = area([p.strength for p in own], [p.strength for p in foreign])
    print(f"area under the curve {ranked:.3f} (own {len(own)}, foreign {len(foreign)})")
    for name, group in (("own", own), ("foreign", foreign)):
        flags = sum(probe.flagged for probe in group)
        print(f"flagged {name}: {flags} of {len(group)} ({flags / len(group):.1%})")
    for probe in found if listing else [p for p in foreign if p.flagged]:
        kind = "own" if probe.own else "foreign"
        print(f"{probe.paper_id} {kind} {probe.strength:.2f} {probe.flagged} {probe.title}")


if __name__ == "__main__":
    main()
