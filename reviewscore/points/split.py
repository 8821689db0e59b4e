"""A review split into its points by rule, or by a model's proposal; each is a verbatim span."""

from __future__ import annotations

import itertools
import operator
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from reviewscore.papers.hidden import WIDTHLESS
from reviewscore.points.blocks import Block, blocks_of
from reviewscore.points.concerns import Concern, all_concerns, joined_repairs, sifted_concerns
from reviewscore.points.languages import LanguageStretch, ReviewLanguages, plain_concerns
from reviewscore.points.limitations import own_remarks
from reviewscore.points.sections import OpenSection, open_sections
from reviewscore.points.stance import is_question
from reviewscore.schema.point_id import content_ids
from reviewscore.schema.review import Review, ReviewPoint, Role
from reviewscore.schema.span import Span
from reviewscore.sources.section_roles import is_closing
from reviewscore.text.sentences import trim
from reviewscore.text.stems import stems, stop_stems

_DASH = re.compile(r"\s*(?:[-–—•]{1,3}|\*(?!\*)|\*-\*)\s+")
_LOOSE_END = re.compile(r"\n\s*(?:[-–—•*+=_]+\s*)+\Z")


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
    return tuple(
        ReviewPoint(
            point_id=name,
            review_id=review.review_id,
            paper_id=review.paper_id,
            number=number,
            section=section.name,
            role=role,
            text=text,
            span=Span(field=section.field, start=concern.start, end=concern.end),
            context=_lead(review, section, concern),
            language=languages.at(section.field, concern.start),
        )
        for number, (name, text, (section, concern, role)) in enumerate(
            zip(names, texts, stretches, strict=True), start=1
        )
    )


def _lead(review: Review, section: OpenSection, concern: Concern) -> str:
    lead = concern.context
    return "" if lead is None else review.fields[section.field][lead.start : lead.end]


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
    for block in blocks_of(text, stretch.start, stretch.end):
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
    return _as_points(review, languages, _without_repeats(review, stretches))


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


_Place = tuple[int, int, int]  # index of the section, start and end in its field


def _squeezed(text: str) -> tuple[str, list[int]]:
    """A text without white space and unseen characters, and where each of the others stood."""
    unseen = {at for match in WIDTHLESS.finditer(text) for at in range(*match.span())}
    places = [at for at, char in enumerate(text) if at not in unseen and not char.isspace()]
    return "".join(text[index] for index in places), places


def _find(
    wanted: str, squeezed: Sequence[tuple[str, list[int]]], taken: Sequence[list[_Place]]
) -> _Place | None:
    """The first free place of a text in the open sections."""
    for number, (text, places) in enumerate(squeezed):
        at = text.find(wanted)
        while at >= 0:
            place = (number, places[at], places[at + len(wanted) - 1] + 1)
            if _is_free(place, taken[number]):
                return place
            at = text.find(wanted, at + len(wanted))
    return None


def _is_free(place: _Place, taken: list[_Place]) -> bool:
    index = bisect_left(taken, place)
    before = index == 0 or taken[index - 1][2] <= place[1]
    return before and (index == len(taken) or place[2] <= taken[index][1])


def accept_proposed(
    review: Review, proposals: Sequence[str], *, include_limitations: bool = True
) -> tuple[tuple[ReviewPoint, ...], tuple[str, ...]]:
    """Accept the proposed points that stand verbatim where the review may hold points.

    White space and characters without width are ignored in the comparison; the stored text is the
    review's own. A proposal is rejected if it is not there, was proposed before, or overlaps one
    accepted before it.

    Args:
        review: The review that was shown to the model.
        proposals: Texts of points as the model wrote them, in its order of preference.
        include_limitations: Whether sections for limitations may hold points.

    Returns:
        The points in reading order, and the rejected proposals as they came.
    """
    sections = open_sections(review, include_limitations=include_limitations)
    squeezed: list[tuple[str, list[int]]] = []
    for section in sections:
        text, places = _squeezed(review.fields[section.field][section.start : section.end])
        squeezed.append((text, [section.start + place for place in places]))
    taken: list[list[_Place]] = [[] for _ in sections]
    rejected: list[str] = []
    known: set[str] = set()
    for proposal in proposals:
        wanted, _ = _squeezed(proposal)
        if wanted in known or re.search(r"\w", wanted) is None:
            rejected.append(proposal)
            continue
        known.add(wanted)
        place = _find(wanted, squeezed, taken)
        if place is None:
            rejected.append(proposal)
            continue
        index = bisect_left(taken[place[0]], place)
        taken[place[0]].insert(index, place)
    stretches = [
        (sections[index], Concern(start, end, None), sections[index].role)
        for group in taken
        for index, start, end in group
    ]
    return _as_points(review, ReviewLanguages(review), stretches), tuple(rejected)
