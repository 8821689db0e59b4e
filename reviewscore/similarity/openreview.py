"""The folder and the scores of openreview-expertise, so that either side can be exchanged.

A folder has ``archives/REVIEWER.jsonl``, one past paper a line, and ``submissions.json``,
``submissions.jsonl`` or ``submissions/ID.jsonl``. Papers are ``{"id": .., "content": {"title": ..,
"abstract": ..}}``; values may be wrapped as ``{"value": ..}``, as in API 2. Scores are lines of
submission, reviewer, score without a heading.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from reviewscore.bounds import in_force
from reviewscore.errors import InputError
from reviewscore.json_text import UnusableJsonError, load_json
from reviewscore.papers.hygiene import read_text
from reviewscore.similarity.corpus import (
    ONLY,
    Corpus,
    CorpusLine,
    Publication,
    Reading,
    counts_of,
    lines,
    publication,
)

ARCHIVES = "archives"
_DATES = ("pdate", "odate", "cdate", "tcdate", "mdate")
_CURE = 'write {"id": ..., "content": {"title": ..., "abstract": ...}}'


def is_openreview(folder: Path) -> bool:
    """Whether the folder is laid out so."""
    return (folder / ARCHIVES).is_dir()


def read_openreview(folder: Path, *, submitted: bool = True) -> Corpus:
    """Read such a folder.

    A paper may stand in several archives; what the first says of it counts.

    Args:
        folder: The folder.
        submitted: Whether there must be submissions; if not, they are not read.

    Raises:
        InputError: A file is missing, or a record cannot be used; the message names it.
    """
    reading = Reading()
    counted: dict[str, Mapping[str, int]] = {}
    for line in _submissions(folder, reading) if submitted else ():
        paper = _paper(line, counted)
        if paper.paper_id in reading.papers:
            raise line.error(
                f"submission '{paper.paper_id}' is there twice", "id", cure="keep one of the two"
            )
        reading.papers[paper.paper_id] = paper
        reading.submissions.append(paper.paper_id)
    profiles: dict[str, tuple[str, ...]] = {}
    for file in sorted((folder / ARCHIVES).glob("*.jsonl")):
        reading.files.append(file)
        own: dict[str, None] = {}
        for line in lines(file):
            paper = _paper(line, counted)
            if paper.paper_id in own:
                raise line.error(
                    f"paper '{paper.paper_id}' is there twice", "id", cure="keep one of the two"
                )
            own[paper.paper_id] = None
            reading.papers.setdefault(paper.paper_id, paper)
        profiles[file.stem] = tuple(own)
    if not profiles:
        raise InputError("holds no .jsonl files", file=folder / ARCHIVES, cure="add archives")
    return reading.corpus(
        folder, {ONLY: profiles}, counts_of(counted) if counted else None, submitted=submitted
    )


def _submissions(folder: Path, reading: Reading) -> Iterator[CorpusLine]:
    whole, several = folder / "submissions.json", folder / "submissions"
    if whole.is_file():
        reading.files.append(whole)
        yield from _one_object(whole)
        return
    paths = (
        [folder / "submissions.jsonl"] if not several.is_dir() else sorted(several.glob("*.jsonl"))
    )
    if not paths or not paths[0].is_file():
        raise InputError(
            "has archives but no submissions", file=folder,
            cure="add submissions.json, or a folder submissions",
        )  # fmt: skip
    for file in paths:
        reading.files.append(file)
        yield from lines(file)


def _one_object(file: Path) -> Iterator[CorpusLine]:
    """Papers of one JSON object by identifier, or of one JSON list."""
    try:
        read = load_json(read_text(file, bound=in_force().table))
    except UnusableJsonError as error:
        raise error.of_input(file) from error
    except ValueError as error:
        raise InputError(f"is not JSON ({error})", file=file, cure="write it again") from error
    papers = list(read.values()) if isinstance(read, dict) else read
    if not isinstance(papers, list):
        raise InputError(f"is {type(read).__name__}, not an object of papers", file=file)
    names = list(read) if isinstance(read, dict) else [None] * len(papers)
    for number, (name, paper) in enumerate(zip(names, papers, strict=True), 1):
        if not isinstance(paper, dict):
            raise InputError(
                f"paper {number} is {type(paper).__name__}, not an object", file=file, cure=_CURE
            )
        yield CorpusLine(file, number, {"id": name, **paper} if name else paper)


def _unwrapped(value: object) -> object:
    return value["value"] if isinstance(value, dict) and set(value) == {"value"} else value


def _paper(line: CorpusLine, counted: dict[str, Mapping[str, int]]) -> Publication:
    content = line.record.get("content")
    if not isinstance(content, dict):
        raise line.error("is missing", "content", cure=_CURE)
    values = {name: _unwrapped(value) for name, value in content.items()}
    text = values.get("text")
    row = {
        "id": line.record.get("id"),
        "title": values.get("title"),
        "abstract": values.get("abstract"),
        "text": text if isinstance(text, str) else None,
        "year": values.get("year") or _year(line.record),
    }
    if row["id"] is None:
        raise line.error("is missing", "id", cure=_CURE)
    one, _ = publication(row, line)
    if isinstance(text, dict):
        counted.setdefault(one.paper_id, _word_counts(text, line))
    return one


def _word_counts(text: Mapping[object, object], line: CorpusLine) -> dict[str, int]:
    values = {}
    for word, count in text.items():
        if not isinstance(count, int) or isinstance(count, bool) or count < 0:
            raise line.error(
                f"counts '{word}' as {count!r}", "content.text", cure="give whole numbers"
            )
        values[str(word)] = count
    return values


def _year(record: Mapping[str, object]) -> int | None:
    """The year of the first date there is; dates are in milliseconds."""
    for name in _DATES:
        date_ms = _unwrapped(record.get(name))
        if isinstance(date_ms, int | float) and date_ms > 0:
            return datetime.fromtimestamp(date_ms / 1000, tz=UTC).year
    return None
