"""Text in a paper that is a venue's and not the authors': checklists, licences, anonymity notes.

A checklist is known by its structure and not by its venue's name: a run of questions, each with an
answer of a closed form. Questions and guidelines are the venue's; answers and justifications are
the authors', and stay text of theirs in a zone of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from reviewscore.papers.canaries import canaries_in_force
from reviewscore.papers.sections import FIRST_LETTER, Candidate, candidates, untitled
from reviewscore.schema.paper import Section, VenueSpan, Zone

_LEAST = 3
"""Items of a checklist, at least."""
_MANY = 8
"""Items from which on a questionnaire without a heading counts as a checklist."""
_APART = 8000
"""Characters between two items, at most: guidelines and a page of floats stand between them."""
_ABOVE = 6000
"""Characters between a checklist's heading and its first item, at most: instructions."""
_LAST = 3000
"""Characters of the last item's text, at most, where no heading ends it."""
_TITLE = 100
_SHORT_TITLE = 80
_LONG_QUESTION = 700
_STRONG = 2.0
"""Weight of a numbered heading that ends a checklist."""

_MARK = r"[ \t]*+(?:\|[ \t]*+(?:\d+(?!\d)[ \t]*+)*\|?[ \t|]*+)?(?:[#>*_•✓✗☑☒✔✘-]{1,6}[ \t]*+){0,3}"
"""What converters put before a line: list and heading marks, a table's bars with line numbers.

No blank goes on after it, so blanks are taken once, which keeps long runs of them linear."""
_LABEL = re.compile(
    rf"^{_MARK}(?P<label>Question|Answer|Justification|Guidelines?)(?:\*\*|__)?[ \t]*:"
    r"|(?<=[.?!)\]] )(?P<inner>Answer|Justification|Guidelines?):"
    r"|(?<= )(?P<ending>Guidelines?):[ \t]*$"
    rf"|^{_MARK}(?P<lost>(?=The answers? (?:NA|N/A|No|Yes)\b))",
    re.MULTILINE,
)
"""A part of an item; the guidelines are known by their first sentence where their label is lost."""
_CHOSEN = re.compile(r"(?:\*\*|__)?[ \t\n]*\[?(?:yes|no|n/?a|todo|partly|partial)\b\]?", re.I)
_IN_BRACKETS = re.compile(
    rf"^{_MARK}(?:\(?[a-z]\)|\d{{1,2}}[.)]|[a-z][.)])[ \t]+(?=[A-Z])[^?\n]{{3}}[^?]{{5,400}}\?"
    r"(?=[ \t\n]*(?:\*\*)?\[(?:yes|no|n/?a|todo)\])",
    re.MULTILINE | re.IGNORECASE,
)
_CODED = re.compile(
    rf"^{_MARK}(?:[A-E](?:\d{{1,2}})?)[.:]?[ \t]+(?:[✓✗☑☒✔✘□][ \t]*)?"
    r"(?:Did|Do|Does|Have|Has|Was|Were|Is|Are|If you)\b[^?]{10,500}\?",
    re.MULTILINE,
)
_SENTENCE_END = re.compile(r"[.?][)\"”]*[ \t]*$", re.MULTILINE)
_CHOICE = r"(?:yes|partial|no|n/?a|not applicable)"
_OPTIONS = re.compile(rf"\({_CHOICE}(?:[ \t\n]*/[ \t\n]*{_CHOICE})+\)[.:]?", re.IGNORECASE)
_NEXT_ITEM = re.compile(
    r"\n[ \t]*\n|\n(?=[ \t]*(?:[-•*–#]|\d{1,2}(?:\.\d{1,2})*[.)]?[ \t]|If |Does ))"
)
_GROUP = re.compile(r"^[ \t#*-]*\d{1,2}\.[ \t]+(?:For all|If you)\b", re.MULTILINE)
_HEADING = re.compile(
    r"^[ \t#*_|-]*(?:[A-Z]\.?[ \t]+|\d{1,2}\.?[ \t]+)?[^\n|.?]{0,60}\bchecklist\b[^\n.?]{0,12}$",
    re.MULTILINE | re.IGNORECASE,
)
_NUMBERED = re.compile(r"(?:[#*_-]+[ \t]*)*\d{1,2}[.)](?:[ \t]|$)")
_MARKED = re.compile(r"^#{1,6}[ \t]+\S", re.MULTILINE)
_UNFINISHED = re.compile(r"[.?!:;,][\"”)\]]*$")

_LINES = re.compile(
    rf"^{_MARK}(?:(?:paper )?under (?:double-blind )?review(?: as an? [^\n]{{0,60}})?"
    r"|published as an? (?:conference|workshop) paper at [^\n]{1,60}"
    r"|(?:do not distribute|preliminary work|preprint)\.?"
    r"(?: (?:do not distribute|under (?:double-blind )?review|work in progress)[^\n]{0,20})?"
    r"|anonymous (?:author(?:s|\(s\))?|\w{2,12} submission|submission)"
    r"|affiliation|address|e-?mail)[.]?[ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)
"""Lines that stand alone."""
_PARAGRAPHS = re.compile(
    rf"(?:\A|(?<=\n\n)|(?<=\n)(?=[^\n]*(?:\u00a9|copyright)))(?:{_MARK})(?:[∗*†‡\d]{{1,2}}[ \t]*+)?"
    r"(?:submitted to (?:the )?\d+(?:st|nd|rd|th)\b|preliminary work\. under review"
    r"|permission to make digital or hard copies|this work is licensed under"
    r"|this (?:article|paper) is (?:licensed|published|distributed) under"
    r"|licensed under (?:a |the )?creative commons|copyright (?:©|\(c\)|held|\d{4})"
    r"|(?:©|\(c\))[ \t]*(?:copyright )?(?:19|20)\d\d"
    r"|the responsible nlp checklist used at|published under (?:a |the )?creative commons)",
    re.IGNORECASE,
)
"""Paragraphs, by how they begin."""
_LONGEST_NOTE = 1200


@dataclass(frozen=True, slots=True)
class Item:
    """A question of a checklist with what is said to it.

    Attributes:
        start: Offset of its first character.
        title: Its heading; empty where it has none.
        title_end: Offset just after its heading.
        answer: Offset of what the authors say.
        guidelines: Offset of what follows it; the end of the item where nothing does.
    """

    start: int
    title: str
    title_end: int
    answer: int
    guidelines: int


@dataclass(frozen=True, slots=True)
class Checklist:
    """A venue's questions with the authors' answers.

    Attributes:
        start: Offset of its heading, or of its first item.
        heading_end: Offset just after its heading; `start` where it has none.
        title: Its heading; empty where it has none.
        end: Offset just after its last item.
        items: Its items, in order.
    """

    start: int
    heading_end: int
    title: str
    end: int
    items: tuple[Item, ...]

    @property
    def venue(self) -> tuple[VenueSpan, ...]:
        """All of it but what the authors say."""
        edges = [self.start]
        for item in self.items:
            edges += [item.answer, item.guidelines]
        edges.append(self.end)
        pairs = zip(edges[::2], edges[1::2], strict=True)
        return tuple(
            VenueSpan(start=start, end=end, zone=Zone.CHECKLIST)
            for start, end in pairs
            if start < end
        )


def find_checklist(text: str) -> Checklist | None:
    """The checklist of a paper; None if there is none. Linear in the length of the text."""
    runs = [run for form in (_labelled(text), _bracketed(text)) for run in _runs(form)]
    for form in (_coded(text), _with_options(text)):  # questionnaires look like these
        runs += [
            run for run in _runs(form) if len(run) >= _MANY or _heading_above(text, run[0].start)
        ]
    if not runs:
        return None
    items = max(runs, key=len)
    first = items[0].start
    heading = _heading_above(text, first)
    end = _end(text, items[-1])
    items = [*_up_to_the_next(items), items[-1]]
    items[-1] = replace(items[-1], guidelines=min(items[-1].guidelines, end))
    start, heading_end = heading or (first, first)
    title = text[start:heading_end].strip(" \t#*_|-")
    return Checklist(start, heading_end, title, end, tuple(items))


def _up_to_the_next(items: Sequence[Item]) -> Iterator[Item]:
    """All items but the last, the authors' words of each ending where the next one begins."""
    for item, following in pairwise(items):
        yield replace(item, guidelines=min(item.guidelines, following.start))


def _runs(items: Iterable[Item]) -> Iterator[list[Item]]:
    """Items that follow each other closely enough, at least three."""
    run: list[Item] = []
    for item in items:
        if run and item.start - run[-1].answer > _APART:
            if len(run) >= _LEAST:
                yield run
            run = []
        run.append(item)
    if len(run) >= _LEAST:
        yield run


def _labelled(text: str) -> Iterator[Item]:
    """Items of the form ``Question: .. Answer: [Yes] Justification: .. Guidelines: ..``."""
    labels = list(_LABEL.finditer(text))
    questions = [at for at, label in enumerate(labels) if label["label"] == "Question"]
    for at, after in pairwise([*questions, len(labels)]):
        parts = {_part(label): label for label in labels[after - 1 : at : -1]}
        answer, why = parts.get("Answer"), parts.get("Justification")
        if answer is None or not (why or text[answer.end() : answer.end() + 3].strip()[:1] == "["):
            continue
        if not _CHOSEN.match(text, answer.end()) and why is None:
            continue
        guidelines = parts.get("Guidelines")
        start, title, title_end = _titled(text, labels[at].start())
        later = guidelines is not None and guidelines.start() > answer.start()
        yield Item(
            start,
            title,
            title_end,
            answer.start(),
            guidelines.start() if guidelines is not None and later else len(text),
        )


def _part(label: re.Match[str]) -> str:
    name: str = label["label"] or label["inner"] or "Guidelines"
    return "Guidelines" if name == "Guideline" else name


def _titled(text: str, question: int) -> tuple[int, str, int]:
    """Start, title and end of the title of the item whose question begins at an offset."""
    above = text[max(0, question - 2 * _TITLE) : question]
    line = above.rstrip()
    begin = question - len(above) + (line.rfind("\n") + 1)
    end = question - len(above) + len(line)
    title = text[begin:end].strip()
    plain = title.strip("#*_- \t|")
    numbered = _NUMBERED.match(title) is not None
    spaced = above[line.rfind("\n") :].count("\n") > 1 and not _UNFINISHED.search(plain)
    if not plain or len(title) > _TITLE or _LABEL.match(text, begin):
        return question, "", question
    if title.startswith("#") or numbered or (spaced and len(title) <= _SHORT_TITLE):
        return begin, plain, end
    return question, "", question


def _bracketed(text: str) -> Iterator[Item]:
    """Items of the form ``(a) Did you .. ? [Yes] See Section 3``."""
    groups = [group.start() for group in _GROUP.finditer(text)]
    for match in _IN_BRACKETS.finditer(text):
        start = match.start()
        above = [group for group in groups if start - _TITLE < group < start]
        further = [group for group in groups if group > match.end()]
        stop = further[0] if further else len(text)
        yield Item(above[-1] if above else start, "", start, match.end(), stop)


def _coded(text: str) -> Iterator[Item]:
    """Items of the form ``B1. Did you cite the creators of artifacts you used? Section 4``."""
    for match in _CODED.finditer(text):
        stop = min(len(text), match.end() + _LONG_QUESTION)
        # Explanations follow in the same paragraph; the answer stands on a line of its own.
        ending = _SENTENCE_END.search(text, match.end() - 1, stop)
        yield Item(
            match.start(), "", match.start(), ending.end() if ending else match.end(), len(text)
        )


def _with_options(text: str) -> Iterator[Item]:
    """Items of the form ``Includes pseudocode (yes/partial/no/NA) yes``."""
    for match in _OPTIONS.finditer(text):
        begin = max(text.rfind("\n\n", 0, match.start()), text.rfind("\n- ", 0, match.start())) + 1
        begin = max(begin, text.rfind("\n", 0, max(0, match.start() - _LONG_QUESTION)) + 1)
        answer = match.end()
        while answer < len(text) and text[answer] in " \t\n":
            answer += 1
        stop = _NEXT_ITEM.search(text, answer)
        yield Item(begin, "", begin, match.end(), stop.start() if stop else len(text))


def _heading_above(text: str, first: int) -> tuple[int, int] | None:
    """The span of the heading nearest to the first item; None if there is none."""
    matches = list(_HEADING.finditer(text, max(0, first - _ABOVE), first))
    return matches[0].span() if matches else None


def _end(text: str, last: Item) -> int:
    """Offset just after the last item: at the next heading, or after some paragraphs."""
    begin = last.answer if last.guidelines == len(text) else last.guidelines
    begin = text.find("\n", begin)
    if begin < 0:
        return len(text)
    rest = text[begin:]
    starts = [
        candidate.start
        for candidate in candidates(rest)
        if not candidate.number or _lettered(candidate)
    ]
    starts += [match.start() for match in _MARKED.finditer(rest)]
    headings = [start for start in starts if not _LABEL.match(rest, start)]
    if headings:
        return begin + min(headings)
    if len(rest) <= _LAST:
        return len(text)
    paragraph = text.find("\n\n", begin + _LAST)
    return len(text) if paragraph < 0 else paragraph + 2


def _lettered(heading: Candidate) -> bool:
    """Whether a heading is an appendix's."""
    return heading.number[0] >= FIRST_LETTER and heading.weight >= _STRONG


def venue_notes(text: str) -> Iterator[VenueSpan]:
    """What a venue puts in: its style's review notes, licences and anonymity, and its canaries."""
    spans = [match.span() for match in _LINES.finditer(text)]
    spans += canaries_in_force().places(text)
    for match in _PARAGRAPHS.finditer(text):
        end = text.find("\n\n", match.end(), match.end() + _LONGEST_NOTE)
        spans.append((match.start(), end if end >= 0 else _line_end(text, match.end())))
    reached = 0
    for start, end in sorted(spans):
        if start < reached or start == end:
            continue
        reached = end
        yield VenueSpan(start=start, end=end, zone=Zone.BOILERPLATE)


def _line_end(text: str, offset: int) -> int:
    end = text.find("\n", offset)
    return len(text) if end < 0 else end


def venue_text(text: str, checklist: Checklist | None) -> tuple[VenueSpan, ...]:
    """All that is a venue's in a text, ascending."""
    if checklist is None:
        return tuple(venue_notes(text))
    whole = VenueSpan(start=checklist.start, end=checklist.end, zone=Zone.CHECKLIST)
    notes = [
        span.model_copy(update={"zone": whole.zone}) if _overlap(span, whole) else span
        for span in venue_notes(text)
        if not any(_overlap(span, venue_span) for venue_span in checklist.venue)
    ]
    return tuple(sorted((*checklist.venue, *notes), key=lambda span: span.start))


def _overlap(span: VenueSpan, other: VenueSpan) -> bool:
    return span.start < other.end and other.start < span.end


def without_checklist(text: str, checklist: Checklist | None) -> str:
    """The text with blanks where the checklist stands, so that no heading is found in it."""
    if checklist is None:
        return text
    blank = re.sub(r"[^\n]", " ", text[checklist.start : checklist.end])
    return text[: checklist.start] + blank + text[checklist.end :]


def with_checklist(sections: Iterable[Section], checklist: Checklist | None) -> tuple[Section, ...]:
    """Sections that cover a text, those of its checklist in place of what was found there."""
    kept = tuple(sections)
    if checklist is None:
        return kept
    before, after = [], []
    for section in kept:
        if section.start < checklist.start:
            end = min(section.end, checklist.start)
            heading_end = min(section.heading_end, end)
            before.append(section.model_copy(update={"end": end, "heading_end": heading_end}))
        if section.end > checklist.end:
            start = max(section.start, checklist.end)
            # What follows a checklist is no part of what precedes it.
            cut = start > section.start
            after.append(untitled(start, section.end, Zone.APPENDIX) if cut else section)
    return (*before, *_checklist_sections(checklist), *after)


def _checklist_sections(checklist: Checklist) -> Iterator[Section]:
    titled = [item for item in checklist.items if item.title]
    starts = [item.start for item in titled]
    heads = [(checklist.start, checklist.heading_end, checklist.title, 1)]
    if starts and starts[0] == checklist.start:
        heads = []
    heads += [(item.start, item.title_end, item.title, 2) for item in titled]
    for (start, heading_end, title, level), end in zip(
        heads, [*(head[0] for head in heads[1:]), checklist.end], strict=True
    ):
        yield Section(
            title=title,
            level=level,
            start=start,
            heading_end=min(heading_end, end),
            end=end,
            zone=Zone.CHECKLIST,
        )
