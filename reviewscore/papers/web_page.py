"""A paper from the web page that LaTeXML makes of its source, as arXiv shows it.

Other web pages are not read: an error or login page must never be taken for a paper.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from reviewscore.errors import InputError
from reviewscore.papers.hygiene import one_line, read_text
from reviewscore.papers.marked_text import IMAGE, MarkedText, rows_of_cells, table_cells

if TYPE_CHECKING:
    from lxml.etree import _Element

_PAGE = re.compile(r"<(?:!doctype\s+html|html)\b", re.IGNORECASE)
_OF_LATEXML = re.compile(
    r"class\s*=\s*[\"'][^\"'>]*\bltx_(?:document|page_main|section|abstract)\b"
)
_MOST_CHARACTERS = 30_000_000
_HEAD = 400
FORMULA = "<!-- formula-not-decoded -->"
"""What stands where a formula is missing, as in other converters' texts."""
_SILENT = {"script", "style", "nav", "header", "footer", "button", "noscript", "template", "head"}
_SILENT_CLASSES = {
    "ltx_page_navbar", "ltx_page_header", "ltx_page_footer", "ltx_authors", "ltx_dates",
    "ltx_role_affiliation", "ltx_note_mark", "ltx_TOC", "ltx_ERROR", "ltx_pagination",
}  # fmt: skip
_GRAPHICS = {"img", "svg", "object", "embed", "canvas"}
_BLOCKS = {
    "p", "div", "section", "article", "main", "body", "html", "ul", "ol", "dl", "li", "dt", "dd",
    "figure", "figcaption", "table", "blockquote", "pre", "h1", "h2", "h3", "h4", "h5", "h6",
}  # fmt: skip
_SPACED = {"ltx_bibblock", "ltx_tag_bibitem"}
_HEADING = re.compile(r"h[1-6]\Z")
_NUMBER = re.compile(
    r"(?:(?:Appendix|Section|Chapter)\s+)?"
    r"([A-Z](?:\.\d{1,2})*|\d{1,2}(?:\.\d{1,2})*)\.?\Z"
)
_SECTIONS = {
    f"ltx_title_{name}"
    for name in ("chapter", "section", "subsection", "subsubsection", "paragraph", "appendix",
                 "bibliography", "acknowledgements", "abstract")
}  # fmt: skip
"""Headings of sections; others, such as of theorems, begin a paragraph."""


def is_web_page(text: str) -> bool:
    """Whether a text is a web page, of a paper or of anything else."""
    return _PAGE.match(text.lstrip()[:_HEAD]) is not None


def read_web_page(path: Path) -> MarkedText:
    """Title, abstract, sections, captions, tables, formulas and references of a paper's web page.

    Formulas come as the LaTeX that they were made of; figures are missing.

    Raises:
        InputError: If it is another web page, such as an error or login page, or none at all.
    """
    from lxml.etree import ParserError
    from lxml.html import HTMLParser, document_fromstring

    text = read_text(path)
    if not is_web_page(text) or not _OF_LATEXML.search(text):
        raise InputError(
            "is a web page, such as an error or login page",
            file=path,
            cure="give arXiv's HTML of the paper, or its text, Markdown, LaTeX, TEI or PDF",
        )
    if len(text) > _MOST_CHARACTERS:
        raise InputError("is too large", file=path, cure="give the page of one paper")
    parser = HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True)
    try:
        root = document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    except ParserError as error:
        raise InputError("holds no text", file=path, cure="save the page again") from error
    paper = MarkedText()
    _read(root, paper)
    if not paper.text.strip():
        raise InputError("holds no text", file=path, cure="save the page again")
    return paper


def _classes(element: _Element) -> set[str]:
    return set((element.get("class") or "").split())


def _silent(element: _Element) -> bool:
    return element.tag in _SILENT or not _SILENT_CLASSES.isdisjoint(_classes(element))


def _read(element: _Element, paper: MarkedText) -> None:
    """Its blocks in order; words between them are blocks of their own."""
    run: list[str] = [element.text or ""]

    def flush() -> None:
        paper.add(_line(run))
        run.clear()

    for child in element:
        if not _silent(child):
            if _is_block(child):
                flush()
                _block(child, paper)
            else:
                run += _inline(child)
        run.append(child.tail or "")
    flush()


def _is_block(element: _Element) -> bool:
    classes = _classes(element)
    block = element.tag in _BLOCKS or any(
        value.tag in _BLOCKS for value in element.iter("p", "table")
    )
    return block and "ltx_note" not in classes


def _block(element: _Element, paper: MarkedText) -> None:
    classes = _classes(element)
    if isinstance(element.tag, str) and _HEADING.match(element.tag):
        _heading(element, classes, paper)
    elif "ltx_abstract" in classes:
        _abstract(element, paper)
    elif classes & {"ltx_equation", "ltx_equationgroup", "ltx_eqn_table"}:
        paper.add(_equations(element))
    elif element.tag == "table" or "ltx_tabular" in classes:
        paper.add(rows_of_cells(list(_cells(element))))
    elif element.tag == "figure":
        _figure(element, paper)
    elif element.tag == "p" or "ltx_bibitem" in classes:
        paper.add(_line(_inline(element)))
        for note in _notes(element):
            paper.add(note)
    elif element.tag == "li":
        _item(element, paper)
    elif "ltx_listing" in classes:
        lines = [value for value in element.iter() if "ltx_listingline" in _classes(value)]
        paper.add("\n".join(_line(_inline(line)) for line in lines) or _line(_inline(element)))
    else:
        _read(element, paper)


def _heading(element: _Element, classes: set[str], paper: MarkedText) -> None:
    tags = [
        value for value in element.iter() if any(c.startswith("ltx_tag") for c in _classes(value))
    ]
    tag = _line(_inline(tags[0])) if tags else ""
    whole = re.sub(r"\s+(?=[.:]\Z)", "", _line(_inline(element)))
    if "ltx_title_document" in classes:
        paper.title = paper.title or whole
        paper.add(whole)
        return
    level = int(element.tag[1]) - 1
    number = _NUMBER.match(tag)
    if any(text.startswith("ltx_title_") for text in classes) and not classes & _SECTIONS:
        paper.lead_in(whole)
        return
    title = whole[len(tag) :].strip() if tag and whole.startswith(tag) else whole
    paper.head(title, number[1] if number else "", 0 if number else max(1, level))


def _abstract(element: _Element, paper: MarkedText) -> None:
    paper.head("Abstract")
    before = len(paper.text)
    for child in element:
        if not (isinstance(child.tag, str) and _HEADING.match(child.tag)):
            _block(child, paper)
    paper.abstract = paper.text[before:].strip()


def _figure(element: _Element, paper: MarkedText) -> None:
    """A float: its caption, then its rows, lines of an algorithm, or the mark of an image."""
    captions = list(element.iterchildren("figcaption"))
    for caption in captions:
        paper.add(_line(_inline(caption)))
    for child in element:
        if child in captions or _silent(child):
            continue
        if child.tag in _GRAPHICS:
            paper.add(IMAGE)
        elif _is_block(child) or "ltx_tabular" in _classes(child):
            _block(child, paper)
        elif any(value.tag in _GRAPHICS for value in child.iter()):
            paper.add(IMAGE)
        else:
            paper.add(_line(_inline(child)))


def _item(element: _Element, paper: MarkedText) -> None:
    """An item of a list, its mark before its first paragraph."""
    inner = MarkedText()
    tags = [value for value in element if "ltx_tag_item" in _classes(value)]
    for tag in tags:
        element.remove(tag)
    _read(element, inner)
    mark = _line(_inline(tags[0])) if tags else "-"
    paper.add(f"{'-' if mark in ('•', '–', '◦', '*') else mark} {inner.text}".strip())


def _equations(element: _Element) -> str:
    """Displayed formulas, a line each, with the number that is printed beside them."""
    rows = list(element.iter("tr")) or [element]
    lines = []
    for row in rows:
        formulas = [_formula(value) for value in row.iter("math")]
        tags = [value for value in row.iter() if "ltx_tag_equation" in _classes(value)]
        number = _line(_inline(tags[0])) if tags else ""
        body = " ".join(formula.strip("$") for formula in formulas if formula != FORMULA)
        shown = f"$${body}$$" if body else FORMULA if formulas or number else ""
        lines.append(f"{shown} {number}".strip())
    return "\n".join(filter(None, lines)) or FORMULA


def _formula(math: _Element) -> str:
    """A formula in LaTeX, else in its characters, else the mark of a missing one."""
    source = " ".join((math.get("alttext") or "").split())
    if source:
        return f"${source}$"
    return _line(math.itertext()) or FORMULA


def _cells(table: _Element) -> Iterator[list[str]]:
    if any(item.tag == "tr" for item in table.iter("tr")):
        for value in table.iter("math"):
            formula = _formula(value)
            for inner in list(value):
                value.remove(inner)
            value.text = formula
        yield from table_cells(table)


def _inline(element: _Element) -> list[str]:
    """The words of an element; formulas in LaTeX, images as marks, footnotes left out."""
    if element.tag == "math":
        return [_formula(element)]
    if element.tag in _GRAPHICS:
        return [f" {IMAGE} "]
    if "ltx_note" in _classes(element):
        return []
    words = ["\n" if element.tag == "br" else "", element.text or ""]
    for child in element:
        if not _silent(child):
            words += _inline(child)
            if child.tag in _BLOCKS or not _SPACED.isdisjoint(_classes(child)):
                words.append(" ")
        words.append(child.tail or "")
    return words


def _notes(element: _Element) -> Iterator[str]:
    """Footnotes, each with its number."""
    for note in element.iter():
        if "ltx_note" not in _classes(note):
            continue
        marks = [value for value in note.iter("sup") if "ltx_note_mark" in _classes(value)]
        inner = [value for value in note.iter() if "ltx_note_content" in _classes(value)]
        if inner:
            tags = [value for value in inner[0].iter() if "ltx_tag_note" in _classes(value)]
            for tag in tags:
                tag.text = ""
            words = [word for part in [inner[0].text, *_children(inner[0])] for word in part or ""]
            yield f"{_line([marks[0].text or '']) if marks else ''} {_line(words)}".strip()


def _children(element: _Element) -> Iterator[list[str]]:
    for child in element:
        if not _silent(child):
            yield _inline(child)
        yield [child.tail or ""]


def _line(words: Iterable[str]) -> str:
    return one_line("".join(words))
