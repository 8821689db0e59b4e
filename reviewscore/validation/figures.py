"""What judgments of planted points say of a judge: all numbers of a validation, with intervals.

Truth is planted, so that shares of right judgments need no labels. Unknown is no verdict: it is
counted apart, and a share is of trials that have a verdict. Papers are resampled.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

import numpy as np
from pydantic import Field

from reviewscore import __version__
from reviewscore.schema.planted_point import PlantedForm, PlantedPoint, Stratum
from reviewscore.schema.point_label import PassagePlace
from reviewscore.schema.record import Record
from reviewscore.schema.validation import ValidationRecord, WrittenItems
from reviewscore.stats.estimates import BootstrapPlan, Estimate
from reviewscore.stats.metrics import roc_area
from reviewscore.stats.resampling import Clusters, Resampling
from reviewscore.stats.shares import ONE_PAPER, paired_difference, plan_of_papers, share
from reviewscore.stats.statistic import Floats, Statistic
from reviewscore.stats.tables import Kind
from reviewscore.validation.families import Families
from reviewscore.validation.judgments import JudgedTrial, TrialState
from reviewscore.validation.reliability import Reliability, probability_of
from reviewscore.validation.robustness import VariationRow
from reviewscore.validation.variations import Variation

LENGTHS = ((40_000, "up to 40,000 characters"), (80_000, "up to 80,000 characters"))
"""Lengths of papers by which figures are parted."""
LONGER = "longer"
FIRST = (1, 3, 5)
"""Of how many passages of the embedded judge it is said whether they hold the answer."""
ANOTHER_PAPER = "about another paper"
PLACES = (
    PassagePlace.MAIN,
    PassagePlace.CAPTION,
    PassagePlace.TABLE,
    PassagePlace.FOOTNOTE,
    PassagePlace.APPENDIX,
    PassagePlace.CHECKLIST,
)
"""Where an answer is looked for first, where it stands in several places."""
STILL = "every resample has the same value, so that there is no interval"
DECISIVE = (TrialState.VERDICT, TrialState.FINDING)
T = TypeVar("T")


@dataclass(frozen=True)
class TrialMeasure:
    """A share of trials, or of what they give.

    Attributes:
        name: Such as ``sensitivity``.
        title: What it is called in a table.
        meaning: Its definition.
        count: Of a trial how many there are, and among how many.
    """

    name: str
    title: str
    meaning: str
    count: Callable[[JudgedTrial], tuple[int, int]]


def _of_flags(*, misinformed: bool, flagged: bool) -> Callable[[JudgedTrial], tuple[int, int]]:
    """How often trials of a truth are flagged, or are not, of those with a verdict or finding."""

    def count(judged: JudgedTrial) -> tuple[int, int]:
        if judged.trial.misinformed is not misinformed or judged.flagged is None:
            return 0, 0
        return int(judged.flagged is flagged), 1

    return count


def _quotes(judged: JudgedTrial) -> tuple[int, int]:
    if not (judged.flagged and judged.trial.answers):
        return 0, 0
    given, right = judged.quotes
    return right, given


def _among(first: int) -> Callable[[JudgedTrial], tuple[int, int]]:
    def count(judged: JudgedTrial) -> tuple[int, int]:
        sought = judged.trial.answers
        if not sought or judged.state not in (TrialState.FINDING, TrialState.NO_POINT):
            return 0, 0
        return int(judged.shown_among(first)), 1

    return count


OF_MODELS = (
    TrialMeasure("sensitivity", "Misinformed remarks flagged",
                 "sensitivity: of planted misinformed remarks with a verdict, those judged "
                 "misinformed", _of_flags(misinformed=True, flagged=True)),
    TrialMeasure("specificity", "Fair remarks not flagged",
                 "specificity: of planted fair remarks with a verdict, those not judged "
                 "misinformed", _of_flags(misinformed=False, flagged=False)),
    TrialMeasure("quote_precision", "Passages that meet the answer",
                 "quote precision: of the verified passages given with flags of misinformed "
                 "remarks, those that overlap a known answer", _quotes),
    TrialMeasure("verdicts", "With a verdict", "of all remarks, those with a verdict",
                 lambda judged: (int(judged.state in DECISIVE), 1)),
)  # fmt: skip
"""What is measured of judges that give scores."""
OF_THE_FINDER = (
    *(
        TrialMeasure(f"first_{first}", f"Answer among the first {first}" if first > 1 else
                     "Answer in the first",
                     f"recall at {first}: of planted misinformed remarks, those whose known answer "
                     f"is among the first {first}", _among(first))
        for first in FIRST
    ),
    TrialMeasure("addressed_whole", "Addressed, answer there",
                 "of remarks that the paper answers, those called addressed",
                 _of_flags(misinformed=True, flagged=True)),
    TrialMeasure("addressed_cut", "Addressed, answer cut",
                 "of the same remarks where the answer is cut out, those called addressed",
                 _of_flags(misinformed=False, flagged=True)),
)  # fmt: skip
"""What is measured of the embedded judge, which finds passages and judges no truth."""
AREA, DIFFERENCE = "area", "difference"


class PlantedGroup(Record):
    """Figures of some of the planted points.

    Attributes:
        group: Which.
        items: How many.
        papers: Of how many papers.
        estimates: Figures by the name of the measure.
    """

    group: str
    items: int
    papers: int
    estimates: dict[str, Estimate]


class PlantedSection(Record):
    """A table of groups.

    Attributes:
        name: Such as ``form``.
        title: Its heading.
        groups: Its rows.
    """

    name: str
    title: str
    groups: tuple[PlantedGroup, ...]


class TrialResult(Record):
    """A trial without its words, so that two judges can be compared on the same ones.

    Attributes:
        item: The planted point.
        paper_id: Its paper.
        version: The review that held its remark, whose name the seed draws.
        stratum: Of the point.
        form: How it goes wrong.
        place: Where its answer is looked for first; None where no passage answers it.
        misinformed: Its truth in this version.
        state: What came of it.
        points: Points that the remark was split into.
        flagged: Whether it was judged misinformed, of ``lexical`` addressed; None without that.
        score: The lowest score, 1..5; None without one.
        variation: What is otherwise than in the trials of which figures are made; None of these.
        probability: The highest probability of being misinformed, 0..1; None without one.
        quotes: Verified passages given with a flag of a misinformed remark whose answer is known.
        quotes_right: Of these, those that overlap a known answer.
    """

    item: str
    paper_id: str
    version: str
    stratum: Stratum
    form: PlantedForm
    place: PassagePlace | None
    misinformed: bool
    variation: Variation | None = Field(default=None, exclude_if=lambda value: value is None)
    state: TrialState
    points: int
    flagged: bool | None
    score: int | None
    probability: float | None
    quotes: int
    quotes_right: int


class PlantedValidation(Record):
    """All numbers of a validation.

    Attributes:
        reviewscore_version: Version of the program that made them.
        record: What is kept of it with later runs.
        embedded: Whether the judge is ``lexical``, which has measures of its own.
        protocol: How the judge was asked; empty for the embedded one.
        complete: Whether all was judged.
        changed: Files of records that something else has changed.
        sections: Tables of figures; the first has the strata.
        variations: What the same judge says when it is asked in another way.
        titles: Headings of the measures, by name.
        kinds: How they are printed.
        meanings: What they are.
        states: Trials by state, of misinformed and of fair remarks.
        scores: Trials by score 1..5, of misinformed and of fair remarks.
        reliability: How often remarks are misinformed, by the probability and score given to them;
            of the stratum that is named first.
        several: Trials whose remark was split into several points.
        refuted: Points that are in no figure, as the verifier denies a truth.
        left_out: Why other points are in no figure.
        families: Who wrote, confirmed and judged.
        usd: What the run has cost; None for the embedded judge and where it is not known.
        calls: Calls that were answered.
        reused: Of these, calls answered from the ledger, which cost nothing.
        resamples: Samples of papers drawn for intervals.
        seed: Of names, of order and of these draws.
        level: Of the intervals, 0 to 1.
        trials: Every trial.
        written: How the points were written, if models wrote them for this validation.
    """

    schema_id: Literal["reviewscore.validate/1"] = Field(
        default="reviewscore.validate/1", alias="schema"
    )
    reviewscore_version: str = __version__
    record: ValidationRecord
    embedded: bool
    protocol: str
    complete: bool
    changed: tuple[str, ...] = ()
    sections: tuple[PlantedSection, ...]
    variations: tuple[VariationRow, ...] = ()
    titles: dict[str, str]
    kinds: dict[str, Kind]
    meanings: tuple[str, ...]
    states: dict[str, tuple[int, int]]
    scores: dict[int, tuple[int, int]]
    reliability: tuple[Reliability, ...] = ()
    several: int
    refuted: int
    left_out: tuple[str, ...]
    families: Families
    usd: float | None = None
    calls: int = 0
    reused: int = 0
    resamples: int
    seed: int
    level: float
    trials: tuple[TrialResult, ...]
    written: WrittenItems | None = Field(default=None, exclude_if=lambda value: value is None)

    @property
    def base_trials(self) -> tuple[TrialResult, ...]:
        """Trials of which figures are made, without those that ask in another way."""
        return tuple(trial for trial in self.trials if trial.variation is None)


def measures_of(*, embedded: bool) -> tuple[TrialMeasure, ...]:
    """What is measured of a judge."""
    return OF_THE_FINDER if embedded else OF_MODELS


def headings(*, embedded: bool) -> tuple[dict[str, str], dict[str, Kind], tuple[str, ...]]:
    """Headings and kinds of all measures of a judge, and what they mean."""
    measures = measures_of(embedded=embedded)
    titles = {one.name: one.title for one in measures}
    kinds: dict[str, Kind] = {one.name: "share" for one in measures}
    meanings = [one.meaning for one in measures]
    what = "called addressed" if embedded else "flagged"
    titles[DIFFERENCE], kinds[DIFFERENCE] = "Difference", "difference"
    meanings.append(
        f"difference: how much oftener the same remark is {what} where the paper answers it than "
        "where the answer is cut out, in percentage points"
    )
    if not embedded:
        titles[AREA], kinds[AREA] = "Area", "coefficient"
        meanings.append(
            "area: how often a misinformed remark has a lower score than a fair one (ROC; 0.5 is "
            "chance)"
        )
    return titles, kinds, tuple(meanings)


def sections_of(
    judged: Sequence[JudgedTrial], *, embedded: bool, how: Resampling
) -> tuple[PlantedSection, ...]:
    """Figures by stratum, and of the plain stratum by form, place and length.

    Points about another paper stand apart, as nothing is cut for them. Where no point is plain,
    the hard ones are parted.

    Args:
        judged: All trials.
        embedded: Whether the judge is ``lexical``.
        how: How intervals are made; papers are drawn whole.
    """
    strata, main, with_foreign, which = by_stratum(judged, _stratum)

    def section(name: str, title: str, groups: Mapping[str, list[JudgedTrial]]) -> PlantedSection:
        rows = tuple(
            _group(group, rows, embedded=embedded, how=how) for group, rows in groups.items()
        )
        return PlantedSection(name=name, title=title, groups=rows)

    names = [name for _, name in LENGTHS] + [LONGER]
    return (
        section("strata", "Planted points", strata),
        section("form", f"By form{which}", parted(with_foreign, _form, PlantedForm)),
        section("place", f"By where the answer stands{which}", parted(main, _place, PLACES)),
        section("length", f"By length of the paper{which}", parted(main, _length, names)),
    )


def by_stratum(
    judged: Iterable[T], stratum: Callable[[T], str]
) -> tuple[dict[str, list[T]], list[T], list[T], str]:
    """Trials by stratum, those that are parted further, these with foreign ones, and their name.

    Args:
        judged: The trials.
        stratum: The stratum of each, or `ANOTHER_PAPER`.
    """
    strata = parted(judged, stratum, (*Stratum, ANOTHER_PAPER))
    main = strata.get(Stratum.PLAIN) or strata.get(Stratum.HARD) or []
    which = "" if strata.get(Stratum.PLAIN) else ", hard points"
    return strata, main, [*main, *strata.get(ANOTHER_PAPER, [])], which


def parted(
    judged: Iterable[T], name: Callable[[T], str], order: Iterable[str]
) -> dict[str, list[T]]:
    """Trials by group, in an order of groups; groups without a trial are left out."""
    groups: dict[str, list[T]] = {str(group): [] for group in order}
    for trial in judged:
        groups[name(trial)].append(trial)
    return {group: rows for group, rows in groups.items() if rows}


def _stratum(judged: JudgedTrial) -> str:
    return stratum_of(judged.trial.point)


def stratum_of(point: PlantedPoint | TrialResult) -> str:
    """The stratum of a point; those that are fair about another paper are one of their own."""
    return ANOTHER_PAPER if point.form is PlantedForm.ANOTHER_PAPER else point.stratum.value


def _form(judged: JudgedTrial) -> str:
    return judged.trial.point.form.value


def _place(judged: JudgedTrial) -> str:
    return place_of(judged.trial.point).value


def place_of(point: PlantedPoint) -> PassagePlace:
    """The place of an answer that is looked for first."""
    return min((passage.place for passage in point.passages), key=PLACES.index)


def _length(judged: JudgedTrial) -> str:
    characters = judged.trial.characters
    return next((name for most, name in LENGTHS if characters <= most), LONGER)


def _group(
    name: str, judged: Sequence[JudgedTrial], *, embedded: bool, how: Resampling
) -> PlantedGroup:
    papers = sorted({one.trial.point.paper_id for one in judged})
    number = {paper: place for place, paper in enumerate(papers)}
    plan = plan_of_papers(len(papers), how)
    slots = {}
    for measure in measures_of(embedded=embedded):
        sums = np.zeros((len(papers), 2))
        for one in judged:
            sums[number[one.trial.point.paper_id]] += measure.count(one)
        slots[measure.name] = plan.ask(share(measure.name, sums[:, 0], sums[:, 1]))
    slots[DIFFERENCE] = plan.ask(_difference(judged, number))
    plan.run()
    estimates = {name: slot.answer for name, slot in slots.items()}
    if not embedded:
        estimates[AREA] = _area(judged, how)
    items = len({one.trial.point.id for one in judged})
    return PlantedGroup(group=name, items=items, papers=len(papers), estimates=estimates)


def _difference(judged: Sequence[JudgedTrial], number: Mapping[str, int]) -> Statistic:
    """How much oftener a point is flagged where it is misinformed, of those known in both."""
    flags: dict[str, dict[bool, bool]] = {}
    paper_of: dict[str, str] = {}
    for one in judged:
        if one.flagged is not None:
            flags.setdefault(one.trial.point.id, {})[one.trial.misinformed] = one.flagged
            paper_of[one.trial.point.id] = one.trial.point.paper_id
    sums: Floats = np.zeros((len(number), 3))
    for item, versions in flags.items():
        if len(versions) == len((True, False)):
            sums[number[paper_of[item]]] += (versions[False], versions[True], 1)
    return paired_difference(DIFFERENCE, *sums.T)


def _area(judged: Sequence[JudgedTrial], how: Resampling) -> Estimate:
    """How often a misinformed remark has a lower score than a fair one."""
    truth = [one.trial.misinformed for one in judged]
    papers = [one.trial.point.paper_id for one in judged]
    return area_of(truth, [one.score for one in judged], papers, how)


def area_of(
    misinformed: Sequence[bool],
    lowest: Sequence[int | None],
    papers: Sequence[str],
    how: Resampling,
) -> Estimate:
    """How often a misinformed remark has a lower score than a fair one; ties count half.

    Args:
        misinformed: The truth of each remark.
        lowest: Its lowest score, 1..5; None without one.
        papers: Its paper; papers are drawn whole.
        how: How intervals are made.
    """
    truth = np.array(misinformed, dtype=np.float64)
    scores = np.array([np.nan if score is None else -float(score) for score in lowest])
    plan = BootstrapPlan(Clusters.by(papers), replace(how, scheme="papers"))
    slot = plan.ask(roc_area(truth, scores))
    plan.run()
    known = {paper for paper, score in zip(papers, scores, strict=True) if not np.isnan(score)}
    return with_interval(slot.answer, len(known))


def with_interval(made: Estimate, papers: int) -> Estimate:
    """An estimate that rests on so many papers, without an interval where there can be none."""
    if made.value is None or (papers > 1 and made.low != made.high):
        return made
    reason = STILL if papers > 1 else ONE_PAPER
    return made.model_copy(update={"low": None, "high": None, "reason": reason})


def counts_by_truth(values: Iterable[tuple[object, bool]]) -> dict[object, tuple[int, int]]:
    """How many misinformed and how many fair remarks have each value.

    Args:
        values: Of each remark a value, and whether it is misinformed.
    """
    counts = Counter(values)
    return {value: (counts[value, True], counts[value, False]) for value, _ in counts}


def result(judged: JudgedTrial) -> TrialResult:
    """A trial without its words."""
    point = judged.trial.point
    right, given = _quotes(judged)
    return TrialResult(
        item=point.id,
        paper_id=point.paper_id,
        version=judged.trial.review_id,
        stratum=point.stratum,
        form=point.form,
        place=place_of(point) if point.passages else None,
        misinformed=judged.trial.misinformed,
        state=judged.state,
        points=len(judged.points),
        flagged=judged.flagged,
        score=judged.score,
        variation=judged.trial.variation,
        probability=probability_of(judged),
        quotes=given,
        quotes_right=right,
    )
