"""``reviewscore fetch``: papers and reviews from OpenReview, or from its exported notes."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reviewscore.cli import options
from reviewscore.cli.main import PARTLY, STOPPED
from reviewscore.cli.terminal import print_line, say
from reviewscore.cli.verb import Verb
from reviewscore.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reviewscore.errors import InputError
    from reviewscore.sources.openreview.fetch import Fetched
    from reviewscore.sources.openreview.server import Server

_TABLES = (".csv", ".tsv", ".xlsx", ".xlsm", ".xls", ".ods", ".parquet")
_NOTES = (".json", ".jsonl")
_LONGEST_SHOWN = 200
_SHOWN = 8
"""Warnings that are printed; all are in fetch.json."""


@click.command("fetch", cls=Verb)
@click.argument("names", nargs=-1, metavar="[VENUE | FORUM]...")
@options.path("-o", "--output", required=True, help="Folder of the data.")
@options.path(
    "--from-export",
    help="Exported notes (JSON, JSONL, or a folder of these) instead of the network.",
)
@options.path("--from-corpus", help="A folder in the layout of PeerRead or NLPeer.")
@options.path(
    "--from-table",
    help="Any venue's table of reviews: CSV, spreadsheet, JSONL or Parquet, see --columns.",
)
@click.option(
    "--columns",
    multiple=True,
    metavar="OURS=THEIRS",
    help="What a column of the table holds: paper_id, review (the whole text), rating, .. or a "
    "box of the form, as in weaknesses='Cons'.",
)
@options.path("--papers", help="With --from-table: folder of the papers, files named by paper_id.")
@click.option("--api", type=click.Choice(["1", "2"]), help="Which API; 2, then 1, if not said.")
@options.preset("--pdfs/--no-pdfs", default=True, help="Fetch the papers' PDFs too.")
@options.switch(
    "--first-versions",
    help="Take reviews as they were first written, not as changed since: a request for each that "
    "was changed.",
)
@options.switch(
    "--assignments",
    help="With --from-export: write only the table of assignments (CSV) of its notes and groups, "
    "by their anonymous ids.",
)
@click.option("--limit", type=click.IntRange(1), help="So many papers at most.")
def command(
    names: tuple[str, ...],
    output: Path,
    from_export: Path | None,
    from_corpus: Path | None,
    from_table: Path | None,
    columns: tuple[str, ...],
    papers: Path | None,
    api: str | None,
    pdfs: bool,
    first_versions: bool,
    assignments: bool,
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
              reviewscore fetch --from-table reviews.xlsx --columns review=Comments
                --columns paper_id="Paper ID" --papers pdfs/ -o ours
              reviewscore audit iclr24 -o runs/iclr24
    """
    from reviewscore.sources.openreview.fetch import read_export

    local = [path for path in (from_export, from_corpus, from_table) if path is not None]
    if len(local) > 1 or (local and names):
        raise SettingsError("name one source: a venue or forums, or one of the --from- flags")
    if first_versions and local:
        raise SettingsError("--first-versions goes with a venue or forums of OpenReview")
    if (columns or papers) and from_table is None:
        raise SettingsError("--columns and --papers go with --from-table")
    if assignments:
        return _assignments(from_export, output)
    if from_table is not None:
        return _table(from_table, columns, papers, output)
    if from_corpus is not None:
        return _corpus(from_corpus, output)
    if from_export is not None:
        return _report(read_export(from_export, output, say=say), output)
    return _fetch(names, output, api, limit, pdfs=pdfs, first_versions=first_versions)


def _fetch(
    names: tuple[str, ...],
    output: Path,
    api: str | None,
    limit: int | None,
    *,
    pdfs: bool,
    first_versions: bool,
) -> int:
    """Fetch a venue or forums."""
    from reviewscore.sources.openreview.fetch import FetchTargets, fetch
    from reviewscore.sources.openreview.server import Server

    names = tuple(map(_named, names))
    venues = [name for name in names if "/" in name or name == "TMLR"]
    if not names or len(venues) > 1:
        raise SettingsError("name one venue, or forums, or one of the --from- flags")

    @cache
    def server(number: int) -> Server:
        return Server(number, say)

    wanted = FetchTargets(
        venue=venues[0] if venues else None,
        forums=tuple(name for name in names if name not in venues),
        api=int(api) if api else None,
        pdfs=pdfs,
        limit=limit,
        first_versions=first_versions,
    )
    return _report(fetch(wanted, output, say=say, server=server), output)


def _named(name: str) -> str:
    """The id in an address of OpenReview's site; another name as it is."""
    from urllib.parse import parse_qs, urlsplit

    _check_no_file(name)
    if not name.startswith(("http://", "https://")):
        return name
    try:
        texts = parse_qs(urlsplit(name).query).get("id")
    except ValueError:  # no address after all
        texts = None
    if not texts:
        raise SettingsError(f"{name} names no forum or venue; give what stands after ?id=")
    return texts[0]


def _check_no_file(name: str) -> None:
    """A file or folder is none of OpenReview's ids, whatever its name looks like.

    Raises:
        SettingsError: It is one, or is named like one; says which flag takes it.
    """
    path = Path(name)
    ending = path.suffix.lower()
    try:
        there = path.is_file()
        fetched = name == "TMLR" or (path / "fetch.json").exists()  # a folder called as its venue
        if path.is_dir() and not fetched:
            folder = name[:_LONGEST_SHOWN]
            raise SettingsError(
                f"{folder} is a folder here, not a venue or forum of OpenReview; type "
                f"reviewscore fetch --from-export {folder} -o FOLDER (notes), --from-corpus "
                f"{folder} (PeerRead, NLPeer), or reviewscore audit {folder} (PDFs with reviews)"
            )
    except (OSError, ValueError):  # a name that no file can have
        there = False
    if not there and ending not in (*_TABLES, *_NOTES):
        return
    flag = "--from-export" if ending in _NOTES else "--from-table"
    also = " (a table of reviews: --from-table)" if ending in _NOTES else ""
    raise SettingsError(
        f"{name[:_LONGEST_SHOWN]} is a file, not a venue or forum of OpenReview; type "
        f"reviewscore fetch {flag} {name[:_LONGEST_SHOWN]} -o FOLDER{also}"
    )


def _table(table: Path, columns: tuple[str, ...], papers: Path | None, out: Path) -> int:
    from reviewscore.config import pairs
    from reviewscore.sources.corpora import convert_table

    corpus = convert_table(
        table, pairs(columns, origin="--columns", form="OURS=THEIRS"), out, papers=papers
    )
    if corpus.unused:
        say(f"columns that are not used: {', '.join(corpus.unused)} (name them with --columns)")
    return _converted(corpus.papers, corpus.reviews, corpus.faults, out)


def _assignments(path: Path | None, out: Path) -> int:
    if path is None:
        raise SettingsError("--assignments goes with --from-export")
    from reviewscore.files import write_whole
    from reviewscore.printable import counted
    from reviewscore.sources.openreview.groups import assignments_in

    table, elsewhere = assignments_in(path)
    write_whole(out, table, named=True)
    print_line(f"{out}: {counted(table.count(chr(10)) - 1, 'assignment')}")
    if elsewhere:
        say(f"left out: {counted(elsewhere, 'group')} of papers that are not in the export")
    say("groups hold no conflicts; add rows with the role conflict")
    return 0


def _corpus(path: Path, out: Path) -> int:
    from reviewscore.sources.corpora import convert_corpus

    corpus = convert_corpus(path, out)
    for reason, count in corpus.left_out.items():
        say(f"left out: {count:,} {reason}")
    return _converted(corpus.papers, corpus.reviews, corpus.faults, out)


def _converted(papers: int, reviews: int, faults: Sequence[InputError], out: Path) -> int:
    from reviewscore.printable import counted

    print_line(f"{out}: {counted(papers, 'paper')}, {counted(reviews, 'review')}")
    for fault in faults[:_SHOWN]:
        say(f"left out: {fault}")
    if len(faults) > _SHOWN:
        say(f"and {len(faults) - _SHOWN:,} more")
    return PARTLY if faults or not reviews else 0


def _report(response: Fetched, out: Path) -> int:
    """Say what is there and what is not; the exit code."""
    from reviewscore.printable import counted

    built = response.built
    parts = [counted(built.papers, "paper"), counted(built.reviews, "review")]
    if response.pdfs:
        parts.append(counted(response.pdfs, "PDF"))
    print_line(f"{out}: {', '.join(parts)}")
    if response.first_versions or response.hidden_versions:
        hidden = f"; of {response.hidden_versions:,} more it may not be seen"
        say(
            f"first versions of {counted(response.first_versions, 'changed review')}"
            + (hidden if response.hidden_versions else "")
        )
    if built.without_reviews:
        say(f"{counted(built.without_reviews, 'paper')} without a review that you may read")
    if built.without_text:
        say(
            f"{counted(built.without_text, 'paper')} without a text; `audit --skip-bad-lines` "
            "goes on without"
        )
    if built.empty:
        say(f"{counted(built.empty, 'review')} without any text left out")
    _say_what_failed(response)
    for warning, count in built.warnings.most_common(_SHOWN):
        say(f"warning: {warning}" + (f" ({count:,} times)" if count > 1 else ""))
    if response.pdfs:
        say(
            "warning: PDFs are the latest versions (of accepted papers the camera-ready), not "
            "always what reviewers read; a flaw mended since looks as if it had never been there"
        )
    return _ended(response)


def _say_what_failed(response: Fetched) -> None:
    """Say which forums and PDFs are not there, and why."""
    for name in response.missing[:_SHOWN]:
        say(f"no forum '{name}' is visible to you: check its id, or log in")
    for what, failed in (("forum", response.failed), ("PDF of", response.without_pdf)):
        for name, reason in list(failed.items())[:_SHOWN]:
            say(f"no {what} {name}: {reason}")


def _ended(response: Fetched) -> int:
    """Say how it ended; the exit code."""
    if response.stopped is not None:
        say(f"stopped: {response.stopped}")
        return STOPPED
    if response.empty:
        say(
            "nothing of this venue is visible to you: check its id to the letter "
            "(ICLR.cc/2017/conference), or log in"
        )
        return PARTLY
    whole = response.built.papers and response.built.reviews
    lost = response.missing or response.failed or response.without_pdf
    return 0 if whole and not lost else PARTLY
