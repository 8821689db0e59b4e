"""A paper from a file: text, Markdown, LaTeX, HTML, TEI, PDF, or a JSON record."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import ValidationError

from reviewscore.errors import InputError
from reviewscore.json_text import UnusableJsonError, load_json
from reviewscore.papers.content import read_content
from reviewscore.papers.hygiene import read_text, without_surrogates
from reviewscore.papers.rows import PaperRow, build_paper, input_error, paper_of
from reviewscore.schema.paper import Paper
from reviewscore.schema.record import storable

READING_VERSION = 2
"""Raise it when a paper's file would be read into another text, or judges would see other parts
of it: offsets count in the text as it was read."""
_RECORDS = {".json", ".jsonl"}


def load_paper(path: Path, *, year: int | None = None) -> Paper:
    """The paper in a file; its format follows from the ending, a PDF is known by its content.

    Args:
        path: A ``.txt``, ``.md``, ``.tex``, ``.html``, ``.tei.xml``, ``.pdf``, ``.json`` file, or a
            ``.jsonl`` with one paper.
        year: Year of the submission, if the file does not say or is wrong.

    Raises:
        InputError: If the file is missing, empty, or cannot be used; says what to do.
    """
    path = Path(path)
    if path.is_dir():
        raise InputError("is a folder", file=path, cure="name one paper's file")
    if path.suffix.lower() in _RECORDS:
        return _from_record(path, year)
    name = path.name.removesuffix(path.suffix).removesuffix(".tei")
    return paper_of(read_content(path), PaperRow(paper_id=storable(name)), year=year)


def _from_record(path: Path, year: int | None) -> Paper:
    text = read_text(path).strip()
    if not text:
        raise InputError("is empty", file=path, cure="write one JSON record with text")
    try:
        record = load_json(text)
    except json.JSONDecodeError as error:
        many = error.msg == "Extra data"
        raise InputError(
            "holds more than one record" if many else f"is not JSON: {error.msg}",
            file=path,
            line=error.lineno,
            cure="name a folder with papers.jsonl and reviews.jsonl" if many else "correct it",
        ) from error
    except UnusableJsonError as error:
        raise error.of_input(path) from error
    if not isinstance(record, dict):
        raise InputError("is not one JSON object", file=path, cure='write {"text": "..."}')
    record = without_surrogates({"paper_id": storable(path.stem), **record})
    try:
        row = PaperRow.model_validate(record)
    except ValidationError as error:
        raise input_error(error, file=path) from error
    if not row.has_text and not row.source_file:
        raise InputError("has no text", file=path, field="text", cure="add the paper's text")
    return build_paper(row, folder=path.parent, year=year)
