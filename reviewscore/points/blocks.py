"""List entries and paragraphs of a section, with the lead-ins that stand before them."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, replace

from reviewscore.points.markers import Line, lines_of
from reviewscore.points.sentences import Stretch, sentences
from reviewscore.schema.review import Role
from reviewscore.sources.section_roles import heading_kind


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
    """

    start: int
    end: int
    entry: bool
    role: Role | None = None
    context: Stretch | None = None
    style: str = ""
    indent: int = 0
    number: int = 0
    gap: bool = False


_CONTINUES = re.compile(
    r"(?:for (?:example|instance)|specifically|in particular|e\.g|i\.e|namely|where\b|more "
    r"specifically|concretely|that is|to be (?:more )?(?:specific|precise|concrete)|this (?:is|"
    r"makes|"
    r"would|means|raises|leads|could|can|may|also|suggests|seems)|these (?:are|would|could)|"
    r"as a result|therefore|thus|hence|consequently|because|if so|if not|\$\$|>|\\begin|\\\[|vs\b)",
    re.IGNORECASE,
)
_CLOSES = re.compile(
    r"\W*(?:overall|in (?:summary|general|conclusion|total)|to (?:summari[sz]e|conclude|sum up)|"
    r"i have|here are|there are|below|besides these|apart from|also,? some|minor|other)\b",
    re.IGNORECASE,
)
_LEAD_IN = re.compile(
    r"\b(?:following|below|as follows|listed|some|several|few|many|number of|couple of|list of|"
    r"these|"
    r"detailed|specific|main|major|other|additional|minor|my|two|three|"
    r"four)\b[^.:?]{0,80}\b(?:concerns?|"
    r"questions?|weakness(?:es)?|comments?|issues?|points?|problems?|suggestions?|remarks?|"
    r"aspects?|"
    r"reasons?|limitations?|drawbacks?|strengths?|things|doubts|shortcomings|flaws|"
    r"typos)\b[^.:?]{0,100}"
    r"[.:,;]?\W*$",
    re.IGNORECASE,
)
_REFERENCE = re.compile(
    r"(?=.{0,400}(?:\b(?:19|20)\d\d\b|arxiv|doi\.org|https?://))"
    r"(?:.{0,60}\bet al\b|[A-Z][\w'’.-]+,? (?:[A-Z]\.|[A-Z][\w'’.-]+)[,. ]|"
    r"[\"'“]?[A-Z][^.?!]{10,200}"
    r"[.,?]['\"”]? .{0,200}(?:arxiv|conference|proceedings|journal|transactions|ICML|ICLR|"
    r"NeurIPS|NIPS|"
    r"CVPR|ECCV|ICCV|AAAI|ACL|EMNLP|PMLR|IEEE|press|workshop)|https?://)",
    re.IGNORECASE | re.DOTALL,
)
_CITATION = re.compile(
    r"(?=.{0,400}\b(?:19|20)\d\d\b)[\"'“]?[A-Z][^?!]{10,300}(?:arxiv|proceedings|conference on|"
    r"journal|"
    r"transactions|advances in neural|in (?:ICML|ICLR|NeurIPS|NIPS|CVPR|ECCV|ICCV|AAAI|ACL|"
    r"EMNLP)|PMLR)"
    r"[^?!]{0,120}$",
    re.IGNORECASE | re.DOTALL,
)
_ARGUES = re.compile(
    r"\b(?:should|not|lacks?|missing|the authors?|compar\w+|cite|is|are|this paper|please|"
    r"unclear|why)\b",
    re.IGNORECASE,
)
_SHORT_LINE = 70
_LABEL = 35
_NEXT_LINES = 12
_TITLE_WORDS = 12
_TITLE_LENGTH = 100
_LEAD_IN_LENGTH = 260
_REASON_LENGTH = 130


def _ends_sentence(text: str, block: Block | Line) -> bool:
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


def _raw_blocks(text: str, lines: list[Line]) -> list[Block]:
    """Lines joined into entries and paragraphs, without regard to how these belong together."""
    wrapped = _hard_wrapped(text, lines)
    blocks: list[Block] = []
    gap = True
    for line in lines:
        if line.blank:
            gap = True
            continue
        if not line.style and blocks and not gap and _runs_on(text, blocks[-1], line, wrapped):
            blocks[-1] = replace(blocks[-1], end=line.end)
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


def _hard_wrapped(text: str, lines: list[Line]) -> bool:
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


def _runs_on(text: str, block: Block, line: Line, wrapped: bool) -> bool:
    """Whether an unmarked line right under a block belongs to its last sentence or paragraph."""
    first = text[line.start]
    if first.islower() and not wrapped and line.start == line.body:
        # A column of short unfinished lines is a list without markers.
        last_line = block.end - max(block.start, text.rfind("\n", block.start, block.end))
        if last_line < _SHORT_LINE and not block.entry and text[block.end - 1] not in ",;:(-":
            return False
    if first.isupper() and not wrapped and not block.entry and block.end - block.start < _LABEL:
        return False
    if first.islower() or wrapped or _CONTINUES.match(text, line.start, line.end):
        return True
    tail = text[block.start : block.end].rstrip("*_ ")
    if tail.endswith(":"):
        return block.entry
    if block.entry:
        return _CLOSES.match(text, line.start, line.end) is None and not _leads(text, line)
    return not _ends_sentence(text, block)


def _leads(text: str, line: Line) -> bool:
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
        if (
            last is not None
            and not block.entry
            and _continues(text, last, block, numbered_on[index])
        ):
            joined[-1] = replace(last, end=block.end)
        else:
            joined.append(block)
    return joined


def _continues(text: str, last: Block, block: Block, numbered_on: bool) -> bool:
    if _is_reference(text, block) or _is_lead_in(text, block):
        return False
    if _CONTINUES.match(text, block.start, block.end) or text[block.start].islower():
        return True
    if not last.entry:
        return text[block.start] in "$\\" or text[last.end - 1] in "$,"
    bold = text[last.start : last.end].endswith("**")
    colon = text[last.end - 1] == ":" and block.start - last.end < _NEXT_LINES
    titled = _is_title(text, last) and (bold or not block.gap)
    titled = titled or colon
    return titled or numbered_on or block.indent > last.indent


def _is_lead_in(text: str, block: Block) -> bool:
    own = text[block.start : block.end].rstrip("*_ ")
    return len(own) < _LEAD_IN_LENGTH and (
        own.endswith(":") or _LEAD_IN.search(own[-_LEAD_IN_LENGTH:]) is not None
    )


def _is_reference(text: str, block: Block) -> bool:
    own = text[block.start : min(block.end, block.start + 500)]
    if block.style.startswith(("[1", "1]")) or own.startswith("["):
        bare = own.lstrip("[0123456789] ")
        named = block.style.startswith("[1") and "?" not in own and _ARGUES.search(bare) is None
        asks = "?" in own and _ARGUES.search(bare) is not None
        return named or (not asks and _REFERENCE.match(bare) is not None)
    if len(own) < 400 and _CITATION.match(own) and _ARGUES.search(own) is None:  # noqa: PLR2004
        return True
    return own.startswith("http") and " " not in own.strip()


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
            lead = Stretch(block.start, block.end)
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
    questions = all(text[child.start : child.end].rstrip().endswith("?") for child in children)
    length = sum(child.end - child.start for child in children)
    return questions or length > _REASON_LENGTH * len(children)


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
    lead: Stretch | None = None
    role: Role | None = None
    for index, block in enumerate(blocks):
        follows = index + 1 < len(blocks)
        if block.entry and not (follows and _topic_entry(text, block)):
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
) -> tuple[Block | None, Stretch | None]:
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
        return None, Stretch(block.start, block.end)
    colon = own.endswith(":")
    if not colon and not (len(own) < _LEAD_IN_LENGTH and _LEAD_IN.search(own) and before_entry):
        return block, None
    parts = sentences(text, block.start, block.end)
    last = parts[-1]
    rest = replace(block, end=parts[-2].end) if len(parts) > 1 else None
    return rest, last


def blocks_of(text: str, start: int, end: int) -> list[Block]:
    """The list entries and paragraphs of ``text[start:end]`` in order.

    Nested lists are joined to their entry when they support it, and stand alone when the entry is
    only a title. Lead-ins and references to literature are no blocks.
    """
    raw = _raw_blocks(text, list(lines_of(text, start, end)))
    kept = [block for block in raw if block.end > block.start and not _is_reference(text, block)]
    return _lead_lists(text, _nest(text, _attach_paragraphs(text, kept)))
