"""Runs over papers in files: PDFs are read ahead, bad ones are named, hidden text stays out."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from reviewscore.cli.audit import lines
from reviewscore.config import Settings, resolve
from reviewscore.errors import InputError
from reviewscore.report.html import write_report
from reviewscore.report.lines import summary_lines
from reviewscore.report.markdown import markdown_report
from reviewscore.report.role_pages import write_for
from reviewscore.report.roles import Reader
from reviewscore.report.summary import summarise
from reviewscore.runs.audit import audit
from reviewscore.runs.estimate import CostEstimate, estimate
from reviewscore.runs.folder import read_manifest, read_points
from reviewscore.runs.scoring import Papers
from reviewscore.schema.point_score import Status
from reviewscore.sources.collection import Collection, read_collection, read_papers
from reviewscore.sources.lazy_papers import PaperHandle
from tests.conftest import PAPER
from tests.loopback import Loopback
from tests.papers.pdfs import SECRET, bomb, make

REFERENCE = "Listening to ponds"
DETAIL = "The green frogs of the pond were numbered by hand in May."


def set_paper(path: Path, *, hidden: str = "") -> Path:
    """The frogs' paper on two pages, with hidden words on the first."""
    more = [f"Each number was written on a leaf of the plant of kind {n}." for n in "abcdefgh"]
    words = [*PAPER.splitlines(), "", "A Further Details", DETAIL, *more]
    halves = (words[:17], words[17:])

    def draw(canvas: Canvas, page: int) -> None:
        for number, line in enumerate(halves[page]):
            canvas.drawString(72, 740 - 14 * number, line)
        if page == 0 and hidden:
            canvas.setFillColorRGB(1, 1, 1)
            canvas.drawString(72, 200, hidden)

    return make(path, draw, pages=2)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Four papers: one whole, one with hidden words, one bomb, one web page; a review of each."""
    folder = tmp_path / "data"
    folder.mkdir()
    set_paper(folder / "good.pdf")
    set_paper(folder / "sly.pdf", hidden=SECRET)
    (folder / "page.pdf").write_text("<!DOCTYPE html><html>403</html>")
    bomb(folder / "bomb.pdf")
    names = ["page", "good", "bomb", "sly"]
    papers = [{"paper_id": one, "title": "Counting Frogs", "file": f"{one}.pdf"} for one in names]
    question = "- Does the counter fail in heavy rain, and in which country was it tested?"
    reviews = [
        {"review_id": f"r-{one}", "paper_id": one, "sections": {"questions": question}}
        for one in names
    ]
    for name, records in (("papers", papers), ("reviews", reviews)):
        text = "".join(json.dumps(one) + "\n" for one in records)
        (folder / f"{name}.jsonl").write_text(text)
    return folder


def test_bad_pdfs_are_named_and_the_others_are_judged(data: Path, tmp_path: Path) -> None:
    collection = read_collection(data)

    outcome = audit(collection, tmp_path / "run", resolve({}), data=data)

    assert outcome.failed == 2
    errors = (tmp_path / "run" / "errors.jsonl").read_text()
    assert "page.pdf: is a web page saved as a PDF" in errors
    assert "bomb.pdf: makes the PDF reader crash, or needs more memory" in errors
    points = list(read_points(tmp_path / "run"))
    assert {one.paper_id for one in points} == {"good", "sly"}
    assert {one.status for one in points} == {Status.UNSCORED}
    assert {file.name for file in collection.files} >= {"good.pdf", "bomb.pdf"}


def test_evidence_names_its_page_and_the_report_says_it(data: Path, tmp_path: Path) -> None:
    collection = read_collection(data)
    run = tmp_path / "run"
    audit(collection, run, resolve({"paper": ("good",)}), data=data)

    quotes = [quote for point in read_points(run) for quote in point.passages]
    assert any("heavy rain" in quote.quote and quote.page == 2 for quote in quotes)
    (page, *_) = write_report(
        run, collection.paper, {r.review_id: r for r in collection.reviews}.__getitem__
    )
    assert "4 Limitations, p. 2" in page.read_text()


def test_doubtful_papers_stand_in_the_account_and_the_head_of_the_report(
    data: Path, tmp_path: Path
) -> None:
    collection = read_collection(data)
    run = tmp_path / "run"
    audit(collection, run, resolve({"paper": ("good", "sly")}), data=data)

    manifest = read_manifest(run)
    assert manifest.doubtful == ("sly",)
    (warning,) = [one for one in manifest.warnings if one.startswith("paper 'sly'")]
    assert "p. 1, box 72" in warning
    assert SECRET in warning
    (page, *_) = write_report(run, collection.paper, None)
    assert "Papers to look at first: 1 of 2 (sly)" in page.read_text()
    assert "Papers to look at first: 1 of 2" in markdown_report(run)


@pytest.mark.parametrize(
    ("parts", "references", "appendix"),
    [("auto", False, True), ("main", False, False), ("all", True, True)],
)
def test_hidden_words_and_cut_parts_never_reach_a_model(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parts: str, references: bool,
    appendix: bool, server: Loopback) -> None:  # fmt: skip
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    model = {"model": "openai/loopback", "base_url": server.url}
    settings = {**model, "paper": ("sly",), "paper_parts": parts}

    audit(read_collection(data), tmp_path / "run", resolve(settings), data=data)

    asked = [json.dumps(body) for body in server.bodies]
    assert not [one for one in asked if SECRET in one]
    with_paper = [one for one in asked if "windows of two seconds" in one]
    assert with_paper
    for one in with_paper:
        assert (REFERENCE in one) == references
        assert (DETAIL in one) == appendix
    unread = read_manifest(tmp_path / "run").unread
    cut = {part for paper in unread.values() for part in paper.parts}
    left_out = {"references"} if not references else set()
    assert cut == left_out | ({"appendix"} if not appendix else set())


@pytest.mark.parametrize("model", ["lexical", "openai/loopback"])
def test_what_was_cut_is_said_on_the_terminal_in_the_manifest_and_on_every_page(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, server: Loopback
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    collection, run = read_collection(data), tmp_path / "run"
    settings = {"model": model, "base_url": server.url, "paper": ("good",), "paper_parts": "main"}

    audit(collection, run, resolve(settings), data=data)

    cut = read_manifest(run).unread["good"]
    assert list(cut.parts) == ["references", "appendix"]
    assert len(collection.paper("good").text) == cut.characters
    words = f"{sum(cut.parts.values())} of their {cut.characters:,} characters"
    assert any(words in line for line in summary_lines(summarise(run)))
    (page, *_) = write_report(run, collection.paper, None)
    assert page.read_text().count(words) == 1
    assert f"appendix ({cut.parts['appendix']} characters)" in page.read_text()
    assert words in markdown_report(run)
    for reader in Reader:
        *_, sheet = write_for(run, reader, out=tmp_path / f"{reader.value}.html")
        assert "Not read by the judge: references" in sheet.read_text()


def test_the_embedded_judge_reads_the_appendix_of_a_pdf_and_says_what_it_did_not_read(
    data: Path, tmp_path: Path
) -> None:
    file = data / "reviews.jsonl"
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    question = "- How were the green frogs of the pond numbered?"
    rows = [{**row, "sections": {"questions": question}} for row in rows]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))

    found = {}
    for parts in ("auto", "main"):
        settings = resolve({"paper": ("good",), "paper_parts": parts})
        audit(read_collection(data), tmp_path / parts, settings, data=data)
        (found[parts],) = read_points(tmp_path / parts)

    assert "numbered by hand" in found["auto"].passages[0].quote
    assert "the appendix was not read" in found["main"].rationale
    assert "the appendix was not read" not in found["auto"].rationale


def test_an_estimate_counts_what_is_shown_and_says_what_is_not(data: Path) -> None:
    def made(parts: str) -> CostEstimate:
        settings = {"model": "openai/gpt-4o", "paper": ("good",), "paper_parts": parts}
        return asyncio.run(estimate(read_collection(data), resolve(settings).settings))

    whole, auto, main = (made(parts) for parts in ("all", "auto", "main"))

    read = [one.command.input_tokens for one in (whole, auto, main) if one.command is not None]
    assert read == sorted(set(read), reverse=True)
    assert len(read) == 3
    assert whole.unread is None
    assert auto.unread is not None
    assert auto.unread.papers == {"references": 1}
    settings = resolve({"model": "openai/gpt-4o"}).settings
    assert any(
        "not read by the judge: references of 1 paper" in one for one in lines(auto, settings)
    )


def test_papers_in_files_are_read_ahead_once_and_failures_wait_for_their_turn() -> None:
    main = threading.get_ident()
    read: list[str] = []

    def load(name: str) -> object:
        read.append(name)
        assert threading.get_ident() != main
        if name == "bad":
            raise InputError("is damaged")
        from reviewscore.schema.paper import Paper

        return Paper(paper_id=name, title="", text="lamp", warnings=("odd",))

    handles = {
        name: PaperHandle(name, None, 1, lambda name=name: load(name), in_file=True)  # type: ignore[misc]
        for name in ("a", "bad", "b")
    }
    said: list[str] = []
    papers = Papers(Collection(handles, []), Settings(), said.append)

    async def use() -> None:
        papers.ahead(["a", "bad", "b", "unknown"])
        first, again = await asyncio.gather(papers.paper("a"), papers.paper("a"))
        assert first is again
        with pytest.raises(InputError, match="is damaged"):
            await papers.paper("bad")
        await papers.paper("b")

    asyncio.run(use())

    assert sorted(read) == ["a", "b", "bad"]
    assert papers.doubtful == ("a", "b")
    assert said == ["paper 'a': odd", "paper 'b': odd"]


@pytest.mark.parametrize("name", ["a.md", "a.txt", "a.tei.xml"])
def test_papers_may_lie_in_any_format(tmp_path: Path, name: str) -> None:
    tei = (
        '<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body><p>They burn.</p></body></text></TEI>'
    )
    (tmp_path / name).write_text(tei if name.endswith("xml") else "Lamps\n\nThey burn.\n")
    (tmp_path / "papers.jsonl").write_text(json.dumps({"paper_id": "p", "file": name}))

    paper = read_papers(tmp_path).paper("p")

    assert "They burn." in paper.text
    assert paper.source == {"a.md": "markdown", "a.txt": "text", "a.tei.xml": "tei"}[name]


@pytest.mark.parametrize("field", ["file", "pdf"])
@pytest.mark.parametrize("name", ["../a.md", "none.md"])
def test_a_file_outside_or_missing_is_refused(tmp_path: Path, name: str, field: str) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    (tmp_path / "a.md").write_text("secret")
    (folder / "papers.jsonl").write_text(json.dumps({"paper_id": "p", field: name}))

    with pytest.raises(InputError, match=f"field '{field}'"):
        read_papers(folder)
