"""The pages as HTML: everything foreign is escaped, and blind pages know no score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, partial

from jinja2 import Environment

from reviewscore.annotate import rubric
from reviewscore.annotate.guard import addresses, home, point_path, review_path
from reviewscore.annotate.label_store import LabelEntry, LabelPage
from reviewscore.annotate.material import LabelPoint
from reviewscore.annotate.progress import (
    alphas,
    disagreements,
    finished_papers,
    progress,
    standings_now,
    state_of,
)
from reviewscore.annotate.reading import (
    ShownReview,
    paper_sections,
    path_to,
    reviews_of,
    shown_review,
)
from reviewscore.annotate.rules import (
    MOST_STATED,
    Codebook,
    Course,
    Key,
    LabelStep,
    Mark,
    course,
    stated_of,
    wants_reason,
)
from reviewscore.annotate.workspace import COORDINATOR, Standing, Workspace
from reviewscore.pages.environment import assets, environment
from reviewscore.pages.environment import render as render_page
from reviewscore.schema.annotation import LabelField
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.presupposition import LabelledPresupposition
from reviewscore.schema.review import PointType

ASSETS = {"workspace.css": "text/css", "workspace.js": "text/javascript"}
_WHOLE = "Is the weakness, as a whole, true?"


@dataclass(frozen=True)
class Notice:
    """Something to tell at the top of the page: ``good``, ``bad`` or ``plain``."""

    words: str
    tone: str = "plain"


@dataclass(frozen=True)
class Attempt:
    """A label that was not saved, kept in the page so that it is not lost.

    Attributes:
        key: Unit and field.
        value: What was chosen.
        reason: The reason beside it.
        stated: Of a presupposition its form as it was sent.
    """

    key: Key
    value: str
    reason: str
    stated: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class StatedForm:
    """The form of one presupposition.

    Attributes:
        at: Its place in the list; of a new one the first free place.
        known: The presupposition that is saved there; None for a new one.
        values: What the form holds, by name.
        tried: Whether that could not be saved.
    """

    at: int
    known: LabelledPresupposition | None
    values: Mapping[str, str]
    tried: bool


@dataclass(frozen=True)
class Field:
    """One label's form.

    Attributes:
        step: What is labelled.
        scale: Its scale in words.
        entry: The label, if it is given.
        attempt: A label that could not be saved.
        current: Whether it is the next to give.
        wants_reason: Whether the codebook asks for a reason that is not there.
    """

    step: LabelStep
    scale: rubric.LabelScale
    entry: LabelEntry | None
    attempt: Attempt | None
    current: bool
    wants_reason: bool

    @property
    def anchor(self) -> str:
        """Name of the form in the page."""
        premise = self.step.unit_id.rpartition("/")[2] if "/" in self.step.unit_id else "point"
        return f"{self.step.field.value}-{premise}"

    @property
    def reason(self) -> str:
        """The reason to show: the one not saved, or the saved one."""
        if self.attempt is not None:
            return self.attempt.reason
        return (self.entry.reason if self.entry is not None else None) or ""

    @property
    def stated(self) -> list[StatedForm]:
        """Of presuppositions those that are saved, and a form for another while there may be."""
        saved = stated_of(None if self.entry is None else self.entry.value)
        tried = {} if self.attempt is None else self.attempt.stated
        again = {known.statement for known in saved} & {tried.get("was", "")}
        forms = [
            StatedForm(at, known, _held(tried), tried=True)
            if known.statement in again
            else StatedForm(at, known, _values_of(known), tried=False)
            for at, known in enumerate(saved)
        ]
        if tried and not again:
            forms.append(StatedForm(len(saved), None, _held(tried), tried=True))
        elif len(saved) < MOST_STATED and not self.step.fixed:
            forms.append(StatedForm(len(saved), None, _values_of(None), tried=False))
        return forms


def _held(form: Mapping[str, str]) -> dict[str, str]:
    """What a form held that was sent."""
    names = ("statement", "true", "supplies", "central", "passages")
    return {name: form.get(name, "") for name in names}


def _values_of(known: LabelledPresupposition | None) -> dict[str, str]:
    """A presupposition as its form holds it."""
    if known is None:
        return _held({"central": "yes"})
    return {
        "statement": known.statement,
        "true": str(known.true),
        "supplies": known.supplies or "",
        "central": "yes" if known.central else "",
        "passages": "\n".join(
            " ".join((passage.quote or "").split()) for passage in known.passages
        ),
    }


@cache
def _templates() -> Environment:
    made = environment(
        "reviewscore.annotate",
        RELEVANCE=rubric.RELEVANCE,
        TRUE=rubric.TRUE,
        SUPPLIES=rubric.SUPPLIES,
        LabelField=LabelField,
        Mark=Mark,
    )
    made.filters["duration"] = duration
    return made


def asset(name: str) -> str:
    """The pages' own style or script."""
    shared = [assets("base.css")] if name.endswith(".css") else []
    return "\n".join([*shared, assets(name, room="reviewscore.annotate")]) + "\n"


def duration(seconds: float | None) -> str:
    """Seconds as people say them."""
    if seconds is None:
        return "–"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"


def render(name: str, **shown: object) -> str:
    """A template with values."""
    return render_page(_templates().get_template(name), **shown)


def frame(workspace: Workspace, who: str) -> dict[str, object]:
    """What every page of a person shows."""
    return {
        "set_name": workspace.name,
        "who": who,
        "home": home(who),
        "to": partial(point_path, who),
        "to_review": partial(review_path, who),
        "csrf": workspace.csrf(who),
        "coordinator": who == COORDINATOR,
    }


def list_page(workspace: Workspace, annotator: str, notice: Notice | None = None) -> str:
    """An annotator's points with how far each is."""
    rows = standings_now(workspace, annotator)
    relevance, by_id = workspace.store.relevance(), {row.point_id: row for row in rows}
    papers = [
        (
            paper,
            workspace.material.title(paper),
            relevance.get((annotator, paper)),
            [
                (review, [(by_id[point.point_id], point) for point in points])
                for review, points in reviews_of(workspace, annotator).items()
                if points[0].paper_id == paper
            ],
        )
        for paper in dict.fromkeys(row.paper_id for row in rows)
    ]  # fmt: skip
    return render(
        "list.html",
        **frame(workspace, annotator),
        papers=papers,
        counts=counts(rows),
        onward=_onward(workspace, annotator, _next(rows, None)),
        publications=workspace.store.annotators().get(annotator),
        notice=notice,
    )


def counts(rows: list[Standing]) -> dict[str, int]:
    """How many points are finished, of how many, and how many reasons are missing."""
    return {
        "points": len(rows),
        "done": sum(row.state in ("done", "skipped") for row in rows),
        "reasons": sum(row.reasons_missing for row in rows),
    }


def _next(rows: list[Standing], after: str | None) -> str | None:
    """The next point that is not finished, from a point on and then from the start."""
    ids = [row.point_id for row in rows]
    start = ids.index(after) + 1 if after in ids else 0
    for row in [*rows[start:], *rows[:start]]:
        if row.state in ("open", "begun") and row.point_id != after:
            return row.point_id
    return None


def _onward(workspace: Workspace, annotator: str, point_id: str | None) -> str | None:
    return None if point_id is None else path_to(workspace, annotator, point_id)


def fields_of(
    point: LabelPoint, page: LabelPage, at: Course, attempt: Attempt | None, codebook: Codebook
) -> list[Field]:
    """The forms of a point's page, in order."""
    kind = page.values.get((point.point_id, LabelField.TYPE))
    asked = _WHOLE if kind == PointType.ARGUMENT else "Is the claim true?"
    fields = []
    for step in at.steps:
        entry = page.labels.get(step.key)
        failed = attempt if attempt is not None and attempt.key == step.key else None
        fields.append(
            Field(
                step=step,
                scale=rubric.scale_of(
                    step.field, codebook, premise=step.unit_id != point.point_id, question=asked
                ),
                entry=entry,
                attempt=failed,
                current=at.current == step,
                wants_reason=entry is not None
                and wants_reason(step.field, entry.value, entry.reason),
            )
        )
    return fields


def work_part(
    workspace: Workspace,
    annotator: str,
    point: LabelPoint,
    *,
    notice: Notice | None = None,
    attempt: Attempt | None = None,
) -> str:
    """The half of a point's page that changes as it is labelled."""
    return render("work.html", **_work(workspace, annotator, point, notice=notice, attempt=attempt))


def _work(
    workspace: Workspace,
    annotator: str,
    point: LabelPoint,
    *,
    notice: Notice | None,
    attempt: Attempt | None,
) -> dict[str, object]:
    page = workspace.store.page(annotator, point.point_id)
    rows = standings_now(workspace, annotator)
    ids = [row.point_id for row in rows]
    place = ids.index(point.point_id)
    at = course(point, page.values, page.marks, workspace.codebook)
    peeked = Mark.PEEKED in page.marks
    fields = fields_of(point, page, at, attempt, workspace.codebook)
    return {
        **frame(workspace, annotator),
        "point": point,
        "page": page,
        "course": at,
        "fields": [field for field in fields if field.step.unit_id == point.point_id],
        "premises": [
            (unit, unit.unit_id.rpartition("/")[2],
             [field for field in fields if field.step.unit_id == unit.unit_id])
            for unit in point.premises
        ],
        "argument": page.values.get((point.point_id, LabelField.TYPE)) == PointType.ARGUMENT,
        "skipped": Mark.SKIPPED in page.marks,
        "peeked": peeked,
        # Blind unless asked: without a look, the page does not even get to know the scores.
        "score": _told(point.score) if peeked else None,
        "has_score": point.score is not None,
        "seconds": sum(entry.seconds for entry in page.labels.values()),
        "number": place + 1,
        "counts": counts(rows),
        "before": ids[place - 1] if place else None,
        "after": ids[place + 1] if place + 1 < len(ids) else None,
        "onward": _onward(workspace, annotator, _next(rows, point.point_id)),
        "notice": notice,
        "attempt": attempt,
    }  # fmt: skip


def _told(score: PointScore | None) -> dict[str, object] | None:
    if score is None:
        return None
    premises = () if score.argument is None else score.argument.premises
    return {
        "judge": score.judge,
        "type": score.type.value if score.type is not None else "no type",
        "base": score.base,
        "standing": score.standing is not None,
        "finding": None if score.finding is None else score.finding.value.replace("_", " "),
        "rationale": score.rationale if score.verdict is None else score.verdict.rationale,
        "premises": [
            (premise.premise_id, None if premise.verdict is None else premise.verdict.factuality)
            for premise in premises
        ],
    }


def point_page(workspace: Workspace, annotator: str, point: LabelPoint, **more: object) -> str:
    """A point beside its paper."""
    notice, attempt = more.get("notice"), more.get("attempt")
    assert notice is None or isinstance(notice, Notice)
    assert attempt is None or isinstance(attempt, Attempt)
    return render(
        "point.html",
        **_work(workspace, annotator, point, notice=notice, attempt=attempt),
        shown=shown_review(workspace, annotator, point.unit.review_id),
        **_paper(workspace, point.paper_id),
    )


def review_page(workspace: Workspace, annotator: str, shown: ShownReview) -> str:
    """A review, to be read whole beside its paper before its points are labelled."""
    return render(
        "review.html",
        **frame(workspace, annotator),
        shown=shown,
        counts=counts(standings_now(workspace, annotator)),
        **_paper(workspace, shown.paper_id),
    )


def _paper(workspace: Workspace, paper_id: str) -> dict[str, object]:
    return {
        "title": workspace.material.title(paper_id),
        "paper": paper_sections(workspace.material.paper(paper_id)),
    }


def relevance_page(
    workspace: Workspace, annotator: str, point: LabelPoint, notice: Notice | None
) -> str:
    """How near is this paper to you? Asked once, before its first point."""
    paper = workspace.material.paper(point.paper_id)
    return render(
        "relevance.html",
        **frame(workspace, annotator),
        point=point,
        title=workspace.material.title(point.paper_id),
        abstract="" if paper is None else (paper.abstract or paper.text[:1500]),
        notice=notice,
    )


def welcome_page(workspace: Workspace, annotator: str, notice: Notice | None) -> str:
    """What is asked of an annotator once."""
    return render("welcome.html", **frame(workspace, annotator), notice=notice)


def message_page(words: str, *, title: str) -> str:
    """A page that only tells something."""
    return render("message.html", words=words, title=title)


def overview(workspace: Workspace, host: str, notice: Notice | None = None) -> str:
    """Progress and agreement."""
    return render("coordinator.html", **_numbers(workspace, host), notice=notice)


def numbers_part(workspace: Workspace, host: str) -> str:
    """The tables alone, to be put anew into an open page."""
    return render("numbers.html", **_numbers(workspace, host))


def _numbers(workspace: Workspace, host: str) -> dict[str, object]:
    store, state = workspace.store, state_of(workspace)
    rows = progress(workspace, state)
    handed_out = addresses(workspace, host)
    return {
        **frame(workspace, COORDINATOR),
        "rows": rows,
        "alphas": alphas(store.given()),
        "points": len(workspace.material.points),
        "papers": len(workspace.material.papers),
        "finished": len(finished_papers(workspace, state)),
        "done": sum(row.done for row in rows),
        "assigned": sum(row.points for row in rows),
        "addresses": {row.annotator: handed_out[row.annotator] for row in rows},
    }


def adjudication(workspace: Workspace, notice: Notice | None = None) -> str:
    """Where annotators disagree, to be settled."""
    state = state_of(workspace)
    label_disagreements = disagreements(workspace, state)
    return render(
        "disagreements.html",
        **frame(workspace, COORDINATOR),
        found=label_disagreements,
        scales=rubric.SCALES[workspace.codebook],
        settled=sum(disagreement.decision is not None for disagreement in label_disagreements),
        finished=len(finished_papers(workspace, state)),
        papers=len(workspace.material.papers),
        notice=notice,
    )
