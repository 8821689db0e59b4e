"""All points of a review, or of all reviews of a paper, in one question.

Points are numbered and marked in their reviews. A question about more points than one reply holds
is put in pieces; points that a reply leaves out are asked about alone; where no reply can be read,
since it is cut off or broken, each half is asked about by itself. The reviews are the same in every
piece, and what is asked depends on reviews, points and earlier replies alone: the same question
asked again later finds its replies in the record of calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel

from reviewscore.errors import (
    BadReplyError,
    ModelError,
    StopError,
    TruncatedError,
    capture_errors,
    gather_results,
)
from reviewscore.judges.asker import Asker, Judged
from reviewscore.judges.named_places import MOST_OF_ALL, named_places
from reviewscore.schema.paper import Paper
from reviewscore.schema.review import Review, ReviewPoint
from reviewscore.schema.span import Span
from reviewscore.schema.verdict import Provenance
from reviewscore.sources.section_roles import first_boxes

MOST_OF_PLACES = 2 * MOST_OF_ALL
"""Characters of places that points name which are repeated in one question."""
OPENING, CLOSING = "⟦", "⟧"
"""Brackets of marks; in foreign text they are written as ``[[`` and ``]]``."""


@dataclass(frozen=True)
class ReviewPoints:
    """A review with its points that are to be judged, in reading order."""

    review: Review
    points: tuple[ReviewPoint, ...]


@dataclass(frozen=True)
class NumberedPlace:
    """A place that points name, as a prompt shows it.

    Attributes:
        numbers: The points that name it, such as ``2 and 5``.
        label: As in `named_places.NamedPlace`, like the following ones.
        text: What stands there; None if the text at hand lacks it.
        whole: Whether that is all of it.
    """

    numbers: str
    label: str
    text: str | None
    whole: bool


class PointReply(Protocol):
    """What a reply says of one point.

    Attributes:
        point: Its number.
    """

    @property
    def point(self) -> int:
        """Its number."""
        ...


T = TypeVar("T", bound=BaseModel)
P = TypeVar("P", bound=PointReply)


@dataclass(frozen=True)
class PointAnswer(Generic[P]):
    """What a reply says of a point, and where that came from."""

    reply: P
    provenance: Provenance


@dataclass(frozen=True, kw_only=True)
class ByReview(Generic[T, P]):
    """A question about many points.

    Attributes:
        asker: Puts it.
        prompt: Name of its prompt, with ``reviews``, ``numbers`` and ``places``.
        output: Record of its reply.
        points_of: What the record says of each point.
        check: Raises ValueError for what is said of a point and cannot be used.
        most: Most points that one reply is asked about.
        reply_tokens: Tokens of a reply that are allowed for each of them.
        variables: Further holes of the prompt.
    """

    asker: Asker
    prompt: str
    output: type[T]
    points_of: Callable[[T], Sequence[P]]
    check: Callable[[P], None]
    most: int
    reply_tokens: int
    variables: dict[str, object]

    async def ask(
        self, reviews: Sequence[ReviewPoints], paper: Paper
    ) -> dict[str, PointAnswer[P] | ModelError]:
        """What is said of each point, by its identifier; an error where nothing usable is.

        Raises:
            StopError: Nothing more can be asked.
        """
        points = [point for opened in reviews for point in opened.points]
        numbers = {number: point for number, point in enumerate(points, start=1)}
        shown = _marked(reviews)
        results = await gather_results(
            self._piece(piece, numbers, shown, paper) for piece in pieces(list(numbers), self.most)
        )
        answers: dict[str, PointAnswer[P] | ModelError] = {}
        for result in results:
            assert not isinstance(result, ModelError)
            answers |= {numbers[number].point_id: answer for number, answer in result.items()}
        return answers

    async def _piece(
        self,
        wanted: Sequence[int],
        numbers: dict[int, ReviewPoint],
        shown: tuple[str, ...],
        paper: Paper,
        *,
        again: bool = True,
    ) -> dict[int, PointAnswer[P] | ModelError]:
        """What is said of the points of these numbers, of those left out at the second try.

        Args:
            wanted: The numbers.
            numbers: All points by their numbers.
            shown: The reviews with their marks.
            paper: The paper.
            again: Whether points that a reply leaves out are asked about alone; else such a reply
                cannot be used.
        """
        judged = await capture_errors(
            self._asked(wanted, numbers, shown, paper, complete=not again)
        )
        if isinstance(judged, StopError):
            raise judged
        if isinstance(judged, BadReplyError | TruncatedError) and len(wanted) > 1:
            halves = pieces(wanted, (len(wanted) + 1) // 2)
            halved = [
                await self._piece(half, numbers, shown, paper, again=again) for half in halves
            ]
            return {number: answer for half in halved for number, answer in half.items()}
        if isinstance(judged, ModelError):
            return dict.fromkeys(wanted, judged)
        replies = self.points_of(judged.reply)
        answers: dict[int, PointAnswer[P] | ModelError] = {
            reply.point: PointAnswer(reply, judged.provenance) for reply in replies
        }
        left = [number for number in wanted if number not in answers]
        if left:
            answers |= await self._piece(left, numbers, shown, paper, again=False)
        return answers

    async def _asked(
        self,
        wanted: Sequence[int],
        numbers: dict[int, ReviewPoint],
        shown: tuple[str, ...],
        paper: Paper,
        *,
        complete: bool,
    ) -> Judged[T]:
        """Ask once; a reply that says nothing of some points is usable unless all are needed."""

        def check(reply: T) -> None:
            given = [answer.point for answer in self.points_of(reply)]
            strange = not set(given) <= set(wanted) or (complete and not set(wanted) <= set(given))
            if strange or len(set(given)) < len(given):
                raise ValueError(
                    f"points: an entry is needed for each of {words_of(wanted)}, once, and for no "
                    f"other; these came: {words_of(given)}"
                )
            for answer in self.points_of(reply):
                self.check(answer)

        return await self.asker.ask(
            self.prompt,
            self.output,
            paper=paper,
            check=check,
            max_tokens=self.reply_tokens * len(wanted),
            reviews=shown,
            numbers=words_of(wanted),
            places=_places([(number, numbers[number]) for number in wanted], paper),
            **self.variables,
        )


def pieces(numbers: Sequence[int], most: int) -> list[Sequence[int]]:
    """Numbers in as few pieces as may be, of at most so many and of about the same size each."""
    count = -(-len(numbers) // most)
    edges = [len(numbers) * place // count for place in range(count + 1)] if count else []
    return [numbers[start:end] for start, end in pairwise(edges)]


def words_of(numbers: Sequence[int]) -> str:
    """Numbers in words, such as ``1, 2 and 5``."""
    texts = [str(number) for number in numbers]
    if not texts:
        return "none"
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def _marked(reviews: Sequence[ReviewPoints]) -> tuple[str, ...]:
    """Each review box by box, with the numbers of its points; numbers run through all reviews."""
    texts, first = [], 1
    for opened in reviews:
        spans = [
            (number, span)
            for number, point in enumerate(opened.points, start=first)
            for span in (point.span, *(again.span for again in point.occurrences))
        ]
        boxes = (
            f"[{_plain(name)}]\n{_with_marks(text, [s for s in spans if s[1].field == name])}"
            for name, text in first_boxes(opened.review).items()
        )
        texts.append("\n\n".join(boxes))
        first += len(opened.points)
    return tuple(texts)


def _with_marks(text: str, spans: Sequence[tuple[int, Span]]) -> str:
    """A box with marks around points; marks of points that overlap are nested or cross."""
    marks = [(span.start, 1, f"{OPENING}{number}{CLOSING}") for number, span in spans]
    marks += [(span.end, 0, f"{OPENING}/{number}{CLOSING}") for number, span in spans]
    parts, position = [], 0
    for place, _, mark in sorted(marks):
        parts += [_plain(text[position:place]), mark]
        position = place
    return "".join([*parts, _plain(text[position:])])


def _plain(text: str) -> str:
    """Foreign text, in which nothing looks like a mark."""
    return text.replace(OPENING, "[[").replace(CLOSING, "]]")


def _places(points: Sequence[tuple[int, ReviewPoint]], paper: Paper) -> tuple[NumberedPlace, ...]:
    """Each place that points name, once, with what stands there as far as there is room."""
    named: dict[tuple[str, str | None, bool], list[int]] = {}
    room = MOST_OF_PLACES
    for number, point in points:
        for place in named_places(point, paper):
            key = (place.label, place.text, place.whole)
            if key not in named:
                if len(place.text or "") > room:
                    continue
                room -= len(place.text or "")
            named.setdefault(key, []).append(number)
    return tuple(
        NumberedPlace(words_of(numbers), label, text, whole)
        for (label, text, whole), numbers in named.items()
    )
