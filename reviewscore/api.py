"""The interface for Python: audit a batch, score a point, split a review, from any program.

All work is done in a thread with an event loop of its own, so that a call is the same in a script,
in a notebook and in a program that has a loop. Ctrl-C reaches it there.
"""

from __future__ import annotations

import asyncio
import difflib
import warnings
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import wait
from contextlib import ExitStack
from functools import cached_property, partial, wraps
from inspect import signature, unwrap
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar, cast, get_args

from reviewscore.bounds import put_in_force
from reviewscore.config import Resolved, Settings, as_settings, resolve, several
from reviewscore.errors import InputError, SettingsError
from reviewscore.judges.model_judges import judges_alone
from reviewscore.llm.confidentiality import check_consent, permission_of
from reviewscore.llm.connect import check
from reviewscore.papers.canaries import put_canaries_in_force, read_canaries
from reviewscore.papers.load import load_paper
from reviewscore.period.audit import VenueAudit, venue_audit
from reviewscore.period.venue import VenueFolder, is_venue, ruled_by_venues, run_of
from reviewscore.points.split import split_review
from reviewscore.prompts import use_directory
from reviewscore.report.html import write_report
from reviewscore.report.paper_pages import LaterOf
from reviewscore.report.summary import Summary, summarise, write_summary
from reviewscore.runs.audit import audit as audit_collection
from reviewscore.runs.audit import chosen_calibration
from reviewscore.runs.consent import LOCAL, chosen_reviews, local_route
from reviewscore.runs.export import frame
from reviewscore.runs.folder import REPORT, Points, read_manifest
from reviewscore.runs.input_data import data_again
from reviewscore.runs.manifest import Manifest
from reviewscore.runs.scoring import score_by_settings
from reviewscore.runs.session import (
    Interruption,
    Outcome,
    Progress,
    Quiet,
    Work,
    begun,
    done_in_thread,
    stoppable,
)
from reviewscore.schema.paper import Paper
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.review import Review, ReviewPoint
from reviewscore.sources.collection import (
    Collection,
    load_review,
    of_file,
    of_records,
    read_collection,
    single,
)
from reviewscore.sources.remote import at_hand
from reviewscore.sources.shown_papers import paper_as_shown

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")
P = ParamSpec("P")

Place = str | Path
Papers = Paper | Place | Sequence[Paper | Place]
Reviews = Review | Place | Sequence[Review | Place]

SETTINGS = frozenset(Settings.model_fields) - {"panel", "judges"} | {"judge"}
"""Keyword arguments of `audit` that are settings: the names of flags, and of settings that have
none. ``model`` takes several for a panel, ``judge`` a table of judges and their models."""
OF_BATCHES = frozenset(
    {"engine", "workers", "store", "limit", "paper", "point", "points", "limitations"}
    | {"skip_bad_lines"}
)
"""Settings that say nothing of a single point."""
_TICK = 0.2
"""Seconds between looks at work in a thread: some systems wake no sleeper for Ctrl-C."""
_PATIENCE = 2
"""Times that Ctrl-C is handed on to the work; then it is no longer waited for."""


class Run:
    """A run: its points, its numbers and its report.

    Args:
        path: The run folder.
        data: Its papers and reviews, or the folder they are in, if they are not where they were.
        outcome: How the session ended that has just worked on it.
        accept_changed: Go on with records that something else has changed; it is said.

    Attributes:
        path: The run folder.
        stopped: The limit that ended the session, in words, such as prompts that wait for replies
            or a spending cap; None if it came to its end. The same call goes on.
        failed: Points, reviews and files that failed; None if no session has just ended.
    """

    def __init__(
        self,
        path: Path,
        *,
        data: Collection | Path | None = None,
        outcome: Outcome[Manifest] | None = None,
        accept_changed: bool = False,
    ) -> None:
        self.path, self._data, self._accept = path, data, accept_changed
        self.stopped = None if outcome is None else outcome.stopped
        self.failed = None if outcome is None else outcome.failed

    @property
    def manifest(self) -> Manifest:
        """What the run was made with and what it cost."""
        return read_manifest(self.path, accept_changed=self._accept)

    @cached_property
    def summary(self) -> Summary:
        """The numbers of the run."""
        return summarise(self.path, accept_changed=self._accept)

    @property
    def points(self) -> Points:
        """The scores, in the order they were finished; each is read when it is used."""
        return Points(self.path)

    @cached_property
    def collection(self) -> Collection:
        """The papers and reviews that the run was made of.

        Raises:
            InputError: They are not where they were, or have changed since.
        """
        if isinstance(self._data, Collection):
            return self._data
        again = data_again(self.path, self._data, accept_changed=self._accept)
        if again.collection is None:
            raise InputError("; ".join(again.notes))
        return again.collection

    @property
    def reviews(self) -> Sequence[Review]:
        """The reviews that were audited.

        Raises:
            InputError: As `collection`.
        """
        manifest = self.manifest
        names = ("model", "panel", "judges", "base_url", "consent") if manifest.consent else ()
        judge = {name: one.value for name, one in manifest.settings.items() if name in names}
        return chosen_reviews(
            self.collection, Settings.model_validate({**judge, **manifest.selection})
        )

    def to_frame(self) -> pd.DataFrame:
        """The points as a pandas data frame: one row a point, with the columns of an export."""
        return frame([self.path], accept_changed=self._accept)

    def report(self) -> Path:
        """The report, written if it is not there yet: a page to open in a browser.

        Raises:
            RunFolderError: The run cannot be read, or the page cannot be written.
        """
        page = self.path / REPORT
        if page.is_file():
            return page
        try:
            papers = self.collection
        except InputError:  # quotes then stand without their surroundings
            return write_report(self.path, None, None, accept_changed=self._accept)[0]
        return write_report(
            self.path, papers.paper_unchecked, papers.review, accept_changed=self._accept
        )[0]

    def __repr__(self) -> str:
        numbers = self.summary
        state = "" if numbers.complete else ", not complete"
        return (
            f"Run({str(self.path)!r}, {numbers.points:,} points of {numbers.reviews:,} reviews, "
            f"judge {numbers.judge}{state})"
        )

    def _repr_html_(self) -> str:
        """Counts, the first flags and a link to the report, for notebooks."""
        from reviewscore.report.html import run_html

        notes = [] if self.stopped is None else [f"The session stopped: {self.stopped}"]
        return run_html(self.path, self.summary, notes)


def load_run(
    path: Place, *, data: Place | Collection | None = None, accept_changed: bool = False
) -> Run:
    """A run that was made before.

    Args:
        path: The run folder, or a venue folder that was audited.
        data: Its papers and reviews, if they are not where they were.
        accept_changed: Go on with records that something else has changed; it is said.

    Raises:
        RunFolderError: It is no run folder, or its records were changed.
    """
    run = run_of(Path(path))
    read_manifest(run, accept_changed=accept_changed)
    where = Path(data) if isinstance(data, str) else data
    return Run(run, data=where, accept_changed=accept_changed)


def _done_here(plan: Callable[P, Work[T]]) -> Callable[P, T]:
    """Make a function that plans work one that does it, and waits for it."""

    @wraps(plan)
    def done(*given: P.args, **named: P.kwargs) -> T:
        return _wait(plan(*given, **named))

    written = signature(plan)
    returned = str(written.return_annotation).removeprefix("Work[").removesuffix("]")
    shown = written.replace(return_annotation=returned)
    done.__signature__ = shown  # type: ignore[attr-defined] # what notebooks and documents show
    return done


def _done_in_loop(done: Callable[P, T], name: str) -> Callable[P, Coroutine[object, object, T]]:
    """The same for programs that have an event loop, which goes on meanwhile."""
    plan = cast("Callable[P, Work[T]]", unwrap(done))

    @wraps(done)
    async def awaited(*given: P.args, **named: P.kwargs) -> T:
        return await done_in_thread(plan(*given, **named))

    awaited.__name__ = awaited.__qualname__ = name
    awaited.__doc__ = (
        f"As `{done.__name__}`, with the same arguments, for programs that have an event loop.\n\n"
        "The loop goes on meanwhile; a task that is cancelled stops the work as Ctrl-C does."
    )
    return awaited


def _also_as_before(new: Callable[P, Run]) -> Callable[P, Run]:
    """Take `audit` as it was called before: ``audit(collection, out, resolved)``."""

    @wraps(new)
    def either(*given: P.args, **named: P.kwargs) -> Run:
        if not any(isinstance(value, Resolved) for value in (*given, *named.values())):
            return new(*given, **named)
        warnings.warn(
            "audit(collection, out, resolved) is deprecated: settings are keyword arguments, as "
            "in audit(data, output, model=..)",
            DeprecationWarning,
            stacklevel=2,
        )
        before = cast("Callable[..., Run]", audit_collection)  # its own return value, an Outcome
        return before(*given, **named)

    return either


@_also_as_before
@_done_here
def audit(
    data: Place | Collection | None = None,
    output: Place | None = None,
    *,
    review: Reviews = (),
    paper: Papers = (),
    year: int | None = None,
    profiles: Place | None = None,
    config: Place | None = None,
    retry_errors: bool = False,
    accept_changed: bool = False,
    yes: bool = False,
    progress: Progress | None = None,
    **settings: object,
) -> Work[Run]:
    """Score every point of a batch of reviews into a run folder, and write its report.

    The same call again does only what is missing. Nothing is asked before money is spent: name
    ``max_usd``, or look at ``reviewscore audit .. --dry-run`` first.

    Args:
        data: A folder with ``papers`` and ``reviews`` as ``.jsonl`` or ``.parquet``, an address of
            one, a venue folder, or a collection. None if `paper` and `review` are given.
        output: The run folder; ``runs/NAME`` after the data if not given. Of a venue folder, what
            changed is judged into its own run if not given.
        review: Reviews, each as a file or a record, or a folder of files.
        paper: With `review` the paper, as a file or a record, or several records; with `data` the
            identifiers of the only papers to take.
        year: Year of the submission, of a paper's file that does not say.
        profiles: Folder of reviewers' own papers, for the report.
        config: Settings file, read over the user's own.
        retry_errors: Try points again that failed.
        accept_changed: Go on in a folder whose records something else has changed; it is said.
        yes: Write into a non-empty folder that is no run folder.
        progress: Told what happens, in the thread that works.
        **settings: Settings by the names of their flags: ``model="openai/gpt-5"``,
            ``max_usd=20``. What is not named comes from environment and settings files.

    Raises:
        ReviewScoreError: Something cannot be used: see `reviewscore.errors`. Points and reviews
            that fail become records instead, and a limit that is met ends the run
            (``run.stopped``).
        KeyboardInterrupt: Ctrl-C; calls under way were finished, and the same call goes on.
    """
    if data is not None:
        settings["paper"] = _listed(paper, Paper)
    folder = Path(data) if isinstance(data, str | Path) and "://" not in str(data) else None
    resolved = resolved_from(settings, folder=folder, config=config)
    tell = progress or Quiet()

    def work(interruption: Interruption) -> Run:
        chosen = resolved.settings
        put_in_force(chosen.bounds)
        put_canaries_in_force(read_canaries(chosen.canaries))
        place = at_hand(data, chosen.ledger_folder) if isinstance(data, str) else data
        venue = _venue_at(place)
        ruled = ruled_by_venues(resolved, _places_of(place, review, paper))
        with ExitStack() as stack:
            step = None
            if venue is not None and output is None:
                opened = venue_audit(venue.path, ruled, accept_changed=accept_changed)
                step = stack.enter_context(opened)
            place = place if venue is None else venue.data
            collection = read_input(
                place, review, paper, year=year, skip_bad_lines=chosen.skip_bad_lines
            )
            for fault in (*collection.warnings, *collection.skipped, *collection.unread):
                tell.say(str(fault))
            if not collection.reviews:
                raise InputError("there is no review to audit", cure="mend the lines left out")
            near = None
            if profiles is not None:  # a fault in them is to cost nothing
                from reviewscore.similarity.corpus import read_corpus

                near = read_corpus(Path(profiles), submitted=False)
            out = Path(output) if output is not None else _named_after(place, paper)
            judged = partial(
                audit_collection,
                data=_folder_of(collection) if isinstance(place, Collection) else place,
                progress=tell,
                allow_foreign=yes,
                retry_errors=retry_errors,
                accept_changed=accept_changed,
                interruption=interruption,
            )
            out = out if step is None else step.out
            outcome = _judged(judged, collection, out, ruled, step, accept_changed=accept_changed)
            if near is not None:
                from reviewscore.similarity.digest import add_digest

                add_digest(out, collection, near, accept_changed=accept_changed)
            later = None if step is None else step.later
            conclude(out, collection, accept_changed=accept_changed, later=later)
        return Run(out, data=collection, outcome=outcome, accept_changed=accept_changed)

    return work


audit_async = _done_in_loop(audit, "audit_async")


@_done_here
def score(
    point: ReviewPoint,
    paper: Paper | Place | None = None,
    *,
    data: Place | Collection | Run | None = None,
    response: str | None = None,
    config: Place | None = None,
    **settings: object,
) -> Work[PointScore]:
    """Score one review point against its paper: the record that `audit` would write.

    Its `author_answers` stay None: a response is aligned with all points of a review together.

    Calls of models are recorded in the ledger that all runs share, so that none is paid twice.

    Args:
        point: The point, such as one of `split`.
        paper: The paper as a record or a file; with `data` its identifier, or nothing if it is
            the point's own.
        data: Where papers are looked up: a folder, a collection or a run.
        response: The authors' response, shown to judges with ``author_response=True``.
        config: Settings file, read over the user's own.
        **settings: As of `audit`, but those about batches.

    Raises:
        ModelError: A judge gave no usable reply.
        ConfidentialityError: These judges may not read the review or its paper.
        ReviewScoreError: Something else cannot be used.
        KeyboardInterrupt: Ctrl-C.
    """
    resolved = resolved_from(settings, config=config, known=SETTINGS - OF_BATCHES)
    chosen = ruled_by_venues(resolved, _places_of(data, paper)).settings
    if paper is None and data is None:
        raise InputError("no paper is given", cure="give it, or data= to look it up in")

    async def scored() -> PointScore:
        known, paper_id = _paper(point, paper, data)
        _check_consent(point, known, paper_id, chosen)
        with use_directory(chosen.prompts_dir):
            async with judges_alone(chosen, "score") as judges:
                return await score_by_settings(
                    point,
                    paper_as_shown(known, paper_id, chosen.paper_parts, chosen.paper_as),
                    judges,
                    chosen,
                    response=response,
                    calibration=chosen_calibration(chosen),
                )

    def work(interruption: Interruption) -> PointScore:
        put_in_force(chosen.bounds)
        check(chosen)
        return asyncio.run(stoppable(scored(), interruption))

    return work


score_async = _done_in_loop(score, "score_async")


def split(
    review: Review | Place,
    *,
    data: Place | Collection | Run | None = None,
    limitations: bool = True,
) -> tuple[ReviewPoint, ...]:
    """Split a review into its points, by the rules: each a verbatim stretch of it.

    In an audit a model may propose other points.

    Args:
        review: The review as a record or a file; with `data` its identifier.
        data: Where it is looked up: a folder, a collection or a run.
        limitations: Whether the reviewer's remarks on limitations are points too.

    Raises:
        InputError: There is no such review, or its file cannot be used.
    """
    if not isinstance(review, Review):
        if data is None:
            review = load_review(Path(review))
        else:
            known = _looked_up(data)
            try:
                review = known.review(str(review))
            except KeyError as error:
                names = [review.review_id for review in known.reviews]
                problem = f"there is no review '{review}'{_hint(str(review), names)}"
                raise InputError(problem, cure="check reviews.jsonl") from error
    return split_review(review, include_limitations=limitations)


def read_input(
    data: Place | Collection | None,
    review: Reviews,
    paper: Papers,
    *,
    year: int | None = None,
    skip_bad_lines: bool = False,
) -> Collection:
    """What is to be audited.

    Args:
        data: As of `audit`.
        review: As of `audit`.
        paper: As of `audit`.
        year: As of `audit`.
        skip_bad_lines: Go on without lines that cannot be used.

    Raises:
        InputError: It cannot be used, or two sources are named, or none.
    """
    papers, reviews = _listed(paper, Paper), _listed(review, Review)
    if reviews and data is not None:
        raise InputError("data and reviews are both given", cure="give data, or paper and review")
    if not reviews and data is None:
        raise InputError("nothing to audit is named", cure="give data, or paper and review")
    if isinstance(data, Collection):
        return data
    if data is not None:
        return read_collection(Path(data), skip_bad_lines=skip_bad_lines)
    files = [review for review in reviews if not isinstance(review, Review)]
    if len(papers) == 1 and not isinstance(papers[0], Paper) and len(files) == len(reviews):
        return single(Path(papers[0]), [Path(file) for file in files], year=year)
    known = [
        paper if isinstance(paper, Paper) else load_paper(Path(paper), year=year)
        for paper in papers
    ]
    if files and len(known) != 1:
        raise InputError("a review's file needs exactly one paper", cure="give that paper alone")
    records = [
        review
        if isinstance(review, Review)
        else load_review(Path(review), paper_id=known[0].paper_id)
        for review in reviews
    ]
    return of_records(known, records)


def conclude(
    run: Path,
    collection: Collection,
    *,
    accept_changed: bool = False,
    later: LaterOf | None = None,
) -> tuple[Summary, Path]:
    """Write the numbers of a run and its report.

    Args:
        run: The run folder.
        collection: What it was made of.
        accept_changed: Go on with records that something else has changed.
        later: Gives what came later than a point.

    Returns:
        The numbers, and the page to open first.

    Raises:
        RunFolderError, StopError: They cannot be written.
    """
    summary = write_summary(run, accept_changed=accept_changed)
    pages = write_report(
        run,
        collection.paper_unchecked,
        collection.review,
        accept_changed=accept_changed,
        later=later,
        summary=summary,
    )
    return summary, pages[0]


def _places_of(*given: object) -> Iterator[Path]:
    """The files and folders among what was given to be read."""
    for one in given:
        if isinstance(one, str | Path):
            yield Path(one)
        elif isinstance(one, Run):
            yield one.path
        elif isinstance(one, Collection):
            yield from one.files
        elif isinstance(one, Sequence):
            yield from _places_of(*one)


def _venue_at(place: Path | Collection | None) -> VenueFolder | None:
    """The venue folder that is named, if it is one."""
    return VenueFolder(place) if isinstance(place, Path) and is_venue(place) else None


def _judged(
    judge: Callable[..., Outcome[Manifest]],
    collection: Collection,
    out: Path,
    resolved: Resolved,
    venue: VenueAudit | None,
    *,
    accept_changed: bool,
) -> Outcome[Manifest]:
    """Judge into a run, and beside it what may be judged on this machine only."""
    apart = local_route(collection, resolved)  # what is wrong with it is said first

    def into(run: Path, collection: Collection, resolved: Resolved) -> Outcome[Manifest]:
        kept = None if venue is None else venue.kept_in(run, resolved.settings)
        return judge(collection, run, resolved, kept=kept)

    outcome = into(out, collection, resolved)
    beside = apart is not None and not outcome.interrupted
    if apart is not None and beside:
        into(out / LOCAL, *apart)
    if venue is not None:
        venue.settle()
    if beside:
        later = None if venue is None else venue.later
        conclude(out / LOCAL, collection, accept_changed=accept_changed, later=later)
    return outcome


def _listed(given: T | Place | Sequence[T | Place], kind: type[T]) -> list[T | Place]:
    """One or several as several."""
    if given is None:
        return []
    if isinstance(given, kind | str | Path):
        return [given]
    return list(cast("Sequence[T | Place]", given))


def _named_after(data: Path | Collection | None, paper: Papers) -> Path:
    """The run folder that the data or the paper's file give their name."""
    named = data if data is not None else next(iter(_listed(paper, Paper)), None)
    if not isinstance(named, str | Path):
        raise InputError("no run folder is named", cure="give output='runs/NAME'")
    return Path("runs") / run_name(Path(named))


def run_name(data: Path) -> str:
    """What a run is called after its data: the folder's name, or the file's without its ending."""
    return data.name if data.is_dir() else data.stem


def _folder_of(collection: Collection) -> Path | None:
    """The folder, or the file of papers, that a collection was read from.

    None of single files, whose places are known, and of records.
    """
    if collection.pair is not None or not collection.files:
        return None
    if collection.folder is not None:
        return collection.folder
    papers = collection.files[0]
    return papers.parent if papers.stem == "papers" else papers


def resolved_from(
    named: Mapping[str, object],
    *,
    folder: Path | None = None,
    config: Place | None = None,
    known: frozenset[str] = SETTINGS,
) -> Resolved:
    """Keyword arguments as settings, over those of environment and files.

    Args:
        named: Settings by the names of their flags; None takes away a value that may be absent.
        folder: Where the data lie.
        config: The settings file that was named.
        known: The names that may be given.

    Raises:
        SettingsError: A name is unknown, or a value impossible.
    """
    for name in named:
        if name not in known:
            raise SettingsError(
                f"unknown setting '{name}'{_hint(name, known)} (settings are named as the flags "
                "of `reviewscore audit`)"
            )
    flags = as_settings(named)
    for name in ("paper", "point"):
        if name in flags:
            flags[name] = several(flags[name], name)
    cleared = [name for name, value in named.items() if value is None and _may_be_absent(name)]
    file = None if config is None else Path(config)
    return resolve(flags, folder=folder, config=file, cleared=cleared)


def _may_be_absent(name: str) -> bool:
    field = Settings.model_fields.get(name)
    return field is not None and type(None) in get_args(field.annotation)


def _hint(name: str, known: Sequence[str] | frozenset[str]) -> str:
    close = difflib.get_close_matches(name, sorted(known), n=3)
    return f"; did you mean {' or '.join(close)}?" if close else ""


def _looked_up(data: Place | Collection | Run) -> Collection:
    """Where papers and reviews are looked up by their identifiers."""
    if isinstance(data, Run):
        return data.collection
    return data if isinstance(data, Collection) else read_collection(Path(data))


def _paper(
    point: ReviewPoint, paper: Paper | Place | None, data: Place | Collection | Run | None
) -> tuple[Collection, str]:
    """Where the paper of a point is, and its identifier there."""
    if isinstance(paper, Paper):
        return Collection({paper.paper_id: of_file(paper)}, []), paper.paper_id
    if data is not None:
        return _looked_up(data), point.paper_id if paper is None else str(paper)
    assert paper is not None
    read = load_paper(Path(paper))
    return Collection({read.paper_id: of_file(read, Path(paper))}, []), read.paper_id


def _check_consent(
    point: ReviewPoint, known: Collection, paper_id: str, settings: Settings
) -> None:
    """Refuse a point whose review or paper the judges may not read."""
    handle = known.papers.get(paper_id)
    own = next((one.consent for one in known.reviews if one.review_id == point.review_id), None)
    consents = (point.consent, own, None if handle is None else handle.consent)
    check_consent(permission_of(settings), f"review '{point.review_id}'", *consents)


def _wait(work: Work[T]) -> T:
    """Do the work and wait for it here.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed; the work has ended, or three times were enough.
    """
    interruption, pressed = Interruption(), 0
    future = begun(work, interruption)
    while not future.done():
        try:
            wait((future,), timeout=_TICK)
        except KeyboardInterrupt:
            pressed += 1
            interruption.interrupt()
            if pressed > _PATIENCE:
                raise
    if pressed:
        raise KeyboardInterrupt("interrupted; the same call goes on where this one ended")
    return future.result()
