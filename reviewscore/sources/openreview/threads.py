"""A forum as a paper with its reviews, who answered whom, and how it ended."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from reviewscore.errors import InputError
from reviewscore.schema.review import Role
from reviewscore.sources.openreview.forms import Form, form_of, year_of
from reviewscore.sources.openreview.kinds import Kind, kind_of
from reviewscore.sources.openreview.notes import Note, read_note
from reviewscore.sources.openreview.scores import Score, read_score
from reviewscore.sources.roles import field_role

_WORD = re.compile(r"\w")
_DECISION = ("decision", "recommendation")
_META = ("metareview", "meta_review", "metareview:_summary,_strengths_and_weaknesses", "comment")
_RATINGS = (
    "rating", "recommendation", "overall_recommendation", "overall_assessment", "overall_rating",
    "overall_score", "overall_evaluation", "score",
)  # fmt: skip
_CONFIDENCES = ("confidence", "reviewer_confidence")
"""Of forms that are not known, in this order."""
_BODY = ("rebuttal", "comment", "response", "text")
_DEEP = 100
"""Answers to answers that are followed; a chain that is longer runs in a circle."""


@dataclass(frozen=True)
class FormReview:
    """One review as its form has it.

    Attributes:
        note: The note.
        reviewer: The last part of the anonymous signature; None if a person signed.
        form: The row of its form; None if there is none.
        fields: Boxes with text, in the order of the form.
        roles: Names of boxes by what they are for.
        rating: The overall score; None if the form has none or it is not given.
        confidence: Likewise.
        scores: All other scores.
        extra: Whatever else the note holds.
        responses: The authors' answers to it, oldest first.
    """

    note: Note
    reviewer: str | None
    form: Form | None
    fields: dict[str, str]
    roles: dict[Role, tuple[str, ...]]
    rating: Score | None
    confidence: Score | None
    scores: dict[str, Score]
    extra: dict[str, object]
    responses: tuple[Note, ...]


@dataclass(frozen=True)
class Thread:
    """One forum.

    Attributes:
        submission: The paper's note.
        venue: Its venue's id.
        kinds: How many notes of each kind, the submission not counted.
        reviews: Oldest first.
        general: The authors' answers to all reviewers, oldest first.
        meta_reviews: Oldest first.
        decisions: Their notes, oldest first.
        decision: As its note says; None if there is none.
        warnings: What was guessed or left out, in words.
    """

    submission: Note
    venue: str
    kinds: dict[Kind, int]
    reviews: tuple[FormReview, ...]
    general: tuple[Note, ...]
    meta_reviews: tuple[Note, ...]
    decisions: tuple[Note, ...]
    decision: str | None
    warnings: tuple[str, ...] = field(default=())

    @property
    def year(self) -> int | None:
        """Year of the venue; None if its id has none."""
        return year_of(self.venue)


def thread(submission: Note, replies: Iterable[Mapping[str, object]] | None = None) -> Thread:
    """Order the notes of a forum.

    Args:
        submission: The paper's note.
        replies: The other notes of its forum; those that came with it if None.

    Raises:
        InputError: The submission is deleted.
    """
    if submission.deleted:
        raise InputError(f"submission '{submission.note_id}' was deleted")
    form = form_of(submission.venue)
    warnings: list[str] = []
    notes = _notes(submission, submission.replies if replies is None else replies, warnings)
    by_name = form is not None and form.named_authors
    kinds = {note.note_id: kind_of(note, written_by_name=by_name) for note in notes}
    of = {kind: [one for one in notes if kinds[one.note_id] is kind] for kind in Kind}
    answered = _answered({one.note_id: one for one in notes}, of[Kind.REVIEW], of[Kind.RESPONSE])
    reviews = tuple(
        _review(one, submission.venue, answered.get(one.note_id, ()), warnings)
        for one in of[Kind.REVIEW]
    )
    specific = {one.note_id for some in answered.values() for one in some}
    return Thread(
        submission=submission,
        venue=submission.venue,
        kinds={kind: len(some) for kind, some in of.items() if some},
        reviews=reviews,
        general=tuple(one for one in of[Kind.RESPONSE] if one.note_id not in specific),
        meta_reviews=tuple(of[Kind.META_REVIEW]),
        decisions=tuple(of[Kind.DECISION]),
        decision=_decision(submission, of[Kind.DECISION], of[Kind.META_REVIEW]),
        warnings=tuple(dict.fromkeys(warnings)),
    )


def _notes(
    submission: Note, replies: Iterable[Mapping[str, object]], warnings: list[str]
) -> list[Note]:
    """Readable, undeleted notes of the forum, each once, oldest first."""
    found: dict[str, Note] = {}
    for record in replies:
        try:
            note = read_note(record)
        except InputError as error:
            warnings.append(f"forum '{submission.forum}': a note is left out: {error}")
            continue
        if note.forum != submission.forum:
            warnings.append(f"note '{note.note_id}' is of forum '{note.forum}'; it is left out")
        elif not note.deleted and note.note_id != submission.note_id:
            found[note.note_id] = note
    # Times of equal notes keep the order in which they came.
    return sorted(found.values(), key=lambda one: one.created or "")


def _answered(
    notes: Mapping[str, Note], reviews: Sequence[Note], responses: Sequence[Note]
) -> dict[str, tuple[Note, ...]]:
    """The authors' answers by the review at the head of their chain."""
    heads = {one.note_id for one in reviews}
    found: dict[str, list[Note]] = {}
    for response in responses:
        at: str | None = response.replyto
        for _ in range(_DEEP):
            if at is None or at in heads:
                break
            at = notes[at].replyto if at in notes else None
        if at in heads:
            found.setdefault(str(at), []).append(response)
    return {name: tuple(some) for name, some in found.items()}


def _review(note: Note, venue: str, responses: Sequence[Note], warnings: list[str]) -> FormReview:
    form = form_of(venue)
    content = dict(note.content)
    if form is None:
        warnings.append(f"no form is known for {venue}; boxes are read by their names")
    else:
        unknown = sorted(set(content) - form.known)
        if unknown:
            words = ", ".join(unknown)
            warnings.append(f"{form.name} has boxes that are not known: {words}; read by name")
    named = (form.rating, form.confidence) if form else (
        _numbered(content, _RATINGS), _numbered(content, _CONFIDENCES)
    )  # fmt: skip
    rating = read_score(content.pop(named[0] or "", None), form.rating_scale if form else None)
    confidence = read_score(
        content.pop(named[1] or "", None), form.confidence_scale if form else None
    )
    scores = {
        name: score
        for name, scale in (form.scores if form else {}).items()
        if (score := read_score(content.pop(name, None), scale)) is not None
    }
    fields = {
        name: value
        for name, value in content.items()
        if isinstance(value, str) and _WORD.search(value) and _is_text(name, form)
    }
    for score in (rating, confidence):
        if score is not None and not score.allowed:
            warnings.append(f"review '{note.note_id}': '{score.raw}' is not on the form's scale")
    return FormReview(
        note=note,
        reviewer=note.signatures[0] if note.signatures else None,
        form=form,
        fields=fields,
        roles=_roles(fields, form),
        rating=rating,
        confidence=confidence,
        scores=scores,
        extra={name: value for name, value in content.items() if name not in fields},
        responses=tuple(responses),
    )


def _numbered(content: Mapping[str, object], names: Sequence[str]) -> str | None:
    """The first of some boxes that holds a score."""
    scores = ((name, read_score(content.get(name), None)) for name in names)
    return next((name for name, found in scores if found and found.value is not None), None)


def _is_text(name: str, form: Form | None) -> bool:
    if form is not None and name in form.known:
        return form.is_text(name)
    return field_role(name) not in (Role.SCORES, Role.IGNORE) and name != "title"


def _roles(fields: Mapping[str, str], form: Form | None) -> dict[Role, tuple[str, ...]]:
    """Boxes by role; of an unknown form, or a box that it does not have, by name."""
    found: dict[Role, list[str]] = {}
    for name in fields:
        own = form is not None and name in form.known
        role = form.roles.get(name) if form is not None and own else field_role(name)
        if role is not None:
            found.setdefault(role, []).append(name)
    return {role: tuple(names) for role, names in found.items()}


def _decision(
    submission: Note, decisions: Sequence[Note], meta_reviews: Sequence[Note]
) -> str | None:
    """What was decided: by the last decision, or the submission itself, or (2019) its meta-review.

    ARR's meta-reviews recommend nothing that is a decision.
    """
    for note in reversed(decisions):
        for name in _DECISION:
            if note.text(name):
                return note.text(name)
    if submission.text("decision"):
        return submission.text("decision")
    for note in reversed(meta_reviews):
        if note.api == 1 and note.text("recommendation"):
            return note.text("recommendation")
    return None


def body(note: Note) -> str:
    """The text of a response, comment, decision or meta-review; empty if it has none."""
    return next((note.text(name) for name in (*_BODY, *_META) if note.text(name)), "")
