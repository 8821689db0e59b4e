"""Files of single reviews: which are meant by files and folders, and their reviews' names.

``R2.response.txt`` is the authors' response to the review in ``R2.txt`` beside it.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from reviewscore.errors import InputError
from reviewscore.schema.record import storable

ENDINGS = (".txt", ".md", ".markdown", ".pdf", ".tei", ".xml", ".json", ".jsonl")
"""Files of a folder that are taken for reviews; a file that is named itself may have any."""

_RESPONSE = ".response"
_WINDOW, _WINDOWS = 40, 24
"""Letters of a passage, and how many passages of a paper are looked for in a text."""
_SHARED = 0.4
"""Share of them from which on the text is the paper's: reviews quote a few sentences of it."""
_NO_LETTERS = re.compile(r"[\W\d_]+")


def review_files(
    given: Iterable[Path], paper: Path, warnings: list[str], unread: list[InputError]
) -> list[Path]:
    """The files of reviews that are meant, in the order given, those of a folder by name.

    Args:
        given: Files and folders.
        paper: The paper's file, which may lie among the reviews.
        warnings: Takes what was passed over, in words.
        unread: Takes what cannot be a file of reviews.
    """
    files: dict[tuple[int, int] | Path, Path] = {}
    the_paper = _identity(paper)
    for path in given:
        if not path.is_dir():
            found = [path]
        else:
            try:
                found = list(_of_folder(path, paper, warnings, unread))
            except OSError as error:
                unread.append(InputError(f"cannot be read: {error.strerror}", file=path))
                continue
        for file in found:
            place = _identity(file)
            if place == the_paper:
                unread.append(
                    InputError(
                        "is given as the paper and as its review", file=file, cure="name both"
                    )
                )
            elif place in files:
                known = files[place]
                same = "given twice" if _is_path_of(file, known) else f"the same file as {known}"
                warnings.append(f"{file}: is {same} and read once")
            else:
                files[place] = file
    return list(files.values())


def _identity(file: Path) -> tuple[int, int] | Path:
    """What tells a file from all others, however many names it has."""
    try:
        found = file.stat()
    except (OSError, ValueError):
        return file.resolve()
    return (found.st_dev, found.st_ino) if found.st_ino else file.resolve()


def _is_path_of(file: Path, known: Path) -> bool:
    """Whether two names of a file lead to one place: they are no hard links."""
    return file.resolve() == known.resolve()


def _of_folder(
    folder: Path, paper: Path, warnings: list[str], unread: list[InputError]
) -> Iterator[Path]:
    entries = sorted(folder.iterdir())
    hidden = [entry.name for entry in entries if entry.name.startswith(".")]
    if hidden:
        warnings.append(f"{folder}: hidden files are not read: {', '.join(hidden)}")
    entries = [entry for entry in entries if not entry.name.startswith(".")]
    if not entries:
        unread.append(InputError("holds no reviews", file=folder, cure="put one into each file"))
    for entry in entries:
        if entry.is_dir():
            cure = "name it with a --review of its own"
            unread.append(InputError("is a folder in a folder", file=entry, cure=cure))
        elif _named_as_paper(entry, paper):
            warnings.append(
                f"{entry}: is called as the paper and lies beside it, so it is taken for the paper "
                "in another format and left out; if it is a review, name it with --review"
            )
        elif entry.suffix.lower() not in ENDINGS:
            problem = f"has the ending '{entry.suffix}', which no review has"
            cure = f"use {', '.join(ENDINGS)}, or name the file itself with --review"
            unread.append(InputError(problem, file=entry, cure=cure))
        elif entry.resolve() != paper.resolve():
            yield entry


def _named_as_paper(entry: Path, paper: Path) -> bool:
    """Whether a file beside the paper's has its name, but for the ending."""
    place, known = entry.resolve(), paper.resolve()
    if place == known or place.parent != known.parent:
        return False
    return place.stem.removesuffix(".tei") == known.stem.removesuffix(".tei")


def is_response(file: Path) -> bool:
    """Whether a file is called as an authors' response, such as ``R2.response.txt``."""
    return file.stem.lower().endswith(_RESPONSE)


def responses(files: Iterable[Path], unread: list[InputError]) -> dict[Path, Path]:
    """The authors' response to the review in each file, where there is one.

    Args:
        files: Files of reviews and of responses.
        unread: Takes responses whose review is not known.
    """
    known: dict[tuple[Path, str], list[Path]] = {}
    given = list(files)
    for file in given:
        if not is_response(file):
            place = file.resolve()
            for name in {place.stem, place.name}:
                known.setdefault((place.parent, name), []).append(file)
    found: dict[Path, Path] = {}
    for file in filter(is_response, given):
        place = file.resolve()
        name = place.stem[: -len(_RESPONSE)]
        meant = known.get((place.parent, name), [])
        problem = None
        if not meant:
            problem = f"is named as the authors' response to '{name}', and no such review is given"
        elif len(meant) > 1:
            problem = f"may be a response to {' or '.join(one.name for one in meant)}"
        elif meant[0] in found:
            problem = f"is a second response to {meant[0].name}, beside {found[meant[0]].name}"
        if problem is not None:
            cure = f"give one review {name} beside it, or rename it if it is a review"
            unread.append(InputError(problem, file=file, cure=cure))
        else:
            found[meant[0]] = file
    return found


def holds_paper(text: str, paper: str) -> bool:
    """Whether a text is the paper's own, however it was converted; linear in their lengths."""
    letters, whole = _letters(text), _letters(paper)
    if len(whole) < _WINDOW * 2 or len(letters) < len(whole) * _SHARED:
        return False
    step = max(1, (len(whole) - _WINDOW) // _WINDOWS)
    passages = [whole[at : at + _WINDOW] for at in range(0, len(whole) - _WINDOW + 1, step)]
    return sum(passage in letters for passage in passages) >= _SHARED * len(passages)


def _letters(text: str) -> str:
    return _NO_LETTERS.sub("", unicodedata.normalize("NFKC", text)).casefold()


def review_names(files: Sequence[Path]) -> dict[Path, str]:
    """What the review of each file is called where it has no identifier.

    Its file's name without the ending; of files that share it, with as many folders before it (or
    with the ending, in one folder) as tell them apart. It does not depend on the order.
    """
    places = {file: file.resolve() for file in files}
    taken: dict[Path, Counter[str]] = defaultdict(Counter)
    for place in set(places.values()):
        taken[place.parent].update({place.stem, place.name})
    leaves = {file: _leaf(place, taken[place.parent]) for file, place in places.items()}
    depths = dict.fromkeys(files, 0)
    while True:
        names = {
            file: "/".join((*places[file].parent.parts[-depth:][:depth], leaves[file]))
            for file, depth in depths.items()
        }
        counts = Counter(names.values())
        shared = [file for file, name in names.items() if counts[name] > 1]
        if not shared:
            break
        for file in shared:
            depths[file] += 1
    return {file: storable(name) for file, name in names.items()}


def _leaf(place: Path, taken: Mapping[str, int]) -> str:
    """The last part of a name: without the ending, if no other file in its folder is called so.

    Args:
        place: The file.
        taken: How many files of its folder are called so, with or without their endings.
    """
    return place.name if taken[place.stem] > 1 else place.stem
