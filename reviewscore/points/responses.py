"""Which points of a review the authors' response answers: by quotes, by numbers, by words.

A paragraph is aligned by the surest way that holds: it repeats words of a point, it names the
point's label or number, or it shares telling words with one point and clearly less with others.
Nothing is forced: what fits no point stays unaligned. What authors say of a point is read off a
few plain cues; no verdict rests on it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from math import log, sqrt
from pathlib import Path
from typing import NamedTuple

from reviewscore.points.blocks import ListLine, lines_of
from reviewscore.points.response_paragraphs import (
    COUNTED,
    RepeatedWords,
    ResponseParagraph,
    response_paragraphs,
)
from reviewscore.schema.author_answer import (
    AlignmentCertainty,
    AlignmentMethod,
    AnswerStance,
    AuthorAnswer,
)
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.review import Review, ReviewPoint, Role
from reviewscore.sources.section_roles import heading_kind
from reviewscore.text.patterns import load_patterns
from reviewscore.text.sentences import TextSpan, sentences, trim
from reviewscore.text.stems import FUNCTION_WORDS, stem, stems

Points = Sequence[ReviewPoint | PointScore]
"""All points of one review, in reading order, before they are judged or after."""

_CUES = load_patterns(Path(__file__).with_name("response_cues.toml"))

_GRAM = 4
"""Words in a row by which quoted stretches are looked up."""
_LONG_QUOTE = 7
"""Words in a row that are no coincidence, wherever they stand."""
_MOSTLY = 0.6
"""Share of a paragraph's words from which on it is a quotation and no answer."""
_NEARLY_ALL = 0.8
"""The same where the words repeated in a row are few."""
_LEAST_SCORE = 0.06
_LIKELY_SCORE = 0.12
_MARGIN = 1.7
"""Least similarity of words (cosine, 0..1), from where on it is likely, and how many times that
of the next point it must be; chosen on 16 real threads."""
_MOST_HOLDERS = 200
"""A word of more points tells none of them apart; reading on would take the square of the time."""
_LEAST_SHARED = 2
"""Fewest telling words that a paragraph and a point share."""
_DENSE = 3
"""Sentences of a paragraph from which on it may answer several points."""
_SHORT_HEAD = 14
_REWORDED = 0.2
"""Similarity of words from which on a head is the point in other words."""
_FIRST_PERSON = re.compile(r"\b(?:we|our|us|i|my)\b", re.IGNORECASE)
_SHORT_CUE = 10
_FEW_WORDS = 3
_MOST_NUMBERS = 10
_OPENING_WORDS = 12
_BASIS = 5
_BASIS_LENGTH = 160


@dataclass(frozen=True)
class Alignment:
    """What of a response answers which point.

    Attributes:
        answers: The stretches that answer a point, by its identifier, in the response's order.
        unaligned: Paragraphs that answer none, without those that only repeat the review; of
            a paragraph whose sentences were aligned singly, the other sentences.
    """

    answers: dict[str, tuple[AuthorAnswer, ...]]
    unaligned: tuple[TextSpan, ...]


def align_response(review: Review, points: Points) -> Alignment:
    """Align the authors' response to a review with the review's points.

    Args:
        review: The review with its response; without one nothing is aligned.
        points: All its points.
    """
    response = review.author_response or ""
    if not response or not points:
        return Alignment({}, tuple(paragraphs_of(response)))
    aligner = _Aligner(review, points, response)
    answer_groups: defaultdict[str, list[AuthorAnswer]] = defaultdict(list)
    for number, answer in aligner.run():
        answer_groups[points[number].point_id].append(answer)
    starts = sorted(span.start for span in aligner.left)
    answers = {
        point_id: tuple(_joined(response, made, starts)) for point_id, made in answer_groups.items()
    }
    every = [answer for made in answers.values() for answer in made]
    left = [*_unaligned(response, every, aligner.heads), *aligner.left]
    return Alignment(answers, tuple(sorted(left)))


def paragraphs_of(response: str) -> list[TextSpan]:
    """The paragraphs and list entries of a response, in order."""
    return [
        TextSpan(response_paragraph.start, response_paragraph.end)
        for response_paragraph in response_paragraphs(response)
    ]


def _unaligned(
    response: str, answers: Iterable[AuthorAnswer], heads: Iterable[TextSpan]
) -> Iterator[TextSpan]:
    """The paragraphs of a response that no answer covers.

    Args:
        response: The response.
        answers: What was aligned with points.
        heads: Headings, labels and repeated words of the review, which answer nothing.
    """
    covered = sorted(
        [(answer.start, answer.end) for answer in answers] + [(a, b) for a, b in heads]
    )
    reach, place = 0, 0
    for paragraph in paragraphs_of(response):
        while place < len(covered) and covered[place][0] < paragraph.end:
            reach = max(reach, covered[place][1])
            place += 1
        if reach <= paragraph.start and any(map(str.isalnum, response[slice(*paragraph)])):
            yield paragraph


def _joined(
    response: str, answers: list[AuthorAnswer], left: Sequence[int]
) -> Iterator[AuthorAnswer]:
    """Answers in order; those that follow each other by the same way are one.

    Args:
        response: The response.
        answers: Those of one point.
        left: Where sentences that answer nothing begin, ascending; no answer reaches over one.
    """
    order = list(AnswerStance)
    last: AuthorAnswer | None = None
    for answer in answers:
        if (
            last is not None
            and (last.method, last.basis) == (answer.method, answer.basis)
            and bisect_left(left, last.end) == bisect_left(left, answer.start)
        ):
            leading = min(
                last,
                answer,
                key=lambda answer: (order.index(answer.stance), _is_slight(answer.cue)),
            )
            last = last.model_copy(
                update={
                    "text": response[last.start : answer.end],
                    "end": answer.end,
                    "stance": leading.stance,
                    "cue_start": leading.cue_start,
                    "cue_end": leading.cue_end,
                }
            )
            continue
        if last is not None:
            yield last
        last = answer
    if last is not None:
        yield last


def _is_polite(sentence: str) -> bool:
    """Whether a sentence only thanks."""
    return _CUES["polite"].match(sentence.lstrip("*_# ")) is not None


def _is_slight(sentence: str) -> bool:
    """Whether a sentence says too little to stand for an answer."""
    return _is_polite(sentence) or len(sentence.split()) < _FEW_WORDS


# --- what of the review a paragraph repeats ----------------------------------------------------

_WORD = re.compile(r"[^\W_]+")


class _Words(NamedTuple):
    """Words of a text in lower case, with where each begins and ends."""

    words: list[str]
    spans: list[tuple[int, int]]


def _words(text: str, start: int = 0, end: int | None = None) -> _Words:
    matches = list(_WORD.finditer(text, start, len(text) if end is None else end))
    return _Words([match.group().lower() for match in matches], [match.span() for match in matches])


class _QuoteIndex:
    """Finds stretches of a response that stand in points of the review."""

    def __init__(self, points: Points) -> None:
        self._words = [_words(point.text).words for point in points]
        self._places: defaultdict[tuple[str, ...], list[tuple[int, int]]] = defaultdict(list)
        for number, words in enumerate(self._words):
            for at in range(len(words) - _GRAM + 1):
                places = self._places[tuple(words[at : at + _GRAM])]
                if len(places) <= _MOST_NUMBERS:
                    places.append((number, at))

    def runs(self, response: str, start: int, end: int) -> Iterator[RepeatedWords]:
        """The longest repeated stretches of ``response[start:end]``, in order."""
        words, spans = _words(response, start, end)
        at = 0
        while at + _GRAM <= len(words):
            places = self._places.get(tuple(words[at : at + _GRAM]), ())
            if not places:
                at += 1
                continue
            lengths = {place: self._length(words, at, *place) for place in places}
            longest = max(lengths.values())
            points = dict.fromkeys(n for (n, _), length in lengths.items() if length == longest)
            yield RepeatedWords(spans[at][0], spans[at + longest - 1][1], longest, tuple(points))
            at += longest

    def _length(self, words: list[str], at: int, point: int, place: int) -> int:
        known, length = self._words[point], 0
        most = min(len(known) - place, len(words) - at)
        while length < most and known[place + length] == words[at + length]:
            length += 1
        return length

    def whole(self, point: int, words: int) -> bool:
        """Whether so many words are all of a point."""
        return words == len(self._words[point])


# --- labels and numbers of the review's points -------------------------------------------------

_ROLE_OF_KIND = {
    "w": (Role.WEAKNESSES, Role.MIXED),
    "q": (Role.QUESTIONS,),
    "l": (Role.LIMITATIONS,),
}
_KIND_OF_ROLE = {role: kind for kind, roles in _ROLE_OF_KIND.items() for role in roles}


@dataclass
class _Entries:
    """Points by what a response may call them; each value holds numbers of points.

    Attributes:
        labelled: By label of the reviewer, such as ``w``, 1 of "W1".
        numbered: By a bare number of the reviewer.
        counted: By the kind of their section and their place in it.
        line_of: Where the list entry of a numbered point begins.
    """

    labelled: dict[tuple[str, int], list[int]] = field(default_factory=lambda: defaultdict(list))
    numbered: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    counted: dict[tuple[str, int], list[int]] = field(default_factory=lambda: defaultdict(list))
    line_of: dict[int, tuple[str, int]] = field(default_factory=dict)


def _entries(review: Review, points: Points) -> _Entries:
    made = _Entries()
    lines = {name: list(lines_of(text, 0, len(text))) for name, text in review.fields.items()}
    starts = {name: [line.start for line in known] for name, known in lines.items()}
    seen: dict[str, list[tuple[str, str, int]]] = defaultdict(list)
    for number, point in enumerate(points):
        name = point.span.field
        known = lines.get(name, [])
        entry = _entry_line(review.fields.get(name, ""), known, starts.get(name, []), point)
        if entry is not None and COUNTED.search(entry.style):
            made.numbered[entry.number].append(number)
            made.line_of[number] = (name, entry.start)
        elif entry is not None and entry.number:
            made.labelled[entry.style[0], entry.number].append(number)
        kind = _KIND_OF_ROLE.get(point.role)
        if kind is not None:
            own = (name, point.section, entry.start if entry is not None else point.span.start)
            if not seen[kind] or seen[kind][-1] != own:
                seen[kind].append(own)
            made.counted[kind, len(seen[kind])].append(number)
    return made


def _is_part(line: ListLine) -> bool:
    """Whether a line is counted by a letter or a Roman numeral, as parts of entries are."""
    return bool(line.number) and not (COUNTED.search(line.style) or line.style.isalpha())


def _entry_line(
    text: str, lines: list[ListLine], starts: list[int], point: ReviewPoint | PointScore
) -> ListLine | None:
    """The line with the marker of the list entry that a point stands in."""
    at = bisect_right(starts, point.span.start) - 1
    nearest: ListLine | None = None
    while at >= 0:
        line = lines[at]
        at -= 1
        if line.blank:
            continue
        if _is_part(line):
            continue
        if line.style and (nearest is None or line.indent < nearest.indent):
            nearest = line
            if line.number or line.indent == 0:
                return line
        elif not line.style and heading_kind(text[line.start : line.end].strip("*_# :")):
            return nearest
    return nearest


# --- words that a paragraph shares with points --------------------------------------------------


@cache
def _plain_stems() -> frozenset[str]:
    return frozenset(FUNCTION_WORDS) | frozenset(map(stem, FUNCTION_WORDS))


def _telling(text: str) -> set[str]:
    plain = _plain_stems()
    return {word for word in stems(text) if len(word) > 1 and word not in plain}


class _Likeness(NamedTuple):
    score: float
    shared: tuple[str, ...]


class _Similarity:
    """Cosine of the telling words of a paragraph and of each point, weighted by rarity."""

    def __init__(self, points: Points, paragraphs: Sequence[str]) -> None:
        documents = [_telling(point.text) for point in points]
        counts = Counter(word for text in paragraphs for word in _telling(text))
        for document in documents:
            counts.update(document)
        total = len(documents) + len(paragraphs)
        self._weight = {word: log((total + 1) / (n + 0.5)) for word, n in counts.items()}
        self._norm = [self._length(document) or 1.0 for document in documents]
        self._holders: defaultdict[str, list[int]] = defaultdict(list)
        for number, document in enumerate(documents):
            for word in document:
                self._holders[word].append(number)

    def _length(self, words: Iterable[str]) -> float:
        return sqrt(sum(self._weight.get(word, 0.0) ** 2 for word in words))

    def ranked(self, text: str) -> dict[int, _Likeness]:
        """The points that share words with a text, the most similar first."""
        words = _telling(text)
        own = self._length(words) or 1.0
        sums: Counter[int] = Counter()
        shared: defaultdict[int, list[str]] = defaultdict(list)
        for word in words:
            holders = self._holders.get(word, ())
            for number in holders if len(holders) <= _MOST_HOLDERS else ():
                sums[number] += self._weight[word] ** 2  # type: ignore[assignment]
                shared[number].append(word)
        likenesses = {
            number: _Likeness(
                total / (own * self._norm[number]),
                tuple(sorted(shared[number], key=lambda word: (-self._weight[word], word))),
            )
            for number, total in sums.items()
        }
        return dict(sorted(likenesses.items(), key=lambda pair: (-pair[1].score, pair[0])))


def _stands_out(
    ranked: dict[int, _Likeness],
    among: Iterable[int] | None = None,
    *,
    least: float = _LEAST_SCORE,
) -> int | None:
    """The point that is clearly the most similar, of some or all; None if there is none."""
    allowed = None if among is None else set(among)
    kept = [pair for pair in ranked.items() if allowed is None or pair[0] in allowed]
    if not kept:
        return None
    best, likeness = kept[0]
    second = kept[1][1].score if len(kept) > 1 else 0.0
    telling = likeness.score >= least and len(likeness.shared) >= _LEAST_SHARED
    return best if telling and likeness.score >= _MARGIN * second else None


# --- the alignment ------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Anchor:
    """Points that a paragraph is aligned with, and how."""

    points: tuple[int, ...]
    method: AlignmentMethod
    certainty: AlignmentCertainty
    basis: str
    style: str = ""


class _Aligner:
    """Goes through a response once, from top to bottom."""

    def __init__(self, review: Review, points: Points, response: str) -> None:
        self._points, self._response = points, response
        self._quotes = _QuoteIndex(points)
        self._entries = _entries(review, points)
        self.paragraphs = [
            self._with_quotes(response_paragraph)
            for response_paragraph in response_paragraphs(response)
        ]
        self._starts = [paragraph.start for paragraph in self.paragraphs]
        bodies = [self._own_text(paragraph) for paragraph in self.paragraphs]
        self._similar = _Similarity(points, bodies)
        self._under: Role | None = None
        self.heads: list[TextSpan] = []
        self.left: list[TextSpan] = []
        named = [
            paragraph.start for paragraph in self.paragraphs if paragraph.labels or paragraph.quoted
        ]
        self._last_named = max(named, default=0)

    def run(self) -> Iterator[tuple[int, AuthorAnswer]]:
        """Each answer with the number of its point."""
        current: _Anchor | None = None
        answered: ResponseParagraph | None = None
        for paragraph in self.paragraphs:
            if paragraph.is_heading:
                self._under, current = paragraph.heading, None
                self.heads.append(TextSpan(paragraph.start, paragraph.end))
                continue
            named = self._named(paragraph, current)
            if named is not None:
                current, answered = named, None
            elif current is not None and self._leaves(paragraph, current, answered):
                current = None
            elif current is not None and answered is not None:
                current = replace(current, certainty=_less(current.certainty))
            own = self._own_sentences(paragraph)
            if not own or self._only_head(paragraph):
                if named is not None or not own:
                    self.heads.append(TextSpan(paragraph.start, paragraph.end))
                continue
            greets = paragraph is self.paragraphs[0] and _is_polite(self._own_text(paragraph))
            whole = TextSpan(paragraph.start, paragraph.end)
            anchor = current or (None if greets else self._by_words(self._own_text(paragraph)))
            if anchor is not None:
                answered = paragraph
                answer = self._answer(whole, anchor, own)
                yield from ((number, answer) for number in anchor.points)
            elif len(own) >= _DENSE:
                yield from self._by_sentence(own)

    def _named(self, paragraph: ResponseParagraph, current: _Anchor | None) -> _Anchor | None:
        """The points that a paragraph itself names, by quote or number."""
        quote = self._by_quote(paragraph)
        if quote is None and paragraph.continues and current is not None:
            return current
        number = self._by_number(paragraph) if paragraph.quote_share < _MOSTLY else None
        if number is not None and number.certainty is AlignmentCertainty.SURE:
            return number
        return quote or number

    def _leaves(
        self, paragraph: ResponseParagraph, current: _Anchor, answered: ResponseParagraph | None
    ) -> bool:
        """Whether a paragraph that names nothing no longer belongs to the point named before.

        Between two points that are named it does; after the last one it must share words with the
        point or with the paragraph before. What is clearly of another point never does.
        """
        if self._closes(paragraph) or paragraph.labels:
            return True
        if paragraph.style and paragraph.style == current.style:
            return True  # the next entry of the same list
        ranked = self._similar.ranked(self._own_text(paragraph))
        rival = _stands_out(ranked, least=_LIKELY_SCORE)
        if rival is not None and rival not in current.points and answered is not None:
            return True
        if answered is None or paragraph.start < self._last_named or paragraph.style:
            return False
        near = [self._points[point].text for point in current.points] + [self._own_text(answered)]
        words = _telling(self._own_text(paragraph))
        return not any(len(words & _telling(text)) >= _LEAST_SHARED for text in near)

    def _with_quotes(self, paragraph: ResponseParagraph) -> ResponseParagraph:
        runs = tuple(self._quotes.runs(self._response, paragraph.body, paragraph.end))
        count = len(_words(self._response, paragraph.body, paragraph.end).words)
        share = sum(run.words for run in runs) / count if count else 0.0
        marked = paragraph.style == ">"
        kept = tuple(run for run in runs if self._is_quote(paragraph, run, share, marked=marked))
        share = max(share, 1.0) if marked and kept else share
        return replace(paragraph, quoted=kept, quote_share=share if kept else 0.0)

    def _is_quote(
        self, paragraph: ResponseParagraph, run: RepeatedWords, share: float, *, marked: bool
    ) -> bool:
        """Whether repeated words are meant as the point's and are no turn of phrase."""
        before = self._response[max(paragraph.start, run.start - 4) : run.start]
        in_marks = any(sign in before for sign in "\"“”'‘`*_")
        whole = any(self._quotes.whole(point, run.words) for point in run.points)
        return marked or share >= _NEARLY_ALL or run.words >= _LONG_QUOTE or in_marks or whole

    def _by_quote(self, paragraph: ResponseParagraph) -> _Anchor | None:
        words: Counter[int] = Counter()
        for run in paragraph.quoted:
            if len(run.points) == 1 or run.words >= _LONG_QUOTE:
                words.update(dict.fromkeys(run.points, run.words))
        if not words:
            return None
        most = max(words.values())
        points = tuple(n for n, count in sorted(words.items()) if 2 * count >= most)
        longest = max(paragraph.quoted, key=lambda run: run.words)
        basis = " ".join(self._response[longest.start : longest.end].split())
        sure = most >= _LONG_QUOTE or paragraph.quote_share >= _MOSTLY
        certainty = AlignmentCertainty.SURE if sure else AlignmentCertainty.LIKELY
        return _Anchor(points, AlignmentMethod.QUOTE, certainty, basis[:_BASIS_LENGTH],
                       paragraph.style)  # fmt: skip

    def _by_number(self, paragraph: ResponseParagraph) -> _Anchor | None:
        certainties: dict[int, AlignmentCertainty] = {}
        used = []
        for kind, number in paragraph.labels:
            points, certainty = self._called(kind, number, paragraph)
            if points:
                used.append(f"{kind.upper()}{number}")
            for point in points:
                certainties[point] = certainty
        if not certainties:
            return None
        order = list(AlignmentCertainty)
        least = max(certainties.values(), key=order.index)
        return _Anchor(tuple(sorted(certainties)), AlignmentMethod.NUMBER, least, ", ".join(used),
                       paragraph.style)  # fmt: skip

    def _called(
        self, kind: str, number: int, paragraph: ResponseParagraph
    ) -> tuple[list[int], AlignmentCertainty]:
        """The points that a label means, and how sure that is."""
        labelled = self._entries.labelled.get((kind, number), [])
        if labelled:
            return labelled, AlignmentCertainty.SURE
        roles = _ROLE_OF_KIND.get(kind) or ((self._under,) if self._under else ())
        numbered = [
            point
            for point in self._entries.numbered.get(number, [])
            if not roles or self._points[point].role in roles
        ]
        ranked = self._similar.ranked(self._nearby(paragraph))
        if len({self._entries.line_of[point] for point in numbered}) > 1:
            best = _stands_out(ranked, numbered)
            return ([], AlignmentCertainty.POSSIBLE) if best is None else (
                [best], AlignmentCertainty.LIKELY
            )  # fmt: skip
        counted = not numbered
        if counted:
            kinds = [kind] if kind in _ROLE_OF_KIND else [_KIND_OF_ROLE.get(r, "") for r in roles]
            numbered = [n for k in kinds for n in self._entries.counted.get((k, number), [])]
        overlap = max(
            (ranked[number].score for number in numbered if number in ranked), default=0.0
        )
        rival = _stands_out(ranked, least=_LIKELY_SCORE)
        beaten = rival is not None and rival not in numbered
        listed = bool(roles) and not counted  # "W2", and entry 2 of the weaknesses
        if not numbered or (beaten and not listed) or (counted and not overlap):
            return [], AlignmentCertainty.POSSIBLE
        sure = bool(overlap) and not counted and not beaten
        return numbered, AlignmentCertainty.SURE if sure else AlignmentCertainty.LIKELY

    def _nearby(self, paragraph: ResponseParagraph) -> str:
        """A paragraph's text, and the next one's where it is only a head."""
        text = self._own_text(paragraph)
        if not self._only_head(paragraph):
            return text
        place = bisect_right(self._starts, paragraph.start)
        after = self.paragraphs[place : place + 1]
        return "\n".join(
            [text, *(self._own_text(paragraph) for paragraph in after if not paragraph.labels)]
        )

    def _by_sentence(self, own: Sequence[TextSpan]) -> Iterator[tuple[int, AuthorAnswer]]:
        """Sentences of a paragraph that answers several points, where each is clearly of one."""
        texts = [self._response[span.start : span.end] for span in own]
        anchors = [
            None if _is_polite(text) else self._by_words(text, least=_LIKELY_SCORE)
            for text in texts
        ]
        if any(anchors):
            self.left += [span for span, anchor in zip(own, anchors, strict=True) if anchor is None]
        for span, anchor in zip(own, anchors, strict=True):
            if anchor is not None:
                doubtful = replace(anchor, certainty=AlignmentCertainty.POSSIBLE)
                yield anchor.points[0], self._answer(span, doubtful, [span])

    def _by_words(self, text: str, *, least: float = _LEAST_SCORE) -> _Anchor | None:
        ranked = self._similar.ranked(text)
        best = _stands_out(ranked, least=least)
        if best is None:
            return None
        score, shared = ranked[best]
        sure = score >= _LIKELY_SCORE
        certainty = AlignmentCertainty.LIKELY if sure else AlignmentCertainty.POSSIBLE
        return _Anchor((best,), AlignmentMethod.RETRIEVAL, certainty, ", ".join(shared[:_BASIS]))

    def _own_text(self, paragraph: ResponseParagraph) -> str:
        return self._response[paragraph.body : paragraph.end]

    def _own_sentences(self, paragraph: ResponseParagraph) -> list[TextSpan]:
        """Sentences of the authors' own, without what they repeat of the review."""
        if paragraph.style == ">" or paragraph.quote_share >= 0.9:  # noqa: PLR2004 - nearly all
            return []
        kept = []
        for sentence in sentences(self._response, paragraph.body, paragraph.end):
            count = len(_words(self._response, *sentence).words)
            repeated = sum(
                len(_words(self._response, max(run.start, sentence.start),
                           min(run.end, sentence.end)).words)
                for run in paragraph.quoted
                if run.start < sentence.end and run.end > sentence.start
            )  # fmt: skip
            if count and repeated < _MOSTLY * count:
                kept.append(sentence)
        return kept

    def _only_head(self, paragraph: ResponseParagraph) -> bool:
        """Whether a paragraph names a point and does not answer it yet."""
        text = self._own_text(paragraph).strip().rstrip("*_")
        short = len(text.split()) <= _SHORT_HEAD and not text.endswith((".", "!"))
        if not text or (short and (bool(paragraph.labels) or text.endswith(":"))):
            return True
        return bool(paragraph.labels) and self._rewords(paragraph, text)

    def _rewords(self, paragraph: ResponseParagraph, text: str) -> bool:
        """Whether a sentence puts the point in other words, for the next paragraph to answer."""
        place = bisect_right(self._starts, paragraph.start)
        following = self.paragraphs[place] if place < len(self.paragraphs) else None
        if following is None or following.labels or _FIRST_PERSON.search(text):
            return False
        likest = next(iter(self._similar.ranked(text).values()), None)
        opens = self._own_text(following).lstrip("*_ ")
        return (
            likest is not None
            and likest.score >= _REWORDED
            and len(sentences(text, 0, len(text))) == 1
            and (_is_polite(opens) or _FIRST_PERSON.match(opens) is not None)
        )

    def _closes(self, paragraph: ResponseParagraph) -> bool:
        opening = " ".join(self._own_text(paragraph).split()[:_OPENING_WORDS])
        return _CUES["letter"].match(opening.lstrip("*_# ")) is not None

    def _answer(self, stretch: TextSpan, anchor: _Anchor, own: Sequence[TextSpan]) -> AuthorAnswer:
        stance, cue = _stance(self._response, own)
        start, end = trim(self._response, *stretch)
        return AuthorAnswer(
            text=self._response[start:end],
            start=start,
            end=end,
            method=anchor.method,
            certainty=anchor.certainty,
            basis=anchor.basis,
            stance=stance,
            cue_start=cue.start,
            cue_end=cue.end,
        )


def _less(certainty: AlignmentCertainty) -> AlignmentCertainty:
    """How sure the paragraphs are that follow one that names its point."""
    sure = certainty is AlignmentCertainty.SURE
    return AlignmentCertainty.LIKELY if sure else certainty


def _stance(response: str, own: Sequence[TextSpan]) -> tuple[AnswerStance, TextSpan]:
    """What the authors say, by cues in their own sentences, and the sentence that says so."""
    texts = [response[span.start : span.end] for span in own]

    def first(name: str, unless: str | None) -> int | None:
        for place, text in enumerate(texts):
            taken_back = unless is not None and _CUES[unless].search(text)
            if _CUES[name].search(text) and not (taken_back or text.rstrip().endswith("?")):
                return place
        return None

    for name, stance, unless in _STANCES:
        place = first(name, unless)
        if place is not None:
            return stance, _with_next(response, own, place)
    plain = (at for at, text in enumerate(texts) if not _is_polite(text))
    return AnswerStance.ANSWERS, _with_next(response, own, next(plain, 0))


_STANCES = (
    ("contests", AnswerStance.CONTESTS, "grants"),
    ("changed", AnswerStance.CHANGED, "unsettled"),
    ("holds", AnswerStance.CONTESTS, None),
)
"""Cues in the order in which they count, and what takes a cue back."""


def _with_next(response: str, own: Sequence[TextSpan], place: int) -> TextSpan:
    """A sentence; one of few words with the next, if nothing stands between them."""
    span = own[place]
    short = len(response[span.start : span.end].split()) < _SHORT_CUE
    if short and place + 1 < len(own) and not response[span.end : own[place + 1].start].strip():
        return TextSpan(span.start, own[place + 1].end)
    return span
