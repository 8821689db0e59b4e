"""Lists and papers in a real browser: keys, the way back to the list, what is folded on a phone."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Thread
from typing import TYPE_CHECKING

import pytest
import uvicorn

from reviewscore.pages.http_guard import listen
from reviewscore.view.app import build_app
from reviewscore.view.context import View
from reviewscore.view.open_run import OpenRuns
from reviewscore.view.people import People
from reviewscore.view.shelf import Shelf
from tests.browser import MARKS, chromium, violations
from tests.conftest import only_thorough
from tests.report.synthetic import PAPER, REVIEW, model_points
from tests.report.venues import venue_points, venue_run

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = MARKS
PHONE, DESK = {"width": 420, "height": 800}, {"width": 1400, "height": 900}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("runs")
    venue_run(folder / "first", [*venue_points(30), *model_points()])
    venue_run(folder / "second", venue_points(30, seed=1), judge="other/judge")
    runs = OpenRuns(Shelf(folder))
    view = View(runs, People(folder), tmp_path_factory.mktemp("cache"))
    opened = view.runs.get(next(run.key for run in runs.shelf.runs() if run.name == "first"))
    opened.index.set_titles([(PAPER.paper_id, PAPER.title)])
    opened.review = {REVIEW.review_id: REVIEW}.get  # type: ignore[method-assign]
    door = listen(0)
    server = uvicorn.Server(uvicorn.Config(build_app(view), log_level="warning"))
    thread = Thread(target=server.run, kwargs={"sockets": [door]})
    thread.start()
    yield f"http://127.0.0.1:{door.getsockname()[1]}/enter/{view.people.secret}"
    server.should_exit = True
    thread.join()
    runs.close()


def entered(browser: Browser, address: str, size: dict[str, int], scheme: str = "light") -> Page:
    page = browser.new_page(viewport=size, color_scheme=scheme)  # type: ignore[arg-type]
    page.set_default_timeout(90_000)
    page.on("pageerror", lambda error: pytest.fail(f"the page's script failed: {error}"))
    page.goto(address)
    page.locator("a", has_text="first").first.click()
    return page


def test_escape_comes_back_to_the_place_in_the_list_and_r_shows_the_review(
    browser: Browser, address: str
) -> None:
    page = entered(browser, address, DESK)
    page.goto(f"{page.url}?list=points&page=4")
    row = page.locator(".queue li", has_text="vague remark").first
    row.scroll_into_view_if_needed()
    place = page.evaluate("scrollY")
    row.locator("a").click()
    page.locator("article.point.current").wait_for()

    page.keyboard.press("r")
    assert page.locator("details.whole[open]").count() == 1
    page.keyboard.press("k")
    point = page.locator("article.point.current").get_attribute("id")
    assert f"point={point}" in page.url
    assert f"point={point}" in str(page.locator("#onward").get_attribute("href"))
    page.keyboard.press("Escape")

    page.locator(".queue").wait_for()
    assert "list=points&page=4" in page.url
    assert page.evaluate("scrollY") == place > 0


def test_b_leads_back_to_two_runs_side_by_side(browser: Browser, address: str) -> None:
    page = entered(browser, address, DESK)
    page.goto(address)
    for box in page.locator(".tick input").all():
        box.check()
    page.get_by_text("Compare the two ticked").click()
    page.locator(".pairs td a").first.click()
    page.locator("article.point.current").wait_for()
    page.keyboard.press("b")
    page.wait_for_url("**/compare?**")
    page.close()


def test_a_phone_shows_papers_on_the_first_screen_and_unfolds_the_filter(
    browser: Browser, address: str
) -> None:
    page = entered(browser, address, PHONE)

    assert page.locator(".papers tbody a").first.bounding_box()["y"] < PHONE["height"]  # type: ignore[index]
    assert not page.locator("select[name=sort]").is_visible()
    page.locator("details.more > summary").click()
    page.locator("select[name=sort]").select_option("title")
    page.locator("button", has_text="Show").click()

    assert "sort=title" in page.url
    assert page.locator("select[name=sort]").is_visible()


@pytest.mark.parametrize(
    ("size", "scheme"),
    [
        (PHONE, "dark"),
        *(
            pytest.param(size, scheme, marks=only_thorough)
            for size, scheme in ((PHONE, "light"), (DESK, "light"), (DESK, "dark"))
        ),
    ],
)
def test_lists_and_two_runs_side_by_side_pass_axe(
    browser: Browser, address: str, size: dict[str, int], scheme: str
) -> None:
    page = entered(browser, address, size, scheme)
    assert violations(page) == []
    page.locator(".tabs a", has_text="Flags").click()
    assert violations(page) == []
    page.locator(".queue a").first.click()
    assert violations(page) == []
    page.goto(f"{address.partition('/enter')[0]}/?all=1")
    assert violations(page) == []
    for box in page.locator("input[name=run]").all():
        box.check()
    page.locator("button", has_text="Compare").click()
    page.locator(".tallies").wait_for(timeout=90_000)  # it comes by itself when it is made
    assert violations(page) == []
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= size["width"]
