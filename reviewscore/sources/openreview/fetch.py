"""Fetch a venue or some forums into a folder, resumable. Front door: `fetch`.

What the server sends is kept as it came (``raw/threads.jsonl``, a forum a line), written whole
before the next request, so that a fetch that is killed goes on where it was. Papers, reviews and
meta-reviews are built from it anew each time.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reviewscore.errors import InputError, RunFolderError, StopError
from reviewscore.sources.data_folder import ACCOUNT, PDFS, DataFolder
from reviewscore.sources.openreview.export import files_of, records_in
from reviewscore.sources.openreview.forums import Built, Forums, build
from reviewscore.sources.openreview.notes import unwrapped
from reviewscore.sources.openreview.raw import Raw
from reviewscore.sources.openreview.server import Server
from reviewscore.store.jsonl import write_whole

RAW = Path("raw") / "threads.jsonl"
PAGE = 1000
"""Notes of a page at most; servers cut larger pages without a word."""
_MAGIC = b"%PDF-"
_SMALLEST = 1_000
_TELL = 20
_SAFE = re.compile(r"[A-Za-z0-9_-]{1,100}")
_V1_LISTS = ("Blind_Submission", "Submission", "submission", "Withdrawn_Submission")

Say = Callable[[str], None]


@dataclass(frozen=True)
class Wanted:
    """What to fetch.

    Attributes:
        venue: A venue's id; None for forums alone.
        forums: Identifiers of forums.
        api: 1 or 2; None tries 2, then 1.
        pdfs: Whether papers are fetched too.
        limit: Forums at most; None for all.
    """

    venue: str | None = None
    forums: tuple[str, ...] = ()
    api: int | None = None
    pdfs: bool = True
    limit: int | None = None


@dataclass
class Fetched:
    """How a fetch ended.

    Attributes:
        built: What was written.
        new: Forums that this session fetched.
        pdfs: Papers whose PDF is there.
        without_pdf: Papers whose PDF could not be had, with the reason.
        stopped: The refusal that ended it, in words; None if it is complete.
        empty: Whether nothing of a venue could be seen.
    """

    built: Built
    new: int = 0
    pdfs: int = 0
    without_pdf: dict[str, str] = field(default_factory=dict)
    stopped: str | None = None
    empty: bool = False


def fetch(wanted: Wanted, out: Path, *, say: Say, server: Callable[[int], Server]) -> Fetched:
    """Fetch, or go on with, a folder.

    Args:
        wanted: What to fetch.
        out: The folder; new, or of an earlier fetch of the same.
        say: Told what the user should know.
        server: Opens a host, 1 or 2.

    Raises:
        RunFolderError: The folder holds other things, or cannot be written.
        InputError: A forum does not exist.
        SettingsError: The extra is missing, or the login was refused.
    """
    DataFolder(out)
    (out / RAW).parent.mkdir(exist_ok=True)
    account = _account(wanted, out)
    raw = Raw(out / RAW)
    stopped, new = None, 0
    try:
        for api, records in _pages(wanted, raw, server):
            new += raw.add(api, records, wanted.limit)
            say(f"{len(raw.known):,} forums")
            if raw.full(wanted.limit):
                break
    except StopError as error:
        stopped = str(error)
    finally:
        raw.close()
    found = Fetched(Built(), new=new, stopped=stopped, empty=not raw.known)
    if wanted.pdfs and stopped is None:
        found.stopped = _pdfs(raw, out / PDFS, found, say, server)
    there = {one.stem: Path(PDFS) / one.name for one in (out / PDFS).glob("*.pdf")}
    found.pdfs = len(there)
    found.built = build(raw.threads(say), out, pdfs=there)
    write_whole(out / ACCOUNT, json.dumps({**account, **_counts(found)}, indent=1) + "\n")
    return found


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
    DataFolder(out)
    account = {"schema": "reviewscore.fetch/1", "source": "export"}
    write_whole(out / ACCOUNT, json.dumps({**account, "complete": False}) + "\n")
    built = build(forums.threads(), out, pdfs=_given_pdfs(path, out))
    built.warnings.update(forums.warnings)
    found = Fetched(built, pdfs=len(list((out / PDFS).glob("*.pdf"))))
    write_whole(out / ACCOUNT, json.dumps({**account, **_counts(found)}, indent=1) + "\n")
    return found


def _pages(
    wanted: Wanted, raw: Raw, server: Callable[[int], Server]
) -> Iterator[tuple[int, list[Mapping[str, Any]]]]:
    """Pages of forums with all their replies, and the API they are of."""
    for name in wanted.forums:
        if name not in raw.known:
            yield _forum(name, wanted.api, server)
    if wanted.venue is None:
        return
    size = PAGE if wanted.limit is None else min(PAGE, wanted.limit)
    for api in (wanted.api,) if wanted.api else (2, 1):
        host = server(api)
        for invitation in _lists(wanted.venue, api, host):
            yield from ((api, page) for page in _list(host, invitation, raw, size))
        if any(place.startswith(f"{api} ") for place in raw.places):
            return  # no venue is on both hosts


def _forum(
    name: str, api: int | None, server: Callable[[int], Server]
) -> tuple[int, list[Mapping[str, Any]]]:
    for number in (api,) if api else (2, 1):
        try:
            found = server(number).get("/notes", {"id": name, "details": "replies"})
        except InputError:
            continue
        notes = _notes(found)
        if notes:
            return number, notes
    raise InputError(
        f"no forum '{name}' is visible on OpenReview", cure="check its id, or log in to see it"
    )


def _lists(venue: str, api: int, host: Server) -> list[str]:
    """The invitations that hold a venue's submissions."""
    if api == 1:
        return [f"{venue}/-/{name}" for name in _V1_LISTS]
    try:
        groups = host.get("/groups", {"id": venue}).get("groups")
    except InputError:
        groups = None
    group = groups[0] if isinstance(groups, list) and groups else {}
    content = group.get("content") if isinstance(group, Mapping) else None
    named = unwrapped(content).get("submission_id") if isinstance(content, Mapping) else None
    return [named if isinstance(named, str) else f"{venue}/-/Submission"]


def _list(host: Server, invitation: str, raw: Raw, size: int) -> Iterator[list[Mapping[str, Any]]]:
    """The pages of one list, from where an earlier session stopped."""
    place = f"{host.api} {invitation}"
    last = raw.places.get(place)
    while True:
        query = {
            "invitation": invitation,
            "details": "replies",
            "limit": str(size),
            "sort": "id",
            **({"after": last} if last else {}),
        }
        try:
            notes = _notes(host.get("/notes", query))
        except InputError:
            return  # a list that this venue does not have
        names = [str(one["id"]) for one in notes if isinstance(one.get("id"), str)]
        if not names:
            return
        yield notes
        if names[-1] == last:
            raise StopError(
                f"{host.address} sends the same page of {invitation} again; "
                "what came is kept, run the same command again later"
            )
        last = names[-1]
        raw.reached(place, last)


def _notes(page: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    notes = page.get("notes")
    return [one for one in notes if isinstance(one, Mapping)] if isinstance(notes, list) else []


def _pdfs(
    raw: Raw, folder: Path, found: Fetched, say: Say, server: Callable[[int], Server]
) -> str | None:
    """Fetch the papers that are not there; what refuses all of them is returned in words."""
    missing = [name for name in raw.known if not (folder / f"{name}.pdf").is_file()]
    for number, name in enumerate(missing, 1):
        if not _SAFE.fullmatch(name):
            found.without_pdf[name] = "its id cannot be a file name"
            continue
        try:
            data = server(raw.known[name]).file("/pdf", {"id": name})
        except InputError as error:
            found.without_pdf[name] = str(error)
            continue
        except StopError as error:
            return f"{error} ({number - 1:,} of {len(missing):,} PDFs fetched)"
        if not data.startswith(_MAGIC) or len(data) < _SMALLEST:
            found.without_pdf[name] = "what came is no PDF"
            continue
        draft = folder / f".{name}.new"
        draft.write_bytes(data)
        draft.replace(folder / f"{name}.pdf")
        if number % _TELL == 0:
            say(f"{number:,} of {len(missing):,} PDFs")
    return None


def _given_pdfs(path: Path, out: Path) -> dict[str, Path]:
    """PDFs beside an export, copied into the folder."""
    found = {}
    for file in sorted(path.rglob("*.pdf")) if path.is_dir() else ():
        if _SAFE.fullmatch(file.stem) and file.resolve().parent != (out / PDFS).resolve():
            shutil.copyfile(file, out / PDFS / file.name)
            found[file.stem] = Path(PDFS) / file.name
    return found


def _take(forums: Forums, record: Mapping[str, Any], say: Say) -> None:
    try:
        forums.add(record)
    except InputError as error:
        say(str(error))
        forums.warnings["notes that cannot be used are left out"] += 1


def _account(wanted: Wanted, out: Path) -> dict[str, Any]:
    """What this folder is a fetch of.

    Raises:
        RunFolderError: It is one of something else.
    """
    made = {
        "schema": "reviewscore.fetch/1",
        "source": "openreview",
        "venue": wanted.venue,
        "forums": list(wanted.forums),
    }
    file = out / ACCOUNT
    if file.is_file():
        try:
            old = json.loads(file.read_text("utf-8"))
        except ValueError as error:
            raise RunFolderError(
                f"{file} is no account of a fetch; choose another folder"
            ) from error
        if not isinstance(old, dict) or any(old.get(name) != made[name] for name in made):
            raise RunFolderError(
                f"{out} holds another fetch ({old.get('venue') or 'forums'}); choose another folder"
            )
    write_whole(file, json.dumps({**made, "complete": False}, indent=1) + "\n")
    return made


def _counts(found: Fetched) -> dict[str, Any]:
    return {
        "complete": found.stopped is None,
        "papers": found.built.papers,
        "papers_without_reviews": found.built.without_reviews,
        "reviews": found.built.reviews,
        "reviews_without_text": found.built.empty,
        "pdfs": found.pdfs,
        "without_pdf": found.without_pdf,
        "kinds": {kind.value: count for kind, count in sorted(found.built.kinds.items())},
        "warnings": dict(found.built.warnings),
    }
