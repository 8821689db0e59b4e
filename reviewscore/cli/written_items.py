"""Planted remarks that a model writes for ``validate``: flags, cost, session, and what is said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from reviewscore.cli import options
from reviewscore.cli.closing import agreed
from reviewscore.cli.cost import estimate_lines, estimate_record
from reviewscore.cli.terminal import TerminalProgress, print_line, say, waiting
from reviewscore.config import Resolved
from reviewscore.errors import RunFolderError, StopError
from reviewscore.llm.confidentiality import kept_rule, with_kept
from reviewscore.llm.connect import check
from reviewscore.printable import counted
from reviewscore.runs.folder import LOCK, MANIFEST
from reviewscore.schema.validation import WrittenItems
from reviewscore.sources.lazy_papers import PaperHandle
from reviewscore.validation.planted import PlantedPoints, read_planted
from reviewscore.validation.trials import items_of
from reviewscore.validation.writing import (
    ACCOUNT,
    DROPPED,
    FOLDER,
    WriteOutcome,
    WritePlan,
    check_judged,
    expected_to_write,
    items_file,
    left_to_write,
    stand_ins,
    write_items,
)

_SHOWN = 3
"""Papers that failed and are said in full."""


@dataclass(frozen=True)
class ItemsToJudge:
    """Planted points to be judged.

    Attributes:
        file: Where they lie.
        points: The points; of a dry run those that stand in for them.
        resolved: How they are judged: with what writing has left of the spending cap.
        written: How they were written; None of a file that was given.
        failed: Whether a paper lacks some, as no usable reply came.
        beside: What a dry run's estimate as JSON says of the writing.
    """

    file: Path
    points: PlantedPoints
    resolved: Resolved
    written: WrittenItems | None = None
    failed: bool = False
    beside: dict[str, object] | None = None


def items_to_judge(
    given: Path | WritePlan,
    papers: Mapping[str, PaperHandle],
    resolved: Resolved,
    out: Path,
    *,
    dry_run: bool,
    quiet: bool,
    retry_errors: bool,
    allow_foreign: bool,
) -> ItemsToJudge:
    """The planted points of a file, or those that a model writes now or has written.

    Args:
        given: The file, or who writes.
        papers: The papers.
        resolved: How judges are asked, and the limits.
        out: The folder of the validation.
        dry_run: Say what writing would cost, and ask nothing.
        quiet: Say nothing but errors.
        retry_errors: Ask again about papers that failed.
        allow_foreign: Write beside other things too.

    Raises:
        Abort: The user does not agree to the cost, or has interrupted the session.
        ReviewScoreError: The file cannot be read; as of `write_items`; a limit has ended the
            session; the spending cap is used up.
    """
    if isinstance(given, Path):
        return ItemsToJudge(given, read_planted(given), resolved)
    file = items_file(out)
    if dry_run:
        beside, points = _dry_run(papers, given, resolved, out)
        return ItemsToJudge(file, points or read_planted(file), resolved, beside=beside)
    resolved = _with_rule(resolved, out)
    made = _written(
        papers,
        given,
        resolved,
        out,
        quiet=quiet,
        retry_errors=retry_errors,
        allow_foreign=allow_foreign,
    )
    failed = bool(made.failures or made.unconfirmed)
    rest = _rest_of_cap(_with_rule(resolved, out), made, quiet=quiet)
    return ItemsToJudge(file, read_planted(file), rest, made.items, failed)


def source_of(
    items: Path | None,
    papers: Sequence[Path],
    writer: str | None,
    confirmers: tuple[str, ...],
    per_paper: int,
) -> Path | WritePlan:
    """Where planted remarks come from: a file, or who writes them.

    Args:
        items: The file that is named.
        papers: Where papers are; a folder of them may hold planted remarks.
        writer: The model that writes.
        confirmers: Models that confirm what it writes.
        per_paper: How many remarks about each paper it is asked for.

    Raises:
        UsageError: A file and a writer are named, or confirmers and nobody who writes.
        InputError: None of them is named, and no place holds planted remarks.
    """
    if (items is not None and writer) or (confirmers and not writer):
        raise click.UsageError("Name either --items FILE, or --writer MODEL (and --confirmer).")
    return WritePlan(writer, confirmers, per_paper) if writer else items or items_of(papers)


def _dry_run(
    papers: Mapping[str, PaperHandle], plan: WritePlan, resolved: Resolved, out: Path
) -> tuple[dict[str, object], PlantedPoints | None]:
    """Say what writing would cost; nothing is asked.

    Returns:
        The estimate as JSON has it, and points that stand in for those to be written; None if
        all are there.
    """
    settings = plan.settings(resolved.settings)
    check(settings, keys=False)
    check_judged(papers, out)
    left = left_to_write(papers, out)
    with waiting("estimating the cost"):
        expected = expected_to_write(left, plan, settings)
    if not options.wants_json():
        about = f"{counted(len(left), 'paper')} to write about, {plan.per_paper:,} remarks each"
        print_line(f"writing and confirming: {about}")
        for line in estimate_lines(expected, settings):
            print_line(f"  {line}")
        if left:
            print_line(
                f"judging, estimated for {plan.per_paper:,} remarks about each paper, should all "
                "of them pass the checks:"
            )
    record: dict[str, object] = {"writing": estimate_record(expected, settings)}
    return record, stand_ins(papers, plan.per_paper) if left else None


def _written(
    papers: Mapping[str, PaperHandle],
    plan: WritePlan,
    resolved: Resolved,
    out: Path,
    *,
    quiet: bool,
    retry_errors: bool,
    allow_foreign: bool,
) -> WriteOutcome:
    """Have the remarks written, or go on with it, with all that is said and agreed to before."""
    _check_place(out, allow_foreign=allow_foreign)
    check_judged(papers, out)
    # What was judged already stays as it is.
    retry_errors = retry_errors and not (out / MANIFEST).is_file()
    settings = plan.settings(resolved.settings)
    left = left_to_write(papers, out, retry_errors=retry_errors)
    if left:
        for asked in (settings, resolved.settings):  # the judge too, before its items are paid
            check(asked)
        with waiting("estimating the cost", quiet=quiet):
            expected = expected_to_write(left, plan, settings)
        for line in () if quiet else estimate_lines(expected, settings):
            say(f"writing: {line}")
        if not agreed(expected, settings):
            raise click.Abort
    if plan.writer in resolved.settings.models and not quiet:
        say(f"{plan.writer} writes and judges: another writer would tell more of it")
    with TerminalProgress(quiet=quiet, noun="papers", before="asking for remarks") as progress:
        progress.expect(len(papers))
        made = write_items(
            papers,
            plan,
            out,
            resolved.settings,
            retry_errors=retry_errors,
            say=progress.say,
            step=progress.step,
        )
    if not quiet:
        _say_made(made, out)
    if made.interrupted:
        say(f"what is finished is in {out / FOLDER}; run again to go on")
        raise click.Abort
    if made.stopped is not None:
        raise StopError(made.stopped)
    return made


def _check_place(out: Path, *, allow_foreign: bool) -> None:
    """Refuse, before anything is paid, a folder in which there is something else.

    Raises:
        RunFolderError: There is.
    """
    if allow_foreign or not out.is_dir() or (out / MANIFEST).is_file():
        return
    others = (path.name for path in out.iterdir() if path.name not in (LOCK, FOLDER))
    if (other := next(others, None)) is not None:
        raise RunFolderError(
            f"{out} holds {other!r} and is no run folder; choose another folder, or say --yes"
        )


def _say_made(made: WriteOutcome, out: Path) -> None:
    """How many remarks there are, and why others were dropped."""
    items = made.items
    for name, reason in list(made.failures.items())[:_SHOWN]:
        say(f"no remarks about paper '{name}': {reason}")
    if len(made.failures) > _SHOWN:
        say(f"no remarks about {len(made.failures) - _SHOWN:,} more papers")
    if not items.papers:
        return
    say(
        f"remarks: {items.kept:,} of {items.written:,} planted, about "
        f"{counted(items.papers, 'paper')} ({items.mended:,} mended in the second round)"
    )
    if items.dropped:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in items.dropped.items())
        say(f"dropped: {reasons} (see {out / FOLDER / DROPPED})")
    if made.unconfirmed:
        lost, about = sum(made.unconfirmed.values()), counted(len(made.unconfirmed), "paper")
        say(
            f"a confirmer gave no usable reply on {counted(lost, 'remark')} about {about}; "
            "the same command with --retry-errors, and once they are judged with another folder "
            "too, asks for these alone"
        )
    if not items.confirmers:
        say("nobody has confirmed them, so that all are in the stratum hard (--confirmer MODEL)")


def _with_rule(resolved: Resolved, out: Path) -> Resolved:
    """The settings with the venue's rule that a session of writing has kept to."""
    settings = with_kept(resolved.settings, kept_rule(out / FOLDER / ACCOUNT))
    return replace(resolved, settings=settings)


def _rest_of_cap(resolved: Resolved, made: WriteOutcome, *, quiet: bool) -> Resolved:
    """The settings with what is left of the spending cap.

    Raises:
        StopError: Nothing is.
    """
    cap = resolved.settings.max_usd
    if cap is None or not made.spent or resolved.settings.embedded:
        return resolved
    if made.spent >= cap:
        raise StopError(
            f"the cap of ${cap:,.2f} is used up: writing took ${made.spent:,.4f}; to go on, run "
            "the same command with a higher --max-usd"
        )
    if not quiet:
        say(f"of the cap of ${cap:,.2f}, writing took ${made.spent:,.4f}; the rest is the judge's")
    settings = resolved.settings.model_copy(update={"max_usd": cap - made.spent})
    return replace(resolved, settings=settings)
