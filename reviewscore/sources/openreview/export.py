"""Notes from exported JSON: files of pages, notes or forums, and folders of such files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from reviewscore.bounds import in_force, read_bounded
from reviewscore.errors import InputError
from reviewscore.json_text import UnusableJsonError, load_json
from reviewscore.sources.records import Shelf

_ENDINGS = (".json", ".jsonl")
_HTML = (b"<!doctype", b"<html", b"<?xml", b"<head")
_CURE = "export notes as JSON: a page of the API, a list of notes, or one note a line"

Record = Mapping[str, object]


def files_of(path: Path) -> list[Path]:
    """The JSON and JSONL files of an export, sorted.

    Raises:
        InputError: There is no such file, or none in the folder.
    """
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise InputError("there is no such file or folder", file=path, cure=_CURE)
    found = sorted(
        one for one in path.rglob("*") if one.suffix.lower() in _ENDINGS and one.is_file()
    )
    if not found:
        raise InputError("holds no .json or .jsonl file", file=path, cure=_CURE)
    return found


def records_in(file: Path) -> Iterator[Record | InputError]:
    """The notes of a file, one by one; what is wrong with a line stands in its place.

    A file holds one note, a list of notes, ``{"notes": [..]}`` as the API sends pages, or
    ``{"submission": ..}`` with its replies; JSONL one of these a line.

    Raises:
        InputError: The file cannot be read, or is no JSON.
    """
    if file.suffix.lower() == ".jsonl":
        for row in Shelf.of(file).rows(in_force().page):  # a line may hold a page of them
            if row.error is not None or row.record is None:
                yield row.error or InputError("is empty", file=file, line=row.line)
            else:
                yield from _notes(row.record, file)
        return
    yield from _notes(_whole(file), file)


def _whole(file: Path) -> object:
    raw = read_bounded(file, in_force().table)
    if raw.lstrip()[:10].lower().startswith(_HTML):
        raise InputError(
            "is a web page, not JSON",
            file=file,
            cure="OpenReview may have asked to log in; export again, or use `fetch`",
        )
    try:
        found = load_json(raw.decode("utf-8-sig"))
    except UnusableJsonError as error:
        raise error.of_input(file) from error
    except ValueError as error:
        raise InputError(f"is not JSON: {error}", file=file, cure=_CURE) from error
    return found


def _notes(value: object, file: Path) -> Iterator[Record | InputError]:
    if isinstance(value, list):
        for one in value:
            yield from _notes(one, file)
    elif not isinstance(value, Mapping):
        yield InputError(f"{type(value).__name__} where a note should be", file=file, cure=_CURE)
    elif isinstance(value.get("notes"), list):
        yield from _notes(value["notes"], file)
    elif isinstance(value.get("submission"), Mapping):
        yield from _notes(value["submission"], file)
    elif "id" in value and ("invitation" in value or "invitations" in value):
        yield value
    elif not _about_something_else(value):
        yield InputError("an object that is no note", file=file, cure=_CURE)


def _about_something_else(value: Mapping[str, object]) -> bool:
    """Groups, refusals and empty pages lie beside notes in exports."""
    return bool({"http_status", "domain", "members", "count"} & set(value))
