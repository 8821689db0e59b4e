"""Validation of metrics on given reviews: the papers, candidates, references, and all tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from reviewscore.errors import InputError
from reviewscore.gem.alterations.alteration import Case, Described, Kind, with_others
from reviewscore.gem.alterations.catalogue import ALTERATIONS, LADDER
from reviewscore.gem.backgrounds import Evaluators
from reviewscore.gem.cases import Cases, Variant, summary_section
from reviewscore.gem.discrimination import Step, areas, ladder_of
from reviewscore.gem.estimator import Gem
from reviewscore.gem.evaluation import EvaluationModel
from reviewscore.gem.scored import Scored
from reviewscore.gem.validation import AlteredSet, Subject, Validation, altered_set, validate
from reviewscore.gem.validation_tables import (
    area_table,
    differences,
    intervals,
    ladder_table,
    numbers,
)
from reviewscore.sources.written import PEOPLE, Form, Materials
from reviewscore.stats.resampling import Resampling
from reviewscore.stats.tables import Table
from reviewscore.text.similarity import Metric, Pair

ROUNDS = 10
"""Derangements over which the area of matched against mismatched is averaged."""


class GemOfPapers:
    """GEM or GEM-S with the evaluation model of each pair's paper, as a metric.

    Args:
        evaluators: Finds the model.
        form: Text that is scored.
        synopsis: Condition on the pairs' synopses.
        name: As in tables.
    """

    def __init__(self, evaluators: Evaluators, form: Form, *, synopsis: bool, name: str) -> None:
        self.name = name
        self._evaluators, self._form, self._synopsis = evaluators, form, synopsis
        self._models: dict[int, EvaluationModel] = {}

    def scored(self, pairs: Sequence[Pair]) -> list[Scored]:
        """Nats of each pair, in order, or why there is no number."""
        out = [Scored(None, "the paper is in the background")] * len(pairs)
        groups: dict[int, list[int]] = {}
        for place, pair in enumerate(pairs):
            group = self._evaluators.group(pair.paper_id)
            if group is not None:
                groups.setdefault(group, []).append(place)
        for group, places in groups.items():
            if group not in self._models:
                self._models[group] = self._evaluators.model(self._form, group)
            gem = Gem(self._models[group], synopsis=self._synopsis)
            found = gem.scored([pairs[place] for place in places])
            for place, one in zip(places, found, strict=True):
                out[place] = one
        return out

    def scores(self, pairs: Sequence[Pair]) -> list[float | None]:
        """Nats of each pair, in order; None where there is no number."""
        return [one.value for one in self.scored(pairs)]


@dataclass(frozen=True)
class Trial:
    """What a validation found.

    Attributes:
        validation: What alterations do to metrics.
        tables: All tables, the overview first.
        steps: The ladder's steps, by metric.
        notes: What a reader must know.
    """

    validation: Validation
    tables: list[Table]
    steps: Mapping[str, list[Step]]
    notes: list[str] = field(default_factory=list)


def subjects_of(
    materials: Materials,
    variant: Variant,
    evaluators: Evaluators,
    *,
    candidate: str | None = None,
    limit: int | None = None,
    seed: int = 0,
) -> list[Subject]:
    """One candidate of each paper by a person, with its references and synopses.

    Only papers of one group are taken, and none that a model has learned from: another paper's
    review is put in a candidate's place, and the model may have seen neither.

    Args:
        materials: The reviews.
        variant: Which text is read, and what is known of a paper.
        evaluators: Finds the evaluation models.
        candidate: The reviewer whose reviews are candidates; each paper's first if not given.
        limit: Most papers, the first ones; all if not given.
        seed: Of the other paper that each is paired with.

    Raises:
        InputError: There are fewer than two papers with a candidate and a reference.
    """
    first: dict[str, Subject] = {}
    for one in chain.from_iterable(Cases(materials, variant, candidate=candidate)):
        if limit is not None and len(first) >= limit:
            break
        paper_id = one.candidate.paper_id
        seen = evaluators.group(paper_id) != 0  # by the model, or scored by another one
        if one.candidate.system != PEOPLE or paper_id in first or seen:
            continue
        synopses = tuple(pair.synopsis for pair in one.pairs)
        known = synopses[0] or summary_section(one.candidate.raw)
        case = Case(paper_id, one.pairs[0].candidate, variant.form, known)
        references = tuple(pair.reference for pair in one.pairs)
        row = materials.synopses.get(paper_id)
        text = row.text if row is not None else None
        first[paper_id] = Subject(case, references, text, synopses if any(synopses) else ())
    chosen = list(first.values())
    if len(chosen) < 2:  # noqa: PLR2004 - a paper and another one
        raise InputError(
            f"{len(chosen)} papers have a candidate and a reference; two are the least",
            cure="give more papers, or another --candidate",
        )
    altered = with_others([one.case for one in chosen], seed=seed)
    return [replace(one, case=case) for one, case in zip(chosen, altered, strict=True)]


def trial(
    metrics: Sequence[Metric],
    subjects: Sequence[Subject],
    *,
    more: Sequence[AlteredSet] = (),
    resampling: Resampling,
    seed: int = 0,
    say: Callable[[str], None] = lambda _: None,
) -> Trial:
    """Put metrics to every test.

    Args:
        metrics: What is validated.
        subjects: One for each paper.
        more: Candidates altered by a model.
        resampling: How intervals are made.
        seed: Of alterations and derangements.
        say: Told what goes on.
    """
    own = [altered_set(one, subjects, seed=seed) for one in (*ALTERATIONS, *LADDER)]
    say(f"{len(own) + len(more)} alterations of {len(subjects):,} candidates")
    validation = validate(metrics, subjects, [*own, *more], resampling=resampling)
    say(f"matched against mismatched, {ROUNDS} derangements")
    told = areas(metrics, subjects, seed=seed, rounds=ROUNDS, resampling=resampling)
    names = [one.name for one in LADDER]
    steps = {metric.name: ladder_of(validation, metric.name, names) for metric in metrics}
    shown = [one.alteration for one in more] + list(ALTERATIONS)
    tables = [
        differences(validation, shown),
        *_by_kind(validation, shown),
        area_table(told),
        ladder_table(steps),
        numbers(validation),
    ]
    return Trial(validation, tables, steps, list(_unchanged(subjects, [*own, *more])))


def _unchanged(subjects: Sequence[Subject], sets: Sequence[AlteredSet]) -> Iterator[str]:
    """Which alterations leave how many candidates as they are, whether or not they are scored."""
    for altered in sets:
        count = sum(
            bool(candidates) and all(one.text == subject.case.candidate for one in candidates)
            for subject, candidates in zip(subjects, altered.candidates, strict=True)
        )
        if count and altered.alteration is not LADDER[0]:
            name = altered.alteration.name
            yield f"{name}: leaves {count:,} of {len(subjects):,} candidates as they are"


def _by_kind(validation: Validation, shown: Sequence[Described]) -> list[Table]:
    """One table with intervals for each kind of alteration."""
    titles = {
        Kind.DEGRADATION: "Degradations, d with intervals (as table 4 of arXiv 2411.07228)",
        Kind.MANIPULATION: "Manipulations, d with intervals (as table 5 of arXiv 2411.07228)",
        Kind.ATTACK: "Attacks, d with intervals",
    }
    found = []
    for kind, title in titles.items():
        columns = [one for one in shown if one.kind is kind]
        if columns:
            found.append(intervals(validation, columns, name=f"gem-{kind.value}s", title=title))
    return found
