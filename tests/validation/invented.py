"""An invented paper, and planted points about it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from reviewscore.papers.load import PaperRow, build_paper
from reviewscore.schema.marks import sum_of_words
from reviewscore.schema.paper import Paper
from reviewscore.schema.planted_point import PlantedPoint

TEXT = """# Gates for Tidal Forecasts

## Abstract

We forecast tides with a gate. The gate is cheap.

## 1 Introduction

Harbours need forecasts. We make three contributions: (i) a gate for tides, (ii) a study of
moons, and (iii) a public archive. Section 4.2 reports times, and Appendix B lists seeds.

## 2 Method

The gate opens at high water (see Table 2). It shuts again after Kelvin filtering.

## 4 Experiments

### 4.1 Setup

All runs use a rate of 0.0137. Five seeds were run for each harbour. We compare with Lunex and
with a plain mean.

Table 1: Errors of all gates in centimetres.

| Gate | Brest | Cadiz |
|------|-------|-------|
| Lunex | 7.1 | 8.2 |
| ours | 5.5 | 6.1 |

Table 2: Memory of all gates.

Table 3: Harbours and their years.

### 4.2 Times

One forecast takes 41 ms on a laptop.

## 5 Conclusion

Gates help harbours.

## A Proofs

Nothing is left to prove.

## B Seeds

The seeds are 3, 5 and 8.
"""
SUM = hashlib.sha256(TEXT.encode()).hexdigest()


def paper(text: str = TEXT) -> Paper:
    return build_paper(PaperRow(paper_id="tides", text=text), doubts=False)


def span(words: str, text: str = TEXT) -> dict[str, Any]:
    assert text.count(words) == 1, words
    return {"start": text.index(words), "end": text.index(words) + len(words)}


def passage(words: str, place: str = "main") -> dict[str, Any]:
    return {**span(words), "sha256": sum_of_words(words), "place": place}


def given(**changes: Any) -> dict[str, Any]:
    return {
        "id": "tides.0a0a0a0a", "source": "invented", "paper_id": "tides",
        "paper_text_sha256": SUM,
        "remark": "How often was each experiment repeated? One repetition would prove little.",
        "form": "question", "stratum": "plain", "fact": "There were five repetitions.",
        "passages": [passage("Five seeds were run for each harbour.")],
        "cuts": [span("Five seeds were run for each harbour.")],
        "decoys": [span("The gate is cheap.")],
        "confirmed": {"misinformed": "yes", "fair": "yes"},
        "writer": "W1", "writer_kind": "model", "verifier": "V1", "verifier_kind": "model",
    } | changes  # fmt: skip


def point(**changes: Any) -> PlantedPoint:
    return PlantedPoint.model_validate_json(json.dumps(given(**changes)))


def point_of(text: str, *cuts: dict[str, Any], decoys: tuple[dict[str, Any], ...] = ()) -> Any:
    """A point about any text."""
    sha256 = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return point(paper_text_sha256=sha256, cuts=list(cuts), decoys=list(decoys),
                 passages=[{"start": 0, "end": 0, "sha256": "", "place": "main"}])  # fmt: skip


REEFS = """# Listening to Reefs

## Abstract

We count shrimps by their sounds. The reef is loud.

## 1 Recording

Recorders hung below every buoy for one night. Batteries were changed by divers. The divers wore
grey suits. Microphones were calibrated against a pistonphone before each deployment.

## 2 Counting

A counter marks each snap. Manual annotation of snaps was repeated by three independent students.
Their chairs were green.

## 3 Limits

Storms drown all snaps. Recordings during heavy storms were excluded from every analysis.
Nothing else was left out.
"""
BELLS = """# Tuning Old Bells

## Abstract

We tune bells by filing. Filing is slow.

## 1 Filing

Bells were filed by hand. The temperature of the foundry was held constant during filing.
The files were new.

## 2 Listening

Listeners heard pairs of bells. The order of pairs was randomised separately for each listener.
Tea was served.
"""
PAPERS = {"reefs": REEFS, "bells": BELLS}
ABOUT = (
    ("reefs", "denial", "Microphones were calibrated against a pistonphone before each deployment.",
     "Calibrated microphones would matter, yet no pistonphone deployment is described.",
     "Their chairs were green."),
    ("reefs", "question", "Manual annotation of snaps was repeated by three independent students.",
     "Was the manual annotation repeated, and how many independent students did it?",
     "The divers wore\ngrey suits."),
    ("reefs", "argument", "Recordings during heavy storms were excluded from every analysis.",
     "Heavy storms stay in the analysis, so recordings that should be excluded bias it.",
     "The reef is loud."),
    ("bells", "denial", "The temperature of the foundry was held constant during filing.",
     "No constant temperature is held in the foundry while filing goes on.",
     "The files were new."),
    ("bells", "question", "The order of pairs was randomised separately for each listener.",
     "Did each listener get a separately randomised order, or were pairs fixed?",
     "Tea was served."),
)  # fmt: skip
FOREIGN = "Recordings of shrimps lack a map of buoys, and divers give no position."


def papers_file(folder: Path) -> Path:
    """A file of the two papers."""
    file = folder / "papers.jsonl"
    rows = [{"paper_id": name, "text": text} for name, text in PAPERS.items()]
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return file


def set_of_two_papers(folder: Path, **changes: Any) -> tuple[Path, Path]:
    """Files of two papers and of planted points about them, one of another paper among them.

    Args:
        folder: Where to.
        changes: Fields that all points have otherwise.
    """
    texts = PAPERS
    papers, planted = papers_file(folder), folder / "planted.jsonl"
    items = [
        given(id=f"item.{number}", paper_id=name, form=form, remark=remark, fact=answer,
              paper_text_sha256=hashlib.sha256(texts[name].encode()).hexdigest(),
              passages=[{**span(answer, texts[name]), "sha256": sum_of_words(answer),
                         "place": "main"}],
              cuts=[span(answer, texts[name])], decoys=[span(decoy, texts[name])])
        for number, (name, form, answer, remark, decoy) in enumerate(ABOUT)
    ]  # fmt: skip
    items.append(
        items[-1] | {"id": "item.foreign", "form": "another_paper", "fair_about": "reefs",
                     "remark": FOREIGN, "passages": [], "cuts": [], "decoys": []}
    )  # fmt: skip
    planted.write_text("".join(f"{json.dumps(item | changes)}\n" for item in items))
    return papers, planted
