"""Records that wait on disk until they are asked for: memory holds where each of them stands."""

from __future__ import annotations

import pickle
import tempfile
import weakref
from abc import abstractmethod
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from threading import Lock
from typing import Generic, TypeVar, overload

Value = TypeVar("Value")

_IN_MEMORY = 1_000_000
"""Bytes of records that are held in memory; more lie in a temporary file without a name."""


class _ReadByNumber(Sequence[Value]):
    """A sequence each of whose records is read when it is asked for; slices are views."""

    @abstractmethod
    def _read(self, number: int) -> Value: ...

    @overload
    def __getitem__(self, number: int) -> Value: ...

    @overload
    def __getitem__(self, number: slice) -> Sequence[Value]: ...

    def __getitem__(self, number: int | slice) -> Value | Sequence[Value]:
        if isinstance(number, slice):
            return ListView(self, range(len(self))[number])
        return self._read(number)

    def __iter__(self) -> Iterator[Value]:
        return map(self._read, range(len(self)))


class SpooledList(_ReadByNumber[Value]):
    """Records in the order they were added, each read anew whenever it is asked for.

    The file they lie in has no name and goes with this object, so that nobody else can write what
    is read here.

    Args:
        values: The first ones.
    """

    def __init__(self, values: Iterable[Value] = ()) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - closed below
        weakref.finalize(self, self._file.close)
        self._places = array("q")
        self._end = 0
        self._lock = Lock()
        for value in values:
            self.append(value)

    def append(self, value: Value) -> int:
        """Add a record; its number."""
        record = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        with self._lock:
            self._file.seek(self._end)
            self._file.write(record)
            self._places.append(self._end)
            self._end += len(record)
        return len(self._places) - 1

    def keep(self, wanted: Callable[[Value], bool]) -> None:
        """Leave out the records that are not wanted."""
        kept = [place for place, value in zip(self._places, self, strict=True) if wanted(value)]
        self._places = array("q", kept)

    def __len__(self) -> int:
        return len(self._places)

    def _read(self, number: int) -> Value:
        place = self._places[number]
        with self._lock:
            self._file.seek(place)
            value: Value = pickle.load(self._file)
        return value


class ListView(_ReadByNumber[Value]):
    """Some records of a sequence, in an order of their own.

    Args:
        values: The sequence.
        numbers: Places in it.
    """

    def __init__(self, values: Sequence[Value], numbers: Sequence[int]) -> None:
        self._values, self._numbers = values, numbers

    def __len__(self) -> int:
        return len(self._numbers)

    def _read(self, number: int) -> Value:
        return self._values[self._numbers[number]]


class GroupedList(Mapping[str, Sequence[Value]], Generic[Value]):
    """Records by a name, such as those of a paper; names in the order they were first met.

    Args:
        values: All records.
    """

    def __init__(self, values: Sequence[Value]) -> None:
        self._values = values
        self._numbers: dict[str, array[int]] = {}

    def add(self, name: str, numbers: Iterable[int]) -> None:
        """Put records of these places under a name."""
        self._numbers.setdefault(name, array("i")).extend(numbers)

    def __getitem__(self, name: str) -> Sequence[Value]:
        return ListView(self._values, self._numbers[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def __contains__(self, name: object) -> bool:
        return name in self._numbers


class MappedGroups(Mapping[str, Sequence[Value]], Generic[Value]):
    """Grouped records, each changed as it is read.

    Args:
        groups: The records.
        change: What is made of each.
    """

    def __init__(
        self, groups: Mapping[str, Sequence[Value]], change: Callable[[Value], Value]
    ) -> None:
        self._groups, self._change = groups, change

    def __getitem__(self, name: str) -> Sequence[Value]:
        return [self._change(value) for value in self._groups[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._groups)

    def __len__(self) -> int:
        return len(self._groups)
