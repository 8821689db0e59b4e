"""Reviews from Word files (``.docx``): paragraphs, headings, lists and tables, as Markdown.

A file is a packed folder of XML. Only two parts of it are unpacked, each up to the bound of a text;
a document type is refused, so that there are no entities, and nothing outside is ever opened.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from reviewscore.bounds import check_size, in_force
from reviewscore.errors import InputError, TooLargeError
from reviewscore.papers.hidden import Hidden, Trick
from reviewscore.papers.hygiene import without_surrogates
from reviewscore.papers.load import Content

if TYPE_CHECKING:
    from lxml.etree import _Element

_DOCUMENT = "word/document.xml"
_LINKS = "word/_rels/document.xml.rels"
_HEADING = re.compile(r"(?:heading|berschrift|titre|ttulo)\s*([1-6])$|(title)$", re.IGNORECASE)
_SMALLEST = 4
"""Half points; smaller letters nobody reads."""
_PIECE = 65_536
_BREAK = "\n"
_USUAL = b"http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_W = f"{{{_USUAL.decode()}}}"
_STRICT = b"http://purl.oclc.org/ooxml/wordprocessingml/main"
_LEFT_OUT = (f"{_W}del", f"{_W}moveFrom", f"{_W}txbxContent")
_SIGNS = {f"{_W}tab": "\t", f"{_W}br": "\n", f"{_W}cr": "\n", f"{_W}noBreakHyphen": "-"}
_DEPTHS = frozenset(map(str, range(9)))
"""Levels of lists (ECMA-376, 17.9.3)."""
_NO_FILL = ("", "auto", "FFFFFF")
_CURE = "save it anew as .docx, or as text"


def read_docx(path: Path) -> Content:
    """The text of a Word file, without what people cannot see, and what that was.

    Insertions are taken as accepted, deletions as done; comments, notes, headers and pictures are
    left out.

    Raises:
        InputError: It is no such file, is too large, is empty, or refers to parts outside of it.
    """
    check_size(path, in_force().text)
    try:
        with zipfile.ZipFile(path) as packed:
            links = _unpacked(packed, _LINKS, path) if _LINKS in packed.namelist() else b""
            document = _unpacked(packed, _DOCUMENT, path)
    except (zipfile.BadZipFile, zlib.error, KeyError, EOFError, OSError) as error:
        problem = f"is no Word file that can be read ({error})"
        raise InputError(problem, file=path, cure=_CURE) from error
    except (RuntimeError, NotImplementedError) as error:  # encrypted, or packed in a strange way
        raise InputError(f"cannot be unpacked: {error}", file=path, cure=_CURE) from error
    if links:
        _check_links(_tree(links, path), path)
    body = _tree(document.replace(_STRICT, _USUAL), path).find(f"{_W}body")
    unseen = _Unseen()
    text = ""
    for block in () if body is None else _blocks(body, unseen):
        together = block.lstrip().startswith("- ") and text.rpartition("\n")[2].lstrip()[:2] == "- "
        text += f"{'' if not text else _BREAK if together else _BREAK * 2}{block}"
    text = str(without_surrogates(text.strip()))
    if not text:
        raise InputError("is empty", file=path, cure="give the review's text")
    return Content(text, "docx", hidden=tuple(unseen.texts))


@dataclass
class _Unseen:
    """Texts that people cannot see.

    Attributes:
        texts: The texts.
        length: Characters before the next one, those of others among them.
    """

    texts: list[Hidden] = field(default_factory=list)
    length: int = 0

    def take(self, text: str, trick: Trick | None) -> str:
        """A text if people see it, else nothing."""
        if trick is not None and text.strip():
            self.texts.append(Hidden(text=text, trick=trick, start=self.length))
        self.length += len(text)
        return "" if trick is not None else text


def _unpacked(packed: zipfile.ZipFile, name: str, path: Path) -> bytes:
    """A part of the file, counted while it is unpacked: what the archive says of it may be false.

    Raises:
        TooLargeError: It is larger than a text may be.
    """
    bound, found = in_force().text, bytearray()
    with packed.open(name) as part:
        while piece := part.read(_PIECE):
            found += piece
            if len(found) > bound.size:
                problem = f"unpacked, {bound.problem(len(found))}"
                raise TooLargeError(problem, file=path, cure=bound.cure)
    return bytes(found)


def _tree(raw: bytes, path: Path) -> _Element:
    """The tree of a part.

    Raises:
        InputError: It is not well formed, nests too deeply, or declares a document type.
    """
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(raw, parser)
    except etree.XMLSyntaxError as error:
        raise InputError(f"is not well-formed XML: {error}", file=path, cure=_CURE) from error
    if root.getroottree().docinfo.doctype:
        raise InputError("declares a document type, which is not read", file=path, cure=_CURE)
    return root


def _check_links(links: _Element, path: Path) -> None:
    """Refuse parts that lie elsewhere; what a hyperlink leads to is no part.

    Raises:
        InputError: There is one.
    """
    for link in links:
        kind = str(link.get("Type", "")).rpartition("/")[2]
        if link.get("TargetMode") == "External" and kind != "hyperlink":
            raise InputError(
                f"refers to a part outside of it ({kind[:40]}), which is not opened",
                file=path,
                cure="take it out, or save the review as text",
            )


def _blocks(parent: _Element, unseen: _Unseen) -> Iterator[str]:
    """Paragraphs, and rows of tables, in order."""
    for block in parent:
        if block.tag == f"{_W}p":
            text = _paragraph(block, unseen)
            if text:
                yield text
        elif block.tag == f"{_W}tbl":
            for row in block.iter(f"{_W}tr"):
                cells = (" ".join(_blocks(cell, unseen)) for cell in row.findall(f"{_W}tc"))
                if line := " | ".join(cells).strip(" |"):
                    yield line
        elif block.tag in (f"{_W}sdt", f"{_W}sdtContent", f"{_W}ins", f"{_W}customXml"):
            yield from _blocks(block, unseen)


def _paragraph(block: _Element, unseen: _Unseen) -> str:
    """The text of a paragraph, marked as heading or point of a list."""
    text = "".join(_runs(block, unseen)).strip()
    name = _value(block, "pPr/pStyle")
    level = _value(block, "pPr/numPr/ilvl")
    if text and (heading := _HEADING.search(name)):
        return f"{'#' * int(heading[1] or 1)} {text}"
    if text and (_value(block, "pPr/numPr/numId") or name.lower().startswith("list")):
        return f"{'  ' * int(level) if level in _DEPTHS else ''}- {text}"
    return text


def _runs(block: _Element, unseen: _Unseen) -> Iterator[str]:
    """The texts of a paragraph that people see."""
    for run in block.iter(f"{_W}r"):
        if next(run.iterancestors(*_LEFT_OUT), None) is None:
            text = "".join((one.text or "") if one.tag == f"{_W}t" else _SIGNS.get(str(one.tag), "")
                           for one in run)  # fmt: skip
            yield unseen.take(text, _trick(run))


def _trick(run: _Element) -> Trick | None:
    """How the text of a run is kept from people's eyes; None if it is not."""
    if run.find(f"{_W}rPr") is None:
        return None
    if run.find(f"{_W}rPr/{_W}vanish") is not None:
        shown = _value(run, "rPr/vanish") in ("0", "false", "off")
        return None if shown else Trick.MARKED
    size = _value(run, "rPr/sz")
    if size.isdecimal() and len(size) < len("1000") and int(size) < _SMALLEST:
        return Trick.TINY
    white = _value(run, "rPr/color").upper() == "FFFFFF"
    looks = (f"{_W}rPr", f"{_W}pPr", f"{_W}tcPr")
    around = (run, *run.iterancestors(f"{_W}p", f"{_W}tc"))
    fills = (
        str(fill.get(f"{_W}fill", "")) for one in around for look in looks
        for fill in one.findall(f"{look}/{_W}shd")
    )  # fmt: skip
    on_paper = all(fill in _NO_FILL for fill in fills) and not _value(run, "rPr/highlight")
    return Trick.BACKGROUND if white and on_paper else None


def _value(element: _Element, path: str) -> str:
    """The value of an element below another; empty if there is none."""
    found = element.find("/".join(f"{_W}{name}" for name in path.split("/")))
    return "" if found is None else str(found.get(f"{_W}val", ""))
