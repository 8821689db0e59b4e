"""People at work in a real browser: Debian's Chromium, driven by playwright-core."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from reviewscore.sources.annotations import read_annotations
from tests.annotate.test_app import HOSTILE
from tests.browser import MARKS, chromium, violations

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
pytestmark = MARKS


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("audited")
    # In a process of its own: the driver of the browser has this thread's event loop.
    subprocess.run(
        [sys.executable, "-m", "reviewscore", "audit", str(EXAMPLES), "-o", str(folder / "run"),
         "--model", f"exchange:{EXAMPLES / 'exchange'}", "--no-cache", "--quiet"],
        check=True,
        env={**os.environ, "REVIEWSCORE_CACHE_DIR": str(folder / "ledger")},
    )  # fmt: skip
    return folder / "run"


class Served:
    """A workspace in a process of its own."""

    def __init__(self, source: Path, folder: Path, port: int = 0, codebook: int = 1) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "reviewscore", "annotate", str(source), "--set", "example",
             "-o", str(folder), "--annotators", "A1,A2", "--per-item", "2", "--port", str(port),
             "--codebook", str(codebook)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.addresses: dict[str, str] = {}
        assert self.process.stdout is not None
        while len(self.addresses) < 3:
            line = self.process.stdout.readline()
            assert line, self.process.stderr and self.process.stderr.read()
            who, _, address = line.strip().partition(" ")
            self.addresses[who] = address.strip()
        self.port = int(self.addresses["A1"].split(":")[2].split("/")[0])

    def end(self, how: signal.Signals = signal.SIGTERM) -> None:
        """Stop it and wait."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        self.process.communicate(timeout=20)


@contextmanager
def serving(source: Path, folder: Path, port: int = 0, codebook: int = 1) -> Iterator[Served]:
    served = Served(source, folder, port, codebook)
    try:
        yield served
    finally:
        served.end()


@contextmanager
def working(browser: Browser, source: Path, folder: Path) -> Iterator[Page]:
    """The page of an annotator who has begun."""
    with serving(source, folder) as served:
        page = browser.new_context().new_page()
        begin(page, served.addresses["A1"])
        yield page
        page.context.close()


def begin(page: Page, address: str) -> None:
    """Enter, say how many publications and how near the paper is, by keys alone."""
    page.set_default_timeout(8_000)
    page.goto(address)
    page.keyboard.type("4")
    page.keyboard.press("Enter")
    page.wait_for_selector("ol.points")
    page.wait_for_load_state()
    page.keyboard.press("n")
    page.wait_for_selector("form[data-keys]")
    page.wait_for_load_state()
    page.keyboard.press("4")
    page.wait_for_selector(".the-point, .whole")
    if page.locator(".whole").count():  # by codebook 2 a review is read first
        page.wait_for_load_state()
        page.keyboard.press("j")
    ready(page)


def ready(page: Page) -> None:
    page.wait_for_selector(".the-point")
    page.wait_for_load_state()


def press(page: Page, key: str) -> None:
    """A key that saves: wait until the page says so."""
    old = page.locator("#work input[name=version]").first.get_attribute("value")
    page.keyboard.press(key)
    page.wait_for_function(
        "old => { const one = document.querySelector('#work input[name=version]');"
        " return one && one.value !== old; }",
        arg=old,
    )


def label_point(page: Page, kind: str, whole: str, faithful: str = "5", standing: str = "") -> int:
    """Everything at one point by keys alone; how many labels were given."""
    press(page, kind)
    if standing:
        press(page, "1")  # a criticism
    press(page, whole)
    given = 2
    if page.evaluate("document.activeElement.tagName") == "TEXTAREA":
        page.keyboard.type("Section 4.3.")
        press(page, "Control+Enter")
    if standing:
        press(page, standing)
        given += 2
        state_presupposition(page)
    if page.locator("[data-go=r]").count():
        press(page, "r")
        press(page, faithful)
        given += 1
        while page.locator("[data-current]").count():
            field = str(page.locator("[data-current]").get_attribute("id")).partition("-")[0]
            press(page, {"source": "1", "factuality": "5", "untrivialness": "2"}[field])
            given += 1
    assert page.locator("[data-finished]").count() == 1
    return given


def state_presupposition(page: Page) -> None:
    """One presupposition, with a passage that is marked in the paper."""
    page.click("#presuppositions-point > summary")
    page.fill("#stated-0-s", "There is no ablation.")
    page.select_option("form.stated [name=true]", "1")
    page.select_option("form.stated [name=supplies]", "fully")
    page.evaluate(
        "() => { const text = document.querySelectorAll('#paper [data-text]')[1].firstChild;"
        " getSelection().setBaseAndExtent(text, 0, text, 40); }"
    )
    page.wait_for_timeout(100)
    page.click("[data-take]")
    assert len(page.input_value("#stated-0-p")) > 20
    old = page.locator("#work input[name=version]").first.get_attribute("value")
    page.click("text=Save the presupposition")
    page.wait_for_function(
        "old => document.querySelector('#work input[name=version]').value !== old", arg=old
    )
    assert "1 stated" in page.locator("#presuppositions-point > summary").inner_text()
    assert page.input_value("#stated-1-s") == ""


def label_all(page: Page, *, shift: int, first: int = 0, points: int = 26) -> int:
    given = 0
    for number in range(first, first + points):
        text = page.locator(".the-point").inner_text()
        kind = "1" if text.rstrip().endswith("?") else "3"
        given += label_point(page, kind, "2" if (number + shift) % 3 == 0 else "4",
                             "3" if number == shift else "5")  # fmt: skip
        if not page.locator("[data-finished] a.main").count():
            break
        before = page.url
        page.keyboard.press("n")
        page.wait_for_function("old => location.href !== old", arg=before)
        ready(page)
    return given


def test_two_people_label_the_example_paper_by_keys_alone_and_nothing_is_lost(
    browser: Browser, run: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "set"
    served = Served(run, folder)
    first, second = (browser.new_context().new_page() for _ in range(2))
    begin(first, served.addresses["A1"])
    begin(second, served.addresses["A2"])
    given = label_all(first, shift=0, points=9)
    given += label_all(second, shift=1, points=4)
    first.reload()
    ready(first)
    served.end(signal.SIGKILL)

    # The closed laptop: a choice without a server is told, kept, and saved when it is back.
    first.keyboard.press("3")
    first.wait_for_selector(".notice.bad")
    assert "does not answer" in first.locator("#told").inner_text()
    served = Served(run, folder, served.port)
    first.wait_for_selector("#work .chosen", timeout=20_000)
    press(first, "u")
    second.reload()
    ready(second)
    given += label_all(first, shift=0, first=9)
    given += label_all(second, shift=1, first=4)

    coordinator = browser.new_context().new_page()
    coordinator.goto(served.addresses["coordinator"])
    assert "52 of 52" in coordinator.locator(".lead").inner_text()
    coordinator.click("text=Export the labels")
    coordinator.wait_for_selector(".notice.good")
    served.end()
    found = read_annotations(folder)
    assert found.faults == ()
    assert len(found.labels) == given
    assert {one.relevance["crossread"] for one in found.annotators.values()} == {4}
    for page in (first, second, coordinator):
        page.context.close()


def test_a_reason_that_was_not_saved_outlives_a_reload(
    browser: Browser, run: Path, tmp_path: Path
) -> None:
    with working(browser, run, tmp_path / "set") as page:
        page.keyboard.press("e")
        page.keyboard.type("half a thou")
        page.reload()
        ready(page)

        assert page.locator("textarea").first.input_value() == "half a thou"


def test_two_windows_of_one_person_are_told(browser: Browser, run: Path, tmp_path: Path) -> None:
    with serving(run, tmp_path / "set") as served:
        context = browser.new_context()
        page = context.new_page()
        begin(page, served.addresses["A1"])
        other = context.new_page()
        other.goto(page.url)
        ready(other)
        press(page, "2")
        other.keyboard.press("3")
        other.wait_for_selector(".notice.bad")

        told = other.locator("#told").inner_text()
        assert "another window" in told
        assert "claim" in told
        press(other, "3")
        assert other.locator("#type-point .chosen").inner_text() == "argument"
        context.close()


def test_the_paper_is_searched_beside_the_point(
    browser: Browser, run: Path, tmp_path: Path
) -> None:
    with working(browser, run, tmp_path / "set") as page:
        page.keyboard.press("/")
        page.keyboard.type("ablation")
        page.wait_for_selector("mark.here")
        first = page.locator("[data-hits]").inner_text()
        page.keyboard.press("Enter")

        assert re.fullmatch(r"1 of \d+", first)
        assert page.locator("[data-hits]").inner_text().startswith("2 of")
        assert page.locator("mark.here").inner_text().lower() == "ablation"


@pytest.mark.parametrize(("scheme", "width"), [("light", 1360), ("dark", 420)])
def test_no_view_has_an_accessibility_violation(
    browser: Browser, run: Path, tmp_path: Path, scheme: Any, width: int
) -> None:
    with serving(run, tmp_path / "set", codebook=2) as served:
        page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
        page.goto(served.addresses["A1"])
        found = {"welcome": violations(page)}
        begin(page, served.addresses["A1"])
        found["type"] = violations(page)
        label_point(page, "3", "2", standing="2")
        found["finished"] = violations(page)
        page.locator("details.field").evaluate_all("all => all.forEach(one => { one.open = true })")
        found["all open"] = violations(page)
        wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
        page.keyboard.press("v")
        page.wait_for_selector(".whole mark")
        found["review"] = violations(page)
        assert page.locator(".whole mark a.done").count() == 1
        wide |= page.evaluate("document.documentElement.scrollWidth > innerWidth")
        page.keyboard.press("l")
        page.wait_for_selector("ol.points")
        found["list"] = violations(page)
        wide |= page.evaluate("document.documentElement.scrollWidth > innerWidth")
        other = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
        for name in ("", "/disagreements"):
            other.goto(served.addresses["coordinator"])
            other.goto(other.url + name)
            found[f"coordinator{name}"] = violations(other)
            wide |= other.evaluate("document.documentElement.scrollWidth > innerWidth")

        assert not any(found.values()), found
        assert not wide
        page.close()
        other.close()


def test_hostile_text_in_a_real_browser_is_text(browser: Browser, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    row = {
        "paper_id": "p",
        "title": HOSTILE[:300],
        "text": f"Abstract\n{HOSTILE}\n\n1 Introduction\nWords.",
    }
    sections = {"weaknesses": f"- There is no proof. {HOSTILE[:250]}\n- The method is {HOSTILE}"}
    review = {"review_id": "r", "paper_id": "p", "sections": sections}
    (data / "papers.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    (data / "reviews.jsonl").write_text(json.dumps(review) + "\n", "utf-8")
    with serving(data, tmp_path / "set") as served:
        page = browser.new_context(viewport={"width": 420, "height": 900}).new_page()
        page.on("dialog", lambda one: pytest.fail(f"a dialog: {one.message}"))
        begin(page, served.addresses["A1"])
        press(page, "2")
        page.keyboard.press("e")
        page.keyboard.insert_text(HOSTILE[:3000])
        page.keyboard.press("Escape")
        press(page, "4")
        page.keyboard.press("/")
        page.keyboard.insert_text("<script>")
        page.wait_for_selector("mark.here")
        time.sleep(0.3)

        assert page.evaluate("window.ran") is None
        assert (
            page.locator("main img, main svg, main script, main a[href^=javascript]").count() == 0
        )
        assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
        page.context.close()
