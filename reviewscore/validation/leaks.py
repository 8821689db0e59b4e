"""What gives a planted point away: answers that a cut left, and traces of the cut.

Three checks are certain (`LeakKind.certain`): a passage that is not where the item says, a remark
in the passage's own words, a passage that no cut touches or that still stands somewhere after the
cut. The others find what somebody must look at: most of a passage's words that still stand side by
side, or a formula or a table that looks like a torn sentence.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache

from reviewscore.papers.load import PaperRow, build_paper
from reviewscore.papers.offsets import MappedText
from reviewscore.papers.places import target
from reviewscore.papers.quotes import levelled_span
from reviewscore.papers.sections import number_of
from reviewscore.points.places import mentions
from reviewscore.retrieval.index import Passage, index_of
from reviewscore.retrieval.ranking import ranked_passages
from reviewscore.schema.marks import sum_of_words
from reviewscore.schema.paper import Paper
from reviewscore.schema.place import PlaceKind
from reviewscore.schema.planted_point import PlantedPoint
from reviewscore.schema.point_id import same_words
from reviewscore.text.stems import FUNCTION_WORDS
from reviewscore.validation.planted import check_text, cut_mapped, cut_out, seams


class LeakKind(StrEnum):
    """What is wrong with an item, or may be."""

    PASSAGE = "passage"  # its words are not where the item says
    SHARED_WORDS = "shared words"  # the remark has words of a passage, four in a row
    UNCUT = "uncut"  # no cut touches a passage, or its words stand elsewhere too
    LEFTOVER = "leftover"  # a number or name of the fact, or most words of a passage still stand
    SEAM = "seam"  # a torn sentence, bracket or word
    NUMBERING = "numbering"  # "(ii)" without "(i)", Table 3 without Table 2
    REFERENCE = "reference"  # "see Section 4.2", which is gone
    COUNT = "count"  # "three" of which two are left

    @property
    def certain(self) -> bool:
        """Whether the item is wrong for sure."""
        return self in (LeakKind.PASSAGE, LeakKind.SHARED_WORDS, LeakKind.UNCUT)


@dataclass(frozen=True)
class Leak:
    """What a check says of an item.

    Attributes:
        kind: Which check.
        problem: What it is, in words; it may quote the paper.
        start: Where it is seen: in the cut text, for the certain checks in the whole text.
        end: Just after it.
    """

    kind: LeakKind
    problem: str
    start: int
    end: int


RUN = 4
"""Words in a row that a remark must not share with a passage."""
_SHOWN = 60
_TOKEN = re.compile(r"[a-z0-9]+")


def leaks(paper: Paper, point: PlantedPoint, *, certain: bool = False) -> tuple[Leak, ...]:
    """All that the checks say of an item.

    Args:
        paper: The whole paper.
        point: The item.
        certain: Run the certain checks alone.

    Raises:
        InputError: The paper's text is not the one that the item was made for.
    """
    check_text(paper.text, point)
    of_passages = tuple(_passage_leaks(paper.text, point))
    if not point.cuts:
        return of_passages
    version = CutVersion(paper, point)
    uncut = tuple(_uncut(version))
    of_passages += tuple(leak for leak in uncut if leak.kind.certain)
    if certain:
        return of_passages
    of_passages += tuple(leak for leak in uncut if not leak.kind.certain)
    if not version.text.strip():
        return (*of_passages, Leak(LeakKind.SEAM, "the cuts take all of the paper", 0, 0))
    checks = (_leftovers, _torn, _numbering, _captions, _lost_references)
    return (*of_passages, *(leak for check in checks for leak in check(version)))


def nearest(paper: Paper, point: PlantedPoint, most: int = 5) -> tuple[Passage, ...]:
    """The passages of the cut paper that lie nearest to the remark and the fact, best first.

    They are for the writer's eyes: none of them may answer the remark or hint at the answer.

    Raises:
        InputError: As `leaks`.
    """
    check_text(paper.text, point)
    index = index_of(CutVersion(paper, point).paper)
    ranking = ranked_passages(index, f"{point.remark}\n{point.fact}")
    return tuple(index.passages[place] for place in ranking[:most])


@dataclass(frozen=True)
class Seam:
    """A place where a cut closed.

    Attributes:
        old: What was taken, with the white space around it that changed.
        start: Where it began in the whole text.
        end: Just after it.
        new: What stands there instead.
        place: Where that begins in the cut text.
        place_end: Just after it.
    """

    old: str
    start: int
    end: int
    new: str
    place: int
    place_end: int


@dataclass(frozen=True)
class CutVersion:
    """A paper and what an item makes of it."""

    whole: Paper
    point: PlantedPoint

    @cached_property
    def mapped(self) -> MappedText:
        """The text after the cut, as judges read it: with lines and rows fitted again."""
        return cut_mapped(self.whole.text, self.point)

    @property
    def text(self) -> str:
        """The text after the cut."""
        return self.mapped.text

    @cached_property
    def paper(self) -> Paper:
        """The cut text as a paper."""
        return _as_paper(self.text)

    @cached_property
    def whole_as_read(self) -> Paper:
        """The whole text as a paper, fitted and read as the cut one is."""
        return _as_paper(cut_out(self.whole.text, ()).text)

    @cached_property
    def content_words(self) -> list[tuple[str, int, int]]:
        """Words and numbers of the cut text that are no function words, with start and end."""
        return _content_words(self.text)

    @cached_property
    def seams(self) -> tuple[Seam, ...]:
        """Where it closed, in order."""
        text, closed = self.whole.text, []
        for start, end, new in seams(text, self.point.edits):
            last = self.mapped.place_of(end)
            # Of an edit that takes nothing, the place of its start is behind what it puts in.
            place = self.mapped.place_of(start) if start < end else max(0, last - len(new))
            closed.append(Seam(text[start:end], start, end, new, place, last))
        return tuple(closed)


@lru_cache(maxsize=4)
def _as_paper(text: str) -> Paper:
    return build_paper(PaperRow(paper_id="planted", text=text), doubts=False)


def _passage_leaks(text: str, point: PlantedPoint) -> Iterator[Leak]:
    remark = _TOKEN.findall(point.remark.lower())
    runs = {tuple(remark[at : at + RUN]) for at in range(len(remark) - RUN + 1)}
    for passage in point.passages:
        words = text[passage.start : passage.end]
        if sum_of_words(words) != passage.sha256:
            problem = f"{short(words)!r} are not the words of the passage"
            yield Leak(LeakKind.PASSAGE, problem, passage.start, passage.end)
            continue
        tokens = _TOKEN.findall(words.lower())
        shared = [run for at in range(len(tokens)) if (run := tuple(tokens[at : at + RUN])) in runs]
        if shared:
            problem = f"the remark has {' '.join(shared[0])!r} of the passage"
            yield Leak(LeakKind.SHARED_WORDS, problem, passage.start, passage.end)


_WORD = re.compile(r"[^\W_]+")
_MOST_WORDS, _FEWEST_WORDS = 0.8, 3
"""Share of a passage's content words that must not stand side by side; of fewer words none is."""


def _uncut(version: CutVersion) -> Iterator[Leak]:
    """Passages that no cut touches, or that still stand in the cut text, whole or for the most."""
    whole, point = version.whole.text, version.point
    for passage in point.passages:
        words = whole[passage.start : passage.end]
        if sum_of_words(words) != passage.sha256:
            continue
        if not any(edit.start < passage.end and passage.start < edit.end for edit in point.cuts):
            problem = f"no cut touches {short(words)!r}"
            yield Leak(LeakKind.UNCUT, problem, passage.start, passage.end)
            continue
        again = levelled_span(version.text, words)
        if again is not None:
            problem = f"{short(words)!r} still stands in the paper after the cut"
            yield Leak(LeakKind.UNCUT, problem, *version.mapped.original_span(*again))
        elif (most := _most_words(words, version)) is not None:
            around = short(version.text[most[0] : most[1]], 100)
            problem = f"most words of {short(words)!r} still stand in {around!r}"
            yield Leak(LeakKind.LEFTOVER, problem, *most)


def _most_words(passage: str, version: CutVersion) -> tuple[int, int] | None:
    """Where most content words of a passage stand, within as many of them as it has."""
    wanted = Counter(word for word, _, _ in _content_words(passage))
    size = wanted.total()
    if size < _FEWEST_WORDS:
        return None
    words, shared, within = version.content_words, 0, Counter[str]()
    for place, (word, _, end) in enumerate(words):
        within[word] += 1
        shared += within[word] <= wanted[word]
        if place >= size:
            gone = words[place - size][0]
            shared -= within[gone] <= wanted[gone]
            within[gone] -= 1
        if shared >= _MOST_WORDS * size:
            near = words[max(0, place - size + 1) : place + 1]
            return next(start for word, start, _ in near if word in wanted), end
    return None


def _content_words(text: str) -> list[tuple[str, int, int]]:
    """Words and numbers that are no function words, each with start and end."""
    return [
        (word, *match.span())
        for match in _WORD.finditer(text)
        if (word := match.group().lower()) not in FUNCTION_WORDS
    ]


_NUMBER = re.compile(r"(?<![\w.])\d[\d.,]+\d(?!\w|\.\d)")
_NAME = re.compile(r"(?<![\w-])(?=[\w-]*[A-Z])[A-Za-z][\w-]*\w")
_DIGITS = 3


def _telling(fact: str, text: str) -> Iterator[str]:
    """Numbers of three digits or more, and names, of a fact: words that a text never writes small.

    Args:
        fact: The fact.
        text: The text of the paper.
    """
    numbers = _NUMBER.findall(fact)
    yield from (word for word in numbers if sum(map(str.isdigit, word)) >= _DIGITS)
    for word in _NAME.findall(fact):
        small = word[0] + word[1:].lower() == word and re.search(rf"\b{word.lower()}\b", text)
        if not small:
            yield word


def _leftovers(version: CutVersion) -> Iterator[Leak]:
    """Numbers and names of the fact that the cuts take most of, where they still stand."""
    whole = version.whole.text
    taken = "\n".join(whole[edit.start : edit.end] for edit in version.point.cuts)
    for word in dict.fromkeys(_telling(version.point.fact, whole)):
        pattern = re.compile(rf"(?<![\w.]){re.escape(word)}(?!\w|\.\d)")
        left = list(pattern.finditer(version.text))
        if len(left) > len(pattern.findall(taken)):
            continue
        for match in left:
            around = version.text[max(0, match.start() - 40) : match.end() + 40]
            problem = f"'{word}' still stands in {short(around, 100)!r}"
            yield Leak(LeakKind.LEFTOVER, problem, *match.span())


_STOP = re.compile(r"[.!?](?:\[\d+\]|[\"'”’)\]*_])*\Z")
_GOES_ON = re.compile(r"[:;,]\Z")
_SHORTENED = re.compile(
    r"\b(?:al|e\.g|i\.e|cf|vs|etc|resp|approx|[Ff]igs?|[Ee]qs?|[Ss]ecs?|[Tt]abs?)\.\Z"
)
_INITIAL = re.compile(r"\b[A-Z]\.\Z")
_STRAY = re.compile(
    r"[,;:]\s*[,;:.)]|\(\s*[,;:.)]|\[\s*\]|(?<=[^\s|])[^\S\n]{2,}(?=[^\s|])|[^\S\n][,;](?=\s)"
)
_BRACKET = re.compile(r"[(\[\])]|(?<![\w(])\w{1,3}\)")
_PAIRS = {"(": ")", "[": "]"}
_RAISED = re.compile(r"\[\W\]")
"""A bracket within a raised index, as converters of PDFs write it."""
_REACH = 300
"""Characters beside a seam that are looked at."""


def _torn(version: CutVersion) -> Iterator[Leak]:
    """Seams at which a sentence, a bracket or a word is torn, or a mark stands alone."""
    whole, text = version.whole.text, version.text
    for seam in version.seams:
        start, end = seam.place, seam.place_end
        around = text[max(0, start - _SHOWN) : end + _SHOWN]
        problems = [*_torn_sentences(whole, text, seam)]
        if _unpaired(seam.old) != _unpaired(seam.new):
            problems.append("a bracket stands alone")
        before = whole[max(0, seam.start - 2) : seam.end + 2]
        for stray in _STRAY.finditer(text[max(0, start - 2) : end + 2]):
            if stray.group() not in before:
                problems.append(f"{stray.group()!r} stands alone")
        if _glued(whole, text, seam):
            problems.append("two words are glued")
        for problem in problems:
            yield Leak(LeakKind.SEAM, f"{problem}: {short(around, 130)!r}", start, end)


def _torn_sentences(whole: str, text: str, seam: Seam) -> Iterator[str]:
    """What is wrong with the sentences at a seam that was right in the whole paper."""
    end = seam.place_end
    left, blank_left = _parted(text[max(0, seam.place - _REACH) : end])
    old_left, old_blank = _parted(whole[max(0, seam.start - _REACH) : seam.end])
    above, blank_above = _parted(whole[max(0, seam.start - _REACH) : seam.start])
    rest = text[end : end + _REACH]
    right = rest.lstrip()
    blank = rest[: len(rest) - len(right)]
    line = left.rpartition("\n")[2].lstrip()[:1]
    if "|" in (line, right[:1]):
        return
    parted, was_parted = "\n\n" in blank_left + blank, "\n\n" in old_blank + blank
    begins = parted or (_ends(left) and not _INITIAL.search(left))
    began = was_parted or _ends(old_left)
    if right[:1].islower() and begins and not began:
        yield "a sentence begins without a capital"
    inside = (
        above and "\n\n" not in blank_above + seam.old[: len(seam.old) - len(seam.old.lstrip())]
    )
    goes_on = line == "#" or (right and not right[0].isupper() and not parted)
    if inside and _ends(old_left) and not (_ends(left) or _GOES_ON.search(left) or goes_on):
        yield "a sentence does not end"


def _parted(text: str) -> tuple[str, str]:
    """A text without the white space at its end, and that."""
    words = text.rstrip()
    return words, text[len(words) :]


def _ends(text: str) -> bool:
    """Whether a sentence ends where a text does."""
    return _STOP.search(text) is not None and _SHORTENED.search(text) is None


def _unpaired(words: str) -> list[str]:
    """Brackets without a partner; those of "a)" and "2)" need none."""
    unpaired: list[str] = []
    for match in _BRACKET.finditer(_RAISED.sub("", words)):
        if match[0] in _PAIRS:
            unpaired.append(match[0])
        elif unpaired and _PAIRS.get(unpaired[-1]) == match[0][-1]:
            unpaired.pop()
        elif len(match[0]) == 1:
            unpaired.append(match[0])
    return unpaired


def _glued(whole: str, text: str, seam: Seam) -> bool:
    """Whether words meet, at an end of the seam, of which one ended there in the whole paper."""
    after = seam.old[:1] or whole[seam.end : seam.end + 1]
    before = seam.old[-1:] or whole[max(0, seam.start - 1) : seam.start]
    ends = ((seam.place, after), (seam.place_end, before))
    return any(
        0 < place < len(text)
        and text[place - 1].isalnum()
        and text[place].isalnum()
        and not neighbour.isalnum()
        for place, neighbour in ends
    )


_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
_ROMANS = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x")
_LETTERS = tuple("abcdefgh")
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


@dataclass(frozen=True)
class ListStyle:
    """A way to number the members of a list.

    Attributes:
        name: Such as ``(i)``.
        pattern: A marker, with its number in a group.
        names: Numbers as they are written, the first one first; empty for digits.
        reach: Characters within which the next marker of a list stands.
    """

    name: str
    pattern: re.Pattern[str]
    names: tuple[str, ...] = ()
    reach: int = 2_000

    def markers(self, text: str) -> list[int]:
        """Numbers of the markers in a text, in order."""
        written = [match[1].lower() for match in self.pattern.finditer(text)]
        return [self.names.index(name) + 1 if self.names else int(name) for name in written]


_LIST_STYLES = (
    ListStyle("(i)", re.compile(r"(?<!\w)\((i{1,3}|iv|vi{0,3}|ix|x)\)"), _ROMANS),
    ListStyle("(a)", re.compile(r"(?<!\w)\(([a-h])\)"), _LETTERS),
    ListStyle("(1)", re.compile(r"(?<!\w)\((\d{1,2})\)")),
    ListStyle(
        "First,", re.compile(rf"\b({'|'.join(_ORDINALS)})(?:ly)?,", re.IGNORECASE), _ORDINALS
    ),
    ListStyle("1.", re.compile(r"^[ \t]*(\d{1,2})[.)](?= )", re.MULTILINE)),
    ListStyle(
        "footnote", re.compile(r"^\[?\^?(\d{1,2})\]?:?(?= ?[A-Z\"“h])", re.MULTILINE), (), 20_000
    ),
)
_MOST_LOST = 3
"""Members of a list that are cut in a row, at most; a longer step is another list."""
_STATED = re.compile(
    rf"\b({'|'.join(_NUMBERS[1:])}|[2-9])\s+(?:[a-z][\w-]*\s+){{0,2}}?[a-z]{{3,}}s\b", re.IGNORECASE
)


def _numbering(version: CutVersion) -> Iterator[Leak]:
    """Lists that lack a member, and statements of how many members a list has."""
    for seam in version.seams:
        end = seam.place_end
        for style in _LIST_STYLES:
            lost = set(style.markers(seam.old)) - set(style.markers(seam.new))
            following = style.markers(version.text[end : end + style.reach])[:1]
            for number in sorted(lost):
                if following and number < following[0] <= number + _MOST_LOST:
                    problem = f"{style.name}: {number} is gone, {following[0]} follows"
                    yield Leak(LeakKind.NUMBERING, problem, seam.place, end)
            if lost:
                yield from _stated(version, seam, style)


def _stated(version: CutVersion, seam: Seam, style: ListStyle) -> Iterator[Leak]:
    """Statements, before a list that lost a member, of how many it had."""
    whole, text, end = version.whole.text, version.text, seam.place_end
    had = set(style.markers(whole[max(0, seam.start - _REACH) : seam.end + style.reach]))
    has = set(style.markers(text[max(0, seam.place - _REACH) : end + style.reach]))
    if len(has) >= len(had):
        return
    for match in _STATED.finditer(text, max(0, seam.place - 2 * _REACH), seam.place):
        stated = match[1].lower()
        if len(had) == (int(stated) if stated.isdigit() else _NUMBERS.index(stated) + 1):
            problem = f"{short(match.group())!r} of which {len(has)} are left"
            yield Leak(LeakKind.COUNT, problem, *match.span())


_CAPTION = re.compile(
    r"^[^\w\n]{0,6}(Table|Figure|Fig\.|Algorithm|Listing)\s?(\d{1,2})(?=\s?[:.|])", re.MULTILINE
)


def _captions(version: CutVersion) -> Iterator[Leak]:
    """Captions and headings whose number is gone though a higher one follows."""
    whole = version.whole_as_read
    for series, place in _numbers_lost(*map(_captioned, (whole.text, version.text))):
        yield Leak(LeakKind.NUMBERING, f"{series} is gone, a later one is not", place, place)
    old, new = (_headed(paper) for paper in (whole, version.paper))
    for series, place in _numbers_lost(old, new):
        yield Leak(LeakKind.NUMBERING, f"{series} is gone, a later one is not", place, place)


_Numbered = dict[tuple[str, int], int]
"""Where a name and number stands, such as ``Table `` 3 or ``Section 4.`` 1."""


def _captioned(text: str) -> _Numbered:
    return {(f"{match[1]} ", int(match[2])): match.start() for match in _CAPTION.finditer(text)}


def _headed(paper: Paper) -> _Numbered:
    numbered: _Numbered = {}
    for section in paper.sections:
        printed = section.number or ""
        number = number_of(printed)
        if number:
            parent = "".join(f"{part}." for part in printed.split(".")[:-1])
            numbered[f"Section {parent}", number[-1]] = section.start
    return numbered


def _numbers_lost(old: _Numbered, new: _Numbered) -> Iterator[tuple[str, int]]:
    """Names with numbers that are gone, and where the next one of the name stands."""
    for name, number in sorted(old.keys() - new.keys()):
        later = [
            (other, place)
            for (same, other), place in new.items()
            if same == name and other > number
        ]
        if later:
            yield f"{name}{number}", min(later)[1]


_NO_PARTS = (PlaceKind.LINE, PlaceKind.PAGE, PlaceKind.QUOTE)


def _lost_references(version: CutVersion) -> Iterator[Leak]:
    """Places that the cut paper names and no longer has."""
    known: dict[tuple[PlaceKind, str], bool] = {}
    for mention in mentions(version.text):
        key = mention.kind, mention.first
        if mention.kind in _NO_PARTS or not mention.sure:
            continue
        if key not in known:
            known[key] = target(version.paper, *key) is None and (
                target(version.whole_as_read, *key) is not None
            )
        if known[key]:
            words = version.text[mention.start : mention.end]
            problem = f"{short(words)!r} is named and gone"
            yield Leak(LeakKind.REFERENCE, problem, mention.start, mention.end)


def short(text: str, most: int = _SHOWN) -> str:
    """A text in one line, as messages quote it: of a long one the beginning."""
    words = same_words(text)
    return words if len(words) <= most else f"{words[:most]}.."
