"""The parts of a paper that judges see."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from reviewscore.papers.documents import repeats
from reviewscore.schema.paper import (
    NOT_SHOWN,
    DocumentKind,
    Paper,
    Scope,
    Section,
    Seen,
    UnreadSpan,
    Zone,
)

Parts = Literal["auto", "main", "all"]
"""``auto`` leaves out the references of papers read from a PDF, TEI, LaTeX or HTML file, ``main``
references, appendix and what follows them, ``all`` nothing of the authors'."""

_READ_FROM_LAYOUT = ("pdf", "tei", "latex", "html")
_CUT = (Zone.REFERENCES, Zone.APPENDIX)
_AFTER_MAIN = {
    Zone.REFERENCES: "references",
    Zone.APPENDIX: "appendix",
    Zone.REBUTTAL: "appendix",
}
QUESTIONS = "questions of a checklist"
"""What of a checklist is the venue's: its questions and guidelines."""
STATEMENTS = "statements"
"""What else stands after the main text: acknowledgements, ethics statements, checklists."""
REPEATS = "what a revision repeats"
LATER = "what came after the reviews"
_EVIDENCE = ("appendix", STATEMENTS)


def shown(paper: Paper, parts: Parts) -> Paper:
    """The paper as judges see it: what they do not see is named in `Paper.unread_spans`.

    Text, sections and offsets stay those of the whole paper. With ``main`` the text ends where
    references or appendix begin, whichever is first: what follows them is further appendix, or
    statements that no judgment rests on. A paper that would be nothing but front matter stays
    whole. The venue's questions and guidelines in a checklist are no part of the paper, and judges
    never see them.
    """
    end = cut_from(paper)
    left_out: list[Section] = []
    if parts == "main" and end is not None:
        left_out = [section for section in paper.sections if section.start >= end]
    elif parts == "auto" and end is not None and paper.source in _READ_FROM_LAYOUT:
        left_out = [section for section in paper.sections if section.zone is Zone.REFERENCES]
    spans = _spans(left_out)
    spans += [
        UnreadSpan(start=span.start, end=span.end, part=QUESTIONS)
        for span in paper.venue_text
        if span.zone is Zone.CHECKLIST
        and not any(unread_span.start <= span.start < unread_span.end for unread_span in spans)
    ]
    spans = _with(spans, (UnreadSpan(start=a, end=b, part=REPEATS) for a, b in repeats(paper)))
    return _hiding(paper, spans) if spans else paper


def without_doubtful(paper: Paper) -> Paper:
    """The paper as judges see it, less what reviewers could not see; itself if that is nothing."""
    later = [(revised_span.start, revised_span.end) for revised_span in paper.revised_spans]
    later += [
        (section.start, section.end) for section in paper.sections if section.zone is Zone.REBUTTAL
    ]
    later += [
        (document.start, document.end)
        for document in paper.documents[1:]
        if document.kind is DocumentKind.REVISION
    ]
    if not later:
        return paper
    spans = [UnreadSpan(start=start, end=end, part=LATER) for start, end in sorted(later)]
    return _hiding(paper, _with(spans, paper.unread_spans))


def hiding_all_but(paper: Paper, spans: Iterable[tuple[int, int]]) -> Paper:
    """The paper as judges see it, of which they see no more than some stretches.

    Args:
        paper: The paper.
        spans: Stretches of its text, ascending and apart; what is unread in them stays so.
    """
    edges = [0, *(edge for span in spans for edge in span), len(paper.text)]
    gaps = [
        UnreadSpan(start=start, end=end, part=NOT_SHOWN)
        for start, end in zip(edges[::2], edges[1::2], strict=True)
        if start < end
    ]
    return _hiding(paper, _with(paper.unread_spans, gaps))


def _with(spans: Sequence[UnreadSpan], further: Iterable[UnreadSpan]) -> list[UnreadSpan]:
    """Spans, and of further ones what lies outside of them; those that overlap are cut."""
    free: list[UnreadSpan] = []
    for span in (*spans, *further):
        start = span.start
        for known in sorted(free, key=lambda span: span.start):
            if known.end <= start or known.start >= span.end:
                continue
            if start < known.start:
                free.append(span.model_copy(update={"start": start, "end": known.start}))
            start = known.end
        if start < span.end:
            free.append(span.model_copy(update={"start": start}))
    return free


def _hiding(paper: Paper, spans: Iterable[UnreadSpan]) -> Paper:
    values = {name: getattr(paper, name) for name in Paper.model_fields}
    ordered = sorted(spans, key=lambda span: span.start)
    return Paper(**{**values, "unread_spans": tuple(ordered)})


def _spans(sections: Iterable[Section]) -> list[UnreadSpan]:
    """Sections as spans, those of one part that follow each other as one."""
    spans: list[UnreadSpan] = []
    for section in sections:
        part = _AFTER_MAIN.get(section.zone, STATEMENTS)
        start = section.start
        if spans and spans[-1].end == start and spans[-1].part == part:
            start = spans.pop().start
        if start < section.end:
            spans.append(UnreadSpan(start=start, end=section.end, part=part))
    return spans


def parts_read(paper: Paper) -> tuple[list[str], list[str]]:
    """The parts that could hold evidence, as they are called: those read, and those not.

    References are no evidence and named in neither.
    """
    not_read = dict.fromkeys(span.part for span in paper.unread_spans if span.part in _EVIDENCE)
    appendix = any(
        section.zone is Zone.APPENDIX and paper.is_read(section.start) for section in paper.sections
    )
    return ["main text", *(["appendix"] if appendix else [])], list(not_read)


def seen_of(paper: Paper) -> Seen:
    """How much of a paper judges see.

    What is no evidence (references, statements, a checklist's questions) or later than the reviews
    is not missed. Where pages are shown, what these leave out is not seen either.
    """
    pages = None if paper.shown_pages is None else len(paper.shown_pages.images)
    if paper.excerpt_share is not None:
        return Seen(kind=Scope.EXCERPTS, share=round(paper.excerpt_share, 4), missing=paper.missing)
    spans = (span for span in paper.unread_spans if span.part == _AFTER_MAIN[Zone.APPENDIX])
    hidden = sum(span.end - span.start for span in spans)
    read = len(paper.read_text)
    share = read / (read + hidden) if hidden else 1
    if paper.shown_pages is not None:
        share = min(share, paper.shown_pages.share)
    kind = Scope.MAIN if share < 1 else Scope.WHOLE
    return Seen(kind=kind, share=round(share, 4), missing=paper.missing, pages=pages)


def cut_from(paper: Paper) -> int | None:
    """Offset at which references or appendix begin; None if there are none, or nothing before."""
    before = [Zone.FRONT, Zone.ABSTRACT]
    for number, section in enumerate(paper.sections):
        if section.zone in _CUT:
            body = any(section.zone not in before for section in paper.sections[:number])
            return section.start if body else None
    return None
