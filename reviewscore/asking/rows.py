"""Files of what models wrote: a whole line for each text, failures in their place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Generic, Literal, Protocol, TypeAlias, TypeVar

from pydantic import ValidationError

from reviewscore.errors import (
    BadReplyError,
    FilteredError,
    InputError,
    ProviderError,
    RefusalError,
    RunFolderError,
    TruncatedError,
)
from reviewscore.papers.hygiene import without_surrogates
from reviewscore.schema.record import Record
from reviewscore.schema.verdict import Provenance
from reviewscore.store.jsonl import JsonLines, read_lines, write_whole

State: TypeAlias = Literal["made", "given", "none", "no-text", "not-asked", "failed"]
"""How a text came about: a model wrote it; it came with the input; the model says that there is
nothing to write; there was nothing to read; it was not wanted; the model gave nothing usable."""

_KINDS: tuple[tuple[type[Exception], str], ...] = (
    (RefusalError, "the model declined"),
    (TruncatedError, "the reply was cut off"),
    (FilteredError, "the provider's filter withheld the reply"),
    (BadReplyError, "no reply fitted"),
    (ProviderError, "the provider failed"),
    (InputError, "the paper cannot be read"),
)


class Row(Record):
    """What every line says of how its text came about.

    Attributes:
        state: How.
        failure: Of a failed one, the kind of failure; empty otherwise.
        reason: Of a failed one, the error in words; empty otherwise.
        provenance: Model, prompt and call, where a model answered.
    """

    state: State
    failure: str = ""
    reason: str = ""
    provenance: Provenance | None = None

    @property
    def key(self) -> str:
        """What tells it from the other lines of its file."""
        raise NotImplementedError


RowT = TypeVar("RowT", bound=Row)


class Counted(Protocol):
    """What an account counts of a file of rows."""

    def states(self) -> Counter[str]:
        """How many rows came about in which way."""

    def failures(self) -> Counter[str]:
        """How many rows failed, by kind."""


def failed(error: Exception) -> dict[str, object]:
    """State, kind and reason of a failure, as fields of a `Row`."""
    kind = next((words for type_, words in _KINDS if isinstance(error, type_)), "unexpected error")
    reason = str(without_surrogates(f"{type(error).__name__}: {error}"))
    return {"state": "failed", "failure": kind, "reason": reason}


class Rows(Generic[RowT]):
    """One file of rows, appended to while a run goes on.

    Args:
        path: The file; made if it is not there.
        kind: Record of its lines.
        retry_errors: Forget failed rows, so that they are asked for again.

    Attributes:
        done: Rows by key.

    Raises:
        RunFolderError: A line is no such record, or the file cannot be written.
    """

    def __init__(self, path: Path, kind: type[RowT], *, retry_errors: bool = False) -> None:
        self.path = path
        self.done: dict[str, RowT] = {one.key: one for one in read_rows(path, kind)}
        if retry_errors:
            self._keep(one for one in self.done.values() if one.state != "failed")
        self._file = JsonLines(path)

    def add(self, row: RowT) -> None:
        """Write a row; it is with the operating system when this returns."""
        self._file.append(row.model_dump_json())
        self.done[row.key] = row

    def forget(self, key: str) -> None:
        """Take a row for not done; a new one, written later, replaces it."""
        self.done.pop(key, None)

    def finish(self, keys: Iterable[str]) -> None:
        """Keep the rows of these keys, in this order, so that equal runs leave equal files."""
        self._file.close()
        self._keep(self.done[key] for key in keys if key in self.done)
        self._file = JsonLines(self.path)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _keep(self, rows: Iterable[RowT]) -> None:
        kept = {one.key: one for one in rows}
        write_whole(self.path, "".join(f"{one.model_dump_json()}\n" for one in kept.values()))
        self.done = kept

    def states(self) -> Counter[str]:
        """How many rows came about in which way."""
        return Counter(one.state for one in self.done.values())

    def failures(self) -> Counter[str]:
        """How many rows failed, by kind."""
        return Counter(one.failure for one in self.done.values() if one.state == "failed")


def read_rows(path: Path, kind: type[RowT]) -> Iterable[RowT]:
    """The rows of a file, in order.

    Raises:
        RunFolderError: A line is no such record; names file and line.
    """
    for number, (_, raw) in enumerate(read_lines(path), start=1):
        try:
            yield kind.model_validate_json(raw)
        except ValidationError as error:
            problem = error.errors(include_url=False)[0]
            place = ".".join(str(part) for part in problem["loc"])
            raise RunFolderError(f"{path}:{number}: field '{place}': {problem['msg']}") from error
