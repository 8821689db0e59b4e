"""The points of a run, paper by paper, packed into pages of a size that a browser likes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from sys import intern
from typing import Literal, NamedTuple, TypeVar

from jinja2 import Template
from markupsafe import Markup

from reviewscore.errors import ReviewScoreError
from reviewscore.files import read_lines
from reviewscore.pages import wording
from reviewscore.pages.environment import rendered
from reviewscore.pages.paper_list import PaperLine, natural_order
from reviewscore.pages.point_card import (
    Card,
    Stretch,
    anchor_of,
    card_of,
    marked_field,
    premises_of,
    shown_places,
)
from reviewscore.papers.latex import plain_title
from reviewscore.report.lines import unread_evidence_words
from reviewscore.report.similarity import Beside
from reviewscore.report.summary import UNTYPED
from reviewscore.runs.folder import POINTS, points_by_offset, read_points
from reviewscore.runs.manifest import Manifest
from reviewscore.runs.references import WorksByReview
from reviewscore.schema.cited_work import WorkRecord
from reviewscore.schema.later_remark import LaterRemark
from reviewscore.schema.paper import Paper
from reviewscore.schema.point_score import PointScore, Status
from reviewscore.schema.review import Review
from reviewscore.schema.verdict import Finding

POINTS_PER_PAGE = 500
"""A run of more points is split into pages, each of whole papers."""

BYTES_PER_PAGE = 1_900_000
"""So is one whose page would be larger than this (without style, script and what is said first)."""

_LINE_BYTES = 600
"""What a line of a table, of points or papers, is counted as."""

_ROW_TEXT = 160
_WORDS_IN_TABLE = 2_000_000
"""Characters of searched words in a table whose points stand on other pages."""
_MOST_WORDS = 4000
"""Of these for one point."""
_YES_OR_NO = {True: "yes", False: "no", None: "unknown"}
_EDGES = ".,;:!?()[]{}<>\"'“”‘’…*"

PaperOf = Callable[[str], Paper]
ReviewOf = Callable[[str], Review]
LaterOf = Callable[[PointScore], Sequence[LaterRemark]]
PointState = Literal["flag", "near", "clear", "open", "lost"]
_Found = TypeVar("_Found", Paper, Review)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table of points, and where the point's record lies in ``points.jsonl``.

    `supplied` and `stated` (whether the paper speaks to the point, and whether the authors state it
    too: ``yes``, ``no`` or ``unknown``) are empty but for looks at presuppositions, `failure` (by
    what it fails) but for arguments that are misinformed by their premises. `page` and
    `words` (of the point and its evidence, for the search) are known once the points are shown, and
    needed where these stand on another page than the table.
    """

    offset: int
    anchor: str
    short_name: str
    ordinal: int
    review_id: str
    paper_id: str
    type: str
    status: str
    headline: wording.Headline
    finding: str
    text: str
    kind: str = ""
    supplied: str = ""
    stated: str = ""
    failure: str = ""
    page: str = ""
    words: str = ""

    @property
    def state(self) -> PointState:
        """What became of it; a flag is judged misinformed, or the paper is found to speak to it."""
        if self.headline.misinformed == "yes" or self.finding == Finding.ADDRESSED.value:
            return "flag"
        if self.status == Status.ERROR.value:
            return "lost"
        if self.finding == Finding.PASSAGES.value:
            return "near"
        return "clear" if self.headline.misinformed == "no" else "open"


@dataclass(frozen=True)
class ReviewGroup:
    """The points of one review, its text with the points marked, and what is known beside it."""

    review_id: str
    cards: tuple[Card, ...]
    fields: tuple[tuple[str, list[Stretch]], ...]
    missed: tuple[str, ...]
    near: Beside | None
    works: tuple[WorkRecord, ...] = ()


class RenderedPaper:
    """A paper rendered, in pieces as they are written: as text it may take four times as much."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = tuple(pieces)

    def __iter__(self) -> Iterator[Markup]:
        # The template escaped everything that was put into it; what came out is safe.
        return (Markup(piece.decode()) for piece in self._pieces)

    @property
    def size(self) -> int:
        """Its bytes."""
        return sum(map(len, self._pieces))


@dataclass(frozen=True)
class Page:
    """The papers of one page, rendered, with a line of each for the list of papers."""

    rows: tuple[Row, ...]
    fragments: tuple[RenderedPaper, ...]
    papers: tuple[PaperLine, ...]


class _ShownPaper(NamedTuple):
    """A paper rendered, its rows with the words of their points, and its line in the list."""

    fragment: RenderedPaper
    rows: list[Row]
    line: PaperLine


def rows_of(run: Path) -> list[Row]:
    """A line for each point, in the order of papers, reviews and points."""
    # Both read the same whole lines in the same order.
    lines = zip(read_lines(run / POINTS), read_points(run), strict=False)
    headlines: dict[wording.Headline, wording.Headline] = {}
    rows = [_row(offset, score, headlines) for (offset, _), score in lines]
    order = {name: natural_order(name) for name in {row.paper_id for row in rows}}
    return sorted(
        rows,
        key=lambda row: (
            order[row.paper_id],
            row.review_id,
            row.ordinal,
            natural_order(row.short_name),
        ),
    )


def _row(
    offset: int, score: PointScore, headlines: dict[wording.Headline, wording.Headline]
) -> Row:
    """A point's line; what lines have in common is held once, as all of them are held."""
    headline = wording.headline(score)
    text = " ".join(score.text.split())
    return Row(
        offset=offset,
        anchor=anchor_of(score.point_id),
        short_name=score.short_name,
        ordinal=score.ordinal,
        review_id=intern(score.review_id),
        paper_id=intern(score.paper_id),
        type=score.type.value if score.type else UNTYPED,
        status=score.status.value,
        headline=headlines.setdefault(headline, headline),
        finding=score.finding.value if score.finding else "",
        text=text if len(text) <= _ROW_TEXT else text[:_ROW_TEXT].rsplit(" ", 1)[0] + " …",
        kind=wording.kind_beside_type(score),
        supplied="" if score.protocol is None else _YES_OR_NO[score.supplied],
        stated="" if score.protocol is None else _YES_OR_NO[bool(score.acknowledged)],
        failure=score.failure.value if score.failure else "",
    )


def paper_of(row: Row) -> str:
    """The paper a line belongs to, for grouping."""
    return row.paper_id


class PaperPages:
    """Renders papers and packs them into pages.

    Args:
        run: The run folder.
        template: Renders one paper.
        papers: Gives a paper by its id.
        reviews: Gives a review by its id.
        missed: What a review leaves out that others raise, in words, by its id.
        near: How near its reviewer's papers are, by its id.
        manifest: What the run was made with.
        later: Gives what came later than a point.
    """

    def __init__(
        self,
        run: Path,
        template: Template,
        papers: PaperOf | None,
        reviews: ReviewOf | None,
        *,
        missed: Mapping[str, Sequence[str]],
        near: Mapping[str, Beside],
        manifest: Manifest,
        later: LaterOf | None = None,
    ) -> None:
        self._run, self._missed, self._near, self._manifest = run, missed, near, manifest
        self._template = template
        self._papers, self._reviews = papers, reviews
        self._later = later or (lambda _: ())
        self._works = WorksByReview(run)

    def pages(self, rows: Sequence[Row]) -> Iterator[Page]:
        """Whole papers, as many to a page as it may hold; at least one."""
        page_rows: list[Row] = []
        shown: list[_ShownPaper] = []
        size = 0
        each = min(_MOST_WORDS, _WORDS_IN_TABLE // max(1, len(rows)))
        for paper_id, grouped in groupby(rows, paper_of):
            group = list(grouped)
            paper = self._paper(paper_id, group, each)
            bulk = paper.fragment.size + _LINE_BYTES * (1 + len(group))
            full = len(page_rows) + len(group) > POINTS_PER_PAGE or size + bulk > BYTES_PER_PAGE
            if page_rows and full:
                yield _page(page_rows, shown)
                page_rows, shown, size = [], [], 0
            page_rows += paper.rows
            shown.append(paper)
            size += bulk
        if page_rows:
            yield _page(page_rows, shown)

    def _paper(self, paper_id: str, rows: list[Row], most: int) -> _ShownPaper:
        paper = look_up(self._papers, paper_id)
        reviews = [list(grouped) for _, grouped in groupby(rows, lambda row: row.review_id)]
        shown_rows: list[Row] = []

        def groups() -> Iterator[ReviewGroup]:  # the cards of one review at a time
            for own in reviews:
                group = self._review(own[0].review_id, own, paper)
                shown_rows.extend(
                    replace(row, words=_words(card.score, row, most))
                    for row, card in zip(own, group.cards, strict=True)
                )
                yield group

        unread = self._manifest.unread.get(paper_id)
        anchor = anchor_of(paper_id, "paper")
        shown = {
            "paper_id": paper_id,
            "anchor": anchor,
            "paper": paper,
            "groups": groups(),
            "quoted": paper is not None and self._quotes(paper, rows),
            "unread": unread,
            "for_others": self._manifest.for_others,
            "unread_evidence": unread_evidence_words(unread),
        }
        fragment = RenderedPaper(rendered(self._template, **shown))
        states = Counter(row.state for row in rows)
        line = PaperLine(
            paper_id=paper_id,
            title=_title(paper),
            link=f"#{anchor}",
            reviews=len(reviews),
            points=len(rows),
            flags=states["flag"],
            possible=states["near"],
            failed=states["lost"],
        )
        return _ShownPaper(fragment, shown_rows, line)

    def _quotes(self, paper: Paper, rows: Sequence[Row]) -> bool:
        """Whether a point shows words of its paper, which the page then holds."""
        with points_by_offset(self._run) as read:
            return any(_shows_words(read(row.offset), paper) for row in rows)

    def _review(self, review_id: str, rows: list[Row], paper: Paper | None) -> ReviewGroup:
        review = look_up(self._reviews, review_id)
        cards = []
        with points_by_offset(self._run) as read:
            for number, row in enumerate(rows, start=1):
                score = read(row.offset)
                later = self._later(score)
                cards.append(card_of(score, review, paper, number=number, later=later))
        missed = tuple(self._missed.get(review_id, ()))
        near = self._near.get(review_id)
        works = self._works(review_id)
        return ReviewGroup(
            review_id, tuple(cards), marked_fields(review, cards), missed, near, works
        )


def _shows_words(score: PointScore, paper: Paper) -> bool:
    return any(quote.verified for quote in (*score.evidence, *score.passages)) or any(
        place.text is not None for place in shown_places(score, paper)
    )


def _page(rows: Sequence[Row], shown: Sequence[_ShownPaper]) -> Page:
    fragments, papers = (paper.fragment for paper in shown), (paper.line for paper in shown)
    return Page(tuple(rows), tuple(fragments), tuple(papers))


def _title(paper: Paper | None) -> str:
    """The title of a paper for a list; empty if none is known."""
    if paper is None or not paper.title.strip():
        return ""
    return plain_title(paper.title) + (" (title not sure)" if paper.title_doubt else "")


def look_up(source: Callable[[str], _Found] | None, name: str) -> _Found | None:
    """A paper or review; None if it is not at hand, which a report can do without."""
    if source is None:
        return None
    try:
        return source(name)
    except (KeyError, OSError, ReviewScoreError):
        return None


def _words(score: PointScore, row: Row, most: int) -> str:
    """The words of a point and its evidence that its row does not show, in lower case, each once.

    Args:
        score: The point.
        row: Its row.
        most: Characters; what is beyond is left out.
    """
    verdicts = [score.verdict, *(premise.verdict for premise in premises_of(score))]
    shown = [quote for verdict in verdicts if verdict for quote in verdict.evidence]
    quoted = (quote.quote for quote in (*score.evidence, *score.passages, *shown))
    granted = (known.statement for part in score.parts for known in part.presuppositions)
    plain = (
        word.strip(_EDGES)
        for text in (*quoted, *granted, score.text)
        for word in text.lower().split()
    )
    known = set(row.text.lower().split())
    words = " ".join(dict.fromkeys(word for word in plain if word and word not in known))
    return words if len(words) <= most else words[:most].rpartition(" ")[0]


def marked_fields(
    review: Review | None, cards: Sequence[Card]
) -> tuple[tuple[str, list[Stretch]], ...]:
    """The fields of a review that hold points, each with its points marked."""
    if review is None:
        return ()
    named = dict.fromkeys(card.score.span.field for card in cards)
    return tuple(
        (
            name,
            marked_field(
                review.fields[name],
                [(c.number, c.score, c.anchor) for c in cards if c.score.span.field == name],
            ),
        )
        for name in named
        if name in review.fields
    )
