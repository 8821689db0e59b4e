"""``reviewscore cache``: look at the ledger of paid calls, take calls out of it, empty it."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from reviewscore.cli import options
from reviewscore.cli.closing import agreed_to
from reviewscore.cli.main import WRONG_USE
from reviewscore.cli.terminal import print_line, say
from reviewscore.cli.verb import Verb

if TYPE_CHECKING:
    from reviewscore.llm.ledger.store import Location
    from reviewscore.llm.ledger.upkeep import Info

_LEDGER = click.option(
    "--ledger", help="PostgreSQL database that holds the ledger, in place of the file."
)


@click.group("cache")
def command() -> None:
    """Look at the ledger of paid calls, take calls out of it, or empty it.

    Every call to a model is recorded there with request, reply, tokens and price; no run pays
    for an equal call again.
    """


@command.command("info", cls=Verb)
@click.argument("run", required=False, type=options.RUN)
@_LEDGER
@options.CONFIG_OPTION
@options.ACCEPT_CHANGED
def show(run: Path | None, ledger: str | None, *, accept_changed: bool) -> int:
    """Say where the ledger lies and what it holds (of a RUN made with --no-cache, its own).

    \b
    Example:  reviewscore cache info
    """
    from reviewscore.llm.ledger.upkeep import info

    _run_id(run, accept_changed=accept_changed)  # refuses what is no run folder
    for line in lines(info(_place(run, ledger))):
        print_line(line)
    return 0


@command.command("export", cls=Verb)
@click.argument("run", required=False, type=options.RUN)
@click.option("-o", "--output", default="-", help="File (.gz is compressed); - for stdout.")
@_LEDGER
@options.CONFIG_OPTION
@options.ACCEPT_CHANGED
def export(run: Path | None, output: str, ledger: str | None, *, accept_changed: bool) -> int:
    """Write calls as JSON lines: all of them, or those that a RUN has used.

    \b
    Example:  reviewscore cache export runs/iclr24 -o calls.jsonl.gz
    """
    from reviewscore.files import drafted
    from reviewscore.llm.ledger.upkeep import exported

    run_id = _run_id(run, accept_changed=accept_changed)
    calls = exported(_place(run, ledger), run=run_id)
    if output == "-":
        for call in calls:
            print_line(call.model_dump_json())
        return 0
    count = 0
    with drafted(Path(output), named=True) as draft, _opened(draft, Path(output).suffix) as file:
        for call in calls:
            file.write(call.model_dump_json() + "\n")
            count += 1
    say(f"{count} calls: {output}")
    return 0


@command.command("clear", cls=Verb)
@_LEDGER
@options.CONFIG_OPTION
@options.switch("--yes", help="Delete it without asking.")
def empty(yes: bool, ledger: str | None) -> int:
    """Delete the ledger: runs that are not finished will pay again for what they had.

    In a database its tables are emptied, for everybody who uses it.

    \b
    Example:  reviewscore cache clear --yes
    """
    from reviewscore.llm.ledger.upkeep import clear, info

    place = _place(None, ledger)
    found = info(place)
    if found.open_jobs:
        say(f"{found.open_jobs} batch jobs are still open at the provider")
    whose = ", the calls of everybody who uses it" if found.shared else ""
    if not agreed_to(f"this deletes {found.name}{whose}", yes=yes):
        return WRONG_USE
    print_line(f"{clear(place) / 1e6:.1f} MB deleted")
    return 0


def lines(info: Info) -> list[str]:
    """What a ledger holds, in words."""
    texts = [f"ledger: {info.name} ({info.size / 1e6:.1f} MB)"]
    for use in info.models:
        share = use.cached_tokens / use.input_tokens if use.input_tokens else 0.0
        price = "price not known" if use.usd is None else f"${use.usd:,.2f}"
        texts.append(
            f"  {use.model}: {use.calls:,} calls, {use.input_tokens:,} tokens in "
            f"({share:.0%} cached), {use.output_tokens:,} out, {price}"
        )
    texts.append(f"runs: {info.runs}; open batch jobs: {info.open_jobs}")
    texts += error_lines(info.errors)
    return texts


def error_lines(errors: tuple[float, ...]) -> list[str]:
    """How far past estimates were off, in words; nothing if there are none."""
    if not errors:
        return []
    from reviewscore.printable import counted

    return [
        f"past estimates: {counted(len(errors), 'finished run')} came to "
        f"{' to '.join(dict.fromkeys(f'{value:.2f}' for value in (min(errors), max(errors))))} "
        "times what was estimated"
    ]


def _place(run: Path | None, ledger: str | None) -> Location:
    """Where the ledger lies that a run has used."""
    if run is not None:
        from reviewscore.llm.ledger.store import FILE

        if (run / FILE).is_file():
            return run
    return options.settings_from({"ledger": ledger}).settings.ledger_place


def _run_id(run: Path | None, *, accept_changed: bool) -> str | None:
    """Name of a run in the ledger; None where none was named."""
    from reviewscore.runs.folder import read_manifest

    return None if run is None else read_manifest(run, accept_changed=accept_changed).run_id


def _opened(draft: Path, ending: str) -> TextIO:
    if ending == ".gz":
        return gzip.open(draft, "wt", encoding="utf-8")
    return draft.open("w", encoding="utf-8")
