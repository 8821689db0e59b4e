"""A page of text for one reader, apart from how it is written down: HTML or Markdown."""

from __future__ import annotations

from dataclasses import dataclass, replace

from reviewscore.printable import markdown_escaped
from reviewscore.report.places import ShownPlace


@dataclass(frozen=True)
class SheetQuote:
    """A verified quote of the paper, and the section it stands in."""

    text: str
    section: str | None = None


@dataclass(frozen=True)
class Entry:
    """One thing to read.

    Attributes:
        said: The reviewer's own words.
        own: What we say about them, as paragraphs.
        quotes: What the paper says.
        closing: A last paragraph of ours, below the quotes.
        point: Short name of the point that it comes from.
        places: Places of the paper that it names.
    """

    said: str
    own: tuple[str, ...] = ()
    quotes: tuple[SheetQuote, ...] = ()
    closing: str = ""
    point: str = ""
    places: tuple[ShownPlace, ...] = ()


@dataclass(frozen=True)
class Part:
    """Entries under one heading; a lead and a table may stand before them.

    `to_read` is whether the reader can act on the entries.
    """

    heading: str
    lead: str = ""
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    entries: tuple[Entry, ...] = ()
    to_read: bool = True


@dataclass(frozen=True)
class Sheet:
    """The page of one paper, or of one review of it, for one reader.

    Attributes:
        name: Id of the paper or review that it is about.
        title: Its heading; may hold the paper's title, which is foreign text.
        lead: What it is, and how to read it.
        parts: Its parts.
        banners: What a reader must know before anything else.
        foot: A last line.
        about: The paper's title alone.
        ids: The paper's id and, if it is about one, the review's.
    """

    name: str
    title: str
    lead: str
    parts: tuple[Part, ...] = ()
    banners: tuple[str, ...] = ()
    foot: str = (
        "Scores judge statements, not people, and can be mistaken. "
        "Read the quoted passages before you act."
    )
    about: str = ""
    ids: tuple[str, ...] = ()

    @property
    def with_passages(self) -> int:
        """Points that a passage of the paper stands beside."""
        return len({one.point for part in self.parts for one in part.entries if one.quotes})

    @property
    def to_read(self) -> int:
        """Points that the reader can act on; a page without any has nothing to read."""
        return len({one.point for part in self.parts if part.to_read for one in part.entries})

    @property
    def rank(self) -> tuple[bool, int, int]:
        """A sort key: what has the most passages first, what has nothing to read last."""
        return not self.to_read, -self.with_passages, -self.to_read


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
    """

    title: str
    ids: tuple[str, ...]
    with_passages: int
    to_read: int
    why: str
    banners: tuple[str, ...]
    rank: tuple[bool, int, int]
    link: str = ""

    @classmethod
    def of(cls, sheet: Sheet, link: str = "") -> Listed:
        """The line of a page."""
        return cls(sheet.about, sheet.ids, sheet.with_passages, sheet.to_read, sheet.lead,
                   sheet.banners, sheet.rank, link)  # fmt: skip

    @property
    def named(self) -> str:
        """The title with the ids beside it, where these say more."""
        ids = ", ".join(one for one in self.ids if one != self.title)
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
        """The list of pages that are given in any order."""
        ranked = sorted(listed, key=lambda one: one.rank)
        shared = tuple(
            banner
            for banner in (listed[0].banners if listed else ())
            if all(banner in one.banners for one in listed)
        )
        rest = [
            replace(one, banners=tuple(line for line in one.banners if line not in shared))
            for one in ranked
        ]
        pages = tuple(one for one in rest if one.to_read)
        nothing = tuple(one for one in rest if not one.to_read)
        return cls(heading, pages, nothing, shared, each)

    @property
    def lead(self) -> str:
        """How many there are."""
        count = len(self.pages) + len(self.nothing)
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
    for one in contents.pages:
        name = markdown_escaped(one.named)
        name = f"[{name}]({one.link}.md)" if linked else name
        lines.append(f"- {name}: {one.with_passages} of {one.to_read} points with passages")
    if lines:
        parts += ["## To read", "\n".join(lines)]
    if contents.nothing:
        rows = (f"{one.named}: {' '.join((one.why, *one.banners))}" for one in contents.nothing)
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
        parts += [_entry(one) for one in part.entries]
    return "\n\n".join([*parts, markdown_escaped(sheet.foot)]) + "\n"


def _table(part: Part) -> str:
    lines = [part.columns, tuple("---" for _ in part.columns), *part.rows]
    return "\n".join(
        f"| {' | '.join(cell if cell == '---' else markdown_escaped(cell) for cell in line)} |"
        for line in lines
    )


def _entry(entry: Entry) -> str:
    place = f" ({markdown_escaped(entry.point)})" if entry.point else ""
    lines = [f"> {markdown_escaped(entry.said)}{place}"]
    if entry.places:
        lines.append(
            "\n".join(f"- {markdown_escaped(one.words)}{_standing(one)}" for one in entry.places)
        )
    lines += [markdown_escaped(one) for one in entry.own]
    quotes = [f"- “{markdown_escaped(one.text)}”{_section(one.section)}" for one in entry.quotes]
    if quotes:
        lines.append("\n".join(quotes))
    if entry.closing:
        lines.append(markdown_escaped(entry.closing))
    return "\n\n".join(lines)


def _standing(place: ShownPlace) -> str:
    return "" if place.text is None else f": “{markdown_escaped(place.text)}”"


def _section(name: str | None) -> str:
    """Escaped within its brackets, where a number makes no list."""
    return " " + markdown_escaped(f"({name})") if name else ""
