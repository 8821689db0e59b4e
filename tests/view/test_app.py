"""What the app answers to strangers, tricks and hostile data."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import quote

import pytest

from reviewscore.files import hash_file
from reviewscore.schema.review import PointType
from reviewscore.schema.span import Span
from reviewscore.schema.verdict import Verdict
from reviewscore.view.app import build_app
from reviewscore.view.context import paper_link
from tests.report.synthetic import lexical_points, manifest, model_points, point, write_run
from tests.report.synthetic import quote as quoted
from tests.view.opened import HERE, Elements, csrf, opened

HOSTILE = (
    "</script><by-data><script>window.ran=1</script>\"><img src=x onerror='window.ran=1'>"
    "<svg onload=window.ran=1></textarea></style>{{ 7*7 }}javascript:alert(1) \u202egnp"
)
JAVASCRIPT = "javascript:window.ran=1//"


def runs(tmp_path: Path) -> Path:
    write_run(tmp_path / "runs" / "run", model_points())
    write_run(tmp_path / "runs" / "deep" / "er", lexical_points(), made=manifest("lexical"))
    return tmp_path / "runs"


def hostile_run(folder: Path, name: str, paper_id: str) -> Path:
    """A run in which every text is hostile, and its data likewise."""
    data = folder.parent / f"data-{len(list(folder.parent.iterdir()))}"
    data.mkdir()
    paper = {"paper_id": paper_id, "title": HOSTILE, "text": f"1 {HOSTILE}\nThe rate is 0.003."}
    review = {"review_id": f"{HOSTILE}-r", "paper_id": paper_id, "sections": {HOSTILE: HOSTILE}}
    (data / "papers.jsonl").write_text(json.dumps(paper) + "\n", "utf-8")
    (data / "reviews.jsonl").write_text(json.dumps(review) + "\n", "utf-8")
    evidence = (quoted("The learning rate is 0.003").model_copy(
        update={"quote": HOSTILE, "section": HOSTILE}),)  # fmt: skip
    verdict = Verdict(scale="factuality", score=1, rationale=HOSTILE, answer=HOSTILE,
                      evidence=evidence)  # fmt: skip
    kinds = [
        point(7, HOSTILE, type=PointType.CLAIM, base=1, misinformed=True, verdict=verdict,
              evidence=evidence, section=HOSTILE),
        *model_points(),
    ]  # fmt: skip
    points = [
        one.model_copy(
            update={
                "paper_id": paper_id, "review_id": f"{HOSTILE}-r", "text": HOSTILE,
                "section": HOSTILE, "point_id": f"{HOSTILE}#{number}", "context": HOSTILE,
                "rationale": HOSTILE, "span": Span(field=HOSTILE, start=0, end=len(HOSTILE)),
                "error": None if one.error is None else HOSTILE,
            }
        )
        for number, one in enumerate(kinds)
    ]  # fmt: skip
    inputs = tuple(hash_file(data / f"{name}.jsonl") for name in ("papers", "reviews"))
    made = manifest(HOSTILE, data=str(data), inputs=inputs, warnings=(HOSTILE,))
    return write_run(folder / name, points, made=made)


def made_by_data(page: str) -> list[str]:
    """Elements and attributes that come from data."""
    elements = Elements(page)
    found = [tag for tag, _ in elements.found if tag == "by-data"]
    scripts = [with_.get("src") or "" for tag, with_ in elements.found if tag == "script"]
    found += [one for one in scripts if not one.startswith("/static/")]
    for tag, with_ in elements.found:
        found += [f"{tag} {name}" for name in with_ if name.startswith("on") or name == "style"]
        found += [
            f"{tag} {name}={value}"
            for name, value in with_.items()
            if name in ("href", "src", "action", "formaction", "xlink:href", "data")
            and not (value or "").startswith(("/", "#", "?"))
        ]
        if tag == "img":
            found += [] if (with_.get("src") or "").startswith("/run/") else ["img"]
    return found


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", '"><img onerror=x>', "a&amp;b'"])
@pytest.mark.parametrize("paper_id", [HOSTILE, JAVASCRIPT, "../../etc/passwd", "a/b?c=1&d#e"])
def test_hostile_text_is_text_on_every_page(tmp_path: Path, name: str, paper_id: str) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    hostile_run(folder, name.replace("/", "∕"), paper_id)
    write_run(folder / HOSTILE.replace("/", "∕")[:80], model_points(), made=manifest(HOSTILE))
    with opened(folder) as app:
        owner = app.enter()
        key = next(one.key for one in app.view.runs.shelf.runs() if "ran=1" not in one.name[:60])
        run, paper = f"/run/{key}", paper_link(key, paper_id)
        pages = ["/?all=1", run, f"{run}?list=points", paper, f"{paper}?point={quote(HOSTILE)}",
                 f"{run}?words={quote(HOSTILE)}", f"{run}?words={quote(HOSTILE)}&list=points",
                 f"{run}?verdict={quote(HOSTILE)}&type={quote(HOSTILE)}&page={quote(HOSTILE)}",
                 paper.replace("/paper/", "/pane/", 1), "/people", "/new",
                 f"/run/{quote(HOSTILE, safe='')}", f"{run}/paper/{quote(HOSTILE, safe='')}x",
                 f"/static/{quote(HOSTILE, safe='')}", f"/enter/{quote(HOSTILE)}"]  # fmt: skip

        shown = {path: owner.get(path) for path in pages}

        assert [made_by_data(reply.text) for reply in shown.values()] == [[]] * len(pages)
        for reply in shown.values():
            assert "script-src 'self'" in reply.headers["content-security-policy"]
            assert reply.status_code in (200, 403, 404)
        assert [shown[path].status_code for path in pages[:4]] == [200] * 4
        assert HOSTILE[:40] in Elements(shown[paper].text).text
        assert "Text of the review" in shown[paper].text
        if paper_id == HOSTILE:
            link = next(one for one in Elements(shown[run].text).links if "/paper/" in one)
            assert owner.get(link).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "evil.example:8793", "[::1", "", "a b"]
)
def test_other_hosts_are_refused(tmp_path: Path, host: str) -> None:
    with opened(runs(tmp_path)) as app:
        reply = app.enter().get("/?all=1", headers={"host": host})

        assert reply.status_code in (400, 403)
        assert "run" not in reply.text.replace("runs", "")


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:1", ""])
def test_forms_of_other_pages_are_refused(tmp_path: Path, origin: str) -> None:
    with opened(runs(tmp_path)) as app:
        owner = app.enter()
        form = {"csrf": csrf(owner.get("/people").text), "name": "AC1"}
        refused = owner.post("/people", data=form, headers={"origin": origin})

        assert refused.status_code == 403
        assert app.view.people.names() == []


@pytest.mark.parametrize("secret", [None, "", "x" * 32, "\x00", "é" * 40])
def test_forms_without_their_secret_are_refused(tmp_path: Path, secret: str | None) -> None:
    with opened(runs(tmp_path)) as app:
        owner = app.enter()
        form = {"name": "AC1"} | ({} if secret is None else {"csrf": secret})

        assert owner.post("/people", data=form).status_code == 403
        assert owner.post("/new", data=form).status_code == 403
        assert app.view.people.names() == []


def test_what_is_too_large_or_of_another_method_is_refused(tmp_path: Path) -> None:
    with opened(runs(tmp_path)) as app:
        owner = app.enter()
        secret = csrf(owner.get("/people").text)

        large = owner.post("/people", data={"csrf": secret, "name": "x" * 300_000})
        many = owner.post("/people", data={"csrf": secret} | {f"f{n}": "" for n in range(5_000)})
        parts = owner.post("/people", data={"csrf": secret}, files={"name": ("a", b"x" * 100)})

        assert large.status_code == 413
        assert many.status_code in (400, 413, 422)
        assert parts.status_code in (400, 413, 422)
        assert {owner.put("/").status_code, owner.delete("/people").status_code} == {403}
        assert app.view.people.names() == []


@pytest.mark.parametrize(
    ("to", "place"),
    [
        ("/run/x?words=a&page=2", "/run/x?words=a&page=2"),
        ("https://evil.example/", "/"),
        ("//evil.example", "/"),
        ("/\\evil.example", "/"),
        ("/\t/evil.example", "/"),
        ("/\n/evil.example", "/"),
        ("javascript:alert(1)", "/"),
        ("\\\\evil.example", "/"),
        ("http:/run", "/"),
        ("run/x", "/"),
        (" //evil.example", "/"),
        ("", "/"),
    ],
)
def test_entering_leads_to_own_pages_alone(tmp_path: Path, to: str, place: str) -> None:
    with opened(runs(tmp_path)) as app:
        reply = app.browser().get(
            f"/enter/{app.view.people.secret}?to={quote(to, safe='')}", follow_redirects=False
        )

        assert reply.headers["location"] == place


@pytest.mark.parametrize(
    "path",
    [
        "..", "../..", "%2e%2e", "%2e%2e%2f%2e%2e%2fetc%2fpasswd", "..%5c..", "%00", "run%00",
        "run/..", "x" * 5_000, "%ff%fe", "%ed%a0%80", "*", "'; DROP TABLE points;--", "\u202e",
    ],
)  # fmt: skip
def test_path_tricks_find_nothing(tmp_path: Path, path: str) -> None:
    (tmp_path / "secret.txt").write_text("secret words", "utf-8")
    with opened(runs(tmp_path)) as app:
        owner, run = app.enter(), app.run()

        for address in (f"/run/{path}", f"{run}/paper/{path}", f"{run}/pane/{path}",
                        f"{run}/page/{path}", f"/static/{path}", f"/new/{path}",
                        f"/run/{path}/paper/tides", f"{run}/next?paper={path}&point={path}",
                        f"{run}?words={path}&page={path}"):  # fmt: skip
            reply = owner.get(address)
            assert reply.status_code in (200, 400, 404), (address, reply.status_code)
            assert "secret words" not in reply.text
            if "?" not in address and reply.status_code == 200:
                assert reply.url.path in ("/", "/new", run, f"{run}/paper/tides"), address


@pytest.mark.parametrize("paper_id", ["...", " ", "a//b", "p?q#r", "ü/../x", "<b>"])
def test_any_identifier_has_a_page_that_its_link_opens(tmp_path: Path, paper_id: str) -> None:
    points = [one.model_copy(update={"paper_id": paper_id}) for one in model_points()]
    write_run(tmp_path / "runs" / "run", points)
    with opened(tmp_path / "runs") as app:
        owner = app.enter()
        page = owner.get(app.run()).text
        (link,) = {one for one in Elements(page).links if "/paper/" in one}

        reply = owner.get(link)

        assert reply.status_code == 200
        assert "What learning rate was used?" in reply.text


@pytest.mark.parametrize("key", ["", "x", "é", "\x00", "a" * 10_000, "owner"])
def test_a_cookie_that_is_nobodys_opens_nothing(tmp_path: Path, key: str) -> None:
    with opened(runs(tmp_path)) as app:
        cookie = f"{app.view.cookies[0]}={quote(key)}"
        for path in ("/", app.run(), "/people", f"{app.run()}/paper/tides", "/new"):
            reply = app.browser().get(path, headers={"cookie": cookie})
            assert reply.status_code == 403
            assert "tide" not in reply.text


def test_a_run_whose_points_are_damaged_says_so_and_the_others_stay(tmp_path: Path) -> None:
    folder = runs(tmp_path)
    with (folder / "run" / "points.jsonl").open("ab") as file:
        file.write(b'{"point": "none"}\n')
    with opened(folder) as app:
        owner, guest = app.enter(), app.enter("AC1")

        page, shown = owner.get(app.run()).text, guest.get(app.run()).text

        assert "no record of a point" in page
        assert "Not all points are shown" in shown
        assert str(folder) not in shown
        assert owner.get(app.run("deep/er")).status_code == 200


def test_more_runs_than_are_held_open_are_shown_all_the_same(tmp_path: Path) -> None:
    for number in range(12):
        write_run(tmp_path / "runs" / f"r{number}", model_points())
    with opened(tmp_path / "runs") as app:
        owner = app.enter()
        for _ in range(2):
            for number in range(12):
                page = owner.get(app.run(f"r{number}"))
                assert (
                    "What learning rate was used?"
                    in owner.get(f"{app.run(f'r{number}')}?list=points").text
                )
                assert page.status_code == 200


def test_the_app_is_the_same_for_every_build(tmp_path: Path) -> None:
    with opened(runs(tmp_path)) as app:
        assert build_app(app.view).routes
        assert app.browser().get(f"{HERE}/static/view.js").headers["content-type"].startswith(
            "text/javascript"
        )  # fmt: skip
