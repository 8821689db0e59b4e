"""The pane in a real browser: from a point to its place and back in one key."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import uvicorn

import reviewscore as rs
from reviewscore.pages.http_guard import listen
from reviewscore.view.app import build_app
from reviewscore.view.context import View
from reviewscore.view.open_run import OpenRuns
from reviewscore.view.people import People
from reviewscore.view.shelf import Shelf
from tests.browser import MARKS, chromium
from tests.papers.pdfs import make, prose, with_trick

if TYPE_CHECKING:
    from playwright.sync_api import ConsoleMessage, Page

pytestmark = MARKS
WEAKNESS = "Nothing says how long lamp 19 of sheet 1 burned in a whole winter night."


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """Where the owner of an app with one run enters."""
    data = tmp_path / "data"
    data.mkdir()
    make(data / "lamps.pdf", prose, pages=2)
    with_trick(data / "sly.pdf", "white")
    text = "\n".join(f"Lamp {n} of sheet 1 burned for a whole winter night." for n in range(9))
    papers = [{"paper_id": "lamps", "pdf": "lamps.pdf"}, {"paper_id": "sly", "text": text}]
    reviews = [
        {"review_id": f"r-{row['paper_id']}", "paper_id": row["paper_id"], "weaknesses": WEAKNESS}
        for row in papers
    ]
    for name, rows in (("papers", papers), ("reviews", reviews)):
        (data / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    rs.audit(data, tmp_path / "runs" / "a", model="lexical")
    view = View(OpenRuns(Shelf(tmp_path / "runs")), People(tmp_path), tmp_path / "cache")
    door = listen(0)
    server = uvicorn.Server(uvicorn.Config(build_app(view), log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [door]}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{door.getsockname()[1]}/enter/{view.people.secret}"
    server.should_exit = True
    thread.join(10)
    door.close()


def _matters(said: ConsoleMessage) -> bool:
    return said.type == "error" and not said.location["url"].endswith("/favicon.ico")


def opened(page: Page, address: str, paper: str) -> list[str]:
    """Opens a paper; gives what the browser complains of, as it does of a broken policy."""
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(address)
    page.on("console", lambda said: complaints.append(said.text) if _matters(said) else None)
    page.click(f'a[href*="/paper/{paper}"]')
    page.wait_for_load_state("networkidle")
    return complaints


def test_one_key_leads_to_the_place_and_back_to_the_point(address: str) -> None:
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1300, "height": 700})
        complaints = opened(page, address, "lamps")

        page.keyboard.press("j")
        point = page.evaluate("document.activeElement.id")
        page.keyboard.press("p")

        frame = page.locator(".on-page.current rect").first
        frame.wait_for()
        place, pane = frame.bounding_box(), page.locator(".pane-scroll").bounding_box()
        assert place
        assert pane
        assert pane["y"] < place["y"] < pane["y"] + pane["height"]
        assert page.evaluate("document.activeElement.closest('.sheet-page') !== null")
        page.keyboard.press("p")
        assert page.evaluate("document.activeElement.id") == point
        width = page.locator(".sheet-page").first.bounding_box()
        page.keyboard.press("+")
        wider = page.locator(".sheet-page").first.bounding_box()
        assert width
        assert wider
        assert wider["width"] > 1.2 * width["width"]
        page.fill(".pane-number", "2")
        page.keyboard.press("Enter")
        page.wait_for_function("document.querySelector('.pane-scroll').scrollTop > 300")
        page.click('a[data-as="text"]')
        page.locator(".as-text mark.quote").first.wait_for()
        assert complaints == []


def test_text_is_looked_through_for_what_is_hidden_after_the_page_is_there(address: str) -> None:
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 420, "height": 800})
        complaints = opened(page, address, "sly")

        mark = page.locator(".on-page.hidden")
        mark.wait_for()

        assert "in the colour of the background" in (mark.get_attribute("aria-label") or "")
        assert page.locator("a.badge.bad", has_text="hidden text").is_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert complaints == []
