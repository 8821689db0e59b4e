"""Reviews from published corpora (PeerRead, NLPeer) and from any venue's table, as data folders.

PeerRead (Kang et al. 2018, arXiv 1804.09635): ``<venue>/<split>/reviews/<id>.json`` with
``parsed_pdfs/<id>.pdf.json`` and ``pdfs/<id>.pdf`` beside them. NLPeer (Dycke et al. 2023, arXiv
2211.06651): ``<dataset>/data/<paper>/v1/`` with ``meta.json``, ``reviews.json``,
``paper.itg.json`` and ``paper.pdf``; the first version is the one that was reviewed. Tables: CSV,
Excel, JSONL, Parquet; their columns are named by a map.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from hashlib import sha256
from pathlib import Path
from typing import Any

from reviewscore.bounds import check_size, in_force, read_bounded
from reviewscore.errors import InputError
from reviewscore.json_text import UnusableJsonError, load_json
from reviewscore.schema.review import Role
from reviewscore.sources.data_folder import METAREVIEWS, PAPERS, REVIEWS, DataFolder, copied
from reviewscore.sources.records import ENDINGS, also_on, check_overflow, table_rows
from reviewscore.sources.section_roles import known_role, plain_name

_CURE = (
    "name a folder of PeerRead (with reviews/ and parsed_pdfs/ somewhere below it) or of NLPeer "
    "(with data/<paper>/v1/reviews.json)"
)
_SCORES = {
    "rating": ("RECOMMENDATION", "overall"),
    "confidence": ("REVIEWER_CONFIDENCE", "confidence"),
}
_ANONYMOUS = re.compile(r"AnonReviewer\d+")
_TEXT_NODES = ("paragraph", "abstract", "list_item", "footnote", "figure", "table", "formula")


@dataclass
class ConvertedCorpus:
    """What came of a corpus or table.

    Attributes:
        papers: Papers written.
        reviews: Reviews written.
        faults: Papers or rows that were left out, and why.
        left_out: Reviews that were left out, by reason.
        unused: Columns that hold nothing that is known.
    """

    papers: int = 0
    reviews: int = 0
    faults: list[InputError] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    unused: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Entry:
    """One paper of a corpus.

    Attributes:
        paper: Its record.
        pdf: Its file; None if there is none, or its text is at hand.
        reviews: Records of its reviews.
        meta_reviews: Texts of its meta-reviews.
    """

    paper: dict[str, Any]
    pdf: Path | None
    reviews: list[dict[str, Any]]
    meta_reviews: list[str]


def convert_corpus(path: Path, out: Path) -> ConvertedCorpus:
    """Write a corpus as data that other verbs read; its layout is known by its files.

    Args:
        path: The corpus, or one of its venues or splits.
        out: The folder.

    Raises:
        InputError: It has neither layout.
        RunFolderError: The folder holds other things, or cannot be written.
    """
    files = _review_files(path)
    corpus = ConvertedCorpus()
    with DataFolder(out) as folder:
        for file in files:
            try:
                entry = (_nlpeer if file.name == "reviews.json" else _peerread)(file, path, corpus)
                _write(entry, folder, out)
            except InputError as error:
                corpus.faults.append(error)
        folder.check(corpus.faults, path)
        folder.account({"source": "corpus", "file": path.name})
        corpus.papers, corpus.reviews = folder.written[PAPERS], folder.written[REVIEWS]
    return corpus


def _review_files(path: Path) -> list[Path]:
    """A file for each paper, of either layout, in a fixed order."""
    if not path.is_dir():
        raise InputError("there is no such folder", file=path, cure=_CURE)
    peerread = [
        file
        for file in sorted(path.rglob("*.json"))
        if file.parent.name == "reviews" and not file.name.startswith(".")
    ]
    nlpeer = sorted(path.rglob("v1/reviews.json"))
    if not peerread and not nlpeer:
        raise InputError("is no corpus of reviews that is known", file=path, cure=_CURE)
    return peerread or nlpeer


def _write(entry: _Entry, folder: DataFolder, out: Path) -> None:
    paper = dict(entry.paper)
    if entry.pdf is not None:
        paper["pdf"] = copied(entry.pdf, out, paper["paper_id"]).as_posix()
    folder.add(PAPERS, paper)
    for review in entry.reviews:
        folder.add(REVIEWS, review)
    if entry.meta_reviews:
        words = "\n\n".join(entry.meta_reviews)
        folder.add(METAREVIEWS, {"paper_id": paper["paper_id"], "meta_review": words})


def _peerread(file: Path, root: Path, corpus: ConvertedCorpus) -> _Entry:
    record = _json(file, dict)
    split = file.parent.parent
    name = _name(file.with_suffix(""), root, "reviews")
    parsed = split / "parsed_pdfs" / f"{file.stem}.pdf.json"
    paper: dict[str, Any] = {
        "paper_id": name,
        "title": _word(record.get("title")),
        "abstract": _word(record.get("abstract")),
        "decision": _decision(record.get("accepted")),
    }
    pdf = split / "pdfs" / f"{file.stem}.pdf"
    if parsed.is_file():
        metadata = _either(parsed, pdf).get("metadata")
        paper |= _parsed(metadata if isinstance(metadata, Mapping) else {}, paper)
    usable = pdf if not paper.get("sections") and pdf.is_file() else None
    if not paper.get("sections") and usable is None:
        raise InputError("has neither a parsed text nor a PDF", file=file, cure="add one")
    reviews, chairs = [], []
    given = list(_list(record.get("reviews")))
    # Files of ICLR 2017 hold the whole discussion; what recommends nothing is no review there.
    graded = any(record.get("RECOMMENDATION") is not None for record in given)
    for number, entry in enumerate(given, 1):
        text = _word(entry.get("comments"))
        if not text:
            corpus.left_out["entries without comments"] += 1
        elif entry.get("IS_META_REVIEW") or entry.get("is_meta_review"):
            chairs.append(text)
        elif graded and entry.get("RECOMMENDATION") is None:
            corpus.left_out["comments without a recommendation, beside reviews that have one"] += 1
        else:
            reviews.append(_review(name, number, {"text": text}, entry))
    said = {review["text"] for review in reviews}
    return _Entry(paper, usable, reviews, [chair for chair in chairs if chair not in said])


def _parsed(metadata: Mapping[str, Any], paper: Mapping[str, Any]) -> dict[str, Any]:
    """What Science Parse made of a PDF."""
    sections = [
        {"title": _word(record.get("heading")), "text": _word(record.get("text"))}
        for record in _list(metadata.get("sections"))
    ]
    abstract = _word(metadata.get("abstractText")) or paper.get("abstract") or ""
    first = [{"title": "Abstract", "text": abstract}] if abstract else []
    kept = [section for section in sections if section["title"] or section["text"]]
    year = metadata.get("year")
    return {
        "title": paper.get("title") or _word(metadata.get("title")),
        "abstract": abstract,
        "sections": [*first, *kept] if kept else [],
        "year": year if isinstance(year, int) else None,
    }


def _nlpeer(file: Path, root: Path, corpus: ConvertedCorpus) -> _Entry:
    version = file.parent
    name = _name(version.parent, root, "data")
    meta = _json(version / "meta.json", dict) if (version / "meta.json").is_file() else {}
    paper: dict[str, Any] = {"paper_id": name, "title": _word(meta.get("title"))}
    pdf = version / "paper.pdf"
    if (version / "paper.itg.json").is_file():
        paper |= _graph(_either(version / "paper.itg.json", pdf))
    usable = pdf if not paper.get("text") and pdf.is_file() else None
    if not paper.get("text") and usable is None:
        raise InputError("has neither paper.itg.json nor paper.pdf", file=file, cure="add one")
    reviews = []
    for number, record in enumerate(_list(_json(file, list)), 1):
        report = record.get("report")
        boxes = (
            {str(key): _word(value) for key, value in report.items() if _word(value)}
            if isinstance(report, Mapping)
            else {}
        )
        if not boxes:
            corpus.left_out["reviews without a report"] += 1
            continue
        words = {"text": boxes["main"]} if list(boxes) == ["main"] else {"sections": boxes}
        scores = record.get("scores")
        given = {**record, **scores} if isinstance(scores, Mapping) else record
        reviews.append(_review(name, number, words, given))
    return _Entry(paper, usable, reviews, [])


def _graph(graph: Mapping[str, Any]) -> dict[str, Any]:
    """The text of an intertext graph: its nodes in the order in which they stand."""
    nodes = list(_list(graph.get("nodes")))
    parts = []
    for node in nodes:
        kind, text = node.get("ntype"), _word(node.get("content"))
        if kind in ("heading", *_TEXT_NODES) and text:
            parts.append(text)
    titles = [_word(node.get("content")) for node in nodes if node.get("ntype") == "title"]
    record: dict[str, Any] = {"text": "\n\n".join(parts)}
    return {**record, "title": titles[0]} if titles and titles[0] else record


def _review(
    paper: str, number: int, words: Mapping[str, Any], given: Mapping[str, Any]
) -> dict[str, Any]:
    scores = {
        name: next((given[name] for name in names if given.get(name) is not None), None)
        for name, names in _SCORES.items()
    }
    signed = _ANONYMOUS.search(_word(given.get("OTHER_KEYS")))
    return {
        "review_id": f"{paper}-R{number}",
        "paper_id": paper,
        "reviewer": signed[0] if signed else f"R{number}",
        **words,
        **{name: _score(value) for name, value in scores.items()},
        "date": _word(given.get("DATE")),
    }


def _score(value: object) -> float | str | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except ValueError:
        return str(value)


def _name(place: Path, root: Path, without: str) -> str:
    """A paper's id: its path below the corpus, without folders that all papers share."""
    parts = [part for part in place.relative_to(root).parts if part != without]
    return "-".join(parts)


def _either(parsed: Path, pdf: Path) -> Mapping[str, Any]:
    """A parsed paper; empty if it is damaged and its PDF is there."""
    try:
        record: Mapping[str, Any] = _json(parsed, dict)
    except InputError:
        if not pdf.is_file():
            raise
        return {}
    return record


def _json(file: Path, kind: type) -> Any:
    try:
        value = load_json(read_bounded(file, in_force().text).decode("utf-8-sig"))
    except UnusableJsonError as error:
        raise error.of_input(file) from error
    except ValueError as error:
        raise InputError(f"is not JSON: {error}", file=file, cure="take the file out") from error
    if not isinstance(value, kind):
        raise InputError(f"is {type(value).__name__}, not {kind.__name__}", file=file)
    return value


def _list(value: object) -> Iterator[Mapping[str, Any]]:
    yield from (
        (record for record in value if isinstance(record, Mapping))
        if isinstance(value, list)
        else ()
    )


def _word(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _decision(accepted: object) -> str | None:
    return None if not isinstance(accepted, bool) else "Accept" if accepted else "Reject"


_OF_REVIEW = (
    "review_id", "reviewer", "rating", "confidence", "author_response", "date",
)  # fmt: skip
_OF_PAPER = ("title", "abstract", "text", "pdf", "venue", "year", "decision")
_WORDS = ("title", "abstract", "text", "venue", "decision")
_BOX = "review"
"""Name of the whole review where it is in one column."""
_WHOLE = re.compile(r"\d+\.0")
_PAPER_FILES = (".pdf", ".txt", ".md", ".json")


@dataclass(frozen=True)
class ColumnMap:
    """Which column of a table holds what.

    Attributes:
        of: Column by what it holds: ``paper_id``, ``review``, fields of papers and reviews, and
            any other name, which is a box of the form (``weaknesses``, ``questions``).
    """

    of: Mapping[str, str]

    @classmethod
    def read(cls, table: Path, names: list[str], given: Mapping[str, str]) -> ColumnMap:
        """What the user says of the columns; the rest by our own names and those of boxes.

        Raises:
            InputError: A column that was named is not there, or none holds papers' ids or text.
        """
        there = {_plain_column(name): name for name in names}
        by_key = {}
        for ours, theirs in given.items():
            _check_name(ours, table)
            if _plain_column(theirs) not in there:
                raise InputError(
                    f"has no column '{theirs}'", file=table, cure=f"there are: {', '.join(names)}"
                )
            by_key[ours] = there[_plain_column(theirs)]
        taken = set(by_key.values())
        for ours in ("paper_id", _BOX, *_OF_REVIEW, *_OF_PAPER):
            if ours not in by_key and (name := there.get(ours)) and name not in taken:
                by_key[ours] = name
        taken = set(by_key.values())
        for plain, name in there.items():
            if name not in taken and known_role(name) not in (None, Role.SCORES, Role.IGNORE):
                by_key[plain] = name
        columns = cls(by_key)
        if "paper_id" not in by_key or not columns.boxes:
            lacks = "paper_id" if "paper_id" not in by_key else _BOX
            raise InputError(
                f"no column holds `{lacks}`",
                file=table,
                cure=f"say which one: --columns {lacks}=NAME, of {', '.join(names)}",
            )
        return columns

    @property
    def boxes(self) -> tuple[str, ...]:
        """What holds the reviewer's words."""
        known = {"paper_id", *_OF_REVIEW, *_OF_PAPER}
        return tuple(name for name in self.of if name not in known)

    def value(self, row: Mapping[str, object], name: str) -> object:
        """A cell; None if there is no such column, or nothing in it."""
        item = row.get(self.of[name]) if name in self.of else None
        empty = item is None or item != item or not str(item).strip()  # noqa: PLR0124 - NaN
        return None if empty else item


def _check_name(ours: str, table: Path) -> None:
    """A name of ours that is misspelt would be taken for a box of the form.

    Raises:
        InputError: It is none of ours, and like one.
    """
    known = ("paper_id", _BOX, *_OF_REVIEW, *_OF_PAPER)
    close = get_close_matches(ours, known, n=1, cutoff=0.8)
    if ours not in known and close and known_role(ours) is None:
        raise InputError(
            f"--columns: '{ours}' is not known", file=table, cure=f"did you mean '{close[0]}'?"
        )


def convert_table(
    table: Path,
    given: Mapping[str, str],
    out: Path,
    *,
    papers: Path | None = None,
) -> ConvertedCorpus:
    """Write a table's reviews as data that other verbs read.

    A paper's text is in the table too (columns ``text`` or ``pdf``), or in a folder of files named
    by the papers' ids.

    Args:
        table: CSV, TSV, Excel, OpenDocument, JSONL or Parquet.
        given: Columns by what they hold, see `ColumnMap`.
        out: The folder.
        papers: Folder of the papers' files; PDFs and texts in it are copied.

    Raises:
        InputError: The table cannot be read, or a column is missing.
        RunFolderError: The folder holds other things, or cannot be written.
    """
    rows = _rows(table)
    if not rows:
        raise InputError("holds no rows", file=table, cure="write one review a row")
    names = [
        fromkey for fromkey in dict.fromkeys(name for _, row in rows for name in row) if fromkey
    ]
    columns = ColumnMap.read(table, names, given)
    corpus = ConvertedCorpus(unused=[name for name in names if name not in columns.of.values()])
    known: set[str] = set()
    ids: dict[str, int] = {}
    with DataFolder(out) as folder:
        for line, row in rows:
            try:
                review = _checked(columns, row, ids, (table, line))
                paper = str(review["paper_id"])
                if paper not in known:
                    folder.add(PAPERS, _paper(columns, row, paper, papers, out, (table, line)))
                    known.add(paper)
            except InputError as error:
                corpus.faults.append(error)
            else:
                ids[str(review["review_id"])] = line
                folder.add(REVIEWS, review)
        folder.check(corpus.faults, table)
        folder.account({"source": "table", "file": table.name, "columns": dict(columns.of)})
        corpus.papers, corpus.reviews = folder.written[PAPERS], folder.written[REVIEWS]
    return corpus


def _rows(table: Path) -> list[tuple[int, Mapping[str, object]]]:
    if table.suffix.lower() not in ENDINGS:
        raise InputError("is no table", file=table, cure=f"give {', '.join(ENDINGS)}")
    check_size(table, in_force().table)
    return list(table_rows(table))


def _checked(
    columns: ColumnMap, row: Mapping[str, object], ids: Mapping[str, int], place: tuple[Path, int]
) -> dict[str, Any]:
    """The record of a review.

    Raises:
        InputError: The row cannot be used.
    """
    table, line = place
    check_overflow(row, table, line)
    paper = _bare(_text(columns.value(row, "paper_id")))
    if not paper:
        raise InputError("names no paper", file=table, line=line, field="paper_id")
    usual = f"{paper}/{line}"
    while usual in ids:  # tabs of one file number their rows alike
        usual += "+"
    review = _review_of_row(columns, row, paper, usual)
    if review is None:
        raise InputError("holds no review", file=table, line=line, field=_BOX)
    if (name := str(review["review_id"])) in ids:
        cure = "give every review its own"
        raise also_on(name, ids[name], file=table, line=line, field="review_id", cure=cure)
    return review


def _review_of_row(
    columns: ColumnMap, row: Mapping[str, object], paper: str, usual: str
) -> dict[str, Any] | None:
    boxes = {name: _text(columns.value(row, name)) for name in columns.boxes}
    filled = {name: text for name, text in boxes.items() if text}
    if not filled:
        return None
    record: dict[str, Any] = {name: columns.value(row, name) for name in _OF_REVIEW}
    record |= {"paper_id": paper, "review_id": _text(record["review_id"]) or usual}
    record |= {name: _text(record[name]) for name in ("reviewer", "date", "author_response")}
    record["reviewer"] = _pseudonym(record["reviewer"])
    whole = list(filled) == [_BOX]
    return {**record, **({"text": filled[_BOX]} if whole else {"sections": filled})}


def _paper(
    columns: ColumnMap,
    row: Mapping[str, object],
    paper: str,
    papers: Path | None,
    out: Path,
    place: tuple[Path, int],
) -> dict[str, Any]:
    """The record of a paper, its file copied into the folder.

    Raises:
        InputError: There is neither a text nor a file.
    """
    record: dict[str, Any] = {name: columns.value(row, name) for name in _OF_PAPER}
    record |= {name: _text(record[name]) for name in _WORDS}
    record["paper_id"] = paper
    if record["text"]:
        return {**record, "pdf": None}
    folder = papers or place[0].parent
    names = [record["pdf"]] if record["pdf"] else [f"{paper}{ending}" for ending in _PAPER_FILES]
    for name in names:
        file = folder / str(name)
        try:
            inside = file.resolve().is_relative_to(folder.resolve()) and file.is_file()
        except (OSError, ValueError):  # a name that no file can have
            inside = False
        if inside:
            return {**record, **_copied(file, paper, out)}
    raise InputError(
        f"there is no text of paper '{paper}'",
        file=place[0],
        line=place[1],
        field="text",
        cure=f"give a column text or pdf, or {names[0]} in the folder --papers",
    )


def _copied(file: Path, paper: str, out: Path) -> dict[str, Any]:
    from reviewscore.papers.load import load_paper

    if file.suffix.lower() != ".pdf":
        return {"text": load_paper(file).text, "pdf": None}
    return {"pdf": copied(file, out, paper).as_posix()}


def _pseudonym(name: str) -> str:
    """A reviewer's name as it is kept: of an e-mail address its sum, which is always the same."""
    if "@" not in name:
        return name
    return f"R-{sha256(name.strip().lower().encode('utf-8', 'replace')).hexdigest()[:8]}"


def _plain_column(name: str) -> str:
    return plain_name(name).replace(" ", "_")


def _bare(name: str) -> str:
    """An identifier; a whole number that passed through a table of numbers is one again."""
    return name.removesuffix(".0") if _WHOLE.fullmatch(name) else name


def _text(value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return "" if value is None else str(value).strip()
