"""A paper from TEI, the XML that GROBID makes of PDFs.

The document type is refused before anything of it is read, so that there are no entities to
expand and nothing outside of the file is ever opened.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from reviewscore.bounds import in_force, read_bounded
from reviewscore.errors import InputError
from reviewscore.papers.hygiene import one_line, without_surrogates
from reviewscore.papers.marked_text import MarkedText
from reviewscore.papers.sections import FIRST_LETTER

TEI = "{http://www.tei-c.org/ns/1.0}"
_MOST_DEPTH = 200
_NUMBER = re.compile(r"(\d{1,2}(?:\.\d{1,2})*|[A-Z](?:\.\d{1,2})*)\.?")
_NAME = re.compile(r"(?:figure|fig|table|tab)\b\.?\s*[A-Z]?\d*\s*[:.]?\s*", re.IGNORECASE)
_NUMBERED = re.compile(rf"{_NUMBER.pattern}\s+(?=\S)")


def read_tei(path: Path) -> MarkedText:
    """Title, abstract, sections, captions, tables, formulas and references of a TEI file.

    Raises:
        InputError: If the file cannot be read, is no TEI, or declares a document type.
    """
    raw = read_bounded(path, in_force().text)
    root = _tree(raw, path)
    if root.tag != f"{TEI}TEI":
        raise InputError("is no TEI document", file=path, cure="give the XML that GROBID writes")
    paper = MarkedText()
    paper.title = _line(root.find(f"{TEI}teiHeader//{TEI}titleStmt/{TEI}title"))
    paper.add(paper.title)
    abstract = root.find(f"{TEI}teiHeader//{TEI}abstract")
    if abstract is not None:
        blocks = list(_blocks(abstract))
        paper.abstract = "\n\n".join(blocks)
        paper.head("Abstract" if blocks else "")
        for block in blocks:
            paper.add(block)
    _body(paper, root.find(f"{TEI}text/{TEI}body"))
    _back(paper, root.find(f"{TEI}text/{TEI}back"))
    if not paper.text:
        raise InputError("holds no text", file=path, cure="check what GROBID made of the PDF")
    return paper


def _tree(raw: bytes, path: Path) -> Element:
    """The document's tree.

    Raises:
        InputError: If it is not well formed, declares a document type, or nests too deeply.
    """
    builder = TreeBuilder()
    parser = expat.ParserCreate(namespace_separator="}")
    depth = 0

    def refuse(*_: object) -> None:
        raise InputError(
            "declares a document type, which is not read",
            file=path,
            cure="take the <!DOCTYPE ...> out",
        )

    def begin(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _MOST_DEPTH:
            raise InputError("nests too deeply", file=path, cure="give the XML that GROBID writes")
        builder.start(_name(name), attributes)

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(_name(name))

    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = begin
    parser.EndElementHandler = end
    parser.CharacterDataHandler = builder.data
    try:
        parser.Parse(raw, True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise InputError(
            f"is not well-formed XML: {error}", file=path, cure="make it again with GROBID"
        ) from error
    root: Element = builder.close()
    return root


def _name(name: str) -> str:
    return f"{{{name}" if "}" in name else name


def _body(paper: MarkedText, body: Element | None) -> None:
    for part in () if body is None else body:
        if part.tag == f"{TEI}div":
            _division(paper, part)
        else:
            paper.add(_block(part))


def _division(paper: MarkedText, division: Element) -> None:
    """A section with its heading, paragraphs and sections within it, and words outside of them."""
    paper.add(_words(division.text))
    for part in division:
        if part.tag == f"{TEI}head":
            paper.head(*_title(part))
        elif part.tag == f"{TEI}div":
            _division(paper, part)
        else:
            paper.add(_block(part))
        paper.add(_words(part.tail))


def _title(head: Element) -> tuple[str, str]:
    """A heading's words, and its number as printed."""
    title = _line(head)
    printed = (head.get("n") or "").strip().rstrip(".")
    if not printed and (hit := _NUMBERED.match(title)):
        printed, title = hit[1], title[hit.end() :]
    return title, printed if _NUMBER.fullmatch(printed) else ""


def _back(paper: MarkedText, back: Element | None) -> None:
    """Acknowledgements and the like, the references, then the annexes."""
    if back is None:
        return
    listed = back.findall(f".//{TEI}listBibl/{TEI}biblStruct")
    rest = [
        element for element in back.findall(f"{TEI}div") if element.find(f"{TEI}listBibl") is None
    ]
    annexes = [element for element in rest if element.get("type") == "annex"]
    for annex in rest:
        if annex not in annexes:
            _sections(paper, annex)
    if listed:
        paper.head("References")
        for entry in listed:
            paper.add(_reference(entry))
    beginning = len(paper.headings)
    for annex in annexes:
        _sections(paper, annex)
    if not listed and len(paper.headings) > beginning:
        first = paper.headings[beginning]
        if not first.number or first.number[0] < FIRST_LETTER:  # marked as an appendix's
            number = (FIRST_LETTER, *first.number[1:])
            paper.headings[beginning] = replace(first, number=number)


def _sections(paper: MarkedText, part: Element) -> None:
    """The sections of a part of the back, which GROBID wraps once more."""
    kind = (part.get("type") or "").replace("_", " ").capitalize()
    if part.find(f".//{TEI}head") is None and kind not in ("", "Annex"):
        paper.head(kind)
    _division(paper, part)


def _blocks(element: Element) -> Iterator[str]:
    """Its paragraphs; its own words if it has none."""
    texts = [_line(part) for part in element.iter(f"{TEI}p")]
    yield from filter(None, texts or [_line(element)])


def _block(part: Element) -> str:
    """A paragraph, formula, list, or a figure's or table's caption with its rows."""
    if part.tag != f"{TEI}figure":
        return _line(part)
    label = _line(part.find(f"{TEI}label")).rstrip(".:")
    head, said = (
        _NAME.sub("", _line(part.find(f"{TEI}{name}")))
        if label
        else _line(part.find(f"{TEI}{name}"))
        for name in ("head", "figDesc")
    )
    name = f"{'Table' if part.get('type') == 'table' else 'Figure'} {label}:" if label else ""
    caption = " ".join(filter(None, [name, head, said if said != head else ""]))
    rows = [
        " ".join(filter(None, (_line(cell) for cell in row.iter(f"{TEI}cell"))))
        for row in part.iter(f"{TEI}row")
    ]
    return "\n".join(filter(None, [caption, *rows]))


def _reference(entry: Element) -> str:
    """A list entry as one line: its own words where they are kept, else its parts."""
    raw = entry.find(f"{TEI}note[@type='raw_reference']")
    if raw is not None:
        return _line(raw)
    names = [
        " ".join(filter(None, (_line(part) for part in name)))
        for name in entry.iter(f"{TEI}persName")
    ]
    titles = [_line(title) for title in entry.iter(f"{TEI}title")]
    dates = [date.get("when") or _line(date) for date in entry.iter(f"{TEI}date")]
    return ". ".join(filter(None, [", ".join(names), *titles, *dates[:1]]))


def _line(element: Element | None) -> str:
    """All words of an element on one line."""
    if element is None:
        return ""
    return _words("".join(element.itertext()))


def _words(text: str | None) -> str:
    return one_line(str(without_surrogates(text or "")))
