"""Addresses that may hold a password: what may be shown, and which ones are a database's."""

from __future__ import annotations

import re
from ipaddress import ip_address
from urllib.parse import parse_qs, urlsplit

_CREDENTIALS = re.compile(r"//[^/?#]*@")
_FORM = "postgresql://USER@HOST:PORT/DATABASE"
_ESCAPE = "in a password write / as %2F, @ as %40, # as %23, ? as %3F, : as %3A and % as %25"
_TLS = ("disable", "prefer", "require", "verify-ca", "verify-full")


Plain = str | int | float | bool | None | list[str] | dict[str, str]
"""Values of settings."""


def without_credentials(value: Plain) -> Plain:
    """A setting as it may be shown: an address loses a name and password in it."""
    return _CREDENTIALS.sub("//", value) if isinstance(value, str) else value


def several(text: str | None) -> tuple[str, ...]:
    """Addresses with commas between."""
    return tuple(word.strip() for word in (text or "").split(",") if word.strip())


_NEAR = (".local", ".lan", ".internal", ".home.arpa")
"""Ends of names that only a network of one's own knows."""


def host_of(address: str) -> str:
    """The host that an address names, in lower case; empty if it names none."""
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


def is_loopback(address: str) -> bool:
    """Whether an address is this machine's own."""
    host = host_of(address)
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def is_near(address: str) -> bool:
    """Whether an address is of this machine or of a private network, by its form alone."""
    host = host_of(address)
    try:
        near = ip_address(host)
    except ValueError:
        return bool(host) and ("." not in host or host.endswith(_NEAR))
    return near.is_loopback or near.is_private or near.is_link_local


def check_database(address: str) -> str:
    """The address of a PostgreSQL database, as it is.

    Raises:
        ValueError: It is none; the message shows nothing of it.
    """
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError:
        raise ValueError(f"this is no address like {_FORM}; {_ESCAPE}") from None
    if parts.scheme not in ("postgresql", "postgresql+pg8000"):
        raise ValueError(
            f"an address begins with postgresql://, like {_FORM}; for SQLite name a folder with "
            "REVIEWSCORE_CACHE_DIR"
        )
    name = parts.path.removeprefix("/")
    if not parts.hostname or not name or parts.fragment or set("/@") & set(name):
        raise ValueError(f"there is no host or no database in it; write {_FORM}; {_ESCAPE}")
    for key, values in parse_qs(parts.query, keep_blank_values=True).items():
        if key not in ("sslmode", "sslrootcert") or (key == "sslmode" and values[-1] not in _TLS):
            raise ValueError(f"after ? there can be sslmode ({', '.join(_TLS)}) and sslrootcert")
    return address
