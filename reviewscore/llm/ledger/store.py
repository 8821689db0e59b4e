"""What a record of calls offers, where it lies, and who holds its claims; one in memory.

Nothing here needs SQLAlchemy; `ledger.database.Ledger` is the record that lasts.
"""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, Protocol

from reviewscore.errors import SettingsError
from reviewscore.schema.call import Call, Completion

if TYPE_CHECKING:
    from reviewscore.llm.ledger.database import BatchJobStore

FILE = "ledger.sqlite"
Location = Path | str
"""A folder with an SQLite file, or the address of a PostgreSQL database."""


def is_there(location: Location) -> bool:
    """Whether there is something to look at; a database is asked itself."""
    return isinstance(location, str) or (location / FILE).is_file()


@dataclass(frozen=True)
class Paid:
    """What the calls of a run came to, whichever session made them.

    Attributes:
        usd: Dollars of the calls whose price was known.
        unpriced: Calls without a known price.
        doubtful: Dollars at most of calls that were sent and may have been billed although no
            reply was seen (broken connections, killed sessions, calls given up midway), or
            whose server counted no tokens.
        models: Models as the providers named them.
    """

    calls: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    written_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0
    unpriced: int = 0
    batched: int = 0
    doubtful: float = 0.0
    models: tuple[str, ...] = ()

    @property
    def total(self) -> float:
        """Dollars, doubtful ones at their worst."""
        return self.usd + self.doubtful


class CallStore(Protocol):
    """Where calls are recorded, and found again by a later run."""

    async def find(self, key: str) -> Completion | None:
        """The latest reply to an equal call."""
        ...

    async def use(self, key: str) -> None:
        """Note that this run uses a recorded call."""
        ...

    async def claim(
        self, key: str, usd: float | None, *, seconds: float, unless_known: bool = False
    ) -> bool:
        """Announce that this process makes a call, just before it is sent.

        Args:
            key: The call's key.
            usd: Its worst case in dollars; counted as spent if the process dies.
            seconds: How long the call can take; after that the claim holds no more, since whether
                a process on another computer lives cannot always be told.
            unless_known: Whether a call that has a reply by now is not to be made.

        Returns:
            Whether the call is ours; False while another living process is at it, or if it is not
            to be made.
        """
        ...

    async def holder(self, key: str) -> str | None:
        """Who else is making a call, for the user; None if nobody is."""
        ...

    async def add(self, call: Call, *, possibly_billed: float | None = None) -> None:
        """Record a call and drop its claim; it is on the disk when this returns.

        Args:
            call: The call.
            possibly_billed: Dollars that failed attempts before it may have cost.
        """
        ...

    async def drop(self, key: str, *, possibly_billed: float | None = None) -> None:
        """Give up a claim after a failure.

        Args:
            key: The call's key.
            possibly_billed: Dollars that the failed attempts may have cost.
        """
        ...

    async def paid(self) -> Paid:
        """What the calls of this run came to.

        Raises:
            RunFolderError: An amount is none, such as one below zero; names file and row.
        """
        ...

    def check_lasting(self) -> None:
        """Refuse to keep batch jobs in a record that ends with the process.

        Raises:
            SettingsError: It does.
        """
        ...

    def batch_jobs(self, place: str) -> BatchJobStore:
        """The record of batch jobs that were handed over at a provider's place."""
        ...


class CallsInMemory:
    """A `CallStore` that lasts as long as the process, for library users and tests."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self._latest: dict[str, Call] = {}
        self._possibly_billed = 0.0

    async def find(self, key: str) -> Completion | None:
        """The latest reply to an equal call."""
        call = self._latest.get(key)
        return None if call is None else call.completion

    async def use(self, key: str) -> None:
        """Note nothing: all calls are this process's own."""

    async def claim(
        self, key: str, usd: float | None, *, seconds: float, unless_known: bool = False
    ) -> bool:
        """Every call is ours."""
        return True

    async def holder(self, key: str) -> str | None:
        """Nobody else is there."""
        return None

    async def add(self, call: Call, *, possibly_billed: float | None = None) -> None:
        """Remember a call."""
        self._possibly_billed += possibly_billed or 0.0
        self.calls.append(call)
        self._latest[call.key] = call

    async def drop(self, key: str, *, possibly_billed: float | None = None) -> None:
        """Remember what a failure may have cost."""
        self._possibly_billed += possibly_billed or 0.0

    async def paid(self) -> Paid:
        """What all calls came to."""
        usages = [call.completion.usage for call in self.calls]
        return Paid(
            calls=len(self.calls),
            input_tokens=sum(usage.input_tokens for usage in usages),
            cached_tokens=sum(usage.cached_tokens for usage in usages),
            written_tokens=sum(usage.written_tokens for usage in usages),
            output_tokens=sum(usage.output_tokens for usage in usages),
            usd=sum(call.usd or 0.0 for call in self.calls),
            unpriced=sum(call.usd is None for call in self.calls),
            batched=sum(call.completion.batch for call in self.calls),
            doubtful=self._possibly_billed,
            models=tuple(sorted({call.completion.model for call in self.calls})),
        )

    def check_lasting(self) -> NoReturn:
        """Nothing of it is left after the process."""
        raise SettingsError(
            "batch jobs take up to a day, and their replies would be lost with this process: the "
            "record of calls is in memory; open one on disk (llm.connect.open_ledger), or leave "
            "batch away"
        )

    def batch_jobs(self, place: str) -> NoReturn:
        """There are none."""
        self.check_lasting()


def process_name() -> str:
    """This process, told apart from another one that gets its number later."""
    return _process_name(os.getpid())


@lru_cache(maxsize=4)
def _process_name(pid: int) -> str:
    return f"{socket.gethostname()}/{pid}/{_started(pid)}"


def describe_owner(owner: str) -> str:
    """An owner of a claim as users know it."""
    host, number = owner.split("/")[:2]
    return f"process {number} on {host}"


def is_on_this_host(owner: str) -> bool:
    """Whether an owner's process can be looked up: Windows kills whom it is asked about."""
    return owner.partition("/")[0] == socket.gethostname() and os.name != "nt"


def owner_alive(owner: str) -> bool:
    """Whether an owner may still be at work; one that cannot be looked up is taken to live."""
    if not is_on_this_host(owner):
        return True
    _, number, started = owner.split("/")[:3]
    pid = int(number)
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:  # it lives and belongs to somebody else
        pass
    return _started(pid) == started


def _started(pid: int) -> str:
    """When a process began, in the kernel's ticks; empty where the system does not say."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8")
    except OSError:
        return ""
    return stat.rpartition(")")[2].split()[19]
