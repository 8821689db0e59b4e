"""List entries and paragraphs of a section, with the markers and lead-ins before them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from reviewscore.points.stance import LOOKED_AT, has_criticism
from reviewscore.schema.review import Role
from reviewscore.sources.section_roles import heading_kind
from reviewscore.text.sentences import TextSpan, sentences, trim


class ListLine(NamedTuple):
    """One line with its marker, if it begins an entry of a list.

    Attributes:
        start: Offset of the first character that is not white space.
        end: Offset just after the last one; equal to `start` for a blank line.
        body: Offset just after the marker; equal to `start` without one.
        indent: Width of the white space before the line.
        style: Kind of marker, such as ``-`` or ``1.``; empty without one.
        number: Number or letter of the marker as a count from 1, else 0.
        role: Role that the marker names (``W1``, ``Q2``, ``(+)``), else None.
    """

    start: int
    end: int
    body: int
    indent: int
    style: str
    number: int
    role: Role | None

    @property
    def blank(self) -> bool:
        """Whether nothing stands on the line."""
        return self.start == self.end


_BULLET = re.compile(
    r"(?P<sign>[-*+•‣▪◦●·–—→>o])[ \t]+(?=\S)|(?P<tight>[•●▪‣◦])|(?P<dash>[-+–—])(?=[A-Za-z\"'(\[])"
    r"|[(\[](?P<side>[+\-–])[)\]]:?[ \t]*|(?P<double>-{2,3}|\*-|\+\+)[ \t]*(?=\w)"
)
_NUMBER = re.compile(
    r"[*_]{0,2}(?:(?P<open>[(\[])?(?P<digits>\d{1,2})(?P<sub>(?:\.\d{1,2}){1,2}|[-.]?[a-h](?=[.)]))?(?P<close>[.)\]]+|"
    r":(?!\d)|[-,](?=[ \t])|(?<=\d\.\d)(?=[ \t]))(?!\d)"
    r"|#(?P<hash>\d{1,2})[.:)]?)[*_]{0,2}[:\-]?[ \t]*(?=\S|$)"
)
_LETTER = re.compile(
    r"[*_]{0,2}(?P<open>[(\[]?)(?P<letter>[a-hA-H]|[a-h]\d|i{1,3}|iv|v|vi{1,3}|ix|"
    r"x)(?P<close>[.)\]])[*_]{0,2}[ \t]+(?=\S)"
)
_LABELLED = re.compile(
    r"[*_\[($]{0,3}(?:(?:major|minor|main|key|other)[ \t]+)?(?:(?P<word>weakness|concern|question|"
    r"comment|issue|point|strength|limitation|remark|suggestion|con|pro|drawback|problem)[ \t]*#?|"
    r"(?P<short>[WQSCRPMLDT])[ \t]?)(?P<count>\d{1,2})(?:\.\d{1,2})?[*_\])$]{0,3}"
    r"(?:[ \t]*[:.)\-–—]+[*_]{0,2}(?=\s|[A-Z*_]|$)|(?=[ \t]+[A-Z]))[ \t]*",
    re.IGNORECASE,
)
_WEAKNESS_LABELS = ["w", "weakness", "con", "concern", "drawback", "problem", "issue", "limitation"]
_LABEL_ROLE = {
    **dict.fromkeys(_WEAKNESS_LABELS, Role.WEAKNESSES),
    **dict.fromkeys(("q", "question"), Role.QUESTIONS),
    **dict.fromkeys(("s", "strength", "pro"), Role.STRENGTHS),
}
_SIDE_ROLE = {"+": Role.STRENGTHS, "-": Role.WEAKNESSES, "–": Role.WEAKNESSES}
_NUMERALS = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x")
_ROMAN = {numeral: number for number, numeral in enumerate(_NUMERALS, start=1)}


class _Mark(NamedTuple):
    style: str
    number: int
    role: Role | None
    end: int


def _bullet(text: str, at: int, end: int) -> _Mark | None:
    hit = _BULLET.match(text, at, end)
    if hit is None:
        return None
    sign = hit["sign"] or hit["tight"] or hit["dash"] or hit["double"] or hit["side"]
    role = _SIDE_ROLE[hit["side"]] if hit["side"] else None
    if sign == "+" and role is None:
        role = Role.STRENGTHS
    return _Mark(f"({sign})" if hit["side"] else sign, 0, role, hit.end())


def _number(text: str, at: int, end: int) -> _Mark | None:
    hit = _NUMBER.match(text, at, end)
    if hit is None:
        return None
    deeper = "1." if hit["sub"] else ""
    style = "#" if hit["hash"] else f"{hit['open'] or ''}{deeper}1{hit['close'][:1]}"
    return _Mark(style, int(hit["hash"] or hit["digits"]), None, hit.end())


def _letter(text: str, at: int, end: int) -> _Mark | None:
    hit = _LETTER.match(text, at, end)
    if hit is None:
        return None
    letter = hit["letter"]
    number = _ROMAN.get(letter) or ord(letter[0].lower()) - ord("a") + 1
    kind = "i" if letter in _ROMAN else "A" if letter.isupper() else "a"
    if len(letter) == 2 and letter[1].isdigit():  # noqa: PLR2004 - a letter and a digit
        number, kind = int(letter[1]), "a1"
    return _Mark(f"{hit['open']}{kind}{hit['close']}", number, None, hit.end())


def _label(text: str, at: int, end: int) -> _Mark | None:
    hit = _LABELLED.match(text, at, end)
    if hit is None or (hit["short"] or "W").islower():
        return None
    named = hit["short"] not in (None, "W", "Q") and hit[0].rstrip()[-1:].isdigit()
    if named and text[hit.end() : hit.end() + 1].islower():
        return None  # "S3 stems from an older code base": S3 is the name of something
    name = (hit["word"] or hit["short"]).lower()
    return _Mark(name, int(hit["count"]), _LABEL_ROLE.get(name), hit.end())


def _marks(text: str, at: int, end: int) -> Iterator[_Mark]:
    """The markers at the start of a line: at most a bullet, then a label or number."""
    first = _label(text, at, end) or _bullet(text, at, end)
    if first is not None:
        yield first
        at = first.end
    second = _label(text, at, end) or _number(text, at, end) or _letter(text, at, end)
    if second is not None and (first is None or first.number == 0):
        yield second


def lines_of(text: str, start: int, end: int) -> Iterator[ListLine]:
    """The lines of ``text[start:end]`` with their markers."""
    position = start
    for raw in text[start:end].split("\n"):
        stripped = raw.strip()
        first = position + len(raw) - len(raw.lstrip())
        indent = len(raw[: first - position].expandtabs(4))
        position += len(raw) + 1
        if not stripped:
            yield ListLine(first, first, first, indent, "", 0, None)
            continue
        last = first + len(stripped)
        marks = list(_marks(text, first, last))
        if not marks:
            yield ListLine(first, last, first, indent, "", 0, None)
            continue
        role = next((mark.role for mark in reversed(marks) if mark.role is not None), None)
        body = min(marks[-1].end, last)
        number = marks[-1].number
        yield ListLine(first, last, body, indent, marks[0].style, number, role)


@dataclass(frozen=True, slots=True)
class Block:
    """One list entry or paragraph of a section.

    Attributes:
        start: Offset of its text, after the marker.
        end: Offset just after its text.
        entry: Whether it stands in a list.
        role: Role that its marker or lead-in gives it, else None.
        context: The lead-in it belongs to.
        style: Marker of a list entry.
        indent: Width of the white space before it.
        number: Count that the marker states, else 0.
        gap: Whether a blank line stands before it.
        sourced: Whether it ends in literature or in words of the paper.
    """

    start: int
    end: int
    entry: bool
    role: Role | None = None
    context: TextSpan | None = None
    style: str = ""
    indent: int = 0
    number: int = 0
    gap: bool = False
    sourced: bool = False

    @property
    def listed(self) -> bool:
        """Whether it is an entry of a list, or a paragraph that stands in one."""
        return self.entry or bool(self.style)


_CONTINUES = re.compile(
    r"(?:for (?:example|instance)|specifically|in particular|e\.g|i\.e|namely|where\b|more "
    r"specifically|concretely|that is|to be (?:more )?(?:specific|precise|concrete)|this (?:is|"
    r"makes|"
    r"would|means|raises|leads|could|can|may|also|suggests|seems)|these (?:are|would|could)|"
    r"as a result|therefore|thus|hence|consequently|because|if so|if not|\$\$|>|\\begin|\\\[|vs\b)",
    re.IGNORECASE,
)
_UNFINISHED = re.compile(
    r"(?:[,:(\[–—-]|\b(?:and|or|the|an?|of|to|in|that|with|for|by|is|are|as))\W*\Z"
)
_CLOSES = re.compile(
    r"\W*(?:overall|in (?:summary|general|conclusion|total)|to (?:summari[sz]e|conclude|sum up)|"
    r"i have|here are|there are|below|besides these|apart from|also,? some|minor|other)\b",
    re.IGNORECASE,
)
_LEAD_IN = re.compile(
    r"\b(?:following|below|as follows|listed|some|several|few|many|number of|couple of|list of|"
    r"these|detailed|specific|main|major|other|additional|minor|my|two|three|"
    r"four)\b[^.:?]{0,80}\b(?:concerns?|questions?|weakness(?:es)?|comments?|issues?|points?|"
    r"problems?|suggestions?|remarks?|aspects?|reasons?|limitations?|drawbacks?|strengths?|things|"
    r"doubts|shortcomings|flaws|typos)\b[^.:?]{0,100}[.:,;]?\W*$",
    re.IGNORECASE,
)
_POINTS_DOWN = re.compile(
    r"\b(?:following|below|as follows|list\w*|here|there (?:are|is)|these|several|some|few|many|"
    r"(?:two|three|four|five) \w+|suggestions?|questions?|comments?)\b",
    re.IGNORECASE,
)
_REFERENCE = re.compile(
    r"(?=.{0,400}(?:\b(?:19|20)\d\d\b|arxiv|doi\.org|https?://))(?:.{0,60}\bet al\b|"
    r"[A-Z][\w'’.-]+,? (?:[A-Z]\.|[A-Z][\w'’.-]+)[,. ]|"
    r"[\"'“]?[A-Z][^.?!]{10,200}[.,?]['\"”]? .{0,200}(?:arxiv|conference|proceedings|journal|"
    r"transactions|ICML|ICLR|NeurIPS|NIPS|CVPR|ECCV|ICCV|AAAI|ACL|EMNLP|PMLR|IEEE|press|workshop)|"
    r"https?://)",
    re.IGNORECASE | re.DOTALL,
)
_CITATION = re.compile(
    r"(?=.{0,400}\b(?:19|20)\d\d\b)[\"'“]?[A-Z][^?!]{10,300}(?:arxiv|proceedings|conference on|"
    r"journal|transactions|advances in neural|in (?:ICML|ICLR|NeurIPS|NIPS|CVPR|ECCV|ICCV|AAAI|ACL|"
    r"EMNLP)|PMLR)[^?!]{0,120}$",
    re.IGNORECASE | re.DOTALL,
)
_AUTHORS = re.compile(
    r"(?=.{0,500}?\b(?:19|20)\d\d\b)\W*(?:[A-Z][\w'’-]+,? (?:[A-Z]\.?[ -]?){1,3}[,.;]|"
    r"(?:[A-Z]\. ?){1,3}[A-Z][\w'’-]+(?:,| and\b)|"
    r"[A-Z][\w'’-]+, [A-Z][\w'’-]+,? (?:and|&|et al)|(?:[A-Z][\w'’.-]+ ){1,3}[A-Z][\w'’-]+, "
    r"(?:[A-Z][\w'’.-]+ ){1,3}[A-Z][\w'’-]+[,.]|[A-Z][\w'’-]+,? et al)",
    re.DOTALL,
)
"""Begins with authors, as entries of literature do, and names a year."""
_VENUE = re.compile(
    r"[^?!]{20,300}\b(?:arXiv|NeurIPS|NeuRIPS|NIPS|ICML|ICLR|AISTATS|COLT|UAI|CVPR|ECCV|ICCV|"
    r"AAAI|IJCAI|ACL|EMNLP|NAACL|KDD|WWW|SIGIR|JMLR|TMLR|PAMI|TPAMI|CoRL|ICRA|IROS|Interspeech|ICASSP)\b[^.?!]{0,12}"
    r"\b(?:19|20)\d\d\W*\Z",
    re.DOTALL,
)
_REMARKS = re.compile(
    r"\b(?:the authors?|this (?:paper|work)|the paper|please|should|unclear|lacks?|"
    r"missing|i(?![-.])|we|you|"
    r"your|cite[sd]?|however|see|compar(?:e|ed|ison))\b",
    re.IGNORECASE,
)
_ARGUES = re.compile(
    r"\b(?:should|not|lacks?|missing|the authors?|compar\w+|cite|is|are|this paper|please|"
    r"unclear|why)\b",
    re.IGNORECASE,
)
_PLACED = re.compile(r"(?:p(?:ages?|p?\.)|lines?|ll?\.) ?\d", re.IGNORECASE)
"""Begins a remark on a place of the paper: ``p. 9, ..``."""
_SHORT_LINE = 70
_TAIL = 12
_LABEL = 35
_NEXT_LINES = 12
_TITLE_WORDS = 12
_TITLE_LENGTH = 100
_LEAD_IN_LENGTH = 260
_REASON_LENGTH = 130


def _ends_sentence(text: str, block: Block | ListLine) -> bool:
    tail = text[max(block.start, block.end - 4) : block.end].rstrip("\"'”’)]*_ ")
    return tail.endswith((".", "?", "!", ";", "…"))


def _is_title(text: str, block: Block) -> bool:
    """Whether an entry is only a title for what follows it."""
    own = text[block.start : block.end]
    if own.rstrip("*_ ").endswith(":"):
        return True
    return (
        len(own) < _LEAD_IN_LENGTH
        and len(own.split()) <= _TITLE_WORDS
        and not own.rstrip("*_ \"')").endswith(("?", "!", ";"))
        and (not _ends_sentence(text, block) or own.startswith("**") or own.endswith("**"))
    )


def _raw_blocks(text: str, lines: list[ListLine]) -> list[Block]:
    """Lines joined into entries and paragraphs, without regard to how these belong together."""
    wrapped = _hard_wrapped(text, lines)
    blocks: list[Block] = []
    gap = True
    for line in lines:
        if line.blank:
            gap = True
            continue
        under = not line.style and blocks and not gap
        if under and _runs_on(text, blocks[-1], line, wrapped):
            blocks[-1] = replace(blocks[-1], end=line.end)
        elif under and blocks[-1].listed and _turns(text, blocks[-1], line.start, line.end):
            blocks.append(_beside(blocks[-1], line.start, line.end))
        else:
            blocks.append(
                Block(
                    line.body,
                    line.end,
                    bool(line.style),
                    line.role,
                    style=line.style,
                    indent=line.indent,
                    number=line.number,
                    gap=gap,
                )
            )
        gap = False
    return blocks


def _beside(entry: Block, start: int, end: int) -> Block:
    """A concern of its own that an entry holds, as a paragraph in the same list."""
    return replace(entry, start=start, end=end, entry=False, number=0, gap=False, sourced=False)


def _hard_wrapped(text: str, lines: list[ListLine]) -> bool:
    """Whether line ends are where the editor put them and not where the reviewer did."""
    broken = sum(
        1
        for first, second in itertools.pairwise(lines)
        if not first.blank
        and not second.blank
        and not second.style
        and not _ends_sentence(text, first)
        and text[second.start].islower()
    )
    full = sum(1 for line in lines if not line.blank)
    return broken >= 3 and broken * 3 >= full  # noqa: PLR2004 - a third of at least nine lines


def _runs_on(text: str, block: Block, line: ListLine, wrapped: bool) -> bool:
    """Whether an unmarked line right under a block belongs to its last sentence or paragraph."""
    first = text[line.start]
    titled = _in_bold(text, block)
    placed = _ends_sentence(text, block) and _PLACED.match(text, line.start, line.end)
    if placed or (not (wrapped or block.entry or titled) and _in_column(text, block, line)):
        return False
    if first.islower() or wrapped or _CONTINUES.match(text, line.start, line.end):
        return True
    tail = text[block.start : block.end].rstrip("*_ ")
    if tail.endswith(":"):
        return block.entry
    if block.entry:
        closes = _CLOSES.match(text, line.start, line.end) is not None or _leads(text, line)
        return not closes and not _turns(text, block, line.start, line.end)
    if titled or _is_unfinished(text, block):
        return True
    return not (first.isupper() or _ends_sentence(text, block))


def _in_column(text: str, block: Block, line: ListLine) -> bool:
    """Whether a line stands under a label, or in a column of short lines: a list without marks."""
    if text[line.start].isupper():
        return block.end - block.start < _LABEL
    last_line = block.end - max(block.start, text.rfind("\n", block.start, block.end))
    short = last_line < _SHORT_LINE and text[block.end - 1] not in ",;:(-"
    return text[line.start].islower() and line.start == line.body and short


_LEANS = re.compile(
    r"\W*(?:(?:it|its|they|their|them|this|that|these|those|such|he|she|so|or|and|but|then|"
    r"therefore|thus|hence|because|since|same|however|yet|otherwise|if|although|though|while|also|"
    r"indeed|here|given|as|for (?:example|instance)|in (?:other words|this case|"
    r"that case|particular|fact|"
    r"practice|contrast)|on the other hand|specifically|e\.g|i\.e)\b|"
    r"(?:\w+[^\w.?!]+){0,5}(?:this|these|"
    r"those|that|it|they|such)\b)",
    re.IGNORECASE,
)
"""Begins a sentence that goes on with the matter of the one before it."""
_ADDS = re.compile(
    r"\W*(?:in addition|additionally|furthermore|moreover|besides|also|similarly|another|"
    r"second(?:ly)?|third(?:ly)?|last(?:ly)?|finally|next),? (?!to (?:this|that|these)\b)",
    re.IGNORECASE,
)
"""Begins a sentence that sets something beside the matter of the one before it."""


def _in_bold(text: str, block: Block) -> bool:
    """Whether a block is a title in bold: its text stands below."""
    own = text[block.start : min(block.end, block.start + _LEAD_IN_LENGTH + 1)]
    return (
        len(own) <= _LEAD_IN_LENGTH
        and own.startswith(("**", "__"))
        and own.endswith(("**", "__"))
        and "\n" not in own
    )


def _opening(text: str, start: int, end: int) -> str:
    return text[start : min(end, start + LOOKED_AT)]


def _is_unfinished(text: str, block: Block) -> bool:
    """Whether the last sentence of a block goes on after it."""
    return _UNFINISHED.search(text, max(block.start, block.end - _TAIL), block.end) is not None


def _turns(text: str, block: Block, start: int, end: int) -> bool:
    """Whether a line or paragraph under an entry is a concern beside the entry's own."""
    if _LEANS.match(text, start, end):
        return False
    if not (_ADDS.match(text, start, end) or has_criticism(_opening(text, start, end))):
        return False
    if _is_title(text, block) or _is_unfinished(text, block):
        return False
    asked = text[block.end - 1] == "?" and block.end - block.start < _LEAD_IN_LENGTH
    if asked and len(sentences(text, block.start, block.end)) == 1:
        return False  # a question, and why it is asked
    return not block.entry or has_criticism(_opening(text, block.start, block.end))


def _leads(text: str, line: ListLine) -> bool:
    return text[line.start : line.end].rstrip("*_ ").endswith(":")


def _numbered_on(blocks: list[Block]) -> list[bool]:
    """For each block, whether the next entry of its list carries on the count before it."""
    last: list[Block | None] = []
    current: Block | None = None
    for block in blocks:
        current = block if block.entry and block.number else current
        last.append(current)
    following: dict[str, int] = {}
    carried = [False] * len(blocks)
    for index in range(len(blocks) - 1, -1, -1):
        owner, block = last[index], blocks[index]
        carried[index] = owner is not None and following.get(owner.style) == owner.number + 1
        if block.entry and block.number:
            following[block.style] = block.number
    return carried


def _attach_paragraphs(text: str, blocks: list[Block]) -> list[Block]:
    """Paragraphs that continue the entry before them are joined to it."""
    numbered_on = _numbered_on(blocks)
    joined: list[Block] = []
    for index, block in enumerate(blocks):
        last = joined[-1] if joined else None
        if last is None or block.entry:
            joined.append(block)
        elif _continues(text, last, block):
            joined[-1] = replace(last, end=block.end)
        elif not _within(text, last, block, numbered_on[index]):
            joined.append(block)
        elif _turns(text, last, block.start, block.end):
            joined.append(_beside(last, block.start, block.end))
        else:
            joined[-1] = replace(last, end=block.end)
    return joined


def _continues(text: str, last: Block, block: Block) -> bool:
    """Whether a paragraph goes on with what stands above it."""
    if is_reference(text, block) or _is_lead_in(text, block):
        return False
    if _CONTINUES.match(text, block.start, block.end):
        return True
    if last.sourced and _LEANS.match(text, block.start, block.end):
        return True
    unfinished = text[last.end - 1] == "$" or _is_unfinished(text, last)
    if text[block.start].islower() and unfinished:
        return True
    if not last.entry:
        formula = text[block.start] in "$\\" or text[last.end - 1] in "$,"
        return formula and not _turns(text, last, block.start, block.end)
    bold = text[last.start : last.end].endswith("**")
    colon = text[last.end - 1] == ":" and block.start - last.end < _NEXT_LINES
    titled = _is_title(text, last) and (bold or not block.gap)
    return titled or colon


def _within(text: str, last: Block, block: Block, numbered_on: bool) -> bool:
    """Whether a paragraph stands in the entry above it: the list goes on after it."""
    if not last.listed or is_reference(text, block) or _is_lead_in(text, block):
        return False
    return numbered_on or block.indent > last.indent


def _is_lead_in(text: str, block: Block) -> bool:
    own = text[block.start : block.end].rstrip("*_ ")
    return len(own) < _LEAD_IN_LENGTH and (
        own.endswith(":") or _LEAD_IN.search(own[-_LEAD_IN_LENGTH:]) is not None
    )


def is_reference(text: str, block: Block) -> bool:
    """Whether a block is an entry of a list of literature."""
    own = text[block.start : min(block.end, block.start + 500)]
    if block.style.startswith(("[1", "1]")) or own.startswith("["):
        bare = own.lstrip("[0123456789] ")
        named = block.style.startswith("[1") and "?" not in own and _ARGUES.search(bare) is None
        named = named and not _is_unfinished(text, block)
        asks = "?" in own and _ARGUES.search(bare) is not None
        return named or (not asks and _REFERENCE.match(bare) is not None)
    short = len(own) < 400  # noqa: PLR2004 - an entry of literature
    if short and (_AUTHORS.match(own) or _VENUE.match(own)) and _REMARKS.search(own) is None:
        return True
    if short and _CITATION.match(own) and _ARGUES.search(own) is None:
        return True
    return own.startswith("http") and " " not in own.strip()


_QUOTATION = re.compile(
    r"(?P<open>[\"“'‘«`]{1,2})(?:[^\n]|\n(?!\n)){25,}?[\"”'’»`][.,;:]?(?:\s*\([^()]{1,40}\))?\W*\Z|"
    r"\s*[\"“][^\"“”]{25,}[\"”]\W*\Z",
    re.DOTALL,
)
_QUOTE_MARKS = re.compile(r"[\"“”«»]|(?<!\w)['‘’`]|['‘’`](?!\w)")


def is_quotation(text: str, block: Block) -> bool:
    """Whether a block is nothing but words of somebody else, in quotation marks."""
    marks = len(_QUOTE_MARKS.findall(text, block.start, block.end))
    ends_only = marks == 2  # noqa: PLR2004 - those at its ends
    return ends_only and _QUOTATION.match(text, block.start, block.end) is not None


_NAMES_WORKS = re.compile(
    r"\b(?:papers?|works?|references?|citations?|cit(?:e|ed|ing)|literature|stud(?:y|ies)|methods?|"
    r"algorithms?|baselines?|approach(?:es)?|e\.g|example|such as)\b",
    re.IGNORECASE,
)


def _introduces(text: str, block: Block, source: Block) -> bool:
    """Whether a block announces the work or the words of others that stand under it."""
    own = text[block.start : block.end].rstrip("*_ ")
    if len(own.split()) <= 1 or _topic_entry(text, block):
        return False
    announced = own.endswith((":", ","))
    if is_quotation(text, source):
        return announced or has_criticism(own)
    return (announced or own.endswith(" in")) and _NAMES_WORKS.search(own[-200:]) is not None


def _without_sources(text: str, blocks: list[Block]) -> list[Block]:
    """Blocks without entries of literature and quotations; those announced join their lead-in."""
    kept: list[Block] = []
    for block in blocks:
        counted = bool(kept) and block.number > 1 and block.number == kept[-1].number + 1
        quoted = is_quotation(text, block) and not counted
        if not (quoted or is_reference(text, block)):
            kept.append(block)
        elif kept and (kept[-1].sourced or _introduces(text, kept[-1], block)):
            kept[-1] = replace(kept[-1], end=block.end, sourced=True)
        elif quoted and block.entry:
            kept.append(block)  # what is wrong with the words, the heading above tells
    return kept


def lead_in_role(lead: str) -> Role | None:
    """What a lead-in promises: its list holds strengths, weaknesses or questions."""
    words = re.findall(r"[a-z]+", lead.lower())
    kinds = [kind[0] for word in words if (kind := heading_kind(word)) is not None]
    for role in (Role.WEAKNESSES, Role.QUESTIONS, Role.STRENGTHS, Role.REQUESTS):
        if role in kinds:
            return role
    return None


def _nest(text: str, blocks: list[Block]) -> list[Block]:
    """Lists inside entries are joined to their entry, or stand alone with it as their lead-in."""
    nested: list[Block] = []
    index = 0
    while index < len(blocks):
        block = blocks[index]
        end = _children_end(text, blocks, index)
        children = blocks[index + 1 : end]
        index = max(end, index + 1)
        if not children:
            nested.append(block)
            continue
        if _is_title(text, block) or _stand_alone(text, children):
            lead = TextSpan(block.start, block.end)
            if not _is_title(text, block):
                nested.append(block)
            nested += [
                replace(child, context=lead, role=child.role or block.role) for child in children
            ]
        else:
            nested.append(replace(block, end=children[-1].end))
    return nested


def _stand_alone(text: str, children: list[Block]) -> bool:
    """Whether entries under an entry are points of their own and not its reasons."""
    if len(children) == 1:
        return False
    questions = all(text[child.start : child.end].rstrip().endswith("?") for child in children)
    critical = all(has_criticism(text[child.start : child.end]) for child in children)
    length = sum(child.end - child.start for child in children)
    return questions or critical or length > _REASON_LENGTH * len(children)


def _children_end(text: str, blocks: list[Block], index: int) -> int:
    """Index just after the entries that stand under the entry at `index`."""
    parent = blocks[index]
    end = index + 1
    if not parent.entry:
        return end
    titled = text[parent.start : parent.end].rstrip("*_ ").endswith(":")
    for child in blocks[index + 1 :]:
        deeper = child.indent > parent.indent + 1
        under_number = parent.number != 0 and not child.gap
        other = child.style != parent.style and (titled or under_number)
        if not child.entry or child.role is not None or not (deeper or other):
            break
        end += 1
    return end


def _lead_lists(text: str, blocks: list[Block]) -> list[Block]:
    """Lead-in paragraphs become the context of the entries under them."""
    led: list[Block] = []
    lead: TextSpan | None = None
    role: Role | None = None
    for index, block in enumerate(blocks):
        follows = index + 1 < len(blocks)
        if block.listed and not (follows and _topic_entry(text, block)):
            led.append(replace(block, context=block.context or lead, role=block.role or role))
            continue
        before_entry = follows and blocks[index + 1].entry
        lead, role = None, None
        rest, last = _split_lead_in(text, block, before_entry=before_entry)
        if last is not None:
            lead, role = last, lead_in_role(text[last.start : last.end])
        if rest is not None:
            led.append(rest)
    return led


def _topic_entry(text: str, block: Block) -> bool:
    own = text[block.start : block.end].strip("*_: ")
    return len(own) < 40 and heading_kind(own) is not None  # noqa: PLR2004 - a heading, not prose


def _split_lead_in(
    text: str, block: Block, *, before_entry: bool
) -> tuple[Block | None, TextSpan | None]:
    """A paragraph without its closing lead-in, and the lead-in."""
    own = text[block.start : block.end].rstrip("*_ ")
    bold = own.startswith(("**", "__")) and text[block.end - 2 : block.end] in ("**", "__")
    markdown = (
        (own.startswith("#") or bold)
        and not own.endswith((".", "?"))
        and len(own) < _TITLE_LENGTH
        and "\n" not in own
    )
    if _topic_entry(text, block) or markdown:
        return None, TextSpan(block.start, block.end)
    colon = own.endswith(":")
    if not colon and not (len(own) < _LEAD_IN_LENGTH and _LEAD_IN.search(own) and before_entry):
        return block, None
    parts = sentences(text, block.start, block.end)
    last = parts[-1]
    if not colon and _says_more(text[last.start : last.end]):
        return block, last
    rest = replace(block, end=parts[-2].end) if len(parts) > 1 else None
    return rest, last


_COUNTED = re.compile(
    r"(?:(?<=\s)|\A)(?:\((?P<round>\d{1,2}|[a-h])\)|(?P<half>\d{1,2}|[a-h])\))[ \t]+(?=\S)"
)
_LEAST_WORDS = 3


def _counted_parts(text: str, block: Block) -> list[Block]:
    """A block parted at a count within its lines, ``(1) .. (2) ..``, where each part criticises."""
    marks: list[re.Match[str]] = []
    first = 1 if block.style in ("(1)", "1)", "(a)", "a)") and block.number == 1 else 0
    for mark in _COUNTED.finditer(text, block.start, block.end):
        sign = mark["round"] or mark["half"]
        number = int(sign) if sign.isdigit() else ord(sign) - ord("a") + 1
        if number == first + len(marks) + 1:
            marks.append(mark)
    starts = [*((block.start,) if first else ()), *(mark.end() for mark in marks)]
    ends = [*(mark.start() for mark in (marks if first else marks[1:])), block.end]
    parts = list(zip(starts, ends, strict=True)) if starts else []
    if len(parts) < 2 or not all(_is_concern(text, *part) for part in parts):  # noqa: PLR2004
        return [block]
    lead = trim(text, block.start, block.start if first else marks[0].start())
    before = text[lead.start : lead.end].rstrip("*_ ")
    if before and not before.endswith((".", "?", "!", ";", ":")):
        return [block]
    announced = before.endswith(":")
    context = lead if announced else block.context
    counted = [
        replace(block, start=stretch.start, end=stretch.end, entry=True, context=context)
        for stretch in (trim(text, *part) for part in parts)
    ]
    return counted if announced or not before else [replace(block, end=lead.end), *counted]


def _is_concern(text: str, start: int, end: int) -> bool:
    own = text[start:end]
    return len(own.split()) >= _LEAST_WORDS and has_criticism(own)


def _says_more(lead: str) -> bool:
    """Whether a lead-in criticises by itself and does not only point to the list under it."""
    return lead.endswith(".") and _POINTS_DOWN.search(lead) is None and has_criticism(lead)


def blocks_of(text: str, start: int, end: int) -> list[Block]:
    """The list entries and paragraphs of ``text[start:end]`` in order.

    Nested lists are joined to their entry when they support it, and stand alone when the entry is
    only a title. Lead-ins and references to literature are no blocks.
    """
    raw = _raw_blocks(text, list(lines_of(text, start, end)))
    kept = _without_sources(text, [block for block in raw if block.end > block.start])
    led = _lead_lists(text, _nest(text, _attach_paragraphs(text, kept)))
    return [part for block in led for part in _counted_parts(text, block)]
