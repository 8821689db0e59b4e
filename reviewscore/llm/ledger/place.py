"""Where a ledger lies: a folder with an SQLite file, or the address of a PostgreSQL database."""

from __future__ import annotations

from pathlib import Path

FILE = "ledger.sqlite"
Place = Path | str
"""A folder, or an address as `Settings.ledger` has it."""


def is_there(place: Place) -> bool:
    """Whether there is something to look at; a database is asked itself."""
    return isinstance(place, str) or (place / FILE).is_file()
