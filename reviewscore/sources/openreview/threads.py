"""Forums as papers with their reviews: put together from notes, and written as our own records."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reviewscore.errors import InputError
from reviewscore.schema.review import Role
from reviewscore.sources.data_folder import METAREVIEWS, PAPERS, REVIEWS, DataFolder
from reviewscore.sources.openreview.forms import Form, FormScore, form_of, read_score, year_of
from reviewscore.sources.openreview.notes import (
    PEOPLE,
    ForumNote,
    NoteKind,
    kind_of,
    may_differ,
    read_note,
)
from reviewscore.sources.section_roles import field_role
from reviewscore.sources.strata import area_of

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

    note: ForumNote
    reviewer: str | None
    form: Form | None
    fields: dict[str, str]
    roles: dict[Role, tuple[str, ...]]
    rating: FormScore | None
    confidence: FormScore | None
    scores: dict[str, FormScore]
    extra: dict[str, object]
    responses: tuple[ForumNote, ...]


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

    submission: ForumNote
    venue: str
    kinds: dict[NoteKind, int]
    reviews: tuple[FormReview, ...]
    general: tuple[ForumNote, ...]
    meta_reviews: tuple[ForumNote, ...]
    decisions: tuple[ForumNote, ...]
    decision: str | None
    warnings: tuple[str, ...] = field(default=())

    @property
    def year(self) -> int | None:
        """Year of the venue; None if its id has none."""
        return year_of(self.venue)


def thread(submission: ForumNote, replies: Iterable[Mapping[str, object]] | None = None) -> Thread:
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
    of = {kind: [note for note in notes if kinds[note.note_id] is kind] for kind in NoteKind}
    answered = _answered(
        {note.note_id: note for note in notes}, of[NoteKind.REVIEW], of[NoteKind.RESPONSE]
    )
    reviews = tuple(
        _review(note, submission.venue, answered.get(note.note_id, ()), warnings)
        for note in of[NoteKind.REVIEW]
    )
    specific = {note.note_id for some in answered.values() for note in some}
    return Thread(
        submission=submission,
        venue=submission.venue,
        kinds={kind: len(some) for kind, some in of.items() if some},
        reviews=reviews,
        general=tuple(note for note in of[NoteKind.RESPONSE] if note.note_id not in specific),
        meta_reviews=tuple(of[NoteKind.META_REVIEW]),
        decisions=tuple(of[NoteKind.DECISION]),
        decision=_decision(submission, of[NoteKind.DECISION], of[NoteKind.META_REVIEW]),
        warnings=tuple(dict.fromkeys(warnings)),
    )


def _notes(
    submission: ForumNote, replies: Iterable[Mapping[str, object]], warnings: list[str]
) -> list[ForumNote]:
    """Readable, undeleted notes of the forum, each once, oldest first."""
    notes: dict[str, ForumNote] = {}
    for record in replies:
        try:
            note = read_note(record)
        except InputError as error:
            warnings.append(f"forum '{submission.forum}': a note is left out: {error}")
            continue
        if note.forum != submission.forum:
            warnings.append(f"note '{note.note_id}' is of forum '{note.forum}'; it is left out")
        elif not note.deleted and note.note_id != submission.note_id:
            notes[note.note_id] = note
    # Times of equal notes keep the order in which they came.
    return sorted(notes.values(), key=lambda note: note.created or "")


def _answered(
    notes: Mapping[str, ForumNote], reviews: Sequence[ForumNote], responses: Sequence[ForumNote]
) -> dict[str, tuple[ForumNote, ...]]:
    """The authors' answers by the review at the head of their chain."""
    heads = {review.note_id for review in reviews}
    note_groups: dict[str, list[ForumNote]] = {}
    for response in responses:
        at: str | None = response.replyto
        for _ in range(_DEEP):
            if at is None or at in heads:
                break
            at = notes[at].replyto if at in notes else None
        if at in heads:
            note_groups.setdefault(str(at), []).append(response)
    return {name: tuple(some) for name, some in note_groups.items()}


def _review(
    note: ForumNote, venue: str, responses: Sequence[ForumNote], warnings: list[str]
) -> FormReview:
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
    return next((name for name, score in scores if score and score.value is not None), None)


def _is_text(name: str, form: Form | None) -> bool:
    if form is not None and name in form.known:
        return form.is_text(name)
    return field_role(name) not in (Role.SCORES, Role.IGNORE) and name != "title"


def _roles(fields: Mapping[str, str], form: Form | None) -> dict[Role, tuple[str, ...]]:
    """Boxes by role; of an unknown form, or a box that it does not have, by name."""
    text_groups: dict[Role, list[str]] = {}
    for name in fields:
        own = form is not None and name in form.known
        role = form.roles.get(name) if form is not None and own else field_role(name)
        if role is not None:
            text_groups.setdefault(role, []).append(name)
    return {role: tuple(names) for role, names in text_groups.items()}


def _decision(
    submission: ForumNote, decisions: Sequence[ForumNote], meta_reviews: Sequence[ForumNote]
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


def body(note: ForumNote) -> str:
    """The text of a response, comment, decision or meta-review; empty if it has none."""
    return next((note.text(name) for name in (*_BODY, *_META) if note.text(name)), "")


@dataclass
class Forums:
    """Notes by forum, from wherever they come.

    Attributes:
        warnings: What was left out, in words, with how often.
    """

    warnings: Counter[str] = field(default_factory=Counter)
    _submissions: dict[str, ForumNote] = field(default_factory=dict)
    _replies: dict[str, dict[str, Mapping[str, object]]] = field(default_factory=dict)

    def add(self, record: Mapping[str, object]) -> None:
        """Take a note in; of several versions of one the last that was changed stays.

        Raises:
            InputError: It cannot be used.
        """
        note = read_note(record)
        if note.replyto is None and note.note_id == note.forum:
            old = self._submissions.get(note.note_id)
            if old is None or (note.modified or "") >= (old.modified or ""):
                self._submissions[note.note_id] = note
            for reply in note.replies:
                name = reply.get("id")
                if isinstance(name, str):
                    self._reply(note.forum, name, reply)
        else:
            self._reply(note.forum, note.note_id, record)

    def _reply(self, forum: str, name: str, record: Mapping[str, object]) -> None:
        known = self._replies.setdefault(forum, {})
        if name not in known or _changed_ms(record) >= _changed_ms(known[name]):
            known[name] = record

    def __len__(self) -> int:
        """How many submissions there are."""
        return len(self._submissions)

    def names(self) -> frozenset[str]:
        """Identifiers of the submissions."""
        return frozenset(self._submissions)

    def threads(self) -> Iterator[Thread]:
        """All forums whose submission is there, in the order in which these came."""
        for name, submission in self._submissions.items():
            try:
                yield thread(submission, self._replies.get(name, {}).values())
            except InputError as error:
                self.warnings[str(error)] += 1
        orphans = self._replies.keys() - self._submissions.keys()
        if orphans:
            words = "forums without their submission are left out (fetch them by their id)"
            self.warnings[words] += len(orphans)


def _changed_ms(record: Mapping[str, object]) -> float:
    times = (record.get(name) for name in ("mdate", "tmdate"))
    return max((time for time in times if isinstance(time, int | float)), default=0)


@dataclass
class Built:
    """What was written.

    Attributes:
        papers: Papers.
        reviews: Reviews.
        empty: Reviews without any text.
        without_reviews: Papers without a review.
        without_text: Papers without a PDF.
        kinds: Notes by kind.
        warnings: What was guessed or left out, with how often.
    """

    papers: int = 0
    reviews: int = 0
    empty: int = 0
    without_reviews: int = 0
    without_text: int = 0
    kinds: Counter[NoteKind] = field(default_factory=Counter)
    warnings: Counter[str] = field(default_factory=Counter)


def build(threads: Iterable[Thread], out: Path, *, pdfs: Mapping[str, Path]) -> Built:
    """Write papers, reviews and meta-reviews as `sources.collection` and other verbs read them.

    Args:
        threads: The forums.
        out: The folder.
        pdfs: Files of papers by their id, relative to the folder.
    """
    built = Built()
    with DataFolder(out) as folder:
        for opened in threads:
            _write(opened, folder, built, pdfs.get(opened.submission.note_id))
    return built


def _write(opened: Thread, folder: DataFolder, built: Built, pdf: Path | None) -> None:
    built.kinds.update(opened.kinds)
    built.warnings.update(opened.warnings)
    built.papers += 1
    built.without_reviews += not opened.reviews
    built.without_text += pdf is None
    folder.add(PAPERS, paper_record(opened, pdf))
    for review in opened.reviews:
        if review.fields:
            built.reviews += 1
            folder.add(REVIEWS, review_record(opened, review))
        else:
            built.empty += 1
    if (record := metareview_record(opened)) is not None:
        folder.add(METAREVIEWS, record)


def paper_record(opened: Thread, pdf: Path | None) -> dict[str, Any]:
    """A line of ``papers.jsonl``; people's names are not in it."""
    note = opened.submission
    area = area_of(note.content)
    return {
        "paper_id": note.note_id,
        **({"area": area} if area else {}),
        "title": note.text("title"),
        "abstract": note.text("abstract"),
        "venue": note.text("venue") or opened.venue,
        # Journals have no year in their names: that of the submission.
        "year": opened.year or (int(note.created[:4]) if note.created else None),
        "decision": opened.decision,
        "general_response": "\n\n".join(filter(None, map(body, opened.general))),
        "pdf": None if pdf is None else pdf.as_posix(),
        "pdf_version": None if pdf is None else "latest",
        "license": note.licence,
        "modified": note.modified,
    }


def review_record(opened: Thread, review: FormReview) -> dict[str, Any]:
    """A line of ``reviews.jsonl``: boxes, scores with their scales, and the authors' answer."""
    note = review.note
    later = note.modified is not None and note.modified > (note.created or "")
    version = "latest" if may_differ(note) else "only"
    if note.changed is not None:
        version = "first" if note.changed else "only"
    return _filled(
        {
            "review_id": note.note_id,
            "paper_id": opened.submission.note_id,
            "reviewer": review.reviewer,
            "form": None if review.form is None else review.form.name,
            "sections": review.fields,
            "roles": {role.value: list(names) for role, names in review.roles.items()},
            "rating": _number(review.rating),
            "confidence": _number(review.confidence),
            "scores": _scores(review),
            "author_response": "\n\n".join(filter(None, map(body, review.responses))),
            "date": note.created,
            # What is served is the last version; what authors read first may have been another.
            "version": version,
            "changed": note.changed or (),
            "modified": note.modified if later else None,
            "license": note.licence,
            "extra": _plain(review.extra),
        }
    )


def metareview_record(opened: Thread) -> dict[str, Any] | None:
    """A line of ``metareviews.jsonl``: the chairs' words on a paper; None if there are none.

    Where there is no meta-review (ICLR 2020 to 2023), they stand in the note of the decision.
    """
    notes = [note for note in opened.meta_reviews or opened.decisions if body(note)]
    if not notes:
        return None
    return _filled(
        {
            "paper_id": opened.submission.note_id,
            "note_id": notes[-1].note_id,
            "meta_review": "\n\n".join(map(body, notes)),
            "decision": opened.decision,
            "date": notes[-1].created,
        }
    )


def _number(score: FormScore | None) -> float | str | None:
    return None if score is None else score.raw if score.value is None else score.value


def _scores(review: FormReview) -> dict[str, dict[str, Any]]:
    named = {"rating": review.rating, "confidence": review.confidence, **review.scores}
    return {
        name: _filled(
            {
                "value": score.value,
                "raw": score.raw,
                "allowed": None if score.scale is None else list(score.scale.values),
            }
        )
        for name, score in named.items()
        if score is not None
    }


def _plain(extra: Mapping[str, object]) -> dict[str, object]:
    """What is left of a note, without lists of people."""
    return {name: value for name, value in extra.items() if name.lower() not in PEOPLE}


def _filled(record: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if value not in (None, "", {}, [], ())}
