"""Pages of PDFs in the app: marks, what is kept, who gets which picture, and text instead."""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas
from starlette.testclient import TestClient

import reviewscore as rs
from reviewscore.errors import InputError
from reviewscore.papers.hidden import Hidden, Trick
from reviewscore.papers.page_places import PageBox
from reviewscore.runs.paper_offsets import RunByPaper
from reviewscore.schema.paper import Paper
from reviewscore.view import page_store
from reviewscore.view.app import build_app
from reviewscore.view.context import View
from reviewscore.view.open_run import OpenRuns
from reviewscore.view.page_store import PageStore
from reviewscore.view.pdf_pages import (
    MarkKind,
    PaperMark,
    hidden_marks,
    located,
    pane_pages,
    passage_at,
    text_sections,
)
from reviewscore.view.people import People
from reviewscore.view.shelf import Shelf
from tests.papers.pdfs import make, prose, with_trick

HOST = "http://127.0.0.1:8793"
HOSTILE = "p<script>&\"'/../x?n=2#y"
WEAKNESS = "Nothing says how long the lamp of the quiet town burned in a whole winter night."


def two_pages(canvas: Canvas, page: int) -> None:
    canvas.drawString(72, 740, "1 Introduction" if page == 0 else "2 Results")
    prose(canvas, page)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Papers with a PDF that is read, one beside a text, one that is damaged, and none."""
    folder = tmp_path / "data"
    folder.mkdir()
    make(folder / "read.pdf", two_pages, pages=2)
    make(folder / "beside.pdf", two_pages, pages=2)
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing of the kind")
    text = "# Lamps\n\n" + "\n".join(
        f"Lamp {line} of sheet {page} burned for a *whole* winter night in the quiet town."
        for page in (0, 1)
        for line in range(20)
    )
    papers = [
        {"paper_id": "read", "title": "Lamps", "pdf": "read.pdf"},
        {"paper_id": "beside", "title": "Lamps <b>again</b>", "text": text},
        {"paper_id": "broken", "title": "Broken", "text": text},
        {"paper_id": HOSTILE, "title": "None", "text": text},
    ]
    reviews = [
        {"review_id": f"r{number}", "paper_id": paper["paper_id"], "weaknesses": WEAKNESS}
        for number, paper in enumerate(papers)
    ]
    for name, rows in (("papers", papers), ("reviews", reviews)):
        (folder / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return folder


@pytest.fixture
def run(data: Path, tmp_path: Path) -> Path:
    rs.audit(data, tmp_path / "runs" / "a", model="lexical")
    return tmp_path / "runs" / "a"


@pytest.fixture
def client(run: Path, tmp_path: Path) -> Iterator[TestClient]:
    view = View(OpenRuns(Shelf(run.parent)), People(run.parent), tmp_path / "cache")
    with TestClient(build_app(view), base_url=HOST) as found:
        assert found.get(f"/enter/{view.people.secret}").status_code == 200
        yield found


def address(client: TestClient, paper: str, kind: str) -> str:
    """Where a paper is shown in the only run, as pages link to it."""
    page = client.get("/").text
    links = [
        link.replace("&#39;", "'") for link in re.findall(r'href="(/run/[^"]*/paper/[^"?]*)', page)
    ]
    assert len(links) == 4
    wanted = {"read": "/read", "beside": "/beside", "broken": "/broken"}.get(paper, "script")
    return next(link for link in links if wanted in link).replace("/paper/", f"/{kind}/")


@pytest.mark.parametrize("paper", ["read", "beside"])
def test_a_paper_is_shown_by_its_pages_with_marks_that_lead_back(
    client: TestClient, paper: str
) -> None:
    page = client.get(address(client, paper, "paper")).text

    pictures = re.findall(r'<img [^>]*alt="(Page \d)"', page)
    assert pictures == ["Page 1", "Page 2"]
    names = set(re.findall(r'id="(m-\d+-\d+)" class="on-page quote"', page))
    jumps = re.findall(r'data-start="(\d+)" data-end="(\d+)"', page)
    assert jumps
    assert {f"m-{start}-{end}" for start, end in jumps} <= names
    assert re.search(r'data-card="(p-\w+)"', page)[1] in re.findall(
        r'<article [^>]*id="(p-\w+)"', page
    )  # type: ignore[index]
    assert 'style="' not in page.split('id="pane-view"')[1].split("points-side")[0]


def test_a_picture_is_kept_by_the_browser_of_who_may_see_it(client: TestClient) -> None:
    link = address(client, "read", "page")

    picture = client.get(f"{link}?n=2&size=1")
    again = client.get(f"{link}?n=2&size=1", headers={"if-none-match": picture.headers["etag"]})
    page = client.get(link.replace("/page/", "/paper/"))

    assert picture.content.startswith(b"\x89PNG")
    assert picture.headers["cache-control"] == "private, max-age=3600"
    assert (again.status_code, again.content) == (304, b"")
    assert page.headers["cache-control"] == "no-store"
    client.cookies.clear()
    assert client.get(f"{link}?n=2&size=1").status_code == 403


NO_PAGES = ("n=0", "n=3", "n=-1", "n=1e3", "n=9999999999", "n=%D9%A1", "n=1&size=9", "n=1&size=x")
NO_PAPERS = ("..%2Fread", "../../../etc/passwd", "read.pdf", "%2Fetc%2Fpasswd", "x", "read%00")


def test_there_is_no_page_beyond_the_paper_and_no_other_size(client: TestClient) -> None:
    link = address(client, "read", "page")

    assert {query: client.get(f"{link}?{query}").status_code for query in NO_PAGES} == (
        dict.fromkeys(NO_PAGES, 404)
    )


def test_a_paper_is_known_by_its_identifier_and_never_by_a_path(client: TestClient) -> None:
    for kind in ("page", "pane"):
        base = address(client, "read", kind).removesuffix("read")

        assert {name: client.get(base + name).status_code for name in NO_PAPERS} == (
            dict.fromkeys(NO_PAPERS, 404)
        )


def test_a_pdf_outside_of_the_data_is_never_opened(
    data: Path, run: Path, tmp_path: Path, client: TestClient
) -> None:
    outside = make(tmp_path / "secret.pdf", two_pages, pages=2)
    (data / "beside.pdf").unlink()
    (data / "beside.pdf").symlink_to(outside)
    link = address(client, "beside", "page")

    assert client.get(f"{link}?n=1").status_code == 404
    assert "<img" not in client.get(link.replace("/page/", "/pane/")).text


def test_a_damaged_pdf_gives_way_to_the_text_and_it_is_said_why(client: TestClient) -> None:
    shown = client.get(address(client, "broken", "paper")).text

    assert "Its PDF is not shown: it cannot be drawn" in shown
    assert '<mark class="quote"' in shown
    assert client.get(f"{address(client, 'broken', 'page')}?n=1").status_code == 404


def test_text_is_shown_where_asked_for_or_where_there_is_no_pdf(client: TestClient) -> None:
    alone = client.get(address(client, HOSTILE, "paper")).text
    text = client.get(f"{address(client, 'beside', 'pane')}?as=text").text

    assert "It has no PDF." in alone
    assert "<script>&" not in alone
    assert "<img" not in text
    assert ">Pages</a>" in text
    assert "Lamps &lt;b&gt;again&lt;/b&gt;" in text


def test_a_runs_papers_have_the_pdfs_of_its_data(data: Path, run: Path) -> None:
    by_paper = RunByPaper(run)

    with (
        by_paper.pdf("read") as read,
        by_paper.pdf("beside") as beside,
        by_paper.pdf(HOSTILE) as no,
    ):
        assert (read, beside, no) == (data / "read.pdf", data / "beside.pdf", None)
    with pytest.raises(KeyError):
        by_paper.pdf("unknown")


def test_a_page_is_drawn_once_and_kept_in_private(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pdf = make(tmp_path / "a.pdf", two_pages, pages=2)
    first = PageStore(tmp_path / "kept").page(pdf, 2)
    monkeypatch.setattr(page_store, "drawn_page", None)

    later = PageStore(tmp_path / "kept").page(pdf, 2)

    assert first == later
    assert stat.S_IMODE((tmp_path / "kept").stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in (tmp_path / "kept").iterdir()} == {0o600}


def test_another_content_of_the_file_is_another_page(tmp_path: Path) -> None:
    store, pdf = PageStore(tmp_path / "kept"), make(tmp_path / "a.pdf", two_pages)
    before, name = store.page(pdf, 1), store.name(pdf)
    make(pdf, lambda canvas, page: canvas.drawString(72, 300, "Something else."))

    assert store.name(pdf) != name
    assert store.page(pdf, 1) != before


def test_what_is_held_stays_within_its_bounds(tmp_path: Path) -> None:
    pdf = make(tmp_path / "a.pdf", two_pages, pages=5)
    size = len(PageStore(None).page(pdf, 1))
    store = PageStore(tmp_path / "kept", memory=3 * size, disk=2 * size)

    for number in (1, 2, 3, 4, 5, 1):
        store.page(pdf, number)
        assert store.size <= 3 * size
    store._tidy(tmp_path / "kept")

    assert sum(file.stat().st_size for file in (tmp_path / "kept").iterdir()) <= 2 * size


def test_a_file_that_was_refused_is_not_tried_at_once_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pdf = tmp_path / "broken.pdf"
    pdf.write_bytes(b"%PDF-1.7\nnothing of the kind")
    store = PageStore(None)
    with pytest.raises(InputError, match="cannot be drawn"):
        store.page(pdf, 1)
    monkeypatch.setattr(page_store, "page_places", None)

    with pytest.raises(InputError, match="cannot be drawn"):
        store.page(pdf, 1)


def test_hidden_text_is_marked_with_its_trick(tmp_path: Path) -> None:
    pdf, store = with_trick(tmp_path / "sly.pdf", "off the page"), PageStore(None)

    assert store.hidden(pdf, wait=False) is None
    (mark,) = located(store, pdf, hidden_marks(store.hidden(pdf) or ()))
    assert store.hidden(pdf, wait=False) is not None
    assert mark.kind is MarkKind.HIDDEN
    assert mark.title.startswith("Hidden text, outside of the page: “Dear machine")
    assert [box.page for box in mark.boxes] == [2]
    assert hidden_marks([Hidden(text="a b c", trick=Trick.TAGS)]) == []


def test_a_passage_over_two_pages_is_marked_on_both_under_two_names() -> None:
    boxes = tuple(PageBox(page=page, left=1, top=1, width=9, height=1) for page in (1, 2))
    mark = PaperMark("m-1-9", MarkKind.QUOTE, "Passage", ("p-1",), boxes=boxes)

    first, second, third = pane_pages([(612, 792)] * 3, [mark], "/x?n=")

    assert [one.element for one in (*first.marks, *second.marks)] == ["m-1-9", "m-1-9-p2"]
    assert third.marks == ()
    assert (second.link, second.pixels[1]) == ("/x?n=2", 935)


def test_text_keeps_every_character_whatever_is_marked() -> None:
    paper = Paper(paper_id="p", title="t", text="one two three four")

    def mark(start: int, end: int) -> PaperMark:
        return PaperMark(f"m-{start}-{end}", MarkKind.QUOTE, "x", ("p-1",), start, end)

    marks = [mark(0, 9), mark(4, 13), mark(4, 7), mark(14, 18)]
    (section,) = text_sections(paper, marks)

    assert "".join(piece.text for piece in section.body) == paper.text
    assert [one for piece in section.body for one in piece.begins] == marks
    covered = {one.mark_id: "" for one in marks}
    for piece in section.body:
        for one in piece.marks:
            covered[one.mark_id] += piece.text
    assert list(covered.values()) == ["one two t", "two three", "two", "four"]


def test_a_passage_of_a_supplement_is_looked_for_on_no_page_of_the_paper() -> None:
    documents = [
        {"kind": "submission", "start": 0, "end": 10},
        {"kind": "supplement", "start": 10, "end": 20},
    ]
    record = {"paper_id": "p", "title": "t", "text": "x" * 20, "documents": documents}
    paper = Paper.model_validate_json(json.dumps(record))

    assert passage_at(paper, 12, 18) is None
    inside = passage_at(paper, 5, 15)
    assert inside is not None
    assert inside.words == "x" * 5
