"""What a note is, by the invitation that made it and by who signed it."""

from __future__ import annotations

from enum import StrEnum

from reviewscore.sources.openreview.notes import Note


class Kind(StrEnum):
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
    Kind.SUBMISSION: "submission blind_submission withdrawn_submission desk_rejected_submission",
    Kind.REVIEW: "official_review review",
    Kind.RESPONSE: "rebuttal author_rebuttal official_comment comment rebuttal_comment",
    Kind.PUBLIC_COMMENT: "public_comment",
    Kind.META_REVIEW: "meta_review metareview",
    Kind.DECISION: "decision acceptance acceptance_decision",
    Kind.RECOMMENDATION: "official_recommendation",
    Kind.ACKNOWLEDGEMENT: "mandatory_acknowledgement acknowledgement",
    Kind.PRE_REVIEW_QUESTION: "pre_review_question",
    Kind.ETHICS_REVIEW: "ethics_review",
    Kind.WITHDRAWAL: "withdrawal withdraw withdrawal_confirmation",
    Kind.DESK_REJECTION: "desk_rejection desk_reject",
}
_KIND_OF = {tail: kind for kind, tails in _KINDS.items() for tail in tails.split()}
_AUTHORS = "Authors"


def kind_of(note: Note, *, written_by_name: bool = False) -> Kind:
    """The kind of a note.

    Only the invitation's own name counts: a rebuttal's holds the words ``Official_Review1`` too.

    Args:
        note: The note.
        written_by_name: Whether authors of this venue sign with their own names (ICLR 2017), so
            that an official comment signed by a person is theirs.
    """
    if note.replyto is None and note.note_id == note.forum:
        return Kind.SUBMISSION
    kind = _KIND_OF.get(note.tail, Kind.OTHER)
    if kind is not Kind.RESPONSE:
        return kind
    by_authors = _AUTHORS in note.signatures or (written_by_name and note.by_person)
    return Kind.RESPONSE if by_authors else Kind.COMMENT
