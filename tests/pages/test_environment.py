"""One environment, one palette and one policy for the pages of all rooms."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

import pytest

from reviewscore.annotate.pages import asset
from reviewscore.pages.environment import (
    content_security_policy,
    encodable,
    environment,
    render,
    rendered,
    soft,
)
from reviewscore.pages.figures import FigurePage, html

PACKAGE = Path(__file__).parents[2] / "reviewscore"
EMPTY = FigurePage("T", "", "", (), (), ())


def test_a_page_without_a_script_may_run_none() -> None:
    page = html(EMPTY).replace("&#39;", "'")

    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'; script-src 'none'" in page
    assert "<script" not in page


@pytest.mark.parametrize(
    ("more", "directive"),
    [({}, "form-action 'none'"), ({"form_action": "'self'"}, "form-action 'self'")],
)
def test_a_policy_allows_what_is_named_and_nothing_else(
    more: dict[str, str], directive: str
) -> None:
    policy = content_security_policy(style="'self'", script="'none'", **more).split("; ")

    names = [one.split()[0] for one in policy]
    assert len(set(names)) == len(names)
    assert {"default-src 'none'", "style-src 'self'", "base-uri 'none'", directive} < set(policy)


def test_colours_are_defined_in_one_style_that_every_page_has() -> None:
    rooms = [path for path in PACKAGE.glob("*/templates/*.css") if path.parts[-3] != "pages"]

    assert rooms
    assert not [path for path in rooms if re.search(r"--[a-z0-9]+\s*:", path.read_text("utf-8"))]
    for style in (asset("workspace.css"), html(EMPTY)):
        used = set(re.findall(r"var\((--[a-z0-9]+)\)", style))
        assert used <= set(re.findall(r"(--[a-z0-9]+):", style))


def test_templates_are_loaded_in_one_place() -> None:
    loading = [
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if "PackageLoader(" in path.read_text("utf-8")
    ]

    assert loading == ["pages/environment.py"]


@pytest.mark.parametrize(
    "room", ["reviewscore.pages", "reviewscore.report", "reviewscore.annotate"]
)
def test_what_is_put_into_a_page_of_any_room_is_escaped_and_can_be_written(room: str) -> None:
    made = environment(room).from_string('{{ text }} <i title="{{ text }}">{{ text | soft }}</i>')

    page = render(made, text="<b>\"'\ud800")

    assert "<b>" not in page
    assert page.encode()
    assert page.count("&lt;b&gt;&#34;&#39;?") == 3


def test_words_that_no_person_would_write_may_be_broken() -> None:
    word = soft("<" + "x" * 200)

    assert word.endswith("x<wbr>x")
    assert word.replace("<wbr>", "") == "&lt;" + "x" * 200
    assert encodable("a\udfffb") == "a?b"


def test_a_long_page_is_written_in_pieces_that_are_the_page_together() -> None:
    made = environment().from_string("{% for n in numbers %}<i>{{ n }} {{ text }}</i>{% endfor %}")
    shown = {"numbers": range(1_000), "text": "<\ud800"}

    pieces = list(rendered(made, **shown))

    assert render(made, **shown).encode() == b"".join(pieces)
    assert 10 * max(map(len, pieces)) < sum(map(len, pieces))
