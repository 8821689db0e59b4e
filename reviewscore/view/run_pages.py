"""Runs, a run, a paper with its points, and the people who were invited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from reviewscore.errors import RunFolderError, SettingsError
from reviewscore.pages.paper_list import PaperLine
from reviewscore.pages.point_card import Card, Stretch, anchor_of, card_of
from reviewscore.report.lines import unread_evidence_words
from reviewscore.report.paper_pages import marked_fields
from reviewscore.runs.manifest import Manifest
from reviewscore.schema.point_score import PointScore
from reviewscore.view.context import Form, View, paper_link
from reviewscore.view.live import WRITING, live_state
from reviewscore.view.open_run import OpenRun
from reviewscore.view.pages import page
from reviewscore.view.pdf_pages import pane_of
from reviewscore.view.people import OWNER, Visitor
from reviewscore.view.run_index import PER_PAGE, Filter, PointLine
from reviewscore.view.shelf import ShelvedRun, state_of

_LONGEST_WORDS = 500
_MOST_SHELVED = 500
_LONGEST_NUMBER = 8


@dataclass(frozen=True)
class ShelfLine:
    """A run in the list of runs.

    Attributes:
        run: Which.
        link: Where it is shown.
        data: Name of what was audited.
        judge: Who judged.
        state: ``finished``, ``being written`` or ``stopped``.
        manifest: What it was made with.
        flags: Flags, where they were counted.
    """

    run: ShelvedRun
    link: str
    data: str
    judge: str
    state: str
    manifest: Manifest
    flags: int | None = None


def shown(view: View, visitor: Visitor, **more: object) -> dict[str, object]:
    """What every page shows."""
    return {"visitor": visitor, "csrf": view.form_secret(visitor), "owner": OWNER, **more}


def shelf_page(view: View, visitor: Visitor, request: Request, form: Form) -> Response:
    """Every run below the folder."""
    runs = view.runs.shelf.runs()
    if len(runs) == 1 and "all" not in request.query_params:
        return RedirectResponse(f"/run/{runs[0].key}", status_code=303)
    lines = [line for run in runs[:_MOST_SHELVED] if (line := _shelf_line(run)) is not None]
    return HTMLResponse(
        page("shelf.html", **shown(view, visitor, lines=lines, left_out=len(runs) - len(lines)))
    )


def _shelf_line(run: ShelvedRun) -> ShelfLine | None:
    try:
        manifest = run.manifest
    except RunFolderError:
        return None
    name = Path(manifest.data or (manifest.pair or ["?"])[0]).name
    flags = manifest.counts.findings.get("addressed")
    state = state_of(run.path, manifest)
    return ShelfLine(run, f"/run/{run.key}", name, manifest.judge, state, manifest, flags)


def _filter(query: Mapping[str, str]) -> Filter:
    """The filter that an address holds; what is no value of one asks for all."""
    verdicts = ("flag", "yes", "no", "unknown", "failed", "addressed", "passages", "cannot judge")
    types = ("question", "claim", "argument", "untyped")

    def one_of(name: str, values: Sequence[str]) -> str:
        given = query.get(name, "")
        return given if given in values else ""

    words = query.get("words", "")[:_LONGEST_WORDS]
    return Filter(
        words, one_of("verdict", verdicts), one_of("type", types), one_of("seen", ("yes", "no"))
    )


def _page_number(request: Request) -> int:
    given = request.query_params.get("page", "1")
    plain = given.isascii() and given.isdecimal() and len(given) < _LONGEST_NUMBER
    return int(given) if plain else 1


def run_page(view: View, visitor: Visitor, request: Request, form: Form) -> Response:
    """The papers of a run by title, or its points."""
    opened = view.run(visitor, request.path_params["key"])
    wanted, number = _filter(request.query_params), max(1, _page_number(request))
    by_point = request.query_params.get("list") == "points"
    papers: list[PaperLine] = []
    points: list[PointLine] = []
    if by_point:
        points, total = opened.index.points(wanted, number)
        points = [line for line in points if visitor.may_see(line.paper_id)]
    else:
        papers, total = opened.index.papers(wanted, number)
        lines = [line for line in papers if visitor.may_see(line.paper_id)]
        opened.titles([line.paper_id for line in lines if not line.title])
        papers = [
            replace(line, link=paper_link(opened.key, line.paper_id))
            for line in opened.index.papers(wanted, number)[0]
            if visitor.may_see(line.paper_id)
        ]
    query = {name: value for name, value in vars(wanted).items() if value}
    manifest = opened.manifest
    state = state_of(opened.path, manifest)
    html = page(
        "run.html",
        **shown(
            view, visitor,
            run=opened, manifest=manifest, state=state,
            live=live_state(opened) if state == WRITING and visitor.sees_all else None,
            totals=opened.index.totals() if visitor.sees_all else None,
            wanted=wanted, by_point=by_point, papers=papers, points=points, total=total,
            number=number, last=max(1, -(-total // PER_PAGE)), paper_link=paper_link,
            query=urlencode(query | ({"list": "points"} if by_point else {})),
            query_of_papers=urlencode(query),
        ),
    )  # fmt: skip
    return HTMLResponse(html)


@dataclass(frozen=True)
class ReviewCards:
    """A review on a paper's page.

    Attributes:
        review_id: Which.
        cards: Its points.
        fields: Its text with the points marked, field by field.
    """

    review_id: str
    cards: tuple[Card, ...]
    fields: tuple[tuple[str, list[Stretch]], ...]


def reviews_of(opened: OpenRun, scores: Sequence[PointScore]) -> list[ReviewCards]:
    """The reviews of a paper with their points, in the order of these."""
    paper = opened.paper(scores[0].paper_id) if scores else None
    grouped: dict[str, list[PointScore]] = {}
    for score in scores:
        grouped.setdefault(score.review_id, []).append(score)
    found = []
    for review_id, group in grouped.items():
        review = opened.review(review_id)
        cards = [card_of(one, review, paper, number=n) for n, one in enumerate(group, start=1)]
        found.append(ReviewCards(review_id, tuple(cards), marked_fields(review, cards)))
    return found


def paper_page(view: View, visitor: Visitor, request: Request, form: Form) -> Response:
    """A paper beside the reviews of it, point by point."""
    key, paper_id = request.path_params["key"], request.path_params["paper"]
    opened = view.paper(visitor, key, paper_id)
    opened.titles([paper_id])
    lines = opened.index.of_paper(paper_id)
    scores = opened.index.scores(lines)
    manifest, paper = opened.manifest, opened.paper(paper_id)
    reviews = reviews_of(opened, scores)
    cards = [card for review in reviews for card in review.cards]
    html = page(
        "paper_view.html",
        **shown(
            view, visitor,
            run=opened, manifest=manifest, paper_id=paper_id, paper=paper,
            pane=None if paper is None else pane_of(opened, view.pages, paper, cards),
            title=lines[0].title, lines=lines, reviews=reviews,
            at=request.query_params.get("point", ""),
            unread=manifest.unread.get(paper_id),
            unread_evidence=unread_evidence_words(manifest.unread.get(paper_id)),
            for_others=manifest.for_others, presupposes=any(one.protocol for one in scores),
        ),
    )  # fmt: skip
    return HTMLResponse(html)


def next_point(view: View, visitor: Visitor, request: Request, form: Form) -> Response:
    """The next point that nobody has looked at, in the order of the list."""
    opened = view.run(visitor, request.path_params["key"])
    wanted = _filter(request.query_params)
    wanted = wanted if not wanted.empty else Filter(verdict="flag", seen="no")
    after = opened.index.find(request.query_params.get("after", ""))
    line = opened.index.after(None if after is None else after.offset, wanted)
    while line is not None and not visitor.may_see(line.paper_id):
        line = opened.index.after(line.offset, wanted)
    if line is None:
        return RedirectResponse(f"/run/{opened.key}?done=1", status_code=303)
    place = paper_link(opened.key, line.paper_id, anchor_of(line.point_id))
    return RedirectResponse(place, status_code=303)


def people_page(view: View, visitor: Visitor, request: Request, form: Form) -> Response:
    """Who was invited."""
    check_owner(visitor)
    return HTMLResponse(_people(view, visitor, request))


def change_people(view: View, visitor: Visitor, request: Request, form: Form) -> Response:
    """Invite somebody, or revoke an invitation."""
    check_owner(visitor)
    name = form.get("name", "").strip()
    if form.get("act") == "revoke":
        view.people.keys.revoke(name)
        return HTMLResponse(_people(view, visitor, request, told=f"{name} is let in no more."))
    try:
        key = view.people.invite(name)
    except SettingsError as error:
        return HTMLResponse(_people(view, visitor, request, told=str(error)), status_code=422)
    base = view.public or f"http://{request.headers['host']}"
    return HTMLResponse(_people(view, visitor, request, invited=(name, f"{base}/enter/{key}")))


def _people(
    view: View,
    visitor: Visitor,
    request: Request,
    told: str = "",
    invited: tuple[str, str] | None = None,
) -> str:
    names = view.people.names()
    return page("people.html", **shown(view, visitor, names=names, told=told, invited=invited))


def check_owner(visitor: Visitor) -> None:
    """Refuse all but whoever started the app.

    Raises:
        HTTPException: It is somebody else.
    """
    if not visitor.owns:
        raise HTTPException(403, "Only whoever started the app may do this.")
