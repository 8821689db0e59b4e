"""The ledger in a PostgreSQL database: for processes on any number of computers.

Writers take turns by one advisory lock, as they do at an SQLite file. Who has a ledger open holds
an advisory lock of its own for as long as its connection lasts, which is how the others know that
it lives, wherever it runs.
"""

from __future__ import annotations

import getpass
import hashlib
import os
import ssl
import struct
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from sqlalchemy import (
    URL,
    BigInteger,
    Column,
    Connection,
    Integer,
    MetaData,
    NullPool,
    Table,
    TextClause,
    bindparam,
    create_engine,
    make_url,
    select,
    text,
)

from reviewscore.addresses import without_credentials
from reviewscore.errors import ReviewScoreError, RunFolderError, StopError
from reviewscore.llm.ledger.connection import Backend, cause_of
from reviewscore.llm.ledger.store import is_on_this_host, owner_alive
from reviewscore.llm.ledger.tables import METADATA, migrate, newest

_BEAT = 5.0
"""Seconds after which a connection that was not used is tried, so that a lost one is made again."""
GRACE = 15.0
"""Seconds for which an owner on another computer may be without a connection: after a restart of
the server everybody is, and who comes back first must not take the calls of the others."""
_FORGET = 150.0
"""Seconds without a look after which nobody can say since when an owner has been away."""
_PORT = 5432
_DISK_FULL = "53100"
_SETTINGS = {
    "client_encoding": "UTF8",
    # A computer that vanished is noticed within a minute; until then its locks are held.
    "tcp_keepalives_idle": "20",
    "tcp_keepalives_interval": "10",
    "tcp_keepalives_count": "4",
    # Writers wait for their turn, however impatient the server's own settings are.
    "statement_timeout": "0",
    "lock_timeout": "0",
    # A process that was put to sleep while it writes keeps all others waiting.
    "idle_in_transaction_session_timeout": "60s",
}
_TURN, _MAKING = 7_239_004_118_253_001, 7_239_004_118_253_002
"""Advisory locks of whoever writes, and of whoever makes the tables."""
_AGAIN = ("08", "57P", "53300", "40001", "40P01", "55P03", "25P03")
"""Beginnings of SQLSTATE codes that another try may mend: connection gone, server going down or
coming up, all places taken, a deadlock, a time-out while waiting for a lock or being idle."""
_NOT_LET_IN = "28"
"""Beginning of the SQLSTATE codes of a server that does not know who comes."""

_version = Table("ledger_version", MetaData(), Column("version", Integer, nullable=False))


def _sql(words: str, *numbers: str) -> TextClause:
    return text(words).bindparams(*(bindparam(number, type_=BigInteger) for number in numbers))


_START = "BEGIN ISOLATION LEVEL READ COMMITTED"
_TAKE_TURN = _sql("SELECT pg_advisory_xact_lock(:turn), CAST(pg_current_xact_id() AS text)", "turn")
_COMMITTED = text("SELECT pg_xact_status(CAST(:mark AS xid8)) = 'committed'")
_MINE = _sql("SELECT pg_advisory_lock_shared(:mine)", "mine")
_HELD = text(
    "SELECT (CAST(classid AS bigint) << 32) | CAST(objid AS bigint) FROM pg_locks "
    "WHERE locktype = 'advisory' AND objsubid = 1 AND granted "
    "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
_MAKE = _sql("SELECT pg_advisory_xact_lock(:making)", "making")
_THERE = text(
    "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_tables "
    "WHERE tablename = 'ledger_version' AND schemaname = ANY (current_schemas(false)))"
)
"""Reads the catalog itself: `to_regclass` may answer from before we waited for the lock."""
_NOW = text("SELECT CAST(extract(epoch FROM clock_timestamp()) AS double precision)")
_SIZE = text(
    "SELECT CAST("
    + " + ".join(f"pg_total_relation_size('{table.name}')" for table in METADATA.sorted_tables)
    + " AS bigint)"
)
_EMPTY = text("TRUNCATE " + ", ".join(table.name for table in METADATA.sorted_tables))
_VACUUM = text("VACUUM " + ", ".join(table.name for table in METADATA.sorted_tables))
_DURABLE = text(
    "SELECT set_config('synchronous_commit', 'on', false) "
    "WHERE current_setting('synchronous_commit') = 'off'"
)
"""What was paid for survives a power cut, whatever the server's default is."""
_OLDEST = (13,)
"""PostgreSQL that can say whether a transaction was committed."""


class PostgreSQL(Backend):
    """The database at an address; its tables are made if they are not there.

    Args:
        address: As `Settings.ledger` has it.

    Raises:
        RunFolderError: The driver is not installed.
    """

    beat: float | None = _BEAT
    another = "name another database with REVIEWSCORE_LEDGER"

    def __init__(self, address: str) -> None:
        if find_spec("pg8000") is None:
            raise RunFolderError(
                "a ledger in PostgreSQL needs the driver pg8000: "
                "pip install '.[postgresql]' in a checkout of reviewscore"
            )
        self._url = make_url(address).set(drivername="postgresql+pg8000")
        self.name = str(without_credentials(address))
        self._encryption = _encryption(self._url)
        # Without a transaction of the driver's own: `begin` says when one begins.
        self._engine = create_engine(
            "postgresql+pg8000://",
            creator=self._raw,
            poolclass=NullPool,
            isolation_level="AUTOCOMMIT",
            hide_parameters=True,
        )
        self._missed: dict[str, tuple[float, float]] = {}
        self._ahead = 0.0

    def connect(self, me: str) -> Connection:
        """As `Backend.connect`; the connection is a sign of its owner's life."""
        db = self._engine.connect()
        try:
            self._prepare(db, me)
        except BaseException:
            db.invalidate()
            raise
        return db

    def _raw(self) -> Any:
        from reviewscore.llm.ledger.driver import Driver, attentive_socket

        url = self._url
        assert url.host is not None
        sock = attentive_socket(url.host, url.port or _PORT)
        try:
            return Driver(
                user=url.username or os.environ.get("PGUSER") or getpass.getuser(),
                host=url.host,
                database=url.database,
                password=self._password(),
                ssl_context=self._encryption,
                application_name="reviewscore",
                startup_params=dict(_SETTINGS),
                sock=sock,
            )
        except BaseException:
            sock.close()
            raise

    def _password(self) -> str:
        """Empty if there is none: pg8000 fails in its own code on None where one is asked for."""
        return str(self._url.password or os.environ.get("PGPASSWORD", ""))

    def _prepare(self, db: Connection, me: str) -> None:
        found = db.dialect.server_version_info or _OLDEST
        if found < _OLDEST:
            raise RunFolderError(f"{self.name} is PostgreSQL {found[0]}; 13 or newer is needed")
        with db.begin():
            db.exec_driver_sql(_START)
            if not db.execute(_THERE).scalar_one():
                _make(db)
        migrate(self, db)
        with db.begin():
            db.exec_driver_sql(_START)
            self._ahead = db.execute(_NOW).scalar_one() - time.monotonic()
            db.execute(_DURABLE)
            if me:
                db.execute(_MINE, {"mine": _lock_of(me)})

    def version(self, db: Connection) -> int:
        """As `Backend.version`."""
        return int(db.execute(select(_version.c.version)).scalar_one())

    def set_version(self, db: Connection, version: int) -> None:
        """As `Backend.set_version`."""
        db.execute(_version.update().values(version=version))

    def begin_step(self, db: Connection) -> None:
        """Wait until nobody makes tables or writes."""
        db.exec_driver_sql(_START)
        db.execute(_MAKE, {"making": _MAKING})
        db.execute(_TAKE_TURN, {"turn": _TURN})

    def begin(self, db: Connection) -> str | None:
        """Wait for our turn to write."""
        db.exec_driver_sql(_START)
        return str(db.execute(_TAKE_TURN, {"turn": _TURN}).one()[1])

    def committed(self, db: Connection, mark: str) -> bool:
        """As `Backend.committed`; the turn is ours, so the old transaction is over."""
        return bool(db.execute(_COMMITTED, {"mark": mark}).scalar_one())

    def living(self, db: Connection) -> Callable[[str], bool]:
        """By their locks; who has none may still be on its way back.

        A process of this computer can be looked up. One elsewhere is dead when it was seen without
        a lock for `GRACE` seconds: a server that restarts takes the locks of all from them, and
        whoever came back first would pay for the others' calls again.
        """
        held = frozenset(db.execute(_HELD).scalars())

        def lives(name: str) -> bool:
            if _lock_of(name) in held:
                self._missed.pop(name, None)
                return True
            if is_on_this_host(name):
                return owner_alive(name)
            now = time.monotonic()
            since, last = self._missed.get(name, (now, now))
            since = now if now - last > _FORGET else since
            self._missed[name] = since, now
            return now - since < GRACE

        return lives

    def now(self) -> float:
        """The server's clock, which is the same for all."""
        return time.monotonic() + self._ahead

    def size(self, db: Connection) -> int:
        """Bytes of the tables and their indexes."""
        return int(db.execute(_SIZE).scalar_one())

    def clear(self) -> int:
        """Empty the tables; they and their version stay."""
        with self.connect("") as db, db.begin():
            self.begin(db)
            size = self.size(db)
            db.execute(_EMPTY)
            return size - self.size(db)

    def overwrite_deleted(self, db: Connection) -> None:
        """The server decides when it uses the room of deleted rows again."""

    def compact(self, db: Connection) -> str:
        """Free the room of deleted rows; what the server keeps beside its tables is its own."""
        db.rollback()
        db.execute(_VACUUM)
        return ""

    def lost(self, error: Exception) -> bool:
        """Whether the connection is gone, or the server says that another try may do."""
        cause = cause_of(error)
        code = _fields(cause).get("C")
        if code is not None:
            return code.startswith(_AGAIN)
        from reviewscore.llm.ledger.driver import LOST

        return isinstance(cause, OSError | struct.error | LOST)

    def unusable(self, error: Exception) -> ReviewScoreError:
        """A password, another address, or a server that runs, may do."""
        if _fields(cause_of(error)).get("C", "").startswith(_NOT_LET_IN):
            cure = "is the password right?" if self._password() else "no password was given"
            cure += " (PGPASSWORD, or in REVIEWSCORE_LEDGER)"
        else:
            cure = "is the address of --ledger right, and does the server run?"
        return RunFolderError(f"the ledger {self.name} cannot be used: {_words(error)}; {cure}")

    def failed(self, error: Exception) -> ReviewScoreError:
        """A full disk stops the run, which can go on; anything else is an error."""
        if _fields(cause_of(error)).get("C") == _DISK_FULL:
            return StopError(
                f"the ledger {self.name} cannot grow ({_words(error)}); what is finished is kept: "
                "free some space and run the same command again"
            )
        return RunFolderError(f"the ledger {self.name} cannot be written: {_words(error)}")


def _make(db: Connection) -> None:
    """Make the tables, unless another process that began at the same time has made them."""
    db.execute(_MAKE, {"making": _MAKING})
    if db.execute(_THERE).scalar_one():
        return
    METADATA.create_all(db, checkfirst=False)  # a stranger's table of the same name is an error
    _version.create(db, checkfirst=False)
    db.execute(_version.insert().values(version=newest()))


def _lock_of(name: str) -> int:
    """The advisory lock of an owner: 64 bits of its hash."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big", signed=True)


def _encryption(url: URL) -> ssl.SSLContext | bool | None:
    """What ``sslmode`` means to the driver; its own default is to encrypt where it can."""
    mode = url.query.get("sslmode", "prefer")
    if mode in ("disable", "prefer", "require"):
        return {"disable": False, "prefer": None, "require": True}[mode]
    root = url.query.get("sslrootcert")
    context = ssl.create_default_context(cafile=str(root) if root else None)
    context.check_hostname = mode == "verify-full"
    return context


def _fields(cause: BaseException) -> dict[str, str]:
    """What the server said, by the letters of its protocol."""
    first = cause.args[0] if cause.args else None
    return first if isinstance(first, dict) else {}


def _words(error: Exception) -> str:
    """An error in the server's or the system's words."""
    cause = cause_of(error)
    return _fields(cause).get("M") or str(cause) or type(cause).__name__
