"""The text of a paper whose format marks title, headings and paragraphs, put together."""

from __future__ import annotations

from dataclasses import dataclass, field

from reviewscore.papers.headings import Candidate


@dataclass
class MarkedText:
    """A paper as it is read from TEI, LaTeX or HTML, block by block.

    Attributes:
        title: Its title; empty if it has none.
        abstract: Its abstract; empty if it has none.
        headings: Where its headings stand in ``text``.
        notes: What could not be read, in words.
    """

    title: str = ""
    abstract: str = ""
    headings: list[Candidate] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    _parts: list[str] = field(default_factory=list)
    _length: int = 0
    _lead: str = ""

    @property
    def text(self) -> str:
        """Title, abstract, sections and references, parted by empty lines."""
        return "\n\n".join(self._parts)

    def add(self, block: str) -> int:
        """Appends a paragraph; the offset at which it begins."""
        start = self._length + (2 if self._parts else 0)
        if block:
            block, self._lead = f"{self._lead}{block}", ""
            self._parts.append(block)
            self._length = start + len(block)
        return start

    def lead_in(self, words: str) -> None:
        """Puts words, such as ``Lemma 1.``, before the next paragraph."""
        self._lead = f"{self._lead}{words} "

    def head(self, title: str, printed: str = "", level: int = 0) -> None:
        """Appends a heading with its number as printed; without a level, the number gives it."""
        if not title:
            return
        start = self.add(f"{printed} {title}".strip())
        number = tuple(
            int(part) if part.isdigit() else ord(part) for part in printed.split(".") if part
        )
        level = level or max(1, len(number))
        self.headings.append(
            Candidate(start, self._length, number, printed, title, level, 1.0, False)
        )
