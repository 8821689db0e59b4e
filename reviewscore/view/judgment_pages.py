"""Judging points, what people differ on, and answers of reviewers and authors."""

from __future__ import annotations

import sqlite3

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

from reviewscore.errors import ReviewScoreError
from reviewscore.pages.point_card import anchor_of
from reviewscore.schema.judgment import Asked, FlagJudgment, FlagOpinion
from reviewscore.schema.point_score import PointScore
from reviewscore.view import run_pages
from reviewscore.view.context import Form, View, paper_link
from reviewscore.view.judgments import CHOICES, new_judgment, said_of, sampling_of
from reviewscore.view.open_run import OpenRun
from reviewscore.view.pages import page
from reviewscore.view.people import Visitor

NOT_SAVED = 507


def judge(view: View, visitor: Visitor, request: Request, form: Form) -> Response:
    """Keep what somebody says of a point, and show the page or, for a script, its panel again.

    What could not be saved is said loudly, and what was typed stays in the field.
    """
    opened = view.paper(visitor, request.path_params["key"], request.path_params["paper"])
    score = point_of_form(opened, form)
    if score is None or score.paper_id != request.path_params["paper"]:
        raise HTTPException(404, "There is no such point in this paper.")
    who = view.people.who(visitor)
    try:
        saved = new_judgment(
            score, who, opinion_of(form, Asked.FLAG), form.get("note", ""),
            order=view.given[who] + 1, sampling=sampling_of(form.get("from", "")),
        )  # fmt: skip
        keep(view, opened, saved)
    except (sqlite3.Error, OSError, ReviewScoreError) as error:
        words = f"Not saved: {error}"
        if form.get("fragment"):
            return PlainTextResponse(words, status_code=NOT_SAVED)
        typed = form | {"failure": words, "at": anchor_of(score.point_id)}
        return run_pages.paper_page(view, visitor, request, typed)
    if form.get("fragment"):
        said = said_of(opened.judgments.said, score, who, came=form.get("from", ""))
        link = paper_link(opened.key, score.paper_id)
        shown = run_pages.shown(view, visitor, said=said, score=score, link=link)
        return HTMLResponse(page("judge_panel.html", **shown))
    anchor = anchor_of(score.point_id)
    return RedirectResponse(
        f"{paper_link(opened.key, score.paper_id, anchor, form.get('from', ''))}#{anchor}",
        status_code=303,
    )


def point_of_form(opened: OpenRun, form: Form) -> PointScore | None:
    """The point that a form is about; None if there is none of that name."""
    line = opened.index.find(form.get("point", ""))
    return None if line is None else opened.index.scores([line])[0]


def opinion_of(form: Form, asked: Asked) -> FlagOpinion:
    """What a form says.

    Raises:
        HTTPException: It is nothing that was asked.
    """
    allowed = (*(one for one, _, _ in CHOICES[asked]), FlagOpinion.RETRACTED)
    given = form.get("verdict", "")
    if given not in allowed:
        raise HTTPException(422, "Say one of the answers that the page offers.")
    return FlagOpinion(given)


def keep(view: View, opened: OpenRun, judgment: FlagJudgment) -> None:
    """Keep what somebody says, durably, and count it.

    Raises:
        StopError: The disk is full.
        RunFolderError: It cannot be written.
    """
    opened.judgments.add(judgment)
    view.given[judgment.who] += 1
    opened.judgments.mark_seen(opened.index)
