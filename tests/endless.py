"""A server on loopback that sends as much as it is let, and counts it."""

from __future__ import annotations

import socket
import threading
import time
import zlib
from dataclasses import dataclass, field

PIECE = b"a" * 65_536


def bomb(size: int) -> bytes:
    """A small gzip body that grows to so many bytes."""
    made = zlib.compressobj(9, zlib.DEFLATED, 31)
    parts = [made.compress(PIECE) for _ in range(size // len(PIECE))]
    return b"".join((*parts, made.flush()))


@dataclass
class Endless:
    """Answers every request with one head and a body.

    Attributes:
        body: The body; None for one without an end.
        status: The HTTP status.
        headers: Further headers.
        begins: What a body without an end begins with.
        most: Bytes after which it ends all the same.
        drip: Seconds between the bytes of a body without an end; None to send all at once.
        asked: How many requests came.
        sent: Bytes that the client took of each body.
    """

    body: bytes | None = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    begins: bytes = b'{"choices": "'
    most: int = 100_000_000
    drip: float | None = None
    asked: int = 0
    sent: list[int] = field(default_factory=list)

    def start(self) -> Endless:
        """Begin to serve."""
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()
        return self

    def stop(self) -> None:
        """End serving."""
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            client.settimeout(5)
            with client:
                self._answer(client)

    def _answer(self, client: socket.socket) -> None:
        place, data = len(self.sent), b""
        try:
            while b"\r\n\r\n" not in data:
                if not (more := client.recv(65_536)):
                    return
                data += more
            self.asked += 1
            self.sent.append(0)
            length = None if self.body is None else {"Content-Length": str(len(self.body))}
            framing = length or {"Transfer-Encoding": "chunked"}
            head = {"Content-Type": "application/json", "Connection": "close", **framing}
            lines = [f"{name}: {value}" for name, value in {**head, **self.headers}.items()]
            client.sendall("\r\n".join([f"HTTP/1.1 {self.status} So", *lines, "", ""]).encode())
            if self.body is not None:
                client.sendall(self.body)
                self.sent[place] = len(self.body)
                return
            piece = self.begins
            while self.sent[place] < self.most:
                client.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
                self.sent[place] += len(piece)
                piece = PIECE if self.drip is None else b"a"
                time.sleep(self.drip or 0.0)
            client.sendall(b"0\r\n\r\n")
        except OSError:
            return
