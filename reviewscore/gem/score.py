"""GEM and GEM-S of the reviews of several systems on the same papers."""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal, TypeAlias

from reviewscore.errors import InputError
from reviewscore.files import write_whole
from reviewscore.gem.backgrounds import Evaluators, text_of
from reviewscore.gem.estimator import Gem, Information, mean
from reviewscore.points.sections import sections_of
from reviewscore.schema.review import Review, Role
from reviewscore.sources.spooled import ListView, SpooledList
from reviewscore.sources.system_reviews import PEOPLE, Materials, SystemReview, TextForm
from reviewscore.text.similarity import TextPair

Known: TypeAlias = Literal["nothing", "abstract", "assw", "stand-in"]

_SHOWN = 5
"""Most names of reviewers in a message."""
NO_TEXT = "without text in this form"
NO_OTHER = "without another reviewer's text"
NO_SYNOPSIS = "without a synopsis"
SAME_TEXT = "whose reference is the same text"


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to score.

    Attributes:
        name: As in tables: GEM, GEM-S (abstract), GEM-S (ASSW), GEM-S (stand-in), GEM-raw.
        form: Which text of a review is read.
        known: What both terms are conditioned on. ``abstract``: the paper's abstract; ``assw``:
            that and the strengths and weaknesses its authors state; ``stand-in``: the summary
            section of a review that is neither candidate nor reference.
    """

    name: str
    form: TextForm
    known: Known = "nothing"

    @property
    def conditional(self) -> bool:
        """Whether a synopsis is known (GEM-S)."""
        return self.known != "nothing"


GEM = Variant("GEM", TextForm.JUDGMENTS)
GEM_RAW = Variant("GEM-raw", TextForm.RAW)
GEM_S = {
    "abstract": Variant("GEM-S (abstract)", TextForm.JUDGMENTS, "abstract"),
    "assw": Variant("GEM-S (ASSW)", TextForm.JUDGMENTS, "assw"),
    "stand-in": Variant("GEM-S (stand-in)", TextForm.JUDGMENTS, "stand-in"),
}


@dataclass(frozen=True, slots=True)
class Case:
    """A candidate and what it is scored against.

    Attributes:
        candidate: The review that is scored.
        references: The reviews behind the pairs, in order.
        pairs: One for each reference.
    """

    candidate: SystemReview
    references: tuple[SystemReview, ...]
    pairs: tuple[TextPair, ...]


class Cases:
    """All candidates of all systems with their references, paper by paper.

    References are reviews by people. A person's review is scored against those of the others on
    the same paper.

    Args:
        materials: The reviews.
        variant: How they are scored.
        candidate: Only this reviewer's reviews are the people's candidates, and are no references
            for any system (the paper's own setting, sec. 4.2); else everybody's are.

    Attributes:
        dropped: For each system how many candidates were left out so far, by reason.

    Raises:
        InputError: There is no such candidate.
    """

    def __init__(
        self, materials: Materials, variant: Variant, *, candidate: str | None = None
    ) -> None:
        if candidate is not None:
            _check_reviewer(materials, candidate)
        self._materials, self._variant, self._candidate = materials, variant, candidate
        self.dropped: dict[str, Counter[str]] = {name: Counter() for name in materials.systems()}

    def __iter__(self) -> Iterator[list[Case]]:
        """The cases of each paper; those of one without any are empty."""
        for group in self._materials.papers.values():
            yield list(self._of(list(group)))  # texts are read once

    def _of(self, group: Sequence[SystemReview]) -> Iterator[Case]:
        materials, variant, candidate = self._materials, self._variant, self._candidate
        people = [
            system_review
            for system_review in group
            if system_review.system == PEOPLE and text_of(system_review, variant.form)
        ]
        references = [
            system_review
            for system_review in people
            if candidate is None or system_review.reviewer != candidate
        ]
        for review in group:
            if review.system == PEOPLE and candidate is not None and review.reviewer != candidate:
                continue
            if not text_of(review, variant.form).strip():
                self.dropped[review.system][NO_TEXT] += 1
                continue
            case, reason = _case(review, references, people, materials, variant)
            if case is None:
                self.dropped[review.system][reason] += 1
            else:
                yield case


def _check_reviewer(materials: Materials, name: str) -> None:
    names = {
        review.reviewer for review in materials.all() if review.system == PEOPLE and review.reviewer
    }
    if name not in names:
        known = ", ".join(sorted(names)[:_SHOWN]) or "none with a name"
        raise InputError(f"no reviewer is called '{name}'", cure=f"there are {known}")


def _case(
    review: SystemReview,
    references: Sequence[SystemReview],
    people: Sequence[SystemReview],
    materials: Materials,
    variant: Variant,
) -> tuple[Case | None, str]:
    """A candidate with its references, or why there is none."""
    own = text_of(review, variant.form)
    others = [ref for ref in references if not _same_person(ref, review)]
    if not others:
        return None, NO_OTHER
    others = [ref for ref in others if text_of(ref, variant.form) != own]
    if not others:
        return None, SAME_TEXT
    pairs: list[TextPair] = []
    used: list[SystemReview] = []
    for reference in others:
        synopsis = _synopsis(variant, review, reference, people, materials)
        if synopsis is None and variant.conditional:
            continue
        used.append(reference)
        pairs.append(TextPair(review.paper_id, own, text_of(reference, variant.form), synopsis))
    if not pairs:
        return None, NO_SYNOPSIS
    return Case(review, tuple(used), tuple(pairs)), ""


def _synopsis(
    variant: Variant,
    candidate: SystemReview,
    reference: SystemReview,
    people: Sequence[SystemReview],
    materials: Materials,
) -> str | None:
    """What is known of the paper; None if it is not at hand."""
    if variant.known == "stand-in":
        known = (candidate, reference)
        third = (
            summary_section(review.raw)
            for review in people
            if not any(_same_person(review, other) or review.raw == other.raw for other in known)
        )
        return next(filter(None, third), None)
    row = materials.synopses.get(candidate.paper_id)
    if row is None or not (row.abstract or "").strip():
        return None
    if variant.known == "assw":
        return f"{row.abstract}\n\n{row.assw}" if (row.assw or "").strip() else None
    return row.abstract


def _same_person(review: SystemReview, other: SystemReview) -> bool:
    """Whether two reviews of a paper are one, or by one reviewer (who may have written twice)."""
    if review.system != other.system:
        return False
    return review.review_id == other.review_id or (
        review.reviewer is not None and review.reviewer == other.reviewer
    )


@lru_cache(maxsize=64)  # the reviews of a paper are asked for several times in a row
def summary_section(raw: str) -> str | None:
    """What a review says under a heading for the paper's summary; None if there is none."""
    if not raw.strip():
        return None
    review = Review(review_id="one", paper_id="one", fields={"text": raw})
    parts = [
        raw[section.start : section.end].strip()
        for section in sections_of(review)
        if section.role is Role.SUMMARY
        and "review" not in section.name.lower()  # not "of the review"
    ]
    return "\n".join(filter(None, parts)) or None


def possible(materials: Materials) -> Iterator[Variant]:
    """The variants for which these materials have texts."""
    if any(review.judgments for review in materials.all()):
        yield GEM
        known = list(materials.synopses.values())
        if any((row.abstract or "").strip() for row in known):
            yield GEM_S["abstract"]
            if any((row.assw or "").strip() for row in known):
                yield GEM_S["assw"]
        elif any(review.raw for review in materials.all()):
            yield GEM_S["stand-in"]
    if any(review.raw for review in materials.all()):
        yield GEM_RAW


IN_BACKGROUND = "whose paper is in the background"
UNSCORED = "that the model could not score"
_AT_ONCE = 128
"""Reviews from which on a model is asked; those of a paper are never parted."""


@dataclass(frozen=True, slots=True)
class CandidateScore:
    """One review's score by one variant.

    Attributes:
        variant: Name of the variant.
        paper_id: Paper.
        review_id: The review that was scored.
        system: Who wrote it.
        nats: Mean over its references in nats; None if there is none.
        references: Review and information of each reference.
    """

    variant: str
    paper_id: str
    review_id: str
    system: str
    nats: float | None
    references: tuple[tuple[str, Information], ...]


@dataclass(frozen=True)
class Scores:
    """All scores by one variant.

    Attributes:
        variant: How they were made.
        candidates: One for each review, paper by paper; those of `score_systems` wait on disk.
        dropped: For each system, how many reviews have no score, by reason.
    """

    variant: Variant
    candidates: Sequence[CandidateScore]
    dropped: dict[str, Counter[str]]

    @cached_property
    def _nats(self) -> dict[str, dict[str, array[float]]]:
        """Of each system the scores of each paper's reviews: numbers alone are held."""
        array_groups: dict[str, dict[str, array[float]]] = {}
        for candidate in self.candidates:
            nats = array_groups.setdefault(candidate.system, {}).setdefault(
                candidate.paper_id, array("d")
            )
            if candidate.nats is not None:
                nats.append(candidate.nats)
        return array_groups

    def systems(self) -> list[str]:
        """The systems that have a review, scored or not."""
        return list(dict.fromkeys([*self.dropped, *self._nats]))

    def papers(self) -> set[str]:
        """The papers of all candidates."""
        return {paper for papers in self._nats.values() for paper in papers}

    def by_paper(self, system: str) -> dict[str, float]:
        """Mean over a system's reviews of each paper, in nats."""
        return {
            paper: sum(nats) / len(nats)
            for paper, nats in self._nats.get(system, {}).items()
            if nats
        }


def score_systems(
    materials: Materials,
    variants: Iterable[Variant],
    evaluators: Evaluators,
    *,
    candidate: str | None = None,
) -> list[Scores]:
    """Score every review of every system.

    Args:
        materials: The reviews; those by people are the references too.
        variants: How to score.
        evaluators: Finds the evaluation model for each paper.
        candidate: As in `cases.cases`.

    Returns:
        One for each variant, in order.

    Raises:
        ReviewScoreError: The model as a whole cannot be used.
    """
    return [_scored(materials, variant, evaluators, candidate) for variant in variants]


def _scored(
    materials: Materials, variant: Variant, evaluators: Evaluators, candidate: str | None
) -> Scores:
    cases = Cases(materials, variant, candidate=candidate)
    dropped = cases.dropped
    groups: dict[int, SpooledList[tuple[int, list[Case]]]] = {}
    many = 0
    for members in cases:
        if not members:
            continue
        group = evaluators.group(members[0].candidate.paper_id)
        if group is None:
            for case in members:
                dropped[case.candidate.system][IN_BACKGROUND] += 1
        else:
            groups.setdefault(group, SpooledList()).append((many, members))
            many += len(members)
    scores, places = SpooledList[CandidateScore](), array("q", bytes(8 * many))
    for group in sorted(groups):
        gem = Gem(evaluators.model(variant.form, group), synopsis=variant.conditional)
        for number, score in _of_group(groups.pop(group), gem, variant.name):
            places[number] = scores.append(score)
            if score.nats is None:
                dropped[score.system][UNSCORED] += 1
        del gem  # one model goes before the next is made
    return Scores(variant, ListView(scores, places), dropped)


def _of_group(
    papers: Iterable[tuple[int, list[Case]]], gem: Gem, variant: str
) -> Iterator[tuple[int, CandidateScore]]:
    """Each case's number and score; some papers are asked for at once."""
    batch: list[tuple[int, Case]] = []
    for first, members in papers:
        batch += enumerate(members, first)
        if len(batch) >= _AT_ONCE:
            yield from _of_batch(batch, gem, variant)
            batch = []
    yield from _of_batch(batch, gem, variant)


def _of_batch(
    batch: Sequence[tuple[int, Case]], gem: Gem, variant: str
) -> Iterator[tuple[int, CandidateScore]]:
    pairs: list[TextPair] = [pair for _, case in batch for pair in case.pairs]
    answers = iter(gem.informations(pairs))
    for number, case in batch:
        kept_pairs = tuple((reference.review_id, next(answers)) for reference in case.references)
        yield (
            number,
            CandidateScore(
                variant,
                case.candidate.paper_id,
                case.candidate.review_id,
                case.candidate.system,
                mean(information.nats for _, information in kept_pairs),
                kept_pairs,
            ),
        )


VERB, SCORES = "gem", "scores.jsonl"


def write_scores(scores: Sequence[Scores], out: Path) -> Path:
    """Write every candidate's score, one record a line, into a folder that is there."""
    path = out / SCORES
    write_whole(path, (f"{line}\n".encode() for line in score_lines(scores)))
    return path


def score_lines(scores: Sequence[Scores]) -> Iterator[str]:
    """Every candidate's score as JSON: what each reference says, and why where there is none."""
    for score in scores:
        for candidate in score.candidates:
            record = {
                "variant": candidate.variant,
                "paper_id": candidate.paper_id,
                "review_id": candidate.review_id,
                "system": candidate.system,
                "nats": candidate.nats,
                "references": [
                    {
                        "review_id": review_id,
                        "nats": information.nats,
                        "tokens": information.tokens,
                        **({"reason": information.reason} if information.reason else {}),
                    }
                    for review_id, information in candidate.references
                ],
            }
            yield json.dumps(record, ensure_ascii=False)
