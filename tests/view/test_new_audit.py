"""A new audit from the browser: what is sent is kept safely, costed, begun, stopped, gone on."""

from __future__ import annotations

import asyncio
import io
import re
import threading
import time
import zipfile
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.loopback import Loopback
from tests.view.owned_app import EXAMPLE, HERE, REVIEW, App, Files, paper, review


def docx(*paragraphs: str, size: int = 0) -> bytes:
    """A Word file of paragraphs, or one that unpacks to so many bytes."""
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    body = "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in paragraphs)
    document = f'<w:document xmlns:w="{space}"><w:body>{body}{" " * size}</w:body></w:document>'
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("word/document.xml", document)
    return packed.getvalue()


def test_an_example_goes_from_the_form_to_its_result(app: App) -> None:
    sent = app.send([("papers", ("My paper.pdf", EXAMPLE.read_bytes()))], pasted=REVIEW)
    name = sent.url.path.rpartition("/")[2]
    assert app.until(name, "ready", "refused") == "ready"

    costed = app.client.get(f"/new/{name}").text
    app.post(f"/new/{name}", act="start")
    assert app.until(name, "done", "stopped") == "done"
    page = app.client.get(f"/new/{name}").text
    link = re.search(r'href="(/run/[^"]+)"', page)
    assert link is not None
    result = app.client.get(link[1]).text

    assert "no calls, no cost" in costed
    assert "Second Readers: Filtering Label Noise" in result  # the title of the paper
    with app.client.stream("GET", f"{link[1]}/live") as events:
        said = events.read().decode()
    assert events.headers["content-type"].startswith("text/event-stream")
    assert '"state": "finished"' in said
    assert said.endswith("event: end\ndata: {}\n\n")


def test_a_word_file_is_read_and_one_that_unpacks_without_end_is_left_out(app: App) -> None:
    files = [
        paper(),
        review("R1.docx", docx(*REVIEW.splitlines())),
        review("R2.docx", docx("- There is no code.", size=30_000_000)),
    ]

    name = app.send(files).url.path.rpartition("/")[2]
    assert app.until(name, "ready", "refused") == "ready"

    page = app.client.get(f"/new/{name}").text
    assert "1 paper · 1 review · 2 points" in page
    assert "R2.docx: unpacked, is larger than" in page
    assert str(app.folder) not in app.view.jobs.get(name).said("estimate")[1]


HOSTILE = (
    "../../escaped.txt",
    "..\\..\\escaped.txt",
    "--output=escaped.txt",
    "<img src=x onerror=alert(1)>.txt",
    "a\x01\u202eb" + "x" * 3_000 + ".txt",
    "nul.txt",
    ".hidden.txt",
    "R1.txt",
    "r1.TXT",
)


def test_the_name_of_a_file_is_no_path_no_option_and_no_markup(app: App, tmp_path: Path) -> None:
    reviews = [
        review(name, f"{REVIEW}\nIn version {n} this is worse.".encode())
        for n, name in enumerate(HOSTILE)
    ]

    name = app.send([paper("--help.txt"), *reviews]).url.path.rpartition("/")[2]
    assert app.until(name, "ready", "refused") == "ready"

    page = app.client.get(f"/new/{name}").text
    assert f"1 paper · {len(HOSTILE)} reviews" in page
    assert "<img" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;.txt" in page
    escaped = [path for path in tmp_path.rglob("*") if "escaped" in path.name]
    assert all(path.is_relative_to(app.folder / name / "data") for path in escaped)
    plain = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
    assert all(plain.fullmatch(path.name) for path in (app.folder / name).rglob("*"))


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ([review()], "Choose a paper"),
        ([paper()], "Choose a review, or paste one"),
        ([paper(), review("R1.exe")], "R1.exe is no review"),
        ([paper("a.txt"), paper("b.txt"), review()], "Several papers at once are PDFs"),
        ([paper(text=""), review()], "frogs.txt is empty"),
    ],
)
def test_what_cannot_be_audited_is_said_and_leaves_nothing(
    app: App, files: Files, said: str
) -> None:
    sent = app.send(files)

    assert sent.status_code == 422
    assert said in sent.text
    assert list(app.folder.iterdir()) == []


def test_a_paper_that_cannot_be_read_fails_with_the_reason(app: App) -> None:
    name = app.send([paper("p.pdf", "no PDF at all"), review()]).url.path.rpartition("/")[2]
    app.until(name, "ready")

    app.post(f"/new/{name}", act="start")
    app.until(name, "done")

    page = app.client.get(f"/new/{name}").text
    assert "Some of it failed" in page
    assert "Try again what failed" in page


def test_a_review_of_several_papers_is_sorted_by_name_or_by_hand(app: App) -> None:
    pdf = EXAMPLE.read_bytes()
    files = [
        ("papers", ("p1.pdf", pdf)),
        ("papers", ("p1-x.pdf", pdf)),
        review("p1-R1.txt"),
        review("comments.txt", b"- The learning rate is missing."),
        review("spam.txt"),
    ]

    name = app.send(files).url.path.rpartition("/")[2]
    job = app.view.jobs.get(name)
    waiting = job.phase
    app.post(f"/new/{name}", act="sort", **{"paper-1": "1", "paper-2": "none"})
    assert app.until(name, "ready", "refused") == "ready"

    assert waiting == "sort"
    assert [one.place for one in job.order.reviews] == ["1-p1/p1-R1.txt", "2-p1-x/comments.txt"]
    assert "2 papers · 2 reviews" in job.said("estimate")[0]


def test_one_table_holds_the_reviews_of_several_papers(app: App) -> None:
    table = "review_id,paper_id,text\nr1,a,There is no ablation.\nr2,b,Which rate do you use?\n"

    sent = app.send([paper("a.txt"), paper("b.md"), review("all.csv", table.encode())])
    name = sent.url.path.rpartition("/")[2]

    assert app.until(name, "ready", "refused") == "ready"
    assert "2 papers · 2 reviews" in app.view.jobs.get(name).said("estimate")[0]


def test_an_audit_is_stopped_and_goes_on_without_paying_twice(app: App, loopback: Loopback) -> None:
    held = threading.Event()

    async def hold(*_: object) -> None:
        while not held.is_set():
            await asyncio.sleep(0.01)

    loopback.mishap = hold  # type: ignore[assignment] # it spoils nothing
    judge = {"judge": "other", "model": "openai/scripted", "base_url": loopback.url}
    name = app.send([paper(), review()], **judge).url.path.rpartition("/")[2]
    assert app.until(name, "ready", "refused") == "ready"
    job = app.view.jobs.get(name)

    app.post(f"/new/{name}", act="start")
    while not loopback.under_way:
        assert job.busy, job.said("audit")
        time.sleep(0.02)
    running = app.client.get(f"/new/{name}").text
    app.post(f"/new/{name}", act="stop")
    stopping = app.client.get(f"/new/{name}").text
    held.set()
    assert app.until(name, "stopped", "done") == "stopped"
    stopped = app.client.get(f"/new/{name}").text
    app.post(f"/new/{name}", act="start")

    assert app.until(name, "done", "stopped") == "done", job.said("audit")
    assert "While it is being written" in running
    assert "Stop at once" in stopping
    assert "Go on" in stopped
    assert set(loopback.served.values()) == {1}


def test_texts_leave_this_machine_only_after_a_word(app: App) -> None:
    judge = {"judge": "other", "model": "openai/gpt-5", "base_url": "https://models.example.org/v1"}

    unasked = app.send([paper(), review()], **judge)
    agreed = app.send([paper(), review()], may_leave="yes", **judge)

    assert "would leave this machine for openai/gpt-5" in unasked.text
    assert agreed.url.path == "/new/frogs"


@pytest.mark.parametrize(
    "fields",
    [
        {"judge": "other", "model": "exchange:/etc"},
        {"judge": "other", "model": "nothing/known"},
        {"max_usd": "-1"},
        {"max_usd": "1; rm -r /"},
        {"protocol": "--output=x"},
    ],
)
def test_what_is_typed_is_a_value_or_refused(app: App, fields: dict[str, str]) -> None:
    assert app.send([paper(), review()], **fields).status_code == 422
    assert list(app.folder.iterdir()) == []


def test_only_the_owner_begins_audits_and_forms_carry_their_secret(app: App) -> None:
    sent = app.send([paper(), review()])
    job = sent.url.path
    key = app.view.people.invite("AC7")
    guest = TestClient(app.client.app, base_url=HERE, headers={"origin": HERE})
    guest.get(f"/enter/{key}")

    seen = [guest.get(path).status_code for path in ("/new", job)]
    pushed = [guest.post(path, data={"act": "start"}).status_code for path in ("/new", job)]
    forged = app.client.post("/new", data={"csrf": "x"}, files=[paper(), review()])

    assert seen == [403, 403]
    assert pushed == [403, 403]
    assert forged.status_code == 403
    assert [app.client.get(f"/new/{name}").status_code for name in ("%2e%2e", "none")] == [404, 404]


def test_keys_are_named_and_never_shown(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-mine")

    page = app.client.get("/new").text

    assert "OPENAI_API_KEY" in page
    assert "openai/gpt-5-mini" in page
    assert "sk-secret-of-mine" not in page
