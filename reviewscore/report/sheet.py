"""A page of text for one reader, apart from how it is written down: HTML or Markdown."""

from __future__ import annotations

from dataclasses import dataclass

from reviewscore.printable import markdown_escaped
from reviewscore.report.places import ShownPlace


@dataclass(frozen=True)
class Quote:
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
        point_id: Where it comes from.
        places: Places of the paper that it names.
    """

    said: str
    own: tuple[str, ...] = ()
    quotes: tuple[Quote, ...] = ()
    closing: str = ""
    point_id: str = ""
    places: tuple[ShownPlace, ...] = ()


@dataclass(frozen=True)
class Part:
    """Entries under one heading; a lead and a table may stand before them."""

    heading: str
    lead: str = ""
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    entries: tuple[Entry, ...] = ()


@dataclass(frozen=True)
class Sheet:
    """The page of one paper for one reader.

    Attributes:
        name: Name of its file, without ending.
        title: Its heading; may hold the paper's title, which is foreign text.
        lead: What it is, and how to read it.
        parts: Its parts.
        banners: What a reader must know before anything else.
        foot: A last line.
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
    place = f" ({markdown_escaped(entry.point_id)})" if entry.point_id else ""
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
