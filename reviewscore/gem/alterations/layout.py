"""A candidate taken apart: sections, lines and sentences, and put together again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from reviewscore.sources.roles import Level, heading_kind, plain_name
from reviewscore.text.sentences import Stretch, sentences

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
class Part:
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


def parts(review: str) -> list[Part]:
    """The sections of a raw review; one without a heading if there are no headings.

    Where the headings of ICLR 2023 stand, they alone count. Otherwise a heading is a line of its
    own that ends in a colon or is marked up as one, and names a box of a review form. Headings
    written inside a box (``Strengths:``) stay in its body.
    """
    lines = review.splitlines(keepends=True)
    in_form = any(_names_box(line) for line in lines)
    found = [("", "")]
    for line in lines:
        if _names_box(line) if in_form else _is_heading(line):
            found.append((line, ""))
        else:
            heading, body = found[-1]
            found[-1] = (heading, body + line)
    return [Part(heading, body) for heading, body in found if heading or body]


def _names_box(line: str) -> bool:
    return len(line) <= _LONGEST and line.rstrip()[-1:] == ":" and plain_name(line) in _BOXES


def _is_heading(line: str) -> bool:
    text = line.strip()
    if not text or len(text) > _LONGEST or not (text[-1] in ":*_" or text[0] in "#*_"):
        return False
    kind = heading_kind(text.strip(_MARKS).rstrip(":").strip(_MARKS))
    return kind is not None and kind[1] is Level.FORM


def by_section(review: str, change: Callable[[Part], str]) -> str:
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
    return [line[one.start : one.end] for one in _stretches(line)]


def _stretches(line: str) -> Iterator[Stretch]:
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
    for one in _stretches(line):
        new = change(line[one.start : one.end])
        if new is not None:
            out += (line[end : one.start] if out or not end else "") + new
        elif not end:
            out = line[: one.start]  # the indentation stays for what follows
        end = one.end
    return out + line[end:] if out.strip() else ""


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
