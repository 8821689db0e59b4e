"""``reviewscore sync``: keep a venue folder in step with its source, and say what changed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from reviewscore.cli import options
from reviewscore.cli.main import PARTLY
from reviewscore.cli.terminal import print_line, print_text, say
from reviewscore.cli.verb import Verb
from reviewscore.errors import InputError
from reviewscore.printable import counted

if TYPE_CHECKING:
    from reviewscore.period.sync import SyncSource
    from reviewscore.period.venue import SyncRecord
    from reviewscore.sources.openreview.server import Server


_VENUE_ID = re.compile(r"TMLR|\w[\w-]*(\.\w[\w-]*)+(/[\w-]+)*/(19|20)\d\d(/\w[\w.-]*)+")
"""How OpenReview writes its venues: ``ICLR.cc/2027/Conference``, ``thecvf.com/CVPR/2024/..``."""


@click.command("sync", cls=Verb)
@click.argument("source")
@options.path("-o", "--output", required=True, help="The venue folder.")
@options.switch("--export", help="SOURCE is an export of OpenReview's notes.")
@click.option(
    "--consent",
    type=click.Choice(["provider", "local", "none"]),
    help="What the venue allows where papers and reviews do not say; kept for later syncs.",
)
@options.switch("--yes", help="Go on where more than half of the reviews would be withdrawn.")
@options.switch(
    "--skip-bad-lines", help="Go on with lines that cannot be used; what they held stays."
)
@options.switch("--json", "as_json", help="Print the record of this sync as JSON.")
@options.switch("-q", "--quiet", help="Print what changed, and nothing on the way.")
def command(
    source: str,
    output: Path,
    *,
    export: bool,
    consent: Literal["provider", "local", "none"] | None,
    yes: bool,
    skip_bad_lines: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """Keep a venue folder in step with its source: a folder, or a venue of OpenReview.

    What is new, edited, withdrawn, answered, revised, decided or rated is found by content, said
    in a table, and kept with what it was before. Nothing is judged and nothing is sent anywhere;
    `audit VENUE` then judges what changed. Exit code 3: some lines could not be used.

    \b
    Example:  reviewscore sync submissions/ -o iclr27
              reviewscore sync ICLR.cc/2027/Conference -o iclr27
    """
    from reviewscore.period.sync import sync

    tell: Callable[[str], None] = (lambda _: None) if quiet else say
    done = sync(
        _source(source, output, export=export, tell=tell),
        output,
        consent=consent,
        yes=yes,
        skip_bad_lines=skip_bad_lines,
        say=tell,
    )
    if as_json:
        print_text(done.model_dump_json(indent=1))
    else:
        _print(done, output)
    return PARTLY if done.bad_lines else 0


def _source(named: str, venue: Path, *, export: bool, tell: Callable[[str], None]) -> SyncSource:
    """Where the papers and reviews come from: a place on this machine, or OpenReview."""
    from reviewscore.period.sync import SyncSource
    from reviewscore.period.venue import SOURCE

    folder = venue / SOURCE
    if export:
        from reviewscore.sources.openreview.fetch import read_export

        path = Path(named)
        bring = partial(read_export, path, folder, say=tell)
        return SyncSource(folder, str(path.resolve()), "export", bring)
    if Path(named).exists():
        return SyncSource(Path(named))
    if not _VENUE_ID.fullmatch(named):
        raise InputError(
            "there is no such folder, and no venue of OpenReview is called like that",
            file=named,
            cure="check the path; a venue is written as ICLR.cc/2027/Conference",
        )
    tell(f"{named} is not there, so it is taken for a venue of OpenReview")
    from reviewscore.sources.openreview.refresh import refresh
    from reviewscore.sources.openreview.server import Server

    @cache
    def server(number: int) -> Server:
        return Server(number, tell)

    bring_all = partial(refresh, named, folder, say=tell, server=server)
    return SyncSource(folder, named, "openreview", bring_all)


def _print(done: SyncRecord, venue: Path) -> None:
    """The table of what changed, and what to type next."""
    print_line(f"{venue}: sync {done.number}, {done.at}")
    if done.bad_lines:
        bad, kept = counted(done.bad_lines, "line"), counted(done.kept, "row")
        print_line(f"{bad} could not be used; {kept} kept as before")
    kinds = [*{**done.papers, **done.reviews}]
    if not kinds:
        print_line("nothing changed")
        return
    width = max(map(len, kinds))
    print_line(f"{'':{width}}  {'papers':>8}  {'reviews':>8}")
    for kind in kinds:
        counts = (done.papers.get(kind, 0), done.reviews.get(kind, 0))
        print_line(f"{kind:{width}}  " + "  ".join(f"{count:>8,}" for count in counts))
    print_line(f"next: reviewscore audit {shlex.quote(str(venue))}")
