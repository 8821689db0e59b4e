"""The page of two runs side by side."""

from __future__ import annotations

from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from reviewscore.pages.figures import drawn
from reviewscore.view.context import Form, View, paper_link
from reviewscore.view.pages import page
from reviewscore.view.people import Visitor
from reviewscore.view.run_index import PER_PAGE
from reviewscore.view.run_pages import shown
from reviewscore.view.side_by_side import CHANGES, PairFilter


def compare_page(view: View, visitor: Visitor, request: Request, form: Form) -> Response:
    """Points of two runs with both verdicts, below what `compare` says of the runs."""
    if not visitor.sees_all:
        raise HTTPException(403, "Two runs are compared by those who may see all of their papers.")
    query = request.query_params
    if "run" in query:  # two boxes of the list of runs
        return _chosen(query.getlist("run"))
    keys = query.get("one", ""), query.get("other", "")
    if keys[0] == keys[1]:
        return _chosen([])
    first, second = (view.run(key) for key in keys)
    wanted = PairFilter.of(query)
    pairs = view.side_by_side.pairs(first, second, view.cache)
    counts = pairs.value.counts(wanted) if pairs.value else dict.fromkeys(CHANGES, 0)
    everything = pairs.value.counts(PairFilter()) if pairs.value else counts
    html = page(
        "compare.html",
        **shown(
            view, visitor,
            first=first, second=second, wanted=wanted, pairs=pairs, counts=counts,
            everything=everything, lines=pairs.value.lines(wanted) if pairs.value else (),
            last=max(1, -(-counts[wanted.change] // PER_PAGE)), paper_link=paper_link,
            keys=urlencode({"one": first.key, "other": second.key}),
            swapped=urlencode({"one": second.key, "other": first.key}),
            figures=view.side_by_side.figures(first, second), drawn=drawn,
        ),
    )  # fmt: skip
    return HTMLResponse(html)


def _chosen(keys: list[str]) -> Response:
    if len(set(keys)) == 2:  # noqa: PLR2004 - two runs
        one, other = dict.fromkeys(keys)
        return RedirectResponse(f"/compare?{urlencode({'one': one, 'other': other})}", 303)
    return RedirectResponse("/?all=1&choose=two", 303)
