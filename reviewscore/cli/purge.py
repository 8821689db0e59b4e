"""``reviewscore purge``: say what a run holds and where copies lie, then remove it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reviewscore.bounds import in_megabytes
from reviewscore.cli import options
from reviewscore.cli.closing import agreed_to
from reviewscore.cli.main import PARTLY, WRONG_USE
from reviewscore.cli.terminal import print_line
from reviewscore.cli.verb import Verb
from reviewscore.printable import counted, first_of

if TYPE_CHECKING:
    from reviewscore.runs.purge import RunHoldings

_SHOWN = 8
"""Names that are printed in full; the others are counted."""


@click.command("purge", cls=Verb)
@click.argument("run", type=options.RUN)
@options.switch("--dry-run", help="Say what would be removed, and remove nothing.")
@options.switch("--yes", help="Remove it without asking.")
@options.switch(
    "--exchange",
    help="Take its prompts, and the replies to them, out of its exchange:FOLDER too.",
)
@options.setting("ledger")
@options.CONFIG_OPTION
def command(run: Path, *, dry_run: bool, yes: bool, exchange: bool, ledger: str | None) -> int:
    """Remove a run folder, its calls in the ledger, and other copies of its texts.

    Says first what there is, and what stays and why: calls that other runs use too, files that
    reviewscore did not write, what a provider keeps. Links are not followed. Exit code 3:
    something could not be removed; the same command again goes on.

    \b
    Example:  reviewscore purge runs/iclr24 --dry-run
              reviewscore purge runs/iclr24
    """
    from reviewscore.period.venue import VenueFolder, is_venue
    from reviewscore.period.verify import note_purged
    from reviewscore.runs.purge import holdings_of, purge

    venue = run.parent if is_venue(run.parent) and VenueFolder(run.parent).run == run else None
    settings = options.settings_from({"ledger": ledger}).settings
    held = holdings_of(run, settings.ledger_place, kept_in=settings.ledger_folder)
    for line in lines(held, exchange=exchange):
        print_line(line)
    if venue is not None:
        print_line(
            f"  the rest of the venue folder {venue}: reviews as they were before (syncs), "
            "people's pages, samples, the log; remove the folder when nobody needs them"
        )
    if dry_run:
        return 0
    if not agreed_to(f"this removes {run} and its copies for good", yes=yes):
        return WRONG_USE
    done = purge(held, exchange=exchange)
    note_purged(run)
    for what in done.gone or ("nothing",):
        print_line(f"removed: {what}")
    for left in done.failed:
        print_line(f"could not be removed: {left.what} ({left.why})")
    return PARTLY if done.failed else 0


def lines(held: RunHoldings, *, exchange: bool = False) -> Iterator[str]:
    """What a run holds, where copies lie, and what stays, in words.

    Args:
        held: What was found.
        exchange: Whether prompts are taken out of exchange folders.
    """
    if held.manifest is not None:
        counts, judge = held.manifest.counts, held.manifest.judge
        yield (
            f"{held.run}: judge {judge}, {counted(counts.points, 'point')} of "
            f"{counted(counts.reviews, 'review')} of {counted(counts.papers, 'paper')}"
        )
    yield "to be removed:"
    names = [file.relative_to(held.run).as_posix() for file in held.files]
    yield f"  run folder  {held.run} ({in_megabytes(held.size)}): {first_of(names, _SHOWN)}"
    share = held.share
    if share is not None and (share.calls or share.papers):
        place = "its own ledger" if held.own_ledger else f"the ledger {_place(held)}"
        yield (
            f"  calls       {counted(share.calls, 'call')} ({in_megabytes(share.size)} of prompts "
            f"and replies) and {counted(share.papers, 'text')} of papers in {place}"
        )
    for folder, count in held.exchanges.items() if exchange else ():
        yield f"  exchange    {counted(count, 'line')} of prompts and replies in {folder}"
    for copy in held.copies:
        yield f"  copy        of the data that were fetched: {copy}"
    yield "stays:"
    yield from (f"  {line}" for line in _stays(held, exchange=exchange))
    yield from (f"  {line}" for line in _stays_in_venue(held.run))
    if held.apart is not None:
        yield from lines(held.apart, exchange=exchange)


def _stays(held: RunHoldings, *, exchange: bool) -> Iterator[str]:
    """What is not removed, and why."""
    for remains in held.foreign[:_SHOWN]:
        yield f"{remains.what}: {remains.why}"
    if len(held.foreign) > _SHOWN:
        yield f"{len(held.foreign) - _SHOWN:,} more that reviewscore did not write"
    yield from _stays_in_ledger(held)
    for folder, count in held.exchanges.items():
        if not folder.is_dir():
            yield f"exchange folder {folder}: not to be seen from here"
        elif count and not exchange:
            words = counted(count, "line")
            yield f"exchange folder {folder}: {words} of prompts and replies; --exchange takes them"
        else:
            yield f"exchange folder {folder}: prompts without a reply, and those of other runs"
    manifest = held.manifest
    if manifest is None:
        return
    source = manifest.data or ", ".join(manifest.pair or ())
    if source:
        yield f"the papers and reviews themselves: {source}"
    store = manifest.settings.get("store")
    if store is not None and store.value:
        yield f"what workers wrote to the store {store.value}: remove it there"
    asked = [model for model in held.models if not model.startswith("exchange:")]
    if asked:
        server = manifest.settings.get("base_url")
        where = server.value if server is not None and server.value else ", ".join(asked)
        yield f"what was sent to {where}: kept there by its own rules, out of our reach"
    yield "what nothing records: reports and exports that were written elsewhere, backups"


def _stays_in_venue(run: Path) -> Iterator[str]:
    """What else of the venue folder of a run holds texts, and what removes it."""
    from reviewscore.period.venue import whole_venue

    venue = whole_venue(run)
    places = {
        "data": "papers and reviews", "source": "raw notes", "syncs/*/past.jsonl": "rows of before",
        "syncs/*/*retired.jsonl": "scores of points of before", "taken_back.jsonl": "remarks",
        "as-of-*": "reports of a day", "pages": "what was delivered",
    }  # fmt: skip
    there = [f"{name} ({what})" for name, what in places.items() if any(venue.glob(name))]
    if venue != run and there:
        verb = shlex.join(("reviewscore", "withdraw", str(venue), "NAME"))
        yield (
            f"in {venue}: {', '.join(there)}; `{verb}` takes a paper or review out of all, and "
            "removing the folder takes everything"
        )


def _stays_in_ledger(held: RunHoldings) -> Iterator[str]:

    share = held.share
    if share is None:
        return
    if share.shared_calls or share.shared_papers:
        yield (
            f"in the ledger: {counted(share.shared_calls, 'call')} and "
            f"{counted(share.shared_papers, 'text')} of papers that "
            f"{counted(len(share.other_runs), 'other run')} used too "
            f"({first_of(share.other_runs, _SHOWN)}); they go with the last of these runs"
            if share.other_runs
            else f"in the ledger: {counted(share.shared_papers, 'text')} of papers that calls of "
            "other runs hold too; they go with the last of these runs"
        )
    for job in share.open_jobs:
        yield f"batch job {job}: open at the provider; its replies are not here yet"
    if isinstance(held.location, str):
        yield (
            "what the database's server keeps of deleted rows (write-ahead log, backups): ask "
            "whoever runs it"
        )
    spent = held.manifest is not None and held.manifest.spending.calls
    if spent and not (share.calls or share.shared_calls):
        yield (
            f"the ledger {_place(held)} has no call of this run: they are removed already, or in "
            "another ledger; name it with --ledger or REVIEWSCORE_CACHE_DIR"
        )


def _place(held: RunHoldings) -> str:
    """The ledger as users know it."""
    from reviewscore.addresses import without_credentials
    from reviewscore.llm.ledger.store import FILE

    where = held.location
    return str(where / FILE) if isinstance(where, Path) else str(without_credentials(where))
