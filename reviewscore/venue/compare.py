"""Drift between two runs: paired where they judged the same points, else unpaired."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import Field

from reviewscore import __version__
from reviewscore.errors import RunFolderError, SettingsError
from reviewscore.runs.manifest import POINT_IDS, SettingDifference, differences, of_input
from reviewscore.runs.parts import (
    RunPart,
    by_presuppositions,
    changed_notes,
    check_scored,
    protocol_of,
    read_parts,
    settings_sum,
)
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.record import Record
from reviewscore.stats.estimates import Estimate
from reviewscore.stats.resampling import FEW_PAPERS, Resampling
from reviewscore.stats.shares import PAPERS, SECOND_SEED
from reviewscore.venue.drift import (
    BaseScores,
    Cross,
    DriftSection,
    Pairs,
    PointColumns,
    by_paper,
    columns_of,
    crosses,
    furthest,
    pair,
    paired_sections,
    read_again,
    unpaired_sections,
)
from reviewscore.venue.outcomes import VERDICTS, OutcomeMeasure, measures_of, outcome, rates


class Side(Record):
    """One of the two runs.

    Attributes:
        name: Name of its folder.
        run_id: Name of the run in the ledger.
        judge: The model asked for.
        protocol: What its judges were asked.
        reviewscore_version: Version of the program that made it; several with commas between.
        settings: Sum of what is decisive but its inputs.
        complete: Whether its last session reached the end.
        points: Its points.
        reviews: Its reviews.
        papers: Its papers.
        rates: Its own rates. These and the three numbers are of all its points; of runs of two
            protocols, of those that both have.
    """

    name: str
    run_id: str
    judge: str
    protocol: str = "paper"
    reviewscore_version: str
    settings: str
    complete: bool
    points: int
    reviews: int
    papers: int
    rates: dict[str, Estimate] = Field(default_factory=dict)


class Comparison(Record):
    """Two runs side by side. A difference is the second run's value less the first one's.

    Attributes:
        reviewscore_version: Version of the program that compared them.
        paired: Whether the same points are compared, or two sets of papers.
        base: What BASE scores mean in both.
        titles: Headings of the rates of each run, by name.
        why: Why so.
        first: The first run.
        second: The second run.
        made_otherwise: Decisive values that differ, inputs and names of points apart: each may
            explain the drift.
        inputs_differ: Whether their input files differ.
        shared: Points that both have, with the same words.
        reworded: Points with one identifier and other words.
        only_first: Points of the first run alone.
        only_second: Points of the second run alone.
        sections: Tables of estimates.
        crosses: Cross tables; none of unpaired runs.
        resamples: Samples of papers drawn for intervals.
        seed: Of these draws.
        level: Of the intervals, 0 to 1.
        notes: What must be known to read any of it.
    """

    schema_id: Literal["reviewscore.compare/1"] = Field(
        default="reviewscore.compare/1", alias="schema"
    )
    reviewscore_version: str = __version__
    paired: bool
    base: str = ""
    titles: dict[str, str] = Field(default_factory=dict)
    why: str
    first: Side
    second: Side
    made_otherwise: tuple[SettingDifference, ...]
    inputs_differ: bool
    shared: int
    reworded: int
    only_first: int
    only_second: int
    sections: tuple[DriftSection, ...]
    crosses: tuple[Cross, ...] = ()
    resamples: int
    seed: int
    level: float
    notes: tuple[str, ...] = ()


ENOUGH = 0.5
"""Share of the smaller run's points that both must have to be compared point by point."""
SHEET = ("point_id", "review_id", "paper_id", "type_first", "type_second", "base_first",
         "base_second", "outcome_first", "outcome_second")  # fmt: skip


@dataclass(frozen=True)
class ComparedRuns:
    """Two runs compared.

    Attributes:
        found: All numbers.
        sheet: The points that differ most, with the columns of `SHEET`; ids and no words.
        warnings: What the user should be warned of.
    """

    found: Comparison
    sheet: tuple[dict[str, str], ...]
    warnings: tuple[str, ...]


def compare_runs(
    first: Path,
    second: Path,
    *,
    paired: bool | None = None,
    points: int = 0,
    how: Resampling = PAPERS,
    accept_changed: bool = False,
) -> ComparedRuns:
    """Measure the drift from one run to another.

    Points are paired by identifier where their words are the same; with a run of before, whose
    identifiers are places, by review and words. The runs may be made otherwise;
    each decisive value that differs is listed.

    Args:
        first: A run folder.
        second: Another.
        paired: Whether to pair; None decides by how many points the two share (`ENOUGH`).
        points: How many of the points that differ most to list.
        how: How intervals are made; papers are drawn whole.
        accept_changed: Go on with records that something else has changed, and say so.

    Raises:
        RunFolderError: A folder is no run, or a record in it cannot be read.
        SettingsError: A run is of the embedded judge, or no point is shared and they are to be
            paired, or points are asked for and they are not paired.
    """
    one, other = read_parts([first, second], accept_changed=accept_changed)
    check_scored(((part.path, part.manifest) for part in (one, other)), "compare")
    ours, theirs = columns_of(one), columns_of(other)
    for part, columns in ((one, ours), (other, theirs)):
        if not len(columns):
            raise RunFolderError(f"{part.path} holds no points; finish its audit first")
    pairs = pair(ours, theirs)
    paired, why = _pairing(pairs, paired, one, other)
    if points and not paired:
        raise SettingsError("--points lists points that both runs have; these are not paired")
    measures = _shared_measures(one, other)
    base = BaseScores(*("standing" if by_presuppositions(part.manifest) else "published"
                        for part in (one, other)))  # fmt: skip
    sections = (
        paired_sections(pairs, how, measures, base)
        if paired
        else unpaired_sections(ours, theirs, how, measures)
    )
    across = protocol_of(one.manifest) != protocol_of(other.manifest)
    if across:
        ours, theirs = pairs.first, pairs.second  # nothing is shown of points of one run alone
    papers = (pairs.papers,) if paired else tuple(len(np.unique(x.papers)) for x in (ours, theirs))
    # The second of two sets of papers is drawn on its own, here as in the tables.
    apart = how if paired else replace(how, seed=how.seed + SECOND_SEED)
    old, new = one.manifest.decisive, other.manifest.decisive
    found = Comparison(
        paired=paired,
        base=base.words,
        titles={measure.name: measure.title for measure in measures},
        why=why,
        first=_side(one, ours, how, measures),
        second=_side(other, theirs, apart, measures),
        made_otherwise=tuple(
            one for one in differences(old, new, inputs=False) if one.name != POINT_IDS
        ),
        inputs_differ={key: old[key] for key in old if of_input(key)}
        != {key: new[key] for key in new if of_input(key)},
        shared=len(pairs),
        reworded=pairs.reworded,
        only_first=pairs.only_first,
        only_second=pairs.only_second,
        sections=sections,
        crosses=crosses(pairs, base) if paired else (),
        resamples=how.resamples,
        seed=how.seed,
        level=how.level,
        notes=(
            *changed_notes((one, other)),
            base.words,
            *_notes(pairs, sections, how, paired=paired, papers=papers),
            *(_left_out(pairs) if paired and not across else ()),
        ),
    )
    return ComparedRuns(
        found,
        tuple(_sheet(pairs, points, one, other, one_scale=base.one_scale)) if points else (),
        tuple(f"{part.path} is not complete, or judged a selection" for part in (one, other)
              if not part.manifest.complete or part.manifest.selection),
    )  # fmt: skip


def _pairing(pairs: Pairs, paired: bool | None, one: RunPart, other: RunPart) -> tuple[bool, str]:
    """Whether to pair, and why."""
    share = f"{len(pairs):,} points are in both with the same words ({pairs.overlap:.0%} of the "
    share += "smaller run's)"
    protocols = [protocol_of(part.manifest) for part in (one, other)]
    if protocols[0] != protocols[1]:
        return True, _across_protocols(pairs, paired, protocols, one, other)
    if paired and not len(pairs):
        raise SettingsError(
            f"no point is in {one.path} and in {other.path} with the same words; leave out --paired"
        )
    if paired is not None:
        return paired, f"as was asked for: {share}"
    if pairs.overlap >= ENOUGH:
        return True, f"compared point by point: {share}"
    return False, f"compared as two sets of papers: {share}"


def _across_protocols(
    pairs: Pairs, paired: bool | None, protocols: Sequence[str], one: RunPart, other: RunPart
) -> str:
    """Why runs of two protocols are paired, and how many points that leaves out.

    Raises:
        SettingsError: They are not to be paired, or share no point.
    """
    two = f"{one.path} is by the protocol {protocols[0]}, {other.path} by {protocols[1]}"
    if paired is False:
        raise SettingsError(
            f"{two}: these are compared on identical points alone; leave out --unpaired"
        )
    if not len(pairs):
        raise SettingsError(
            f"{two}: these are compared on identical points alone, and no point is in both with "
            "the same words; audit the same reviews by both"
        )
    return (
        f"two protocols ({protocols[0]}, {protocols[1]}) are compared on identical points alone: "
        f"{len(pairs):,} points are in both with the same words; left out are "
        f"{pairs.only_first:,} that only the first run has as a review point, "
        f"{pairs.only_second:,} that only the second has, and {pairs.reworded:,} with other words"
    )


def _shared_measures(one: RunPart, other: RunPart) -> tuple[OutcomeMeasure, ...]:
    """What is measured of both runs; of two definitions under one name both are told."""
    theirs = {measure.name: measure for measure in measures_of(other.manifest)}
    return tuple(
        measure
        if measure.meaning == theirs[measure.name].meaning
        else replace(
            measure,
            meaning=f"in the first run, {measure.meaning}; in the second, "
            f"{theirs[measure.name].meaning}",
        )
        for measure in measures_of(one.manifest)
        if measure.name in theirs
    )


def _side(
    part: RunPart, columns: PointColumns, how: Resampling, measures: Sequence[OutcomeMeasure]
) -> Side:
    made = part.manifest
    cell = by_paper(columns).sum(axis=1)
    return Side(
        name=part.name,
        run_id=made.run_id,
        judge=made.judge,
        protocol=protocol_of(made),
        reviewscore_version=", ".join(made.reviewscore_versions),
        settings=settings_sum(made),
        complete=made.complete and not made.selection,
        points=len(columns),
        reviews=len(np.unique(columns.reviews)),
        papers=len(np.unique(columns.papers)),
        rates=rates([cell], how, measures)[0],
    )


def _notes(
    pairs: Pairs,
    sections: Sequence[DriftSection],
    how: Resampling,
    *,
    paired: bool,
    papers: Sequence[int],
) -> list[str]:
    drawn = "both runs' verdicts on a paper together" if paired else "each run's on their own"
    notes = [
        f"In brackets: {how.percent} BCa bootstrap intervals of {how.resamples:,} samples of "
        f"papers, {drawn}; seed {how.seed}. Where resamples do not vary (a share of 0 "
        "or 1): Wilson's interval, one observation per paper, combined for differences (MOVER).",
    ]
    shown = sum(
        estimate.low is not None
        for section in sections
        for line in section.lines
        for estimate in line.estimates.values()
    )
    notes.append(
        f"{shown} estimates are shown with intervals, each of its own: of so many, "
        f"{shown * (1 - how.level):.1f} on average miss the true value by chance alone. "
        "Name what you look for before you look."
    )
    if min(papers) < FEW_PAPERS:
        counts = " and ".join(map(str, papers))
        notes.append(f"Papers: {counts}. So few say little of other papers.")
    if pairs.reworded:
        notes.append(
            f"{pairs.reworded:,} points have one identifier and other words, and are not paired: "
            "the reviews, or how they were split, have changed."
        )
    return notes


def _left_out(pairs: Pairs) -> list[str]:
    """Which points tables of pairs do not hold."""
    if not (pairs.only_first or pairs.only_second):
        return []
    return [
        f"Left out of all tables but the first: {pairs.only_first:,} points that only the "
        f"first run has, {pairs.only_second:,} that only the second has."
    ]


def _sheet(
    pairs: Pairs, most: int, one: RunPart, other: RunPart, *, one_scale: bool
) -> list[dict[str, str]]:
    """The points that differ most, as both runs have them."""
    places = [int(place) for place in furthest(pairs, most, one_scale=one_scale)]

    def verdict(side: str, score: PointScore) -> dict[str, str]:
        return {
            f"type_{side}": score.type.value if score.type else "",
            f"base_{side}": "" if score.base is None else str(score.base),
            f"outcome_{side}": VERDICTS[outcome(score)],
        }

    def first_verdict(score: PointScore) -> dict[str, str]:
        ids = {"point_id": score.point_id, "review_id": score.review_id}
        return {**ids, "paper_id": score.paper_id, **verdict("first", score)}

    ours = read_again(one, pairs.first, places, first_verdict)
    theirs = read_again(other, pairs.second, places, lambda score: verdict("second", score))
    return [{name: (ours[place] | theirs[place])[name] for name in SHEET} for place in places]
