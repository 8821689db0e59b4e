"""The app in a real browser: a chair's way through it, and axe on every page."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser import MARKS, chromium, violations
from tests.conftest import THOROUGH
from tests.papers.pdfs import make, prose
from tests.report.synthetic import PAPER, REVIEW, manifest, model_points, write_run
from tests.view.test_app import HOSTILE, hostile_run

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = MARKS
thorough = pytest.mark.skipif(not THOROUGH, reason="part of make thorough")


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Where the owner of an app on a folder enters, in a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "-m", "reviewscore", "view", str(folder), "--no-browser", "--port", "0"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.communicate(timeout=20)


def runs(folder: Path) -> Path:
    """A run of a model, one of the embedded judge on a PDF, one being written, one hostile."""
    data = folder / "data"
    data.mkdir(parents=True)
    paper = {"paper_id": PAPER.paper_id, "title": PAPER.title, "text": PAPER.text}
    review = {"review_id": REVIEW.review_id, "paper_id": PAPER.paper_id, "sections": REVIEW.fields}
    (data / "papers.jsonl").write_text(json.dumps(paper) + "\n", "utf-8")
    (data / "reviews.jsonl").write_text(json.dumps(review) + "\n", "utf-8")
    made = manifest(data=str(data), inputs=())
    write_run(folder / "runs" / "model", model_points(), made=made)
    write_run(folder / "runs" / "growing", model_points(),
              made=made.model_copy(update={"complete": False, "growing": True}))  # fmt: skip
    pdfs = folder / "pdfs"
    pdfs.mkdir()
    make(pdfs / "lamps.pdf", prose, pages=2)
    weakness = "Nothing says how long lamp 19 of sheet 1 burned in a whole winter night."
    (pdfs / "papers.jsonl").write_text('{"paper_id": "lamps", "pdf": "lamps.pdf"}\n', "utf-8")
    row = {"review_id": "r", "paper_id": "lamps", "weaknesses": weakness}
    (pdfs / "reviews.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    subprocess.run(
        [sys.executable, "-m", "reviewscore", "audit", str(pdfs), "-o",
         str(folder / "runs" / "lamps"), "--quiet"], check=True,
    )  # fmt: skip
    hostile_run(folder / "runs", "hostile", "p<script>")
    return folder / "runs"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(runs(tmp_path_factory.mktemp("view"))) as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


def entered(browser: Browser, address: str, **options: Any) -> Page:
    """A page of the owner's, whose errors and broken policies end the test."""
    page = browser.new_page(**options)
    page.set_default_timeout(90_000)
    page.on("pageerror", lambda error: pytest.fail(f"a script failed: {error}"))
    page.on("console", lambda said: _check(said.text))
    page.goto(address)
    return page


def _check(said: str) -> None:
    assert "Content Security Policy" not in said, said


def test_a_chair_finds_flags_goes_through_them_and_comes_back_by_a_link(
    browser: Browser, address: str
) -> None:
    page = entered(browser, address)
    page.click("table a:text-is('model')")
    page.keyboard.press("n")
    page.locator("article.point.current").wait_for()

    first = page.evaluate("document.activeElement.id")
    page.keyboard.press("j")
    second = page.evaluate("document.activeElement.id")
    link = page.url
    page.goto(f"{address}?to=/")
    page.goto(link)
    page.locator(f"article.point.current[id='{second}']").wait_for()
    page.keyboard.press("?")

    assert first != second
    assert page.locator("dialog[open]").count() == 1
    assert "enter" not in link
    page.close()


def _pages(page: Page, base: str) -> list[str]:
    """Addresses of every kind of page, as links lead there."""
    page.goto(f"{base}/?all=1")
    found = [f"{base}/?all=1", f"{base}/people", f"{base}/new", f"{base}/nowhere"]
    links = "all => all.map(one => one.href)"
    for run in page.eval_on_selector_all("table a[href^='/run/']", links):
        page.goto(run)
        papers = page.eval_on_selector_all("a[href*='/paper/']", links)
        lists = ("", "?list=points", "?list=points&verdict=flag", "?words=nothing+of+the+kind")
        found += [run + place for place in (*lists, "?done=1", "/judgments")]
        found += papers[:1] + [one.replace("/paper/", "/pane/", 1) for one in papers[:1]]
    return found


@thorough
@pytest.mark.parametrize("width", [420, 1400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_passes_axe_and_fits(
    browser: Browser, address: str, scheme: str, width: int
) -> None:
    page = entered(browser, address, color_scheme=scheme, viewport={"width": width, "height": 900})
    base = address.partition("/enter/")[0]
    faults: dict[str, list[str]] = {}
    for place in _pages(page, base):
        page.goto(place)
        page.wait_for_timeout(150)
        for details in page.locator("details").all():
            details.evaluate("one => { one.open = true; }")
        wide = page.evaluate("document.documentElement.scrollWidth")
        found = violations(page) + ([f"{wide} px wide"] if wide > width else [])
        assert page.evaluate("window.ran") is None
        if found:
            faults[place.removeprefix(base)] = found
        if page.locator("dialog#help").count():
            page.keyboard.press("?")
            faults |= {f"{place} help": found} if (found := violations(page)) else {}
    page.close()

    assert [f"{place}: {one}" for place, found in faults.items() for one in found] == []


@thorough
def test_hostile_text_is_text_in_a_browser(browser: Browser, address: str) -> None:
    page = entered(browser, address)
    base = address.partition("/enter/")[0]
    for place in _pages(page, base):
        page.goto(f"{place}{'&' if '?' in place else '?'}words={HOSTILE}&point={HOSTILE}")
        page.wait_for_timeout(50)
        assert page.evaluate("window.ran") is None, place
        assert page.locator("by-data, a[href^='javascript']").count() == 0, place
    page.close()
