"""What a run holds and where copies of it lie, and their removal.

Removed is only what this package wrote for the run: files of the run folder by their names, calls
that no other run uses, prompts in an exchange folder by their ids, and the copy of data that were
fetched. Links are never followed. The manifest goes last, so that a purge that was killed is
finished by the next one.
"""

from __future__ import annotations

import os
import re
import shlex
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from reviewscore.config import EMBEDDED
from reviewscore.errors import InputError, RunFolderError
from reviewscore.files import TEMPORARY, opened, read_whole
from reviewscore.llm.ledger.store import FILE, Location
from reviewscore.llm.provider import EXCHANGE
from reviewscore.runs.consent import LOCAL
from reviewscore.runs.folder import (
    BLIND_DRAW,
    CANARIES,
    DIGEST,
    ERRORS,
    FOCUS,
    LOCK,
    MANIFEST,
    POINTS,
    REFERENCES,
    REPORT,
    SIMILARITY,
    SUMMARY,
    VIEW_INDEX,
    LockedFolder,
    manifest_of,
)
from reviewscore.runs.generation import GenerationManifest
from reviewscore.runs.judgments import JUDGMENT_FILES, JUDGMENTS_LOCK
from reviewscore.runs.manifest import Manifest
from reviewscore.runs.paper_offsets import OFFSETS
from reviewscore.runs.progress_file import PROGRESS
from reviewscore.runs.shards import SHARDS
from reviewscore.sources.remote import COPIES, copies_of, remove_copy

if TYPE_CHECKING:
    from reviewscore.llm.ledger.upkeep import RunShare

_LABELS = f"{FOCUS}/annotated"
"""Folder of labels that a model gave for `focus`: a run of its own."""
_ITEMS = "items"
"""Folder of planted remarks that a model wrote for `validate`: a run of its own."""
_FOLDERS = (SHARDS, FOCUS, f"{FOCUS}/tables", _LABELS, _ITEMS)
_KEPT = (MANIFEST, POINTS, ERRORS, SUMMARY, REPORT, DIGEST, SIMILARITY, REFERENCES, CANARIES,
         OFFSETS, PROGRESS)  # fmt: skip
_NAMES = "|".join(
    (
        *map(re.escape, _KEPT),
        rf"{re.escape(VIEW_INDEX)}(?:-wal|-shm)?",
        rf"{JUDGMENT_FILES}|{re.escape(BLIND_DRAW)}",
        r"points\.csv",
        r"validate\.(?:html|md|csv|json)",
        r"for-(?:meta-reviewer|reviewer|author)\.html",
        r"ledger\.sqlite(?:-wal|-shm|-journal|\.v\d+(?:\.new)?)?",
    )
)
_OWN = re.compile(
    rf"{_NAMES}|\.(?:{_NAMES})\.new|report-\d+\.html|\.lock|\.ledger\.lock"
    rf"|{re.escape(JUDGMENTS_LOCK)}"
    rf"|{SHARDS}/[0-9a-f]{{32}}\.parquet(?:\.[0-9a-f]{{32}}\.new)?"
    rf"|{FOCUS}/(?:focus\.(?:json|md)|points\.jsonl|focus-[a-z-]+\.(?:svg|png))"
    rf"|{FOCUS}/tables/focus-[a-z-]+\.(?:csv|tex)"
    rf"|{_LABELS}/(?:annotate\.json|labels\.jsonl|\.lock)"
    rf"|{_ITEMS}/(?:write\.json|(?:written|planted|dropped)\.jsonl|\.lock)"
)
"""Paths in a run folder that this package writes."""
_PAGE = re.compile(r"report-\d+\.html")
_MARK, _HEAD = b"reviewscore", 4096


@dataclass(frozen=True)
class Remains:
    """Something that stays, and why.

    Attributes:
        what: A path, or what else it is.
        why: Why it is not removed, and what to do.
    """

    what: str
    why: str


@dataclass(frozen=True)
class RunHoldings:
    """What a run holds, and where copies of it lie; nothing was changed.

    Attributes:
        run: The run folder.
        manifest: None where an earlier purge was killed after it had removed it.
        location: Where its calls are recorded; None of a run of the embedded judge.
        files: Files that this package wrote into the folder, the manifest and the lock last.
        foreign: What else is there.
        share: What the ledger holds of it.
        copies: Folders of copies of its data, where those were fetched from an address.
        run_ids: Names of the run in the ledger, of labels that a model gave in it, and of planted
            remarks that one wrote for it.
        writers: The models that wrote and confirmed these.
        apart: The run in it of what may be judged on this machine only, if it has one.
    """

    run: Path
    manifest: Manifest | None
    location: Location | None
    files: tuple[Path, ...]
    foreign: tuple[Remains, ...]
    share: RunShare | None
    copies: tuple[Path, ...] = ()
    run_ids: tuple[str, ...] = ()
    writers: tuple[str, ...] = ()
    apart: RunHoldings | None = None

    @property
    def size(self) -> int:
        """Bytes of the files."""
        return sum(file.lstat().st_size for file in self.files)

    @property
    def own_ledger(self) -> bool:
        """Whether the calls lie in the run folder."""
        return self.location == self.run

    @property
    def models(self) -> tuple[str, ...]:
        """The models that judged, and those that wrote and confirmed what was judged."""
        judges = () if self.manifest is None else models_of(self.manifest)
        return tuple(dict.fromkeys((*judges, *self.writers)))

    @cached_property
    def exchanges(self) -> dict[Path, int]:
        """Exchange folders, with the lines in them that are prompts and replies of this run."""
        from reviewscore.llm.providers.exchange import lines_of

        names = [
            model.removeprefix(EXCHANGE) for model in self.models if model.startswith(EXCHANGE)
        ]
        return {Path(name): lines_of(Path(name), self.prompts) for name in dict.fromkeys(names)}

    @cached_property
    def prompts(self) -> frozenset[str]:
        """Ids of its prompts in an exchange folder, but those that other runs have put too."""
        from reviewscore.llm.ledger.upkeep import exported

        if self.location is None:
            return frozenset()
        return frozenset(
            call.request.prompt_key()
            for run_id in self.run_ids
            for call in exported(self.location, run=run_id, alone=True)
        )


@dataclass
class Purged:
    """What a purge came to.

    Attributes:
        gone: What was removed.
        failed: What was to be removed and is still there.
    """

    gone: list[str] = field(default_factory=list)
    failed: list[Remains] = field(default_factory=list)


def models_of(manifest: Manifest) -> tuple[str, ...]:
    """The models that a run was to be judged by, those of single judges among them."""
    values = {name: setting.value for name, setting in manifest.settings.items()}
    panel, judges = values.get("panel"), values.get("judges")
    named = [
        manifest.judge,
        *(panel if isinstance(panel, list) else ()),
        *(judges.values() if isinstance(judges, dict) else ()),
    ]
    return tuple(dict.fromkeys(str(value) for value in named if value != EMBEDDED))


def holdings_of(run: Path, location: Location, *, kept_in: Path) -> RunHoldings:
    """What a run holds, and where copies of it lie.

    Args:
        run: The run folder.
        location: Where the ledger lies, where the run has none of its own.
        kept_in: Folder of copies of data that were fetched.

    Raises:
        RunFolderError: It is no run folder, or the run is under way.
    """
    from reviewscore.llm.ledger.upkeep import share_of

    files, foreign = _files(run)
    if not (run / MANIFEST).is_file() and files == (run / LOCK,) and not foreign:
        return RunHoldings(run, None, None, files, (), None)
    manifest = manifest_of(run)
    beside = tuple(_runs_beside(run))
    run_ids = (manifest.run_id, *(each.run_id for each in beside))
    if not (models_of(manifest) or run_ids[1:]):
        place: Location | None = None
    else:
        place = run if (run / FILE).is_file() else location
    apart = run / LOCAL if _is_apart(run / LOCAL) else None
    address = manifest.data if manifest.data is not None and "://" in manifest.data else None
    return RunHoldings(
        run=run,
        manifest=manifest,
        location=place,
        files=files,
        foreign=foreign,
        share=None if place is None else share_of(place, run_ids),
        copies=() if address is None else copies_of(address, kept_in),
        run_ids=run_ids,
        writers=tuple(name for each in beside for name in _writers(each)),
        apart=None if apart is None else holdings_of(apart, location, kept_in=kept_in),
    )


def _is_apart(folder: Path) -> bool:
    """Whether a folder is the run of what may be judged on this machine only."""
    return folder.name == LOCAL and not folder.is_symlink() and (folder / MANIFEST).is_file()


def _runs_beside(run: Path) -> Iterator[GenerationManifest]:
    """The manifests of what models gave and wrote in the folder of a run."""
    for file in (run / _LABELS / "annotate.json", run / _ITEMS / "write.json"):
        if not any(path.is_symlink() for path in (file, *file.parents[:2])):
            with suppress(ValidationError):
                yield GenerationManifest.model_validate_json(read_whole(file) or b"")


def _writers(manifest: GenerationManifest) -> Iterator[str]:
    """The models that wrote and confirmed planted remarks."""
    writer, confirmers = (manifest.decisive.get(name) for name in ("writer", "confirmers"))
    yield from [writer] if isinstance(writer, str) else []
    yield from confirmers if isinstance(confirmers, list) else []


def _files(run: Path) -> tuple[tuple[Path, ...], tuple[Remains, ...]]:
    """The files that this package wrote into a run folder, and what else is there."""
    own: list[Path] = []
    foreign: list[Remains] = []
    try:
        for path in _entries(run, run):
            name = path.relative_to(run).as_posix()
            if path.is_symlink():
                foreign.append(Remains(str(path), "a link, which is not followed"))
            elif path.is_dir():
                foreign.append(Remains(str(path), "a folder that no run has"))
            elif path.is_file() and _OWN.fullmatch(name) and _is_own_page(path):
                own.append(path)
            else:
                foreign.append(Remains(str(path), "not written by reviewscore"))
    except OSError as error:
        raise RunFolderError(f"{error.filename}: {error.strerror}") from error
    last = {MANIFEST: 1, LOCK: 2}
    own.sort(key=lambda path: last.get(path.name, 0) if path.parent == run else 0)
    return tuple(own), tuple(foreign)


def _entries(folder: Path, run: Path) -> Iterator[Path]:
    """What lies in a run folder, and in those of its folders that runs have."""
    if not folder.is_dir():
        return
    for path in sorted(folder.iterdir()):
        known = path.relative_to(run).as_posix() in _FOLDERS
        if known and path.is_dir() and not path.is_symlink():
            yield from _entries(path, run)
        elif not (path.parent == run and _is_apart(path)):
            yield path


def _is_own_page(path: Path) -> bool:
    """Whether a file that is named as a further page of a report is one."""
    if not _PAGE.fullmatch(path.name):
        return True
    with opened(path) as file:
        return _MARK in file.read(_HEAD)


def purge(holdings: RunHoldings, *, exchange: bool = False) -> Purged:
    """Remove a run and its copies.

    The calls go first and the manifest last: a purge that was killed, or that could not remove
    something, is finished by the next one.

    Args:
        holdings: What to remove.
        exchange: Whether its prompts, and the replies to them, are taken out of exchange folders.

    Raises:
        RunFolderError: Another process writes to the run, or a model is being asked for it.
    """
    apart = holdings.apart
    done = Purged() if apart is None else purge(apart, exchange=exchange)
    with ExitStack() as stack:
        beside = (holdings.run / name / LOCK for name in (_LABELS, _ITEMS))
        for lock in (holdings.run / LOCK, *(lock for lock in beside if lock in holdings.files)):
            stack.enter_context(LockedFolder(lock.parent, what="this run"))
        if exchange:
            _take_out_prompts(holdings, done)
        _remove_calls(holdings, done)
        for copy in holdings.copies:
            _attempt(done, str(copy), partial(remove_copy, copy))
        _remove_files(holdings, done)
    _remove_folders(holdings.run)
    return done


def _take_out_prompts(holdings: RunHoldings, done: Purged) -> None:
    from reviewscore.llm.providers.exchange import take_out

    for folder, count in holdings.exchanges.items():
        if count:
            words = f"{count:,} lines in {folder}"
            _attempt(done, words, partial(take_out, folder, holdings.prompts))


def _remove_calls(holdings: RunHoldings, done: Purged) -> None:
    """Take the run's calls out of the ledger; one of its own goes with the folder."""
    from reviewscore.llm.ledger.upkeep import remove_runs

    if holdings.location is None or holdings.own_ledger:
        return
    left = remove_runs(holdings.location, holdings.run_ids)
    done.failed += [Remains("the ledger", why) for why in left]
    if holdings.share is not None and holdings.share.calls:
        done.gone.append(f"{holdings.share.calls:,} calls in the ledger")


def _remove_files(holdings: RunHoldings, done: Purged) -> None:
    files, _ = _files(holdings.run)  # a session may have ended since they were listed
    for path in files:
        if path.name == MANIFEST and done.failed:
            break  # a later purge knows the run by it
        _attempt(done, str(path), path.unlink)


def _attempt(done: Purged, what: str, act: Callable[[], object]) -> None:
    try:
        act()
    except FileNotFoundError:
        return
    except OSError as error:
        done.failed.append(Remains(what, error.strerror or str(error)))
    except (InputError, RunFolderError) as error:
        done.failed.append(Remains(what, str(error)))
    else:
        done.gone.append(what)


def _remove_folders(run: Path) -> None:
    """Remove the folders of a run that are empty now; a lock that was only opened goes too."""
    if not (run / MANIFEST).exists():
        with suppress(OSError):
            (run / LOCK).unlink()
    for name in (*reversed(_FOLDERS), ""):
        folder = run / name
        if not folder.is_symlink():
            with suppress(OSError):
                os.rmdir(folder)  # noqa: PTH106 - only an empty one


@dataclass(frozen=True)
class TextStore:
    """A place on this machine that keeps texts of papers and reviews, or prompts and replies.

    Attributes:
        what: What it keeps.
        place: A file, a folder, or a pattern of names.
        size: Bytes.
        oldest: Day of its oldest entry, ISO 8601; None if it has none.
        removal: What to type to remove it.
    """

    what: str
    place: str
    size: int
    oldest: str | None
    removal: str


def text_stores(location: Location, *, kept_in: Path) -> Iterator[TextStore]:
    """The stores that are there; of run folders those below ``runs``.

    Args:
        location: Where the ledger lies.
        kept_in: Folder of what is kept for all runs.

    Raises:
        RunFolderError: The ledger cannot be used.
    """
    from reviewscore.llm.ledger.upkeep import info

    ledger = info(location)
    if ledger.size:
        day = None if ledger.oldest is None else ledger.oldest[:10]
        clear = "reviewscore cache clear"
        yield TextStore("prompts and replies", ledger.name, ledger.size, day, clear)
    for what, folder in (
        ("copies of fetched data", kept_in / COPIES),
        ("texts that gem learnt from", kept_in / "gem"),
    ):
        if any(files := _files_below([folder])):
            yield _store(what, str(folder), files, f"rm -r {shlex.quote(str(folder))}")
    runs = [path.parent for path in Path("runs").glob(f"*/{MANIFEST}")]
    if runs:
        yield _store(
            f"points and verdicts ({len(runs):,} run folder{'s' if runs[1:] else ''})",
            "runs/*", _files_below(runs), "reviewscore purge RUN",
        )  # fmt: skip
    pattern = Path(tempfile.gettempdir()) / f"{TEMPORARY}*"
    left = [path for path in pattern.parent.glob(pattern.name) if _is_mine(path)]
    if left:
        removal = f"rm -r {pattern} when no command runs"
        files = [*(path for path in left if path.is_file()), *_files_below(left)]
        yield _store("temporary files, of killed commands too", str(pattern), files, removal)


def _store(what: str, place: str, files: Sequence[Path], removal: str) -> TextStore:
    known = [file.lstat() for file in files]
    oldest = min((result.st_mtime for result in known), default=None)
    day = None if oldest is None else datetime.fromtimestamp(oldest, UTC).date().isoformat()
    return TextStore(what, place, sum(result.st_size for result in known), day, removal)


def _files_below(folders: Iterable[Path]) -> list[Path]:
    """Ordinary files below some folders; links are left out."""
    return [
        path
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    ]


def _is_mine(path: Path) -> bool:
    """Whether a temporary file is this user's; Windows has a folder of them for each user."""
    mine = getattr(os, "getuid", lambda: None)()
    return not path.is_symlink() and (mine is None or path.lstat().st_uid == mine)
