"""``reviewscore fetch``: papers and reviews from OpenReview, or from its exported notes."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reviewscore.cli.main import PARTLY, STOPPED
from reviewscore.cli.tabling import say
from reviewscore.errors import SettingsError

if TYPE_CHECKING:
    from reviewscore.sources.openreview.fetch import Fetched
    from reviewscore.sources.openreview.server import Server

_SHOWN = 8
"""Warnings that are printed; all are in fetch.json."""


@click.command("fetch")
@click.argument("names", nargs=-1, metavar="[VENUE | FORUM]...")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), required=True, help="Folder of the data."
)
@click.option(
    "--from-export",
    type=click.Path(path_type=Path),
    help="Exported notes (JSON, JSONL, or a folder of these) instead of the network.",
)
@click.option("--api", type=click.Choice(["1", "2"]), help="Which API; 2, then 1, if not said.")
@click.option(
    "--pdfs/--no-pdfs", default=True, show_default=True, help="Fetch the papers' PDFs too."
)
@click.option("--limit", type=click.IntRange(1), help="So many papers at most.")
def command(
    names: tuple[str, ...],
    output: Path,
    from_export: Path | None,
    api: str | None,
    pdfs: bool,
    limit: int | None,
) -> int:
    """Fetch papers and reviews from OpenReview into a folder that `audit` reads.

    Name a venue (ICLR.cc/2024/Conference) or forums (the id in an address after ?id=). Login by
    OPENREVIEW_USERNAME and OPENREVIEW_PASSWORD, or OPENREVIEW_TOKEN; as a guest where OpenReview
    lets guests in. Run it again to go on where it stopped. People's profiles are never asked for,
    and of names only the anonymous part (Reviewer_aB3d) is kept.

    \b
    Example:  reviewscore fetch ICLR.cc/2024/Conference -o iclr24 --limit 50
              reviewscore fetch --from-export notes/ -o iclr24
              reviewscore audit iclr24 -o runs/iclr24
    """
    from reviewscore.sources.openreview.fetch import Wanted, fetch, read_export
    from reviewscore.sources.openreview.server import Server

    if from_export is not None:
        if names:
            raise SettingsError("--from-export reads files; do not name venues or forums with it")
        return _told(read_export(from_export, output, say=say), output)
    venues = [name for name in names if "/" in name or name == "TMLR"]
    if not names or len(venues) > 1:
        raise SettingsError("name one venue, or forums, or exported notes (--from-export)")

    @cache
    def server(number: int) -> Server:
        return Server(number, say)

    wanted = Wanted(
        venue=venues[0] if venues else None,
        forums=tuple(name for name in names if name not in venues),
        api=int(api) if api else None,
        pdfs=pdfs,
        limit=limit,
    )
    return _told(fetch(wanted, output, say=say, server=server), output)


def _told(found: Fetched, out: Path) -> int:
    """Say what is there, what is not and why; the exit code."""
    from reviewscore.report.lines import counted

    built = found.built
    parts = [counted(built.papers, "paper"), counted(built.reviews, "review")]
    if found.pdfs:
        parts.append(counted(found.pdfs, "PDF"))
    click.echo(f"{out}: {', '.join(parts)}")
    if built.without_reviews:
        say(f"{counted(built.without_reviews, 'paper')} without a review that you may read")
    if built.empty:
        say(f"{counted(built.empty, 'review')} without any text left out")
    for name, reason in list(found.without_pdf.items())[:_SHOWN]:
        say(f"no PDF of {name}: {reason}")
    for warning, count in built.warnings.most_common(_SHOWN):
        say(f"warning: {warning}" + (f" ({count:,} times)" if count > 1 else ""))
    if found.pdfs:
        say(
            "warning: PDFs are the latest versions (of accepted papers the camera-ready), not "
            "always what reviewers read; a flaw mended since looks as if it had never been there"
        )
    if found.stopped is not None:
        say(f"stopped: {found.stopped}")
        return STOPPED
    if found.empty:
        say("nothing of this venue is visible to you: check its id, or log in")
        return PARTLY
    if not built.papers or not built.reviews:
        return PARTLY
    return PARTLY if found.without_pdf else 0
