"""The app without verdicts: one drawn point after another, the paper beside it."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from reviewscore.errors import SettingsError
from reviewscore.judges.lexical.finder import passages_near
from reviewscore.pages.point_card import Excerpt, anchor_of, point_in_review
from reviewscore.schema.judgment import FlagJudgment, FlagQuestion, PointSampling
from reviewscore.schema.paper import Evidence
from reviewscore.schema.point_score import PointScore
from reviewscore.view.blind import (
    BlindDraw,
    blind_figures,
    drawn_points,
    had_seen,
    judged_by,
    kept_draw,
)
from reviewscore.view.context import NOT_SAVED, Form, View, paper_link
from reviewscore.view.judgment_pages import opinion_of, save
from reviewscore.view.judgments import PointSaid, new_judgment, said_of
from reviewscore.view.open_run import OpenRun
from reviewscore.view.pages import page
from reviewscore.view.pdf_pages import pane_of
from reviewscore.view.people import Visitor
from reviewscore.view.run_pages import shown


@dataclass(frozen=True)
class BlindCard:
    """A point without anything that tells its verdict.

    Attributes:
        score: Its record, of which pages show its words and place alone.
        anchor: Its name in links.
        place: Its words in their surroundings.
        near: Passages of the paper nearest to its words, as for every point alike.
        said: What people say of it.
    """

    score: PointScore
    anchor: str
    place: Excerpt
    near: tuple[Evidence, ...]
    said: PointSaid


def whole_draw(opened: OpenRun) -> BlindDraw:
    """The draw of a run.

    Raises:
        RunFolderError: It cannot be made or read.
        SettingsError: The run has nothing to draw from.
    """
    folder = opened.judgments.file.parent
    if not opened.manifest.complete and kept_draw(opened.path, folder) is None:
        raise SettingsError(
            "the run has not ended: a draw is kept for good, and would be of its first papers "
            f"alone; type reviewscore audit .. -o {opened.shelved.name} to end it"
        )
    return drawn_points(opened.path, folder)


def _draw_for(visitor: Visitor, opened: OpenRun) -> BlindDraw:
    """The draw, as far as a person may see its papers."""
    draw = whole_draw(opened)
    seen = {name: one for name, one in draw.points.items() if visitor.may_see(one.paper_id)}
    return draw.model_copy(update={"points": seen})


def run_page(view: View, visitor: Visitor, request: Request, form: Form) -> Response:
    """How far a person is, and once all is judged, what came of it."""
    opened = view.run(request.path_params["key"])
    draw, who, said = _draw_for(visitor, opened), view.people.who(visitor), opened.judgments.said
    done = sum(judged_by(said, name, who) for name in draw.points)
    ended = done == len(draw.points) > 0
    figures = (
        blind_figures(whole_draw(opened), said).rows(lexical=opened.lexical)
        if ended and visitor.sees_all
        else ()
    )
    return HTMLResponse(
        page("blind_run.html",
             **shown(view, visitor, run=opened, done=done, of=len(draw.points), figures=figures))
    )  # fmt: skip


def next_point(view: View, visitor: Visitor, request: Request, form: Form) -> Response:
    """The next drawn point that the person has not judged."""
    opened = view.run(request.path_params["key"])
    draw = _draw_for(visitor, opened)
    name = draw.next_for(opened.judgments.said, view.people.who(visitor))
    if name is None:
        return RedirectResponse(f"/run/{opened.key}", status_code=303)
    place = paper_link(opened.key, draw.points[name].paper_id, anchor_of(name))
    return RedirectResponse(place, status_code=303)


def paper_page(view: View, visitor: Visitor, request: Request, form: Form) -> Response:
    """A paper with the drawn points that the person has judged, and the one that is next."""
    key, paper_id = request.path_params["key"], request.path_params["paper"]
    opened = view.paper(visitor, key, paper_id)
    cards = _cards(view, visitor, opened, paper_id, form)
    if not cards:
        raise HTTPException(404, "No point of this paper is next; take the points in their order.")
    opened.titles([paper_id])
    lines, paper = opened.index.of_paper(paper_id), opened.paper(paper_id)
    html = page(
        "blind_paper.html",
        **shown(
            view, visitor, run=opened, paper_id=paper_id, paper=paper,
            pane=None if paper is None else pane_of(opened, view.pages, paper, ()),
            title=lines[0].title, cards=cards, link=paper_link(key, paper_id),
            at=request.query_params.get("point", "") or form.get("at", ""),
        ),
    )  # fmt: skip
    return HTMLResponse(html, status_code=NOT_SAVED if form.get("failure") else 200)


def _cards(
    view: View, visitor: Visitor, opened: OpenRun, paper_id: str, form: Form
) -> list[BlindCard]:
    draw, who, said = _draw_for(visitor, opened), view.people.who(visitor), opened.judgments.said
    following = draw.next_for(said, who)
    own = [name for name, one in draw.points.items() if one.paper_id == paper_id]
    wanted = [name for name in own if name == following or judged_by(said, name, who)]
    lines = [line for name in wanted if (line := opened.index.find(name)) is not None]
    paper = opened.paper(paper_id)
    return [
        BlindCard(
            score, anchor_of(score.point_id),
            point_in_review(score, opened.review(score.review_id)),
            () if paper is None else passages_near(score.text, paper),
            said_of(said, score, who, asked=FlagQuestion.MISINFORMED, typed=form),
        )
        for score in opened.index.scores(lines)
    ]  # fmt: skip


def judge(view: View, visitor: Visitor, request: Request, form: Form) -> Response:
    """Keep whether a person takes a drawn point for misinformed; points come in their order."""

    def made(opened: OpenRun, score: PointScore) -> FlagJudgment:
        who, said = view.people.who(visitor), opened.judgments.said
        draw = _draw_for(visitor, opened)
        in_turn = score.point_id == draw.next_for(said, who)
        if not (in_turn or judged_by(said, score.point_id, who)):
            raise SettingsError("another point is next; take the points in their order")
        return new_judgment(
            score, who, opinion_of(form, FlagQuestion.MISINFORMED), form.get("note", ""),
            order=view.given[who] + 1, asked=FlagQuestion.MISINFORMED,
            sampling=PointSampling.RANDOM,
            saw_verdict=had_seen(said, score.point_id, who),
            weight=whole_draw(opened).weight(score.point_id),
        )  # fmt: skip

    return save(view, visitor, request, form, made, FlagQuestion.MISINFORMED, again=paper_page)
