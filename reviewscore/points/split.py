"""A review split into its points by rule, or by a model's proposal; each is a verbatim span."""

from __future__ import annotations

import itertools
import operator
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from reviewscore.judges.lexical.remarks import kind_of
from reviewscore.papers.hidden import WIDTHLESS
from reviewscore.points.blocks import Block, blocks_of
from reviewscore.points.concerns import Concern, all_concerns, joined_repairs, sifted_concerns
from reviewscore.points.languages import LanguageStretch, ReviewLanguages, plain_concerns
from reviewscore.points.limitations import own_remarks
from reviewscore.points.repeats import repeated_points
from reviewscore.points.sections import OpenSection, open_sections, sections_of
from reviewscore.points.stance import is_question
from reviewscore.schema.point_id import content_ids
from reviewscore.schema.review import (
    Neighbours,
    Occurrence,
    ProposedPoint,
    Review,
    ReviewPoint,
    Role,
)
from reviewscore.schema.span import Span
from reviewscore.sources.section_roles import is_closing
from reviewscore.text.language import ENGLISH
from reviewscore.text.sentences import TextSpan, sentences, trim
from reviewscore.text.stems import stems, stop_stems

_DASH = re.compile(r"\s*(?:[-–—•]{1,3}|\*(?!\*)|\*-\*)\s+")
_LOOSE_END = re.compile(r"\n\s*(?:[-–—•*+=_]+\s*)+\Z")
_NEAR = 1_000
"""Characters of a neighbouring sentence that are kept."""


_Stretch = tuple[OpenSection, Concern, Role]


def _as_points(
    review: Review, languages: ReviewLanguages, stretches: Sequence[_Stretch]
) -> tuple[ReviewPoint, ...]:
    """Stretches of a review, in reading order, as points, with the language each is in."""
    texts = [
        review.fields[section.field][concern.start : concern.end]
        for section, concern, _ in stretches
    ]
    names = content_ids(review.review_id, texts)
    around: dict[OpenSection, _Surroundings] = {}
    points = []
    for number, (name, text, (section, concern, role)) in enumerate(
        zip(names, texts, stretches, strict=True), start=1
    ):
        start, end = concern.start, concern.end
        if section not in around:
            around[section] = _Surroundings(review.fields[section.field], section)
        language = languages.at(section.field, start)
        points.append(
            ReviewPoint(
                point_id=name,
                review_id=review.review_id,
                paper_id=review.paper_id,
                number=number,
                section=section.name,
                role=role,
                text=text,
                span=Span(field=section.field, start=start, end=end),
                context=_lead(review, section, concern),
                neighbours=around[section].of(start, end, language),
                language=language,
                kind=None if language else kind_of(text, role),
                consent=review.consent,
            )
        )
    return tuple(points)


def _lead(review: Review, section: OpenSection, concern: Concern) -> str:
    lead = concern.context
    return "" if lead is None else review.fields[section.field][lead.start : lead.end]


@lru_cache(maxsize=16)  # a section is read for its points, and again for what stands around them
def _blocks(text: str, start: int, end: int) -> tuple[Block, ...]:
    return tuple(blocks_of(text, start, end))


class _Surroundings:
    """The sentences around the stretches of one section."""

    def __init__(self, text: str, section: OpenSection) -> None:
        self._text = text
        self._known: dict[tuple[int, int, str], list[TextSpan]] = {}
        self._blocks = _blocks(text, section.start, section.end)

    def of(self, start: int, end: int, language: str | None) -> Neighbours:
        """The sentences before and after a stretch, at most `_NEAR` characters of each."""
        before = bisect_left(self._blocks, start, key=lambda block: block.start) - 1
        after = bisect_right(self._blocks, end, key=lambda block: block.end)
        return Neighbours(
            before=self._sentence(before, 0, start, language, which=-1),
            after=self._sentence(after, end, len(self._text), language, which=0),
        )

    def _sentence(self, index: int, low: int, high: int, language: str | None, which: int) -> str:
        """The first or last sentence of a block, as far as it lies between two offsets."""
        if not 0 <= index < len(self._blocks):
            return ""
        start, end = max(self._blocks[index].start, low), min(self._blocks[index].end, high)
        start, end = (max(start, end - _NEAR), end) if which else (start, min(end, start + _NEAR))
        key = start, end, language or ENGLISH  # what stands after a point stands before another
        spans = self._known.get(key)
        if spans is None:
            spans = self._known[key] = sentences(self._text, start, end, language=key[2])
        return self._text[slice(*spans[which])] if spans else ""


def _concerns(
    text: str, section: OpenSection, languages: ReviewLanguages, *, include_strengths: bool
) -> Iterator[tuple[Concern, Role]]:
    """The concerns of a section in order, with the role that each has there."""
    for stretch in languages.stretches(section.field, section.start, section.end):
        spans: Iterator[tuple[Concern, Block]]
        if stretch.language is None:
            spans = _english_concerns(text, section, stretch)
        else:
            spans = plain_concerns(text, stretch)
        for concern, block in spans:
            role = (block.role if section.sifted else None) or section.role
            if role is not Role.STRENGTHS or include_strengths:
                yield concern, role


def _english_concerns(
    text: str, section: OpenSection, stretch: LanguageStretch
) -> Iterator[tuple[Concern, Block]]:
    for block in _blocks(text, stretch.start, stretch.end):
        marked = block.role if section.sifted else None
        concerns: Iterator[Concern]
        if section.role is Role.LIMITATIONS:
            sift = all_concerns if block.entry else sifted_concerns
            concerns = itertools.chain.from_iterable(
                sift(text, own) for own in own_remarks(text, block)
            )
        elif section.sifted and marked is None:
            concerns = sifted_concerns(text, block)
        else:
            praise = (marked or section.role) is Role.STRENGTHS
            concerns = all_concerns(text, block, praise=praise)
        for concern in concerns:
            yield concern, block


def split_review(
    review: Review, *, include_limitations: bool = True, include_strengths: bool = False
) -> tuple[ReviewPoint, ...]:
    """Split a review into self-contained points in reading order.

    Points come from sections for weaknesses, questions and requests, where everything but
    politeness is part of a point, and from mixed sections, where praise, summary and decisions
    are left out; from sections for limitations but for what the authors are said to say, and from
    a closing summary of the review what it says anew. What is not in English is split by list
    entries and sentences, and nothing of it
    is left out. Points never overlap, and each satisfies
    ``review.fields[point.span.field][point.span.start : point.span.end] == point.text``.

    Args:
        review: Any review; one that came as a single text is searched for headings.
        include_limitations: Whether sections for limitations give points.
        include_strengths: Whether sections for strengths give points.
    """
    stretches: list[_Stretch] = []
    languages = ReviewLanguages(review)
    sections = open_sections(
        review, include_limitations=include_limitations, include_strengths=include_strengths
    )
    for section in sections:
        text = review.fields[section.field]
        concerns = _concerns(text, section, languages, include_strengths=include_strengths)
        for concern, role in joined_repairs(text, concerns, heading=section.name):
            dash = _DASH.match(text, concern.start, concern.end)
            start, end = trim(text, dash.end() if dash else concern.start, concern.end)
            loose = _LOOSE_END.search(text[max(start, end - 40) : end])
            if loose is not None:
                start, end = trim(text, start, end - len(loose.group()))
            if any(char.isalnum() for char in text[start:end]):
                stretches.append((section, Concern(start, end, concern.context), role))
    kept = _without_repeats(review, stretches)
    return _with_occurrences(_as_points(review, languages, kept))


_SAID_BEFORE = 1 / 3
"""Share of the words of a remark in a closing summary from which on it repeats another."""
_NEW_WORDS = 6
"""Fewest words that are new in such a remark; with fewer it is a verdict, unless it asks."""


def _without_repeats(review: Review, stretches: list[_Stretch]) -> list[_Stretch]:
    """Stretches without those of a closing summary that repeat others or only sum up."""
    if not any(is_closing(section.name) for section, _, _ in stretches):
        return stretches
    texts = [review.fields[part.field][said.start : said.end] for part, said, _ in stretches]
    bags = [frozenset(stems(text)) - stop_stems() for text in texts]
    closing = [is_closing(section.name) for section, _, _ in stretches]
    known = frozenset[str]().union(*itertools.compress(bags, map(operator.not_, closing)))

    def is_new(index: int) -> bool:
        new = len(bags[index] - known)
        share = len(bags[index]) - new < _SAID_BEFORE * len(bags[index])
        return share and (new >= _NEW_WORDS or is_question(texts[index]))

    return [stretch for at, stretch in enumerate(stretches) if not closing[at] or is_new(at)]


def _with_occurrences(points: tuple[ReviewPoint, ...]) -> tuple[ReviewPoint, ...]:
    """The points of a review, those that repeat another as occurrences of that one."""
    if len({(point.span.field, point.section) for point in points}) < 2:  # noqa: PLR2004
        return points  # a repeat stands in another section
    repeats = repeated_points(points)
    if not repeats:
        return points
    again: dict[str, list[Occurrence]] = {}
    for point in points:
        if (concern := repeats.get(point.point_id)) is not None:
            occurrence = Occurrence(section=point.section, text=point.text, span=point.span)
            again.setdefault(concern, []).append(occurrence)
    kept = (point for point in points if point.point_id not in repeats)
    return tuple(
        point.model_copy(
            update={"number": number, "occurrences": tuple(again.get(point.point_id, ()))}
        )
        for number, point in enumerate(kept, start=1)
    )


_NOT_REVIEWED = frozenset({Role.LATE, Role.SCORES, Role.IGNORE})


def proposal_sections(
    review: Review, *, include_limitations: bool = True
) -> tuple[OpenSection, ...]:
    """The sections that a reader of a review may propose points from, empty ones left out.

    A reader can tell the criticism in a summary, or among strengths, from the rest: these are open
    too, which they are not to the rules. What was written after the discussion never is.

    Args:
        review: Any review; one that came as a single text is searched for headings.
        include_limitations: Whether sections for limitations are open.
    """
    closed = _NOT_REVIEWED if include_limitations else _NOT_REVIEWED | {Role.LIMITATIONS}
    return tuple(
        section
        for section in sections_of(review)
        if section.role not in closed
        and review.fields[section.field][section.start : section.end].strip()
    )


class _Place(NamedTuple):
    """A stretch of a section, which goes by its index."""

    section: int
    start: int
    end: int


class _Squeezed:
    """A text without white space and unseen characters, and where each of the others stood."""

    def __init__(self, text: str, offset: int = 0) -> None:
        unseen = {at for match in WIDTHLESS.finditer(text) for at in range(*match.span())}
        kept = [at for at, char in enumerate(text) if at not in unseen and not char.isspace()]
        self.text = "".join(text[index] for index in kept)
        self._places = [offset + index for index in kept]

    def span(self, at: int, length: int) -> TextSpan:
        """Where the characters from an index on stood in the text."""
        return TextSpan(self._places[at], self._places[at + length - 1] + 1)

    def spans(self, wanted: str) -> Iterator[TextSpan]:
        """The places of a squeezed text, in order, none overlapping the one before."""
        at = self.text.find(wanted) if wanted else -1
        while at >= 0:
            yield self.span(at, len(wanted))
            at = self.text.find(wanted, at + len(wanted))


class _Proposals:
    """Finds the words that a reader proposed in the sections that are open to them."""

    def __init__(self, review: Review, sections: Sequence[OpenSection]) -> None:
        self._review, self._sections = review, sections
        self._squeezed = [
            _Squeezed(review.fields[section.field][section.start : section.end], section.start)
            for section in sections
        ]
        asides = (Role.SUMMARY, Role.STRENGTHS)  # what stands in a box for points too, is there
        self._order = sorted(range(len(sections)), key=lambda at: sections[at].role in asides)
        self._taken: list[list[_Place]] = [[] for _ in sections]
        self._fields: dict[str, _Squeezed] = {}

    def take(self, words: str) -> _Place | None:
        """The first place of the words that is free, which it is no more."""
        wanted = _Squeezed(words).text
        if re.search(r"\w", wanted) is None:
            return None
        for number in self._order:
            taken = self._taken[number]
            for span in self._squeezed[number].spans(wanted):
                place = _Place(number, *span)
                if _is_free(place, taken):
                    taken.insert(bisect_left(taken, place), place)
                    return place
        return None

    def lead_in(self, words: str, place: _Place) -> TextSpan | None:
        """The last place of the words before a point in its box, else the first one after it."""
        field = self._sections[place.section].field
        if field not in self._fields:
            self._fields[field] = _Squeezed(self._review.fields[field])
        last = None
        for span in self._fields[field].spans(_Squeezed(words).text):
            if span.end <= place.start:
                last = span
            elif span.start >= place.end:
                return last or span
        return last

    def occurrence(self, place: _Place) -> Occurrence:
        """A place as the repeat of a concern."""
        section = self._sections[place.section]
        return Occurrence(
            section=section.name,
            text=self._review.fields[section.field][place.start : place.end],
            span=Span(field=section.field, start=place.start, end=place.end),
        )


def _is_free(place: _Place, taken: list[_Place]) -> bool:
    index = bisect_left(taken, place)
    before = index == 0 or taken[index - 1].end <= place.start
    return before and (index == len(taken) or place.end <= taken[index].start)


def accept_proposed(
    review: Review, proposals: Sequence[str | ProposedPoint], *, include_limitations: bool = True
) -> tuple[tuple[ReviewPoint, ...], tuple[str, ...]]:
    """Accept the proposed points that stand verbatim where the review may hold points.

    White space and characters without width are ignored in the comparison; the stored text is the
    review's own. A proposal is rejected if it is not there, was proposed before, or overlaps one
    accepted before it. Of an accepted one, repeats and a lead-in that are not verbatim, and repeats
    that overlap a point or another repeat, are left out.

    Args:
        review: The review that was shown to the model.
        proposals: Points as the model gave them, or their texts alone, in its order of preference.
        include_limitations: Whether sections for limitations may hold points.

    Returns:
        The points in reading order, and the texts of the rejected proposals as they came.
    """
    sections = proposal_sections(review, include_limitations=include_limitations)
    finder = _Proposals(review, sections)
    accepted: list[tuple[_Place, ProposedPoint]] = []
    rejected: list[str] = []
    known: set[str] = set()
    for proposal in proposals:
        point = ProposedPoint(text=proposal) if isinstance(proposal, str) else proposal
        wanted = _Squeezed(point.text).text
        place = None if wanted in known else finder.take(point.text)
        known.add(wanted)
        if place is None:
            rejected.append(point.text)
        else:
            accepted.append((place, point))
    accepted.sort(key=lambda pair: pair[0])
    stretches, said = [], []
    for place, point in accepted:
        section, lead = sections[place.section], finder.lead_in(point.lead_in, place)
        stretches.append((section, Concern(place.start, place.end, lead), section.role))
        repeats = sorted(filter(None, map(finder.take, point.also)))
        occurrences = tuple(map(finder.occurrence, repeats))
        more = {"kind": point.kind, "type": point.type, "occurrences": occurrences}
        said.append({name: value for name, value in more.items() if value is not None})
    points = zip(_as_points(review, ReviewLanguages(review), stretches), said, strict=True)
    return tuple(point.model_copy(update=more) for point, more in points), tuple(rejected)
