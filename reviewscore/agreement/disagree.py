"""Where people and a judge differ, and what may lie behind it.

Kinds follow figure 3 of the ReviewScore paper (arXiv 2509.21679, sec. 4.4). They are guesses by
rules, to be checked by a person: `sheet_rows` gives a sheet for that. What no rule explains is a
misunderstanding or wrong reasoning until somebody has looked.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from itertools import product

import numpy as np

from reviewscore.agreement.human_labels import HumanLabels
from reviewscore.agreement.judge_scores import JudgeScores, value_laden
from reviewscore.agreement.tables import LabelsAndScores
from reviewscore.schema.annotation import LabelField
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.record import Record
from reviewscore.schema.review import PointType
from reviewscore.stats.metrics import rounded

LONG = 1.5
"""A rationale this many times the usual length may be over-thinking (paper, footnote 10)."""
_APART = 1 - 1e-9
"""From here on scores differ by one: 4.6 less 3.6 is a little less."""
_UNSEEN = re.compile(
    r"\b(?:appendix|appendices|supplement\w*|figures?|tables?|equations?)\b[^.]{0,60}?\b(?:is|are|was"
    r"|were)? ?(?:not|n't|n’t|missing|unavailable|absent|cut off|truncated|garbled|unreadable)\b"
    r"|\b(?:not|n't|n’t) (?:provided|included|given|shown|visible|available|part of)\b[^.]{0,60}?"
    r"\b(?:appendix|appendices|supplement\w*|figures?|tables?|text|excerpt)\b",
    re.IGNORECASE,
)
"""Words of a judge that did not get to see a part of the paper."""
_PART = re.compile(
    r"\b(appendix|section|table|figure|fig\.|sec\.|equation|eq\.)\s*\(?([A-Z]\b|[A-Z]?\.?\d+(?:\.\d+)*)",
    re.IGNORECASE,
)
_REASONED = (LabelField.UNANSWERABILITY, LabelField.FACTUALITY, LabelField.STANDING)
_IN_FULL = {"fig": "figure", "sec": "section", "eq": "equation"}


class DisagreementKind(StrEnum):
    """What may lie behind a disagreement."""

    MINORITY = "minority human score"
    MINORITY_READER = "minority score of a reader"
    VALUE_LADEN = "value-laden claim"
    NO_EVIDENCE = "missing evidence"
    OVERTHINKING = "long justification"
    UNPARSED = "part of the paper not parsed"
    OTHER = "to be looked at"


class Disagreement(Record):
    """One point on which people and a judge differ.

    Attributes:
        judge: The judge.
        unit_id: The point.
        type: By the labels.
        label: The score by the labels, 1..5, not rounded.
        human: The same where all labels are people's; else None.
        score: The judge's.
        difference: The judge's less people's.
        flips: Whether one side calls it misinformed and the other does not.
        labels: What each annotator said.
        kinds: What may lie behind it, the likeliest first.
        text: The point.
        rationale: The judge's.
        justifications: The annotators'.
    """

    judge: str
    unit_id: str
    type: PointType | None
    label: float
    human: float | None
    score: float
    difference: float
    flips: bool | None
    labels: dict[str, float]
    kinds: tuple[DisagreementKind, ...]
    text: str
    rationale: str
    justifications: dict[str, str]


def disagreements(
    compared: LabelsAndScores,
    judge: JudgeScores,
    *,
    paper_text: Callable[[str], str | None] | None = None,
) -> list[Disagreement]:
    """The points on which people's and the judge's scores differ by one or more, widest first.

    Points on the two sides of "misinformed" are among them, however near their scores.

    Args:
        compared: People and judges.
        judge: One of the judges.
        paper_text: The parsed text of a paper, where it is at hand: shows whether a part that
            people point at is missing from it.
    """
    human, flags = compared.people.advanced, compared.people.flags
    own = compared.people.each[0]
    usual = _usual_length(compared.judges)
    found = []
    for row, point in enumerate(judge.scores):
        gap = judge.advanced[row] - human[row]
        flip = bool(abs(judge.flags[row] - flags[row]) == 1)
        known = not (np.isnan(judge.flags[row]) or np.isnan(flags[row]))
        if point is None or np.isnan(gap) or (abs(gap) < _APART and not flip):
            continue
        text = paper_text(point.paper_id) if paper_text is not None else None
        found.append(
            Disagreement(
                judge=judge.name,
                unit_id=compared.people.points[row].unit_id,
                type=compared.people.types[row],
                label=float(human[row]),
                human=float(human[row]) if compared.people.by_people else None,
                score=float(judge.advanced[row]),
                difference=float(gap),
                flips=flip if known else None,
                labels={
                    name: float(score)
                    for name, score in zip(compared.people.annotators, own[row], strict=True)
                    if not np.isnan(score)
                },
                kinds=_kinds(compared, judge, row, usual, text),
                text=point.text,
                rationale=_rationale(point),
                justifications=_justifications(compared.people, row),
            )
        )
    return sorted(
        found, key=lambda disagreement: -abs(disagreement.difference)
    )  # else as in the reviews


def _kinds(
    compared: LabelsAndScores,
    judge: JudgeScores,
    row: int,
    usual: dict[int, float],
    text: str | None,
) -> tuple[DisagreementKind, ...]:
    point = judge.scores[row]
    assert point is not None
    people = compared.people
    own = people.each[0][row]
    claim = people.types[row] is PointType.CLAIM
    long = row in usual and len(_rationale(point)) >= LONG * usual[row]
    minority = DisagreementKind.MINORITY if people.by_people else DisagreementKind.MINORITY_READER
    signs = {
        minority: rounded(judge.advanced[row]) in rounded(own[~np.isnan(own)]),
        DisagreementKind.VALUE_LADEN: claim and value_laden(point.text),
        DisagreementKind.UNPARSED: _unparsed(point, people, row, text),
        DisagreementKind.NO_EVIDENCE: not any(evidence.verified for evidence in point.evidence),
        DisagreementKind.OVERTHINKING: long,
    }
    return tuple(kind for kind, there in signs.items() if there) or (DisagreementKind.OTHER,)


def _unparsed(point: PointScore, people: HumanLabels, row: int, text: str | None) -> bool:
    """Whether a part that the judge misses, or that people cite, is not in the parsed paper."""
    if _UNSEEN.search(_rationale(point)):
        return True
    if text is None:
        return False
    there = set(_parts(text))
    cited = (part for words in _justifications(people, row).values() for part in _parts(words))
    # Sections stand in the text by their heading alone, so only captioned parts are looked for.
    return any(part not in there for part in cited if part[0] in ("table", "figure", "appendix"))


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """Parts of a paper that a text names: what it is, and its number."""
    for match in _PART.finditer(text):
        name = match[1].lower().rstrip(".")
        yield _IN_FULL.get(name, name), match[2].upper()


def _usual_length(judges: Sequence[JudgeScores]) -> dict[int, float]:
    """Median length of the judges' rationales of each point; of one judge, over all its points."""
    lengths: dict[int, list[int]] = {}
    for judge in judges:
        for row, point in enumerate(judge.scores):
            if point is not None and _rationale(point):
                lengths.setdefault(row, []).append(len(_rationale(point)))
    if len(judges) > 1:
        return {row: statistics.median(numbers) for row, numbers in lengths.items()}
    every = [length[0] for length in lengths.values()]
    return dict.fromkeys(lengths, statistics.median(every)) if every else {}


def _rationale(point: PointScore) -> str:
    """Why the judge scored so: of the point, and of the premises that decide it."""
    parts = [] if point.verdict is None else [point.verdict.rationale]
    argument = point.deciding_argument
    for premise in () if argument is None else argument.premises:
        if premise.verdict is not None:
            parts.append(f"{premise.premise_id}: {premise.verdict.rationale}")
    parts += [look.rationale for look in point.looks]
    return "\n".join(part for part in parts if part)


def _justifications(people: HumanLabels, row: int) -> dict[str, str]:
    units = [people.points[row].unit_id]
    units += [people.premises[premise].unit_id for premise in people.premises_of[row]]
    words: dict[str, list[str]] = {}
    for unit, name, field in product(units, people.annotators, _REASONED):
        if reason := people.reasons.get((unit, name, field)):
            words.setdefault(name, []).append(reason)
    return {name: " ".join(reasons) for name, reasons in words.items()}


SHEET = ("judge", "unit_id", "type", "human", "score", "difference", "flips", "labels",
         "kinds_by_rule", "kind_by_hand", "text", "rationale", "justifications")  # fmt: skip
"""Columns of the sheet; ``kind_by_hand`` is to be filled in."""


def sheet_columns(people: HumanLabels) -> tuple[str, ...]:
    """The columns of the sheet; what is not people's score is not called human."""
    return SHEET if people.by_people else tuple("label" if c == "human" else c for c in SHEET)


def sheet_rows(found: Sequence[Disagreement]) -> list[list[str]]:
    """The disagreements as rows of a sheet in which a person settles their kinds."""
    return [
        [
            disagreement.judge,
            disagreement.unit_id,
            disagreement.type.value if disagreement.type else "",
            f"{disagreement.label:g}",
            f"{disagreement.score:g}",
            f"{disagreement.difference:g}",
            {True: "yes", False: "no", None: ""}[disagreement.flips],
            "; ".join(f"{name} {score:g}" for name, score in disagreement.labels.items()),
            "; ".join(kind.value for kind in disagreement.kinds),
            "",
            disagreement.text,
            disagreement.rationale,
            " / ".join(f"{name}: {words}" for name, words in disagreement.justifications.items()),
        ]
        for disagreement in found
    ]
