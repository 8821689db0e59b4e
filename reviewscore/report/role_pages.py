"""The pages for a reader written down: one file, or a folder with a list and a page a paper.

Reviewers get a page for each review, so that each can be sent to its author alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from reviewscore import __version__
from reviewscore.config import EMBEDDED
from reviewscore.errors import InputError, RunFolderError, SettingsError
from reviewscore.files import hash_file, read_whole, write_whole
from reviewscore.pages.environment import encodable, render
from reviewscore.pages.point_card import ShownPlace
from reviewscore.papers.latex import plain_title
from reviewscore.points.responses import align_response
from reviewscore.printable import counted, markdown_escaped
from reviewscore.report.html import page_environment
from reviewscore.report.later_remarks import with_later
from reviewscore.report.lines import doubted_words
from reviewscore.report.paper_pages import LaterOf, PaperOf, ReviewOf, look_up, rows_of
from reviewscore.report.roles import (
    Entry,
    Part,
    Reader,
    Sheet,
    UnalignedParagraph,
    by_review,
    called,
    sheet,
    with_answers,
)
from reviewscore.runs.folder import changed_records, points_by_offset, read_manifest
from reviewscore.runs.judgments import with_flag_answers
from reviewscore.runs.manifest import Manifest
from reviewscore.runs.unvalidated import worth_words
from reviewscore.schema.judgment import SpeakerRole
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.record import Record
from reviewscore.sources.data_folder import digest_name, file_name


@dataclass(frozen=True)
class ShownFlags:
    """Which flags a person's pages show openly on a day.

    Attributes:
        day: The day, as ``2026-05-03``.
        flags: Identifiers of the flags that are shown openly.
        before: Identifiers of those that were shown openly on another day.
    """

    day: str
    flags: frozenset[str]
    before: frozenset[str] = frozenset()


class WrittenPages(Record):
    """The list of a folder's pages, by which a later report knows which it may take away.

    Attributes:
        reader: Whom they are for.
        files: SHA-256 of each page as it was written, by its name in the folder.
    """

    schema_id: Literal["reviewscore.pages/1"] = Field(default="reviewscore.pages/1", alias="schema")
    reader: Reader
    files: dict[Annotated[str, Field(pattern=r"^[^/\\]+\.(html|md)$")], str]


@dataclass(frozen=True)
class Listed:
    """A page in the list of pages.

    Attributes:
        title: The paper's title.
        ids: Its id and, for a page of one review, the review's.
        with_passages: Points that a passage stands beside.
        to_read: Points that the reader can act on; 0 for a paper that has no page.
        why: Why there is nothing to read.
        banners: What must be known of this page.
        rank: See `Sheet.rank`.
        link: The page's place, without its ending or as an anchor.
        judge: Who judged its points.
        day: See `Sheet.day`.
        today: See `Sheet.today`.
        on_demand: See `Sheet.on_demand`.
    """

    title: str
    ids: tuple[str, ...]
    with_passages: int
    to_read: int
    why: str
    banners: tuple[str, ...]
    rank: tuple[bool, int, int, int, int]
    link: str = ""
    judge: str = ""
    day: str = ""
    today: int | None = None
    on_demand: int = 0

    @classmethod
    def of(cls, sheet: Sheet, link: str = "") -> Listed:
        """The line of a page."""
        return cls(sheet.about, sheet.ids, sheet.with_passages, sheet.to_read, sheet.lead,
                   sheet.banners, sheet.rank, link, sheet.judge, sheet.day, sheet.today,
                   sheet.on_demand)  # fmt: skip

    @property
    def named(self) -> str:
        """The title with the ids beside it, where these say more."""
        ids = ", ".join(text for text in self.ids if text != self.title)
        return f"{self.title} ({ids})" if ids else self.title


@dataclass(frozen=True)
class Contents:
    """The list of all pages, what is to be read first first.

    Attributes:
        heading: Its heading.
        pages: What has a page.
        nothing: What has none.
        banners: What must be known of all pages.
        each: What a page is of: ``paper`` or ``review``.
    """

    heading: str
    pages: tuple[Listed, ...]
    nothing: tuple[Listed, ...]
    banners: tuple[str, ...]
    each: str

    @classmethod
    def of(cls, heading: str, listed: list[Listed], each: str) -> Contents:
        """The list of pages that are given in any order; reviews of a paper stand together."""
        first: dict[str, tuple[bool, int, int, int, int]] = {}
        for one in listed:
            first[one.ids[0]] = min(one.rank, first.get(one.ids[0], one.rank))
        ranked = sorted(listed, key=lambda one: (first[one.ids[0]], one.ids[0], one.rank))
        shared = tuple(
            banner
            for banner in (listed[0].banners if listed else ())
            if all(banner in one.banners for one in listed)
        )
        rest = [
            replace(listed, banners=tuple(line for line in listed.banners if line not in shared))
            for listed in ranked
        ]
        pages = tuple(listed for listed in rest if listed.to_read)
        nothing = tuple(listed for listed in rest if not listed.to_read)
        return cls(heading, pages, nothing, shared, each)

    @property
    def budgeted(self) -> bool:
        """Whether a day's budget chose what is shown openly."""
        return any(page.today is not None for page in self.pages)

    @property
    def lead(self) -> str:
        """How many there are, and what a day's budget shows of them."""
        count = len(self.pages) + len(self.nothing)
        if self.budgeted:
            today = sum(page.today or 0 for page in self.pages)
            papers = sum(bool(page.today) for page in self.pages)
            new = f"{counted(today, 'new flag')} on {counted(papers, self.each)}, listed first"
            more = sum(page.on_demand for page in self.pages)
            return (
                f"{max(page.day for page in self.pages)}: {new if today else 'no new flag'}; "
                f"{more:,} more on demand, folded at the end of the pages. There is something to "
                f"read on {len(self.pages):,} of {count:,} {self.each}s."
            )
        return (
            f"There is something to read on {len(self.pages):,} of {count:,} {self.each}s, listed "
            "with the most passages of the paper first."
        )


def contents_markdown(contents: Contents, *, linked: bool) -> str:
    """The list as Markdown.

    Args:
        contents: The list.
        linked: Whether pages are files of their own, to be linked.
    """
    parts = [f"# {markdown_escaped(contents.heading)}", markdown_escaped(contents.lead)]
    parts += [f"> {markdown_escaped(banner)}" for banner in contents.banners]
    lines = []
    for page in contents.pages:
        name = markdown_escaped(page.named)
        name = f"[{name}]({page.link}.md)" if linked else name
        flags = f"{page.today} new, {page.on_demand} on demand; " if page.today is not None else ""
        lines.append(
            f"- {name}: {flags}{page.with_passages} of {page.to_read} points with passages"
        )
    if lines:
        parts += ["## To read", "\n".join(lines)]
    if contents.nothing:
        rows = (
            f"{listed.named}: {' '.join((listed.why, *listed.banners))}"
            for listed in contents.nothing
        )
        parts += ["## Nothing to read", "\n".join(f"- {markdown_escaped(row)}" for row in rows)]
    return "\n\n".join(parts) + "\n"


def markdown(sheet: Sheet) -> str:
    """The sheet as Markdown; foreign text has nothing in it that Markdown could act on."""
    parts = [f"# {markdown_escaped(sheet.title)}", markdown_escaped(sheet.lead)]
    parts += [f"> {markdown_escaped(banner)}" for banner in sheet.banners]
    for part in sheet.parts:
        parts.append(f"## {markdown_escaped(part.heading)}")
        if part.lead:
            parts.append(markdown_escaped(part.lead))
        if part.rows:
            parts.append(_table(part))
        parts += [_entry(entry) for entry in part.entries]
    return "\n\n".join([*parts, markdown_escaped(sheet.foot)]) + "\n"


def _table(part: Part) -> str:
    lines = [part.columns, tuple("---" for _ in part.columns), *part.rows]
    return "\n".join(
        f"| {' | '.join(cell if cell == '---' else markdown_escaped(cell) for cell in line)} |"
        for line in lines
    )


def _entry(entry: Entry) -> str:
    named = " · ".join(filter(None, (entry.point, entry.kind, entry.also)))
    place = f" ({markdown_escaped(named)})" if named else ""
    lines = [f"> {markdown_escaped(entry.said)}{place}"]
    if entry.places:
        lines.append(
            "\n".join(
                f"- {markdown_escaped(place.words)}{_standing(place)}" for place in entry.places
            )
        )
    lines += [markdown_escaped(text) for text in entry.own]
    quotes = [
        f"- “{markdown_escaped(quote.text)}”{_section(quote.section)}" for quote in entry.quotes
    ]
    if quotes:
        lines.append("\n".join(quotes))
    for answer in entry.answers:
        lines.append(f"{answer.lead} “{markdown_escaped(answer.words)}”{_section(answer.place)}")
    lines += [f"Later: {markdown_escaped(words)}" for words in entry.later]
    if entry.draft:
        lines.append(f"To copy: {markdown_escaped(entry.draft)}")
    if entry.closing:
        lines.append(markdown_escaped(entry.closing))
    return "\n\n".join(lines)


def _standing(place: ShownPlace) -> str:
    return "" if place.text is None else f": “{markdown_escaped(place.text)}”"


def _section(name: str | None) -> str:
    """Escaped within its brackets, where a number makes no list."""
    return " " + markdown_escaped(f"({name})") if name else ""


TitleOf = Callable[[str], str | None]
_ENDINGS = (".html", ".htm", ".md")
_INDEX = "index"
"""Name of the list of pages in a folder."""
PAGES_LIST = "pages.json"
"""Which of a folder's files were written there."""


def write_for(  # noqa: PLR0913 - what pages are made of, each by its name
    run: Path,
    reader: Reader,
    *,
    titles: TitleOf | None = None,
    papers: PaperOf | None = None,
    reviews: ReviewOf | None = None,
    out: Path | None = None,
    shown: ShownFlags | None = None,
    later: LaterOf | None = None,
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
        reviews: Gives a review by its id, for what of the authors' response answers no point.
        out: A file (``.html`` or ``.md``) for all papers, or a folder with a list of pages by
            title (``index``) and a page for each paper that has something to read (for reviewers,
            each review), as HTML and as Markdown; if None, a file in the run folder, for reviewers
            a folder there. Pages that an earlier report wrote into the folder and this one does
            not are taken away, unless something else has changed them.
        shown: The flags to show openly; others are folded. None shows all.
        later: Gives what came later than a point, for meta-reviewers.
        failed: Takes why single pages of a folder could not be written; without it the first
            reason is raised when all others are written.
        accept_changed: Go on with records that something else has changed, and say so.

    Returns:
        The files written, the list of a folder first.

    Raises:
        RunFolderError: The run cannot be read, its records were changed, or a file cannot be
            written.
        SettingsError: The ending is none of these, or one file would hold several reviews for
            their reviewers, none of whom is to see the others'.
    """
    apart = reader is Reader.REVIEWER
    target = run / f"for-{reader.value}{'' if apart else '.html'}" if out is None else out
    ending = target.suffix.lower()
    manifest = read_manifest(run, accept_changed=accept_changed)
    sheets = _sheets(
        run, manifest, reader, titles or (lambda _: None), papers, reviews, shown, later
    )
    if ending in _ENDINGS:
        ranked = sorted(sheets, key=lambda part: part.rank)
        if apart and len(ranked) > 1:
            raise SettingsError(
                f"{target} would show {len(ranked):,} reviews to each reviewer; name a folder "
                f"(-o {target.with_suffix('').name}), in which each review has a page of its own"
            )
        listed = [Listed.of(part, f"#sheet-{place}") for place, part in enumerate(ranked, start=1)]
        contents = Contents.of(f"For the {reader.value}", listed, _each(reader))
        chosen = [part for part in ranked if part.to_read]
        text = (
            "\n---\n\n".join([contents_markdown(contents, linked=False), *map(markdown, chosen)])
            if ending == ".md"
            else _html(chosen, reader, contents)
        )
        write_whole(target, encodable(text), named=out is not None)
        return [target]
    if ending:
        raise SettingsError(f"unknown ending '{ending}'; use .html, .md, or a folder")
    faults: list[RunFolderError] = [] if failed is None else failed
    written = write_folder(target, sheets, reader, faults)
    if faults and (failed is None or not written):
        raise faults[0]
    return written


def _sheets(
    run: Path,
    manifest: Manifest,
    reader: Reader,
    titles: TitleOf,
    papers: PaperOf | None,
    reviews: ReviewOf | None,
    shown: ShownFlags | None = None,
    later: LaterOf | None = None,
) -> Iterator[Sheet]:
    """The pages, paper by paper, in the order of the report."""
    changed = changed_records(run, manifest)
    beside = beside_points(run, reader, later)
    source = SheetSource(reader, manifest, changed, titles, papers, reviews, beside)
    for paper_id, rows in groupby(rows_of(run), key=lambda row: row.paper_id):
        with points_by_offset(run) as read:
            points = [read(row.offset) for row in rows]
        yield from source.sheets(paper_id, points, shown)


def beside_points(run: Path, reader: Reader, later: LaterOf | None) -> LaterOf | None:
    """What gives what a reader is shown beside a point, of what came later.

    Reviewers and authors see what they answered to a flag themselves, and nothing of the rest.

    Args:
        run: The run folder, with the answers.
        reader: Who reads.
        later: What gives everything else that came later.

    Raises:
        RunFolderError: The answers cannot be read.
    """
    own = {Reader.REVIEWER: SpeakerRole.REVIEWER, Reader.AUTHOR: SpeakerRole.AUTHOR}
    return with_flag_answers(run, later, by=own.get(reader))


@dataclass(frozen=True)
class SheetSource:
    """What the pages of a run are made from.

    Attributes:
        reader: Who reads them.
        manifest: What the run was made with.
        changed: Names of its files of records that something else has changed.
        titles: Gives a paper's title by its id.
        papers: Gives a paper by its id.
        reviews: Gives a review by its id.
        later: Gives what came later than a point and this reader may see (`beside_points`).
    """

    reader: Reader
    manifest: Manifest
    changed: tuple[str, ...]
    titles: TitleOf
    papers: PaperOf | None
    reviews: ReviewOf | None
    later: LaterOf | None = None

    @cached_property
    def _doubts(self) -> tuple[str, ...]:
        doubts: tuple[str, ...] = (doubted_words(self.changed),) if self.changed else ()
        if self.reader is Reader.META_REVIEWER:
            known = filter(None, worth_words(self.manifest))
            doubts += tuple(f"{words[:1].upper()}{words[1:]}." for words in known)
        return doubts

    def sheets(
        self, paper_id: str, points: list[PointScore], shown: ShownFlags | None = None
    ) -> Iterator[Sheet]:
        """The page of a paper, or of each of its reviews for reviewers.

        Args:
            paper_id: The paper.
            points: Its points that the reader may see, reviews one after another.
            shown: The flags to show openly; others are folded. None shows all.
        """
        listed = self.titles(paper_id)
        named = any(place.target for point in points for place in point.places or ())
        paper = look_up(self.papers, paper_id) if named or not listed else None
        if not listed and paper is not None and not paper.title_doubt:
            listed = paper.title  # of a PDF, which says its title itself
        title, unread = plain_title(listed or paper_id), self.manifest.unread.get(paper_id)
        groups = by_review(points) if self.reader is Reader.REVIEWER else [(None, points)]
        for review_id, group in groups:
            page = sheet(self.reader, paper_id, title, group, unread=unread, paper=paper)
            if self.reader is Reader.META_REVIEWER:
                page = with_answers(page, *_responses(group, self.reviews))
            if self.later is not None:
                page = with_later(page, group, self.later)
            if shown is not None:
                page = on_demand(page, group, shown)
            page = replace(page, banners=(*self._doubts, *page.banners), judge=self.manifest.judge)
            if review_id is not None:
                page = replace(page, name=review_id, ids=(paper_id, review_id))
            yield page


def on_demand(page: Sheet, points: Sequence[PointScore], shown: ShownFlags) -> Sheet:
    """A page with a budget: flags that are not in it go into folded parts at its end.

    Pages of the embedded judge, which flags nothing, stay as they are.

    Args:
        page: The page.
        points: All its points.
        shown: The flags to show openly.
    """
    if all(one.finding is not None for one in points):
        return page
    flags = {one.short_name: one.point_id for one in points if called(one)}
    names = {name for name, point_id in flags.items() if point_id not in shown.flags}
    parts: list[Part] = []
    moved: list[Entry] = []
    for part in page.parts:
        moved += [one for one in part.entries if one.point in names and not one.only_asks]
        left = tuple(one for one in part.entries if one.point not in names)
        if left or not part.entries:
            parts.append(replace(part, entries=left))
    before = tuple(one for one in moved if flags[one.point] in shown.before)
    below = tuple(one for one in moved if one not in before)
    for heading, lead, entries in (
        ("On demand", "that rank below those of the day", below),
        ("On demand: shown before", "shown openly on an earlier day", before),
    ):
        if entries:
            words = f"{counted(len(entries), 'flag')} {lead}."
            parts.append(Part(heading, words, entries=entries, folded=True))
    today, count = len(flags) - len(names), len({one.point for one in moved})
    of_day = f"{counted(today, 'new flag') if today else 'no new flag'}, {count} on demand below."
    lead = f"{shown.day}: {of_day} {page.lead}"
    return replace(page, parts=tuple(parts), lead=lead, day=shown.day, today=today, on_demand=count)


def _responses(
    points: list[PointScore], reviews: ReviewOf | None
) -> tuple[list[PointScore], dict[str, tuple[UnalignedParagraph, ...] | None]]:
    """Points with what the authors answer, and by review the paragraphs that answer none.

    Records of before, which were not aligned, are aligned now. None stands for a review with a
    response that is not at hand.
    """
    known: list[PointScore] = []
    rest: dict[str, tuple[UnalignedParagraph, ...] | None] = {}
    for review_id, group in by_review(points):
        review = look_up(reviews, review_id)
        response = None if review is None else review.author_response
        if review is None or response is None:
            known += group
            if any(point.author_answers is not None for point in group):
                rest[review_id] = None
            continue
        alignment = align_response(review, group)
        known += [
            point
            if point.author_answers is not None
            else point.model_copy(
                update={"author_answers": alignment.answers.get(point.point_id, ())}
            )
            for point in group
        ]
        rest[review_id] = tuple(
            UnalignedParagraph(response[span.start : span.end], span.start, span.end)
            for span in alignment.unaligned
        )
    return known, rest


def _each(reader: Reader) -> str:
    return "review" if reader is Reader.REVIEWER else "paper"


def write_folder(
    target: Path,
    sheets: Iterable[Sheet],
    reader: Reader,
    faults: list[RunFolderError],
    *,
    heading: str | None = None,
) -> list[Path]:
    """Write a folder with a list of pages, and a page for each sheet that has something to read.

    Args:
        target: The folder; made if it is not there.
        sheets: What the pages hold.
        reader: Who reads them.
        faults: Takes why single pages could not be written.
        heading: Whom the list and its pages are for, in words, if not as the reader is called.

    Returns:
        The files written, the list first.

    Raises:
        RunFolderError: The folder cannot be made, or holds another list of pages.
    """
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunFolderError(f"{target}: {error.strerror}") from error
    earlier = _earlier_pages(target)
    written: list[Path] = []
    names, listed = {_INDEX}, list[Listed]()
    digests: dict[str, str] = {}

    def put(name: str, as_html: str, as_markdown: str) -> list[Path]:
        done = []
        for path, text in ((f"{name}.html", as_html), (f"{name}.md", as_markdown)):
            content = encodable(text).encode()
            try:
                write_whole(target / path, content)
            except RunFolderError as error:
                faults.append(error)
            else:
                done.append(target / path)
                digests[path] = hashlib.sha256(content).hexdigest()
        return done

    named = f"For the {reader.value}"
    for page in sheets:
        if heading is not None and page.title.startswith(named):
            page = replace(page, title=heading + page.title.removeprefix(named))  # noqa: PLW2901
        if not page.to_read:
            listed.append(Listed.of(page))
            continue
        name = _new_name(page, names)
        names.add(name.casefold())
        listed.append(Listed.of(page, name))
        written += put(name, _html([page], reader, back=f"{_INDEX}.html"), markdown(page))
    contents = Contents.of(heading or named, listed, _each(reader))
    index = _html([], reader, contents), contents_markdown(contents, linked=True)
    written = [*put(_INDEX, *index), *written]
    kept = {name: earlier[name] for name in earlier if Path(name).stem.casefold() in names}
    faults += _remove(target, {name: earlier[name] for name in earlier.keys() - kept.keys()})
    pages = WrittenPages(reader=reader, files=dict(sorted((kept | digests).items())))
    try:
        write_whole(target / PAGES_LIST, pages.model_dump_json(indent=1) + "\n")
    except RunFolderError as error:
        faults.append(error)
    return written


def _earlier_pages(target: Path) -> dict[str, str]:
    """What was written into a folder before, as its list says; empty if it has no list.

    Raises:
        RunFolderError: Something else has the name of the list.
    """
    raw = read_whole(target / PAGES_LIST)
    try:
        return {} if raw is None else WrittenPages.model_validate_json(raw).files
    except ValidationError as error:
        raise RunFolderError(
            f"{target / PAGES_LIST}: not a list of pages of this version of reviewscore; move it "
            "away or choose another folder"
        ) from error


def _remove(target: Path, files: Mapping[str, str]) -> Iterator[RunFolderError]:
    """Take away pages that are still as they were written; yields why others could not be."""
    for name, digest in files.items():
        path = target / name
        if not path.is_file() or path.is_symlink():
            continue
        try:
            if hash_file(path).sha256 == digest:
                path.unlink()
        except (OSError, InputError) as error:
            yield RunFolderError(f"{path}: an earlier page that cannot be taken away ({error})")


def _new_name(page: Sheet, taken: set[str]) -> str:
    """A file name for a page; ids that differ in case are one name on some systems."""
    names = (file_name(page.name), digest_name(page.name), digest_name("\n".join(page.ids)))
    return next((name for name in names if name.casefold() not in taken), names[-1])


def _html(
    sheets: list[Sheet], reader: Reader, contents: Contents | None = None, back: str = ""
) -> str:
    shown: Iterable[Sheet | Listed] = sheets
    if contents is not None:
        shown = (*contents.pages, *contents.nothing)
    judges = () if reader is Reader.REVIEWER else {one.judge: None for one in shown if one.judge}
    words = {
        "sheets": sheets,
        "contents": contents,
        "title": sheets[0].title if contents is None else contents.heading,
        "drafts": any(
            entry.draft for one in sheets for part in one.parts for entry in part.entries
        ),
        "judged_by": " · ".join(
            f"{'Looked up' if judge == EMBEDDED else 'Judged'} by {judge}" for judge in judges
        ),
        "version": __version__,
        "back": back,
        "back_words": "All pages",
    }
    return render(page_environment().get_template("role.html"), **words)
