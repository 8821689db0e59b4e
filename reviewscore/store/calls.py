"""The record of a run's calls: ``calls.jsonl``, from which no call is paid twice."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from reviewscore.errors import RunFolderError
from reviewscore.schema.call import Call, Completion
from reviewscore.store.jsonl import JsonLines, read_lines


@dataclass
class Paid:
    """What all calls of a run came to, whichever session made them."""

    calls: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    models: set[str] = field(default_factory=set)

    def add(self, completion: Completion) -> None:
        """Count a call."""
        self.calls += 1
        self.input_tokens += completion.usage.input_tokens
        self.cached_tokens += completion.usage.cached_tokens
        self.output_tokens += completion.usage.output_tokens
        self.models.add(completion.model)


class CallFile:
    """Calls on disk; only the place of each is held in memory.

    Args:
        path: The file; made if it is not there.

    Attributes:
        paid: What the calls in the file came to, those of killed sessions too.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._places: dict[str, int] = {}
        self.paid = Paid()
        for offset, raw in read_lines(path):
            call = _read(raw, path)
            self._places[call.key] = offset
            self.paid.add(call.completion)
        self._lines = JsonLines(path)

    def find(self, key: str) -> Completion | None:
        """The reply to an earlier equal call."""
        offset = self._places.get(key)
        if offset is None:
            return None
        with self._path.open("rb") as file:
            file.seek(offset)
            return _read(file.readline(), self._path).completion

    def add(self, call: Call) -> None:
        """Record a call; it is with the operating system when this returns."""
        self._places[call.key] = self._lines.append(call.model_dump_json())
        self.paid.add(call.completion)

    def close(self) -> None:
        """Close the file."""
        self._lines.close()


def _read(raw: bytes, path: Path) -> Call:
    try:
        return Call.model_validate_json(raw)
    except ValidationError as error:
        raise RunFolderError(f"{path}: a line is no record of a call; was it edited?") from error
