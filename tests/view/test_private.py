"""A draft that is looked at in the app: the pages of the drafts server, and nothing kept."""

from __future__ import annotations

import logging
from pathlib import Path

from starlette.testclient import TestClient

from reviewscore.period.drafts import nothing_logged
from tests.conftest import PAPER
from tests.loopback import Loopback
from tests.view.owned_app import EXAMPLE, HERE, REVIEW, App

WORD = "zygodactyl"
DRAFT = f"{REVIEW}\n- What of {WORD} frogs?\n"


def holding(folder: Path) -> list[Path]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path for path in files if WORD.encode() in path.read_bytes()]


def test_a_draft_is_answered_and_nothing_of_it_is_kept(app: App, tmp_path: Path) -> None:
    form = app.client.get("/private")
    answer = app.post("/private", review=DRAFT, paper=PAPER)

    assert 'action="/private"' in form.text
    assert answer.status_code == 200
    assert "We train with Adam and a learning rate" in answer.text
    assert 'href="/private"' in answer.text
    assert holding(tmp_path) == []
    assert list((tmp_path / "cache").iterdir()) == []


def test_the_paper_may_be_a_pdf_and_style_of_the_page_is_allowed_by_its_sum(app: App) -> None:
    answer = app.post("/private", [("pdf", ("p.pdf", EXAMPLE.read_bytes()))], review=REVIEW)

    assert answer.status_code == 200
    assert "Second Readers" in answer.text
    assert "unsafe-inline" not in answer.headers["content-security-policy"]
    assert "style-src 'self' 'sha256-" in answer.headers["content-security-policy"]


def test_a_model_on_this_machine_may_look_and_one_elsewhere_needs_a_word(
    app: App, loopback: Loopback, tmp_path: Path
) -> None:
    typed = {"judge": "other", "review": DRAFT, "paper": PAPER}
    here = {"model": "openai/scripted", "base_url": loopback.url}
    away = {"model": "openai/gpt-5", "base_url": "https://models.example.org/v1"}

    looked = app.post("/private", **typed, **here)
    refused = app.post("/private", **typed, **away)

    assert looked.status_code == 200
    assert loopback.bodies
    assert refused.status_code == 422
    assert "would leave this machine" in refused.text
    assert holding(tmp_path) == []


def test_guests_are_looked_at_by_the_embedded_judge_alone(app: App, loopback: Loopback) -> None:
    key = app.view.people.invite("R7")
    guest = TestClient(app.client.app, base_url=HERE, headers={"origin": HERE})
    guest.get(f"/enter/{key}")
    visitor = app.view.people.of_key(key)
    assert visitor is not None
    csrf = app.view.form_secret(visitor)
    judge = {"judge": "other", "model": "openai/scripted", "base_url": loopback.url}

    form = guest.get("/private").text
    answer = guest.post("/private", data={"csrf": csrf, "review": DRAFT, "paper": PAPER, **judge})
    forged = guest.post("/private", data={"csrf": "x", "review": DRAFT, "paper": PAPER})

    assert "Who looks" not in form
    assert answer.status_code == 200
    assert loopback.bodies == []
    assert forged.status_code == 403


def test_drafts_that_overlap_are_all_silent_and_the_log_speaks_again_after_them() -> None:
    log = logging.getLogger("reviewscore")
    before = log.propagate

    first, second = nothing_logged(), nothing_logged()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    between = log.propagate
    second.__exit__(None, None, None)

    assert (between, log.propagate) == (False, before)
