"""Score a whole collection into a run folder: streamed, resumable, stoppable."""

from __future__ import annotations

import asyncio
import platform
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from reviewscore import __version__, prompts
from reviewscore.addresses import without_credentials
from reviewscore.arguments.aggregate import AGGREGATION_VERSION
from reviewscore.arguments.reconstruct import INFERENCE_VERSION, RECONSTRUCTION_VERSION
from reviewscore.bounds import in_force, put_in_force, read_bounded
from reviewscore.config import Plain, Resolved, Settings
from reviewscore.errors import InputError, SettingsError
from reviewscore.files import InputFile, hash_file
from reviewscore.judges.asker import ASKING_VERSION
from reviewscore.judges.lexical.judges import LexicalJudges
from reviewscore.judges.model_judges import open_judges
from reviewscore.judges.presuppositions import PRESUPPOSITION_VERSION
from reviewscore.llm.confidentiality import rule_of
from reviewscore.llm.connect import RunContext, checked, open_ledger
from reviewscore.llm.ledger.store import CallsInMemory, CallStore, Paid
from reviewscore.logic.pool import shared
from reviewscore.papers.canaries import canaries_in_force, put_canaries_in_force, read_canaries
from reviewscore.papers.load import READING_VERSION
from reviewscore.points import POINTS_VERSION
from reviewscore.points.split import split_review
from reviewscore.printable import counted
from reviewscore.retrieval.encoder import FastembedEncoder, encoder_of
from reviewscore.runs.consent import by_route, effective
from reviewscore.runs.context import check_context, with_window
from reviewscore.runs.folder import (
    CANARIES,
    MANIFEST,
    ErrorRecord,
    RunDir,
    failed_reviews,
    manifest_of,
    read_manifest,
    read_points,
)
from reviewscore.runs.input_data import noted_data
from reviewscore.runs.kept_points import KeptPoints
from reviewscore.runs.manifest import (
    INPUT,
    METHOD,
    PROMPT,
    Counts,
    Manifest,
    PagesShown,
    Setting,
    first_difference,
    prompt_names,
    sum_of,
)
from reviewscore.runs.page_checks import check_pages, check_sight
from reviewscore.runs.progress_file import NotedProgress
from reviewscore.runs.prompt_checks import check_prompts
from reviewscore.runs.references import write_canaries, write_references
from reviewscore.runs.scoring import LocalScoring, ScoringSession, Tally
from reviewscore.runs.scoring_on_ray import RayScoring, check_ray
from reviewscore.runs.session import (
    Clock,
    Interruption,
    Outcome,
    Progress,
    Quiet,
    Say,
    interruptible,
)
from reviewscore.runs.unvalidated import judge_of, latest_validation, unvalidated, unvalidated_words
from reviewscore.schema.calibration import Calibration
from reviewscore.schema.point_id import POINT_IDS_VERSION, review_of
from reviewscore.schema.point_score import PointScore, Status
from reviewscore.schema.record import storable
from reviewscore.schema.review import ReviewPoint
from reviewscore.sources.collection import Collection

_POINTS_HELD = 30_000
"""Points that are held from counting to scoring; reviews beyond are split twice."""


def audit(  # noqa: PLR0913 - each says another thing of one run
    collection: Collection,
    out: Path,
    resolved: Resolved,
    *,
    data: Path | None = None,
    progress: Progress | None = None,
    allow_foreign: bool = False,
    retry_errors: bool = False,
    accept_changed: bool = False,
    interruption: Interruption | None = None,
    prompt_sizes: Mapping[str, int] | None = None,
    kept: KeptPoints | None = None,
) -> Outcome[Manifest]:
    """Score a collection into a run folder; what is there already is not done again.

    Args:
        collection: Papers and reviews.
        out: The run folder.
        resolved: Settings with their origins.
        data: Folder the collection was read from; noted in the manifest.
        progress: Told what happens.
        allow_foreign: Write into a non-empty folder that is no run folder.
        retry_errors: Try failed points again.
        accept_changed: Go on in a folder whose records something else has changed; it is noted.
        interruption: Brings Ctrl-C, where this does not run in the main thread.
        prompt_sizes: As `check_prompts` takes them.
        kept: Scores that stand in reviews that were edited since.

    Raises:
        SettingsError: The model is unknown or its key is missing, or the engine cannot be used.
        ConfidentialityError: Texts would leave this machine, which is not allowed.
        RunFolderError: The folder cannot be used, or its records were changed.
        InputError: A chosen paper or point does not exist.
    """
    progress = progress or Quiet()
    put_in_force(resolved.settings.bounds)
    put_canaries_in_force(read_canaries(resolved.settings.canaries))
    resolved = checked(resolved, kept=out / MANIFEST)
    resolved = with_window(resolved, out, say=progress.say)
    settings = resolved.settings
    if settings.engine == "ray":
        check_ray(settings, collection)
    check_context(collection, settings)
    chosen_calibration(settings)  # a wrong file is said before anything is asked
    with prompts.use_directory(settings.prompts_dir):
        manifest = new_manifest(collection, resolved, out=out, data=data)
        done = finished(
            collection,
            out,
            resolved,
            retry_errors=retry_errors,
            accept_changed=accept_changed,
            manifest=manifest,
        )
        if done is not None:  # nothing is judged again, and the run's account stays as it is
            if settings.check_references is not None or settings.canaries is not None:
                with RunDir(out, manifest, accept_changed=accept_changed) as run:
                    asyncio.run(_Audit(collection, settings, run, progress, renew=False).look())
                    done = run.update(done)
            return Outcome(
                manifest=done,
                failed=done.counts.error + len(collection.unread),
                before=done.counts.points,
            )
        _encoder(resolved, load=True)  # what is wrong with it is said before a run begins
        if words := unvalidated_words(manifest.unvalidated):
            progress.say(words)
        for line in () if manifest.consent is None else manifest.consent.words:
            progress.say(line)
        pages = check_pages(collection, settings, say=progress.say)
        check_sight(settings)
        manifest = _with_checks(
            manifest, collection, settings, out, pages=pages, sizes=prompt_sizes, say=progress.say
        )
        with RunDir(
            out,
            manifest,
            allow_foreign=allow_foreign,
            retry_errors=retry_errors,
            accept_changed=accept_changed,
        ) as run:
            work = _Audit(
                collection,
                settings,
                run,
                progress,
                renew=retry_errors,
                interruption=interruption,
                kept=kept,
            )
            return asyncio.run(work.session())


def chosen_calibration(settings: Settings) -> Calibration | None:
    """The calibration that was asked for."""
    if settings.calibration is None:
        return None
    return read_calibration(settings.calibration, judge=judge_of(settings))


def read_calibration(path: Path, *, judge: str) -> Calibration:
    """Read a calibration, as `agree --calibrate` writes it, that was learnt of a judge.

    Raises:
        InputError: The file cannot be read, or holds no calibration.
        SettingsError: It was learnt of another judge, whose errors are others.
    """
    try:
        calibration = Calibration.model_validate_json(read_bounded(path, in_force().text))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise InputError(
            f"is no calibration ({first['msg']})",
            file=path,
            field=".".join(str(part) for part in first["loc"]) or None,
            cure="agree --calibrate writes one",
        ) from error
    if calibration.judge != judge:
        raise SettingsError(
            f"{path} was learnt of {calibration.judge}, but the judge is {judge}; "
            "a calibration holds for the judge it was learnt of"
        )
    return calibration


class _Audit:
    """One session of a run, on this process or on many."""

    def __init__(
        self,
        collection: Collection,
        settings: Settings,
        run: RunDir,
        progress: Progress,
        *,
        renew: bool,
        interruption: Interruption | None = None,
        kept: KeptPoints | None = None,
    ) -> None:
        self._collection, self._settings, self._run = collection, settings, run
        self._progress, self._renew, self._interruption = progress, renew, interruption
        self._kept = kept or KeptPoints()
        routes = by_route(collection, settings)
        self._reviews, self._left = routes.judged.reviews, routes.left
        self._by_rules = 0
        self._split: dict[str, tuple[ReviewPoint, ...]] = {}
        for review in self._reviews:
            points = split_review(review, include_limitations=settings.limitations)
            self._by_rules += len(points)
            if self._by_rules <= _POINTS_HELD and settings.engine != "ray":
                self._split[review.review_id] = points

    async def session(self) -> Outcome[Manifest]:
        """Do what is missing, and write the run's account of it."""
        clock, before = Clock(), len(self._run.done)
        with ExitStack() as stack:
            noted = NotedProgress(self._progress, self._run.path, before)
            self._progress = stack.enter_context(noted)
            book: CallStore = CallsInMemory()  # the embedded judge makes no calls
            if not self._settings.embedded:
                book = await open_ledger(
                    self._settings,
                    self._run.path,
                    run=self._run.manifest.run_id,
                    say=self._progress.say,
                )
                stack.callback(book.close)
            self._progress.expect(self._by_rules)
            self._note_faults()
            session = await self._scored(book, noted)
            tally = session.met()
            if not session.stopping:
                self._tell_of(tally)
                await self._named_works()
            paid = None if self._settings.embedded else await book.paid()
        times = clock.read()
        manifest = self._run.update(self._closing(session, tally, paid, times))
        return Outcome(
            manifest=manifest,
            interrupted=session.interrupted,
            stopped=session.stopped,
            failed=manifest.counts.error + tally.failed_reviews + len(self._collection.unread),
            new=len(self._run.done) - before,
            before=before,
            seconds=times[1],
        )

    async def _scored(self, book: CallStore, noted: NotedProgress) -> ScoringSession:
        """Score on this process or on workers."""
        settings, say, refused = self._settings, self._progress.say, self._run.manifest.refused
        common: dict[str, Any] = {
            "collection": self._collection,
            "settings": settings,
            "run": self._run,
            "progress": self._progress,
            "calibration": chosen_calibration(settings),
            "refused": refused,
        }
        if settings.engine == "ray":
            remote = RayScoring(**common, spent=(await book.paid()).total, renew=self._renew)
            with interruptible(remote, self._interruption):
                await remote.score(self._reviews)
            return remote
        under_way: list[LocalScoring] = []
        around = RunContext(
            idle=lambda: not (shared().busy or any(scoring.reading for scoring in under_way)),
            say=say,
            renew=self._renew,
            refused=refused,
            longest=self._run.manifest.longest_prompts(settings.longest_reply),
        )
        async with open_judges(settings, book, around) as (judges, client):
            if client is not None:
                noted.follow(client.traffic)
            local = LocalScoring(
                **common,
                judges=judges,
                client=client,
                by_rule=self._split,
                kept=self._kept.scores,
                contest=self._contest,
            )
            under_way.append(local)
            with interruptible(local, self._interruption):
                await local.score(self._reviews)
            return local

    def _contest(self, old: PointScore, new: PointScore) -> None:
        """Put a contested score into the place of an old one, which is kept elsewhere first."""
        self._kept.retire(old)
        self._run.replace(new)

    async def look(self) -> None:
        """Look works and canaries up for a run that has judged all that it was asked to."""
        self._note_faults()
        await self._named_works()

    def _note_faults(self) -> None:
        """Write down what could not be read of the input."""
        for fault in self._collection.skipped:
            self._run.add_error(ErrorRecord.of_input("line", fault))
        for fault in self._collection.unread:
            self._run.add_error(ErrorRecord.of_input("file", fault))

    def _private(self) -> frozenset[str]:
        """Reviews of which not even a reference may leave this machine."""
        papers, default = self._collection.papers, self._settings.consent
        return frozenset(
            review.review_id
            for review in self._reviews
            if effective(review, papers.get(review.paper_id), default) in ("local", "none")
        )

    async def _named_works(self) -> None:
        """Write down which works reviews name, and which reviews repeat a canary."""
        settings, folder = self._settings, self._run.path
        async with AsyncExitStack() as stack:
            look_up = None
            if settings.check_references is not None:
                from reviewscore.sources.reference_lookup import ReferenceIndex

                index = await stack.enter_async_context(ReferenceIndex(settings.check_references))
                look_up = index.listing
            await write_references(
                folder, self._collection, self._reviews, look_up, private=self._private()
            )
        if settings.canaries is not None:
            count = write_canaries(folder, self._reviews, canaries_in_force())
            self._progress.say(
                f"{counted(count, 'review')} with the words of a canary: {folder / CANARIES}, "
                "which is for the program chairs alone"
            )

    def _tell_of(self, tally: Tally) -> None:
        """Write down and say what was asked for or counted on and did not come."""
        for name in sorted(_not_there(self._run.path, self._settings.point)):
            tally.failed_reviews += 1
            message = f"no review holds the point {name}; check --point"
            self._run.add_error(
                ErrorRecord(what="point", point_id=name, kind="InputError", message=message)
            )
            self._progress.say(message)
        if tally.points != self._by_rules and not tally.failed_reviews:
            self._progress.say(
                f"the rules, by which points are counted beforehand, split the reviews into "
                f"{self._by_rules:,} points; the model's own split, which counts, into "
                f"{tally.points:,}"
            )

    def _closing(
        self, session: ScoringSession, tally: Tally, paid: Paid | None, times: tuple[str, float]
    ) -> Manifest:
        """The manifest at the end of a session."""
        old = self._run.manifest
        update = {} if paid is None else session.models_update(paid, old.spending)
        doubts = list(tally.warnings)
        if tally.rejected:
            doubts.append(f"{tally.rejected} proposed points were not verbatim in their review")
        update["warnings"] = tuple(dict.fromkeys((*old.warnings, *doubts)))
        update["doubtful"] = tuple(dict.fromkeys((*old.doubtful, *tally.doubtful)))
        update["unread"] = {**old.unread, **tally.unread}
        update["times"] = (*old.times, times)
        kept = sum(review_of(point_id) in self._left for point_id in self._run.done)
        if old.consent is not None and kept:
            update["consent"] = old.consent.model_copy(update={"kept_points": kept})
        # A later session with a selection adds nothing to a whole run, and takes nothing from it.
        update["complete"] = old.complete or not session.stopping
        papers = len({review.paper_id for review in self._reviews})
        update["counts"] = Counts(
            papers=max(old.counts.papers, papers),
            reviews=max(old.counts.reviews, len(self._reviews)),
            reviews_without_points=max(old.counts.reviews_without_points, tally.without_points),
            bad_lines=len(self._collection.skipped),
        ).of_points(Counter(self._run.done.values()), self._run.findings)
        return old.model_copy(update=update)


_VERSIONED = ("z3-solver", "pydantic", "openai", "anthropic", "bm25s")
"""Packages whose versions a run's account names."""
_OF_ENCODERS = ("fastembed", "fastembed-gpu", "onnxruntime", "onnxruntime-gpu")
"""Those that it names beside them where a sentence encoder is used, as far as they are there."""


def _encoder(resolved: Resolved, *, load: bool = False) -> FastembedEncoder | None:
    """The sentence encoder of a run; None for one that has none or asks models.

    Args:
        resolved: Settings with their origins.
        load: Whether it is loaded and tried at once.

    Raises:
        SettingsError: It cannot be used.
    """
    settings = resolved.settings
    if not settings.embedded:
        return None
    return encoder_of(settings, origin=resolved.origins["encoder"], load=load)


def new_manifest(
    collection: Collection, resolved: Resolved, *, out: Path, data: Path | None = None
) -> Manifest:
    """What a run is to be made with.

    Args:
        collection: Papers and reviews.
        resolved: Settings with their origins.
        out: The run folder.
        data: Folder the collection was read from.
    """
    settings = resolved.settings
    encoder = _encoder(resolved)
    judge_version = LexicalJudges(encoder).version if settings.embedded else None
    problems = prompts.verify() if settings.prompts_dir is None else ()
    chosen = settings.decisive()
    sums = {prompt.prompt_id: prompt.sha256 for prompt in map(prompts.latest, prompt_names(chosen))}
    inputs = inputs_of(collection, settings.paper_as)
    decisive = {
        **chosen,
        "judge_version": judge_version,
        **{f"{METHOD}{name}": version for name, version in _methods(settings).items()},
        **{f"{PROMPT}{name}": sha256 for name, sha256 in sums.items()},
        **input_sums(inputs),
        "year": collection.year,
    }
    if settings.calibration is not None:
        decisive["calibration"] = hash_file(settings.calibration).sha256
    return Manifest(
        reviewscore_version=__version__,
        judge=settings.model,
        judge_version=judge_version,
        settings={
            name: Setting(value=without_credentials(value), origin=resolved.origins[name])
            for name, value in settings.model_dump(mode="json").items()
            if name != "canaries"  # reports show settings, and canaries are for the chairs alone
        },
        decisive=decisive,
        decisive_sha256=sum_of(decisive),
        selection=settings.selection,
        prompts=sums,
        versions={
            "python": platform.python_version(),
            **{name: version(name) for name in _VERSIONED},
            **({} if encoder is None else dict(_versions(_OF_ENCODERS))),
        },
        inputs=inputs,
        confidentiality=rule_of(settings),
        consent=by_route(collection, settings).counts,
        unvalidated=unvalidated(settings),
        validation=latest_validation(settings),
        **noted_data(out, data, collection.pair),
        year=collection.year,
        warnings=tuple(
            storable(warning)
            for warning in (
                *collection.warnings,
                *(f"left out: {fault}" for fault in collection.unread),
                *problems,
            )
        ),
    )


def inputs_of(collection: Collection, paper_as: Plain) -> tuple[InputFile, ...]:
    """The files and records that a collection was read from, with their sums.

    Args:
        collection: Papers and reviews.
        paper_as: The setting, which says whether PDFs are read for their pages.
    """
    files = map(hash_file, (*collection.files, *_pdfs(collection, paper_as)))
    return (*files, *collection.records)


def input_sums(inputs: Sequence[InputFile]) -> dict[str, Plain]:
    """The same as decisive values, by their names."""
    return {f"{INPUT}{n} {file.name}": file.sha256 for n, file in enumerate(inputs, start=1)}


def _pdfs(collection: Collection, paper_as: Plain) -> list[Path]:
    """PDFs whose pages are shown and that are none of the files that texts were read from."""
    if paper_as == "text":
        return []
    paths = []
    for handle in collection.papers.values():
        with suppress(InputError), handle.pdf() as path:
            paths += [path] if path is not None and path not in collection.files else []
    return paths


def _versions(packages: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Versions of packages, of those that are installed by these names."""
    for name in packages:
        with suppress(PackageNotFoundError):
            yield name, version(name)


def _methods(settings: Settings) -> dict[str, int]:
    """Versions of what this package itself does to make a run's records, as far as it is used.

    The embedded judge has a version of its own.
    """
    used = {
        "points": POINTS_VERSION,
        "point_ids": POINT_IDS_VERSION,
        "reading": READING_VERSION,
        "scores": AGGREGATION_VERSION,
    }
    if not settings.embedded:
        used["asking"] = ASKING_VERSION
    if settings.presupposes:
        used["presuppositions"] = PRESUPPOSITION_VERSION
    if settings.proves_beside:
        used["inference"] = INFERENCE_VERSION
    if settings.proves_beside or (settings.score != "base" and not settings.presupposes):
        used["reconstruction"] = RECONSTRUCTION_VERSION
    return used


def _with_checks(
    manifest: Manifest,
    collection: Collection,
    settings: Settings,
    out: Path,
    *,
    pages: PagesShown | None,
    sizes: Mapping[str, int] | None,
    say: Say,
) -> Manifest:
    """A manifest with the pages that are shown, and whether servers of one's own read its prompts.

    Raises:
        SettingsError, StopError: As `check_prompts`.
    """
    before = manifest_of(out) if _is_run(out) else None
    known = {} if before is None else before.prompt_checks
    checks = asyncio.run(check_prompts(collection, settings, known=known, sizes=sizes, say=say))
    shown = pages if pages is None or before is None else pages.after(before.pages)
    return manifest.model_copy(update={"prompt_checks": {**known, **checks}, "pages": shown})


def _is_run(path: Path) -> bool:
    """Whether a folder is that of a run."""
    return (path / MANIFEST).is_file()


def _not_there(path: Path, chosen: Sequence[str]) -> set[str]:
    """Chosen points, by identifier or short name, that a run folder does not hold."""
    lacking = set(chosen)
    for score in read_points(path) if lacking else ():
        lacking -= {score.point_id, score.short_name}
    return lacking


def finished(
    collection: Collection,
    out: Path,
    resolved: Resolved,
    *,
    retry_errors: bool = False,
    accept_changed: bool = False,
    manifest: Manifest | None = None,
) -> Manifest | None:
    """The manifest of a run that holds all that is asked for; None if something is left to do.

    Nothing is asked or written.

    Args:
        collection: Papers and reviews.
        out: The run folder.
        resolved: Settings with their origins.
        retry_errors: Whether failed points are to be tried again.
        accept_changed: Go on with records that something else has changed.
        manifest: What the run is to be made with, if that is known already.

    Raises:
        InputError: A chosen paper or point does not exist.
        RunFolderError: The folder holds something that cannot be read, or records that were
            changed.
    """
    settings = resolved.settings
    if not _is_run(out):
        return None
    with prompts.use_directory(settings.prompts_dir):
        new = manifest or new_manifest(collection, resolved, out=out)
    old = read_manifest(out, accept_changed=accept_changed)
    same = first_difference(old.decisive, new.decisive) is None
    same = same and old.selection in ({}, new.selection)
    # What may be judged may have become more or less since.
    more = new.consent != (old.consent and old.consent.model_copy(update={"kept_points": 0}))
    if not (same and old.complete) or more or failed_reviews(out):
        return None
    done = {score.point_id: score.status for score in read_points(out)}
    again = retry_errors and Status.ERROR in done.values()
    if again or len(done) != old.counts.points or _not_there(out, settings.point):
        return None
    return old
