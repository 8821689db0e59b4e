"""Judging points, what people differ on, and answers of reviewers and authors."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

from reviewscore.errors import ReviewScoreError, SettingsError
from reviewscore.pages import wording
from reviewscore.pages.point_card import anchor_of
from reviewscore.period.stop_rule import COLUMNS, sheet_row
from reviewscore.runs.judgments import remark_of_answer, settled_opinion
from reviewscore.schema.judgment import FlagJudgment, FlagOpinion, FlagQuestion, JudgmentKind
from reviewscore.schema.point_score import PointScore
from reviewscore.stats.tables import csv_text
from reviewscore.view import run_pages
from reviewscore.view.blind import SAID, blind_figures, blind_only, kept_draw
from reviewscore.view.context import NOT_SAVED, Form, Handler, View, paper_link
from reviewscore.view.judgments import CHOICES, new_judgment, said_of, sampling_of
from reviewscore.view.open_run import OpenRun
from reviewscore.view.pages import page
from reviewscore.view.people import Visitor
from reviewscore.view.run_index import PointLine
from reviewscore.view.run_list import RunList


def judge(view: View, visitor: Visitor, request: Request, form: Form) -> Response:
    """Keep what somebody says of a point whose verdict is in sight."""

    def made(opened: OpenRun, score: PointScore) -> FlagJudgment:
        who = view.people.who(visitor)
        return new_judgment(
            score, who, opinion_of(form, FlagQuestion.FLAG), form.get("note", ""),
            order=view.given[who] + 1, sampling=sampling_of(form.get("from", "")),
        )  # fmt: skip

    return save(view, visitor, request, form, made, FlagQuestion.FLAG, again=run_pages.paper_page)


def save(
    view: View,
    visitor: Visitor,
    request: Request,
    form: Form,
    made: Callable[[OpenRun, PointScore], FlagJudgment],
    asked: FlagQuestion,
    *,
    again: Handler,
) -> Response:
    """Keep what somebody says of a point, and show the page or, for a script, its panel again.

    What could not be saved is said loudly, and what was typed stays in the field.

    Args:
        view: The app.
        visitor: Who says it.
        request: What was sent.
        form: Its fields.
        made: What is said, of a run and a point.
        asked: What was asked.
        again: Shows the page of the paper.
    """
    opened = view.paper(visitor, request.path_params["key"], request.path_params["paper"])
    score = point_of_form(opened, form)
    if score is None or score.paper_id != request.path_params["paper"]:
        raise HTTPException(404, "There is no such point in this paper.")
    anchor = anchor_of(score.point_id)
    try:
        keep(view, opened, made(opened, score))
    except (sqlite3.Error, OSError, ReviewScoreError) as error:
        words = not_saved(visitor, error)
        if form.get("fragment"):
            return PlainTextResponse(words, status_code=NOT_SAVED)
        return again(view, visitor, request, form | {"failure": words, "at": anchor})
    came, query = form.get("from", ""), RunList.of(request.query_params).query
    link = paper_link(opened.key, score.paper_id, query=query)
    if form.get("fragment"):
        said = said_of(
            opened.judgments.said, score, view.people.who(visitor), asked=asked, came=came
        )
        shown = run_pages.shown(view, visitor, said=said, score=score, link=link)
        return HTMLResponse(page("judge_panel.html", **shown))
    query = "&".join(filter(None, (query, f"from={sampling_of(came).value}")))
    place = paper_link(opened.key, score.paper_id, anchor, query)
    return RedirectResponse(f"{place}#{anchor}", status_code=303)


def not_saved(visitor: Visitor, error: Exception) -> str:
    """Why something was not saved, as far as somebody may know: others see no folders."""
    known = visitor.owns or isinstance(error, SettingsError)
    return f"Not saved: {error}." if known else "Not saved; tell whoever started the app."


def point_of_form(opened: OpenRun, form: Form) -> PointScore | None:
    """The point that a form is about; None if there is none of that name."""
    line = opened.index.find(form.get("point", ""))
    return None if line is None else opened.index.scores([line])[0]


def opinion_of(form: Form, asked: FlagQuestion) -> FlagOpinion:
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


@dataclass(frozen=True)
class PersonSaid:
    """How much one person said, of points whose verdicts were in sight, and of others."""

    who: str
    agree: int
    disagree: int
    unsure: int
    blind: int


@dataclass(frozen=True)
class DifferingPoint:
    """A point on which people differ, with what each says."""

    line: PointLine
    link: str
    said: tuple[FlagJudgment, ...]


@dataclass(frozen=True)
class AnsweredPoint:
    """A point that its reviewer or the authors answer, with their words."""

    line: PointLine
    link: str
    words: tuple[str, ...]


_MOST_LISTED = 500


def judgments_page(view: View, visitor: Visitor, request: Request, form: Form) -> Response:
    """Who judged how much, where people differ, and what blind judgments come to."""
    opened = view.run(request.path_params["key"])
    seen = seen_judgments(opened, visitor)
    said = [one for one in seen if one.kind is JudgmentKind.JUDGMENT]
    answered = _answered(opened, [one for one in seen if one.kind is JudgmentKind.ANSWER])
    by_point: dict[tuple[str, FlagQuestion], list[FlagJudgment]] = {}
    for one in said:  # what was said with and without a verdict in sight is never put together
        by_point.setdefault((one.point_id, one.asked), []).append(one)
    flags = [
        own for (_, asked), own in by_point.items() if asked is FlagQuestion.FLAG and own[0].flagged
    ]
    differing = [
        DifferingPoint(line, paper_link(opened.key, line.paper_id, line.anchor), tuple(own))
        for (name, _), own in by_point.items()
        if settled_opinion(own) == "differ" and (line := opened.index.find(name)) is not None
    ]
    html = page(
        "judgments.html",
        **run_pages.shown(
            view, visitor, run=opened, people=_people(said),
            points=len({one.point_id for one in said}), flags=len(flags),
            outcome=Counter(map(settled_opinion, flags)), differing=differing[:_MOST_LISTED],
            of_differing=len(differing), answered=answered[:_MOST_LISTED],
            of_answered=len(answered), figures=_figures(opened, visitor),
            unreadable=opened.judgments.said.unreadable, kept=str(opened.judgments.file),
        ),
    )  # fmt: skip
    return HTMLResponse(html)


def seen_judgments(opened: OpenRun, visitor: Visitor) -> list[FlagJudgment]:
    """What stands of the points that a person may see, each paper as chairs see it."""
    opened.judgments.said.read()
    return [one for one in opened.judgments.said.all_standing() if visitor.may_see(one.paper_id)]


def _answered(opened: OpenRun, answers: Sequence[FlagJudgment]) -> list[AnsweredPoint]:
    by_point: dict[str, list[str]] = {}
    for one in answers:
        words = wording.later_words(remark_of_answer(one))
        by_point.setdefault(one.point_id, []).append(words)
    return [
        AnsweredPoint(line, paper_link(opened.key, line.paper_id, line.anchor), tuple(words))
        for name, words in by_point.items()
        if (line := opened.index.find(name)) is not None
    ]


def _people(said: Sequence[FlagJudgment]) -> list[PersonSaid]:
    found = []
    for who in sorted({one.who for one in said}):
        counts = Counter(
            "blind" if one.asked is FlagQuestion.MISINFORMED else str(one.verdict)
            for one in said
            if one.who == who
        )
        found.append(
            PersonSaid(
                who, *(counts[name] for name in ("agree", "disagree", "unsure", "blind"))
            )
        )  # fmt: skip
    return found


def _figures(opened: OpenRun, visitor: Visitor) -> tuple[tuple[str, str, int, int, str], ...]:
    """Shares of what was judged blindly; nothing where nothing was, or not all may be seen."""
    draw = kept_draw(opened.path, opened.judgments.kept)
    if draw is None or not visitor.sees_all:
        return ()
    said = opened.judgments.said
    return (
        blind_figures(draw, said).rows(lexical=opened.lexical)
        if any(blind_only(said, n) for n in draw.points)
        else ()
    )


def export(view: View, visitor: Visitor, request: Request, form: Form) -> Response:
    """Judgments of flags as the sheet that ``report --judged`` reads.

    Of a person who judged a flag with and without its verdict in sight, the latter counts. Notes
    stand in a column of their own, which is passed over there.
    """
    opened = view.run(request.path_params["key"])
    said: dict[tuple[str, str], FlagJudgment] = {}
    for one in seen_judgments(opened, visitor):
        if one.kind is JudgmentKind.JUDGMENT and one.flagged:
            place = (one.point_id, one.who)
            if place not in said or one.asked is FlagQuestion.MISINFORMED:
                said[place] = one
    rows = []
    for (point_id, who), one in said.items():
        line = opened.index.find(point_id)
        if line is not None:
            (score,) = opened.index.scores([line])
            rows.append([*sheet_row(score, SAID[one.thinks_misinformed].value, who), one.note])
    return Response(
        csv_text((*COLUMNS, "note"), rows),
        media_type="text/csv",
        headers={"content-disposition": 'attachment; filename="judged-flags.csv"'},
    )
