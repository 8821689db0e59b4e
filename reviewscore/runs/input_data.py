"""Where the papers and reviews of a run lie: noted when it is made, and found again."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypedDict

from reviewscore.errors import InputError
from reviewscore.files import hash_file
from reviewscore.runs.folder import read_manifest
from reviewscore.runs.manifest import Manifest, beside
from reviewscore.schema.record import storable
from reviewscore.sources.collection import Collection, read_collection, single, tables_of
from reviewscore.sources.remote import address_of
from reviewscore.sources.reviews import is_paper_folder, review_names

_CURE = "name the folder with --data"


class NotedData(TypedDict, total=False):
    """Where a run's data lie, as its manifest holds it (`manifest.Manifest`)."""

    data: str | None
    data_beside: str | None
    pair: list[str]
    pair_beside: list[str] | None


def noted_data(run: Path, data: Path | None, pair: Sequence[Path] | None) -> NotedData:
    """Note where the data of a run lie, so that they are found from any folder.

    Args:
        run: The run's folder.
        data: Folder of papers and reviews; None if single files were given.
        pair: The paper's file and those of its reviews; None if a folder was given.
    """
    if pair is not None:
        near = [name for path in pair if (name := beside(run, path)) is not None]
        return {
            "pair": [_absolute(path) for path in pair],
            "pair_beside": near if len(near) == len(pair) else None,
        }
    if data is None:
        return {}
    address = address_of(data)
    if address is None:
        return {"data": _absolute(data), "data_beside": beside(run, data)}
    return {"data": storable(address), "data_beside": beside(run, data) or _absolute(data)}


def _absolute(path: Path) -> str:
    return storable(os.path.abspath(path))  # noqa: PTH100 - links stay what the user named


class Again(NamedTuple):
    """A run's papers and reviews.

    Attributes:
        collection: None if they were not found.
        notes: What the user should know of them.
    """

    collection: Collection | None
    notes: list[str]


def data_again(run: Path, data: Path | None = None, *, accept_changed: bool = False) -> Again:
    """The papers and reviews that a run was made of.

    They are looked for where they lay, seen from the run's folder and then by their absolute
    path, and taken if they are the very files: a manifest holds their sums.

    Args:
        run: The run's folder.
        data: Where the user says that they are.
        accept_changed: Go on with records that something else has changed.

    Raises:
        InputError: The folder that was named cannot be read, or holds other files.
        RunFolderError: The run cannot be read, or its records were changed.
    """
    manifest = read_manifest(run, accept_changed=accept_changed)
    if data is not None:
        collection = _named(data, manifest)
        return Again(collection, [str(fault) for fault in collection.unread])
    notes: list[str] = []
    for place in _places(run, manifest):
        try:
            collection = _at(place, manifest)
            check_files(collection.files, manifest.inputs_sha256, place[0])
        except InputError as error:
            notes.append(str(error))
        else:
            return Again(collection, [str(fault) for fault in collection.unread])
    return Again(None, [*dict.fromkeys(notes), missing(manifest)])


def folder_again(run: Path, manifest: Manifest) -> Path | None:
    """The folder that a run was made of, if it still holds the same tables; it is not read."""
    for (place,) in _folders(run, manifest):
        try:
            check_files(tables_of(place), manifest.inputs_sha256, place)
        except InputError:
            continue
        return place
    return None


def missing(manifest: Manifest) -> str:
    """That a run's data were not found, where they lay, and what to do."""
    named = manifest.data or next(iter(manifest.pair or ()), None)
    return (
        "papers and reviews are not where they were"
        f"{'' if named is None else f' ({named})'}, so points and quotes stand without their "
        f"surroundings; {_CURE}"
    )


def check_files(files: Iterable[Path], known: frozenset[str], place: Path) -> None:
    """Refuse files that a run was not made of.

    Args:
        files: The files.
        known: SHA-256 of those that it was made of; nothing is refused if none were recorded.
        place: What was named.

    Raises:
        InputError: Names the first file with another content.
    """
    for file in files if known else ():
        if hash_file(file).sha256 not in known:
            raise InputError(
                f"'{file.name}' is not what this run was made of, or has changed since",
                file=place,
                cure="name the folder of the files that were audited with --data",
            )


_Place = tuple[Path, ...]
"""A folder, or the paper's file and those of its reviews."""


def _places(run: Path, manifest: Manifest) -> Iterator[_Place]:
    """Where the data may be, the likeliest place first; all of them are there."""
    if manifest.pair is None:
        yield from _folders(run, manifest)
        return
    near = [_seen_from(run, name) for name in manifest.pair_beside or ()]
    groups = [near] if near else []
    absolute = [Path(name) for name in manifest.pair]
    groups += [[root / path for path in absolute] for root in _roots(run, absolute[0])]
    for files in groups:
        if files[0].is_file() and any(file.is_file() for file in files[1:]):
            yield tuple(files)


def _folders(run: Path, manifest: Manifest) -> Iterator[_Place]:
    names = [_seen_from(run, manifest.data_beside)] if manifest.data_beside else []
    if manifest.data is not None and "://" not in manifest.data:
        named = Path(manifest.data)
        names += [root / named for root in _roots(run, named)]
    yield from ((name,) for name in dict.fromkeys(names) if name.exists())


def _seen_from(run: Path, name: str) -> Path:
    return Path(os.path.normpath(run.resolve() / name))


def _roots(run: Path, named: Path) -> Iterator[Path]:
    """From where a path may be meant: runs of earlier versions have it as it was typed."""
    yield Path()
    if not named.is_absolute():
        yield from (run.resolve(), *run.resolve().parents)


def _at(place: _Place, manifest: Manifest) -> Collection:
    if len(place) == 1:
        return read_collection(place[0], skip_bad_lines=True)
    return _single(place, manifest)


def _named(data: Path, manifest: Manifest) -> Collection:
    """What the user named: it must be what the run was made of."""
    if manifest.pair is None:
        tables = () if is_paper_folder(data) else tables_of(data)
        check_files(tables, manifest.inputs_sha256, data)  # before much is read
        collection = read_collection(data, skip_bad_lines=True)
        check_files(collection.files[len(tables) :], manifest.inputs_sha256, data)
        return collection
    collection = _single(_files_below(data, [Path(name) for name in manifest.pair]), manifest)
    check_files(collection.files, manifest.inputs_sha256, data)
    return collection


def _files_below(data: Path, pair: Sequence[Path]) -> _Place:
    """Single files in a folder they were moved to, by their names."""
    shared = Path(os.path.commonpath([path.parent for path in pair]))
    moved = [
        inside if (inside := data / path.relative_to(shared)).is_file() else data / path.name
        for path in pair
    ]
    if not moved[0].is_file() or not any(path.is_file() for path in moved[1:]):
        names = ", ".join(path.name for path in pair)
        raise InputError(f"does not hold {names}", file=data, cure="name their folder with --data")
    return tuple(moved)


def _single(files: _Place, manifest: Manifest) -> Collection:
    """Single files; reviews keep the names that they had, wherever their files lie now."""
    names = review_names([Path(name) for name in (manifest.pair or ())[1:]])
    return single(
        files[0],
        files[1:],
        year=manifest.year,
        names=dict(zip(files[1:], names.values(), strict=True)),
    )
