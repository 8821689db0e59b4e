"""Meta-reviews of papers, from a file of their own."""

from __future__ import annotations

from pathlib import Path

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from reviewscore.errors import InputError
from reviewscore.papers.hygiene import tidy
from reviewscore.papers.load import Word, input_error
from reviewscore.sources.data_folder import METAREVIEWS
from reviewscore.sources.records import Row, Shelf
from reviewscore.sources.written import Materials, Numbered

_ENDINGS = (".parquet", ".jsonl")


class MetaReviewRow(BaseModel):
    """One record of a file of meta-reviews; unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    paper_id: Numbered
    meta_review: Word = Field(
        default=None, validation_alias=AliasChoices("meta_review", "metareview", "text")
    )


def meta_reviews_of(materials: Materials) -> dict[str, str]:
    """Meta-reviews that came with synopses or papers, by paper; empty ones are left out."""
    texts = {name: row.meta_review or "" for name, row in materials.synopses.items()}
    return {name: tidy(text).text for name, text in texts.items() if text.strip()}


def beside(data: Path) -> Path | None:
    """The file of meta-reviews that `fetch` wrote beside reviews; None if there is none."""
    folder = data if data.is_dir() else data.parent
    file = folder / METAREVIEWS
    return file if file.is_file() else None


def read_meta_reviews(file: Path, *, skip_bad_lines: bool = False) -> dict[str, str]:
    """Meta-reviews by paper; empty ones are left out.

    Args:
        file: ``.jsonl`` or ``.parquet`` with ``paper_id`` and ``meta_review``.
        skip_bad_lines: Go on without lines that cannot be used.

    Raises:
        InputError: The file is missing, a line cannot be used, or a paper is there twice.
    """
    file = Path(file)
    if not file.is_file() or file.suffix.lower() not in _ENDINGS:
        raise InputError(
            "is no .jsonl or .parquet file",
            file=file,
            cure="give a file with paper_id and meta_review",
        )
    found: dict[str, str] = {}
    lines: dict[str, int] = {}
    for row in Shelf.of(file).rows():
        try:
            one = _row(row, file)
            if one.paper_id in lines:
                raise InputError(
                    f"'{one.paper_id}' is also on line {lines[one.paper_id]}",
                    file=file,
                    line=row.line,
                    field="paper_id",
                    cure="give one meta-review a paper",
                )
        except InputError:
            if not skip_bad_lines:
                raise
            continue
        lines[one.paper_id] = row.line
        if (text := tidy(one.meta_review or "").text).strip():
            found[one.paper_id] = text
    return found


def _row(row: Row, file: Path) -> MetaReviewRow:
    if row.error is not None or row.record is None:
        raise row.error or InputError("is empty", file=file, line=row.line)
    try:
        return MetaReviewRow.model_validate(row.record)
    except ValidationError as error:
        raise input_error(error, file=file, line=row.line) from error
