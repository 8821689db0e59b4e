"""The workspace served on this machine alone, until it is stopped."""

from __future__ import annotations

import socket

import uvicorn

from reviewscore.annotate.app import build_app
from reviewscore.annotate.workspace import COORDINATOR, Workspace
from reviewscore.errors import SettingsError

HOST = "127.0.0.1"
PORT = 8791


def listen(port: int = PORT) -> socket.socket:
    """A socket on the loopback; port 0 takes a free one.

    Raises:
        SettingsError: The port is taken.
    """
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((HOST, port))
        found.listen(512)  # so that whoever opens an address at once waits and is not refused
    except OSError as error:
        found.close()
        raise SettingsError(
            f"port {port} cannot be used ({error.strerror}); name another with --port"
        ) from error
    return found


def addresses(workspace: Workspace, port: int) -> dict[str, str]:
    """The address of each annotator and of the coordinator."""
    names = [*workspace.notebook.annotators(), COORDINATOR]
    return {who: f"http://{HOST}:{port}/enter/{workspace.token(who)}" for who in names}


def serve(workspace: Workspace, door: socket.socket) -> None:
    """Answer until stopped; labels are on the disk whenever that is."""
    config = uvicorn.Config(
        build_app(workspace),
        log_level="warning",
        access_log=False,  # addresses hold tokens
        server_header=False,
        use_colors=False,  # its log is printed as text, and what is no text as escapes
        lifespan="off",
        timeout_graceful_shutdown=3,
    )
    uvicorn.Server(config).run(sockets=[door])
