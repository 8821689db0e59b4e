"""A new audit in the browser: sent, estimated, begun, watched, stopped and gone on with."""

from __future__ import annotations

import math
import shutil
from typing import get_args

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from reviewscore.bounds import in_force
from reviewscore.config import EMBEDDED, Settings
from reviewscore.errors import InputError, SettingsError
from reviewscore.view.audit_jobs import DATA, AuditJob, AuditOrder, SentFile
from reviewscore.view.context import Form, View
from reviewscore.view.judge_choice import judges_here, leaves_unasked, resolved_of
from reviewscore.view.live import WRITING, live_state
from reviewscore.view.pages import page
from reviewscore.view.people import Visitor
from reviewscore.view.run_pages import check_owner, shown
from reviewscore.view.uploads import (
    MOST_BYTES,
    MOST_FILES,
    PAPER_ENDINGS,
    REVIEW_ENDINGS,
    WAITING,
    SentData,
    Upload,
    review_place,
)

PROTOCOLS: tuple[str, ...] = get_args(Settings.model_fields["protocol"].annotation)
_MOST_BEGUN = 50
_LEFT_OUT = "none"


def new_page(view: View, visitor: Visitor, request: Request, form: Form) -> Response:
    """The form of a new audit, and those that were begun."""
    check_owner(visitor)
    return HTMLResponse(_form_page(view, visitor, {}))


def _form_page(view: View, visitor: Visitor, typed: Form, told: str = "") -> str:
    return page(
        "new.html",
        **shown(
            view, visitor,
            judges=judges_here(), protocols=PROTOCOLS, typed=typed, told=told,
            protocol=typed.get("protocol") or resolved_of(EMBEDDED, None).settings.protocol,
            begun=view.jobs.begun()[:_MOST_BEGUN], papers=PAPER_ENDINGS, reviews=REVIEW_ENDINGS,
            most_files=MOST_FILES, most_mb=MOST_BYTES // 1_000_000, folder=view.jobs.folder,
            pdf_mb=in_force().pdf.megabytes, text_mb=in_force().text.megabytes,
        ),
    )  # fmt: skip


def make_audit(view: View, visitor: Visitor, request: Request, form: Form) -> Response:
    """Keep what was sent, and find out what it would cost."""
    check_owner(visitor)
    sent = request.state.files
    try:
        job = _made(view, form, _uploads(sent, "papers"), _uploads(sent, "reviews"))
    except (InputError, SettingsError) as error:
        words = f"{error}."
        return HTMLResponse(_form_page(view, visitor, form, words), status_code=422)
    return RedirectResponse(f"/new/{job.name}", status_code=303)


def _uploads(sent: list[tuple[str, UploadFile]], field: str) -> list[Upload]:
    return [
        Upload(file.filename or "", file.file)
        for name, file in sent
        if name == field and file.filename
    ]


def _made(view: View, form: Form, papers: list[Upload], reviews: list[Upload]) -> AuditJob:
    """An audit of what was sent, its cost being estimated.

    Raises:
        InputError, SettingsError: It cannot be; says why.
    """
    judge = _judge(form)
    if not papers:
        raise InputError("Choose a paper")
    folder = view.jobs.new_folder(papers[0].plain)
    try:
        sent = SentData(folder / DATA)
        sent.take(papers, reviews, form.get("pasted", ""))
        order = AuditOrder(
            papers=tuple(sent.papers), reviews=tuple(sent.reviews), table=sent.table,
            faults=tuple(sent.faults), may_leave=form.get("may_leave") == "yes",
            model=judge.model, base_url=judge.base_url, protocol=judge.protocol,
            max_usd=judge.max_usd,
        )  # fmt: skip
        AuditJob(folder).take(order)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    job = view.jobs.get(folder.name)
    job.confirmed = True
    if not order.undecided:
        job.estimate()
    return job


def _judge(form: Form) -> Settings:
    """Who judges, how, and for how much at most.

    Raises:
        SettingsError: It cannot be; says why.
    """
    model, base_url = judges_here().chosen(form)
    if not model:
        raise SettingsError("Name a model, such as ollama/llama3.1:8b or openai/gpt-5-mini")
    protocol = form.get("protocol") or None
    given = form.get("max_usd", "").strip()
    try:
        max_usd = float(given) if given else None
    except ValueError:
        max_usd = math.nan
    if max_usd is not None and not 0 < max_usd < math.inf:
        raise SettingsError("The most dollars are a number above 0, such as 2.50")
    settings = resolved_of(model, base_url, protocol=protocol, max_usd=max_usd).settings
    if leaves_unasked(settings) and form.get("may_leave") != "yes":
        raise SettingsError(
            f"Papers and reviews would leave this machine for {model}; if their venue allows that, "
            "tick it, else choose another judge"
        )
    return settings


def _job(view: View, request: Request) -> AuditJob:
    try:
        return view.jobs.get(request.path_params["name"])
    except KeyError as error:
        raise HTTPException(404, "There is no such audit in this folder.") from error


def audit_page(view: View, visitor: Visitor, request: Request, form: Form) -> Response:
    """An audit that was begun in the browser: what it would cost, how far it is."""
    check_owner(visitor)
    job = _job(view, request)
    phase, order = job.phase, job.order
    shelved = view.runs.shelf.at(job.run)
    opened = None if shelved is None else view.run(shelved.key)
    running = phase in ("running", "elsewhere")
    live = live_state(opened) if opened is not None and running else None
    live = None if live is None or live.state != WRITING else live
    results, beside = job.said("estimate" if job.state is None else job.state.doing)
    html = page(
        "audit.html",
        **shown(
            view, visitor,
            job=job, phase=phase, order=order, run=opened, results=results, beside=beside,
            code=None if job.state is None else job.state.code, left_out=_LEFT_OUT,
            live=live, refresh=phase == "estimating" or (running and live is None),
        ),
    )  # fmt: skip
    return HTMLResponse(html)


def change_audit(view: View, visitor: Visitor, request: Request, form: Form) -> Response:
    """Sort reviews to their papers, start, stop, go on."""
    check_owner(visitor)
    job = _job(view, request)
    job.confirmed = job.confirmed or form.get("confirmed") == "yes"
    match form.get("act"), job.phase:
        case "sort", "sort":
            _sort(job, form)
        case "estimate", "refused" | "ready":
            job.estimate()
        case "start", "ready" | "stopped" | "done":
            job.start()
        case "stop", "running" | "estimating":
            job.stop()
    return RedirectResponse(f"/new/{job.name}", status_code=303)


def _sort(job: AuditJob, form: Form) -> None:
    """Put reviews to the papers that were named for them; the others are left out."""
    job.check_own()
    order = job.order
    papers = {str(number): paper for number, paper in enumerate(order.papers)}
    reviews: list[SentFile] = []
    for number, review in enumerate(order.reviews):
        chosen = form.get(f"paper-{number}", "")
        if not review.waiting or chosen not in (*papers, _LEFT_OUT):
            reviews.append(review)
            continue
        waits = job.data / WAITING / review.waiting
        if chosen == _LEFT_OUT:
            waits.unlink(missing_ok=True)
            continue
        place = review_place(papers[chosen], review.waiting)
        (job.data / place).parent.mkdir(exist_ok=True)
        waits.replace(job.data / place)
        reviews.append(SentFile(name=review.name, place=place))
    job.take(order.model_copy(update={"reviews": tuple(reviews)}))
    if not any(review.waiting for review in reviews):
        job.estimate()
