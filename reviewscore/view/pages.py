"""The pages of the app as HTML: everything foreign is escaped."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment

from reviewscore.pages.environment import assets
from reviewscore.pages.environment import render as render_page
from reviewscore.report.html import page_environment

ASSETS = {"view.css": "text/css", "view.js": "text/javascript"}
_ROOM = "reviewscore.view"
_STYLES = ("view.css", "lists.css", "pane.css", "new.css", "judging.css")
_SCRIPTS = ("view.js", "lists.js", "pane.js", "live.js", "new.js", "judging.js")


@cache
def view_environment() -> Environment:
    """The templates of the app, with the words that reports use."""
    return page_environment(_ROOM)


@cache
def asset(name: str) -> str:
    """A style or script of the app."""
    if name == "view.css":
        return "\n".join((assets("base.css", "points.css"), assets(*_STYLES, room=_ROOM)))
    return assets(*_SCRIPTS, room=_ROOM)


def page(template: str, **shown: object) -> str:
    """A page of a template."""
    return render_page(view_environment().get_template(template), **shown)


def message_page(words: str, title: str) -> str:
    """A page that says one thing."""
    return page("message.html", visitor=None, title=title, words=words)
