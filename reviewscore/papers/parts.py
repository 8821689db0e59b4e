"""The parts of a paper that judges see."""

from __future__ import annotations

from typing import Literal

from reviewscore.schema.paper import Paper, Zone

Parts = Literal["auto", "main", "all"]
"""``main`` leaves out references and appendix, ``all`` nothing; ``auto`` is ``main`` for papers
read from a PDF or TEI file and ``all`` for texts that were given."""

_READ_FROM_LAYOUT = ("pdf", "tei")
_CUT = (Zone.REFERENCES, Zone.APPENDIX)


def shown(paper: Paper, parts: Parts) -> Paper:
    """The paper as judges see it; offsets stay what they are in the whole paper.

    The text ends where references or appendix begin, whichever is first: what follows them is
    further appendix, or statements that no judgment rests on. A paper that would be nothing but
    front matter stays whole.
    """
    if parts == "all" or (parts == "auto" and paper.source not in _READ_FROM_LAYOUT):
        return paper
    end = cut_from(paper)
    if end is None:
        return paper
    kept = {
        "text": paper.text[:end],
        "sections": tuple(one for one in paper.sections if one.start < end),
        "pages": tuple(page for page in paper.pages if page < end),
        "lines": tuple(line for line in paper.lines if line.start < end),
    }
    return Paper(**{**{name: getattr(paper, name) for name in Paper.model_fields}, **kept})


def cut_from(paper: Paper) -> int | None:
    """Offset at which references or appendix begin; None if there are none, or nothing before."""
    before = [Zone.FRONT, Zone.ABSTRACT]
    for number, section in enumerate(paper.sections):
        if section.zone in _CUT:
            body = any(one.zone not in before for one in paper.sections[:number])
            return section.start if body else None
    return None
