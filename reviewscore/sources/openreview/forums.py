"""Forums put together from notes in any order, and their paper and reviews as our own records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reviewscore.errors import InputError
from reviewscore.sources.areas import area_of
from reviewscore.sources.data_folder import METAREVIEWS, PAPERS, REVIEWS, DataFolder
from reviewscore.sources.openreview.kinds import Kind
from reviewscore.sources.openreview.notes import PEOPLE, Note, read_note
from reviewscore.sources.openreview.scores import Score
from reviewscore.sources.openreview.threads import FormReview, Thread, body, thread
from reviewscore.sources.openreview.versions import may_differ


@dataclass
class Forums:
    """Notes by forum, from wherever they come.

    Attributes:
        warnings: What was left out, in words, with how often.
    """

    warnings: Counter[str] = field(default_factory=Counter)
    _submissions: dict[str, Note] = field(default_factory=dict)
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
    return max((one for one in times if isinstance(one, int | float)), default=0)


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
    kinds: Counter[Kind] = field(default_factory=Counter)
    warnings: Counter[str] = field(default_factory=Counter)


def build(threads: Iterable[Thread], out: Path, *, pdfs: Mapping[str, Path]) -> Built:
    """Write papers, reviews and meta-reviews as `sources.files` and other verbs read them.

    Args:
        threads: The forums.
        out: The folder.
        pdfs: Files of papers by their id, relative to the folder.
    """
    told = Built()
    with DataFolder(out) as folder:
        for one in threads:
            _write(one, folder, told, pdfs.get(one.submission.note_id))
    return told


def _write(found: Thread, folder: DataFolder, told: Built, pdf: Path | None) -> None:
    told.kinds.update(found.kinds)
    told.warnings.update(found.warnings)
    told.papers += 1
    told.without_reviews += not found.reviews
    told.without_text += pdf is None
    folder.add(PAPERS, paper_record(found, pdf))
    for review in found.reviews:
        if review.fields:
            told.reviews += 1
            folder.add(REVIEWS, review_record(found, review))
        else:
            told.empty += 1
    if (record := metareview_record(found)) is not None:
        folder.add(METAREVIEWS, record)


def paper_record(found: Thread, pdf: Path | None) -> dict[str, Any]:
    """A line of ``papers.jsonl``; people's names are not in it."""
    note = found.submission
    area = area_of(note.content)
    return {
        "paper_id": note.note_id,
        **({"area": area} if area else {}),
        "title": note.text("title"),
        "abstract": note.text("abstract"),
        "venue": note.text("venue") or found.venue,
        # Journals have no year in their names: that of the submission.
        "year": found.year or (int(note.created[:4]) if note.created else None),
        "decision": found.decision,
        "general_response": "\n\n".join(filter(None, map(body, found.general))),
        "pdf": None if pdf is None else pdf.as_posix(),
        "pdf_version": None if pdf is None else "latest",
        "license": note.licence,
        "modified": note.modified,
    }


def review_record(found: Thread, review: FormReview) -> dict[str, Any]:
    """A line of ``reviews.jsonl``: boxes, scores with their scales, and the authors' answer."""
    note = review.note
    later = note.modified is not None and note.modified > (note.created or "")
    version = "latest" if may_differ(note) else "only"
    if note.changed is not None:
        version = "first" if note.changed else "only"
    return _filled(
        {
            "review_id": note.note_id,
            "paper_id": found.submission.note_id,
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


def metareview_record(found: Thread) -> dict[str, Any] | None:
    """A line of ``metareviews.jsonl``: the chairs' words on a paper; None if there are none.

    Where there is no meta-review (ICLR 2020 to 2023), they stand in the note of the decision.
    """
    notes = [one for one in found.meta_reviews or found.decisions if body(one)]
    if not notes:
        return None
    return _filled(
        {
            "paper_id": found.submission.note_id,
            "note_id": notes[-1].note_id,
            "meta_review": "\n\n".join(map(body, notes)),
            "decision": found.decision,
            "date": notes[-1].created,
        }
    )


def _number(score: Score | None) -> float | str | None:
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
