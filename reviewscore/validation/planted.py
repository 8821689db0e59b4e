"""Planted points: read from a file, and cut out of the text of their paper without a trace.

A cut closes up behind itself: of the white space that an edit leaves on its two sides one stretch
stays, the one with more line ends; paragraphs that are wrapped at a width are filled again from
there on, rows of padded tables are padded again, and of the rules around an emptied page one stays.
Nothing else of the text changes, and every offset of the text before can be looked up in the text
after.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from pydantic import ValidationError

from reviewscore.errors import InputError
from reviewscore.files import hash_text
from reviewscore.papers.offsets import MappedText
from reviewscore.schema.marks import MarkedPassage, sum_of_words
from reviewscore.schema.planted_point import PlantedPoint, TextEdit
from reviewscore.sources.annotations import fault_words, is_pseudonym
from reviewscore.sources.records import RecordFile, RecordRow, also_on
from reviewscore.validation.wrapping import padded_anew, wrapped_anew

_CURE = "annotations/README.md tells the format"
_STOPS, _BRACKETS = frozenset(",.;:!?)]"), frozenset("([")
_PAGE_RULE = re.compile(r"^-{3,}$", re.MULTILINE)
"""What some converters set between pages."""


@dataclass(frozen=True)
class PlantedPoints:
    """Planted points of a file.

    Attributes:
        points: All that can be used, in the order of the file.
        faults: Lines that were left out, each with file, line, field and cure.
    """

    points: tuple[PlantedPoint, ...]
    faults: tuple[InputError, ...] = ()

    def of_paper(self, paper_id: str) -> tuple[PlantedPoint, ...]:
        """The points about one paper."""
        return tuple(point for point in self.points if point.paper_id == paper_id)


def read_planted(file: Path) -> PlantedPoints:
    """Planted points, one object a line; a line that cannot be used ends nothing.

    Args:
        file: JSONL, or whatever else records are read from.

    Raises:
        InputError: The file cannot be read, or holds no line.
    """
    points: dict[str, PlantedPoint] = {}
    lines: dict[str, int] = {}
    faults: list[InputError] = []
    for row in RecordFile.of(file).rows():
        try:
            point = _point(row, file)
            if point.id in points:
                cure = "keep one of the two, or rename it"
                first = lines[point.id]
                raise also_on(point.id, first, file=file, line=row.line, field="id", cure=cure)
        except InputError as error:
            faults.append(error)
        else:
            points[point.id], lines[point.id] = point, row.line
    if not points and not faults:
        raise InputError("holds no planted point", file=file, cure="write one a line")
    return PlantedPoints(tuple(points.values()), tuple(faults))


def _point(row: RecordRow, file: Path) -> PlantedPoint:
    try:
        point = PlantedPoint.model_validate_json(json.dumps(row.value))
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        name = ".".join(str(part) for part in fault["loc"]) or None
        problem = fault["msg"].removeprefix("Value error, ")
        if fault["type"] != "value_error":
            problem = fault_words(problem, fault["input"])
        raise InputError(problem, file=file, line=row.line, field=name, cure=_CURE) from error
    also = point.also_confirmed
    who = {
        "writer": point.writer,
        "verifier": point.verifier,
        "also_confirmed.verifier": None if also is None else also.verifier,
    }
    for name, given in who.items():
        if given is not None and not is_pseudonym(given):
            problem, cure = f"'{given}' is no pseudonym", "use one with a number, such as W1"
            raise InputError(problem, file=file, line=row.line, field=name, cure=cure)
    return point


def check_text(text: str, point: PlantedPoint) -> None:
    """Check that a text is the one in which a point has its offsets.

    Raises:
        InputError: It is another, or shorter than the point's offsets.
    """
    if hash_text("paper", text).sha256 != point.paper_text_sha256:
        raise InputError(
            f"the text of paper '{point.paper_id}' is not the one that '{point.id}' was made for",
            field="paper_text_sha256",
            cure="read the paper from the same data, with the version of the set",
        )
    ends = [edit.copied.end for edit in point.edits if edit.copied]
    ends += [edit.end for edit in point.edits] + [passage.end for passage in point.passages]
    last = max(ends, default=0)
    if last > len(text):
        raise InputError(
            f"'{point.id}' speaks of offset {last:,} in a text of {len(text):,} characters",
            field="cuts",
            cure="correct the offset",
        )


def cut(text: str, point: PlantedPoint) -> str:
    """A paper's text without what answers a planted point; `cut_mapped` tells where things went."""
    return cut_mapped(text, point).text


def cut_mapped(text: str, point: PlantedPoint) -> MappedText:
    """A paper's text with the cuts and decoys of a point made, and the way back.

    Args:
        text: The paper's text as it is read.
        point: The planted point.

    Raises:
        InputError: As `check_text`.
    """
    check_text(text, point)
    return cut_out(text, point.edits)


def cut_out(text: str, edits: Sequence[TextEdit]) -> MappedText:
    """A text with edits made: closed up, wrapped lines filled again, and table rows padded.

    Args:
        text: The text.
        edits: In order and apart.
    """
    made = list(seams(text, edits))
    places, shift = [], 0
    for start, end, new in made:
        places += [start + shift, start + shift + len(new)]
        shift += len(new) - (end - start)
    mapped = MappedText(text).replaced(made)
    mapped = mapped.replaced(wrapped_anew(mapped.text, places))
    return mapped.replaced(padded_anew(mapped.text, places))


def found_again(passage: MarkedPassage, mapped: MappedText) -> tuple[int, int] | None:
    """Where a passage stands after a cut; None where the cut took a part of it.

    Args:
        passage: A passage with its offsets in the text before the cut.
        mapped: The text after it (`cut_mapped`).
    """
    start, end = mapped.place_of(passage.start), mapped.place_of(passage.end - 1) + 1
    kept = sum_of_words(mapped.text[start:end]) == passage.sha256
    return (start, end) if kept else None


def words_in(text: str, edit: TextEdit) -> str:
    """What an edit puts in place of what it takes."""
    return text[edit.copied.start : edit.copied.end] if edit.copied else edit.insert


def seams(text: str, edits: Sequence[TextEdit]) -> Iterator[tuple[int, int, str]]:
    """Start, end and new text of each stretch that changes, in order and apart.

    Edits with nothing but white space between them are closed together; of two rules between which
    a page is emptied, only the first stays.

    Args:
        text: The text before.
        edits: In order and apart.
    """
    group: list[TextEdit] = []
    emptied = _rules_of_emptied_pages(text, edits)
    for edit in sorted((*edits, *emptied), key=lambda edit: edit.start):
        if group and text[group[-1].end : edit.start].strip():
            yield _closed(text, group)
            group = []
        group.append(edit)
    if group:
        yield _closed(text, group)


def _rules_of_emptied_pages(text: str, edits: Sequence[TextEdit]) -> Iterator[TextEdit]:
    """Edits that take the rule below each page of which nothing is left."""
    for above, below in pairwise(_PAGE_RULE.finditer(text)):
        within = [edit for edit in edits if above.end() <= edit.start and edit.end <= below.start()]
        ends = [above.end(), *(edit.end for edit in within)]
        starts = [*(edit.start for edit in within), below.start()]
        left = [text[low:high] for low, high in zip(ends, starts, strict=True)]
        left += [words_in(text, edit) for edit in within]
        if within and not "".join(left).strip():
            yield TextEdit(start=below.start(), end=below.end())


def _closed(text: str, group: Sequence[TextEdit]) -> tuple[int, int, str]:
    """The seam of edits that stand side by side."""
    first, last = group[0], group[-1]
    start = len(text[: _inner_start(text, first)].rstrip())
    end = len(text) - len(text[_inner_end(text, last) :].lstrip())
    before, after = text[start : _inner_start(text, first)], text[_inner_end(text, last) : end]
    blanks, words = [before], []
    for place, edit in enumerate(group):
        new = words_in(text, edit)
        core = new.strip()
        lead = new[: len(new) - len(new.lstrip())]
        blanks[-1] = _longer(blanks[-1], lead)
        gap = text[edit.end : group[place + 1].start] if edit is not last else after
        if core:
            words.append(core)
            blanks.append(_longer(gap, new[len(new.rstrip()) :]))
        else:
            blanks[-1] = _longer(blanks[-1], gap)
    if start == 0:
        blanks[0] = before
    if end == len(text):
        blanks[-1] = after
    around = [text[max(0, start - 1) : start], *words, text[end : end + 1]]
    for place, (left, right) in enumerate(pairwise(around)):
        # The paper's own blank before a stop or behind a bracket is its style and stays.
        stops = right[:1] in _STOPS and not (after and place == len(words))
        opens = left[-1:] in _BRACKETS and not (before and place == 0)
        if (stops or opens) and "\n" not in blanks[place]:
            blanks[place] = ""
    new = "".join(map("".join, zip(blanks, [*words, ""], strict=True)))
    return _trimmed(text, start, end, new)


def _inner_start(text: str, edit: TextEdit) -> int:
    """Where the words begin that an edit takes; white space alone is taken as it is."""
    words = text[edit.start : edit.end]
    return edit.start + (len(words) - len(words.lstrip()) if words.strip() else 0)


def _inner_end(text: str, edit: TextEdit) -> int:
    words = text[edit.start : edit.end]
    return edit.end - (len(words) - len(words.rstrip()) if words.strip() else 0)


def _longer(left: str, right: str) -> str:
    """Of two stretches of white space the one that parts more."""
    return max(left, right, key=lambda blank: (blank.count("\n"), len(blank)))


def _trimmed(text: str, start: int, end: int, new: str) -> tuple[int, int, str]:
    """A seam without the white space at its two ends that stays as it was."""
    most = min(len(new), end - start)
    head = 0
    while head < most and new[head] == text[start + head] and new[head].isspace():
        head += 1
    tail = 0
    while (
        tail < most - head and new[-1 - tail] == text[end - 1 - tail] and new[-1 - tail].isspace()
    ):
        tail += 1
    return start + head, end - tail, new[head : len(new) - tail]
