"""Addresses of a paper by itself, and of the pictures of its pages."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from reviewscore.errors import InputError
from reviewscore.view.context import Form, View
from reviewscore.view.page_store import RESOLUTIONS
from reviewscore.view.pages import page
from reviewscore.view.pdf_pages import pane_of, pdf_of
from reviewscore.view.people import Visitor
from reviewscore.view.run_pages import reviews_of, shown

_KEPT = "private, max-age=3600"
"""How long a browser may keep a picture: less long than an invitation that may be revoked."""
_LONGEST_NUMBER = 6


def _number(request: Request, name: str, usual: int) -> int:
    given = request.query_params.get(name, str(usual))
    if not (given.isascii() and given.isdecimal() and len(given) <= _LONGEST_NUMBER):
        raise HTTPException(404, "There is no such page.")
    return int(given)


def page_picture(view: View, visitor: Visitor, request: Request, form: Form) -> Response:
    """A page of a paper's PDF as a PNG."""
    key, paper_id = request.path_params["key"], request.path_params["paper"]
    opened = view.paper(visitor, key, paper_id)
    number, size = _number(request, "n", 1), _number(request, "size", 1)
    if size not in RESOLUTIONS:
        raise HTTPException(404, "There is no picture of that size.")
    try:
        with pdf_of(opened, paper_id) as pdf:
            if pdf is None:
                raise HTTPException(404, "This paper has no PDF.")
            tag = f'"{view.pages.name(pdf)}-{number}-{size}"'
            headers = {"ETag": tag, "Cache-Control": _KEPT}
            picture = view.pages.page(pdf, number, size)
    except InputError as error:
        raise HTTPException(404, f"The PDF of this paper {error.problem}.") from error
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(picture, media_type="image/png", headers=headers)


def pane_page(view: View, visitor: Visitor, request: Request, form: Form) -> Response:
    """A paper by itself: its pages or its text, with what points rest on marked.

    Where nothing may tell a verdict, nothing of points is marked.
    """
    key, paper_id = request.path_params["key"], request.path_params["paper"]
    opened = view.paper(visitor, key, paper_id)
    paper = opened.paper(paper_id)
    if paper is None:
        raise HTTPException(404, "This paper is not at hand.")
    lines = opened.index.of_paper(paper_id)
    reviews = [] if view.blind else reviews_of(opened, opened.index.scores(lines))
    cards = [card for review in reviews for card in review.cards]
    query = request.query_params
    as_text, look = query.get("as") == "text", query.get("look") == "hidden"
    pane = pane_of(opened, view.pages, paper, cards, as_text=as_text, look=look)
    title = lines[0].title or paper_id
    return HTMLResponse(page("pane_page.html", **shown(
        view, visitor, run=opened, paper_id=paper_id, title=title, pane=pane,
    )))  # fmt: skip
