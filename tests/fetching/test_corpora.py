"""PeerRead's and NLPeer's layouts, with made-up papers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from reviewscore.sources.collection import read_collection
from tests.commands import Invoke
from tests.fetching.server import pdf

BODY = "We train a router that sends each token to one of two experts. " * 10


def write(file: Path, value: Any) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(value))


def peerread(root: Path) -> Path:
    split = root / "iclr_2017" / "dev"
    graded = {"comments": "No baseline.", "RECOMMENDATION": 4, "REVIEWER_CONFIDENCE": "3",
              "OTHER_KEYS": "ICLR 2017 conference AnonReviewer2", "DATE": "2016"}  # fmt: skip
    write(
        split / "reviews" / "7.json",
        {
            "title": "Router", "abstract": "On routers.", "accepted": True,
            "reviews": [
                graded,
                {"comments": "A question by a passer-by."},
                {"comments": "We agree: accept.", "IS_META_REVIEW": True},
                {"comments": "", "RECOMMENDATION": 1},
            ],
        },
    )  # fmt: skip
    sections = [{"heading": None, "text": "000 001"}, {"heading": "1 Introduction", "text": BODY}]
    write(
        split / "parsed_pdfs" / "7.pdf.json",
        {"name": "7.pdf", "metadata": {"title": "router", "year": 2016, "sections": sections}},
    )
    ungraded = [{"comments": "Thin.", "is_meta_review": None}, "nothing"]
    write(split / "reviews" / "8.json", {"title": "Two", "reviews": ungraded})
    (split / "pdfs").mkdir()
    (split / "pdfs" / "8.pdf").write_bytes(pdf())
    write(split / "reviews" / "9.json", {"reviews": [{"comments": "Where is it?"}]})
    (split / "reviews" / "10.json").write_text("{")
    return root


def test_peerread_is_read_with_meta_reviews_and_without_the_discussion(
    fetch: Invoke, tmp_path: Path
) -> None:
    ended = fetch("--from-corpus", peerread(tmp_path / "PeerRead"), "-o", tmp_path / "data")

    assert ended.exit_code == 3
    assert "2 papers, 2 reviews" in ended.stdout
    assert "9.json: has neither a parsed text nor a PDF" in ended.stderr
    assert "10.json: is not JSON" in ended.stderr
    assert "1 comments without a recommendation" in ended.stderr
    found = read_collection(tmp_path / "data")
    seven = next(one for one in found.reviews if one.paper_id == "iclr_2017-dev-7")
    assert (seven.reviewer, seven.rating, seven.confidence) == ("AnonReviewer2", 4.0, 3.0)
    paper = found.papers["iclr_2017-dev-7"].load()
    assert "1 Introduction" in paper.text
    assert found.papers["iclr_2017-dev-8"].load().text.startswith("Routing with Two Experts")
    (chair,) = (tmp_path / "data" / "metareviews.jsonl").read_text().splitlines()
    assert json.loads(chair)["meta_review"] == "We agree: accept."


def test_a_damaged_parse_is_made_good_by_the_pdf(fetch: Invoke, tmp_path: Path) -> None:
    split = peerread(tmp_path / "PeerRead") / "iclr_2017" / "dev"
    (split / "parsed_pdfs" / "8.pdf.json").write_text('{"name": ')

    ended = fetch("--from-corpus", tmp_path / "PeerRead", "-o", tmp_path / "data")

    assert "2 papers, 2 reviews" in ended.stdout
    assert "8.pdf.json" not in ended.stderr


def nlpeer(root: Path) -> Path:
    version = root / "ARR-22" / "data" / "abc" / "v1"
    nodes = [
        {"ix": "0", "ntype": "title", "content": "Router"},
        {"ix": "1", "ntype": "heading", "content": "1 Introduction"},
        {"ix": "2", "ntype": "paragraph", "content": BODY},
        {"ix": "3", "ntype": "bib_item", "content": "Somebody. 1999."},
    ]
    write(version / "paper.itg.json", {"nodes": nodes, "edges": []})
    write(version / "meta.json", {"title": "Router."})
    write(
        version / "reviews.json",
        [
            {"report": {"paper_summary": "S.", "summary_of_weaknesses": "No baseline."},
             "scores": {"overall": "3.5", "confidence": None}},
            {"report": {"main": "Thin."}, "scores": {}},
            {"report": None},
        ],
    )  # fmt: skip
    write(root / "ARR-22" / "data" / "abc" / "v2" / "reviews.json", [])
    return root


def test_nlpeer_is_read_in_its_reviewed_version(fetch: Invoke, tmp_path: Path) -> None:
    ended = fetch("--from-corpus", nlpeer(tmp_path / "NLPeer"), "-o", tmp_path / "data")

    assert ended.exit_code == 0, ended.stderr
    assert "1 paper, 2 reviews" in ended.stdout
    assert "1 reviews without a report" in ended.stderr
    found = read_collection(tmp_path / "data")
    assert found.reviews[0].fields["summary_of_weaknesses"] == "No baseline."
    assert found.reviews[0].rating == 3.5
    assert found.reviews[1].fields == {"text": "Thin."}
    paper = found.papers["ARR-22-abc"].load()
    assert paper.title == "Router"
    assert "Somebody" not in paper.text


def test_a_folder_that_is_no_corpus_is_refused(fetch: Invoke, tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()

    empty = fetch("--from-corpus", tmp_path / "x", "-o", tmp_path / "data")
    none = fetch("--from-corpus", tmp_path / "y", "-o", tmp_path / "data")

    assert (empty.exit_code, none.exit_code) == (2, 2)
    assert "is no corpus of reviews that is known" in empty.stderr
    assert "there is no such folder" in none.stderr
