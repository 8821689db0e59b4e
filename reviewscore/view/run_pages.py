"""Runs, a run, a paper with its points, and the people who were invited."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from urllib.parse import urlencode

from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from reviewscore.config import EMBEDDED
from reviewscore.errors import RunFolderError, SettingsError
from reviewscore.files import read_whole
from reviewscore.pages.paper_list import PaperLine
from reviewscore.pages.point_card import Card, Stretch, anchor_of, card_of
from reviewscore.report.lines import unread_evidence_words
from reviewscore.report.paper_pages import marked_fields
from reviewscore.report.summary import Summary
from reviewscore.runs.folder import SUMMARY
from reviewscore.runs.manifest import Manifest
from reviewscore.schema.judgment import PointSampling
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.verdict import Finding
from reviewscore.view.behind import Made
from reviewscore.view.context import NOT_SAVED, Form, View, paper_link
from reviewscore.view.judgments import said_of
from reviewscore.view.live import WRITING, live_state
from reviewscore.view.open_run import OpenRun
from reviewscore.view.pages import page
from reviewscore.view.pdf_pages import pane_of
from reviewscore.view.people import OWNER, Visitor
from reviewscore.view.run_index import PER_PAGE, PointLine, is_flag, verdict_of
from reviewscore.view.run_list import FLAGS, PAPERS, POINTS, RunList
from reviewscore.view.shelf import ShelvedRun, state_of

_MOST_SHELVED = 500


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
        flags: Flags, or points that the paper speaks to, where they were counted.
    """

    run: ShelvedRun
    link: str
    data: str
    judge: str
    state: str
    manifest: Manifest
    flags: int | None = None

    @property
    def lexical(self) -> bool:
        """Whether the embedded judge made it, which gives no score."""
        return self.judge == EMBEDDED


def shown(view: View, visitor: Visitor, **more: object) -> dict[str, object]:
    """What every page shows."""
    makes = visitor.owns and not (view.blind or view.runs.mirrored)
    common = {"visitor": visitor, "csrf": view.form_secret(visitor), "owner": OWNER}
    return {**common, "makes": makes, "blind": view.blind, **more}


def shelf_page(view: View, visitor: Visitor, request: Request, form: Form) -> Response:
    """Every run below the folder."""
    runs = view.runs.shelf.runs()
    if len(runs) == 1 and "all" not in request.query_params:
        return RedirectResponse(f"/run/{runs[0].key}", status_code=303)
    lines = [line for run in runs[:_MOST_SHELVED] if (line := _shelf_line(run)) is not None]
    choose = "choose" in request.query_params
    more = shown(view, visitor, lines=lines, left_out=len(runs) - len(lines), to_choose=choose)
    return HTMLResponse(page("shelf.html", **more))


def _shelf_line(run: ShelvedRun) -> ShelfLine | None:
    try:
        manifest = run.manifest
    except RunFolderError:
        return None
    name = Path(manifest.data or (manifest.pair or ["?"])[0]).name
    state = state_of(run.path, manifest)
    return ShelfLine(
        run, f"/run/{run.key}", name, manifest.judge, state, manifest, _flags(run.path, manifest)
    )


def _flags(run: Path, manifest: Manifest) -> int | None:
    """The flags of a run as its summary counts them; None where there is none."""
    if manifest.judge == EMBEDDED:
        return manifest.counts.findings.get(Finding.ADDRESSED.value)
    try:
        summary = Summary.model_validate_json(read_whole(run / SUMMARY) or b"")
    except (ValidationError, RunFolderError):
        return None
    return None if summary.judged is None else summary.judged.overall.misinformed


def run_page(view: View, visitor: Visitor, request: Request, form: Form) -> Response:
    """The papers of a run by title, or its points."""
    if not visitor.chairs:  # what they may see is their own
        return RedirectResponse(f"/run/{request.path_params['key']}/mine", status_code=303)
    opened = view.run(request.path_params["key"])
    listed = RunList.of(request.query_params)
    papers: list[PaperLine] = []
    points: list[PointLine] = []
    among = opened.visible(visitor)
    if listed.by_point:
        points, total = opened.index.points(listed.wanted, listed.page, listed.order, among=among)
    else:
        papers, total = _papers(opened, among, listed)
    manifest, last = opened.manifest, max(1, -(-total // PER_PAGE))
    state = state_of(opened.path, manifest)
    html = page(
        "run.html",
        **shown(
            view, visitor,
            run=opened, manifest=manifest, state=state,
            live=live_state(opened) if state == WRITING and visitor.sees_all else None,
            job=view.jobs.of_run(opened.path) if visitor.owns else None,
            totals=opened.index.totals(among), listed=listed, trouble=opened.trouble,
            counts=_counts(opened, among, listed), papers=papers, points=points, last=last,
            paper_link=paper_link, done="done" in request.query_params,
            notes=view.notes.of(opened) if visitor.sees_all else Made(None, fresh=True),
        ),
    )  # fmt: skip
    return HTMLResponse(html)


def _papers(
    opened: OpenRun, among: Collection[str] | None, listed: RunList
) -> tuple[list[PaperLine], int]:
    """The papers on a page of a list, with their titles, and how many the list has."""
    read = partial(opened.index.papers, listed.wanted, listed.page, listed.order, among=among)
    lines, total = read()
    if untitled := [line.paper_id for line in lines if not line.title]:
        opened.titles(untitled)
        lines, total = read()
    query = listed.query
    links = [paper_link(opened.key, line.paper_id, query=query) for line in lines]
    return [replace(line, link=link) for line, link in zip(lines, links, strict=True)], total


def _counts(opened: OpenRun, among: Collection[str] | None, listed: RunList) -> dict[str, int]:
    """How much each tab of a list holds."""
    papers, flags, points = opened.index.counts(listed.tabbed(PAPERS).wanted, among)
    return {PAPERS: papers, FLAGS: flags, POINTS: points}


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

    @property
    def line(self) -> PaperLine:
        """How many points it has, and of which verdicts."""
        verdicts = [verdict_of(card.score) for card in self.cards]
        return PaperLine(
            paper_id="", title="", link="", reviews=1, points=len(self.cards),
            flags=sum(is_flag(card.score) for card in self.cards),
            possible=verdicts.count("passages"), failed=verdicts.count("failed"),
        )  # fmt: skip


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
    lines = opened.index.of_paper(paper_id)
    if lines and not lines[0].title:
        opened.titles([paper_id])
        lines = opened.index.of_paper(paper_id)
    scores = opened.index.scores(lines)
    manifest, listed = opened.manifest, RunList.of(request.query_params)
    paper = opened.paper(paper_id)
    reviews = reviews_of(opened, scores)
    cards = [card for review in reviews for card in review.cards]
    at, came = (request.query_params.get(name, "") for name in ("point", "from"))
    said = {
        score.point_id: said_of(
            opened.judgments.said, score, view.people.who(visitor), typed=form,
            came=came if anchor_of(score.point_id) == at else "",
        )
        for score in scores
    }  # fmt: skip
    html = page(
        "paper_view.html",
        **shown(
            view, visitor,
            run=opened, manifest=manifest, paper_id=paper_id, paper=paper,
            pane=None if paper is None else pane_of(opened, view.pages, paper, cards),
            title=lines[0].title if lines else "", lines=lines, reviews=reviews,
            at=at or form.get("at", ""), listed=listed, said=said,
            link=paper_link(key, paper_id, query=listed.query),
            back=f"/run/{opened.key}{'?' if listed.query else ''}{listed.query}",
            onward=f"/run/{opened.key}/next?{urlencode({'paper': paper_id})}&{listed.query}",
            unread=manifest.unread.get(paper_id),
            unread_evidence=unread_evidence_words(manifest.unread.get(paper_id)),
            for_others=manifest.for_others, presupposes=any(one.protocol for one in scores),
        ),
    )  # fmt: skip
    return HTMLResponse(html, status_code=NOT_SAVED if form.get("failure") else 200)


def next_point(view: View, visitor: Visitor, request: Request, form: Form) -> Response:
    """The next point that nobody has looked at, what needs a person first, and round to the start.

    The filter of the list is kept; without one it is of flags, except in the list of all points.
    ``paper`` and ``point`` in the address say after which.
    """
    opened = view.run(request.path_params["key"])
    listed, query = RunList.of(request.query_params), request.query_params
    wanted = replace(listed.wanted, seen=listed.wanted.seen or "no")
    of_flags = listed.wanted.empty and listed.tab != "points"
    if of_flags:
        wanted = replace(wanted, verdict="flag")
    paper_id = query.get("paper", "")
    own = opened.index.of_paper(paper_id) if visitor.may_see(paper_id) else ()
    at = next((line for line in own if line.anchor == query.get("point")), None)
    after, among = opened.index.after, opened.visible(visitor)
    line = after(None if at is None else at.offset, wanted, among=among)
    if line is None and at is not None:
        line = after(None, wanted, among=among)
    if line is None or (at is not None and line.offset == at.offset):
        query_of_list = "&".join(filter(None, (listed.query, "done=1")))
        return RedirectResponse(f"/run/{opened.key}?{query_of_list}", status_code=303)
    came = PointSampling.FLAGS if of_flags else PointSampling.SEARCH
    query_of_list = "&".join(filter(None, (listed.query, f"from={came.value}")))
    place = paper_link(opened.key, line.paper_id, anchor_of(line.point_id), query_of_list)
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
    people = view.people
    tabled = people.rights is not None
    unnamed = tabled and invited is not None and not people.names_in_table(invited[0])
    return page(
        "people.html",
        **shown(
            view, visitor, names=people.names(), told=told, invited=invited, tabled=tabled,
            unnamed=unnamed,
        ),
    )  # fmt: skip


def check_owner(visitor: Visitor) -> None:
    """Refuse all but whoever started the app.

    Raises:
        HTTPException: It is somebody else.
    """
    if not visitor.owns:
        raise HTTPException(403, "Only whoever started the app may do this.")
