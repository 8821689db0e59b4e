"""Files of keys by which people are let in: of each key the hash alone, revoked at once."""

from __future__ import annotations

import hashlib
import secrets
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import Field

from reviewscore.errors import InputError
from reviewscore.files import JsonLines
from reviewscore.schema.record import Record
from reviewscore.sources.records import read_records


class AccessKey(Record):
    """A line of a file of keys; the last one of a name counts.

    Attributes:
        name: A pseudonym, such as a number; never a person's name.
        sha256: SHA-256 of the key; None for one that is revoked.
        at: When, UTC.
    """

    schema_id: Literal["reviewscore.draft_key/1"] = Field(
        default="reviewscore.draft_key/1", alias="schema"
    )
    name: str = Field(min_length=1, max_length=200)
    sha256: str | None
    at: str


@dataclass(frozen=True)
class AccessKeys:
    """A file of keys (JSONL), one a person; what is revoked is so at once."""

    file: Path

    def issue(self, name: str) -> str:
        """A new key for a person, in place of an older one; the file holds only its hash."""
        key = secrets.token_urlsafe(24)
        self._append(name, _hash(key))
        return key

    def revoke(self, name: str) -> None:
        """Let a person's key open nothing any more.

        Raises:
            InputError: The file holds no key of that name.
        """
        if name not in self.names().values():
            raise InputError(f"there is no key of '{name}'", file=self.file, cure="check the name")
        self._append(name, None)

    def person(self, key: str) -> str | None:
        """Whose key it is; None if it is nobody's."""
        return self.names().get(_hash(key))

    def names(self) -> dict[str, str]:
        """People by the hashes of their keys.

        Raises:
            InputError: The file cannot be read, or a line is no key.
        """
        last: dict[str, str | None] = {}
        for _, key in read_records(self.file, AccessKey):
            if isinstance(key, InputError):
                raise key
            last[key.name] = key.sha256
        return {digest: name for name, digest in last.items() if digest}

    def _append(self, name: str, digest: str | None) -> None:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        self.file.touch(mode=0o600)
        with closing(JsonLines(self.file)) as lines:
            lines.append(AccessKey(name=name, sha256=digest, at=now).model_dump_json())


def _hash(key: str) -> str:
    """Of a key that nobody can guess, so that no slow hash is needed."""
    return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()
