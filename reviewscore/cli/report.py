"""``reviewscore report``: write the report of a run as HTML, Markdown or JSON."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reviewscore.cli import options
from reviewscore.cli.alarms import Alarms, alarm_options
from reviewscore.cli.delivering import PeoplesPages, delivery_options
from reviewscore.cli.inputs import collection_of
from reviewscore.cli.main import PARTLY
from reviewscore.cli.terminal import print_line, print_text, say, waiting, warn
from reviewscore.cli.verb import Verb
from reviewscore.errors import RunFolderError, SettingsError

if TYPE_CHECKING:
    from reviewscore.config import Plain
    from reviewscore.period.snapshot import ShownRun
    from reviewscore.report.paper_pages import LaterOf
    from reviewscore.report.role_pages import ShownFlags


@click.command("report", cls=Verb, writes_files=True)
@click.argument("run", type=options.PATH)
@options.path(
    "-o",
    "--output",
    help="x.html, x.md or x.json, or - for Markdown on stdout; RUN/report.html if not given.",
)
@click.option(
    "--data",
    type=options.DataPath(),
    help="Folder of papers and reviews, if it has moved: gives context to points and quotes; "
    "checked whatever is written.",
)
@click.option(
    "--for",
    "reader",
    type=click.Choice(
        ["meta-reviewer", "reviewer", "author", "area-chair", "senior-chair", "program-chair"]
    ),
    help="A page for one reader: misinformed points with proof, kind notes, or a rebuttal sheet; "
    "the chairs with --out-of.",
)
@delivery_options
@alarm_options
@click.option(
    "--as-of",
    help="Of a venue folder: its papers, reviews and points as of a day (2026-05-03, its end in "
    "UTC), a time, or the number of a sync.",
)
@options.ACCEPT_CHANGED
def command(
    run: Path,
    output: Path | None,
    data: Path | None,
    reader: str | None,
    as_of: str | None,
    *,
    accept_changed: bool,
    **flags: Any,
) -> int:
    """Write the report of a run, or of a venue folder, as HTML, Markdown or JSON.

    \b
    Example:  reviewscore report runs/iclr24 -o iclr24.md
              reviewscore report runs/iclr24 --for meta-reviewer -o pages
              reviewscore report VENUE --for area-chair --out-of assignments.csv
              reviewscore report VENUE --as-of 2026-05-03
    """
    from reviewscore.period.snapshot import shown_run
    from reviewscore.period.venue import venue_above, whole_venue
    from reviewscore.runs.folder import check_destination

    delivers = reader is not None
    people, alarms = PeoplesPages.of(flags, reader), Alarms(**flags)
    alarms.check(delivers=delivers)
    if as_of is not None and people.table is not None:
        raise SettingsError("people are given what is there now; leave out --as-of or --out-of")
    if output is not None:
        check_destination(output)
    run = whole_venue(run)
    with shown_run(run, as_of, accept_changed=accept_changed) as shown:
        warn(shown.notes if as_of is None else ())
        code = alarms.ends(run, shown.run, output, delivers=delivers, accept_changed=accept_changed)
        if code is not None:
            return code
        if people.table is not None:
            with waiting("writing pages"):
                pushed = alarms.pusher(run, data)
                return people.write(run, output, data, pushed, accept_changed=accept_changed)
        output = output or shown.output(folder=delivers)
        data = data or shown.data
        if reader is not None:
            with waiting("writing pages"):
                flags_shown = alarms.shown(
                    run, shown.run, reader, data, accept_changed=accept_changed
                )
                return _for(
                    shown.run,
                    reader,
                    output,
                    data,
                    shown=flags_shown,
                    later=shown.later,
                    accept_changed=accept_changed,
                    venue=venue_above(run),
                )
        return _write(shown, output, data, accept_changed=accept_changed)


def _write(shown: ShownRun, output: Path | None, data: Path | None, *, accept_changed: bool) -> int:
    """Write the report of a run."""
    from reviewscore.files import write_whole
    from reviewscore.report.html import write_report
    from reviewscore.report.markdown import markdown_report
    from reviewscore.report.summary import summarise, write_summary

    run = shown.run
    ending = ".html" if output is None else output.suffix.lower()
    page = ending in (".html", ".htm")
    collection = (
        collection_of(run, data, accept_changed=accept_changed)
        if page or data is not None
        else None
    )
    if output == Path("-"):
        print_text(markdown_report(run, accept_changed=accept_changed), newline=False)
        return 0
    if ending == ".md" and output is not None:
        write_whole(output, markdown_report(run, accept_changed=accept_changed), named=True)
    elif ending == ".json" and output is not None:
        summary = summarise(run, accept_changed=accept_changed)
        write_whole(output, summary.model_dump_json(indent=2) + "\n", named=True)
    elif page:
        papers = reviews = None
        if collection is not None:
            papers = collection.paper_unchecked
            reviews = collection.review
        with waiting("writing the report"):
            write_summary(run, accept_changed=accept_changed)
            pages = write_report(
                run,
                papers,
                reviews,
                out=output,
                accept_changed=accept_changed,
                later=shown.later,
                notes=shown.notes,
            )
        output = pages[0]
    else:
        raise SettingsError(f"unknown ending '{ending}'; use .html, .md or .json")
    print_line(str(output))
    return 0


def _for(
    run: Path,
    reader: str,
    output: Path | None,
    data: Path | None,
    *,
    shown: ShownFlags | None,
    later: LaterOf | None,
    accept_changed: bool,
    venue: Path | None,
) -> int:
    """Write the pages for one reader; those of a venue stand in its log."""
    from reviewscore.period import log
    from reviewscore.period.budget import pushed_in
    from reviewscore.report.role_pages import write_for
    from reviewscore.report.roles import Reader

    collection = collection_of(run, data, accept_changed=accept_changed)

    def title(paper_id: str) -> str | None:
        handle = None if collection is None else collection.papers.get(paper_id)
        return None if handle is None else handle.title

    papers = None if collection is None else collection.paper_unchecked
    reviews = None if collection is None else collection.review
    failed: list[RunFolderError] = []
    written = write_for(
        run,
        Reader(reader),
        titles=title,
        papers=papers,
        reviews=reviews,
        out=output,
        shown=shown,
        later=later,
        failed=failed,
        accept_changed=accept_changed,
    )
    for path in written:
        print_line(str(path))
    if venue is not None:
        details: dict[str, Plain] = {"role": reader, "pages": len(written)}
        log.append(venue, "reported", details=details, files=pushed_in(venue))
    for error in failed:
        say(f"error: {error}")
    return PARTLY if failed else 0
