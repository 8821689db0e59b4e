"""Notes of both OpenReview APIs as one type, and what a note is by invitation and signature.

API 1 (venues made before 2023) holds plain values and one ``invitation``; API 2 wraps each value in
an object with ``value`` and holds a list ``invitations``, of which the first made the note and
later ones edited it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum

from reviewscore.errors import InputError

ANONYMOUS = "(anonymous)"
_PERSON = "~"
PEOPLE = frozenset({"authors", "authorids", "_bibtex", "paperhash", "reviewers", "emails"})
"""Fields of a note that hold people's names or addresses and nothing else."""
_PROFILE = re.compile(
    r"~[^\W\d_](?:[\w.'’-]{0,60}_(?![a-z\d_])\w|[\w.'’-]{1,60}_[a-z][a-z])[\w.'’-]{1,40}?\d+\b"
)
_ADDRESS = re.compile(r"\s*[^\s@]+@[^\s@]+\.[A-Za-z]{2,}\s*")
_PAPER = re.compile(r"^paper\d+/", re.IGNORECASE)
_LATEST = 4_102_444_800_000
"""Milliseconds of the year 2100: a larger number is no time."""


@dataclass(frozen=True)
class ForumNote:
    """One note of a forum.

    Attributes:
        note_id: Its identifier.
        forum: Identifier of the submission it belongs to, which is its own for a submission.
        replyto: The note it answers; None for a submission.
        invitation: The one that made it.
        edited: Invitations that edited it afterwards.
        signatures: Whoever signed, the last part of each name; people's own names are left out.
        by_person: Whether a person's profile signed it.
        content: Values by field, unwrapped; fields that may not be read are absent.
        created: When, UTC, ISO 8601; None if unknown.
        modified: When last, likewise.
        deleted: Whether it was deleted.
        licence: Licence of its text; None if none is stated.
        replies: Notes of its forum, where they came with it.
        api: 1 or 2.
        number: Of the paper at its venue.
        created_ms: As `created`, in milliseconds since 1970.
        changed: Fields that were changed since, where `content` is the first version; else None.
    """

    note_id: str
    forum: str
    replyto: str | None
    invitation: str
    edited: tuple[str, ...]
    signatures: tuple[str, ...]
    by_person: bool
    content: Mapping[str, object]
    created: str | None
    modified: str | None
    deleted: bool
    licence: str | None
    api: int
    number: int | None = None
    created_ms: float | None = None
    changed: tuple[str, ...] | None = None
    replies: tuple[Mapping[str, object], ...] = field(default=(), repr=False)

    @property
    def venue(self) -> str:
        """What stands before the number of the paper in the invitation."""
        before = self.invitation.partition("/-/")[0]
        return re.split(r"/(?:Paper|Submission)\d+(?:/|$)", before, flags=re.IGNORECASE)[0]

    @property
    def tail(self) -> str:
        """What the invitation asks for, as ``official_review``: lower case, without the paper.

        The part after the last ``/-/``; of 2018 and 2019 the paper's number stands behind it.
        """
        tail = self.invitation.rpartition("/-/")[2]
        tail = _PAPER.sub("", tail).removeprefix("submission/conference/")
        return re.sub(r"[^a-z0-9]+", "_", tail.lower()).strip("_")

    def text(self, name: str) -> str:
        """A field as text without surrounding blanks; empty if it is absent or no text."""
        value = self.content.get(name)
        return value.strip() if isinstance(value, str) else ""


def read_note(record: Mapping[str, object]) -> ForumNote:
    """A note from the object that the server sends.

    Raises:
        InputError: A field without which it cannot be used is missing or of a wrong type.
    """
    note_id = _name(record, "id")
    if note_id is None:
        raise InputError("is missing", field="id", cure="export whole notes")
    invitations = record.get("invitations")
    wrapped = isinstance(invitations, list)
    made = [one for one in invitations if isinstance(one, str)] if isinstance(invitations, list) \
        else [one] if isinstance(one := record.get("invitation"), str) else []  # fmt: skip
    if not made:
        raise InputError(
            f"note '{note_id}' has neither invitation nor invitations",
            field="invitations",
            cure="export whole notes",
        )
    content = record.get("content")
    if not isinstance(content, Mapping):
        raise InputError(f"note '{note_id}' has no content", field="content")
    created = next((record[name] for name in ("cdate", "tcdate") if _time(record.get(name))), None)
    names = [one for one in _list(record.get("signatures")) if isinstance(one, str)]
    return ForumNote(
        note_id=note_id,
        forum=_name(record, "forum") or note_id,
        replyto=_name(record, "replyto"),
        invitation=made[0],
        edited=tuple(made[1:]),
        signatures=tuple(one for one in map(anonymous, names) if one is not None),
        by_person=any(anonymous(one) is None for one in names),
        content=unwrapped(content),
        created=_time(created),
        created_ms=created if isinstance(created, int | float) else None,
        changed=_changed(content, record.get("served")),
        modified=_time(record.get("mdate")) or _time(record.get("tmdate")),
        deleted=record.get("ddate") is not None,
        licence=_name(record, "license"),
        api=2 if wrapped else 1,
        number=number if isinstance(number := record.get("number"), int) else None,
        replies=tuple(_replies(record)),
    )


def may_differ(note: ForumNote) -> bool:
    """Whether what is served may be another text than the first."""
    if note.created is None or note.modified is None:
        return True
    return note.modified > note.created or bool(note.edited)


def anonymous(signature: str) -> str | None:
    """The last part of a signature; None if it names a person, by profile or address."""
    last = signature.rpartition("/")[2]
    return None if _PERSON in last or "@" in last else last


def nameless(value: object) -> object:
    """A field's value without profiles' names (``~Given_Family1``), and no address as a value."""
    if isinstance(value, str):
        if "@" in value and _ADDRESS.fullmatch(value):
            return ""
        return _PROFILE.sub(_PERSON, value) if _PERSON in value else value
    if isinstance(value, list):
        return [nameless(one) for one in value]
    if isinstance(value, Mapping):
        return {name: nameless(one) for name, one in value.items()}
    return value


def unwrapped(content: Mapping[str, object]) -> dict[str, object]:
    """Fields with their values, nameless; an object with ``value`` is API 2's wrapper of one."""
    found = {}
    for name, value in content.items():
        inner = value["value"] if isinstance(value, Mapping) and "value" in value else value
        wrapper = isinstance(value, Mapping) and "value" not in value and "readers" in value
        if inner is not None and not wrapper:
            found[name] = nameless(inner)
    return found


def _changed(content: Mapping[str, object], served: object) -> tuple[str, ...] | None:
    if not isinstance(served, Mapping):
        return None
    first, last = unwrapped(content), unwrapped(served)
    return tuple(one for one in {**first, **last} if first.get(one) != last.get(one))


def _replies(record: Mapping[str, object]) -> Sequence[Mapping[str, object]]:
    details = record.get("details")
    replies = details.get("replies") if isinstance(details, Mapping) else None
    return [one for one in _list(replies) if isinstance(one, Mapping)]


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _name(record: Mapping[str, object], name: str) -> str | None:
    value = record.get(name)
    return value if isinstance(value, str) and value else None


def _time(value: object) -> str | None:
    """Milliseconds since 1970 as UTC, ISO 8601."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < _LATEST:
        return None
    return datetime.fromtimestamp(value / 1000, UTC).isoformat(timespec="seconds")


class NoteKind(StrEnum):
    """Kind of a note."""

    SUBMISSION = "submission"
    REVIEW = "review"
    RESPONSE = "response"  # by the authors
    COMMENT = "comment"  # by reviewers or chairs
    PUBLIC_COMMENT = "public_comment"
    META_REVIEW = "meta_review"
    DECISION = "decision"
    RECOMMENDATION = "recommendation"  # a reviewer's, in a note of its own
    ACKNOWLEDGEMENT = "acknowledgement"
    PRE_REVIEW_QUESTION = "pre_review_question"
    ETHICS_REVIEW = "ethics_review"
    WITHDRAWAL = "withdrawal"
    DESK_REJECTION = "desk_rejection"
    OTHER = "other"


_KINDS = {
    NoteKind.SUBMISSION: "submission blind_submission withdrawn_submission"
    " desk_rejected_submission",
    NoteKind.REVIEW: "official_review review",
    NoteKind.RESPONSE: "rebuttal author_rebuttal official_comment comment rebuttal_comment",
    NoteKind.PUBLIC_COMMENT: "public_comment",
    NoteKind.META_REVIEW: "meta_review metareview",
    NoteKind.DECISION: "decision acceptance acceptance_decision",
    NoteKind.RECOMMENDATION: "official_recommendation",
    NoteKind.ACKNOWLEDGEMENT: "mandatory_acknowledgement acknowledgement",
    NoteKind.PRE_REVIEW_QUESTION: "pre_review_question",
    NoteKind.ETHICS_REVIEW: "ethics_review",
    NoteKind.WITHDRAWAL: "withdrawal withdraw withdrawal_confirmation",
    NoteKind.DESK_REJECTION: "desk_rejection desk_reject",
}
_KIND_OF = {tail: kind for kind, tails in _KINDS.items() for tail in tails.split()}
_AUTHORS = "Authors"


def kind_of(note: ForumNote, *, written_by_name: bool = False) -> NoteKind:
    """The kind of a note.

    Only the invitation's own name counts: a rebuttal's holds the words ``Official_Review1`` too.

    Args:
        note: The note.
        written_by_name: Whether authors of this venue sign with their own names (ICLR 2017), so
            that an official comment signed by a person is theirs.
    """
    if note.replyto is None and note.note_id == note.forum:
        return NoteKind.SUBMISSION
    kind = _KIND_OF.get(note.tail, NoteKind.OTHER)
    if kind is not NoteKind.RESPONSE:
        return kind
    by_authors = _AUTHORS in note.signatures or (written_by_name and note.by_person)
    return NoteKind.RESPONSE if by_authors else NoteKind.COMMENT
