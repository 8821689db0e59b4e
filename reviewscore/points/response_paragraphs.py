"""The paragraphs of an authors' response, with the labels of points that their heads name."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import NamedTuple

from reviewscore.points.blocks import Block, ListLine, is_reference, lines_of
from reviewscore.schema.review import Role
from reviewscore.sources.section_roles import heading_kind

_MOST_NUMBERS = 10
"""Numbers of a range such as "W1 to W3" that is taken for one."""
_LONGEST_HEADING = 60


class RepeatedWords(NamedTuple):
    """A stretch of a response that stands in points of the review too, with their numbers."""

    start: int
    end: int
    words: int
    points: tuple[int, ...]


@dataclass(frozen=True)
class ResponseParagraph:
    """A paragraph or list entry of the response.

    `labels` are kinds and numbers of points that its head names (``w``, 2); a kind may be empty.
    `body` is where its words begin, after marker and label; `quoted` are stretches that stand in
    the review too, each with the points they are of; `continues` is whether its head says that it
    answers what stands before it.
    """

    start: int
    end: int
    body: int
    style: str = ""
    labels: tuple[tuple[str, int], ...] = ()
    continues: bool = False
    heading: Role | None = None
    is_heading: bool = False
    quoted: tuple[RepeatedWords, ...] = ()
    quote_share: float = 0.0


_RULE = re.compile(r"[-=_*—–\s]{3,}\Z")
_KINDS = (
    r"(?P<word>(?i:weakness(?:es)?|questions?|concerns?|comments?|issues?|points?|limitations?|"
    r"suggestions?|remarks?|requests?)|[WQCPLA](?=[ \t]?#?\d))"
)
_LEADS = (
    r"[\s>#*_\[(•–-]*(?i:(?:our|the|a|your|re|response|responses|reply|answer|ans|addressing|"
    r"regarding|concerning|on|about|to|for|as|with|regard|respect|in|reviewer['’]?s?|author)\b"
    r"[\s:.*_\[(]*){0,6}"
)
_LABEL = re.compile(rf"{_LEADS}{_KINDS}[ \t]*\(?#?[ \t]*(?P<number>\d{{1,2}})(?![\d%]|\.\d)\)?")
_NEXT_LABEL = re.compile(
    r"[ \t]*+(?P<join>,?[ \t]*+(?:and|&|/|\+|,|-|–|to)[ \t]*+)"
    r"(?P<word>[WQCPL]|(?i:weakness|question|concern|comment|point)(?=[ \t]*\d))?"
    r"[ \t]*#?(?P<number>\d{1,2})(?![\d%]|\.\d)"
)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
_ORDINAL = re.compile(
    rf"{_LEADS}(?i:(?P<ordinal>{'|'.join(_ORDINALS)})[ \t]+(?:major[ \t]+|minor[ \t]+|main[ \t]+)?"
    r"(?P<word>weakness|question|concern|comment|point|issue|limitation|suggestion|remark)\b)"
)
_CONTINUED = re.compile(
    r"[\s*_\[(]*(?:A(?:ns(?:wer)?)?[ \t]?\d{0,2}|(?:Our |Author |Authors['’] )?(?:[Rr]esponse|"
    r"[Rr]eply|[Aa]nswer))[*_\])]*[ \t]*[:.\-–—][*_]*"
)
COUNTED = re.compile(r"[1#]")
"""In the style of a marker that counts by digits; letters count parts of an answer."""
_BIBLIOGRAPHY = re.compile(r"\W*(?:references?|bibliography)\W*\Z", re.IGNORECASE)
_AFTER_LABEL = re.compile(r"[*_\])]*[ \t]*[:.)\-–—]*[*_\])]*[ \t]*")


def response_paragraphs(response: str) -> list[ResponseParagraph]:
    """Paragraphs, list entries and quoted lines, with the labels that their heads name."""
    made: list[ResponseParagraph] = []
    gap, bibliography = True, False
    for line in lines_of(response, 0, len(response)):
        text = response[line.start : line.end]
        if line.blank or _RULE.match(text):
            gap = True
            continue
        block = Block(line.body, line.end, bool(line.style), style=line.style)
        reference = bool(line.style) and is_reference(response, block)
        more = bibliography and not gap and _LABEL.match(text) is None
        bibliography = more or _BIBLIOGRAPHY.match(text) is not None
        if bibliography or reference:
            gap = False
            continue
        head = _head(response, line)
        last = made[-1] if made else None
        joins = (
            last is not None
            and not gap
            and not (head.labels or head.continues or head.is_heading or last.is_heading)
            and (head.style == last.style if ">" in (head.style, last.style) else not line.style)
        )
        table = last is not None and text.startswith("|") and not last.is_heading
        if last is not None and (joins or table):
            made[-1] = replace(last, end=line.end)
        else:
            made.append(head)
        gap = False
    return made


def _head(response: str, line: ListLine) -> ResponseParagraph:
    """A paragraph that begins with a line."""
    text = response[line.start : line.end]
    bare = text.strip("*_#>:-[]() \t").rstrip(":")
    kind = heading_kind(bare) if len(bare) < _LONGEST_HEADING else None
    style = ">" if text.startswith(">") else line.style
    labels, end = _labels(text)
    continued = _CONTINUED.match(text)
    made = ResponseParagraph(line.start, line.end, line.body, style, labels)
    if kind is not None or (text.startswith("#") and not labels):
        return replace(made, labels=(), heading=kind[0] if kind else None, is_heading=True)
    if labels:
        answers = all(kind == "a" for kind, _ in labels)
        return replace(made, continues=answers, body=line.start + end)
    if continued is not None:
        return replace(made, continues=True, body=line.start + continued.end())
    if line.number and COUNTED.search(style):
        return replace(made, labels=(("", line.number),))
    return made


def _labels(text: str) -> tuple[tuple[tuple[str, int], ...], int]:
    """Kinds and numbers of points that a line's head names, and where its words begin."""
    ordinal = _ORDINAL.match(text)
    if ordinal is not None:
        number = _ORDINALS.index(ordinal["ordinal"].lower()) + 1
        return ((ordinal["word"][0].lower(), number),), 0  # its words are part of the sentence
    first = _LABEL.match(text)
    if first is None:
        return (), 0
    kind = first["word"][0].lower()
    labels, end = [(kind, int(first["number"]))], first.end()
    while further := _NEXT_LABEL.match(text, end):
        number = int(further["number"])
        kind = (further["word"] or kind)[0].lower()
        previous = labels[-1][1]
        is_range = further["join"].strip() in ("-", "–", "to")
        if is_range and not previous < number <= previous + _MOST_NUMBERS:
            break
        labels += [(kind, n) for n in range(previous + 1, number)] if is_range else []
        labels.append((kind, number))
        end = further.end()
    after = _AFTER_LABEL.match(text, end)
    return tuple(dict.fromkeys(labels)), after.end() if after else end
