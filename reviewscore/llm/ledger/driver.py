"""pg8000's connection with statements that the server has read once, and an attentive socket."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from pg8000.converters import make_params
from pg8000.exceptions import InterfaceError
from pg8000.legacy import Connection  # what SQLAlchemy's dialect is made for

LOST = InterfaceError
"""What is raised when the connection is gone."""
_CONNECT_SECONDS = 10.0
_KEEPALIVE = (("TCP_KEEPIDLE", 20), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 4))
"""Where the system has it: a server that vanished is noticed within a minute."""


class Driver(Connection):  # type: ignore[misc]
    """A connection that asks the server once for each statement, and not three times.

    pg8000 has a statement parsed, described and run in three round trips whenever it comes. The
    ledger has a few dozen statements, which are prepared when they are first used.
    """

    def execute_unnamed(
        self, statement: str, vals: Sequence[Any] = (), oids: Sequence[int] = (), stream: Any = None
    ) -> Any:
        """Run a statement as a prepared one."""
        if stream is not None:
            return super().execute_unnamed(statement, vals=vals, oids=oids, stream=stream)
        prepared: dict[tuple[str, tuple[int, ...]], Any] = self.__dict__.setdefault("_known", {})
        kind = statement, tuple(oids)
        if kind not in prepared:
            prepared[kind] = self.prepare_statement(statement, oids)
        name, columns, readers = prepared[kind]
        return self.execute_named(
            name, make_params(self.py_types, vals), columns, readers, statement
        )

    def close(self) -> None:
        """Close it; a connection that is lost closes without a word."""
        ends = self._sock, self._usock
        with suppress(InterfaceError, OSError):
            super().close()
        for end in ends:
            with suppress(OSError, ValueError, AttributeError):
                end.close()


def attentive_socket(host: str, port: int) -> socket.socket:
    """A connection that notices when the other computer is gone."""
    made = socket.create_connection((host, port), _CONNECT_SECONDS)
    made.settimeout(None)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _KEEPALIVE:
        if hasattr(socket, name):
            made.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    return made
