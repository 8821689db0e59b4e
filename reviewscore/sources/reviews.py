"""Reviews as users give them: records with their text boxes, and files of single reviews."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field

from reviewscore.bounds import in_force
from reviewscore.errors import InputError, TooLargeError
from reviewscore.json_text import load_json
from reviewscore.papers.hygiene import TidyText, tidy
from reviewscore.papers.load import DeclaredConsent, DocumentRow, Identifier, PaperRow, Word
from reviewscore.papers.paper_warnings import addressed, for_models, in_names
from reviewscore.schema.paper import DocumentKind
from reviewscore.schema.record import storable
from reviewscore.schema.review import Review
from reviewscore.sources.records import ENDINGS, LONG_TEXT, RecordRow, find_table
from reviewscore.sources.section_roles import known_role

_MOST_BYTES = 4
"""Bytes of a character in UTF-8 at most."""
NOT_BOXES = frozenset(
    {
        "fields",
        "human_ratings",
        "form",
        "roles",
        "scores",
        "extra",
        "version",
        "modified",
        "license",
        "pdf_version",
        "points",
        "meta_review",
        "general_response",
        "changed",
        "area",
    }
)
"""Fields of records that are known to be there and are neither ours nor a reviewer's text."""
_NAMES = ("name", "title", "heading", "field")


def _scalar(value: object) -> object:
    """Ratings come as numbers, as texts such as `8: accept`, or wrapped as `{"value": ...}`."""
    if isinstance(value, dict) and set(value) == {"value"}:
        value = value["value"]
    if isinstance(value, float) and value != value:  # noqa: PLR0124 - NaN marks an empty cell
        return None
    return value


def _box(value: object) -> object:
    """One text box: a text, a list of points, or a value wrapped by an API."""
    if isinstance(value, dict) and set(value) == {"value"}:
        value = value["value"]
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return "\n".join(f"- {item}" for item in value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return None if value != value else str(value)  # noqa: PLR0124 - NaN
    return value


def _boxes(value: object) -> object:
    """Text boxes as a mapping, a list of named texts, or the JSON text of either."""
    value = _scalar(value)
    if isinstance(value, str):
        try:
            value = load_json(value) if value.strip() else None
        except ValueError as error:
            raise ValueError(f"is not JSON that can be used: {error}") from None
    if isinstance(value, list):
        value = {_name_of(item, number): _text_of(item) for number, item in enumerate(value, 1)}
    if isinstance(value, dict):
        return {name: box for name, box in ((n, _box(b)) for n, b in value.items()) if box}
    return value


def _name_of(item: object, number: int) -> str:
    if isinstance(item, dict):
        for name in _NAMES:
            if isinstance(item.get(name), str):
                return str(item[name])
    return f"section {number}"


def _text_of(item: object) -> object:
    return item.get("text") if isinstance(item, dict) else item


Score = Annotated[float | str | None, BeforeValidator(_scalar)]
Boxes = Annotated[dict[str, str] | None, BeforeValidator(_boxes)]
Pseudonym = Annotated[
    str | None, BeforeValidator(lambda value: str(value) if isinstance(value, int) else value)
]


class ReviewRow(BaseModel):
    """One record of ``reviews.jsonl`` or ``reviews.parquet``; unknown fields are ignored.

    Attributes:
        review_id: Identifier, unique in the file; a number does too.
        paper_id: The paper it reviews.
        reviewer: A pseudonym, such as ``R1``; never a name.
        sections: Text boxes of the form by name, an object or a list of named texts; ``fields``
            does too.
        text: The whole review, where it has no boxes.
        rating: The reviewer's score as the form has it; never shown to judges.
        confidence: The reviewer's confidence, likewise.
        author_response: What the authors answered; shown to judges only with
            ``--author-response``.
        date: When it was written.
        consent: Who may judge it, as of papers; the stricter of its own and its paper's counts.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    review_id: Identifier
    paper_id: Identifier
    reviewer: Pseudonym = None
    sections: Boxes = Field(default=None, validation_alias=AliasChoices("sections", "fields"))
    text: Word = None
    rating: Score = None
    confidence: Score = None
    author_response: Word = None
    date: Annotated[
        str | None,
        BeforeValidator(lambda value: value.isoformat() if hasattr(value, "isoformat") else value),
    ] = None
    consent: DeclaredConsent = None


def with_boxes(row: RecordRow) -> RecordRow:
    """A record of a review that has neither `sections` nor `text`, its other texts as sections.

    Those count whose name is known from a form, or whose text is long; what describes the paper
    does not. Other records stay as they are.
    """
    record = row.record
    if record is None or any(_filled(record.get(name)) for name in ("sections", "fields", "text")):
        return row
    no_boxes = ReviewRow.model_fields.keys() | PaperRow.model_fields.keys() | NOT_BOXES
    boxes = {
        name: text
        for name, text in record.items()
        if isinstance(text, str) and _filled(text) and name not in no_boxes
        if len(text) >= LONG_TEXT or known_role(name) is not None
    }
    if not boxes:
        return row
    rest = {name: value for name, value in record.items() if name not in boxes}
    return replace(row, record={**rest, "sections": boxes})


def _filled(value: object) -> bool:
    return bool(value.strip() if isinstance(value, str) else value) and value == value  # noqa: PLR0124 - NaN


def unknown_boxes(review: Review) -> list[str]:
    """The boxes of a review with a long text that no known form has; they are read as free text."""
    return [
        name
        for name, text in review.fields.items()
        if len(text) >= LONG_TEXT and known_role(name) is None
    ]


def check_review_size(review_id: str, texts: Mapping[str, str]) -> None:
    """Refuse a review that is too large.

    Raises:
        TooLargeError: It is; names the largest of its texts.
    """
    bound = in_force().review
    if sum(map(len, texts.values())) * _MOST_BYTES <= bound.size:
        return
    sizes = {name: len(text.encode("utf-8", "replace")) for name, text in texts.items()}
    if (size := sum(sizes.values())) > bound.size:
        problem = f"review '{review_id[:100]}' {bound.problem(size, whole=True)}"
        raise TooLargeError(problem, field=max(sizes, key=sizes.__getitem__), cure=bound.cure)


def build_review(row: ReviewRow) -> tuple[Review, tuple[str, ...]]:
    """The review of a record, and what was changed in its text.

    Raises:
        TooLargeError: If its texts are larger than a review may be.
        InputError: If no text box holds any text.
    """
    boxes = row.sections or {}
    if not any(text.strip() for text in boxes.values()):
        boxes = {"text": row.text or ""}
    check_review_size(row.review_id, {**boxes, "author_response": row.author_response or ""})
    tidied = {tidy(name).text: tidy(text) for name, text in boxes.items() if text.strip()}
    if not tidied:
        raise InputError(
            f"review '{row.review_id}' is empty",
            field="sections",
            cure="give `sections` or `text`, or take the line out",
        )
    response = tidy(row.author_response or "")
    names = {"id": row.review_id, "reviewer": row.reviewer}
    names |= {f"name of section {number}": name for number, name in enumerate(tidied, 1)}
    notes = (
        *(
            f"review '{row.review_id}', {what}: {note}"
            for what, text in (*tidied.items(), ("authors' response", response))
            for note in _notes(text)
        ),
        *(f"review '{row.review_id}', {said}" for said in in_names(names)),
    )
    review = Review(
        review_id=row.review_id,
        paper_id=row.paper_id,
        reviewer=row.reviewer,
        fields={name: text.text for name, text in tidied.items()},
        rating=row.rating,
        confidence=row.confidence,
        author_response=response.text.strip() or None,
        date=row.date,
        consent=row.consent,
    )
    return review, notes


def _notes(text: TidyText) -> tuple[str, ...]:
    """What was changed in a text, and what it says to a model, in words."""
    return tuple(filter(None, (*text.notes, for_models(addressed(text.text)))))


_TEXTS = (".txt", ".md", ".markdown", ".pdf", ".docx", ".tei", ".xml")
_ENDINGS = (*_TEXTS, *ENDINGS)
"""Files of a folder that are taken for reviews; a file that is named itself may have any."""

_SIGNS = "-._ "
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
            paths = [path]
        else:
            try:
                paths = list(_of_folder(path, paper, warnings, unread))
            except OSError as error:
                unread.append(InputError(f"cannot be read: {error.strerror}", file=path))
                continue
        for file in paths:
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
    for file in files.values():
        warnings += [
            f"{beside}: is not read; name it too if it is the authors' response to {file.name}"
            for beside in _responses_beside(file)
            if _identity(beside) not in files
        ]
    return list(files.values())


def _responses_beside(file: Path) -> Iterator[Path]:
    """Files that are called as the authors' response to the review in a file, in its folder."""
    for name in () if is_response(file) else dict.fromkeys((file.stem, file.name)):
        paths = (file.with_name(f"{name}{_RESPONSE}{ending}") for ending in sorted(_ENDINGS))
        yield from (path for path in paths if path.is_file())


def _identity(file: Path) -> tuple[int, int] | Path:
    """What tells a file from all others, however many names it has."""
    try:
        result = file.stat()
    except (OSError, ValueError):
        return file.resolve()
    return (result.st_dev, result.st_ino) if result.st_ino else file.resolve()


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
        elif entry.suffix.lower() not in _ENDINGS:
            problem = f"has the ending '{entry.suffix}', which no review has"
            cure = f"use {', '.join(_ENDINGS)}, or name the file itself with --review"
            unread.append(InputError(problem, file=entry, cure=cure))
        elif entry.resolve() != paper.resolve():
            yield entry


def _named_as_paper(entry: Path, paper: Path) -> bool:
    """Whether a file beside the paper's has its name, but for the ending."""
    place, known = entry.resolve(), paper.resolve()
    if place == known or place.parent != known.parent:
        return False
    return place.stem.removesuffix(".tei") == known.stem.removesuffix(".tei")


def is_paper_folder(path: Path) -> bool:
    """Whether a folder holds PDFs and no files of records of papers or reviews."""
    tables = ("papers", "reviews")
    return (
        path.is_dir()
        and any(_papers_of(path))
        and not any(find_table(path, name) for name in tables)
    )


def _papers_of(folder: Path) -> list[Path]:
    """The PDFs of a folder, but those that are called as another with more behind it."""
    pdfs = sorted(
        file
        for file in folder.iterdir()
        if file.suffix.lower() == ".pdf" and file.is_file() and not file.name.startswith(".")
    )
    stems = {file.stem for file in pdfs}
    return [file for file in pdfs if _paper_named(file.stem, stems - {file.stem}) is None]


def _paper_named(stem: str, papers: Collection[str]) -> str | None:
    """The paper that a review's file is named after: the longest name before a sign or its end."""
    fitting = [
        name for name in papers if stem.startswith(name) and stem[len(name) :][:1] in ("", *_SIGNS)
    ]
    return max(fitting, key=len, default=None)


_DOCUMENT = re.compile(
    r"[-._ ]?(?:(?P<supplement>supp(?:l|lement(?:ary|al)?)?(?:[-_ ]materials?)?)"
    r"|(?P<revision>revision|revised(?:[-_ ]version)?)|(?P<code>code))[-_ ]?\d?",
    re.IGNORECASE,
)
"""What follows a paper's name in the names of its other documents."""
_READ = (".pdf", ".txt", ".md", ".markdown", ".tex", ".latex", ".html", ".tei", ".xml", ".py")


def document_kind(file: Path, paper: str) -> DocumentKind | None:
    """What a file beside a paper is by its name, such as ``p1_supplement.pdf`` of ``p1``.

    Args:
        file: The file; in a folder that is called as the paper, its name may lack the paper's.
        paper: The paper's name.
    """
    stem = file.stem.removesuffix(".tei")
    rest = stem.removeprefix(paper)
    named = rest != stem and rest[:1] in _SIGNS
    match = _DOCUMENT.fullmatch(rest) if named or file.parent.name == paper else None
    return DocumentKind(match.lastgroup) if match is not None and match.lastgroup else None


def documents_by_paper(folder: Path, warnings: list[str]) -> dict[Path, list[DocumentRow]]:
    """The further documents of the PDFs of a folder: supplements, code and revisions.

    ``p1.pdf`` has the supplement ``p1_supplement.pdf`` or ``p1/supplement.pdf``, the code
    ``p1_code.txt`` and the revision ``p1_revision.pdf``.

    Args:
        folder: The folder.
        warnings: Takes what each file was taken for, in words.
    """
    rowses: dict[Path, list[DocumentRow]] = {}
    for file in _papers_of(folder):
        inside = folder / file.stem
        entries = [*folder.iterdir(), *(inside.iterdir() if inside.is_dir() else ())]
        for entry in sorted(entries):
            kind = document_kind(entry, file.stem)
            if kind is None or not entry.is_file() or entry.name.startswith("."):
                continue
            if entry.suffix.lower() not in _READ:
                warnings.append(
                    f"{entry}: is named as the {kind.value} of {file.name}, and such files are not "
                    f"read; save it with one of the endings {', '.join(_READ)}"
                )
                continue
            warnings.append(f"{entry}: is taken for the {kind.value} of {file.name}")
            place = entry.relative_to(folder).as_posix()
            rowses.setdefault(file, []).append(DocumentRow(kind=kind, file=place))
    return rowses


def reviews_by_paper(folder: Path, warnings: list[str]) -> dict[Path, list[Path]]:
    """The PDFs of a folder, and the files of reviews that are named after each.

    ``p1.pdf`` has the reviews ``p1-R1.txt``, ``p1.docx``, ``p1/R1.md`` and ``reviews/p1_R1.pdf``:
    the paper's name and what follows a sign of ``-._`` or a space, or any file in a folder of that
    name; all of it may lie in a folder ``reviews``. Further documents of a paper are no reviews.

    Args:
        folder: The folder.
        warnings: Takes what was passed over, in words.
    """
    papers = {file.stem: file for file in _papers_of(folder)}
    pathses: dict[Path, list[Path]] = {file: [] for file in papers.values()}
    inside = folder / "reviews"
    for place in (folder, inside, *(root / name for root in (folder, inside) for name in papers)):
        for entry in sorted(place.iterdir()) if place.is_dir() else ():
            if entry in pathses or entry.is_dir():
                continue
            name = place.name if place not in (folder, inside) else None
            name = name or _paper_named(entry.stem, papers)
            beside = name is not None and inside not in (place, place.parent)
            if beside and document_kind(entry, name or "") is not None:
                continue
            if entry.name.startswith(".") or name is None or entry.suffix.lower() not in _ENDINGS:
                warnings.append(
                    f"{entry}: is not taken for a review; name it after its paper, as in "
                    f"{next(iter(papers))}-R1.txt, with one of the endings {', '.join(_ENDINGS)}"
                )
            else:
                pathses[papers[name]].append(entry)
    warnings += [f"{file}: has no reviews" for file, reviews in pathses.items() if not reviews]
    return pathses


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
    paths: dict[Path, Path] = {}
    for file in filter(is_response, given):
        place = file.resolve()
        name = place.stem[: -len(_RESPONSE)]
        meant = known.get((place.parent, name), [])
        problem = None
        if not meant:
            problem = f"is named as the authors' response to '{name}', and no such review is given"
        elif len(meant) > 1:
            problem = f"may be a response to {' or '.join(path.name for path in meant)}"
        elif meant[0] in paths:
            problem = f"is a second response to {meant[0].name}, beside {paths[meant[0]].name}"
        if problem is not None:
            cure = f"give one review {name} beside it, or rename it if it is a review"
            unread.append(InputError(problem, file=file, cure=cure))
        else:
            paths[meant[0]] = file
    return paths


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
