"""A paper as a page of the app shows it: its PDF's pages or its text, with passages marked.

Marks are what points rest on: passages, places that reviewers name, and text that people cannot
see. They stand on pages where the words do (`papers.page_places`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from urllib.parse import quote

from reviewscore.errors import InputError
from reviewscore.pages.point_card import Card, premises_of, quote_in_paper
from reviewscore.papers.hidden import Hidden
from reviewscore.papers.page_places import LONGEST, PageBox, Sought, SoughtPassage
from reviewscore.papers.places import box_of
from reviewscore.printable import counted
from reviewscore.schema.paper import Evidence, Paper, Section
from reviewscore.schema.place import Place, PlaceKind
from reviewscore.schema.point_score import PointScore
from reviewscore.view.context import paper_link
from reviewscore.view.open_run import OpenRun
from reviewscore.view.page_store import RESOLUTIONS, PageStore

_HEADING = 200
"""Characters of a section or an appendix that stand for it: it is marked where it begins."""
_TITLE = 300
"""Characters of hidden text that a mark tells."""
_LARGE = {PlaceKind.SECTION, PlaceKind.APPENDIX}
_FLOATS = {PlaceKind.TABLE: Sought.TABLE, PlaceKind.FIGURE: Sought.FIGURE}


class MarkKind(StrEnum):
    """What is marked."""

    QUOTE = "quote"  # a passage that a verdict rests on
    PLACE = "place"  # a place that a reviewer names
    HIDDEN = "hidden"  # text that people cannot see


@dataclass(frozen=True)
class PaperMark:
    """Something that is marked in a paper.

    Attributes:
        mark_id: Its name on the page, made of where it stands in the text.
        kind: What it is.
        title: What it is, in words.
        anchors: The cards of the points that it belongs to.
        start: Offset in the paper's text; None of what is not in it.
        end: Offset just after it.
        passage: What is looked for on the pages; None where it is in no page of the paper's own.
        boxes: Where it stands on them.
    """

    mark_id: str
    kind: MarkKind
    title: str
    anchors: tuple[str, ...] = ()
    start: int | None = None
    end: int | None = None
    passage: SoughtPassage | None = None
    boxes: tuple[PageBox, ...] = ()


def mark_name(start: int, end: int) -> str:
    """What the mark of a stretch of a paper's text is called on a page."""
    return f"m-{start}-{end}"


def marks_of(paper: Paper, cards: Iterable[Card]) -> list[PaperMark]:
    """What is marked in a paper for the points of these cards, in the order of its text.

    Args:
        paper: The paper.
        cards: The points.
    """
    marks: dict[str, PaperMark] = {}

    def add(mark: PaperMark, anchor: str) -> None:
        known = marks.get(mark.mark_id, mark)
        marks[mark.mark_id] = replace(known, anchors=tuple(dict.fromkeys([*known.anchors, anchor])))

    for card in cards:
        for evidence in _evidence(card.score):
            if quote_in_paper(evidence, paper) is not None:
                assert evidence.start is not None
                assert evidence.end is not None
                passage = passage_at(paper, evidence.start, evidence.end)
                name = mark_name(evidence.start, evidence.end)
                where = f", {evidence.place}" if evidence.place else ""
                add(
                    PaperMark(name, MarkKind.QUOTE, f"Passage{where}", (), evidence.start,
                              evidence.end, passage), card.anchor,
                )  # fmt: skip
        known = {shown.target for shown in card.places if shown.text is not None}
        for place in card.score.places or ():
            target = place.target
            if target is not None and target in known:
                name = mark_name(target.start, target.end)
                title = f"{place.label}, named by the reviewer"
                passage = _named_place(paper, place)
                add(PaperMark(name, MarkKind.PLACE, title, (), target.start, target.end, passage),
                    card.anchor)  # fmt: skip
    return [_titled(mark) for mark in sorted(marks.values(), key=_order)]


def _order(mark: PaperMark) -> tuple[int, int]:
    return mark.start or 0, -(mark.end or 0)


def _titled(mark: PaperMark) -> PaperMark:
    points = len(mark.anchors)
    return mark if points < 2 else replace(mark, title=f"{mark.title}; {counted(points, 'point')}")  # noqa: PLR2004 - one is not told


def _evidence(score: PointScore) -> Iterator[Evidence]:
    """All passages that a point's card shows."""
    yield from (*score.evidence, *score.passages)
    verdicts = [score.verdict, *(premise.verdict for premise in premises_of(score))]
    for verdict in verdicts:
        yield from verdict.evidence if verdict is not None else ()
    for part in score.parts:
        for presupposition in part.presuppositions:
            yield from presupposition.nearest


def passage_at(paper: Paper, start: int, end: int) -> SoughtPassage | None:
    """What is looked for on a paper's pages for a stretch of its text.

    None where the stretch is in another of its documents, such as a supplement: that has pages of
    its own. Page and line are known where the text was read from the PDF.
    """
    own = paper.documents[0].end if paper.documents else len(paper.text)
    if start >= own:
        return None
    end = min(end, own, start + LONGEST)
    printed = paper.source == "pdf"
    return SoughtPassage(
        words=paper.text[start:end],
        page=paper.page_at(start) if printed else None,
        box=box_of(paper, start, end) if printed else None,
        share=start / max(1, own),
    )


def _named_place(paper: Paper, place: Place) -> SoughtPassage | None:
    """What is looked for of a place that a reviewer names."""
    target = place.target
    assert target is not None
    start, end = target.start, target.end
    if place.kind in _LARGE:
        section = paper.section_at(start)
        heading = section.heading_end if section is not None and section.start == start else 0
        end = min(end, heading if heading > start else start + _HEADING)
    passage = passage_at(paper, start, end)
    if passage is None:
        return None
    if place.kind is PlaceKind.PAGE:
        return passage.model_copy(update={"sought": Sought.PAGE, "page": target.page})
    if place.kind in _FLOATS:
        caption = passage.words.casefold().find(place.kind.value)
        words = passage.words[max(0, caption) :]  # the rows of a table may stand before it
        return passage.model_copy(update={"sought": _FLOATS[place.kind], "words": words})
    return passage


def hidden_marks(hidden: Iterable[Hidden]) -> list[PaperMark]:
    """Marks of text that people cannot see, which say how it is hidden and what it says."""
    return [
        PaperMark(
            mark_id=f"hidden-{number}",
            kind=MarkKind.HIDDEN,
            title=f"Hidden text, {one.trick.value}: “{' '.join(one.text.split())[:_TITLE]}”",
            passage=SoughtPassage(sought=Sought.BOX, page=one.page, box=one.box),
        )
        for number, one in enumerate(hidden, start=1)
        if one.page is not None and one.box is not None
    ]


def located(store: PageStore, pdf: Path, marks: Sequence[PaperMark]) -> list[PaperMark]:
    """Marks with the boxes at which they stand on the pages of a PDF.

    Raises:
        InputError: It cannot be opened.
    """
    wanted = [mark for mark in marks if mark.passage is not None]
    passages = [mark.passage for mark in wanted if mark.passage is not None]
    if not passages:
        return list(marks)
    places = store.places(pdf, passages).boxes
    boxes = {mark.mark_id: found for mark, found in zip(wanted, places, strict=True)}
    return [replace(mark, boxes=boxes.get(mark.mark_id, ())) for mark in marks]


@dataclass(frozen=True)
class PaneMark:
    """A mark on one page.

    Attributes:
        element: Its name in the document; the mark's own on the first page of it.
        mark: What it is.
        boxes: Its rectangles on the page.
    """

    element: str
    mark: PaperMark
    boxes: tuple[PageBox, ...]


@dataclass(frozen=True)
class PanePage:
    """A page of the PDF.

    Attributes:
        number: Its 1-based number.
        width: Points.
        height: Points.
        link: Where its picture is; a size is to be added.
        pixels: The width of that picture in each size, in pixels.
        marks: What is marked on it.
    """

    number: int
    width: int
    height: int
    link: str
    pixels: dict[int, int]
    marks: tuple[PaneMark, ...] = ()


def pane_pages(
    sizes: Sequence[tuple[float, float]], marks: Sequence[PaperMark], link: str
) -> tuple[PanePage, ...]:
    """The pages of a PDF with the marks that stand on each.

    Args:
        sizes: Width and height of each in points.
        marks: Marks with their boxes.
        link: Where pictures are; the page's number is to be added.
    """
    by_page: dict[int, list[PaneMark]] = {}
    for mark in marks:
        pages = sorted({box.page for box in mark.boxes})
        for turn, page in enumerate(pages):
            boxes = tuple(box for box in mark.boxes if box.page == page)
            name = mark.mark_id if turn == 0 else f"{mark.mark_id}-p{page}"
            by_page.setdefault(page, []).append(PaneMark(name, mark, boxes))
    return tuple(
        PanePage(
            number=number,
            width=max(1, round(width)),
            height=max(1, round(height)),
            link=f"{link}{number}",
            pixels={
                size: max(1, round(width * resolution.scale(width, height)))
                for size, resolution in RESOLUTIONS.items()
            },
            # The larger ones lie below, so that each can be pointed at.
            marks=tuple(sorted(by_page.get(number, ()), key=_area, reverse=True)),
        )
        for number, (width, height) in enumerate(sizes, start=1)
    )


def _area(mark: PaneMark) -> float:
    return sum(box.width * box.height for box in mark.boxes)


@dataclass(frozen=True)
class TextPiece:
    """A piece of the text, with the marks that cover it and those that begin with it."""

    text: str
    marks: tuple[PaperMark, ...] = ()
    begins: tuple[PaperMark, ...] = ()


@dataclass(frozen=True)
class TextSection:
    """A section of the text: its heading and what stands below it, each in pieces."""

    level: int
    heading: tuple[TextPiece, ...]
    body: tuple[TextPiece, ...]


def text_sections(paper: Paper, marks: Sequence[PaperMark]) -> tuple[TextSection, ...]:
    """A paper's text by sections, cut where marks begin and end."""
    whole = Section(title="", level=1, start=0, heading_end=0, end=len(paper.text))
    known = [mark for mark in marks if mark.start is not None and mark.end is not None]
    return tuple(
        TextSection(
            min(section.level, 3),
            _pieces(paper.text, section.start, section.heading_end, known),
            _pieces(paper.text, section.heading_end, section.end, known),
        )
        for section in paper.sections or (whole,)
    )


def _pieces(text: str, start: int, end: int, marks: Sequence[PaperMark]) -> tuple[TextPiece, ...]:
    """A stretch of the text, without the empty lines around it, cut where marks begin and end."""
    own = text[start:end].lstrip("\n")
    start, end = end - len(own), end - len(own) + len(own.rstrip("\n"))
    inside = [mark for mark in marks if (mark.start or 0) < end and (mark.end or 0) > start]
    edges = {start, end}
    for mark in inside:
        edges |= {max(start, mark.start or 0), min(end, mark.end or 0)}
    cuts = sorted(edges)
    pieces = []
    for first, last in pairwise(cuts):
        cover = tuple(mark for mark in inside if (mark.start or 0) <= first < (mark.end or 0))
        begins = tuple(mark for mark in cover if mark.start == first)
        pieces.append(TextPiece(text[first:last], cover, begins))
    return tuple(pieces)


@dataclass(frozen=True)
class PaperPane:
    """A paper as a page shows it.

    Attributes:
        link: Where it is shown by itself, without a query.
        back: Where it is shown beside its points.
        pages: The pages of its PDF; empty where its text is shown.
        sections: Its text by sections; empty where its pages are shown.
        both: Whether it can be shown in either way.
        why: Why it is not shown in pages, in words; empty where it is, or can be.
        looked: Whether its PDF was looked through for hidden text.
        hidden: How many stretches of that there are.
    """

    link: str
    back: str
    pages: tuple[PanePage, ...] = ()
    sections: tuple[TextSection, ...] = ()
    both: bool = False
    why: str = ""
    looked: bool = True
    hidden: int = 0


def pane_of(
    opened: OpenRun,
    store: PageStore,
    paper: Paper,
    cards: Iterable[Card],
    *,
    as_text: bool = False,
    look: bool = False,
) -> PaperPane:
    """A paper of a run as a page shows it.

    Args:
        opened: The run.
        store: Keeps what is drawn.
        paper: The paper.
        cards: The points whose places are marked.
        as_text: Whether its text is shown although it has pages.
        look: Whether to wait until its PDF is looked through for hidden text, where its text was
            not read from that anyway.
    """
    link = pane_link(opened.key, paper.paper_id)
    back = paper_link(opened.key, paper.paper_id)
    marks, why = marks_of(paper, cards), "It has no PDF."
    try:
        with pdf_of(opened, paper.paper_id) as pdf:
            if pdf is not None and not as_text:
                return _with_pages(opened, store, paper, marks, pdf, look=look)
            if pdf is not None:
                both = bool(store.places(pdf).sizes)
                return PaperPane(link, back, sections=text_sections(paper, marks), both=both)
    except InputError as error:
        why = f"Its PDF is not shown: it {error.problem}."
    return PaperPane(link, back, sections=text_sections(paper, marks), why=why)


def _with_pages(
    opened: OpenRun,
    store: PageStore,
    paper: Paper,
    marks: Sequence[PaperMark],
    pdf: Path,
    *,
    look: bool,
) -> PaperPane:
    hidden = store.hidden(pdf, wait=look or paper.source == "pdf")
    found = located(store, pdf, [*marks, *hidden_marks(hidden or ())])
    return PaperPane(
        pane_link(opened.key, paper.paper_id),
        paper_link(opened.key, paper.paper_id),
        pages=pane_pages(
            store.places(pdf).sizes,
            found,
            page_link(opened.key, paper.paper_id, store.name(pdf)[:12]),
        ),
        both=True,
        looked=hidden is not None,
        hidden=len(hidden or ()),
    )


def pdf_of(opened: OpenRun, paper_id: str) -> AbstractContextManager[Path | None]:
    """A paper's PDF as a file, for a while; None if it has none, or its data are not at hand.

    Raises:
        InputError: It cannot be looked up, or is outside of the data's folder.
    """
    try:
        return nullcontext() if opened.by_paper is None else opened.by_paper.pdf(paper_id)
    except KeyError:
        return nullcontext()


def pane_link(key: str, paper_id: str) -> str:
    """Where a paper is shown by itself."""
    return f"/run/{quote(key, safe='')}/pane/{quote(paper_id, safe='')}"


def page_link(key: str, paper_id: str, version: str) -> str:
    """Where pictures of pages are, to which a number is added; another version is another."""
    return f"/run/{quote(key, safe='')}/page/{quote(paper_id, safe='')}?v={version}&n="
