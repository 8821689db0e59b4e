"""What a report begins with: papers by title, first flags, one bar; in reports of any length."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reviewscore.report.html import write_report
from reviewscore.schema.paper import Paper
from reviewscore.schema.point_score import PointScore
from tests.browser import MARKS, chromium, violations
from tests.conftest import only_thorough
from tests.report.synthetic import PAPER, lexical_points, manifest, model_points, write_run

if TYPE_CHECKING:
    from playwright.sync_api import Browser

TITLE = "On the tides of a very long title that a real paper well might have, number"


def titled_paper(paper_id: str) -> Paper:
    return PAPER.model_copy(update={"paper_id": paper_id, "title": f"{TITLE} {paper_id}"})


def points_of(papers: int, each: int, kinds: list[PointScore]) -> Iterator[PointScore]:
    """Points of papers, of every kind by turns."""
    for number in range(papers * each):
        paper, review = number // each, number % 3
        ids = {"paper_id": f"p{paper}", "review_id": f"p{paper}-r{review}"}
        named = {"point_id": f"p{paper}-r{review}#{number}", "ordinal": number}
        yield kinds[number % len(kinds)].model_copy(update=ids | named)


def listed(html: str) -> list[str]:
    """Links of the list of papers, in its order, those that are folded too."""
    tables = re.findall(r'<table class="numbers papers.*?</table>', html, re.DOTALL)
    return re.findall(r'<tr><th scope="row"><a href="([^"]+)"', "".join(tables))


def test_five_hundred_points_of_a_hundred_papers_are_one_file_under_two_megabytes(
    tmp_path: Path,
) -> None:
    run = write_run(tmp_path / "run", points_of(100, 5, model_points()))

    (file,) = write_report(run, titled_paper, None)
    html = file.read_text("utf-8")

    assert file.stat().st_size < 2_000_000
    assert len(listed(html)) == 100
    assert set(re.findall(r'<section class="paper" id="([^"]+)"', html)) == {
        link.removeprefix("#") for link in listed(html)
    }


def test_papers_and_first_flags_stand_before_settings_counts_and_the_table_of_points(
    tmp_path: Path,
) -> None:
    run = write_run(tmp_path / "run", points_of(9, 5, model_points()))

    html = write_report(run, titled_paper, None)[0].read_text("utf-8")

    parts = ["<h1>", 'class="lead"', 'class="states"', 'id="h-papers"', 'id="h-flags"',
             "Models, prompts, inputs", 'id="h-summary"', 'id="h-table"']  # fmt: skip
    places = [html.index(part) for part in parts]
    flags = [int(count) for count in re.findall(r'<td data-column="flags?">(\d+)', html)]
    assert places == sorted(places)
    assert flags == sorted(flags, reverse=True)
    assert sum(flags) == int(re.findall(r"<b>(\d+)\u00a0flags</b>", html)[0])


def test_the_first_flags_are_of_different_papers_and_lead_to_their_points(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", points_of(9, 5, model_points()))

    html = write_report(run, titled_paper, None)[0].read_text("utf-8")

    (flags,) = re.findall(r'<ol class="first-flags">.*?</ol>', html, re.DOTALL)
    links = re.findall(r'<a href="#([^"]+)">([^<]+)</a>', flags)
    assert len(set(re.findall(r"\(p\d+\)", flags))) == len(links) == 6
    assert all(f'id="{link}"' in html for link, _ in links)
    assert all(words in {point.text for point in model_points()} for _, words in links)


@pytest.mark.parametrize("lexical", [False, True])
def test_a_run_of_one_paper_has_no_list_of_papers_but_its_flags(
    tmp_path: Path, lexical: bool
) -> None:
    points = lexical_points() if lexical else model_points()
    run = write_run(tmp_path / "run", points, made=manifest("lexical") if lexical else None)

    html = write_report(run, titled_paper, None)[0].read_text("utf-8")

    assert listed(html) == []
    assert '<ol class="first-flags">' in html


def test_more_than_two_notes_are_folded_and_none_is_lost(tmp_path: Path) -> None:
    made = manifest("lexical", selection={"limit": 2}, complete=False)
    run = write_run(tmp_path / "run", lexical_points(), made=made)

    html = write_report(run, None, None, notes=["Read this first. Then that."])[0].read_text()

    (notes,) = re.findall(r'<details class="first-notes">.*?</details>', html, re.DOTALL)
    assert re.findall(r"<summary>(.*?)</summary>", notes) == [
        "<b>5 notes before any number.</b> Read this first."
    ]
    assert notes.count('<p class="banner"') == 5
    assert "evidence finder" in notes


def test_a_long_report_lists_the_first_five_hundred_papers_and_each_page_all_of_its_own(
    tmp_path: Path,
) -> None:
    run = write_run(tmp_path / "run", points_of(600, 1, lexical_points()),
                    made=manifest("lexical"))  # fmt: skip

    index, *pages = write_report(run, titled_paper, None)
    shown = index.read_text("utf-8")

    assert len(listed(shown)) == 500
    assert "<summary>The first 500 papers</summary>" in shown
    assert "100 more papers stand on the" in shown
    texts = {page.name: page.read_text("utf-8") for page in pages}
    assert sum(len(listed(text)) for text in texts.values()) == 600
    for link in listed(shown)[:50]:
        name, _, anchor = link.partition("#")
        assert f'id="{anchor}"' in texts[name]
    assert all(page.stat().st_size < 2_000_000 for page in pages)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


class TestInABrowser:
    """At the two widths that people have."""

    pytestmark = MARKS

    @pytest.mark.parametrize("lexical", [False, True])
    @pytest.mark.parametrize(("scheme", "width"), [("light", 1400), ("dark", 420)])
    def test_papers_and_flags_of_a_hundred_papers_are_seen_without_scrolling(
        self, browser: Browser, tmp_path: Path, scheme: str, width: int, lexical: bool
    ) -> None:
        points = points_of(100, 5, lexical_points() if lexical else model_points())
        made = manifest("lexical") if lexical else None
        path = write_report(write_run(tmp_path / "run", points, made=made), titled_paper, None)[0]

        page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 900})  # type: ignore[arg-type]
        page.goto(path.as_uri())

        below = "one => one.getBoundingClientRect().bottom"
        assert page.locator(".papers tr:visible").nth(2).evaluate(below) <= 900
        assert page.locator(".first-flags a").first.evaluate(below) <= 900
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.locator(".papers a").first.click()
        assert page.locator("section.paper:target").count() == 1
        page.close()

    @pytest.mark.parametrize(
        ("scheme", "width"),
        [("light", 420), pytest.param("dark", 1400, marks=only_thorough)],
    )
    def test_the_first_screen_is_accessible(
        self, browser: Browser, tmp_path: Path, scheme: str, width: int
    ) -> None:
        run = write_run(tmp_path / "run", points_of(8, 2, model_points()))
        (path,) = write_report(run, titled_paper, None, notes=["One.", "Two."])

        page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 900})  # type: ignore[arg-type]
        page.goto(path.as_uri())
        page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")

        assert violations(page) == []
        levels = page.locator("h1, h2, h3, h4, h5").evaluate_all(
            "all => all.map(one => Number(one.tagName[1]))"
        )
        assert all(after <= before + 1 for before, after in pairwise(levels))
        page.close()
