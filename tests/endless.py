"""A server on loopback that sends as much as it is let, and counts it."""

from __future__ import annotations

import gzip
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
            self._say(client, place)
        except OSError:
            return

    def _say(self, client: socket.socket, place: int) -> None:
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


@dataclass
class Verbatim(Endless):
    """Answers with the bytes it is given, whether they are HTTP or not.

    Attributes:
        said: What it begins with.
        again: What it says over and over after that, each time after `drip` seconds; empty to end.
    """

    said: bytes = b""
    again: bytes = b""

    def _say(self, client: socket.socket, place: int) -> None:
        client.sendall(self.said)
        while self.again and self.sent[place] < self.most:
            client.sendall(self.again)
            self.sent[place] += len(self.again)
            time.sleep(self.drip or 0.0)


OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n"
EMPTY = gzip.compress(b"", mtime=0) * 500
LINGERING = {
    "a head that drips": (OK + b"X: ", b"a", 0.02),
    "100 Continue without an end": (b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 500, 0.0),
    "empty members without an end": (
        CHUNKED + b"Content-Encoding: gzip\r\n\r\n", b"%x\r\n%s\r\n" % (len(EMPTY), EMPTY), 0.01,
    ),
    "a chunk's extensions that drip": (CHUNKED + b"\r\n5;", b"a=b;", 0.02),
    "a body that drips": (CHUNKED + b"\r\n", b"1\r\n{\r\n", 0.02),
}  # fmt: skip
"""What a server can say forever: its beginning, what it repeats, and after how many seconds."""
NO_HTTP = {
    "no status": b"HTTP/9.9 abc huh\r\n\r\n",
    "another protocol": b"SSH-2.0-OpenSSH\r\n",
    "a bad header": b"HTTP/1.1 200 OK\r\nb a d\r\nx\0: y\r\n\r\n",
    "two lengths": OK + b"Content-Length: 5\r\nContent-Length: 7\r\n\r\n{}   ",
    "a negative length": OK + b"Content-Length: -5\r\n\r\n{}   ",
    "length and chunks": CHUNKED + b"Content-Length: 5\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "no chunk": CHUNKED + b"\r\nzz\r\n{}\r\n0\r\n\r\n",
    "headers without an end": OK + b"X: y\r\n" * 2_000,
    "a reason in no code": b"HTTP/1.1 200 \xff\xfe\r\nContent-Length: 2\r\n\r\n{}",
}
"""Answers that are no HTTP."""
