"""A paper's record, read and not worked on yet, so that another process can do the work."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import ValidationError

from reviewscore.bounds import in_force, read_bounded
from reviewscore.errors import InputError
from reviewscore.papers.load import PaperRow, build_paper, input_error
from reviewscore.schema.paper import Paper
from reviewscore.sources.records import Row, Shelf


@dataclass(frozen=True, slots=True)
class RawPaper:
    """A paper's record that was read and not worked on yet.

    Attributes:
        row: The record.
        source: Format it was read from.
        folder: What its file's path is relative to.
        content: Bytes of its file, where they travel along; None where it is in the folder.
    """

    row: PaperRow
    source: str
    folder: Path
    content: bytes | None = None

    def packed(self) -> RawPaper:
        """The same with the bytes of its file, if it has one.

        Raises:
            InputError: The file cannot be read.
        """
        if self.row.source_file is None:
            return self
        path = self.folder / self.row.source_file
        return replace(self, content=read_bounded(path, in_force().of_file(path.name)))

    def paper(self, *, doubts: bool = True) -> Paper:
        """The paper.

        Args:
            doubts: Whether to look for what is doubtful about it.

        Raises:
            InputError: Its text cannot be used.
        """
        if self.content is None or self.row.source_file is None:
            return build_paper(self.row, source=self.source, folder=self.folder, doubts=doubts)
        with tempfile.TemporaryDirectory(prefix="reviewscore-") as name:
            path = Path(name, Path(self.row.source_file).name)
            path.write_bytes(self.content)
            row = self.row.model_copy(update={"file": path.name})
            return build_paper(row, source=self.source, folder=path.parent, doubts=doubts)


def raw_paper(shelf: Shelf, row: Row, paper_id: str) -> Callable[[], RawPaper]:
    """What reads a paper's record again when it is asked for; it keeps the place only.

    Args:
        shelf: The file.
        row: The record as it was read the first time.
        paper_id: Its paper.
    """
    offset, line = row.offset, row.line

    def read() -> RawPaper:
        record = shelf.fetch(offset, line)
        if str(record.get("paper_id")) != paper_id:
            raise InputError(
                "has changed since it was read", file=shelf.file, line=line, cure="start again"
            )
        source = "parquet" if shelf.file.suffix.lower() == ".parquet" else "jsonl"
        try:
            row = PaperRow.model_validate(record)
        except ValidationError as error:
            raise input_error(error, file=shelf.file, line=line) from error
        return RawPaper(row, source, shelf.file.parent)

    return read
