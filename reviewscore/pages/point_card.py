"""A point as pages show it: words and quotes in their surroundings, and the places it names."""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from reviewscore.config import EMBEDDED
from reviewscore.pages import wording
from reviewscore.pages.author_answers import ShownAnswer, shown_answers
from reviewscore.papers.converted import gaps_in_words
from reviewscore.schema.argument import Premise
from reviewscore.schema.later_remark import LaterRemark
from reviewscore.schema.paper import Evidence, Paper
from reviewscore.schema.place import Target
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.review import Review
from reviewscore.schema.span import Span
from reviewscore.schema.verdict import Provenance

PAPER_CONTEXT = 120
"""Characters of the paper shown before and after a quote."""

REVIEW_CONTEXT = 160
"""Characters of the review shown before and after a point."""

_SLACK = 30
_ABOUT = 80
"""Characters of a point that stand for it."""


@dataclass(frozen=True)
class SheetQuote:
    """A verified quote of the paper, the place it stands at in words, and its page if known."""

    text: str
    section: str | None = None
    page: int | None = None


def quotes(evidence: Iterable[Evidence]) -> tuple[SheetQuote, ...]:
    """The verified ones, each once."""
    kept = {one.quote: one for one in evidence if one.verified}
    return tuple(
        SheetQuote(gaps_in_words(text), wording.quote_place(one) or None, one.page)
        for text, one in kept.items()
    )


@dataclass(frozen=True)
class Excerpt:
    """A marked span between what stands before and after it."""

    before: str
    marked: str
    after: str


@dataclass(frozen=True)
class Stretch:
    """A stretch of a review's field: of a point, or (``number`` is None) between points."""

    text: str
    number: int | None = None
    anchor: str | None = None


def excerpt(text: str, start: int, end: int, *, reach: int) -> Excerpt:
    """A span with up to `reach` characters on both sides, cut between words."""
    left, right = max(0, start - reach), min(len(text), end + reach)
    before, after = text[left:start], text[end:right]
    if left > 0:
        cut = before.find(" ", 0, _SLACK)
        before = "… " + before[cut + 1 :].lstrip()
    if right < len(text):
        cut = after.rfind(" ", max(0, len(after) - _SLACK))
        after = (after[:cut] if cut >= 0 else after).rstrip() + " …"
    return Excerpt(before, text[start:end], after)


def packed(paper: Paper) -> str:
    """A paper's text, deflated, in base64: unpacked by the page when somebody asks for it."""
    return base64.b64encode(zlib.compress(paper.text.encode("utf-8", "replace"), 9)).decode()


def stands_in(quote: Evidence, paper: Paper | None) -> bool:
    """Whether a verified quote is where it is said to be: the paper may have changed since."""
    if paper is None or not quote.verified or quote.start is None or quote.end is None:
        return False
    return paper.text[quote.start : quote.end] == quote.quote


def quote_in_paper(quote: Evidence, paper: Paper | None) -> Excerpt | None:
    """A verified quote in its surroundings; None if they are not at hand.

    The paper may have changed since it was judged: then the quote stands alone.
    """
    if not stands_in(quote, paper):
        return None
    assert paper is not None and quote.start is not None and quote.end is not None
    document = paper.document_at(quote.start)
    if document is None:
        return excerpt(paper.text, quote.start, quote.end, reach=PAPER_CONTEXT)
    start, end = quote.start - document.start, quote.end - document.start
    own = paper.text[document.start : document.end]
    return excerpt(own, start, end, reach=PAPER_CONTEXT)


def point_in_review(score: PointScore, review: Review | None) -> Excerpt:
    """A point in its surroundings, or by itself if the review is not at hand or has changed."""
    text = "" if review is None else review.fields.get(score.span.field, "")
    if score.text and text[score.span.start : score.span.end] == score.text:
        return excerpt(text, score.span.start, score.span.end, reach=REVIEW_CONTEXT)
    return Excerpt(f"{score.context} " if score.context else "", score.text, "")


class HasSpan(Protocol):
    """Words of a review and where they stand."""

    @property
    def text(self) -> str:
        """The words."""

    @property
    def span(self) -> Span:
        """Their place."""


def marked_field(text: str, points: Iterable[tuple[int, HasSpan, str]]) -> list[Stretch]:
    """A field of a review cut into points and what stands between them.

    Args:
        text: The field.
        points: Number, place and anchor of each point of the field. A point that overlaps an
            earlier one, or is not where it is said to be, is left unmarked.
    """
    stretches: list[Stretch] = []
    position = 0
    for number, score, anchor in sorted(points, key=lambda row: row[1].span.start):
        start, end = score.span.start, score.span.end
        if start < position or not score.text or text[start:end] != score.text:
            continue
        if start > position:
            stretches.append(Stretch(text[position:start]))
        stretches.append(Stretch(text[start:end], number, anchor))
        position = end
    if position < len(text):
        stretches.append(Stretch(text[position:]))
    return stretches


NOT_AT_HAND = "not in the text at hand"
"""Said of a place that the text lacks: the reviewer may have read another form of the paper."""
RECKONED = " (about here: its number was not seen with its line)"
_LONGEST = 600
"""Characters of a place that a page repeats; the paper pane shows all of it."""
_LABEL = 90


@dataclass(frozen=True)
class ShownPlace:
    """A place that a point names.

    Attributes:
        label: The place, such as ``Table 3b``; long quotations are cut.
        target: Where it is; None if the text at hand lacks it.
        text: What stands there, cut where it is long; None if that is not at hand.
    """

    label: str
    target: Target | None
    text: str | None = None

    @property
    def words(self) -> str:
        """The label with its page, or that it is not at hand."""
        if self.target is None:
            return f"{self.label} ({NOT_AT_HAND})"
        page = "" if self.target.page is None else f", p. {self.target.page}"
        return f"{self.label}{page}{RECKONED if self.target.reckoned else ''}"


def shown_places(score: PointScore, paper: Paper | None = None) -> tuple[ShownPlace, ...]:
    """Each place that a point names, once, with what stands there.

    Args:
        score: The point.
        paper: Its paper, if it is at hand. Where it has other text than the one that was judged,
            nothing of it is shown.
    """
    if not score.places:
        return ()
    shown: dict[str, ShownPlace] = {}
    same = all(stands_in(quote, paper) for quote in (*score.evidence, *score.passages))
    for place in score.places:
        label = place.label if len(place.label) <= _LABEL else place.label[:_LABEL].rstrip() + " …"
        where, text = place.target, None
        if paper is not None and same and where is not None and where.end <= len(paper.text):
            text = paper.text[where.start : where.end]
            text = text if len(text) <= _LONGEST else text[:_LONGEST].rsplit(None, 1)[0] + " …"
        shown.setdefault(label, ShownPlace(label, where, text))
    return tuple(shown.values())


@dataclass(frozen=True)
class Card:
    """One point as it is shown."""

    number: int
    anchor: str
    score: PointScore
    headline: wording.Headline
    place: Excerpt
    places: tuple[ShownPlace, ...]
    answers: tuple[ShownAnswer, ...]
    other_quotes: tuple[Evidence, ...]
    origins: tuple[Provenance, ...]
    later: tuple[LaterRemark, ...] = ()

    @property
    def about(self) -> str:
        """The beginning of the point's words: what headings and lists call it."""
        text = " ".join(self.score.text.split())
        return text if len(text) <= _ABOUT else f"{text[:_ABOUT].rsplit(' ', 1)[0]} …"


def anchor_of(name: str, kind: str = "p") -> str:
    """A name for links to a point or, as ``paper``, to a paper, the same in each report.

    An id itself may hold anything.
    """
    return f"{kind}-{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:12]}"


def card_of(
    score: PointScore,
    review: Review | None,
    paper: Paper | None,
    *,
    number: int = 1,
    later: Sequence[LaterRemark] = (),
) -> Card:
    """One point as it is shown.

    Args:
        score: The point.
        review: The review it stands in, for its surroundings; None if it is not at hand.
        paper: Its paper, for those of quotes; likewise.
        number: Its number on the page.
        later: What came later and bears on it.
    """
    shown = list(score.verdict.evidence) if score.verdict else []
    for premise in premises_of(score):
        if premise.verdict:
            shown += premise.verdict.evidence
    # The embedded judge is named once, at the head of the page.
    asked = (origin for origin in score.origins if origin.judge != EMBEDDED)
    unique = {
        (provenance.stage, provenance.prompt_sha256, provenance.model_answered): provenance
        for provenance in asked
    }
    return Card(
        number=number,
        anchor=anchor_of(score.point_id),
        score=score,
        headline=wording.headline(score),
        place=point_in_review(score, review),
        places=shown_places(score, paper),
        answers=shown_answers(score),
        other_quotes=tuple(quote for quote in score.evidence if quote not in shown),
        origins=tuple(unique.values()),
        later=tuple(later),
    )


def premises_of(score: PointScore) -> tuple[Premise, ...]:
    """The premises of a point's reconstruction; none without one."""
    return score.argument.premises if score.argument else ()


def deciding_premises(score: PointScore) -> tuple[Premise, ...]:
    """The same, of a reconstruction that the verdict rests on."""
    return score.deciding_argument.premises if score.deciding_argument else ()
