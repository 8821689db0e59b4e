"""GEM and GEM-S of the reviews of several systems on the same papers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reviewscore.gem.backgrounds import Evaluators
from reviewscore.gem.cases import Case, Variant, cases
from reviewscore.gem.estimator import Gem, Information, mean
from reviewscore.likeness.pair import Pair
from reviewscore.sources.written import Materials

IN_BACKGROUND = "whose paper is in the background"
UNSCORED = "that the model could not score"


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
        candidates: One for each review, paper by paper.
        dropped: For each system, how many reviews have no score, by reason.
    """

    variant: Variant
    candidates: list[CandidateScore]
    dropped: dict[str, Counter[str]]

    def by_paper(self, system: str) -> dict[str, float]:
        """Mean over a system's reviews of each paper, in nats."""
        groups: dict[str, list[float]] = {}
        for one in self.candidates:
            if one.system == system and one.nats is not None:
                groups.setdefault(one.paper_id, []).append(one.nats)
        return {paper: sum(group) / len(group) for paper, group in groups.items()}


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
    found, dropped = cases(materials, variant, candidate=candidate)
    groups: dict[int, list[Case]] = {}
    for case in found:
        group = evaluators.group(case.candidate.paper_id)
        if group is None:
            dropped[case.candidate.system][IN_BACKGROUND] += 1
        else:
            groups.setdefault(group, []).append(case)
    scores: dict[str, CandidateScore] = {}
    for group, members in sorted(groups.items()):
        gem = Gem(evaluators.model(variant.form, group), synopsis=variant.conditional)
        for one in _of_group(members, gem, variant.name):
            scores[one.review_id] = one
            if one.nats is None:
                dropped[one.system][UNSCORED] += 1
    order = (case.candidate.review_id for case in found)
    return Scores(variant, [scores[one] for one in order if one in scores], dropped)


def _of_group(members: Sequence[Case], gem: Gem, variant: str) -> Iterable[CandidateScore]:
    pairs: list[Pair] = [pair for case in members for pair in case.pairs]
    answers = iter(gem.informations(pairs))
    for case in members:
        told = tuple((one.review_id, next(answers)) for one in case.references)
        yield CandidateScore(
            variant,
            case.candidate.paper_id,
            case.candidate.review_id,
            case.candidate.system,
            mean(one.nats for _, one in told),
            told,
        )
