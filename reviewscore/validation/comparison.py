"""Two judges on the same planted points: what the second does better, with intervals by paper.

Trials are paired by point, truth and version, so that only what both judged counts. A difference is
the second judge's value less the first one's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
from pydantic import Field, ValidationError

from reviewscore import __version__
from reviewscore.errors import RunFolderError, SettingsError
from reviewscore.files import read_whole
from reviewscore.schema.planted_point import PlantedForm
from reviewscore.schema.record import Record
from reviewscore.stats.estimates import BootstrapPlan, Estimate, PendingEstimate
from reviewscore.stats.metrics import roc_area
from reviewscore.stats.resampling import Clusters, Resampling
from reviewscore.stats.shares import paired_difference, plan_of_papers, share
from reviewscore.stats.statistic import Floats
from reviewscore.stats.tables import Kind
from reviewscore.stats.writing import numbers_name
from reviewscore.validation.figures import (
    AREA,
    DECISIVE,
    OF_MODELS,
    PLACES,
    PlantedGroup,
    PlantedSection,
    PlantedValidation,
    TrialResult,
    by_stratum,
    parted,
    stratum_of,
    with_interval,
)
from reviewscore.validation.judgments import TrialState
from reviewscore.validation.page import VERB, tells_apart

FEWEST = 10
"""Points that a form or place has at least to be compared by itself."""
FIRST, SECOND = "first", "second"
"""Behind a measure's name: the first judge's own value, and the second's."""
_RIGHT = ("both", "only_first", "only_second", "neither", "unknown")
Key: TypeAlias = tuple[str, str, bool]


class ComparedJudge(Record):
    """One of the two judges.

    Attributes:
        place: Name of the folder of its validation.
        judge: The model; of a panel all of them.
        protocol: What it was asked.
        made_with: Sum of its settings and prompts.
        at: When it was validated.
        complete: Whether all was judged.
        changed: Files of records that something else has changed.
        tells_apart: Whether its validation shows that it tells misinformed from fair remarks.
        points: Planted points that it judged in any version.
        usd: What its run has cost; None where it is not known.
    """

    place: str
    judge: str
    protocol: str
    made_with: str
    at: str
    complete: bool
    changed: tuple[str, ...]
    tells_apart: bool
    points: int
    usd: float | None


class RightCounts(Record):
    """How often each judge is right on the same remarks.

    Attributes:
        group: Stratum of the points.
        misinformed: Whether these remarks are misinformed; else they are fair.
        both: Remarks on which both are right.
        only_first: The first alone.
        only_second: The second alone.
        neither: Neither of them.
        unknown: Remarks without a verdict of one of them or of both, in no other count.
    """

    group: str
    misinformed: bool
    both: int
    only_first: int
    only_second: int
    neither: int
    unknown: int


class ValidationComparison(Record):
    """Two validations on the same planted points.

    Attributes:
        reviewscore_version: Version of the program that compared them.
        first: The first judge.
        second: The second judge.
        items_sha256: Sum of the file of planted points of both.
        seed_of_versions: The seed that drew the versions of both.
        trials: Trials that both have.
        points: Planted points that both have.
        papers: Papers that they are about.
        only_first: Planted points that the first judge alone has.
        only_second: Planted points that the second judge alone has.
        other_version: Trials whose point both judged with that truth, in different versions.
        pending: Trials of both that one of them has not judged yet.
        sections: Differences by stratum, form and place; each judge's own values stand beside
            them, under the measure's name with ``_first`` and ``_second``.
        small: Groups of a section that have too few points, by its name.
        right: Who is right, by stratum and truth.
        titles: Headings of the measures, by name.
        kinds: How their differences are printed.
        resamples: Samples of papers drawn for intervals.
        seed: Of these draws.
        level: Of the intervals, 0 to 1.
    """

    schema_id: Literal["reviewscore.compare_validations/1"] = Field(
        default="reviewscore.compare_validations/1", alias="schema"
    )
    reviewscore_version: str = __version__
    first: ComparedJudge
    second: ComparedJudge
    items_sha256: str
    seed_of_versions: int
    trials: int
    points: int
    papers: int
    only_first: int
    only_second: int
    other_version: int
    pending: int
    sections: tuple[PlantedSection, ...]
    small: dict[str, tuple[str, ...]]
    right: tuple[RightCounts, ...]
    titles: dict[str, str]
    kinds: dict[str, Kind]
    resamples: int
    seed: int
    level: float


@dataclass(frozen=True)
class TrialPair:
    """What two judges made of one trial."""

    first: TrialResult
    second: TrialResult

    @property
    def known(self) -> bool:
        """Whether both have a verdict."""
        return self.first.flagged is not None and self.second.flagged is not None

    @property
    def sides(self) -> tuple[TrialResult, TrialResult]:
        """The two."""
        return self.first, self.second


def validations_named(first: Path, second: Path) -> bool:
    """Whether two places are validations; each is a folder of `validate` or its numbers.

    Raises:
        SettingsError: One is, and the other is not.
    """
    files = [_numbers(place) for place in (first, second)]
    if None not in files:
        return True
    if files == [None, None]:
        return False
    yes, no = (first, second) if files[1] is None else (second, first)
    raise SettingsError(
        f"{yes} is a validation and {no} is none: two validations are compared, or two runs; "
        f"run `validate` by the judge of {no} too"
    )


def _numbers(place: Path) -> Path | None:
    """The file of a validation's numbers; None if there is none."""
    file = place / numbers_name(VERB) if place.is_dir() else place
    return file if file.suffix == ".json" and file.is_file() else None


def read_validation(place: Path) -> PlantedValidation:
    """The numbers of a validation.

    Args:
        place: Its folder, or the file in it.

    Raises:
        RunFolderError: The file cannot be read, or is of another version.
    """
    file = _numbers(place)
    content = None if file is None else read_whole(file)
    if content is None:
        raise RunFolderError(f"{place} is no validation; `validate` makes one")
    try:
        return PlantedValidation.model_validate_json(content)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, fault["loc"])) or "the file"
        if where == "schema":
            named = "is no validation with planted points that this version can read"
            raise RunFolderError(f"{file} {named}; labelled sets are not compared") from error
        raise RunFolderError(
            f"{file}: {where}: {fault['msg']}; run the same `validate` command again, which asks "
            "nothing that was asked before"
        ) from error


def compare_validations(first: Path, second: Path, how: Resampling) -> ValidationComparison:
    """Compare two judges on the planted points that both judged.

    Args:
        first: The folder of a validation, or its numbers.
        second: Another.
        how: How intervals are made; papers are drawn whole.

    Raises:
        RunFolderError: A validation cannot be read, or the two contradict each other.
        SettingsError: They cannot be compared: of the embedded judge, of other planted points, with
            another seed, or without a trial that both have.
    """
    ours, theirs = read_validation(first), read_validation(second)
    _check((first, ours), (second, theirs))
    trials = [{_key(one): one for one in made.base_trials} for made in (ours, theirs)]
    shared = [TrialPair(one, trials[1][key]) for key, one in trials[0].items() if key in trials[1]]
    pairs = [
        pair for pair in shared if all(one.state is not TrialState.PENDING for one in pair.sides)
    ]
    items = [{one.item for one in made.base_trials} for made in (ours, theirs)]
    truths = [{(one.item, one.misinformed) for one in made.base_trials} for made in (ours, theirs)]
    matched = {(pair.first.item, pair.first.misinformed) for pair in shared}
    if not pairs:
        raise SettingsError(
            f"{first} and {second} have no trial in common that both have judged; validate both "
            "judges with the same papers and planted points"
        )
    sections, small = _sections(pairs, how)
    kinds: dict[str, Kind] = {one.name: "difference" for one in OF_MODELS}
    return ValidationComparison(
        first=_judge(first, ours),
        second=_judge(second, theirs),
        items_sha256=ours.record.items_sha256,
        seed_of_versions=ours.seed,
        trials=len(pairs),
        points=len({pair.first.item for pair in pairs}),
        papers=len({pair.first.paper_id for pair in pairs}),
        only_first=len(items[0] - items[1]),
        only_second=len(items[1] - items[0]),
        other_version=len((truths[0] & truths[1]) - matched),
        pending=len(shared) - len(pairs),
        sections=sections,
        small=small,
        right=_right(pairs),
        titles={one.name: one.title for one in OF_MODELS} | {AREA: "Area"},
        kinds={**kinds, AREA: "coefficient"},
        resamples=how.resamples,
        seed=how.seed,
        level=how.level,
    )


def _key(trial: TrialResult) -> Key:
    return trial.item, trial.version, trial.misinformed


def _check(first: tuple[Path, PlantedValidation], second: tuple[Path, PlantedValidation]) -> None:
    """Refuse two validations that are not of the same trials by two judges with scores.

    Raises:
        RunFolderError: They contradict each other.
        SettingsError: They cannot be compared.
    """
    (here, ours), (there, theirs) = first, second
    if here.resolve() == there.resolve():
        raise SettingsError(f"{here} is named twice; name two validations")
    for place, made in (first, second):
        if made.embedded:
            raise SettingsError(
                f"{place} is of the embedded judge, which gives no verdict; compare two judges "
                "that do"
            )
    if ours.record.items_sha256 != theirs.record.items_sha256:
        raise SettingsError(
            f"{here} and {there} were made with other planted points (sums of the files "
            f"{ours.record.items_sha256[:16]} and {theirs.record.items_sha256[:16]}); run "
            "`validate` with the same --items for both"
        )
    if ours.seed != theirs.seed:
        raise SettingsError(
            f"{here} was made with --seed {ours.seed} and {there} with --seed {theirs.seed}: the "
            "seed draws the versions of papers, so the two judged other texts; run `validate` "
            f"with --seed {ours.seed} for both"
        )
    papers = [{one.paper_id for one in made.base_trials} for made in (ours, theirs)]
    if papers[0].isdisjoint(papers[1]):
        raise SettingsError(
            f"{here} and {there} share no paper; run `validate` with the same PAPERS for both"
        )
    known = {(one.item, one.version): one for one in ours.base_trials}
    for one in theirs.base_trials:
        same = known.get((one.item, one.version), one)
        if (same.misinformed, same.paper_id) != (one.misinformed, one.paper_id):
            raise RunFolderError(
                f"'{one.item}' has another truth or paper in {there} than in {here}, in one and "
                "the same version: something else has changed one of them; run `validate` again"
            )


def _judge(place: Path, made: PlantedValidation) -> ComparedJudge:
    return ComparedJudge(
        place=(place if place.is_dir() else place.resolve().parent).resolve().name,
        judge=made.record.judge,
        protocol=made.protocol,
        made_with=made.record.made_with,
        at=made.record.at,
        complete=made.complete,
        changed=made.changed,
        tells_apart=tells_apart(made.sections),
        points=len({one.item for one in made.base_trials if one.state is not TrialState.PENDING}),
        usd=made.usd,
    )


def _sections(
    pairs: Sequence[TrialPair], how: Resampling
) -> tuple[tuple[PlantedSection, ...], dict[str, tuple[str, ...]]]:
    """Differences by stratum, and of the plain stratum by form and place; groups too small."""
    strata, main, with_foreign, which = by_stratum(pairs, lambda pair: stratum_of(pair.first))
    small: dict[str, tuple[str, ...]] = {}

    def section(
        name: str, title: str, groups: Mapping[str, list[TrialPair]], fewest: int
    ) -> PlantedSection:
        enough = {group: rows for group, rows in groups.items() if _points(rows) >= fewest}
        if few := tuple(group for group in groups if group not in enough):
            small[name] = few
        rows = tuple(_group(group, rows, how) for group, rows in enough.items())
        return PlantedSection(name=name, title=title, groups=rows)

    forms = parted(with_foreign, lambda pair: pair.first.form.value, PlantedForm)
    answered = [pair for pair in main if pair.first.place is not None]
    places = parted(answered, lambda pair: str(pair.first.place), PLACES)
    return (
        section("strata", "Planted points", strata, 0),
        section("form", f"By form{which}", forms, FEWEST),
        section("place", f"By where the answer stands{which}", places, FEWEST),
    ), small


def _points(pairs: Iterable[TrialPair]) -> int:
    return len({pair.first.item for pair in pairs})


def _group(name: str, pairs: Sequence[TrialPair], how: Resampling) -> PlantedGroup:
    papers = sorted({pair.first.paper_id for pair in pairs})
    number = {paper: place for place, paper in enumerate(papers)}
    plan = plan_of_papers(len(papers), how)

    def sums(count: Callable[[TrialPair], tuple[int, ...]], columns: int) -> Floats:
        made = np.zeros((len(papers), columns))
        for pair in pairs:
            made[number[pair.first.paper_id]] += count(pair)
        return made.T

    def ask(measure: str, both: Floats) -> dict[str, PendingEstimate]:
        first, second, base = both
        return {
            f"{measure}_{FIRST}": plan.ask(share(measure, first, base)),
            f"{measure}_{SECOND}": plan.ask(share(measure, second, base)),
            measure: plan.ask(paired_difference(measure, first, second, base)),
        }

    slots = ask("sensitivity", sums(_right_of(misinformed=True), 3))
    slots |= ask("specificity", sums(_right_of(misinformed=False), 3))
    slots |= ask("verdicts", sums(_decided, 3))
    quotes = sums(lambda pair: tuple(n for x in pair.sides for n in (x.quotes_right, x.quotes)), 4)
    own = [share(f"quotes_{side}", *quotes[at : at + 2]) for at, side in ((0, FIRST), (2, SECOND))]
    slots["quote_precision_first"], slots["quote_precision_second"] = map(plan.ask, own)
    slots["quote_precision"] = plan.ask(own[1], minus=own[0])
    plan.run()
    estimates = {measure: slot.answer for measure, slot in slots.items()}
    given = quotes[1] + quotes[3]
    estimates["quote_precision"] = with_interval(
        estimates["quote_precision"].model_copy(update={"n": round(float(given.sum()))}),
        int(np.count_nonzero(given)),
    )
    estimates |= _areas(pairs, how)
    return PlantedGroup(group=name, items=_points(pairs), papers=len(papers), estimates=estimates)


def _right_of(*, misinformed: bool) -> Callable[[TrialPair], tuple[int, ...]]:
    """On remarks of a truth: whether each is right, of those on which both have a verdict."""

    def count(pair: TrialPair) -> tuple[int, ...]:
        if pair.first.misinformed is not misinformed or not pair.known:
            return 0, 0, 0
        return (*(int(one.flagged is misinformed) for one in pair.sides), 1)

    return count


def _decided(pair: TrialPair) -> tuple[int, ...]:
    return (*(int(one.state in DECISIVE) for one in pair.sides), 1)


def _areas(pairs: Sequence[TrialPair], how: Resampling) -> dict[str, Estimate]:
    """Each judge's area and their difference, of trials to which both give a score."""
    truth = np.array([float(pair.first.misinformed) for pair in pairs])
    scores = np.array(
        [[np.nan if one.score is None else -float(one.score) for one in x.sides] for x in pairs]
    )
    truth[np.isnan(scores).any(axis=1)] = np.nan
    papers = np.array([pair.first.paper_id for pair in pairs])
    plan = BootstrapPlan(Clusters.by(papers.tolist()), replace(how, scheme="papers"))
    # Of other names, as the two judges' scores are not swapped.
    own = [
        replace(roc_area(truth, scores[:, at]), name=f"{AREA}_{side}")
        for at, side in enumerate((FIRST, SECOND))
    ]
    slots = {statistic.name: plan.ask(statistic) for statistic in own}
    slots[AREA] = plan.ask(own[1], minus=own[0])
    plan.run()
    known = len(set(papers[~np.isnan(truth)].tolist()))
    return {name: with_interval(slot.answer, known) for name, slot in slots.items()}


def _right(pairs: Sequence[TrialPair]) -> tuple[RightCounts, ...]:
    """Who is right on misinformed and on fair remarks, by stratum."""
    strata, *_ = by_stratum(pairs, lambda pair: stratum_of(pair.first))
    made = []
    for group, rows in strata.items():
        for misinformed in (True, False):
            counts = dict.fromkeys(_RIGHT, 0)
            for pair in rows:
                if pair.first.misinformed is misinformed:
                    counts[_who(pair)] += 1
            made.append(RightCounts(group=group, misinformed=misinformed, **counts))
    return tuple(made)


def _who(pair: TrialPair) -> str:
    if not pair.known:
        return "unknown"
    first, second = (one.flagged is one.misinformed for one in pair.sides)
    if first:
        return "both" if second else "only_first"
    return "only_second" if second else "neither"
