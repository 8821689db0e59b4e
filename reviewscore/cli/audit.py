"""``reviewscore audit``: score every point of a batch of reviews into a run folder."""

from __future__ import annotations

import asyncio
import json
import shlex
import sys
import tempfile
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reviewscore.addresses import Plain, without_credentials
from reviewscore.api import conclude, read_input, run_name
from reviewscore.bounds import put_in_force
from reviewscore.cli import options
from reviewscore.cli.app_beside import with_app
from reviewscore.cli.cache import error_lines
from reviewscore.cli.closing import agreed, exit_code
from reviewscore.cli.cost import estimate_lines, page_lines, print_estimate, protocols_line
from reviewscore.cli.main import PARTLY
from reviewscore.cli.terminal import TerminalProgress, print_line, say, waiting, warn
from reviewscore.config import TABLES, Resolved, Settings, as_settings, user_settings_file
from reviewscore.errors import InputError
from reviewscore.files import TEMPORARY, read_lines
from reviewscore.llm.connect import check, checked
from reviewscore.llm.provider import EXCHANGE
from reviewscore.llm.providers.exchange import OPEN, REPLIES
from reviewscore.papers.canaries import put_canaries_in_force, read_canaries
from reviewscore.papers.parts import QUESTIONS
from reviewscore.period.venue import VenueFolder, is_venue
from reviewscore.printable import counted
from reviewscore.prompts import use_directory
from reviewscore.report.lines import unread_words
from reviewscore.retrieval.encoder import encoder_of
from reviewscore.runs.audit import audit, finished
from reviewscore.runs.consent import LOCAL, by_route, local_route
from reviewscore.runs.context import with_window
from reviewscore.runs.estimate import CostEstimate, estimate
from reviewscore.runs.folder import MANIFEST, POINTS
from reviewscore.runs.manifest import Manifest
from reviewscore.runs.page_checks import check_pages
from reviewscore.runs.session import Outcome
from reviewscore.sources.collection import Collection

if TYPE_CHECKING:
    from reviewscore.period.audit import VenueAudit
    from reviewscore.report.paper_pages import LaterOf
    from reviewscore.runs.kept_points import KeptPoints
    from reviewscore.similarity.corpus import Corpus


@click.command("audit", cls=options.GroupedCommand, writes_files=True)
@click.argument("data", required=False, type=options.DataPath())
@click.option(
    "-o", "--output", help="Run folder, or - for JSONL on stdout; runs/NAME if not given."
)
@options.path(
    "--review",
    multiple=True,
    help="A review's file, or a folder of them, several times; needs --paper FILE.",
)
@click.option("--paper", multiple=True, help="The paper's file (with --review), or only this id.")
@click.option("--year", type=click.IntRange(1900, 2100), help="Year of the --paper FILE.")
@options.path(
    "--profiles",
    help="Folder of reviewers' papers, as `similarity` reads it: the report shows how near they "
    "are to the paper reviewed.",
)
@options.switch("--dry-run", help="Points, calls, tokens, dollars, hours; asks nothing.")
@options.DRY_RUN_JSON
@options.switch("--show-config", help="Print settings as a file, with origins, and stop.")
@options.switch("--retry-errors", help="Try points again that failed.")
@options.switch("--yes", help="Write into a non-empty folder that is no run folder.")
@options.ACCEPT_CHANGED
@options.switch("--view", help="Open the app on the run while it is written, until Ctrl-C.")
@options.switch("-q", "--quiet", help="Say nothing but errors.")
@options.setting("local_judge")
@options.settings_options
def command(
    data: Path | None,
    output: str | None,
    review: tuple[Path, ...],
    paper: tuple[str, ...],
    year: int | None,
    profiles: Path | None,
    dry_run: bool,
    show_config: bool,
    retry_errors: bool,
    yes: bool,
    accept_changed: bool,
    view: bool,
    quiet: bool,
    **flags: object,
) -> int:
    """Score every point of a batch of reviews into a run folder.

    DATA is a folder with papers.jsonl and reviews.jsonl (or .json, .csv, .xlsx, .parquet), or
    of PDFs with reviews beside them, here or at an address that fsspec knows (s3://..), or a
    venue folder that `sync` keeps, of which only what changed is judged. The same command
    again does only what is missing.

    \b
    Example:  reviewscore audit data/iclr24 -o runs/iclr24 --model openai/gpt-5
              reviewscore audit --paper paper.pdf --review review.txt -o runs/one
              reviewscore audit --paper paper.pdf --review reviews/ -o runs/one

    \b
    With --model exchange:FOLDER, prompts are lines of FOLDER/prompts.jsonl (open.jsonl has
    those that wait), and you append a line for each to FOLDER/replies.jsonl:
      {"prompt": "3f75..64 signs", "reply": {an object that fits its schema}, "by": "Ada"}
    """
    _check_source(data, review, paper)
    options.check_json(dry_run=dry_run)
    only = () if review else paper
    resolved = options.settings_from({**as_settings(flags), "paper": only}, folder=data)
    venue = VenueFolder(data) if data is not None and is_venue(data) else None
    if show_config:
        for line in config_lines(resolved):
            print_line(line)
        return 0
    if output == "-" and (view or profiles is not None):
        raise click.UsageError("--profiles and --view are for run folders; -o - writes none.")
    put_in_force(resolved.settings.bounds)
    put_canaries_in_force(read_canaries(resolved.settings.canaries))
    if venue is not None:
        if output is None and not dry_run:
            judged = partial(
                _venue,
                venue.path,
                resolved,
                quiet=quiet,
                retry_errors=retry_errors,
                accept_changed=accept_changed,
                profiles=None if profiles is None else _profiles(profiles),
            )
            return with_app(venue.run, judged) if view else judged()
        data = venue.data
    with waiting("reading papers and reviews", quiet=quiet):
        collection = read_input(
            data, review, paper, year=year, skip_bad_lines=resolved.settings.skip_bad_lines
        )
    for fault in collection.unread:
        say(f"error: {fault}")
    known = None if profiles is None else _profiles(profiles)
    if dry_run:
        return dry_run_of(collection, resolved)
    name = run_name(data if data is not None else Path(paper[0]))
    if output == "-" and not resolved.settings.embedded:
        raise click.UsageError("-o - keeps no run folder, so paid calls would be lost; name one.")
    if output == "-":
        with tempfile.TemporaryDirectory(prefix=TEMPORARY) as folder:
            return _run(collection, resolved, Path(folder) / "run", quiet=True, to_stdout=True)
    out = Path(output or f"runs/{name}")
    run = partial(
        _run,
        collection,
        resolved,
        out,
        quiet=quiet,
        data=data,
        retry_errors=retry_errors,
        allow_foreign=yes,
        accept_changed=accept_changed,
        profiles=known,
    )
    return with_app(out, run) if view else run()


def _venue(
    path: Path,
    resolved: Resolved,
    *,
    quiet: bool,
    retry_errors: bool,
    accept_changed: bool,
    profiles: Corpus | None,
) -> int:
    """Judge what changed in a venue folder."""
    from reviewscore.period.audit import venue_audit

    with venue_audit(path, resolved, accept_changed=accept_changed) as venue:
        return _run(
            venue.collection,
            resolved,
            venue.out,
            quiet=quiet,
            data=venue.venue.data,
            retry_errors=retry_errors,
            accept_changed=accept_changed,
            profiles=profiles,
            venue=venue,
        )


def _check_source(data: Path | None, review: tuple[Path, ...], paper: tuple[str, ...]) -> None:
    if review and data is not None:
        raise click.UsageError("Name either DATA or --paper FILE --review FILE, not both.")
    if not review and data is None and paper:
        raise click.UsageError(f"--paper {paper[0]} needs its reviews: --review FILE.")
    if not review and data is None:
        raise click.UsageError("Name a folder of papers and reviews, or --paper and --review.")
    if review and len(paper) != 1:
        raise click.UsageError("--review needs exactly one --paper FILE.")


def _profiles(folder: Path) -> Corpus:
    """Profiles, read before anything is asked, so that a fault in them costs nothing."""
    from reviewscore.similarity.corpus import read_corpus

    return read_corpus(folder, submitted=False)


def dry_run_of(
    collection: Collection, resolved: Resolved, *, beside: Mapping[str, object] | None = None
) -> int:
    """Print what scoring a collection would cost; nothing is asked.

    Args:
        collection: Papers and reviews.
        resolved: The settings.
        beside: What else the estimate holds, where it is printed as JSON.
    """
    settings = with_window(resolved).settings
    check(settings, keys=False)
    check_pages(collection, settings, draw=False, say=say)
    local_route(collection, resolved)  # its judge is refused before anything is paid
    with waiting("estimating the cost"):
        cost_estimate = estimated(collection, settings, compare=True)
    left = by_route(collection, settings).counts
    told = [*lines(cost_estimate, settings), *([] if left is None else left.words)]
    beside = {**(beside or {}), **({} if left is None else {"consent": left.model_dump()})}
    print_estimate(cost_estimate, settings, told, beside=beside)
    return PARTLY if collection.unread else 0


def _priced(collection: Collection, settings: Settings, *, quiet: bool) -> CostEstimate:
    """The estimate of a run that asks models, shown and agreed to.

    Raises:
        Abort: The user does not agree.
    """
    with waiting("estimating the cost", quiet=quiet):
        cost_estimate = estimated(collection, settings, compare=True)
    for line in () if quiet else lines(cost_estimate, settings):
        say(line)
    if not agreed(cost_estimate, settings):
        raise click.Abort
    return cost_estimate


def _note_estimate(
    cost_estimate: CostEstimate, settings: Settings, outcome: Outcome[Manifest]
) -> None:
    """Remember how far the estimate was off, where a whole run paid for everything itself."""
    if settings.selection or not settings.cache:
        return
    from reviewscore.llm.ledger.upkeep import note_estimate

    manifest = outcome.manifest
    note_estimate(
        settings.ledger_place,
        manifest.run_id,
        settings.model,
        calls=sum(cost_estimate.calls.values()),
        usd=cost_estimate.usd,
        finished=manifest.complete and not manifest.spending.reused and not outcome.failed,
    )


def score(
    collection: Collection,
    resolved: Resolved,
    out: Path,
    *,
    quiet: bool,
    data: Path | None = None,
    retry_errors: bool = False,
    allow_foreign: bool = False,
    accept_changed: bool = False,
    kept: KeptPoints | None = None,
) -> tuple[Settings, Outcome[Manifest]]:
    """Score a collection into a run folder, with all that is said and agreed to before.

    Returns:
        The settings as they were used, and how the session ended.

    Raises:
        Abort: The user does not agree to the cost.
        ReviewScoreError: As `runs.audit.audit`; or there is no review.
    """
    if resolved.settings.embedded and not quiet:
        origin = " (the default)" if resolved.origins["model"] == "default" else ""
        encoder = encoder_of(resolved.settings, origin=resolved.origins["encoder"])
        ranked = "" if encoder is None else f", with the sentence encoder {encoder.name}"
        say(
            f"judge: lexical{origin}, an evidence finder without a model{ranked}; "
            "it finds quotes to read and does not judge truth",
        )
    warn(() if quiet else collection.warnings)
    for line in () if quiet else collection.skipped:
        say(f"left out: {line}")
    if not collection.reviews:
        raise InputError("there is no review to audit", cure="mend the lines that were left out")
    resolved = checked(resolved, kept=out / MANIFEST)
    resolved = with_window(resolved, out, say=(lambda _: None) if quiet else say)
    settings = resolved.settings
    price = None
    if not settings.embedded and not finished(
        collection, out, resolved, retry_errors=retry_errors, accept_changed=accept_changed
    ):
        check_pages(collection, settings, draw=False)  # before anybody is asked about its cost
        price = _priced(collection, settings, quiet=quiet)
    with TerminalProgress(quiet=quiet, before="splitting reviews into points") as progress:
        outcome = audit(
            collection,
            out,
            resolved,
            data=data,
            progress=progress,
            allow_foreign=allow_foreign,
            retry_errors=retry_errors,
            accept_changed=accept_changed,
            prompt_sizes=None if price is None else price.prompts,
            kept=kept,
        )
    if price is not None:
        _note_estimate(price, settings, outcome)
    return settings, outcome


def _run(
    collection: Collection,
    resolved: Resolved,
    out: Path,
    *,
    quiet: bool,
    data: Path | None = None,
    retry_errors: bool = False,
    allow_foreign: bool = False,
    accept_changed: bool = False,
    to_stdout: bool = False,
    profiles: Corpus | None = None,
    venue: VenueAudit | None = None,
) -> int:
    how: dict[str, Any] = {"quiet": quiet, "data": data, "retry_errors": retry_errors}
    how |= {"allow_foreign": allow_foreign, "accept_changed": accept_changed}
    apart, code = local_route(collection, resolved), 0  # refused before anything is paid
    kept = None if venue is None else venue.kept_in(out, resolved.settings)
    settings, outcome = score(collection, resolved, out, kept=kept, **how)
    if apart is not None and not (to_stdout or outcome.interrupted):
        if not quiet:
            print_line(f"judged on this machine only, into {out / LOCAL}:")
        code = _run(*apart, out / LOCAL, venue=venue, **how)
    elif venue is not None:  # once, when all is judged, and before it is reported
        venue.settle()
    if to_stdout:
        sys.stdout.writelines(line.decode() for _, line in read_lines(out / POINTS))
    else:
        if profiles is not None:
            from reviewscore.cli.similarity.reviews import note

            texts = note(out, collection, profiles, accept_changed=accept_changed)
            for sentence in () if quiet else texts:
                say(sentence)
        later = None if venue is None else venue.later
        _close(collection, out, settings, outcome, quiet=quiet, accept_changed=accept_changed,
               later=later)  # fmt: skip
    errors = out / "errors.jsonl"
    failed = f"{outcome.failed} points, reviews or files failed (see {errors}); "
    return exit_code(outcome, out, f"{failed}--retry-errors tries them again") or code


def _close(
    collection: Collection,
    out: Path,
    settings: Settings,
    outcome: Outcome[Manifest],
    *,
    quiet: bool,
    accept_changed: bool,
    later: LaterOf | None = None,
) -> None:
    """Summary, report, and the last lines on the terminal."""
    from reviewscore.report.lines import session_line, summary_lines

    with waiting("writing the report", quiet=quiet):
        summary, page = conclude(out, collection, accept_changed=accept_changed, later=later)
    if quiet:
        return
    for line in summary_lines(summary):
        print_line(line)
    if outcome.before:
        print_line(session_line(outcome.new, outcome.before, outcome.seconds))
    print_line(f"report: {page}")
    print_line(f"next:   {_next(settings, outcome, out)}")


def _next(settings: Settings, outcome: Outcome[Manifest], out: Path) -> str:
    """What to do after a session."""
    if not (outcome.stopped or outcome.interrupted):
        return shlex.join(("reviewscore", "export", str(out), "-o", f"{out.name}.csv"))
    folders = [
        Path(model.removeprefix(EXCHANGE))
        for model in settings.models
        if model.startswith(EXCHANGE)
    ]
    asked = [folder for folder in folders if (folder / OPEN).is_file()]
    if not asked:
        return "the same command again goes on where this one ended"
    steps = [
        f"write replies to the prompts in {path / OPEN} into {path / REPLIES}" for path in asked
    ]
    return f"{'; '.join(steps)}; then the same command again"


def lines(cost_estimate: CostEstimate, settings: Settings) -> list[str]:
    """The estimate in words; nothing was asked."""
    points = sum(cost_estimate.points.values())
    kinds = ", ".join(
        counted(count, str(kind)) for kind, count in sorted(cost_estimate.points.items())
    )
    head = " · ".join(
        counted(count, noun)
        for count, noun in (
            (cost_estimate.papers, "paper"),
            (cost_estimate.reviews, "review"),
            (points, "point"),
        )
    )
    texts = [f"{head} ({kinds})" if kinds else head]
    if settings.embedded:
        return [*texts, "judge: lexical; no calls, no cost"]
    if settings.points == "auto":
        texts[0] += "; counted by rules, the model's own split of the reviews decides"
    if cost_estimate.unread is not None:
        more = (
            "; --paper-parts all shows everything"
            if cost_estimate.unread.papers.keys() - {QUESTIONS}
            else ""
        )
        texts.append(f"{unread_words(cost_estimate.unread)}{more}")
    texts += page_lines(cost_estimate, settings)
    from reviewscore.llm.ledger.upkeep import info

    past = error_lines(info(settings.ledger_place).errors)
    protocols = protocols_line(cost_estimate)
    own = estimate_lines(cost_estimate, settings)
    return [*texts, *own, *([protocols] if protocols else []), *past]


def estimated(collection: Collection, settings: Settings, *, compare: bool = False) -> CostEstimate:
    """The estimate of a run, with its own prompts; arguments as of `estimate`."""
    with use_directory(settings.prompts_dir):
        return asyncio.run(estimate(collection, settings, compare=compare))


_WIDTH = 44
"""Columns before the origin."""


def config_lines(resolved: Resolved) -> Iterator[str]:
    """The settings, table by table; what is not set, or is for one run only, is a comment."""
    own = user_settings_file()
    yield f"# your own settings: {own}{'' if own.is_file() else ' (not there)'}"
    values: dict[str, Plain] = resolved.settings.model_dump(mode="json")
    shown = set()
    for table, keys in TABLES.items():
        yield f"[{table}]"
        for key, setting in keys.items():
            name, _, judge = setting.partition(".")
            shown.add(name)
            value = values[name]
            if judge:
                value = value.get(judge) if isinstance(value, dict) else None
            origin = resolved.origins[name] if not judge or value is not None else "default"
            yield _line(key, value, f"{origin}; REVIEWSCORE_{name.upper()}")
        yield ""
    yield "# of one run, by flag or variable:"
    for name, value in values.items():
        if name not in shown:
            origin = f"{resolved.origins[name]}; REVIEWSCORE_{name.upper()}"
            yield f"# {_line(name, value, origin).removeprefix('# ')}"


def _line(key: str, value: Plain, origin: str) -> str:
    if value is None:
        return f"{f'# {key} is not set':{_WIDTH}} # {origin}"
    text = json.dumps(without_credentials(value), ensure_ascii=False)
    return f"{f'{key} = {text}':{_WIDTH}} # {origin}"
