"""The report of a venue from its run folders: count, sort into groups, measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from reviewscore.errors import InputError
from reviewscore.runs.input_data import folder_again
from reviewscore.runs.parts import (
    RunPart,
    changed_notes,
    check_alike,
    check_one_protocol,
    check_scored,
    protocol_of,
    read_parts,
    settings_sum,
)
from reviewscore.sources.collection import named_table
from reviewscore.sources.strata import ReviewFacts, areas_of_papers, read_pairs, read_review_facts
from reviewscore.stats.resampling import Resampling
from reviewscore.stats.shares import PAPERS
from reviewscore.venue.outcomes import (
    FALSE_ALARM,
    OutcomeCounts,
    count_judged,
    count_points,
    measures_of,
)
from reviewscore.venue.panels import (
    AT_LEAST,
    NO_GROUP,
    Grouping,
    Reviewers,
    Venue,
    WrittenReview,
    by_load,
    notes_on,
    rates_of_venue,
    tell_reviewers,
    with_rates,
)


@dataclass(frozen=True)
class Strata:
    """Where it stands what reviews are sorted by.

    Attributes:
        data: Folders of papers and reviews; empty for those that the runs were made of.
        areas: Table of ``paper_id`` and ``area``; None for the papers' records.
        area_field: Field of those records; None for `sources.strata.FIELDS`.
        reviewers: Table of ``review_id`` and ``reviewer``; None for the reviews' records.
        scores: Scores of reviews to sort by: ``rating``, ``confidence``.
        further: Other partitions of the reviews.
    """

    data: Sequence[Path] = ()
    areas: Path | None = None
    area_field: str | None = None
    reviewers: Path | None = None
    scores: Sequence[str] = ()
    further: Sequence[Grouping] = ()


class Studied(NamedTuple):
    """A venue's rates, and what its user should be warned of."""

    venue: Venue
    warnings: list[str]


def study_venue(
    runs: Sequence[Path],
    strata: Strata | None = None,
    *,
    at_least: int = AT_LEAST,
    how: Resampling = PAPERS,
    judged: Mapping[str, bool] | None = None,
    accept_changed: bool = False,
) -> Studied:
    """Measure a venue that was audited in one run or in parts.

    Args:
        runs: Run folders of one judge with the same settings, in any order.
        strata: What reviews are sorted by.
        at_least: Reviews that a row must have to be shown.
        how: How intervals are made.
        judged: Of a random sample of flags, by point id, whether people call it right; their
            false alarms are measured too.
        accept_changed: Go on with records that something else has changed, and say so.

    Raises:
        RunFolderError: A folder is no run, two were made otherwise, or share a point that differs.
        SettingsError: A run is of the embedded judge, of which no rate is made.
        InputError: A table or the data cannot be used; names file, line and field.
    """
    where = strata or Strata()
    parts = read_parts(runs, accept_changed=accept_changed)
    check_scored(((part.path, part.manifest) for part in parts), "venue")
    check_one_protocol(parts, "venue")
    check_alike(parts, cure="report on each alone, and `compare` them")
    # Tables come first: a fault in one is told before many points are read.
    folders = folders_of(parts, where.data)
    facts = read_review_facts([named_table(folder, "reviews") for folder in folders])
    people = read_pairs(where.reviewers, "review_id", "reviewer") if where.reviewers else None
    areas = _areas(folders, where.areas, where.area_field)
    counts = count_points(parts)
    _check_known(where.reviewers, "review_id", people, counts.reviews)
    _check_known(where.areas, "paper_id", areas, counts.papers)
    reviewers = _reviewers(people, facts)
    load = by_load(reviewers, given=people is not None)
    area = _by_area(counts, areas)
    groupings = [grouping for grouping in (area, load) if grouping is not None]
    groupings += [_by_score(name, facts) for name in where.scores]
    groupings += where.further
    first = parts[0].manifest
    measures = measures_of(first)
    panels = rates_of_venue(
        counts, groupings, reviewers=reviewers, at_least=at_least, how=how, measures=measures
    )
    if judged is not None:
        alarms = rates_of_venue(
            count_judged(parts, judged), groupings, reviewers=reviewers, at_least=at_least,
            how=how, measures=(FALSE_ALARM,),
        )  # fmt: skip
        panels = with_rates(panels, alarms)
        measures = (*measures[:1], FALSE_ALARM, *measures[1:])  # beside the flags
    notes = notes_on(counts, panels, how, at_least)
    absent = [f"no table of reviewer load: {reviewers.reason}"] if load is None else []
    if area is None:
        why = "no paper's record holds one" if folders else "the papers are not at hand (--data)"
        absent.append(f"no table of areas: {why}; --areas names a table of them")
    venue = Venue(
        judge=first.judge,
        protocol=protocol_of(first),
        settings=settings_sum(first),
        runs=len(parts),
        complete=all(part.manifest.complete and not part.manifest.selection for part in parts),
        measures={measure.name: measure.meaning for measure in measures},
        titles={measure.name: measure.title for measure in measures},
        panels=panels,
        at_least=at_least,
        resamples=how.resamples,
        seed=how.seed,
        level=how.level,
        notes=(*changed_notes(parts), *notes, *(f"There is {text}." for text in absent)),
    )
    unread = sum(review not in facts for review in counts.reviews) if folders else 0
    if unread:
        absent.append(f"{unread:,} of {len(counts.reviews):,} reviews are not in the data (--data)")
    return Studied(venue, [*_warnings(parts, counts), *absent])


def _warnings(parts: Sequence[RunPart], counts: OutcomeCounts) -> list[str]:
    warnings = [
        f"{part.path} is not complete; run its audit again to finish it"
        for part in parts
        if not part.manifest.complete
    ]
    warnings += [
        f"{part.path} judged a selection of its input" for part in parts if part.manifest.selection
    ]
    return warnings if counts.reviews else [*warnings, "the runs hold no points"]


def folders_of(parts: Sequence[RunPart], data: Sequence[Path]) -> list[Path]:
    """Where papers and reviews are: named now, or noted then and still there."""
    if data:
        return list(data)
    noted = (folder_again(part.path, part.manifest) for part in parts)
    places = {path.resolve(): path for path in noted if path is not None and path.is_dir()}
    return list(places.values())


def _areas(folders: Sequence[Path], file: Path | None, field: str | None) -> dict[str, str]:
    """Areas by paper id: of the table, or of the papers' records."""
    if file is not None:
        return read_pairs(file, "paper_id", "area")
    return areas_of_papers([named_table(folder, "papers") for folder in folders], field)


def _check_known(
    file: Path | None, field: str, table: Mapping[str, str] | None, known: Sequence[str]
) -> None:
    """Refuse a table that is about other reviews or papers.

    Raises:
        InputError: None of its keys is in the runs.
    """
    if file is None or table is None or not known or not table.keys().isdisjoint(known):
        return
    raise InputError(
        f"names nothing that is in the runs (such as {known[0]})",
        file=file,
        field=field,
        cure=f"use the {field} of the data that was audited",
    )


def _reviewers(people: Mapping[str, str] | None, facts: Mapping[str, ReviewFacts]) -> Reviewers:
    """Who wrote which review, by a table or by the data."""
    if people is not None:
        named = {key: WrittenReview("", name) for key, name in people.items()}
        return tell_reviewers(named, trusted=True)
    if not facts:
        return Reviewers({}, {}, "the reviews are not at hand; name their folder with --data")
    return tell_reviewers(
        {
            key: WrittenReview(review_facts.paper_id, review_facts.reviewer)
            for key, review_facts in facts.items()
        }
    )


def _by_area(counts: OutcomeCounts, areas: Mapping[str, str]) -> Grouping | None:
    """Reviews by their paper's area; None if no paper has one."""
    papers = dict(zip(counts.reviews, (counts.papers[n] for n in counts.paper_of), strict=True))
    of = {review: areas[paper] for review, paper in papers.items() if paper in areas}
    if not of:
        return None
    without = len(of) < len(papers)
    notes = (f"Papers without an area stand under '{NO_GROUP}'.",) if without else ()
    return Grouping("area", "By area of the paper", of, notes=notes)


def _by_score(name: str, facts: Mapping[str, ReviewFacts]) -> Grouping:
    """Reviews by a score that they gave, each scale apart where forms have several."""
    given = {key: each for key, each in facts.items() if name in each.scores}
    scales = {key: each.scales.get(name, "unknown scale") for key, each in given.items()}
    apart = len(set(scales.values())) > 1
    of = {
        key: each.scores[name] + (f" ({scales[key]})" if apart else "")
        for key, each in given.items()
    }
    if not of:
        raise InputError(
            f"no review has a {name}", cure="name the folder of the reviews with --data"
        )
    order = sorted(
        set(of.values()), key=lambda text: (text.partition(" (")[2], _number(text), text)
    )
    note = f"By the {name} as reviewers gave it; a difference need not come from the {name}."
    return Grouping(name, f"By the review's {name}", of, tuple(order), (note,))


def _number(text: str) -> float:
    try:
        return float(text.partition(" (")[0])
    except ValueError:
        return float("inf")
