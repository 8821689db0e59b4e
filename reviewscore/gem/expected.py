"""What preparing or generating would ask and cost."""

from __future__ import annotations

from collections.abc import Sequence

from reviewscore.config import Settings
from reviewscore.gem.generate import REVIEW
from reviewscore.gem.prepare import ASSW, JUDGMENTS
from reviewscore.runs.estimate import CallEstimate, estimate_calls
from reviewscore.sources.files import Collection
from reviewscore.sources.written import Materials

REPLIES = {JUDGMENTS: 300, ASSW: 600, REVIEW: 1500}
"""Guessed tokens of a reply; times `ROOM_TO_THINK` for reasoning models."""


def expected_to_prepare(
    materials: Materials,
    papers: Collection | None,
    settings: Settings,
    *,
    assw: bool = True,
    anew: bool = False,
) -> CallEstimate:
    """What `prepare.prepare` would ask; arguments as there."""
    asked = [
        (settings.model, JUDGMENTS, len(one.raw))
        for one in materials.all()
        if one.raw.strip() and (anew or not one.judgments)
    ]
    if assw and papers is not None:
        for paper_id in materials.papers:
            row = materials.synopses.get(paper_id)
            given = row is not None and bool((row.assw or "").strip()) and not anew
            if paper_id in papers.papers and not given:
                asked.append((settings.model, ASSW, len(papers.paper(paper_id).text)))
    return estimate_calls(asked, settings, REPLIES)


def expected_to_generate(
    papers: Collection, models: Sequence[str], settings: Settings
) -> CallEstimate:
    """What `generate.generate` would ask; arguments as there."""
    names = tuple(dict.fromkeys(models))
    sizes = (len(papers.paper(paper_id).text) for paper_id in papers.papers)
    asked = [(name, REVIEW, size) for size in sizes for name in names]
    return estimate_calls(asked, settings, REPLIES)
