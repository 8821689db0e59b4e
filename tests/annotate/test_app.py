"""Addresses, forms and headers: who is let in, what is escaped, what is told."""

from __future__ import annotations

import logging
import re
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
import uvicorn
from starlette.testclient import TestClient

from reviewscore.annotate.app import build_app
from reviewscore.annotate.workspace import COORDINATOR, Workspace
from reviewscore.pages.http_guard import listen
from tests.annotate.invented import (
    ARGUMENT,
    CLAIM,
    QUESTION,
    SECRET_WORDS,
    TYPE,
    finish,
    give,
    make_material,
    make_point,
    make_workspace,
)

HOST = "http://127.0.0.1:8791"
HOSTILE = (
    "<script>window.ran=1</script><img src=x onerror='window.ran=1'><svg onload=window.ran=1>"
    "</textarea></blockquote>\"'><a href='javascript:window.ran=1'>x</a>{{ 7*7 }}\u202egnp.exe "
) + "A" * 100_000


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return make_workspace(tmp_path / "set", make_material(make_point("frogs-r1#4", HOSTILE)))


@pytest.fixture
def client(workspace: Workspace) -> Iterator[TestClient]:
    with TestClient(build_app(workspace), base_url=HOST) as found:
        found.headers["origin"] = HOST
        yield found


def enter(client: TestClient, workspace: Workspace, who: str = "A1") -> None:
    assert client.get(f"/enter/{workspace.token(who)}").status_code == 200
    if who != COORDINATOR:
        workspace.store.introduce(who, 3)
        for paper in ("frogs", "birds"):
            workspace.store.relate(who, paper, 4)


def post(client: TestClient, form: str, point: str, **fields: object) -> tuple[int, str]:
    """A form as the newest page would send it."""
    page = client.get(f"/by/A1/point/{quote(point, safe='')}").text
    hidden = {"csrf": found(page, "csrf"), "version": found(page, "version"), "unit": point}
    data = {name: str(value) for name, value in (hidden | fields).items()}
    reply = client.post(
        f"/by/A1/{form}/{quote(point, safe='')}", data=data, headers={"x-part": "1"}
    )
    return reply.status_code, reply.text


def found(page: str, name: str) -> str:
    match = re.search(rf'name="{name}" value="([^"]*)"', page)
    assert match is not None, page[:500]
    return match[1]


def test_without_a_token_there_is_nothing_to_see(client: TestClient) -> None:
    for path in ("/", "/by/A1", "/coordinator", f"/by/A1/point/{quote(CLAIM)}", "/enter/wrong"):
        reply = client.get(path)
        assert reply.status_code == 403, path
        assert "frogs" not in reply.text


def test_a_token_opens_only_its_own_pages(client: TestClient, workspace: Workspace) -> None:
    enter(client, workspace)

    assert client.get("/by/A1").status_code == 200
    assert client.get("/by/A2").status_code == 403
    assert client.get("/coordinator").status_code == 403


def test_the_cookie_is_kept_from_scripts_and_other_paths(
    client: TestClient, workspace: Workspace
) -> None:
    reply = client.get(f"/enter/{workspace.token('A1')}", follow_redirects=False)

    cookie = reply.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "Path=/by/A1" in cookie
    assert "SameSite=lax" in cookie


def test_other_hosts_origins_and_methods_are_refused(
    client: TestClient, workspace: Workspace
) -> None:
    enter(client, workspace)

    assert client.get("/by/A1", headers={"host": "evil.example"}).status_code == 403
    form = {"csrf": workspace.csrf("A1"), "publications": "3"}
    for origin in ("https://evil.example", "null", "http://127.0.0.1:1"):
        reply = client.post("/by/A1/about", data=form, headers={"origin": origin})
        assert reply.status_code == 403
    assert client.put("/by/A1").status_code == 403


@pytest.mark.parametrize(
    "request_text",
    [
        "GET / HTTP/1.1\r\nHost: [::1\r\n",
        "GET / HTTP/1.1\r\nHost: 127.0.0.1]\r\n",
        "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: 127.0.0.1\r\n",
        "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nContent-Length: -1\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n"
        "Transfer-Encoding: chunked\r\n\r\n5\r\na=bcd\r\n0\r\n",
        "GET /\xff HTTP/1.1\r\nHost: localhost\r\n",
        "\x16\x03\x01 hello\r\n",
    ],
)
def test_a_malformed_request_is_refused_and_nothing_else_happens(
    workspace: Workspace, caplog: pytest.LogCaptureFixture, request_text: str
) -> None:
    door = listen(0)
    server = uvicorn.Server(uvicorn.Config(build_app(workspace), lifespan="off", log_config=None))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [door]})
    thread.start()
    try:
        with socket.create_connection(door.getsockname()[:2], timeout=20) as client:
            client.sendall(f"{request_text}\r\n".encode("latin-1"))
            status = client.recv(1000).partition(b"\r\n")[0]
    finally:
        server.should_exit = True
        thread.join(20)
        door.close()

    assert status.split(b" ")[1] == b"400"
    assert not [one for one in caplog.records if one.levelno >= logging.ERROR]


def test_a_form_without_its_secret_is_refused(client: TestClient, workspace: Workspace) -> None:
    enter(client, workspace)

    status, _ = post(client, "label", CLAIM, field="type", value="claim", csrf="guess")

    assert status == 403
    assert workspace.store.given() == []


def test_every_answer_has_the_headers(client: TestClient, workspace: Workspace) -> None:
    enter(client, workspace)
    for path in ("/", "/by/A1", "/static/workspace.js", "/static/nothing", "/enter/x"):
        headers = client.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in headers


def test_too_long_a_form_is_refused(client: TestClient, workspace: Workspace) -> None:
    enter(client, workspace)

    reply = client.post("/by/A1/about", data={"publications": "1" * 300_000})

    assert reply.status_code == 413


def test_hostile_text_is_shown_as_text(client: TestClient, workspace: Workspace) -> None:
    enter(client, workspace)

    page = client.get(f"/by/A1/point/{quote('frogs-r1#4', safe='')}").text

    assert "<script>window" not in page
    assert "<img" not in page
    assert "<svg" not in page
    assert "&lt;script&gt;window.ran=1" in page
    assert "{{ 7*7 }}" in page
    give(workspace, "A1", CLAIM, TYPE, "claim", reason="</textarea><script>window.ran=1</script>")
    assert "<script>window" not in client.get(f"/by/A1/point/{quote(CLAIM, safe='')}").text


def test_everything_is_asked_once_and_in_order(client: TestClient, workspace: Workspace) -> None:
    page = client.get(f"/enter/{workspace.token('A1')}").text
    assert "How many publications" in page
    form = {"csrf": found(page, "csrf")}
    assert client.post("/by/A1/about", data=form | {"publications": "-1"}).status_code == 422
    assert "Your points" in client.post("/by/A1/about", data=form | {"publications": "0"}).text
    page = client.get(f"/by/A1/point/{quote(CLAIM, safe='')}").text
    assert "How near is this paper" in page
    assert client.post(f"/by/A1/near/{quote(CLAIM, safe='')}", data=form | {"value": "6"}).status_code == 422  # fmt: skip  # noqa: E501
    page = client.post(f"/by/A1/near/{quote(CLAIM, safe='')}", data=form | {"value": "5"}).text
    assert "Is the point a question" in page
    assert workspace.store.relevance() == {("A1", "frogs"): 5}
    assert "Your points" in client.get("/by/A1").text


def test_scores_and_reconstruction_are_hidden_until_their_time(
    client: TestClient, workspace: Workspace
) -> None:
    enter(client, workspace)
    blind = client.get(f"/by/A1/point/{quote(ARGUMENT, safe='')}").text
    assert SECRET_WORDS not in blind
    assert "One seed was used." not in blind

    assert post(client, "act", ARGUMENT, what="show")[0] == 422
    post(client, "label", ARGUMENT, field="type", value="argument")
    status, page = post(client, "label", ARGUMENT, field="factuality", value="4")
    assert status == 200
    assert "One seed was used." not in page
    _, page = post(client, "act", ARGUMENT, what="show")
    assert "One seed was used." in page
    assert "Knowledge source" not in page
    _, page = post(client, "label", ARGUMENT, field="faithfulness", value="3")
    assert "Knowledge source" not in page
    _, page = post(client, "label", ARGUMENT, field="faithfulness", value="4")
    assert "Knowledge source" in page
    assert SECRET_WORDS not in page
    _, page = post(client, "act", ARGUMENT, what="peek")
    assert SECRET_WORDS in page


def test_another_window_is_told_and_the_choice_is_kept(
    client: TestClient, workspace: Workspace
) -> None:
    enter(client, workspace)
    give(workspace, "A1", CLAIM, TYPE, "claim")

    status, page = post(
        client, "label", CLAIM, field="type", value="question", version=0, reason="My reason."
    )

    assert status == 409
    assert "another window" in page
    assert "My reason." in page
    assert workspace.store.page("A1", CLAIM).values == {(CLAIM, TYPE): "claim"}
    assert post(client, "label", CLAIM, field="type", value="question")[0] == 200


def test_a_full_disk_is_told_and_the_reason_is_kept(
    client: TestClient, workspace: Workspace
) -> None:
    enter(client, workspace)
    base = workspace.store._base
    base.execute(f"PRAGMA max_page_count = {base.execute('PRAGMA page_count').fetchone()[0]}")

    status, page = post(client, "label", CLAIM, field="type", value="claim", reason="r" * 9_000)

    assert status == 507
    assert "Not saved" in page
    assert "r" * 9_000 in page
    base.execute("PRAGMA max_page_count = 100000")
    assert post(client, "label", CLAIM, field="type", value="claim")[0] == 200


def test_undo_and_skip_by_form(client: TestClient, workspace: Workspace) -> None:
    enter(client, workspace)
    post(client, "label", CLAIM, field="type", value="claim")
    assert "Taken back: label type" in post(client, "act", CLAIM, what="undo")[1]
    assert "Skipped" in post(client, "act", CLAIM, what="skip")[1]
    assert post(client, "label", CLAIM, field="type", value="claim")[0] == 422
    assert post(client, "act", CLAIM, what="dance")[0] == 422


@pytest.mark.parametrize(
    "fields",
    [
        {"field": "nothing", "value": "1"},
        {"field": "type", "value": "essay"},
        {"field": "type", "value": "claim", "unit": "other"},
        {"field": "factuality", "value": "4"},
    ],
)
def test_labels_that_do_not_fit_are_refused(
    client: TestClient, workspace: Workspace, fields: dict[str, str]
) -> None:
    enter(client, workspace)

    assert post(client, "label", CLAIM, **fields)[0] == 422
    assert workspace.store.given() == []


def test_nobody_labels_a_paper_that_is_not_theirs(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path / "own", annotators=("A1", "A2"), per_point=1)
    with TestClient(build_app(workspace), base_url=HOST) as client:
        enter(client, workspace)
        assert client.get(f"/by/A1/point/{quote('birds-r1#1', safe='')}").status_code == 404
        assert client.get(f"/by/A1/point/{quote(QUESTION, safe='')}").status_code == 200


def test_the_coordinator_sees_progress_settles_and_exports(
    client: TestClient, workspace: Workspace
) -> None:
    for who, whole in (("A1", 2), ("A2", 4), ("A3", 4)):
        workspace.store.introduce(who, 3)
        finish(workspace, who, whole=whole)
    enter(client, workspace, COORDINATOR)

    page = client.get("/coordinator").text
    assert "5 of 5" in page
    assert workspace.token("A2") in page
    assert "claims: factuality" in client.get("/coordinator/numbers").text
    page = client.get("/coordinator/disagreements").text
    assert "misinformed or not" in page
    form = {"csrf": found(page, "csrf"), "point": CLAIM, "unit": CLAIM, "field": "factuality"}
    assert client.post("/coordinator/decide", data=form | {"value": "7"}).status_code == 422
    reply = client.post("/coordinator/decide", data=form | {"value": "2", "note": "Sec. 3"})
    assert "Settled: factuality" in reply.text
    reply = client.post("/coordinator/export", data={"csrf": form["csrf"]})
    assert "labels of" in reply.text
    assert (workspace.folder / "labels.jsonl").is_file()
