"""Fetch a venue or some forums into a folder, resumable, or read them from an export.

What the server sends is kept as it came (``raw/threads.jsonl``, a forum a line), written whole
before the next request, so that a fetch that is killed goes on where it was. Papers, reviews and
meta-reviews are built from it anew each time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from reviewscore.bounds import in_force, read_bounded
from reviewscore.errors import InputError, RunFolderError, StopError, TooLargeError
from reviewscore.json_text import UnusableJsonError, load_json
from reviewscore.sources.data_folder import PDFS, DataFolder, read_account, write_account
from reviewscore.sources.openreview.notes import unwrapped
from reviewscore.sources.openreview.server import Server, check_installed
from reviewscore.sources.openreview.thread_store import (
    ThreadStore,
    VersionStore,
    fetch_pdfs,
    fetch_versions,
    given_pdfs,
    is_forum_id,
    keep_form,
    shown_id,
)
from reviewscore.sources.openreview.threads import Built, Forums, build
from reviewscore.sources.records import RecordFile

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
    paths = sorted(
        file_path
        for file_path in path.rglob("*")
        if file_path.suffix.lower() in _ENDINGS and file_path.is_file()
    )
    if not paths:
        raise InputError("holds no .json or .jsonl file", file=path, cure=_CURE)
    return paths


def records_in(file: Path) -> Iterator[Record | InputError]:
    """The notes of a file, one by one; what is wrong with a line stands in its place.

    A file holds one note, a list of notes, ``{"notes": [..]}`` as the API sends pages, or
    ``{"submission": ..}`` with its replies; JSONL one of these a line.

    Raises:
        InputError: The file cannot be read, or is no JSON.
    """
    if file.suffix.lower() == ".jsonl":
        for row in RecordFile.of(file).rows(in_force().page):  # a line may hold a page of them
            yield from [row.error] if row.error else _notes_of(row.value, file)
        return
    yield from _notes_of(_whole(file), file)


def _whole(file: Path) -> object:
    raw = read_bounded(file, in_force().table)
    if raw.lstrip()[:10].lower().startswith(_HTML):
        raise InputError(
            "is a web page, not JSON",
            file=file,
            cure="OpenReview may have asked to log in; export again, or use `fetch`",
        )
    try:
        return load_json(raw.decode("utf-8-sig"))
    except UnusableJsonError as error:
        raise error.of_input(file) from error
    except ValueError as error:
        raise InputError(f"is not JSON: {error}", file=file, cure=_CURE) from error


def _notes_of(value: object, file: Path) -> Iterator[Record | InputError]:
    if isinstance(value, list):
        for item in value:
            yield from _notes_of(item, file)
    elif not isinstance(value, Mapping):
        yield InputError(f"{type(value).__name__} where a note should be", file=file, cure=_CURE)
    elif isinstance(value.get("notes"), list):
        yield from _notes_of(value["notes"], file)
    elif isinstance(value.get("submission"), Mapping):
        yield from _notes_of(value["submission"], file)
    elif "id" in value and ("invitation" in value or "invitations" in value):
        yield value
    elif not _about_something_else(value):
        yield InputError("an object that is no note", file=file, cure=_CURE)


def _about_something_else(value: Mapping[str, object]) -> bool:
    """Groups, refusals and empty pages lie beside notes in exports."""
    return bool({"http_status", "domain", "members", "count"} & set(value))


RAW = Path("raw") / "threads.jsonl"
FORM = Path("raw") / "form.json"
VERSIONS = Path("raw") / "versions.jsonl"
PAGE = 1000
"""Notes of a page at most; servers cut larger pages without a word."""
_BLIND = "Blind_Submission"
_V1_LISTS = (
    _BLIND, "Submission", "submission", "Withdrawn_Submission", "Desk_Rejected_Submission",
)  # fmt: skip

Say = Callable[[str], None]


@dataclass(frozen=True)
class FetchTargets:
    """What to fetch.

    Attributes:
        venue: A venue's id; None for forums alone.
        forums: Identifiers of forums.
        api: 1 or 2; None tries 2, then 1.
        pdfs: Whether papers are fetched too.
        limit: Forums at most; None for all.
        first_versions: Whether the first versions of changed reviews are asked for.
    """

    venue: str | None = None
    forums: tuple[str, ...] = ()
    api: int | None = None
    pdfs: bool = True
    limit: int | None = None
    first_versions: bool = False


@dataclass
class Fetched:
    """How a fetch ended.

    Attributes:
        built: What was written.
        new: Forums that this session fetched.
        missing: Forums that were asked for and are not visible.
        failed: Forums that cannot be had for another reason, with that reason.
        pdfs: Papers whose PDF is there.
        first_versions: Reviews that are there as they were first written.
        hidden_versions: Changed reviews whose first version may not be seen.
        without_pdf: Papers whose PDF could not be had, with the reason.
        stopped: The refusal that ended it, in words; None if it is complete.
        empty: Whether nothing of a venue could be seen.
    """

    built: Built
    new: int = 0
    missing: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    pdfs: int = 0
    first_versions: int = 0
    hidden_versions: int = 0
    without_pdf: dict[str, str] = field(default_factory=dict)
    stopped: str | None = None
    empty: bool = False


def fetch(wanted: FetchTargets, out: Path, *, say: Say, server: Callable[[int], Server]) -> Fetched:
    """Fetch, or go on with, a folder.

    Args:
        wanted: What to fetch.
        out: The folder; new, or of an earlier fetch of the same.
        say: Told what the user should know.
        server: Opens a host, 1 or 2.

    Raises:
        RunFolderError: The folder holds other things, or cannot be written.
        InputError: None of the forums is visible.
        SettingsError: The extra is missing, or the login was refused.
    """
    check_installed()
    wanted, unusable = _usable(wanted)
    DataFolder(out)
    account = _account(wanted, out)
    (out / RAW).parent.mkdir(exist_ok=True)
    raw = ThreadStore(out / RAW)
    before = account.pop("failed")
    response = Fetched(Built(), failed={**{name: why for name, why in before.items() if name
                                        not in raw.known}, **unusable})  # fmt: skip
    try:
        for api, records in _pages(wanted, raw, server, response, say):
            response.new += raw.add(api, records, wanted.limit)
            say(f"{len(raw.known):,} {'forum' if len(raw.known) == 1 else 'forums'}")
            if raw.full(wanted.limit):
                break
    except StopError as error:
        response.stopped = str(error)
    finally:
        raw.close()
    response.empty = not raw.known
    if response.empty and response.missing and wanted.venue is None and response.stopped is None:
        raise InputError(
            f"no forum '{response.missing[0]}' is visible on OpenReview",
            cure="check its id, or log in to see it",
        )
    if response.empty and response.failed and wanted.venue is None and response.stopped is None:
        name, reason = next(iter(response.failed.items()))
        raise InputError(f"forum '{name}': {reason}")
    if wanted.venue is not None and response.stopped is None:
        keep_form(raw.threads(), out / FORM, say=say, server=server)
    if wanted.first_versions and response.stopped is None:
        response.stopped = fetch_versions(
            raw.threads(wanted.limit), out / VERSIONS, say=say, server=server
        )
    versions = VersionStore(out / VERSIONS)
    response.first_versions, response.hidden_versions = len(versions), versions.hidden
    if wanted.pdfs and response.stopped is None:
        kept = dict(islice(raw.known.items(), wanted.limit))
        pdfs = fetch_pdfs(kept, out / PDFS, say=say, server=server)
        response.without_pdf, response.stopped = pdfs.without, pdfs.stopped
    there = {path.stem: Path(PDFS) / path.name for path in (out / PDFS).glob("*.pdf")}
    response.pdfs = len(there)
    response.built = build(raw.threads(wanted.limit, versions), out, pdfs=there)
    response.built.warnings.update(raw.left_out)
    write_account(out, {**account, **_counts(response)})
    return response


def read_export(path: Path, out: Path, *, say: Say) -> Fetched:
    """Build papers and reviews from exported JSON instead of fetching them.

    Args:
        path: A file or folder of exported notes; PDFs named ``<forum>.pdf`` beside them are used.
        out: The folder.
        say: Told of what is left out.

    Raises:
        InputError: There is nothing that can be read.
        RunFolderError: The folder holds other things, or cannot be written.
    """
    forums = Forums()
    for file in files_of(path):
        try:
            for record in records_in(file):
                if isinstance(record, InputError):
                    say(str(record))
                    forums.warnings["records that are no notes are left out"] += 1
                else:
                    _take(forums, record, say)
        except InputError as error:
            say(str(error))
            forums.warnings["files that cannot be read are left out"] += 1
    if not len(forums):
        raise InputError(
            "holds no submission", file=path, cure="export the submissions with details=replies"
        )
    DataFolder(out).account({"source": "export", "complete": False})
    given = given_pdfs(path, out, forums.names())
    built = build(forums.threads(), out, pdfs=given)
    built.warnings.update(forums.warnings)
    response = Fetched(built, pdfs=len(given))
    write_account(out, {"source": "export", **_counts(response)})
    return response


def _usable(wanted: FetchTargets) -> tuple[FetchTargets, dict[str, str]]:
    """What can be asked for, and why the other forums cannot.

    Raises:
        InputError: None of them can.
    """
    reason = "is no id of a forum: they have letters, digits, - and _, at most 100"
    unusable = {shown_id(name): reason for name in wanted.forums if not is_forum_id(name)}
    left = tuple(name for name in wanted.forums if is_forum_id(name))
    if unusable and not left and wanted.venue is None:
        raise InputError(
            f"'{next(iter(unusable))}' {reason}", cure="give what stands after ?id= in its address"
        )
    return replace(wanted, forums=left), unusable


def _pages(
    wanted: FetchTargets,
    raw: ThreadStore,
    server: Callable[[int], Server],
    response: Fetched,
    say: Say,
) -> Iterator[tuple[int, list[Mapping[str, Any]]]]:
    """Pages of forums with all their replies, and the API they are of."""
    if raw.full(wanted.limit):
        return
    yield from _asked_for(wanted, raw, server, response)
    if wanted.venue is None:
        return
    if raw.complete:
        say(
            f"the venue's list was read to its end on {raw.complete}; what was added or changed "
            "since is not looked for: fetch into a new folder for that"
        )
        return
    size = PAGE if wanted.limit is None else min(PAGE, wanted.limit)
    for api in (wanted.api,) if wanted.api else (2, 1):
        host = server(api)
        for invitation in _lists(wanted.venue, api, host, raw):
            pages = _list(host, invitation, raw, size, response.failed)
            yield from ((api, page) for page in pages)
        if raw.began(api):
            raw.ended()
            return  # no venue is on both hosts


def _asked_for(
    wanted: FetchTargets, raw: ThreadStore, server: Callable[[int], Server], response: Fetched
) -> Iterator[tuple[int, list[Mapping[str, Any]]]]:
    """The forums that were named and are not there yet."""
    for name in wanted.forums:
        if name in raw.known:
            continue
        try:
            page = _forum(name, wanted.api, server)
        except TooLargeError as error:
            response.failed[name] = str(error)
            continue
        if page is None:
            response.missing.append(name)
        else:
            yield page


def _forum(
    name: str, api: int | None, server: Callable[[int], Server]
) -> tuple[int, list[Mapping[str, Any]]] | None:
    """A forum by its id, or by that of one of its notes; None if none is visible."""
    for number in (api,) if api else (2, 1):
        try:
            notes = _note(name, server(number))
            heads = {str(note["forum"]) for note in notes if isinstance(note.get("forum"), str)}
            if heads and name not in heads:
                notes = _note(heads.pop(), server(number))
        except TooLargeError:
            raise
        except InputError:
            continue
        if notes:
            return number, notes
    return None


def _note(name: str, host: Server) -> list[Mapping[str, Any]]:
    return _notes(host.get("/notes", {"id": name, "details": "replies"}), host)


def _lists(venue: str, api: int, host: Server, raw: ThreadStore) -> Iterator[str]:
    """The invitations that hold a venue's submissions."""
    if api == 1:
        for name in _V1_LISTS:
            # Those who may see them find the signed originals of blind submissions there.
            if name.lower() != "submission" or not raw.began(1, f"{venue}/-/{_BLIND}"):
                yield f"{venue}/-/{name}"
        return
    try:
        groups = host.get("/groups", {"id": venue}).get("groups")
    except InputError:
        groups = None
    group = groups[0] if isinstance(groups, list) and groups else {}
    content = group.get("content") if isinstance(group, Mapping) else None
    named = unwrapped(content).get("submission_id") if isinstance(content, Mapping) else None
    yield named if isinstance(named, str) else f"{venue}/-/Submission"


def _list(
    host: Server, invitation: str, raw: ThreadStore, size: int, failed: dict[str, str]
) -> Iterator[list[Mapping[str, Any]]]:
    """The pages of one list, from where an earlier session stopped.

    A page that is too large is asked for in halves, down to one forum, which is left out.
    """
    place = f"{host.api} {invitation}"
    last, most = raw.places.get(place), size
    seen = {last}
    while True:
        whole = True
        query = {
            "invitation": invitation,
            "details": "replies",
            "limit": str(size),
            "sort": "id",
            **({"after": last} if last else {}),
        }
        try:
            notes = _notes(host.get("/notes", query), host)
        except TooLargeError as error:
            if size > 1:
                size //= 2
                continue
            whole = False
            del query["details"]
            notes = _notes(host.get("/notes", query), host)
            failed.update({str(note.get("id")): str(error) for note in notes})
        except InputError as error:
            if last is None:
                return  # a list that this venue does not have
            raise StopError(f"{error}; the list of {invitation} is not at its end") from error
        names = [str(note["id"]) for note in notes if isinstance(note.get("id"), str)]
        if not names:
            return
        if whole:
            # API 1 takes the invitation for a pattern, and gives all whose beginning fits it.
            yield [note for note in notes if note.get("invitation", invitation) == invitation]
        size = min(2 * size, most)
        if names[-1] in seen:
            raise StopError(
                f"{host.address} sends the same page of {invitation} again; "
                "what came is kept, run the same command again later"
            )
        last = names[-1]
        seen.add(last)
        raw.reached(place, last)


def _notes(page: Mapping[str, Any], host: Server) -> list[Mapping[str, Any]]:
    notes = page.get("notes")
    if not isinstance(notes, list):
        raise StopError(
            f"{host.address} answered without a list of notes; run the same command again later"
        )
    return [note for note in notes if isinstance(note, Mapping)]


def _take(forums: Forums, record: Mapping[str, Any], say: Say) -> None:
    try:
        forums.add(record)
    except InputError as error:
        say(str(error))
        forums.warnings["notes that cannot be used are left out"] += 1


def _account(wanted: FetchTargets, out: Path) -> dict[str, Any]:
    """What this folder is a fetch of, and which forums an earlier one could not have.

    Raises:
        RunFolderError: It is one of something else.
    """
    made = {"source": "openreview", "venue": wanted.venue}
    old = read_account(out)
    if old and any(old.get(name) != made[name] for name in made):
        what = old.get("venue") or ("forums" if old.get("source") == "openreview" else "a file")
        raise RunFolderError(f"{out} holds another fetch ({what}); choose another folder")
    before = old.get("forums", [])
    forums = list(dict.fromkeys((*(before if isinstance(before, list) else ()), *wanted.forums)))
    account = {**made, "forums": forums}
    write_account(out, {**account, "complete": False})
    failed = old.get("failed")  # what a list left out stays told: it is not asked for again
    kept = failed if isinstance(failed, dict) and wanted.venue is not None else {}
    return {**account, "failed": {name: why for name, why in kept.items() if is_forum_id(name)}}


def _counts(response: Fetched) -> dict[str, Any]:
    return {
        "complete": response.stopped is None and not response.missing and not response.failed,
        "not_visible": response.missing,
        "failed": response.failed,
        "papers": response.built.papers,
        "papers_without_reviews": response.built.without_reviews,
        "reviews": response.built.reviews,
        "reviews_without_text": response.built.empty,
        "first_versions": response.first_versions,
        "hidden_versions": response.hidden_versions,
        "pdfs": response.pdfs,
        "without_pdf": response.without_pdf,
        "kinds": {kind.value: count for kind, count in sorted(response.built.kinds.items())},
        "warnings": dict(response.built.warnings),
    }
