"""Who holds a claim, and whether it still lives."""

from __future__ import annotations

import os
import socket
from functools import lru_cache
from pathlib import Path


def me() -> str:
    """This process, told apart from another one that gets its number later."""
    return _name(os.getpid())


def in_words(owner: str) -> str:
    """An owner as users know it."""
    host, number = owner.split("/")[:2]
    return f"process {number} on {host}"


@lru_cache(maxsize=4)
def _name(pid: int) -> str:
    return f"{socket.gethostname()}/{pid}/{_born(pid)}"


def is_here(owner: str) -> bool:
    """Whether an owner's process can be looked up: Windows kills whom it is asked about."""
    return owner.partition("/")[0] == socket.gethostname() and os.name != "nt"


def alive(owner: str) -> bool:
    """Whether an owner may still be at work; one that cannot be looked up is taken to live."""
    if not is_here(owner):
        return True
    _, number, born = owner.split("/")[:3]
    pid = int(number)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # it lives and belongs to somebody else
        pass
    return _born(pid) == born


def _born(pid: int) -> str:
    """When a process began, in the kernel's ticks; empty where the system does not say."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8")
    except OSError:
        return ""
    return stat.rpartition(")")[2].split()[19]
