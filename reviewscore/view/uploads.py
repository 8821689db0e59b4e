"""Papers and reviews as they come from a browser: kept under names of our own, as `audit` reads.

What a file is called decides nothing but its ending and what it is shown as. Nothing is unpacked or
read here: that is done by the command that audits them, in a process of its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from reviewscore.bounds import Bound, in_force, in_megabytes
from reviewscore.errors import InputError
from reviewscore.printable import printable
from reviewscore.schema.record import storable
from reviewscore.sources.data_folder import file_name
from reviewscore.sources.records import ENDINGS
from reviewscore.view.audit_jobs import PDF, SentFile

PAPER_ENDINGS = (PDF, ".txt", ".md", ".markdown", ".tex", ".latex", ".html", ".tei", ".xml")
REVIEW_ENDINGS = (".txt", ".md", ".markdown", ".docx", PDF, ".xml", *ENDINGS)
MOST_FILES = 200
MOST_BYTES = 600_000_000
"""Most files, and bytes of all of them, that are sent at once."""
WAITING = ".waiting"
_PIECE = 1 << 20
_LONGEST_SHOWN = 120
_SIGNS = tuple("-._ ")
_OURS = ("reviews", "papers")
PASTED = "pasted-review"


@dataclass(frozen=True)
class Upload:
    """A file as it comes: what its sender calls it, and its bytes."""

    name: str
    file: BinaryIO

    @property
    def base(self) -> str:
        """Its name without folders, which some browsers send."""
        return storable(self.name.replace("\\", "/").rpartition("/")[2])

    @property
    def stem(self) -> str:
        """Its name without ending."""
        return PurePosixPath(self.base).stem.removesuffix(".tei").lstrip(".")

    @property
    def plain(self) -> str:
        """That as a name that all systems allow; empty if nothing of it can be kept."""
        return plain_name(self.stem)

    @property
    def ending(self) -> str:
        """Its ending in small letters."""
        return PurePosixPath(self.base).suffix.lower()

    @property
    def shown(self) -> str:
        """Its name for people."""
        return printable(self.base)[:_LONGEST_SHOWN]


@dataclass
class SentData:
    """What was sent, kept in a folder.

    Attributes:
        folder: Where.
        papers: The papers.
        reviews: The reviews.
        table: Whether one table holds the reviews of all papers.
        faults: What cannot be taken, in words.
    """

    folder: Path
    papers: list[SentFile] = field(default_factory=list)
    reviews: list[SentFile] = field(default_factory=list)
    table: bool = False
    faults: list[str] = field(default_factory=list)
    _stems: list[str] = field(default_factory=list)
    _taken: set[str] = field(default_factory=set)

    def take(self, papers: Sequence[Upload], reviews: Sequence[Upload], pasted: str) -> None:
        """Keep all of it.

        Raises:
            InputError: There is nothing that can be audited; says why.
        """
        papers = list(self._of_a_kind(papers, PAPER_ENDINGS, "paper"))
        reviews = list(self._of_a_kind(reviews, REVIEW_ENDINGS, "review"))
        if not papers:
            raise InputError("; ".join([*self.faults, "Choose a paper"]))
        if not reviews and not pasted.strip():
            raise InputError("; ".join([*self.faults, "Choose a review, or paste one"]))
        several = len(papers) > 1
        one_table = len(reviews) == 1 and reviews[0].ending in ENDINGS and not pasted.strip()
        self.table = several and one_table
        if several and not self.table and any(one.ending != PDF for one in papers):
            raise InputError(
                "Several papers at once are PDFs, or come with one table of all reviews that names "
                "the papers (paper_id); send papers of other kinds one by one"
            )
        self.folder.mkdir(mode=0o700)
        for upload, name in zip(papers, _paper_names(papers), strict=True):
            self._take_paper(upload, name)
        if not self.papers:
            raise InputError("; ".join(self.faults))
        if self.table:
            self._take_table(reviews[0])
            return
        for upload in reviews:
            self._take_review(upload)
        if pasted.strip():
            self._place("pasted review", PASTED, ".txt").write_text(pasted, "utf-8")
        if not self.reviews:
            raise InputError("; ".join(self.faults))

    def _of_a_kind(
        self, uploads: Sequence[Upload], endings: Sequence[str], noun: str
    ) -> Iterator[Upload]:
        for upload in uploads:
            if upload.ending in endings:
                yield upload
            elif upload.base:
                self.faults.append(f"{upload.shown} is no {noun}: that is {', '.join(endings)}")

    def _take_paper(self, upload: Upload, name: str) -> None:
        place = f"{name}{upload.ending}"
        if self._saved(upload, self.folder / place):
            self.papers.append(SentFile(name=upload.shown, place=place))
            self._stems.append(upload.stem)

    def _take_table(self, upload: Upload) -> None:
        place = f"{_OURS[0]}{upload.ending}"
        if not self._saved(upload, self.folder / place):
            raise InputError("; ".join(self.faults))
        self.reviews.append(SentFile(name=upload.shown, place=place))
        rows = (
            json.dumps({"paper_id": stem, "file": paper.place})
            for stem, paper in zip(self._stems, self.papers, strict=True)
        )
        (self.folder / f"{_OURS[1]}.jsonl").write_text("".join(f"{row}\n" for row in rows), "utf-8")

    def _take_review(self, upload: Upload) -> None:
        place = self._place(upload.shown, upload.stem, upload.ending)
        if not self._saved(upload, place):
            self.reviews.pop()

    def _place(self, shown: str, stem: str, ending: str) -> Path:
        """Where a review is to lie, which is noted."""
        paper = self._paper_of(stem)
        name = f"{_unique(plain_name(stem) or PASTED, self._taken)}{ending}"
        if paper is None:
            self.reviews.append(SentFile(name=shown, waiting=name))
        else:
            self.reviews.append(SentFile(name=shown, place=review_place(paper, name)))
        place = self.folder / (self.reviews[-1].place or f"{WAITING}/{name}")
        place.parent.mkdir(exist_ok=True)
        return place

    def _paper_of(self, stem: str) -> SentFile | None:
        """The paper that a review is called after, or the only one; None if nobody knows."""
        if len(self.papers) == 1:
            return self.papers[0]
        fitting = [
            (len(name), paper)
            for name, paper in zip(self._stems, self.papers, strict=True)
            if stem == name or (stem.startswith(name) and stem[len(name) :].startswith(_SIGNS))
        ]
        return max(fitting, key=lambda pair: pair[0])[1] if fitting else None

    def _saved(self, upload: Upload, place: Path) -> bool:
        """Whether a file was kept; one that is too large is not."""
        bound: Bound = in_force().of_file(place.name)
        size = 0
        with place.open("xb") as file:
            while piece := upload.file.read(_PIECE):
                size += len(piece)
                if size > bound.size:
                    break
                file.write(piece)
        if 0 < size <= bound.size:
            return True
        place.unlink()
        most = f"larger than {in_megabytes(bound.size)}"
        self.faults.append(f"{upload.shown} is {most if size else 'empty'}")
        return False


def plain_name(stem: str) -> str:
    """A file's stem as a name that all systems allow, and that no command takes for an option."""
    plain = re.sub(r"[^A-Za-z0-9_.]+", "-", stem).strip(".-")
    return file_name(plain) if plain else ""


def review_place(paper: SentFile, name: str) -> str:
    """Where a review of a paper lies: in a folder that is called as the paper is."""
    return f"{PurePosixPath(paper.place).stem}/{name}"


def _paper_names(papers: Sequence[Upload]) -> list[str]:
    """Names of papers' files; numbered where one could be taken for a review of another."""
    taken: set[str] = set()
    names = [_unique(one.plain or "paper", taken) for one in papers]
    plain = [name.casefold() for name in names]
    clash = any(name in _OURS for name in plain) or any(
        a != b and b.startswith(a) and b[len(a) :].startswith(_SIGNS) for a in plain for b in plain
    )
    return [f"{n}-{name}" for n, name in enumerate(names, 1)] if clash else names


def _unique(name: str, taken: set[str]) -> str:
    found, number = name, 1
    while found.casefold() in taken:
        number += 1
        found = f"{name}-{number}"
    taken.add(found.casefold())
    return found
