"""Who may use the app, until when, and what of a run each person sees."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reviewscore.view.people import INVITATIONS, OWNER
from tests.report.synthetic import many_points, write_run
from tests.view.opened import App, Elements, csrf, opened

RIGHTS = (
    "AC1,area-chair,p1\n"
    "AC2,area-chair,p2\n"
    "PC,program-chair,\n"
    "PC,conflict,p3\n"
    "REV,author,p1\n"
    "AC2,author,p1\n"
)
PAPERS = {"p0", "p1", "p2", "p3"}


def folder_of(tmp_path: Path) -> Path:
    write_run(tmp_path / "runs" / "run", many_points(4, 12))
    return tmp_path / "runs"


def invite(app: App, name: str) -> str:
    """The address that the owner is shown for somebody."""
    owner = app.enter()
    page = owner.get("/people").text
    shown = owner.post("/people", data={"csrf": csrf(page), "act": "invite", "name": name}).text
    return Elements(shown).text.partition("/enter/")[2].split()[0]


def test_an_invitation_opens_the_app_until_it_is_revoked(tmp_path: Path) -> None:
    with opened(folder_of(tmp_path)) as app:
        key = invite(app, "AC7")
        guest, owner = app.browser(), app.enter()
        entered = guest.get(f"/enter/{key}", follow_redirects=False)
        first = guest.get(app.run()).status_code

        form = {"csrf": csrf(owner.get("/people").text), "act": "revoke", "name": "AC7"}
        owner.post("/people", data=form)

        assert first == 200
        for path in ("/", app.run(), f"{app.run()}/paper/p0", f"{app.run()}/next", "/people"):
            assert guest.get(path).status_code == 403, path
        assert guest.get(f"/enter/{key}").status_code == 403
        assert key not in (tmp_path / "runs" / INVITATIONS).read_text("utf-8")
        cookie = entered.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=lax" in cookie
        assert key not in guest.get("/").text


def test_a_new_invitation_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    with opened(folder_of(tmp_path)) as app:
        old, new = (app.view.people.invite("AC7") for _ in range(2))

        assert app.browser().get(f"/enter/{old}").status_code == 403
        assert app.browser().get(f"/enter/{new}").status_code == 200


def test_only_the_owner_invites_and_only_pseudonyms(tmp_path: Path) -> None:
    with opened(folder_of(tmp_path)) as app:
        guest, owner = app.enter("AC7"), app.enter()
        secret = csrf(owner.get("/people").text)
        mine = app.view.form_secret(app.view.people.of_key(guest.cookies[app.view.cookies[1]]))  # type: ignore[arg-type]

        assert guest.get("/people").status_code == 403
        for form in (secret, mine, ""):
            sent = {"csrf": form, "act": "invite", "name": "AC8"}
            assert guest.post("/people", data=sent).status_code == 403
        for name in ("owner", "", "ada@example.org", "<b>x</b>", "x" * 300, "a\nb"):
            reply = owner.post("/people", data={"csrf": secret, "name": name})
            assert reply.status_code == 422, name
            assert "<b>x" not in reply.text
        assert app.view.people.names() == ["AC7"]


def test_whom_nobody_invited_can_be_revoked_without_harm(tmp_path: Path) -> None:
    with opened(folder_of(tmp_path)) as app:
        owner = app.enter()
        form = {"csrf": csrf(owner.get("/people").text), "act": "revoke", "name": "nobody"}

        assert owner.post("/people", data=form).status_code in (404, 422, 507)
        assert owner.get("/people").status_code == 200


@pytest.mark.parametrize(
    ("name", "seen"),
    [("AC1", {"p1"}), ("AC2", {"p2"}), ("PC", {"p0", "p1", "p2"}), ("REV", set()), ("NEW1", set())],
)
def test_a_person_sees_the_papers_of_their_table_and_no_trace_of_others(
    tmp_path: Path, name: str, seen: set[str]
) -> None:
    with opened(folder_of(tmp_path), RIGHTS) as app:
        guest, run = app.enter(name), app.run()
        every = app.enter()

        for paper in PAPERS:
            for kind in ("paper", "pane", "page"):
                own, theirs = (one.get(f"{run}/{kind}/{paper}") for one in (every, guest))
                expected = own.status_code if paper in seen else 404
                assert expected == theirs.status_code, (kind, paper)
        unknown = guest.get(f"{run}/paper/none").text
        assert all(guest.get(f"{run}/paper/{paper}").text == unknown for paper in PAPERS - seen)
        for query in ("", "list=points", "words=learning", "words=learning&list=points", "sort=id",
                      "verdict=flag&list=points", "page=2", "sort=title&list=points"):  # fmt: skip
            page = guest.get(f"{run}?{query}").text
            links = " ".join(Elements(page).links)
            listed = set() if "page" in query else seen
            assert set(re.findall(r"/paper/(\w+)", links)) == listed, query
            assert all(f"{one}-r" not in page for one in PAPERS - seen)
        plain = Elements(guest.get(run).text).text
        assert (f"{12 * len(seen)} points" in plain) is bool(seen)  # others are led to their own
        assert "48" not in plain
        assert ">48<" not in guest.get("/?all=1").text


@pytest.mark.parametrize(("name", "seen"), [("AC1", {"p1"}), ("PC", {"p0", "p1", "p2"})])
def test_the_next_point_is_one_that_a_person_may_see(
    tmp_path: Path, name: str, seen: set[str]
) -> None:
    with opened(folder_of(tmp_path), RIGHTS) as app:
        guest, run = app.enter(name), app.run()
        met, query = [], ""
        for _ in range(60):
            place = guest.get(f"{run}/next?{query}", follow_redirects=False).headers["location"]
            if "done=1" in place:
                break
            paper = place.partition("/paper/")[2].partition("?")[0]
            point = place.partition("point=")[2].partition("&")[0]
            if (paper, point) in met:
                break
            met.append((paper, point))
            query = f"paper={paper}&point={point}"

        assert seen == {paper for paper, _ in met}
        assert len(met) == len(set(met)) == app.view.runs.get(
            run.rpartition("/")[2]
        ).index.totals(seen).flags  # fmt: skip


def test_points_of_other_papers_change_nothing_of_what_is_next(tmp_path: Path) -> None:
    with opened(folder_of(tmp_path), RIGHTS) as app:
        guest, run = app.enter("AC1"), app.run()
        index = app.view.runs.get(run.rpartition("/")[2]).index
        own, others = index.of_paper("p1"), index.of_paper("p0")

        def after(paper: str, point: str) -> str:
            query = f"paper={paper}&point={point}&list=points"
            return guest.get(f"{run}/next?{query}", follow_redirects=False).headers["location"]

        assert len({after("p1", line.anchor) for line in own}) > 1
        assert {after("none", "none")} == {after("p0", line.anchor) for line in others}


def test_an_invitation_holds_when_the_app_is_started_again(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    with opened(folder) as app:
        cookies = dict(app.enter("AC7").cookies)
        owners = dict(app.enter().cookies)
    with opened(folder) as app:
        guest, former = app.browser(), app.browser()
        guest.cookies.update(cookies)
        former.cookies.update(owners)

        assert guest.get(app.run()).status_code == 200
        assert former.get(app.run()).status_code == 403


def test_a_file_of_invitations_makes_nobody_the_owner(tmp_path: Path) -> None:
    with opened(folder_of(tmp_path)) as app:
        key = app.view.people.keys.issue(OWNER)

        assert app.browser().get(f"/enter/{key}").status_code == 403


def test_live_events_are_for_those_who_see_all(tmp_path: Path) -> None:
    with opened(folder_of(tmp_path), RIGHTS) as app:
        assert app.enter("AC1").get(f"{app.run()}/live").status_code in (403, 404)
        assert app.enter("AC1").get("/new").status_code in (403, 404)


def test_a_version_of_a_paper_is_for_whom_the_paper_is(tmp_path: Path) -> None:
    points = [
        one.model_copy(update={"paper_id": f"{one.paper_id}@v2"}) for one in many_points(4, 3)
    ]
    write_run(tmp_path / "runs" / "run", points)
    with opened(tmp_path / "runs", RIGHTS) as app:
        guest = app.enter("AC1")

        assert guest.get(f"{app.run()}/paper/p1%40v2").status_code == 200
        assert guest.get(f"{app.run()}/paper/p0%40v2").status_code == 404


def test_whoever_invites_is_told_what_the_table_lets_people_see(tmp_path: Path) -> None:
    with opened(folder_of(tmp_path), RIGHTS) as app:
        owner = app.enter()
        form = {"csrf": csrf(owner.get("/people").text), "act": "invite"}
        named, unnamed = (
            owner.post("/people", data=form | {"name": name}) for name in ("AC1", "AC11")
        )

        assert "what the table of assignments gives to this name" in named.text
        assert "sees what you see here" not in named.text
        assert "does not name" not in named.text
        assert "does not name AC11, so no paper is shown" in unnamed.text
