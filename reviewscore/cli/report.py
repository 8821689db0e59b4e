"""``reviewscore report``: write the report of a run as HTML, Markdown or JSON."""

from __future__ import annotations

from pathlib import Path

import click

from reviewscore.cli import options
from reviewscore.cli.inputs import collection_of
from reviewscore.cli.main import PARTLY
from reviewscore.cli.terminal import print_line, print_text, say, waiting
from reviewscore.cli.verb import Verb
from reviewscore.errors import RunFolderError, SettingsError
from reviewscore.printable import counted

_SHOWN = 20
"""Papers without anybody that are named."""


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
@options.path(
    "--out-of",
    "table",
    help="Table of assignments (person, role, paper, review, conflict): a folder a person, with "
    "what this person may see alone.",
)
@click.option(
    "--release",
    type=click.Choice(["flags", "points"]),
    help="With --for author --out-of: what authors see, points that the paper speaks to or all.",
)
@click.option("--person", help="With --out-of: write this person's folder alone.")
@options.ACCEPT_CHANGED
def command(
    run: Path,
    output: Path | None,
    data: Path | None,
    reader: str | None,
    table: Path | None,
    release: str | None,
    person: str | None,
    *,
    accept_changed: bool,
) -> int:
    """Write the report of a run as HTML, Markdown or JSON.

    \b
    Example:  reviewscore report runs/iclr24 -o iclr24.md
              reviewscore report runs/iclr24 --for meta-reviewer -o pages
              reviewscore report VENUE --for area-chair --out-of assignments.csv
    """
    from reviewscore.period.venue import run_of
    from reviewscore.runs.folder import check_destination

    if output is not None:
        check_destination(output)
    if table is not None:
        with waiting("writing pages"):
            return _deliver(run, table, reader, output, data, release, person,
                            accept_changed=accept_changed)  # fmt: skip
    run = run_of(run)
    if release is not None or person is not None or (reader or "").endswith("-chair"):
        raise SettingsError("chairs, --release and --person go with --out-of assignments.csv")
    if reader is not None:
        with waiting("writing pages"):
            return _for(run, reader, output, data, accept_changed=accept_changed)
    from reviewscore.files import write_whole
    from reviewscore.report.html import write_report
    from reviewscore.report.markdown import markdown_report
    from reviewscore.report.summary import summarise, write_summary

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
            pages = write_report(run, papers, reviews, out=output, accept_changed=accept_changed)
        output = pages[0]
    else:
        raise SettingsError(f"unknown ending '{ending}'; use .html, .md or .json")
    print_line(str(output))
    return 0


def _for(
    run: Path, reader: str, output: Path | None, data: Path | None, *, accept_changed: bool
) -> int:
    """Write the pages for one reader."""
    from reviewscore.report.role_pages import write_for
    from reviewscore.report.roles import Reader

    collection = collection_of(run, data, accept_changed=accept_changed)

    def title(paper_id: str) -> str | None:
        handle = None if collection is None else collection.papers.get(paper_id)
        return None if handle is None else handle.title

    papers = None if collection is None else collection.paper_unchecked
    reviews = None if collection is None else collection.review
    failed: list[RunFolderError] = []
    for path in write_for(
        run,
        Reader(reader),
        titles=title,
        papers=papers,
        reviews=reviews,
        out=output,
        failed=failed,
        accept_changed=accept_changed,
    ):
        print_line(str(path))
    for error in failed:
        say(f"error: {error}")
    return PARTLY if failed else 0


def _deliver(
    run: Path,
    table: Path,
    reader: str | None,
    output: Path | None,
    data: Path | None,
    release: str | None,
    person: str | None,
    *,
    accept_changed: bool,
) -> int:
    """Write a folder for each person."""
    from reviewscore.period.assignments import Role, read_assignments
    from reviewscore.period.deliver import Release, deliver, runs_of
    from reviewscore.period.venue import is_venue
    from reviewscore.period.verify import PAGES

    if reader not in set(Role) - {Role.CONFLICT}:
        raise SettingsError("with --out-of, name a role: --for area-chair, reviewer, author, ..")
    if release is not None and reader != Role.AUTHOR:
        raise SettingsError("--release goes with --for author")
    if output is None and not is_venue(run):
        raise SettingsError("name a folder for the pages with -o")
    delivery = deliver(
        run,
        read_assignments(table),
        Role(reader),
        run / PAGES if output is None else output,
        person=person,
        released=None if release is None else Release(release),
        runs=runs_of(run, data, accept_changed=accept_changed),
    )
    for one in delivery.people:
        print_line(f"{one.folder}: {counted(one.pages, 'page')} with something to read")
        for name in one.absent:
            say(f"{one.person}: '{name}' is not in this run, or has no points there")
    for folder in delivery.removed:
        say(f"{folder}: taken away, as this person is no {reader} any more")
    if delivery.unassigned:
        of = counted(len(delivery.unassigned), "review" if reader == Role.REVIEWER else "paper")
        names = ", ".join(delivery.unassigned[:_SHOWN])
        more = len(delivery.unassigned) - _SHOWN
        also = f" and {more:,} more" if more > 0 else ""
        say(f"{of} that no {reader} may see: {names}{also}")
    for fault in delivery.faults:
        say(f"error: {fault}")
    return PARTLY if delivery.faults else 0
