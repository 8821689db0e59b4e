"""What forms do: a label, a skip, an undo, a decision; told when it could not be saved."""

from __future__ import annotations

import contextlib
import math
import sqlite3
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from reviewscore.annotate import pages, rubric
from reviewscore.annotate.export import export
from reviewscore.annotate.guard import home, point_path
from reviewscore.annotate.label_session import OutdatedError, RefusedError, value_of
from reviewscore.annotate.label_store import LabelEntry, now
from reviewscore.annotate.material import LabelPoint
from reviewscore.annotate.pages import Attempt, Notice
from reviewscore.annotate.reading import path_to, shown_review
from reviewscore.annotate.rules import Key, stated_of, stated_text, wants_reason
from reviewscore.annotate.statements import UnfitError, stated_by
from reviewscore.annotate.workspace import Workspace
from reviewscore.schema.annotation import VALUES, LabelField

_MOST_PUBLICATIONS = 5000
_LONGEST_NUMBER = 12
_LONGEST_NOTE = 10_000
_CONFLICT, _UNFIT, _FULL = 409, 422, 507
Form = dict[str, str]


def _point(workspace: Workspace, who: str, request: Request) -> LabelPoint:
    point = workspace.material.points.get(request.path_params["point"])
    if point is None or who not in workspace.store.assigned().get(point.paper_id, ()):
        raise HTTPException(404, "This point is not one of yours.")
    return point


def look(workspace: Workspace, who: str, request: Request, form: Form) -> Response:
    """Show a point; before the first of a paper, ask how near the paper is."""
    point = _point(workspace, who, request)
    if workspace.store.annotators().get(who) is None:
        return RedirectResponse(home(who), status_code=303)
    if (who, point.paper_id) not in workspace.store.relevance():
        return HTMLResponse(pages.relevance_page(workspace, who, point, None))
    return HTMLResponse(pages.point_page(workspace, who, point))


def read(workspace: Workspace, who: str, request: Request, form: Form) -> Response:
    """Show a whole review; before the first of a paper, ask how near the paper is."""
    if workspace.store.annotators().get(who) is None:
        return RedirectResponse(home(who), status_code=303)
    shown = shown_review(workspace, who, request.path_params["review"])
    if shown is None:
        raise HTTPException(404, "This review is not one of yours.")
    if (who, shown.paper_id) not in workspace.store.relevance():
        first = shown.points[0].point
        return HTMLResponse(pages.relevance_page(workspace, who, first, None))
    return HTMLResponse(pages.review_page(workspace, who, shown))


def about(workspace: Workspace, who: str, request: Request, form: Form) -> Response:
    """Note an annotator's publications, once."""
    text = form.get("publications", "").strip()
    if not 0 <= _whole(text) <= _MOST_PUBLICATIONS:
        notice = Notice("Give a whole number, 0 if there are none.", "bad")
        return HTMLResponse(pages.welcome_page(workspace, who, notice), status_code=_UNFIT)
    workspace.store.introduce(who, int(text))
    return RedirectResponse(f"{home(who)}?told=saved", status_code=303)


def relate(workspace: Workspace, who: str, request: Request, form: Form) -> Response:
    """Note how near a paper is to an annotator."""
    point, value = _point(workspace, who, request), form.get("value", "")
    if value not in {choice.key for choice in rubric.RELEVANCE}:
        notice = Notice("Choose one of the five.", "bad")
        page = pages.relevance_page(workspace, who, point, notice)
        return HTMLResponse(page, status_code=_UNFIT)
    workspace.store.relate(who, point.paper_id, int(value))
    return RedirectResponse(path_to(workspace, who, point.point_id), status_code=303)


@dataclass(frozen=True)
class _Answer:
    """How a form of a point is answered: a part of the page to a script, else a page."""

    workspace: Workspace
    who: str
    point: LabelPoint
    script: bool

    def done(self, notice: Notice) -> Response:
        if not self.script:
            return RedirectResponse(point_path(self.who, self.point.point_id), status_code=303)
        return HTMLResponse(pages.work_part(self.workspace, self.who, self.point, notice=notice))

    def failed(self, words: str, status: int, attempt: Attempt | None = None) -> Response:
        notice = Notice(words, "bad")
        make = pages.work_part if self.script else pages.point_page
        page = make(self.workspace, self.who, self.point, notice=notice, attempt=attempt)
        return HTMLResponse(page, status_code=status)


def _key(point: LabelPoint, form: Form) -> Key:
    unit, name = form.get("unit", ""), form.get("field", "")
    if unit not in {unit.unit_id for unit in point.units} or name not in VALUES:
        raise HTTPException(_UNFIT, "This form does not fit the point.")
    return unit, LabelField(name)


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < _LONGEST_NUMBER else -1


def _seconds(form: Form) -> float:
    with contextlib.suppress(ValueError):
        seconds = float(form.get("seconds", "0"))
        return seconds if math.isfinite(seconds) else 0.0
    return 0.0


def label(workspace: Workspace, who: str, request: Request, form: Form) -> Response:
    """Save one label."""
    point = _point(workspace, who, request)
    answer = _Answer(workspace, who, point, "x-part" in request.headers)
    key = _key(point, form)
    reason = form.get("reason", "").replace("\r\n", "\n").strip()
    attempt = Attempt(key, form.get("value", ""), reason)
    entry = LabelEntry(value_of(key[1], attempt.value), reason or None)
    return _saved(answer, attempt, entry, form)


def _saved(answer: _Answer, attempt: Attempt, entry: LabelEntry, form: Form) -> Response:
    """Save a label, and say what became of it."""
    key = attempt.key
    try:
        dropped = answer.workspace.session(answer.who, answer.point).save(
            key, entry, version=_whole(form.get("version", "")), seconds=_seconds(form),
            sure=form.get("sure") == "yes",
        )  # fmt: skip
    except RefusedError as error:
        return answer.failed(f"Not saved: {error}.", _UNFIT, attempt)
    except OutdatedError as error:
        there = error.page.labels.get(key)
        if key[1] is LabelField.PRESUPPOSITIONS:
            text = (
                "Not saved yet: this point was changed in another window. Your words are kept in "
                "this page; save again what is to stand."
            )
            return answer.failed(text, _CONFLICT, attempt)
        words = "no label" if there is None else f"“{there.value}”"
        text = (
            f"Not saved yet: this point was changed in another window. There stands {words}; "
            f"here you chose “{attempt.value}”. Choose again what is to stand."
        )
        return answer.failed(text, _CONFLICT, attempt)
    except sqlite3.Error as error:
        text = (
            f"Not saved: {error}. What was saved before is safe; free some space and choose "
            "again. Your choice is kept in this page."
        )
        return answer.failed(text, _FULL, attempt)
    words = f"Saved {now()[11:19]} UTC."
    if dropped:
        words += f" {dropped} labels that no longer fit were set aside; undo brings them back."
    if wants_reason(key[1], entry.value, entry.reason):
        words += " A 1 or 2 wants a reason: the section and the sentence."
    return answer.done(Notice(words, "good"))


def state(workspace: Workspace, who: str, request: Request, form: Form) -> Response:
    """Save one presupposition, or take it out of the list."""
    point = _point(workspace, who, request)
    answer = _Answer(workspace, who, point, "x-part" in request.headers)
    key = point.point_id, LabelField.PRESUPPOSITIONS
    attempt = Attempt(key, "", "", stated=form)
    entry = workspace.store.page(who, point.point_id).labels.get(key)
    stated = list(stated_of(None if entry is None else entry.value))
    others = [known for known in stated if known.statement != form.get("was", "")]
    if form.get("what") == "remove":
        return _saved(answer, attempt, LabelEntry(stated_text(others)), form)
    try:
        known = stated_by(form, workspace.material.paper(point.paper_id))
    except UnfitError as error:
        return answer.failed(f"Not saved: {error}.", _UNFIT, attempt)
    same = [other.statement == known.statement for other in others]
    if any(same) and known not in others:  # the very same comes again where a reply was lost
        return answer.failed("Not saved: this is stated already.", _UNFIT, attempt)
    if not any(same):
        place = next((at for at, old in enumerate(stated) if old not in others), len(stated))
        others.insert(place, known)
    return _saved(answer, attempt, LabelEntry(stated_text(others)), form)


def act(workspace: Workspace, who: str, request: Request, form: Form) -> Response:
    """Undo, skip, show the reconstruction, or show the model's scores."""
    point = _point(workspace, who, request)
    answer = _Answer(workspace, who, point, "x-part" in request.headers)
    session, version = workspace.session(who, point), _whole(form.get("version", ""))
    what, words = form.get("what", ""), "Saved."
    try:
        if what == "undo":
            words = f"Taken back: {session.undo(version=version)}."
        elif what == "skip":
            session.skip(version=version, seconds=_seconds(form))
            words = "Skipped. Undo brings it back."
        elif what == "show":
            session.show(version=version, seconds=_seconds(form))
            words = "This is the reconstruction. What you said of the whole is fixed from here on."
        elif what == "peek":
            session.peek(version=version)
            words = "The model's scores are shown; your labels of this point will note it."
        else:
            raise HTTPException(_UNFIT, "This form does not fit the point.")
    except RefusedError as error:
        return answer.failed(f"Not done: {error}.", _UNFIT)
    except OutdatedError:
        text = "Not done: this point was changed in another window. This is how it stands now."
        return answer.failed(text, _CONFLICT)
    except sqlite3.Error as error:
        return answer.failed(f"Not done: {error}. What was saved before is safe.", _FULL)
    return answer.done(Notice(words, "good"))


def decide(workspace: Workspace, who: str, request: Request, form: Form) -> Response:
    """Settle a unit on which annotators disagree."""
    point = workspace.material.points.get(form.get("point", ""))
    if point is None:
        raise HTTPException(_UNFIT, "This form does not fit a point.")
    key, note = _key(point, form), form.get("note", "").strip()
    value = value_of(key[1], form.get("value", ""))
    if value not in VALUES[key[1]] or len(note) > _LONGEST_NOTE:
        notice = Notice("Not saved: choose a value of the scale.", "bad")
        page = pages.adjudication(workspace, notice)
        return HTMLResponse(page, status_code=_UNFIT)
    workspace.store.decide(key, value, note)
    notice = Notice(f"Settled: {key[1].value} of {key[0]} is {value}.", "good")
    return HTMLResponse(pages.adjudication(workspace, notice))


def export_set(workspace: Workspace, who: str, request: Request, form: Form) -> Response:
    """Write the set's files."""
    done = export(workspace, with_text=form.get("with_text") == "yes")
    notice = Notice(done.words + ".", "good")
    return HTMLResponse(pages.overview(workspace, request.headers["host"], notice))
