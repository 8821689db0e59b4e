"""What reviewers and authors see of their own: the pages for these readers, with fields to answer.

What is shown is what a delivery would give them now, and only that can be answered.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from reviewscore.errors import ReviewScoreError
from reviewscore.pages.point_card import anchor_of
from reviewscore.period.assignments import VenueRole
from reviewscore.period.deliver import own_sheets
from reviewscore.report.roles import Sheet
from reviewscore.runs.paper_offsets import RunByPaper
from reviewscore.schema.judgment import FlagOpinion, JudgmentKind, SpeakerRole
from reviewscore.schema.point_score import PointScore
from reviewscore.view.context import NOT_SAVED, Form, View
from reviewscore.view.judgment_pages import keep, not_saved
from reviewscore.view.judgments import new_judgment
from reviewscore.view.open_run import OpenRun
from reviewscore.view.pages import page
from reviewscore.view.people import OWN_ROLES, Visitor
from reviewscore.view.run_pages import shown

_BY = {VenueRole.REVIEWER: SpeakerRole.REVIEWER, VenueRole.AUTHOR: SpeakerRole.AUTHOR}


@dataclass(frozen=True)
class OwnSheet:
    """A page of somebody's own review, or of their own paper.

    Attributes:
        sheet: What the page for this reader holds.
        by: As what they answer.
        points: The points on it that can be answered, by the short names of its entries.
        anchors: Their names in links.
        answered: What they answered, by point.
    """

    sheet: Sheet
    by: SpeakerRole
    points: Mapping[str, PointScore]
    anchors: Mapping[str, str]
    answered: Mapping[str, str]


def own_of(view: View, visitor: Visitor, opened: OpenRun) -> Iterator[OwnSheet]:
    """The pages of somebody's own; none for people without reviews or papers of their own.

    Raises:
        RunFolderError: The run cannot be read.
        InputError: A paper cannot be read.
    """
    if visitor.rights is None or visitor.owns or not opened.has_known_data:
        return
    data = opened.data
    runs = [RunByPaper(opened.path, data, accept_changed=True)] if data is not None else []
    for role in OWN_ROLES:
        if not visitor.rights.pages_of(visitor.name, role):
            continue
        sheets = own_sheets(
            opened.path, visitor.rights, role, visitor.name,
            released=view.people.released, runs=runs,
        )  # fmt: skip
        for sheet, points in sheets:
            yield _own(opened, visitor, sheet, points, _BY[role])


def _own(
    opened: OpenRun, visitor: Visitor, sheet: Sheet, points: list[PointScore], by: SpeakerRole
) -> OwnSheet:
    named = {
        entry.point for part in sheet.parts if part.to_read for entry in part.entries if entry.point
    }
    known = {
        score.short_name: score
        for score in points
        if score.short_name in named and opened.index.find(score.point_id) is not None
    }
    answered = {
        name: one.note
        for name, score in known.items()
        for one in opened.judgments.said.standing(score.point_id)
        if one.kind is JudgmentKind.ANSWER and one.who == visitor.name and one.by is by
    }
    anchors = {name: anchor_of(score.point_id) for name, score in known.items()}
    return OwnSheet(sheet, by, known, anchors, answered)


def own_page(view: View, visitor: Visitor, request: Request, form: Form) -> Response:
    """Somebody's own reviews and papers, each point with a field to answer."""
    opened = view.run(request.path_params["key"])
    waits = (
        visitor.rights is not None
        and view.people.released is None
        and bool(visitor.rights.pages_of(visitor.name, VenueRole.AUTHOR))
    )
    html = page(
        "mine.html",
        **shown(view, visitor, run=opened, own=list(own_of(view, visitor, opened)), waits=waits,
                failure=form.get("failure", ""), failed=form.get("point", ""),
                note=form.get("note", "")),
    )  # fmt: skip
    return HTMLResponse(html, status_code=NOT_SAVED if form.get("failure") else 200)


def answer_flag(view: View, visitor: Visitor, request: Request, form: Form) -> Response:
    """Keep what a reviewer or author answers; nothing in place of it takes the answer back."""
    opened = view.run(request.path_params["key"])
    found = next(
        (
            (own.by, score)
            for own in own_of(view, visitor, opened)
            for score in own.points.values()
            if score.point_id == form.get("point")
        ),
        None,
    )
    if found is None:
        raise HTTPException(404, "There is no such point among your own.")
    by, score = found
    note = form.get("note", "").strip()
    try:
        answer = new_judgment(
            score, visitor.name, None if note else FlagOpinion.RETRACTED, note,
            by=by, kind=JudgmentKind.ANSWER, order=view.given[visitor.name] + 1,
        )  # fmt: skip
        keep(view, opened, answer)
    except (sqlite3.Error, OSError, ReviewScoreError) as error:
        return own_page(view, visitor, request, form | {"failure": not_saved(visitor, error)})
    place = f"/run/{opened.key}/mine?saved={anchor_of(score.point_id)}"
    return RedirectResponse(f"{place}#{anchor_of(score.point_id)}", status_code=303)
