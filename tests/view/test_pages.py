"""Lists of runs, papers and points, a paper's page, and two runs side by side."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from starlette.testclient import TestClient

from reviewscore.pages.point_card import anchor_of
from reviewscore.period.assignments import read_assignments
from reviewscore.schema.point_score import PointScore
from reviewscore.stats.resampling import Resampling
from reviewscore.venue.compare import compare_runs
from reviewscore.view.app import build_app
from reviewscore.view.context import View
from reviewscore.view.open_run import OpenRuns
from reviewscore.view.people import People
from reviewscore.view.shelf import Shelf
from tests.report.synthetic import lexical_points, named_by_content
from tests.report.venues import venue_points, venue_run, verdict

HOST = "http://127.0.0.1:8793"
HOSTILE = "<script>window.ran=1</script>\"'><img src=x onerror='window.ran=1'>{{ 7*7 }} tuned"
TITLES = {"p0": "Zebras at dusk", "p1": "A study of kelp", "p2": "Moss, with harbour ledgers"}


def flag(name: str, misinformed: bool | None, text: str) -> PointScore:
    return verdict(name, None, misinformed, text=text)


FIRST = [
    flag("p0/r0#1", True, "No ablation is shown"),
    flag("p0/r0#2", False, "The proof is thin"),
    flag("p1/r0#1", True, HOSTILE),
    flag("p1/r0#2", None, "It is unclear how kelp was counted"),
    flag("p2/r0#1", False, "The baselines were not tuned"),
    flag("p2/r1#1", True, "One seed is too few"),
]
SECOND = [
    flag("p0/r0#1", False, "No ablation is shown"),
    flag("p0/r0#2", False, "The proof is thin"),
    flag("p1/r0#1", True, HOSTILE),
    flag("p1/r0#2", False, "It is unclear how kelp was counted"),
    flag("p2/r0#1", True, "The baselines were not tuned"),
    flag("p2/r1#1", True, "Other words than in the first run"),
]


@pytest.fixture
def view(tmp_path: Path) -> Iterator[View]:
    folder = tmp_path / "runs"
    venue_run(folder / "first", FIRST)
    venue_run(folder / "second", SECOND, judge="other/judge", decisive={"model": "other/judge"})
    venue_run(folder / "later", venue_points(2, name="q"))
    venue_run(folder / "finder", lexical_points(), judge="lexical")
    (tmp_path / "cache").mkdir()
    runs = OpenRuns(Shelf(folder))
    yield View(runs, People(folder), tmp_path / "cache")
    runs.close()


@pytest.fixture
def client(view: View) -> Iterator[TestClient]:
    with entered(view) as found:
        yield found


def entered(view: View, key: str = "") -> TestClient:
    client = TestClient(build_app(view), base_url=HOST)
    assert client.get(f"/enter/{key or view.people.secret}").status_code == 200
    return client


def key(view: View, name: str) -> str:
    return next(run.key for run in view.runs.shelf.runs() if run.name == name)


def titled(view: View, name: str = "first") -> str:
    found = view.runs.get(key(view, name))
    found.index.set_titles(TITLES.items())
    return f"/run/{found.key}"


def links(page: str, within: str = "main") -> list[str]:
    body = page.partition(f"<{within}")[2].partition(f"</{within}>")[0]
    return [html.unescape(link) for link in re.findall(r'href="([^"]*)"', body)]


def text(page: str) -> str:
    words = re.sub(r"<[^>]+>", " ", page.partition("<main")[2])
    return " ".join(html.unescape(words).split())


def loaded(client: TestClient, address: str, waiting: str = "Load again") -> str:
    """A page, loaded again until what is made behind it is there."""
    for _ in range(200):
        page = client.get(address).text
        if waiting not in page:
            return page
    raise AssertionError(f"never made: {address}")


def test_flags_are_one_click_away_and_each_tab_says_how_much_it_holds(
    view: View, client: TestClient
) -> None:
    page = client.get(titled(view)).text

    tabs = dict(re.findall(r'<a href="\?([^"]*)"[^>]*>[\w ]+<span class="count">(\d+)', page))
    assert tabs == {"": "3", "list=points": "6", "verdict=flag&amp;list=points": "3"}
    flags = client.get(f"{titled(view)}?verdict=flag&list=points").text
    assert "<title>Flags · first</title>" in flags
    assert "No ablation is shown" in flags
    assert "The proof is thin" not in flags


def test_papers_are_listed_by_need_title_or_id_and_found_by_words_of_their_title(
    view: View, client: TestClient
) -> None:
    where = titled(view)

    def order(query: str) -> list[str]:
        page = client.get(f"{where}?{query}").text
        return sorted((t for t in TITLES.values() if t in page), key=page.index)

    assert [TITLES[name] for name in ("p1", "p2", "p0")] == order("sort=title")
    assert list(TITLES.values()) == order("sort=id")
    assert [TITLES["p2"]] == order("words=HARBOUR+led")
    assert [TITLES["p1"]] == order("words=counted")


def test_a_search_that_finds_nothing_says_what_was_searched_and_how(
    view: View, client: TestClient
) -> None:
    shown = text(client.get(f"{titled(view)}?words=<b>zebrafish&type=claim").text)

    assert "No paper has a point, passage or title with “<b>zebrafish” within this filter." in shown


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("list=points&page=9", "The list is not so long."),
        ("list=points&verdict=failed", "No point fits this filter."),
        ("sort=nonsense&page=-1&verdict=x&type=x&seen=x", "Zebras at dusk"),
    ],
)
def test_an_address_that_asks_for_too_much_or_for_nothing_known_is_answered_in_words(
    view: View, client: TestClient, query: str, words: str
) -> None:
    assert words in text(client.get(f"{titled(view)}?{query}").text)


def test_from_a_point_one_comes_back_to_the_list_and_the_place_in_it(
    view: View, client: TestClient
) -> None:
    where = f"{titled(view)}?words=tuned&list=points&sort=title"
    to_point = next(link for link in links(client.get(where).text) if "/paper/p1" in link)

    page = client.get(to_point).text

    back = re.search(r'id="back" href="([^"]*)"', page)
    assert back is not None
    place = urlsplit(html.unescape(back[1]))
    assert parse_qs(urlsplit(where).query) == parse_qs(place.query)
    assert anchor_of("p1/r0#1") == place.fragment
    assert f'id="{place.fragment}"' in client.get(html.unescape(back[1])).text


def test_next_goes_through_what_nobody_looked_at_in_the_list_and_round_to_its_start(
    view: View, client: TestClient
) -> None:
    where, opened = titled(view), view.runs.get(key(view, "first"))
    seen: list[str] = []
    address = f"{where}/next"
    for _ in range(3):
        reply = client.get(address)
        point = reply.url.params["point"]
        seen.append(point)
        opened.index.mark_seen(
            [name.point_id for name in FIRST if anchor_of(name.point_id) == point]
        )
        onward = re.search(r'id="onward" href="([^"]*)"', reply.text)
        assert onward is not None
        address = html.unescape(onward[1])

    assert {anchor_of(one.point_id) for one in FIRST if one.misinformed} == set(seen)
    assert "No point is left here that nobody has looked at" in client.get(address).text
    kept = client.get(f"{where}/next?words=kelp&list=points").url
    assert ("kelp", anchor_of("p1/r0#2")) == (kept.params["words"], kept.params["point"])
    other = client.get(f"{where}/next?list=points").url.params["point"]
    assert other not in seen


def test_a_copied_address_opens_the_same_point_for_another_invited_person(view: View) -> None:
    with entered(view) as owner:
        address = owner.get(f"{titled(view)}/next").url
    with entered(view, view.people.invite("AC7")) as other:
        page = other.get(str(address)).text

    assert f'data-at="{address.params["point"]}"' in page
    assert view.people.secret not in str(address)
    stranger = TestClient(build_app(view), base_url=HOST)
    assert stranger.get(str(address)).status_code == 403


def test_a_paper_lists_its_points_and_each_card_is_named_by_verdict_and_words(
    view: View, client: TestClient
) -> None:
    page = client.get(f"{titled(view)}/paper/p0").text

    anchor = anchor_of("p0/r0#1")
    assert f'<li><a href="#{anchor}">No ablation is shown</a>' in page
    heading = re.search(rf'aria-labelledby="{anchor}-h".*?id="{anchor}-h">(.*?)</h4>', page, re.S)
    assert heading is not None
    assert "No ablation is shown" in heading[1]
    assert "2 points · 1 flag" in text(page)


def test_what_must_be_known_first_stands_before_the_list(view: View, client: TestClient) -> None:
    page = loaded(client, f"/run/{key(view, 'finder')}", "being gathered")

    assert "judges no truth" in page[: page.index('class="tabs"')]
    assert "For scores, run again with --model" in page


def compared(view: View, *names: str, **more: str) -> str:
    one, other = (key(view, name) for name in names)
    return f"/compare?one={one}&other={other}" + "".join(f"&{k}={v}" for k, v in more.items())


def test_two_runs_stand_side_by_side_where_they_differ_first(
    view: View, client: TestClient
) -> None:
    page = loaded(client, compared(view, "first", "second"))

    shown = text(page)
    assert "Both runs have 5 points with the same words. Their verdicts differ on 3 ;" in shown
    assert "1 flag is of the first run alone, 1 of the second alone" in shown
    rows = re.findall(r'<tr><th scope="row">(.*?)</tr>', page.partition("pairs")[2], re.S)
    assert [row.partition("<br>")[0] for row in rows] == [
        "No ablation is shown",
        "The baselines were not tuned",
        "It is unclear how kelp was counted",
    ]
    for name in ("first", "second"):
        place = f"/run/{key(view, name)}/paper/p0?point={anchor_of('p0/r0#1')}"
        assert place in rows[0]
        assert client.get(place).status_code == 200
    assert "Each run by itself" in shown


def test_pairs_are_those_that_compare_pairs(view: View, client: TestClient) -> None:
    one, other = (run.path for run in view.runs.shelf.runs() if run.name in ("first", "second"))
    found = compare_runs(one, other, how=Resampling(resamples=20, scheme="papers")).found

    page = loaded(client, compared(view, "first", "second", change="all"))

    assert found.shared == 5
    assert f'All shared <span class="count">{found.shared}' in page


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"change": "second"}, ["The baselines were not tuned"]),
        ({"change": "both"}, [HOSTILE]),
        ({"change": "all", "words": "thin"}, ["The proof is thin"]),
        ({"type": "question"}, []),
        ({"change": "<x>", "page": "x", "words": "no ab"}, ["No ablation is shown"]),
    ],
)
def test_the_points_of_two_runs_are_filtered_by_the_address(
    view: View, client: TestClient, more: dict[str, str], words: list[str]
) -> None:
    page = loaded(client, compared(view, "first", "second", **more))

    listed = re.findall(r'<tr><th scope="row">(.*?)<br>', page.partition("pairs")[2])
    assert words == [html.unescape(row) for row in listed]
    assert "<script>window" not in page


def test_runs_that_share_no_point_are_two_sets_of_papers(view: View, client: TestClient) -> None:
    shown = text(loaded(client, compared(view, "first", "later")))

    assert "The two runs share no point: they are two sets of papers." in shown
    assert "Judged misinformed: two sets of papers" in shown
    assert "Point by point" not in shown


def test_why_no_rate_is_compared_is_said_without_a_path(view: View, client: TestClient) -> None:
    page = loaded(client, compared(view, "first", "finder"))

    assert "No rates are compared." in page
    assert "finder is of the embedded judge" in page
    assert str(view.runs.shelf.folder) not in page


def test_a_run_of_before_is_paired_by_review_and_words(view: View, client: TestClient) -> None:
    twice = [*SECOND[:5], flag("p0/r0#3", True, "The proof is thin")]
    venue_run(view.runs.shelf.folder / "today", named_by_content(twice))
    view.runs.shelf = Shelf(view.runs.shelf.folder)

    page = loaded(client, compared(view, "first", "today", change="all"))

    assert "Both runs have 5 points with the same words" in text(page)


def test_what_was_compared_is_made_anew_when_a_run_has_grown(
    view: View, client: TestClient
) -> None:
    address = compared(view, "first", "second", change="all")
    loaded(client, address)
    with (view.runs.shelf.folder / "second" / "points.jsonl").open("a", encoding="utf-8") as file:
        file.write(FIRST[5].model_copy(update={"point_id": "p2/r1#9"}).model_dump_json() + "\n")
    with (view.runs.shelf.folder / "first" / "points.jsonl").open("a", encoding="utf-8") as file:
        file.write(FIRST[5].model_copy(update={"point_id": "p2/r1#9"}).model_dump_json() + "\n")

    page = loaded(client, address, "made anew")

    assert "Both runs have 6 points" in text(page)
    assert len(list(view.cache.glob("pairs-*"))) == 1


def test_two_ticked_runs_are_compared_and_any_other_number_is_asked_again(
    view: View, client: TestClient
) -> None:
    one, other = key(view, "first"), key(view, "second")

    assert client.get(f"/compare?run={one}&run={other}").url.path == "/compare"
    for wrong in ("", f"?run={one}", f"?run={one}&run={one}", f"?one={one}&other={one}"):
        assert "Tick two runs" in client.get(f"/compare{wrong}").text
    assert client.get(f"/compare?one={one}&other=../x").status_code == 404


def test_who_may_not_see_all_papers_compares_no_runs_and_sees_counts_of_these_alone(
    view: View, tmp_path: Path
) -> None:
    table = tmp_path / "who.csv"
    table.write_text("person,role,paper\nAC7,area-chair,p0\n", "utf-8")
    view.people = replace(view.people, rights=read_assignments(table))
    where = titled(view)

    with entered(view, view.people.invite("AC7")) as chair:
        page = chair.get(where).text
        assert chair.get(compared(view, "first", "second")).status_code == 403

    assert TITLES["p0"] in page
    assert TITLES["p1"] not in page
    assert "1 flag among 2 points of 1 review of 1 paper" in text(page)
