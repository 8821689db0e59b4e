"""A PostgreSQL of Debian's on loopback, started once for all tests of a process."""

from __future__ import annotations

import atexit
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import uuid
from functools import cache
from pathlib import Path

import pytest

PASSWORD = "s3cret/p@ss"
"""Of the one role; it has characters that an address has to write in another way."""
QUOTED = "s3cret%2Fp%40ss"


class Server:
    """A server with a folder of its own; its databases are made by tests."""

    def __init__(self, programs: Path) -> None:
        self._programs = programs
        self._folder = Path(tempfile.mkdtemp(prefix="postgres-"))
        self.port = _free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self._used = ""
        if os.geteuid() == 0:  # which PostgreSQL refuses
            entry = pwd.getpwnam("postgres")
            os.chown(self._folder, entry.pw_uid, entry.pw_gid)
        word = self._folder / "password"
        word.write_text(PASSWORD)
        word.chmod(0o644)
        self._run(
            *("initdb", "-D", str(self._data), "-U", "ledger", "-E", "UTF8", "--locale=C"),
            *("-A", "scram-sha-256", f"--pwfile={word}", "--no-sync"),
        )

    @property
    def _data(self) -> Path:
        return self._folder / "data"

    def start(self) -> Server:
        """Start it and wait until it takes connections."""
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [
                    *(str(self._programs / "postgres"), "-D", str(self._data)),
                    *("-h", "127.0.0.1", "-p", str(self.port), "-k", str(self._folder)),
                    *("-c", "shared_buffers=16MB"),
                ],
                stdout=subprocess.DEVNULL,
                stderr=log,
                **_as_postgres(),
            )
        for _ in range(200):
            try:
                self.connect("postgres").close()
                return self
            except Exception:
                assert self._process.poll() is None, (self._folder / "log").read_text()
                time.sleep(0.05)
        raise AssertionError((self._folder / "log").read_text())

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop it at once; whoever is connected is thrown out."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(30)
            self._process = None

    def remove(self) -> None:
        """Stop it and delete its folder."""
        self.stop(signal.SIGQUIT)
        shutil.rmtree(self._folder, ignore_errors=True)

    def connect(self, database: str):  # type: ignore[no-untyped-def]
        """A connection of the driver's, each statement a transaction."""
        import pg8000

        made = pg8000.connect(
            "ledger", host="127.0.0.1", port=self.port, database=database, password=PASSWORD
        )
        made.autocommit = True
        return made

    def database(self) -> str:
        """The address of a new, empty database."""
        name = f"ledger_{uuid.uuid4().hex[:12]}"
        connection = self.connect("postgres")
        connection.cursor().execute(f"CREATE DATABASE {name} TEMPLATE template0")
        connection.close()
        return f"postgresql://ledger:{QUOTED}@127.0.0.1:{self.port}/{name}"

    def empty(self) -> str:
        """The address of the one database that tests use after each other, emptied."""
        from reviewscore.llm.ledger.upkeep import clear

        self._used = self._used or self.database()
        clear(self._used)
        return self._used

    def _run(self, program: str, *words: str) -> None:
        line = [str(self._programs / program), *words]
        done = subprocess.run(line, capture_output=True, text=True, check=False, **_as_postgres())
        assert done.returncode == 0, done.stderr


def _as_postgres() -> dict[str, object]:
    if os.geteuid() != 0:
        return {}
    entry = pwd.getpwnam("postgres")
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": [], "cwd": "/"}


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def programs() -> Path | None:
    """Where PostgreSQL's programs lie; None where there are none."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda one: one.parts[-3])
    return found[-1].parent if found else None


@cache
def running() -> Server:
    """The server of this process; the test is skipped where there is none."""
    found = programs()
    if found is None:
        pytest.skip("PostgreSQL is not installed (apt-get install postgresql)")
    pytest.importorskip("pg8000")
    server = Server(found).start()
    atexit.register(server.remove)
    return server
