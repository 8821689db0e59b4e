"""GEM and GEM-S of the reviews of several systems on the same papers."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from reviewscore.gem.backgrounds import Evaluators
from reviewscore.gem.cases import Case, Cases, Variant
from reviewscore.gem.estimator import Gem, Information, mean
from reviewscore.sources.shelved import Chosen, Shelved
from reviewscore.sources.written import Materials
from reviewscore.text.similarity import Pair

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
        found: dict[str, dict[str, array[float]]] = {}
        for one in self.candidates:
            nats = found.setdefault(one.system, {}).setdefault(one.paper_id, array("d"))
            if one.nats is not None:
                nats.append(one.nats)
        return found

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
    found = Cases(materials, variant, candidate=candidate)
    dropped = found.dropped
    groups: dict[int, Shelved[tuple[int, list[Case]]]] = {}
    many = 0
    for members in found:
        if not members:
            continue
        group = evaluators.group(members[0].candidate.paper_id)
        if group is None:
            for case in members:
                dropped[case.candidate.system][IN_BACKGROUND] += 1
        else:
            groups.setdefault(group, Shelved()).append((many, members))
            many += len(members)
    scores, places = Shelved[CandidateScore](), array("q", bytes(8 * many))
    for group in sorted(groups):
        gem = Gem(evaluators.model(variant.form, group), synopsis=variant.conditional)
        for number, one in _of_group(groups.pop(group), gem, variant.name):
            places[number] = scores.append(one)
            if one.nats is None:
                dropped[one.system][UNSCORED] += 1
        del gem  # one model goes before the next is made
    return Scores(variant, Chosen(scores, places), dropped)


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
    pairs: list[Pair] = [pair for _, case in batch for pair in case.pairs]
    answers = iter(gem.informations(pairs))
    for number, case in batch:
        told = tuple((one.review_id, next(answers)) for one in case.references)
        yield (
            number,
            CandidateScore(
                variant,
                case.candidate.paper_id,
                case.candidate.review_id,
                case.candidate.system,
                mean(one.nats for _, one in told),
                told,
            ),
        )
