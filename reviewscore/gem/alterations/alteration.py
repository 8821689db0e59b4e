"""An alteration, the case it is done to, and a candidate taken apart and put together again."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import count

from reviewscore.errors import InputError
from reviewscore.sources.section_roles import Level, heading_kind, plain_name
from reviewscore.sources.system_reviews import TextForm
from reviewscore.text.sentences import TextSpan, sentences


def derangement(paper_ids: Sequence[str], *, seed: int = 0) -> list[int]:
    """A random permutation without a fixed point, every one equally likely.

    Args:
        paper_ids: The papers, each once.
        seed: Of the generator.

    Returns:
        For each paper the place of another one; each paper is used once.

    Raises:
        InputError: There are fewer than two papers, or a paper comes twice.
    """
    papers = len(paper_ids)
    if papers < 2:  # noqa: PLR2004 - a paper and another one
        raise InputError("one paper cannot be paired with another one", cure="give two or more")
    if len(set(paper_ids)) < papers:
        raise InputError("a paper comes twice", cure="give one candidate a paper")
    rng = random.Random(seed)
    places = list(range(papers))
    while True:  # about one shuffle in e leaves nothing in its place, for any count above two
        rng.shuffle(places)
        if all(place != own for own, place in enumerate(places)):
            return places


EMPTY = "the candidate is empty"


class AlterationKind(StrEnum):
    """Why a review is altered."""

    DEGRADATION = "degradation"  # takes information away
    MANIPULATION = "manipulation"  # changes the wording and leaves the content
    ATTACK = "attack"  # what somebody would do to raise a score without reading the paper


class Expectation(StrEnum):
    """What the score of a good metric does."""

    FALLS = "falls"  # significantly
    DOES_NOT_RISE = "does not rise"  # not significantly


@dataclass(frozen=True, slots=True)
class AlterationCase:
    """One candidate review and what alterations need beside it.

    Attributes:
        paper_id: The paper it is about.
        candidate: The review.
        form: How it is written.
        synopsis: What anybody could know of the paper, such as its abstract.
        other: The review of another paper, in the same form.
    """

    paper_id: str
    candidate: str
    form: TextForm
    synopsis: str | None = None
    other: str | None = None


@dataclass(frozen=True, slots=True)
class Altered:
    """An altered candidate.

    Attributes:
        text: The candidate; None if the alteration could not be made.
        reason: Why there is no text; empty if there is one.
    """

    text: str | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Described:
    """What an alteration is, however it is made.

    Attributes:
        name: As in a table.
        kind: Why it is done.
        expectation: What the score of a good metric does.
    """

    name: str
    kind: AlterationKind
    expectation: Expectation


@dataclass(frozen=True, slots=True)
class Alteration(Described):
    """An alteration that needs no model.

    Attributes:
        make: Alters a candidate; draws from the generator alone.
        stream: Name of the random stream; alterations with one stream draw the same numbers for
            a paper. Its own name if empty.
    """

    make: Callable[[AlterationCase, random.Random], Altered]
    stream: str = ""

    def altered(self, case: AlterationCase, *, seed: int = 0) -> Altered:
        """The altered candidate; equal seeds give equal texts, whatever other cases there are."""
        if not case.candidate.strip():
            return Altered(None, EMPTY)
        stream = f"{seed}\n{self.stream or self.name}\n{case.paper_id}"
        return self.make(case, random.Random(stream))


def with_others(cases: Sequence[AlterationCase], *, seed: int = 0) -> list[AlterationCase]:
    """The cases, each with the candidate of another paper.

    Args:
        cases: One for each paper.
        seed: Of the derangement.

    Raises:
        InputError: There are fewer than two papers, or a paper comes twice.
    """
    places = derangement([case.paper_id for case in cases], seed=seed)
    return [
        replace(case, other=cases[place].candidate)
        for case, place in zip(cases, places, strict=True)
    ]


FORM_HEADINGS = (
    "Summary Of The Paper",
    "Strength And Weaknesses",
    "Clarity, Quality, Novelty And Reproducibility",
    "Summary Of The Review",
)
"""The sections of an ICLR 2023 review, in its spelling (arXiv 2411.07228, app. D.1.1)."""
_BOXES = frozenset(map(plain_name, (*FORM_HEADINGS, "Strengths And Weaknesses")))
_LONGEST = 80
_PIECE = 20_000
"""Characters of a line that are looked at together when it is cut into sentences; splitting takes
more than linear time, and no line of a review is as long."""
_MARKS = " \t#*_"
_BLANK = re.compile(r"\n[ \t\r]*\n")


@dataclass(frozen=True, slots=True)
class ReviewPart:
    """One section of a review.

    Attributes:
        heading: The heading's line as it stands there; empty before the first heading.
        body: Everything up to the next heading, line breaks at its ends included.
    """

    heading: str
    body: str

    @property
    def name(self) -> str:
        """The heading in lower case, its words separated by single spaces."""
        return plain_name(self.heading)


def parts(review: str) -> list[ReviewPart]:
    """The sections of a raw review; one without a heading if there are no headings.

    Where the headings of ICLR 2023 stand, they alone count. Otherwise a heading is a line of its
    own that ends in a colon or is marked up as one, and names a box of a review form. Headings
    written inside a box (``Strengths:``) stay in its body.
    """
    lines = review.splitlines(keepends=True)
    in_form = any(_names_box(line) for line in lines)
    pairs = [("", "")]
    for line in lines:
        if _names_box(line) if in_form else _is_heading(line):
            pairs.append((line, ""))
        else:
            heading, body = pairs[-1]
            pairs[-1] = (heading, body + line)
    return [ReviewPart(heading, body) for heading, body in pairs if heading or body]


def _names_box(line: str) -> bool:
    return len(line) <= _LONGEST and line.rstrip()[-1:] == ":" and plain_name(line) in _BOXES


def _is_heading(line: str) -> bool:
    text = line.strip()
    if not text or len(text) > _LONGEST or not (text[-1] in ":*_" or text[0] in "#*_"):
        return False
    kind = heading_kind(text.strip(_MARKS).rstrip(":").strip(_MARKS))
    return kind is not None and kind[1] is Level.FORM


def by_section(review: str, change: Callable[[ReviewPart], str]) -> str:
    """The review with every section's body changed, headings kept.

    Args:
        review: A raw review.
        change: Gives the new body of a section.
    """
    return "".join(part.heading + change(part) for part in parts(review))


def says_something(text: str) -> bool:
    """Whether there is a letter or a digit in it."""
    return any(sign.isalnum() for sign in text)


def judgments(text: str) -> list[str]:
    """The judgments of a candidate in judgment form: its lines that say something, stripped."""
    return [line.strip() for line in text.splitlines() if says_something(line)]


def sentences_of(line: str) -> list[str]:
    """The sentences of one line, white space at their ends left out."""
    return [line[stretch.start : stretch.end] for stretch in _stretches(line)]


def _stretches(line: str) -> Iterator[TextSpan]:
    for start in range(0, len(line), _PIECE):
        yield from sentences(line, start, min(start + _PIECE, len(line)))


def each_sentence(body: str, change: Callable[[str], str | None]) -> str:
    """A section's text with its sentences changed one after the other.

    Sentences end at full stops, question and exclamation marks and at line breaks (arXiv
    2411.07228, app. D.1.1). Lines without a letter or digit are kept; lines of which nothing is
    left go. White space between and around sentences stays as it is.

    Args:
        body: The text.
        change: Gives the new sentence; None takes it out.
    """
    return "".join(
        _changed(line, change) if says_something(line) else line
        for line in body.splitlines(keepends=True)
    )


def _changed(line: str, change: Callable[[str], str | None]) -> str:
    """A line with its sentences changed; empty if none is left."""
    out, end = "", 0
    for stretch in _stretches(line):
        new = change(line[stretch.start : stretch.end])
        if new is not None:
            out += (line[end : stretch.start] if out or not end else "") + new
        elif not end:
            out = line[: stretch.start]  # the indentation stays for what follows
        end = stretch.end
    return out + line[end:] if out.strip() else ""


def each_unit(case: AlterationCase, change: Callable[[str], str | None]) -> str:
    """A candidate with its judgments, or its sentences, changed one after the other.

    Args:
        case: The candidate.
        change: Gives the new judgment or sentence; None takes it out.
    """
    if case.form is TextForm.JUDGMENTS:
        changed = map(change, judgments(case.candidate))
        return joined([text for text in changed if text is not None], case.candidate)
    return by_section(case.candidate, lambda part: each_sentence(part.body, change))


def every_other(case: AlterationCase, change: Callable[[str], str | None]) -> str:
    """A candidate with the second, fourth, .. judgment, or sentence of each section, changed."""

    def changes() -> Callable[[str], str | None]:
        number = count(1)
        return lambda text: text if next(number) % 2 else change(text)

    if case.form is TextForm.JUDGMENTS:
        return each_unit(case, changes())
    return by_section(case.candidate, lambda part: each_sentence(part.body, changes()))


def joined(lines: list[str], like: str) -> str:
    """Judgments put together, one a line.

    Args:
        lines: The judgments.
        like: The candidate they come from or stand for: where it parts its judgments by blank
            lines, these are too, so that an alteration does not change the layout.
    """
    return ("\n\n" if _BLANK.search(like.strip()) else "\n").join(lines)


def opened(body: str, introduction: str) -> str:
    """A section's text with words before its first one; blank lines before it are kept."""
    text = body.lstrip()
    blank = body[: len(body) - len(text)]
    return f"{blank}{introduction} {text}" if text else f"{blank}{introduction}\n"


def closed(review: str, addition: str) -> str:
    """A review with a paragraph at its end."""
    return f"{review.rstrip()}\n\n{addition}\n"


_WORD = re.compile(r"[^\W\d_]{3,}(?:-[^\W\d_]+)*")


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, those of fewer than three letters left out."""
    return [word.lower() for word in _WORD.findall(text)]
