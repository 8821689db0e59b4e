"""Corpora of peer reviews in their published layouts: PeerRead and NLPeer.

PeerRead (Kang et al. 2018, arXiv 1804.09635): ``<venue>/<split>/reviews/<id>.json`` with
``parsed_pdfs/<id>.pdf.json`` and ``pdfs/<id>.pdf`` beside them. NLPeer (Dycke et al. 2023, arXiv
2211.06651): ``<dataset>/data/<paper>/v1/`` with ``meta.json``, ``reviews.json``,
``paper.itg.json`` and ``paper.pdf``; the first version is the one that was reviewed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reviewscore.bounds import in_force, read_bounded
from reviewscore.errors import InputError
from reviewscore.json_text import UnusableJsonError, load_json
from reviewscore.sources.data_folder import METAREVIEWS, PAPERS, REVIEWS, DataFolder, copied

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
class Converted:
    """What came of a corpus.

    Attributes:
        papers: Papers written.
        reviews: Reviews written.
        faults: Papers that were left out, and why.
        left_out: Reviews that were left out, by reason.
    """

    papers: int = 0
    reviews: int = 0
    faults: list[InputError] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)


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


def convert_corpus(path: Path, out: Path) -> Converted:
    """Write a corpus as data that other verbs read; its layout is known by its files.

    Args:
        path: The corpus, or one of its venues or splits.
        out: The folder.

    Raises:
        InputError: It has neither layout.
        RunFolderError: The folder holds other things, or cannot be written.
    """
    files = _review_files(path)
    told = Converted()
    with DataFolder(out) as folder:
        for file in files:
            try:
                entry = (_nlpeer if file.name == "reviews.json" else _peerread)(file, path, told)
                _write(entry, folder, out)
            except InputError as error:
                told.faults.append(error)
        folder.check(told.faults, path)
        folder.account({"source": "corpus", "file": path.name})
        told.papers, told.reviews = folder.written[PAPERS], folder.written[REVIEWS]
    return told


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


def _peerread(file: Path, root: Path, told: Converted) -> _Entry:
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
    graded = any(one.get("RECOMMENDATION") is not None for one in given)
    for number, one in enumerate(given, 1):
        text = _word(one.get("comments"))
        if not text:
            told.left_out["entries without comments"] += 1
        elif one.get("IS_META_REVIEW") or one.get("is_meta_review"):
            chairs.append(text)
        elif graded and one.get("RECOMMENDATION") is None:
            told.left_out["comments without a recommendation, beside reviews that have one"] += 1
        else:
            reviews.append(_review(name, number, {"text": text}, one))
    said = {one["text"] for one in reviews}
    return _Entry(paper, usable, reviews, [one for one in chairs if one not in said])


def _parsed(metadata: Mapping[str, Any], paper: Mapping[str, Any]) -> dict[str, Any]:
    """What Science Parse made of a PDF."""
    sections = [
        {"title": _word(one.get("heading")), "text": _word(one.get("text"))}
        for one in _list(metadata.get("sections"))
    ]
    abstract = _word(metadata.get("abstractText")) or paper.get("abstract") or ""
    first = [{"title": "Abstract", "text": abstract}] if abstract else []
    kept = [one for one in sections if one["title"] or one["text"]]
    year = metadata.get("year")
    return {
        "title": paper.get("title") or _word(metadata.get("title")),
        "abstract": abstract,
        "sections": [*first, *kept] if kept else [],
        "year": year if isinstance(year, int) else None,
    }


def _nlpeer(file: Path, root: Path, told: Converted) -> _Entry:
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
    for number, one in enumerate(_list(_json(file, list)), 1):
        report = one.get("report")
        boxes = (
            {str(key): _word(value) for key, value in report.items() if _word(value)}
            if isinstance(report, Mapping)
            else {}
        )
        if not boxes:
            told.left_out["reviews without a report"] += 1
            continue
        words = {"text": boxes["main"]} if list(boxes) == ["main"] else {"sections": boxes}
        scores = one.get("scores")
        given = {**one, **scores} if isinstance(scores, Mapping) else one
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
    titles = [_word(one.get("content")) for one in nodes if one.get("ntype") == "title"]
    found: dict[str, Any] = {"text": "\n\n".join(parts)}
    return {**found, "title": titles[0]} if titles and titles[0] else found


def _review(
    paper: str, number: int, words: Mapping[str, Any], given: Mapping[str, Any]
) -> dict[str, Any]:
    scores = {
        name: next((given[one] for one in names if given.get(one) is not None), None)
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
    parts = [one for one in place.relative_to(root).parts if one != without]
    return "-".join(parts)


def _either(parsed: Path, pdf: Path) -> Mapping[str, Any]:
    """A parsed paper; empty if it is damaged and its PDF is there."""
    try:
        found: Mapping[str, Any] = _json(parsed, dict)
    except InputError:
        if not pdf.is_file():
            raise
        return {}
    return found


def _json(file: Path, kind: type) -> Any:
    try:
        found = load_json(read_bounded(file, in_force().text).decode("utf-8-sig"))
    except UnusableJsonError as error:
        raise error.of_input(file) from error
    except ValueError as error:
        raise InputError(f"is not JSON: {error}", file=file, cure="take the file out") from error
    if not isinstance(found, kind):
        raise InputError(f"is {type(found).__name__}, not {kind.__name__}", file=file)
    return found


def _list(value: object) -> Iterator[Mapping[str, Any]]:
    yield from (one for one in value if isinstance(one, Mapping)) if isinstance(value, list) else ()


def _word(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _decision(accepted: object) -> str | None:
    return None if not isinstance(accepted, bool) else "Accept" if accepted else "Reject"
