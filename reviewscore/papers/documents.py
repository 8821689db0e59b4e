"""Several documents of one paper, one after the other in one text, each with its place in it.

What reviewers had comes first, so that a quote which stands in two documents is taken from theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeVar

from reviewscore.papers.sections import untitled
from reviewscore.papers.sentences import sentences
from reviewscore.schema.paper import (
    DocumentKind,
    Doubt,
    DoubtKind,
    Missing,
    Paper,
    PaperDocument,
    RevisedSpan,
    Section,
    VenueSpan,
    Zone,
)

Span = TypeVar("Span", VenueSpan, RevisedSpan)

_ORDER = tuple(DocumentKind)
_TITLES = {
    DocumentKind.SUBMISSION: "Submission",
    DocumentKind.SUPPLEMENT: "Supplement",
    DocumentKind.CODE: "Code",
    DocumentKind.REVISION: "Revision, handed in after the reviews",
}
_KEPT = (Zone.REFERENCES, Zone.CHECKLIST, Zone.REBUTTAL)
"""Zones that sections of a further document keep; all others are an appendix's."""


@dataclass(frozen=True)
class DocumentPart:
    """A document as it was read by itself.

    Attributes:
        kind: What it is.
        name: Its file's name; empty where it came as text.
        paper: Its text, with offsets of its own.
    """

    kind: DocumentKind
    name: str
    paper: Paper


def of_a_revision(paper: Paper) -> Paper:
    """A paper of which only a revision is at hand: a doubt about all of it."""
    doubt = Doubt(kind=DoubtKind.REVISED_VERSION, sign="only a revision is at hand")
    return _with(paper, doubts=(doubt, *paper.doubts))


def joined(own: DocumentPart, further: Sequence[DocumentPart]) -> Paper:
    """One paper of several documents.

    Title, abstract and pages are those of its own text, which comes first; the pages of the others
    stand with them. Between two documents stands a heading that is nobody's text.

    Args:
        own: The document that points are judged against.
        further: The others, in any order.
    """
    first = own.paper
    text = first.text
    sections = list(first.sections or _untitled(first, Zone.BODY))
    documents = [
        PaperDocument(kind=own.kind, name=own.name, start=0, end=len(text), pages=first.pages)
    ]
    venue, revised, lines = list(first.venue_text), list(first.revised_spans), list(first.lines)
    missing, notes, warnings = first.missing, list(first.notes), list(first.warnings)
    for part in sorted(further, key=lambda part: _ORDER.index(part.kind)):
        paper, end = part.paper, len(text)
        heading = f"\n\n===== {_TITLES[part.kind]} =====\n\n"
        text += heading
        start = len(text)
        sections.append(_heading(_TITLES[part.kind], end, start))
        venue.append(VenueSpan(start=end, end=start, zone=Zone.BOILERPLATE))
        text += paper.text
        sections += _moved_sections(part, start)
        venue += _moved(paper.venue_text, start)
        revised += _moved(paper.revised_spans, start)
        lines += [line.model_copy(update={"start": line.start + start}) for line in paper.lines]
        pages = tuple(page + start for page in paper.pages)
        documents.append(
            PaperDocument(kind=part.kind, name=part.name, start=start, end=len(text), pages=pages)
        )
        missing = _sum(missing, paper.missing)
        named = f"{part.kind.value} {part.name}".strip()
        notes += [f"{named}: {note}" for note in paper.notes]
        warnings += [f"{named}: {warning}" for warning in paper.warnings]
    return _with(
        first,
        text=text,
        sections=tuple(sections),
        documents=tuple(documents),
        lines=tuple(lines),
        venue_text=tuple(venue),
        revised_spans=tuple(revised),
        missing=missing,
        notes=tuple(notes),
        warnings=tuple(warnings),
    )


def _with(paper: Paper, **changes: object) -> Paper:
    values = {name: getattr(paper, name) for name in Paper.model_fields}
    return Paper(**{**values, **changes})


def _untitled(paper: Paper, zone: Zone) -> tuple[Section, ...]:
    return (untitled(0, len(paper.text), zone),)


def _heading(title: str, start: int, end: int) -> Section:
    """What parts two documents, in the appendix's zone, so that it goes where they go."""
    zone = Zone.APPENDIX
    return Section(title=title, level=1, start=start, heading_end=end, end=end, zone=zone)


def _moved_sections(part: DocumentPart, by: int) -> Iterator[Section]:
    for section in part.paper.sections or _untitled(part.paper, Zone.APPENDIX):
        zone = section.zone if section.zone in _KEPT else Zone.APPENDIX
        ends = {name: getattr(section, name) + by for name in ("start", "heading_end", "end")}
        yield section.model_copy(update={"zone": zone, **ends})


def _moved(spans: Iterable[Span], by: int) -> Iterator[Span]:
    for span in spans:
        yield span.model_copy(update={"start": span.start + by, "end": span.end + by})


def repeats(paper: Paper) -> Iterator[tuple[int, int]]:
    """The stretches of a revision that the other documents hold word for word, as spans.

    Judges need not read them twice; a sentence on both sides of what is new stays, as its context.
    """
    later = [document for document in paper.documents[1:] if document.kind is DocumentKind.REVISION]
    if not later:
        return
    units = sentences(paper)
    begin = later[0].start
    known = {" ".join(unit.text.split()) for unit in units if unit.start < begin}
    revised = [unit for unit in units if unit.start >= begin]
    for repeated, run in groupby(revised, lambda unit: " ".join(unit.text.split()) in known):
        inner = list(run)[1:-1]
        if repeated and inner:
            yield inner[0].start, inner[-1].end


def _sum(missing: Missing, other: Missing) -> Missing:
    return Missing(
        formulas=missing.formulas + other.formulas,
        figures=missing.figures + other.figures,
        figures_unseen=missing.figures_unseen or other.figures_unseen,
    )
