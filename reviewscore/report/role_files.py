"""The pages for a reader written down: one file, or a folder with a list and a page for each paper.

Reviewers get a page for each review, so that each can be sent to its author alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from reviewscore import __version__
from reviewscore.config import EMBEDDED
from reviewscore.errors import RunFolderError, SettingsError
from reviewscore.files import write_whole
from reviewscore.papers.latex import plain_title
from reviewscore.report.head import doubted_words
from reviewscore.report.html import page_environment
from reviewscore.report.pages import PaperOf, look_up, rows_of
from reviewscore.report.roles import Reader, by_review, sheet
from reviewscore.report.sheet import Contents, Listed, Sheet, contents_markdown, markdown
from reviewscore.runs.folder import changed_records, points_by_offset, read_manifest
from reviewscore.runs.manifest import Manifest
from reviewscore.sources.data_folder import digest_name, file_name

TitleOf = Callable[[str], str | None]
_ENDINGS = (".html", ".htm", ".md")
_INDEX = "index"
"""Name of the list of pages in a folder."""


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
        out: A file (``.html`` or ``.md``) for all papers, or a folder with a list of pages by
            title (``index``) and a page for each paper that has something to read (for reviewers,
            each review), as HTML and as Markdown; a file in the run folder if None.
        failed: Takes why single pages of a folder could not be written; without it the first
            reason is raised when all others are written.
        accept_changed: Go on with records that something else has changed, and say so.

    Returns:
        The files written, the list of a folder first.

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
        ranked = sorted(sheets, key=lambda one: one.rank)
        listed = [Listed.of(one, f"#sheet-{place}") for place, one in enumerate(ranked, start=1)]
        contents = Contents.of(f"For the {reader.value}", listed, _each(reader))
        chosen = [one for one in ranked if one.to_read]
        text = (
            "\n---\n\n".join([contents_markdown(contents, linked=False), *map(markdown, chosen)])
            if ending == ".md"
            else _html(chosen, reader, judge, contents)
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
        title = plain_title(titles(paper_id) or paper_id)
        named = any(place.target for point in points for place in point.places or ())
        paper = look_up(papers, paper_id) if named else None
        groups = by_review(points) if reader is Reader.REVIEWER else [(None, points)]
        for review_id, group in groups:
            page = sheet(reader, paper_id, title, group, unread=unread.get(paper_id), paper=paper)
            page = replace(page, banners=(*doubts, *page.banners))
            if review_id is not None:
                page = replace(page, name=review_id, ids=(paper_id, review_id))
            yield page


def _each(reader: Reader) -> str:
    return "review" if reader is Reader.REVIEWER else "paper"


def _folder(
    target: Path, sheets: Iterator[Sheet], reader: Reader, judge: str, faults: list[RunFolderError]
) -> list[Path]:
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunFolderError(f"{target}: {error.strerror}") from error
    written: list[Path] = []
    names, listed = {_INDEX}, list[Listed]()

    def put(name: str, as_html: str, as_markdown: str) -> list[Path]:
        done = []
        for path, text in ((f"{name}.html", as_html), (f"{name}.md", as_markdown)):
            try:
                write_whole(target / path, text.encode("utf-8", "replace").decode("utf-8"))
            except RunFolderError as error:
                faults.append(error)
            else:
                done.append(target / path)
        return done

    for page in sheets:
        if not page.to_read:
            listed.append(Listed.of(page))
            continue
        name = _new_name(page, names)
        names.add(name.casefold())
        listed.append(Listed.of(page, name))
        written += put(name, _html([page], reader, judge), markdown(page))
    contents = Contents.of(f"For the {reader.value}", listed, _each(reader))
    index = _html([], reader, judge, contents), contents_markdown(contents, linked=True)
    return [*put(_INDEX, *index), *written]


def _new_name(page: Sheet, taken: set[str]) -> str:
    """A file name for a page; ids that differ in case are one name on some systems."""
    names = (file_name(page.name), digest_name(page.name), digest_name("\n".join(page.ids)))
    return next((name for name in names if name.casefold() not in taken), names[-1])


def _html(sheets: list[Sheet], reader: Reader, judge: str, contents: Contents | None = None) -> str:
    did = "Looked up" if judge == EMBEDDED else "Judged"
    words = {
        "sheets": sheets,
        "contents": contents,
        "title": sheets[0].title if contents is None else contents.heading,
        "judged_by": "" if reader is Reader.REVIEWER else f"{did} by {judge}",
        "version": __version__,
    }
    return page_environment().get_template("role.html").render(words)
