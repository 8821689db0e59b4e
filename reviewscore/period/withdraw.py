"""A paper or review is taken out of a venue folder and the ledger, with a receipt.

What is made of texts goes first and the texts themselves last, so that a removal that was killed
knows again what to look for. Then every file is searched for passages of the texts.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, nullcontext, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fnmatch import fnmatch
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from reviewscore.errors import InputError, ReviewScoreError
from reviewscore.files import TEMPORARY, JsonLines, write_whole
from reviewscore.llm.ledger.store import FILE, Location
from reviewscore.llm.provider import EXCHANGE
from reviewscore.papers.load import PaperRow, build_paper
from reviewscore.period.log import LOG, append
from reviewscore.period.passages import Passages
from reviewscore.period.removed_ids import KEYS, RemovedIds, lines_in, strings_in
from reviewscore.period.venue import (
    CHANGES,
    DATA,
    INDEX,
    PAST,
    SOURCE,
    SYNC,
    SYNCS,
    VENUE,
    WITHDRAWN,
    RemovedRow,
    VenueFolder,
    What,
    removed_ids,
    runs_in,
    staged,
)
from reviewscore.period.verify import (
    BEGUN,
    DIFFERED,
    PAGE_SUMS,
    PAGES,
    Chain,
    changed_by_others,
    changed_files,
    changed_pages,
    note_pages,
    under_way,
)
from reviewscore.runs.folder import (
    CANARIES,
    LOCK,
    MANIFEST,
    POINTS,
    RECORDS,
    VIEW_INDEX,
    LockedFolder,
    changed_records,
    digests_of,
    manifest_of,
    read_points,
)
from reviewscore.runs.judgments import JUDGMENT_FILES, judgments_held
from reviewscore.runs.manifest import Manifest
from reviewscore.runs.purge import models_of
from reviewscore.schema.paper import base_paper_id
from reviewscore.schema.point_score import Status
from reviewscore.schema.record import Record

RECEIPTS = "receipts"
_ASSIGNMENTS = "assignments.csv"
_KEPT = frozenset({LOG, WITHDRAWN, VENUE, SYNC, CHANGES, _ASSIGNMENTS, PAGE_SUMS, MANIFEST, LOCK})
"""Files that hold identifiers and no texts, or are noted anew apart."""
_DERIVED = re.compile(
    r"summary\.json|paper_offsets\.json|report(?:-\d+)?\.(?:html|md|json)|for-[a-z-]+\.html"
)
"""Pages, figures and places of a run, which `report` makes anew."""
_KEY = re.compile(rb'"call_sha256":"([0-9a-f]{64})"')
_PAGES = (".html", ".md")
_SEALED = frozenset({".pdf", ".png", ".parquet", ".gz", ".zip", ".xlsx", ".docx"})
"""Endings of files whose bytes hold no plain text."""
_MARK = b"reviewscore"
_ITS_OWN = 1 / 3
"""Share of a prompt's text that is of the removed ones where it is theirs, and no quote."""
_LONGEST_NAME = 255
"""Bytes of a file's name at most."""
_PIECE = 1 << 22
_OVERLAP = 2000
"""Characters that a passage over the border of two pieces has room in."""


class Receipt(Record):
    """What was removed; it holds no texts.

    Attributes:
        number: Counted from 1 in the venue folder.
        at: When it was begun, UTC, ISO 8601.
        who: Who asked for it, by a pseudonym.
        papers: Papers that were removed, with all versions and reviews.
        reviews: Reviews that were removed, those of the papers among them.
        removed: How many records, files or calls were removed, by the place: a file from the venue
            folder on, ``ledger``, ``exchange`` or ``temporary files``.
        differed: Files that were not as the log says before anything was removed.
        remains: What is still there, and where.
        finished: Whether it came to its end.
    """

    schema_id: Literal["reviewscore.receipt/1"] = Field(
        default="reviewscore.receipt/1", alias="schema"
    )
    number: int = Field(ge=1)
    at: str
    who: str | None = None
    papers: tuple[str, ...] = Field(default=(), strict=False)
    reviews: tuple[str, ...] = Field(default=(), strict=False)
    removed: dict[str, int] = Field(default_factory=dict)
    differed: tuple[str, ...] = Field(default=(), strict=False)
    remains: tuple[str, ...] = Field(default=(), strict=False)
    finished: bool = False


def withdraw(
    venue: Path,
    names: Sequence[str],
    *,
    ledger: Location,
    exchange: bool = False,
    who: str | None = None,
    dry: bool = False,
) -> Receipt:
    """Remove papers and reviews from a venue folder and the ledger.

    Done again after a kill, it does what is left.

    Args:
        venue: The venue folder.
        names: Papers (any version: all go, with their reviews) and reviews, by identifier.
        ledger: Where calls are recorded, where a run has none of its own.
        exchange: Whether prompts and replies are taken out of exchange folders too.
        who: Who asked for it, by a pseudonym.
        dry: Only say what would be removed.

    Raises:
        InputError: The venue has none of that name.
        RunFolderError: Another process writes to the venue or its runs, or a file cannot be.
    """
    with ExitStack() as stack:
        folder = stack.enter_context(VenueFolder(venue).open_for_writing())
        runs = runs_in(folder.run)
        for run in runs:
            stack.enter_context(LockedFolder(run, what="this run"))
        removal = _Removal(folder, runs, ledger, _receipt(venue, who), dry=dry)
        removal.resolve(names)
        if not dry:
            removal.note()
        removal.calls(exchange=exchange)
        removal.save()
        removal.derived()
        removal.save()
        removal.sources()
        return removal.finish()


def _receipt(venue: Path, who: str | None) -> Receipt:
    """The receipt of a removal that was killed, to be finished; else a new one."""
    files = sorted((venue / RECEIPTS).glob("*.json"))
    if files:
        last = Receipt.model_validate_json(files[-1].read_bytes())
        if not last.finished:
            return last
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return Receipt(number=len(files) + 1, at=now, who=who)


@dataclass
class _Removal:
    """A removal under way.

    Attributes:
        ids: What is removed.
        rows: The rows of it, as they stand in the data and in what syncs replaced.
        removed: As in `Receipt`.
    """

    folder: VenueFolder
    runs: list[Path]
    ledger: Location
    receipt: Receipt
    dry: bool
    ids: RemovedIds = field(default_factory=RemovedIds)
    rows: list[dict[str, Any]] = field(default_factory=list)
    removed: Counter[str] = field(default_factory=Counter)
    remains: list[str] = field(default_factory=list)
    gone: set[Path] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._before = Counter(self.receipt.removed)

    @property
    def path(self) -> Path:
        return self.folder.path

    def resolve(self, names: Sequence[str]) -> None:
        """Find out what the names are of, and its rows."""
        plain = [name.removeprefix("paper:").removeprefix("review:") for name in names]
        wanted = RemovedIds({*map(base_paper_id, (*names, *plain))}, {*names, *plain})
        papers, reviews = (set[str](ids) for ids in removed_ids(self.path).values())
        of_paper: dict[str, str] = {}
        for row in self._rows_of(wanted):
            paper = base_paper_id(str(row["paper_id"]))
            papers.add(paper)
            if "review_id" in row:
                of_paper[str(row["review_id"])] = paper
        reviews |= of_paper.keys()
        for name in names:
            self._add(name, papers, reviews)
        self.ids.papers |= set(self.receipt.papers)
        self.ids.reviews |= set(self.receipt.reviews)
        self.ids.reviews |= {name for name, paper in of_paper.items() if paper in self.ids.papers}
        self.rows = list(self._rows_of(self.ids))

    def _add(self, name: str, papers: set[str], reviews: set[str]) -> None:
        """Take a paper or review of the venue up among those to remove."""
        known: dict[str, bool] = {
            "paper": base_paper_id(name) in papers,
            "review": name in reviews,
        }
        kind, _, rest = name.partition(":")
        if not any(known.values()) and kind in known:  # else the name itself begins like that
            known = {"paper": base_paper_id(rest) in papers, "review": rest in reviews}
            known, name = {kind: known[kind]}, rest
        if sum(known.values()) != 1:
            both = any(known.values())
            raise InputError(
                f"'{name}' is a paper and a review" if both else f"holds no '{name}'",
                file=self.folder.data,
                cure=f"write paper:{name} or review:{name}"
                if both
                else "name a paper_id or review_id of its papers.jsonl and reviews.jsonl",
            )
        if known.get("paper"):
            self.ids.papers.add(base_paper_id(name))
        else:
            self.ids.reviews.add(name)

    def _rows_of(self, ids: RemovedIds) -> Iterator[dict[str, Any]]:
        """Rows of the data, and rows that syncs replaced, that are of some papers and reviews."""
        for file in self._texts:
            for line in lines_in(file):
                if not ids.named_in(line):
                    continue
                row = json.loads(line)
                row = row.get("row", row)
                if ids.owns({name: row.get(name) for name in KEYS}):
                    yield row

    @property
    def _texts(self) -> list[Path]:
        """The files that hold the texts themselves, which go last."""
        return [*sorted((self.path / DATA).glob("*.jsonl")),
                *sorted((self.path / SYNCS).glob(f"*/{PAST}"))]  # fmt: skip

    @cached_property
    def passages(self) -> Passages:
        """What must stand nowhere any more: passages of the texts that stand in no other text."""
        data = self.folder.data
        passages = Passages(
            text for row in self.rows for text in (*strings_in(row), _text_of_files(row, data))
        )
        kept = {base_paper_id(str(row.get("paper_id"))) for row in self.rows} - self.ids.papers
        for row in self._rows_of(RemovedIds(kept)) if kept else ():
            if not self.ids.owns(row):
                passages.forget(passages.found(_text_of_files(row, data)))
        for file in self._texts:
            for line in self.ids.kept_lines(file):
                passages.forget(passages.found(line.decode("utf-8", "replace")))
        return passages

    def note(self) -> None:
        """Say what is removed, for later syncs and for whoever finishes this one."""
        chain = Chain(self.path / LOG) if (self.path / LOG).is_file() else None
        changed = {} if chain is None else changed_files(self.path, chain)
        differed = [name for name in changed if not under_way(self.path, name)]
        differed = changed_by_others(self.path, [*differed, *changed_pages(self.path)])
        begun = (self.path / RECEIPTS / f"{self.receipt.number:04d}.json").is_file()
        if not begun:
            self.receipt = self.receipt.model_copy(update={"differed": tuple(differed)})
        self.save()
        known = removed_ids(self.path)
        file = JsonLines(self.path / WITHDRAWN)
        named: dict[What, set[str]] = {"paper": self.ids.papers, "review": self.ids.reviews}
        for what, ids in named.items():
            for name in sorted(ids - known[what]):
                row = RemovedRow(what=what, id=name, at=self.receipt.at)
                file.append(row.model_dump_json())
        file.close()

    def calls(self, *, exchange: bool) -> None:
        """Take the calls that hold the texts out of the ledgers, and out of exchange folders."""
        from reviewscore.llm.ledger.upkeep import TextSearch, remove_calls, share_of
        from reviewscore.llm.providers.exchange import lines_of, prompts_that, take_out

        own = [run for run in self.runs if (run / FILE).is_file()]
        if self.runs:
            share_of(self.ledger, [manifest_of(run).run_id for run in self.runs])
        search = TextSearch(self._is_of_them, self._holds, self._keys())
        prompts: set[str] = set()
        for place in (self.ledger, *own):
            found = remove_calls(place, search, dry=self.dry)
            self.removed["ledger"] += found.calls
            self.remains += found.left
            prompts |= found.prompts
        for model in {model for run in self.runs for model in models_of(manifest_of(run))}:
            if not model.startswith(EXCHANGE):
                continue
            place = Path(model.removeprefix(EXCHANGE))
            mine = prompts | set(prompts_that(place, self._holds))
            count = lines_of(place, mine)
            if exchange:
                self.removed["exchange"] += count
                if not self.dry:
                    take_out(place, mine)
            elif count:
                self.remains.append(
                    f"{place}: {count:,} prompts and replies; --exchange takes them"
                )

    def _keys(self) -> frozenset[str]:
        """Keys of the calls that judged points of the texts, and no others."""
        mine: set[bytes] = set()
        others: set[bytes] = set()
        for run in self.runs:
            lines = lines_in(run / POINTS)
            for line, kept in zip(lines, self.ids.lines(lines_in(run / POINTS)), strict=True):
                (mine if kept is None else others).update(_KEY.findall(line))
        return frozenset(key.decode() for key in mine - others)

    def _is_of_them(self, prefix: str) -> bool:
        """Whether a text in front of prompts is theirs; of others a shared passage is no leak."""
        if self.passages.share(prefix) >= _ITS_OWN:
            return True
        self.passages.forget(self.passages.found(prefix))
        return False

    def _holds(self, text: str) -> bool:
        return bool(self.passages.found(text))

    def derived(self) -> None:
        """Remove what was made of the texts: records, labels, pages, temporary files."""
        open_runs = [run for run in self.runs if self._break_seal(run)]
        for file in self._files():
            self._clean(file)
        for file in _temporary_files():
            if any(map(self._holds, _pieces(file))):
                self._unlink(file, "temporary files")
        for run in open_runs:
            for file in sorted(run.iterdir()):
                if _DERIVED.fullmatch(file.name):
                    self._unlink(file)
            if not self.dry:
                self._seal(run)

    def _files(self) -> Iterator[Path]:
        """Files of the venue folder that may hold something of the texts, but not the texts."""
        last = {*self._texts, self.path / INDEX}
        for file in sorted(self.path.rglob("*")):
            if (
                file.is_file()
                and not file.is_symlink()
                and file not in last
                and file.name not in _KEPT
                and file.parent != self.path / RECEIPTS
                and not file.name.startswith(FILE)
            ):
                yield file

    def _clean(self, file: Path) -> None:
        """Remove from one file what is of the texts, or the file where that cannot be."""
        name = file.name
        place = file.relative_to(self.path)
        left = place.parts[0].startswith(f".{TEMPORARY}") or fnmatch(name, ".*.new")
        if left or file.parent.name == "shards" or name.startswith(VIEW_INDEX):
            # Left by a kill; what workers gave, which the ledger holds too; what is made anew.
            self._unlink(file)
        elif file.suffix == ".jsonl":
            said = re.fullmatch(JUDGMENT_FILES, name) and not self.dry
            with judgments_held(file.parent) if said else nullcontext():
                self._rewrite(file, file)  # nothing that people say meanwhile is lost
        elif file.suffix == ".json":
            raw = file.read_bytes()
            whole = raw.rstrip(b"\n") + b"\n"
            (kept,) = self.ids.lines([whole])
            if kept is None:
                self._unlink(file)
            elif kept != whole:
                self._replace(file, kept, 1)
        elif file.suffix == ".csv":
            self._replace(file, *self.ids.rows(file.read_bytes()))
        elif file.suffix == ".sqlite":
            self._labels(file)
        elif file.suffix in _PAGES:
            raw = file.read_bytes()
            ours = _MARK in raw.lower() or file.is_relative_to(self.path / PAGES)
            if ours and (self.ids.named_in(raw) or self._holds(raw.decode("utf-8", "replace"))):
                self._unlink(file)

    def _rewrite(self, file: Path, target: Path) -> None:
        """Write a file of JSON lines without what is of the texts; not where nothing is."""
        self._replace(target, self.ids.kept_lines(file), self.ids.changes(file), file)

    def _replace(
        self, target: Path, content: bytes | Iterable[bytes], count: int, file: Path | None = None
    ) -> None:
        if count:
            self.removed[self._name(file or target)] += count
            if not self.dry:
                target.parent.mkdir(parents=True, exist_ok=True)
                write_whole(target, content, private=target.name == CANARIES)

    def _unlink(self, file: Path, place: str = "") -> None:
        if file in self.gone or not file.exists():
            return
        self.removed[place or self._name(file)] += 1
        self.gone.add(file)
        if not self.dry:
            file.unlink()

    def _name(self, file: Path) -> str:
        return file.relative_to(self.path).as_posix()

    def _labels(self, file: Path) -> None:
        """Delete rows about the texts from a set of labels, and what SQLite keeps of them."""
        try:
            with closing(sqlite3.connect(file, timeout=10, isolation_level=None)) as db:
                db.execute("PRAGMA secure_delete = ON")
                db.execute("BEGIN IMMEDIATE")
                for table, column, value in list(_labelled(db, self.ids)):
                    sql = f'DELETE FROM "{table}" WHERE "{column}" = ?'
                    self.removed[self._name(file)] += db.execute(sql, (value,)).rowcount
                db.execute("ROLLBACK" if self.dry else "COMMIT")
                if not self.dry:
                    db.execute("VACUUM")
                    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.Error as error:
            self.remains.append(f"{file}: {error}; close the app and run the same command again")

    def _break_seal(self, run: Path) -> bool:
        """Say that a run's records are about to be written anew; False where none is of the texts.

        So a kill leaves no digests that the records do not fit. Records that something else had
        changed are noted for good, as another session would.
        """
        manifest = manifest_of(run)
        broken = manifest.growing and not manifest.digests
        if broken or not any(self.ids.changes(run / name) for name in RECORDS):
            return broken
        papers, reviews = self._judged_in(run)
        counts = manifest.counts
        update = {
            "digests": {},
            "growing": True,
            "changed": changed_records(run, manifest),
            "counts": counts.model_copy(
                update={
                    "papers": max(0, counts.papers - len(papers)),
                    "reviews": max(0, counts.reviews - len(reviews)),
                }
            ),
            "warnings": tuple(
                words
                for words in manifest.warnings
                if not (self.ids.named_in(words.encode()) or self._holds(words))
            ),
        }
        if not self.dry:
            _write_manifest(run, manifest.model_copy(update=update))
        return True

    def _judged_in(self, run: Path) -> tuple[set[str], set[str]]:
        """Versions of papers of which a run holds no other reviews, and reviews, that go."""
        bases = {base_paper_id(str(row["paper_id"])) for row in self.rows}
        about, reviews = RemovedIds(bases, self.ids.reviews), set[str]()
        papers: dict[bool, set[str]] = {True: set(), False: set()}
        for line in filter(about.named_in, lines_in(run / POINTS)):
            with suppress(ValueError):  # half-written
                row = json.loads(line)
                goes = self.ids.of_review(row["review_id"])
                papers[goes].add(row["paper_id"])
                reviews |= {row["review_id"]} if goes else set()
        return papers[True] - papers[False], reviews

    def _seal(self, run: Path) -> None:
        """Note the digests of a run's records as they are now."""
        manifest = manifest_of(run)
        ended: Counter[Status] = Counter()
        findings: Counter[str] = Counter()
        for score in read_points(run):
            ended[score.status] += 1
            if score.finding is not None:
                findings[score.finding.value] += 1
        counts = manifest.counts.of_points(ended, findings)
        update = {"counts": counts, "digests": digests_of(run), "growing": False}
        _write_manifest(run, manifest.model_copy(update=update))

    def sources(self) -> None:
        """Remove PDFs and raw files, then the texts themselves, all files in one step."""
        places = (self.folder.data, self.path / SOURCE)
        named = (file for place in places for file in self.ids.named_files(place))
        for file in sorted({*self._files_of_rows(), *named}):
            self._unlink(file)
        if self.dry:
            for file in (*self._texts, self.path / INDEX):
                self._rewrite(file, file)
            return
        with staged(self.path) as following:
            for file in (*self._texts, self.path / INDEX):
                self._rewrite(file, following / file.relative_to(self.path))

    def _files_of_rows(self) -> Iterator[Path]:
        """Files in the data that the removed rows name, and no other row does."""
        data = self.folder.data
        texts = {text for row in self.rows for text in strings_in(row) if "\0" not in text}
        names = {text for text in texts if len(text.encode("utf-8", "replace")) <= _LONGEST_NAME}
        named = {name for name in names if (data / name).is_file()}
        for file in self._texts if named else ():
            for line in self.ids.kept_lines(file):
                named = {name for name in named if name.encode() not in line}
        inside = data.resolve()
        return (data / name for name in named if (data / name).resolve().is_relative_to(inside))

    def finish(self) -> Receipt:
        """Note sums anew, search for what is left, write the receipt and the log."""
        if self.dry:
            return self._account()
        if (self.path / PAGE_SUMS).is_file():
            note_pages(self.path, [self.path / name for name in changed_pages(self.path)])
        self.remains += self._leaks()
        self.save()
        chain = Chain(self.path / LOG) if (self.path / LOG).is_file() else None
        changed = {} if chain is None else changed_files(self.path, chain)
        named = [self.path / name for name in (*changed, WITHDRAWN)]
        details: dict[str, Any] = {
            "receipt": self.receipt.number,
            "papers": list(self.receipt.papers),
            "reviews": list(self.receipt.reviews),
            "remains": len(self.receipt.remains),
        }
        if self.receipt.differed:
            details[DIFFERED] = list(self.receipt.differed)
        append(
            self.path,
            "withdrawn",
            who=self.receipt.who,
            details=details,
            files=[file for file in named if file.is_file()],
            gone=[file for file in named if not file.exists()],
        )
        (self.path / BEGUN).unlink(missing_ok=True)
        self.save(finished=True)
        return self.receipt

    def _account(self) -> Receipt:
        return self.receipt.model_copy(
            update={
                "papers": tuple(sorted(self.ids.papers)),
                "reviews": tuple(sorted(self.ids.reviews)),
                "removed": dict(sorted((self._before + self.removed).items())),
                "remains": tuple(self.remains),
            }
        )

    def save(self, *, finished: bool = False) -> None:
        """Write the receipt as far as it goes."""
        if not self.dry:
            self.receipt = self._account().model_copy(update={"finished": finished})
            file = self.path / RECEIPTS / f"{self.receipt.number:04d}.json"
            file.parent.mkdir(exist_ok=True)
            write_whole(file, self.receipt.model_dump_json(indent=1) + "\n")

    def _leaks(self) -> Iterator[str]:
        """Places in which passages of the texts still stand."""
        from reviewscore.llm.ledger.upkeep import TextSearch, remove_calls

        if not self.passages.left:
            return
        for place in (self.ledger, *(run for run in self.runs if (run / FILE).is_file())):
            try:
                left = remove_calls(place, TextSearch(self._holds, self._holds), dry=True).calls
            except ReviewScoreError as error:
                yield f"the ledger {place}: {error}"
                continue
            if left:
                yield f"the ledger {place}: {left:,} calls"
        texts = set(self._texts)  # what stands there stands in a text that stays
        for file in (*sorted(self.path.rglob("*")), *_temporary_files()):
            if (
                file.is_file()
                and not file.is_symlink()
                and file.suffix not in _SEALED
                and file not in texts
            ):
                found: set[tuple[str, ...]] = set()
                for piece in _pieces(file):
                    found |= self.passages.found(piece)
                if found:
                    yield f"{file}: {len(found):,} passages of eight words"


def _write_manifest(run: Path, manifest: Manifest) -> None:
    write_whole(run / MANIFEST, manifest.model_dump_json(indent=2) + "\n")


def _pieces(file: Path) -> Iterator[str]:
    """A file as text, whole lines at once; each piece begins with the end of the one before."""
    with file.open("rb") as source:
        end = ""
        while lines := source.readlines(_PIECE):
            piece = end + b"".join(lines).decode("utf-8", "replace")
            yield piece
            end = piece[-_OVERLAP:]


def _temporary_files() -> Iterator[Path]:
    """Files that killed commands of this package left; not those of other people."""
    for path in Path(tempfile.gettempdir()).glob(f"{TEMPORARY}*"):
        for file in (path, *path.rglob("*")):
            if file.is_file() and not file.is_symlink() and os.access(file, os.R_OK):
                yield file


def _labelled(db: sqlite3.Connection, ids: RemovedIds) -> Iterator[tuple[str, str, str]]:
    """Table, column and value of rows that are about the texts."""
    tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type='table'")]
    for table in tables:
        columns = [row[1] for row in db.execute(f'PRAGMA table_info("{table}")')]
        for column in set(columns) & set(KEYS):
            query = f'SELECT DISTINCT "{column}" FROM "{table}"'
            for (value,) in db.execute(query).fetchall():
                if ids.owns({column: value}):
                    yield table, column, value


def _text_of_files(row: dict[str, Any], data: Path) -> str:
    """The text of a paper that lies in a file beside its record; empty where it cannot be read."""
    if "review_id" in row:
        return ""
    try:
        return build_paper(PaperRow.model_validate(row), folder=data, doubts=False).text
    except (InputError, ValueError):
        return ""
