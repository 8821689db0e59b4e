"""A validation: what a run on planted points says of its judge, and what is kept of it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from reviewscore.config import Settings
from reviewscore.files import hash_file
from reviewscore.runs.folder import changed_records
from reviewscore.runs.manifest import Manifest, sum_of
from reviewscore.runs.unvalidated import judge_of
from reviewscore.schema.scale import FIVE_POINTS
from reviewscore.schema.validation import MeasuredShare, ValidationRecord, WrittenItems
from reviewscore.stats.resampling import Resampling
from reviewscore.validation.families import families_of
from reviewscore.validation.figures import (
    PlantedSection,
    PlantedValidation,
    by_stratum,
    counts_by_truth,
    headings,
    measures_of,
    result,
    sections_of,
    stratum_of,
)
from reviewscore.validation.judgments import TrialState, judged_trials
from reviewscore.validation.page import sentence
from reviewscore.validation.reliability import reliability_of
from reviewscore.validation.robustness import variation_rows
from reviewscore.validation.trials import PlantedTrials


def validation_of(
    planted: PlantedTrials,
    run: Path,
    settings: Settings,
    *,
    manifest: Manifest,
    items: Path,
    how: Resampling,
    written: WrittenItems | None = None,
) -> PlantedValidation:
    """All numbers of a validation.

    Args:
        planted: What was judged.
        run: The folder of its run.
        settings: What the run was made with.
        manifest: The run's manifest.
        items: The file of planted points.
        how: How intervals are made; its seed drew names and order too.
        written: How the points were written, if models wrote them for this validation.

    Raises:
        RunFolderError: A record cannot be read.
    """
    embedded = settings.embedded
    complete = manifest.complete and not manifest.selection
    every = judged_trials(planted.trials, run, complete=complete)
    judged = [one for one in every if one.trial.variation is None]
    # What waits is in no figure, so that a part of a run is not taken for all of it.
    asked = [one for one in every if one.state is not TrialState.PENDING]
    ended = [one for one in asked if one.trial.variation is None]
    sections = sections_of(ended, embedded=embedded, how=how)
    states = counts_by_truth((one.state.value, one.trial.misinformed) for one in judged)
    scores = counts_by_truth((one.score, one.trial.misinformed) for one in judged)
    _, main, *_ = by_stratum(ended, lambda one: stratum_of(one.trial.point))
    _, asked_alike, *_ = by_stratum(asked, lambda one: stratum_of(one.trial.point))
    titles, kinds, meanings = headings(embedded=embedded)
    spent = manifest.spending
    return PlantedValidation(
        record=_record(sections, settings, manifest, items),
        embedded=embedded,
        protocol="" if embedded else settings.protocol,
        complete=complete,
        changed=changed_records(run, manifest),
        sections=sections,
        variations=variation_rows(asked_alike, how),
        titles=titles,
        kinds=kinds,
        meanings=meanings,
        states={state.value: states[state.value] for state in TrialState if state.value in states},
        scores={score: scores[score] for score in FIVE_POINTS.values if score in scores},
        reliability=reliability_of(main, how),
        several=sum(len(one.points) > 1 for one in judged),
        refuted=planted.refuted,
        left_out=tuple(map(str, planted.left_out)),
        families=families_of([trial.point for trial in planted.trials], settings.models),
        usd=None if embedded else spent.usd,
        calls=spent.calls,
        reused=spent.reused,
        resamples=how.resamples,
        seed=how.seed,
        level=how.level,
        trials=tuple(map(result, every)),
        written=written,
    )


def _record(
    sections: tuple[PlantedSection, ...], settings: Settings, manifest: Manifest, items: Path
) -> ValidationRecord:
    """What is kept with later runs; its figures are those of the first stratum."""
    head = sections[0].groups[0] if sections[0].groups else None
    estimates = {} if head is None else head.estimates
    shares = {
        one.name: MeasuredShare(
            value=estimates[one.name].value,
            low=estimates[one.name].low,
            high=estimates[one.name].high,
            n=estimates[one.name].n,
        )
        for one in measures_of(embedded=settings.embedded)
        if one.name in estimates
    }
    return ValidationRecord(
        judge=judge_of(settings),
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        made_with=sum_of(manifest.decisive, inputs=False),
        items_sha256=hash_file(items).sha256,
        items=0 if head is None else head.items,
        papers=0 if head is None else head.papers,
        shares=shares,
        sentence=sentence(sections, embedded=settings.embedded),
    )
