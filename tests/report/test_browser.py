"""The report in a real browser: filters, jumps, keys, print, accessibility, hostile text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reviewscore.report.html import write_report
from reviewscore.report.role_pages import write_for
from reviewscore.report.roles import Reader
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.review import PointType
from reviewscore.schema.verdict import Verdict
from reviewscore.stats.resampling import Resampling
from reviewscore.venue.compare import compare_runs
from reviewscore.venue.compare_page import write_comparison
from reviewscore.venue.study import Strata, study_venue
from reviewscore.venue.venue_page import write_venue
from tests.browser import MARKS, chromium, violations
from tests.report.presupposed import PAPERS, REVIEWS, presupposed_points
from tests.report.synthetic import PAPER, REVIEW, model_points, point, quote, write_run
from tests.report.venues import venue_points, venue_run

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = MARKS
HOSTILE = (
    "</script><script>window.ran = 1</script><img src=x onerror='window.ran = 2'>"
    '<svg onload="window.ran = 3"></svg> [a](javascript:window.ran=4) \u202egnirts \u2066x '
    + "w"
    * 100_000
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


def shown(browser: Browser, path: Path, **options: object) -> Page:
    """A page, whose errors end the test."""
    page = browser.new_page(**options)  # type: ignore[arg-type]
    page.set_default_timeout(8_000)
    page.on("pageerror", lambda error: pytest.fail(f"the page's script failed: {error}"))
    page.goto(path.as_uri())
    return page


def report(tmp_path: Path, points: list[PointScore]) -> Path:
    run = write_run(tmp_path / "run", points)
    return write_report(run, {"tides": PAPER}.__getitem__, {REVIEW.review_id: REVIEW}.__getitem__)[
        0
    ]


def test_filtering_leaves_the_points_that_fit(browser: Browser, tmp_path: Path) -> None:
    page = shown(browser, report(tmp_path, model_points()))
    every = page.locator("table.points tbody tr:visible").count()

    page.locator("[data-filter=words]").fill("learning rate")
    page.locator(".shown", has_text=" of ").wait_for()

    left = page.locator("table.points tbody tr:visible").count()
    cards = page.locator("article.point:visible")
    assert 0 < left < every
    assert cards.count() == left
    assert all("learning" in text.lower() for text in cards.all_text_contents())


def test_a_quote_opens_the_paper_at_its_place_and_escape_comes_back(
    browser: Browser, tmp_path: Path
) -> None:
    page = shown(browser, report(tmp_path, model_points()))
    button = page.locator("button.jump[data-start]").first
    start, end = (int(button.get_attribute(f"data-{name}") or "") for name in ("start", "end"))

    button.focus()
    page.keyboard.press("Enter")
    page.locator("#pane mark").wait_for()

    assert page.locator("#pane mark").inner_text() == PAPER.text[start:end].strip()
    assert page.evaluate("document.activeElement.id") == "pane"
    page.keyboard.press("Escape")
    assert page.locator("#pane").is_hidden()
    assert page.evaluate("document.activeElement.className") == "jump"


def test_an_argument_is_copied_as_argdown(browser: Browser, tmp_path: Path) -> None:
    page = shown(browser, report(tmp_path, model_points()))
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])

    page.locator("details", has=page.locator(".argdown")).first.locator("summary").click()
    page.locator("button[data-copy-next]").first.click()
    page.locator("button[data-copy-next]", has_text="Copied").wait_for()

    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.locator(".argdown").first.text_content()


def test_rows_sort_by_key_and_link_to_their_point(browser: Browser, tmp_path: Path) -> None:
    page = shown(browser, report(tmp_path, model_points()))

    page.locator("button[data-sort]").first.focus()
    page.keyboard.press("Enter")
    page.locator("table.points tbody a").first.click()

    assert page.locator("th[aria-sort]").count() == 1
    assert page.evaluate("location.hash").startswith("#p-")
    assert page.locator("article.point:target").count() == 1


def test_print_opens_what_is_folded(browser: Browser, tmp_path: Path) -> None:
    page = shown(browser, report(tmp_path, model_points()))

    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    opened = page.locator("details:not([open])").count()
    page.evaluate("dispatchEvent(new Event('afterprint'))")

    assert opened == 0
    assert page.locator("details:not([open])").count() > 0


@pytest.mark.parametrize(("scheme", "width"), [("light", 1200), ("dark", 420)])
def test_the_report_is_accessible_and_fits(
    browser: Browser, tmp_path: Path, scheme: str, width: int
) -> None:
    page = shown(browser, report(tmp_path, model_points()), color_scheme=scheme,
                 viewport={"width": width, "height": 800})  # fmt: skip
    for details in page.locator("details").all():
        details.evaluate("one => { one.open = true; }")

    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(("scheme", "width"), [("light", 1200), ("dark", 420)])
def test_the_pages_of_a_venue_and_of_a_comparison_are_accessible_and_fit(
    browser: Browser, tmp_path: Path, scheme: str, width: int
) -> None:
    how = Resampling(resamples=100, scheme="papers")
    runs = [venue_run(tmp_path / name, venue_points(15, name=name)) for name in "ab"]
    areas = tmp_path / "areas.csv"
    areas.write_text("paper_id,area\na0,<b>rare</b>\na1,</td>\n", "utf-8")
    venue = study_venue(runs, Strata(areas=areas), how=how).venue
    pages = [
        write_venue(venue, tmp_path / "venue")[0],
        write_comparison(compare_runs(*runs, how=how), tmp_path / "compare")[0],
    ]

    for path in pages:
        page = shown(browser, path, color_scheme=scheme,
                     viewport={"width": width, "height": 800})  # fmt: skip
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("reader", list(Reader))
def test_the_pages_for_readers_are_accessible(
    browser: Browser, tmp_path: Path, reader: Reader
) -> None:
    run = write_run(tmp_path / "run", model_points())
    (path,) = write_for(run, reader, out=tmp_path / "page.html")

    page = shown(browser, path)

    assert violations(page) == []


def test_hostile_text_is_text(browser: Browser, tmp_path: Path) -> None:
    evidence = (quote("The learning rate is 0.003"),)
    verdict = Verdict(scale="unanswerability", score=1, rationale=HOSTILE, answer=HOSTILE,
                      evidence=evidence)  # fmt: skip
    points = [
        point(1, HOSTILE, type=PointType.QUESTION, base=1, misinformed=True, verdict=verdict,
              evidence=evidence, section=HOSTILE),
    ]  # fmt: skip
    paths = [report(tmp_path, points)]
    for reader in Reader:
        paths += write_for(tmp_path / "run", reader, out=tmp_path / f"{reader.value}.html")

    for path in paths:
        page = shown(browser, path, viewport={"width": 900, "height": 700})
        page.wait_for_timeout(100)
        assert page.evaluate("window.ran") is None, path.name
        assert page.locator("a[href^='javascript']").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= 900, path.name


def test_what_a_notebook_shows_leaves_the_rest_of_the_page_alone(
    tmp_path: Path, browser: Browser
) -> None:
    one = model_points()[1].model_copy(update={"text": HOSTILE, "section": HOSTILE})
    page_file = tmp_path / "notebook.html"
    page_file.write_text(
        "<!doctype html><html lang='en'><title>A notebook</title><body><main>"
        "<h1>Mine</h1><h2>Part</h2><h3>Cell</h3>"
        f"<p class='chip s1' id='mine'>my own</p>{one._repr_html_()}</main></body></html>",
        "utf-8",
    )

    page = shown(browser, page_file)
    style = "(one) => getComputedStyle(one).backgroundColor"

    assert page.eval_on_selector("#mine", style) == "rgba(0, 0, 0, 0)"
    assert page.eval_on_selector("body", style) == "rgba(0, 0, 0, 0)"
    assert page.eval_on_selector(".reviewscore .chip", style) != "rgba(0, 0, 0, 0)"
    assert page.eval_on_selector(".reviewscore svg.map", "(one) => one.clientWidth") > 300
    assert page.evaluate("window.ran") is None
    assert page.locator(".reviewscore img, .reviewscore script").count() == 0
    assert violations(page) == []
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [420, 1400])
def test_a_paragraph_with_the_authors_answer_is_copied_and_the_page_fits(
    browser: Browser, tmp_path: Path, width: int, scheme: str
) -> None:
    response = f"W2: We disagree, the baselines were tuned. {HOSTILE[:300]}"
    review = REVIEW.model_copy(update={"author_response": response})
    run = write_run(tmp_path / "run", model_points())
    (path,) = write_for(run, Reader.META_REVIEWER, reviews={review.review_id: review}.__getitem__)

    page = shown(browser, path, color_scheme=scheme, viewport={"width": width, "height": 800})
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    for summary in page.locator("details summary").all():
        summary.click()
    button = page.locator("button[data-copy-next]").first
    button.click()
    page.locator("button[data-copy-next]", has_text="Copied").wait_for()

    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.locator(".draft p").first.text_content()
    assert "We disagree" in copied
    assert page.evaluate("window.ran") is None
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [390, 1280])
def test_points_by_presuppositions_are_filtered_by_level_and_fit_a_phone(
    browser: Browser, tmp_path: Path, width: int
) -> None:
    run = write_run(tmp_path / "run", presupposed_points())
    page = shown(
        browser,
        write_report(run, PAPERS, REVIEWS)[0],
        viewport={"width": width, "height": 900},
    )

    page.locator("[data-filter=supplied]").select_option("yes")
    page.locator(".shown", has_text="2 of 8 points").wait_for()
    page.locator("[data-filter=misinformed]").select_option("no")
    page.locator(".shown", has_text="1 of 8 points").wait_for()

    assert page.locator("article.point:visible").count() == 1
    statement = page.locator(".granted th[scope=row]:visible").first
    label = statement.evaluate("cell => getComputedStyle(cell, '::before').content")
    assert (label == '"It takes for granted"') == (width < 640)  # else the column's head says so
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(page) == []
