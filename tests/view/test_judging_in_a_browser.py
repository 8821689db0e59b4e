"""Judging in a real browser: keys, notes, failures, without scripts, blind, at both widths."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import uvicorn

from reviewscore.pages.http_guard import listen
from reviewscore.runs.folder import JUDGMENTS
from reviewscore.runs.judgments import read_judgments
from reviewscore.view.app import build_app
from tests.browser import MARKS, chromium, violations
from tests.conftest import ROOT
from tests.view.judging import JudgedApp, copied

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = MARKS


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    # In a process of its own: the driver of the browser has this thread's event loop.
    run = tmp_path_factory.mktemp("audited") / "run"
    subprocess.run(
        [sys.executable, "-m", "reviewscore", "audit", str(ROOT / "examples"), "-o", str(run),
         "-q"],
        check=True,
    )  # fmt: skip
    return run


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@contextmanager
def served(app: JudgedApp) -> Iterator[str]:
    """Where the owner of an app enters."""
    door = listen(0)
    server = uvicorn.Server(uvicorn.Config(build_app(app.view), log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [door]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{door.getsockname()[1]}/enter/{app.people.secret}"
    finally:
        server.should_exit = True
        thread.join(10)
        door.close()


def entered(browser: Browser, address: str, **how: object) -> Page:
    page = browser.new_page(viewport={"width": 1400, "height": 800}, **how)  # type: ignore[arg-type]
    page.goto(address)
    page.goto(page.url.split("?")[0] + "/next")
    return page


def verdicts(run: Path) -> list[str]:
    return [str(one.verdict) for one in read_judgments(run).all_standing()]


def test_keys_alone_write_a_note_and_say_it_without_loading_the_page_again(
    browser: Browser, example: Path, tmp_path: Path
) -> None:
    run = copied(example, tmp_path / "run")
    with served(JudgedApp(run)) as address:
        page = entered(browser, address)
        place = page.url
        page.evaluate("window.kept = true")
        panel = page.locator("article.point.current + .judge")
        page.keyboard.press("w")
        page.keyboard.type("Section 4.3 has it.")
        page.keyboard.press("Escape")
        page.keyboard.press("d")
        panel.get_by_text("you said disagree").wait_for()

        assert "Saved: disagree." in page.locator("#told").inner_text()
        assert page.evaluate("window.kept")
        assert page.url == place
        (kept,) = read_judgments(run).all_standing()
        assert (kept.verdict, kept.note, kept.sampling) == (
            "disagree", "Section 4.3 has it.", "flags"
        )  # fmt: skip
        page.keyboard.press("n")
        page.wait_for_url(lambda url: url != place)
        assert len(verdicts(run)) == 1
        page.close()


def test_what_was_not_saved_is_said_and_the_note_stays(
    browser: Browser, example: Path, tmp_path: Path
) -> None:
    run = copied(example, tmp_path / "run")
    with served(JudgedApp(run)) as address:
        page = entered(browser, address)
        panel = page.locator("article.point.current + .judge")
        panel.locator("textarea").fill("a long thought")
        page.route("**/paper/**", lambda route: route.abort())
        panel.get_by_role("button", name="Agree", exact=False).first.click()
        panel.get_by_role("alert").get_by_text("Not saved").wait_for()
        assert panel.locator("textarea").input_value() == "a long thought"
        assert not (run / JUDGMENTS).exists()

        page.unroute("**/paper/**")
        panel.get_by_role("button", name="Agree", exact=False).first.click()
        panel.get_by_text("you said agree").wait_for()
        assert verdicts(run) == ["agree"]
        page.close()


def test_without_scripts_the_form_does_the_same(
    browser: Browser, example: Path, tmp_path: Path
) -> None:
    run = copied(example, tmp_path / "run")
    with served(JudgedApp(run)) as address:
        page = entered(browser, address, java_script_enabled=False)
        panel = page.locator(".judge").first
        panel.locator("textarea").fill("plain")
        panel.locator('[data-judge="u"]').click()

        assert "you said unsure" in page.locator(".judge").first.inner_text()
        assert verdicts(run) == ["unsure"]
        page.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [420, 1400])
def test_pages_of_judging_have_no_violations_and_fit(
    browser: Browser, example: Path, tmp_path: Path, theme: str, width: int
) -> None:
    run = copied(example, tmp_path / "run")
    for blind in (False, True):
        with served(JudgedApp(run, blind=blind)) as address:
            page = entered(browser, address, color_scheme=theme)
            page.set_viewport_size({"width": width, "height": 800})
            page.locator("article.point.current").focus()
            page.keyboard.press("a")
            page.locator(".judge .saved").first.wait_for()
            found = violations(page)
            home = page.url.split("/paper/")[0]
            wide = [page.evaluate("document.documentElement.scrollWidth")]
            for place in ("",) if blind else ("/judgments", "/mine"):
                page.goto(home + place)
                found += violations(page)
                wide.append(page.evaluate("document.documentElement.scrollWidth"))
            page.close()

        assert found == []
        assert max(wide) <= width
