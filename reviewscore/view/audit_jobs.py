"""Audits that were begun in the browser: their folders, and the commands that do them.

Each has a folder of its own below the app's: what was sent, as `audit` reads it (``data``), the run
(``run``), and what its command said. A command is a list of arguments, never a line for a shell.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from reviewscore.bounds import open_regular
from reviewscore.config import EMBEDDED
from reviewscore.errors import InputError, ReviewScoreError
from reviewscore.files import own_file, read_whole, write_whole
from reviewscore.printable import printable, without_folders
from reviewscore.processes.child import own_command
from reviewscore.runs.folder import MANIFEST
from reviewscore.runs.progress_file import progress_of
from reviewscore.schema.record import Record

RUN, DATA, PDF = "run", "data", ".pdf"
_ORDER, _STATE = "audit.json", "state.json"
_LOGS = {"estimate": ("estimate.txt", "estimate.log"), "audit": ("audit.txt", "audit.log")}
"""What each command prints as results, and what it says beside them."""
_LOGGED = tuple(name for names in _LOGS.values() for name in names)
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,120}")
_PART = r"[A-Za-z0-9_][A-Za-z0-9_.-]*"
_PLACE = rf"^(?:(?:{_PART}/)?{_PART})?$"
"""Places below a folder; one that an order from elsewhere names may lead nowhere else."""
_TAIL = 6_000
_LONGEST_NAME, _MOST_ALIKE = 60, 1_000
_PATIENCE = (20.0, 5.0)
"""Seconds that a command has to end after it was asked to, the first and the second time."""
PARTLY, INTERRUPTED = 3, 130
"""Exit codes: some points failed; Ctrl-C ended it."""


class SentFile(Record):
    """A file that was sent.

    Attributes:
        name: What its sender calls it.
        place: Where it lies in the data folder; empty for a review that waits for its paper.
        waiting: Its name among those that wait.
    """

    name: str
    place: str = Field(default="", pattern=_PLACE)
    waiting: str = Field(default="", pattern=_PLACE)


class AuditOrder(Record):
    """What an audit is to be of, and how.

    Attributes:
        papers: The papers.
        reviews: The reviews.
        table: Whether the reviews of all papers are in one table.
        faults: What was sent and cannot be taken, in words.
        model: Who judges.
        base_url: The judge's server.
        protocol: How it judges; None as the settings say.
        max_usd: Most dollars that it may spend.
        may_leave: Whether it was said that the venue lets texts leave this machine.
        at: When it was sent, UTC.
    """

    schema_id: Literal["reviewscore.audit_order/1"] = Field(
        default="reviewscore.audit_order/1", alias="schema"
    )
    papers: tuple[SentFile, ...]
    reviews: tuple[SentFile, ...]
    table: bool = False
    faults: tuple[str, ...] = ()
    model: str
    base_url: str | None = None
    protocol: str | None = None
    max_usd: float | None = None
    may_leave: bool = False
    at: str = Field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))

    @property
    def undecided(self) -> tuple[SentFile, ...]:
        """Reviews of which nobody knows the paper."""
        return tuple(one for one in self.reviews if one.waiting)


class AuditStep(Record):
    """What was last done for an audit; `code` is how it ended, None while it goes on."""

    doing: Literal["estimate", "audit"]
    code: int | None = None


@dataclass
class AuditJob:
    """An audit that was begun in the browser.

    Attributes:
        folder: All that belongs to it.
        process: Its command, while one of this app's own goes on.
        confirmed: Whether the judge and its server were named, or confirmed, since the app began.
    """

    folder: Path
    process: subprocess.Popen[bytes] | None = None
    stopping: bool = False
    confirmed: bool = False
    _lock: threading.RLock = field(default_factory=threading.RLock, repr=False)
    _waiter: threading.Thread | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """What links call it."""
        return self.folder.name

    @property
    def data(self) -> Path:
        """Where papers and reviews lie."""
        return self.folder / DATA

    @property
    def run(self) -> Path:
        """The run folder."""
        return self.folder / RUN

    @property
    def order(self) -> AuditOrder:
        """What it is to be of.

        Raises:
            ReviewScoreError: It cannot be read.
        """
        raw = read_whole(self.folder / _ORDER)
        try:
            return AuditOrder.model_validate_json(raw or b"")
        except ValidationError as error:
            raise InputError("is no audit of this app", file=self.folder / _ORDER) from error

    @property
    def state(self) -> AuditStep | None:
        """What was done for it last; None if nothing was."""
        with suppress(OSError, ReviewScoreError, ValidationError):
            return AuditStep.model_validate_json(read_whole(self.folder / _STATE) or b"")
        return None

    @property
    def busy(self) -> bool:
        """Whether a command of this app's own goes on for it, or its end is not noted yet."""
        return self._waiter is not None and self._waiter.is_alive()

    @property
    def asks(self) -> bool:
        """Whether its judge has to be confirmed first: the folder may come from elsewhere."""
        return not self.confirmed and self.order.model != EMBEDDED

    @property
    def phase(self) -> str:
        """What its page is about.

        ``sort`` (a review waits for its paper), ``estimating``, ``refused``, ``ready``,
        ``running``, ``elsewhere`` (a command that this app did not start), ``stopped``, ``done``.
        """
        busy = self.busy  # asked first: what ends in between is noted
        state = self.state
        if self.order.undecided:
            return "sort"
        if state is None:
            return "refused"
        if state.doing == "audit":
            return self._phase_of_audit(state, busy=busy)
        if busy:
            return "estimating"
        return "ready" if state.code in (0, PARTLY) else "refused"

    def _phase_of_audit(self, state: AuditStep, *, busy: bool) -> str:
        if busy:
            return "running"
        if state.code is None and progress_of(self.run) is not None:
            return "elsewhere"
        return "done" if state.code in (0, PARTLY) else "stopped"

    def said(self, doing: Literal["estimate", "audit"]) -> tuple[str, str]:
        """What a command has printed: its results, and what it said beside them."""
        results, beside = (_tail(self.folder / name) for name in _LOGS[doing])
        known = [str(self.folder), str(self.data), str(self.run)]
        return without_folders(results, known), without_folders(beside, known)

    def check_own(self) -> None:
        """Refuse a folder with links, which may lead to what its owner never sent.

        Raises:
            InputError: It holds one.
        """
        held = (self.data, self.run, *self.data.rglob("*"), *map(self.folder.joinpath, _LOGGED))
        for path in held:
            if path.is_symlink():
                raise InputError("is a link", file=path, cure="take it away")

    def take(self, order: AuditOrder) -> None:
        """Keep what it is to be of."""
        write_whole(self.folder / _ORDER, order.model_dump_json(indent=1), private=True)

    def estimate(self) -> None:
        """Find out what it would cost, in a process of its own."""
        self._begin("estimate", "--dry-run")

    def start(self) -> None:
        """Begin or go on with it, in a process of its own."""
        state = self.state
        failed = state is not None and state.doing == "audit" and state.code == PARTLY
        self._begin("audit", f"--output={self.run}", *(["--retry-errors"] if failed else []))

    def stop(self) -> None:
        """Have its command finish what is under way and end; the second time, end at once."""
        if self.process is not None and self.busy:
            self.stopping = True
            self.process.send_signal(signal.SIGINT)

    def end(self) -> None:
        """End its command, whatever it does."""
        if self.process is None or self._waiter is None:
            return
        for seconds in _PATIENCE:
            self.stop()
            self._waiter.join(seconds)
            if not self.busy:
                return
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def command(self, *more: str) -> list[str]:
        """The command, as a list of arguments: no name in it can be taken for an option."""
        order = self.order
        source = [str(self.data)]
        paper = self.data / order.papers[0].place
        if not order.table and paper.suffix != PDF:
            source = [f"--paper={paper}", f"--review={paper.with_suffix('')}"]
        said = {"base-url": order.base_url, "protocol": order.protocol, "max-usd": order.max_usd}
        options = [f"--{name}={value}" for name, value in said.items() if value is not None]
        judge = f"--model={order.model}"
        return own_command("audit", *source, judge, *options, *more)

    def _begin(self, doing: Literal["estimate", "audit"], *more: str) -> None:
        with self._lock:
            if self.busy or self.asks:
                return
            self.check_own()
            self.stopping = False
            around = {**os.environ, "NO_COLOR": "1"}
            if self.order.may_leave:
                around["REVIEWSCORE_CONFIDENTIALITY"] = "provider"
            self._note(AuditStep(doing=doing))
            results, beside = (self.folder / name for name in _LOGS[doing])
            with results.open("wb") as out, beside.open("wb") as err:
                self.process = subprocess.Popen(
                    self.command(*more),
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=err,
                    env=around,
                    start_new_session=True,  # Ctrl-C reaches the app, which tells them all
                )
            given = (self.process, doing)
            self._waiter = threading.Thread(target=self._wait, args=given, daemon=True)
            self._waiter.start()

    def _wait(self, process: subprocess.Popen[bytes], doing: Literal["estimate", "audit"]) -> None:
        code = process.wait()
        with suppress(ReviewScoreError, OSError):  # the folder may have been taken away
            self._note(AuditStep(doing=doing, code=code))

    def _note(self, state: AuditStep) -> None:
        write_whole(self.folder / _STATE, state.model_dump_json())


class AuditJobs:
    """The audits that were begun in the browser, below the folder of an app.

    Args:
        folder: The app's.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._jobs: dict[str, AuditJob] = {}
        self._lock = threading.Lock()

    def get(self, name: str) -> AuditJob:
        """One of them.

        Raises:
            KeyError: There is none of that name.
        """
        if not _NAME.fullmatch(name):
            raise KeyError(name)
        with self._lock:
            if name not in self._jobs:
                folder = self.folder / name
                if folder.is_symlink() or not (folder / _ORDER).is_file():
                    raise KeyError(name)
                self._jobs[name] = AuditJob(folder)
            return self._jobs[name]

    def begun(self) -> list[AuditJob]:
        """All of them, the newest first."""
        found = [
            file.parent.name
            for file in self.folder.glob(f"*/{_ORDER}")
            if _NAME.fullmatch(file.parent.name) and not file.parent.is_symlink()
        ]
        jobs = [self.get(name) for name in found]
        return sorted(jobs, key=lambda job: (job.folder / _ORDER).stat().st_mtime, reverse=True)

    def of_run(self, run: Path) -> AuditJob | None:
        """The one that a run belongs to; None for runs that were begun elsewhere."""
        if run.name != RUN or run.parent.parent != self.folder:
            return None
        with suppress(KeyError):
            return self.get(run.parent.name)
        return None

    def new_folder(self, wanted: str) -> Path:
        """A new folder that its owner alone reads, called as a paper is, as far as that goes.

        Raises:
            InputError: The app shows a single run, beside which there is no place.
        """
        if (self.folder / MANIFEST).is_file():
            raise InputError(
                "This app shows one run; start it on a folder of runs to begin a new audit"
            )
        plain = wanted[:_LONGEST_NAME].strip(".-") or "audit"
        for number in range(1, _MOST_ALIKE):
            folder = self.folder / (plain if number == 1 else f"{plain}-{number}")
            with suppress(FileExistsError):
                folder.mkdir(mode=0o700)
                return folder
        raise InputError(f"There are too many audits called {plain}; rename some")

    def close(self) -> int:
        """Stop all that are under way, in peace if they end in time.

        Returns:
            How many there were.
        """
        busy = [job for job in self._jobs.values() if job.busy]
        enders = [threading.Thread(target=job.end) for job in busy]
        for one in enders:
            one.start()
        for one in enders:
            one.join()
        return len(busy)


def _tail(file: Path) -> str:
    try:
        with open_regular(own_file(file)) as opened:
            opened.seek(max(0, file.stat().st_size - _TAIL))
            return printable(opened.read(_TAIL).decode("utf-8", "replace"), lines=True)
    except (OSError, ReviewScoreError):
        return ""
