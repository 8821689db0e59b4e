"""The pages for a reader written down: one file, or a folder with a page for each paper."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from reviewscore import __version__
from reviewscore.config import EMBEDDED
from reviewscore.errors import RunFolderError, SettingsError
from reviewscore.files import write_whole
from reviewscore.report.head import doubted_words
from reviewscore.report.html import page_environment
from reviewscore.report.pages import PaperOf, look_up, rows_of
from reviewscore.report.roles import Reader, sheet
from reviewscore.report.sheet import Sheet, markdown
from reviewscore.runs.folder import changed_records, points_by_offset, read_manifest
from reviewscore.runs.manifest import Manifest
from reviewscore.sources.data_folder import digest_name, file_name

TitleOf = Callable[[str], str | None]
_ENDINGS = (".html", ".htm", ".md")


def write_for(
    run: Path,
    reader: Reader,
    *,
    titles: TitleOf | None = None,
    papers: PaperOf | None = None,
    out: Path | None = None,
    failed: list[RunFolderError] | None = None,
    accept_changed: bool = False,
) -> list[Path]:
    """Write a run's pages for a reader.

    Points of one paper are held at a time.

    Args:
        run: The run folder.
        reader: Who reads it.
        titles: Gives a paper's title by its id.
        papers: Gives a paper by its id, for what stands at the places that points name.
        out: A file (``.html`` or ``.md``) for all papers, or a folder with an HTML page and a
            Markdown page for each; a file in the run folder if None.
        failed: Takes why single pages of a folder could not be written; without it the first
            reason is raised when all others are written.
        accept_changed: Go on with records that something else has changed, and say so.

    Returns:
        The files written.

    Raises:
        RunFolderError: The run cannot be read, its records were changed, or a file cannot be
            written.
        SettingsError: The ending is none of these.
    """
    target = run / f"for-{reader.value}.html" if out is None else out
    ending = target.suffix.lower()
    manifest = read_manifest(run, accept_changed=accept_changed)
    judge = manifest.judge
    sheets = _sheets(run, manifest, reader, titles or (lambda _: None), papers)
    if ending in _ENDINGS:
        made = list(sheets)
        text = (
            "\n---\n\n".join(markdown(one) for one in made)
            if ending == ".md"
            else _html(made, reader, judge)
        )
        plain = text.encode("utf-8", "replace").decode("utf-8")
        write_whole(target, plain, named=out is not None)
        return [target]
    if ending:
        raise SettingsError(f"unknown ending '{ending}'; use .html, .md, or a folder")
    faults: list[RunFolderError] = [] if failed is None else failed
    written = _folder(target, sheets, reader, judge, faults)
    if faults and (failed is None or not written):
        raise faults[0]
    return written


def _sheets(
    run: Path, manifest: Manifest, reader: Reader, titles: TitleOf, papers: PaperOf | None
) -> Iterator[Sheet]:
    """The pages, paper by paper, in the order of the report."""
    unread, changed = manifest.unread, changed_records(run, manifest)
    doubts = (doubted_words(changed),) if changed else ()
    for paper_id, rows in groupby(rows_of(run), key=lambda row: row.paper_id):
        with points_by_offset(run) as read:
            points = [read(row.offset) for row in rows]
        title = titles(paper_id) or paper_id
        named = any(place.target for point in points for place in point.places or ())
        paper = look_up(papers, paper_id) if named else None
        page = sheet(reader, paper_id, title, points, unread=unread.get(paper_id), paper=paper)
        yield replace(page, banners=(*doubts, *page.banners))


def _folder(
    target: Path, sheets: Iterator[Sheet], reader: Reader, judge: str, faults: list[RunFolderError]
) -> list[Path]:
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunFolderError(f"{target}: {error.strerror}") from error
    written, names = [], set[str]()
    for page in sheets:
        name = file_name(page.name)
        if name.casefold() in names:  # ids that differ in case are one name on some systems
            name = digest_name(page.name)
        names.add(name.casefold())
        for ending, text in ((".html", _html([page], reader, judge)), (".md", markdown(page))):
            path = target / f"{name}{ending}"
            try:
                write_whole(path, text.encode("utf-8", "replace").decode("utf-8"))
            except RunFolderError as error:
                faults.append(error)
            else:
                written.append(path)
    return written


def _html(sheets: list[Sheet], reader: Reader, judge: str) -> str:
    did = "Looked up" if judge == EMBEDDED else "Judged"
    words = {
        "sheets": sheets,
        "heading": f"For the {reader.value}",
        "judged_by": "" if reader is Reader.REVIEWER else f"{did} by {judge}",
        "version": __version__,
    }
    return page_environment().get_template("role.html").render(words)
